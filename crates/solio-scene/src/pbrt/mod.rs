//! The text of pbrt: directives, each with its arguments and named, typed parameters.
//!
//! ```text
//! Shape "trianglemesh"
//!     "point3 P" [ 0 0 0  1 0 0  0 1 0 ]     # three points
//!     "integer indices" [ 0 1 2 ]
//! ```
//!
//! The grammar stands in `docs/formats/pbrt.md`; its source is pbrt-v4's description of the file
//! format (pbrt.org/fileformat-v4) and, for what that leaves open, the behaviour of pbrt-v4.
//!
//! Why it is fast: text becomes flat arrays at once, numbers by `solio_codec::number`, without a
//! token in between; and one text is cut into pieces, which are parsed side by side. A line that
//! begins, behind blanks, with a capital letter begins a directive: strings do not go over the end
//! of a line, and nothing else has capital letters.

mod directive;
pub mod meshes;
mod parameter;
mod parse;
mod read;
pub mod schema;
mod statements;
#[cfg(test)]
mod tests;
pub mod upgrade;
pub(crate) mod word;
pub mod write;

pub use directive::{Arguments, Directive};
pub use parameter::ParameterType;
pub use parse::parse;
pub use read::{Piece, ReadOptions, read_statements};
pub use statements::{Parameter, Span, Statement, Statements, Values};
