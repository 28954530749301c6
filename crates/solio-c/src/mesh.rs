//! Reading meshes, and what one has.

use crate::border::{
    self, Failure, Outcome, Sized0, call, fill, given, hand_out, slice, solio_error,
};
use crate::handle::{Opaque, opaque};
use crate::job::{solio_work, work_and_limits};
use crate::mesh_array::Numbers;
use ::solio_mesh::{Domain, Mesh, MeshSkip, Positions, Scene};
use solio::{Format, MeshReadOptions, Work};
use std::ffi::c_char;

/// A mesh that was read, with what was worked out of it.
pub struct MeshState {
    pub(crate) scene: Scene<'static>,
    /// How many faces have three corners, and how many four.
    pub(crate) sizes: [u64; 2],
    format: u32,
    /// For what is worked out later: the threads and the memory that reading was given.
    pub(crate) work: Work,
    /// The array that was counted last, where it had to be worked out for that.
    pub(crate) made: Option<(u32, Numbers<'static>)>,
}

opaque!(
    /// A mesh. Free it with `solio_mesh_free`.
    solio_mesh,
    MeshState,
    b"solmesh\0",
    "solio_mesh"
);

impl MeshState {
    pub(crate) fn mesh(&self) -> Outcome<&Mesh<'static>> {
        self.scene.meshes.first().ok_or_else(|| Failure::argument("the file has no mesh"))
    }
}

/// The format is found by content.
pub const SOLIO_FORMAT_AUTO: u32 = 0;
/// Wavefront OBJ.
pub const SOLIO_FORMAT_OBJ: u32 = 1;
/// PLY.
pub const SOLIO_FORMAT_PLY: u32 = 2;
/// STL.
pub const SOLIO_FORMAT_STL: u32 = 3;
/// OFF.
pub const SOLIO_FORMAT_OFF: u32 = 4;
/// glTF 2.0, a document and its buffer.
pub const SOLIO_FORMAT_GLTF: u32 = 5;
/// glTF 2.0, binary.
pub const SOLIO_FORMAT_GLB: u32 = 6;
/// Gaussian splats, `.splat`.
pub const SOLIO_FORMAT_SPLAT: u32 = 7;
/// Gaussian splats, SPZ.
pub const SOLIO_FORMAT_SPZ: u32 = 8;
/// Gaussian splats, SOG.
pub const SOLIO_FORMAT_SOG: u32 = 9;

/// Refuse what a lenient reader passes over with a warning.
pub const SOLIO_MESH_STRICT: u32 = 1;
/// Leave the MTL files of an OBJ unread.
pub const SOLIO_MESH_SKIP_MATERIALS: u32 = 2;
/// Read positions of text as doubles, also where single precision holds them.
pub const SOLIO_MESH_DOUBLES: u32 = 4;
/// Read no normals: the mesh has none then, as if the file had none. So it is with those that follow.
pub const SOLIO_MESH_SKIP_NORMALS: u32 = 8;
/// Read no texture coordinates.
pub const SOLIO_MESH_SKIP_UVS: u32 = 16;
/// Read no colours of vertices.
pub const SOLIO_MESH_SKIP_COLORS: u32 = 32;
/// Read no further attributes.
pub const SOLIO_MESH_SKIP_ATTRIBUTES: u32 = 64;

const KNOWN_FLAGS: u32 = SOLIO_MESH_STRICT
    | SOLIO_MESH_SKIP_MATERIALS
    | SOLIO_MESH_DOUBLES
    | SOLIO_MESH_SKIP_NORMALS
    | SOLIO_MESH_SKIP_UVS
    | SOLIO_MESH_SKIP_COLORS
    | SOLIO_MESH_SKIP_ATTRIBUTES;

/// How a mesh is read. Zeros are the usual values.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_mesh_read_options {
    /// `sizeof(solio_mesh_read_options)`.
    pub size: u64,
    /// One of `SOLIO_FORMAT_…`.
    pub format: u32,
    /// Some of `SOLIO_MESH_…`.
    pub flags: u32,
    /// How the machine is used; may be null.
    pub work: *const solio_work,
}

