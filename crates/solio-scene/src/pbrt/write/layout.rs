//! Lines, blocks, blank lines and comments.

use super::WriteOptions;
use super::values;
use crate::pbrt::{Arguments, Directive, Statement, Statements};
use std::ops::Range;

/// Deeper blocks are not indented further: a text of so many blocks would grow with their square.
const DEEPEST: usize = 16;
const INDENT: usize = 4;
const BLANKS: [u8; (DEEPEST + 4) * INDENT] = [b' '; (DEEPEST + 4) * INDENT];

/// The blanks before what stands so deep.
pub(super) fn indent_of(depth: usize) -> &'static [u8] {
    &BLANKS[..(INDENT * depth).min(BLANKS.len())]
}

/// The text that a piece was read from.
#[derive(Clone, Copy)]
pub(super) struct OriginalText<'t> {
    pub(super) bytes: &'t [u8],
    /// Where it begins in its file.
    pub(super) offset: u64,
}

impl OriginalText<'_> {
    pub(super) const NONE: OriginalText<'static> = OriginalText { bytes: &[], offset: 0 };

    pub(super) fn has_bytes(&self) -> bool {
        !self.bytes.is_empty()
    }

    fn place(&self, at: u64) -> Option<usize> {
        usize::try_from(at.checked_sub(self.offset)?).ok().filter(|at| *at <= self.bytes.len())
    }

    /// A comment, without blanks at its end.
    fn comment(&self, range: &Range<u64>) -> Option<&[u8]> {
        let range = self.place(range.start)?..self.place(range.end)?;
        self.bytes.get(range).map(|bytes| bytes.trim_ascii_end())
    }

    /// Whether the comment stands on the line on which what is `at` there begins.
    fn is_behind(&self, at: u64, comment: &Range<u64>) -> bool {
        let (Some(at), Some(end)) = (self.place(at), self.place(comment.start)) else {
            return false;
        };
        let between = self.bytes.get(at..end).unwrap_or(b"\n");
        memchr::memchr2(b'\n', b'\r', between).is_none()
    }
}

/// How the text stands: the blocks around the next statement, and whether a blank line is due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextLayout {
    depth: u64,
    blank_due: bool,
}

/// Comments that were not written yet.
struct Comments<'c> {
    rest: &'c [Range<u64>],
    text: OriginalText<'c>,
}

impl Comments<'_> {
    /// Ends the line with the first comment before `until`, if it stood there too, and writes the
    /// others, each on its own line, so deep. `open` says where in the file that which stands on the
    /// line begins, if there is one to be ended.
    fn write(
        &mut self,
        until: u64,
        depth: usize,
        mut open: Option<u64>,
        out: &mut Vec<u8>,
    ) -> bool {
        let mut own_lines = false;
        while let Some((comment, rest)) = self.rest.split_first() {
            if comment.start >= until {
                break;
            }
            self.rest = rest;
            let Some(bytes) = self.text.comment(comment) else { continue };
            if open.is_some_and(|at| self.text.is_behind(at, comment)) {
                out.push(b' ');
                out.extend_from_slice(bytes);
                out.push(b'\n');
            } else {
                if open.is_some() {
                    out.push(b'\n');
                }
                out.extend_from_slice(indent_of(depth));
                out.extend_from_slice(bytes);
                out.push(b'\n');
                own_lines = true;
            }
            open = None;
        }
        if open.is_some() {
            out.push(b'\n');
        }
        own_lines
    }
}

impl TextLayout {
    fn shown_depth(self) -> usize {
        self.depth.min(DEEPEST as u64) as usize
    }

