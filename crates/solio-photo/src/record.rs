//! Records: numbers at fixed places, without a directory.

use crate::camera::CameraModel;
use crate::gather::Gather;
use crate::metadata::Tag;
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table::{CONTAINERS, Lazy, TagRow, WhenFacts};
use crate::value::Value;
use solio_container::{
    ByteView,
    tiff::{FieldType, word},
};
use std::borrow::Cow;

/// What a record's table leaves open.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The unit of places.
    pub(crate) unit: Option<FieldType>,
    /// The byte order.
    pub(crate) big: bool,
    /// The group of what the record is in.
    pub(crate) group: &'a Cow<'static, str>,
    /// The camera.
    pub(crate) camera: &'a CameraModel,
    /// What reads the blocks that are code in a maker's module.
    pub(crate) hook: Hook,
}

/// Reads a block that a table calls `maker.block`.
pub(crate) type Hook = fn(&'static str, &MakerBlock<'_>, &mut Gather<'_>);

impl<'a> Around<'a> {
    /// What is around a record of a container: big-endian numbers of no camera.
    pub(crate) fn container(group: &'a Cow<'static, str>) -> Self {
        let (camera, hook): (_, Hook) = (CameraModel::NONE, |_, _, _| {});
        Around { unit: None, big: true, group, camera, hook }
    }
}

/// An entry of a directory that its maker's module reads.
pub(crate) struct MakerBlock<'a> {
    /// The entry's value.
    pub(crate) part: ByteView<'a>,
    /// Its type.
    pub(crate) stored: FieldType,
    /// How many numbers.
    pub(crate) count: u64,
    /// What the directory's offsets count from, and where it starts there.
    pub(crate) view: ByteView<'a>,
    pub(crate) directory: u64,
    pub(crate) around: Around<'a>,
}

impl<'a> MakerBlock<'a> {
    /// The entry's value as a directory would read it, if it is no longer than 64 KiB.
    pub(crate) fn value(&self) -> Option<Value> {
        let bytes = self.part.all(1 << 16)?;
        Some(decode(&bytes, self.stored, self.around.big))
    }

    /// The value of another entry of the directory that the block is in, and its type.
    pub(crate) fn entry(&self, id: u16) -> Option<(ByteView<'a>, FieldType)> {
        let big = self.around.big;
        let number = |at: u64, bytes: usize| Some(word(&self.view.get(at, bytes)?, big));
        let count = number(self.directory, 2)?.min(MOST_ENTRIES);
        let place = |n: u64| self.directory + 2 + 12 * n;
        let at = (0..count).map(place).find(|at| number(*at, 2) == Some(u64::from(id)))?;
        let stored = FieldType::of_number(number(at + 2, 2)? as u16)?;
        let bytes = number(at + 4, 4)?.checked_mul(stored.size() as u64)?;
        let from = if bytes <= 4 { at + 8 } else { number(at + 8, 4)? };
        let part = self.view.part(from, bytes);
        (part.len() == bytes).then_some((part, stored))
    }

    /// The number of `stored` at `index` of the block.
    pub(crate) fn number(&self, index: u64, stored: FieldType) -> Option<i64> {
        number_at(self.part, index, stored, self.around.big)
    }
}

/// The number of `stored` at `index` of `part`.
pub(crate) fn number_at(
    part: ByteView<'_>,
    index: u64,
    stored: FieldType,
    big: bool,
) -> Option<i64> {
    let bytes = part.get(index.checked_mul(stored.size() as u64)?, stored.size())?;
    decode(&bytes, stored, big).integer(0)
}

/// Keeps a value under the name and rule that the table has for it.
pub(crate) fn put(
    table: &'static Lazy,
    id: u32,
    value: Value,
    around: &Around<'_>,
    gather: &mut Gather<'_>,
) {
    let group = table.head.group.map_or_else(|| around.group.clone(), Cow::Borrowed);
    let count = value.count() as u64;
    let seen = WhenFacts {
        camera: around.camera,
        count,
        bytes: count,
        kind: "int32u",
        value: Some(&value),
        record: ByteView::memory(&[]),
    };
    let rows = table.get().rows_of(id);
    let held = rows.iter().find(|row| row.when.is_none_or(|when| when.holds(&seen)));
    if let Some(row) = held.filter(|row| row.rule.is_sound(&value)) {
        gather.put(group, row.name, value, row.rule);
    }
}

