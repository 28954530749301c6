//! One block: counts its symbols, makes their codes, writes it (RFC 1951, section 3.2).

use super::counts::{DISTANCES, END, LITERALS, SymbolCounts};
use super::huffman::{self, LENGTH_AT, PrefixCode};
use super::matches::LzSequence;
use super::symbols::{distance_symbol, length_symbol};
use crate::wide::{Wide, wide};

/// Four codes and what is left of a byte fit into a word.
const LONGEST_LITERAL: u32 = 14;
const LONGEST_DISTANCE: u32 = 15;
/// The order in which the lengths of the code for code lengths come.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Bytes in a stored block.
const MOST_STORED: usize = 65_535;

/// Writes bits, the lowest first.
pub(super) struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    word: u64,
    count: u32,
}

impl<'o> BitWriter<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        BitWriter { out, word: 0, count: 0 }
    }

    /// Whole bytes so far.
    pub(super) fn bytes(&self) -> usize {
        self.out.len()
    }

    /// Up to 48 bits.
    #[inline]
    fn put(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.word as u8);
            self.word >>= 8;
            self.count -= 8;
        }
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
    }

    pub(super) fn finish(mut self) {
        self.align();
    }
}

/// A block under way; its memory is used again.
pub(super) struct DeflateBlock {
    lengths: [u8; LITERALS],
    distance_lengths: [u8; DISTANCES],
    codes: [PrefixCode; LITERALS],
    distance_codes: [PrefixCode; DISTANCES],
    /// Code lengths as symbols with their extra bits.
    header: Vec<(u8, u8)>,
}

impl DeflateBlock {
    pub(super) fn new() -> Self {
        DeflateBlock {
            lengths: [0; LITERALS],
            distance_lengths: [0; DISTANCES],
            codes: [0; LITERALS],
            distance_codes: [0; DISTANCES],
            header: Vec::new(),
        }
    }

    /// Writes `bytes`, which are what the sequences say; `counts` are their symbols.
    pub(super) fn write(
        &mut self,
        counts: &mut SymbolCounts,
        bytes: &[u8],
        sequences: &[LzSequence],
        last: bool,
        bits: &mut BitWriter<'_>,
    ) {
        counts.literals[END] = 1;
        huffman::lengths(&counts.literals, LONGEST_LITERAL, &mut self.lengths);
        huffman::lengths(&counts.distances, LONGEST_DISTANCE, &mut self.distance_lengths);
        let (literals, distances) = self.trim();
        let cost = self.header(literals, distances) + self.body_bits(counts);
        if cost >= 8 * (bytes.len() as u64 + 5) {
            return store(bytes, last, bits);
        }
        huffman::codes(&self.lengths, &mut self.codes);
        huffman::codes(&self.distance_lengths, &mut self.distance_codes);
        self.write_header(literals, distances, last, bits);
        wide(WriteBody(self, bytes, sequences, cost, bits));
    }

    /// How many code lengths of both kinds are written.
    fn trim(&self) -> (usize, usize) {
        let used = |lengths: &[u8], least: usize| {
            lengths.iter().rposition(|l| *l > 0).map_or(0, |i| i + 1).max(least)
        };
        (used(&self.lengths, 257), used(&self.distance_lengths, 1))
    }

    /// Packs the code lengths; gives the bits that they take at most.
    fn header(&mut self, literals: usize, distances: usize) -> u64 {
        self.header.clear();
        let mut all = [0u8; LITERALS + DISTANCES];
        all[..literals].copy_from_slice(&self.lengths[..literals]);
        all[literals..literals + distances].copy_from_slice(&self.distance_lengths[..distances]);
        let mut rest = &all[..literals + distances];
        while let [first, ..] = *rest {
            let mut run = rest.iter().take_while(|l| **l == first).count();
            rest = &rest[run..];
            if first == 0 {
                while run >= 11 {
                    let take = run.min(138);
                    self.header.push((18, (take - 11) as u8));
                    run -= take;
                }
                if run >= 3 {
                    self.header.push((17, (run - 3) as u8));
                    run = 0;
                }
            } else {
                self.header.push((first, 0));
                run -= 1;
                while run >= 3 {
                    let take = run.min(6);
                    self.header.push((16, (take - 3) as u8));
                    run -= take;
                }
            }
            self.header.extend((0..run).map(|_| (first, 0)));
        }
        3 + 14 + 3 * 19 + 14 * self.header.len() as u64
    }

