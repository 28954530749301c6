//! The walk over directories. Each is visited once, so chains that bite their tails end.

use super::geotiff;
use super::pictures::{self, TiffRole};
use super::{maker, photoshop};
use crate::camera::CameraModel;
use crate::gather::Gather;
use crate::iptc::IptcHome;
use crate::metadata::Gap;
use crate::record::{Around, MakerBlock, read_record};
use crate::rule::{Named, TagRule};
use crate::stored::decode;
use crate::table::{self, Lazy, TagRow, WhenFacts};
use crate::value::{Value, data_at};
use crate::{icc, iptc, xmp};
use solio_container::{
    ByteView,
    tiff::{FieldType, Tiff, TiffEntry, tags, word},
};
use std::borrow::Cow;

/// Most directories of one file.
const MOST_DIRECTORIES: usize = 256;
/// Most entries of them all.
const MOST_ENTRIES: u64 = 1 << 16;
/// Directories within directories.
const MOST_DEPTH: u8 = 8;
/// Values longer than this stay in the file.
const MOST_VALUE: u64 = 1 << 20;
/// Arrays of more numbers are not printed.
const MOST_NUMBERS: u64 = 500;
/// Longest of the other formats' blocks within a directory.
const MOST_BLOCK: u64 = 16 << 20;

/// Reads a TIFF structure that starts at the start of `view`. False where it is none.
pub(crate) fn read_tiff(view: ByteView<'_>, role: TiffRole, gather: &mut Gather<'_>) -> bool {
    let file = role != TiffRole::Part;
    let Some(tiff) = Tiff::open(view, file) else { return false };
    let order = if tiff.is_big_endian { "MM" } else { "II" };
    if gather.wants("File", "ExifByteOrder") {
        gather.put("File", "ExifByteOrder", Value::text(order), BYTE_ORDER);
    }
    let raw = if tiff.version == PANASONIC && file { maker::raw_table() } else { None };
    let mut walk = DirectoryWalk { role, raw, ..DirectoryWalk::new(tiff, gather) };
    let mut next = Some(tiff.first);
    let mut number = 0;
    while let Some(at) = next.filter(|at| *at != 0) {
        let group = match number {
            0 => Cow::Borrowed("IFD0"),
            1 => Cow::Borrowed("IFD1"),
            n => Cow::Owned(format!("IFD{n}")),
        };
        next = walk.directory(at, group, &table::EXIF, 0);
        number += 1;
    }
    true
}

/// Reads the TIFF structure of another file's part, behind the mark that JPEG has where a writer kept
/// that. False where it is none.
pub(crate) fn read_part(view: ByteView<'_>, gather: &mut Gather<'_>) -> bool {
    let mark = if view.starts_with(b"Exif\0\0") { 6 } else { 0 };
    read_tiff(view.from(mark), TiffRole::Part, gather)
}

/// Reads the first directory of a TIFF structure as one of another place.
pub(crate) fn read_as(
    view: ByteView<'_>,
    group: &'static str,
    table: &'static Lazy,
    camera: &CameraModel,
    gather: &mut Gather<'_>,
) {
    let Some(tiff) = Tiff::open(view, false) else { return };
    let mut walk = DirectoryWalk { camera, ..DirectoryWalk::new(tiff, gather) };
    walk.directory(tiff.first, Cow::Borrowed(group), table, 0);
}

/// Reads all directories of a TIFF structure that is none of EXIF, as one group.
pub(crate) fn read_chain(
    view: ByteView<'_>,
    group: &'static str,
    table: &'static Lazy,
    gather: &mut Gather<'_>,
) {
    let Some(tiff) = Tiff::open(view, false) else { return };
    let mut walk = DirectoryWalk::new(tiff, gather);
    let mut next = Some(tiff.first);
    while let Some(at) = next.filter(|at| *at != 0) {
        next = walk.directory(at, Cow::Borrowed(group), table, 0);
    }
}

/// How a byte order is worded.
pub(crate) const BYTE_ORDER: TagRule = TagRule::Words {
    words: "II:Little-endian (Intel, II)|MM:Big-endian (Motorola, MM)",
    hex: false,
};

