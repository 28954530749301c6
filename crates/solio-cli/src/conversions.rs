//! What the conversions of a command do together: recorded, and beside the machine's limit.

use crate::args::ConvertArgs;
use crate::limit::Limit;
use crate::table::TextTable;
use crate::{json_paths, options};
use solio::{Job, Recorded, Result, Stopwatch, Summary, Usage, Work};
use std::path::Path;

/// All conversions of a command, from its start on.
pub(crate) struct Conversions {
    pub(crate) limit: Limit,
    /// What they moved.
    pub(crate) job: Job,
    pub(crate) wall_s: f64,
    /// Files that were read and written.
    pub(crate) files: u64,
    /// Conversions that came to their end.
    pub(crate) done: u64,
    table: TextTable,
    recorded: Option<Recorded>,
    fetched: u64,
    watch: Stopwatch,
}

impl Conversions {
    /// The limit is that between `input`, the first one, and the output; looked up only where a
    /// recording or `stats` want it. The columns are those behind the names of the files.
    pub(crate) fn start(
        args: &ConvertArgs,
        input: Option<&Path>,
        stats: bool,
        columns: &[&str],
        work: &Work,
    ) -> Result<Conversions> {
        let record = options::record(&args.record);
        let limit = match stats || record.is_wanted() {
            true => Limit::of_conversion(input, &args.output, work),
            false => Limit::default(),
        };
        Ok(Conversions {
            limit,
            job: Job::default(),
            wall_s: 0.0,
            files: 0,
            done: 0,
            table: TextTable::new(&[&["input", "output"], columns].concat()),
            recorded: record.start()?,
            fetched: solio::fetched_bytes(),
            watch: Stopwatch::start(),
        })
    }

    /// Adds a conversion; `cells` are those behind the names of its files.
    pub(crate) fn add(
        &mut self,
        (input, output): (&Path, &Path),
        job: &Job,
        cells: impl FnOnce() -> Vec<String>,
    ) {
        self.job.read_bytes += job.read_bytes;
        self.job.disk_bytes += job.disk_bytes;
        self.job.written_bytes += job.written_bytes;
        self.job.copied_bytes += job.copied_bytes;
        self.job.cpu_s += job.cpu_s;
        self.done += 1;
        let files = [input, output].map(|path| path.display().to_string());
        self.table.row_to_record(|| [files.to_vec(), cells()].concat());
    }

    /// Takes what the command has used for what the conversions have used.
    pub(crate) fn measure(&mut self) {
        let Usage { wall_s, cpu_s, .. } = self.watch.usage();
        (self.wall_s, self.job.cpu_s) = (wall_s, cpu_s);
        self.job.disk_bytes = solio::fetched_bytes().saturating_sub(self.fetched);
    }

    /// Writes the trace and the page, where they are wanted; `noun` is what `inputs` are.
    pub(crate) fn finish<P: AsRef<Path>>(
        self,
        args: &ConvertArgs,
        inputs: impl ExactSizeIterator<Item = P>,
        noun: &str,
        work: &Work,
    ) -> Result<()> {
        let Some(recorded) = self.recorded else { return Ok(()) };
        let from = json_paths::one_or_count(inputs, noun);
        let title = format!("solio convert {from} -o {}", args.output.display());
        let summary = self.limit.summary(title, self.files, self.job, self.wall_s);
        recorded.finish(Summary { table: self.table.for_page(), ..summary }, work).map(drop)
    }
}
