//! The colours of parameters, as the film of pbrt-v4 sees them: linear light with the primaries of sRGB.
//!
//! Source: pbrt-v4, `paramdict.cpp`, `lights.cpp`, `film.cpp`: surfaces are seen under D65; light that is
//! given as a spectrum or a black body keeps its chromaticity alone and has luminance 1, light that is
//! given as `rgb` keeps its strength; without either it is the white of its colour space. Version 3 takes
//! spectra of light as they are, and black bodies with a factor behind the temperature.

use super::{ColorSpace, Entity, Files, Place, Scene};
use crate::pbrt::upgrade::rgb_of_xyz;
use crate::pbrt::{Parameter, ParameterType, Statements, Values};
use solio_base::{Error, ErrorKind, Result};
use solio_color::spectrum::Spectrum;
use std::collections::HashSet;

/// The largest file of a spectrum that is read.
const MOST_BYTES: u64 = 1 << 20;

type Rows = Option<[[f32; 3]; 3]>;

impl Scene {
    /// The spectrum that a parameter gives by values, a name, a file or a temperature; `None` for one
    /// that is not there, gives a colour, or names a file that could not be read.
    pub(crate) fn spectrum(&self, entity: &Entity, name: &str) -> Option<Spectrum> {
        let (kept, parameter) = self.parameter(entity, name)?;
        self.spectrum_of(kept, parameter)
    }

    fn spectrum_of(&self, kept: &Statements, parameter: &Parameter) -> Option<Spectrum> {
        match (parameter.kind, parameter.values) {
            (ParameterType::Spectrum, Values::Floats(span)) => {
                Spectrum::pairs(&kept.floats[span.range()]).ok()
            }
            (ParameterType::Spectrum, values) => {
                let name = kept.string(values, 0)?;
                let known = std::str::from_utf8(name).ok().and_then(Spectrum::named);
                known.or_else(|| self.spectra.get(name).cloned())
            }
            (ParameterType::Blackbody, Values::Floats(span)) => {
                kept.floats[span.range()].first().map(|kelvins| Spectrum::Blackbody(*kelvins))
            }
            _ => None,
        }
    }

    /// What a material or a texture reflects by a parameter: `rgb` is given in the space of the entity,
    /// also where an `Attribute` gave it, as pbrt-v4 takes it, and white stays white. Parts may be
    /// negative, and above 1.
    pub(crate) fn reflected(&self, entity: &Entity, name: &str) -> Option<[f32; 3]> {
        if let Some(spectrum) = self.spectrum(entity, name) {
            return Some(spectrum.reflected());
        }
        self.rgb(entity, name, |_| entity.color_space.to_srgb())
    }

    /// The light that a parameter gives, without factors. `rgb` is given in the space that holds where it
    /// stands, whose white is kept as it is.
    pub(crate) fn light_color(&self, entity: &Entity, name: &str) -> [f32; 3] {
        let given = self.parameter(entity, name);
        if let Some((kept, parameter)) = given
            && let Some(spectrum) = self.spectrum_of(kept, parameter)
        {
            let color = spectrum.light();
            if self.version >= 4 {
                return color;
            }
            let factor = match (parameter.kind, parameter.values) {
                (ParameterType::Blackbody, Values::Floats(span)) => {
                    kept.floats[span.range()].get(1).copied().unwrap_or(1.0)
                }
                _ => 1.0,
            };
            let strength = spectrum.mean() * factor;
            return color.map(|part| part * strength);
        }
        let color = self.rgb(entity, name, |level| level.color_space.light_to_srgb());
        color.unwrap_or_else(|| match self.version {
            ..4 => [1.0; 3],
            _ => entity.color_space.white(),
        })
    }

    fn rgb(&self, entity: &Entity, name: &str, rows: impl Fn(&Entity) -> Rows) -> Option<[f32; 3]> {
        let mut all = self.placed(entity);
        let (level, kept, found) = all.find(|(_, kept, p)| kept.text(p.name) == name.as_bytes())?;
        let Values::Floats(span) = found.values else { return None };
        let color: [f32; 3] = kept.floats[span.range()].try_into().ok()?;
        Some(match (found.kind, rows(&level)) {
            (ParameterType::Xyz, _) => rgb_of_xyz(color),
            (ParameterType::Rgb, Some(rows)) => {
                rows.map(|[r, g, b]| r * color[0] + g * color[1] + b * color[2])
            }
            _ => color,
        })
    }

