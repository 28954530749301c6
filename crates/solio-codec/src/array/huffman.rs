//! Bytes by a prefix code, in four streams side by side.
//!
//! ```text
//! u8         the smallest byte that occurs
//! u8         the largest
//! nibbles    lengths of the codes of all from the smallest to the largest, lower nibble first
//! 3 u32      bytes of the first three streams
//! streams    each has a quarter of the bytes, the last one what is left; lowest bit first
//! ```
//!
//! Why it is fast: a look into a table of 2,048 places gives up to three bytes at once, and four
//! streams do not wait for each other.

use crate::deflate::huffman::{LENGTH_AT, codes, lengths};
use crate::wide::{Wide, wide};

/// No code is longer.
const LONGEST: u32 = 11;
/// Looks into the table for 64 bits that were read: each takes [`LONGEST`] of 57 at most.
const LOOKS: usize = 5;
/// A stream is decoded by many looks as long as so many bytes of it are missing.
const MARGIN: usize = 3 * LOOKS + 1;
/// Fewer bytes are not worth the table of several bytes a look.
const LEAST: usize = 2048;

/// How often each byte occurs.
pub(super) fn count(bytes: &[u8]) -> [u32; 256] {
    // Four tables: equal bytes in a row do not wait for each other's count.
    let mut counts = [[0u32; 256]; 4];
    let (quads, rest) = bytes.as_chunks::<4>();
    for quad in quads {
        for (counts, byte) in counts.iter_mut().zip(quad) {
            counts[usize::from(*byte)] += 1;
        }
    }
    for byte in rest {
        counts[0][usize::from(*byte)] += 1;
    }
    let [mut sum, others @ ..] = counts;
    for counts in others {
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    sum
}

/// The lengths of codes for bytes that occur so often, and how many bytes [`encode`] will make.
pub(super) fn plan(counts: &[u32; 256]) -> ([u8; 256], usize) {
    let mut of_byte = [0; 256];
    lengths(counts, LONGEST, &mut of_byte);
    let bits: u64 = counts.iter().zip(of_byte).map(|(n, l)| u64::from(*n) * u64::from(l)).sum();
    let (first, last) = ends(&of_byte);
    (of_byte, 2 + (last - first + 2) / 2 + 12 + (bits as usize).div_ceil(8) + 3)
}

fn ends(lengths: &[u8; 256]) -> (usize, usize) {
    let first = lengths.iter().position(|length| *length > 0).unwrap_or(0);
    let last = lengths.iter().rposition(|length| *length > 0).unwrap_or(0);
    (first, last)
}

fn quarters(count: usize) -> [std::ops::Range<usize>; 4] {
    let quarter = count.div_ceil(4);
    std::array::from_fn(|i| (i * quarter).min(count)..((i + 1) * quarter).min(count))
}

/// Appends `bytes`; `lengths` are of [`plan`] for them.
pub(super) fn encode(bytes: &[u8], lengths: &[u8; 256], out: &mut Vec<u8>) {
    let mut of_byte = [0; 256];
    codes(lengths, &mut of_byte);
    let (first, last) = ends(lengths);
    out.extend([first as u8, last as u8]);
    for pair in lengths[first..=last].chunks(2) {
        out.push(pair[0] | pair.get(1).unwrap_or(&0) << 4);
    }
    let sizes_at = out.len();
    out.resize(sizes_at + 12, 0);
    for (i, quarter) in quarters(bytes.len()).into_iter().enumerate() {
        let start = out.len();
        wide(WriteHuffmanCodes { bytes: &bytes[quarter], codes: &of_byte, out });
        if i < 3 {
            let size = (out.len() - start) as u32;
            out[sizes_at + 4 * i..][..4].copy_from_slice(&size.to_le_bytes());
        }
    }
}

struct WriteHuffmanCodes<'a> {
    bytes: &'a [u8],
    codes: &'a [u32; 256],
    out: &'a mut Vec<u8>,
}

impl Wide for WriteHuffmanCodes<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let WriteHuffmanCodes { bytes, codes, out } = self;
        let start = out.len();
        out.resize(start + bytes.len() * LONGEST as usize / 8 + 16, 0);
        let room = &mut out[start..];
        let (mut bits, mut held, mut at) = (0u64, 0, 0);
        let (quads, rest) = bytes.as_chunks::<4>();
        for quad in quads {
            // Two by two: only the last step waits for the four before.
            let (a, b) = (codes[usize::from(quad[0])], codes[usize::from(quad[1])]);
            let (c, d) = (codes[usize::from(quad[2])], codes[usize::from(quad[3])]);
            let (one, three) = (a >> LENGTH_AT, c >> LENGTH_AT);
            let (two, others) = (one + (b >> LENGTH_AT), three + (d >> LENGTH_AT));
            let ab = u64::from(a & 0xffff) | u64::from(b & 0xffff) << one;
            let cd = u64::from(c & 0xffff) | u64::from(d & 0xffff) << three;
            bits |= (ab | cd << two) << held;
            held += two + others;
            room[at..at + 8].copy_from_slice(&bits.to_le_bytes());
            at += (held / 8) as usize;
            bits >>= held & !7;
            held &= 7;
        }
        for byte in rest {
            let code = codes[usize::from(*byte)];
            bits |= u64::from(code & 0xffff) << held;
            held += code >> LENGTH_AT;
        }
        room[at..at + 8].copy_from_slice(&bits.to_le_bytes());
        out.truncate(start + at + (held as usize).div_ceil(8));
    }
}

