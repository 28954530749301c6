//! A palette for many rows of numbers: the set of rows with the largest error is cut in two where it is
//! widest, until there are as many sets as the palette has entries; each entry is the mean of its set.

use std::collections::BinaryHeap;

/// Rows of a palette, and which of them each row has.
pub(super) struct RowPalette {
    pub(super) width: usize,
    pub(super) rows: Vec<f32>,
    pub(super) labels: Vec<u16>,
}

/// Rows that will be one entry.
struct RowSet {
    members: Vec<u32>,
    mean: Vec<f32>,
    /// The sum of squared distances to the mean.
    error: f64,
    /// The number of the widest column.
    widest: usize,
}

impl RowSet {
    fn of(members: Vec<u32>, columns: &[&[f32]]) -> RowSet {
        let count = members.len() as f64;
        let (mut error, mut widest, mut most) = (0.0, 0, -1.0);
        let mut mean = Vec::with_capacity(columns.len());
        for (number, column) in columns.iter().enumerate() {
            let (mut sum, mut squares) = (0.0, 0.0);
            for &member in &members {
                let value = finite(column[member as usize]);
                sum += value;
                squares += value * value;
            }
            let own = (squares - sum * sum / count).max(0.0);
            error += own;
            if own > most {
                (most, widest) = (own, number);
            }
            mean.push((sum / count) as f32);
        }
        RowSet { members, mean, error, widest }
    }
}

fn finite(value: f32) -> f64 {
    if value.is_finite() { f64::from(value) } else { 0.0 }
}

/// In order of the error; what is equally bad, by its first member: results depend on the rows alone.
impl Ord for RowSet {
    fn cmp(&self, other: &RowSet) -> std::cmp::Ordering {
        let by_error = self.error.total_cmp(&other.error);
        by_error.then_with(|| other.members[0].cmp(&self.members[0]))
    }
}

impl PartialOrd for RowSet {
    fn partial_cmp(&self, other: &RowSet) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RowSet {
    fn eq(&self, other: &RowSet) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RowSet {}

/// At most `most` rows for those that the columns are of.
pub(super) fn palette_of(columns: &[&[f32]], most: usize) -> RowPalette {
    let count = columns.first().map_or(0, |column| column.len());
    let mut labels = vec![0; count];
    if count == 0 {
        return RowPalette { width: columns.len(), rows: Vec::new(), labels };
    }
    let mut open = BinaryHeap::from([RowSet::of((0..count as u32).collect(), columns)]);
    let mut done = Vec::new();
    while open.len() + done.len() < most {
        let Some(set) = open.pop() else { break };
        // What rounding leaves of equal rows is no error.
        let spread = set.mean[set.widest].abs().max(1e-3);
        if set.members.len() < 2 || set.error <= f64::from(spread).powi(2) * 1e-12 {
            done.push(set);
            continue;
        }
        let (column, border) = (columns[set.widest], f64::from(set.mean[set.widest]));
        let (low, high): (Vec<u32>, Vec<u32>) =
            set.members.iter().partition(|member| finite(column[**member as usize]) <= border);
        if low.is_empty() || high.is_empty() {
            done.push(set);
            continue;
        }
        open.extend([RowSet::of(low, columns), RowSet::of(high, columns)]);
    }
    let mut sets: Vec<RowSet> = open.into_iter().chain(done).collect();
    sets.sort_unstable_by_key(|set| set.members[0]);
    let mut rows = Vec::with_capacity(sets.len() * columns.len());
    for (label, set) in sets.iter().enumerate() {
        rows.extend_from_slice(&set.mean);
        set.members.iter().for_each(|member| labels[*member as usize] = label as u16);
    }
    RowPalette { width: columns.len(), rows, labels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_get_entries_of_their_own() {
        let first: Vec<f32> = (0..300).map(|i| (i % 100) as f32).collect();
        let second: Vec<f32> = (0..300).map(|i| ((i % 100) * 7 % 13) as f32).collect();
        let palette = palette_of(&[&first, &second], 1024);
        assert_eq!((palette.rows.len(), palette.width), (200, 2));
        for i in 0..300 {
            let label = usize::from(palette.labels[i]);
            assert_eq!(palette.rows[2 * label..][..2], [first[i], second[i]]);
        }
        // Fewer entries than rows: near ones share.
        let palette = palette_of(&[&first, &second], 25);
        assert_eq!(palette.rows.len(), 50);
        let off = |i: usize| (palette.rows[2 * usize::from(palette.labels[i])] - first[i]).abs();
        assert!((0..300).all(|i| off(i) < 25.0));
        let equal = vec![0.1_f32; 50];
        assert_eq!(palette_of(&[&equal], 20).rows, [0.1]);
        assert!(palette_of(&[&[]], 20).rows.is_empty());
    }
}
