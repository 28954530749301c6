//! `solio-bench exr`: images, by every method, against what else reads and writes them.

mod args;
mod images;
mod measure;
mod peer;

pub(crate) use args::ExrBenchArgs;
use images::ImageClass;
use measure::{ExrBench, ExrCase, ExrJob, ExrLine};
use peer::{Peer, PeerStorage};
use serde_json::{Value, json};
use solio::image::Compression;
use solio::{Error, Result};
use solio_cli::table::{BOLD, DIM, TextTable};
use solio_cli::{Outcome, options, schema, screen};
use std::process::Command;

/// Methods that are also measured from file to file and on all cores, on the first class.
const COMMON: [Compression; 4] =
    [Compression::None, Compression::Zip, Compression::Piz, Compression::Zstd];

/// `solio-bench exr`
pub(crate) fn run(args: &ExrBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let folder = tempfile::Builder::new().prefix("solio-bench-").tempdir();
    let folder = folder.map_err(|e| Error::io("make a temporary folder", e))?;
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
    let mut lines = Vec::new();
    let mut done = |line: ExrLine| {
        if args.json {
            screen::print(&schema::line("bench/1", &[], line_json(&line)));
        } else {
            screen::say(&format!("measured: {}, against {}", line.work, line.peer));
        }
        lines.push(line);
    };
    for (i, class) in classes.iter().enumerate() {
        for (j, peer) in peers.iter_mut().enumerate() {
            // The first peer is measured on every class, the others on the first.
            if (i == 0 || j == 0) && load(class, peer) {
                with_peer(&mut bench, args, class, peer, (i == 0, j == 0), &mut done)?;
            }
        }
    }
    alone(&mut bench, args, &classes[0], &mut done)?;
    if !args.json {
        screen::print(&table(&lines));
    }
    Ok(Outcome::Done)
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
    done: &mut impl FnMut(ExrLine),
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
                Ok(line) => done(line),
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
    done: &mut impl FnMut(ExrLine),
) -> Result<()> {
    let place = PeerStorage::Memory;
    for method in methods(args).filter(|method| COMMON.contains(method)) {
        let case = ExrCase { job: ExrJob::Rows, method, place, threads: 1 };
        done(bench.rows_against_whole(&case, class)?);
    }
    for place in [PeerStorage::Memory, PeerStorage::File] {
        for job in [ExrJob::Write, ExrJob::Read] {
            let case = ExrCase { job, method: Compression::None, place, threads: 1 };
            done(bench.against_machine(&case, class)?);
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

fn line_json(line: &ExrLine) -> Value {
    let (ours, theirs) = line.file_bytes.unzip();
    json!({
        "case": line.work,
        "peer": line.peer,
        "peer_version": line.peer_version,
        "rounds": line.rounds,
        "raw_bytes": line.raw_bytes,
        "ours_bytes": ours,
        "peer_bytes": theirs,
        "ratio_bytes": line.file_bytes.map(|(ours, theirs)| ours as f64 / theirs as f64),
        "wall_s": line.ours.wall_s,
        "cpu_s": line.ours.cpu_s,
        "peer_wall_s": line.theirs.wall_s,
        "peer_cpu_s": line.theirs.cpu_s,
        "ratio_wall": line.ratio_wall.json(),
        "ratio_cpu": line.ratio_cpu.json(),
        "same_cpu": line.same_cpu.json(),
        "quiet": line.same_cpu.is_quiet(),
        "answer": line.answer,
    })
}

fn table(lines: &[ExrLine]) -> String {
    let mut text = String::new();
    let mut peers: Vec<&str> = Vec::new();
    for line in lines {
        if !peers.contains(&line.peer.as_str()) {
            peers.push(&line.peer);
        }
    }
    for peer in peers {
        let of_peer: Vec<&ExrLine> = lines.iter().filter(|line| line.peer == peer).collect();
        let version = &of_peer[0].peer_version;
        let mut table =
            TextTable::new(&["work", ">MB/s", ">peer", ">× as fast", ">interval", ">size", ">A/A"]);
        for line in of_peer {
            let rate = |cpu_s: f64| format!("{:.0}", line.raw_bytes as f64 / cpu_s * 1e-6);
            let size = |(ours, theirs): (u64, u64)| format!("{:.3}", ours as f64 / theirs as f64);
            let times = |ratio: f64| format!("{:.2}", 1.0 / ratio);
            let [ours, theirs] = [line.ours, line.theirs].map(|usage| rate(line.seconds(usage)));
            let ratio = line.ratio();
            table.row(vec![
                line.work.trim_start_matches("EXR ").into(),
                ours,
                theirs,
                times(ratio.median),
                format!("{}–{}", times(ratio.high), times(ratio.low)),
                line.file_bytes.map_or("".into(), size),
                format!("{:.2}", line.same_cpu.median),
            ]);
        }
        text += &format!("{BOLD}against {peer} {version}{BOLD:#}\n{}\n", table.render());
    }
    let note = "MB of pixels a CPU second on one core, a wall second on all. size: our files over \
                the peer's. A/A leaves 0.97–1.03: too noisy.";
    format!("{text}{DIM}{note}{DIM:#}\n")
}
