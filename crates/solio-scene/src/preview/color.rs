//! The colours of materials: of one value, or patterns with the pictures of their textures.

use super::world::{PreviewFiles, located_at};
use crate::look::{LookClass, LookPicture, Looks, MaterialLook, TexturePattern, TexturePicture};
use crate::scene::{NONE, Scene, Shape};
use solio_base::{Error, ErrorKind, Result, Work, ordered};

/// What a surface looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SurfaceLook {
    /// Linear light that is reflected.
    Surface([f32; 3]),
    /// Shines by itself, at most 1.
    Light([f32; 3]),
    /// Reflects by the place on it: what [`SurfaceColors`] have under this number.
    Pattern(u32),
    /// Is not to be seen: the border of a medium.
    Nothing,
}

/// Pictures take at most this share of the memory: one part of so many.
const SHARE: u64 = 4;
/// Of what nothing is known.
const GREY: [f32; 3] = [0.5; 3];
/// What stands for glass, which has no colour of its own.
const GLASS: [f32; 3] = [0.8, 0.88, 0.9];

/// The colour of each material, in linear light, as a preview shows it where there are no pictures;
/// grey where nothing is known.
pub fn material_colors(scene: &Scene) -> Vec<[f32; 3]> {
    let looks = SurfaceColors::new(scene);
    let color = |look: &SurfaceLook| match looks.mean(*look) {
        SurfaceLook::Surface(color) | SurfaceLook::Light(color) => color,
        SurfaceLook::Nothing | SurfaceLook::Pattern(_) => GREY,
    };
    looks.materials.iter().map(color).collect()
}

/// Looks at all materials once.
pub(super) struct SurfaceColors<'s> {
    scene: &'s Scene,
    materials: Vec<SurfaceLook>,
    patterns: Vec<TexturePattern>,
    named: Vec<LookPicture>,
    /// Those of the names, where they were read.
    pictures: Vec<Option<TexturePicture>>,
}

impl<'s> SurfaceColors<'s> {
    pub(super) fn new(scene: &'s Scene) -> SurfaceColors<'s> {
        let looks = Looks::new(scene);
        let mut patterns = Vec::new();
        let materials = looks.materials.iter().map(|look| surface_look(look, &mut patterns));
        let materials = materials.collect();
        SurfaceColors { scene, materials, patterns, named: looks.pictures, pictures: Vec::new() }
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
                slot.1 = Some(files.picture(&named[slot.0]));
                Ok(())
            },
            |slot| {
                let mut problem = |e| problems.push(located_at(self.scene, named[slot.0].place, e));
                match slot.1.take() {
                    Some(Ok(mut picture)) => {
                        if bytes + picture.bytes() > work.memory_bytes / SHARE {
                            picture.keep_mean();
                            let name = String::from_utf8_lossy(&named[slot.0].name);
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

/// What a preview shows of a material.
fn surface_look(look: &MaterialLook, patterns: &mut Vec<TexturePattern>) -> SurfaceLook {
    match look.class {
        LookClass::Interface => return SurfaceLook::Nothing,
        LookClass::Dielectric | LookClass::ThinDielectric => return SurfaceLook::Surface(GLASS),
        _ => {}
    }
    match look.base.pattern() {
        TexturePattern::Color(color) => SurfaceLook::Surface(color),
        pattern => {
            patterns.push(pattern);
            SurfaceLook::Pattern(patterns.len() as u32 - 1)
        }
    }
}
