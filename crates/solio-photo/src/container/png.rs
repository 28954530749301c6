//! PNG: chunks of length, name, data and checksum.
//!
//! Portable Network Graphics (third edition), chapter 5; Exif in `eXIf` (11.3.4.6), XMP in an
//! `iTXt` of its own keyword, and the older "Raw profile type" texts of ImageMagick.

use super::png_text::{profile, text};
use crate::exif;
use crate::gather::Gather;
use crate::record::{Around, read_block, read_container};
use crate::rule::TagRule;
use crate::table::CONTAINERS;
use crate::value::{Value, lossy};
use solio_container::{ByteView, png_chunks};
use std::borrow::Cow;

pub(super) const GROUP: &str = "PNG";
/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 1 << 16;

/// Reads all chunks but the picture's.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    // The first chunk says whether colours are numbers of a palette.
    let indexed = view.u8(25) == Some(3);
    for found in png_chunks(view).map_while(Result::ok).take(MOST_CHUNKS) {
        if found.body.len() < found.len {
            gather.warn("PNG: a chunk ends past the end of the file");
            return;
        }
        chunk(&found.kind, found.body, indexed, gather);
        if gather.is_full() {
            return;
        }
    }
}

fn chunk(name: &[u8; 4], body: ByteView<'_>, indexed: bool, gather: &mut Gather<'_>) {
    match name {
        b"eXIf" => {
            if !exif::read_part(body, gather) {
                binary("eXIf", body, gather);
            }
        }
        b"tEXt" | b"zTXt" | b"iTXt" => text(name, body, gather),
        b"tIME" => {
            if let Some([y0, y1, month, day, hour, minute, second]) = body.array::<7>(0) {
                let year = u16::from_be_bytes([y0, y1]);
                let date =
                    format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}");
                gather.text(GROUP, "ModifyDate", date);
            }
        }
        b"iCCP" => profile(body, gather),
        b"acTL" => {
            super::announce_instead("apng", gather);
            known(name, body, gather);
        }
        b"IHDR" => known(name, body, gather),
        _ if !gather.fields.wants_groups_like(GROUP) => {}
        b"gAMA" => {
            if let Some(gamma) = body.be32(0).filter(|gamma| *gamma > 0) {
                let gamma = (1e9 / f64::from(gamma) + 0.5).floor() / 1e4;
                gather.put(GROUP, "Gamma", Value::Floats(vec![gamma]), TagRule::Plain);
            }
        }
        b"bKGD" => {
            let bytes = body.all(6).unwrap_or_default();
            let numbers = match bytes.len() {
                1 => vec![i64::from(bytes[0])],
                _ => {
                    bytes.chunks_exact(2).map(|b| i64::from(b[0]) << 8 | i64::from(b[1])).collect()
                }
            };
            gather.put(GROUP, "BackgroundColor", Value::Ints(numbers), TagRule::Plain);
        }
        b"tRNS" => {
            // A palette may have many; other pictures have one sample or three.
            let bytes = body.all(7).unwrap_or_default();
            let numbers: Vec<i64> = match bytes.len() {
                7.. => return binary("Transparency", body, gather),
                _ if indexed => bytes.iter().map(|byte| i64::from(*byte)).collect(),
                _ => {
                    bytes.chunks_exact(2).map(|b| i64::from(b[0]) << 8 | i64::from(b[1])).collect()
                }
            };
            gather.put(GROUP, "Transparency", Value::Ints(numbers), TagRule::Plain);
        }
        b"oFFs" => {
            if let (Some(x), Some(y), Some(unit)) = (body.be32(0), body.be32(4), body.u8(8)) {
                let unit = if unit == 0 { "pixels" } else { "microns" };
                let text = format!("{}, {} ({unit})", x as i32, y as i32);
                gather.text(GROUP, "ImageOffset", text);
            }
        }
        b"sCAL" => {
            let Some(unit) = body.u8(0) else { return };
            let text = lossy(&body.from(1).all(256).unwrap_or_default());
            let mut sizes = text.split('\0');
            let unit = Value::int(unit);
            let words = TagRule::Words { words: "1:meters|2:radians", hex: false };
            gather.put(GROUP, "SubjectUnits", unit, words);
            for name in ["SubjectPixelWidth", "SubjectPixelHeight"] {
                if let Some(size) = sizes.next() {
                    gather.text(GROUP, name, size);
                }
            }
        }
        b"cICP" => read_container("png_code_points", body, GROUP, gather),
        _ => known(name, body, gather),
    }
}

