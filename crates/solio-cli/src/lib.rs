//! The command `solio`: parses arguments and prints; the work is done by the crate `solio`.
//!
//! It is a library so that the Python package can bring the command without a second copy of the
//! engine; `main.rs` is the program.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod cat;
mod check;
mod check_args;
mod compare;
mod convert;
mod demo;
mod dup;
mod dup_args;
mod given;
mod gradient;
mod gradient_args;
mod hash;
mod hash_args;
mod help;
mod image_args;
mod image_convert;
mod image_info;
mod image_pack;
mod info;
mod inputs;
mod junit;
#[cfg(feature = "lab")]
mod lab;
#[cfg(feature = "lab")]
mod lab_args;
mod light;
mod limit;
mod losses;
mod ls;
mod ls_args;
mod manual;
mod meta;
mod meta_args;
mod names;
mod options;
mod pack;
mod page;
mod preview;
mod program;
mod progress;
mod query;
mod scan;
mod scan_args;
mod scan_meter;
mod scan_shown;
mod scan_watch;
mod scene_convert;
mod scene_info;
mod scene_preview;
mod schema;
mod screen;
mod set;
mod shape;
mod sheet;
mod sheet_args;
mod stats;
mod study;
mod table;
mod usage;
mod version;

use args::{BenchCommand, Cli, Command};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use given::Given;
use solio::{Error, ErrorKind, Result};
use std::ffi::OsString;
use std::path::PathBuf;

/// How a command ended; the numbers are the exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done = 0,
    SomeFailed = 1,
    Usage = 2,
    NothingMatched = 3,
    Interrupted = 130,
}

/// Runs the command with `arguments`, the first of which is a name for messages, and returns the
/// exit code: 0 all done, 1 some inputs failed, 2 usage, 3 nothing matched, 130 interrupted.
/// `program` is what starts the same command again. Prints to the standard streams.
///
/// ```
/// let solio = |word: &str| solio_cli::run("solio".into(), ["solio".into(), word.into()]);
/// assert_eq!(solio("--version"), 0);
/// assert_eq!(solio("--no-such-option"), 2);
/// ```
pub fn run(program: PathBuf, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    program::set(program);
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut known = Cli::command();
    let matches = known.try_get_matches_from_mut(&arguments);
    let parsed = matches.and_then(|mut matches| {
        let as_json = wants_json(&matches);
        let given = Given::of(&known, &matches);
        let mut command = Cli::from_arg_matches_mut(&mut matches)?.command;
        match &mut command {
            Some(Command::Convert(args)) => args.given = given,
            Some(Command::Info(args)) => args.given = given,
            Some(Command::Preview(args)) => args.given = given,
            _ => {}
        }
        Ok((command, as_json))
    });
    let outcome = match parsed {
        Ok((command, as_json)) => run_command(command).unwrap_or_else(|error| {
            let outcome = outcome_of(&error);
            screen::fail_at_its_path(&error, as_json && outcome == Outcome::SomeFailed);
            outcome
        }),
        Err(error) => usage::end(&error, &arguments),
    };
    let lost = matches!(outcome, Outcome::Done | Outcome::NothingMatched) && screen::has_lost();
    let outcome = if lost { Outcome::SomeFailed } else { outcome };
    outcome as u8
}

/// Whether the command was given `--json`.
fn wants_json(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some((_, matches)) => wants_json(matches),
        None => matches!(matches.try_get_one("json"), Ok(Some(true))),
    }
}

fn run_command(command: Option<Command>) -> Result<Outcome> {
    match command {
        None => Ok(help::teach()),
        Some(Command::Help { words }) => help::run(&words),
        Some(Command::Convert(args)) => convert::run(&args),
        Some(Command::Meta(args)) => meta::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Ls(args)) => ls::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Scan(args)) => scan::run(&args),
        Some(Command::Query(args)) => query::run(&args),
        Some(Command::Merge(args)) => scan::merge(&args),
        Some(Command::Set(args)) => set::run(&args),
        Some(Command::Preview(args)) => preview::run(&args),
        Some(Command::Gradient(args)) => gradient::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Lab(args)) => lab::run(&args),
        Some(Command::Pack(args)) => pack::run(&args),
        Some(Command::Unpack(args)) => image_pack::unpack(&args),
        Some(Command::Cat(args)) => cat::run(&args),
        Some(Command::Dup(args)) => dup::run(&args),
        Some(Command::Sheet(args)) => sheet::run(&args),
        Some(Command::Hash(args)) => hash::run(&args),
        Some(Command::Light(args)) => light::run(&args),
        Some(Command::Study(args)) => study::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Bench(BenchCommand::All(args))) => bench::all::run(&args),
        Some(Command::Bench(BenchCommand::Mesh(args))) => bench::run(&args),
        Some(Command::Bench(BenchCommand::Io(args))) => bench::run_io(&args),
        Some(Command::Bench(BenchCommand::Catalog(args))) => bench::catalog::run(&args),
        Some(Command::Bench(BenchCommand::Color(args))) => bench::color::run(&args),
        Some(Command::Bench(BenchCommand::Exr(args))) => bench::exr::run(&args),
        Some(Command::Bench(BenchCommand::Photo(args))) => bench::photo::run(&args),
        Some(Command::Bench(BenchCommand::Scene(args))) => bench::scene::run(&args),
        Some(Command::Bench(BenchCommand::Twin(args))) => bench::twin::run(&args),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man { dir }) => manual::write_pages(&dir),
    }
}

/// The exit code of a command that an error ended.
fn outcome_of(error: &Error) -> Outcome {
    match error.kind() {
        ErrorKind::Cancelled => Outcome::Interrupted,
        ErrorKind::Argument => Outcome::Usage,
        _ => Outcome::SomeFailed,
    }
}
