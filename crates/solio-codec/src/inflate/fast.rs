//! The loop for streams with room ahead, of one or of several side by side.
//!
//! A symbol waits for the one before: a shift and a look into the table, 7 cycles. And whether it
//! is a literal or a match cannot be foretold. So a batch of symbols is noted down without a
//! branch that depends on them, of each stream one in turn, and then what they say is copied. The
//! streams fill the time that one of them waits.

use super::Failure;
use super::lane::{InflateLane, InflateState, ROOM, number, second};
use super::table::{BITS, DecodeEntry, END, ENTRIES, LENGTH, SECOND, SPECIAL, VALUE_AT};
#[cfg(target_arch = "x86_64")]
use solio_base::cpu::{Tier, tier};

/// Symbols of a batch, with a place before for a length that waits for its distance.
const SYMBOLS: usize = 64;
/// Symbols that need no more than 56 bits, if none is special.
const GROUP: usize = 3;
/// A symbol takes less than 48 bits, and a word is read ahead.
const _: () = assert!(ROOM > 6 * SYMBOLS + 8);
/// What a copy may read and write beyond its end.
const SLACK: usize = 64;
/// Most bytes that literals and a match after them write.
const ONCE: usize = SYMBOLS + 258 + SLACK;

/// Whether the loop can begin.
pub(super) fn fits(lane: &InflateLane<'_>) -> bool {
    lane.state == InflateState::Symbols && lane.has_room()
}

/// The symbols of a batch.
pub(super) struct SymbolBatch {
    entries: [DecodeEntry; SYMBOLS],
    /// The bits that they began with.
    before: [u32; SYMBOLS],
}

impl SymbolBatch {
    pub(super) fn new() -> Self {
        SymbolBatch { entries: [0; SYMBOLS], before: [0; SYMBOLS] }
    }
}

/// Runs batches of `N` streams, until one of them does not fit any more.
pub(super) struct Batches<'r, 'l, 'a, const N: usize> {
    pub(super) lanes: &'r mut [&'l mut InflateLane<'a>; N],
    pub(super) notes: &'r mut [SymbolBatch; N],
}

impl<const N: usize> Batches<'_, '_, '_, N> {
    /// Runs them, on every machine alike.
    pub(super) fn run(self) {
        #[cfg(target_arch = "x86_64")]
        if matches!(tier(), Tier::Avx2 | Tier::Avx512) {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { self.run_avx2() };
        }
        self.run_plain();
    }

    /// Shifts by any number of bits are one instruction here. Wider vectors lose: they read what
    /// was just written in many pieces.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_avx2(self) {
        self.run_plain();
    }

    #[inline(always)]
    fn run_plain(self) {
        let Batches { lanes, notes } = self;
        while lanes.iter().all(|lane| fits(lane)) {
            let cursors = std::array::from_fn(|i| LaneRegisters::new(lanes[i], &mut notes[i]));
            // SAFETY: all of them have room.
            let (cursors, end, ends) = unsafe { note(cursors, notes) };
            let places = cursors.map(|cursor| (cursor.next, cursor.word, cursor.bits & 63));
            for (i, (next, word, bits)) in places.into_iter().enumerate() {
                let lane = &mut *lanes[i];
                lane.next = next as usize - lane.input.as_ptr() as usize;
                (lane.word, lane.bits) = (word, bits);
                if ends[i] {
                    lane.state = InflateState::Header;
                }
                if let Err(failure) = copy_out(&notes[i], end, lane) {
                    lane.state = InflateState::Failed(failure);
                }
            }
        }
    }
}

/// A lane in registers.
#[derive(Clone, Copy)]
struct LaneRegisters<'t> {
    next: *const u8,
    word: u64,
    /// Only its lowest six bits count.
    bits: u32,
    /// [`LENGTH`] where a distance comes next, or 0.
    table: u32,
    entries: &'t [DecodeEntry; ENTRIES],
}

impl<'t> LaneRegisters<'t> {
    #[inline(always)]
    fn new(lane: &'t InflateLane<'_>, notes: &mut SymbolBatch) -> Self {
        if let Some(first) = lane.waits {
            (notes.entries[0], notes.before[0]) = first;
        }
        LaneRegisters {
            next: lane.input[lane.next..].as_ptr(),
            word: lane.word,
            bits: lane.bits,
            table: if lane.waits.is_some() { LENGTH } else { 0 },
            entries: &lane.tables.entries,
        }
    }

    /// # Safety
    /// Eight bytes can be read from `next` on.
    #[inline(always)]
    unsafe fn refill(&mut self) {
        // SAFETY: the caller's promise; `next` moves by seven at most.
        let bytes = unsafe { self.next.cast::<u64>().read_unaligned() };
        self.word |= u64::from_le(bytes) << (self.bits & 63);
        // SAFETY: as above.
        self.next = unsafe { self.next.add((!self.bits >> 3 & 7) as usize) };
        self.bits |= 56;
    }

