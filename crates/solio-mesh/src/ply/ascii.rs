//! Text records.
//!
//! Nearly every file has one record a line. Then the number of a line says which record it is,
//! and chunks of lines can be parsed at once. The specification asks for tokens only, though; so
//! from the first chunk on where a line is no record, one thread parses token by token (see
//! [`tokens`](super::tokens)), which also finds the exact place of an error.

use super::binary::CHUNK;
use super::columns::{ColumnKind, ColumnTable};
use super::context::{ElementContext, commit, first_bad_index, prepare};
use super::data::ScalarArray;
use super::header::{PlyElement, PlyHeader, PlyProperty};
use super::token_values::{push_default, set};
use super::tokens::Tokens;
use crate::head::SourceHead;
use crate::model::ScalarType;
use crate::spans::{DECODE, JOIN};
use crate::text::{RecordCut, TextChunk, TextFeed};
use solio_base::{Result, Work, ordered};
use solio_codec::lines::{CellType, LineReader, PAD};
use solio_codec::number::parse;
use std::sync::atomic::{AtomicBool, Ordering};

/// The values that a chunk has for one element.
struct ElementPart {
    element: usize,
    rows: usize,
    columns: Vec<ScalarArray>,
    counts: Vec<Vec<u32>>,
}

/// A chunk of whole lines (or of whole tokens, in a file without lines).
#[derive(Default)]
struct RecordChunk {
    /// Its lines are counted from 0 behind the header.
    chunk: TextChunk,
    lines: u64,
    whole_lines: bool,
    /// Whether every line was a record.
    regular: bool,
    parts: Vec<ElementPart>,
    tools: Tools,
}

/// What parsing needs.
#[derive(Default)]
struct Tools {
    reader: LineReader,
    /// Values in the order of the file.
    values: Vec<f32>,
}

