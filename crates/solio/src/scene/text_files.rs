//! A scene with all its files written anew, into another folder.

use crate::scene::file::FolderFiles;
use crate::scene::text::{sink_options, sort, version_of, with_lines};
use crate::scene::text_meshes::MeshMover;
use crate::{Input, SceneText, SceneTextOptions};
use solio_base::names::{OsStrBytes, joined, slashed};
use solio_base::{Error, ErrorKind, Result, Source, Work};
use solio_io::{FileSink, FileSource, SinkOptions};
use solio_scene::pbrt::schema::{Version, files};
use solio_scene::pbrt::upgrade::Upgrader;
use solio_scene::pbrt::write::{WriteOptions, Writer};
use solio_scene::pbrt::{ReadOptions, Statements, Values, read_statements};
use solio_scene::scene::Files;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Component, Path, PathBuf};

/// Files within files.
const MOST_DEEP: usize = 64;

/// Writes the scene at `input` and all texts that it includes to the folder `output`, each under the
/// name that the scene gives it, as [`rewrite_scene`](crate::rewrite_scene) does one; with an
/// upgrade, names that are defined in one file and used in others go together. Other files that it
/// refers to (meshes, pictures, spectra) are copied, unless they are there already. Compressed texts
/// stay compressed.
///
/// Names that lead out of the folder of the scene are problems: such a text is not written, and what
/// refers to it stays. A text that is included twice and would have to be upgraded in two ways is a
/// problem too.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("in")).unwrap();
/// let text = b"WorldBegin\nInclude \"balls.pbrt\"\nTexture \"a\" \"spectrum\" \"imagemap\" \
///     \"string filename\" \"a.png\"\n";
/// solio::write_bytes(&at("in/a.pbrt"), text)?;
/// solio::write_bytes(&at("in/balls.pbrt"), b"Shape \"sphere\"\n")?;
/// solio::write_bytes(&at("in/a.png"), b"a picture")?;
/// let (options, work) = (Default::default(), Default::default());
/// let made = solio::rewrite_whole_scene(&at("in/a.pbrt"), &at("out"), &options, &work)?;
/// // Two texts are written anew, the picture is copied.
/// assert_eq!((made.written.files.len(), made.copied), (2, 1));
/// assert!(at("out/balls.pbrt").exists() && at("out/a.png").exists());
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the first file cannot be read, or `output` is its folder, or cannot be written to.
pub fn rewrite_whole_scene(
    input: &Path,
    output: &Path,
    options: &SceneTextOptions,
    work: &Work,
) -> Result<SceneText> {
    let folder = input.parent().unwrap_or(Path::new(""));
    solio_io::make_folder(output)?;
    if is_same(folder, output) {
        return Err(Error::argument("this is the folder of the scene itself")
            .at_path(output)
            .hint("name another: -o out/"));
    }
    let first = Input::open(input, &options.limits, work)?;
    let version = match options.upgrade {
        true => Version::V4,
        false => version_of(&first, work)?,
    };
    let mut whole = Whole {
        input,
        folder,
        output,
        options,
        version,
        work,
        made: SceneText::default(),
        done: HashMap::new(),
        first: Some(first),
        open: Vec::new(),
        copied: HashSet::new(),
    };
    let name = PathBuf::from(input.file_name().unwrap_or_default());
    whole.text(&name, &mut Upgrader::new())?;
    Ok(whole.made)
}

struct Whole<'w> {
    input: &'w Path,
    folder: &'w Path,
    output: &'w Path,
    options: &'w SceneTextOptions,
    version: Version,
    work: &'w Work,
    made: SceneText,
    /// Texts that were written, and a number for the words in them.
    done: HashMap<PathBuf, u64>,
    /// The text that includes all others, open already.
    first: Option<Input>,
    /// Texts that are being written, each included by the one before.
    open: Vec<PathBuf>,
    /// Names of other files that were looked at.
    copied: HashSet<PathBuf>,
}

/// What is wrong in one text.
#[derive(Default)]
struct Found {
    problems: Vec<Error>,
    warnings: Vec<Error>,
}

