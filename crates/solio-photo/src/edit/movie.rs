//! Patches of films: times in headers, keys and places.

use super::PhotoEdit;
use super::dates::{DateEdit, WallTime, changed_text};
use super::patches::Patches;
use crate::Metadata;
use solio_base::{Error, Result};
use solio_container::{ByteView, ContainerChunk, boxes};

/// Seconds from 1904, where films begin to count, to 1970.
const EPOCH_S: i64 = 2_082_844_800;
const MOST_BOXES: usize = 1 << 12;

/// `is_of_place`: headers say the time of the place, and not universal time.
pub(crate) fn patch(
    film: &ByteView<'_>,
    is_of_place: bool,
    edit: &PhotoEdit,
    before: &Metadata,
    patches: &mut Patches,
) -> Result<()> {
    if edit.orientation.is_some() && !is_of_place {
        return Err(Error::unsupported(
            "a film is turned by the matrix of its tracks, which is not written",
        ));
    }
    if let Some(date) = edit.date {
        let is_dated =
            before.tags.iter().any(|tag| tag.group == "QuickTime" && tag.name == "CreateDate");
        if is_dated && !is_of_place && matches!(date, DateEdit::Set { offset_s: None, .. }) {
            let error = Error::unsupported("films say UTC, and the date has no zone");
            return Err(error.hint("add it: --date 2023-01-02T03:04:05+01:00"));
        }
        times(*film, date, is_of_place, 0, patches)?;
    }
    for found in inner(*film, 0) {
        match &found.kind {
            b"meta" => keys(found.body, edit, patches),
            b"udta" if edit.remove_gps => {
                for said in inner(found.body, 0).filter(|said| is_place(&said.kind)) {
                    free(found.body, &said, patches);
                }
            }
            _ => {}
        }
        if &found.kind == b"udta" {
            for meta in inner(found.body, 0).filter(|it| &it.kind == b"meta") {
                keys(meta.body, edit, patches);
            }
        }
    }
    Ok(())
}

fn is_place(kind: &[u8; 4]) -> bool {
    kind == b"\xa9xyz" || kind == b"loci"
}

fn inner<'a>(view: ByteView<'a>, at: u64) -> impl Iterator<Item = ContainerChunk<'a>> {
    boxes(view, at).map_while(Result::ok).take(MOST_BOXES)
}

/// The headers of the film, its tracks and their media.
fn times(
    view: ByteView<'_>,
    date: DateEdit,
    is_of_place: bool,
    depth: u8,
    patches: &mut Patches,
) -> Result<()> {
    for found in inner(view, 0) {
        match &found.kind {
            b"trak" | b"mdia" if depth < 4 => {
                times(found.body, date, is_of_place, depth + 1, patches)?;
            }
            b"mvhd" | b"tkhd" | b"mdhd" => {
                let wide = if found.body.u8(0) == Some(1) { 8 } else { 4 };
                for at in [4, 4 + wide as u64] {
                    let Some(old) = found.body.get(at, wide) else { continue };
                    let old = old.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
                    if let Some(new) = changed(old, date, is_of_place) {
                        let bytes = new.to_be_bytes();
                        if bytes[..8 - wide].iter().any(|byte| *byte != 0) {
                            let error = "the header of the film has no room for this date";
                            return Err(Error::unsupported(error));
                        }
                        patches.put(found.body, at, &bytes[8 - wide..]);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A header's time, changed; one that nobody set is set alone.
fn changed(old: u64, date: DateEdit, is_of_place: bool) -> Option<u64> {
    let seconds = match date {
        DateEdit::Shift { .. } if old == 0 => return None,
        DateEdit::Shift { seconds } => i64::try_from(old).ok()?.checked_add(seconds)?,
        DateEdit::Set { wall, offset_s } => {
            let offset_s = if is_of_place { 0 } else { offset_s.unwrap_or(0) };
            wall.seconds() - i64::from(offset_s) + EPOCH_S
        }
    };
    // As a date it must be one.
    WallTime::of_seconds(seconds - EPOCH_S)?;
    u64::try_from(seconds).ok()
}

/// Apple's and Android's keys: names in one list, values in another.
fn keys(meta: ByteView<'_>, edit: &PhotoEdit, patches: &mut Patches) {
    let first = if meta.array::<4>(4).is_some_and(|kind| &kind == b"hdlr") { 0 } else { 4 };
    let mut names: Vec<Vec<u8>> = Vec::new();
    for found in inner(meta, first) {
        match &found.kind {
            b"keys" => {
                let all = inner(found.body, 8);
                names = all.map(|key| key.body.all(256).unwrap_or_default().into_owned()).collect();
            }
            b"ilst" => {
                for item in inner(found.body, 0) {
                    let number = u32::from_be_bytes(item.kind) as usize;
                    let name =
                        names.get(number.wrapping_sub(1)).map(Vec::as_slice).unwrap_or_default();
                    let is_place = is_place(&item.kind) || name.ends_with(b"location.ISO6709");
                    if edit.remove_gps && is_place {
                        free(found.body, &item, patches);
                    }
                    if let Some(date) = edit.date.filter(|_| name.ends_with(b".creationdate")) {
                        value(item.body, date, patches);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The text of a key's value.
fn value(item: ByteView<'_>, date: DateEdit, patches: &mut Patches) {
    for data in inner(item, 0).filter(|found| &found.kind == b"data") {
        let Some(text) = data.body.from(8).all(64) else { continue };
        if let Some(new) = changed_text(&text, date) {
            patches.put(data.body, 8, &new);
        }
    }
}

/// Makes a box one that says nothing.
fn free(view: ByteView<'_>, found: &ContainerChunk<'_>, patches: &mut Patches) {
    let kind_at = found.start - 4;
    // Behind a long length the kind stands before it.
    let kind_at = if found.start - found.at == 16 { found.at + 4 } else { kind_at };
    patches.put(view, kind_at, b"free");
    if found.len <= 1 << 16 {
        patches.put(view, found.start, &vec![0; found.len as usize]);
    }
}
