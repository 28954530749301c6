//! How a file is written.

use crate::Compression;
use crate::header::{LineOrder, Tiles};

/// How the pixels of flat parts are cut into chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As the header of the part says.
    #[default]
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
    /// How hard: ZIP 0 to 12 (without it, what is fast for each chunk), ZSTD 1 to 22 (5), DWA its
    /// quality (45).
    pub level: Option<f32>,
    /// In which order chunks follow each other.
    pub line_order: Option<LineOrder>,
    /// How flat parts are cut into chunks.
    pub layout: Layout,
    /// What all parts have alike.
    pub shared: Shared,
}
