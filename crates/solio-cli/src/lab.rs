//! `solio lab`: filters and codecs compared on the files at hand.

use crate::args::{LabArgs, LabSample, ProgressChoice};
use crate::stats::ReadMeter;
use crate::table::{BOLD, DIM, TextTable};
use crate::{Outcome, chart_page, inputs, options, schema, screen};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use solio::laboratory::{ChunkSize, Kind, MeasureOptions, Results, Verdict};
use solio::{Lab, LabOptions, Result, Stopwatch, run_lab};
use std::fmt::Write;

const PAGE: &str = include_str!("../web/lab.html");
/// The bar counts so many steps.
const STEPS: u64 = 1000;
/// Seconds between two lines of JSON.
const LINES_S: f64 = 0.5;
/// Lines of the table of a kind.
const BEST: usize = 8;

/// Measures, then prints and writes what was asked for.
pub(crate) fn run(args: &LabArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let work = options::work(&args.run.work)?;
    let files = inputs::files(&args.inputs, &work)?;
    if files.is_empty() {
        return Ok(inputs::none_found());
    }
    let reading = ReadMeter::start(&files, args.run.shown.stats, &work);
    let watch = Stopwatch::start();
    let shown = LabProgress::new(args.run.shown.progress);
    let lab = run_lab(&files, &lab_options(args), &work, |now| shown.show(now.done, &watch))?;
    shown.end();
    // Otherwise the object that tells all has them, too.
    let as_json = args.run.json && lab.results.arrays.is_empty();
    lab.failed.iter().for_each(|(_, error)| screen::fail_at_its_path(error, as_json));
    if lab.results.arrays.is_empty() {
        return Ok(Outcome::SomeFailed);
    }
    let data = data(&lab, args, watch.wall_s());
    // What took long is printed first: the page may fail.
    if args.run.json {
        screen::print(&schema::line("lab/1", &[], data.clone()));
    } else if args.csv {
        screen::print(&lab.results.to_csv());
    } else {
        screen::print(&summary(&lab));
        lab.notes.iter().for_each(|note| screen::say(&format!("note: {note}")));
    }
    if let Some(output) = &args.output {
        chart_page::write(PAGE, &data, output)?;
    }
    if args.run.shown.stats {
        reading.say(files.len() as u64, work.progress.now().read_bytes);
    }
    Ok(if lab.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}

fn lab_options(args: &LabArgs) -> LabOptions {
    let mut options = LabOptions {
        full: args.full,
        raw: args.raw,
        python: args.python.clone(),
        ..LabOptions::default()
    };
    if args.full {
        options.sample_bytes = None;
        options.measure = MeasureOptions { seconds: 0.0, rounds: (3, 15) };
    }
    match args.sample {
        Some(LabSample::All) => options.sample_bytes = None,
        Some(LabSample::Bytes(bytes)) => options.sample_bytes = Some(bytes),
        None => {}
    }
    if let Some(seconds) = args.seconds {
        options.measure.seconds = seconds;
    }
    options
}

/// What the page and programs get.
fn data(lab: &Lab, args: &LabArgs, seconds: f64) -> Value {
    let mut data = lab.to_json();
    data["full"] = json!(args.full);
    data["seconds"] = json!((seconds * 10.0).round() / 10.0);
    data["version"] = json!(env!("CARGO_PKG_VERSION"));
    data["cpu_tier"] = json!(solio::cpu::tier().name());
    data
}

/// The statements, and of each kind of data the points that no other beats.
fn summary(lab: &Lab) -> String {
    let mut text = String::new();
    for kind in lab.results.kinds() {
        let arrays = lab.results.arrays.iter().filter(|array| array.kind == kind).count();
        let plural = if arrays == 1 { "array" } else { "arrays" };
        let _ = writeln!(text, "{BOLD}{}{BOLD:#}, {arrays} {plural}", kind.name());
        text.push_str(&best(&lab.results, kind));
        text.push('\n');
    }
    let _ = writeln!(text, "{BOLD}What a study said in 2021, on these files{BOLD:#}");
    for (number, statement) in lab.statements.iter().enumerate() {
        let verdict = statement.verdict();
        let (title, claim) = (statement.title, statement.claim);
        let _ = writeln!(text, "{}. {BOLD}{title}: {}{BOLD:#}", number + 1, verdict.name());
        let _ = writeln!(text, "   {DIM}{claim}{DIM:#}");
        for finding in &statement.findings {
            let mark = match (verdict, finding.holds) {
                (Verdict::Mixed, true) => "holds: ",
                (Verdict::Mixed, false) => "does not: ",
                _ => "",
            };
            let _ = writeln!(text, "   {mark}{}: {}", finding.kind.name(), finding.words);
        }
    }
    text
}

/// Points of a kind that none beats both in ratio and in speed of reading, the smallest first.
fn best(results: &Results, kind: Kind) -> String {
    let totals = (0..results.configs.len())
        .filter_map(|config| Some((config, results.total(config, |array| array.kind == kind)?)));
    let mut totals: Vec<_> = totals.collect();
    totals.sort_by(|(_, a), (_, b)| b.ratio.total_cmp(&a.ratio));
    let mut fastest = 0.0;
    let mut table =
        TextTable::new(&[">ratio", ">write MB/s", ">read MB/s", "filter", "codec", "chunk"]);
    let mut rows = 0;
    for (config, total) in totals {
        if total.read_mb_s <= fastest || rows == BEST {
            continue;
        }
        fastest = total.read_mb_s;
        rows += 1;
        let config = &results.configs[config];
        let level = config.level.map_or(String::new(), |level| format!(" {level}"));
        table.row(vec![
            format!("{:.3}", total.ratio),
            format!("{:.0}", total.write_mb_s),
            format!("{:.0}", total.read_mb_s),
            config.filter.clone(),
            format!("{}{level}", config.codec),
            if config.chunk == ChunkSize::Own { String::new() } else { config.chunk.name() },
        ]);
    }
    table.render()
}

/// How far it is, and how long it will still take.
struct LabProgress {
    bar: Option<ProgressBar>,
    json: bool,
    last_s: std::cell::Cell<f64>,
}

impl LabProgress {
    fn new(how: ProgressChoice) -> LabProgress {
        let style = "measuring [{bar:30}] {percent:>3}%  {msg}";
        let style = ProgressStyle::with_template(style).ok().filter(|_| how.is_bar());
        let bar = style.map(|style| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            bar.set_style(style.progress_chars("=> "));
            bar
        });
        LabProgress {
            bar,
            json: how == ProgressChoice::Json,
            last_s: std::cell::Cell::new(-LINES_S),
        }
    }

    fn show(&self, done: f64, watch: &Stopwatch) {
        let now_s = watch.wall_s();
        let left_s = (done > 0.02).then(|| now_s * (1.0 - done) / done);
        if let Some(bar) = &self.bar {
            bar.set_position((done * STEPS as f64) as u64);
            bar.set_message(left_s.map_or(String::new(), |left| format!("{left:.0} s left")));
        }
        if self.json && now_s - self.last_s.get() >= LINES_S {
            self.last_s.set(now_s);
            let line = json!({ "done": done, "left_s": left_s });
            screen::say(&schema::object("progress-lab/1", &[], line).to_string());
        }
    }

    fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
