//! How a file is written.

use crate::codec::{self, Compression};
use crate::header::{LineOrder, Part, Tiles};

/// How the pixels of flat parts are cut into chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As the header of the part says, but for scanlines that are packed with ZSTD. A chunk of a
    /// single row is too little for it: they become tiles as wide as the image, of some 256 KiB,
    /// which pack 3 to 4 times as fast, are read 1.5 to 3 times as fast, and are smaller. Every
    /// reader of OpenEXR reads tiles. With [`WriteOptions::compat`], with subsampled channels and
    /// where rows are very long they stay scanlines.
    #[default]
    Auto,
    /// As the header of the part says.
    Keep,
    /// Scanlines.
    Scanlines,
    /// Tiles of one level or of several; the image has to have those levels.
    Tiles(Tiles),
}

/// What is done with parts that differ in what all parts of a file have alike: `displayWindow`,
/// `pixelAspectRatio`, `timecode` and `chromaticities`. The reference reads no such file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shared {
    /// An error that names the attribute.
    #[default]
    Refuse,
    /// All parts get what the first one has.
    OfFirst,
}

/// How a file is written. Without a word on something the header of each part decides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// How chunks are compressed.
    pub compression: Option<Compression>,
    /// How hard: ZIP 0 to 12 (without it, what is fast for each chunk), ZSTD -7 to -1, which are
    /// faster, and 1 to 22 (1; 5 for deep parts), DWA its quality (what the attribute
    /// `dwaCompressionLevel` says, else 45), LJ2K its quality from 1 to 150 (110).
    pub level: Option<f32>,
    /// In which order chunks follow each other.
    pub line_order: Option<LineOrder>,
    /// How flat parts are cut into chunks.
    pub layout: Layout,
    /// What all parts have alike.
    pub shared: Shared,
    /// What nobody asked for is as the reference has it: ZIP at level 4, ZSTD at level 5 and a row
    /// a chunk; chunks have its bytes.
    pub compat: bool,
}

impl WriteOptions {
    /// How the chunks of `part` are packed.
    pub(super) fn style(&self, part: &Part) -> codec::PackStyle {
        codec::PackStyle { level: self.level.or_else(|| part.dwa_level()), compat: self.compat }
    }
}
