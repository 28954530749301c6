//! `solio demo`: the main job on a mesh of two million vertices, with figures.
//!
//! Each step takes turns with a plain write or read of the same bytes: what a machine can do
//! changes from minute to minute, and only neighbours can be compared.

use crate::Outcome;
use crate::args::DemoArgs;
use crate::compare::{self, Tolerance};
use crate::inputs::make_way;
use crate::limit::{self, Limit, percent};
use crate::table::{BAD, BOLD, DIM, GOOD, TextTable, bytes, count, figures};
use crate::{options, synthetic_mesh};
use crate::{schema, screen};
use serde_json::json;
use solio::mesh::Scene;
use solio::{
    Error, Job, MeshInfo, MeshReadOptions, MeshWriteOptions, Result, SpanName, Stopwatch, Summary,
    Usage, Work,
};
use solio_io::probe::{read_parts, read_plain, write_parts, write_plain};
use std::path::{Path, PathBuf};

/// Turns of each step; the middle one by wall time counts.
const ROUNDS: usize = 3;

static STEP: SpanName = SpanName::new("step");
static PLAIN: SpanName = SpanName::new("plain, to compare");

/// One row of the table.
struct DemoStep {
    name: String,
    /// What went to or came from the disk.
    bytes: u64,
    usage: Usage,
    /// Seconds for moving the same bytes plainly: the least of all turns, with one thread and with all.
    plain_s: f64,
}

impl DemoStep {
    /// The least time that moving the bytes takes, over the time taken.
    fn achieved(&self) -> f64 {
        self.plain_s / self.usage.wall_s.max(1e-9)
    }

    /// The cores that were busy, over those there are.
    fn share_of(&self, cores: usize) -> f64 {
        self.usage.cpu_s / (cores.max(1) as f64 * self.usage.wall_s.max(1e-9))
    }
}

