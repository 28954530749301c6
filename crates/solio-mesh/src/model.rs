//! The mesh model: arrays in, arrays out, no per-element objects.
//!
//! A [`Scene`] holds meshes and the materials they share. A [`Mesh`] is one pool of arrays that
//! any number of [`Object`]s cut into ranges: a whole OBJ file is one mesh with many objects; an
//! exporter passes one mesh per object. Arrays are [`Cow`]s, so that a writer borrows what the
//! caller holds and a reader owns what it made.

use crate::TextEncoding;
use crate::instances::MeshInstance;
use crate::material::Material;
use solio_base::named_enum;
use std::borrow::Cow;
use std::sync::Arc;

/// An index that means *none*: a corner without UV or normal, a face without material or group.
pub const NONE: u32 = u32::MAX;

/// Meshes and the materials they share.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::obj::{ObjReadOptions, decode_obj};
/// let text = b"# by hand\nmtllib room.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl wall\nf 1 2 3\n";
/// let scene = decode_obj(&&text[..], &ObjReadOptions::default(), &Work::serial())?;
/// assert_eq!(scene.material_libraries, ["room.mtl"]);
/// assert_eq!(scene.materials[0].name, "wall");
/// assert_eq!(scene.meshes[0].face_materials[0], 0); // its place in `materials`
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene<'a> {
    /// The meshes, in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// Where the meshes are drawn, if a reader kept that; without any, each mesh is drawn once and as it
    /// is.
    pub instances: Vec<MeshInstance>,
    /// The materials that [`Mesh::face_materials`] numbers, in order of first appearance.
    pub materials: Vec<Material>,
    /// Pictures that the file brought along; textures name them by their path.
    pub pictures: Vec<Picture>,
    /// What the file has behind each `mtllib`; one by one where the files that it names were
    /// looked for.
    pub material_libraries: Vec<String>,
    /// Whether none of these was read, so that of the file's materials only the names are known.
    pub libraries_unread: bool,
    /// The encoding of the file's names, where they are not UTF-8.
    pub names_encoding: Option<TextEncoding>,
    /// Comment lines at the head of the file, without their marker.
    pub comments: Vec<String>,
    /// What a lenient reader passed over, with its place.
    pub warnings: Vec<String>,
}

/// A picture that came within the file of a scene.
///
/// ```
/// use solio_mesh::Picture;
/// let picture = Picture { path: "wood.png".into(), bytes: b"\x89PNG".to_vec().into() };
/// assert_eq!(picture.bytes.len(), 4);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What textures call it: a file name, different from all others.
    pub path: String,
    /// The file.
    pub bytes: Arc<Vec<u8>>,
}

/// One pool of arrays, and the objects that share it.
///
/// ```
/// use solio_mesh::{Mesh, Positions};
/// // A quad and a triangle that share an edge.
/// let positions = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [2., 0., 0.]];
/// let mesh = Mesh {
///     positions: Positions::F32((&positions[..]).into()),
///     face_offsets: vec![0, 4, 7].into(),
///     corner_vertices: vec![0, 1, 2, 3, 1, 4, 2].into(),
///     ..Mesh::default()
/// };
/// let [start, end] = [mesh.face_offsets[1], mesh.face_offsets[2]].map(|at| at as usize);
/// assert_eq!(mesh.corner_vertices[start..end], [1, 4, 2]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<'a> {
    /// Vertices, shape (V, 3).
    pub positions: Positions<'a>,
    /// The fourth coordinate of `v x y z w`; V values, or none at all.
    pub weights: Option<Cow<'a, [f32]>>,
    /// Vertex colours; V values, or none at all.
    pub colors: Option<Colors<'a>>,
    /// Texture coordinates.
    pub uvs: Option<Uvs<'a>>,
    /// Whether the file has the texture coordinates of corners as lists of faces, as some PLY have: so
    /// they are written again, and no vertex is split for them.
    pub uv_lists: bool,
    /// Normals.
    pub normals: Option<Normals<'a>>,

    /// Where each face's corners start: F + 1 rising offsets into the corner arrays, the first 0,
    /// the last the number of corners. Empty when there are no faces.
    pub face_offsets: Cow<'a, [u32]>,
    /// The vertex of each corner, C values.
    pub corner_vertices: Cow<'a, [u32]>,
    /// The material of each face, an index into [`Scene::materials`] or [`NONE`]; F values, or
    /// empty when no face has one.
    pub face_materials: Cow<'a, [u32]>,
    /// The smoothing group of each face (0 is off; with bit flags, a set of groups); F values, or
    /// empty when the file has none.
    pub face_smoothing: Cow<'a, [u32]>,
    /// The group of each face, an index into [`Mesh::groups`] or [`NONE`]; F values, or empty.
    pub face_groups: Cow<'a, [u32]>,
    /// Names of groups. A face in several groups (`g a b`) has the name `a b`.
    pub groups: Vec<String>,

    /// Where each polyline's vertices start: L + 1 rising offsets. Empty when there are none.
    pub line_offsets: Cow<'a, [u32]>,
    /// The vertices of the polylines.
    pub line_vertices: Cow<'a, [u32]>,
    /// The UVs of the polylines' vertices, indices into [`Uvs::values`] or [`NONE`]; as long as
    /// `line_vertices`, or empty.
    pub line_uvs: Cow<'a, [u32]>,
    /// Vertices that are point elements.
    pub points: Cow<'a, [u32]>,

    /// How objects cut the mesh, in file order. Empty means one unnamed object with everything.
    pub objects: Vec<Object>,
    /// Named weights on vertices.
    pub vertex_groups: Vec<VertexGroup<'a>>,
    /// Further attributes, as PLY properties.
    pub attributes: Vec<Attribute<'a>>,
    /// Free-form curves and surfaces, kept as the statements of the file (absolute 1-based
    /// indices into this mesh), one statement a line.
    pub freeform: Vec<u8>,
}

