//! The parameters of materials and textures as patterns.
//!
//! Source: pbrt-v4, `textures.cpp` and `paramdict.cpp`, and pbrt-v3's of the same names.

use super::LookPicture;
use super::pattern::{TextureEncoding, TexturePattern, TextureTransform, Wrap};
use crate::export::{LeftOut, LossName};
use crate::pbrt::ParameterType;
use crate::scene::{Entity, Scene, Texture};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// Textures within textures.
const MOST_DEEP: usize = 8;
/// Textures that one parameter is made of.
const MOST_TEXTURES: u32 = 64;
/// Of what nothing is known.
pub(super) const GREY: [f32; 3] = [0.5; 3];
/// About the mean of pbrt's `marble`.
const MARBLE: [f32; 3] = [0.79, 0.79, 0.82];

const IN_SPACE: LossName = [
    "texture that depends on the place in space (fbm, marble, …): its mean counts",
    "textures that depend on the place in space (fbm, marble, …): their means count",
];
const NO_COORDINATES: LossName = [
    "texture with a mapping other than uv: its mean counts",
    "textures with a mapping other than uv: their means count",
];
const TOO_DEEP: LossName = [
    "texture that contains itself, or very many others: grey counts",
    "textures that contain themselves, or very many others: grey counts",
];

/// α of version 3's roughness (`TrowbridgeReitzDistribution::RoughnessToAlpha`).
pub(super) fn alpha_of_version_3(roughness: f32) -> f32 {
    let x = roughness.max(1e-3).ln();
    1.62142 + x * (0.819955 + x * (0.1734 + x * (0.0171201 + x * 0.000640711)))
}

/// What a surface can reflect of a colour.
pub(crate) fn within(color: [f32; 3]) -> [f32; 3] {
    color.map(|part| if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) })
}

/// The name of a picture, what tells its encoding from others, and whether it gives numbers.
type PictureKey<'s> = (&'s [u8], (u8, u32), bool);

/// Finds what materials are made of.
pub(super) struct TextureGraph<'s> {
    pub(super) scene: &'s Scene,
    /// Of floats, and of spectra: a name may stand for one of each.
    textures: [HashMap<&'s [u8], &'s Texture>; 2],
    materials: HashMap<&'s [u8], u32>,
    /// Textures that the parameter at hand is made of so far.
    count: Cell<u32>,
    pictures: RefCell<Vec<LookPicture>>,
    numbers: RefCell<HashMap<PictureKey<'s>, usize>>,
    left: RefCell<LeftOut>,
    /// Textures that were told already, by their places.
    told: RefCell<HashSet<(u32, u64)>>,
}