    #[inline(always)]
    fn look(&self) -> DecodeEntry {
        let at = self.word as usize & ((1 << BITS) - 1);
        // SAFETY: `table` is one of two places, and the entries hold both tables whole.
        unsafe { *self.entries.as_ptr().byte_add(self.table as usize).add(at) }
    }

    #[inline(always)]
    fn consume(&mut self, entry: DecodeEntry) {
        self.word >>= entry & 63;
        self.bits = self.bits.wrapping_sub(entry);
    }

    /// Notes down a symbol at a place below [`SYMBOLS`].
    #[inline(always)]
    fn note(&mut self, entry: DecodeEntry, at: usize, notes: &mut SymbolBatch) {
        debug_assert!(at < SYMBOLS);
        // SAFETY: groups begin where there are places for all of their symbols; a special one takes
        // the place of one of them.
        unsafe {
            *notes.entries.get_unchecked_mut(at) = entry;
            *notes.before.get_unchecked_mut(at) = self.word as u32;
        }
        self.table = entry & LENGTH;
        self.consume(entry);
    }

    /// A special entry's symbol, whose bits come next then.
    ///
    /// # Safety
    /// Eight bytes can be read from `next` on.
    #[inline(always)]
    unsafe fn resolve(&mut self, entry: DecodeEntry) -> DecodeEntry {
        // SAFETY: the caller's promise.
        unsafe { self.refill() };
        if entry & SECOND == 0 {
            return entry & !SPECIAL;
        }
        self.consume(entry);
        self.entries[second(entry, self.word) % ENTRIES] & !SPECIAL
    }
}

