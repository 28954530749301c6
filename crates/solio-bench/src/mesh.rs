//! `solio-bench mesh`: number text, OBJ, PLY and STL.

use crate::{jobs, kernels, program};
use clap::Args;
use serde_json::{Value, json};
use solio::{Error, Result, Summary, cpu};
use solio_cli::args::{RecordArgs, WorkArgs};
use solio_cli::table::{BOLD, DIM, TextTable, bytes, figures};
use solio_cli::{Outcome, options, schema, screen};
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
    if args.kernels_only {
        for line in kernels::measure(if args.quick { 41 } else { 201 }) {
            screen::print(&schema::line("bench-kernel/1", &[], kernel_json(&line)));
        }
        return Ok(Outcome::Done);
    }
    let mut lines = Vec::new();
    for tier in cpu::available() {
        lines.extend(kernels_on(tier, args)?);
    }
    if args.json {
        lines.iter().for_each(|line| screen::print(&format!("{line}\n")));
    } else {
        screen::print(&kernel_table(&lines));
    }
    let folder = tempfile::Builder::new().prefix("solio-bench-").tempdir();
    let folder = folder.map_err(|e| Error::io("make a temporary folder", e))?;
    let (detail, samples) = if args.quick { (96, 3) } else { (256, 9) };
    let recorded = options::record(&args.record).start()?;
    let mut lines = Vec::new();
    jobs::measure(folder.path(), detail, samples, &work, |line| {
        if args.json {
            screen::print(&schema::line("bench/1", &[], job_json(&line)));
        } else {
            screen::say(&format!("measured: {}", line.name));
        }
        lines.push(line);
    })?;
    if let Some(recorded) = recorded {
        recorded
            .finish(Summary { title: "solio-bench mesh".into(), ..Summary::default() }, &work)?;
    }
    if !args.json {
        screen::print(&job_table(&lines));
    }
    Ok(Outcome::Done)
}

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

fn kernel_json(line: &kernels::KernelLine) -> Value {
    json!({
        "kernel": line.name,
        "tier": cpu::tier().name(),
        "ns": line.ns,
        "copy_ns": line.copy_ns,
        "ratio": line.ratio.json(),
        "same": line.same.json(),
        "quiet": line.same.is_quiet(),
        "answer": format!("{} bytes as std", line.text_bytes),
    })
}

fn job_json(line: &jobs::JobLine) -> Value {
    json!({
        "case": line.name,
        "peer": "plain",
        "bytes": line.bytes,
        "rounds": line.rounds,
        "wall_s": line.wall_s,
        "cpu_s": line.cpu_s,
        "peer_wall_s": line.plain_wall_s,
        "peer_cpu_s": line.plain_cpu_s,
        "ratio_wall": line.ratio_wall.json(),
        "ratio_cpu": line.ratio_cpu.json(),
        "same_cpu": line.same_cpu.json(),
        "quiet": line.same_cpu.is_quiet(),
        "answer": line.answer,
    })
}

fn kernel_table(lines: &[Value]) -> String {
    let mut table = TextTable::new(&[
        "number text, one core",
        "tier",
        ">ns each",
        ">copy ns",
        ">× copy",
        ">interval",
        ">A/A",
    ]);
    for line in lines {
        let number = |value: &Value| value.as_f64().map_or("–".into(), |v| format!("{v:.2}"));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let ratio = &line["ratio"];
        table.row(vec![
            text(&line["kernel"]),
            text(&line["tier"]),
            number(&line["ns"]),
            number(&line["copy_ns"]),
            number(&ratio[0]),
            format!("{}–{}", number(&ratio[1]), number(&ratio[2])),
            number(&line["same"][0]),
        ]);
    }
    let note = "copy: the same text copied into a reused buffer. A/A leaves 0.97–1.03: too noisy.";
    format!("{}{DIM}{note}{DIM:#}\n\n", table.render())
}

fn job_table(lines: &[jobs::JobLine]) -> String {
    let mut table = TextTable::new(&[
        "whole job",
        ">bytes",
        ">wall s",
        ">CPU s",
        ">plain s",
        ">× wall",
        ">× CPU",
        ">A/A",
    ]);
    for line in lines {
        table.row(vec![
            line.name.into(),
            bytes(line.bytes as u64),
            format!("{:.3}", line.wall_s),
            format!("{:.3}", line.cpu_s),
            format!("{:.3}", line.plain_wall_s),
            figures(line.ratio_wall.median),
            figures(line.ratio_cpu.median),
            format!("{:.2}", line.same_cpu.median),
        ]);
    }
    let answers: Vec<String> =
        lines.iter().map(|line| format!("{}: {}", line.name, line.answer)).collect();
    format!(
        "{}{DIM}plain: one thread writes or reads the same bytes, files in the page cache.{DIM:#}\n\
         {BOLD}answers{BOLD:#}\n  {}\n",
        table.render(),
        answers.join("\n  ")
    )
}
