//! A channel in another size: columns of samples are added up first, then rows of what that gives.

use super::axis::{LANES, Taps};
use crate::rows;
use half::f16;
use half::slice::HalfFloatSliceExt;
use solio_base::{Result, Work};
use solio_codec::wide::{Wide, wide};

/// Columns that are added up at once.
const COLUMNS: usize = 32;

/// Samples that can be filtered.
pub(crate) trait Filtered: Copy + Default + Send + Sync {
    fn widen(from: &[Self], to: &mut [f32]);
    fn narrow(from: &[f32], to: &mut [Self]);
}

impl Filtered for f32 {
    fn widen(from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }

    fn narrow(from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }
}

impl Filtered for f16 {
    fn widen(from: &[f16], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }

    fn narrow(from: &[f32], to: &mut [f16]) {
        to.convert_from_f32_slice(from);
    }
}

/// What a thread keeps from row to row.
struct Kept {
    /// Rows of the source, each in the place of its number among these.
    rows: Vec<(Option<usize>, Vec<f32>)>,
    sums: Vec<f32>,
    row: Vec<f32>,
}

/// The samples of `from`, in rows of `width`, by the weights of columns and rows.
pub(crate) fn filtered<T: Filtered>(
    from: &[T],
    width: usize,
    across: &Taps,
    down: &Taps,
    work: &Work,
) -> Result<Vec<T>> {
    let (columns, lines) = (across.starts.len(), down.starts.len());
    let mut to = zeros(columns, lines)?;
    let padded = padded(width);
    let kept = || Kept {
        rows: vec![(None, Vec::new()); down.width],
        sums: vec![0.0; padded + across.width],
        row: vec![0.0; columns],
    };
    let fill = |y: usize, to: &mut [T], kept: &mut Kept| {
        let (start, weights) = (down.starts[y], down.of(y));
        let used = || weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        for (i, _) in used() {
            let line = start + i;
            let (number, row) = &mut kept.rows[line % down.width];
            if *number != Some(line) {
                *number = Some(line);
                row.resize(padded, 0.0);
                T::widen(&from[line * width..][..width], &mut row[..width]);
            }
        }
        let rows = &kept.rows;
        let row_of = |(i, weight): (usize, &f32)| (*weight, &*rows[(start + i) % rows.len()].1);
        let rows: Vec<(f32, &[f32])> = used().map(row_of).collect();
        added_row(&rows, across, &mut kept.sums, &mut kept.row);
        T::narrow(&kept.row, to);
    };
    rows::fill(work, &mut to, columns, kept, fill)?;
    Ok(to)
}

/// A row of the result, of rows of the source with their weights. `sums` has room for such a row, filled up as
/// they are, and for the weights of a column more.
pub(super) fn added_row(rows: &[(f32, &[f32])], across: &Taps, sums: &mut [f32], row: &mut [f32]) {
    let padded = sums.len() - across.width;
    wide(AddRows { rows, sums: &mut sums[..padded] });
    let sums = &*sums;
    match wide(AreFinite(sums)) {
        true => wide(AddColumns { sums, across, row }),
        false => add_columns_that_count(sums, across, row),
    }
}

/// Columns of a row that is filled up for [`added_row`].
pub(super) fn padded(width: usize) -> usize {
    width.next_multiple_of(COLUMNS)
}

/// So many rows of samples.
fn zeros<T: Copy + Default>(columns: usize, lines: usize) -> Result<Vec<T>> {
    let none = || solio_base::Error::limit("the image does not fit into memory");
    let count = columns.checked_mul(lines).ok_or_else(none)?;
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| none())?;
    all.resize(count, T::default());
    Ok(all)
}

/// Rows by their weights.
struct AddRows<'a> {
    rows: &'a [(f32, &'a [f32])],
    sums: &'a mut [f32],
}

impl Wide for AddRows<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (block, to) in self.sums.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
            let mut sums = [0.0; COLUMNS];
            for (weight, row) in self.rows {
                let row = &row.as_chunks::<COLUMNS>().0[block];
                for i in 0..COLUMNS {
                    sums[i] += weight * row[i];
                }
            }
            *to = sums;
        }
    }
}

/// Whether there is neither an infinity nor a NaN.
struct AreFinite<'a>(&'a [f32]);

impl Wide for AreFinite<'_> {
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        const INFINITE: u32 = f32::INFINITY.to_bits();
        self.0.iter().fold(0, |all, x| all | u32::from(x.to_bits() & INFINITE == INFINITE)) == 0
    }
}

