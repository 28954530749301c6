//! What a mesh file holds, in numbers.

use crate::mesh::read::read_input;
use crate::{Format, Input, MeshReadOptions, ToInput};
use serde::Serialize;
use solio_base::{Result, Work};
use solio_codec::compress::Compression;
use solio_mesh::model::{Domain, Positions, Values};
use solio_mesh::splats::{SplatFacts, are_antialiased, spz};
use solio_mesh::{Mesh, Scene};
use std::path::PathBuf;

/// What a mesh file holds.
///
/// ```
/// use solio::{Compression, Format};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("quad.ply.gz");
/// # let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// # let scene = solio::read_mesh_bytes(text, &Default::default(), &Default::default())?;
/// # solio::write_mesh(&scene, &path, &Default::default(), &Default::default())?;
/// let info = solio::info(&path, &Default::default(), &Default::default())?;
/// assert_eq!((info.format, info.compression), (Format::Ply, Compression::Gzip));
/// assert_eq!(info.file_bytes, Some(std::fs::metadata(&path).unwrap().len()));
/// assert_eq!((info.mesh.vertices, info.mesh.quads), (4, 1));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Bytes on the disk; `None` for a pipe.
    pub file_bytes: Option<u64>,
    /// The version of an SPZ whose header can be read once more.
    pub spz_version: Option<u32>,
    /// What is in it.
    pub mesh: MeshInfo,
}

/// Counts over all meshes of a scene.
///
/// ```
/// use solio::MeshInfo;
/// // A square and a triangle above it.
/// let text = b"v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 3 5\nf 1 2 3 4\nf 4 3 5\n";
/// let scene = solio::read_mesh_bytes(text, &Default::default(), &Default::default())?;
/// let MeshInfo { faces, triangles, quads, bounds, .. } = MeshInfo::of(&scene);
/// assert_eq!((faces, triangles, quads), (2, 1, 1));
/// assert_eq!(bounds, Some([[0.0; 3], [2.0, 3.0, 5.0]]));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeshInfo {
    /// Bytes of the arrays in memory.
    pub memory_bytes: u64,
    /// Vertices.
    pub vertices: usize,
    /// Whether positions have 64 bits.
    pub double: bool,
    /// Faces of any size.
    pub faces: usize,
    /// Faces with three corners.
    pub triangles: usize,
    /// Faces with four corners.
    pub quads: usize,
    /// Faces with five corners and more.
    pub ngons: usize,
    /// Corners of all faces.
    pub corners: usize,
    /// Polylines.
    pub lines: usize,
    /// Point elements.
    pub points: usize,
    /// Values of texture coordinates.
    pub uvs: usize,
    /// Values of normals.
    pub normals: usize,
    /// Vertex colours.
    pub colors: usize,
    /// Least and greatest corner of the box around all vertices with finite positions, without
    /// the objects' transforms; `None` without any.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Objects.
    pub objects: usize,
    /// Names of the objects.
    pub object_names: Vec<String>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Files that the materials refer to, each once.
    pub textures: Vec<String>,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Names of the vertex groups.
    pub vertex_groups: Vec<String>,
    /// Further attributes, as `element.name`.
    pub attributes: Vec<String>,
    /// Bytes of free-form curves and surfaces, kept as text.
    pub freeform_bytes: usize,
    /// What a lenient reader passed over.
    pub warnings: Vec<String>,
    /// Meshes, each a pool of arrays.
    #[serde(skip)]
    pub meshes: usize,
    /// The vertices that are Gaussian splats.
    #[serde(skip)]
    pub splats: Option<SplatFacts>,
    /// Whether the splats were trained to be drawn as Mip-Splatting does, as SPZ says.
    #[serde(skip)]
    pub antialiased: bool,
}

/// Reads the mesh file at `path` and sums it up.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [obj, mtl] = ["a.obj", "a.mtl"].map(|name| folder.path().join(name));
/// solio::write_bytes(&mtl, b"newmtl oak\nmap_Kd oak.png\n")?;
/// solio::write_bytes(&obj, b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl oak\nf 1 2 3\n")?;
/// let mesh = solio::info(&obj, &Default::default(), &Default::default())?.mesh;
/// assert_eq!((mesh.materials, mesh.textures), (vec!["oak".into()], vec!["oak.png".into()]));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn info(
    input: &(impl ToInput + ?Sized),
    options: &MeshReadOptions,
    work: &Work,
) -> Result<FileInfo> {
    info_of(&*input.to_input(&options.limits, work)?, options, work)
}

/// [`info`] of an input that is open already.
pub(crate) fn info_of(input: &Input, options: &MeshReadOptions, work: &Work) -> Result<FileInfo> {
    let (format, scene) = read_input(input, options, work, Scene::default())?;
    Ok(FileInfo {
        path: input.path().to_owned(),
        format,
        compression: input.compression(),
        file_bytes: input.file_bytes(),
        spz_version: spz_version(input, format, work)?,
        mesh: MeshInfo::of(&scene),
    })
}

fn spz_version(input: &Input, format: Format, work: &Work) -> Result<Option<u32>> {
    if format != Format::Spz || input.comes_once() {
        return Ok(None);
    }
    let opened = input.stream(&Work { memory_bytes: 0, ..work.clone() })?;
    let header = spz::decode_spz_header(&*opened.source).map_err(|e| e.at_path(input.path()))?;
    Ok(Some(header.version))
}

