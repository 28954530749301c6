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

/// A last byte of ones need not be there.
const ONES_BEHIND: usize = 16;

/// Magnitude and sign of a sample: twice the magnitude, and 1 for a negative one; 0 for none.
pub(super) trait Word: Copy + Default + Ord {
    /// Most bits that a sample may have.
    const MOST_BITS: u32;
    /// Of the lowest bits of `bits`.
    fn of(bits: u64) -> Self;
    /// The lowest `count` bits, with a bit `one` before them, and `more`.
    fn finish(self, count: u32, one: u32, more: u32) -> Self;
    /// Number of bits of twice the magnitude less one; 1 for no magnitude.
    fn exponent(self) -> u32;
    /// [`Word::exponent`] of many.
    fn exponents(samples: &[Self], to: &mut [u32]);
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
    fn finish(self, count: u32, one: u32, more: u32) -> u32 {
        (self & !u32::MAX.wrapping_shl(count)) + one.wrapping_shl(count) + more
    }
    #[inline(always)]
    fn exponent(self) -> u32 {
        32 - ((self.max(2) | 1) - 2).leading_zeros()
    }
    #[inline(always)]
    fn exponents(samples: &[u32], to: &mut [u32]) {
        for (to, sample) in to.iter_mut().zip(samples) {
            let odd = (sample.max(&2) | 1) - 2;
            // The exponent of a float is counted by vectors. Without the second bit nothing is rounded up.
            let float = (odd & !(odd >> 1)) as i32 as f32;
            *to = (float.to_bits() >> 23) - 126;
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
    fn finish(self, count: u32, one: u32, more: u32) -> u64 {
        let (one, more) = (u64::from(one), u64::from(more));
        (self & !u64::MAX.wrapping_shl(count)) + one.wrapping_shl(count) + more
    }
    #[inline(always)]
    fn exponent(self) -> u32 {
        64 - ((self.max(2) | 1) - 2).leading_zeros()
    }
    #[inline(always)]
    fn exponents(samples: &[u64], to: &mut [u32]) {
        for (to, sample) in to.iter_mut().zip(samples) {
            *to = sample.exponent();
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
    quad_words: Vec<[u32; 2]>,
    numbers: Vec<[u32; 2]>,
    /// Of a row of quads, their samples: column by column of each.
    columns: [Vec<W>; 4],
    /// Two rows of samples at a time, in quads.
    samples: Vec<W>,
    /// The largest of two neighbours in the row above, those of two quads; and of the row itself.
    above: [Vec<W>; 2],
    /// Of each quad of a row, the most bits that are expected of its samples, and how many each of them has.
    bits: Vec<u32>,
    counts: Vec<u32>,
}

impl<W: Word> Default for BlockReader<W> {
    fn default() -> Self {
        BlockReader {
            magnitudes: Bits::default(),
            words: Bits::default(),
            quad_words: Vec::new(),
            numbers: Vec::new(),
            columns: Default::default(),
            samples: Vec::new(),
            above: [Vec::new(), Vec::new()],
            bits: Vec::new(),
            counts: Vec::new(),
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
    let magnitude_bits = reader.magnitudes.fill_forward(magnitudes);
    let word_bits = reader.words.fill_backward(tail);
    let pairs = across.div_ceil(2);
    reader.quad_words.resize(pairs * down, [0; 2]);
    reader.numbers.resize(pairs * down, [0; 2]);
    let quads = (&mut reader.quad_words[..], &mut reader.numbers[..]);
    let codes = vlc::codes();
    if read_words(codes, reader.words.words(), Events::new(tail), across, quads) > word_bits {
        return Err("the words of a code block do not end in it");
    }

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
    reader.counts.resize(across, 0);
    reader.columns.iter_mut().for_each(|column| column.resize(across, W::default()));
    let words = reader.quad_words.chunks_exact(pairs).zip(reader.numbers.chunks_exact(pairs));
    for (samples, (words, numbers)) in reader.samples.chunks_exact_mut(across * 4).zip(words) {
        let [words, numbers] = [words, numbers].map(|pairs| &pairs.as_flattened()[..across]);
        if count_bits(above, (words, numbers), &mut reader.bits, &mut reader.counts) > most {
            return Err("a sample has more bits than its band");
        }
        at = read_columns(magnitudes, at, &reader.counts, &mut reader.columns);
        if at > magnitude_bits + ONES_BEHIND {
            return Err("the samples of a code block do not end in it");
        }
        for (n, column) in reader.columns.iter_mut().enumerate() {
            finish_column(words, &reader.counts, n as u32, column);
        }
        let [upper_left, lower_left, upper_right, lower_right] =
            reader.columns.each_ref().map(|column| &column[..across]);
        let (upper, lower) = samples.split_at_mut(across * 2);
        put_side_by_side(upper_left, upper_right, upper);
        put_side_by_side(lower_left, lower_right, lower);
        here[0] = lower_left[0];
        for ((here, right), left) in here[1..].iter_mut().zip(lower_right).zip(&lower_left[1..]) {
            *here = (*right).max(*left);
        }
        here[across] = lower_right[across - 1];
        (above, here) = (here, above);
    }
    Ok(())
}

/// The samples of two columns in turn.
#[inline(always)]
fn put_side_by_side<W: Word>(left: &[W], right: &[W], to: &mut [W]) {
    for ((to, left), right) in to.as_chunks_mut().0.iter_mut().zip(left).zip(right) {
        *to = [*left, *right];
    }
}

/// Four bits, each as a byte.
#[inline(always)]
pub(super) fn spread(bits: u32) -> u32 {
    (bits * 0x0020_4081) & 0x0101_0101
}

/// The bits of the samples of each quad, one a byte: as many as are around them in the row above, and the number;
/// none of those that are 0, one less where the highest is known. The most of all.
#[inline(always)]
fn count_bits<W: Word>(
    above: &[W],
    (words, numbers): (&[u32], &[u32]),
    bits: &mut [u32],
    counts: &mut [u32],
) -> u32 {
    for (bits, around) in bits.iter_mut().zip(above.windows(2)) {
        *bits = (around[0].max(around[1]).exponent() - 1).max(1);
    }
    let mut most = 0;
    let quads = words.iter().zip(numbers);
    for ((counts, expected), (word, excess)) in counts.iter_mut().zip(&*bits).zip(quads) {
        let rho = quad::rho(*word);
        // One sample alone is not expected to be like those above.
        let expected = if rho & rho.wrapping_sub(1) == 0 { 1 } else { *expected };
        let bits = expected + excess;
        most = most.max(bits);
        *counts = spread(rho).wrapping_mul(bits).wrapping_sub(spread(quad::known(*word)));
    }
    most
}

/// Finds the bits of each sample of a row of quads, which start where those of the one before end, column by
/// column in each quad; where those of the next row do. What follows the bits of a sample is left behind them.
#[inline(always)]
fn read_columns<W: Word>(
    magnitudes: &[u8],
    mut at: usize,
    counts: &[u32],
    columns: &mut [Vec<W>; 4],
) -> usize {
    let window = |at: usize| bits_at::<MAGNITUDE_ROOM>(magnitudes, at);
    let [a, b, c, d] = columns;
    let columns = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
    for (counts, ((a, b), (c, d))) in counts.iter().zip(columns) {
        // The sums of the first one, two, three and four.
        let sums = counts.wrapping_mul(0x0101_0101);
        let start = |n: u32| at + (sums >> (8 * n) & 0xff) as usize;
        if W::MOST_BITS <= 28 {
            let [first, second] = [window(at), window(start(1))];
            (*a, *b) = (W::of(first), W::of(first >> (counts & 0xff)));
            (*c, *d) = (W::of(second), W::of(second >> (counts >> 16 & 0xff)));
        } else {
            (*a, *b) = (W::of(window(at)), W::of(window(start(0))));
            (*c, *d) = (W::of(window(start(1))), W::of(window(start(2))));
        }
        at += (sums >> 24) as usize;
    }
    at
}

/// Makes samples of bits: cuts them off, adds the highest where it is known to be 1.
#[inline(always)]
fn finish_column<W: Word>(words: &[u32], counts: &[u32], n: u32, column: &mut [W]) {
    for ((bits, word), counts) in column.iter_mut().zip(words).zip(counts) {
        let (rho, ones) = (quad::rho(*word), quad::ones(*word));
        *bits = bits.finish(counts >> (8 * n) & 0xff, ones >> n & 1, (rho >> n & 1) * 2);
    }
}

/// Reads the words of all quads, pair by pair; how many bits they take.
#[inline(always)]
fn read_words(
    codes: &Codes,
    words: &[u8],
    mut events: Events<'_>,
    across: usize,
    (quad_words, numbers): (&mut [[u32; 2]], &mut [[u32; 2]]),
) -> usize {
    let mut above = [0u32; MOST_QUADS + 2];
    let mut contexts = [[0u32; 2]; MOST_QUADS / 2];
    let mut at = 0;
    let pairs = across.div_ceil(2);
    let rows = quad_words.chunks_exact_mut(pairs).zip(numbers.chunks_exact_mut(pairs));
    for (index, (words_of_row, numbers)) in rows.enumerate() {
        // Of the row above, the lower samples around a quad: bit 0 to its left, bit 2 to its right.
        let triples = above.windows(3).take(across);
        for (context, around) in contexts.as_flattened_mut().iter_mut().zip(triples) {
            let [before, here, after] = [around[0], around[1], around[2]];
            let sides = (here >> 1 | before >> 3) & 1 | ((after >> 1 | here >> 3) & 1) << 2;
            *context = sides << 7;
        }
        let row = (&mut *words_of_row, numbers);
        at = if index == 0 {
            read_row::<true>(codes, words, at, &mut events, across, row, &contexts)
        } else {
            read_row::<false>(codes, words, at, &mut events, across, row, &contexts)
        };
        for (above, word) in above[1..].iter_mut().zip(words_of_row.as_flattened()) {
            *above = quad::rho(*word);
        }
    }
    at
}

/// Reads the words of a row from `at` on; where the next one starts.
#[inline(always)]
fn read_row<const FIRST: bool>(
    codes: &Codes,
    words: &[u8],
    mut at: usize,
    events: &mut Events<'_>,
    across: usize,
    (quad_words, numbers): (&mut [[u32; 2]], &mut [[u32; 2]]),
    contexts: &[[u32; 2]],
) -> usize {
    let code = if FIRST { &codes.first.decode } else { &codes.others.decode };
    let mut left = 0;
    let mut next = |above: u32, bits: u64, events: &mut Events<'_>| {
        let context = if FIRST { left } else { above | left };
        let mut word = code[(context | bits as u32 & 0x7f) as usize & 0x3ff];
        // Where all around is 0, an event says whether there is a word.
        if context == 0 && !events.next() {
            word = 0;
        }
        left = quad::next_context(word);
        word
    };
    let pairs = quad_words.iter_mut().zip(numbers);
    for (i, ((words_of_pair, numbers), contexts)) in pairs.zip(contexts).enumerate() {
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
        *words_of_pair = [first, second];
        *numbers = [entry >> 8 & 0xff, entry >> 16];
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
