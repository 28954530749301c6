//! `solio convert` of images, one by one or as sequences of frames.

use crate::args::{AnyFormat, ConvertArgs, ImageArgs, READING, SCENES, WRITING};
use crate::conversions::Conversions;
use crate::inputs::{FoundInputs, NumberedFile};
use crate::output_path::{BROKEN_PIPE, is_folder, is_standard, named_file, refuse_both};
use crate::progress::ShownProgress;
use crate::table::{bytes, count, figures, seconds};
use crate::{Outcome, image_changes, image_groups, inputs, losses, schema, screen, terminal};
use serde_json::{Value, json};
use solio::image::{Layout, PixelType, WriteOptions};
use solio::{
    Choice, Error, ErrorKind, FileType, Format, FramePattern, ImageConvertOptions, ImageConverted,
    ImageFormat, ImageJob, ImageWriteOptions, Job, PictureOptions, Result, Work,
};
use std::path::{Path, PathBuf};

/// Whether the command is about images: by the output, else by the first input.
pub(crate) fn is_meant(args: &ConvertArgs, inputs: &[PathBuf], work: &Work) -> bool {
    let file = named_file(&args.output);
    match (args.format, file.and_then(ImageFormat::of_name), file.and_then(Format::of_name)) {
        (Some(AnyFormat::Image(_)), ..) => true,
        (Some(AnyFormat::Mesh(_) | AnyFormat::Scene(_)), ..) => false,
        (None, Some(_), _) => true,
        (None, None, Some(_)) => false,
        _ => {
            let is_image = |path: &PathBuf| {
                let named = FileType::of_path(path).map(|named| named.kind);
                let kind = named.or_else(|| inputs::kind_of(path, work));
                kind.and_then(ImageFormat::of_kind).is_some()
            };
            inputs.first().is_some_and(is_image) || args.image.are_given()
        }
    }
}

/// Converts every input, goes on past bad ones.
pub(crate) fn run(args: &ConvertArgs, inputs: &[PathBuf], work: &Work) -> Result<Outcome> {
    let wanted = wanted(args)?;
    if let Some(mesh) = inputs.iter().find(|input| Format::of_name(input).is_some()) {
        let error = Error::argument("a mesh cannot become an image").at_path(mesh);
        return Err(error.hint("solio sheet draws meshes: solio sheet a.obj -o a.png"));
    }
    args.given.refuse(&[SCENES, READING, WRITING], &["durable"], "images")?;
    if let Some(by) = args.changes.join {
        return image_groups::merge(args, inputs, by, &wanted, work);
    }
    if let Some(by) = args.changes.split {
        return image_groups::split(args, inputs, by, &wanted, work);
    }
    let mut found = FoundInputs::of(inputs, args.image.frames.as_ref())?;
    let jobs = plan(args, std::mem::take(&mut found.files))?;
    if jobs.is_empty() {
        return found.nothing();
    }
    let whole = found.fail_empty(args.json);
    if args.dry_run {
        inputs::show_plan(&jobs);
        return Ok(whole);
    }
    let read: Vec<&PathBuf> = jobs.iter().map(|(input, _)| input).collect();
    let outcome = run_all(args, &read, jobs.len(), work, |told| {
        solio::convert_images(&jobs, &wanted, work, |(input, output), result| {
            told.one(input, output, result.map(|done| vec![(output.clone(), done)]))
        })
    })?;
    Ok(if outcome == Outcome::Done { whole } else { outcome })
}