/// The demo as far as it got.
struct Demo {
    work: Work,
    folder: PathBuf,
    cores: usize,
    steps: Vec<DemoStep>,
    /// Wall and CPU seconds of all our turns.
    ours: Usage,
    checks: Vec<String>,
    /// A file's bytes, for the plain turns.
    buffer: Vec<u8>,
}

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let temporary;
    let folder = match &args.keep {
        Some(folder) => {
            solio_io::make_folder(folder)?;
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
        None => synthetic_mesh::scene(args.detail as usize),
    };
    let info = MeshInfo::of(&scene);
    let cores = limit::cores(&work);
    let (steps, checks, buffer) = (Vec::new(), Vec::new(), Vec::new());
    let ours = Usage::default();
    let mut demo = Demo { work, folder, cores, steps, ours, checks, buffer };
    if !args.json {
        screen::print(&intro(args, &info, &demo));
    }
    let record = options::record(&args.record);
    let limit = if record.is_wanted() {
        Limit::between(&demo.folder, &demo.folder, &demo.work)
    } else {
        Limit::default()
    };
    let recorded = record.start()?;
    let verdict = demo.all(&scene, &info);
    if let Some(recorded) = recorded {
        recorded.finish(demo.summary(&limit), &demo.work)?;
    }
    let failed = verdict.is_err();
    if args.json {
        screen::print(&schema::line("demo/1", &[], demo.to_json(&info, !failed)));
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
        let (path, plain) = (self.folder.join(file), self.folder.join("plain"));
        let mut turns = Vec::new();
        let mut bytes = 0;
        let _step = STEP.begin_labelled(name);
        for _ in 0..ROUNDS {
            make_way(&path)?;
            let watch = Stopwatch::start();
            bytes = solio::write_mesh(scene, &path, options, &self.work)?.file_bytes;
            let usage = watch.usage();
            let _plain = PLAIN.begin();
            read_plain(&path, &mut self.buffer)?;
            let watch = Stopwatch::start();
            let wrote = write_plain(&plain, &self.buffer);
            let one_s = watch.wall_s();
            make_way(&plain)?;
            wrote?;
            let watch = Stopwatch::start();
            let wrote = write_parts(&plain, &self.buffer, self.cores);
            turns.push((usage, watch.wall_s().min(one_s)));
            make_way(&plain)?;
            wrote?;
        }
        self.add(name, bytes, turns);
        Ok(())
    }

    fn read(&mut self, name: &str, file: &str, double: bool) -> Result<Scene<'static>> {
        let path = self.folder.join(file);
        let mut options = MeshReadOptions::default();
        options.obj.double = double;
        let mut turns = Vec::new();
        let mut scene = Scene::default();
        let mut bytes = 0;
        let _step = STEP.begin_labelled(name);
        for _ in 0..ROUNDS {
            drop(std::mem::take(&mut scene)); // the last one's memory goes back first
            let watch = Stopwatch::start();
            scene = solio::read_mesh(&path, &options, &self.work)?;
            let usage = watch.usage();
            let _plain = PLAIN.begin();
            let watch = Stopwatch::start();
            read_plain(&path, &mut self.buffer)?;
            let one_s = watch.wall_s();
            let watch = Stopwatch::start();
            read_parts(&path, &mut self.buffer, self.cores)?;
            turns.push((usage, watch.wall_s().min(one_s)));
            bytes = self.buffer.len() as u64;
        }
        self.add(name, bytes, turns);
        Ok(scene)
    }

    /// Adds the step of these turns: what it used, and the least seconds for the plain way. A bound is what
    /// was possible at best, not in the middle.
    fn add(&mut self, name: &str, bytes: u64, mut turns: Vec<(Usage, f64)>) {
        for (usage, _) in &turns {
            self.ours.wall_s += usage.wall_s;
            self.ours.cpu_s += usage.cpu_s;
        }
        let plain_s = turns.iter().map(|turn| turn.1).fold(f64::INFINITY, f64::min);
        turns.sort_by(|a, b| a.0.wall_s.total_cmp(&b.0.wall_s));
        let usage = turns[ROUNDS / 2].0;
        self.steps.push(DemoStep { name: name.into(), bytes, usage, plain_s });
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

    fn steps(&self) -> TextTable {
        let mut table = TextTable::new(&[
            "step",
            ">bytes",
            ">seconds",
            ">MB/s",
            ">CPU s",
            ">plain s",
            ">of limit",
            ">of cores",
        ]);
        for step in &self.steps {
            let wall_s = step.usage.wall_s;
            table.row(vec![
                step.name.clone(),
                bytes(step.bytes),
                format!("{wall_s:.3}"),
                figures(step.bytes as f64 / 1e6 / wall_s.max(1e-9)),
                format!("{:.3}", step.usage.cpu_s),
                format!("{:.3}", step.plain_s),
                percent(step.achieved()),
                percent(step.share_of(self.cores)),
            ]);
        }
        table
    }

    fn table(&self, kept: Option<&Path>, failed: bool) -> String {
        let mut text = self.steps().render();
        text += &format!(
            "{DIM}Middle of {ROUNDS} runs each, files in the page cache. plain s: the same bytes written or\n\
             read and nothing else, by one thread or {0}, the fastest of all turns. of limit: plain s\n\
             over seconds. of cores: busy ones, of {0}.{DIM:#}\n",
            self.cores
        );
        let faster = self.steps.iter().filter(|step| step.achieved() > 1.0);
        for step in faster {
            text += &format!(
                "{DIM}!  {}: over 100 % because the plain turns were too slow to be a limit.{DIM:#}\n",
                step.name
            );
        }
        text += "\n";
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

    /// What the trace and the page say: about our turns, all of them.
    fn summary(&self, limit: &Limit) -> Summary {
        let moved = self.work.progress.now();
        let job = Job {
            read_bytes: moved.read_bytes,
            written_bytes: moved.written_bytes,
            copied_bytes: moved.read_bytes + moved.written_bytes,
            cpu_s: self.ours.cpu_s,
            ..Job::default()
        };
        Summary {
            facts: vec![("our turns only:".into(), format!("{ROUNDS} of each step"))],
            table: self.steps().for_page(),
            ..limit.summary("solio demo".into(), moved.files, job, self.ours.wall_s)
        }
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
                    "plain_s": step.plain_s,
                    "achieved": step.achieved(),
                    "cores": step.share_of(self.cores),
                })
            })
            .collect();
        json!({
            "ok": ok,
            "vertices": info.vertices,
            "faces": info.faces,
            "steps": steps,
            "checks": self.checks,
            "cores": self.cores,
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
        "{BOLD}{name}{BOLD:#}\n\
         {} vertices, {} faces, {} objects, {} materials; {} cores, {}\n\n",
        count(info.vertices as u64),
        count(info.faces as u64),
        count(info.objects as u64),
        count(info.materials.len() as u64),
        demo.cores,
        solio::cpu::tier().name(),
    )
}

fn counts(a: &MeshInfo, b: &MeshInfo) -> std::result::Result<(), String> {
    same(a.faces, b.faces)?;
    same(a.corners, b.corners)
}

fn same(a: usize, b: usize) -> std::result::Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{a} became {b}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_brings_a_step_no_nearer_to_the_limit() {
        let usage = Usage { wall_s: 2.0, cpu_s: 3.9 };
        let step = DemoStep { name: "write".into(), bytes: 1, usage, plain_s: 0.2 };
        assert_eq!((step.achieved(), step.share_of(2)), (0.1, 0.975));
    }
}
