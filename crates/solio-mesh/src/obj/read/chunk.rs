//! What one chunk of text holds, in arrays that are used again for the next chunk.
//!
//! Indices are 0-based. A relative index (`f -4 -3 -2 -1`) is kept relative to the chunk's own
//! start, as a wrapping `u32`, until [`ObjGather`](super::gather::Gather) knows what came before.

use super::locate::Bases;
use crate::model::NONE;
use solio_base::{Error, ErrorKind};
use std::ops::Range;
/// A statement that is not an element, but changes the state or is kept as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Comment,
    Object,
    Group,
    Material,
    Library,
    Smoothing(u32),
    /// `#MRGB` colours, as the hexadecimal text of the statement.
    Polypaint,
    Freeform,
    /// A warning; its text is the event's name.
    Warning,
}

/// One [`EventKind`], where it stands, and its words.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) what: EventKind,
    pub(super) marks: Bases,
    /// Byte in the chunk's text.
    pub(super) place: usize,
    /// Range in [`ParsedText::words`].
    pub(super) words: Range<usize>,
}

/// A mistake at a byte of the chunk's text, its error still without place.
#[derive(Debug)]
pub(super) struct ParseFault {
    pub(super) place: usize,
    pub(super) error: Error,
}

impl ParseFault {
    #[cold]
    pub(super) fn syntax(place: usize, message: impl Into<String>) -> Self {
        ParseFault { place, error: Error::new(ErrorKind::Syntax, message) }
    }
}

/// Adds `run` to rising runs, as part of the last one where that ends there.
pub(super) fn push_run(runs: &mut Vec<Range<usize>>, run: Range<usize>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

/// One index per corner. May end early: the corners after that have none.
#[derive(Debug, Default)]
pub(super) struct IndexColumn {
    pub(super) values: Vec<u32>,
    /// Corners whose value is relative to the start of the chunk.
    pub(super) relative: Vec<Range<usize>>,
}

impl IndexColumn {
    fn clear(&mut self) {
        self.values.clear();
        self.relative.clear();
    }

    /// Fills up to `corners` with [`NONE`].
    pub(super) fn pad(&mut self, corners: usize) {
        if self.values.len() < corners {
            self.values.resize(corners, NONE);
        }
    }

    pub(super) fn push(&mut self, corner: usize, index: CornerIndex) {
        self.pad(corner);
        match index {
            CornerIndex::Absolute(value) => self.values.push(value),
            CornerIndex::Relative(value) => {
                self.values.push(value as u32);
                push_run(&mut self.relative, corner..corner + 1);
            }
        }
    }
}

/// An index as the text gives it, 0-based.
#[derive(Clone, Copy, Debug)]
pub(super) enum CornerIndex {
    Absolute(u32),
    /// From the start of the chunk; negative for what came before the chunk.
    Relative(i32),
}

/// Elements that are lists of corners: faces, polylines or points.
#[derive(Debug, Default)]
pub(super) struct CornerLists {
    pub(super) vertices: IndexColumn,
    pub(super) uvs: IndexColumn,
    pub(super) normals: IndexColumn,
    /// Past the last corner of each element.
    pub(super) ends: Vec<u32>,
    /// The place of each corner in the text, only where [`ParsedText::keep_places`].
    pub(super) places: Vec<usize>,
}

impl CornerLists {
    fn clear(&mut self) {
        self.vertices.clear();
        self.uvs.clear();
        self.normals.clear();
        self.ends.clear();
        self.places.clear();
    }

    /// Forgets the corners after the last whole element.
    pub(super) fn drop_open(&mut self) {
        let keep = self.ends.last().map_or(0, |&e| e as usize);
        for column in [&mut self.vertices, &mut self.uvs, &mut self.normals] {
            column.values.truncate(keep);
            while column.relative.last().is_some_and(|r| r.end > keep) {
                let last = column.relative.last_mut().expect("just seen");
                last.end = keep;
                if last.start >= keep {
                    column.relative.pop();
                }
            }
        }
        self.places.truncate(keep);
    }
}

/// The elements and events of one chunk.
#[derive(Debug, Default)]
pub(super) struct ParsedText {
    pub(super) positions: Vec<[f32; 3]>,
    /// Instead of `positions` where doubles are asked for.
    pub(super) positions64: Vec<[f64; 3]>,
    /// May end early: the vertices after that have weight 1.
    pub(super) weights: Vec<f32>,
    /// May end early: the vertices after that have no colour.
    pub(super) colors: Vec<[f32; 4]>,
    /// Vertices with four numbers behind the position.
    pub(super) fours: Vec<Range<usize>>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) faces: CornerLists,
    pub(super) lines: CornerLists,
    pub(super) points: CornerLists,
    pub(super) events: Vec<Event>,
    pub(super) words: Vec<u8>,
    /// Line ends in the text.
    pub(super) line_count: u64,
    /// A statement that is not a comment was seen.
    pub(super) started: bool,
    /// Where the text ended too early for its reader: nothing after it was read.
    pub(super) fault: Option<ParseFault>,
    /// Whether to note the place of every corner, at a cost; to find a wrong one.
    pub(super) keep_places: bool,
}

impl ParsedText {
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.positions64.clear();
        self.weights.clear();
        self.colors.clear();
        self.fours.clear();
        self.uvs.clear();
        self.normals.clear();
        self.faces.clear();
        self.lines.clear();
        self.points.clear();
        self.events.clear();
        self.words.clear();
        self.line_count = 0;
        self.started = false;
        self.fault = None;
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.positions.len() + self.positions64.len()
    }

    pub(super) fn marks(&self) -> Bases {
        Bases {
            vertices: self.vertex_count(),
            uvs: self.uvs.len(),
            normals: self.normals.len(),
            faces: self.faces.ends.len(),
            lines: self.lines.ends.len(),
            points: self.points.vertices.values.len(),
        }
    }

    pub(super) fn event(&mut self, what: EventKind, place: usize, words: &[u8]) {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        let event = Event { what, marks: self.marks(), place, words: start..self.words.len() };
        self.events.push(event);
    }

    #[cold]
    pub(super) fn warn(&mut self, place: usize, message: &str) {
        self.event(EventKind::Warning, place, message.as_bytes());
    }
}
