//! `solio study`: a command at a series of bandwidths, as a table, a page and JSON.

use crate::args::{SlowDownChoice, StudyArgs};
use crate::table::{Align, Table, bytes, figures, seconds};
use crate::{Outcome, page, schema, screen};
use serde_json::json;
use solio::{Cancel, Result, SlowDown, Study, StudyOptions, StudyPoint};
use std::path::PathBuf;

/// The page of a study.
const PAGE: &str = include_str!("../../../web/study.html");

/// Runs the command again and again, prints.
pub(crate) fn run(args: &StudyArgs) -> Result<Outcome> {
    let cancel = Cancel::default();
    solio::cancel_on_signals(&cancel)?;
    let slow_down = match args.how {
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
    if let Some(path) = &args.output {
        page::write(PAGE, &data, path)?;
    }
    if args.json {
        screen::print(&schema::line("study/1", &[], data));
    } else {
        screen::print(&table(&study));
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
    use Align::{Left, Right};
    let mut table = Table::new(&[("bandwidth", Left), ("seconds", Right), ("of the bound", Right)]);
    for point in &study.points {
        let slow = point.bandwidth.map_or(0.0, |b| study.bytes() / b as f64);
        let share = study.floor_s().max(slow) / point.wall_s.max(1e-9);
        table.row(vec![rate(point), figures(point.wall_s), format!("{:.0} %", 100.0 * share)]);
    }
    let knee = bytes(study.knee() as u64);
    format!(
        "{}reads {}; below {knee}/s the disk is what it waits for\n",
        table.render(),
        bytes(study.bytes() as u64),
    )
}
