//! Rows of floats with their shortest digits by AVX2.
//!
//! - Digits as in [`super::shortest`], of four at once. Quotients of `f32` take two multiplications of
//!   32 bits. Those of doubles without an exponent are products with powers of ten that are exact: FMA gives
//!   what rounding lost, and only fractions very near to a boundary are looked at again.
//! - The text of a number is one look-up: a shuffle by where its point and its first digit are puts
//!   digits, point and the zeros before them in their places, and one store writes it.
//! - Numbers with an exponent, and of a size that the shuffles do not have, go one by one.

use super::avx2::{BLOCK, eight, plain};
use super::digits::POWERS;
use super::fixed::ROUND;
use super::format::{DigitStyle, FloatValue};
use super::lanes::{RowJob, Separators};
use super::powers::tens;
use super::shortest::{SINGLE_BEFORE, SINGLE_BITS, SINGLE_MIDDLE, SINGLE_NEAR, SINGLE_ROWS};
use super::shortest::{SingleRow, split_f64};
use super::tail::TextTail;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Bytes of an `f32`'s lane after its nine digits.
const ZERO: u8 = 9;
const POINT: u8 = 10;
const REST: u64 = 0x2e30;

/// Shuffles of an `f32`'s lane, by the place of the digit before the point; to be read from the first
/// digit's place on.
static SINGLE_SHUFFLES: [[u8; 32]; 16] = {
    let mut all = [[ZERO; 32]; 16];
    let mut unit = 0;
    while unit < 16 {
        let mut i = 0;
        while i < 32 {
            let place = i as i32 - if i > unit { 1 } else { 0 } - SINGLE_BEFORE;
            if i == unit + 1 {
                all[unit][i] = POINT;
            } else if place >= 0 && place < 9 {
                all[unit][i] = place as u8;
            }
            i += 1;
        }
        unit += 1;
    }
    all
};

/// Appends all values of a job, each with what follows it.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows<V: FloatValue>(out: &mut Vec<u8>, job: &RowJob<'_, V, ()>) {
    let separators = Separators::new(job);
    let room = BLOCK * job.room();
    let mut tail = TextTail::new(out, 0);
    let mut column = 0;
    let mut doubles = [const { MaybeUninit::<DoubleQuad>::uninit() }; BLOCK / 4];
    for block in job.values.chunks(BLOCK) {
        tail.reserve(room);
        let (groups, rest) = block.as_chunks::<4>();
        if !V::SINGLE {
            // All of a block first: the wait for the digits of one group is the work of the next ones.
            for (group, quad) in groups.iter().zip(&mut doubles) {
                // SAFETY: a group has four values, which are doubles.
                quad.write(unsafe { DoubleQuad::new(group.as_ptr().cast()) });
            }
        }
        for (group, quad) in groups.iter().zip(&doubles) {
            // SAFETY: the room counts every value of the block with its separator; a group has four values;
            // quads of doubles were written.
            unsafe {
                let values = group.as_ptr();
                let done = match V::SINGLE {
                    true => four_singles(&mut tail, &separators, values.cast(), column),
                    false => {
                        let quad = quad.assume_init_ref();
                        four_doubles(&mut tail, &separators, values.cast(), quad, column)
                    }
                };
                if !done {
                    tail = plain(tail, job, &DigitStyle::Shortest, group, room, column);
                }
            }
            column += separators.step;
            if column >= job.columns {
                column -= job.columns;
            }
        }
        // SAFETY: as above.
        tail = unsafe { plain(tail, job, &DigitStyle::Shortest, rest, room, column) };
    }
    tail.finish();
}

