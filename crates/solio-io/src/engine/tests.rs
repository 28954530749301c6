//! The engine over real files, and what the scheduler promises, in made-up time.

use super::scheduler::{Grant, Next, ScheduledRequest, Scheduler, Tuning, UNKNOWN};
use super::*;
use crate::probe::write_plain;
use solio_base::{Cancel, Error, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

/// Files of all sorts of sizes and their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let sizes = [0, 1, 511, 4095, 4096, 4097, 65_536, 65_537, 150_000, 2 << 20, 5_000_001];
    let files = sizes.iter().enumerate().map(|(i, &size)| {
        let path = folder.join(format!("file {i}"));
        let bytes: Vec<u8> = (0..size).map(|b: usize| (b / 3 + b * b + i) as u8).collect();
        write_plain(&path, &bytes).unwrap();
        (path, bytes)
    });
    files.collect()
}

fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for backend in Backend::ALL {
        for direct in [Direct::Auto, Direct::Never, Direct::Always] {
            let options = EngineOptions { backend, direct, ..EngineOptions::default() };
            engines.push(Engine::new(options).unwrap());
        }
    }
    engines
}

#[test]
fn whole_files_and_ranges_with_every_backend() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    for engine in engines() {
        let batch = engine.read(files.iter().map(|(path, _)| Request::file(path).tag(9)));
        for (done, (_, bytes)) in batch.wait().into_iter().zip(&files) {
            assert_eq!(done.tag, 9);
            assert!(done.result.unwrap()[..] == bytes[..], "{:?}", engine.options());
        }
        let (path, bytes) = &files[10];
        let ranges = [(0, 1), (1, 4096), (4095, 2), (4096, 4096), (77, 3_000_000), (5_000_000, 1)];
        let batch = engine.read(ranges.map(|(o, l)| Request::range(path, o, l)));
        for (done, (o, l)) in batch.wait().into_iter().zip(ranges) {
            assert!(done.result.unwrap()[..] == bytes[o as usize..(o + l) as usize]);
        }
        let mine = vec![1; 200_000];
        let place = mine.as_ptr();
        let done = engine.read([Request::file(&files[8].0).into_buffer(mine)]).next().unwrap();
        let mine = done.result.unwrap().into_vec();
        assert!(mine == files[8].1 && mine.as_ptr() == place);
    }
}

#[test]
fn errors_are_typed_and_stop_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    for engine in engines() {
        let requests = vec![
            Request::file(folder.path().join("none")),
            Request::file(folder.path()),
            Request::range(&files[3].0, 4000, 1000),
            Request::range(&files[3].0, u64::MAX, u64::MAX),
            Request::file(&files[8].0).into_buffer(vec![0; 10]),
            Request::file(if cfg!(windows) { "NUL" } else { "/dev/null" }),
            Request::file(&files[8].0),
        ];
        let done = engine.read(requests).wait();
        let kinds: Vec<_> =
            done.iter().map(|d| d.result.as_ref().err().map(|e| e.kind())).collect();
        use ErrorKind::*;
        let wanted = [Io, Io, Corrupt, Corrupt, Argument, Io].map(Some);
        assert_eq!(kinds[..6], wanted);
        assert!(kinds[6].is_none());
        assert!(done[..6].iter().all(|d| d.result.as_ref().err().unwrap().path().is_some()));
        assert_eq!(done[2].result.as_ref().err().unwrap().offset(), Some(4095));
    }
}

/// Engines that read small files in one go, once they have seen some.
fn linking() -> Vec<Engine> {
    let engine = |backend| {
        let options = EngineOptions { backend, direct: Direct::Always, ..Default::default() };
        Engine::new(options).unwrap()
    };
    vec![engine(Backend::Uring), engine(Backend::Auto)]
}

/// These, and one whose receivers read small files themselves.
fn reading_at_once() -> Vec<Engine> {
    let options = EngineOptions { direct: Direct::Never, ..Default::default() };
    linking().into_iter().chain([Engine::new(options).unwrap()]).collect()
}

