//! JPEG 2000 and JPEG XL in boxes; the bare codestream of the former.
//!
//! ISO/IEC 15444-1, annexes A and I; ISO/IEC 18181-2.

use super::bmff::boxes;
use super::{jumbf, jxl};
use crate::gather::Gather;
use crate::record::read_container;
use crate::rule::TagRule;
use crate::value::{Value, lossy};
use crate::{exif, icc, iptc, xmp};
use solio_container::ByteView;

const GROUP: &str = "Jpeg2000";
/// Markers of codestreams.
const COMMENT: u16 = 0xff64;
const START_OF_TILE: u16 = 0xff90;

/// Reads the boxes of a file.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    let mut room = jxl::BrotliRoom::default();
    for found in boxes(view, 0) {
        if &found.kind != b"brob" {
            one(&found.kind, found.body, gather);
        } else if let Some((kind, content)) = room.unpack(found.body, gather) {
            one(&kind, ByteView::memory(&content), gather);
        }
        if gather.is_full() {
            return;
        }
    }
}

/// Identifiers of `uuid` boxes.
const XMP_UUID: [u8; 16] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
];
const IPTC_UUID: [u8; 16] = [
    0x33, 0xc7, 0xa4, 0xd2, 0xb8, 0x1d, 0x47, 0x23, 0xa0, 0xba, 0xf1, 0xa3, 0xe0, 0x97, 0xad, 0x38,
];

fn one(kind: &[u8; 4], body: ByteView<'_>, gather: &mut Gather<'_>) {
    match kind {
        b"ftyp" => brands(body, gather),
        b"jp2h" | b"res " => {
            // One level only: what these boxes hold has no boxes within, except resolutions.
            for inner in boxes(body, 0).filter(|inner| [&inner.kind, kind] != [b"res "; 2]) {
                one(&inner.kind, inner.body, gather);
            }
        }
        b"ihdr" => read_container("jp2_header", body, GROUP, gather),
        b"colr" => color(body, gather),
        b"resc" => resolution(body, "Capture", gather),
        b"resd" => resolution(body, "Display", gather),
        b"Exif" => {
            let skip = u64::from(body.be32(0).unwrap_or(0)).saturating_add(4);
            exif::read_part(body.from(skip), gather);
        }
        b"xml " => packet(body, gather),
        b"jumb" => jumbf::read(body, gather),
        b"jxlc" => jxl::read_codestream(body, gather),
        // The parts of a codestream are numbered.
        b"jxlp" => jxl::read_codestream(body.from(4), gather),
        b"uuid" => match body.array::<16>(0) {
            Some(XMP_UUID) => packet(body.from(16), gather),
            Some(IPTC_UUID) => iptc::read(body.from(16), iptc::IptcHome::Other, gather),
            Some(id) if &id == b"JpgTiffExif->JP2" => {
                exif::read_part(body.from(16), gather);
            }
            _ => {}
        },
        _ => {}
    }
}

fn packet(body: ByteView<'_>, gather: &mut Gather<'_>) {
    xmp::read_view(body, gather)
}

fn brands(body: ByteView<'_>, gather: &mut Gather<'_>) {
    read_container("jp2_brand", body.part(0, 4), GROUP, gather);
    super::bmff::minor_version(GROUP, body, gather);
    super::bmff::compatible_brands(GROUP, body, gather);
}

fn color(body: ByteView<'_>, gather: &mut Gather<'_>) {
    read_container("jp2_color", body, GROUP, gather);
    match body.u8(0) {
        Some(1) => read_container("jp2_color_space", body.from(3), GROUP, gather),
        Some(2 | 3) => icc::read(body.from(3), gather),
        _ => {}
    }
}

fn resolution(body: ByteView<'_>, which: &'static str, gather: &mut Gather<'_>) {
    let Some([yn, yd, xn, xd]) = body
        .array::<8>(0)
        .map(|b| [0, 2, 4, 6].map(|i| f64::from(u16::from_be_bytes([b[i], b[i + 1]]))))
    else {
        return;
    };
    let Some([ye, xe]) = body.array::<2>(8) else { return };
    let ratio = |n: f64, d: f64| {
        if d == 0.0 {
            Value::text(if n == 0.0 { "undef" } else { "inf" })
        } else {
            Value::Text(crate::number::significant(n / d, 7))
        }
    };
    let unit = TagRule::Words {
        words: "-3:km|-2:100 m|-1:10 m|0:m|1:10 cm|2:cm|3:mm|4:0.1 mm|5:0.01 mm|6:um",
        hex: false,
    };
    gather.put(GROUP, format!("{which}YResolution"), ratio(yn, yd), TagRule::Plain);
    gather.put(GROUP, format!("{which}XResolution"), ratio(xn, xd), TagRule::Plain);
    gather.put(GROUP, format!("{which}YResolutionUnit"), Value::int(ye as i8), unit);
    gather.put(GROUP, format!("{which}XResolutionUnit"), Value::int(xe as i8), unit);
}

/// The head of a bare codestream: sizes and comments.
pub(super) fn read_codestream(view: ByteView<'_>, gather: &mut Gather<'_>) {
    let Some([width, height, left, top]) = view
        .array::<16>(8)
        .map(|b| [0, 4, 8, 12].map(|i| u32::from_be_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]])))
    else {
        return;
    };
    gather.int("File", "ImageWidth", width.saturating_sub(left));
    gather.int("File", "ImageHeight", height.saturating_sub(top));
    let mut at = 2;
    for _ in 0..256 {
        let (Some(marker), Some(len)) = (view.be16(at), view.be16(at + 2)) else { return };
        // The first tile.
        if marker == START_OF_TILE || len < 2 {
            return;
        }
        if marker == COMMENT && gather.find("File", "Comment").is_none() {
            let text = view.part(at + 6, u64::from(len).saturating_sub(4)).all(1 << 16);
            gather.text("File", "Comment", lossy(&text.unwrap_or_default()));
        }
        at += 2 + u64::from(len);
    }
}