/// The version of Panasonic's raw files.
const PANASONIC: u16 = 0x55;

/// Where a maker's directory is, and how it is to be read.
pub(crate) struct NoteDirectory<'a> {
    /// What its offsets count from.
    pub(crate) view: ByteView<'a>,
    /// Where it starts there.
    pub(crate) at: u64,
    /// Its byte order.
    pub(crate) big: bool,
    /// The group of its tags.
    pub(crate) group: &'static str,
    /// Its tags.
    pub(crate) table: &'static Lazy,
    /// The camera.
    pub(crate) camera: &'a CameraModel,
    /// What its offsets mean.
    pub(crate) offsets: NoteOffsets,
}

/// What the offsets of a maker's directory mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteOffsets {
    /// They are places.
    Places,
    /// Each counts from its own entry; the directory starts the view.
    OwnEntries,
    /// Nothing: values lie one behind the other, behind the directory.
    Nothing,
}

impl<'a> NoteDirectory<'a> {
    /// The directory at a place, in a byte order.
    pub(crate) fn new(
        (view, at, big): (ByteView<'a>, u64, bool),
        group: &'static str,
        table: &'static Lazy,
        camera: &'a CameraModel,
    ) -> Self {
        NoteDirectory { view, at, big, group, table, camera, offsets: NoteOffsets::Places }
    }
}

/// Reads the directory of a maker's note.
pub(crate) fn read_note(place: &NoteDirectory<'_>, gather: &mut Gather<'_>) {
    let (view, is_big_endian) = (place.view, place.big);
    let tiff = Tiff { view, is_big_endian, is_wide: false, version: 0, first: place.at };
    let (camera, offsets) = (place.camera, place.offsets);
    let mut walk = DirectoryWalk { camera, offsets, ..DirectoryWalk::new(tiff, gather) };
    walk.directory(place.at, Cow::Borrowed(place.group), place.table, 0);
}

/// What PrintIM (a printer's settings) says of its version.
fn print_im(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let [group, name] = PRINT_IM;
    if gather.wants(group, name)
        && let Some(head) = part.get(0, 12).filter(|head| head.starts_with(b"PrintIM\0"))
    {
        gather.text(group, name, crate::value::lossy(&head[8..12]));
        let count = part.array::<2>(14).map(|b| u16::from_le_bytes(b).min(u16::from_be_bytes(b)));
        if count.is_none_or(|count| part.len() < 16 + 6 * u64::from(count)) {
            gather.leave(Gap::Odd);
        }
    } else {
        gather.leave(Gap::Odd);
    }
}

/// The group and name of PrintIM's version.
pub(crate) const PRINT_IM: [&str; 2] = ["PrintIM", "PrintIMVersion"];

struct DirectoryWalk<'a, 'g, 'f> {
    tiff: Tiff<'a>,
    role: TiffRole,
    /// Of some raw files: what the main directory's low numbers mean.
    raw: Option<&'static Lazy>,
    seen: Vec<u64>,
    /// How many entries there were.
    entries: u64,
    /// How many directories were found through `SubIFDs`.
    subs: usize,
    /// The camera, within a maker's note; else a nameless one.
    camera: &'a CameraModel,
    /// What its offsets mean, within a maker's note.
    offsets: NoteOffsets,
    /// Where the makes and models of the main directory are.
    names: [(u64, u64); 2],
    /// Where the directory that is being read starts.
    here: u64,
    /// What the directory says of GeoTIFF.
    geo: geotiff::Tags<'a>,
    gather: &'g mut Gather<'f>,
}

impl<'a, 'g, 'f> DirectoryWalk<'a, 'g, 'f> {
    fn new(tiff: Tiff<'a>, gather: &'g mut Gather<'f>) -> Self {
        DirectoryWalk {
            tiff,
            role: TiffRole::Part,
            raw: None,
            seen: Vec::new(),
            entries: 0,
            subs: 0,
            camera: CameraModel::NONE,
            offsets: NoteOffsets::Places,
            names: [(0, 0); 2],
            here: 0,
            geo: geotiff::Tags::default(),
            gather,
        }
    }