// SAFETY: numbers and a pointer, after the size.
unsafe impl Sized0 for solio_mesh_read_options {}

/// What a mesh has, and how much of it.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_mesh_counts {
    /// `sizeof(solio_mesh_counts)`.
    pub size: u64,
    /// Vertices.
    pub vertices: u64,
    /// Faces of any number of corners.
    pub faces: u64,
    /// Corners of all faces.
    pub corners: u64,
    /// Faces of three corners.
    pub triangles: u64,
    /// Faces of four corners.
    pub quads: u64,
    /// Values of texture coordinates.
    pub uvs: u64,
    /// Values of normals.
    pub normals: u64,
    /// Further attributes.
    pub attributes: u64,
    /// Materials.
    pub materials: u64,
    /// Objects.
    pub objects: u64,
    /// Groups.
    pub groups: u64,
    /// Warnings.
    pub warnings: u64,
    /// One of `SOLIO_FORMAT_…`.
    pub format: u32,
    /// Bytes of a coordinate: 4, or 8 where the file says more than single precision holds.
    pub position_bytes: u32,
    /// Which element a texture coordinate belongs to: one of `SOLIO_OF_…`.
    pub uvs_of: u32,
    /// Which element a normal belongs to: one of `SOLIO_OF_…`.
    pub normals_of: u32,
    /// 1 where vertices have colours, else 0.
    pub has_colors: u32,
    /// 1 where faces have materials, else 0.
    pub has_face_materials: u32,
    /// Pictures that the file brought along.
    pub pictures: u64,
}

// SAFETY: numbers, after the size.
unsafe impl Sized0 for solio_mesh_counts {}

/// There are none.
pub const SOLIO_OF_NONE: u32 = 0;
/// A value for each vertex.
pub const SOLIO_OF_VERTEX: u32 = 1;
/// A value for each face.
pub const SOLIO_OF_FACE: u32 = 2;
/// A value for each corner.
pub const SOLIO_OF_CORNER: u32 = 3;
/// Each corner has the number of its value.
pub const SOLIO_OF_INDEX: u32 = 4;

pub(crate) fn format(number: u32) -> Outcome<Option<Format>> {
    Ok(match number {
        SOLIO_FORMAT_AUTO => None,
        SOLIO_FORMAT_OBJ => Some(Format::Obj),
        SOLIO_FORMAT_PLY => Some(Format::Ply),
        SOLIO_FORMAT_STL => Some(Format::Stl),
        SOLIO_FORMAT_OFF => Some(Format::Off),
        SOLIO_FORMAT_GLTF => Some(Format::Gltf),
        SOLIO_FORMAT_GLB => Some(Format::Glb),
        SOLIO_FORMAT_SPLAT => Some(Format::Splat),
        SOLIO_FORMAT_SPZ => Some(Format::Spz),
        SOLIO_FORMAT_SOG => Some(Format::Sog),
        other => return Err(Failure::argument(format!("there is no format {other}"))),
    })
}

fn number(format: Format) -> u32 {
    match format {
        Format::Obj => SOLIO_FORMAT_OBJ,
        Format::Ply => SOLIO_FORMAT_PLY,
        Format::Stl => SOLIO_FORMAT_STL,
        Format::Off => SOLIO_FORMAT_OFF,
        Format::Gltf => SOLIO_FORMAT_GLTF,
        Format::Glb => SOLIO_FORMAT_GLB,
        Format::Splat => SOLIO_FORMAT_SPLAT,
        Format::Spz => SOLIO_FORMAT_SPZ,
        Format::Sog => SOLIO_FORMAT_SOG,
    }
}

