//! JPEG: segments, each with a marker and, but for a few, a length; then the picture.
//!
//! ISO/IEC 10918-1, annex B; the metadata's marks in front of the application segments are those
//! of JFIF 1.02, Exif, XMP part 3, ICC.1 annex B.4 and CIPA DC-007 (MPF).

use super::{crw, flashpix, flir, jumbf, mpf, segments, trailer};
use crate::camera::CameraModel;
use crate::exif::photoshop;
use crate::gather::Gather;
use crate::iptc::IptcHome;
use crate::record::read_container;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use crate::{Fields, Gap, Tag, exif, icc, table, xmp};
use solio_container::{
    ByteView, ContainerHeader,
    jpeg::{COMMENT, JpegSegment, head},
};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Most segments that are looked at.
const MOST_SEGMENTS: usize = 4096;
/// Most bytes that are put together from several segments.
const MOST_JOINED: usize = 64 << 20;

/// What comes in several segments.
#[derive(Default)]
struct Joined<'v> {
    /// Parts of the ICC profile by their number.
    icc: BTreeMap<u8, Vec<u8>>,
    /// How many the profile has, as its parts say.
    icc_parts: u8,
    /// How many tags there were when the last part of it came, and of Photoshop's resources.
    icc_place: usize,
    photoshop_place: usize,
    /// Packets of XMP, one in most files.
    packets: Vec<ByteView<'v>>,
    /// Photoshop's resources, which are seldom in more than one segment.
    photoshop: Vec<ByteView<'v>>,
    /// Extended XMP: by identifier, the parts by their offset.
    xmp: BTreeMap<Vec<u8>, Extended>,
    /// Boxes of JUMBF: by number, the parts by theirs.
    boxes: BTreeMap<u16, BTreeMap<u32, Vec<u8>>>,
    /// Parts of FLIR's file by their number.
    thermal: BTreeMap<u8, Vec<u8>>,
    /// FlashPix' streams.
    streams: flashpix::FlashpixStreams,
    bytes: usize,
}

impl Joined<'_> {
    /// The ICC profile, where no part of it is missing.
    fn profile(&self) -> Option<Vec<u8>> {
        // Some programs write 0 for the number of parts.
        let parts = if self.icc_parts == 0 { self.icc.len() } else { self.icc_parts.into() };
        let first = *self.icc.keys().next()?;
        let numbers = self.icc.keys().zip(first..=u8::MAX).take(parts);
        let whole = numbers.filter(|(number, next)| **number == *next).count() == parts;
        whole.then(|| self.icc.values().take(parts).flatten().copied().collect())
    }

    /// The identifier of the extended packet that belongs to the main one.
    fn extended_name(&self, gather: &Gather<'_>) -> Option<String> {
        const NAME: &str = "HasExtendedXMP";
        let of = |tags: &[Tag]| {
            let tag = tags.iter().rfind(|tag| tag.name == NAME && tag.group == "XMP-xmpNote");
            tag.map(|tag| tag.value.plain())
        };
        if gather.fields.is_all() {
            return of(&gather.tags);
        }
        // The main packet was read for other fields.
        static ONLY_NAME: LazyLock<Fields> = LazyLock::new(|| Fields::of([NAME]));
        let mut own = Gather::new(&ONLY_NAME);
        for packet in self.packets.iter().filter_map(|packet| packet.all(1 << 16)) {
            xmp::read(&packet, &mut own);
        }
        of(&own.tags)
    }
}

/// A packet in parts.
#[derive(Default)]
struct Extended {
    /// How long all are together.
    len: u32,
    parts: BTreeMap<u32, Vec<u8>>,
}

impl Extended {
    /// The packet, where no part of it is missing.
    fn whole(&self) -> Option<Vec<u8>> {
        let mut packet = Vec::new();
        for (at, part) in &self.parts {
            if *at as usize != packet.len() {
                return None;
            }
            packet.extend_from_slice(part);
        }
        (packet.len() == self.len as usize).then_some(packet)
    }
}

