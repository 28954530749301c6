//! Lists of chunks, each a type, a length and as many bytes: those of PNG and RIFF, and boxes (atoms).
//!
//! ```text
//! PNG: length (4) · type (4) · data · sum (4)
//! RIFF: type (4) · length (4, little-endian) · data, padded to even
//! boxes: length of all (4; 1: eight more bytes hold it; 0: to the end) · type (4) · content
//! ```
//! W3C PNG, third edition, 5; ISO/IEC 14496-12, 4.2.

use crate::ByteView;
use crate::cursor::{ViewCursor, damaged};
use solio_base::Result;

/// A chunk or box.
#[derive(Clone, Copy)]
pub struct ContainerChunk<'a> {
    /// Its type: `IHDR`, `EXIF`, `ftyp`, …
    pub kind: [u8; 4],
    /// Where it starts in the view that was walked.
    pub at: u64,
    /// Where its content starts there.
    pub start: u64,
    /// How many bytes of content its header promises.
    pub len: u64,
    /// Its content, as far as it is there.
    pub body: ByteView<'a>,
    /// Where the next one starts.
    pub end: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkLayout {
    Png,
    Riff,
    Boxes,
}

/// Chunks behind each other. After an error nothing follows.
///
/// ```
/// use solio_container::{ByteView, boxes, png_chunks, riff_chunks};
/// let boxes = boxes(ByteView::memory(b"\0\0\0\x0cftypheic\0\0\0\x08free"), 0);
/// let kinds: Vec<_> = boxes.map(|found| found.unwrap().kind).collect();
/// assert_eq!(kinds, [*b"ftyp", *b"free"]);
/// let png = ByteView::memory(b"\x89PNG\r\n\x1a\n\0\0\0\x02gAMA\0\x07sum.\0\0\0\0IENDsum.");
/// assert_eq!(png_chunks(png).count(), 2);
/// let webp = ByteView::memory(b"RIFF\x16\0\0\0WEBPICCP\x01\0\0\0x\0EXIF\0\0\0\0");
/// assert_eq!(riff_chunks(webp, 12).count(), 2);
/// ```
pub struct ContainerChunks<'a> {
    view: ByteView<'a>,
    at: Option<u64>,
    layout: ChunkLayout,
}

/// The chunks of a PNG file, up to `IEND`; that it is missing is an error.
pub fn png_chunks(view: ByteView<'_>) -> ContainerChunks<'_> {
    ContainerChunks { view, at: Some(8), layout: ChunkLayout::Png }
}

/// The chunks of RIFF from `at` to the end of `view`.
pub fn riff_chunks(view: ByteView<'_>, at: u64) -> ContainerChunks<'_> {
    ContainerChunks { view, at: Some(at), layout: ChunkLayout::Riff }
}

/// The boxes from `at` to the end of `view`.
pub fn boxes(view: ByteView<'_>, at: u64) -> ContainerChunks<'_> {
    ContainerChunks { view, at: Some(at), layout: ChunkLayout::Boxes }
}

impl<'a> ContainerChunks<'a> {
    fn read(&mut self, at: u64) -> Result<ContainerChunk<'a>> {
        let Self { view, layout, .. } = *self;
        let mut file = ViewCursor::new(view, at);
        let what =
            if layout == ChunkLayout::Boxes { "the head of a box" } else { "the head of a chunk" };
        let (kind, len, rest);
        match layout {
            ChunkLayout::Png => (len, kind, rest) = (file.be32(what)?, file.take(what)?, 4),
            ChunkLayout::Riff => {
                (kind, len) = (file.take(what)?, file.le32(what)?);
                // The last byte is sometimes left out.
                rest = len % 2;
            }
            ChunkLayout::Boxes => {
                let size = file.be32(what)?;
                kind = file.take(what)?;
                let size = match size {
                    0 => view.len() - at,
                    1 => u64::from_be_bytes(file.take(what)?),
                    size => size,
                };
                let content = size.checked_sub(file.at - at);
                (len, rest) = (content.ok_or_else(|| damaged("no box starts here", at))?, 0);
            }
        }
        let (start, end) = (file.at, file.at.saturating_add(len).saturating_add(rest));
        let is_last = layout == ChunkLayout::Png && &kind == b"IEND";
        self.at = Some(end).filter(|_| !is_last);
        Ok(ContainerChunk { kind, at, start, len, body: view.part(start, len), end })
    }
}

impl<'a> Iterator for ContainerChunks<'a> {
    type Item = Result<ContainerChunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        (at < self.view.len() || self.layout == ChunkLayout::Png).then(|| self.read(at))
    }
}
