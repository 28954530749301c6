//! The transform from an object's space to that of a file, in the float operations (and their
//! order) that Blender's exporters use, so that the results agree to the last bit.
//!
//! No operation here may be fused or reordered.

use crate::axes::Axis;
use solio_base::{Error, Result};

/// What happens to positions, normals and the order of corners on the way into a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FileTransform {
    /// Rows of the matrix for positions; `None` leaves them alone.
    pub(crate) position: Option<[[f32; 4]; 3]>,
    /// The same for positions in double precision, which keep all of the scale.
    pub(crate) position_f64: Option<[[f64; 4]; 3]>,
    /// Rows of the matrix for normals, the inverse transpose of the other's upper left part
    /// before scaling; `None` leaves their directions alone.
    pub(crate) normal: Option<[[f32; 3]; 3]>,
    /// Whether the transform mirrors, so that faces must turn the other way round.
    pub(crate) mirrors: bool,
}

impl FileTransform {
    /// Applies `object` (rows), then `axes`, then `scale`.
    pub(crate) fn new(
        object: Option<&[[f32; 4]; 4]>,
        axes: Option<&[[f32; 3]; 3]>,
        scale: f64,
    ) -> Self {
        if object.is_none() && axes.is_none() && scale == 1.0 {
            return FileTransform::default();
        }
        let mut m = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        if let Some(o) = object {
            m = [o[0], o[1], o[2]];
        }
        if let Some(a) = axes {
            let o = m;
            m = [0, 1, 2].map(|r| {
                [0, 1, 2, 3].map(|c| a[r][0] * o[0][c] + a[r][1] * o[1][c] + a[r][2] * o[2][c])
            });
        }
        let directions = m.map(|row| [row[0], row[1], row[2]]);
        let normal = inverse_transpose(&directions);
        FileTransform {
            position: Some(m.map(|row| row.map(|x| scale as f32 * x))),
            position_f64: Some(m.map(|row| row.map(|x| scale * f64::from(x)))),
            normal: (object.is_some() || axes.is_some()).then_some(normal),
            mirrors: determinant(&normal) < 0.0,
        }
    }
}

/// A point through rows of a matrix.
#[inline(always)]
pub(crate) fn point([x, y, z]: [f32; 3], m: &[[f32; 4]; 3]) -> [f32; 3] {
    // The sum starts with +0: a result is never −0.
    m.map(|r| (0.0 + x * r[0] + y * r[1] + z * r[2]) + r[3])
}

/// Values that are made at once, each component in a row of its own, so that the compiler makes
/// vectors of them.
pub(crate) const LANES: usize = 64;

/// `out[i] = make(values[i])`.
#[inline(always)]
pub(crate) fn in_lanes(
    values: &[[f32; 3]],
    out: &mut [[f32; 3]],
    make: impl Fn([f32; 3]) -> [f32; 3],
) {
    for (values, out) in values.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let (mut x, mut y, mut z) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (i, v) in values.iter().enumerate() {
            [x[i], y[i], z[i]] = *v;
        }
        for i in 0..LANES {
            [x[i], y[i], z[i]] = make([x[i], y[i], z[i]]);
        }
        for (i, v) in out.iter_mut().enumerate() {
            *v = [x[i], y[i], z[i]];
        }
    }
}

/// Takes points through rows of a matrix, by [`solio_codec::wide`].
pub(crate) struct PointRows<'a> {
    pub(crate) from: &'a [[f32; 3]],
    pub(crate) matrix: &'a [[f32; 4]; 3],
    pub(crate) to: &'a mut [[f32; 3]],
}

impl solio_codec::wide::Wide for PointRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        in_lanes(self.from, self.to, |p| point(p, self.matrix));
    }
}

/// A point in double precision through rows of a matrix.
#[inline(always)]
pub(crate) fn point_f64([x, y, z]: [f64; 3], m: &[[f64; 4]; 3]) -> [f64; 3] {
    m.map(|r| (0.0 + x * r[0] + y * r[1] + z * r[2]) + r[3])
}

