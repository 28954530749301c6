//! `solio scan`: what lies in a tree, into a table.

mod meter;
mod progress;
mod report;
mod watch;

use crate::args::{MergeArgs, ScanArgs};
use crate::output_path::is_standard;
use crate::table::some;
use crate::{Outcome, changes, inputs, options, schema, screen};
use meter::Meter;
use report::{quarantine, tell};
use serde_json::json;
use solio::{Error, Filter, Limits, Result, ScanCount, ScanFields, ScanOptions, ScanReport};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Scans all roots into the catalogue.
pub(crate) fn run(args: &ScanArgs) -> Result<Outcome> {
    is_file_name(&args.output)?;
    if let Some(days) = args.purge {
        return purge(args, days);
    }
    if args.diff && solio::is_parquet(&args.output) {
        return Err(Error::argument("a Parquet file keeps no history")
            .at_path(&args.output)
            .hint("keep the last one beside it, and compare: solio diff old.parquet new.parquet"));
    }
    let work = options::work(&args.run.work)?;
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
        if args.run.json {
            let cost = Meter::start(args, &roots, &work).cost();
            tell(args, &ScanCount::default(), &ScanReport::default(), &cost);
        }
        return Ok(Outcome::Done);
    }
    if let Some(rate) = args.bwlimit {
        solio::io::set_rate(rate);
    }
    let filter = args.filter.filter()?;
    let roots = inputs::wanted(roots, &filter);
    let (options, counts) = (scan_options(args, &filter), ScanCount::default());
    let wanted =
        solio::Scan { roots: &roots, catalog: &args.output, options: &options, count: &counts };
    if let Some(every) = args.watch {
        return watch::run(args, &wanted, every, &work);
    }
    let meter = Meter::start(args, &roots, &work);
    let report = progress::while_shown(args.run.shown.progress, &counts, &meter, || {
        if solio::is_parquet(&args.output) {
            solio::scan_to_parquet(&wanted, &work)
        } else {
            solio::scan(&wanted, &work)
        }
    })?;
    quarantine(args, &counts, &report)?;
    if args.diff {
        diff(args, &report)?;
    }
    tell(args, &counts, &report, &meter.cost());
    let failed = counts.failed.load(Relaxed) > 0;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// Prints what changed since the last scan.
fn diff(args: &ScanArgs, report: &ScanReport) -> Result<()> {
    let Some(scan) = report.scan else { return Ok(()) };
    for change in solio::catalog::store::Known::open(&args.output)?.changes(scan)? {
        changes::print(&change, args.run.json);
    }
    Ok(())
}

/// Forgets what was gone.
fn purge(args: &ScanArgs, days: u64) -> Result<Outcome> {
    if solio::is_parquet(&args.output) {
        return Err(Error::argument("a Parquet file keeps nothing of what is gone")
            .at_path(&args.output)
            .hint("only a catalogue in SQLite does: -o c.sqlite"));
    }
    let purged = solio::purge_catalog(&args.output, days)?;
    if args.run.json {
        let line = json!({ "purged": purged });
        screen::print(&schema::line("purge/1", &[("catalogue", &args.output)], line));
    } else {
        screen::say(&format!("{} forgotten", some(purged, "file")));
    }
    Ok(Outcome::Done)
}

fn scan_options(args: &ScanArgs, filter: &Filter) -> ScanOptions {
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
        one_file_system: args.filter.one_file_system,
        filter: filter.clone(),
        shard: args.shard,
        again: args.paranoid,
        rebuild: args.rebuild,
        dry: args.dry_run,
        accept_removal: args.accept_removal,
        max_removed: args.max_removed.unwrap_or_default(),
        max_errors: args.max_errors,
    }
}

/// The options that each part of a job gets.
fn passed_on(args: &ScanArgs) -> Vec<String> {
    let mut more = Vec::new();
    for (wanted, name) in
        [(args.deep, "--deep"), (args.check, "--check"), (args.follow, "--follow")]
    {
        more.extend(wanted.then(|| name.to_owned()));
    }
    more.extend(args.filter.typed());
    let values = [
        ("--fields", (!args.fields.is_empty()).then(|| args.fields.join(","))),
        ("--hash", args.hash.clone()),
        ("--jobs", args.run.work.jobs.map(|jobs| jobs.to_string())),
        ("--mem", args.run.work.mem.map(|bytes| bytes.to_string())),
        ("--bwlimit", args.bwlimit.map(|rate| rate.to_string())),
        ("--max-errors", args.max_errors.map(|most| most.to_string())),
    ];
    for (name, value) in values {
        more.extend(value.map(|value| format!("{name}={value}")));
    }
    more
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
