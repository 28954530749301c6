//! What offsets of a maker's note count from, and its byte order, where programs have moved the note
//! or written the structure around it anew.
//!
//! Behind a directory of n entries its values follow, as a rule at once or after the four bytes of
//! the next directory's place. Where the first value lies elsewhere, what offsets count from is not
//! where the head of the note says, and is moved by the difference.

use super::MakerNote;
use crate::exif::{NoteDirectory, NoteOffsets};
use solio_container::ByteView;
use solio_container::tiff::{FieldType, word};
use std::collections::BTreeMap;

/// Most entries of a directory that is looked at.
const MOST_ENTRIES: u64 = 512;
/// Offsets below this are within the head of any structure, and so none.
const HEAD: i64 = 12;
/// The tag of PrintIM, whose value starts with its name.
const PRINT_IM: u64 = 0x0e00;

/// A directory as it lies: its values by offset, and the longest at each.
struct NoteValues {
    /// How long the directory is without the next one's place.
    bytes: i64,
    blocks: BTreeMap<i64, i64>,
    /// The same offsets if each counts from its own entry: the first, and the end of the nearest.
    by_entry: Option<(i64, i64)>,
    print_im: Option<i64>,
}

impl NoteValues {
    fn of(place: &NoteDirectory<'_>) -> Option<NoteValues> {
        let number = |at: u64, bytes| Some(word(&place.view.get(at, bytes)?, place.big));
        let count = number(place.at, 2)?.min(MOST_ENTRIES);
        let bytes = 2 + 12 * count as i64;
        let mut values =
            NoteValues { bytes, blocks: BTreeMap::new(), by_entry: None, print_im: None };
        for n in 0..count {
            let entry = place.at + 2 + 12 * n;
            let Some(stored) = FieldType::of_number(number(entry + 2, 2)? as u16) else { break };
            let entry = place.view.array::<12>(entry)?;
            let bytes = word(&entry[4..8], place.big).saturating_mul(stored.size() as u64) as i64;
            if bytes <= 4 {
                continue;
            }
            let at = word(&entry[8..], place.big) as i64;
            if word(&entry[..2], place.big) == PRINT_IM {
                values.print_im = Some(at);
            }
            let longest = values.blocks.entry(at).or_insert(bytes);
            *longest = bytes.max(*longest);
            let own = at + 12 * n as i64;
            let (first, end) = values.by_entry.unwrap_or((own, own + bytes));
            let first = if first < HEAD { own } else { first.min(own) };
            values.by_entry = Some((first, end.min(own + bytes)));
        }
        Some(values)
    }

    /// The first offset that can be one: behind `expected`, if a wide gap lies before that.
    fn first(&self, expected: i64) -> Option<i64> {
        let mut first = *self.blocks.keys().next()?;
        let mut last = None;
        for (at, bytes) in &self.blocks {
            if let Some(last) = last {
                if at - last >= self.bytes && (at - expected).abs() <= 4 {
                    first = *at;
                }
                if first < HEAD {
                    first = *at;
                }
            }
            last = Some(at + bytes);
        }
        Some(first)
    }

    /// Whether offsets count from their own entries: values follow each other if they do.
    fn count_by_entry(&self, most: i64) -> bool {
        let Some((first, end)) = self.by_entry else { return false };
        let (mut steps, mut tight) = (0, 0);
        for ((at, bytes), next) in self.blocks.iter().zip(self.blocks.keys().skip(1)) {
            match next - (at + bytes) {
                -12 => steps += 1,
                0 | 1 => tight += 1,
                _ => {}
            }
        }
        let close = [self.bytes - 2, self.bytes + 2].contains(&first);
        (close || steps > tight && first >= self.bytes - 2) && end <= most
    }
}

/// The byte order in which a directory has few entries, `big` where both have.
pub(super) fn counts_big(view: ByteView<'_>, at: u64, big: bool) -> bool {
    let Some([high, low]) = view.array::<2>(at) else { return big };
    let (high, low) = if big { (high, low) } else { (low, high) };
    // More than 255 entries, and fewer if read the other way.
    if high > low { !big } else { big }
}

/// The directory as it is to be read. `gaps`: of makers that put the note elsewhere, how many bytes
/// lie behind the directory; the first is the usual number. Of others only offsets from entries and
/// what Canon's foot says are heeded.
pub(super) fn settled<'a>(
    mut place: NoteDirectory<'a>,
    note: &MakerNote<'a>,
    gaps: Option<&[i64]>,
) -> NoteDirectory<'a> {
    place.big = counts_big(place.view, place.at, place.big);
    let Some(values) = NoteValues::of(&place).filter(|values| !values.blocks.is_empty()) else {
        return place;
    };
    let end = place.at as i64 + values.bytes;
    if let Some(moved) = foot(&place, note, &values) {
        return by(place, moved);
    }
    let head = place.at.saturating_sub(note.at) as i64;
    if values.count_by_entry(note.bytes as i64 - head - 2) {
        place.offsets = NoteOffsets::OwnEntries;
        let first = place.at;
        return by(place, first as i64);
    }
    let Some(gaps) = gaps else { return place };
    let Some(first) = values.first(end + gaps.first().unwrap_or(&4)) else { return place };
    let found = first - end;
    let proven = values.print_im.is_some_and(|at| {
        u64::try_from(at).is_ok_and(|at| place.view.part(at, 8).starts_with(b"PrintIM\0"))
    });
    if proven || [0, 4].contains(&found) || gaps.contains(&found) {
        return place;
    }
    by(place, gaps.first().unwrap_or(&4) - found)
}

/// By how much Canon's foot says that the note was moved: it names the place where the camera wrote
/// it. Programs that corrected the offsets left it as it was; the last value ends before it then.
fn foot(place: &NoteDirectory<'_>, note: &MakerNote<'_>, values: &NoteValues) -> Option<i64> {
    if !place.camera.make.starts_with("Canon") || place.at != note.at {
        return None;
    }
    let start = note.bytes.checked_sub(8)?;
    let foot = note.tiff.part(note.at, note.bytes).array::<8>(start)?;
    let written = match foot {
        [b'I', b'I', 0x2a, 0, at @ ..] if !place.big => u32::from_le_bytes(at),
        [b'M', b'M', 0, 0x2a, at @ ..] if place.big => u32::from_be_bytes(at),
        _ => return None,
    };
    let (last, bytes) = values.blocks.last_key_value()?;
    let corrected = [0, 1].contains(&((note.at + start) as i64 - (last + bytes)));
    Some(if corrected { 0 } else { note.at as i64 - i64::from(written) })
}

/// The same directory where offsets count from a place `moved` bytes further on.
fn by(place: NoteDirectory<'_>, moved: i64) -> NoteDirectory<'_> {
    let bytes = moved.unsigned_abs();
    match place.at.checked_sub(bytes) {
        Some(at) if moved >= 0 => NoteDirectory { view: place.view.from(bytes), at, ..place },
        _ if moved < 0 => {
            let at = place.at.saturating_add(bytes);
            NoteDirectory { view: place.view.behind(bytes), at, ..place }
        }
        // Before the start there is nothing to count from.
        _ => place,
    }
}
