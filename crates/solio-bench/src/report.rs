//! What an area measured, row by row: JSON lines as they come, or one table at the end.

use crate::row::BenchRow;
use serde_json::Value;
use solio_cli::table::{BOLD, DIM, TextTable, figures};
use solio_cli::{Outcome, schema, screen};

/// The rows of an area.
pub(crate) struct BenchReport {
    json: bool,
    rows: Vec<Value>,
}

impl BenchReport {
    pub(crate) fn new(json: bool) -> Self {
        BenchReport { json, rows: Vec::new() }
    }

    /// Prints JSON, or keeps the row for the table.
    pub(crate) fn add(&mut self, row: Value) {
        if self.json {
            screen::print(&schema::line("bench/1", &[], row));
            return;
        }
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        screen::say(&format!("measured: {}, against {}", text("case"), text("peer")));
        self.rows.push(row);
    }

    /// Prints the table with its answers; `note` says how it was measured.
    pub(crate) fn end(self, note: &str) -> Outcome {
        if !self.json {
            let rows: Vec<BenchRow> =
                self.rows.iter().filter_map(|row| BenchRow::of("", row, None)).collect();
            let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let answer = |row| format!("  {}: {}\n", text(row, "case"), text(row, "answer"));
            let mut answers: Vec<String> = self.rows.iter().map(answer).collect();
            answers.dedup();
            let (table, answers) = (table(&rows, note), answers.concat());
            screen::print(&format!("{table}{BOLD}answers{BOLD:#}\n{answers}"));
        }
        Outcome::Done
    }
}

/// A column: its name, and what a row has in it; nothing where it has none.
type RowColumn = (&'static str, fn(&BenchRow) -> String);

const COLUMNS: [RowColumn; 13] = [
    ("area", |row| row.area.clone()),
    ("work", |row| row.work.clone()),
    ("peer", BenchRow::peer_and_version),
    (">ours", |row| time(row.ours_s)),
    (">peer's", |row| time(row.peer_s)),
    (">MB/s", |row| with(row.bytes, |bytes| figures(bytes / row.ours_s / 1e6))),
    (">× peer", |row| figures(row.times_faster[0])),
    (">interval", |row| match row.times_faster {
        [_, low, high] if low < high => format!("{}–{}", figures(low), figures(high)),
        // One turn has no interval.
        _ => String::new(),
    }),
    (">× CPU", |row| with(row.times_less_cpu, figures)),
    (">size", |row| with(row.size, |size| format!("{size:.3}"))),
    (">A/A", |row| with(row.same, |same| format!("{same:.2}"))),
    (">drift", |row| with(row.drift, |drift| format!("{drift:.2}"))),
    (">of light", |row| with(row.share, |share| format!("{:.0} %", 100.0 * share))),
];

fn with(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(String::new, show)
}

/// `1.23 ns`, `45.6 ms`.
fn time(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or(units[3]);
    format!("{} {name}", figures(seconds / unit))
}

/// The comparisons with the columns that say something.
pub(crate) fn table(rows: &[BenchRow], note: &str) -> String {
    let says = |(_, cell): &&RowColumn| rows.iter().any(|row| !cell(row).is_empty());
    let columns: Vec<&RowColumn> = COLUMNS.iter().filter(says).collect();
    let heads: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let mut table = TextTable::new(&heads);
    for row in rows {
        let cells = columns.iter().map(|(_, cell)| match cell(row) {
            none if none.is_empty() => "–".to_owned(),
            cell => cell,
        });
        table.row(cells.collect());
    }
    format!("{}{DIM}{NOTE} {note}{DIM:#}\n", table.render())
}

const NOTE: &str = "\
× peer: how many times as fast as the peer, the median of turns; × CPU: the same of the CPU time. Size:
our bytes over the peer's. A/A: the same against itself; away from 0.97–1.03 the machine was too noisy.
Drift: the last tenth of the turns over the first; away from 0.93–1.07 the machine was another one then.";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_has_the_columns_that_say_something() {
        let row = json!({
            "case": "read ZIP", "peer": "OpenEXR", "peer_version": "3.5", "wall_s": 0.004,
            "peer_wall_s": 0.008, "bytes": 8_000_000, "ratio_wall": [0.5, 0.4, 0.625],
            "ratio_cpu": [0.25, 0.25, 0.25], "same_cpu": [1.01, 1.0, 1.02],
        });
        let rows = [BenchRow::of("", &row, None).unwrap()];
        let text = anstream_free(&table(&rows, "Of one turn."));
        let mut lines = text.lines();
        let words = |line: Option<&str>| -> Vec<String> {
            line.unwrap()
                .split("  ")
                .map(|w| w.trim().to_owned())
                .filter(|w| !w.is_empty())
                .collect()
        };
        let heads =
            ["work", "peer", "ours", "peer's", "MB/s", "× peer", "interval", "× CPU", "A/A"];
        assert_eq!(words(lines.next()), heads);
        let cells = [
            "read ZIP",
            "OpenEXR 3.5",
            "4.00 ms",
            "8.00 ms",
            "2000",
            "2.00",
            "1.60–2.50",
            "4.00",
            "1.01",
        ];
        assert_eq!(words(lines.next()), cells);
        assert!(text.ends_with("Of one turn.\n"));
        assert_eq!((time(2e-9), time(3.0)), ("2.00 ns".to_owned(), "3.00 s".to_owned()));
    }

    /// Without the escape codes of styles.
    fn anstream_free(text: &str) -> String {
        let mut parts = text.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        first
            + &parts
                .filter_map(|part| part.split_once('m'))
                .map(|(_, text)| text)
                .collect::<String>()
    }
}
