//! A first picture of a mesh: grey, in light from above and from the camera, as scenes are drawn that
//! have no lights.

mod points;
mod project;
mod splats;
mod tiles;

use crate::scene::draw::{add_triangles, drawn, image_of};
use crate::{Format, MeshReadOptions, PreviewStage, ScenePicture, ToInput, read_mesh_and_format};
use points::{draw_points, lit_colors, point_colors};
use solio_base::{Error, Result, Work, lock};
use solio_mesh::axes::Axis;
use solio_scene::geometry::Triangles;
use solio_scene::look::{LookPicture, TexturePicture};
use solio_scene::preview::{MOST_PIXELS, PreviewFiles, RenderOptions as DrawOptions};
use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
use splats::AllSplats;
use std::path::Path;
use std::sync::Mutex;

/// Columns and rows where nothing is said.
const SIDE: u32 = 1024;
/// From the middle to the camera: the right, upwards, to the front.
const VIEW: [f64; 3] = [0.55, 0.42, 0.85];
/// Half the angle that the camera sees.
const HALF_ANGLE: f64 = 14.0;
/// Of the picture, for a margin.
const FILLED: f64 = 0.94;

/// Draws the mesh file at `path`, whole, from the front right above. Where `up` is not said, y is up in
/// OBJ and z in PLY and STL, as Blender writes them; of Gaussian splats y is down. The picture is a square: 1024 pixels wide, or the
/// shorter side of [`most`](DrawOptions::most). Gaussian splats are drawn as such. Points without faces are
/// squares in their colours, as bright as their intensities, in the light of their normals, or the nearer
/// the brighter. `each` is as in [`preview_scene`](crate::preview_scene).
///
/// ```
/// use solio::scene::preview::RenderOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// # solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// # let work = solio::Work::default();
/// let options = RenderOptions { most: Some([64, 48]), ..RenderOptions::default() };
/// let read = solio::MeshReadOptions::default();
/// let drawn = solio::preview_mesh(&path, &read, None, &options, &work, |_| Ok(true))?;
/// let window = drawn.image.parts[0].header.display_window().unwrap();
/// assert_eq!((window.width(), window.height()), (48, 48));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the mesh; `Unsupported` where it has no vertices; `Limit` for too many pixels.
pub fn preview_mesh(
    input: &(impl ToInput + ?Sized),
    read: &MeshReadOptions,
    up: Option<Axis>,
    options: &DrawOptions,
    work: &Work,
    each: impl FnMut(PreviewStage<'_>) -> Result<bool>,
) -> Result<ScenePicture> {
    let input = input.to_input(&read.limits, work)?;
    let (format, scene) = read_mesh_and_format(&*input, read, work)?;
    let up = up.unwrap_or(up_of(format, &scene));
    let drawn = draw_mesh(scene, up, options, work, each);
    drawn.map_err(|e| e.at_path(input.path()))
}

/// [`preview_mesh`] of a mesh that was read.
pub(crate) fn draw_mesh(
    mut scene: solio_mesh::Scene<'static>,
    up: Axis,
    options: &DrawOptions,
    work: &Work,
    mut each: impl FnMut(PreviewStage<'_>) -> Result<bool>,
) -> Result<ScenePicture> {
    let size = options.most.map_or(SIDE, |[columns, rows]| columns.min(rows).max(1));
    if u64::from(size).pow(2) > MOST_PIXELS {
        let message = format!("a picture of {size} × {size} pixels is too large");
        return Err(Error::limit(message).hint("ask for a smaller one"));
    }
    if let Some(splats) = AllSplats::of(&scene) {
        let view = splats.view(up)?;
        each(PreviewStage::Parsed)?;
        let image = image_of(splats.draw(&view, size, work)?);
        let (problems, warnings) = (Vec::new(), Vec::new());
        return Ok(ScenePicture { image, problems, warnings, trees: [0, 0], up: Some(up) });
    }
    let light = || lit_colors(&scene.meshes, View::toward(up, View::front_of(up)));
    let colors = point_colors(&scene.meshes).or_else(light);
    let mut all = Triangles::default();
    for mesh in &mut scene.meshes {
        add_triangles(mesh, &mut all, work)?;
    }
    let view = View::new(&all.positions, up)?;
    each(PreviewStage::Parsed)?;
    if all.indices.is_empty() {
        let image = image_of(draw_points(&all.positions, colors.as_deref(), &view, size));
        let (problems, warnings) = (Vec::new(), Vec::new());
        return Ok(ScenePicture { image, problems, warnings, trees: [0, 0], up: Some(up) });
    }
    let (text, mesh) = (view.scene(size), OneMesh(Mutex::new(all)));
    let scene =
        read_scene(&text.as_bytes(), Path::new("mesh"), &NoFiles, &SceneOptions::default(), work)?;
    let mut drawn = drawn(&scene, Vec::new(), &mesh, options, work, each)?;
    drawn.up = Some(up);
    match drawn.problems.pop() {
        Some(problem) => Err(Error::corrupt(problem.message().to_owned())),
        None => Ok(drawn),
    }
}

/// By custom, as Blender's exporters write them.
pub(crate) fn up_of(format: Format, scene: &solio_mesh::Scene<'_>) -> Axis {
    match format {
        // As the cameras see that they are made from.
        _ if AllSplats::of(scene).is_some() => Axis::NegativeY,
        Format::Obj | Format::Gltf | Format::Glb => Axis::Y,
        _ => Axis::Z,
    }
}

/// Where the camera is.
struct View {
    eye: [f64; 3],
    middle: [f64; 3],
    up: [f64; 3],
    /// Of the shorter side of the picture.
    half_tangent: f64,
}

type Point = [f64; 3];

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    let at = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [at(1, 2), at(2, 0), at(0, 1)]
}

fn of_length_1(a: Point) -> Point {
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
        View::of_box([low, high], up, View::front_of(up))
    }

    /// The side that is seen.
    fn front_of(up: Axis) -> Axis {
        match up {
            Axis::Y | Axis::NegativeY => Axis::Z,
            _ => Axis::NegativeY,
        }
    }

    /// Towards the camera, of length 1.
    fn toward(up: Axis, front: Axis) -> Point {
        let [up, front] = [up, front].map(|axis| axis.vector().map(f64::from));
        let right = cross(up, front);
        of_length_1([0, 1, 2].map(|i| VIEW[0] * right[i] + VIEW[1] * up[i] + VIEW[2] * front[i]))
    }

    /// The same of a box, whose side `front` is seen.
    fn of_box([low, high]: [Point; 2], up: Axis, front: Axis) -> Result<View> {
        if low[0] > high[0] {
            return Err(Error::unsupported("the mesh has no vertices to be shown"));
        }
        let direction = View::toward(up, front);
        let up = up.vector().map(f64::from);
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
    fn axes(&self) -> [Point; 3] {
        let toward = of_length_1([0, 1, 2].map(|i| self.eye[i] - self.middle[i]));
        let right = of_length_1(cross(self.up, toward));
        [right, cross(toward, right), toward]
    }

    /// The view, around the one mesh that there is.
    fn scene(&self, size: u32) -> String {
        let [e, m, u] =
            [self.eye, self.middle, self.up].map(|p| format!("{} {} {}", p[0], p[1], p[2]));
        let fov = 2.0 * HALF_ANGLE;
        // The axes of pbrt are left-handed: x is turned over.
        format!(
            "Film \"rgb\" \"integer xresolution\" {size} \"integer yresolution\" {size}\n\
             Scale -1 1 1\nLookAt {e} {m} {u}\nCamera \"perspective\" \"float fov\" {fov}\nWorldBegin\n\
             Material \"diffuse\" \"rgb reflectance\" [0.55 0.55 0.55]\n\
             Shape \"plymesh\" \"string filename\" \"mesh\"\n"
        )
    }
}

/// The mesh, for who asks first.
struct OneMesh(Mutex<Triangles<'static>>);

impl PreviewFiles for OneMesh {
    fn mesh(&self, _: &[u8]) -> Result<Triangles<'static>> {
        Ok(std::mem::take(&mut lock(&self.0)))
    }

    fn picture(&self, _: &LookPicture) -> Result<TexturePicture> {
        Err(Error::unsupported("there are no textures"))
    }
}
