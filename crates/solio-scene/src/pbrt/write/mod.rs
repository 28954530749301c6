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
use layout::{OriginalText, TextLayout, indent_of};
use solio_base::{Error, Result, Sink, Source, Work};
use std::ops::Range;

/// Options of [`Writer`].
///
/// ```
/// use solio_scene::pbrt::{parse, schema::Version, write::{WriteOptions, to_text}};
/// let statements = parse(b"Shape \"sphere\" \"bool shown\" true", 0);
/// let text = to_text(&statements, WriteOptions { version: Version::V3 });
/// assert_eq!(String::from_utf8_lossy(&text), "Shape \"sphere\"\n    \"bool shown\" \"true\"\n");
/// ```
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
///
/// ```
/// use solio_base::Work;
/// use solio_scene::pbrt::{parse, write::Writer};
/// // Blocks go on from piece to piece.
/// let (mut writer, mut out) = (Writer::new(Default::default()), Vec::new());
/// for text in ["AttributeBegin\n", "Scale 2 2 2\nAttributeEnd\n"] {
///     writer.write(&parse(text.as_bytes(), 0), None, &mut out, &Work::serial())?;
/// }
/// assert_eq!(String::from_utf8_lossy(&out), "AttributeBegin\n    Scale 2 2 2\nAttributeEnd\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    options: WriteOptions,
    layout: TextLayout,
}

impl Writer {
    /// At the beginning of a text.
    ///
    /// ```
    /// use solio_base::Work;
    /// use solio_scene::pbrt::{Statements, schema::Version, write::{WriteOptions, Writer}};
    /// let mut writer = Writer::new(WriteOptions { version: Version::V4 });
    /// let mut out = Vec::new();
    /// writer.write(&Statements::default(), None, &mut out, &Work::serial())?;
    /// assert!(out.is_empty()); // a text has no head
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn new(options: WriteOptions) -> Writer {
        Writer { options, layout: TextLayout::default() }
    }

    /// Writes the next piece. `text` is what it was read from, and where that begins in its file;
    /// without it, comments are left out. Statements that could not be read are no part of the
    /// piece, and are left out too: see [`Statements::problems`].
    ///
    /// ```
    /// use solio_base::Work;
    /// use solio_scene::pbrt::{parse, write::Writer};
    /// let text = b"Scale 2.50 1 1 # wide\n";
    /// let (piece, mut out) = (parse(text, 0), Vec::new());
    /// let mut writer = Writer::new(Default::default());
    /// writer.write(&piece, Some((text, 0)), &mut out, &Work::serial())?;
    /// assert_eq!(out, b"Scale 2.5 1 1 # wide\n");
    /// # Ok::<(), solio_base::Error>(())
    /// ```
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
    ///
    /// ```
    /// use solio_base::{Sink, Work};
    /// use solio_scene::pbrt::{parse, write::Writer};
    /// // Puts a line of its own between two statements.
    /// let piece = parse(b"WorldBegin\nScale 2 2 2\n", 0);
    /// let (mut out, work) = (Vec::new(), Work::serial());
    /// let mut writer = Writer::new(Default::default());
    /// writer.write_some(&piece, 0..1, None, &mut out, &work)?;
    /// out.write_bytes(&work, b"Include \"lights.pbrt\"\n")?;
    /// writer.write_some(&piece, 1..2, None, &mut out, &work)?;
    /// let text = String::from_utf8_lossy(&out);
    /// assert!(text.find("Include") < text.find("Scale"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn write_some(
        &mut self,
        piece: &Statements,
        range: Range<usize>,
        text: Option<(&[u8], u64)>,
        sink: &mut dyn Sink,
        work: &Work,
    ) -> Result<()> {
        let text =
            text.map_or(OriginalText::NONE, |(bytes, offset)| OriginalText { bytes, offset });
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
        text: OriginalText<'_>,
    ) -> Vec<(Range<usize>, TextLayout)> {
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
///
/// ```
/// use solio_scene::pbrt::{parse, write::to_text};
/// let statements = parse(b"  LookAt 0 0 5   0 0 0.10  0 1 0 # eye", 0);
/// let text = to_text(&statements, Default::default());
/// assert_eq!(String::from_utf8_lossy(&text), "LookAt 0 0 5 0 0 0.1 0 1 0\n");
/// ```
pub fn to_text(statements: &Statements, options: WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    let all = 0..statements.statements.len();
    TextLayout::default().group(statements, all, OriginalText::NONE, options, &mut out);
    out
}

/// Reads all of `source`, changes what `change` changes in each piece, and writes it to `sink`, with
/// its comments. Fails where the source cannot be read or the sink not be written; what in the text
/// is wrong is left out, and returned.
///
/// ```
/// use solio_base::Work;
/// use solio_scene::pbrt::{Directive, write::rewrite};
/// let text = b"# a test\nFilm \"rgb\"\nSampler \"sobol\"\n";
/// let mut out = Vec::new();
/// let no_film = |piece: &mut solio_scene::pbrt::Statements| {
///     piece.statements.retain(|statement| statement.directive != Directive::Film);
/// };
/// let (read, write) = (Default::default(), Default::default());
/// let problems = rewrite(&&text[..], &read, write, no_film, &mut out, &Work::serial())?;
/// assert!(problems.is_empty());
/// assert_eq!(String::from_utf8_lossy(&out), "# a test\nSampler \"sobol\"\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
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