/// Tables for [`decode`]; keep one per thread.
pub(super) struct HuffmanDecodeTables {
    /// A byte and the length of its code, by the next bits.
    one: Box<[[u8; 2]; 1 << LONGEST]>,
    /// Up to three bytes, the length of their codes together, and how many they are.
    some: Box<[u32; 1 << LONGEST]>,
}

impl Default for HuffmanDecodeTables {
    fn default() -> Self {
        HuffmanDecodeTables {
            one: Box::new([[0; 2]; 1 << LONGEST]),
            some: Box::new([0; 1 << LONGEST]),
        }
    }
}

/// In a place of [`HuffmanDecodeTables::some`]: the length of the codes, six bits, and above it the count.
const USED_AT: u32 = 24;
const COUNT_AT: u32 = 6;

/// Fills `to` with what [`encode`] made; `None` where that cannot be.
pub(super) fn decode(packed: &[u8], tables: &mut HuffmanDecodeTables, to: &mut [u8]) -> Option<()> {
    let (&[first, last], packed) = packed.split_first_chunk()?;
    let mut of_byte = [0; 256];
    let used = usize::from(last.checked_sub(first)?) + 1;
    let (nibbles, packed) = packed.split_at_checked(used.div_ceil(2))?;
    for (i, length) in of_byte[usize::from(first)..=usize::from(last)].iter_mut().enumerate() {
        *length = nibbles[i / 2] >> (4 * (i % 2)) & 15;
    }
    let whole: u32 = of_byte.iter().filter(|l| **l > 0).map(|l| 1 << (15 - l)).sum();
    if whole != 1 << 15 || of_byte.iter().any(|length| u32::from(*length) > LONGEST) {
        return None;
    }
    let (sizes, mut packed) = packed.split_at_checked(12)?;
    let mut streams: [&[u8]; 4] = [&[]; 4];
    for (stream, size) in streams.iter_mut().zip(sizes.as_chunks::<4>().0) {
        (*stream, packed) = packed.split_at_checked(u32::from_le_bytes(*size) as usize)?;
    }
    streams[3] = packed;
    wide(ReadHuffmanCodes { of_byte: &of_byte, tables, streams, to })
}

struct ReadHuffmanCodes<'a> {
    of_byte: &'a [u8; 256],
    tables: &'a mut HuffmanDecodeTables,
    streams: [&'a [u8]; 4],
    to: &'a mut [u8],
}

impl Wide for ReadHuffmanCodes<'_> {
    type Output = Option<()>;
    #[inline(always)]
    fn run(self) -> Option<()> {
        let ReadHuffmanCodes { of_byte, tables, streams, to } = self;
        let mut of_bits = [0; 256];
        codes(of_byte, &mut of_bits);
        for (byte, code) in of_bits.iter().enumerate().filter(|(_, code)| **code != 0) {
            let length = code >> LENGTH_AT;
            let first = (code & 0xffff) as usize;
            for place in tables.one[first..].iter_mut().step_by(1 << length) {
                *place = [byte as u8, length as u8];
            }
        }
        let quarters = quarters(to.len());
        let mut places = [BitPosition::default(); 4];
        if to.len() >= LEAST {
            several(&tables.one, &mut tables.some);
            fast(&tables.some, &streams, &quarters, to, &mut places);
        }
        for ((stream, quarter), place) in streams.iter().zip(quarters).zip(places) {
            let end = slow(&tables.one, stream, place.bit, &mut to[quarter][place.done..]);
            if end.div_ceil(8) != stream.len() {
                return None;
            }
        }
        Some(())
    }
}

/// What up to three looks into `one` give.
#[inline(always)]
fn several(one: &[[u8; 2]; 1 << LONGEST], some: &mut [u32; 1 << LONGEST]) {
    for (i, some) in some.iter_mut().enumerate() {
        let [a, first] = one[i];
        let [b, second] = one[i >> first];
        let two = u32::from(first) + u32::from(second);
        let [c, third] = one[i >> (two & 31)];
        let three = two + u32::from(third);
        let bytes = u32::from_le_bytes([a, b, c, 0]);
        let (length, count) = match (two <= LONGEST, three <= LONGEST) {
            (_, true) => (three, 3),
            (true, _) => (two, 2),
            _ => (u32::from(first), 1),
        };
        *some = bytes | (length | count << COUNT_AT) << USED_AT;
    }
}

/// How far a stream is decoded.
#[derive(Clone, Copy, Default)]
struct BitPosition {
    /// Bits that were used.
    bit: usize,
    /// Bytes that they gave.
    done: usize,
}

