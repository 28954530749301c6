//! Scenes as Mitsuba 3 XML: meshes as PLY files beside, objects as shape groups.
//!
//! ```text
//! integrator, sensor with film       media, textures and BSDFs in use, by their ids
//! shapes of the world ──► shape, its PLY beside the document
//! objects ──► shapegroup ──► an instance each
//! lights ──► emitters; skies as OpenEXR by longitude and latitude beside the document
//! ```
//!
//! The world is pbrt's own, left-handed: only the sensor is mirrored in x, which gives the same picture.
//! The text is written as it is made, BSDFs before the first shape that has them: in memory are the scene,
//! one mesh, and names.
//!
//! Source: the documents of Mitsuba 3 (mitsuba.readthedocs.io), *Plugin reference*.

mod bsdf;
mod ply;
#[cfg(test)]
mod tests;
mod text;

use crate::export::{
    BORDERS, ExportMeshes, Faces, FileKey, IDENTITY, LeftOut, LossName, is_border, light_area,
    mesh_of, name_of, order_by_object, runs, upper,
};
use crate::look::{
    CameraLook, CameraProjection, DOME_TO_SKY, LightLook, LightLookKind, LookClass, Looks,
    SurfaceKey, illuminance_of_sky,
};
use crate::pack::PackedMesh;
use crate::preview::located;
use crate::scene::{NONE, Scene, Shape};
use bsdf::{BsdfPlace, MitsubaPictures};
use glam::{DMat3, DMat4, DVec3, DVec4};
use solio_base::{Error, ErrorKind, Losses, Result, Sink, Work};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use text::{XmlText, attribute, color, number};

pub(crate) use bsdf::plastic_reflectance;

const PROJECTED: LossName =
    ["shape whose matrix is a projection", "shapes whose matrices are projections"];
const NO_NUMBERS: LossName =
    ["place whose matrix holds no numbers", "places whose matrices are no numbers"];
const NEAREST: LossName = [
    "light that shines by a picture or through a portal: a plain one stands for it",
    "lights that shine by pictures or through portals: plain ones stand for them",
];
const TWO_SIDES: LossName = [
    "area light of two sides: the one that its normals point to shines",
    "area lights of two sides: those that their normals point to shine",
];
const EXPOSURE: LossName = ["exposure of the film"; 2];
const GRIDS: LossName =
    ["medium that is not the same everywhere", "media that are not the same everywhere"];

/// What was written.
///
/// See [`encode_mitsuba`] for an example.
#[derive(Debug, Default)]
pub struct MitsubaSummary {
    /// Meshes that were written.
    pub meshes: u64,
    /// Instances.
    pub instances: u64,
    /// Shapes that are not written, and why.
    pub problems: Vec<Error>,
    /// What Mitsuba, or this writer, has no words for, with counts.
    pub losses: Losses,
}

/// Writes a scene. Meshes are asked for one after another, and none is kept; they and pictures go into
/// files beside the document ([`ExportMeshes::beside`]).
///
/// # Errors
/// Those of the sink, and of the files beside.
///
/// ```
/// # use solio_base::{Error, Result, Sink, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{BesideFile, ExportMeshes, Faces, PictureFile};
/// # use solio_scene::pack::PackedMesh;
/// struct Beside;
/// impl ExportMeshes for Beside {
///     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
///         Err(Error::argument("no such file"))
///     }
///     fn beside(&self, name: &str, fill: BesideFile<'_>) -> Result<PictureFile> {
///         let mut bytes = Vec::new();
///         fill(&mut bytes)?;
///         assert!(name.ends_with(".ply") && bytes.starts_with(b"ply\n"));
///         Ok(PictureFile { uri: name.to_owned(), path: name.to_owned(), mime: None })
///     }
/// }
/// use solio_scene::mitsuba::encode_mitsuba;
/// let text = b"WorldBegin\nMaterial \"dielectric\"\nShape \"sphere\"\n";
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let mut xml = Vec::new();
/// let summary = encode_mitsuba(&scene, &Beside, &mut xml, &work)?;
/// let xml = String::from_utf8_lossy(&xml);
/// assert!(xml.contains("<bsdf type=\"dielectric\"") && summary.meshes == 1);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn encode_mitsuba(
    scene: &Scene,
    files: &dyn ExportMeshes,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<MitsubaSummary> {
    let looks = Looks::new(scene);
    let mut left = LeftOut::of_shown_media(scene);
    left.extend(&looks.left);
    left.add(GRIDS, looks.media.iter().filter(|medium| !medium.is_homogeneous).count() as u64);
    let mut writer = MitsubaWriter {
        scene,
        looks: &looks,
        files,
        work,
        text: XmlText::new(sink, work),
        meshes: HashMap::new(),
        mesh_count: 0,
        bsdfs: HashMap::new(),
        media: HashSet::new(),
        pictures: MitsubaPictures::default(),
        summary: MitsubaSummary::default(),
        left,
    };
    writer.write()?;
    Ok(MitsubaSummary { losses: writer.left.losses(), ..writer.summary })
}