/// Whether an engine did so; says why it may not have.
#[allow(clippy::print_stdout)]
fn linked(engine: &Engine) -> bool {
    let stats = engine.stats();
    if stats.linked == 0 {
        let why = stats.fallback.as_deref().unwrap_or("no direct reads here, or an old system");
        println!("linked entries: skipped ({why})");
        assert!(stats.fallback.is_some() || stats.direct_bytes == 0);
    }
    assert!(stats.registered <= stats.linked + stats.pieces);
    stats.linked > 0
}

#[test]
fn small_files_in_one_go() {
    // Beside the sources: a temporary folder in memory may not take direct reads.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let files = files(folder.path());
    let bad = ["none", "folder", "pipe", "loop", "file 0/x"].map(|name| folder.path().join(name));
    std::fs::create_dir(&bad[1]).unwrap();
    // Neither can be made everywhere; then there is nothing of this name.
    let fifo = std::process::Command::new("mkfifo").arg(&bad[2]).status();
    let has_fifo = fifo.is_ok_and(|fifo| fifo.success());
    let has_link = crate::probe::symlink(&bad[3], &bad[3]).is_ok();
    for engine in reading_at_once() {
        // One of the errors after every eight files that can be read.
        let paths: Vec<&PathBuf> = (0..360)
            .map(|i| if i % 9 == 8 { &bad[i / 9 % bad.len()] } else { &files[i % 9].0 })
            .collect();
        let done = engine.read(paths.iter().map(|p| Request::file(*p))).wait();
        for (i, done) in done.into_iter().enumerate() {
            if i % 9 == 8 {
                let error = done.result.err().unwrap();
                assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(&**paths[i])));
                let text = error.to_string();
                let is_told = match i / 9 % bad.len() {
                    1 => text.contains("directory"),
                    2 if has_fifo => text.contains("regular file"),
                    3 if has_link => !error.is_missing(),
                    4 if cfg!(unix) => text.contains("directory"),
                    _ => error.is_missing(),
                };
                assert!(is_told, "{text}");
            } else {
                assert!(done.result.unwrap()[..] == files[i % 9].1[..], "{}", paths[i].display());
            }
        }
        // Limits are kept before anything is read, and larger files go their own way.
        let bytes = engine.stats().bytes;
        let small = engine.read((0..40).map(|_| Request::file(&files[8].0).at_most(149_999)));
        assert!(small.wait().into_iter().all(|d| d.result.unwrap_err().kind() == ErrorKind::Limit));
        assert_eq!(engine.stats().bytes, bytes);
        let large = engine.read((0..4).map(|_| Request::file(&files[10].0)));
        assert!(large.wait().into_iter().all(|d| d.result.unwrap()[..] == files[10].1[..]));
        linked(&engine);
    }
}

#[test]
fn cancelled_while_they_are_read_in_one_go() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let files = files(folder.path());
    for engine in reading_at_once() {
        for round in 0..20 {
            let token = Cancel::default();
            let request = |i: usize| Request::file(&files[i % 9].0).cancel(token.clone());
            let mut batch = engine.read((0..200).map(request));
            for done in batch.by_ref().take(round * 7) {
                assert!(done.result.unwrap()[..] == files[done.index % 9].1[..]);
            }
            match round % 3 {
                0 => token.cancel(),
                1 => batch.cancel(),
                _ => drop(std::mem::replace(&mut batch, engine.read([]))),
            }
            for done in batch {
                match done.result {
                    Ok(bytes) => assert!(bytes[..] == files[done.index % 9].1[..]),
                    Err(e) => assert_eq!(e.kind(), ErrorKind::Cancelled),
                }
            }
        }
        linked(&engine);
    }
}

