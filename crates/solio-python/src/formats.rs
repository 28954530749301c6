//! The table of file kinds.

use pyo3::prelude::*;
use solio::{Ability, FileKind, FormatOption};

/// Flag, argument in Python, what it takes, default and help.
type OptionRow = (&'static str, &'static str, String, &'static str, &'static str);

/// Name, title, family, extensions, MIME type, what Solio does with it, and options of writing.
type FormatRow = (
    &'static str,
    &'static str,
    &'static str,
    Vec<&'static str>,
    &'static str,
    Vec<&'static str>,
    Vec<OptionRow>,
);

/// All rows.
#[pyfunction]
pub(crate) fn formats() -> Vec<FormatRow> {
    let row = |kind: &FileKind| {
        let abilities = Ability::ALL.into_iter().filter(|can| kind.can(*can));
        let abilities = abilities.map(Ability::as_str).collect();
        let extensions = kind.all_extensions().collect();
        let family = kind.family().as_str();
        let options = FormatOption::of_kind(*kind).map(|option| {
            (option.flag, option.python, option.values_text(), option.default, option.help)
        });
        (kind.as_str(), kind.title(), family, extensions, kind.mime(), abilities, options.collect())
    };
    FileKind::ALL.iter().map(row).collect()
}
