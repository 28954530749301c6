//! `solio study -- COMMAND`: commands at a series of bandwidths.

use super::bars::{short, three};
use crate::args::{SlowDownChoice, StudyArgs, StudyCacheChoice};
use crate::limit::percent;
use crate::table::{BOLD, DIM, TextTable, bytes, seconds, some};
use crate::{Outcome, asked, chart_page, schema, screen};
use serde_json::{Value, json};
use solio::{
    Error, ProcessSample, Result, SlowDown, Study, StudyCache, StudyCurve, StudyOptions,
    StudyPoint, StudyVariant,
};
use std::ffi::OsString;
use std::path::PathBuf;

/// The page of a study.
const PAGE: &str = include_str!("../../web/study.html");
/// Stands in a command for a number of threads.
const THREADS: &str = "{threads}";
/// Steps of time that JSON and page have of a run.
const MOST_STEPS: usize = 120;

/// Runs the commands again and again, prints.
pub(crate) fn run(args: &StudyArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let options = options(args)?;
    let variants = variants(args)?;
    let cancel = asked::cancel()?;
    let study = solio::study(&variants, &options, &cancel, |name, bandwidth| {
        if !args.json {
            screen::say(&format!("{name}: {}", rate(bandwidth)));
        }
    })?;
    let data = to_json(&study);
    // What took long is printed first: the page may fail.
    if args.json {
        screen::print(&schema::line("study/2", &[], data.clone()));
    } else {
        screen::print(&text(&study));
    }
    if let Some(path) = &args.output {
        chart_page::write(PAGE, &data, path)?;
    }
    Ok(Outcome::Done)
}

fn options(args: &StudyArgs) -> Result<StudyOptions> {
    let slow_down = args.how.map(|how| match how {
        SlowDownChoice::Calls => SlowDown::Calls,
        SlowDownChoice::Bucket => SlowDown::Bucket,
        // Its path is found with the first run.
        SlowDownChoice::Cgroup => SlowDown::Cgroup(PathBuf::new()),
    });
    if args.medium.is_some() && args.how != Some(SlowDownChoice::Cgroup) {
        let error = Error::argument("--medium does nothing without --how cgroup");
        return Err(error.hint("add --how cgroup, or leave it out"));
    }
    let cache = args.cache.map(|cache| match cache {
        StudyCacheChoice::Warm => StudyCache::Warm,
        StudyCacheChoice::Cold => StudyCache::Cold,
    });
    Ok(StudyOptions {
        bandwidths: args.bandwidths.clone(),
        rounds: args.rounds.into(),
        slow_down,
        cache,
        medium: args.medium.clone(),
    })
}

/// The commands with their names, each with all numbers of threads.
fn variants(args: &StudyArgs) -> Result<Vec<StudyVariant>> {
    let mut named = Vec::new();
    if let Some(program) = args.command.first() {
        let own =
            || PathBuf::from(program).file_name().map(|name| name.to_string_lossy().into_owned());
        named.push((own().unwrap_or_default(), args.command.clone()));
    }
    for variant in &args.variant {
        let whole = || Error::argument(format!("--variant {variant:?}"));
        let (name, command) = variant.split_once('=').ok_or_else(|| {
            whole().hint("give a name and a command: --variant \"gzip=zcat a.gz\"")
        })?;
        let words = shlex::split(command).filter(|words| !words.is_empty()).ok_or_else(|| {
            whole().hint("give the command as a shell reads it, with both quotes")
        })?;
        named.push((name.to_owned(), words.into_iter().map(OsString::from).collect()));
    }
    let has_threads =
        |command: &[OsString]| command.iter().any(|word| word.to_string_lossy().contains(THREADS));
    if args.threads.is_empty() == named.iter().any(|(_, command)| has_threads(command)) {
        let error =
            Error::argument(format!("--threads and {THREADS} in a command belong together"));
        return Err(error.hint("try: solio study --threads 1,2 -- solio check -j {threads} shots/"));
    }
    let mut variants = Vec::new();
    for (name, command) in named {
        if !has_threads(&command) {
            variants.push(StudyVariant { name, command });
            continue;
        }
        for threads in &args.threads {
            let place = |word: &OsString| match word.to_str() {
                Some(word) => word.replace(THREADS, &threads.to_string()).into(),
                None => word.clone(),
            };
            let name = format!("{name}, {}", some((*threads).into(), "thread"));
            variants.push(StudyVariant { name, command: command.iter().map(place).collect() });
        }
    }
    Ok(variants)
}

fn rate(bandwidth: Option<u64>) -> String {
    bandwidth.map_or("no limit".into(), |b| format!("{}/s", bytes(b)))
}

