//! Photo metadata: one file, many files, tables; tags, fields, and how they are shown.

pub(crate) mod embedded;
pub(crate) mod exiftool;
pub(crate) mod header_tags;
pub(crate) mod metadata;
pub(crate) mod system_tags;
pub(crate) mod table;
pub(crate) mod value_bytes;

pub use solio_photo::*;