/// Vertex positions in the width of their source.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Positions, obj::{ObjReadOptions, decode_obj}};
/// let read = |text: &[u8]| {
///     let scene = decode_obj(&text, &ObjReadOptions::default(), &Work::serial())?;
///     let positions = &scene.meshes[0].positions;
///     solio_base::Result::Ok((matches!(positions, Positions::F64(_)), positions.get(0)[0]))
/// };
/// assert_eq!(read(b"v 0.125 0 0\n")?, (false, 0.125));
/// // Metres from a meridian: too long for 32 bits.
/// assert_eq!(read(b"v 4500000.125 0 0\n")?, (true, 4_500_000.125));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Positions<'a> {
    /// 32-bit.
    F32(Cow<'a, [[f32; 3]]>),
    /// 64-bit, for georeferenced data.
    F64(Cow<'a, [[f64; 3]]>),
}

impl Default for Positions<'_> {
    fn default() -> Self {
        Positions::F32(Cow::Borrowed(&[]))
    }
}

impl Positions<'_> {
    /// Number of vertices.
    ///
    /// ```
    /// use solio_mesh::Positions;
    /// let corners = [[0.0; 3], [1.0; 3]];
    /// assert_eq!(Positions::F64((&corners[..]).into()).len(), 2); // vertices, not numbers
    /// ```
    pub fn len(&self) -> usize {
        match self {
            Positions::F32(p) => p.len(),
            Positions::F64(p) => p.len(),
        }
    }
    /// Whether there are no vertices.
    ///
    /// ```
    /// use solio_mesh::{Mesh, Positions};
    /// assert!(Mesh::default().positions.is_empty());
    /// assert!(!Positions::F32(vec![[0.0; 3]].into()).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Position `i` in double precision.
    ///
    /// # Panics
    /// When `i` is out of range.
    ///
    /// ```
    /// use solio_mesh::Positions;
    /// let positions = Positions::F32(vec![[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]].into());
    /// let ([ax, ay, _], [bx, by, _]) = (positions.get(0), positions.get(1));
    /// assert_eq!((bx - ax).hypot(by - ay), 5.0);
    /// ```
    #[inline]
    pub fn get(&self, i: usize) -> [f64; 3] {
        match self {
            Positions::F32(p) => p[i].map(f64::from),
            Positions::F64(p) => p[i],
        }
    }
}

/// Which element of the mesh a value belongs to.
///
/// ```
/// use solio_mesh::{Domain, model::NONE};
/// // The number of the value that a corner has.
/// let value_of = |domain: &Domain<'_>, vertex: u32, face: u32, corner: u32| match domain {
///     Domain::Vertex => Some(vertex),
///     Domain::Face => Some(face),
///     Domain::Corner => Some(corner),
///     Domain::Indexed(index) => Some(index[corner as usize]).filter(|&i| i != NONE),
/// };
/// let index = Domain::Indexed(vec![2, NONE].into());
/// assert_eq!((value_of(&index, 8, 0, 0), value_of(&index, 9, 0, 1)), (Some(2), None));
/// assert_eq!(value_of(&Domain::Vertex, 8, 0, 0), Some(8));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Domain<'a> {
    /// Value `v` belongs to vertex `v`.
    Vertex,
    /// Value `f` belongs to face `f`.
    Face,
    /// Value `c` belongs to corner `c`.
    Corner,
    /// Corner `c` has the value `index[c]`, or none where that is [`NONE`]; C indices.
    Indexed(Cow<'a, [u32]>),
}

