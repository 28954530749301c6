//! A name with a place for the number: `beauty.1-100####.exr`.

use super::name::is_minus;
use super::{FrameRange, Padding};

/// The name of the files of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The name up to the number.
    pub before: Vec<u8>,
    /// Which frames, where the pattern says so.
    pub range: Option<FrameRange>,
    /// How many digits.
    pub padding: Padding,
    /// The rest of the name.
    pub after: Vec<u8>,
}

impl NamePattern {
    /// The pattern in a name, where there is one. What looks like a range but is none belongs to the
    /// name.
    pub fn of(name: &[u8]) -> Option<NamePattern> {
        let (start, end, padding) = Padding::find(name)?;
        let (before, range) = split_range(&name[..start]);
        Some(NamePattern { before: before.to_vec(), range, padding, after: name[end..].to_vec() })
    }

    /// The name of a frame's file.
    pub fn name(&self, frame: i64) -> Vec<u8> {
        [&self.before[..], self.padding.number(frame).as_bytes(), &self.after[..]].concat()
    }

    /// The frame that a file of this name has, where it is one of the pattern's.
    pub fn frame_of(&self, name: &[u8]) -> Option<i64> {
        let rest = name.strip_prefix(&self.before[..])?;
        let digits = rest.strip_suffix(&self.after[..])?;
        let plain = digits.strip_prefix(b"-").unwrap_or(digits);
        if plain.is_empty() || !plain.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let frame = std::str::from_utf8(digits).ok()?.parse().ok()?;
        // As in a name alone: `shot-0001` is frame 1, and `a.-000` not frame 0.
        let has_minus = plain.len() < digits.len();
        if has_minus && (frame == 0 || !is_minus(&[&self.before[..], b"-"].concat())) {
            return None;
        }
        self.padding.takes(digits, frame).then_some(frame)
    }
}

/// `a.1-100x2` as `a.` and the range.
fn split_range(before: &[u8]) -> (&[u8], Option<FrameRange>) {
    let of_range = |b: &u8| b.is_ascii_digit() || b"-xy:,".contains(b);
    let mut start = before.iter().rposition(|b| !of_range(b)).map_or(0, |at| at + 1);
    // `proxy1-5#`: letters of a word are none of a range, nor is a hyphen behind a word a minus.
    while let Some(first) = before.get(start)
        && !(first.is_ascii_digit() || *first == b'-' && is_minus(&before[..=start]))
    {
        start += 1;
    }
    let text = std::str::from_utf8(&before[start..]).unwrap_or_default();
    match text.parse() {
        Ok(range) => (&before[..start], Some(range)),
        Err(_) => (before, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, what stands before, frames, digits, what stands behind.
    type Row<'a> = (&'a str, &'a str, &'a str, usize, &'a str);

    /// Each row as fileseq 3.4.0 answers, but for those that the module says.
    #[test]
    fn patterns_are_those_of_fileseq() {
        let all: [Row<'_>; 24] = [
            ("b.1-100#.exr", "b.", "1-100", 4, ".exr"),
            ("b.1-100x2#.exr", "b.", "1-99x2", 4, ".exr"),
            ("b.1-10:3@@.exr", "b.", "1-10x3,3,5,9,2,6,8", 2, ".exr"),
            ("b.1,3,5-9#.exr", "b.", "1-5x2,6-9", 4, ".exr"),
            ("b.-5-5#.exr", "b.", "-5-5", 4, ".exr"),
            ("b.-10--5#.exr", "b.", "-10--5", 4, ".exr"),
            ("b.10-1#.exr", "b.", "10-1", 4, ".exr"),
            ("b.1-100%04d.exr", "b.", "1-100", 4, ".exr"),
            ("b.1-100$F4.exr", "b.", "1-100", 4, ".exr"),
            ("b.1001-1010<UDIM>.tif", "b.", "1001-1010", 4, ".tif"),
            ("b.%(UDIM)d.tif", "b.", "", 4, ".tif"),
            ("b1-100#.exr", "b", "1-100", 4, ".exr"),
            ("b_1-100#.exr", "b_", "1-100", 4, ".exr"),
            ("1-10#.exr", "", "1-10", 4, ".exr"),
            ("b.1-100#", "b.", "1-100", 4, ""),
            ("b.1-10,#.exr", "b.", "1-10", 4, ".exr"),
            ("b..1-10#.exr", "b..", "1-10", 4, ".exr"),
            ("b.1-10#.tar.gz", "b.", "1-10", 4, ".tar.gz"),
            ("b.5#.exr", "b.", "5", 4, ".exr"),
            ("b.0001-0010#.exr", "b.", "1-10", 4, ".exr"),
            ("b 1-10#.exr", "b ", "1-10", 4, ".exr"),
            // Our own: a digit for each of several signs; a hyphen; words that end like ranges.
            ("v2.1-9x2##.exr", "v2.", "1-9x2", 2, ".exr"),
            ("b-1-100#.exr", "b-", "1-100", 4, ".exr"),
            ("proxy1-5#.exr", "proxy", "1-5", 4, ".exr"),
        ];
        for (name, before, range, width, after) in all {
            let found = NamePattern::of(name.as_bytes()).unwrap();
            let frames = found.range.as_ref().map_or(String::new(), ToString::to_string);
            assert_eq!(found.before, before.as_bytes(), "{name}");
            assert_eq!((&frames[..], found.padding.width), (range, width), "{name}");
            assert_eq!(found.after, after.as_bytes(), "{name}");
        }
        for name in ["b.1-10.exr", "b.1.exr", "b.#@.exr", "b.exr"] {
            assert_eq!(NamePattern::of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn names_of_frames_and_back() {
        let of = |text: &str| NamePattern::of(text.as_bytes()).unwrap();
        let name = |text: &str, frame| String::from_utf8(of(text).name(frame)).unwrap();
        assert_eq!(name("a.####.exr", 12), "a.0012.exr");
        assert_eq!(name("a.#.exr", 12345), "a.12345.exr");
        assert_eq!(name("a.@.exr", 7), "a.7.exr");
        assert_eq!(name("a%03d.png", 7), "a007.png");
        assert_eq!(name("a.1-9#.png", -7), "a.-007.png");
        let frame = |name: &str| of("a.#.exr").frame_of(name.as_bytes());
        assert_eq!(frame("a.0010.exr"), Some(10));
        assert_eq!(frame("a.12345.exr"), Some(12345));
        assert_eq!(frame("a.-003.exr"), Some(-3));
        for other in [
            "a.00007.exr",
            "a.7.exr",
            "a.x.exr",
            "a..exr",
            "b.0001.exr",
            "a.+001.exr",
            "a.-000.exr",
            "a.0001",
            "a.",
        ] {
            assert_eq!(frame(other), None, "{other}");
        }
        // A hyphen behind a letter is no minus.
        assert_eq!(of("shot#.exr").frame_of(b"shot-001.exr"), None);
        assert_eq!(of("shot-#.exr").frame_of(b"shot-0001.exr"), Some(1));
    }
}
