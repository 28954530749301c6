//! Loops that move one property of many binary records into a column.
//!
//! The type is chosen once per chunk and property, never per value.

use super::columns::{ColumnKind, PlyColumn};
use super::data::{Scalar, ScalarArray, with_scalar, with_values};
use crate::model::ScalarType;

/// Binary records: all of one size, or each with its own start.
#[derive(Clone, Copy)]
pub(crate) enum RawRows<'a> {
    Fixed { bytes: &'a [u8], stride: usize },
    Starts { bytes: &'a [u8], starts: &'a [u32] },
}

impl RawRows<'_> {
    /// Calls `f` with `size` bytes of each record from `offset` on and its values in the column.
    #[inline(always)]
    fn each<D>(
        self,
        offset: usize,
        size: usize,
        out: &mut [D],
        width: usize,
        mut f: impl FnMut(&mut [D], &[u8]),
    ) {
        match self {
            RawRows::Fixed { bytes, stride } => {
                for (row, out) in bytes.chunks_exact(stride).zip(out.chunks_exact_mut(width)) {
                    f(out, &row[offset..offset + size]);
                }
            }
            RawRows::Starts { bytes, starts } => {
                for (&start, out) in starts.iter().zip(out.chunks_exact_mut(width)) {
                    let at = start as usize + offset;
                    f(out, &bytes[at..at + size]);
                }
            }
        }
    }
}

/// Values of one scalar type at the same place of every record.
pub(crate) struct RawField {
    pub(crate) scalar: ScalarType,
    pub(crate) big_endian: bool,
    pub(crate) offset: usize,
    /// Consecutive values.
    pub(crate) count: usize,
}

/// A mutable view of a column's values.
pub(crate) struct ColumnOutput<'a> {
    scalar: ScalarType,
    bytes: &'a mut [u8],
}

impl ScalarArray {
    /// The values as a view.
    pub(crate) fn out(&mut self) -> ColumnOutput<'_> {
        let scalar = self.scalar();
        let bytes = with_values!(ScalarArray, self, v => bytemuck::cast_slice_mut(v));
        ColumnOutput { scalar, bytes }
    }
}

impl<'a> ColumnOutput<'a> {
    /// Splits off the first `n` values.
    pub(crate) fn take(&mut self, n: usize) -> ColumnOutput<'a> {
        let bytes = self.bytes.split_off_mut(..n * self.scalar.size());
        ColumnOutput { scalar: self.scalar, bytes: bytes.expect("as many values") }
    }

    /// The values from the `n`-th on.
    pub(crate) fn from(&mut self, n: usize) -> ColumnOutput<'_> {
        ColumnOutput { scalar: self.scalar, bytes: &mut self.bytes[n * self.scalar.size()..] }
    }

    /// The values as bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// The values, where they are of type `S`.
    pub(crate) fn values<S: Scalar>(&mut self) -> Option<&mut [S]> {
        (self.scalar == S::TYPE).then(|| bytemuck::cast_slice_mut(self.bytes))
    }
}

/// Moves a field of all `rows` to places `k..` of each record in `out`.
pub(crate) fn gather(
    rows: RawRows<'_>,
    field: &RawField,
    column: &PlyColumn,
    out: &mut ColumnOutput<'_>,
    k: usize,
) {
    const KEPT: &str = "a column keeps its type";
    let width = column.width;
    with_scalar!(field.scalar, S => match column.kind {
        kind if kind.keeps(field.scalar) => match S::SIZE {
            1 => same::<u8>(rows, field, out, width, k),
            2 => same::<u16>(rows, field, out, width, k),
            4 => same::<u32>(rows, field, out, width, k),
            _ => same::<f64>(rows, field, out, width, k),
        },
        // A division by 1 changes nothing; without it there would be as many loops again.
        ColumnKind::F32(divisor) => {
            let out = out.values().expect(KEPT);
            typed::<S, f32, true>(rows, field, out, width, k, |v: S| v.to_f32() / divisor);
        }
        ColumnKind::F64 => {
            let out = out.values().expect(KEPT);
            typed::<S, f64, true>(rows, field, out, width, k, S::to_f64);
        }
        // The two ends of edges, which few files have.
        ColumnKind::Index => {
            let out = out.values().expect(KEPT);
            typed::<S, u32, false>(rows, field, out, width, k, S::to_index);
        }
        ColumnKind::Same => unreachable!("keeps every type"),
    });
}

