//! One stream under way: headers of blocks, and the parts near the ends, byte for byte.

use super::Failure;
use super::table::{CODE_AT, DISTANCES, DecodeEntry, InflateTables, LITERALS, VALUE_AT};

/// The order in which the lengths of the code for code lengths come.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// So many bytes can be read ahead: more than the header of a block takes, and than a batch of
/// symbols does.
pub(super) const ROOM: usize = 640;

/// The last bytes of a stream, and zeros.
pub(super) type StreamTail = [u8; TAIL];
/// All that is left, with what was given back of a word, may have been taken, and a word more be read
/// ahead.
pub(super) const TAIL: usize = 2 * ROOM + 16;

/// A stream under way.
pub(super) struct InflateLane<'a> {
    /// The stream; from where fewer than [`ROOM`] bytes are left, its end in `tail`.
    pub(super) input: &'a [u8],
    tail: Option<&'a mut StreamTail>,
    /// How much of the stream comes before `input`, and how much of `input` is of it.
    before: usize,
    end: usize,
    /// The next byte of `input` that is not in `word`.
    pub(super) next: usize,
    /// The next bits; above the first `bits` of them, zeros or more of the same stream.
    pub(super) word: u64,
    pub(super) bits: u32,
    pub(super) out: &'a mut [u8],
    pub(super) at: usize,
    pub(super) tables: &'a mut InflateTables,
    /// A length whose distance comes next, as a symbol and its bits.
    pub(super) waits: Option<(DecodeEntry, u32)>,
    last: bool,
    pub(super) state: InflateState,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InflateState {
    /// The header of a block.
    Header,
    /// Symbols.
    Symbols,
    /// Nothing.
    Done,
    /// Nothing: it is damaged, or too long.
    Failed(Failure),
}

impl<'a> InflateLane<'a> {
    pub(super) fn new(
        input: &'a [u8],
        out: &'a mut [u8],
        tables: &'a mut InflateTables,
        tail: &'a mut StreamTail,
    ) -> Self {
        InflateLane {
            input,
            tail: Some(tail),
            before: 0,
            end: input.len(),
            next: 0,
            word: 0,
            bits: 0,
            out,
            at: 0,
            tables,
            waits: None,
            last: false,
            state: InflateState::Header,
        }
    }

