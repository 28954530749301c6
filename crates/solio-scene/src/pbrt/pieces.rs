//! One text in pieces that can be parsed side by side.

use super::{Statements, parse};
use memchr::memchr;
use rayon::prelude::*;
use std::ops::Range;

/// Cuts a text where directives begin, into pieces of about so many bytes. A directive that is
/// longer, such as a large mesh, stays whole.
pub fn pieces(text: &[u8], bytes: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = cut(text, start.saturating_add(bytes.max(1)));
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// The beginning of the first line at `from` or later that begins with a directive, or the end.
fn cut(text: &[u8], from: usize) -> usize {
    let mut at = from.min(text.len()).saturating_sub(1);
    while let Some(end) = memchr(b'\n', &text[at..]) {
        at += end + 1;
        if text.get(at).is_some_and(u8::is_ascii_uppercase) {
            return at;
        }
    }
    text.len()
}

/// Parses a text piece by piece, on the threads of the pool that it is called in; pieces are in
/// the order of the text, and are the same however many threads there are.
pub fn parse_pieces(text: &[u8], bytes: usize) -> Vec<Statements> {
    pieces(text, bytes)
        .into_par_iter()
        .map(|piece| parse(&text[piece.clone()], piece.start as u64))
        .collect()
}
