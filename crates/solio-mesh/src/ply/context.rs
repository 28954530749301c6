//! What all readers of records share: the element at hand, counts of lists, checks of indices, and
//! how the values of a chunk join their table.

use super::columns::{ColumnKind, ColumnPlan, ColumnRole, ColumnTable, PlyColumn};
use super::data::{Scalar, ScalarArray, with_scalar};
use super::header::{PlyElement, PlyProperty};
use crate::model::ScalarType;
use solio_base::{Error, Limits, Result};
use solio_codec::records;

/// What decoding an element needs to know beside its bytes.
pub(crate) struct ElementContext<'a> {
    pub(crate) element: &'a PlyElement,
    pub(crate) plan: &'a ColumnPlan,
    pub(crate) big_endian: bool,
    /// Indices must be below this.
    pub(crate) vertices: u64,
    pub(crate) limits: &'a Limits,
}

/// Appends a chunk's values to a table.
pub(crate) fn commit(
    (table, column): (&mut ColumnTable, &PlyColumn),
    data: &ScalarArray,
    counts: &[u32],
    cx: &ElementContext<'_>,
) -> Result<()> {
    if column.role == ColumnRole::Skipped {
        return Ok(());
    }
    let total = (table.data.len() + data.len()) as u64;
    cx.limits.check_elements("list values", total.max(cx.element.count))?;
    cx.limits.check_bytes("an element", total * 8)?;
    table.data.append(data);
    if let Some(&last) = table.offsets.last() {
        let mut end = last;
        table.offsets.extend(counts.iter().map(|&n| {
            end += n; // cannot overflow: the sum is `total`
            end
        }));
    }
    Ok(())
}

/// The error for data that end inside an element.
pub(crate) fn ended(element: &PlyElement, row: u64, at: u64) -> Error {
    Error::corrupt(format!(
        "the data ends in record {row} of {} of element `{}`",
        element.count, element.name
    ))
    .at_offset(at)
}

/// The count of a list; `None` when the bytes end before it, `Some(None)` when it is no count.
#[inline]
pub(crate) fn list_count(property: &PlyProperty, bytes: &[u8], big: bool) -> Option<Option<u32>> {
    let scalar = property.list.expect("a list");
    let bytes = bytes.get(..scalar.size())?;
    if let [count] = bytes
        && scalar == ScalarType::U8
    {
        return Some(Some(*count as u32));
    }
    let count = with_scalar!(scalar, S => {
        if big { S::read_be(bytes).to_index() } else { S::read_le(bytes).to_index() }
    });
    Some((count <= i32::MAX as u32).then_some(count))
}

/// Makes `data` ready to take `rows` records of `column`.
pub(crate) fn prepare(data: &mut ScalarArray, column: &PlyColumn, rows: usize) {
    if data.scalar() != column.stored {
        *data = ScalarArray::new(column.stored);
    }
    data.clear();
    if column.is_list {
        return;
    }
    data.resize(rows * column.width);
    if column.parts.len() < column.width
        && let ScalarArray::F32(values) = data
    {
        let last = column.width - 1;
        values.chunks_exact_mut(column.width).for_each(|v| v[last] = 1.0); // alpha
    }
}

/// The error for a record that refers to a vertex that is not there.
pub(crate) fn bad_index(column: &PlyColumn, cx: &ElementContext<'_>, row: u64) -> Error {
    let property = &cx.element.properties[column.parts[0]].name;
    Error::corrupt(format!(
        "`{property}` of record {row} of element `{}` refers to a vertex that is not there; \
         the file has {} vertices",
        cx.element.name, cx.vertices
    ))
}

/// Where in `data` the first index past the vertices is.
pub(crate) fn first_bad_index(
    column: &PlyColumn,
    data: &ScalarArray,
    vertices: u64,
) -> Option<usize> {
    bad_index_at(column, u32::slice(data)?, vertices)
}

/// [`first_bad_index`] in the values themselves.
pub(crate) fn bad_index_at(column: &PlyColumn, values: &[u32], vertices: u64) -> Option<usize> {
    if column.kind != ColumnKind::Index {
        return None;
    }
    if column.role == ColumnRole::Strips {
        return values.iter().position(|&v| v as u64 >= vertices && v != u32::MAX);
    }
    // This is a vector loop, the next is none.
    if values.is_empty() || u64::from(records::largest(values)) < vertices {
        return None;
    }
    values.iter().position(|&v| v as u64 >= vertices)
}
