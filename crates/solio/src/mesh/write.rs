//! Writing: a scene to files.

use crate::mesh::gltf_files::{GltfPictures, PictureBeside, buffer_beside, pictures_beside};
use crate::mesh::{per_object, texture_paths};
use crate::{Format, PathMode};

use solio_base::{Error, Limits, Losses, Result, Sink, Work};
use solio_catalog::names::percent;
use solio_codec::compress::Compression;
use solio_io::{FileSink, SinkOptions};
use solio_measure::SpanName;
use solio_mesh::gltf::{self, GltfWriteOptions};
use solio_mesh::obj::{self, MtlWriteOptions, ObjWriteOptions};
use solio_mesh::off;
use solio_mesh::ply::{self, PlyWriteOptions};
use solio_mesh::splats::sog;
use solio_mesh::splats::spz::{self, SpzWriteOptions};
use solio_mesh::stl::{self, StlWriteOptions};
use solio_mesh::{Material, Scene, materials_of_face_colors, splat_count, splats};
use std::path::{Path, PathBuf};

static WRITE: SpanName = SpanName::new("write mesh");

/// Writes a file of these bytes, whole or not at all; `-` is standard output.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("notes.txt");
/// solio::write_bytes(&path, b"all of it")?;
/// solio::write_bytes(&path, b"anew")?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"anew");
/// # Ok::<(), solio::Error>(())
/// ```
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let work = Work::default();
    let write = |sink: &mut FileSink| sink.write_bytes(&work, bytes);
    Written::one(path, &SinkOptions::default(), &work, write).map(drop)
}

/// How a mesh is written.
///
/// ```
/// use solio::{MeshWriteOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("out.stl");
/// let text = b"o Left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no Right\nf 3 2 1\n";
/// let scene = solio::read_mesh_bytes(text, &Default::default(), &Work::default())?;
/// // A file for each object.
/// let batch = MeshWriteOptions { stl_batch: true, ..MeshWriteOptions::default() };
/// let written = solio::write_mesh(&scene, &path, &batch, &Work::default())?;
/// let names = written.files.iter().map(|(path, _)| path.file_name().unwrap());
/// assert_eq!(names.collect::<Vec<_>>(), ["outLeft.stl", "outRight.stl"]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshWriteOptions {
    /// The format; `None` takes it from the name.
    pub format: Option<Format>,
    /// The compression; `None` takes it from the name (`.gz`, `.zst`). MTL files stay plain.
    pub compression: Option<Compression>,
    /// Its level; `None` is the usual one.
    pub level: Option<i32>,
    /// The files are on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
    /// How an MTL, or a PLY that names them, refers to textures.
    pub path_mode: PathMode,
    /// What relative texture paths of the scene are relative to: the folder of the file it was
    /// read from. Where this is `None`, relative paths are kept.
    pub texture_root: Option<PathBuf>,
    /// Whether [`PathMode::Copy`] writes over other files of the textures' names, as Blender does.
    /// Otherwise these stay, and the copies get a number.
    pub replace_textures: bool,
    /// Refuse, before anything is written, where the output cannot hold something of the scene
    /// ([`Written::losses`]).
    pub strict_loss: bool,
    /// What concerns OBJ alone. An MTL is written when there are materials and
    /// `obj.export_materials`, or when `obj.material_library` names it; where that is `None` it
    /// gets the name of the OBJ.
    pub obj: ObjWriteOptions,
    /// What concerns MTL alone. Names get underscores where the OBJ's do.
    pub mtl: MtlWriteOptions,
    /// What concerns PLY alone.
    pub ply: PlyWriteOptions,
    /// What concerns SPZ alone.
    pub spz: SpzWriteOptions,
    /// What concerns STL alone.
    pub stl: StlWriteOptions,
    /// What concerns glTF alone.
    pub gltf: GltfWriteOptions,
    /// One STL file per object, named as Blender does: `out.stl` and `Cube` give `outCube.stl`.
    pub stl_batch: bool,
}

