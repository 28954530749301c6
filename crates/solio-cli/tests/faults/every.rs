//! Every command, with the first, second, third… of its calls for files failing: those that write and
//! those that read.

use crate::commands::{SAME, SAME_FILES, TIMED, each_line};
use crate::judge::{Ended, Lot, Stage};
use crate::strace::{self, Call};
use std::collections::BTreeSet;

/// Reads and writes by plain calls, so that each can be failed.
const BY_THREADS: [(&str, &str); 1] = [("SOLIO_IO", "threads")];

/// Calls that belong to starting the program, or say nothing about a file of ours, are left out.
fn calls(stage: &Stage) -> Vec<Call> {
    stage.reset();
    let told = format!("{},{}", strace::WRITING, strace::READING);
    let ran = strace::solio_in(stage.place.path(), &stage.words(), &BY_THREADS, &told, None);
    assert_eq!(ran.code, 0, "{}: {}", stage.line, ran.err);
    let here = stage.place.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let ours: BTreeSet<Call> = ran
        .calls
        .into_iter()
        .filter(|call| call.text.contains(&here) || call.writes(&here))
        .map(|call| Call { text: String::new(), ..call })
        .collect();
    ours.into_iter().collect()
}

/// Fails calls of `line` one by one: all of them, or `most` drawn by lot.
fn fail(line: &'static str, most: usize, seed: u64) -> usize {
    let stage = Stage::new(line);
    let mut calls = calls(&stage);
    let mut lot = Lot(seed ^ line.len() as u64);
    let mut faults = 0;
    while !calls.is_empty() && faults < most {
        let call = calls.swap_remove(lot.below(calls.len()));
        let error = match call.name.as_str() {
            "mmap" => "ENOMEM",
            name if name.contains("write") || name.contains("open") => {
                ["ENOSPC", "EIO", "EMFILE"][lot.below(3)]
            }
            _ => "EIO",
        };
        stage.reset();
        let fault = format!("{}:error={error}:when={}", call.name, call.nth);
        let told = format!("{},{}", strace::WRITING, strace::READING);
        let dir = stage.place.path();
        let ran = strace::solio_in(dir, &stage.words(), &BY_THREADS, &told, Some(&fault));
        let hit: Vec<&Call> = ran.calls.iter().filter(|call| call.was_hit()).collect();
        let what = format!("{error} at {hit:?}");
        // The loader could not read the program: that was not ours.
        if ran.code == 127 {
            continue;
        }
        // idiff's code for what cannot be compared.
        let is_told = ran.code == 4 && line.starts_with("diff ");
        assert!(
            [0, 1, 2].contains(&ran.code) || is_told,
            "{line}: {what}: exit code {}, {}",
            ran.code,
            ran.err
        );
        let stuck = hit.iter().any(|call| call.name.starts_with("unlink"));
        let ended = Ended { code: ran.code, out: ran.out.into_bytes(), err: ran.err, stuck };
        stage.judge(&ended, &what);
        faults += 1;
    }
    faults
}

/// Lines whose every call is failed elsewhere, or that run for long.
fn is_short(line: &str) -> bool {
    !["demo", "lab", "light"].iter().any(|long| line.starts_with(long))
}

#[test]
fn every_command_bears_failing_calls() {
    if strace::is_here() {
        let lines = [SAME, SAME_FILES, TIMED].concat();
        let lines: Vec<&str> = lines.into_iter().filter(|line| is_short(line)).collect();
        each_line(&lines, |line| assert!(fail(line, 8, 0x5eed_0010) > 0, "{line}: no calls"));
    }
}

#[test]
#[ignore = "slow: every call of every command"]
fn every_command_bears_every_failing_call() {
    if strace::is_here() {
        each_line(&[SAME, SAME_FILES, TIMED].concat(), |line| {
            assert!(fail(line, usize::MAX, 0x5eed_0011) > 0);
        });
    }
}
