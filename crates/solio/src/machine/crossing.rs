//! Where two curves of seconds over bandwidth cross.

/// Closer than this two times are the same: the noise of a run.
const TIE: f64 = 0.05;

/// The bandwidths at which the first curve stops or begins to be the faster one. `bandwidths` rise,
/// infinity may be the last; each curve has a time for each of them.
///
/// Between two bandwidths the curves are straight lines over logarithms, as they are drawn; beyond
/// the last finite one there is nothing to say where. Points where both are equal within the noise
/// count for neither.
///
/// ```
/// // Half the bytes, but a second of unpacking: it pays below 100 MB/s.
/// let bandwidths = [50e6, 100e6, 200e6];
/// let (plain, packed) = ([4.0, 2.0, 1.0], [3.0, 2.0, 1.5]);
/// let found = solio::crossings(&bandwidths, &plain, &packed);
/// assert_eq!(found.len(), 1);
/// assert!((found[0].0 / 100e6 - 1.0).abs() < 1e-9);
/// ```
pub fn crossings(bandwidths: &[f64], a: &[f64], b: &[f64]) -> Vec<(f64, f64)> {
    let finite = bandwidths.iter().take_while(|bandwidth| bandwidth.is_finite()).count();
    let ratio = |i: usize| (a[i] / b[i]).ln();
    let clear = (0..finite).filter(|i| ratio(*i).abs() > TIE).collect::<Vec<_>>();
    let mut found = Vec::new();
    for pair in clear.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        if (ratio(from) > 0.0) == (ratio(to) > 0.0) {
            continue;
        }
        // The step within which the sign changes.
        let before = (from..to).rfind(|i| (ratio(*i) > 0.0) == (ratio(from) > 0.0)).unwrap_or(from);
        let share = ratio(before) / (ratio(before) - ratio(before + 1));
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
        let between = |from: f64, to: f64| (from.ln() + share * (to.ln() - from.ln())).exp();
        found.push((
            between(bandwidths[before], bandwidths[before + 1]),
            between(a[before], a[before + 1]),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_cross_where_one_becomes_the_faster() {
        let bandwidths = [1.0, 10.0, 100.0, f64::INFINITY];
        // 100 / b against a tenth of the bytes and ten seconds of work: equal at b = 10.
        let plain = [100.0, 10.0, 1.0, 0.5];
        let packed = [10.0, 10.0, 10.0, 10.0];
        let found = crossings(&bandwidths, &plain, &packed);
        assert_eq!(found.len(), 1);
        assert!((found[0].0 - 10.0).abs() < 1e-9 && (found[0].1 - 10.0).abs() < 1e-9);
        let found = crossings(&bandwidths, &[40.0, 4.0, 0.4, 0.1], &[10.0; 4]);
        assert!((found[0].0 - 4.0).abs() < 1e-9 && (found[0].1 - 10.0).abs() < 1e-9);
    }

    #[test]
    fn noise_crosses_nothing() {
        let bandwidths = [1.0, 10.0, 100.0, 1000.0];
        assert!(crossings(&bandwidths, &[9.0, 1.0, 1.0, 1.0], &[3.0, 0.97, 1.03, 0.97]).is_empty());
        assert!(crossings(&bandwidths, &[1.0; 4], &[1.0; 4]).is_empty());
        assert!(crossings(&[f64::INFINITY], &[1.0], &[2.0]).is_empty());
        // Without a limit something else may win; at what bandwidth is not known.
        assert!(crossings(&[1.0, f64::INFINITY], &[1.0, 3.0], &[2.0, 2.0]).is_empty());
    }

    #[test]
    fn equal_points_between_do_not_hide_a_crossing() {
        let found = crossings(&[1.0, 10.0, 100.0], &[9.0, 1.0, 1.0], &[3.0, 1.0, 2.0]);
        assert_eq!(found.len(), 1);
        assert!((1.0..=100.0).contains(&found[0].0));
    }
}
