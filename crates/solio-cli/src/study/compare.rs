//! `solio study compare`: two studies, or two recorded runs, and what moved between them.

use super::bars::{BarGroup, BarPage, StudyBar, three};
use crate::args::CompareArgs;
use crate::table::{bytes, count, figures};
use crate::{Outcome, chart_page, schema, screen};
use serde_json::{Value, json};
use solio::{Error, Limits, Middle, Result, Work};
use std::collections::BTreeMap;
use std::path::Path;

/// Bars of each side.
const BARS: usize = 15;

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let [before, after] = [&args.before, &args.after].map(|path| Measured::read(path));
    let (before, after) = (before?, after?);
    if before.kind != after.kind {
        let error =
            Error::argument(format!("{} and {} cannot be compared", before.kind, after.kind));
        return Err(error.at_path(&args.after).hint("give two results of the same command"));
    }
    let moved = moved(&before, &after);
    if moved.is_empty() {
        let error = Error::argument("the two results have nothing in common").at_path(&args.after);
        return Err(error.hint("give two results of the same command"));
    }
    let page = page(&before, &after, &moved, args);
    if args.json {
        let rows: Vec<Value> = moved.iter().map(Moved::json).collect();
        let data = json!({ "kind": before.kind, "rows": rows });
        let paths = [("before", &*args.before), ("after", &*args.after)];
        screen::print(&schema::line("study-compare/1", &paths, data));
    } else {
        screen::print(&page.text());
    }
    if let Some(path) = &args.output {
        page.write(path)?;
    }
    Ok(Outcome::Done)
}

/// A figure of a result, by name.
#[derive(Clone, Debug, PartialEq)]
struct Figure {
    value: Middle,
    unit: &'static str,
    /// Spans that it is the sum of.
    spans: Option<u64>,
}

/// What a file holds.
#[derive(Debug)]
struct Measured {
    /// Results of the same kind can be compared.
    kind: String,
    figures: BTreeMap<String, Figure>,
}

impl Measured {
    /// JSON that a study printed, a trace, or a page of either.
    fn read(path: &Path) -> Result<Measured> {
        let text = solio_io::read_whole(path, &Limits::default(), &Work::default())?;
        let text = String::from_utf8_lossy(&text);
        let json = if text.trim_start().starts_with('<') { script(&text) } else { Some(&*text) };
        let value: Option<Value> = json.and_then(|json| serde_json::from_str(json.trim()).ok());
        let found = value.as_ref().and_then(Measured::of);
        found.ok_or_else(|| {
            let error = Error::corrupt("not a result of a study, not a trace and not a report")
                .at_path(path);
            error.hint("give what solio study --json printed, or a file of --trace or --report")
        })
    }

    fn of(value: &Value) -> Option<Measured> {
        let mut figures = BTreeMap::new();
        let schema = value["schema"].as_str().and_then(|schema| schema.strip_prefix("solio/"));
        let kind = match schema {
            Some(schema) => schema.to_owned(),
            None if value["otherData"]["totals"].is_array() => "run".into(),
            // Pages.
            None if value["summary"]["totals"].is_array() => "run".into(),
            None if value["curves"].is_array() => "study/2".into(),
            None => return None,
        };
        match kind.as_str() {
            "run" => run_figures(value, &mut figures),
            "study/2" => study_figures(value, &mut figures),
            "study-numbers/1" | "study-boxes/1" => way_figures(value, &mut figures),
            "study-order/1" => order_figures(value, &mut figures),
            "study-latency/1" => latency_figures(value, &mut figures),
            _ => return None,
        }
        Some(Measured { kind, figures })
    }
}

/// What stands in the script with the data of a page.
fn script(page: &str) -> Option<&str> {
    let (_, data) = page.split_once("application/json\"")?;
    let (_, data) = data.split_once('>')?;
    Some(data.split_once("</script>")?.0)
}

fn figure(value: f64, unit: &'static str) -> Figure {
    Figure { value: Middle { median: value, low: value, high: value }, unit, spans: None }
}

