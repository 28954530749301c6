//! Scenes as USD, in its text form: an object once, its instances as arrays.
//!
//! ```text
//! /Scene/Camera
//! /Scene/World                      mirrored unless it is right-handed
//!     shapes of the world           a Mesh each; of one file the first, and references to it
//!     light_…                       lights without a shape
//!     Instances                     a PointInstancer; Prototypes in it: an Xform an object
//!     sheared_…                     references to a prototype, under their matrices
//! /Scene/Materials                  a UsdPreviewSurface each
//! ```
//!
//! The text is written as it is made: in memory are the scene, one mesh, and names. Libraries that
//! write USD keep all of it in memory first.
//!
//! Source: OpenUSD, *UsdGeom*, *UsdShade* and *UsdPreviewSurface* (openusd.org/release/api); the
//! grammar of `.usda` from the same.

mod lights;
mod shading;
#[cfg(test)]
mod tests;
mod text;

use crate::export::{
    BORDERS, ExportMeshes, Faces, FileKey, IDENTITY, LeftOut, bounds, decompose, is_border,
    light_area, mesh_of, name_of, runs, upper,
};
use crate::look::{CameraProjection, Looks, SurfaceKey, is_mirrored};
use crate::pack::PackedMesh;
use crate::preview::located;
use crate::scene::{NONE, Object, Scene};
use shading::{ShadingPlace, UsdPictures};
use solio_base::{Error, ErrorKind, Losses, Result, Sink, Work};
use solio_codec::number::Digits;
use solio_codec::number::format::push_f32;
use solio_kinds::FileKind;
use std::collections::HashMap;
use std::ops::Range;
use text::{PrimNames, UsdText, matrix, push_number, push_tuple, quoted, single, tuple};

const WORLD: &str = "/Scene/World";
const PROTOTYPES: &str = "/Scene/World/Instances/Prototypes";
const MATERIALS: &str = "/Scene/Materials";
/// Width of the film of a camera, in tenths of a unit: 36 mm where the unit is a centimetre.
const APERTURE: f64 = 36.0;
/// Digits of orientations with half precision.
const HALF_DIGITS: Digits = Digits::Fixed(5);

/// What was written.
///
/// ```
/// # use solio_base::{Error, Result, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{ExportMeshes, Faces};
/// # use solio_scene::pack::PackedMesh;
/// # struct NoMeshes;
/// # impl ExportMeshes for NoMeshes {
/// #     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
/// #         Err(Error::argument("no such file"))
/// #     }
/// # }
/// use solio_scene::usd::encode_usd;
/// let text = br#"WorldBegin
///     ObjectBegin "leaf"
///         Shape "trianglemesh" "point3 P" [ 0 0 0  1 0 0  0 1 0 ]
///     ObjectEnd
///     ObjectInstance "leaf"
///     Scale 1 1 2
///     Rotate 40 0 1 1
///     ObjectInstance "leaf"
/// "#;
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// // Turned behind an uneven scale, the second one shears.
/// let summary = encode_usd(&scene, &NoMeshes, &mut Vec::new(), &work)?;
/// assert_eq!((summary.meshes, summary.instances, summary.sheared), (1, 1, 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct UsdSummary {
    /// Meshes, those that refer to another left out.
    pub meshes: u64,
    /// Instances in arrays; others are prims.
    pub instances: u64,
    /// Instances that shear, and so are prims with matrices.
    pub sheared: u64,
    /// Shapes that are not written, and why.
    pub problems: Vec<Error>,
    /// What USD, or this writer, has no words for, with counts.
    pub losses: Losses,
}

