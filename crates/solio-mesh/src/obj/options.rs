//! What a caller may choose about OBJ and MTL.

use crate::TextEncoding;
use crate::axes::Axis;
use solio_base::Limits;
use solio_codec::number::Digits;

/// How an OBJ file is read.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::obj::{ObjReadOptions, decode_obj};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n"; // counted from 0
/// let read = |index_base| {
///     let options = ObjReadOptions { strict: true, index_base, ..ObjReadOptions::default() };
///     decode_obj(&&text[..], &options, &Work::serial())
/// };
/// assert_eq!(*read(0)?.meshes[0].corner_vertices, [0, 1, 2]);
/// assert_eq!(read(1).unwrap_err().line(), Some(4));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ObjReadOptions {
    /// Refuse what the specification does not allow instead of passing over it with a warning.
    pub strict: bool,
    /// Read positions as f64. Also without it they are where `f32` cannot hold what the text says of
    /// places far from the origin, as those of georeferenced models.
    pub double: bool,
    /// The encoding of names; `None` takes UTF-8, and guesses where it is none.
    pub encoding: Option<TextEncoding>,
    /// What the file's first index is called: 1, or 0 for files of some broken exporters.
    pub index_base: u8,
    /// Bounds.
    pub limits: Limits,
}

impl Default for ObjReadOptions {
    fn default() -> Self {
        ObjReadOptions {
            strict: false,
            double: false,
            encoding: None,
            index_base: 1,
            limits: Limits::default(),
        }
    }
}

/// What to do with NaN and infinity in an output.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, Scene, obj::{NonFinite, ObjWriteOptions, encode_obj}};
/// let positions = Positions::F32(vec![[0.0, f32::NAN, 0.0]].into());
/// let scene = Scene { meshes: vec![Mesh { positions, ..Mesh::default() }], ..Scene::default() };
/// let write = |non_finite, file: &mut Vec<u8>| {
///     let options = ObjWriteOptions { non_finite, ..ObjWriteOptions::default() };
///     encode_obj(&scene, &options, &Work::serial(), file)
/// };
/// assert!(write(NonFinite::Refuse, &mut Vec::new()).is_err());
/// let mut file = Vec::new();
/// write(NonFinite::Write, &mut file)?;
/// assert!(String::from_utf8_lossy(&file).contains("nan"));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonFinite {
    /// Fail, naming the element.
    #[default]
    Refuse,
    /// Write `nan`, `inf`, `-inf`.
    Write,
}

/// How an OBJ file is written. The names and defaults are those of Blender's exporter, except
/// where a field says otherwise.
///
/// ```
/// use solio_base::Work;
/// use solio_codec::number::Digits;
/// use solio_mesh::{Mesh, Positions, Scene, obj::{ObjWriteOptions, encode_obj}};
/// let positions = Positions::F32(vec![[0.1, 0.2, 1e-7]].into());
/// let scene = Scene { meshes: vec![Mesh { positions, ..Mesh::default() }], ..Scene::default() };
/// let options = ObjWriteOptions {
///     comments: Vec::new(),
///     position_digits: Digits::Shortest, // six digits would make 0 of the last number
///     ..ObjWriteOptions::default()
/// };
/// let mut file = Vec::new();
/// encode_obj(&scene, &options, &Work::serial(), &mut file)?;
/// assert_eq!(String::from_utf8_lossy(&file), "v 0.1 0.2 1e-7\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ObjWriteOptions {
    /// Comment lines at the head, without `# `.
    pub comments: Vec<String>,
    /// Name in `mtllib`; `None` writes no such line.
    pub material_library: Option<String>,
    /// Which axis of the file is forward.
    pub forward_axis: Axis,
    /// Which axis of the file is up.
    pub up_axis: Axis,
    /// The axes of the data in memory, forward and up (Blender's are Y and Z). Equal to the axes
    /// of the file means no conversion.
    pub source_axes: (Axis, Axis),
    /// Factor on positions, above 0.
    pub global_scale: f64,
    /// Apply each object's transform.
    pub apply_transform: bool,
    /// Write UVs.
    pub export_uv: bool,
    /// Write normals.
    pub export_normals: bool,
    /// Write vertex colours after the positions, in sRGB.
    pub export_colors: bool,
    /// Write the colours' alpha as a seventh number, where some is not 1, as trimesh and MeshLab do;
    /// Blender reads it and does not write it. Solio's addition.
    pub export_alpha: bool,
    /// Write `usemtl`.
    pub export_materials: bool,
    /// `g` lines with the object's and the mesh's name instead of `o`.
    pub export_object_groups: bool,
    /// A `g` line at each change of material.
    pub export_material_groups: bool,
    /// A `g` line with the heaviest vertex group of each face.
    pub export_vertex_groups: bool,
    /// Write the faces' smoothing groups as they are (otherwise only on and off).
    pub export_smooth_groups: bool,
    /// Write the faces' own groups (`Mesh::face_groups`); Solio's addition.
    pub export_groups: bool,
    /// Split faces of four corners and more into triangles.
    pub export_triangulated_mesh: bool,
    /// Sort the faces of an object by material, as Blender does; off keeps the order.
    pub sort_by_material: bool,
    /// Write names with underscores in place of spaces, as Blender does; some readers end a name
    /// at its first space.
    pub spaces_to_underscores: bool,
    /// Merge equal UVs, and normals that are equal after rounding, in first-seen order. Values
    /// that come with an own index are written as they are.
    pub merge: bool,
    /// Digits of positions.
    pub position_digits: Digits,
    /// Digits of UVs.
    pub uv_digits: Digits,
    /// Digits of normals.
    pub normal_digits: Digits,
    /// Digits of colours.
    pub color_digits: Digits,
    /// What to do with NaN and infinity.
    pub non_finite: NonFinite,
    /// Statements after everything else, as they are: curves whose vertices are their own, which
    /// the model does not hold.
    pub epilogue: Vec<u8>,
}

