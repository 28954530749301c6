//! TIFF, BigTIFF and the raw photos that are made so: every directory, and where it says that bytes
//! lie (TIFF 6.0; DNG; Exif 2.32, 4.6.3).

use super::cursor::Cursor;
use super::{Whole, follows, pixels};
use solio_base::{Error, Result};
use std::collections::BTreeSet;

/// Directories of a file; films have a few thousand pages.
const MOST_DIRECTORIES: usize = 100_000;
/// Values of a list of places that are looked at.
const MOST_VALUES: u64 = 10_000_000;

const WIDTH: u64 = 0x100;
const HEIGHT: u64 = 0x101;
const STRIP_OFFSETS: u64 = 0x111;
const STRIP_BYTES: u64 = 0x117;
const TILE_OFFSETS: u64 = 0x144;
const TILE_BYTES: u64 = 0x145;
const JPEG_OFFSET: u64 = 0x201;
const JPEG_BYTES: u64 = 0x202;
/// Directories within: SubIFDs, Exif, GPS, interoperability.
const BELOW: [u64; 4] = [0x14a, 0x8769, 0x8825, 0xa005];

struct Tiff<'c, 's> {
    file: &'c mut Cursor<'s>,
    little: bool,
    big: bool,
    /// How far anything reaches.
    end: u64,
}

/// A field of a directory: its tag, the bytes of a value, how many there are, where they lie.
#[derive(Clone, Copy)]
struct Field {
    tag: u64,
    bytes: u64,
    count: u64,
    at: u64,
}

/// What a directory says of its pixels.
#[derive(Default)]
struct Places {
    size: (u64, u64),
    /// Lists of places and of their lengths.
    lists: [Option<Field>; 6],
}

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    let [order, _, low, high] = file.take("the head")?;
    let little = order == b'I';
    let big = if little { low == 0x2b } else { high == 0x2b };
    let mut tiff = Tiff { file, little, big, end: 0 };
    if big {
        tiff.file.skip(4, "the head")?;
    }
    let mut waiting = vec![tiff.offset("the head")?];
    let (mut seen, mut found) = (BTreeSet::new(), (0, 0));
    while let Some(at) = waiting.pop() {
        if at == 0 || !seen.insert(at) {
            continue;
        }
        if seen.len() > MOST_DIRECTORIES {
            let message = format!("there are more than {MOST_DIRECTORIES} directories");
            return Err(Error::limit(message).at_offset(at));
        }
        let size = tiff.directory(at, &mut waiting)?;
        // The largest picture is the one; the others are previews.
        found = found.max((size.0.saturating_mul(size.1), size.0));
    }
    if seen.is_empty() {
        return Err(Error::corrupt("there is no directory").at_offset(4));
    }
    let rest = tiff.file.len - tiff.end.min(tiff.file.len);
    let (all, width) = found;
    let found = match width {
        0 => format!("{} directories", seen.len()),
        width => pixels(width, all / width),
    };
    // Makers keep things where no directory of the standard leads.
    let notes = if rest > 4096 { vec![follows(rest)] } else { Vec::new() };
    Ok(Whole { found, notes, ..Whole::default() })
}

impl Tiff<'_, '_> {
    fn number(&mut self, bytes: u64, what: &str) -> Result<u64> {
        let mut value = [0; 8];
        let value = &mut value[..bytes as usize];
        self.file.fill(value, what)?;
        let digit = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
        Ok(match self.little {
            true => value.iter().rev().fold(0, digit),
            false => value.iter().fold(0, digit),
        })
    }

    fn offset(&mut self, what: &str) -> Result<u64> {
        self.number(if self.big { 8 } else { 4 }, what)
    }

    fn reach(&mut self, end: u64, what: &str) -> Result<()> {
        self.end = self.end.max(end);
        self.file.reach(end, what)
    }

    /// Looks at a directory and puts those that it leads to behind `waiting`; the size of its picture.
    fn directory(&mut self, at: u64, waiting: &mut Vec<u64>) -> Result<(u64, u64)> {
        const WHAT: &str = "a directory";
        self.reach(at.saturating_add(2), WHAT)?;
        self.file.go(at);
        let count = self.number(if self.big { 8 } else { 2 }, WHAT)?;
        let (entry, inline) = if self.big { (20, 8) } else { (12, 4) };
        let next = self.file.at().saturating_add(count.saturating_mul(entry));
        self.reach(next, WHAT)?;
        let mut places = Places::default();
        for _ in 0..count {
            let start = self.file.at();
            let field = self.field(inline)?;
            self.keep(field, &mut places, waiting)?;
            self.file.go(start + entry);
        }
        // Some writers leave the link to the next one out where the file ends.
        if self.file.rest() >= inline {
            waiting.push(self.offset(WHAT)?);
        }
        self.end = self.end.max(next);
        self.pixels(&places)?;
        Ok(places.size)
    }

    fn field(&mut self, inline: u64) -> Result<Field> {
        const WHAT: &str = "a directory";
        let (tag, kind) = (self.number(2, WHAT)?, self.number(2, WHAT)?);
        let count = self.offset(WHAT)?;
        let bytes = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            // Types that nobody knows say nothing about their length.
            _ => 0,
        };
        let all = count.saturating_mul(bytes);
        let mut at = self.file.at();
        if all > inline {
            at = self.offset(WHAT)?;
            self.reach(at.saturating_add(all), &format!("the values of tag {tag:#06x}"))?;
        }
        Ok(Field { tag, bytes, count, at })
    }

    fn keep(&mut self, field: Field, places: &mut Places, waiting: &mut Vec<u64>) -> Result<()> {
        let lists = [STRIP_OFFSETS, STRIP_BYTES, TILE_OFFSETS, TILE_BYTES, JPEG_OFFSET, JPEG_BYTES];
        if let Some(list) = lists.iter().position(|tag| *tag == field.tag) {
            places.lists[list] = Some(field);
        } else if BELOW.contains(&field.tag) {
            waiting.extend(self.values(field, 1024)?);
        } else if field.tag == WIDTH || field.tag == HEIGHT {
            let value = self.values(field, 1)?.first().copied().unwrap_or(0);
            let size = &mut places.size;
            *(if field.tag == WIDTH { &mut size.0 } else { &mut size.1 }) = value;
        }
        Ok(())
    }

    fn values(&mut self, field: Field, most: u64) -> Result<Vec<u64>> {
        if !matches!(field.bytes, 1 | 2 | 4 | 8) {
            return Ok(Vec::new());
        }
        self.file.go(field.at);
        (0..field.count.min(most)).map(|_| self.number(field.bytes, "a list of places")).collect()
    }

    /// That all pixels lie within the file.
    fn pixels(&mut self, places: &Places) -> Result<()> {
        for (pair, what) in places.lists.chunks_exact(2).zip(["a strip", "a tile", "a preview"]) {
            let [Some(offsets), Some(bytes)] = pair else { continue };
            if offsets.count != bytes.count {
                continue;
            }
            let offsets = self.values(*offsets, MOST_VALUES)?;
            let bytes = self.values(*bytes, MOST_VALUES)?;
            for (at, bytes) in offsets.into_iter().zip(bytes) {
                self.reach(at.saturating_add(bytes), &format!("{what} of pixels"))?;
            }
        }
        Ok(())
    }
}
