//! Floats with a fixed number of digits by AVX2, four at a time.
//!
//! - Scaling and rounding as in [`super::fixed`], four values an instruction; doubles are exact too,
//!   because FMA gives the product's error and only a tie needs it.
//! - Short numbers: what stands before the point is looked up in the tables of [`super::fixed`]; the
//!   point, the digits behind it and the first byte of what follows are made for four at once, and stored
//!   as a word each.
//! - Longer ones: their digits come from one chain of instructions for four, without a division.

use super::digits::{MINUS, ZEROS};
use super::fixed::{LIMIT, MILLION, ROUND, write_whole};
use super::format::{DigitStyle, FloatValue};
use super::lanes::{ENTRIES, RowJob, Separators};
use super::tail::TextTail;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Values for which room is reserved at a time.
pub(super) const BLOCK: usize = 256;

/// Shuffles that drop that many bytes from the start.
static DROP: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        table[i] = i as u8;
        i += 1;
    }
    table
};

/// Appends all values of a job, each with what follows it.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows<V: FloatValue>(out: &mut Vec<u8>, job: &RowJob<'_, V>) {
    // Below this the rounded number is below the limit, which may be 0.
    let short = job.fixed.short as f64 - 1.0;
    let style = DigitStyle::Fixed(job.fixed);
    let separators = Separators::new(job);
    let behind = separators.behind(job.fixed.tail.min(7));
    let room = BLOCK * job.room();
    let mut tail = TextTail::new(out, 0);
    let mut column = 0;
    for block in job.values.chunks(BLOCK) {
        tail.reserve(room);
        let (groups, rest) = block.as_chunks::<4>();
        for group in groups {
            let scaled = ScaledQuad::new(group, job);
            // SAFETY: the room counts every value of the block with its separator.
            unsafe {
                if scaled.below(short) {
                    short_four(&mut tail, job, (&separators, &behind), &scaled, column);
                } else if scaled.below(LIMIT) {
                    tail = wide_four(tail, job, &scaled, column);
                } else {
                    tail = plain(tail, job, &style, group, room, column);
                }
            }
            column += separators.step;
            if column >= job.columns {
                column -= job.columns;
            }
        }
        // SAFETY: as above.
        tail = unsafe { plain(tail, job, &style, rest, room, column) };
    }
    tail.finish();
}

/// Values one by one. The tail goes by value through what is not inlined, so that it stays in
/// registers in the callers' loops.
///
/// # Safety
/// There is room for them.
pub(super) unsafe fn plain<'a, V: FloatValue, F>(
    mut tail: TextTail<'a>,
    job: &RowJob<'_, V, F>,
    style: &DigitStyle,
    values: &[V],
    room: usize,
    mut column: usize,
) -> TextTail<'a> {
    for value in values {
        // SAFETY: passed on; after a value put aside there is room for a block again.
        unsafe {
            if !value.write(&mut tail, style) {
                tail = tail.aside(room, |out| value.push_aside(out, style));
            }
            separate(&mut tail, job, &mut column);
        }
    }
    tail
}

/// What follows the value of a column.
///
/// # Safety
/// There is room for it.
#[inline(always)]
unsafe fn separate<V, F>(tail: &mut TextTail<'_>, job: &RowJob<'_, V, F>, column: &mut usize) {
    *column += 1;
    // SAFETY: passed on.
    unsafe {
        if *column == job.columns {
            *column = 0;
            match job.short {
                Some(short) => tail.word(short.word, short.len),
                None => tail.slice(job.between),
            }
        } else {
            tail.word(u64::from(b' '), 1);
        }
    }
}

/// Four values times 10^D.
struct ScaledQuad {
    /// The values themselves.
    values: __m256d,
    /// Without signs.
    scaled: __m256d,
    /// What rounding the product lost.
    lost: __m256d,
    /// A bit for each sign.
    signs: u32,
}

impl ScaledQuad {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn new<V: FloatValue>(group: &[V; 4], job: &RowJob<'_, V>) -> ScaledQuad {
        let at = group.as_ptr();
        // SAFETY: a group has four values; a value is an f32 or an f64.
        let values = unsafe {
            match V::SINGLE {
                true => _mm256_cvtps_pd(_mm_loadu_ps(at.cast())),
                false => _mm256_loadu_pd(at.cast()),
            }
        };
        let scale = _mm256_set1_pd(job.fixed.scale);
        let positive = _mm256_andnot_pd(_mm256_set1_pd(-0.0), values);
        let scaled = _mm256_mul_pd(positive, scale);
        let lost = match V::SINGLE {
            true => _mm256_setzero_pd(),
            false => _mm256_fmsub_pd(positive, scale, scaled),
        };
        ScaledQuad { values, scaled, lost, signs: _mm256_movemask_pd(values) as u32 }
    }

