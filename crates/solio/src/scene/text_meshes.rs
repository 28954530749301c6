//! Meshes on their way from a text to files, or back, while the text is written anew.

use crate::scene::file::FolderFiles;
use crate::scene::packed::{mesh_of_packed, packed_mesh};
use crate::{Format, MeshPlace, MeshWriteOptions, SceneText, SceneTextOptions, Written};
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind, Limits, Result, Sink, Work};
use solio_codec::compress::Compression;
use solio_mesh::Scene as Meshes;
use solio_scene::pack::PackedMesh;
use solio_scene::pbrt::Statements;
use solio_scene::pbrt::meshes::{inline_mesh, plymesh_file, set_inline, set_plymesh};
use solio_scene::pbrt::schema::Version;
use solio_scene::pbrt::write::Writer;
use solio_scene::scene::Files;
use std::path::{Path, PathBuf};

/// The folder of meshes, beside the first file of a scene.
const FOLDER: &str = "meshes";

/// Writes statements, and moves their meshes.
pub(crate) struct MeshMover<'w> {
    place: MeshPlace,
    version: Version,
    /// Where files of the scene are read.
    files: FolderFiles<'w>,
    /// Where meshes are written: the folder that names are relative to.
    root: PathBuf,
    /// What the meshes of this text are called, without number and end.
    stem: String,
    limits: Limits,
    durable: bool,
    work: &'w Work,
    count: usize,
    moved: usize,
    written: Written,
}

impl<'w> MeshMover<'w> {
    /// Of a text that is a scene of its own.
    pub(crate) fn new(
        input: &Path,
        output: &Path,
        options: &SceneTextOptions,
        version: Version,
        work: &'w Work,
    ) -> Result<MeshMover<'w>> {
        if options.meshes == MeshPlace::Ply && solio_io::is_direct(output) {
            let error = Error::argument("meshes are written beside a file, and this is none");
            return Err(error.at_path(output));
        }
        let files = FolderFiles::beside(input, &options.limits, work);
        let root = output.parent().unwrap_or(Path::new(""));
        let name = Path::new(output.file_name().unwrap_or_default());
        Ok(MeshMover::of_file(name, root, files, options, version, work))
    }

    /// Of the file `name` of a scene that is written into the folder `root`.
    pub(crate) fn of_file(
        name: &Path,
        root: &Path,
        files: FolderFiles<'w>,
        options: &SceneTextOptions,
        version: Version,
        work: &'w Work,
    ) -> MeshMover<'w> {
        let name = name.to_string_lossy();
        let plain = name.strip_suffix(Compression::of_name(&name).extension()).unwrap_or(&name);
        let plain = plain.strip_suffix(".pbrt").unwrap_or(plain);
        MeshMover {
            place: options.meshes,
            version,
            files,
            root: root.to_owned(),
            stem: format!("{FOLDER}/{plain}"),
            limits: options.limits,
            durable: options.durable,
            work,
            count: 0,
            moved: 0,
            written: Written::default(),
        }
    }

    /// Writes a piece. Into the text meshes go one by one, and none is kept.
    pub(crate) fn write(
        &mut self,
        statements: &mut Statements,
        text: (&[u8], u64),
        writer: &mut Writer,
        sink: &mut dyn Sink,
        warnings: &mut Vec<Error>,
    ) -> Result<()> {
        let (mut done, text, work) = (0, Some(text), self.work);
        for i in 0..statements.statements.len() {
            match self.place {
                MeshPlace::AsTheyAre => break,
                MeshPlace::Ply => self.take_out(statements, i)?,
                MeshPlace::Inline => {
                    let Some(mesh) = self.read(statements, i, warnings)? else { continue };
                    writer.write_some(statements, done..i, text, sink, work)?;
                    let before = [statements.floats.len(), statements.integers.len()];
                    let at = statements.statements[i].at;
                    match set_inline(statements, i, &mesh, self.version) {
                        Ok(true) => self.moved += 1,
                        Ok(false) => {
                            let message =
                                "stays in its file: displaced, or not of one sort of face";
                            warnings.push(Error::unsupported(message).at_offset(at));
                        }
                        Err(error) => warnings.push(error.at_offset(at)),
                    }
                    writer.write_some(statements, i..i + 1, text, sink, work)?;
                    statements.floats.truncate(before[0]);
                    statements.integers.truncate(before[1]);
                    done = i + 1;
                }
            }
        }
        if done == 0 {
            return writer.write(statements, text, sink, work);
        }
        writer.write_some(statements, done..statements.statements.len(), text, sink, work)
    }

    /// A mesh of the text to a file of its own.
    fn take_out(&mut self, statements: &mut Statements, i: usize) -> Result<()> {
        let Some(found) = inline_mesh(statements, i, self.version) else { return Ok(()) };
        self.count += 1;
        let name = format!("{}_{}.ply", self.stem, self.count);
        let path = solio_io::place_below(&self.root, Path::new(&name))?;
        if path.exists() {
            let error = Error::argument("this mesh is there already, and stays as it is");
            return Err(error.at_path(path).hint("write to another folder, or remove it"));
        }
        solio_io::make_folder_of(&path)?;
        let mesh = mesh_of_packed(owned(&found.mesh));
        let scene = Meshes { meshes: vec![mesh], ..Meshes::default() };
        let options = MeshWriteOptions {
            format: Some(Format::Ply),
            durable: self.durable,
            ..MeshWriteOptions::default()
        };
        let written = crate::write_mesh(&scene, &path, &options, self.work)?;
        self.written.file_bytes += written.file_bytes;
        self.written.raw_bytes += written.raw_bytes;
        self.written.files.extend(written.files);
        self.moved += 1;
        let taken = found.into_taken();
        set_plymesh(statements, i, name.as_bytes(), &taken)
    }

    /// The mesh of the file that a statement names; one that cannot be read stays there.
    fn read(
        &self,
        statements: &Statements,
        i: usize,
        warnings: &mut Vec<Error>,
    ) -> Result<Option<PackedMesh<'static>>> {
        let Some(name) = plymesh_file(statements, i) else { return Ok(None) };
        let path = self.files.path(name);
        match packed_mesh(&self.files, &path, &self.limits, self.work) {
            Ok(mesh) => Ok(Some(mesh)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                let name = Path::new(std::ffi::OsStr::from_bytes(name)).display();
                let message = format!("{name}: {}", error.message());
                let at = statements.statements[i].at;
                warnings.push(Error::new(error.kind(), message).at_offset(at));
                Ok(None)
            }
        }
    }

    /// Tells what was done.
    pub(crate) fn finish(self, made: &mut SceneText) {
        made.moved_meshes += self.moved;
        made.written.file_bytes += self.written.file_bytes;
        made.written.raw_bytes += self.written.raw_bytes;
        made.written.files.extend(self.written.files);
    }
}

fn owned(mesh: &PackedMesh<'_>) -> PackedMesh<'static> {
    PackedMesh {
        positions: mesh.positions.to_vec().into(),
        normals: mesh.normals.to_vec().into(),
        uvs: mesh.uvs.to_vec().into(),
        corners: mesh.corners.to_vec().into(),
        face_offsets: mesh.face_offsets.to_vec().into(),
        face_indices: mesh.face_indices.to_vec().into(),
    }
}
