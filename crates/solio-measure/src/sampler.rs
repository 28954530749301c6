//! Looks at the machine every ten milliseconds while something is recorded.
//!
//! * The memory is bounded: when there are too many samples every second one goes, and from then
//!   on half as many are taken.
//! * The cost is bounded: after a sample that took t of CPU time the next one waits at least 100 t,
//!   so that sampling never takes more than one percent of one core. What the kernel counts only
//!   in hundredths of a second is looked at every fifth time, new threads every second time.

use crate::counter::{self, Unit};
use crate::sys::Proc;
use crate::{clock, usage};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY_NS: u64 = 10_000_000;
const MOST_SAMPLES: usize = 4096;
/// A sample may take this share of the time until the next one.
const COST_SHARE: u64 = 100;
/// The kernel's slow figures are looked at each time that the number of the sample divides by this.
const SLOW_EVERY: u64 = 5;

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
    /// One value for each of [`SystemSamples::times_ns`]; totals start at 0.
    pub values: Vec<f64>,
}

/// Figures over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemSamples {
    /// When, since the start of the recording.
    pub times_ns: Vec<u64>,
    /// The figures.
    pub series: Vec<Series>,
}

impl SystemSamples {
    /// The series of a group, in order.
    pub fn of(&self, group: Group) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |series| series.group == group)
    }
}

/// A thread that samples until it is told to stop.
pub(crate) struct SystemSampler {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<SystemSamples>>,
}

impl SystemSampler {
    /// Starts; times count from `start`. The first sample is taken here: what the caller does
    /// before the thread gets a core counts too.
    pub(crate) fn start(start: u64) -> SystemSampler {
        let mut collected = Collected::new();
        collected.sample(clock::ns_between(start, clock::ticks()), false);
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("solio-sampler".into());
        // Without a thread there are no samples; the work goes on all the same.
        let thread = thread.spawn(move || run(start, &until, collected)).ok();
        SystemSampler { stop, thread }
    }

