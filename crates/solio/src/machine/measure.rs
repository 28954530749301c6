//! What this machine can do at best: the medium below a folder, memory, and one core's codecs.

use crate::Digits;
use solio_base::{Limits, Result, Work};
use solio_codec::compress::{ChunkCompressor, Compression, StreamDecoder};
use solio_codec::number::format;
use solio_io::scratch::{CacheMode, SMALL_BYTES, ScratchFile};
use solio_measure::{Stopwatch, memcpy_mb_s};
use std::borrow::Cow;
use std::path::Path;

/// Threads that read scattered pieces: enough to keep a fast medium busy.
const SCATTERED_THREADS: usize = 32;
/// Text that the codecs are measured with.
const TEXT_ROWS: usize = 300_000;

// The peaks that bound a job, see [`crate::KeptPeaks::light`].
pub(crate) const WRITE: &str = "write, page cache";
pub(crate) const READ_WARM: &str = "read, warm";
pub(crate) const READ_COLD: &str = "read, cold";
pub(crate) const READ_DIRECT: &str = "read, cold, direct";
pub(crate) const COPY: &str = "copy memory";

/// One measured peak.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let work = solio::Work::default();
/// for peak in solio::measure_machine(folder.path(), 1 << 20, 1, &work)? {
///     // Either a figure, or why there is none.
///     let figure = match (peak.mb_s, &peak.why_not) {
///         (Some(rate), None) => format!("{rate:.0} MB/s"),
///         (None, Some(why)) => why.to_string(),
///         both => unreachable!("{both:?}"),
///     };
///     assert!(!figure.is_empty() && peak.threads > 0);
/// }
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// What was done, in few words that stay the same: `read, cold, direct`.
    pub name: Cow<'static, str>,
    /// Threads that did it.
    pub threads: usize,
    /// 10^6 bytes a second; of uncompressed bytes where a codec is measured. `None` where this
    /// machine cannot do it, which `why_not` then explains.
    pub mb_s: Option<f64>,
    /// Why there is no figure.
    pub why_not: Option<Cow<'static, str>>,
}

/// Measures the peaks of the medium below `folder`, of memory and of the codecs: each the best of
/// `rounds`, the medium with a scratch file of `bytes` that leaves nothing behind. With 256 MiB
/// and two rounds it takes a few seconds on a fast disk.
///
/// "Cold" means that the system has dropped the file from its page cache, which is checked; what
/// lies below (the disk's own cache, a host's) is not in our hands.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let peaks = solio::measure_machine(folder.path(), 1 << 20, 1, &solio::Work::default())?;
/// assert!(peaks.iter().any(|p| p.name == "read, warm" && p.mb_s.is_some()));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When the folder cannot be written to, the disk is full, or `work` is cancelled.
pub fn measure_machine(folder: &Path, bytes: u64, rounds: usize, work: &Work) -> Result<Vec<Peak>> {
    let mut peaks = medium(folder, bytes, rounds.max(1), work)?;
    peaks.push(one_core(COPY, memcpy_mb_s()));
    peaks.extend(codecs(rounds.max(1), work)?);
    Ok(peaks)
}

fn medium(folder: &Path, bytes: u64, rounds: usize, work: &Work) -> Result<Vec<Peak>> {
    let scratch = ScratchFile::create(folder, bytes)?;
    // The first writing finds the room on the medium; what is measured is writing into it.
    scratch.write(CacheMode::Buffered, work)?;
    let all = work.threads.max(1);
    let mut rows = Vec::new();
    for _ in 0..rounds {
        let mut round = Round { scratch: &scratch, rows: Vec::new() };
        let (warm, cold) = (Before::Warm, Before::Cold);
        let (buffered, direct) = (CacheMode::Buffered, CacheMode::Direct);
        let bytes = scratch.bytes();
        round.time(WRITE, 1, buffered, warm, bytes, || scratch.write(buffered, work))?;
        round.time("write, on the medium", 1, buffered, warm, bytes, || {
            scratch.write(buffered, work)?;
            scratch.sync()
        })?;
        round.time("write, direct", 1, direct, warm, bytes, || scratch.write(direct, work))?;
        scratch.read(buffered, 1, work)?;
        for threads in [1, all] {
            round.time(READ_WARM, threads, buffered, warm, bytes, || {
                scratch.read(buffered, threads, work)
            })?;
        }
        round.time(READ_COLD, 1, buffered, cold, bytes, || scratch.read(buffered, 1, work))?;
        for threads in [1, all] {
            round.time(READ_DIRECT, threads, direct, cold, bytes, || {
                scratch.read(direct, threads, work)
            })?;
        }
        let pieces = (bytes / SMALL_BYTES as u64).min(4096);
        let (threads, bytes) = (SCATTERED_THREADS, pieces * SMALL_BYTES as u64);
        round.time("read 64 KiB scattered, direct", threads, direct, cold, bytes, || {
            scratch.read_scattered(direct, threads, pieces, work)
        })?;
        best(&mut rows, round.rows);
    }
    Ok(rows)
}

