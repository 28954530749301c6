//! What lies in a tree of files. Nothing here opens a file but SQLite, which opens its own: names,
//! bytes and rows come in.
//!
//! * [`row`]: what is known of a file, and the columns that it is told in.
//! * [`sequence`]: frames of a sequence, and the grammar in which sequences are written.
//! * [`store`]: the live catalogue, an SQLite database.
//! * [`table`]: the catalogue for other programs, as Arrow and Parquet; its parts merged.
//! * [`names`]: names that are no text.
//! * [`mhl`]: what a folder held, in the form of ASC MHL.
//! * [`sums`]: lists of digests.
#![forbid(unsafe_code)]

pub mod difference;
pub mod look;
pub mod mhl;
pub mod names;
pub mod row;
pub mod sequence;
pub mod store;
pub mod sums;
pub mod table;