impl MeshInfo {
    /// Sums up `scene`.
    ///
    /// ```
    /// use solio::mesh::{Mesh, Scene, model::Positions};
    /// let positions = Positions::F32(vec![[0.0, 0.0, 0.0], [4.0, 0.0, f32::NAN]].into());
    /// let points = vec![0, 1].into();
    /// let meshes = vec![Mesh { positions, points, ..Mesh::default() }];
    /// let scene = Scene { meshes, ..Scene::default() };
    /// let info = solio::MeshInfo::of(&scene);
    /// assert_eq!((info.vertices, info.points, info.faces), (2, 2, 0));
    /// // A place that is no number does not count.
    /// assert_eq!(info.bounds, Some([[0.0; 3]; 2]));
    /// ```
    pub fn of(scene: &Scene<'_>) -> MeshInfo {
        let mut info = MeshInfo {
            meshes: scene.meshes.len(),
            antialiased: are_antialiased(scene),
            materials: scene.materials.iter().map(|m| m.name.clone()).collect(),
            warnings: scene.warnings.clone(),
            ..MeshInfo::default()
        };
        for map in scene.materials.iter().flat_map(|m| &m.maps) {
            if !info.textures.contains(&map.path) {
                info.textures.push(map.path.clone());
            }
        }
        for mesh in &scene.meshes {
            info.add(mesh);
        }
        info
    }

    fn add(&mut self, mesh: &Mesh<'_>) {
        self.objects += mesh.objects.len().max(1);
        self.object_names.extend(mesh.objects.iter().map(|o| o.name.clone()));
        self.vertices += mesh.positions.len();
        self.double |= matches!(mesh.positions, Positions::F64(_));
        self.add_faces(&mesh.face_offsets);
        self.corners += mesh.corner_vertices.len();
        self.lines += mesh.line_offsets.len().saturating_sub(1);
        self.points += mesh.points.len();
        if let Some(facts) = SplatFacts::of(mesh) {
            self.splats = Some(self.splats.map_or(facts, |before| before.and(facts)));
        }
        self.uvs += mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
        self.normals += mesh.normals.as_ref().map_or(0, |normals| normals.values.len());
        self.colors += mesh.colors.as_ref().map_or(0, |colors| colors.values.len());
        self.groups.extend(mesh.groups.iter().cloned());
        self.vertex_groups.extend(mesh.vertex_groups.iter().map(|g| g.name.clone()));
        let names = mesh.attributes.iter().map(|a| format!("{}.{}", a.element, a.name));
        self.attributes.extend(names);
        self.freeform_bytes += mesh.freeform.len();
        self.memory_bytes += memory_bytes(mesh);
        match &mesh.positions {
            Positions::F32(values) => self.add_bounds(values, f64::from),
            Positions::F64(values) => self.add_bounds(values, |v| v),
        }
    }

    fn add_faces(&mut self, offsets: &[u32]) {
        self.faces += offsets.len().saturating_sub(1);
        for face in offsets.windows(2) {
            match face[1].saturating_sub(face[0]) {
                3 => self.triangles += 1,
                4 => self.quads += 1,
                5.. => self.ngons += 1,
                _ => {}
            }
        }
    }

    fn add_bounds<T: Copy + PartialOrd>(&mut self, values: &[[T; 3]], widen: fn(T) -> f64) {
        let empty = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let [mut low, mut high] = self.bounds.unwrap_or(empty);
        for value in values {
            let value = value.map(widen);
            if value.iter().all(|v| v.is_finite()) {
                for axis in 0..3 {
                    low[axis] = low[axis].min(value[axis]);
                    high[axis] = high[axis].max(value[axis]);
                }
            }
        }
        if low[0] <= high[0] {
            self.bounds = Some([low, high]);
        }
    }
}

fn memory_bytes(mesh: &Mesh<'_>) -> u64 {
    let index = |domain: &Domain<'_>| match domain {
        Domain::Indexed(index) => size_of_val(&**index),
        _ => 0,
    };
    let mut bytes = match &mesh.positions {
        Positions::F32(values) => size_of_val(&**values),
        Positions::F64(values) => size_of_val(&**values),
    };
    bytes += mesh.weights.as_ref().map_or(0, |w| size_of_val(&**w));
    bytes += mesh.colors.as_ref().map_or(0, |c| size_of_val(&*c.values));
    bytes += mesh.uvs.as_ref().map_or(0, |u| size_of_val(&*u.values) + index(&u.domain));
    bytes += mesh.normals.as_ref().map_or(0, |n| size_of_val(&*n.values) + index(&n.domain));
    let arrays = [
        &mesh.face_offsets,
        &mesh.corner_vertices,
        &mesh.face_materials,
        &mesh.face_smoothing,
        &mesh.face_groups,
        &mesh.line_offsets,
        &mesh.line_vertices,
        &mesh.line_uvs,
        &mesh.points,
    ];
    bytes += arrays.iter().map(|array| size_of_val(&***array)).sum::<usize>();
    for group in &mesh.vertex_groups {
        bytes += size_of_val(&*group.vertices) + size_of_val(&*group.weights);
    }
    for attribute in &mesh.attributes {
        bytes += attribute.list.as_ref().map_or(0, |(offsets, _)| size_of_val(&**offsets));
        bytes += match &attribute.values {
            Values::I8(v) => size_of_val(&**v),
            Values::U8(v) => size_of_val(&**v),
            Values::I16(v) => size_of_val(&**v),
            Values::U16(v) => size_of_val(&**v),
            Values::I32(v) => size_of_val(&**v),
            Values::U32(v) => size_of_val(&**v),
            Values::F32(v) => size_of_val(&**v),
            Values::F64(v) => size_of_val(&**v),
        };
    }
    (bytes + mesh.freeform.len()) as u64
}
