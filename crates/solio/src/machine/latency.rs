//! Small reads in the foreground beside bulk reads, by the engine: how long they wait, by priority.

use crate::io::{Direct, Engine, EngineOptions, Priority, Request};
use solio_base::{Cancel, Error, Result};
use solio_measure::Stopwatch;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Bytes of a bulk read, and reads of a batch.
const BULK_BYTES: u64 = 1 << 20;
const BULK_READS: u64 = 64;
/// Seconds of bulk reads before anything is measured: as long as the first ones are special.
const WARM_UP_S: f64 = 0.2;
/// Beside bulk reads small ones go on for so long at least: their rate is not known sooner.
const LEAST_S: f64 = 0.5;

/// What is measured.
///
/// ```
/// let options = solio::LatencyOptions::new("bulk.bin");
/// assert_eq!((options.small_bytes, options.samples), (64 << 10, 1000));
/// ```
#[derive(Clone, Debug)]
pub struct LatencyOptions {
    /// A file much larger than a read, on the medium in question.
    pub file: PathBuf,
    /// Bytes of a small read.
    pub small_bytes: u64,
    /// Small reads of each way.
    pub samples: usize,
    /// From the end of a small read to the next one.
    pub every: Duration,
    /// Whether reads go past the page cache: to the medium itself.
    pub direct: bool,
    /// Holds all reads together to a bandwidth, as a slower medium would.
    pub bytes_per_second: Option<u64>,
}

impl LatencyOptions {
    /// A thousand reads of 64 KiB, one each 2 ms, past the page cache.
    ///
    /// ```
    /// assert!(solio::LatencyOptions::new("bulk.bin").direct);
    /// ```
    pub fn new(file: impl Into<PathBuf>) -> LatencyOptions {
        LatencyOptions {
            file: file.into(),
            small_bytes: 64 << 10,
            samples: 1000,
            every: Duration::from_millis(2),
            direct: true,
            bytes_per_second: None,
        }
    }
}

/// How long small reads took one way.
///
/// ```
/// use solio::LatencyRow;
/// let row = LatencyRow { way: "alone", seconds: vec![1e-3, 2e-3, 9e-3], bulk_mb_s: None };
/// assert_eq!((row.quantile(0.5), row.quantile(0.999)), (Some(2e-3), None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyRow {
    /// How the small reads were asked for.
    pub way: &'static str,
    /// Seconds of each small read, from the smallest to the largest.
    pub seconds: Vec<f64>,
    /// What the bulk reads got meanwhile.
    pub bulk_mb_s: Option<f64>,
}

impl LatencyRow {
    /// The time within which this share of the reads was done; `None` where there are too few to say so.
    ///
    /// ```
    /// let seconds = (1..=100).map(|n| n as f64).collect();
    /// let row = solio::LatencyRow { way: "alone", seconds, bulk_mb_s: None };
    /// assert_eq!((row.quantile(0.5), row.quantile(0.99)), (Some(50.0), Some(99.0)));
    /// ```
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.seconds.len() as f64).ceil() as usize;
        // At least one read has to lie above.
        let is_known = rank < self.seconds.len() || share <= 0.5;
        is_known.then(|| self.seconds.get(rank.max(1) - 1).copied()).flatten()
    }
}

/// How a small read is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Priority(Priority),
    /// With the bulk's priority, which is raised at once.
    Raised,
}

/// Measures small reads alone, then beside bulk reads of low priority: with the same priority, with a higher one,
/// and with one that is raised after the read was asked for. The first row is of the bulk reads alone.
///
/// ```no_run
/// let options = solio::LatencyOptions::new("large.exr");
/// for row in solio::study_latency(&options, &Default::default(), |_| ())? {
///     println!("{}: p99 {:?}", row.way, row.quantile(0.99));
/// }
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When the file cannot be read or is too small; `Cancelled`.
pub fn study_latency(
    options: &LatencyOptions,
    cancel: &Cancel,
    mut each: impl FnMut(&str),
) -> Result<Vec<LatencyRow>> {
    let bytes = std::fs::metadata(&options.file)
        .map_err(|e| Error::io("look at", e).at_path(&options.file))?
        .len();
    if bytes < BULK_BYTES + options.small_bytes || options.small_bytes == 0 {
        let error = Error::argument("the file is too small for bulk reads of 1 MiB beside others");
        return Err(error.at_path(&options.file).hint("name one that is much larger"));
    }
    let mut rows = Vec::new();
    for (way, ask, has_bulk) in [
        ("bulk alone", None, true),
        ("small reads alone", Some(Ask::Priority(Priority::High)), false),
        ("beside bulk, its priority", Some(Ask::Priority(Priority::Low)), true),
        ("beside bulk, normal", Some(Ask::Priority(Priority::Normal)), true),
        ("beside bulk, high", Some(Ask::Priority(Priority::High)), true),
        ("beside bulk, raised to high", Some(Ask::Raised), true),
    ] {
        cancel.check()?;
        each(way);
        rows.push(measured(options, way, ask, has_bulk, bytes, cancel)?);
    }
    Ok(rows)
}