    /// Whether there is [`ROOM`] to read.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.input.len() - self.next >= ROOM
    }

    /// Makes room: puts the end of the stream before zeros. An error where that is done already:
    /// more was taken than there is.
    fn make_room(&mut self) -> Result<(), Failure> {
        let tail = self.tail.take().ok_or(Failure::Damaged)?;
        // Whole bytes of the word, which came from before `next`, are given back: a stored block, or the
        // end, may begin with them.
        self.next -= (self.bits >> 3) as usize;
        self.bits &= 7;
        self.word &= (1 << self.bits) - 1;
        let rest = &self.input[self.next..];
        tail.fill(0);
        tail[..rest.len()].copy_from_slice(rest);
        (self.before, self.end) = (self.before + self.next, rest.len());
        (self.input, self.next) = (tail, 0);
        Ok(())
    }

    /// Goes on to where symbols come and there is room for them; false at the end of the stream.
    pub(super) fn go_to_symbols(&mut self) -> Result<bool, Failure> {
        loop {
            match self.state {
                InflateState::Symbols if self.has_room() => return Ok(true),
                InflateState::Header if self.has_room() => self.header()?,
                InflateState::Symbols | InflateState::Header => self.make_room()?,
                InflateState::Done => return Ok(false),
                InflateState::Failed(failure) => return Err(failure),
            }
        }
    }

    /// At least 56 bits.
    fn refill(&mut self) -> Result<(), Failure> {
        let bytes = self.input.get(self.next..).and_then(<[u8]>::first_chunk::<8>);
        self.word |= u64::from_le_bytes(*bytes.ok_or(Failure::Damaged)?) << self.bits;
        self.next += ((63 - self.bits) >> 3) as usize;
        self.bits |= 56;
        Ok(())
    }

    #[inline]
    fn take(&mut self, count: u32) -> u32 {
        let bits = self.word as u32 & ((1 << count) - 1);
        self.word >>= count;
        self.bits -= count;
        bits
    }

    /// Drops the rest of a byte; gives where the next one is in `input`.
    fn whole_bytes(&mut self) -> Result<usize, Failure> {
        // In a tail more than the first word may be of zeros.
        let next = self.next as isize - (self.bits >> 3) as isize;
        (self.word, self.bits) = (0, 0);
        let next = usize::try_from(next).map_err(|_| Failure::Damaged)?;
        if next > self.end { Err(Failure::Damaged) } else { Ok(next) }
    }

    /// How much of the stream was taken.
    pub(super) fn taken(&mut self) -> Result<usize, Failure> {
        Ok(self.before + self.whole_bytes()?)
    }

    /// Reads the header of a block, and the block where it is stored.
    fn header(&mut self) -> Result<(), Failure> {
        if self.last {
            self.state = InflateState::Done;
            return Ok(());
        }
        self.refill()?;
        self.last = self.take(1) == 1;
        match self.take(2) {
            0 => return self.stored(),
            1 => self.tables.set_fixed(),
            2 => self.codes()?,
            _ => return Err(Failure::Damaged),
        }
        self.state = InflateState::Symbols;
        Ok(())
    }

    fn stored(&mut self) -> Result<(), Failure> {
        let start = self.whole_bytes()?;
        let rest = &self.input[start..self.end];
        let (&[a, b, c, d], rest) = rest.split_first_chunk().ok_or(Failure::Damaged)?;
        let (size, inverse) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        if size != !inverse {
            return Err(Failure::Damaged);
        }
        let size = usize::from(size);
        let to = self.out[self.at..].get_mut(..size).ok_or(Failure::TooLong)?;
        to.copy_from_slice(rest.get(..size).ok_or(Failure::Damaged)?);
        self.at += size;
        self.next = start + 4 + size;
        Ok(())
    }

    /// Reads the codes of a block.
    fn codes(&mut self) -> Result<(), Failure> {
        let literals = self.take(5) as usize + 257;
        let distances = self.take(5) as usize + 1;
        let sent = self.take(4) as usize + 4;
        let mut pre = [0; 19];
        for i in &ORDER[..sent] {
            if self.bits < 3 {
                self.refill()?;
            }
            pre[*i] = self.take(3) as u8;
        }
        self.tables.set_pre(&pre).ok_or(Failure::Damaged)?;
        let count = literals + distances;
        // A run may go on past the end, and is an error then.
        let mut lengths = [0u8; LITERALS + DISTANCES + 138];
        let mut i = 0;
        while i < count {
            if self.bits < 14 {
                self.refill()?;
            }
            let entry = self.tables.pre(self.word);
            self.take(entry & 63);
            let symbol = entry >> VALUE_AT;
            let (length, run) = match symbol {
                16 if i == 0 => return Err(Failure::Damaged),
                16 => (lengths[i - 1], self.take(2) + 3),
                17 => (0, self.take(3) + 3),
                18 => (0, self.take(7) + 11),
                length => (length as u8, 1),
            };
            lengths[i..i + run as usize].fill(length);
            i += run as usize;
        }
        if i != count {
            return Err(Failure::Damaged);
        }
        let (literals, distances) = lengths[..count].split_at(literals);
        self.tables.set(literals, distances).ok_or(Failure::Damaged)
    }
}

/// The place in the second table.
#[inline(always)]
pub(super) fn second(entry: DecodeEntry, word: u64) -> usize {
    let mask = (1 << (entry >> CODE_AT & 15)) - 1;
    (entry >> VALUE_AT) as usize + (word as usize & mask)
}

/// A length or a distance with its extra bits, which are in `before`, after the code.
#[inline(always)]
pub(super) fn number(entry: DecodeEntry, before: u32) -> u32 {
    let bits = before & !(u32::MAX << (entry & 31));
    (entry >> VALUE_AT) + (bits >> (entry >> CODE_AT & 31))
}
