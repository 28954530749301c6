//! One run of a command, held to a bandwidth or free.

use solio_base::{Error, ErrorKind, Result};
use solio_io::cgroup::Throttle;
use solio_io::held::{self, Reads};
use solio_measure::{ProcessSample, ProcessWatch, Stopwatch, children_cpu_s};
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How the bandwidth is held down.
///
/// ```no_run
/// use solio::SlowDown;
/// let command = ["cat", "/data/city.pbrt"].map(Into::into);
/// // Any command, without rights: its calls wait until their bytes are due.
/// let run = solio::study_run(&command, Some(100_000_000), &SlowDown::Calls)?;
/// assert!(run.read_bytes.is_some());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SlowDown {
    /// Solio's own token bucket: for commands of Solio, anywhere.
    #[default]
    Bucket,
    /// The calls that read wait until their bytes are due: for any command, on Linux, without rights. A map is
    /// paid for whole when it is made.
    Calls,
    /// The system's throttle of the device below this path (cgroup v1 or v2): for any command, as root.
    /// It holds what is not in the page cache.
    Cgroup(PathBuf),
}

impl SlowDown {
    /// Its name on the command line.
    ///
    /// ```
    /// assert_eq!(solio::SlowDown::Calls.name(), "calls");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            SlowDown::Bucket => "bucket",
            SlowDown::Calls => "calls",
            SlowDown::Cgroup(_) => "cgroup",
        }
    }
}

/// One run of a command.
///
/// ```
/// use solio::SlowDown;
/// let command = ["echo", "done"].map(Into::into);
/// let run = solio::study_run(&command, None, &SlowDown::Bucket)?;
/// assert_eq!(run.output, b"done\n");
/// assert!(run.wall_s > 0.0);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyRun {
    /// Seconds on the wall clock.
    pub wall_s: f64,
    /// CPU seconds of the command and of what it waited for.
    pub cpu_s: f64,
    /// Bytes that the command read, where the system says so: with [`SlowDown::Cgroup`] from the medium,
    /// otherwise from files, page cache included.
    pub read_bytes: Option<u64>,
    /// Those of them that came by maps, with [`SlowDown::Calls`].
    pub mapped_bytes: u64,
    /// The files it read, with [`SlowDown::Calls`].
    pub files: Vec<PathBuf>,
    /// The command over time, seen from outside.
    pub samples: Vec<ProcessSample>,
    /// What it printed, where that was asked for.
    pub output: Vec<u8>,
}

/// Whether a command is one of Solio, which [`SlowDown::Bucket`] holds.
///
/// ```
/// assert!(solio::is_of_solio("target/release/solio".as_ref()));
/// assert!(!solio::is_of_solio("cat".as_ref()));
/// ```
pub fn is_of_solio(program: &std::ffi::OsStr) -> bool {
    let path = std::path::Path::new(program);
    let own = std::env::current_exe().ok().and_then(|own| own.canonicalize().ok());
    let is_own = own.is_some() && path.canonicalize().ok() == own;
    is_own || path.file_stem().is_some_and(|stem| stem == "solio" || stem == "solio-bench")
}

/// Runs `command` once, at most at `bandwidth` bytes a second, and keeps what it prints. It should
/// not be much: it is taken in whole.
///
/// ```
/// use solio::{ErrorKind, SlowDown};
/// let run = |words: &[&str]| {
///     let command: Vec<_> = words.iter().map(Into::into).collect();
///     solio::study_run(&command, Some(1_000_000), &SlowDown::Bucket)
/// };
/// assert!(run(&["true"])?.output.is_empty());
/// // A command that fails says nothing about disks.
/// assert_eq!(run(&["false"]).unwrap_err().kind(), ErrorKind::Io);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// As those of [`study`](crate::study).
pub fn study_run(
    command: &[OsString],
    bandwidth: Option<u64>,
    slow_down: &SlowDown,
) -> Result<StudyRun> {
    let how = match slow_down {
        SlowDown::Calls => Hold::Calls(bandwidth),
        SlowDown::Bucket => Hold::Bucket(bandwidth),
        SlowDown::Cgroup(path) => {
            solio_io::cgroup::empty_page_cache()?;
            Hold::Cgroup(path.clone(), bandwidth)
        }
    };
    run(command, &how, Stdio::piped())
}

/// What is done about one run's reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nobody asks and nobody holds.
    Free,
    Bucket(Option<u64>),
    /// Without a rate they are counted.
    Calls(Option<u64>),
    Cgroup(PathBuf, Option<u64>),
}

impl Hold {
    pub(super) fn new(slow_down: &SlowDown, bandwidth: Option<u64>) -> Hold {
        match (slow_down, bandwidth) {
            (SlowDown::Calls | SlowDown::Bucket, None) => Hold::Free,
            (SlowDown::Bucket, _) => Hold::Bucket(bandwidth),
            (SlowDown::Calls, _) => Hold::Calls(bandwidth),
            // A group costs something as well, so that the free run has one.
            (SlowDown::Cgroup(path), _) => Hold::Cgroup(path.clone(), bandwidth),
        }
    }
}

/// A command under way, and what holds it.
struct Started {
    child: Child,
    reads: Option<Reads>,
    throttle: Option<Throttle>,
}

