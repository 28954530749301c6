//! `solio hash`: digests of files, lists of them checked, histories of folders.

use crate::args::HashArgs;
use crate::progress::ShownProgress;
use crate::stats::ReadMeter;
use crate::table::{BAD, GOOD, bytes, count};
use crate::{Outcome, inputs, json_paths, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::catalog::mhl;
use solio::catalog::sums::{SumStyle, encode_sum, name_in_line};
use solio::digest::{Algorithm, Digest};
use solio::names::OsStrBytes;
use solio::{
    Error, ErrorKind, FileState, Filter, Finding, HashJob, Hashed, MhlOptions, Result, Work,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sums up, records or checks all inputs, goes on past bad ones.
pub(crate) fn run(args: &HashArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let filter = args.filter.filter()?;
    let mut inputs = inputs::files(&args.inputs, &work)?;
    if !args.mhl && !args.verify {
        inputs = inputs::wanted(inputs, &filter);
    }
    check_options(args, &inputs)?;
    let shown = ShownProgress::start(args.run.shown.progress, "hash", &work.progress);
    let reading = ReadMeter::start(&inputs, args.run.shown.stats, &work);
    let mut run = HashRun {
        args,
        filter: &filter,
        work: &work,
        files: 0,
        bytes: 0,
        bad: 0,
        has_history: false,
    };
    let done = match (args.mhl, args.verify) {
        (true, _) => inputs.iter().try_for_each(|path| run.record(path)),
        (_, true) => inputs.iter().try_for_each(|path| run.verify(path)),
        _ => run.sum(&inputs),
    };
    drop(shown);
    done?;
    let (files, bad, read) = (run.files, run.bad, run.bytes);
    if args.run.shown.stats {
        reading.say(files, read);
        inputs::say_left_out(&filter);
    }
    if files == 0 && bad == 0 && !run.has_history {
        return Ok(inputs::none_found());
    }
    Ok(if bad > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

/// That the options say something about these inputs.
fn check_options(args: &HashArgs, inputs: &[PathBuf]) -> Result<()> {
    let refuse = |option: &str, hint: &str| {
        Err(Error::argument(format!("{option} does nothing here")).hint(hint.to_owned()))
    };
    // What is not there is told as such.
    let are_lists = || inputs.iter().all(|path| path.is_file());
    let are_folders = || !inputs.is_empty() && inputs.iter().all(|path| path.is_dir());
    let has_history = args.mhl || args.verify;
    if has_history && let Some(option) = args.filter.beside_exclude() {
        return refuse(option, "a history has all files but those that --exclude leaves out");
    }
    if args.verify && !args.filter.exclude.is_empty() && are_lists() {
        return refuse("--exclude", "the list says which files are checked");
    }
    if args.quiet && !(args.mhl || args.verify) {
        return refuse("--quiet", "it is of --mhl and --verify");
    }
    if args.verify && !args.algorithm.is_empty() && are_folders() {
        return refuse("--algorithm", "a history says how its files were hashed");
    }
    if args.verify && args.algorithm.len() > 1 {
        return refuse("a second --algorithm", "a list without tags is of one");
    }
    Ok(())
}

struct HashRun<'a> {
    args: &'a HashArgs,
    filter: &'a Filter,
    work: &'a Work,
    files: u64,
    bytes: u64,
    /// Files and inputs with which something is wrong.
    bad: u64,
    /// A history was written or checked: be it that of an empty folder.
    has_history: bool,
}

impl HashRun<'_> {
    /// A line for each file at and below `inputs`.
    fn sum(&mut self, inputs: &[PathBuf]) -> Result<()> {
        let (files, failed) = solio::files_below(inputs, self.filter, self.work)?;
        for error in failed {
            self.bad += 1;
            screen::fail_at_its_path(&error, self.args.run.json);
        }
        let mut algorithms = self.args.algorithm.clone();
        if algorithms.is_empty() {
            algorithms.push(Algorithm::Xxh128);
        }
        let several = algorithms.len() > 1 || self.args.tag;
        let style = if several { SumStyle::Tagged } else { SumStyle::Plain };
        let algorithms: Arc<[Algorithm]> = algorithms.into();
        let job = |path| HashJob { path, algorithms: algorithms.clone() };
        let jobs: Vec<HashJob> = files.into_iter().map(job).collect();
        solio::hash_files(&jobs, self.args.order, self.work, |index, result| {
            let path = &jobs[index].path;
            match result {
                Ok(hashed) => self.tell_sums(path, &hashed, style),
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => self.fail(path, error),
            }
            Ok(!screen::is_closed())
        })
    }

    fn tell_sums(&mut self, path: &Path, hashed: &Hashed, style: SumStyle) {
        self.files += 1;
        self.bytes += hashed.bytes;
        if self.args.run.json {
            let mut line = json!({ "bytes": hashed.bytes });
            for digest in &hashed.digests {
                line[digest.algorithm().name()] = digest.to_string().into();
            }
            return print_json("hash/1", path, line);
        }
        let name = path.as_os_str().as_bytes();
        let lines = hashed.digests.iter().flat_map(|digest| encode_sum(name, digest, style));
        screen::print_lines(&lines.collect::<Vec<u8>>());
    }

    /// A new generation of the history of a folder.
    fn record(&mut self, root: &Path) -> Result<()> {
        let args = self.args;
        let author =
            args.author.clone().map(|name| mhl::Author { name: Some(name), ..Default::default() });
        let options = MhlOptions {
            algorithms: args.algorithm.clone(),
            ignore: args.filter.exclude.clone(),
            creator: mhl::Creator {
                authors: author.into_iter().collect(),
                location: args.location.clone(),
                comment: args.comment.clone(),
                ..mhl::Creator::default()
            },
            order: args.order,
        };
        let created = match solio::create_mhl(root, &options, self.work) {
            Ok(created) => created,
            Err(error) => return self.pass_by(root, error),
        };
        self.has_history = true;
        self.files += created.files;
        self.bytes += created.bytes;
        let problems = created.problems.len();
        created.problems.into_iter().for_each(|finding| self.tell(finding));
        if args.run.json {
            let mut line = json!({
                "generation": created.generation,
                "files": created.files,
                "bytes": created.bytes,
                "original": created.original,
                "verified": created.verified,
                "problems": problems,
            });
            json_paths::put_all(&mut line, "manifests", &created.manifests);
            print_json("hash-mhl/1", root, line);
        } else if !args.quiet {
            let manifest = created.manifests.last().map_or(String::new(), |m| terminal::name(m));
            let (files, size) = (count(created.files), bytes(created.bytes));
            let (new, same) = (count(created.original), count(created.verified));
            screen::print(&format!(
                "{manifest}: generation {}, {files} files, {size}: {new} new, {same} verified\n",
                created.generation,
            ));
        }
        Ok(())
    }

    /// A list, or a folder with a history.
    fn verify(&mut self, path: &Path) -> Result<()> {
        let (args, work) = (self.args, self.work);
        let is_folder = path.is_dir();
        let mut each = |finding| {
            self.files += 1;
            self.tell(finding);
            Ok(!screen::is_closed())
        };
        let read = if is_folder {
            solio::verify_mhl(path, &args.filter.exclude, args.order, work, &mut each)
        } else {
            let by = args.algorithm.first().copied();
            solio::verify_sums(path, by, args.order, work, &mut each)
        };
        match read {
            Ok(bytes) => {
                self.has_history |= is_folder;
                self.bytes += bytes;
            }
            Err(error) => return self.pass_by(path, error),
        }
        Ok(())
    }

    /// What became of a file.
    fn tell(&mut self, finding: Finding) {
        let fine = finding.is_fine();
        self.bad += u64::from(!fine);
        if self.args.quiet && fine {
            return;
        }
        let path = &finding.path;
        if self.args.run.json {
            return print_json("hash-verify/1", path, state_json(&finding.state));
        }
        let words = match &finding.state {
            FileState::Same { .. } => format!("{GOOD}OK{GOOD:#}"),
            FileState::Changed { recorded, found } => {
                let name = recorded.algorithm().name();
                format!("{BAD}FAILED{BAD:#} ({name} was {recorded}, is {found})")
            }
            FileState::Missing => format!("{BAD}MISSING{BAD:#}"),
            FileState::New => format!("{BAD}NEW{BAD:#}"),
            FileState::Failed(error) => {
                screen::complain_of(error);
                format!("{BAD}FAILED{BAD:#} to read")
            }
        };
        let mut line = name_in_line(path.as_os_str().as_bytes());
        line.extend_from_slice(screen::coloured(&format!(": {words}\n")).as_bytes());
        screen::print_lines(&line);
    }

    /// An input that is of no use; interrupted is all of them.
    fn pass_by(&mut self, path: &Path, error: Error) -> Result<()> {
        if matches!(error.kind(), ErrorKind::Cancelled) {
            return Err(error);
        }
        self.fail(path, error);
        Ok(())
    }

    fn fail(&mut self, path: &Path, error: Error) {
        self.bad += 1;
        screen::fail(path, error, self.args.run.json);
    }
}

fn state_json(state: &FileState) -> Value {
    let text = |digest: &Digest| Value::from(digest.to_string());
    match state {
        FileState::Same { digest } => {
            json!({ "state": "same", "algorithm": digest.algorithm().name(), "digest": text(digest) })
        }
        FileState::Changed { recorded, found } => json!({
            "state": "changed",
            "algorithm": recorded.algorithm().name(),
            "recorded": text(recorded),
            "found": text(found),
        }),
        FileState::Missing => json!({ "state": "missing" }),
        FileState::New => json!({ "state": "new" }),
        FileState::Failed(error) => {
            json!({ "state": "failed", "error": screen::error_json(error) })
        }
    }
}

/// A line about `path`.
fn print_json(schema: &str, path: &Path, rest: Value) {
    screen::print(&schema::line(schema, &[("path", path)], rest));
}
