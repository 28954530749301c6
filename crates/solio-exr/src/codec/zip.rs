//! ZIP and ZIPS: the byte filter, then a zlib stream.

use super::deflate;
use solio_base::{Error, Result};
use solio_codec::halves::{self, Merger};
use solio_codec::inflate::ZlibStream;

/// Unpacked zlib streams of chunks that come soon: side by side they take less time.
#[derive(Default)]
pub(crate) struct InflatedAhead {
    filtered: Vec<Vec<u8>>,
    /// The chunks that are there; none where a stream is damaged.
    chunks: Vec<Option<u64>>,
}

impl InflatedAhead {
    /// Forgets all chunks, and unpacks these: their numbers, what is packed, and their size.
    pub(crate) fn unpack(&mut self, chunks: &[(u64, &[u8], usize)]) {
        self.chunks.clear();
        if chunks.len() < 2 {
            return;
        }
        if self.filtered.len() < chunks.len() {
            self.filtered.resize_with(chunks.len(), Vec::new);
        }
        let each = chunks.iter().zip(&mut self.filtered);
        let streams = each.map(|((_, input, bytes), filtered)| {
            filtered.resize(*bytes, 0);
            ZlibStream::new(input, filtered)
        });
        let mut streams: Vec<_> = streams.collect();
        deflate::unpack_all(&mut streams);
        let whole = streams.iter().map(|stream| stream.result == Ok(stream.out.len()));
        let chunks = chunks.iter().zip(whole).map(|((chunk, ..), whole)| whole.then_some(*chunk));
        self.chunks.extend(chunks);
    }

    /// A chunk that is there.
    pub(crate) fn get(&self, chunk: u64) -> Option<Merger<'_>> {
        let at = self.chunks.iter().position(|there| *there == Some(chunk))?;
        Some(Merger::new(&self.filtered[at]))
    }
}

pub(super) fn encode(
    level: Option<f32>,
    raw: &[u8],
    out: &mut Vec<u8>,
    filtered: &mut Vec<u8>,
) -> Result<()> {
    if let Some(level) = level.filter(|level| !(0.0..=12.0).contains(level)) {
        return Err(Error::argument(format!("zip has levels 0 to 12, not {level}")));
    }
    filtered.resize(raw.len(), 0);
    halves::split(raw, filtered);
    match level {
        Some(level) => deflate::pack(filtered, level as u8, out),
        None => deflate::pack_filtered(filtered, raw.len().div_ceil(2), out),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Compression, merger};
    use super::*;

    fn decode(input: &[u8], out: &mut [u8], filtered: &mut Vec<u8>) -> Result<()> {
        merger(Compression::Zip, input, out.len(), filtered)?.fill(out);
        Ok(())
    }

    #[test]
    fn there_and_back_and_damaged() {
        let raw: Vec<u8> = (0..3001u32).map(|i| (i * i / 1000) as u8).collect();
        let mut scratch = Vec::new();
        for level in [None, Some(0.0), Some(1.0), Some(9.0)] {
            let mut packed = vec![1, 2];
            encode(level, &raw, &mut packed, &mut scratch).unwrap();
            let packed = &packed[2..];
            let mut again = vec![0; raw.len()];
            decode(packed, &mut again, &mut scratch).unwrap();
            assert_eq!(again, raw);
            assert!(decode(packed, &mut again[1..], &mut scratch).is_err());
            let mut long = vec![0; raw.len() + 1];
            let e = decode(packed, &mut long, &mut scratch).unwrap_err();
            assert_eq!(e.message(), "zlib data hold 3001 bytes; 3002 are expected");
            for end in (0..packed.len()).step_by(13) {
                assert!(decode(&packed[..end], &mut again, &mut scratch).is_err());
            }
        }
        assert!(encode(Some(13.0), &raw, &mut Vec::new(), &mut scratch).is_err());
    }
}
