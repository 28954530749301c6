//! Splats under a matrix: with their places go their sizes, their rotations, and the colours that depend on
//! the view.

use super::columns::{COEFFICIENTS, SplatColumns};
use super::harmonics::HarmonicTurn;
use crate::instances::Matrix;
use crate::model::{Mesh, Values};
use glam::{DMat3, DQuat, DVec3};

/// How far the axes of a matrix may be from equally long and at right angles, in parts of their length,
/// to count as turned and grown alone.
const SLACK: f64 = 1e-6;
/// Rounds over all pairs of axes; six are many.
const MOST_ROUNDS: usize = 40;

/// Changes the attributes of splats whose positions are moved by `matrix`; of other meshes nothing.
pub(crate) fn place_splats(mesh: &mut Mesh<'_>, matrix: &Matrix) {
    let linear = DMat3::from_cols_array_2d(&[0, 1, 2].map(|c| [0, 1, 2].map(|r| matrix[r][c])));
    if linear == DMat3::IDENTITY {
        return;
    }
    let Some(columns) = SplatColumns::of_mesh(mesh) else { return };
    let mut changed: Vec<(String, Vec<f32>)> = Vec::new();
    let names =
        |name: &str, count: usize| (0..count).map(|k| format!("{name}_{k}")).collect::<Vec<_>>();
    let mut parts = [(); 7].map(|()| Vec::with_capacity(columns.count()));
    let under = UnderMatrix::new(linear);
    for i in 0..columns.count() {
        let scales = SplatColumns::three(&columns.scales, i);
        let turn = [0, 1, 2, 3].map(|k| columns.turns[k][i]);
        let (scales, turn) = under.placed(scales, turn).unwrap_or((scales, turn));
        parts.iter_mut().zip(scales.into_iter().chain(turn)).for_each(|(all, v)| all.push(v));
    }
    changed.extend(names("scale", 3).into_iter().chain(names("rot", 4)).zip(parts));
    if let Some(turn) = under.turn.filter(|_| columns.degree() > 0) {
        let turn = HarmonicTurn::of(&turn);
        let of_channel = COEFFICIENTS[columns.degree()];
        let rest: Vec<&[f32]> = columns.rest.iter().map(|column| &**column).collect();
        let turned = rest.chunks(of_channel).flat_map(|channel| turn.apply(channel));
        changed.extend(names("f_rest", 3 * of_channel).into_iter().zip(turned));
    }
    for (name, values) in changed {
        let is = |a: &&mut crate::model::Attribute<'_>| a.element == "vertex" && a.name == name;
        if let Some(attribute) = mesh.attributes.iter_mut().find(is) {
            attribute.values = Values::F32(values.into());
        }
    }
}

/// What a matrix does to splats.
struct UnderMatrix {
    linear: DMat3,
    /// The turn in it, which may mirror; `None` where it flattens everything.
    turn: Option<DMat3>,
    /// Where it turns and grows alone: the rotation, and the logarithm of the growth.
    simple: Option<(DQuat, f64)>,
}

impl UnderMatrix {
    fn new(linear: DMat3) -> UnderMatrix {
        let turn = nearest_turn(linear);
        let growth = linear.determinant().abs().cbrt();
        let is_simple = |turn: &DMat3| {
            let off = linear - *turn * growth;
            let axes = [off.x_axis, off.y_axis, off.z_axis];
            axes.iter().all(|axis| axis.length() <= SLACK * growth)
        };
        // An ellipsoid mirrored at its middle is the same.
        let rotation = |turn: DMat3| DQuat::from_mat3(&(turn * turn.determinant().signum()));
        let simple = turn.filter(is_simple).map(|turn| (rotation(turn), growth.ln()));
        UnderMatrix { linear, turn, simple }
    }

    /// The logarithms of sizes, and the quaternion; `None` of what has no size or no direction.
    fn placed(&self, scales: [f32; 3], turn: [f32; 4]) -> Option<([f32; 3], [f32; 4])> {
        let [w, x, y, z] = turn.map(f64::from);
        let own = DQuat::from_xyzw(x, y, z, w);
        let is_turn = own.length_squared() > 0.0 && own.is_finite();
        if !is_turn || scales.iter().any(|scale| !scale.is_finite()) {
            return None;
        }
        let numbers = |q: DQuat| [q.w, q.x, q.y, q.z].map(|part| part as f32);
        if let Some((rotation, growth)) = self.simple {
            let grown = scales.map(|scale| (f64::from(scale) + growth) as f32);
            return Some((grown, numbers(rotation * own)));
        }
        // Sizes may be beyond what floats hold: the largest one is 1.
        let largest = scales.iter().fold(f32::NEG_INFINITY, |most, scale| most.max(*scale));
        let sizes = scales.map(|scale| f64::from(scale - largest).exp());
        let rotation = DMat3::from_quat(own.normalize());
        let all = self.linear * rotation * DMat3::from_diagonal(DVec3::from_array(sizes));
        let (axes, lengths) = axes_of(all);
        let grown = lengths.map(|length| (length.ln() + f64::from(largest)) as f32);
        grown
            .iter()
            .all(|scale| scale.is_finite())
            .then(|| (grown, numbers(DQuat::from_mat3(&axes))))
    }
}

/// The orthogonal matrix that is nearest to one, by Newton's iteration (Higham 1986).
fn nearest_turn(linear: DMat3) -> Option<DMat3> {
    let size = linear.determinant().abs().cbrt();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let mut turn = linear * size.recip();
    for _ in 0..MOST_ROUNDS {
        let next = (turn + turn.inverse().transpose()) * 0.5;
        let change =
            (next - turn).to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        turn = next;
        if change < 1e-15 {
            break;
        }
    }
    turn.is_finite().then_some(turn)
}

