//! Words and numbers of one statement.

use super::chunk::{CornerIndex, ParseFault};
use crate::text::odd_float;
use solio_codec::number::parse;

/// White space within a line.
pub(in crate::obj) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// The words of a line, up to a comment.
#[derive(Clone)]
pub(in crate::obj) struct Tokens<'a> {
    line: &'a [u8],
    at: usize,
}

/// A word and its first byte within the line.
#[derive(Clone, Copy, Debug)]
pub(in crate::obj) struct Token<'a> {
    pub(in crate::obj) text: &'a [u8],
    pub(in crate::obj) at: usize,
}

impl<'a> Tokens<'a> {
    pub(in crate::obj) fn new(line: &'a [u8]) -> Self {
        Tokens { line, at: 0 }
    }

    /// What follows, without white space around it; a `#` is no comment here, as names have it.
    pub(in crate::obj) fn rest(&self) -> Token<'a> {
        let mut at = self.at;
        while at < self.line.len() && is_blank(self.line[at]) {
            at += 1;
        }
        let mut end = self.line.len();
        while end > at && is_blank(self.line[end - 1]) {
            end -= 1;
        }
        Token { text: &self.line[at..end], at }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while self.line.get(self.at).is_some_and(|&b| is_blank(b)) {
            self.at += 1;
        }
        let start = self.at;
        if matches!(self.line.get(start), None | Some(b'#')) {
            self.at = self.line.len();
            return None;
        }
        while self.line.get(self.at).is_some_and(|&b| !is_blank(b)) {
            self.at += 1;
        }
        Some(Token { text: &self.line[start..self.at], at: start })
    }
}

/// A float of either width.
pub(super) trait Float: Copy + Default {
    fn prefix(text: &[u8]) -> Option<(Self, usize)>;
    fn from_f32(value: f32) -> Self;
    fn to_f32(self) -> f32;
}

impl Float for f32 {
    fn prefix(text: &[u8]) -> Option<(f32, usize)> {
        parse::f32_prefix(text)
    }
    fn from_f32(value: f32) -> f32 {
        value
    }
    fn to_f32(self) -> f32 {
        self
    }
}

impl Float for f64 {
    fn prefix(text: &[u8]) -> Option<(f64, usize)> {
        parse::f64_prefix(text)
    }
    fn from_f32(value: f32) -> f64 {
        f64::from(value)
    }
    fn to_f32(self) -> f32 {
        self as f32
    }
}

/// The whole word as a float, including those of [`odd_float`].
pub(super) fn float<F: Float>(word: &[u8]) -> Option<F> {
    if let Some((value, used)) = F::prefix(word)
        && used == word.len()
    {
        return Some(value);
    }
    odd_float(word).map(F::from_f32)
}

/// The float that a word of a statement must be.
pub(super) fn expect_float<F: Float>(word: Token<'_>) -> Result<F, ParseFault> {
    float(word.text).ok_or_else(|| {
        ParseFault::syntax(word.at, format!("`{}` is not a number", shown(word.text)))
    })
}

/// The index `value` of an element of which the chunk has `count` so far.
pub(super) fn index(value: i64, base: u8, count: usize) -> Option<CornerIndex> {
    if value < 0 {
        let relative = count as i64 + value;
        return i32::try_from(relative).ok().map(CornerIndex::Relative);
    }
    let value = u32::try_from(value - i64::from(base)).ok()?;
    (value != u32::MAX).then_some(CornerIndex::Absolute(value))
}

/// Text of the file within a message: short, and nothing that upsets a terminal.
pub(in crate::obj) fn shown(text: &[u8]) -> String {
    let short = &text[..text.len().min(40)];
    let mut shown: String = String::from_utf8_lossy(short)
        .chars()
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect();
    if short.len() < text.len() {
        shown.push('…');
    }
    shown
}
