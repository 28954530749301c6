//! `solio-bench scene --study`: how long a scene takes to be parsed, to have bounds and to show a
//! first picture, by the way it is stored, the cores and the bandwidth.
//!
//! Every run is a process of its own, slowed down as `solio study` does it. Files rest in the page
//! cache: the bandwidth is that of the token bucket. All runs must draw the same picture.

use super::SceneBenchArgs;
use super::encoding::{self, Encoding};
use super::stages::{self, STAGES};
use crate::stats::{Ratio, median};
use serde_json::{Value, json};
use solio::crossings;
use solio::{Cancel, Error, Result, Work};
use solio_cli::table::{DIM, TextTable, bytes, figures};
use solio_cli::{Outcome, chart_page, schema, screen};
use std::path::Path;

/// The page of a study.
const PAGE: &str = include_str!("../../web/scene_study.html");
/// Encodings whose crossing points are marked: all but the packed one, which is not text.
const CROSSED: usize = 4;

/// When a run reached each stage: wall seconds, CPU seconds, bytes read.
type Reached = [[f64; 3]; STAGES.len()];

/// One encoding on some cores at one bandwidth.
struct StudyCell {
    encoding: usize,
    threads: usize,
    bandwidth: Option<u64>,
    runs: Vec<Reached>,
    timeline: Value,
}

/// What one run printed.
struct Ran {
    reached: Reached,
    answer: String,
    timeline: Value,
}

struct SceneStudy {
    encodings: Vec<Encoding>,
    threads: Vec<usize>,
    /// Without a limit last.
    bandwidths: Vec<Option<u64>>,
    /// By encoding, threads, bandwidth.
    cells: Vec<StudyCell>,
    rounds: usize,
    answer: String,
    same: Ratio,
}

/// Measures all, writes the page and prints.
pub(super) fn run(args: &SceneBenchArgs, path: &Path, made: &Path, work: &Work) -> Result<Outcome> {
    let cancel = Cancel::default();
    solio::cancel_on_signals(&cancel)?;
    let scene = if solio::is_scene(path) { path.to_owned() } else { path.join("island.pbrt") };
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let encodings = encoding::all(&scene, &made.join("study"), work)?;
    let mut bandwidths: Vec<Option<u64>> = args.bandwidths.iter().copied().map(Some).collect();
    bandwidths.sort_unstable();
    bandwidths.dedup();
    bandwidths.push(None);
    let mut threads = vec![1, work.threads.min(2)];
    threads.dedup();
    let rounds = args.rounds.map_or(if args.quick { 1 } else { 3 }, usize::from);
    let mut study = SceneStudy {
        cells: cells(encodings.len(), &threads, &bandwidths),
        encodings,
        threads,
        bandwidths,
        rounds,
        answer: String::new(),
        same: Ratio::of(&[], &[]),
    };
    study.measure(&cancel)?;
    let data = study.to_json(&scene);
    if args.json {
        screen::print(&schema::line("bench-scene-study/1", &[], data.clone()));
    } else {
        screen::print(&study.table());
    }
    if let Some(output) = &args.output {
        chart_page::write(PAGE, &data, output)?;
    }
    Ok(Outcome::Done)
}

fn cells(encodings: usize, threads: &[usize], bandwidths: &[Option<u64>]) -> Vec<StudyCell> {
    let mut cells = Vec::new();
    for encoding in 0..encodings {
        for &threads in threads {
            for &bandwidth in bandwidths {
                let (runs, timeline) = (Vec::new(), Value::Null);
                cells.push(StudyCell { encoding, threads, bandwidth, runs, timeline });
            }
        }
    }
    cells
}

impl SceneStudy {
    /// All cells in turn, once a round. Figures over time are those of the last one.
    fn measure(&mut self, cancel: &Cancel) -> Result<()> {
        let most = self.threads.last().copied().unwrap_or(1);
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for round in 0..self.rounds {
            screen::say(&format!("round {} of {}", round + 1, self.rounds));
            for cell in 0..self.cells.len() {
                cancel.check()?;
                let ran = self.once(cell)?;
                let StudyCell { encoding, threads, bandwidth, .. } = self.cells[cell];
                if (encoding, threads, bandwidth) == (0, most, None) {
                    first.push(ran.reached[STAGES.len() - 1][0]);
                    again.push(self.once(cell)?.reached[STAGES.len() - 1][0]);
                }
                self.cells[cell].runs.push(ran.reached);
                self.cells[cell].timeline = ran.timeline;
            }
        }
        self.same = Ratio::of(&first, &again);
        Ok(())
    }

    fn once(&mut self, cell: usize) -> Result<Ran> {
        let StudyCell { encoding, threads, bandwidth, .. } = self.cells[cell];
        let encoding = &self.encodings[encoding];
        let Encoding { scene, libdeflate, .. } = encoding;
        let ran = Ran::of(stages::start(scene, threads, *libdeflate, bandwidth)?.1)?;
        if self.answer.is_empty() {
            self.answer.clone_from(&ran.answer);
        }
        if self.answer != ran.answer {
            let message = format!("{}: another picture", encoding.name);
            return Err(Error::corrupt(message).at_path(&encoding.scene));
        }
        Ok(ran)
    }

