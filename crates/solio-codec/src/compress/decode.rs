//! Streaming decompression: bytes in from a reader, bytes out into the caller's buffer.

use super::input::{CompressedInput, corrupt_at};
use super::{Compression, gzip::Gzip, lacks_memory};
use solio_base::{Error, Limits, Result};
use std::io::Read;
use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

/// Largest zstd window that is taken without being asked: 128 MiB, as the `zstd` command does.
const WINDOW_LOG_MAX: u32 = 27;
/// One decompressed stream over a reader of compressed bytes.
///
/// Errors are `Corrupt` with the offset in the *compressed* file, and say so. What comes out is
/// bounded by [`Limits::bytes`], however small the input.
///
/// ```
/// use solio_codec::compress::{ChunkCompressor, Compression, StreamDecoder};
/// let mut file = Vec::new();
/// let mut compressor = ChunkCompressor::new(Compression::Gzip, None)?;
/// compressor.compress(b"v 0 0 0\n", &mut file)?;
/// compressor.compress(b"v 1 0 0\n", &mut file)?;
///
/// let mut decoder = StreamDecoder::new(Compression::Gzip, file.as_slice(), &Default::default())?;
/// let mut text = [0; 64];
/// let got = decoder.read(&mut text)?;
/// assert_eq!(&text[..got], b"v 0 0 0\nv 1 0 0\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct StreamDecoder<R> {
    input: CompressedInput<R>,
    engine: DecodeBackend,
    limits: Limits,
    produced: u64,
}

enum DecodeBackend {
    Plain,
    Gzip(Box<Gzip>),
    Zstd { raw: zstd::stream::raw::Decoder<'static>, inside: bool },
}

impl<R: Read> StreamDecoder<R> {
    /// A decoder of `compression` over `reader`.
    pub fn new(compression: Compression, reader: R, limits: &Limits) -> Result<Self> {
        let engine = match compression {
            Compression::None => DecodeBackend::Plain,
            Compression::Gzip => DecodeBackend::Gzip(Box::default()),
            Compression::Zstd => {
                let mut raw = zstd::stream::raw::Decoder::new()
                    .and_then(|mut raw| {
                        raw.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
                        Ok(raw)
                    })
                    .map_err(|e| Error::io("start zstd", e))?;
                raw.reinit().map_err(|e| Error::io("start zstd", e))?;
                DecodeBackend::Zstd { raw, inside: false }
            }
        };
        Ok(StreamDecoder {
            input: CompressedInput::new(reader),
            engine,
            limits: *limits,
            produced: 0,
        })
    }

    /// Fills as much of `out` as there is; fewer bytes than `out.len()` only at the end.
    pub fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let got = match &mut self.engine {
            DecodeBackend::Plain => self.input.read(out),
            DecodeBackend::Gzip(gzip) => gzip.read(&mut self.input, out),
            DecodeBackend::Zstd { raw, inside } => read_zstd(raw, inside, &mut self.input, out),
        }?;
        self.produced += got as u64;
        self.limits.check_bytes("the decompressed file", self.produced)?;
        Ok(got)
    }

    /// Offset in the compressed file of bytes behind the last gzip member that are no gzip data
    /// and were passed over, as `gzip` does (zero padding is not reported).
    pub fn ignored_tail(&self) -> Option<u64> {
        match &self.engine {
            DecodeBackend::Gzip(gzip) => gzip.ignored_tail,
            _ => None,
        }
    }
}

fn read_zstd<R: Read>(
    raw: &mut zstd::stream::raw::Decoder<'static>,
    inside: &mut bool,
    input: &mut CompressedInput<R>,
    out: &mut [u8],
) -> Result<usize> {
    let mut made = 0;
    while made < out.len() {
        let at = input.position();
        let bytes = input.fill()?;
        let ended = bytes.is_empty();
        if ended && !*inside {
            break;
        }
        if !*inside {
            raw.reinit().map_err(|e| Error::io("start zstd", e))?;
        }
        let mut from = InBuffer::around(bytes);
        let mut to = OutBuffer::around(&mut out[made..]);
        let left = raw.run(&mut from, &mut to).map_err(|e| zstd_error(&e, at))?;
        let (taken, given) = (from.pos(), to.pos());
        input.take(taken);
        made += given;
        *inside = left != 0;
        if ended && given == 0 && *inside {
            return Err(input.ends_early("zstd frame"));
        }
    }
    Ok(made)
}

fn zstd_error(error: &std::io::Error, at: u64) -> Error {
    let text = error.to_string();
    if text.contains("too much memory") {
        return Error::limit(format!(
            "the zstd frame near byte {at} of the compressed file needs a window over {} MiB",
            (1u64 << WINDOW_LOG_MAX) >> 20
        ))
        .at_offset(at)
        .hint("decompress it first: zstd -d --long=31");
    }
    match lacks_memory(error) {
        true => Error::io("decompress", std::io::Error::other(text)),
        false => corrupt_at(at, "zstd", &text),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
