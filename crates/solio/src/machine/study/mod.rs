//! Runs commands at a series of bandwidths: what would a slower disk cost?
//!
//! Fair by its order: every command at every bandwidth once, then all again, the other way round; the free run
//! twice a turn, so that a run against itself says what noise does. What holds the bandwidth is the same for
//! all commands of a study.

mod hold;
mod result;
mod run;

pub use result::{Study, StudyCurve, StudyPoint};
pub use run::{SlowDown, StudyRun, is_of_solio, study_run};

use hold::Means;
use run::{Hold, is_held, run};
use solio_base::{Cancel, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

/// A command of a study.
///
/// ```
/// use solio::StudyVariant;
/// let plain = StudyVariant { name: "plain".into(), command: vec!["cat".into(), "a.exr".into()] };
/// let packed = StudyVariant { name: "packed".into(), command: vec!["zcat".into(), "a.exr.gz".into()] };
/// assert_ne!(plain, packed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyVariant {
    /// What its curve is called.
    pub name: String,
    /// The command, word by word.
    pub command: Vec<OsString>,
}

/// What the page cache has when a run begins.
///
/// ```
/// assert_eq!(solio::StudyCache::Cold.name(), "cold");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyCache {
    /// What the run before left there: a first run that does not count reads all.
    Warm,
    /// Nothing of the files that the command reads.
    Cold,
}

impl StudyCache {
    /// Its name on the command line.
    ///
    /// ```
    /// assert_eq!(solio::StudyCache::Warm.name(), "warm");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            StudyCache::Warm => "warm",
            StudyCache::Cold => "cold",
        }
    }
}

/// What a study does.
///
/// ```
/// use solio::{SlowDown, StudyOptions, StudyVariant, study};
/// let options = StudyOptions {
///     bandwidths: vec![100_000_000, 1_000_000_000],
///     slow_down: Some(SlowDown::Bucket),
///     ..StudyOptions::default()
/// };
/// let nothing = StudyVariant { name: "true".into(), command: vec!["true".into()] };
/// // One run beside them is not slowed down.
/// let study = study(&[nothing], &options, &Default::default(), |_, _| ())?;
/// let bandwidths: Vec<_> = study.curves[0].points.iter().map(|point| point.bandwidth).collect();
/// assert_eq!(bandwidths, [None, Some(1_000_000_000), Some(100_000_000)]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// Bytes a second of each run, beside one without a limit.
    pub bandwidths: Vec<u64>,
    /// Turns.
    pub rounds: usize,
    /// How the bandwidth is held down; `None` takes what holds these commands here.
    pub slow_down: Option<SlowDown>,
    /// What the page cache has; `None` is cold where the system's throttle holds, which sees nothing else.
    pub cache: Option<StudyCache>,
    /// For the system's throttle: a path on the medium; `None` is where the largest part of what is read lies.
    pub medium: Option<PathBuf>,
}

impl Default for StudyOptions {
    fn default() -> StudyOptions {
        StudyOptions {
            bandwidths: Vec::new(),
            rounds: 3,
            slow_down: None,
            cache: None,
            medium: None,
        }
    }
}

