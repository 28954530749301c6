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
mod chunk_header;
mod decode;
mod geometry;
mod join;
mod lift53;
mod markers;
mod number;
mod packets;
mod streams;
#[cfg(test)]
mod tests;
mod vlc;
mod vlc_rows;

use solio_base::{Error, Result};

use super::layout;
use crate::Block;
use chunk_header::{ChunkHeader, Magic};
pub(crate) use decode::Jpeg2000Reader;

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
