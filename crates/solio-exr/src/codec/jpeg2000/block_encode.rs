//! Code blocks: from magnitudes and signs to bytes. The other side of `block_decode.rs`.

use solio_codec::lanes::{LaneJob, Lanes, run};

use super::block_decode::{Word, spread};
use super::streams::{BitPutter, RUN_BITS};
use super::vlc::{Codes, codes, excess, put_together};

/// What a thread keeps from block to block.
#[derive(Default)]
pub(super) struct BlockWriter<W> {
    magnitudes: BitPutter,
    words: BitPutter,
    events: EventWriter,
    /// Of a row of quads, their samples and the exponents of those: column by column of each.
    columns: [Vec<W>; 4],
    exponents: [Vec<u32>; 4],
    quads: QuadRow,
    /// The words of quads, from the end of the block backward.
    backward: Vec<u8>,
}

/// What is known of the quads of a row before their words are.
#[derive(Default)]
struct QuadRow {
    /// Which samples are not 0: from the second on, and of the row above.
    rho: Vec<u32>,
    above: Vec<u32>,
    /// The largest exponent around each quad in the row above, less 1, at least 1.
    expected: Vec<u32>,
    /// The bits of the largest sample; by how much they exceed what was expected.
    bits: Vec<u32>,
    excess: Vec<u32>,
    /// Context, rho, and which samples have the largest exponent, where it exceeds something.
    index: Vec<u32>,
    /// The bits of each sample, one a byte.
    counts: Vec<u32>,
}

impl<W: Word> BlockWriter<W> {
    /// Appends a block of rows of `stride` samples, which is even, and an even number of them.
    pub(super) fn write(&mut self, samples: &[W], stride: usize, out: &mut Vec<u8>) {
        run(WriteJob { writer: self, samples, stride, out });
    }
}

struct WriteJob<'w, W> {
    writer: &'w mut BlockWriter<W>,
    samples: &'w [W],
    stride: usize,
    out: &'w mut Vec<u8>,
}

impl<W: Word> LaneJob for WriteJob<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let WriteJob { writer, samples, stride, out } = self;
        writer.put_rows(codes(), samples, stride);
        writer.finish(out);
    }
}

impl<W: Word> BlockWriter<W> {
    #[inline(always)]
    fn put_rows(&mut self, codes: &Codes, samples: &[W], stride: usize) {
        let across = stride / 2;
        self.magnitudes.start();
        self.words.start();
        // Half of the last byte is part of the length.
        self.words.put(0xf, 4);
        self.events.start();
        self.columns.iter_mut().for_each(|column| column.resize(across, W::default()));
        self.exponents.iter_mut().for_each(|column| column.resize(across, 1));
        self.quads.start(across);
        for (index, rows) in samples.chunks_exact(2 * stride).enumerate() {
            let (upper, lower) = rows.split_at(stride);
            let [upper_left, lower_left, upper_right, lower_right] = &mut self.columns;
            take_apart(upper, upper_left, upper_right);
            take_apart(lower, lower_left, lower_right);
            for (column, exponents) in self.columns.iter().zip(&mut self.exponents) {
                W::exponents(column, exponents);
            }
            self.quads.look(&self.columns, &self.exponents);
            if index == 0 {
                self.quads.set_contexts::<true>();
                self.put_words::<true>(codes);
            } else {
                self.quads.set_contexts::<false>();
                self.put_words::<false>(codes);
            }
            self.put_magnitudes();
            self.quads.look_below(&self.exponents);
        }
    }

    /// Writes the words of a row of quads, and their events.
    #[inline(always)]
    fn put_words<const FIRST: bool>(&mut self, codes: &Codes) {
        let code = if FIRST { &codes.first.encode } else { &codes.others.encode };
        let QuadRow { rho, index, excess, bits, counts, .. } = &mut self.quads;
        let events = &mut self.events;
        let quad = |i: usize, counts: &mut u32, events: &mut EventWriter| {
            let (index, rho) = (index[i], rho[i + 1]);
            if index < 1 << 8 {
                // All around it is 0.
                events.put(rho != 0);
            }
            let entry = u32::from(code[index as usize & 0x7ff]);
            *counts = spread(rho).wrapping_mul(bits[i]).wrapping_sub(spread(entry & 15));
            (u64::from(entry >> 8), entry >> 4 & 7)
        };
        for (pair, counts) in counts.chunks_mut(2).enumerate() {
            let (mut bits, mut length) = quad(2 * pair, &mut counts[0], events);
            let mut numbers = [excess[2 * pair], 0];
            if let Some(counts) = counts.get_mut(1) {
                let (more, count) = quad(2 * pair + 1, counts, events);
                bits |= more << length;
                length += count;
                numbers[1] = excess[2 * pair + 1];
            }
            let (more, count) = if FIRST {
                code_excesses_of_first(numbers, events)
            } else {
                code_excesses(codes, numbers)
            };
            self.words.put(bits | more << length, length + count);
        }
    }

