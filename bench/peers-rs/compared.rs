//! Ours, the peer, ours again, many times in one process: a row of the record.

use serde_json::{Value, json};
use solio::Stopwatch;

/// One side's turn: makes its answer, which is printed.
pub type Turn<'a> = &'a mut dyn FnMut() -> String;

/// Who is compared with whom on what.
pub struct Case<'a> {
    pub work: String,
    pub peer: &'a str,
    pub version: &'a str,
    pub rounds: usize,
    /// Runs of a side in one turn: a turn should take a millisecond or more.
    pub repeat: usize,
}

/// Sides that are as fast run once more before their clock starts: what the other side left in the
/// caches is not their cost (it was up to a fifth of a trace of rays). Seconds.
const WARMED_S: f64 = 0.2;

/// Measures and prints one line of JSON. Seconds are those of one run.
pub fn compare(case: &Case, ours: Turn, peer: Turn) {
    let (mut found, mut theirs) = (String::new(), String::new());
    // Wall and CPU seconds of each turn: ours, the peer's, ours again.
    let mut taken: [[Vec<f64>; 2]; 3] = Default::default();
    let mut last_s = [f64::INFINITY; 3];
    for round in 0..=case.rounds {
        for (side, taken) in taken.iter_mut().enumerate() {
            let mut run = || match side {
                1 => theirs = peer(),
                _ => found = ours(),
            };
            if case.repeat == 1 && last_s[side] < WARMED_S {
                run();
            }
            let watch = Stopwatch::start();
            for _ in 0..case.repeat {
                run();
            }
            let usage = watch.usage();
            last_s[side] = usage.wall_s;
            // The first round warms up.
            if round > 0 {
                taken[0].push(usage.wall_s / case.repeat as f64);
                taken[1].push(usage.cpu_s / case.repeat as f64);
            }
        }
    }
    let [ours, peer, again] = taken;
    let row = json!({
        "work": case.work,
        "peer": case.peer,
        "peer_version": case.version,
        "rounds": case.rounds,
        "ours_wall_s": median(&ours[0]),
        "ours_cpu_s": median(&ours[1]),
        "peer_wall_s": median(&peer[0]),
        "peer_cpu_s": median(&peer[1]),
        "ratio_wall": ratio(&ours[0], &peer[0]),
        "ratio_cpu": ratio(&ours[1], &peer[1]),
        "same_cpu": ratio(&ours[1], &again[1]),
        "answer": format!("ours {found}; peer {theirs}"),
    });
    println!("{row}");
}

/// The median of a[i] / b[i], and between which ranks it lies with 95 % (binomial).
fn ratio(a: &[f64], b: &[f64]) -> Value {
    let mut ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b.max(1e-9)).collect();
    ratios.sort_by(f64::total_cmp);
    let n = ratios.len() as f64;
    let low = (n / 2.0 - 0.98 * n.sqrt()).floor().max(0.0) as usize;
    let high = ((n / 2.0 + 0.98 * n.sqrt()).ceil() as usize).min(ratios.len() - 1);
    json!([median(&ratios), ratios[low], ratios[high]])
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}
