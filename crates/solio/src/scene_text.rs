//! Scenes written anew: formatted, and upgraded from version 3.

use crate::{Written, is_scene};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::compress::Compression;
use solio_io::{FileSink, SinkOptions};
use solio_scene::pbrt::schema::{Severity, Version, VersionMarks, files};
use solio_scene::pbrt::upgrade::Upgrader;
use solio_scene::pbrt::write::{WriteOptions, rewrite};
use solio_scene::pbrt::{ReadOptions, Statements, parse};
use std::path::Path;

/// Bytes at the start of a text that tell its version.
const HEAD_BYTES: usize = 1 << 20;

/// How a scene is written anew.
#[derive(Clone, Debug, Default)]
pub struct SceneTextOptions {
    /// Bring version 3 to version 4.
    pub upgrade: bool,
    /// The compression; `None` takes it from the name (`.gz`, `.zst`).
    pub compression: Option<Compression>,
    /// The file is on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
    /// Bounds.
    pub limits: Limits,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct SceneText {
    /// The file.
    pub written: Written,
    /// What could not be read, and is left out, or not be upgraded, and is as it was.
    pub problems: Vec<Error>,
    /// What looks otherwise than before.
    pub warnings: Vec<Error>,
    /// Files that the text includes; they are not written.
    pub includes: usize,
}

/// Writes the text at `input` to `output`: blocks indented, a parameter a line, comments kept,
/// numbers as short as they go without a change. Files that it includes stay what they are.
pub fn rewrite_scene(
    input: &Path,
    output: &Path,
    options: &SceneTextOptions,
    work: &Work,
) -> Result<SceneText> {
    if !is_scene(output) && output.as_os_str() != solio_io::STANDARD {
        return Err(Error::argument("scenes are written as .pbrt").at_path(output));
    }
    let read = ReadOptions { limits: options.limits, ..ReadOptions::default() };
    let version = match options.upgrade {
        true => Version::V4,
        false => version_of(input, &options.limits, work)?,
    };
    let limits = options.limits;
    let mut made = SceneText::default();
    let mut write = || {
        let opened = solio_io::open(input, &options.limits, work)?;
        let sink_options = SinkOptions {
            compression: options.compression.unwrap_or_else(|| {
                Compression::of_name(&output.file_name().unwrap_or_default().to_string_lossy())
            }),
            durable: options.durable,
            ..SinkOptions::default()
        };
        let mut sink = FileSink::create(output, &sink_options, work)?;
        let mut upgrader = Upgrader::new();
        let (mut problems, mut warnings, mut includes) = (Vec::new(), Vec::new(), 0);
        let change = |statements: &mut Statements| {
            if options.upgrade {
                for problem in upgrader.upgrade(statements) {
                    match problem.severity {
                        Severity::Error => problems.push(problem.error),
                        Severity::Warning => warnings.push(problem.error),
                    }
                }
            }
            let texts = statements.statements.iter().flat_map(|s| files(statements, s));
            includes += texts.filter(|file| file.parameter.is_none()).count();
        };
        let options = WriteOptions { version };
        let mut unread = rewrite(&*opened.source, &read, options, change, &mut sink, work)?;
        problems.append(&mut unread);
        made.problems = with_lines(problems, input, &limits, work)?;
        made.warnings = with_lines(warnings, input, &limits, work)?;
        made.includes = includes;
        sink.commit()
    };
    let written = write().map_err(|e: Error| e.at_path(input))?;
    made.written.add(written);
    Ok(made)
}

/// The version of a text, as far as its beginning tells; else 4.
fn version_of(path: &Path, limits: &Limits, work: &Work) -> Result<Version> {
    let look = || {
        let opened = solio_io::open(path, limits, &Work { memory_bytes: 0, ..work.clone() })?;
        let mut head = vec![0; HEAD_BYTES];
        let got = opened.source.read_at(0, &mut head)?;
        let mut marks = VersionMarks::default();
        marks.see(&parse(&head[..got], 0));
        Ok(marks.version().unwrap_or(Version::V4))
    };
    look().map_err(|e: Error| e.at_path(path))
}

/// Errors with their lines and columns, which the text is read once more for.
fn with_lines(
    mut errors: Vec<Error>,
    path: &Path,
    limits: &Limits,
    work: &Work,
) -> Result<Vec<Error>> {
    errors.sort_by_key(Error::offset);
    if errors.is_empty() || solio_io::is_direct(path) {
        return Ok(errors.into_iter().map(|error| error.at_path(path)).collect());
    }
    let source = solio_io::open(path, limits, work)?.source;
    let mut buffer = vec![0; HEAD_BYTES];
    let (mut start, mut got) = (0, source.read_at(0, &mut buffer)?);
    let (mut line, mut line_start, mut counted) = (1, 0, 0);
    let mut placed = Vec::with_capacity(errors.len());
    for error in errors {
        let at = error.offset().unwrap_or(0);
        loop {
            let end = start + got as u64;
            let until = at.min(end);
            for i in counted..until.max(counted) {
                if buffer[(i - start) as usize] == b'\n' {
                    (line, line_start) = (line + 1, i + 1);
                }
            }
            counted = until.max(counted);
            if at <= end || got == 0 {
                break;
            }
            start = end;
            got = source.read_at(start, &mut buffer)?;
        }
        placed.push(error.at_line(line, at.saturating_sub(line_start) + 1).at_path(path));
    }
    Ok(placed)
}