impl Default for ObjWriteOptions {
    fn default() -> Self {
        ObjWriteOptions {
            comments: vec!["Solio".into()],
            material_library: None,
            forward_axis: Axis::NegativeZ,
            up_axis: Axis::Y,
            source_axes: (Axis::NegativeZ, Axis::Y),
            global_scale: 1.0,
            apply_transform: true,
            export_uv: true,
            export_normals: true,
            export_colors: true,
            export_alpha: true,
            export_materials: true,
            export_object_groups: false,
            export_material_groups: false,
            export_vertex_groups: false,
            export_smooth_groups: true,
            export_groups: true,
            export_triangulated_mesh: false,
            sort_by_material: false,
            spaces_to_underscores: false,
            merge: true,
            position_digits: Digits::Fixed(6),
            uv_digits: Digits::Fixed(6),
            normal_digits: Digits::Fixed(4),
            color_digits: Digits::Fixed(4),
            non_finite: NonFinite::Refuse,
            epilogue: Vec::new(),
        }
    }
}

impl ObjWriteOptions {
    /// The defaults of Blender's exporter for data in Blender's axes, without comments.
    ///
    /// ```
    /// use solio_mesh::obj::ObjWriteOptions;
    /// let options = ObjWriteOptions { global_scale: 0.01, ..ObjWriteOptions::blender() };
    /// assert_ne!(options.source_axes, (options.forward_axis, options.up_axis)); // will be turned
    /// assert!(options.sort_by_material && !ObjWriteOptions::default().sort_by_material);
    /// ```
    pub fn blender() -> Self {
        ObjWriteOptions {
            comments: Vec::new(),
            source_axes: (Axis::Y, Axis::Z),
            export_colors: false,
            export_alpha: false,
            export_smooth_groups: false,
            export_groups: false,
            sort_by_material: true,
            spaces_to_underscores: true,
            ..ObjWriteOptions::default()
        }
    }
}

/// How an MTL file is written.
///
/// ```
/// use solio_mesh::{Material, obj::{MtlWriteOptions, encode_mtl}};
/// let materials = ["red car", "blue"].map(|n| Material { name: n.into(), ..Default::default() });
/// let options = MtlWriteOptions {
///     comments: vec!["two".into()],
///     sort: true,
///     spaces_to_underscores: true,
///     ..MtlWriteOptions::default()
/// };
/// assert_eq!(encode_mtl(&materials, &options)?, b"# two\n\nnewmtl blue\n\nnewmtl red_car\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MtlWriteOptions {
    /// Comment lines at the head, without `# `.
    pub comments: Vec<String>,
    /// Sort the materials by name, as Blender does.
    pub sort: bool,
    /// Write names with underscores in place of spaces, as the OBJ must do too.
    pub spaces_to_underscores: bool,
    /// Digits of all numbers.
    pub digits: Digits,
}

impl Default for MtlWriteOptions {
    fn default() -> Self {
        MtlWriteOptions {
            comments: vec!["Solio".into()],
            sort: false,
            spaces_to_underscores: false,
            digits: Digits::Fixed(6),
        }
    }
}
