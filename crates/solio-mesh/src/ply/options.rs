//! What a caller may choose about PLY.

use crate::axes::Axis;
use crate::material::Material;
use crate::{MeshSkip, TextEncoding};
use solio_base::{Limits, named_enum};
use solio_codec::number::Digits;

/// How a PLY file is read.
#[derive(Clone, Debug, Default)]
pub struct PlyReadOptions {
    /// Refuse what the specification does not allow instead of passing over it with a warning.
    pub strict: bool,
    /// Read positions of text as doubles, also where it does not need them.
    pub double: bool,
    /// What is not wanted.
    pub skip: MeshSkip,
    /// The encoding of names and comments that are not ASCII. `None` guesses it where they are not UTF-8.
    pub encoding: Option<TextEncoding>,
    /// Bounds.
    pub limits: Limits,
}

named_enum! {
    /// The three encodings of PLY.
    #[derive(Default, Hash)]
    pub enum PlyFormat {
        /// Text.
        Ascii = "ascii",
        /// Binary, least significant byte first.
        #[default]
        BinaryLittleEndian = "binary_little_endian",
        /// Binary, most significant byte first.
        BinaryBigEndian = "binary_big_endian",
    }

    /// The name in the header's `format` line.
    pub fn name;
}

/// Which vertex colours a PLY file gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlyColors {
    /// No colours.
    None,
    /// In sRGB, converted where the mesh has linear ones.
    #[default]
    Srgb,
    /// In linear light, converted where the mesh has sRGB ones.
    Linear,
}

/// The scalar type of colours in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlyColorType {
    /// `uchar`, 0 to 255.
    #[default]
    U8,
    /// `float`, 0 to 1.
    F32,
}

/// How a PLY file is written. The names and defaults are those of Blender's exporter, except
/// where a field says otherwise.
#[derive(Clone, Debug)]
pub struct PlyWriteOptions {
    /// Text or binary. Blender's `ascii_format` is [`PlyFormat::Ascii`].
    pub format: PlyFormat,
    /// Lines after `format`, before those of the scene: written as `comment …`; one that starts
    /// with `obj_info ` is written as it is.
    pub comments: Vec<String>,
    /// Which axis of the file is forward.
    pub forward_axis: Axis,
    /// Which axis of the file is up.
    pub up_axis: Axis,
    /// The axes of the data in memory, forward and up (Blender's are Y and Z).
    pub source_axes: (Axis, Axis),
    /// Factor on positions, above 0.
    pub global_scale: f64,
    /// Apply each object's transform.
    pub apply_transform: bool,
    /// Write UVs. A vertex with several UVs becomes several vertices.
    pub export_uv: bool,
    /// Write normals where the mesh has them (Blender: no).
    pub export_normals: bool,
    /// Write vertex colours.
    pub export_colors: PlyColors,
    /// Write [`Mesh::attributes`](crate::Mesh::attributes).
    pub export_attributes: bool,
    /// Split faces of four corners and more into triangles.
    pub export_triangulated_mesh: bool,
    /// Type of the colours.
    pub color_type: PlyColorType,
    /// The scene's materials as the comments name their textures, where the file's folder leads
    /// there by other paths.
    pub materials: Option<Vec<Material>>,
    /// Digits of floats in text. [`Digits::Shortest`] writes what Blender writes.
    pub digits: Digits,
    /// Write Gaussian splats as SuperSplat packs them: a quarter of the size and less, and less exact.
    pub pack_splats: bool,
    /// Do as Blender 5.2 does even where that loses data: colours are cut to 8 bits instead of
    /// rounded, the scene's comments are left out, faces of mirrored objects are inside out, and
    /// edges of the second and later meshes are numbered from 0.
    pub blender_quirks: bool,
}

impl Default for PlyWriteOptions {
    fn default() -> Self {
        PlyWriteOptions {
            format: PlyFormat::default(),
            comments: vec!["Solio".into()],
            forward_axis: Axis::Y,
            up_axis: Axis::Z,
            source_axes: (Axis::Y, Axis::Z),
            global_scale: 1.0,
            apply_transform: true,
            export_uv: true,
            export_normals: true,
            export_colors: PlyColors::Srgb,
            export_attributes: true,
            export_triangulated_mesh: false,
            color_type: PlyColorType::U8,
            materials: None,
            digits: Digits::Shortest,
            pack_splats: false,
            blender_quirks: false,
        }
    }
}
