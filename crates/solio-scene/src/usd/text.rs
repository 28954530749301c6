//! The text of USD: prims with attributes, indented; arrays in rows.

use solio_base::{Result, Sink, Work};
use solio_codec::number::Digits;
use solio_codec::number::format::{push_f32, push_f64, push_u32};
use std::collections::HashMap;

/// Values of an array that are put down at once.
const CHUNK_VALUES: usize = 32 << 10;
/// Values in a row; it divides [`CHUNK_VALUES`].
const ROW_VALUES: usize = 16;
/// Bytes that are gathered before they are put down.
const GATHER_BYTES: usize = 64 << 10;

/// Text that goes into a sink.
pub(super) struct UsdText<'t> {
    sink: &'t mut dyn Sink,
    work: &'t Work,
    gathered: Vec<u8>,
    depth: usize,
}

impl<'t> UsdText<'t> {
    pub(super) fn new(sink: &'t mut dyn Sink, work: &'t Work) -> UsdText<'t> {
        UsdText { sink, work, gathered: Vec::new(), depth: 0 }
    }

    /// A line.
    pub(super) fn line(&mut self, words: &str) -> Result<()> {
        self.start(words);
        self.gathered.push(b'\n');
        if self.gathered.len() >= GATHER_BYTES { self.flush() } else { Ok(()) }
    }

    /// A prim: what is between this and [`UsdText::end`] is in it. `notes` stand in parentheses.
    pub(super) fn begin(&mut self, prim: &str, notes: &[String]) -> Result<()> {
        if notes.is_empty() {
            self.line(prim)?;
        } else {
            self.line(&format!("{prim} ("))?;
            self.depth += 1;
            notes.iter().try_for_each(|note| self.line(note))?;
            self.depth -= 1;
            self.line(")")?;
        }
        self.line("{")?;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<()> {
        self.depth -= 1;
        self.line("}")
    }

    /// An array of `count` values, each of which `value` appends; `notes` follow it.
    pub(super) fn array(
        &mut self,
        name: &str,
        count: usize,
        notes: &str,
        value: &(dyn Fn(usize, &mut Vec<u8>) + Sync),
    ) -> Result<()> {
        self.start(&format!("{name} = ["));
        self.flush()?;
        let indent = 4 * (self.depth + 1);
        let fill = |chunk: usize, out: &mut Vec<u8>| {
            let start = chunk * CHUNK_VALUES;
            for i in start..count.min(start + CHUNK_VALUES) {
                if i % ROW_VALUES == 0 {
                    out.push(b'\n');
                    out.resize(out.len() + indent, b' ');
                } else {
                    out.push(b' ');
                }
                value(i, out);
                if i + 1 < count {
                    out.push(b',');
                }
            }
            Ok(())
        };
        self.sink.write_chunks(self.work, count.div_ceil(CHUNK_VALUES), &fill)?;
        self.gathered.extend_from_slice(b"]");
        self.gathered.extend_from_slice(notes.as_bytes());
        self.gathered.push(b'\n');
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.sink.write_bytes(self.work, &self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    fn start(&mut self, words: &str) {
        self.gathered.resize(self.gathered.len() + 4 * self.depth, b' ');
        self.gathered.extend_from_slice(words.as_bytes());
    }
}

/// `(1, 2, 3)`: the shortest text that reads back to the same bits.
pub(super) fn push_tuple(out: &mut Vec<u8>, values: &[f32]) {
    out.push(b'(');
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        push_f32(out, Digits::Shortest, *value);
    }
    out.push(b')');
}

pub(super) fn push_number(out: &mut Vec<u8>, value: u32) {
    push_u32(out, value);
}

pub(super) fn tuple(values: &[f32]) -> String {
    let mut out = Vec::new();
    push_tuple(&mut out, values);
    String::from_utf8(out).expect("ASCII")
}

pub(super) fn number(value: f64) -> String {
    let mut out = Vec::new();
    push_f64(&mut out, Digits::Shortest, value);
    String::from_utf8(out).expect("ASCII")
}

pub(super) fn single(value: f64) -> String {
    let mut out = Vec::new();
    push_f32(&mut out, Digits::Shortest, value as f32);
    String::from_utf8(out).expect("ASCII")
}

/// A matrix of four columns, as USD has it: a column a row.
pub(super) fn matrix(columns: &[[f64; 4]; 4]) -> String {
    // Nobody wants to see -0.
    let row = |column: [f64; 4]| column.map(|x| number(x + 0.0)).join(", ");
    let rows = columns.map(|column| format!("({})", row(column)));
    format!("( {} )", rows.join(", "))
}

/// A string in quotes.
pub(super) fn quoted(words: &str) -> String {
    let mut text = String::from("\"");
    for c in words.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Names of prims that are in one place: letters of ASCII, digits and underscores, each once.
#[derive(Default)]
pub(super) struct PrimNames {
    taken: HashMap<String, u32>,
}

impl PrimNames {
    /// A name like `wanted` that is free.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = wanted.chars().map(fits).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        let mut count = self.taken.get(&name).copied().unwrap_or(0) + 1;
        let mut free = if count == 1 { name.clone() } else { format!("{name}_{count}") };
        while count > 1 && self.taken.contains_key(&free) {
            count += 1;
            free = format!("{name}_{count}");
        }
        self.taken.insert(name, count);
        self.taken.entry(free.clone()).or_insert(1);
        free
    }
}
