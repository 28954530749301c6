//! B44 and B44A: halves in 4 × 4 blocks of 14 bytes; other samples as they are.
//!
//! A chunk goes channel by channel. A half's block, of 16 rows of bits:
//!
//! | bits | what |
//! |---|---|
//! | 16 | the first value, made so that values compare like integers |
//! | 6 | a shift of 0 to 12 |
//! | 15 × 6 | steps, plus 32, to be shifted: down the first column, then along the rows |
//!
//! B44A writes 3 bytes where all 16 values are equal: the value and 0xfc, which no shift of the
//! long form can give. Both methods read both. Values of channels marked as linear are coded as
//! logarithms. Infinite values and NaN become zero. Blocks at the right and lower edge repeat the
//! last column and row.
//!
//! Per core beside the reference's C library (MB/s of pixels; photographs in halves, 2048
//! columns): writes 500–546 and reads 1,520, 1.6 and 0.95 times as fast.

use std::sync::LazyLock;

use solio_base::{Error, Result};
use solio_codec::samples::{float_to_half, half_to_float};

use super::layout;
use crate::{Block, PixelType};

/// What is added to a step.
const BIAS: i32 = 32;

/// The third byte of a block of equal values.
const FLAT: u8 = 0xfc;

/// Unpacks a chunk of either method.
pub(crate) fn decode(block: &Block, input: &[u8], out: &mut [u8]) -> Result<()> {
    let mut at = 0;
    for lane in layout::lanes(block) {
        let channel = &block.channels[lane.channel];
        if channel.pixel_type != PixelType::Half {
            let from = take(input, &mut at, lane.bytes())?;
            for (row, start) in from.chunks_exact(lane.row_bytes).zip(&lane.rows) {
                out[*start..][..lane.row_bytes].copy_from_slice(row);
            }
            continue;
        }
        for rows in lane.rows.chunks(4) {
            for x in (0..lane.row_bytes).step_by(8) {
                let bytes = if take(input, &mut at, 3)?[2] >= 13 << 2 {
                    3
                } else {
                    take(input, &mut at, 11)?;
                    14
                };
                let mut values = unpack(&input[at - bytes..at]);
                if channel.linear {
                    values = values.map(|v| TABLES.logarithm[usize::from(v)]);
                }
                for (start, values) in rows.iter().zip(values.as_chunks::<4>().0) {
                    let row = &mut out[*start..][x..lane.row_bytes.min(x + 8)];
                    for (to, value) in row.as_chunks_mut().0.iter_mut().zip(values) {
                        *to = value.to_le_bytes();
                    }
                }
            }
        }
    }
    Ok(())
}

/// Appends a packed chunk; with `flat`, as B44A.
pub(crate) fn encode(block: &Block, flat: bool, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    for lane in layout::lanes(block) {
        let channel = &block.channels[lane.channel];
        if channel.pixel_type != PixelType::Half {
            for start in &lane.rows {
                out.extend_from_slice(&raw[*start..][..lane.row_bytes]);
            }
            continue;
        }
        for rows in lane.rows.chunks(4) {
            for x in (0..lane.samples).step_by(4) {
                let mut values = [0; 16];
                for (y, values) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    let row = &raw[rows[y.min(rows.len() - 1)]..][..lane.row_bytes];
                    let row = row.as_chunks::<2>().0;
                    for (i, value) in values.iter_mut().enumerate() {
                        *value = u16::from_le_bytes(row[(x + i).min(lane.samples - 1)]);
                    }
                }
                if channel.linear {
                    values = values.map(|v| TABLES.power[usize::from(v)]);
                }
                let (bytes, length) = pack(&values, flat, !channel.linear);
                out.extend_from_slice(&bytes[..length]);
            }
        }
    }
    Ok(())
}

/// The next `count` bytes.
fn take<'a>(input: &'a [u8], at: &mut usize, count: usize) -> Result<&'a [u8]> {
    let Some(bytes) = input[*at..].get(..count) else {
        let left = input.len() - *at;
        let message = format!("B44 data end: {count} bytes are expected, {left} are left");
        return Err(Error::corrupt(message).at_offset(*at as u64));
    };
    *at += count;
    Ok(bytes)
}

/// A half made so that larger numbers are larger integers; NaN and infinite ones as zero.
fn to_ordered(half: u16) -> u16 {
    match half {
        _ if half & 0x7c00 == 0x7c00 => 0x8000,
        0x8000.. => !half,
        _ => half | 0x8000,
    }
}

fn from_ordered(value: u16) -> u16 {
    if value & 0x8000 != 0 { value & 0x7fff } else { !value }
}

/// The block of 3 or 14 bytes.
fn unpack(bytes: &[u8]) -> [u16; 16] {
    let first = u16::from_be_bytes([bytes[0], bytes[1]]);
    let Ok(bytes) = <&[u8; 14]>::try_from(bytes) else {
        return [from_ordered(first); 16];
    };
    // Three bytes hold the shift and the steps down the first column, or those to the next column.
    let numbers = |at: usize| {
        let all = u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]]);
        [all >> 18, all >> 12 & 63, all >> 6 & 63, all & 63]
    };
    let [shift, down @ ..] = numbers(2);
    let step = |number: u32| ((number as i32 - BIAS) << shift) as u16;
    let mut column = [first; 4];
    for row in 1..4 {
        column[row] = column[row - 1].wrapping_add(step(down[row - 1]));
    }
    let mut values = [0u16; 16];
    for x in 0..4 {
        if x > 0 {
            for (value, number) in column.iter_mut().zip(numbers(2 + 3 * x)) {
                *value = value.wrapping_add(step(number));
            }
        }
        for (row, value) in column.into_iter().enumerate() {
            values[4 * row + x] = from_ordered(value);
        }
    }
    values
}