impl<'s> TextureGraph<'s> {
    pub(super) fn new(scene: &'s Scene) -> TextureGraph<'s> {
        let textures = [false, true].map(|is_spectrum| {
            let of_type = scene.textures.iter().filter(|t| t.is_spectrum == is_spectrum);
            of_type.map(|texture| (&*texture.name, texture)).collect()
        });
        let names = (0..).zip(&scene.materials).filter(|(_, m)| !m.name.is_empty());
        let materials = names.map(|(i, m)| (&*m.name, i)).collect();
        TextureGraph {
            scene,
            textures,
            materials,
            count: Cell::new(0),
            pictures: RefCell::default(),
            numbers: RefCell::default(),
            left: RefCell::default(),
            told: RefCell::default(),
        }
    }

    /// The pictures, and what is lost.
    pub(super) fn finish(self) -> (Vec<LookPicture>, LeftOut) {
        (self.pictures.into_inner(), self.left.into_inner())
    }

    /// Something that the model has no words for.
    pub(super) fn tell(&self, what: LossName) {
        self.left.borrow_mut().add(what, 1);
    }

    fn tell_once(&self, what: LossName, entity: &Entity) {
        if self.told.borrow_mut().insert((entity.place.file, entity.place.at)) {
            self.tell(what);
        }
    }

    /// The material of this name.
    pub(super) fn material(&self, name: &[u8]) -> Option<u32> {
        self.materials.get(name).copied()
    }

    /// What a parameter reflects: each constant part from 0 to 1.
    pub(super) fn color(&self, entity: &Entity, name: &str) -> Option<TexturePattern> {
        self.count.set(0);
        Some(match self.parameter(entity, name, true, 0)? {
            TexturePattern::Color(color) => TexturePattern::Color(within(color)),
            pattern => pattern,
        })
    }

    /// A number, of any size.
    pub(super) fn number(&self, entity: &Entity, name: &str) -> Option<TexturePattern> {
        self.count.set(0);
        self.parameter(entity, name, false, 0)
    }

    /// A number, or the constant part of the texture that gives it; a half of a picture.
    pub(super) fn constant(&self, entity: &Entity, name: &str) -> Option<f32> {
        Some(self.number(entity, name)?.at(None, &[])[0])
    }

    /// Three numbers of any size, such as coefficients; of a texture its constant part.
    pub(super) fn number_color(&self, entity: &Entity, name: &str) -> Option<[f32; 3]> {
        self.count.set(0);
        Some(self.parameter(entity, name, true, 0)?.at(None, &[]))
    }

    /// A colour, or the constant part of the texture that gives it.
    pub(super) fn constant_color(&self, entity: &Entity, name: &str) -> Option<[f32; 3]> {
        Some(self.color(entity, name)?.at(None, &[]))
    }

    /// What a parameter gives, by itself or through a texture: of spectra, or of floats, if there is
    /// one of this type.
    fn parameter(
        &self,
        entity: &Entity,
        name: &str,
        is_spectrum: bool,
        depth: usize,
    ) -> Option<TexturePattern> {
        let (kept, parameter) = self.scene.parameter(entity, name)?;
        match parameter.kind {
            ParameterType::Texture => {
                let texture = kept.string(parameter.values, 0)?;
                let [wanted, other] = [is_spectrum, !is_spectrum].map(usize::from);
                let found = self.textures[wanted].get(texture);
                let found = found.or_else(|| self.textures[other].get(texture))?;
                Some(self.texture(found, depth + 1))
            }
            ParameterType::Spectrum | ParameterType::Blackbody => {
                Some(TexturePattern::Color(self.scene.reflected(entity, name)?))
            }
            _ => match *self.scene.floats(entity, name)? {
                [value] => Some(TexturePattern::Color([value; 3])),
                _ => Some(TexturePattern::Color(self.scene.reflected(entity, name)?)),
            },
        }
    }

    fn texture(&self, texture: &Texture, depth: usize) -> TexturePattern {
        let (entity, is_spectrum) = (&texture.entity, texture.is_spectrum);
        self.count.set(self.count.get() + 1);
        if depth > MOST_DEEP || self.count.get() > MOST_TEXTURES {
            self.tell_once(TOO_DEEP, entity);
            return TexturePattern::Color(GREY);
        }
        let of = |names: [&str; 2], default: f32| {
            let found = names.iter().find_map(|name| {
                // Of version 4, and floats in textures of either type.
                let is_spectrum = is_spectrum && !matches!(*name, "amount" | "scale");
                self.parameter(entity, name, is_spectrum, depth)
            });
            found.unwrap_or(TexturePattern::Color([default; 3]))
        };
        let pattern = match self.scene.class(entity) {
            b"constant" => of(["value"; 2], 1.0),
            b"imagemap" => self.picture(entity, !is_spectrum),
            b"scale" => TexturePattern::Scale(Box::new([
                of(["tex", "tex1"], 1.0),
                of(["scale", "tex2"], 1.0),
            ])),
            b"mix" => {
                let parts = [of(["tex1"; 2], 0.0), of(["tex2"; 2], 1.0), of(["amount"; 2], 0.5)];
                TexturePattern::Mix(Box::new(parts))
            }
            class @ (b"checkerboard" | b"directionmix" | b"dots") => {
                let names = if class == b"dots" { ["inside", "outside"] } else { ["tex1", "tex2"] };
                let [first, second] =
                    if class == b"directionmix" { [0.0, 1.0] } else { [1.0, 0.0] };
                let parts = [of([names[0]; 2], first), of([names[1]; 2], second)];
                let in_plane = self.scene.integer(entity, "dimension").unwrap_or(2) == 2;
                let is_checker = class == b"checkerboard" && in_plane;
                match self.mapping(entity).filter(|_| is_checker) {
                    Some(mapping) => TexturePattern::Checker { mapping, parts: Box::new(parts) },
                    None => {
                        let [a, b] = parts;
                        if a != b {
                            self.tell_once(
                                if is_checker { NO_COORDINATES } else { IN_SPACE },
                                entity,
                            );
                        }
                        TexturePattern::Mix(Box::new([a, b, TexturePattern::Color([0.5; 3])]))
                    }
                }
            }
            b"bilerp" => {
                let names = [("v00", 0.0), ("v01", 1.0), ("v10", 0.0), ("v11", 1.0)];
                let corner = |(name, default): (&str, f32)| {
                    let found = self.parameter(entity, name, is_spectrum, depth);
                    found.map_or([default; 3], |pattern| pattern.at(None, &[]))
                };
                let corners = Box::new(names.map(corner));
                match self.mapping(entity) {
                    Some(mapping) => TexturePattern::Corners { mapping, corners },
                    None => {
                        self.tell_once(NO_COORDINATES, entity);
                        let mapping = TextureTransform::IDENTITY;
                        let mean = TexturePattern::Corners { mapping, corners }.at(None, &[]);
                        TexturePattern::Color(mean)
                    }
                }
            }
            b"uv" => match self.mapping(entity) {
                Some(mapping) => TexturePattern::Coordinates { mapping },
                None => {
                    self.tell_once(NO_COORDINATES, entity);
                    TexturePattern::Color([0.5, 0.5, 0.0])
                }
            },
            b"marble" => {
                self.tell_once(IN_SPACE, entity);
                TexturePattern::Color(MARBLE)
            }
            _ => {
                self.tell_once(IN_SPACE, entity);
                TexturePattern::Color(GREY)
            }
        };
        pattern.folded()
    }

    /// That of (u, v); `None` for those that depend on where the surface is.
    fn mapping(&self, entity: &Entity) -> Option<TextureTransform> {
        let number = |name, default| self.scene.float(entity, name).unwrap_or(default);
        let is_uv = self.scene.string(entity, "mapping").is_none_or(|mapping| mapping == b"uv");
        is_uv.then(|| TextureTransform {
            scale: [number("uscale", 1.0), number("vscale", 1.0)],
            offset: [number("udelta", 0.0), number("vdelta", 0.0)],
        })
    }

    /// An `imagemap`.
    fn picture(&self, entity: &Entity, is_number: bool) -> TexturePattern {
        let scene = self.scene;
        let Some(name) = scene.string(entity, "filename") else {
            return TexturePattern::Color(GREY);
        };
        let encoding = match scene.string(entity, "encoding") {
            Some(b"linear") => TextureEncoding::Linear,
            Some(text) => {
                let gamma = text.strip_prefix(b"gamma ").and_then(|t| std::str::from_utf8(t).ok());
                let gamma = gamma.and_then(|text| text.trim().parse().ok());
                gamma.map_or(TextureEncoding::Srgb, TextureEncoding::Gamma)
            }
            None if scene.bool(entity, "gamma") == Some(false) => TextureEncoding::Linear,
            None => TextureEncoding::Srgb,
        };
        // Version 4 asks for an encoding of PNG alone.
        let is_png = name.len() >= 4 && name[name.len() - 4..].eq_ignore_ascii_case(b".png");
        let encoding = if is_png || scene.version < 4 { encoding } else { TextureEncoding::Srgb };
        let wrap = match scene.string(entity, "wrap") {
            Some(b"clamp") => Wrap::Clamp,
            Some(b"black") => Wrap::Black,
            _ => Wrap::Repeat,
        };
        let mapping = self.mapping(entity);
        if mapping.is_none() {
            self.tell_once(NO_COORDINATES, entity);
        }
        TexturePattern::Picture {
            number: self.named(name, encoding, is_number, entity),
            mapping,
            wrap,
            scale: scene.float(entity, "scale").unwrap_or(1.0),
            invert: scene.bool(entity, "invert").unwrap_or(false),
            is_plain: !matches!(encoding, TextureEncoding::Gamma(_)),
        }
    }

    /// The number of a picture.
    pub(super) fn named(
        &self,
        name: &'s [u8],
        encoding: TextureEncoding,
        is_number: bool,
        entity: &Entity,
    ) -> usize {
        let key = (name, encoding.key(), is_number);
        *self.numbers.borrow_mut().entry(key).or_insert_with(|| {
            let mut pictures = self.pictures.borrow_mut();
            let (name, place) = (name.to_vec(), entity.place);
            pictures.push(LookPicture { name, encoding, is_number, place });
            pictures.len() - 1
        })
    }
}