/// Runs all `variants` at every bandwidth; `each` hears of every run: which curve, and at what bandwidth.
///
/// ```no_run
/// use solio::{Cancel, StudyOptions, StudyVariant};
/// let variant = |name: &str, words: &[&str]| StudyVariant {
///     name: name.into(),
///     command: words.iter().map(Into::into).collect(),
/// };
/// let variants = [variant("plain", &["cat", "a"]), variant("gzip", &["zcat", "a.gz"])];
/// let bandwidths = vec![50_000_000, 200_000_000, 1_000_000_000];
/// let options = StudyOptions { bandwidths, ..StudyOptions::default() };
/// let study = solio::study(&variants, &options, &Cancel::default(), |_, _| ())?;
/// for curve in &study.curves {
///     if let Some(knee) = curve.knee() {
///         println!("{}: more than {:.0} MB/s help little", curve.name, knee / 1e6);
///     }
/// }
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When a command cannot be started or fails, or nothing here holds its bandwidth; `Cancelled`, also where a
/// command failed after that.
pub fn study(
    variants: &[StudyVariant],
    options: &StudyOptions,
    cancel: &Cancel,
    mut each: impl FnMut(&str, Option<u64>),
) -> Result<Study> {
    let mut bandwidths = options.bandwidths.clone();
    bandwidths.sort_unstable_by(|a, b| b.cmp(a));
    bandwidths.dedup();
    let means = Means::found(variants, options, cancel)?;
    let mut plan = vec![(None, Hold::new(&means.slow_down, None))];
    plan.extend(bandwidths.iter().map(|b| (Some(*b), Hold::new(&means.slow_down, Some(*b)))));
    let held = plan.len();
    plan.push((None, Hold::new(&means.slow_down, None)));
    // What it costs to be asked about, where nobody waits.
    if means.slow_down == SlowDown::Calls {
        plan.push((None, Hold::Calls(None)));
    }
    let mut runs = vec![vec![Vec::new(); plan.len()]; variants.len()];
    for round in 0..options.rounds.max(1) {
        let mut turn: Vec<_> =
            (0..plan.len()).flat_map(|p| (0..variants.len()).map(move |v| (p, v))).collect();
        if round % 2 == 1 {
            turn.reverse();
        }
        for (place, variant) in turn {
            cancel.check()?;
            let (bandwidth, how) = &plan[place];
            means.prepare(variant)?;
            let ran = run(&variants[variant].command, how, Stdio::null());
            // Ctrl-C ends the command as well: that it failed is no news then.
            let ran = ran.or_else(|error| cancel.check().and(Err(error)))?;
            is_held(&ran, how)?;
            each(&variants[variant].name, *bandwidth);
            runs[variant][place].push(ran);
        }
    }
    let curves = variants.iter().zip(runs).enumerate().map(|(number, (variant, runs))| {
        let mut curve = StudyCurve::of(variant, &plan[..held], &runs, held);
        curve.files = means.files(number);
        if curve.bytes.is_none() || means.slow_down == SlowDown::Calls {
            curve.bytes = means.bytes(number).or(curve.bytes);
        }
        curve
    });
    Ok(Study {
        how: means.slow_down.name(),
        why: means.why.clone(),
        cache: means.cache.name(),
        rounds: options.rounds.max(1),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        curves: curves.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn words(words: &[&str]) -> StudyVariant {
        StudyVariant { name: "it".into(), command: words.iter().map(OsString::from).collect() }
    }

    #[test]
    fn a_command_that_fails_or_is_missing_is_an_error() {
        let options = StudyOptions {
            rounds: 1,
            slow_down: Some(SlowDown::Bucket),
            ..StudyOptions::default()
        };
        let run =
            |command: &[&str]| study(&[words(command)], &options, &Cancel::default(), |_, _| ());
        if Command::new("true").output().is_ok() {
            assert_eq!(run(&["true"]).unwrap().curves[0].points.len(), 1);
            assert!(run(&["false"]).unwrap_err().to_string().contains("failed"));
        }
        assert!(run(&["/no/such/command"]).unwrap_err().to_string().contains("cannot start"));
        assert_eq!(run(&[]).unwrap_err().kind(), solio_base::ErrorKind::Argument);
    }

    #[test]
    fn all_points_take_turns() {
        if Command::new("true").output().is_err() {
            return;
        }
        let options = StudyOptions {
            bandwidths: vec![1_000_000, 2_000_000],
            rounds: 2,
            slow_down: Some(SlowDown::Bucket),
            ..StudyOptions::default()
        };
        let named = |name: &str| StudyVariant { name: name.into(), ..words(&["true"]) };
        let mut order = Vec::new();
        let each = |name: &str, bandwidth: Option<u64>| {
            order.push((name.to_owned(), bandwidth.unwrap_or(0) / 1_000_000));
        };
        let study = study(&[named("a"), named("b")], &options, &Cancel::default(), each).unwrap();
        // The free run twice, and the second turn the other way round.
        let turn = [0, 2, 1, 0].iter().flat_map(|b| [("a".to_owned(), *b), ("b".to_owned(), *b)]);
        let turn: Vec<_> = turn.collect();
        let back: Vec<_> = turn.iter().rev().cloned().collect();
        assert_eq!(order, [turn, back].concat());
        assert_eq!(study.curves[1].points[2].walls.len(), 2);
        assert_eq!((study.how, study.cache), ("bucket", "warm"));
    }
}
