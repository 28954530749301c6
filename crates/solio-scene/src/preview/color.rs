//! The colours of materials: of one value, or patterns with the pictures of their textures.

use super::metal::{metal, under_coat};
use super::texture::{Mapping, TextureEncoding, TexturePattern, TexturePicture, Wrap};
use super::world::{PreviewFiles, located_at};
use crate::pbrt::ParameterType;
use crate::scene::{Entity, NONE, Place, Scene, Shape, Texture};
use solio_base::{Error, ErrorKind, Result, Work, ordered};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// What a surface looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SurfaceLook {
    /// Linear light that is reflected.
    Surface([f32; 3]),
    /// Shines by itself, at most 1.
    Light([f32; 3]),
    /// Reflects by the place on it: what [`Looks`] have under this number.
    Pattern(u32),
    /// Is not to be seen: the border of a medium.
    Nothing,
}

/// Textures within textures, and materials within materials.
const MOST_DEEP: usize = 8;
/// Textures that one material is made of.
const MOST_TEXTURES: u32 = 64;
/// Pictures take at most this share of the memory: one part of so many.
const SHARE: u64 = 4;
/// Of what nothing is known.
const GREY: [f32; 3] = [0.5; 3];
/// Parameters that give a material its colour, the first counts: of version 4, then of 3.
const NAMES: [&str; 8] =
    ["reflectance", "albedo", "color", "Kd", "Kr", "sigma_a", "transmittance", "Ks"];
/// The colour of each material, in linear light, as a preview shows it where there are no pictures;
/// grey where nothing is known.
pub fn material_colors(scene: &Scene) -> Vec<[f32; 3]> {
    let looks = Looks::new(scene);
    let color = |look: &SurfaceLook| match looks.mean(*look) {
        SurfaceLook::Surface(color) | SurfaceLook::Light(color) => color,
        SurfaceLook::Nothing | SurfaceLook::Pattern(_) => GREY,
    };
    looks.materials.iter().map(color).collect()
}

/// A picture that a texture names.
struct NamedImage<'s> {
    name: &'s [u8],
    encoding: TextureEncoding,
    place: Place,
}

/// Looks at all materials once.
pub(super) struct Looks<'s> {
    scene: &'s Scene,
    materials: Vec<SurfaceLook>,
    patterns: Vec<TexturePattern>,
    named: Vec<NamedImage<'s>>,
    /// Those of the names, where they were read.
    pictures: Vec<Option<TexturePicture>>,
}

