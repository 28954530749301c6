//! What a conversion did, for people and for programs.

use crate::args::ConvertArgs;
use crate::conversions::Conversions;
use crate::limit::{Limit, percent};
use crate::table::{bytes, count, figures, seconds};
use crate::{json_paths, losses, schema, screen, terminal};
use serde_json::{Value, json};
use solio::{ImageJob, Job, MeshInfo, Progressed, Usage, Written};

/// What one conversion did.
pub(super) struct MeshReport {
    pub(super) counts: MeshInfo,
    pub(super) moved: Progressed,
    /// Bytes read that were not in the page cache.
    pub(super) fetched: u64,
    pub(super) read: Usage,
    pub(super) write: Usage,
    pub(super) written: Written,
    /// How much of a scene is missing that the meshes could hold.
    pub(super) problems: u64,
}

impl MeshReport {
    fn wall_s(&self) -> f64 {
        self.read.wall_s + self.write.wall_s
    }

    /// What was odd in the input, and what went not quite as asked in writing.
    fn warnings(&self) -> impl Iterator<Item = &String> {
        self.counts.warnings.iter().chain(&self.written.warnings)
    }

    fn job(&self) -> Job {
        Job {
            read_bytes: self.moved.read_bytes,
            disk_bytes: self.fetched,
            written_bytes: self.written.file_bytes,
            // What is read and what is written passes through memory once.
            copied_bytes: self.moved.read_bytes + self.written.file_bytes,
            cpu_s: self.read.cpu_s + self.write.cpu_s,
        }
    }
}

/// Adds the conversion to what all did together.
pub(super) fn add(all: &mut Conversions, (input, output): &ImageJob, report: &MeshReport) {
    let (job, wall_s) = (report.job(), report.wall_s());
    let shares = all.limit.shares(&job, wall_s);
    all.wall_s += wall_s;
    all.files += report.moved.files;
    all.add((input, output), &job, || {
        vec![
            bytes(job.read_bytes),
            seconds(report.read.wall_s),
            bytes(job.written_bytes),
            seconds(report.write.wall_s),
            seconds(job.cpu_s),
            shares.as_ref().map_or("–".into(), |shares| percent(shares.bytes)),
            shares.map_or("–".into(), |shares| percent(shares.cores)),
        ]
    });
}

/// The last lines of `--stats` over many files.
pub(super) fn stats_of_all(all: &Conversions) -> String {
    let Job { read_bytes, written_bytes, cpu_s, .. } = all.job;
    let text = format!(
        "{} converted\n  {} files, {} read, {} written in {}, CPU {}",
        count(all.done),
        count(all.files),
        bytes(read_bytes),
        bytes(written_bytes),
        seconds(all.wall_s),
        seconds(cpu_s),
    );
    text + &all.limit.line(&all.job, all.wall_s)
}

/// Prints what the options ask for.
pub(super) fn show(args: &ConvertArgs, plan: &ImageJob, report: &MeshReport, limit: &Limit) {
    let (from, to) = plan;
    // What a scene's text says stands there with its place.
    let input = format!("{}:", from.display());
    for warning in report.warnings() {
        let place = if warning.starts_with(&input) { "" } else { &format!("{input} ") };
        screen::complain(&format!("warning: {place}{warning}"));
    }
    losses::say(from, &report.written.losses);
    if args.json {
        let paths = [("input", &**from), ("output", &**to)];
        screen::print(&schema::line("convert-mesh/2", &paths, to_json(report, limit)));
    }
    if args.shown.stats {
        screen::say(&stats(plan, report, limit));
    }
}

fn stats((from, to): &ImageJob, report: &MeshReport, limit: &Limit) -> String {
    let step = |name: &str, size: u64, usage: &Usage| {
        let rate = size as f64 / 1e6 / usage.wall_s.max(1e-9);
        format!(
            "  {name:<6} {:>8}  {:>9}  {:>6} MB/s  CPU {}",
            bytes(size),
            seconds(usage.wall_s),
            figures(rate),
            seconds(usage.cpu_s)
        )
    };
    let mut text = format!("{} -> {}\n", terminal::name(from), terminal::name(to));
    text += &format!("{}\n", step("read", report.moved.read_bytes, &report.read));
    text += &format!("{}\n", step("write", report.written.file_bytes, &report.write));
    text += &format!("  {} files; ", count(report.moved.files));
    text += &format!("peak memory {}", bytes(solio::peak_rss_bytes()));
    text + &limit.line(&report.job(), report.wall_s())
}

fn to_json(report: &MeshReport, limit: &Limit) -> Value {
    let mut line = json!({
        "files": json_paths::sized(&report.written.files),
        "vertices": report.counts.vertices,
        "faces": report.counts.faces,
        "read_bytes": report.moved.read_bytes,
        "read_wall_s": report.read.wall_s,
        "read_cpu_s": report.read.cpu_s,
        "written_bytes": report.written.file_bytes,
        "raw_bytes": report.written.raw_bytes,
        "write_wall_s": report.write.wall_s,
        "write_cpu_s": report.write.cpu_s,
        "peak_memory_bytes": solio::peak_rss_bytes(),
        "files_moved": report.moved.files,
        "warnings": report.warnings().collect::<Vec<_>>(),
        "losses": losses::to_json(&report.written.losses),
    });
    limit.add_to(&mut line, &report.job(), report.wall_s());
    line
}
