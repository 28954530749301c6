//! The same inputs give the same bytes: on any number of threads, on every tier of CPUs, run again.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod commands;

use commands::{Place, SAME, SAME_FILES, TIMED, each_line, words, words_on};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// What a line printed, and the files that it changed.
type Left = (Vec<u8>, BTreeMap<String, Option<Vec<u8>>>);

fn left(place: &Place, line: &str, threads: usize, tier: Option<&str>) -> Left {
    let environment: Vec<_> = tier.map(|tier| ("SOLIO_CPU", tier)).into_iter().collect();
    let output = place.run(&words_on(line, threads), &environment);
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}, {threads} threads, {tier:?}: {why}");
    let mut changed = place.changed(&place.inputs);
    changed.retain(|name, _| !name.starts_with("cache/"));
    place.restore(&place.inputs);
    (output.stdout, changed)
}

/// The tiers of this machine, by name.
fn tiers() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_solio")).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let all = ["scalar", "sse2", "avx2", "avx512", "neon"];
    let here: Vec<String> =
        all.into_iter().filter(|tier| text.contains(tier)).map(str::to_owned).collect();
    assert!(here.iter().any(|tier| tier == "scalar"), "{text}");
    here
}

#[test]
fn the_same_bytes_on_any_threads_and_tier_and_again() {
    let tiers = tiers();
    each_line(&[SAME, SAME_FILES].concat(), |line| {
        let place = Place::new();
        let prints = SAME.contains(&line);
        let (out, files) = left(&place, line, 1, None);
        assert!(!files.is_empty() || !out.is_empty(), "{line} leaves nothing");
        let ways = [(1, None), (2, None), (7, None)].into_iter();
        for (threads, tier) in ways.chain(tiers.iter().map(|tier| (2, Some(tier.as_str())))) {
            let (again, other) = left(&place, line, threads, tier);
            let what = format!("{line}, {threads} threads, tier {tier:?}");
            assert!(!prints || again == out, "{what} prints something else");
            assert!(files.keys().eq(other.keys()), "{what}: {:?}", other.keys());
            for (name, bytes) in &files {
                assert!(other[name] == *bytes, "{what}: other bytes in {name}");
            }
        }
    });
}

/// Commands without `--stats` and `--progress`: they answer at once, or write a few rows.
const WITHOUT_FIGURES: [&str; 6] = ["exiftool", "query", "merge", "gradient", "completions", "man"];

#[test]
fn figures_and_progress_change_no_bytes() {
    each_line(&[SAME, SAME_FILES].concat(), |line| {
        if WITHOUT_FIGURES.contains(&words(line)[0].as_str()) {
            return;
        }
        let place = Place::new();
        let (out, files) = left(&place, line, 1, None);
        let mut with = words_on(line, 1);
        with.splice(1..1, ["--stats".to_owned(), "--progress".into(), "json".into()]);
        let output = place.run(&with, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {said}");
        if line.contains("--json") || SAME_FILES.contains(&line) {
            assert!(said.contains("peak") || output.stdout.len() > out.len(), "{line}: {said}");
        } else {
            assert!(said.contains("CPU"), "{line}: {said}");
            assert!(output.stdout == out, "{line} prints something else");
        }
        let mut changed = place.changed(&place.inputs);
        changed.retain(|name, _| !name.starts_with("cache/"));
        assert!(changed == files, "{line}: other files");
    });
}

#[test]
fn every_command_has_a_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_solio")).arg("--help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let list = text.split("Commands:\n").nth(1).expect("a list of commands");
    let list = list.lines().take_while(|line| !line.trim().is_empty());
    // A name stands two columns from the left, what it says further right.
    let names: BTreeSet<&str> = list
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let lines = [SAME, SAME_FILES, TIMED].concat();
    let known: BTreeSet<String> = lines.iter().map(|line| words(line)[0].clone()).collect();
    let lacking: Vec<_> = names.iter().filter(|name| !known.contains(**name)).collect();
    assert!(names.len() > 15, "{text}");
    assert!(lacking.is_empty(), "no line in tests/commands for {lacking:?}");
}