/// What the page cache must hold before a measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Warm,
    Cold,
}

/// One round of measurements of the medium.
struct Round<'s> {
    scratch: &'s ScratchFile,
    rows: Vec<Peak>,
}

impl Round<'_> {
    /// Times `run`, which moves `bytes` by `way`; where the machine cannot do it, says why.
    fn time(
        &mut self,
        name: &'static str,
        threads: usize,
        way: CacheMode,
        before: Before,
        bytes: u64,
        run: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let mut peak = Peak { name: name.into(), threads, mb_s: None, why_not: None };
        if before == Before::Cold {
            self.scratch.sync()?;
        }
        if way == CacheMode::Direct && !self.scratch.has_direct() {
            peak.why_not = Some("this file system always uses the page cache".into());
        } else if before == Before::Cold && !self.scratch.evict() {
            peak.why_not = Some("the system does not drop the file from its page cache".into());
        } else {
            let watch = Stopwatch::start();
            run()?;
            peak.mb_s = Some(rate(bytes, watch.wall_s()));
        }
        self.rows.push(peak);
        Ok(())
    }
}

/// Keeps the better of two rounds, row by row.
fn best(rows: &mut Vec<Peak>, round: Vec<Peak>) {
    if rows.is_empty() {
        *rows = round;
        return;
    }
    for (row, new) in rows.iter_mut().zip(round) {
        if new.mb_s > row.mb_s {
            *row = new;
        }
    }
}

/// One core: OBJ text packed and unpacked at the levels that we write with.
fn codecs(rounds: usize, work: &Work) -> Result<Vec<Peak>> {
    let text = text();
    let mut rows = Vec::new();
    for _ in 0..rounds {
        let mut round = Vec::new();
        for (compression, pack, unpack) in [
            (Compression::Gzip, "compress gzip", "decompress gzip"),
            (Compression::Zstd, "compress zstd", "decompress zstd"),
        ] {
            work.cancel.check()?;
            let mut compressor = ChunkCompressor::new(compression, None)?;
            let mut packed = Vec::new();
            let watch = Stopwatch::start();
            for chunk in text.chunks(1 << 20) {
                compressor.compress(chunk, &mut packed)?;
            }
            round.push(one_core(pack, rate(text.len() as u64, watch.wall_s())));
            let mut decoder = StreamDecoder::new(compression, &packed[..], &Limits::default())?;
            let mut plain = vec![0; 1 << 20];
            let watch = Stopwatch::start();
            while decoder.read(&mut plain)? == plain.len() {}
            round.push(one_core(unpack, rate(text.len() as u64, watch.wall_s())));
        }
        best(&mut rows, round);
    }
    Ok(rows)
}

fn one_core(name: &'static str, mb_s: f64) -> Peak {
    Peak { name: name.into(), threads: 1, mb_s: Some(mb_s), why_not: None }
}

/// Vertex lines of a wavy surface: text as meshes have it.
fn text() -> Vec<u8> {
    let rows: Vec<[f32; 3]> = (0..TEXT_ROWS)
        .map(|i| {
            let (u, v) = ((i % 1000) as f32 / 1000.0, (i / 1000) as f32 / 1000.0);
            [u, v, (u * 12.0).sin() * (v * 9.0).cos()]
        })
        .collect();
    let mut text = Vec::new();
    format::rows_f32(&mut text, b"v ", Digits::Fixed(6), &rows);
    text
}

fn rate(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / 1e6 / seconds.max(1e-9)
}
