//! GeoTIFF: where a picture lies on Earth, as keys within three tags of a directory.
//!
//! OGC 19-008r4. The directory of keys (`GeoKeyDirectory`): version, revision, its minor part, count; then
//! for each key number, tag of its value (0: the last number is the value), count, place there.

use crate::gather::Gather;
use crate::stored::decode;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::{
    ByteView,
    tiff::FieldType,
    tiff::tags::{
        GEO_ASCII_PARAMS as TEXTS, GEO_DOUBLE_PARAMS as NUMBERS, GEO_KEY_DIRECTORY as KEYS,
    },
};

const GROUP: &str = "GeoTiff";
/// Most keys.
const MOST_KEYS: usize = 1024;
/// Longest of the tags.
const MOST_BYTES: u64 = 1 << 20;

/// The tags of a directory, as they were found.
#[derive(Clone, Copy, Default)]
pub(super) struct Tags<'a>([Option<ByteView<'a>>; 3]);

impl<'a> Tags<'a> {
    /// Keeps the value of tag `id`, if it is one of the three.
    pub(super) fn keep(&mut self, id: u16, value: ByteView<'a>) {
        if let KEYS..=TEXTS = id {
            self.0[usize::from(id - KEYS)] = Some(value);
        }
    }

    /// Reads the keys.
    pub(super) fn read(&self, big: bool, gather: &mut Gather<'_>) {
        let all = |n: usize| self.0[n]?.all(MOST_BYTES);
        let Some(keys) = all(0).filter(|_| gather.fields.wants_any(GROUP, &table::GEOTIFF)) else {
            return;
        };
        let Value::Ints(keys) = decode(&keys, FieldType::Int16u, big) else { return };
        let [version, revision, minor, ..] = keys[..] else { return };
        gather.text(GROUP, "GeoTiffVersion", format!("{version}.{revision}.{minor}"));
        let numbers = decode(&all(1).unwrap_or_default(), FieldType::Double, big);
        let texts = all(2).unwrap_or_default();
        let Value::Floats(numbers) = numbers else { return };
        for key in keys[4.min(keys.len())..].chunks_exact(4).take(MOST_KEYS) {
            let [id, tag, count, place] = key else { return };
            let Some(row) = table::GEOTIFF.get().row(*id as u32) else { continue };
            let (from, to) = (*place as usize, (*place + *count) as usize);
            let value = match *tag as u16 {
                0 => Some(Value::int(*place)),
                KEYS => keys.get(from..to).map(|all| Value::Ints(all.to_vec())),
                NUMBERS => numbers.get(from..to).map(|all| Value::Floats(all.to_vec())),
                TEXTS => texts.get(from..to).map(|text| {
                    let text = lossy(text);
                    let text = crate::text::before_zero(&text);
                    Value::text(text.strip_suffix('|').unwrap_or(text))
                }),
                _ => None,
            };
            match value {
                Some(value) => gather.put(GROUP, row.name, value, row.rule),
                None => gather.warn(format!("GeoTiff:{} lies past the end", row.name)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn read(keys: &[u16], numbers: &[f64], texts: &[u8]) -> Vec<(String, String)> {
        let bytes = |words: &[u16]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>();
        let keys = bytes(keys);
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_be_bytes()).collect();
        let mut tags = Tags::default();
        tags.keep(KEYS, ByteView::memory(&keys));
        tags.keep(NUMBERS, ByteView::memory(&numbers));
        tags.keep(TEXTS, ByteView::memory(texts));
        tags.keep(0x0100, ByteView::memory(b"x"));
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        tags.read(true, &mut gather);
        gather.tags.iter().map(|t| (t.name.to_string(), t.text().plain())).collect()
    }

    #[test]
    fn keys_of_all_three_kinds() {
        let keys = [
            [1, 1, 0, 5],
            [1024, 0, 1, 1],
            [1026, TEXTS, 4, 3],
            [2062, NUMBERS, 2, 1],
            [3072, 0, 1, 32633],
            [2057, NUMBERS, 9, 0],
        ];
        let want = [
            ("GeoTiffVersion", "1.1.0"),
            ("GTModelType", "Projected"),
            ("GTCitation", "cde"),
            ("GeogToWGS84", "2.5 -3"),
            ("ProjectedCSType", "WGS84 UTM zone 33N"),
        ];
        let want = want.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(read(keys.as_flattened(), &[1.0, 2.5, -3.0], b"ab|cde|\0"), want);
    }

    #[test]
    fn keys_that_end_early() {
        assert!(read(&[1, 1], &[], b"").is_empty());
        assert_eq!(read(&[1, 1, 0], &[], b"").len(), 1);
        assert_eq!(read(&[1, 1, 0, 9, 1024, 0, 1], &[], b"").len(), 1);
    }
}
