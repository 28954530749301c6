//! Maker notes: what each maker of cameras keeps in EXIF's `MakerNote`, in a form of its own.
//!
//! Most are directories like EXIF's, some with a head in front, with offsets that count from the
//! TIFF structure, from the note or from a TIFF structure within the note. Directories hold
//! records: numbers at fixed places, whose tables say more by model ([`read_record`](crate::record::read_record)). What tables
//! cannot say is code in the maker's own module: rules ([`own`]) and blocks ([`hook`]).

mod apple;
mod base;
mod canon;
mod fujifilm;
mod minolta;
mod nikon;
mod nikon_af;
mod olympus;
mod others;
mod panasonic;
mod pentax;
mod reconyx;
mod sony;

pub(crate) use panasonic::raw_table;
pub(crate) use pentax::read_movie;

use crate::camera::CameraModel;
use crate::exif::{NoteDirectory, read_note};
use crate::gather::Gather;
use crate::record::MakerBlock;
use crate::rule::TagRule;
use crate::table::{self, Lazy};
use crate::value::Value;
use solio_container::{ByteView, tiff::tags, tiff::word};

/// A note and what is around it.
pub(crate) struct MakerNote<'a> {
    /// The TIFF structure that the note is in.
    pub(crate) tiff: ByteView<'a>,
    /// Where the note starts in it.
    pub(crate) at: u64,
    /// How long it is.
    pub(crate) bytes: u64,
    /// The byte order of the structure.
    pub(crate) big: bool,
    /// Where the names of maker and model are, and how long.
    pub(crate) names: [(u64, u64); 2],
}

impl MakerNote<'_> {
    fn camera(&self, gather: &Gather<'_>) -> CameraModel {
        let name = |which: usize, tag: &str| {
            let (at, bytes) = self.names[which];
            let there = self.tiff.get(at, bytes.min(64) as usize).filter(|_| bytes > 0);
            let found = || gather.find("IFD0", tag).map(|tag| tag.value.plain());
            let text = there.map(|bytes| crate::value::lossy(&bytes)).or_else(found);
            crate::text::before_zero(&text.unwrap_or_default()).trim_end().to_owned()
        };
        CameraModel { make: name(0, "Make"), model: name(1, "Model") }
    }
}

/// Reads a note of a maker that is known.
pub(crate) fn read(note: &MakerNote<'_>, gather: &mut Gather<'_>) {
    let body = note.tiff.part(note.at, note.bytes);
    let Some(head) = body.get(0, body.len().min(16) as usize) else { return };
    let camera = note.camera(gather);
    if let Some(place) = place(note, &head, &camera) {
        let named = (place.view.len(), place.at);
        let place = base::settled(place, note, moved(&head, &camera));
        if named != (place.view.len(), place.at) {
            gather.leave(crate::Gap::Odd);
        }
        if place.big != note.big {
            let order = Value::text(if place.big { "MM" } else { "II" });
            gather.put("File", "MakerNoteByteOrder", order, crate::exif::BYTE_ORDER);
        }
        // The first of Sony's cameras with a mirror keeps a note of Minolta's within.
        let wants = |group: &str, table: &'static Lazy| gather.fields.wants_any(group, table);
        let minolta = table::MINOLTA.table("minolta").filter(|_| place.group == "Sony");
        // Many notes hold a printer's settings.
        let [group, name] = crate::exif::PRINT_IM;
        if wants(place.group, place.table)
            || minolta.is_some_and(|table| wants("Minolta", table))
            || gather.wants(group, name)
        {
            read_note(&place, gather);
            // Nikon's preview has a directory.
            for group in [place.group, "PreviewIFD"] {
                preview(note.tiff, group, gather);
            }
            if place.group == "Sony" {
                preview(note.tiff, "Minolta", gather);
            }
        }
        return;
    }
    if let [0x01, 0xf1, 0x02 | 0x03, 0, ..] = &head[..] {
        return reconyx::read(body, gather);
    }
    if others::read(body, &head, &camera, note.big, gather) {
        preview(note.tiff, "Samsung", gather);
    }
}

/// Of notes whose offsets are often not what the head of the note says: how many bytes lie between
/// their directory and the first value, the usual number first.
fn moved(head: &[u8], camera: &CameraModel) -> Option<&'static [i64]> {
    let make = camera.make.to_ascii_uppercase();
    Some(match head {
        _ if head.starts_with(b"QVC\0") || head.starts_with(b"DCI\0") => &[4, 16, 2],
        _ if head.starts_with(b"GE\0\0") || head.starts_with(b"GENIC\0") => &[0, 4],
        _ if head.starts_with(b"AOC\0") || make.starts_with("ASAHI") => &[4],
        _ if head.starts_with(b"SANYO\0") && camera.model.starts_with("C4") => &[4],
        _ if make == "SAMSUNG" => &[4],
        _ => return None,
    })
}

