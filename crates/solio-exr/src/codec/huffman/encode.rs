//! Writing Huffman code.

use super::lengths::{self, HuffmanTree};
use super::{FEWEST_OF_MANY, LONGEST, MANY_ZEROS, SYMBOLS, TWO_ZEROS};

/// Memory of an encoder: what chunks of few symbols leave untouched stays as it is, so that small
/// tiles do not pay for tables of all 65,536.
#[derive(Default)]
pub(crate) struct HuffmanEncoder {
    /// Of each symbol, how often it occurs; zeros between two chunks.
    counts: Vec<u32>,
    /// The symbols that have a code, rising.
    present: Vec<u32>,
    leaves: Vec<u64>,
    tree: HuffmanTree,
    /// Of each symbol, `code << 6 | length`; zeros but for `present`.
    codes: Vec<u64>,
}

/// With fewer symbols than this, those that occur are noted rather than looked for.
const FEW: usize = 1 << 13;

/// Appends head, table and data; `symbols` are at least one and at most 2^32.
pub(crate) fn encode(encoder: &mut HuffmanEncoder, symbols: &[u16], out: &mut Vec<u8>) {
    let Some((low, high)) = encoder.find_codes(symbols) else { return };
    let start = out.len();
    out.extend_from_slice(&[0; super::HEAD]);
    put_table(&encoder.codes, &encoder.present, out);
    let table = out.len() - start - super::HEAD;
    let bits = encoder.put_data(symbols, high, out);
    for (place, number) in [low, high, table, bits].into_iter().enumerate() {
        out[start + 4 * place..][..4].copy_from_slice(&(number as u32).to_le_bytes());
    }
}

impl HuffmanEncoder {
    /// Counts symbols and gives them codes; says which is the lowest one with a code, and which
    /// stands for runs.
    fn find_codes(&mut self, symbols: &[u16]) -> Option<(usize, usize)> {
        self.codes.resize(SYMBOLS, 0);
        self.present.iter().for_each(|symbol| self.codes[*symbol as usize] = 0);
        self.count(symbols);
        let (low, run) = (*self.present.first()?, *self.present.last()? + 1);
        let (counts, codes) = (&mut self.counts, &mut self.codes);
        self.leaves.clear();
        let leaf =
            |s: &u32| u64::from(std::mem::take(&mut counts[*s as usize])) << 17 | u64::from(*s);
        self.leaves.extend(self.present.iter().map(leaf));
        self.leaves.push(1 << 17 | u64::from(run));
        self.present.push(run);

        let mut firsts = [0u64; LONGEST + 1];
        lengths::depths(&mut self.leaves, &mut self.tree, |symbol, length| {
            codes[symbol as usize] = u64::from(length);
            firsts[usize::from(length)] += 1;
        });
        let mut code = 0;
        for first in firsts.iter_mut().rev() {
            code = (code + std::mem::replace(first, code)) >> 1;
        }
        for symbol in &self.present {
            let entry = &mut codes[*symbol as usize];
            let first = &mut firsts[*entry as usize];
            *entry |= *first << 6;
            *first += 1;
        }
        Some((low as usize, run as usize))
    }

    /// Counts symbols, and finds those that occur.
    fn count(&mut self, symbols: &[u16]) {
        let present = &mut self.present;
        present.clear();
        self.counts.resize(1 << 16, 0);
        let counts: &mut [u32; 1 << 16] = self.counts.as_mut_slice().try_into().expect("so many");
        if symbols.len() < FEW {
            for symbol in symbols {
                let count = &mut counts[usize::from(*symbol)];
                if *count == 0 {
                    present.push(u32::from(*symbol));
                }
                *count += 1;
            }
            present.sort_unstable();
            return;
        }
        for symbol in symbols {
            counts[usize::from(*symbol)] += 1;
        }
        let there = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        present.extend(there.map(|(symbol, _)| symbol as u32));
    }

