//! What came out: cells, and their sums over arrays.

use crate::array::{Array, Kind, Layout};
use crate::chunk::ChunkSize;
use serde_json::{Value, json};

/// What was tried: a filter, a codec, a level, a size of chunks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The steps of the filter, as [`Chain::name`](solio_codec::filter::Chain::name) has them.
    pub filter: String,
    /// The codec, and what packs its output again: `meshopt + zstd 1`.
    pub codec: String,
    /// How hard it tries, where it can be told.
    pub level: Option<i32>,
    /// How much is packed at once.
    pub chunk: ChunkSize,
}

impl Config {
    /// All in one line: `EXR → zstd 1, 16 lines`.
    pub fn title(&self) -> String {
        let level = self.level.map_or(String::new(), |level| format!(" {level}"));
        let Config { filter, codec, chunk, .. } = self;
        format!("{filter} → {codec}{level}, {}", chunk.name())
    }
}

/// The median of some samples, and the interval of that median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// The low end: with six samples or more that of 95 %, with fewer the least.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

impl Interval {
    /// Of samples; the ranks are those of a binomial, without a word on the shape of the noise.
    pub fn of(samples: &[f64]) -> Interval {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        if count == 0 {
            return Interval { median: f64::NAN, low: f64::NAN, high: f64::NAN };
        }
        let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        let reach = 0.98 * (count as f64).sqrt();
        let low = (count as f64 / 2.0 - reach).floor().max(0.0) as usize;
        let high = ((count as f64 / 2.0 + reach).ceil() as usize).min(count - 1);
        Interval { median: middle, low: sorted[low], high: sorted[high] }
    }
}

/// One configuration on one array.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Of [`Results::arrays`].
    pub array: usize,
    /// Of [`Results::configs`].
    pub config: usize,
    /// Bytes before.
    pub raw_bytes: u64,
    /// Bytes after.
    pub packed_bytes: u64,
    /// Nanoseconds of CPU time to pack all chunks, filters included.
    pub write_ns: Interval,
    /// Nanoseconds of CPU time to unpack all chunks.
    pub read_ns: Interval,
    /// Memory that packing took beside input and output; `None` where the system does not tell.
    pub write_memory_bytes: Option<u64>,
    /// Memory that unpacking took beside that.
    pub read_memory_bytes: Option<u64>,
}

impl Cell {
    /// Bytes before for each byte after.
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.packed_bytes.max(1) as f64
    }
}

/// A configuration that does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Of [`Results::arrays`].
    pub array: usize,
    /// What was tried.
    pub config: Config,
    /// Why: it lost bits, or an error.
    pub reason: String,
}

/// All that was measured.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// What was packed; without the bytes.
    pub arrays: Vec<Array>,
    /// What was tried on any of them.
    pub configs: Vec<Config>,
    /// What came out.
    pub cells: Vec<Cell>,
    /// What does not count.
    pub refused: Vec<Refused>,
    /// Samples of each cell, the least and the most.
    pub rounds: (usize, usize),
}

/// Sums over arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// Bytes before for each byte after.
    pub ratio: f64,
    /// Megabytes a second, of bytes before.
    pub write_mb_s: f64,
    /// Megabytes a second.
    pub read_mb_s: f64,
}

impl Results {
    /// The number of a configuration; a new one is added.
    pub fn config(&mut self, config: &Config) -> usize {
        if let Some(found) = self.configs.iter().position(|known| known == config) {
            return found;
        }
        self.configs.push(config.clone());
        self.configs.len() - 1
    }

