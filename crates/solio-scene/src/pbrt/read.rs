//! Text to statements, piece by piece: pieces are read in order, parsed side by side, and handed
//! on in order. Memory is bounded by the number of pieces under way, unless a single directive
//! is longer.

use super::Statements;
use super::parse::{begins_directive, parse_into};
use memchr::{memchr_iter, memrchr};
use solio_base::{Error, Limits, Result, Source, Work, lock, ordered};
use std::sync::Mutex;

/// The first piece has about so many bytes, the next ones twice as many as the one before: all
/// threads soon have something to do.
const FIRST_BYTES: usize = 64 << 10;

/// Options of [`read_statements`].
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Bytes of text that are parsed in one go, at least; fewer at the beginning.
    pub piece_bytes: usize,
    /// What the text may make us do: its bytes.
    pub limits: Limits,
}

impl Default for ReadOptions {
    fn default() -> Self {
        // With its arrays a piece should about fit the second-level cache.
        ReadOptions { piece_bytes: 256 << 10, limits: Limits::default() }
    }
}

/// Some lines of a text and what they say.
pub struct Piece<'p> {
    /// The lines; they begin with the beginning of one.
    pub text: &'p [u8],
    /// Where they begin, in bytes from the start of the file.
    pub offset: u64,
    /// Lines of the file before them.
    pub lines_before: u64,
    /// What they say. Who takes it away leaves another, empty.
    pub statements: &'p mut Statements,
}

#[derive(Default)]
struct PieceSlot {
    text: TextBuffer,
    offset: u64,
    lines: u64,
    statements: Statements,
}

/// Reads all of `source`; `take` gets each piece, in order, and before that, in any order, `look`
/// sees what it says. The pieces depend on the options alone,
/// and what they say together does not depend on them.
pub fn read_statements(
    source: &dyn Source,
    options: &ReadOptions,
    work: &Work,
    look: impl Fn(&Statements) + Sync,
    mut take: impl FnMut(Piece<'_>) -> Result<()> + Send,
) -> Result<()> {
    let mut input = TextInput::new(source, options);
    // A piece's arrays take up to about three times its text.
    let window = work.window(options.piece_bytes.saturating_mul(4));
    let mut lines_before = 0;
    let mut slots = spare_slots(window);
    ordered::run_in(
        &mut slots,
        work,
        window,
        |slot| input.next(slot),
        |slot| {
            let memory = std::mem::take(&mut slot.statements);
            slot.statements = parse_into(slot.text.as_slice(), slot.offset, memory);
            slot.lines = memchr_iter(b'\n', slot.text.as_slice()).count() as u64;
            look(&slot.statements);
            Ok(())
        },
        |slot| {
            let PieceSlot { text, offset, lines, statements } = slot;
            let text = text.as_slice();
            take(Piece { text, offset: *offset, lines_before, statements })?;
            lines_before += *lines;
            Ok(())
        },
    )?;
    keep_slots(slots);
    Ok(())
}

/// Slots for the next text: to fill fresh memory takes about as long as to parse a small file.
static SPARE: Mutex<Vec<PieceSlot>> = Mutex::new(Vec::new());
/// So many are kept.
const MOST_SPARE: usize = 8;
/// Larger ones are not.
const MOST_SPARE_BYTES: usize = 2 << 20;

fn spare_slots(most: usize) -> Vec<PieceSlot> {
    let mut spare = lock(&SPARE);
    let rest = spare.len().saturating_sub(most);
    spare.split_off(rest)
}

fn keep_slots(slots: Vec<PieceSlot>) {
    let bytes = |slot: &PieceSlot| slot.text.memory.len() + slot.statements.capacity_bytes();
    let mut spare = lock(&SPARE);
    spare.extend(slots.into_iter().filter(|slot| bytes(slot) <= MOST_SPARE_BYTES));
    // Those that were used last lie at the end.
    let excess = spare.len().saturating_sub(MOST_SPARE);
    spare.drain(..excess);
}

/// Bytes at the start of memory that is filled once only.
#[derive(Default)]
struct TextBuffer {
    memory: Vec<u8>,
    bytes: usize,
}

impl TextBuffer {
    fn as_slice(&self) -> &[u8] {
        &self.memory[..self.bytes]
    }

    /// Memory for so many bytes, those that are there with it.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.memory.len() < bytes {
            self.memory.resize(bytes, 0);
        }
        &mut self.memory[..bytes]
    }

    fn set(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.bytes = bytes.len();
    }
}

