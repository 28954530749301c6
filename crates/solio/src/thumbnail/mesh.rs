//! Meshes, drawn as scenes of pbrt are: grey, in light from above and from the camera.

use super::points::draw_points;
use super::{SAMPLES, Thumbnail, ThumbnailOptions, of_drawn};
use crate::scene_preview::{add_triangles, image_of};
use crate::{Format, MeshInfo, MeshReadOptions};
use solio_base::{Error, Result, Source, Work};
use solio_mesh::axes::Axis;
use solio_scene::geometry::Triangles;
use solio_scene::preview::{
    PreviewFiles, PreviewOptions as DrawOptions, TextureEncoding, TexturePicture, World, render,
};
use solio_scene::scene::{Files, SceneOptions, read_scene};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// From the middle to the camera: the right, upwards, to the front.
const VIEW: [f64; 3] = [0.55, 0.42, 0.85];
/// Half the angle that the camera sees.
const HALF_ANGLE: f64 = 14.0;
/// Of the picture, for a margin.
const FILLED: f64 = 0.94;

pub(super) fn of_mesh(path: &Path, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let read = MeshReadOptions { limits: options.limits, ..MeshReadOptions::default() };
    let (format, _, mut scene) = crate::read::read_with_facts(path, &read, work)?;
    let info = MeshInfo::of(&scene);
    let mut all = Triangles::default();
    for mesh in &mut scene.meshes {
        add_triangles(mesh, &mut all, work)?;
    }
    let view = View::new(&all.positions, up_of(format))?;
    let mut small = if all.indices.is_empty() {
        draw_points(&all.positions, &view, options.size)
    } else {
        drawn(all, &view, options, work)?
    };
    small.kind = format.as_str().into();
    small.dimensions = match info.faces {
        0 => format!("{} points", grouped(info.vertices)),
        1 => "1 face".into(),
        faces => format!("{} faces", grouped(faces)),
    };
    small.details = format!("{} vertices", grouped(info.vertices));
    Ok(small)
}

/// `1,234,567`
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// By custom, as Blender's exporters write them.
fn up_of(format: Format) -> Axis {
    match format {
        Format::Obj => Axis::Y,
        Format::Ply | Format::Stl => Axis::Z,
    }
}

/// Where the camera is.
pub(super) struct View {
    pub(super) eye: [f64; 3],
    pub(super) middle: [f64; 3],
    pub(super) up: [f64; 3],
    /// Of the shorter side of the picture.
    pub(super) half_tangent: f64,
}

type Point = [f64; 3];

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Point, b: Point) -> Point {
    let at = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [at(1, 2), at(2, 0), at(0, 1)]
}

pub(super) fn of_length_1(a: Point) -> Point {
    let length = dot(a, a).sqrt();
    a.map(|x| if length > 0.0 { x / length } else { 0.0 })
}

impl View {
    /// So far away that the box around all points that are numbers is seen whole.
    fn new(positions: &[[f32; 3]], up: Axis) -> Result<View> {
        let finite = positions.iter().filter(|p| p.iter().all(|x| x.is_finite()));
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for position in finite {
            for (i, x) in position.iter().enumerate() {
                low[i] = low[i].min(f64::from(*x));
                high[i] = high[i].max(f64::from(*x));
            }
        }
        if low[0] > high[0] {
            return Err(Error::unsupported("the mesh has no vertices to be shown"));
        }
        let (up, direction) = match up {
            Axis::Y => ([0.0, 1.0, 0.0], VIEW),
            _ => ([0.0, 0.0, 1.0], [VIEW[0], -VIEW[2], VIEW[1]]),
        };
        let direction = of_length_1(direction);
        let middle = [0, 1, 2].map(|i| (low[i] + high[i]) / 2.0);
        let right = of_length_1(cross(up, direction));
        let above = cross(direction, right);
        let half_tangent = HALF_ANGLE.to_radians().tan();
        let mut distance = 0f64;
        for corner in 0..8 {
            let side = |i: usize| if corner >> i & 1 == 0 { low[i] } else { high[i] };
            let from = [0, 1, 2].map(|i| side(i) - middle[i]);
            let aside = dot(from, right).abs().max(dot(from, above).abs());
            distance = distance.max(aside / (half_tangent * FILLED) + dot(from, direction));
        }
        // A single point.
        let distance = if distance > 0.0 { distance } else { 1.0 };
        let eye = [0, 1, 2].map(|i| middle[i] + distance * direction[i]);
        Ok(View { eye, middle, up, half_tangent })
    }

    /// Right, above and towards the camera, each of length 1.
    pub(super) fn axes(&self) -> [Point; 3] {
        let toward = of_length_1([0, 1, 2].map(|i| self.eye[i] - self.middle[i]));
        let right = of_length_1(cross(self.up, toward));
        [right, cross(toward, right), toward]
    }

    /// The view, around the one mesh that there is.
    fn scene(&self, size: u32) -> String {
        let [e, m, u] =
            [self.eye, self.middle, self.up].map(|p| format!("{} {} {}", p[0], p[1], p[2]));
        let fov = 2.0 * HALF_ANGLE;
        format!(
            "Film \"rgb\" \"integer xresolution\" {size} \"integer yresolution\" {size}\n\
             LookAt {e} {m} {u}\nCamera \"perspective\" \"float fov\" {fov}\nWorldBegin\n\
             Material \"diffuse\" \"rgb reflectance\" [0.55 0.55 0.55]\n\
             Shape \"plymesh\" \"string filename\" \"mesh\"\n"
        )
    }
}

fn drawn(
    mesh: Triangles<'static>,
    view: &View,
    options: &ThumbnailOptions,
    work: &Work,
) -> Result<Thumbnail> {
    let (text, mesh) = (view.scene(options.size), OneMesh(Mutex::new(mesh)));
    let scene =
        read_scene(&text.as_bytes(), Path::new("mesh"), &NoFiles, &SceneOptions::default(), work)?;
    let world = World::new(&scene, &mesh, work)?;
    if let Some(problem) = world.problems.first() {
        return Err(Error::corrupt(problem.message().to_owned()));
    }
    let draw = DrawOptions { samples: SAMPLES, ..DrawOptions::default() };
    let picture = render(&world, &draw, work, |_, _| Ok(true))?;
    of_drawn(&image_of(picture), options, work)
}

/// The mesh, for who asks first.
struct OneMesh(Mutex<Triangles<'static>>);

impl PreviewFiles for OneMesh {
    fn mesh(&self, _: &[u8]) -> Result<Triangles<'static>> {
        Ok(std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn picture(&self, _: &[u8], _: TextureEncoding) -> Result<TexturePicture> {
        Err(Error::unsupported("there are no textures"))
    }
}

/// The view includes no files.
struct NoFiles;

impl Files for NoFiles {
    fn path(&self, _: &[u8]) -> PathBuf {
        PathBuf::new()
    }

    fn open(&self, _: &Path) -> Result<Box<dyn Source>> {
        Err(Error::unsupported("there are no files"))
    }
}
