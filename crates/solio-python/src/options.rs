//! Keyword arguments become the engine's options. A missing or `None` argument keeps its default.

use crate::errors::{argument, raise, refused};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use solio::mesh::axes::Axis;
use solio::mesh::gltf::GltfInstances;
use solio::mesh::obj::NonFinite;
use solio::mesh::ply::{PlyColorType, PlyColors, PlyFormat, PlyWriteOptions};
use solio::mesh::stl::StlWriteOptions;
use solio::mesh::{MeshSkip, TextEncoding};
use solio::{Digits, Filter, FilterOptions, Format, MeshReadOptions, MeshWriteOptions, Work};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::str::FromStr;

/// The arguments of one call; remembers which names were asked for.
pub(crate) struct CallArguments<'py> {
    dict: Bound<'py, PyDict>,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'py> CallArguments<'py> {
    pub(crate) fn new(dict: &Bound<'py, PyDict>) -> Self {
        CallArguments { dict: dict.clone(), known: RefCell::default() }
    }

    fn any(&self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.known.borrow_mut().insert(name);
        Ok(self.dict.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// Sets `field` from argument `name`, read by `parse`.
    pub(crate) fn with<T>(
        &self,
        name: &'static str,
        field: &mut T,
        parse: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<()> {
        if let Some(value) = self.any(name)? {
            *field = parse(&value).map_err(|e| refused(value.py(), name, e))?;
        }
        Ok(())
    }

    /// Refuses names that nothing asked for.
    pub(crate) fn finish(self) -> PyResult<()> {
        let known = self.known.borrow();
        for name in self.dict.keys() {
            let name: String = name.extract()?;
            if !known.contains(name.as_str()) {
                return Err(PyTypeError::new_err(format!("unknown option {name}")));
            }
        }
        Ok(())
    }
}

/// What is left out of folders.
pub(crate) fn filter(given: &CallArguments<'_>, py: Python<'_>) -> PyResult<Filter> {
    let mut options = FilterOptions::default();
    let mut kinds = Vec::<String>::new();
    given.with("exclude", &mut options.exclude, plain)?;
    given.with("include", &mut options.include, plain)?;
    given.with("ignore_files", &mut options.ignore_files, plain)?;
    given.with("no_ignore", &mut options.no_ignore, plain)?;
    given.with("keep_all", &mut options.all, plain)?;
    given.with("no_hidden", &mut options.no_hidden, plain)?;
    given.with("one_file_system", &mut options.one_file_system, plain)?;
    given.with("kinds", &mut kinds, plain)?;
    given.with("max_depth", &mut options.max_depth, |it| plain(it).map(Some))?;
    given.with("min_bytes", &mut options.min_bytes, |it| plain(it).map(Some))?;
    given.with("max_bytes", &mut options.max_bytes, |it| plain(it).map(Some))?;
    if !kinds.is_empty() {
        options.kind = Some(solio::kind_test(&kinds).map_err(|e| raise(py, &e))?);
    }
    Filter::new(&options).map_err(|e| raise(py, &e))
}

pub(crate) fn plain<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    value.extract::<T>().map_err(Into::into)
}

fn named_value<T: FromStr<Err: std::fmt::Display>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let name: String = value.extract()?;
    name.parse().map_err(|e| argument(format!("{e}")))
}

fn axis(value: &Bound<'_, PyAny>) -> PyResult<Axis> {
    let name: String = value.extract()?;
    Axis::from_name(&name).ok_or_else(|| argument(format!("no such axis: {name}")))
}

fn axes(value: &Bound<'_, PyAny>) -> PyResult<(Axis, Axis)> {
    let (forward, up): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
    Ok((axis(&forward)?, axis(&up)?))
}

fn encoding(value: &Bound<'_, PyAny>) -> PyResult<Option<TextEncoding>> {
    let label: String = value.extract()?;
    let known = TextEncoding::of_label(&label);
    known.map(Some).ok_or_else(|| argument(format!("no such encoding: {label}")))
}

