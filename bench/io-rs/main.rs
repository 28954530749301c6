//! Reads every file of a list in one way, and says how long it took: `io-peers WAY LIST`.
//!
//! Prints wall seconds, CPU seconds and the bytes read. `io-peers latency LIST` reads small ranges
//! in the foreground beside a background that never ends, `io-peers telemetry LIST` reads all files
//! again and again with and without a recording, `io-peers evict LIST` drops the files from the
//! page cache.

use futures::StreamExt;
use rayon::prelude::*;
use solio_io::engine::{Backend, Direct, Engine, EngineOptions, Priority, Request};
use solio_measure::{Recorder, Stopwatch, Summary};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::Mutex;
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, way, list] = &words[..] else { return Err("io-peers WAY LIST".into()) };
    let paths: Vec<PathBuf> = std::fs::read_to_string(list)?.lines().map(PathBuf::from).collect();
    if way == "latency" {
        return latency(&paths);
    }
    if way == "telemetry" {
        return telemetry(&paths);
    }
    let watch = Stopwatch::start();
    let bytes = match way.as_str() {
        "evict" => return evict(&paths),
        "solio" => engine(paths, Backend::Auto, Direct::Auto)?,
        "solio threads" => engine(paths, Backend::Threads, Direct::Auto)?,
        "solio buffered" => engine(paths, Backend::Threads, Direct::Never)?,
        "solio direct" => engine(paths, Backend::Threads, Direct::Always)?,
        "solio uring" => engine(paths, Backend::Uring, Direct::Auto)?,
        "solio mmap" => engine(paths, Backend::Mmap, Direct::Never)?,
        "loop" => in_a_loop(&paths)?,
        "rayon 32" => rayon_read(&paths)?,
        "tokio 256" => tokio_read(&paths)?,
        "object_store 256" => object_store_read(&paths)?,
        way if way.starts_with("pool ") => pool(&paths, way[5..].parse()?)?,
        way if way.starts_with("mmap ") => mmap(&paths, way[5..].parse()?)?,
        way => return Err(format!("no way {way}").into()),
    };
    let usage = watch.usage();
    println!("{} {} {bytes}", usage.wall_s, usage.cpu_s);
    Ok(())
}

/// Whole files, or ranges of large ones, as `solio read` does. As in the peers, the threads that
/// get the bytes are as many as there are cores, and count them.
fn engine(paths: Vec<PathBuf>, backend: Backend, direct: Direct) -> Result<u64> {
    const RANGE: u64 = 8 << 20;
    let engine = Engine::new(EngineOptions { backend, direct, ..EngineOptions::default() })?;
    let threads = std::thread::available_parallelism()?.get();
    let (bytes, others) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let batch = engine.read(paths.into_iter().map(|p| Request::file(p).at_most(RANGE)));
    batch.consume(threads, |done| match done.result {
        Ok(buffer) => _ = bytes.fetch_add(buffer.len() as u64, Relaxed),
        Err(e) => others.lock().expect("nobody panics").push(e),
    });
    let mut bytes = bytes.into_inner();
    for error in others.into_inner()? {
        if error.kind() != solio_base::ErrorKind::Limit {
            return Err(error.into());
        }
        let path = error.path().expect("every error has one");
        let size = std::fs::metadata(path)?.len();
        let ranges = (0..size.div_ceil(RANGE))
            .map(|i| Request::range(path, i * RANGE, RANGE.min(size - i * RANGE)));
        for done in engine.read(ranges) {
            bytes += done.result?.len() as u64;
        }
    }
    Ok(bytes)
}

fn in_a_loop(paths: &[PathBuf]) -> Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    for path in paths {
        let mut file = File::open(path)?;
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                n => bytes += n as u64,
            }
        }
    }
    Ok(bytes)
}

/// The best that a program of threads does: each with a buffer that it keeps.
fn pool(paths: &[PathBuf], threads: usize) -> Result<u64> {
    let (next, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut buffer = vec![0; 1 << 20];
                while let Some(path) = paths.get(next.fetch_add(1, Relaxed)) {
                    let file = File::open(path).expect("open");
                    let size = file.metadata().expect("stat").len();
                    let mut offset = 0;
                    while offset < size {
                        let n = file.read_at(&mut buffer, offset).expect("read");
                        assert!(n > 0);
                        offset += n as u64;
                    }
                    bytes.fetch_add(size, Relaxed);
                }
            });
        }
    });
    Ok(bytes.into_inner())
}

/// One byte of each page is looked at; without that nothing is read.
fn mmap(paths: &[PathBuf], threads: usize) -> Result<u64> {
    let (next, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Relaxed)) {
                    let file = File::open(path).expect("open");
                    // SAFETY: nobody changes the bench's files.
                    let map = unsafe { memmap2::Mmap::map(&file).expect("map") };
                    let sum: u64 = map.iter().step_by(4096).map(|&b| u64::from(b)).sum();
                    std::hint::black_box(sum);
                    bytes.fetch_add(map.len() as u64, Relaxed);
                }
            });
        }
    });
    Ok(bytes.into_inner())
}

fn rayon_read(paths: &[PathBuf]) -> Result<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(32).build()?;
    let sizes = pool.install(|| {
        paths.par_iter().map(|p| std::fs::read(p).map(|b| b.len() as u64)).sum::<SumOf>()
    });
    Ok(sizes.0?)
}