/// A normal through rows of a matrix, with length 1 (or 0 where it had none).
#[inline(always)]
pub(crate) fn direction([x, y, z]: [f32; 3], m: &[[f32; 3]; 3]) -> [f32; 3] {
    unit(m.map(|r| 0.0 + x * r[0] + y * r[1] + z * r[2]))
}

/// The direction of `v`, with length 1 (or 0 where `v` has none).
#[inline(always)]
pub(crate) fn unit(v: [f32; 3]) -> [f32; 3] {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let length = square.sqrt();
    if square > 1.0e-35 { v.map(|c| c / length) } else { [0.0; 3] }
}

/// Cofactors over the determinant, and zeros for a matrix that has no inverse.
fn inverse_transpose(m: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let cofactor = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]
    };
    let first = [0, 1, 2].map(|i| cofactor(i, 0));
    let determinant = first[0] * m[0][0] + (first[1] * m[1][0] + first[2] * m[2][0]);
    if determinant.abs() > 0.0 {
        let over = 1.0 / determinant;
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| cofactor(i, j) * over))
    } else {
        [[0.0; 3]; 3]
    }
}

fn determinant(m: &[[f32; 3]; 3]) -> f32 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

/// A factor on positions that can be undone.
///
/// # Errors
/// `Argument` where it is not finite and above zero, or is not so as a float.
pub(crate) fn scale(factor: f64) -> Result<f64> {
    let float = factor as f32;
    if float.is_finite() && float > 0.0 {
        return Ok(factor);
    }
    let message = format!("the global scale is {factor:e}; it must be a float above 0");
    Err(Error::argument(message)
        .hint("it is the factor on positions: 0.01 makes metres of centimetres"))
}

/// The rotation that turns the axes `from` (forward, up) into `to`; `None` when they are the same.
///
/// # Errors
/// `Argument` when forward and up lie on one line.
pub(crate) fn axes(from: (Axis, Axis), to: (Axis, Axis)) -> Result<Option<[[f32; 3]; 3]>> {
    let is_same = from == to;
    let (from, to) = (frame(from)?, frame(to)?);
    if is_same {
        return Ok(None);
    }
    Ok(Some([0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| to[k][r] * from[k][c]).sum()))))
}

/// Right, forward and up as vectors.
fn frame((forward, up): (Axis, Axis)) -> Result<[[f32; 3]; 3]> {
    let (f, u) = (forward.vector(), up.vector());
    let right = [f[1] * u[2] - f[2] * u[1], f[2] * u[0] - f[0] * u[2], f[0] * u[1] - f[1] * u[0]];
    if forward.is_along(up) {
        let [f, u] = [forward, up].map(|axis| axis.name().replace("NEGATIVE_", "-"));
        let message = format!("the forward axis {f} and the up axis {u} lie on one line");
        return Err(Error::argument(message).hint("name both, as in --up-axis Z --forward-axis Y"));
    }
    Ok([right, f, u])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blenders_default_axes() {
        let m = axes((Axis::Y, Axis::Z), (Axis::NegativeZ, Axis::Y)).unwrap().unwrap();
        let t = FileTransform::new(None, Some(&m), 2.0);
        assert_eq!(point([1.0, 2.0, 3.0], &t.position.unwrap()), [2.0, 6.0, -4.0]);
        assert_eq!(direction([0.0, 0.0, 5.0], &t.normal.unwrap()), [0.0, 1.0, 0.0]);
        assert!(!t.mirrors);
        assert!(axes((Axis::Y, Axis::Z), (Axis::X, Axis::NegativeX)).is_err());
        assert_eq!(axes((Axis::Y, Axis::Z), (Axis::Y, Axis::Z)).unwrap(), None);
    }

    #[test]
    fn mirrors_and_flat_matrices() {
        let mut m = [[2., 0., 0., 1.], [0., -1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]];
        assert!(FileTransform::new(Some(&m), None, 1.0).mirrors);
        m[2][2] = 0.0;
        let flat = FileTransform::new(Some(&m), None, 1.0);
        assert_eq!((flat.normal, flat.mirrors), (Some([[0.0; 3]; 3]), false));
    }
}
