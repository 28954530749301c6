//! What metals reflect at normal incidence.
//!
//! Source: pbrt-v4, `materials.cpp` and `scattering.h`: with η and k by wavelength, divided by the index
//! of a coat; a `reflectance` r stands for η = 1 and k = 2√r / √(1 − r).

use crate::pbrt::{ParameterType, Values};
use crate::scene::{Entity, Scene};
use solio_color::spectrum::{Spectrum, reflected};

/// Where red, green and blue of sRGB are, in nanometres.
const PRIMARIES: [f32; 3] = [611.4, 549.1, 464.2];

/// Optical constants of a metal.
enum MetalIndex {
    Spectrum(Spectrum),
    /// Of red, green and blue.
    Color([f32; 3]),
}

impl MetalIndex {
    fn parts(&self) -> [f32; 3] {
        match self {
            MetalIndex::Spectrum(spectrum) => PRIMARIES.map(|at| spectrum.at(at)),
            MetalIndex::Color(color) => *color,
        }
    }
}

/// F0 of a conductor with η and k, under a coat of this index (1 without one); copper where nothing is
/// given, as for pbrt. `prefix` stands before the names of the parameters. Parts may leave 0 to 1.
pub(super) fn metal(scene: &Scene, entity: &Entity, prefix: &str, coat: f32) -> [f32; 3] {
    let of = |name: &str, default: &str| {
        let given = index(scene, entity, &format!("{prefix}{name}"));
        let copper = || Spectrum::named(default).map(MetalIndex::Spectrum);
        given.or_else(copper).unwrap_or(MetalIndex::Color([1.0; 3]))
    };
    let (eta, k) = (of("eta", "metal-Cu-eta"), of("k", "metal-Cu-k"));
    match (&eta, &k) {
        (MetalIndex::Spectrum(eta), MetalIndex::Spectrum(k)) => {
            reflected(|at| part(eta.at(at) / coat, k.at(at) / coat))
        }
        _ => {
            let (eta, k) = (eta.parts(), k.parts());
            [0, 1, 2].map(|i| part(eta[i] / coat, k[i] / coat))
        }
    }
}

/// F0 below a coat of this index of a metal that reflects `r` in air.
pub(super) fn f0_under_coat(r: f32, coat: f32) -> f32 {
    if coat == 1.0 {
        return r;
    }
    let r = r.clamp(0.0, 0.9999);
    part(1.0 / coat, 2.0 * r.sqrt() / (1.0 - r).sqrt() / coat)
}

/// The lines d, F and C of Fraunhofer, in nanometres.
const LINES: [f32; 3] = [587.6, 486.1, 656.3];

/// A refractive index as one number, that of the line d, and the dispersion: 20 over Abbe's number, 0 where
/// all waves have the same.
pub(super) fn refractive_index(
    scene: &Scene,
    entity: &Entity,
    names: &[&str],
) -> Option<(f32, f32)> {
    names.iter().find_map(|name| {
        let Some(spectrum) = scene.spectrum(entity, name) else {
            let index = scene.float(entity, name).filter(|index| index.is_finite())?;
            return Some((index, 0.0));
        };
        let [d, f, c] = LINES.map(|line| spectrum.at(line));
        // One that says nothing of the line counts by what is seen.
        let index = if d > 0.0 { d } else { spectrum.mean() };
        let dispersion = if d > 1.0 && f > c && c > 0.0 { 20.0 * (f - c) / (d - 1.0) } else { 0.0 };
        index.is_finite().then_some((index, dispersion))
    })
}

fn index(scene: &Scene, entity: &Entity, name: &str) -> Option<MetalIndex> {
    if let Some(spectrum) = scene.spectrum(entity, name) {
        return Some(MetalIndex::Spectrum(spectrum));
    }
    let (kept, parameter) = scene.parameter(entity, name)?;
    match (parameter.kind, parameter.values) {
        (ParameterType::Texture, _) => None,
        (_, Values::Floats(span)) => match kept.floats[span.range()] {
            [value] => Some(MetalIndex::Color([value; 3])),
            [r, g, b] => Some(MetalIndex::Color([r, g, b])),
            _ => None,
        },
        _ => None,
    }
}

/// Fresnel's reflectance at normal incidence.
fn part(eta: f32, k: f32) -> f32 {
    let (eta, square) = (f64::from(eta), f64::from(k) * f64::from(k));
    let reflected = ((eta - 1.0).powi(2) + square) / ((eta + 1.0).powi(2) + square);
    if reflected.is_finite() { reflected as f32 } else { 1.0 }
}
