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
    /// Of each quad, row by row, what its word says, and the number.
    quads: Vec<(u16, u16)>,
    /// Two rows of samples at a time, in quads.
    samples: Vec<W>,
    /// The largest of the samples of the row above around each quad.
    above: Vec<W>,
}

impl<W: Word> Default for BlockReader<W> {
    fn default() -> Self {
        BlockReader {
            magnitudes: Bits::default(),
            words: Bits::default(),
            quads: Vec::new(),
            samples: Vec::new(),
            above: Vec::new(),
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
    let words = reader.words.words();
    reader.quads.resize(across * down, (0, 0));
    read_words(vlc::codes(), words, Events::new(tail), across, &mut reader.quads);

    reader.samples.resize(across * down * 4, W::default());
    reader.above.resize(across + 1, W::default());
    reader.above.fill(W::default());
    let bits = reader.magnitudes.words();
    let mut at = 0;
    let rows = reader.samples.chunks_exact_mut(across * 4).zip(reader.quads.chunks_exact(across));
    for (samples, quads) in rows {
        let (upper, lower) = samples.split_at_mut(across * 2);
        let pairs = upper.as_chunks_mut::<2>().0.iter_mut().zip(lower.as_chunks_mut::<2>().0);
        // The largest of the last quad's right side, and whether no quad has too many bits.
        let (mut right, mut fits) = (W::default(), true);
        for (i, ((upper, lower), &(word, excess))) in pairs.zip(quads).enumerate() {
            let rho = quad::rho(word);
            let around = reader.above[i].max(reader.above[i + 1]);
            reader.above[i] = right;
            let expected =
                if rho & rho.wrapping_sub(1) == 0 { 1 } else { (around.exponent() - 1).max(1) };
            let bits_each = expected + u32::from(excess);
            fits &= rho == 0 || bits_each <= most;
            let bits_each = bits_each.min(W::MOST_BITS);
            let (known, ones) = (quad::known(word), quad::ones(word));
            let each = |n: u32| (bits_each - (known >> n & 1)) * (rho >> n & 1);
            let sample = |n: u32, count: u32, bits: u64| {
                let bits = bits & ((1 << count) - 1) | u64::from(ones >> n & 1) << count;
                W::of(if rho >> n & 1 == 1 { bits + 2 } else { 0 })
            };
            let counts = [each(0), each(1), each(2), each(3)];
            if W::MOST_BITS <= 28 {
                let first = bits_at::<MAGNITUDE_ROOM>(bits, at);
                upper[0] = sample(0, counts[0], first);
                lower[0] = sample(1, counts[1], first >> counts[0]);
                at += (counts[0] + counts[1]) as usize;
                let second = bits_at::<MAGNITUDE_ROOM>(bits, at);
                upper[1] = sample(2, counts[2], second);
                lower[1] = sample(3, counts[3], second >> counts[2]);
                at += (counts[2] + counts[3]) as usize;
            } else {
                let mut next = |n: usize| {
                    let bits = bits_at::<MAGNITUDE_ROOM>(bits, at);
                    at += counts[n] as usize;
                    sample(n as u32, counts[n], bits)
                };
                (upper[0], lower[0]) = (next(0), next(1));
                (upper[1], lower[1]) = (next(2), next(3));
            }
            reader.above[i] = reader.above[i].max(lower[0]);
            right = lower[1];
        }
        reader.above[across] = right;
        if !fits {
            return Err("a sample has more bits than its band");
        }
    }
    Ok(())
}

/// Reads the words of all quads, pair by pair.
#[inline(always)]
fn read_words(
    codes: &Codes,
    words: &[u8],
    mut events: Events<'_>,
    across: usize,
    quads: &mut [(u16, u16)],
) {
    let mut at = 0;
    // One word: the context is that of its neighbours, or an event where all those are 0.
    let mut above = [0u8; MOST_QUADS];
    let mut is_first = true;
    for row in quads.chunks_exact_mut(across) {
        let code = if is_first { &codes.first } else { &codes.others };
        let mut left = 0;
        // Of the row above, the lower samples around quad i: bit 0 to its left, bit 2 to its right.
        let mut contexts = [0u8; MOST_QUADS];
        if !is_first {
            for (i, context) in contexts[..across].iter_mut().enumerate() {
                let [before, here, after] = [above[i], above[i + 1], above[i + 2]];
                *context = (here >> 1 | before >> 3) & 1 | ((after >> 1 | here >> 3) & 1) << 2;
            }
        }
        let next_word = |bits: u64, context: usize, events: &mut Events<'_>| {
            if context == 0 && !events.next() {
                return 0;
            }
            code.decode[context << 7 & 0x380 | bits as usize & 0x7f]
        };
        for (pair, contexts) in row.chunks_mut(2).zip(contexts.chunks(2)) {
            let mut bits = bits_at::<WORD_ROOM>(words, at);
            let mut used = 0;
            let mut two = [0u16; 2];
            for (i, word) in two[..pair.len()].iter_mut().enumerate() {
                let context = if is_first {
                    left >> 1 | left & 1
                } else {
                    u32::from(contexts[i]) | (left >> 2 | left >> 3) << 1 & 2
                };
                *word = next_word(bits, context as usize, &mut events);
                bits >>= quad::length(*word);
                used += quad::length(*word);
                left = quad::rho(*word);
            }
            let which = quad::exceeds(two[0]) | quad::exceeds(two[1]) << 1;
            let (length, numbers) = if is_first && which == BOTH && !events.next() {
                vlc::read_excesses_of_first(bits)
            } else {
                let which = if is_first && which == BOTH { BOTH_ABOVE_2 } else { which };
                match codes.excesses[(which << 10) as usize | bits as usize & 0x3ff] {
                    LONG => vlc::read_excesses(which, bits),
                    entry => (entry & 0xff, [entry >> 8 & 0xff, entry >> 16]),
                }
            };
            at += (used + length) as usize;
            for ((quad, word), number) in pair.iter_mut().zip(two).zip(numbers) {
                *quad = (word, number as u16);
            }
        }
        for (above, (word, _)) in above[1..].iter_mut().zip(row.iter()) {
            *above = quad::rho(*word) as u8;
        }
        above[across + 1] = 0;
        is_first = false;
    }
}
