//! Matrices as translation, rotation and scale; where one is not enough, as two after each other.

use glam::{DMat3, DQuat, DVec3};

/// How far a matrix may be from its parts, beside the length of each of its axes: what rounding
/// to `f32` and texts of six digits leave.
const TOLERANCE: f64 = 1e-5;
/// Rounds over all pairs of columns; six are many.
const MOST_ROUNDS: usize = 40;

/// First scaled, then turned, then moved.
///
/// ```
/// use solio_mesh::decompose::decompose;
/// let twice = [2., 0., 0., 5., 0., 2., 0., 0., 0., 0., 2., 0.];
/// let parts = decompose(&twice).unwrap();
/// assert_eq!((parts.translation, parts.scale), ([5., 0., 0.], [2.; 3]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformParts {
    /// The move.
    pub translation: [f32; 3],
    /// A quaternion of length 1: x, y, z, w.
    pub rotation: [f32; 4],
    /// Negative along x where the matrix mirrors.
    pub scale: [f32; 3],
}

impl TransformParts {
    fn linear(&self) -> DMat3 {
        let rotation = DQuat::from_array(self.rotation.map(f64::from));
        let scale = DVec3::from_array(self.scale.map(f64::from));
        DMat3::from_quat(rotation) * DMat3::from_diagonal(scale)
    }
}

/// The parts of three rows of four; `None` where it shears, or has numbers that are none.
///
/// ```
/// let shears = [1., 0.5, 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
/// assert_eq!(solio_mesh::decompose::decompose(&shears), None);
/// ```
pub fn decompose(matrix: &[f32; 12]) -> Option<TransformParts> {
    let (linear, translation) = split(matrix);
    let parts = parts(&linear, translation)?;
    let again = parts.linear();
    let near = (0..3).all(|i| {
        let (is, was) = (again.col(i), linear.col(i));
        (is - was).abs().max_element() <= TOLERANCE * was.length()
    });
    near.then_some(parts)
}

/// Any matrix as parts of which the second are applied first: a rotation, then scale, rotation,
/// translation. `None` for numbers that are none.
///
/// Source: the singular value decomposition by one-sided Jacobi rotations (Hestenes 1958; Golub,
/// Van Loan, *Matrix Computations*, 8.6.3).
///
/// ```
/// let shears = [1., 0.5, 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
/// let [outer, inner] = solio_mesh::decompose::nested(&shears).unwrap();
/// assert_eq!(inner.scale, [1.0; 3]);
/// assert_ne!(outer.scale, [1.0; 3]);
/// ```
pub fn nested(matrix: &[f32; 12]) -> Option<[TransformParts; 2]> {
    let (linear, translation) = split(matrix);
    if !linear.is_finite() {
        return None;
    }
    let mut columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let mut turn = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..MOST_ROUNDS {
        let mut still = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (columns[p].length_squared(), columns[q].length_squared());
            let across = columns[p].dot(columns[q]);
            if across == 0.0 || across.abs() <= f64::EPSILON * (a * b).sqrt() {
                continue;
            }
            still = false;
            let zeta = (b - a) / (2.0 * across);
            let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let sine = cosine * tangent;
            for both in [&mut columns, &mut turn] {
                let (x, y) = (both[p], both[q]);
                both[p] = x * cosine - y * sine;
                both[q] = x * sine + y * cosine;
            }
        }
        if still {
            break;
        }
    }
    let outer = parts(&DMat3::from_cols(columns[0], columns[1], columns[2]), translation)?;
    let inner = DQuat::from_mat3(&DMat3::from_cols(turn[0], turn[1], turn[2]).transpose());
    let rotation = inner.normalize().to_array().map(|x| x as f32);
    let inner = TransformParts { translation: [0.0; 3], rotation, scale: [1.0; 3] };
    Some([outer, inner])
}

/// The columns, and the translation.
fn split(m: &[f32; 12]) -> (DMat3, [f32; 3]) {
    let column = |i: usize| DVec3::new(m[i].into(), m[4 + i].into(), m[8 + i].into());
    (DMat3::from_cols(column(0), column(1), column(2)), [m[3], m[7], m[11]])
}

/// As if the columns stood upright on each other.
fn parts(linear: &DMat3, translation: [f32; 3]) -> Option<TransformParts> {
    if !linear.is_finite() || translation.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let mut scale = columns.map(DVec3::length);
    if linear.determinant() < 0.0 {
        scale[0] = -scale[0];
    }
    let mut axes = [0, 1, 2].map(|i| (columns[i] / scale[i]).try_normalize());
    // What is flat has an axis of length zero, which stands on the others.
    for i in 0..3 {
        if axes[i].is_none() {
            let (next, after) = (axes[(i + 1) % 3], axes[(i + 2) % 3]);
            axes[i] = match (next, after) {
                (Some(next), Some(after)) => next.cross(after).try_normalize(),
                (Some(one), None) | (None, Some(one)) => Some(one.any_orthonormal_vector()),
                (None, None) => Some([DVec3::X, DVec3::Y, DVec3::Z][i]),
            };
        }
    }
    let [x, y, z] = axes;
    let (x, y, z) = (x?, y?, z?);
    // Of flat ones the last axis makes it right-handed.
    let z = if x.cross(y).dot(z) < 0.0 && scale[2] == 0.0 { -z } else { z };
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    if !rotation.is_finite() {
        return None;
    }
    Some(TransformParts {
        translation,
        rotation: rotation.to_array().map(|x| x as f32),
        scale: scale.map(|x| x as f32),
    })
}