fn middle(value: &Value) -> Option<Middle> {
    let number = |n: usize| value[n].as_f64();
    Some(Middle { median: number(0)?, low: number(1)?, high: number(2)? })
}

/// All rows of a list.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Spans by name: seconds of their own. Where each span is known, how much they vary says how sure the sum is.
fn run_figures(value: &Value, figures: &mut BTreeMap<String, Figure>) {
    let summary = [&value["otherData"], &value["summary"]].into_iter().find(|s| s.is_object());
    let Some(summary) = summary else { return };
    for (name, field) in [("run, wall", "wall_s"), ("run, CPU", "cpu_s")] {
        if let Some(seconds) = summary[field].as_f64() {
            figures.insert(name.into(), figure(seconds, "s"));
        }
    }
    let mut durations: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for event in each(&value["traceEvents"]).filter(|event| event["ph"] == "X") {
        if let (Some(name), Some(micros)) = (event["name"].as_str(), event["dur"].as_f64()) {
            durations.entry(name).or_default().push(micros * 1e-6);
        }
    }
    for total in each(&summary["totals"]) {
        let (Some(own_ns), name) = (total["own_ns"].as_f64(), text(&total["name"])) else {
            continue;
        };
        let own_s = own_ns * 1e-9;
        let reach = durations.get(name).map_or(0.0, |all| 1.96 * of_sum(all));
        let value = Middle { median: own_s, low: (own_s - reach).max(0.0), high: own_s + reach };
        let spans = total["count"].as_u64();
        figures.insert(format!("span {name}"), Figure { value, unit: "s", spans });
    }
}

/// The standard deviation of a sum of values that vary as these do.
fn of_sum(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (n * variance).sqrt()
}

fn study_figures(value: &Value, figures: &mut BTreeMap<String, Figure>) {
    for curve in each(&value["curves"]) {
        for point in each(&curve["points"]) {
            let ends = ["wall_s", "low_s", "high_s"].map(|name| point[name].as_f64());
            let [Some(median), Some(low), Some(high)] = ends else { continue };
            let rate = point["bandwidth"].as_u64();
            let rate = rate.map_or("no limit".into(), |rate| format!("{}/s", bytes(rate)));
            let value = Middle { median, low, high };
            figures.insert(
                format!("{}, {rate}", text(&curve["name"])),
                Figure { value, unit: "s", spans: None },
            );
        }
    }
}

fn way_figures(value: &Value, figures: &mut BTreeMap<String, Figure>) {
    for group in each(&value["groups"]) {
        let names = ["text", "number", "of", "work"].map(|name| text(&group[name]));
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        for way in each(&group["ways"]) {
            if let Some(value) = middle(&way["ns"]) {
                let name = format!("{}: {}", names.join(", "), text(&way["way"]));
                figures.insert(name, Figure { value, unit: "ns", spans: None });
            }
        }
    }
}

fn order_figures(value: &Value, figures: &mut BTreeMap<String, Figure>) {
    for order in each(&value["orders"]) {
        let name = text(&order["order"]);
        if let Some(value) = middle(&order["read_s"]) {
            figures.insert(format!("read, {name}"), Figure { value, unit: "s", spans: None });
        }
        if let Some(seconds) = order["model_s"].as_f64() {
            figures.insert(format!("modelled, {name}"), figure(seconds, "s"));
        }
    }
}

fn latency_figures(value: &Value, figures: &mut BTreeMap<String, Figure>) {
    for way in each(&value["ways"]) {
        for (name, field) in [("p50", "p50_s"), ("p99", "p99_s"), ("p99.9", "p999_s")] {
            if let Some(seconds) = way[field].as_f64() {
                figures.insert(format!("{}, {name}", text(&way["way"])), figure(seconds, "s"));
            }
        }
    }
}

/// A figure that both results have; one of them only for a span.
#[derive(Clone, Debug, PartialEq)]
struct Moved {
    name: String,
    before: Option<Figure>,
    after: Option<Figure>,
}

