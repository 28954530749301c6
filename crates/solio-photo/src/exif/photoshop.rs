//! Photoshop's image resources, as they stand in PSD files, in JPEG's APP13 and in TIFF.
//!
//! ```text
//! "8BIM" · number (2) · name (Pascal string, padded to even) · length (4) · data (padded to even)
//! ```

use crate::gather::Gather;
use crate::iptc::IptcHome;
use crate::record::read_container;
use crate::rule::{Named, TagRule};
use crate::stored::decode;
use crate::table;
use crate::value::{Value, lossy};
use crate::{icc, iptc, xmp};
use solio_container::{ByteView, tiff::FieldType};

const GROUP: &str = "Photoshop";
/// Numbers of resources.
mod resources {
    pub(super) const RESOLUTION: u16 = 0x03ed;
    pub(super) const IPTC: u16 = 0x0404;
    pub(super) const JPEG_QUALITY: u16 = 0x0406;
    pub(super) const BGR_THUMBNAIL: u16 = 0x0409;
    pub(super) const THUMBNAIL: u16 = 0x040c;
    pub(super) const ICC: u16 = 0x040f;
    pub(super) const SLICES: u16 = 0x041a;
    pub(super) const URLS: u16 = 0x041e;
    pub(super) const VERSION: u16 = 0x0421;
    pub(super) const EXIF: u16 = 0x0422;
    pub(super) const XMP: u16 = 0x0424;
    pub(super) const PRINT_SCALE: u16 = 0x0426;
    pub(super) const PIXEL_ASPECT: u16 = 0x0428;
}

/// Most resources of one file.
const MOST_RESOURCES: usize = 4096;
/// What resources become that are no blocks of other formats; the table has a few more.
const NAMES: [&str; 19] = [
    "XResolution",
    "DisplayedUnitsX",
    "YResolution",
    "DisplayedUnitsY",
    "PhotoshopBGRThumbnail",
    "PhotoshopThumbnail",
    "HasRealMergedData",
    "WriterName",
    "ReaderName",
    "SlicesGroupName",
    "NumSlices",
    "URL_List",
    "PrintStyle",
    "PrintPosition",
    "PrintScale",
    "PixelAspectRatio",
    "PhotoshopQuality",
    "PhotoshopFormat",
    "ProgressiveScans",
];

/// Reads a run of resources. `home`: what place that is for IPTC.
pub(crate) fn read(view: ByteView<'_>, home: IptcHome, gather: &mut Gather<'_>) {
    let fields = gather.fields;
    // Few of the resources are wanted where a few fields are.
    let own = NAMES.iter().any(|name| fields.wants(GROUP, name))
        || fields.wants_any(GROUP, &table::PHOTOSHOP);
    let mut at = 0;
    for _ in 0..MOST_RESOURCES {
        let Some(kind) = view.array::<4>(at) else { return };
        // Older programs of Adobe's have marks of their own.
        if !matches!(&kind, b"8BIM" | b"PHUT" | b"DCSR" | b"AgHg" | b"MeSa") {
            if kind != [0; 4] {
                gather.warn("Photoshop: a resource has an unknown mark");
            }
            return;
        }
        let (Some(number), Some(name)) = (view.be16(at + 4), view.u8(at + 6)) else { return };
        let name_bytes = (u64::from(name) + 2) & !1;
        let Some(len) = view.be32(at + 6 + name_bytes).map(u64::from) else { return };
        let start = at + 10 + name_bytes;
        let part = view.part(start, len);
        if part.len() < len {
            gather.warn("Photoshop: a resource ends past the end");
            return;
        }
        if own || BLOCKS.contains(&number) {
            resource(number, part, home, gather);
        }
        if gather.is_full() {
            return;
        }
        at = start + ((len + 1) & !1);
    }
}

/// Resources that other formats are in.
const BLOCKS: [u16; 4] = [resources::IPTC, resources::XMP, resources::ICC, resources::EXIF];

fn resource(number: u16, part: ByteView<'_>, home: IptcHome, gather: &mut Gather<'_>) {
    match number {
        resources::IPTC => iptc::read(part, home, gather),
        resources::XMP => xmp::read_view(part, gather),
        resources::ICC => icc::read(part, gather),
        resources::EXIF => {
            // Places within it count from its own start.
            if let Some(bytes) = part.all(1 << 24) {
                super::read_part(ByteView::memory(&bytes), gather);
            }
        }
        resources::RESOLUTION => read_container("photoshop_resolution", part, GROUP, gather),
        resources::BGR_THUMBNAIL | resources::THUMBNAIL => thumbnail(number, part, gather),
        resources::VERSION => version(part, gather),
        resources::SLICES => slices(part, gather),
        resources::URLS => urls(part, gather),
        resources::PRINT_SCALE => read_container("print_scale", part, GROUP, gather),
        resources::PIXEL_ASPECT => read_container("pixel_aspect", part, GROUP, gather),
        resources::JPEG_QUALITY => quality(part, gather),
        _ => {
            if let Some(row) = table::PHOTOSHOP.get().row(u32::from(number)) {
                let bytes = part.all(1 << 20).unwrap_or_default();
                let value = match (row.stored, &bytes[..]) {
                    // The length in a byte, then the text.
                    (Some("pascal"), [len, text @ ..]) => {
                        Value::Text(lossy(&text[..usize::from(*len).min(text.len())]))
                    }
                    (stored, bytes) => {
                        let stored =
                            stored.and_then(FieldType::of_name).unwrap_or(FieldType::Undef);
                        decode(bytes, stored, true)
                    }
                };
                gather.put(GROUP, row.name, value, row.rule);
            }
        }
    }
}