/// Most entries of a maker's directory that are looked through.
const MOST_ENTRIES: u64 = 1024;
/// Most bytes of a block's values.
const MOST_BYTES: u64 = 1 << 10;
/// Records within records.
const MOST_DEPTH: u8 = 4;

/// Reads the record `name` of a container; `group`: that of its tags, where the table names none.
pub(crate) fn read_container(
    name: &str,
    part: ByteView<'_>,
    group: impl Into<Cow<'static, str>>,
    gather: &mut Gather<'_>,
) {
    let group = group.into();
    let around = Around::container(&group);
    if let Some(table) = CONTAINERS.table(name) {
        read_record(part, table, &around, gather);
    }
}

/// Reads a block as the row of its number says: as a record, as data or as values.
pub(crate) fn read_block(
    table: &'static Lazy,
    id: u32,
    part: ByteView<'_>,
    around: &Around<'_>,
    gather: &mut Gather<'_>,
) {
    let Some(row) = table.get().row(id) else { return };
    let group = table.head.group.map_or_else(|| around.group.clone(), Cow::Borrowed);
    let big = table.head.big.unwrap_or(around.big);
    match row.rule {
        TagRule::Record(name) => {
            if let Some(inner) = table.book.and_then(|book| book.table(name)) {
                read_record(part, inner, &Around { group: &group, big, ..*around }, gather);
            }
        }
        TagRule::Binary => gather.put(group, row.name, part.into(), row.rule),
        rule => {
            let (stored, count) = length(row, FieldType::Undef);
            let most = count.map_or(MOST_BYTES, |count| count * stored.size() as u64);
            let bytes = part.all(most).unwrap_or_default();
            gather.put(group, row.name, decode(&bytes, stored, big), rule);
        }
    }
}

/// Reads numbers at fixed places; a row's number times the unit is its place.
pub(crate) fn read_record(
    part: ByteView<'_>,
    table: &'static Lazy,
    around: &Around<'_>,
    gather: &mut Gather<'_>,
) {
    let group = table.head.group.map_or_else(|| around.group.clone(), Cow::Borrowed);
    if gather.fields.wants_any(&group, table) {
        record(part, table, &Around { group: &group, ..*around }, gather, 0);
    }
}

fn record(
    part: ByteView<'_>,
    table: &'static Lazy,
    around: &Around<'_>,
    gather: &mut Gather<'_>,
    depth: u8,
) {
    let unit = table.head.unit.or(around.unit).unwrap_or(FieldType::Int8u);
    let big = table.head.big.unwrap_or(around.big);
    let mut taken = None;
    for row in table.get().rows() {
        // Of several rows for the same bits of a place, the first that holds.
        if taken == Some((row.id, row.mask)) || gather.is_full() {
            continue;
        }
        let at = u64::from(row.id) * unit.size() as u64;
        if let TagRule::Record(name) | TagRule::Hook(name) = row.rule {
            let inner = part.part(at, length(row, unit).1.unwrap_or(u64::MAX));
            // Some records say with their first byte what follows.
            let first = part.u8(0).map(Value::int);
            if !inner.is_empty() && holds(row, around, part, inner.len(), unit, first.as_ref()) {
                taken = Some((row.id, row.mask));
                let around = Around { unit: None, big, ..*around };
                match crate::table::named(name).filter(|_| depth < MOST_DEPTH) {
                    Some(table) => {
                        let group = table.head.group.map(Cow::Borrowed);
                        let group = group.as_ref().unwrap_or(around.group);
                        record(inner, table, &Around { group, ..around }, gather, depth + 1);
                    }
                    None => {
                        let (stored, count) = (FieldType::Undef, inner.len());
                        let (view, directory) = (part, at);
                        let block =
                            MakerBlock { part: inner, stored, count, view, directory, around };
                        (around.hook)(name, &block, gather);
                    }
                }
            }
            continue;
        }
        if !gather.wants(around.group, row.name) {
            continue;
        }
        let Some(value) = number(part, at, row, unit, big) else { continue };
        if row.rule.is_sound(&value) && holds(row, around, part, part.len(), unit, Some(&value)) {
            taken = Some((row.id, row.mask));
            if table.head.low && known(&gather.tags, around, row) {
                continue;
            }
            gather.put(around.group.clone(), row.name, value, row.rule);
        }
    }
}

