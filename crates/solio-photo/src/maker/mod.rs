//! Maker notes: what each maker of cameras keeps in EXIF's tag 0x927c, in a form of its own.
//!
//! Most are directories like EXIF's, some with a head in front, with offsets that count from the
//! TIFF structure, from the note or from a TIFF structure within the note.

mod reconyx;

use crate::bytes::View;
use crate::exif::{Place, Stored, decode, read_note};
use crate::gather::Gather;
use crate::table::{self, Lazy};
use std::borrow::Cow;

/// A note and what is around it.
pub(crate) struct Note<'a> {
    /// The TIFF structure that the note is in.
    pub(crate) tiff: View<'a>,
    /// Where the note starts in it.
    pub(crate) at: u64,
    /// How long it is.
    pub(crate) bytes: u64,
    /// The byte order of the structure.
    pub(crate) big: bool,
}

/// Reads a note of a maker that is known.
pub(crate) fn read(note: &Note<'_>, gather: &mut Gather<'_>) {
    let body = note.tiff.part(note.at, note.bytes);
    let Some(head) = body.get(0, body.len().min(16) as usize) else { return };
    if let Some(place) = place(note, &head) {
        if gather.fields.wants_any(place.group, place.table) {
            read_note(&place, gather);
        }
        return;
    }
    if let [0x01, 0xf1, 0x02 | 0x03, 0, ..] = &head[..] {
        reconyx::read(body, gather);
    }
}

/// Where the note's directory is.
fn place<'a>(note: &Note<'a>, head: &[u8]) -> Option<Place<'a>> {
    // Apple's and FujiFilm's offsets count from the note's start, Panasonic's as EXIF's own do.
    let own = note.tiff.from(note.at);
    if head.starts_with(b"Apple iOS\0") {
        let big = head.get(12) == Some(&b'M');
        return Some(Place { view: own, at: 14, big, group: "Apple", table: &table::APPLE });
    }
    if head.starts_with(b"FUJIFILM") {
        let at = u64::from(own.le32(8)?);
        return Some(Place {
            view: own,
            at,
            big: false,
            group: "FujiFilm",
            table: &table::FUJIFILM,
        });
    }
    if head.starts_with(b"Panasonic\0\0\0") {
        let (view, at) = (note.tiff, note.at + 12);
        return Some(Place {
            view,
            at,
            big: note.big,
            group: "Panasonic",
            table: &table::PANASONIC,
        });
    }
    None
}

/// Reads numbers at fixed places; a tag's number times the unit is its place.
pub(crate) fn read_record(
    part: View<'_>,
    unit: Stored,
    big: bool,
    table: &'static Lazy,
    group: &Cow<'static, str>,
    gather: &mut Gather<'_>,
) {
    if !gather.fields.wants_any(group, table) {
        return;
    }
    for row in table.get().rows() {
        let (name, count) = match row.stored.and_then(|s| s.split_once('[')) {
            Some((name, count)) => (Some(name), count.trim_end_matches(']').parse().unwrap_or(1)),
            None => (row.stored, 1),
        };
        let stored = name.and_then(Stored::of_name).unwrap_or(unit);
        let at = u64::from(row.id) * unit.size() as u64;
        let Some(bytes) = part.get(at, stored.size() * count) else { continue };
        gather.put(group.clone(), row.name, decode(&bytes, stored, big), row.rule);
    }
}
