//! PNG: chunks of length, name, data and checksum.
//!
//! Portable Network Graphics (third edition), chapter 5; Exif in `eXIf` (11.3.4.6), XMP in an
//! `iTXt` of its own keyword, and the older "Raw profile type" texts of ImageMagick.

use crate::bytes::View;
use crate::gather::Gather;
use crate::iptc::Home;
use crate::rule::{Named, Rule};
use crate::value::{Value, lossy};
use crate::{exif, icc, iptc, photoshop, xmp};
use std::io::Read;

const GROUP: &str = "PNG";
/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 1 << 16;
/// Most bytes that a packed chunk may become.
const MOST_UNPACKED: u64 = 16 << 20;

/// Reads all chunks but the picture's.
pub(super) fn read(view: View<'_>, gather: &mut Gather<'_>) {
    let mut at = 8;
    for _ in 0..MOST_CHUNKS {
        let (Some(len), Some(name)) = (view.be32(at), view.array::<4>(at + 4)) else { return };
        let body = view.part(at + 8, u64::from(len));
        if body.len() < u64::from(len) {
            gather.warn("PNG: a chunk ends past the end of the file");
            return;
        }
        if &name == b"IEND" {
            return;
        }
        chunk(&name, body, gather);
        if gather.is_full() {
            return;
        }
        at += 12 + u64::from(len);
    }
}

fn chunk(name: &[u8; 4], body: View<'_>, gather: &mut Gather<'_>) {
    match name {
        b"IHDR" => header(body, gather),
        b"eXIf" => {
            // Some writers keep the mark that JPEG has.
            let marked = body.get(0, 6).is_some_and(|mark| mark.starts_with(b"Exif\0\0"));
            exif::read_tiff(body.from(if marked { 6 } else { 0 }), false, gather);
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
        _ if !gather.fields.wants_group(GROUP) => {}
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
            let bytes = body.all(512).unwrap_or_default();
            let text = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
            gather.text(GROUP, "Transparency", text);
        }
        _ => {}
    }
}

fn binary(name: &'static str, body: View<'_>, gather: &mut Gather<'_>) {
    let value = Value::Binary { at: body.place().unwrap_or(0), bytes: body.len() };
    gather.put(GROUP, name, value, Rule::Binary);
}

fn bytes(name: &'static str, body: View<'_>, gather: &mut Gather<'_>) {
    let bytes = body.all(16).unwrap_or_default();
    let numbers = bytes.iter().map(|b| i64::from(*b)).collect();
    gather.put(GROUP, name, Value::Ints(numbers), Rule::Plain);
}

fn chromaticities(body: View<'_>, gather: &mut Gather<'_>) {
    const NAMES: [&str; 8] =
        ["WhitePointX", "WhitePointY", "RedX", "RedY", "GreenX", "GreenY", "BlueX", "BlueY"];
    for (n, name) in NAMES.into_iter().enumerate() {
        let Some(value) = body.be32(4 * n as u64) else { return };
        gather.put(GROUP, name, Value::Floats(vec![f64::from(value) / 1e5]), Rule::Plain);
    }
}

fn header(body: View<'_>, gather: &mut Gather<'_>) {
    let (Some(width), Some(height), Some(rest)) = (body.be32(0), body.be32(4), body.array::<5>(8))
    else {
        return;
    };
    let words = |words| Rule::Words { words, hex: false };
    gather.int(GROUP, "ImageWidth", width);
    gather.int(GROUP, "ImageHeight", height);
    gather.int(GROUP, "BitDepth", rest[0]);
    let colors = words("0:Grayscale|2:RGB|3:Palette|4:Grayscale with Alpha|6:RGB with Alpha");
    gather.put(GROUP, "ColorType", Value::int(rest[1]), colors);
    gather.put(GROUP, "Compression", Value::int(rest[2]), words("0:Deflate/Inflate"));
    gather.put(GROUP, "Filter", Value::int(rest[3]), words("0:Adaptive"));
    let interlace = words("0:Noninterlaced|1:Adam7 Interlace");
    gather.put(GROUP, "Interlace", Value::int(rest[4]), interlace);
}

fn inflate(packed: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // What comes before a fault in the data is kept.
    let _ = flate2::read::ZlibDecoder::new(packed).take(MOST_UNPACKED).read_to_end(&mut out);
    out
}

