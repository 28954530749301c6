//! Points of focus of Nikon's cameras: bits and numbers that stand for places in a pattern, which
//! another byte of the record names.

use crate::gather::Gather;
use crate::record::MakerBlock;
use crate::rule::{TagRule, bits};
use crate::value::Value;
use solio_container::tiff::FieldType;

/// Where the record says which pattern it is.
const PATTERN: u64 = 6;
/// The eleven points of smaller sensors, from the lowest bit up.
const ELEVEN: &str = "0:Center|1:Top|2:Bottom|3:Mid-left|4:Upper-left|5:Lower-left|6:Far Left|\
    7:Mid-right|8:Upper-right|9:Lower-right|10:Far Right";

/// A pattern of rows (letters) and columns (numbers). Points are counted column by column, from
/// the one in the middle outward, and each column from its middle row.
struct AfPattern {
    columns: &'static [u8],
    rows: &'static [u8],
    /// How many bytes have a bit for each point.
    bytes: u64,
    /// Of the outer rows, which columns they have, and what these are counted from.
    outer: Option<(u8, u8)>,
}

/// The pattern of number `number`.
fn pattern(number: u8) -> Option<AfPattern> {
    const MIDDLE6: &[u8] = &[6, 7, 5, 8, 9, 10, 11, 4, 3, 2, 1];
    const MIDDLE8: &[u8] = &[8, 9, 7, 10, 11, 12, 13, 14, 15, 6, 5, 4, 3, 2, 1];
    const MIDDLE9: &[u8] = &[9, 10, 11, 8, 7, 12, 13, 14, 15, 16, 17, 6, 5, 4, 3, 2, 1];
    let (columns, rows, bytes, outer): (_, &[u8], _, _) = match number {
        0 | 1 => (MIDDLE6, b"CBADE", 7, Some((2, 10))),
        3 => (MIDDLE6, b"CBADE", 5, Some((5, 7))),
        4 => (MIDDLE8, b"EDCBAFGHI", 17, None),
        7 => (MIDDLE9, b"EDCBAFGHI", 20, None),
        _ => return None,
    };
    Some(AfPattern { columns, rows, bytes, outer })
}

impl AfPattern {
    /// Row and column of each point.
    fn points(&self) -> Vec<(u8, u8)> {
        let mut points = Vec::new();
        for column in self.columns {
            for row in self.rows {
                match self.outer.filter(|_| matches!(row, b'A' | b'E')) {
                    Some((first, last)) if (first..=last).contains(column) => {
                        points.push((*row, column - first + 1));
                    }
                    Some(_) => {}
                    None => points.push((*row, *column)),
                }
            }
        }
        points
    }
}

fn word((row, column): (u8, u8)) -> String {
    format!("{}{column}", char::from(row))
}

/// Points of which the bits are set, as tag `name`.
pub(super) fn points(block: &MakerBlock<'_>, name: &'static str, gather: &mut Gather<'_>) {
    let Some(kind) = block.view.u8(PATTERN) else { return };
    if kind == 2 {
        if let Some(set) = block.number(0, FieldType::Int16u) {
            put(block, name, Value::int(set), bits(ELEVEN, &Value::int(set)), gather);
        }
        return;
    }
    // Other patterns have other things in these places.
    if kind != 7 && name != "AFPointsUsed" {
        return;
    }
    let Some(pattern) = pattern(kind) else { return };
    let Some(bytes) = block.part.part(0, pattern.bytes).all(pattern.bytes) else { return };
    let mut set: Vec<(u8, u8)> = Vec::new();
    for (n, point) in pattern.points().into_iter().enumerate() {
        if bytes.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 1) {
            set.push(point);
        }
    }
    set.sort();
    let words: Vec<String> = set.into_iter().map(word).collect();
    let words = if words.is_empty() { "(none)".to_owned() } else { words.join(",") };
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    put(block, name, Value::Text(hex.join(" ")), words, gather);
}

/// The point of a number, as tag `name`.
pub(super) fn point(block: &MakerBlock<'_>, name: &'static str, gather: &mut Gather<'_>) {
    let (Some(kind), Some(number)) = (block.view.u8(PATTERN), block.part.u8(0)) else { return };
    let at = usize::from(number).checked_sub(1);
    let words = match (at, kind) {
        (None, _) => "(none)".to_owned(),
        (Some(at), 2) => crate::rule::look_up(ELEVEN, &at.to_string())
            .map_or_else(|| format!("Unknown ({number})"), str::to_owned),
        (Some(at), _) => {
            let Some(pattern) = pattern(kind) else { return };
            match pattern.points().get(at) {
                Some(point) => word(*point) + if at == 0 { " (Center)" } else { "" },
                None => format!("Unknown ({number})"),
            }
        }
    };
    put(block, name, Value::int(number), words, gather);
}

fn put(
    block: &MakerBlock<'_>,
    name: &'static str,
    number: Value,
    words: String,
    gather: &mut Gather<'_>,
) {
    let value = Value::List(vec![number, Value::Text(words)]);
    gather.put(block.around.group.clone(), name, value, TagRule::Both);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_their_points() {
        let count = |kind| pattern(kind).map(|pattern| pattern.points().len());
        assert_eq!([1, 3, 4, 7, 5].map(count), [Some(51), Some(39), Some(135), Some(153), None]);
        let word_at = |kind, at: usize| word(pattern(kind).unwrap().points()[at]);
        assert_eq!([0, 2, 10, 50].map(|at| word_at(1, at)), ["C6", "A5", "C5", "D1"]);
        assert_eq!([2, 4, 38].map(|at| word_at(3, at)), ["A2", "E2", "D1"]);
        assert_eq!([0, 9, 134].map(|at| word_at(4, at)), ["E8", "E9", "I1"]);
        assert_eq!([0, 107].map(|at| word_at(7, at)), ["E9", "I6"]);
    }
}
