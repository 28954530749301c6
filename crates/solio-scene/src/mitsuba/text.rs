//! The text of the document: elements, indented.

use glam::DMat4;
use solio_base::{Result, Sink, Work};
use solio_codec::number::Digits;
use solio_codec::number::format::{push_f32, push_f64};

/// Bytes that are gathered before they are put down.
const GATHER_BYTES: usize = 64 << 10;

pub(super) struct XmlText<'t> {
    sink: &'t mut dyn Sink,
    work: &'t Work,
    gathered: Vec<u8>,
    depth: usize,
}

impl<'t> XmlText<'t> {
    pub(super) fn new(sink: &'t mut dyn Sink, work: &'t Work) -> XmlText<'t> {
        XmlText { sink, work, gathered: Vec::new(), depth: 0 }
    }

    pub(super) fn line(&mut self, words: &str) -> Result<()> {
        self.gathered.resize(self.gathered.len() + 2 * self.depth, b' ');
        self.gathered.extend_from_slice(words.as_bytes());
        self.gathered.push(b'\n');
        if self.gathered.len() >= GATHER_BYTES { self.flush() } else { Ok(()) }
    }

    /// An element: what is between this and [`XmlText::close`] is in it.
    pub(super) fn open(&mut self, element: &str, attributes: &[(&str, &str)]) -> Result<()> {
        let words = attributes.iter().map(|(name, value)| format!(" {name}={}", attribute(value)));
        let words: String = words.collect();
        self.line(&format!("<{element}{words}>"))?;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn close(&mut self, element: &str) -> Result<()> {
        self.depth -= 1;
        self.line(&format!("</{element}>"))
    }

    /// `<float name="…" value="…"/>` and the like.
    pub(super) fn value(&mut self, kind: &str, name: &str, value: &str) -> Result<()> {
        self.line(&format!("<{kind} name=\"{name}\" value={}/>", attribute(value)))
    }

    pub(super) fn matrix(&mut self, name: &str, matrix: &DMat4) -> Result<()> {
        // Row after row; nobody wants to see -0.
        let rows = matrix.transpose().to_cols_array().map(|x| number(x + 0.0)).join(" ");
        self.line(&format!("<transform name=\"{name}\"><matrix value=\"{rows}\"/></transform>"))
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.sink.write_bytes(self.work, &self.gathered)?;
        self.gathered.clear();
        Ok(())
    }
}

/// The shortest text of a number that reads back the same; nothing that is no number.
pub(super) fn number(value: f64) -> String {
    let mut out = Vec::new();
    push_f64(&mut out, Digits::Shortest, if value.is_finite() { value } else { 0.0 });
    String::from_utf8(out).expect("ASCII")
}

pub(super) fn single(value: f32) -> String {
    let mut out = Vec::new();
    push_f32(&mut out, Digits::Shortest, if value.is_finite() { value } else { 0.0 });
    String::from_utf8(out).expect("ASCII")
}

pub(super) fn color(values: &[f32; 3]) -> String {
    values.map(|value| single(value + 0.0)).join(", ")
}

/// A value in quotes. Characters that XML does not allow become `_`.
pub(super) fn attribute(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            // Mitsuba takes this as the name of an argument.
            '$' => text.push('_'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => text.push('_'),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
