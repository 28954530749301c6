//! Matches of flat images: every place is looked at while matches are found.
//!
//! At a place four matches come into question: a run, the distance of the match before, and where
//! the next eight and the next four bytes were last. Eight bytes and more are taken at once, the
//! longest of them; of shorter ones that which saves the most bits, if it saves any and the next
//! place has nothing better. What symbols cost is known from the block so far.

use super::counts::{SymbolCounts, log2};
use super::matches::{FARTHEST, LONGEST, LzSequence, back, finish, push};
use super::symbols::distance_symbol;
use std::ops::Range;

const EIGHT_BITS: u32 = 13;
const FOUR_BITS: u32 = 14;
/// A match of so many bytes is long enough: no longer one is looked for.
const ENOUGH: usize = 64;
/// In a long match each so-many-th place is noted.
const NOTED: usize = 16;
/// A step grows by one place for so many misses (a power of two), up to the largest.
const PATIENCE: u32 = 5;
const LARGEST_STEP: usize = 4;
/// How far before the end of a run is a place that tells what comes after it.
const BEFORE_END: usize = 4;

/// Prices are in parts of a bit.
const BIT: i32 = 16;

/// What symbols will cost.
struct Prices {
    literals: [u8; 256],
    /// By length, from 3 to 8.
    lengths: [u16; 9],
    /// By symbol, with the extra bits.
    distances: [u16; 32],
}

impl Prices {
    /// Of a block that has not begun.
    const FIRST: Prices = {
        let mut distances = [0; 32];
        let mut symbol = 0;
        while symbol < 32 {
            distances[symbol] = (4 * BIT + BIT * more_bits(symbol)) as u16;
            symbol += 1;
        }
        Prices { literals: [6 * BIT as u8; 256], lengths: [6 * BIT as u16; 9], distances }
    };
}

/// Extra bits of a distance.
const fn more_bits(symbol: usize) -> i32 {
    if symbol < 4 { 0 } else { symbol as i32 / 2 - 1 }
}

/// Finds matches; its tables are used again.
pub(super) struct Dense {
    /// Where eight bytes were last, as the lower 16 bits of the place.
    eights: Box<[u16; 1 << EIGHT_BITS]>,
    /// Where four were.
    fours: Box<[u16; 1 << FOUR_BITS]>,
    prices: Prices,
    /// The distance of the match before, runs apart.
    last: usize,
}

/// What comes into question at a place: how the eight bytes there differ from those before.
struct MatchCandidates {
    word: u64,
    run: u64,
    last: u64,
    four: (usize, u64),
}

impl MatchCandidates {
    /// Whether eight bytes are there again.
    #[inline(always)]
    fn is_long(&self) -> bool {
        self.run == 0 || self.last == 0 || self.four.1 == 0
    }
}

/// A match of fewer than eight bytes, and the price it saves.
#[derive(Clone, Copy)]
struct ShortMatch {
    length: usize,
    distance: usize,
    saved: i32,
}

impl Dense {
    pub(super) fn new() -> Self {
        Dense {
            eights: Box::new([0; 1 << EIGHT_BITS]),
            fours: Box::new([0; 1 << FOUR_BITS]),
            prices: Prices::FIRST,
            last: 1,
        }
    }

    /// Forgets what it has seen.
    pub(super) fn reset(&mut self) {
        self.eights.fill(0);
        self.fours.fill(0);
        self.prices = Prices::FIRST;
        self.last = 1;
    }

    /// Prices of what comes next, as things were in the block so far.
    pub(super) fn learn(&mut self, counts: &SymbolCounts) {
        let mut literals = [0f32; 288];
        price(&counts.literals, &mut literals);
        for (to, price) in self.prices.literals.iter_mut().zip(&literals) {
            *to = *price as u8;
        }
        for (length, to) in self.prices.lengths.iter_mut().enumerate().skip(3) {
            *to = literals[254 + length] as u16;
        }
        let mut distances = [0f32; 32];
        price(&counts.distances, &mut distances);
        for (symbol, to) in self.prices.distances.iter_mut().enumerate() {
            *to = distances[symbol] as u16 + (BIT * more_bits(symbol)) as u16;
        }
    }

