//! Several ways to do the same, measured in turns.

use solio_measure::{Middle, Stopwatch, ticks};

/// A sample of a way takes about so long.
const SAMPLE_S: f64 = 5e-4;

/// A way: a name, what it does, and how many things it does in one run.
pub(crate) struct Way<'w> {
    pub(crate) name: &'static str,
    pub(crate) count: usize,
    pub(crate) run: Box<dyn FnMut() + 'w>,
}

/// What one thing takes a way.
///
/// ```
/// use solio::{Middle, WayTime};
/// let middle = |median| Middle { median, low: median, high: median };
/// let way = WayTime { name: "std", ns: middle(80.0), ticks: 240.0, over_ours: middle(4.0) };
/// assert!(way.over_ours.median > 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayTime {
    /// The way.
    pub name: &'static str,
    /// Nanoseconds.
    pub ns: Middle,
    /// Ticks of the processor's counter; nanoseconds where there is none.
    pub ticks: f64,
    /// Its time over ours, turn by turn.
    pub over_ours: Middle,
}

/// What all ways took, and ours against itself.
pub(crate) struct WayTimes {
    pub(crate) ways: Vec<WayTime>,
    pub(crate) same: Middle,
}

/// Measures all ways in `rounds` turns, the other way round in every second; `ours` is the number of ours,
/// which runs twice a turn.
pub(crate) fn in_turns(mut ways: Vec<Way<'_>>, ours: usize, rounds: usize) -> WayTimes {
    let repeats: Vec<usize> = ways.iter_mut().map(repeats).collect();
    let mut samples = vec![Vec::new(); ways.len()];
    let mut counted = vec![Vec::new(); ways.len()];
    let mut again = Vec::new();
    for round in 0..rounds.max(1) {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for number in order {
            let (ns, ticks) = sample(&mut ways[number], repeats[number]);
            samples[number].push(ns);
            counted[number].push(ticks);
        }
        again.push(sample(&mut ways[ours], repeats[ours]).0);
    }
    let times = ways.iter().enumerate().map(|(number, way)| WayTime {
        name: way.name,
        ns: Middle::of(&samples[number]),
        ticks: Middle::of(&counted[number]).median,
        over_ours: Middle::of_ratios(&samples[number], &samples[ours]),
    });
    WayTimes { ways: times.collect(), same: Middle::of_ratios(&again, &samples[ours]) }
}

/// How many runs a sample has.
fn repeats(way: &mut Way<'_>) -> usize {
    (way.run)();
    let watch = Stopwatch::start();
    for _ in 0..4 {
        (way.run)();
    }
    (SAMPLE_S * 4.0 / watch.wall_s().max(1e-9)).ceil().clamp(1.0, 1e5) as usize
}

/// Nanoseconds and ticks of one thing.
fn sample(way: &mut Way<'_>, repeats: usize) -> (f64, f64) {
    let (watch, begun) = (Stopwatch::start(), ticks());
    for _ in 0..repeats {
        (way.run)();
    }
    let (ticks, wall_s) = (ticks() - begun, watch.wall_s());
    let things = (repeats * way.count.max(1)) as f64;
    (wall_s * 1e9 / things, ticks as f64 / things)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn twice_the_work_takes_about_twice_as_long() {
        fn work(n: u64) -> u64 {
            (0..n).fold(0, |sum, i| black_box(sum ^ i.wrapping_mul(sum | 1)))
        }
        let way = |name, n| Way {
            name,
            count: 10,
            run: Box::new(move || {
                black_box(work(n));
            }),
        };
        let times = in_turns(vec![way("one", 20_000), way("two", 40_000)], 0, 9);
        let two = &times.ways[1];
        assert_eq!((two.name, times.ways[0].over_ours.median), ("two", 1.0));
        // A loaded machine stretches both.
        assert!((1.2..3.4).contains(&two.over_ours.median), "{times:?}", times = times.ways);
        assert!(two.ns.median > 0.0 && two.ticks > 0.0 && times.same.median > 0.0);
    }
}
