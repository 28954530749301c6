//! The compressions: one module a method, each with a `decode` and an `encode` of one chunk.
//!
//! Both sides see the chunk as [`Block`](crate::Block) lays it out. A chunk that does not shrink
//! is stored as it is, in every method; the container does that, not the methods.

#[allow(dead_code)] // until the container calls it
pub(crate) mod b44;
#[allow(dead_code)]
mod deflate;
#[allow(dead_code)]
mod half;
#[allow(dead_code)]
mod huffman;
#[allow(dead_code)]
mod layout;
#[allow(dead_code)]
pub(crate) mod piz;
#[allow(dead_code)]
pub(crate) mod pxr24;
#[cfg(test)]
mod samples;
#[allow(dead_code)]
mod wavelet;

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
