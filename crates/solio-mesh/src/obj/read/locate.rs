//! Finds the place of a wrong index. Reading notes no places, as they would cost more than the
//! indices; when something is wrong, the chunk is read a second time, with places.

use super::chunk::{CornerLists, IndexColumn, ParseFault, ParsedText};
use super::input::{SourceText, line_end};
use super::runs;
use crate::model::NONE;
use crate::obj::options::ObjReadOptions;
use encoding_rs::{UTF_16BE, UTF_16LE};
use solio_base::{Error, Result, Source};
use solio_codec::lines::LineReader;
use solio_codec::number::parse;

/// How many elements came before a chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bases {
    pub(super) vertices: usize,
    pub(super) uvs: usize,
    pub(super) normals: usize,
    pub(super) faces: usize,
    pub(super) lines: usize,
    pub(super) points: usize,
}

/// Most text that is kept of a source that can be read only once.
const KEEP_BYTES: usize = 32 << 20;

/// Line ends before byte `at` of `text`, and the 1-based column of that byte.
pub(super) fn line_and_column(text: &[u8], at: usize) -> (u64, u64) {
    let (mut lines, mut start) = (0, 0);
    loop {
        let (_, full) = line_end(&text[start..]);
        if start + full > at || full == 0 {
            return (lines, (at - start) as u64 + 1);
        }
        start += full;
        lines += 1;
    }
}

fn parse_with_places(text: &[u8], len: usize, options: &ObjReadOptions) -> ParsedText {
    let mut parsed = ParsedText { keep_places: true, ..ParsedText::default() };
    runs::chunk(text, len, options, &mut LineReader::default(), &mut parsed);
    parsed
}

/// The first relative index of a chunk that points before the first element of the file.
#[cold]
pub(super) fn relative(
    text: &SourceText,
    memory: Option<&[u8]>,
    options: &ObjReadOptions,
    bases: &Bases,
) -> Option<ParseFault> {
    let padded = text.padded(memory);
    let parsed = parse_with_places(padded, text.len, options);
    let absolute = |which, value| base(bases, which) as i64 + i64::from(value as i32);
    let (at, which, value, element) =
        first(&parsed, |which, value, relative| relative && absolute(which, value) < 0)?;
    let place = place_of(padded, at, which);
    let given = parse::i64_prefix(&padded[place..]).map_or(0, |(given, _)| given);
    let message = match absolute(which, value) - given {
        0 => "none comes before it".to_owned(),
        1 => "only 1 comes before it".to_owned(),
        n => format!("only {n} come before it"),
    };
    let what = NAMES[which];
    Some(ParseFault::syntax(place, format!("{element} refers to {what} {given}; {message}")))
}

const NAMES: [&str; 3] = ["vertex", "texture coordinate", "normal"];
const PLURALS: [&str; 3] = ["vertices", "texture coordinates", "normals"];

fn base(bases: &Bases, which: usize) -> usize {
    [bases.vertices, bases.uvs, bases.normals][which]
}

/// The first corner in the text with an index that is `wrong(which, value, relative)`.
fn first(
    parsed: &ParsedText,
    wrong: impl Fn(usize, u32, bool) -> bool,
) -> Option<(usize, usize, u32, &'static str)> {
    [(&parsed.faces, "face"), (&parsed.lines, "line"), (&parsed.points, "point element")]
        .into_iter()
        .filter_map(|(corners, name)| {
            first_of(corners, &wrong).map(|(at, which, value)| (at, which, value, name))
        })
        .min()
}

fn first_of(
    corners: &CornerLists,
    wrong: &impl Fn(usize, u32, bool) -> bool,
) -> Option<(usize, usize, u32)> {
    let columns = [&corners.vertices, &corners.uvs, &corners.normals];
    let first_in = |(which, column): (usize, &IndexColumn)| {
        let mut ranges = column.relative.iter().peekable();
        for (corner, &value) in column.values.iter().enumerate() {
            while ranges.peek().is_some_and(|r| r.end <= corner) {
                ranges.next();
            }
            let relative = ranges.peek().is_some_and(|r| r.start <= corner);
            if (relative || value != NONE) && wrong(which, value, relative) {
                return Some((corners.places[corner], which, value));
            }
        }
        None
    };
    columns.into_iter().enumerate().filter_map(first_in).min()
}

/// The byte where index number `which` of the corner at `at` starts.
fn place_of(text: &[u8], at: usize, which: usize) -> usize {
    let slashes = text[at..].iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i);
    if which == 0 { at } else { at + slashes.take(which).last().map_or(0, |i| i + 1) }
}