    /// Writes the magnitudes and signs of a row of quads, column by column in each.
    #[inline(always)]
    fn put_magnitudes(&mut self) {
        let [a, b, c, d] = &self.columns;
        let columns = a.iter().zip(b).zip(c.iter().zip(d));
        for (counts, ((a, b), (c, d))) in self.quads.counts.iter().zip(columns) {
            let count = |n: u32| counts >> (8 * n) & 0xff;
            if W::MOST_BITS <= 28 {
                let mut two = |first: &W, second: &W, n: u32| {
                    let bits = first.bits(count(n)) | second.bits(count(n + 1)) << count(n);
                    self.magnitudes.put(bits, count(n) + count(n + 1));
                };
                two(a, b, 0);
                two(c, d, 2);
            } else {
                for (n, sample) in [a, b, c, d].into_iter().enumerate() {
                    let count = count(n as u32);
                    self.magnitudes.put(sample.bits(count), count);
                }
            }
        }
    }

    /// Puts the streams together.
    #[inline(always)]
    fn finish(&mut self, out: &mut Vec<u8>) {
        self.magnitudes.stuff_forward(out);
        let (last, used) = self.words.stuff_backward(&mut self.backward);
        let events = self.events.finish();
        let (event_mask, event) =
            (0xffu32 << events.left & 0xff, u32::from(events.byte) << events.left);
        let event = event & 0xff;
        let word_mask = (1u32 << used) - 1;
        // The last bytes of both may be one, where their bits are not in each other's way.
        let both = event | last;
        let agree = (both ^ event) & event_mask | (both ^ last) & word_mask;
        if event_mask | word_mask != 0 {
            if agree == 0 && both != 0xff && self.backward.len() > 1 {
                events.bytes.push(both as u8);
            } else {
                events.bytes.push(event as u8);
                self.backward.push(last as u8);
            }
        }
        let tail = events.bytes.len() + self.backward.len();
        out.extend_from_slice(&events.bytes);
        out.extend(self.backward.iter().rev());
        if let [.., low, high] = &mut out[..] {
            *high = (tail >> 4) as u8;
            *low = *low & 0xf0 | (tail & 0xf) as u8;
        }
    }
}

/// The samples of two columns that come in turn.
#[inline(always)]
fn take_apart<W: Word>(row: &[W], left: &mut [W], right: &mut [W]) {
    for ((pair, left), right) in row.as_chunks().0.iter().zip(left).zip(right) {
        let [a, b] = pair;
        (*left, *right) = (*a, *b);
    }
}

impl QuadRow {
    fn start(&mut self, across: usize) {
        for row in [&mut self.rho, &mut self.above] {
            row.clear();
            row.resize(across + 2, 0);
        }
        self.expected.clear();
        self.expected.resize(across, 1);
        for row in [&mut self.bits, &mut self.excess, &mut self.index, &mut self.counts] {
            row.resize(across, 0);
        }
    }

    /// Looks at a row of quads.
    #[inline(always)]
    fn look<W: Word>(&mut self, columns: &[Vec<W>; 4], exponents: &[Vec<u32>; 4]) {
        let across = self.bits.len();
        let [a, b, c, d] = columns.each_ref().map(|column| &column[..across]);
        let zero = W::default();
        for (i, rho) in self.rho[1..].iter_mut().take(across).enumerate() {
            let is = |sample: W| u32::from(sample != zero);
            *rho = is(a[i]) | is(b[i]) << 1 | is(c[i]) << 2 | is(d[i]) << 3;
        }
        let [a, b, c, d] = exponents.each_ref().map(|column| &column[..across]);
        let rho = &self.rho[1..][..across];
        let expected = &self.expected[..across];
        let (bits, excess) = (&mut self.bits[..across], &mut self.excess[..across]);
        let index = &mut self.index[..across];
        for i in 0..across {
            let largest = a[i].max(b[i]).max(c[i].max(d[i]));
            // One sample alone is not expected to be like those above.
            let is_one = rho[i] & rho[i].wrapping_sub(1) == 0;
            let expected = if is_one { 1 } else { expected[i] };
            bits[i] = largest.max(expected);
            excess[i] = bits[i] - expected;
            let is = |exponent: u32| u32::from(exponent == largest);
            let which = is(a[i]) | is(b[i]) << 1 | is(c[i]) << 2 | is(d[i]) << 3;
            index[i] = rho[i] << 4 | if excess[i] > 0 { which } else { 0 };
        }
    }

    /// Adds the contexts of quads: what is to their left, and in the row above.
    #[inline(always)]
    fn set_contexts<const FIRST: bool>(&mut self) {
        let lefts = self.rho.iter();
        if FIRST {
            for (index, left) in self.index.iter_mut().zip(lefts) {
                *index |= (left >> 1 | left & 1) << 8;
            }
            return;
        }
        for ((index, left), around) in self.index.iter_mut().zip(lefts).zip(self.above.windows(3)) {
            let [before, here, after] = [around[0], around[1], around[2]];
            let above = (here >> 1 | before >> 3) & 1 | ((after >> 1 | here >> 3) & 1) << 2;
            *index |= (above | (left >> 2 | left >> 3) << 1 & 2) << 8;
        }
    }

