//! Splats as glTF's extension `KHR_gaussian_splatting` has them: the numbers of its accessors, and back.
//!
//! A glTF's `y` is up: splats turn by 180° about `z` on the way.

use super::columns::{COEFFICIENTS, SplatColumns, alpha_of, logit};
use super::spz::FrameFlips;
use crate::model::Mesh;

/// The extension, which its attributes begin with.
pub const KHR_GAUSSIAN_SPLATTING: &str = "KHR_gaussian_splatting";
/// The names of the attributes but the harmonics, behind the extension's.
pub const KHR_ROTATION: &str = "KHR_gaussian_splatting:ROTATION";
/// Sizes, not their logarithms.
pub const KHR_SCALE: &str = "KHR_gaussian_splatting:SCALE";
/// Alphas from 0 to 1.
pub const KHR_OPACITY: &str = "KHR_gaussian_splatting:OPACITY";
/// The turn between a PLY and a glTF.
const HALF_TURN: FrameFlips = FrameFlips([true, true, false]);

/// The accessors of a primitive of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KhrSplats {
    /// `POSITION`.
    pub positions: Vec<[f32; 3]>,
    /// [`KHR_ROTATION`]: x, y, z and w, of length 1.
    pub rotations: Vec<[f32; 4]>,
    /// [`KHR_SCALE`].
    pub scales: Vec<[f32; 3]>,
    /// [`KHR_OPACITY`].
    pub opacities: Vec<f32>,
    /// The harmonics of all degrees, in the order of [`khr_harmonics`]: red, green and blue of each.
    pub harmonics: Vec<Vec<[f32; 3]>>,
}

/// The names of the harmonics up to a degree: `SH_DEGREE_0_COEF_0` and so on.
///
/// ```
/// let names = solio_mesh::splats::khr::khr_harmonics(1);
/// assert_eq!(names[3], "KHR_gaussian_splatting:SH_DEGREE_1_COEF_2");
/// assert_eq!(names.len(), 4);
/// ```
pub fn khr_harmonics(degree: usize) -> Vec<String> {
    let of = |l: usize| (0..=2 * l).map(move |n| format!("SH_DEGREE_{l}_COEF_{n}"));
    (0..=degree).flat_map(of).map(|name| format!("{KHR_GAUSSIAN_SPLATTING}:{name}")).collect()
}

impl KhrSplats {
    /// The splats of a mesh; `None` where it has none.
    pub fn of(mesh: &Mesh<'_>) -> Option<KhrSplats> {
        let mut columns = SplatColumns::of_mesh(mesh)?;
        HALF_TURN.turn(&mut columns);
        let rows = 0..columns.count();
        let of_channel = columns.rest.len() / 3;
        let constants = rows.clone().map(|i| SplatColumns::three(&columns.colors, i)).collect();
        let others = (0..of_channel).map(|k| {
            let color = |i: usize| [0, 1, 2].map(|c| columns.rest[c * of_channel + k][i]);
            rows.clone().map(color).collect()
        });
        Some(KhrSplats {
            rotations: rows
                .clone()
                .map(|i| {
                    let [w, x, y, z] = columns.turn(i);
                    [x, y, z, w]
                })
                .collect(),
            scales: rows
                .clone()
                .map(|i| SplatColumns::three(&columns.scales, i).map(f32::exp))
                .collect(),
            opacities: columns.opacity.iter().map(|opacity| alpha_of(*opacity)).collect(),
            harmonics: [constants].into_iter().chain(others).collect(),
            positions: columns.positions.into_owned(),
        })
    }

    /// The mesh of these splats; `None` where arrays have not the same length, or harmonics are not those of
    /// a degree.
    pub fn into_mesh(self) -> Option<Mesh<'static>> {
        let count = self.positions.len();
        let of_channel = self.harmonics.len().checked_sub(1)?;
        let degree = COEFFICIENTS.iter().position(|count| *count == of_channel)?;
        let lengths = [self.rotations.len(), self.scales.len(), self.opacities.len()];
        let mut all = lengths.into_iter().chain(self.harmonics.iter().map(Vec::len));
        if all.any(|length| length != count) {
            return None;
        }
        let mut columns = SplatColumns::of_degree(degree, count);
        for i in 0..count {
            let [red, green, blue] = self.harmonics[0][i];
            let [x, y, z, w] = self.rotations[i];
            let scale = self.scales[i].map(f32::ln);
            let opacity = logit(self.opacities[i]);
            let numbers = [red, green, blue, opacity, scale[0], scale[1], scale[2], w, x, y, z];
            columns.push(self.positions[i], numbers);
            for (k, harmonic) in self.harmonics[1..].iter().enumerate() {
                for (c, value) in harmonic[i].into_iter().enumerate() {
                    columns.rest[c * of_channel + k].to_mut().push(value);
                }
            }
        }
        HALF_TURN.turn(&mut columns);
        Some(columns.into_mesh())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splats::Ellipsoids;
    use crate::splats::tests::{ball, columns, differences};

    #[test]
    fn there_and_back_all_is_as_before() {
        for degree in 0..=4 {
            let scene = ball(50, degree);
            let khr = KhrSplats::of(&scene.meshes[0]).unwrap();
            assert_eq!(khr.harmonics.len(), khr_harmonics(degree).len());
            let mesh = khr.into_mesh().unwrap();
            let back = SplatColumns::of_mesh(&mesh).unwrap();
            let found = differences(&columns(&scene), &back);
            let bounds = [0.0, 1e-5, 2e-3, 1e-6, 0.0, 0.0];
            let is_within = found.iter().zip(bounds).all(|(found, bound)| *found <= bound);
            assert!(is_within, "{found:?}");
        }
    }

    /// The covariance turns by 180° about z: what is in its third row and column changes its sign.
    #[test]
    fn covariances_turn_about_z() {
        let scene = ball(20, 1);
        let khr = KhrSplats::of(&scene.meshes[0]).unwrap();
        let splats = Ellipsoids::of(&scene.meshes[0]).unwrap();
        for i in 0..20 {
            let splat = splats.get(i);
            let [px, py, pz] = splat.middle;
            assert_eq!(khr.positions[i], [-px, -py, pz]);
            let [x, y, z, w] = khr.rotations[i];
            let turned = [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
            ];
            for row in 0..3 {
                for column in 0..3 {
                    let here =
                        |k: usize| turned[row][k] * turned[column][k] * khr.scales[i][k].powi(2);
                    let there = |k: usize| splat.axes[k][row] * splat.axes[k][column];
                    let sign = if (row == 2) == (column == 2) { 1.0 } else { -1.0 };
                    let (a, b): (f32, f32) = ((0..3).map(here).sum(), (0..3).map(there).sum());
                    assert!((a - sign * b).abs() < 1e-6, "splat {i}, {row} {column}: {a} {b}");
                }
            }
        }
        // Of the first degree y and x change their signs, z does not.
        let (own, k) = (columns(&scene), 3);
        let red = |n: usize| (khr.harmonics[1 + n][k][0], own.rest[n][k]);
        assert_eq!([red(0).0, red(1).0, red(2).0], [-red(0).1, red(1).1, -red(2).1]);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let mut khr = KhrSplats::of(&ball(3, 1).meshes[0]).unwrap();
        khr.harmonics.pop();
        assert_eq!(khr.clone().into_mesh(), None);
        khr.harmonics.truncate(1);
        assert!(khr.clone().into_mesh().is_some());
        khr.opacities.pop();
        assert_eq!(khr.into_mesh(), None);
    }
}
