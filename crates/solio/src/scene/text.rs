//! Scenes written anew: formatted, and upgraded from version 3.

use crate::scene::text_meshes::MeshMover;
use crate::{Input, ToInput, Written, is_packed_scene, is_scene};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::compress::Compression;
use solio_io::{FileSink, SinkOptions};
use solio_scene::pbrt::schema::{Problem, Severity, Version, VersionMarks, files};
use solio_scene::pbrt::upgrade::Upgrader;
use solio_scene::pbrt::write::{WriteOptions, Writer};
use solio_scene::pbrt::{ReadOptions, parse, read_statements};
use std::path::Path;

/// Bytes at the start of a text that tell its version.
const HEAD_BYTES: usize = 1 << 20;

/// Where meshes of triangles go.
///
/// ```
/// use solio::{MeshPlace, SceneTextOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [input, output] = ["a.pbrt", "b.pbrt"].map(|name| folder.path().join(name));
/// # let text = b"WorldBegin\nShape \"trianglemesh\" \"integer indices\" [0 1 2]\n\
/// #     \"point3 P\" [0 0 0 1 0 0 0 1 0]\n";
/// # solio::write_bytes(&input, text)?;
/// // A triangle in the text becomes a PLY file.
/// let options = SceneTextOptions { meshes: MeshPlace::Ply, ..SceneTextOptions::default() };
/// let made = solio::rewrite_scene(&input, &output, &options, &Work::default())?;
/// assert_eq!(made.moved_meshes, 1);
/// let (mesh, _) = &made.written.files[1];
/// assert_eq!(solio::info(mesh, &Default::default(), &Work::default())?.mesh.triangles, 1);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshPlace {
    /// They stay where they are.
    #[default]
    AsTheyAre,
    /// Those of the text (`trianglemesh`) go to PLY files, in the folder `meshes` beside the output.
    Ply,
    /// Those of files (`plymesh`) go into the text.
    Inline,
}

/// How a scene is written anew.
///
/// ```
/// use solio::{SceneTextOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [input, output] = ["v3.pbrt", "v4.pbrt"].map(|name| folder.path().join(name));
/// solio::write_bytes(&input, b"WorldBegin\nMaterial \"matte\" \"color Kd\" [.1 .2 .3]\n")?;
/// let options = SceneTextOptions { upgrade: true, ..SceneTextOptions::default() };
/// solio::rewrite_scene(&input, &output, &options, &Work::default())?;
/// let text = std::fs::read_to_string(&output).unwrap();
/// assert!(text.contains("Material \"diffuse\"") && text.contains("\"rgb reflectance\""));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneTextOptions {
    /// Bring version 3 to version 4.
    pub upgrade: bool,
    /// Where meshes go.
    pub meshes: MeshPlace,
    /// The compression; `None` takes it from the name (`.gz`, `.zst`).
    pub compression: Option<Compression>,
    /// The file is on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
    /// Bounds.
    pub limits: Limits,
}

/// What came of it.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [input, output] = ["a.pbrt", "b.pbrt"].map(|name| folder.path().join(name));
/// solio::write_bytes(&input, b"WorldBegin\nInclude \"trees.pbrt\"\nShapes \"sphere\"\n")?;
/// let made = solio::rewrite_scene(&input, &output, &Default::default(), &Default::default())?;
/// // What is no statement of pbrt is left out, and told with its place.
/// assert_eq!(made.problems[0].line(), Some(3));
/// assert_eq!((made.includes, made.written.files.len()), (1, 1));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SceneText {
    /// The files: texts, then meshes of each.
    pub written: Written,
    /// What could not be read, and is left out, or not be upgraded, and is as it was.
    pub problems: Vec<Error>,
    /// What looks otherwise than before, and files that could not be copied.
    pub warnings: Vec<Error>,
    /// Files that the text includes and that are not written.
    pub includes: usize,
    /// Meshes that went to files or into the text.
    pub moved_meshes: usize,
    /// Files that the scene refers to, and that were copied.
    pub copied: usize,
}

