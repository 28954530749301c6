//! IPTC: datasets one after another.
//!
//! ```text
//! 0x1c · record · dataset · length (2 bytes; above 0x7fff: the length's own length) · data
//! ```
//! IPTC Information Interchange Model 4.2, chapter 1.5.

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::table;
use crate::value::{Value, binary_text};
use solio_container::{ByteView, tiff::word};

/// Most bytes that are read.
const MOST: u64 = 16 << 20;

/// The groups of the first blocks of a file.
pub(crate) const GROUPS: [&str; 9] =
    ["IPTC", "IPTC2", "IPTC3", "IPTC4", "IPTC5", "IPTC6", "IPTC7", "IPTC8", "IPTC9"];

/// Where datasets lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IptcHome {
    /// Where the standards want them: their digest tells whether they were changed since others
    /// were made of them.
    Standard,
    /// Elsewhere.
    Other,
    /// Behind the picture, or in the EXIF of a file that has a place of its own for them: second to any
    /// others.
    Second,
}

/// Reads the datasets of `view`.
pub(crate) fn read(view: ByteView<'_>, home: IptcHome, gather: &mut Gather<'_>) {
    let first = usize::from(home == IptcHome::Second);
    let is_free = |number: &usize| gather.iptc_groups >> number & 1 == 0;
    let number = (first..GROUPS.len()).find(is_free).unwrap_or(GROUPS.len() - 1);
    gather.iptc_groups |= 1 << number;
    let group = GROUPS[number];
    const DIGEST: &str = "CurrentIPTCDigest";
    let wants_digest = home == IptcHome::Standard
        && gather.wants("File", DIGEST)
        && gather.find("File", DIGEST).is_none();
    if !wants_digest && !gather.fields.wants_any(group, &table::IPTC) {
        return;
    }
    let Some(mut all) = view.all(MOST) else { return };
    if wants_digest {
        gather.text("File", DIGEST, format!("{:x}", md5::compute(&all)));
    }
    // Some programs took the bytes for numbers of the file's own.
    if let [first, _, _, 0x1c, ..] = all[..]
        && first != 0x1c
    {
        gather.warn(format!("{group}: its bytes were turned around"));
        all.to_mut().chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
    let first_tag = gather.tags.len();
    let mut utf8 = false;
    let mut rest = &all[..];
    while let [0x1c, record, dataset, high, low, tail @ ..] = rest {
        let mut length = usize::from(*high) << 8 | usize::from(*low);
        let mut tail = tail;
        if length & 0x8000 != 0 {
            let Some((bytes, after)) = tail.split_at_checked(length & 0x7fff) else { break };
            if bytes.len() > 8 {
                break;
            }
            length = bytes.iter().fold(0, |sum, b| sum << 8 | usize::from(*b));
            tail = after;
        }
        let Some((data, after)) = tail.split_at_checked(length) else {
            gather.warn(format!("{group}: a dataset ends past the block's end"));
            break;
        };
        rest = after;
        if (*record, *dataset) == (1, 90) {
            // As itself, or as one of ISO 2022's three levels of it.
            utf8 = matches!(data, b"\x1b%G" | b"\x1b%/G" | b"\x1b%/H" | b"\x1b%/I");
        }
        let id = u32::from(*record) << 8 | u32::from(*dataset);
        // Most of a block is not wanted where a few fields are.
        if let Some(row) = table::IPTC.get().row(id)
            && gather.wants(group, row.name)
        {
            put(row, data, utf8, group, first_tag, gather);
        }
        if gather.is_full() {
            return;
        }
    }
}

fn put(
    row: &'static table::TagRow,
    data: &[u8],
    utf8: bool,
    group: &'static str,
    first_tag: usize,
    gather: &mut Gather<'_>,
) {
    let value = match row.stored {
        _ if row.rule == TagRule::Binary => Value::Text(binary_text(data.len() as u64)),
        // Longer than any number: text all the same.
        Some("int16u") if data.len() <= 8 => Value::int(word(data, true) as i64),
        _ if utf8 => Value::Text(crate::value::lossy(data)),
        _ => Value::Text(crate::text::cp1252(data)),
    };
    let value = match value {
        Value::Text(text) => Value::Text(text.trim_end_matches('\0').to_owned()),
        other => other,
    };
    let same = |t: &&mut crate::Tag| t.name == row.name && t.group == group;
    let tags = &mut gather.tags[first_tag..];
    if let (Some("list"), Some(tag)) = (row.stored, tags.iter_mut().find(same)) {
        match &mut tag.value {
            Value::List(list) => list.push(value),
            first => {
                let first = std::mem::replace(first, Value::int(0));
                tag.value = Value::List(vec![first, value]);
            }
        }
        return;
    }
    let rule = if row.rule == TagRule::Binary { TagRule::Plain } else { row.rule };
    gather.put(group, row.name, value, rule);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn set(dataset: u8, data: &[u8]) -> Vec<u8> {
        [&[0x1c, 2, dataset, 0, data.len() as u8][..], data].concat()
    }

    #[test]
    fn datasets_and_lists() {
        let bytes =
            [set(0, &[0, 2]), set(25, b"a"), set(25, b"b\xe9"), set(55, b"20040621")].concat();
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        read(ByteView::memory(&bytes), IptcHome::Other, &mut gather);
        let shown: Vec<String> =
            gather.tags.iter().map(|t| format!("{}={}", t.name, t.text().plain())).collect();
        let wanted = ["ApplicationRecordVersion=2", "Keywords=a, bé", "DateCreated=2004:06:21"];
        assert_eq!(shown, wanted);
        for end in 0..bytes.len() {
            read(ByteView::memory(&bytes[..end]), IptcHome::Other, &mut Gather::new(&fields));
        }
    }
    #[test]
    fn words_of_the_standard() {
        let of = |record: u8, dataset: u8, data: &[u8]| {
            [&[0x1c, record, dataset, 0, data.len() as u8][..], data].concat()
        };
        let bytes = [
            of(1, 20, &[0, 1]),
            of(1, 90, b"\x1b.A"),
            of(2, 150, b"1M"),
            of(2, 221, b"0:1:0:-00001"),
            of(2, 255, b"a"),
            of(2, 255, b"b"),
            of(3, 60, &[3, 1]),
            of(7, 10, &[1]),
            of(8, 10, b"data"),
            of(9, 10, &[0, 0, 1, 0]),
        ];
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        read(ByteView::memory(&bytes.concat()), IptcHome::Other, &mut gather);
        let shown: Vec<String> =
            gather.tags.iter().map(|t| format!("{}={}", t.name, t.text().plain())).collect();
        let wanted = [
            "FileFormat=IPTC-NAA Digital Newsphoto Parameter Record",
            "CodedCharacterSet=ESC . A",
            "AudioType=Mono Music",
            "Prefs=Tagged:0, ColorClass:1, Rating:0, FrameNum:-00001",
            "CatalogSets=a, b",
            "ColorRepresentation=3 Components, Frame Sequential in Multiple Objects",
            "SizeMode=Size Known",
            "SubFile=(Binary data 4 bytes, use -b option to extract)",
            "ConfirmedObjectSize=256",
        ];
        assert_eq!(shown, wanted);
    }
}
