//! `solio-bench photo`: three dates, and everything, of many files, beside what else reads them.
//!
//! Every way is a command that gets the same list, is measured from its start to its end, and
//! throws away what it prints; before that, its answers were looked at once. The slow ways run in
//! some of the rounds only.

mod args;
mod files;
mod modes;
mod run;

use crate::program;
use crate::stats::{Ratio, median};
pub(crate) use args::PhotoBenchArgs;
use files::PhotoFiles;
use run::{PhotoReader, ReaderResult};
use serde_json::{Value, json};
use solio::{Result, Work};
use solio_cli::table::{DIM, TextTable, bytes};
use solio_cli::{Outcome, options, schema, screen};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const DATES: [&str; 3] = ["DateTimeOriginal", "CreateDate", "ModifyDate"];
const HEAD_BYTES: usize = 64 << 10;

/// Ours beside one peer.
struct PhotoLine {
    case: &'static str,
    peer: String,
    rounds: usize,
    ours: ReaderResult,
    theirs: ReaderResult,
    /// Theirs over ours.
    wall: Ratio,
    cpu: Ratio,
    /// Ours again over ours.
    same: Ratio,
    answer: String,
}

/// `solio-bench photo`
pub(crate) fn run(args: &PhotoBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if let Some(list) = &args.floor {
        return floor(list, &work);
    }
    let count = args.count.unwrap_or(if args.exiftool_modes { 100 } else { 1000 }) as usize;
    let Some(files) = PhotoFiles::mixed(&args.files, count, &work)? else {
        screen::complain("there are no photos to read: name some, or a folder of them");
        return Ok(Outcome::NothingMatched);
    };
    if args.exiftool_modes {
        return modes::run(args, &files, &work);
    }
    let mut lines = dates(args, &files)?;
    lines.extend(everything(args, &files)?);
    if args.json {
        lines.iter().for_each(|line| {
            screen::print(&schema::line("bench/1", &[], line_json(line, &files)));
        });
    } else {
        screen::print(&table(&lines, &files));
    }
    Ok(Outcome::Done)
}

/// `solio meta` with `options` over the list.
fn ours(files: &PhotoFiles, args: &PhotoBenchArgs, options: &[&str]) -> Result<PhotoReader> {
    let mut words: Vec<OsString> = vec!["meta".into(), "--jsonl".into(), "--files-from".into()];
    words.push(files.list.clone().into());
    words.extend(options.iter().map(OsString::from));
    words.extend(jobs(args));
    Ok(PhotoReader::new("Solio", program::solio(), words))
}

fn jobs(args: &PhotoBenchArgs) -> Vec<OsString> {
    args.work.jobs.iter().flat_map(|jobs| ["-j".into(), jobs.to_string().into()]).collect()
}

/// ExifTool in one run over the list; `None` where it is not there.
fn batch(files: &PhotoFiles, args: &PhotoBenchArgs, options: &[&str]) -> Option<PhotoReader> {
    let program = args.program();
    let version = std::process::Command::new(&program).arg("-ver").output().ok();
    let Some(version) = version.filter(|output| output.status.success()) else {
        screen::say(&format!("ExifTool: skipped ({} does not run)", program.display()));
        return None;
    };
    let name = format!("ExifTool {} batch", String::from_utf8_lossy(&version.stdout).trim());
    let words = [&["-j"], options, &["-@"]].concat();
    let words = words.into_iter().map(OsString::from).chain([files.list.clone().into()]);
    Some(PhotoReader::new(name, program, words))
}

