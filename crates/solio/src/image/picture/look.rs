//! From linear light to the numbers of a picture file: exposure, tone mapping, straight alpha, and
//! the curve of sRGB where the numbers are integers.

use super::rows;
use super::view::{Buffers, View};
use solio_base::{Result, Work};
use solio_color::{ToneMap, srgb};

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
}

impl Code for u8 {
    fn of_light(light: f32) -> u8 {
        srgb::u8_of_light(light)
    }
    fn of_value(value: f32) -> u8 {
        // From a float to an integer Rust saturates, and takes no number for 0.
        (value * 255.0).round() as u8
    }
}

impl Code for u16 {
    fn of_light(light: f32) -> u16 {
        srgb::u16_of_light(light)
    }
    fn of_value(value: f32) -> u16 {
        (value * 65535.0).round() as u16
    }
}

impl Code for f32 {
    fn of_light(light: f32) -> f32 {
        light
    }
    fn of_value(value: f32) -> f32 {
        value
    }
}

impl Look {
    /// Finishes a row of four values a pixel, and stores `channels` of them: 1 grey, 2 grey and
    /// alpha, 3 colours, 4 colours and alpha.
    pub(crate) fn store<T: Code>(&self, row: &mut [f32], channels: usize, out: &mut [T]) {
        let (pixels, _) = row.as_chunks_mut::<4>();
        for ([r, g, b, a], out) in pixels.iter_mut().zip(out.chunks_exact_mut(channels)) {
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
    work: &Work,
) -> Result<Vec<T>> {
    let width = view.width();
    let mut out = solio_base::memory::with_capacity(width * view.height() * channels);
    out.resize(width * view.height() * channels, T::default());
    let scratch = || (vec![0f32; 4 * width], Buffers::default());
    rows::fill(work, &mut out, width * channels, scratch, |y, out, (row, buffers)| {
        view.row(y, row, buffers);
        look.store(row, channels, out);
    })?;
    Ok(out)
}
