//! A run as it was recorded: spans of threads, figures over time, what came of it.

use crate::ring::{SpanBatch, SpanRecord};
use crate::sampler::{SystemSampler, SystemSamples};
use crate::{Job, Light, Stopwatch, clock, ring, span};
use serde::Serialize;
use std::collections::BTreeMap;

/// Records until [`Recorder::finish`]: the spans of all threads, and samples of the machine.
///
/// ```
/// use solio_measure::{Recorder, SpanName, Summary};
/// static STEP: SpanName = SpanName::new("step");
/// let recorder = Recorder::start().expect("nothing else records");
/// drop(STEP.begin());
/// let recording = recorder.finish(Summary::default());
/// assert_eq!(recording.totals()[0].name, "step");
/// ```
pub struct Recorder {
    start: u64,
    watch: Stopwatch,
    sampler: Option<SystemSampler>,
}

impl Recorder {
    /// Starts; `None` while another recorder of this process runs.
    pub fn start() -> Option<Recorder> {
        let start = clock::ticks();
        if !span::switch_on() {
            return None;
        }
        ring::clear();
        Some(Recorder {
            start,
            watch: Stopwatch::start(),
            sampler: Some(SystemSampler::start(start)),
        })
    }

    /// Stops, and gives what was recorded.
    pub fn finish(mut self, mut summary: Summary) -> Recording {
        let usage = self.watch.usage();
        let samples = self.sampler.take().map(SystemSampler::finish).unwrap_or_default();
        span::switch_off();
        let end = clock::ticks();
        if summary.wall_s == 0.0 {
            (summary.wall_s, summary.job.cpu_s) = (usage.wall_s, usage.cpu_s);
        }
        let (batches, dropped_spans) = ring::take();
        let (names, labels) = span::words();
        Recording {
            duration_ns: clock::ns_between(self.start, end),
            threads: threads(batches, self.start),
            names: names.into_iter().map(str::to_owned).collect(),
            labels,
            dropped_spans,
            samples,
            summary,
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // `finish` has done it already, and then nobody else may have begun.
        if self.sampler.take().is_some() {
            span::switch_off();
        }
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// From start to finish.
    pub duration_ns: u64,
    /// The threads that had spans.
    pub threads: Vec<Thread>,
    /// What [`Span::name`] counts into.
    pub names: Vec<String>,
    /// What [`Span::label`] counts into.
    pub labels: Vec<String>,
    /// Spans that were more than the rings hold; the oldest of their threads.
    pub dropped_spans: u64,
    /// Figures over time.
    pub samples: SystemSamples,
    /// What came of the run.
    pub summary: Summary,
}

/// One thread, or several of one name that lived one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Its spans by their start; an outer one before those within it.
    pub spans: Vec<Spanned>,
}

/// One span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spanned {
    /// Since the start of the recording.
    pub start_ns: u64,
    /// How long it took.
    pub duration_ns: u64,
    /// Place of its name in [`Recording::names`].
    pub name: u32,
    /// Place of its label in [`Recording::labels`].
    pub label: Option<u32>,
    /// Bytes that it was about; 0 where that makes no sense.
    pub bytes: u64,
}

/// What came of a run: the figures that `--stats` prints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// What ran, in a few words.
    pub title: String,
    /// Further facts for the reader: version, machine, options.
    pub facts: Vec<(String, String)>,
    /// Seconds that the work took; [`Recorder::finish`] fills in 0 from its own clock, with the
    /// CPU seconds.
    pub wall_s: f64,
    /// What the work moved and used.
    pub job: Job,
    /// Files that it read and wrote.
    pub files: u64,
    /// The most memory that the process held.
    pub peak_memory_bytes: u64,
    /// The machine's peaks, where they are known.
    pub light: Option<Light>,
    /// What to do about what is missing, in a sentence.
    pub advice: Option<String>,
    /// What `--stats` prints as a table.
    pub table: Table,
}

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Headings; those of columns with numbers start with `>` and stand right.
    pub columns: Vec<String>,
    /// As many cells as columns.
    pub rows: Vec<Vec<String>>,
    /// Rows that are not among them: the page counts these beside those that it has no room for.
    pub more: u64,
}

