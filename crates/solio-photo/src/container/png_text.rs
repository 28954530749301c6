//! Texts in PNG: a keyword and what it says, plain or packed, and blocks of other formats as text.
//!
//! Portable Network Graphics (third edition), 11.3.3; "Raw profile type" texts as ImageMagick
//! writes them.

use super::png::GROUP;
use crate::exif::photoshop;
use crate::gather::Gather;
use crate::iptc::IptcHome;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use crate::{exif, icc, iptc, xmp};
use solio_container::ByteView;
use std::borrow::Cow;
use std::io::Read;

/// Most bytes that a packed chunk may become.
const MOST_UNPACKED: u64 = 16 << 20;

fn inflate(packed: &[u8]) -> Vec<u8> {
    // Few rounds, most of them where the end of the room is far.
    let mut out = Vec::with_capacity(packed.len().saturating_mul(3).min(MOST_UNPACKED as usize));
    // What comes before a fault in the data is kept.
    let _ = flate2::bufread::ZlibDecoder::new(packed).take(MOST_UNPACKED).read_to_end(&mut out);
    out
}

pub(super) fn profile(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let fields = gather.fields;
    if !fields.wants_profile() && !fields.wants(GROUP, "ProfileName") {
        return;
    }
    let all = body.all(MOST_UNPACKED).unwrap_or_default();
    let Some(end) = all.iter().position(|b| *b == 0) else { return };
    gather.text(GROUP, "ProfileName", crate::text::latin1(&all[..end]));
    let profile = inflate(all.get(end + 2..).unwrap_or_default());
    icc::read(ByteView::memory(&profile), gather);
}

/// A keyword and its text, in one of three forms.
pub(super) fn text(form: &[u8; 4], body: ByteView<'_>, gather: &mut Gather<'_>) {
    let all = body.all(MOST_UNPACKED).unwrap_or_default();
    let Some(end) = all.iter().position(|b| *b == 0) else { return };
    let (keyword, rest) = (crate::text::latin1(&all[..end]), &all[end + 1..]);
    let mut language = String::new();
    let (packed, content) = match form {
        b"tEXt" => (false, rest),
        b"zTXt" => (true, rest.get(1..).unwrap_or_default()),
        _ => {
            let Some((head, rest)) = rest.split_at_checked(2) else { return };
            let mut parts = rest.splitn(3, |b| *b == 0);
            language = lossy(parts.next().unwrap_or_default());
            (head[0] == 1, parts.nth(1).unwrap_or_default())
        }
    };
    let content = || if packed { Cow::Owned(inflate(content)) } else { Cow::Borrowed(content) };
    if keyword == "XML:com.adobe.xmp" {
        return xmp::read(&content(), gather);
    }
    if let Some(kind) = keyword.strip_prefix("Raw profile type ") {
        if matches!(kind, "icc" | "icm") && !gather.fields.wants_profile() {
            return;
        }
        if language.is_empty() {
            return raw_profile(kind, &content(), gather);
        }
        return binary(known(&keyword).0, content().len(), gather);
    }
    let (name, rule) = known(&keyword);
    let name = if language.is_empty() { name } else { format!("{name}-{language}") };
    // Much text is packed, and little of it is asked for.
    if !gather.wants(GROUP, &name) {
        return;
    }
    let content = match form {
        b"iTXt" => lossy(&content()),
        _ => crate::text::latin1(&content()),
    };
    gather.put(GROUP, name, Value::Text(content), rule);
}

fn binary(name: String, bytes: usize, gather: &mut Gather<'_>) {
    let value = Value::Text(crate::value::binary_text(bytes as u64));
    gather.put(GROUP, name, value, TagRule::Plain);
}

/// What a keyword is called: its words, each with a capital.
fn known(keyword: &str) -> (String, TagRule) {
    match keyword {
        // The other word is kept for what is wrong with a file.
        "Warning" => return ("PNGWarning".into(), TagRule::Plain),
        "Creation Time" => return ("CreationTime".into(), TagRule::Named(Named::MailDate)),
        "create-date" => return ("CreateDate".into(), TagRule::Named(Named::IsoDate)),
        "modify-date" => return ("ModDate".into(), TagRule::Named(Named::IsoDate)),
        _ => {}
    }
    let mut name = String::new();
    for word in keyword.split_whitespace() {
        let mut letters =
            word.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.extend(letters);
    }
    if name.len() < 2 || name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        name.insert_str(0, "Tag");
    }
    (name, TagRule::Plain)
}

