//! Lists of digests, as `sha256sum`, `md5sum` and `xxhsum` write and check them.
//!
//! ```text
//! 2fd4e1c6…  name           the digest, two spaces (or a space and *), the name
//! XXH3_1b2c…  name          XXH3 as xxhsum has it
//! SHA256 (name) = 2fd4e1c6… with a tag
//! \2fd4e1c6…  a\nname       a backslash before: \n, \r and \\ in the name stand for the bytes
//! ```

use solio_base::{Error, Limits, Result};
use solio_codec::digest::{Algorithm, Digest};

/// What a line says of a file.
///
/// ```
/// use solio_catalog::sums::decode_sums;
/// use solio_codec::digest::Algorithm;
/// # use solio_base::Limits;
/// // 32 digits may be by either of two.
/// let list = b"d41d8cd98f00b204e9800998ecf8427e  a clip.mov\n";
/// let sum = &decode_sums(list, None, &Limits::default())?.sums[0];
/// let algorithms: Vec<_> = sum.digests.iter().map(|digest| digest.algorithm()).collect();
/// assert_eq!((&*sum.name, sum.line), (&b"a clip.mov"[..], 1));
/// assert_eq!(algorithms, [Algorithm::Md5, Algorithm::Xxh128]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The name, byte for byte.
    pub name: Vec<u8>,
    /// The digest; where its length alone does not tell the algorithm, all that it may be.
    pub digests: Vec<Digest>,
    /// The line, from 1 on.
    pub line: u64,
}

/// A list and what is wrong with it.
///
/// ```
/// use solio_catalog::sums::{Sums, decode_sums};
/// # use solio_base::Limits;
/// let list = b"# of reel 1\nef46db3751d8e999  a.mov\nef46db3751d8e999 b.mov\n";
/// let Sums { sums, bad } = decode_sums(list, None, &Limits::default())?;
/// // The comment is no fault; the second name has one space before it.
/// assert_eq!((sums.len(), bad.len()), (1, 1));
/// assert_eq!(bad[0].line(), Some(3));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Sums {
    /// The lines that could be read.
    pub sums: Vec<Sum>,
    /// Those that could not.
    pub bad: Vec<Error>,
}

/// Those that untagged lines may be by, and the mark before the digest.
const UNTAGGED: [(Algorithm, &str); 9] = [
    (Algorithm::Md5, ""),
    (Algorithm::Xxh128, ""),
    (Algorithm::Xxh64, ""),
    (Algorithm::Xxh3, "XXH3_"),
    (Algorithm::Sha1, ""),
    (Algorithm::Sha256, ""),
    (Algorithm::Sha512, ""),
    (Algorithm::C4, ""),
    (Algorithm::Blake3, ""),
];

/// Decodes a list. With `algorithm` all untagged lines are by it.
///
/// ```
/// use solio_catalog::sums::decode_sums;
/// use solio_codec::digest::Algorithm;
/// # use solio_base::Limits;
/// let list = b"d41d8cd98f00b204e9800998ecf8427e *a.mov\r\n";
/// // Who knows what the list is by says so.
/// let sums = decode_sums(list, Some(Algorithm::Md5), &Limits::default())?.sums;
/// assert_eq!(sums[0].digests.len(), 1);
/// let other = decode_sums(list, Some(Algorithm::Sha256), &Limits::default())?;
/// assert_eq!((other.sums.len(), other.bad.len()), (0, 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit`. Lines that are no sums are listed in the result.
pub fn decode_sums(bytes: &[u8], algorithm: Option<Algorithm>, limits: &Limits) -> Result<Sums> {
    let mut all = Sums::default();
    let (mut offset, mut number) = (0, 0);
    for line in bytes.split(|b| *b == b'\n') {
        number += 1;
        limits.check_elements("lines", number)?;
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        if !text.is_empty() && !text.starts_with(b"#") {
            match sum(text, algorithm) {
                Some((name, digests)) => all.sums.push(Sum { name, digests, line: number }),
                None => {
                    let message = "no sum: expected a digest, two spaces and a name";
                    all.bad.push(Error::syntax(message).at_offset(offset).at_line(number, 1));
                }
            }
        }
        offset += line.len() as u64 + 1;
    }
    Ok(all)
}