/// Decodes all four streams nearly to their ends.
#[inline(always)]
fn fast(
    some: &[u32; 1 << LONGEST],
    streams: &[&[u8]; 4],
    quarters: &[std::ops::Range<usize>; 4],
    to: &mut [u8],
    places: &mut [BitPosition; 4],
) {
    let is_long = |i: usize, place: &BitPosition| {
        place.bit / 8 + 8 <= streams[i].len() && place.done + MARGIN <= quarters[i].len()
    };
    let begin = to.as_mut_ptr();
    let look = |i: usize, place: &mut BitPosition| {
        // SAFETY: `is_long` was asked, so eight bytes from there on lie in the stream.
        let word = unsafe { streams[i].as_ptr().add(place.bit / 8).cast::<[u8; 8]>().read() };
        let mut word = u64::from_le_bytes(word) >> (place.bit % 8);
        let mut used = 0;
        for _ in 0..LOOKS {
            let found = some[(word & ((1 << LONGEST) - 1)) as usize];
            // SAFETY: `is_long` was asked: LOOKS looks give three bytes each at most and write
            // four, so all lie within the MARGIN bytes that the quarter lacks; it lies in `to`.
            unsafe {
                let at = begin.add(quarters[i].start + place.done);
                at.cast::<[u8; 4]>().write(found.to_le_bytes());
            }
            let one = found >> USED_AT;
            place.done += (one >> COUNT_AT) as usize;
            word >>= one & 63;
            // Five codes have 55 bits at most, so lengths and counts do not meet.
            used += one;
        }
        place.bit += (used & 63) as usize;
    };
    // One stream after the other, a few looks each: the processor does them side by side.
    let [mut a, mut b, mut c, mut d] = *places;
    while is_long(0, &a) && is_long(1, &b) && is_long(2, &c) && is_long(3, &d) {
        look(0, &mut a);
        look(1, &mut b);
        look(2, &mut c);
        look(3, &mut d);
    }
    *places = [a, b, c, d];
    for (i, place) in places.iter_mut().enumerate() {
        while is_long(i, place) {
            look(i, place);
        }
    }
}

/// Decodes the rest of a stream, byte by byte: returns at which bit it ends. What lies behind the
/// stream counts as zeros.
#[inline(always)]
fn slow(one: &[[u8; 2]; 1 << LONGEST], stream: &[u8], mut bit: usize, to: &mut [u8]) -> usize {
    for to in to {
        let rest = stream.get(bit / 8..).unwrap_or_default();
        let mut word = [0; 4];
        let some = rest.len().min(4);
        word[..some].copy_from_slice(&rest[..some]);
        let next = u32::from_le_bytes(word) >> (bit % 8) & ((1 << LONGEST) - 1);
        let [byte, length] = one[next as usize];
        *to = byte;
        bit += usize::from(length);
    }
    bit
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(bytes: &[u8]) -> Vec<u8> {
        let (lengths, size) = plan(&count(bytes));
        let mut packed = Vec::new();
        encode(bytes, &lengths, &mut packed);
        assert!(packed.len() <= size, "{} of {size}", packed.len());
        let mut back = vec![0; bytes.len()];
        decode(&packed, &mut HuffmanDecodeTables::default(), &mut back)
            .expect("what was just made");
        assert_eq!(back, bytes);
        packed
    }

    proptest! {
        #[test]
        fn comes_back(noise in prop::collection::vec(any::<u16>(), 0..9000), shift in 0..16u32) {
            // The larger the shift, the fewer and the more uneven the bytes.
            let bytes: Vec<u8> = noise.iter().map(|n| (n >> shift).min(n & 255) as u8).collect();
            there_and_back(&bytes);
        }

        #[test]
        fn anything_is_decoded_or_refused(
            noise in prop::collection::vec(any::<u8>(), 0..400), count in 0..5000usize,
        ) {
            let mut to = vec![0; count];
            let _ = decode(&noise, &mut HuffmanDecodeTables::default(), &mut to);
        }
    }

    #[test]
    fn damage_is_decoded_or_refused() {
        let bytes: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 9) as u8 & 31).collect();
        let packed = there_and_back(&bytes);
        let (mut to, mut tables) = (vec![0; bytes.len()], HuffmanDecodeTables::default());
        for length in 0..packed.len() {
            let found = decode(&packed[..length], &mut tables, &mut to);
            assert!(found.is_none() || to != bytes, "of {length} bytes");
        }
        for bit in 0..packed.len() * 8 {
            let mut bad = packed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let _ = decode(&bad, &mut tables, &mut to);
        }
    }

    #[test]
    fn uneven_bytes_take_few_bits() {
        let bytes: Vec<u8> = (0..40_000u32).map(|i| (i.trailing_zeros() * 3) as u8).collect();
        // Half of them one bit, a quarter two: two bits in the mean.
        assert!(there_and_back(&bytes).len() < 40_000 / 4 + 200);
    }
}
