//! Photo metadata: dictionaries, tables that Arrow's users take without copies, thumbnails.

mod arrow;
mod functions;

pub(crate) use arrow::MetadataColumns;
pub(crate) use functions::{metadata, metadata_table, thumbnail, thumbnail_pixels};