    fn cell(&self, encoding: usize, threads: usize, bandwidth: Option<u64>) -> &StudyCell {
        let wanted = (encoding, threads, bandwidth);
        let found = self.cells.iter().find(|c| (c.encoding, c.threads, c.bandwidth) == wanted);
        found.expect("there is a cell for each")
    }

    /// The least seconds: the bytes at this bandwidth, or the CPU seconds of a run without a limit
    /// on so many cores.
    fn bound_s(&self, cell: &StudyCell, stage: usize) -> f64 {
        let free = self.cell(cell.encoding, cell.threads, None);
        let [_, cpu_s, read_bytes] = [0, 1, 2].map(|figure| free.middle(stage, figure));
        let disk_s = cell.bandwidth.map_or(0.0, |bandwidth| read_bytes / bandwidth as f64);
        disk_s.max(cpu_s / cell.threads as f64)
    }

    /// Seconds of a curve, by bandwidth.
    fn curve(&self, encoding: usize, threads: usize, stage: usize) -> Vec<f64> {
        let at =
            |bandwidth: &Option<u64>| self.cell(encoding, threads, *bandwidth).middle(stage, 0);
        self.bandwidths.iter().map(at).collect()
    }

    fn crossings_json(&self) -> Vec<Value> {
        let bandwidths: Vec<f64> =
            self.bandwidths.iter().map(|b| b.map_or(f64::INFINITY, |b| b as f64)).collect();
        let mut found = Vec::new();
        for &threads in &self.threads {
            for stage in 0..STAGES.len() {
                for (a, b) in (0..CROSSED).flat_map(|a| (a + 1..CROSSED).map(move |b| (a, b))) {
                    let [one, other] = [a, b].map(|i| self.curve(i, threads, stage));
                    for (bandwidth, seconds) in crossings(&bandwidths, &one, &other) {
                        found.push(json!({
                            "threads": threads, "stage": stage, "a": a, "b": b,
                            "bandwidth": bandwidth, "seconds": seconds,
                        }));
                    }
                }
            }
        }
        found
    }

    fn to_json(&self, scene: &Path) -> Value {
        let stage = |cell: &StudyCell, stage: usize| {
            let [wall_s, cpu_s, read_bytes] = [0, 1, 2].map(|figure| cell.middle(stage, figure));
            json!({
                "wall_s": wall_s, "cpu_s": cpu_s, "read_bytes": read_bytes,
                "bound_s": self.bound_s(cell, stage),
            })
        };
        let cells = self.cells.iter().map(|cell| {
            let stages = (0..STAGES.len()).map(|i| stage(cell, i)).collect::<Vec<_>>();
            json!({
                "encoding": cell.encoding, "threads": cell.threads, "bandwidth": cell.bandwidth,
                "stages": stages, "timeline": cell.timeline,
            })
        });
        let encodings = self.encodings.iter().map(|encoding| {
            json!({
                "name": encoding.name, "how": encoding.how, "stored_bytes": encoding.stored_bytes,
            })
        });
        json!({
            "scene": scene.file_name().unwrap_or_default().to_string_lossy(),
            "rounds": self.rounds,
            "stages": STAGES,
            "threads": self.threads,
            "encodings": encodings.collect::<Vec<_>>(),
            "cells": cells.collect::<Vec<_>>(),
            "crossings": self.crossings_json(),
            "same": self.same.json(),
            "quiet": self.same.is_quiet(),
            "answer": self.answer,
        })
    }

    fn table(&self) -> String {
        let mut table = TextTable::new(&[
            "stored as",
            ">bytes",
            ">cores",
            ">bandwidth",
            ">parsed s",
            ">bounds s",
            ">picture s",
            ">of the bound",
        ]);
        for cell in &self.cells {
            let encoding = &self.encodings[cell.encoding];
            let last = STAGES.len() - 1;
            let mut row = vec![
                encoding.name.into(),
                bytes(encoding.stored_bytes),
                cell.threads.to_string(),
                cell.bandwidth.map_or("no limit".into(), |b| format!("{}/s", bytes(b))),
            ];
            row.extend((0..STAGES.len()).map(|stage| figures(cell.middle(stage, 0))));
            let share = self.bound_s(cell, last) / cell.middle(last, 0).max(1e-9);
            row.push(format!("{:.0} %", 100.0 * share));
            table.row(row);
        }
        let note = format!(
            "medians of {}; plain against itself: {:.2}; all drew the same picture, {}",
            self.rounds, self.same.0.median, self.answer
        );
        format!("{}{DIM}{note}{DIM:#}\n", table.render())
    }
}

impl StudyCell {
    /// The median of a figure of a stage.
    fn middle(&self, stage: usize, figure: usize) -> f64 {
        median(&self.runs.iter().map(|run| run[stage][figure]).collect::<Vec<_>>())
    }
}

impl Ran {
    fn of(mut line: Value) -> Result<Ran> {
        let mut reached = Reached::default();
        for (stage, figures) in reached.iter_mut().enumerate() {
            for (i, figure) in figures.iter_mut().enumerate() {
                let found = line["reached"][stage][i].as_f64();
                *figure = found.ok_or_else(|| Error::corrupt("a run printed too few stages"))?;
            }
        }
        let answer = line["answer"].as_str().unwrap_or_default().to_owned();
        Ok(Ran { reached, answer, timeline: line["timeline"].take() })
    }
}
