//! RIFF: WebP, AVI, WAV.

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ContainerChunk, ContainerReport, riff_chunks};
use solio_base::Result;
use solio_kinds::FileKind;

/// The size of a WebP picture as one of its chunks has it: `VP8X`, `VP8 ` or `VP8L` (RFC 9649).
pub fn webp_size(chunk: &ContainerChunk<'_>) -> Option<(u32, u32)> {
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
        if rest.len() < 8 || !rest.starts_with(FileKind::Webp.mark()) {
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
        for chunk in riff_chunks(view.part(0, end), file.at).map_while(Result::ok) {
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
