//! Face lines by AVX-512.
//!
//! - Two corners `a/b/c` (six numbers, eight bytes each: separator and seven digits) in one register,
//!   or four corners `a` or `a/b`; one `vpcompressb` drops leading zeros and what is absent; one store.
//! - The arrays of indices are merged into the order of the text before they become digits, by one
//!   shuffle of words.

use super::avx512::eight;
use super::digits::ZEROS;
use super::faces::{Corners, each_face, rare_face};
use super::tail::Tail;
use std::arch::x86_64::*;

/// First value with more than 7 digits: a lane has no place for it.
const LIMIT: u64 = 10_000_000;

/// What is the same for all faces, whose corners have so many `PARTS`: numbers with a separator in
/// front each, which may be absent.
struct Job<'a, const PARTS: usize> {
    arrays: [&'a [u32]; 3],
    /// The words of the lanes that the registers take from one with four vertices, four UVs and four
    /// normals: forward, a flipped triangle, a flipped quad.
    orders: [[__m512i; 2]; 3],
    /// Added to the numbers of a register.
    bases: __m512i,
    /// Separators and `'0'`s of a register.
    text: __m512i,
    /// The bytes of separators.
    separators: u64,
    /// The bytes of numbers that are present.
    present: u64,
}

/// Appends all faces.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows(out: &mut Vec<u8>, offsets: &[u32], corners: &Corners<'_>, flip: bool) {
    let tail = Tail::new(out, 0);
    match (corners.uvs, corners.normals, flip) {
        (None, None, false) => rows_of::<1, false>(tail, offsets, corners),
        (None, None, true) => rows_of::<1, true>(tail, offsets, corners),
        (Some(_), None, false) => rows_of::<2, false>(tail, offsets, corners),
        (Some(_), None, true) => rows_of::<2, true>(tail, offsets, corners),
        (_, Some(_), false) => rows_of::<3, false>(tail, offsets, corners),
        (_, Some(_), true) => rows_of::<3, true>(tail, offsets, corners),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn rows_of<const PARTS: usize, const FLIP: bool>(
    tail: Tail<'_>,
    offsets: &[u32],
    corners: &Corners<'_>,
) {
    let job = Job::<PARTS>::new(corners);
    let len = corners.vertices.len();
    each_face(tail, offsets, corners, |mut tail, start, count| {
        if start + count.next_multiple_of(4) > len || (FLIP && count > 4) {
            // SAFETY: there is room for the face.
            return unsafe { rare_face(tail, corners, start, count, FLIP) };
        }
        let order = match (FLIP, count) {
            (true, 3) => job.orders[1],
            (true, 4) => job.orders[2],
            _ => job.orders[0],
        };
        for i in (start..start + count).step_by(4) {
            let count = (start + count - i).min(4);
            // SAFETY: there is room for the face, and four corners from `i` on.
            unsafe {
                if !job.write(&mut tail, i, count, order) {
                    tail = rare_face(tail, corners, i, count, FLIP);
                }
            }
        }
        tail
    });
}

impl<'a, const PARTS: usize> Job<'a, PARTS> {
    /// Corners of a register.
    const CORNERS: usize = if PARTS == 3 { 2 } else { 4 };

    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn new(corners: &Corners<'a>) -> Self {
        // A base that cannot give a small number.
        let base = |b: u64| b.min(LIMIT);
        let absent = (corners.vertices, base(corners.vertex_base));
        // In place of an absent array stand the vertices; their numbers are dropped.
        let all = [
            absent,
            corners.uvs.map_or(absent, |a| (a, base(corners.uv_base))),
            corners.normals.map_or(absent, |a| (a, base(corners.normal_base))),
        ];
        let here = [true, corners.uvs.is_some(), corners.normals.is_some()];
        let (mut bases, mut text) = ([0; 8], [0; 8]);
        let (mut separators, mut present) = (0, 0);
        for lane in 0..PARTS * Self::CORNERS {
            let part = lane % PARTS;
            bases[lane] = all[part].1;
            let separator = if part == 0 { b' ' } else { b'/' };
            text[lane] = ZEROS ^ u64::from(b'0' ^ separator);
            separators |= 1 << (8 * lane);
            present |= (0xfe * u64::from(here[part])) << (8 * lane);
        }
        let load = |a: [u64; 8]| {
            // SAFETY: 64 bytes.
            unsafe { _mm512_loadu_si512(a.as_ptr().cast()) }
        };
        Job {
            arrays: all.map(|(array, _)| array),
            orders: [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 2, 1]].map(|corners| {
                let mut words = [[0; 8]; 2];
                for (k, corner) in corners.into_iter().enumerate() {
                    for part in 0..PARTS {
                        let lane = PARTS * (k % Self::CORNERS) + part;
                        words[k / Self::CORNERS][lane] = 4 * part as u64 + corner;
                    }
                }
                words.map(load)
            }),
            bases: load(bases),
            text: load(text),
            separators,
            present,
        }
    }

    /// Writes up to four corners in an order, or returns false and writes nothing if one has large
    /// numbers or lacks one.
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
        tail: &mut Tail<'_>,
        i: usize,
        count: usize,
        order: [__m512i; 2],
    ) -> bool {
        debug_assert!(self.arrays.iter().all(|a| i + 4 <= a.len()));
        // SAFETY: the caller promises the entries.
        let four =
            |part: usize| unsafe { _mm_loadu_si128(self.arrays[part].as_ptr().add(i).cast()) };
        let mut all = _mm512_castsi128_si512(four(0));
        if PARTS > 1 {
            all = _mm512_inserti32x4::<1>(all, four(1));
        }
        if PARTS > 2 {
            all = _mm512_inserti32x4::<2>(all, four(2));
        }
        // Numbers of 64 bits in the lanes of a register; the other lanes are zero.
        let lanes = (1 << (2 * PARTS * Self::CORNERS)) - 1;
        let numbers = |words| {
            let numbers = _mm512_maskz_permutexvar_epi32((lanes & 0x5555) as u16, words, all);
            _mm512_add_epi64(numbers, self.bases)
        };
        let limit = _mm512_set1_epi64(LIMIT as i64);
        let first = numbers(order[0]);
        if PARTS < 3 {
            let small = _mm512_cmplt_epu64_mask(first, limit) == 0xff;
            if small {
                // SAFETY: passed on.
                unsafe { self.some(tail, first, count) };
            }
            return small;
        }
        let second = numbers(order[1]);
        let small = _mm512_cmplt_epu64_mask(_mm512_max_epu64(first, second), limit) == 0xff;
        if small {
            // SAFETY: passed on.
            unsafe {
                self.some(tail, first, count.min(2));
                if count > 2 {
                    self.some(tail, second, count - 2);
                }
            }
        }
        small
    }

    /// Writes the numbers, all below [`LIMIT`], of that many corners of a register.
    ///
    /// # Safety
    /// There is room for them.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    unsafe fn some(&self, tail: &mut Tail<'_>, numbers: __m512i, corners: usize) {
        const FIRSTS: u64 = 0x0101_0101_0101_0101;
        let digits = eight(numbers);
        // The last digit always counts; then in each lane all bits from the lowest set one on.
        let counts = _mm512_test_epi8_mask(digits, digits) | FIRSTS << 7;
        let from = counts | (!counts).wrapping_add(FIRSTS);
        let wanted = _bzhi_u64(u64::MAX, (8 * PARTS * corners) as u32);
        let keep = ((from & self.present) | self.separators) & wanted;
        let line = _mm512_maskz_compress_epi8(keep, _mm512_or_si512(digits, self.text));
        // SAFETY: the slack has 64 bytes; the caller promises the rest.
        unsafe {
            _mm512_storeu_si512(tail.pointer().cast(), line);
            tail.advance(keep.count_ones() as usize);
        }
    }
}
