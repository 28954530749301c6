//! The table of options of writing: which formats have each, what it takes, and what it does. The
//! command's help and its refusals, Python, Blender and the documents take them from here.

use crate::FileKind::{self, Exr, Glb, Gltf, Jpeg, Obj, Off, Ply, Png, Splat, Spz, Stl, Tiff};
use OptionValues::{Flag, Range, Text, YesNo};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionValues {
    /// Nothing: it stands or is left out.
    Flag,
    /// Yes or no.
    YesNo,
    /// A whole number between these, both included.
    Range(i64, i64),
    /// What stands here for it: `TEXT`.
    Text(&'static str),
}

/// An option of writing.
///
/// ```
/// use solio_kinds::{FileKind, FormatOption, OptionValues};
/// let quality = FormatOption::of_flag("quality").unwrap();
/// assert_eq!((quality.kinds, quality.values), (&[FileKind::Jpeg][..], OptionValues::Range(1, 100)));
/// assert_eq!(quality.help_text(), "JPEG: quality [1 to 100, default: 90]");
/// let flags = FormatOption::of_kind(FileKind::Stl).map(|option| option.flag);
/// assert!(flags.collect::<Vec<_>>().contains(&"use-batch"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormatOption {
    /// Its name on the command line, without dashes.
    pub flag: &'static str,
    /// The argument in Python; empty where a call says it in another way.
    pub python: &'static str,
    /// The formats that have it.
    pub kinds: &'static [FileKind],
    /// What it takes.
    pub values: OptionValues,
    /// What holds where it is left out; empty where that is nothing.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

impl FormatOption {
    /// All of them, those of meshes first.
    pub const ALL: &'static [FormatOption] = OPTIONS;

    /// The option of this name on the command line.
    pub fn of_flag(flag: &str) -> Option<&'static FormatOption> {
        OPTIONS.iter().find(|option| option.flag == flag)
    }

    /// The options that a format has.
    pub fn of_kind(kind: FileKind) -> impl Iterator<Item = &'static FormatOption> {
        OPTIONS.iter().filter(move |option| option.kinds.contains(&kind))
    }

    /// The bounds of a number.
    ///
    /// # Panics
    /// Where it takes none, which is a fault of the table.
    pub fn bounds(&self) -> std::ops::RangeInclusive<i64> {
        match self.values {
            Range(least, most) => least..=most,
            _ => panic!("--{} takes no number", self.flag),
        }
    }

    /// What it takes, for people: `yes or no`, `0 to 17`, `NAME`; empty for a flag.
    pub fn values_text(&self) -> String {
        match self.values {
            Flag => String::new(),
            YesNo => "yes or no".to_owned(),
            Range(least, most) => format!("{least} to {most}"),
            Text(what) => what.to_owned(),
        }
    }

    /// What it does, of which formats, with its range and default: a line of help.
    pub fn help_text(&self) -> String {
        let mut bounds = match self.values {
            Range(..) => vec![self.values_text()],
            _ => Vec::new(),
        };
        if !self.default.is_empty() {
            bounds.push(format!("default: {}", self.default));
        }
        let bounds =
            if bounds.is_empty() { String::new() } else { format!(" [{}]", bounds.join(", ")) };
        format!("{}: {}{bounds}", self.formats_text(), self.help)
    }

    /// The formats that have it, for people: `OBJ, PLY and STL`.
    pub fn formats_text(&self) -> String {
        let names: Vec<String> =
            self.kinds.iter().map(|kind| kind.as_str().to_uppercase()).collect();
        crate::listed(&names, "and")
    }
}

const fn option(
    flag: &'static str,
    python: &'static str,
    kinds: &'static [FileKind],
    values: OptionValues,
    default: &'static str,
    help: &'static str,
) -> FormatOption {
    FormatOption { flag, python, kinds, values, default, help }
}

const MESHES: &[FileKind] = &[Obj, Ply, Stl];
const ALL_MESHES: &[FileKind] = &[Obj, Ply, Stl, Off, Gltf, Glb, Splat];

