//! The catalogue as a table of other programs: Arrow in memory, Parquet in files.
//!
//! The columns are those of the view `files`: `path`, `path_bytes` (only where the path is no
//! text), `folder`, `name`, `modified` (a timestamp in microseconds,
//! which Python's dates can hold), then
//! [`row::COLUMNS`](crate::row::COLUMNS). Rows come by folder, then by name, and a file depends on
//! nothing but its rows.

mod arrow;
mod fields;
mod merge;
mod parquet;
mod rows;
#[cfg(test)]
mod tests;

pub use arrow::{Batch, schema};
pub use merge::Merge;
pub use parquet::ParquetWriter;
pub use rows::ParquetRows;