#[test]
fn a_file_that_is_replaced_meanwhile_is_one_or_the_other() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = |i: usize| folder.path().join(format!("{i}"));
    let contents = |version: usize| vec![version as u8; [4096, 8192, 100, 12_288][version % 4]];
    (0..32).for_each(|i| write_plain(&path(i), &contents(0)).unwrap());
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for version in 0.. {
                let new = folder.path().join("new");
                write_plain(&new, &contents(version)).unwrap();
                std::fs::rename(&new, path(version % 32)).unwrap();
                if stop.load(Relaxed) {
                    return;
                }
            }
        });
        for engine in reading_at_once() {
            for _ in 0..100 {
                for done in engine.read((0..32).map(|i| Request::file(path(i)))) {
                    let bytes = done.result.unwrap();
                    let version = usize::from(bytes[0]);
                    assert!(bytes[..] == contents(version)[..], "{version}: {}", bytes.len());
                }
            }
            linked(&engine);
        }
        stop.store(true, Relaxed);
    });
}

#[test]
fn several_threads_take_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    for (round, engine) in engines().iter().chain(&engines()).enumerate() {
        let token = Cancel::default();
        let missing = folder.path().join("none");
        // Without large files the receivers read all by themselves.
        let kinds = if round % 2 == 0 { 9 } else { 11 };
        let path = |i: usize| if i % 50 == 49 { &missing } else { &files[i % kinds].0 };
        let batch = engine.read((0..700).map(|i| Request::file(path(i)).cancel(token.clone())));
        let seen: Vec<_> = (0..700).map(|_| std::sync::atomic::AtomicUsize::new(0)).collect();
        let cancels = round >= engines().len() / 2;
        batch.consume(1 + round % 4, |done| {
            let i = done.index;
            let before = seen[i].fetch_add(1, Relaxed);
            assert_eq!(before, 0, "{i} came twice");
            match done.result {
                Ok(bytes) => assert!(bytes[..] == files[i % kinds].1[..] && i % 50 != 49),
                Err(e) if e.kind() == ErrorKind::Cancelled => assert!(cancels),
                Err(e) => assert!(i % 50 == 49 && e.path() == Some(&*missing), "{e}"),
            }
            // Others are asked for something meanwhile.
            if i % 100 == 7 {
                let urgent = Request::file(&files[8].0).priority(Priority::Maximum);
                let done = engine.read([urgent]).next().unwrap();
                assert!(done.result.unwrap()[..] == files[8].1[..]);
            }
            if cancels && i == 300 {
                token.cancel();
            }
        });
        assert!(seen.iter().all(|count| count.load(Relaxed) == 1));
    }
}

#[test]
fn the_first_refusal_ends_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    for engine in engines() {
        for threads in 1..5 {
            let small = &files[1 + threads];
            let requests = (0..3000).map(|_| Request::file(&small.0));
            let taken = std::sync::atomic::AtomicUsize::new(0);
            let refused = engine.read(requests).try_consume(threads, |request, done| {
                assert_eq!(request.path, small.0);
                let count = taken.fetch_add(1, Relaxed);
                if count < 100 { done.result.map(drop) } else { Err(Error::argument("enough")) }
            });
            let error = refused.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Argument | ErrorKind::Cancelled), "{error}");
            let taken = taken.into_inner();
            assert!((101..=100 + threads).contains(&taken), "{taken} by {threads}");
            // Nothing is left that others would wait for.
            assert!(engine.read([Request::file(&small.0)]).next().unwrap().result.is_ok());
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn receivers_read_small_files_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let sizes: usize = (0..600).map(|i| files[1 + i % 8].1.len()).sum();
    let mut batch = engine.read((0..600).map(|i| Request::file(&files[1 + i % 8].0)));
    for done in batch.by_ref().take(200) {
        assert!(done.result.unwrap()[..] == files[1 + done.index % 8].1[..]);
    }
    // What the receiver has taken to itself is not lost when it only looks, or waits for a time.
    assert_eq!(batch.left(), 400);
    let looked = std::iter::from_fn(|| batch.poll()).count();
    let waited = std::iter::from_fn(|| batch.wait_for(Duration::from_secs(60))).count();
    assert_eq!(looked + waited, 400);
    assert_eq!(engine.stats().bytes, sizes as u64);
    // Cancelling reaches it too.
    let mut batch = engine.read((0..600).map(|i| Request::file(&files[1 + i % 8].0)));
    let first: Vec<Done> = batch.by_ref().take(100).collect();
    batch.cancel();
    let rest = batch.wait();
    assert_eq!(first.len() + rest.len(), 600);
    assert!(rest.iter().any(|done| done.result.is_err() && !done.submitted));
}

