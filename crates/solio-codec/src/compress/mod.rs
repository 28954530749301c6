//! Compressed streams: gzip (any number of members) and zstd (any number of frames); and zlib.
//!
//! [`StreamDecoder`] reads either as one stream in bounded memory. [`ChunkCompressor`] writes chunks
//! that are each a whole gzip member or zstd frame, so that threads compress them side by side and
//! their concatenation is one valid file.

mod decode;
mod encode;
mod gzip;
mod input;
mod zlib;

pub use decode::StreamDecoder;
pub use encode::ChunkCompressor;
pub use zlib::{decode_deflate, decode_zlib};

use solio_base::named_enum;
use solio_kinds::FileKind;
use zstd::zstd_safe::{self, zstd_sys::ZSTD_ErrorCode};

/// Whether zstd failed because it got no memory, and not because of what it was given.
///
/// ```
/// use solio_codec::compress::lacks_memory;
/// use zstd::zstd_safe::get_error_name;
/// // Codes of errors are negative numbers (`zstd_errors.h`).
/// let error = |code: usize| std::io::Error::other(get_error_name(code.wrapping_neg()));
/// assert!(lacks_memory(&error(64)));
/// assert!(!lacks_memory(&error(70))); // there is no room for the result
/// ```
pub fn lacks_memory(error: &std::io::Error) -> bool {
    let code = ZSTD_ErrorCode::ZSTD_error_memory_allocation as usize;
    error.to_string() == zstd_safe::get_error_name(code.wrapping_neg())
}

named_enum! {
    /// A compression that a file name or the first bytes tell.
    ///
    /// ```
    /// use solio_codec::compress::{ChunkCompressor, Compression};
    /// // How to write, the name says; how it was written, the first bytes.
    /// let wanted = Compression::of_name("scene.obj.zst");
    /// let mut file = Vec::new();
    /// ChunkCompressor::new(wanted, None)?.compress(b"v 0 0 0\n", &mut file)?;
    /// assert_eq!((wanted, Compression::of_head(&file)), (Compression::Zstd, Compression::Zstd));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Default, Hash)]
    pub enum Compression {
        /// Plain bytes.
        #[default]
        None = "none",
        /// RFC 1952, written as several members.
        Gzip = "gzip",
        /// RFC 8878, written as several frames.
        Zstd = "zstd",
    }

    /// `none`, `gzip`, `zstd`.
    ///
    /// ```
    /// use solio_codec::compress::Compression;
    /// let said = |head: &[u8]| Compression::of_head(head).as_str();
    /// assert_eq!([said(b"\x1f\x8b\x08"), said(b"ply\n")], ["gzip", "none"]);
    /// ```
    pub fn as_str;
}

impl Compression {
    /// From the end of a file name: `.gz`, `.zst`.
    ///
    /// ```
    /// use solio_codec::compress::Compression;
    /// assert_eq!(Compression::of_name("Mesh.OBJ.GZ"), Compression::Gzip);
    /// assert_eq!(Compression::of_name("notes.gz.txt"), Compression::None);
    /// ```
    pub fn of_name(name: &str) -> Compression {
        let lower = name.to_ascii_lowercase();
        let packed = [Compression::Gzip, Compression::Zstd];
        let found = packed.into_iter().find(|packed| lower.ends_with(packed.extension()));
        found.unwrap_or(Compression::None)
    }

    /// From the first bytes of the content.
    ///
    /// ```
    /// use solio_codec::compress::Compression;
    /// assert_eq!(Compression::of_head(b"\x1f\x8b\x08\x00"), Compression::Gzip);
    /// assert_eq!(Compression::of_head(b"\x28\xb5\x2f\xfd"), Compression::Zstd);
    /// // Less than a mark is plain.
    /// assert_eq!(Compression::of_head(b"\x1f"), Compression::None);
    /// ```
    pub fn of_head(head: &[u8]) -> Compression {
        if FileKind::Gzip.is_at_start(head) {
            Compression::Gzip
        } else if FileKind::Zstd.is_at_start(head) {
            Compression::Zstd
        } else {
            Compression::None
        }
    }
}

impl Compression {
    /// The end of a file name, with its point; empty for plain bytes.
    ///
    /// ```
    /// use solio_codec::compress::Compression;
    /// let name = |compression: Compression| format!("scan.ply{}", compression.extension());
    /// assert_eq!(name(Compression::Zstd), "scan.ply.zst");
    /// assert_eq!(name(Compression::None), "scan.ply");
    /// // The name says how it was written.
    /// assert_eq!(Compression::of_name(&name(Compression::Gzip)), Compression::Gzip);
    /// ```
    pub fn extension(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }
}
