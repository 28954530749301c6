//! Runs a command at a series of bandwidths: what would a slower disk cost?

use solio_base::{Cancel, Error, ErrorKind, Result};
use solio_io::cgroup::Throttle;
use solio_measure::Stopwatch;
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How the bandwidth is held down.
///
/// ```no_run
/// use solio::SlowDown;
/// let command = ["cat", "/data/city.pbrt"].map(Into::into);
/// // Any command, as root: 100 MB/s from the device that /data lies on.
/// let slow = SlowDown::Cgroup("/data".into());
/// let run = solio::study_run(&command, Some(100_000_000), &slow)?;
/// assert!(run.read_bytes.is_some());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SlowDown {
    /// Solio's own token bucket: for commands of Solio, anywhere.
    #[default]
    Bucket,
    /// The system's throttle of the device below this path (cgroup v1 or v2): for any command, as
    /// root. The page cache is emptied before each run.
    Cgroup(PathBuf),
}

/// What a study does.
///
/// ```
/// use solio::{SlowDown, StudyOptions, study};
/// let options = StudyOptions {
///     bandwidths: vec![100_000_000, 1_000_000_000],
///     rounds: 1,
///     slow_down: SlowDown::Bucket,
/// };
/// // One run beside them is not slowed down.
/// let study = study(&["true".into()], &options, &Default::default(), |_| ())?;
/// let bandwidths: Vec<_> = study.points.iter().map(|point| point.bandwidth).collect();
/// assert_eq!(bandwidths, [None, Some(1_000_000_000), Some(100_000_000)]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// Bytes a second of each run, beside one without a limit.
    pub bandwidths: Vec<u64>,
    /// Runs at each; the median counts, of an even number the lower of the two in the middle.
    pub rounds: usize,
    /// How the bandwidth is held down.
    pub slow_down: SlowDown,
}

/// One bandwidth and what the command took there.
///
/// ```
/// use solio::StudyPoint;
/// let point = |bandwidth, wall_s| StudyPoint { bandwidth, wall_s, read_bytes: Some(1_000_000) };
/// let (free, slow) = (point(None, 0.1), point(Some(2_000_000), 0.5));
/// // At 2 MB/s its reading alone takes half a second: nothing else is left to gain.
/// let least_s = slow.read_bytes.unwrap() as f64 / slow.bandwidth.unwrap() as f64;
/// assert!(slow.wall_s >= least_s && least_s > free.wall_s);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPoint {
    /// Bytes a second; `None` is without a limit.
    pub bandwidth: Option<u64>,
    /// Median seconds on the wall clock.
    pub wall_s: f64,
    /// Bytes that the command read, where the system says so: with [`SlowDown::Cgroup`] from the
    /// medium, otherwise from files, page cache included.
    pub read_bytes: Option<u64>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct StudyRun {
    /// Seconds on the wall clock.
    pub wall_s: f64,
    /// Bytes that the command read, as in [`StudyPoint`].
    pub read_bytes: Option<u64>,
    /// What it printed, where that was asked for.
    pub output: Vec<u8>,
}

/// A study's result.
///
/// ```
/// use solio::{Study, StudyPoint};
/// let points = [(None, 2.0), (Some(500_000_000), 2.5), (Some(100_000_000), 10.0)];
/// let points = points.map(|(bandwidth, wall_s)| StudyPoint {
///     bandwidth,
///     wall_s,
///     read_bytes: Some(1_000_000_000),
/// });
/// let study = Study { command: vec!["render".into()], points: points.into() };
/// // A disk that reads more than 500 MB/s hardly helps.
/// assert_eq!((study.floor_s(), study.knee()), (2.0, Some(500e6)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The command, word by word.
    pub command: Vec<String>,
    /// Without a limit first, then from the fastest to the slowest.
    pub points: Vec<StudyPoint>,
}

impl Study {
    /// The least seconds of all runs: the asymptote of a disk that costs nothing.
    ///
    /// ```
    /// use solio::{Study, StudyPoint};
    /// let point = |wall_s| StudyPoint { bandwidth: None, wall_s, read_bytes: None };
    /// let study = Study { command: Vec::new(), points: vec![point(0.25), point(0.5)] };
    /// assert_eq!(study.floor_s(), 0.25);
    /// ```
    pub fn floor_s(&self) -> f64 {
        self.points.iter().map(|p| p.wall_s).reduce(f64::min).unwrap_or(0.0)
    }

