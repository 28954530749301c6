//! Every command when there is no memory: the n-th allocation fails, or all from there on; or the
//! process may have so much and no more. Rust ends a process that gets no memory (SIGABRT); then, too,
//! outputs are the old files or the new ones.

use crate::commands::{SAME, SAME_FILES, TIMED, each_line};
use crate::judge::{Ended, Lot, Stage};
use crate::skipped;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Counts allocations; fails the one that FAIL_AT names, with FAIL_ON also all after it.
const WRAPPER: &str = r#"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static atomic_long count;
static long at = -1, on;
static int fails(void) {
    long n = ++count;
    if (at < 0) {
        char *text = getenv("FAIL_AT");
        on = getenv("FAIL_ON") != NULL;
        at = text ? atol(text) : 0;
    }
    if (at == 0 || (on ? n < at : n != at)) return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
    if (fails()) return ENOMEM;
    *p = __libc_memalign(a, n);
    return *p ? 0 : ENOMEM;
}
__attribute__((destructor)) static void say(void) {
    char *name = getenv("FAIL_COUNT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) { fprintf(file, "%ld", (long)count); fclose(file); }
}
"#;

/// The wrapper as a library; none where it cannot be built or preloaded.
fn wrapper(dir: &Path) -> Option<PathBuf> {
    let (source, library) = (dir.join("wrapper.c"), dir.join("wrapper.so"));
    std::fs::write(&source, WRAPPER).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source);
    let built = cfg!(target_env = "gnu") && cc.output().is_ok_and(|output| output.status.success());
    if !built {
        skipped("failing allocations needs glibc and a C compiler");
    }
    built.then_some(library)
}

/// Runs the line of `stage`; a process that does not end is a failure. `bytes` is all the address
/// space it may have.
fn run(stage: &Stage, environment: &[(&str, &str)], bytes: Option<u64>) -> Ended {
    stage.reset();
    let limit = bytes.map_or(String::new(), |bytes| format!("ulimit -v {};", bytes >> 10));
    let output = tempfile::tempdir().unwrap();
    let file = |name: &str| std::fs::File::create(output.path().join(name)).unwrap();
    // The shell and `env` are not to be let down themselves.
    let set = environment.iter().map(|(name, value)| format!("{name}={value}"));
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -c 0; {limit} exec \"$@\""), "sh", "env"])
        .args(set)
        .arg(env!("CARGO_BIN_EXE_solio"))
        .args(stage.words())
        .current_dir(stage.place.path())
        .env("XDG_CACHE_HOME", stage.place.path().join("cache"))
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("{}: hangs with {environment:?}, {bytes:?} bytes", stage.line);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let read = |name: &str| std::fs::read(output.path().join(name)).unwrap();
    Ended {
        code: status.code().unwrap_or_else(|| 128 + status.signal().unwrap()),
        out: read("out"),
        err: String::from_utf8_lossy(&read("err")).into_owned(),
        stuck: false,
    }
}

fn judge(stage: &Stage, ended: &Ended, what: &str) {
    let (code, err) = (ended.code, &ended.err);
    // 134 is SIGABRT, 101 a panic (of whom is looked at below), 127 the loader's own.
    assert!(
        [0, 1, 101, 127, 134].contains(&code),
        "{}: {what}: exit code {code}, {err}",
        stage.line
    );
    assert!(code == 0 || !err.is_empty(), "{}: {what}: says nothing", stage.line);
    stage.judge(ended, what);
}

/// Fails allocations of `line`: `most` of them drawn by lot, more of the early ones.
fn fail(line: &'static str, library: &Path, most: usize) {
    let stage = Stage::new(line);
    let counted = tempfile::NamedTempFile::new().unwrap();
    let library = library.to_str().unwrap();
    let count = [("LD_PRELOAD", library), ("FAIL_COUNT", counted.path().to_str().unwrap())];
    assert_eq!(run(&stage, &count, None).code, 0, "{line}");
    let count: usize = std::fs::read_to_string(counted.path()).unwrap().parse().unwrap();
    assert!(count > 20, "{line}: {count} allocations");
    let mut lot = Lot(0x5eed_0020 ^ line.len() as u64);
    for i in 0..most.min(count) {
        // Every one where all are wanted; else as many between 100 and 200 as between 1000 and 2000.
        let at = match most < count {
            true => (count as f64).powf((lot.below(1000) + 1) as f64 / 1000.0) as usize,
            false => i + 1,
        };
        let at = at.max(1).to_string();
        let mut environment = vec![("LD_PRELOAD", library), ("FAIL_AT", &at)];
        if i % 2 == 1 {
            environment.push(("FAIL_ON", "1"));
        }
        let ended = run(&stage, &environment, None);
        judge(&stage, &ended, &format!("allocation {at} of {count} fails, {environment:?}"));
    }
}

fn short(line: &&'static str) -> bool {
    !["demo", "lab", "light"].iter().any(|long| line.starts_with(long))
}

fn lines() -> Vec<&'static str> {
    [SAME, SAME_FILES, TIMED].concat().into_iter().filter(short).collect()
}

#[test]
fn every_command_bears_failing_allocations() {
    let dir = tempfile::tempdir().unwrap();
    if let Some(library) = wrapper(dir.path()) {
        each_line(&lines(), |line| fail(line, &library, 4));
    }
}

#[test]
#[ignore = "slow: thousands of allocations of every command"]
fn every_command_bears_thousands_of_failing_allocations() {
    let dir = tempfile::tempdir().unwrap();
    if let Some(library) = wrapper(dir.path()) {
        each_line(&lines(), |line| fail(line, &library, 2000));
    }
}

/// The least MiB of address space in which the system can start the command at all.
fn least() -> u64 {
    let starts = |mib: &u64| {
        let line = format!("ulimit -c 0; ulimit -v {}; exec \"$0\" --version", mib << 10);
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_solio")]);
        shell.stdin(Stdio::null()).output().unwrap().status.success()
    };
    (8..1000).step_by(4).find(starts).expect("it starts within 1 GB")
}

/// Gives `line` so many MiB of address space beyond the least, and no more.
fn limit(line: &'static str, least: u64, mib: impl Iterator<Item = u64>) {
    let stage = Stage::new(line);
    for mib in mib.map(|mib| least + mib) {
        let ended = run(&stage, &[], Some(mib << 20));
        judge(&stage, &ended, &format!("{mib} MiB of address space"));
    }
}

#[test]
fn every_command_bears_little_memory() {
    let least = least();
    each_line(&lines(), |line| limit(line, least, [0, 4, 20, 80].into_iter()));
}

#[test]
#[ignore = "slow: every command in a hundred sizes of memory"]
fn every_command_bears_any_little_memory() {
    let least = least();
    each_line(&lines(), |line| limit(line, least, (0..200).step_by(2)));
}
