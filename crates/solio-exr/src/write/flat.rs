//! Flat chunks: the rows of the planes, packed.

use super::deep::keep_smaller;
use super::pack::{Buffers, Style};
use crate::chunk::Leader;
use crate::codec;
use crate::model::FlatLevel;
use crate::shape::{Place, Shape, columns, rows};
use crate::{Block, Compression};
use solio_base::{Error, Result};

/// Appends chunk `index` of a part whose pixels are `levels`.
pub(super) fn chunk(
    levels: &[FlatLevel<'_>],
    shape: &Shape,
    leader: Leader,
    place: &Place,
    style: Style,
    buffers: &mut Buffers,
    out: &mut Vec<u8>,
) -> Result<()> {
    let block = shape.block(&place.window);
    let pixels = &levels[place.level];
    let size = block.bytes();
    if size > i32::MAX as u64 {
        let message = format!("a chunk of {size} bytes; at most 2^31 - 1 fit into one");
        return Err(Error::argument(message));
    }
    leader.encode(shape.kind, style.multipart, out);
    let start = out.len();
    if shape.compression == Compression::None {
        gather(pixels, shape, &block, out);
    } else {
        let raw = &mut buffers.raw;
        raw.clear();
        gather(pixels, shape, &block, raw);
        codec::encode(shape.compression, style.pack, &block, raw, out, &mut buffers.scratch)?;
        keep_smaller(raw, start, out);
    }
    let bytes = (out.len() - start) as u32;
    out[start - 4..start].copy_from_slice(&bytes.to_le_bytes());
    Ok(())
}

/// Appends the samples of a chunk, as [`Block`] lays them out.
fn gather(pixels: &FlatLevel<'_>, shape: &Shape, block: &Block<'_>, out: &mut Vec<u8>) {
    out.reserve(block.bytes() as usize);
    // Where the image lies does not matter: the chunk's place is that in the header.
    let mut whole = shape.levels[0].window;
    whole.max[0] = whole.min[0] + (pixels.window.width() - 1) as i32;
    whole.max[1] = whole.min[1] + (pixels.window.height() - 1) as i32;
    let whole = Block { x: columns(&whole), y: rows(&whole), channels: block.channels };
    let left = Block { x: whole.x.start..block.x.start, ..whole.clone() };
    let above = Block { y: whole.y.start..block.y.start, ..whole.clone() };
    let planes = pixels.planes.iter().map(|plane| {
        let channel = &plane.channel;
        let bytes = channel.pixel_type.bytes();
        let row = whole.row_samples(channel) * bytes;
        let skip = above.rows(channel) * row + left.row_samples(channel) * bytes;
        let rest = plane.samples.as_bytes().get(skip..).unwrap_or_default();
        (channel, rest, row, block.row_samples(channel) * bytes)
    });
    let mut planes: Vec<_> = planes.collect();
    for y in block.y.clone() {
        for (channel, rest, row, bytes) in &mut planes {
            if block.has_row(channel, y) {
                out.extend_from_slice(&rest[..*bytes]);
                *rest = rest.get(*row..).unwrap_or_default();
            }
        }
    }
}