/// Writes the text at `input` to `output`: blocks indented, a parameter a line, comments kept,
/// numbers as short as they go without a change. Files that it includes stay what they are; its
/// meshes move as the options say.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [input, output] = ["a.pbrt", "b.pbrt"].map(|name| folder.path().join(name));
/// let text = "WorldBegin # here\nAttributeBegin Translate 1.000 0 0 AttributeEnd\n";
/// solio::write_bytes(&input, text.as_bytes())?;
/// solio::rewrite_scene(&input, &output, &Default::default(), &Default::default())?;
/// let text = std::fs::read_to_string(&output).unwrap();
/// assert!(text.contains("# here") && text.contains("Translate 1 0 0\n"), "{text}");
/// # Ok::<(), solio::Error>(())
/// ```
pub fn rewrite_scene(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    options: &SceneTextOptions,
    work: &Work,
) -> Result<SceneText> {
    if is_packed_scene(output) {
        let error = Error::argument("text is no packed scene").at_path(output);
        return Err(error.hint("solio::pack_scene packs; text is written as .pbrt"));
    }
    if !is_scene(output) && output.as_os_str() != solio_io::STANDARD {
        return Err(Error::argument("scenes are written as .pbrt").at_path(output));
    }
    let input = &*input.to_input(&options.limits, work)?;
    let path = input.path();
    let read = ReadOptions { limits: options.limits, ..ReadOptions::default() };
    let version = match options.upgrade {
        true => Version::V4,
        false => version_of(input, work)?,
    };
    let mut made = SceneText::default();
    let mut upgrader = Upgrader::new();
    let mut mover = MeshMover::new(path, output, options, version, work)?;
    let mut includes = 0;
    let mut write = |made: &mut SceneText| {
        let opened = input.stream(work)?;
        let mut sink = FileSink::create(output, &sink_options(output, options), work)?;
        let mut writer = Writer::new(WriteOptions { version });
        let (mut problems, mut warnings) = (Vec::new(), Vec::new());
        read_statements(
            &*opened.source,
            &read,
            work,
            |_| {},
            |piece| {
                let statements = &mut *piece.statements;
                if options.upgrade {
                    sort(upgrader.upgrade(statements), &mut problems, &mut warnings);
                }
                let texts = statements.statements.iter().flat_map(|s| files(statements, s));
                includes += texts.filter(|file| file.parameter.is_none()).count();
                problems.append(&mut statements.problems);
                problems.extend(statements.take_older_directives());
                let text = (piece.text, piece.offset);
                mover.write(statements, text, &mut writer, &mut sink, &mut warnings)
            },
        )?;
        made.problems = with_lines(problems, input, work)?;
        made.warnings = with_lines(warnings, input, work)?;
        sink.commit()
    };
    let written = write(&mut made).map_err(|e: Error| e.at_path(path))?;
    made.written.add(written);
    made.includes = includes;
    mover.finish(&mut made);
    Ok(made)
}

pub(crate) fn sink_options(output: &Path, options: &SceneTextOptions) -> SinkOptions {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let compression = options.compression.unwrap_or_else(|| Compression::of_name(&name));
    SinkOptions { compression, durable: options.durable, ..SinkOptions::default() }
}

/// Problems by what they do.
pub(crate) fn sort(found: Vec<Problem>, problems: &mut Vec<Error>, warnings: &mut Vec<Error>) {
    for problem in found {
        match problem.severity {
            Severity::Error => problems.push(problem.error),
            Severity::Warning => warnings.push(problem.error),
        }
    }
}

/// The version of a text, as far as its beginning tells; else 4.
pub(crate) fn version_of(input: &Input, work: &Work) -> Result<Version> {
    let look = || {
        if input.comes_once() {
            return Ok(Version::V4);
        }
        let opened = input.stream(&Work { memory_bytes: 0, ..work.clone() })?;
        let mut head = vec![0; HEAD_BYTES];
        let got = opened.source.read_at(0, &mut head)?;
        let mut marks = VersionMarks::default();
        marks.see(&parse(&head[..got], 0));
        Ok(marks.version().unwrap_or(Version::V4))
    };
    look().map_err(|e: Error| e.at_path(input.path()))
}

/// Errors with their lines and columns, which the text is read once more for.
pub(crate) fn with_lines(mut errors: Vec<Error>, input: &Input, work: &Work) -> Result<Vec<Error>> {
    let path = input.path();
    errors.sort_by_key(Error::offset);
    if errors.is_empty() || input.comes_once() {
        return Ok(errors.into_iter().map(|error| error.at_path(path)).collect());
    }
    let source = input.stream(work)?.source;
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