    /// Bytes that have to be read: `bytes / bandwidth` is the asymptote of a slow disk. `None` where
    /// the system does not say.
    ///
    /// ```
    /// use solio::{Study, StudyPoint};
    /// let point = |read_bytes| StudyPoint { bandwidth: None, wall_s: 1.0, read_bytes };
    /// // A run that found more in the page cache read less from the medium.
    /// let study = Study { command: Vec::new(), points: vec![point(Some(800)), point(Some(900))] };
    /// assert_eq!(study.bytes(), Some(900.0));
    /// ```
    pub fn bytes(&self) -> Option<f64> {
        self.points.iter().filter_map(|p| p.read_bytes).max().map(|bytes| bytes as f64)
    }

    /// The bandwidth at which the asymptotes meet: a faster disk gains little. `None` where the system
    /// does not say what was read.
    ///
    /// ```
    /// use solio::{Study, StudyPoint};
    /// let point = StudyPoint { bandwidth: None, wall_s: 0.5, read_bytes: Some(100_000_000) };
    /// let study = Study { command: Vec::new(), points: vec![point] };
    /// assert_eq!(study.knee(), Some(200e6));
    /// ```
    pub fn knee(&self) -> Option<f64> {
        Some(self.bytes()? / self.floor_s().max(1e-9))
    }
}

/// Runs `command` at every bandwidth; `each` hears of every point as it comes.
///
/// ```no_run
/// use solio::{Cancel, SlowDown, StudyOptions};
/// let command = ["solio", "info", "city.pbrt"].map(Into::into);
/// let bandwidths = vec![50_000_000, 200_000_000, 1_000_000_000];
/// let options = StudyOptions { bandwidths, rounds: 3, slow_down: SlowDown::Bucket };
/// let study = solio::study(&command, &options, &Cancel::default(), |point| {
///     println!("{:?} bytes a second: {:.2} s", point.bandwidth, point.wall_s);
/// })?;
/// if let Some(knee) = study.knee() {
///     println!("more than {:.0} MB/s help little", knee / 1e6);
/// }
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When the command cannot be started or fails, or the system's throttle cannot be set; `Cancelled`,
/// also where the command failed after that.
pub fn study(
    command: &[OsString],
    options: &StudyOptions,
    cancel: &Cancel,
    mut each: impl FnMut(&StudyPoint),
) -> Result<Study> {
    let mut bandwidths = options.bandwidths.clone();
    bandwidths.sort_unstable_by(|a, b| b.cmp(a));
    bandwidths.dedup();
    let mut points = Vec::new();
    for bandwidth in std::iter::once(None).chain(bandwidths.into_iter().map(Some)) {
        let mut walls = Vec::new();
        let mut read_bytes = None;
        for _ in 0..options.rounds.max(1) {
            cancel.check()?;
            let run = run(command, bandwidth, &options.slow_down, Stdio::null());
            // Ctrl-C ends the command as well: that it failed is no news then.
            let run = run.or_else(|error| cancel.check().and(Err(error)))?;
            is_held(&run, bandwidth)?;
            walls.push(run.wall_s);
            read_bytes = read_bytes.max(run.read_bytes);
        }
        let point = StudyPoint { bandwidth, wall_s: median(&mut walls), read_bytes };
        each(&point);
        points.push(point);
    }
    let command = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Ok(Study { command, points })
}

/// What may be read beside: programs and their libraries, and what comes at once.
const BESIDE_BYTES: f64 = 4e6;

