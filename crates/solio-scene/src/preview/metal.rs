//! What metals reflect at normal incidence.
//!
//! Source: pbrt-v4, `materials.cpp` and `scattering.h`: with η and k by wavelength, divided by the index
//! of a coat; a `reflectance` r stands for η = 1 and k = 2√r / √(1 − r).

use crate::pbrt::{ParameterType, Values};
use crate::scene::{Entity, Scene};
use solio_color::spectrum::{Spectrum, reflected};

/// Where red, green and blue of sRGB are, in nanometres.
const PRIMARIES: [f32; 3] = [611.4, 549.1, 464.2];
/// The index of a coat that gives none.
const COAT: f32 = 1.5;

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

/// What a conductor with η and k reflects; copper where nothing is given, as for pbrt.
pub(super) fn metal(scene: &Scene, entity: &Entity) -> [f32; 3] {
    let is_coated = scene.class(entity) == b"coatedconductor";
    let of = |name: &str, default: &str| {
        let prefixed = format!("conductor.{name}");
        let given = index(scene, entity, if is_coated { &prefixed } else { name });
        let copper = || Spectrum::named(default).map(MetalIndex::Spectrum);
        given.or_else(copper).unwrap_or(MetalIndex::Color([1.0; 3]))
    };
    let (eta, k) = (of("eta", "metal-Cu-eta"), of("k", "metal-Cu-k"));
    let coat = coat(scene, entity);
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

/// A metal of this colour, seen through the coat that its material has.
pub(super) fn under_coat(scene: &Scene, entity: &Entity, color: [f32; 3]) -> [f32; 3] {
    let coat = coat(scene, entity);
    if coat == 1.0 {
        return color;
    }
    color.map(|r| {
        let r = r.clamp(0.0, 0.9999);
        part(1.0 / coat, 2.0 * r.sqrt() / (1.0 - r).sqrt() / coat)
    })
}

/// The refractive index of what lies over a metal.
fn coat(scene: &Scene, entity: &Entity) -> f32 {
    if scene.class(entity) != b"coatedconductor" {
        return 1.0;
    }
    refractive_index(scene, entity, "interface.eta").filter(|eta| *eta > 0.0).unwrap_or(COAT)
}

/// A refractive index as one number: of a spectrum the mean, by what is seen.
pub(crate) fn refractive_index(scene: &Scene, entity: &Entity, name: &str) -> Option<f32> {
    let index = match scene.spectrum(entity, name) {
        Some(spectrum) => spectrum.mean(),
        None => scene.float(entity, name)?,
    };
    index.is_finite().then_some(index)
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

#[cfg(test)]
mod tests {
    use crate::preview::material_colors;
    use crate::scene::{NoFiles, SceneOptions, read_scene};
    use solio_base::Work;
    use std::path::Path;

    fn color(material: &str) -> [f32; 3] {
        let text = format!("WorldBegin\nMaterial {material}\n").into_bytes();
        let options = SceneOptions::default();
        let scene = read_scene(&text, Path::new("s"), &NoFiles, &options, &Work::serial()).unwrap();
        material_colors(&scene)[0]
    }

    #[test]
    fn metals_are_those_of_their_constants() {
        for (material, expected) in [
            (
                "\"conductor\" \"spectrum eta\" \"metal-Au-eta\" \"spectrum k\" \"metal-Au-k\"",
                // Its red is a little above 1, which no surface shows.
                [1.0, 0.7825, 0.3434],
            ),
            ("\"conductor\"", [0.9553, 0.6376, 0.5382]),
            (
                "\"conductor\" \"spectrum eta\" \"metal-MgO-eta\" \"spectrum k\" \"metal-MgO-k\"",
                [0.072, 0.0731, 0.0749],
            ),
            ("\"coatedconductor\"", [0.9346, 0.5493, 0.4385]),
            ("\"metal\"", [0.9553, 0.6376, 0.5382]),
            ("\"conductor\" \"rgb reflectance\" [0.5 0.25 1]", [0.5, 0.25, 1.0]),
            // The same by hand: n 2, k 3.
            (
                "\"conductor\" \"spectrum eta\" [300 2 900 2] \"spectrum k\" [300 3 900 3]",
                [5.0 / 9.0; 3],
            ),
            ("\"conductor\" \"rgb eta\" [2 2 2] \"rgb k\" [3 3 3]", [5.0 / 9.0; 3]),
            (
                "\"coatedconductor\" \"spectrum conductor.eta\" [300 3 900 3] \
                 \"spectrum conductor.k\" [300 4.5 900 4.5]",
                [5.0 / 9.0; 3],
            ),
        ] {
            let found = color(material);
            let near = found.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() <= 0.003);
            assert!(near, "{material}: {found:?}, not {expected:?}");
        }
    }
}