/// Reads Canon's note where it is a TIFF structure of its own; `main`: the one with the model.
pub(crate) fn read_canon(view: ByteView<'_>, main: Option<ByteView<'_>>, gather: &mut Gather<'_>) {
    let Some(table) = table::CANON.table("canon") else { return };
    if gather.fields.wants_any("Canon", table) {
        // The tags found do not tell the model where it is not asked for.
        let model = main.and_then(model_of).unwrap_or_default();
        let camera = CameraModel { make: "Canon".into(), model };
        crate::exif::read_as(view, "Canon", table, &camera, gather);
    }
}

/// The model that the first directory of a TIFF structure names.
fn model_of(view: ByteView<'_>) -> Option<String> {
    let big = view.array::<2>(0)? == *b"MM";
    let number = |at: u64, bytes: usize| Some(word(&view.get(at, bytes)?, big));
    let directory = number(4, 4)?;
    let count = number(directory, 2)?.min(512);
    let mut entries = (0..count).map(|n| directory + 2 + 12 * n);
    let entry = entries.find(|at| number(*at, 2) == Some(tags::MODEL.into()))?;
    let bytes = number(entry + 4, 4)?.min(64);
    let at = if bytes <= 4 { entry + 8 } else { number(entry + 8, 4)? };
    let name = crate::value::lossy(&view.get(at, bytes as usize)?);
    Some(crate::text::before_zero(&name).trim_end().to_owned())
}

/// Where the note's directory is.
fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    canon::place(note, head, camera)
        .or_else(|| nikon::place(note, head, camera))
        .or_else(|| sony::place(note, head, camera))
        .or_else(|| pentax::place(note, head, camera))
        .or_else(|| olympus::place(note, head, camera))
        .or_else(|| minolta::place(note, head, camera))
        .or_else(|| apple::place(note, head, camera))
        .or_else(|| fujifilm::place(note, head, camera))
        .or_else(|| panasonic::place(note, head, camera))
        .or_else(|| others::place(note, head, camera))
}

/// Reads a block that a table calls `maker.block`.
pub(crate) fn hook(name: &'static str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    match name.split_once('.').map(|(maker, _)| maker) {
        Some("canon") => canon::hook(name, block, gather),
        Some("nikon") => nikon::hook(name, block, gather),
        Some("sony") => sony::hook(name, block, gather),
        Some("pentax") => pentax::hook(name, block, gather),
        Some("minolta") => minolta::hook(name, block, gather),
        Some("olympus") => olympus::hook(name, block, gather),
        Some("apple") => apple::hook(name, block, gather),
        Some("panasonic") => panasonic::hook(name, block, gather),
        Some("others") => others::hook(name, block, gather),
        _ if name == "start" => preview_start(block, gather),
        _ => {}
    }
}

/// Where an entry of the block's directory is.
fn entry_of(block: &MakerBlock<'_>, id: u16) -> Option<u64> {
    let number = |at| Some(word(&block.view.array::<2>(at)?, block.around.big) as u16);
    let count = u64::from(number(block.directory)?).min(512);
    let mut entries = (0..count).map(|n| block.directory + 2 + 12 * n);
    entries.find(|at| number(*at) == Some(id))
}

/// Where the preview starts in the file: what offsets count from is added.
fn preview_start(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let place = block.view.place().unwrap_or(0) as i64;
    if let (1, Some(at)) = (block.count, block.value().and_then(|value| value.integer(0))) {
        let at = Value::int(at.saturating_add(place));
        gather.put(block.around.group.clone(), "PreviewImageStart", at, TagRule::Plain);
    }
}

/// The preview that two tags of a maker frame.
fn preview(view: ByteView<'_>, group: &'static str, gather: &mut Gather<'_>) {
    let number = |name| gather.find(group, name)?.value.integer(0);
    let (at, bytes) = (number("PreviewImageStart"), number("PreviewImageLength"));
    if let (Some(at), Some(bytes @ 1..)) = (at, bytes) {
        let value = crate::value::data_at(view, at.max(0) as u64, bytes as u64);
        gather.put(group, "PreviewImage", value, TagRule::Binary);
    }
}
