//! JUMBF: labelled boxes within boxes, in which C2PA keeps who made a picture and how.
//!
//! ISO/IEC 19566-5 (JUMBF); C2PA specification 1.4; CBOR (RFC 8949), JSON (RFC 8259).

use super::bmff::{boxes, too_deep};
use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use crate::{cbor, text_tree};
use solio_container::{ByteView, ContainerChunk};

/// Longest CBOR or JSON that is read.
const MOST: u64 = 1 << 20;

/// Whether anything of it may be wanted: what its JSON and CBOR hold has names of its own.
pub(super) fn is_wanted(gather: &Gather<'_>) -> bool {
    ["JUMBF", "JSON", "CBOR", "Jpeg2000"].iter().any(|group| gather.fields.wants_group(group))
}

/// Reads boxes of JUMBF.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if is_wanted(gather) {
        walk(view, &mut String::new(), 0, gather);
    }
}

/// `label`: that of the nearest description.
fn walk(view: ByteView<'_>, label: &mut String, depth: u8, gather: &mut Gather<'_>) {
    if too_deep(depth) {
        return;
    }
    for ContainerChunk { kind, body, .. } in boxes(view, 0) {
        let named = |what: &str| format!("{}{what}", name_of(label));
        match &kind {
            b"jumb" => walk(body, &mut label.clone(), depth + 1, gather),
            b"jumd" => description(body, label, gather),
            b"json" => text_tree::read(&body.all(MOST).unwrap_or_default(), gather),
            b"cbor" => cbor::read(&body.all(MOST).unwrap_or_default(), gather),
            b"bfdb" => {
                let text = lossy(&body.from(1).all(1 << 10).unwrap_or_default());
                let mime = crate::text::before_zero(&text).to_owned();
                gather.text("Jpeg2000", named("Type"), mime);
            }
            b"bidb" => {
                gather.put("Jpeg2000", named("Data"), body.into(), TagRule::Binary);
            }
            b"c2sh" => {
                let salt = Value::Bytes(body.all(64).unwrap_or_default().into());
                gather.put("Jpeg2000", named("Salt"), salt, TagRule::Named(Named::HexLower));
            }
            _ => {}
        }
        if gather.is_full() {
            return;
        }
    }
}

/// Type (16), which parts follow (1), label; then number, digest or a box of one's own.
fn description(body: ByteView<'_>, label: &mut String, gather: &mut Gather<'_>) {
    let (Some(kind), Some(parts)) = (body.array::<16>(0), body.u8(16)) else { return };
    let rule = TagRule::Named(Named::BoxType);
    gather.put("JUMBF", "JUMDType", Value::Bytes(kind.into()), rule);
    label.clear();
    let mut at = 17;
    if parts & 2 != 0 {
        let bytes = body.from(at).all(1 << 10).unwrap_or_default();
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        *label = lossy(&bytes[..end]);
        gather.text("JUMBF", "JUMDLabel", label.clone());
        at += end as u64 + 1;
    }
    if parts & 4 != 0 {
        gather.int("JUMBF", "JUMDID", body.be32(at).unwrap_or(0));
        at += 4;
    }
    if parts & 8 != 0 {
        let digest = Value::Bytes(body.get(at, 32).unwrap_or_default().into());
        gather.put("JUMBF", "JUMDSignature", digest, TagRule::Binary);
        at += 32;
    }
    if parts & 16 != 0 {
        walk(body.from(at), label, 7, gather);
    }
}

/// A label as part of a tag's name.
fn name_of(label: &str) -> String {
    let mut name = String::new();
    for part in label.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')) {
        let mut letters = part.chars();
        name.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        name.extend(letters);
    }
    name
}