/// Reads what the table has.
fn known(name: &[u8; 4], body: ByteView<'_>, gather: &mut Gather<'_>) {
    let group = Cow::Borrowed(GROUP);
    let around = Around::container(&group);
    if let Some(table) = CONTAINERS.table("png") {
        read_block(table, u32::from_be_bytes(*name), body, &around, gather);
    }
}

fn binary(name: &'static str, body: ByteView<'_>, gather: &mut Gather<'_>) {
    gather.put(GROUP, name, body.into(), TagRule::Binary);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn read_chunks(chunks: &[(&[u8; 4], &[u8])]) -> Vec<(String, String)> {
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        for (name, body) in chunks {
            chunk(name, ByteView::memory(body), false, &mut gather);
        }
        let shown = |t: &crate::Tag| (format!("{}:{}", t.group, t.name), t.text().plain());
        gather.tags.iter().map(shown).collect()
    }

    #[test]
    fn what_is_clear_is_samples_or_entries_of_the_palette() {
        let shown = |indexed, body: &[u8]| {
            let fields = Fields::all();
            let mut gather = Gather::new(&fields);
            chunk(b"tRNS", ByteView::memory(body), indexed, &mut gather);
            gather.tags[0].text().plain()
        };
        assert_eq!(shown(false, &[0, 7]), "7");
        assert_eq!(shown(false, &[0, 1, 1, 2, 0, 3]), "1 258 3");
        assert_eq!(shown(true, &[0, 7]), "0 7");
        assert!(shown(true, &[0; 7]).starts_with("(Binary data 7 bytes"));
    }

    #[test]
    fn rare_chunks() {
        let tags = read_chunks(&[
            (b"acTL", b"\0\0\0\x02\0\0\0\0"),
            (b"oFFs", b"\0\0\0\x05\xff\xff\xff\xfa\x01"),
            (b"sCAL", b"\x011.5\x002.5"),
            (b"sTER", b"\x01"),
            (b"cICP", b"\x09\x10\0\x01"),
            (b"eXIf", b"none"),
        ]);
        let want = [
            ("File:FileType", "APNG"),
            ("File:FileTypeExtension", "png"),
            ("File:MIMEType", "image/apng"),
            ("PNG:AnimationFrames", "2"),
            ("PNG:AnimationPlays", "inf"),
            ("PNG:ImageOffset", "5, -6 (microns)"),
            ("PNG:SubjectUnits", "meters"),
            ("PNG:SubjectPixelWidth", "1.5"),
            ("PNG:SubjectPixelHeight", "2.5"),
            ("PNG:StereoMode", "Diverging-fuse Layout"),
            ("PNG-cICP:ColorPrimaries", "BT.2020, BT.2100"),
            ("PNG-cICP:TransferCharacteristics", "SMPTE ST 2084, ITU BT.2100 PQ"),
            ("PNG-cICP:MatrixCoefficients", "Identity matrix"),
            ("PNG-cICP:VideoFullRangeFlag", "1"),
            ("PNG:eXIf", "(Binary data 4 bytes, use -b option to extract)"),
        ];
        assert_eq!(tags, want.map(|(name, text)| (name.to_owned(), text.to_owned())));
        for name in [b"acTL", b"oFFs", b"sCAL", b"sTER", b"cICP", b"vpAg"] {
            read_chunks(&[(name, b"")]);
        }
    }
}
