//! Packed scenes: a scene and its meshes to one file, and back.

use crate::scene::file::{FolderFiles, SceneReadOptions, is_pack};
use crate::{Format, Input, MeshWriteOptions, ToInput, Written, read_scene};
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use solio_io::{FileSink, SinkOptions};
use solio_measure::SpanName;
use solio_mesh::Mesh;
use solio_mesh::model::{Attribute, Domain, Normals, Positions, Uvs, Values};
use solio_mesh::ply::{PlyReadOptions, decode_ply};
use solio_scene::pack::{PackOptions, PackReadOptions, PackReader, PackSummary, PackedMesh};
use solio_scene::scene::{Files, Scene};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

static PACK: SpanName = SpanName::new("pack scene");
static UNPACK: SpanName = SpanName::new("unpack scene");

/// How a scene is packed.
///
/// ```
/// use solio::ScenePackOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let text = b"WorldBegin\nShape \"plymesh\" \"string filename\" \"a.ply\"\n";
/// # solio::write_bytes(&at("a.pbrt"), text)?;
/// # let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// # let mesh = solio::read_mesh_bytes(obj, &Default::default(), &Default::default())?;
/// # solio::write_mesh(&mesh, &at("a.ply"), &Default::default(), &Default::default())?;
/// // A scene with one mesh in a file, which stays where it is.
/// let text_only = ScenePackOptions { meshes: false, ..ScenePackOptions::default() };
/// let packed = solio::pack_scene(&at("a.pbrt"), &at("a.solio"), &text_only, &Default::default())?;
/// assert_eq!((packed.scene.shapes.len(), packed.summary.meshes), (1, 0));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScenePackOptions {
    /// How its text is read.
    pub read: SceneReadOptions,
    /// How it is packed.
    pub pack: PackOptions,
    /// Whether the meshes of its PLY files are packed too.
    pub meshes: bool,
    /// The file is on the disk, not only in the system's memory, when packing returns.
    pub durable: bool,
}

impl Default for ScenePackOptions {
    fn default() -> Self {
        ScenePackOptions {
            read: SceneReadOptions::default(),
            pack: PackOptions::default(),
            meshes: true,
            durable: false,
        }
    }
}

/// What was packed.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, pack] = ["a.pbrt", "a.solio"].map(|name| folder.path().join(name));
/// # let text = b"WorldBegin\nShape \"plymesh\" \"string filename\" \"gone.ply\"\n";
/// # solio::write_bytes(&scene, text)?;
/// // The one mesh of this scene is missing.
/// let packed = solio::pack_scene(&scene, &pack, &Default::default(), &Default::default())?;
/// assert!(packed.left_meshes[0].path().unwrap().ends_with("gone.ply"));
/// assert_eq!(packed.summary.file_bytes, std::fs::metadata(&pack).unwrap().len());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug)]
pub struct ScenePacked {
    /// The scene.
    pub scene: Scene,
    /// What the file holds.
    pub summary: PackSummary,
    /// Meshes that stay in their files, each with the reason: they are missing, or damaged.
    pub left_meshes: Vec<Error>,
}

/// Reads the scene at `path` and packs it into the file `output`, which appears whole or not at
/// all; `-` is standard output. What is wrong with the scene is kept in it; a mesh that cannot be
/// read stays in its file. Positions of double precision are rounded, as pbrt does.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, pack] = ["a.pbrt", "a.solio"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// solio::write_bytes(&scene, b"WorldBegin\nShape \"sphere\" \"float radius\" 2\n")?;
/// let packed = solio::pack_scene(&scene, &pack, &Default::default(), &work)?;
/// // It is read like any other scene, only sooner.
/// let again = solio::read_scene(&pack, &Default::default(), &work)?;
/// assert_eq!(again.float(&again.shapes[0].entity, "radius"), Some(2.0));
/// assert_eq!(again.shapes, packed.scene.shapes);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn pack_scene(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    options: &ScenePackOptions,
    work: &Work,
) -> Result<ScenePacked> {
    let input = input.to_input(&options.read.limits, work)?;
    let scene = read_scene(&*input, &options.read, work)?;
    let (summary, left_meshes) = pack_open(&scene, &input, output, options, work)?;
    Ok(ScenePacked { scene, summary, left_meshes })
}

