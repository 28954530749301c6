//! Names of attributes, types and channels, whatever their bytes are.
//!
//! The format says nothing of an encoding. Most names are ASCII or UTF-8; a byte of another
//! encoding becomes one character of U+EF80 to U+EFFF, which Unicode leaves to private use, and
//! such a character becomes that byte again. UTF-8 of just these characters is taken byte by byte
//! too, so that every name comes back as it was.

use std::borrow::Cow;

/// What a byte is added to.
const BASE: u32 = 0xef00;

/// The byte that a character stands for, if it stands for one.
fn byte(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(BASE)?;
    u8::try_from(byte).ok().filter(|byte| *byte >= 0x80)
}

/// A name from its bytes.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(name) = std::str::from_utf8(bytes)
        && (name.is_ascii() || name.chars().all(|c| byte(c).is_none()))
    {
        return Cow::Borrowed(name);
    }
    let mut name = String::new();
    let one = |byte: &u8| char::from_u32(BASE + u32::from(*byte)).expect("in the private area");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte(c) {
                None => name.push(c),
                Some(_) => name.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(one)),
            }
        }
        name.extend(chunk.invalid().iter().map(one));
    }
    Cow::Owned(name)
}

/// The bytes of a name.
pub(crate) fn encode(name: &str) -> Cow<'_, [u8]> {
    if name.is_ascii() || name.chars().all(|c| byte(c).is_none()) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut bytes = Vec::new();
    for c in name.chars() {
        match byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let names: [&[u8]; 7] = [
            b"R",
            "Größe".as_bytes(),
            b"Gr\xf6\xdfe",
            b"\xff\xfe\x80",
            "\u{ef80}\u{efff}\u{ef7f}".as_bytes(),
            b"\xee\xbe",
            b"",
        ];
        for name in names {
            assert_eq!(*encode(&decode(name)), *name);
        }
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(*encode(&decode(&[a, b, 0xbe])), [a, b, 0xbe]);
            }
        }
        assert_eq!(decode("Größe".as_bytes()), "Größe");
        assert_eq!(decode(b"Gr\xf6\xdfe"), "Gr\u{eff6}\u{efdf}e");
    }
}
