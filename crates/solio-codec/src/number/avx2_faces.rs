//! Face lines by AVX2.
//!
//! - The digits of four corners of an array at a time, as in [`super::avx2`].
//! - Each number with the separator in front is one word: a shift drops the leading zeros, and the
//!   zero that is left over becomes the separator. One store a number.

use super::avx2::eight;
use super::digits::ZEROS;
use super::faces::{CornerIndices, each_face, plain_corner, plain_face};
use super::tail::TextTail;
use std::arch::x86_64::*;

/// First value with more than 7 digits: the separator needs the eighth byte of the word.
const LIMIT: i64 = 10_000_000;

/// Four numbers: their text with leading zeros, and their digits.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Four {
    text: [u64; 4],
    digits: [u64; 4],
}

/// Appends all faces.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows(out: &mut Vec<u8>, offsets: &[u32], corners: &CornerIndices<'_>, flip: bool) {
    let mut tail = TextTail::new(out, 0);
    match (corners.uvs, corners.normals) {
        (Some(t), Some(n)) => rows_of(&mut tail, offsets, corners, [t, n], b"//", flip),
        (Some(t), None) => rows_of(&mut tail, offsets, corners, [t], b"/", flip),
        // Two slashes do not fit into the word.
        (None, Some(_)) => each_face(&mut tail, offsets, corners, |tail, start, count| {
            // SAFETY: there is room for the face.
            unsafe { plain_face(tail, corners, start, count, flip) }
        }),
        (None, None) => rows_of(&mut tail, offsets, corners, [], b"", flip),
    }
    tail.finish();
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn rows_of<const N: usize>(
    tail: &mut TextTail<'_>,
    offsets: &[u32],
    corners: &CornerIndices<'_>,
    others: [&[u32]; N],
    slashes: &[u8; N],
    flip: bool,
) {
    // A base that cannot give a small number.
    let base = |b: u64| b.min(LIMIT as u64) as i64;
    let bases = [base(corners.uv_base), base(corners.normal_base)];
    each_face(tail, offsets, corners, |tail, start, count| {
        let whole = count.next_multiple_of(4);
        if start + whole > corners.vertices.len() || (flip && count > 4) {
            // SAFETY: there is room for the face.
            return unsafe { plain_face(tail, corners, start, count, flip) };
        }
        for i in (start..start + count).step_by(4) {
            let count = (start + count - i).min(4);
            let (vertices, mut small) = four(corners.vertices, i, base(corners.vertex_base));
            let mut rest = [vertices; N];
            for (k, array) in others.iter().enumerate() {
                let (four, fits) = four(array, i, bases[k]);
                rest[k] = four;
                small &= fits;
            }
            for k in 0..count {
                let k = if flip && k > 0 { count - k } else { k };
                // SAFETY: there is room for the face.
                unsafe {
                    if small {
                        word(tail, &vertices, k, b' ');
                        for (four, slash) in rest.iter().zip(slashes) {
                            word(tail, four, k, *slash);
                        }
                    } else {
                        plain_corner(tail, corners, i + k);
                    }
                }
            }
        }
    });
}

/// The numbers at `i..i + 4`, and whether all are below [`LIMIT`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn four(array: &[u32], i: usize, base: i64) -> (Four, bool) {
    let values: &[u32; 4] = array[i..].first_chunk().expect("the caller looked");
    // SAFETY: four values of 32 bits.
    let values = unsafe { _mm_loadu_si128(values.as_ptr().cast()) };
    let numbers = _mm256_add_epi64(_mm256_cvtepu32_epi64(values), _mm256_set1_epi64x(base));
    let large = _mm256_cmpgt_epi64(numbers, _mm256_set1_epi64x(LIMIT - 1));
    let digits = eight(numbers);
    let mut four = Four { text: [0; 4], digits: [0; 4] };
    // SAFETY: four words each.
    unsafe {
        let text = _mm256_or_si256(digits, _mm256_set1_epi64x(ZEROS as i64));
        _mm256_store_si256(four.text.as_mut_ptr().cast(), text);
        // The last digit always counts.
        let digits = _mm256_or_si256(digits, _mm256_set1_epi64x(1 << 56));
        _mm256_store_si256(four.digits.as_mut_ptr().cast(), digits);
    }
    (four, _mm256_testz_si256(large, large) != 0)
}

/// A separator and a number.
///
/// # Safety
/// There is room for 8 bytes.
#[inline(always)]
unsafe fn word(tail: &mut TextTail<'_>, four: &Four, k: usize, separator: u8) {
    // At least one zero leads: the last that goes is the one that becomes the separator.
    let shift = (four.digits[k].trailing_zeros() & 56).wrapping_sub(8) & 56;
    let text = four.text[k] >> shift ^ u64::from(b'0' ^ separator);
    // SAFETY: passed on.
    unsafe { tail.word(text, 8 - (shift / 8) as usize) }
}
