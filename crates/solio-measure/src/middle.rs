//! The middle of samples, and how sure it is.

/// The median; NaN of nothing.
///
/// ```
/// assert_eq!(solio_measure::median(&[4.0, 1.0, 90.0]), 4.0);
/// assert_eq!(solio_measure::median(&[4.0, 1.0]), 2.5);
/// ```
pub fn median(values: &[f64]) -> f64 {
    Middle::of(values).median
}

/// The median of samples, with its interval of 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Middle {
    /// The median.
    pub median: f64,
    /// The interval's ends; of fewer than six samples it is the whole range.
    pub low: f64,
    /// The upper one.
    pub high: f64,
}

impl Middle {
    /// Of samples in any order; NaN of none. The interval comes from the ranks that a binomial gives: no
    /// assumption about the shape of the noise.
    ///
    /// ```
    /// use solio_measure::Middle;
    /// let middle = Middle::of(&[2.0, 2.1, 1.9, 90.0]);
    /// assert_eq!((middle.median, middle.low, middle.high), (2.05, 1.9, 90.0));
    /// ```
    pub fn of(values: &[f64]) -> Middle {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let reach = 0.98 * n.sqrt();
        let low = (n / 2.0 - reach).floor().max(0.0) as usize;
        let high = ((n / 2.0 + reach).ceil() as usize).min(sorted.len().saturating_sub(1));
        let at = |i: usize| sorted.get(i).copied().unwrap_or(f64::NAN);
        let median = match sorted.len() {
            n if n % 2 == 1 => at(n / 2),
            n => (at(n / 2) + at((n / 2).wrapping_sub(1))) / 2.0,
        };
        Middle { median, low: at(low), high: at(high) }
    }

    /// Of `a[i] / b[i]`: samples that were taken one after the other.
    ///
    /// ```
    /// let ratio = solio_measure::Middle::of_ratios(&[2.0, 6.0, 4.0], &[1.0, 3.0, 2.0]);
    /// assert_eq!((ratio.low, ratio.median, ratio.high), (2.0, 2.0, 2.0));
    /// ```
    pub fn of_ratios(a: &[f64], b: &[f64]) -> Middle {
        Middle::of(&a.iter().zip(b).map(|(a, b)| a / b).collect::<Vec<_>>())
    }

    /// The interval's width over the median.
    ///
    /// ```
    /// assert_eq!(solio_measure::Middle { median: 4.0, low: 3.0, high: 5.0 }.spread(), 0.5);
    /// ```
    pub fn spread(&self) -> f64 {
        (self.high - self.low) / self.median
    }

    /// Whether this ratio of a run against itself says that the machine is quiet enough to compare.
    ///
    /// ```
    /// assert!(solio_measure::Middle { median: 1.01, low: 0.9, high: 1.2 }.is_quiet());
    /// assert!(!solio_measure::Middle { median: 1.05, low: 1.0, high: 1.1 }.is_quiet());
    /// ```
    pub fn is_quiet(&self) -> bool {
        (0.97..=1.03).contains(&self.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_narrows_with_more_samples() {
        let values: Vec<f64> = (0..1000).map(|i| 1.0 + f64::from(i * 37 % 1000) / 1000.0).collect();
        let (wide, narrow) = (Middle::of(&values[..20]), Middle::of(&values));
        assert!(narrow.spread() < wide.spread() && (narrow.median - 1.5).abs() < 0.01);
        assert!(Middle::of(&[]).median.is_nan() && median(&[]).is_nan());
    }
}
