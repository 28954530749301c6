//! Runs of plain lines of one kind, which are nearly all of a real file: no dispatch per word.
//!
//! A run takes lines as long as they are plain, and leaves everything else (comments, colours,
//! relative indices, mistakes) to [`super::statement`].

use super::chunk::{CornerLists, ParsedText};
use super::token::Float;
use crate::obj::options::ObjReadOptions;
use solio_codec::lines::{FaceArrays, LineReader};

/// Past the blanks at `at`.
#[inline(always)]
fn skip(text: &[u8], mut at: usize) -> usize {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Past the line end at `at`, if there is one.
#[inline(always)]
fn end(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        b'\n' => Some(at + 1),
        b'\r' => Some(at + 1 + usize::from(text[at + 1] == b'\n')),
        _ => None,
    }
}

/// Takes at most `most` lines `KEY x y …` of `N` floats; returns where it stopped.
pub(super) fn rows<F: Float, const N: usize>(
    text: &[u8],
    len: usize,
    mut at: usize,
    key: &[u8],
    most: usize,
    rows: &mut Vec<[F; N]>,
) -> usize {
    let most = rows.len().saturating_add(most);
    'line: while at < len && rows.len() < most && text[at..].starts_with(key) {
        let mut here = at + key.len();
        let mut row = [F::default(); N];
        for value in &mut row {
            here = skip(text, here);
            let Some((number, used)) = F::prefix(&text[here..]) else { break 'line };
            *value = number;
            here += used;
            // `1.0.5` is not two numbers.
            if !matches!(text[here], b' ' | b'\t' | b'\n' | b'\r') {
                break 'line;
            }
        }
        here = skip(text, here);
        let Some(next) = end(text, here) else { break };
        rows.push(row);
        at = next;
    }
    at
}

/// Takes at most `most` faces whose indices are all positive; returns where it stopped.
pub(super) fn faces(
    text: &[u8],
    len: usize,
    mut at: usize,
    base: u8,
    most: usize,
    out: &mut CornerLists,
) -> usize {
    let most = out.ends.len().saturating_add(most);
    while at < len && out.ends.len() < most && text[at] == b'f' && text[at + 1] == b' ' {
        match face(text, at + 2, u32::from(base), out) {
            Some(next) => at = next,
            None => {
                out.drop_open();
                break;
            }
        }
    }
    at
}

