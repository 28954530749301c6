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
