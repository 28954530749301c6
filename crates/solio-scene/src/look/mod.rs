//! One material model: the materials, textures, lights, media and the camera of a scene, of either
//! version, reduced once to a small neutral form that every exporter, the preview and Python read.
//!
//! ```text
//! classes of v3 and v4 ──► parameters, textures ──► patterns ──► MaterialLook: a factor, a texture each
//! light sources ───────────────────────────────────────────────► LightLook
//! cameras, media ──────────────────────────────────────────────► CameraLook, MediumLook
//! what does not fit ───────────────────────────────────────────► Losses
//! ```
//!
//! **Colours** are linear light with the primaries of sRGB, as pbrt-v4's film sees them. **Roughness**
//! is the perceptual one of glTF, USD, OpenPBR and Principled: the root of α, the width of microfacets;
//! [`MaterialLook::alphas`] has α itself, along u and v. **Lights** have pbrt's own numbers: candela
//! of points, lux of directions, nits of surfaces and skies, without the factor 683. **Lengths** are
//! those of the world. **Space** is that of the scene, left-handed as pbrt's; exporters mirror it
//! where they have to ([`is_mirrored`]).
//!
//! A texture is a picture of a file where a format can say the same ([`TextureSource::Picture`]), else
//! a pattern that is [baked](Looks::bake): checkers, mixtures, inverted pictures, gammas, pictures that
//! are made brighter, roughness behind a curve. What depends on the place in space is its mean, and told.
//!
//! ```
//! # use solio_base::Work;
//! # use std::path::Path;
//! use solio_scene::{look::{LookClass, Looks}, scene::{NoFiles, read_scene}};
//! let text = b"WorldBegin\nMaterial \"conductor\" \"float roughness\" 0.0625\nShape \"sphere\"\n";
//! let path = Path::new("ball.pbrt");
//! let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
//! let looks = Looks::new(&scene);
//! let copper = &looks.materials[0];
//! assert_eq!((copper.class, copper.metallic.factor), (LookClass::Conductor, 1.0));
//! // α is the root of pbrt's roughness, and what most formats call roughness the root of α.
//! assert_eq!((copper.alphas, copper.roughness.factor), ([0.25; 2], 0.5));
//! assert!((copper.base.factor[0] - 0.955).abs() < 1e-3);
//! # Ok::<(), solio_base::Error>(())
//! ```

mod bake;
mod camera;
mod classes;
mod coat;
mod graph;
mod light;
mod medium;
mod metal;
mod model;
mod older;
mod pattern;
mod surface;
#[cfg(test)]
mod tests;

pub use bake::{BakedPicture, TextureBake};
pub use camera::{CameraLook, CameraProjection, is_mirrored};
pub use coat::{coated_albedo, uncoated};
pub use light::{
    EnvironmentMapping, LightLook, LightLookKind, LightPicture, sky_direction, sky_place,
};
pub use medium::MediumLook;
pub use model::{
    CoatLook, EmissionLook, LookClass, LookColor, LookNumber, LookPicture, LookTexture,
    MaterialLook, MixLook, SheenLook, SubsurfaceLook, TextureChannel, TextureSource,
};
pub use pattern::{TextureEncoding, TexturePicture, TextureTransform, Wrap};

pub(crate) use bake::BakedLayers;
pub(crate) use camera::{RayLens, equal_area_square_to_sphere, lens, resolution, screen, upright};
pub(crate) use graph::within;
pub(crate) use light::{DOME_TO_SKY, illuminance_of_sky};
pub(crate) use pattern::{TextureCurve, TexturePattern};
pub(crate) use surface::SurfaceKey;

use crate::export::LeftOut;
use crate::scene::Scene;
use solio_base::Losses;

/// The looks of a whole scene. Lists have the places of those of the scene: `materials[i]` is what
/// `scene.materials[i]` looks like.
///
/// See the [module](self) for an example.
#[derive(Debug)]
pub struct Looks<'s> {
    pub(crate) scene: &'s Scene,
    /// Of [`Scene::materials`].
    pub materials: Vec<MaterialLook>,
    /// What a shape without a material looks like: grey, diffuse.
    pub default_material: MaterialLook,
    /// Pictures of files that textures name, each once; read or not.
    pub pictures: Vec<LookPicture>,
    /// Of [`Scene::area_lights`].
    pub area_lights: Vec<EmissionLook>,
    /// Of [`Scene::lights`]; `None` for one whose matrix or points are no numbers, or whose class is
    /// not known.
    pub lights: Vec<Option<LightLook>>,
    /// The camera, if there is one.
    pub camera: Option<CameraLook>,
    /// Of [`Scene::media`].
    pub media: Vec<MediumLook>,
    /// By shapes that have one: the texture of `alpha`, of which [`Looks::alpha`] tells.
    pub(crate) alphas: Vec<LookNumber>,
    pub(crate) alpha_of_shape: std::collections::HashMap<u32, u32>,
    pub(crate) left: LeftOut,
}

impl<'s> Looks<'s> {
    /// Looks at everything once. Files of spectra must have been read before
    /// ([`Scene::read_spectra`]); pictures are read when something is [baked](Looks::bake).
    pub fn new(scene: &'s Scene) -> Looks<'s> {
        let graph = graph::TextureGraph::new(scene);
        let materials = classes::materials(&graph);
        let (alphas, alpha_of_shape) = surface::alphas(&graph);
        let area_lights =
            scene.area_lights.iter().map(|light| surface::emission(&graph, light)).collect();
        let lights = scene.lights.iter().map(|light| light::light_of(scene, light)).collect();
        let camera = CameraLook::of(scene);
        let media = scene.media.iter().map(|medium| medium::medium_of(scene, medium)).collect();
        let (pictures, left) = graph.finish();
        Looks {
            scene,
            materials,
            default_material: MaterialLook::plain("default"),
            pictures,
            area_lights,
            lights,
            camera,
            media,
            alphas,
            alpha_of_shape,
            left,
        }
    }

    /// What of materials and textures the model itself has no words for: what any format loses.
    pub fn losses(&self) -> Losses {
        self.left.losses()
    }
}
