//! `solio convert --join` and `--split`: images put together and taken apart, also frame by frame.

use crate::args::{AnyFormat, ConvertArgs};
use crate::image_convert::run_all;
use crate::inputs::{self, FoundInputs, NumberedFile};
use crate::output_path::{check_folder, is_folder, is_standard, refuse_both};
use crate::{Outcome, screen, terminal};
use solio::names::OsStringBytes;
use solio::{
    Error, FramePattern, ImageConvertOptions, ImageGroup, ImageJob, MergeJob, Result, Work,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Puts all inputs together, frame by frame where they are sequences.
pub(crate) fn merge(
    args: &ConvertArgs,
    inputs: &[PathBuf],
    by: ImageGroup,
    wanted: &ImageConvertOptions,
    work: &Work,
) -> Result<Outcome> {
    refuse_both(&args.output, args.json)?;
    if is_folder(&args.output) {
        return Err(Error::argument("what is put together is one file, or one a frame")
            .at_path(&args.output)
            .hint("name it: -o all.exr, or -o all.####.exr"));
    }
    let names = names(args, inputs)?;
    let jobs = merge_plan(args, inputs, names)?;
    if jobs.is_empty() {
        return Ok(inputs::none_named());
    }
    if args.dry_run {
        let plan: Vec<ImageJob> = jobs.iter().flat_map(planned).collect();
        return Ok(inputs::show_plan(&plan));
    }
    let read: Vec<&PathBuf> = jobs.iter().flat_map(|job| &job.inputs).collect();
    run_all(args, &read, jobs.len(), work, |told| {
        solio::merge_image_files(&jobs, by, wanted, work, |job, result| {
            let first = job.inputs.first().map_or(job.output.as_path(), PathBuf::as_path);
            let at = result.as_ref().err().and_then(Error::path).map(Path::to_owned);
            let input = at.as_deref().unwrap_or(first);
            told.one(input, &job.output, result.map(|done| vec![(job.output.clone(), done)]))
        })
    })
}

fn planned(job: &MergeJob) -> impl Iterator<Item = ImageJob> {
    job.inputs.iter().map(|input| (input.clone(), job.output.clone()))
}

/// What the inputs are called.
fn names(args: &ConvertArgs, inputs: &[PathBuf]) -> Result<Vec<String>> {
    let Some(names) = &args.changes.names else {
        return Ok(inputs.iter().map(|input| name_of(input)).collect());
    };
    if names.len() != inputs.len() {
        let message = format!("{} names for {} inputs", names.len(), inputs.len());
        return Err(Error::argument(message).hint("--as takes a name for each: --as key,fill"));
    }
    Ok(names.iter().map(|name| name.trim().to_owned()).collect())
}

/// The name of a file without its frame and its extension.
fn name_of(input: &Path) -> String {
    let name = input.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = match inputs::pattern(input) {
        Some(pattern) => {
            let frame = pattern.path(1);
            let with = frame.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let same = name.bytes().zip(with.bytes()).take_while(|(a, b)| a == b).count();
            let start = with.get(..same).unwrap_or_default();
            start.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
        }
        None => Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    name.trim_end_matches(['.', '_', '-', ' ']).to_owned()
}

/// A job a frame that any input has; inputs that are not sequences are in all of them.
fn merge_plan(args: &ConvertArgs, inputs: &[PathBuf], names: Vec<String>) -> Result<Vec<MergeJob>> {
    let (output, wanted) = (&args.output, args.image.frames.as_ref());
    let chosen = args.changes.names.is_some();
    let patterns: Vec<Option<FramePattern>> =
        inputs.iter().map(|input| inputs::pattern(input)).collect();
    let mut frames: BTreeSet<i64> = BTreeSet::new();
    for pattern in patterns.iter().flatten() {
        frames.extend(pattern.frames(wanted)?);
    }
    let any = patterns.iter().any(Option::is_some);
    if !any && wanted.is_some() {
        return Err(Error::argument("--frames needs inputs such as a.####.exr"));
    }
    if any && frames.is_empty() {
        return Err(Error::argument("no frames match these patterns").at_path(&inputs[0]));
    }
    let to = FramePattern::of(output);
    if to.is_some() {
        check_folder(output, "the frames")?;
        if !any {
            return Err(Error::argument("only frames can become frames")
                .at_path(output)
                .hint("name inputs such as a.####.exr"));
        }
    }
    if !any {
        let job = MergeJob { inputs: inputs.to_vec(), names, chosen, output: output.clone() };
        return Ok(if inputs.is_empty() { Vec::new() } else { vec![job] });
    }
    if to.is_none() && frames.len() > 1 {
        return Err(Error::argument(format!("{} frames, but one output", frames.len()))
            .at_path(output)
            .hint("name frames: -o all.####.exr"));
    }
    let job = |frame: i64| {
        let of_frame = |(input, pattern): (&PathBuf, &Option<FramePattern>)| match pattern {
            Some(pattern) => pattern.path(frame),
            None => input.clone(),
        };
        let inputs = inputs.iter().zip(&patterns).map(of_frame).collect();
        let output = to.as_ref().map_or_else(|| output.clone(), |to| to.path(frame));
        MergeJob { inputs, names: names.clone(), chosen, output }
    };
    Ok(frames.into_iter().map(job).collect())
}

/// Takes all inputs apart.
pub(crate) fn split(
    args: &ConvertArgs,
    inputs: &[PathBuf],
    by: ImageGroup,
    wanted: &ImageConvertOptions,
    work: &Work,
) -> Result<Outcome> {
    if is_standard(&args.output) {
        return Err(Error::argument("several files do not go to standard output")
            .hint("name a folder: -o out/"));
    }
    let mut found = FoundInputs::of(inputs, args.image.frames.as_ref())?;
    let files = std::mem::take(&mut found.files);
    if files.is_empty() {
        return found.nothing();
    }
    let whole = found.fail_empty(args.json);
    let places = files.iter().map(|file| Place::of(args, file)).collect::<Result<Vec<_>>>()?;
    if args.dry_run {
        for ((input, _), place) in files.iter().zip(&places) {
            let output = terminal::name(&place.path("*"));
            screen::print(&format!("{} -> {output}\n", terminal::name(input)));
        }
        return Ok(whole);
    }
    if is_folder(&args.output) {
        solio_io::make_folder(&args.output)?;
    }
    let inputs: Vec<PathBuf> = files.into_iter().map(|(input, _)| input).collect();
    let read: Vec<&PathBuf> = inputs.iter().collect();
    let outcome = run_all(args, &read, inputs.len(), work, |told| {
        let place = |file: usize, name: &str| places[file].path(name);
        solio::split_image_files(&inputs, by, place, wanted, work, |input, result| {
            told.one(input, &args.output, result)
        })
    })?;
    Ok(if outcome == Outcome::Done { whole } else { outcome })
}

/// Where the pieces of a file go: what stands before and behind their names.
struct Place {
    folder: PathBuf,
    before: String,
    after: String,
}

impl Place {
    fn of(args: &ConvertArgs, (input, frame): &NumberedFile) -> Result<Place> {
        let output = &args.output;
        if is_folder(output) {
            let name = inputs::name_of(input)?.to_string_lossy().into_owned();
            let name = Path::new(&name);
            let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let end = match args.format {
                Some(AnyFormat::Image(format)) => format.extension().to_owned(),
                _ => name.extension().unwrap_or_default().to_string_lossy().into_owned(),
            };
            // The number of a frame stays last.
            let digits = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
            let number = stem.len() - if frame.is_some() { digits } else { 0 };
            let (title, number) = stem.split_at(number);
            let title = title.trim_end_matches(['.', '_', '-']);
            let before = if title.is_empty() { String::new() } else { format!("{title}.") };
            let number = if number.is_empty() { String::new() } else { format!(".{number}") };
            let after = format!("{number}.{end}");
            return Ok(Place { folder: output.clone(), before, after });
        }
        let output = match (FramePattern::of(output), frame) {
            (Some(to), Some(frame)) => to.path(*frame),
            (Some(_), None) => {
                return Err(Error::argument("only frames can become frames")
                    .at_path(input)
                    .hint("name inputs such as a.####.exr"));
            }
            (None, _) => output.clone(),
        };
        check_folder(&output, "the pieces")?;
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((before, after)) = name.split_once('*') else {
            return Err(Error::argument("the name has no place for that of a layer or part")
                .at_path(output)
                .hint("name a folder, -o out/, or write * where it goes: -o 'out/*.exr'"));
        };
        let folder = output.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Place { folder, before: before.to_owned(), after: after.to_owned() })
    }

    /// The file of a piece. A name is not a path.
    fn path(&self, name: &str) -> PathBuf {
        let plain = |c: char| if matches!(c, '/' | '\\' | ':') || c.is_control() { '_' } else { c };
        let mut name: String = name.chars().map(plain).collect();
        if name.starts_with('.') && self.before.is_empty() {
            name.replace_range(..1, "_");
        }
        let name = format!("{}{name}{}", self.before, self.after);
        self.folder.join(OsString::from_vec(name.into_bytes()))
    }
}