/// Writes four `f32`, or returns false and writes nothing if there is one that only the plain code does.
///
/// # Safety
/// They can be read; there is room for them and what follows them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn four_singles(
    tail: &mut TextTail<'_>,
    separators: &Separators,
    values: *const f32,
    column: usize,
) -> bool {
    const ROW: i64 = size_of::<SingleRow>() as i64;
    // SAFETY: the caller's promise.
    let bits = unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(values.cast())) };
    let fraction = _mm256_and_si256(bits, _mm256_set1_epi64x(0x7f_ffff));
    let no_fraction = _mm256_cmpeq_epi64(fraction, _mm256_setzero_si256());
    // Places of rows, in bytes.
    let exponent = _mm256_and_si256(_mm256_srli_epi64::<19>(bits), _mm256_set1_epi64x(255 * ROW));
    let further = _mm256_and_si256(no_fraction, _mm256_set1_epi64x(256 * ROW));
    let mut places = MaybeUninit::<[u64; 4]>::uninit();
    // SAFETY: it has room for four.
    unsafe {
        _mm256_storeu_si256(places.as_mut_ptr().cast(), _mm256_or_si256(exponent, further));
    }
    // SAFETY: it has four places. Volatile, as loads are cheaper here than taking registers apart.
    let row = |i: usize| unsafe {
        let place = places.as_ptr().cast::<u64>().add(i).read_volatile();
        SINGLE_ROWS.as_ptr().byte_add(place as usize)
    };
    // SAFETY: four places of rows of which there are 512, each of 16 bytes.
    let (factor, units) = unsafe {
        let two = |i, j| {
            let low = _mm256_castsi128_si256(_mm_load_si128(row(i).cast()));
            _mm256_inserti128_si256::<1>(low, _mm_load_si128(row(j).cast()))
        };
        let (even, odd) = (two(0, 2), two(1, 3));
        (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
    };
    let unit = _mm256_and_si256(units, _mm256_set1_epi64x(0xffff));
    if _mm256_movemask_epi8(_mm256_cmpeq_epi64(unit, _mm256_setzero_si256())) != 0 {
        return false;
    }
    let (whole, last) = split_singles(bits, no_fraction, factor);
    let zeros = _mm256_set1_epi8(b'0' as i8);
    let digits = _mm256_or_si256(eight(whole), zeros);
    let others = _mm256_or_si256(last, _mm256_set1_epi64x((REST << 8 | 0x30) as i64));
    let even = _mm256_unpacklo_epi64(digits, others);
    let odd = _mm256_unpackhi_epi64(digits, others);
    let lanes = [
        _mm256_castsi256_si128(even),
        _mm256_castsi256_si128(odd),
        _mm256_extracti128_si256::<1>(even),
        _mm256_extracti128_si256::<1>(odd),
    ];
    for (i, lane) in lanes.into_iter().enumerate() {
        let above = _mm_cmpgt_epi8(lane, _mm256_castsi256_si128(zeros));
        // SAFETY: the unit is one of sixteen places; first is not after it. At most a sign and 16 bytes.
        unsafe {
            let unit = (*row(i)).unit;
            let shown = (_mm_movemask_epi8(above) as u32) << SINGLE_BEFORE | unit;
            let (first, end) = (shown.trailing_zeros(), 32 - shown.leading_zeros());
            let point = u32::from(shown >= 2 * unit);
            let shuffles = SINGLE_SHUFFLES.as_ptr().cast::<u8>();
            let at = 32 * unit.trailing_zeros() + first;
            let shuffle = _mm_loadu_si128(shuffles.add(at as usize).cast());
            tail.word(u64::from(b'-'), ((*values.add(i)).to_bits() >> 31) as usize);
            _mm_storeu_si128(tail.pointer().cast(), _mm_shuffle_epi8(lane, shuffle));
            tail.advance((end - first + point) as usize);
            separators.write(tail, column + i);
        }
    }
    true
}