fn to_json(study: &Study) -> Value {
    let curves = study.curves.iter().map(|curve| {
        let points = curve.points.iter().map(|point| point_json(curve, point, study.cores));
        json!({
            "name": curve.name,
            "command": curve.command,
            "free_s": curve.free_s(),
            "bytes": curve.bytes,
            "files": curve.files,
            "knee": curve.knee(),
            "tenth_lost": curve.tenth_lost().map(|(bandwidth, wall_s)| {
                json!({ "bandwidth": bandwidth, "wall_s": wall_s })
            }),
            "same": three(&curve.same),
            "burden": curve.burden.as_ref().map(three),
            "points": points.collect::<Vec<_>>(),
        })
    });
    let crossings = study.crossings().into_iter().map(|(one, other, bandwidth, wall_s)| {
        let [one, other] = [one, other].map(|number| study.curves[number].name.clone());
        json!({ "curves": [one, other], "bandwidth": bandwidth, "wall_s": wall_s })
    });
    json!({
        "how": study.how,
        "why": study.why,
        "cache": study.cache,
        "rounds": study.rounds,
        "cores": study.cores,
        "quiet": study.is_quiet(),
        "curves": curves.collect::<Vec<_>>(),
        "crossings": crossings.collect::<Vec<_>>(),
    })
}

fn point_json(curve: &StudyCurve, point: &StudyPoint, cores: usize) -> Value {
    let wall = point.wall();
    let (bytes_s, cpu_s) = curve.bounds_s(point, cores);
    json!({
        "bandwidth": point.bandwidth,
        "wall_s": wall.median,
        "low_s": wall.low,
        "high_s": wall.high,
        "walls": point.walls,
        "doubtful": point.is_doubtful(),
        "cpu_s": point.cpu_s,
        "read_bytes": point.read_bytes,
        "bytes_bound_s": bytes_s,
        "cpu_bound_s": cpu_s,
        "of_bytes": bytes_s.map(|least_s| least_s / wall.median),
        "of_cores": cpu_s / wall.median,
        "over_time": over_time(&point.samples),
    })
}

/// What was seen as rates from each look to the next, at most [`MOST_STEPS`].
fn over_time(samples: &[ProcessSample]) -> Value {
    let every = samples.len().div_ceil(MOST_STEPS).max(1);
    let looks: Vec<&ProcessSample> = samples.iter().step_by(every).collect();
    let rates = |get: fn(&ProcessSample) -> f64| {
        let steps = looks.windows(2);
        steps
            .map(|s| rounded((get(s[1]) - get(s[0])) / (s[1].time_s - s[0].time_s)))
            .collect::<Vec<_>>()
    };
    json!({
        "ends_s": looks.iter().skip(1).map(|s| rounded(s.time_s)).collect::<Vec<_>>(),
        "cores": rates(|s| s.cpu_s),
        "read_mb_s": rates(|s| s.read_bytes * 1e-6),
        "disk_mb_s": rates(|s| s.disk_bytes * 1e-6),
        "memory_mb": looks.iter().skip(1).map(|s| rounded(s.memory_bytes * 1e-6)).collect::<Vec<_>>(),
    })
}

/// To a thousandth: more is not seen.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn text(study: &Study) -> String {
    let mut text = String::new();
    for curve in &study.curves {
        if study.curves.len() > 1 {
            text += &format!("{BOLD}{}{BOLD:#}\n", curve.name);
        }
        text += &table(curve, study.cores).render();
        text += &format!("{}\n\n", words(curve));
    }
    for (one, other, bandwidth, wall_s) in study.crossings() {
        let [one, other] = [one, other].map(|number| &study.curves[number].name);
        let bandwidth = rate(Some(bandwidth as u64));
        text += &format!("{one} and {other} cross at {bandwidth}, with {}\n", seconds(wall_s));
    }
    text + &format!("{DIM}{}{DIM:#}\n", remarks(study))
}

fn table(curve: &StudyCurve, cores: usize) -> TextTable {
    let columns = ["bandwidth", ">seconds", ">interval", ">CPU s", ">of bytes", ">of cores"];
    let mut table = TextTable::new(&columns);
    for point in &curve.points {
        let wall = point.wall();
        let (bytes_s, cpu_s) = curve.bounds_s(point, cores);
        let doubt = if point.is_doubtful() { "?" } else { "" };
        table.row(vec![
            rate(point.bandwidth),
            format!("{}{doubt}", short(wall.median)),
            format!("{}–{}", short(wall.low), short(wall.high)),
            short(point.cpu_s),
            bytes_s.map_or("–".into(), |least_s| percent(least_s / wall.median)),
            percent(cpu_s / wall.median),
        ]);
    }
    table
}

