//! ICC profiles: a header of 128 bytes, then a table of tags.
//!
//! ICC.1:2022, clauses 7 (header, tag table) and 10 (types). All numbers are big-endian.

use crate::gather::Gather;
use crate::record::read_container;
use crate::rule::TagRule;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::ByteView;
use std::borrow::Cow;

const GROUP: &str = "ICC_Profile";
const HEADER: &str = "ICC-header";
/// Most tags of a profile.
const MOST_TAGS: u32 = 256;
/// Longest text of a tag.
const MOST_TEXT: u64 = 1 << 20;

/// Reads a profile.
pub(crate) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if !gather.fields.wants_profile() || view.len() < 132 {
        return;
    }
    if gather.fields.names_tag(GROUP, GROUP) {
        gather.block(GROUP, view);
    }
    header(view, gather);
    let count = view.be32(128).unwrap_or(0).min(MOST_TAGS);
    for n in 0..u64::from(count) {
        let at = 132 + n * 12;
        let (Some(name), Some(start), Some(len)) =
            (view.be32(at), view.be32(at + 4), view.be32(at + 8))
        else {
            break;
        };
        let part = view.part(u64::from(start), u64::from(len));
        if part.len() < u64::from(len) || len < 8 {
            gather.warn("ICC profile: a tag lies past the end");
            continue;
        }
        if name == u32::from_be_bytes(*b"meas") {
            read_container("icc_measurement", part, HEADER, gather);
        } else if name == u32::from_be_bytes(*b"view") {
            read_container("icc_viewing", part, HEADER, gather);
        } else if name == u32::from_be_bytes(*b"chrm") {
            chromaticity(part, gather);
        } else if let Some(row) = table::ICC.get().row(name) {
            tag(row, part, gather);
        }
        if gather.is_full() {
            return;
        }
    }
}

fn header(view: ByteView<'_>, gather: &mut Gather<'_>) {
    read_container("icc_start", view, HEADER, gather);
    let date: Vec<u16> = (0..6).map(|i| view.be16(24 + 2 * i).unwrap_or(0)).collect();
    let [y, mo, d, h, m, s] = date[..] else { return };
    let date = format!("{y:04}:{mo:02}:{d:02} {h:02}:{m:02}:{s:02}");
    gather.text(HEADER, "ProfileDateTime", date);
    read_container("icc_header", view, HEADER, gather);
}

/// Numbers of 16.16 bits, to five decimals.
fn fixed(part: ByteView<'_>) -> Value {
    let bytes = part.all(1 << 16).unwrap_or_default();
    let numbers = bytes.chunks_exact(4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let rounded = |v: i32| (f64::from(v) / 65536.0 * 1e5).round() / 1e5;
    Value::Floats(numbers.map(rounded).collect())
}

fn tag(row: &'static table::TagRow, part: ByteView<'_>, gather: &mut Gather<'_>) {
    if row.rule == TagRule::Binary {
        if gather.wants(GROUP, row.name) {
            gather.put(GROUP, row.name, part.into(), TagRule::Binary);
        }
        return;
    }
    let Some(kind) = part.array::<4>(0) else { return };
    let body = part.from(8);
    let text = |view: ByteView<'_>| view.all(MOST_TEXT).unwrap_or_default().into_owned();
    let value = match &kind {
        b"text" => Value::Text(crate::text::before_zero(&crate::text::latin1(&text(body))).into()),
        b"desc" => {
            let len = body.be32(0).unwrap_or(0);
            let bytes = text(body.part(4, u64::from(len)));
            Value::Text(crate::text::before_zero(&crate::text::latin1(&bytes)).into())
        }
        b"mluc" => return localized(row.name, part, gather),
        b"XYZ " | b"sf32" => fixed(body),
        b"sig " => Value::Text(lossy(&text(body.part(0, 4)))),
        b"dtim" => {
            let part = |i: u64| body.be16(2 * i).unwrap_or(0);
            Value::Text(format!(
                "{:04}:{:02}:{:02} {:02}:{:02}:{:02}",
                part(0),
                part(1),
                part(2),
                part(3),
                part(4),
                part(5)
            ))
        }
        _ => part.into(),
    };
    gather.put(GROUP, row.name, value, row.rule);
}

/// Text in several languages: the first has the tag's name, others their language behind it.
fn localized(name: &'static str, part: ByteView<'_>, gather: &mut Gather<'_>) {
    let count = part.be32(8).unwrap_or(0).min(256);
    let size = u64::from(part.be32(12).unwrap_or(12)).max(12);
    for n in 0..u64::from(count) {
        let at = 16 + n * size;
        let (Some(code), Some(len), Some(start)) =
            (part.array::<4>(at), part.be32(at + 4), part.be32(at + 8))
        else {
            return;
        };
        let text = part.part(u64::from(start), u64::from(len)).all(MOST_TEXT).unwrap_or_default();
        let text = crate::text::utf16(&text, true);
        let language = lossy(&code[..2]);
        let country = lossy(&code[2..]).replace('\0', "");
        let plain = &code == b"enUS" || (count == 1 && &code[..2] == b"en");
        let name: Cow<'static, str> = if plain {
            Cow::Borrowed(name)
        } else if country.is_empty() {
            Cow::Owned(format!("{name}-{language}"))
        } else {
            Cow::Owned(format!("{name}-{language}-{country}"))
        };
        gather.text(GROUP, name, text);
    }
}

fn chromaticity(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let group = "ICC-chrm";
    let channels = part.be16(8).unwrap_or(0);
    read_container("icc_chromaticity", part, group, gather);
    const NAMES: [&str; 4] = [
        "ChromaticityChannel1",
        "ChromaticityChannel2",
        "ChromaticityChannel3",
        "ChromaticityChannel4",
    ];
    for (n, name) in NAMES.into_iter().take(usize::from(channels)).enumerate() {
        gather.put(group, name, fixed(part.part(12 + 8 * n as u64, 8)), TagRule::Plain);
    }
}
