//! What holds the commands of a study here, and what they read.

use super::run::{Hold, StudyRun, is_of_solio, run};
use super::{SlowDown, StudyCache, StudyOptions, StudyVariant};
use solio_base::{Cancel, Error, ErrorKind, Result};
use solio_io::cgroup::{Throttle, empty_page_cache};
use solio_io::held::drop_from_cache;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// No disk reads so many bytes a second: whether a bound can be set at all.
const NO_BOUND: u64 = 1 << 40;

/// What holds, and what a first run of each command told.
pub(super) struct Means {
    pub(super) slow_down: SlowDown,
    pub(super) why: String,
    pub(super) cache: StudyCache,
    /// Of each command, where its calls could be asked about.
    first: Vec<Option<StudyRun>>,
}

impl Means {
    /// Runs each command once: that warms the cache up, and tells what it reads where the system lets it.
    pub(super) fn found(
        variants: &[StudyVariant],
        options: &StudyOptions,
        cancel: &Cancel,
    ) -> Result<Means> {
        let mut first = Vec::new();
        for variant in variants {
            cancel.check()?;
            first.push(first_run(variant, options, cancel)?);
        }
        let (slow_down, why) = chosen(variants, options, &first)?;
        let by_throttle = matches!(slow_down, SlowDown::Cgroup(_));
        let cache =
            options.cache.unwrap_or(if by_throttle { StudyCache::Cold } else { StudyCache::Warm });
        if by_throttle && cache == StudyCache::Warm {
            let error =
                Error::argument("the system's throttle holds nothing that is in the page cache");
            return Err(error.hint("leave out --cache warm, or use --how calls"));
        }
        Ok(Means { slow_down, why, cache, first })
    }

    /// Before each run of a command.
    pub(super) fn prepare(&self, variant: usize) -> Result<()> {
        if self.cache == StudyCache::Warm {
            return Ok(());
        }
        let Some(first) = &self.first[variant] else { return empty_page_cache() };
        // What it made itself may be gone.
        for path in first.files.iter().filter(|path| path.is_file()) {
            drop_from_cache(path)?;
        }
        Ok(())
    }

    pub(super) fn files(&self, variant: usize) -> Option<usize> {
        self.first[variant].as_ref().map(|run| run.files.len())
    }

    pub(super) fn bytes(&self, variant: usize) -> Option<u64> {
        self.first[variant].as_ref()?.read_bytes
    }
}

/// The first run of a command; `None` where its calls cannot be asked about, or need not.
fn first_run(
    variant: &StudyVariant,
    options: &StudyOptions,
    cancel: &Cancel,
) -> Result<Option<StudyRun>> {
    let is_asked = options.slow_down.as_ref() != Some(&SlowDown::Bucket)
        || options.cache == Some(StudyCache::Cold);
    let fine = |ran: Result<StudyRun>| ran.or_else(|error| cancel.check().and(Err(error)));
    if is_asked {
        match fine(run(&variant.command, &Hold::Calls(None), Stdio::null())) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {}
            ran => return ran.map(Some),
        }
    }
    fine(run(&variant.command, &Hold::Free, Stdio::null()))?;
    Ok(None)
}

/// What holds these commands here, and why it was taken.
fn chosen(
    variants: &[StudyVariant],
    options: &StudyOptions,
    first: &[Option<StudyRun>],
) -> Result<(SlowDown, String)> {
    let medium = options.medium.clone().unwrap_or_else(|| medium_of(first));
    match &options.slow_down {
        Some(SlowDown::Cgroup(_)) => return Ok((SlowDown::Cgroup(medium), "as asked".into())),
        Some(how) => return Ok((how.clone(), "as asked".into())),
        None => {}
    }
    let sum = |get: fn(&StudyRun) -> u64| first.iter().flatten().map(get).sum::<u64>();
    let (bytes, mapped) = (sum(|run| run.read_bytes.unwrap_or(0)), sum(|run| run.mapped_bytes));
    let can_ask = first.iter().all(Option::is_some);
    let has_rights = || Throttle::new(&medium, Some(NO_BOUND)).map(Throttle::remove).is_ok();
    if can_ask && mapped * 2 <= bytes {
        let why = "the calls that read wait until their bytes are due";
        return Ok((SlowDown::Calls, why.into()));
    }
    if has_rights() {
        let why = if can_ask {
            "most of what is read comes by maps"
        } else {
            "calls cannot be held here"
        };
        return Ok((SlowDown::Cgroup(medium), format!("the system's throttle: {why}")));
    }
    if can_ask {
        let why =
            "most of what is read comes by maps, each of which is paid for whole when it is made";
        return Ok((SlowDown::Calls, why.into()));
    }
    if variants.iter().all(|variant| variant.command.first().is_some_and(|word| is_of_solio(word)))
    {
        return Ok((SlowDown::Bucket, "all are commands of Solio, which hold themselves".into()));
    }
    let error = Error::unsupported("nothing here holds this command to a bandwidth");
    Err(error.hint(
        "--how cgroup does, as root on Linux; --how bucket where it starts commands of Solio",
    ))
}

/// The file of all that most was read of first; where nobody knows, this folder.
fn medium_of(first: &[Option<StudyRun>]) -> PathBuf {
    let mut files = first.iter().flatten().flat_map(|run| &run.files);
    let largest = files.by_ref().filter_map(|path| Some((path.metadata().ok()?.len(), path)));
    largest.max_by_key(|(bytes, _)| *bytes).map_or(Path::new("."), |(_, path)| path).to_owned()
}