/// [`super::shortest::split_f32`] of four normal numbers or zeros: all digits but the last, and that.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn split_singles(bits: __m256i, no_fraction: __m256i, factor: __m256i) -> (__m256i, __m256i) {
    const ONE: i64 = 1 << SINGLE_BITS;
    const BITS: i32 = SINGLE_BITS as i32;
    const NEAR: i64 = SINGLE_NEAR as i64;
    const MIDDLE: i64 = SINGLE_MIDDLE as i64;
    // The lowest 32 bits count: c times 256.
    let shifted = _mm256_or_si256(_mm256_slli_epi64::<8>(bits), _mm256_set1_epi64x(1 << 31));
    let high = _mm256_mul_epu32(shifted, _mm256_srli_epi64::<32>(factor));
    let low = _mm256_mul_epu32(shifted, factor);
    let quotient = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(low));
    let whole = _mm256_srli_epi64::<BITS>(quotient);
    let part = _mm256_and_si256(quotient, _mm256_set1_epi64x(ONE - 1));
    // An even c reads both ends of its interval.
    let odd = _mm256_and_si256(_mm256_slli_epi64::<4>(bits), _mm256_set1_epi64x(2 * NEAR));
    const _: () = assert!(2 * NEAR == 1 << 4);
    let bias = _mm256_sub_epi64(_mm256_set1_epi64x(NEAR), odd);
    let half_step = _mm256_srli_epi64::<{ 64 - BITS }>(factor);
    let below = _mm256_srlv_epi64(half_step, _mm256_srli_epi64::<63>(no_fraction));
    let down = _mm256_cmpgt_epi64(_mm256_add_epi64(below, bias), part);
    let end = _mm256_add_epi64(_mm256_add_epi64(part, half_step), bias);
    let up = _mm256_cmpgt_epi64(end, _mm256_set1_epi64x(ONE));
    let ten = _mm256_add_epi64(_mm256_slli_epi64::<3>(part), _mm256_slli_epi64::<1>(part));
    // To the nearest, in the middle to the even one.
    let odd = _mm256_srli_epi64::<{ BITS - 5 }>(ten);
    let odd = _mm256_and_si256(odd, _mm256_set1_epi64x(2 * MIDDLE));
    const _: () = assert!(2 * MIDDLE == 1 << 5);
    let half = _mm256_add_epi64(ten, _mm256_set1_epi64x(ONE / 2 - MIDDLE));
    let last = _mm256_srli_epi64::<BITS>(_mm256_add_epi64(half, odd));
    let last = _mm256_andnot_si256(_mm256_or_si256(down, up), last);
    // A mask is −1.
    (_mm256_sub_epi64(whole, up), last)
}

/// Places of doubles before their digits: the zeros of 0.00001.
const DOUBLE_BEFORE: i32 = 5;

/// Places of doubles of which the digit before the point may be one.
const DOUBLE_PLACES: usize = 20;

/// Shuffles of the first 16 digits of a double, by the place of the digit before the point; to be read from
/// the first digit's place on. What is not a digit becomes 0.
static DOUBLE_SHUFFLES: [[u8; 64]; DOUBLE_PLACES] = {
    let mut all = [[0x80; 64]; DOUBLE_PLACES];
    let mut unit = 0;
    while unit < DOUBLE_PLACES {
        let mut i = 0;
        while i < 64 {
            let place = i as i32 - if i > unit { 1 } else { 0 } - DOUBLE_BEFORE;
            if i != unit + 1 && place >= 0 && place < 16 {
                all[unit][i] = place as u8;
            }
            i += 1;
        }
        unit += 1;
    }
    all
};

/// What is the same for all doubles of an exponent.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct DoubleRow {
    /// 10^−(k+1).
    scale: f64,
    /// Half a step up, and down, times that.
    above: f64,
    below: f64,
    /// A bit for the place of the digit before the point, and from [`UNIT_AT`] on that place; 0 where the
    /// notation may have an exponent.
    unit: u64,
}

/// The biased exponent of the first row.
const DOUBLE_FIRST: i32 = 1000;

/// Rows of exponents; the last one is zero's.
const DOUBLE_ROWS_HALF: usize = 128;

