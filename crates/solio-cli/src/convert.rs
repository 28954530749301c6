//! `solio convert`: reads each input and writes it in another format.

use crate::Outcome;
use crate::args::ConvertArgs;
use crate::progress::Shown;
use crate::screen;
use crate::table::{bytes, figures, seconds};
use crate::{inputs, options};
use serde_json::{Value, json};
use solio::{
    Compression, Error, ErrorKind, Format, Job, Light, MeshInfo, Progress, Result, Stopwatch,
    Usage, Work, Written,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the system calls writing to a pipe that nobody reads.
pub(crate) const BROKEN_PIPE: i32 = 32;

/// One file to read and one to write.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    input: PathBuf,
    output: PathBuf,
}

/// What one conversion did.
struct Report {
    counts: MeshInfo,
    read_bytes: u64,
    read: Usage,
    write: Usage,
    written: Written,
}

/// Converts every input, goes on past bad ones.
pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let inputs = inputs::collect(&args.inputs, &work)?;
    if inputs.is_empty() {
        screen::complain("the list names no files");
        return Ok(Outcome::NothingMatched);
    }
    let plans = plan(args, inputs)?;
    if args.dry_run {
        for plan in &plans {
            screen::print(&format!("{} -> {}\n", plan.input.display(), plan.output.display()));
        }
        return Ok(Outcome::Done);
    }
    let light = if args.stats { measure_light(args, &work) } else { None };
    let mut failed = 0;
    for (done, plan) in plans.iter().enumerate() {
        match convert(args, plan, &work) {
            Ok(report) => show(args, plan, &report, light.as_ref()),
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                screen::complain(&format!("interrupted; {done} of {} done", plans.len()));
                return Ok(Outcome::Interrupted);
            }
            // The reader of our standard output has seen enough (`… | head`): no failure.
            Err(error) if is_standard(&plan.output) && error.os_error() == Some(BROKEN_PIPE) => {
                return Ok(Outcome::Done);
            }
            Err(error) => {
                failed += 1;
                let error = error.at_path(&plan.input);
                if args.json {
                    let input = plan.input.to_string_lossy();
                    let line = json!({ "input": input, "error": screen::error_json(&error) });
                    screen::print(&format!("{line}\n"));
                }
                screen::complain(&error.to_string());
            }
        }
    }
    if failed > 0 && plans.len() > 1 {
        screen::complain(&format!("{failed} of {} inputs failed", plans.len()));
    }
    Ok(if failed > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

fn convert(args: &ConvertArgs, plan: &Plan, work: &Work) -> Result<Report> {
    let work = Work { progress: Progress::default(), ..work.clone() };
    let name = plan.input.file_name().unwrap_or(plan.input.as_os_str()).to_string_lossy();
    let shown = Shown::start(args.progress, &name, &work.progress);
    let watch = Stopwatch::start();
    let scene = solio::read_mesh(&plan.input, &options::read(&args.read), &work)?;
    let read = watch.usage();
    let options = options::write(&args.write, &args.read, &plan.input, args.format);
    let watch = Stopwatch::start();
    let written = solio::write_mesh(&scene, &plan.output, &options, &work)?;
    let write = watch.usage();
    drop(shown);
    let read_bytes = work.progress.now().read_bytes;
    let counts = if args.json || args.stats {
        MeshInfo::of(&scene)
    } else {
        MeshInfo { warnings: scene.warnings, ..MeshInfo::default() }
    };
    Ok(Report { counts, read_bytes, read, write, written })
}

/// Which input goes where.
fn plan(args: &ConvertArgs, inputs: Vec<PathBuf>) -> Result<Vec<Plan>> {
    let output = &args.output;
    if is_standard(output) {
        if args.json {
            return Err(Error::argument("--json and -o - both want standard output"));
        }
        if args.format.is_none() {
            return Err(Error::argument("standard output has no name that tells the format")
                .hint("add --format obj, ply or stl"));
        }
    }
    let ends_as_folder = output.as_os_str().to_string_lossy().ends_with('/');
    let folder = !is_standard(output)
        && (output.is_dir()
            || ends_as_folder
            || (inputs.len() > 1 && Format::of_name(output).is_none()));
    if !folder {
        let [input] = <[PathBuf; 1]>::try_from(inputs).map_err(|inputs| {
            Error::argument(format!("{} inputs, but one output", inputs.len()))
                .at_path(output)
                .hint("name a folder: -o out/")
        })?;
        return Ok(vec![Plan { input, output: output.clone() }]);
    }
    if args.write.mtl.is_some() {
        return Err(Error::argument("several files cannot share the name that --mtl gives")
            .hint("without it each MTL has the name of its OBJ"));
    }
    let Some(format) = args.format else {
        return Err(Error::argument("the output is a folder, which does not tell the format")
            .hint("add --format obj, ply or stl"));
    };
    if !args.dry_run {
        let made = std::fs::create_dir_all(output);
        made.map_err(|e| Error::io("make the folder", e).at_path(output))?;
    }
    let compression = args.write.compress.map_or(Compression::None, Into::into);
    let mut taken: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut plans = Vec::new();
    for input in inputs {
        let name = format!("{}.{format}{}", stem(&input)?, compression.extension());
        let path = output.join(name);
        if let Some(other) = taken.insert(path.clone(), input.clone()) {
            let both = format!("both {} and this would become {}", other.display(), path.display());
            return Err(Error::argument(both).at_path(&input));
        }
        plans.push(Plan { input, output: path });
    }
    Ok(plans)
}

/// `dir/scan.ply.gz` is `scan`.
fn stem(path: &Path) -> Result<String> {
    if is_standard(path) {
        return Err(Error::argument("standard input has no name to give to a file in a folder")
            .hint("name the output file"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = &name[..name.len() - Compression::of_name(&name).extension().len()];
    let known = Format::of_name(Path::new(plain)).is_some();
    let stem = if known { plain.rsplit_once('.').map_or(plain, |(stem, _)| stem) } else { plain };
    if stem.is_empty() {
        return Err(Error::argument("the file has no name").at_path(path));
    }
    Ok(stem.to_owned())
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The machine's peaks on the file system of the output; not being able to measure is no failure.
fn measure_light(args: &ConvertArgs, work: &Work) -> Option<Light> {
    let folder = if args.output.is_dir() { Some(&*args.output) } else { args.output.parent() };
    let folder = folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    solio::measure_light(folder, 64 << 20, work.threads).ok()
}

fn show(args: &ConvertArgs, plan: &Plan, report: &Report, light: Option<&Light>) {
    for warning in report.counts.warnings.iter().chain(&report.written.warnings) {
        screen::say(&format!("solio: warning: {}: {warning}", plan.input.display()));
    }
    if args.json {
        screen::print(&format!("{}\n", to_json(plan, report, light)));
    }
    if args.stats {
        screen::say(&stats(plan, report, light));
    }
}

fn achieved(report: &Report, light: Option<&Light>) -> Option<f64> {
    let wall_s = report.read.wall_s + report.write.wall_s;
    let job = Job {
        read_bytes: report.read_bytes,
        written_bytes: report.written.file_bytes,
        cpu_s: report.read.cpu_s + report.write.cpu_s,
    };
    light.map(|light| light.achieved(&job, wall_s))
}

fn stats(plan: &Plan, report: &Report, light: Option<&Light>) -> String {
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
    let mut text = format!("{} -> {}\n", plan.input.display(), plan.output.display());
    text += &format!("{}\n", step("read", report.read_bytes, &report.read));
    text += &format!("{}\n", step("write", report.written.file_bytes, &report.write));
    text += &format!("  peak memory {}", bytes(solio::peak_rss_bytes()));
    if let Some(share) = achieved(report, light) {
        text += &format!("; {} % of the machine's limit", figures(100.0 * share));
    }
    text
}

fn to_json(plan: &Plan, report: &Report, light: Option<&Light>) -> Value {
    let files: Vec<Value> = report
        .written
        .files
        .iter()
        .map(|(path, bytes)| json!({ "path": path.to_string_lossy(), "bytes": bytes }))
        .collect();
    json!({
        "input": plan.input.to_string_lossy(),
        "output": plan.output.to_string_lossy(),
        "files": files,
        "vertices": report.counts.vertices,
        "faces": report.counts.faces,
        "read_bytes": report.read_bytes,
        "read_wall_s": report.read.wall_s,
        "read_cpu_s": report.read.cpu_s,
        "written_bytes": report.written.file_bytes,
        "raw_bytes": report.written.raw_bytes,
        "write_wall_s": report.write.wall_s,
        "write_cpu_s": report.write.cpu_s,
        "peak_memory_bytes": solio::peak_rss_bytes(),
        "achieved": achieved(report, light),
        "warnings": report.counts.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_lose_format_and_compression() {
        let of = |name: &str| stem(Path::new(name)).unwrap();
        assert_eq!(of("a/scan.ply.gz"), "scan");
        assert_eq!(of("a.b.OBJ"), "a.b");
        assert_eq!(of("model.v2"), "model.v2");
        assert!(stem(Path::new("-")).is_err());
    }
}
