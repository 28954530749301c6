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
mod coefficient;
mod curve;
mod decode;
mod encode;
mod geometry;
mod join;
mod lift53;
mod lift97;
mod lossy;
mod markers;
mod number;
mod pack_packets;
mod packets;
mod quality;
mod split;
mod streams;
#[cfg(test)]
mod tests;
mod vlc;
mod vlc_rows;
mod write_markers;

use solio_base::{Error, Result};

use super::layout::{self, ChannelLane};
use super::room;
use crate::{Block, Channel, Compression, PixelType};
use chunk_header::{ChunkHeader, Magic};
pub(crate) use decode::Jpeg2000Reader;
use decode::OpenedChunk;
pub(crate) use encode::Jpeg2000Writer;
use encode::{ChunkSources, ComponentSource};
pub(super) use quality::DEFAULT_QUALITY;

/// Most components of a codestream.
const MOST_COMPONENTS: usize = 16384;

/// Unpacks a chunk, for which `raw` grows once it is known to be one of its size.
pub(super) fn decode<'r>(
    method: Compression,
    block: &Block<'_>,
    input: &[u8],
    raw: &'r mut Vec<u8>,
    reader: &mut Jpeg2000Reader,
) -> Result<&'r [u8]> {
    let lanes = layout::lanes(block);
    let (header, components, chunk) = open(method, block, input, &lanes)?;
    let is_old = method == Compression::Lj2k && header.magic == Magic::Plain;
    let out = room(raw, block.bytes() as usize);
    reader.read(input, &chunk, &components, is_old, out)?;
    Ok(out)
}

/// What a chunk says of itself: its channels, the header of its codestream, the lengths of its parts, which
/// blocks there are.
pub(super) fn check(method: Compression, block: &Block<'_>, input: &[u8]) -> Result<()> {
    open(method, block, input, &layout::lanes(block)).map(|_| ())
}

/// The components of a chunk: channels, and where their rows go.
type Components<'c> = Vec<(&'c Channel, &'c ChannelLane)>;

fn open<'c>(
    method: Compression,
    block: &Block<'c>,
    input: &[u8],
    lanes: &'c [ChannelLane],
) -> Result<(ChunkHeader, Components<'c>, OpenedChunk)> {
    let header = ChunkHeader::read(input, block.channels.len())?;
    if header.magic == Magic::Lossy && method != Compression::Lj2k {
        return Err(Error::corrupt("a chunk without loss starts with HL").at_offset(0));
    }
    let of = |channel: &usize| (&block.channels[*channel], &lanes[*channel]);
    let components: Components<'_> = header.map.iter().map(of).collect();
    let size = [block.x.len(), block.y.len()];
    let chunk = OpenedChunk::open(input, header.end, size, &components)?;
    Ok((header, components, chunk))
}

/// Packs a chunk; at this quality, if it is LJ2K.
pub(super) fn encode(
    method: Compression,
    quality: f32,
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
    if !fits || !(1..=MOST_COMPONENTS).contains(&lanes.len()) {
        // No codestream says that a sampling rate does not divide the chunk, which is stored.
        out.extend_from_slice(raw);
        return Ok(());
    }
    let (map, color) = chunk_header::order(block.channels);
    let sampled = block.channels.iter().any(|c| (c.x_sampling, c.y_sampling) != (1, 1));
    let source = |channel: &usize| ComponentSource {
        channel: &block.channels[*channel],
        lane: &lanes[*channel],
    };
    let components: Vec<ComponentSource<'_>> = map.iter().map(source).collect();
    let color = color && !sampled;
    let is_lossy = method == Compression::Lj2k;
    let loses = is_lossy && color && may_lose(components[0].channel);
    let quality = loses.then_some(quality);
    ChunkHeader::write(if is_lossy { Magic::Lossy } else { Magic::Plain }, &map, out);
    writer.write(&ChunkSources { size, components, color, quality }, raw, out);
    Ok(())
}

/// Whether a colour with this channel is one: whole numbers are kept, and so are the ids of Cryptomatte, whose
/// channels are called like colours.
fn may_lose(channel: &Channel) -> bool {
    let layer = channel.name.rsplit_once('.').map_or("", |(layer, _)| layer);
    channel.pixel_type != PixelType::Uint && !layer.to_ascii_lowercase().contains("crypto")
}
