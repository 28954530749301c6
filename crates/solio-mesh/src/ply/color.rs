//! Vertex colours: between linear light and sRGB, to bytes.

use crate::color::linear_to_srgb;
use crate::model::ColorSpace;

/// How colours change on their way into a file.
#[derive(Clone, Copy)]
pub(crate) struct ColorPath {
    pub(crate) from: ColorSpace,
    pub(crate) to: ColorSpace,
    /// Cut to bytes as Blender does, instead of rounding.
    pub(crate) cut: bool,
}

impl ColorPath {
    /// The colour in the file's space; alpha stays.
    pub(crate) fn convert(self, c: [f32; 4]) -> [f32; 4] {
        let channel = match (self.from, self.to) {
            (ColorSpace::Linear, ColorSpace::Srgb) => linear_to_srgb,
            (ColorSpace::Srgb, ColorSpace::Linear) => to_linear,
            _ => return c,
        };
        [channel(c[0]), channel(c[1]), channel(c[2]), c[3]]
    }

    /// The colour in the file's space as bytes.
    pub(crate) fn bytes(self, c: [f32; 4]) -> [u8; 4] {
        let c = self.convert(c);
        if self.cut {
            return c.map(|v| (v * 255.0) as u8); // `as` keeps to 0..=255
        }
        c.map(|v| (v * 255.0).round_ties_even() as u8)
    }
}

fn to_linear(v: f32) -> f32 {
    if v < 0.04045 {
        return if v < 0.0 { 0.0 } else { v * (1.0 / 12.92) };
    }
    ((v + 0.055) * (1.0 / 1.055)).powf(2.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_and_blender_cuts() {
        let same = ColorPath { from: ColorSpace::Srgb, to: ColorSpace::Srgb, cut: false };
        for byte in 0..=255u8 {
            let c = byte as f32 / 255.0;
            assert_eq!(same.bytes([c; 4]), [byte; 4]);
        }
        let blender = ColorPath { from: ColorSpace::Linear, to: ColorSpace::Srgb, cut: true };
        assert_eq!(blender.bytes([1.0, 0.0, 1.0 / 9.0, 0.5]), [254, 0, 93, 127]);
    }

    /// What Blender 5.2.3 writes for light that no byte holds: in sRGB, and as it is.
    #[test]
    fn blender_keeps_to_a_byte() {
        let path = |to| ColorPath { from: ColorSpace::Linear, to, cut: true };
        for (light, in_srgb, as_it_is) in [
            (-0.5, 0, 0),
            (-1e10, 0, 0),
            (1.0, 254, 255),
            (1.004, 255, 255),
            (1.5, 255, 255),
            (1000.0, 255, 255),
            (1e10, 255, 255),
            (1e30, 0, 255),
            (f32::INFINITY, 0, 255),
            (f32::NEG_INFINITY, 0, 0),
            (f32::NAN, 0, 0),
        ] {
            let colors =
                [ColorSpace::Srgb, ColorSpace::Linear].map(|to| path(to).bytes([light; 4]));
            let [r, l] = [in_srgb, as_it_is];
            assert_eq!(colors, [[r, r, r, l], [l; 4]], "{light}");
        }
    }
}
