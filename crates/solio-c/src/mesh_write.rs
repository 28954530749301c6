//! Writing meshes from the caller's arrays.

use crate::border::{self, Failure, Outcome, Sized0, call, fill, given, slice, solio_error};
use crate::job::{solio_work, work_and_limits};
use crate::mesh::{SOLIO_OF_CORNER, SOLIO_OF_FACE, SOLIO_OF_INDEX, SOLIO_OF_VERTEX, format};
use crate::mesh_array::{SOLIO_F32, SOLIO_F64};
use ::solio_mesh::{
    ColorSpace, Colors, Domain, Material, Mesh, Normals, Object, Positions, Scene, Uvs,
};
use solio::{Digits, MeshWriteOptions, Written};
use std::borrow::Cow;
use std::ffi::c_char;

/// Bytes of the text about what was lost, with the zero at its end.
pub const SOLIO_LOSS_TEXT: usize = 1000;

/// Rows of numbers of the caller, each at `start + i × stride`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_rows {
    /// The first row; null where there are none.
    pub start: *const u8,
    /// Rows.
    pub count: u64,
    /// Bytes from one row to the next; 0 for rows one directly after the other, which are not copied.
    pub stride: u64,
    /// The number of each corner's row: `uint32_t`, `UINT32_MAX` where it has none; with
    /// `SOLIO_OF_INDEX` only.
    pub indices: *const u32,
    /// Which element a row belongs to: one of `SOLIO_OF_…`; of positions and colours, nothing.
    pub of: u32,
    /// `SOLIO_F32` (or 0), or of positions `SOLIO_F64`.
    pub kind: u32,
}

/// A mesh in the caller's memory. Zeros are what is not there.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_mesh_arrays {
    /// `sizeof(solio_mesh_arrays)`.
    pub size: u64,
    /// 3 × float or double a vertex.
    pub positions: solio_rows,
    /// 3 × float each.
    pub normals: solio_rows,
    /// 2 × float each; v goes up.
    pub uvs: solio_rows,
    /// 4 × float a vertex, 0 to 1.
    pub colors: solio_rows,
    /// Where the corners of each face begin: one more than faces. Null where all faces have
    /// `face_corners` corners.
    pub face_offsets: *const u32,
    /// Faces.
    pub faces: u64,
    /// The vertex of each corner.
    pub corner_vertices: *const u32,
    /// Corners of all faces.
    pub corners: u64,
    /// The material of each face, `UINT32_MAX` for none; null where no face has one.
    pub face_materials: *const u32,
    /// Names of materials, UTF-8 with a zero at the end of each.
    pub material_names: *const *const c_char,
    /// Materials.
    pub materials: u64,
    /// The name of the object, UTF-8; null for none.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: u64,
    /// Corners of each face, where there are no offsets: 3, 4, …
    pub face_corners: u32,
    /// 1 where colours are linear light, 0 where they are sRGB.
    pub colors_linear: u32,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_mesh_arrays {}

/// Text instead of binary, for PLY and STL.
pub const SOLIO_WRITE_ASCII: u32 = 1;
/// Refuse, before anything is written, where the format cannot hold something of the mesh.
pub const SOLIO_WRITE_STRICT_LOSS: u32 = 2;
/// The file is on the disk, not only in the system's memory, when writing returns.
pub const SOLIO_WRITE_DURABLE: u32 = 4;
/// The fewest digits that read back to the same number.
pub const SOLIO_WRITE_SHORTEST: u32 = 8;

/// How a mesh is written. Zeros are the usual values.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_mesh_write_options {
    /// `sizeof(solio_mesh_write_options)`.
    pub size: u64,
    /// One of `SOLIO_FORMAT_…`; `SOLIO_FORMAT_AUTO` takes it from the name.
    pub format: u32,
    /// Some of `SOLIO_WRITE_…`.
    pub flags: u32,
    /// The level of gzip or zstd, which the name asks for (`.gz`, `.zst`); 0 is the usual one.
    pub level: i32,
    /// Digits after the point, 1 to 17; 0 is what the format usually has.
    pub digits: u32,
    /// How the machine is used; may be null.
    pub work: *const solio_work,
}

// SAFETY: numbers and a pointer, after the size.
unsafe impl Sized0 for solio_mesh_write_options {}

/// What was written.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_written {
    /// `sizeof(solio_written)`.
    pub size: u64,
    /// Bytes in all files.
    pub file_bytes: u64,
    /// The same before compression.
    pub raw_bytes: u64,
    /// Files.
    pub files: u64,
    /// Kinds of things that the file cannot hold.
    pub losses: u64,
    /// What these are, a line each, UTF-8, cut where it is long.
    pub loss_text: [c_char; SOLIO_LOSS_TEXT],
}

// SAFETY: numbers, after the size.
unsafe impl Sized0 for solio_written {}

