//! Lines of floats with a point, `v 0.439019 -0.159939 0.756944`, by AVX-512.
//!
//! Why it is fast (`solio-bench mesh`):
//! * the form of all lines is checked on bits, 64 bytes at once: what stands before and behind
//!   points and signs, and, in the stream of the other bytes, that line looks like line;
//! * the digits alone make a stream without gaps, from which one instruction deals a number's
//!   digits to the end of its eight bytes, for eight numbers at once;
//! * a number of seven digits is exact in an `f32`, and so is the power of ten below it: one
//!   division rounds correctly. With eight digits the same holds in an `f64`; numbers with more,
//!   up to eight before the point and seven behind, are taken one after another.

use super::FloatRow;
use crate::number::parse;
use core::arch::x86_64::*;
use solio_base::cpu::Tier;

/// Text looked at in one go; with what is made of it, it fits the first-level cache.
pub(super) const WINDOW: usize = 4096;

/// Entries of the streams.
const ROOM: usize = WINDOW + 64;

/// Set in a mark that ends a number.
const ENDS: u8 = 0x80;

/// Numbers that are made at once.
const PER_TURN: usize = 32;

/// What a window of text consists of. Only made where the machine has the features.
pub(super) struct FloatWindow {
    /// The bytes that are not part of a number, with [`ENDS`].
    marks: [u8; ROOM],
    /// The digits of all numbers.
    digits: [u8; ROOM],
    /// Where each run of digits starts and ends, in the last eight bits: two runs a number.
    starts: [u8; ROOM],
    ends: [u8; ROOM],
    /// Not 0 for a run with a sign.
    signs: [u8; ROOM],
    /// The line ends among each 64 bytes.
    newlines: [u64; WINDOW / 64],
}

impl Default for FloatWindow {
    fn default() -> Self {
        FloatWindow {
            marks: [0; ROOM],
            digits: [0; ROOM],
            starts: [0; ROOM],
            ends: [0; ROOM],
            signs: [0; ROOM],
            newlines: [0; WINDOW / 64],
        }
    }
}

impl FloatWindow {
    /// A reader where the machine has a kernel for it.
    pub(super) fn on(tier: Tier) -> Option<Box<Self>> {
        (tier == Tier::Avx512 && is_x86_feature_detected!("avx512vbmi2")).then(Box::default)
    }

    /// Takes lines `KEY x y …` of `numbers` floats at the start of `text[..len]`, as long as they
    /// are plain and alike; appends the floats to `out`. Returns the lines and bytes taken, which
    /// may be fewer than there are.
    ///
    /// # Panics
    /// When fewer than 64 bytes follow `len`.
    pub(super) fn take<R: FloatRow>(
        &mut self,
        text: &[u8],
        len: usize,
        key: &[u8],
        numbers: usize,
        most: usize,
        out: &mut Vec<R>,
    ) -> (usize, usize) {
        assert!(numbers.is_multiple_of(R::FLOATS), "whole rows a line");
        let len = len.min(WINDOW);
        assert!(text.len() >= len + 64, "padding after the text");
        // SAFETY: the machine has the features, and 64 bytes follow `len`, at most `WINDOW`.
        let (marks, runs) = unsafe { self.split(text, len) };
        let Some(period) = line_marks(&self.marks[..marks], key, numbers) else { return (0, 0) };
        // SAFETY: the machine has the features.
        let alike = unsafe { self.alike(period, marks) };
        let lines = (alike / period).min(most).min(runs / (2 * numbers));
        out.reserve(lines * numbers / R::FLOATS + PER_TURN);
        // SAFETY: the machine has the features; the window has two runs for each number; room
        // was made. So many rows of floats, and nothing else, were written.
        let lines = unsafe {
            let to = out.as_mut_ptr().add(out.len()).cast();
            let lines = self.convert(lines * numbers, to) / numbers;
            out.set_len(out.len() + lines * numbers / R::FLOATS);
            lines
        };
        (lines, self.end_of(lines))
    }