/// A sum that stops at the first error.
struct SumOf(std::io::Result<u64>);

impl std::iter::Sum<std::io::Result<u64>> for SumOf {
    fn sum<I: Iterator<Item = std::io::Result<u64>>>(iter: I) -> Self {
        SumOf(iter.sum())
    }
}

impl std::iter::Sum for SumOf {
    fn sum<I: Iterator<Item = SumOf>>(iter: I) -> Self {
        SumOf(iter.map(|s| s.0).sum())
    }
}

fn tokio_read(paths: &[PathBuf]) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut reads = futures::stream::iter(paths.iter().map(tokio::fs::read));
        let mut reads = reads.by_ref().buffer_unordered(256);
        let mut bytes = 0;
        while let Some(read) = reads.next().await {
            bytes += read?.len() as u64;
        }
        Ok(bytes)
    })
}

fn object_store_read(paths: &[PathBuf]) -> Result<u64> {
    use object_store::{ObjectStore, local::LocalFileSystem, path::Path};
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let store = &LocalFileSystem::new();
    runtime.block_on(async {
        let read = |path: &PathBuf| {
            let path = Path::from_filesystem_path(path);
            async move { store.get(&path?).await?.bytes().await }
        };
        let mut reads = futures::stream::iter(paths.iter().map(read)).buffer_unordered(256);
        let mut bytes = 0;
        while let Some(read) = reads.next().await {
            bytes += read?.len() as u64;
        }
        Ok(bytes)
    })
}

/// 64 KiB in the foreground every 2 ms for two seconds, beside a background that reads large
/// files without end. Prints p50 and p99 in seconds, the background's bytes a second meanwhile,
/// and what it reaches alone.
fn latency(paths: &[PathBuf]) -> Result<()> {
    const STEP: u64 = 8 << 20;
    let engine =
        &Engine::new(EngineOptions { direct: Direct::Always, ..EngineOptions::default() })?;
    let sizes: Vec<u64> =
        paths.iter().map(|p| Ok(std::fs::metadata(p)?.len())).collect::<Result<_>>()?;
    let background = |stop: &AtomicBool, bytes: &AtomicU64| {
        let ranges = || {
            paths.iter().zip(&sizes).flat_map(|(path, size)| {
                (0..size / STEP).map(move |i| Request::range(path, i * STEP, STEP))
            })
        };
        while !stop.load(Relaxed) {
            for done in engine.read(ranges().map(|r| r.priority(Priority::Low))) {
                bytes.fetch_add(done.result.map_or(0, |b| b.len() as u64), Relaxed);
                if stop.load(Relaxed) {
                    break;
                }
            }
        }
    };
    let (stop, bytes) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut times: Vec<f64> = Vec::new();
    let (mut alone, mut beside) = (0.0, 0.0);
    std::thread::scope(|scope| {
        scope.spawn(|| background(&stop, &bytes));
        let rate = |seconds: f64, work: &mut dyn FnMut()| {
            let (start, watch) = (bytes.load(Relaxed), Stopwatch::start());
            while watch.wall_s() < seconds {
                work();
            }
            (bytes.load(Relaxed) - start) as f64 / watch.wall_s()
        };
        std::thread::sleep(Duration::from_millis(300));
        alone = rate(2.0, &mut || std::thread::sleep(Duration::from_millis(2)));
        let mut seed = 1u64;
        beside = rate(2.0, &mut || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let file = (seed >> 60) as usize % paths.len();
            let offset = (seed >> 20) % (sizes[file] / 65_536) * 65_536;
            let request = Request::range(&paths[file], offset, 65_536).priority(Priority::Maximum);
            let watch = Stopwatch::start();
            let done = engine.read([request]).next().expect("one result");
            times.push(watch.wall_s());
            assert!(done.result.is_ok());
            std::thread::sleep(Duration::from_millis(2));
        });
        stop.store(true, Relaxed);
    });
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{} {} {beside} {alone}", at(0.5), at(0.99));
    Ok(())
}

/// Turns with a recording, without and with one again: a line each of wall and CPU seconds and
/// bytes. What is made of a recording after the work is not part of the work.
fn telemetry(paths: &[PathBuf]) -> Result<()> {
    const ROUNDS: usize = 30;
    let turn = |recorded: bool| -> Result<String> {
        let recorder = recorded.then(|| Recorder::start().expect("the only one"));
        let list = paths.to_vec();
        let watch = Stopwatch::start();
        let bytes = engine(list, Backend::Auto, Direct::Auto)?;
        let usage = watch.usage();
        if let Some(recorder) = recorder {
            let recording = recorder.finish(Summary::default());
            assert!(recording.span_count() >= paths.len(), "the work was recorded");
        }
        Ok(format!("{} {} {bytes}", usage.wall_s, usage.cpu_s))
    };
    turn(true)?;
    for _ in 0..ROUNDS {
        println!("{}\n{}\n{}", turn(true)?, turn(false)?, turn(true)?);
    }
    Ok(())
}

/// Only what the medium has can be dropped. One call for all: a file's own would flush the medium
/// each time.
fn evict(paths: &[PathBuf]) -> Result<()> {
    if let Some(first) = paths.first() {
        rustix::fs::syncfs(File::open(first)?)?;
    }
    for path in paths {
        let file = File::open(path)?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    }
    Ok(())
}
