//! Cuts the text of a file into chunks of whole records.

use crate::head::SourceHead;
use solio_base::{Error, Result};

/// A chunk of text, and where it comes from.
#[derive(Default)]
pub(crate) struct TextChunk {
    pub(crate) text: Vec<u8>,
    /// Offset in the file.
    pub(crate) at: u64,
    /// Ends of lines before the chunk.
    pub(crate) lines_before: u64,
    /// Ends of lines in it.
    pub(crate) line_ends: u64,
}

/// How text is cut.
pub(crate) struct RecordCut {
    /// Bytes in a chunk, unless a record alone has more.
    pub(crate) chunk_bytes: usize,
    /// Where the last whole record of a text ends, if one does.
    pub(crate) last_end: fn(&[u8], newline: u8) -> Option<usize>,
    /// The longest text without such an end.
    pub(crate) limit_bytes: usize,
    /// What is wrong with a longer one.
    pub(crate) too_long: &'static str,
}

/// Hands out the text, chunk after chunk.
pub(crate) struct TextFeed<'a> {
    head: &'a SourceHead<'a>,
    records: RecordCut,
    newline: u8,
    /// Offset of what follows `carry`.
    at: u64,
    line_ends: u64,
    carry: Vec<u8>,
    ended: bool,
}

impl<'a> TextFeed<'a> {
    /// The text from offset `at` on, whose lines end in `newline`.
    pub(crate) fn new(head: &'a SourceHead<'a>, at: u64, newline: u8, records: RecordCut) -> Self {
        TextFeed { head, records, newline, at, line_ends: 0, carry: Vec::new(), ended: false }
    }

    /// The next chunk; `false` at the end of the text.
    pub(crate) fn next(&mut self, chunk: &mut TextChunk) -> Result<bool> {
        let TextChunk { text, at, lines_before, line_ends } = chunk;
        (*at, *lines_before) = (self.at - self.carry.len() as u64, self.line_ends);
        text.clear();
        text.append(&mut self.carry);
        let mut want = self.records.chunk_bytes;
        let cut = loop {
            let have = text.len();
            if !self.ended && have < want {
                let room = self.head.room(self.at, want - have);
                text.resize(have + room, 0);
                let got = self.head.read_at(self.at, &mut text[have..])?;
                text.truncate(have + got);
                self.at += got as u64;
                self.ended = have + got < want;
            }
            if self.ended {
                break text.len();
            }
            if let Some(end) = (self.records.last_end)(text, self.newline) {
                break end;
            }
            if want > self.records.limit_bytes {
                return Err(Error::syntax(self.records.too_long)
                    .at_offset(*at)
                    .at_line(self.line_ends + 1, 1));
            }
            want *= 2;
        };
        self.carry.extend_from_slice(&text[cut..]);
        text.truncate(cut);
        *line_ends = memchr::memchr_iter(self.newline, text).count() as u64;
        self.line_ends += *line_ends;
        Ok(!text.is_empty())
    }

    /// Whether the last chunk reaches to the end of the file.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// The offset up to which the file was read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Ends of lines in all chunks so far.
    pub(crate) fn line_ends(&self) -> u64 {
        self.line_ends
    }
}
