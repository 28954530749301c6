//! Leaves of triangles: eight at once are tested against a ray.
//!
//! The test is Woop, Benthin and Wald, *Watertight Ray/Triangle Intersection*, JCGT 2013: no ray
//! slips through an edge that two triangles share, nor through a vertex. Both triangles compute the
//! very same numbers for the edge, but for the sign (there are no fused operations here), and
//! where one is zero it is computed again without error.

use super::mesh::{BvhMesh, NO_TRIANGLE};
use super::ray::{Hit, Ray};
use solio_codec::lanes::Lanes;

/// The numbers of up to eight triangles. The missing ones are [`NO_TRIANGLE`], which no ray meets.
pub(super) type Leaf = [u32; 8];

pub(super) const NO_TRIANGLES: Leaf = [NO_TRIANGLE; 8];

/// A ray made ready for triangles: axes are swapped and sheared such that it runs along z.
pub(super) struct Sheared<L: Lanes> {
    axes: [usize; 3],
    depth: f32,
    origin: [L::Floats; 3],
    shears: [L::Floats; 2],
}

impl<L: Lanes> Sheared<L> {
    #[inline(always)]
    pub(super) fn of(lanes: L, ray: &Ray) -> Sheared<L> {
        let [x, y, z] = ray.direction.map(f32::abs);
        let main = if x > y && x > z {
            0
        } else if y > z {
            1
        } else {
            2
        };
        let (mut first, mut second) = ((main + 1) % 3, (main + 2) % 3);
        if ray.direction[main] < 0.0 {
            (first, second) = (second, first);
        }
        let along = ray.direction[main];
        let shear = [ray.direction[first] / along, ray.direction[second] / along, 1.0 / along];
        Sheared {
            axes: [first, second, main],
            depth: shear[2],
            origin: [
                lanes.splat(ray.origin[0]),
                lanes.splat(ray.origin[1]),
                lanes.splat(ray.origin[2]),
            ],
            shears: [lanes.splat(shear[0]), lanes.splat(shear[1])],
        }
    }

    /// x, y, z of a vertex of all eight, as the ray sees it; z not yet scaled.
    #[inline(always)]
    fn vertex(&self, lanes: L, vertex: [L::Floats; 3]) -> [L::Floats; 3] {
        let [x, y, z] = self.axes;
        let [x, y, z] = [
            lanes.sub(vertex[x], self.origin[x]),
            lanes.sub(vertex[y], self.origin[y]),
            lanes.sub(vertex[z], self.origin[z]),
        ];
        let across = |at, i: usize| lanes.sub(at, lanes.mul(self.shears[i], z));
        [across(x, 0), across(y, 1), z]
    }

    /// The nearest of the leaf's triangles beyond `from` and not beyond `to`; of equal ones that
    /// of the smallest number.
    #[inline(always)]
    pub(super) fn meet(
        &self,
        lanes: L,
        mesh: BvhMesh,
        leaf: &Leaf,
        from: f32,
        to: f32,
    ) -> Option<Hit> {
        let [a, b, c] = mesh.eight(lanes, *leaf);
        let [a, b, c] = [self.vertex(lanes, a), self.vertex(lanes, b), self.vertex(lanes, c)];
        let cross = |p: [L::Floats; 3], q: [L::Floats; 3]| {
            lanes.sub(lanes.mul(p[0], q[1]), lanes.mul(p[1], q[0]))
        };
        let (u, v, w) = (cross(c, b), cross(a, c), cross(b, a));
        let zero = lanes.splat(0.0);
        let above = |x| lanes.at_most(zero, x);
        let below = |x| lanes.at_most(x, zero);
        let mut candidates = above(u) & above(v) & above(w) | below(u) & below(v) & below(w);
        if candidates == 0 {
            return None;
        }
        let all =
            |[x, y, z]: [L::Floats; 3]| [lanes.store(x).0, lanes.store(y).0, lanes.store(z).0];
        let (a, b, c, [u, v, w]) = (all(a), all(b), all(c), all([u, v, w]));
        let mut hit: Option<Hit> = None;
        while candidates != 0 {
            let i = (candidates.trailing_zeros() & 7) as usize;
            candidates &= candidates - 1;
            let weights = match [u[i], v[i], w[i]] {
                [u, v, w] if u != 0.0 && v != 0.0 && w != 0.0 => [u, v, w],
                _ => {
                    let at = |p: &[[f32; 8]; 3]| [f64::from(p[0][i]), f64::from(p[1][i])];
                    match exact_weights(at(&a), at(&b), at(&c)) {
                        Some(weights) => weights,
                        None => continue,
                    }
                }
            };
            let sum = weights[0] + weights[1] + weights[2];
            let depth = weights[0] * (self.depth * a[2][i])
                + weights[1] * (self.depth * b[2][i])
                + weights[2] * (self.depth * c[2][i]);
            let distance = depth / sum;
            let number = leaf[i];
            let nearer = match &hit {
                Some(hit) => (distance, number) < (hit.distance, hit.triangle),
                None => distance > from && distance <= to,
            };
            if nearer && distance > from {
                hit = Some(Hit {
                    distance,
                    triangle: number,
                    u: weights[1] / sum,
                    v: weights[2] / sum,
                });
            }
        }
        hit
    }
}

/// The weights of the vertices where one is zero in `f32`: products of two `f32` are exact in
/// `f64`, and the sign of a difference is always right. `None` outside the triangle.
#[cold]
fn exact_weights(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Option<[f32; 3]> {
    let cross = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    let weights = [cross(c, b), cross(a, c), cross(b, a)];
    let outside = weights.iter().any(|x| *x < 0.0) && weights.iter().any(|x| *x > 0.0);
    (!outside).then(|| weights.map(|x| x as f32))
}
