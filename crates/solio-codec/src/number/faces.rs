//! Faces to lines: `f a/b/c …`.

use super::format::usable;
use super::integers::{self, write_u64};
use super::tail::TextTail;
#[cfg(target_arch = "x86_64")]
use super::{avx2_faces, avx512_faces};
use solio_base::cpu::{Tier, tier};

/// Index arrays of the corners of some faces, as OBJ writes them.
///
/// All present arrays have the same length, one entry per corner. A value `u32::MAX` in `uvs` or
/// `normals` means *none for this corner*. The bases are added to every index (OBJ counts from 1).
#[derive(Clone, Copy, Debug)]
pub struct CornerIndices<'a> {
    /// Vertex of each corner.
    pub vertices: &'a [u32],
    /// UV of each corner.
    pub uvs: Option<&'a [u32]>,
    /// Normal of each corner.
    pub normals: Option<&'a [u32]>,
    /// Added to each vertex index.
    pub vertex_base: u64,
    /// Added to each UV index.
    pub uv_base: u64,
    /// Added to each normal index.
    pub normal_base: u64,
}

/// Appends the lines `f a/b/c …` of the faces whose corners lie between consecutive `offsets`
/// (so `offsets.len() - 1` faces; offsets index into the arrays of `corners`).
///
/// With `flip` the order of the corners is reversed, the first one staying first.
///
/// # Panics
/// When an offset lies outside the arrays or offsets fall.
pub fn face_rows(out: &mut Vec<u8>, offsets: &[u32], corners: &CornerIndices<'_>, flip: bool) {
    face_rows_on(tier(), out, offsets, corners, flip);
}

/// [`face_rows`] with the kernel of a tier (or of the best that this machine has below it).
///
/// # Panics
/// As [`face_rows`].
pub fn face_rows_on(
    tier: Tier,
    out: &mut Vec<u8>,
    offsets: &[u32],
    corners: &CornerIndices<'_>,
    flip: bool,
) {
    let count = corners.vertices.len();
    assert!(corners.uvs.is_none_or(|a| a.len() == count), "UVs of all corners");
    assert!(corners.normals.is_none_or(|a| a.len() == count), "normals of all corners");
    match usable(tier) {
        // SAFETY: this machine has the tier.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 => unsafe { avx512_faces::rows(out, offsets, corners, flip) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => unsafe { avx2_faces::rows(out, offsets, corners, flip) },
        _ => {
            let mut tail = TextTail::new(out, 0);
            each_face(&mut tail, offsets, corners, |tail, start, count| {
                // SAFETY: there is room for the face.
                unsafe { plain_face(tail, corners, start, count, flip) }
            });
            tail.finish();
        }
    }
}

/// Most bytes of a corner: three integers, two slashes, a space.
const CORNER: usize = 3 * integers::ROOM + 3;

/// Calls `write` with each face's first corner and number of corners, which lie in the arrays; there
/// is room for the corners' text, and this function writes `f` and `\n`.
#[inline(always)]
pub(super) fn each_face<'a>(
    tail: &mut TextTail<'a>,
    offsets: &[u32],
    corners: &CornerIndices<'_>,
    mut write: impl FnMut(&mut TextTail<'a>, usize, usize),
) {
    /// Faces for which room is reserved at a time.
    const BLOCK: usize = 64;
    let Some((&first, rest)) = offsets.split_first() else { return };
    let mut start = first as usize;
    for block in rest.chunks(BLOCK) {
        let last = block[block.len() - 1] as usize;
        assert!(last <= corners.vertices.len(), "an offset is out of range");
        tail.reserve(last.saturating_sub(start) * CORNER + 2 * block.len());
        for &end in block {
            let end = end as usize;
            // So all faces of the block together have no more corners than there is room for.
            assert!(start <= end && end <= last, "the offsets fall: out of range");
            // SAFETY: two bytes for each face.
            unsafe {
                tail.word(u64::from(b'f'), 1);
                write(tail, start, end - start);
                tail.word(u64::from(b'\n'), 1);
            }
            start = end;
        }
    }
}

/// The corners of a face, the plain twin of all kernels.
///
/// # Safety
/// There is room for them.
#[inline(always)]
pub(super) unsafe fn plain_face(
    tail: &mut TextTail<'_>,
    corners: &CornerIndices<'_>,
    start: usize,
    count: usize,
    flip: bool,
) {
    for k in 0..count {
        let k = if flip && k > 0 { count - k } else { k };
        // SAFETY: passed on.
        unsafe { plain_corner(tail, corners, start + k) };
    }
}

/// ` a/b/c` of a corner.
///
/// # Safety
/// There is room for it.
#[inline(always)]
pub(super) unsafe fn plain_corner(tail: &mut TextTail<'_>, corners: &CornerIndices<'_>, i: usize) {
    let uv = corners.uvs.map(|a| a[i]).filter(|&v| v != u32::MAX);
    let normal = corners.normals.map(|a| a[i]).filter(|&v| v != u32::MAX);
    // SAFETY: passed on.
    unsafe {
        tail.word(u64::from(b' '), 1);
        write_u64(tail, u64::from(corners.vertices[i]) + corners.vertex_base);
        tail.word(u64::from(b'/'), usize::from(uv.is_some() || normal.is_some()));
        if let Some(uv) = uv {
            write_u64(tail, u64::from(uv) + corners.uv_base);
        }
        if let Some(normal) = normal {
            tail.word(u64::from(b'/'), 1);
            write_u64(tail, u64::from(normal) + corners.normal_base);
        }
    }
}
