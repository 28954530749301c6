//! What of a file to read.

use crate::header::Box2i;
use solio_base::Limits;

/// Which levels of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// The full size.
    #[default]
    Full,
    /// This one: how often the width and the height were halved.
    One(u32, u32),
    /// All that there are.
    All,
}

/// What of a file to read, and how much it may take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The numbers of the parts; all without a word on it.
    pub parts: Option<Vec<usize>>,
    /// The full names of the channels; all without a word on it. A part that has none of them is
    /// left out.
    pub channels: Option<Vec<String>>,
    /// Which levels of detail.
    pub levels: Levels,
    /// Only these pixels (in the coordinates of the level), as far as there are any.
    pub window: Option<Box2i>,
    /// Chunks that are missing or damaged leave zeros and are listed, instead of failing.
    pub partial: bool,
    /// What the file may make us do.
    pub limits: Limits,
}

/// What of a file to read into the caller's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntoOptions {
    /// The number of the part.
    pub part: usize,
    /// The level: how often the width and the height were halved.
    pub level: (u32, u32),
    /// Only these pixels (in the coordinates of the level), as far as there are any; with subsampled
    /// channels as many more as make whole samples.
    pub window: Option<Box2i>,
    /// What stands where the part lacks a channel; without it that is an error.
    pub fill: Option<f32>,
    /// Nobody has written to the memory yet; to memory of which that is not true, large images
    /// without compression are read past the caches.
    pub fresh: bool,
    /// Chunks that are missing or damaged leave zeros and are listed, instead of failing.
    pub partial: bool,
    /// What the file may make us do.
    pub limits: Limits,
}
