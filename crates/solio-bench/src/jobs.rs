//! Whole jobs, from arrays to file and back, each against moving the same bytes plainly.
//!
//! Ours, plain, ours again: interleaved, files in the page cache, every run's answer checked
//! outside the measured time.

use crate::turns::{BenchTurns, PEER, timed};
use serde_json::{Value, json};
use solio::mesh::Scene;
use solio::mesh::ply::PlyFormat;
use solio::{Error, Format, MeshInfo, MeshReadOptions, MeshWriteOptions, Result, Work};
use solio_cli::inputs::make_way;
use solio_cli::synthetic_mesh;
use solio_io::probe::{read_plain, write_plain};
use std::path::Path;

/// Where and how often.
struct JobBench<'a> {
    folder: &'a Path,
    rounds: usize,
    work: &'a Work,
    buffer: Vec<u8>,
}

/// Measures all jobs on a mesh of `31 * detail²` vertices.
pub(crate) fn measure(
    folder: &Path,
    detail: usize,
    rounds: usize,
    work: &Work,
    mut done: impl FnMut(Value),
) -> Result<()> {
    let mut bench = JobBench { folder, rounds, work, buffer: Vec::new() };
    let corners = synthetic_mesh::scene(detail);
    let options = MeshWriteOptions::default();
    done(bench.write("write OBJ, merging corners", "corners.obj", &corners, &options)?);
    drop(corners);
    let read = MeshReadOptions::default();
    let indexed = solio::read_mesh(&folder.join("corners.obj"), &read, work)?;
    done(bench.write("write OBJ, indexed arrays", "mesh.obj", &indexed, &options)?);
    done(bench.read("read OBJ", "mesh.obj", &indexed)?);

    let mut ply = options.clone();
    ply.ply.export_triangulated_mesh = true;
    done(bench.write("write PLY binary", "mesh.ply", &indexed, &ply)?);
    let triangles = solio::read_mesh(&folder.join("mesh.ply"), &read, work)?;
    done(bench.read("read PLY binary", "mesh.ply", &triangles)?);
    ply.ply.format = PlyFormat::Ascii;
    done(bench.write("write PLY ascii", "ascii.ply", &indexed, &ply)?);
    done(bench.read("read PLY ascii", "ascii.ply", &triangles)?);
    drop(triangles);

    done(bench.write("write STL binary", "mesh.stl", &indexed, &options)?);
    drop(indexed);
    let merged = solio::read_mesh(&folder.join("mesh.stl"), &read, work)?;
    done(bench.read("read STL binary, merging", "mesh.stl", &merged)?);
    Ok(())
}

impl JobBench<'_> {
    fn write(
        &mut self,
        name: &'static str,
        file: &str,
        scene: &Scene<'_>,
        options: &MeshWriteOptions,
    ) -> Result<Value> {
        let path = self.folder.join(file);
        let plain_path = self.folder.join("plain");
        let format = Format::of_name(&path)
            .ok_or_else(|| Error::argument("a bench file has a known ending"))?;
        // The name of the MTL is part of the OBJ; the writer derives it from the path.
        let mut named = options.clone();
        let library = (format == Format::Obj && !scene.materials.is_empty())
            .then(|| file.replace(".obj", ".mtl"));
        named.obj.material_library = library;
        let expected = solio::encode_mesh(scene, format, &named, self.work)?;
        let turns = BenchTurns::run(self.rounds..=self.rounds, 0.0, 1, |_, side| {
            let path = if side == PEER { &plain_path } else { &path };
            make_way(path)?;
            if side == PEER {
                return Ok(timed(|| write_plain(path, &expected))?.0);
            }
            let (took, _) = timed(|| solio::write_mesh(scene, path, &named, self.work))?;
            self.must_hold(path, &expected, name)?;
            Ok(took)
        })?;
        let answer = format!("{} equal bytes", expected.len());
        Ok(turns.row(name, "plain", json!({ "bytes": expected.len(), "answer": answer })))
    }

    fn must_hold(&mut self, path: &Path, expected: &[u8], name: &str) -> Result<()> {
        read_plain(path, &mut self.buffer)?;
        if self.buffer == expected {
            return Ok(());
        }
        Err(Error::corrupt(format!("{name}: the file differs from the first one")).at_path(path))
    }

    fn read(&mut self, name: &'static str, file: &str, expected: &Scene<'_>) -> Result<Value> {
        let path = self.folder.join(file);
        let options = MeshReadOptions { skip_materials: true, ..MeshReadOptions::default() };
        let turns = BenchTurns::run(self.rounds..=self.rounds, 0.0, 1, |_, side| {
            if side == PEER {
                return Ok(timed(|| read_plain(&path, &mut self.buffer))?.0);
            }
            let (took, scene) = timed(|| solio::read_mesh(&path, &options, self.work))?;
            if scene.meshes != expected.meshes {
                let e = Error::corrupt(format!("{name}: another mesh than the first one"));
                return Err(e.at_path(&path));
            }
            Ok(took)
        })?;
        let info = MeshInfo::of(expected);
        let answer = format!("{} vertices, {} faces", info.vertices, info.faces);
        Ok(turns.row(name, "plain", json!({ "bytes": self.buffer.len(), "answer": answer })))
    }
}
