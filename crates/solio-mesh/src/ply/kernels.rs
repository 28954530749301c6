//! Loops that move one property of many binary records into a column.
//!
//! The type is chosen once per chunk and property, never per value.

use super::columns::{Column, Data, Kind, Scalar, with_scalar};
use crate::model::ScalarType;

/// Binary records: all of one size, or each with its own start.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    Fixed { bytes: &'a [u8], stride: usize },
    Starts { bytes: &'a [u8], starts: &'a [u32] },
}

impl Rows<'_> {
    /// Calls `f` with each record's bytes from `offset` on and its values in the column.
    #[inline(always)]
    fn each<D, const BYTES: usize>(
        self,
        offset: usize,
        out: &mut [D],
        width: usize,
        mut f: impl FnMut(&mut [D], &[u8; BYTES]),
    ) {
        match self {
            Rows::Fixed { bytes, stride } => {
                for (row, out) in bytes.chunks_exact(stride).zip(out.chunks_exact_mut(width)) {
                    f(out, row[offset..offset + BYTES].try_into().expect("BYTES bytes"));
                }
            }
            Rows::Starts { bytes, starts } => {
                for (&start, out) in starts.iter().zip(out.chunks_exact_mut(width)) {
                    let at = start as usize + offset;
                    f(out, bytes[at..at + BYTES].try_into().expect("BYTES bytes"));
                }
            }
        }
    }
}

/// Values of one scalar type at the same place of every record.
pub(crate) struct Field {
    pub(crate) scalar: ScalarType,
    pub(crate) big_endian: bool,
    pub(crate) offset: usize,
    /// Consecutive values.
    pub(crate) count: usize,
}

/// A mutable view of a column's values.
pub(crate) enum Out<'a> {
    I8(&'a mut [i8]),
    U8(&'a mut [u8]),
    I16(&'a mut [i16]),
    U16(&'a mut [u16]),
    I32(&'a mut [i32]),
    U32(&'a mut [u32]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

impl Data {
    /// The values as a view.
    pub(crate) fn out(&mut self) -> Out<'_> {
        match self {
            Data::I8(v) => Out::I8(v),
            Data::U8(v) => Out::U8(v),
            Data::I16(v) => Out::I16(v),
            Data::U16(v) => Out::U16(v),
            Data::I32(v) => Out::I32(v),
            Data::U32(v) => Out::U32(v),
            Data::F32(v) => Out::F32(v),
            Data::F64(v) => Out::F64(v),
        }
    }
}

impl<'a> Out<'a> {
    /// Splits off the first `n` values.
    pub(crate) fn take(&mut self, n: usize) -> Out<'a> {
        fn front<'v, T>(values: &mut &'v mut [T], n: usize) -> &'v mut [T] {
            values.split_off_mut(..n).expect("as many values")
        }
        match self {
            Out::I8(v) => Out::I8(front(v, n)),
            Out::U8(v) => Out::U8(front(v, n)),
            Out::I16(v) => Out::I16(front(v, n)),
            Out::U16(v) => Out::U16(front(v, n)),
            Out::I32(v) => Out::I32(front(v, n)),
            Out::U32(v) => Out::U32(front(v, n)),
            Out::F32(v) => Out::F32(front(v, n)),
            Out::F64(v) => Out::F64(front(v, n)),
        }
    }

    /// The values from the `n`-th on.
    pub(crate) fn from(&mut self, n: usize) -> Out<'_> {
        match self {
            Out::I8(v) => Out::I8(&mut v[n..]),
            Out::U8(v) => Out::U8(&mut v[n..]),
            Out::I16(v) => Out::I16(&mut v[n..]),
            Out::U16(v) => Out::U16(&mut v[n..]),
            Out::I32(v) => Out::I32(&mut v[n..]),
            Out::U32(v) => Out::U32(&mut v[n..]),
            Out::F32(v) => Out::F32(&mut v[n..]),
            Out::F64(v) => Out::F64(&mut v[n..]),
        }
    }

    /// The values as bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match self {
            Out::I8(v) => bytemuck::cast_slice_mut(v),
            Out::U8(v) => v,
            Out::I16(v) => bytemuck::cast_slice_mut(v),
            Out::U16(v) => bytemuck::cast_slice_mut(v),
            Out::I32(v) => bytemuck::cast_slice_mut(v),
            Out::U32(v) => bytemuck::cast_slice_mut(v),
            Out::F32(v) => bytemuck::cast_slice_mut(v),
            Out::F64(v) => bytemuck::cast_slice_mut(v),
        }
    }
}