struct TextInput<'s> {
    source: &'s dyn Source,
    options: &'s ReadOptions,
    /// What was read behind the piece before.
    rest: Vec<u8>,
    /// Where the next piece begins.
    offset: u64,
    /// Bytes that it has at least.
    piece_bytes: usize,
    ended: bool,
}

impl<'s> TextInput<'s> {
    fn new(source: &'s dyn Source, options: &'s ReadOptions) -> Self {
        let piece_bytes = FIRST_BYTES;
        TextInput { source, options, rest: Vec::new(), offset: 0, piece_bytes, ended: false }
    }

    /// The next piece: up to the last line in it that begins with a directive.
    fn next(&mut self, slot: &mut PieceSlot) -> Result<bool> {
        slot.text.set(&self.rest);
        self.rest.clear();
        slot.offset = self.offset;
        let mut wanted = self.options.piece_bytes.clamp(1, 1 << 30).min(self.piece_bytes);
        self.piece_bytes = 2 * wanted;
        // Up to here there is nowhere to cut.
        let mut looked = 0;
        while !self.ended {
            self.fill(&mut slot.text, wanted)?;
            if self.ended {
                break;
            }
            let text = slot.text.as_slice();
            if let Some(cut) = last_cut(text, looked) {
                self.rest.extend_from_slice(&text[cut..]);
                slot.text.bytes = cut;
                break;
            }
            // The last line may be the beginning of one that begins with one.
            looked = memrchr(b'\n', text).map_or(text.len(), |at| at + 1);
            wanted = 2 * text.len();
            if u32::try_from(wanted).is_err() {
                let message = "a directive has 2 GiB of text and more";
                return Err(Error::limit(message).at_offset(slot.offset));
            }
        }
        self.offset += slot.text.bytes as u64;
        Ok(slot.text.bytes > 0)
    }

    /// Reads until `text` has so many bytes, or the source ends.
    fn fill(&mut self, text: &mut TextBuffer, wanted: usize) -> Result<()> {
        let (start, end) = (text.bytes, wanted.max(text.bytes + 1));
        let got = self.source.read_at(self.offset + start as u64, &mut text.room(end)[start..])?;
        self.ended = got < end - start;
        text.bytes = start + got;
        self.options.limits.check_bytes("text of a scene", self.offset + text.bytes as u64)
    }
}

/// The beginning of the last line that begins with a directive; not the first line. Before `looked`
/// there is none.
fn last_cut(text: &[u8], looked: usize) -> Option<usize> {
    let from = looked.saturating_sub(1);
    let mut end = text.len();
    while let Some(at) = memrchr(b'\n', &text[from..end]) {
        let at = from + at;
        if begins_directive(&text[at + 1..]) {
            return Some(at + 1);
        }
        end = at;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_stand_before_directives() {
        assert_eq!(last_cut(b"A\n b\nC\nd", 0), Some(5));
        assert_eq!(last_cut(b"A\n b\nC\nd", 6), None);
        assert_eq!(last_cut(b"A\n b\nC\nd", 5), Some(5));
        assert_eq!(last_cut(b"A b", 0), None);
        assert_eq!(last_cut(b"A\n", 0), None);
        assert_eq!(last_cut(b"A\n \tB\n  #C\n  1", 0), Some(2));
        // The word of an `ActiveTransform`, or what may become one.
        assert_eq!(last_cut(b"A\nB\n  EndTime\n1", 0), Some(2));
        assert_eq!(last_cut(b"A\nB\nEndT", 0), Some(2));
        assert_eq!(last_cut(b"A\nB\nEndTimes", 0), Some(4));
    }
}
