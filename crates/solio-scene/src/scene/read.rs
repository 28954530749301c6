//! Files to a scene: the first one, and those that it asks for.

use super::ahead::{OpenedSceneFile, ParseAhead, ParsedText};
use super::build::{SceneBuilder, WantedFile};
use super::files::Files;
use super::{Scene, SceneFile};
use crate::pbrt::{Piece, ReadOptions, Statements, read_statements};
use solio_base::{Error, ErrorKind, Result, Source, Work};
use std::path::{Path, PathBuf};

/// Files within files.
const MOST_FILES_DEEP: usize = 64;

/// How a scene is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct SceneOptions {
    /// The version of pbrt that the scene is for, 3 or 4; `None`: 4, unless the first piece of text
    /// has something that only version 3 knows.
    pub version: Option<u32>,
    /// Every statement is held against the table of classes and parameters, and every name that is
    /// used against those that are defined.
    pub check: bool,
    /// How its text is read. The limits hold for each file, and for the number of files.
    pub text: ReadOptions,
}

/// Reads the scene whose first file is `source`, at `path`. What is wrong with its text, and files
/// that are missing, are problems of the result, all of them; an error is what ends the reading.
pub fn read_scene(
    source: &dyn Source,
    path: &Path,
    files: &dyn Files,
    options: &SceneOptions,
    work: &Work,
) -> Result<Scene> {
    let mut builder = SceneBuilder::new(options.version, options.check);
    let first = SceneFile { path: path.to_owned(), ..SceneFile::default() };
    builder.scene.files.push(first);
    let ahead = ParseAhead::new(files, &options.text, work);
    let reading = SceneReader { files, options, work, ahead: &ahead };
    let mut paths = vec![path.to_owned()];
    ahead.run(|| reading.file(&mut builder, source, 0, &mut paths))?;
    let mut scene = builder.finish();
    // Whoever checks a scene looks for all files that it names.
    let told = |error: &Error| options.check && error.kind() == ErrorKind::Io;
    scene.read_spectra_but(files, &told)?;
    Ok(scene)
}

struct SceneReader<'r> {
    files: &'r dyn Files,
    options: &'r SceneOptions,
    work: &'r Work,
    ahead: &'r ParseAhead<'r>,
}

impl SceneReader<'_> {
    /// Reads a file piece by piece. `paths`: those of the files around it, and its own.
    fn file(
        &self,
        builder: &mut SceneBuilder,
        source: &dyn Source,
        file: u32,
        paths: &mut Vec<PathBuf>,
    ) -> Result<()> {
        let path = paths.last().cloned().unwrap_or_default();
        let look = |statements: &Statements| {
            self.ahead.look(statements);
            self.files.look(statements);
        };
        let take = |piece: Piece<'_>| self.piece(builder, piece, file, paths);
        read_statements(source, &self.options.text, self.work, look, take)
            .map_err(|error| error.at_path(path))
    }

    fn piece(
        &self,
        builder: &mut SceneBuilder,
        piece: Piece<'_>,
        file: u32,
        paths: &mut Vec<PathBuf>,
    ) -> Result<()> {
        let mut include = |builder: &mut SceneBuilder, wanted: WantedFile| {
            if wanted.is_import {
                builder.apart(wanted.place, |builder| self.include(builder, wanted, paths))
            } else {
                self.include(builder, wanted, paths)
            }
        };
        builder.follow(piece, file, &mut include)
    }

    fn include(
        &self,
        builder: &mut SceneBuilder,
        wanted: WantedFile,
        paths: &mut Vec<PathBuf>,
    ) -> Result<()> {
        let path = self.files.path(&wanted.name);
        if paths.contains(&path) {
            builder.problem(Error::syntax("the file includes itself"), wanted.place);
            return Ok(());
        }
        if paths.len() >= MOST_FILES_DEEP {
            let message = format!("files are included more than {MOST_FILES_DEEP} deep");
            builder.problem(Error::limit(message), wanted.place);
            return Ok(());
        }
        let file = builder.scene.files.len() as u32;
        self.options.text.limits.check_elements("files of the scene", file.into())?;
        let found = self
            .ahead
            .take(&path)
            .unwrap_or_else(|| self.files.open(&path).map(OpenedSceneFile::Source));
        let found = match found {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Limit) => {
                return Err(error.at_path(path));
            }
            Err(error) => {
                let message = format!("{}: {}", path.display(), error.message());
                builder.problem(Error::new(error.kind(), message), wanted.place);
                return Ok(());
            }
        };
        builder.scene.files.push(SceneFile {
            path: path.clone(),
            included: Some(wanted.place),
            depth: paths.len() as u32,
            bytes: 0,
        });
        paths.push(path);
        let result = match found {
            OpenedSceneFile::Source(source) => self.file(builder, &*source, file, paths),
            OpenedSceneFile::Parsed(parsed) => {
                let ParsedText { text, pieces } = *parsed;
                pieces.into_iter().try_for_each(|mut piece| {
                    let (text, offset) = (&text[piece.range.clone()], piece.range.start as u64);
                    let (lines_before, statements) = (piece.lines_before, &mut piece.statements);
                    let piece = Piece { text, offset, lines_before, statements };
                    self.piece(builder, piece, file, paths)
                })
            }
        };
        paths.pop();
        match result {
            // A file that is damaged is a problem, and no reason to stop.
            Err(error) if matches!(error.kind(), ErrorKind::Io | ErrorKind::Corrupt) => {
                builder.file_problem(error, file);
                Ok(())
            }
            result => result,
        }
    }
}
