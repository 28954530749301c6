//! Writing: chunks are packed side by side and put down in order, in bounded memory.
//!
//! The chunk table stands before them, but is known after them: it is written as zeros, and
//! [rewritten](Sink::rewrite) at the end. Where the output cannot do that (a pipe, a compressed
//! stream), the file is made in memory first.

mod chunk;
mod deep;
mod flat;
mod options;
mod pack;
mod plan;

pub(crate) use chunk::keep_smaller;
pub use options::{Layout, Shared, WriteOptions};

use crate::header::shape::Shape;
use crate::model::Image;
use solio_base::{Result, Sink, Work};

/// Bytes that go down at once when a file was made in memory.
const PIECE_BYTES: usize = 1 << 20;

/// Writes `image` as an OpenEXR file.
pub fn encode_exr(
    image: &Image<'_>,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<()> {
    if sink.can_rewrite() {
        return encode(image, options, sink, work);
    }
    let mut bytes: Vec<u8> = Vec::new();
    encode(image, options, &mut bytes, work)?;
    let pieces: Vec<&[u8]> = bytes.chunks(PIECE_BYTES).collect();
    sink.write_chunks(work, pieces.len(), &|i, buffer| {
        buffer.extend_from_slice(pieces[i]);
        Ok(())
    })
}

fn encode(
    image: &Image<'_>,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<()> {
    let (header, shapes) = plan::plan(image, options)?;
    let mut head = Vec::new();
    header.encode(&mut head)?;
    let entries: u64 = shapes.iter().map(|shape| shape.chunks).sum();
    let chunks = head.len() as u64 + 8 * entries;
    head.resize(chunks as usize, 0);
    sink.write_bytes(work, &head)?;
    let styles: Vec<_> = header.parts.iter().map(|part| options.style(part)).collect();
    let sizes = pack::chunks(image, &shapes, &styles, sink, work)?;
    let (table, end) = table(&shapes, &sizes, chunks);
    sink.rewrite(end - (chunks - 8 * entries), &table)
}

/// The tables of all parts, and where the file ends, when the first chunk starts at `offset`.
fn table(shapes: &[Shape], sizes: &[Vec<u64>], mut offset: u64) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    for (shape, sizes) in shapes.iter().zip(sizes) {
        let mut offsets = vec![0; sizes.len()];
        for chunk in plan::order(shape) {
            offsets[chunk as usize] = offset;
            offset += sizes[chunk as usize];
        }
        offsets.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_le_bytes()));
    }
    (bytes, offset)
}