/// That a run read no faster than it should have.
fn is_held(run: &StudyRun, bandwidth: Option<u64>) -> Result<()> {
    let (Some(bandwidth), Some(read_bytes)) = (bandwidth, run.read_bytes) else { return Ok(()) };
    let may_be = bandwidth as f64 * (1.25 * run.wall_s + 0.1) + BESIDE_BYTES;
    if read_bytes as f64 <= may_be {
        return Ok(());
    }
    let rate = read_bytes as f64 / run.wall_s.max(1e-9) / 1e6;
    let words = format!(
        "the command read {rate:.0} MB/s where {:.0} MB/s were the bound: nothing held it",
        bandwidth as f64 / 1e6
    );
    Err(Error::unsupported(words)
        .hint("--how bucket holds commands of Solio alone; others --how cgroup, as root"))
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

/// The lower one of an even number: the slower of two runs is no median.
fn median(walls: &mut [f64]) -> f64 {
    walls.sort_by(f64::total_cmp);
    walls[(walls.len() - 1) / 2]
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
/// As those of [`study`].
pub fn study_run(
    command: &[OsString],
    bandwidth: Option<u64>,
    slow_down: &SlowDown,
) -> Result<StudyRun> {
    run(command, bandwidth, slow_down, Stdio::piped())
}

fn run(
    command: &[OsString],
    bandwidth: Option<u64>,
    slow_down: &SlowDown,
    output: Stdio,
) -> Result<StudyRun> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::argument("no command was given").hint("put it after --"));
    };
    let mut start = Command::new(program);
    start.args(arguments).stdin(Stdio::null()).stdout(output);
    let throttle = match slow_down {
        SlowDown::Bucket => {
            match bandwidth {
                Some(bytes) => start.env(solio_io::throttle::VARIABLE, bytes.to_string()),
                None => start.env_remove(solio_io::throttle::VARIABLE),
            };
            None
        }
        SlowDown::Cgroup(path) => {
            solio_io::cgroup::empty_page_cache()?;
            Some(Throttle::new(path, bandwidth)?)
        }
    };
    let watch = Stopwatch::start();
    let failed = |e: std::io::Error| Error::io("start the command", e).at_path(program);
    let mut child = match &throttle {
        Some(throttle) => throttle.start(&mut start).map_err(failed)?,
        None => start.spawn().map_err(failed)?,
    };
    let mut output = Vec::new();
    if let Some(printed) = &mut child.stdout {
        printed.read_to_end(&mut output).map_err(failed)?;
    }
    let ended = solio_io::cgroup::wait_and_count(&mut child);
    let wall_s = watch.wall_s();
    let (status, counts) = ended.map_err(|e| Error::io("wait for the command", e))?;
    if !status.success() {
        let message = format!("the command failed ({status})");
        return Err(Error::new(ErrorKind::Io, message).at_path(program));
    }
    if let Some(throttle) = throttle {
        // The system needs a moment until the process has left the group.
        std::thread::sleep(Duration::from_millis(1));
        throttle.remove();
        return Ok(StudyRun { wall_s, read_bytes: counts.map(|c| c.from_medium), output });
    }
    Ok(StudyRun { wall_s, read_bytes: counts.map(|c| c.from_files), output })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;

    #[test]
    fn the_asymptotes_meet_at_the_knee() {
        let point = |bandwidth, wall_s| StudyPoint { bandwidth, wall_s, read_bytes: Some(400) };
        let points = vec![point(None, 2.5), point(Some(1000), 2.0), point(Some(10), 41.0)];
        let study = Study { command: vec!["true".into()], points };
        assert_eq!((study.floor_s(), study.bytes(), study.knee()), (2.0, Some(400.0), Some(200.0)));
        let points = vec![StudyPoint { bandwidth: None, wall_s: 2.5, read_bytes: None }];
        let study = Study { command: vec!["true".into()], points };
        assert_eq!((study.bytes(), study.knee()), (None, None));
    }

    #[test]
    fn a_run_that_nothing_held_is_an_error() {
        let run = |read_bytes, wall_s| StudyRun { wall_s, read_bytes, output: Vec::new() };
        assert!(is_held(&run(Some(40_000_000), 0.01), Some(20_000_000)).is_err());
        assert!(is_held(&run(Some(40_000_000), 2.0), Some(20_000_000)).is_ok());
        assert!(is_held(&run(Some(40_000_000), 0.01), None).is_ok());
        assert!(is_held(&run(None, 0.01), Some(1)).is_ok());
    }

    #[test]
    fn of_two_runs_the_faster_one_counts() {
        assert_eq!(median(&mut [3.0, 1.0]), 1.0);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 3.0, 1.0, 2.0]), 2.0);
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

    #[test]
    fn a_command_that_fails_or_is_missing_is_an_error() {
        let options =
            StudyOptions { bandwidths: vec![], rounds: 1, slow_down: SlowDown::default() };
        let run = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            study(&words, &options, &Cancel::default(), |_| ())
        };
        if Command::new("true").output().is_ok() {
            assert_eq!(run(&["true"]).unwrap().points.len(), 1);
            assert!(run(&["false"]).unwrap_err().to_string().contains("failed"));
        }
        assert!(run(&["/no/such/command"]).unwrap_err().to_string().contains("cannot start"));
        assert_eq!(run(&[]).unwrap_err().kind(), ErrorKind::Argument);
    }
}