/// Writes a scene. Meshes are asked for one after another, and none is kept.
///
/// # Errors
/// Those of the sink.
///
/// ```
/// # use solio_base::{Error, Result, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{ExportMeshes, Faces};
/// # use solio_scene::pack::PackedMesh;
/// # struct NoMeshes;
/// # impl ExportMeshes for NoMeshes {
/// #     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
/// #         Err(Error::argument("no such file"))
/// #     }
/// # }
/// use solio_scene::usd::encode_usd;
/// let text = b"WorldBegin\nShape \"trianglemesh\" \"point3 P\" [ 0 0 0  1 0 0  0 1 0 ]\n";
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let mut usda = Vec::new();
/// encode_usd(&scene, &NoMeshes, &mut usda, &work)?;
/// let usda = String::from_utf8_lossy(&usda);
/// assert!(usda.starts_with("#usda 1.0\n") && usda.contains("int[] faceVertexCounts = ["));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn encode_usd(
    scene: &Scene,
    meshes: &dyn ExportMeshes,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<UsdSummary> {
    let looks = Looks::new(scene);
    let mut left = LeftOut::of(scene);
    left.extend(&looks.left);
    let mut writer = UsdWriter {
        scene,
        looks: &looks,
        meshes,
        work,
        text: UsdText::new(sink, work),
        files: HashMap::new(),
        materials: Vec::new(),
        known_materials: HashMap::new(),
        material_names: PrimNames::default(),
        summary: UsdSummary::default(),
        left,
    };
    writer.write()?;
    Ok(UsdSummary { losses: writer.left.losses(), ..writer.summary })
}

struct UsdWriter<'w> {
    scene: &'w Scene,
    looks: &'w Looks<'w>,
    meshes: &'w dyn ExportMeshes,
    work: &'w Work,
    text: UsdText<'w>,
    /// Where the mesh of a file is; `None` where it has none that could be written.
    files: HashMap<FileKey, Option<String>>,
    /// Surfaces in use, and their names.
    materials: Vec<(SurfaceKey, String, Option<f64>)>,
    known_materials: HashMap<SurfaceKey, usize>,
    material_names: PrimNames,
    summary: UsdSummary,
    left: LeftOut,
}