impl<'s> Looks<'s> {
    pub(super) fn new(scene: &'s Scene) -> Looks<'s> {
        let finder = MaterialFinder::new(scene);
        let looks = scene.materials.iter().map(|material| match &material.entity {
            Some(entity) => finder.material(entity),
            None => SurfaceLook::Surface(GREY),
        });
        let materials = looks.collect();
        let (patterns, named) = (finder.patterns.into_inner(), finder.named.into_inner());
        Looks { scene, materials, patterns, named, pictures: Vec::new() }
    }

    /// Reads the pictures of materials that shapes have. What is wrong with them is told; they are
    /// grey then, and those that there is no memory for have their mean colour.
    pub(super) fn read_pictures(
        &mut self,
        files: &dyn PreviewFiles,
        work: &Work,
    ) -> Result<Vec<Error>> {
        self.pictures = self.named.iter().map(|_| None).collect();
        let mut wanted = vec![false; self.named.len()];
        for shape in &self.scene.shapes {
            if let SurfaceLook::Pattern(number) = self.of(shape) {
                self.patterns[number as usize].pictures(&mut |picture| wanted[picture] = true);
            }
        }
        let wanted: Vec<usize> = (0..wanted.len()).filter(|i| wanted[*i]).collect();
        let (mut next, mut bytes, mut problems) = (0, 0, Vec::new());
        let (named, pictures) = (&self.named, &mut self.pictures);
        ordered::run::<(usize, Option<Result<TexturePicture>>)>(
            work,
            2 * work.threads,
            |slot| {
                let Some(number) = wanted.get(next) else { return Ok(false) };
                slot.0 = *number;
                next += 1;
                Ok(true)
            },
            |slot| {
                let NamedImage { name, encoding, .. } = &named[slot.0];
                slot.1 = Some(files.picture(name, *encoding));
                Ok(())
            },
            |slot| {
                let mut problem = |e| problems.push(located_at(self.scene, named[slot.0].place, e));
                match slot.1.take() {
                    Some(Ok(mut picture)) => {
                        if bytes + picture.bytes() > work.memory_bytes / SHARE {
                            picture.keep_mean();
                            let name = String::from_utf8_lossy(named[slot.0].name);
                            let message = format!("there is no memory for all of {name}");
                            problem(Error::limit(message));
                        }
                        bytes += picture.bytes();
                        pictures[slot.0] = Some(picture);
                    }
                    Some(Err(error)) if error.kind() == ErrorKind::Cancelled => return Err(error),
                    Some(Err(error)) => problem(error),
                    None => {}
                }
                Ok(())
            },
        )?;
        Ok(problems)
    }

    /// A look without patterns: of those the value at a place.
    pub(super) fn at(&self, look: SurfaceLook, uv: [f32; 2]) -> SurfaceLook {
        self.resolved(look, Some(uv))
    }

    /// A look without patterns: of those the mean.
    pub(super) fn mean(&self, look: SurfaceLook) -> SurfaceLook {
        self.resolved(look, None)
    }

    fn resolved(&self, look: SurfaceLook, uv: Option<[f32; 2]>) -> SurfaceLook {
        match look {
            SurfaceLook::Pattern(number) => {
                let color = self.patterns[number as usize].at(uv, &self.pictures);
                SurfaceLook::Surface(color.map(|c| c.clamp(0.0, 1.0)))
            }
            look => look,
        }
    }

    pub(super) fn of(&self, shape: &Shape) -> SurfaceLook {
        if shape.area_light != NONE {
            let entity = &self.scene.area_lights[shape.area_light as usize];
            let light = self.scene.shine(entity);
            let most = light.iter().fold(0f32, |most, l| most.max(*l));
            let scale = if most > 0.0 { 1.0 / most } else { 0.0 };
            return SurfaceLook::Light(light.map(|l| (l * scale).clamp(0.0, 1.0)));
        }
        match self.materials.get(shape.material as usize) {
            Some(look) => *look,
            None => SurfaceLook::Surface(GREY),
        }
    }
}

/// What a surface can reflect of a colour.
fn within(color: [f32; 3]) -> [f32; 3] {
    color.map(|part| part.clamp(0.0, 1.0))
}

/// The name of a picture, and what tells its encoding from others.
type PictureKey<'s> = (&'s [u8], (u8, u32));

/// Finds what materials are made of.
pub(crate) struct MaterialFinder<'s> {
    scene: &'s Scene,
    /// Of floats, and of spectra: a name may stand for one of each.
    textures: [HashMap<&'s [u8], &'s Texture>; 2],
    materials: HashMap<&'s [u8], usize>,
    /// Textures that the material at hand is made of so far.
    count: Cell<u32>,
    patterns: RefCell<Vec<TexturePattern>>,
    named: RefCell<Vec<NamedImage<'s>>>,
    numbers: RefCell<HashMap<PictureKey<'s>, usize>>,
}