impl Moved {
    fn unit(&self) -> &'static str {
        self.before.as_ref().or(self.after.as_ref()).map_or("", |figure| figure.unit)
    }

    fn side(figure: &Option<Figure>) -> Middle {
        figure.as_ref().map_or(Middle::default(), |figure| figure.value)
    }

    /// What was added, with the sign, and the ends of its interval.
    fn change(&self) -> Middle {
        let (before, after) = (Moved::side(&self.before), Moved::side(&self.after));
        Middle {
            median: after.median - before.median,
            low: after.low - before.high,
            high: after.high - before.low,
        }
    }

    /// `+` where it surely rose, `-` where it surely fell, `=` within the interval; `?` where neither side has one.
    fn verdict(&self) -> &'static str {
        let change = self.change();
        match () {
            () if change.median != 0.0 && change.low == change.high => "?",
            () if change.low > 0.0 => "+",
            () if change.high < 0.0 => "-",
            () => "=",
        }
    }

    fn json(&self) -> Value {
        let side = |figure: &Option<Figure>| figure.as_ref().map(|figure| three(&figure.value));
        json!({
            "name": self.name,
            "unit": self.unit(),
            "before": side(&self.before),
            "after": side(&self.after),
            "change": three(&self.change()),
            "verdict": self.verdict(),
        })
    }
}