/// Reads the segments before the picture.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    gather.has_place_for_iptc = true;
    let mut joined = Joined::default();
    for found in head(view).take(MOST_SEGMENTS) {
        if found.body.len() < found.len {
            gather.warn("JPEG: a segment ends past the end of the file");
            break;
        }
        if found.skipped > 0 {
            gather.leave(Gap::Odd);
        }
        if found.application() == Some(1) && found.body.starts_with(b"Exif\0") {
            exif_of_segments(found.body, view.from(found.end()), gather);
        } else {
            segment(found, view, &mut joined, gather);
        }
        if gather.is_full() {
            return;
        }
    }
    finish(view, joined, gather);
}

fn segment<'v>(
    segment: JpegSegment<'v>,
    file: ByteView<'_>,
    joined: &mut Joined<'v>,
    gather: &mut Gather<'_>,
) {
    let body = segment.body;
    let starts = |mark: &[u8]| body.starts_with(mark);
    let Some(number) = segment.application() else {
        return match segment.marker {
            0xc0..=0xcf => frame(segment, gather),
            COMMENT => comment(body, gather),
            _ => {}
        };
    };
    // Of these two not all is read.
    if number == 12 && !starts(b"Ducky") || number == 2 && starts(b"FPXR\0") {
        gather.leave(Gap::Odd);
    }
    match number {
        0 if starts(b"JFIF\0") => read_container("jfif", body, "JFIF", gather),
        0 if crw::is_segment(body) => crw::read_segment(body, gather),
        0 if starts(b"JFXX\0\x10") => {
            gather.put("JFXX", "ThumbnailImage", body.from(6).into(), TagRule::Binary);
        }
        1 if starts(b"http://ns.adobe.com/xap/1.0/\0") => {
            let packet = body.from(29);
            if let (true, Some(bytes)) =
                (gather.fields.wants_groups_like("XMP"), packet.all(1 << 16))
            {
                joined.packets.push(packet);
                xmp::read(&bytes, gather);
            }
        }
        1 if starts(b"http://ns.adobe.com/xmp/extension/\0") => extended(body, joined, gather),
        1 if starts(b"FLIR\0\x01") && gather.fields.wants_group("FLIR") => {
            if let (Some(number), Some(part)) = (body.u8(6), body.from(8).all(1 << 16)) {
                keep(&mut joined.bytes, part.len())
                    .then(|| joined.thermal.insert(number, part.into()));
            }
        }
        1 if starts(b"QVCI\0") => read_container("casio_segment", body, "Casio", gather),
        2 if starts(b"ICC_PROFILE\0") && gather.fields.wants_profile() => {
            if let (Some([number, count]), Some(part)) =
                (body.array::<2>(12), body.from(14).all(1 << 16))
            {
                joined.icc_place = gather.tags.len();
                joined.icc_parts = count;
                keep(&mut joined.bytes, part.len()).then(|| joined.icc.insert(number, part.into()));
            }
        }
        2 if starts(b"FPXR\0") && gather.fields.wants_any("FlashPix", &table::FLASHPIX) => {
            let bytes = &mut joined.bytes;
            joined.streams.add(body.from(5), |more| keep(bytes, more));
        }
        2 if starts(b"MPF\0") => mpf::read(body.from(4), file, gather),
        3 if starts(b"_JPSJPS_") => segments::stereo(body, gather),
        3 if starts(b"Meta\0\0") => {
            if let Some(table) = table::KODAK_SEGMENT.table("kodak_meta") {
                exif::read_as(body.from(6), "MetaIFD", table, CameraModel::NONE, gather);
            }
        }
        6 if starts(b"GoPro\0") => segments::gopro(body.from(6), 0, gather),
        11 if starts(b"JP") => boxes(body, joined, gather),
        12 if starts(b"Ducky") => ducky(body.from(5), gather),
        12 if gather.fields.wants_group("PictureInfo") => crate::picture_info::read(body, gather),
        13 if starts(b"Photoshop 3.0\0") => {
            joined.photoshop_place = gather.tags.len();
            joined.photoshop.push(body.from(14));
        }
        13 if starts(b"Adobe_CM") => {
            if let Some(kind) = body.be16(8) {
                gather.int("AdobeCM", "AdobeCMType", kind);
            }
        }
        14 if starts(b"Adobe") => read_container("adobe_segment", body.from(5), "Adobe", gather),
        // What is left out here on purpose is no gap.
        _ if gather.fields.is_all() => gather.leave(Gap::Format),
        _ => {}
    }
}