/// All spans of one name together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Total {
    /// The name.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Their durations added up, over all threads.
    pub total_ns: u64,
    /// The same without the spans within them.
    pub own_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// Bytes that they were about.
    pub bytes: u64,
}

impl Recording {
    /// Spans of all threads.
    pub fn span_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.spans.len()).sum()
    }

    /// The spans by name, the one with the most own time first.
    pub fn totals(&self) -> Vec<Total> {
        let mut totals: BTreeMap<u32, Total> = BTreeMap::new();
        for thread in &self.threads {
            for (span, (_, own_ns)) in thread.spans.iter().zip(nesting(&thread.spans)) {
                let total = totals.entry(span.name).or_insert_with(|| Total {
                    name: self.name(span).to_owned(),
                    ..Total::default()
                });
                total.count += 1;
                total.total_ns += span.duration_ns;
                total.own_ns += own_ns;
                total.longest_ns = total.longest_ns.max(span.duration_ns);
                total.bytes += span.bytes;
            }
        }
        let mut totals: Vec<Total> = totals.into_values().collect();
        totals.sort_by_key(|total| std::cmp::Reverse(total.own_ns));
        totals
    }

    /// The name of a span.
    pub fn name(&self, span: &Spanned) -> &str {
        self.names.get(span.name as usize).map_or("?", String::as_str)
    }

    /// The label of a span.
    pub fn label(&self, span: &Spanned) -> Option<&str> {
        span.label.and_then(|label| self.labels.get(label as usize)).map(String::as_str)
    }
}

/// For each span of a thread, in order: how many others it lies within, and its time less that of
/// those directly within it.
pub(crate) fn nesting(spans: &[Spanned]) -> Vec<(usize, u64)> {
    let mut all: Vec<(usize, u64)> = Vec::with_capacity(spans.len());
    let mut open: Vec<(usize, u64)> = Vec::new();
    for (i, span) in spans.iter().enumerate() {
        while open.last().is_some_and(|(_, end)| *end <= span.start_ns) {
            open.pop();
        }
        if let Some((outer, _)) = open.last() {
            let own: &mut u64 = &mut all[*outer].1;
            *own = own.saturating_sub(span.duration_ns);
        }
        all.push((open.len(), span.duration_ns));
        open.push((i, span.start_ns + span.duration_ns));
    }
    all
}

/// Threads with their spans in order. Threads of one name share a line where their lives do not
/// overlap: a pipeline starts its workers anew each time.
fn threads(mut batches: Vec<SpanBatch>, start: u64) -> Vec<Thread> {
    let first = |batch: &SpanBatch| batch.records.iter().map(|r| r[0]).min().unwrap_or(0);
    batches.sort_by_key(first);
    let mut lines: Vec<(String, usize, u64, Vec<SpanRecord>)> = Vec::new();
    for batch in batches {
        let end = batch.records.iter().map(|r| r[1]).max().unwrap_or(0);
        let begin = first(&batch);
        let same = lines.iter().filter(|line| line.0 == batch.thread).count();
        let free = lines.iter_mut().find(|line| line.0 == batch.thread && line.2 <= begin);
        match free {
            Some(line) => {
                line.2 = end;
                line.3.extend(batch.records);
            }
            None => lines.push((batch.thread, same + 1, end, batch.records)),
        }
    }
    // The main thread first, then as a reader would sort them.
    lines.sort_by_key(|line| (line.0 != "main", natural(&line.0), line.1));
    lines
        .into_iter()
        .map(|(name, number, _, records)| {
            let name = if number > 1 { format!("{name} ({number})") } else { name };
            let mut spans: Vec<Spanned> = records.iter().map(|r| spanned(r, start)).collect();
            spans.sort_by_key(|s| (s.start_ns, std::cmp::Reverse(s.duration_ns)));
            Thread { name, spans }
        })
        .collect()
}

fn spanned(&[begin, end, what, bytes]: &SpanRecord, start: u64) -> Spanned {
    let start_ns = clock::ns_between(start, begin.max(start));
    Spanned {
        start_ns,
        // From the same two roundings as its neighbours, so that what nests in ticks nests in ns.
        duration_ns: clock::ns_between(start, end.max(start)).saturating_sub(start_ns),
        name: (what as u32).saturating_sub(1),
        label: ((what >> 32) as u32).checked_sub(1),
        bytes,
    }
}

