//! Timers for loops: milliseconds, ticks, iterations a second, ticks an iteration.

use crate::clock;
use std::fmt;

/// Measures one piece of code. Manual: [`Timer::start`], [`Timer::stop`]; scoped:
/// [`Timer::scoped`]; around a closure: [`time`].
///
/// ```
/// use solio_measure::Timer;
/// let timer = Timer::start();
/// let sum: u64 = (0..1000u64).sum();
/// let timed = timer.stop(1000);
/// assert_eq!(sum, 499_500);
/// assert!(timed.per_second() > 0.0 && timed.ticks_each() >= 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    start: u64,
}

/// What a [`Timer`] measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Nanoseconds.
    pub ns: u64,
    /// Ticks of the CPU's counter, or of the system's clock where there is none.
    pub ticks: u64,
    /// Iterations that the code did.
    pub iterations: u64,
}

impl Timer {
    /// Starts now.
    #[inline]
    pub fn start() -> Timer {
        Timer { start: clock::ticks() }
    }

    /// What it took from the start until now, for so many iterations. The timer goes on.
    #[inline]
    pub fn stop(&self, iterations: u64) -> Timed {
        let end = clock::ticks();
        let ticks = end.saturating_sub(self.start);
        Timed { ns: clock::ns_between(self.start, end), ticks, iterations }
    }

    /// Measures until the end of the scope, and gives `report` the result there.
    ///
    /// ```
    /// use solio_measure::Timer;
    /// let seen = std::cell::Cell::new(0);
    /// {
    ///     let _timer = Timer::scoped(10, |timed| seen.set(timed.iterations));
    /// }
    /// assert_eq!(seen.get(), 10);
    /// ```
    pub fn scoped<F: FnOnce(Timed)>(iterations: u64, report: F) -> Scoped<F> {
        Scoped { iterations, report: Some(report), timer: Timer::start() }
    }
}

/// A running timer that reports when dropped; see [`Timer::scoped`].
#[must_use = "it measures until it is dropped"]
pub struct Scoped<F: FnOnce(Timed)> {
    timer: Timer,
    iterations: u64,
    report: Option<F>,
}

impl<F: FnOnce(Timed)> Drop for Scoped<F> {
    fn drop(&mut self) {
        let timed = self.timer.stop(self.iterations);
        if let Some(report) = self.report.take() {
            report(timed);
        }
    }
}

/// Runs `code` and measures it.
pub fn time<T>(iterations: u64, code: impl FnOnce() -> T) -> (T, Timed) {
    let timer = Timer::start();
    let value = code();
    (value, timer.stop(iterations))
}

impl Timed {
    /// Milliseconds.
    pub fn ms(&self) -> f64 {
        self.ns as f64 / 1e6
    }
    /// Iterations in a second.
    pub fn per_second(&self) -> f64 {
        self.iterations as f64 * 1e9 / (self.ns as f64).max(1.0)
    }
    /// Nanoseconds for one iteration.
    pub fn ns_each(&self) -> f64 {
        self.ns as f64 / self.iterations.max(1) as f64
    }
    /// Ticks for one iteration.
    pub fn ticks_each(&self) -> f64 {
        self.ticks as f64 / self.iterations.max(1) as f64
    }
}

/// `12.345 ms, 24690000 ticks; 81004/s, 24690.0 ticks each`.
impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms, {} ticks", self.ms(), self.ticks)?;
        if self.iterations > 0 {
            write!(f, "; {:.0}/s, {:.1} ticks each", self.per_second(), self.ticks_each())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_fit_each_other() {
        let timed = Timed { ns: 12_345_000, ticks: 24_690_000, iterations: 1000 };
        assert_eq!(timed.to_string(), "12.345 ms, 24690000 ticks; 81004/s, 24690.0 ticks each");
        assert_eq!(timed.ns_each(), 12_345.0);
        let none = Timed { ns: 0, ticks: 0, iterations: 0 };
        assert_eq!(none.to_string(), "0.000 ms, 0 ticks");
        assert!(none.per_second() == 0.0 && none.ticks_each() == 0.0);
    }

    #[test]
    fn a_sleep_takes_its_time() {
        let ((), timed) = time(1, || std::thread::sleep(std::time::Duration::from_millis(20)));
        assert!(timed.ns >= 19_000_000, "{timed}");
    }
}
