//! What seeing a run costs: a span while nothing records, a span while something does, beside
//! reading the system's clock twice. Samples of about a millisecond take turns; the medians count.
//!
//! `cargo run --release -p solio-measure --example span_cost`
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use solio_measure::{Recorder, SpanName, Stopwatch, Summary};
use std::hint::black_box;
use std::time::Instant;

static SPAN: SpanName = SpanName::new("span");
const SPANS: u64 = 20_000;
const SAMPLES: usize = 201;

fn main() {
    let mut rows: [(&str, Vec<f64>); 4] = [
        ("span, nothing records", Vec::new()),
        ("span, recorded", Vec::new()),
        ("span, recorded, again", Vec::new()),
        ("Instant::now, twice", Vec::new()),
    ];
    for _ in 0..SAMPLES {
        let recorded = || {
            let recorder = Recorder::start().expect("nothing else records");
            let each = spans();
            drop(recorder);
            each
        };
        rows[0].1.push(spans());
        rows[1].1.push(recorded());
        rows[2].1.push(recorded());
        rows[3].1.push(clocks());
    }
    for (name, mut ns) in rows {
        ns.sort_by(f64::total_cmp);
        let (low, high) = (ns[SAMPLES / 20], ns[SAMPLES - 1 - SAMPLES / 20]);
        println!("{name:<24} {:6.2} ns  (90 % within {low:.2} to {high:.2})", ns[SAMPLES / 2]);
    }
    let recorder = Recorder::start().expect("nothing else records");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let recording = recorder.finish(Summary::default());
    let samples = &recording.samples;
    let sampler = samples.series.iter().find(|series| series.name == "solio-sampler");
    let cpu_s = sampler.and_then(|series| series.values.last().copied()).unwrap_or(0.0);
    let (count, seconds) = (samples.times_ns.len(), recording.duration_ns as f64 * 1e-9);
    let share = 100.0 * cpu_s / seconds;
    println!("{count} samples in {seconds:.2} s took {cpu_s:.4} CPU s, {share:.2} % of one core");
}

/// Nanoseconds of one span.
fn spans() -> f64 {
    let watch = Stopwatch::start();
    for i in 0..SPANS {
        drop(SPAN.begin().bytes(black_box(i as usize)));
    }
    watch.wall_s() * 1e9 / SPANS as f64
}

fn clocks() -> f64 {
    let watch = Stopwatch::start();
    for _ in 0..SPANS {
        black_box((Instant::now(), Instant::now()));
    }
    watch.wall_s() * 1e9 / SPANS as f64
}