    /// Takes a last sample and ends.
    pub(crate) fn finish(mut self) -> SystemSamples {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<SystemSamples> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl Drop for SystemSampler {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(start: u64, stop: &AtomicBool, mut collected: Collected) -> SystemSamples {
    let mut next = EVERY_NS;
    let mut spent_s = usage::thread_cpu_s();
    loop {
        let last = stop.load(Ordering::Relaxed);
        let began = clock::ns_between(start, clock::ticks());
        if last || began >= next {
            collected.sample(began, last);
            // All since the last sample, waking up among it.
            let before_s = std::mem::replace(&mut spent_s, usage::thread_cpu_s());
            let cost = ((spent_s - before_s) * 1e9) as u64;
            next = began + (EVERY_NS << collected.halved).max(COST_SHARE * cost);
        }
        if last {
            return collected.finish();
        }
        let now = clock::ns_between(start, clock::ticks());
        std::thread::park_timeout(Duration::from_nanos(next.saturating_sub(now)));
    }
}

struct Collected {
    proc: Proc,
    samples: SystemSamples,
    /// What each total was at the start of the recording.
    first: Vec<f64>,
    /// Where the next figure stood last time: they come in the same order each time.
    cursor: usize,
    taken: u64,
    /// CPU seconds of each thread at the last look; of all threads with a name, the sum.
    threads: BTreeMap<u32, f64>,
    by_name: BTreeMap<String, f64>,
    halved: u32,
}

impl Collected {
    fn new() -> Collected {
        Collected {
            proc: Proc::open(),
            samples: SystemSamples::default(),
            first: Vec::new(),
            cursor: 0,
            taken: 0,
            threads: BTreeMap::new(),
            by_name: BTreeMap::new(),
            halved: 0,
        }
    }

    /// Takes a sample; the first and the last one are whole.
    fn sample(&mut self, now_ns: u64, last: bool) {
        use Group::{Calls, Medium, Memory, Process};
        let slow = last || self.taken.is_multiple_of(SLOW_EVERY);
        self.samples.times_ns.push(now_ns);
        self.cursor = 0;
        self.total(Process, "process", Unit::Seconds, usage::cpu_s());
        if let Some(io) = self.proc.process_io() {
            self.total(Calls, "read", Unit::Bytes, io.read_calls);
            self.total(Calls, "write", Unit::Bytes, io.write_calls);
            self.total(Medium, "read", Unit::Bytes, io.read_medium);
            self.total(Medium, "write", Unit::Bytes, io.write_medium);
        }
        if let Some(bytes) = self.proc.resident_bytes() {
            self.put(Memory, "resident", Unit::Bytes, false, bytes);
        }
        self.counters();
        self.threads(last || self.taken.is_multiple_of(2));
        if slow {
            self.machine();
        }
        self.taken += 1;
        self.fill_up();
        if self.samples.times_ns.len() >= MOST_SAMPLES {
            self.halve();
        }
    }

    fn counters(&mut self) {
        for counter in counter::all() {
            let (name, unit, value) = (counter.name(), counter.unit(), counter.now() as f64);
            if !counter.is_total() {
                self.put(Group::Counter, name, unit, false, value);
                continue;
            }
            // One that comes later was first used, at nothing, during the recording.
            let from = if self.taken == 0 { value } else { 0.0 };
            self.total_from(Group::Counter, name, unit, value, from);
        }
    }

    fn threads(&mut self, new_ones: bool) {
        let known = std::mem::take(&mut self.threads);
        for (id, name, cpu_s) in self.proc.threads_s(new_ones) {
            self.threads.insert(id, cpu_s);
            // A number that comes again belongs to a new thread, which starts at 0. A thread
            // that the first look finds has used what it has before the recording.
            let before = match known.get(&id) {
                Some(before) if *before <= cpu_s => *before,
                None if self.taken == 0 => cpu_s,
                _ => 0.0,
            };
            match self.by_name.get_mut(&name) {
                Some(sum) => *sum += cpu_s - before,
                None => drop(self.by_name.insert(name, cpu_s - before)),
            }
        }
        let by_name = std::mem::take(&mut self.by_name);
        for (name, cpu_s) in &by_name {
            self.put(Group::Thread, name, Unit::Seconds, true, *cpu_s);
        }
        self.by_name = by_name;
    }

    /// The figures about all of the machine.
    fn machine(&mut self) {
        for (i, busy_s) in self.proc.cores_s().into_iter().enumerate() {
            self.total(Group::Core, &format!("cpu{i}"), Unit::Seconds, busy_s);
        }
        if let Some((read, written)) = self.proc.disks_bytes() {
            self.total(Group::Disk, "read", Unit::Bytes, read);
            self.total(Group::Disk, "write", Unit::Bytes, written);
        }
    }

    /// A figure that grows, counted from the first look.
    fn total(&mut self, group: Group, name: &str, unit: Unit, value: f64) {
        self.total_from(group, name, unit, value, value);
    }

    /// A figure that grows, counted from `from` if this is the first look.
    fn total_from(&mut self, group: Group, name: &str, unit: Unit, value: f64, from: f64) {
        let place = self.place(group, name, unit, true, from);
        let grown = (value - self.first[place]).max(0.0);
        self.samples.series[place].values.push(grown);
    }

    fn put(&mut self, group: Group, name: &str, unit: Unit, total: bool, value: f64) {
        let place = self.place(group, name, unit, total, 0.0);
        self.samples.series[place].values.push(value);
    }

    /// Where the series is, which is made if it is new.
    fn place(&mut self, group: Group, name: &str, unit: Unit, total: bool, from: f64) -> usize {
        let series = &mut self.samples.series;
        let is = |series: &Series| series.group == group && series.name == name;
        let place = if series.get(self.cursor).is_some_and(is) {
            self.cursor
        } else {
            series.iter().position(is).unwrap_or_else(|| {
                // What came later was nothing before.
                let values = vec![0.0; self.samples.times_ns.len() - 1];
                series.push(Series { group, name: name.to_owned(), unit, total, values });
                self.first.push(from);
                series.len() - 1
            })
        };
        self.cursor = place + 1;
        place
    }

    /// What was not looked at this time is found out at the end.
    fn fill_up(&mut self) {
        let count = self.samples.times_ns.len();
        for series in &mut self.samples.series {
            series.values.resize(count, f64::NAN);
        }
    }

    fn halve(&mut self) {
        // The newest stays: there everything may have been looked at.
        let odd = self.samples.times_ns.len() % 2;
        let every_second = |i: &mut usize| {
            *i += 1;
            *i % 2 == odd
        };
        let mut i = 0;
        self.samples.times_ns.retain(|_| every_second(&mut i));
        for series in &mut self.samples.series {
            let mut i = 0;
            series.values.retain(|_| every_second(&mut i));
        }
        self.halved += 1;
    }

    /// The samples, with straight lines where totals were not looked at.
    fn finish(mut self) -> SystemSamples {
        let times_ns = &self.samples.times_ns;
        for series in &mut self.samples.series {
            bridge(times_ns, &mut series.values, series.total);
        }
        self.samples
    }
}

/// Fills gaps: totals by straight lines, levels, and the end, by what was last.
fn bridge(times_ns: &[u64], values: &mut [f64], total: bool) {
    let mut last: Option<usize> = None;
    for i in 0..values.len() {
        if values[i].is_nan() {
            continue;
        }
        if let (Some(from), true) = (last, total) {
            let (start, end) = (times_ns[from] as f64, times_ns[i] as f64);
            for k in from + 1..i {
                let share = (times_ns[k] as f64 - start) / (end - start).max(1.0);
                values[k] = values[from] + (values[i] - values[from]) * share;
            }
        }
        last = Some(i);
    }
    let mut before = 0.0;
    for value in values {
        if value.is_nan() {
            *value = before;
        }
        before = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counter;

    #[test]
    fn what_is_done_at_once_counts() {
        static MOVED: Counter = Counter::total("moved at once", Unit::Bytes);
        MOVED.add(3);
        let sampler = SystemSampler::start(clock::ticks());
        MOVED.add(7);
        let samples = sampler.finish();
        let moved = samples.series.iter().find(|series| series.name == "moved at once").unwrap();
        assert_eq!((moved.values[0], moved.values.last()), (0.0, Some(&7.0)));
    }

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
        let SystemSamples { times_ns, series } = &collected.samples;
        assert!(times_ns.len() < MOST_SAMPLES && times_ns.len() > MOST_SAMPLES / 4);
        assert!(times_ns.is_sorted());
        assert_eq!(series[0].values.len(), times_ns.len());
        let first = series[0].values.iter().position(|v| *v == 7.0).unwrap();
        assert!((99..=104).contains(&times_ns[first]), "{}", times_ns[first]);
        assert_eq!(*times_ns.last().unwrap(), 2 * MOST_SAMPLES as u64 - 1);
    }

    #[test]
    fn what_was_not_looked_at_lies_between() {
        let times = [0, 10, 20, 40, 50];
        let mut values = [1.0, f64::NAN, f64::NAN, 9.0, f64::NAN];
        bridge(&times, &mut values, true);
        assert_eq!(values, [1.0, 3.0, 5.0, 9.0, 9.0]);
        let mut values = [1.0, f64::NAN, f64::NAN, 9.0, f64::NAN];
        bridge(&times, &mut values, false);
        assert_eq!(values, [1.0, 1.0, 1.0, 9.0, 9.0]);
    }

    #[test]
    fn totals_start_at_nothing_and_grow() {
        let mut collected = Collected::new();
        static LATE: Counter = Counter::total("counted late in the test", Unit::Bytes);
        for i in 0..3 {
            collected.sample(i, i == 2);
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
