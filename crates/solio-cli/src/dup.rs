//! `solio dup`: files with the same content.

use crate::args::DupArgs;
use crate::progress::ShownProgress;
use crate::stats::ReadMeter;
use crate::table::{DIM, bytes, some};
use crate::{Outcome, inputs, json_paths, options, schema, screen};
use serde_json::{Value, json};
use solio::catalog::sums::name_in_line;
use solio::names::OsStrBytes;
use solio::{DuplicateGroup, DuplicateOptions, Duplicates, Family, Relinked, Result};
use std::path::PathBuf;

/// Looks at and below all inputs, goes on past what cannot be read.
pub(crate) fn run(args: &DupArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    if let Some(journal) = &args.undo {
        return relinked(
            &solio::undo_links(journal, &work)?,
            "made files of their own again",
            args,
        );
    }
    let filter = args.filter.filter()?;
    let inputs = inputs::wanted(inputs::files(&args.inputs, &work)?, &filter);
    let options = DuplicateOptions {
        empty: args.empty,
        paranoid: args.paranoid,
        order: args.order,
        filter: filter.clone(),
    };
    let reading = ReadMeter::start(&inputs, args.run.shown.stats, &work);
    let shown = ShownProgress::start(args.run.shown.progress, "dup", &work.progress);
    let catalog = match &inputs[..] {
        [one] if inputs::kind_of(one, &work).is_some_and(|it| it.family() == Family::Catalogue) => {
            Some(one)
        }
        _ => None,
    };
    let found = match catalog {
        Some(catalog) => solio::catalog_duplicates(catalog, &work),
        None => solio::find_duplicates(&inputs, &options, &work),
    };
    drop(shown);
    let mut found = found?;
    solio::keep_first(&mut found.groups, &args.keep)?;
    found.failed.iter().for_each(|error| screen::fail_at_its_path(error, args.run.json));
    for group in &found.groups {
        if screen::is_closed() {
            break;
        }
        match (args.run.json, args.print0) {
            (true, _) => screen::print(&schema::line("dup/1", &[], to_json(group))),
            (_, true) => screen::print_bytes(&spare(group)),
            _ => screen::print_lines(&lines(group)),
        }
    }
    if !args.run.json && !args.print0 && found.files > 0 {
        let groups = some(found.groups.len() as u64, "group");
        let (files, wasted) = (some(found.files, "file"), bytes(found.wasted_bytes()));
        screen::say(&format!("{groups} of equal files among {files}: {wasted} wasted"));
    }
    if let Some(script) = &args.script {
        solio::write_bytes(script, &removal_script(&found))?;
    }
    if let Some(journal) = args.journal.as_ref().filter(|_| !found.groups.is_empty()) {
        let done = solio::link_duplicates(&found.groups, journal, &work)?;
        if relinked(&done, "made further names", args)? == Outcome::SomeFailed {
            return Ok(Outcome::SomeFailed);
        }
    }
    if args.run.shown.stats {
        reading.say(found.files, found.read_bytes);
        inputs::say_left_out(&filter);
    }
    Ok(match (found.files, found.failed.is_empty()) {
        (_, false) => Outcome::SomeFailed,
        (0, true) => inputs::none_found(),
        _ => Outcome::Done,
    })
}

/// Says what came of linking.
fn relinked(done: &Relinked, what: &str, args: &DupArgs) -> Result<Outcome> {
    done.failed.iter().for_each(|error| screen::fail_at_its_path(error, args.run.json));
    if args.run.json {
        let line =
            json!({ "linked": done.files, "bytes": done.bytes, "failed": done.failed.len() });
        screen::print(&schema::line("relink/1", &[], line));
    } else {
        screen::say(&format!("{} {what}, {}", some(done.files, "file"), bytes(done.bytes)));
    }
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}

/// A script for `sh` that removes all but the first file of each group.
fn removal_script(found: &Duplicates) -> Vec<u8> {
    let quoted = |name: &PathBuf| -> Vec<u8> {
        let name = name.as_os_str().as_bytes();
        // A name has no zero byte, the one thing that cannot be quoted.
        shlex::bytes::try_quote(name).map_or_else(|_| name.to_vec(), |quoted| quoted.into_owned())
    };
    let mut script = b"#!/bin/sh\n# Removes all but the first file of each group. Look at it before you run it.\n".to_vec();
    for group in &found.groups {
        let (copies, size) = (group.files.len(), bytes(group.bytes));
        script.extend(format!("\n# {copies} files of {size}\n").into_bytes());
        for (i, file) in group.files.iter().enumerate() {
            for name in file {
                let name = quoted(name);
                // A name may have newlines: in a comment it would end that, so the line is a command.
                let line = match i {
                    0 => [b": keep ", &name[..], b"\n"].concat(),
                    _ => [b"rm -- ", &name[..], b"\n"].concat(),
                };
                script.extend(line);
            }
        }
    }
    script
}

/// A heading, and a line for each file with all its names.
fn lines(group: &DuplicateGroup) -> Vec<u8> {
    let (copies, size) = (group.files.len(), bytes(group.bytes));
    let wasted = bytes(group.wasted_bytes());
    let heading = format!("{wasted} wasted {DIM}({copies} files of {size}){DIM:#}\n");
    let mut text = screen::coloured(&heading).as_bytes().to_vec();
    for file in &group.files {
        text.extend_from_slice(b"  ");
        for (i, name) in file.iter().enumerate() {
            text.extend_from_slice(if i > 0 { b" = " } else { b"" });
            text.extend_from_slice(&name_in_line(name.as_os_str().as_bytes()));
        }
        text.push(b'\n');
    }
    text
}

/// The names of all files but the first, each with a zero byte.
fn spare(group: &DuplicateGroup) -> Vec<u8> {
    let names = group.files.iter().skip(1).flatten();
    names.flat_map(|name| [name.as_os_str().as_bytes(), b"\0"].concat()).collect()
}

fn to_json(group: &DuplicateGroup) -> Value {
    let file =
        |file: &Vec<PathBuf>| -> Value { file.iter().map(|name| json_paths::json(name)).collect() };
    json!({
        "bytes": group.bytes,
        "wasted_bytes": group.wasted_bytes(),
        "files": group.files.iter().map(file).collect::<Value>(),
    })
}
