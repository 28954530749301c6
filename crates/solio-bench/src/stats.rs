//! Ratios of interleaved samples: medians with their intervals.

use serde_json::{Value, json};
use solio::Middle;
pub(crate) use solio::median;

/// The median of pairwise ratios and the 95 % interval of that median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio(pub(crate) Middle);

impl Ratio {
    /// Of `a[i] / b[i]`.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Ratio {
        Ratio(Middle::of_ratios(a, b))
    }

    /// The median and its interval, as JSON has them.
    pub(crate) fn json(&self) -> Value {
        json!([self.0.median, self.0.low, self.0.high])
    }

    /// Whether a run against itself says that the machine is quiet enough to compare.
    pub(crate) fn is_quiet(&self) -> bool {
        self.0.is_quiet()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_one_bad_pair() {
        let a = [2.0, 2.0, 2.0, 90.0, 2.0, 2.0, 2.0];
        let r = Ratio::of(&a, &[1.0; 7]);
        assert_eq!(r.0.median, 2.0);
        assert!(r.0.low <= r.0.median && r.0.median <= r.0.high);
        assert!(!r.is_quiet());
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
}
