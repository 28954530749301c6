//! The command when the system lets it down: calls that fail, disks that are full or broken,
//! signals, SIGKILL, io_uring refused. A file that was there is then the old one or the new one,
//! whole, and nothing stands beside it.
//!
//! Faults are put in with `strace`, into the command as it is; what this machine lacks is said to
//! be *skipped*.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)] // tests read and write their own files

#[path = "../commands/mod.rs"]
mod commands;
mod every;
mod folder;
mod judge;
mod kill;
mod medium;
mod memory;
mod nth;
mod strace;
mod uring;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Says that a test could not be made here; past the test harness, which would swallow it.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Runs `program`; its working folder is `dir`.
fn run(dir: &Path, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command.output().unwrap_or_else(|e| panic!("{program}: {e}"))
}
