//! PNG: chunks of length, name, data and checksum.
//!
//! Portable Network Graphics (third edition), chapter 5; Exif in `eXIf` (11.3.4.6), XMP in an
//! `iTXt` of its own keyword, and the older "Raw profile type" texts of ImageMagick.

use super::colors::coding_points;
use super::kind::Kind;
use super::png_text::{profile, text};
use crate::exif;
use crate::gather::Gather;
use crate::rule::Rule;
use crate::value::{Value, lossy};
use solio_container::ByteView;
use solio_container::png::{PngChunk, PngChunks, PngHeader};

pub(super) const GROUP: &str = "PNG";
/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 1 << 16;

/// Reads all chunks but the picture's.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    // The first chunk says whether colours are numbers of a palette.
    let indexed = view.u8(25) == Some(3);
    for PngChunk { kind, len, body, .. } in
        PngChunks::new(view).map_while(Result::ok).take(MOST_CHUNKS)
    {
        if body.len() < len {
            gather.warn("PNG: a chunk ends past the end of the file");
            return;
        }
        chunk(&kind, body, indexed, gather);
        if gather.is_full() {
            return;
        }
    }
}

fn chunk(name: &[u8; 4], body: ByteView<'_>, indexed: bool, gather: &mut Gather<'_>) {
    match name {
        b"IHDR" => header(body, gather),
        b"eXIf" => {
            // Some writers keep the mark that JPEG has.
            let marked = body.get(0, 6).is_some_and(|mark| mark.starts_with(b"Exif\0\0"));
            if !exif::read_tiff(body.from(if marked { 6 } else { 0 }), exif::Role::Part, gather) {
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
            Kind::APNG.announce_instead(gather);
            if let (Some(frames), Some(plays)) = (body.be32(0), body.be32(4)) {
                let rule = Rule::Words { words: "0:inf|*:{}", hex: false };
                gather.int(GROUP, "AnimationFrames", frames);
                gather.put(GROUP, "AnimationPlays", Value::int(plays), rule);
            }
        }
        _ if !gather.fields.wants_groups_like(GROUP) => {}
        b"pHYs" => {
            if let (Some(x), Some(y), Some(unit)) = (body.be32(0), body.be32(4), body.u8(8)) {
                let words = Rule::Words { words: "0:Unknown|1:meters", hex: false };
                gather.int("PNG-pHYs", "PixelsPerUnitX", x);
                gather.int("PNG-pHYs", "PixelsPerUnitY", y);
                gather.put("PNG-pHYs", "PixelUnits", Value::int(unit), words);
            }
        }
        b"gAMA" => {
            if let Some(gamma) = body.be32(0).filter(|gamma| *gamma > 0) {
                let gamma = (1e9 / f64::from(gamma) + 0.5).floor() / 1e4;
                gather.put(GROUP, "Gamma", Value::Floats(vec![gamma]), Rule::Plain);
            }
        }
        b"sBIT" => bytes("SignificantBits", body, gather),
        b"bKGD" => {
            let bytes = body.all(6).unwrap_or_default();
            let numbers = match bytes.len() {
                1 => vec![i64::from(bytes[0])],
                _ => {
                    bytes.chunks_exact(2).map(|b| i64::from(b[0]) << 8 | i64::from(b[1])).collect()
                }
            };
            gather.put(GROUP, "BackgroundColor", Value::Ints(numbers), Rule::Plain);
        }
        b"sRGB" => {
            let words = "0:Perceptual|1:Relative Colorimetric|2:Saturation|3:Absolute Colorimetric";
            let intent = Value::int(body.u8(0).unwrap_or(0));
            gather.put(GROUP, "SRGBRendering", intent, Rule::Words { words, hex: false });
        }
        b"cHRM" => chromaticities(body, gather),
        b"PLTE" => binary("Palette", body, gather),
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
            gather.put(GROUP, "Transparency", Value::Ints(numbers), Rule::Plain);
        }
        b"sPLT" => binary("SuggestedPalette", body, gather),
        b"hIST" => binary("PaletteHistogram", body, gather),
        b"pCAL" => binary("PixelCalibration", body, gather),
        b"gIFg" => binary("GIFGraphicControlExtension", body, gather),
        b"gIFt" => binary("GIFPlainTextExtension", body, gather),
        b"gIFx" => binary("GIFApplicationExtension", body, gather),
        _ => placing(name, body, gather),
    }
}

