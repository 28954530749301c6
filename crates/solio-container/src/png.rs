//! PNG: what the header says, and the order and the sums of the chunks (W3C PNG, third edition).

use crate::cursor::damaged;
use crate::{ByteView, ColorModel, ContainerChunk, ContainerHeader, ContainerReport, png_chunks};
use solio_base::Result;

/// Bytes that are summed at once.
const WIDE: u64 = 64 << 10;

/// What the data of `IHDR` say; `None` where they are too short.
pub(crate) fn header(body: ByteView<'_>) -> Option<ContainerHeader> {
    let (width, height, [bits, color_type]) = (body.be32(0)?, body.be32(4)?, body.array(8)?);
    let (channels, color) = match color_type {
        2 => (3, ColorModel::Rgb),
        3 => (1, ColorModel::Palette),
        4 => (2, ColorModel::Grey),
        6 => (4, ColorModel::Rgb),
        _ => (1, ColorModel::Grey),
    };
    let bits = bits.into();
    Some(ContainerHeader { width, height, bits, channels, color, ..Default::default() })
}

/// Checks the order of the chunks, and their sums.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    view.reach(8, "the signature")?;
    let mut report = ContainerReport::default();
    let mut has_pixels = false;
    let mut over = 0;
    for chunk in png_chunks(view) {
        let ContainerChunk { kind, at, len, body, end, .. } = chunk?;
        let name = String::from_utf8_lossy(&kind);
        if len > i32::MAX as u64 || !kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(damaged("no chunk starts here", at));
        }
        view.reach(end, &format!("the chunk {name}"))?;
        if (at == 8) != (&kind == b"IHDR") {
            let message = format!("IHDR has to be the first chunk; {name} stands here");
            return Err(damaged(message, at));
        }
        if let (b"IHDR", Some(header)) = (&kind, header(body)) {
            report.found = header.pixels();
        }
        let mut sum = crc32fast::Hasher::new();
        let mut part = view.part(at + 4, len + 4);
        while !part.is_empty() {
            let bytes = part.len().min(WIDE);
            let summed = part.with(0, bytes as usize, |bytes| sum.update(bytes));
            summed.ok_or_else(|| view.cut(end, &format!("the chunk {name}")))?;
            part = part.from(bytes);
        }
        if view.be32(at + 8 + len) != Some(sum.finalize()) {
            return Err(damaged(format!("the chunk {name} is damaged: its sum is another"), at));
        }
        has_pixels |= &kind == b"IDAT";
        if &kind == b"IEND" && !has_pixels {
            return Err(damaged("there are no pixels: IDAT is missing", at));
        }
        over = end;
    }
    report.note_rest(view.from(over));
    Ok(report)
}
