//! `solio check`: whether files are whole, and their names sound.

use crate::args::CheckArgs;
use crate::junit::{self, JunitCase};
use crate::stats::RunMeter;
use crate::table::{BAD, DIM, GOOD, TextTable, count};
use crate::{Outcome, inputs, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::image::{CheckOptions, Problem};
use solio::{Error, ErrorKind, FileCheck, Filter, Odd, Result, Work, each_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the names in a folder are told as, and the frames of a sequence.
const FOLDER: &str = "folder";
const SEQUENCE: &str = "sequence";

/// Checks every input, goes on past bad ones.
pub(crate) fn run(args: &CheckArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let filter = args.filter.filter()?;
    let named = inputs::collect(&args.inputs, &work)?;
    if named.is_empty() {
        return Ok(inputs::none_named());
    }
    let named: Vec<_> =
        named.into_iter().map(|path| (path.clone(), inputs::frames(path))).collect();
    let wanted = |(path, files)| (path, inputs::wanted(files, &filter));
    let named: Vec<(PathBuf, Vec<PathBuf>)> = named.into_iter().map(wanted).collect();
    let inputs: Vec<PathBuf> = named.iter().flat_map(|(_, files)| files.clone()).collect();
    let seen = RunMeter::start(&args.run.shown, "check", &inputs, &work);
    let mut report = CheckReport {
        args,
        below: false,
        bad_files: 0,
        bad_folders: 0,
        bad_sequences: 0,
        kinds: BTreeMap::new(),
        cases: Vec::new(),
    };
    for (path, files) in &named {
        // Where a pattern has a range, a file that is missing cannot be opened.
        let has_range = || inputs::pattern(path).is_some_and(|it| it.name().range.is_some());
        if files[..] != *std::slice::from_ref(path) && !has_range() {
            report.take(path, Ok(solio::check_frames(files)))?;
        }
    }
    look(args, &filter, inputs, &mut report, &work)?;
    let files = report.files();
    let outcome = report.finish();
    seen.end(files);
    if args.run.shown.stats {
        inputs::say_left_out(&filter);
    }
    outcome
}

fn look(
    args: &CheckArgs,
    filter: &Filter,
    inputs: Vec<PathBuf>,
    report: &mut CheckReport<'_>,
    work: &Work,
) -> Result<()> {
    let (folders, files): (Vec<_>, Vec<_>) = inputs.into_iter().partition(|path| path.is_dir());
    let wanted = CheckOptions { decode: args.deep, ..CheckOptions::default() };
    let together = !args.deep;
    let named = |path: &PathBuf, work: &Work| solio::check_file(path, &wanted, work);
    each_file(&files, work, together, named, |path, result| report.take(path, result))?;
    if folders.is_empty() {
        return Ok(());
    }
    report.below = true;
    let solio::Found { files, folders, failed } = solio::find_files(&folders, filter, work)?;
    for error in failed {
        let path = error.path().unwrap_or(Path::new("")).to_owned();
        report.take(&path, Err(error))?;
    }
    for (path, check) in folders {
        report.take(&path, Ok(check))?;
    }
    let found = |path: &PathBuf, work: &Work| solio::check_found(path, &wanted, work);
    each_file(&files, work, together, found, |path, result| report.take(path, result))
}

/// What has been found so far.
struct CheckReport<'a> {
    args: &'a CheckArgs,
    /// What comes was found in folders: what is fine there is only counted.
    below: bool,
    /// Files with problems.
    bad_files: u64,
    /// Folders with names that have problems.
    bad_folders: u64,
    /// Sequences with frames that are missing.
    bad_sequences: u64,
    /// Files and problems of each kind; folders are one, sequences another.
    kinds: BTreeMap<&'static str, (u64, u64)>,
    cases: Vec<JunitCase>,
}

impl CheckReport<'_> {
    /// Tells of a file; `false` when nobody listens any more.
    fn take(&mut self, path: &Path, result: Result<FileCheck>) -> Result<bool> {
        match result {
            Ok(mut check) => {
                check.odd.retain(|odd| !self.args.ignore.contains(&odd.rule));
                let (files, problems) = self.kinds.entry(check.format).or_default();
                *files += 1;
                *problems += check.problem_count() as u64;
                match check.format {
                    FOLDER => self.bad_folders += u64::from(!check.is_fine()),
                    SEQUENCE => self.bad_sequences += u64::from(!check.is_fine()),
                    _ => self.bad_files += u64::from(!check.is_fine()),
                }
                self.tell(path, &check);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                self.bad_files += 1;
                let (files, problems) = self.kinds.entry("unreadable").or_default();
                (*files, *problems) = (*files + 1, *problems + 1);
                self.tell_error(path, error);
            }
        }
        // A report is of all files, whoever has stopped to read the lines.
        Ok(!screen::is_closed() || self.args.junit.is_some())
    }

    fn tell(&mut self, path: &Path, check: &FileCheck) {
        if self.args.junit.is_some() {
            let failure = lines(check).join("\n");
            self.case(path, check.format, failure, false);
        }
        if self.args.run.json {
            screen::print(&schema::line("check/1", &[("path", path)], to_json(check)));
        } else if !check.is_fine() || !self.below || self.args.verbose {
            tell(self.args, path, check);
        }
    }

    fn tell_error(&mut self, path: &Path, error: Error) {
        let error = error.at_path(path);
        if self.args.junit.is_some() {
            self.case(path, "unreadable", error.to_string(), true);
        }
        if self.args.run.json {
            screen::print(&screen::failure(path, &error));
        }
        screen::complain_of(&error);
    }

    fn case(&mut self, path: &Path, class: &str, failure: String, error: bool) {
        let name = path.to_string_lossy().into_owned();
        self.cases.push(JunitCase { class: class.to_owned(), name, failure, error });
    }

    fn count(&self, kind: &str) -> u64 {
        self.kinds.get(kind).map_or(0, |(count, _)| *count)
    }

    fn files(&self) -> u64 {
        let all: u64 = self.kinds.values().map(|(files, _)| files).sum();
        all - self.count(FOLDER) - self.count(SEQUENCE)
    }

    /// Sums up.
    fn finish(self) -> Result<Outcome> {
        let (files, folders) = (self.files(), self.count(FOLDER));
        let sequences = self.count(SEQUENCE);
        if self.below && !self.args.run.json {
            screen::print(&table(&self.kinds));
        }
        let mut problems = Vec::new();
        if self.bad_files > 0 {
            let is_or_are = if self.bad_files == 1 { "is" } else { "are" };
            problems.push(format!(
                "{} of {files} files {is_or_are} damaged or unreadable",
                self.bad_files
            ));
        }
        if self.bad_folders > 0 {
            problems.push(format!("naming problems in {} of {folders} folders", self.bad_folders));
        }
        if self.bad_sequences > 0 {
            let bad = self.bad_sequences;
            problems.push(format!("frames of {bad} of {sequences} sequences are missing"));
        }
        if !problems.is_empty() && files + folders > 1 {
            screen::complain(&problems.join("; "));
        }
        if let Some(path) = &self.args.junit {
            let failed = |e| Error::io("write the report", e).at_path(path);
            solio::write_bytes(path, &junit::report(&self.cases).map_err(failed)?)?;
        }
        if files == 0 && problems.is_empty() {
            return Ok(inputs::none_found());
        }
        Ok(if problems.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
    }
}

/// How many files of each kind there are, and problems.
fn table(kinds: &BTreeMap<&'static str, (u64, u64)>) -> String {
    let mut table = TextTable::new(&["kind", ">files", ">problems"]);
    for (kind, (files, problems)) in kinds {
        let problems = if *problems == 0 { "–".into() } else { count(*problems) };
        table.row(vec![(*kind).to_owned(), count(*files), problems]);
    }
    table.render()
}

fn tell(args: &CheckArgs, path: &Path, found: &FileCheck) {
    let path = terminal::name(path);
    let mut text = match (found.problem_count(), found.found.as_str()) {
        (0, _) if args.quiet && found.notes.is_empty() => return,
        (0, "") => format!("{path}: {GOOD}ok{GOOD:#} {DIM}({}){DIM:#}\n", found.format),
        (0, what) => format!("{path}: {GOOD}ok{GOOD:#} {DIM}({}, {what}){DIM:#}\n", found.format),
        (1, _) => format!("{path}: {BAD}1 problem{BAD:#}\n"),
        (count, _) => format!("{path}: {BAD}{count} problems{BAD:#}\n"),
    };
    for line in lines(found) {
        text += &format!("  {}\n", line.replace('\n', "\n  "));
    }
    for note in &found.notes {
        text += &format!("  note: {note}\n");
    }
    screen::print(&text);
}

/// All problems in words.
fn lines(found: &FileCheck) -> Vec<String> {
    let problems = found.problems.iter().map(|problem| words(problem, found.format));
    let text = found.text_problems.iter().map(ToString::to_string);
    problems.chain(text).chain(found.odd.iter().map(ToString::to_string)).collect()
}

/// `byte 8000: part 0, chunks 3 to 5: not in the chunk table`.
fn words(problem: &Problem, format: &str) -> String {
    let mut text = problem.offset.map_or(String::new(), |offset| format!("byte {offset}: "));
    if let Some(part) = problem.part.filter(|_| format == "exr") {
        text += &format!("part {part}");
        match &problem.chunks {
            Some(chunks) if chunks.end - chunks.start == 1 => {
                text += &format!(", chunk {}: ", chunks.start);
            }
            Some(chunks) => text += &format!(", chunks {} to {}: ", chunks.start, chunks.end - 1),
            None => text += ": ",
        }
    }
    text + &problem.message
}

fn to_json(found: &FileCheck) -> Value {
    let problem = |problem: &Problem| {
        json!({
            "kind": problem.kind.name(),
            "offset": problem.offset,
            "part": problem.part,
            "chunks": problem.chunks.as_ref().map(|chunks| [chunks.start, chunks.end]),
            "message": problem.message,
        })
    };
    let odd = |odd: &Odd| json!({ "kind": odd.rule.name(), "message": odd.message });
    let problems = found.problems.iter().map(problem);
    let problems = problems.chain(found.text_problems.iter().map(screen::error_json));
    let problems: Vec<Value> = problems.chain(found.odd.iter().map(odd)).collect();
    json!({
        "format": found.format,
        "found": found.found,
        "ok": found.is_fine(),
        "problems": problems,
        "notes": found.notes,
    })
}
