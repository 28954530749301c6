//! PNG: chunks of length, name, data and sum, up to the last one (W3C PNG, third edition, 5).

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ContainerReport};
use solio_base::Result;

/// Bytes that are summed at once.
const WIDE: u64 = 64 << 10;

/// A chunk.
#[derive(Clone, Copy)]
pub struct PngChunk<'a> {
    /// Its type: `IHDR`, `IDAT`, …
    pub kind: [u8; 4],
    /// Where it starts.
    pub at: u64,
    /// How many bytes of data its header promises.
    pub len: u64,
    /// Its data, as far as the file has them.
    pub body: ByteView<'a>,
}

/// The chunks of a file up to `IEND`. After an error nothing follows.
///
/// ```
/// use solio_container::{ByteView, png::PngChunks};
/// let file = b"\x89PNG\r\n\x1a\n\0\0\0\x02gAMA\0\x07sum.\0\0\0\0IENDsum.";
/// let kinds = PngChunks::new(ByteView::memory(file)).map(|chunk| chunk.unwrap().kind);
/// assert_eq!(kinds.collect::<Vec<_>>(), [*b"gAMA", *b"IEND"]);
/// ```
pub struct PngChunks<'a> {
    file: ViewCursor<'a>,
    is_over: bool,
}

impl<'a> PngChunks<'a> {
    /// Those of a file.
    pub fn new(view: ByteView<'a>) -> Self {
        PngChunks { file: ViewCursor::new(view, 8), is_over: false }
    }

    fn chunk(&mut self) -> Result<PngChunk<'a>> {
        let at = self.file.at;
        let len = self.file.be32("the head of a chunk")?;
        let kind = self.file.take("the head of a chunk")?;
        let body = self.file.view.part(at + 8, len);
        self.file.at += len + 4;
        self.is_over = &kind == b"IEND";
        Ok(PngChunk { kind, at, len, body })
    }
}

impl<'a> Iterator for PngChunks<'a> {
    type Item = Result<PngChunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        (!std::mem::replace(&mut self.is_over, true)).then(|| self.chunk())
    }
}

/// What `IHDR` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PngHeader {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bits of a sample, or of an index into the palette.
    pub bits: u8,
    /// 0: grey, 2: RGB, 3: palette, 4: grey with alpha, 6: RGB with alpha.
    pub color_type: u8,
    /// 0: deflate.
    pub compression: u8,
    /// 0: one filter a row.
    pub filter: u8,
    /// 1: Adam7.
    pub interlace: u8,
}

impl PngHeader {
    /// The data of `IHDR`; `None` where they are too short.
    pub fn read(body: ByteView<'_>) -> Option<PngHeader> {
        let (width, height) = (body.be32(0)?, body.be32(4)?);
        let [bits, color_type, compression, filter, interlace] = body.array(8)?;
        Some(PngHeader { width, height, bits, color_type, compression, filter, interlace })
    }
}

/// Checks the order of the chunks, and their sums.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    view.reach(8, "the signature")?;
    let mut report = ContainerReport::default();
    let mut has_pixels = false;
    let mut chunks = PngChunks::new(view);
    while let Some(chunk) = chunks.next() {
        let PngChunk { kind, at, len, body } = chunk?;
        let name = String::from_utf8_lossy(&kind);
        if len > i32::MAX as u64 || !kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(damaged("no chunk starts here", at));
        }
        view.reach(chunks.file.at, &format!("the chunk {name}"))?;
        if (at == 8) != (&kind == b"IHDR") {
            let message = format!("IHDR has to be the first chunk; {name} stands here");
            return Err(damaged(message, at));
        }
        if let (b"IHDR", Some(header)) = (&kind, PngHeader::read(body)) {
            report.found = crate::pixels(header.width, header.height);
        }
        let mut sum = crc32fast::Hasher::new();
        let mut part = view.part(at + 4, len + 4);
        while !part.is_empty() {
            let bytes = part.len().min(WIDE);
            let summed = part.with(0, bytes as usize, |bytes| sum.update(bytes));
            summed.ok_or_else(|| view.cut(chunks.file.at, &format!("the chunk {name}")))?;
            part = part.from(bytes);
        }
        if view.be32(at + 8 + len) != Some(sum.finalize()) {
            return Err(damaged(format!("the chunk {name} is damaged: its sum is another"), at));
        }
        has_pixels |= &kind == b"IDAT";
        if chunks.is_over && !has_pixels {
            return Err(damaged("there are no pixels: IDAT is missing", at));
        }
    }
    report.note_rest(view.from(chunks.file.at));
    Ok(report)
}