fn face(text: &[u8], mut at: usize, base: u32, out: &mut CornerLists) -> Option<usize> {
    loop {
        at = skip(text, at);
        if let Some(next) = end(text, at) {
            let corners = out.vertices.values.len();
            if corners < out.ends.last().map_or(0, |&e| e as usize) + 3 {
                return None;
            }
            out.ends.push(corners as u32);
            return Some(next);
        }
        let corner = out.vertices.values.len();
        let (value, mut after) = number(text, at, base)?;
        out.vertices.values.push(value);
        if text[after] == b'/' {
            after += 1;
            if text[after] != b'/' {
                let (value, past) = number(text, after, base)?;
                out.uvs.pad(corner);
                out.uvs.values.push(value);
                after = past;
            }
            if text[after] == b'/' {
                let (value, past) = number(text, after + 1, base)?;
                out.normals.pad(corner);
                out.normals.values.push(value);
                after = past;
            }
        }
        if !matches!(text[after], b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        at = after;
    }
}

/// An index of at most nine digits.
#[inline(always)]
fn number(text: &[u8], at: usize, base: u32) -> Option<(u32, usize)> {
    let mut value = 0u32;
    let mut end = at;
    while text[end].is_ascii_digit() {
        value = value.wrapping_mul(10).wrapping_add(u32::from(text[end] - b'0'));
        end += 1;
    }
    (end - at <= 9 && value >= base && end > at).then(|| (value - base, end))
}

/// Reads the whole chunk of `len` bytes; a mistake ends up in [`ParsedText::fault`].
pub(super) fn chunk(
    text: &[u8],
    len: usize,
    options: &ObjReadOptions,
    reader: &mut LineReader,
    out: &mut ParsedText,
) {
    let (mut scratch, mut careful) = (Vec::new(), CarefulRuns::default());
    let mut at = 0;
    while at < len {
        let next = if out.keep_places {
            at
        } else {
            run(text, len, at, options, (reader, &mut careful), out)
        };
        if next > at {
            out.started = true;
            at = next;
            continue;
        }
        match super::statement::statement(&text[..len], at, options, &mut scratch, out) {
            Ok(next) => at = next,
            Err(fault) => {
                for corners in [&mut out.faces, &mut out.lines, &mut out.points] {
                    corners.drop_open();
                }
                out.fault = Some(fault);
                return;
            }
        }
    }
}

/// Takes a run of plain lines, if one starts at `at`.
fn run(
    text: &[u8],
    len: usize,
    at: usize,
    options: &ObjReadOptions,
    (reader, careful): (&mut LineReader, &mut CarefulRuns),
    out: &mut ParsedText,
) -> usize {
    let before = out.vertex_count() + out.uvs.len() + out.normals.len() + out.faces.ends.len();
    let next = match (text[at], text[at + 1]) {
        (b'v', b' ') if options.double => {
            rows(text, len, at, b"v ", usize::MAX, &mut out.positions64)
        }
        (b'v', b' ') => {
            plain_rows(text, len, at, b"v ", (reader, &mut careful.rows), &mut out.positions)
        }
        (b'v', b'n') => {
            plain_rows(text, len, at, b"vn ", (reader, &mut careful.rows), &mut out.normals)
        }
        (b'v', b't') => {
            plain_rows(text, len, at, b"vt ", (reader, &mut careful.rows), &mut out.uvs)
        }
        (b'f', b' ') => {
            let base = options.index_base;
            plain_faces(text, len, at, base, (reader, &mut careful.faces), &mut out.faces)
        }
        _ => at,
    };
    let after = out.vertex_count() + out.uvs.len() + out.normals.len() + out.faces.ends.len();
    out.line_count += (after - before) as u64;
    next
}

/// Lines that are taken one after another where the reader of plain ones takes none.
const FEW: usize = 16;

/// How often the reader of plain lines is passed over: twice as often each time that it takes none, as some
/// files have no plain lines at all.
#[derive(Default)]
struct CarefulLines {
    left: u32,
    next: u32,
}

impl CarefulLines {
    /// Whether to ask it now.
    fn asks(&mut self) -> bool {
        let asks = self.left == 0;
        self.left = self.left.saturating_sub(1);
        asks
    }

    /// What came of asking.
    fn took(&mut self, some: bool) {
        *self = match some {
            true => CarefulLines::default(),
            false => CarefulLines { left: self.next, next: (2 * self.next + 1).min(255) },
        };
    }
}

/// For rows and for faces.
#[derive(Default)]
struct CarefulRuns {
    rows: CarefulLines,
    faces: CarefulLines,
}

/// Takes the plainest rows many at once, or a few others one after another.
fn plain_rows<const N: usize>(
    text: &[u8],
    len: usize,
    at: usize,
    key: &[u8],
    (reader, careful): (&mut LineReader, &mut CarefulLines),
    out: &mut Vec<[f32; N]>,
) -> usize {
    if careful.asks() {
        let next = reader.rows(text, at, len, key, out);
        careful.took(next > at);
        if next > at {
            return next;
        }
    }
    rows(text, len, at, key, FEW, out)
}

/// Takes the plainest faces many at once, or a few others one after another.
fn plain_faces(
    text: &[u8],
    len: usize,
    at: usize,
    base: u8,
    (reader, careful): (&mut LineReader, &mut CarefulLines),
    out: &mut CornerLists,
) -> usize {
    if base == 1 && careful.asks() {
        let mut arrays = FaceArrays {
            vertices: &mut out.vertices.values,
            uvs: &mut out.uvs.values,
            normals: &mut out.normals.values,
            ends: &mut out.ends,
        };
        let next = reader.faces(text, at, len, &mut arrays);
        careful.took(next > at);
        if next > at {
            return next;
        }
    }
    faces(text, len, at, base, FEW, out)
}