/// Columns by their weights, eight at a time.
struct AddColumns<'a> {
    sums: &'a [f32],
    across: &'a Taps,
    row: &'a mut [f32],
}

impl Wide for AddColumns<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let AddColumns { sums, across, row } = self;
        let width = across.width;
        let weights = across.weights.chunks_exact(width);
        for ((to, start), weights) in row.iter_mut().zip(&across.starts).zip(weights) {
            let sums = &sums[*start..*start + width];
            let mut lanes = [0.0; LANES];
            for (sums, weights) in
                sums.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0)
            {
                for i in 0..LANES {
                    lanes[i] += sums[i] * weights[i];
                }
            }
            *to = added(lanes);
        }
    }
}

/// The same without a look at what counts nothing, for rows with infinities and NaN.
fn add_columns_that_count(sums: &[f32], across: &Taps, row: &mut [f32]) {
    for (x, to) in row.iter_mut().enumerate() {
        let mut lanes = [0.0; LANES];
        let sums = &sums[across.starts[x]..];
        for (i, (weight, sum)) in across.of(x).iter().zip(sums).enumerate() {
            if *weight != 0.0 {
                lanes[i % LANES] += sum * weight;
            }
        }
        *to = added(lanes);
    }
}

#[inline(always)]
fn added([a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The nearest samples, zeros where there are none.
pub(crate) fn nearest<T: Copy + Default + Send + Sync>(
    from: &[T],
    width: usize,
    across: &[Option<usize>],
    down: &[Option<usize>],
    work: &Work,
) -> Result<Vec<T>> {
    let mut to = zeros(across.len(), down.len())?;
    let fill = |y: usize, to: &mut [T], (): &mut ()| {
        let Some(line) = down[y] else { return };
        let from = &from[line * width..][..width];
        for (to, x) in to.iter_mut().zip(across) {
            *to = x.map_or_else(T::default, |x| from[x]);
        }
    };
    rows::fill(work, &mut to, across.len(), || (), fill)?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::*;
    use crate::ResizeFilter;
    use proptest::prelude::*;

    fn axis(before: usize, after: usize) -> Axis {
        let sizes = [before as u64, after as u64];
        Axis { start: 0, sizes, step: 1, from: 0..before as i64, to: 0..after as i64 }
    }

    proptest! {
        #[test]
        fn loops_for_vectors_equal_their_plain_twins(
            values in prop::collection::vec(-1e6f32..1e6, 1..200),
            after in 1usize..300,
            filter in 0..ResizeFilter::ALL.len(),
        ) {
            let taps = axis(values.len(), after).taps(ResizeFilter::ALL[filter]).unwrap();
            let padded = values.len().next_multiple_of(COLUMNS);
            let mut row = values.clone();
            row.resize(padded, 0.0);
            let rows = [(0.25, &row[..]), (-1.5, &row[..])];
            let (mut sums, mut plain) = (vec![0.0; padded], vec![0.0; padded]);
            wide(AddRows { rows: &rows, sums: &mut sums });
            AddRows { rows: &rows, sums: &mut plain }.run();
            prop_assert_eq!(&sums, &plain);
            sums.resize(padded + taps.width, 0.0);
            prop_assert!(wide(AreFinite(&sums)));
            let [mut fast, mut plain, mut counted] = [(); 3].map(|()| vec![0.0; after]);
            wide(AddColumns { sums: &sums, across: &taps, row: &mut fast });
            AddColumns { sums: &sums, across: &taps, row: &mut plain }.run();
            add_columns_that_count(&sums, &taps, &mut counted);
            prop_assert_eq!(&fast, &plain);
            prop_assert_eq!(&fast, &counted);
        }
    }

    #[test]
    fn what_is_no_number_stays_where_a_filter_sees_it() {
        for odd in [f32::NAN, f32::INFINITY] {
            let mut from = vec![1.0f32; 64 * 64];
            from[40 * 64 + 20] = odd;
            let taps = axis(64, 32).taps(ResizeFilter::Box).unwrap();
            let to = filtered(&from, 64, &taps, &taps, &Work::serial()).unwrap();
            let found: Vec<usize> = (0..to.len()).filter(|i| !to[*i].is_finite()).collect();
            assert_eq!(found, [20 * 32 + 10]);
        }
    }
}
