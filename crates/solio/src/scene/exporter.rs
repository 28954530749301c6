//! Scenes for other programs: glTF, in one file or two, USD, and Mitsuba 3.

use crate::mesh::gltf_files::buffer_beside;
use crate::scene::file::{FolderFiles, is_pack};
use crate::scene::packed::{mesh_of_packed, packed_mesh};
use crate::scene::texture::{read_sky, read_texture};
use crate::{Input, SceneFormat, SceneReadOptions, ToInput, Written, read_scene};
use solio_base::names::{OsStrBytes, slashed};
use solio_base::{Error, Limits, Losses, Result, Work};
use solio_catalog::names::percent;
use solio_exr::header::Box2i;
use solio_exr::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType, WriteOptions};
use solio_io::{FileSink, SinkOptions};
use solio_kinds::FileKind;
use solio_measure::SpanName;
use solio_mesh::triangulate::triangulate;
use solio_scene::export::{
    BesideFile, EncodedPicture, ExportMeshes, Faces, PictureFile, light_area,
};
use solio_scene::gltf::{GltfOutput, SceneInstances, encode_gltf};
use solio_scene::look::{EnvironmentMapping, LookPicture, TexturePicture};
use solio_scene::mitsuba::encode_mitsuba;
use solio_scene::pack::{PackReadOptions, PackReader, PackedMesh};
use solio_scene::scene::{Files, Scene};
use solio_scene::usd::encode_usd;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Component, Path, PathBuf};

static EXPORT: SpanName = SpanName::new("export scene");

/// How a scene is written for other programs.
///
/// ```
/// use solio::{SceneExportOptions, SceneFormat};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, upload] = ["a.pbrt", "upload"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&scene, b"WorldBegin\nShape \"sphere\"\n")?;
/// // A name that does not tell the format.
/// let glb = SceneExportOptions { format: Some(SceneFormat::Glb), ..Default::default() };
/// solio::export_scene(&scene, &upload, &glb, &Default::default())?;
/// assert!(std::fs::read(&upload).unwrap().starts_with(b"glTF"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SceneExportOptions {
    /// How the scene is read.
    pub read: SceneReadOptions,
    /// The format; `None` takes it from the name.
    pub format: Option<SceneFormat>,
    /// The files are on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
    /// Refuse, before a file appears, where the format has no words for something of the scene
    /// ([`SceneExported::losses`]).
    pub strict_loss: bool,
    /// How a glTF has instances.
    pub instances: SceneInstances,
}

/// What came of it.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, gltf] = ["a.pbrt", "a.gltf"].map(|name| folder.path().join(name));
/// let text = b"WorldBegin\nLightSource \"infinite\"\nShape \"sphere\"\n";
/// solio::write_bytes(&scene, text)?;
/// let made = solio::export_scene(&scene, &gltf, &Default::default(), &Default::default())?;
/// // The document, and its arrays beside it.
/// assert_eq!((made.written.files.len(), made.meshes), (2, 1));
/// assert_eq!(made.losses.to_string(), "left out: 1 light without a shape");
/// # Ok::<(), solio::Error>(())
/// ```
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
    /// What of the scene is taken otherwise than its author may think:
    /// [`Scene::notes`](solio_scene::scene::Scene::notes).
    pub warnings: Vec<String>,
    /// What the format has no words for, with counts.
    pub losses: Losses,
}

/// Writes the scene at `path`, or a packed one, to `output` in the format that its name tells.
/// Objects are written once, instances as arrays of transformations. Memory: the scene, one mesh,
/// and the document without its arrays.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [scene, usd] = ["a.pbrt", "a.usda"].map(|name| folder.path().join(name));
/// let text = b"WorldBegin\nObjectBegin \"ball\"\nShape \"sphere\"\nObjectEnd\n\
///     ObjectInstance \"ball\"\nTranslate 3 0 0\nObjectInstance \"ball\"\n";
/// solio::write_bytes(&scene, text)?;
/// let made = solio::export_scene(&scene, &usd, &Default::default(), &Default::default())?;
/// // One mesh, twice there.
/// assert_eq!((made.meshes, made.instances), (1, 2));
/// assert!(std::fs::read(&usd).unwrap().starts_with(b"#usda 1.0"));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the scene cannot be read or the output not be written. What is wrong with shapes is in
/// the result.
pub fn export_scene(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    options: &SceneExportOptions,
    work: &Work,
) -> Result<SceneExported> {
    let format = output_format(output, options)?;
    let input = input.to_input(&options.read.limits, work)?;
    let mut scene = read_scene(&*input, &options.read, work)?;
    let mut problems = std::mem::take(&mut scene.problems);
    let mut made = export_read(&scene, &input, (output, format), options, work)?;
    problems.append(&mut made.problems);
    Ok(SceneExported { problems, ..made })
}

