//! Numbers as bytes, part by part.

use crate::splats::columns::{COEFFICIENTS, SplatColumns, alpha_of, logit};
use half::f16;
use std::f32::consts::FRAC_1_SQRT_2;

/// The constant part of a colour in parts of what a byte holds: some room outside 0 to 1.
const COLOR_SCALE: f32 = 0.15;
/// The greatest part of a quaternion that is not its largest, in 9 bits.
const TURN_STEPS: f32 = 511.0;
/// The least and greatest place in 24 bits.
const PLACE_ENDS: [f32; 2] = [-8_388_608.0, 8_388_607.0];

/// Adds the numbers of whole splats of a part (0 to 5, as the file has them) to the columns.
pub(super) fn decode_part(
    part: usize,
    bytes: &[u8],
    [version, fraction_bits]: [u32; 2],
    columns: &mut SplatColumns<'_>,
) {
    match part {
        0 if version == 1 => {
            let place =
                |b: &[u8; 6]| [0, 2, 4].map(|k| f16::from_le_bytes([b[k], b[k + 1]]).to_f32());
            columns.positions.to_mut().extend(bytes.as_chunks().0.iter().map(place));
        }
        0 => {
            let step = 1.0 / (1u32 << fraction_bits) as f32;
            let place = |b: &[u8; 9]| {
                // The sign comes with the uppermost byte.
                let word = |k: usize| i32::from_le_bytes([0, b[k], b[k + 1], b[k + 2]]) >> 8;
                [0, 3, 6].map(|k| word(k) as f32 * step)
            };
            columns.positions.to_mut().extend(bytes.as_chunks().0.iter().map(place));
        }
        1 => columns.opacity.to_mut().extend(bytes.iter().map(|b| logit(f32::from(*b) / 255.0))),
        2 => thirds(bytes, &mut columns.colors, |b| (f32::from(b) / 255.0 - 0.5) / COLOR_SCALE),
        3 => thirds(bytes, &mut columns.scales, |b| f32::from(b) / 16.0 - 10.0),
        4 if version < 3 => {
            bytes.as_chunks().0.iter().for_each(|b| push_turn(columns, turn_of_three(*b)));
        }
        4 => {
            let words = bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b));
            words.for_each(|word| push_turn(columns, turn_of_word(word)));
        }
        _ => {
            let width = columns.rest.len();
            let of_channel = width / 3;
            for (at, byte) in bytes.iter().enumerate() {
                let at = at % width;
                let column = at % 3 * of_channel + at / 3;
                columns.rest[column].to_mut().push((f32::from(*byte) - 128.0) / 128.0);
            }
        }
    }
}

