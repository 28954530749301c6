//! The figures over time of a recording, averaged over few steps.

use crate::recording::Recording;
use crate::sampler::{Group, Series};
use crate::{SystemSamples, Unit};
use serde_json::{Value, json};

/// Steps of time that are drawn.
const MOST_STEPS: usize = 1000;
/// Cores that are drawn one by one; more are drawn in groups of neighbours.
const MOST_CORES: usize = 32;
/// The kernel counts the time of cores in hundredths of a second: shorter steps show nothing.
const CORE_STEP_NS: u64 = 50_000_000;
/// Counters of the code that are drawn.
const MOST_COUNTERS: usize = 24;

/// Each with `steps` values over the time of the recording: rates a second of what only grows,
/// the highest level of what goes up and down.
pub(super) fn figures(recording: &Recording, most: usize) -> Value {
    let samples = &recording.samples;
    let end_ns = recording.duration_ns.max(1);
    let cores = cores(samples);
    let others = samples.series.iter().filter(|s| !matches!(s.group, Group::Core | Group::Thread));
    let mut counters = 0;
    let others: Vec<&Series> = others
        .filter(|series| {
            counters += usize::from(series.group == Group::Counter);
            series.group != Group::Counter || counters <= MOST_COUNTERS
        })
        .collect();
    let fair = most / (others.len() + cores.len()).max(1);
    let steps = fair.min(MOST_STEPS).min(samples.times_ns.len().saturating_sub(1)).max(1);
    let core_steps = steps.min((end_ns / CORE_STEP_NS) as usize).max(1);
    let mut all = Vec::new();
    for (series, steps) in
        others.into_iter().map(|s| (s, steps)).chain(cores.iter().map(|s| (s, core_steps)))
    {
        let values = if series.total {
            rates(&samples.times_ns, &series.values, end_ns, steps)
        } else {
            levels(&samples.times_ns, &series.values, end_ns, steps)
        };
        all.push(json!({
            "group": format!("{:?}", series.group).to_lowercase(),
            "name": series.name,
            "unit": match series.unit {
                Unit::Bytes => "bytes",
                Unit::Seconds => "seconds",
                Unit::Count => "count",
            },
            "rate": series.total,
            "values": values.into_iter().map(short).collect::<Vec<_>>(),
        }));
    }
    json!(all)
}

/// The cores, or groups of neighbours with their mean.
fn cores(samples: &SystemSamples) -> Vec<Series> {
    let cores: Vec<&Series> = samples.of(Group::Core).collect();
    let size = cores.len().div_ceil(MOST_CORES).max(1);
    cores
        .chunks(size)
        .map(|group| {
            let mut mean = group[0].clone();
            if let [first, .., last] = group {
                mean.name = format!("{}–{}", first.name, last.name.trim_start_matches("cpu"));
                for (i, value) in mean.values.iter_mut().enumerate() {
                    *value = group.iter().map(|s| s.values[i]).sum::<f64>() / group.len() as f64;
                }
            }
            mean
        })
        .collect()
}

/// The growth in each step over its seconds: their sum times the step is the whole growth.
fn rates(times_ns: &[u64], totals: &[f64], end_ns: u64, steps: usize) -> Vec<f64> {
    let step_s = end_ns as f64 / steps as f64 * 1e-9;
    let mut before = total_at(times_ns, totals, 0.0);
    (1..=steps)
        .map(|i| {
            let now = total_at(times_ns, totals, end_ns as f64 * i as f64 / steps as f64);
            let rate = (now - before) / step_s;
            before = now;
            rate
        })
        .collect()
}

/// The total at some time, on straight lines between the samples.
fn total_at(times_ns: &[u64], totals: &[f64], at_ns: f64) -> f64 {
    let after = times_ns.partition_point(|time| (*time as f64) < at_ns);
    match (after.checked_sub(1), totals.get(after)) {
        (None, first) => first.copied().unwrap_or(0.0),
        (Some(i), None) => totals[i],
        (Some(i), Some(next)) => {
            let (from, to) = (times_ns[i] as f64, times_ns[after] as f64);
            totals[i] + (next - totals[i]) * (at_ns - from) / (to - from).max(1.0)
        }
    }
}

/// The highest value in each step; where there is none, the one before.
fn levels(times_ns: &[u64], values: &[f64], end_ns: u64, steps: usize) -> Vec<f64> {
    let mut highest: Vec<Option<f64>> = vec![None; steps];
    for (time, value) in times_ns.iter().zip(values) {
        let step = (*time as f64 / end_ns as f64 * steps as f64) as usize;
        let step = &mut highest[step.min(steps - 1)];
        *step = Some(step.map_or(*value, |most| most.max(*value)));
    }
    let mut last = values.first().copied().unwrap_or(0.0);
    highest
        .into_iter()
        .map(|value| {
            last = value.unwrap_or(last);
            last
        })
        .collect()
}

/// Four significant digits, and whole numbers as such.
fn short(value: f64) -> Value {
    if !value.is_finite() || value == 0.0 {
        return json!(0);
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let rounded = if digits > 0 {
        let scale = 10f64.powi(digits.min(12));
        (value * scale).round() / scale
    } else {
        let scale = 10f64.powi(-digits);
        (value / scale).round() * scale
    };
    if rounded == rounded.trunc() && rounded.abs() < 1e15 {
        json!(rounded as i64)
    } else {
        json!(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_the_whole() {
        let times = [0, 10, 20, 35, 100];
        let totals = [0.0, 5.0, 5.0, 50.0, 80.0];
        for steps in [1, 3, 7, 50] {
            let rates = rates(&times, &totals, 100, steps);
            let whole: f64 = rates.iter().sum::<f64>() * 100e-9 / steps as f64;
            assert!((whole - 80.0).abs() < 1e-9, "{steps}: {whole}");
        }
        assert_eq!(levels(&times, &totals, 100, 4), [5.0, 50.0, 50.0, 80.0]);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(123_456_789.0).to_string(), "123500000");
        assert_eq!(short(0.000_123_456).to_string(), "0.0001235");
        assert_eq!(short(f64::NAN).to_string(), "0");
        assert_eq!(short(1.999_99).to_string(), "2");
    }
}
