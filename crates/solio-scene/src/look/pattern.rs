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
    pub(crate) fn key(self) -> (u8, u32) {
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
    is_smaller: bool,
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
        Ok(TexturePicture { width, height: pixels.len() / width, pixels, mean, is_smaller: false })
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.pixels) as u64
    }

    /// The same, of which it is known that the file has more pixels.
    pub fn smaller(self) -> TexturePicture {
        TexturePicture { is_smaller: true, ..self }
    }

    /// Whether the file has more pixels.
    pub fn is_smaller(&self) -> bool {
        self.is_smaller
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// The pixels, row by row from the top.
    pub fn pixels(&self) -> &[[f32; 3]] {
        &self.pixels
    }

    /// The mean of all pixels.
    pub fn mean(&self) -> [f32; 3] {
        self.mean
    }

    /// The pixel at a place: 0 to 1 from the left, and from the top.
    pub fn nearest(&self, x: f32, y: f32) -> [f32; 3] {
        let at = |x: f32, side: usize| ((x * side as f32).max(0.0) as usize).min(side - 1);
        self.pixels[at(y, self.height) * self.width + at(x, self.width)]
    }

    /// Keeps nothing but its mean.
    pub(crate) fn keep_mean(&mut self) {
        (self.width, self.height, self.pixels) = (1, 1, vec![self.mean]);
    }

    /// The value at (s, t), which are 0 at the lower left corner and 1 at the upper right one.
    pub(crate) fn at(&self, [s, t]: [f32; 2], wrap: Wrap) -> [f32; 3] {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The picture again.
    #[default]
    Repeat,
    /// The pixels at the border.
    Clamp,
    /// Nothing.
    Black,
}

/// From (u, v) of a surface to (s, t): `st = scale · uv + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Of u and of v.
    pub scale: [f32; 2],
    /// Added behind.
    pub offset: [f32; 2],
}

impl TextureTransform {
    /// What changes nothing.
    pub const IDENTITY: TextureTransform = TextureTransform { scale: [1.0; 2], offset: [0.0; 2] };

    /// (s, t) of a place.
    pub fn of(&self, uv: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|i| self.scale[i] * uv[i] + self.offset[i])
    }
}

/// What becomes of the values of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TextureCurve {
    /// pbrt-v4's roughness as perceptual roughness: the fourth root.
    Roughness,
    /// The same of version 3, by the polynomial of its logarithm.
    OlderRoughness,
    /// α as perceptual roughness: the root.
    Root,
    /// The base under a coat as the base of formats that blend linearly: [`super::uncoated`] of
    /// [`super::coated_albedo`].
    UnderCoat {
        /// α of the coat.
        alpha: f32,
        ior: f32,
    },
    /// Perceptual roughness as α.
    Square,
    /// The base of a coated surface as the diffuse reflectance of Mitsuba's plastic.
    Plastic {
        alpha: f32,
        ior: f32,
        /// How much the coat reflects.
        specular: f32,
        /// Whether the coat catches light.
        is_layered: bool,
    },
    /// F0 of a metal under a coat of this index (`reflectance` of a `coatedconductor`).
    MetalUnderCoat { ior: f32 },
}

impl TextureCurve {
    pub(crate) fn of(self, color: [f32; 3]) -> [f32; 3] {
        color.map(|x| match self {
            TextureCurve::Roughness => x.max(0.0).sqrt().sqrt().min(1.0),
            TextureCurve::OlderRoughness => {
                super::graph::alpha_of_version_3(x).clamp(0.0, 1.0).sqrt()
            }
            TextureCurve::Root => x.clamp(0.0, 1.0).sqrt(),
            TextureCurve::UnderCoat { alpha, ior } => {
                super::uncoated(super::coated_albedo(x, alpha, ior), ior)
            }
            TextureCurve::Square => x * x,
            TextureCurve::Plastic { alpha, ior, specular, is_layered } => {
                crate::mitsuba::plastic_reflectance(x, alpha, ior, specular, is_layered)
            }
            TextureCurve::MetalUnderCoat { ior } => super::metal::f0_under_coat(x, ior),
        })
    }
}