impl<'s> MaterialFinder<'s> {
    pub(crate) fn new(scene: &'s Scene) -> MaterialFinder<'s> {
        let textures = [false, true].map(|is_spectrum| {
            let of_type = scene.textures.iter().filter(|t| t.is_spectrum == is_spectrum);
            of_type.map(|texture| (&*texture.name, texture)).collect()
        });
        let names = scene.materials.iter().enumerate();
        let names = names.filter(|(_, m)| !m.name.is_empty()).map(|(i, m)| (&*m.name, i)).collect();
        MaterialFinder {
            scene,
            textures,
            materials: names,
            count: Cell::new(0),
            patterns: RefCell::default(),
            named: RefCell::default(),
            numbers: RefCell::default(),
        }
    }

    fn look(&self, pattern: TexturePattern) -> SurfaceLook {
        match pattern {
            TexturePattern::Color(color) => SurfaceLook::Surface(color),
            pattern => {
                let mut patterns = self.patterns.borrow_mut();
                patterns.push(pattern);
                SurfaceLook::Pattern(patterns.len() as u32 - 1)
            }
        }
    }

    /// What a material is made of, for who writes it elsewhere; nothing of the border of a medium.
    pub(crate) fn base(&self, entity: &Entity) -> Option<TexturePattern> {
        self.count.set(0);
        (!self.scene.is_unseen(entity)).then(|| self.reflected(entity, 0))
    }

    /// The pattern of a texture.
    pub(crate) fn texture_pattern(&self, texture: &Texture) -> TexturePattern {
        self.count.set(0);
        self.texture(texture, 0)
    }

    /// A picture by its number: its name, and how its integers become light.
    pub(crate) fn picture_of(&self, number: usize) -> (&'s [u8], TextureEncoding) {
        let named = &self.named.borrow()[number];
        (named.name, named.encoding)
    }

    fn material(&self, entity: &Entity) -> SurfaceLook {
        if self.scene.is_unseen(entity) {
            return SurfaceLook::Nothing;
        }
        self.count.set(0);
        self.look(self.reflected(entity, 0))
    }

    /// What a material reflects; grey if it is the border of a medium.
    fn reflected(&self, entity: &Entity, depth: usize) -> TexturePattern {
        let of = |name: &str| self.parameter(entity, name, true, depth);
        match self.scene.class(entity) {
            b"mix" => {
                let parts = self.parts_of_mix(entity).map(|part| match part {
                    Some(part) if depth < MOST_DEEP => self.reflected(part, depth + 1),
                    _ => TexturePattern::Color(GREY),
                });
                let [first, second] = parts;
                let amount = self.amount(entity, depth);
                return TexturePattern::Mix(Box::new([first, second, amount])).folded();
            }
            b"dielectric" | b"thindielectric" | b"glass" => {
                return TexturePattern::Color([0.8, 0.88, 0.9]);
            }
            // What version 3 takes where nothing is said, and of several colours the first.
            b"mirror" => return of("Kr").unwrap_or(TexturePattern::Color([0.9; 3])),
            b"plastic" | b"uber" => return of("Kd").unwrap_or(TexturePattern::Color([0.25; 3])),
            b"translucent" => {
                let color = of("Kd").unwrap_or(TexturePattern::Color([0.25; 3]));
                let share = of("reflect").unwrap_or(TexturePattern::Color([0.5; 3]));
                return TexturePattern::Scale(Box::new([color, share])).folded();
            }
            b"conductor" | b"coatedconductor" | b"metal" => return self.metal(entity),
            b"hair" => {
                let color = of("reflectance").or_else(|| of("color"));
                return color.unwrap_or(TexturePattern::Color([0.23, 0.14, 0.08]));
            }
            _ => {}
        }
        let color = NAMES.iter().find_map(|name| of(name));
        color.unwrap_or(TexturePattern::Color(GREY))
    }

    /// The materials of a mix, of which the amount is that of the second. Where one is the border of
    /// a medium, of which nothing is seen, the other stands for both.
    pub(crate) fn parts_of_mix(&self, mix: &Entity) -> [Option<&'s Entity>; 2] {
        let scene = self.scene;
        let names = match scene.parameter(mix, "materials") {
            Some((kept, parameter)) => [0, 1].map(|i| kept.string(parameter.values, i)),
            // In version 3 the amount is that of the first.
            None => ["namedmaterial2", "namedmaterial1"].map(|name| scene.string(mix, name)),
        };
        let parts = names.map(|name| {
            let number = self.materials.get(name?)?;
            scene.materials[*number].entity.as_ref()
        });
        let is_seen = |part: &Option<&Entity>| part.is_none_or(|part| !scene.is_unseen(part));
        match parts.each_ref().map(is_seen) {
            [true, false] => [parts[0]; 2],
            [false, true] => [parts[1]; 2],
            _ => parts,
        }
    }

    /// How much the second material of a mix counts: one number, a colour in version 3.
    fn amount(&self, mix: &Entity, depth: usize) -> TexturePattern {
        let amount = self.parameter(mix, "amount", self.scene.version < 4, depth);
        amount.unwrap_or(TexturePattern::Color([0.5; 3]))
    }

    /// The constant part of that, as one number.
    pub(crate) fn share(&self, mix: &Entity) -> f32 {
        self.count.set(0);
        self.amount(mix, 0).at(None, &[]).iter().sum::<f32>() / 3.0
    }

    /// A number, or the constant part of the texture that gives it; a half of a picture.
    pub(crate) fn number(&self, entity: &Entity, name: &str) -> Option<f32> {
        let (_, parameter) = self.scene.parameter(entity, name)?;
        if parameter.kind != ParameterType::Texture {
            return self.scene.float(entity, name);
        }
        self.count.set(0);
        Some(self.parameter(entity, name, false, 0)?.at(None, &[])[0])
    }

    /// A colour, or the constant part of the texture that gives it.
    pub(crate) fn color(&self, entity: &Entity, name: &str) -> Option<[f32; 3]> {
        self.count.set(0);
        Some(self.parameter(entity, name, true, 0)?.at(None, &[]))
    }

    /// A metal: by a colour or a texture, else by its optical constants.
    fn metal(&self, entity: &Entity) -> TexturePattern {
        match self.parameter(entity, "reflectance", true, 0) {
            Some(TexturePattern::Color(color)) => {
                TexturePattern::Color(within(under_coat(self.scene, entity, color)))
            }
            Some(pattern) => pattern,
            None => TexturePattern::Color(within(metal(self.scene, entity))),
        }
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
        let grey = |value: f32| TexturePattern::Color([value.clamp(0.0, 1.0); 3]);
        match parameter.kind {
            ParameterType::Texture => {
                let texture = kept.string(parameter.values, 0)?;
                let [wanted, other] = [is_spectrum, !is_spectrum].map(usize::from);
                let found = self.textures[wanted].get(texture);
                let found = found.or_else(|| self.textures[other].get(texture))?;
                Some(self.texture(found, depth + 1))
            }
            ParameterType::Spectrum | ParameterType::Blackbody => {
                let color = self.scene.reflected(entity, name)?;
                Some(TexturePattern::Color(within(color)))
            }
            _ => match *self.scene.floats(entity, name)? {
                [value] => Some(grey(value)),
                _ => {
                    let color = self.scene.reflected(entity, name)?;
                    Some(TexturePattern::Color(within(color)))
                }
            },
        }
    }

    fn texture(&self, texture: &Texture, depth: usize) -> TexturePattern {
        let (entity, is_spectrum) = (&texture.entity, texture.is_spectrum);
        self.count.set(self.count.get() + 1);
        if depth > MOST_DEEP || self.count.get() > MOST_TEXTURES {
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
            b"imagemap" => self.picture(entity),
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
                match self.mapping(entity).filter(|_| class == b"checkerboard" && in_plane) {
                    Some(mapping) => TexturePattern::Checker { mapping, parts: Box::new(parts) },
                    None => {
                        let [a, b] = parts;
                        TexturePattern::Mix(Box::new([a, b, TexturePattern::Color([0.5; 3])]))
                    }
                }
            }
            _ => TexturePattern::Color(GREY),
        };
        pattern.folded()
    }