/// `worker 10` comes after `worker 9`.
fn natural(name: &str) -> (String, u64) {
    let text = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (text.to_owned(), name[text.len()..].parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SpanName, lock};
    use std::sync::Mutex;

    static OUTER: SpanName = SpanName::new("outer");
    static INNER: SpanName = SpanName::new("inner");

    /// One recording at a time.
    static TURN: Mutex<()> = Mutex::new(());

    fn record(work: impl FnOnce()) -> Recording {
        let _turn = lock(&TURN);
        let recorder = Recorder::start().unwrap();
        assert!(Recorder::start().is_none());
        work();
        recorder.finish(Summary::default())
    }

    fn thread<'a>(recording: &'a Recording, name: &str) -> &'a Thread {
        recording.threads.iter().find(|thread| thread.name == name).unwrap()
    }

    fn named(name: &str, work: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().name(name.into()).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn spans_nest_and_add_up() {
        let recording = record(|| {
            for _ in 0..2 {
                named("adder 1", || {
                    let _outer = OUTER.begin_labelled("a file");
                    for i in 0..100 {
                        drop(INNER.begin().bytes(i));
                    }
                });
            }
        });
        let spans = &thread(&recording, "adder 1").spans;
        assert_eq!((spans.len(), recording.dropped_spans), (202, 0));
        assert_eq!(recording.label(&spans[0]), Some("a file"));
        let depths: Vec<usize> = nesting(spans).into_iter().map(|(depth, _)| depth).collect();
        assert_eq!((depths[0], depths[101]), (0, 0));
        assert!(depths[1..101].iter().chain(&depths[102..]).all(|d| *d == 1));
        let total = |name: &str| recording.totals().into_iter().find(|t| t.name == name).unwrap();
        let (outer, inner) = (total("outer"), total("inner"));
        assert_eq!((outer.count, inner.count, inner.bytes), (2, 200, 9900));
        assert_eq!(outer.total_ns - outer.own_ns, inner.total_ns);
        assert!(recording.duration_ns >= outer.total_ns);
        assert!(!recording.samples.times_ns.is_empty());
    }

    #[test]
    fn a_full_ring_keeps_the_newest_and_counts_the_rest() {
        let recording = record(|| {
            named("busy", || {
                for i in 0..100_000 {
                    drop(INNER.begin().bytes(i));
                }
            });
        });
        let spans = &thread(&recording, "busy").spans;
        assert_eq!(spans.len() as u64 + recording.dropped_spans, 100_000);
        assert_eq!(spans.last().unwrap().bytes, 99_999);
    }

    #[test]
    fn a_thread_that_goes_on_is_read_whole() {
        use std::sync::atomic::{AtomicBool, Ordering};
        static STOP: AtomicBool = AtomicBool::new(false);
        // The thread may go on into the next test's recording, which must not count its spans.
        static ENDLESS: SpanName = SpanName::new("endless");
        let mut running = None;
        let recording = record(|| {
            let spin = || {
                while !STOP.load(Ordering::Relaxed) {
                    drop(ENDLESS.begin().bytes(7));
                }
            };
            running = std::thread::Builder::new().name("goes on".into()).spawn(spin).ok();
            std::thread::sleep(std::time::Duration::from_millis(30));
        });
        STOP.store(true, Ordering::Relaxed);
        running.unwrap().join().unwrap();
        let spans = &thread(&recording, "goes on").spans;
        assert!(spans.len() > 100);
        assert!(spans.iter().all(|span| span.bytes == 7 && recording.name(span) == "endless"));
        assert!(spans.windows(2).all(|w| w[0].start_ns + w[0].duration_ns <= w[1].start_ns));
    }

    #[test]
    fn nothing_is_kept_while_nothing_records() {
        {
            let _turn = lock(&TURN);
            named("before", || drop(OUTER.begin()));
        }
        let recording = record(|| {});
        assert!(recording.threads.iter().all(|thread| thread.name != "before"));
    }

    #[test]
    fn names_with_numbers_are_sorted_by_them() {
        assert!(natural("worker 9") < natural("worker 10"));
    }
}
