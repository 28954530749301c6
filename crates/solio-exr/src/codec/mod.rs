//! The compressions: one module a method, each with a `decode` and an `encode` of one chunk.
//!
//! Both sides see the chunk as [`Block`](crate::Block) lays it out. A chunk that does not shrink
//! is stored as it is, in every method; the container does that, not the methods.

mod b44;
mod deflate;
mod dwa;
mod huffman;
mod layout;
mod piz;
mod pxr24;
mod rle;
#[cfg(test)]
mod samples;
mod zip;
mod zstd;

use crate::Block;
use crate::block::DeepBlock;
use solio_base::{Error, Result};

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Bytes between the byte filter and what packs them.
    filtered: Vec<u8>,
}

/// Unpacks one chunk; `out` has the bytes of `block`, and fewer than those are in `input`.
pub(crate) fn decode(
    compression: Compression,
    block: &Block<'_>,
    input: &[u8],
    out: &mut [u8],
    scratch: &mut Scratch,
) -> Result<()> {
    debug_assert_eq!(out.len() as u64, block.bytes());
    match compression {
        Compression::Piz => piz::decode(block, input, out),
        Compression::Pxr24 => pxr24::decode(block, input, out),
        Compression::B44 | Compression::B44a => b44::decode(block, input, out),
        Compression::Zstd => zstd::decode(block, input, out),
        Compression::Dwaa | Compression::Dwab => dwa::decode(block, input, out),
        other => decode_bytes(other, input, out, scratch),
    }
}

/// The methods that see bytes, whatever they are of.
fn decode_bytes(
    compression: Compression,
    input: &[u8],
    out: &mut [u8],
    scratch: &mut Scratch,
) -> Result<()> {
    match compression {
        Compression::None => {
            let message = format!("{} bytes of samples, not {}", input.len(), out.len());
            Err(Error::corrupt(message))
        }
        Compression::Rle => rle::decode(input, out, &mut scratch.filtered),
        Compression::Zips | Compression::Zip => zip::decode(input, out, &mut scratch.filtered),
        other => Err(unsupported(other)),
    }
}

/// Packs one chunk: appends to `out`, perhaps more bytes than `raw` has.
pub(crate) fn encode(
    compression: Compression,
    level: Option<f32>,
    block: &Block<'_>,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<()> {
    debug_assert_eq!(raw.len() as u64, block.bytes());
    match compression {
        Compression::Piz => piz::encode(block, raw, out),
        Compression::Pxr24 => pxr24::encode(block, raw, out),
        Compression::B44 => b44::encode(block, false, raw, out),
        Compression::B44a => b44::encode(block, true, raw, out),
        Compression::Zstd => {
            let level = level.map_or(zstd::DEFAULT_LEVEL, |level| level as i32);
            zstd::encode(block, level, raw, out)
        }
        Compression::Dwaa | Compression::Dwab => {
            dwa::encode(block, level.unwrap_or(dwa::DEFAULT_LEVEL), raw, out)
        }
        other => encode_bytes(other, level, raw, out, scratch),
    }
}

