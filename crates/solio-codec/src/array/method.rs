//! Which method suits differences: told by some of them.

use super::bytes::{BytePacker, WORTH_A_CODE};
use super::encode::byte_plane;
use super::estimate::coded_bytes;
use super::{ResidualMethod, class, huffman, low_bits};
use crate::word::Word;

/// Differences that are looked at, standing together because repetitions count.
const DIFFERENCES: usize = 3072;
/// What bytes apart must save where more than two of them have a code, which takes longer than the
/// other methods: one in so many.
const WORTH_BYTES: usize = 16;
/// The same where two of them have a code.
const WORTH_TWO_CODES: usize = 32;
/// What one more of the lowest bits apart may cost: one byte in so many.
const WORTH_A_BIT: usize = 128;
/// Runs of bytes that occur again are worth a try of zstd: one in so many.
const REPEATED: usize = 16;
/// How many numbers of bits are tried.
const TRIED: u32 = 5;

/// What the methods need for some differences, in bytes.
#[derive(Default)]
pub(super) struct MethodCosts {
    low_bits_cost: usize,
    classes: usize,
    bytes: usize,
    /// How many of the bytes have a code.
    coded_bytes: usize,
    /// How many of the lowest bits are best stored apart.
    pub(super) low_bits: u32,
    /// Whether zstd finds something.
    pub(super) repeats: bool,
}

impl MethodCosts {
    pub(super) fn of<T: Word>(stored: &[T], packer: &mut BytePacker) -> MethodCosts {
        let start = stored.len().saturating_sub(DIFFERENCES) / 2;
        let looked_at = &stored[start..stored.len().min(start + DIFFERENCES)];
        let mut costs = MethodCosts {
            low_bits_cost: usize::MAX,
            classes: usize::MAX,
            ..MethodCosts::default()
        };
        let mut bytes = [0; DIFFERENCES];
        let bytes = &mut bytes[..looked_at.len()];
        if T::BYTES < 8 {
            class::all_of(looked_at, bytes);
            let counts = huffman::count(bytes);
            costs.classes = coded_bytes(&counts) + (class::following(&counts) / 8) as usize;
            if T::BYTES == 2 {
                costs.low_bits(looked_at, &counts);
            }
        }
        for byte in 0..T::BYTES {
            byte_plane(looked_at, byte, bytes);
            if bytes.iter().all(|byte| *byte == bytes[0]) {
                continue;
            }
            let counted = coded_bytes(&huffman::count(bytes)).min(bytes.len());
            let found = if recur(bytes) { packer.zstd_size(bytes) } else { counted };
            costs.repeats |= found < counted - counted / 8;
            let made = found.min(counted);
            let has_code = made < bytes.len() - bytes.len() / WORTH_A_CODE;
            costs.coded_bytes += usize::from(has_code);
            costs.bytes += made;
        }
        costs
    }

    /// Tries the numbers of bits that are about right.
    fn low_bits<T: Word>(&mut self, looked_at: &[T], classes: &[u32; 256]) {
        // One number in 64 may be as large as the byte above the bits goes, an eighth of it.
        let mut above = 0;
        let large = classes.iter().enumerate().rev().find(|(_, count)| {
            above += **count as usize;
            above > looked_at.len() / 64
        });
        let about = (large.map_or(0, |(class, _)| class as u32) / 4).saturating_sub(4);
        let least = about.saturating_sub(TRIED / 2);
        // Counted once with the fewest bits apart; with one more, neighbours count together.
        let mut counts = [0u32; 256 << (TRIED - 1)];
        for value in looked_at {
            let upper = (value.to_u64() >> least) as usize;
            counts[upper.min(counts.len() - 1)] += 1;
        }
        let mut used = counts.len();
        for bits in least..least + TRIED {
            if bits > least {
                used /= 2;
                for i in 0..used {
                    counts[i] = counts[2 * i] + counts[2 * i + 1];
                }
            }
            if bits > about + TRIED / 2 || bits > low_bits::MOST {
                break;
            }
            let escape = usize::from(low_bits::ESCAPE);
            let escaped: u32 = counts[escape..used].iter().sum();
            let mut of_byte: [u32; 256] = *counts.first_chunk().expect("so many at least");
            of_byte[escape] = escaped;
            let apart = looked_at.len() * bits as usize / 8 + 2 * escaped as usize;
            let cost = (coded_bytes(&of_byte) + apart).max(1);
            // The more bits stand apart, the shorter are the codes, and the faster they are read.
            if cost <= self.low_bits_cost.saturating_add(self.low_bits_cost / WORTH_A_BIT) {
                self.low_bits = bits;
                self.low_bits_cost = cost.min(self.low_bits_cost);
            }
        }
    }

    /// The method that needs least; faster ones are given a little.
    pub(super) fn best(&self) -> ResidualMethod {
        let fast = self.low_bits_cost.min(self.classes.saturating_add(self.classes / 50));
        // A code for one byte, and the others as they are, are read faster than classes.
        let least = self.low_bits_cost.min(self.classes);
        let most = match self.coded_bytes {
            0 | 1 => least.saturating_add(least / WORTH_A_BIT),
            2 => least - least / WORTH_TWO_CODES,
            _ => fast - fast / WORTH_BYTES,
        };
        if self.bytes < most {
            ResidualMethod::Bytes
        } else if self.low_bits_cost == fast {
            ResidualMethod::LowBits
        } else {
            ResidualMethod::Classes
        }
    }
}

/// Whether some runs of six bytes occur again, so that zstd may be of use, which takes long.
fn recur(bytes: &[u8]) -> bool {
    let mut last = [0u64; 2048];
    let mut again = 0;
    for eight in bytes.windows(8) {
        let run = u64::from_le_bytes(*eight.first_chunk().expect("eight bytes")) << 16;
        // The upper half of a product with the golden section spreads well.
        let place = &mut last[(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize];
        again += usize::from(*place == run);
        *place = run;
    }
    again * REPEATED > bytes.len()
}