/// Reads all elements. Returns their tables, and warnings.
pub(crate) fn read_elements(
    head: &SourceHead<'_>,
    header: &PlyHeader,
    contexts: &[ElementContext<'_>],
    strict: bool,
    work: &Work,
) -> Result<(Vec<Vec<ColumnTable>>, Vec<String>)> {
    // Two bytes a value at least.
    let rest = head.len_bytes().map_or(0, |total| total.saturating_sub(header.data_at) / 2);
    let tables =
        contexts.iter().map(|cx| ColumnTable::all(cx.element, &cx.plan.columns, rest)).collect();
    let lines = RecordLines::new(header);
    let mut tokens = Tokens::new(header, contexts, tables, strict);
    let slow = AtomicBool::new(false);
    let mut feed = TextFeed::new(
        head,
        header.data_at,
        header.newline,
        RecordCut {
            chunk_bytes: CHUNK,
            last_end: last_record_end,
            limit_bytes: 1 << 20,
            too_long: "a word of more than 1 MiB",
        },
    );
    ordered::run::<RecordChunk>(
        work,
        work.window(4 * CHUNK),
        |slot| {
            let more = feed.next(&mut slot.chunk)?;
            let complete = slot.chunk.text.last() == Some(&header.newline);
            slot.whole_lines = complete || feed.ended();
            slot.lines = slot.chunk.line_ends + u64::from(!complete && feed.ended());
            Ok(more)
        },
        |slot| {
            let _span = DECODE.begin();
            slot.regular = !slow.load(Ordering::Relaxed)
                && slot.whole_lines
                && parse_lines(slot, contexts, &lines, header.newline).is_some();
            Ok(())
        },
        |slot| {
            let _span = JOIN.begin();
            if !slot.regular || slow.load(Ordering::Relaxed) {
                slow.store(true, Ordering::Relaxed);
                return tokens.chunk(&slot.chunk);
            }
            for part in &slot.parts {
                let cx = &contexts[part.element];
                let tables = &mut tokens.tables[part.element];
                let tables = tables.iter_mut().zip(&cx.plan.columns);
                for ((table, data), counts) in tables.zip(&part.columns).zip(&part.counts) {
                    commit(table, data, counts, cx)?;
                }
            }
            let (element, row) = lines.record(slot.chunk.lines_before + slot.lines);
            tokens.go_to(element, row, &slot.chunk);
            Ok(())
        },
    )?;
    tokens.finish(feed.at())
}

/// Which record a line is.
struct RecordLines {
    /// The first line of each element, and the end.
    starts: Vec<u64>,
}

impl RecordLines {
    fn new(header: &PlyHeader) -> RecordLines {
        let mut starts = vec![0];
        let mut end = 0u64;
        for element in &header.elements {
            end = end.saturating_add(element.count);
            starts.push(end);
        }
        RecordLines { starts }
    }

    /// Element and record of a line; elements past the last one when there is none.
    fn record(&self, line: u64) -> (usize, u64) {
        let element = self.starts.partition_point(|&s| s <= line) - 1;
        (element, line - self.starts[element])
    }
}

/// Where the last whole line ends, or in a file without lines the last whole token.
fn last_record_end(text: &[u8], newline: u8) -> Option<usize> {
    let line = memchr::memrchr(newline, text);
    line.or_else(|| text.iter().rposition(u8::is_ascii_whitespace)).map(|end| end + 1)
}

/// Parses a chunk in which every line is a record; `None` when that is not so.
fn parse_lines(
    slot: &mut RecordChunk,
    contexts: &[ElementContext<'_>],
    lines: &RecordLines,
    newline: u8,
) -> Option<()> {
    let len = slot.chunk.text.len();
    slot.chunk.text.resize(len + PAD, b' ');
    let regular = parse_padded(slot, len, contexts, lines, newline);
    slot.chunk.text.truncate(len);
    regular
}

/// [`parse_lines`] of the first `len` bytes.
fn parse_padded(
    slot: &mut RecordChunk,
    len: usize,
    contexts: &[ElementContext<'_>],
    lines: &RecordLines,
    newline: u8,
) -> Option<()> {
    let (mut element, mut row) = lines.record(slot.chunk.lines_before);
    let mut left = slot.lines;
    let mut cursor =
        LineCursor { text: &slot.chunk.text[..len], padded: &slot.chunk.text, at: 0, newline };
    let mut parts = 0;
    while left > 0 {
        let Some(cx) = contexts.get(element) else {
            // Behind the last record only white space is regular.
            return cursor.text[cursor.at..].iter().all(u8::is_ascii_whitespace).then(|| {
                slot.parts.truncate(parts);
            });
        };
        let rows = left.min(cx.element.count - row) as usize;
        if rows > 0 {
            if slot.parts.len() == parts {
                let (columns, counts) = (Vec::new(), Vec::new());
                slot.parts.push(ElementPart { element, rows, columns, counts });
            }
            let part = &mut slot.parts[parts];
            (part.element, part.rows) = (element, rows);
            parse_part(part, cx, &mut cursor, &mut slot.tools)?;
            parts += 1;
        }
        left -= rows as u64;
        (element, row) = (element + 1, 0);
    }
    slot.parts.truncate(parts);
    Some(())
}

fn parse_part(
    part: &mut ElementPart,
    cx: &ElementContext<'_>,
    cursor: &mut LineCursor<'_>,
    tools: &mut Tools,
) -> Option<()> {
    let columns = &cx.plan.columns;
    part.columns.resize_with(columns.len(), || ScalarArray::new(ScalarType::U8));
    part.counts.resize_with(columns.len(), Vec::new);
    for ((data, counts), column) in part.columns.iter_mut().zip(&mut part.counts).zip(columns) {
        prepare(data, column, part.rows);
        counts.clear();
    }
    let steps = steps(cx);
    match (&columns[..], &mut part.columns[..]) {
        ([c], [ScalarArray::U32(values)]) if c.kind == ColumnKind::Index && c.is_list => {
            index_lists(values, &mut part.counts[0], part.rows, cursor, tools)?;
        }
        _ => match cells(&steps) {
            Some(cells) => float_records(part, &cells, &steps, cursor, tools)?,
            None => {
                for row in 0..part.rows {
                    record(&mut part.columns, &mut part.counts, row, &steps, cursor)?;
                }
            }
        },
    }
    let bad = |(column, data)| first_bad_index(column, data, cx.vertices).is_some();
    if columns.iter().zip(&part.columns).any(bad) {
        return None;
    }
    Some(())
}

/// Lines that are parsed one by one where the next one is not plain; doubles each time.
const CAREFUL: usize = 64;

/// What stands in a record, if that is something and all of it becomes 32-bit floats.
fn cells(steps: &[RecordStep<'_>]) -> Option<Vec<CellType>> {
    if steps.is_empty() {
        return None;
    }
    let cell = |step: &RecordStep<'_>| match (step.kind, step.property.scalar) {
        _ if step.property.list.is_some() => None,
        (ColumnKind::F32(_), ScalarType::F32 | ScalarType::F64) => Some(CellType::Float),
        (ColumnKind::F32(_), ScalarType::U8) => Some(CellType::Byte),
        (ColumnKind::Same, ScalarType::F32) => Some(CellType::Float),
        _ => None,
    };
    steps.iter().map(cell).collect()
}

/// Records that become nothing but 32-bit floats.
fn float_records(
    part: &mut ElementPart,
    cells: &[CellType],
    steps: &[RecordStep<'_>],
    cursor: &mut LineCursor<'_>,
    tools: &mut Tools,
) -> Option<()> {
    let (mut row, mut careful) = (0, CAREFUL);
    while row < part.rows {
        let Tools { reader, values } = &mut *tools;
        values.clear();
        cursor.take(|text, at, end| reader.cells(text, at, end, cells, part.rows - row, values));
        let mut from = 0;
        while let Some(step) = steps.get(from) {
            let ScalarArray::F32(out) = &mut part.columns[step.column] else { return None };
            from = scatter(values, steps, from, &mut out[row * step.width..]);
        }
        row += values.len() / cells.len();
        for row in row..part.rows.min(row + careful) {
            record(&mut part.columns, &mut part.counts, row, steps, cursor)?;
        }
        row = part.rows.min(row + careful);
        careful *= 2;
    }
    Some(())
}

/// Moves cell `from` of all records, with up to two neighbours that are neighbours in its column
/// too, to that column; returns the next cell.
fn scatter(values: &[f32], steps: &[RecordStep<'_>], from: usize, out: &mut [f32]) -> usize {
    let first = &steps[from];
    let together = |&(i, step): &(usize, &RecordStep<'_>)| {
        step.column == first.column && step.place == first.place + i && step.kind == first.kind
    };
    let count = steps[from..].iter().take(3).enumerate().take_while(together).count();
    let (places, cells) = ((first.width, first.place), (steps.len(), from));
    match (first.kind, count) {
        (ColumnKind::F32(divisor), 3) if divisor != 1.0 => {
            moved(values, cells, out, places, |v: [f32; 3]| v.map(|v| v / divisor));
        }
        (ColumnKind::F32(divisor), _) if divisor != 1.0 => {
            moved(values, cells, out, places, |[v]| [v / divisor]);
            return from + 1;
        }
        (_, 3) => moved(values, cells, out, places, |v: [f32; 3]| v),
        (_, 2) => moved(values, cells, out, places, |v: [f32; 2]| v),
        _ => moved(values, cells, out, places, |v: [f32; 1]| v),
    }
    from + count
}

/// Moves `N` values of each record; `cells` and `places` are a record's values and the first of
/// them, before and after.
#[inline(always)]
fn moved<const N: usize>(
    values: &[f32],
    cells: (usize, usize),
    out: &mut [f32],
    places: (usize, usize),
    convert: impl Fn([f32; N]) -> [f32; N],
) {
    for (out, given) in out.chunks_exact_mut(places.0).zip(values.chunks_exact(cells.0)) {
        let given = given[cells.1..cells.1 + N].try_into().expect("N values");
        out[places.1..places.1 + N].copy_from_slice(&convert(given));
    }
}

/// Records that are one list of indices.
fn index_lists(
    values: &mut Vec<u32>,
    counts: &mut Vec<u32>,
    rows: usize,
    cursor: &mut LineCursor<'_>,
    tools: &mut Tools,
) -> Option<()> {
    let mut careful = CAREFUL;
    while counts.len() < rows {
        let left = rows - counts.len();
        let reader = &mut tools.reader;
        cursor.take(|text, at, end| reader.lists(text, at, end, left, values, counts));
        for _ in 0..careful.min(rows - counts.len()) {
            let count = cursor.index()?;
            for _ in 0..count {
                values.push(cursor.index()?);
            }
            counts.push(count);
            cursor.end_line()?;
        }
        careful *= 2;
    }
    Some(())
}

/// What to do with the next value of a record.
struct RecordStep<'a> {
    column: usize,
    place: usize,
    width: usize,
    property: &'a PlyProperty,
    kind: ColumnKind,
}

fn steps<'a>(cx: &ElementContext<'a>) -> Vec<RecordStep<'a>> {
    let element: &'a PlyElement = cx.element;
    element
        .properties
        .iter()
        .zip(&cx.plan.of_property)
        .map(|(property, &(column, place))| {
            let c = &cx.plan.columns[column];
            RecordStep { column, place, width: c.width, property, kind: c.kind }
        })
        .collect()
}

fn record(
    columns: &mut [ScalarArray],
    counts: &mut [Vec<u32>],
    row: usize,
    steps: &[RecordStep<'_>],
    cursor: &mut LineCursor<'_>,
) -> Option<()> {
    for step in steps {
        let data = &mut columns[step.column];
        if step.property.list.is_some() {
            let count = cursor.index()?;
            for _ in 0..count {
                let i = data.len();
                push_default(data);
                let token = cursor.token()?;
                set(data, i, step.kind, step.property.scalar, token)?;
            }
            counts[step.column].push(count);
            continue;
        }
        let i = row * step.width + step.place;
        match data {
            ScalarArray::F32(values)
                if step.kind == ColumnKind::F32(1.0) && step.property.scalar.is_float() =>
            {
                values[i] = cursor.f32()?;
            }
            _ => set(data, i, step.kind, step.property.scalar, cursor.token()?)?,
        }
    }
    cursor.end_line()
}

/// A place in the text of a chunk.
struct LineCursor<'a> {
    text: &'a [u8],
    /// The text with [`PAD`] more bytes.
    padded: &'a [u8],
    at: usize,
    newline: u8,
}

impl<'a> LineCursor<'a> {
    /// Lets a reader of plain lines move on; it gets the padded text, and from where to where.
    fn take(&mut self, read: impl FnOnce(&[u8], usize, usize) -> usize) {
        if self.newline == b'\n' {
            self.at = read(self.padded, self.at, self.text.len());
        }
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// Whether a value may end here.
    #[inline(always)]
    fn at_end_of_value(&self) -> Option<()> {
        self.text.get(self.at).is_none_or(|b| *b <= b' ').then_some(())
    }

    #[inline(always)]
    fn f32(&mut self) -> Option<f32> {
        self.skip_blanks();
        let (value, n) = parse::f32_prefix(&self.text[self.at..])?;
        self.at += n;
        self.at_end_of_value()?;
        Some(value)
    }

    /// A whole number without sign, of at most nine digits.
    #[inline(always)]
    fn index(&mut self) -> Option<u32> {
        self.skip_blanks();
        let start = self.at;
        let mut value = 0u32;
        while let Some(digit) = self.text.get(self.at).map(|b| b.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(digit as u32);
            self.at += 1;
        }
        self.at_end_of_value()?;
        (1..=9).contains(&(self.at - start)).then_some(value)
    }

    fn token(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let n = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += n;
        (n > 0).then(|| &rest[..n])
    }

    #[inline(always)]
    fn end_line(&mut self) -> Option<()> {
        self.skip_blanks();
        if self.newline == b'\n' && self.text.get(self.at) == Some(&b'\r') {
            self.at += 1;
        }
        match self.text.get(self.at) {
            Some(b) if *b == self.newline => {
                self.at += 1;
                Some(())
            }
            Some(_) => None,
            None => Some(()), // the last line of the file
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ply::{PlyReadOptions, decode_ply};
    use solio_base::Work;

    /// Plain lines with odd ones in between.
    fn file() -> String {
        const ROWS: usize = 30_000;
        let mut out = format!(
            "ply\nformat ascii 1.0\nelement vertex {ROWS}\nproperty float x\nproperty float y\n\
             property double nx\nproperty double ny\nproperty double nz\nproperty float z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\nelement face {ROWS}\n\
             property list uchar int vertex_indices\nend_header\n"
        );
        for i in 0..ROWS {
            let x = match i {
                i if i % 700 == 0 => "1e-3".to_string(),
                i if i % 900 == 0 => "0.123456789".to_string(),
                i if i % 3 == 0 => i.to_string(),
                i => format!("-{}.{:04}", i % 50, i % 9999),
            };
            let gap = if i % 1100 == 0 { "\t " } else { " " };
            let [r, g, b] = [i % 256, i / 256 % 256, 7];
            out.push_str(&format!("{x} 0.5{gap}-0 1 .25 {i}.125 {r} {g} {b}\n"));
        }
        for i in 0..ROWS {
            match i {
                i if i % 800 == 0 => out.push_str(&format!("3  0 1 {i}\n")),
                i if i % 5000 == 1 => out.push_str("0\n"),
                i if i % 3 == 0 => out.push_str(&format!("4 {i} 2 1 0\n")),
                i => out.push_str(&format!("3 0 {i} 2 \n")),
            }
        }
        out
    }

    #[test]
    fn plain_lines_read_as_others_do() {
        let read = |text: &str, threads| {
            let work = Work { threads, ..Work::default() };
            decode_ply(&text.as_bytes(), &PlyReadOptions::default(), &work)
                .unwrap()
                .meshes
                .remove(0)
        };
        let text = file();
        // Lines that end so are read one by one.
        let want = read(&text.replace('\n', "\r"), 1);
        assert_eq!(want.face_offsets.len(), 30_001);
        assert_eq!(want.positions.get(3), [3.0, 0.5, 3.125]);
        assert_eq!(want.positions.get(701)[0], f64::from(-1.0701f32));
        assert_eq!(read(&text, 1), want);
        assert_eq!(read(&text, 3), want);
    }
}
