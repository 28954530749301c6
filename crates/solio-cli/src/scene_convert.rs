//! `solio convert` of scenes: to text (formatted, upgraded from version 3, unpacked), and to the
//! formats of other programs.

use crate::args::{AnyFormat, ConvertArgs, MeshesChoice};
use crate::convert::{is_standard, make_folder, without_compression};
use crate::stats::Seen;
use crate::{Outcome, names, schema, screen};
use serde_json::json;
use solio::{
    Error, ErrorKind, Format, Limits, MeshPlace, Progress, Result, SceneExportOptions,
    SceneExported, SceneText, SceneTextOptions, Work,
};
use std::path::{Path, PathBuf};

/// Whether scenes are to be written as scenes.
pub(crate) fn is_meant(args: &ConvertArgs, inputs: &[PathBuf]) -> bool {
    let to_other = match args.format {
        Some(format) => !matches!(format, AnyFormat::Scene(_)),
        None => Format::of_name(&args.output).is_some(),
    };
    !to_other && inputs.first().is_some_and(|input| solio::is_scene(input))
}

/// Writes every input anew, goes on past bad ones.
pub(crate) fn run(args: &ConvertArgs, inputs: &[PathBuf], work: &Work) -> Result<Outcome> {
    let outputs = outputs(args, inputs)?;
    let mut failed = false;
    for (input, output) in inputs.iter().zip(&outputs) {
        if args.dry_run {
            screen::print(&format!("{} -> {}\n", input.display(), output.display()));
            continue;
        }
        match convert(args, input, output, work) {
            Ok(fine) => failed |= !fine,
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed = true;
                screen::fail(input, error, args.json);
            }
        }
    }
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

fn convert(args: &ConvertArgs, input: &Path, output: &Path, work: &Work) -> Result<bool> {
    let name = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    let work = &Work { progress: Progress::default(), ..work.clone() };
    let seen = Seen::start(&args.shown, &name, &[input], work);
    if let Some(format) = args.scene_format() {
        let format = Some(format);
        let options = SceneExportOptions { format, ..SceneExportOptions::default() };
        let made = solio::export_scene(input, output, &options, work)?;
        say_exported(args, input, output, &made);
        seen.end(1);
        return Ok(true);
    }
    if solio::is_packed_scene(input) {
        let made = solio::unpack_scene(input, output, &Limits::default(), work)?;
        let problems = made.left_meshes;
        let made = SceneText { written: made.written, problems, ..SceneText::default() };
        say(args, input, output, &made);
        seen.end(1);
        return Ok(made.problems.is_empty());
    }
    let meshes = match args.meshes {
        None => MeshPlace::AsTheyAre,
        Some(MeshesChoice::Ply) => MeshPlace::Ply,
        Some(MeshesChoice::Inline) => MeshPlace::Inline,
    };
    let options = SceneTextOptions {
        upgrade: args.upgrade,
        meshes,
        compression: args.write.compress.map(Into::into),
        ..SceneTextOptions::default()
    };
    let made = match args.whole_scene {
        true => {
            let folder = output.parent().unwrap_or(Path::new(""));
            solio::rewrite_whole_scene(input, folder, &options, work)?
        }
        false => solio::rewrite_scene(input, output, &options, work)?,
    };
    say(args, input, output, &made);
    seen.end(1);
    Ok(made.problems.is_empty())
}

fn say(args: &ConvertArgs, input: &Path, output: &Path, made: &SceneText) {
    for problem in &made.problems {
        screen::complain_of(problem);
    }
    for warning in &made.warnings {
        screen::complain(&format!("warning: {warning}"));
    }
    if args.upgrade && made.includes > 0 {
        let files = if made.includes == 1 { "1 file" } else { &format!("{} files", made.includes) };
        let words = format!(
            "{}: {files} that it includes: --whole-scene takes them along",
            input.display()
        );
        screen::complain(&format!("note: {words}"));
    }
    if args.json {
        let all = |errors: &[Error]| errors.iter().map(screen::error_json).collect::<Vec<_>>();
        let line = json!({
            "bytes": made.written.file_bytes,
            "problems": all(&made.problems),
            "warnings": all(&made.warnings),
            "includes": made.includes,
            "texts_and_meshes": made.written.files.len(),
            "moved_meshes": made.moved_meshes,
            "copied": made.copied,
        });
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("convert-scene/1", &paths, line));
    }
}

fn say_exported(args: &ConvertArgs, input: &Path, output: &Path, made: &SceneExported) {
    for problem in &made.problems {
        screen::complain(&format!("warning: {problem}"));
    }
    for warning in &made.warnings {
        screen::complain(&format!("warning: {warning}"));
    }
    for words in &made.left_out {
        screen::complain(&format!("note: {}: left out: {words}", input.display()));
    }
    if args.json {
        let files = made.written.files.iter();
        let files = files.map(|(path, bytes)| names::sized(path, *bytes));
        let line = json!({
            "files": files.collect::<Vec<_>>(),
            "bytes": made.written.file_bytes,
            "meshes": made.meshes,
            "instances": made.instances,
            "sheared": made.sheared,
            "problems": made.problems.iter().map(screen::error_json).collect::<Vec<_>>(),
            "warnings": made.warnings,
            "left_out": made.left_out,
        });
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("convert-export/1", &paths, line));
    }
}

/// A file, or a name in a folder for each input.
fn outputs(args: &ConvertArgs, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let output = &args.output;
    if is_standard(output) && args.json {
        return Err(Error::argument("--json and -o - both want standard output"));
    }
    if args.scene_format().is_some() && (args.whole_scene || args.meshes.is_some()) {
        let message = "--whole-scene and --meshes are for scenes that are written as .pbrt";
        return Err(Error::argument(message).at_path(output));
    }
    let packed = inputs.iter().find(|input| solio::is_packed_scene(input));
    if let Some(packed) =
        packed.filter(|_| args.whole_scene || args.meshes.is_some() || args.upgrade)
    {
        let message = "a packed scene is written as it was packed";
        let error = Error::argument(message).at_path(packed);
        return Err(error.hint("unpack it first, without --upgrade, --whole-scene and --meshes"));
    }
    let folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if !folder {
        if args.whole_scene {
            let error = Error::argument("--whole-scene writes a folder").at_path(output);
            return Err(error.hint("name it: -o out/"));
        }
        if inputs.len() > 1 {
            let message = format!("{} inputs, but one output", inputs.len());
            return Err(Error::argument(message).at_path(output).hint("name a folder: -o out/"));
        }
        return Ok(vec![output.clone()]);
    }
    let mut outputs: Vec<PathBuf> = Vec::new();
    for input in inputs {
        let mut path = output.join(input.file_name().unwrap_or_default());
        if let Some(format) = args.scene_format() {
            path = output.join(without_compression(input)).with_extension(format.as_str());
        } else if solio::is_packed_scene(input) {
            path.set_extension("pbrt");
        }
        if outputs.contains(&path) {
            return Err(Error::argument("two inputs would become this file").at_path(&path));
        }
        outputs.push(path);
    }
    if !args.dry_run {
        make_folder(output)?;
    }
    Ok(outputs)
}
