//! Many numbers between blanks, as in the arrays of pbrt: `0.25 -1 17.03 4`.
//!
//! Why it is fast (meshes of pbrt, numbers of one to eleven bytes: 818 MB of text a second on one
//! core, 628 number by number):
//! * where numbers begin and end is found for 64 bytes at once, so that no number waits for the
//!   length of the one before, and nothing is foretold about lengths;
//! * the digits of a number move to the end of 16 bytes, the point drops out on the way, and three
//!   multiplications make them one integer: no branch on digits or point;
//! * the rest is as in `parse.rs`, whose functions take what is not plain.

use super::parse::{f32_prefix, i64_prefix};
use solio_base::cpu::Tier;

/// A number that runs are made of.
pub trait Number: Copy {
    /// The number at the start of `text`, and how many bytes it has.
    fn prefix(text: &[u8]) -> Option<(Self, usize)>;
    /// The number of these at most 15 digits, so many of them behind a point if there is one;
    /// `None` where that takes a closer look.
    fn plain(digits: u64, has_point: bool, after: usize, negative: bool) -> Option<Self>;
}

impl Number for f32 {
    #[inline(always)]
    fn prefix(text: &[u8]) -> Option<(f32, usize)> {
        f32_prefix(text)
    }

    #[inline(always)]
    fn plain(digits: u64, _: bool, after: usize, negative: bool) -> Option<f32> {
        super::parse::single(digits, after, negative)
    }
}

impl Number for i32 {
    #[inline(always)]
    fn prefix(text: &[u8]) -> Option<(i32, usize)> {
        let (value, length) = i64_prefix(text)?;
        Some((value.try_into().ok()?, length))
    }

    #[inline(always)]
    fn plain(digits: u64, has_point: bool, _: usize, negative: bool) -> Option<i32> {
        let value = if negative { -(digits as i64) } else { digits as i64 };
        value.try_into().ok().filter(|_| !has_point)
    }
}

/// Appends the numbers at the start of `text`, which are apart by blanks (space, tab, line ends), and
/// says how many bytes they take, with the blanks before them. It ends where something else
/// stands, before a number that is followed by anything but a blank, a quote or a bracket, and
/// before one that does not fit its type.
pub fn run<N: Number>(text: &[u8], out: &mut Vec<N>) -> usize {
    run_on(solio_base::cpu::tier(), text, out)
}

/// [`run`] on a tier.
pub fn run_on<N: Number>(tier: Tier, text: &[u8], out: &mut Vec<N>) -> usize {
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if tier >= Tier::Avx2 && tier != Tier::Neon {
        // SAFETY: a tier is never one that the machine lacks.
        let (until, ended) = unsafe { avx2::run(text, out) };
        if ended {
            return until;
        }
        done = until;
    }
    let _ = tier;
    while let Some((value, end)) = one(text, done) {
        out.push(value);
        done = end;
    }
    done
}

/// The number after the blanks at `at`, and where it ends.
#[inline(always)]
fn one<N: Number>(text: &[u8], mut at: usize) -> Option<(N, usize)> {
    while text.get(at).copied().is_some_and(is_blank) {
        at += 1;
    }
    let rest = &text[at..];
    if !begins_number(rest) {
        return None;
    }
    let (value, length) = N::prefix(rest)?;
    rest.get(length).is_none_or(|byte| ends_number(*byte)).then_some((value, at + length))
}

#[inline(always)]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

#[inline(always)]
fn ends_number(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'"' | b'[' | b']')
}

