//! Faces to lines: `f a/b/c …`.

use super::integers;
use super::tail::Tail;
use solio_base::cpu::{Tier, tier};

/// Index arrays of the corners of some faces, as OBJ writes them.
///
/// All present arrays have the same length, one entry per corner. A value `u32::MAX` in `uvs` or
/// `normals` means *none for this corner*. The bases are added to every index (OBJ counts from 1).
#[derive(Clone, Copy, Debug)]
pub struct Corners<'a> {
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
pub fn face_rows(out: &mut Vec<u8>, offsets: &[u32], corners: &Corners<'_>, flip: bool) {
    face_rows_on(tier(), out, offsets, corners, flip);
}

/// [`face_rows`] with the kernel of a tier (or of the best that this machine has below it).
///
/// # Panics
/// As [`face_rows`].
pub fn face_rows_on(
    _tier: Tier,
    out: &mut Vec<u8>,
    offsets: &[u32],
    corners: &Corners<'_>,
    flip: bool,
) {
    plain_face_rows(out, offsets, corners, flip);
}

/// Most bytes of a corner: three integers, two slashes, a space.
const CORNER: usize = 3 * integers::ROOM + 3;

/// The plain twin of the face kernels.
fn plain_face_rows(out: &mut Vec<u8>, offsets: &[u32], corners: &Corners<'_>, flip: bool) {
    let mut tail = Tail::new(out, 0);
    for pair in offsets.windows(2) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        plain_face(&mut tail, corners, start, end, flip);
    }
    tail.finish();
}

/// One face.
#[inline(always)]
pub(super) fn plain_face(
    tail: &mut Tail<'_>,
    corners: &Corners<'_>,
    start: usize,
    end: usize,
    flip: bool,
) {
    let vertices = &corners.vertices[start..end];
    let uvs = corners.uvs.map(|a| &a[start..end]);
    let normals = corners.normals.map(|a| &a[start..end]);
    let count = vertices.len();
    tail.reserve(count * CORNER + 2);
    // SAFETY: room for `f`, all corners and the line's end.
    unsafe {
        tail.word(u64::from(b'f'), 1);
        for k in 0..count {
            let i = if flip && k > 0 { count - k } else { k };
            tail.word(u64::from(b' '), 1);
            integers::write_u64(tail, u64::from(vertices[i]) + corners.vertex_base);
            let uv = uvs.map(|a| a[i]).filter(|&v| v != u32::MAX);
            let normal = normals.map(|a| a[i]).filter(|&v| v != u32::MAX);
            if uv.is_some() || normal.is_some() {
                tail.word(u64::from(b'/'), 1);
            }
            if let Some(uv) = uv {
                integers::write_u64(tail, u64::from(uv) + corners.uv_base);
            }
            if let Some(normal) = normal {
                tail.word(u64::from(b'/'), 1);
                integers::write_u64(tail, u64::from(normal) + corners.normal_base);
            }
        }
        tail.word(u64::from(b'\n'), 1);
    }
}
