//! Flat chunks: the rows of the planes, packed.

use super::chunk::keep_smaller;
use super::chunk::{PartStyle, WriteBuffers};
use crate::chunk::{Leader, leader_bytes};
use crate::codec;
use crate::header::shape::{ChunkPlace, Shape, columns, rows};
use crate::model::FlatLevel;
use crate::{Block, Channel};
use solio_base::{Error, Result};
use solio_codec::copy::{self, Keep};

/// Appends chunk `index` of a part whose pixels are `levels`.
pub(super) fn chunk(
    levels: &[FlatLevel<'_>],
    shape: &Shape,
    leader: Leader,
    place: &ChunkPlace,
    style: PartStyle,
    buffers: &mut WriteBuffers,
    out: &mut Vec<u8>,
) -> Result<()> {
    let block = shape.block(&place.window);
    let pixels = &levels[place.level];
    check_size(block.bytes())?;
    leader.encode(shape.kind, style.multipart, out);
    let start = out.len();
    let raw = &mut buffers.raw;
    raw.clear();
    let (mut planes, mut runs) = (Vec::new(), Vec::new());
    gather(pixels, shape, &block, &mut planes, &mut runs);
    copy::append(&runs, raw, Keep::Cached);
    codec::encode(shape.compression, style.pack, &block, raw, out, &mut buffers.scratch)?;
    keep_smaller(raw, start, out);
    let bytes = (out.len() - start) as u32;
    out[start - 4..start].copy_from_slice(&bytes.to_le_bytes());
    Ok(())
}

/// Appends some chunks of part `part` as they are, without compression; says how large they are.
pub(super) fn stored(
    levels: &[FlatLevel<'_>],
    shape: &Shape,
    (part, chunks): (usize, &[u64]),
    multipart: bool,
    (out, keep): (&mut Vec<u8>, Keep),
    size_of: impl Fn(u64, u64),
) -> Result<()> {
    let head = leader_bytes(shape.kind, multipart);
    let mut heads = Vec::with_capacity(chunks.len() * head);
    for &chunk in chunks {
        let data = shape.block(&shape.place(chunk).window).bytes();
        check_size(data)?;
        let leader = Leader { data, ..Leader::of_chunk(shape, part, chunk) };
        leader.encode(shape.kind, multipart, &mut heads);
        size_of(chunk, head as u64 + data);
    }
    let (mut planes, mut runs) = (Vec::new(), Vec::new());
    for (&chunk, head) in chunks.iter().zip(heads.chunks_exact(head)) {
        let place = shape.place(chunk);
        runs.push(head);
        let block = shape.block(&place.window);
        gather(&levels[place.level], shape, &block, &mut planes, &mut runs);
    }
    copy::append(&runs, out, keep);
    Ok(())
}

/// Refuses what the bytes of a chunk cannot say.
fn check_size(size: u64) -> Result<()> {
    if size > i32::MAX as u64 {
        let message = format!("a chunk of {size} bytes; at most 2^31 - 1 fit into one");
        return Err(Error::argument(message));
    }
    Ok(())
}

/// A channel of a chunk: its rows, from a row to the next, bytes of each.
type ChannelRows<'p> = (&'p Channel, &'p [u8], usize, usize);

/// Appends the rows of a chunk to `runs`, as [`Block`] lays them out. `planes` is used again.
fn gather<'p>(
    pixels: &'p FlatLevel<'_>,
    shape: &Shape,
    block: &Block<'_>,
    planes: &mut Vec<ChannelRows<'p>>,
    runs: &mut Vec<&'p [u8]>,
) {
    // Where the image lies does not matter: the chunk's place is that in the header.
    let mut whole = shape.levels[0].window;
    whole.max[0] = whole.min[0] + (pixels.window.width() - 1) as i32;
    whole.max[1] = whole.min[1] + (pixels.window.height() - 1) as i32;
    let whole = Block { x: columns(&whole), y: rows(&whole), channels: block.channels };
    let left = Block { x: whole.x.start..block.x.start, ..whole.clone() };
    let above = Block { y: whole.y.start..block.y.start, ..whole.clone() };
    planes.clear();
    planes.extend(pixels.planes.iter().map(|plane| {
        let channel = &plane.channel;
        let bytes = channel.pixel_type.bytes();
        let row = whole.row_samples(channel) * bytes;
        let skip = above.rows(channel) * row + left.row_samples(channel) * bytes;
        let rest = plane.samples.as_bytes().get(skip..).unwrap_or_default();
        (channel, rest, row, block.row_samples(channel) * bytes)
    }));
    for y in block.y.clone() {
        for (channel, rest, row, bytes) in planes.iter_mut() {
            if block.has_row(channel, y) {
                runs.push(&rest[..*bytes]);
                *rest = rest.get(*row..).unwrap_or_default();
            }
        }
    }
}
