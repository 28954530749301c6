//! `solio-bench photo`: three dates, and everything, of many files, beside what else reads them.
//!
//! Every way is a command that gets the same list, is measured from its start to its end, and
//! throws away what it prints; its answers are looked at once. The slow ways take fewer turns.

mod args;
mod files;
mod run;

use crate::program;
use crate::report::BenchReport;
use crate::turns::{BenchTurns, PEER};
pub(crate) use args::PhotoBenchArgs;
use files::PhotoFiles;
use run::PhotoReader;
use serde_json::json;
use solio::{Result, Work};
use solio_cli::table::bytes;
use solio_cli::{Outcome, options, screen};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const DATES: [&str; 3] = ["DateTimeOriginal", "CreateDate", "ModifyDate"];
const HEAD_BYTES: usize = 64 << 10;

/// `solio-bench photo`
pub(crate) fn run(args: &PhotoBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if let Some(list) = &args.floor {
        return floor(list, &work);
    }
    let count = args.count.unwrap_or(1000) as usize;
    let Some(files) = PhotoFiles::mixed(&args.files, count, &work)? else {
        screen::complain("there are no photos to read: name some, or a folder of them");
        return Ok(Outcome::NothingMatched);
    };
    let mut report = BenchReport::new(args.json);
    dates(args, &files, &mut report)?;
    let ours = ours(&files, args, &[])?;
    let exiftool = batch(&files, args, &["-G1", "-a"]);
    compare("all tags", &ours, &[], exiftool.as_ref(), args, &files, &mut report)?;
    let (count, different) = (files.paths.len(), files.different);
    let all = bytes(files.bytes);
    Ok(report.end(&format!(
        "\n{count} files ({different} different, {all}), in the page cache; whole commands."
    )))
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
fn dates(args: &PhotoBenchArgs, files: &PhotoFiles, report: &mut BenchReport) -> Result<()> {
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
    compare("three dates", &ours, &quick, exiftool.as_ref(), args, files, report)
}

/// Measures ours beside each of the others.
fn compare(
    case: &str,
    ours: &PhotoReader,
    quick: &[PhotoReader],
    slow: Option<&PhotoReader>,
    args: &PhotoBenchArgs,
    files: &PhotoFiles,
    report: &mut BenchReport,
) -> Result<()> {
    let (often, seldom) = if args.quick { (5, 1) } else { (21, 3) };
    let ways = quick.iter().map(|way| (way, often)).chain(slow.map(|way| (way, seldom)));
    let mine = answer(&ours.output()?);
    let count = files.paths.len();
    for (way, rounds) in ways {
        let mut read = [None; 2];
        let turns = BenchTurns::run(rounds..=rounds, 0.0, 1, |_, side| {
            let took = if side == PEER { way.run()? } else { ours.run()? };
            read[side & 1] = read[side & 1].max(took.read_bytes);
            Ok(took.usage)
        })?;
        let say = |read: Option<u64>| read.map_or("?".into(), bytes);
        let (theirs, ours) = (answer(&way.output()?), say(read[0]));
        let more = json!({
            "files": count,
            "different_files": files.different,
            "file_bytes": files.bytes,
            "ours_read_bytes": read[0],
            "peer_read_bytes": read[1],
            "answer": format!(
                "Solio {mine}, {ours} read; {} {theirs}, {} read", way.name, say(read[1])
            ),
        });
        report.add(turns.row(&format!("{case} of {count} photos"), &way.name, more));
    }
    Ok(())
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
