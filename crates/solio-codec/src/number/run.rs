//! Many numbers between blanks, as in the arrays of pbrt: `0.25 -1 17.03 4`.
//!
//! Number by number here; `run_avx2.rs` is the fast twin.

use super::parse::{f32_prefix, i64_prefix};
use solio_base::cpu::Tier;

/// A number that runs are made of.
///
/// ```
/// use solio_codec::number::run::{RunNumber, run};
/// /// The numbers between two brackets.
/// fn list<N: RunNumber>(text: &[u8]) -> Option<Vec<N>> {
///     let mut numbers = Vec::new();
///     let end = run(text, 1, &mut numbers);
///     (text.first() == Some(&b'[') && text.get(end) == Some(&b']')).then_some(numbers)
/// }
/// assert_eq!(list::<i32>(b"[0 1 2]"), Some(vec![0, 1, 2]));
/// assert_eq!(list::<f32>(b"[.5 1e1]"), Some(vec![0.5, 10.0]));
/// assert_eq!(list::<i32>(b"[0 1.5]"), None);
/// ```
pub trait RunNumber: Copy {
    /// Whether it is a float; else it is an integer of 32 bits.
    const IS_FLOAT: bool;
    /// The number at the start of `text`, and how many bytes it has.
    ///
    /// ```
    /// use solio_codec::number::run::RunNumber;
    /// assert_eq!(f32::prefix(b"17.03 4"), Some((17.03, 5)));
    /// // Of the same text an integer takes what is before the point.
    /// assert_eq!(i32::prefix(b"17.03 4"), Some((17, 2)));
    /// assert_eq!(i32::prefix(b"2147483648"), None);
    /// ```
    fn prefix(text: &[u8]) -> Option<(Self, usize)>;
}

impl RunNumber for f32 {
    const IS_FLOAT: bool = true;

    #[inline(always)]
    fn prefix(text: &[u8]) -> Option<(f32, usize)> {
        f32_prefix(text)
    }
}

impl RunNumber for i32 {
    const IS_FLOAT: bool = false;

    #[inline(always)]
    fn prefix(text: &[u8]) -> Option<(i32, usize)> {
        let (value, length) = i64_prefix(text)?;
        Some((value.try_into().ok()?, length))
    }
}

/// Appends the numbers of `text` from `at` on, where a number or a blank begins; they are apart by
/// blanks (space, tab, line ends). Says where the last one ends. A run ends where something else
/// stands, before a number that is followed by anything but a blank, a quote or a bracket, and
/// before one that does not fit its type.
///
/// ```
/// use solio_codec::number::run::run;
/// let text = b"\"point3 P\" [0 0 0  1.5 -2 1e-1] \"integer indices\" [0 1 2]";
/// let mut points: Vec<f32> = Vec::new();
/// let end = run(text, 12, &mut points);
/// assert_eq!(points, [0.0, 0.0, 0.0, 1.5, -2.0, 0.1]);
/// assert_eq!(&text[end..end + 3], b"] \"");
/// ```
pub fn run<N: RunNumber>(text: &[u8], at: usize, out: &mut Vec<N>) -> usize {
    run_on(solio_base::cpu::tier(), text, at, out)
}

/// [`run`] on a tier.
///
/// ```
/// use solio_base::cpu::available;
/// use solio_codec::number::run::run_on;
/// // A number that no `i32` holds ends the run before it, on any tier.
/// let text = b"1 -2 2147483647 2147483648 5";
/// for tier in available() {
///     let mut indices: Vec<i32> = Vec::new();
///     assert_eq!(run_on(tier, text, 0, &mut indices), 15);
///     assert_eq!(indices, [1, -2, i32::MAX]);
/// }
/// ```
pub fn run_on<N: RunNumber>(tier: Tier, text: &[u8], at: usize, out: &mut Vec<N>) -> usize {
    let mut done = at;
    #[cfg(target_arch = "x86_64")]
    if tier >= Tier::Avx2 && tier != Tier::Neon {
        // SAFETY: a tier is never one that the machine lacks.
        let (until, ended) = unsafe { super::run_avx2::run(text, at, out) };
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
pub(super) fn one<N: RunNumber>(text: &[u8], mut at: usize) -> Option<(N, usize)> {
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
pub(super) fn ends_number(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'"' | b'[' | b']')
}

/// Whether a number begins here: a digit, perhaps after a sign and a point.
#[inline(always)]
fn begins_number(text: &[u8]) -> bool {
    let signed = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    matches!(text.get(signed), Some(b'0'..=b'9' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use solio_base::cpu::available;

    /// Every tier gives what reading number by number gives, also behind other text.
    fn check(text: &[u8]) {
        let behind = [&b"-1["[..], text].concat();
        let mut floats = Vec::new();
        let until = run_on::<f32>(Tier::Scalar, text, 0, &mut floats);
        let mut integers = Vec::new();
        let whole = run_on::<i32>(Tier::Scalar, text, 0, &mut integers);
        for (tier, (text, at)) in
            available().into_iter().flat_map(|tier| [(tier, (text, 0)), (tier, (&behind[..], 3))])
        {
            let mut found = Vec::new();
            assert_eq!(run_on::<f32>(tier, text, at, &mut found), at + until, "{tier:?}");
            let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&floats), "{tier:?}");
            let mut found = Vec::new();
            assert_eq!(run_on::<i32>(tier, text, at, &mut found), at + whole, "{tier:?}");
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
            let until = run::<f32>(text, 0, &mut found);
            assert_eq!(text[until], b']');
            let words = std::str::from_utf8(&text[..until]).unwrap().split_whitespace();
            let expected: Vec<f32> = words.map(|word| word.parse().unwrap()).collect();
            assert_eq!(found, expected);
            check(text);
        }
        let mut found = Vec::new();
        assert_eq!(
            run::<i32>(
                &[&b"7 -8 2147483647 2147483648 9"[..], &[b' '; 100]].concat(),
                0,
                &mut found
            ),
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
                    8 => "-?[0-9]{1,4}",
                    2 => "[-+0-9.eE]{1,24}",
                    1 => "[a-z\\[\\]\"#]{1,3}",
                ], 0..60),
            blanks in prop::collection::vec("[ \n\t\r]{0,3}", 60),
        ) {
            let text: String = words.iter().zip(&blanks).map(|(w, b)| format!("{w} {b}")).collect();
            check(text.as_bytes());
        }

        #[test]
        fn plain_runs_are_alike(
            words in prop::collection::vec("-?[0-9]{1,7}|-?[0-9]{0,8}\\.[0-9]{0,7}", 0..900),
            end in "[\\[ea.-]{0,2} {0,90}",
        ) {
            check((words.join(" ") + &end).as_bytes());
        }

        #[test]
        fn floats_come_back(values in prop::collection::vec(-1e6f32..1e6, 1..600)) {
            let text: String = values.iter().map(|v| format!("{v} ")).collect();
            let mut found = Vec::new();
            prop_assert_eq!(run::<f32>(text.as_bytes(), 0, &mut found), text.len() - 1);
            prop_assert_eq!(found, values);
        }
    }
}
