//! Splats as glTF's extension `KHR_gaussian_splatting` has them: the numbers of its accessors, and back.
//!
//! A glTF's `y` is up: splats turn by 180° about `z` on the way.

use super::columns::{SplatColumns, channel_of, log_size};
use super::spz::FrameFlips;
use crate::instances::Matrix;
use crate::model::Mesh;
use solio_base::Losses;
use std::borrow::Cow;

/// The extension, which its attributes begin with.
pub(crate) const KHR_GAUSSIAN_SPLATTING: &str = "KHR_gaussian_splatting";
/// The names of the attributes except the harmonics.
pub(crate) const KHR_ROTATION: &str = "KHR_gaussian_splatting:ROTATION";
/// Sizes, not their logarithms.
pub(crate) const KHR_SCALE: &str = "KHR_gaussian_splatting:SCALE";
/// Alphas from 0 to 1.
pub(crate) const KHR_OPACITY: &str = "KHR_gaussian_splatting:OPACITY";
/// The shape of all splats here.
pub(crate) const KHR_KERNEL: &str = "ellipse";
/// What the colours of splats are, by the names of the extension: as they are displayed, or in linear light.
pub(crate) const KHR_COLOR_SPACES: [&str; 2] = ["srgb_rec709_display", "lin_rec709_display"];
/// The highest degree that the extension has.
pub(crate) const KHR_MOST_DEGREE: usize = 3;
/// The turn between a PLY and a glTF.
const HALF_TURN: FrameFlips = FrameFlips([true, true, false]);

/// Opacities of alphas that are 0 and 1, and as floats nothing else.
const ENDS: [f32; 2] = [-90.0, 17.5];

/// The names of the harmonics of a degree: `SH_DEGREE_0_COEF_0` and so on.
pub(crate) fn khr_harmonics_of(degree: usize) -> impl Iterator<Item = String> {
    (0..=2 * degree).map(move |n| format!("{KHR_GAUSSIAN_SPLATTING}:SH_DEGREE_{degree}_COEF_{n}"))
}

/// The names of all up to a degree.
pub(crate) fn khr_harmonics(degree: usize) -> Vec<String> {
    (0..=degree).flat_map(khr_harmonics_of).collect()
}

/// The matrix in a glTF's axes that does what `matrix` does in those of a PLY, and the other way round.
pub(crate) fn half_turned(matrix: &Matrix) -> Matrix {
    let ([x, y, z], _) = HALF_TURN.signs();
    let signs = [x, y, z, 1.0].map(f64::from);
    [0, 1, 2].map(|r| [0, 1, 2, 3].map(|c| signs[r] * matrix[r][c] * signs[c]))
}

/// The splats of a mesh, row by row as accessors have them. NaN and infinity become numbers.
pub(crate) struct KhrRows<'m> {
    columns: SplatColumns<'m>,
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

