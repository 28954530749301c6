//! zlib streams (RFC 1950, 1951) of filtered images, fast where there is nothing to match.
//!
//! General encoders spend their time on looking for matches that noise does not have. Two ways
//! stand here, and each chunk takes one:
//!
//! * Noise: only runs and long repeats are looked for, in steps of eight bytes, and longer ones
//!   where nothing is found; the rest is written as Huffman codes, four at a time.
//! * Flat images, which repeat in long pieces, and floats, whose upper bytes are noise too: matches
//!   from three bytes on are looked for at every place, with few candidates each, and blocks end
//!   where the statistics change.
//!
//! A chunk goes the way for noise unless repeats turn up on it, or its upper bytes pack badly.

mod block;
mod counts;
mod dense;
pub(crate) mod huffman;
mod matches;
mod symbols;

use self::block::{BitWriter, DeflateBlock};
use self::counts::SymbolCounts;
use self::dense::Dense;
use self::matches::{LzSequence, MatchFinder};
use libdeflater::Compressor;

/// Bytes in a block of noise: a code of its own each.
const BLOCK_BYTES: usize = 96 << 10;
/// Bytes of a flat image that go into one block or another as a whole.
const STRETCH: usize = 16 << 10;
/// What has more than three quarters of its upper bytes left when packed is no noise of halves.
const PACKED_BADLY: (usize, usize) = (3, 4);
/// Window of 32 KiB, "fastest": RFC 1950, section 2.2.
const ZLIB: [u8; 2] = [0x78, 0x01];

/// Makes zlib streams; keep it, its tables are used again.
///
/// ```
/// use solio_codec::{compress::decode_zlib, deflate::ZlibEncoder};
/// let mut encoder = ZlibEncoder::default();
/// for flat in [[10u8; 8000], [11; 8000]] {
///     let mut packed = Vec::new();
///     encoder.zlib(&flat, 4000, &mut packed);
///     assert!(packed.len() < 100);
///     assert_eq!(decode_zlib(&packed, 8000)?, flat);
/// }
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct ZlibEncoder {
    finder: MatchFinder,
    dense: Dense,
    block: DeflateBlock,
    /// Symbols of the block so far, and of the stretch after it.
    counts: Box<[SymbolCounts; 2]>,
    sequences: Vec<LzSequence>,
    /// The end of each block in the bytes, and in the sequences.
    ends: Vec<(usize, usize)>,
}

