//! From what was typed to the options of the engine.

use crate::args::{
    ColorsChoice, ConvertArgs, Endian, InstancesChoice, ReadArgs, RecordArgs, WorkArgs, WriteArgs,
};
use solio::mesh::axes::Axis;
use solio::mesh::obj::{MtlWriteOptions, NonFinite, ObjWriteOptions};
use solio::mesh::ply::{PlyColorType, PlyColors, PlyFormat, PlyWriteOptions};
use solio::mesh::stl::StlWriteOptions;
use solio::{
    Compression, Digits, Error, Family, Format, FormatOption, MeshReadOptions, MeshWriteOptions,
    Record, Result, Work,
};
use std::path::Path;

/// Threads and memory; the work stops at Ctrl-C.
pub fn work(args: &WorkArgs) -> Result<Work> {
    let mut work = Work::default();
    if let Some(jobs) = args.jobs {
        work.threads = usize::from(jobs);
    }
    if let Some(bytes) = args.mem {
        work.memory_bytes = bytes;
    }
    solio::cancel_on_signals(&work.cancel)?;
    Ok(work)
}

/// Which files the run is recorded into.
pub fn record(args: &RecordArgs) -> Record {
    Record { trace: args.trace.clone(), report: args.report.clone() }
}

pub(crate) fn read(args: &ReadArgs) -> MeshReadOptions {
    let mut options = MeshReadOptions {
        format: args.input_format,
        strict: args.strict,
        ..MeshReadOptions::default()
    };
    (options.obj.double, options.ply.double) = (args.double, args.double);
    options.obj.encoding = args.encoding;
    (options.ply.encoding, options.stl.encoding) = (args.encoding, args.encoding);
    if let Some(base) = args.index_base {
        options.obj.index_base = base;
    }
    options.stl.merge = !args.no_merge_vertices;
    options.gltf.keep_instances = args.instances.is_some_and(|how| how != InstancesChoice::Flat);
    options.gltf.outside_files = args.outside_files;
    options
}

/// The axes, forward and up, of a conversion: those of the input, and those of the output.
struct ConversionAxes {
    source: (Axis, Axis),
    target: (Axis, Axis),
}

impl ConversionAxes {
    /// A file's axes are by custom those of Blender's exporter for its format. Without a wish the
    /// coordinates stay as they are.
    fn new(args: &WriteArgs, input: Option<Format>) -> ConversionAxes {
        let custom = match input {
            Some(Format::Obj | Format::Gltf | Format::Glb) | None => (Axis::NegativeZ, Axis::Y),
            Some(_) => (Axis::Y, Axis::Z),
        };
        let source = ConversionAxes::pair(args.source_forward_axis, args.source_up_axis, custom);
        ConversionAxes {
            source,
            target: ConversionAxes::pair(args.forward_axis, args.up_axis, source),
        }
    }

    /// Forward and up. One that is named alone, on the other's line, moves that to where it is
    /// by custom: `--up-axis Z` makes Y forward.
    fn pair(forward: Option<Axis>, up: Option<Axis>, else_: (Axis, Axis)) -> (Axis, Axis) {
        match (forward, up) {
            (Some(forward), None) if forward.is_along(else_.1) => {
                (forward, if forward.is_along(Axis::Y) { Axis::Z } else { Axis::Y })
            }
            (None, Some(up)) if up.is_along(else_.0) => {
                (if up.is_along(Axis::Z) { Axis::Y } else { Axis::NegativeZ }, up)
            }
            _ => (forward.unwrap_or(else_.0), up.unwrap_or(else_.1)),
        }
    }
}

/// # Errors
/// `Argument` where axes are named that cannot be forward and up.
pub(crate) fn check_axes(args: &WriteArgs) -> Result<()> {
    for (forward, up, word) in [
        (args.source_forward_axis, args.source_up_axis, "source-"),
        (args.forward_axis, args.up_axis, ""),
    ] {
        if forward.zip(up).is_some_and(|(forward, up)| forward.is_along(up)) {
            let words = format!("--{word}forward-axis and --{word}up-axis lie on one line");
            return Err(Error::argument(words));
        }
    }
    Ok(())
}

