//! Lines and columns of places in a piece of text.

use super::Place;
use crate::pbrt::Piece;
use memchr::{memchr_iter, memrchr};

/// Counts lines as far as places are asked for: rising places cost one look at the text together.
pub(super) struct LineCounter<'p> {
    text: &'p [u8],
    offset: u64,
    file: u32,
    /// Up to here lines are counted.
    at: usize,
    line: u64,
}

impl<'p> LineCounter<'p> {
    pub(super) fn new(piece: &Piece<'p>, file: u32) -> Self {
        LineCounter {
            text: piece.text,
            offset: piece.offset,
            file,
            at: 0,
            line: piece.lines_before + 1,
        }
    }

    /// The file, of [`super::Scene::files`].
    pub(super) fn file(&self) -> u32 {
        self.file
    }

    /// The place `at` bytes after the start of the file.
    pub(super) fn place(&mut self, at: u64) -> Place {
        let within = (at.saturating_sub(self.offset) as usize).min(self.text.len());
        if within < self.at {
            self.line -= memchr_iter(b'\n', &self.text[within..self.at]).count() as u64;
        } else {
            self.line += memchr_iter(b'\n', &self.text[self.at..within]).count() as u64;
        }
        self.at = within;
        let line_start = memrchr(b'\n', &self.text[..within]).map_or(0, |end| end + 1);
        let short = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Place {
            at,
            file: self.file,
            line: short(self.line),
            column: short((within - line_start) as u64 + 1),
        }
    }
}
