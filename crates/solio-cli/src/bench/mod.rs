//! `solio bench`: how fast, against the least that the machine must do.

pub(crate) mod all;
pub(crate) mod catalog;
pub(crate) mod color;
pub(crate) mod exr;
mod fold;
mod jobs;
mod kernels;
pub(crate) mod photo;
pub(crate) mod scene;
mod stats;
pub(crate) mod twin;

use crate::args::{BenchArgs, KernelBenchArgs};
use crate::table::{Align, BOLD, DIM, Table, bytes, figures};
use crate::{Outcome, options, program, schema, screen};
use serde_json::{Value, json};
use solio::{Error, Result, Summary, cpu};
use stats::Ratio;
use std::process::{Command, Stdio};

/// A peer, `NAME=COMMAND`.
fn peer_argument(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=COMMAND is wanted")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// `solio bench io`
pub(crate) fn run_io(args: &KernelBenchArgs) -> Result<Outcome> {
    let lines = fold::measure(if args.quick { 21 } else { 101 });
    if args.json {
        lines.iter().for_each(|line| screen::print(&schema::line("bench/1", &[], fold_json(line))));
    } else {
        screen::print(&fold_table(&lines));
    }
    Ok(Outcome::Done)
}

/// `solio bench mesh`
pub(crate) fn run(args: &BenchArgs) -> Result<Outcome> {
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
            .finish(Summary { title: "solio bench mesh".into(), ..Summary::default() }, &work)?;
    }
    if !args.json {
        screen::print(&job_table(&lines));
    }
    Ok(Outcome::Done)
}

/// The CPU tier is chosen once in a process: each tier is measured by a child.
fn kernels_on(tier: cpu::Tier, args: &BenchArgs) -> Result<Vec<Value>> {
    let failed =
        |what: String| Error::unsupported(format!("cannot measure {}: {what}", tier.name()));
    let mut command = Command::new(program::own());
    command.args(["bench", "mesh", "--kernels-only"]).env("SOLIO_CPU", tier.name());
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

fn ratio_json(ratio: &Ratio) -> Value {
    json!([ratio.median, ratio.low, ratio.high])
}

fn kernel_json(line: &kernels::Line) -> Value {
    json!({
        "kernel": line.name,
        "tier": cpu::tier().name(),
        "ns": line.ns,
        "copy_ns": line.copy_ns,
        "ratio": ratio_json(&line.ratio),
        "same": ratio_json(&line.same),
        "quiet": line.same.is_quiet(),
        "answer": format!("{} bytes as std", line.text_bytes),
    })
}

fn job_json(line: &jobs::Line) -> Value {
    json!({
        "case": line.name,
        "peer": "plain",
        "bytes": line.bytes,
        "rounds": line.rounds,
        "wall_s": line.wall_s,
        "cpu_s": line.cpu_s,
        "peer_wall_s": line.plain_wall_s,
        "peer_cpu_s": line.plain_cpu_s,
        "ratio_wall": ratio_json(&line.ratio_wall),
        "ratio_cpu": ratio_json(&line.ratio_cpu),
        "same_cpu": ratio_json(&line.same_cpu),
        "quiet": line.same_cpu.is_quiet(),
        "answer": line.answer,
    })
}

fn fold_json(line: &fold::Line) -> Value {
    json!({
        "case": format!("fold {}", line.work),
        "way": line.way,
        "peer": line.peer,
        "gb_s": line.gb_s,
        "ns": line.ns,
        "times_faster": ratio_json(&line.ratio),
        "same": ratio_json(&line.same),
        "quiet": line.same.is_quiet(),
        "answer": format!("{} bytes as expected", line.answer_bytes),
    })
}

fn fold_table(lines: &[fold::Line]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("case folding, one core", Left),
        ("way", Left),
        ("GB/s", Right),
        ("ns a call", Right),
        ("× first", Right),
        ("interval", Right),
        ("A/A", Right),
    ]);
    for line in lines {
        table.row(vec![
            line.work.into(),
            line.way.clone(),
            format!("{:.2}", line.gb_s),
            format!("{:.1}", line.ns),
            format!("{:.2}", line.ratio.median),
            format!("{:.2}–{:.2}", line.ratio.low, line.ratio.high),
            format!("{:.2}", line.same.median),
        ]);
    }
    let note = "× first: how many times as fast as the first way of the same work.";
    format!("{}{DIM}{note}{DIM:#}\n", table.render())
}

fn kernel_table(lines: &[Value]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("number text, one core", Left),
        ("tier", Left),
        ("ns each", Right),
        ("copy ns", Right),
        ("× copy", Right),
        ("interval", Right),
        ("A/A", Right),
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

fn job_table(lines: &[jobs::Line]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("whole job", Left),
        ("bytes", Right),
        ("wall s", Right),
        ("CPU s", Right),
        ("plain s", Right),
        ("× wall", Right),
        ("× CPU", Right),
        ("A/A", Right),
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