/// That the options of writing say something about meshes of this format.
pub(crate) fn check_format(args: &ConvertArgs, format: Format) -> Result<()> {
    let name = format.as_str().to_uppercase();
    for option in FormatOption::ALL.iter().filter(|option| is_of_meshes(option)) {
        if args.given.has_name(option.flag) && !option.kinds.contains(&format.kind()) {
            return Err(Error::argument(format!("--{} does nothing for {name}", option.flag))
                .hint(format!("leave it out; it is of {}", option.formats_text())));
        }
    }
    let write = &args.write;
    if write.digits.is_some() && format != Format::Obj && !write.ascii {
        let message = format!("--digits does nothing for binary {name}");
        return Err(Error::argument(message).hint("add --ascii, or leave it out"));
    }
    let by_name = || Compression::of_name(&args.output.to_string_lossy());
    let compression = write.compress.map_or_else(by_name, Into::into);
    if write.level.is_some() && compression == Compression::None {
        let message = "--level does nothing for what is not compressed";
        return Err(Error::argument(message)
            .hint("add --compress, name the output .gz or .zst, or leave it out"));
    }
    if write.export_colors == Some(ColorsChoice::Linear) && format == Format::Obj {
        let message = "the colours of an OBJ are sRGB";
        return Err(Error::argument(message).hint("--export-colors=srgb, or leave it out"));
    }
    Ok(())
}

fn is_of_meshes(option: &FormatOption) -> bool {
    option.kinds.iter().any(|kind| kind.family() == Family::Mesh)
}

/// The options for writing what `input`, of the format `read_as`, holds.
pub(crate) fn write(
    args: &WriteArgs,
    read_as: Option<Format>,
    input: &Path,
    format: Option<Format>,
) -> MeshWriteOptions {
    let axes = ConversionAxes::new(args, read_as);
    let mut options = MeshWriteOptions {
        format,
        compression: args.compress.map(Into::into),
        level: args.level,
        durable: args.durable,
        stl_batch: args.use_batch,
        // What comes through a pipe lay somewhere else.
        texture_root: input.parent().filter(|_| !solio_io::is_direct(input)).map(Path::to_owned),
        ..MeshWriteOptions::default()
    };
    if let Some(mode) = args.path_mode {
        options.path_mode = mode;
    }
    write_obj(args, &axes, &mut options.obj);
    write_mtl(args, &mut options.mtl);
    write_ply(args, &axes, &mut options.ply);
    write_stl(args, &axes, &mut options.stl);
    set(&mut options.spz.version, args.spz_version);
    set(&mut options.spz.harmonic_bits, args.harmonic_bits);
    options
}

/// Sets fields of `$options` to the arguments of the same names that were given.
macro_rules! set_same {
    ($options:ident, $args:ident => $($name:ident),* $(,)?) => {
        $(set(&mut $options.$name, $args.$name);)*
    };
}

fn write_obj(args: &WriteArgs, axes: &ConversionAxes, obj: &mut ObjWriteOptions) {
    obj.source_axes = axes.source;
    (obj.forward_axis, obj.up_axis) = axes.target;
    set_same!(obj, args =>
        global_scale, export_uv, export_normals, export_alpha, export_materials,
        export_triangulated_mesh, export_object_groups, export_material_groups,
        export_vertex_groups, export_smooth_groups, export_groups, sort_by_material);
    set(&mut obj.export_colors, args.export_colors.map(|c| c != ColorsChoice::None));
    set(&mut obj.spaces_to_underscores, args.underscores);
    obj.material_library.clone_from(&args.mtl);
    obj.merge = !args.no_merge;
    set_comments(&mut obj.comments, args);
    if let Some(digits) = args.digits {
        obj.position_digits = digits;
        obj.uv_digits = digits;
        obj.normal_digits = digits;
        obj.color_digits = digits;
    }
    if args.allow_non_finite {
        obj.non_finite = NonFinite::Write;
    }
}

fn write_mtl(args: &WriteArgs, mtl: &mut MtlWriteOptions) {
    set(&mut mtl.sort, args.sort_by_material);
    set(&mut mtl.spaces_to_underscores, args.underscores);
    set(&mut mtl.digits, args.digits);
    set_comments(&mut mtl.comments, args);
}