/// Moves a field of all `rows` to places `k..` of each record in `out`.
pub(crate) fn gather(rows: Rows<'_>, field: &Field, column: &Column, out: &mut Out<'_>, k: usize) {
    with_scalar!(field.scalar, S => match (column.kind, out) {
        (Kind::F32(1.0), Out::F32(out)) => {
            typed(rows, field, out, column.width, k, |v: S| v.to_f32());
        }
        (Kind::F32(divisor), Out::F32(out)) => {
            typed(rows, field, out, column.width, k, |v: S| v.to_f32() / divisor);
        }
        (Kind::F64, Out::F64(out)) => typed(rows, field, out, column.width, k, S::to_f64),
        (Kind::Index, Out::U32(out)) => typed(rows, field, out, column.width, k, S::to_index),
        (_, out) => same::<S>(rows, field, out, column.width, k),
    });
}

/// [`gather`] where the type stays.
fn same<S: Scalar>(rows: Rows<'_>, field: &Field, out: &mut Out<'_>, width: usize, k: usize) {
    // Sizes are equal, so the values can be moved as what their bytes are.
    let out: &mut [S] = bytemuck::cast_slice_mut(out.bytes());
    typed(rows, field, out, width, k, |v: S| v);
}

#[inline(always)]
fn typed<S: Scalar, D: bytemuck::Pod>(
    rows: Rows<'_>,
    field: &Field,
    out: &mut [D],
    width: usize,
    k: usize,
    convert: impl Fn(S) -> D + Copy,
) {
    if field.big_endian {
        run::<S, D>(rows, field, out, width, k, move |b| convert(S::read_be(b)));
    } else {
        run::<S, D>(rows, field, out, width, k, move |b| convert(S::read_le(b)));
    }
}

#[inline(always)]
fn run<S: Scalar, D>(
    rows: Rows<'_>,
    field: &Field,
    out: &mut [D],
    width: usize,
    k: usize,
    read: impl Fn(&[u8]) -> D + Copy,
) {
    /// `COUNT` consecutive values of `SIZE` bytes each.
    macro_rules! counts {
        ($size:literal: $($count:literal),*) => {
            match field.count {
                $($count => rows.each::<D, { $size * $count }>(field.offset, out, width, |out, b| {
                    for (o, b) in out[k..k + $count].iter_mut().zip(b.chunks_exact($size)) {
                        *o = read(b);
                    }
                }),)*
                _ => for j in 0..field.count {
                    let offset = field.offset + j * $size;
                    rows.each::<D, $size>(offset, out, width, |out, b| out[k + j] = read(b));
                }
            }
        };
    }
    // A constant, so that the loops of other sizes are not compiled: they were a quarter of the crate.
    match S::SIZE {
        1 => counts!(1: 1, 3, 4),
        2 => counts!(2: 1, 3, 4),
        4 => counts!(4: 1, 2, 3, 4),
        _ => counts!(8: 1, 3),
    }
}

/// Appends the values of a list: `count` values of type `scalar` in `bytes`.
pub(crate) fn extend(
    data: &mut Data,
    kind: Kind,
    scalar: ScalarType,
    big_endian: bool,
    lists: impl Iterator<Item = Span> + Clone,
    bytes: &[u8],
) {
    with_scalar!(scalar, S => match (kind, data) {
        (Kind::F32(_), Data::F32(v)) => lists_into(v, lists, bytes, big_endian, S::to_f32),
        (Kind::F64, Data::F64(v)) => lists_into(v, lists, bytes, big_endian, S::to_f64),
        (Kind::Index, Data::U32(v)) => lists_into(v, lists, bytes, big_endian, S::to_index),
        (_, data) => {
            let v = S::vec(data).expect("a column keeps its type");
            lists_into(v, lists, bytes, big_endian, |v: S| v);
        }
    });
}

/// Where the values of one list lie, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) at: usize,
    pub(crate) count: usize,
}

fn lists_into<S: Scalar, D>(
    out: &mut Vec<D>,
    lists: impl Iterator<Item = Span>,
    bytes: &[u8],
    big_endian: bool,
    convert: impl Fn(S) -> D + Copy,
) {
    for span in lists {
        let items = bytes[span.at..span.at + span.count * S::SIZE].chunks_exact(S::SIZE);
        if big_endian {
            out.extend(items.map(|b| convert(S::read_be(b))));
        } else {
            out.extend(items.map(|b| convert(S::read_le(b))));
        }
    }
}