/// The half axes of the ellipsoid that a matrix makes of a ball, as a rotation and lengths: by turning pairs
/// of its columns until they are at right angles (Hestenes 1958).
fn axes_of(matrix: DMat3) -> (DMat3, [f64; 3]) {
    // Rows, turned: M Mᵀ is the ellipsoid, so the axes are those of the rows.
    let rows = matrix.transpose();
    let mut columns = [rows.x_axis, rows.y_axis, rows.z_axis];
    let mut axes = DMat3::IDENTITY;
    for _ in 0..MOST_ROUNDS {
        let mut is_done = true;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b, c) = (
                columns[i].length_squared(),
                columns[j].length_squared(),
                columns[i].dot(columns[j]),
            );
            if c.abs() <= 1e-15 * (a * b).sqrt() || c == 0.0 {
                continue;
            }
            is_done = false;
            let zeta = (b - a) / (2.0 * c);
            let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let cos = 1.0 / (1.0 + t * t).sqrt();
            let sin = cos * t;
            let turned = |p: DVec3, q: DVec3| (p * cos - q * sin, p * sin + q * cos);
            (columns[i], columns[j]) = turned(columns[i], columns[j]);
            let mut own = [axes.x_axis, axes.y_axis, axes.z_axis];
            (own[i], own[j]) = turned(own[i], own[j]);
            axes = DMat3::from_cols(own[0], own[1], own[2]);
        }
        if is_done {
            break;
        }
    }
    (axes, columns.map(DVec3::length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::place;
    use crate::splats::Ellipsoids;
    use crate::splats::tests::{ball, columns};

    /// The sum of the outer products of the half axes.
    fn covariance(axes: &[[f32; 3]; 3]) -> DMat3 {
        let of = |axis: &[f32; 3]| {
            let [x, y, z] = axis.map(f64::from);
            DMat3::from_cols(
                DVec3::new(x * x, x * y, x * z),
                DVec3::new(x * y, y * y, y * z),
                DVec3::new(x * z, y * z, z * z),
            )
        };
        of(&axes[0]) + of(&axes[1]) + of(&axes[2])
    }

    #[test]
    fn ellipsoids_become_what_the_matrix_makes_of_them() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.2, -2.0));
        let matrices = [
            turn,
            turn * 2.5,
            turn * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
            turn * DMat3::from_diagonal(DVec3::new(2.0, 0.5, 1.0)),
            DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z * -3.0),
        ];
        for linear in matrices {
            let before = ball(40, 1);
            let mut after = before.meshes[0].clone();
            let rows = linear.transpose().to_cols_array_2d();
            place(&mut after, &[0, 1, 2].map(|r| [rows[r][0], rows[r][1], rows[r][2], 0.25]));
            let (old, new) =
                (Ellipsoids::of(&before.meshes[0]).unwrap(), Ellipsoids::of(&after).unwrap());
            for i in 0..40 {
                let (old, new) = (old.get(i), new.get(i));
                let wanted = linear * covariance(&old.axes) * linear.transpose();
                let off = (covariance(&new.axes) - wanted).to_cols_array();
                let size =
                    wanted.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                assert!(off.iter().all(|x| x.abs() < 1e-5 * size), "{i} {linear}: {off:?} {size}");
                let middle = linear * DVec3::from_array(old.middle.map(f64::from)) + 0.25;
                assert!((DVec3::from_array(new.middle.map(f64::from)) - middle).length() < 1e-5);
                assert_eq!((old.alpha, old.color), (new.alpha, new.color));
            }
        }
    }

    #[test]
    fn half_a_turn_is_the_flip_of_two_axes() {
        use crate::splats::spz::FrameFlips;
        let scene = ball(30, 4);
        let mut wanted = columns(&scene);
        FrameFlips([true, true, false]).turn(&mut wanted);
        let mut mesh = scene.meshes[0].clone();
        place(&mut mesh, &[[-1., 0., 0., 0.], [0., -1., 0., 0.], [0., 0., 1., 0.]]);
        let found = SplatColumns::of_mesh(&mesh).unwrap();
        let off = crate::splats::tests::differences(&wanted, &found);
        // Quaternions differ by half a turn about an axis of the ellipsoid, which is the same then.
        assert!((off[0], off[1], off[3], off[4]) == (0.0, 0.0, 0.0, 0.0), "{off:?}");
        assert!(off[5] < 1e-6, "{off:?}");
    }

    #[test]
    fn what_has_no_size_or_direction_stays() {
        let mut all = columns(&ball(3, 0));
        all.scales[1].to_mut()[0] = f32::NAN;
        all.turns.iter_mut().for_each(|part| part.to_mut()[1] = 0.0);
        let mut mesh = all.clone().into_mesh();
        place(&mut mesh, &[[0., 2., 0., 0.], [1., 0., 0., 0.], [0., 0., 1., 0.]]);
        let after = SplatColumns::of_mesh(&mesh).unwrap();
        assert!(after.scales[1][0].is_nan() && after.turns.iter().all(|part| part[1] == 0.0));
        assert_ne!(after.scales[0][2], all.scales[0][2]);
        // Flattened: nothing has a size.
        let mut flat = all.clone().into_mesh();
        place(&mut flat, &[[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 0., 0.]]);
        assert_eq!(SplatColumns::of_mesh(&flat).unwrap().scales[0][2], all.scales[0][2]);
    }
}
