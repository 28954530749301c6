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

/// What the last tenth of samples took, over what the first did: pairs of neighbours do not see a
/// machine that slows down over minutes.
pub(crate) fn drift(samples: &[f64]) -> f64 {
    let tenth = samples.len().div_ceil(10);
    median(&samples[samples.len() - tenth..]) / median(&samples[..tenth])
}

/// Whether a drift is small enough; of a tenth of the samples more cannot be said.
pub(crate) fn is_steady(drift: f64) -> bool {
    (0.93..=1.07).contains(&drift)
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
    fn a_machine_that_slows_down_is_no_steady_one() {
        let slows: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i) * 0.004).collect();
        // Ours, and ours again right after it: nothing to be seen.
        let again: Vec<f64> = slows.iter().map(|s| s * 1.002).collect();
        assert!(Ratio::of(&slows, &again).is_quiet());
        assert!(drift(&slows) > 1.15 && !is_steady(drift(&slows)));
        assert!(is_steady(drift(&[1.0, 9.0, 9.0, 1.05])) && !is_steady(drift(&[])));
    }

    #[test]
    fn nothing_has_no_median() {
        assert!(median(&[]).is_nan());
        assert_eq!(median(&[4.0, 1.0]), 2.5);
    }
}
