//! Cuts the source into chunks of whole lines, whatever its encoding.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE};
use memchr::{memchr2, memrchr2};
use solio_base::{Error, Limits, Result, Source};

/// Bytes after the end of a chunk's text that may be looked at; line feeds or later text.
pub(super) const PAD: usize = 64;

/// One chunk of text and where it came from.
#[derive(Debug, Default)]
pub(super) struct SourceText {
    /// The text, then at least [`PAD`] more bytes; unused where the source lies in memory.
    buffer: Vec<u8>,
    /// Where the text lies in the source's memory, where it does.
    borrowed: Option<usize>,
    /// Bytes of text.
    pub(super) len: usize,
    /// Offset in the source.
    pub(super) offset: u64,
    /// Whether the source is UTF-16.
    pub(super) wide: bool,
}

impl SourceText {
    /// The text with its padding.
    pub(super) fn padded<'a>(&'a self, memory: Option<&'a [u8]>) -> &'a [u8] {
        match (self.borrowed, memory) {
            (Some(start), Some(memory)) => &memory[start..start + self.len + PAD],
            _ => &self.buffer[..self.len + PAD],
        }
    }

    /// A text of its own, for what is read a second time.
    pub(super) fn owned(bytes: &[u8], offset: u64, wide: bool) -> Self {
        let mut buffer = bytes.to_vec();
        buffer.resize(bytes.len() + PAD, b'\n');
        SourceText { buffer, borrowed: None, len: bytes.len(), offset, wide }
    }

    /// The offset in the source of byte `at` of the text.
    pub(super) fn source_offset(&self, memory: Option<&[u8]>, at: usize) -> u64 {
        if !self.wide {
            return self.offset + at as u64;
        }
        self.offset + 2 * utf16_units(&self.padded(memory)[..at])
    }
}

/// Code units that UTF-8 text takes in UTF-16.
fn utf16_units(text: &[u8]) -> u64 {
    text.iter().map(|&b| u64::from(b & 0xC0 != 0x80) + u64::from(b >= 0xF0)).sum()
}

/// Hands out the source's text, chunk after chunk.
pub(super) struct TextInput<'a> {
    source: &'a dyn Source,
    limits: Limits,
    chunk_bytes: usize,
    /// Offset in the source of the next byte to read.
    at: u64,
    /// What was read after the last line end.
    carry: Vec<u8>,
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    done: bool,
}

impl<'a> TextInput<'a> {
    pub(super) fn new(source: &'a dyn Source, chunk_bytes: usize, limits: Limits) -> Result<Self> {
        let mut head = [0; 4];
        let got = source.read_at(0, &mut head)?;
        let (encoding, skip) = detect(&head[..got]);
        let mut input = TextInput {
            source,
            limits,
            chunk_bytes: chunk_bytes.max(1),
            at: got as u64,
            carry: Vec::new(),
            decoder: encoding.map(Encoding::new_decoder_without_bom_handling),
            raw: Vec::new(),
            done: false,
        };
        if source.as_bytes().is_some() || !source.is_sequential() {
            input.at = skip as u64;
        } else if input.decoder.is_some() {
            input.raw.extend_from_slice(&head[skip..got]);
        } else {
            input.carry.extend_from_slice(&head[skip..got]);
        }
        Ok(input)
    }

