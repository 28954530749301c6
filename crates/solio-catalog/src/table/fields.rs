//! The columns of the table, and what they say of a row, in the table's order.

use crate::names::shown;
use crate::row::{COLUMNS, Cell, Row, Type, column, path_of};
use std::borrow::Cow;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Integer,
    /// Microseconds since 1970, UTC.
    Time,
    Real,
    Text,
    Bytes,
}

/// A column.
pub(super) struct TableField {
    pub(super) name: &'static str,
    pub(super) kind: ColumnKind,
    /// Whether a row may have no value there.
    pub(super) nullable: bool,
}

/// The columns before those of [`COLUMNS`].
const LEAD: [(&str, ColumnKind, bool); 6] = [
    ("path", ColumnKind::Text, false),
    ("path_bytes", ColumnKind::Bytes, true),
    ("folder", ColumnKind::Text, false),
    ("folder_bytes", ColumnKind::Bytes, true),
    ("name", ColumnKind::Text, false),
    ("modified", ColumnKind::Time, true),
];

/// How many columns stand before those of [`COLUMNS`].
pub(super) const LEAD_COLUMNS: usize = LEAD.len();

/// All columns.
pub(super) fn fields() -> impl Iterator<Item = TableField> {
    let lead = LEAD.into_iter().map(|(name, kind, nullable)| TableField { name, kind, nullable });
    lead.chain(COLUMNS.iter().map(|column| {
        let kind = match column.kind {
            Type::Integer => ColumnKind::Integer,
            Type::Real => ColumnKind::Real,
            Type::Text => ColumnKind::Text,
        };
        TableField { name: column.name, kind, nullable: true }
    }))
}

/// What a column says of a row.
pub(super) enum FieldValue<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'r, str>),
    Bytes(Cow<'r, [u8]>),
}

/// What each of [`fields`] says of a row.
pub(super) fn values(row: &Row) -> impl Iterator<Item = FieldValue<'_>> {
    let modified_ns = row.cells.integer(column::MODIFIED_NS);
    let lead: [FieldValue<'_>; LEAD_COLUMNS] = [
        FieldValue::Text(shown_path(row).into()),
        bytes_where_no_text(path_of(&row.folder, &row.name).into()),
        FieldValue::Text(shown(&row.folder)),
        bytes_where_no_text((&*row.folder).into()),
        FieldValue::Text(shown(&row.name)),
        modified_ns.map_or(FieldValue::Null, |ns| FieldValue::Integer(ns.div_euclid(1000))),
    ];
    lead.into_iter().chain(row.cells.all().iter().map(|cell| match cell {
        Cell::Null => FieldValue::Null,
        Cell::Integer(value) => FieldValue::Integer(*value),
        Cell::Real(value) => FieldValue::Real(*value),
        Cell::Text(text) => FieldValue::Text((&**text).into()),
    }))
}

fn bytes_where_no_text(name: Cow<'_, [u8]>) -> FieldValue<'_> {
    if std::str::from_utf8(&name).is_ok() { FieldValue::Null } else { FieldValue::Bytes(name) }
}

/// `folder/name`, each part as text of its own: so does the view of the live catalogue.
fn shown_path(row: &Row) -> String {
    let (folder, name) = (shown(&row.folder), shown(&row.name));
    String::from_utf8_lossy(&path_of(folder.as_bytes(), name.as_bytes())).into_owned()
}
