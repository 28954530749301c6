//! Values and strings as text.

use super::indent_of;
use crate::pbrt::schema::Version;
use crate::pbrt::{Parameter, Span, Statement, Statements, Values};
use solio_codec::number::Digits;
use solio_codec::number::format::{push_f32, push_i64, rows_f32};

/// Numbers of a row of a longer array: whole points, normals and coordinates, and pairs.
const ROW: usize = 6;
/// Whole numbers of a row: whole triangles and quads.
const INTEGER_ROW: usize = 12;
/// Bytes after which strings go on in the next row.
const LINE_BYTES: usize = 100;

/// About how many bytes a statement takes.
pub(super) fn guessed_bytes(piece: &Statements, statement: &Statement) -> usize {
    let parameters = &piece.parameters[statement.parameters.range()];
    let of_values = |values: Values| match values {
        Values::Strings(span) => {
            let strings = &piece.strings[span.range()];
            strings.iter().map(|string| 4 + string.count()).sum()
        }
        values => 8 * values.count(),
    };
    let of_parameters = parameters.iter().map(|p| 30 + of_values(p.values)).sum::<usize>();
    40 + of_values(statement.values) + of_parameters
}

/// The values of a directive, each after a blank.
pub(super) fn arguments(piece: &Statements, values: Values, out: &mut Vec<u8>) {
    match values {
        Values::Floats(span) => {
            for value in &piece.floats[span.range()] {
                out.push(b' ');
                float(*value, out);
            }
        }
        Values::Strings(span) => {
            for string in &piece.strings[span.range()] {
                out.push(b' ');
                quoted(piece.text(*string), out);
            }
        }
        Values::Integers(span) | Values::Bools(span) => {
            for value in &piece.integers[span.range()] {
                out.push(b' ');
                push_i64(out, i64::from(*value));
            }
        }
    }
}

/// An option: its name, mostly without a type, and its value.
pub(super) fn option(piece: &Statements, option: &Parameter, out: &mut Vec<u8>) {
    if option.older_form {
        return parameter(piece, option, Version::V4, 0, out);
    }
    quoted(piece.text(option.name), out);
    out.push(b' ');
    match option.values {
        Values::Bools(span) => bools(piece, span, Version::V4, out),
        Values::Floats(span) => {
            let start = out.len();
            float(piece.floats[span.range()].first().copied().unwrap_or(0.0), out);
            // Without a type only the point tells that it is a float.
            if !out[start..].iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
                out.extend_from_slice(b".0");
            }
        }
        Values::Integers(span) => integers(&piece.integers[span.range()], out),
        Values::Strings(_) => quoted(piece.string(option.values, 0).unwrap_or(b""), out),
    }
}

/// Declaration and values, without the end of the line.
pub(super) fn parameter(
    piece: &Statements,
    parameter: &Parameter,
    version: Version,
    depth: usize,
    out: &mut Vec<u8>,
) {
    let kind = parameter.kind;
    let name = if parameter.older_form { kind.older_name() } else { kind.name() };
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.push(b' ');
    escaped(piece.text(parameter.name), out);
    out.extend_from_slice(b"\" ");
    let is_one = parameter.values.count() == 1;
    if !is_one {
        out.extend_from_slice(b"[ ");
    }
    match parameter.values {
        Values::Floats(span) => floats(&piece.floats[span.range()], depth, out),
        Values::Integers(span) => integer_rows(&piece.integers[span.range()], depth, out),
        Values::Bools(span) => bools(piece, span, version, out),
        Values::Strings(span) => strings(piece, span, depth, out),
    }
    if !is_one {
        if out.last() != Some(&b' ') {
            out.push(b' ');
        }
        out.push(b']');
    }
}

fn new_row(depth: usize, out: &mut Vec<u8>) {
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out.push(b'\n');
    out.extend_from_slice(indent_of(depth + 1));
}

fn float(value: f32, out: &mut Vec<u8>) {
    if value.is_infinite() {
        // pbrt has no word for it; this reads back to it.
        out.extend_from_slice(if value > 0.0 { b"1e39" } else { b"-1e39" });
    } else {
        push_f32(out, Digits::Shortest, value);
    }
}

fn floats(values: &[f32], depth: usize, out: &mut Vec<u8>) {
    let (rows, rest) = values.as_chunks::<ROW>();
    if values.len() <= ROW || values.iter().any(|value| !value.is_finite()) {
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            if i > 0 && i % ROW == 0 {
                new_row(depth, out);
            }
            float(*value, out);
        }
        return;
    }
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out.push(b'\n');
    rows_f32(out, indent_of(depth + 1), Digits::Shortest, rows);
    if rest.is_empty() {
        out.pop();
    } else {
        out.extend_from_slice(indent_of(depth + 1));
        for value in rest {
            float(*value, out);
            out.push(b' ');
        }
    }
}

fn integers(values: &[i32], out: &mut Vec<u8>) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        push_i64(out, i64::from(*value));
    }
}

fn integer_rows(values: &[i32], depth: usize, out: &mut Vec<u8>) {
    if values.len() <= INTEGER_ROW {
        return integers(values, out);
    }
    for row in values.chunks(INTEGER_ROW) {
        new_row(depth, out);
        integers(row, out);
    }
}

fn bools(piece: &Statements, span: Span, version: Version, out: &mut Vec<u8>) {
    for (i, value) in piece.integers[span.range()].iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        let word = if *value != 0 { "true" } else { "false" };
        match version {
            Version::V3 => quoted(word.as_bytes(), out),
            Version::V4 => out.extend_from_slice(word.as_bytes()),
        }
    }
}

fn strings(piece: &Statements, span: Span, depth: usize, out: &mut Vec<u8>) {
    let mut line_start = out.len();
    for (i, string) in piece.strings[span.range()].iter().enumerate() {
        if i > 0 {
            out.push(b' ');
            if out.len() - line_start > LINE_BYTES {
                new_row(depth, out);
                line_start = out.len();
            }
        }
        quoted(piece.text(*string), out);
    }
}

/// A string in quotes.
pub(super) fn quoted(string: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    escaped(string, out);
    out.push(b'"');
}

fn escaped(string: &[u8], out: &mut Vec<u8>) {
    for byte in string {
        let escape = match byte {
            8 => b'b',
            12 => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            b'\\' | b'"' => *byte,
            _ => {
                out.push(*byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', escape]);
    }
}