/// A block and its length. With `exact`, the largest value is kept as well as the shift allows.
fn pack(values: &[u16; 16], flat: bool, exact: bool) -> ([u8; 16], usize) {
    let mut ordered = values.map(to_ordered);
    let largest = ordered.into_iter().fold(0, u16::max);
    let mut shift = 0;
    let (distances, steps) = loop {
        let distances = ordered.map(|v| shift_to_even(i32::from(largest - v), shift));
        let steps = steps(&distances);
        if steps.iter().all(|s| (0..64).contains(s)) {
            break (distances, steps);
        }
        shift += 1;
    };
    if flat && steps == [BIAS; 15] {
        let [high, low] = ordered[0].to_be_bytes();
        let mut bytes = [0; 16];
        bytes[..3].copy_from_slice(&[high, low, FLAT]);
        return (bytes, 3);
    }
    if exact {
        ordered[0] = largest.wrapping_sub((distances[0] << shift) as u16);
    }
    let mut bits = u128::from(ordered[0]) << 6 | u128::from(shift);
    for step in steps {
        bits = bits << 6 | step as u128;
    }
    ((bits << 16).to_be_bytes(), 14)
}

/// The steps down the first column, then from each column to the next.
fn steps(d: &[i32; 16]) -> [i32; 15] {
    let mut steps = [0; 15];
    for (row, step) in steps[..3].iter_mut().enumerate() {
        *step = d[4 * row] - d[4 * row + 4] + BIAS;
    }
    for (place, step) in steps[3..].iter_mut().enumerate() {
        let from = place % 4 * 4 + place / 4;
        *step = d[from] - d[from + 1] + BIAS;
    }
    steps
}

/// `value / 2^shift`, rounded to the nearest, of two to the even one.
fn shift_to_even(value: i32, shift: u32) -> i32 {
    let double = value << 1;
    let below = (1 << shift) - 1;
    let odd = double >> (shift + 1) & 1;
    (double + below + odd) >> (shift + 1)
}

/// What linear channels go through, by the bits of the half.
struct LinearTables {
    /// Before packing: the half `e^(x/8)`.
    power: Box<[u16]>,
    /// After unpacking: the half `8 ln x`.
    logarithm: Box<[u16]>,
}

static TABLES: LazyLock<LinearTables> = LazyLock::new(|| {
    let finite = |half: u16| half & 0x7c00 != 0x7c00;
    let power = |half: u16| match half {
        _ if !finite(half) => 0,
        0x558c..0x8000 => 0x7bff, // from 8 ln(65504) on
        _ => float_to_half(f64::from(half_to_float(half) / 8.0).exp() as f32),
    };
    let logarithm = |half: u16| match half {
        _ if !finite(half) || half > 0x8000 => 0,
        _ => float_to_half(8.0 * f64::from(half_to_float(half)).ln() as f32),
    };
    LinearTables {
        power: (0..=u16::MAX).map(power).collect(),
        logarithm: (0..=u16::MAX).map(logarithm).collect(),
    }
});

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn encode_b44(block: &Block, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, false, raw, out)
    }

    fn encode_b44a(block: &Block, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, true, raw, out)
    }

    #[test]
    fn a_block_of_equal_values_is_exact() {
        for value in (0..=u16::MAX).filter(|v| v & 0x7c00 != 0x7c00) {
            for flat in [false, true] {
                let (bytes, length) = pack(&[value; 16], flat, true);
                assert_eq!(length, if flat { 3 } else { 14 });
                assert_eq!(unpack(&bytes[..length]), [value; 16]);
            }
        }
    }

    #[test]
    fn small_steps_are_exact_and_others_near() {
        let block: [u16; 16] = std::array::from_fn(|i| 0x3c00 + 7 * i as u16);
        let (bytes, _) = pack(&block, true, true);
        assert_eq!(unpack(&bytes[..14]), block);
        let block: [u16; 16] = std::array::from_fn(|i| 0x2000 + 0x111 * (i as u16 * 5 % 16));
        let (bytes, _) = pack(&block, false, true);
        let shift = bytes[2] >> 2;
        for (a, b) in unpack(&bytes[..14]).into_iter().zip(block) {
            assert!(a.abs_diff(b) <= 1 << shift, "{a:04x} {b:04x}, shift {shift}");
        }
    }

    #[test]
    fn other_samples_stay_as_they_are() {
        samples::each(|case| {
            for encode in [encode_b44, encode_b44a] {
                let packed = samples::pack(encode, &case);
                let back = samples::unpack(decode, &case, &packed).unwrap();
                if case.channels.iter().all(|c| c.pixel_type != PixelType::Half) {
                    assert_eq!(back, case.raw, "{case}");
                }
            }
        });
    }

    #[test]
    fn broken_chunks_are_errors() {
        samples::broken(encode_b44, decode);
        samples::broken(encode_b44a, decode);
    }

    #[test]
    fn bytes_and_pixels_are_the_references() {
        assert_eq!(samples::hash_of_all(encode_b44, None), 0x6fb2_a712_0631_fd6a);
        assert_eq!(samples::hash_of_all(encode_b44a, None), 0xcccd_3288_b1aa_c2a0);
        assert_eq!(samples::hash_of_all(encode_b44, Some(decode)), 0x666e_e1d3_b1e5_b488);
    }
}
