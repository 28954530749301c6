//! Which frames: `1-100x2,150`.

use super::{MOST_DIGITS, MOST_FRAMES};
use foldhash::HashSet;
use solio_base::{Error, Result};
use std::fmt;
use std::fmt::Write;
use std::str::FromStr;

/// Frames, each once, in the order in which they are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRange {
    frames: Vec<i64>,
}

/// `1-10x3` taken apart.
struct RangePart {
    first: i64,
    last: i64,
    kind: u8,
    step: i64,
}

impl FrameRange {
    /// The frames.
    pub fn frames(&self) -> &[i64] {
        &self.frames
    }
}

impl FromStr for FrameRange {
    type Err = Error;

    /// Reads the grammar of [the module](super). White space and empty parts are passed over.
    fn from_str(text: &str) -> Result<FrameRange> {
        let wrong = || {
            Error::argument(format!("{text:?} is no range of frames"))
                .hint("write 1-100, 1-100x2 or 1,5,9-12")
        };
        let plain: String = text.chars().filter(|c| !matches!(c, ' ' | '\t')).collect();
        let mut parts = Vec::new();
        for part in plain.split(',').filter(|part| !part.is_empty()) {
            parts.push(part_of(part.as_bytes()).ok_or_else(wrong)?);
        }
        if parts.is_empty() {
            return Err(wrong());
        }
        let most = parts.iter().map(RangePart::most_frames).fold(0u64, u64::saturating_add);
        if most > MOST_FRAMES as u64 {
            let message = format!("{text:?} has more than {MOST_FRAMES} frames");
            return Err(Error::limit(message));
        }
        let mut frames = Vec::new();
        parts.iter().for_each(|part| part.frames(&mut frames));
        if parts.len() > 1 || parts[0].kind == b':' {
            let mut seen = HashSet::default();
            frames.retain(|&frame| seen.insert(frame));
        }
        if frames.is_empty() {
            return Err(wrong());
        }
        Ok(FrameRange { frames })
    }
}

impl fmt::Display for FrameRange {
    /// The shortest way of writing it, as [`frames_text`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&frames_text(&self.frames))
    }
}

impl RangePart {
    fn distance(&self) -> u64 {
        self.first.abs_diff(self.last)
    }

    /// How many frames are looked at, at most.
    fn most_frames(&self) -> u64 {
        let every = |step: u64| (self.distance() / step).saturating_add(1);
        match self.kind {
            b'x' => every(self.step.unsigned_abs()),
            // Together fewer than twice as many as there are, times the logarithm of the step.
            b':' => every(1).saturating_mul(2 + u64::from(self.step.unsigned_abs().ilog2())),
            _ => every(1),
        }
    }

    fn frames(&self, to: &mut Vec<i64>) {
        let way = if self.last < self.first { -1 } else { 1 };
        let all = 0..=self.distance() as i64;
        let at = |i: i64| self.first + way * i;
        let step = self.step.abs();
        match self.kind {
            b'y' => to.extend(all.filter(|i| i % step != 0).map(at)),
            b':' => {
                // Later steps than the distance give the first frame alone, which is there.
                let steps = (1..=step.min(self.distance().max(1) as i64)).rev();
                steps.for_each(|step| to.extend(all.clone().step_by(step as usize).map(at)));
            }
            _ => to.extend(all.step_by(usize::try_from(step).unwrap_or(usize::MAX)).map(at)),
        }
    }
}

/// `-5`, `1-10`, `1-10x3`.
fn part_of(text: &[u8]) -> Option<RangePart> {
    let (first, rest) = number(text)?;
    let Some(rest) = rest.strip_prefix(b"-") else {
        return rest.is_empty().then_some(RangePart { first, last: first, kind: b'x', step: 1 });
    };
    let (last, rest) = number(rest)?;
    let (kind, step) = match rest {
        [] => (b'x', 1),
        [kind @ (b'x' | b'y' | b':'), step @ ..] => {
            let (step, rest) = number(step)?;
            rest.is_empty().then_some((*kind, step))?
        }
        _ => return None,
    };
    // Downwards a step may say so.
    let fits = step > 0 || step < 0 && last < first;
    fits.then_some(RangePart { first, last, kind, step })
}