fn measured(
    options: &LatencyOptions,
    way: &'static str,
    ask: Option<Ask>,
    has_bulk: bool,
    bytes: u64,
    cancel: &Cancel,
) -> Result<LatencyRow> {
    let engine = Engine::new(EngineOptions {
        direct: if options.direct { Direct::Always } else { Direct::Never },
        bytes_per_second: options.bytes_per_second,
        memory_bytes: 256 << 20,
        ..EngineOptions::default()
    })?;
    let (end, moved) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let bulk = has_bulk
            .then(|| scope.spawn(|| bulk(&engine, &options.file, bytes, &end, &moved, cancel)));
        let row = small(options, &engine, way, ask, bytes, has_bulk.then_some(&moved), cancel);
        end.store(true, Relaxed);
        match bulk.map(|thread| thread.join()) {
            Some(Ok(ended)) => ended?,
            Some(Err(_)) => return Err(Error::unsupported("the bulk reads ended early")),
            None => {}
        }
        row
    })
}

/// Reads the file again and again, with a batch waiting behind the one under way.
fn bulk(
    engine: &Engine,
    path: &Path,
    bytes: u64,
    end: &AtomicBool,
    moved: &AtomicU64,
    cancel: &Cancel,
) -> Result<()> {
    let places = bytes / BULK_BYTES;
    let batch = |number: u64| {
        let place = move |n: u64| (number * BULK_READS + n) % places * BULK_BYTES;
        engine.read(
            (0..BULK_READS)
                .map(|n| Request::range(path, place(n), BULK_BYTES).priority(Priority::Low)),
        )
    };
    let mut waiting = std::collections::VecDeque::from([batch(0), batch(1)]);
    for number in 2.. {
        let Some(under_way) = waiting.pop_front() else { break };
        for done in under_way {
            moved.fetch_add(done.result?.len() as u64, Relaxed);
            if end.load(Relaxed) || cancel.check().is_err() {
                return Ok(());
            }
        }
        waiting.push_back(batch(number));
    }
    Ok(())
}

fn small(
    options: &LatencyOptions,
    engine: &Engine,
    way: &'static str,
    ask: Option<Ask>,
    bytes: u64,
    moved: Option<&AtomicU64>,
    cancel: &Cancel,
) -> Result<LatencyRow> {
    let bulk_bytes = || moved.map_or(0, |moved| moved.load(Relaxed));
    if moved.is_some() {
        std::thread::sleep(Duration::from_secs_f64(WARM_UP_S));
    }
    let (watch, before) = (Stopwatch::start(), bulk_bytes());
    let mut seconds = Vec::new();
    let mut place = 1u64;
    let (mut asked, least_s) = (0, if moved.is_some() { LEAST_S } else { 0.0 });
    while asked < options.samples.max(1) || watch.wall_s() < least_s {
        cancel.check()?;
        std::thread::sleep(options.every);
        asked += 1;
        let Some(ask) = ask else { continue };
        // Spread over the file, always the same.
        place = place.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let offset = (place >> 16) % (bytes - options.small_bytes) / 4096 * 4096;
        let request = Request::range(&options.file, offset, options.small_bytes);
        let watch = Stopwatch::start();
        let done = match ask {
            Ask::Priority(priority) => engine.read([request.priority(priority)]).wait(),
            Ask::Raised => {
                let batch = engine.read([request.priority(Priority::Low)]);
                // It may have begun meanwhile: then it needs no priority.
                let _ = batch.set_priority(0, Priority::High);
                batch.wait()
            }
        };
        let took_s = watch.wall_s();
        for done in done {
            done.result?;
        }
        seconds.push(took_s);
    }
    let rate = (bulk_bytes() - before) as f64 * 1e-6 / watch.wall_s();
    seconds.sort_by(f64::total_cmp);
    Ok(LatencyRow { way, seconds, bulk_mb_s: moved.map(|_| rate) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_high_priority_passes_what_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bulk");
        solio_io::probe::write_plain(&path, &vec![7; 8 << 20]).unwrap();
        // A medium of 100 MB/s: 128 MB of bulk are asked for ahead, which take more than a second.
        let options = LatencyOptions {
            samples: 5,
            direct: false,
            bytes_per_second: Some(100_000_000),
            ..LatencyOptions::new(&path)
        };
        let rows = study_latency(&options, &Cancel::default(), |_| ()).unwrap();
        assert_eq!(rows.len(), 6);
        let middle = |n: usize| rows[n].quantile(0.5).unwrap();
        assert!(rows[0].seconds.is_empty() && rows[0].bulk_mb_s.unwrap() > 20.0);
        assert!(rows[1].bulk_mb_s.is_none());
        // Behind the bulk, and before it.
        assert!(
            middle(2) > 4.0 * middle(4),
            "{:?}",
            rows.iter().map(|r| r.quantile(0.5)).collect::<Vec<_>>()
        );
        assert!(middle(2) > 4.0 * middle(5));
        let small = LatencyOptions::new(folder.path().join("none"));
        assert!(study_latency(&small, &Cancel::default(), |_| ()).unwrap_err().is_missing());
    }
}
