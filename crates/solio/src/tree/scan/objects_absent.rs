//! Roots in a store, in a build that cannot read them.

use super::facts::FileFacts;
use super::row::row_of_unknown;
use super::walked::Walked;
use solio_base::{Error, Result, Work};
use solio_catalog::row::Row;
use solio_io::objects::not_built;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn in_flight(work: &Work) -> usize {
    work.threads
}

pub(super) fn scan_objects(walked: &Walked<'_>, roots: &[PathBuf], _: &Work) -> Result<()> {
    roots.iter().for_each(|root| walked.unlisted(root, not_built().at_path(root)));
    Ok(())
}

pub(super) fn list_objects(roots: &[PathBuf], _: &Work) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    Ok((Vec::new(), roots.iter().map(|root| not_built().at_path(root)).collect()))
}

pub(super) fn row(
    path: &Path,
    folder: &Arc<[u8]>,
    name: &[u8],
    facts: &FileFacts,
    _: &Work,
) -> Result<Row> {
    row_of_unknown(folder, name, facts, not_built().at_path(path))
}
