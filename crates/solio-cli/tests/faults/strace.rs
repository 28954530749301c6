//! Faults at chosen system calls, by `strace`.

use crate::skipped;
use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every system call by which bytes, names and sizes of files come about.
pub(crate) const WRITING: &str = "open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,\
    link,linkat,rename,renameat,renameat2,ftruncate,truncate,fallocate,copy_file_range,sendfile,\
    fchown,fchmod,mkdir,mkdirat,unlink,unlinkat";

/// Calls by which bytes, names and sizes of files are learnt.
pub(crate) const READING: &str = "read,pread64,preadv,readv,getdents64,statx,newfstatat,fstat,lseek,\
    readlink,readlinkat,mmap";

/// One system call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// How many calls of this name its thread had made, with this one.
    pub(crate) nth: usize,
    /// As strace writes it.
    pub(crate) text: String,
}

/// How a run under strace ended.
pub(crate) struct Traced {
    /// The exit code; 128 and the signal's number where that ended it.
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) calls: Vec<Call>,
}

impl Call {
    /// Whether it makes something at or below `dir` or on standard output.
    pub(crate) fn writes(&self, dir: &str) -> bool {
        match self.name.as_str() {
            "open" | "openat" => self.text.contains("O_CREAT") || self.text.contains("O_TMPFILE"),
            "creat" | "mkdir" | "mkdirat" => true,
            _ if self.text.contains("(1<") => true,
            _ => self.text.contains(dir) || self.names_something(),
        }
    }

    /// Whether it is about names, which may be relative to the working folder.
    fn names_something(&self) -> bool {
        ["link", "rename", "unlink", "truncate"].iter().any(|word| self.name.starts_with(word))
    }

    /// Whether it waits for the bytes of a file, not for names in the folder `dir`.
    pub(crate) fn is_sync_of_file(&self, dir: &str) -> bool {
        self.name == "fsync" && !self.text.contains(&format!("<{dir}>"))
    }

    pub(crate) fn was_hit(&self) -> bool {
        self.text.contains("(INJECTED)")
    }
}

/// Whether strace can trace here; otherwise says that the test is skipped.
pub(crate) fn is_here() -> bool {
    let trial = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-y",
            "--seccomp-bpf",
            "-o",
            "/dev/null",
            "-e",
            "inject=getcwd:error=EIO",
            "true",
        ])
        .stdin(Stdio::null())
        .output();
    match trial {
        Ok(output) if output.status.success() => return true,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            skipped(&format!("strace cannot trace here: {why}"));
        }
        Err(e) => skipped(&format!("faults at system calls need strace ({e})")),
    }
    false
}

/// Runs `solio` with `args` in `dir`. `fault` is what happens at which call, such as
/// `write:error=ENOSPC:when=3`.
pub(crate) fn solio(
    dir: &Path,
    args: &[&str],
    named_temporaries: bool,
    fault: Option<&str>,
) -> Traced {
    let words: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
    let environment: &[_] = if named_temporaries { &[("SOLIO_NO_TMPFILE", "1")] } else { &[] };
    solio_in(dir, &words, environment, WRITING, fault)
}

/// The same with an environment, and with the names of the calls that are told.
pub(crate) fn solio_in(
    dir: &Path,
    words: &[String],
    environment: &[(&str, &str)],
    told: &str,
    fault: Option<&str>,
) -> Traced {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-y", "-s", "200", "-o"]).arg(log.path());
    // With it the other calls cost nothing; but signals are not delivered.
    if !fault.is_some_and(|fault| fault.contains(":signal=")) {
        command.arg("--seccomp-bpf");
    }
    let also = fault.and_then(|f| f.split(':').next()).unwrap_or("write");
    command.arg("-e").arg(format!("trace={told},{also}"));
    if let Some(fault) = fault {
        command.arg("-e").arg(format!("inject={fault}"));
    }
    command.arg(env!("CARGO_BIN_EXE_solio")).args(words).current_dir(dir).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", dir.join("cache")).envs(environment.iter().copied());
    command.env_remove("RUST_BACKTRACE");
    let output = command.output().unwrap();
    // strace ends as the command did, by the same signal where that ended it.
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    Traced {
        code: output.status.code().unwrap_or_else(|| 128 + signal.unwrap()),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        calls: calls(&std::fs::read_to_string(log.path()).unwrap()),
    }
}

/// The calls of a log; those that another thread interrupts are put together again.
fn calls(log: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut made: HashMap<(&str, &str), usize> = HashMap::new();
    let mut under_way: HashMap<&str, usize> = HashMap::new();
    for line in log.lines() {
        let Some((thread, text)) = line.split_once(' ') else { continue };
        let text = text.trim_start();
        if text.starts_with("<... ") {
            let end = text.split_once("resumed>").map_or("", |(_, end)| end);
            if let Some(call) = under_way.remove(thread) {
                calls[call].text.push_str(end);
            }
            continue;
        }
        let Some((name, _)) = text.split_once('(') else { continue };
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let nth = made.entry((thread, name)).or_default();
        *nth += 1;
        let plain = text.strip_suffix("<unfinished ...>");
        if plain.is_some() {
            under_way.insert(thread, calls.len());
        }
        let text = plain.unwrap_or(text).to_owned();
        calls.push(Call { name: name.to_owned(), nth: *nth, text });
    }
    calls
}
