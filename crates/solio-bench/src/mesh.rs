//! `solio-bench mesh`: number text, OBJ, PLY and STL.

use crate::files::temporary_folder;
use crate::report::BenchReport;
use crate::{jobs, kernels, program};
use clap::Args;
use serde_json::Value;
use solio::{Error, Result, Summary, cpu};
use solio_cli::args::{RecordArgs, WorkArgs};
use solio_cli::{Outcome, options};
use std::process::{Command, Stdio};

#[derive(Debug, Args)]
pub(crate) struct MeshBenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// A smaller mesh and fewer samples: seconds instead of a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only number text, on the CPU tier in force (the whole bench asks itself for each tier)
    #[arg(long, hide = true)]
    pub(crate) kernels_only: bool,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// `solio-bench mesh`
pub(crate) fn run(args: &MeshBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let mut report = BenchReport::new(args.json || args.kernels_only);
    if args.kernels_only {
        kernels::measure(if args.quick { 41 } else { 201 }).for_each(|row| report.add(row));
        return Ok(report.end(""));
    }
    for tier in cpu::available() {
        kernels_on(tier, args)?.into_iter().for_each(|row| report.add(row));
    }
    let folder = temporary_folder()?;
    let (detail, rounds) = if args.quick { (96, 3) } else { (256, 9) };
    let recorded = options::record(&args.record).start()?;
    jobs::measure(folder.path(), detail, rounds, &work, |row| report.add(row))?;
    if let Some(recorded) = recorded {
        recorded
            .finish(Summary { title: "solio-bench mesh".into(), ..Summary::default() }, &work)?;
    }
    Ok(report.end(NOTE))
}

const NOTE: &str = "\
Number text: one core, the
times are of a number, the peer copies the same text into a reused buffer. Whole jobs: plain is one
thread that writes or reads the same bytes, files in the page cache.";

/// The CPU tier is chosen once in a process: each tier is measured by a child.
fn kernels_on(tier: cpu::Tier, args: &MeshBenchArgs) -> Result<Vec<Value>> {
    let failed =
        |what: String| Error::unsupported(format!("cannot measure {}: {what}", tier.name()));
    let mut command = Command::new(program::own());
    command.args(["mesh", "--kernels-only"]).env("SOLIO_CPU", tier.name());
    if args.quick {
        command.arg("--quick");
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let parsed: std::result::Result<Vec<Value>, _> =
        text.lines().map(serde_json::from_str).collect();
    parsed.map_err(|e| failed(e.to_string()))
}