/// What a curve says.
fn words(curve: &StudyCurve) -> String {
    let (Some(read), Some(knee)) = (curve.bytes, curve.knee()) else {
        return "the system does not say how much it reads, so there is no bound by the disk"
            .into();
    };
    let files =
        curve.files.map_or(String::new(), |files| format!(" from {}", some(files as u64, "file")));
    let knee = rate(Some(knee as u64));
    let lost = curve.tenth_lost().map(|(bandwidth, _)| rate(Some(bandwidth as u64)));
    let lost = lost.map_or(String::new(), |lost| format!("; 10 % is lost at {lost}"));
    format!("reads {}{files}; below {knee} the disk is what it waits for{lost}", bytes(read))
}

/// How it was measured, and what that is worth.
fn remarks(study: &Study) -> String {
    let mut lines = vec![format!(
        "Held by {} ({}); {} page cache; {} in turns, medians.",
        study.how,
        study.why,
        study.cache,
        some(study.rounds as u64, "round"),
    )];
    lines.push(
        "of bytes: the bytes over the bandwidth, over the time taken. of cores: busy ones.".into(),
    );
    let same = study.curves.iter().map(|curve| curve.same);
    if let Some(worst) =
        same.max_by(|a, b| (a.median - 1.0).abs().total_cmp(&(b.median - 1.0).abs()))
    {
        let verdict =
            if study.is_quiet() { "quiet" } else { "not quiet: smaller differences say nothing" };
        lines.push(format!(
            "A/A: free runs over free runs {:.3} ({:.2}–{:.2}): {verdict}.",
            worst.median, worst.low, worst.high
        ));
    }
    let burden = study.curves.iter().filter_map(|curve| curve.burden).map(|burden| burden.median);
    if let Some(burden) = burden.reduce(f64::max) {
        lines.push(format!(
            "Asking about each read made a free run take {burden:.3} times as long."
        ));
    }
    if study.curves.iter().flat_map(|curve| &curve.points).any(StudyPoint::is_doubtful) {
        lines
            .push("?: one run, or an interval of more than a tenth; --rounds 9 tells more.".into());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio::Middle;

    fn study(read_bytes: Option<u64>) -> Study {
        let point = |bandwidth, walls: &[f64]| StudyPoint {
            bandwidth,
            walls: walls.to_vec(),
            cpu_s: 1.0,
            read_bytes,
            ..StudyPoint::default()
        };
        let points = vec![point(None, &[2.0, 2.0, 2.0]), point(Some(1_000_000), &[4.0, 4.1, 5.0])];
        let same = Middle { median: 1.0, low: 1.0, high: 1.0 };
        let curve = StudyCurve { points, same, bytes: read_bytes, ..StudyCurve::default() };
        Study { how: "calls", cores: 2, curves: vec![curve], ..Study::default() }
    }

    #[test]
    fn what_the_system_does_not_say_is_no_0() {
        let unknown = study(None);
        let data = to_json(&unknown);
        assert!(
            data["curves"][0]["bytes"].is_null() && data["curves"][0]["knee"].is_null(),
            "{data}"
        );
        let said = text(&unknown);
        assert!(said.contains("does not say") && said.contains('–') && !said.contains("0 B"));
        let known = study(Some(4_000_000));
        assert_eq!(to_json(&known)["curves"][0]["knee"], 2e6);
        assert!(text(&known).contains("reads 4.00 MB; below 2.00 MB/s"), "{}", text(&known));
    }

    #[test]
    fn both_shares_and_doubt_are_said() {
        let data = to_json(&study(Some(4_000_000)));
        let point = &data["curves"][0]["points"][1];
        assert_eq!((&point["bytes_bound_s"], &point["cpu_bound_s"]), (&json!(4.0), &json!(0.5)));
        assert!((point["of_bytes"].as_f64().unwrap() - 4.0 / 4.1).abs() < 1e-12);
        // From 4 to 5 seconds: noise.
        assert_eq!(point["doubtful"], true);
        let said = text(&study(Some(4_000_000)));
        assert!(said.contains("4.10?") && said.contains("--rounds 9"), "{said}");
        assert!(said.contains("A/A: free runs over free runs 1.000 (1.00–1.00): quiet."), "{said}");
    }

    #[test]
    fn rates_over_time_are_few() {
        let look = |i: usize| ProcessSample {
            time_s: i as f64 * 0.01,
            cpu_s: i as f64 * 0.02,
            read_bytes: i as f64 * 1e6,
            ..ProcessSample::default()
        };
        let samples: Vec<_> = (0..1000).map(look).collect();
        let shown = over_time(&samples);
        let cores = shown["cores"].as_array().unwrap();
        assert!(cores.len() < MOST_STEPS && cores.iter().all(|c| *c == 2.0), "{shown}");
        assert_eq!(shown["read_mb_s"][0], 100.0);
        assert_eq!(over_time(&samples[..1])["cores"], json!([]));
    }
}
