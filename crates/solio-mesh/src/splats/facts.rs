//! What splats are, in numbers, and what is odd about them.

use super::columns::SplatColumns;
use super::measure::not_finite;
use super::{ANTIALIASED, floats};
use crate::model::{Mesh, Scene};

/// Logarithms of sizes beyond which no scene was measured.
const MOST_SCALE: f32 = 20.0;
/// Opacities beyond which an alpha is 0 or 1 as a float.
const MOST_OPACITY: f32 = 90.0;

/// What the splats of a mesh are, and how many of them are odd.
///
/// ```
/// use solio_mesh::{Mesh, splats::SplatFacts};
/// assert_eq!(SplatFacts::of(&Mesh::default()), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplatFacts {
    /// How many there are.
    pub splats: usize,
    /// The degree of the harmonics, 0 to 4.
    pub degree: usize,
    /// Those with a number that is NaN or infinite.
    pub not_finite: usize,
    /// Those whose quaternion is zero.
    pub no_direction: usize,
    /// Those larger than e^20, or with an opacity of which an alpha says nothing.
    pub absurd: usize,
}

impl SplatFacts {
    /// The facts of a mesh; `None` where it has no splats.
    pub fn of(mesh: &Mesh<'_>) -> Option<SplatFacts> {
        let columns = SplatColumns::of_mesh(mesh)?;
        let count = |is: &dyn Fn(usize) -> bool| (0..columns.count()).filter(|i| is(*i)).count();
        Some(SplatFacts {
            splats: columns.count(),
            degree: columns.degree(),
            not_finite: not_finite(&columns),
            no_direction: count(&|i| columns.turns.iter().all(|part| part[i] == 0.0)),
            absurd: count(&|i| {
                columns.scales.iter().any(|scale| scale[i] > MOST_SCALE && scale[i].is_finite())
                    || columns.opacity[i].abs() > MOST_OPACITY && columns.opacity[i].is_finite()
            }),
        })
    }

    /// The same of two meshes together.
    pub fn and(self, other: SplatFacts) -> SplatFacts {
        SplatFacts {
            splats: self.splats + other.splats,
            degree: self.degree.max(other.degree),
            not_finite: self.not_finite + other.not_finite,
            no_direction: self.no_direction + other.no_direction,
            absurd: self.absurd + other.absurd,
        }
    }

    /// What is odd, in words for people.
    pub fn odd(&self) -> Vec<String> {
        let some = [
            (self.not_finite, "with NaN or infinity"),
            (self.no_direction, "whose quaternion is zero"),
            (self.absurd, "of an absurd size or opacity"),
        ];
        let word = |count: usize| if count == 1 { "splat" } else { "splats" };
        let said = some.iter().filter(|(count, _)| *count > 0);
        said.map(|(count, what)| format!("{count} {} {what}", word(*count))).collect()
    }
}

/// Whether the splats of a scene were trained to be drawn as Mip-Splatting does, as far as SPZ, or a
/// comment that came from one, says.
///
/// ```
/// assert!(!solio_mesh::splats::are_antialiased(&Default::default()));
/// ```
pub fn are_antialiased(scene: &Scene<'_>) -> bool {
    scene.comments.iter().any(|comment| comment == ANTIALIASED)
}

/// A scalar of points that is the strength of what a scanner got back, by its name.
pub(super) fn is_intensity(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.strip_prefix("scalar_").unwrap_or(&name),
        "intensity" | "reflectance" | "reflectivity" | "remission"
    )
}

/// The intensities of the points of a mesh, as they are; `None` where it has none.
///
/// ```
/// assert_eq!(solio_mesh::splats::intensities(&Default::default()), None);
/// ```
pub fn intensities(mesh: &Mesh<'_>) -> Option<Vec<f32>> {
    use crate::model::Values;
    let count = mesh.positions.len();
    let is = |a: &&crate::model::Attribute<'_>| {
        a.element == "vertex"
            && a.list.is_none()
            && a.values.len() == count
            && is_intensity(&a.name)
    };
    let found = mesh.attributes.iter().find(is)?;
    if let Some(values) = floats(mesh, "vertex", &found.name) {
        return Some(values.to_vec()).filter(|_| count > 0);
    }
    let values = match &found.values {
        Values::I8(v) => v.iter().map(|v| f32::from(*v)).collect(),
        Values::U8(v) => v.iter().map(|v| f32::from(*v)).collect(),
        Values::I16(v) => v.iter().map(|v| f32::from(*v)).collect(),
        Values::U16(v) => v.iter().map(|v| f32::from(*v)).collect(),
        Values::I32(v) => v.iter().map(|v| *v as f32).collect(),
        Values::U32(v) => v.iter().map(|v| *v as f32).collect(),
        Values::F32(v) => v.to_vec(),
        Values::F64(v) => v.iter().map(|v| *v as f32).collect(),
    };
    Some(values).filter(|_| count > 0)
}