    /// All are numbers below the limit.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn below(&self, limit: f64) -> bool {
        let mask = _mm256_cmp_pd::<_CMP_LT_OQ>(self.scaled, _mm256_set1_pd(limit));
        _mm256_movemask_pd(mask) == 15
    }

    /// Rounded half to even.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn rounded<V: FloatValue>(&self) -> __m256i {
        let sum = _mm256_add_pd(self.scaled, _mm256_set1_pd(ROUND));
        let number = _mm256_and_si256(_mm256_castpd_si256(sum), _mm256_set1_epi64x((1 << 52) - 1));
        if V::SINGLE {
            return number;
        }
        // The product as rounded lies on a tie: what it lost decides.
        let diff = _mm256_sub_pd(self.scaled, _mm256_sub_pd(sum, _mm256_set1_pd(ROUND)));
        let zero = _mm256_setzero_pd();
        let up = _mm256_and_pd(
            _mm256_cmp_pd::<_CMP_EQ_OQ>(diff, _mm256_set1_pd(0.5)),
            _mm256_cmp_pd::<_CMP_GT_OQ>(self.lost, zero),
        );
        let down = _mm256_and_pd(
            _mm256_cmp_pd::<_CMP_EQ_OQ>(diff, _mm256_set1_pd(-0.5)),
            _mm256_cmp_pd::<_CMP_LT_OQ>(self.lost, zero),
        );
        // A mask is −1.
        let number = _mm256_sub_epi64(number, _mm256_castpd_si256(up));
        _mm256_add_epi64(number, _mm256_castpd_si256(down))
    }
}

/// The eight digits of four numbers below 10⁸; see [`super::digits::eight`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn eight(x: __m256i) -> __m256i {
    let high = _mm256_srli_epi64::<40>(_mm256_mul_epu32(x, _mm256_set1_epi64x(109_951_163)));
    let low = _mm256_sub_epi64(x, _mm256_mul_epu32(high, _mm256_set1_epi64x(10_000)));
    let fours = _mm256_or_si256(high, _mm256_slli_epi64::<32>(low));
    let hundreds = _mm256_srli_epi16::<3>(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(5243)));
    let low = _mm256_sub_epi16(fours, _mm256_mullo_epi16(hundreds, _mm256_set1_epi16(100)));
    let twos = _mm256_or_si256(hundreds, _mm256_slli_epi32::<16>(low));
    let tens = _mm256_mulhi_epu16(twos, _mm256_set1_epi16(6554));
    let low = _mm256_sub_epi16(twos, _mm256_mullo_epi16(tens, _mm256_set1_epi16(10)));
    _mm256_or_si256(tens, _mm256_slli_epi16::<8>(low))
}

/// What stands before the point of four numbers: places in a table.
#[repr(C, align(32))]
struct QuadWholes([usize; 4]);

/// Four values with at most three digits before the point and six after it.
///
/// # Safety
/// There is room for them and what follows them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn short_four<V: FloatValue>(
    tail: &mut TextTail<'_>,
    job: &RowJob<'_, V>,
    (separators, behind): (&Separators, &[u64; ENTRIES]),
    scaled: &ScaledQuad,
    column: usize,
) {
    let pad = _mm256_set1_epi64x(i64::from(job.fixed.pad));
    let number = _mm256_mul_epu32(scaled.rounded::<V>(), pad);
    let by_million = _mm256_mul_epu32(number, _mm256_set1_epi64x(MILLION.0 as i64));
    let whole = _mm256_srli_epi64::<{ MILLION.1 }>(by_million);
    let rest = _mm256_sub_epi64(number, _mm256_mul_epu32(whole, _mm256_set1_epi64x(1_000_000)));
    // Of the eight digits the first two are 0: the point takes the place of the second.
    let point = _mm256_set1_epi64x((ZEROS << 8 >> 8 ^ u64::from(b'0' ^ b'.')) as i64);
    let digits = _mm256_or_si256(_mm256_srli_epi64::<8>(eight(rest)), point);
    let wanted = _mm256_set1_epi64x(((1u64 << (8 * job.fixed.tail)) - 1) as i64);
    let minus = _mm256_srli_epi64::<63>(_mm256_castpd_si256(scaled.values));
    let whole = _mm256_or_si256(whole, _mm256_slli_epi64::<{ MINUS.ilog2() as i32 }>(minus));
    let mut wholes = MaybeUninit::<QuadWholes>::uninit();
    // SAFETY: four places, all within the table as in `FixedParts::new`; the column is below the number of
    // columns and both lists go on for 4 entries; words are within the slack.
    unsafe {
        let first = _mm256_loadu_si256(behind.as_ptr().add(column).cast());
        let text = _mm256_or_si256(_mm256_and_si256(digits, wanted), first);
        _mm256_store_si256(wholes.as_mut_ptr().cast(), whole);
        let pairs = [_mm256_castsi256_si128(text), _mm256_extracti128_si256::<1>(text)];
        for k in 0..4 {
            // Volatile, as loads are cheaper here than taking registers apart.
            write_whole(tail, wholes.as_ptr().cast::<usize>().add(k).read_volatile());
            let pair = _mm_castsi128_pd(pairs[k / 2]);
            let to = tail.pointer().cast();
            if k % 2 == 0 {
                _mm_storel_pd(to, pair)
            } else {
                _mm_storeh_pd(to, pair)
            }
            tail.advance(job.fixed.tail + 1);
            separators.write_rest(tail, column + k);
        }
    }
}