fn sum(line: &[u8], wanted: Option<Algorithm>) -> Option<(Vec<u8>, Vec<Digest>)> {
    let escaped = line.strip_prefix(b"\\");
    let rest = escaped.unwrap_or(line);
    let (name, digests) = tagged(rest).or_else(|| untagged(rest, wanted))?;
    let name = if escaped.is_some() { unescaped(name)? } else { name.to_vec() };
    (!name.is_empty() && !name.contains(&0)).then_some((name, digests))
}

/// `SHA256 (name) = digest`
fn tagged(line: &[u8]) -> Option<(&[u8], Vec<Digest>)> {
    let space = line.iter().position(|b| *b == b' ')?;
    let algorithm = Algorithm::from_name(std::str::from_utf8(&line[..space]).ok()?)?;
    let rest = line[space..].strip_prefix(b" (")?;
    let end = memchr::memmem::rfind(rest, b") = ")?;
    let digest = Digest::from_text(algorithm, std::str::from_utf8(&rest[end + 4..]).ok()?)?;
    Some((&rest[..end], vec![digest]))
}

/// `digest  name`
fn untagged(line: &[u8], wanted: Option<Algorithm>) -> Option<(&[u8], Vec<Digest>)> {
    let space = line.iter().position(|b| *b == b' ')?;
    let text = std::str::from_utf8(&line[..space]).ok()?;
    let rest = &line[space + 1..];
    let name = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"*"))?;
    let known = UNTAGGED.into_iter().filter(|(known, _)| wanted.is_none_or(|w| w == *known));
    let digests = known.filter_map(|(algorithm, mark)| {
        // Who said by what the list is may have written it without the mark.
        let bare = text.strip_prefix(mark).or(wanted.map(|_| text))?;
        Digest::from_text(algorithm, bare)
    });
    let digests: Vec<Digest> = digests.collect();
    (!digests.is_empty()).then_some((name, digests))
}

fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => *byte,
        });
    }
    Some(bytes)
}

/// How a line is written.
///
/// ```
/// use solio_catalog::sums::{SumStyle, encode_sum};
/// use solio_codec::digest::{Algorithm, Digest};
/// let digest = Digest::of(Algorithm::Xxh64, b"");
/// let line = |style| String::from_utf8(encode_sum(b"a.mov", &digest, style)).unwrap();
/// assert_eq!(line(SumStyle::Plain), "ef46db3751d8e999  a.mov\n");
/// assert_eq!(line(SumStyle::Tagged), "XXH64 (a.mov) = ef46db3751d8e999\n");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumStyle {
    /// `digest  name`
    #[default]
    Plain,
    /// `ALGORITHM (name) = digest`
    Tagged,
}

/// The line of a file, with its end.
///
/// ```
/// use solio_catalog::sums::{SumStyle, decode_sums, encode_sum};
/// use solio_codec::digest::{Algorithm, Digest};
/// # use solio_base::Limits;
/// // A newline in a name does not end the line.
/// let digest = Digest::of(Algorithm::Xxh3, b"");
/// let line = encode_sum(b"two\nlines.mov", &digest, SumStyle::Plain);
/// assert_eq!(line, b"\\XXH3_2d06800538d394c2  two\\nlines.mov\n");
/// assert_eq!(decode_sums(&line, None, &Limits::default())?.sums[0].name, b"two\nlines.mov");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn encode_sum(name: &[u8], digest: &Digest, style: SumStyle) -> Vec<u8> {
    let mut line = if is_escaped(name) { b"\\".to_vec() } else { Vec::new() };
    let algorithm = digest.algorithm();
    match style {
        SumStyle::Plain => {
            let mark = UNTAGGED.iter().find(|(known, _)| *known == algorithm);
            let mark = mark.map_or("", |(_, mark)| mark);
            line.extend_from_slice(format!("{mark}{digest}  ").as_bytes());
            escape_into(&mut line, name);
        }
        SumStyle::Tagged => {
            line.extend_from_slice(algorithm.name().to_uppercase().as_bytes());
            line.extend_from_slice(b" (");
            escape_into(&mut line, name);
            line.extend_from_slice(format!(") = {digest}").as_bytes());
        }
    }
    line.push(b'\n');
    line
}