/// A number of digits, or `"shortest"`.
fn digits(value: &Bound<'_, PyAny>) -> PyResult<Digits> {
    if let Ok(name) = value.cast::<PyString>() {
        return match name.to_str()? {
            "shortest" => Ok(Digits::Shortest),
            other => Err(argument(format!("not a number of digits: {other}"))),
        };
    }
    let count: u8 = value.extract()?;
    if count > Digits::MAX_FIXED {
        return Err(argument(format!("at most {} digits", Digits::MAX_FIXED)));
    }
    Ok(Digits::Fixed(count))
}

fn non_finite(value: &Bound<'_, PyAny>) -> PyResult<NonFinite> {
    match value.extract::<String>()?.as_str() {
        "refuse" => Ok(NonFinite::Refuse),
        "write" => Ok(NonFinite::Write),
        other => Err(argument(format!("\"{other}\"; known: refuse, write"))),
    }
}

fn gltf_instances(value: &Bound<'_, PyAny>) -> PyResult<GltfInstances> {
    let name: String = value.extract()?;
    GltfInstances::of_name(&name).ok_or_else(|| argument(format!("\"{name}\"; known: nodes, gpu")))
}

fn format(value: &Bound<'_, PyAny>) -> PyResult<Option<Format>> {
    named_value(value).map(Some)
}

/// What a reader leaves out, by names.
fn skip(value: &Bound<'_, PyAny>) -> PyResult<MeshSkip> {
    let mut skip = MeshSkip::default();
    for name in value.try_iter()? {
        match name?.extract::<String>()?.as_str() {
            "normals" => skip.normals = true,
            "uvs" => skip.uvs = true,
            "colors" => skip.colors = true,
            "attributes" => skip.attributes = true,
            other => {
                let known = "known: normals, uvs, colors, attributes";
                return Err(argument(format!("\"{other}\"; {known}")));
            }
        }
    }
    Ok(skip)
}

/// How the call may use the machine.
pub(crate) fn work(arguments: &CallArguments<'_>) -> PyResult<Work> {
    let mut work = Work::default();
    arguments.with("threads", &mut work.threads, plain)?;
    arguments.with("memory", &mut work.memory_bytes, plain)?;
    work.threads = work.threads.max(1);
    Ok(work)
}

/// The options of a read, and how it may use the machine.
pub(crate) fn reading(dict: &Bound<'_, PyDict>) -> PyResult<(MeshReadOptions, Work)> {
    let given = CallArguments::new(dict);
    let mut options = MeshReadOptions::default();
    given.with("format", &mut options.format, format)?;
    given.with("strict", &mut options.strict, plain)?;
    given.with("skip_materials", &mut options.skip_materials, plain)?;
    given.with("skip", &mut options.skip, skip)?;
    given.with("double", &mut options.obj.double, plain)?;
    options.ply.double = options.obj.double;
    given.with("encoding", &mut options.obj.encoding, encoding)?;
    options.ply.encoding = options.obj.encoding;
    options.stl.encoding = options.obj.encoding;
    given.with("merge", &mut options.stl.merge, plain)?;
    given.with("facet_normals", &mut options.stl.normals, plain)?;
    given.with("index_base", &mut options.obj.index_base, plain)?;
    given.with("max_bytes", &mut options.limits.bytes, plain)?;
    given.with("max_elements", &mut options.limits.elements, plain)?;
    let work = work(&given)?;
    given.finish()?;
    Ok((options, work))
}

/// The options of a write, and how it may use the machine.
pub(crate) fn writing(dict: &Bound<'_, PyDict>) -> PyResult<(MeshWriteOptions, Work)> {
    let given = CallArguments::new(dict);
    let mut options = MeshWriteOptions::default();
    given.with("format", &mut options.format, format)?;
    given.with("level", &mut options.level, |v| plain(v).map(Some))?;
    given.with("durable", &mut options.durable, plain)?;
    given.with("path_mode", &mut options.path_mode, named_value)?;
    given.with("texture_root", &mut options.texture_root, |v| plain(v).map(Some))?;
    given.with("replace_textures", &mut options.replace_textures, plain)?;
    given.with("stl_batch", &mut options.stl_batch, plain)?;
    given.with("strict_loss", &mut options.strict_loss, plain)?;
    given.with("instances", &mut options.gltf.instances, gltf_instances)?;
    obj(&given, &mut options)?;
    ply(&given, &mut options.ply)?;
    stl(&given, &mut options.stl)?;
    given.with("spz_version", &mut options.spz.version, plain)?;
    given.with("harmonic_bits", &mut options.spz.harmonic_bits, plain)?;
    let work = work(&given)?;
    given.finish()?;
    Ok((options, work))
}

