//! Ctrl-C during a conversion leaves the old file as it was, and nothing else; a study that it ends has
//! not failed.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests read and write their own files

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn ctrl_c_leaves_the_old_file_and_exits_with_130() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.obj");
    std::fs::write(&out, "old").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(["convert", "-", "-o", "out.obj"])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = "v 0.25 0.5 0.75\n".repeat(64 << 10);
    // The command is in the middle of its input when all of this has gone through the pipe.
    for _ in 0..8 {
        input.write_all(lines.as_bytes()).unwrap();
    }
    std::thread::sleep(Duration::from_millis(100));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // It may have read no further for want of bytes: the next ones, or the end, wake it.
    for _ in 0..64 {
        if input.write_all(lines.as_bytes()).is_err() {
            break;
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "old");
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// Ctrl-C reaches the command that is studied, too.
#[test]
fn a_study_that_is_interrupted_exits_with_130() {
    let interrupts = "kill -INT $PPID; sleep 0.2; exit 1";
    let output = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(["study", "--how", "bucket", "--bandwidths", "1G", "--", "sh", "-c", interrupts])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
}
