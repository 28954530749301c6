//! Files that the scene asks for, read and parsed before it is their turn.
//!
//! What a file says depends on nothing before it; only what it means does. So files are parsed as
//! soon as a statement names them, on threads of their own, while [`super::build`] follows the
//! statements in order. Large files are only opened: their pieces are parsed side by side.

use super::files::Files;
use crate::pbrt::{Directive, Piece, ReadOptions, Statements, read_statements};
use solio_base::{Result, Source, Work, lock};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Larger files are not parsed in one go.
const MOST_BYTES: u64 = 4 << 20;

/// A file that was asked for.
pub(super) enum OpenedSceneFile {
    Source(Box<dyn Source>),
    Parsed(Box<ParsedText>),
}

/// A text and what it says.
pub(super) struct ParsedText {
    pub(super) text: Vec<u8>,
    /// The same pieces as of a file that is read when it is its turn: the values of a scene are kept
    /// piece by piece.
    pub(super) pieces: Vec<ParsedPiece>,
}

/// A piece of a text, as [`Piece`] has it.
pub(super) struct ParsedPiece {
    pub(super) range: Range<usize>,
    pub(super) lines_before: u64,
    pub(super) statements: Statements,
}

enum ParseStage {
    Queued,
    UnderWay,
    Done(Result<OpenedSceneFile>),
}

#[derive(Default)]
struct ParseState {
    queue: VecDeque<PathBuf>,
    stages: HashMap<PathBuf, ParseStage>,
    /// Bytes of texts that wait for their turn.
    bytes: u64,
    ended: bool,
}

pub(super) struct ParseAhead<'f> {
    files: &'f dyn Files,
    options: &'f ReadOptions,
    work: &'f Work,
    state: Mutex<ParseState>,
    moved: Condvar,
}

impl<'f> ParseAhead<'f> {
    pub(super) fn new(files: &'f dyn Files, options: &'f ReadOptions, work: &'f Work) -> Self {
        ParseAhead { files, options, work, state: Mutex::default(), moved: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ParseState> {
        lock(&self.state)
    }

    /// Runs `follow` with the threads that read ahead beside it.
    pub(super) fn run(&self, follow: impl FnOnce() -> Result<()>) -> Result<()> {
        std::thread::scope(|scope| {
            for i in 1..self.work.threads {
                let thread = std::thread::Builder::new().name(format!("ahead {i}"));
                // Without it files are read when it is their turn.
                let _ = thread.spawn_scoped(scope, || self.read());
            }
            // Also after a panic the others must end.
            let _end = EndOnDrop(self);
            follow()
        })
    }

    /// Notes the files that these statements ask for.
    pub(super) fn look(&self, statements: &Statements) {
        if self.work.threads < 2 {
            return;
        }
        for statement in &statements.statements {
            if !matches!(statement.directive, Directive::Include | Directive::Import) {
                continue;
            }
            let Some(name) = statements.string(statement.values, 0) else { continue };
            let path = self.files.path(name);
            let mut state = self.lock();
            if !state.stages.contains_key(&path) {
                state.stages.insert(path.clone(), ParseStage::Queued);
                state.queue.push_back(path);
                self.moved.notify_all();
            }
        }
    }

    /// The file at `path`, if it was read ahead; waits for it where that is under way.
    pub(super) fn take(&self, path: &Path) -> Option<Result<OpenedSceneFile>> {
        let mut state = self.lock();
        loop {
            match state.stages.remove(path)? {
                ParseStage::Queued => {
                    state.queue.retain(|queued| queued != path);
                    return None;
                }
                ParseStage::UnderWay => {
                    state.stages.insert(path.to_owned(), ParseStage::UnderWay);
                    state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                ParseStage::Done(found) => {
                    if let Ok(OpenedSceneFile::Parsed(parsed)) = &found {
                        state.bytes -= parsed.text.len() as u64;
                        self.moved.notify_all();
                    }
                    return Some(found);
                }
            }
        }
    }

    /// What a thread does: reads files that are asked for, up to a quarter of the memory.
    fn read(&self) {
        // Arrays take up to three times the text.
        let most_bytes = self.work.memory_bytes / 16;
        let mut state = self.lock();
        while !state.ended {
            let next = if state.bytes < most_bytes { state.queue.pop_front() } else { None };
            let Some(path) = next else {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.stages.insert(path.clone(), ParseStage::UnderWay);
            drop(state);
            let found = self.file(&path);
            state = self.lock();
            if let Ok(OpenedSceneFile::Parsed(parsed)) = &found {
                state.bytes += parsed.text.len() as u64;
            }
            state.stages.insert(path, ParseStage::Done(found));
            self.moved.notify_all();
        }
    }

    fn file(&self, path: &Path) -> Result<OpenedSceneFile> {
        let source = self.files.open(path)?;
        let bytes = match source.len_bytes() {
            Some(bytes) if bytes <= MOST_BYTES && !source.is_sequential() => bytes,
            _ => return Ok(OpenedSceneFile::Source(source)),
        };
        let mut text = vec![0; bytes as usize];
        let got = source.read_at(0, &mut text)?;
        text.truncate(got);
        let look = |statements: &Statements| {
            self.files.look(statements);
            self.look(statements);
        };
        let mut pieces = Vec::new();
        let take = |piece: Piece<'_>| {
            let start = piece.offset as usize;
            pieces.push(ParsedPiece {
                range: start..start + piece.text.len(),
                lines_before: piece.lines_before,
                statements: std::mem::take(piece.statements),
            });
            Ok(())
        };
        let serial = Work { threads: 1, ..self.work.clone() };
        read_statements(&text, self.options, &serial, look, take)?;
        Ok(OpenedSceneFile::Parsed(Box::new(ParsedText { text, pieces })))
    }
}

struct EndOnDrop<'a, 'f>(&'a ParseAhead<'f>);

impl Drop for EndOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.moved.notify_all();
    }
}
