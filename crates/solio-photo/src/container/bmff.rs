//! Files of boxes (atoms): HEIF, AVIF, CR3, MP4, QuickTime.
//!
//! ISO/IEC 14496-12 (boxes), 23008-12 (HEIF: items and their properties), QuickTime File Format.

use super::movie;
use crate::camera::CameraModel;
use crate::gather::Gather;
use crate::record::{Around, read_container, read_record};
use crate::rule::{Named, TagRule};
use crate::table::CONTAINERS;
use crate::value::{Value, lossy};
use crate::{exif, icc, xmp};
use solio_container::{ByteView, ContainerChunk, tiff::FieldType};
use std::borrow::Cow;

const GROUP: &str = "QuickTime";
/// Boxes within boxes.
const MOST_DEPTH: u8 = 12;
/// Most boxes in one box.
const MOST_BOXES: usize = 1 << 14;
/// Most items of a picture that are looked at.
const MOST_ITEMS: usize = 1 << 12;

/// The boxes of `view` from `at` on, up to the first that is damaged.
pub(super) fn boxes(view: ByteView<'_>, at: u64) -> impl Iterator<Item = ContainerChunk<'_>> {
    solio_container::boxes(view, at).map_while(Result::ok).take(MOST_BOXES)
}

/// Reads a file of boxes.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    for ContainerChunk { kind, start, len, body, .. } in boxes(view, 0) {
        match &kind {
            b"ftyp" => brands(body, gather),
            b"meta" => items(view, body, gather),
            b"moov" => movie::read(body, gather),
            b"mdat" => {
                gather.int(GROUP, "MediaDataSize", len as i64);
                gather.int(GROUP, "MediaDataOffset", start as i64);
            }
            b"uuid" => identified(body, gather),
            _ => {}
        }
        if gather.is_full() {
            return;
        }
    }
}

const XMP_UUID: [u8; 16] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
];
const PREVIEW_UUID: [u8; 16] = [
    0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16,
];
const CANON_UUID: [u8; 16] = [
    0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
];

/// A box that an identifier names: XMP, or Canon's directories in CR3.
pub(super) fn identified(body: ByteView<'_>, gather: &mut Gather<'_>) {
    match body.array::<16>(0) {
        Some(XMP_UUID) => xmp::read_view(body.from(16), gather),
        Some(CANON_UUID) => {
            let mut main = None;
            for part in boxes(body, 16) {
                if &part.kind == b"CMT1" {
                    main = Some(part.body);
                }
                canon(&part.kind, part.body, main, gather);
            }
        }
        Some(PREVIEW_UUID) => {
            if let Some(part) = boxes(body, 24).next().filter(|part| &part.kind == b"PRVW") {
                picture(GROUP, "PreviewImage", part.body, 12, gather);
            }
        }
        _ => {}
    }
}

/// Whether the box says that the file is Canon's raw format.
pub(super) fn is_canon(body: ByteView<'_>) -> bool {
    body.array::<16>(0) == Some(CANON_UUID)
}

/// A box of Canon's: directories of EXIF, each in a TIFF structure of its own; the version of what
/// wrote it; a thumbnail. `main`: the main directory, which names the model.
fn canon(kind: &[u8; 4], part: ByteView<'_>, main: Option<ByteView<'_>>, gather: &mut Gather<'_>) {
    use crate::table::{EXIF, GPS};
    match kind {
        b"CNCV" => {
            let text = lossy(&part.all(256).unwrap_or_default());
            gather.text("Canon", "CompressorVersion", crate::text::before_zero(&text).to_owned());
        }
        b"CMT1" => drop(exif::read_part(part, gather)),
        b"CMT2" => exif::read_as(part, "ExifIFD", &EXIF, CameraModel::NONE, gather),
        b"CMT3" => exif::maker::read_canon(part, main, gather),
        b"CMT4" => exif::read_as(part, "GPS", &GPS, CameraModel::NONE, gather),
        b"THMB" => picture("Canon", "ThumbnailImage", part, 8, gather),
        _ => {}
    }
}