/// [`pack_scene`] of a scene that was read from `input`; meshes that this one brings along are taken from
/// there.
pub(super) fn pack_open(
    scene: &Scene,
    input: &Input,
    output: &Path,
    options: &ScenePackOptions,
    work: &Work,
) -> Result<(PackSummary, Vec<Error>)> {
    let (path, limits) = (input.path(), &options.read.limits);
    let _span = PACK.begin_labelled(&path.to_string_lossy());
    let source = is_pack(input).then(|| input.source(work)).transpose()?;
    let packed = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
    let reader = source.as_ref().map(|source| PackReader::new(&**source, &packed));
    let reader = reader.transpose().map_err(|e| e.at_path(path))?;
    let infos = reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.meshes(work))?;
    let numbers: HashMap<Vec<u8>, u32> =
        infos.into_iter().zip(0..).map(|(info, number)| (info.name, number)).collect();
    let files = FolderFiles::beside(path, limits, work);
    let left = RefCell::new(Vec::new());
    let mesh = |name: &[u8]| {
        if !options.meshes {
            return Ok(None);
        }
        let (found, path) = match (&reader, numbers.get(name)) {
            (Some(reader), Some(number)) => (reader.mesh(*number, work), path.to_owned()),
            _ => {
                let path = files.path(name);
                (packed_mesh(&files, &path, limits, work), path)
            }
        };
        match found {
            Ok(mesh) => Ok(Some(mesh)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                left.borrow_mut().push(error.at_path(path));
                Ok(None)
            }
        }
    };
    let pack = || {
        let file = SinkOptions { durable: options.durable, ..SinkOptions::default() };
        let mut sink = FileSink::create(output, &file, work)?;
        let summary = solio_scene::pack::encode_pack(scene, &mesh, &options.pack, &mut sink, work)?;
        sink.commit()?;
        Ok(summary)
    };
    let summary = pack().map_err(|error: Error| error.at_path(output))?;
    Ok((summary, left.into_inner()))
}

/// Reads the packed scene at `path`, without its meshes. [`PackReader`] reads these, and parts.
///
/// ```
/// use solio::scene::pack::PackReadOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, pack] = ["a.pbrt", "a.solio"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # solio::write_bytes(&scene, b"WorldBegin\n\nShape \"sphere\"\n")?;
/// solio::pack_scene(&scene, &pack, &Default::default(), &work)?;
/// let line = |options| {
///     let scene = solio::read_packed_scene(&pack, &options, &work)?;
///     Ok::<u32, solio::Error>(scene.shapes[0].entity.place.line)
/// };
/// assert_eq!(line(PackReadOptions::default())?, 3);
/// // Who draws it does not ask where in the text it stood: lines are 0 then.
/// assert_eq!(line(PackReadOptions { places: false, ..PackReadOptions::default() })?, 0);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_packed_scene(
    input: &(impl ToInput + ?Sized),
    options: &PackReadOptions,
    work: &Work,
) -> Result<Scene> {
    let input = input.to_input(&options.limits, work)?;
    let _span = UNPACK.begin_labelled(&input.path().to_string_lossy());
    let read = || PackReader::new(&*input.whole(work)?, options)?.scene(work);
    read().map_err(|error: Error| error.at_path(input.path()))
}

/// The meshes that the scene at `path` brings along, by the names of their files; none if it is not
/// packed.
pub(crate) fn packed_meshes(
    input: &Input,
    limits: &Limits,
    work: &Work,
) -> Result<Vec<(Vec<u8>, Mesh<'static>)>> {
    if !is_pack(input) {
        return Ok(Vec::new());
    }
    let read = || {
        let source = input.whole(work)?;
        let options = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
        let reader = PackReader::new(&*source, &options)?;
        let infos = reader.meshes(work)?.into_iter().zip(0..);
        infos
            .map(|(info, number)| Ok((info.name, mesh_of_packed(reader.mesh(number, work)?))))
            .collect::<Result<Vec<_>>>()
    };
    read().map_err(|e: Error| e.at_path(input.path()))
}

/// A mesh out of a packed scene, as that of its file.
pub(crate) fn mesh_of_packed(packed: PackedMesh<'static>) -> Mesh<'static> {
    let of_vertices = |values: Cow<'static, [[f32; 3]]>| {
        (!values.is_empty()).then_some(Normals { values, domain: Domain::Vertex })
    };
    let face_offsets = match packed.face_offsets.is_empty() {
        true => (0..=packed.corners.len() as u32 / 3).map(|i| 3 * i).collect(),
        false => packed.face_offsets,
    };
    let uvs = packed.uvs;
    let mut mesh = Mesh {
        positions: Positions::F32(packed.positions),
        normals: of_vertices(packed.normals),
        uvs: (!uvs.is_empty()).then_some(Uvs { values: uvs, domain: Domain::Vertex }),
        face_offsets,
        corner_vertices: packed.corners,
        ..Mesh::default()
    };
    if !packed.face_indices.is_empty() {
        mesh.attributes.push(Attribute {
            element: "face".to_owned(),
            name: "face_indices".to_owned(),
            values: Values::I32(packed.face_indices),
            list: None,
        });
    }
    mesh
}

