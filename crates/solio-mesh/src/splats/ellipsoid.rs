//! Splats as what is drawn of them.

use super::columns::{SplatColumns, alpha_of, channel_of};
use crate::model::Mesh;

/// A splat as it is seen from no side more than from others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// The middle.
    pub middle: [f32; 3],
    /// The three half axes, each as long as one deviation of the Gaussian.
    pub axes: [[f32; 3]; 3],
    /// In display sRGB; not above 1 where nothing is brighter than white, and never below 0.
    pub color: [f32; 3],
    /// Of the middle, 0 to 1.
    pub alpha: f32,
}

/// All splats of a mesh.
pub struct Ellipsoids<'m>(SplatColumns<'m>);

impl<'m> Ellipsoids<'m> {
    /// The splats of a mesh; `None` where it has none.
    ///
    /// ```
    /// use solio_mesh::{Mesh, splats::Ellipsoids};
    /// assert!(Ellipsoids::of(&Mesh::default()).is_none());
    /// ```
    pub fn of(mesh: &'m Mesh<'_>) -> Option<Ellipsoids<'m>> {
        SplatColumns::of_mesh(mesh).map(Ellipsoids)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// The middle of one of them.
    pub fn middle(&self, i: usize) -> [f32; 3] {
        self.0.positions[i]
    }

    /// The alpha of one of them.
    pub fn alpha(&self, i: usize) -> f32 {
        alpha_of(self.0.opacity[i])
    }

    /// One of them.
    pub fn get(&self, i: usize) -> Ellipsoid {
        let columns = &self.0;
        let [w, x, y, z] = columns.turn(i);
        let sizes = SplatColumns::three(&columns.scales, i).map(f32::exp);
        // The columns of the matrix of rotation.
        let turned = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Ellipsoid {
            middle: self.middle(i),
            axes: std::array::from_fn(|k| turned[k].map(|v| v * sizes[k])),
            color: SplatColumns::three(&columns.colors, i).map(|c| channel_of(c).max(0.0)),
            alpha: self.alpha(i),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_turn_by_the_quaternion() {
        let mut columns = SplatColumns::of_degree(0, 1);
        // A quarter about z, of length 2: x becomes y.
        let turn = [2.0_f32.sqrt(), 0.0, 0.0, 2.0_f32.sqrt()];
        let scales = [3.0_f32.ln(), 0.0, 0.5_f32.ln()];
        let numbers = [
            0.0, 9.0, -9.0, 0.0, scales[0], scales[1], scales[2], turn[0], turn[1], turn[2],
            turn[3],
        ];
        columns.push([1.0, 2.0, 3.0], numbers);
        let mesh = columns.into_mesh();
        let found = Ellipsoids::of(&mesh).unwrap().get(0);
        let wanted = [[0.0, 3.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.5]];
        let pairs = found.axes.as_flattened().iter().zip(wanted.as_flattened());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        assert!(found.color[1] > 3.0 && found.color[2] == 0.0 && found.alpha == 0.5, "{found:?}");
    }
}
