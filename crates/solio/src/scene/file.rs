//! Scenes: a path to a scene, and what it holds.

use crate::{Input, ToInput};
use solio_base::names::{OsStrBytes, slashed};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_io::OpenFile;
use solio_kinds::{FileKind, FileType};
use solio_measure::SpanName;
use solio_mesh::ply::decode_ply_header;
use solio_scene::pack::{PackReadOptions, PackReader, PackedMeshInfo};
use solio_scene::pbrt::meshes::plymesh_file;
use solio_scene::pbrt::{ReadOptions, Statements};
use solio_scene::scene::{
    Files, InstanceCounts, MeshCounts, Scene, SceneCounts, SceneOptions, read_scene as read,
};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

static READ: SpanName = SpanName::new("read scene");

/// How a scene is read.
///
/// ```
/// use solio::{SceneReadOptions, Work, read_scene};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// solio::write_bytes(&path, b"WorldBegin\nShape \"sphere\" \"float radios\" 2\n")?;
/// let quick = read_scene(&path, &SceneReadOptions::default(), &Work::default())?;
/// assert!(quick.problems.is_empty());
/// let check = SceneReadOptions { check: true, ..SceneReadOptions::default() };
/// let problem = &read_scene(&path, &check, &Work::default())?.problems[0];
/// assert_eq!(problem.hint_text(), Some("did you mean \"radius\"?"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SceneReadOptions {
    /// The version of pbrt, 3 or 4; `None` finds out.
    pub version: Option<u32>,
    /// Hold every statement against the table of classes and parameters.
    pub check: bool,
    /// Bounds of each file.
    pub limits: Limits,
}

/// Whether `path` is called as scenes are: `.pbrt`, also compressed, or `.solio`.
///
/// ```
/// assert!(solio::is_scene("city.pbrt.gz".as_ref()) && solio::is_scene("city.solio".as_ref()));
/// assert!(!solio::is_scene("city.usda".as_ref()));
/// ```
pub fn is_scene(path: &Path) -> bool {
    is_packed_scene(path)
        || FileType::of_path(path).is_some_and(|named| named.kind == FileKind::Pbrt)
}

/// Whether `path` is called as packed scenes are: `.solio`.
///
/// ```
/// assert!(solio::is_packed_scene("city.solio".as_ref()));
/// assert!(!solio::is_packed_scene("city.pbrt".as_ref()));
/// ```
pub fn is_packed_scene(path: &Path) -> bool {
    FileType::of_path(path).is_some_and(|named| named.kind == FileKind::Pack)
}

/// Reads the scene at `path` (`-` is standard input) with all files that it includes, or a packed
/// one. Gzip and zstd are recognized by their content. What is wrong with the scene is in its
/// [`problems`](Scene::problems); an error says that it could not be read to its end.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, balls] = ["a.pbrt", "balls.pbrt"].map(|name| folder.path().join(name));
/// solio::write_bytes(&path, b"WorldBegin\nInclude \"balls.pbrt\"\nInclude \"gone.pbrt\"\n")?;
/// solio::write_bytes(&balls, b"Shape \"sphere\" \"float radius\" 2\n")?;
/// let scene = solio::read_scene(&path, &Default::default(), &Default::default())?;
/// let ball = &scene.shapes[0].entity;
/// assert_eq!((scene.class(ball), scene.float(ball, "radius")), (&b"sphere"[..], Some(2.0)));
/// // A file that is not there does not end the reading.
/// assert_eq!(scene.problems[0].line(), Some(3));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_scene(
    input: &(impl ToInput + ?Sized),
    options: &SceneReadOptions,
    work: &Work,
) -> Result<Scene> {
    let input = &*input.to_input(&options.limits, work)?;
    if is_pack(input) {
        let options = PackReadOptions { limits: options.limits, ..PackReadOptions::default() };
        let mut scene = crate::read_packed_scene(input, &options, work)?;
        scene.read_spectra(&FolderFiles::beside(input.path(), &options.limits, work))?;
        return Ok(scene);
    }
    let files = FolderFiles::beside(input.path(), &options.limits, work);
    read_scene_text(input, &files, options, work)
}

/// Whether an input is a packed scene.
pub(crate) fn is_pack(input: &Input) -> bool {
    input.kind_or_named() == FileKind::Pack
}

/// Reads the scene text `input` and those of `files` that it includes.
fn read_scene_text(
    input: &Input,
    files: &dyn Files,
    options: &SceneReadOptions,
    work: &Work,
) -> Result<Scene> {
    let path = input.path();
    let _span = READ.begin_labelled(&path.to_string_lossy());
    if !matches!(input.kind(), FileKind::Pbrt | FileKind::Text | FileKind::Empty) {
        return Err(input.wrong("a pbrt scene"));
    }
    let opened = input.stream_in_turn(work)?;
    let text = ReadOptions { limits: options.limits, ..ReadOptions::default() };
    let options = SceneOptions { version: options.version, check: options.check, text };
    read(&*opened.source, path, files, &options, work)
}

