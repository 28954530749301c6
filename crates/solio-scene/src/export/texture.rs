//! Pictures on surfaces.

use crate::preview::{Mapping, MaterialFinder, TextureEncoding, TexturePattern, Wrap};

/// A picture that gives a surface its colours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SurfacePicture {
    /// As the scene calls it.
    pub(crate) name: Vec<u8>,
    /// Whether its integers are light; else they are light by the curve of sRGB.
    pub(crate) is_linear: bool,
    pub(crate) mapping: Mapping,
    pub(crate) wrap: Wrap,
    /// It is multiplied by this: 0 to 1.
    pub(crate) factor: [f32; 3],
}

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

/// The picture that a pattern consists of, if there is one alone, by (u, v), and not made brighter.
pub(super) fn picture_of(
    finder: &MaterialFinder<'_>,
    pattern: &TexturePattern,
) -> Option<SurfacePicture> {
    let picture = match pattern {
        TexturePattern::Picture { number, mapping, wrap, scale, invert: false } => {
            let (name, encoding) = finder.picture_of(*number);
            let is_linear = match encoding {
                TextureEncoding::Srgb => false,
                TextureEncoding::Linear => true,
                TextureEncoding::Gamma(_) => return None,
            };
            let (name, mapping) = (name.to_vec(), (*mapping)?);
            SurfacePicture { name, is_linear, mapping, wrap: *wrap, factor: [*scale; 3] }
        }
        TexturePattern::Scale(parts) => {
            let (of, factor) = match &**parts {
                [of, TexturePattern::Color(factor)] | [TexturePattern::Color(factor), of] => {
                    (of, factor)
                }
                _ => return None,
            };
            let mut picture = picture_of(finder, of)?;
            picture.factor = [0, 1, 2].map(|i| picture.factor[i] * factor[i]);
            picture
        }
        _ => return None,
    };
    let is_factor = picture.factor.iter().all(|factor| (0.0..=1.0).contains(factor));
    let of_mapping = picture.mapping.scale.iter().chain(&picture.mapping.offset);
    (is_factor && of_mapping.into_iter().all(|x| x.is_finite())).then_some(picture)
}