/// Sets fields of `$options` from the arguments of the same names, read by `$parse`.
macro_rules! set {
    ($given:ident, $options:expr, $parse:expr => $($name:ident),* $(,)?) => {
        $($given.with(stringify!($name), &mut $options.$name, $parse)?;)*
    };
}

fn obj(given: &CallArguments<'_>, options: &mut MeshWriteOptions) -> PyResult<()> {
    let obj = &mut options.obj;
    given.with("digits", &mut obj.position_digits, digits)?;
    given.with("digits", &mut obj.uv_digits, digits)?;
    given.with("digits", &mut obj.normal_digits, digits)?;
    given.with("digits", &mut obj.color_digits, digits)?;
    set!(given, obj, plain =>
        comments, global_scale, apply_transform, export_uv, export_normals, export_materials,
        export_object_groups, export_material_groups, export_vertex_groups, export_smooth_groups,
        export_groups, export_alpha, export_triangulated_mesh, sort_by_material, spaces_to_underscores, merge,
        epilogue);
    set!(given, obj, axis => forward_axis, up_axis);
    set!(given, obj, axes => source_axes);
    set!(given, obj, digits => position_digits, uv_digits, normal_digits, color_digits);
    set!(given, obj, non_finite => non_finite);
    given.with("export_colors", &mut obj.export_colors, |v| Ok(colors(v)? != PlyColors::None))?;
    given.with("material_library", &mut obj.material_library, |v| plain(v).map(Some))?;
    let mtl = &mut options.mtl;
    given.with("digits", &mut mtl.digits, digits)?;
    given.with("material_comments", &mut mtl.comments, plain)?;
    given.with("sort_materials", &mut mtl.sort, plain)
}

fn ply(given: &CallArguments<'_>, ply: &mut PlyWriteOptions) -> PyResult<()> {
    set!(given, ply, plain =>
        comments, global_scale, apply_transform, export_uv, export_normals, export_attributes,
        export_triangulated_mesh, pack_splats, blender_quirks);
    set!(given, ply, axis => forward_axis, up_axis);
    set!(given, ply, axes => source_axes);
    set!(given, ply, digits => digits);
    set!(given, ply, colors => export_colors);
    given.with("float_colors", &mut ply.color_type, |v| {
        Ok(if plain(v)? { PlyColorType::F32 } else { PlyColorType::U8 })
    })?;
    let (mut ascii, mut big_endian) = (false, false);
    given.with("ascii_format", &mut ascii, plain)?;
    given.with("big_endian", &mut big_endian, plain)?;
    ply.format = match (ascii, big_endian) {
        (true, _) => PlyFormat::Ascii,
        (false, true) => PlyFormat::BinaryBigEndian,
        (false, false) => PlyFormat::BinaryLittleEndian,
    };
    Ok(())
}

fn stl(given: &CallArguments<'_>, stl: &mut StlWriteOptions) -> PyResult<()> {
    set!(given, stl, plain => ascii_format, name, global_scale, apply_transform);
    set!(given, stl, axis => forward_axis, up_axis);
    set!(given, stl, axes => source_axes);
    set!(given, stl, digits => digits);
    Ok(())
}

/// Yes and no, or the space that PLY is to have.
fn colors(value: &Bound<'_, PyAny>) -> PyResult<PlyColors> {
    if let Ok(yes) = value.cast::<PyBool>() {
        return Ok(if yes.is_true() { PlyColors::Srgb } else { PlyColors::None });
    }
    match value.extract::<String>()?.as_str() {
        "none" => Ok(PlyColors::None),
        "srgb" => Ok(PlyColors::Srgb),
        "linear" => Ok(PlyColors::Linear),
        other => Err(argument(format!("\"{other}\"; known: none, srgb, linear"))),
    }
}
