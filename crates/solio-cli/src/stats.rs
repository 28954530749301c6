//! What a run that reads has cost, for `--stats`: the same words in every command.

use crate::convert::is_standard;
use crate::limit::Limit;
use crate::screen;
use crate::table::{bytes, count, figures, seconds};
use solio::{Job, Stopwatch, Usage, Work};
use std::path::PathBuf;

/// Measures from its start on.
pub(crate) struct Reading {
    limit: Limit,
    fetched_bytes: u64,
    watch: Stopwatch,
}

impl Reading {
    /// The limit is that of the file system of the first input; looked up only where it `is_wanted`.
    pub(crate) fn start(inputs: &[PathBuf], is_wanted: bool, work: &Work) -> Reading {
        let limit = match inputs.iter().find(|path| is_wanted && !is_standard(path)) {
            Some(input) => Limit::between(input, input, work),
            None => Limit::default(),
        };
        Reading { limit, fetched_bytes: solio::fetched_bytes(), watch: Stopwatch::start() }
    }

    /// Says what was read, and how fast.
    pub(crate) fn say(&self, files: u64, read_bytes: u64) {
        let usage = self.watch.usage();
        let disk_bytes = solio::fetched_bytes().saturating_sub(self.fetched_bytes);
        let job = Job { read_bytes, disk_bytes, cpu_s: usage.cpu_s, ..Job::default() };
        say(files, &job, &usage, &self.limit);
    }
}

/// `3 files, 1.19 GB in 0.42 s: 2,830 MB/s, CPU 0.30 s; peak memory 21.3 MB`, and how close to the
/// limit that is.
pub(crate) fn say(files: u64, job: &Job, usage: &Usage, limit: &Limit) {
    screen::say(&format!(
        "{}; peak memory {}",
        rates(files, job, usage),
        bytes(solio::peak_rss_bytes())
    ));
    limit.words(job, usage.wall_s).iter().for_each(|words| screen::say(words));
}

/// `3 files, 1.19 GB in 0.42 s: 2,830 MB/s, CPU 0.30 s`.
pub(crate) fn rates(files: u64, job: &Job, usage: &Usage) -> String {
    format!(
        "{}, {} in {}: {} MB/s, CPU {}",
        files_words(files),
        bytes(job.read_bytes),
        seconds(usage.wall_s),
        figures(job.read_bytes as f64 / 1e6 / usage.wall_s.max(1e-9)),
        seconds(usage.cpu_s),
    )
}

/// `1 file`, `1,234 files`.
pub(crate) fn files_words(files: u64) -> String {
    if files == 1 { "1 file".into() } else { format!("{} files", count(files)) }
}