/// What came of unpacking a scene.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let work = solio::Work::default();
/// # let text = b"WorldBegin\nShape \"plymesh\" \"string filename\" \"../a.ply\"\n";
/// # std::fs::create_dir(at("in")).unwrap();
/// # std::fs::create_dir_all(at("out/out")).unwrap();
/// # solio::write_bytes(&at("in/a.pbrt"), text)?;
/// # let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// # let mesh = solio::read_mesh_bytes(obj, &Default::default(), &work)?;
/// # solio::write_mesh(&mesh, &at("a.ply"), &Default::default(), &work)?;
/// # let (pack, output) = (at("a.solio"), at("out/out/a.pbrt"));
/// # solio::pack_scene(&at("in/a.pbrt"), &pack, &Default::default(), &work)?;
/// // The mesh of this scene is called ../a.ply: nobody writes there.
/// let made = solio::unpack_scene(&pack, &output, &Default::default(), &work)?;
/// assert_eq!((made.written.files.len(), made.left_meshes.len()), (1, 1));
/// assert!(!at("out/a.ply").exists());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SceneUnpacked {
    /// The text, then the meshes.
    pub written: Written,
    /// Meshes that were not written, each with the reason.
    pub left_meshes: Vec<Error>,
}

/// Writes the packed scene at `path` as text of pbrt to `output`, and the meshes that it brings
/// along beside that, under the names that the text gives them. A file that is there stays as it
/// is; a name that leads out of the folder is not written to.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let work = solio::Work::default();
/// # let text = b"WorldBegin\nShape \"plymesh\" \"string filename\" \"meshes/a.ply\"\n";
/// # std::fs::create_dir_all(at("in/meshes")).unwrap();
/// # std::fs::create_dir(at("out")).unwrap();
/// # solio::write_bytes(&at("in/a.pbrt"), text)?;
/// # let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// # let mesh = solio::read_mesh_bytes(obj, &Default::default(), &work)?;
/// # solio::write_mesh(&mesh, &at("in/meshes/a.ply"), &Default::default(), &work)?;
/// solio::pack_scene(&at("in/a.pbrt"), &at("a.solio"), &Default::default(), &work)?;
/// solio::unpack_scene(&at("a.solio"), &at("out/a.pbrt"), &Default::default(), &work)?;
/// let scene = solio::read_scene(&at("out/a.pbrt"), &Default::default(), &work)?;
/// assert_eq!(scene.mesh_files(), [b"meshes/a.ply"]);
/// assert!(at("out/meshes/a.ply").exists());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn unpack_scene(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    limits: &Limits,
    work: &Work,
) -> Result<SceneUnpacked> {
    let options = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
    let input = input.to_input(limits, work)?;
    let path = input.path();
    let scene = read_packed_scene(&*input, &options, work)?;
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let compression = Compression::of_name(&name);
    let file = SinkOptions { compression, ..SinkOptions::default() };
    let write = |sink: &mut FileSink| solio_scene::scene::write_scene(&scene, sink, work);
    let written = Written::one(output, &file, work, write)?;
    let mut made = SceneUnpacked { written, ..SceneUnpacked::default() };
    if solio_io::is_direct(output) {
        return Ok(made);
    }
    let files = FolderFiles::beside(output, limits, work);
    let mut read = || {
        let source = input.whole(work)?;
        let reader = PackReader::new(&*source, &options)?;
        for (number, info) in reader.meshes(work)?.into_iter().enumerate() {
            let to = files.beside_scene(&info.name);
            if to.exists() {
                continue;
            }
            if let Err(error) = mesh_to_file(&reader, number as u32, &info.name, &to, work) {
                match error.kind() {
                    ErrorKind::Cancelled => return Err(error),
                    _ => made.left_meshes.push(error.at_path(&to)),
                }
            }
        }
        Ok(())
    };
    read().map_err(|e: Error| e.at_path(path))?;
    Ok(made)
}

fn mesh_to_file(
    reader: &PackReader<'_>,
    number: u32,
    name: &[u8],
    to: &Path,
    work: &Work,
) -> Result<()> {
    let name = Path::new(std::ffi::OsStr::from_bytes(name));
    let depth = name.components().count();
    if let Some(folder) = to.ancestors().nth(depth).filter(|_| to.ends_with(name)) {
        solio_io::place_below(folder, name)?;
    }
    if !name.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
        return Err(Error::argument("the name leads out of the folder of the scene"));
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", e))?;
    }
    let meshes = vec![mesh_of_packed(reader.mesh(number, work)?)];
    let scene = solio_mesh::Scene { meshes, ..solio_mesh::Scene::default() };
    let options = MeshWriteOptions { format: Some(Format::Ply), ..MeshWriteOptions::default() };
    crate::write_mesh(&scene, to, &options, work).map(|_| ())
}

