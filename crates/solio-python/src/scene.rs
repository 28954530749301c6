//! Scenes: the native half of `solio.read_scene`.

use crate::Any;
use crate::errors::{ArgumentOf, argument, exception};
use crate::functions::{GivenLoss, by_name, given_losses};
use crate::give;
use crate::image::{GivenImage, ReadImage, give_read};
use crate::options::{CallArguments, plain, work};
use crate::run::run;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use solio::mesh::Scene as Meshes;
use solio::scene::gltf::SceneInstances;
use solio::scene::pbrt::Values;
use solio::scene::preview::{RenderOptions, SceneView, up_axis};
use solio::scene::scene::{Entity, Scene as SceneParts};
use solio::{
    Error, MeshPlace, OpenScene, SceneExportOptions, SceneFormat, ScenePackOptions,
    SceneReadOptions, SceneTextOptions,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// `solio.Scene` without its Python face.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct Scene {
    open: OpenScene,
}

/// What a writer did: files and their bytes, bytes, warnings, losses.
type GivenWritten = (Vec<(OsString, u64)>, u64, Vec<String>, Vec<GivenLoss>);
/// Kind, class, world to camera at both times, the times, resolution, field of view, window, whether it is
/// exact.
type GivenCamera =
    (&'static str, String, [[f64; 16]; 2], [f32; 2], [u32; 2], Option<f64>, [f64; 4], bool);
/// The least and the greatest corner of the box, if there is one; what could not be read.
type GivenBounds<'py> = (Option<[[f32; 3]; 2]>, Vec<Any<'py>>);
/// Shapes, primitives, primitives under instances, instances, those that move, bytes in memory; shapes and
/// primitives by class; files of meshes that are missing.
type GivenCounts<'py> = ([u64; 6], Vec<(String, u64, u64)>, Vec<Any<'py>>);

#[pymethods]
impl Scene {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<Scene> {
        let given = CallArguments::new(options);
        let mut read = SceneReadOptions::default();
        given.with("version", &mut read.version, |v| plain(v).map(Some))?;
        given.with("check", &mut read.check, plain)?;
        given.with("max_bytes", &mut read.limits.bytes, plain)?;
        given.with("max_elements", &mut read.limits.elements, plain)?;
        let work = work(&given)?;
        given.finish()?;
        let open = run(py, &work.cancel, || OpenScene::open(&path, &read, &work))?;
        Ok(Scene { open })
    }

    #[getter]
    fn version(&self) -> u32 {
        self.parts().version
    }

    #[getter]
    fn is_packed(&self) -> bool {
        self.open.is_packed()
    }