/// A picture behind its length at `at` and four bytes more.
fn picture(
    group: &'static str,
    name: &'static str,
    part: ByteView<'_>,
    at: u64,
    gather: &mut Gather<'_>,
) {
    let Some(bytes) = part.be32(at) else { return };
    let start = if at == 8 { at + 8 } else { at + 4 };
    gather.put(group, name, part.part(start, u64::from(bytes)).into(), TagRule::Binary);
}

fn brands(body: ByteView<'_>, gather: &mut Gather<'_>) {
    read_container("brand", body.part(0, 4), GROUP, gather);
    minor_version(GROUP, body, gather);
    compatible_brands(GROUP, body, gather);
}

/// `0.2.0`, in hexadecimal.
pub(super) fn minor_version(group: &'static str, body: ByteView<'_>, gather: &mut Gather<'_>) {
    // What is cut off counts as zero.
    if let Some(a) = body.u8(4) {
        let [c, d] = [6, 7].map(|at| body.u8(at).unwrap_or(0));
        let first = body.be16(4).unwrap_or(u16::from(a));
        let version = format!("{first:x}.{c:x}.{d:x}");
        gather.text(group, "MinorVersion", version);
    }
}

/// The brands that a reader may know instead.
pub(super) fn compatible_brands(group: &'static str, body: ByteView<'_>, gather: &mut Gather<'_>) {
    let bytes = body.from(8).all(1 << 12).unwrap_or_default();
    let brands = bytes.chunks_exact(4).filter(|b| !b.contains(&0)).map(|b| Value::Text(lossy(b)));
    let brands: Vec<Value> = brands.collect();
    if !bytes.is_empty() {
        gather.put(group, "CompatibleBrands", Value::List(brands), TagRule::Plain);
    }
}

/// One item of a picture.
#[derive(Default)]
struct HeifItem {
    id: u32,
    kind: [u8; 4],
    mime: String,
    /// Where its bytes lie in the file, in one or more parts.
    extents: Vec<(u64, u64)>,
    /// 1: in the `idat` box instead of the file.
    method: u16,
    /// Numbers of its properties, from one.
    properties: Vec<u16>,
}

