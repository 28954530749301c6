//! `solio preview`: an image, a photo, a mesh or a scene as a PNG, or as coloured half blocks in the
//! terminal.

use crate::convert::{is_standard, make_folder, refuse_both};
use crate::image_args::{PreviewArgs, ShowArgs};
use crate::inputs::{Found, Numbered};
use crate::stats::Seen;
use crate::typed_options::{DRAWING, SEEING};
use crate::{Outcome, inputs, options, schema, screen};
use serde_json::json;
use solio::{Choice, Error, ErrorKind, FramePattern, Preview, PreviewOptions, Result, Work};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Columns and lines of a terminal that does not tell.
const TERMINAL: [u16; 2] = [80, 24];

/// Shows every input, goes on past bad ones.
pub(crate) fn run(args: &PreviewArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if let Some(output) = &args.output {
        refuse_both(output, args.json)?;
    }
    let mut found = Found::of(&inputs::collect(&args.inputs, &work)?, None)?;
    if found.files.is_empty() {
        found.complain();
        return Ok(Outcome::NothingMatched);
    }
    let (inputs, outputs) = plan(args, std::mem::take(&mut found.files))?;
    check_kinds(args, &inputs, outputs.as_deref())?;
    let seen = Seen::start(&args.shown, "preview", &inputs, &work);
    let mut failed = found.fail_empty(args.json) != Outcome::Done;
    for (i, input) in inputs.iter().enumerate() {
        let output = outputs.as_ref().map(|outputs| &*outputs[i]);
        match show(args, input, output, &work) {
            Ok(()) => {}
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

fn show(args: &PreviewArgs, input: &Path, output: Option<&Path>, work: &Work) -> Result<()> {
    let most = match (args.size, output) {
        (Some(size), _) => Some(size),
        (None, Some(_)) => None,
        (None, None) => Some(room()),
    };
    if is_drawn(input) {
        return crate::scene_preview::show(args, input, output, most, work);
    }
    let limits = PreviewOptions::default().limits;
    // A pipe's bytes come once.
    let piped = match solio_io::is_direct(input) {
        true => Some(solio_io::read_whole(input, &limits, work)?),
        false => None,
    };
    let part = args.show.part.as_ref().map(|name| {
        let header = match &piped {
            Some(bytes) => solio::image::decode_header(&&bytes[..], &limits)?,
            None => solio::image_header(input, &limits, work)?,
        };
        solio::part_number(&header, name)
    });
    let made = PreviewOptions { most, ..wanted(&args.show, part.transpose()?)? };
    let preview = match &piped {
        Some(bytes) => solio::preview_bytes(bytes, &made, work)?,
        None => solio::preview_file(input, &made, work)?,
    };
    let Some(output) = output else {
        screen::print(&blocks(&preview));
        return Ok(());
    };
    solio::write_bytes(output, &preview.to_png()?)?;
    if args.json {
        let line = json!({
            "width": preview.width,
            "height": preview.height,
            "channels": preview.shown,
        });
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("preview/1", &paths, line));
    }
    Ok(())
}

/// What of an image is to be seen, and how.
pub(crate) fn wanted(args: &ShowArgs, part: Option<usize>) -> Result<PreviewOptions> {
    let mut wanted = PreviewOptions {
        exposure: args.exposure,
        tone_map: args.tonemap,
        ..PreviewOptions::default()
    };
    wanted.colormap.clone_from(&args.colormap);
    if let Some(frame) = args.frame {
        wanted.frame = frame.into();
    }
    let channels = (!args.channels.is_empty()).then(|| args.channels.clone());
    wanted.choice = Choice { part, layer: args.layer.clone(), channels };
    Ok(wanted)
}

/// What is shown and where it goes: to one file, frames, or files in a folder; `None` is the terminal.
fn plan(args: &PreviewArgs, files: Vec<Numbered>) -> Result<(Vec<PathBuf>, Option<Vec<PathBuf>>)> {
    let frames =
        args.output.as_deref().and_then(|output| Some((FramePattern::of(output)?, output)));
    if let Some((to, output)) = frames {
        let jobs = inputs::into_frames(files, &to, output)?;
        let (inputs, outputs): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
        check_format(output, &inputs)?;
        return Ok((inputs, Some(outputs)));
    }
    let inputs: Vec<PathBuf> = files.into_iter().map(|(file, _)| file).collect();
    let outputs = match &args.output {
        Some(output) => Some(outputs(output, &inputs)?),
        None if args.json => {
            return Err(Error::argument("--json needs an output").hint("name it: -o preview.png"));
        }
        None => shows_colors().map(|()| None)?,
    };
    Ok((inputs, outputs))
}

/// That the options say something about these inputs and outputs.
fn check_kinds(args: &PreviewArgs, inputs: &[PathBuf], outputs: Option<&[PathBuf]>) -> Result<()> {
    if !inputs.iter().any(|input| is_drawn(input)) {
        return args.given.refuse(&[DRAWING], &[], "images");
    }
    if outputs.is_some_and(|outputs| outputs.iter().all(|output| is_exr(output))) {
        args.given.refuse(&[SEEING], &[], "previews in OpenEXR, which keep light as it is")?;
    }
    if inputs.iter().all(|input| is_drawn(input)) {
        let but = ["exposure", "tonemap", "layer", "channels", "colormap"];
        args.given.refuse(&[SEEING], &but, "scenes and meshes")?;
    }
    if inputs.iter().all(|input| solio::is_scene(input)) {
        let but = ["samples", "occlusion", "progressive"];
        args.given.refuse(&[DRAWING], &but, "scenes, which have a camera")?;
    }
    Ok(())
}

/// One file, or files in a folder.
fn outputs(output: &Path, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if inputs::is_folder(output) {
        if inputs.iter().any(|input| is_standard(input)) {
            let message = "standard input has no name to give to a file in a folder";
            return Err(Error::argument(message).hint("name the output: -o preview.png"));
        }
        let jobs = inputs.iter().map(|input| {
            let mut name = input.file_stem().unwrap_or(input.as_os_str()).to_owned();
            name.push(".png");
            (input.clone(), output.join(name))
        });
        let jobs = inputs::distinct(jobs.collect())?;
        make_folder(output)?;
        return Ok(jobs.into_iter().map(|(_, path)| path).collect());
    }
    if inputs.len() > 1 {
        let message = format!("{} inputs, but one output", inputs.len());
        return Err(Error::argument(message)
            .at_path(output)
            .hint("name a folder, -o out/, or frames, -o b.####.png"));
    }
    check_format(output, inputs)?;
    Ok(vec![output.to_owned()])
}

/// That what is shown of `inputs` can be such a file.
fn check_format(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    if is_exr(output) && inputs.iter().all(|input| is_drawn(input)) {
        return Ok(());
    }
    if !inputs::has_end(output, "png") && output.as_os_str() != "-" {
        let error = Error::argument("previews are PNG files").at_path(output);
        return Err(error.hint("`solio convert` writes JPEG, TIFF and HDR"));
    }
    Ok(())
}

/// Whether it is a scene or a mesh: rays are sent, and there is more than colours.
fn is_drawn(path: &Path) -> bool {
    solio::is_scene(path) || solio::Format::of_name(path).is_some()
}

pub(crate) fn is_exr(path: &Path) -> bool {
    inputs::has_end(path, "exr")
}

/// An error where standard output is nothing that shows 24 bits of colour. As for all that is printed,
/// `NO_COLOR` counts before `CLICOLOR_FORCE`.
pub(crate) fn shows_colors() -> Result<()> {
    let is = |name: &str, yes: fn(&str) -> bool| std::env::var(name).is_ok_and(|v| yes(&v));
    let why = if is("NO_COLOR", |v| !v.is_empty()) {
        "NO_COLOR wants no colours"
    } else if is("CLICOLOR_FORCE", |v| !v.is_empty() && v != "0") {
        return Ok(());
    } else if !std::io::stdout().is_terminal() {
        "standard output is not a terminal"
    } else if is("TERM", |v| v == "dumb") {
        "this terminal shows no colours (TERM=dumb)"
    } else if !is("COLORTERM", |v| ["truecolor", "24bit"].contains(&v)) {
        "this terminal does not say that it shows all colours (COLORTERM=truecolor)"
    } else {
        return Ok(());
    };
    Err(Error::argument(why).hint("name an output: -o preview.png"))
}

/// The pixels that the terminal has room for: each line shows two rows.
pub(crate) fn room() -> [u32; 2] {
    use terminal_size::{Height, Width, terminal_size};
    let [columns, lines] = terminal_size().map_or(TERMINAL, |(Width(w), Height(h))| [w, h]);
    // The prompt comes below.
    [u32::from(columns.max(1)), 2 * u32::from(lines.max(3) - 1)]
}

/// The upper half of each character has the colour of the text, the lower that of the ground.
pub(crate) fn blocks(preview: &Preview) -> String {
    let width = preview.width as usize;
    let pixel = |x: usize, y: usize| -> [u8; 3] {
        let bytes = if preview.has_alpha { 4 } else { 3 };
        let at = (y * width + x) * bytes;
        let color = [0, 1, 2].map(|i| preview.pixels[at + i]);
        if !preview.has_alpha {
            return color;
        }
        // A chessboard behind what can be seen through.
        let ground = if (x / 4 + y / 4).is_multiple_of(2) { 102 } else { 153 };
        let alpha = u32::from(preview.pixels[at + 3]);
        color.map(|c| ((u32::from(c) * alpha + ground * (255 - alpha) + 127) / 255) as u8)
    };
    let mut text = String::new();
    for y in (0..preview.height as usize).step_by(2) {
        let mut last = None;
        for x in 0..width {
            let upper = pixel(x, y);
            let lower = (y + 1 < preview.height as usize).then(|| pixel(x, y + 1));
            if last != Some((upper, lower)) {
                let [r, g, b] = upper;
                let _ = write!(text, "\x1b[38;2;{r};{g};{b}m");
                match lower {
                    Some([r, g, b]) => write!(text, "\x1b[48;2;{r};{g};{b}m"),
                    None => write!(text, "\x1b[49m"),
                }
                .expect("strings take all");
                last = Some((upper, lower));
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_make_a_line() {
        let pixels = vec![
            255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0, 7, 7, 7, 255, 7, 7, 7, 255,
        ];
        let shown = "R, G, B, A".to_owned();
        let preview = Preview { width: 2, height: 3, has_alpha: true, pixels, shown };
        let expected = "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[38;2;0;255;0m\x1b[48;2;102;102;102m▀\
            \x1b[0m\n\x1b[38;2;7;7;7m\x1b[49m▀▀\x1b[0m\n";
        assert_eq!(blocks(&preview), expected);
    }
}