impl Default for ZlibEncoder {
    fn default() -> Self {
        ZlibEncoder {
            finder: MatchFinder::new(),
            dense: Dense::new(),
            block: DeflateBlock::new(),
            counts: Box::new([SymbolCounts::NONE; 2]),
            sequences: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl ZlibEncoder {
    /// Appends `bytes` as one zlib stream to `out`. A block ends at `halves`, where the statistics
    /// change: the low bytes of numbers before it, the high ones after it.
    ///
    /// ```
    /// use solio_codec::{compress::decode_zlib, deflate::ZlibEncoder, planes::split_halves};
    /// // A ramp of 16-bit numbers: its low bytes, and from 1000 on its high ones.
    /// let ramp: Vec<[u8; 2]> = (0..1000u16).map(|i| (15 * i).to_le_bytes()).collect();
    /// let mut bytes = [0; 2000];
    /// let (low, high) = bytes.split_at_mut(1000);
    /// split_halves(&ramp, false, [low, high]);
    /// let mut packed = Vec::new();
    /// ZlibEncoder::default().zlib(&bytes, 1000, &mut packed);
    /// assert!(packed.len() < 2000);
    /// assert_eq!(decode_zlib(&packed, 2000)?, bytes);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn zlib(&mut self, bytes: &[u8], halves: usize, out: &mut Vec<u8>) {
        let start = out.len();
        if !(self.search(bytes, halves) && self.write(bytes, halves, out)) {
            out.truncate(start);
            self.flat(bytes, halves, out);
        }
    }

    /// Looks for what noise has; stops and says no where the bytes are flat.
    fn search(&mut self, bytes: &[u8], halves: usize) -> bool {
        self.finder.reset();
        self.sequences.clear();
        self.ends.clear();
        let halves = halves.min(bytes.len());
        let mut start = 0;
        while start < bytes.len() || self.ends.is_empty() {
            let part = if start < halves { halves } else { bytes.len() };
            let blocks = (part - start).div_ceil(BLOCK_BYTES).max(1);
            let end = start + (part - start).div_ceil(blocks);
            if !self.finder.find(bytes, start, end, &mut self.sequences) {
                return false;
            }
            self.ends.push((end, self.sequences.len()));
            start = end;
        }
        true
    }

    /// Writes what [`Self::search`] found; stops and says no where the upper bytes pack badly.
    fn write(&mut self, bytes: &[u8], halves: usize, out: &mut Vec<u8>) -> bool {
        out.extend(ZLIB);
        let mut bits = BitWriter::new(out);
        let (mut start, mut first) = (0, 0);
        for &(end, until) in &self.ends {
            let sequences = &self.sequences[first..until];
            let counts = &mut self.counts[0];
            counts.count(&bytes[start..end], sequences);
            let before = bits.bytes();
            self.block.write(counts, &bytes[start..end], sequences, end == bytes.len(), &mut bits);
            let (packed, whole) = PACKED_BADLY;
            if start >= halves && (bits.bytes() - before) * whole > (end - start) * packed {
                return false;
            }
            (start, first) = (end, until);
        }
        bits.finish();
        out.extend(libdeflater::adler32(bytes).to_be_bytes());
        true
    }

    /// Packs a flat image: stretches join the block before them unless two blocks take less.
    fn flat(&mut self, bytes: &[u8], halves: usize, out: &mut Vec<u8>) {
        out.extend(ZLIB);
        let mut bits = BitWriter::new(out);
        self.dense.reset();
        self.sequences.clear();
        let [block, stretch] = &mut *self.counts;
        *block = SymbolCounts::NONE;
        let (mut first, mut start, mut cost) = (0, 0, 0.0);
        while start < bytes.len() {
            let part = if start < halves.min(bytes.len()) { halves } else { bytes.len() };
            let until = part.min(bytes.len()).min(start + STRETCH);
            let before = self.sequences.len();
            let end = self.dense.find(bytes, start, until, &mut self.sequences);
            stretch.count(&bytes[start..end], &self.sequences[before..]);
            let alone = stretch.bits();
            let mut both = block.clone();
            both.add(stretch);
            let together = both.bits();
            if first < start && together > cost + alone {
                let sequences = &self.sequences[..before];
                self.block.write(block, &bytes[first..start], sequences, false, &mut bits);
                self.sequences.drain(..before);
                first = start;
                std::mem::swap(block, stretch);
                cost = alone;
            } else {
                *block = both;
                cost = together;
            }
            self.dense.learn(block);
            start = end;
        }
        self.block.write(block, &bytes[first..], &self.sequences, true, &mut bits);
        bits.finish();
        out.extend(libdeflater::adler32(bytes).to_be_bytes());
    }
}

/// Appends `bytes` as one zlib stream to `out`, by libdeflate.
///
/// ```
/// use libdeflater::{CompressionLvl, Compressor};
/// use solio_codec::{compress::decode_zlib, deflate::append_zlib};
/// let mut chunk = b"size".to_vec();
/// append_zlib(&mut Compressor::new(CompressionLvl::best()), &[5; 3000], &mut chunk);
/// assert!(chunk.starts_with(b"size") && chunk.len() < 100);
/// assert_eq!(decode_zlib(&chunk[4..], 3000)?, [5; 3000]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn append_zlib(compressor: &mut Compressor, bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + compressor.zlib_compress_bound(bytes.len()), 0);
    let packed = compressor.zlib_compress(bytes, &mut out[start..]);
    out.truncate(start + packed.expect("there is room for the longest"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sizes of the stream, and of those by the ways for noise, if it is any, and flat images.
    fn check(bytes: &[u8], halves: usize) -> [usize; 3] {
        let mut encoder = ZlibEncoder::default();
        let mut packed = vec![9];
        encoder.zlib(bytes, halves, &mut packed);
        check_one(bytes, &packed[1..]);
        let mut noise = Vec::new();
        if encoder.search(bytes, halves) && encoder.write(bytes, halves, &mut noise) {
            check_one(bytes, &noise);
        }
        let mut flat = Vec::new();
        encoder.flat(bytes, halves, &mut flat);
        check_one(bytes, &flat);
        // What came before does not matter.
        let mut again = vec![9];
        encoder.zlib(bytes, halves, &mut again);
        assert!(again == packed);
        [packed.len() - 1, noise.len(), flat.len()]
    }

    fn check_one(bytes: &[u8], packed: &[u8]) {
        let again = crate::compress::decode_zlib(packed, bytes.len() as u64).unwrap();
        assert!(again == bytes, "{} bytes", bytes.len());
        let mut other = vec![0; bytes.len()];
        let mut decompressor = libdeflater::Decompressor::new();
        assert_eq!(decompressor.zlib_decompress(packed, &mut other), Ok(bytes.len()));
        assert!(other == bytes);
    }

    #[test]
    fn small_and_flat_ones() {
        for size in (0..70).chain([258, 259, 260, 261, 516, 65_535, 65_536, 300_000]) {
            assert!(check(&vec![7; size], size).iter().all(|packed| *packed < 400 + size / 100));
            let rising: Vec<u8> = (0..size).map(|i| i as u8).collect();
            check(&rising, size / 2);
        }
    }

    #[test]
    fn noise_is_stored() {
        let mut x = 1u64;
        let noise: Vec<u8> = (0..200_000)
            .map(|_| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (x >> 56) as u8
            })
            .collect();
        assert!(check(&noise, noise.len()).iter().all(|packed| *packed < noise.len() + 150));
    }

    #[test]
    fn rows_that_repeat_from_afar() {
        // Noise that comes again after each distance around the farthest one.
        let mut x = 1u32;
        let noise: Vec<u8> = (0..40_000)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 24) as u8
            })
            .collect();
        for distance in [300, 8191, 32_767, 32_768, 32_769, 40_000] {
            let bytes = [&noise[..distance], &noise[..distance], &noise[..distance]].concat();
            let [_, _, flat] = check(&bytes, bytes.len() / 2);
            assert_eq!(flat < 2 * distance, distance <= 32_768, "{distance}: {flat}");
        }
    }

    proptest! {
        #[test]
        fn anything_comes_back(
            parts in prop::collection::vec((any::<u8>(), 1usize..700, 0u8..4), 0..60),
            halves in 0usize..5000,
        ) {
            let mut bytes = Vec::new();
            for (seed, count, kind) in parts {
                for i in 0..count {
                    let byte = match kind {
                        0 => seed,
                        1 => (i as u8).wrapping_mul(seed | 1),
                        2 => bytes.len().checked_sub(usize::from(seed) + 1).map_or(0, |at| bytes[at]),
                        _ => ((i * usize::from(seed)) >> 3) as u8 & 0x13,
                    };
                    bytes.push(byte);
                }
            }
            check(&bytes, halves);
        }
    }
}
