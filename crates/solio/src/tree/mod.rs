//! Trees of files: lists, checks, digests, duplicates, catalogues, contact sheets.

pub(crate) mod ahead;
pub(crate) mod check;
pub(crate) mod duplicates;
pub(crate) mod each_file;
pub(crate) mod frames;
pub(crate) mod hash;
pub(crate) mod journal;
pub(crate) mod keep;
pub(crate) mod kind_filter;
pub(crate) mod list;
pub(crate) mod read_files;
pub(crate) mod roots;
pub(crate) mod scan;
pub(crate) mod sheet;
pub(crate) mod summary;
pub(crate) mod thumbnail;
