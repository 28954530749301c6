//! `solio convert` of scenes: to text (formatted, upgraded from version 3, unpacked), and to the
//! formats of other programs.

use crate::args::{ConvertArgs, IMAGES, MeshesChoice, READING, SCENES, WRITING};
use crate::conversions::Conversions;
use crate::output_path::{is_folder, named_file, refuse_both, without_compression};
use crate::stats::RunMeter;
use crate::table::{bytes, seconds};
use crate::{Outcome, inputs, json_paths, losses, schema, screen, terminal};
use serde_json::json;
use solio::{
    Error, ErrorKind, Format, ImageJob, Job, Limits, MeshPlace, Progress, Result,
    SceneExportOptions, SceneExported, SceneFormat, SceneInstances, ScenePackOptions, SceneText,
    SceneTextOptions, Stopwatch, Work, Written,
};
use std::path::{Path, PathBuf};

/// Whether scenes are to be written as scenes.
pub(crate) fn is_meant(args: &ConvertArgs, inputs: &[PathBuf]) -> bool {
    let to_other = match args.format {
        Some(_) => true,
        None => named_file(&args.output).and_then(Format::of_name).is_some(),
    };
    (args.scene_format().is_some() || !to_other)
        && inputs.first().is_some_and(|input| solio::is_scene(input))
}

/// Writes every input anew, goes on past bad ones.
pub(crate) fn run(args: &ConvertArgs, inputs: &[PathBuf], work: &Work) -> Result<Outcome> {
    let jobs = plan(args, inputs)?;
    if args.dry_run {
        return Ok(inputs::show_plan(&jobs));
    }
    let first = inputs.first().map(|input| &**input);
    let mut all = Conversions::start(args, first, false, &[">read", ">written", ">in"], work)?;
    let mut failed = false;
    for (input, output) in &jobs {
        let work = &Work { progress: Progress::default(), ..work.clone() };
        let watch = Stopwatch::start();
        match convert(args, input, output, work) {
            Ok(made) => {
                failed |= !made.is_whole;
                add(&mut all, (input, output), &made.written, work, watch.wall_s());
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed = true;
                screen::fail(input, error, args.json);
            }
        }
    }
    all.measure();
    all.finish(args, inputs.iter(), "scene", work)?;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// What became of one scene.
struct ConvertedScene {
    is_whole: bool,
    written: Written,
}

fn convert(args: &ConvertArgs, input: &Path, output: &Path, work: &Work) -> Result<ConvertedScene> {
    let name = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    let seen = RunMeter::start(&args.shown, &name, &[input], work);
    let durable = args.write.durable;
    if let Some(format) = args.scene_format() {
        let options = SceneExportOptions {
            format: Some(format),
            durable,
            strict_loss: args.strict_loss,
            instances: args.read.instances.map_or_else(SceneInstances::default, Into::into),
            ..SceneExportOptions::default()
        };
        let made = solio::export_scene(input, output, &options, work)?;
        say_exported(args, input, output, &made);
        seen.end(1);
        return Ok(ConvertedScene { is_whole: made.problems.is_empty(), written: made.written });
    }
    if solio::is_packed_scene(output) {
        let options = ScenePackOptions { durable, ..ScenePackOptions::default() };
        let made = solio::pack_scene(input, output, &options, work)?;
        let problems = made.scene.problems.into_iter().chain(made.left_meshes).collect();
        let written = Written { file_bytes: made.summary.file_bytes, ..Written::default() };
        let made = SceneText { written, problems, ..SceneText::default() };
        say(args, input, output, &made);
        seen.end(1);
        return Ok(ConvertedScene { is_whole: made.problems.is_empty(), written: made.written });
    }
    if solio::is_packed_scene(input) {
        let made = solio::unpack_scene(input, output, &Limits::default(), work)?;
        let problems = made.left_meshes;
        let made = SceneText { written: made.written, problems, ..SceneText::default() };
        say(args, input, output, &made);
        seen.end(1);
        return Ok(ConvertedScene { is_whole: made.problems.is_empty(), written: made.written });
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
        durable,
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
    Ok(ConvertedScene { is_whole: made.problems.is_empty(), written: made.written })
}

/// Adds the conversion to what all did together.
fn add(all: &mut Conversions, files: (&Path, &Path), written: &Written, work: &Work, wall_s: f64) {
    let moved = work.progress.now();
    let (read_bytes, written_bytes) = (moved.read_bytes, written.file_bytes);
    let copied_bytes = read_bytes + written_bytes;
    all.files += moved.files;
    all.add(files, &Job { read_bytes, written_bytes, copied_bytes, ..Job::default() }, || {
        vec![bytes(read_bytes), bytes(written_bytes), seconds(wall_s)]
    });
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
            terminal::told(input)
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
    losses::say(input, &made.losses);
    if args.json {
        let line = json!({
            "files": json_paths::sized(&made.written.files),
            "bytes": made.written.file_bytes,
            "meshes": made.meshes,
            "instances": made.instances,
            "sheared": made.sheared,
            "problems": made.problems.iter().map(screen::error_json).collect::<Vec<_>>(),
            "warnings": made.warnings,
            "losses": losses::to_json(&made.losses),
        });
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("convert-export/2", &paths, line));
    }
}

/// A file, or a name in a folder for each input.
fn plan(args: &ConvertArgs, inputs: &[PathBuf]) -> Result<Vec<ImageJob>> {
    let output = &args.output;
    refuse_both(output, args.json)?;
    if args.scene_format().is_some() {
        args.given.refuse(&[SCENES], &[], "scenes that are not written as .pbrt")?;
    }
    let packed = inputs.iter().find(|input| solio::is_packed_scene(input));
    let packs = named_file(output).is_some_and(solio::is_packed_scene);
    let (what, but) = match (args.scene_format(), packed) {
        (Some(SceneFormat::Gltf | SceneFormat::Glb), _) => {
            ("scenes", &["durable", "instances"][..])
        }
        (Some(_), _) => ("scenes", &["durable"][..]),
        (None, _) if packs => ("scenes that are packed", &["durable"][..]),
        (None, Some(_)) => ("scenes that are unpacked", &[][..]),
        (None, None) => ("scenes", &["durable", "compress"][..]),
    };
    args.given.refuse(&[IMAGES, READING, WRITING], but, what)?;
    if let Some(packed) =
        packed.filter(|_| args.whole_scene || args.meshes.is_some() || args.upgrade)
    {
        let message = "a packed scene is written as it was packed";
        let error = Error::argument(message).at_path(packed);
        return Err(error.hint("unpack it first, without --upgrade, --whole-scene and --meshes"));
    }
    if packs && (args.whole_scene || args.meshes.is_some() || args.upgrade) {
        let error = Error::argument("a scene is packed as it is").at_path(output);
        return Err(error.hint("write it as .pbrt first, and pack that"));
    }
    if !is_folder(output) {
        if args.whole_scene {
            let error = Error::argument("--whole-scene writes a folder").at_path(output);
            return Err(error.hint("name it: -o out/"));
        }
        return inputs::into_file(inputs.to_vec(), output, "name a folder: -o out/");
    }
    inputs::into_folder(inputs.to_vec(), output, args.dry_run, |input| {
        let name = PathBuf::from(input.file_name().unwrap_or_default());
        Ok(match args.scene_format() {
            Some(format) => Path::new(without_compression(input)).with_extension(format.as_str()),
            None if solio::is_packed_scene(input) => name.with_extension("pbrt"),
            None => name,
        })
    })
}