/// # Safety
/// As `solio_mesh_read_options` says.
unsafe fn read_options(
    options: *const solio_mesh_read_options,
) -> Outcome<(MeshReadOptions, Work)> {
    // SAFETY: as the caller promises.
    let asked = unsafe { given("solio_mesh_read_options", options) }?;
    let unknown = asked.flags & !KNOWN_FLAGS;
    if unknown != 0 {
        return Err(Failure::argument(format!("flags {unknown:#x} are not known")));
    }
    // SAFETY: as the caller promises.
    let (work, limits) = unsafe { work_and_limits(asked.work) }?;
    let has = |flag| asked.flags & flag != 0;
    let mut options = MeshReadOptions {
        format: format(asked.format)?,
        strict: has(SOLIO_MESH_STRICT),
        skip_materials: has(SOLIO_MESH_SKIP_MATERIALS),
        skip: MeshSkip {
            normals: has(SOLIO_MESH_SKIP_NORMALS),
            uvs: has(SOLIO_MESH_SKIP_UVS),
            colors: has(SOLIO_MESH_SKIP_COLORS),
            attributes: has(SOLIO_MESH_SKIP_ATTRIBUTES),
        },
        limits,
        ..MeshReadOptions::default()
    };
    options.obj.double = has(SOLIO_MESH_DOUBLES);
    options.ply.double = has(SOLIO_MESH_DOUBLES);
    Ok((options, work))
}

fn state(format: u32, mut scene: Scene<'static>, work: &Work) -> MeshState {
    // Splats beside meshes are one of their own, and what is handed out is the first.
    for mesh in scene.meshes.iter().skip(1) {
        let count = mesh.positions.len();
        scene.warnings.push(format!("not read: {count} splats beside what else the file has"));
    }
    // Two plain loops, which the compiler turns into vectors; one that asks for both is slower.
    let of_size = |size: u32| {
        let count = |ends: &[u32]| {
            let lengths = ends.iter().zip(&ends[1..]).map(|(from, to)| to.wrapping_sub(*from));
            lengths.map(|length| u64::from(length == size)).sum::<u64>()
        };
        let faces = scene.meshes.iter().map(|mesh| &mesh.face_offsets);
        faces.filter(|ends| !ends.is_empty()).map(|ends| count(ends)).sum()
    };
    let threes: u64 = of_size(3);
    let faces = scene.meshes.iter().map(|mesh| mesh.face_offsets.len().saturating_sub(1) as u64);
    let sizes = [threes, if threes == faces.sum::<u64>() { 0 } else { of_size(4) }];
    // Whoever cancels the reading does not mean what comes after it.
    let Work { threads, memory_bytes, .. } = *work;
    let work = Work { threads, memory_bytes, ..Work::default() };
    MeshState { format, scene, sizes, work, made: None }
}

/// Reads the mesh file at `path` (UTF-8, or bytes as the system has them; `path_length` bytes).
/// gzip and zstd are recognized by content. For OBJ, the MTL files that it names are read too.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_read(
    path: *const c_char,
    path_length: u64,
    options: *const solio_mesh_read_options,
    mesh: *mut *mut solio_mesh,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let path = border::path(path, path_length)?;
            let (options, work) = read_options(options)?;
            let (format, scene) = solio::read_mesh_and_format(&path, &options, &work)?;
            hand_out(mesh, state(number(format), scene, &work))
        })
    }
}

/// Reads a mesh from memory: `length` bytes from `bytes` on, packed or not. The MTL files of an OBJ
/// are not looked for. Without a format among the options, the counts have `SOLIO_FORMAT_AUTO`.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_read_bytes(
    bytes: *const u8,
    length: u64,
    options: *const solio_mesh_read_options,
    mesh: *mut *mut solio_mesh,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let bytes = slice("the file", bytes, length)?;
            let (options, work) = read_options(options)?;
            let scene = solio::read_mesh_bytes(bytes, &options, &work)?;
            let format = options.format.map_or(SOLIO_FORMAT_AUTO, number);
            hand_out(mesh, state(format, scene, &work))
        })
    }
}

fn domain(domain: Option<&Domain<'_>>) -> u32 {
    match domain {
        None => SOLIO_OF_NONE,
        Some(Domain::Vertex) => SOLIO_OF_VERTEX,
        Some(Domain::Face) => SOLIO_OF_FACE,
        Some(Domain::Corner) => SOLIO_OF_CORNER,
        Some(Domain::Indexed(_)) => SOLIO_OF_INDEX,
    }
}