/// Whether one of `tags` has the row's name.
fn known(tags: &[Tag], around: &Around<'_>, row: &TagRow) -> bool {
    tags.iter().any(|tag| tag.name == row.name && tag.group == *around.group)
}

fn holds(
    row: &TagRow,
    around: &Around<'_>,
    record: ByteView<'_>,
    bytes: u64,
    unit: FieldType,
    value: Option<&Value>,
) -> bool {
    row.when.is_none_or(|when| {
        let (camera, kind, count) = (around.camera, unit.name(), bytes / unit.size() as u64);
        when.holds(&WhenFacts { camera, count, bytes, kind, value, record })
    })
}

/// A row's type, and how many there are of it where the row says so.
fn length(row: &TagRow, unit: FieldType) -> (FieldType, Option<u64>) {
    let (name, count) = match row.stored.and_then(|stored| stored.split_once('[')) {
        Some((name, count)) => (Some(name), count.trim_end_matches(']').parse().ok()),
        None => (row.stored, None),
    };
    let name = name.map(|name| name.strip_suffix("_swapped").unwrap_or(name));
    (name.and_then(FieldType::of_name).unwrap_or(unit), count)
}

/// A row's value; lists end where the record does.
fn number(part: ByteView<'_>, at: u64, row: &TagRow, unit: FieldType, big: bool) -> Option<Value> {
    let (stored, count) = length(row, unit);
    let there = part.len().saturating_sub(at) / stored.size() as u64;
    let count = count.unwrap_or(1).min(there);
    if count == 0 {
        return None;
    }
    // A few numbers of little-endian records are big-endian.
    let big = big != row.stored.is_some_and(|stored| stored.contains("_swapped"));
    let value = decode(&part.get(at, count as usize * stored.size())?, stored, big);
    Some(match &value {
        Value::Ints(numbers) if row.mask != 0 => {
            let cut = |n: &i64| (*n as u64 & row.mask) >> row.mask.trailing_zeros();
            Value::Ints(numbers.iter().map(|n| cut(n) as i64).collect())
        }
        _ => value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;
    use crate::table::TableNames;

    #[test]
    fn rows_of_a_record() {
        const TEXT: &str = "0\tFirst\tint16u\t-\n2&0xf0\tHigh\t-\t-\n2&0x0f\tLow\t-\t-\n3\tA\t-\t-\tmodel~X\n\
             3\tB\t-\t-\tvalue>1\n3\tC\t-\t-\n4\tText\tstring[9]\t-\n9\tGone\tint16u\t-\n";
        static NAMES: TableNames = TableNames::of(TEXT);
        static TABLE: Lazy = Lazy::new(TEXT, &NAMES);
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        let group = Cow::Borrowed("G");
        let around = Around::container(&group);
        let part = ByteView::memory(b"\x01\x02\x5a\x07ab\0c");
        read_record(part, &TABLE, &around, &mut gather);
        let all: Vec<_> = gather.tags.iter().map(|t| (&*t.name, t.value.plain())).collect();
        let want = [("First", "258"), ("Low", "10"), ("High", "5"), ("B", "7"), ("Text", "ab")];
        assert_eq!(all.len(), want.len());
        for (name, value) in want {
            assert!(all.contains(&(name, value.to_owned())), "{name}");
        }
    }
}
