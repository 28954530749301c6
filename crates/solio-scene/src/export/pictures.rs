//! Textures as files: those of the scene where a format can take them as they are, else baked ones.

use super::{ExportMeshes, LeftOut, LossName};
use crate::look::{
    BakedLayers, LookColor, LookNumber, LookTexture, Looks, TextureChannel, TextureEncoding,
    TexturePattern, TexturePicture, TextureSource, TextureTransform, Wrap,
};
use solio_base::{ErrorKind, Result};
use solio_color::srgb;

/// A file that holds a picture, for who refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// What the output calls it: a URI reference, relative or absolute.
    pub uri: String,
    /// The same as a path.
    pub path: String,
    /// The media type, such as `image/png`; `None` for what is neither PNG nor JPEG.
    pub mime: Option<&'static str>,
}

/// A picture that is to become a file, of 8 bits a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedPicture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row from the top: red, green, blue, alpha.
    pub pixels: Vec<[u8; 4]>,
    /// Whether alpha counts; else it is 255 everywhere.
    pub has_alpha: bool,
}

/// Columns and rows of a baked picture, at most.
const MOST_SIDE: usize = 2048;

const UNREAD: LossName = [
    "picture that cannot be read: its mean counts",
    "pictures that cannot be read: their means count",
];
const NEAR: LossName = [
    "texture that was baked as (u, v) from 0 to 1, or with fewer pixels",
    "textures that were baked as (u, v) from 0 to 1, or with fewer pixels",
];

/// What a picture is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PictureUse {
    /// Colours, by the curve of sRGB.
    Color,
    /// Colours, and alpha by the second layer.
    ColorAlpha,
    /// One number, in all channels.
    Number,
    /// Numbers in green and blue (roughness, metallic), red is 1.
    GreenBlue,
    /// Normals: three numbers.
    Vector,
}

/// A texture as a format gets it.
#[derive(Clone, Debug)]
pub(crate) enum ExportPicture {
    /// There is no picture: the value of each layer.
    Even(Vec<[f32; 3]>),
    /// A file.
    File(TextureFile),
}

#[derive(Clone, Debug)]
pub(crate) struct TextureFile {
    pub(crate) place: PicturePlace,
    /// What the values of the picture are multiplied by.
    pub(crate) factor: [f32; 3],
    pub(crate) transform: TextureTransform,
    pub(crate) wrap: Wrap,
    /// Whether its integers are the values; else they are by the curve of sRGB.
    pub(crate) is_linear: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum PicturePlace {
    /// A file of the scene, under the name that the scene gives it.
    Named(Vec<u8>, PictureFile),
    /// A PNG that was baked: what tells it from others, and its bytes.
    Baked(String, Vec<u8>),
}

/// What a format takes as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PictureTakes {
    /// Other files than PNG and JPEG.
    pub(crate) any_file: bool,
    /// Linear integers as colours.
    pub(crate) linear_colors: bool,
    /// Nothing beyond the borders.
    pub(crate) black: bool,
}

/// Where textures come from.
pub(crate) struct PictureSource<'w> {
    pub(crate) looks: &'w Looks<'w>,
    pub(crate) files: &'w dyn ExportMeshes,
    pub(crate) takes: PictureTakes,
}

