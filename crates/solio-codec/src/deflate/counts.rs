//! How often each symbol of deflate occurs, and what it will cost.

use super::matches::LzSequence;
use super::symbols::{distance_symbol, length_symbol};

/// Symbols of literals, of the end and of lengths: 286, and what fills the last vector.
pub(super) const LITERALS: usize = 288;
/// Symbols of distances: 30, filled likewise.
pub(super) const DISTANCES: usize = 32;
pub(super) const END: usize = 256;

/// Symbols of a stretch of bytes.
#[derive(Clone)]
pub(super) struct SymbolCounts {
    pub(super) literals: [u32; LITERALS],
    pub(super) distances: [u32; DISTANCES],
    /// Bits beside the symbols.
    pub(super) extra: u64,
}

impl SymbolCounts {
    pub(super) const NONE: SymbolCounts =
        SymbolCounts { literals: [0; LITERALS], distances: [0; DISTANCES], extra: 0 };

    /// Counts `bytes`, which are what the sequences say.
    pub(super) fn count(&mut self, bytes: &[u8], sequences: &[LzSequence]) {
        // Four tables: equal bytes in a row would wait for each other.
        let mut four = [[0u32; 256]; 4];
        *self = SymbolCounts::NONE;
        let mut at = 0;
        for sequence in sequences {
            let end = at + sequence.literals as usize;
            let (words, rest) = bytes[at..end].as_chunks::<8>();
            for word in words {
                let word = u64::from_le_bytes(*word);
                for i in 0..8 {
                    four[i % 4][(word >> (8 * i)) as usize & 255] += 1;
                }
            }
            for (i, byte) in rest.iter().enumerate() {
                four[i % 4][usize::from(*byte)] += 1;
            }
            at = end + usize::from(sequence.length);
            if sequence.length > 0 {
                let (length, _, more) = length_symbol(sequence.length);
                let (distance, _, more_distance) = distance_symbol(sequence.distance);
                self.literals[length] += 1;
                self.distances[distance] += 1;
                self.extra += u64::from(more + more_distance);
            }
        }
        for (symbol, count) in self.literals[..256].iter_mut().enumerate() {
            *count = four.iter().map(|table| table[symbol]).sum();
        }
    }

    /// Adds another stretch.
    pub(super) fn add(&mut self, other: &SymbolCounts) {
        self.literals.iter_mut().zip(&other.literals).for_each(|(a, b)| *a += b);
        self.distances.iter_mut().zip(&other.distances).for_each(|(a, b)| *a += b);
        self.extra += other.extra;
    }

    /// Bits of a block with these symbols, as near as entropy tells.
    pub(super) fn bits(&self) -> f32 {
        let used = self.literals.iter().map(|count| u32::from(*count > 0)).sum::<u32>();
        let more = self.distances.iter().map(|count| u32::from(*count > 0)).sum::<u32>();
        entropy(&self.literals)
            + entropy(&self.distances)
            + self.extra as f32
            + (HEADER_BITS + SYMBOL_BITS * (used + more)) as f32
    }
}

/// What a block costs beside its symbols, and what each symbol adds to its tables.
const HEADER_BITS: u32 = 500;
const SYMBOL_BITS: u32 = 1;

/// Bits of so many symbols when each has the code that suits it.
#[inline(always)]
fn entropy<const N: usize>(counts: &[u32; N]) -> f32 {
    // Eight sums: one would be a chain, and the compiler may not change the order of additions.
    let mut sums = [0f32; 8];
    let mut totals = [0u32; 8];
    for eight in counts.as_chunks::<8>().0 {
        for i in 0..8 {
            sums[i] += eight[i] as f32 * log2(eight[i] as f32);
            totals[i] += eight[i];
        }
    }
    let total = totals.iter().sum::<u32>() as f32;
    total * log2(total) - sums.iter().sum::<f32>()
}

/// The logarithm of a whole number, to 0.00015; of 0 it is finite.
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000);
    // Exact at both ends.
    let q = (-0.080_307_3 * (m - 1.0) + 0.236_693_42) * (m - 1.0) - 0.438_073_25;
    exponent as f32 + (m - 1.0) * (1.0 + (m - 2.0) * q)
}
