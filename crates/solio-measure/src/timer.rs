//! Timers for anybody's code: a name, a piece of work done some times, and a line about it.

use crate::clock::{now_ns, ticks};
use std::fmt;

/// Starts to time a piece of code.
///
/// ```
/// let timer = solio_measure::time("normals");
/// let sum: f64 = (0..1000).map(|i| f64::from(i).sqrt()).sum();
/// assert!(sum > 0.0);
/// let timing = timer.end(1000);
/// // normals: 0.003100 ms, 9300 ticks, 322580645.2 iterations/s, 9.30 ticks/iteration
/// assert!(timing.to_string().starts_with("normals: "));
/// ```
pub fn time(text: &str) -> Timer<'_> {
    // The first look at the counter finds out how long its ticks are.
    ticks();
    Timer { text, ns: now_ns(), ticks: ticks() }
}

/// A timer under way.
///
/// ```
/// let timer: solio_measure::Timer = solio_measure::time("nothing");
/// assert!(timer.end(0).iterations_per_second() == 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a timer says nothing until its end"]
pub struct Timer<'t> {
    text: &'t str,
    ns: u64,
    ticks: u64,
}

impl<'t> Timer<'t> {
    /// Ends; the work was done so often meanwhile.
    ///
    /// ```
    /// assert_eq!(solio_measure::time("once").end(1).iterations, 1);
    /// ```
    pub fn end(self, iterations: u64) -> Timing<'t> {
        let (now, now_ns) = (ticks(), now_ns());
        let (ns, ticks) = (now_ns.saturating_sub(self.ns), now.saturating_sub(self.ticks));
        Timing { text: self.text, ns, ticks, iterations }
    }
}

/// What a timer found. As text it is the line that `SOLIO_TIMER_END` prints in C and `solio.timer` in Python.
///
/// ```
/// use solio_measure::Timing;
/// let timing = Timing { text: "normals", ns: 2_000_000, ticks: 6_000_000, iterations: 1000 };
/// assert_eq!(
///     timing.to_string(),
///     "normals: 2.000000 ms, 6000000 ticks, 500000.0 iterations/s, 6000.00 ticks/iteration"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing<'t> {
    /// What was timed.
    pub text: &'t str,
    /// Nanoseconds on the wall clock.
    pub ns: u64,
    /// Ticks of the processor's counter; where there is none that a program may read, nanoseconds.
    pub ticks: u64,
    /// How often the work was done.
    pub iterations: u64,
}

impl Timing<'_> {
    /// Iterations a second; 0 where no time passed.
    ///
    /// ```
    /// # use solio_measure::Timing;
    /// let timing = Timing { text: "a", ns: 500_000_000, ticks: 1, iterations: 3 };
    /// assert_eq!(timing.iterations_per_second(), 6.0);
    /// ```
    pub fn iterations_per_second(&self) -> f64 {
        if self.ns > 0 { self.iterations as f64 * 1e9 / self.ns as f64 } else { 0.0 }
    }

    /// Ticks an iteration; 0 of none.
    ///
    /// ```
    /// # use solio_measure::Timing;
    /// let timing = Timing { text: "a", ns: 1, ticks: 30, iterations: 4 };
    /// assert_eq!(timing.ticks_per_iteration(), 7.5);
    /// ```
    pub fn ticks_per_iteration(&self) -> f64 {
        if self.iterations > 0 { self.ticks as f64 / self.iterations as f64 } else { 0.0 }
    }
}

impl fmt::Display for Timing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {:.6} ms, {} ticks, {:.1} iterations/s, {:.2} ticks/iteration",
            self.text,
            self.ns as f64 * 1e-6,
            self.ticks,
            self.iterations_per_second(),
            self.ticks_per_iteration(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_measures_from_its_start_to_its_end() {
        let timer = time("sleep");
        std::thread::sleep(std::time::Duration::from_millis(3));
        let timing = timer.end(2);
        assert!(timing.ns >= 3_000_000 && timing.ticks > 0, "{timing:?}");
        let each_s = 1.0 / timing.iterations_per_second();
        assert!((each_s * 2e9 / timing.ns as f64 - 1.0).abs() < 1e-9);
        // Nothing done, nothing passed: no division by zero.
        let nothing = Timing { text: "", ns: 0, ticks: 0, iterations: 0 };
        assert_eq!(
            nothing.to_string(),
            ": 0.000000 ms, 0 ticks, 0.0 iterations/s, 0.00 ticks/iteration"
        );
    }
}
