//! Ours, a peer, ours again, in turn: how every comparison is measured, and the row of JSON that it
//! becomes.

use crate::stats::{Ratio, drift, is_steady, median};
use serde_json::{Value, json};
use solio::{Result, Stopwatch, Usage};
use std::ops::RangeInclusive;

/// The side that is the peer's; 0 and 2 are ours.
pub(crate) const PEER: usize = 1;

/// A sample of a kernel takes about so long, or one run.
const KERNEL_SAMPLE_S: f64 = 5e-4;

/// What ours, the peer and ours again took, turn by turn.
#[derive(Debug, Default)]
pub(crate) struct BenchTurns(Vec<[Usage; 3]>);

impl BenchTurns {
    /// Takes turns until there are enough: within `rounds`, and until they took `seconds` together.
    /// Where there may be several, one more warms up before. `job` does a part for a side; what it
    /// checks is outside the time that it returns.
    pub(crate) fn run(
        rounds: RangeInclusive<usize>,
        seconds: f64,
        parts: usize,
        mut job: impl FnMut(usize, usize) -> Result<Usage>,
    ) -> Result<BenchTurns> {
        let mut turns = Vec::new();
        let (mut spent_s, mut warms_up) = (0.0, *rounds.end() > 1);
        while turns.len() < *rounds.start() || turns.len() < *rounds.end() && spent_s < seconds {
            let mut sums = [Usage::default(); 3];
            for part in 0..parts {
                for (side, sum) in sums.iter_mut().enumerate() {
                    let took = job(part, side)?;
                    sum.wall_s += took.wall_s;
                    sum.cpu_s += took.cpu_s;
                }
            }
            spent_s += sums.iter().map(|sum| sum.wall_s).sum::<f64>();
            if !std::mem::take(&mut warms_up) {
                turns.push(sums);
            }
        }
        Ok(BenchTurns(turns))
    }

    /// Turns of two kernels in memory. The times are of one of `count` things that a run does.
    pub(crate) fn of_kernels(
        rounds: usize,
        count: usize,
        ours: &mut dyn FnMut(),
        theirs: &mut dyn FnMut(),
    ) -> BenchTurns {
        let (a, b) = (repeats(ours), repeats(theirs));
        let mut turns = Vec::new();
        for _ in 0..rounds {
            let taken = [(a, time(a, ours)), (b, time(b, theirs)), (a, time(a, ours))];
            turns.push(taken.map(|(repeat, Usage { wall_s, cpu_s })| {
                let all = (repeat * count) as f64;
                Usage { wall_s: wall_s / all, cpu_s: cpu_s / all }
            }));
        }
        BenchTurns(turns)
    }

    /// The comparison as JSON has it, with what else there is to say.
    pub(crate) fn row(&self, case: &str, peer: &str, more: Value) -> Value {
        let times = |get: fn(&Usage) -> f64| {
            [0, 1, 2].map(|side| self.0.iter().map(|turn| get(&turn[side])).collect::<Vec<_>>())
        };
        let (wall, cpu) = (times(|took| took.wall_s), times(|took| took.cpu_s));
        let against = |side: usize| [&wall, &cpu].map(|all| Ratio::of(&all[0], &all[side]));
        let (ratio, same) = (against(PEER), against(2));
        // Of all that a turn does, so that one side's odd sample does not speak for the machine.
        let drifts = [&wall, &cpu].map(|all| {
            let turns = (0..self.0.len()).map(|i| all.iter().map(|side| side[i]).sum());
            drift(&turns.collect::<Vec<f64>>())
        });
        let mut row = json!({
            "case": case,
            "peer": peer,
            "rounds": self.0.len(),
            "wall_s": median(&wall[0]),
            "cpu_s": median(&cpu[0]),
            "peer_wall_s": median(&wall[PEER]),
            "peer_cpu_s": median(&cpu[PEER]),
            "ratio_wall": ratio[0].json(),
            "ratio_cpu": ratio[1].json(),
            "same_wall": same[0].json(),
            "same_cpu": same[1].json(),
            "drift_wall": drifts[0],
            "drift_cpu": drifts[1],
            "quiet": same.iter().all(Ratio::is_quiet) && drifts.into_iter().all(is_steady),
        });
        if let (Value::Object(row), Value::Object(more)) = (&mut row, more) {
            row.extend(more);
        }
        row
    }
}

/// How many runs a sample has.
fn repeats(run: &mut dyn FnMut()) -> usize {
    run();
    let once_s = time(4, run).wall_s / 4.0;
    (KERNEL_SAMPLE_S / once_s.max(1e-9)).ceil().clamp(1.0, 1e5) as usize
}

fn time(repeat: usize, run: &mut dyn FnMut()) -> Usage {
    let watch = Stopwatch::start();
    for _ in 0..repeat {
        run();
    }
    watch.usage()
}

/// What it takes to do it once.
pub(crate) fn timed<T>(job: impl FnOnce() -> Result<T>) -> Result<(Usage, T)> {
    let watch = Stopwatch::start();
    let made = job()?;
    Ok((watch.usage(), made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_and_the_first_is_not_counted() {
        let mut asked = Vec::new();
        let turns = BenchTurns::run(2..=5, 0.0, 2, |part, side| {
            asked.push((part, side));
            // The turn that warms up is slow, and so is the peer.
            let wall_s = if asked.len() <= 6 { 100.0 } else { [1.0, 4.0, 1.0][side] };
            Ok(Usage { wall_s, cpu_s: wall_s / 2.0 })
        });
        let turns = turns.unwrap();
        assert_eq!(asked.len(), 3 * 6);
        assert_eq!(asked[..6], [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        let row = turns.row("a", "b", json!({ "bytes": 7 }));
        assert_eq!((&row["rounds"], &row["bytes"]), (&json!(2), &json!(7)));
        assert_eq!((&row["wall_s"], &row["peer_cpu_s"]), (&json!(2.0), &json!(4.0)));
        assert_eq!(row["ratio_wall"], json!([0.25, 0.25, 0.25]));
        assert_eq!((&row["same_cpu"][0], &row["quiet"]), (&json!(1.0), &json!(true)));
    }

    #[test]
    fn turns_end_by_their_number_or_their_time() {
        let rounds = |rounds, seconds| {
            let second = |_, _| Ok(Usage { wall_s: 1.0, cpu_s: 1.0 });
            BenchTurns::run(rounds, seconds, 1, second).unwrap().0.len()
        };
        assert_eq!(rounds(1..=1, 9.0), 1);
        assert_eq!(rounds(2..=9, 15.0), 4);
        assert_eq!(rounds(2..=9, 1e9), 9);
    }
}
