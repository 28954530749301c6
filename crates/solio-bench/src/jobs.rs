//! Whole jobs, from arrays to file and back, each against moving the same bytes plainly.
//!
//! Ours, plain, ours again: interleaved, files in the page cache, every run's answer checked
//! outside the measured time.

use crate::stats::{Ratio, median};
use solio::mesh::Scene;
use solio::mesh::ply::PlyFormat;
use solio::{
    Error, Format, MeshInfo, MeshReadOptions, MeshWriteOptions, Result, Stopwatch, Usage, Work,
};
use solio_cli::inputs::make_way;
use solio_cli::synthetic_mesh;
use solio_io::probe::{read_plain, write_plain};
use std::path::Path;

/// One job as measured.
pub(crate) struct JobLine {
    pub(crate) name: &'static str,
    pub(crate) bytes: usize,
    /// Turns of ours, plain and ours again.
    pub(crate) rounds: usize,
    /// Medians.
    pub(crate) wall_s: f64,
    pub(crate) cpu_s: f64,
    pub(crate) plain_wall_s: f64,
    pub(crate) plain_cpu_s: f64,
    /// Ours / plain.
    pub(crate) ratio_wall: Ratio,
    pub(crate) ratio_cpu: Ratio,
    /// Ours / ours, CPU.
    pub(crate) same_cpu: Ratio,
    pub(crate) answer: String,
}

/// The samples of one job.
#[derive(Default)]
struct JobSamples {
    ours: Vec<Usage>,
    plain: Vec<Usage>,
    again: Vec<Usage>,
}

impl JobSamples {
    fn line(&self, name: &'static str, bytes: usize, answer: String) -> JobLine {
        let wall = |usages: &[Usage]| usages.iter().map(|u| u.wall_s).collect::<Vec<_>>();
        let cpu = |usages: &[Usage]| usages.iter().map(|u| u.cpu_s).collect::<Vec<_>>();
        JobLine {
            name,
            bytes,
            rounds: self.plain.len(),
            wall_s: median(&wall(&self.ours)),
            cpu_s: median(&cpu(&self.ours)),
            plain_wall_s: median(&wall(&self.plain)),
            plain_cpu_s: median(&cpu(&self.plain)),
            ratio_wall: Ratio::of(&wall(&self.ours), &wall(&self.plain)),
            ratio_cpu: Ratio::of(&cpu(&self.ours), &cpu(&self.plain)),
            same_cpu: Ratio::of(&cpu(&self.ours), &cpu(&self.again)),
            answer,
        }
    }
}

/// Where and how often.
struct JobBench<'a> {
    folder: &'a Path,
    samples: usize,
    work: &'a Work,
    buffer: Vec<u8>,
}

/// Measures all jobs on a mesh of `31 * detail²` vertices.
pub(crate) fn measure(
    folder: &Path,
    detail: usize,
    samples: usize,
    work: &Work,
    mut done: impl FnMut(JobLine),
) -> Result<()> {
    let mut bench = JobBench { folder, samples, work, buffer: Vec::new() };
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
    ) -> Result<JobLine> {
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
        let mut samples = JobSamples::default();
        for round in 0..=self.samples {
            make_way(&path)?;
            let ours = timed(|| solio::write_mesh(scene, &path, &named, self.work).map(drop))?;
            self.must_hold(&path, &expected, name)?;
            make_way(&plain_path)?;
            let plain = timed(|| write_plain(&plain_path, &expected))?;
            make_way(&path)?;
            let again = timed(|| solio::write_mesh(scene, &path, &named, self.work).map(drop))?;
            samples.add(round, ours, plain, again);
        }
        Ok(samples.line(name, expected.len(), format!("{} equal bytes", expected.len())))
    }

    fn must_hold(&mut self, path: &Path, expected: &[u8], name: &str) -> Result<()> {
        read_plain(path, &mut self.buffer)?;
        if self.buffer == expected {
            return Ok(());
        }
        Err(Error::corrupt(format!("{name}: the file differs from the first one")).at_path(path))
    }

    fn read(&mut self, name: &'static str, file: &str, expected: &Scene<'_>) -> Result<JobLine> {
        let path = self.folder.join(file);
        let options = MeshReadOptions { skip_materials: true, ..MeshReadOptions::default() };
        let mut samples = JobSamples::default();
        for round in 0..=self.samples {
            let mut scene = Scene::default();
            let mut load = || -> Result<Usage> {
                scene = Scene::default(); // dropping the last one is not part of the job
                timed(|| solio::read_mesh(&path, &options, self.work).map(|s| scene = s))
            };
            let ours = load()?;
            let again = load()?;
            if scene.meshes != expected.meshes {
                let e = Error::corrupt(format!("{name}: another mesh than the first one"));
                return Err(e.at_path(&path));
            }
            let plain = timed(|| read_plain(&path, &mut self.buffer))?;
            samples.add(round, ours, plain, again);
        }
        let info = MeshInfo::of(expected);
        let answer = format!("{} vertices, {} faces", info.vertices, info.faces);
        Ok(samples.line(name, self.buffer.len(), answer))
    }
}

impl JobSamples {
    /// The first round only warms up.
    fn add(&mut self, round: usize, ours: Usage, plain: Usage, again: Usage) {
        if round > 0 {
            self.ours.push(ours);
            self.plain.push(plain);
            self.again.push(again);
        }
    }
}

fn timed(job: impl FnOnce() -> Result<()>) -> Result<Usage> {
    let watch = Stopwatch::start();
    job()?;
    Ok(watch.usage())
}