/// How a picture is to be placed, joined or moved.
fn placing(name: &[u8; 4], body: ByteView<'_>, gather: &mut Gather<'_>) {
    let words = |words| Rule::Words { words, hex: false };
    match name {
        b"oFFs" => {
            if let (Some(x), Some(y), Some(unit)) = (body.be32(0), body.be32(4), body.u8(8)) {
                let unit = if unit == 0 { "pixels" } else { "microns" };
                let text = format!("{}, {} ({unit})", x as i32, y as i32);
                gather.text(GROUP, "ImageOffset", text);
            }
        }
        b"vpAg" => {
            if let (Some(x), Some(y), Some(unit)) = (body.be32(0), body.be32(4), body.u8(8)) {
                gather.int(GROUP, "VirtualImageWidth", x);
                gather.int(GROUP, "VirtualImageHeight", y);
                gather.int(GROUP, "VirtualPageUnits", unit);
            }
        }
        b"sCAL" => {
            let Some(unit) = body.u8(0) else { return };
            let text = lossy(&body.from(1).all(256).unwrap_or_default());
            let mut sizes = text.split('\0');
            let unit = Value::int(unit);
            gather.put(GROUP, "SubjectUnits", unit, words("1:meters|2:radians"));
            for name in ["SubjectPixelWidth", "SubjectPixelHeight"] {
                if let Some(size) = sizes.next() {
                    gather.text(GROUP, name, size);
                }
            }
        }
        b"sTER" => {
            if let Some(mode) = body.u8(0) {
                let layouts = words("0:Cross-fuse Layout|1:Diverging-fuse Layout");
                gather.put(GROUP, "StereoMode", Value::int(mode), layouts);
            }
        }
        b"cICP" => {
            if let Some([primaries, transfer, matrix, full]) = body.array::<4>(0) {
                const COLORS: &str = "PNG-cICP";
                coding_points(COLORS, [primaries, transfer, matrix].map(u16::from), gather);
                gather.int(COLORS, "VideoFullRangeFlag", full);
            }
        }
        _ => {}
    }
}

fn binary(name: &'static str, body: ByteView<'_>, gather: &mut Gather<'_>) {
    gather.put(GROUP, name, body.into(), Rule::Binary);
}

fn bytes(name: &'static str, body: ByteView<'_>, gather: &mut Gather<'_>) {
    let bytes = body.all(16).unwrap_or_default();
    let numbers = bytes.iter().map(|b| i64::from(*b)).collect();
    gather.put(GROUP, name, Value::Ints(numbers), Rule::Plain);
}

fn chromaticities(body: ByteView<'_>, gather: &mut Gather<'_>) {
    const NAMES: [&str; 8] =
        ["WhitePointX", "WhitePointY", "RedX", "RedY", "GreenX", "GreenY", "BlueX", "BlueY"];
    for (n, name) in NAMES.into_iter().enumerate() {
        let Some(value) = body.be32(4 * n as u64) else { return };
        gather.put(GROUP, name, Value::Floats(vec![f64::from(value) / 1e5]), Rule::Plain);
    }
}

fn header(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let Some(header) = PngHeader::read(body) else { return };
    let words = |words| Rule::Words { words, hex: false };
    gather.int(GROUP, "ImageWidth", header.width);
    gather.int(GROUP, "ImageHeight", header.height);
    gather.int(GROUP, "BitDepth", header.bits);
    let colors = words("0:Grayscale|2:RGB|3:Palette|4:Grayscale with Alpha|6:RGB with Alpha");
    gather.put(GROUP, "ColorType", Value::int(header.color_type), colors);
    gather.put(GROUP, "Compression", Value::int(header.compression), words("0:Deflate/Inflate"));
    gather.put(GROUP, "Filter", Value::int(header.filter), words("0:Adaptive"));
    let interlace = words("0:Noninterlaced|1:Adam7 Interlace");
    gather.put(GROUP, "Interlace", Value::int(header.interlace), interlace);
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
