//! Reading: a path or bytes to a scene.

use crate::mesh::gltf_files::FolderOf;
use crate::mesh::mtl_libraries::load_materials;
use crate::{Format, Input, ToInput};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use solio_kinds::{FileKind, FileType};
use solio_measure::SpanName;
use solio_mesh::gltf::{self, GltfFiles, GltfReadOptions, NoGltfFiles};
use solio_mesh::obj::{self, ObjReadOptions};
use solio_mesh::off::{self, OffReadOptions};
use solio_mesh::ply::{self, PlyReadOptions};
use solio_mesh::splats::{self, SplatReadOptions, sog, spz};
use solio_mesh::stl::{self, StlReadOptions};
use solio_mesh::{MeshSkip, Scene};
use std::path::Path;

static READ: SpanName = SpanName::new("read mesh");

/// Bytes of the head that detection looks at.
const HEAD_BYTES: usize = 64 << 10;

/// How a mesh is read.
///
/// ```
/// use solio::{MeshReadOptions, Work, read_mesh};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// solio::write_bytes(&path, b"mtllib gone.mtl\nv 0 0 0\n")?;
/// let lenient = read_mesh(&path, &MeshReadOptions::default(), &Work::default())?;
/// assert_eq!(lenient.warnings, ["the material library \"gone.mtl\" is missing"]);
/// let strict = MeshReadOptions { strict: true, ..MeshReadOptions::default() };
/// assert!(read_mesh(&path, &strict, &Work::default()).is_err());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshReadOptions {
    /// The format; `None` finds out.
    pub format: Option<Format>,
    /// Refuse what a lenient reader passes over with a warning, such as a missing MTL file.
    /// Stands above the same field of the formats.
    pub strict: bool,
    /// Bounds. Stand above those of the formats.
    pub limits: Limits,
    /// Leave the MTL files of an OBJ unread, and the materials of a glTF; they have only their names then.
    pub skip_materials: bool,
    /// What is not wanted. Stands above the same field of PLY.
    pub skip: MeshSkip,
    /// What concerns OBJ alone.
    pub obj: ObjReadOptions,
    /// What concerns PLY alone.
    pub ply: PlyReadOptions,
    /// What concerns STL alone.
    pub stl: StlReadOptions,
    /// What concerns glTF alone.
    pub gltf: GltfReadOptions,
}

impl MeshReadOptions {
    pub(crate) fn obj(&self) -> ObjReadOptions {
        ObjReadOptions {
            strict: self.strict || self.obj.strict,
            limits: self.limits,
            ..self.obj.clone()
        }
    }
}

/// Reads the mesh file at `path`; `-` is standard input. Gzip and zstd are recognized by their
/// content. For OBJ, the MTL files it names are read too.
///
/// ```
/// use solio::{MeshReadOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("triangle.obj");
/// # solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let scene = solio::read_mesh(&path, &MeshReadOptions::default(), &Work::default())?;
/// let mesh = &scene.meshes[0];
/// assert_eq!(mesh.positions.get(1), [1.0, 0.0, 0.0]);
/// // Face 0 has the corners 0 to 2, and these the vertices 0 to 2.
/// assert_eq!((&mesh.face_offsets[..], &mesh.corner_vertices[..]), (&[0, 3][..], &[0, 1, 2][..]));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_mesh(
    input: &(impl ToInput + ?Sized),
    options: &MeshReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let (_, scene) = read_mesh_and_format(input, options, work)?;
    Ok(scene)
}

/// [`read_mesh`], with the format that the file turned out to have.
///
/// ```
/// use solio::Format;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("triangle.dat");
/// # solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let read = solio::read_mesh_and_format(&path, &Default::default(), &Default::default())?;
/// assert_eq!((read.0, read.1.meshes.len()), (Format::Obj, 1)); // whatever the file is called
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_mesh_and_format(
    input: &(impl ToInput + ?Sized),
    options: &MeshReadOptions,
    work: &Work,
) -> Result<(Format, Scene<'static>)> {
    read_input(&*input.to_input(&options.limits, work)?, options, work, Scene::default())
}

/// [`read_mesh`] into the memory that `scene` owns, where the format can use it (PLY can): who reads
/// one mesh after the other saves the time in which the system makes fresh memory ready. After an
/// error the scene is empty.
///
/// ```
/// use solio::mesh::Scene;
/// # let folder = tempfile::tempdir().unwrap();
/// # let frames = ["1.ply", "2.ply"].map(|name| folder.path().join(name));
/// # for (frame, text) in frames.iter().zip([&b"v 0 0 0\nv 1 0 0\n"[..], b"v 0 0 2\n"]) {
/// #     let mesh = solio::read_mesh_bytes(text, &Default::default(), &Default::default())?;
/// #     solio::write_mesh(&mesh, frame, &Default::default(), &Default::default())?;
/// # }
/// // Two frames of a point cloud, in the same memory.
/// let (mut scene, mut counts) = (Scene::default(), Vec::new());
/// for frame in &frames {
///     solio::read_mesh_into(&mut scene, frame, &Default::default(), &Default::default())?;
///     counts.push(scene.meshes[0].positions.len());
/// }
/// assert_eq!(counts, [2, 1]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_mesh_into(
    scene: &mut Scene<'static>,
    input: &(impl ToInput + ?Sized),
    options: &MeshReadOptions,
    work: &Work,
) -> Result<()> {
    let old = std::mem::take(scene);
    *scene = read_input(&*input.to_input(&options.limits, work)?, options, work, old)?.1;
    Ok(())
}

