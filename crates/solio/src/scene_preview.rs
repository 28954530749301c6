//! A first picture of a scene, as an image.

use crate::scene_file::FolderFiles;
use crate::{MeshReadOptions, SceneReadOptions, read_mesh, read_scene};
use solio_base::{Error, Result, Work};
use solio_exr::header::{Box2i, Part};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use solio_mesh::model::Positions;
use solio_mesh::triangulate::triangulate;
use solio_scene::geometry::Triangles;
use solio_scene::preview::{Pass, Picture, PreviewMeshes, PreviewOptions, World, render};
use solio_scene::scene::Files;
use std::path::Path;

/// A picture of a scene.
pub struct ScenePicture {
    /// Channels `R`, `G`, `B`, `A` (linear light, times coverage), `Z` (distance from the camera,
    /// infinite where there is nothing), `N.X`, `N.Y`, `N.Z` (normal in the world), `id` (one more
    /// than the number of the instance; 0 for what is none).
    pub image: Image<'static>,
    /// What of the scene is not shown, and why.
    pub problems: Vec<Error>,
    /// How many definitions there are, and of how many a tree was built because rays came to them.
    pub trees: [usize; 2],
}

/// Draws the scene at `path` as its camera sees it. `each` gets the picture of each pass, coarse
/// first, and ends the drawing where it gives `false`.
pub fn preview_scene(
    path: &Path,
    read: &SceneReadOptions,
    options: &PreviewOptions,
    work: &Work,
    mut each: impl FnMut(Pass, Image<'static>) -> Result<bool>,
) -> Result<ScenePicture> {
    let mut scene = read_scene(path, read, work)?;
    let mut problems = std::mem::take(&mut scene.problems);
    // A mesh is read by one thread, several are at once.
    let meshes = FolderMeshes {
        files: FolderFiles::beside(path, &read.limits, work),
        options: MeshReadOptions { limits: read.limits, ..MeshReadOptions::default() },
        work: Work { threads: 1, ..work.clone() },
    };
    let mut world = World::new(&scene, &meshes, work)?;
    problems.append(&mut world.problems);
    let picture = render(&world, options, work, |pass, picture| match pass {
        Pass::Whole => Ok(true),
        _ => each(pass, image(picture)),
    })?;
    Ok(ScenePicture { image: image(&picture), problems, trees: world.trees() })
}

/// The mesh files of a scene.
struct FolderMeshes<'w> {
    files: FolderFiles<'w>,
    options: MeshReadOptions,
    work: Work,
}

impl PreviewMeshes for FolderMeshes<'_> {
    fn mesh(&self, name: &[u8]) -> Result<Triangles<'static>> {
        let read = read_mesh(&self.files.path(name), &self.options, &self.work)?;
        let mut all = Triangles::default();
        for mesh in &read.meshes {
            let first = all.positions.len() as u32;
            match &mesh.positions {
                Positions::F32(positions) if first == 0 => {
                    all.positions = positions.to_vec().into();
                }
                Positions::F32(positions) => all.positions.to_mut().extend_from_slice(positions),
                Positions::F64(positions) => {
                    let narrow = positions.iter().map(|p| p.map(|x| x as f32));
                    all.positions.to_mut().extend(narrow);
                }
            }
            let triangles = triangulate(mesh, &self.work)?;
            let vertices = triangles
                .corners
                .iter()
                .map(|corners| corners.map(|corner| first + mesh.corner_vertices[corner as usize]));
            all.indices.to_mut().extend(vertices);
        }
        Ok(all)
    }
}

/// A picture as an image.
fn image(picture: &Picture) -> Image<'static> {
    let float = |name: &str, samples: Vec<f32>| Plane {
        channel: channel(name, PixelType::Float),
        samples: Samples::Float(samples.into()),
    };
    let of = |array: &[[f32; 3]], i: usize| array.iter().map(|value| value[i]).collect();
    let (color, normal) = (&picture.color, &picture.normal);
    // Sorted by their names.
    let planes = vec![
        float("A", picture.alpha.clone()),
        float("B", of(color, 2)),
        float("G", of(color, 1)),
        float("N.X", of(normal, 0)),
        float("N.Y", of(normal, 1)),
        float("N.Z", of(normal, 2)),
        float("R", of(color, 0)),
        float("Z", picture.depth.clone()),
        Plane {
            channel: channel("id", PixelType::Uint),
            samples: Samples::Uint(picture.instance.clone().into()),
        },
    ];
    let window = Box2i::of_size(picture.width, picture.height);
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
}

fn channel(name: &str, pixel_type: PixelType) -> Channel {
    Channel { name: name.to_owned(), pixel_type, linear: false, x_sampling: 1, y_sampling: 1 }
}