impl<'w> Whole<'w> {
    /// The files that the scene names.
    fn files(&self) -> FolderFiles<'w> {
        FolderFiles::beside(self.input, &self.options.limits, self.work)
    }

    /// Writes one text, and those that it includes.
    fn text(&mut self, name: &Path, upgrader: &mut Upgrader) -> Result<()> {
        let from = self.files().path(name.as_os_str().as_bytes());
        let to = solio_io::place_below(self.output, name)?;
        self.open.push(name.to_owned());
        let mut found = Found::default();
        let work = self.work;
        let first = self.first.take().map(Ok);
        let input = first.unwrap_or_else(|| Input::open(&from, &self.options.limits, work));
        let result = input.and_then(|input| {
            let result = self.write(name, &input, &to, upgrader, &mut found);
            self.made.problems.extend(with_lines(found.problems, &input, work)?);
            self.made.warnings.extend(with_lines(found.warnings, &input, work)?);
            result
        });
        self.open.pop();
        result.map_err(|e| e.at_path(from))
    }

    fn write(
        &mut self,
        name: &Path,
        input: &Input,
        to: &Path,
        upgrader: &mut Upgrader,
        found: &mut Found,
    ) -> Result<()> {
        let (options, work) = (self.options, self.work);
        let opened = input.stream(work)?;
        if is_same(input.path(), to) {
            return Err(Error::argument("this is a file of the scene itself").at_path(to));
        }
        solio_io::make_folder_of(to)?;
        if self.done.contains_key(name) {
            return self.again(name, &*opened.source, upgrader, found);
        }
        let mut sink = FileSink::create(to, &sink_options(to, options), work)?;
        let mut mover =
            MeshMover::of_file(name, self.output, self.files(), options, self.version, work);
        let mut writer = Writer::new(WriteOptions { version: self.version });
        let mut words = DefaultHasher::new();
        self.pieces(&*opened.source, upgrader, found, |whole, statements, text, found| {
            add_words(statements, &mut words);
            mover.write(statements, text, &mut writer, &mut sink, &mut found.warnings)?;
            whole.copy_files(statements, found)
        })?;
        self.made.written.add(sink.commit()?);
        mover.finish(&mut self.made);
        self.done.insert(name.to_owned(), words.finish());
        Ok(())
    }

    /// A text that was written already: an upgrade has to know what it defines, and may say it in
    /// other words than before.
    fn again(
        &mut self,
        name: &Path,
        source: &dyn Source,
        upgrader: &mut Upgrader,
        found: &mut Found,
    ) -> Result<()> {
        if !self.options.upgrade {
            return Ok(());
        }
        let mut words = DefaultHasher::new();
        // What is wrong in it has been told.
        let mut told = Found::default();
        self.pieces(source, upgrader, &mut told, |_, statements, _, _| {
            add_words(statements, &mut words);
            Ok(())
        })?;
        if self.done.get(name) != Some(&words.finish()) {
            let message = "is included again, and defines names that are taken by then: upgraded, it \
                would have to be another text";
            let error = Error::unsupported(message).at_offset(0);
            found.problems.push(error.hint("give each place a file of its own"));
        }
        Ok(())
    }

    /// Reads a text, upgrades it if that is asked for, writes what it includes, and hands on its
    /// pieces.
    fn pieces(
        &mut self,
        source: &dyn Source,
        upgrader: &mut Upgrader,
        found: &mut Found,
        mut then: impl FnMut(&mut Self, &mut Statements, (&[u8], u64), &mut Found) -> Result<()> + Send,
    ) -> Result<()> {
        let read = ReadOptions { limits: self.options.limits, ..ReadOptions::default() };
        read_statements(
            source,
            &read,
            self.work,
            |_| {},
            |piece| {
                let statements = &mut *piece.statements;
                if self.options.upgrade {
                    let mut ended = Ok(());
                    let mut wrong = Vec::new();
                    let upgraded = upgrader.upgrade_with(statements, &mut |upgrader, name, at| {
                        if ended.is_ok() {
                            ended = self.included(name, at, upgrader, &mut wrong);
                        }
                    });
                    ended?;
                    sort(upgraded, &mut found.problems, &mut found.warnings);
                    found.problems.append(&mut wrong);
                } else {
                    for statement in &statements.statements {
                        for file in files(statements, statement).filter(|f| f.parameter.is_none()) {
                            self.included(file.name, file.at, upgrader, &mut found.problems)?;
                        }
                    }
                }
                found.problems.append(&mut statements.problems);
                found.problems.extend(statements.take_older_directives());
                then(self, statements, (piece.text, piece.offset), found)
            },
        )
    }

    /// The text that is included there. One that cannot be written is a problem, and the scene goes
    /// on without.
    fn included(
        &mut self,
        name: &[u8],
        at: u64,
        upgrader: &mut Upgrader,
        problems: &mut Vec<Error>,
    ) -> Result<()> {
        let path = Path::new(OsStr::from_bytes(name));
        let message = match inner(path) {
            None => "leads out of the folder of the scene: not written",
            Some(_) if self.open.len() > MOST_DEEP => "files within files, more than 64 deep",
            Some(path) if self.open.contains(&path) => "includes itself",
            Some(path) => {
                let error = match self.text(&path, upgrader) {
                    Ok(()) => return Ok(()),
                    // Where nothing can be written, the next text will not do better.
                    Err(error) if self.is_fatal(&error) => return Err(error),
                    Err(error) => error,
                };
                let message = format!("{}: {}", path.display(), error.message());
                problems.push(Error::new(error.kind(), message).at_offset(at));
                return Ok(());
            }
        };
        let message = format!("{}: {message}", path.display());
        problems.push(Error::unsupported(message).at_offset(at));
        Ok(())
    }

    fn is_fatal(&self, error: &Error) -> bool {
        let below = |folder: &Path| {
            let path = error.path().filter(|_| !folder.as_os_str().is_empty());
            path.is_some_and(|path| path.starts_with(folder))
        };
        let is_output = below(self.output) && !below(self.folder);
        is_output || matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Argument)
    }

    /// Copies what statements refer to, beside the texts.
    fn copy_files(&mut self, statements: &Statements, found: &mut Found) -> Result<()> {
        for statement in &statements.statements {
            for file in files(statements, statement).filter(|file| file.parameter.is_some()) {
                let name = Path::new(OsStr::from_bytes(file.name));
                if name.is_absolute() {
                    // It means the same from anywhere.
                    continue;
                }
                let Some(inside) = inner(name) else {
                    let message =
                        format!("{}: leads out of the folder of the scene", name.display());
                    found.problems.push(Error::unsupported(message).at_offset(file.at));
                    continue;
                };
                if !self.copied.insert(inside.clone()) {
                    continue;
                }
                let to = joined(self.output, inside.as_os_str());
                if to.exists() {
                    continue;
                }
                let placed = solio_io::place_below(self.output, &inside);
                let from = self.files().path(inside.as_os_str().as_bytes());
                match placed.and_then(|to| self.copy(&from, &to)) {
                    Ok(()) => self.made.copied += 1,
                    Err(error) if self.is_fatal(&error) => return Err(error),
                    Err(error) => {
                        let message = format!("{}: {}", name.display(), error.message());
                        found.warnings.push(Error::new(error.kind(), message).at_offset(file.at));
                    }
                }
            }
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        // Opened first: for what is missing there is no folder.
        let source = FileSource::open(from, self.work)?;
        solio_io::make_folder_of(to)?;
        let options = SinkOptions { durable: self.options.durable, ..SinkOptions::default() };
        let mut sink = FileSink::create(to, &options, self.work)?;
        sink.append(&source, 0, self.work)?;
        sink.commit().map(|_| ())
    }
}