/// A mesh that was written beside.
#[derive(Clone, Debug)]
struct MeshFile {
    path: String,
    /// Without normals faces are flat, which Mitsuba has to be told.
    has_normals: bool,
}

struct MitsubaWriter<'w> {
    scene: &'w Scene,
    looks: &'w Looks<'w>,
    files: &'w dyn ExportMeshes,
    work: &'w Work,
    text: XmlText<'w>,
    /// Paths of the meshes of files; `None` where one has nothing that could be written.
    meshes: HashMap<FileKey, Option<MeshFile>>,
    mesh_count: u64,
    /// Surfaces that are there, and their ids.
    bsdfs: HashMap<SurfaceKey, String>,
    /// Media that are there.
    media: HashSet<u32>,
    pictures: MitsubaPictures,
    summary: MitsubaSummary,
    left: LeftOut,
}

impl MitsubaWriter<'_> {
    fn write(&mut self) -> Result<()> {
        let scene = self.scene;
        self.text.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
        let version = env!("CARGO_PKG_VERSION");
        self.text.line(&format!("<!-- Solio {version} -->"))?;
        self.text.open("scene", &[("version", "3.0.0")])?;
        self.integrator()?;
        self.sensor()?;
        for run in runs(scene, 0..scene.world_shapes) {
            self.work.cancel.check()?;
            self.shape(run, true)?;
        }
        self.objects()?;
        for (i, light) in self.looks.lights.iter().enumerate() {
            match light {
                Some(light) => self.light(i, light)?,
                None => self.left.lights(1),
            }
        }
        self.text.close("scene")?;
        self.text.flush()
    }

    fn integrator(&mut self) -> Result<()> {
        // Light that is followed through media needs another one.
        let is_below = |class: LookClass| class == LookClass::Subsurface;
        let has_media = self.looks.media.iter().any(|medium| medium.is_homogeneous)
            || self.looks.materials.iter().any(|look| is_below(look.class));
        let kind = if has_media { "volpath" } else { "path" };
        let asked = self.scene.integrator.as_ref();
        let depth = asked.and_then(|entity| self.scene.integer(entity, "maxdepth"));
        // pbrt counts what is between the first and the last place, Mitsuba the ways.
        let depth = depth.filter(|depth| (0..10_000).contains(depth)).map_or(32, |depth| depth + 1);
        self.text.open("integrator", &[("type", kind)])?;
        self.text.value("integer", "max_depth", &depth.to_string())?;
        self.text.close("integrator")
    }

    fn sensor(&mut self) -> Result<()> {
        let Some(camera) = &self.looks.camera else {
            let other = u64::from(self.scene.camera.is_some());
            self.left.add(["camera that sees nothing"; 2], other);
            return Ok(());
        };
        self.left.add(EXPOSURE, u64::from(camera.exposure != 1.0));
        let to_world = DMat4::from_cols_array_2d(&camera.to_world);
        let mirror = DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        let upright = crate::look::upright(to_world * mirror).filter(DMat4::is_finite);
        let Some(mut to_world) = upright else {
            self.left.add(["camera that sees nothing"; 2], 1);
            return Ok(());
        };
        let has_lens = camera.lens_radius > 0.0;
        let kind = match camera.projection {
            CameraProjection::Perspective(_) if has_lens => "thinlens",
            CameraProjection::Perspective(_) => "perspective",
            CameraProjection::Orthographic([across, _]) => {
                to_world *= DMat4::from_scale(DVec3::new(across, across, 1.0));
                "orthographic"
            }
            CameraProjection::Spherical { .. } => {
                self.left.add(["camera that sees all around"; 2], 1);
                return Ok(());
            }
        };
        self.left.lens(camera);
        self.text.open("sensor", &[("type", kind)])?;
        if let CameraProjection::Perspective([across, _]) = camera.projection {
            let degrees = 2.0 * across.atan().to_degrees();
            self.text.value("float", "fov", &number(degrees.min(179.9)))?;
            self.text.value("string", "fov_axis", "x")?;
        }
        let [x, y] = camera.shift;
        if camera.shift != [0.0; 2] && kind != "orthographic" {
            self.text.value("float", "principal_point_offset_x", &number(x / 2.0))?;
            self.text.value("float", "principal_point_offset_y", &number(-y / 2.0))?;
        } else if camera.shift != [0.0; 2] {
            let half = match camera.projection {
                CameraProjection::Orthographic(half) => half,
                _ => [1.0; 2],
            };
            // Mirrored in x, as the sensor is.
            to_world *= DMat4::from_translation(DVec3::new(-x, y * half[1] / half[0], 0.0));
        }
        if kind == "thinlens" {
            self.text.value("float", "aperture_radius", &number(camera.lens_radius))?;
            let focus = camera.focal_distance.max(1e-6);
            self.text.value("float", "focus_distance", &number(focus))?;
        }
        self.text.value("float", "near_clip", "0.001")?;
        self.text.value("float", "far_clip", "1000000")?;
        self.text.matrix("to_world", &to_world)?;
        self.film(camera)?;
        self.text.close("sensor")
    }

    fn film(&mut self, camera: &CameraLook) -> Result<()> {
        let samples = self.scene.sampler.as_ref();
        let samples = samples.and_then(|entity| self.scene.integer(entity, "pixelsamples"));
        let samples = samples.filter(|count| (1..=1 << 20).contains(count)).unwrap_or(64);
        self.text.open("sampler", &[("type", "independent")])?;
        self.text.value("integer", "sample_count", &samples.to_string())?;
        self.text.close("sampler")?;
        self.text.open("film", &[("type", "hdrfilm")])?;
        for (name, side) in ["width", "height"].into_iter().zip(camera.resolution) {
            self.text.value("integer", name, &side.to_string())?;
        }
        self.text.value("string", "pixel_format", "rgb")?;
        let filter = self.scene.filter.as_ref().map(|filter| self.scene.class(filter));
        let filter = match filter {
            Some(b"box") => "box",
            Some(b"triangle") => "tent",
            Some(b"mitchell") => "mitchell",
            Some(b"sinc") => "lanczos",
            _ => "gaussian",
        };
        self.text.line(&format!("<rfilter type=\"{filter}\"/>"))?;
        self.text.close("film")
    }

    /// A shape, or one of a group.
    fn shape(&mut self, run: Range<u32>, is_world: bool) -> Result<()> {
        let scene = self.scene;
        let number = run.start;
        let shape = &scene.shapes[number as usize];
        let count = u64::from(run.end - run.start);
        let medium = self.medium_of(shape);
        // What only bounds a medium is there where the medium is.
        if is_border(scene, shape) && medium.is_none() {
            self.left.add(BORDERS, count);
            return Ok(());
        }
        let Some(under) = upper(&scene.matrices[shape.matrix as usize]) else {
            self.left.add(PROJECTED, count);
            return Ok(());
        };
        let Some(mesh) = self.mesh(run)? else { return Ok(()) };
        let bsdf = self.bsdf(number, is_world)?;
        if let Some(medium) = medium {
            self.medium(medium)?;
        }
        self.open_mesh(&mesh, &under)?;
        self.text.line(&format!("<ref id={}/>", attribute(&bsdf)))?;
        if let Some(medium) = medium {
            self.text.line(&format!("<ref name=\"interior\" id=\"medium_{medium}\"/>"))?;
        }
        if is_world && shape.area_light != NONE {
            self.emission(number)?;
        }
        self.text.close("shape")
    }

    /// The beginning of a shape that is a mesh under a matrix.
    fn open_mesh(&mut self, mesh: &MeshFile, under: &[f32; 12]) -> Result<()> {
        self.text.open("shape", &[("type", "ply")])?;
        self.text.value("string", "filename", &mesh.path)?;
        if !mesh.has_normals {
            self.text.value("boolean", "face_normals", "true")?;
        }
        let matrix = columns(under);
        if *under != IDENTITY {
            self.text.matrix("to_world", &matrix)?;
        }
        // pbrt's normals keep their side under a matrix that mirrors.
        if DMat3::from_mat4(matrix).determinant() < 0.0 {
            self.text.value("boolean", "flip_normals", "true")?;
        }
        Ok(())
    }

    /// The mesh of shapes as a file beside.
    fn mesh(&mut self, run: Range<u32>) -> Result<Option<MeshFile>> {
        let scene = self.scene;
        let shape = &scene.shapes[run.start as usize];
        let key = scene.mesh_file(&shape.entity);
        let key = key.map(|file| (file.to_vec(), shape.reverse_orientation));
        if let Some(known) = key.as_ref().and_then(|key| self.meshes.get(key)) {
            return Ok(known.clone());
        }
        let textured = self.looks.is_textured(run.start);
        let made = mesh_of(scene, run, self.files, Faces::Triangles, textured);
        let path = match made {
            Ok(mesh) if mesh.corners.is_empty() => None,
            Ok(mesh) if !mesh.positions.as_flattened().iter().all(|x| x.is_finite()) => {
                let error = Error::unsupported("a mesh with positions that are no numbers");
                self.summary.problems.push(located(scene, shape, error));
                None
            }
            Ok(mesh) => {
                self.left.bare(textured && mesh.uvs.is_empty());
                Some(self.put(&name_of(scene, shape), &mesh)?)
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                self.summary.problems.push(located(scene, shape, error));
                None
            }
        };
        if let Some(key) = key {
            self.meshes.insert(key, path.clone());
        }
        Ok(path)
    }

    fn put(&mut self, name: &str, mesh: &PackedMesh<'_>) -> Result<MeshFile> {
        let plain: String = name
            .chars()
            .take(64)
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let file = format!("{:05}-{plain}.ply", self.mesh_count);
        let work = self.work;
        let made = self.files.beside(&file, &mut |sink| ply::write(mesh, sink, work))?;
        self.mesh_count += 1;
        self.summary.meshes += 1;
        Ok(MeshFile { path: made.path, has_normals: ply::has_normals(mesh) })
    }

    /// The BSDF of a surface, which is written where it is not there yet; its id.
    fn bsdf(&mut self, number: u32, is_world: bool) -> Result<String> {
        let key = SurfaceKey { light: NONE, shape: NONE, ..self.looks.key(number, is_world) };
        if let Some(known) = self.bsdfs.get(&key) {
            return Ok(known.clone());
        }
        let id = format!("{}#{}", self.looks.name(key), self.bsdfs.len());
        let mut place = BsdfPlace {
            text: &mut self.text,
            looks: self.looks,
            files: self.files,
            pictures: &mut self.pictures,
            left: &mut self.left,
            work: self.work,
        };
        bsdf::write(&mut place, key, &id)?;
        // What is below a surface is a medium of its own.
        self.bsdfs.insert(key, id.clone());
        Ok(id)
    }

    /// The medium inside of a shape: one that the scene gives it, or that its material is made of.
    fn medium_of(&self, shape: &Shape) -> Option<u32> {
        let inside = self.looks.media.get(shape.inside as usize);
        if inside.is_some_and(|medium| medium.is_homogeneous) {
            return Some(shape.inside);
        }
        let look = self.looks.materials.get(shape.material as usize)?;
        // Numbers behind those of the scene.
        let below = look.class == LookClass::Subsurface && look.subsurface.is_some();
        below.then(|| self.looks.media.len() as u32 + shape.material)
    }

    fn medium(&mut self, medium: u32) -> Result<()> {
        if !self.media.insert(medium) {
            return Ok(());
        }
        let (extinction, albedo, anisotropy) = match self.looks.media.get(medium as usize) {
            Some(medium) => {
                let sum: [f32; 3] = [0, 1, 2].map(|i| medium.absorption[i] + medium.scattering[i]);
                let albedo = [0, 1, 2]
                    .map(|i| if sum[i] > 0.0 { medium.scattering[i] / sum[i] } else { 0.0 });
                (sum, albedo, medium.anisotropy)
            }
            None => {
                let material = medium as usize - self.looks.media.len();
                let look = &self.looks.materials[material];
                let Some(below) = &look.subsurface else { return Ok(()) };
                let base = look.base.mean();
                let albedo = base.map(|base| {
                    // Kulla and Conty, *Revisiting Physically Based Shading at Imageworks* (2017).
                    let root = (9.59217 + 41.6808 * base + 17.7126 * base * base).sqrt();
                    let s = 4.09712 + 4.20863 * base - root;
                    (1.0 - s * s).clamp(0.0, 1.0)
                });
                (below.radius.map(|free| 1.0 / free.max(1e-6)), albedo, below.anisotropy)
            }
        };
        let id = format!("medium_{medium}");
        self.text.open("medium", &[("type", "homogeneous"), ("id", &id)])?;
        self.text.value("rgb", "albedo", &color(&albedo))?;
        self.text.value("rgb", "sigma_t", &color(&extinction))?;
        self.text.open("phase", &[("type", "hg")])?;
        self.text.value("float", "g", &number(f64::from(anisotropy.clamp(-0.99, 0.99))))?;
        self.text.close("phase")?;
        self.text.close("medium")
    }

    fn emission(&mut self, number: u32) -> Result<()> {
        let light = &self.looks.area_lights[self.scene.shapes[number as usize].area_light as usize];
        let area = match light.power {
            None => None,
            Some(_) => light_area(self.scene, number, self.files).ok(),
        };
        self.left.add(TWO_SIDES, u64::from(light.two_sided));
        let mut place = BsdfPlace {
            text: &mut self.text,
            looks: self.looks,
            files: self.files,
            pictures: &mut self.pictures,
            left: &mut self.left,
            work: self.work,
        };
        place.text.open("emitter", &[("type", "area")])?;
        bsdf::radiance(&mut place, light, area)?;
        self.text.close("emitter")
    }

    /// Objects as groups, and their instances.
    fn objects(&mut self) -> Result<()> {
        let scene = self.scene;
        let (order, starts) = order_by_object(scene);
        for (number, object) in scene.objects.iter().enumerate() {
            self.work.cancel.check()?;
            let instances = &order[starts[number]..starts[number + 1]];
            if instances.is_empty() {
                continue;
            }
            // What the group refers to stands before it.
            let mut parts = Vec::new();
            for run in runs(scene, object.shapes.clone()) {
                let first = run.start;
                let shape = &scene.shapes[first as usize];
                if is_border(scene, shape) {
                    self.left.add(BORDERS, u64::from(run.end - run.start));
                    continue;
                }
                let Some(under) = upper(&scene.matrices[shape.matrix as usize]) else {
                    self.left.add(PROJECTED, u64::from(run.end - run.start));
                    continue;
                };
                if let Some(mesh) = self.mesh(run)? {
                    parts.push((mesh, under, self.bsdf(first, false)?));
                }
            }
            if parts.is_empty() {
                continue;
            }
            let id = format!("object_{number}");
            self.text.open("shape", &[("type", "shapegroup"), ("id", &id)])?;
            for (mesh, under, bsdf) in parts {
                self.open_mesh(&mesh, &under)?;
                self.text.line(&format!("<ref id={}/>", attribute(&bsdf)))?;
                self.text.close("shape")?;
            }
            self.text.close("shape")?;
            for instance in instances {
                let under = &scene.instances.matrices[*instance as usize];
                let matrix = columns(under);
                // A flat one shows nothing, and could not be turned back.
                let has_size = DMat3::from_mat4(matrix).determinant().abs() > 0.0;
                if !under.iter().all(|x| x.is_finite()) || !has_size {
                    self.left.add(NO_NUMBERS, 1);
                    continue;
                }
                self.text.open("shape", &[("type", "instance")])?;
                self.text.line(&format!("<ref id=\"{id}\"/>"))?;
                self.text.matrix("to_world", &matrix)?;
                self.text.close("shape")?;
                self.summary.instances += 1;
            }
        }
        Ok(())
    }

    fn light(&mut self, count: usize, light: &LightLook) -> Result<()> {
        if let (LightLookKind::Sky, Some(picture)) = (light.kind, &light.picture) {
            return self.sky(count, light, picture);
        }
        self.left.add(NEAREST, u64::from(!light.is_exact));
        let strength = color(&light.light());
        let text = &mut self.text;
        let position = light.position.map(number).join(", ");
        match light.kind {
            LightLookKind::Sky => {
                text.open("emitter", &[("type", "constant")])?;
                text.value("rgb", "radiance", &strength)?;
            }
            LightLookKind::Distant => {
                text.open("emitter", &[("type", "directional")])?;
                let toward = light.direction.map(number).join(", ");
                text.value("vector", "direction", &toward)?;
                text.value("rgb", "irradiance", &strength)?;
            }
            LightLookKind::Point => {
                text.open("emitter", &[("type", "point")])?;
                text.value("point", "position", &position)?;
                text.value("rgb", "intensity", &strength)?;
            }
            LightLookKind::Spot { .. } | LightLookKind::Projection { .. } => {
                let [outer, inner] = match light.kind {
                    LightLookKind::Spot { outer, inner } => [outer, inner],
                    LightLookKind::Projection { fov } => [fov / 2.0; 2],
                    _ => [0.0; 2],
                };
                let outer = f64::from(outer).to_degrees().clamp(1e-3, 90.0);
                let inner = f64::from(inner).to_degrees().clamp(0.0, outer * 0.9999);
                text.open("emitter", &[("type", "spot")])?;
                text.value("rgb", "intensity", &strength)?;
                text.value("float", "cutoff_angle", &number(outer))?;
                text.value("float", "beam_width", &number(inner))?;
                // It shines along +z.
                let toward = DVec3::from_array(light.direction);
                let turn = glam::DQuat::from_rotation_arc(DVec3::Z, toward);
                let place = DVec3::from_array(light.position);
                text.matrix("to_world", &DMat4::from_rotation_translation(turn, place))?;
            }
        }
        text.close("emitter")
    }

    fn sky(
        &mut self,
        count: usize,
        light: &LightLook,
        picture: &crate::look::LightPicture,
    ) -> Result<()> {
        let work = self.work;
        let mut strength = f64::from(light.strength);
        let made = self.files.sky(&picture.name, picture.mapping).and_then(|sky| {
            if let Some(wanted) = light.illuminance {
                strength *= f64::from(wanted) / illuminance_of_sky(&sky);
            }
            // Mitsuba has a factor, but no colour.
            let sky = match light.color {
                [1.0, 1.0, 1.0] => sky,
                tint => {
                    let pixels = sky.pixels().iter();
                    let pixels = pixels.map(|pixel| [0, 1, 2].map(|i| pixel[i] * tint[i]));
                    crate::look::TexturePicture::new(sky.size()[0], pixels.collect())?
                }
            };
            let exr = self.files.exr(&sky)?;
            self.files.beside(&format!("sky-{count}.exr"), &mut |sink| sink.write_bytes(work, &exr))
        });
        let file = match made {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(_) => {
                self.left.lights(1);
                return Ok(());
            }
            Ok(file) => file,
        };
        self.left.add(NEAREST, u64::from(!light.is_exact));
        let text = &mut self.text;
        text.open("emitter", &[("type", "envmap")])?;
        text.value("string", "filename", &file.path)?;
        let strength = if strength.is_finite() { strength } else { 0.0 };
        text.value("float", "scale", &number(strength))?;
        let mut turned = light.matrix();
        turned.w_axis = DVec4::W;
        text.matrix("to_world", &(turned * DOME_TO_SKY))?;
        text.close("emitter")
    }
}

fn columns(m: &[f32; 12]) -> DMat4 {
    let m = m.map(f64::from);
    let column = |i: usize, last: f64| DVec4::new(m[i], m[4 + i], m[8 + i], last);
    DMat4::from_cols(column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0))
}
