//! `solio sheet`: many files as small pictures on a page.

use crate::args::SheetArgs;
use crate::output_path::{has_end, is_standard};
use crate::stats::RunMeter;
use crate::table::some;
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::{Value, json};
use solio::{Choice, Error, PreviewOptions, Result, SheetOptions, ThumbnailOptions};

/// Shows all inputs, goes on past bad ones.
pub(crate) fn run(args: &SheetArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let filter = args.filter.filter()?;
    let inputs = inputs::wanted(inputs::files(&args.inputs, &work)?, &filter);
    if inputs.iter().any(|input| is_standard(input)) {
        return Err(Error::argument("a sheet is made of files, not of standard input")
            .hint("solio preview shows an image from a pipe"));
    }
    if args.title.is_some() && has_end(&args.output, "png") {
        let error = Error::argument("--title does nothing for pictures, which have no heading");
        return Err(error.hint("name the output .html, or leave it out"));
    }
    let channels = (!args.seen.channels.is_empty()).then(|| args.seen.channels.clone());
    let defaults = PreviewOptions::default();
    let preview = PreviewOptions {
        choice: Choice { part: None, layer: args.seen.layer.clone(), channels },
        exposure: args.seen.exposure,
        tone_map: args.seen.tone_map(),
        colormap: args.seen.colormap.clone(),
        ..defaults
    };
    let (size, up) = (args.size, args.up_axis);
    let options = SheetOptions {
        thumbnail: ThumbnailOptions { size, preview, up, ..ThumbnailOptions::default() },
        columns: args.columns,
        title: args.title.clone(),
        filter: filter.clone(),
        layers: args.layers,
    };
    let seen = RunMeter::start(&args.run.shown, "sheet", &inputs, &work);
    let done = solio::write_sheet(&inputs, &args.output, &options, &work);
    let done = done?;
    done.failed.iter().for_each(screen::complain_of);
    for (path, missing) in &done.incomplete {
        screen::complain(&format!("note: {}: {missing} and hatched", path.display()));
    }
    seen.end(work.progress.now().files);
    if args.run.shown.stats {
        inputs::say_left_out(&filter);
    }
    if args.run.json {
        let mut line = json!({
            "cells": done.cells,
            "passed_by": done.passed_by,
            "failed": done.failed.iter().map(screen::error_json).collect::<Vec<_>>(),
        });
        if !done.incomplete.is_empty() {
            let told = done.incomplete.iter();
            line["incomplete"] = told
                .map(|(path, missing)| json!({"path": path.to_string_lossy(), "missing": missing}))
                .collect();
        }
        let mut paths = Vec::new();
        // Without a cell there is no sheet.
        match done.cells {
            0 => line["output"] = Value::Null,
            _ => paths.push(("output", &*args.output)),
        }
        screen::print(&schema::line("sheet/1", &paths, line));
    }
    if done.cells == 0 && done.failed.is_empty() {
        screen::complain("there is nothing to look at");
        return Ok(Outcome::NothingMatched);
    }
    if done.passed_by > 0 && !args.run.json {
        let are = if done.passed_by == 1 { "is" } else { "are" };
        screen::say(&format!("{} {are} not shown", some(done.passed_by, "other file")));
    }
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}
