//! From linear light to the numbers of a picture file: exposure, tone mapping, straight alpha, and
//! the curve of sRGB where the numbers are integers.

use crate::rows;
use crate::view::{Buffers, View};
use solio_base::{Result, Work};
use solio_color::{ToneMap, srgb};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How light becomes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Look {
    /// Factor on light.
    pub(crate) gain: f32,
    pub(crate) tone_map: ToneMap,
    /// Colours and alpha stay as they are: no curve, no division.
    pub(crate) raw: bool,
    /// Colours are not multiplied by alpha in the file.
    pub(crate) straight: bool,
    /// The values are no light: the lowest becomes 0, the highest 1.
    pub(crate) range: Option<[f32; 2]>,
}

/// A number of a picture file.
pub(crate) trait Code: Copy + Default + Send {
    /// From light, by the curve of sRGB where integers have it.
    fn of_light(light: f32) -> Self;
    /// From 0 to 1, as it is.
    fn of_value(value: f32) -> Self;
    /// The light of a code, and what it is from 0 to 1.
    fn light(self) -> f32;
    fn value(self) -> f32;
    /// How far a number may be from what its code stands for, in parts of itself, and count as kept:
    /// what the samples of a picture with such codes are off.
    const NEAR: f32;
}

impl Code for u8 {
    fn of_light(light: f32) -> u8 {
        srgb::u8_of_light(light)
    }
    fn of_value(value: f32) -> u8 {
        // From a float to an integer Rust saturates, and takes no number for 0.
        (value * 255.0).round() as u8
    }
    fn light(self) -> f32 {
        srgb::light_of_u8(self)
    }
    fn value(self) -> f32 {
        f32::from(self) / 255.0
    }
    // Light of 8-bit codes is stored as half, and divided by alpha, which is, too.
    const NEAR: f32 = 1.5e-3;
}

impl Code for u16 {
    fn of_light(light: f32) -> u16 {
        srgb::u16_of_light(light)
    }
    fn of_value(value: f32) -> u16 {
        (value * 65535.0).round() as u16
    }
    fn light(self) -> f32 {
        srgb::light_of_u16(self)
    }
    fn value(self) -> f32 {
        f32::from(self) / 65535.0
    }
    const NEAR: f32 = 1e-6;
}

impl Code for f32 {
    fn of_light(light: f32) -> f32 {
        light
    }
    fn of_value(value: f32) -> f32 {
        value
    }
    fn light(self) -> f32 {
        self
    }
    fn value(self) -> f32 {
        self
    }
    const NEAR: f32 = f32::INFINITY;
}

impl Look {
    /// Finishes a row of four values a pixel, and stores `channels` of them: 1 grey, 2 grey and
    /// alpha, 3 colours, 4 colours and alpha.
    pub(crate) fn store<T: Code>(&self, row: &mut [f32], channels: usize, out: &mut [T]) {
        let (pixels, _) = row.as_chunks_mut::<4>();
        for ([r, g, b, a], out) in pixels.iter_mut().zip(out.chunks_exact_mut(channels)) {
            if [*r, *g, *b, *a] == [0.0; 4] && self.range.is_none() {
                out.fill(T::default());
                continue;
            }
            let color = self.color([*r, *g, *b], *a);
            let direct = self.raw || self.range.is_some();
            let code = if direct { T::of_value } else { T::of_light };
            let colors = if channels < 3 { 1 } else { 3 };
            for (out, value) in out.iter_mut().zip(&color[..colors]) {
                *out = code(*value);
            }
            if channels.is_multiple_of(2) {
                out[channels - 1] = T::of_value(*a);
            }
        }
    }

    fn color(&self, mut color: [f32; 3], alpha: f32) -> [f32; 3] {
        if self.raw {
            return color;
        }
        if let Some(range) = self.range {
            return color.map(|value| place_in(value, range).clamp(0.0, 1.0));
        }
        // What shines without covering anything has no straight colour: it stays as it is.
        let factor = if self.straight && alpha > 0.0 { self.gain / alpha } else { self.gain };
        color = color.map(|value| value * factor);
        if self.tone_map == ToneMap::None { color } else { self.tone_map.apply(color) }
    }
}

/// What the numbers of a picture do not hold of the light that they were made of.
#[derive(Default)]
pub(crate) struct NotHeld {
    /// Some numbers are rounded.
    pub(crate) is_rounded: AtomicBool,
    /// Pixels with colours below 0 or above 1, which were cut.
    pub(crate) outside: AtomicU64,
    /// Pixels that shine without covering anything: with straight alpha they are black.
    pub(crate) uncovered: AtomicU64,
}