#[test]
fn packed_files_come_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<u8> = (0..300_000u32).flat_map(|i| (i / 5).to_le_bytes()).collect();
    let path = |name: &str| folder.path().join(name);
    use solio_codec::compress::Compression;
    for (name, packing, compression) in
        [("a.gz", Packing::Gzip, Compression::Gzip), ("a.zst", Packing::Zstd, Compression::Zstd)]
    {
        let options = crate::SinkOptions { compression, ..Default::default() };
        let mut sink = crate::FileSink::create(&path(name), &options, &Default::default()).unwrap();
        solio_base::Sink::write_bytes(&mut sink, &Default::default(), &text).unwrap();
        sink.commit().unwrap();
        let engine = Engine::new(EngineOptions::default()).unwrap();
        for packing in [packing, Packing::Detect] {
            let request = || Request::file(path(name)).packing(packing);
            let known = |n: u64| Request { unpacked: Some(n), ..request() };
            let size = text.len() as u64;
            let batch = engine.read([request(), known(size), known(size - 1), known(size + 1)]);
            let results: Vec<_> = batch.wait().into_iter().map(|d| d.result).collect();
            assert!(results[..2].iter().all(|r| r.as_ref().unwrap()[..] == text[..]));
            assert!(results[2..].iter().all(|r| r.is_err()));
        }
    }
    write_plain(&path("b"), &[0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0, 2, 0x4d, 1, 0x27]).unwrap();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let done = engine.read([Request::file(path("b")).packing(Packing::Zlib)]).next().unwrap();
    assert_eq!(done.result.unwrap()[..], b"abc"[..]);
}

#[test]
fn cancelled_requests_never_move() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    // One byte a second: the first piece goes, then all waits.
    let options = EngineOptions { bytes_per_second: Some(1), ..EngineOptions::default() };
    let engine = Engine::new(options).unwrap();
    let token = Cancel::default();
    let request = |i: usize| Request::file(&files[i].0);
    let batch = engine.read([request(8), request(9), request(10).cancel(token.clone())]);
    while engine.stats().pieces == 0 {
        std::thread::yield_now();
    }
    token.cancel();
    batch.cancel_one(1).unwrap();
    batch.cancel();
    assert!(batch.cancel_one(3).is_err());
    let done = batch.wait();
    assert!(done[0].result.is_ok() && done[0].submitted);
    for done in &done[1..] {
        assert_eq!(done.result.as_ref().err().unwrap().kind(), ErrorKind::Cancelled);
        assert!(!done.submitted);
    }
    assert_eq!(engine.stats().bytes, 150_000);
}

#[test]
#[allow(clippy::disallowed_methods)]
fn many_threads_write_beside_reads() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let seed = |t: usize, at: usize| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ t as u8;
    for backend in [Backend::Threads, Backend::Uring] {
        // One warm thread: writers wait for each other, and an engine's thread helps them.
        let options = EngineOptions { warm_threads: 1, backend, ..EngineOptions::default() };
        let engine = Engine::new(options).unwrap();
        let path = |t: usize| folder.path().join(format!("out{t}"));
        std::thread::scope(|scope| {
            for t in 0..6 {
                let (engine, path) = (&engine, path(t));
                scope.spawn(move || {
                    let file = Arc::new(Handle::new_file(std::fs::File::create(&path).unwrap()));
                    let (mut at, mut bytes) = (0, Vec::new());
                    for round in 0..20 {
                        let size = [0, 1, 4097, 3 << 20][round % 4] + t;
                        bytes.clear();
                        bytes.extend((at..at + size).map(|at| seed(t, at)));
                        bytes = engine.write(&path, &file, at as u64, bytes).unwrap();
                        assert_eq!(bytes.len(), size);
                        at += size;
                    }
                });
            }
            for _ in 0..20 {
                let batch = engine.read(files.iter().map(|(path, _)| Request::file(path)));
                let same = |(done, (_, text)): (Done, &(PathBuf, Vec<u8>))| {
                    done.result.unwrap()[..] == text[..]
                };
                assert!(batch.wait().into_iter().zip(&files).all(same));
            }
        });
        let mut all = 0;
        for t in 0..6 {
            let text = std::fs::read(path(t)).unwrap();
            assert!(text.iter().enumerate().all(|(at, &byte)| byte == seed(t, at)));
            all += text.len() as u64;
        }
        assert_eq!(engine.stats().written_bytes, all);
    }
}