/// Reads EXIF that starts in the segment `body`; `behind` is what follows that.
fn exif_of_segments(body: ByteView<'_>, behind: ByteView<'_>, gather: &mut Gather<'_>) {
    let before = gather.mark();
    exif::read_part(body.from(6), gather);
    // To look behind the segment costs a read, so only what was not in it leads there.
    if !gather.is_cut() {
        return;
    }
    let rest = segments_of_exif(behind);
    if !rest.is_empty() {
        let first = body.from(6).all(1 << 16).unwrap_or_default();
        gather.back_to(before);
        let whole = [&first[..], &rest].concat();
        exif::read_part(ByteView::memory(&whole), gather);
    }
}

/// What the segments at the start of `rest` hold that go on with EXIF: they have its mark again, but
/// no head of a TIFF structure.
fn segments_of_exif(mut rest: ByteView<'_>) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some([0xff, 0xe1, high, low, b'E', b'x', b'i', b'f', 0, 0, first, second]) =
        rest.array::<12>(0)
        && !matches!([first, second], [b'I', b'I'] | [b'M', b'M'])
        && let Some(len) = u64::from(u16::from_be_bytes([high, low])).checked_sub(8)
    {
        let Some(bytes) = rest.part(10, len).all(len) else { break };
        if all.len() + bytes.len() > MOST_JOINED {
            break;
        }
        all.extend_from_slice(&bytes);
        rest = rest.from(10 + len);
    }
    all
}

/// Whether `more` bytes may still be kept.
fn keep(bytes: &mut usize, more: usize) -> bool {
    *bytes += more;
    *bytes <= MOST_JOINED
}

fn frame(segment: JpegSegment<'_>, gather: &mut Gather<'_>) {
    let Some(ContainerHeader { width, height, bits, channels, .. }) = segment.frame() else {
        return;
    };
    const PROCESSES: &str = "0:Baseline DCT, Huffman coding|1:Extended sequential DCT, Huffman coding|\
        2:Progressive DCT, Huffman coding|3:Lossless, Huffman coding|\
        5:Sequential DCT, differential Huffman coding|6:Progressive DCT, differential Huffman coding|\
        7:Lossless, Differential Huffman coding|9:Extended sequential DCT, arithmetic coding|\
        10:Progressive DCT, arithmetic coding|11:Lossless, arithmetic coding|\
        13:Sequential DCT, differential arithmetic coding|\
        14:Progressive DCT, differential arithmetic coding|15:Lossless, differential arithmetic coding";
    gather.int("File", "ImageWidth", width);
    gather.int("File", "ImageHeight", height);
    let rule = TagRule::Words { words: PROCESSES, hex: false };
    gather.put("File", "EncodingProcess", Value::int(segment.marker & 15), rule);
    gather.int("File", "BitsPerSample", bits);
    gather.int("File", "ColorComponents", channels);
    if channels != 3 {
        return;
    }
    // How often each component is sampled, across and down; the least is one.
    let samples: Vec<(u8, u8)> = (0..3)
        .filter_map(|n| segment.body.u8(7 + 3 * n))
        .map(|factors| (factors >> 4, factors & 15))
        .collect();
    let least = |pick: fn(&(u8, u8)) -> u8| samples.iter().map(pick).min().unwrap_or(0);
    let most = |pick: fn(&(u8, u8)) -> u8| samples.iter().map(pick).max().unwrap_or(0);
    let (across, down) = (least(|s| s.0), least(|s| s.1));
    if samples.len() == 3 && across > 0 && down > 0 {
        let ratio = [most(|s| s.0) / across, most(|s| s.1) / down].map(i64::from);
        let rule = TagRule::Named(Named::SubSampling);
        gather.put("File", "YCbCrSubSampling", Value::Ints(ratio.to_vec()), rule);
    }
}

/// "Save for the web": tag, length, value.
fn ducky(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let mut at = 0;
    while let (Some(tag @ 1..), Some(len)) = (body.be16(at), body.be16(at + 2)) {
        let part = body.part(at + 4, u64::from(len));
        match tag {
            1 => {
                let quality = Value::int(part.be32(0).unwrap_or(0));
                gather.put("Ducky", "Quality", quality, TagRule::Named(Named::PerHundred));
            }
            2 | 3 => {
                let bytes = part.from(4).all(1 << 16).unwrap_or_default();
                let name = if tag == 2 { "Comment" } else { "Copyright" };
                gather.text("Ducky", name, crate::text::utf16(&bytes, true));
            }
            _ => {}
        }
        at += 4 + u64::from(len);
    }
}