/// By exponent, then of a fraction that is 0: the float below is only half a step away. All powers of ten
/// in use, and so the half steps, are exact.
static DOUBLE_ROWS: [DoubleRow; 2 * DOUBLE_ROWS_HALF] = {
    let mut rows = [DoubleRow { scale: 0.0, above: 1.0, below: 1.0, unit: 0 }; 256];
    let mut i = 0;
    while i < rows.len() {
        let narrow = i >= DOUBLE_ROWS_HALF;
        let biased = DOUBLE_FIRST + (i % DOUBLE_ROWS_HALF) as i32;
        let q = biased - 1075;
        let k = tens(q, narrow);
        let unit = DOUBLE_BEFORE + 16 + k;
        // Of a normal number `whole` has 15 or 16 digits.
        if i + 1 == rows.len() {
            rows[i].unit = 1 << DOUBLE_BEFORE | (DOUBLE_BEFORE as u64) << UNIT_AT;
        } else if k >= -20 && unit < DOUBLE_PLACES as i32 {
            let scale = POWERS[-(k + 1) as usize] as f64;
            // 2^(q − 1): its bits are an exponent.
            let above = f64::from_bits(((q - 1 + 1023) as u64) << 52) * scale;
            let below = if narrow { above / 2.0 } else { above };
            let unit = 1 << unit | (unit as u64) << UNIT_AT;
            rows[i] = DoubleRow { scale, above, below, unit };
        }
        i += 1;
    }
    rows
};

/// How near to a boundary a fraction may come that is rounded to an `f64`; it is less than 2^−49 off then, and
/// ten times it by ten times as much.
const SURE: f64 = 1.0 / (1u64 << 40) as f64;

/// Four doubles.
struct DoubleQuad {
    /// The first 16 digits of each, as numbers.
    digits: [__m128i; 4],
    /// Of each, the bits of its row and of the 17th digit where it is not 0; that digit from
    /// [`DIGIT_AT`] on; from [`UNIT_AT`] on the row's unit. All 0: there is one that only the plain code does.
    marks: [u64; 4],
}

const DIGIT_AT: i32 = 32;
const UNIT_AT: i32 = 40;

impl DoubleQuad {
    /// # Safety
    /// There are four.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    unsafe fn new(values: *const f64) -> DoubleQuad {
        const ROW: i64 = size_of::<DoubleRow>() as i64;
        const HALF: i64 = DOUBLE_ROWS_HALF as i64;
        let zero = _mm256_setzero_si256();
        // SAFETY: the caller's promise.
        let signed = unsafe { _mm256_loadu_pd(values) };
        let value = _mm256_andnot_pd(_mm256_set1_pd(-0.0), signed);
        let bits = _mm256_castpd_si256(value);
        let is_zero = _mm256_cmpeq_epi64(bits, zero);
        let no_fraction = _mm256_cmpeq_epi64(_mm256_slli_epi64::<12>(bits), zero);
        let exponent = _mm256_srli_epi64::<52>(bits);
        let row = _mm256_sub_epi64(exponent, _mm256_set1_epi64x(i64::from(DOUBLE_FIRST)));
        let row = _mm256_blendv_epi8(row, _mm256_set1_epi64x(HALF - 1), is_zero);
        let outside = _mm256_and_si256(row, _mm256_set1_epi64x(!(HALF - 1)));
        // Row 0 is one of no plain notation.
        let row = _mm256_and_si256(_mm256_cmpeq_epi64(outside, zero), row);
        let further = _mm256_and_si256(no_fraction, _mm256_set1_epi64x(HALF));
        let row = _mm256_slli_epi64::<{ ROW.ilog2() as i32 }>(_mm256_add_epi64(row, further));
        // SAFETY: places of rows, of which there are 256 of 32 bytes.
        let (scale, above, below, units) = unsafe {
            let rows = DOUBLE_ROWS.as_ptr();
            let load = |place: i64| _mm256_load_pd(rows.byte_add(place as usize).cast());
            let a = load(_mm256_extract_epi64::<0>(row));
            let b = load(_mm256_extract_epi64::<1>(row));
            let c = load(_mm256_extract_epi64::<2>(row));
            let d = load(_mm256_extract_epi64::<3>(row));
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (ab_high, cd_high) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            (
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_high, cd_high),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
                _mm256_castpd_si256(_mm256_permute2f128_pd::<0x31>(ab_high, cd_high)),
            )
        };
        let (mut whole, mut last, unsure) = split_doubles(value, scale, above, below);
        let elsewhere = _mm256_movemask_epi8(_mm256_cmpeq_epi64(units, zero)) != 0;
        if unsure != 0 && !elsewhere {
            (whole, last) = split_unsure(signed, whole, last, unsure);
        }
        let (high, low) = halves(whole);
        let (high, low) = (eight(high), eight(low));
        let (even, odd) = (_mm256_unpacklo_epi64(high, low), _mm256_unpackhi_epi64(high, low));
        let bit = _mm256_set1_epi64x(1 << (16 + DOUBLE_BEFORE));
        let bit = _mm256_andnot_si256(_mm256_cmpeq_epi64(last, zero), bit);
        let digit = _mm256_slli_epi64::<DIGIT_AT>(last);
        let marks = _mm256_or_si256(_mm256_or_si256(units, bit), digit);
        let mut quad = DoubleQuad {
            digits: [
                _mm256_castsi256_si128(even),
                _mm256_castsi256_si128(odd),
                _mm256_extracti128_si256::<1>(even),
                _mm256_extracti128_si256::<1>(odd),
            ],
            marks: [0; 4],
        };
        if !elsewhere {
            // SAFETY: there is room for four.
            unsafe { _mm256_storeu_si256(quad.marks.as_mut_ptr().cast(), marks) };
        }
        quad
    }
}