/// Three dates of each file.
fn dates(args: &PhotoBenchArgs, files: &PhotoFiles) -> Result<Vec<PhotoLine>> {
    let ours = ours(files, args, &["-f", &DATES.join(",")])?;
    let tags = DATES.map(|name| format!("-{name}"));
    let exiftool = batch(files, args, &tags.each_ref().map(String::as_str));
    let mut quick = Vec::new();
    for (name, command) in &args.peers {
        let mut words = command.split_whitespace().map(OsString::from);
        let Some(program) = words.next() else { continue };
        let words: Vec<OsString> = words.chain([files.list.clone().into()]).collect();
        quick.push(PhotoReader::new(name.clone(), program, words));
    }
    let mut words: Vec<OsString> = ["photo", "--floor"].map(OsString::from).into();
    words.push(files.list.clone().into());
    words.extend(jobs(args));
    quick.push(PhotoReader::new("open and read 64 KiB", program::own(), words));
    compare("three dates", &ours, &quick, exiftool.as_ref(), args)
}

/// All tags of each file.
fn everything(args: &PhotoBenchArgs, files: &PhotoFiles) -> Result<Vec<PhotoLine>> {
    let ours = ours(files, args, &[])?;
    let exiftool = batch(files, args, &["-G1", "-a"]);
    compare("all tags", &ours, &[], exiftool.as_ref(), args)
}

/// Measures ours beside all others: round by round, each in turn, ours again at the end.
fn compare(
    case: &'static str,
    ours: &PhotoReader,
    quick: &[PhotoReader],
    slow: Option<&PhotoReader>,
    args: &PhotoBenchArgs,
) -> Result<Vec<PhotoLine>> {
    let (rounds, each) = if args.quick { (5, 5) } else { (21, 7) };
    let mut taken: Vec<[Vec<ReaderResult>; 2]> = Vec::new();
    taken.resize_with(quick.len() + 1, Default::default);
    let (mut first, mut again) = (Vec::new(), Vec::new());
    ours.run()?;
    for round in 0..rounds {
        let mine = ours.run()?;
        let theirs: Vec<ReaderResult> =
            quick.iter().map(PhotoReader::run).collect::<Result<_>>()?;
        first.push(mine.usage.wall_s);
        again.push(ours.run()?.usage.wall_s);
        for (taken, theirs) in taken.iter_mut().zip(theirs) {
            taken[0].push(mine);
            taken[1].push(theirs);
        }
        if let (Some(slow), 0) = (slow, (round + 1) % each) {
            // What ran before it was quick and warm; so is what it is compared with.
            let [left, right] = &mut taken[quick.len()];
            left.push(ours.run()?);
            right.push(slow.run()?);
        }
    }
    let same = Ratio::of(&again, &first);
    let ways = quick.iter().chain(slow);
    let mine = answer(&ours.output()?);
    let lines = ways.zip(&taken).map(|(way, [mine_took, theirs])| {
        let of = |took: &[ReaderResult], get: fn(&ReaderResult) -> f64| {
            took.iter().map(get).collect::<Vec<f64>>()
        };
        let wall = |took: &[ReaderResult]| of(took, |took| took.usage.wall_s);
        let cpu = |took: &[ReaderResult]| of(took, |took| took.usage.cpu_s);
        let medians = |took: &[ReaderResult]| ReaderResult {
            usage: solio::Usage { wall_s: median(&wall(took)), cpu_s: median(&cpu(took)) },
            read_bytes: took.iter().filter_map(|took| took.read_bytes).max(),
        };
        Ok(PhotoLine {
            case,
            peer: way.name.clone(),
            rounds: theirs.len(),
            ours: medians(mine_took),
            theirs: medians(theirs),
            wall: Ratio::of(&wall(theirs), &wall(mine_took)),
            cpu: Ratio::of(&cpu(theirs), &cpu(mine_took)),
            same,
            answer: format!("Solio {mine}; {} {}", way.name, answer(&way.output()?)),
        })
    });
    lines.collect()
}