fn comment(body: ByteView<'_>, gather: &mut Gather<'_>) {
    if !gather.wants("File", "Comment") {
        return;
    }
    let bytes = body.all(1 << 16).unwrap_or_default();
    let text = lossy(&bytes).trim_end_matches('\0').to_owned();
    gather.text("File", "Comment", text);
}

/// Photoshop's resources, however many segments they are in.
fn resources(parts: &[ByteView<'_>], mut bytes: usize, gather: &mut Gather<'_>) {
    if let [one] = parts {
        return photoshop::read(*one, IptcHome::Standard, gather);
    }
    let mut all = Vec::new();
    for part in parts.iter().filter_map(|part| part.all(1 << 16)) {
        if keep(&mut bytes, part.len()) {
            all.extend_from_slice(&part);
        }
    }
    if !all.is_empty() {
        photoshop::read(ByteView::memory(&all), IptcHome::Standard, gather);
    }
}

/// A part of a packet that one segment cannot hold: identifier (32), full length, offset, text.
fn extended(body: ByteView<'_>, joined: &mut Joined<'_>, gather: &Gather<'_>) {
    if !gather.fields.wants_groups_like("XMP") {
        return;
    }
    let (Some(identifier), Some(len), Some(at)) = (body.get(35, 32), body.be32(67), body.be32(71))
    else {
        return;
    };
    if let Some(part) = body.from(75).all(1 << 16).filter(|p| keep(&mut joined.bytes, p.len())) {
        let packet = joined.xmp.entry(identifier.into()).or_default();
        packet.len = len;
        packet.parts.insert(at, part.into());
    }
}

/// A part of a box of JUMBF: number of the box (2), of the part (4), then the box; all parts have
/// its head.
fn boxes(body: ByteView<'_>, joined: &mut Joined<'_>, gather: &Gather<'_>) {
    if !jumbf::is_wanted(gather) {
        return;
    }
    let (Some(number), Some(part)) = (body.be16(2), body.be32(4)) else { return };
    let parts = joined.boxes.entry(number).or_default();
    let content = body.from(if parts.is_empty() { 8 } else { 16 });
    if let Some(bytes) = content.all(1 << 16).filter(|p| keep(&mut joined.bytes, p.len())) {
        parts.insert(part, bytes.into());
    }
}

/// What is known only when all segments have been seen.
fn finish(view: ByteView<'_>, joined: Joined<'_>, gather: &mut Gather<'_>) {
    let named = if joined.xmp.is_empty() { None } else { joined.extended_name(gather) };
    for (identifier, extended) in &joined.xmp {
        // Packets that the main one does not name belong to other versions of it (XMP, part 3).
        let named = named.as_ref().is_some_and(|n| n.as_bytes().eq_ignore_ascii_case(identifier));
        match extended.whole().filter(|_| named) {
            Some(packet) => xmp::read(&packet, gather),
            None if named => gather.warn("JPEG: a part of the extended XMP is missing"),
            None => {}
        }
    }
    // Both stand where the last of their segments was.
    let plain = gather.tags.len();
    resources(&joined.photoshop, joined.bytes, gather);
    let between = gather.tags.len();
    match joined.profile() {
        Some(profile) => icc::read(ByteView::memory(&profile), gather),
        None if joined.icc.is_empty() => {}
        None => gather.warn("JPEG: a part of the ICC profile is missing"),
    }
    let counts = (between.saturating_sub(plain), gather.tags.len().saturating_sub(between));
    gather
        .move_to_places(plain, &[(joined.photoshop_place, counts.0), (joined.icc_place, counts.1)]);
    joined.streams.finish(gather);
    let thermal: Vec<u8> = joined.thermal.into_values().flatten().collect();
    flir::read(ByteView::memory(&thermal), gather);
    for parts in joined.boxes.into_values() {
        let all: Vec<u8> = parts.into_values().flatten().collect();
        jumbf::read(ByteView::memory(&all), gather);
    }
    trailer::read(view, gather);
}
