//! The arguments that say what is left out of folders: the same for all commands that go into them.

use super::shared::{parse_size, trimmed};
use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use clap::Args;
use solio::{Filter, FilterOptions, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Leaving out")]
pub(crate) struct FilterArgs {
    /// Leave out files and folders that match, as in .gitignore: *.tmp, cache/, /renders/old; ! keeps what
    /// it matches. May be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Only files that match; folders are entered all the same. May be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Leave out what the patterns in this file match. May be given several times
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) ignore_file: Vec<PathBuf>,
    /// Do not read the files .solioignore in folders
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Leave out nothing unasked: @eaDir, .snapshot, $RECYCLE.BIN, #recycle, lost+found, .DS_Store and the like
    #[arg(long)]
    pub(crate) all: bool,
    /// Leave out names that begin with a dot
    #[arg(long)]
    pub(crate) no_hidden: bool,
    /// Enter folders so far below those given; 1 stays in them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_depth: Option<u32>,
    /// Stay on the file systems of the folders given
    #[arg(long)]
    pub(crate) one_file_system: bool,
    /// Leave out smaller files, such as 64K
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) min_size: Option<u64>,
    /// Leave out larger files
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_size: Option<u64>,
    /// Only files that changed since a time (2026-11-01, "2026-11-01 18:30"), within a span (3d, 12h), or after
    /// another file did
    #[arg(long, value_name = "WHEN", value_parser = parse_time)]
    pub(crate) newer: Option<i64>,
    /// Only files that did not change since
    #[arg(long, value_name = "WHEN", value_parser = parse_time)]
    pub(crate) older: Option<i64>,
    /// Only files of these kinds or families, by their content: exr,tiff or image
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = trimmed)]
    pub(crate) kind: Vec<String>,
}

impl FilterArgs {
    /// What is left out.
    ///
    /// # Errors
    /// For patterns and kinds that are none, and ignore files that cannot be read.
    pub(crate) fn filter(&self) -> Result<Filter> {
        Filter::new(&FilterOptions {
            exclude: self.exclude.clone(),
            include: self.include.clone(),
            ignore_files: self.ignore_file.clone(),
            no_ignore: self.no_ignore,
            all: self.all,
            no_hidden: self.no_hidden,
            max_depth: self.max_depth.map(|depth| depth as usize),
            one_file_system: self.one_file_system,
            min_bytes: self.min_size,
            max_bytes: self.max_size,
            newer_ns: self.newer,
            older_ns: self.older,
            kind: if self.kind.is_empty() { None } else { Some(solio::kind_test(&self.kind)?) },
        })
    }

    /// The first option given other than `--exclude`, for commands that take only that one.
    pub(crate) fn beside_exclude(&self) -> Option<&'static str> {
        let given = [
            (!self.include.is_empty(), "--include"),
            (!self.ignore_file.is_empty(), "--ignore-file"),
            (self.no_ignore, "--no-ignore"),
            (self.all, "--all"),
            (self.no_hidden, "--no-hidden"),
            (self.max_depth.is_some(), "--max-depth"),
            (self.one_file_system, "--one-file-system"),
            (self.min_size.is_some(), "--min-size"),
            (self.max_size.is_some(), "--max-size"),
            (self.newer.is_some(), "--newer"),
            (self.older.is_some(), "--older"),
            (!self.kind.is_empty(), "--kind"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// The same options once more, as a command takes them.
    pub(crate) fn typed(&self) -> Vec<String> {
        let mut words = Vec::new();
        let lists =
            [("--exclude", &self.exclude), ("--include", &self.include), ("--kind", &self.kind)];
        for (name, values) in lists {
            words.extend(values.iter().map(|value| format!("{name}={value}")));
        }
        words.extend(
            self.ignore_file.iter().map(|file| format!("--ignore-file={}", file.display())),
        );
        let switches = [
            (self.no_ignore, "--no-ignore"),
            (self.all, "--all"),
            (self.no_hidden, "--no-hidden"),
            (self.one_file_system, "--one-file-system"),
        ];
        words.extend(
            switches.iter().filter(|(given, _)| *given).map(|(_, name)| (*name).to_owned()),
        );
        let time = |ns: i64| DateTime::from_timestamp_nanos(ns).to_rfc3339();
        let values = [
            ("--max-depth", self.max_depth.map(|depth| depth.to_string())),
            ("--min-size", self.min_size.map(|bytes| bytes.to_string())),
            ("--max-size", self.max_size.map(|bytes| bytes.to_string())),
            ("--newer", self.newer.map(time)),
            ("--older", self.older.map(time)),
        ];
        words.extend(
            values.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))),
        );
        words
    }
}

/// A time in nanoseconds since 1970: a date, with a time of day in the zone of this machine or another one, a
/// span before now, or that of a file's last change.
pub(crate) fn parse_time(text: &str) -> std::result::Result<i64, String> {
    let ns = |at: DateTime<Utc>| at.timestamp_nanos_opt();
    let with_zone = [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M%#z",
        "%Y-%m-%d %H:%M%#z",
    ];
    let here = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let zoned = with_zone.iter().find_map(|form| DateTime::parse_from_str(text, form).ok());
    let local = || {
        let times = here.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        let day =
            || Some(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN));
        // An hour that a change of clocks leaves out does not exist.
        Local.from_local_datetime(&times.or_else(day)?).earliest()
    };
    let ago = || {
        let span = chrono::TimeDelta::from_std(humantime::parse_duration(text).ok()?).ok()?;
        ns(Utc::now().checked_sub_signed(span)?)
    };
    let found = zoned
        .and_then(|at| ns(at.to_utc()))
        .or_else(|| ns(local()?.to_utc()))
        .or_else(ago)
        .or_else(|| Some(solio_io::walk::status_of(text.as_ref()).ok()?.modified_ns));
    found.ok_or_else(|| {
        "use a date (2026-11-01, \"2026-11-01 18:30\", 2026-11-01T18:30Z), a span (3d, 12h, \"2 weeks\") or the \
         name of a file"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_spans_or_files() {
        let day = parse_time("2026-11-02").unwrap() - parse_time("2026-11-01").unwrap();
        assert!((23..=25).contains(&(day / 3_600_000_000_000)));
        assert_eq!(parse_time("2001-09-09T01:46:40Z"), Ok(1_000_000_000_000_000_000));
        assert_eq!(parse_time("2001-09-09 03:46:40+02:00"), Ok(1_000_000_000_000_000_000));
        let now = parse_time("0s").unwrap();
        for (span, seconds) in [("3d", 3 * 86_400), ("12h", 12 * 3_600), ("90 minutes", 5_400)] {
            let ago = (now - parse_time(span).unwrap()) / 1_000_000_000;
            assert!((ago - seconds).abs() <= 3_600, "{span} {ago}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!((parse_time(file.path().to_str().unwrap()).unwrap() - now).abs() < 60_000_000_000);
        for bad in ["", "yesterday-ish", "2026-13-01", "/no/such/file"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }
}