/// Runs so many jobs, whose files are `read`, and sums them up.
pub(crate) fn run_all(
    args: &ConvertArgs,
    read: &[&PathBuf],
    jobs: usize,
    work: &Work,
    run: impl FnOnce(&mut ToldImages<'_>) -> Result<()>,
) -> Result<Outcome> {
    let first = read.first().map(|input| input.as_path());
    let columns = [">read", ">in", ">written", ">in"];
    let mut all = Conversions::start(args, first, args.shown.stats, &columns, work)?;
    let name = match read {
        [input] => input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into(),
        _ => format!("{jobs} images"),
    };
    let shown = ShownProgress::start(args.shown.progress, &name, &work.progress);
    let mut told =
        ToldImages { args, all: &mut all, jobs, failed: 0, done: 0, outcome: Outcome::Done };
    let ran = run(&mut told);
    let ToldImages { failed, done, mut outcome, .. } = told;
    ran.or_else(|error| match error.kind() {
        ErrorKind::Cancelled => {
            outcome = Outcome::Interrupted;
            Ok(())
        }
        _ => Err(error),
    })?;
    drop(shown);
    if outcome == Outcome::Interrupted {
        screen::complain(&format!("interrupted; {done} of {jobs} done"));
    } else {
        outcome = inputs::outcome(failed, jobs);
    }
    all.measure();
    if args.shown.stats {
        screen::say(&stats(&all));
    }
    all.finish(args, read.iter().copied(), "image", work)?;
    Ok(outcome)
}

/// What becomes of jobs, as it is told.
pub(crate) struct ToldImages<'a> {
    args: &'a ConvertArgs,
    all: &'a mut Conversions,
    jobs: usize,
    failed: usize,
    done: usize,
    outcome: Outcome,
}

impl ToldImages<'_> {
    /// Tells of a job with the files that were made of `input`; whether the next one follows.
    ///
    /// # Errors
    /// What was asked for wrongly.
    pub(crate) fn one(
        &mut self,
        input: &Path,
        output: &Path,
        result: Result<Vec<(PathBuf, ImageConverted)>>,
    ) -> Result<bool> {
        match result {
            Ok(files) => {
                for (output, converted) in &files {
                    tell(self.args, input, output, converted);
                    add(self.all, (input, output), converted);
                }
                self.done += 1;
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                self.outcome = Outcome::Interrupted;
                return Ok(false);
            }
            // The reader of our standard output has seen enough (`… | head`): no failure.
            Err(error) if is_standard(output) && error.os_error() == Some(BROKEN_PIPE) => {
                return Ok(false);
            }
            // What cannot be done with one image alone was asked for wrongly.
            Err(error) if error.kind() == ErrorKind::Argument && self.jobs == 1 => {
                return Err(error);
            }
            Err(error) => {
                self.failed += 1;
                screen::fail(input, error, self.args.json);
            }
        }
        Ok(true)
    }
}

/// From what was typed to the options of the engine.
fn wanted(args: &ConvertArgs) -> Result<ImageConvertOptions> {
    let image = &args.image;
    let (compression, level) = match image.compression {
        Some((compression, level)) => (Some(compression), level),
        None => (None, None),
    };
    let layout = match image.tiles {
        Some(tiles) => Layout::Tiles(tiles),
        None if image.scanlines => Layout::Scanlines,
        None => Layout::default(),
    };
    let compat = image.compat;
    let exr = WriteOptions { compression, level, layout, compat, ..WriteOptions::default() };
    let (pixel_type, pixel_channels) = match (&image.half, &image.float) {
        (Some(channels), _) => (Some(PixelType::Half), channels.clone()),
        (_, Some(channels)) => (Some(PixelType::Float), channels.clone()),
        _ => (None, Vec::new()),
    };
    let format = match args.format {
        Some(AnyFormat::Image(format)) => Some(format),
        _ => None,
    };
    let seen = (!image.channels.is_empty()).then(|| image.channels.clone());
    let picture = PictureOptions {
        choice: Choice { part: None, layer: image.layer.clone(), channels: seen },
        frame: image.frame.map(Into::into).unwrap_or_default(),
        bits: image.bits,
        exposure: image.exposure,
        tone_map: image.tonemap.unwrap_or_default(),
        raw: image.raw,
        quality: image.quality,
    };
    Ok(ImageConvertOptions {
        format,
        parts: image.part.clone(),
        channels: image.channels.clone(),
        rename: image.rename.clone(),
        mattes: image.matte.clone(),
        crop: image.crop,
        pixel_type,
        pixel_channels,
        changes: image_changes::changes(&args.changes),
        partial: image.partial,
        strict_loss: args.strict_loss,
        write: ImageWriteOptions { exr, durable: args.write.durable },
        picture,
        ..ImageConvertOptions::default()
    })
}