    fn is_file(&self) -> bool {
        self.role != TiffRole::Part
    }

    /// What place the directory is for IPTC, if `of_file` is that of a file's own.
    fn home(&self, of_file: IptcHome) -> IptcHome {
        match self.is_file() {
            true => of_file,
            false if self.gather.has_place_for_iptc => IptcHome::Second,
            false => IptcHome::Other,
        }
    }

    /// Reads the directory at `at`; gives the place of the next one.
    fn directory(
        &mut self,
        at: u64,
        group: Cow<'static, str>,
        table: &'static Lazy,
        depth: u8,
    ) -> Option<u64> {
        if self.seen.contains(&at) || self.seen.len() >= MOST_DIRECTORIES || depth > MOST_DEPTH {
            self.gather.warn(format!("{group} points to a directory that was read before"));
            return None;
        }
        self.seen.push(at);
        self.here = at;
        let Some(directory) = self.tiff.directory(at) else {
            self.gather.leave(Gap::Odd);
            self.gather.cut_off();
            return None;
        };
        let count = directory.count;
        self.entries = self.entries.saturating_add(count);
        if self.entries > MOST_ENTRIES {
            self.gather.warn(format!("{group}: too many entries"));
            return None;
        }
        let Some(entries) = directory.bytes() else {
            self.gather.cut_off();
            self.gather.warn(format!("{group}: {count} entries, past the end"));
            return None;
        };
        // Nested directories come after the plain tags' values of this one in most files: reading
        // in two rounds asks for rising places.
        let mut inner = Vec::new();
        let fields = self.gather.fields;
        let matter = if exif_table(table) && self.raw.is_none() { fields.exif_ids() } else { None };
        let mut behind = at.saturating_add(2 + 12 * count + 4);
        let mut first = u64::MAX;
        for (n, raw) in entries.chunks_exact(directory.entry_bytes()).enumerate() {
            // Most entries do not matter where only a few fields do.
            let number = |at: usize| word(&raw[at..at + 2], self.tiff.is_big_endian) as u16;
            if n > 0 && matter.is_some_and(|ids| !ids.contain(number(0))) {
                continue;
            }
            if self.gather.is_full() {
                return None;
            }
            let Some(mut entry) = directory.entry(&entries, n) else {
                if n == 0 && number(2) != 0 {
                    self.gather.warn(format!("{group}: the first entry has no known type"));
                    return None;
                }
                self.gather.leave(Gap::Odd);
                continue;
            };
            if entry.bytes() > 4 {
                match self.offsets {
                    NoteOffsets::Places => {}
                    NoteOffsets::OwnEntries => {
                        entry.at = entry.at.saturating_add(2 + 12 * n as u64);
                    }
                    NoteOffsets::Nothing => {
                        entry.at = behind;
                        behind = behind.saturating_add(entry.bytes().next_multiple_of(2));
                    }
                }
            }
            if entry.at.saturating_add(entry.bytes()) > self.tiff.view.len() {
                self.gather.leave(Gap::Odd);
                self.gather.cut_off();
            }
            if entry.bytes() > 4 {
                first = first.min(entry.at);
                let of_directory = at..at.saturating_add(2 + 12 * count);
                if entry.at < 8 || of_directory.contains(&entry.at) {
                    self.gather.leave(Gap::Odd);
                }
            }
            let leads = is_pointer(entry.tag, &group)
                || matches!(entry.tag, tags::MAKER_NOTE | tags::PANASONIC_JPG_FROM_RAW);
            if exif_table(table) && leads {
                inner.push((self.gather.tags.len(), entry));
            } else {
                self.tag(&entry, &group, table);
            }
        }
        let is_note = self.offsets == NoteOffsets::Places && !self.camera.make.is_empty();
        let usual = at.saturating_add(2 + 12 * count);
        if is_note && first != u64::MAX && !(usual..=usual.saturating_add(64)).contains(&first) {
            self.gather.leave(Gap::Odd);
        }
        if exif_table(table) {
            std::mem::take(&mut self.geo).read(self.tiff.is_big_endian, self.gather);
        }
        // What the file says itself comes before what its picture for viewing says.
        inner.sort_by_key(|(_, entry)| entry.tag == tags::PANASONIC_JPG_FROM_RAW);
        let plain = self.gather.tags.len();
        let mut found = Vec::with_capacity(inner.len());
        for (place, entry) in inner {
            let before = self.gather.tags.len();
            match entry.tag {
                tags::MAKER_NOTE => self.note(&entry),
                tags::PANASONIC_JPG_FROM_RAW => self.tag(&entry, &group, table),
                _ => self.follow(&entry, &group, depth),
            }
            found.push((place, self.gather.tags.len().saturating_sub(before)));
        }
        self.gather.move_to_places(plain, &found);
        pictures::name(self.tiff.view, self.role, &group, self.gather);
        directory.next()
    }

