//! PXR24: differences along the row, the bytes of each sample apart, deflated.
//!
//! A chunk is one zlib stream. It holds, row by row and channel by channel, as many bytes as
//! samples for the highest byte, then as many for the next, and so on: 4 bytes of an integer, 2
//! of a half, 3 of a float, whose significand is first rounded to 15 bits. That makes floats
//! lossy, once: what was read is written again without loss.

use std::cell::RefCell;

use solio_base::Result;
use solio_codec::planes;

use super::{deflate, layout};
use crate::{Block, PixelType};

thread_local! {
    static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Unpacks a chunk.
pub(crate) fn decode(block: &Block, input: &[u8], out: &mut [u8]) -> Result<()> {
    PACKED.with_borrow_mut(|packed| {
        let bytes = |(c, samples): (usize, usize)| samples * kept(block.channels[c].pixel_type);
        packed.resize(layout::rows(block).map(bytes).sum(), 0);
        deflate::unpack(input, packed)?;
        let (mut from, mut to) = (&packed[..], out);
        for (channel, samples) in layout::rows(block) {
            let pixel_type = block.channels[channel].pixel_type;
            let (source, rest) = from.split_at(samples * kept(pixel_type));
            let (target, more) = to.split_at_mut(samples * pixel_type.bytes());
            (from, to) = (rest, more);
            match pixel_type {
                PixelType::Uint => {
                    let [a, b, c, d] = parts(source);
                    planes::join_words([d, c, b, a], true, target.as_chunks_mut().0);
                }
                PixelType::Half => {
                    let [a, b] = parts(source);
                    planes::join_halves([b, a], true, target.as_chunks_mut().0);
                }
                PixelType::Float => join_float(source, target),
            }
        }
        Ok(())
    })
}

/// Appends a packed chunk.
pub(crate) fn encode(block: &Block, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    PACKED.with_borrow_mut(|packed| {
        packed.clear();
        let mut from = raw;
        for (channel, samples) in layout::rows(block) {
            let pixel_type = block.channels[channel].pixel_type;
            let (source, rest) = from.split_at(samples * pixel_type.bytes());
            from = rest;
            let start = packed.len();
            packed.resize(start + samples * kept(pixel_type), 0);
            let target = &mut packed[start..];
            match pixel_type {
                PixelType::Uint => {
                    let (high, low) = target.split_at_mut(target.len() / 2);
                    let ((a, b), (c, d)) = (high.split_at_mut(samples), low.split_at_mut(samples));
                    planes::split_words(source.as_chunks().0, true, [d, c, b, a]);
                }
                PixelType::Half => {
                    let (a, b) = target.split_at_mut(samples);
                    planes::split_halves(source.as_chunks().0, true, [b, a]);
                }
                PixelType::Float => split_float(source, target),
            }
        }
        deflate::pack(packed, deflate::DEFAULT_LEVEL, out);
        Ok(())
    })
}

/// Bytes of a sample that are kept.
fn kept(pixel_type: PixelType) -> usize {
    match pixel_type {
        PixelType::Uint => 4,
        PixelType::Half => 2,
        PixelType::Float => 3,
    }
}

/// `source` in `N` equal parts, the highest byte's first.
fn parts<const N: usize>(source: &[u8]) -> [&[u8]; N] {
    let samples = source.len() / N;
    std::array::from_fn(|i| &source[i * samples..(i + 1) * samples])
}

fn join_float(source: &[u8], target: &mut [u8]) {
    let [a, b, c] = parts(source);
    let mut sum = 0u32;
    for (((to, a), b), c) in target.as_chunks_mut::<4>().0.iter_mut().zip(a).zip(b).zip(c) {
        sum = sum.wrapping_add(u32::from_be_bytes([*a, *b, *c, 0]));
        *to = sum.to_le_bytes();
    }
}

fn split_float(source: &[u8], target: &mut [u8]) {
    let (a, rest) = target.split_at_mut(target.len() / 3);
    let (b, c) = rest.split_at_mut(rest.len() / 2);
    let mut last = 0u32;
    for (((from, a), b), c) in source.as_chunks::<4>().0.iter().zip(a).zip(b).zip(c) {
        let value = round_to_24_bits(u32::from_le_bytes(*from));
        [_, *a, *b, *c] = value.wrapping_sub(last).to_be_bytes();
        last = value;
    }
}

/// A float's bits without the lowest 8 of its significand, rounded half up; never from a finite
/// number to infinity, nor from a NaN to infinity.
fn round_to_24_bits(bits: u32) -> u32 {
    let sign = bits >> 31 << 23;
    let rest = bits & 0x7fff_ffff;
    let cut = rest >> 8;
    let rounded = if rest > 0x7f80_0000 {
        cut.max(0x7f_8001)
    } else if rest == 0x7f80_0000 {
        cut
    } else {
        let up = (rest + (rest & 0x80)) >> 8;
        if up >= 0x7f_8000 { cut } else { up }
    };
    sign | rounded
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn floats_lose_8_bits_once() {
        samples::each(|case| {
            let packed = samples::pack(encode, &case);
            let once = samples::unpack(decode, &case, &packed).unwrap();
            let again =
                samples::pack(encode, &samples::ChunkCase { raw: once.clone(), ..case.clone() });
            assert_eq!(again, packed, "{case}");
            if !case.channels.iter().any(|c| c.pixel_type == PixelType::Float) {
                assert_eq!(once, case.raw, "{case}");
            }
        });
    }

    #[test]
    fn rounds_like_the_format_says() {
        assert_eq!(round_to_24_bits(0x3f80_0000), 0x3f_8000);
        assert_eq!(round_to_24_bits(0x3f80_007f), 0x3f_8000);
        assert_eq!(round_to_24_bits(0x3f80_0080), 0x3f_8001);
        assert_eq!(round_to_24_bits(0x7f7f_ffff), 0x7f_7fff, "stays finite");
        assert_eq!(round_to_24_bits(0xff80_0000), 0xff_8000);
        assert_eq!(round_to_24_bits(0x7f80_0001), 0x7f_8001, "stays NaN");
    }

    #[test]
    fn broken_chunks_are_errors() {
        samples::broken(encode, decode);
    }

    #[test]
    fn pixels_are_the_references() {
        assert_eq!(samples::hash_of_all(encode, Some(decode)), 0x4859_ba54_aef6_6157);
    }
}