/// Which input goes where.
fn plan(args: &ConvertArgs, jobs: Vec<NumberedFile>) -> Result<Vec<ImageJob>> {
    let output = &args.output;
    refuse_both(output, args.json)?;
    if let Some(to) = FramePattern::of(output) {
        return inputs::into_frames(jobs, &to, output);
    }
    let inputs: Vec<PathBuf> = jobs.into_iter().map(|(input, _)| input).collect();
    let one = inputs.len() == 1 && args.inputs.files_from.is_none();
    let is_nameless = !is_standard(output) && ImageFormat::of_name(output).is_none();
    if is_folder(output) || !one && is_nameless {
        return into_folder(args, inputs);
    }
    inputs::into_file(inputs, output, "name a folder, -o out/, or frames, -o b.####.exr")
}

/// Files of the same names in the folder, with the end of their new format.
fn into_folder(args: &ConvertArgs, inputs: Vec<PathBuf>) -> Result<Vec<ImageJob>> {
    inputs::into_folder(inputs, &args.output, args.dry_run, |input| {
        let mut name = PathBuf::from(inputs::name_of(input)?);
        if let Some(AnyFormat::Image(format)) = args.format
            && ImageFormat::of_name(&name) != Some(format)
        {
            if ImageFormat::of_name(&name).is_some() {
                name.set_extension("");
            }
            let mut whole = name.into_os_string();
            whole.push(".");
            whole.push(format.extension());
            name = whole.into();
        }
        Ok(name)
    })
}

fn tell(args: &ConvertArgs, input: &Path, output: &Path, converted: &ImageConverted) {
    for note in &converted.notes {
        screen::complain(&format!("note: {}: {note}", terminal::told(input)));
    }
    losses::say(input, &converted.losses);
    if args.json {
        let paths = [("input", input), ("output", output)];
        screen::print(&schema::line("convert-image/1", &paths, to_json(converted)));
    }
}

fn to_json(converted: &ImageConverted) -> Value {
    json!({
        "width": converted.size[0],
        "height": converted.size[1],
        "parts": converted.parts,
        "channels": converted.channels,
        "read_bytes": converted.read_bytes,
        "read_wall_s": converted.read.wall_s,
        "written_bytes": converted.written.file_bytes,
        "write_wall_s": converted.write.wall_s,
        "peak_memory_bytes": solio::peak_rss_bytes(),
        "notes": converted.notes,
        "losses": losses::to_json(&converted.losses),
    })
}

/// Adds the conversion to what all did together.
fn add(all: &mut Conversions, files: (&Path, &Path), converted: &ImageConverted) {
    let (read_bytes, written_bytes) = (converted.read_bytes, converted.written.file_bytes);
    let copied_bytes = read_bytes + written_bytes;
    all.files += 2;
    all.add(files, &Job { read_bytes, written_bytes, copied_bytes, ..Job::default() }, || {
        vec![
            bytes(read_bytes),
            seconds(converted.read.wall_s),
            bytes(written_bytes),
            seconds(converted.write.wall_s),
        ]
    });
}

/// What `--stats` says.
fn stats(all: &Conversions) -> String {
    let Job { read_bytes, written_bytes, cpu_s, .. } = all.job;
    let rate = |bytes: u64| figures(bytes as f64 / 1e6 / all.wall_s.max(1e-9));
    let text = format!(
        "{} converted in {}, CPU {}\n  {} read ({} MB/s), {} written ({} MB/s); peak memory {}",
        count(all.done),
        seconds(all.wall_s),
        seconds(cpu_s),
        bytes(read_bytes),
        rate(read_bytes),
        bytes(written_bytes),
        rate(written_bytes),
        bytes(solio::peak_rss_bytes()),
    );
    text + &all.limit.line(&all.job, all.wall_s)
}

impl ImageArgs {
    /// Whether something was asked for that only images have.
    fn are_given(&self) -> bool {
        self.compression.is_some() || !self.channels.is_empty() || self.frames.is_some()
    }
}
