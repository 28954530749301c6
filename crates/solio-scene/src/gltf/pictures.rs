//! Pictures of surfaces: beside a `.gltf`, within a `.glb`.

use super::buffer::GltfBuffer;
use super::document::TRANSFORM;
use crate::export::{ExportMeshes, LeftOut, LossName, SurfacePicture};
use crate::preview::Wrap;
use gltf_json as json;
use json::texture::{Info, Sampler, Texture, WrappingMode};
use json::validation::Checked;
use json::{Image, Index};
use serde_json::json;
use solio_base::{ErrorKind, Result};
use std::collections::HashMap;

const FORMAT: LossName = [
    "picture that is neither PNG nor JPEG, or cannot be read: its constant part counts",
    "pictures that are neither PNG nor JPEG, or cannot be read: their constant parts count",
];
const CURVE: LossName = [
    "picture whose values are light, or that is black around: its constant part counts",
    "pictures whose values are light, or that are black around: their constant parts count",
];

/// What is in the document so far.
pub(super) struct GltfPictures {
    /// Whether bytes are taken along.
    takes: bool,
    /// Of names; `None` for what cannot be written.
    images: HashMap<Vec<u8>, Option<u32>>,
    textures: HashMap<(u32, bool), u32>,
}

impl GltfPictures {
    pub(super) fn new(takes: bool) -> GltfPictures {
        GltfPictures { takes, images: HashMap::new(), textures: HashMap::new() }
    }

    /// The texture of a picture; `None` where glTF has no words for it, which is told.
    pub(super) fn texture(
        &mut self,
        picture: &SurfacePicture,
        files: &dyn ExportMeshes,
        root: &mut json::Root,
        buffer: &mut GltfBuffer<'_>,
        left: &mut LeftOut,
    ) -> Result<Option<Info>> {
        // Colours of glTF are by the curve of sRGB.
        if picture.is_linear || picture.wrap == Wrap::Black {
            left.add(CURVE, 1);
            return Ok(None);
        }
        let known = self.images.get(&picture.name).copied();
        let image = match known {
            Some(known) => known,
            None => {
                let made = self.image(&picture.name, files, root, buffer);
                let made = match made {
                    Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                    made => made.ok().flatten(),
                };
                self.images.insert(picture.name.clone(), made);
                made
            }
        };
        let Some(image) = image else {
            left.add(FORMAT, 1);
            return Ok(None);
        };
        let is_clamped = picture.wrap == Wrap::Clamp;
        let texture = *self.textures.entry((image, is_clamped)).or_insert_with(|| {
            let mode = match is_clamped {
                true => WrappingMode::ClampToEdge,
                false => WrappingMode::Repeat,
            };
            let (wrap_s, wrap_t) = (Checked::Valid(mode), Checked::Valid(mode));
            root.samplers.push(Sampler { wrap_s, wrap_t, ..Sampler::default() });
            root.textures.push(Texture {
                name: None,
                sampler: Some(Index::new(root.samplers.len() as u32 - 1)),
                source: Index::new(image),
                extensions: None,
                extras: Default::default(),
            });
            root.textures.len() as u32 - 1
        });
        Ok(Some(info(picture, texture)))
    }

    fn image(
        &self,
        name: &[u8],
        files: &dyn ExportMeshes,
        root: &mut json::Root,
        buffer: &mut GltfBuffer<'_>,
    ) -> Result<Option<u32>> {
        let file = files.picture(name)?;
        let Some(mime) = file.mime else { return Ok(None) };
        let (uri, view) = match self.takes {
            true => (None, Some(Index::new(buffer.bytes(&files.picture_bytes(name)?)?))),
            false => (Some(file.uri), None),
        };
        root.images.push(Image {
            buffer_view: view,
            mime_type: self.takes.then(|| json::image::MimeType(mime.to_owned())),
            name: None,
            uri,
            extensions: None,
            extras: Default::default(),
        });
        Ok(Some(root.images.len() as u32 - 1))
    }
}

/// A texture as a material uses it. pbrt counts (s, t) from the lower left corner, glTF from the upper
/// left one.
fn info(picture: &SurfacePicture, texture: u32) -> Info {
    let [su, sv] = picture.mapping.scale;
    let [du, dv] = picture.mapping.offset;
    let is_plain = [su, sv, du, dv] == [1.0, 1.0, 0.0, 0.0];
    let extensions = (!is_plain).then(|| {
        let value = json!({ "scale": [su, sv], "offset": [du, 1.0 - sv - dv] });
        let mut info = json::extensions::texture::Info::default();
        info.others.insert(TRANSFORM.to_owned(), value);
        info
    });
    Info { index: Index::new(texture), tex_coord: 0, extensions, extras: Default::default() }
}
