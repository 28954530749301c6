//! `solio check`: whether files are whole.

use crate::args::CheckArgs;
use crate::progress::Shown;
use crate::table::{BAD, DIM, GOOD};
use crate::{Outcome, inputs, options, screen};
use serde_json::{Value, json};
use solio::image::{CheckOptions, Problem};
use solio::{Error, ErrorKind, FileCheck, Result, Work};
use std::path::{Path, PathBuf};

/// Checks every input, goes on past bad ones.
pub(crate) fn run(args: &CheckArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let inputs = inputs::collect(&args.inputs, &work)?;
    if inputs.is_empty() {
        screen::complain("the list names no files");
        return Ok(Outcome::NothingMatched);
    }
    let shown = Shown::start(args.progress, "check", &work.progress);
    let mut bad = 0;
    let wanted = CheckOptions { decode: args.deep, ..CheckOptions::default() };
    let check = |path: &PathBuf, work: &Work| solio::check_file(path, &wanted, work);
    let done = solio::each_file(&inputs, &work, !args.deep, check, |path, result| {
        let fine = match result {
            Ok(found) => {
                tell(args, path, &found);
                found.is_fine()
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                tell_error(args, path, error);
                false
            }
        };
        bad += usize::from(!fine);
        Ok(!screen::is_closed())
    });
    drop(shown);
    done?;
    if bad > 0 && inputs.len() > 1 {
        screen::complain(&format!("{bad} of {} files are damaged or unreadable", inputs.len()));
    }
    Ok(if bad > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

fn tell(args: &CheckArgs, path: &Path, found: &FileCheck) {
    if args.json {
        screen::print(&format!("{}\n", to_json(path, found)));
        return;
    }
    let path = path.display();
    let count = found.problems.len() + found.text_problems.len();
    let mut text = match (count, found.found.as_str()) {
        (0, _) if args.quiet && found.notes.is_empty() => return,
        (0, what) => format!("{path}: {GOOD}ok{GOOD:#} {DIM}({}, {what}){DIM:#}\n", found.format),
        (1, _) => format!("{path}: {BAD}1 problem{BAD:#}\n"),
        (count, _) => format!("{path}: {BAD}{count} problems{BAD:#}\n"),
    };
    for problem in &found.problems {
        text += &format!("  {}\n", words(problem, found.format));
    }
    for problem in &found.text_problems {
        text += &format!("  {}\n", problem.to_string().replace('\n', "\n  "));
    }
    for note in &found.notes {
        text += &format!("  note: {note}\n");
    }
    screen::print(&text);
}

/// `byte 8000: part 0, chunks 3 to 5: not in the table of chunks`.
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

fn tell_error(args: &CheckArgs, path: &Path, error: Error) {
    let error = error.at_path(path);
    if args.json {
        let line = json!({ "path": path.to_string_lossy(), "error": screen::error_json(&error) });
        screen::print(&format!("{line}\n"));
    }
    screen::complain(&error.to_string());
}

fn to_json(path: &Path, found: &FileCheck) -> Value {
    let problem = |problem: &Problem| {
        json!({
            "kind": problem.kind.name(),
            "offset": problem.offset,
            "part": problem.part,
            "chunks": problem.chunks.as_ref().map(|chunks| [chunks.start, chunks.end]),
            "message": problem.message,
        })
    };
    json!({
        "path": path.to_string_lossy(),
        "format": found.format,
        "found": found.found,
        "ok": found.is_fine(),
        "problems": found
            .problems
            .iter()
            .map(problem)
            .chain(found.text_problems.iter().map(screen::error_json))
            .collect::<Vec<_>>(),
        "notes": found.notes,
    })
}
