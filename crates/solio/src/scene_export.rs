//! Scenes for other programs: glTF, in one file or two.

use crate::scene_file::{FolderFiles, is_packed_scene};
use crate::scene_pack::{mesh_of_packed, packed_mesh};
use crate::{SceneReadOptions, Written, read_scene};
use solio_base::{Error, Limits, Result, Work};
use solio_io::{FileSink, SinkOptions};
use solio_measure::SpanName;
use solio_mesh::triangulate::triangulate;
use solio_scene::export::{ExportMeshes, Faces};
use solio_scene::gltf::{GltfOutput, GltfSummary, encode_gltf};
use solio_scene::pack::{PackReadOptions, PackReader, PackedMesh};
use solio_scene::scene::{Files, Scene};
use std::collections::HashMap;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::FromStr;

static EXPORT: SpanName = SpanName::new("export scene");

/// A format of scenes that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneFormat {
    /// glTF 2.0: a document, and its arrays in a `.bin` beside it.
    Gltf,
    /// glTF 2.0 in one file.
    Glb,
}

impl SceneFormat {
    /// All of them.
    pub const ALL: [SceneFormat; 2] = [SceneFormat::Gltf, SceneFormat::Glb];

    /// `gltf`, `glb`: also the end of a file name.
    pub fn as_str(self) -> &'static str {
        match self {
            SceneFormat::Gltf => "gltf",
            SceneFormat::Glb => "glb",
        }
    }

    /// From a file name, whatever its case.
    pub fn of_name(path: &Path) -> Option<SceneFormat> {
        path.extension()?.to_str()?.to_ascii_lowercase().parse().ok()
    }
}

impl fmt::Display for SceneFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SceneFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<SceneFormat> {
        let found = SceneFormat::ALL.into_iter().find(|format| format.as_str() == name);
        found.ok_or_else(|| Error::argument(format!("no format of scenes: {name}")))
    }
}

/// How a scene is written for other programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SceneExportOptions {
    /// How the scene is read.
    pub read: SceneReadOptions,
    /// The format; `None` takes it from the name.
    pub format: Option<SceneFormat>,
    /// The files are on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct SceneExported {
    /// The files.
    pub written: Written,
    /// Meshes that were written.
    pub meshes: u64,
    /// Instances in arrays.
    pub instances: u64,
    /// Places of instances and shapes that shear, and so are nodes.
    pub sheared: u64,
    /// What is wrong with the scene, and shapes that are not written.
    pub problems: Vec<Error>,
    /// What the format has no words for, with counts.
    pub left_out: Vec<String>,
}

/// Writes the scene at `path`, or a packed one, to `output` in the format that its name tells.
/// Objects are written once, instances as arrays of transformations. Memory: the scene, one mesh,
/// and the document without its arrays.
///
/// # Errors
/// Where the scene cannot be read or the output not be written. What is wrong with shapes is in
/// the result.
pub fn export_scene(
    path: &Path,
    output: &Path,
    options: &SceneExportOptions,
    work: &Work,
) -> Result<SceneExported> {
    let Some(format) = options.format.or_else(|| SceneFormat::of_name(output)) else {
        return Err(Error::argument("the name does not tell the format to write")
            .at_path(output)
            .hint("end it in .gltf or .glb"));
    };
    if solio_io::is_direct(output) {
        let message = format!("{format} is written to plain files only");
        return Err(Error::argument(message).at_path(output));
    }
    let mut scene = read_scene(path, &options.read, work)?;
    let _span = EXPORT.begin_labelled(&path.to_string_lossy());
    let limits = &options.read.limits;
    let mut made =
        SceneExported { problems: std::mem::take(&mut scene.problems), ..SceneExported::default() };
    with_mesh_files(path, limits, work, |meshes| {
        let (summary, files) = write_gltf(&scene, meshes, output, format, options, work)
            .map_err(|e: Error| e.at_path(output))?;
        files.into_iter().for_each(|file| made.written.add(file));
        (made.meshes, made.instances) = (summary.meshes, summary.instances);
        (made.sheared, made.left_out) = (summary.sheared, summary.left_out);
        made.problems.extend(summary.problems);
        Ok(())
    })?;
    Ok(made)
}

fn write_gltf(
    scene: &Scene,
    meshes: &dyn ExportMeshes,
    output: &Path,
    format: SceneFormat,
    options: &SceneExportOptions,
    work: &Work,
) -> Result<(GltfSummary, Vec<solio_io::Written>)> {
    let file = SinkOptions { durable: options.durable, ..SinkOptions::default() };
    let mut document = FileSink::create(output, &file, work)?;
    if format == SceneFormat::Glb {
        let summary = encode_gltf(scene, meshes, GltfOutput::Binary(&mut document), work)?;
        return Ok((summary, vec![document.commit()?]));
    }
    let beside = output.with_extension("bin");
    let uri = percent_encoded(beside.file_name().unwrap_or_default().as_bytes());
    let mut buffer = FileSink::create(&beside, &file, work)?;
    let to = GltfOutput::Separate { document: &mut document, buffer: &mut buffer, uri: &uri };
    let summary = encode_gltf(scene, meshes, to, work)?;
    // The document names the buffer, and comes last.
    Ok((summary, FileSink::commit_all(vec![buffer, document])?))
}

/// A name as part of a URI. Source: RFC 3986, 2.3.
fn percent_encoded(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The meshes of a scene: those that a packed one brings along, else those of files.
struct MeshFiles<'w> {
    reader: Option<PackReader<'w>>,
    numbers: HashMap<Vec<u8>, u32>,
    files: FolderFiles<'w>,
    limits: &'w Limits,
    work: &'w Work,
}

fn with_mesh_files<T>(
    path: &Path,
    limits: &Limits,
    work: &Work,
    then: impl FnOnce(&dyn ExportMeshes) -> Result<T>,
) -> Result<T> {
    let opened = match is_packed_scene(path) {
        true => Some(solio_io::open(path, limits, work)?),
        false => None,
    };
    let packed = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
    let reader = opened.as_ref().map(|opened| PackReader::new(&*opened.source, &packed));
    let reader = reader.transpose().map_err(|e| e.at_path(path))?;
    let infos = reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.meshes(work))?;
    let numbers = infos.into_iter().zip(0..).map(|(info, number)| (info.name, number)).collect();
    let files = FolderFiles::beside(path, limits, work);
    then(&MeshFiles { reader, numbers, files, limits, work })
}

impl ExportMeshes for MeshFiles<'_> {
    fn mesh(&self, name: &[u8], faces: Faces) -> Result<PackedMesh<'static>> {
        let mut mesh = match (&self.reader, self.numbers.get(name)) {
            (Some(reader), Some(number)) => reader.mesh(*number, self.work)?,
            _ => {
                let path = self.files.path(name);
                packed_mesh(&self.files, &path, self.limits, self.work)
                    .map_err(|e| e.at_path(path))?
            }
        };
        if faces == Faces::Triangles && !mesh.face_offsets.is_empty() {
            let polygons = mesh_of_packed(mesh.clone());
            let cut = triangulate(&polygons, self.work)?;
            let corner = |corner: u32| polygons.corner_vertices[corner as usize];
            mesh.corners = cut.corners.iter().flatten().map(|c| corner(*c)).collect();
            mesh.face_offsets = std::borrow::Cow::default();
            mesh.face_indices = std::borrow::Cow::default();
        }
        Ok(mesh)
    }
}
