//! `solio-bench exr`: images, by every method, against what else reads and writes them.

mod args;
mod images;
mod measure;
mod peer;

use crate::files::temporary_folder;
use crate::report::BenchReport;
pub(crate) use args::ExrBenchArgs;
use images::ImageClass;
use measure::{ExrBench, ExrCase, ExrJob};
use peer::{Peer, PeerStorage};
use solio::image::Compression;
use solio::{Error, Result};
use solio_cli::{Outcome, options, screen};
use std::process::Command;

/// Methods that are also measured from file to file and on all cores, on the first class.
const COMMON: [Compression; 4] =
    [Compression::None, Compression::Zip, Compression::Piz, Compression::Zstd];

/// `solio-bench exr`
pub(crate) fn run(args: &ExrBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let folder = temporary_folder()?;
    let loaded = args.files.iter().map(|path| ImageClass::load(path, folder.path(), &work));
    let mut classes: Vec<ImageClass> = loaded.collect::<Result<_>>()?;
    if classes.is_empty() {
        classes.push(ImageClass::made_up(folder.path(), &work)?);
    }
    let mut peers = start_peers(args);
    let seconds = if args.quick { 0.05 } else { 0.4 };
    let folder = folder.path();
    let bytes = Vec::new();
    let mut bench = ExrBench { folder, seconds, work: &work, bytes, fresh: false };
    let mut report = BenchReport::new(args.json);
    for (i, class) in classes.iter().enumerate() {
        for (j, peer) in peers.iter_mut().enumerate() {
            // The first peer is measured on every class, the others on the first.
            if (i == 0 || j == 0) && load(class, peer) {
                with_peer(&mut bench, args, class, peer, (i == 0, j == 0), &mut report)?;
            }
        }
    }
    alone(&mut bench, args, &classes[0], &mut report)?;
    Ok(report.end("MB of pixels."))
}

/// All peers that are there; says which are not.
fn start_peers(args: &ExrBenchArgs) -> Vec<Peer> {
    let mut peers = Vec::new();
    let mut add = |name: &str, started: Result<Peer>| match started {
        Ok(peer) => peers.push(peer),
        Err(e) => screen::say(&format!("{name}: skipped ({})", e.message())),
    };
    for (name, program) in &args.peers {
        let words: Vec<&str> = program.split_whitespace().collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        add(name, Peer::start(name, Command::new(program).args(arguments)));
    }
    for (name, started) in Peer::of_python(&args.python) {
        add(name, started);
    }
    peers
}

/// Gives the peer the images of a class; says so where it cannot take them.
fn load(class: &ImageClass, peer: &mut Peer) -> bool {
    let mut give = || -> Result<()> {
        peer.forget()?;
        for plain in &class.images {
            if peer.image(&plain.path)? != plain.sum {
                return Err(Error::unsupported("it sees other pixels").at_path(&plain.path));
            }
        }
        Ok(())
    };
    let given = give();
    if let Err(e) = &given {
        screen::say(&format!("{}, {}: skipped ({e})", peer.name, class.name));
    }
    given.is_ok()
}

/// All comparisons with a peer on a class of images.
fn with_peer(
    bench: &mut ExrBench<'_>,
    args: &ExrBenchArgs,
    class: &ImageClass,
    peer: &mut Peer,
    (first_class, first_peer): (bool, bool),
    report: &mut BenchReport,
) -> Result<()> {
    let all = bench.work.threads;
    let known = peer.methods.clone();
    for method in methods(args).filter(|method| known.iter().any(|m| m == method.name())) {
        let mut cases = Vec::new();
        let mut add = |jobs: &[ExrJob], place, threads| {
            cases.extend(jobs.iter().map(|&job| ExrCase { job, method, place, threads }));
        };
        let common = COMMON.contains(&method);
        if peer.in_memory {
            add(&[ExrJob::Write, ExrJob::Read], PeerStorage::Memory, 1);
            if first_peer && matches!(method, Compression::Zip | Compression::Zstd) {
                add(&[ExrJob::ReadOurs], PeerStorage::Memory, 1);
            }
            if first_peer && method == Compression::Zip {
                add(&[ExrJob::Rows], PeerStorage::Memory, 1);
            }
            if first_class && first_peer && common && all > 1 {
                add(&[ExrJob::Write, ExrJob::Read], PeerStorage::Memory, all);
            }
        }
        if common && first_class && (first_peer || !peer.in_memory) {
            add(&[ExrJob::Write, ExrJob::Read], PeerStorage::File, 1);
        }
        for case in cases {
            match bench.compare(&case, class, peer) {
                Ok(row) => report.add(row),
                Err(e) if e.kind() == solio::ErrorKind::Unsupported => {
                    let work = case.name(&class.name);
                    screen::say(&format!("{work}, against {}: skipped ({e})", peer.name));
                    break;
                }
                Err(e) => return Err(e),
            }
        }
    }
    Ok(())
}

/// What needs no peer: row by row against whole, and no method against the machine.
fn alone(
    bench: &mut ExrBench<'_>,
    args: &ExrBenchArgs,
    class: &ImageClass,
    report: &mut BenchReport,
) -> Result<()> {
    let place = PeerStorage::Memory;
    for method in methods(args).filter(|method| COMMON.contains(method)) {
        let case = ExrCase { job: ExrJob::Rows, method, place, threads: 1 };
        report.add(bench.rows_against_whole(&case, class)?);
    }
    for place in [PeerStorage::Memory, PeerStorage::File] {
        for job in [ExrJob::Write, ExrJob::Read] {
            let case = ExrCase { job, method: Compression::None, place, threads: 1 };
            report.add(bench.against_machine(&case, class)?);
        }
    }
    Ok(())
}

/// The methods to measure.
fn methods(args: &ExrBenchArgs) -> impl Iterator<Item = Compression> {
    let wanted = |method: &Compression| {
        args.methods.is_empty() || args.methods.iter().any(|name| name == method.name())
    };
    Compression::ALL.into_iter().filter(wanted)
}
