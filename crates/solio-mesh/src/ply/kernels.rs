//! Loops that move one property of many binary records into a column.
//!
//! The type is chosen once per chunk and property, never per value.

use super::columns::{ColumnKind, PlyColumn};
use super::data::{Scalar, ScalarArray, with_scalar};
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
pub(crate) enum ColumnOutput<'a> {
    I8(&'a mut [i8]),
    U8(&'a mut [u8]),
    I16(&'a mut [i16]),
    U16(&'a mut [u16]),
    I32(&'a mut [i32]),
    U32(&'a mut [u32]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

impl ScalarArray {
    /// The values as a view.
    pub(crate) fn out(&mut self) -> ColumnOutput<'_> {
        match self {
            ScalarArray::I8(v) => ColumnOutput::I8(v),
            ScalarArray::U8(v) => ColumnOutput::U8(v),
            ScalarArray::I16(v) => ColumnOutput::I16(v),
            ScalarArray::U16(v) => ColumnOutput::U16(v),
            ScalarArray::I32(v) => ColumnOutput::I32(v),
            ScalarArray::U32(v) => ColumnOutput::U32(v),
            ScalarArray::F32(v) => ColumnOutput::F32(v),
            ScalarArray::F64(v) => ColumnOutput::F64(v),
        }
    }
}

impl<'a> ColumnOutput<'a> {
    /// Splits off the first `n` values.
    pub(crate) fn take(&mut self, n: usize) -> ColumnOutput<'a> {
        fn front<'v, T>(values: &mut &'v mut [T], n: usize) -> &'v mut [T] {
            values.split_off_mut(..n).expect("as many values")
        }
        match self {
            ColumnOutput::I8(v) => ColumnOutput::I8(front(v, n)),
            ColumnOutput::U8(v) => ColumnOutput::U8(front(v, n)),
            ColumnOutput::I16(v) => ColumnOutput::I16(front(v, n)),
            ColumnOutput::U16(v) => ColumnOutput::U16(front(v, n)),
            ColumnOutput::I32(v) => ColumnOutput::I32(front(v, n)),
            ColumnOutput::U32(v) => ColumnOutput::U32(front(v, n)),
            ColumnOutput::F32(v) => ColumnOutput::F32(front(v, n)),
            ColumnOutput::F64(v) => ColumnOutput::F64(front(v, n)),
        }
    }

    /// The values from the `n`-th on.
    pub(crate) fn from(&mut self, n: usize) -> ColumnOutput<'_> {
        match self {
            ColumnOutput::I8(v) => ColumnOutput::I8(&mut v[n..]),
            ColumnOutput::U8(v) => ColumnOutput::U8(&mut v[n..]),
            ColumnOutput::I16(v) => ColumnOutput::I16(&mut v[n..]),
            ColumnOutput::U16(v) => ColumnOutput::U16(&mut v[n..]),
            ColumnOutput::I32(v) => ColumnOutput::I32(&mut v[n..]),
            ColumnOutput::U32(v) => ColumnOutput::U32(&mut v[n..]),
            ColumnOutput::F32(v) => ColumnOutput::F32(&mut v[n..]),
            ColumnOutput::F64(v) => ColumnOutput::F64(&mut v[n..]),
        }
    }

    /// The values as bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match self {
            ColumnOutput::I8(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::U8(v) => v,
            ColumnOutput::I16(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::U16(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::I32(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::U32(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::F32(v) => bytemuck::cast_slice_mut(v),
            ColumnOutput::F64(v) => bytemuck::cast_slice_mut(v),
        }
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
    let width = column.width;
    with_scalar!(field.scalar, S => match (column.kind, out) {
        (kind, out) if kind.keeps(field.scalar) => match S::SIZE {
            1 => same::<u8>(rows, field, out, width, k),
            2 => same::<u16>(rows, field, out, width, k),
            4 => same::<u32>(rows, field, out, width, k),
            _ => same::<f64>(rows, field, out, width, k),
        },
        // A division by 1 changes nothing; without it there would be as many loops again.
        (ColumnKind::F32(divisor), ColumnOutput::F32(out)) => {
            typed::<S, f32, true>(rows, field, out, width, k, |v: S| v.to_f32() / divisor);
        }
        (ColumnKind::F64, ColumnOutput::F64(out)) => {
            typed::<S, f64, true>(rows, field, out, width, k, S::to_f64);
        }
        // The two ends of edges, which few files have.
        (ColumnKind::Index, ColumnOutput::U32(out)) => {
            typed::<S, u32, false>(rows, field, out, width, k, S::to_index);
        }
        _ => unreachable!("a column keeps its type"),
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
