//! `read`, `write` and `encode`: the functions of the native module.

use crate::Any;
use crate::errors::{ArgumentOf, raise};
use crate::instances::HeldMeshes;
use crate::{give, material, options, run::run};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use solio::mesh::Scene;
use solio::{Format, Loss, Losses, MeshReadOptions, Result, Work, Written};
use std::ffi::OsString;
use std::path::PathBuf;

/// Reads the file at `source` (a path), or the bytes that it is.
#[pyfunction]
pub(crate) fn read<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Any<'py>> {
    let (options, work) = options::reading(options)?;
    give::scene(py, scene_of(py, source, &options, &work)?)
}

/// The same as `solio.Instance`s, which keep each mesh once.
#[pyfunction]
pub(crate) fn read_instances<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<Any<'py>>> {
    let (mut options, work) = options::reading(options)?;
    options.gltf.keep_instances = true;
    give::instances(py, scene_of(py, source, &options, &work)?)
}

fn scene_of<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &MeshReadOptions,
    work: &Work,
) -> PyResult<Scene<'static>> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        return run(py, &work.cancel, || solio::read_mesh_bytes(bytes, options, work));
    }
    let path: PathBuf = source.extract()?;
    run(py, &work.cancel, || solio::read_mesh(&path, options, work))
}

/// Writes `solio.Mesh`es and `solio.Instance`s to `path`. `slots` says, for each mesh, where its materials stand in
/// `materials`, or is `None` where they are `materials` themselves.
#[pyfunction]
#[allow(clippy::type_complexity)] // Python unpacks the tuple into a named one
pub(crate) fn write<'py>(
    py: Python<'py>,
    meshes: Vec<Any<'py>>,
    slots: Vec<Option<Vec<u32>>>,
    materials: Vec<Any<'py>>,
    path: PathBuf,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Vec<(OsString, u64)>, u64, u64, Vec<String>, Vec<GivenLoss>)> {
    let (options, work) = options::writing(options)?;
    let format = options.format.or_else(|| Format::of_name(&path));
    let Written { files, file_bytes, raw_bytes, warnings, losses } =
        with_scene(py, &meshes, slots, &materials, format, &work, |scene| {
            solio::write_mesh(scene, &path, &options, &work)
        })?;
    Ok((by_name(files), file_bytes, raw_bytes, warnings, given_losses(losses)))
}

/// The fields of Python's `Loss`.
pub(crate) type GivenLoss =
    (&'static str, String, Option<u64>, Option<&'static str>, Option<String>, Option<&'static str>);

/// What Python's `Loss` are made of.
pub(crate) fn given_losses(losses: Losses) -> Vec<GivenLoss> {
    let fields = |loss: Loss| {
        let text = loss.to_string();
        let (count, unit) = loss.amount.unzip();
        (loss.what, text, count, unit, loss.example, loss.option)
    };
    losses.into_iter().map(fields).collect()
}

/// Paths as texts.
pub(crate) fn by_name(files: Vec<(PathBuf, u64)>) -> Vec<(OsString, u64)> {
    files.into_iter().map(|(path, bytes)| (path.into_os_string(), bytes)).collect()
}

/// The bytes of the file that [`write`] would write.
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    meshes: Vec<Any<'py>>,
    slots: Vec<Option<Vec<u32>>>,
    materials: Vec<Any<'py>>,
    format: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (options, work) = options::writing(options)?;
    let format: Format = format
        .parse()
        .map_err(|e: solio::UnknownFormat| raise(py, &solio::Error::argument(e.to_string())))?;
    let bytes = with_scene(py, &meshes, slots, &materials, Some(format), &work, |scene| {
        solio::encode_mesh(scene, format, &options, &work)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The numbers below `count` that `indices`, a `uint32` array, does not hold.
#[pyfunction]
pub(crate) fn unused<'py>(
    py: Python<'py>,
    count: ArgumentOf<usize>,
    indices: PyReadonlyArray1<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let indices = indices.as_slice()?;
    let left = py.detach(|| solio::mesh::unused(count.0, indices));
    Ok(PyArray1::from_vec(py, left.map_err(|e| raise(py, &e))?))
}

/// Runs `job` on the scene of these Python objects, whose arrays stay where they are; for a `format` that has
/// instances with each mesh once.
fn with_scene<'py, T: Send>(
    py: Python<'py>,
    meshes: &[Any<'py>],
    slots: Vec<Option<Vec<u32>>>,
    materials: &[Any<'py>],
    format: Option<Format>,
    work: &Work,
    job: impl FnOnce(&Scene<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let held = HeldMeshes::new(py, meshes)?;
    let keeps = matches!(format, Some(Format::Gltf | Format::Glb)) && held.has_instances();
    let (meshes, instances) =
        if keeps { held.shared(slots) } else { (held.models(slots), Vec::new()) };
    let scene = Scene {
        meshes,
        instances,
        materials: materials.iter().map(material::take).collect::<PyResult<_>>()?,
        pictures: held.pictures(),
        comments: held.comments(),
        material_libraries: held.material_libraries(),
        libraries_unread: held.libraries_unread(),
        ..Scene::default()
    };
    let scene = &scene;
    run(py, &work.cancel, move || job(scene))
}