    /// The kinds of data that there are.
    pub fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.arrays.iter().map(|array| array.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The sums of a configuration over the arrays of which `of` is true, where each of them has it.
    pub fn total(&self, config: usize, of: impl Fn(&Array) -> bool) -> Option<Total> {
        let (mut raw, mut packed, mut write_ns, mut read_ns) = (0, 0, 0.0, 0.0);
        for (index, _) in self.arrays.iter().enumerate().filter(|(_, array)| of(array)) {
            let cell = self.cells.iter().find(|c| c.array == index && c.config == config)?;
            raw += cell.raw_bytes;
            packed += cell.packed_bytes;
            write_ns += cell.write_ns.median;
            read_ns += cell.read_ns.median;
        }
        (raw > 0).then(|| Total {
            ratio: raw as f64 / packed.max(1) as f64,
            write_mb_s: raw as f64 * 1e3 / write_ns,
            read_mb_s: raw as f64 * 1e3 / read_ns,
        })
    }

    /// All cells as JSON, each with what it is.
    pub fn to_json(&self) -> Value {
        let array = |array: &Array| {
            let (width, rows) = match array.layout {
                Layout::Rows { width, rows } => (width, Some(rows)),
                Layout::Elements { count } => (count, None),
            };
            json!({
                "file": array.file, "name": array.name, "title": array.title(),
                "kind": array.kind.name(), "type": array.value.name(),
                "channels": array.channels, "width": width, "rows": rows,
                "whole_bytes": array.whole_bytes,
            })
        };
        let config = |config: &Config| {
            json!({
                "filter": config.filter, "codec": config.codec, "level": config.level,
                "chunk": config.chunk.name(),
            })
        };
        let speed = |cell: &Cell, ns: f64| rounded(cell.raw_bytes as f64 * 1e3 / ns);
        let cell = |cell: &Cell| {
            let of = |ns: &Interval| {
                // The most nanoseconds are the least speed.
                [ns.median, ns.high, ns.low].map(|ns| speed(cell, ns))
            };
            json!({
                "array": cell.array, "config": cell.config,
                "raw_bytes": cell.raw_bytes, "packed_bytes": cell.packed_bytes,
                "write_mb_s": of(&cell.write_ns), "read_mb_s": of(&cell.read_ns),
                "write_memory_bytes": cell.write_memory_bytes,
                "read_memory_bytes": cell.read_memory_bytes,
            })
        };
        let refused = |refused: &Refused| {
            json!({
                "array": refused.array, "config": config(&refused.config),
                "reason": refused.reason,
            })
        };
        json!({
            "arrays": self.arrays.iter().map(array).collect::<Vec<_>>(),
            "configs": self.configs.iter().map(config).collect::<Vec<_>>(),
            "cells": self.cells.iter().map(cell).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(refused).collect::<Vec<_>>(),
            "rounds": [self.rounds.0, self.rounds.1],
        })
    }

    /// All cells as comma-separated values, with a head.
    pub fn to_csv(&self) -> String {
        let mut text = String::from(
            "file,array,kind,type,filter,codec,level,chunk,raw_bytes,packed_bytes,ratio,write_mb_s,\
             write_mb_s_low,write_mb_s_high,read_mb_s,read_mb_s_low,read_mb_s_high,\
             write_memory_bytes,read_memory_bytes\n",
        );
        for cell in &self.cells {
            let (array, config) = (&self.arrays[cell.array], &self.configs[cell.config]);
            let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
            let mut fields = vec![
                quoted(&array.file),
                quoted(&array.name),
                array.kind.name().to_owned(),
                array.value.name().to_owned(),
                quoted(&config.filter),
                quoted(&config.codec),
                config.level.map_or(String::new(), |level| level.to_string()),
                config.chunk.name(),
                cell.raw_bytes.to_string(),
                cell.packed_bytes.to_string(),
                format!("{:.4}", cell.ratio()),
            ];
            for ns in [cell.write_ns, cell.read_ns] {
                let speed = |ns: f64| rounded(cell.raw_bytes as f64 * 1e3 / ns).to_string();
                fields.extend([ns.median, ns.high, ns.low].map(speed));
            }
            fields.extend([cell.write_memory_bytes, cell.read_memory_bytes].map(number));
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}

/// Four digits are more than what is measured.
fn rounded(number: f64) -> f64 {
    if !number.is_finite() || number <= 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(3 - number.log10().floor() as i32);
    (number * scale).round() / scale
}

/// A field of RFC 4180.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_of_the_median() {
        let few = Interval::of(&[3.0, 1.0, 2.0]);
        assert_eq!((few.low, few.median, few.high), (1.0, 2.0, 3.0));
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        let many = Interval::of(&many);
        assert_eq!((many.low, many.median, many.high), (40.0, 49.5, 60.0));
        assert!(Interval::of(&[]).median.is_nan());
    }

    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(rounded(1234.56), 1235.0);
        assert_eq!(rounded(0.012_345_6), 0.01235);
    }
}
