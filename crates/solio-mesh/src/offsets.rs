//! Rising offsets that cut an array into the parts of its elements: checked, and cut into pieces.

use std::ops::Range;

/// Whether `offsets` cut `values` values into consecutive ranges: from 0, never back, to the end.
pub(crate) fn offsets_fit(offsets: &[u32], values: usize) -> bool {
    offsets.is_empty() && values == 0
        || offsets.first() == Some(&0)
            && offsets.last().is_some_and(|&end| end as usize == values)
            && offsets.windows(2).all(|pair| pair[0] <= pair[1])
}

/// Cuts `range` where the parts between two offsets sum up to `most`, unless one alone has more.
pub(crate) fn stretches(
    offsets: &[u32],
    range: Range<usize>,
    most: u32,
) -> impl Iterator<Item = Range<usize>> {
    let records = (most as usize).min(range.len()).max(1);
    let mut start = range.start;
    std::iter::from_fn(move || {
        if start >= range.end {
            return None;
        }
        let ends = &offsets[start + 1..=range.end.min(start + records)];
        let fit = ends.partition_point(|&end| end - offsets[start] <= most);
        let stretch = start..start + fit.max(1);
        start = stretch.end;
        Some(stretch)
    })
}
