//! The catalogue: a tree is walked once, and what is known of its files is kept in a table.
//!
//! [`scan`] walks; [`facts`] looks into a file; [`export`] makes Parquet of the table
//! and merges parts.

mod export;
mod facts;
mod files;
mod folder;
mod plan;
mod row;
mod run;
#[cfg(test)]
mod tests;
mod writer;

pub use export::{export_catalog, is_parquet, merge_catalogs, scan_to_parquet};
pub use facts::{FileFacts, ScanFields, file_facts};
pub use files::{list_files, scan_files};
pub use plan::farm_plan;
pub use run::{Scan, ScanCount, ScanOptions, ScanReport, is_unfinished, scan};
