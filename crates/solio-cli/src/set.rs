//! `solio set`: other attributes for images; their pixels are copied as they lie.

use crate::args::SetArgs;
use crate::output_path::{is_folder, make_folder, refuse_both};
use crate::stats::RunMeter;
use crate::{Outcome, inputs, options, schema, screen, terminal};
use serde_json::json;
use solio::{Edit, Error, ErrorKind, Result, SetOptions, Work};
use std::os::unix::ffi::OsStrExt;
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
        screen::complain("the list names no files");
        return Ok(Outcome::NothingMatched);
    }
    let wanted = SetOptions {
        edits,
        part: args.part.clone(),
        durable: args.durable,
        ..SetOptions::default()
    };
    let outputs = outputs(args, &inputs)?;
    // What has such a name already may keep it.
    let renamed = inputs.iter().zip(&outputs);
    let renamed = renamed.filter(|(input, output)| input.extension() != output.extension());
    renamed.map(|(_, output)| output).try_for_each(|output| solio::check_exr_name(output))?;
    if args.dry_run {
        for (input, output) in inputs.iter().zip(&outputs) {
            screen::print(&format!("{} -> {}\n", terminal::name(input), terminal::name(output)));
        }
        return Ok(Outcome::Done);
    }
    let seen = RunMeter::start(&args.run.shown, "set", &inputs, &work);
    let outcome = set_all(args, &inputs, &outputs, &wanted, &work)?;
    seen.end(inputs.len() as u64);
    Ok(outcome)
}

fn set_all(
    args: &SetArgs,
    inputs: &[PathBuf],
    outputs: &[PathBuf],
    wanted: &SetOptions,
    work: &Work,
) -> Result<Outcome> {
    let mut failed = 0;
    for (input, output) in inputs.iter().zip(outputs) {
        match solio::set_attributes(input, output, wanted, work) {
            Ok(written) if args.run.json => {
                let line = json!({ "written_bytes": written.file_bytes });
                let paths: [(&str, &Path); 2] = [("input", input), ("output", output)];
                screen::print(&schema::line("set/1", &paths, line));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // What is wrong with the words is wrong for every file.
            Err(error) if error.kind() == ErrorKind::Argument && inputs.len() == 1 => {
                return Err(error);
            }
            Err(error) => {
                failed += 1;
                screen::fail(input, error, args.run.json);
            }
        }
    }
    if failed > 0 && inputs.len() > 1 {
        screen::complain(&format!("{failed} of {} inputs failed", inputs.len()));
    }
    Ok(if failed > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

/// `owner=me` is a change; `dir/a=b.exr` and `./a=b.exr` are files.
fn is_edit(item: &Path) -> bool {
    let bytes = item.as_os_str().as_bytes();
    let before = bytes.split(|b| *b == b'=').next().unwrap_or_default();
    before.len() < bytes.len() && !before.contains(&b'/')
}

/// Where each file goes: into a folder, to a name, or in its own place.
fn outputs(args: &SetArgs, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let Some(output) = &args.output else { return Ok(inputs.to_vec()) };
    refuse_both(output, args.run.json)?;
    if !is_folder(output) {
        if inputs.len() > 1 {
            let message = format!("{} inputs, but one output", inputs.len());
            let error = Error::argument(message).at_path(output);
            return Err(error.hint("name a folder: -o out/"));
        }
        return Ok(vec![output.clone()]);
    }
    let named = inputs
        .iter()
        .map(|input| (input.clone(), output.join(input.file_name().unwrap_or(input.as_os_str()))));
    let jobs = inputs::distinct(named.collect())?;
    if !args.dry_run {
        make_folder(output)?;
    }
    Ok(jobs.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_an_equals_sign_and_no_folder() {
        let is = |text: &str| is_edit(Path::new(text));
        assert!(is("owner=me") && is("a:string=x/y") && is("owner="));
        assert!(!is("a.exr") && !is("./a=b.exr") && !is("/tmp/x=1/a.exr"));
    }
}
