//! Ratios of interleaved samples: medians with their intervals.

use serde_json::{Value, json};

/// The median of pairwise ratios and the 95 % interval of that median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Ratio {
    /// Of `a[i] / b[i]`. The interval comes from the ranks that a binomial gives (no assumption
    /// about the shape of the noise); with fewer than six pairs it is the whole range.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Ratio {
        let mut ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        let n = ratios.len() as f64;
        let reach = 0.98 * n.sqrt();
        let low = (n / 2.0 - reach).floor().max(0.0) as usize;
        let high = ((n / 2.0 + reach).ceil() as usize).min(ratios.len().saturating_sub(1));
        let at = |i: usize| ratios.get(i).copied().unwrap_or(f64::NAN);
        Ratio { median: median_of_sorted(&ratios), low: at(low), high: at(high) }
    }

    /// The median and its interval, as JSON has them.
    pub(crate) fn json(&self) -> Value {
        json!([self.median, self.low, self.high])
    }

    /// Whether a run against itself says that the machine is quiet enough to compare.
    pub(crate) fn is_quiet(&self) -> bool {
        (0.97..=1.03).contains(&self.median)
    }
}

/// The median; NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_one_bad_pair() {
        let a = [2.0, 2.0, 2.0, 90.0, 2.0, 2.0, 2.0];
        let r = Ratio::of(&a, &[1.0; 7]);
        assert_eq!(r.median, 2.0);
        assert!(r.low <= r.median && r.median <= r.high);
        assert!(!r.is_quiet());
    }

    #[test]
    fn the_interval_narrows_with_more_pairs() {
        let values: Vec<f64> = (0..1000).map(|i| 1.0 + f64::from(i * 37 % 1000) / 1000.0).collect();
        let wide = Ratio::of(&values[..20], &[1.0; 20]);
        let narrow = Ratio::of(&values, &[1.0; 1000]);
        assert!(narrow.high - narrow.low < wide.high - wide.low);
        assert!((narrow.median - 1.5).abs() < 0.01);
    }

    #[test]
    fn nothing_has_no_median() {
        assert!(median(&[]).is_nan());
        assert_eq!(median(&[4.0, 1.0]), 2.5);
    }
}
