//! Code blocks: from magnitudes and signs to bytes. The other side of `block_decode.rs`.

use solio_codec::lanes::{LaneJob, Lanes, run};

use super::block_decode::Word;
use super::streams::{BitPutter, RUN_BITS};
use super::vlc::{Codes, codes, excess};

/// What a thread keeps from block to block.
#[derive(Default)]
pub(super) struct BlockWriter {
    magnitudes: BitPutter,
    words: BitPutter,
    events: EventWriter,
    /// Of two rows of samples, how many bits they have.
    exponents: [Vec<u8>; 2],
    /// Of the row of quads above: which samples are not 0, from the second on.
    above: Vec<u8>,
    /// Of each quad: the largest exponent around it in the row above, less 1, at least 1; the context.
    expected: Vec<u8>,
    contexts: Vec<u8>,
    /// The words of quads, from the end of the block backward.
    backward: Vec<u8>,
}

impl BlockWriter {
    /// Appends a block of rows of `stride` samples, which is even, and an even number of them.
    pub(super) fn write<W: Word>(&mut self, samples: &[W], stride: usize, out: &mut Vec<u8>) {
        run(WriteJob { writer: self, samples, stride, out });
    }
}

struct WriteJob<'w, W> {
    writer: &'w mut BlockWriter,
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

/// A quad as it is written.
struct QuadWord {
    rho: u32,
    /// Its word and the length of it.
    word: u64,
    length: u32,
    /// By how much its exponent exceeds what was expected.
    excess: u32,
}