impl PictureSource<'_> {
    /// A colour: its factor where it has no texture.
    pub(crate) fn color(&self, color: &LookColor, left: &mut LeftOut) -> Result<ExportPicture> {
        match &color.texture {
            None => Ok(ExportPicture::Even(vec![color.factor])),
            Some(texture) => match self.direct(texture, PictureUse::Color)? {
                Some(file) => Ok(ExportPicture::File(TextureFile { factor: color.factor, ..file })),
                None => self.baked(vec![color.pattern()], PictureUse::Color, left),
            },
        }
    }

    /// A number, in all channels.
    pub(crate) fn number(&self, number: &LookNumber, left: &mut LeftOut) -> Result<ExportPicture> {
        match &number.texture {
            None => Ok(ExportPicture::Even(vec![[number.factor; 3]])),
            Some(_) => self.baked(vec![number.pattern()], PictureUse::Number, left),
        }
    }

    /// Normals.
    pub(crate) fn normals(
        &self,
        texture: &LookTexture,
        left: &mut LeftOut,
    ) -> Result<Option<TextureFile>> {
        if let Some(file) = self.direct(texture, PictureUse::Vector)? {
            return Ok(Some(file));
        }
        let baked = self.baked(vec![texture.pattern.clone()], PictureUse::Vector, left)?;
        Ok(match baked {
            ExportPicture::File(file) => Some(file),
            ExportPicture::Even(_) => None,
        })
    }

    /// The file of the scene, where a format can take it as it is.
    fn direct(&self, texture: &LookTexture, used: PictureUse) -> Result<Option<TextureFile>> {
        let TextureSource::Picture(number) = texture.source else { return Ok(None) };
        let picture = &self.looks.pictures[number as usize];
        let is_linear = picture.encoding == TextureEncoding::Linear;
        let fits = match used {
            PictureUse::Color => !is_linear || self.takes.linear_colors,
            PictureUse::Vector => is_linear,
            _ => false,
        };
        let is_black = texture.wrap == Wrap::Black && !self.takes.black;
        if !fits || is_black || texture.channel != TextureChannel::Color {
            return Ok(None);
        }
        let file = match self.files.picture(&picture.name) {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(_) => return Ok(None),
            Ok(file) => file,
        };
        if file.mime.is_none() && !self.takes.any_file {
            return Ok(None);
        }
        Ok(Some(TextureFile {
            place: PicturePlace::Named(picture.name.clone(), file),
            factor: [1.0; 3],
            transform: texture.transform,
            wrap: texture.wrap,
            is_linear,
        }))
    }

    /// Patterns as one PNG; where files cannot be read, their means.
    pub(crate) fn baked(
        &self,
        patterns: Vec<TexturePattern>,
        used: PictureUse,
        left: &mut LeftOut,
    ) -> Result<ExportPicture> {
        let key = format!("{used:?} {patterns:?}");
        let mut read = |picture: &_| self.files.pixels(picture, MOST_SIDE);
        let mean = |pattern: &TexturePattern| crate::look::within(pattern.at(None, &[]));
        let baked = self.looks.bake_layers(patterns.clone(), MOST_SIDE, &mut read);
        let BakedLayers { layers, transform, wrap, is_exact } = match baked {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(_) => {
                left.add(UNREAD, 1);
                return Ok(ExportPicture::Even(patterns.iter().map(mean).collect()));
            }
            Ok(baked) => baked,
        };
        left.add(NEAR, u64::from(!is_exact));
        if layers[0].size() == [1, 1] {
            return Ok(ExportPicture::Even(layers.iter().map(TexturePicture::mean).collect()));
        }
        let png = match self.files.png(&encoded(&layers, used)) {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(_) => {
                left.add(UNREAD, 1);
                return Ok(ExportPicture::Even(layers.iter().map(TexturePicture::mean).collect()));
            }
            Ok(png) => png,
        };
        Ok(ExportPicture::File(TextureFile {
            place: PicturePlace::Baked(key, png),
            factor: [1.0; 3],
            transform,
            wrap,
            is_linear: !matches!(used, PictureUse::Color | PictureUse::ColorAlpha),
        }))
    }
}

fn encoded(layers: &[TexturePicture], used: PictureUse) -> EncodedPicture {
    let [width, height] = layers[0].size().map(|side| side as u32);
    let code = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let first = layers[0].pixels();
    let second = layers.last().map_or(first, TexturePicture::pixels);
    let pixel = |i: usize| match used {
        PictureUse::Color | PictureUse::ColorAlpha => {
            let [r, g, b] = first[i].map(|light| code(srgb::from_linear(light)));
            let alpha =
                if used == PictureUse::ColorAlpha { code(grey(second[i])) } else { u8::MAX };
            [r, g, b, alpha]
        }
        PictureUse::Number => opaque([code(grey(first[i])); 3]),
        PictureUse::GreenBlue => [u8::MAX, code(grey(first[i])), code(grey(second[i])), u8::MAX],
        PictureUse::Vector => opaque(first[i].map(code)),
    };
    let pixels = (0..first.len()).map(pixel).collect();
    EncodedPicture { width, height, pixels, has_alpha: used == PictureUse::ColorAlpha }
}

fn grey(color: [f32; 3]) -> f32 {
    color.iter().sum::<f32>() / 3.0
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, u8::MAX]
}