/// A chunk with indices of elements that come later in the file, if they come at all.
struct IndexNote {
    reach: [u32; 3],
    offset: u64,
    bytes: u64,
    wide: bool,
    line: u64,
    bases: Bases,
    text: Option<Vec<u8>>,
}

/// Indices that were ahead of their elements, to be checked at the end.
pub(super) struct PendingIndices {
    notes: Vec<IndexNote>,
    keep_text: bool,
    kept: usize,
}

impl PendingIndices {
    pub(super) fn new(sequential: bool) -> Self {
        PendingIndices { notes: Vec::new(), keep_text: sequential, kept: 0 }
    }

    /// Notes that a chunk has indices below `reach`, some of them ahead.
    #[cold]
    pub(super) fn note(
        &mut self,
        text: &SourceText,
        memory: Option<&[u8]>,
        reach: [u32; 3],
        line: u64,
        bases: &Bases,
    ) {
        let keep = self.keep_text && self.kept + text.len <= KEEP_BYTES;
        self.kept += if keep { text.len } else { 0 };
        self.notes.push(IndexNote {
            reach,
            offset: text.offset,
            bytes: text.source_offset(memory, text.len) - text.offset,
            wide: text.wide,
            line,
            bases: *bases,
            text: keep.then(|| text.padded(memory)[..text.len].to_vec()),
        });
    }

    /// Fails at the first index that is not below `counts`.
    pub(super) fn check(
        &self,
        source: &dyn Source,
        options: &ObjReadOptions,
        counts: [usize; 3],
    ) -> Result<()> {
        let too_far =
            |note: &&IndexNote| note.reach.iter().zip(counts).any(|(&r, c)| r as usize > c);
        match self.notes.iter().find(too_far) {
            None => Ok(()),
            Some(note) => Err(note.error(source, options, counts)?),
        }
    }
}

impl IndexNote {
    fn error(
        &self,
        source: &dyn Source,
        options: &ObjReadOptions,
        counts: [usize; 3],
    ) -> Result<Error> {
        let text = match &self.text {
            Some(text) => SourceText::owned(text, self.offset, self.wide),
            None if source.is_sequential() => {
                let which = (0..3).find(|&i| self.reach[i] as usize > counts[i]).unwrap_or(0);
                let error = out_of_range("an element", which, self.reach[which], counts[which]);
                return Ok(error.at_offset(self.offset).at_line(self.line, 1));
            }
            None => self.read_again(source)?,
        };
        let padded = text.padded(None);
        let parsed = parse_with_places(padded, text.len, options);
        let beyond = |which: usize, value: u32, relative: bool| {
            !relative && value as usize >= counts[which]
                || relative
                    && (base(&self.bases, which) as i64 + i64::from(value as i32)) as u64
                        >= counts[which] as u64
        };
        let Some((at, which, value, element)) = first(&parsed, beyond) else {
            return Ok(Error::corrupt("the file changed while it was read"));
        };
        let place = place_of(padded, at, which);
        let (line, column) = line_and_column(padded, place);
        let given = value.wrapping_add(u32::from(options.index_base));
        Ok(out_of_range(element, which, given, counts[which])
            .at_offset(text.source_offset(None, place))
            .at_line(self.line + line, column))
    }

    fn read_again(&self, source: &dyn Source) -> Result<SourceText> {
        let mut bytes = vec![0; self.bytes as usize];
        source.read_exact_at(self.offset, &mut bytes, "a chunk that was there before")?;
        if !self.wide {
            return Ok(SourceText::owned(&bytes, self.offset, false));
        }
        let mut mark = [0; 2];
        source.read_exact_at(0, &mut mark, "the start of the file")?;
        let encoding = if matches!(mark, [0xFE, _] | [0, _]) { UTF_16BE } else { UTF_16LE };
        let (utf8, _) = encoding.decode_without_bom_handling(&bytes);
        Ok(SourceText::owned(utf8.as_bytes(), self.offset, true))
    }
}

fn out_of_range(element: &str, which: usize, index: u32, count: usize) -> Error {
    let what = NAMES[which];
    let there = match count {
        0 => format!("the file has no {}", PLURALS[which]),
        1 => format!("the file has 1 {what}"),
        _ => format!("the file has {count} {}", PLURALS[which]),
    };
    Error::corrupt(format!("{element} refers to {what} {index}; {there}"))
}