    fn body_bits(&self, counts: &SymbolCounts) -> u64 {
        let bits = |counts: &[u32], lengths: &[u8]| {
            let each = counts.iter().zip(lengths);
            each.map(|(c, l)| u64::from(*c) * u64::from(*l)).sum::<u64>()
        };
        counts.extra
            + bits(&counts.literals, &self.lengths)
            + bits(&counts.distances, &self.distance_lengths)
    }

    fn write_header(
        &self,
        literals: usize,
        distances: usize,
        last: bool,
        bits: &mut BitWriter<'_>,
    ) {
        let mut counts = [0u32; 19];
        self.header.iter().for_each(|(symbol, _)| counts[usize::from(*symbol)] += 1);
        let mut lengths = [0u8; 19];
        huffman::lengths(&counts, 7, &mut lengths);
        let mut codes = [0; 19];
        huffman::codes(&lengths, &mut codes);
        let sent = ORDER.iter().rposition(|i| lengths[*i] > 0).map_or(4, |i| (i + 1).max(4));
        bits.put(u64::from(last) | 2 << 1, 3);
        bits.put((literals - 257) as u64 | ((distances - 1) as u64) << 5, 10);
        bits.put((sent - 4) as u64, 4);
        ORDER[..sent].iter().for_each(|i| bits.put(u64::from(lengths[*i]), 3));
        for &(symbol, extra) in &self.header {
            let code = codes[usize::from(symbol)];
            bits.put(u64::from(code & 0xffff), code >> LENGTH_AT);
            let more = match symbol {
                16 => 2,
                17 => 3,
                18 => 7,
                _ => continue,
            };
            bits.put(u64::from(extra), more);
        }
    }

    #[inline(always)]
    fn write_body(
        &self,
        bytes: &[u8],
        sequences: &[LzSequence],
        cost: u64,
        bits: &mut BitWriter<'_>,
    ) {
        // The codes are written as whole words, so there is room for one more.
        let start = bits.out.len();
        bits.out.resize(start + (cost / 8) as usize + 32, 0);
        let mut out =
            Words { out: &mut bits.out[start..], place: 0, word: bits.word, count: bits.count };
        let codes: &[PrefixCode; LITERALS] = &self.codes;
        let mut at = 0;
        for sequence in sequences {
            let end = at + sequence.literals as usize;
            let (fours, rest) = bytes[at..end].as_chunks::<4>();
            for four in fours {
                let [a, b, c, d] = four.map(|byte| codes[usize::from(byte)]);
                let (ab, ab_count) = pair(a, b);
                let (cd, cd_count) = pair(c, d);
                out.put(ab | cd << ab_count, ab_count + cd_count);
            }
            for byte in rest {
                let code = codes[usize::from(*byte)];
                out.put(u64::from(code & 0xffff), code >> LENGTH_AT);
            }
            at = end + usize::from(sequence.length);
            if sequence.length > 0 {
                let (symbol, extra, more) = length_symbol(sequence.length);
                let code = codes[symbol];
                let length = code >> LENGTH_AT;
                let first = u64::from(code & 0xffff) | u64::from(extra) << length;
                let first_count = length + more;
                let (symbol, extra, more) = distance_symbol(sequence.distance);
                let code = self.distance_codes[symbol];
                let length = code >> LENGTH_AT;
                let second = u64::from(code & 0xffff) | u64::from(extra) << length;
                out.put(first | second << first_count, first_count + length + more);
            }
        }
        let code = codes[END];
        out.put(u64::from(code & 0xffff), code >> LENGTH_AT);
        let (place, word, count) = (out.place, out.word, out.count);
        bits.out.truncate(start + place);
        (bits.word, bits.count) = (word, count);
    }
}