    /// What the row says of the one below.
    #[inline(always)]
    fn look_below(&mut self, exponents: &[Vec<u32>; 4]) {
        std::mem::swap(&mut self.rho, &mut self.above);
        let across = self.expected.len();
        let [_, left, _, right] = exponents.each_ref().map(|column| &column[..across]);
        let expected =
            |here: u32, before: u32, after: u32| (here.max(before).max(after) - 1).max(1);
        let ends = |i: usize| {
            let before = if i > 0 { right[i - 1] } else { 1 };
            let after = left.get(i + 1).copied().unwrap_or(1);
            expected(left[i].max(right[i]), before, after)
        };
        self.expected[0] = ends(0);
        for i in 1..across.max(1) - 1 {
            self.expected[i] = expected(left[i].max(right[i]), right[i - 1], left[i + 1]);
        }
        self.expected[across - 1] = ends(across - 1);
    }
}

/// The numbers of a pair of quads: bits and how many.
#[inline(always)]
fn code_excesses(codes: &Codes, numbers: [u32; 2]) -> (u64, u32) {
    let [a, b] = numbers;
    if (a | b) < 32 {
        let entry = codes.pairs[(a << 5 | b) as usize & 0x3ff];
        return (u64::from(entry & 0xffff), entry >> 16);
    }
    put_together(numbers.map(excess))
}

/// The same in the first row, where an event says whether both are above 2.
fn code_excesses_of_first(numbers: [u32; 2], events: &mut EventWriter) -> (u64, u32) {
    let [a, b] = numbers;
    let mut parts = numbers.map(excess);
    if a > 0 && b > 0 {
        let above_2 = a.min(b) > 2;
        events.put(above_2);
        if above_2 {
            parts = numbers.map(|number| excess(number - 2));
        } else if a > 2 {
            parts[1] = [(b - 1, 1), (0, 0), (0, 0)];
        }
    }
    put_together(parts)
}

/// Runs of events (MEL), as bytes.
#[derive(Default)]
struct EventWriter {
    bytes: Vec<u8>,
    byte: u8,
    /// Bits that are free in the byte.
    left: u32,
    state: usize,
    run: u32,
}

impl EventWriter {
    fn start(&mut self) {
        self.bytes.clear();
        (self.byte, self.left, self.state, self.run) = (0, 8, 0, 0);
    }

    #[inline(always)]
    fn put(&mut self, event: bool) {
        let bits = RUN_BITS[self.state];
        if event {
            self.bit(0);
            (0..bits).rev().for_each(|i| self.bit((self.run >> i & 1) as u8));
            self.run = 0;
            self.state = self.state.saturating_sub(1);
        } else {
            self.run += 1;
            if self.run >> bits != 0 {
                self.bit(1);
                self.run = 0;
                self.state = (self.state + 1).min(12);
            }
        }
    }

    fn bit(&mut self, bit: u8) {
        self.byte = self.byte << 1 | bit;
        self.left -= 1;
        if self.left == 0 {
            self.bytes.push(self.byte);
            self.left = if self.byte == 0xff { 7 } else { 8 };
            self.byte = 0;
        }
    }

    fn finish(&mut self) -> &mut EventWriter {
        if self.run > 0 {
            self.bit(1);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_decode::{BlockReader, CodedBlock};
    use super::*;

    /// Made-up samples: few or many that are not 0, of few or many bits.
    fn samples(count: usize, seed: u64, bits: u32) -> Vec<u64> {
        let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let density = next() % 9;
        let mut sample = || {
            let kept = next() % bits as u64 + 1;
            let sample = next() >> (64 - kept);
            if next() % 9 < density || sample < 2 { 0 } else { sample }
        };
        (0..count).map(|_| sample()).collect()
    }

    fn come_back<W: Word + std::fmt::Debug>(bits: u32) {
        let mut writer = BlockWriter::<W>::default();
        let mut reader = BlockReader::<W>::default();
        for seed in 0..300 {
            let sizes = [(64, 64), (128, 32), (2, 2), (1024, 4), (4, 1024), (6, 10), (34, 2)];
            let (width, height) = sizes[seed as usize % 7];
            let samples: Vec<W> =
                samples(width * height, seed, bits).into_iter().map(W::of).collect();
            let mut data = Vec::new();
            writer.write(&samples, width, &mut data);
            let block = CodedBlock { data: &data, width, height, missing: bits - 2 };
            assert!(reader.read(block).unwrap() == samples, "{seed}");
            // A band with fewer bit planes cannot have it.
            let largest = samples.iter().max().map_or(0, |largest| largest.exponent());
            if largest > 2 {
                let missing = largest - 3;
                let e = reader.read(CodedBlock { missing, ..block }).err();
                assert!(e.is_some_and(|e| e.contains("more bits")), "{seed}: {e:?}");
            }
        }
    }

    #[test]
    fn blocks_come_back() {
        come_back::<u32>(3);
        come_back::<u32>(20);
        come_back::<u32>(28);
        come_back::<u64>(37);
        come_back::<u64>(40);
    }
}
