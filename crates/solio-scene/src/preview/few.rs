//! Worlds of few triangles: what a region of the picture can show of them, without a ray.
//!
//! The corners a, b, c of a triangle as the camera sees them span all of space: a ray `d` is
//! α·a + β·b + γ·c. It meets the triangle where none of the three is negative, at the distance
//! 1 / (α + β + γ). Each is linear in `d`, and `d` is in the place on the screen: what is said of the four
//! corners of a region holds for all of it (Warnock, *A Hidden Surface Algorithm for Computer Generated
//! Half-Tone Pictures*, 1969).

use super::World;
use super::camera::RayCamera;
use crate::bvh::{Hit, Ray};
use glam::DVec3;

/// Of more triangles rays alone know what they meet.
const MOST: usize = 4096;
/// How much nearer another triangle has to be to hide one, in parts of its distance.
const NEARER: f64 = 1e-5;

/// The triangles of a world that has one mesh, where it is.
pub(super) struct FewTriangles {
    triangles: Vec<SeenTriangle>,
}

/// A triangle as the camera sees it.
struct SeenTriangle {
    number: u32,
    /// What of a direction is α, β and γ; `None` where the camera is in the plane of the triangle.
    weights: Option<[DVec3; 3]>,
    /// What of a direction is aside of the plane through the camera and the longest edge.
    aside: DVec3,
}

/// What a region of the picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    /// This triangle everywhere, by its place in the list.
    One(u32),
    /// Rays have to tell.
    Some,
}

impl FewTriangles {
    /// `None` where there are too many triangles, more than one mesh, or a camera that is not a point.
    pub(super) fn of(world: &World<'_>, camera: &RayCamera) -> Option<FewTriangles> {
        let mesh = world.only_mesh()?;
        let eye = DVec3::from(camera.eye()?.map(f64::from));
        if mesh.triangles.len() > MOST || !eye.is_finite() {
            return None;
        }
        let mut triangles = Vec::with_capacity(mesh.triangles.len());
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let mut from_eye = [DVec3::ZERO; 3];
            for (corner, vertex) in from_eye.iter_mut().zip(corners) {
                let position = mesh.positions.get(*vertex as usize)?;
                *corner = DVec3::from(position.map(f64::from)) - eye;
            }
            let [a, b, c] = from_eye;
            // As in the tree: no ray meets what is not a place.
            if !(a.is_finite() && b.is_finite() && c.is_finite()) {
                continue;
            }
            let (normals, volume) = ([b.cross(c), c.cross(a), a.cross(b)], a.dot(b.cross(c)));
            let longest = |x: DVec3, y: DVec3| if y.length() > x.length() { y } else { x };
            let aside = normals.into_iter().fold(DVec3::ZERO, longest).normalize_or_zero();
            if aside == DVec3::ZERO {
                continue; // a point is not met
            }
            let weights = normals.map(|normal| normal / volume);
            let weights = weights.iter().all(|weight| weight.is_finite()).then_some(weights);
            triangles.push(SeenTriangle { number: number as u32, weights, aside });
        }
        Some(FewTriangles { triangles })
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<u32> {
        (0..self.triangles.len() as u32).collect()
    }

    /// Keeps of `among` what the region between the rays `corners` may show.
    pub(super) fn keep_seen(&self, corners: &[DVec3; 4], among: &mut Vec<u32>) -> Shown {
        let mut cover: Option<(u32, [f64; 4])> = None;
        among.retain(|&place| {
            let SeenTriangle { weights, aside, .. } = &self.triangles[place as usize];
            let Some(weights) = weights else {
                // A line.
                let at = corners.map(|direction| aside.dot(direction));
                return at.iter().any(|x| *x >= 0.0) && at.iter().any(|x| *x <= 0.0);
            };
            let at = weights.map(|weight| corners.map(|direction| weight.dot(direction)));
            if at.iter().any(|weight| weight.iter().all(|w| *w < 0.0)) {
                return false;
            }
            if at.as_flattened().iter().all(|w| *w > 0.0) {
                let near = nearness(&at);
                if cover.is_none_or(|(_, other)| (0..4).all(|i| near[i] > other[i])) {
                    cover = Some((place, near));
                }
            }
            true
        });
        if let Some((covering, front)) = cover {
            among.retain(|&place| {
                let Some(weights) = self.triangles[place as usize].weights else { return true };
                let near = nearness(&weights.map(|weight| corners.map(|d| weight.dot(d))));
                place == covering || (0..4).any(|i| near[i] >= front[i] * (1.0 - NEARER))
            });
        }
        match (&among[..], cover) {
            ([], _) => Shown::Nothing,
            ([one], Some(_)) => Shown::One(*one),
            _ => Shown::Some,
        }
    }

    /// Where a ray that meets a triangle meets it.
    pub(super) fn hit(&self, place: u32, ray: &Ray) -> Option<Hit> {
        let SeenTriangle { number, weights, .. } = &self.triangles[place as usize];
        let direction = DVec3::from(ray.direction.map(f64::from));
        let [a, b, c] = (*weights)?.map(|weight| weight.dot(direction));
        let sum = a + b + c;
        let [distance, u, v] = [1.0 / sum, b / sum, c / sum].map(|x| x as f32);
        Some(Hit { distance, triangle: *number, u, v })
    }
}

/// One through the distance at each corner, in lengths of its ray.
fn nearness([a, b, c]: &[[f64; 4]; 3]) -> [f64; 4] {
    [0, 1, 2, 3].map(|i: usize| a[i] + b[i] + c[i])
}
