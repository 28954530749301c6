//! What a conversion did, for people and for programs.

use super::MeshConversion;
use crate::args::ConvertArgs;
use crate::limit::Limit;
use crate::table::{Align, CONVERSIONS, TextTable, bytes, count, figures, seconds};
use crate::{json_paths, losses, schema, screen, terminal};
use serde_json::{Value, json};
use solio::{Job, MeshInfo, Progressed, Summary, Usage, Written};
use std::path::Path;

/// What one conversion did.
pub(super) struct MeshReport {
    pub(super) counts: MeshInfo,
    pub(super) moved: Progressed,
    /// Bytes read that were not in the page cache.
    pub(super) fetched: u64,
    pub(super) read: Usage,
    pub(super) write: Usage,
    pub(super) written: Written,
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

/// What all conversions did together.
pub(super) struct MeshTotals {
    pub(super) limit: Limit,
    job: Job,
    wall_s: f64,
    files: u64,
    converted: u64,
    table: TextTable,
}

impl MeshTotals {
    pub(super) fn new(limit: Limit) -> MeshTotals {
        let more = [("CPU", Align::Right), ("of limit", Align::Right)];
        let table = TextTable::new(&[&CONVERSIONS[..], &more].concat());
        MeshTotals { limit, job: Job::default(), wall_s: 0.0, files: 0, converted: 0, table }
    }

    pub(super) fn add(&mut self, plan: &MeshConversion, report: &MeshReport) {
        let job = report.job();
        self.job.read_bytes += job.read_bytes;
        self.job.disk_bytes += job.disk_bytes;
        self.job.written_bytes += job.written_bytes;
        self.job.copied_bytes += job.copied_bytes;
        self.job.cpu_s += job.cpu_s;
        self.wall_s += report.wall_s();
        self.files += report.moved.files;
        self.converted += 1;
        let achieved = self.limit.light.map(|light| light.achieved(&job, report.wall_s()));
        self.table.row_to_record(|| {
            vec![
                plan.input.display().to_string(),
                plan.output.display().to_string(),
                bytes(job.read_bytes),
                seconds(report.read.wall_s),
                bytes(job.written_bytes),
                seconds(report.write.wall_s),
                seconds(job.cpu_s),
                achieved.map_or("–".into(), |share| format!("{} %", figures(100.0 * share))),
            ]
        });
    }

    /// The last lines of `--stats` over many files.
    pub(super) fn stats(&self) -> String {
        let Job { read_bytes, written_bytes, cpu_s, .. } = self.job;
        let mut text = format!(
            "{} converted\n  {} files, {} read, {} written in {}, CPU {}",
            count(self.converted),
            count(self.files),
            bytes(read_bytes),
            bytes(written_bytes),
            seconds(self.wall_s),
            seconds(cpu_s),
        );
        if let Some(words) = self.limit.words(&self.job, self.wall_s) {
            text += &format!("\n  {words}");
        }
        text
    }

    /// What the trace and the page say about the run.
    pub(super) fn summary(&self, inputs: &[&Path], output: &Path) -> Summary {
        let from = json_paths::one_or_count(inputs.iter(), "file");
        let title = format!("solio convert {from} -o {}", output.display());
        let table = self.table.for_page();
        Summary { table, ..self.limit.summary(title, self.files, self.job, self.wall_s) }
    }
}

/// Prints what the options ask for.
pub(super) fn show(args: &ConvertArgs, plan: &MeshConversion, report: &MeshReport, limit: &Limit) {
    // What a scene's text says stands there with its place.
    let input = format!("{}:", plan.input.display());
    for warning in report.warnings() {
        let place = if warning.starts_with(&input) { "" } else { &format!("{input} ") };
        screen::complain(&format!("warning: {place}{warning}"));
    }
    losses::say(&plan.input, &report.written.losses);
    if args.json {
        let paths: [(&str, &Path); 2] = [("input", &plan.input), ("output", &plan.output)];
        screen::print(&schema::line("convert-mesh/2", &paths, to_json(report, limit)));
    }
    if args.shown.stats {
        screen::say(&stats(plan, report, limit));
    }
}

fn stats(plan: &MeshConversion, report: &MeshReport, limit: &Limit) -> String {
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
    let mut text = format!("{} -> {}\n", terminal::name(&plan.input), terminal::name(&plan.output));
    text += &format!("{}\n", step("read", report.moved.read_bytes, &report.read));
    text += &format!("{}\n", step("write", report.written.file_bytes, &report.write));
    text += &format!("  {} files; ", count(report.moved.files));
    text += &format!("peak memory {}", bytes(solio::peak_rss_bytes()));
    if let Some(words) = limit.words(&report.job(), report.wall_s()) {
        text += &format!("\n  {words}");
    }
    text
}

fn to_json(report: &MeshReport, limit: &Limit) -> Value {
    let files: Vec<Value> =
        report.written.files.iter().map(|(path, bytes)| json_paths::sized(path, *bytes)).collect();
    let mut line = json!({
        "files": files,
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