/// Writes four doubles, or returns false and writes nothing if there is one that only the plain code does.
///
/// # Safety
/// They are those of the quad; there is room for them and what follows them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn four_doubles(
    tail: &mut TextTail<'_>,
    separators: &Separators,
    values: *const f64,
    quad: &DoubleQuad,
    column: usize,
) -> bool {
    if quad.marks[0] == 0 {
        return false;
    }
    let zeros = _mm_set1_epi8(b'0' as i8);
    for (i, (lane, mark)) in quad.digits.into_iter().zip(quad.marks).enumerate() {
        let above = _mm_movemask_epi8(_mm_cmpgt_epi8(lane, _mm_setzero_si128())) as u32;
        // SAFETY: the unit is one of 20 places, the first digit not after it, and 32 bytes after that are in
        // the table. At most a sign and 23 bytes; stores reach 33.
        unsafe {
            let unit = (mark >> UNIT_AT) as usize;
            let shown = above << DOUBLE_BEFORE | mark as u32;
            let (first, end) = (shown.trailing_zeros() as usize, 32 - shown.leading_zeros());
            let point = usize::from(shown >> unit > 1);
            let shuffles = DOUBLE_SHUFFLES.as_ptr().cast::<u8>().add(64 * unit + first);
            let text = |at: usize| {
                let shuffle = _mm_loadu_si128(shuffles.add(at).cast());
                _mm_or_si128(_mm_shuffle_epi8(lane, shuffle), zeros)
            };
            tail.word(u64::from(b'-'), ((*values.add(i)).to_bits() >> 63) as usize);
            let to = tail.pointer();
            _mm_storeu_si128(to.cast(), text(0));
            _mm_storeu_si128(to.add(16).cast(), text(16));
            to.add(unit + 1 - first).write(b'.');
            let digit = (mark >> DIGIT_AT) as u8 | b'0';
            to.add(17 + DOUBLE_BEFORE as usize - first).write(digit);
            tail.advance(end as usize - first + point);
            separators.write(tail, column + i);
        }
    }
    true
}