impl MeshWriteOptions {
    /// The format of the file at `path`.
    fn format_at(&self, path: &Path) -> Result<Format> {
        self.format.or_else(|| Format::of_name(path)).ok_or_else(|| {
            Error::argument("the name does not tell the format to write")
                .at_path(path)
                .hint(format!("the extension or the format can be: {}", Format::written()))
        })
    }

    /// How the file at `path` is written.
    pub(crate) fn sink(&self, path: &Path) -> SinkOptions {
        let by_name = || Compression::of_name(&path.as_os_str().to_string_lossy());
        let compression = self.compression.unwrap_or_else(by_name);
        SinkOptions { compression, level: self.level, durable: self.durable }
    }
}

/// What was written.
///
/// ```
/// use solio::Work;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj.gz");
/// let text = "v 0 0 0\n".repeat(1000);
/// let scene = solio::read_mesh_bytes(text.as_bytes(), &Default::default(), &Work::default())?;
/// let written = solio::write_mesh(&scene, &path, &Default::default(), &Work::default())?;
/// // How well it was packed.
/// assert!(written.file_bytes < written.raw_bytes / 10);
/// assert_eq!(written.files, [(path, written.file_bytes)]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files and their bytes, the mesh first.
    pub files: Vec<(PathBuf, u64)>,
    /// Bytes in all files.
    pub file_bytes: u64,
    /// The same before compression.
    pub raw_bytes: u64,
    /// What went not quite as asked, such as a texture that could not be copied.
    pub warnings: Vec<String>,
    /// What the files cannot hold of what was given.
    pub losses: Losses,
}

impl Written {
    /// One file that `write` fills; it appears whole or not at all.
    pub(crate) fn one(
        path: &Path,
        options: &SinkOptions,
        work: &Work,
        write: impl FnOnce(&mut FileSink) -> Result<()>,
    ) -> Result<Written> {
        let made = || {
            let mut sink = FileSink::create(path, options, work)?;
            write(&mut sink)?;
            sink.commit()
        };
        let mut written = Written::default();
        written.add(made().map_err(|e: Error| e.at_path(path))?);
        Ok(written)
    }

    pub(crate) fn add(&mut self, file: solio_io::WrittenFile) {
        self.file_bytes += file.file_bytes;
        self.raw_bytes += file.raw_bytes;
        self.files.push((file.path, file.file_bytes));
    }
}

/// Writes `scene` to `path`; `-` is standard output. Each file appears whole at its path, or not
/// at all. An OBJ's MTL is written beside it.
///
/// ```
/// use solio::mesh::{Mesh, Scene, model::Positions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("triangle.ply.zst");
/// // Arrays of your own, without a copy.
/// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = Mesh {
///     positions: Positions::F32(positions.as_slice().into()),
///     face_offsets: [0, 3].as_slice().into(),
///     corner_vertices: [0, 1, 2].as_slice().into(),
///     ..Mesh::default()
/// };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// solio::write_mesh(&scene, &path, &Default::default(), &Default::default())?;
/// assert_eq!(solio::info(&path, &Default::default(), &Default::default())?.mesh.triangles, 1);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn write_mesh(
    scene: &Scene<'_>,
    path: &Path,
    options: &MeshWriteOptions,
    work: &Work,
) -> Result<Written> {
    let _span = WRITE.begin_labelled(&path.to_string_lossy());
    let format = options.format_at(path)?;
    let (whole, joined) = prepared(scene, format, options)?;
    let scene = whole.as_ref().unwrap_or(scene);
    let packing = with_packed_splats(scene, format, path, options);
    let options = packing.as_ref().unwrap_or(options);
    let job = MeshJob { scene, format, path, options, work };
    let write = || {
        let is_packed = matches!(format, Format::Spz | Format::Sog);
        if is_packed && options.sink(path).compression != Compression::None {
            let name = format.as_str().to_ascii_uppercase();
            let error = Error::argument(format!("an {name} is compressed already"));
            return Err(error.hint("leave out --compress, and .gz or .zst of the name"));
        }
        let mut losses = joined;
        losses.extend(job.losses()?);
        if options.strict_loss {
            losses.refuse()?;
        }
        let written = match format {
            Format::Obj => job.write_obj(),
            Format::Ply => job.write_ply(),
            Format::Stl if options.stl_batch => per_object::write_batch(scene, path, options, work),
            Format::Gltf | Format::Glb => job.write_gltf(),
            _ => job.write_one(),
        };
        Ok(Written { losses, ..written? })
    };
    write().map_err(|e: Error| e.at_path(path))
}

