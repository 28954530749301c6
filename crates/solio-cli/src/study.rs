//! `solio study`: a command at a series of bandwidths, as a table, a page and JSON.

use crate::args::{SlowDownChoice, StudyArgs};
use crate::table::{TextTable, bytes, figures, seconds};
use crate::{Outcome, chart_page, schema, screen};
use serde_json::json;
use solio::{Cancel, Error, Result, SlowDown, Study, StudyOptions, StudyPoint};
use std::path::PathBuf;

/// The page of a study.
const PAGE: &str = include_str!("../web/study.html");

/// Runs the command again and again, prints.
pub(crate) fn run(args: &StudyArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let cancel = Cancel::default();
    solio::cancel_on_signals(&cancel)?;
    let is_own = args.command.first().is_some_and(|program| solio::is_of_solio(program));
    let how = match args.how {
        None if !is_own => {
            let error = Error::argument("nothing holds this command to a bandwidth");
            return Err(error.hint(
                "--how cgroup does, as root on Linux; --how bucket where it starts commands of Solio",
            ));
        }
        how => how.unwrap_or(SlowDownChoice::Bucket),
    };
    let slow_down = match how {
        SlowDownChoice::Bucket if args.medium.is_some() => {
            let error = Error::argument("--medium does nothing without --how cgroup");
            return Err(error.hint("add --how cgroup, or leave it out"));
        }
        SlowDownChoice::Bucket => SlowDown::Bucket,
        SlowDownChoice::Cgroup => {
            SlowDown::Cgroup(args.medium.clone().unwrap_or_else(|| PathBuf::from(".")))
        }
    };
    let options =
        StudyOptions { bandwidths: args.bandwidths.clone(), rounds: args.rounds.into(), slow_down };
    let study = solio::study(&args.command, &options, &cancel, |point| {
        if !args.json {
            screen::say(&format!("{}: {}", rate(point), seconds(point.wall_s)));
        }
    })?;
    let data = to_json(&study);
    // What took long is printed first: the page may fail.
    if args.json {
        screen::print(&schema::line("study/1", &[], data.clone()));
    } else {
        screen::print(&table(&study));
    }
    if let Some(path) = &args.output {
        chart_page::write(PAGE, &data, path)?;
    }
    Ok(Outcome::Done)
}

fn rate(point: &StudyPoint) -> String {
    point.bandwidth.map_or("no limit".into(), |b| format!("{}/s", bytes(b)))
}

fn to_json(study: &Study) -> serde_json::Value {
    let points: Vec<_> = study
        .points
        .iter()
        .map(
            |p| json!({ "bandwidth": p.bandwidth, "wall_s": p.wall_s, "read_bytes": p.read_bytes }),
        )
        .collect();
    json!({
        "command": study.command,
        "floor_s": study.floor_s(),
        "bytes": study.bytes(),
        "knee": study.knee(),
        "points": points,
    })
}

fn table(study: &Study) -> String {
    let mut table = TextTable::new(&["bandwidth", ">seconds", ">of the bound"]);
    for point in &study.points {
        let slow_s = match point.bandwidth {
            Some(bandwidth) => study.bytes().map(|bytes| bytes / bandwidth as f64),
            None => Some(0.0),
        };
        let share = slow_s.map(|slow_s| study.floor_s().max(slow_s) / point.wall_s.max(1e-9));
        let share = share.map_or("–".into(), |share| format!("{:.0} %", 100.0 * share));
        table.row(vec![rate(point), figures(point.wall_s), share]);
    }
    let words = match (study.bytes(), study.knee()) {
        (Some(read), Some(knee)) => format!(
            "reads {}; below {}/s the disk is what it waits for",
            bytes(read as u64),
            bytes(knee as u64),
        ),
        _ => "the system does not say how much it reads, so there is no bound by the disk".into(),
    };
    format!("{}{words}\n", table.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_does_not_say_is_no_0() {
        let point = |bandwidth, read_bytes| StudyPoint { bandwidth, wall_s: 2.0, read_bytes };
        let study = |read_bytes| Study {
            command: vec!["true".into()],
            points: vec![point(None, read_bytes), point(Some(1_000_000), read_bytes)],
        };
        let unknown = study(None);
        let data = to_json(&unknown);
        assert!(data["bytes"].is_null() && data["knee"].is_null(), "{data}");
        let text = table(&unknown);
        assert!(text.contains("does not say") && text.contains('–') && !text.contains("0 B"));
        let known = study(Some(4_000_000));
        assert_eq!(to_json(&known)["knee"], 2e6);
        assert!(table(&known).contains("reads 4.00 MB; below 2.00 MB/s"), "{}", table(&known));
    }
}
