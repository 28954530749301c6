//! `solio convert` of images, one by one or as sequences of frames.

use crate::args::{AnyFormat, ConvertArgs, ImageArgs, READING, SCENES, WRITING};
use crate::inputs::{FoundInputs, NumberedFile};
use crate::limit::Limit;
use crate::output_path::{
    BROKEN_PIPE, is_folder, is_standard, make_folder, named_file, refuse_both,
};
use crate::progress::ShownProgress;
use crate::table::{CONVERSIONS, TextTable, bytes, count, figures, seconds};
use crate::{Outcome, inputs, json_paths, losses, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::image::{Layout, PixelType, WriteOptions};
use solio::{
    Choice, Error, ErrorKind, FileType, Format, FramePattern, ImageConvertOptions, ImageConverted,
    ImageFormat, ImageJob, ImageWriteOptions, Job, PictureOptions, Result, Stopwatch, Summary,
    Usage, Work,
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
    let mut found = FoundInputs::of(inputs, args.image.frames.as_ref())?;
    let jobs = plan(args, std::mem::take(&mut found.files))?;
    if jobs.is_empty() {
        return found.nothing();
    }
    let whole = found.fail_empty(args.json);
    if args.dry_run {
        for (input, output) in &jobs {
            screen::print(&format!("{} -> {}\n", terminal::name(input), terminal::name(output)));
        }
        return Ok(whole);
    }
    let record = options::record(&args.record);
    let watched = args.shown.stats || record.is_wanted();
    let limit = match watched {
        true => Limit::of_conversion(jobs.first().map(|(input, _)| &**input), &args.output, work),
        false => Limit::default(),
    };
    let recorded = record.start()?;
    let mut all = ImageTotals::new();
    let fetched = solio::fetched_bytes();
    let watch = Stopwatch::start();
    let outcome = convert_all(args, &jobs, &wanted, work, &mut all)?;
    all.usage = watch.usage();
    all.fetched = solio::fetched_bytes().saturating_sub(fetched);
    if args.shown.stats {
        screen::say(&all.stats(&limit));
    }
    if let Some(recorded) = recorded {
        recorded.finish(all.summary(args, &jobs, &limit), work)?;
    }
    Ok(if outcome == Outcome::Done { whole } else { outcome })
}

fn convert_all(
    args: &ConvertArgs,
    jobs: &[ImageJob],
    wanted: &ImageConvertOptions,
    work: &Work,
    all: &mut ImageTotals,
) -> Result<Outcome> {
    let name = match jobs {
        [(input, _)] => input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into(),
        jobs => format!("{} images", jobs.len()),
    };
    let shown = ShownProgress::start(args.shown.progress, &name, &work.progress);
    let (mut failed, mut done) = (0, 0);
    let mut outcome = Outcome::Done;
    solio::convert_images(jobs, wanted, work, |(input, output), result| {
        match result {
            Ok(converted) => {
                tell(args, input, output, &converted);
                all.add(input, output, &converted);
                done += 1;
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                outcome = Outcome::Interrupted;
                return Ok(false);
            }
            // The reader of our standard output has seen enough (`… | head`): no failure.
            Err(error) if is_standard(output) && error.os_error() == Some(BROKEN_PIPE) => {
                return Ok(false);
            }
            // What cannot be done with one image alone was asked for wrongly.
            Err(error) if error.kind() == ErrorKind::Argument && jobs.len() == 1 => {
                return Err(error);
            }
            Err(error) => {
                failed += 1;
                screen::fail(input, error, args.json);
            }
        }
        Ok(true)
    })
    .or_else(|error| match error.kind() {
        ErrorKind::Cancelled => {
            outcome = Outcome::Interrupted;
            Ok(())
        }
        _ => Err(error),
    })?;
    drop(shown);
    if outcome == Outcome::Interrupted {
        screen::complain(&format!("interrupted; {done} of {} done", jobs.len()));
        return Ok(outcome);
    }
    if failed > 0 && jobs.len() > 1 {
        screen::complain(&format!("{failed} of {} inputs failed", jobs.len()));
    }
    Ok(if failed > 0 { Outcome::SomeFailed } else { Outcome::Done })
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
    let pixel_type = match (image.half, image.float) {
        (true, _) => Some(PixelType::Half),
        (_, true) => Some(PixelType::Float),
        _ => None,
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
        crop: image.crop,
        pixel_type,
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
    let several = inputs.len();
    match <[PathBuf; 1]>::try_from(inputs) {
        Ok([input]) => Ok(vec![(input, output.clone())]),
        Err(_) if several == 0 => Ok(Vec::new()),
        Err(_) => Err(Error::argument(format!("{several} inputs, but one output"))
            .at_path(output)
            .hint("name a folder, -o out/, or frames, -o b.####.exr")),
    }
}

/// Files of the same names in the folder, with the end of their new format.
fn into_folder(args: &ConvertArgs, inputs: Vec<PathBuf>) -> Result<Vec<ImageJob>> {
    let output = &args.output;
    let named = |input: PathBuf| {
        let name = input.file_name().filter(|_| !is_standard(&input)).ok_or_else(|| {
            Error::argument("standard input has no name to give to a file in a folder")
                .hint("name the output file")
        })?;
        let mut path = output.join(name);
        if let Some(AnyFormat::Image(format)) = args.format
            && ImageFormat::of_name(&path) != Some(format)
        {
            if ImageFormat::of_name(&path).is_some() {
                path.set_extension("");
            }
            let mut whole = path.into_os_string();
            whole.push(".");
            whole.push(format.extension());
            path = whole.into();
        }
        Ok((input, path))
    };
    let jobs = inputs::distinct(inputs.into_iter().map(named).collect::<Result<_>>()?)?;
    if !args.dry_run && !jobs.is_empty() {
        make_folder(output)?;
    }
    Ok(jobs)
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

/// What all conversions did together.
struct ImageTotals {
    read_bytes: u64,
    written_bytes: u64,
    fetched: u64,
    usage: Usage,
    converted: u64,
    table: TextTable,
}

impl ImageTotals {
    fn new() -> ImageTotals {
        let table = TextTable::new(&CONVERSIONS);
        let usage = Usage::default();
        ImageTotals { read_bytes: 0, written_bytes: 0, fetched: 0, usage, converted: 0, table }
    }

    fn add(&mut self, input: &Path, output: &Path, converted: &ImageConverted) {
        self.read_bytes += converted.read_bytes;
        self.written_bytes += converted.written.file_bytes;
        self.converted += 1;
        self.table.row_to_record(|| {
            vec![
                input.display().to_string(),
                output.display().to_string(),
                bytes(converted.read_bytes),
                seconds(converted.read.wall_s),
                bytes(converted.written.file_bytes),
                seconds(converted.write.wall_s),
            ]
        });
    }

    fn job(&self) -> Job {
        Job {
            read_bytes: self.read_bytes,
            disk_bytes: self.fetched,
            written_bytes: self.written_bytes,
            copied_bytes: self.read_bytes + self.written_bytes,
            cpu_s: self.usage.cpu_s,
        }
    }

    /// What `--stats` says.
    fn stats(&self, limit: &Limit) -> String {
        let rate = |bytes: u64| figures(bytes as f64 / 1e6 / self.usage.wall_s.max(1e-9));
        let mut text = format!(
            "{} converted in {}, CPU {}\n  {} read ({} MB/s), {} written ({} MB/s); peak memory {}",
            count(self.converted),
            seconds(self.usage.wall_s),
            seconds(self.usage.cpu_s),
            bytes(self.read_bytes),
            rate(self.read_bytes),
            bytes(self.written_bytes),
            rate(self.written_bytes),
            bytes(solio::peak_rss_bytes()),
        );
        if let Some(words) = limit.words(&self.job(), self.usage.wall_s) {
            text += &format!("\n  {words}");
        }
        text
    }

    /// What the trace and the page say about the run.
    fn summary(&self, args: &ConvertArgs, jobs: &[ImageJob], limit: &Limit) -> Summary {
        let from = json_paths::one_or_count(jobs.iter().map(|(input, _)| input), "image");
        let title = format!("solio convert {from} -o {}", args.output.display());
        let table = self.table.for_page();
        let files = 2 * self.converted;
        Summary { table, ..limit.summary(title, files, self.job(), self.usage.wall_s) }
    }
}

impl ImageArgs {
    /// Whether something was asked for that only images have.
    fn are_given(&self) -> bool {
        self.compression.is_some() || !self.channels.is_empty() || self.frames.is_some()
    }
}