impl UsdWriter<'_> {
    fn write(&mut self) -> Result<()> {
        self.text.line(&format!("{}1.0", String::from_utf8_lossy(FileKind::Usd.mark())))?;
        self.text.line("(")?;
        self.text.line("    defaultPrim = \"Scene\"")?;
        self.text.line(&format!("    doc = \"Solio {}\"", env!("CARGO_PKG_VERSION")))?;
        self.text.line("    metersPerUnit = 1")?;
        self.text.line("    upAxis = \"Y\"")?;
        self.text.line(")")?;
        self.text.line("")?;
        self.text.begin("def Xform \"Scene\"", &["kind = \"assembly\"".to_owned()])?;
        self.camera()?;
        self.world()?;
        self.surfaces()?;
        self.text.end()?;
        self.text.flush()
    }

    fn camera(&mut self) -> Result<()> {
        let Some(camera) = &self.looks.camera else {
            let other = u64::from(self.scene.camera.is_some());
            self.left.add(["camera that sees nothing"; 2], other);
            return Ok(());
        };
        let film = match camera.projection {
            CameraProjection::Perspective([across, up]) => {
                Some(("perspective", APERTURE, APERTURE * up / across, APERTURE / (2.0 * across)))
            }
            // Apertures are tenths of a unit.
            CameraProjection::Orthographic([across, up]) => {
                Some(("orthographic", 20.0 * across, 20.0 * up, 50.0))
            }
            CameraProjection::Spherical { .. } => None,
        };
        let Some(((projection, width, height, length), to_world)) = film.zip(camera.right_handed())
        else {
            self.left.add(["camera that sees all around"; 2], 1);
            return Ok(());
        };
        self.left.lens(camera);
        let text = &mut self.text;
        text.begin("def Camera \"Camera\"", &[])?;
        text.line(&format!("token projection = \"{projection}\""))?;
        text.line(&format!("float horizontalAperture = {}", single(width)))?;
        text.line(&format!("float verticalAperture = {}", single(height)))?;
        let [x, y] = camera.shift;
        if camera.shift != [0.0; 2] {
            text.line(&format!("float horizontalApertureOffset = {}", single(x * width / 2.0)))?;
            text.line(&format!("float verticalApertureOffset = {}", single(y * height / 2.0)))?;
        }
        text.line(&format!("float focalLength = {}", single(length)))?;
        if camera.lens_radius > 0.0 && projection == "perspective" {
            let stop = length / 10.0 / (2.0 * camera.lens_radius);
            text.line(&format!("float fStop = {}", single(stop)))?;
            text.line(&format!("float focusDistance = {}", single(camera.focal_distance)))?;
        }
        if camera.exposure != 1.0 {
            text.line(&format!("float exposure = {}", single(camera.exposure.log2())))?;
        }
        text.line("float2 clippingRange = (0.01, 1000000)")?;
        transform(text, &matrix(&to_world.to_cols_array_2d()))?;
        text.end()
    }

    fn world(&mut self) -> Result<()> {
        let scene = self.scene;
        self.text.begin("def Xform \"World\"", &[])?;
        if is_mirrored(scene) {
            self.text.line("double3 xformOp:scale = (1, 1, -1)")?;
            self.text.line("uniform token[] xformOpOrder = [\"xformOp:scale\"]")?;
        }
        let mut names = PrimNames::default();
        names.take("Instances");
        for run in runs(scene, 0..scene.world_shapes) {
            self.work.cancel.check()?;
            self.shape(run, WORLD, &mut names, true)?;
        }
        let (text, left) = (&mut self.text, &mut self.left);
        lights::write(text, self.looks, self.meshes, &mut names, left, self.work)?;
        if !scene.instances.objects.is_empty() {
            self.instances(&mut names)?;
        }
        self.text.end()
    }

    /// A mesh, or a reference to one that is there already.
    fn shape(
        &mut self,
        run: Range<u32>,
        place: &str,
        names: &mut PrimNames,
        is_world: bool,
    ) -> Result<()> {
        let scene = self.scene;
        let number = run.start;
        let shape = &scene.shapes[number as usize];
        let count = u64::from(run.end - run.start);
        if is_border(scene, shape) {
            self.left.add(BORDERS, count);
            return Ok(());
        }
        let Some(under) = upper(&scene.matrices[shape.matrix as usize]) else {
            self.left.add(
                ["shape whose matrix is a projection", "shapes whose matrices are projections"],
                count,
            );
            return Ok(());
        };
        // What shines is a light of its own.
        let shines = is_world && shape.area_light != NONE;
        let key = scene.mesh_file(&shape.entity).filter(|_| !shines);
        let key = key.map(|file| (file.to_vec(), shape.reverse_orientation));
        if let Some(known) = key.as_ref().and_then(|key| self.files.get(key)) {
            let Some(known) = known.clone() else { return Ok(()) };
            let name = names.take(&name_of(scene, shape));
            let reference = format!("prepend references = <{known}>");
            self.text.begin(&format!("def Mesh \"{name}\""), &[reference])?;
            self.bind(number, is_world)?;
            transform(&mut self.text, &columns(&under))?;
            return self.text.end();
        }
        let textured = self.looks.is_textured(number);
        let found = match mesh_of(scene, run, self.meshes, Faces::Polygons, textured) {
            Ok(mesh) if mesh.corners.is_empty() => None,
            Ok(mesh) => match bounds(&mesh.positions) {
                Some(bounds) => Some((mesh, bounds)),
                None => {
                    let error = Error::unsupported("a mesh with positions that are no numbers");
                    self.summary.problems.push(located(scene, shape, error));
                    None
                }
            },
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                self.summary.problems.push(located(scene, shape, error));
                None
            }
        };
        let mut path = None;
        if let Some((mesh, bounds)) = found {
            self.left.bare(textured && mesh.uvs.is_empty());
            let name = names.take(&name_of(scene, shape));
            let light = if shines { ", \"MeshLightAPI\"" } else { "" };
            let api = format!("prepend apiSchemas = [\"MaterialBindingAPI\"{light}]");
            self.text.begin(&format!("def Mesh \"{name}\""), &[api])?;
            self.arrays(&mesh, &bounds)?;
            self.bind(number, is_world)?;
            if under != IDENTITY {
                transform(&mut self.text, &columns(&under))?;
            }
            self.text.end()?;
            self.summary.meshes += 1;
            path = Some(format!("{place}/{name}"));
        }
        if let Some(key) = key {
            self.files.insert(key, path);
        }
        Ok(())
    }

    fn arrays(&mut self, mesh: &PackedMesh<'_>, bounds: &[[f32; 3]; 2]) -> Result<()> {
        let text = &mut self.text;
        text.line("uniform token subdivisionScheme = \"none\"")?;
        text.line("uniform bool doubleSided = 1")?;
        text.line(&format!("float3[] extent = [{}, {}]", tuple(&bounds[0]), tuple(&bounds[1])))?;
        let offsets = &mesh.face_offsets;
        text.array("int[] faceVertexCounts", mesh.faces(), "", &|i, out| {
            push_number(out, if offsets.is_empty() { 3 } else { offsets[i + 1] - offsets[i] });
        })?;
        let corners = &mesh.corners;
        text.array("int[] faceVertexIndices", corners.len(), "", &|i, out| {
            push_number(out, corners[i]);
        })?;
        let points = &mesh.positions;
        text.array("point3f[] points", points.len(), "", &|i, out| push_tuple(out, &points[i]))?;
        let finite = |values: &[f32]| !values.is_empty() && values.iter().all(|x| x.is_finite());
        let vertex = " (interpolation = \"vertex\")";
        if finite(mesh.normals.as_flattened()) {
            let normals = &mesh.normals;
            let name = "normal3f[] normals";
            text.array(name, normals.len(), vertex, &|i, out| push_tuple(out, &normals[i]))?;
        }
        if finite(mesh.uvs.as_flattened()) {
            let uvs = &mesh.uvs;
            let name = "texCoord2f[] primvars:st";
            text.array(name, uvs.len(), vertex, &|i, out| push_tuple(out, &uvs[i]))?;
        }
        Ok(())
    }

    fn bind(&mut self, number: u32, is_world: bool) -> Result<()> {
        let key = self.looks.key(number, is_world);
        let number = match self.known_materials.get(&key) {
            Some(number) => *number,
            None => {
                let area = match key.shape {
                    NONE => None,
                    _ => light_area(self.scene, number, self.meshes).ok(),
                };
                let name = self.material_names.take(&self.looks.name(key));
                self.materials.push((key, name, area));
                self.known_materials.insert(key, self.materials.len() - 1);
                self.materials.len() - 1
            }
        };
        let name = &self.materials[number].1;
        self.text.line(&format!("rel material:binding = <{MATERIALS}/{name}>"))
    }

    fn instances(&mut self, names: &mut PrimNames) -> Result<()> {
        let scene = self.scene;
        let prototypes = self.instancer()?;
        let mut rest = Vec::new();
        let mut regular = Vec::with_capacity(scene.instances.objects.len());
        let mut turned = false;
        let all = scene.instances.objects.iter().zip(&scene.instances.matrices);
        for (i, (object, matrix)) in all.enumerate() {
            if prototypes[*object as usize].is_none() {
                continue;
            }
            match decompose(matrix) {
                Some(parts) => {
                    turned |= parts.rotation != [0.0, 0.0, 0.0, 1.0];
                    regular.push(i as u32);
                }
                None => rest.push(i as u32),
            }
        }
        self.instance_arrays(&prototypes, &regular, turned)?;
        self.text.end()?;
        for instance in rest {
            let Some(name) = &prototypes[scene.instances.objects[instance as usize] as usize]
            else {
                continue;
            };
            let under = &scene.instances.matrices[instance as usize];
            if !under.iter().all(|x| x.is_finite()) {
                self.left.add(
                    ["place whose matrix holds no numbers", "places whose matrices are no numbers"],
                    1,
                );
                continue;
            }
            let reference = format!("prepend references = <{PROTOTYPES}/{name}>");
            let name = names.take(&format!("sheared_{name}"));
            let notes = ["instanceable = true".to_owned(), reference];
            self.text.begin(&format!("def Xform \"{name}\""), &notes)?;
            transform(&mut self.text, &columns(under))?;
            self.text.end()?;
            self.summary.sheared += 1;
        }
        Ok(())
    }

    /// The instancer with its prototypes; their names, by objects. It is not ended.
    fn instancer(&mut self) -> Result<Vec<Option<String>>> {
        let scene = self.scene;
        self.text.begin("def PointInstancer \"Instances\"", &[])?;
        self.text.begin("def Scope \"Prototypes\"", &[])?;
        let mut names = PrimNames::default();
        let mut prototypes = Vec::with_capacity(scene.objects.len());
        for object in &scene.objects {
            self.work.cancel.check()?;
            let is_used = object.instances > 0 && !object.shapes.is_empty();
            prototypes.push(match is_used {
                true => Some(self.prototype(object, &mut names)?),
                false => None,
            });
        }
        self.text.end()?;
        Ok(prototypes)
    }

    fn prototype(&mut self, object: &Object, names: &mut PrimNames) -> Result<String> {
        let called = String::from_utf8_lossy(&object.name);
        let name = names.take(&called);
        let mut notes = Vec::new();
        if *called != name {
            notes.push(format!("displayName = {}", quoted(&called)));
        }
        self.text.begin(&format!("def Xform \"{name}\""), &notes)?;
        let (place, mut names) = (format!("{PROTOTYPES}/{name}"), PrimNames::default());
        for run in runs(self.scene, object.shapes.clone()) {
            self.shape(run, &place, &mut names, false)?;
        }
        self.text.end()?;
        Ok(name)
    }

    fn instance_arrays(
        &mut self,
        prototypes: &[Option<String>],
        regular: &[u32],
        turned: bool,
    ) -> Result<()> {
        let instances = &self.scene.instances;
        // Prototypes are numbered among those that are there.
        let mut numbers = Vec::with_capacity(prototypes.len());
        let mut paths = Vec::new();
        for name in prototypes {
            numbers.push(paths.len() as u32);
            paths.extend(name.as_ref().map(|name| format!("<{PROTOTYPES}/{name}>")));
        }
        let count = regular.len();
        let parts = |i: usize| {
            decompose(&instances.matrices[regular[i] as usize]).expect("one that does not shear")
        };
        let text = &mut self.text;
        text.line(&format!("rel prototypes = [{}]", paths.join(", ")))?;
        text.array("int[] protoIndices", count, "", &|i, out| {
            push_number(out, numbers[instances.objects[regular[i] as usize] as usize]);
        })?;
        text.array("point3f[] positions", count, "", &|i, out| {
            push_tuple(out, &parts(i).translation);
        })?;
        if turned {
            // What came before `orientationsf` looks at these.
            text.array("quath[] orientations", count, "", &|i, out| {
                let [x, y, z, w] = parts(i).rotation;
                for (value, before) in [w, x, y, z].iter().zip(["(", ", ", ", ", ", "]) {
                    out.extend_from_slice(before.as_bytes());
                    push_f32(out, HALF_DIGITS, *value);
                }
                out.push(b')');
            })?;
            text.array("quatf[] orientationsf", count, "", &|i, out| {
                let [x, y, z, w] = parts(i).rotation;
                push_tuple(out, &[w, x, y, z]);
            })?;
        }
        text.array("float3[] scales", count, "", &|i, out| push_tuple(out, &parts(i).scale))?;
        self.summary.instances = count as u64;
        Ok(())
    }

    fn surfaces(&mut self) -> Result<()> {
        self.text.begin("def Scope \"Materials\"", &[])?;
        let mut pictures = UsdPictures::default();
        for (key, name, area) in std::mem::take(&mut self.materials) {
            self.work.cancel.check()?;
            let place = format!("{MATERIALS}/{name}");
            let mut at = ShadingPlace {
                text: &mut self.text,
                looks: self.looks,
                files: self.meshes,
                pictures: &mut pictures,
                left: &mut self.left,
                work: self.work,
            };
            shading::write(&mut at, &place, &name, key, area)?;
        }
        self.text.end()
    }
}

fn transform(text: &mut UsdText<'_>, matrix: &str) -> Result<()> {
    text.line(&format!("matrix4d xformOp:transform = {matrix}"))?;
    text.line("uniform token[] xformOpOrder = [\"xformOp:transform\"]")
}

fn columns(m: &[f32; 12]) -> String {
    let column = |i: usize, last: f64| [m[i].into(), m[4 + i].into(), m[8 + i].into(), last];
    matrix(&[column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0)])
}
