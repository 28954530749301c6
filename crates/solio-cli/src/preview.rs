//! `solio preview`: an image, a photo, a mesh or a scene as a PNG, or as coloured half blocks in the
//! terminal.

use crate::args::{DRAWING, PreviewArgs, SEEING};
use crate::inputs::{FoundInputs, NumberedFile};
use crate::output_path::{has_end, is_folder, refuse_both};
use crate::stats::RunMeter;
use crate::table::some;
use crate::{Outcome, asked, inputs, options, schema, screen, terminal_image};
use serde_json::json;
use solio::{
    Error, ErrorKind, Family, FileType, FramePattern, ImageJob, Input, PreviewOptions, Result, Work,
};
use std::path::{Path, PathBuf};

/// Shows every input, goes on past bad ones.
pub(crate) fn run(args: &PreviewArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if let Some(output) = &args.output {
        refuse_both(output, args.json)?;
    }
    let mut found = FoundInputs::of(&inputs::collect(&args.inputs, &work)?, None)?;
    if found.files.is_empty() {
        return found.nothing();
    }
    let (inputs, outputs) = plan(args, std::mem::take(&mut found.files))?;
    check_kinds(args, &inputs, outputs.as_deref())?;
    let seen = RunMeter::start(&args.shown, "preview", &inputs, &work);
    let mut failed = found.fail_empty(args.json) != Outcome::Done;
    for (i, input) in inputs.iter().enumerate() {
        let output = outputs.as_ref().map(|outputs| &*outputs[i]);
        match show(args, input, output, &work) {
            Ok(is_whole) => failed |= !is_whole,
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // What cannot be shown of one image alone was asked for wrongly, as in convert.
            Err(error) if error.kind() == ErrorKind::Argument && inputs.len() == 1 => {
                return Err(error.at_path(input));
            }
            Err(error) => {
                failed = true;
                screen::fail(input, error, args.json);
            }
        }
    }
    seen.end(inputs.len() as u64);
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// Shows one; whether all of it is to be seen.
fn show(args: &PreviewArgs, input: &Path, output: Option<&Path>, work: &Work) -> Result<bool> {
    let most = match (args.size, output) {
        (Some(size), _) => Some(size),
        (None, Some(_)) => None,
        (None, None) => Some(terminal_image::room()),
    };
    let opened = Input::open(input, &PreviewOptions::default().limits, work)?;
    if matches!(opened.kind_or_named().family(), Family::Mesh | Family::Scene) {
        return crate::scene_preview::show(args, &opened, output, most, work);
    }
    let part = args.show.part.as_ref();
    let part = part.map(|name| solio::part_number(opened.exr_header(work)?, name));
    let partial = args.show.partial;
    let made = PreviewOptions { most, partial, ..args.show.preview_options(part.transpose()?) };
    let preview = solio::preview_file(&opened, &made, work)?;
    // Who asks for what there is expects no more.
    let is_whole = partial || preview.missing.is_none();
    if let Some(missing) = &preview.missing {
        let (how, chunk) = match (opened.kind_or_named().family(), partial) {
            (Family::Gradient, _) => ("left out", "gradient"),
            (_, true) => ("black", "chunk"),
            (_, false) => ("hatched", "chunk"),
        };
        let chunks = some(missing.chunks, chunk);
        let what = format!("{missing} and {how} ({chunks}); {}", missing.first);
        screen::complain(&format!("note: {}: {what}", input.display()));
    }
    let Some(output) = output else {
        screen::print(&terminal_image::blocks(&preview));
        return Ok(is_whole);
    };
    asked::write_bytes(output, &preview.to_png()?)?;
    if args.json {
        let mut line = json!({
            "width": preview.width,
            "height": preview.height,
            "channels": preview.shown,
        });
        if let Some(missing) = &preview.missing {
            line["missing"] = json!({
                "chunks": missing.chunks,
                "pixels": missing.pixels,
                "of_pixels": missing.of_pixels,
                "first": missing.first,
            });
        }
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("preview/1", &paths, line));
    }
    Ok(is_whole)
}

/// What is shown and where it goes: to one file, frames, or files in a folder; `None` is the terminal.
fn plan(
    args: &PreviewArgs,
    files: Vec<NumberedFile>,
) -> Result<(Vec<PathBuf>, Option<Vec<PathBuf>>)> {
    let frames =
        args.output.as_deref().and_then(|output| Some((FramePattern::of(output)?, output)));
    if let Some((to, output)) = frames {
        let jobs = inputs::into_frames(files, &to, output)?;
        let (inputs, outputs): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
        check_format(output, &inputs)?;
        return Ok((inputs, Some(outputs)));
    }
    let inputs: Vec<PathBuf> = files.into_iter().map(|(file, _)| file).collect();
    match &args.output {
        Some(output) => {
            let (inputs, outputs) = into(output, inputs)?.into_iter().unzip();
            Ok((inputs, Some(outputs)))
        }
        None if args.json => {
            Err(Error::argument("--json needs an output").hint("name it: -o preview.png"))
        }
        None => terminal_image::shows_colors().map(|()| (inputs, None)),
    }
}

/// That the options say something about these inputs and outputs.
fn check_kinds(args: &PreviewArgs, inputs: &[PathBuf], outputs: Option<&[PathBuf]>) -> Result<()> {
    if !inputs.iter().any(|input| may_be_drawn(input)) {
        return args.given.refuse(&[DRAWING], &[], "images");
    }
    if outputs.is_some_and(|outputs| outputs.iter().all(|output| has_end(output, "exr"))) {
        args.given.refuse(&[SEEING], &[], "previews in OpenEXR, which keep light as it is")?;
    }
    if inputs.iter().all(|input| is_drawn(input)) {
        let but = ["exposure", "tonemap", "view", "layer", "channels", "colormap"];
        args.given.refuse(&[SEEING], &but, "scenes and meshes")?;
    }
    if inputs.iter().all(|input| solio::is_scene(input)) {
        let but = ["samples", "occlusion", "progressive"];
        args.given.refuse(&[DRAWING], &but, "scenes, which have a camera")?;
    }
    Ok(())
}

/// One file, or files in a folder.
fn into(output: &Path, inputs: Vec<PathBuf>) -> Result<Vec<ImageJob>> {
    if is_folder(output) {
        return inputs::into_folder(inputs, output, false, |input| {
            let mut name =
                Path::new(inputs::name_of(input)?).file_stem().unwrap_or_default().to_owned();
            name.push(".png");
            Ok(name)
        });
    }
    let all = inputs.clone();
    let jobs =
        inputs::into_file(inputs, output, "name a folder, -o out/, or frames, -o b.####.png")?;
    check_format(output, &all)?;
    Ok(jobs)
}

/// That what is shown of `inputs` can be such a file.
fn check_format(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    if has_end(output, "exr") && inputs.iter().all(|input| is_drawn(input)) {
        return Ok(());
    }
    if !has_end(output, "png") && output.as_os_str() != "-" {
        let error = Error::argument("previews are PNG files").at_path(output);
        return Err(error.hint("`solio convert` writes JPEG, TIFF and HDR"));
    }
    Ok(())
}

/// Whether its name tells that it is a scene or a mesh: rays are sent, and there is more than
/// colours.
fn is_drawn(path: &Path) -> bool {
    let drawn = |named: FileType| matches!(named.family(), Family::Mesh | Family::Scene);
    FileType::of_path(path).is_some_and(drawn)
}

/// Whether it may be one: a name that tells nothing rules nothing out.
fn may_be_drawn(path: &Path) -> bool {
    is_drawn(path) || FileType::of_path(path).is_none()
}