/// [`encode`] of the methods that see bytes.
fn encode_bytes(
    compression: Compression,
    level: Option<f32>,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<()> {
    match compression {
        Compression::None => out.extend_from_slice(raw),
        Compression::Rle => rle::encode(raw, out, &mut scratch.filtered),
        Compression::Zips | Compression::Zip => {
            zip::encode(level, raw, out, &mut scratch.filtered)?;
        }
        other => return Err(unsupported(other)),
    }
    Ok(())
}

/// [`decode`] of the samples of a deep chunk, or of its counts.
pub(crate) fn decode_deep(
    compression: Compression,
    block: &DeepBlock<'_>,
    input: &[u8],
    out: &mut [u8],
    scratch: &mut Scratch,
) -> Result<()> {
    match compression {
        Compression::Zstd => zstd::decode_rows(&zstd_rows(block), input, out),
        other => decode_bytes(other, input, out, scratch),
    }
}

/// [`encode`] of the samples of a deep chunk, or of its counts.
pub(crate) fn encode_deep(
    compression: Compression,
    level: Option<f32>,
    block: &DeepBlock<'_>,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<()> {
    match compression {
        Compression::Zstd => {
            let level = level.map_or(zstd::DEFAULT_LEVEL, |level| level as i32);
            zstd::encode_rows(&zstd_rows(block), level, false, raw, out)
        }
        other => encode_bytes(other, level, raw, out, scratch),
    }
}

fn zstd_rows(block: &DeepBlock<'_>) -> Vec<zstd::Row> {
    let bytes = || block.channels.iter().map(|channel| channel.pixel_type.bytes());
    let row = |samples: &u64| {
        let samples = *samples as usize;
        bytes().map(move |bytes| zstd::Row { samples, bytes })
    };
    block.row_samples.iter().flat_map(row).collect()
}

fn unsupported(compression: Compression) -> Error {
    Error::unsupported(format!("the compression {} is not supported", compression.name()))
}

/// Most bytes that one byte of a chunk can stand for.
///
/// A header that promises more than the file can hold is refused before memory is taken. Run
/// lengths: 128 from two. Deflate: 258 bytes from two bits; PXR24 has three for four. PIZ: 256
/// values from nine bits. B44A: 32 bytes from three. Zstandard: 128 KiB from four. DWA: 256 from a
/// first frequency, deflated, and 10 bits for 256 blocks without others; of an alpha channel, run
/// lengths, deflated. JPEG 2000 has no bound that is worth knowing.
pub(crate) fn most_from_a_byte(compression: Compression) -> u64 {
    match compression {
        Compression::None => 1,
        Compression::Rle => 64,
        Compression::Zips | Compression::Zip => 1032,
        Compression::Pxr24 => 1376,
        Compression::Piz => 512,
        Compression::B44 | Compression::B44a => 11,
        Compression::Zstd => 1 << 15,
        Compression::Dwaa | Compression::Dwab => 1 << 17,
        _ => 1 << 20,
    }
}

/// How the chunks of a part are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// Run lengths of byte differences.
    Rle,
    /// Deflate, a scanline at a time.
    Zips,
    /// Deflate, 16 scanlines at a time.
    Zip,
    /// Wavelet and Huffman code.
    Piz,
    /// Deflate of differences; 32-bit numbers lose 8 bits.
    Pxr24,
    /// 4 × 4 blocks of a fixed size; lossy.
    B44,
    /// B44 with smaller blocks where all values are equal; lossy.
    B44a,
    /// Discrete cosine transform, 32 scanlines at a time; lossy.
    Dwaa,
    /// Discrete cosine transform, 256 scanlines at a time; lossy.
    Dwab,
    /// High-throughput JPEG 2000, 256 scanlines at a time.
    Htj2k256,
    /// High-throughput JPEG 2000, 32 scanlines at a time.
    Htj2k32,
    /// Lossy JPEG 2000.
    Lj2k,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// All of them, in the order of their numbers in the file.
    pub const ALL: [Compression; 14] = [
        Compression::None,
        Compression::Rle,
        Compression::Zips,
        Compression::Zip,
        Compression::Piz,
        Compression::Pxr24,
        Compression::B44,
        Compression::B44a,
        Compression::Dwaa,
        Compression::Dwab,
        Compression::Htj2k256,
        Compression::Htj2k32,
        Compression::Lj2k,
        Compression::Zstd,
    ];

    /// From its number in the file.
    pub fn of_number(number: u8) -> Option<Compression> {
        Compression::ALL.get(usize::from(number)).copied()
    }

    /// Its number in the file.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name, as `exrheader` and people write it.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Rle => "rle",
            Compression::Zips => "zips",
            Compression::Zip => "zip",
            Compression::Piz => "piz",
            Compression::Pxr24 => "pxr24",
            Compression::B44 => "b44",
            Compression::B44a => "b44a",
            Compression::Dwaa => "dwaa",
            Compression::Dwab => "dwab",
            Compression::Htj2k256 => "htj2k256",
            Compression::Htj2k32 => "htj2k32",
            Compression::Lj2k => "lj2k",
            Compression::Zstd => "zstd",
        }
    }

    /// Scanlines in a chunk of a part without tiles.
    pub fn chunk_rows(self) -> i32 {
        match self {
            Compression::None | Compression::Rle | Compression::Zips | Compression::Zstd => 1,
            Compression::Zip | Compression::Pxr24 => 16,
            Compression::Piz
            | Compression::B44
            | Compression::B44a
            | Compression::Dwaa
            | Compression::Htj2k32 => 32,
            Compression::Dwab | Compression::Htj2k256 | Compression::Lj2k => 256,
        }
    }
}