/// [`read_scene`], and `named` hears of the files of meshes as soon as their names are read, by any
/// thread, also more than once. Of a packed scene it hears nothing.
pub(crate) fn read_scene_and_name_meshes(
    input: &Input,
    options: &SceneReadOptions,
    work: &Work,
    named: &(dyn Fn(&[u8]) + Sync),
) -> Result<Scene> {
    if is_pack(input) {
        return read_scene(input, options, work);
    }
    let folder = FolderFiles::beside(input.path(), &options.limits, work);
    read_scene_text(input, &NamingFiles { folder, named }, options, work)
}

/// Files that tell the names of meshes.
struct NamingFiles<'w> {
    folder: FolderFiles<'w>,
    named: &'w (dyn Fn(&[u8]) + Sync),
}

impl Files for NamingFiles<'_> {
    fn path(&self, name: &[u8]) -> PathBuf {
        self.folder.path(name)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>> {
        self.folder.open(path)
    }

    fn look(&self, statements: &Statements) {
        let names = (0..statements.statements.len()).filter_map(|i| plymesh_file(statements, i));
        names.for_each(self.named);
    }
}

/// The files of a scene: in the folder of its first one, or under their names as they are given.
pub(crate) struct FolderFiles<'w> {
    folder: PathBuf,
    limits: Limits,
    work: &'w Work,
}

impl<'w> FolderFiles<'w> {
    pub(crate) fn beside(path: &Path, limits: &Limits, work: &'w Work) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        FolderFiles { folder, limits: *limits, work }
    }

    /// The path of this name in the folder of the scene, whether something is there or not.
    pub(crate) fn beside_scene(&self, name: &[u8]) -> PathBuf {
        slashed(self.folder.join(OsStr::from_bytes(name)))
    }
}

impl Files for FolderFiles<'_> {
    /// In the folder of the scene; what is not there is looked for under its name as it is given, as
    /// pbrt-v4 does (`file.cpp`).
    fn path(&self, name: &[u8]) -> PathBuf {
        let (beside, given) = (self.beside_scene(name), Path::new(OsStr::from_bytes(name)));
        let is_given = beside != given && !beside.exists() && given.exists();
        if is_given { given.to_owned() } else { beside }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>> {
        Ok(OpenFile::open(path, self.work)?.source_in_turn(&self.limits, self.work)?.source)
    }
}

/// What a scene holds.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// let text = b"WorldBegin\nShape \"plymesh\" \"string filename\" \"gone.ply\"\n";
/// solio::write_bytes(&path, text)?;
/// let info = solio::scene_info(&path, &Default::default(), 0, &Default::default())?;
/// assert_eq!((info.scene.shapes.len(), info.meshes.len()), (1, 0));
/// assert!(info.missing_meshes[0].path().unwrap().ends_with("gone.ply"));
/// # Ok::<(), solio::Error>(())
/// ```
pub struct SceneInfo {
    /// The scene; of a packed one all but its instances, which only its counts tell of.
    pub scene: Scene,
    /// Its counts.
    pub counts: SceneCounts,
    /// Files of meshes that are there.
    pub meshes: Vec<(PathBuf, MeshCounts)>,
    /// Files of meshes that are not, or cannot be read.
    pub missing_meshes: Vec<Error>,
}

/// Reads the scene at `path` and the headers of its meshes, and sums them up, with the `largest`
/// meshes.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// # let text = b"WorldBegin\nObjectBegin \"a\"\nShape \"trianglemesh\"\n\
/// #     \"integer indices\" [0 1 2] \"point3 P\" [0 0 0 1 0 0 0 1 0]\nObjectEnd\n\
/// #     ObjectInstance \"a\"\nTranslate 3 0 0\nObjectInstance \"a\"\n";
/// # solio::write_bytes(&path, text)?;
/// // A triangle that is there twice.
/// let info = solio::scene_info(&path, &Default::default(), 5, &Default::default())?;
/// let all = info.counts.all;
/// assert_eq!((all.shapes, all.primitives, all.instanced_primitives), (1, 1, 2));
/// assert_eq!(info.counts.largest[0].vertices, 3);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn scene_info(
    input: &(impl ToInput + ?Sized),
    options: &SceneReadOptions,
    largest: usize,
    work: &Work,
) -> Result<SceneInfo> {
    let input = &*input.to_input(&options.limits, work)?;
    let files = FolderFiles::beside(input.path(), &options.limits, work);
    let (scene, packed, instances) = match is_pack(input) {
        true => outline(input, &files, &options.limits, work)
            .map_err(|e: Error| e.at_path(input.path()))?,
        false => (read_scene(input, options, work)?, HashMap::new(), None),
    };
    let (mut counts, meshes, missing_meshes) = counted(&scene, &files, packed, largest, work)?;
    if let Some(instances) = instances {
        counts.set_instances(instances);
    }
    Ok(SceneInfo { scene, counts, meshes, missing_meshes })
}

