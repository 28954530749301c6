//! The catalogue: a tree is walked once, and what is known of its files is kept in a table.
//!
//! [`scan`] walks; [`live`] goes on watching; [`facts`] looks into a file; [`export`] makes Parquet of the table
//! and merges parts.

mod difference;
mod export;
mod facts;
mod files;
mod folder;
#[cfg(feature = "objects")]
mod following;
mod live;
mod met;
#[cfg_attr(not(feature = "objects"), path = "objects_absent.rs")]
mod objects;
mod options;
mod places;
mod plan;
mod row;
mod run;
mod taken;
#[cfg(test)]
mod tests;
mod walked;
mod writer;

pub use difference::{catalog_duplicates, diff_catalogs};
pub use export::{export_catalog, is_parquet, merge_catalogs, scan_to_parquet};
pub use facts::{FileFacts, ScanFields, file_facts};
pub use files::{list_files, scan_files};
pub use live::{LiveCatalog, Round};
pub use options::{Scan, ScanCount, ScanOptions, ScanReport};
pub use plan::farm_plan;
pub use run::{is_unfinished, purge_catalog, scan};
