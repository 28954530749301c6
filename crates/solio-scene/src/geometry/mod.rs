//! Shapes as triangles, in the space of the shape.
//!
//! Meshes are what they are: quads become two triangles, `loopsubdiv` is subdivided. Quadrics,
//! curves and NURBS are cut finely enough for a picture to look at, not for a render.

mod curve;
mod heightfield;
mod nurbs;
mod revolved;
mod subdivide;
#[cfg(test)]
mod tests;

use crate::scene::{Entity, Scene};
use glam::Vec3;
use solio_base::{Error, Result};
use std::borrow::Cow;

/// Triangles.
///
/// ```
/// # use solio_base::{Error, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// use solio_scene::geometry::triangles;
/// let text = br#"WorldBegin
///     Shape "bilinearmesh" "point3 P" [ 0 0 0  1 0 0  0 1 0  1 1 0 ]
/// "#;
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let patch = triangles(&scene, &scene.shapes[0].entity)?.unwrap();
/// assert_eq!((patch.positions.len(), &*patch.indices), (4, &[[0, 1, 2], [1, 3, 2]][..]));
/// assert!(patch.normals.is_empty()); // it is flat
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles<'a> {
    /// Vertices.
    pub positions: Cow<'a, [[f32; 3]]>,
    /// Three vertices each, counterclockwise seen from the side that normals point to.
    pub indices: Cow<'a, [[u32; 3]]>,
    /// What the surface is shaded by, at each vertex, to either side and of any length: 0 where it
    /// is flat. None where all of it is.
    pub normals: Cow<'a, [[f32; 3]]>,
    /// The (u, v) of each vertex, by which textures lie on it. None where pbrt takes those of each
    /// triangle or patch.
    pub uvs: Cow<'a, [[f32; 2]]>,
}

impl Triangles<'_> {
    /// Makes it smooth: at each vertex the mean of the triangles around it, by their areas.
    fn smooth(mut self) -> Self {
        let at = |i: u32| Vec3::from(self.positions[i as usize]);
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        for corners in self.indices.iter() {
            let [a, b, c] = corners.map(at);
            let normal = (b - a).cross(c - a);
            corners.iter().for_each(|i| sums[*i as usize] += normal);
        }
        self.normals = sums.into_iter().map(|sum| sum.to_array()).collect();
        self
    }

    /// An error where an index is that of no vertex.
    fn checked(self) -> Result<Self> {
        let count = self.positions.len();
        let good = |triangle: &[u32; 3]| triangle.iter().all(|i| (*i as usize) < count);
        match self.indices.iter().position(|triangle| !good(triangle)) {
            None => Ok(self),
            Some(i) => {
                let message =
                    format!("triangle {i} refers to a vertex beyond the {count} there are");
                Err(Error::corrupt(message))
            }
        }
    }
}

/// The triangles of a shape that lies in the text. Those of a `plymesh` are in its file, so that
/// there are none here; neither are there of a class that pbrt does not know.
///
/// # Errors
/// Where indices are those of no vertex, or arrays have lengths that do not fit.
///
/// ```
/// # use solio_base::{Error, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// use solio_scene::geometry::triangles;
/// let text = br#"WorldBegin
///     Shape "sphere" "float radius" 2
///     Shape "plymesh" "string filename" "bunny.ply"
/// "#;
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let sphere = triangles(&scene, &scene.shapes[0].entity)?.unwrap();
/// let radius = |p: &[f32; 3]| p.iter().map(|x| x * x).sum::<f32>().sqrt();
/// assert!(sphere.positions.iter().all(|p| (radius(p) - 2.0).abs() < 1e-5));
/// assert!(triangles(&scene, &scene.shapes[1].entity)?.is_none()); // they lie in its file
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn triangles<'s>(scene: &'s Scene, entity: &Entity) -> Result<Option<Triangles<'s>>> {
    let found = match scene.class(entity) {
        b"trianglemesh" => mesh(scene, entity)?,
        b"bilinearmesh" => patches(scene, entity)?,
        b"loopsubdiv" => {
            let cage = mesh(scene, entity)?;
            let cage = Triangles { normals: Cow::default(), uvs: Cow::default(), ..cage };
            subdivide::loop_subdivided(scene, entity, cage)?.checked()?.smooth()
        }
        b"curve" => curve::curve(scene, entity),
        b"heightfield" => heightfield::heightfield(scene, entity)?.checked()?.smooth(),
        b"nurbs" => nurbs::nurbs(scene, entity)?.checked()?.smooth(),
        b"sphere" | b"cylinder" | b"disk" | b"cone" | b"paraboloid" | b"hyperboloid" => {
            revolved::quadric(scene, entity)
        }
        _ => return Ok(None),
    };
    found.checked().map(Some)
}