    /// The texts that it was read from.
    fn files(&self) -> Vec<OsString> {
        let files = self.parts().files.iter();
        files.map(|file| file.path.clone().into_os_string()).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.parts().notes()
    }

    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<Any<'py>>> {
        exceptions(py, &self.parts().problems)
    }

    fn camera(&self) -> Option<GivenCamera> {
        let scene = self.parts();
        let (camera, view) = (scene.camera.as_ref()?, SceneView::of(scene)?);
        let motion = camera.from_world;
        let ends = [motion.start, motion.end].map(|m| m.transpose().to_cols_array());
        let class = text(scene.class(&camera.entity));
        let (kind, times) = (view.kind.name(), motion.times);
        let SceneView { resolution, fov_degrees, window, is_exact, .. } = view;
        Some((kind, class, ends, times, resolution, fov_degrees, window, is_exact))
    }

    /// The axis that is up.
    fn up(&self) -> [f64; 3] {
        up_axis(self.parts())
    }

    /// Where the shapes of the world end; for each shape its class, of the names that come with them, its
    /// matrix, material, area light, and whether its orientation is reversed.
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        let scene = self.parts();
        let count = scene.shapes.len();
        let mut names: Vec<String> = Vec::new();
        let mut classes = Vec::with_capacity(count);
        let mut known: HashMap<&[u8], u8> = HashMap::new();
        for shape in &scene.shapes {
            let class = scene.class(&shape.entity);
            let number = *known.entry(class).or_insert_with(|| {
                names.push(text(class));
                (names.len() - 1).min(255) as u8
            });
            classes.push(number);
        }
        let matrices = scene.shapes.iter().map(|shape| scene.matrices[shape.matrix as usize]);
        let matrices = matrices_of(py, matrices.collect())?;
        let numbers = |of: fn(&solio::scene::scene::Shape) -> u32| -> Vec<u32> {
            scene.shapes.iter().map(of).collect()
        };
        let materials = give::array(py, Cow::Owned(numbers(|shape| shape.material)));
        let lights = give::array(py, Cow::Owned(numbers(|shape| shape.area_light)));
        let reversed: Vec<bool> =
            scene.shapes.iter().map(|shape| shape.reverse_orientation).collect();
        let reversed = PyArray1::from_vec(py, reversed).into_any();
        let classes = give::array(py, Cow::Owned(classes));
        let all = (scene.world_shapes, names, classes, matrices, materials, lights, reversed);
        Ok(all.into_pyobject(py)?.into_any())
    }

    /// The name of each definition, where its shapes start and end, and how many instances there are.
    fn definitions(&self) -> Vec<(String, u32, u32, u32)> {
        let objects = self.parts().objects.iter();
        let each = objects.map(|object| {
            (text(&object.name), object.shapes.start, object.shapes.end, object.instances)
        });
        each.collect()
    }

    /// How many instances there are, and of how many both ends differ.
    fn instance_counts(&self) -> (usize, usize) {
        let instances = &self.parts().instances;
        (instances.objects.len(), instances.moving.len())
    }

    /// The definition of each instance.
    fn instance_definitions<'py>(&self, py: Python<'py>) -> Any<'py> {
        give::array(py, Cow::Owned(self.parts().instances.objects.clone()))
    }

    /// The matrices of instances `start` to `stop`.
    fn instance_matrices<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: usize,
    ) -> PyResult<Any<'py>> {
        let matrices = &self.parts().instances.matrices;
        let some =
            matrices.get(start..stop).ok_or_else(|| argument("there are fewer instances"))?;
        matrices_of(py, some.iter().map(whole).collect())
    }

    /// The instances that move, and their matrices at the second time.
    fn instance_ends<'py>(&self, py: Python<'py>) -> PyResult<(Any<'py>, Any<'py>)> {
        let moving = &self.parts().instances.moving;
        let numbers: Vec<u32> = moving.iter().map(|(number, _)| *number).collect();
        let matrices = moving.iter().map(|(_, matrix)| whole(matrix)).collect();
        Ok((give::array(py, Cow::Owned(numbers)), matrices_of(py, matrices)?))
    }

    /// The `solio.Mesh` of a shape.
    fn shape_mesh<'py>(
        &self,
        py: Python<'py>,
        shape: ArgumentOf<u32>,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<Any<'py>> {
        let work = crate::color_arrays::work(threads);
        let mesh = run(py, &work.cancel, || self.open.shape_mesh(shape.0, &work))?;
        give::scene(py, Meshes { meshes: vec![mesh], ..Meshes::default() })
    }

    /// Groups of shapes, each as one `solio.Mesh`, and what cannot be read of it; with `slots` their faces have
    /// these numbers in the place of those of materials.
    fn joined_meshes<'py>(
        &self,
        py: Python<'py>,
        groups: Vec<Vec<u32>>,
        slots: Option<Vec<Vec<u32>>>,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<Vec<(Any<'py>, Vec<Any<'py>>)>> {
        let work = crate::color_arrays::work(threads);
        let mut all = Vec::with_capacity(groups.len());
        run(py, &work.cancel, || {
            self.open.joined_meshes(&groups, slots.as_deref(), &work, |made| {
                all.push(made);
                Ok(())
            })
        })?;
        let each = all.into_iter().map(|made| {
            let mesh = give::scene(py, Meshes { meshes: vec![made.mesh], ..Meshes::default() })?;
            Ok((mesh, exceptions(py, &made.problems)?))
        });
        each.collect()
    }

    /// The class of what is of this kind under this number, as the text calls it, and its place; `None` where
    /// it is only asked for.
    fn entity(&self, kind: &str, number: usize) -> PyResult<Option<(String, String)>> {
        let scene = self.parts();
        let Some(entity) = find(scene, kind, number)? else { return Ok(None) };
        let file = scene.files.get(entity.place.file as usize);
        let file = file.map_or_else(Default::default, |file| file.path.to_string_lossy());
        let place = format!("{file}:{}:{}", entity.place.line, entity.place.column);
        Ok(Some((text(scene.class(entity)), place)))
    }

    /// The parameters of what is of this kind under this number, as name, type and values.
    fn parameters<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        number: usize,
    ) -> PyResult<Vec<(String, &'static str, Any<'py>)>> {
        let scene = self.parts();
        let Some(entity) = find(scene, kind, number)? else { return Ok(Vec::new()) };
        let mut found: Vec<(String, &'static str, Any<'py>)> = Vec::new();
        for (kept, parameter) in scene.parameters(entity) {
            let name = text(kept.text(parameter.name));
            // The first of a name counts.
            if found.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            let values = match parameter.values {
                Values::Floats(span) => {
                    give::array(py, Cow::Owned(kept.floats[span.range()].to_vec()))
                }
                Values::Integers(span) => {
                    give::array(py, Cow::Owned(kept.integers[span.range()].to_vec()))
                }
                Values::Bools(span) => {
                    let all = kept.integers[span.range()].iter().map(|value| *value != 0);
                    PyList::new(py, all)?.into_any()
                }
                Values::Strings(span) => {
                    let all = kept.strings[span.range()].iter().map(|s| text(kept.text(*s)));
                    PyList::new(py, all)?.into_any()
                }
            };
            found.push((name, parameter.kind.name(), values));
        }
        Ok(found)
    }

    /// The bytes of an image of all that is seen, and what is not shown.
    fn preview<'py>(
        &self,
        py: Python<'py>,
        options: &Bound<'py, PyDict>,
    ) -> PyResult<(GivenImage<'py>, Vec<Any<'py>>)> {
        let given = CallArguments::new(options);
        let mut render = RenderOptions { coarse: false, ..RenderOptions::default() };
        let mut most: Option<[u32; 2]> = None;
        given.with("most", &mut most, |v| plain(v).map(Some))?;
        given.with("samples", &mut render.samples, plain)?;
        given.with("occlusion", &mut render.occlusion, plain)?;
        let work = work(&given)?;
        given.finish()?;
        render.most = most;
        if !(1..=16).contains(&render.samples) || render.occlusion > 1024 {
            return Err(argument("samples are 1 to 16, occlusion 0 to 1024"));
        }
        let drawn = run(py, &work.cancel, || self.open.preview(&render, &work, |_| Ok(true)))?;
        let problems = exceptions(py, &drawn.problems)?;
        Ok((give_read(py, ReadImage::Exr(drawn.image, None))?, problems))
    }

    fn bounds<'py>(
        &self,
        py: Python<'py>,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<GivenBounds<'py>> {
        let work = crate::color_arrays::work(threads);
        let (bounds, problems) = run(py, &work.cancel, || self.open.bounds(&work))?;
        Ok((bounds, exceptions(py, &problems)?))
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<GivenCounts<'py>> {
        let work = crate::color_arrays::work(None);
        let (counts, missing) = run(py, &work.cancel, || self.open.counts(&work))?;
        let classes = counts.classes.into_iter();
        let classes = classes.map(|(name, of)| (name, of.shapes, of.primitives)).collect();
        let bytes = counts.values_bytes + counts.entities_bytes + counts.instances_bytes;
        let (all, instances) = (counts.all, counts.instances);
        let numbers = [
            all.shapes,
            all.primitives,
            all.instanced_primitives,
            instances.all,
            instances.moving,
            bytes,
        ];
        Ok((numbers, classes, exceptions(py, &missing)?))
    }

    /// Writes it for another program.
    fn export(
        &self,
        py: Python<'_>,
        output: PathBuf,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<GivenWritten> {
        let given = CallArguments::new(options);
        let mut export = SceneExportOptions::default();
        given.with("format", &mut export.format, |v| {
            let name: String = v.extract()?;
            let known = name.parse::<SceneFormat>();
            known.map(Some).map_err(|e| argument(e.to_string()))
        })?;
        given.with("instances", &mut export.instances, |v| {
            let all = [SceneInstances::Gpu, SceneInstances::Nodes, SceneInstances::Flat];
            let name: String = v.extract()?;
            let found = all.into_iter().find(|one| one.name() == name);
            found.ok_or_else(|| argument(format!("\"{name}\"; known: gpu, nodes, flat")))
        })?;
        given.with("durable", &mut export.durable, plain)?;
        given.with("strict_loss", &mut export.strict_loss, plain)?;
        let work = work(&given)?;
        given.finish()?;
        let made = run(py, &work.cancel, || self.open.export(&output, &export, &work))?;
        let mut warnings = told(&made.problems);
        warnings.extend(made.warnings);
        let written = made.written;
        Ok((by_name(written.files), written.file_bytes, warnings, given_losses(made.losses)))
    }

    /// Packs it.
    fn pack(
        &self,
        py: Python<'_>,
        output: PathBuf,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<GivenWritten> {
        let given = CallArguments::new(options);
        let mut pack = ScenePackOptions::default();
        given.with("meshes", &mut pack.meshes, plain)?;
        given.with("places", &mut pack.pack.places, plain)?;
        given.with("durable", &mut pack.durable, plain)?;
        let work = work(&given)?;
        given.finish()?;
        let (summary, left) = run(py, &work.cancel, || self.open.pack(&output, &pack, &work))?;
        let files = vec![(output.into_os_string(), summary.file_bytes)];
        Ok((files, summary.file_bytes, told(&left), Vec::new()))
    }

    /// Writes it as text.
    fn write_text(
        &self,
        py: Python<'_>,
        output: PathBuf,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<GivenWritten> {
        let given = CallArguments::new(options);
        let (mut text, mut whole) = (SceneTextOptions::default(), false);
        given.with("upgrade", &mut text.upgrade, plain)?;
        given.with("meshes", &mut text.meshes, |v| match v.extract::<String>()?.as_str() {
            "ply" => Ok(MeshPlace::Ply),
            "inline" => Ok(MeshPlace::Inline),
            other => Err(argument(format!("\"{other}\"; known: ply, inline"))),
        })?;
        given.with("whole", &mut whole, plain)?;
        given.with("durable", &mut text.durable, plain)?;
        let work = work(&given)?;
        given.finish()?;
        let made = run(py, &work.cancel, || self.open.write_text(&output, &text, whole, &work))?;
        let mut warnings = told(&made.problems);
        warnings.extend(told(&made.warnings));
        let written = made.written;
        Ok((by_name(written.files), written.file_bytes, warnings, given_losses(written.losses)))
    }
}

impl Scene {
    pub(crate) fn open(&self) -> &OpenScene {
        &self.open
    }

    fn parts(&self) -> &SceneParts {
        self.open.scene()
    }
}

/// A thing of this kind.
fn find<'s>(scene: &'s SceneParts, kind: &str, number: usize) -> PyResult<Option<&'s Entity>> {
    let found = match kind {
        "camera" => scene.camera.as_ref().map(|camera| &camera.entity),
        "film" => scene.film.as_ref(),
        "integrator" => scene.integrator.as_ref(),
        "shape" => scene.shapes.get(number).map(|shape| &shape.entity),
        "material" => scene.materials.get(number).and_then(|material| material.entity.as_ref()),
        "texture" => scene.textures.get(number).map(|texture| &texture.entity),
        "light" => scene.lights.get(number).map(|light| &light.entity),
        "area light" => scene.area_lights.get(number),
        "medium" => scene.media.get(number).and_then(|medium| medium.entity.as_ref()),
        other => return Err(argument(format!("there is no kind {other}"))),
    };
    Ok(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn told(errors: &[Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn exceptions<'py>(py: Python<'py>, errors: &[Error]) -> PyResult<Vec<Any<'py>>> {
    errors.iter().map(|error| exception(py, error)).collect()
}

/// Three rows of four with the fourth.
fn whole(rows: &[f32; 12]) -> [f32; 16] {
    std::array::from_fn(|i| match rows.get(i) {
        Some(value) => *value,
        None => f32::from(i == 15),
    })
}

/// An array of shape (N, 4, 4).
fn matrices_of(py: Python<'_>, matrices: Vec<[f32; 16]>) -> PyResult<Any<'_>> {
    let count = matrices.len();
    let flat = PyArray1::from_vec(py, matrices.into_flattened());
    Ok(flat.reshape([count, 4, 4])?.into_any())
}
