//! Which files a command works on: its arguments, then the names in a list.

use crate::args::InputArgs;
use crate::output_path::{check_folder, is_standard};
use crate::{Outcome, screen, terminal};
use solio::names::OsStringBytes;
use solio::{
    Error, FileKind, Filter, FramePattern, FrameRange, ImageJob, Input, Limits, Progress, Result,
    Work,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The inputs in the order given; may be empty only when a list was empty.
pub(crate) fn collect(args: &InputArgs, work: &Work) -> Result<Vec<PathBuf>> {
    let mut inputs = args.files.clone();
    if let Some(list) = &args.files_from {
        let text = solio_io::read_whole(list, &Limits::default(), work)?;
        inputs.extend(split_list(&text, args.null));
        if is_standard(list) && inputs.iter().any(|input| is_standard(input)) {
            return Err(Error::argument(
                "the list comes from standard input, so - cannot be an input",
            )
            .hint("./- is a file of that name"));
        }
    } else if inputs.is_empty() {
        return Err(Error::argument("no input files given")
            .hint("name files, or give a list with --files-from"));
    }
    Ok(inputs)
}

/// The same, with the frames that are there in place of each pattern, such as `a.####.exr`; one
/// without any stays, and cannot be opened.
pub(crate) fn files(args: &InputArgs, work: &Work) -> Result<Vec<PathBuf>> {
    Ok(collect(args, work)?.into_iter().flat_map(frames).collect())
}

/// The same without what somebody named and left out.
pub(crate) fn wanted(mut inputs: Vec<PathBuf>, filter: &Filter) -> Vec<PathBuf> {
    inputs.retain(|input| filter.wants_named(input));
    inputs
}

/// The frames that a name stands for, or itself.
pub(crate) fn frames(path: PathBuf) -> Vec<PathBuf> {
    let frames = pattern(&path).and_then(|it| Some((it.frames(None).ok()?, it)));
    match frames {
        Some((frames, it)) if !frames.is_empty() => frames.iter().map(|n| it.path(*n)).collect(),
        _ => vec![path],
    }
}

/// A file, with its number where it is a frame of a pattern.
pub(crate) type NumberedFile = (PathBuf, Option<i64>);

/// The frames that are there of a name that is a pattern, with their numbers, as far as they are
/// `wanted`; `None` of other names.
fn numbered(path: &Path, wanted: Option<&FrameRange>) -> Result<Option<Vec<NumberedFile>>> {
    let Some(from) = pattern(path) else { return Ok(None) };
    Ok(Some(from.frames(wanted)?.into_iter().map(|n| (from.path(n), Some(n))).collect()))
}

/// The files that inputs stand for.
#[derive(Default)]
pub(crate) struct FoundInputs {
    pub(crate) files: Vec<NumberedFile>,
    /// Patterns of which no frame is there, and why, where it is not that nothing matches.
    empty: Vec<(PathBuf, Option<Error>)>,
}

impl FoundInputs {
    /// All inputs, with the frames that are there in place of each pattern, as far as they are `wanted`.
    pub(crate) fn of(inputs: &[PathBuf], wanted: Option<&FrameRange>) -> Result<FoundInputs> {
        let mut found = FoundInputs::default();
        for input in inputs {
            match numbered(input, wanted) {
                Ok(None) if wanted.is_some() => {
                    return Err(Error::argument("--frames needs inputs such as a.####.exr"));
                }
                Ok(None) => found.files.push((input.clone(), None)),
                Ok(Some(frames)) if frames.is_empty() => found.empty.push((input.clone(), None)),
                Ok(Some(frames)) => found.files.extend(frames),
                Err(error) => found.empty.push((input.clone(), Some(error))),
            }
        }
        Ok(found)
    }

    /// Says that there is nothing at all.
    ///
    /// # Errors
    /// That of a folder which is there and cannot be read.
    pub(crate) fn nothing(mut self) -> Result<Outcome> {
        let mut errors = self.empty.iter_mut().filter_map(|(_, error)| error.take());
        if let Some(error) = errors.find(|error| !error.is_missing()) {
            return Err(error);
        }
        screen::complain(&match &self.empty[..] {
            [] => "the list names no files".to_owned(),
            [(one, _)] => format!("no frames match {}", terminal::told(one)),
            [(one, _), rest @ ..] => {
                format!("no frames match {}, nor {} others", terminal::told(one), rest.len())
            }
        });
        Ok(Outcome::NothingMatched)
    }

    /// Tells of patterns of which there is nothing, where there is something else.
    pub(crate) fn fail_empty(self, json: bool) -> Outcome {
        let outcome = if self.empty.is_empty() { Outcome::Done } else { Outcome::SomeFailed };
        for (pattern, error) in self.empty {
            let nothing = || Error::argument("nothing matches this pattern");
            screen::fail(&pattern, error.unwrap_or_else(nothing), json);
        }
        outcome
    }
}

/// The pattern that a name is; a file that has such a name is itself meant.
pub(crate) fn pattern(path: &Path) -> Option<FramePattern> {
    FramePattern::of(path).filter(|_| !path.exists())
}

/// Frames, and the files that they become by the pattern `to`, which `output` names.
pub(crate) fn into_frames(
    frames: Vec<NumberedFile>,
    to: &FramePattern,
    output: &Path,
) -> Result<Vec<ImageJob>> {
    check_folder(output, "the frames")?;
    let named = |(input, frame): NumberedFile| match frame {
        Some(frame) => Ok((input, to.path(frame))),
        None => Err(Error::argument("only frames can become frames")
            .at_path(input)
            .hint("name inputs such as a.####.exr")),
    };
    distinct(frames.into_iter().map(named).collect::<Result<_>>()?)
}

/// Inputs and outputs in a folder, if no two inputs become the same file, and no symbolic link leads out of
/// the folder.
fn distinct(jobs: Vec<ImageJob>) -> Result<Vec<ImageJob>> {
    let mut placed = solio_io::PlacedNames::default();
    for (_, output) in &jobs {
        placed.add(output)?;
        if let (Some(folder), Some(name)) = (output.parent(), output.file_name()) {
            solio_io::place_below(folder, Path::new(name))?;
        }
    }
    let mut taken: BTreeMap<&Path, &Path> = BTreeMap::new();
    for (input, output) in &jobs {
        if let Some(other) = taken.insert(output, input) {
            let both =
                format!("both {} and this would become {}", other.display(), output.display());
            return Err(Error::argument(both).at_path(input));
        }
    }
    Ok(jobs)
}

/// Inputs and the files in a folder that they become, by the name that `named` gives to each; the
/// folder is made.
pub(crate) fn into_folder<N: AsRef<Path>>(
    inputs: Vec<PathBuf>,
    folder: &Path,
    dry_run: bool,
    named: impl Fn(&Path) -> Result<N>,
) -> Result<Vec<ImageJob>> {
    let job = |input: PathBuf| {
        let output = solio::names::joined(folder, named(&input)?.as_ref().as_os_str());
        Ok((input, output))
    };
    let jobs = distinct(inputs.into_iter().map(job).collect::<Result<_>>()?)?;
    if !dry_run && !jobs.is_empty() {
        solio_io::make_folder(folder)?;
    }
    Ok(jobs)
}

/// The one input that the output can be made of; none where a list names none.
pub(crate) fn into_file(inputs: Vec<PathBuf>, output: &Path, hint: &str) -> Result<Vec<ImageJob>> {
    match inputs.len() {
        0 | 1 => Ok(inputs.into_iter().map(|input| (input, output.to_owned())).collect()),
        several => Err(Error::argument(format!("{several} inputs, but one output"))
            .at_path(output)
            .hint(hint.to_owned())),
    }
}

/// The name of a file, for one in a folder.
pub(crate) fn name_of(input: &Path) -> Result<&OsStr> {
    input.file_name().filter(|_| !is_standard(input)).ok_or_else(|| {
        Error::argument("standard input has no name to give to a file in a folder")
            .hint("name the output file")
    })
}

/// Says what would be done.
pub(crate) fn show_plan(jobs: &[ImageJob]) -> Outcome {
    for (input, output) in jobs {
        screen::print(&format!("{} -> {}\n", terminal::name(input), terminal::name(output)));
    }
    Outcome::Done
}

/// That there is nothing to do, as the list of inputs names none.
pub(crate) fn none_named() -> Outcome {
    screen::complain("the list names no files");
    Outcome::NothingMatched
}

/// That there is nothing at and below the inputs.
pub(crate) fn none_found() -> Outcome {
    screen::complain("there are no files");
    Outcome::NothingMatched
}

/// Says how much was left out of folders, where anybody asked how the run went.
pub(crate) fn say_left_out(filter: &Filter) {
    let left = filter.left_out();
    let parts: Vec<String> = [(left.folders, "folder"), (left.files, "file")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| crate::table::some(count, what))
        .collect();
    if !parts.is_empty() {
        screen::say(&format!("{} left out", parts.join(" and ")));
    }
}

/// How a command ended of whose inputs so many failed.
pub(crate) fn outcome(failed: usize, inputs: usize) -> Outcome {
    if failed > 0 && inputs > 1 {
        screen::complain(&format!("{failed} of {inputs} inputs failed"));
    }
    if failed > 0 { Outcome::SomeFailed } else { Outcome::Done }
}

/// Names on their lines, or each before a zero byte.
fn split_list(text: &[u8], null: bool) -> Vec<PathBuf> {
    let end = if null { 0 } else { b'\n' };
    text.split(|b| *b == end)
        .map(|name| if null { name } else { name.strip_suffix(b"\r").unwrap_or(name) })
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(OsString::from_vec(name.to_vec())))
        .collect()
}

/// Removes the file at `path`, if there is one: before a measured write, so that each writes into
/// a new file, with the memory that its last one has just given back.
pub fn make_way(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", e).at_path(path))
        }
        _ => Ok(()),
    }
}

/// What a file is whose name does not tell. Of what comes once, and of what cannot be read, nothing
/// is known yet.
pub(crate) fn kind_of(path: &Path, work: &Work) -> Option<FileKind> {
    if solio_io::is_direct(path) {
        return None;
    }
    let uncounted = Work { progress: Progress::default(), ..work.clone() };
    Some(Input::open(path, &Limits::default(), &uncounted).ok()?.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_names_with_newlines_or_zero_bytes() {
        assert_eq!(
            split_list(b"a b.obj\r\n\nc.obj", false),
            ["a b.obj", "c.obj"].map(PathBuf::from)
        );
        assert_eq!(split_list(b"a\nb\0c\0", true), ["a\nb", "c"].map(PathBuf::from));
        assert!(split_list(b"", false).is_empty());
    }
}