#[rustfmt::skip]
const OPTIONS: &[FormatOption] = &[
    option("digits", "digits", MESHES, Text("0 to 17 or shortest"), "OBJ as Blender: 6, normals and colours 4; text of PLY and STL shortest",
        "digits after the point of all numbers of a text, MTL included"),
    option("forward-axis", "forward_axis", MESHES, Text("AXIS"), "as in the input", "axis that is forward in the output"),
    option("up-axis", "up_axis", MESHES, Text("AXIS"), "as in the input", "axis that is up in the output"),
    option("source-forward-axis", "", MESHES, Text("AXIS"), "-Z in OBJ, Y in PLY and STL", "axis that is forward in the input"),
    option("source-up-axis", "", MESHES, Text("AXIS"), "Y in OBJ, Z in PLY and STL", "axis that is up in the input"),
    option("global-scale", "global_scale", MESHES, Text("above 0"), "1", "factor on positions"),
    option("export-uv", "export_uv", &[Obj, Ply], YesNo, "yes", "texture coordinates"),
    option("export-normals", "export_normals", &[Obj, Ply], YesNo, "yes", "normals"),
    option("export-colors", "export_colors", &[Obj, Ply], Text("none, srgb or (PLY) linear"), "srgb", "colours of vertices"),
    option("export-alpha", "export_alpha", &[Obj], YesNo, "yes", "alpha behind the colours of vertices where some is not 1, as trimesh and MeshLab write it"),
    option("float-colors", "float_colors", &[Ply], Flag, "", "colours of vertices as floats, which keep what bytes cut"),
    option("export-materials", "export_materials", &[Obj], YesNo, "yes", "materials and the MTL file"),
    option("export-attributes", "export_attributes", &[Ply], YesNo, "yes", "all further attributes"),
    option("export-triangulated-mesh", "export_triangulated_mesh", MESHES, YesNo, "no; STL has nothing else", "split faces into triangles, by ear clipping"),
    option("export-object-groups", "export_object_groups", &[Obj], YesNo, "no", "objects as groups"),
    option("export-material-groups", "export_material_groups", &[Obj], YesNo, "no", "a group for each material"),
    option("export-vertex-groups", "export_vertex_groups", &[Obj], YesNo, "no", "a group for each vertex group"),
    option("export-smooth-groups", "export_smooth_groups", &[Obj], YesNo, "yes", "smoothing groups as they are, instead of on and off"),
    option("export-groups", "export_groups", &[Obj], YesNo, "yes", "the faces' own groups"),
    option("sort-by-material", "sort_by_material", &[Obj], YesNo, "no", "each object's faces sorted by material, and the MTL by name, as Blender does"),
    option("underscores", "spaces_to_underscores", &[Obj], YesNo, "no", "underscores for spaces in names, also of the MTL, as Blender does"),
    option("mtl", "material_library", &[Obj], Text("NAME"), "the output's name", "name of the MTL file"),
    option("comment", "comments", &[Obj, Ply], Text("TEXT"), "", "a comment line at the head, also of the MTL; may be given several times"),
    option("merge", "merge", &[Obj], Flag, "on", "merge equal UVs and normals"),
    option("no-merge", "", &[Obj], Flag, "", "write the UV and normal of every corner"),
    option("ascii", "ascii_format", &[Ply, Stl], Flag, "", "text instead of binary"),
    option("pack-splats", "pack_splats", &[Ply], Flag, "", "pack Gaussian splats as SuperSplat does; names that end in .compressed.ply do so by themselves"),
    option("spz-version", "spz_version", &[Spz], Range(2, 4), "4", "version of the file; older viewers know 2 and 3"),
    option("harmonic-bits", "harmonic_bits", &[Spz], Range(1, 8), "8", "bits of each harmonic of the colours; fewer make smaller files"),
    option("use-batch", "stl_batch", &[Stl], Flag, "", "a file for each object"),
    option("endian", "big_endian", &[Ply], Text("little or big"), "little", "byte order"),
    option("path-mode", "path_mode", &[Obj, Ply, Gltf, Glb], Text("auto, absolute, relative, match, strip or copy"), "auto", "how an MTL, a PLY or a glTF refers to textures; auto takes them into a GLB"),
    option("allow-non-finite", "non_finite", &[Obj], Flag, "", "write NaN and infinity instead of refusing them; PLY and STL always do"),
    option("compress", "", ALL_MESHES, Text("none, gz or zst"), "by the output's name", "compress, whatever the output is called"),
    option("level", "level", ALL_MESHES, Text("gz 0 to 12, zst -7 to 22"), "", "level of compression"),
    option("bits", "bits", &[Png, Tiff], Range(8, 32), "8", "bits of a value: PNG 8 or 16, TIFF 8, 16 or 32"),
    option("quality", "quality", &[Jpeg], Range(1, 100), "90", "quality"),
    option("compression", "compression", &[Exr], Text("METHOD[:LEVEL]"), "as the input; zip for other formats",
        "none, rle, zips, zip, piz, pxr24, b44, b44a, dwaa, dwab, zstd and others; zip:4 (0 to 12) and zstd:3 (-7 to 22) with a level, dwaa:45 and lj2k:110 with a loss"),
    option("compat", "", &[Exr], Flag, "", "compress as OpenEXR's library does by default: zip at level 4, zstd at level 5 and row by row"),
    option("tiles", "tiles", &[Exr], Text("N or WxH"), "", "cut into tiles of one level"),
    option("scanlines", "", &[Exr], Flag, "", "cut into scanlines; without it zstd makes wide tiles of them, which pack better"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ability;

    #[test]
    fn options_are_named_once_and_belong_to_what_is_written() {
        for (n, option) in OPTIONS.iter().enumerate() {
            assert!(
                OPTIONS[..n].iter().all(|before| before.flag != option.flag),
                "{}",
                option.flag
            );
            assert!(option.kinds.iter().all(|kind| kind.can(Ability::Write)), "{}", option.flag);
            assert!(!option.help.ends_with('.') && !option.help.is_empty(), "{}", option.flag);
        }
    }
}
