//! Compressed streams: gzip (any number of members) and zstd (any number of frames).

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
