//! Sequences of numbered files, and how they are written.
//!
//! ```text
//! beauty.1001-1100#.exr
//! ------                 before: the name up to the number
//!        ---------       range: which frames; may be missing
//!                 -      padding: at least how many digits
//!                  ----  after: the rest of the name
//! ```
//!
//! The grammar is that of [fileseq](https://github.com/justinfx/fileseq) in its default style:
//!
//! | range | frames |
//! |---|---|
//! | `7` | one |
//! | `1-10`, `-5-5`, `10-1` | from the first to the last one, also downwards |
//! | `1-10x3` | every third: 1, 4, 7, 10 |
//! | `1-10y3` | those that `1-10x3` leaves out |
//! | `1-10:3` | `1-10x3`, then what is new in `1-10x2` and in `1-10` |
//! | `1-5,9` | several of these, each frame once |
//!
//! | padding | digits |
//! |---|---|
//! | `#` | 4 |
//! | `##`, `####` | one for each, as Nuke, Maya and Houdini's `mplay` write it |
//! | `@`, `@@@` | one for each |
//! | `%04d`, `%d` | 4, 1 |
//! | `$F4`, `$F` | 4, 1 |
//! | `<UDIM>`, `%(UDIM)d` | 4, and the numbers are tiles |
//!
//! Numbers with more digits take them: `a.#.exr` also names `a.12345.exr`. A minus is one of the
//! digits: frame -5 of `a.#.exr` is `a.-005.exr`.
//!
//! Two rules are our own, where fileseq's answer is seldom what was meant. Several `#` are a digit
//! each; fileseq takes four for each, so that `####` asks for 16. And a hyphen right behind a letter or
//! a digit is no minus: `shot-0001.exr` is frame 1, not frame -1.

mod collapse;
mod name;
mod padding;
mod pattern;
mod range;

pub use collapse::{Collapsed, Sequence, collapse};
pub use name::{Numbered, numbered};
pub use padding::Padding;
pub use pattern::NamePattern;
pub use range::{FrameRange, frames_text};

/// Most frames of a range.
pub const MOST_FRAMES: usize = 10_000_000;

/// Most digits of a frame's number; a longer row of digits is a name.
pub(crate) const MOST_DIGITS: usize = 18;