    fn tag(&mut self, entry: &TiffEntry, group: &Cow<'static, str>, table: &'static Lazy) {
        if (entry.tag, &**group) == (tags::DNG_PRIVATE_DATA, "IFD0") && self.is_note(entry) {
            return self.note(entry);
        }
        if entry.tag == tags::DNG_PRIVATE_DATA
            && self.tiff.view.get(entry.at, 6).is_some_and(|head| head[..] == *b"Adobe\0")
        {
            // Adobe's converter keeps the camera's note so, or all of its file's; that is not read.
            self.gather.leave(Gap::MakerNotes);
        }
        let ours = std::ptr::eq(table, &table::EXIF) || std::ptr::eq(table, &table::GPS);
        if ours && self.block(entry, group) {
            return;
        }
        if !ours && entry.tag == tags::NOTE_PRINT_IM {
            print_im(self.tiff.view.part(entry.at, entry.bytes()), self.gather);
        }
        if let (tags::MAKE | tags::MODEL, "IFD0") = (entry.tag, &**group) {
            self.names[usize::from(entry.tag & 1 == 0)] = (entry.at, entry.bytes());
            if entry.tag == tags::MAKE {
                let make = self.tiff.view.get(entry.at, 5);
                self.gather.of_canon |= make.is_some_and(|make| make[..] == *b"Canon");
            }
        }
        let own = entry.tag < tags::IMAGE_WIDTH
            || matches!(entry.tag, tags::PANASONIC_RAW_DATA_OFFSET..=tags::PANASONIC_LAST);
        let table = self.raw.filter(|_| own && group == "IFD0").unwrap_or(table);
        let rows = table.get().rows_of(u32::from(entry.tag));
        let Some(row) = rows.iter().find(|row| self.holds(row, entry)) else { return };
        match row.rule {
            TagRule::Record(name) => return self.record(entry, row, group, name),
            TagRule::Directory(name) => return self.inner(entry, group, name),
            TagRule::Hook(name) => return self.hook(entry, group, name),
            _ => {}
        }
        if !self.gather.wants(group, row.name) {
            return;
        }
        let Some(value) = self.value(entry, row) else {
            self.gather.warn(format!("{group}:{} lies past the end", row.name));
            return;
        };
        if row.rule.is_sound(&value) {
            let rule = row.rule.in_order(self.tiff.is_big_endian);
            self.gather.put(group.clone(), row.name, value, rule);
        }
    }

    /// Whether the row is for this entry of this camera.
    fn holds(&self, row: &TagRow, entry: &TiffEntry) -> bool {
        let Some(when) = row.when else { return true };
        let bytes = entry.bytes();
        let value = when.asks_value().then(|| self.tiff.view.get(entry.at, bytes.min(64) as usize));
        let stored = row.stored.and_then(FieldType::of_name).unwrap_or(entry.field_type);
        let value = value.flatten().map(|bytes| decode(&bytes, stored, self.tiff.is_big_endian));
        when.holds(&WhenFacts {
            camera: self.camera,
            count: entry.count,
            bytes,
            kind: entry.field_type.name(),
            value: value.as_ref(),
            record: ByteView::memory(&[]),
        })
    }

