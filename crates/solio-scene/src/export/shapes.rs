//! The meshes of shapes, for formats that keep an object once.

use super::area::part_area;
use super::{EncodedPicture, IDENTITY, PictureFile};
use crate::geometry;
use crate::look::{EnvironmentMapping, LookPicture, TexturePicture};
use crate::pack::PackedMesh;
use crate::scene::{NONE, Scene, Shape};
use glam::{DMat3, DVec3};
use solio_base::{Error, Result, Sink};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Curves that become one mesh: a mesh for each would be far more words than numbers.
const MOST_CURVES: usize = 1 << 16;
/// Control points that they have together.
const MOST_POINTS: usize = 1 << 20;

/// What the faces of a mesh are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faces {
    /// Triangles, no offsets.
    Triangles,
    /// As they are stored.
    Polygons,
}

/// What fills a file beside the output.
pub type BesideFile<'b> = &'b mut dyn FnMut(&mut dyn Sink) -> Result<()>;

/// Where the meshes and pictures of files come from, and where files beside the output go.
pub trait ExportMeshes {
    /// The mesh of the file that a `plymesh` calls `name`.
    fn mesh(&self, name: &[u8], faces: Faces) -> Result<PackedMesh<'static>>;

    /// The picture that a texture calls `name`, for who refers to its file.
    ///
    /// # Errors
    /// Where there is none.
    fn picture(&self, name: &[u8]) -> Result<PictureFile> {
        let name = String::from_utf8_lossy(name);
        Err(Error::unsupported(format!("{name}: there are no pictures")))
    }

    /// The bytes of that picture, for who takes them along.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn picture_bytes(&self, name: &[u8]) -> Result<Vec<u8>> {
        self.picture(name).map(|_| Vec::new())
    }

    /// The pixels of a picture, of at most `most_side` columns and rows.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn pixels(&self, picture: &LookPicture, most_side: usize) -> Result<TexturePicture> {
        let _ = most_side;
        self.picture(&picture.name)?;
        Err(Error::unsupported("there are no pixels"))
    }

    /// The pixels of a sky by longitude and latitude, in linear light of any size: longitude from
    /// the left by `atan2(y, x)`, 0 at both sides, the angle from +z from the top; of `mapping` as the
    /// scene has it.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn sky(&self, name: &[u8], mapping: EnvironmentMapping) -> Result<TexturePicture> {
        let _ = mapping;
        self.picture(name)?;
        Err(Error::unsupported("there are no pixels"))
    }

    /// A picture as the bytes of a PNG.
    ///
    /// # Errors
    /// Where there is no encoder.
    fn png(&self, picture: &EncodedPicture) -> Result<Vec<u8>> {
        let _ = picture;
        Err(Error::unsupported("there is no encoder of PNG"))
    }

    /// A picture as the bytes of an OpenEXR file.
    ///
    /// # Errors
    /// Where there is no encoder.
    fn exr(&self, picture: &TexturePicture) -> Result<Vec<u8>> {
        let _ = picture;
        Err(Error::unsupported("there is no encoder of OpenEXR"))
    }

    /// Writes a file beside the output, in a folder of this output's own; what the output calls it. The
    /// files appear with the output.
    ///
    /// # Errors
    /// Where it cannot be written, and what `fill` gives.
    fn beside(&self, name: &str, fill: BesideFile<'_>) -> Result<PictureFile> {
        let _ = fill;
        Err(Error::unsupported(format!("{name}: there are no files beside the output")))
    }
}

/// Shapes that become one mesh: curves of one surface that follow each other, else one each.
pub(crate) fn runs(scene: &Scene, range: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        if next >= range.end {
            return None;
        }
        let start = next;
        let first = &scene.shapes[start as usize];
        let mut points = curve_points(scene, first);
        next += 1;
        while let Some(sum) = points
            && sum < MOST_POINTS
            && next < range.end
            && ((next - start) as usize) < MOST_CURVES
        {
            let shape = &scene.shapes[next as usize];
            let look = |s: &Shape| {
                (s.matrix, s.matrix_end, s.material, s.area_light, s.reverse_orientation)
            };
            if look(shape) != look(first) {
                break;
            }
            match curve_points(scene, shape) {
                Some(more) => points = Some(sum + more),
                None => break,
            }
            next += 1;
        }
        Some(start..next)
    })
}

fn curve_points(scene: &Scene, shape: &Shape) -> Option<usize> {
    let is_curve = scene.class(&shape.entity) == b"curve";
    is_curve.then(|| scene.points(&shape.entity, "P").map_or(0, <[_]>::len))
}

