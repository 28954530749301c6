//! Finds what repeats: runs of one byte, and eight bytes and more that were there before.
//!
//! Filtered images are noise, runs, and rows that repeat. Short matches far away gain nothing on
//! such data, so none below eight bytes are looked for; where nothing repeats the search takes
//! longer and longer steps.

/// Bytes that come before a match, then a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LzSequence {
    pub(super) literals: u32,
    /// 3 to 258; 0 at the end of a block.
    pub(super) length: u16,
    /// 1 to 32768.
    pub(super) distance: u16,
}

const TABLE_BITS: u32 = 13;
pub(super) const LONGEST: usize = 258;
pub(super) const FARTHEST: usize = 32_768;
/// What has more than one byte in so many in long matches is flat,
const REPEATED_IN: usize = 8;
/// as far as it was looked at, but from so many bytes on.
const LOOKED_AT: usize = 8 << 10;
/// A match of so many bytes is long.
const LONG: usize = 24;
/// A step grows by one place for so many misses.
const PATIENCE: u32 = 4;

/// Where eight bytes were last seen.
pub(super) struct MatchFinder {
    table: Box<[u32; 1 << TABLE_BITS]>,
    /// Bytes so far in long matches, runs apart.
    repeated: usize,
}

impl MatchFinder {
    pub(super) fn new() -> Self {
        MatchFinder { table: Box::new([0; 1 << TABLE_BITS]), repeated: 0 }
    }

    /// Forgets what it has seen.
    pub(super) fn reset(&mut self) {
        self.table.fill(0);
        self.repeated = 0;
    }

    /// Appends the sequences of `bytes[start..end]`; what lies before may be matched. Stops and says
    /// no where too much repeats.
    pub(super) fn find(
        &mut self,
        bytes: &[u8],
        start: usize,
        end: usize,
        sequences: &mut Vec<LzSequence>,
    ) -> bool {
        let mut written = start;
        let mut at = start.max(1);
        let mut misses = 0u32;
        while at + 8 <= end {
            let word = load(bytes, at);
            let slot = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - TABLE_BITS)) as usize;
            let known = self.table[slot] as usize;
            self.table[slot] = at as u32;
            let distance = if word == load(bytes, at - 1) {
                1
            } else if known < at
                && at - known <= FARTHEST
                && load(bytes, known) == word
                && known > 0
            {
                at - known
            } else {
                misses += 1;
                at += 8 + 8 * (misses >> PATIENCE) as usize;
                continue;
            };
            misses = 0;
            let from = back(bytes, at, distance, written);
            let to = forward(bytes, at + 8, distance, end);
            if distance > 1 && to - from >= LONG && word != word.rotate_left(8) {
                self.repeated += to - from;
                if self.repeated * REPEATED_IN > to.max(LOOKED_AT.min(bytes.len())) {
                    return false;
                }
            }
            push(sequences, from - written, to - from, distance);
            written = to;
            at = to;
        }
        finish(sequences, end - written);
        true
    }
}

/// Where a match that holds at `at` begins, at `least` or later.
#[inline(always)]
pub(super) fn back(bytes: &[u8], at: usize, distance: usize, least: usize) -> usize {
    let mut from = at;
    while from > least && from > distance && bytes[from - 1] == bytes[from - 1 - distance] {
        from -= 1;
    }
    from
}

/// Where it ends.
#[inline(always)]
fn forward(bytes: &[u8], at: usize, distance: usize, end: usize) -> usize {
    let mut to = at;
    while to + 8 <= end {
        let differ = load(bytes, to) ^ load(bytes, to - distance);
        if differ != 0 {
            return to + (differ.trailing_zeros() / 8) as usize;
        }
        to += 8;
    }
    while to < end && bytes[to] == bytes[to - distance] {
        to += 1;
    }
    to
}

#[inline(always)]
pub(super) fn finish(sequences: &mut Vec<LzSequence>, literals: usize) {
    if literals > 0 {
        sequences.push(LzSequence { literals: literals as u32, length: 0, distance: 1 });
    }
}

/// A match of any length of three or more, in pieces.
#[inline(always)]
pub(super) fn push(
    sequences: &mut Vec<LzSequence>,
    literals: usize,
    mut length: usize,
    distance: usize,
) {
    let mut literals = literals as u32;
    while length > 0 {
        let take = if length > LONGEST { LONGEST.min(length - 3) } else { length };
        let (piece, distance) = (take as u16, distance as u16);
        sequences.push(LzSequence { literals, length: piece, distance });
        literals = 0;
        length -= take;
    }
}

#[inline(always)]
fn load(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