    /// Bytes of the first `lines` lines.
    fn end_of(&self, mut lines: usize) -> usize {
        for (i, &ends) in self.newlines.iter().enumerate() {
            let here = ends.count_ones() as usize;
            if lines > here {
                lines -= here;
                continue;
            }
            let mut ends = ends;
            for _ in 1..lines {
                ends &= ends - 1;
            }
            return if lines == 0 { 0 } else { 64 * i + ends.trailing_zeros() as usize + 1 };
        }
        0
    }

    /// Makes the streams of `text[..len]` up to the first byte that cannot be part of plain lines;
    /// returns how many marks and ended runs of digits there are.
    ///
    /// # Safety
    /// The machine has the features; 64 bytes follow `len`, which is at most [`WINDOW`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn split(&mut self, text: &[u8], len: usize) -> (usize, usize) {
        const IOTA: [u8; 64] = {
            let mut iota = [0; 64];
            let mut i = 0;
            while i < 64 {
                iota[i] = i as u8;
                i += 1;
            }
            iota
        };
        // SAFETY: 64 bytes are 64 bytes.
        let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
        let (mut marks, mut digits, mut starts, mut ends) = (0, 0, 0, 0);
        // The last bit of each kind among the 64 bytes before.
        let (mut digit_before, mut point_before, mut minus_before) = (0u64, 0u64, 0u64);
        for (block, start) in (0..len).step_by(64).enumerate() {
            // SAFETY: `start < len`, and 64 bytes follow `len`.
            let bytes = unsafe { _mm512_loadu_si512(text.as_ptr().add(start).cast()) };
            let equal = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
            let above = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'0' as i8));
            let digit = _mm512_cmplt_epu8_mask(above, _mm512_set1_epi8(10));
            let (point, minus) = (equal(b'.'), equal(b'-'));
            let word = digit | point | minus;
            let after_digit = digit << 1 | digit_before;
            let after_point = point << 1 | point_before;
            let after_minus = minus << 1 | minus_before;
            let after_word = after_digit | after_point | after_minus;
            let run_end = after_digit & !digit;
            // Runs end with a point, without one, with one, …
            let pointed = _pext_u64(point, run_end);
            let expected = if ends % 2 == 0 { 0x5555_5555_5555_5555 } else { !0 / 3 * 2 };
            let count = run_end.count_ones();
            let odd = _bzhi_u64(pointed ^ expected, count);
            let bad = point & !after_digit
                | after_point & !digit
                | minus & after_word
                | after_minus & !digit
                | _pdep_u64(odd, run_end)
                | _mm512_movepi8_mask(bytes)
                // The length of a run must fit eight bits.
                | u64::from(digit == !0);
            let mut here = if len - start < 64 { (1 << (len - start)) - 1 } else { !0 };
            if bad != 0 {
                here &= (bad & bad.wrapping_neg()) - 1;
            }
            let run_start = digit & !after_digit & here;
            let run_end = run_end & here;
            let mark = !word & here;
            self.newlines[block] = equal(b'\n') & here;
            let at = _mm512_add_epi8(iota, _mm512_set1_epi8(start as i8));
            let flag = _mm512_set1_epi8(ENDS as i8);
            let flagged =
                _mm512_mask_or_epi64(bytes, !0, bytes, _mm512_maskz_mov_epi8(after_word, flag));
            let signs = _mm512_maskz_mov_epi8(after_minus, flag);
            // SAFETY: each stream has at most as many entries as the text so far, at most
            // `start`; and room for 64 more.
            unsafe {
                let put = |stream: &mut [u8; ROOM], count: usize, entries| {
                    _mm512_storeu_si512(stream.as_mut_ptr().add(count).cast(), entries);
                };
                put(&mut self.marks, marks, _mm512_maskz_compress_epi8(mark, flagged));
                put(&mut self.digits, digits, _mm512_maskz_compress_epi8(digit & here, bytes));
                put(&mut self.starts, starts, _mm512_maskz_compress_epi8(run_start, at));
                put(&mut self.signs, starts, _mm512_maskz_compress_epi8(run_start, signs));
                put(&mut self.ends, ends, _mm512_maskz_compress_epi8(run_end, at));
            }
            marks += mark.count_ones() as usize;
            digits += (digit & here).count_ones() as usize;
            starts += run_start.count_ones() as usize;
            ends += run_end.count_ones() as usize;
            if here != !0 {
                self.newlines[block + 1..].fill(0);
                break;
            }
            (digit_before, point_before, minus_before) = (digit >> 63, point >> 63, minus >> 63);
        }
        self.newlines[len.div_ceil(64)..].fill(0);
        (marks, ends)
    }

    /// How many of the first `count` marks repeat the first `period` of them.
    ///
    /// # Safety
    /// The machine has the features.
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    unsafe fn alike(&self, period: usize, count: usize) -> usize {
        for at in (0..count - period).step_by(64) {
            // SAFETY: `at + period < count`, and 64 more entries follow `count`.
            let other = unsafe {
                let marks = self.marks.as_ptr().add(at);
                let next = _mm512_loadu_si512(marks.add(period).cast());
                _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(marks.cast()), next)
            };
            if other != 0 {
                return count.min(period + at + other.trailing_zeros() as usize);
            }
        }
        count
    }

    /// Number `i`, whose digits start at `digits`, with up to eight before the point and seven
    /// behind; and how many it has.
    fn long(&self, i: usize, digits: usize) -> Option<(f32, usize)> {
        let run = |run: usize| usize::from(self.ends[run].wrapping_sub(self.starts[run]));
        let (before, after) = (run(2 * i), run(2 * i + 1));
        if before > 8 || after > 7 {
            return None;
        }
        let word = |at: usize, len: usize| {
            let text = u64::from_le_bytes(*self.digits[at..].first_chunk()?);
            Some(parse::eight(text << (64 - 8 * len)) as f64)
        };
        let power = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7][after];
        // Exact up to the division: fifteen digits.
        let whole = word(digits, before)? * power + word(digits + before, after)?;
        let value = (whole / power) as f32;
        Some((if self.signs[2 * i] == 0 { value } else { -value }, before + after))
    }

    /// Writes the first `count` numbers to `out`, or those before the first that is too long;
    /// returns how many.
    ///
    /// # Safety
    /// The machine has the features; there are two runs of digits for each number, and room for
    /// [`PER_TURN`] numbers more than `count`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn convert(&self, count: usize, out: *mut f32) -> usize {
        const POWERS: [f32; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1.0, 1.0, 1.0, 1.0, 1.0];
        // The places of a number's digits among its eight bytes, by their number.
        const PLACES: [u8; 16] =
            [0, 0x80, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF, 0, 0, 0, 0, 0, 0, 0];
        // SAFETY: the arrays have the loaded lengths.
        let (powers, places) = unsafe {
            let places = _mm_loadu_si128(PLACES.as_ptr().cast());
            (_mm512_loadu_ps(POWERS.as_ptr()), _mm256_broadcastsi128_si256(places))
        };
        let mut digits = 0;
        for first in (0..count).step_by(PER_TURN) {
            // SAFETY: `2 * first + 64` is at most 64 more than there are runs.
            let (starts, ends, signs) = unsafe {
                let load =
                    |stream: &[u8; ROOM]| _mm512_loadu_si512(stream.as_ptr().add(2 * first).cast());
                (load(&self.starts), load(&self.ends), load(&self.signs))
            };
            let lengths = _mm512_sub_epi8(ends, starts);
            let after = _mm512_srli_epi16::<8>(lengths);
            let before = _mm512_and_si512(lengths, _mm512_set1_epi16(0xFF));
            let all = _mm512_add_epi16(before, after);
            let long = _mm512_cmpgt_epi16_mask(all, _mm512_set1_epi16(8));
            let seven = _mm512_cmpgt_epi16_mask(all, _mm512_set1_epi16(7));
            if long != 0 {
                for i in first..count.min(first + PER_TURN) {
                    let Some((value, used)) = self.long(i, digits) else { return i };
                    digits += used;
                    // SAFETY: `i < count`.
                    unsafe { *out.add(i) = value };
                }
                continue;
            }
            let mut masks = [0u64; 4];
            // SAFETY: 32 bytes are 32 bytes.
            unsafe {
                let masks = masks.as_mut_ptr().cast();
                _mm256_storeu_si256(masks, _mm256_shuffle_epi8(places, _mm512_cvtepi16_epi8(all)));
            }
            let mut values = [_mm512_setzero_si512(); 4];
            for (value, mask) in values.iter_mut().zip(masks) {
                // SAFETY: the cursor has passed at most as many digits as the stream has, or, in
                // what is too much, is kept in its bounds.
                let next = unsafe {
                    _mm512_loadu_si512(self.digits.as_ptr().add(digits.min(WINDOW)).cast())
                };
                let dealt = _mm512_maskz_expand_epi8(mask, next);
                let digit = _mm512_and_si512(dealt, _mm512_set1_epi8(15));
                let twos = _mm512_maddubs_epi16(digit, _mm512_set1_epi16(1 << 8 | 10));
                *value = _mm512_madd_epi16(twos, _mm512_set1_epi32(1 << 16 | 100));
                digits += mask.count_ones() as usize;
            }
            for half in 0..2 {
                let fours = _mm512_packus_epi32(values[2 * half], values[2 * half + 1]);
                let eights = _mm512_madd_epi16(fours, _mm512_set1_epi32(1 << 16 | 10000));
                let order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
                let whole = _mm512_permutexvar_epi32(order, eights);
                let wide = |shorts: __m512i| {
                    let shorts = if half == 0 {
                        _mm512_castsi512_si256(shorts)
                    } else {
                        _mm512_extracti64x4_epi64::<1>(shorts)
                    };
                    _mm512_cvtepu16_epi32(shorts)
                };
                let power = _mm512_permutexvar_ps(wide(after), powers);
                let value = if seven == 0 {
                    _mm512_div_ps(_mm512_cvtepi32_ps(whole), power)
                } else {
                    divide_doubles(whole, power)
                };
                let sign = _mm512_slli_epi32::<24>(wide(signs));
                let value = _mm512_or_si512(_mm512_castps_si512(value), sign);
                // SAFETY: `first < count`, and there is room for so many more.
                unsafe { _mm512_storeu_si512(out.add(first + 16 * half).cast(), value) };
            }
        }
        count
    }
}

