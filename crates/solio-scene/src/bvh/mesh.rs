//! Triangles as arrays, one at a time and eight side by side.

use crate::bounds::missing_vertex;
use solio_base::{Error, Result};
use solio_codec::lanes::{self, Lanes};

/// Triangles whose memory is asked for beforehand.
const AHEAD: usize = 32;

/// A row of what is missing: no ray meets a triangle with such a vertex.
const MISSING: [f32; 4] = [f32::NAN; 4];

/// Stands for no triangle.
pub(super) const NO_TRIANGLE: u32 = u32::MAX;

/// The triangles that a tree is built over, and that rays are sent at.
#[derive(Clone, Copy, Debug, Default)]
pub struct BvhMesh<'a> {
    /// x, y, z of each vertex.
    pub positions: &'a [[f32; 3]],
    /// Three positions each.
    pub triangles: &'a [[u32; 3]],
}

impl BvhMesh<'_> {
    /// The vertices of a triangle.
    #[inline(always)]
    pub(super) fn corners(&self, triangle: u32) -> Result<[[f32; 3]; 3]> {
        let [a, b, c] = self.triangles[triangle as usize];
        let at = |vertex: u32| self.positions.get(vertex as usize);
        match (at(a), at(b), at(c)) {
            (Some(a), Some(b), Some(c)) => Ok([*a, *b, *c]),
            _ => Err(self.missing(triangle)),
        }
    }

    /// x, y, z of the first, second and third vertices of eight triangles; NaN for what is not
    /// there.
    #[inline(always)]
    pub(super) fn eight<L: Lanes>(&self, lanes: L, numbers: [u32; 8]) -> [[L::Floats; 3]; 3] {
        let flat = self.positions.as_flattened();
        // Behind the last position there is no fourth number to be loaded along.
        let last = self.positions.last().map_or(MISSING, |[x, y, z]| [*x, *y, *z, 0.0]);
        let mut rows = [[&MISSING; 8]; 3];
        for (i, number) in numbers.into_iter().enumerate() {
            if let Some([a, b, c]) = self.triangles.get(number as usize) {
                rows[0][i] = row(flat, &last, *a);
                rows[1][i] = row(flat, &last, *b);
                rows[2][i] = row(flat, &last, *c);
            }
        }
        // No closures: each call must be compiled for the registers of `lanes`.
        let [a, b, c] = [lanes.columns(rows[0]), lanes.columns(rows[1]), lanes.columns(rows[2])];
        [[a[0], a[1], a[2]], [b[0], b[1], b[2]], [c[0], c[1], c[2]]]
    }

    /// Asks for the memory of the triangles that are wanted a while later, of their indices first
    /// and then of their vertices.
    #[inline(always)]
    pub(super) fn prefetch(&self, later: &[u64]) {
        if let Some(key) = later.get(2 * AHEAD) {
            lanes::prefetch(self.triangles, *key as u32 as usize);
        }
        if let Some(key) = later.get(AHEAD)
            && let Some([a, b, c]) = self.triangles.get(*key as u32 as usize)
        {
            lanes::prefetch(self.positions, *a as usize);
            lanes::prefetch(self.positions, *b as usize);
            lanes::prefetch(self.positions, *c as usize);
        }
    }

    #[cold]
    fn missing(&self, triangle: u32) -> Error {
        let count = self.positions.len();
        let beyond = self.triangles[triangle as usize].into_iter().find(|v| *v as usize >= count);
        missing_vertex(triangle as usize, beyond.unwrap_or_default(), count)
    }
}

/// A vertex, and whatever number follows; `last` is the last one.
#[inline(always)]
fn row<'r>(flat: &'r [f32], last: &'r [f32; 4], vertex: u32) -> &'r [f32; 4] {
    let at = (vertex as usize).saturating_mul(3);
    match flat.get(at..).and_then(<[f32]>::first_chunk::<4>) {
        Some(row) => row,
        None if at.saturating_add(3) == flat.len() => last,
        None => &MISSING,
    }
}
