//! Binary records of any layout, chunk by chunk: one thread finds where records start, all
//! threads decode, and the chunks are appended in order. Works on sequential sources.

use super::columns::ColumnTable;
use super::context::{
    ElementContext, bad_index, commit, ended, first_bad_index, list_count, prepare,
};
use super::data::ScalarArray;
use super::header::{PlyElement, PlyProperty};
use super::kernels::{ListSpan, RawField, RawRows, extend, gather};
use super::memory::SpareArrays;
use crate::head::SourceHead;
use crate::spans::{DECODE, JOIN};
use solio_base::{Error, Result, Work, ordered};

/// Bytes in a chunk: small enough for a core's own cache.
pub(crate) const CHUNK: usize = 256 << 10;

/// A stretch of properties without a list in it, and the list that ends it.
struct RecordSegment {
    fixed: usize,
    list: Option<usize>,
}

struct RecordLayout {
    segments: Vec<RecordSegment>,
    /// Segment and offset in it of each property.
    fields: Vec<(usize, usize)>,
}

impl RecordLayout {
    fn new(element: &PlyElement) -> RecordLayout {
        let mut segments = vec![RecordSegment { fixed: 0, list: None }];
        let mut fields = Vec::new();
        for (i, property) in element.properties.iter().enumerate() {
            let last = segments.len() - 1;
            fields.push((last, segments[last].fixed));
            if property.list.is_some() {
                segments[last].list = Some(i);
                segments.push(RecordSegment { fixed: 0, list: None });
            } else {
                segments[last].fixed += property.scalar.size();
            }
        }
        RecordLayout { segments, fields }
    }
}

/// One chunk.
#[derive(Default)]
struct BinaryChunk {
    bytes: Vec<u8>,
    at: u64,
    rows: usize,
    first_row: u64,
    /// For each segment, where it starts in each record; empty for records of one size.
    starts: Vec<Vec<u32>>,
    columns: Vec<ScalarArray>,
    /// For list columns, the length of each list.
    counts: Vec<Vec<u32>>,
}

/// How far reading has come. A sequential source gives its bytes once, so what was read behind an
/// element is handed on to the next one.
pub(crate) struct ReadPosition {
    /// Offset of what follows `carry`.
    at: u64,
    /// What was read already of the records to come.
    carry: Vec<u8>,
}

impl ReadPosition {
    pub(crate) fn new(at: u64) -> ReadPosition {
        ReadPosition { at, carry: Vec::new() }
    }

    /// Offset of the next record.
    pub(crate) fn offset(&self) -> u64 {
        self.at - self.carry.len() as u64
    }

    /// Whether nothing is left.
    pub(crate) fn at_end(&self, head: &SourceHead<'_>) -> Result<bool> {
        Ok(self.carry.is_empty() && head.read_at(self.at, &mut [0])? == 0)
    }

    /// Reads on behind the first `have` of `bytes` until there are `want` or the source ends;
    /// returns whether it did. What `bytes` held behind `have` is overwritten, not zeroed first.
    fn fill(
        &mut self,
        head: &SourceHead<'_>,
        bytes: &mut Vec<u8>,
        mut have: usize,
        want: usize,
    ) -> Result<bool> {
        if !self.carry.is_empty() {
            let kept = self.carry.len().min(want.saturating_sub(have));
            bytes.truncate(have);
            bytes.extend(self.carry.drain(..kept));
            have += kept;
        }
        let room = head.room(self.at, want - have);
        bytes.resize(have + room, 0);
        let got = if room > 0 { head.read_at(self.at, &mut bytes[have..])? } else { 0 };
        bytes.truncate(have + got);
        self.at += got as u64;
        Ok(have + got < want)
    }
}

