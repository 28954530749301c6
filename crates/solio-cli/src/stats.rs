//! What a run that reads has cost, for `--stats`: the same words in every command.

use crate::args::ShownArgs;
use crate::limit::Limit;
use crate::progress::ShownProgress;
use crate::screen;
use crate::table::{bytes, figures, seconds, some};
use solio::{Job, Progress, Stopwatch, Usage, Work};
use std::path::Path;

/// Measures from its start on.
pub(crate) struct ReadMeter {
    limit: Limit,
    fetched_bytes: u64,
    watch: Stopwatch,
}

impl ReadMeter {
    /// The limit is that of the file system of the first input; looked up only where it `is_wanted`.
    pub(crate) fn start(inputs: &[impl AsRef<Path>], is_wanted: bool, work: &Work) -> ReadMeter {
        let limit = Limit::of_inputs(inputs, is_wanted, work);
        ReadMeter { limit, fetched_bytes: solio::fetched_bytes(), watch: Stopwatch::start() }
    }

    /// Says what was read, and how fast.
    pub(crate) fn say(&self, files: u64, read_bytes: u64) {
        let usage = self.watch.usage();
        let disk_bytes = solio::fetched_bytes().saturating_sub(self.fetched_bytes);
        let job = Job { read_bytes, disk_bytes, cpu_s: usage.cpu_s, ..Job::default() };
        say(files, &job, &usage, &self.limit);
    }
}

/// What a command lets be seen of its run, by `--progress` while it works and by `--stats` at its end.
pub(crate) struct RunMeter {
    shown: ShownProgress,
    reading: Option<ReadMeter>,
    progress: Progress,
}

impl RunMeter {
    /// `name` is what is being worked on; counted is what `work` moves.
    pub(crate) fn start(
        args: &ShownArgs,
        name: &str,
        inputs: &[impl AsRef<Path>],
        work: &Work,
    ) -> RunMeter {
        let reading = args.stats.then(|| ReadMeter::start(inputs, true, work));
        let shown = ShownProgress::start(args.progress, name, &work.progress);
        RunMeter { shown, reading, progress: work.progress.clone() }
    }

    /// Shows no progress any more; says what the run cost if that is wanted.
    pub(crate) fn end(self, files: u64) {
        drop(self.shown);
        if let Some(reading) = self.reading {
            reading.say(files, self.progress.now().read_bytes);
        }
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
    if job.read_bytes == 0 {
        let (wall, cpu) = (seconds(usage.wall_s), seconds(usage.cpu_s));
        return format!("{} in {wall}, CPU {cpu}", some(files, "file"));
    }
    format!(
        "{}, {} in {}: {} MB/s, CPU {}",
        some(files, "file"),
        bytes(job.read_bytes),
        seconds(usage.wall_s),
        figures(job.read_bytes as f64 / 1e6 / usage.wall_s.max(1e-9)),
        seconds(usage.cpu_s),
    )
}
