//! What became of files from one state of a catalogue to another, line by line.

use crate::table::{BAD, DIM, GOOD, bytes};
use crate::{Outcome, schema, screen, terminal};
use serde_json::json;
use solio::catalog::difference::CatalogDifference;
use solio::catalog::store::FileChange;
use solio::names::OsStrBytes;
use solio::{Result, Work};
use std::ffi::OsStr;
use std::path::Path;

/// The letter of a change, as diffs and backup programs have them.
fn letter(change: FileChange) -> &'static str {
    match change {
        FileChange::Added => "+",
        FileChange::Changed => "M",
        FileChange::Moved => "R",
        FileChange::Removed => "-",
        FileChange::Excluded => "x",
    }
}

/// Prints one.
pub(crate) fn print(it: &CatalogDifference, is_json: bool) {
    let path = Path::new(OsStr::from_bytes(&it.path));
    if is_json {
        let old = it.old_path.as_deref().map(|old| Path::new(OsStr::from_bytes(old)));
        let mut paths = vec![("path", path)];
        paths.extend(old.map(|old| ("old_path", old)));
        let line =
            json!({ "change": it.change.name(), "bytes": it.size, "old_bytes": it.old_size });
        return screen::print(&schema::line("change/1", &paths, line));
    }
    let colour = match it.change {
        FileChange::Added => GOOD,
        FileChange::Removed | FileChange::Excluded => BAD,
        FileChange::Changed | FileChange::Moved => DIM,
    };
    let (letter, name) =
        (letter(it.change), |path: &[u8]| terminal::name(Path::new(OsStr::from_bytes(path))));
    let from = it.old_path.as_deref().map_or(String::new(), |old| format!("{} -> ", name(old)));
    let sizes = match (it.change, it.old_size, it.size) {
        (FileChange::Changed, Some(old), Some(new)) if old != new => {
            format!("  {DIM}{} -> {}{DIM:#}", bytes(old), bytes(new))
        }
        _ => String::new(),
    };
    screen::print(&format!("{colour}{letter}{colour:#} {from}{}{sizes}\n", name(&it.path)));
}

/// `12 added, 3 changed, 1 moved, 4 removed`.
pub(crate) fn summary(all: &[CatalogDifference]) -> String {
    let counted =
        FileChange::ALL.map(|change| (all.iter().filter(|it| it.change == change).count(), change));
    let parts = counted.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, change)| format!("{} {}", crate::table::count(*count as u64), change.name()))
        .collect();
    if parts.is_empty() { "nothing changed".to_owned() } else { parts.join(", ") }
}

/// `solio diff` of two catalogues.
pub(crate) fn diff(before: &Path, after: &Path, is_json: bool, work: &Work) -> Result<Outcome> {
    let all = solio::diff_catalogs(before, after, work)?;
    for it in &all {
        if screen::is_closed() {
            break;
        }
        print(it, is_json);
    }
    if !is_json {
        screen::say(&summary(&all));
    }
    Ok(if all.is_empty() { Outcome::Done } else { Outcome::NearlySame })
}