impl BlockWriter {
    #[inline(always)]
    fn put_rows<W: Word>(&mut self, codes: &Codes, samples: &[W], stride: usize) {
        let across = stride / 2;
        self.magnitudes.start();
        self.words.start();
        // Half of the last byte is part of the length.
        self.words.put(0xf, 4);
        self.events.start();
        for row in &mut self.exponents {
            row.clear();
            row.resize(stride, 1);
        }
        self.above.clear();
        self.above.resize(across + 2, 0);
        self.expected.resize(across, 0);
        self.contexts.resize(across, 0);
        for (index, rows) in samples.chunks_exact(2 * stride).enumerate() {
            let is_first = index == 0;
            self.look_above(across);
            let (upper, lower) = rows.split_at(stride);
            let [upper_exponents, lower_exponents] = &mut self.exponents;
            W::exponents(upper, upper_exponents);
            W::exponents(lower, lower_exponents);
            let code = if is_first { &codes.first } else { &codes.others };
            let mut left = 0u32;
            let mut quad = |i: usize, writer: &mut QuadStreams<'_>| {
                let [a, c] = [upper[2 * i], upper[2 * i + 1]];
                let [b, d] = [lower[2 * i], lower[2 * i + 1]];
                let samples = [a, b, c, d];
                let exponents = [
                    upper_exponents[2 * i],
                    lower_exponents[2 * i],
                    upper_exponents[2 * i + 1],
                    lower_exponents[2 * i + 1],
                ];
                let context = if is_first {
                    left >> 1 | left & 1
                } else {
                    u32::from(self.contexts[i]) | (left >> 2 | left >> 3) << 1 & 2
                };
                let word =
                    code_quad(&code.encode, samples, exponents, context, self.expected[i], writer);
                left = word.rho;
                self.above[i + 1] = word.rho as u8;
                word
            };
            let mut streams =
                QuadStreams { magnitudes: &mut self.magnitudes, events: &mut self.events };
            for i in (0..across).step_by(2) {
                let first = quad(i, &mut streams);
                let mut bits = first.word;
                let mut length = first.length;
                let mut numbers = [first.excess, 0];
                if i + 1 < across {
                    let second = quad(i + 1, &mut streams);
                    bits |= second.word << length;
                    length += second.length;
                    numbers[1] = second.excess;
                }
                let (more, count) = code_excesses(numbers, is_first, streams.events);
                self.words.put(bits | more << length, length + count);
            }
        }
    }

    /// What the row of quads above says of each quad.
    #[inline(always)]
    fn look_above(&mut self, across: usize) {
        let lower = &self.exponents[1];
        let around = |i: usize| {
            let [here, right] = [lower[2 * i], lower[2 * i + 1]];
            let before = if i > 0 { lower[2 * i - 1] } else { 1 };
            let after = lower.get(2 * i + 2).copied().unwrap_or(1);
            here.max(right).max(before.max(after))
        };
        for (i, expected) in self.expected.iter_mut().enumerate() {
            *expected = (around(i) - 1).max(1);
        }
        let above = &self.above[..across + 2];
        for (i, context) in self.contexts[..across].iter_mut().enumerate() {
            let before = if i > 0 { above[i] } else { 0 };
            let [here, after] = [above[i + 1], if i + 1 < across { above[i + 2] } else { 0 }];
            *context = (here >> 1 | before >> 3) & 1 | ((after >> 1 | here >> 3) & 1) << 2;
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

/// Where the bits of a quad go.
struct QuadStreams<'w> {
    magnitudes: &'w mut BitPutter,
    events: &'w mut EventWriter,
}

/// Writes a quad's magnitudes, and an event where all around it is 0; its word is for the caller.
#[inline(always)]
fn code_quad<W: Word>(
    code: &[u16; 2048],
    samples: [W; 4],
    exponents: [u8; 4],
    context: u32,
    expected: u8,
    streams: &mut QuadStreams<'_>,
) -> QuadWord {
    let zero = W::default();
    let is = |n: usize| u32::from(samples[n] != zero);
    let rho = is(0) | is(1) << 1 | is(2) << 2 | is(3) << 3;
    if context == 0 {
        streams.events.put(rho != 0);
    }
    if rho == 0 {
        let entry = code[(context << 8) as usize & 0x7ff];
        return QuadWord {
            rho,
            word: u64::from(entry >> 8),
            length: u32::from(entry >> 4 & 7),
            excess: 0,
        };
    }
    let [a, b, c, d] = exponents;
    let largest = a.max(b).max(c.max(d));
    let expected = if rho & (rho - 1) == 0 { 1 } else { expected };
    let bits = largest.max(expected);
    let excess = u32::from(bits - expected);
    let mut which = 0;
    if excess > 0 {
        let is = |n: usize| u32::from(exponents[n] == largest);
        which = is(0) | is(1) << 1 | is(2) << 2 | is(3) << 3;
    }
    let entry = code[(context << 8 | rho << 4 | which) as usize & 0x7ff];
    let count = |n: usize| (u32::from(bits) - u32::from(entry >> n & 1)) * (rho >> n & 1);
    let put = |n: usize, streams: &mut QuadStreams<'_>| {
        let count = count(n);
        streams.magnitudes.put(samples[n].bits(count), count);
    };
    if W::MOST_BITS <= 28 {
        let two = |n: usize, streams: &mut QuadStreams<'_>| {
            let [first, second] = [count(n), count(n + 1)];
            let bits = samples[n].bits(first) | samples[n + 1].bits(second) << first;
            streams.magnitudes.put(bits, first + second);
        };
        two(0, streams);
        two(2, streams);
    } else {
        (0..4).for_each(|n| put(n, streams));
    }
    QuadWord { rho, word: u64::from(entry >> 8), length: u32::from(entry >> 4 & 7), excess }
}

/// The numbers of a pair of quads: bits and how many.
#[inline(always)]
fn code_excesses(numbers: [u32; 2], is_first: bool, events: &mut EventWriter) -> (u64, u32) {
    let [a, b] = numbers;
    if a | b == 0 {
        return (0, 0);
    }
    let mut parts = numbers.map(excess);
    if is_first && a > 0 && b > 0 {
        let above_2 = a.min(b) > 2;
        events.put(above_2);
        if above_2 {
            parts = numbers.map(|number| excess(number - 2));
        } else if a > 2 {
            parts[1] = [(b - 1, 1), (0, 0), (0, 0)];
        }
    }
    let [first, second] = parts;
    let (mut bits, mut at) = (0, 0);
    for (word, length) in (0..3).flat_map(|i| [first[i], second[i]]) {
        bits |= u64::from(word) << at;
        at += length;
    }
    (bits, at)
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
        let mut writer = BlockWriter::default();
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
