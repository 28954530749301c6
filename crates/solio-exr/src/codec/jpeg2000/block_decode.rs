//! Code blocks: from bytes to magnitudes and signs.
//!
//! A block goes in quads of 2 × 2 samples, row of quads by row of quads. First the words of all quads are
//! read, which say what samples are not 0, and by how much the number of their bits exceeds what the row above
//! lets expect; then the bits.

use solio_codec::lanes::{LaneJob, Lanes, run};

use super::streams::{Bits, Events, bits_at};
use super::vlc::{self, BOTH, BOTH_ABOVE_2, Codes, LONG, quad};

/// Samples of a block, at most; those of quads that the edge cuts are among them.
pub(super) const MOST_SAMPLES: usize = 4096;
/// Quads of a row, and two more.
const MOST_QUADS: usize = 512 + 2;

/// Room for the bits of magnitudes: 40 a sample would fit.
const MAGNITUDE_ROOM: usize = 32 << 10;
/// Room for the words of quads.
const WORD_ROOM: usize = 4 << 10;

/// Most bits for one quad: a word, and half of the numbers of two.
const QUAD_BITS: usize = 19;

/// Magnitude and sign of a sample: twice the magnitude, and 1 for a negative one; 0 for none.
pub(super) trait Word: Copy + Default + Ord {
    /// Most bits that a sample may have.
    const MOST_BITS: u32;
    /// Of the lowest bits of `bits`.
    fn of(bits: u64) -> Self;
    /// Number of bits of twice the magnitude less one; 1 for no magnitude.
    fn exponent(self) -> u32;
    /// [`Word::exponent`] of many.
    fn exponents(samples: &[Self], to: &mut [u8]);
    /// The lowest `count` bits of what is written: twice the magnitude less one, and the sign.
    fn bits(self, count: u32) -> u64;
}

impl Word for u32 {
    // Two samples are read at once.
    const MOST_BITS: u32 = 28;
    #[inline(always)]
    fn of(bits: u64) -> u32 {
        bits as u32
    }
    #[inline(always)]
    fn exponent(self) -> u32 {
        32 - ((self.max(2) | 1) - 2).leading_zeros()
    }
    #[inline(always)]
    fn exponents(samples: &[u32], to: &mut [u8]) {
        for (to, sample) in to.iter_mut().zip(samples) {
            let odd = (sample.max(&2) | 1) - 2;
            // The exponent of a float is counted by vectors. Without the second bit nothing is rounded up.
            let float = (odd & !(odd >> 1)) as i32 as f32;
            *to = ((float.to_bits() >> 23) - 126) as u8;
        }
    }
    #[inline(always)]
    fn bits(self, count: u32) -> u64 {
        u64::from(self.wrapping_sub(2)) & ((1 << count) - 1)
    }
}

impl Word for u64 {
    const MOST_BITS: u32 = 40;
    #[inline(always)]
    fn of(bits: u64) -> u64 {
        bits
    }
    #[inline(always)]
    fn exponent(self) -> u32 {
        64 - ((self.max(2) | 1) - 2).leading_zeros()
    }
    #[inline(always)]
    fn exponents(samples: &[u64], to: &mut [u8]) {
        for (to, sample) in to.iter_mut().zip(samples) {
            *to = sample.exponent() as u8;
        }
    }
    #[inline(always)]
    fn bits(self, count: u32) -> u64 {
        self.wrapping_sub(2) & ((1 << count) - 1)
    }
}

/// What a thread keeps from block to block.
pub(super) struct BlockReader<W> {
    magnitudes: Bits<MAGNITUDE_ROOM>,
    words: Bits<WORD_ROOM>,
    /// Of each quad, row by row, what its word says, and the number; a row has an even number of them.
    quads: Vec<[(u16, u16); 2]>,
    /// Two rows of samples at a time, in quads.
    samples: Vec<W>,
    /// The largest of two neighbours in the row above, those of two quads; and of the row itself.
    above: [Vec<W>; 2],
    /// Of each quad of a row, the most bits of its samples.
    bits: Vec<u32>,
}

impl<W: Word> Default for BlockReader<W> {
    fn default() -> Self {
        BlockReader {
            magnitudes: Bits::default(),
            words: Bits::default(),
            quads: Vec::new(),
            samples: Vec::new(),
            above: [Vec::new(), Vec::new()],
            bits: Vec::new(),
        }
    }
}

/// A block as it is read.
#[derive(Clone, Copy)]
pub(super) struct CodedBlock<'d> {
    /// Its cleanup pass.
    pub(super) data: &'d [u8],
    /// Samples of a row.
    pub(super) width: usize,
    /// Rows.
    pub(super) height: usize,
    /// Bit planes that are not there.
    pub(super) missing: u32,
}

/// What is wrong with a block.
pub(super) type BlockFault = &'static str;

impl<W: Word> BlockReader<W> {
    /// Reads a block; `width` rounded up to even samples a row.
    pub(super) fn read(&mut self, block: CodedBlock<'_>) -> Result<&[W], BlockFault> {
        run(ReadJob { reader: self, block })?;
        Ok(&self.samples)
    }
}