    /// Numbers at fixed places within a value.
    fn record(&mut self, entry: &TiffEntry, row: &TagRow, group: &Cow<'static, str>, name: &str) {
        let unit = row.stored.and_then(FieldType::of_name);
        let part = self.tiff.view.part(entry.at, entry.bytes());
        if let (Some(table), true) = (table::named(name), part.len() == entry.bytes()) {
            let around = Around { unit, ..self.around(group) };
            read_record(part, table, &around, self.gather);
        }
    }

    /// What is around a record of this structure.
    fn around<'s>(&self, group: &'s Cow<'static, str>) -> Around<'s>
    where
        'a: 's,
    {
        let (big, camera) = (self.tiff.is_big_endian, self.camera);
        Around { unit: None, big, group, camera, hook: maker::hook }
    }

    /// A block that the maker's module reads.
    fn hook(&mut self, entry: &TiffEntry, group: &Cow<'static, str>, name: &'static str) {
        let part = self.tiff.view.part(entry.at, entry.bytes());
        if part.len() < entry.bytes() {
            return;
        }
        let block = MakerBlock {
            part,
            stored: entry.field_type,
            count: entry.count,
            view: self.tiff.view,
            directory: self.here,
            around: self.around(group),
        };
        maker::hook(name, &block, self.gather);
    }

    /// A directory within a maker's note: pointed to, or as the value itself.
    fn inner(&mut self, entry: &TiffEntry, group: &Cow<'static, str>, name: &str) {
        let pointer =
            matches!(entry.field_type, FieldType::Ifd | FieldType::Int32u) && entry.count == 1;
        let at = if pointer { self.tiff.word(entry.at, 4) } else { Some(entry.at) };
        // The directory that this one is in goes on behind it.
        let here = self.here;
        if let (Some(at), Some(table), true) = (at, table::named(name), self.seen.len() < 16) {
            let group = table.head.group.map_or_else(|| group.clone(), Cow::Borrowed);
            self.directory(at, group, table, 1);
        }
        self.here = here;
    }

    /// Whether the private data of a DNG is a maker's note.
    fn is_note(&self, entry: &TiffEntry) -> bool {
        self.tiff.view.get(entry.at, 8).is_some_and(|head| head[..] == *b"PENTAX \0")
    }

    /// Reads the maker's note.
    fn note(&mut self, entry: &TiffEntry) {
        self.gather.leave(Gap::MakerNotes);
        let note = maker::MakerNote {
            tiff: self.tiff.view,
            at: entry.at,
            bytes: entry.bytes(),
            big: self.tiff.is_big_endian,
            names: self.names,
        };
        maker::read(&note, self.gather);
    }

    fn value(&self, entry: &TiffEntry, row: &TagRow) -> Option<Value> {
        let bytes = entry.bytes();
        if entry.at.checked_add(bytes)? > self.tiff.view.len() {
            // Large previews lie behind the segment that the note is in.
            let of_file = row.rule == TagRule::Binary && row.name == "PreviewImage";
            let place = self.tiff.view.place().filter(|_| of_file)?;
            return Some(data_at(self.tiff.view, place.checked_add(entry.at)?, bytes));
        }
        if bytes > MOST_VALUE {
            return Some(self.tiff.view.part(entry.at, bytes).into());
        }
        let stored = row.stored.and_then(FieldType::of_name).unwrap_or(entry.field_type);
        let hidden = row.rule == TagRule::Binary || row.rule == TagRule::Named(Named::Offsets);
        let numbers = !matches!(stored, FieldType::Text | FieldType::Undef);
        if numbers && entry.count > MOST_NUMBERS && !hidden && row.stored.is_none() {
            return Some(Value::Text(format!(
                "(large array of {} {} values)",
                entry.count,
                stored.name()
            )));
        }
        if row.rule == TagRule::Binary && stored == FieldType::Undef {
            return Some(self.tiff.view.part(entry.at, bytes).into());
        }
        let mut value =
            decode(&self.tiff.view.get(entry.at, bytes as usize)?, stored, self.tiff.is_big_endian);
        let offset = matches!(
            row.name,
            "StripOffsets" | "TileOffsets" | "ThumbnailOffset" | "PreviewImageStart"
        );
        if let (true, Value::Ints(offsets)) = (offset, &mut value) {
            let base = self.tiff.view.place().unwrap_or(0) as i64;
            offsets.iter_mut().for_each(|at| *at = at.saturating_add(base));
        }
        Some(value)
    }

