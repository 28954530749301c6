//! The 5/3 wavelet: whole numbers, without loss. Even samples become means, odd ones differences.
//!
//! Rows are made one after the other: a row of means and one of differences, each put together along the row,
//! are enough for two rows of samples. So planes go through memory once a level.

use super::number::Number;

/// Puts a row of samples together; `even` is room for half of it.
#[inline(always)]
pub(super) fn join_row<N: Number>(low: &[N], high: &[N], even: &mut Vec<N>, out: &mut [N]) {
    let count = high.len();
    let Some((last_high, first_high)) = high.last().zip(high.first()) else {
        out.copy_from_slice(low);
        return;
    };
    even.resize(low.len(), N::default());
    even[0] = low[0].minus(quarter(*first_high, *first_high));
    for ((even, low), pair) in even[1..].iter_mut().zip(&low[1..]).zip(high.windows(2)) {
        *even = low.minus(quarter(pair[0], pair[1]));
    }
    if low.len() > count {
        even[count] = low[count].minus(quarter(*last_high, *last_high));
    }
    let (pairs, odd) = out.as_chunks_mut::<2>();
    for ((pair, high), evens) in pairs.iter_mut().zip(high).zip(even.windows(2)) {
        *pair = [evens[0], high.plus(half(evens[0], evens[1]))];
    }
    match odd {
        [odd] => *odd = even[count],
        _ => pairs[count - 1] = [even[count - 1], last_high.plus(even[count - 1])],
    }
}

/// Takes a row of samples apart.
#[inline(always)]
pub(super) fn split_row<N: Number>(row: &[N], [low, high]: [&mut [N]; 2]) {
    let count = high.len();
    if count == 0 {
        low.copy_from_slice(row);
        return;
    }
    let (pairs, odd) = row.as_chunks::<2>();
    for ((high, pair), next) in high.iter_mut().zip(pairs).zip(&pairs[1..]) {
        *high = pair[1].minus(half(pair[0], next[0]));
    }
    let [even, last] = pairs[count - 1];
    high[count - 1] = last.minus(half(even, odd.first().copied().unwrap_or(even)));
    low[0] = row[0].plus(quarter(high[0], high[0]));
    for ((low, pair), high) in low[1..].iter_mut().zip(&pairs[1..]).zip(high.windows(2)) {
        *low = pair[0].plus(quarter(high[0], high[1]));
    }
    if let [odd] = odd {
        low[count] = odd.plus(quarter(high[count - 1], high[count - 1]));
    }
}

#[inline(always)]
fn half<N: Number>(a: N, b: N) -> N {
    a.plus(b).shifted::<1>()
}

#[inline(always)]
fn quarter<N: Number>(a: N, b: N) -> N {
    a.plus(b).plus(N::TWO).shifted::<2>()
}

/// Samples less or more than what the rows above and below say: `to` = `from` ∓ (above + below + 2) / 4.
#[inline(always)]
pub(super) fn even_row<N: Number, const JOIN: bool>(
    from: &[N],
    above: &[N],
    below: &[N],
    to: &mut [N],
) {
    for (((to, from), above), below) in to.iter_mut().zip(from).zip(above).zip(below) {
        let quarter = quarter(*above, *below);
        *to = if JOIN { from.minus(quarter) } else { from.plus(quarter) };
    }
}

/// The same for odd rows: `to` = `from` ± (above + below) / 2.
#[inline(always)]
pub(super) fn odd_row<N: Number, const JOIN: bool>(
    from: &[N],
    above: &[N],
    below: &[N],
    to: &mut [N],
) {
    for (((to, from), above), below) in to.iter_mut().zip(from).zip(above).zip(below) {
        let half = half(*above, *below);
        *to = if JOIN { from.plus(half) } else { from.minus(half) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        for width in 1..40 {
            let row: Vec<i32> = (0..width).map(|i| (i * i * 7919) % 1000 - 500).collect();
            let (mut low, mut high) = (vec![0; row.len().div_ceil(2)], vec![0; row.len() / 2]);
            split_row(&row, [&mut low, &mut high]);
            let mut again = vec![0; row.len()];
            join_row(&low, &high, &mut Vec::new(), &mut again);
            assert_eq!(again, row);
        }
        // The means of a ramp are its even samples, the differences 0.
        let (mut low, mut high) = ([0; 4], [0; 3]);
        split_row(&[0, 10, 20, 30, 40, 50, 60i64], [&mut low, &mut high]);
        assert_eq!((low, high), ([0, 20, 40, 60], [0; 3]));
    }
}