    /// Appends the sequences from `start` to `until`; what lies before may be matched, and a match
    /// may go on up to the end. Says how far they go.
    pub(super) fn find(
        &mut self,
        bytes: &[u8],
        start: usize,
        until: usize,
        sequences: &mut Vec<LzSequence>,
    ) -> usize {
        let mut written = start;
        let mut at = start.max(1);
        // All that is loaded around a place lies before the end.
        let stop = until.min(bytes.len().saturating_sub(16));
        let mut misses = 0;
        while at < stop {
            let (here, repeats) = self.look(bytes, at);
            let eight = self.note(here.word, at);
            if !repeats {
                at += 1 + (misses >> PATIENCE).min(LARGEST_STEP - 1);
                misses += 1;
                continue;
            }
            let eight = distance(at, eight);
            let eight = (eight, here.word ^ load(bytes, at - eight));
            let (to, distance) = if here.is_long() || eight.1 == 0 {
                self.longest(bytes, at, &here, eight)
            } else {
                let best = self.cheapest(&here);
                if best.saved <= 0 {
                    at += 1 + (misses >> PATIENCE).min(LARGEST_STEP - 1);
                    misses += 1;
                    continue;
                }
                let (next, repeats) = self.look(bytes, at + 1);
                if repeats && (next.is_long() || self.cheapest(&next).saved > best.saved) {
                    at += 1;
                    continue;
                }
                (at + best.length, best.distance)
            };
            misses = 0;
            let from = back(bytes, at, distance, written);
            push_with_runs(bytes, from - written, from..to, distance, sequences);
            if distance > 1 {
                self.last = distance;
            }
            if distance > 1 || to - at < 8 {
                let step = if to - at < 8 { 1 } else { NOTED };
                let places = at + 1..to.min(bytes.len() - 8);
                for at in places.step_by(step) {
                    self.note(load(bytes, at), at);
                }
            }
            (written, at) = (to, to);
        }
        let reached = if at >= until { written.max(until) } else { bytes.len() };
        finish(sequences, reached - written);
        reached
    }

    /// What is at a place, and whether any of it repeats.
    #[inline(always)]
    fn look(&self, bytes: &[u8], at: usize) -> (MatchCandidates, bool) {
        let word = load(bytes, at);
        let run = word ^ load(bytes, at - 1);
        let last = word ^ load(bytes, at - self.last);
        let distance = distance(at, self.fours[four_slot(word)]);
        let four = word ^ load(bytes, at - distance);
        let repeats = (run << 40 == 0) | (last << 40 == 0) | (four << 32 == 0);
        (MatchCandidates { word, run, last, four: (distance, four) }, repeats)
    }

    /// Notes a place; gives that where the same eight bytes may have been before.
    #[inline(always)]
    fn note(&mut self, word: u64, at: usize) -> u16 {
        self.fours[four_slot(word)] = at as u16;
        std::mem::replace(&mut self.eights[eight_slot(word)], at as u16)
    }

    /// Where the longest match of eight bytes and more ends, and its distance.
    #[inline(always)]
    fn longest(
        &mut self,
        bytes: &[u8],
        at: usize,
        here: &MatchCandidates,
        eight: (usize, u64),
    ) -> (usize, usize) {
        let (mut to, mut distance) = (at, 1);
        if here.run == 0 {
            to = forward(bytes, at + 8, 1);
        }
        if here.last == 0 && to - at < ENOUGH {
            let other = forward(bytes, at + 8, self.last);
            if other > to {
                (to, distance) = (other, self.last);
            }
        }
        let before = if eight.1 == 0 { eight } else { here.four };
        if before.1 == 0 && to - at < ENOUGH {
            let other = forward(bytes, at + 8, before.0);
            if other > to + 1 {
                (to, distance) = (other, before.0);
            }
        }
        if distance == 1 && to + 8 <= bytes.len() {
            // A run of this length, and what follows it, may have been there before.
            let place = to - BEFORE_END;
            let word = load(bytes, place);
            let known = &mut self.eights[eight_slot(word)];
            let before = self::distance(place, *known);
            *known = place as u16;
            if before > 1 && before <= at && word == load(bytes, place - before) {
                let other = forward(bytes, at, before);
                if other > to + 1 {
                    (to, distance) = (other, before);
                }
            }
        }
        (to, distance)
    }