fn thumbnail(number: u16, part: ByteView<'_>, gather: &mut Gather<'_>) {
    let name = if number == resources::BGR_THUMBNAIL {
        "PhotoshopBGRThumbnail"
    } else {
        "PhotoshopThumbnail"
    };
    let picture = part.from(28);
    gather.put(GROUP, name, picture.into(), TagRule::Binary);
}

/// A Unicode string with its length before it; gives the place after it.
fn unicode(part: ByteView<'_>, at: u64) -> Option<(String, u64)> {
    let units = u64::from(part.be32(at)?);
    let bytes = part.get(at + 4, usize::try_from(units.checked_mul(2)?).ok()?)?;
    Some((crate::text::utf16(&bytes, true), at + 4 + units * 2))
}

fn version(part: ByteView<'_>, gather: &mut Gather<'_>) {
    if let Some(merged) = part.u8(4) {
        let words = TagRule::Words { words: "0:No|1:Yes", hex: false };
        gather.put(GROUP, "HasRealMergedData", Value::int(merged), words);
    }
    let Some((writer, at)) = unicode(part, 5) else { return };
    gather.text(GROUP, "WriterName", writer);
    if let Some((reader, _)) = unicode(part, at) {
        gather.text(GROUP, "ReaderName", reader);
    }
}

fn slices(part: ByteView<'_>, gather: &mut Gather<'_>) {
    // Only the first form has the name and the number at fixed places.
    if part.be32(0) != Some(6) {
        return;
    }
    let Some((name, at)) = unicode(part, 20) else { return };
    gather.text(GROUP, "SlicesGroupName", name);
    if let Some(count) = part.be32(at) {
        gather.int(GROUP, "NumSlices", count);
    }
}

fn urls(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let count = part.be32(0).unwrap_or(0).min(1024);
    let mut list = Vec::new();
    let mut at = 4;
    for _ in 0..count {
        let Some((text, next)) = unicode(part, at + 8) else { break };
        list.push(Value::Text(text));
        at = next;
    }
    gather.put(GROUP, "URL_List", Value::List(list), TagRule::Plain);
}

fn quality(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let (Some(quality), Some(format)) = (part.be16(0), part.be16(2)) else { return };
    let quality = Value::int(quality as i16);
    gather.put(GROUP, "PhotoshopQuality", quality, TagRule::Named(Named::PhotoshopQuality));
    let words = TagRule::Words { words: "0:Standard|1:Optimized|257:Progressive", hex: true };
    gather.put(GROUP, "PhotoshopFormat", Value::int(format), words);
    if let Some(scans) = part.be16(4).filter(|_| format == 257) {
        let words = TagRule::Words { words: "1:3 Scans|2:4 Scans|3:5 Scans", hex: false };
        gather.put(GROUP, "ProgressiveScans", Value::int(scans), words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn resources_follow_each_other() {
        let one = |number: u16, data: &[u8]| {
            let mut bytes = b"8BIM".to_vec();
            bytes.extend(number.to_be_bytes());
            bytes.extend([0, 0]);
            bytes.extend((data.len() as u32).to_be_bytes());
            bytes.extend(data);
            bytes.resize(bytes.len() + data.len() % 2, 0);
            bytes
        };
        let bytes = [one(0x040a, &[1]), one(0x0425, &[0xab; 16]), one(0x040d, &[0, 0, 0, 30])];
        let bytes = bytes.concat();
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        read(ByteView::memory(&bytes), IptcHome::Other, &mut gather);
        let shown: Vec<String> =
            gather.tags.iter().map(|t| format!("{}={}", t.name, t.text().plain())).collect();
        let digest = format!("IPTCDigest={}", "ab".repeat(16));
        assert_eq!(shown, ["CopyrightFlag=True", &digest, "GlobalAngle=30"]);
        for end in 0..bytes.len() {
            read(ByteView::memory(&bytes[..end]), IptcHome::Other, &mut Gather::new(&fields));
        }
    }
}
