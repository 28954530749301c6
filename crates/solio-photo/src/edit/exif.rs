//! Patches of EXIF directories.

use super::PhotoEdit;
use super::blocks::{BlockRole, ExifBlock};
use super::dates::{DateEdit, WallTime, offset_text};
use super::patches::Patches;
use solio_base::{Error, Result};
use solio_container::tiff::{FieldType, Tiff, TiffDirectory, TiffEntry};

const ORIENTATION: u16 = 0x0112;
const MODIFY_DATE: u16 = 0x0132;
const EXIF: u16 = 0x8769;
const GPS: u16 = 0x8825;
const MAKER_NOTE: u16 = 0x927c;
const ORIGINAL: u16 = 0x9003;
const CREATED: u16 = 0x9004;
const OFFSETS: [u16; 3] = [0x9010, 0x9011, 0x9012];
const FRACTIONS: [u16; 3] = [0x9290, 0x9291, 0x9292];
/// Bytes of `2023:01:02 03:04:05` with the zero behind.
const DATE_BYTES: u64 = 20;
/// Entries of a directory.
const MOST_ENTRIES: u64 = 1 << 12;

pub(crate) fn patch(block: &ExifBlock<'_>, edit: &PhotoEdit, patches: &mut Patches) -> Result<()> {
    let tiff = block.tiff;
    let Some(directory) = tiff.directory(tiff.first) else { return Ok(()) };
    match block.role {
        BlockRole::Gps if edit.remove_gps => empty(&tiff, &directory, patches),
        BlockRole::Gps => {}
        role => {
            dates(&tiff, &directory, edit, patches)?;
            if role == BlockRole::Main {
                main(&tiff, &directory, edit, patches)?;
            }
        }
    }
    Ok(())
}

/// The directory of the picture, and those that it leads to.
fn main(
    tiff: &Tiff<'_>,
    directory: &TiffDirectory<'_>,
    edit: &PhotoEdit,
    patches: &mut Patches,
) -> Result<()> {
    let all = entries(directory);
    for (n, entry) in &all {
        match entry.tag {
            ORIENTATION if entry.field_type == FieldType::Int16u && entry.count == 1 => {
                if let Some(turn) = edit.orientation {
                    patches.put(tiff.view, entry.at, &word(tiff, turn.into(), 2));
                }
            }
            EXIF => {
                if let Some(inner) = pointed(tiff, entry) {
                    dates(tiff, &inner, edit, patches)?;
                }
            }
            GPS if edit.remove_gps => {
                if let Some(inner) = pointed(tiff, entry) {
                    empty(tiff, &inner, patches);
                }
                remove(tiff, directory, *n, patches);
            }
            _ => {}
        }
    }
    Ok(())
}

/// All dates of a directory, with what stands beside them.
fn dates(
    tiff: &Tiff<'_>,
    directory: &TiffDirectory<'_>,
    edit: &PhotoEdit,
    patches: &mut Patches,
) -> Result<()> {
    let Some(date) = edit.date else { return Ok(()) };
    let all = entries(directory);
    // Some cameras point into what only they can read.
    let note = all.iter().find(|(_, entry)| entry.tag == MAKER_NOTE).map(|(_, entry)| *entry);
    let is_in_note = |entry: &TiffEntry| {
        note.is_some_and(|note| {
            let end = entry.at.saturating_add(entry.bytes());
            entry.at < note.at.saturating_add(note.bytes()) && note.at < end
        })
    };
    for (_, entry) in all {
        let Some(old) = tiff.view.get(entry.at, entry.bytes().min(64) as usize) else { continue };
        let is_text = entry.field_type == FieldType::Text;
        match entry.tag {
            MODIFY_DATE | ORIGINAL | CREATED if is_text && entry.count == DATE_BYTES => {
                let new = match (date, WallTime::read(&old)) {
                    (DateEdit::Set { wall, .. }, _) => Some(wall),
                    (DateEdit::Shift { seconds }, Some((time, 19))) => time.shifted(seconds),
                    _ => None,
                };
                if is_in_note(&entry) {
                    let error = "the maker note holds the same bytes as a date";
                    return Err(Error::unsupported(error));
                }
                if let Some(new) = new {
                    patches.put(tiff.view, entry.at, new.exif().as_bytes());
                }
            }
            tag if OFFSETS.contains(&tag) && is_text && entry.count == 7 => {
                if let DateEdit::Set { offset_s: Some(offset_s), .. } = date {
                    patches.put(tiff.view, entry.at, offset_text(offset_s).as_bytes());
                }
            }
            // A whole second was set.
            tag if FRACTIONS.contains(&tag) && is_text => {
                if matches!(date, DateEdit::Set { .. }) {
                    let zeros: Vec<u8> = old
                        .iter()
                        .map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte })
                        .collect();
                    patches.put(tiff.view, entry.at, &zeros);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Takes an entry out: those behind it move up, within the directory.
fn remove(tiff: &Tiff<'_>, directory: &TiffDirectory<'_>, n: usize, patches: &mut Patches) {
    let Some(bytes) = directory.bytes() else { return };
    let (each, offset) = (directory.entry_bytes(), tiff.offset_bytes());
    let Some(next) = tiff.view.get(directory.end(), offset) else { return };
    let mut new = bytes[..n * each].to_vec();
    new.extend_from_slice(&bytes[(n + 1) * each..]);
    new.extend_from_slice(&next);
    new.resize(bytes.len() + offset, 0);
    let wide = if tiff.is_wide { 8 } else { 2 };
    let count = word(tiff, directory.count - 1, wide as usize);
    patches.put(tiff.view, directory.start - wide, &[count, new].concat());
}

/// Makes a directory one of no entries, and zeros of all that it held.
fn empty(tiff: &Tiff<'_>, directory: &TiffDirectory<'_>, patches: &mut Patches) {
    let wide = if tiff.is_wide { 8 } else { 2 };
    let start = directory.start - wide;
    let all = directory.end() + tiff.offset_bytes() as u64 - start;
    let inside = start..start + all;
    for (_, entry) in entries(directory) {
        // Values of their own alone: what lies within is zeroed with the directory.
        if !inside.contains(&entry.at) && entry.bytes() <= 1 << 16 {
            patches.put(tiff.view, entry.at, &vec![0; entry.bytes() as usize]);
        }
    }
    patches.put(tiff.view, start, &vec![0; all as usize]);
}

fn entries(directory: &TiffDirectory<'_>) -> Vec<(usize, TiffEntry)> {
    let Some(bytes) = directory.bytes().filter(|_| directory.count <= MOST_ENTRIES) else {
        return Vec::new();
    };
    let all = (0..directory.count as usize).filter_map(|n| Some((n, directory.entry(&bytes, n)?)));
    all.collect()
}

/// The directory that an entry points to.
fn pointed<'a>(tiff: &Tiff<'a>, entry: &TiffEntry) -> Option<TiffDirectory<'a>> {
    let bytes = entry.field_type.size();
    let at = tiff.word(entry.at, bytes).filter(|_| entry.count == 1 && bytes >= 4)?;
    tiff.directory(at).filter(|inner| inner.count <= MOST_ENTRIES)
}

fn word(tiff: &Tiff<'_>, value: u64, bytes: usize) -> Vec<u8> {
    let all = value.to_le_bytes();
    let mut word = all[..bytes].to_vec();
    if tiff.is_big_endian {
        word.reverse();
    }
    word
}
