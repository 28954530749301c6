//! `solio sheet`: many files as small pictures on a page.

use crate::convert::is_standard;
use crate::sheet_args::SheetArgs;
use crate::stats::Seen;
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::json;
use solio::{Choice, Error, PreviewOptions, Result, SheetOptions, ThumbnailOptions};

/// Shows all inputs, goes on past bad ones.
pub(crate) fn run(args: &SheetArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let inputs = inputs::files(&args.inputs, &work)?;
    if inputs.iter().any(|input| is_standard(input)) {
        return Err(Error::argument("a sheet is made of files, not of standard input")
            .hint("solio preview shows an image from a pipe"));
    }
    let channels = (!args.channels.is_empty()).then(|| args.channels.clone());
    let defaults = PreviewOptions::default();
    let preview = PreviewOptions {
        choice: Choice { part: None, layer: args.layer.clone(), channels },
        exposure: args.exposure,
        tone_map: args.tonemap,
        colormap: args.colormap.clone(),
        ..defaults
    };
    let options = SheetOptions {
        thumbnail: ThumbnailOptions { size: args.size, preview, ..ThumbnailOptions::default() },
        columns: args.columns,
        title: args.title.clone(),
    };
    let seen = Seen::start(&args.shown, "sheet", &inputs, &work);
    let done = solio::write_sheet(&inputs, &args.output, &options, &work);
    let done = done?;
    done.failed.iter().for_each(screen::complain_of);
    seen.end(work.progress.now().files);
    if args.json {
        let line = json!({
            "cells": done.cells,
            "passed_by": done.passed_by,
            "failed": done.failed.iter().map(screen::error_json).collect::<Vec<_>>(),
        });
        screen::print(&schema::line("sheet/1", &[("output", &args.output)], line));
    }
    if done.cells == 0 && done.failed.is_empty() {
        screen::complain("there is nothing to look at");
        return Ok(Outcome::NothingMatched);
    }
    if done.passed_by > 0 && !args.json {
        screen::say(&format!("{} other files are not shown", done.passed_by));
    }
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}