/// Notes down symbols of `N` streams, up to [`SYMBOLS`] of each or to where a block ends. Returns
/// how many places of the notes are taken, and which blocks end.
///
/// # Safety
/// There are [`ROOM`] bytes from `next` on.
#[inline(always)]
unsafe fn note<'t, const N: usize>(
    mut lanes: [LaneRegisters<'t>; N],
    notes: &mut [SymbolBatch; N],
) -> ([LaneRegisters<'t>; N], usize, [bool; N]) {
    let mut at = 1;
    // No symbol takes more than its share of the room.
    while at + GROUP <= SYMBOLS {
        for lane in &mut lanes {
            // SAFETY: there is room.
            unsafe { lane.refill() };
        }
        let (count, Some(mut looks)) = group(&mut lanes, notes, at) else {
            at += GROUP;
            continue;
        };
        at += count;
        let before = lanes;
        let mut ends = [false; N];
        for i in 0..N {
            // SAFETY: there is room.
            looks[i] = unsafe { lanes[i].resolve(looks[i]) };
            ends[i] = looks[i] & END != 0;
        }
        if ends.contains(&true) {
            // The others wait.
            for i in 0..N {
                match ends[i] {
                    true => lanes[i].consume(looks[i]),
                    false => lanes[i] = before[i],
                }
            }
            return (lanes, at, ends);
        }
        for i in 0..N {
            lanes[i].note(looks[i], at, &mut notes[i]);
        }
        at += 1;
    }
    (lanes, at, [false; N])
}

/// Notes down a group of symbols; ends before a special one, and gives what all lanes look at.
#[inline(always)]
fn group<const N: usize>(
    lanes: &mut [LaneRegisters<'_>; N],
    notes: &mut [SymbolBatch; N],
    at: usize,
) -> (usize, Option<[DecodeEntry; N]>) {
    for count in 0..GROUP {
        let looks = lanes.map(|lane| lane.look());
        if looks.iter().fold(0, |any, look| any | look) & SPECIAL != 0 {
            return (count, Some(looks));
        }
        for i in 0..N {
            lanes[i].note(looks[i], at + count, &mut notes[i]);
        }
    }
    (GROUP, None)
}

/// Which of the entries are literals, the first one lowest.
#[inline(always)]
fn literals(entries: &[DecodeEntry; SYMBOLS]) -> u64 {
    let bytes = entries.map(|entry| (entry >> 31) as u8);
    let mut mask = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        mask |= (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    mask
}

/// Copies what the notes up to `end` say.
#[inline(always)]
fn copy_out(notes: &SymbolBatch, end: usize, lane: &mut InflateLane<'_>) -> Result<(), Failure> {
    let mut at = usize::from(lane.waits.is_none());
    // Lengths and their distances.
    let mut pairs = !literals(&notes.entries) & (u64::MAX >> (SYMBOLS - end)) & !(at as u64);
    let mut kept = end;
    lane.waits = None;
    if pairs.count_ones() % 2 == 1 {
        kept -= 1;
        pairs &= !(1 << kept);
        lane.waits = Some((notes.entries[kept], notes.before[kept]));
    }
    let mut bytes = [0; SYMBOLS + SLACK];
    for (byte, entry) in bytes.iter_mut().zip(&notes.entries) {
        *byte = (entry >> VALUE_AT) as u8;
    }
    let out = &mut *lane.out;
    let mut to = lane.at;
    while pairs != 0 {
        let i = pairs.trailing_zeros() as usize;
        pairs &= pairs - 1;
        pairs &= pairs - 1;
        let length = number(notes.entries[i], notes.before[i]) as usize;
        let j = (i + 1) % SYMBOLS;
        let distance = number(notes.entries[j], notes.before[j]) as usize;
        to = literals_out(&bytes, at..i, out, to)?;
        at = i + 2;
        if distance > to {
            return Err(Failure::Damaged);
        }
        if to + ONCE > out.len() {
            repeat(out, to, distance, length)?;
        } else {
            // SAFETY: `distance` bytes are before `to`, and more than `length` and the slack after
            // it.
            unsafe { repeat_wide(out.as_mut_ptr().add(to), distance, length) };
        }
        to += length;
    }
    lane.at = literals_out(&bytes, at..kept, out, to)?;
    Ok(())
}

/// Copies some of the bytes to `out[to..]`; returns where they end.
#[inline(always)]
fn literals_out(
    bytes: &[u8; SYMBOLS + SLACK],
    range: std::ops::Range<usize>,
    out: &mut [u8],
    to: usize,
) -> Result<usize, Failure> {
    let count = range.len();
    let Some(wide) = out[to..].first_chunk_mut::<SYMBOLS>() else {
        let room = out[to..].get_mut(..count).ok_or(Failure::TooLong)?;
        room.copy_from_slice(&bytes[range]);
        return Ok(to + count);
    };
    let from = &bytes[range.start..][..SYMBOLS];
    wide[..32].copy_from_slice(&from[..32]);
    if count > 32 {
        wide[32..].copy_from_slice(&from[32..]);
    }
    Ok(to + count)
}

/// Writes `length` bytes at `out[to..]`, the same as `distance` before.
#[cold]
fn repeat(out: &mut [u8], to: usize, distance: usize, length: usize) -> Result<(), Failure> {
    let (before, after) = out.split_at_mut(to);
    let after = after.get_mut(..length).ok_or(Failure::TooLong)?;
    let from = &before[to - distance..];
    for piece in after.chunks_mut(distance) {
        piece.copy_from_slice(&from[..piece.len()]);
    }
    Ok(())
}

/// [`repeat`] by whole words, which may go beyond the end.
///
/// # Safety
/// The `distance` bytes before `to` can be read, and `length` and [`SLACK`] more be written from
/// there on.
#[inline(always)]
unsafe fn repeat_wide(mut to: *mut u8, distance: usize, length: usize) {
    // SAFETY: each step writes at most 32 bytes at a place before the end, and reads what lies a
    // whole number of distances before it, and not before the first one.
    unsafe {
        let end = to.add(length);
        let mut from = to.sub(distance).cast_const();
        if distance >= 32 {
            loop {
                to.cast::<[u8; 32]>().write(from.cast::<[u8; 32]>().read());
                (to, from) = (to.add(32), from.add(32));
                if to >= end {
                    return;
                }
            }
        }
        if distance == 1 {
            let all = [*from; 32];
            loop {
                to.cast::<[u8; 32]>().write(all);
                to = to.add(32);
                if to >= end {
                    return;
                }
            }
        }
        // Of a shorter period, the bytes after it are wrong, and written again by the next step;
        // after some steps a whole number of periods is wide enough.
        let (step, begin) = (distance.min(8), to);
        let periods = PERIODS[distance % 32] as usize;
        loop {
            to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read());
            (to, from) = (to.add(step), from.add(step));
            if to >= end {
                return;
            }
            if to.offset_from_unsigned(begin) >= periods {
                break;
            }
        }
        from = to.sub(periods);
        loop {
            to.cast::<[u8; 32]>().write(from.cast::<[u8; 32]>().read());
            (to, from) = (to.add(32), from.add(32));
            if to >= end {
                return;
            }
        }
    }
}

/// The least multiple of each distance that is 32 at least.
static PERIODS: [u8; 32] = {
    let mut periods = [32; 32];
    let mut distance = 1;
    while distance < 32 {
        periods[distance] = (31 / distance as u8 + 1) * distance as u8;
        distance += 1;
    }
    periods
};
