//! The packed form of a scene: what its text says, as arrays that need no parsing.
//!
//! ```text
//! head     64 bytes   mark, version, check
//! sections            each begins at a multiple of 64 bytes
//! table    64 bytes a section
//! tail     64 bytes   where the table is, check
//! ```
//!
//! A section holds some of one array: records of 32-bit words, or bytes. It is stored as it is,
//! by zstd, or column after column by the codec of arrays: words, or whole numbers less what the
//! ones before let expect ([`column`]); matrices of instances are stored as differences from a
//! turned and evenly scaled cube. All sections stand for themselves, so they are read side by side,
//! and those that are not wanted are not read. The layout of every section stands in
//! `docs/formats/solio-scene.md`.
//!
//! What makes it small: numbers of text are decimals of few digits ([`column`]), differences from
//! what most matrices and normals are, and numbers that stand beside those of their sort
//! ([`streams`]). 350,000 instances of a twin of Moana Island take 18 bytes each for their matrices,
//! 1 for their objects, 1 for their places in the text.

mod array;
mod check;
mod chunk;
mod column;
mod fill;
mod matrix;
mod mesh;
mod normal;
mod read;
mod record;
mod streams;
mod table;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub use mesh::{PackedMesh, PackedMeshInfo};
pub use read::{PackReadOptions, PackReader};
pub use table::{Section, SectionCodec, SectionKind};
pub use write::{MeshOfName, PackOptions, PackSummary, encode_pack};

use solio_kinds::FileKind;

/// The first bytes of a packed scene. A transfer that takes it for text, or cuts off a bit of each
/// byte, changes them.
pub const MARK: [u8; 8] = match FileKind::Pack.mark().first_chunk() {
    Some(mark) => *mark,
    None => panic!("a packed scene begins with eight bytes"),
};

/// Whether a file that begins so is a packed scene.
///
/// ```
/// use solio_scene::pack::{MARK, is_pack};
/// let file = [&MARK[..], &[0; 56]].concat();
/// assert!(is_pack(&file) && !is_pack(b"WorldBegin\n"));
/// // Line ends that a transfer has changed show at once.
/// let changed: Vec<u8> = file.into_iter().filter(|&byte| byte != b'\r').collect();
/// assert!(!is_pack(&changed));
/// ```
pub fn is_pack(head: &[u8]) -> bool {
    head.starts_with(&MARK)
}
