//! Statements to text: indented by blocks, a parameter a line, arrays in rows.
//!
//! ```text
//! AttributeBegin
//!     Translate 0 0 5 # up
//!     Shape "trianglemesh"
//!         "point3 P" [ 0 0 0 1 0 0 ]
//! AttributeEnd
//! ```
//!
//! Numbers are the shortest that read back to the same bits, so what is read from the text is what
//! was written. The text does not depend on how a file is cut into pieces, nor on threads.
//! Comments keep their place between statements and parameters; those within values follow them.

mod layout;
#[cfg(test)]
mod tests;
mod values;

use super::schema::Version;
use super::{ReadOptions, Statements, read_statements};
use layout::{Layout, Text, indent_of};
use solio_base::{Error, Result, Sink, Source, Work};
use std::ops::Range;

/// Options of [`Writer`].
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// The version whose readers should take the text: truth values of version 3 stand in quotes.
    /// Directives and parameters stay as they are; see [`super::upgrade`].
    pub version: Version,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { version: Version::V4 }
    }
}

/// Statements are put down in groups of about so many bytes, made side by side.
const GROUP_BYTES: usize = 256 << 10;

/// Writes the statements of one text, piece after piece.
#[derive(Debug)]
pub struct Writer {
    options: WriteOptions,
    layout: Layout,
}

impl Writer {
    /// At the beginning of a text.
    pub fn new(options: WriteOptions) -> Writer {
        Writer { options, layout: Layout::default() }
    }

    /// Writes the next piece. `text` is what it was read from, and where that begins in its file;
    /// without it, comments are left out. Statements that could not be read are no part of the
    /// piece, and are left out too: see [`Statements::problems`].
    pub fn write(
        &mut self,
        piece: &Statements,
        text: Option<(&[u8], u64)>,
        sink: &mut dyn Sink,
        work: &Work,
    ) -> Result<()> {
        self.write_some(piece, 0..piece.statements.len(), text, sink, work)
    }

    /// Writes some statements of a piece; those before them were written.
    pub fn write_some(
        &mut self,
        piece: &Statements,
        range: Range<usize>,
        text: Option<(&[u8], u64)>,
        sink: &mut dyn Sink,
        work: &Work,
    ) -> Result<()> {
        let text = text.map_or(Text::NONE, |(bytes, offset)| Text { bytes, offset });
        let groups = self.groups(piece, range, text);
        let options = self.options;
        sink.write_chunks(work, groups.len(), &|i, out| {
            let (range, layout) = &groups[i];
            let mut layout = *layout;
            layout.group(piece, range.clone(), text, options, out);
            Ok(())
        })?;
        if let Some((range, layout)) = groups.last() {
            self.layout = *layout;
            self.layout.skip(piece, range.clone(), text);
        }
        Ok(())
    }

    /// Some statements of the piece by groups, and how the text stands before each.
    fn groups(
        &self,
        piece: &Statements,
        range: Range<usize>,
        text: Text<'_>,
    ) -> Vec<(Range<usize>, Layout)> {
        let mut groups = Vec::new();
        let (mut layout, mut start, mut bytes) = (self.layout, range.start, 0);
        for i in range.clone() {
            bytes += values::guessed_bytes(piece, &piece.statements[i]);
            if bytes >= GROUP_BYTES {
                groups.push((start..i + 1, layout));
                layout.skip(piece, start..i + 1, text);
                (start, bytes) = (i + 1, 0);
            }
        }
        // Of a piece without statements comments alone are written.
        let is_bare = piece.statements.is_empty() && !piece.comments.is_empty() && text.has_bytes();
        if start < range.end || (groups.is_empty() && is_bare) {
            groups.push((start..range.end, layout));
        }
        groups
    }
}

/// The text of these statements, without comments.
pub fn to_text(statements: &Statements, options: WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    let all = 0..statements.statements.len();
    Layout::default().group(statements, all, Text::NONE, options, &mut out);
    out
}

/// Reads all of `source`, changes what `change` changes in each piece, and writes it to `sink`, with
/// its comments. Fails where the source cannot be read or the sink not be written; what in the text
/// is wrong is left out, and returned.
pub fn rewrite(
    source: &dyn Source,
    read: &ReadOptions,
    options: WriteOptions,
    mut change: impl FnMut(&mut Statements) + Send,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<Vec<Error>> {
    let mut writer = Writer::new(options);
    let mut problems = Vec::new();
    read_statements(
        source,
        read,
        work,
        |_| {},
        |piece| {
            change(piece.statements);
            problems.append(&mut piece.statements.problems);
            writer.write(piece.statements, Some((piece.text, piece.offset)), sink, work)
        },
    )?;
    Ok(problems)
}
