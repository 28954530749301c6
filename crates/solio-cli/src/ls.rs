//! `solio ls`: what is in folders, sequences on one line each.

use crate::args::LsArgs;
use crate::stats::RunMeter;
use crate::table::{BAD, DIM, bytes};
use crate::{Outcome, inputs, options, schema, screen, terminal};
use serde_json::json;
use solio::names::OsStrBytes;
use solio::{ListEntry, ListKind, ListOptions, ListSequence, Result};
use std::path::{Path, PathBuf};

/// Ranges of missing frames that a person gets to see.
const SHOWN: usize = 12;

/// Lists everything, goes on past what cannot be looked at.
pub(crate) fn run(args: &LsArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let filter = args.filter.filter()?;
    let here = args.inputs.files.is_empty() && args.inputs.files_from.is_none();
    let paths = match here {
        true => vec![PathBuf::from(".")],
        false => inputs::wanted(inputs::collect(&args.inputs, &work)?, &filter),
    };
    if paths.is_empty() {
        screen::complain("the list names no files");
        return Ok(Outcome::NothingMatched);
    }
    let options = ListOptions {
        recursive: args.recursive,
        hidden: args.filter.all,
        sizes: args.long,
        filter: filter.clone(),
    };
    let seen = RunMeter::start(&args.run.shown, "ls", &paths, &work);
    let list = solio::list(&paths, options, &work)?;
    let mut text = Vec::new();
    for entry in &list.entries {
        if args.run.json {
            text.extend(to_json(entry).into_bytes());
        } else if args.print0 {
            for path in entry.exact_paths() {
                text.extend_from_slice(path.as_os_str().as_bytes());
                text.push(0);
            }
        } else {
            line(entry, &mut text);
        }
    }
    match args.print0 {
        true => screen::print_bytes(&text),
        false => screen::print_lines(&text),
    }
    list.failed.iter().for_each(|error| screen::fail_at_its_path(error, args.run.json));
    seen.end(work.progress.now().files);
    // A file that is not there failed; a pattern without a file matched nothing.
    let missing = list.failed.iter().any(|error| error.os_error().is_some());
    Ok(match (list.failed.is_empty(), list.entries.is_empty()) {
        (true, _) => Outcome::Done,
        (false, true) if !missing => Outcome::NothingMatched,
        (false, _) => Outcome::SomeFailed,
    })
}

/// `beauty.1001-1100#.exr  98/100  missing 1042,1067`.
fn line(entry: &ListEntry, text: &mut Vec<u8>) {
    if let Some(size) = entry.bytes {
        text.extend_from_slice(format!("{:>9}  ", bytes(size)).as_bytes());
    }
    text.extend(printable(&entry.path()));
    let more = match &entry.kind {
        ListKind::Folder(_) => "/".to_owned(),
        ListKind::File(_) => String::new(),
        ListKind::Sequence(sequence) if screen::has_colours() => counts(sequence),
        ListKind::Sequence(sequence) => anstream::adapter::strip_str(&counts(sequence)).to_string(),
    };
    text.extend_from_slice(more.as_bytes());
    text.push(b'\n');
}

fn counts(sequence: &ListSequence) -> String {
    let ListSequence { expected, missing, udim, files, .. } = sequence;
    let present = files.frames.len();
    let mut text = match (udim, missing.is_empty()) {
        (true, true) => format!("  {DIM}{present} tiles{DIM:#}"),
        _ => format!("  {DIM}{present}/{expected}{DIM:#}"),
    };
    if !missing.is_empty() {
        text += &format!("  {BAD}missing {}{BAD:#}", shortened(missing));
    }
    if files.odd_padding {
        text += &format!("  {BAD}odd padding{BAD:#}");
    }
    if !files.doubles.is_empty() {
        text +=
            &format!("  {BAD}doubles {}{BAD:#}", shortened(&solio::frames_text(&files.doubles)));
    }
    text
}

/// The first ranges of many.
fn shortened(ranges: &str) -> String {
    match ranges.match_indices(',').nth(SHOWN - 1) {
        Some((at, _)) => {
            format!("{},… ({} more)", &ranges[..at], ranges[at..].matches(',').count())
        }
        None => ranges.to_owned(),
    }
}

/// The bytes of a path; on a terminal without those that would end a line or drive it.
fn printable(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    if !terminal::is_out() {
        return bytes.to_vec();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => terminal::escaped(text).into_owned().into_bytes(),
        Err(_) => bytes.escape_ascii().collect(),
    }
}

fn to_json(entry: &ListEntry) -> String {
    let path = entry.path();
    let kind = match &entry.kind {
        ListKind::Folder(_) => "folder",
        ListKind::File(_) => "file",
        ListKind::Sequence(_) => "sequence",
    };
    let mut object = json!({ "type": kind });
    if let ListKind::Sequence(sequence) = &entry.kind {
        let ListSequence { range, expected, missing, udim, files } = sequence;
        object["range"] = range.as_str().into();
        object["frames"] = solio::frames_text(&files.frames).into();
        object["padding"] = files.padding.width.into();
        object["present"] = files.frames.len().into();
        object["expected"] = (*expected).into();
        object["missing"] = missing.as_str().into();
        object["udim"] = (*udim).into();
        object["odd_padding"] = files.odd_padding.into();
        object["doubles"] = solio::frames_text(&files.doubles).into();
    }
    if let Some(bytes) = entry.bytes {
        object["bytes"] = bytes.into();
    }
    schema::line("ls/1", &[("path", &path)], object)
}
