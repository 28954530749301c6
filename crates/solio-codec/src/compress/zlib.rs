//! zlib (RFC 1950), whole streams in memory.

use flate2::{Decompress, FlushDecompress, Status};
use solio_base::{Error, Result};

/// Unpacks one zlib stream, to at most `most` bytes.
///
/// ```
/// let packed = [0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27];
/// assert_eq!(solio_codec::compress::decode_zlib(&packed, 100)?, b"abc");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn decode_zlib(packed: &[u8], most: u64) -> Result<Vec<u8>> {
    decode(packed, most, true)
}

/// The same of DEFLATE without zlib's header and checksum, as ZIP has it.
///
/// ```
/// let packed = [0x4b, 0x4c, 0x4a, 0x06, 0x00];
/// assert_eq!(solio_codec::compress::decode_deflate(&packed, 100)?, b"abc");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn decode_deflate(packed: &[u8], most: u64) -> Result<Vec<u8>> {
    decode(packed, most, false)
}

fn decode(packed: &[u8], most: u64, has_header: bool) -> Result<Vec<u8>> {
    let mut state = Decompress::new(has_header);
    let mut bytes = Vec::with_capacity(packed.len().saturating_mul(2).min(1 << 20));
    loop {
        let used = state.total_in() as usize;
        let status = state
            .decompress_vec(&packed[used..], &mut bytes, FlushDecompress::Finish)
            .map_err(|e| {
                Error::corrupt(format!("zlib data are damaged ({e})")).at_offset(state.total_in())
            })?;
        if bytes.len() as u64 > most {
            return Err(Error::limit(format!("zlib data unpack to more than {most} bytes")));
        }
        match status {
            Status::StreamEnd => return Ok(bytes),
            _ if bytes.len() == bytes.capacity() => {
                let more = bytes.capacity().max(4096) as u64;
                bytes.reserve(more.min(most - bytes.len() as u64 + 1) as usize);
            }
            _ => {
                let place = state.total_in();
                return Err(Error::corrupt("zlib data end early").at_offset(place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn unpacks_whole_streams_and_refuses_parts() {
        let text: Vec<u8> = (0..200_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(decode_zlib(&packed, text.len() as u64).unwrap() == text);
        assert!(decode_zlib(&packed, text.len() as u64 - 1).is_err());
        for end in (0..packed.len()).step_by(97) {
            assert!(decode_zlib(&packed[..end], u64::MAX >> 1).is_err(), "{end}");
        }
        for bit in 0..64 {
            let mut broken = packed.clone();
            broken[bit * packed.len() / 64] ^= 1 << (bit % 8);
            let _ = decode_zlib(&broken, 10_000_000);
        }
    }
}
