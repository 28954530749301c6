//! Several pictures in one JPEG: a directory that lists those behind the first.
//!
//! CIPA DC-007 (Multi-Picture Format), 5.2.

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::value::{Value, data_at};
use crate::{Fields, exif, table};
use solio_container::ByteView;
use std::sync::LazyLock;

/// The entry that lists the pictures.
const LIST: &str = "MPImageList";
/// Most pictures that are listed.
const MOST_IMAGES: u64 = 100;
const TYPES: &str = "0:Undefined|65537:Large Thumbnail (VGA equivalent)|\
    65538:Large Thumbnail (full HD equivalent)|131073:Multi-frame Panorama|\
    131074:Multi-frame Disparity|131075:Multi-angle|196608:Baseline MP Primary Image|\
    262144:Original Preservation Image|327680:Gain Map Image";

/// Reads the segment's directories; `file` is the file that the segment is in.
pub(super) fn read(body: ByteView<'_>, file: ByteView<'_>, gather: &mut Gather<'_>) {
    if gather.fields.wants_group("MPF0") {
        exif::read_chain(body, "MPF0", &table::MPF, gather);
        gather.tags.retain(|tag| !(tag.group == "MPF0" && tag.name == LIST));
    }
    let fields = gather.fields;
    if !fields.wants_groups_like("MPImage") && !fields.wants_group("MPImage1") {
        return;
    }
    // Pictures have groups and names of their own.
    static ONLY_LIST: LazyLock<Fields> = LazyLock::new(|| Fields::of([LIST]));
    let mut own = Gather::new(&ONLY_LIST);
    exif::read_chain(body, "MPF0", &table::MPF, &mut own);
    let Some(Value::Bytes(list)) = own.tags.pop().map(|tag| tag.value) else { return };
    let big = body.get(0, 2).is_some_and(|order| *order == *b"MM");
    let base = body.place().unwrap_or(0) - file.place().unwrap_or(0).min(body.place().unwrap_or(0));
    for (n, entry) in (1..=MOST_IMAGES).zip(list.chunks_exact(16)) {
        let word = |at: usize| solio_container::tiff::word(&entry[at..at + 4], big);
        let short = |at: usize| solio_container::tiff::word(&entry[at..at + 2], big) as i64;
        let group = format!("MPImage{n}");
        let flags = word(0);
        let (bytes, offset) = (word(4), word(8));
        let start = if offset == 0 { 0 } else { offset + base };
        let mut put = |name, value: u64, rule| {
            gather.put(group.clone(), name, Value::int(value as i64), rule);
        };
        let bits = "2:Representative image|3:Dependent child image|4:Dependent parent image";
        put("MPImageFlags", flags >> 27, TagRule::Bits(bits));
        put("MPImageFormat", flags >> 24 & 7, TagRule::Words { words: "0:JPEG", hex: false });
        let kind = flags & 0xff_ffff;
        put("MPImageType", kind, TagRule::Words { words: TYPES, hex: true });
        put("MPImageLength", bytes, TagRule::Plain);
        put("MPImageStart", start, TagRule::Plain);
        gather.int(group.clone(), "DependentImage1EntryNumber", short(12));
        gather.int(group.clone(), "DependentImage2EntryNumber", short(14));
        if offset > 0 && bytes > 0 {
            let preview = kind & 0xff_0000 == 0x1_0000;
            let name = if preview { "PreviewImage".to_owned() } else { group.clone() };
            // It may be cut off; that it was there is said all the same.
            let at = start.saturating_add(file.place().unwrap_or(0));
            gather.put(group, name, data_at(file, at, bytes), TagRule::Binary);
        }
    }
}