    /// The match that saves the most, where none has eight bytes.
    #[inline(always)]
    fn cheapest(&self, here: &MatchCandidates) -> ShortMatch {
        let length = |differ: u64| (differ.trailing_zeros() / 8).min(8) as usize;
        let mut best = ShortMatch { length: 0, distance: 1, saved: 0 };
        let (run, last, four) = (length(here.run), length(here.last), length(here.four.1));
        let mut literals = [0; 9];
        for i in 0..8 {
            let byte = (here.word >> (8 * i)) as usize & 255;
            literals[i + 1] = literals[i] + i32::from(self.prices.literals[byte]);
        }
        for (length, least, distance) in [(run, 3, 1), (last, 3, self.last), (four, 4, here.four.0)]
        {
            if length >= least {
                let symbol = distance_symbol(distance as u16).0 & 31;
                let paid = self.prices.lengths[length] + self.prices.distances[symbol];
                let saved = literals[length] - i32::from(paid);
                if saved > best.saved {
                    best = ShortMatch { length, distance, saved };
                }
            }
        }
        best
    }
}

/// A match; runs in it that make whole ones become such, as theirs is the cheapest distance.
#[inline(always)]
fn push_with_runs(
    bytes: &[u8],
    mut literals: usize,
    matched: Range<usize>,
    distance: usize,
    sequences: &mut Vec<LzSequence>,
) {
    let Range { start: mut at, end } = matched;
    while distance > 1 && end - at >= LONGEST + 3 {
        let mut piece = (LONGEST, distance);
        if load(bytes, at) == load(bytes, at - 1) {
            let run = forward(bytes, at + 8, 1).min(end - 3) - at;
            if run >= LONGEST {
                piece = (run / LONGEST * LONGEST, 1);
            }
        }
        push(sequences, literals, piece.0, piece.1);
        literals = 0;
        at += piece.0;
    }
    push(sequences, literals, end - at, distance);
}

/// What each symbol costs after so many of each.
#[inline(always)]
fn price(counts: &[u32], prices: &mut [f32]) {
    /// Those that did not occur may still.
    const PRIOR: f32 = 0.25;
    let total = log2(counts.iter().sum::<u32>() as f32 + PRIOR * counts.len() as f32);
    for (price, count) in prices.iter_mut().zip(counts) {
        *price = (total - log2(*count as f32 + PRIOR)).clamp(0.5, 15.0) * BIT as f32;
    }
}

#[inline(always)]
fn eight_slot(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - EIGHT_BITS)) as usize
}

#[inline(always)]
fn four_slot(word: u64) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b1) >> (32 - FOUR_BITS)) as usize
}

/// The distance to a place known by its lower 16 bits; 1 where that is too far.
///
/// It is never more than `at`: what is known are places before, or 0.
#[inline(always)]
fn distance(at: usize, known: u16) -> usize {
    let distance = usize::from((at as u16).wrapping_sub(known));
    if distance.wrapping_sub(1) < FARTHEST { distance } else { 1 }
}

/// Where a match that holds before `at` ends.
#[inline(always)]
fn forward(bytes: &[u8], at: usize, distance: usize) -> usize {
    let mut to = at;
    while to + 32 <= bytes.len() {
        let differ: [u64; 4] =
            std::array::from_fn(|i| load(bytes, to + 8 * i) ^ load(bytes, to + 8 * i - distance));
        if differ[0] | differ[1] | differ[2] | differ[3] != 0 {
            let at = differ.iter().position(|differ| *differ != 0).unwrap_or(0);
            return to + 8 * at + (differ[at].trailing_zeros() / 8) as usize;
        }
        to += 32;
    }
    while to < bytes.len() && bytes[to] == bytes[to - distance] {
        to += 1;
    }
    to
}

/// The eight bytes at a place.
///
/// Bounds are looked at in debug builds only: the search asks for nothing that is not there.
#[inline(always)]
fn load(bytes: &[u8], at: usize) -> u64 {
    debug_assert!(at < bytes.len() && bytes.len() - at >= 8);
    // SAFETY: `find` stops 16 bytes before the end and looks one place ahead, `forward` and what
    // is noted stay eight bytes before it, and distances are no longer than what lies before.
    u64::from_le(unsafe { bytes.as_ptr().add(at).cast::<u64>().read_unaligned() })
}