/// Triangles as they are; without indices the first three vertices.
fn mesh<'s>(scene: &'s Scene, entity: &Entity) -> Result<Triangles<'s>> {
    let positions = Cow::Borrowed(scene.points(entity, "P").unwrap_or_default());
    let indices = match scene.integers(entity, "indices") {
        Some(indices) => Cow::Owned(corners::<3>(indices)),
        None => Cow::Owned(vec![[0, 1, 2]]),
    };
    let normals = normals(scene, entity, positions.len());
    let uvs = uvs(scene, entity, positions.len());
    Ok(Triangles { positions, indices, normals, uvs })
}

/// Those that are given, where there is one for each vertex.
fn normals<'s>(scene: &'s Scene, entity: &Entity, count: usize) -> Cow<'s, [[f32; 3]]> {
    let given = scene.points(entity, "N").filter(|normals| normals.len() == count);
    Cow::Borrowed(given.unwrap_or_default())
}

/// Texture coordinates that are given, where there are some for each vertex.
fn uvs<'s>(scene: &'s Scene, entity: &Entity, count: usize) -> Cow<'s, [[f32; 2]]> {
    let given = scene.floats(entity, "uv").or_else(|| scene.floats(entity, "st"));
    let given = given.map(|uvs| uvs.as_chunks().0).filter(|uvs| uvs.len() == count);
    Cow::Borrowed(given.unwrap_or_default())
}

/// Bilinear patches, each as two triangles; its corners are (0, 0), (1, 0), (0, 1), (1, 1).
fn patches<'s>(scene: &'s Scene, entity: &Entity) -> Result<Triangles<'s>> {
    let positions = Cow::Borrowed(scene.points(entity, "P").unwrap_or_default());
    let patches = match scene.integers(entity, "indices") {
        Some(indices) => corners::<4>(indices),
        None => vec![[0, 1, 2, 3]],
    };
    let indices = patches.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [b, d, c]]).collect();
    let normals = normals(scene, entity, positions.len());
    let uvs = uvs(scene, entity, positions.len());
    Ok(Triangles { positions, indices: Cow::Owned(indices), normals, uvs })
}

/// Indices that are too few for a face are left out, as pbrt does.
fn corners<const N: usize>(indices: &[i32]) -> Vec<[u32; N]> {
    let faces = indices.as_chunks::<N>().0;
    // A negative index is one beyond all vertices.
    faces.iter().map(|face| face.map(|i| u32::try_from(i).unwrap_or(u32::MAX))).collect()
}

/// A grid of so many columns and rows of vertices, row by row; (u, v) go from 0 to 1.
fn grid(
    columns: usize,
    rows: usize,
    vertex: impl Fn(usize, usize) -> [f32; 3],
) -> Triangles<'static> {
    let mut positions = Vec::with_capacity(columns * rows);
    let mut uvs = Vec::with_capacity(columns * rows);
    let mut indices = Vec::with_capacity(2 * columns.saturating_sub(1) * rows.saturating_sub(1));
    let along = |i: usize, count: usize| i as f32 / count.saturating_sub(1).max(1) as f32;
    for row in 0..rows {
        for column in 0..columns {
            positions.push(vertex(column, row));
            uvs.push([along(column, columns), along(row, rows)]);
            if column > 0 && row > 0 {
                let d = positions.len() as u32 - 1;
                let (c, b, a) = (d - 1, d - columns as u32, d - columns as u32 - 1);
                indices.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    Triangles {
        positions: Cow::Owned(positions),
        indices: Cow::Owned(indices),
        normals: Cow::default(),
        uvs: Cow::Owned(uvs),
    }
}