/// What each byte is as a hexadecimal digit; 16: none.
static HEX: [u8; 256] = {
    let mut digits = [16; 256];
    let mut n = 0;
    while n < 16 {
        digits[b"0123456789abcdef"[n] as usize] = n as u8;
        digits[b"0123456789ABCDEF"[n] as usize] = n as u8;
        n += 1;
    }
    digits
};

/// A block in hexadecimal: a line with its name, one with its length, then the digits.
fn unpacked(content: &[u8]) -> Option<Vec<u8>> {
    let mut lines = content.strip_prefix(b"\n")?.splitn(3, |b| *b == b'\n');
    let (_, length, digits) = (lines.next()?, lines.next()?, lines.next()?);
    let length = length.trim_ascii();
    if length.is_empty() || !length.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut bytes = Vec::with_capacity(content.len() / 2);
    let digit = |byte: u8| HEX[usize::from(byte)];
    let mut rest = digits;
    while let [first, second, behind @ ..] = rest {
        let (high, low) = (digit(*first), digit(*second));
        if (high | low) < 16 {
            bytes.push(high << 4 | low);
            rest = behind;
        } else if high == 16 {
            rest = &rest[1..];
        } else {
            // A line ends within a pair.
            let Some(next) = behind.iter().position(|byte| digit(*byte) < 16) else { break };
            bytes.push(high << 4 | digit(behind[next]));
            rest = &behind[next + 1..];
        }
    }
    Some(bytes)
}

/// Another format's block as text.
fn raw_profile(kind: &str, content: &[u8], gather: &mut Gather<'_>) {
    let bytes = unpacked(content);
    let view = ByteView::memory(bytes.as_deref().unwrap_or_default());
    let starts = |mark: &[u8]| view.get(0, mark.len()).is_some_and(|head| *head == *mark);
    let name = match kind {
        "exif" => "EXIF_Profile",
        "APP1" => "APP1_Profile",
        "xmp" => "XMP_Profile",
        "iptc" => "IPTC_Profile",
        "8bim" => "Photoshop_Profile",
        "icc" | "icm" => "ICC_Profile",
        _ => return binary(known(&format!("Raw profile type {kind}")).0, content.len(), gather),
    };
    if bytes.is_none() {
        return binary(name.into(), content.len(), gather);
    }
    match kind {
        "exif" | "APP1" => {
            let tiff = view.from(if starts(b"Exif\0\0") { 6 } else { 0 });
            if let (true, Some(all)) = (starts(b"http://ns.adobe.com/xap/1.0/\0"), &bytes) {
                xmp::read(&all[29..], gather);
            } else if !exif::read_tiff(tiff, exif::TiffRole::Part, gather) {
                binary(name.into(), content.len(), gather);
            }
        }
        "xmp" => xmp::read(&bytes.unwrap_or_default(), gather),
        "icc" | "icm" => icc::read(view, gather),
        _ if starts(b"8BIM") => photoshop::read(view, IptcHome::Other, gather),
        _ => iptc::read(view, IptcHome::Other, gather),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes() {
        let bytes = |digits: &str| unpacked(format!("\nexif\n 3\n{digits}").as_bytes());
        for digits in ["0aF91c", "\n0a\nF91c\n", "0\n\naF9 1c", "0aF91c5", "0aF91c5\n "] {
            assert_eq!(bytes(digits).unwrap(), [0x0a, 0xf9, 0x1c], "{digits:?}");
        }
        assert!(bytes("").unwrap().is_empty());
        assert!(unpacked(b"exif").is_none() && unpacked(b"\nexif\nx\n00").is_none());
    }

    #[test]
    fn keywords_become_names() {
        assert_eq!(known("Creation Time").0, "CreationTime");
        assert_eq!(known("Warning").0, "PNGWarning");
        assert_eq!(known("Thumb::Image::Width").0, "ThumbImageWidth");
        assert_eq!(known("date:create").0, "Datecreate");
        assert_eq!(known("1x").0, "Tag1x");
        assert_eq!(known("a").0, "TagA");
    }
}
