//! `solio demo`: the main job on a mesh of two million vertices, with figures.

use crate::Outcome;
use crate::args::DemoArgs;
use crate::compare::{self, Tolerance};
use crate::screen;
use crate::table::{Align, BAD, BOLD, DIM, GOOD, Table, bytes, count, figures};
use crate::{options, shape};
use serde_json::json;
use solio::mesh::Scene;
use solio::{
    Error, Job, Light, MeshInfo, MeshReadOptions, MeshWriteOptions, Progress, Result, Stopwatch,
    Usage, Work,
};
use std::path::{Path, PathBuf};

/// One row of the table.
struct Step {
    name: String,
    /// What went to or came from the disk.
    bytes: u64,
    /// Whether the bytes were written (otherwise read).
    wrote: bool,
    usage: Usage,
}

/// The demo as far as it got.
struct Demo {
    work: Work,
    folder: PathBuf,
    light: Light,
    steps: Vec<Step>,
    checks: Vec<String>,
}

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let temporary;
    let folder = match &args.keep {
        Some(folder) => {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|e| Error::io("make the folder", e).at_path(folder))?;
            folder.clone()
        }
        None => {
            let made = tempfile::Builder::new().prefix("solio-demo-").tempdir();
            temporary = made.map_err(|e| Error::io("make a temporary folder", e))?;
            temporary.path().to_owned()
        }
    };
    let scene = match &args.input {
        Some(path) => solio::read_mesh(path, &MeshReadOptions::default(), &work)?,
        None => shape::scene(args.detail as usize),
    };
    let info = MeshInfo::of(&scene);
    let light = solio::measure_light(&folder, 128 << 20, work.threads)?;
    let mut demo = Demo { work, folder, light, steps: Vec::new(), checks: Vec::new() };
    if !args.json {
        screen::print(&intro(args, &info, &demo));
    }
    let verdict = demo.all(&scene, &info);
    let failed = verdict.is_err();
    if args.json {
        screen::print(&format!("{}\n", demo.to_json(&info, !failed)));
    } else {
        screen::print(&demo.table(args.keep.as_deref(), failed));
    }
    verdict?;
    Ok(Outcome::Done)
}

impl Demo {
    /// All steps, each followed by its check.
    fn all(&mut self, scene: &Scene<'_>, info: &MeshInfo) -> Result<()> {
        let write = MeshWriteOptions::default();
        let double = info.double;
        self.write("write OBJ + MTL", scene, "mesh.obj", &write)?;
        let read = self.read("read OBJ", "mesh.obj", double)?;
        let tolerance = Tolerance {
            position: options::rounding(write.obj.position_digits),
            uv: options::rounding(write.obj.uv_digits),
            // Making a normal one long may move it across the middle between two texts.
            normal: options::rounding(write.obj.normal_digits) + 1e-6,
        };
        self.check(
            "OBJ: every vertex, corner, UV, normal and material as written",
            compare::scenes(scene, &read, tolerance),
        )?;
        self.write("convert to PLY", &read, "mesh.ply", &write)?;
        let ply = MeshInfo::of(&self.read("read PLY", "mesh.ply", double)?);
        self.check("PLY: as many faces and corners", counts(info, &ply))?;
        drop(ply);
        self.write("convert to STL", &read, "mesh.stl", &write)?;
        let stl = MeshInfo::of(&self.read("read STL, merging", "mesh.stl", false)?);
        let triangles = info.corners - 2 * info.faces;
        self.check("STL: as many triangles", same(triangles, stl.faces))?;
        self.write("compress to OBJ.zst", &read, "mesh.obj.zst", &write)?;
        let again = self.read("read OBJ.zst", "mesh.obj.zst", double)?;
        let exact = Tolerance { position: 0.0, uv: 0.0, normal: 0.0 };
        self.check("OBJ.zst: equal to the OBJ", compare::scenes(&read, &again, exact))
    }

    fn write(
        &mut self,
        name: &str,
        scene: &Scene<'_>,
        file: &str,
        options: &MeshWriteOptions,
    ) -> Result<()> {
        let watch = Stopwatch::start();
        let written = solio::write_mesh(scene, &self.folder.join(file), options, &self.work)?;
        let usage = watch.usage();
        self.steps.push(Step { name: name.into(), bytes: written.file_bytes, wrote: true, usage });
        Ok(())
    }