/// Counts, files of meshes that are there, and those that are not or cannot be read.
pub(super) type CountedScene = (SceneCounts, Vec<(PathBuf, MeshCounts)>, Vec<Error>);

/// Sums a scene up, by the meshes that a packed one brings along and by the headers of those in files.
pub(super) fn counted(
    scene: &Scene,
    files: &FolderFiles<'_>,
    packed: HashMap<Vec<u8>, MeshCounts>,
    largest: usize,
    work: &Work,
) -> Result<CountedScene> {
    let names = scene.mesh_files().into_iter().filter(|name| !packed.contains_key(*name));
    let numbers: HashMap<Vec<u8>, usize> =
        names.map(<[u8]>::to_vec).enumerate().map(|(i, name)| (name, i)).collect();
    let mut paths = vec![PathBuf::new(); numbers.len()];
    for (name, number) in &numbers {
        paths[*number] = files.path(name);
    }
    let mut found = Vec::new();
    let count = |path: &PathBuf, work: &Work| ply_counts(path, &files.limits, work);
    crate::each_file(&paths, work, true, count, |_, result| match result {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        result => {
            found.push(result);
            Ok(true)
        }
    })?;
    let of_name = |name: &[u8]| match packed.get(name) {
        Some(counts) => Some(*counts),
        None => found[*numbers.get(name)?].as_ref().ok().copied(),
    };
    let counts = scene.counts(of_name, largest);
    let packed = packed.into_iter().map(|(name, counts)| (files.path(&name), counts));
    let (mut meshes, mut missing_meshes): (Vec<_>, _) = (packed.collect(), Vec::new());
    meshes.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (path, result) in paths.into_iter().zip(found) {
        match result {
            Ok(counts) => meshes.push((path, counts)),
            Err(error) => missing_meshes.push(error.at_path(path)),
        }
    }
    Ok((counts, meshes, missing_meshes))
}

/// A packed scene without its instances, the meshes that it brings along, and how many instances.
type PackOutline = (Scene, HashMap<Vec<u8>, MeshCounts>, Option<InstanceCounts>);

fn outline(
    input: &Input,
    files: &FolderFiles<'_>,
    limits: &Limits,
    work: &Work,
) -> Result<PackOutline> {
    let source = input.source(work)?;
    let options = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
    let reader = PackReader::new(&*source, &options)?;
    let mut scene = reader.scene_without_instances(work)?;
    scene.read_spectra(files)?;
    Ok((scene, packed_counts(&reader, work)?, Some(reader.instance_counts())))
}

/// The counts of the meshes that a packed scene brings along.
pub(super) fn packed_counts(
    reader: &PackReader<'_>,
    work: &Work,
) -> Result<HashMap<Vec<u8>, MeshCounts>> {
    let counts = |mesh: PackedMeshInfo| {
        let counts = MeshCounts {
            vertices: mesh.vertices,
            faces: mesh.faces,
            file_bytes: mesh.file_bytes,
            memory_bytes: mesh.memory_bytes,
        };
        (mesh.name, counts)
    };
    Ok(reader.meshes(work)?.into_iter().map(counts).collect())
}

/// What the header of a PLY says.
fn ply_counts(path: &Path, limits: &Limits, work: &Work) -> Result<MeshCounts> {
    let work = Work { memory_bytes: 0, ..work.clone() };
    let opened = solio_io::open(path, limits, &work)?;
    let header = decode_ply_header(&*opened.source, limits)?;
    let file_bytes = opened.file_bytes.unwrap_or(0);
    let mut counts = MeshCounts { file_bytes, ..MeshCounts::default() };
    for element in &header.elements {
        let scalars = element.properties.iter().filter(|p| p.list.is_none());
        let mut record_bytes: u64 = scalars.map(|p| p.scalar.size() as u64).sum();
        match &*element.name {
            "vertex" => counts.vertices = element.count,
            "face" => {
                counts.faces = element.count;
                // Three indices; of quads there is one more.
                record_bytes += 12;
            }
            _ => {}
        }
        counts.memory_bytes += element.count.saturating_mul(record_bytes);
    }
    Ok(counts)
}