impl Domain<'_> {
    /// Which value a corner has; `None` also where the arrays contradict each other.
    #[inline]
    pub(crate) fn index_of(&self, mesh: &Mesh<'_>, corner: usize) -> Option<usize> {
        match self {
            Domain::Vertex => Some(*mesh.corner_vertices.get(corner)? as usize),
            Domain::Face => {
                mesh.face_offsets.partition_point(|&o| o as usize <= corner).checked_sub(1)
            }
            Domain::Corner => Some(corner),
            Domain::Indexed(index) => {
                index.get(corner).filter(|&&i| i != NONE).map(|&i| i as usize)
            }
        }
    }
}

/// Texture coordinates, shape (N, 2), u to the right and v up.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Domain, obj::{ObjReadOptions, decode_obj}};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/1\n";
/// let scene = decode_obj(&&text[..], &ObjReadOptions::default(), &Work::serial())?;
/// let uvs = scene.meshes[0].uvs.as_ref().unwrap();
/// assert_eq!(*uvs.values, [[0.0, 0.0], [1.0, 0.0]]);
/// assert_eq!(uvs.domain, Domain::Indexed(vec![0, 1, 0].into()));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Uvs<'a> {
    /// The values.
    pub values: Cow<'a, [[f32; 2]]>,
    /// Which element each value belongs to.
    pub domain: Domain<'a>,
}

/// Normals, shape (N, 3).
///
/// ```
/// use solio_mesh::{Domain, Mesh, Normals};
/// // A flat face has one normal for all its corners.
/// let normals = Normals { values: vec![[0.0, 0.0, 1.0]].into(), domain: Domain::Face };
/// let offsets = vec![0, 4].into();
/// let mesh = Mesh { face_offsets: offsets, normals: Some(normals), ..Mesh::default() };
/// assert_eq!(mesh.normals.unwrap().values.len(), mesh.face_offsets.len() - 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Normals<'a> {
    /// The values.
    pub values: Cow<'a, [[f32; 3]]>,
    /// Which element each value belongs to.
    pub domain: Domain<'a>,
}

named_enum! {
    /// How colour values are encoded.
    ///
    /// ```
    /// use solio_base::Work;
    /// use solio_mesh::obj::{ObjWriteOptions, encode_obj};
    /// use solio_mesh::{ColorSpace, Colors, Mesh, Positions, Scene};
    /// // OBJ has sRGB; linear light is converted as it is written.
    /// let colors = Colors { values: vec![[1.0, 0.0, 0.2, 1.0]].into(), space: ColorSpace::Linear };
    /// let positions = Positions::F32(vec![[0.0; 3]].into());
    /// let mesh = Mesh { positions, colors: Some(colors), ..Mesh::default() };
    /// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// let mut file = Vec::new();
    /// encode_obj(&scene, &ObjWriteOptions::default(), &Work::serial(), &mut file)?;
    /// assert!(String::from_utf8_lossy(&file).contains(" 0.48"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub enum ColorSpace {
        /// Linear light, Rec. 709 primaries.
        Linear = "linear",
        /// sRGB transfer function.
        Srgb = "srgb",
    }

    /// The name that Python has for it.
    ///
    /// ```
    /// use solio_mesh::model::ColorSpace;
    /// assert_eq!(ColorSpace::Srgb.name(), "srgb");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_mesh::model::ColorSpace;
    /// assert_eq!(ColorSpace::of_name("linear"), Some(ColorSpace::Linear));
    /// assert_eq!(ColorSpace::of_name("rec2020"), None);
    /// ```
    pub fn of_name;
}

/// RGBA values of the vertices.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{ColorSpace, obj::{ObjReadOptions, decode_obj}};
/// let text = b"v 0 0 0 1 0.5 0\n"; // a colour behind the position
/// let scene = decode_obj(&&text[..], &ObjReadOptions::default(), &Work::serial())?;
/// let colors = scene.meshes[0].colors.as_ref().unwrap();
/// assert_eq!((colors.values[0], colors.space), ([1.0, 0.5, 0.0, 1.0], ColorSpace::Srgb));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Colors<'a> {
    /// The values, 0 to 1; alpha is 1 where the file has none.
    pub values: Cow<'a, [[f32; 4]]>,
    /// Their encoding.
    pub space: ColorSpace,
}

