//! A stretch of records as columns, and its text or bytes.

use super::data::{Scalar, with_scalar, with_values};
use super::options::{PlyFormat, PlyWriteOptions};
use crate::model::{ScalarType, Values};
use solio_codec::number::{Digits, format};

/// Values of one property, or of several that lie side by side, for some records.
pub(crate) struct RecordCells<'a> {
    pub(crate) values: Values<'a>,
    /// Values per record; for lists 1.
    pub(crate) width: usize,
    /// For lists: rising offsets into `values`, and the type of the count.
    pub(crate) list: Option<(Vec<u32>, ScalarType)>,
}

impl Values<'_> {
    /// The type of the values.
    pub fn scalar(&self) -> ScalarType {
        fn of<T: Scalar>(_: &[T]) -> ScalarType {
            T::TYPE
        }
        with_values!(Values, self, v => of(v))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        with_values!(Values, self, v => v.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> RecordCells<'a> {
    pub(crate) fn fixed(values: Values<'a>, width: usize) -> RecordCells<'a> {
        RecordCells { values, width, list: None }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        match &self.list {
            Some((offsets, _)) => offsets[row] as usize..offsets[row + 1] as usize,
            None => row * self.width..(row + 1) * self.width,
        }
    }
}

/// Appends `rows` records.
pub(crate) fn emit(
    out: &mut Vec<u8>,
    cells: &[RecordCells<'_>],
    rows: usize,
    options: &PlyWriteOptions,
) {
    match options.format {
        PlyFormat::Ascii => ascii(out, cells, rows, options.digits),
        PlyFormat::BinaryLittleEndian => binary::<false>(out, cells, rows),
        PlyFormat::BinaryBigEndian => binary::<true>(out, cells, rows),
    }
}

fn ascii(out: &mut Vec<u8>, cells: &[RecordCells<'_>], rows: usize, digits: Digits) {
    for row in 0..rows {
        let start = out.len();
        for c in cells {
            let range = c.range(row);
            if c.list.is_some() {
                format::push_u32(out, range.len() as u32);
                out.push(b' ');
            }
            with_values!(Values, &c.values, v => for &value in &v[range] {
                value.push_text(out, digits);
                out.push(b' ');
            });
        }
        if out.len() > start {
            out.pop();
        }
        out.push(b'\n');
    }
}

fn binary<const BIG: bool>(out: &mut Vec<u8>, cells: &[RecordCells<'_>], rows: usize) {
    if cells.iter().any(|c| c.list.is_some()) {
        return lists::<BIG>(out, cells, rows);
    }
    let stride: usize = cells.iter().map(|c| c.width * c.values.scalar().size()).sum();
    let start = out.len();
    out.resize(start + rows * stride, 0);
    let mut offset = 0;
    for c in cells {
        with_values!(Values, &c.values, v => {
            let size = size_of_val(&v[..]) / v.len().max(1);
            let records = out[start..].chunks_exact_mut(stride.max(1));
            if stride == size * c.width && !BIG {
                out[start..].copy_from_slice(bytemuck::cast_slice(&v[..rows * c.width]));
            } else {
                for (record, values) in records.zip(v.chunks_exact(c.width)) {
                    let bytes = &mut record[offset..offset + size * c.width];
                    for (b, v) in bytes.chunks_exact_mut(size).zip(values) {
                        v.write::<BIG>(b);
                    }
                }
            }
            offset += size * c.width;
        });
    }
}

/// Records with lists have no common size.
fn lists<const BIG: bool>(out: &mut Vec<u8>, cells: &[RecordCells<'_>], rows: usize) {
    let bytes: usize = cells
        .iter()
        .map(|c| {
            let counts = c.list.as_ref().map_or(0, |(_, count)| count.size() * rows);
            c.values.len() * c.values.scalar().size() + counts
        })
        .sum();
    let start = out.len();
    out.resize(start + bytes, 0);
    let mut rest = &mut out[start..];
    if let [RecordCells { values: Values::U32(v), list: Some((offsets, ScalarType::U8)), .. }] =
        cells
    {
        for pair in offsets.windows(2).take(rows) {
            let values = &v[pair[0] as usize..pair[1] as usize];
            let (record, after) = rest.split_at_mut(1 + 4 * values.len());
            record[0] = values.len() as u8;
            for (b, v) in record[1..].chunks_exact_mut(4).zip(values) {
                v.write::<BIG>(b);
            }
            rest = after;
        }
        return;
    }
    for row in 0..rows {
        for c in cells {
            let range = c.range(row);
            if let Some((_, count)) = &c.list {
                with_scalar!(*count, S => {
                    let (b, after) = rest.split_at_mut(S::SIZE);
                    (range.len() as S).write::<BIG>(b);
                    rest = after;
                });
            }
            with_values!(Values, &c.values, v => for value in &v[range] {
                let (b, after) = rest.split_at_mut(size_of_val(value));
                value.write::<BIG>(b);
                rest = after;
            });
        }
    }
}