/// What a surface reflects, by the place on it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TexturePattern {
    Color([f32; 3]),
    /// A picture, by its number; its mean where there is no mapping.
    Picture {
        number: usize,
        mapping: Option<TextureTransform>,
        wrap: Wrap,
        scale: f32,
        invert: bool,
        /// Whether its encoding is one that formats know: sRGB or linear.
        is_plain: bool,
    },
    /// Squares of side 1, the first at (0, 0).
    Checker {
        mapping: TextureTransform,
        parts: Box<[TexturePattern; 2]>,
    },
    /// Between the values at (0, 0), (0, 1), (1, 0) and (1, 1), and beyond them.
    Corners {
        mapping: TextureTransform,
        corners: Box<[[f32; 3]; 4]>,
    },
    /// The fractions of s and t as red and green.
    Coordinates {
        mapping: TextureTransform,
    },
    Scale(Box<[TexturePattern; 2]>),
    /// The first, the second, and how much the second counts.
    Mix(Box<[TexturePattern; 3]>),
    Curve(Box<TexturePattern>, TextureCurve),
}

impl TexturePattern {
    /// Its value at a place; without a place its mean, about.
    pub(crate) fn at(&self, uv: Option<[f32; 2]>, pictures: &[Option<TexturePicture>]) -> [f32; 3] {
        match self {
            TexturePattern::Color(color) => *color,
            TexturePattern::Picture { number, mapping, wrap, scale, invert, .. } => {
                let value = match (pictures.get(*number), uv, mapping) {
                    (Some(Some(picture)), Some(uv), Some(mapping)) => {
                        picture.at(mapping.of(uv), *wrap)
                    }
                    (Some(Some(picture)), ..) => picture.mean,
                    _ => GREY,
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
            TexturePattern::Corners { mapping, corners } => {
                let [s, t] = uv.map_or([0.5; 2], |uv| mapping.of(uv));
                let [low, high] = [[corners[0], corners[2]], [corners[1], corners[3]]]
                    .map(|[left, right]| mixed(left, right, [s; 3]));
                mixed(low, high, [t; 3])
            }
            TexturePattern::Coordinates { mapping } => {
                let [s, t] = uv.map_or([0.5; 2], |uv| mapping.of(uv));
                [s - s.floor(), t - t.floor(), 0.0]
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
            TexturePattern::Curve(of, curve) => curve.of(of.at(uv, pictures)),
        }
    }

    /// Calls `each` with this pattern and all that it consists of.
    pub(crate) fn walk<'p>(&'p self, each: &mut dyn FnMut(&'p TexturePattern)) {
        each(self);
        match self {
            TexturePattern::Checker { parts, .. } | TexturePattern::Scale(parts) => {
                parts.iter().for_each(|part| part.walk(each));
            }
            TexturePattern::Mix(parts) => parts.iter().for_each(|part| part.walk(each)),
            TexturePattern::Curve(of, _) => of.walk(each),
            _ => {}
        }
    }

    /// Calls `each` with the number of every picture in it.
    pub(crate) fn pictures(&self, each: &mut impl FnMut(usize)) {
        self.walk(&mut |pattern| {
            if let TexturePattern::Picture { number, .. } = pattern {
                each(*number);
            }
        });
    }

    /// The same with each mapping changed.
    pub(crate) fn mapped(&self, change: &dyn Fn(&TextureTransform) -> TextureTransform) -> Self {
        let mut made = self.clone();
        made.change_mappings(change);
        made
    }

    fn change_mappings(&mut self, change: &dyn Fn(&TextureTransform) -> TextureTransform) {
        match self {
            TexturePattern::Color(_) => {}
            TexturePattern::Picture { mapping, .. } => *mapping = mapping.as_ref().map(change),
            TexturePattern::Corners { mapping, .. } | TexturePattern::Coordinates { mapping } => {
                *mapping = change(mapping);
            }
            TexturePattern::Checker { mapping, parts } => {
                *mapping = change(mapping);
                parts.iter_mut().for_each(|part| part.change_mappings(change));
            }
            TexturePattern::Scale(parts) => {
                parts.iter_mut().for_each(|part| part.change_mappings(change));
            }
            TexturePattern::Mix(parts) => {
                parts.iter_mut().for_each(|part| part.change_mappings(change));
            }
            TexturePattern::Curve(of, _) => of.change_mappings(change),
        }
    }

    /// Behind a curve; a constant at once.
    pub(crate) fn curved(self, curve: TextureCurve) -> TexturePattern {
        match self {
            TexturePattern::Color(color) => TexturePattern::Color(curve.of(color)),
            pattern => TexturePattern::Curve(Box::new(pattern), curve),
        }
    }

    /// Times a constant.
    pub(crate) fn scaled(self, factor: [f32; 3]) -> TexturePattern {
        match factor == [1.0; 3] {
            true => self,
            false => {
                TexturePattern::Scale(Box::new([self, TexturePattern::Color(factor)])).folded()
            }
        }
    }

    /// Of constant parts it is a constant itself.
    pub(crate) fn folded(self) -> TexturePattern {
        let constant = |part: &TexturePattern| matches!(part, TexturePattern::Color(_));
        let is_constant = match &self {
            TexturePattern::Scale(parts) => parts.iter().all(constant),
            TexturePattern::Mix(parts) => {
                // One that counts alone is all there is.
                match (&parts[0], &parts[1], &parts[2]) {
                    (a, _, TexturePattern::Color([0.0, 0.0, 0.0])) => return a.clone(),
                    (_, b, TexturePattern::Color([1.0, 1.0, 1.0])) => return b.clone(),
                    _ => parts.iter().all(constant),
                }
            }
            TexturePattern::Checker { parts, .. } => parts[0] == parts[1] && constant(&parts[0]),
            TexturePattern::Corners { corners, .. } => {
                corners.iter().all(|corner| *corner == corners[0])
            }
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

    const MAPPING: TextureTransform = TextureTransform::IDENTITY;

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
            is_plain: true,
        };
        let low_left = Some([0.25, 0.25]);
        near(of(2.0, false).at(low_left, &pictures), 0.8);
        near(of(2.0, true).at(low_left, &pictures), 0.2);
        near(of(4.0, true).at(low_left, &pictures), 0.0);
        near(of(1.0, false).at(None, &pictures), 0.35);
        near(of(1.0, false).at(low_left, &[None]), 0.5);
        near(of(0.5, false).at(None, &[None]), 0.25);
        let grey = |v| TexturePattern::Color([v; 3]);
        let scale = TexturePattern::Scale(Box::new([of(1.0, false), grey(0.5)]));
        near(scale.at(low_left, &pictures), 0.2);
        let mix = TexturePattern::Mix(Box::new([of(1.0, false), grey(1.0), grey(0.25)]));
        near(mix.at(low_left, &pictures), 0.55);
        assert_eq!(TexturePattern::Scale(Box::new([grey(0.5), grey(0.5)])).folded(), grey(0.25));
        let mapping = TextureTransform { scale: [4.0, 2.0], offset: [0.0, 1.0] };
        let parts = Box::new([grey(0.0), grey(1.0)]);
        let checker = TexturePattern::Checker { mapping, parts };
        near(checker.at(Some([0.1, 0.1]), &pictures), 1.0);
        near(checker.at(Some([0.3, 0.1]), &pictures), 0.0);
        near(checker.at(Some([-0.1, 0.6]), &pictures), 1.0);
        near(checker.at(None, &pictures), 0.5);
    }
}
