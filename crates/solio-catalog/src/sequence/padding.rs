//! How many digits a frame has: `#`, `@@@`, `%04d`, `$F4`, `<UDIM>`.

use super::MOST_DIGITS;

/// The place of the number in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// At least so many digits, a minus among them.
    pub width: usize,
    /// The numbers are tiles of a texture.
    pub udim: bool,
}

impl Padding {
    /// So many digits.
    pub const fn digits(width: usize) -> Padding {
        Padding { width, udim: false }
    }

    /// What [`Padding`] is written as, so that Solio and fileseq read the same: `#` for four digits,
    /// else an `@` for each.
    pub fn text(self) -> String {
        match (self.udim, self.width) {
            (true, _) => "<UDIM>".into(),
            (false, 4) => "#".into(),
            (false, width) => "@".repeat(width.max(1)),
        }
    }

    /// The number of a frame with as many digits.
    pub fn number(self, frame: i64) -> String {
        format!("{frame:0width$}", width = self.width)
    }

    /// The last padding in a name: where it starts and ends.
    pub(crate) fn find(name: &[u8]) -> Option<(usize, usize, Padding)> {
        let signs = [signs(name, b'#'), signs(name, b'@')];
        let found = signs.into_iter().chain([printf(name), houdini(name), udim(name)]);
        found.flatten().max_by_key(|(start, ..)| *start)
    }

    /// Whether the digits of a name, which are the number `frame`, can stand where the padding does.
    pub fn takes(self, digits: &[u8], frame: i64) -> bool {
        // `a.00007.exr` is none of `a.####.exr`, `a.12345.exr` is.
        digits.len() >= self.width
            && (digits.len() == self.width || self.number(frame).len() == digits.len())
    }
}

/// The last row of a sign: `#`, `####`, `@@`.
fn signs(name: &[u8], sign: u8) -> Option<(usize, usize, Padding)> {
    let end = name.iter().rposition(|b| *b == sign)? + 1;
    let start = name[..end].iter().rposition(|b| *b != sign).map_or(0, |at| at + 1);
    let (before, after) = (start.checked_sub(1).map(|at| name[at]), name.get(end));
    let is_sign = |b: u8| matches!(b, b'#' | b'@');
    // `#@` is no padding that anybody writes, and `icon@2x.png` is a name.
    let odd = before.is_some_and(is_sign)
        || after.is_some_and(|b| is_sign(*b) || sign == b'@' && b.is_ascii_alphanumeric());
    if odd || end - start > MOST_DIGITS {
        return None;
    }
    let width = if sign == b'#' && end - start == 1 { 4 } else { end - start };
    Some((start, end, Padding::digits(width)))
}

/// `%04d`, `%d`.
fn printf(name: &[u8]) -> Option<(usize, usize, Padding)> {
    let start = name.iter().rposition(|b| *b == b'%')?;
    let digits = name[start + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = start + 1 + digits;
    let width = width(&name[start + 1..end])?;
    (name.get(end) == Some(&b'd')).then_some((start, end + 1, Padding::digits(width)))
}

/// `$F4`, `$F`.
fn houdini(name: &[u8]) -> Option<(usize, usize, Padding)> {
    let start = name.windows(2).rposition(|pair| pair == b"$F")?;
    let digits = name[start + 2..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = start + 2 + digits;
    // `$FF` is another variable, the frame with its fraction.
    let ends = !name.get(end).is_some_and(u8::is_ascii_alphabetic);
    ends.then_some((start, end, Padding::digits(width(&name[start + 2..end])?)))
}

fn udim(name: &[u8]) -> Option<(usize, usize, Padding)> {
    let find = |word: &[u8]| {
        let start = name.windows(word.len()).rposition(|part| part == word)?;
        Some((start, start + word.len(), Padding { width: 4, udim: true }))
    };
    find(b"<UDIM>").or_else(|| find(b"%(UDIM)d"))
}

/// The number of digits asked for by `04`, `4` or nothing.
fn width(text: &[u8]) -> Option<usize> {
    if text.is_empty() {
        return Some(1);
    }
    let width: usize = std::str::from_utf8(text).ok()?.parse().ok()?;
    (width <= MOST_DIGITS).then_some(width.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_writing_it() {
        let width =
            |name: &str| Padding::find(name.as_bytes()).map(|(_, _, padding)| padding.width);
        for (name, digits) in [
            ("a.#.exr", 4),
            ("a.##.exr", 2),
            ("a.####.exr", 4),
            ("a.@.exr", 1),
            ("a.@@@.exr", 3),
            ("a.%04d.exr", 4),
            ("a.%3d.exr", 3),
            ("a.%d.exr", 1),
            ("a.$F4.exr", 4),
            ("a.$F.exr", 1),
            ("a.$F", 1),
            ("a.<UDIM>.tif", 4),
            ("a.%(UDIM)d.tif", 4),
            ("#", 4),
        ] {
            assert_eq!(width(name), Some(digits), "{name}");
        }
        for name in [
            "a.exr",
            "100%.exr",
            "a%sd.exr",
            "a#@.exr",
            "i@2x.png",
            "$FF.exr",
            "a.%99d",
            "a.$F99.exr",
            "",
        ] {
            assert_eq!(width(name), None, "{name}");
        }
        assert!(Padding::find(b"a.<UDIM>.#.exr").is_some_and(|(.., padding)| !padding.udim));
    }

    #[test]
    fn numbers_get_as_many_digits() {
        assert_eq!(Padding::digits(4).number(7), "0007");
        assert_eq!(Padding::digits(4).number(-5), "-005");
        assert_eq!(Padding::digits(4).number(12345), "12345");
        assert!(Padding::digits(4).takes(b"12345", 12345));
        assert!(!Padding::digits(4).takes(b"00007", 7));
        assert!(!Padding::digits(4).takes(b"7", 7));
        assert!(Padding::digits(1).takes(b"12", 12));
        assert!(!Padding::digits(1).takes(b"02", 2));
    }
}