/// A named part of a mesh. Objects are consecutive: each range starts where the last one ended.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::obj::{ObjReadOptions, decode_obj};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\no floor\nf 1 2 3\no roof\nf 3 2 1\nf 2 3 1\n";
/// let scene = decode_obj(&&text[..], &ObjReadOptions::default(), &Work::serial())?;
/// let mut start = 0; // where the object before ended
/// for (object, faces) in scene.meshes[0].objects.iter().zip([("floor", 1), ("roof", 2)]) {
///     assert_eq!((object.name.as_str(), object.faces_end - start), faces);
///     start = object.faces_end;
/// }
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// Name, as the `o` statement gives it.
    pub name: String,
    /// Name of the object's mesh data (Blender keeps it apart from the object's name).
    pub mesh_name: String,
    /// Past the last vertex that the file defines before the next object starts.
    pub vertices_end: u32,
    /// Past the last entry of [`Uvs::values`] that belongs to it (a file may share them anyway).
    pub uvs_end: u32,
    /// Past the last entry of [`Normals::values`] that belongs to it.
    pub normals_end: u32,
    /// Past the last face.
    pub faces_end: u32,
    /// Past the last polyline.
    pub lines_end: u32,
    /// Past the last point element.
    pub points_end: u32,
    /// Object to world, row by row, applied to column vectors; `None` is the identity.
    pub transform: Option<[[f32; 4]; 4]>,
    /// The object's own list of materials. When there is one, [`Mesh::face_materials`] of this
    /// object's faces are positions in it, and each entry is an index into [`Scene::materials`] or
    /// [`NONE`] (Blender's material slots: they decide the order of the faces).
    pub material_slots: Option<Vec<u32>>,
}

/// Named weights on some vertices.
///
/// ```
/// use solio_mesh::model::VertexGroup;
/// let arm = VertexGroup {
///     name: "arm".into(),
///     vertices: vec![3, 8, 20].into(),
///     weights: vec![0.25, 1.0, 0.5].into(),
/// };
/// let weight = |v| arm.vertices.binary_search(&v).map_or(0.0, |i| arm.weights[i]);
/// assert_eq!((weight(8), weight(9)), (1.0, 0.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VertexGroup<'a> {
    /// Name.
    pub name: String,
    /// The vertices, rising.
    pub vertices: Cow<'a, [u32]>,
    /// A weight for each of them, 0 to 1.
    pub weights: Cow<'a, [f32]>,
}

/// A further attribute: a PLY property, or a custom attribute of an exporter.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{model::Values, ply::decode_ply};
/// let file = b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
///     property float z\nproperty ushort label\nend_header\n0 0 0 7\n1 0 0 300\n";
/// let scene = decode_ply(&&file[..], &Default::default(), &Work::serial())?;
/// let label = &scene.meshes[0].attributes[0];
/// assert_eq!((label.element.as_str(), label.name.as_str()), ("vertex", "label"));
/// assert_eq!(label.values, Values::U16(vec![7, 300].into()));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute<'a> {
    /// The PLY element: `vertex`, `face`, `edge` or any other.
    pub element: String,
    /// The property.
    pub name: String,
    /// One scalar per element, or a list per element.
    pub values: Values<'a>,
    /// For list properties: N + 1 rising offsets into `values`, and the type of the count.
    pub list: Option<(Cow<'a, [u32]>, ScalarType)>,
}

/// The scalar types of PLY.
///
/// ```
/// use solio_mesh::model::ScalarType;
/// // PLY has two names for each.
/// assert_eq!(ScalarType::from_name("uchar"), Some(ScalarType::U8));
/// assert_eq!(ScalarType::from_name("uint8"), Some(ScalarType::U8));
/// assert_eq!(ScalarType::F64.size(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// An array of one scalar type.
///
/// ```
/// use solio_mesh::model::Values;
/// let as_floats = |values: &Values<'_>| -> Option<Vec<f64>> {
///     match values {
///         Values::F32(v) => Some(v.iter().map(|&x| x.into()).collect()),
///         Values::U8(v) => Some(v.iter().map(|&x| x.into()).collect()),
///         _ => None,
///     }
/// };
/// assert_eq!(as_floats(&Values::U8(vec![0, 255].into())), Some(vec![0.0, 255.0]));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Values<'a> {
    I8(Cow<'a, [i8]>),
    U8(Cow<'a, [u8]>),
    I16(Cow<'a, [i16]>),
    U16(Cow<'a, [u16]>),
    I32(Cow<'a, [i32]>),
    U32(Cow<'a, [u32]>),
    F32(Cow<'a, [f32]>),
    F64(Cow<'a, [f64]>),
}
