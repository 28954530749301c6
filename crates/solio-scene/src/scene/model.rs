//! What a scene consists of.

use super::Motion;
use crate::pbrt::{Span, Statements};
use solio_base::{Error, named_enum};
use solio_color::spectrum::Spectrum;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

/// A number that means *none*: a shape without a material, a medium that is not there.
pub const NONE: u32 = u32::MAX;

/// Where something begins in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the file, unpacked.
    pub at: u64,
    /// The file, of [`Scene::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The byte in the line, from 1.
    pub column: u32,
}

/// A file of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneFile {
    /// Where it is.
    pub path: PathBuf,
    /// Where it was asked for; `None` for the first.
    pub included: Option<Place>,
    /// How many files are around it: 0 for the first.
    pub depth: u32,
    /// Bytes of its text, unpacked.
    pub bytes: u64,
}

named_enum! {
    /// The space of colours given as `rgb`. Packed scenes have the places in this list.
    #[derive(Default, Hash)]
    pub enum ColorSpace {
        /// sRGB; also where nothing is said.
        #[default]
        Srgb = "srgb",
        /// DCI-P3.
        DciP3 = "dci-p3",
        /// Rec. 2020.
        Rec2020 = "rec2020",
        /// ACES 2065-1.
        Aces2065 = "aces2065-1",
    }

    /// As pbrt calls it.
    pub fn name;
}

impl ColorSpace {
    /// That of this name, in any case.
    pub fn of_name(name: &[u8]) -> Option<ColorSpace> {
        let all = [ColorSpace::Srgb, ColorSpace::DciP3, ColorSpace::Rec2020, ColorSpace::Aces2065];
        all.into_iter().find(|space| space.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// What turns its colours into linear light with the primaries of sRGB, row after row: from the
    /// primaries of pbrt, with white staying white (linear Bradford). `None` for sRGB itself.
    ///
    /// ```
    /// use solio_scene::scene::ColorSpace;
    /// let [red, _, _] = ColorSpace::Rec2020.to_srgb().unwrap();
    /// assert!((red.iter().sum::<f32>() - 1.0).abs() < 1e-6); // of white
    /// assert_eq!(ColorSpace::Srgb.to_srgb(), None);
    /// ```
    pub fn to_srgb(self) -> Option<[[f32; 3]; 3]> {
        match self {
            ColorSpace::Srgb => None,
            ColorSpace::DciP3 => Some([
                [1.22494, -0.22494, 0.0],
                [-0.042057, 1.042057, 0.0],
                [-0.019638, -0.078636, 1.098274],
            ]),
            ColorSpace::Rec2020 => Some([
                [1.660491, -0.587641, -0.07285],
                [-0.12455, 1.1329, -0.00835],
                [-0.018151, -0.100579, 1.11873],
            ]),
            ColorSpace::Aces2065 => Some([
                [2.521686, -1.134131, -0.387555],
                [-0.27648, 1.372719, -0.096239],
                [-0.015378, -0.152975, 1.168353],
            ]),
        }
    }
}

/// Something that a directive made: its class and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entity {
    /// Where the directive stands.
    pub place: Place,
    /// Which of [`Scene::kept`] has its values.
    pub kept: u32,
    /// Its class, such as `trianglemesh`: some of that one's text.
    pub class: Span,
    /// Its parameters, of that one.
    pub parameters: Span,
    /// What `Attribute` added before: one of [`Scene::attributes`], or [`NONE`].
    pub inherited: u32,
    /// The space of its colours.
    pub color_space: ColorSpace,
}

/// The camera, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Class and parameters.
    pub entity: Entity,
    /// From the world to the camera, which looks along +z, with +y up.
    pub from_world: Motion,
    /// The medium around it, of [`Scene::media`], or [`NONE`].
    pub medium: u32,
}

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Class and parameters.
    pub entity: Entity,
    /// Object to world, of [`Scene::matrices`]; at the first time where it moves.
    pub matrix: u32,
    /// Object to world at the second time; the same number where it does not move.
    pub matrix_end: u32,
    /// Of [`Scene::materials`], or [`NONE`], which is a diffuse one.
    pub material: u32,
    /// Of [`Scene::area_lights`], or [`NONE`].
    pub area_light: u32,
    /// The medium inside, of [`Scene::media`], or [`NONE`].
    pub inside: u32,
    /// The medium outside, of [`Scene::media`], or [`NONE`].
    pub outside: u32,
    /// Whether its normals are turned.
    pub reverse_orientation: bool,
}

