//! RIFF: WebP, AVI, WAV. Chunks of name, length (little-endian) and data, padded to even.

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ContainerReport};
use solio_base::Result;

/// A chunk.
#[derive(Clone, Copy)]
pub struct RiffChunk<'a> {
    /// Its name: `VP8X`, `EXIF`, …
    pub kind: [u8; 4],
    /// Where it starts.
    pub at: u64,
    /// How many bytes of data its header promises.
    pub len: u64,
    /// Its data, as far as they are there.
    pub body: ByteView<'a>,
}

/// Chunks behind each other; a part of a header at the end is not one.
///
/// ```
/// use solio_container::{ByteView, riff::RiffChunks};
/// let file = b"RIFF\x16\0\0\0WEBPICCP\x01\0\0\0x\0EXIF\0\0\0\0";
/// let kinds = RiffChunks::new(ByteView::memory(file), 12).map(|chunk| chunk.kind);
/// assert_eq!(kinds.collect::<Vec<_>>(), [*b"ICCP", *b"EXIF"]);
/// ```
pub struct RiffChunks<'a> {
    view: ByteView<'a>,
    at: u64,
}

impl<'a> RiffChunks<'a> {
    /// Those of `view` from `at` on.
    pub fn new(view: ByteView<'a>, at: u64) -> Self {
        RiffChunks { view, at }
    }
}

impl<'a> Iterator for RiffChunks<'a> {
    type Item = RiffChunk<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let RiffChunks { view, at } = *self;
        let (kind, len) = (view.array(at)?, u64::from(view.le32(at + 4)?));
        // Chunks have even lengths; the last byte is sometimes left out.
        self.at = at + 8 + len.next_multiple_of(2);
        Some(RiffChunk { kind, at, len, body: view.part(at + 8, len) })
    }
}

/// The size of a WebP picture as one of its chunks has it: `VP8X`, `VP8 ` or `VP8L` (RFC 9649).
pub fn webp_size(chunk: &RiffChunk<'_>) -> Option<(u32, u32)> {
    let body = chunk.body;
    match &chunk.kind {
        b"VP8X" => {
            let [w0, w1, w2, h0, h1, h2] = body.array(4)?;
            let of = |bytes| u32::from_le_bytes(bytes) + 1;
            Some((of([w0, w1, w2, 0]), of([h0, h1, h2, 0])))
        }
        b"VP8 " if body.from(3).starts_with(&[0x9d, 0x01, 0x2a]) => {
            let of = |at| Some(u32::from(body.le16(at)? & 0x3fff));
            Some((of(6)?, of(8)?))
        }
        b"VP8L" if body.u8(0) == Some(0x2f) => {
            let bits = body.le32(1)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        _ => None,
    }
}

/// Checks that chunks fill what the file's header says.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    let mut file = ViewCursor::new(view, 0);
    let (mut count, mut report) = (0u64, ContainerReport::default());
    // Large AVI files have several.
    while file.rest() > 0 {
        let rest = view.from(file.at);
        if rest.len() < 8 || !rest.starts_with(b"RIFF") {
            report.note_rest(rest);
            break;
        }
        file.skip(4, "the head")?;
        let size = file.le32("the head")?;
        // What streams write whose length nobody knew.
        if size == u64::from(u32::MAX) || size == 0 {
            report.notes.push("the head does not say how long it is: it was not finished".into());
            break;
        }
        let end = file.at + size;
        view.reach(end, "the RIFF chunk")?;
        file.skip(4, "the head")?;
        for chunk in RiffChunks::new(view.part(0, end), file.at) {
            if chunk.body.len() < chunk.len {
                let over = chunk.len - chunk.body.len();
                let message = format!("a chunk ends {over} bytes after what holds it");
                return Err(damaged(message, chunk.at));
            }
            count += 1;
        }
        file.at = (end + size % 2).min(view.len());
    }
    report.found = format!("{count} chunks");
    Ok(report)
}
