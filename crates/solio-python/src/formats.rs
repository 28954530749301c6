//! The table of file kinds.

use pyo3::prelude::*;
use solio::{Ability, FileKind};

/// Name, title, family, extensions, MIME type and what Solio does with it.
type FormatRow =
    (&'static str, &'static str, &'static str, Vec<&'static str>, &'static str, Vec<&'static str>);

/// All rows.
#[pyfunction]
pub(crate) fn formats() -> Vec<FormatRow> {
    let row = |kind: &FileKind| {
        let abilities = Ability::ALL.into_iter().filter(|can| kind.can(*can));
        let abilities = abilities.map(Ability::as_str).collect();
        let extensions = kind.all_extensions().collect();
        let family = kind.family().as_str();
        (kind.as_str(), kind.title(), family, extensions, kind.mime(), abilities)
    };
    FileKind::ALL.iter().map(row).collect()
}