/// Shapes under a name, of which there are instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name.
    pub name: Vec<u8>,
    /// Where it is defined; `None` if it is only asked for.
    pub defined: Option<Place>,
    /// Where an instance was asked for first.
    pub first_use: Option<Place>,
    /// Its shapes, of [`Scene::shapes`].
    pub shapes: Range<u32>,
    /// How many instances there are.
    pub instances: u32,
}

/// Instances of objects, in the order of the text; arrays of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instances {
    /// Of [`Scene::objects`].
    pub objects: Vec<u32>,
    /// From the object's world to the world: three rows of four; at the first time where it moves.
    pub matrices: Vec<[f32; 12]>,
    /// Those that move, rising, and their matrices at the second time.
    pub moving: Vec<(u32, [f32; 12])>,
    /// Where they begin, in bytes from the start of their file.
    pub places: Vec<u64>,
    /// Which files they stand in: the first instance, and the file, of [`Scene::files`].
    pub files: Vec<(u32, u32)>,
}

/// A material, with a name or without.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name; empty where it has none.
    pub name: Vec<u8>,
    /// What it is; `None` if it is only asked for.
    pub entity: Option<Entity>,
    /// Where it was asked for by its name first.
    pub first_use: Option<Place>,
}

/// A medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Medium {
    /// Its name.
    pub name: Vec<u8>,
    /// What it is; `None` if it is only asked for.
    pub entity: Option<Entity>,
    /// Medium to world, of [`Scene::matrices`].
    pub matrix: u32,
    /// Where it was asked for first.
    pub first_use: Option<Place>,
}

/// A texture.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Its name.
    pub name: Vec<u8>,
    /// Whether its values are spectra; else numbers.
    pub is_spectrum: bool,
    /// Class and parameters.
    pub entity: Entity,
    /// Texture to world, of [`Scene::matrices`].
    pub matrix: u32,
}

/// A light without a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Class and parameters.
    pub entity: Entity,
    /// Light to world, of [`Scene::matrices`].
    pub matrix: u32,
    /// Light to world at the second time.
    pub matrix_end: u32,
    /// The medium around it, of [`Scene::media`], or [`NONE`].
    pub medium: u32,
}

/// A scene.
#[derive(Debug, Default)]
pub struct Scene {
    /// Its files: first the one asked for, then the others in the order in which they are read.
    pub files: Vec<SceneFile>,
    /// The version of pbrt that it was read as: 3 or 4; 1 or 2 where something is passed over that only
    /// these had, and the rest was read as version 3.
    pub version: u32,
    /// The values of all entities.
    pub kept: Vec<Statements>,
    /// Matrices that map to the world, row after row; the first is the identity.
    pub matrices: Vec<[f32; 16]>,
    /// The camera.
    pub camera: Option<Camera>,
    /// Resolution and file of the picture.
    pub film: Option<Entity>,
    /// Where samples are taken.
    pub sampler: Option<Entity>,
    /// How samples make a pixel.
    pub filter: Option<Entity>,
    /// How light is followed.
    pub integrator: Option<Entity>,
    /// How rays find what they hit.
    pub accelerator: Option<Entity>,
    /// Options of the renderer; each has one parameter.
    pub options: Vec<Entity>,
    /// Parameters that an `Attribute` gave to all that follows of one kind; they count where an
    /// entity has none of that name.
    pub attributes: Vec<Entity>,
    /// Shapes: first those of the world, then those of the objects.
    pub shapes: Vec<Shape>,
    /// How many of the shapes belong to the world.
    pub world_shapes: u32,
    /// Objects, in the order in which they are named first.
    pub objects: Vec<Object>,
    /// Instances of them.
    pub instances: Instances,
    /// Materials.
    pub materials: Vec<Material>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Media.
    pub media: Vec<Medium>,
    /// Lights without a shape.
    pub lights: Vec<Light>,
    /// What lets shapes shine.
    pub area_lights: Vec<Entity>,
    /// How many directives there were.
    pub directives: u64,
    /// Files that the scene reads but for texts, as it calls them, each once, and where; noted where
    /// [`SceneOptions::check`](super::SceneOptions::check) is set.
    pub named_files: Vec<(Vec<u8>, Place)>,
    /// Spectra of files, by the names that the scene calls them by.
    pub spectra: HashMap<Vec<u8>, Spectrum>,
    /// All that is wrong, with file, line and column; what it concerns is left out.
    pub problems: Vec<Error>,
    /// What pbrt takes otherwise than its author may think.
    pub warnings: Vec<Error>,
}
