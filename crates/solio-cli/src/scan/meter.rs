//! What a scan costs, also while it runs, and how close that is to the machine's limit.

use crate::args::ScanArgs;
use crate::limit::Limit;
use solio::{Job, Progress, Shares, Stopwatch, Work};
use std::path::PathBuf;

/// Measures from its start on.
pub(crate) struct Meter {
    limit: Option<Limit>,
    is_asked: bool,
    progress: Progress,
    clock: Stopwatch,
    fetched_bytes: u64,
}

/// What a scan has cost.
#[derive(Default)]
pub(crate) struct ScanCost {
    pub(crate) wall_s: f64,
    /// What it moved and used, and the machine's limit, with --stats.
    pub(crate) job: Option<(Job, Limit)>,
}

impl Meter {
    /// The limit is that of the first root's file system and of the catalogue's.
    pub(crate) fn start(args: &ScanArgs, roots: &[PathBuf], work: &Work) -> Meter {
        let is_wanted = args.run.shown.stats || args.run.shown.progress.is_shown();
        let limit = is_wanted.then(|| Limit::between(&roots[0], &args.output, work));
        let (progress, clock) = (work.progress.clone(), Stopwatch::start());
        Meter {
            limit,
            is_asked: args.run.shown.stats,
            progress,
            clock,
            fetched_bytes: solio::fetched_bytes(),
        }
    }

    fn job(&self) -> (Job, f64) {
        let usage = self.clock.usage();
        let job = Job {
            read_bytes: self.progress.now().read_bytes,
            disk_bytes: solio::fetched_bytes().saturating_sub(self.fetched_bytes),
            cpu_s: usage.cpu_s,
            ..Job::default()
        };
        (job, usage.wall_s)
    }

    /// Bytes read, wall seconds, and the shares of the machine's limit where that is known.
    pub(crate) fn now(&self) -> (u64, f64, Option<Shares>) {
        let (job, wall_s) = self.job();
        let shares = self.limit.as_ref().and_then(|limit| limit.shares(&job, wall_s));
        (job.read_bytes, wall_s, shares)
    }

    /// All of it.
    pub(crate) fn cost(&self) -> ScanCost {
        let (job, wall_s) = self.job();
        let limit = self.limit.clone().filter(|_| self.is_asked);
        ScanCost { wall_s, job: limit.map(|limit| (job, limit)) }
    }
}
