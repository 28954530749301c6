//! A recording in the trace format of Chrome, which Perfetto and `chrome://tracing` open.
//!
//! The format: *Trace Event Format*, object form. Threads are `M` events with their names, spans
//! are complete `X` events, figures over time are `C` events; what totals give is their rate.

use crate::{Group, Recording, Series, SystemSamples, Unit};
use serde_json::{Value, json};
use std::fmt::Write;

/// The one process of the trace.
const PROCESS: u32 = 1;

/// The trace as JSON text; `otherData` holds [`Recording::summary_json`].
///
/// ```
/// let text = solio_measure::trace_json(&solio_measure::Recording::default());
/// assert!(text.starts_with("{\"displayTimeUnit\""));
/// ```
pub fn trace_json(recording: &Recording) -> String {
    let mut text = String::with_capacity(128 * recording.span_count() + 65536);
    let summary = recording.summary_json();
    // Writing to a string does not fail.
    let _ = write!(text, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{summary},\"traceEvents\":[");
    let title = &recording.summary.title;
    let process = if title.is_empty() { "solio" } else { title };
    text.push_str(&meta("process_name", 0, json!({ "name": process })));
    for (i, thread) in recording.threads.iter().enumerate() {
        let number = i + 1;
        for event in [
            meta("thread_name", number, json!({ "name": thread.name })),
            meta("thread_sort_index", number, json!({ "sort_index": number })),
        ] {
            text.push_str(",\n");
            text.push_str(&event);
        }
    }
    spans(recording, &mut text);
    counters(&recording.samples, &mut text);
    text.push_str("\n]}\n");
    text
}

fn meta(kind: &str, thread: usize, args: Value) -> String {
    json!({ "ph": "M", "pid": PROCESS, "tid": thread, "name": kind, "args": args }).to_string()
}

fn spans(recording: &Recording, text: &mut String) {
    let names: Vec<String> = recording.names.iter().map(|name| quoted(name)).collect();
    let labels: Vec<String> = recording.labels.iter().map(|label| quoted(label)).collect();
    for (i, thread) in recording.threads.iter().enumerate() {
        for span in &thread.spans {
            let name = names.get(span.name as usize).map_or("\"?\"", String::as_str);
            let _ = write!(
                text,
                ",\n{{\"ph\":\"X\",\"pid\":{PROCESS},\"tid\":{},\"name\":{name},\"ts\":{},\"dur\":{}",
                i + 1,
                Micros(span.start_ns),
                Micros(span.duration_ns),
            );
            let label = span.label.and_then(|label| labels.get(label as usize));
            let _ = match (label, span.bytes) {
                (Some(label), 0) => write!(text, ",\"args\":{{\"of\":{label}}}}}"),
                (Some(label), n) => write!(text, ",\"args\":{{\"of\":{label},\"bytes\":{n}}}}}"),
                (None, 0) => write!(text, "}}"),
                (None, n) => write!(text, ",\"args\":{{\"bytes\":{n}}}}}"),
            };
        }
    }
}

/// Nanoseconds as the microseconds of the format, exactly.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// One counter track for each group of figures; counters of the code have one each.
fn counters(samples: &SystemSamples, text: &mut String) {
    use Group::{Calls, Core, Counter, Disk, Medium, Memory, Process, Thread};
    for (group, track) in [
        (Process, "CPU of the process, cores"),
        (Core, "CPU of each core"),
        (Thread, "CPU of each thread"),
        (Calls, "system calls, MB/s"),
        (Medium, "medium, MB/s"),
        (Disk, "disks of the machine, MB/s"),
        (Memory, "memory, MB"),
    ] {
        let series: Vec<&Series> = samples.of(group).collect();
        track_of(samples, track, &series, text);
    }
    for series in samples.of(Counter) {
        let unit = match (series.unit, series.total) {
            (Unit::Bytes, true) => ", MB/s",
            (Unit::Bytes, false) => ", MB",
            (Unit::Count, true) => ", 1/s",
            (Unit::Count | Unit::Seconds, _) => "",
        };
        track_of(samples, &format!("{}{unit}", series.name), &[series], text);
    }
}

fn track_of(samples: &SystemSamples, track: &str, series: &[&Series], text: &mut String) {
    if series.is_empty() {
        return;
    }
    let track = quoted(track);
    let names: Vec<String> = series.iter().map(|s| quoted(&s.name)).collect();
    for (i, time) in samples.times_ns.iter().enumerate() {
        let micros = Micros(*time);
        let _ = write!(
            text,
            ",\n{{\"ph\":\"C\",\"pid\":{PROCESS},\"name\":{track},\"ts\":{micros},\"args\":{{"
        );
        for (k, series) in series.iter().enumerate() {
            let comma = if k > 0 { "," } else { "" };
            let value = series.shown(&samples.times_ns, i);
            let _ = write!(text, "{comma}{}:{}", names[k], Figure(value));
        }
        text.push_str("}}");
    }
}

/// A finite number in JSON, with as many digits as are of use.
struct Figure(f64);

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        if value == value.trunc() { write!(f, "{value:.0}") } else { write!(f, "{value:.3}") }
    }
}

impl Series {
    /// The value as people want to see it at sample `i`: totals as the rate until the next
    /// sample, bytes as 10^6 bytes.
    fn shown(&self, times_ns: &[u64], i: usize) -> f64 {
        let scale = if self.unit == Unit::Bytes { 1e-6 } else { 1.0 };
        if !self.total {
            return self.values[i] * scale;
        }
        let next = (i + 1).min(times_ns.len() - 1);
        let seconds = (times_ns[next] - times_ns[i]) as f64 * 1e-9;
        if seconds > 0.0 { (self.values[next] - self.values[i]) * scale / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spanned;
    use crate::recording::Thread;

    #[test]
    fn the_trace_has_threads_spans_and_figures() {
        let spans = vec![
            Spanned { start_ns: 1_500, duration_ns: 2_000_001, name: 0, label: Some(0), bytes: 0 },
            Spanned { start_ns: 1_500, duration_ns: 999, name: 1, label: None, bytes: 42 },
        ];
        let series = |group, name: &str, total, values: &[f64]| Series {
            group,
            name: name.into(),
            unit: Unit::Bytes,
            total,
            values: values.to_vec(),
        };
        let recording = Recording {
            duration_ns: 3_000_000,
            threads: vec![Thread { name: "wörker \"1\"".into(), spans }],
            names: vec!["convert".into(), "read".into()],
            labels: vec!["a\\b.obj".into()],
            samples: SystemSamples {
                times_ns: vec![0, 1_000_000],
                series: vec![
                    series(Group::Calls, "read", true, &[0.0, 4e6]),
                    series(Group::Memory, "resident", false, &[5e6, 6e6]),
                ],
            },
            ..Recording::default()
        };
        let trace: Value = serde_json::from_str(&trace_json(&recording)).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let of = |ph: &str| events.iter().filter(|e| e["ph"] == ph).collect::<Vec<_>>();
        assert_eq!(of("M")[1]["args"]["name"], "wörker \"1\"");
        assert_eq!(of("X")[0]["args"]["of"], "a\\b.obj");
        assert_eq!((&of("X")[0]["ts"], &of("X")[0]["dur"]), (&1.5.into(), &2000.001.into()));
        assert_eq!((&of("X")[1]["args"]["bytes"], of("C").len()), (&42.into(), 4));
        assert_eq!(of("C")[0]["args"]["read"], 4000);
        assert_eq!(of("C")[3]["args"]["resident"], 6);
        assert_eq!(trace["otherData"]["totals"][0]["total_ns"], 2_000_001);
    }
}