/// [`gather`] where the type stays, with the type of any values of that size.
fn same<S: Scalar>(
    rows: RawRows<'_>,
    field: &RawField,
    out: &mut ColumnOutput<'_>,
    width: usize,
    k: usize,
) {
    let out: &mut [S] = bytemuck::cast_slice_mut(out.bytes());
    typed::<S, S, true>(rows, field, out, width, k, |v: S| v);
}

/// `TOGETHER` moves values that lie side by side in one pass.
#[inline(always)]
fn typed<S: Scalar, D: bytemuck::Pod, const TOGETHER: bool>(
    rows: RawRows<'_>,
    field: &RawField,
    out: &mut [D],
    width: usize,
    k: usize,
    convert: impl Fn(S) -> D + Copy,
) {
    if field.big_endian {
        run::<S, D, TOGETHER>(rows, field, out, width, k, move |b| convert(S::read_be(b)));
    } else {
        run::<S, D, TOGETHER>(rows, field, out, width, k, move |b| convert(S::read_le(b)));
    }
}

#[inline(always)]
fn run<S: Scalar, D, const TOGETHER: bool>(
    rows: RawRows<'_>,
    field: &RawField,
    out: &mut [D],
    width: usize,
    k: usize,
    read: impl Fn(&[u8]) -> D + Copy,
) {
    /// Several values that lie side by side in one pass.
    macro_rules! together {
        ($size:literal: $($count:literal),*) => {
            match (field.count, rows) {
                $(($count, RawRows::Fixed { .. }) => {
                    return rows.each(field.offset, $size * $count, out, width, |out, b| {
                        for (o, b) in out[k..k + $count].iter_mut().zip(b.chunks_exact($size)) {
                            *o = read(b);
                        }
                    });
                })*
                _ => {}
            }
        };
    }
    // Only what positions, normals, colours and UVs need: with loops for every count `gather` had 230 KB of
    // code, now 75. The size is a constant, so that those of other sizes are not compiled.
    match S::SIZE {
        _ if !TOGETHER => {}
        1 => together!(1: 3, 4),
        2 => together!(2: 3, 4),
        4 => together!(4: 2, 3, 4),
        _ => together!(8: 3),
    }
    for j in 0..field.count {
        let offset = field.offset + j * S::SIZE;
        rows.each(offset, S::SIZE, out, width, |out, b| out[k + j] = read(b));
    }
}

/// Appends the values of a list: `count` values of type `scalar` in `bytes`.
pub(crate) fn extend(
    data: &mut ScalarArray,
    kind: ColumnKind,
    scalar: ScalarType,
    big_endian: bool,
    lists: impl Iterator<Item = ListSpan> + Clone,
    bytes: &[u8],
) {
    if let (ScalarType::F64, ColumnKind::F32(_), ScalarArray::F32(v)) = (scalar, kind, &mut *data) {
        return lists_into(v, lists, bytes, big_endian, f64::to_f32); // UVs of corners
    }
    with_scalar!(scalar, S => match (kind, data) {
        (ColumnKind::Index, ScalarArray::U32(v)) => lists_into(v, lists, bytes, big_endian, S::to_index),
        (kind, data) => {
            debug_assert!(kind.keeps(scalar), "of lists only UVs and indices change their type");
            let v = S::vec(data).expect("a column keeps its type");
            lists_into(v, lists, bytes, big_endian, |v: S| v);
        }
    });
}

/// Where the values of one list lie, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct ListSpan {
    pub(crate) at: usize,
    pub(crate) count: usize,
}

fn lists_into<S: Scalar, D>(
    out: &mut Vec<D>,
    lists: impl Iterator<Item = ListSpan>,
    bytes: &[u8],
    big_endian: bool,
    convert: impl Fn(S) -> D + Copy,
) {
    for span in lists {
        let items = bytes[span.at..span.at + span.count * S::SIZE].chunks_exact(S::SIZE);
        let read = |b| if big_endian { S::read_be(b) } else { S::read_le(b) };
        out.extend(items.map(|b| convert(read(b))));
    }
}