struct ReadJob<'r, 'd, W> {
    reader: &'r mut BlockReader<W>,
    block: CodedBlock<'d>,
}

impl<W: Word> LaneJob for ReadJob<'_, '_, W> {
    type Output = Result<(), BlockFault>;
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Result<(), BlockFault> {
        read(self.reader, self.block)
    }
}

#[inline(always)]
fn read<W: Word>(reader: &mut BlockReader<W>, block: CodedBlock<'_>) -> Result<(), BlockFault> {
    let CodedBlock { data, width, height, missing } = block;
    let [.., low, high] = *data else { return Err("a code block has fewer than two bytes") };
    let tail = usize::from(high) << 4 | usize::from(low & 0xf);
    if !(2..4080).contains(&tail) || tail > data.len() {
        return Err("the parts of a code block do not fit into it");
    }
    let most = missing + 2;
    if most > W::MOST_BITS {
        return Err("a code block has too many bit planes");
    }
    let (across, down) = (width.div_ceil(2), height.div_ceil(2));
    if across == 0 || across * down * 4 > MOST_SAMPLES || across + 2 > MOST_QUADS {
        return Err("a code block is too large");
    }
    let (magnitudes, tail) = data.split_at(data.len() - tail);
    let tail = &tail[..tail.len() - 1];
    reader.magnitudes.fill_forward(magnitudes, across * down * 4 * most as usize);
    reader.words.fill_backward(tail, across * down * QUAD_BITS + 32);
    let pairs = across.div_ceil(2);
    reader.quads.resize(pairs * down, [(0, 0); 2]);
    read_words(vlc::codes(), reader.words.words(), Events::new(tail), across, &mut reader.quads);

    reader.samples.resize(across * down * 4, W::default());
    reader.bits.resize(across, 0);
    for above in &mut reader.above {
        above.resize(across + 1, W::default());
        above.fill(W::default());
    }
    let [above, here] = &mut reader.above;
    let (mut above, mut here) = (&mut above[..], &mut here[..]);
    let magnitudes = reader.magnitudes.words();
    let mut at = 0;
    let rows = reader.samples.chunks_exact_mut(across * 4).zip(reader.quads.chunks_exact(pairs));
    for (samples, quads) in rows {
        let quads = &quads.as_flattened()[..across];
        if bits_of_row(above, quads, &mut reader.bits) > most {
            return Err("a sample has more bits than its band");
        }
        let (upper, lower) = samples.split_at_mut(across * 2);
        let pairs = upper.as_chunks_mut().0.iter_mut().zip(lower.as_chunks_mut().0);
        let quads = quads.iter().zip(&reader.bits);
        let mut right = W::default();
        for (((upper, lower), (quad, bits)), here) in pairs.zip(quads).zip(&mut *here) {
            at = read_quad(magnitudes, at, quad.0, *bits, upper, lower);
            *here = right.max(lower[0]);
            right = lower[1];
        }
        here[across] = right;
        (above, here) = (here, above);
    }
    Ok(())
}

/// The bits of the samples of each quad: what is around them in the row above, and the number. The most of all.
#[inline(always)]
fn bits_of_row<W: Word>(above: &[W], quads: &[(u16, u16)], bits: &mut [u32]) -> u32 {
    let mut most = 0;
    for ((bits, around), (word, excess)) in bits.iter_mut().zip(above.windows(2)).zip(quads) {
        let rho = quad::rho(*word);
        let expected = (around[0].max(around[1]).exponent() - 1).max(1);
        // One sample alone is not expected to be like those above.
        let expected = if rho & rho.wrapping_sub(1) == 0 { 1 } else { expected };
        *bits = expected + u32::from(*excess);
        most = most.max(*bits);
    }
    most
}

/// Four bits, each as a byte.
#[inline(always)]
fn spread(bits: u32) -> u32 {
    (bits * 0x0020_4081) & 0x0101_0101
}

/// Reads the samples of a quad, column by column; where the next one starts.
#[inline(always)]
fn read_quad<W: Word>(
    magnitudes: &[u8],
    at: usize,
    word: u16,
    bits: u32,
    upper: &mut [W; 2],
    lower: &mut [W; 2],
) -> usize {
    let (rho, ones) = (quad::rho(word), quad::ones(word));
    // The bits of each sample, one a byte: none of those that are 0, one less where the highest is known.
    let counts = spread(rho) * bits - spread(quad::known(word));
    let count = |n: u32| counts >> (8 * n) & 0xff;
    let sample = |n: u32, window: u64| {
        let known = u64::from(ones >> n & 1) << count(n);
        let magnitude = window & !(u64::MAX << count(n));
        W::of(magnitude + known + u64::from(rho >> n & 1) * 2)
    };
    let window = |at: usize| bits_at::<MAGNITUDE_ROOM>(magnitudes, at);
    if W::MOST_BITS <= 28 {
        let [first, second] = [window(at), window(at + (count(0) + count(1)) as usize)];
        upper[0] = sample(0, first);
        lower[0] = sample(1, first >> count(0));
        upper[1] = sample(2, second);
        lower[1] = sample(3, second >> count(2));
    } else {
        let starts = counts.wrapping_mul(0x0101_0100);
        let start = |n: u32| at + (starts >> (8 * n) & 0xff) as usize;
        upper[0] = sample(0, window(at));
        lower[0] = sample(1, window(start(1)));
        upper[1] = sample(2, window(start(2)));
        lower[1] = sample(3, window(start(3)));
    }
    at + (counts.wrapping_mul(0x0101_0101) >> 24) as usize
}