/// [`DeflateBlock::write_body`] as a job.
struct WriteBody<'a, 'o>(&'a DeflateBlock, &'a [u8], &'a [LzSequence], u64, &'a mut BitWriter<'o>);

impl Wide for WriteBody<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let WriteBody(block, bytes, sequences, cost, bits) = self;
        block.write_body(bytes, sequences, cost, bits);
    }
}

/// Two codes, one after the other, and their bits.
#[inline(always)]
fn pair(a: PrefixCode, b: PrefixCode) -> (u64, u32) {
    let length = a >> LENGTH_AT;
    (u64::from(a & 0xffff) | u64::from(b & 0xffff) << length, length + (b >> LENGTH_AT))
}

/// Writes bits into memory that is there, eight bytes at a time.
struct Words<'o> {
    out: &'o mut [u8],
    place: usize,
    word: u64,
    /// Fewer than 8 between calls.
    count: u32,
}

impl Words<'_> {
    /// Up to 56 bits.
    #[inline(always)]
    fn put(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.count;
        self.count += count;
        self.out[self.place..self.place + 8].copy_from_slice(&self.word.to_le_bytes());
        self.place += (self.count / 8) as usize;
        self.word = self.word.checked_shr(self.count & !7).unwrap_or(0);
        self.count &= 7;
    }
}

fn store(bytes: &[u8], last: bool, bits: &mut BitWriter<'_>) {
    // Nothing is a block too.
    let count = bytes.len().div_ceil(MOST_STORED).max(1);
    for i in 0..count {
        let chunk = &bytes[i * MOST_STORED..bytes.len().min((i + 1) * MOST_STORED)];
        bits.put(u64::from(last && i + 1 == count), 3);
        bits.align();
        let count = chunk.len() as u16;
        bits.out.extend(count.to_le_bytes());
        bits.out.extend((!count).to_le_bytes());
        bits.out.extend_from_slice(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn clones_write_the_same_bits(
            bytes in prop::collection::vec(0u8..90, 1..3000),
            step in 4usize..200,
            distance in 1u16..=32_768,
            before in 0u32..8,
        ) {
            // What the matches copy does not matter to their codes.
            let mut sequences = Vec::new();
            for part in bytes.chunks(step) {
                let length = if part.len() > 258 + 3 { 258 } else { part.len() / 2 };
                let length = if length < 3 { 0 } else { length };
                let literals = (part.len() - length) as u32;
                sequences.push(LzSequence { literals, length: length as u16, distance });
            }
            let mut counts = SymbolCounts::NONE;
            counts.count(&bytes, &sequences);
            counts.literals[END] = 1;
            let mut block = DeflateBlock::new();
            huffman::lengths(&counts.literals, LONGEST_LITERAL, &mut block.lengths);
            huffman::lengths(&counts.distances, LONGEST_DISTANCE, &mut block.distance_lengths);
            huffman::codes(&block.lengths, &mut block.codes);
            huffman::codes(&block.distance_lengths, &mut block.distance_codes);
            let cost = block.body_bits(&counts);
            let (mut plain, mut cloned) = (Vec::new(), Vec::new());
            let mut bits = BitWriter::new(&mut plain);
            bits.put(0, before);
            WriteBody(&block, &bytes, &sequences, cost, &mut bits).run();
            bits.finish();
            let mut bits = BitWriter::new(&mut cloned);
            bits.put(0, before);
            wide(WriteBody(&block, &bytes, &sequences, cost, &mut bits));
            bits.finish();
            prop_assert_eq!(plain.len() as u64, (u64::from(before) + cost).div_ceil(8));
            prop_assert_eq!(plain, cloned);
        }
    }
}
