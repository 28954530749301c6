//! Items of iTunes' list that have a name in words: boxes of whose name it is ("mean"), the name
//! and the data.
//!
//! QuickTime File Format, chapter on metadata; names as files show them.

use super::bmff::boxes;
use super::movie::data_value;
use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::{binary_text, lossy};
use solio_container::{ByteView, ContainerChunk};

const GROUP: &str = "iTunes";
/// Names that are called otherwise.
const NAMES: [(&str, &str); 14] = [
    ("iTunNORM", "VolumeNormalization"),
    ("iTunSMPB", "iTunSMPB"),
    ("iTunEXTC", "ContentRating"),
    ("iTunes_CDDB_1", "CDDB1Info"),
    ("iTunes_CDDB_TrackNumber", "CDDBTrackNumber"),
    ("replaygain_track_gain", "ReplayTrackGain"),
    ("replaygain_track_peak", "ReplayTrackPeak"),
    ("ARTISTS", "Artists"),
    ("BARCODE", "Barcode"),
    ("DISCNUMBER", "DiscNumber"),
    ("LABEL", "Label"),
    ("MEDIA", "Media"),
    ("TRACKNUMBER", "TrackNumber"),
    ("initialkey", "InitialKey"),
];
/// Names of data in forms of their own, which is not read.
const UNREAD: [&str; 3] = ["tool", "Encoding Params", "iTunMOVI"];

/// Reads one item.
pub(super) fn read(content: ByteView<'_>, gather: &mut Gather<'_>) {
    if !gather.fields.wants_group(GROUP) {
        return;
    }
    let mut name = String::new();
    for ContainerChunk { kind, body, .. } in boxes(content, 0) {
        match &kind {
            b"name" => name = lossy(&body.from(4).all(1 << 10).unwrap_or_default()),
            b"data" if !name.is_empty() && !UNREAD.contains(&&*name) => {
                let form = body.be32(0).unwrap_or(0);
                put(&name, form, body.from(8), gather);
            }
            _ => {}
        }
    }
}

fn put(name: &str, form: u32, data: ByteView<'_>, gather: &mut Gather<'_>) {
    let known = NAMES.iter().find(|(key, _)| *key == name);
    let shown = known.map_or_else(|| plain_name(name), |(_, shown)| (*shown).to_owned());
    if !matches!(form & 0xff, 1 | 2) {
        return gather.text(GROUP, shown, binary_text(data.len()));
    }
    let rule = match name {
        "iTunNORM" | "iTunSMPB" => TagRule::Named(Named::ShortHex),
        _ => TagRule::Plain,
    };
    gather.put(GROUP, shown, data_value(form, data), rule);
}

/// The name's letters, with a capital.
fn plain_name(name: &str) -> String {
    let mut letters = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let mut shown = String::new();
    shown.extend(letters.next().map(|first| first.to_ascii_uppercase()));
    shown.extend(letters);
    if shown.len() < 2 || shown.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        shown.insert_str(0, "Tag");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn item(name: &[u8], form: u32, data: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for (kind, body) in [(b"mean", &b"\0\0\0\0com"[..]), (b"name", name), (b"data", data)] {
            let head = match kind {
                b"data" => [form.to_be_bytes(), [0; 4]].concat(),
                b"name" => vec![0; 4],
                _ => Vec::new(),
            };
            all.extend(((8 + head.len() + body.len()) as u32).to_be_bytes());
            all.extend(kind);
            all.extend(head);
            all.extend(body);
        }
        all
    }

    #[test]
    fn named_items() {
        let items = [
            (&b"iTunNORM"[..], 1, &b" 0000ABCD 00000000"[..]),
            (b"foo bar", 1, b"x"),
            (b"x", 21, b"\0\x01"),
            (b"tool", 0, b"\0"),
        ];
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        for (name, form, data) in items {
            read(ByteView::memory(&item(name, form, data)), &mut gather);
        }
        let shown: Vec<_> = gather.tags.iter().map(|t| (&*t.name, t.text().plain())).collect();
        let want = [
            ("VolumeNormalization", "ABCD 0"),
            ("Foobar", "x"),
            ("TagX", "(Binary data 2 bytes, use -b option to extract)"),
        ];
        assert_eq!(shown, want.map(|(name, text)| (name, text.to_owned())));
    }
}