/// `whole / power`, rounded once to an `f64`, then to an `f32`; see `number::parse`.
#[inline]
#[target_feature(enable = "avx512f")]
fn divide_doubles(whole: __m512i, power: __m512) -> __m512 {
    let half = |whole: __m256i, power: __m256| {
        let value = _mm512_div_pd(_mm512_cvtepi32_pd(whole), _mm512_cvtps_pd(power));
        _mm256_castps_pd(_mm512_cvtpd_ps(value))
    };
    let doubles = _mm512_castps_pd(power);
    let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(doubles));
    let low = half(_mm512_castsi512_si256(whole), _mm512_castps512_ps256(power));
    let high = half(_mm512_extracti64x4_epi64::<1>(whole), high);
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high))
}

/// How many marks a line `KEY x y …` of `numbers` floats has, if the text starts with one.
fn line_marks(marks: &[u8], key: &[u8], numbers: usize) -> Option<usize> {
    let mut rest = marks.strip_prefix(key)?;
    while let (false, Some(more)) = (key.is_empty(), rest.strip_prefix(b" ")) {
        rest = more;
    }
    let (between, end) = rest.split_at_checked(numbers - 1)?;
    let tail = match *end {
        [last, ..] if last == b'\n' | ENDS => 1,
        [first, b'\n', ..] if first == b'\r' | ENDS => 2,
        _ => return None,
    };
    let plain = between.iter().all(|&mark| mark == b' ' | ENDS);
    plain.then(|| marks.len() - end.len() + tail)
}