/// What a mesh has. `counts` has its size set.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_count(
    mesh: *const solio_mesh,
    counts: *mut solio_mesh_counts,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_mesh::take(mesh)?;
            let (scene, mesh) = (&taken.scene, taken.mesh()?);
            let (uvs, normals) = (mesh.uvs.as_ref(), mesh.normals.as_ref());
            let found = solio_mesh_counts {
                size: 0,
                vertices: mesh.positions.len() as u64,
                faces: mesh.face_offsets.len().saturating_sub(1) as u64,
                corners: mesh.corner_vertices.len() as u64,
                triangles: taken.sizes[0],
                quads: taken.sizes[1],
                uvs: uvs.map_or(0, |uvs| uvs.values.len()) as u64,
                normals: normals.map_or(0, |normals| normals.values.len()) as u64,
                attributes: mesh.attributes.len() as u64,
                materials: scene.materials.len() as u64,
                objects: mesh.objects.len() as u64,
                groups: mesh.groups.len() as u64,
                warnings: scene.warnings.len() as u64,
                format: taken.format,
                position_bytes: if matches!(mesh.positions, Positions::F64(_)) { 8 } else { 4 },
                uvs_of: domain(uvs.map(|uvs| &uvs.domain)),
                normals_of: domain(normals.map(|normals| &normals.domain)),
                has_colors: mesh.colors.is_some().into(),
                has_face_materials: (!mesh.face_materials.is_empty()).into(),
                pictures: scene.pictures.len() as u64,
            };
            fill("solio_mesh_counts", counts, &found)
        })
    }
}

/// Names of materials.
pub const SOLIO_NAME_MATERIAL: u32 = 1;
/// Names of objects.
pub const SOLIO_NAME_OBJECT: u32 = 2;
/// Names of groups.
pub const SOLIO_NAME_GROUP: u32 = 3;
/// What a lenient reader passed over, a text each.
pub const SOLIO_NAME_WARNING: u32 = 4;
/// What the textures of materials call pictures that the file brought along: names of files.
pub const SOLIO_NAME_PICTURE: u32 = 5;

/// A name: `kind` is one of `SOLIO_NAME_…`, `index` counts from 0. The text is UTF-8 of `length`
/// bytes, without a zero at its end; it is there as long as the mesh.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_name(
    mesh: *const solio_mesh,
    kind: u32,
    index: u64,
    text: *mut *const c_char,
    length: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_mesh::take(mesh)?;
            let mesh = taken.mesh()?;
            let i = usize::try_from(index).unwrap_or(usize::MAX);
            let name = match kind {
                SOLIO_NAME_MATERIAL => taken.scene.materials.get(i).map(|m| &m.name),
                SOLIO_NAME_OBJECT => mesh.objects.get(i).map(|object| &object.name),
                SOLIO_NAME_GROUP => mesh.groups.get(i),
                SOLIO_NAME_WARNING => taken.scene.warnings.get(i),
                SOLIO_NAME_PICTURE => taken.scene.pictures.get(i).map(|picture| &picture.path),
                other => {
                    return Err(Failure::argument(format!("there is no kind {other} of names")));
                }
            };
            let name =
                name.ok_or_else(|| Failure::argument(format!("there is no name {index}")))?;
            border::put("the text", text, name.as_ptr().cast())?;
            border::put("the length", length, name.len() as u64)
        })
    }
}

/// A picture that the file brought along, as a GLB does: `index` counts from 0. The bytes are those of a
/// PNG, a JPEG or another file of pictures; they are there as long as the mesh.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_picture(
    mesh: *const solio_mesh,
    index: u64,
    bytes: *mut *const u8,
    length: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_mesh::take(mesh)?;
            let i = usize::try_from(index).unwrap_or(usize::MAX);
            let picture = taken.scene.pictures.get(i);
            let picture =
                picture.ok_or_else(|| Failure::argument(format!("no picture {index}")))?;
            border::put("the bytes", bytes, picture.bytes.as_ptr())?;
            border::put("the length", length, picture.bytes.len() as u64)
        })
    }
}

/// Frees a mesh, and all that points into it; null is nothing to do.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_free(mesh: *mut solio_mesh) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_mesh::free(mesh)) }
}
