//! The number in the name of a file.

use super::MOST_DIGITS;

/// A name with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered<'n> {
    /// The name up to the number.
    pub before: &'n [u8],
    /// The number as it stands there, with its minus.
    pub digits: &'n [u8],
    /// The number.
    pub frame: i64,
    /// The rest of the name.
    pub after: &'n [u8],
}

/// The number of a file's frame: the digits right before the extension, or before several of them,
/// as fileseq takes it. An extension before the last one ends with a letter or has one right before
/// its last character, which tells `a.0001.tar.gz` from `a.0001.0002`.
///
/// ```
/// use solio_catalog::sequence::numbered;
/// let name = numbered(b"beauty_v2.1001.exr").unwrap();
/// assert_eq!((name.before, name.frame, name.after), (&b"beauty_v2."[..], 1001, &b".exr"[..]));
/// assert!(numbered(b"a.001").is_none());
/// ```
pub fn numbered(name: &[u8]) -> Option<Numbered<'_>> {
    let (name, after) = name.split_at(extensions(name));
    let count = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 || count > MOST_DIGITS {
        return None;
    }
    let mut start = name.len() - count;
    let value = name[start..].iter().fold(0, |value, b| value * 10 + i64::from(b - b'0'));
    let negative = value != 0 && is_minus(&name[..start]);
    start -= usize::from(negative);
    let frame = if negative { -value } else { value };
    Some(Numbered { before: &name[..start], digits: &name[start..], frame, after })
}

/// Whether what stands before a number ends with its minus, which `shot-0001` has not.
pub(super) fn is_minus(before: &[u8]) -> bool {
    match before {
        [.., last, b'-'] => !last.is_ascii_alphanumeric() && last.is_ascii(),
        [b'-'] => true,
        _ => false,
    }
}

/// Where the extensions start.
fn extensions(name: &[u8]) -> usize {
    let dot = |end: usize| memchr::memrchr(b'.', &name[..end]);
    let Some(mut start) = dot(name.len()).filter(|&at| at + 1 < name.len()) else {
        return name.len();
    };
    while let Some(before) = dot(start)
        && is_extension(&name[before + 1..start])
    {
        start = before;
    }
    start
}

fn is_extension(text: &[u8]) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    let tail = &text[text.len().saturating_sub(2)..];
    tail.iter().any(u8::is_ascii_alphabetic) && text.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, and what it is taken apart into.
    type Row<'a> = (&'a str, Option<(&'a str, i64, &'a str)>);

    /// Each row as fileseq 3.4.0 answers, but for the last four.
    #[test]
    fn numbers_are_found_where_fileseq_finds_them() {
        let all: [Row<'_>; 34] = [
            ("a.0001.exr", Some(("a.", 1, ".exr"))),
            ("bar1000.exr", Some(("bar", 1000, ".exr"))),
            ("12.exr", Some(("", 12, ".exr"))),
            ("12", Some(("", 12, ""))),
            ("a12", Some(("a", 12, ""))),
            (".1.exr", Some((".", 1, ".exr"))),
            ("a.001", None),
            ("a.1.2", Some(("a.", 1, ".2"))),
            ("x.1.2.exr", Some(("x.1.", 2, ".exr"))),
            ("a.1_2.exr", Some(("a.1_", 2, ".exr"))),
            ("foo_0001_extra.exr", None),
            ("a.0001.tar.gz", Some(("a.", 1, ".tar.gz"))),
            ("a.1.7z", Some(("a.", 1, ".7z"))),
            ("a.1001.mp4", Some(("a.", 1001, ".mp4"))),
            ("a.1.exr2", Some(("a.", 1, ".exr2"))),
            ("a.1.e-x", Some(("a.", 1, ".e-x"))),
            ("b1.abc2.exr", Some(("b", 1, ".abc2.exr"))),
            ("b1.abc23.exr", Some(("b1.abc", 23, ".exr"))),
            ("b1.ab2c3.exr", Some(("b", 1, ".ab2c3.exr"))),
            ("b.0001.abc.0002.exr", Some(("b.0001.abc.", 2, ".exr"))),
            ("shot010.beauty.exr", Some(("shot", 10, ".beauty.exr"))),
            ("a.v1.exr", None),
            ("x2.", None),
            ("a", None),
            ("", None),
            (".", None),
            ("a.exr", None),
            ("bar.-001.exr", Some(("bar.", -1, ".exr"))),
            ("a_-5.exr", Some(("a_", -5, ".exr"))),
            ("-5.exr", Some(("", -5, ".exr"))),
            ("shot-0001.exr", Some(("shot-", 1, ".exr"))),
            ("2024-01-05.jpg", Some(("2024-01-", 5, ".jpg"))),
            ("a.-000.exr", Some(("a.-", 0, ".exr"))),
            ("a.1234567890123456789.exr", None),
        ];
        for (name, wanted) in all {
            let text = |bytes| std::str::from_utf8(bytes).unwrap();
            let found = numbered(name.as_bytes()).map(|n| (text(n.before), n.frame, text(n.after)));
            assert_eq!(found, wanted, "{name}");
        }
    }
}
