//! About how much prefix codes make of what was counted.

use super::encode::byte_plane;
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
    let mut plane = vec![0; numbers.len()];
    let of_plane = |byte: usize| {
        byte_plane(numbers, byte, &mut plane);
        let counts = &huffman::count(&plane);
        // So few numbers seem to have less in them than they do: by 1/(2 ln 2) of a bit for each
        // value that occurs but one (Miller, *Note on the bias of information estimates*, 1955).
        let used = counts.iter().filter(|count| **count > 0).count() as u64;
        let bits = wide(Entropy(counts)) + 739 * used.saturating_sub(1);
        bits.min(8 * 1024 * numbers.len() as u64)
    };
    (0..4).map(of_plane).sum()
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
