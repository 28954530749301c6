//! `solio-bench all`: every area in one run, one table, one page.
//!
//! Each area is measured by a process of its own, the same that `solio-bench AREA` is; its rows come
//! as JSON lines. Programs outside, such as `bench/run` of the source, can add rows in the same form.

use crate::files::temporary_folder;
use crate::program;
use crate::report::table;
use crate::row::BenchRow;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use solio::{Error, Peak, Result, Work};
use solio_cli::{Outcome, chart_page, options, schema, screen};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AllBenchArgs {
    /// Smaller inputs and fewer samples: minutes instead of an hour; this is the default
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Inputs of full size, and all samples
    #[arg(long)]
    full: bool,
    /// Only these areas
    #[arg(long, value_enum, value_name = "AREA", value_delimiter = ',')]
    only: Vec<Area>,
    /// Photos, or folders with photos below them, for the area photo [default: the folder photo of
    /// $SOLIO_DATA]
    #[arg(long, value_name = "FILE")]
    photos: Vec<PathBuf>,
    /// The Python whose OpenEXR and OpenImageIO the area exr is compared with [default: python3]
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,
    /// Add the rows of a program that measures further peers: bench/run of the source
    #[arg(long, value_name = "PROGRAM", value_hint = clap::ValueHint::ExecutablePath)]
    peers: Option<PathBuf>,
    /// Print JSON lines instead of the table
    #[arg(long)]
    json: bool,
    /// Write a page with charts of all rows here
    #[arg(short, long, value_name = "PAGE.html", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    work: solio_cli::args::WorkArgs,
}

const EXAMPLES: &str = "\
Examples:
  solio-bench all -o bench.html                    a few minutes, and a page
  solio-bench all --full --json > bench.jsonl
  solio-bench all --full --peers bench/run -o bench.html
  solio-bench all --photos photos/ --python .venv/bin/python
  solio-bench all --only mesh,exr";

/// What `solio-bench` can measure without being told more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Area {
    Mesh,
    Io,
    Exr,
    Photo,
    Scene,
    Color,
    Catalog,
}

impl Area {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// `AREA --json`, what makes it quick, and what was named for it.
    fn arguments(self, args: &AllBenchArgs) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.name().into(), "--json".into()];
        match (args.full, self) {
            (true, _) => (),
            (false, Area::Catalog) => words.extend(["--rows".into(), "100000".into()]),
            (false, _) => words.push("--quick".into()),
        }
        match (self, &args.python) {
            (Area::Photo, _) => words.extend(args.photos.iter().map(OsString::from)),
            (Area::Exr, Some(python)) => words.extend(["--python".into(), python.into()]),
            _ => (),
        }
        // Those of I/O and colours say with each row how many threads it has.
        if !matches!(self, Area::Io | Area::Color) {
            let (jobs, mem) = (args.work.jobs, args.work.mem);
            words.extend(jobs.into_iter().flat_map(|n| ["-j".into(), n.to_string().into()]));
            words.extend(mem.into_iter().flat_map(|n| ["--mem".into(), n.to_string().into()]));
        }
        words
    }
}

/// Everything that was measured.
#[derive(Default)]
struct AreaResults {
    rows: Vec<BenchRow>,
    /// Areas without rows, and why.
    skipped: Vec<(String, String)>,
    has_failed: bool,
}

/// `solio-bench all`
pub(crate) fn run(args: &AllBenchArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let work = options::work(&args.work)?;
    let peaks = peaks(!args.full, &work)?;
    let copy_mb_s = peaks.iter().find(|p| p.name == "copy memory").and_then(|p| p.mb_s);
    let mut found = AreaResults::default();
    for area in Area::value_variants() {
        if args.only.is_empty() || args.only.contains(area) {
            let mut command = Command::new(program::own());
            command.args(area.arguments(args));
            found.add(&area.name(), &mut command, copy_mb_s, args.json);
        }
    }
    if let Some(peers) = &args.peers {
        let mut command = Command::new(peers);
        command.args(["--json", "--beside"]);
        command.args((!args.full).then_some("--quick"));
        found.add("peers", &mut command, copy_mb_s, args.json);
    }
    for (area, why) in &found.skipped {
        screen::complain(&format!("{area}: not measured: {why}"));
    }
    if !args.json {
        screen::print(&table(&found.rows, NOTE));
    }
    if let Some(path) = &args.output {
        chart_page::write(PAGE, &data(args, &peaks, &found), path)?;
    }
    Ok(match found {
        AreaResults { has_failed: true, .. } => Outcome::SomeFailed,
        AreaResults { rows, .. } if rows.is_empty() => Outcome::NothingMatched,
        _ => Outcome::Done,
    })
}

const PAGE: &str = include_str!("../web/bench.html");

/// What the machine can do at best, in a temporary folder.
fn peaks(quick: bool, work: &Work) -> Result<Vec<Peak>> {
    let folder = temporary_folder()?;
    let (bytes, rounds) = if quick { (64 << 20, 3) } else { (256 << 20, 5) };
    solio::measure_machine(folder.path(), bytes, rounds, work)
}

impl AreaResults {
    /// Runs a command and takes its rows; what was measured before is kept whatever comes of it.
    fn add(&mut self, area: &str, command: &mut Command, copy_mb_s: Option<f64>, as_json: bool) {
        let before = self.rows.len();
        let why = match self.take(area, command, copy_mb_s, as_json) {
            Err(error) => {
                self.has_failed = true;
                error.to_string()
            }
            Ok(status) if status.code() == Some(Outcome::NothingMatched as i32) => {
                "there are no inputs for it here".into()
            }
            Ok(status) if !status.success() => {
                self.has_failed = true;
                format!("it ended with {status}")
            }
            Ok(_) if self.rows.len() == before => "it gave no rows".into(),
            Ok(_) => return,
        };
        self.skipped.push((area.into(), why));
    }

    fn take(
        &mut self,
        area: &str,
        command: &mut Command,
        copy_mb_s: Option<f64>,
        as_json: bool,
    ) -> Result<ExitStatus> {
        let name = Path::new(command.get_program()).to_owned();
        let failed = |e| Error::io("run the benchmark", e).at_path(&name);
        let shows = std::io::stderr().is_terminal();
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
            let line = line.map_err(failed)?;
            let Some(row) = BenchRow::of_line(area, &line, copy_mb_s) else { continue };
            // A program outside may measure again what was measured here.
            if self.rows.iter().any(|old| (&old.work, &old.peer) == (&row.work, &row.peer)) {
                continue;
            }
            if as_json {
                screen::print(&schema::line("bench-all/1", &[], row.json()));
            } else if shows {
                screen::say(&format!("measured: {}, against {}", row.work, row.peer));
            }
            self.rows.push(row);
        }
        child.wait().map_err(failed)
    }
}

const NOTE: &str = "\
Of light:
the time in which memory can copy the bytes of the work, over the time it took.";

/// What the page shows.
fn data(args: &AllBenchArgs, peaks: &[Peak], found: &AreaResults) -> Value {
    let peaks: Vec<Value> = peaks
        .iter()
        .map(|p| json!({ "name": p.name, "threads": p.threads, "mb_s": p.mb_s }))
        .collect();
    let skipped: Vec<Value> =
        found.skipped.iter().map(|(area, why)| json!({ "area": area, "why": why })).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "cpu_tier": solio::cpu::tier().name(),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "unix_s": solio::unix_s(),
        "full": args.full,
        "peaks": peaks,
        "rows": found.rows.iter().map(BenchRow::json).collect::<Vec<_>>(),
        "skipped": skipped,
    })
}
