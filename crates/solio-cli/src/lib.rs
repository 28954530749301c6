//! The command `solio`: parses arguments and prints; the work is done by the crate `solio`.
//!
//! It is a library so that the Python package can bring the command without a second copy of the
//! engine; `main.rs` is the program. The public modules are what `solio-bench` shares with it: nothing
//! for others to build on.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod args;
mod asked;
mod cat;
mod changes;
#[doc(hidden)]
pub mod chart_page;
mod check;
mod compare;
mod conversions;
mod convert;
mod demo;
mod diff;
mod dup;
mod exiftool;
mod file_info;
mod gradient;
mod hash;
mod help;
mod image_changes;
mod image_convert;
mod image_groups;
mod image_info;
mod image_pack;
mod info;
#[doc(hidden)]
pub mod inputs;
mod json_paths;
mod junit;
#[cfg(feature = "lab")]
mod lab;
mod light;
mod limit;
mod losses;
mod ls;
mod manual;
mod meta;
#[doc(hidden)]
pub mod options;
mod output_path;
mod pack;
mod photos;
mod preview;
mod progress;
mod query;
mod scan;
mod scene_convert;
mod scene_info;
mod scene_preview;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod screen;
mod set;
mod sheet;
mod stats;
mod study;
#[doc(hidden)]
pub mod synthetic_mesh;
#[doc(hidden)]
pub mod table;
mod terminal;
mod terminal_bar;
mod terminal_image;
mod usage;
mod version;

pub use args::TypedOptions;
use args::{Cli, Command};
pub use asked::{Answer, answer};
use clap::{ArgMatches, Parser};
use solio::{Error, ErrorKind, Result};
use std::ffi::OsString;

/// How a command ended.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Done,
    /// Some inputs failed.
    SomeFailed,
    /// The command line is wrong.
    Usage,
    /// Nothing matched.
    NothingMatched,
    /// A signal ended the command.
    Interrupted,
    /// Of two images: they differ by a little.
    NearlySame,
    /// They differ.
    Different,
    /// They could not be compared.
    NotCompared,
}

impl Outcome {
    /// The exit code; those of comparing are idiff's.
    fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::SomeFailed | Outcome::NearlySame => 1,
            Outcome::Usage | Outcome::Different => 2,
            Outcome::NothingMatched => 3,
            Outcome::NotCompared => 4,
            Outcome::Interrupted => 130,
        }
    }
}

/// Runs the command with `arguments`, the first of which is a name for messages, and returns the
/// exit code: 0 all done, 1 some inputs failed, 2 usage, 3 nothing matched, 130 interrupted. Prints
/// to the standard streams.
///
/// ```
/// let solio = |word: &str| solio_cli::run(["solio".into(), word.into()]);
/// assert_eq!(solio("--version"), 0);
/// assert_eq!(solio("--no-such-option"), 2);
/// ```
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(own) = exiftool::arguments(&arguments) {
        if asked::refuse_program("solio exiftool") {
            return Outcome::Usage.code();
        }
        return exiftool::run(own);
    }
    run_parsed(arguments, |mut cli: Cli, given| {
        match &mut cli.command {
            Some(Command::Convert(args)) => args.given = given,
            Some(Command::Info(args)) => args.given = given,
            Some(Command::Preview(args)) => args.given = given,
            _ => {}
        }
        run_command(cli.command)
    })
}

/// Parses `arguments` as the command line `C` and runs it; prints what is wrong with the arguments,
/// or the error of the run, and returns the exit code, as [`run`] does.
#[doc(hidden)]
pub fn run_parsed<C: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    run: impl FnOnce(C, TypedOptions) -> Result<Outcome>,
) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut known = C::command();
    let matches = known.try_get_matches_from_mut(&arguments);
    let parsed = matches.and_then(|mut matches| {
        let as_json = wants_json(&matches);
        let typed = TypedOptions::of(&known, &matches);
        Ok((C::from_arg_matches_mut(&mut matches)?, typed, as_json))
    });
    let outcome = match parsed {
        Ok((cli, typed, as_json)) => run(cli, typed).unwrap_or_else(|error| {
            let outcome = outcome_of(&error);
            screen::fail_at_its_path(&error, as_json && outcome == Outcome::SomeFailed);
            outcome
        }),
        Err(error) => usage::end(&error, C::command(), &arguments),
    };
    let lost = matches!(outcome, Outcome::Done | Outcome::NothingMatched) && screen::has_lost();
    let outcome = if lost { Outcome::SomeFailed } else { outcome };
    outcome.code()
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
        Some(Command::Photos(args)) => photos::run(&args),
        Some(Command::Exiftool(args)) => exiftool::run_parsed(&args),
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
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Dup(args)) => dup::run(&args),
        Some(Command::Sheet(args)) => sheet::run(&args),
        Some(Command::Hash(args)) => hash::run(&args),
        Some(Command::Light(args)) => light::run(&args),
        Some(Command::Study(args)) => study::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
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
