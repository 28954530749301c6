//! Floats with a fixed number of digits by AVX-512, eight at a time.
//!
//! - Scaling, rounding and digits as in [`super::avx2`], eight values an instruction.
//! - Four numbers with signs, points and what follows each stand in one register with all their
//!   leading zeros; one `vpcompressb` drops everything that is not text. One store for four values,
//!   whatever their lengths, and no branch.
//! - The mask of the bytes to keep: `x | -x` sets all bits above the lowest set one, for the four
//!   lanes of the mask at once in one 64-bit register.

use super::avx2::{BLOCK, plain};
use super::fixed::{LIMIT, ROUND};
use super::format::{DigitStyle, FloatValue};
use super::lanes::{LaneConstants, RowJob};
use super::tail::TextTail;
use std::arch::x86_64::*;

/// Scaled values below this have at most 8 digits when rounded.
const NARROW: f64 = 99_999_999.0;

/// Appends all values of a job, each with what follows it; the separators must not be long.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn rows<V: FloatValue>(out: &mut Vec<u8>, job: &RowJob<'_, V>) {
    // The narrow constants are not used with more digits.
    let narrow =
        (job.fixed.digits <= 7).then(|| LanePlaces::new(LaneConstants::<16>::new(job, 1, 0), job));
    let wide = LanePlaces::new(LaneConstants::<32>::new(job, 1, 0), job);
    let room = BLOCK * job.room();
    let style = DigitStyle::Fixed(job.fixed);
    let mut tail = TextTail::new(out, 0);
    let mut column = 0;
    for block in job.values.chunks(BLOCK) {
        tail.reserve(room);
        let (groups, rest) = block.as_chunks::<8>();
        for group in groups {
            let scaled = ScaledOctet::new(group, job);
            match &narrow {
                Some(places) if scaled.below(NARROW) => {
                    let digits = eight(scaled.rounded::<V>());
                    for part in 0..2 {
                        // SAFETY: the room counts every value of the block with its separator.
                        unsafe {
                            places.write(&mut tail, digits, digits, part, &scaled, &mut column)
                        }
                    }
                }
                _ if scaled.below(LIMIT) => {
                    let (high, low) = halves(scaled.rounded::<V>());
                    let (high, low) = (eight(high), eight(low));
                    for part in 0..4 {
                        // SAFETY: as above.
                        unsafe { wide.write(&mut tail, high, low, part, &scaled, &mut column) }
                    }
                }
                _ => {
                    // SAFETY: as above.
                    tail = unsafe { plain(tail, job, &style, group, room, column) };
                    column = (column + group.len()) % job.columns;
                }
            }
        }
        // SAFETY: as above.
        tail = unsafe { plain(tail, job, &style, rest, room, column) };
    }
    tail.finish();
}

/// Where everything goes in a register of lanes.
#[repr(C, align(64))]
struct LanePlaces<const SIZE: usize> {
    lanes: LaneConstants<SIZE>,
    /// For each byte which byte of the two registers with digits it is, for the first values.
    index: [u8; 64],
    /// The bytes that are digits.
    digits: u64,
    /// The digit before the point of each lane.
    units: u64,
    /// The first byte of each lane.
    firsts: u64,
    columns: usize,
    /// Columns by which each register of lanes moves on.
    step: usize,
}

impl<const SIZE: usize> LanePlaces<SIZE> {
    fn new<V>(lanes: LaneConstants<SIZE>, job: &RowJob<'_, V>) -> Self {
        let count = 64 / SIZE;
        let mut places = LanePlaces {
            index: [0; 64],
            digits: 0,
            units: 0,
            firsts: 0,
            columns: job.columns,
            step: count % job.columns,
            lanes,
        };
        for lane in 0..count {
            for (i, &digit) in places.lanes.digit.iter().enumerate() {
                if digit != 0x80 {
                    // The upper eight of sixteen digits are in the first register.
                    let register = 64 * (digit / 8);
                    places.index[SIZE * lane + i] = register + 8 * lane as u8 + digit % 8;
                    places.digits |= 1 << (SIZE * lane + i);
                }
            }
            places.units |= 1 << (SIZE * lane + places.lanes.unit);
            places.firsts |= 1 << (SIZE * lane);
        }
        places
    }

