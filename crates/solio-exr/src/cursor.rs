//! Little-endian numbers and names from bytes, with the place of what is missing.

use crate::name_bytes;
use solio_base::{Error, Result};
use std::borrow::Cow;
use std::fmt::Display;

/// Reads from `bytes`, which start at `base` of the file.
#[derive(Debug)]
pub(crate) struct HeaderCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    /// How many bytes were asked for, from the start, when they last ran out.
    pub(crate) wanted: Option<usize>,
}

impl<'a> HeaderCursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64) -> Self {
        HeaderCursor { bytes, at: 0, base, wanted: None }
    }

    /// The place in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next `count` bytes, which are `what`: words for an error, which are put together only
    /// then.
    pub(crate) fn take(&mut self, count: usize, what: impl Display) -> Result<&'a [u8]> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => {
                self.wanted = Some(self.at.saturating_add(count));
                let early = count - self.rest().len();
                let message = format!("the data ends {early} bytes early, inside {what}");
                Err(Error::corrupt(message).at_offset(self.base + self.bytes.len() as u64))
            }
        }
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self, what: impl Display) -> Result<[u8; N]> {
        Ok(self.take(N, what)?.try_into().expect("as many as were asked for"))
    }

    pub(crate) fn u8(&mut self, what: impl Display) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(crate) fn i32(&mut self, what: impl Display) -> Result<i32> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: impl Display) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: impl Display) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A name of at most `most` bytes that ends with a zero byte.
    pub(crate) fn name(&mut self, most: usize, what: impl Display) -> Result<Cow<'a, str>> {
        let start = self.offset();
        let rest = self.rest();
        let Some(length) = rest.iter().take(most + 1).position(|&b| b == 0) else {
            if rest.len() > most {
                let message = format!("{what} is longer than {most} bytes");
                return Err(Error::corrupt(message).at_offset(start));
            }
            self.take(rest.len() + 1, what)?;
            unreachable!("more was asked for than is there");
        };
        let bytes = self.take(length + 1, what)?;
        Ok(name_bytes::decode(&bytes[..length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_the_data_end() {
        let mut cursor = HeaderCursor::new(b"ab\0\x01\0\0", 100);
        assert_eq!(cursor.name(31, "a name").unwrap(), "ab");
        assert_eq!(cursor.offset(), 103);
        let e = cursor.u32("a number").unwrap_err();
        assert_eq!(e.to_string(), "byte 106: the data ends 1 bytes early, inside a number");
        assert_eq!(cursor.wanted, Some(7));
        assert_eq!(cursor.take(3, "bytes").unwrap(), [1, 0, 0]);
    }

    #[test]
    fn names_have_an_end() {
        let e = HeaderCursor::new(b"abcdef\0", 0).name(5, "a name").unwrap_err();
        assert_eq!(e.message(), "a name is longer than 5 bytes");
        assert!(HeaderCursor::new(b"abcde\0", 0).name(5, "a name").is_ok());
        let mut cursor = HeaderCursor::new(b"abc", 0);
        assert!(cursor.name(5, "a name").is_err());
        assert_eq!(cursor.wanted, Some(4));
        assert_eq!(HeaderCursor::new(b"\xff\0", 0).name(5, "a name").unwrap(), "\u{efff}");
    }
}