/// Whether a shape only bounds a medium, so that nothing of it is seen.
///
/// ```
/// # use solio_base::Work;
/// # use std::path::Path;
/// use solio_scene::{export::is_border, scene::{NoFiles, read_scene}};
/// let text = b"WorldBegin\nMaterial \"interface\"\nShape \"sphere\"\n\
///     Material \"diffuse\"\nShape \"disk\"\n";
/// let path = Path::new("fog.pbrt");
/// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
/// let borders = scene.shapes.iter().map(|shape| is_border(&scene, shape));
/// assert_eq!(borders.collect::<Vec<_>>(), [true, false]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn is_border(scene: &Scene, shape: &Shape) -> bool {
    let material = scene.materials.get(shape.material as usize);
    let entity = material.and_then(|material| material.entity.as_ref());
    shape.area_light == NONE && entity.is_some_and(|entity| scene.is_unseen(entity))
}

/// The mean area of the parts of a light, each of which has its power for itself.
///
/// # Errors
/// Where the mesh of the shape cannot be read.
pub fn light_area(scene: &Scene, number: u32, meshes: &dyn ExportMeshes) -> Result<f64> {
    let mesh = mesh_of(scene, number..number + 1, meshes, Faces::Triangles, false)?;
    let triangles = mesh.corners.as_chunks::<3>().0;
    Ok(part_area(scene, &scene.shapes[number as usize], &mesh.positions, triangles))
}

/// The mesh of shapes of a run, in their space; turned where the orientation is reversed. For a
/// `textured` one the coordinates of quadrics and of a patch are there too.
pub(crate) fn mesh_of<'s>(
    scene: &'s Scene,
    run: Range<u32>,
    meshes: &dyn ExportMeshes,
    faces: Faces,
    textured: bool,
) -> Result<PackedMesh<'s>> {
    let shapes = &scene.shapes[run.start as usize..run.end as usize];
    let mut mesh = match shapes {
        [one] => match scene.mesh_file(&one.entity) {
            Some(name) => meshes.mesh(name, faces)?,
            None => of_text(scene, one, faces, textured)?,
        },
        many => {
            let mut all = PackedMesh::default();
            for shape in many {
                let mesh = of_text(scene, shape, faces, textured)?;
                let first = all.positions.len() as u32;
                all.positions.to_mut().extend_from_slice(&mesh.positions);
                all.corners.to_mut().extend(mesh.corners.iter().map(|corner| first + corner));
            }
            all
        }
    };
    mesh.check().map_err(Error::corrupt)?;
    if shapes[0].reverse_orientation {
        turn(&mut mesh);
    }
    Ok(mesh)
}

/// The mesh of a shape that lies in the text.
fn of_text<'s>(
    scene: &'s Scene,
    shape: &Shape,
    faces: Faces,
    textured: bool,
) -> Result<PackedMesh<'s>> {
    let entity = &shape.entity;
    let class = scene.class(entity);
    let found = geometry::triangles(scene, entity)?.ok_or_else(|| {
        let class = String::from_utf8_lossy(class);
        Error::unsupported(format!("a {class} cannot be made a mesh"))
    })?;
    let (uvs, normals) = (found.uvs, found.normals);
    let mut mesh = PackedMesh { positions: found.positions, ..PackedMesh::default() };
    let vertices = mesh.positions.len();
    let patch = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    if class == b"bilinearmesh" && faces == Faces::Polygons {
        // Each quad was cut into (a, b, c) and (b, d, c).
        let quads = found.indices.as_chunks::<2>().0;
        mesh.face_offsets = (0..=quads.len() as u32).map(|i| 4 * i).collect();
        mesh.corners = quads.iter().flat_map(|[[a, b, c], [_, d, _]]| [*a, *b, *d, *c]).collect();
    } else {
        mesh.corners = Cow::Owned(found.indices.into_owned().into_flattened());
    }
    if matches!(class, b"trianglemesh" | b"bilinearmesh") {
        if let Some(normals) = scene.points(entity, "N").filter(|n| n.len() == vertices) {
            mesh.normals = normals.into();
        }
        let uvs = scene.floats(entity, "uv").or_else(|| scene.floats(entity, "st"));
        let uvs = uvs.map(|uvs| uvs.as_chunks::<2>().0).filter(|uvs| uvs.len() == vertices);
        mesh.uvs = uvs.map_or(Cow::default(), Cow::Borrowed);
        if textured && mesh.uvs.is_empty() && class == b"bilinearmesh" && vertices == 4 {
            mesh.uvs = patch.into();
        }
    } else if class != b"curve" {
        // Quadrics are round.
        if normals.len() == vertices {
            mesh.normals = normals;
        }
        if textured && uvs.len() == vertices {
            mesh.uvs = uvs;
        }
    }
    Ok(mesh)
}

/// Turns the faces around, and the normals.
fn turn(mesh: &mut PackedMesh<'_>) {
    turn_faces(mesh);
    for normal in mesh.normals.to_mut() {
        *normal = normal.map(|x| -x);
    }
}