/// What was found: how many values of each date, or what was printed instead.
fn answer(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let count = |name: &str| {
        let keys = [format!("\"{name}\":"), format!(":{name}\":")];
        // Of the tags of one name in one file each counts once.
        let files = text.split("\"SourceFile\"").skip(1);
        files.filter(|file| keys.iter().any(|key| file.contains(key))).count()
    };
    if !text.contains("SourceFile") {
        return text.lines().next().unwrap_or_default().to_owned();
    }
    let counts = DATES.map(|name| count(name).to_string());
    format!("{} of {} files", counts.join(" + "), text.matches("\"SourceFile\"").count())
}

/// Opens each file of a list and reads its first bytes, on all threads.
fn floor(list: &Path, work: &Work) -> Result<Outcome> {
    let mut names = Vec::new();
    solio_io::probe::read_plain(list, &mut names)?;
    let names = String::from_utf8_lossy(&names);
    let paths: Vec<&Path> = names.lines().map(Path::new).collect();
    let (next, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..work.threads {
            scope.spawn(|| {
                let mut buffer = vec![0; HEAD_BYTES];
                // Several at a time: the counter is shared.
                loop {
                    let start = next.fetch_add(16, Relaxed);
                    if start >= paths.len() {
                        break;
                    }
                    for path in &paths[start..paths.len().min(start + 16)] {
                        let got = solio_io::probe::read_head_plain(path, &mut buffer);
                        bytes.fetch_add(got.unwrap_or(0), Relaxed);
                    }
                }
            });
        }
    });
    screen::print(&format!("{} bytes of {} files\n", bytes.into_inner(), paths.len()));
    Ok(Outcome::Done)
}

fn line_json(line: &PhotoLine, files: &PhotoFiles) -> Value {
    let (ours, theirs) = (line.ours, line.theirs);
    json!({
        "case": format!("{} of {} photos", line.case, files.paths.len()),
        "peer": line.peer,
        "rounds": line.rounds,
        "files": files.paths.len(),
        "different_files": files.different,
        "file_bytes": files.bytes,
        "wall_s": ours.usage.wall_s,
        "cpu_s": ours.usage.cpu_s,
        "peer_wall_s": theirs.usage.wall_s,
        "peer_cpu_s": theirs.usage.cpu_s,
        "times_faster": line.wall.json(),
        "ratio_wall": inverse(&line.wall).json(),
        "ratio_cpu": inverse(&line.cpu).json(),
        "same_wall": line.same.json(),
        "quiet": line.same.is_quiet(),
        "ours_read_bytes": ours.read_bytes,
        "peer_read_bytes": theirs.read_bytes,
        "answer": line.answer,
    })
}

fn inverse(ratio: &Ratio) -> Ratio {
    Ratio { median: 1.0 / ratio.median, low: 1.0 / ratio.high, high: 1.0 / ratio.low }
}

fn table(lines: &[PhotoLine], files: &PhotoFiles) -> String {
    let mut table = TextTable::new(&[
        "work",
        "peer",
        ">ms",
        ">peer",
        ">× as fast",
        ">interval",
        ">× CPU",
        ">read",
        ">peer",
        ">A/A",
    ]);
    for line in lines {
        let ms = |took: ReaderResult| format!("{:.1}", took.usage.wall_s * 1e3);
        let read = |took: ReaderResult| took.read_bytes.map_or("–".into(), bytes);
        table.row(vec![
            line.case.into(),
            line.peer.clone(),
            ms(line.ours),
            ms(line.theirs),
            format!("{:.2}", line.wall.median),
            format!("{:.2}–{:.2}", line.wall.low, line.wall.high),
            format!("{:.2}", line.cpu.median),
            read(line.ours),
            read(line.theirs),
            format!("{:.2}", line.same.median),
        ]);
    }
    let answers: String =
        lines.iter().map(|line| format!("  {}: {}\n", line.case, line.answer)).collect();
    format!(
        "{}{DIM}{} files ({} different, {}), in the page cache; whole commands, medians. A/A leaves \
         0.97–1.03: too noisy.{DIM:#}\n{answers}",
        table.render(),
        files.paths.len(),
        files.different,
        bytes(files.bytes),
    )
}
