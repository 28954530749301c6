//! `solio set`: other attributes for images; their pixels are copied verbatim.

use crate::args::SetArgs;
use crate::output_path::{is_folder, refuse_both};
use crate::stats::RunMeter;
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::json;
use solio::names::OsStrBytes;
use solio::{Edit, Error, ErrorKind, ImageJob, Result, SetOptions, Work};
use std::path::{Path, PathBuf};

/// Changes every input, goes on past bad ones.
pub(crate) fn run(args: &SetArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let (typed, files): (Vec<PathBuf>, Vec<PathBuf>) =
        args.inputs.files.iter().cloned().partition(|item| is_edit(item));
    let mut edits: Vec<Edit> = Vec::new();
    for text in &typed {
        let wrong = || Error::argument(format!("{} is not UTF-8", text.display()));
        edits.push(Edit::parse(text.to_str().ok_or_else(wrong)?)?);
    }
    edits.extend(args.delete.iter().map(|name| Edit::delete(name)));
    if edits.is_empty() {
        return Err(Error::argument("nothing to set").hint("name attributes: owner=me"));
    }
    let inputs = inputs::files(&args.inputs.with_files(files), &work)?;
    if inputs.is_empty() {
        return Ok(inputs::none_named());
    }
    let wanted = SetOptions {
        edits,
        part: args.part.clone(),
        durable: args.durable,
        ..SetOptions::default()
    };
    let jobs = plan(args, inputs)?;
    let renamed = jobs.iter().filter(|(input, output)| input.extension() != output.extension());
    renamed.map(|(_, output)| output).try_for_each(|output| solio::check_exr_name(output))?;
    if args.dry_run {
        return Ok(inputs::show_plan(&jobs));
    }
    let inputs: Vec<&PathBuf> = jobs.iter().map(|(input, _)| input).collect();
    let seen = RunMeter::start(&args.run.shown, "set", &inputs, &work);
    let outcome = set_all(args, &jobs, &wanted, &work)?;
    seen.end(jobs.len() as u64);
    Ok(outcome)
}

fn set_all(args: &SetArgs, jobs: &[ImageJob], wanted: &SetOptions, work: &Work) -> Result<Outcome> {
    let mut failed = 0;
    for (input, output) in jobs {
        match solio::set_attributes(input, output, wanted, work) {
            Ok(written) if args.run.json => {
                let line = json!({ "written_bytes": written.file_bytes });
                let paths: [(&str, &Path); 2] = [("input", input), ("output", output)];
                screen::print(&schema::line("set/1", &paths, line));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // What is wrong with the words is wrong for every file.
            Err(error) if error.kind() == ErrorKind::Argument && jobs.len() == 1 => {
                return Err(error);
            }
            Err(error) => {
                failed += 1;
                screen::fail(input, error, args.run.json);
            }
        }
    }
    Ok(inputs::outcome(failed, jobs.len()))
}

/// `owner=me` is a change; `dir/a=b.exr` and `./a=b.exr` are files.
fn is_edit(item: &Path) -> bool {
    let bytes = item.as_os_str().as_bytes();
    let before = bytes.split(|b| *b == b'=').next().unwrap_or_default();
    before.len() < bytes.len() && !before.contains(&b'/')
}

/// Where each file goes: into a folder, to a name, or in its own place.
fn plan(args: &SetArgs, inputs: Vec<PathBuf>) -> Result<Vec<ImageJob>> {
    let Some(output) = &args.output else {
        return Ok(inputs.into_iter().map(|input| (input.clone(), input)).collect());
    };
    refuse_both(output, args.run.json)?;
    if !is_folder(output) {
        return inputs::into_file(inputs, output, "name a folder: -o out/");
    }
    let name = |input: &Path| Ok(input.file_name().unwrap_or(input.as_os_str()).to_owned());
    inputs::into_folder(inputs, output, args.dry_run, name)
}