/// The format that is written to `output`.
fn output_format(output: &Path, options: &SceneExportOptions) -> Result<SceneFormat> {
    let Some(format) = options.format.or_else(|| SceneFormat::of_name(output)) else {
        return Err(Error::argument("the name does not tell the format to write")
            .at_path(output)
            .hint("end it in .gltf, .glb, .usda or .xml (Mitsuba 3)"));
    };
    if solio_io::is_direct(output) {
        let message = format!("{format} is written to plain files only");
        return Err(Error::argument(message).at_path(output));
    }
    refuse_binary_usd(format, output)?;
    Ok(format)
}

/// [`export_scene`] of a scene that was read from `input`.
pub(super) fn export_open(
    scene: &Scene,
    input: &Input,
    output: &Path,
    options: &SceneExportOptions,
    work: &Work,
) -> Result<SceneExported> {
    export_read(scene, input, (output, output_format(output, options)?), options, work)
}

/// The mean area of the parts of a shape that shines: [`light_area`].
pub(super) fn area_of_light(
    scene: &Scene,
    input: &Input,
    shape: u32,
    options: &SceneExportOptions,
    work: &Work,
) -> Result<f64> {
    with_mesh_files(input, Path::new(""), options, work, |meshes| light_area(scene, shape, meshes))
}

fn export_read(
    scene: &Scene,
    input: &Input,
    (output, format): (&Path, SceneFormat),
    options: &SceneExportOptions,
    work: &Work,
) -> Result<SceneExported> {
    let _span = EXPORT.begin_labelled(&input.path().to_string_lossy());
    let made = SceneExported { warnings: scene.notes(), ..SceneExported::default() };
    let mut export = SceneExport { scene, output, options, work, made };
    with_mesh_files(input, output, options, work, |meshes| {
        let sinks = match format {
            SceneFormat::Usd => export.usd(meshes),
            SceneFormat::Gltf => export.gltf(meshes),
            SceneFormat::Glb => export.glb(meshes),
            SceneFormat::Mitsuba => export.mitsuba(meshes),
        };
        // The document names the others, and comes last.
        let files = sinks.and_then(|sinks| {
            let mut all = meshes.beside.take();
            all.extend(sinks);
            FileSink::commit_all(all)
        });
        let files = files.map_err(|e: Error| meshes.clean(e.at_path(output)))?;
        files.into_iter().for_each(|file| export.made.written.add(file));
        Ok(())
    })?;
    Ok(export.made)
}

/// What is no text has to be made by USD's own tools.
fn refuse_binary_usd(format: SceneFormat, output: &Path) -> Result<()> {
    let end = output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let tool = match end.strip_prefix("usd") {
        Some("c") => "write a .usda, then: usdcat scene.usda -o scene.usdc",
        Some("z") => "write a .usda, then: usdzip scene.usdz scene.usda",
        _ => return Ok(()),
    };
    match format {
        SceneFormat::Usd => {
            let message = format!("USD is written as text, not as .{end}");
            Err(Error::unsupported(message).at_path(output).hint(tool))
        }
        _ => Ok(()),
    }
}

/// A scene on its way into files.
struct SceneExport<'w> {
    scene: &'w Scene,
    output: &'w Path,
    options: &'w SceneExportOptions,
    work: &'w Work,
    made: SceneExported,
}

