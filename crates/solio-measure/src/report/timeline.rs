//! The spans of a recording, few enough to be drawn.

use super::cut;
use crate::recording::{Recording, Spanned, Thread, nesting};
use crate::sampler::Group;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Threads that are drawn.
const MOST_THREADS: usize = 64;
/// Spans deeper than this are not drawn.
const MOST_DEPTH: usize = 12;
/// Bytes of all labels together.
const LABEL_BYTES: usize = 30_000;
const ONE_LABEL_BYTES: usize = 100;

/// Spans that are drawn as one.
#[derive(Clone, Debug)]
struct Bar {
    start_ns: u64,
    end_ns: u64,
    depth: usize,
    count: u64,
    bytes: u64,
    label: Option<u32>,
    /// Time by name; of one span its own.
    busy: Vec<(u32, u64)>,
}

/// `threads`, each with its bars as one row of numbers, to be read in turn:
///
/// `start - last start, length, name + 256 * depth, bytes, count`, and behind a count above 1
/// the time that its spans took; times in `unit_ns`. The name is the one with the most time.
pub(super) fn timeline(recording: &Recording, most: usize) -> Value {
    let mut order: Vec<usize> = (0..recording.threads.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(recording.threads[*i].spans.len()));
    order.truncate(MOST_THREADS);
    order.sort_unstable();
    let threads: Vec<&Thread> = order.into_iter().map(|i| &recording.threads[i]).collect();
    let depths: Vec<Vec<usize>> = threads
        .iter()
        .map(|thread| nesting(&thread.spans).into_iter().map(|(depth, _)| depth).collect())
        .collect();
    let (mut below_ns, mut bars);
    below_ns = 0;
    loop {
        bars = threads.iter().zip(&depths).map(|(t, d)| merge(&t.spans, d, below_ns)).collect();
        let all: &Vec<Vec<Bar>> = &bars;
        if all.iter().map(Vec::len).sum::<usize>() <= most || below_ns > recording.duration_ns {
            break;
        }
        below_ns = (below_ns + below_ns / 2).max(recording.duration_ns >> 16).max(2);
    }
    // A screen is some thousand points wide and may be zoomed a thousand times.
    let unit_ns = (recording.duration_ns >> 23).max(1);
    let mut labels = Labels::default();
    let cpu_s: HashMap<&str, f64> = recording
        .samples
        .of(Group::Thread)
        .filter_map(|series| Some((series.name.as_str(), *series.values.last()?)))
        .collect();
    let rows: Vec<Value> = threads
        .iter()
        .zip(&bars)
        .map(|(thread, bars)| {
            let mut named = Vec::new();
            for (i, bar) in bars.iter().enumerate() {
                let text = bar.label.and_then(|label| recording.labels.get(label as usize));
                named.extend(text.and_then(|text| labels.number(text)).map(|n| [i, n]));
            }
            json!({
                "name": cut(&thread.name, ONE_LABEL_BYTES),
                "cpu_s": cpu_s.get(thread.name.as_str()),
                "spans": thread.spans.len(),
                "bars": numbers(bars, unit_ns),
                "labels": named.concat(),
            })
        })
        .collect();
    json!({
        "unit_ns": unit_ns,
        "merged_below_ns": below_ns,
        "more_threads": recording.threads.len() - threads.len(),
        "labels": labels.texts,
        "threads": rows,
    })
}

/// Neighbours that are shorter than `below_ns` become bars that are no longer than that.
fn merge(spans: &[Spanned], depths: &[usize], below_ns: u64) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    // The last bar of each depth, while it takes more.
    let mut last: [Option<usize>; MOST_DEPTH] = [None; MOST_DEPTH];
    for (span, depth) in spans.iter().zip(depths).filter(|(_, d)| **d < MOST_DEPTH) {
        let end_ns = span.start_ns + span.duration_ns;
        let short = span.duration_ns < below_ns;
        let open = last[*depth].filter(|_| short);
        match open.map(|i| &mut bars[i]) {
            Some(bar) if end_ns.saturating_sub(bar.start_ns) <= below_ns => {
                bar.end_ns = bar.end_ns.max(end_ns);
                bar.count += 1;
                bar.bytes += span.bytes;
                bar.label = None;
                match bar.busy.iter_mut().find(|(name, _)| *name == span.name) {
                    Some((_, ns)) => *ns += span.duration_ns,
                    None => bar.busy.push((span.name, span.duration_ns)),
                }
            }
            _ => {
                last[*depth] = short.then_some(bars.len());
                bars.push(Bar {
                    start_ns: span.start_ns,
                    end_ns,
                    depth: *depth,
                    count: 1,
                    bytes: span.bytes,
                    label: span.label,
                    busy: vec![(span.name, span.duration_ns)],
                });
            }
        }
    }
    bars
}

fn numbers(bars: &[Bar], unit_ns: u64) -> Vec<u64> {
    let mut numbers = Vec::with_capacity(5 * bars.len());
    let mut before = 0;
    for bar in bars {
        let start = bar.start_ns / unit_ns;
        let name = bar.busy.iter().max_by_key(|(_, ns)| *ns).map_or(0, |(name, _)| *name);
        let code = u64::from(name.min(255)) + 256 * bar.depth as u64;
        let length = (bar.end_ns - bar.start_ns).div_ceil(unit_ns);
        numbers.extend([start - before, length, code, bar.bytes, bar.count]);
        if bar.count > 1 {
            let busy: u64 = bar.busy.iter().map(|(_, ns)| ns).sum();
            numbers.push(busy / unit_ns);
        }
        before = start;
    }
    numbers
}

/// The labels that the page has room for.
#[derive(Default)]
struct Labels {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
    bytes: usize,
}

impl Labels {
    fn number(&mut self, text: &str) -> Option<usize> {
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let short = cut(text, ONE_LABEL_BYTES);
        if self.bytes + short.len() > LABEL_BYTES {
            return None;
        }
        self.bytes += short.len() + 3;
        self.texts.push(short);
        self.numbers.insert(text.to_owned(), self.texts.len() - 1);
        Some(self.texts.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start_ns: u64, duration_ns: u64, name: u32) -> Spanned {
        Spanned { start_ns, duration_ns, name, label: None, bytes: 1 }
    }

    #[test]
    fn short_neighbours_become_one_bar_and_time_is_kept() {
        let spans =
            [span(0, 1000, 0), span(10, 5, 1), span(16, 4, 2), span(30, 300, 1), span(900, 5, 1)];
        let depths: Vec<usize> = nesting(&spans).into_iter().map(|(d, _)| d).collect();
        assert_eq!(depths, [0, 1, 1, 1, 1]);
        assert_eq!(merge(&spans, &depths, 0).len(), 5);
        let bars = merge(&spans, &depths, 20);
        assert_eq!(bars.iter().map(|b| b.count).collect::<Vec<_>>(), [1, 2, 1, 1]);
        assert_eq!(numbers(&bars[..2], 1), [0, 1000, 0, 1, 1, 10, 10, 1 + 256, 2, 2, 9]);
        assert_eq!(bars.iter().map(|b| b.bytes).sum::<u64>(), 5);
    }
}
