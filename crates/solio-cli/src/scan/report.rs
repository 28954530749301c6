//! What a scan came to, in words and as JSON.

use super::meter::ScanCost;
use crate::args::ScanArgs;
use crate::table::{bytes, count, figures, seconds, some};
use crate::{schema, screen};
use serde_json::{Value, json};
use solio::names::OsStrBytes;
use solio::{Error, Result, ScanCount, ScanReport};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Failures that are shown; all are counted.
const SHOWN: usize = 20;

/// What came of it: the failures, a line or an object.
pub(crate) fn tell(args: &ScanArgs, counts: &ScanCount, report: &ScanReport, cost: &ScanCost) {
    let failed = counts.failed.load(Relaxed);
    report.failures.iter().take(SHOWN).for_each(screen::complain_of);
    if failed > SHOWN as u64 {
        screen::complain(&format!("and {} more", count(failed - SHOWN as u64)));
    }
    if args.run.json {
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
        match number(&counts.allocated) {
            // Stores do not say.
            0 if number(&counts.bytes) > 0
                && args.inputs.files.iter().any(|root| is_store(root)) =>
            {
                bytes(number(&counts.bytes))
            }
            allocated => {
                format!("{} ({} on disk)", bytes(number(&counts.bytes)), bytes(allocated))
            }
        },
        format!("{} {verb}", count(number(&counts.looked_at))),
    ];
    for (value, name) in [
        (number(&counts.unchanged), "unchanged"),
        (number(&counts.renamed), "renamed"),
        (report.removed, "gone"),
        (report.excluded, "excluded"),
        (report.held, "gone and kept"),
        (number(&counts.with_problems), "with problems"),
        (report.offline, "offline"),
        (
            number(&counts.failed).saturating_sub(report.offline + u64::from(report.held > 0)),
            "unreadable",
        ),
    ] {
        if value > 0 {
            parts.push(format!("{} {name}", count(value)));
        }
    }
    let rate = figures(files as f64 / wall_s.max(1e-9));
    format!("{}; {} s, {rate} files/s", parts.join(", "), figures(wall_s))
}

fn is_store(root: &std::path::Path) -> bool {
    solio_io::objects::is_address(root)
}

fn to_json(args: &ScanArgs, counts: &ScanCount, report: &ScanReport, wall_s: f64) -> Value {
    let number = |value: &AtomicU64| value.load(Relaxed);
    json!({
        "dry_run": args.dry_run,
        "files": number(&counts.files),
        "folders": number(&counts.folders),
        "bytes": number(&counts.bytes),
        "allocated": number(&counts.allocated),
        "looked_at": number(&counts.looked_at),
        "unchanged": number(&counts.unchanged),
        "renamed": number(&counts.renamed),
        "removed": report.removed,
        "excluded": report.excluded,
        "scan": report.scan,
        "held": report.held,
        "offline": report.offline,
        "with_problems": number(&counts.with_problems),
        "failed": number(&counts.failed),
        "failures": report.failures.iter().map(screen::error_json).collect::<Vec<_>>(),
        "wall_s": wall_s,
    })
}
