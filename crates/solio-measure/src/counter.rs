//! Figures that code keeps about itself and the sampler looks at: queue depth, bytes in flight.

use crate::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

static ALL: Mutex<Vec<&'static Counter>> = Mutex::new(Vec::new());

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Things: requests, files.
    Count,
}

/// A named figure: a `static` beside the code that changes it. Costs one relaxed addition.
///
/// ```
/// use solio_measure::{Counter, Unit};
/// static QUEUED: Counter = Counter::level("requests queued", Unit::Count);
/// QUEUED.add(1);
/// QUEUED.add(-1);
/// assert_eq!(QUEUED.now(), 0);
/// ```
#[derive(Debug)]
pub struct Counter {
    name: &'static str,
    unit: Unit,
    total: bool,
    value: AtomicI64,
    known: AtomicBool,
}

impl Counter {
    /// A figure that only grows, such as bytes moved; it is shown as a rate.
    pub const fn total(name: &'static str, unit: Unit) -> Counter {
        Counter::new(name, unit, true)
    }

    /// A figure that goes up and down, such as the depth of a queue; it is shown as it is.
    pub const fn level(name: &'static str, unit: Unit) -> Counter {
        Counter::new(name, unit, false)
    }

    const fn new(name: &'static str, unit: Unit, total: bool) -> Counter {
        let (value, known) = (AtomicI64::new(0), AtomicBool::new(false));
        Counter { name, unit, total, value, known }
    }

    /// Adds; a level may also go down.
    #[inline]
    pub fn add(&'static self, change: i64) {
        self.value.fetch_add(change, Ordering::Relaxed);
        self.make_known();
    }

    /// Sets a level.
    #[inline]
    pub fn set(&'static self, value: i64) {
        self.value.store(value, Ordering::Relaxed);
        self.make_known();
    }

    /// The figure now.
    pub fn now(&self) -> i64 {
        self.value.load(Ordering::Relaxed)
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it counts.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Whether it only grows.
    pub fn is_total(&self) -> bool {
        self.total
    }

    #[inline]
    fn make_known(&'static self) {
        if !self.known.load(Ordering::Relaxed) {
            self.register();
        }
    }

    #[cold]
    fn register(&'static self) {
        let mut all = lock(&ALL);
        if !self.known.swap(true, Ordering::Relaxed) {
            all.push(self);
        }
    }
}

/// Every counter that has been used.
pub(crate) fn all() -> Vec<&'static Counter> {
    lock(&ALL).clone()
}
