//! A recording as one page of HTML that needs nothing else: `web/report.html` with the data in it.
//!
//! The page stays under [`MOST_BYTES`] however long the run was: figures are averaged over at most
//! a thousand steps of time, and spans shorter than some length are drawn together with their
//! neighbours. What the page says in words and tables is of all spans.

mod figures;
mod timeline;

use crate::{Recording, Table};
use serde_json::{Value, json};

/// The page without its data.
const TEMPLATE: &str = include_str!("../web/report.html");
/// What the template has in the place of the data.
const PLACE: &str = "__DATA__";
/// The page is smaller than this.
const MOST_BYTES: usize = 400_000;
/// Rows of a table that the page shows.
const MOST_ROWS: usize = 100;
const MOST_TEXT: usize = 400;

/// The page as text.
///
/// ```
/// let page = solio_measure::report_html(&solio_measure::Recording::default());
/// assert!(page.starts_with("<!doctype html>") && page.len() < 400_000);
/// ```
pub fn report_html(recording: &Recording) -> String {
    let (mut spans, mut figures) = (9000, 24_000);
    loop {
        let data = data(recording, spans, figures).to_string();
        // The data must not end the script that holds it.
        let data = data.replace('<', "\\u003c");
        let page = TEMPLATE.replacen(PLACE, &data, 1);
        if page.len() < MOST_BYTES || spans < 100 {
            return page;
        }
        spans = spans * 2 / 3;
        figures = figures * 2 / 3;
    }
}

fn data(recording: &Recording, most_spans: usize, most_figures: usize) -> Value {
    let mut summary = recording.summary_json();
    shorten(&mut summary);
    if let Value::Array(rows) = &mut summary["table"]["rows"] {
        count_rows(rows, &recording.summary.table);
    }
    json!({
        "summary": summary,
        "names": recording.names,
        "timeline": timeline::timeline(recording, most_spans),
        "figures": figures::figures(recording, most_figures),
    })
}

/// What a table that was cut says last counts also the rows that were never in it.
fn count_rows(rows: &mut Vec<Value>, table: &Table) {
    rows.truncate(MOST_ROWS);
    let more = (table.rows.len() - rows.len()) as u64 + table.more;
    if more > 0 {
        rows.push(json!([format!("and {more} more")]));
    }
}

/// Long texts and tables are cut, with a word about it.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MOST_TEXT => *text = cut(text, MOST_TEXT),
        Value::Array(rows) => {
            if rows.len() > MOST_ROWS {
                let more = rows.len() - MOST_ROWS;
                rows.truncate(MOST_ROWS);
                // A row of a table is an array; in it stands what was left out.
                if rows.first().is_some_and(Value::is_array) {
                    rows.push(json!([format!("and {more} more")]));
                }
            }
            rows.iter_mut().for_each(shorten);
        }
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// At most `most` bytes of the text, with an ellipsis for the rest.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Spanned, Thread};
    use crate::sampler::{Group, Series, SystemSamples};
    use crate::{Light, Summary, Unit};

    /// A long run on many cores: a million spans, thousands of labels, hundreds of series.
    fn large() -> Recording {
        let threads = (0..40).map(|t| {
            let mut spans = Vec::new();
            let mut random = 12345u64 + t;
            let mut at = 0;
            for i in 0..25_000u32 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let duration_ns = 1000 + (random >> 44);
                let label = (i % 3 == 0).then_some(i / 3);
                let name = (random >> 33) as u32 % 6;
                spans.push(Spanned { start_ns: at, duration_ns, name, label, bytes: random >> 40 });
                at += duration_ns + (random >> 50);
            }
            Thread { name: format!("worker {t}"), spans }
        });
        let count = 4000;
        let series = |group, name: String| Series {
            group,
            name,
            unit: Unit::Seconds,
            total: true,
            values: (0..count).map(|i| f64::from(i) * 0.123_456_789).collect(),
        };
        let mut all: Vec<Series> =
            (0..256).map(|i| series(Group::Core, format!("cpu{i}"))).collect();
        all.extend((0..99).map(|i| series(Group::Thread, format!("worker {i}"))));
        all.extend((0..50).map(|i| series(Group::Counter, format!("counter {i}"))));
        let rows = (0..5000).map(|i| vec![format!("file-{i}.obj"), "x".repeat(1000)]).collect();
        Recording {
            duration_ns: 40_000_000_000,
            threads: threads.collect(),
            names: "abcdef".chars().map(String::from).collect(),
            labels: (0..9000).map(|i| format!("a/long/path/of/a/file/number-{i}.obj")).collect(),
            samples: SystemSamples {
                times_ns: (0..count as u64).map(|i| i * 10_000_000).collect(),
                series: all,
            },
            summary: Summary {
                title: "</script><b>é".repeat(500),
                table: Table { columns: vec!["file".into(), "x".into()], rows, more: 70 },
                light: Some(Light {
                    read_mb_s: 1.0,
                    disk_mb_s: Some(1.0),
                    write_mb_s: 1.0,
                    memcpy_mb_s: 1.0,
                    cores: 256,
                }),
                ..Summary::default()
            },
            ..Recording::default()
        }
    }

    /// What the page holds.
    fn data_of(page: &str) -> Value {
        let start = page.find("type=\"application/json\">").unwrap();
        let text = &page[start + 24..];
        serde_json::from_str(&text[..text.find("</script>").unwrap()]).unwrap()
    }

    #[test]
    fn a_million_spans_make_a_small_page() {
        let recording = large();
        assert_eq!(recording.span_count(), 1_000_000);
        let page = report_html(&recording);
        assert!(page.len() < MOST_BYTES, "{}", page.len());
        let data = data_of(&page);
        // The tables are of all spans, and equal to the trace's.
        assert_eq!(data["summary"]["totals"], recording.summary_json()["totals"]);
        assert_eq!(data["summary"]["spans"], 1_000_000);
        let rows = data["summary"]["table"]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), MOST_ROWS + 1);
        assert_eq!(rows[MOST_ROWS], json!([format!("and {} more", 5070 - MOST_ROWS)]));
        assert!(data["timeline"]["merged_below_ns"].as_u64().unwrap() > 0);
        let bars = data["timeline"]["threads"][0]["bars"].as_array().unwrap();
        assert!(bars.len() > 6 * 50, "merged more than was necessary: {}", bars.len());
        assert_eq!(data["summary"]["table"]["rows"].as_array().unwrap().len(), MOST_ROWS + 1);
    }

    #[test]
    fn an_empty_recording_makes_a_page() {
        let data = data_of(&report_html(&Recording::default()));
        assert_eq!(data["timeline"]["threads"], json!([]));
        assert_eq!(data["summary"]["bound"], Value::Null);
    }
}