impl<'m> KhrRows<'m> {
    /// `None` where the mesh has no splats.
    pub(crate) fn of(mesh: &'m Mesh<'_>) -> Option<KhrRows<'m>> {
        SplatColumns::of_mesh(mesh).map(|columns| KhrRows { columns })
    }

    /// Whether an attribute of vertices is one of those that these splats are made of.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.columns.is_own(name)
    }

    /// The degree that is written.
    pub(crate) fn degree(&self) -> usize {
        self.columns.degree().min(KHR_MOST_DEGREE)
    }

    /// `POSITION`.
    pub(crate) fn position(&self, i: usize) -> [f32; 3] {
        let (signs, _) = HALF_TURN.signs();
        let place = self.columns.positions[i];
        [0, 1, 2].map(|k| finite(place[k] * signs[k]))
    }

    /// [`KHR_ROTATION`]: x, y, z and w, of length 1.
    pub(crate) fn rotation(&self, i: usize) -> [f32; 4] {
        let (_, signs) = HALF_TURN.signs();
        let [w, x, y, z] = self.columns.turn(i);
        [x * signs[0], y * signs[1], z * signs[2], w]
    }

    /// [`KHR_SCALE`].
    pub(crate) fn scale(&self, i: usize) -> [f32; 3] {
        let size = |scale: f32| match f64::from(scale).exp() as f32 {
            size if size.is_nan() => 0.0,
            size => size.min(f32::MAX),
        };
        SplatColumns::three(&self.columns.scales, i).map(size)
    }

    /// [`KHR_OPACITY`].
    pub(crate) fn opacity(&self, i: usize) -> f32 {
        let alpha = (1.0 / (1.0 + (-f64::from(self.columns.opacity[i])).exp())) as f32;
        // The end that stands for 0 is above it by what no float of full precision is.
        if alpha >= f32::MIN_POSITIVE { alpha } else { 0.0 }
    }

    /// Harmonic `k` of those of [`khr_harmonics`]: red, green and blue.
    pub(crate) fn harmonic(&self, k: usize, i: usize) -> [f32; 3] {
        let Some(k) = k.checked_sub(1) else {
            return SplatColumns::three(&self.columns.colors, i).map(finite);
        };
        let sign = if HALF_TURN.negates(k) { -1.0 } else { 1.0 };
        let of_channel = self.columns.rest.len() / 3;
        [0, 1, 2].map(|c| finite(sign * self.columns.rest[c * of_channel + k][i]))
    }

    /// The colour from 0 to 1 that programs show which know points alone.
    pub(crate) fn color(&self, i: usize) -> [f32; 3] {
        self.harmonic(0, i).map(|constant| channel_of(constant).clamp(0.0, 1.0))
    }
}

/// Adds how far splats are off once they are read again.
pub(crate) fn khr_losses(losses: &mut Losses, mesh: &Mesh<'_>) {
    let Some(rows) = KhrRows::of(mesh) else { return };
    let all = 0..rows.columns.count();
    let mut after = KhrSplats::new(all.clone().map(|i| rows.position(i)).collect(), rows.degree());
    after.rotations(&all.clone().map(|i| rows.rotation(i)).collect::<Vec<_>>());
    after.scales(&all.clone().map(|i| rows.scale(i)).collect::<Vec<_>>());
    after.opacities(&all.clone().map(|i| [rows.opacity(i)]).collect::<Vec<_>>());
    for k in 0..khr_harmonics(rows.degree()).len() {
        after.harmonic(k, &all.clone().map(|i| rows.harmonic(k, i)).collect::<Vec<_>>());
    }
    super::measure::measure(losses, "glTF", &rows.columns, &after.finish(), None);
}

/// Splats under way from accessors, each of which has a row for each splat.
pub(crate) struct KhrSplats {
    columns: SplatColumns<'static>,
}

impl KhrSplats {
    /// All from [`rotations`](KhrSplats::rotations) on must follow, and all harmonics of the degree.
    pub(crate) fn new(positions: Vec<[f32; 3]>, degree: usize) -> KhrSplats {
        let columns = SplatColumns::of_degree(degree, 0);
        KhrSplats { columns: SplatColumns { positions: positions.into(), ..columns } }
    }

    pub(crate) fn rotations(&mut self, rows: &[[f32; 4]]) {
        self.columns.turns = [3, 0, 1, 2].map(|k| rows.iter().map(|row| row[k]).collect());
    }

    pub(crate) fn scales(&mut self, rows: &[[f32; 3]]) {
        self.columns.scales = [0, 1, 2].map(|k| rows.iter().map(|row| log_size(row[k])).collect());
    }

    pub(crate) fn opacities(&mut self, rows: &[[f32; 1]]) {
        let logit = |[alpha]: &[f32; 1]| match f64::from(*alpha) {
            alpha if alpha <= 0.0 => ENDS[0],
            alpha if alpha >= 1.0 => ENDS[1],
            alpha => (alpha / (1.0 - alpha)).ln() as f32,
        };
        self.columns.opacity = rows.iter().map(logit).collect();
    }

