//! Patterns of surfaces: pictures of files, checkers, and what textures make of them.
//!
//! Source: *pbrt* version 4, `textures.cpp` and `mipmap.cpp`: a place on the surface is mapped to
//! (s, t), pictures are seen from their lower left corner, values between pixels are bilinear.

use solio_base::{Error, Result};

/// Of a picture that is not there.
const GREY: [f32; 3] = [0.5; 3];

/// How the integers of a picture become light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TextureEncoding {
    /// By the curve of sRGB.
    #[default]
    Srgb,
    /// As they are.
    Linear,
    /// To this power.
    Gamma(f32),
}

impl TextureEncoding {
    /// Tells it from others.
    pub(super) fn key(self) -> (u8, u32) {
        match self {
            TextureEncoding::Srgb => (0, 0),
            TextureEncoding::Linear => (1, 0),
            TextureEncoding::Gamma(power) => (2, power.to_bits()),
        }
    }
}

/// A picture that a texture names, in linear light.
#[derive(Clone, Debug, PartialEq)]
pub struct TexturePicture {
    width: usize,
    height: usize,
    /// Row by row from the top.
    pixels: Vec<[f32; 3]>,
    mean: [f32; 3],
}

impl TexturePicture {
    /// A picture of so many columns; rows from the top.
    ///
    /// # Errors
    /// Where the pixels make no rows, or there are none.
    pub fn new(width: usize, pixels: Vec<[f32; 3]>) -> Result<TexturePicture> {
        if pixels.is_empty() || width == 0 || !pixels.len().is_multiple_of(width) {
            let message = format!("{} pixels make no rows of {width}", pixels.len());
            return Err(Error::corrupt(message));
        }
        let sum =
            pixels.iter().fold([0f64; 3], |sum, p| [0, 1, 2].map(|i| sum[i] + f64::from(p[i])));
        let mean = sum.map(|sum| (sum / pixels.len() as f64) as f32);
        Ok(TexturePicture { width, height: pixels.len() / width, pixels, mean })
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.pixels) as u64
    }

    /// Keeps nothing but its mean.
    pub(super) fn keep_mean(&mut self) {
        (self.width, self.height, self.pixels) = (1, 1, vec![self.mean]);
    }

    /// The value at (s, t), which are 0 at the lower left corner and 1 at the upper right one.
    fn at(&self, [s, t]: [f32; 2], wrap: Wrap) -> [f32; 3] {
        let (x, y) = (s * self.width as f32 - 0.5, (1.0 - t) * self.height as f32 - 0.5);
        // So far away, or nowhere, there is nothing to tell pixels by.
        if !(x.abs() < 1e9 && y.abs() < 1e9) {
            return self.mean;
        }
        let (left, top) = (x.floor(), y.floor());
        let (right, low) = (x - left, y - top);
        let pixel = |dx: i64, dy: i64| self.pixel(left as i64 + dx, top as i64 + dy, wrap);
        let [a, b, c, d] = [pixel(0, 0), pixel(1, 0), pixel(0, 1), pixel(1, 1)];
        [0, 1, 2].map(|i| {
            (1.0 - low) * ((1.0 - right) * a[i] + right * b[i])
                + low * ((1.0 - right) * c[i] + right * d[i])
        })
    }

    fn pixel(&self, x: i64, y: i64, wrap: Wrap) -> [f32; 3] {
        let (width, height) = (self.width as i64, self.height as i64);
        let (x, y) = match wrap {
            Wrap::Repeat => (x.rem_euclid(width), y.rem_euclid(height)),
            Wrap::Clamp => (x.clamp(0, width - 1), y.clamp(0, height - 1)),
            Wrap::Black if x < 0 || y < 0 || x >= width || y >= height => return [0.0; 3],
            Wrap::Black => (x, y),
        };
        self.pixels[(y * width + x) as usize]
    }
}

/// What lies beyond the borders of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wrap {
    Repeat,
    Clamp,
    Black,
}

/// From (u, v) of a surface to (s, t).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mapping {
    pub(crate) scale: [f32; 2],
    pub(crate) offset: [f32; 2],
}

impl Mapping {
    fn of(&self, uv: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|i| self.scale[i] * uv[i] + self.offset[i])
    }
}

/// What a surface reflects, by the place on it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TexturePattern {
    Color([f32; 3]),
    /// A picture, by its number; its mean where there is no mapping.
    Picture {
        number: usize,
        mapping: Option<Mapping>,
        wrap: Wrap,
        scale: f32,
        invert: bool,
    },
    /// Squares of side 1, the first at (0, 0).
    Checker {
        mapping: Mapping,
        parts: Box<[TexturePattern; 2]>,
    },
    Scale(Box<[TexturePattern; 2]>),
    /// The first, the second, and how much the second counts.
    Mix(Box<[TexturePattern; 3]>),
}

impl TexturePattern {
    /// Its value at a place; without a place its mean, about.
    pub(super) fn at(&self, uv: Option<[f32; 2]>, pictures: &[Option<TexturePicture>]) -> [f32; 3] {
        match self {
            TexturePattern::Color(color) => *color,
            TexturePattern::Picture { number, mapping, wrap, scale, invert } => {
                let Some(Some(picture)) = pictures.get(*number) else { return GREY };
                let value = match (uv, mapping) {
                    (Some(uv), Some(mapping)) => picture.at(mapping.of(uv), *wrap),
                    _ => picture.mean,
                };
                value.map(
                    |c| if *invert { (1.0 - scale * c).max(0.0) } else { (scale * c).max(0.0) },
                )
            }
            TexturePattern::Checker { mapping, parts } => {
                let Some(uv) = uv else {
                    return mixed(
                        parts[0].at(None, pictures),
                        parts[1].at(None, pictures),
                        [0.5; 3],
                    );
                };
                let [s, t] = mapping.of(uv).map(f32::floor);
                parts[usize::from((s + t).rem_euclid(2.0) == 1.0)].at(Some(uv), pictures)
            }
            TexturePattern::Scale(parts) => {
                let [a, b] = [&parts[0], &parts[1]].map(|part| part.at(uv, pictures));
                [0, 1, 2].map(|i| a[i] * b[i])
            }
            TexturePattern::Mix(parts) => {
                let [a, b, amount] =
                    [&parts[0], &parts[1], &parts[2]].map(|part| part.at(uv, pictures));
                mixed(a, b, amount)
            }
        }
    }

