//! Looks at the machine every ten milliseconds while something is recorded.
//!
//! * The memory is bounded: when there are too many samples every second one goes, and from then
//!   on half as many are taken.
//! * The cost is bounded: after a sample that took t the next one waits at least 200 t, so that
//!   sampling never takes more than half a percent of one core.

use crate::counter::{self, Unit};
use crate::proc::Proc;
use crate::{clock, usage};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY_NS: u64 = 10_000_000;
const MOST_SAMPLES: usize = 4096;
/// A sample may take this share of the time until the next one.
const COST_SHARE: u64 = 200;

/// What a series is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// CPU of the process.
    Process,
    /// CPU of one core, whoever uses it.
    Core,
    /// CPU of one thread.
    Thread,
    /// Bytes that the process moved by system calls, from the page cache or not.
    Calls,
    /// Bytes that the process moved from and to the medium.
    Medium,
    /// Bytes that anybody moved from and to the disks.
    Disk,
    /// Memory of the process.
    Memory,
    /// A [`Counter`](crate::Counter) of the code.
    Counter,
}

/// One figure over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is about.
    pub group: Group,
    /// Which one of its group.
    pub name: String,
    /// What it counts.
    pub unit: Unit,
    /// Whether it only grows: then its rate is of interest.
    pub total: bool,
    /// One value for each of [`Samples::times_ns`]; totals start at 0.
    pub values: Vec<f64>,
}

/// Figures over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// When, since the start of the recording.
    pub times_ns: Vec<u64>,
    /// The figures.
    pub series: Vec<Series>,
}

impl Samples {
    /// The series of a group, in order.
    pub fn of(&self, group: Group) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |series| series.group == group)
    }
}

/// A thread that samples until it is told to stop.
pub(crate) struct Sampler {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Samples>>,
}

impl Sampler {
    /// Starts; times count from `start`.
    pub(crate) fn start(start: u64) -> Sampler {
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("solio-sampler".into());
        // Without a thread there are no samples; the work goes on all the same.
        let thread = thread.spawn(move || run(start, &until)).ok();
        Sampler { stop, thread }
    }