/// What [`write_mesh`] to `path` would lose: what the format cannot hold of `scene`. What an option
/// switches off that is on by default is not counted.
///
/// ```
/// use solio::Work;
/// let text = b"o Tile\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// let scene = solio::read_mesh_bytes(text, &Default::default(), &Work::default())?;
/// let losses = solio::mesh_losses(&scene, "a.stl".as_ref(), &Default::default(), &Work::default())?;
/// let what: Vec<&str> = losses.iter().map(|loss| loss.what).collect();
/// assert_eq!(what, ["objects", "polygons"]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn mesh_losses(
    scene: &Scene<'_>,
    path: &Path,
    options: &MeshWriteOptions,
    work: &Work,
) -> Result<Losses> {
    let format = options.format_at(path)?;
    let (whole, mut losses) = prepared(scene, format, options)?;
    let scene = whole.as_ref().unwrap_or(scene);
    let packing = with_packed_splats(scene, format, path, options);
    let options = packing.as_ref().unwrap_or(options);
    losses.extend(MeshJob { scene, format, path, options, work }.losses()?);
    Ok(losses)
}

/// What is written in place of a scene that has what the format holds otherwise, and what that one lacks.
fn prepared<'a>(
    scene: &Scene<'a>,
    format: Format,
    options: &MeshWriteOptions,
) -> Result<(Option<Scene<'a>>, Losses)> {
    if scene.instances.is_empty() || matches!(format, Format::Gltf | Format::Glb) {
        return Ok((with_color_materials(scene, format, options), Losses::default()));
    }
    let mut whole = scene.clone();
    let losses = whole.write_out_instances()?;
    let colored = with_color_materials(&whole, format, options);
    Ok((Some(colored.unwrap_or(whole)), losses))
}

/// The ends of names of PLY whose splats are packed, as SuperSplat names them.
const PACKED_PLY: &str = ".compressed.ply";

/// The options where the name asks for splats to be packed, and there are some.
fn with_packed_splats(
    scene: &Scene<'_>,
    format: Format,
    path: &Path,
    options: &MeshWriteOptions,
) -> Option<MeshWriteOptions> {
    let name = path.as_os_str().to_string_lossy().to_ascii_lowercase();
    let plain = &name[..name.len() - Compression::of_name(&name).extension().len()];
    let is_asked = format == Format::Ply && plain.ends_with(PACKED_PLY) && !options.ply.pack_splats;
    let has_some = || scene.meshes.iter().any(|mesh| splat_count(mesh) > 0);
    (is_asked && has_some()).then(|| {
        let mut options = options.clone();
        options.ply.pack_splats = true;
        options
    })
}

/// What is written of a scene whose faces have colours and no materials to a format that has
/// materials alone.
fn with_color_materials<'a>(
    scene: &Scene<'a>,
    format: Format,
    options: &MeshWriteOptions,
) -> Option<Scene<'a>> {
    let has_materials = format == Format::Obj && options.obj.export_materials;
    has_materials.then(|| materials_of_face_colors(scene)).flatten()
}

