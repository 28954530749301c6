//! What cameras and users wrote into a film: QuickTime's texts by four letters, 3GPP's boxes.
//!
//! QuickTime File Format, "User Data Atoms"; 3GPP TS 26.244, chapter 8.

use super::bmff::boxes;
use super::languages::{self, Foreign, Texts};
use super::movie;
use crate::gather::Gather;
use crate::table::{TagRow, USER_DATA};
use crate::value::{Value, lossy};
use crate::xmp;
use solio_container::{ByteView, ContainerChunk};

const GROUP: &str = "UserData";
/// Most bytes of one text.
const MOST: u64 = 1 << 16;
/// Most languages of one text.
const MOST_LANGUAGES: usize = 64;

/// Reads the boxes of user data, those of the film or of one of its tracks.
pub(super) fn read(part: ByteView<'_>, track: Option<&str>, gather: &mut Gather<'_>) {
    let mut texts = Texts::default();
    for ContainerChunk { kind, body, .. } in boxes(part, 0) {
        match &kind {
            b"meta" => movie::meta(body, track, gather),
            b"TAGS" => crate::exif::maker::read_movie(body, gather),
            b"XMP_" => xmp::read_view(body, gather),
            kind => {
                if let Some(row) = USER_DATA.get().row(u32::from_be_bytes(*kind)) {
                    let counted = kind[0] == 0xa9;
                    texts_of(row, counted, body, &mut |language, value| {
                        let key = movie::key_of(track, GROUP, row.name);
                        texts.add(key, language, value, row.rule, gather);
                    });
                }
            }
        }
        if gather.is_full() {
            break;
        }
    }
    texts.end(gather);
}

/// The texts of a box, one a language; `counted`: each has its length and language in front.
fn texts_of(row: &TagRow, counted: bool, body: ByteView<'_>, put: &mut dyn FnMut(Foreign, Value)) {
    if let Some(form) = row.stored {
        if let Some((language, value)) = body.all(MOST).and_then(|bytes| of_3gpp(form, &bytes)) {
            put(language.and_then(languages::of_text), value);
        }
        return;
    }
    if !counted {
        let text = lossy(&body.all(MOST).unwrap_or_default());
        return put(None, Value::text(text.trim_end_matches('\0')));
    }
    let mut at = 0;
    for _ in 0..MOST_LANGUAGES {
        let (Some(len), Some(language)) = (body.be16(at), body.be16(at + 2)) else { return };
        let text = body.part(at + 4, u64::from(len)).all(MOST).unwrap_or_default();
        at += 4 + u64::from(len);
        // Nothing, and zeros behind the last text, are no text.
        if len == 0 {
            continue;
        }
        let text = match (text.strip_prefix(b"\xfe\xff"), std::str::from_utf8(&text)) {
            (Some(wide), _) => crate::text::utf16(wide, true),
            // Languages of the old Macintosh come in its own alphabet, and so does none.
            (_, Err(_)) if language < 0x400 || language == 0x7fff => {
                encoding_rs::MACINTOSH.decode(&text).0.into_owned()
            }
            _ => lossy(&text),
        };
        put(languages::of_text(language), Value::text(text.trim_end_matches('\0')));
    }
}

/// A box of 3GPP's (TS 26.244, 8.2 to 8.10) behind its version and flags; most begin with the
/// number of a language. As ExifTool words it.
fn of_3gpp(form: &str, bytes: &[u8]) -> Option<(Option<u16>, Value)> {
    let number = |bytes: &[u8]| Some(u16::from_be_bytes(*bytes.first_chunk()?));
    if form == "3gpp_words" && bytes.first().is_some_and(|version| *version != 0) {
        // Some phones write words alone, each with a zero behind it.
        let words = lossy(bytes);
        let words: Vec<&str> = words.split('\0').filter(|word| !word.is_empty()).collect();
        return Some((None, Value::Text(words.join(", "))));
    }
    let bytes = bytes.get(4..)?;
    // What classes and ratings have in front: who made them, and which one.
    let (head, bytes) = match form {
        "3gpp_year" => return Some((None, Value::int(number(bytes)?))),
        "3gpp_rating" => bytes.split_at_checked(8)?,
        "3gpp_class" => bytes.split_at_checked(6)?,
        _ => (&[][..], bytes),
    };
    let (language, bytes) = (number(bytes)?, &bytes[2..]);
    let text = |bytes: &[u8]| match bytes.strip_prefix(b"\xfe\xff") {
        Some(wide) => crate::text::utf16(wide, true),
        None => crate::text::before_zero(&lossy(bytes)).to_owned(),
    };
    let text = match form {
        "3gpp_place" => location(bytes)?,
        "3gpp_words" => {
            let (count, mut rest) = bytes.split_first()?;
            let mut words = Vec::new();
            for _ in 0..*count {
                let Some((len, tail)) = rest.split_first() else { break };
                let (word, behind) =
                    tail.split_at_checked(usize::from(*len)).unwrap_or((tail, &[]));
                words.push(text(word));
                rest = behind;
            }
            words.join(", ")
        }
        "3gpp_rating" => {
            format!("Entity={} Criteria={} {}", lossy(&head[..4]), lossy(&head[4..]), text(bytes))
        }
        "3gpp_class" => {
            format!("Entity={} Index={} {}", lossy(&head[..4]), number(&head[4..])?, text(bytes))
        }
        _ => text(bytes),
    };
    Some((Some(language), Value::Text(text)))
}

/// Where a film was made (3GPP TS 26.244, 8.10): flags and language, the place's name, what it was to
/// the film, three numbers of 16.16, the heavenly body, notes. As ExifTool words it.
fn location(bytes: &[u8]) -> Option<String> {
    let (name, rest) = ended_text(bytes)?;
    let (head, rest) = rest.split_at_checked(13)?;
    let numbers = ByteView::memory(head);
    let number = |at: u64| f64::from(numbers.be32(at).unwrap_or(0) as i32) / 65536.0;
    let role = match numbers.u8(0).unwrap_or(0) {
        0 => "shooting".to_owned(),
        1 => "real".to_owned(),
        2 => "fictional".to_owned(),
        3 => "reserved".to_owned(),
        other => format!("unknown({other})"),
    };
    let name = if name.is_empty() { "(none)" } else { &name };
    let (east, north, high) = (number(1), number(5), number(9));
    let mut text = format!("{name} Role={role} Lat={north:.5} Lon={east:.5} Alt={high:.2}");
    let body = ended_text(rest);
    let notes = body.as_ref().and_then(|(_, rest)| ended_text(rest));
    for (what, said) in [("Body", body), ("Notes", notes)] {
        if let Some((said, _)) = said {
            text += &format!(" {what}={said}");
        }
    }
    Some(text)
}

/// Text up to its zero, UTF-16 where a mark says so, and what follows.
fn ended_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    if let Some(wide) = bytes.strip_prefix(b"\xfe\xff") {
        let end = wide.chunks_exact(2).position(|letter| letter == [0, 0])? * 2;
        return Some((crate::text::utf16(&wide[..end], true), &wide[end + 2..]));
    }
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some((lossy(&bytes[..end]), &bytes[end + 1..]))
}