/// The words of statements: strings and names, not numbers, which an upgrade makes the same every
/// time.
fn add_words(statements: &Statements, words: &mut DefaultHasher) {
    let mut add = |values: Values| {
        words.write_u64(values.count() as u64);
        for i in 0..values.count() {
            let Some(word) = statements.string(values, i) else { break };
            words.write(word);
            words.write_u8(0xff);
        }
    };
    for statement in &statements.statements {
        add(statement.values);
        for parameter in &statements.parameters[statement.parameters.range()] {
            add(parameter.values);
        }
    }
}

/// A name within the folder, without what means nothing; `None` where it leads out.
fn inner(name: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!path.as_os_str().is_empty()).then(|| slashed(path))
}

/// Whether both are there, and are one.
fn is_same(a: &Path, b: &Path) -> bool {
    let here = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        solio_base::names::canonical(path).ok()
    };
    matches!((here(a), here(b)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_the_folder() {
        let of = |name: &str| inner(Path::new(name)).map(|path| path.display().to_string());
        assert_eq!(of("a/./b.pbrt").as_deref(), Some("a/b.pbrt"));
        assert_eq!(of("./b.pbrt").as_deref(), Some("b.pbrt"));
        for out in ["../b.pbrt", "a/../../b", "/b", "", "."] {
            assert_eq!(of(out), None, "{out}");
        }
    }
}