/// The bytes of the mesh file, uncompressed; no MTL.
///
/// ```
/// use solio::{Format, MeshWriteOptions, Work};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let scene = solio::read_mesh_bytes(text, &Default::default(), &Work::default())?;
/// let options = MeshWriteOptions::default();
/// let stl = solio::encode_mesh(&scene, Format::Stl, &options, &Work::default())?;
/// // A binary STL: a head of 84 bytes, and 50 for each triangle.
/// assert_eq!(stl.len(), 84 + 50);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn encode_mesh(
    scene: &Scene<'_>,
    format: Format,
    options: &MeshWriteOptions,
    work: &Work,
) -> Result<Vec<u8>> {
    let (whole, mut losses) = prepared(scene, format, options)?;
    let whole = whole.filter(|_| !scene.instances.is_empty());
    let scene = whole.as_ref().unwrap_or(scene);
    let job = MeshJob { scene, format, path: Path::new(solio_io::STANDARD), options, work };
    if options.strict_loss {
        losses.extend(job.losses()?);
        losses.refuse()?;
    }
    let mut bytes = Vec::new();
    job.encode(options, &mut bytes)?;
    Ok(bytes)
}

/// A scene on its way to a file.
#[derive(Clone, Copy)]
struct MeshJob<'a> {
    scene: &'a Scene<'a>,
    format: Format,
    path: &'a Path,
    options: &'a MeshWriteOptions,
    work: &'a Work,
}