#[test]
fn memory_is_a_budget_and_no_trap() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let options = EngineOptions { memory_bytes: 3 << 20, ..EngineOptions::default() };
    let engine = Engine::new(options).unwrap();
    // Nobody takes the first batch's results, and the second one is answered all the same.
    let first = engine.read((0..50).map(|_| Request::file(&files[9].0)));
    let second = engine.read((0..3).map(|_| Request::file(&files[9].0)));
    assert!(second.wait().iter().all(|d| d.result.is_ok()));
    assert!(engine.stats().bytes <= 6 * (2 << 20));
    assert_eq!(first.wait().len(), 50);
    let done = engine.read([Request::file(&files[10].0)]).next().unwrap();
    let error = done.result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit);
    // Dropping a batch, or the engine, leaves nothing that waits.
    drop(engine.read((0..50).map(|_| Request::file(&files[9].0))));
    let last = engine.read([Request::file(&files[9].0)]);
    drop(engine);
    assert!(last.wait()[0].result.is_ok());
}

#[test]
fn the_rate_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let options = EngineOptions { bytes_per_second: Some(50_000_000), ..EngineOptions::default() };
    let engine = Engine::new(options).unwrap();
    let done = engine.read((0..4).map(|_| Request::file(&files[10].0))).wait();
    let longest = done.iter().map(|d| d.total).max().unwrap();
    // 20 MB; all but the last pieces must have waited.
    assert!(longest > Duration::from_millis(200), "{longest:?}");
}

/// Panics at a path that ends so.
pub(super) fn trip(path: &Path, name: &str) {
    assert!(!path.ends_with(name), "a test asked for this panic");
}

#[test]
fn a_panic_ends_its_request_or_all_but_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let trips = |name: &str| folder.path().join(name);
    let message = |done: &Done| done.result.as_ref().err().map(|e| e.message().to_owned());
    for backend in Backend::ALL {
        let engine = Engine::new(EngineOptions { backend, ..Default::default() }).unwrap();
        // As long as it waits for a time, the receiver leaves all to the engine's threads.
        let all = |requests: Vec<Request>| {
            let mut batch = engine.read(requests);
            let next = || batch.wait_for(Duration::from_secs(60));
            let done: Vec<Done> = std::iter::from_fn(next).collect();
            assert_eq!(batch.left(), 0, "{backend:?}");
            done
        };
        // A range: the ring opens those outside of it.
        let done = all(vec![Request::file(&files[8].0), Request::range(trips("trips"), 0, 1)]);
        for done in done {
            let message = message(&done);
            assert_eq!(message.is_some(), done.index == 1);
            assert!(message.is_none_or(|m| m.contains("internal error")), "{backend:?}");
        }
        let other = engine.read((0..3000).map(|i| Request::file(&files[i % 9].0)));
        let mut requests: Vec<Request> = files.iter().map(|(p, _)| Request::file(p)).collect();
        requests.insert(5, Request::file(trips("trips the core")).priority(Priority::Maximum));
        let done = all(requests);
        assert!(done.iter().any(|d| d.index == 5 && message(d).is_some()), "{backend:?}");
        for done in done.iter().chain(&all(vec![Request::file(&files[1].0)])) {
            assert!(message(done).is_none_or(|m| m.contains("internal error")), "{backend:?}");
        }
        let mut other = other;
        let next = || other.wait_for(Duration::from_secs(60));
        assert_eq!(std::iter::from_fn(next).count(), 3000, "{backend:?}");
        assert!(message(&all(vec![Request::file(&files[1].0)])[0]).is_some(), "{backend:?}");
    }
}