    /// Calls `each` with the number of every picture in it.
    pub(super) fn pictures(&self, each: &mut impl FnMut(usize)) {
        match self {
            TexturePattern::Color(_) => {}
            TexturePattern::Picture { number, .. } => each(*number),
            TexturePattern::Checker { parts, .. } | TexturePattern::Scale(parts) => {
                parts.iter().for_each(|part| part.pictures(each));
            }
            TexturePattern::Mix(parts) => parts.iter().for_each(|part| part.pictures(each)),
        }
    }

    /// Of constant parts it is a constant itself.
    pub(super) fn folded(self) -> TexturePattern {
        let constant = |part: &TexturePattern| matches!(part, TexturePattern::Color(_));
        let is_constant = match &self {
            TexturePattern::Scale(parts) => parts.iter().all(constant),
            TexturePattern::Mix(parts) => parts.iter().all(constant),
            TexturePattern::Checker { parts, .. } => parts[0] == parts[1] && constant(&parts[0]),
            _ => false,
        };
        if is_constant { TexturePattern::Color(self.at(None, &[])) } else { self }
    }
}

fn mixed(a: [f32; 3], b: [f32; 3], amount: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|i| (1.0 - amount[i]) * a[i] + amount[i] * b[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPING: Mapping = Mapping { scale: [1.0; 2], offset: [0.0; 2] };

    /// Two columns, two rows: the upper left pixel is 0, then 0.2, below 0.4 and 0.8.
    fn picture() -> TexturePicture {
        TexturePicture::new(2, [0.0, 0.2, 0.4, 0.8].map(|v| [v; 3]).to_vec()).unwrap()
    }

    fn near(value: [f32; 3], expected: f32) {
        assert!((value[0] - expected).abs() < 1e-6, "{value:?}, not {expected}");
    }

    #[test]
    fn pictures_are_seen_from_their_lower_left_corner() {
        let picture = picture();
        // The middles of the pixels.
        near(picture.at([0.25, 0.75], Wrap::Repeat), 0.0);
        near(picture.at([0.75, 0.75], Wrap::Repeat), 0.2);
        near(picture.at([0.25, 0.25], Wrap::Repeat), 0.4);
        near(picture.at([0.75, 0.25], Wrap::Repeat), 0.8);
        // Between all four, and a quarter of the way from left to right in the upper row.
        near(picture.at([0.5, 0.5], Wrap::Repeat), 0.35);
        near(picture.at([0.375, 0.75], Wrap::Repeat), 0.05);
    }

    #[test]
    fn borders_are_as_they_are_wrapped() {
        let picture = picture();
        let corner = [0.0, 0.0];
        near(picture.at(corner, Wrap::Clamp), 0.4);
        near(picture.at(corner, Wrap::Black), 0.1);
        near(picture.at(corner, Wrap::Repeat), 0.35);
        near(picture.at([-7.25, 13.75], Wrap::Repeat), 0.2);
        near(picture.at([-7.25, 13.75], Wrap::Clamp), 0.0);
        near(picture.at([-7.25, 13.75], Wrap::Black), 0.0);
        near(picture.at([f32::NAN, f32::INFINITY], Wrap::Clamp), 0.35);
        near(picture.at([1e30, -1e30], Wrap::Repeat), 0.35);
    }

    #[test]
    fn patterns_are_made_of_parts() {
        let pictures = [Some(picture())];
        let of = |scale, invert| TexturePattern::Picture {
            number: 0,
            mapping: Some(MAPPING),
            wrap: Wrap::Clamp,
            scale,
            invert,
        };
        let low_left = Some([0.25, 0.25]);
        near(of(2.0, false).at(low_left, &pictures), 0.8);
        near(of(2.0, true).at(low_left, &pictures), 0.2);
        near(of(4.0, true).at(low_left, &pictures), 0.0);
        near(of(1.0, false).at(None, &pictures), 0.35);
        near(of(1.0, false).at(low_left, &[None]), 0.5);
        let grey = |v| TexturePattern::Color([v; 3]);
        let scale = TexturePattern::Scale(Box::new([of(1.0, false), grey(0.5)]));
        near(scale.at(low_left, &pictures), 0.2);
        let mix = TexturePattern::Mix(Box::new([of(1.0, false), grey(1.0), grey(0.25)]));
        near(mix.at(low_left, &pictures), 0.55);
        assert_eq!(TexturePattern::Scale(Box::new([grey(0.5), grey(0.5)])).folded(), grey(0.25));
        let mapping = Mapping { scale: [4.0, 2.0], offset: [0.0, 1.0] };
        let parts = Box::new([grey(0.0), grey(1.0)]);
        let checker = TexturePattern::Checker { mapping, parts };
        near(checker.at(Some([0.1, 0.1]), &pictures), 1.0);
        near(checker.at(Some([0.3, 0.1]), &pictures), 0.0);
        near(checker.at(Some([-0.1, 0.6]), &pictures), 1.0);
        near(checker.at(None, &pictures), 0.5);
    }
}