    /// That of (u, v); `None` for those that depend on where the surface is.
    fn mapping(&self, entity: &Entity) -> Option<Mapping> {
        let number = |name, default| self.scene.float(entity, name).unwrap_or(default);
        let is_uv = self.scene.string(entity, "mapping").is_none_or(|mapping| mapping == b"uv");
        is_uv.then(|| Mapping {
            scale: [number("uscale", 1.0), number("vscale", 1.0)],
            offset: [number("udelta", 0.0), number("vdelta", 0.0)],
        })
    }

    /// An `imagemap`.
    fn picture(&self, entity: &Entity) -> TexturePattern {
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
        let number =
            *self.numbers.borrow_mut().entry((name, encoding.key())).or_insert_with(|| {
                let mut named = self.named.borrow_mut();
                named.push(NamedImage { name, encoding, place: entity.place });
                named.len() - 1
            });
        let wrap = match scene.string(entity, "wrap") {
            Some(b"clamp") => Wrap::Clamp,
            Some(b"black") => Wrap::Black,
            _ => Wrap::Repeat,
        };
        let scale = scene.float(entity, "scale").unwrap_or(1.0);
        let invert = scene.bool(entity, "invert").unwrap_or(false);
        TexturePattern::Picture { number, mapping: self.mapping(entity), wrap, scale, invert }
    }
}
