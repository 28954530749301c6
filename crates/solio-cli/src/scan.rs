//! `solio scan`: what lies in a tree, into a table.

use crate::convert::is_standard;
use crate::scan_args::{MergeArgs, ScanArgs};
use crate::scan_meter::{Cost, Meter};
use crate::table::{bytes, count, figures, seconds, some};
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::{Value, json};
use solio::{Error, Limits, Result, ScanCount, ScanFields, ScanOptions, ScanReport};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Failures that are shown; all are counted.
const SHOWN: usize = 20;

/// Scans all roots into the catalogue.
pub(crate) fn run(args: &ScanArgs) -> Result<Outcome> {
    is_file_name(&args.output)?;
    let work = options::work(&args.work)?;
    let roots = inputs::collect(&args.inputs, &work)?;
    if roots.is_empty() {
        screen::complain("the list names no folders");
        return Ok(Outcome::NothingMatched);
    }
    if let (Some(job), Some(parts)) = (&args.openjd, args.parts) {
        let plan = solio::farm_plan(&roots, &args.output, parts, &passed_on(args))?;
        solio::write_bytes(job, plan.as_bytes())?;
        return Ok(Outcome::Done);
    }
    if args.resume && !solio::is_unfinished(&args.output)? {
        screen::say(match args.output.exists() {
            true => "nothing to resume: the last scan of this catalogue came to its end",
            false => "nothing to resume: there is no such catalogue yet",
        });
        if args.json {
            let cost = Meter::start(args, &roots, &work).cost();
            tell(args, &ScanCount::default(), &ScanReport::default(), &cost);
        }
        return Ok(Outcome::Done);
    }
    if let Some(rate) = args.bwlimit {
        solio::io::set_rate(rate);
    }
    let (options, counts) = (scan_options(args), ScanCount::default());
    let wanted =
        solio::Scan { roots: &roots, catalog: &args.output, options: &options, count: &counts };
    if let Some(every) = args.watch {
        return crate::scan_watch::run(args, &wanted, every, &work);
    }
    let meter = Meter::start(args, &roots, &work);
    let report = crate::scan_shown::while_shown(args.shown.progress, &counts, &meter, || {
        if solio::is_parquet(&args.output) {
            solio::scan_to_parquet(&wanted, &work)
        } else {
            solio::scan(&wanted, &work)
        }
    })?;
    quarantine(args, &counts, &report)?;
    tell(args, &counts, &report, &meter.cost());
    let failed = counts.failed.load(Relaxed) > 0;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

fn scan_options(args: &ScanArgs) -> ScanOptions {
    let facts = solio::FileFacts {
        fields: ScanFields::new(&args.fields),
        deep: args.deep,
        check: args.check,
        hash: args.hash.is_some() || args.paranoid,
        thumbnail: args.thumbnails,
        limits: Limits::default(),
    };
    ScanOptions {
        facts,
        follow: args.follow,
        one_file_system: args.one_file_system,
        shard: args.shard,
        again: args.paranoid,
        rebuild: args.rebuild,
        dry: args.dry_run,
        max_errors: args.max_errors,
    }
}

/// The options that each part of a job gets.
fn passed_on(args: &ScanArgs) -> Vec<String> {
    let mut more = Vec::new();
    for (wanted, name) in [
        (args.deep, "--deep"),
        (args.check, "--check"),
        (args.follow, "--follow"),
        (args.one_file_system, "--one-file-system"),
    ] {
        more.extend(wanted.then(|| name.to_owned()));
    }
    let values = [
        ("--fields", (!args.fields.is_empty()).then(|| args.fields.join(","))),
        ("--hash", args.hash.clone()),
        ("--jobs", args.work.jobs.map(|jobs| jobs.to_string())),
        ("--mem", args.work.mem.map(|bytes| bytes.to_string())),
        ("--bwlimit", args.bwlimit.map(|rate| rate.to_string())),
        ("--max-errors", args.max_errors.map(|most| most.to_string())),
    ];
    for (name, value) in values {
        more.extend(value.map(|value| format!("{name}={value}")));
    }
    more
}

/// What came of it: the failures, a line or an object.
pub(crate) fn tell(args: &ScanArgs, counts: &ScanCount, report: &ScanReport, cost: &Cost) {
    let failed = counts.failed.load(Relaxed);
    report.failures.iter().take(SHOWN).for_each(screen::complain_of);
    if failed > SHOWN as u64 {
        screen::complain(&format!("and {} more", count(failed - SHOWN as u64)));
    }
    if args.json {
        let mut line = to_json(args, counts, report, cost.wall_s);
        if let Some((job, limit)) = &cost.job {
            line["read_bytes"] = job.read_bytes.into();
            line["cpu_s"] = job.cpu_s.into();
            limit.add_to(&mut line, job, cost.wall_s);
        }
        screen::print(&schema::line("scan/1", &[("catalogue", &args.output)], line));
    } else {
        screen::say(&words(args, counts, report, cost.wall_s));
        if let Some((job, limit)) = &cost.job {
            let (read, cpu) = (bytes(job.read_bytes), seconds(job.cpu_s));
            screen::say(&format!("{read} read, {cpu} CPU"));
            limit.words(job, cost.wall_s).iter().for_each(|words| screen::say(words));
        }
    }
}

/// Writes the names of what cannot be read to the list that was asked for, each before a zero byte.
pub(crate) fn quarantine(args: &ScanArgs, counts: &ScanCount, report: &ScanReport) -> Result<()> {
    let Some(list) = &args.quarantine else { return Ok(()) };
    let failures = &report.failures;
    let names = failures.iter().filter_map(Error::path).map(|path| path.as_os_str().as_bytes());
    let bytes: Vec<u8> = names.flat_map(|name| [name, b"\0"].concat()).collect();
    solio::write_bytes(list, &bytes)?;
    let listed = failures.len() as u64;
    if counts.failed.load(Relaxed) > listed {
        screen::complain(&format!("the list holds the first {} of them", count(listed)));
    }
    Ok(())
}

fn words(args: &ScanArgs, counts: &ScanCount, report: &ScanReport, wall_s: f64) -> String {
    let number = |value: &AtomicU64| value.load(Relaxed);
    let files = number(&counts.files);
    let verb = if args.dry_run { "to look at" } else { "looked at" };
    let mut parts = vec![
        format!("{} in {}", some(files, "file"), some(number(&counts.folders), "folder")),
        bytes(number(&counts.bytes)),
        format!("{} {verb}", count(number(&counts.looked_at))),
    ];
    for (value, name) in [
        (number(&counts.unchanged), "unchanged"),
        (number(&counts.renamed), "renamed"),
        (report.removed, "gone"),
        (number(&counts.with_problems), "with problems"),
        (number(&counts.failed), "unreadable"),
    ] {
        if value > 0 {
            parts.push(format!("{} {name}", count(value)));
        }
    }
    let rate = figures(files as f64 / wall_s.max(1e-9));
    format!("{}; {} s, {rate} files/s", parts.join(", "), figures(wall_s))
}

fn to_json(args: &ScanArgs, counts: &ScanCount, report: &ScanReport, wall_s: f64) -> Value {
    let number = |value: &AtomicU64| value.load(Relaxed);
    json!({
        "dry_run": args.dry_run,
        "files": number(&counts.files),
        "folders": number(&counts.folders),
        "bytes": number(&counts.bytes),
        "looked_at": number(&counts.looked_at),
        "unchanged": number(&counts.unchanged),
        "renamed": number(&counts.renamed),
        "removed": report.removed,
        "with_problems": number(&counts.with_problems),
        "failed": number(&counts.failed),
        "failures": report.failures.iter().map(screen::error_json).collect::<Vec<_>>(),
        "wall_s": wall_s,
    })
}

/// A catalogue is read while it is written: it cannot go into a pipe.
fn is_file_name(output: &Path) -> Result<()> {
    if !is_standard(output) {
        return Ok(());
    }
    Err(Error::argument("a catalogue is a file, not standard output")
        .hint("name it: -o assets.sqlite"))
}

/// Merges parts.
pub(crate) fn merge(args: &MergeArgs) -> Result<Outcome> {
    is_file_name(&args.output)?;
    let work = options::work(&args.work)?;
    let rows = solio::merge_catalogs(&args.parts, &args.output, &work)?;
    let parts = args.parts.len() as u64;
    if args.json {
        let line = json!({ "files": rows, "parts": parts });
        screen::print(&schema::line("merge/1", &[("catalogue", &args.output)], line));
    } else {
        screen::say(&format!("{} from {}", some(rows, "file"), some(parts, "part")));
    }
    Ok(Outcome::Done)
}