impl MeshJob<'_> {
    fn losses(&self) -> Result<Losses> {
        let MeshJob { scene, options, work, .. } = *self;
        match self.format {
            Format::Obj => {
                let mut losses = obj::obj_losses(scene, &options.obj, &options.mtl, work)?;
                if options.obj.export_materials && solio_io::is_direct(self.path) {
                    let reason = "an OBJ in a stream has no MTL: materials are names only";
                    losses.add_some("materials", reason, scene.materials.len(), "material");
                }
                Ok(losses)
            }
            Format::Ply => ply::ply_losses(scene, &options.ply, work),
            Format::Stl => stl::stl_losses(scene, &options.stl, options.stl_batch, work),
            Format::Off => off::off_losses(scene, work),
            Format::Gltf | Format::Glb => gltf::gltf_losses(scene, &options.gltf, work),
            Format::Splat => splats::splat_losses(scene),
            Format::Spz => spz::spz_losses(scene, &options.spz),
            Format::Sog => sog::sog_losses(scene, work),
        }
    }

    fn encode(&self, options: &MeshWriteOptions, sink: &mut dyn Sink) -> Result<()> {
        let MeshJob { scene, work, .. } = *self;
        match self.format {
            Format::Obj => obj::encode_obj(scene, &options.obj, work, sink),
            Format::Ply => ply::encode_ply(scene, &options.ply, work, sink),
            Format::Stl => stl::encode_stl(scene, &options.stl, work, sink),
            Format::Off => off::encode_off(scene, work, sink),
            Format::Gltf => gltf::encode_gltf_whole(scene, &options.gltf, work, sink),
            Format::Glb => gltf::encode_glb(scene, &options.gltf, work, sink),
            Format::Splat => splats::encode_splat(scene, work, sink),
            Format::Spz => spz::encode_spz(scene, &options.spz, work, sink),
            Format::Sog => sog::encode_sog(scene, work, sink),
        }
    }

    /// The file, under way.
    fn encoded(&self, options: &MeshWriteOptions) -> Result<FileSink> {
        let mut sink = FileSink::create(self.path, &options.sink(self.path), self.work)?;
        self.encode(options, &mut sink)?;
        Ok(sink)
    }

    fn write_one(&self) -> Result<Written> {
        let file = self.options.sink(self.path);
        Written::one(self.path, &file, self.work, |sink| self.encode(self.options, sink))
    }

    fn write_ply(&self) -> Result<Written> {
        let MeshJob { scene, path, work, .. } = *self;
        let mut options = self.options.clone();
        let (mut copies, mut written) = (Vec::new(), Written::default());
        let mut pictures = Vec::new();
        let names_some = ply::names_textures(scene, &options.ply)
            || ply::only_texture(scene, &scene.materials, &options.ply).is_some();
        if names_some && !solio_io::is_direct(path) {
            let folder = path.parent().unwrap_or(Path::new(""));
            if options.path_mode == PathMode::Auto {
                // Some programs put the folder before any path.
                options.path_mode = PathMode::Match;
            }
            let (mut materials, to_copy) = texture_paths::refer(scene, folder, &options, work);
            pictures = pictures_beside(scene, &mut materials, folder, &options);
            (options.ply.materials, copies) = (Some(materials), to_copy);
            written.warnings.extend(texture_paths::not_found(scene, &options));
        }
        // The mesh comes last, as an OBJ does.
        let mut sinks = self.picture_sinks(pictures)?;
        sinks.push(self.encoded(&options)?);
        self.with_textures(sinks, copies, written)
    }

    fn write_gltf(&self) -> Result<Written> {
        let MeshJob { scene, format, path, work, .. } = *self;
        let pictures = GltfPictures::of(scene, format, path, self.options, work);
        let mut options = self.options.clone();
        options.gltf.materials.get_or_insert(pictures.materials);
        options.gltf.images.extend(pictures.images);
        let mut written = Written { warnings: pictures.warnings, ..Written::default() };
        let plain = SinkOptions { compression: Compression::None, ..options.sink(path) };
        let mut sinks = self.picture_sinks(pictures.files)?;
        if format == Format::Glb || solio_io::is_direct(path) {
            sinks.push(self.encoded(&options)?);
            return self.with_textures(sinks, pictures.copies, written);
        }
        let beside = buffer_beside(path, work);
        let name = beside.file_name().unwrap_or_default();
        let uri = percent(solio_base::names::OsStrBytes::as_bytes(name));
        let mut document = FileSink::create(path, &options.sink(path), work)?;
        let mut buffer = FileSink::create(&beside, &plain, work)?;
        gltf::encode_gltf(scene, &options.gltf, work, &uri, &mut document, &mut buffer)?;
        // The document names the buffer, and comes last.
        sinks.extend([buffer, document]);
        written.warnings.dedup();
        self.with_textures(sinks, pictures.copies, written)
    }

    fn write_obj(&self) -> Result<Written> {
        let MeshJob { scene, path, work, .. } = *self;
        let mut options = self.options.clone();
        let wanted = options.obj.export_materials
            && (!scene.materials.is_empty() || options.obj.material_library.is_some());
        if !wanted || solio_io::is_direct(path) {
            return self.write_one();
        }
        let library = options.obj.material_library.get_or_insert_with(|| library_name(path));
        let folder = path.parent().unwrap_or(Path::new(""));
        let mtl_path = folder.join(library);
        if texture_paths::absolute(&mtl_path) == texture_paths::absolute(path) {
            return Err(Error::argument("the OBJ and its MTL cannot be the same file")
                .hint("name one of them otherwise: --mtl NAME, or an output that ends in .obj"));
        }
        let mut written = Written::default();
        written.warnings.extend(texture_paths::not_found(scene, &options));
        let mtl_folder = mtl_path.parent().unwrap_or(folder);
        options.obj.spaces_to_underscores |= options.mtl.spaces_to_underscores;
        let (mut materials, copies) = texture_paths::refer(scene, mtl_folder, &options, work);
        let pictures = pictures_beside(scene, &mut materials, mtl_folder, &options);
        // Those that the OBJ will say: without their folders textures of two materials may be one.
        let names = obj::material_names(&scene.materials, options.obj.spaces_to_underscores);
        materials.iter_mut().zip(names).for_each(|(material, name)| material.name = name);
        let text = obj::encode_mtl(&materials, &options.mtl).map_err(|e| e.at_path(&mtl_path))?;

        let obj = self.encoded(&options)?;
        if is_worth_more(&mtl_path, &text, scene, work) {
            let kept = "stays as it was: what it says about the materials was not read";
            written.warnings.push(format!("{} {kept}", mtl_path.display()));
            written.add(obj.commit()?);
            return Ok(written);
        }
        let plain = SinkOptions { compression: Compression::None, ..options.sink(path) };
        let mut mtl = FileSink::create(&mtl_path, &plain, work)?;
        mtl.write_bytes(work, &text)?;
        // Whatever a full disk may refuse comes before the first file appears. The mesh comes last:
        // who finds it, finds all that it needs.
        // Put in place from the last to the first: the OBJ comes when its MTL is there.
        let mut sinks = self.picture_sinks(pictures)?;
        sinks.extend([mtl, obj]);
        self.with_textures(sinks, copies, written)
    }

    /// The pictures that the scene brought along, under way.
    fn picture_sinks(&self, pictures: Vec<PictureBeside>) -> Result<Vec<FileSink>> {
        let plain = SinkOptions { compression: Compression::None, ..self.options.sink(self.path) };
        let sink = |(place, bytes): PictureBeside| {
            let mut sink = FileSink::create(&place, &plain, self.work)?;
            sink.write_bytes(self.work, &bytes)?;
            Ok(sink)
        };
        pictures.into_iter().map(sink).collect()
    }

    /// Finishes the files, copies textures to their names beside them, and puts the files in place,
    /// the last of which is the mesh.
    fn with_textures(
        &self,
        mut sinks: Vec<FileSink>,
        copies: Vec<(PathBuf, PathBuf)>,
        mut written: Written,
    ) -> Result<Written> {
        FileSink::finish_all(&mut sinks)?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let mut textures = Vec::new();
        for (from, to) in copies {
            // The name of a texture may lead through folders that lie beside the mesh.
            let place = match to.strip_prefix(folder) {
                Ok(name) => solio_io::place_below(folder, name),
                Err(_) => Ok(to.clone()),
            };
            match place.and_then(|to| solio_io::copy_file(&from, &to, self.work)) {
                Ok(bytes) => textures.push((to, bytes)),
                Err(e) => written.warnings.push(format!("texture not copied: {e}")),
            }
        }
        FileSink::commit_all(sinks)?.into_iter().rev().for_each(|file| written.add(file));
        written.files.extend(textures);
        Ok(written)
    }
}

