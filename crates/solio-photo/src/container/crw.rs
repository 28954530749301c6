//! Canon's older raw files: heaps within heaps, each with its directory at its end.
//!
//! ```text
//! byte order · length of the head (4) · "HEAPCCDR" ("HEAPJPGM" in APP0 of JPEG) · … · heap
//! heap: data · directory: count (2), entries (10 bytes: tag, length, place) · its place (4)
//! ```
//! Canon, CIFF specification 1.0 revision 4. What maker's notes hold as well has the numbers of
//! those with 0x1000 added or changed.

use super::trailer;
use crate::Fields;
use crate::camera::CameraModel;
use crate::exif::{NoteDirectory, read_note};
use crate::gather::Gather;
use crate::number::plain;
use crate::record::{Around, read_block};
use crate::rule::{Named, TagRule};
use crate::table;
use crate::value::{Value, lossy};
use solio_container::{ByteView, tiff::FieldType};
use std::borrow::Cow;

/// Heaps within each other.
const MOST_DEPTH: u8 = 8;
/// Most entries of all heaps.
const MOST_ENTRIES: usize = 4096;
/// Numbers of records that are more than a row of the table.
mod records {
    pub(super) const TEXT: u16 = 0x0805;
    pub(super) const MAKE_AND_MODEL: u16 = 0x080a;
    pub(super) const SERIAL_NUMBER: u16 = 0x180b;
    pub(super) const MEASURED_EV: u16 = 0x1814;
    pub(super) const FILE_NUMBER: u16 = 0x1817;
    pub(super) const EXPOSURE: u16 = 0x1818;
    pub(super) const MODEL_ID: u16 = 0x1834;
    pub(super) const DESCRIPTION_HEAP: u16 = 0x2804;
}

/// Blocks that maker's notes hold too: number here, number there.
const NOTES: [(u16, u16); 8] = [
    (0x1029, 0x0002),
    (0x102a, 0x0004),
    (0x102d, 0x0001),
    (0x1031, 0x00e0),
    (0x1033, 0x000f),
    (0x1038, 0x0012),
    (0x1093, 0x0093),
    (0x10a9, 0x00a9),
];

/// What has been seen of a file.
struct CrwWalk<'a> {
    group: &'static str,
    big: bool,
    entries: usize,
    notes: Vec<(u16, ByteView<'a>)>,
    camera: CameraModel,
}

/// Reads a raw file.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    heaps(view, "CanonRaw", gather);
    if gather.fields.wants_groups_like("XMP") {
        trailer::canon(view, gather);
    }
}

/// Reads what the first cameras kept in front of JPEG's segments.
pub(super) fn read_segment(body: ByteView<'_>, gather: &mut Gather<'_>) {
    heaps(body, "CIFF", gather);
}

/// Whether a segment holds heaps.
pub(super) fn is_segment(body: ByteView<'_>) -> bool {
    let order = body.starts_with(b"II") || body.starts_with(b"MM");
    order && body.part(6, 8).starts_with(b"HEAPJPGM")
}

fn heaps(view: ByteView<'_>, group: &'static str, gather: &mut Gather<'_>) {
    let big = view.get(0, 2).is_some_and(|order| *order == *b"MM");
    let mut walk =
        CrwWalk { group, big, entries: 0, notes: Vec::new(), camera: CameraModel::NONE.clone() };
    let Some(head) = walk.long(view, 2) else { return };
    walk.heap(view.from(u64::from(head)), 0, 0, gather);
    walk.note(gather);
}

impl<'a> CrwWalk<'a> {
    fn long(&self, view: ByteView<'_>, at: u64) -> Option<u32> {
        if self.big { view.be32(at) } else { view.le32(at) }
    }

    fn short(&self, view: ByteView<'_>, at: u64) -> Option<u16> {
        if self.big { view.be16(at) } else { view.le16(at) }
    }

    /// `kind`: the number of the heap in the one around it.
    fn heap(&mut self, view: ByteView<'a>, kind: u16, depth: u8, gather: &mut Gather<'_>) {
        let Some(place) = view.len().checked_sub(4).and_then(|at| self.long(view, at)) else {
            return;
        };
        let directory = view.from(u64::from(place));
        let count = self.short(directory, 0).unwrap_or(0);
        for n in 0..u64::from(count) {
            self.entries += 1;
            if self.entries > MOST_ENTRIES || gather.is_full() {
                return;
            }
            let at = 2 + 10 * n;
            let (Some(tag), Some(len), Some(start)) = (
                self.short(directory, at),
                self.long(directory, at + 2),
                self.long(directory, at + 6),
            ) else {
                return;
            };
            // Small values stand in the entry itself.
            let inside = tag & 0xc000 == 0x4000;
            let part = if inside {
                directory.part(at + 2, 8)
            } else {
                view.part(u64::from(start), u64::from(len))
            };
            let tag = tag & 0x3fff;
            if !inside && part.len() < u64::from(len) {
                continue;
            }
            if matches!(tag >> 11, 5 | 6) {
                if depth < MOST_DEPTH {
                    self.heap(part, tag, depth + 1, gather);
                }
            } else {
                self.tag(tag, kind, part, gather);
            }
        }
    }