/// All figures, those that moved most first.
fn moved(before: &Measured, after: &Measured) -> Vec<Moved> {
    let mut names: Vec<&String> = before.figures.keys().chain(after.figures.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: &String| Moved {
        name: name.clone(),
        before: before.figures.get(name).cloned(),
        after: after.figures.get(name).cloned(),
    };
    let both = |moved: &Moved| {
        let is_span = moved.name.starts_with("span ");
        is_span || moved.before.is_some() && moved.after.is_some()
    };
    let mut rows: Vec<Moved> = names.into_iter().map(of).filter(both).collect();
    if rows.iter().all(|row| row.before.is_none() || row.after.is_none()) {
        return Vec::new();
    }
    // Times of one unit alone are compared with each other; a result has one.
    rows.sort_by(|a, b| b.change().median.abs().total_cmp(&a.change().median.abs()));
    rows
}

fn shown(figure: &Option<Figure>) -> String {
    let Some(Figure { value, unit, spans }) = figure else { return "–".into() };
    let of = spans.map_or(String::new(), |spans| format!(" ({})", count(spans)));
    format!("{} {unit}{of}", small(value.median))
}

/// Three significant figures, of less than 1 also.
fn small(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.0995 { format!("{value:.2e}") } else { figures(value) }
}

fn signed(value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", small(value))
}

fn page(before: &Measured, after: &Measured, moved: &[Moved], args: &CompareArgs) -> BarPage {
    let rows = moved.iter().map(|row| {
        let (change, base) = (row.change(), Moved::side(&row.before).median);
        let share = if base > 0.0 {
            format!("{} %", signed(100.0 * change.median / base))
        } else {
            "–".into()
        };
        vec![
            row.name.clone(),
            shown(&row.before),
            shown(&row.after),
            format!("{} {}", signed(change.median), row.unit()),
            format!("{} to {}", signed(change.low), signed(change.high)),
            share,
            row.verdict().into(),
        ]
    });
    let side = |name: &str, measured: &Measured| {
        let is_bar =
            |(name, _): &(&String, &Figure)| measured.kind != "run" || name.starts_with("span ");
        let mut largest: Vec<(&String, &Figure)> = measured.figures.iter().filter(is_bar).collect();
        largest.sort_by(|a, b| b.1.value.median.total_cmp(&a.1.value.median));
        let unit = largest.first().map_or("", |(_, figure)| figure.unit);
        let bars = largest.into_iter().take(BARS).map(|(name, figure)| StudyBar {
            name: name.trim_start_matches("span ").into(),
            value: figure.value,
            is_own: false,
        });
        BarGroup { name: name.into(), unit, bars: bars.collect() }
    };
    let counted =
        |verdict: &str| moved.iter().filter(|row| row.verdict() == verdict).count() as u64;
    BarPage {
        title: "Before and after",
        words: vec![format!(
            "{} became more, {} less; {} did not move by more than their intervals; of {} it cannot be told.",
            count(counted("+")),
            count(counted("-")),
            count(counted("=")),
            count(counted("?")),
        )],
        groups: vec![
            side(&format!("Before: {}", args.before.display()), before),
            side(&format!("After: {}", args.after.display()), after),
        ],
        columns: vec!["what", ">before", ">after", ">change", ">interval", ">share", ">"],
        rows: rows.collect(),
        remarks: vec![
            "+ and - moved for sure, = within the interval: from the lowest after less the highest before to the \
             highest after less the lowest before."
                .into(),
            "?: one value a side, and nothing to tell noise by. Of runs: the own time of all spans of a name; its \
             interval is by how much they vary, and needs a trace."
                .into(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(durations: &[f64]) -> Value {
        let events = durations.iter().map(|dur| json!({ "ph": "X", "name": "decode", "dur": dur }));
        let own_ns = durations.iter().sum::<f64>() * 1e3;
        json!({
            "traceEvents": events.collect::<Vec<_>>(),
            "otherData": {
                "wall_s": 1.0, "cpu_s": 2.0,
                "totals": [{ "name": "decode", "count": durations.len(), "own_ns": own_ns }],
            },
        })
    }

    #[test]
    fn spans_that_moved_are_told_with_their_sign() {
        let before = Measured::of(&trace(&[100.0, 110.0, 90.0, 100.0])).unwrap();
        let after = Measured::of(&trace(&[200.0, 210.0, 190.0, 200.0])).unwrap();
        let rows = moved(&before, &after);
        assert_eq!((rows[0].name.as_str(), rows[0].verdict()), ("span decode", "+"));
        assert!((rows[0].change().median - 400e-6).abs() < 1e-9);
        assert_eq!(moved(&after, &before)[0].verdict(), "-");
        // One value a side tells nothing for sure.
        assert!(rows.iter().all(|row| row.name != "run, wall" || row.verdict() == "="));
        let [one, two] = [100.0, 200.0].map(|dur| Measured::of(&trace(&[dur])).unwrap());
        assert_eq!(moved(&one, &two)[0].verdict(), "?");
        // Spans that vary more than they moved say nothing.
        let noisy = Measured::of(&trace(&[10.0, 300.0, 20.0, 90.0])).unwrap();
        assert_eq!(
            moved(&before, &noisy).iter().find(|r| r.name == "span decode").unwrap().verdict(),
            "="
        );
    }

    #[test]
    fn studies_are_compared_by_curve_and_bandwidth() {
        let study = |wall_s: f64| {
            let point = json!({ "bandwidth": 1_000_000, "wall_s": wall_s, "low_s": wall_s - 0.1, "high_s": wall_s + 0.1 });
            let curve = json!({ "name": "cat", "points": [point] });
            Measured::of(&json!({ "schema": "solio/study/2", "curves": [curve] })).unwrap()
        };
        let rows = moved(&study(1.0), &study(2.0));
        assert_eq!((rows[0].name.as_str(), rows[0].verdict()), ("cat, 1.00 MB/s", "+"));
        assert_eq!(moved(&study(1.0), &study(1.15))[0].verdict(), "=");
        assert!(Measured::of(&json!({ "schema": "solio/info/1" })).is_none());
        assert!(Measured::of(&json!([1, 2])).is_none());
    }

    #[test]
    fn a_page_has_its_data_in_a_script() {
        let page = "<!doctype html><script id=\"data\" type=\"application/json\">{\"curves\": []}</script>";
        assert_eq!(script(page), Some("{\"curves\": []}"));
        assert_eq!(script("<p>no script"), None);
    }
}