fn write_ply(args: &WriteArgs, axes: &ConversionAxes, ply: &mut PlyWriteOptions) {
    ply.source_axes = axes.source;
    (ply.forward_axis, ply.up_axis) = axes.target;
    set_same!(ply, args =>
        global_scale, export_uv, export_normals, export_attributes, export_triangulated_mesh, digits);
    set_comments(&mut ply.comments, args);
    let colors = args.export_colors.map(|choice| match choice {
        ColorsChoice::None => PlyColors::None,
        ColorsChoice::Srgb => PlyColors::Srgb,
        ColorsChoice::Linear => PlyColors::Linear,
    });
    set(&mut ply.export_colors, colors);
    ply.pack_splats = args.pack_splats;
    if args.float_colors {
        ply.color_type = PlyColorType::F32;
    }
    ply.format = match (args.ascii, args.endian) {
        (true, _) => PlyFormat::Ascii,
        (false, Some(Endian::Big)) => PlyFormat::BinaryBigEndian,
        (false, _) => PlyFormat::BinaryLittleEndian,
    };
}

fn write_stl(args: &WriteArgs, axes: &ConversionAxes, stl: &mut StlWriteOptions) {
    stl.source_axes = axes.source;
    (stl.forward_axis, stl.up_axis) = axes.target;
    set_same!(stl, args => global_scale, digits);
    stl.ascii_format = args.ascii;
}

fn set_comments(comments: &mut Vec<String>, args: &WriteArgs) {
    if !args.comment.is_empty() {
        comments.clone_from(&args.comment);
    }
}

fn set<T>(field: &mut T, wish: Option<T>) {
    if let Some(value) = wish {
        *field = value;
    }
}

/// What the digits of the demo's comparison allow: half a unit of the last digit.
pub(crate) fn rounding(digits: Digits) -> f64 {
    match digits {
        Digits::Fixed(n) => 0.5 * 10f64.powi(-i32::from(n)),
        Digits::Shortest => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, WRITING};
    use clap::CommandFactory;
    use solio::OptionValues;

    #[test]
    fn the_table_of_options_is_the_options_of_convert() {
        let mut root = Cli::command();
        root.build();
        let convert = root.find_subcommand("convert").unwrap();
        for option in FormatOption::ALL {
            let arg = convert.get_arguments().find(|arg| arg.get_long() == Some(option.flag));
            let arg = arg.unwrap_or_else(|| panic!("there is no --{}", option.flag));
            assert_eq!(arg.get_help().unwrap().to_string(), option.help_text());
        }
        // Nothing that is said of writing meshes is missing but for what all files have.
        let of_writing = convert.get_arguments().filter(|a| a.get_help_heading() == Some(WRITING));
        for name in of_writing.filter_map(|arg| arg.get_long()).filter(|name| *name != "durable") {
            assert!(FormatOption::of_flag(name).is_some(), "--{name} is not in the table");
        }
    }

    #[test]
    fn the_table_of_options_has_the_defaults_of_the_engine() {
        let (obj, ply) = (ObjWriteOptions::default(), PlyWriteOptions::default());
        let engine = [
            ("export-uv", vec![obj.export_uv, ply.export_uv]),
            ("export-normals", vec![obj.export_normals, ply.export_normals]),
            ("export-materials", vec![obj.export_materials]),
            ("export-alpha", vec![obj.export_alpha]),
            ("export-attributes", vec![ply.export_attributes]),
            (
                "export-triangulated-mesh",
                vec![obj.export_triangulated_mesh, ply.export_triangulated_mesh],
            ),
            ("export-object-groups", vec![obj.export_object_groups]),
            ("export-material-groups", vec![obj.export_material_groups]),
            ("export-vertex-groups", vec![obj.export_vertex_groups]),
            ("export-smooth-groups", vec![obj.export_smooth_groups]),
            ("export-groups", vec![obj.export_groups]),
            ("sort-by-material", vec![obj.sort_by_material]),
            ("underscores", vec![obj.spaces_to_underscores]),
        ];
        let switches = |option: &&FormatOption| option.values == OptionValues::YesNo;
        assert_eq!(FormatOption::ALL.iter().filter(switches).count(), engine.len());
        for (flag, defaults) in engine {
            let told = FormatOption::of_flag(flag).unwrap().default.starts_with("yes");
            assert!(defaults.iter().all(|default| *default == told), "--{flag}: {defaults:?}");
        }
    }
}
