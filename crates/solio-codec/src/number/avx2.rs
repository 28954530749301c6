//! Floats with a fixed number of digits by AVX2, four at a time.
//!
//! - Scaling and rounding as in [`super::fixed`], four values an instruction; doubles are exact too,
//!   because FMA gives the product's error and only a tie needs it.
//! - The digits of four numbers come from one chain of 11 instructions, without a division.
//! - Leading zeros, sign, point and separator: one shuffle and one store a value, picked by a table
//!   with the mask of non-zero digits.

use super::fixed::{LIMIT, ROUND};
use super::format::{Style, Value};
use super::lanes::{Job, Lanes};
use super::tail::Tail;
use std::arch::x86_64::*;

/// Values for which room is reserved at a time.
pub(super) const BLOCK: usize = 256;

/// Scaled values below this have at most 8 digits when rounded.
pub(super) const NARROW: f64 = 99_999_999.0;

/// By the mask of non-zero digits (bits 0 to 6; one of them is set) and the sign (bit 7): the shuffle
/// that drops leading zeros and puts the sign (byte 15 of a lane) in front.
static SHUFFLES: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut m = 0usize;
    while m < 256 {
        let negative = m >> 7;
        let start = ((m & 0x7f) | 0x80).trailing_zeros() as usize;
        let mut k = 0;
        while k < 16 {
            let from = start + k;
            table[m][k] =
                if k < negative || from - negative > 15 { 15 } else { (from - negative) as u8 };
            k += 1;
        }
        m += 1;
    }
    table
};

/// By the same index: 8 + bytes of sign − leading zeros.
static LENGTHS: [u8; 256] = {
    let mut table = [0; 256];
    let mut m = 0usize;
    while m < 256 {
        table[m] = (8 + (m >> 7) - ((m & 0x7f) | 0x80).trailing_zeros() as usize) as u8;
        m += 1;
    }
    table
};

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
pub(super) fn rows<V: Value>(out: &mut Vec<u8>, job: &Job<'_, V>) {
    let narrow = job.fixed.digits <= 7;
    // The narrow constants are not used with more digits.
    let lanes = narrow.then(|| Lanes::<16>::new(job, 0, 15));
    let room = BLOCK * job.room();
    let mut tail = Tail::new(out, 0);
    let mut column = 0;
    for block in job.values.chunks(BLOCK) {
        tail.reserve(room);
        let (groups, rest) = block.as_chunks::<4>();
        for group in groups {
            let scaled = Scaled::new(group, job);
            match &lanes {
                // SAFETY: the room counts every value of the block with its separator.
                Some(lanes) if scaled.below(NARROW) => unsafe {
                    narrow_four(&mut tail, job, lanes, &scaled, &mut column);
                },
                // SAFETY: as above.
                _ if scaled.below(LIMIT) => unsafe {
                    wide_four(&mut tail, job, &scaled, &mut column);
                },
                // SAFETY: as above.
                _ => unsafe { tail = plain(tail, job, group, room, &mut column) },
            }
        }
        // SAFETY: as above.
        tail = unsafe { plain(tail, job, rest, room, &mut column) };
    }
    tail.finish();
}

/// Values one by one.
///
/// # Safety
/// There is room for them.
pub(super) unsafe fn plain<'a, V: Value>(
    mut tail: Tail<'a>,
    job: &Job<'_, V>,
    values: &[V],
    room: usize,
    column: &mut usize,
) -> Tail<'a> {
    let style = Style::Fixed(job.fixed);
    for value in values {
        // SAFETY: passed on; after a value put aside there is room for a block again.
        unsafe {
            if !value.write(&mut tail, &style) {
                tail = tail.aside(room, |out| value.push_aside(out, &style));
            }
            separate(&mut tail, job, column);
        }
    }
    tail
}

/// What follows the value of a column.
///
/// # Safety
/// There is room for it.
#[inline(always)]
unsafe fn separate<V>(tail: &mut Tail<'_>, job: &Job<'_, V>, column: &mut usize) {
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
struct Scaled {
    scaled: __m256d,
    /// What rounding the product lost.
    lost: __m256d,
    /// A bit for each sign.
    signs: u32,
}

impl Scaled {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn new<V: Value>(group: &[V; 4], job: &Job<'_, V>) -> Scaled {
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
        Scaled { scaled, lost, signs: _mm256_movemask_pd(values) as u32 }
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
    fn rounded<V: Value>(&self) -> __m256i {
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

/// Four values of at most eight digits.
///
/// # Safety
/// There is room for them and what follows them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn narrow_four<V: Value>(
    tail: &mut Tail<'_>,
    job: &Job<'_, V>,
    lanes: &Lanes<16>,
    scaled: &Scaled,
    column: &mut usize,
) {
    let digits = eight(scaled.rounded::<V>());
    let zeros = _mm256_movemask_epi8(_mm256_cmpeq_epi8(digits, _mm256_setzero_si256())) as u32;
    let unit = 0x0101_0101 << lanes.unit;
    // Bit 7 of each byte is the last digit, which never decides: the sign takes its place.
    let masks = (!zeros & 0x7f7f_7f7f) | unit | _pdep_u32(scaled.signs, 0x8080_8080);
    let mut at = *column;
    // SAFETY: the tables have 16 bytes; `at` is below the number of columns and the constants go on
    // for 4 entries; a lane's store of 16 bytes is within the slack.
    unsafe {
        let place = _mm256_broadcastsi128_si256(_mm_loadu_si128(lanes.digit.as_ptr().cast()));
        let pairs = [
            _mm256_permute4x64_epi64::<0b01_01_00_00>(digits),
            _mm256_permute4x64_epi64::<0b11_11_10_10>(digits),
        ];
        for (pair, digits) in pairs.into_iter().enumerate() {
            let constant = _mm256_loadu_si256(lanes.text.as_ptr().add(*column + 2 * pair).cast());
            let text = _mm256_or_si256(_mm256_shuffle_epi8(digits, place), constant);
            for (k, lane) in [_mm256_castsi256_si128(text), _mm256_extracti128_si256::<1>(text)]
                .into_iter()
                .enumerate()
            {
                let mask = (masks >> (16 * pair + 8 * k)) as u8 as usize;
                let shuffle = _mm_loadu_si128(SHUFFLES.as_ptr().add(mask).cast());
                _mm_storeu_si128(tail.pointer().cast(), _mm_shuffle_epi8(lane, shuffle));
                let len = lanes.lens.get_unchecked(*column + 2 * pair + k);
                tail.advance(*len + usize::from(LENGTHS[mask]) - 8);
                at += 1;
                if at == job.columns {
                    at = 0;
                    if job.long {
                        tail.slice(job.between);
                    }
                }
            }
        }
    }
    *column = at;
}

/// Four values of at most sixteen digits.
///
/// # Safety
/// There is room for them and what follows them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
unsafe fn wide_four<V: Value>(
    tail: &mut Tail<'_>,
    job: &Job<'_, V>,
    scaled: &Scaled,
    column: &mut usize,
) {
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
            separate(tail, job, column);
        }
    }
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