/// Four values of at most sixteen digits.
///
/// # Safety
/// There is room for them and what follows them.
#[inline(never)] // it would take the registers of the short numbers
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn wide_four<'a, V: FloatValue>(
    mut tail: TextTail<'a>,
    job: &RowJob<'_, V>,
    scaled: &ScaledQuad,
    mut column: usize,
) -> TextTail<'a> {
    let (high, low) = halves(scaled.rounded::<V>());
    let (high, low) = (eight(high), eight(low));
    let (even, odd) = (_mm256_unpacklo_epi64(high, low), _mm256_unpackhi_epi64(high, low));
    let whole = 16 - job.fixed.digits;
    // SAFETY: DROP is read at up to 15 and at `whole - 1`, which is 0 to 14, as there are 1 to 15
    // digits; the stores are within the slack.
    unsafe {
        // The point and the digits behind it: drop all but one of the others, then overwrite it.
        let after = _mm_loadu_si128(DROP.as_ptr().add(whole - 1).cast());
        let zeros = _mm_set1_epi8(b'0' as i8);
        let base = _mm_insert_epi8::<0>(zeros, b'.' as i32);
        let keep = _mm_insert_epi8::<0>(_mm_set1_epi8(-1), 0);
        let values = [
            _mm256_castsi256_si128(even),
            _mm256_castsi256_si128(odd),
            _mm256_extracti128_si256::<1>(even),
            _mm256_extracti128_si256::<1>(odd),
        ];
        for (k, digits) in values.into_iter().enumerate() {
            let empty = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128())) as u32;
            let start = (!empty | 1 << (whole - 1)).trailing_zeros() as usize;
            tail.word(u64::from(b'-'), (scaled.signs >> k & 1) as usize);
            let drop = _mm_loadu_si128(DROP.as_ptr().add(start).cast());
            let front = _mm_or_si128(_mm_shuffle_epi8(digits, drop), zeros);
            _mm_storeu_si128(tail.pointer().cast(), front);
            tail.advance(whole - start);
            let behind = _mm_and_si128(_mm_shuffle_epi8(digits, after), keep);
            _mm_storeu_si128(tail.pointer().cast(), _mm_or_si128(behind, base));
            tail.advance(1 + job.fixed.digits);
            separate(&mut tail, job, &mut column);
        }
    }
    tail
}

/// The upper and the lower eight digits of numbers up to 10¹⁵.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn halves(number: __m256i) -> (__m256i, __m256i) {
    let round = _mm256_set1_pd(ROUND);
    let bits = _mm256_castpd_si256(round);
    let whole = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(number, bits)), round);
    // Quotients lie 10⁻⁸ apart and are off by less than 2.1 · 10⁻⁹, so with half a step added none
    // falls below its integer or reaches the next.
    let quotient = _mm256_fmadd_pd(whole, _mm256_set1_pd(1e-8), _mm256_set1_pd(5e-9));
    let sum = _mm256_add_pd(_mm256_floor_pd(quotient), round);
    let high = _mm256_xor_si256(_mm256_castpd_si256(sum), bits);
    let low = _mm256_mul_epu32(high, _mm256_set1_epi64x(100_000_000));
    (high, _mm256_sub_epi64(number, low))
}
