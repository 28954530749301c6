//! High-throughput JPEG 2000: HTJ2K256 and HTJ2K32 without loss, LJ2K with.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | `HT`; `HL` with loss |
//! | 4 | bytes of the next two fields |
//! | 2 | number of channels |
//! | 2 each | the channel that each component of the codestream is |
//! | | a codestream of JPEG 2000 (ITU-T T.800, T.801, T.814) |
//!
//! These numbers are big-endian. A half is a signed number of 16 bits, a float one of 32; negative ones are
//! turned round (NLT, type 3), so that numbers rise as floats do. The wavelet (5/3) goes over five levels,
//! red, green and blue become a luma and two differences first.

mod block_decode;
mod block_encode;
mod chunk_header;
mod decode;
mod encode;
mod geometry;
mod join;
mod lift53;
mod markers;
mod number;
mod pack_packets;
mod packets;
mod split;
mod streams;
#[cfg(test)]
mod tests;
mod vlc;
mod vlc_rows;
mod write_markers;

use solio_base::{Error, Result};

use super::layout;
use crate::Block;
use chunk_header::{ChunkHeader, Magic};
pub(crate) use decode::Jpeg2000Reader;
use encode::ComponentSource;
pub(crate) use encode::Jpeg2000Writer;

/// Unpacks a chunk.
pub(super) fn decode(
    block: &Block<'_>,
    input: &[u8],
    out: &mut [u8],
    reader: &mut Jpeg2000Reader,
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let header = ChunkHeader::read(input, block.channels.len())?;
    if header.magic != Magic::Plain {
        return Err(Error::corrupt("a chunk without loss starts with HL").at_offset(0));
    }
    let lanes = layout::lanes(block);
    let of = |channel: &usize| (&block.channels[*channel], &lanes[*channel]);
    let components: Vec<_> = header.map.iter().map(of).collect();
    reader.read(input, header.end, &components, out)
}

/// Packs a chunk.
pub(super) fn encode(
    block: &Block<'_>,
    raw: &[u8],
    out: &mut Vec<u8>,
    writer: &mut Jpeg2000Writer,
) -> Result<()> {
    let size = [block.x.len(), block.y.len()];
    let lanes = layout::lanes(block);
    let fits = block.channels.iter().zip(&lanes).all(|(channel, lane)| {
        let lengths = [(channel.x_sampling, lane.samples), (channel.y_sampling, lane.rows.len())];
        lengths.iter().zip(size).all(|((sampling, count), of)| {
            *sampling < 256 && *count > 0 && *count * *sampling as usize == of
        })
    });
    if !fits || lanes.len() > MOST_COMPONENTS {
        // A sampling rate that does not divide the chunk: no codestream says so, and the chunk is stored.
        out.extend_from_slice(raw);
        return Ok(());
    }
    let (map, color) = chunk_header::order(block.channels);
    let sampled = block.channels.iter().any(|c| (c.x_sampling, c.y_sampling) != (1, 1));
    let source = |channel: &usize| ComponentSource {
        channel: &block.channels[*channel],
        lane: &lanes[*channel],
    };
    let sources: Vec<ComponentSource<'_>> = map.iter().map(source).collect();
    ChunkHeader::write(Magic::Plain, &map, out);
    writer.write(size, &sources, color && !sampled, raw, out);
    Ok(())
}

/// Most components of a codestream.
const MOST_COMPONENTS: usize = 16384;
