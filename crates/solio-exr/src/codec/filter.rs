//! The filter before run lengths and deflate: even and odd bytes of the chunk apart, then the
//! difference of each byte to the one before, plus 128.
//!
//! ("Technical Introduction to OpenEXR", "Data Compression"; the reference's ZIP and RLE.)

/// Filters `raw`.
pub(super) fn split(raw: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.resize(raw.len(), 0);
    let (even, odd) = out.split_at_mut(raw.len().div_ceil(2));
    let (pairs, last) = raw.as_chunks::<2>();
    for ((pair, even), odd) in pairs.iter().zip(&mut *even).zip(&mut *odd) {
        [*even, *odd] = *pair;
    }
    if let [last] = last {
        even[pairs.len()] = *last;
    }
    // From the end, so that the byte before is still itself.
    for i in (1..out.len()).rev() {
        out[i] = out[i].wrapping_sub(out[i - 1]).wrapping_add(128);
    }
}

/// Undoes [`split`]: `filtered` becomes `out`, which is as long.
pub(super) fn merge(filtered: &mut [u8], out: &mut [u8]) {
    let half = filtered.len().div_ceil(2);
    sum(filtered, 0);
    let (even, odd) = filtered.split_at(half);
    let (pairs, last) = out.as_chunks_mut::<2>();
    for ((pair, even), odd) in pairs.iter_mut().zip(even).zip(odd) {
        *pair = [*even, *odd];
    }
    if let [last] = last {
        *last = even[half - 1];
    }
}

/// Sums differences up.
fn sum(bytes: &mut [u8], before: u8) {
    let mut sum = before.wrapping_add(128);
    for byte in bytes {
        sum = sum.wrapping_add(*byte).wrapping_sub(128);
        *byte = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_as_the_reference_does() {
        let mut filtered = Vec::new();
        split(&[1, 2, 3, 4, 5], &mut filtered);
        assert_eq!(filtered, [1, 130, 130, 125, 130]);
    }

    #[test]
    fn merging_undoes_splitting() {
        let mut filtered = Vec::new();
        for length in 0..200 {
            let raw: Vec<u8> = (0..length).map(|i| (i * i * 31 + i) as u8).collect();
            split(&raw, &mut filtered);
            let mut again = vec![7; length];
            merge(&mut filtered, &mut again);
            assert_eq!(again, raw);
        }
    }
}