/// Reads the records of an element that start at `position`, and moves it behind them.
pub(crate) fn read_element(
    head: &SourceHead<'_>,
    position: &mut ReadPosition,
    cx: &ElementContext<'_>,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<Vec<ColumnTable>> {
    let mut at = position.offset();
    if let Some(tables) = super::even::read_element(head, &mut at, cx, work, memory)? {
        *position = ReadPosition::new(at);
        return Ok(tables);
    }
    let layout = RecordLayout::new(cx.element);
    let rest = head.len_bytes().map_or(0, |total| total.saturating_sub(at));
    let mut tables = ColumnTable::all(cx.element, &cx.plan.columns, rest);
    let mut feed = Feed { head, layout: &layout, cx, position, row: 0 };
    ordered::run::<BinaryChunk>(
        work,
        work.window(4 * CHUNK),
        |slot| feed.next(slot),
        |slot| {
            let _span = DECODE.begin();
            decode(slot, &layout, cx)
        },
        |slot| {
            let _span = JOIN.begin();
            let tables = tables.iter_mut().zip(&cx.plan.columns);
            for ((table, data), counts) in tables.zip(&slot.columns).zip(&slot.counts) {
                commit(table, data, counts, cx)?;
            }
            Ok(())
        },
    )?;
    Ok(tables)
}

/// Cuts the data into chunks of whole records.
struct Feed<'a> {
    head: &'a SourceHead<'a>,
    layout: &'a RecordLayout,
    cx: &'a ElementContext<'a>,
    position: &'a mut ReadPosition,
    row: u64,
}

impl Feed<'_> {
    fn next(&mut self, slot: &mut BinaryChunk) -> Result<bool> {
        let left = self.cx.element.count - self.row;
        if left == 0 || self.cx.element.properties.is_empty() {
            return Ok(false);
        }
        slot.first_row = self.row;
        slot.at = self.position.offset();
        if self.layout.segments.len() == 1 {
            self.fixed(slot, left)?;
        } else {
            self.lists(slot, left)?;
        }
        self.row += slot.rows as u64;
        Ok(true)
    }

    fn fixed(&mut self, slot: &mut BinaryChunk, left: u64) -> Result<()> {
        let stride = self.layout.segments[0].fixed;
        slot.rows = ((CHUNK / stride).max(1) as u64).min(left) as usize;
        if self.position.fill(self.head, &mut slot.bytes, 0, slot.rows * stride)? {
            let row = self.row + (slot.bytes.len() / stride) as u64;
            return Err(self.ended(row, self.position.at));
        }
        Ok(())
    }

    fn lists(&mut self, slot: &mut BinaryChunk, left: u64) -> Result<()> {
        let mut want = CHUNK;
        let mut have = 0;
        loop {
            let ended = self.position.fill(self.head, &mut slot.bytes, have, want)?;
            have = slot.bytes.len();
            let used = self.scan(slot, left)?;
            if slot.rows > 0 && (!ended || slot.rows as u64 == left) {
                // Before what is left of an earlier element's, if `want` did not reach so far.
                self.position.carry.splice(..0, slot.bytes.drain(used..));
                return Ok(());
            }
            if ended {
                return Err(self.ended(self.row + slot.rows as u64, self.position.at));
            }
            want = have * 2; // one record larger than the chunk
        }
    }

    /// Finds the whole records in the chunk; returns where they end.
    fn scan(&self, slot: &mut BinaryChunk, left: u64) -> Result<usize> {
        slot.starts.resize_with(self.layout.segments.len(), Vec::new);
        slot.starts.iter_mut().for_each(Vec::clear);
        slot.rows = 0;
        let mut row_at = 0;
        while (slot.rows as u64) < left {
            let Some(next) = self.record(slot, row_at)? else { break };
            row_at = next;
            slot.rows += 1;
        }
        for starts in &mut slot.starts {
            starts.truncate(slot.rows);
        }
        Ok(row_at)
    }

    /// The end of the record at `at`; `None` when it is not all there.
    fn record(&self, slot: &mut BinaryChunk, mut at: usize) -> Result<Option<usize>> {
        for (segment, starts) in self.layout.segments.iter().zip(&mut slot.starts) {
            starts.push(at as u32);
            at += segment.fixed;
            if at > slot.bytes.len() {
                return Ok(None);
            }
            let Some(list) = segment.list else { continue };
            let property = &self.cx.element.properties[list];
            let Some(count) = list_count(property, &slot.bytes[at..], self.cx.big_endian) else {
                return Ok(None);
            };
            let offset = slot.at + at as u64;
            let count = count.ok_or_else(|| bad_count(self.cx.element, property, offset))?;
            at += property.list.expect("a list").size();
            let bytes = count as u64 * property.scalar.size() as u64;
            let rest = (slot.bytes.len() - at) as u64;
            if bytes > rest {
                self.affordable(offset, at as u64 + slot.at, bytes)?;
                return Ok(None);
            }
            at += bytes as usize;
        }
        Ok(Some(at))
    }

    /// Refuses a list that is longer than the rest of the file.
    fn affordable(&self, offset: u64, at: u64, bytes: u64) -> Result<()> {
        self.cx.limits.check_bytes("a list", bytes).map_err(|e| e.at_offset(offset))?;
        if bytes > i32::MAX as u64 {
            return Err(Error::limit("a single list of more than 2 GiB").at_offset(offset));
        }
        match self.head.len_bytes() {
            Some(total) if bytes > total.saturating_sub(at) => Err(Error::corrupt(format!(
                "a list of {bytes} bytes in element `{}`; the file has {} bytes left",
                self.cx.element.name,
                total.saturating_sub(at)
            ))
            .at_offset(offset)),
            _ => Ok(()),
        }
    }

    fn ended(&self, row: u64, at: u64) -> Error {
        ended(self.cx.element, row, at)
    }
}

