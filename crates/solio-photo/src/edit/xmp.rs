//! Patches of packets of XMP: texts are replaced by such of the same length.

use super::PhotoEdit;
use super::dates::{DateEdit, changed_text};
use super::patches::Patches;
use solio_base::Result;
use solio_container::ByteView;

/// Namespaces, and what is changed of each.
const DATES: [(&str, &[&str]); 4] = [
    ("http://ns.adobe.com/exif/1.0/", &["DateTimeOriginal", "DateTimeDigitized"]),
    ("http://ns.adobe.com/xap/1.0/", &["CreateDate", "ModifyDate"]),
    ("http://ns.adobe.com/photoshop/1.0/", &["DateCreated"]),
    ("http://ns.adobe.com/tiff/1.0/", &["DateTime"]),
];
const EXIF: &str = "http://ns.adobe.com/exif/1.0/";
const TIFF: &str = "http://ns.adobe.com/tiff/1.0/";

pub(crate) fn patch(
    view: ByteView<'_>,
    text: &[u8],
    edit: &PhotoEdit,
    patches: &mut Patches,
) -> Result<()> {
    if let Some(date) = edit.date {
        for (space, names) in DATES {
            for prefix in prefixes(text, space) {
                for name in names {
                    for (start, end) in values(text, &[prefix, b":", name.as_bytes()].concat()) {
                        put_date(view, text, (start, end), date, patches);
                    }
                }
            }
        }
    }
    if let Some(turn) = edit.orientation {
        for prefix in prefixes(text, TIFF) {
            for (start, end) in values(text, &[prefix, b":Orientation"].concat()) {
                if end - start == 1 {
                    patches.put(view, start as u64, turn.to_string().as_bytes());
                }
            }
        }
    }
    if edit.remove_gps {
        for prefix in prefixes(text, EXIF) {
            for (start, end) in properties(text, &[prefix, b":GPS"].concat()) {
                patches.put(view, start as u64, &vec![b' '; end - start]);
            }
        }
    }
    Ok(())
}

fn put_date(
    view: ByteView<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    date: DateEdit,
    patches: &mut Patches,
) {
    if let Some(new) = changed_text(&text[start..end], date) {
        patches.put(view, start as u64, &new);
    }
}

/// What a namespace is called in this text.
fn prefixes<'t>(text: &'t [u8], space: &str) -> Vec<&'t [u8]> {
    let mut found: Vec<&[u8]> = Vec::new();
    for at in memchr::memmem::find_iter(text, b"xmlns:") {
        let rest = &text[at + 6..];
        let end = rest.iter().position(|byte| matches!(byte, b'=' | b' ' | b'\t' | b'\r' | b'\n'));
        let Some((prefix, rest)) = end.map(|end| rest.split_at(end)) else { continue };
        let value =
            rest.iter().position(|byte| matches!(byte, b'"' | b'\'')).map(|at| &rest[at + 1..]);
        let is_it = value.is_some_and(|value| {
            value.starts_with(space.as_bytes())
                && matches!(value.get(space.len()), Some(b'"' | b'\''))
        });
        if is_it && !prefix.is_empty() && !found.contains(&prefix) {
            found.push(prefix);
        }
    }
    found
}

/// Where the values of a property stand, as attributes and as simple elements.
fn values(text: &[u8], name: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(text, name) {
        let rest = &text[at + name.len()..];
        match at.checked_sub(1).map(|before| text[before]) {
            Some(b'<') if rest.first() == Some(&b'>') => {
                let start = at + name.len() + 1;
                if let Some(len) = text[start..].iter().position(|byte| *byte == b'<') {
                    found.push(trimmed(text, start, start + len));
                }
            }
            Some(b' ' | b'\t' | b'\r' | b'\n') => found.extend(attribute(text, at + name.len())),
            _ => {}
        }
    }
    found
}

/// The value of an attribute whose name ends at `at`.
fn attribute(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let skip = |mut at: usize| {
        while text.get(at).is_some_and(is_blank) {
            at += 1;
        }
        at
    };
    let equals = skip(at);
    if text.get(equals) != Some(&b'=') {
        return None;
    }
    let start = skip(equals + 1);
    let quote = *text.get(start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let len = text[start + 1..].iter().position(|byte| *byte == quote)?;
    Some((start + 1, start + 1 + len))
}

fn trimmed(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let part = text[start..end].trim_ascii_start();
    let start = end - part.len();
    (start, start + part.trim_ascii_end().len())
}

/// Where properties stand whose names begin so, whole: attributes with their values, elements with all in them.
fn properties(text: &[u8], begins: &[u8]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in memchr::memmem::find_iter(text, begins) {
        if found.last().is_some_and(|last| at < last.1) {
            continue;
        }
        let letters =
            text[at..].iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b':'));
        let Some(end) = letters.map(|letters| at + letters) else { continue };
        match at.checked_sub(1).map(|before| text[before]) {
            Some(b'<') => {
                let close = [b"</", &text[at..end], b">"].concat();
                let tag = text[end..].iter().position(|byte| *byte == b'>').map(|len| end + len);
                let is_empty = tag.is_some_and(|tag| text[tag - 1] == b'/');
                let stop = if is_empty {
                    tag.map(|tag| tag + 1)
                } else {
                    memchr::memmem::find(&text[end..], &close).map(|len| end + len + close.len())
                };
                found.extend(stop.map(|stop| (at - 1, stop)));
            }
            Some(b' ' | b'\t' | b'\r' | b'\n') => {
                found.extend(attribute(text, end).map(|(_, stop)| (at, stop + 1)));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_found_in_both_forms() {
        let text = b"<x xmlns:e='http://ns.adobe.com/exif/1.0/' xmlns:f = \"http://ns.adobe.com/exif/1.0/\" \
            xmlns:n='http://ns.adobe.com/exif/1.0/more/' e:GPSLatitude='1' e:DateTimeOriginal = \"2023\">\
            <e:GPSTimeStamp> 2 </e:GPSTimeStamp><e:GPSTimes/><e:DateTimeOriginal> 2024\n</e:DateTimeOriginal></x>";
        assert_eq!(prefixes(text, EXIF), [b"e", b"f"]);
        let at = |spans: Vec<(usize, usize)>| -> Vec<String> {
            spans
                .iter()
                .map(|span| String::from_utf8_lossy(&text[span.0..span.1]).into_owned())
                .collect()
        };
        assert_eq!(at(values(text, b"e:DateTimeOriginal")), ["2023", "2024"]);
        let gps = at(properties(text, b"e:GPS"));
        assert_eq!(
            gps,
            ["e:GPSLatitude='1'", "<e:GPSTimeStamp> 2 </e:GPSTimeStamp>", "<e:GPSTimes/>"]
        );
        for cut in 0..text.len() {
            let _ = (prefixes(&text[..cut], EXIF), values(&text[..cut], b"e:DateTimeOriginal"));
            let _ = properties(&text[..cut], b"e:GPS");
        }
    }
}