fn thirds(bytes: &[u8], columns: &mut [std::borrow::Cow<'_, [f32]>; 3], of: fn(u8) -> f32) {
    for (k, column) in columns.iter_mut().enumerate() {
        column.to_mut().extend(bytes[k..].iter().step_by(3).map(|byte| of(*byte)));
    }
}

fn push_turn(columns: &mut SplatColumns<'_>, turn: [f32; 4]) {
    columns.turns.iter_mut().zip(turn).for_each(|(column, v)| column.to_mut().push(v));
}

/// Versions 1 and 2 have `x`, `y` and `z`; `w`, which is not below zero, follows from them.
fn turn_of_three(bytes: [u8; 3]) -> [f32; 4] {
    let [x, y, z] = bytes.map(|byte| f32::from(byte) / 127.5 - 1.0);
    [(1.0 - x * x - y * y - z * z).max(0.0).sqrt(), x, y, z]
}

/// Since version 3 two bits number the largest of `x`, `y`, `z`, `w`; the others have a sign and 9 bits.
fn turn_of_word(mut word: u32) -> [f32; 4] {
    let largest = (word >> 30) as usize;
    let (mut xyzw, mut squares) = ([0.0; 4], 0.0_f32);
    for k in (0..4).rev().filter(|k| *k != largest) {
        let size = FRAC_1_SQRT_2 * (word & 511) as f32 / TURN_STEPS;
        xyzw[k] = if word >> 9 & 1 == 1 { -size } else { size };
        squares += size * size;
        word >>= 10;
    }
    xyzw[largest] = (1.0 - squares).max(0.0).sqrt();
    let [x, y, z, w] = xyzw;
    [w, x, y, z]
}

/// The bytes of some splats of a part. The columns have a file's axes already.
pub(super) fn encode_part(
    part: usize,
    columns: &SplatColumns<'_>,
    range: std::ops::Range<usize>,
    [version, fraction_bits]: [u32; 2],
    harmonic_bits: u8,
    out: &mut Vec<u8>,
) {
    let byte = |value: f32| value.round() as u8;
    match part {
        0 => {
            let scale = (1u32 << fraction_bits) as f32;
            for value in columns.positions[range].as_flattened() {
                let steps = (value * scale).round().clamp(PLACE_ENDS[0], PLACE_ENDS[1]) as i32;
                out.extend_from_slice(&steps.to_le_bytes()[..3]);
            }
        }
        1 => out.extend(columns.opacity[range].iter().map(|o| byte(alpha_of(*o) * 255.0))),
        2 => out.extend(range.flat_map(|i| {
            let colors = SplatColumns::three(&columns.colors, i);
            colors.map(|c| byte((c * COLOR_SCALE + 0.5) * 255.0))
        })),
        3 => out.extend(range.flat_map(|i| {
            SplatColumns::three(&columns.scales, i).map(|s| byte((s + 10.0) * 16.0))
        })),
        4 => range.for_each(|i| {
            let turn = columns.turn(i);
            match version < 3 {
                true => out.extend_from_slice(&three_of_turn(turn)),
                false => out.extend_from_slice(&word_of_turn(turn).to_le_bytes()),
            }
        }),
        _ => {
            let of_channel = COEFFICIENTS[columns.degree()];
            for i in range {
                for k in 0..of_channel {
                    let value = |c: usize| columns.rest[c * of_channel + k][i];
                    out.extend([0, 1, 2].map(|c| harmonic(value(c), harmonic_bits)));
                }
            }
        }
    }
}

/// A harmonic in a byte, of which the lower bits are those of the middle of a step.
fn harmonic(value: f32, bits: u8) -> u8 {
    let steps = (value * 128.0).round() as i32;
    let size = 1 << (8 - bits.clamp(1, 8));
    let whole = steps.saturating_add(128 + size / 2).div_euclid(size).saturating_mul(size);
    whole.clamp(0, 255) as u8
}

fn three_of_turn([w, x, y, z]: [f32; 4]) -> [u8; 3] {
    let sign = if w < 0.0 { -127.5 } else { 127.5 };
    [x, y, z].map(|v| (v * sign + 127.5).round() as u8)
}

fn word_of_turn([w, x, y, z]: [f32; 4]) -> u32 {
    let xyzw = [x, y, z, w];
    let largest = (1..4).fold(0, |most, k| if xyzw[k].abs() > xyzw[most].abs() { k } else { most });
    let is_negative = xyzw[largest] < 0.0;
    (0..4).filter(|k| *k != largest).fold(largest as u32, |word, k| {
        let sign = u32::from((xyzw[k] < 0.0) != is_negative);
        let size = (TURN_STEPS * (xyzw[k].abs() / FRAC_1_SQRT_2) + 0.5) as u32;
        word << 10 | sign << 9 | size.min(511)
    })
}

/// The bits behind the point that a file of these places gets: 12, as Niantic's program writes; fewer
/// where they lie farther out than 24 bits hold, and more where they lie closer together than 12 tell
/// apart.
pub(super) fn fraction_bits(positions: &[[f32; 3]]) -> u8 {
    let values = positions.as_flattened().iter().filter(|v| v.is_finite());
    let most = values.fold(0.0_f32, |most, v| most.max(v.abs()));
    let fits = |bits: i32| f64::from(most) * f64::from(bits).exp2() <= f64::from(PLACE_ENDS[1]);
    let close = if most > 0.0 { (-most.log2()).floor().max(0.0) as i32 } else { 0 };
    let bits = (12 + close).min(23);
    (0..=bits).rev().find(|bits| fits(*bits)).unwrap_or(0) as u8
}