    /// Appends the data; says how many bits they have.
    fn put_data(&self, symbols: &[u16], run: usize, out: &mut Vec<u8>) -> usize {
        // No more than without runs.
        let length = |leaf: &u64| (leaf >> 17) * (self.codes[(leaf & 0x1_ffff) as usize] & 63);
        let most: u64 = self.leaves.iter().map(length).sum();
        let start = out.len();
        out.resize(start + most as usize / 8 + 16, 0);
        let codes: &[u64; SYMBOLS] = self.codes.as_slice().try_into().expect("so many");
        let mut bits = HuffmanBitWriter { out: &mut out[start..], at: 0, held: 0, count: 0 };
        let run = codes[run];
        let mut at = 0;
        while let Some(symbol) = symbols.get(at) {
            let code = codes[usize::from(*symbol)];
            at += 1;
            if symbols.get(at) != Some(symbol) {
                bits.put(code >> 6, code & 63);
                continue;
            }
            let rest = &symbols[at..symbols.len().min(at + 255)];
            let repeats = rest.iter().position(|s| s != symbol).unwrap_or(rest.len());
            at += repeats;
            let length = code & 63;
            if length + (run & 63) + 8 < length * repeats as u64 {
                bits.put(code >> 6, length);
                bits.put(run >> 6, run & 63);
                bits.put(repeats as u64, 8);
            } else {
                for _ in 0..=repeats {
                    bits.put(code >> 6, length);
                }
            }
        }
        let total = bits.finish();
        out.truncate(start + total.div_ceil(8));
        total
    }
}

/// Appends the lengths of codes, from the first symbol that has one to the last.
fn put_table(codes: &[u64], present: &[u32], out: &mut Vec<u8>) {
    let start = out.len();
    // For each symbol its length, and before it: one entry, or one of 14 bits for 261 zeros.
    let gaps = present.last().zip(present.first()).map_or(0, |(last, first)| last - first);
    out.resize(start + 4 * present.len() + gaps as usize / 128 + 32, 0);
    let mut bits = HuffmanBitWriter { out: &mut out[start..], at: 0, held: 0, count: 0 };
    let mut next = present.first().copied().unwrap_or(0);
    for symbol in present {
        let mut zeros = (symbol - next) as usize;
        while zeros > 0 {
            let some = zeros.min(255 + FEWEST_OF_MANY);
            match some {
                1 => bits.put(0, 6),
                2..FEWEST_OF_MANY => bits.put(TWO_ZEROS + some as u64 - 2, 6),
                _ => bits.put(MANY_ZEROS << 8 | (some - FEWEST_OF_MANY) as u64, 14),
            }
            zeros -= some;
        }
        bits.put(codes[*symbol as usize] & 63, 6);
        next = symbol + 1;
    }
    let total = bits.finish();
    out.truncate(start + total.div_ceil(8));
}

/// Writes bits from the highest down.
struct HuffmanBitWriter<'a> {
    out: &'a mut [u8],
    at: usize,
    /// The last `count` bits are not yet written.
    held: u64,
    count: u32,
}

impl HuffmanBitWriter<'_> {
    /// At most 58 bits; needs 8 bytes of room behind the last whole byte.
    #[inline(always)]
    fn put(&mut self, bits: u64, length: u64) {
        let length = length as u32;
        if self.count + length > 64 {
            // Only after a code of more than 32 bits; whole bytes go out first.
            self.flush();
        }
        if self.count + length > 64 {
            let half = length / 2;
            self.put(bits >> half, u64::from(length - half));
            self.put(bits & ((1 << half) - 1), u64::from(half));
            return;
        }
        self.held = self.held << length | bits;
        self.count += length;
        if self.count >= 32 {
            self.flush();
        }
    }

    /// Writes whole bytes; fewer than 8 bits stay.
    #[inline(always)]
    fn flush(&mut self) {
        let word = self.held.checked_shl(64 - self.count).unwrap_or(0);
        self.out[self.at..][..8].copy_from_slice(&word.to_be_bytes());
        self.at += self.count as usize / 8;
        self.count %= 8;
    }

    /// Writes the rest; says how many bits there are.
    fn finish(mut self) -> usize {
        let total = self.at * 8 + self.count as usize;
        self.flush();
        total
    }
}