fn turn_faces(mesh: &mut PackedMesh<'_>) {
    let corners = mesh.corners.to_mut();
    if mesh.face_offsets.is_empty() {
        corners.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        return;
    }
    for pair in mesh.face_offsets.windows(2) {
        // The first corner stays the first.
        if let Some(rest) = corners[pair[0] as usize..pair[1] as usize].get_mut(1..) {
            rest.reverse();
        }
    }
}

/// A mesh under a matrix, as pbrt moves vertices: rounded once to `f32`. Faces show the same side.
pub(crate) fn placed<'m>(mut mesh: PackedMesh<'m>, matrix: &[f32; 12]) -> PackedMesh<'m> {
    if *matrix == IDENTITY {
        return mesh;
    }
    let m = matrix.map(f64::from);
    let column = |i: usize| DVec3::new(m[i], m[4 + i], m[8 + i]);
    let linear = DMat3::from_cols(column(0), column(1), column(2));
    let vector = |v: &[f32; 3]| DVec3::from_array(v.map(f64::from));
    for position in mesh.positions.to_mut() {
        *position = (linear * vector(position) + column(3)).as_vec3().to_array();
    }
    let determinant = linear.determinant();
    if determinant == 0.0 || !determinant.is_finite() {
        mesh.normals = Cow::default();
        return mesh;
    }
    if !mesh.normals.is_empty() {
        let turned = linear.inverse().transpose();
        for normal in mesh.normals.to_mut() {
            *normal = (turned * vector(normal)).normalize_or_zero().as_vec3().to_array();
        }
    }
    if determinant < 0.0 {
        turn_faces(&mut mesh);
    }
    mesh
}

/// Whether a mesh has an inside: each edge has two faces, one along it, one against it. Vertices at one
/// place are one.
pub(crate) fn is_closed(mesh: &PackedMesh<'_>) -> bool {
    let mut places: HashMap<[u32; 3], u32> = HashMap::new();
    let place = |position: &[f32; 3]| {
        let next = places.len() as u32;
        *places.entry(position.map(|x| (x + 0.0).to_bits())).or_insert(next)
    };
    let places: Vec<u32> = mesh.positions.iter().map(place).collect();
    let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
    let mut face = |corners: &[u32]| {
        for (i, from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let (from, to) = (places[*from as usize], places[to as usize]);
            if from < to {
                *edges.entry((from, to)).or_default() += 1;
            } else if to < from {
                *edges.entry((to, from)).or_default() -= 1;
            }
        }
    };
    match mesh.face_offsets.is_empty() {
        true => mesh.corners.chunks(3).for_each(&mut face),
        false => mesh
            .face_offsets
            .windows(2)
            .for_each(|pair| face(&mesh.corners[pair[0] as usize..pair[1] as usize])),
    }
    !edges.is_empty() && edges.values().all(|sum| *sum == 0)
}

/// The upper three rows; `None` where the fourth is not that of a map of space into itself.
pub(crate) fn upper(matrix: &[f32; 16]) -> Option<[f32; 12]> {
    let fine = matrix[12..] == [0.0, 0.0, 0.0, 1.0] && matrix.iter().all(|x| x.is_finite());
    fine.then(|| *matrix.first_chunk().expect("16 numbers"))
}

/// What a shape is called: the file of its mesh, or its class and line.
pub(crate) fn name_of(scene: &Scene, shape: &Shape) -> String {
    match scene.mesh_file(&shape.entity) {
        Some(name) => {
            let name = String::from_utf8_lossy(name);
            let end = Path::new(&*name).file_name().unwrap_or_default().to_string_lossy();
            end.split('.').next().unwrap_or_default().to_owned()
        }
        None => {
            let class = String::from_utf8_lossy(scene.class(&shape.entity));
            format!("{class}.{}", shape.entity.place.line)
        }
    }
}

/// The numbers of all instances, those of each object together, in the order of the text; and where
/// those of each object begin, with the end.
pub(crate) fn order_by_object(scene: &Scene) -> (Vec<u32>, Vec<usize>) {
    let objects = &scene.instances.objects;
    let mut starts = vec![0usize; scene.objects.len() + 1];
    for object in objects {
        starts[*object as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut order = vec![0; objects.len()];
    let mut next = starts.clone();
    for (instance, object) in objects.iter().enumerate() {
        let place = &mut next[*object as usize];
        order[*place] = instance as u32;
        *place += 1;
    }
    (order, starts)
}

/// The least and the largest of each coordinate; `None` where one is no number.
pub(crate) fn bounds(positions: &[[f32; 3]]) -> Option<[[f32; 3]; 2]> {
    let mut found = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let mut fine = !positions.is_empty();
    for position in positions {
        for i in 0..3 {
            fine &= position[i].is_finite();
            found[0][i] = found[0][i].min(position[i]);
            found[1][i] = found[1][i].max(position[i]);
        }
    }
    fine.then_some(found)
}
