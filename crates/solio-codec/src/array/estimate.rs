//! About how much prefix codes make of what was counted.

use super::{class, huffman};
use crate::wide::{Wide, wide};
use crate::word::Word;

/// About how many bits numbers of these classes need, times 1,024.
pub(super) fn bits_of_classes(classes: &[u8]) -> u64 {
    let counts = huffman::count(classes);
    bits_of(counts.first_chunk().expect("classes are below 128"))
}

/// [`bits_of_classes`] of classes that occur so often.
pub(super) fn bits_of(counts: &[u32; 128]) -> u64 {
    let each = counts.iter().zip(class::CLASSES);
    let following: u64 = each.map(|(n, (_, bits))| u64::from(*n) * u64::from(bits)).sum();
    wide(Entropy(counts)) + 1024 * following
}

/// About how many bits numbers of 32 bits need whose bytes stand apart, times 1,024.
pub(super) fn bits_of_bytes<T: Word>(numbers: &[T]) -> u64 {
    // Two sets of counts: where the same byte follows itself, one would wait for the other.
    let mut counts = [[[0u32; 256]; 4]; 2];
    for pair in numbers.chunks(2) {
        for (counts, number) in counts.iter_mut().zip(pair) {
            let bytes = (number.to_u64() as u32).to_le_bytes().map(usize::from);
            counts.iter_mut().zip(bytes).for_each(|(counts, byte)| counts[byte] += 1);
        }
    }
    let [mut counts, others] = counts;
    let each = counts.as_flattened_mut().iter_mut().zip(others.as_flattened());
    each.for_each(|(to, count)| *to += count);
    let of_plane = |counts: &[u32; 256]| {
        // So few numbers seem to have less in them than they do: by 1/(2 ln 2) of a bit for each
        // value that occurs but one (Miller, *Note on the bias of information estimates*, 1955).
        let used = counts.iter().filter(|count| **count > 0).count() as u64;
        let bits = wide(Entropy(counts)) + 739 * used.saturating_sub(1);
        bits.min(8 * 1024 * numbers.len() as u64)
    };
    counts.iter().map(of_plane).sum()
}

/// About how many bytes a prefix code makes of bytes that occur so often.
pub(super) fn coded_bytes(counts: &[u32; 256]) -> usize {
    let used = counts.iter().filter(|count| **count > 0).count();
    let least = u64::from(counts.iter().sum::<u32>());
    14 + used / 2 + (wide(Entropy(counts)) / 1024).max(least) as usize / 8
}

/// About how many bits symbols that occur so often need, times 1,024.
struct Entropy<'a>(&'a [u32]);

impl Wide for Entropy<'_> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        // The mantissa of a float stands for the fraction of its logarithm: the same on all
        // machines.
        let logarithm = |count: u32| ((count.max(1) as f32).to_bits() - 1f32.to_bits()) >> 13;
        let all = logarithm(self.0.iter().sum::<u32>());
        self.0.iter().map(|count| u64::from(*count) * u64::from(all - logarithm(*count))).sum()
    }
}