/// Whether a number begins here: a digit, perhaps after a sign and a point.
#[inline(always)]
fn begins_number(text: &[u8]) -> bool {
    let signed = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    matches!(text.get(signed), Some(b'0'..=b'9' | b'.'))
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Number, ends_number, one};
    use std::arch::x86_64::*;

    /// Bytes looked at together, and what may be loaded behind them.
    const BLOCK: usize = 64;
    const BEHIND: usize = 32;

    /// Where the run of plain numbers ends, and whether the whole run does.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run<N: Number>(text: &[u8], out: &mut Vec<N>) -> (usize, bool) {
        let mut done = 0;
        // The beginning of a number that goes on from the block before.
        let mut open = None;
        let mut block = 0;
        while block + BLOCK + BEHIND <= text.len() {
            let (numbers, blanks) = classes(&text[block..]);
            let stop = !(numbers | blanks);
            // Up to the first byte that is neither.
            let before_stop = stop.wrapping_sub(1) & !stop;
            let numbers = numbers & before_stop;
            let after_number = numbers << 1 | u64::from(open.is_some());
            let mut starts = numbers & !after_number;
            let mut ends = after_number & !numbers & (before_stop | stop & stop.wrapping_neg());
            while ends != 0 {
                let end = block + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let start = open.take().unwrap_or_else(|| {
                    let start = block + starts.trailing_zeros() as usize;
                    starts &= starts - 1;
                    start
                });
                if let Some(value) = plain(text, start, end)
                    && ends_number(text[end])
                {
                    out.push(value);
                } else {
                    match one(text, start) {
                        Some((value, until)) if until == end => out.push(value),
                        _ => return (done, true),
                    }
                }
                done = end;
            }
            if stop != 0 {
                return (done, true);
            }
            if starts != 0 {
                open = Some(block + starts.trailing_zeros() as usize);
            }
            block += BLOCK;
        }
        (done, false)
    }

    /// Which of 64 bytes numbers are made of, and which are blanks.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn classes(text: &[u8]) -> (u64, u64) {
        let (mut numbers, mut blanks) = (0, 0);
        for (i, half) in text[..BLOCK].as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 bytes are there, and the load needs no alignment.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
            let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
            let or = |a, b| _mm256_or_si256(a, b);
            let digits = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
            let digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(9)), digits);
            let lower = or(bytes, _mm256_set1_epi8(0x20));
            let exponent = _mm256_cmpeq_epi8(lower, _mm256_set1_epi8(b'e' as i8));
            let number = or(or(digit, exponent), or(is(b'.'), or(is(b'-'), is(b'+'))));
            let blank = or(or(is(b' '), is(b'\n')), or(is(b'\t'), is(b'\r')));
            numbers |= u64::from(_mm256_movemask_epi8(number) as u32) << (32 * i);
            blanks |= u64::from(_mm256_movemask_epi8(blank) as u32) << (32 * i);
        }
        (opaque(numbers), opaque(blanks))
    }

    /// The compiler knows that these are bits of vectors, and would take them apart one by one to
    /// compute with vectors.
    #[inline(always)]
    fn opaque(mut bits: u64) -> u64 {
        // SAFETY: no instruction.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) bits, options(nomem, nostack, preserves_flags));
        }
        bits
    }

    /// The number of `text[start..end]`, if it is a plain one.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn plain<N: Number>(text: &[u8], start: usize, end: usize) -> Option<N> {
        let negative = text[start] == b'-';
        let start = start + usize::from(negative);
        let length = end - start;
        let bytes: &[u8; 16] = text.get(start..)?.first_chunk()?;
        // SAFETY: 16 bytes are there, and the load needs no alignment.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        let digits = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8));
        let digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        let point = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.' as i8));
        if length > 16 {
            return None;
        }
        let within = (1u32 << length) - 1;
        let points = _mm_movemask_epi8(point) as u32 & within;
        let digit = _mm_movemask_epi8(digit) as u32 & within;
        let count = digit.count_ones();
        // One point at most, and nothing else beside 1 to 15 digits.
        if digit | points != within
            || points & points.wrapping_sub(1) != 0
            || count.wrapping_sub(1) > 14
        {
            return None;
        }
        let before = (points | 1 << length).trailing_zeros();
        // Place `i` of the result takes digit `i - (16 - count)`, one later behind the point; places
        // before the first are negative, which makes them zero.
        let places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let places = _mm_sub_epi8(places, _mm_set1_epi8(16 - count as i8));
        let behind = _mm_cmpgt_epi8(places, _mm_set1_epi8(before as i8 - 1));
        let aligned = _mm_shuffle_epi8(digits, _mm_sub_epi8(places, behind));
        // Pairs, fours, eights.
        let twos = _mm_maddubs_epi16(aligned, _mm_set1_epi16(10 | 1 << 8));
        let fours = _mm_madd_epi16(twos, _mm_set1_epi32(100 | 1 << 16));
        let fours = _mm_packus_epi32(fours, fours);
        let eights = _mm_madd_epi16(fours, _mm_set1_epi32(10_000 | 1 << 16));
        let eights = _mm_cvtsi128_si64(eights) as u64;
        let digits = (eights & 0xffff_ffff) * 100_000_000 + (eights >> 32);
        let after = (count - before.min(count)) as usize;
        N::plain(digits, points != 0, after, negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use solio_base::cpu::available;

    /// Every tier gives what reading number by number gives.
    fn check(text: &[u8]) {
        let mut floats = Vec::new();
        let until = run_on::<f32>(Tier::Scalar, text, &mut floats);
        let mut integers = Vec::new();
        let whole = run_on::<i32>(Tier::Scalar, text, &mut integers);
        for tier in available() {
            let mut found = Vec::new();
            assert_eq!(run_on::<f32>(tier, text, &mut found), until, "{tier:?}");
            let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&floats), "{tier:?}");
            let mut found = Vec::new();
            assert_eq!(run_on::<i32>(tier, text, &mut found), whole, "{tier:?}");
            assert_eq!(found, integers, "{tier:?}");
        }
    }

    #[test]
    fn usual_runs() {
        let text =
            b" 0.25 -1 17.03\n4 .5 5. -0 1e3 123456789012345 1234567890123456 0.1234567890123 \
            3.4028235e38 1e-45 -.25]";
        let padded = [&text[..], &[b' '; 200]].concat();
        for text in [&text[..], &padded] {
            let mut found = Vec::new();
            let until = run::<f32>(text, &mut found);
            assert_eq!(text[until], b']');
            let words = std::str::from_utf8(&text[..until]).unwrap().split_whitespace();
            let expected: Vec<f32> = words.map(|word| word.parse().unwrap()).collect();
            assert_eq!(found, expected);
            check(text);
        }
        let mut found = Vec::new();
        assert_eq!(
            run::<i32>(&[&b"7 -8 2147483647 2147483648 9"[..], &[b' '; 100]].concat(), &mut found),
            15
        );
        assert_eq!(found, [7, -8, i32::MAX]);
    }

    proptest! {
        #[test]
        fn all_tiers_agree(
            words in prop::collection::vec(
                prop_oneof![
                    8 => "-?[0-9]{0,9}\\.?[0-9]{0,9}",
                    2 => "[-+0-9.eE]{1,24}",
                    1 => "[a-z\\[\\]\"#]{1,3}",
                ], 0..60),
            blanks in prop::collection::vec("[ \n\t\r]{0,3}", 60),
        ) {
            let text: String = words.iter().zip(&blanks).map(|(w, b)| format!("{w} {b}")).collect();
            check(text.as_bytes());
        }

        #[test]
        fn floats_come_back(values in prop::collection::vec(-1e6f32..1e6, 1..60)) {
            let text: String = values.iter().map(|v| format!("{v} ")).collect();
            let mut found = Vec::new();
            prop_assert_eq!(run::<f32>(text.as_bytes(), &mut found), text.len() - 1);
            prop_assert_eq!(found, values);
        }
    }
}
