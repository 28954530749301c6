//! Seven ways to run ExifTool over many files, as a study of 2010 compared them: what a person
//! should know before starting one over a million.

use super::args::PhotoBenchArgs;
use super::files::PhotoFiles;
use super::run::all;
use crate::program;
use serde_json::{Value, json};
use solio::{Error, Result, Usage, Work};
use solio_cli::table::{DIM, TextTable};
use solio_cli::{Outcome, chart_page, schema, screen};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// The page with all ways.
const PAGE: &str = include_str!("../../web/modes.html");

/// One way as measured.
struct ExifToolMode {
    name: String,
    /// How many times a program was started.
    processes: usize,
    usage: Usage,
}

/// Runs all ways, one after the other.
pub(super) fn run(args: &PhotoBenchArgs, files: &PhotoFiles, work: &Work) -> Result<Outcome> {
    let program = args.program();
    let version = Command::new(&program).arg("-ver").output();
    let version = version.map_err(|e| Error::io("start ExifTool", e).at_path(&program))?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let rounds = if args.quick { 1 } else { 3 };
    let mut modes: Vec<ExifToolMode> = Vec::new();
    for round in 0..rounds {
        for (i, mode) in one_round(&program, files, work)?.into_iter().enumerate() {
            screen::say(&format!("{}: {:.2} s", mode.name, mode.usage.wall_s));
            // The best of the rounds: whatever else the machine did only adds.
            match (round, modes.get_mut(i)) {
                (1.., Some(best)) if mode.usage.wall_s < best.usage.wall_s => *best = mode,
                (1.., _) => {}
                _ => modes.push(mode),
            }
        }
    }
    let data = to_json(&modes, files, &version);
    if args.json {
        screen::print(&schema::line("bench-photo-modes/1", &[], data.clone()));
    } else {
        screen::print(&table(&modes, files, &version));
    }
    if let Some(path) = &args.output {
        chart_page::write(PAGE, &data, path)?;
    }
    Ok(Outcome::Done)
}

fn one_round(program: &Path, files: &PhotoFiles, work: &Work) -> Result<Vec<ExifToolMode>> {
    let count = files.paths.len();
    let tool = |options: &[&str]| {
        let mut command = Command::new(program);
        command.arg("-j").args(options).stdin(Stdio::null());
        command
    };
    let mut modes = Vec::new();
    let mut add = |name: &str, processes: usize, usage: Usage| {
        modes.push(ExifToolMode { name: name.to_owned(), processes, usage });
    };
    for (name, options) in
        [("per file", &[][..]), ("per file, -fast", &["-fast"]), ("per file, -fast2", &["-fast2"])]
    {
        let commands = files.paths.iter().map(|path| {
            let mut command = tool(options);
            command.arg(path);
            command
        });
        add(name, count, all(commands, 1)?);
    }
    let mut inputs = Vec::new();
    for path in &files.paths {
        inputs.push(solio_io::probe::input_of(path)?);
    }
    let commands = inputs.into_iter().map(|input| {
        let mut command = tool(&[]);
        command.arg("-").stdin(input);
        command
    });
    add("per file, through stdin", count, all(commands, 1)?);
    let parts = work.threads.max(2);
    let lists: Vec<_> = (0..parts).map(|n| files.part(n, parts)).collect::<Result<_>>()?;
    let commands = lists.iter().map(|list| {
        let mut command = tool(&["-@"]);
        command.arg(list);
        command
    });
    add(&format!("{parts} processes, a batch each"), parts, all(commands, parts)?);
    for (name, options) in [("batch", &["-@"][..]), ("batch, -fast2", &["-fast2", "-@"])] {
        let mut command = tool(options);
        command.arg(&files.list);
        add(name, 1, all(std::iter::once(command), 1)?);
    }
    let solio = |engine: &str| {
        let mut command = Command::new(program::solio());
        let words = ["meta", "--jsonl", "--engine", engine, "--exiftool"].map(OsString::from);
        command.args(words).arg(program).arg("--files-from").arg(&files.list);
        command.args(["-j".to_owned(), work.threads.to_string()]).stdin(Stdio::null());
        command
    };
    let pool = all(std::iter::once(solio("exiftool")), 1)?;
    add(&format!("solio meta --engine exiftool, {} kept open", work.threads), work.threads, pool);
    add("solio meta", 1, all(std::iter::once(solio("native")), 1)?);
    Ok(modes)
}

fn per_file_ms(mode: &ExifToolMode, files: &PhotoFiles) -> (f64, f64) {
    let each = 1e3 / files.paths.len() as f64;
    (mode.usage.wall_s * each, mode.usage.cpu_s * each)
}

fn to_json(modes: &[ExifToolMode], files: &PhotoFiles, version: &str) -> Value {
    let rows: Vec<Value> = modes
        .iter()
        .map(|mode| {
            let (wall_ms, cpu_ms) = per_file_ms(mode, files);
            json!({
                "mode": mode.name,
                "processes": mode.processes,
                "wall_s": mode.usage.wall_s,
                "cpu_s": mode.usage.cpu_s,
                "wall_ms_per_file": wall_ms,
                "cpu_ms_per_file": cpu_ms,
            })
        })
        .collect();
    json!({
        "exiftool": version,
        "files": files.paths.len(),
        "file_bytes": files.bytes,
        "modes": rows,
    })
}

fn table(modes: &[ExifToolMode], files: &PhotoFiles, version: &str) -> String {
    let mut table = TextTable::new(&[
        "mode",
        ">processes",
        ">seconds",
        ">ms a file",
        ">CPU ms a file",
        ">× per file",
    ]);
    let slowest = modes.first().map_or(1.0, |mode| mode.usage.wall_s);
    for mode in modes {
        let (wall_ms, cpu_ms) = per_file_ms(mode, files);
        table.row(vec![
            mode.name.clone(),
            mode.processes.to_string(),
            format!("{:.3}", mode.usage.wall_s),
            format!("{wall_ms:.3}"),
            format!("{cpu_ms:.3}"),
            format!("{:.1}", slowest / mode.usage.wall_s),
        ]);
    }
    let note = format!(
        "ExifTool {version}, all tags of {} files in the page cache; best of the rounds.",
        files.paths.len()
    );
    format!("{}{DIM}{note}{DIM:#}\n", table.render())
}
