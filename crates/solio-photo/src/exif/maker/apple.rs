//! Maker notes of Apple: a directory, with property lists in Apple's packed form as values.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::MakerBlock;
use crate::rule::TagRule;
use crate::table;
use crate::value::Value;

/// Where the note's directory is, if it is one of Apple's; offsets count from the note.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    if !head.starts_with(b"Apple iOS\0") {
        return None;
    }
    let (view, big) = (note.tiff.from(note.at), head.get(12) == Some(&b'M'));
    let table = table::APPLE.table("apple")?;
    Some(NoteDirectory::new((view, 14, big), "Apple", table, camera))
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    if name == "apple.run_time" {
        let bytes = block.part.all(1 << 16).unwrap_or_default();
        for (name, number) in numbers(&bytes).unwrap_or_default() {
            let (name, rule) = match name.as_str() {
                "flags" => ("RunTimeFlags", TagRule::Bits(FLAGS)),
                "value" => ("RunTimeValue", TagRule::Plain),
                "timescale" => ("RunTimeScale", TagRule::Plain),
                "epoch" => ("RunTimeEpoch", TagRule::Plain),
                _ => continue,
            };
            gather.put(block.around.group.clone(), name, Value::int(number), rule);
        }
    }
}

/// What is known of a time.
const FLAGS: &str =
    "0:Valid|1:Has been rounded|2:Positive infinity|3:Negative infinity|4:Indefinite";

/// The names and whole numbers of a packed property list that is a dictionary.
fn numbers(bytes: &[u8]) -> Option<Vec<(String, i64)>> {
    let trailer = bytes.len().checked_sub(32)?;
    if !bytes.starts_with(b"bplist00") {
        return None;
    }
    let list = AppleList {
        bytes,
        offset_bytes: usize::from(bytes[trailer + 6]),
        place_bytes: usize::from(bytes[trailer + 7]),
        places: number(bytes, trailer + 24, 8)? as usize,
    };
    let top = list.at(number(bytes, trailer + 16, 8)? as usize)?;
    let (0xd0, count) = (bytes.get(top)? & 0xf0, usize::from(bytes[top] & 15)) else { return None };
    // Longer dictionaries have their count elsewhere; those of times have four members.
    if count == 15 {
        return None;
    }
    let member = |n: usize| {
        let at = top.checked_add(1)?.checked_add(n.checked_mul(list.place_bytes)?)?;
        list.at(number(bytes, at, list.place_bytes)? as usize)
    };
    let pair = |n: usize| Some((text(bytes, member(n)?)?, whole(bytes, member(count + n)?)?));
    Some((0..count).filter_map(pair).collect())
}

struct AppleList<'a> {
    bytes: &'a [u8],
    /// Bytes of an offset.
    offset_bytes: usize,
    /// Bytes of an object's number.
    place_bytes: usize,
    /// Where the offsets of all objects are.
    places: usize,
}

impl AppleList<'_> {
    /// Where an object is.
    fn at(&self, object: usize) -> Option<usize> {
        let at = self.places.checked_add(object.checked_mul(self.offset_bytes)?)?;
        Some(number(self.bytes, at, self.offset_bytes)? as usize)
    }
}

/// A number of up to eight bytes.
fn number(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(count)?).filter(|_| (1..=8).contains(&count))?;
    Some(bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// A short text of ASCII.
fn text(bytes: &[u8], at: usize) -> Option<String> {
    let mark = *bytes.get(at)?;
    let short = mark & 0xf0 == 0x50 && mark & 15 < 15;
    let text = bytes.get(at + 1..at + 1 + usize::from(mark & 15)).filter(|_| short)?;
    Some(crate::value::lossy(text))
}

/// A whole number.
fn whole(bytes: &[u8], at: usize) -> Option<i64> {
    let mark = *bytes.get(at)?;
    let count = (mark & 0xf0 == 0x10 && mark & 15 <= 3).then_some(1 << (mark & 15))?;
    number(bytes, at + 1, count).map(|n| n as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<u8> {
        let mut bytes = b"bplist00\xd2\x01\x02\x03\x04\x55flags\x55value\x10\x01\x13".to_vec();
        bytes.extend(4_905_158_086_875_u64.to_be_bytes());
        let places = bytes.len() as u64;
        bytes.extend([8, 13, 19, 25, 27]);
        bytes.extend([0, 0, 0, 0, 0, 0, 1, 1]);
        for number in [5, 0, places] {
            bytes.extend(number.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn numbers_of_a_dictionary() {
        let want = vec![("flags".to_owned(), 1), ("value".to_owned(), 4_905_158_086_875)];
        assert_eq!(numbers(&list()), Some(want));
    }

    #[test]
    fn lists_that_are_none() {
        let list = list();
        for end in 0..list.len() {
            let _ = numbers(&list[..end]);
        }
        for at in 0..list.len() {
            for byte in [0, 1, 8, 0x55, 0xff] {
                let mut wrong = list.clone();
                wrong[at] = byte;
                let _ = numbers(&wrong);
            }
        }
    }
}
