//! `solio set`: other attributes for images, dates and places for photos; their pixels stay as they are.

use crate::args::SetArgs;
use crate::output_path::{is_folder, refuse_both};
use crate::stats::RunMeter;
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::json;
use solio::names::OsStrBytes;
use solio::photo::PhotoEdit;
use solio::{Edit, Error, ErrorKind, ImageJob, PhotoEditOptions, Result, SetOptions, Work};
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
    if let Some(edit) = args.photo_edit() {
        if !edits.is_empty() || args.part.is_some() {
            let error = Error::argument("attributes are those of OpenEXR, the rest that of photos");
            return Err(error.hint("run the command once for each"));
        }
        return photos(args, files, &edit, &work);
    }
    if edits.is_empty() {
        let hint =
            "name attributes: owner=me; or for photos --shift, --date, --remove-gps, --orientation";
        return Err(Error::argument("nothing to set").hint(hint));
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

/// Dates, places and orientation of photos and films.
fn photos(args: &SetArgs, files: Vec<PathBuf>, edit: &PhotoEdit, work: &Work) -> Result<Outcome> {
    let inputs = inputs::files(&args.inputs.with_files(files), work)?;
    if inputs.is_empty() {
        return Ok(inputs::none_named());
    }
    let jobs = plan(args, inputs)?;
    let options = PhotoEditOptions { dry_run: args.dry_run, durable: args.durable };
    let inputs: Vec<&PathBuf> = jobs.iter().map(|(input, _)| input).collect();
    let seen = RunMeter::start(&args.run.shown, "set", &inputs, work);
    let mut failed = 0;
    for (input, output) in &jobs {
        match solio::edit_photo(input, output, edit, &options, work) {
            Ok(done) if args.run.json => {
                let line = json!({ "changed": done.changed, "in_place": done.in_place });
                let paths: [(&str, &Path); 2] = [("input", input), ("output", output)];
                screen::print(&schema::line("set-photo/1", &paths, line));
            }
            Ok(done) if args.dry_run => {
                let name = crate::terminal::name(input);
                let changed = match done.changed.is_empty() {
                    true => "nothing".to_owned(),
                    false => done.changed.join(", "),
                };
                screen::print(&format!("{name}: {changed}\n"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed += 1;
                screen::fail(input, error, args.run.json);
            }
        }
    }
    seen.end(jobs.len() as u64);
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
