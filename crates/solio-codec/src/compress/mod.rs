//! Compressed streams: gzip (any number of members) and zstd (any number of frames); and zlib.
//!
//! [`Decoder`] reads either as one stream in bounded memory. [`ChunkCompressor`] writes chunks
//! that are each a whole gzip member or zstd frame, so that threads compress them side by side and
//! their concatenation is one valid file.

mod decode;
mod encode;
mod gzip;
mod zlib;

pub use decode::Decoder;
pub use encode::ChunkCompressor;
pub use zlib::decode_zlib;

/// A compression that a file name or the first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Plain bytes.
    None,
    /// RFC 1952, written as several members.
    Gzip,
    /// RFC 8878, written as several frames.
    Zstd,
}

impl Compression {
    /// From the end of a file name: `.gz`, `.zst`.
    pub fn of_name(name: &str) -> Compression {
        let lower = name.to_ascii_lowercase();
        if lower.ends_with(".gz") {
            Compression::Gzip
        } else if lower.ends_with(".zst") {
            Compression::Zstd
        } else {
            Compression::None
        }
    }

    /// From the first bytes of the content.
    pub fn of_head(head: &[u8]) -> Compression {
        match head {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

impl Compression {
    /// `none`, `gzip`, `zstd`.
    pub fn as_str(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// The end of a file name, with its point; empty for plain bytes.
    pub fn extension(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }
}
