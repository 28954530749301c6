//! A study as bars: what its page shows, and the table that page and terminal share.

use crate::chart_page;
use crate::table::{DIM, TextTable, figures};
use serde_json::{Value, json};
use solio::{Middle, Result};
use std::path::Path;

const PAGE: &str = include_str!("../../web/study_bars.html");

/// One bar: a name and a value with its interval.
pub(super) struct StudyBar {
    pub(super) name: String,
    pub(super) value: Middle,
    /// Whether it is Solio's.
    pub(super) is_own: bool,
}

/// Bars of one unit.
pub(super) struct BarGroup {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) bars: Vec<StudyBar>,
}

/// All that the page shows.
pub(super) struct BarPage {
    pub(super) title: &'static str,
    /// What came out, in sentences.
    pub(super) words: Vec<String>,
    pub(super) groups: Vec<BarGroup>,
    /// As [`TextTable::new`] takes them.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
    /// How it was measured.
    pub(super) remarks: Vec<String>,
}

impl BarPage {
    /// For a terminal.
    pub(super) fn text(&self) -> String {
        let mut table = TextTable::new(&self.columns);
        self.rows.iter().for_each(|row| table.row(row.clone()));
        let mut text = table.render();
        self.words.iter().for_each(|words| text += &format!("{words}\n"));
        text + &format!("{DIM}{}{DIM:#}\n", self.remarks.join("\n"))
    }

    /// Writes the page.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        chart_page::write(PAGE, &self.data(), path)
    }

    fn data(&self) -> Value {
        let groups = self.groups.iter().map(|group| {
            let rows = group.bars.iter().map(|bar| {
                let Middle { median, low, high } = bar.value;
                json!({ "name": bar.name, "value": median, "low": low, "high": high, "own": bar.is_own })
            });
            json!({ "name": group.name, "unit": group.unit, "rows": rows.collect::<Vec<_>>() })
        });
        let columns = self.columns.iter().map(|column| column.trim_start_matches('>'));
        json!({
            "title": self.title,
            "words": self.words,
            "groups": groups.collect::<Vec<_>>(),
            "columns": columns.collect::<Vec<_>>(),
            "left": self.columns.iter().take_while(|column| !column.starts_with('>')).count(),
            "rows": self.rows,
            "remarks": self.remarks,
        })
    }
}

/// The sentence about ours against ours, from the worst of them.
pub(super) fn verdict(same: impl IntoIterator<Item = Middle>) -> String {
    let worst =
        same.into_iter().max_by(|a, b| (a.median - 1.0).abs().total_cmp(&(b.median - 1.0).abs()));
    let Some(worst) = worst else { return "A/A: nothing was measured twice.".into() };
    let words =
        if worst.is_quiet() { "quiet" } else { "not quiet: smaller differences say nothing" };
    format!(
        "A/A, ours over ours at worst: {:.3} ({:.2}–{:.2}): {words}.",
        worst.median, worst.low, worst.high
    )
}

/// Seconds: to the millisecond where they are few.
pub(super) fn short(seconds: f64) -> String {
    if seconds < 1.0 { format!("{seconds:.3}") } else { figures(seconds) }
}

/// A median with the ends of its interval, as JSON has it.
pub(super) fn three(middle: &Middle) -> Value {
    json!([middle.median, middle.low, middle.high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_and_terminal_have_the_same_figures() {
        let value = Middle { median: 2.0, low: 1.0, high: 3.0 };
        let bars = vec![StudyBar { name: "Solio".into(), value, is_own: true }];
        let page = BarPage {
            title: "Numbers as text",
            words: vec!["It is fast.".into()],
            groups: vec![BarGroup { name: "f32".into(), unit: "ns", bars }],
            columns: vec!["way", ">ns"],
            rows: vec![vec!["Solio".into(), "2.00".into()]],
            remarks: vec![verdict([value])],
        };
        let (data, text) = (page.data(), page.text());
        assert_eq!((&data["columns"], &data["left"]), (&json!(["way", "ns"]), &json!(1)));
        assert_eq!(data["groups"][0]["rows"][0]["high"], 3.0);
        assert!(text.contains("Solio  2.00") && text.contains("not quiet"), "{text}");
        assert!(verdict([]).contains("nothing"));
    }
}
