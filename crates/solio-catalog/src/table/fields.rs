//! The columns of the table, and what they say of a row, in the table's order.

use crate::names::shown;
use crate::row::{COLUMNS, Cell, Row, Type, column, path_of};
use std::borrow::Cow;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// Microseconds since 1970, UTC.
    Time,
    Real,
    Text,
    Bytes,
}

/// A column.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether a row may have no value there.
    pub(super) nullable: bool,
}

/// The columns before those of [`COLUMNS`].
const LEAD: [(&str, Kind, bool); 6] = [
    ("path", Kind::Text, false),
    ("path_bytes", Kind::Bytes, true),
    ("folder", Kind::Text, false),
    ("folder_bytes", Kind::Bytes, true),
    ("name", Kind::Text, false),
    ("modified", Kind::Time, true),
];

/// How many columns stand before those of [`COLUMNS`].
pub(super) const LEAD_COLUMNS: usize = LEAD.len();

/// All columns.
pub(super) fn fields() -> impl Iterator<Item = Field> {
    let lead = LEAD.into_iter().map(|(name, kind, nullable)| Field { name, kind, nullable });
    lead.chain(COLUMNS.iter().map(|column| {
        let kind = match column.kind {
            Type::Integer => Kind::Integer,
            Type::Real => Kind::Real,
            Type::Text => Kind::Text,
        };
        Field { name: column.name, kind, nullable: true }
    }))
}

/// What a column says of a row.
pub(super) enum Value<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'r, str>),
    Bytes(Cow<'r, [u8]>),
}

/// What each of [`fields`] says of a row.
pub(super) fn values(row: &Row) -> impl Iterator<Item = Value<'_>> {
    let modified_ns = row.cells.integer(column::MODIFIED_NS);
    let lead: [Value<'_>; LEAD_COLUMNS] = [
        Value::Text(shown_path(row).into()),
        bytes_where_no_text(path_of(&row.folder, &row.name).into()),
        Value::Text(shown(&row.folder)),
        bytes_where_no_text((&*row.folder).into()),
        Value::Text(shown(&row.name)),
        modified_ns.map_or(Value::Null, |ns| Value::Integer(ns.div_euclid(1000))),
    ];
    lead.into_iter().chain(row.cells.all().iter().map(|cell| match cell {
        Cell::Null => Value::Null,
        Cell::Integer(value) => Value::Integer(*value),
        Cell::Real(value) => Value::Real(*value),
        Cell::Text(text) => Value::Text((&**text).into()),
    }))
}

fn bytes_where_no_text(name: Cow<'_, [u8]>) -> Value<'_> {
    if std::str::from_utf8(&name).is_ok() { Value::Null } else { Value::Bytes(name) }
}

/// `folder/name`, each part as text of its own: so does the view of the live catalogue.
fn shown_path(row: &Row) -> String {
    let (folder, name) = (shown(&row.folder), shown(&row.name));
    String::from_utf8_lossy(&path_of(folder.as_bytes(), name.as_bytes())).into_owned()
}