/// [`super::shortest::split_f64`] of four: all digits but the last, as floats, and that, as integers; and a
/// bit for each of which it is not sure.
///
/// The product of a value and its scale is exact in two floats. No end of an interval is a multiple of a
/// power of ten: that is so only from 2^54 on.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn split_doubles(
    value: __m256d,
    scale: __m256d,
    above: __m256d,
    below: __m256d,
) -> (__m256d, __m256i, u32) {
    let one = _mm256_set1_pd(1.0);
    let sign = _mm256_set1_pd(-0.0);
    let product = _mm256_mul_pd(value, scale);
    let lost = _mm256_fmsub_pd(value, scale, product);
    let floor = _mm256_floor_pd(product);
    let rest = _mm256_add_pd(_mm256_sub_pd(product, floor), lost);
    let more = _mm256_floor_pd(rest);
    let (whole, part) = (_mm256_add_pd(floor, more), _mm256_sub_pd(rest, more));
    let end = _mm256_sub_pd(one, above);
    let down = _mm256_cmp_pd::<_CMP_LT_OQ>(part, below);
    let up = _mm256_cmp_pd::<_CMP_GT_OQ>(part, end);
    let ten = _mm256_mul_pd(part, _mm256_set1_pd(10.0));
    let last = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(ten);
    let size = |x: __m256d| _mm256_andnot_pd(sign, x);
    let near_ends = _mm256_min_pd(size(_mm256_sub_pd(part, below)), size(_mm256_sub_pd(part, end)));
    let off = size(_mm256_sub_pd(ten, last));
    let near_middle = _mm256_sub_pd(_mm256_set1_pd(0.5), off);
    let near = _mm256_min_pd(near_ends, near_middle);
    let unsure = _mm256_cmp_pd::<_CMP_LT_OQ>(near, _mm256_set1_pd(SURE));
    let whole = _mm256_add_pd(whole, _mm256_and_pd(up, one));
    let last = _mm256_andnot_pd(_mm256_or_pd(down, up), last);
    (whole, integers(last), _mm256_movemask_pd(unsure) as u32)
}

/// Floats that are whole numbers from 0 to 2^52 as such.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn integers(x: __m256d) -> __m256i {
    let round = _mm256_set1_pd(ROUND);
    _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(x, round)), _mm256_castpd_si256(round))
}

/// The upper and the lower eight digits of whole numbers below 10^16.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn halves(whole: __m256d) -> (__m256i, __m256i) {
    let unit = _mm256_set1_pd(1e8);
    // Off by less than 2.3 · 10⁻⁸; with that added, never too small.
    let quotient = _mm256_fmadd_pd(whole, _mm256_set1_pd(1e-8), _mm256_set1_pd(3e-8));
    let high = _mm256_floor_pd(quotient);
    let low = _mm256_fnmadd_pd(high, unit, whole);
    let much = _mm256_cmp_pd::<_CMP_LT_OQ>(low, _mm256_setzero_pd());
    let high = _mm256_sub_pd(high, _mm256_and_pd(much, _mm256_set1_pd(1.0)));
    let low = _mm256_add_pd(low, _mm256_and_pd(much, unit));
    (integers(high), integers(low))
}

/// Those of which [`split_doubles`] is not sure, anew.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn split_unsure(signed: __m256d, whole: __m256d, last: __m256i, unsure: u32) -> (__m256d, __m256i) {
    let (mut values, mut wholes, mut lasts) = ([0.0; 4], [0.0; 4], [0u64; 4]);
    // SAFETY: each has room for four.
    unsafe {
        _mm256_storeu_pd(values.as_mut_ptr(), signed);
        _mm256_storeu_pd(wholes.as_mut_ptr(), whole);
        _mm256_storeu_si256(lasts.as_mut_ptr().cast(), last);
    }
    for i in (0..4).filter(|i| unsure >> i & 1 == 1) {
        let split = split_f64(values[i]);
        (wholes[i], lasts[i]) = (split.whole as f64, split.last);
    }
    // SAFETY: each has four.
    unsafe { (_mm256_loadu_pd(wholes.as_ptr()), _mm256_loadu_si256(lasts.as_ptr().cast())) }
}