/// Reads a picture's items: Exif and XMP are items, sizes are properties of the main one.
pub(super) fn items(file: ByteView<'_>, meta: ByteView<'_>, gather: &mut Gather<'_>) {
    // QuickTime's has no version and flags in front.
    let first = if meta.array::<4>(4).is_some_and(|kind| &kind == b"hdlr") { 0 } else { 4 };
    let mut list: Vec<HeifItem> = Vec::new();
    let mut primary = None;
    let mut properties: Vec<ContainerChunk<'_>> = Vec::new();
    let mut data = None;
    for ContainerChunk { kind, body, .. } in boxes(meta, first) {
        match &kind {
            b"hdlr" => movie::handler(GROUP, body, gather),
            b"pitm" => {
                let id =
                    if body.u8(0) == Some(0) { body.be16(4).map(u32::from) } else { body.be32(4) };
                primary = id;
                if let Some(id) = id {
                    gather.int("Meta", "PrimaryItemReference", id);
                }
            }
            b"iinf" => item_infos(body, &mut list),
            b"iloc" => item_places(body, &mut list),
            b"idat" => data = Some(body),
            b"iprp" => {
                for inner in boxes(body, 0) {
                    match &inner.kind {
                        b"ipco" => {
                            let room = MOST_ITEMS - properties.len();
                            properties.extend(boxes(inner.body, 0).take(room));
                        }
                        b"ipma" => associations(inner.body, &mut list),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    let main = list.iter().find(|item| Some(item.id) == primary);
    for number in main.map_or(&[][..], |item| &item.properties) {
        if let Some(found) = properties.get(usize::from(*number).wrapping_sub(1)) {
            property(&found.kind, found.body, gather);
        }
    }
    let mut budget = xmp::MOST_PACKET;
    for item in &list {
        let source = if item.method == 1 { data.unwrap_or(file) } else { file };
        item_content(item, source, &mut budget, gather);
    }
}

/// Items of EXIF and of XMP, each where it lies in the file in one piece.
#[derive(Default)]
pub(crate) struct HeifBlocks<'a> {
    pub(crate) exif: Vec<ByteView<'a>>,
    pub(crate) xmp: Vec<ByteView<'a>>,
}

/// The items of a picture that say something of it.
pub(crate) fn heif_items<'a>(file: ByteView<'a>, meta: ByteView<'a>) -> HeifBlocks<'a> {
    let mut list: Vec<HeifItem> = Vec::new();
    let mut data = None;
    for ContainerChunk { kind, body, .. } in boxes(meta, 4) {
        match &kind {
            b"iinf" => item_infos(body, &mut list),
            b"iloc" => item_places(body, &mut list),
            b"idat" => data = Some(body),
            _ => {}
        }
    }
    let mut blocks = HeifBlocks::default();
    for item in &list {
        let source = if item.method == 1 { data.unwrap_or(file) } else { file };
        let [(at, len)] = item.extents[..] else { continue };
        if &item.kind == b"Exif" {
            blocks.exif.push(source.part(at, len));
        } else if &item.kind == b"mime" && item.mime.starts_with("application/rdf+xml") {
            blocks.xmp.push(source.part(at, len));
        }
    }
    blocks
}

/// `budget`: how many bytes may still be put together from several places.
fn item_content(item: &HeifItem, source: ByteView<'_>, budget: &mut u64, gather: &mut Gather<'_>) {
    let is_exif = &item.kind == b"Exif";
    let is_xmp = &item.kind == b"mime" && item.mime.starts_with("application/rdf+xml");
    if !is_exif && !is_xmp {
        return;
    }
    let joined;
    let part = match item.extents[..] {
        [(at, len)] => source.part(at, len),
        _ => {
            let Some(bytes) = join(&item.extents, source, budget, gather) else {
                return gather.warn("an item's parts are too long");
            };
            joined = bytes;
            ByteView::memory(&joined)
        }
    };
    if is_exif {
        let skip = u64::from(part.be32(0).unwrap_or(0)).saturating_add(4);
        exif::read_part(part.from(skip), gather);
    } else if is_xmp && gather.fields.wants_groups_like("XMP") {
        xmp::read_view(part, gather);
    }
}

/// The bytes of an item that lies in several places, as far as they are there; `None` where they
/// are too many.
fn join(
    extents: &[(u64, u64)],
    source: ByteView<'_>,
    budget: &mut u64,
    gather: &mut Gather<'_>,
) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for &(at, len) in extents {
        let part = source.part(at, len);
        *budget = budget.checked_sub(part.len())?;
        all.extend_from_slice(&part.all(part.len())?);
        if part.len() < len {
            // What follows would be in the wrong place.
            gather.warn("an item's parts lie past the end");
            break;
        }
    }
    Some(all)
}

fn find(list: &mut Vec<HeifItem>, id: u32) -> Option<&mut HeifItem> {
    if let Some(n) = list.iter().position(|item| item.id == id) {
        return list.get_mut(n);
    }
    if list.len() >= MOST_ITEMS {
        return None;
    }
    list.push(HeifItem { id, ..HeifItem::default() });
    list.last_mut()
}

fn item_infos(body: ByteView<'_>, list: &mut Vec<HeifItem>) {
    let start = if body.u8(0) == Some(0) { 6 } else { 8 };
    for part in boxes(body, start).filter(|part| &part.kind == b"infe").map(|part| part.body) {
        let (id, at) = match part.u8(0).unwrap_or(0) {
            0 | 1 => continue,
            2 => (part.be16(4).map(u32::from), 8),
            _ => (part.be32(4), 10),
        };
        let (Some(id), Some(kind)) = (id, part.array::<4>(at)) else { continue };
        let texts = part.from(at + 4).all(1 << 12).unwrap_or_default();
        let mime = texts.split(|b| *b == 0).nth(1).map(lossy).unwrap_or_default();
        match find(list, id) {
            Some(item) => (item.kind, item.mime) = (kind, mime),
            None => return,
        }
    }
}

fn item_places(body: ByteView<'_>, list: &mut Vec<HeifItem>) {
    let (Some(version), Some(sizes)) = (body.u8(0), body.be16(4)) else { return };
    let sizes = [sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, sizes & 15].map(u64::from);
    let [offset_size, length_size, base_size, index_size] = sizes;
    if sizes.iter().any(|size| *size > 8) {
        return;
    }
    let mut at = 6;
    let take = |at: &mut u64, size: u64| -> Option<u64> {
        let bytes = body.get(*at, size as usize)?;
        *at += size;
        Some(bytes.iter().fold(0, |sum, b| sum << 8 | u64::from(*b)))
    };
    let wide = if version < 2 { 2 } else { 4 };
    let mut places = || -> Option<()> {
        let count = take(&mut at, wide)?;
        for _ in 0..count.min(MOST_ITEMS as u64) {
            let id = take(&mut at, wide)? as u32;
            let method = if version == 0 { 0 } else { take(&mut at, 2)? as u16 & 15 };
            take(&mut at, 2)?;
            let base = take(&mut at, base_size)?;
            let extents = take(&mut at, 2)?;
            let mut parts = Vec::new();
            for _ in 0..extents {
                if version > 0 {
                    take(&mut at, index_size)?;
                }
                let start = base.checked_add(take(&mut at, offset_size)?)?;
                parts.push((start, take(&mut at, length_size)?));
                // An extent of no size takes no bytes here either, so that the count would rule.
                if parts.len() > 64 {
                    return None;
                }
            }
            let item = find(list, id)?;
            (item.extents, item.method) = (parts, method);
        }
        Some(())
    };
    places();
}

fn associations(body: ByteView<'_>, list: &mut Vec<HeifItem>) {
    let (Some(version), Some(flags), Some(count)) = (body.u8(0), body.u8(3), body.be32(4)) else {
        return;
    };
    let mut at = 8;
    for _ in 0..count.min(MOST_ITEMS as u32) {
        let (id, step) =
            if version == 0 { (body.be16(at).map(u32::from), 2) } else { (body.be32(at), 4) };
        let (Some(id), Some(number)) = (id, body.u8(at + step)) else { return };
        at += step + 1;
        let mut numbers = Vec::new();
        for _ in 0..number {
            let (value, step) = if flags & 1 == 1 {
                (body.be16(at).map(|n| n & 0x7fff), 2)
            } else {
                (body.u8(at).map(|n| u16::from(n & 0x7f)), 1)
            };
            let Some(value) = value else { return };
            numbers.push(value);
            at += step;
        }
        match find(list, id) {
            Some(item) => item.properties = numbers,
            None => return,
        }
    }
}

fn property(kind: &[u8; 4], body: ByteView<'_>, gather: &mut Gather<'_>) {
    match kind {
        b"ispe" => {
            if let (Some(width), Some(height)) = (body.be32(4), body.be32(8)) {
                let size = Value::Ints(vec![i64::from(width), i64::from(height)]);
                gather.put(GROUP, "ImageSpatialExtent", size, TagRule::Named(Named::Dimensions));
                gather.int("File", "ImageWidth", width);
                gather.int("File", "ImageHeight", height);
            }
        }
        b"pixi" => {
            let count = u64::from(body.u8(4).unwrap_or(0));
            let depths = body.part(5, count).all(16).unwrap_or_default();
            let depths = depths.iter().map(|b| i64::from(*b)).collect();
            gather.put(GROUP, "ImagePixelDepth", Value::Ints(depths), TagRule::Plain);
        }
        b"irot" => {
            let degrees = i64::from(body.u8(0).unwrap_or(0) & 3) * 90;
            gather.int(GROUP, "Rotation", degrees);
        }
        b"colr" => color(GROUP, body, gather),
        b"hvcC" => read_container("hevc", body, GROUP, gather),
        b"av1C" => read_container("av1", body, GROUP, gather),
        _ => {}
    }
}

/// How colours are meant: by three numbers, or by a profile.
pub(super) fn color(
    group: impl Into<Cow<'static, str>>,
    body: ByteView<'_>,
    gather: &mut Gather<'_>,
) {
    let Some(kind) = body.array::<4>(0) else { return };
    if matches!(&kind, b"prof" | b"rICC") {
        return icc::read(body.from(4), gather);
    }
    let group = group.into();
    gather.text(group.clone(), "ColorProfiles", lossy(&kind));
    let unit = Some(FieldType::Int16u);
    let around = Around { unit, ..Around::container(&group) };
    if let Some(table) = CONTAINERS.table("code_points") {
        read_record(body.part(4, 6), table, &around, gather);
    }
}

/// Whether boxes lie too deep.
pub(super) fn too_deep(depth: u8) -> bool {
    depth > MOST_DEPTH
}