impl NotHeld {
    /// Looks through a row that was stored.
    fn look<T: Code>(&self, look: &Look, row: &[f32], channels: usize, out: &[T]) {
        let is_float = T::NEAR == f32::INFINITY;
        if is_float && !look.straight {
            return;
        }
        let colors = if channels < 3 { 1 } else { 3 };
        let mut is_rounded = is_float || self.is_rounded.load(Relaxed);
        let (mut outside, mut uncovered) = (0, 0);
        let is_scaled = look.raw || look.range.is_none() && look.tone_map == ToneMap::None;
        if is_rounded && !is_float && is_scaled {
            // Nothing is left to find but colours outside and uncovered, without a division.
            let gain = if look.raw { 1.0 } else { look.gain };
            let is_straight = look.straight && !look.raw;
            for &[r, g, b, a] in row.as_chunks::<4>().0 {
                let whole = if is_straight & (a > 0.0) { a } else { 1.0 };
                let held = |value: f32| {
                    let value = value * gain;
                    (value >= -T::NEAR * whole) & (value <= (1.0 + T::NEAR) * whole)
                };
                outside += u64::from(!held(r) | (colors == 3) & !(held(g) & held(b)));
                let shines = (r != 0.0) | (g != 0.0) | (b != 0.0);
                uncovered += u64::from(is_straight & (a == 0.0) & shines);
            }
            self.outside.fetch_add(outside, Relaxed);
            self.uncovered.fetch_add(uncovered, Relaxed);
            return;
        }
        for (&[r, g, b, a], codes) in row.as_chunks::<4>().0.iter().zip(out.chunks_exact(channels))
        {
            uncovered += u64::from(!look.raw && look.straight && a == 0.0 && [r, g, b] != [0.0; 3]);
            // Curves of tone mapping bring all light between 0 and 1.
            if is_float || is_rounded && look.tone_map != ToneMap::None {
                continue;
            }
            let color = look.color([r, g, b], a);
            let near = -T::NEAR..=1.0 + T::NEAR;
            let is_outside = color[..colors].iter().any(|value| !near.contains(value));
            outside += u64::from(is_outside);
            if !is_rounded && !is_outside {
                let back = |code: T| if look.raw { code.value() } else { code.light() };
                let is_off = |(&value, &code): (&f32, &T)| {
                    (back(code) - value).abs() > T::NEAR * value.abs().max(1e-2)
                };
                is_rounded = color[..colors].iter().zip(codes).any(is_off);
            }
        }
        self.outside.fetch_add(outside, Relaxed);
        self.uncovered.fetch_add(uncovered, Relaxed);
        if is_rounded && !is_float {
            self.is_rounded.store(true, Relaxed);
        }
    }
}

/// Where a value is between the ends of a range: 0 at the low one, 1 at the high one.
pub(crate) fn place_in(value: f32, [low, high]: [f32; 2]) -> f32 {
    // A difference of numbers near the largest is infinite, that of their halves is not.
    let half = if (high - low).is_finite() { 1.0 } else { 0.5 };
    let span = if high > low { high * half - low * half } else { 1.0 };
    (value * half - low * half) / span
}

/// All of `view` as numbers, `channels` a pixel.
pub(crate) fn encode<T: Code>(
    view: &View<'_>,
    look: &Look,
    channels: usize,
    not_held: &NotHeld,
    work: &Work,
) -> Result<Vec<T>> {
    let width = view.width();
    let mut out = solio_base::memory::with_capacity(width * view.height() * channels);
    out.resize(width * view.height() * channels, T::default());
    let scratch = || (vec![0f32; 4 * width], Buffers::default());
    rows::fill(work, &mut out, width * channels, scratch, |y, out, (row, buffers)| {
        view.row(y, row, buffers);
        look.store(row, channels, out);
        not_held.look(look, row, channels, out);
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_held_is_counted_alike_on_both_ways() {
        let values = [0.0, -0.5, 0.25, 0.5, 1.0, 1.25, 4.0, f32::NAN, f32::INFINITY];
        let alphas = [0.0, 0.5, 1.0, 2.0, -1.0];
        let mut row = Vec::new();
        for r in values {
            for b in values {
                for a in alphas {
                    row.extend([r, 0.25, b, a]);
                }
            }
        }
        for straight in [false, true] {
            for raw in [false, true] {
                for channels in 1..=4 {
                    let look = Look { gain: 1.5, straight, raw, ..Look::default() };
                    let mut out = vec![0u16; row.len() / 4 * channels];
                    look.store(&mut row.clone(), channels, &mut out);
                    let counts = [false, true].map(|is_rounded| {
                        let found = NotHeld { is_rounded: is_rounded.into(), ..NotHeld::default() };
                        found.look(&look, &row, channels, &out);
                        [found.outside.load(Relaxed), found.uncovered.load(Relaxed)]
                    });
                    assert_eq!(counts[0], counts[1], "{look:?}, {channels} channels");
                    assert_ne!(counts[0][0], 0);
                    assert_eq!(counts[0][1] != 0, straight && !raw);
                }
            }
        }
    }
}
