//! TIFF, BigTIFF, Exif and the raw photos that are made so: directories of entries.
//!
//! ```text
//! byte order "II" or "MM" · 42 (43: BigTIFF) · offset of the first directory
//! directory: count · entries (tag, type, count, value or offset; 12 bytes) · offset of the next
//! ```
//! TIFF 6.0, sections 2 and 7; CIPA DC-008 (Exif) 4.6.

mod check;
mod field_type;
pub mod tags;

pub(crate) use check::{check, header};
pub use field_type::FieldType;

use crate::ByteView;
use std::borrow::Cow;

/// A TIFF structure: how its numbers are stored, and what its offsets count from.
#[derive(Clone, Copy)]
pub struct Tiff<'a> {
    /// What offsets count from.
    pub view: ByteView<'a>,
    /// Whether numbers are big-endian.
    pub is_big_endian: bool,
    /// BigTIFF: offsets and counts of eight bytes.
    pub is_wide: bool,
    /// 42, 43 for BigTIFF, others in raw photos.
    pub version: u16,
    /// Where the first directory starts.
    pub first: u64,
}

/// A directory whose count of entries is known.
///
/// ```
/// use solio_container::{ByteView, tiff::{Tiff, tags}};
/// let file = b"II*\0\x08\0\0\0\x01\0\x00\x01\x03\0\x01\0\0\0\x80\x02\0\0\0\0\0\0";
/// let tiff = Tiff::open(ByteView::memory(file), true).unwrap();
/// let directory = tiff.directory(tiff.first).unwrap();
/// let entry = directory.entry(&directory.bytes().unwrap(), 0).unwrap();
/// assert_eq!((entry.tag, entry.count), (tags::IMAGE_WIDTH, 1));
/// assert_eq!(tiff.word(entry.at, 2), Some(640));
/// assert_eq!(directory.next(), Some(0));
/// ```
#[derive(Clone, Copy)]
pub struct TiffDirectory<'a> {
    tiff: Tiff<'a>,
    /// Where its entries start.
    pub start: u64,
    /// How many entries it has.
    pub count: u64,
}

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiffEntry {
    /// The number of its tag.
    pub tag: u16,
    /// How its values are stored.
    pub field_type: FieldType,
    /// How many values it has.
    pub count: u64,
    /// Where its first value is.
    pub at: u64,
}

impl TiffEntry {
    /// How many bytes its values have.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.field_type.size() as u64)
    }
}

impl<'a> Tiff<'a> {
    /// The structure that starts with `view`; only a file may be BigTIFF. `None` where no byte order
    /// stands.
    pub fn open(view: ByteView<'a>, is_file: bool) -> Option<Self> {
        let head = view.array::<8>(0)?;
        let is_big_endian = match &head[..2] {
            b"II" => false,
            b"MM" => true,
            _ => return None,
        };
        let version = word(&head[2..4], is_big_endian) as u16;
        let first = word(&head[4..8], is_big_endian);
        let is_wide = is_file && version == 43;
        let mut tiff = Tiff { view, is_big_endian, is_wide, version, first };
        if is_wide {
            tiff.first = tiff.word(8, 8).unwrap_or(0);
        }
        Some(tiff)
    }

    /// A number of up to eight bytes.
    pub fn word(&self, at: u64, bytes: usize) -> Option<u64> {
        self.view.with(at, bytes, |found| word(found, self.is_big_endian))
    }

    /// The bytes of an offset.
    pub fn offset_bytes(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    /// The directory at `at`; `None` where the count of its entries is missing.
    pub fn directory(&self, at: u64) -> Option<TiffDirectory<'a>> {
        let bytes = if self.is_wide { 8 } else { 2 };
        let count = self.word(at, bytes)?;
        Some(TiffDirectory { tiff: *self, start: at + bytes as u64, count })
    }
}

impl<'a> TiffDirectory<'a> {
    /// The bytes of one entry.
    pub fn entry_bytes(&self) -> usize {
        if self.tiff.is_wide { 20 } else { 12 }
    }

    /// Where its entries end.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.count.saturating_mul(self.entry_bytes() as u64))
    }

    /// All entries as they are stored; `None` where they are not all there.
    pub fn bytes(&self) -> Option<Cow<'a, [u8]>> {
        self.tiff.view.get(self.start, usize::try_from(self.end() - self.start).ok()?)
    }

    /// The entry of number `n` among `bytes`, those of [`TiffDirectory::bytes`]; `None` where its type
    /// is not known.
    pub fn entry(&self, bytes: &[u8], n: usize) -> Option<TiffEntry> {
        let is_big_endian = self.tiff.is_big_endian;
        let bytes = bytes.chunks_exact(self.entry_bytes()).nth(n)?;
        let tag = word(&bytes[..2], is_big_endian) as u16;
        let field_type = FieldType::of_number(word(&bytes[2..4], is_big_endian) as u16)?;
        let (count, value) = bytes[4..].split_at(self.tiff.offset_bytes());
        let mut entry = TiffEntry { tag, field_type, count: word(count, is_big_endian), at: 0 };
        entry.at = if entry.bytes() <= value.len() as u64 {
            self.start + (n * self.entry_bytes() + 4 + value.len()) as u64
        } else {
            word(value, is_big_endian)
        };
        Some(entry)
    }

    /// Where the next directory starts; 0 behind the last. `None` where that is left out.
    pub fn next(&self) -> Option<u64> {
        self.tiff.word(self.end(), self.tiff.offset_bytes())
    }
}

/// A number of up to eight bytes.
///
/// ```
/// assert_eq!(solio_container::tiff::word(&[1, 2], true), 258);
/// ```
pub fn word(bytes: &[u8], is_big_endian: bool) -> u64 {
    let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    if is_big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
}