    /// Goes behind the statement.
    fn pass(&mut self, directive: Directive) {
        use Directive::*;
        match directive {
            AttributeBegin | ObjectBegin | TransformBegin => self.depth += 1,
            AttributeEnd | ObjectEnd | TransformEnd => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let ends_block = matches!(directive, AttributeEnd | ObjectEnd | TransformEnd);
        self.blank_due = directive == WorldBegin || (ends_block && self.depth == 0);
    }

    /// Goes behind statements of a piece that [`Self::group`] of a copy writes.
    pub(super) fn skip(&mut self, piece: &Statements, range: Range<usize>, text: OriginalText<'_>) {
        for statement in &piece.statements[range.clone()] {
            self.pass(statement.directive);
        }
        // Comments on lines of their own, behind the last statement, were set apart from it.
        let last = range.clone().last().map_or(0, |i| piece.statements[i].at);
        let next = piece.statements.get(range.end).map_or(u64::MAX, |statement| statement.at);
        let between = |c: &&Range<u64>| (last..next).contains(&c.start);
        let mut behind = piece.comments.iter().filter(between);
        let first = behind.next().filter(|_| text.has_bytes());
        let is_own = first.is_some_and(|first| range.is_empty() || !text.is_behind(last, first));
        self.blank_due &= !(is_own || first.is_some() && behind.next().is_some());
    }

    /// Writes some statements of a piece, and the comments before, among and behind them.
    pub(super) fn group(
        &mut self,
        piece: &Statements,
        range: Range<usize>,
        text: OriginalText<'_>,
        options: WriteOptions,
        out: &mut Vec<u8>,
    ) {
        let at = |i: usize| piece.statements.get(i).map_or(u64::MAX, |statement| statement.at);
        let first = if range.start == 0 { 0 } else { at(range.start) };
        let behind = |place: u64| piece.comments.partition_point(|c| c.start < place);
        let rest = &piece.comments[behind(first)..behind(at(range.end))];
        let mut comments = Comments { rest, text };
        let has_more = |comments: &Comments<'_>| !comments.rest.is_empty() && text.has_bytes();
        if self.blank_due && (has_more(&comments) || !range.is_empty()) {
            out.push(b'\n');
            self.blank_due = false;
        }
        comments.write(at(range.start), self.shown_depth(), None, out);
        for i in range {
            if self.blank_due {
                out.push(b'\n');
            }
            self.statement(piece, &piece.statements[i], at(i + 1), &mut comments, options, out);
        }
    }

    fn statement(
        &mut self,
        piece: &Statements,
        statement: &Statement,
        next: u64,
        comments: &mut Comments<'_>,
        options: WriteOptions,
        out: &mut Vec<u8>,
    ) {
        use Directive::*;
        let directive = statement.directive;
        let ends_block = matches!(directive, AttributeEnd | ObjectEnd | TransformEnd);
        let depth = self.shown_depth();
        let own_depth = if ends_block { depth.saturating_sub(1) } else { depth };
        out.extend_from_slice(indent_of(own_depth));
        out.extend_from_slice(directive.name().as_bytes());
        let parameters = &piece.parameters[statement.parameters.range()];
        let is_option = directive.arguments() == Arguments::Option;
        match directive.arguments() {
            Arguments::Matrix => {
                out.extend_from_slice(b" [");
                values::arguments(piece, statement.values, out);
                out.extend_from_slice(b" ]");
            }
            Arguments::Time => {
                out.push(b' ');
                out.extend_from_slice(piece.string(statement.values, 0).unwrap_or(b"All"));
            }
            Arguments::Option => {
                out.push(b' ');
                if let Some(option) = parameters.first() {
                    values::option(piece, option, out);
                }
            }
            _ => values::arguments(piece, statement.values, out),
        }
        let mut line = statement.at;
        if !is_option {
            for parameter in parameters {
                comments.write(parameter.at, own_depth + 1, Some(line), out);
                let start = out.len();
                out.extend_from_slice(indent_of(own_depth + 1));
                values::parameter(piece, parameter, options.version, own_depth + 1, out);
                // Behind several lines there is no place for a comment of the first.
                line = if out[start..].contains(&b'\n') { u64::MAX } else { parameter.at };
            }
        }
        self.pass(directive);
        // What follows a block is apart from it, with the comments before it.
        let blank_at = out.len();
        let own_lines = comments.write(next, self.shown_depth(), Some(line), out);
        if own_lines && self.blank_due {
            let line = out[blank_at..].iter().position(|byte| *byte == b'\n');
            out.insert(blank_at + line.map_or(0, |line| line + 1), b'\n');
            self.blank_due = false;
        }
    }
}