    /// Takes a last sample and ends.
    pub(crate) fn finish(mut self) -> Samples {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<Samples> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(start: u64, stop: &AtomicBool) -> Samples {
    let mut collected = Collected::new();
    let mut next = 0;
    loop {
        let last = stop.load(Ordering::Relaxed);
        let began = clock::ns_between(start, clock::ticks());
        if last || began >= next {
            collected.sample(began);
            let cost = clock::ns_between(start, clock::ticks()) - began;
            next = began + (EVERY_NS << collected.halved).max(COST_SHARE * cost);
        }
        if last {
            return collected.samples;
        }
        let now = clock::ns_between(start, clock::ticks());
        std::thread::park_timeout(Duration::from_nanos(next.saturating_sub(now)));
    }
}

/// A cumulative figure of the kernel, and what it was at the first look.
type Key = (Group, String);

struct Collected {
    proc: Proc,
    samples: Samples,
    places: BTreeMap<Key, usize>,
    /// What totals were at the start of the recording.
    first: BTreeMap<Key, f64>,
    /// CPU seconds of each thread at the last look; of all threads with a name, the sum.
    threads: BTreeMap<u32, f64>,
    by_name: BTreeMap<String, f64>,
    halved: u32,
}

impl Collected {
    fn new() -> Collected {
        Collected {
            proc: Proc::open(),
            samples: Samples::default(),
            places: BTreeMap::new(),
            first: BTreeMap::new(),
            threads: BTreeMap::new(),
            by_name: BTreeMap::new(),
            halved: 0,
        }
    }

    fn sample(&mut self, now_ns: u64) {
        use Group::{Calls, Core, Counter, Disk, Medium, Memory, Process, Thread};
        self.samples.times_ns.push(now_ns);
        self.total(Process, "process", Unit::Seconds, usage::cpu_s());
        for (i, busy_s) in self.proc.cores_s().into_iter().enumerate() {
            self.total(Core, &format!("cpu{i}"), Unit::Seconds, busy_s);
        }
        let known = std::mem::take(&mut self.threads);
        for (id, name, cpu_s) in self.proc.threads_s() {
            self.threads.insert(id, cpu_s);
            // A number that comes again belongs to a new thread, which starts at 0. A thread
            // that the first look finds has used what it has before the recording.
            let before = match known.get(&id) {
                Some(before) if *before <= cpu_s => *before,
                None if self.samples.times_ns.len() == 1 => cpu_s,
                _ => 0.0,
            };
            *self.by_name.entry(name).or_default() += cpu_s - before;
        }
        for (name, cpu_s) in self.by_name.clone() {
            self.put(Thread, &name, Unit::Seconds, true, cpu_s);
        }
        if let Some(io) = self.proc.process_io() {
            self.total(Calls, "read", Unit::Bytes, io.read_calls);
            self.total(Calls, "write", Unit::Bytes, io.write_calls);
            self.total(Medium, "read", Unit::Bytes, io.read_medium);
            self.total(Medium, "write", Unit::Bytes, io.write_medium);
        }
        if let Some((read, written)) = self.proc.disks_bytes() {
            self.total(Disk, "read", Unit::Bytes, read);
            self.total(Disk, "write", Unit::Bytes, written);
        }
        if let Some(bytes) = self.proc.resident_bytes() {
            self.put(Memory, "resident", Unit::Bytes, false, bytes);
        }
        for counter in counter::all() {
            let (name, unit, value) = (counter.name(), counter.unit(), counter.now() as f64);
            if counter.is_total() {
                // One that comes later was first used, at nothing, during the recording.
                if self.samples.times_ns.len() > 1 {
                    self.first.entry((Counter, name.to_owned())).or_insert(0.0);
                }
                self.total(Counter, name, unit, value);
            } else {
                self.put(Counter, name, unit, false, value);
            }
        }
        self.fill_up();
        if self.samples.times_ns.len() >= MOST_SAMPLES {
            self.halve();
        }
    }

    /// A figure that grows, counted from the first look.
    fn total(&mut self, group: Group, name: &str, unit: Unit, value: f64) {
        let first = *self.first.entry((group, name.to_owned())).or_insert(value);
        self.put(group, name, unit, true, (value - first).max(0.0));
    }

    fn put(&mut self, group: Group, name: &str, unit: Unit, total: bool, value: f64) {
        let series = &mut self.samples.series;
        let place = *self.places.entry((group, name.to_owned())).or_insert_with(|| {
            series.push(Series { group, name: name.to_owned(), unit, total, values: Vec::new() });
            series.len() - 1
        });
        let values = &mut series[place].values;
        // What came later was nothing before.
        values.resize(self.samples.times_ns.len() - 1, 0.0);
        values.push(value);
    }

    /// What was not seen this time is as it was.
    fn fill_up(&mut self) {
        let count = self.samples.times_ns.len();
        for series in &mut self.samples.series {
            let last = series.values.last().copied().unwrap_or(0.0);
            series.values.resize(count, last);
        }
    }

    fn halve(&mut self) {
        let mut i = 0;
        let mut every_second = || {
            i += 1;
            i % 2 == 1
        };
        self.samples.times_ns.retain(|_| every_second());
        for series in &mut self.samples.series {
            let mut i = 0;
            series.values.retain(|_| {
                i += 1;
                i % 2 == 1
            });
        }
        self.halved += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counter;

    #[test]
    fn samples_stay_few_and_fit_each_other() {
        static DEPTH: Counter = Counter::level("depth of the test", Unit::Count);
        let mut collected = Collected::new();
        for i in 0..2 * MOST_SAMPLES as u64 {
            if i == 100 {
                DEPTH.set(7);
            }
            // The kernel's own figures are slow; a counter shows the rest.
            collected.samples.times_ns.push(i);
            let depth = DEPTH.now() as f64;
            if i >= 100 {
                collected.put(Group::Counter, "depth", Unit::Count, false, depth);
            }
            collected.fill_up();
            if collected.samples.times_ns.len() >= MOST_SAMPLES {
                collected.halve();
            }
        }
        let Samples { times_ns, series } = &collected.samples;
        assert!(times_ns.len() < MOST_SAMPLES && times_ns.len() > MOST_SAMPLES / 4);
        assert!(times_ns.is_sorted());
        assert_eq!(series[0].values.len(), times_ns.len());
        let first = series[0].values.iter().position(|v| *v == 7.0).unwrap();
        assert!((99..=104).contains(&times_ns[first]), "{}", times_ns[first]);
    }

    #[test]
    fn totals_start_at_nothing_and_grow() {
        let mut collected = Collected::new();
        static LATE: Counter = Counter::total("counted late in the test", Unit::Bytes);
        for i in 0..3 {
            collected.sample(i);
            LATE.add(5);
        }
        let late = |series: &&Series| series.name == LATE.name();
        let late = collected.samples.of(Group::Counter).find(late).unwrap();
        assert_eq!(late.values, [0.0, 5.0, 10.0]);
        let process = collected.samples.of(Group::Process).next().unwrap();
        assert_eq!((process.values[0], process.values.len()), (0.0, 3));
        assert!(process.values.is_sorted());
    }
}
