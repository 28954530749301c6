//! Heights over a square, of version 3.

use super::{Triangles, grid};
use crate::scene::{Entity, Scene};
use solio_base::{Error, Result};

pub(super) fn heightfield(scene: &Scene, entity: &Entity) -> Result<Triangles<'static>> {
    let side =
        |name| scene.integer(entity, name).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let (columns, rows) = (side("nu"), side("nv"));
    let heights = scene.floats(entity, "Pz").unwrap_or_default();
    if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(heights.len()) {
        let message =
            format!("{columns} × {rows} heights are expected, {} are there", heights.len());
        return Err(Error::corrupt(message));
    }
    let along = |i: usize, count: usize| i as f32 / (count - 1) as f32;
    Ok(grid(columns, rows, |x, y| [along(x, columns), along(y, rows), heights[y * columns + x]]))
}