    fn read(&mut self, name: &str, file: &str, double: bool) -> Result<Scene<'static>> {
        let work = Work { progress: Progress::default(), ..self.work.clone() };
        let mut options = MeshReadOptions::default();
        options.obj.double = double;
        let watch = Stopwatch::start();
        let scene = solio::read_mesh(&self.folder.join(file), &options, &work)?;
        let usage = watch.usage();
        let bytes = work.progress.now().read_bytes;
        self.steps.push(Step { name: name.into(), bytes, wrote: false, usage });
        Ok(scene)
    }

    fn check(&mut self, name: &str, result: std::result::Result<(), String>) -> Result<()> {
        match result {
            Ok(()) => self.checks.push(name.into()),
            Err(difference) => {
                return Err(Error::corrupt(format!(
                    "the demo read back another mesh: {difference}"
                ))
                .hint("this is a fault of Solio; please report it with the mesh"));
            }
        }
        self.work.cancel.check()
    }

    /// Seconds that moving a step's bytes takes at the machine's peak.
    fn plain_s(&self, step: &Step) -> f64 {
        let rate = if step.wrote { self.light.write_mb_s } else { self.light.read_mb_s };
        step.bytes as f64 / 1e6 / rate.max(1e-9)
    }

    fn achieved(&self, step: &Step) -> f64 {
        let mut job = Job { cpu_s: step.usage.cpu_s, ..Job::default() };
        if step.wrote {
            job.written_bytes = step.bytes;
        } else {
            job.read_bytes = step.bytes;
        }
        self.light.achieved(&job, step.usage.wall_s)
    }

    fn table(&self, kept: Option<&Path>, failed: bool) -> String {
        use Align::{Left, Right};
        let mut table = Table::new(&[
            ("step", Left),
            ("bytes", Right),
            ("seconds", Right),
            ("MB/s", Right),
            ("CPU s", Right),
            ("× plain", Right),
            ("of limit", Right),
        ]);
        for step in &self.steps {
            let wall_s = step.usage.wall_s;
            table.row(vec![
                step.name.clone(),
                bytes(step.bytes),
                format!("{wall_s:.3}"),
                figures(step.bytes as f64 / 1e6 / wall_s.max(1e-9)),
                format!("{:.3}", step.usage.cpu_s),
                format!("{:.1}", wall_s / self.plain_s(step).max(1e-9)),
                format!("{:.0} %", 100.0 * self.achieved(step)),
            ]);
        }
        let mut text = table.render();
        text += &format!(
            "{DIM}× plain: time over that of a plain write or read of the same bytes, one thread,\n\
             in the page cache. of limit: the least time that bytes and computing allow on\n\
             {} cores, over the time taken.{DIM:#}\n\n",
            self.light.cores
        );
        for check in &self.checks {
            text += &format!("{GOOD}ok{GOOD:#}  {check}\n");
        }
        if failed {
            text += &format!("{BAD}failed{BAD:#}\n");
        }
        text += &format!("Peak memory {}.", bytes(solio::peak_rss_bytes()));
        if let Some(folder) = kept {
            text += &format!(" The files are in {}.", folder.display());
        }
        text + "\n"
    }

    fn to_json(&self, info: &MeshInfo, ok: bool) -> serde_json::Value {
        let steps: Vec<serde_json::Value> = self
            .steps
            .iter()
            .map(|step| {
                json!({
                    "step": step.name,
                    "bytes": step.bytes,
                    "wall_s": step.usage.wall_s,
                    "cpu_s": step.usage.cpu_s,
                    "plain_s": self.plain_s(step),
                    "achieved": self.achieved(step),
                })
            })
            .collect();
        json!({
            "ok": ok,
            "vertices": info.vertices,
            "faces": info.faces,
            "steps": steps,
            "checks": self.checks,
            "write_mb_s": self.light.write_mb_s,
            "read_mb_s": self.light.read_mb_s,
            "memcpy_mb_s": self.light.memcpy_mb_s,
            "cores": self.light.cores,
            "cpu_tier": solio::cpu::tier().name(),
            "peak_memory_bytes": solio::peak_rss_bytes(),
        })
    }
}

fn intro(args: &DemoArgs, info: &MeshInfo, demo: &Demo) -> String {
    let name = match &args.input {
        Some(path) => path.display().to_string(),
        None => "a fluted trefoil knot with beads".into(),
    };
    format!(
        "{BOLD}{name}{BOLD:#}: {} vertices, {} faces, {} objects, {} materials\n\
         {DIM}This machine: {} cores ({}), writes {} MB/s, reads {} MB/s, copies {} MB/s.{DIM:#}\n\n",
        count(info.vertices as u64),
        count(info.faces as u64),
        count(info.objects as u64),
        count(info.materials.len() as u64),
        demo.light.cores,
        solio::cpu::tier().name(),
        figures(demo.light.write_mb_s),
        figures(demo.light.read_mb_s),
        figures(demo.light.memcpy_mb_s),
    )
}

fn counts(a: &MeshInfo, b: &MeshInfo) -> std::result::Result<(), String> {
    same(a.faces, b.faces)?;
    same(a.corners, b.corners)
}

fn same(a: usize, b: usize) -> std::result::Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{a} became {b}")) }
}