    /// The encoding, where it is not UTF-8.
    pub(super) fn encoding(&self) -> Option<&'static Encoding> {
        self.decoder.as_ref().map(Decoder::encoding)
    }

    /// The next chunk of whole lines; `false` at the end.
    pub(super) fn next(&mut self, text: &mut SourceText) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        match self.source.as_bytes() {
            Some(memory) if self.decoder.is_none() => self.borrow(memory, text),
            _ => self.read(text),
        }
    }

    fn borrow(&mut self, memory: &[u8], text: &mut SourceText) -> Result<bool> {
        let rest = &memory[self.at as usize..];
        let mut len = self.chunk_bytes.min(rest.len());
        loop {
            let cut = last_cut(&rest[..len], len == rest.len());
            if cut > 0 || len == rest.len() {
                len = cut;
                break;
            }
            self.check_line(len, self.at)?;
            len = rest.len().min(len * 2);
        }
        *text = SourceText {
            buffer: std::mem::take(&mut text.buffer),
            borrowed: Some(self.at as usize),
            len,
            offset: self.at,
            wide: false,
        };
        if rest.len() - len < PAD {
            text.borrowed = None;
            text.buffer.clear();
            text.buffer.extend_from_slice(&rest[..len]);
            text.buffer.resize(len + PAD, b'\n');
        }
        self.at += len as u64;
        self.done = len == rest.len();
        Ok(len > 0)
    }

    fn read(&mut self, text: &mut SourceText) -> Result<bool> {
        text.wide = self.decoder.is_some();
        text.borrowed = None;
        let pending = if text.wide {
            2 * utf16_units(&self.carry) + self.raw.len() as u64
        } else {
            self.carry.len() as u64
        };
        text.offset = self.at - pending;
        let buffer = &mut text.buffer;
        let mut len = self.carry.len();
        grow(buffer, len + self.chunk_bytes + PAD);
        buffer[..len].copy_from_slice(&self.carry);
        loop {
            let want = self.chunk_bytes.max(len);
            let (got, end) = match self.decoder {
                None => {
                    grow(buffer, len + want + PAD);
                    let got = self.source.read_at(self.at, &mut buffer[len..len + want])?;
                    self.at += got as u64;
                    (got, got < want)
                }
                Some(_) => self.decode(buffer, len, want)?,
            };
            len += got;
            let cut = last_cut(&buffer[..len], end);
            if cut == 0 && !end {
                self.check_line(len, text.offset)?;
                continue;
            }
            self.carry.clear();
            self.carry.extend_from_slice(&buffer[cut..len]);
            buffer[cut..cut + PAD].fill(b'\n');
            text.len = cut;
            self.done = end;
            return Ok(cut > 0);
        }
    }

    /// Reads about `want` bytes of UTF-16 and puts them into the buffer as UTF-8.
    fn decode(&mut self, buffer: &mut Vec<u8>, at: usize, want: usize) -> Result<(usize, bool)> {
        let want = want.next_multiple_of(2) + 2;
        let old = self.raw.len();
        self.raw.resize(old + want, 0);
        let got = self.source.read_at(self.at, &mut self.raw[old..])?;
        self.at += got as u64;
        self.raw.truncate(old + got);
        let end = got < want;
        let decoder = self.decoder.as_mut().expect("only called for UTF-16");
        let room = decoder.max_utf8_buffer_length(self.raw.len()).unwrap_or(usize::MAX / 2);
        grow(buffer, at + room + PAD);
        // An odd byte stays for the next time, so that offsets stay those of whole units.
        let whole = if end { self.raw.len() } else { self.raw.len() & !1 };
        let (result, read, written, _) =
            decoder.decode_to_utf8(&self.raw[..whole], &mut buffer[at..at + room], end);
        debug_assert!(result == CoderResult::InputEmpty && read == whole);
        self.raw.drain(..read);
        Ok((written, end))
    }

    fn check_line(&self, len: usize, offset: u64) -> Result<()> {
        if len as u64 <= self.limits.line_bytes {
            return Ok(());
        }
        let message = format!("a line of more than {} bytes", self.limits.line_bytes);
        Err(Error::limit(message).at_offset(offset))
    }
}

fn grow(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, b'\n');
    }
}

/// The encoding that the first bytes show, if not UTF-8, and the length of the mark.
fn detect(head: &[u8]) -> (Option<&'static Encoding>, usize) {
    match *head {
        [0xEF, 0xBB, 0xBF, ..] => (None, 3),
        [0xFF, 0xFE, ..] => (Some(UTF_16LE), 2),
        [0xFE, 0xFF, ..] => (Some(UTF_16BE), 2),
        // Without a mark: two ASCII characters tell.
        [1..=127, 0, 1..=127, 0] => (Some(UTF_16LE), 0),
        [0, 1..=127, 0, 1..=127] => (Some(UTF_16BE), 0),
        _ => (None, 0),
    }
}

/// The length of the longest start of `text` that is surely made of whole statements; all of it
/// at the end of the source, 0 where no statement is known to end.
fn last_cut(text: &[u8], at_end: bool) -> usize {
    if at_end {
        return text.len();
    }
    // A carriage return at the very end may belong to a line feed that is yet to come.
    let mut search = text.strip_suffix(b"\r").unwrap_or(text);
    while let Some(at) = memrchr2(b'\n', b'\r', search) {
        let line = &text[..at];
        let line = if text[at] == b'\n' { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        if line.last() != Some(&b'\\') {
            return at + 1;
        }
        search = line;
    }
    0
}

/// The length of the line that starts `text`, without its end, and with it.
pub(in crate::obj) fn line_end(text: &[u8]) -> (usize, usize) {
    match memchr2(b'\n', b'\r', text) {
        None => (text.len(), text.len()),
        Some(at) => {
            let crlf = text[at] == b'\r' && text.get(at + 1) == Some(&b'\n');
            (at, at + 1 + usize::from(crlf))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_only_where_a_statement_ends() {
        assert_eq!(last_cut(b"v 1\nv 2", false), 4);
        assert_eq!(last_cut(b"v 1\nv 2", true), 7);
        assert_eq!(last_cut(b"v 1\r\nv \\\r\n2", false), 5);
        assert_eq!(last_cut(b"v 1\nv \\\n2\\\n", false), 4);
        assert_eq!(last_cut(b"v 1\rv 2\r", false), 4);
        assert_eq!(last_cut(b"v \\\n", false), 0);
    }

    #[test]
    fn counts_utf16() {
        let text = "aä€😀";
        assert_eq!(utf16_units(text.as_bytes()), text.encode_utf16().count() as u64);
    }
}