impl SceneExport<'_> {
    fn create(&self, path: &Path) -> Result<FileSink> {
        let file = SinkOptions { durable: self.options.durable, ..SinkOptions::default() };
        FileSink::create(path, &file, self.work)
    }

    fn usd(&mut self, meshes: &dyn ExportMeshes) -> Result<Vec<FileSink>> {
        let mut sink = self.create(self.output)?;
        let done = encode_usd(self.scene, meshes, &mut sink, self.work)?;
        let counts = [done.meshes, done.instances, done.sheared];
        self.end(counts, done.problems, done.losses)?;
        Ok(vec![sink])
    }

    fn mitsuba(&mut self, meshes: &dyn ExportMeshes) -> Result<Vec<FileSink>> {
        let mut sink = self.create(self.output)?;
        let done = encode_mitsuba(self.scene, meshes, &mut sink, self.work)?;
        self.end([done.meshes, done.instances, 0], done.problems, done.losses)?;
        Ok(vec![sink])
    }

    fn glb(&mut self, meshes: &dyn ExportMeshes) -> Result<Vec<FileSink>> {
        let mut sink = self.create(self.output)?;
        let (to, how) = (GltfOutput::Binary(&mut sink), self.options.instances);
        let done = encode_gltf(self.scene, meshes, how, to, self.work)?;
        let counts = [done.meshes, done.instances, done.sheared];
        self.end(counts, done.problems, done.losses)?;
        Ok(vec![sink])
    }

    fn gltf(&mut self, meshes: &dyn ExportMeshes) -> Result<Vec<FileSink>> {
        let beside = buffer_beside(self.output, self.work);
        let uri = &percent(beside.file_name().unwrap_or_default().as_bytes());
        let (mut document, mut buffer) = (self.create(self.output)?, self.create(&beside)?);
        let to = GltfOutput::Separate { document: &mut document, buffer: &mut buffer, uri };
        let done = encode_gltf(self.scene, meshes, self.options.instances, to, self.work)?;
        let counts = [done.meshes, done.instances, done.sheared];
        self.end(counts, done.problems, done.losses)?;
        Ok(vec![buffer, document])
    }

    fn end(&mut self, counts: [u64; 3], problems: Vec<Error>, losses: Losses) -> Result<()> {
        [self.made.meshes, self.made.instances, self.made.sheared] = counts;
        self.made.problems.extend(problems);
        if self.options.strict_loss {
            losses.refuse()?;
        }
        self.made.losses = losses;
        Ok(())
    }
}

/// The meshes of a scene: those that a packed one brings along, else those of files.
struct MeshFiles<'w> {
    reader: Option<PackReader<'w>>,
    numbers: HashMap<Vec<u8>, u32>,
    files: FolderFiles<'w>,
    /// What is written, which refers to pictures.
    output: &'w Path,
    /// Files that appear with it.
    beside: RefCell<Vec<FileSink>>,
    durable: bool,
    limits: &'w Limits,
    work: &'w Work,
}

impl MeshFiles<'_> {
    /// The folder of files beside the output.
    fn folder(&self) -> PathBuf {
        let mut name = self.output.file_stem().unwrap_or_default().to_owned();
        name.push(".files");
        self.output.with_file_name(name)
    }

    /// Takes away what was made for an output that is not there.
    fn clean(&self, error: Error) -> Error {
        self.beside.take();
        // A folder with something in it stays.
        let _ = std::fs::remove_dir(self.folder());
        error
    }
}

fn with_mesh_files<T>(
    input: &Input,
    output: &Path,
    options: &SceneExportOptions,
    work: &Work,
    then: impl FnOnce(&MeshFiles<'_>) -> Result<T>,
) -> Result<T> {
    let (path, limits, durable) = (input.path(), &options.read.limits, options.durable);
    let source = is_pack(input).then(|| input.whole(work)).transpose()?;
    let packed = PackReadOptions { limits: *limits, ..PackReadOptions::default() };
    let reader = source.as_ref().map(|source| PackReader::new(&**source, &packed));
    let reader = reader.transpose().map_err(|e| e.at_path(path))?;
    let infos = reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.meshes(work))?;
    let numbers = infos.into_iter().zip(0..).map(|(info, number)| (info.name, number)).collect();
    let files = FolderFiles::beside(path, limits, work);
    let beside = RefCell::default();
    then(&MeshFiles { reader, numbers, files, output, beside, durable, limits, work })
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
    fn picture(&self, name: &[u8]) -> Result<PictureFile> {
        let path = self.files.path(name);
        let input = Input::open(&path, self.limits, self.work)?;
        let mime = match input.kind() {
            FileKind::Png => Some("image/png"),
            FileKind::Jpeg => Some("image/jpeg"),
            _ => None,
        };
        let folder = self.output.parent().unwrap_or(Path::new(""));
        let [uri, path] = reference(folder, &path);
        Ok(PictureFile { uri, path, mime })
    }

    fn picture_bytes(&self, name: &[u8]) -> Result<Vec<u8>> {
        let path = self.files.path(name);
        Ok(solio_io::read_whole(&path, self.limits, self.work)?.to_vec())
    }

    fn pixels(&self, picture: &LookPicture, most_side: usize) -> Result<TexturePicture> {
        let path = self.files.path(&picture.name);
        read_texture(&path, picture, most_side, self.limits, self.work)
    }

    fn sky(&self, name: &[u8], mapping: EnvironmentMapping) -> Result<TexturePicture> {
        read_sky(&self.files.path(name), mapping, self.limits, self.work)
    }

    fn png(&self, picture: &EncodedPicture) -> Result<Vec<u8>> {
        let (width, height) = (picture.width, picture.height);
        let rgba = picture.pixels.as_flattened().to_vec();
        let image = image::RgbaImage::from_raw(width, height, rgba);
        let image = image.ok_or_else(|| Error::argument("pixels that make no rows"))?;
        let mut image = image::DynamicImage::ImageRgba8(image);
        if !picture.has_alpha {
            image = image::DynamicImage::ImageRgb8(image.into_rgb8());
        }
        let mut bytes = Cursor::new(Vec::new());
        let written = image.write_to(&mut bytes, image::ImageFormat::Png);
        written.map_err(|e| Error::unsupported(e.to_string()))?;
        Ok(bytes.into_inner())
    }

    fn exr(&self, picture: &TexturePicture) -> Result<Vec<u8>> {
        let [width, height] = picture.size().map(|side| side as u32);
        let planes: Vec<Plane<'_>> = [("B", 2), ("G", 1), ("R", 0)]
            .map(|(name, part)| Plane {
                channel: Channel::new(name, PixelType::Float),
                samples: Samples::Float(picture.pixels().iter().map(|p| p[part]).collect()),
            })
            .into();
        let window = Box2i::of_size(width, height);
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        let header = solio_exr::header::Part::new(window, solio_exr::Compression::Zip, channels);
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        let parts = vec![ImagePart { header, pixels }];
        let image = solio_exr::model::Image { parts, missing: Vec::new() };
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(&image, &WriteOptions::default(), &mut bytes, self.work)?;
        Ok(bytes)
    }

    fn beside(&self, name: &str, fill: BesideFile<'_>) -> Result<PictureFile> {
        let folder = self.folder();
        let path = folder.join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|e| Error::io("make the folder", e).at_path(&folder))?;
        let file = SinkOptions { durable: self.durable, ..SinkOptions::default() };
        let mut sink = FileSink::create(&path, &file, self.work)?;
        fill(&mut sink)?;
        self.beside.borrow_mut().push(sink);
        let mime = name.ends_with(".png").then_some("image/png");
        let from = self.output.parent().unwrap_or(Path::new(""));
        let [uri, path] = reference(from, &path);
        Ok(PictureFile { uri, path, mime })
    }
}

