//! XMP: statements in RDF, written as XML.
//!
//! Adobe XMP specification part 1 (ISO 16684-1): a packet of `rdf:Description`s; properties are
//! elements or attributes; arrays are `rdf:Bag`, `rdf:Seq`, `rdf:Alt` of `rdf:li`; structures are
//! nested descriptions, `rdf:parseType="Resource"`, or attributes.

mod names;
mod scan;
mod walk;

use crate::gather::Gather;
use solio_container::ByteView;
use std::borrow::Cow;

/// Longest packet that is read.
pub(crate) const MOST_PACKET: u64 = 64 << 20;

/// Reads a packet of XMP.
pub(crate) fn read(packet: &[u8], gather: &mut Gather<'_>) {
    if gather.fields.names_tag("XMP", "XMP") {
        gather.block("XMP", ByteView::memory(packet));
    }
    if !gather.fields.wants_groups_like("XMP") {
        return;
    }
    let Some(part) = scan::reduced(packet, gather.fields) else { return };
    let before = gather.tags.len();
    let strange = walk::read(&utf8(&part), gather);
    if strange && part.len() < packet.len() {
        // Strangers that were left out count.
        gather.tags.truncate(before);
        walk::read(&utf8(packet), gather);
    }
}

/// Reads a packet of XMP that is all of `view`.
pub(crate) fn read_view(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if let Some(packet) = view.all(MOST_PACKET) {
        read(&packet, gather);
    }
}

/// The packet as UTF-8, whichever of the five allowed encodings it has.
fn utf8(packet: &[u8]) -> Cow<'_, str> {
    let packet = match packet {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest,
        other => other,
    };
    let units = |big: bool| Cow::Owned(crate::text::utf16(packet, big));
    match packet {
        [0xfe, 0xff, rest @ ..] => Cow::Owned(crate::text::utf16(rest, true)),
        [0xff, 0xfe, 0, 0, ..] | [b'<', 0, 0, 0, ..] => Cow::Owned(utf32(packet, false)),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, b'<', ..] => Cow::Owned(utf32(packet, true)),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(crate::text::utf16(rest, false)),
        [0, b'<', ..] => units(true),
        [b'<', 0, ..] => units(false),
        _ => match std::str::from_utf8(packet) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(crate::value::lossy(packet)),
        },
    }
}

fn utf32(packet: &[u8], big: bool) -> String {
    let units = packet.chunks_exact(4).map(|four| {
        let four = [four[0], four[1], four[2], four[3]];
        if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    });
    units.filter(|unit| *unit != 0xfeff).filter_map(char::from_u32).collect()
}

#[cfg(test)]
mod tests;
