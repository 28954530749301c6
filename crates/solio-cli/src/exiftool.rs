//! `solio exiftool`, or a program that is called `exiftool`: the drop-in.

use crate::Outcome;
use crate::{schema, screen};
use serde_json::json;
use solio::{DropIn, DropInOptions, DropInStats, Result};
use std::ffi::OsString;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// The arguments where the command line is ExifTool's: the program is called `exiftool`, or the first
/// argument is, and no page of help is asked for.
pub(crate) fn arguments(all: &[OsString]) -> Option<&[OsString]> {
    let (program, rest) = all.split_first()?;
    let called = Path::new(program).file_stem().unwrap_or_default();
    if called == "exiftool" {
        return Some(rest);
    }
    let (first, rest) = rest.split_first()?;
    let asks_help = rest.first().is_some_and(|argument| argument == "--help");
    (first == "exiftool" && !asks_help).then_some(rest)
}

/// Runs the command line; gives the exit code.
pub(crate) fn run(arguments: &[OsString]) -> u8 {
    let (tells, arguments) = match arguments.split_first() {
        Some((first, rest)) if first == "--stats" => (true, rest),
        _ => (false, arguments),
    };
    let mut drop_in = DropIn::new(DropInOptions::from_environment());
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
    let mut err = std::io::stderr().lock();
    let done = drop_in.run(arguments.iter().cloned(), &mut input, &mut out, &mut err);
    drop((out, err));
    if tells {
        screen::complain(&summary(drop_in.stats()));
    }
    if let Err(e) = keep(drop_in.stats()) {
        screen::complain_of(&e);
    }
    // Who closes the pipe wants no more.
    done.unwrap_or(1)
}

/// For `solio help` and clap, which come here where the command was not found by its name.
pub(crate) fn run_parsed(args: &crate::args::ExiftoolArgs) -> Result<Outcome> {
    let stats = args.stats.then(|| OsString::from("--stats"));
    let arguments: Vec<OsString> =
        stats.into_iter().chain(args.arguments.iter().cloned()).collect();
    Ok(match run(&arguments) {
        0 => Outcome::Done,
        2 => Outcome::Usage,
        _ => Outcome::SomeFailed,
    })
}

fn summary(stats: &DropInStats) -> String {
    let DropInStats { native_commands, handed_commands, native_files, handed_files, reasons } =
        stats;
    let mut text = format!(
        "{native_commands} commands and {native_files} files answered by Solio, {handed_commands} commands handed \
         to ExifTool, {handed_files} of them file by file"
    );
    for (reason, count) in reasons {
        text += &format!("\n  {count} × {reason}");
    }
    text
}

/// Writes the counts where SOLIO_EXIFTOOL_STATS says.
fn keep(stats: &DropInStats) -> Result<()> {
    let Some(path) = std::env::var_os("SOLIO_EXIFTOOL_STATS").filter(|path| !path.is_empty())
    else {
        return Ok(());
    };
    let counts = json!({
        "native_commands": stats.native_commands,
        "handed_commands": stats.handed_commands,
        "native_files": stats.native_files,
        "handed_files": stats.handed_files,
        "reasons": stats.reasons,
    });
    let text = schema::line("exiftool-stats/1", &[], counts);
    solio::write_bytes(Path::new(&path), text.as_bytes()).map(drop)
}