fn bad_count(element: &PlyElement, property: &PlyProperty, offset: u64) -> Error {
    Error::corrupt(format!(
        "the count of list `{}` in element `{}` is no whole number from 0 up",
        property.name, element.name
    ))
    .at_offset(offset)
}

/// Decodes the records of a chunk.
fn decode(slot: &mut BinaryChunk, layout: &RecordLayout, cx: &ElementContext<'_>) -> Result<()> {
    let BinaryChunk { bytes, rows, starts, columns, counts, .. } = &mut *slot;
    columns.resize_with(cx.plan.columns.len(), || ScalarArray::new(crate::model::ScalarType::U8));
    counts.resize_with(cx.plan.columns.len(), Vec::new);
    for (c, column) in cx.plan.columns.iter().enumerate() {
        prepare(&mut columns[c], column, *rows);
        counts[c].clear();
        if column.is_list {
            let property = &cx.element.properties[column.parts[0]];
            let (segment, offset) = layout.fields[column.parts[0]];
            let size = property.list.expect("a list").size();
            let spans = starts[segment].iter().map(|&start| {
                let at = start as usize + offset;
                let count = list_count(property, &bytes[at..], cx.big_endian).flatten();
                ListSpan { at: at + size, count: count.expect("scanned before") as usize }
            });
            counts[c].extend(spans.clone().map(|s| s.count as u32));
            extend(&mut columns[c], column.kind, property.scalar, cx.big_endian, spans, bytes);
            continue;
        }
        let mut out = columns[c].out();
        for (k, &p) in column.parts.iter().enumerate() {
            let (segment, offset) = layout.fields[p];
            let scalar = cx.element.properties[p].scalar;
            let field = RawField { scalar, big_endian: cx.big_endian, offset, count: 1 };
            let rows = if layout.segments.len() == 1 {
                RawRows::Fixed { bytes, stride: layout.segments[0].fixed }
            } else {
                RawRows::Starts { bytes, starts: &starts[segment] }
            };
            gather(rows, &field, column, &mut out, k);
        }
    }
    check_indices(slot, layout, cx)
}

/// Refuses indices past the vertices.
fn check_indices(slot: &BinaryChunk, layout: &RecordLayout, cx: &ElementContext<'_>) -> Result<()> {
    for (c, column) in cx.plan.columns.iter().enumerate() {
        let Some(bad) = first_bad_index(column, &slot.columns[c], cx.vertices) else { continue };
        let mut row = bad / column.width;
        if column.is_list {
            let mut seen = 0;
            row = slot.counts[c]
                .iter()
                .position(|&n| {
                    seen += n as usize;
                    seen > bad
                })
                .unwrap_or(0);
        }
        let at = if layout.segments.len() == 1 {
            row * layout.segments[0].fixed
        } else {
            slot.starts[0][row] as usize
        };
        let row = slot.first_row + row as u64;
        return Err(bad_index(column, cx, row).at_offset(slot.at + at as u64));
    }
    Ok(())
}