fn profile(body: View<'_>, gather: &mut Gather<'_>) {
    let fields = gather.fields;
    if !fields.wants_group("ICC_Profile") && !fields.wants(GROUP, "ProfileName") {
        return;
    }
    let all = body.all(MOST_UNPACKED).unwrap_or_default();
    let Some(end) = all.iter().position(|b| *b == 0) else { return };
    gather.text(GROUP, "ProfileName", crate::text::latin1(&all[..end]));
    let profile = inflate(all.get(end + 2..).unwrap_or_default());
    icc::read(View::memory(&profile), gather);
}

/// A keyword and its text, in one of three forms.
fn text(form: &[u8; 4], body: View<'_>, gather: &mut Gather<'_>) {
    let all = body.all(MOST_UNPACKED).unwrap_or_default();
    let Some(end) = all.iter().position(|b| *b == 0) else { return };
    let (keyword, rest) = (crate::text::latin1(&all[..end]), &all[end + 1..]);
    let mut language = String::new();
    let content: Vec<u8> = match form {
        b"tEXt" => rest.to_vec(),
        b"zTXt" => inflate(rest.get(1..).unwrap_or_default()),
        _ => {
            let Some((head, rest)) = rest.split_at_checked(2) else { return };
            let mut parts = rest.splitn(3, |b| *b == 0);
            language = lossy(parts.next().unwrap_or_default());
            let content = parts.nth(1).unwrap_or_default();
            if head[0] == 1 { inflate(content) } else { content.to_vec() }
        }
    };
    if keyword == "XML:com.adobe.xmp" {
        return xmp::read(&content, gather);
    }
    if let Some(kind) = keyword.strip_prefix("Raw profile type ") {
        return raw_profile(kind, &content, gather);
    }
    let (name, rule) = known(&keyword);
    let name = if language.is_empty() || language == "x-default" {
        name
    } else {
        format!("{name}-{language}")
    };
    let content = match form {
        b"iTXt" => lossy(&content),
        _ => crate::text::latin1(&content),
    };
    gather.put(GROUP, name, Value::Text(content), rule);
}

/// What a keyword is called.
fn known(keyword: &str) -> (String, Rule) {
    let name = match keyword {
        "Creation Time" => return ("CreationTime".into(), Rule::Named(Named::IsoDate)),
        "create-date" => return ("CreateDate".into(), Rule::Named(Named::IsoDate)),
        "modify-date" => return ("ModDate".into(), Rule::Named(Named::IsoDate)),
        other => other,
    };
    let mut out = String::new();
    let mut start = true;
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') {
            if start {
                out.extend(letter.to_uppercase())
            } else {
                out.push(letter)
            }
            start = false;
        } else {
            start = true;
        }
    }
    (out, Rule::Plain)
}

/// A block in hexadecimal: a line with its name, one with its length, then the digits.
fn raw_profile(kind: &str, content: &[u8], gather: &mut Gather<'_>) {
    let text = content.trim_ascii_start();
    let mut lines = text.splitn(3, |b| *b == b'\n');
    let (Some(_), Some(_), Some(digits)) = (lines.next(), lines.next(), lines.next()) else {
        return;
    };
    let digits: Vec<u8> =
        digits.iter().filter_map(|b| char::from(*b).to_digit(16)).map(|d| d as u8).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    let view = View::memory(&bytes);
    let mut shown = |name: &'static str| {
        let value = Value::Text(crate::value::binary_text(bytes.len() as u64));
        gather.put(GROUP, name, value, Rule::Plain);
    };
    match kind {
        "exif" | "APP1" if bytes.starts_with(b"Exif\0\0") => {
            exif::read_tiff(view.from(6), false, gather);
        }
        "APP1" if bytes.starts_with(b"http://ns.adobe.com/xap/1.0/\0") => {
            xmp::read(&bytes[29..], gather);
        }
        "exif" => shown("RawProfileTypeExif"),
        "xmp" => xmp::read(&bytes, gather),
        "iptc" | "8bim" if bytes.starts_with(b"8BIM") => photoshop::read(view, Home::Other, gather),
        "iptc" => iptc::read(view, Home::Other, gather),
        "icc" | "icm" => icc::read(view, gather),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_become_names() {
        assert_eq!(known("Creation Time").0, "CreationTime");
        assert_eq!(known("Thumb::Image::Width").0, "ThumbImageWidth");
        assert_eq!(known("date:create").0, "DateCreate");
    }
}