/// Reads the words of all quads, pair by pair.
#[inline(always)]
fn read_words(
    codes: &Codes,
    words: &[u8],
    mut events: Events<'_>,
    across: usize,
    quads: &mut [[(u16, u16); 2]],
) {
    let mut above = [0u8; MOST_QUADS + 2];
    let mut contexts = [[0u8; 2]; MOST_QUADS / 2];
    let mut at = 0;
    let pairs = across.div_ceil(2);
    for (index, row) in quads.chunks_exact_mut(pairs).enumerate() {
        // Of the row above, the lower samples around a quad: bit 0 to its left, bit 2 to its right.
        let triples = above.windows(3).take(across);
        for (context, around) in contexts.as_flattened_mut().iter_mut().zip(triples) {
            let [before, here, after] = [around[0], around[1], around[2]];
            *context = (here >> 1 | before >> 3) & 1 | ((after >> 1 | here >> 3) & 1) << 2;
        }
        at = if index == 0 {
            read_row::<true>(codes, words, at, &mut events, across, row, &contexts)
        } else {
            read_row::<false>(codes, words, at, &mut events, across, row, &contexts)
        };
        for (above, (word, _)) in above[1..].iter_mut().zip(row.as_flattened()) {
            *above = quad::rho(*word) as u8;
        }
    }
}

/// Reads the words of a row from `at` on; where the next one starts.
#[inline(always)]
fn read_row<const FIRST: bool>(
    codes: &Codes,
    words: &[u8],
    mut at: usize,
    events: &mut Events<'_>,
    across: usize,
    row: &mut [[(u16, u16); 2]],
    contexts: &[[u8; 2]],
) -> usize {
    let code = if FIRST { &codes.first.decode } else { &codes.others.decode };
    let mut left = 0;
    let mut next = |context: u8, bits: u64, events: &mut Events<'_>| {
        let context = if FIRST {
            left >> 1 | left & 1
        } else {
            u32::from(context) | (left >> 2 | left >> 3) << 1 & 2
        };
        let mut word = code[(context << 7) as usize & 0x380 | bits as usize & 0x7f];
        // Where all around is 0, an event says whether there is a word.
        if context == 0 && !events.next() {
            word = 0;
        }
        left = quad::rho(word);
        word
    };
    for (i, (pair, contexts)) in row.iter_mut().zip(contexts).enumerate() {
        let mut bits = bits_at::<WORD_ROOM>(words, at);
        let first = next(contexts[0], bits, events);
        bits >>= quad::length(first);
        let second = if 2 * i + 1 < across { next(contexts[1], bits, events) } else { 0 };
        bits >>= quad::length(second);
        let mut which = quad::exceeds(first) | quad::exceeds(second) << 1;
        let mut of_first = false;
        if FIRST && which == BOTH {
            if events.next() {
                which = BOTH_ABOVE_2;
            } else {
                of_first = true;
            }
        }
        let mut entry = codes.excesses[(which << 10) as usize | bits as usize & 0x3ff];
        if entry == LONG || of_first {
            let (length, [a, b]) = if of_first {
                vlc::read_excesses_of_first(bits)
            } else {
                vlc::read_excesses(which, bits)
            };
            entry = length | a << 8 | b << 16;
        }
        at += (quad::length(first) + quad::length(second) + (entry & 0xff)) as usize;
        *pair = [(first, (entry >> 8 & 0xff) as u16), (second, (entry >> 16) as u16)];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_cannot_be_are_refused() {
        let mut reader = BlockReader::<u32>::default();
        let block = CodedBlock { data: &[0; 9], width: 8, height: 8, missing: 3 };
        let mut fault = |block: CodedBlock<'_>| reader.read(block).err().unwrap_or("none");
        // The length of the last two streams: less than its own bytes, more than there are.
        for (data, message) in [
            (&[0u8; 9][..], "do not fit"),
            (&[0, 0, 1, 0], "do not fit"),
            (&[0, 0, 5, 0], "do not fit"),
            (&[0, 0, 0xff, 0xff], "do not fit"),
            (&[7], "fewer than two"),
            (&[], "fewer than two"),
        ] {
            assert!(fault(CodedBlock { data, ..block }).contains(message), "{data:?}");
        }
        let data = &[0, 0, 0, 2, 0];
        assert!(fault(CodedBlock { data, missing: 27, ..block }).contains("too many"));
        assert!(fault(CodedBlock { data, width: 0, ..block }).contains("too large"));
        assert!(fault(CodedBlock { data, width: 128, height: 34, ..block }).contains("too large"));
        assert!(fault(CodedBlock { data, width: 1100, height: 2, ..block }).contains("too large"));
    }
}