    /// The light of an area light or one without a shape, with its factor `scale`: nothing negative,
    /// nothing that is no number.
    pub(crate) fn shine(&self, light: &Entity) -> [f32; 3] {
        let name = match self.class(light) {
            b"point" | b"spot" | b"goniometric" | b"projection" => "I",
            _ => "L",
        };
        let color = self.light_color(light, name);
        let scale = match self.floats(light, "scale") {
            Some([scale]) => [*scale; 3],
            Some(_) => self.rgb(light, "scale", |_| None).unwrap_or([1.0; 3]),
            None => [1.0; 3],
        };
        [0, 1, 2].map(|i| positive(color[i] * scale[i]))
    }

    /// Reads the files of spectra that materials, textures and lights name; those that cannot be read
    /// are problems.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn read_spectra(&mut self, files: &dyn Files) -> Result<()> {
        self.read_spectra_but(files, &|_| false)
    }

    /// [`Scene::read_spectra`]; errors that are `told` elsewhere are no problems here.
    pub(super) fn read_spectra_but(
        &mut self,
        files: &dyn Files,
        told: &dyn Fn(&Error) -> bool,
    ) -> Result<()> {
        for (name, place) in self.named_spectra() {
            match spectrum_of_file(files, &name) {
                Ok(spectrum) => {
                    self.spectra.insert(name, spectrum);
                }
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) if told(&error) => {}
                Err(error) => {
                    let path = files.path(&name);
                    let line = error.line().map_or(String::new(), |line| format!(":{line}"));
                    let message = format!("{}{line}: {}", path.display(), error.message());
                    let error = Error::new(error.kind(), message)
                        .at_offset(place.at)
                        .at_line(place.line.into(), place.column.into())
                        .at_path(&self.files[place.file as usize].path);
                    self.problems.push(error);
                }
            }
        }
        Ok(())
    }

    /// Names of spectra that pbrt does not know, each once, and where.
    fn named_spectra(&self) -> Vec<(Vec<u8>, Place)> {
        let materials = self.materials.iter().filter_map(|material| material.entity.as_ref());
        let all = materials
            .chain(self.textures.iter().map(|texture| &texture.entity))
            .chain(self.lights.iter().map(|light| &light.entity))
            .chain(&self.area_lights);
        let (mut known, mut found) = (HashSet::new(), Vec::new());
        for entity in all {
            for (kept, parameter) in self.parameters(entity) {
                let is_name = parameter.kind == ParameterType::Spectrum;
                let name = is_name.then(|| kept.string(parameter.values, 0)).flatten();
                let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
                if !crate::pbrt::schema::is_known_spectrum(name) && known.insert(name) {
                    found.push((name.to_vec(), entity.place));
                }
            }
        }
        found
    }
}

/// A part of light.
fn positive(part: f32) -> f32 {
    if part.is_nan() { 0.0 } else { part.clamp(0.0, f32::MAX) }
}

fn spectrum_of_file(files: &dyn Files, name: &[u8]) -> Result<Spectrum> {
    let source = files.open(&files.path(name))?;
    let (mut text, mut at) = (Vec::new(), 0);
    let mut buffer = [0; 4096];
    loop {
        let got = source.read_at(at, &mut buffer)?;
        if got == 0 {
            break;
        }
        text.extend_from_slice(&buffer[..got]);
        at += got as u64;
        if at > MOST_BYTES {
            return Err(Error::limit("a spectrum of more than 1 MiB"));
        }
    }
    Spectrum::parse(&text)
}

impl ColorSpace {
    /// [`ColorSpace::to_srgb`] of light: nothing is adapted, so that white keeps its colour.
    fn light_to_srgb(self) -> Rows {
        match self {
            // From its primaries and the white of `illum-acesD60`.
            ColorSpace::Aces2065 => Some([
                [2.557949, -1.119292, -0.391745],
                [-0.27799, 1.366053, -0.093489],
                [-0.017175, -0.148565, 1.081268],
            ]),
            _ => self.to_srgb(),
        }
    }

    /// Its white, as light of luminance 1.
    fn white(self) -> [f32; 3] {
        match self.light_to_srgb() {
            Some(rows) => rows.map(|row| row.iter().sum()),
            None => [1.0; 3],
        }
    }
}