/// The mesh of a PLY file.
pub(crate) fn packed_mesh(
    files: &FolderFiles<'_>,
    path: &Path,
    limits: &Limits,
    work: &Work,
) -> Result<PackedMesh<'static>> {
    let source: Box<dyn Source> = files.open(path)?;
    let read = PlyReadOptions { limits: *limits, ..PlyReadOptions::default() };
    let scene = decode_ply(&*source, &read, work)?;
    let Some(mesh) = scene.meshes.into_iter().next() else {
        return Err(Error::corrupt("the file has no mesh"));
    };
    let positions = match mesh.positions {
        Positions::F32(positions) => positions,
        Positions::F64(positions) => {
            positions.iter().map(|position| position.map(|value| value as f32)).collect()
        }
    };
    // pbrt looks at values of vertices alone.
    let normals = mesh.normals.filter(|normals| normals.domain == Domain::Vertex);
    let uvs = mesh.uvs.filter(|uvs| uvs.domain == Domain::Vertex);
    let triangles = mesh.face_offsets.windows(2).all(|pair| pair[1] - pair[0] == 3);
    let mut indices = mesh.attributes.into_iter();
    let indices = indices.find(|a| a.element == "face" && a.name == "face_indices");
    let face_indices = match indices.map(|attribute| attribute.values) {
        Some(Values::I32(values)) => Cow::Owned(values.into_owned()),
        Some(Values::U32(values)) => values.iter().map(|value| *value as i32).collect(),
        _ => Cow::Borrowed(&[][..]),
    };
    Ok(PackedMesh {
        positions: Cow::Owned(positions.into_owned()),
        normals: Cow::Owned(normals.map_or(Vec::new(), |normals| normals.values.into_owned())),
        uvs: Cow::Owned(uvs.map_or(Vec::new(), |uvs| uvs.values.into_owned())),
        corners: Cow::Owned(mesh.corner_vertices.into_owned()),
        face_offsets: match triangles {
            true => Cow::Borrowed(&[]),
            false => Cow::Owned(mesh.face_offsets.into_owned()),
        },
        face_indices,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_base::Limits;

    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nproperty float u\nproperty float v\nelement face 2\n\
        property list uchar int vertex_indices\nproperty int face_indices\nend_header\n\
        0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0.5 0 1\n3 0 1 2 7\n4 0 1 2 3 -1\n";

    #[test]
    fn a_scene_and_its_meshes_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let text = "WorldBegin\nShape \"plymesh\" \"string filename\" \"a.ply\"\n\
            Shape \"plymesh\" \"string filename\" \"missing.ply\"\nInclude \"b.pbrt\"\n";
        crate::write_bytes(&at("scene.pbrt"), text.as_bytes()).unwrap();
        crate::write_bytes(&at("b.pbrt"), b"Shape \"sphere\"\n").unwrap();
        crate::write_bytes(&at("a.ply"), PLY.as_bytes()).unwrap();
        let (work, options) = (Work::default(), ScenePackOptions::default());
        let output = at("scene.solio");
        let packed = pack_scene(&at("scene.pbrt"), &output, &options, &work).unwrap();
        assert_eq!((packed.summary.meshes, packed.left_meshes.len()), (1, 1));
        assert!(packed.left_meshes[0].path().unwrap().ends_with("missing.ply"));
        let back = read_packed_scene(&output, &PackReadOptions::default(), &work).unwrap();
        assert_eq!((back.shapes, back.files), (packed.scene.shapes, packed.scene.files));

        let opened = solio_io::open(&output, &Limits::default(), &work).unwrap();
        let reader = PackReader::new(&*opened.source, &PackReadOptions::default()).unwrap();
        assert_eq!(reader.meshes(&work).unwrap()[0].name, b"a.ply");
        let mesh = reader.mesh(0, &work).unwrap();
        assert_eq!(mesh.positions[3], [0., 1., 0.5]);
        assert_eq!((&mesh.uvs[2], mesh.normals.len()), (&[1., 1.], 0));
        assert_eq!((&*mesh.face_offsets, &*mesh.face_indices), (&[0, 3, 7][..], &[7, -1][..]));
        let less = ScenePackOptions { meshes: false, ..options };
        let less = pack_scene(&at("scene.pbrt"), &output, &less, &work).unwrap();
        assert_eq!((less.summary.meshes, less.left_meshes.len()), (0, 0));

        let wrong = read_packed_scene(&at("a.ply"), &PackReadOptions::default(), &work);
        let error = wrong.map(|_| ()).unwrap_err();
        assert!(error.path().is_some() && error.offset() == Some(0), "{error}");
    }
}