fn entry(batch: u32, level: u8, bytes: u64) -> ScheduledRequest {
    ScheduledRequest { batch, level, device: 0, offset: 0, end: bytes, deadline_ns: None }
}

fn granted(next: Next) -> Grant {
    match next {
        Next::Grant(grant) => grant,
        next => panic!("{next:?}"),
    }
}

#[test]
fn higher_priorities_and_earlier_deadlines_go_first() {
    let mut scheduler = Scheduler::new(Tuning::default(), 1);
    let batch = scheduler.add_batch();
    let levels = [0u8, 3, 5, 1, 5, 2, 4, 0];
    let slots: Vec<u32> =
        levels.iter().map(|&level| scheduler.add(entry(batch, level, 100), 0)).collect();
    let due = |ns| ScheduledRequest { deadline_ns: Some(ns), ..entry(batch, 3, 100) };
    let late = scheduler.add(due(900), 0);
    let early = scheduler.add(due(100), 0);
    let order: Vec<u32> = (0..10)
        .map(|_| {
            let grant = granted(scheduler.next(1));
            assert_eq!(scheduler.next(1), Next::Nothing, "one at a time");
            assert!(scheduler.landed(grant));
            scheduler.end(grant.slot, false);
            grant.slot
        })
        .collect();
    let s = |i: usize| slots[i];
    assert_eq!(order, [s(2), s(4), s(6), early, late, s(1), s(5), s(3), s(0), s(7)]);
}

#[test]
fn requests_move_to_other_priorities() {
    let mut scheduler = Scheduler::new(Tuning::default(), 1);
    let batch = scheduler.add_batch();
    let slots: Vec<u32> = (0..6).map(|_| scheduler.add(entry(batch, 3, 100), 0)).collect();
    let due = ScheduledRequest { deadline_ns: Some(9), ..entry(batch, 3, 100) };
    let due = scheduler.add(due, 0);
    let large = scheduler.add(entry(batch, 5, 6 << 20), 0);
    let piece = granted(scheduler.next(1));
    assert_eq!((piece.slot, piece.length), (large, 2 << 20));
    scheduler.set_level(slots[4], 5, 1);
    scheduler.set_level(slots[1], 0, 1);
    scheduler.set_level(slots[0], 0, 1);
    scheduler.set_level(due, 1, 1);
    // One that is being read goes back for the others, but for what is in flight.
    scheduler.set_level(large, 2, 1);
    assert!(!scheduler.landed(piece));
    let mut order = Vec::new();
    while let Next::Grant(grant) = scheduler.next(2) {
        order.push(grant.slot);
        if scheduler.landed(grant) {
            scheduler.end(grant.slot, false);
        }
    }
    order.dedup();
    let s = |i: usize| slots[i];
    assert_eq!(order, [s(4), s(2), s(3), s(5), large, due, s(1), s(0)]);
    assert_eq!((scheduler.flying(), scheduler.waiting(), scheduler.held_bytes()), (0, 0, 0));
}

#[test]
fn the_lowest_level_gets_its_turn_within_the_bound() {
    let tuning = Tuning::default();
    let ageing = tuning.ageing_ns;
    let piece_ns = 1_000_000;
    let mut scheduler = Scheduler::new(tuning, 1);
    let batch = scheduler.add_batch();
    // Levels 1 to 5 never run dry; three requests wait at the lowest.
    let low: Vec<u32> = (0..3).map(|_| scheduler.add(entry(batch, 0, 100), 0)).collect();
    let mut served = [None; 3];
    let mut now = 0;
    let mut urgent = 0;
    while served.iter().any(Option::is_none) {
        for level in 1..6 {
            scheduler.add(entry(batch, level, 100), now);
        }
        let grant = granted(scheduler.next(now));
        now += piece_ns;
        assert!(scheduler.landed(grant));
        scheduler.end(grant.slot, false);
        match low.iter().position(|&slot| slot == grant.slot) {
            Some(i) if served[i].is_none() => served[i] = Some(now),
            _ => urgent += 1,
        }
    }
    for (k, time) in served.iter().enumerate() {
        let bound = (k as u64 + 1) * (ageing + 6 * piece_ns);
        assert!(time.unwrap() <= bound, "request {k} at {time:?}, not by {bound}");
    }
    assert!(urgent > 100, "the higher levels still get nearly everything: {urgent}");
}