/// What a file in `folder` calls the one at `path`, relative where there is a way: as a URI reference, and
/// as a path.
fn reference(folder: &Path, path: &Path) -> [String; 2] {
    let whole = |path: &Path| std::path::absolute(path).map(|path| plain(&path));
    let uri = |path: &Path| percent(slashed(path.to_owned()).as_os_str().as_bytes());
    let words = |path: &Path| slashed(path.to_owned()).to_string_lossy().into_owned();
    let (Ok(folder), Ok(path)) = (whole(folder), whole(path)) else {
        return [uri(path), words(path)];
    };
    let common = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !path.components().take(common).any(is_name) {
        return [file_uri(&path), words(&path)];
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let relative = up.chain(path.components().skip(common)).collect::<PathBuf>();
    [uri(&relative), words(&relative)]
}

/// An absolute path as a URI: `file:///shots/a.png`, `file:///C:/shots/a.png`, `file://server/share/a.png`.
fn file_uri(path: &Path) -> String {
    let path = slashed(path.to_owned());
    let bytes = path.as_os_str().as_bytes();
    match bytes {
        [b'/', b'/', ..] => format!("file:{}", percent(bytes)),
        [b'/', ..] => format!("file://{}", percent(bytes)),
        [drive, b':', rest @ ..] => format!("file:///{}:{}", *drive as char, percent(rest)),
        _ => percent(bytes),
    }
}

/// Without `.`, and without `..` behind a folder.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_where_there_is_a_way() {
        // On Windows a root has a drive.
        let root = std::path::absolute("/").map(slashed).unwrap();
        let root = root.to_str().unwrap();
        let far = [
            &*format!("file:///{}b/tex.png", root.trim_start_matches('/')),
            &*format!("{root}b/tex.png"),
        ];
        for (folder, path, expected) in [
            ("/a/b", "/a/b/tex.png", ["tex.png"; 2]),
            ("/a/b", "/a/c d/tex 1.png", ["../c%20d/tex%201.png", "../c d/tex 1.png"]),
            ("/a/b/./x/..", "/a/b/t/../tex.png", ["tex.png"; 2]),
            ("/a", "/b/tex.png", far),
            ("out", "in/tex.png", ["../in/tex.png"; 2]),
            ("", "tex.png", ["tex.png"; 2]),
        ] {
            assert_eq!(reference(Path::new(folder), Path::new(path)), expected, "{path}");
        }
        assert_eq!(file_uri(Path::new("//server/a b/c.png")), "file://server/a%20b/c.png");
        assert_eq!(file_uri(Path::new("C:/a b/c.png")), "file:///C:/a%20b/c.png");
    }
}