    /// Writes one register full of values: the `part`-th of the eight.
    ///
    /// # Safety
    /// There is room for them and what follows them.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    unsafe fn write(
        &self,
        tail: &mut TextTail<'_>,
        high: __m512i,
        low: __m512i,
        part: usize,
        scaled: &ScaledOctet,
        column: &mut usize,
    ) {
        let count = 64 / SIZE;
        // SAFETY: the index has 64 bytes; the constants go on for 64 bytes from any column.
        let (index, text) = unsafe {
            (
                _mm512_load_si512(self.index.as_ptr().cast()),
                _mm512_loadu_si512(self.lanes.text.as_ptr().add(*column).cast()),
            )
        };
        let index = _mm512_add_epi8(index, _mm512_set1_epi8((8 * count * part) as i8));
        let digits = match SIZE {
            16 => _mm512_maskz_permutexvar_epi8(self.digits, index, high),
            _ => _mm512_maskz_permutex2var_epi8(self.digits, high, index, low),
        };
        let counts = _mm512_test_epi8_mask(digits, digits) | self.units;
        // In each lane all bits from the lowest set one on. None is empty, so nothing is carried.
        let from = counts | (!counts).wrapping_add(self.firsts);
        // SAFETY: the column is below the number of columns.
        let used = unsafe { *self.lanes.used.get_unchecked(*column) };
        let signs = _pdep_u64(u64::from(scaled.signs) >> (count * part), self.firsts);
        let keep = (from & used) | signs;
        let line = _mm512_maskz_compress_epi8(keep, _mm512_or_si512(digits, text));
        // SAFETY: the slack has 64 bytes; the caller promises the rest.
        unsafe {
            _mm512_storeu_si512(tail.pointer().cast(), line);
            tail.advance(keep.count_ones() as usize);
        }
        *column += self.step;
        if *column >= self.columns {
            *column -= self.columns;
        }
    }
}

/// Eight values times 10^D.
struct ScaledOctet {
    scaled: __m512d,
    /// What rounding the product lost.
    lost: __m512d,
    /// A bit for each sign.
    signs: u8,
}

impl ScaledOctet {
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn new<V: FloatValue>(group: &[V; 8], job: &RowJob<'_, V>) -> ScaledOctet {
        let at = group.as_ptr();
        // SAFETY: a group has eight values; a value is an f32 or an f64.
        let (values, signs) = unsafe {
            if V::SINGLE {
                let singles = _mm256_loadu_ps(at.cast());
                (_mm512_cvtps_pd(singles), _mm256_movemask_ps(singles) as u8)
            } else {
                let values = _mm512_loadu_pd(at.cast());
                (values, _mm512_movepi64_mask(_mm512_castpd_si512(values)))
            }
        };
        let scale = _mm512_set1_pd(job.fixed.scale);
        let positive = _mm512_abs_pd(values);
        let scaled = _mm512_mul_pd(positive, scale);
        let lost = match V::SINGLE {
            true => _mm512_setzero_pd(),
            false => _mm512_fmsub_pd(positive, scale, scaled),
        };
        ScaledOctet { scaled, lost, signs }
    }

    /// All are numbers below the limit.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn below(&self, limit: f64) -> bool {
        _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.scaled, _mm512_set1_pd(limit)) == 0xff
    }

    /// Rounded half to even.
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma"
    )]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
    fn rounded<V: FloatValue>(&self) -> __m512i {
        let round = _mm512_set1_pd(ROUND);
        let sum = _mm512_add_pd(self.scaled, round);
        let number = _mm512_xor_si512(_mm512_castpd_si512(sum), _mm512_castpd_si512(round));
        if V::SINGLE {
            return number;
        }
        // The product as rounded lies on a tie: what it lost decides.
        let diff = _mm512_sub_pd(self.scaled, _mm512_sub_pd(sum, round));
        let (half, zero) = (_mm512_set1_pd(0.5), _mm512_setzero_pd());
        let up = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(diff, half)
            & _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.lost, zero);
        let down = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(diff, _mm512_set1_pd(-0.5))
            & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.lost, zero);
        let one = _mm512_set1_epi64(1);
        let number = _mm512_mask_add_epi64(number, up, number, one);
        _mm512_mask_sub_epi64(number, down, number, one)
    }
}

/// The eight digits of eight numbers below 10⁸; see [`super::digits::eight`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
pub(super) fn eight(x: __m512i) -> __m512i {
    // 2^52 / 10⁴ rounded up: the upper half of the 104-bit product is the quotient.
    let high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, _mm512_set1_epi64(450_359_962_738));
    let low = _mm512_sub_epi64(x, _mm512_mul_epu32(high, _mm512_set1_epi64(10_000)));
    let fours = _mm512_or_si512(high, _mm512_slli_epi64::<32>(low));
    let hundreds = _mm512_srli_epi16::<3>(_mm512_mulhi_epu16(fours, _mm512_set1_epi16(5243)));
    let low = _mm512_sub_epi16(fours, _mm512_mullo_epi16(hundreds, _mm512_set1_epi16(100)));
    let twos = _mm512_or_si512(hundreds, _mm512_slli_epi32::<16>(low));
    let tens = _mm512_mulhi_epu16(twos, _mm512_set1_epi16(6554));
    let low = _mm512_sub_epi16(twos, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
    _mm512_or_si512(tens, _mm512_slli_epi16::<8>(low))
}

/// The upper and the lower eight digits of numbers up to 10¹⁵.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn halves(number: __m512i) -> (__m512i, __m512i) {
    // 2^78 / 10⁸ rounded up; exact below 2^51.
    let product = _mm512_madd52hi_epu64(
        _mm512_setzero_si512(),
        number,
        _mm512_set1_epi64(3_022_314_549_036_573),
    );
    let high = _mm512_srli_epi64::<26>(product);
    let low = _mm512_mul_epu32(high, _mm512_set1_epi64(100_000_000));
    (high, _mm512_sub_epi64(number, low))
}