/// Whether the MTL that is there must not give way to `text`: the scene's materials came with
/// libraries, of which none was read, so that only names are known.
fn is_worth_more(mtl: &Path, text: &[u8], scene: &Scene<'_>, work: &Work) -> bool {
    let is_blank = |m: &Material| *m == Material { name: m.name.clone(), ..Material::default() };
    scene.libraries_unread
        && !scene.material_libraries.is_empty()
        && scene.materials.iter().all(is_blank)
        && mtl.is_file()
        && solio_io::read_whole(mtl, &Limits::default(), work).map_or(true, |old| old != text)
}

/// `scene.obj.gz` has `scene.mtl`. Bytes that are not valid UTF-8 stand there as `%E9`: OBJ names the file
/// in text, and no two names become one.
pub(crate) fn library_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.file_name().unwrap_or_default().as_encoded_bytes().utf8_chunks() {
        name += chunk.valid();
        chunk.invalid().iter().for_each(|byte| name += &format!("%{byte:02X}"));
    }
    let extension = Compression::of_name(&name).extension();
    let plain = &name[..name.len() - extension.len()];
    let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
    format!("{stem}.mtl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_has_the_meshs_name() {
        assert_eq!(library_name("a/b.c.OBJ".as_ref()), "b.c.mtl");
        assert_eq!(library_name("b.obj.GZ".as_ref()), "b.mtl");
        assert_eq!(library_name("b".as_ref()), "b.mtl");
        #[cfg(unix)]
        {
            use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
            let name = |bytes: &[u8]| library_name(OsStr::from_bytes(bytes).as_ref());
            assert_eq!(name(b"a/x\xe9.obj.gz"), "x%E9.mtl");
            assert_eq!(name(b"a/x\xe8.obj.gz"), "x%E8.mtl");
        }
    }
}
