//! Face lines by AVX-512.
//!
//! - Two corners (six numbers, eight bytes each: separator and seven digits) in one register; one
//!   `vpcompressb` drops leading zeros and what is absent; one store for two corners.
//! - The arrays of indices are merged into the order of the text before they become digits, by one
//!   shuffle of words.

use super::avx512::eight;
use super::faces::{CornerIndices, each_face, plain_corner, plain_face};
use super::tail::TextTail;
use std::arch::x86_64::*;

/// First value with more than 7 digits: a lane has no place for it.
const LIMIT: u64 = 10_000_000;

/// What is the same for all faces.
struct FaceConstants<'a> {
    vertices: &'a [u32],
    uvs: &'a [u32],
    normals: &'a [u32],
    /// Added to the numbers of two corners.
    bases: __m512i,
    /// Separators and `'0'`s of two corners.
    text: __m512i,
    /// The bytes of separators.
    separators: u64,
    /// The bytes of numbers that are present.
    present: u64,
}

/// Orders of up to four corners: the words for the first two and the last two corners, from a
/// register with four vertices, four UVs and four normals. Only even words matter.
const fn order(corners: [u32; 4]) -> [[u32; 16]; 2] {
    let mut words = [[0; 16]; 2];
    let mut k = 0;
    while k < 4 {
        let mut part = 0;
        while part < 3 {
            words[k / 2][2 * (3 * (k % 2) + part)] = 4 * part as u32 + corners[k];
            part += 1;
        }
        k += 1;
    }
    words
}

static FORWARD: [[u32; 16]; 2] = order([0, 1, 2, 3]);
static FLIPPED_3: [[u32; 16]; 2] = order([0, 2, 1, 3]);
static FLIPPED_4: [[u32; 16]; 2] = order([0, 3, 2, 1]);

/// Appends all faces.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows(out: &mut Vec<u8>, offsets: &[u32], corners: &CornerIndices<'_>, flip: bool) {
    let job = FaceConstants::new(corners);
    let mut tail = TextTail::new(out, 0);
    each_face(&mut tail, offsets, corners, |tail, start, count| {
        let whole = count.next_multiple_of(4);
        if start + whole > corners.vertices.len() || (flip && count > 4) {
            // SAFETY: there is room for the face.
            return unsafe { plain_face(tail, corners, start, count, flip) };
        }
        let order = match (flip, count) {
            (true, 3) => &FLIPPED_3,
            (true, 4) => &FLIPPED_4,
            _ => &FORWARD,
        };
        for i in (start..start + count).step_by(4) {
            // SAFETY: there is room for the face, and four corners from `i` on.
            unsafe { job.write(tail, corners, i, (start + count - i).min(4), order) }
        }
    });
    tail.finish();
}

impl<'a> FaceConstants<'a> {
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn new(corners: &CornerIndices<'a>) -> Self {
        // A base that cannot give a small number.
        let base = |b: u64| b.min(LIMIT) as i64;
        let v = base(corners.vertex_base);
        // In place of an absent array stand the vertices; their numbers are dropped.
        let t = corners.uvs.map_or(v, |_| base(corners.uv_base));
        let n = corners.normals.map_or(v, |_| base(corners.normal_base));
        let (uv_digits, normal_digits) =
            (0xfe * u64::from(corners.uvs.is_some()), 0xfe * u64::from(corners.normals.is_some()));
        // A slash stands before the normal, and before a UV or where one would stand.
        let normal_slash = u64::from(corners.normals.is_some());
        let uv_slash = u64::from(corners.uvs.is_some()) | normal_slash;
        let twice = |x: u64| x | x << 24;
        let lane = |separator: u8| i64::from_le_bytes([separator, 48, 48, 48, 48, 48, 48, 48]);
        let (space, slash) = (lane(b' '), lane(b'/'));
        FaceConstants {
            vertices: corners.vertices,
            uvs: corners.uvs.unwrap_or(corners.vertices),
            normals: corners.normals.unwrap_or(corners.vertices),
            bases: _mm512_setr_epi64(v, t, n, v, t, n, 0, 0),
            text: _mm512_setr_epi64(space, slash, slash, space, slash, slash, 0, 0),
            separators: twice(1 | uv_slash << 8 | normal_slash << 16),
            present: twice(0xfe | uv_digits << 8 | normal_digits << 16),
        }
    }

    /// Writes up to four corners in an order.
    ///
    /// # Safety
    /// There is room for them, and each array has four entries from `i` on.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    unsafe fn write(
        &self,
        tail: &mut TextTail<'_>,
        corners: &CornerIndices<'_>,
        i: usize,
        count: usize,
        order: &[[u32; 16]; 2],
    ) {
        debug_assert!(i + 4 <= self.vertices.len());
        // SAFETY: the caller promises the entries; an order has 2 · 16 words.
        let (all, first, second) = unsafe {
            let four = |a: &[u32]| _mm_loadu_si128(a.as_ptr().add(i).cast());
            let low = _mm256_inserti128_si256::<1>(
                _mm256_castsi128_si256(four(self.vertices)),
                four(self.uvs),
            );
            let high = _mm256_castsi128_si256(four(self.normals));
            let all = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            let words = |k: usize| _mm512_loadu_si512(order[k].as_ptr().cast());
            (all, words(0), words(1))
        };
        // Six numbers of 64 bits: the upper words and the last two lanes are zero.
        let spread = |words| {
            let numbers = _mm512_maskz_permutexvar_epi32(0x0555, words, all);
            _mm512_add_epi64(numbers, self.bases)
        };
        let (first, second) = (spread(first), spread(second));
        let limit = _mm512_set1_epi64(LIMIT as i64);
        let small = _mm512_cmplt_epu64_mask(_mm512_max_epu64(first, second), limit) == 0xff;
        if !small {
            for k in 0..count {
                let k = order[k / 2][6 * (k % 2)] as usize;
                // SAFETY: passed on.
                unsafe { plain_corner(tail, corners, i + k) };
            }
            return;
        }
        // SAFETY: passed on.
        unsafe {
            self.two(tail, first, if count == 1 { (1 << 24) - 1 } else { u64::MAX });
            if count > 2 {
                self.two(tail, second, if count == 3 { (1 << 24) - 1 } else { u64::MAX });
            }
        }
    }

    /// Writes the numbers of two corners below [`LIMIT`], of them the bytes `wanted`.
    ///
    /// # Safety
    /// There is room for them.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    unsafe fn two(&self, tail: &mut TextTail<'_>, numbers: __m512i, wanted: u64) {
        const FIRSTS: u64 = 0x0101_0101_0101_0101;
        let digits = eight(numbers);
        // The last digit always counts; then in each lane all bits from the lowest set one on.
        let counts = _mm512_test_epi8_mask(digits, digits) | FIRSTS << 7;
        let from = counts | (!counts).wrapping_add(FIRSTS);
        let keep = ((from & self.present) | self.separators) & wanted;
        let line = _mm512_maskz_compress_epi8(keep, _mm512_or_si512(digits, self.text));
        // SAFETY: the slack has 64 bytes; the caller promises the rest.
        unsafe {
            _mm512_storeu_si512(tail.pointer().cast(), line);
            tail.advance(keep.count_ones() as usize);
        }
    }
}