/// The rows as floats, without a copy where they lie side by side.
///
/// # Safety
/// As `solio_rows` says.
unsafe fn rows<'a, T: Copy, const N: usize>(
    what: &str,
    rows: &solio_rows,
) -> Outcome<Cow<'a, [[T; N]]>> {
    let row = size_of::<[T; N]>() as u64;
    let is_aligned = rows.start.cast::<T>().is_aligned();
    if rows.stride == 0 || rows.stride == row && is_aligned {
        // SAFETY: as the caller promises.
        return Ok(Cow::Borrowed(unsafe { slice(what, rows.start.cast::<[T; N]>(), rows.count) }?));
    }
    if rows.stride < row {
        let text = format!("{what}: rows of {row} bytes, {} bytes apart", rows.stride);
        return Err(Failure::argument(text));
    }
    let all = rows.count.checked_mul(rows.stride);
    let all = all.ok_or_else(|| Failure::argument(format!("{what} are too many")))?;
    let last = all.saturating_sub(rows.stride - row);
    // SAFETY: as the caller promises.
    let bytes = unsafe { slice(what, rows.start, last) }?;
    let one = |place: &[u8]| {
        // SAFETY: a row lies within each piece, the last of which has just its bytes.
        unsafe { place.as_ptr().cast::<[T; N]>().read_unaligned() }
    };
    Ok(bytes.chunks(rows.stride as usize).map(one).collect::<Vec<_>>().into())
}

/// # Safety
/// As `solio_rows` says.
unsafe fn domain<'a>(what: &str, rows: &solio_rows, corners: u64) -> Outcome<Domain<'a>> {
    Ok(match rows.of {
        SOLIO_OF_VERTEX => Domain::Vertex,
        SOLIO_OF_FACE => Domain::Face,
        SOLIO_OF_CORNER => Domain::Corner,
        SOLIO_OF_INDEX => {
            // SAFETY: as the caller promises.
            Domain::Indexed(unsafe { slice(what, rows.indices, corners) }?.into())
        }
        other => {
            let text = format!("{what}: {other} is no element that values belong to");
            return Err(Failure::argument(text));
        }
    })
}

fn is_there(what: &str, rows: &solio_rows) -> Outcome<bool> {
    if rows.start.is_null() && rows.count == 0 {
        return Ok(false);
    }
    if rows.kind != 0 && rows.kind != SOLIO_F32 {
        return Err(Failure::argument(format!("{what} are float")));
    }
    Ok(true)
}

/// The caller's arrays as a scene.
///
/// # Safety
/// As `solio_mesh_arrays` says.
unsafe fn scene<'a>(arrays: &solio_mesh_arrays) -> Outcome<Scene<'a>> {
    // SAFETY: here and below as the caller promises.
    unsafe {
        let positions = match arrays.positions.kind {
            0 | SOLIO_F32 => Positions::F32(rows("the positions", &arrays.positions)?),
            SOLIO_F64 => Positions::F64(rows("the positions", &arrays.positions)?),
            other => return Err(Failure::argument(format!("positions of kind {other}"))),
        };
        let offsets = match arrays.face_offsets.is_null() {
            false => {
                slice("the face offsets", arrays.face_offsets, arrays.faces.saturating_add(1))?
                    .into()
            }
            true => even_offsets(arrays)?.into(),
        };
        let mut mesh = Mesh {
            positions,
            face_offsets: offsets,
            corner_vertices: slice("the corners", arrays.corner_vertices, arrays.corners)?.into(),
            ..Mesh::default()
        };
        if is_there("normals", &arrays.normals)? {
            mesh.normals = Some(Normals {
                values: rows("the normals", &arrays.normals)?,
                domain: domain("the normals", &arrays.normals, arrays.corners)?,
            });
        }
        if is_there("texture coordinates", &arrays.uvs)? {
            mesh.uvs = Some(Uvs {
                values: rows("the texture coordinates", &arrays.uvs)?,
                domain: domain("the texture coordinates", &arrays.uvs, arrays.corners)?,
            });
        }
        if is_there("colours", &arrays.colors)? {
            let space =
                if arrays.colors_linear == 0 { ColorSpace::Srgb } else { ColorSpace::Linear };
            mesh.colors = Some(Colors { values: rows("the colours", &arrays.colors)?, space });
        }
        let mut materials = Vec::new();
        if !arrays.face_materials.is_null() {
            mesh.face_materials =
                slice("the materials of faces", arrays.face_materials, arrays.faces)?.into();
            for &name in slice("the names of materials", arrays.material_names, arrays.materials)? {
                materials.push(Material { name: zero_ended(name)?, ..Material::default() });
            }
        }
        if arrays.name_length > 0 {
            let name = border::text("the name", arrays.name, arrays.name_length)?.to_owned();
            mesh.objects = vec![whole_object(name, &mesh)?];
        }
        Ok(Scene { meshes: vec![mesh], materials, ..Scene::default() })
    }
}

