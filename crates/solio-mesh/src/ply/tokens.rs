//! Text records, token by token: for files whose lines are not records, and for finding the
//! place of an error. One thread, any layout.

use super::columns::{ColumnKind, ColumnRole, ColumnTable, PlyColumn};
use super::context::{ElementContext, bad_index, ended};
use super::data::{Scalar, ScalarArray};
use super::header::PlyHeader;
use super::token_values::{integer, push_default, set};
use crate::text::TextChunk;
use solio_base::{Error, Result};

/// Where the parser is, and what it has read.
pub(crate) struct Tokens<'a> {
    header: &'a PlyHeader,
    contexts: &'a [ElementContext<'a>],
    pub(crate) tables: Vec<Vec<ColumnTable>>,
    strict: bool,
    warnings: Vec<String>,
    element: usize,
    row: u64,
    property: usize,
    /// Values of the list that are still to come; `None` before its count.
    list_left: Option<u64>,
    /// Line of the last token, counted from 1 in the whole file.
    line: u64,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(
        header: &'a PlyHeader,
        contexts: &'a [ElementContext<'a>],
        tables: Vec<Vec<ColumnTable>>,
        strict: bool,
    ) -> Self {
        let mut tokens = Tokens {
            header,
            contexts,
            tables,
            strict,
            warnings: Vec::new(),
            element: 0,
            row: 0,
            property: 0,
            list_left: None,
            line: header.lines,
        };
        tokens.settle();
        tokens
    }

    /// Goes on behind a chunk that was parsed by lines.
    pub(crate) fn go_to(&mut self, element: usize, row: u64, chunk: &TextChunk) {
        (self.element, self.row) = (element, row);
        (self.property, self.list_left) = (0, None);
        self.line = self.header.lines + chunk.lines_before + 1;
        self.settle();
    }

    /// Passes over elements that have no (more) values.
    fn settle(&mut self) {
        while let Some(cx) = self.contexts.get(self.element) {
            if self.row < cx.element.count && !cx.element.properties.is_empty() {
                return;
            }
            (self.element, self.row) = (self.element + 1, 0);
        }
    }

    /// Takes all tokens of a chunk.
    pub(crate) fn chunk(&mut self, chunk: &TextChunk) -> Result<()> {
        let text = &chunk.text[..];
        let mut line = self.header.lines + chunk.lines_before + 1;
        let mut line_start = 0;
        let mut at = 0;
        while at < text.len() {
            if text[at].is_ascii_whitespace() {
                at += 1;
                if text[at - 1] == self.header.newline {
                    line += 1;
                    line_start = at;
                }
                continue;
            }
            let rest = &text[at..];
            let n = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            self.line = line;
            let place = |e: Error| {
                e.at_offset(chunk.at + at as u64).at_line(line, (at - line_start) as u64 + 1)
            };
            if self.element == self.contexts.len() {
                return self.trailing(place);
            }
            self.token(&rest[..n]).map_err(place)?;
            at += n;
        }
        Ok(())
    }

    fn token(&mut self, token: &[u8]) -> Result<()> {
        let cx = &self.contexts[self.element];
        let property = &cx.element.properties[self.property];
        let (c, place) = cx.plan.of_property[self.property];
        let column = &cx.plan.columns[c];
        let table = &mut self.tables[self.element][c];
        if column.role == ColumnRole::Skipped {
            table.clear();
        }
        if let Some(count_type) = property.list
            && self.list_left.is_none()
        {
            let count = integer(token, count_type).filter(|n| (0..=i32::MAX as i64).contains(n));
            let Some(count) = count else {
                return Err(wrong(token, &format!("the count of list `{}`", property.name)));
            };
            self.list_left = Some(count as u64);
            if count == 0 {
                end_list(table);
                self.list_left = None;
                self.advance();
            }
            return Ok(());
        }
        let at = if column.is_list {
            push_default(&mut table.data);
            table.data.len() - 1
        } else {
            let kept = column.role != ColumnRole::Skipped;
            let first = if kept { self.row as usize * column.width } else { 0 };
            if table.data.len() == first {
                start_record(table, column);
            }
            first + place
        };
        cx.limits.check_elements("list values", at as u64)?;
        if set(&mut table.data, at, column.kind, property.scalar, token).is_none() {
            let what = format!(
                "`{}` of type {} in element `{}`",
                property.name,
                property.scalar.name(),
                cx.element.name
            );
            return Err(wrong(token, &what));
        }
        if column.kind == ColumnKind::Index {
            let index = u32::slice(&table.data).map_or(u32::MAX, |v| v[at]);
            let restart = column.role == ColumnRole::Strips && index == u32::MAX;
            if index as u64 >= cx.vertices && !restart {
                return Err(bad_index(column, cx, self.row));
            }
        }
        if let Some(left) = self.list_left.as_mut() {
            *left -= 1;
            if *left > 0 {
                return Ok(());
            }
            end_list(table);
            self.list_left = None;
        }
        self.advance();
        Ok(())
    }

    /// Goes on to the next property.
    fn advance(&mut self) {
        self.property += 1;
        if self.property == self.contexts[self.element].element.properties.len() {
            self.property = 0;
            self.row += 1;
            self.settle();
        }
    }

    fn trailing(&mut self, place: impl Fn(Error) -> Error) -> Result<()> {
        let error = place(Error::syntax("data behind the last record"));
        if self.strict {
            return Err(error);
        }
        if self.warnings.is_empty() {
            self.warnings.push(error.to_string());
        }
        Ok(())
    }

    /// Ends the reading; `end` is where the text ends.
    pub(crate) fn finish(self, end: u64) -> Result<(Vec<Vec<ColumnTable>>, Vec<String>)> {
        if let Some(cx) = self.contexts.get(self.element) {
            return Err(ended(cx.element, self.row, end).at_line(self.line, 1));
        }
        Ok((self.tables, self.warnings))
    }
}

/// Makes room for the values of a record.
fn start_record(table: &mut ColumnTable, column: &PlyColumn) {
    for k in 0..column.width {
        push_default(&mut table.data);
        if k >= column.parts.len()
            && let ScalarArray::F32(values) = &mut table.data
        {
            *values.last_mut().expect("pushed above") = 1.0; // alpha
        }
    }
}

fn end_list(table: &mut ColumnTable) {
    table.offsets.push(table.data.len() as u32);
}

fn wrong(token: &[u8], what: &str) -> Error {
    let shown: String = String::from_utf8_lossy(token).chars().take(40).collect();
    Error::syntax(format!("`{shown}` where {what} was expected"))
}