fn start(command: &mut Command, how: &Hold) -> Result<Started> {
    let program = PathBuf::from(command.get_program());
    let failed = |e: std::io::Error| Error::io("start the command", e).at_path(&program);
    let variable = solio_io::throttle::VARIABLE;
    match how {
        Hold::Bucket(Some(bytes)) => command.env(variable, bytes.to_string()),
        _ => command.env_remove(variable),
    };
    match how {
        Hold::Calls(rate) => {
            let held = held::start(command, *rate)?;
            Ok(Started { child: held.child, reads: Some(held.reads), throttle: None })
        }
        Hold::Cgroup(path, bandwidth) => {
            let throttle = Throttle::new(path, *bandwidth)?;
            let child = throttle.start(command).map_err(failed)?;
            Ok(Started { child, reads: None, throttle: Some(throttle) })
        }
        Hold::Free | Hold::Bucket(_) => {
            let child = command.spawn().map_err(failed)?;
            Ok(Started { child, reads: None, throttle: None })
        }
    }
}

pub(super) fn run(command: &[OsString], how: &Hold, output: Stdio) -> Result<StudyRun> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::argument("no command was given").hint("put it after --"));
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(output);
    let (watch, before_s) = (Stopwatch::start(), children_cpu_s());
    let Started { mut child, reads, throttle } = start(&mut command, how)?;
    let samples = ProcessWatch::start(child.id());
    let mut output = Vec::new();
    let read = child.stdout.as_mut().map_or(Ok(0), |printed| printed.read_to_end(&mut output));
    let ended = solio_io::cgroup::wait_and_count(&mut child);
    let wall_s = watch.wall_s();
    let samples = samples.finish();
    let reads = reads.map(Reads::finish);
    read.map_err(|e| Error::io("read what the command prints", e).at_path(program))?;
    let (status, counts) = ended.map_err(|e| Error::io("wait for the command", e))?;
    if !status.success() {
        let message = format!("the command failed ({status})");
        return Err(Error::new(ErrorKind::Io, message).at_path(program));
    }
    let cpu_s = children_cpu_s() - before_s;
    let read_bytes = match (&reads, &throttle) {
        (Some(reads), _) => Some(reads.bytes),
        (None, Some(_)) => counts.map(|c| c.from_medium),
        (None, None) => counts.map(|c| c.from_files),
    };
    if let Some(throttle) = throttle {
        // The system needs a moment until the process has left the group.
        std::thread::sleep(Duration::from_millis(1));
        throttle.remove();
    }
    let reads = reads.unwrap_or_default();
    let files = reads.files.into_iter().map(|(path, _)| path).collect();
    let mapped_bytes = reads.mapped_bytes;
    Ok(StudyRun { wall_s, cpu_s, read_bytes, mapped_bytes, files, samples, output })
}

/// What may be read beside where the bound is loose: programs and their libraries.
const BESIDE_BYTES: f64 = 4e6;

/// That a run read no faster than it should have. Calls are held to the byte; of the others only what reads
/// much faster is sure not to have been held.
pub(super) fn is_held(run: &StudyRun, how: &Hold) -> Result<()> {
    let (bandwidth, beside) = match how {
        Hold::Calls(Some(bandwidth)) => (*bandwidth, 0.0),
        Hold::Bucket(Some(bandwidth)) | Hold::Cgroup(_, Some(bandwidth)) => {
            (*bandwidth, 0.1 * *bandwidth as f64 + BESIDE_BYTES)
        }
        _ => return Ok(()),
    };
    let Some(read_bytes) = run.read_bytes else { return Ok(()) };
    let may_be = bandwidth as f64 * 1.25 * run.wall_s + beside;
    if read_bytes as f64 <= may_be {
        return Ok(());
    }
    let rate = read_bytes as f64 / run.wall_s.max(1e-9) / 1e6;
    let words = format!(
        "the command read {rate:.0} MB/s where {:.0} MB/s were the bound: nothing held it",
        bandwidth as f64 / 1e6
    );
    Err(Error::unsupported(words).hint(
        "--how bucket holds commands of Solio alone; others --how calls, or as root --how cgroup",
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;

    #[test]
    fn a_run_that_nothing_held_is_an_error() {
        let run = |read_bytes, wall_s| StudyRun { wall_s, read_bytes, ..StudyRun::default() };
        let bucket = |rate| Hold::Bucket(Some(rate));
        assert!(is_held(&run(Some(40_000_000), 0.01), &bucket(20_000_000)).is_err());
        assert!(is_held(&run(Some(40_000_000), 2.0), &bucket(20_000_000)).is_ok());
        assert!(is_held(&run(Some(40_000_000), 0.01), &Hold::Free).is_ok());
        assert!(is_held(&run(None, 0.01), &bucket(1)).is_ok());
        // Where every byte is held, a small job leaks nothing either.
        let calls = Hold::Calls(Some(20_000_000));
        assert!(is_held(&run(Some(2_000_000), 0.05), &calls).is_err());
        assert!(is_held(&run(Some(2_000_000), 0.1), &calls).is_ok());
    }

    #[test]
    fn a_run_keeps_what_the_command_prints() {
        if Command::new("printenv").output().is_err() {
            return println!("skipped: no command printenv");
        }
        let words = ["printenv", solio_io::throttle::VARIABLE].map(OsString::from);
        let run = study_run(&words, Some(5000), &SlowDown::Bucket).unwrap();
        assert_eq!(run.output, b"5000\n");
        assert!(run.wall_s > 0.0);
    }
}
