//! The command, run in a folder, and what it left.

#![allow(dead_code)] // each test binary uses some of it
use solio::names::OsStrBytes;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run of the command left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn fine(self) -> Ran {
        assert_eq!(self.code, 0, "{}", self.err);
        self
    }
}

/// Runs `solio ARGS` in `dir` with `input` on standard input.
pub(crate) fn run(dir: &Path, args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(args)
        .current_dir(dir)
        .env("XDG_CACHE_HOME", "/no-cache") // whoever runs the tests may have one
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early leaves its input unread.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    Ran { code: output.status.code().unwrap(), out: output.stdout, err }
}

/// What is said, with the words of Linux for a file that is not there.
pub(crate) fn in_words_of_linux(text: &str) -> String {
    let said = |code| std::io::Error::from_raw_os_error(code).to_string();
    // The second is that of a folder, on Windows.
    let codes = if cfg!(windows) { &[2, 3][..] } else { &[] };
    let missing = "No such file or directory (os error 2)";
    codes.iter().fold(text.to_owned(), |text, code| text.replace(&said(*code), missing))
}

/// Whether there is a command, as there is not on every system; else says that a test is skipped.
#[allow(clippy::print_stdout)]
pub(crate) fn has(command: &str) -> bool {
    let mut asked = Command::new(command);
    asked.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = asked.status().is_ok();
    if !is_there {
        println!("skipped: there is no command {command}");
    }
    is_there
}

/// Whether a file may have a name of these bytes: on Windows names are text, without some letters.
pub(crate) fn is_name(bytes: &[u8]) -> bool {
    let name = std::ffi::OsStr::from_bytes(bytes);
    let is_one = Path::new(name).components().count() == 1;
    is_one && name.as_bytes() == bytes && solio_io::check_new_name(name.as_ref()).is_ok()
}

/// The names in a folder, sorted.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}