/// [`read_mesh`] of an input that is open already, with the format that it turned out to have, into
/// the memory that `scene` owns where the format can use it.
pub(crate) fn read_input(
    input: &Input,
    options: &MeshReadOptions,
    work: &Work,
    mut scene: Scene<'static>,
) -> Result<(Format, Scene<'static>)> {
    let path = input.path();
    let _span = READ.begin_labelled(&path.to_string_lossy());
    let format = format_of(input, options)?;
    let read = || {
        let opened = match format {
            // Its arrays lie anywhere.
            Format::Gltf | Format::Glb | Format::Sog => input.whole(work)?,
            _ => input.stream(work)?.source,
        };
        let files = FolderOf::file(path, &options.limits, work);
        decode_into(&mut scene, format, &*opened, &files, options, work)?;
        if format == Format::Obj && !options.skip_materials {
            load_materials(&mut scene, path, options, work)?;
        }
        Ok((format, scene))
    };
    read().map_err(|e: Error| e.at_path(path))
}

/// The format that is asked for, or else the one that the input has.
fn format_of(input: &Input, options: &MeshReadOptions) -> Result<Format> {
    let found = options.format.or_else(|| Format::of_kind(input.kind_or_named()));
    found.ok_or_else(|| match input.kind() {
        FileKind::Data | FileKind::Text => {
            input.wrong("a mesh").hint(format!("name the format: {}", Format::written()))
        }
        _ => input.wrong("a mesh"),
    })
}

/// Reads a mesh from the bytes of a file, compressed or not. There is no folder to look for MTL
/// files in.
///
/// ```
/// use solio::{MeshReadOptions, Work, read_mesh_bytes};
/// let (options, work) = (MeshReadOptions::default(), Work::default());
/// let stl = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
///     vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
/// let scene = read_mesh_bytes(stl, &options, &work)?;
/// assert_eq!(solio::MeshInfo::of(&scene).triangles, 1);
/// // An error tells the place.
/// let error = read_mesh_bytes(b"v 0 0 0\nv 1 x 0\n", &options, &work).unwrap_err();
/// assert_eq!(error.line(), Some(2));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_mesh_bytes(
    bytes: &[u8],
    options: &MeshReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    if Compression::of_head(bytes) != Compression::None {
        let input = Input::of_bytes(Path::new(""), bytes.to_vec(), &options.limits)?;
        let without = MeshReadOptions { skip_materials: true, ..options.clone() };
        return Ok(read_input(&input, &without, work, Scene::default())?.1);
    }
    let format = match options.format {
        Some(format) => format,
        None => detect(bytes)?,
    };
    let mut scene = Scene::default();
    decode_into(&mut scene, format, &bytes, &NoGltfFiles, options, work)?;
    Ok(scene)
}

fn detect(bytes: &[u8]) -> Result<Format> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let found = FileType::detect(head, Some(bytes.len() as u64), Path::new(""));
    Format::of_kind(found.kind).ok_or_else(|| match bytes.is_empty() {
        true => Error::corrupt("the file is empty").at_offset(0),
        false => Error::unsupported("the content is not that of a known mesh format")
            .hint(format!("name the format: {}", Format::written())),
    })
}

fn decode_into(
    scene: &mut Scene<'static>,
    format: Format,
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &MeshReadOptions,
    work: &Work,
) -> Result<()> {
    let (limits, skip) = (options.limits, options.skip);
    match format {
        Format::Obj => *scene = obj::decode_obj(source, &options.obj(), work)?,
        Format::Ply => {
            let strict = options.strict || options.ply.strict;
            let options =
                PlyReadOptions { strict, limits, skip: options.skip, ..options.ply.clone() };
            ply::decode_ply_into(scene, source, &options, work)?;
        }
        Format::Stl => {
            let strict = options.strict || options.stl.strict;
            let options = StlReadOptions { strict, limits, ..options.stl.clone() };
            *scene = stl::decode_stl(source, &options, work)?;
        }
        Format::Off => {
            let options = OffReadOptions { strict: options.strict, limits };
            *scene = off::decode_off(source, &options, work)?;
        }
        Format::Gltf | Format::Glb => {
            let strict = options.strict || options.gltf.strict;
            let skip_materials = options.skip_materials || options.gltf.skip_materials;
            let options =
                GltfReadOptions { strict, limits, skip_materials, ..options.gltf.clone() };
            *scene = gltf::decode_gltf(source, files, &options, work)?;
        }
        Format::Splat | Format::Spz | Format::Sog => {
            let options = SplatReadOptions { strict: options.strict, limits };
            *scene = match format {
                Format::Sog => sog::decode_sog(source, files, &options, work)?,
                Format::Spz => spz::decode_spz(source, &options, work)?,
                _ => splats::decode_splat(source, &options, work)?,
            };
        }
    }
    skip.drop_from(scene);
    Ok(())
}