    fn tag(&mut self, tag: u16, heap: u16, part: ByteView<'a>, gather: &mut Gather<'_>) {
        if let Some((_, number)) = NOTES.iter().find(|(here, _)| *here == tag) {
            self.notes.push((*number, part));
            return;
        }
        let long = || self.long(part, 0);
        let both = |number: String, text: String| {
            Value::List(vec![Value::Text(number), Value::Text(text)])
        };
        match tag {
            records::TEXT => {
                let text = lossy(&part.all(1 << 16).unwrap_or_default());
                let name = if heap == records::DESCRIPTION_HEAP {
                    "CanonFileDescription"
                } else {
                    "UserComment"
                };
                gather.text(self.group, name, crate::text::before_zero(&text));
            }
            records::MAKE_AND_MODEL => {
                let text = lossy(&part.all(1 << 10).unwrap_or_default());
                // The maker's name has a place of six bytes.
                let name = |part: Option<&str>| {
                    crate::text::before_zero(part.unwrap_or_default()).to_owned()
                };
                self.camera.make = name(text.get(..6).or(Some(&text)));
                self.camera.model = name(text.get(6..));
                gather.text(self.group, "Make", self.camera.make.clone());
                gather.text(self.group, "Model", self.camera.model.clone());
            }
            // Other cameras have another number here.
            records::SERIAL_NUMBER if self.camera.model.contains("EOS") => {
                let number = long().unwrap_or(0);
                let value = both(number.to_string(), format!("{number:010}"));
                gather.put(self.group, "SerialNumber", value, TagRule::Both);
            }
            records::MEASURED_EV => {
                let steps = f32::from_bits(long().unwrap_or(0));
                let value = Value::Floats(vec![f64::from(steps) + 5.0]);
                gather.put(self.group, "MeasuredEV", value, TagRule::Plain);
            }
            records::FILE_NUMBER => {
                let number = long().unwrap_or(0);
                let shown = match number {
                    0..10_000 => number.to_string(),
                    _ => format!("{}-{:04}", number / 10_000, number % 10_000),
                };
                gather.put(
                    self.group,
                    "FileNumber",
                    both(number.to_string(), shown),
                    TagRule::Both,
                );
            }
            records::EXPOSURE => self.exposure(part, gather),
            records::SERIAL_NUMBER => {}
            // The words are those of the maker's notes.
            records::MODEL_ID => {
                let words = table::CANON.table("canon").and_then(|t| t.get().row(0x0010));
                let rule = words.map_or(TagRule::Plain, |row| row.rule);
                gather.put(self.group, "CanonModelID", Value::int(long().unwrap_or(0)), rule);
            }
            _ => self.plain(tag, part, gather),
        }
    }

    /// A tag of the table.
    fn plain(&self, tag: u16, part: ByteView<'a>, gather: &mut Gather<'_>) {
        if let Some(table) = table::RAW.table("crw") {
            let group = Cow::Borrowed(self.group);
            let around =
                Around { big: self.big, camera: &self.camera, ..Around::container(&group) };
            read_block(table, tag.into(), part, &around, gather);
        }
    }

    /// Compensation, and time and aperture as powers of two.
    fn exposure(&self, part: ByteView<'a>, gather: &mut Gather<'_>) {
        let float = |at: u64| Some(f64::from(f32::from_bits(self.long(part, at)?)));
        let (Some(compensation), Some(time), Some(aperture)) = (float(0), float(4), float(8))
        else {
            return;
        };
        let value = |number: f64| Value::Text(plain(number));
        gather.put(self.group, "ExposureCompensation", value(compensation), TagRule::Plain);
        let rule = TagRule::Named(Named::ExposureTime);
        gather.put(self.group, "ShutterSpeedValue", value((-time).exp2()), rule);
        let rule = TagRule::Named(Named::OneDecimal);
        gather.put(self.group, "ApertureValue", value((aperture / 2.0).exp2()), rule);
    }

    /// Reads the blocks of maker's notes as if they stood in one.
    fn note(&self, gather: &mut Gather<'_>) {
        let Some(table) = table::CANON.table("canon") else { return };
        // All such files are of the one byte order.
        let group = if self.group == "CIFF" { self.group } else { "Canon" };
        if self.notes.is_empty() || self.big || !gather.fields.wants_group(group) {
            return;
        }
        let head = 2 + 12 * self.notes.len() + 4;
        let (mut directory, mut data) = (Vec::new(), Vec::new());
        directory.extend((self.notes.len() as u16).to_le_bytes());
        for (number, part) in &self.notes {
            let bytes = part.all(1 << 16).unwrap_or_default();
            directory.extend(number.to_le_bytes());
            directory.extend((FieldType::Int16u as u16).to_le_bytes());
            directory.extend((bytes.len() as u32 / 2).to_le_bytes());
            let at = (head + data.len()) as u32;
            let start = bytes.iter().copied().chain([0; 4]).take(4);
            // Up to four bytes stand in the directory.
            match bytes.len() / 2 {
                0..=2 => directory.extend(start),
                _ => directory.extend(at.to_le_bytes()),
            }
            data.extend_from_slice(&bytes);
        }
        directory.extend([0; 4]);
        directory.extend(data);
        let (view, camera) = (ByteView::memory(&directory), &self.camera);
        let note = NoteDirectory::new((view, 0, false), "Canon", table, camera);
        if group == "Canon" {
            return read_note(&note, gather);
        }
        // A segment's tags have one group.
        let fields = Fields::all();
        let mut own = Gather::new(&fields);
        read_note(&note, &mut own);
        for tag in own.tags {
            gather.put(group, tag.name, tag.value, tag.rule);
        }
    }
}