/// A name as it begins a line: with a backslash before it where it is escaped.
///
/// ```
/// use solio_catalog::sums::name_in_line;
/// // `NAME: OK`, as sha256sum tells it.
/// let told = [&name_in_line(b"two\nlines.mov"), &b": OK"[..]].concat();
/// assert_eq!(told, b"\\two\\nlines.mov: OK");
/// assert_eq!(name_in_line(b"plain.mov"), b"plain.mov");
/// ```
pub fn name_in_line(name: &[u8]) -> Vec<u8> {
    let mut line = if is_escaped(name) { b"\\".to_vec() } else { Vec::new() };
    escape_into(&mut line, name);
    line
}

fn is_escaped(name: &[u8]) -> bool {
    name.iter().any(|b| matches!(b, b'\n' | b'\r' | b'\\'))
}

fn escape_into(line: &mut Vec<u8>, name: &[u8]) {
    for byte in name {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            b'\\' => line.extend_from_slice(b"\\\\"),
            byte => line.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn only(text: &[u8], wanted: Option<Algorithm>) -> Sum {
        let all = decode_sums(text, wanted, &Limits::default()).unwrap();
        assert!(all.bad.is_empty(), "{:?}", all.bad);
        assert_eq!(all.sums.len(), 1);
        all.sums[0].clone()
    }

    /// Lines that the tools themselves wrote.
    #[test]
    fn lines_of_the_peers() {
        let md5 = "d41d8cd98f00b204e9800998ecf8427e";
        let both = only(format!("{md5} *a b\r\n").as_bytes(), None);
        assert_eq!(both.name, b"a b");
        let names: Vec<_> = both.digests.iter().map(|d| d.algorithm()).collect();
        assert_eq!(names, [Algorithm::Md5, Algorithm::Xxh128]);
        let one = only(format!("{md5}  a\n").as_bytes(), Some(Algorithm::Xxh128));
        assert_eq!(one.digests[0].algorithm(), Algorithm::Xxh128);
        let xxh3 = only(b"XXH3_2d06800538d394c2  a\n", None);
        assert_eq!(xxh3.digests, [Digest::of(Algorithm::Xxh3, b"")]);
        let tagged = only(b"XXH64 (a) = (b) = ef46db3751d8e999\n", None);
        assert_eq!((&tagged.name[..], tagged.digests.len()), (&b"a) = (b"[..], 1));
        let escaped = only(format!("\\{md5}  a\\nb\\\\").as_bytes(), None);
        assert_eq!(escaped.name, b"a\nb\\");
    }

    #[test]
    fn bad_lines_are_told_with_their_place() {
        let text = b"# a comment\n\nef46db3751d8e999 a\nef46db3751d8e999  a\nMD5 (a) = 12\n";
        let all = decode_sums(text, None, &Limits::default()).unwrap();
        assert_eq!(all.sums.len(), 1);
        let places: Vec<_> = all.bad.iter().map(|e| (e.line(), e.offset())).collect();
        assert_eq!(places, [(Some(3), Some(13)), (Some(5), Some(52))]);
        // Said to be by another.
        let all = decode_sums(text, Some(Algorithm::Md5), &Limits::default()).unwrap();
        assert_eq!((all.sums.len(), all.bad.len()), (0, 3));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in prop::collection::vec(1u8.., 1..20), kind: prop::sample::Index) {
            let digest = Digest::of(*kind.get(&Algorithm::ALL), &name);
            for style in [SumStyle::Plain, SumStyle::Tagged] {
                let sum = only(&encode_sum(&name, &digest, style), None);
                prop_assert_eq!(&sum.name, &name);
                prop_assert!(sum.digests.contains(&digest));
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_fault(bytes: Vec<u8>) {
            let all = decode_sums(&bytes, None, &Limits::default()).unwrap();
            prop_assert!(all.sums.len() + all.bad.len() <= bytes.len() + 1);
        }
    }
}
