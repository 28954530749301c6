//! What is this file? One table of kinds, and the one function that answers by it.
//!
//! [`FileKind`] names every kind of file that Solio knows, with its family, extensions, magic bytes,
//! MIME type and what Solio can do with it; [`FileType::detect`] tells the kind of a file from its
//! first bytes, its length and its name. Everything else that names kinds or extensions (readers,
//! writers, commands, completions, Python, Blender, the tables of the documents) takes them from here.
#![forbid(unsafe_code)]

mod detect;
mod family;
mod named;
mod options;
mod splat;
mod subset;
mod table;
mod text;

pub use detect::{FileType, HEAD_BYTES};
pub use family::{Ability, Family};
pub use options::{FormatOption, OptionValues};
pub use subset::{UnknownFormat, listed};
pub use table::{
    Alias, FileKind, GradientFormat, ImageFormat, LOOSE_EXTENSIONS, Magic, MeshFormat, SceneFormat,
};
pub use text::PBRT_DIRECTIVES;