#[test]
fn a_background_reader_leaves_the_device_to_the_foreground() {
    let mut scheduler = Scheduler::new(Tuning::default(), 32);
    let batch = scheduler.add_batch();
    let background = scheduler.add(entry(batch, 1, 1 << 30), 0);
    let mut flying = 0;
    while let Next::Grant(grant) = scheduler.next(0) {
        assert_eq!(grant.slot, background);
        flying += grant.length;
    }
    assert_eq!(flying, 16 << 20);
    // With somebody in front of it, it may have far less under way.
    let mut scheduler = Scheduler::new(Tuning::default(), 32);
    let (batch, other) = (scheduler.add_batch(), scheduler.add_batch());
    scheduler.add(entry(other, 1, 1 << 30), 0);
    let urgent = scheduler.add(entry(batch, 5, 65_536), 0);
    assert_eq!(granted(scheduler.next(0)).slot, urgent);
    let mut flying = 0;
    while let Next::Grant(grant) = scheduler.next(0) {
        assert!(grant.length <= 128 << 10);
        flying += grant.length;
    }
    assert_eq!(flying, 512 << 10);
}

#[test]
fn unknown_sizes_are_learned_and_wait_for_memory() {
    let tuning = Tuning { memory_bytes: 1 << 20, ..Tuning::default() };
    let mut scheduler = Scheduler::new(tuning, 8);
    let batch = scheduler.add_batch();
    let first = scheduler.add(entry(batch, 3, UNKNOWN), 0);
    let second = scheduler.add(entry(batch, 3, UNKNOWN), 0);
    let (a, b) = (granted(scheduler.next(0)), granted(scheduler.next(0)));
    assert!(a.unknown && b.unknown && a.slot == first && b.slot == second);
    let a = scheduler.learned(a, 900_000, u64::MAX).unwrap();
    assert_eq!((a.offset, a.length), (0, 900_000));
    assert!(scheduler.learned(b, 900_000, u64::MAX).is_none());
    assert_eq!(scheduler.next(0), Next::Nothing);
    assert!(scheduler.landed(a));
    let held = scheduler.end(first, true);
    assert_eq!(scheduler.next(0), Next::Nothing, "the result was not taken");
    scheduler.release_memory(batch, held);
    let b = granted(scheduler.next(0));
    assert!(b.unknown && b.first, "it may have changed");
    assert_eq!(scheduler.held_bytes(), 900_000);
    assert_eq!(scheduler.learned(b, 900_000, u64::MAX).unwrap().length, 900_000);
}

#[test]
fn a_million_requests_are_queued_and_handed_out() {
    let count = 1_000_000;
    let mut scheduler = Scheduler::new(Tuning { open_files: 64, ..Tuning::default() }, 64);
    let batch = scheduler.add_batch();
    for i in 0..count {
        scheduler.add(entry(batch, (i % 6) as u8, 65_536), 0);
    }
    for _ in 0..count {
        let grant = granted(scheduler.next(0));
        assert!(scheduler.landed(grant));
        scheduler.end(grant.slot, false);
    }
    assert_eq!(scheduler.next(0), Next::Nothing);
    let slots: Vec<u32> = (0..count).map(|_| scheduler.add(entry(batch, 3, 100), 0)).collect();
    for &slot in &slots {
        assert!(scheduler.stop(slot));
        scheduler.end(slot, false);
    }
    assert_eq!(scheduler.next(0), Next::Nothing);
}
