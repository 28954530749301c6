//! The arguments about meshes: how they are read and written.

use super::shared::{bounds, described, parse_axis};
use super::typed_options::{READING, WRITING};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, Args, ValueEnum};
use solio::mesh::TextEncoding;
use solio::mesh::axes::Axis;
use solio::{Compression, Digits, Format, PathMode, SceneInstances};
use std::any::TypeId;

#[derive(Debug, Args)]
#[command(next_help_heading = READING)]
pub(crate) struct ReadArgs {
    /// Input format; otherwise told by name and content
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) input_format: Option<Format>,
    /// Reject files that violate the spec
    #[arg(long, overrides_with = "lenient")]
    pub(crate) strict: bool,
    /// Warn about and skip spec violations (the default)
    #[arg(long, overrides_with = "strict")]
    pub(crate) lenient: bool,
    /// What an OBJ file calls its first vertex
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) index_base: Option<u8>,
    /// Read positions of OBJ and ASCII PLY in double precision, also where the text does not need it
    #[arg(long)]
    pub(crate) double: bool,
    /// Encoding of names in OBJ, MTL, PLY and STL: utf-8, gbk, shift-jis, latin-1 …
    #[arg(long, value_name = "NAME", value_parser = parse_encoding)]
    pub(crate) encoding: Option<TextEncoding>,
    /// Keep the three separate vertices of each STL triangle
    #[arg(long)]
    pub(crate) no_merge_vertices: bool,
    /// Instances of a glTF or of a scene: written out, or kept for a glTF that is written, as nodes or as
    /// arrays (EXT_mesh_gpu_instancing) [default: flat; gpu for a scene written as glTF]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) instances: Option<InstancesChoice>,
    /// Follow references of a glTF to files outside of its folder
    #[arg(long)]
    pub(crate) outside_files: bool,
}

/// What becomes of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InstancesChoice {
    /// Arrays of transforms (EXT_mesh_gpu_instancing)
    Gpu,
    /// A node for each, with the same mesh
    #[value(alias = "keep")]
    Nodes,
    /// A mesh for each, where it is
    #[value(alias = "write-out")]
    Flat,
}

impl From<InstancesChoice> for SceneInstances {
    fn from(choice: InstancesChoice) -> SceneInstances {
        match choice {
            InstancesChoice::Gpu => SceneInstances::Gpu,
            InstancesChoice::Nodes => SceneInstances::Nodes,
            InstancesChoice::Flat => SceneInstances::Flat,
        }
    }
}

// Options of Blender's exporters, with Blender's names; the table of options says what they do.
#[derive(Debug, Args)]
#[command(next_help_heading = WRITING, mut_args(|arg| described(yes_or_no(arg))))]
pub(crate) struct WriteArgs {
    #[arg(long, value_name = "N|shortest", value_parser = parse_digits)]
    pub(crate) digits: Option<Digits>,
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) forward_axis: Option<Axis>,
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) up_axis: Option<Axis>,
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) source_forward_axis: Option<Axis>,
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) source_up_axis: Option<Axis>,
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, value_parser = parse_scale)]
    pub(crate) global_scale: Option<f64>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_uv: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_normals: Option<bool>,
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "srgb")]
    pub(crate) export_colors: Option<ColorsChoice>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_alpha: Option<bool>,
    #[arg(long)]
    pub(crate) float_colors: bool,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_materials: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_attributes: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_triangulated_mesh: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_object_groups: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_material_groups: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_vertex_groups: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_smooth_groups: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) export_groups: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) sort_by_material: Option<bool>,
    #[arg(long, value_parser = parse_bool)]
    pub(crate) underscores: Option<bool>,
    #[arg(long, value_name = "NAME")]
    pub(crate) mtl: Option<String>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Vec<String>,
    #[arg(long, overrides_with = "no_merge")]
    pub(crate) merge: bool,
    #[arg(long, overrides_with = "merge")]
    pub(crate) no_merge: bool,
    #[arg(long)]
    pub(crate) ascii: bool,
    #[arg(long)]
    pub(crate) pack_splats: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(bounds("spz-version")))]
    pub(crate) spz_version: Option<u8>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(bounds("harmonic-bits")))]
    pub(crate) harmonic_bits: Option<u8>,
    #[arg(long)]
    pub(crate) use_batch: bool,
    #[arg(long, value_enum, conflicts_with = "ascii")]
    pub(crate) endian: Option<Endian>,
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) compress: Option<Compress>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-7..=22))]
    pub(crate) level: Option<i32>,
    #[arg(long, value_name = "MODE", value_parser = |text: &str| text.parse::<PathMode>())]
    pub(crate) path_mode: Option<PathMode>,
    #[arg(long)]
    pub(crate) allow_non_finite: bool,
    /// fsync outputs before returning
    #[arg(long)]
    pub(crate) durable: bool,
}

/// Options that are yes or no may stand without either, for yes; flags take no value.
fn yes_or_no(arg: Arg) -> Arg {
    let is_bool = arg.get_value_parser().type_id() == TypeId::of::<bool>();
    if !is_bool || !matches!(arg.get_action(), ArgAction::Set) {
        return arg;
    }
    arg.value_name("yes|no").num_args(0..=1).require_equals(true).default_missing_value("yes")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    None,
    Gz,
    Zst,
}

impl From<Compress> for Compression {
    fn from(choice: Compress) -> Compression {
        match choice {
            Compress::None => Compression::None,
            Compress::Gz => Compression::Gzip,
            Compress::Zst => Compression::Zstd,
        }
    }
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::as_str))
        .try_map(|name| name.parse::<Format>())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Endian {
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorsChoice {
    None,
    Srgb,
    Linear,
}

fn parse_digits(text: &str) -> Result<Digits, String> {
    if text.eq_ignore_ascii_case("shortest") {
        return Ok(Digits::Shortest);
    }
    match text.parse::<u8>() {
        Ok(n) if n <= Digits::MAX_FIXED => Ok(Digits::Fixed(n)),
        _ => Err(format!("use 0 to {} or shortest", Digits::MAX_FIXED)),
    }
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let is_float = |scale: &f64| (*scale as f32).is_finite() && *scale as f32 > 0.0;
    let scale = text.parse().ok().filter(is_float);
    scale.ok_or_else(|| "use a number above 0, in the range of floats".into())
}

fn parse_encoding(label: &str) -> Result<TextEncoding, String> {
    let known = TextEncoding::of_label(label);
    known.ok_or_else(|| "use the name of an encoding, such as utf-8, gbk or latin-1".into())
}

fn parse_bool(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Ok(true),
        "no" | "false" | "off" | "0" => Ok(false),
        _ => Err("use yes or no".into()),
    }
}
