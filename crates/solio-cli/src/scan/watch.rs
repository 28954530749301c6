//! `solio scan --watch`: the catalogue is kept current until Ctrl-C.

use super::meter::{Meter, ScanCost};
use super::report::{quarantine, tell};
use crate::args::ScanArgs;
use crate::{Outcome, screen};
use solio::{Error, ErrorKind, LiveCatalog, Result, Round, Scan, Work};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Scans, and then waits for changes. Being stopped while it waits is the end that is wanted.
pub(crate) fn run(
    args: &ScanArgs,
    wanted: &Scan<'_>,
    every_s: Option<u64>,
    work: &Work,
) -> Result<Outcome> {
    if solio::is_parquet(&args.output) {
        return Err(Error::argument("a Parquet file cannot be kept current")
            .hint("watch into SQLite; solio merge makes Parquet of it at any time"));
    }
    let every = every_s.map(Duration::from_secs);
    let meter = Meter::start(args, wanted.roots, work);
    let (mut live, report) =
        super::progress::while_shown(args.run.shown.progress, wanted.count, &meter, || {
            LiveCatalog::open(wanted, every, work)
        })?;
    quarantine(args, wanted.count, &report)?;
    tell(args, wanted.count, &report, &meter.cost());
    if !args.run.json {
        screen::say("watching; Ctrl-C ends it");
    }
    let ended = rounds(args, &mut live, work);
    live.close()?;
    match ended {
        Err(error) if error.kind() == ErrorKind::Cancelled => Ok(Outcome::Done),
        other => other.map(|()| Outcome::Done),
    }
}

/// Tells of every round in which something happened; ends with an error.
fn rounds(args: &ScanArgs, live: &mut LiveCatalog, work: &Work) -> Result<()> {
    loop {
        let Round { count, report, wall_s } = live.wait(work)?;
        let happened = count.looked_at.load(Relaxed)
            + count.failed.load(Relaxed)
            + report.removed
            + report.held;
        if happened > 0 {
            tell(args, &count, &report, &ScanCost { wall_s, ..ScanCost::default() });
        }
    }
}