    pub(crate) fn harmonic(&mut self, k: usize, rows: &[[f32; 3]]) {
        let of_channel = self.columns.rest.len() / 3;
        for c in 0..3 {
            let column: Cow<'static, [f32]> = rows.iter().map(|row| row[c]).collect();
            match k.checked_sub(1) {
                None => self.columns.colors[c] = column,
                Some(k) => self.columns.rest[c * of_channel + k] = column,
            }
        }
    }

    pub(crate) fn finish(mut self) -> SplatColumns<'static> {
        HALF_TURN.turn(&mut self.columns);
        self.columns
    }
}

/// The splats of an SPZ within a glTF: its axes are those of the glTF, not those that the reader of files
/// turns them from.
pub(crate) fn of_inner_spz(mesh: &Mesh<'_>) -> Option<SplatColumns<'static>> {
    let columns = SplatColumns::of_mesh(mesh)?;
    let mut columns = columns.in_order(&(0..columns.count() as u32).collect::<Vec<_>>());
    super::spz::USUAL.turn(&mut columns);
    HALF_TURN.turn(&mut columns);
    Some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splats::Ellipsoids;
    use crate::splats::tests::{ball, columns};

    /// The covariance turns by 180° about z: what is in its third row and column changes its sign.
    #[test]
    fn covariances_turn_about_z() {
        let scene = ball(20, 1);
        let khr = KhrRows::of(&scene.meshes[0]).unwrap();
        let splats = Ellipsoids::of(&scene.meshes[0]).unwrap();
        for i in 0..20 {
            let splat = splats.get(i);
            let [px, py, pz] = splat.middle;
            assert_eq!(khr.position(i), [-px, -py, pz]);
            let [x, y, z, w] = khr.rotation(i);
            let turned = [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
            ];
            for row in 0..3 {
                for column in 0..3 {
                    let here =
                        |k: usize| turned[row][k] * turned[column][k] * khr.scale(i)[k].powi(2);
                    let there = |k: usize| splat.axes[k][row] * splat.axes[k][column];
                    let sign = if (row == 2) == (column == 2) { 1.0 } else { -1.0 };
                    let (a, b): (f32, f32) = ((0..3).map(here).sum(), (0..3).map(there).sum());
                    assert!((a - sign * b).abs() < 1e-6, "splat {i}, {row} {column}: {a} {b}");
                }
            }
        }
        // Of the first degree y and x change their signs, z does not.
        let (own, k) = (columns(&scene), 3);
        let red = |n: usize| (khr.harmonic(1 + n, k)[0], own.rest[n][k]);
        assert_eq!([red(0).0, red(1).0, red(2).0], [-red(0).1, red(1).1, -red(2).1]);
    }

    #[test]
    fn all_alphas_come_back() {
        let alphas = [0.0, 1e-9, 1e-4, 0.5, 0.75, 0.999, 1.0_f32.next_down(), 1.0];
        let mut splats = KhrSplats::new(vec![[0.0; 3]; alphas.len()], 0);
        splats.rotations(&[[0.0, 0.0, 0.0, 1.0]; 8]);
        splats.scales(&[[0.0, 1e-30, 3.0]; 8]);
        splats.opacities(&alphas.map(|alpha| [alpha]));
        splats.harmonic(0, &[[0.0; 3]; 8]);
        let mesh = splats.finish().into_mesh();
        let rows = KhrRows::of(&mesh).unwrap();
        for (i, alpha) in alphas.into_iter().enumerate() {
            assert!((rows.opacity(i) - alpha).abs() <= 1e-6 * alpha, "{alpha} {}", rows.opacity(i));
            let [none, small, large] = rows.scale(i);
            assert!(none < 1e-37 && (small - 1e-30).abs() < 1e-35 && (large - 3.0).abs() < 1e-6);
        }
    }
}