/// # Safety
/// Null, or text with a zero at its end.
unsafe fn zero_ended(text: *const c_char) -> Outcome<String> {
    if text.is_null() {
        return Err(Failure::argument("the name of a material is null"));
    }
    // SAFETY: as the caller promises.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_str();
    Ok(text.map_err(|e| Failure::argument(format!("the name of a material: {e}")))?.to_owned())
}

fn even_offsets(arrays: &solio_mesh_arrays) -> Outcome<Vec<u32>> {
    if arrays.faces == 0 {
        return Ok(Vec::new());
    }
    let per_face = u64::from(arrays.face_corners);
    let is_right = arrays.faces.checked_mul(per_face) == Some(arrays.corners);
    if per_face == 0 || !is_right || arrays.corners > u64::from(u32::MAX) {
        return Err(Failure::argument(format!(
            "{} faces of {per_face} corners are not {} corners",
            arrays.faces, arrays.corners
        )));
    }
    Ok((0..=arrays.faces).map(|face| (face * per_face) as u32).collect())
}

fn whole_object(name: String, mesh: &Mesh<'_>) -> Outcome<Object> {
    let end = |count: usize| {
        u32::try_from(count)
            .map_err(|_| Failure::argument(format!("{count} elements are too many")))
    };
    Ok(Object {
        name,
        vertices_end: end(mesh.positions.len())?,
        uvs_end: end(mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len()))?,
        normals_end: end(mesh.normals.as_ref().map_or(0, |normals| normals.values.len()))?,
        faces_end: end(mesh.face_offsets.len().saturating_sub(1))?,
        ..Object::default()
    })
}

/// # Safety
/// As `solio_mesh_write_options` says.
unsafe fn write_options(
    options: *const solio_mesh_write_options,
) -> Outcome<(MeshWriteOptions, solio::Work)> {
    // SAFETY: as the caller promises.
    let asked = unsafe { given("solio_mesh_write_options", options) }?;
    let known =
        SOLIO_WRITE_ASCII | SOLIO_WRITE_STRICT_LOSS | SOLIO_WRITE_DURABLE | SOLIO_WRITE_SHORTEST;
    if asked.flags & !known != 0 {
        return Err(Failure::argument(format!("flags {:#x} are not known", asked.flags & !known)));
    }
    let has = |flag| asked.flags & flag != 0;
    let mut options = MeshWriteOptions {
        format: format(asked.format)?,
        level: (asked.level != 0).then_some(asked.level),
        strict_loss: has(SOLIO_WRITE_STRICT_LOSS),
        durable: has(SOLIO_WRITE_DURABLE),
        ..MeshWriteOptions::default()
    };
    options.stl.ascii_format = has(SOLIO_WRITE_ASCII);
    if has(SOLIO_WRITE_ASCII) {
        options.ply.format = ::solio_mesh::ply::PlyFormat::Ascii;
    }
    options.ply.export_normals = true;
    let digits = match asked.digits {
        _ if has(SOLIO_WRITE_SHORTEST) => Some(Digits::Shortest),
        0 => None,
        digits if digits <= Digits::MAX_FIXED.into() => Some(Digits::Fixed(digits as u8)),
        digits => return Err(Failure::argument(format!("{digits} digits; 17 are the most"))),
    };
    if let Some(digits) = digits {
        options.ply.digits = digits;
        options.stl.digits = digits;
        options.obj.position_digits = digits;
        options.obj.uv_digits = digits;
        options.obj.normal_digits = digits;
        options.obj.color_digits = digits;
    }
    // SAFETY: as the caller promises.
    let (work, _) = unsafe { work_and_limits(asked.work) }?;
    Ok((options, work))
}

/// Tells the caller what was written, where that is asked for.
///
/// # Safety
/// As `solio_written` says.
pub(crate) unsafe fn tell(to: *mut solio_written, written: &Written) -> Outcome {
    if to.is_null() {
        return Ok(());
    }
    let mut told = border::zeroed::<solio_written>();
    told.file_bytes = written.file_bytes;
    told.raw_bytes = written.raw_bytes;
    told.files = written.files.len() as u64;
    told.losses = written.losses.iter().len() as u64;
    border::copy_text(&written.losses.to_string(), &mut told.loss_text);
    // SAFETY: as the caller promises.
    unsafe { fill("solio_written", to, &told) }
}

/// Writes a mesh to `path`; the ending tells the format (`.obj`, `.ply`, `.stl`, `.off`, also with
/// `.gz` or `.zst` behind it). The file appears whole, or what was there before stays. `written` may
/// be null.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_write(
    arrays: *const solio_mesh_arrays,
    path: *const c_char,
    path_length: u64,
    options: *const solio_mesh_write_options,
    written: *mut solio_written,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let arrays = given("solio_mesh_arrays", arrays)?;
            let scene = scene(&arrays)?;
            let path = border::path(path, path_length)?;
            let (options, work) = write_options(options)?;
            tell(written, &solio::write_mesh(&scene, &path, &options, &work)?)
        })
    }
}
