//! Four numbers of known shapes at once, by AVX2.

use super::run::RunNumber;
use super::shapes::{BELOW, NEAR, NumberShape, TO_MIDDLE};
use std::arch::x86_64::*;

/// The bits of four numbers, and which of them are not sure. `texts` have the byte before the digits,
/// then these.
///
/// Three multiplications make the digits of four numbers integers, and one by 10^-n makes them floats.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn four<N: RunNumber>(
    texts: [&[u8; 16]; 4],
    shapes: [&NumberShape; 4],
) -> (__m128i, u32) {
    // The first and the third number, the second and the fourth.
    let (ones, others) = (both(texts[0], texts[2]), both(texts[1], texts[3]));
    let first_bytes = _mm256_unpacklo_epi64(ones, others);
    let is_minus = _mm256_cmpeq_epi8(first_bytes, _mm256_set1_epi8(b'-' as i8));
    let signs = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(is_minus));
    let ones = aligned(ones, shapes[0], shapes[2]);
    let others = aligned(others, shapes[1], shapes[3]);
    // Pairs, fours, eights: of each number the upper and the lower eight digits.
    let twos = |digits| _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
    let fours = |twos| _mm256_madd_epi16(twos, _mm256_set1_epi32(100 | 1 << 16));
    let fours = _mm256_packus_epi32(fours(twos(ones)), fours(twos(others)));
    let eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(10_000 | 1 << 16));
    let upper = double(_mm256_and_si256(eights, _mm256_set1_epi64x(0xffff_ffff)));
    let lower = double(_mm256_srli_epi64::<32>(eights));
    // Below 10^15, so exact.
    let digits = _mm256_add_pd(_mm256_mul_pd(upper, _mm256_set1_pd(1e8)), lower);
    let signed = |values| _mm256_or_pd(values, signs);
    if N::IS_FLOAT {
        let [a, b, c, d] = shapes.map(|shape| shape.factor);
        let product = _mm256_mul_pd(_mm256_setr_pd(a, b, c, d), digits);
        let bits = _mm256_castpd_si256(product);
        let from_middle = _mm256_add_epi64(bits, _mm256_set1_epi64x(TO_MIDDLE as i64));
        let far = _mm256_and_si256(from_middle, _mm256_set1_epi64x((BELOW ^ (NEAR - 1)) as i64));
        let near = _mm256_cmpeq_epi64(far, _mm256_setzero_si256());
        let not_sure = _mm256_movemask_pd(_mm256_castsi256_pd(near)) as u32;
        (_mm_castps_si128(_mm256_cvtpd_ps(signed(product))), not_sure)
    } else {
        let [a, b, c, d] = shapes.map(|shape| shape.whole);
        let values = _mm256_cvttpd_epi32(signed(_mm256_mul_pd(digits, _mm256_setr_pd(a, b, c, d))));
        // What does not fit becomes this.
        let not_sure = _mm_cmpeq_epi32(values, _mm_set1_epi32(i32::MIN));
        (values, _mm_movemask_ps(_mm_castsi128_ps(not_sure)) as u32)
    }
}

/// Two times 16 bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn both(first: &[u8; 16], second: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are there, and the loads need no alignment.
    let load = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    _mm256_set_m128i(load(second), load(first))
}

/// The digits of two numbers at the end of 16 bytes each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn aligned(text: __m256i, one: &NumberShape, other: &NumberShape) -> __m256i {
    let digits = _mm256_sub_epi8(text, _mm256_set1_epi8(b'0' as i8));
    _mm256_shuffle_epi8(digits, both(&one.places, &other.places))
}

/// Integers below 2^52 as doubles.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn double(integers: __m256i) -> __m256d {
    let magic = _mm256_set1_pd((1u64 << 52) as f64);
    let placed = _mm256_or_si256(integers, _mm256_castpd_si256(magic));
    _mm256_sub_pd(_mm256_castsi256_pd(placed), magic)
}

/// The compiler knows that these are bits of vectors, and would take them apart one by one to
/// compute with vectors.
#[inline(always)]
pub(crate) fn opaque(mut bits: u64) -> u64 {
    // SAFETY: no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) bits, options(nomem, nostack, preserves_flags));
    }
    bits
}