    /// The other formats that directories hold. True where the entry is one.
    fn block(&mut self, entry: &TiffEntry, group: &str) -> bool {
        if let tags::GEO_KEY_DIRECTORY..=tags::GEO_ASCII_PARAMS = entry.tag {
            self.geo.keep(entry.tag, self.tiff.view.part(entry.at, entry.bytes()));
            return true;
        }
        let wanted = match (entry.tag, group) {
            (tags::ICC_PROFILE, "IFD0") if self.is_file() => true,
            (tags::IPTC | tags::PHOTOSHOP, "IFD0") | (tags::XMP, _) => true,
            (tags::PRINT_IM, _) => self.gather.wants("PrintIM", "PrintIMVersion"),
            _ => return false,
        };
        let bytes = entry.bytes().min(MOST_BLOCK);
        let part = self.tiff.view.part(entry.at, bytes);
        if !wanted || part.len() < bytes {
            return wanted || entry.tag == tags::PRINT_IM;
        }
        match entry.tag {
            tags::XMP => {
                if let Some(bytes) = part.all(MOST_BLOCK) {
                    xmp::read(&bytes, self.gather);
                }
            }
            tags::IPTC => iptc::read(part, self.home(IptcHome::Standard), self.gather),
            tags::PHOTOSHOP => photoshop::read(part, self.home(IptcHome::Other), self.gather),
            tags::ICC_PROFILE => icc::read(part, self.gather),
            _ => print_im(part, self.gather),
        }
        true
    }

    /// Follows an entry that points to another directory.
    fn follow(&mut self, entry: &TiffEntry, group: &str, depth: u8) {
        let (name, table): (&'static str, _) = match entry.tag {
            tags::EXIF_IFD => ("ExifIFD", &table::EXIF),
            tags::GPS_IFD => ("GPS", &table::GPS),
            tags::INTEROP_IFD => ("InteropIFD", &table::EXIF),
            _ => ("SubIFD", &table::EXIF),
        };
        let wanted = match name {
            "ExifIFD" => self.gather.fields.wants_exif(),
            "SubIFD" => {
                let fields = self.gather.fields;
                // Packets of XMP may lie there.
                let like = |start| fields.wants_groups_like(start);
                fields.wants_group(name) || like(name) || like("XMP")
            }
            _ => self.gather.fields.wants_group(name),
        };
        if !wanted {
            return;
        }
        if matches!(name, "GPS" | "InteropIFD") && !self.gather.fields.wants_any(name, table) {
            return;
        }
        let most = if name == "SubIFD" { entry.count.min(16) } else { 1 };
        let size = if entry.field_type.size() == 8 { 8 } else { 4 };
        if entry.field_type.size() < 4 {
            self.gather.warn(format!("{group}: the pointer to {name} has a wrong type"));
            return;
        }
        for n in 0..most {
            let Some(at) = self.tiff.word(entry.at + n * size, size as usize) else { return };
            if at == 0 {
                continue;
            }
            let mut group = Cow::Borrowed(name);
            if name == "SubIFD" {
                if self.subs > 0 {
                    group = Cow::Owned(format!("SubIFD{}", self.subs));
                }
                self.subs += 1;
            }
            self.directory(at, group, table, depth + 1);
        }
    }
}

/// Whether `table` is that of EXIF.
fn exif_table(table: &'static Lazy) -> bool {
    std::ptr::eq(table, &table::EXIF)
}

/// Whether a tag points to a directory.
fn is_pointer(id: u16, group: &str) -> bool {
    matches!(id, tags::EXIF_IFD | tags::GPS_IFD | tags::SUB_IFDS)
        || id == tags::INTEROP_IFD && group != "InteropIFD"
}