/// A number at the start, and what follows it.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let digits = text[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > MOST_DIGITS {
        return None;
    }
    let (number, rest) = text.split_at(sign + digits);
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// Rising frames in the shortest words: `1-3,5-9x2`.
///
/// ```
/// use solio_catalog::sequence::frames_text;
/// assert_eq!(frames_text(&[1, 2, 3, 5, 7, 9]), "1-3,5-9x2");
/// assert_eq!(frames_text(&[1042, 1067]), "1042,1067");
/// ```
pub fn frames_text(frames: &[i64]) -> String {
    let mut text = String::new();
    let mut rest = frames;
    while let [first, more @ ..] = rest {
        if !text.is_empty() {
            text.push(',');
        }
        let step = more.first().map_or(0, |next| next.wrapping_sub(*first));
        let equal = rest.windows(2).take_while(|pair| pair[1].wrapping_sub(pair[0]) == step);
        let last = equal.count();
        let count = last + 1;
        // Two frames are a range only where nothing is between them.
        let count = if count > 2 || step.abs() == 1 { count } else { 1 };
        let _ = write!(text, "{first}"); // Strings take everything.
        if count > 1 {
            let _ = write!(text, "-{}", rest[count - 1]);
            if step.abs() != 1 {
                let _ = write!(text, "x{}", step.abs());
            }
        }
        rest = &rest[count..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each row as fileseq 3.4.0 answers.
    #[test]
    fn frames_are_those_of_fileseq() {
        let all: [(&str, &[i64]); 22] = [
            ("1-10x3", &[1, 4, 7, 10]),
            ("1-10y3", &[2, 3, 5, 6, 8, 9]),
            ("1-10:3", &[1, 4, 7, 10, 3, 5, 9, 2, 6, 8]),
            ("1-10:4", &[1, 5, 9, 4, 7, 10, 3, 2, 6, 8]),
            ("10-1:3", &[10, 7, 4, 1, 8, 6, 2, 9, 5, 3]),
            ("10-1y3", &[9, 8, 6, 5, 3, 2]),
            ("10-1x2", &[10, 8, 6, 4, 2]),
            ("10-1x-2", &[10, 8, 6, 4, 2]),
            ("1-10y2", &[2, 4, 6, 8, 10]),
            ("1-5y9", &[2, 3, 4, 5]),
            ("1-10x20", &[1]),
            ("-5--1", &[-5, -4, -3, -2, -1]),
            ("-1--5x2", &[-1, -3, -5]),
            ("1--2", &[1, 0, -1, -2]),
            ("5-5x3", &[5]),
            ("0-0", &[0]),
            ("7", &[7]),
            ("01-03", &[1, 2, 3]),
            ("1,1,1-3", &[1, 2, 3]),
            ("1-5,3-8", &[1, 2, 3, 4, 5, 6, 7, 8]),
            ("1, 2 ,4-5", &[1, 2, 4, 5]),
            (",1-2,", &[1, 2]),
        ];
        for (text, frames) in all {
            assert_eq!(text.parse::<FrameRange>().unwrap().frames(), frames, "{text}");
        }
        let last = "1-100:8".parse::<FrameRange>().unwrap();
        assert_eq!((last.frames().len(), last.frames().last()), (100, Some(&98)));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        let wrong = [
            "",
            "a",
            "-",
            "1-",
            "1-10x",
            "x2",
            "1-2-3",
            "1:3",
            "1-10x0",
            "1-10x-2",
            "1-10y-2",
            "+1-5",
            "1-10y1",
            "5-5y3",
            "1.5-3",
            "9999999999999999999",
        ];
        for text in wrong {
            assert!(text.parse::<FrameRange>().is_err(), "{text}");
        }
        for text in ["1-99999999999", "1-9000000,1-9000000", "1-9000000:100"] {
            let error = text.parse::<FrameRange>().unwrap_err();
            assert_eq!(error.kind(), solio_base::ErrorKind::Limit, "{text}");
        }
        assert!("1-999999999999x999999999999".parse::<FrameRange>().is_ok());
    }

    /// Each row as fileseq 3.4.0 answers.
    #[test]
    fn ranges_are_written_as_fileseq_writes_them() {
        let all: [(&[i64], &str); 13] = [
            (&[], ""),
            (&[1], "1"),
            (&[1, 2], "1-2"),
            (&[1, 3], "1,3"),
            (&[1, 3, 5], "1-5x2"),
            (&[1, 2, 4, 5], "1-2,4-5"),
            (&[1, 2, 3, 6, 9, 12, 13, 14], "1-3,6-12x3,13-14"),
            (&[1, 5, 9, 10, 11], "1-9x4,10-11"),
            (&[-3, -2, -1, 0], "-3-0"),
            (&[1, 2, 4, 8, 16], "1-2,4,8,16"),
            (&[10, 20, 30, 31], "10-30x10,31"),
            (&[1, 3, 4, 5], "1,3-5"),
            (&[1, 3, 5, 6, 7], "1-5x2,6-7"),
        ];
        for (frames, text) in all {
            assert_eq!(frames_text(frames), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(frames in proptest::collection::btree_set(-50i64..50, 1..40)) {
            let frames: Vec<i64> = frames.into_iter().collect();
            let again: FrameRange = frames_text(&frames).parse().unwrap();
            prop_assert_eq!(again.frames(), &frames[..]);
        }

        #[test]
        fn any_text_ends(text in "[-0-9xy:, ]{0,12}") {
            let _ = text.parse::<FrameRange>();
        }
    }
}
