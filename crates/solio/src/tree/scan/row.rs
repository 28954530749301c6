//! The row of a file.

use super::facts::{FileFacts, sentence};
use serde_json::json;
use solio_base::{Error, ErrorKind, Result};
use solio_catalog::names::shown;
use solio_catalog::row::{Cell, Cells, OF_STATUS, Row, column};
use solio_catalog::sequence::numbered;
use solio_io::walk::{EntryKind, Status};
use std::sync::Arc;

/// What the system says of a file, and what `look` finds in it, unless there is nothing to look at.
/// Why it cannot be read is a problem of the file, and told.
///
/// # Errors
/// `Cancelled`.
pub(super) fn row_of(
    folder: &Arc<[u8]>,
    name: &[u8],
    status: Status,
    kind: EntryKind,
    facts: &FileFacts,
    look: impl FnOnce(&mut Cells) -> Result<()>,
) -> Result<(Row, Option<Error>)> {
    let mut cells = Cells::default();
    set_status(&mut cells, &status);
    let mut failed = None;
    let plain = match kind {
        EntryKind::Link => Some("link"),
        EntryKind::Folder => Some("folder"),
        EntryKind::Other => Some("special"),
        EntryKind::File => (status.size == 0).then_some("empty"),
    };
    match plain {
        Some(kind) => {
            cells.set_text(column::KIND, kind);
            cells.set_integer(column::LEVEL, facts.level().0);
        }
        None => match look(&mut cells) {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                cells.set_text(column::PROBLEMS, json!([sentence(&error)]).to_string());
                failed = Some(error);
            }
            Ok(()) => {}
        },
    }
    let mut row = Row { folder: Arc::clone(folder), name: name.into(), cells };
    number(&mut row);
    Ok((row, failed))
}

/// What the system says of a file now.
pub(super) fn set_status(cells: &mut Cells, status: &Status) {
    let optional = |value: Option<i64>| value.map_or(Cell::Null, Cell::Integer);
    cells.set_integer(column::SIZE, status.size);
    cells.set_integer(column::MODIFIED_NS, status.modified_ns);
    cells.set(column::BORN_NS, optional(status.born_ns));
    cells.set_integer(column::INODE, status.inode as i64);
    cells.set(column::CHANGED_NS, optional(status.changed_ns));
    cells.set_integer(column::LINKS, status.links);
    // Objects have no blocks, no owner and no device.
    let is_file = status.changed_ns.is_some();
    let file = |value: u64| if is_file { Cell::Integer(value as i64) } else { Cell::Null };
    cells.set(column::BLOCKS, file(status.blocks));
    cells.set(column::ALLOCATED, file(status.blocks.saturating_mul(512)));
    cells.set(column::MODE, file(status.mode.into()));
    cells.set(column::OWNER, file(status.owner.into()));
    cells.set(column::OWNER_GROUP, file(status.group.into()));
    cells.set(column::DEVICE, file(status.device));
}

/// The row of a file that is not there, or of which nobody can say more: nothing is known of it but
/// why.
///
/// # Errors
/// `Cancelled`.
pub(super) fn row_of_unknown(
    folder: &Arc<[u8]>,
    name: &[u8],
    facts: &FileFacts,
    why: Error,
) -> Result<Row> {
    // Not empty, or there would be nothing to look at.
    let status = Status { size: 1, ..Status::default() };
    let (mut row, _) = row_of(folder, name, status, EntryKind::File, facts, |_| Err(why))?;
    for place in OF_STATUS {
        row.cells.set(place, Cell::Null);
    }
    Ok(row)
}

/// Which frame of which sequence the name says.
pub(super) fn number(row: &mut Row) {
    let Some(name) = numbered(&row.name) else {
        row.cells.set(column::FRAME, Cell::Null);
        row.cells.set(column::SEQUENCE, Cell::Null);
        return;
    };
    let pattern = [name.before, b"#", name.after].concat();
    row.cells.set_integer(column::FRAME, name.frame);
    row.cells.set_text(column::SEQUENCE, shown(&pattern));
}
