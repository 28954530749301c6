//! The arguments that commands share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum, ValueHint};
use solio::FormatOption;
use solio::mesh::axes::Axis;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// With the help that the table of options has for it.
pub(crate) fn described(arg: Arg) -> Arg {
    match arg.get_long().and_then(FormatOption::of_flag) {
        Some(option) => arg.help(option.help_text()),
        None => arg,
    }
}

/// The bounds of a number that the table of options has.
pub(crate) fn bounds(flag: &str) -> RangeInclusive<i64> {
    FormatOption::of_flag(flag).expect("the option is in the table").bounds()
}

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files, frames as a.####.exr, folders where it goes into them; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,
    /// Read the names of further inputs from a file, one a line; - is standard input
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// The names in LIST end with a zero byte instead of a newline
    #[arg(id = "zero", short = '0', requires = "files_from")]
    pub(crate) null: bool,
}

/// The help of [`InputArgs::files`] for commands that look at files where they lie.
pub(super) fn no_stream(files: Arg) -> Arg {
    files.help("Files, frames as a.####.exr, folders where it goes into them")
}

impl InputArgs {
    /// The same with these files.
    pub(crate) fn with_files(&self, files: Vec<PathBuf>) -> InputArgs {
        InputArgs { files, files_from: self.files_from.clone(), null: self.null }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct WorkArgs {
    /// Threads [default: all that the machine and its control groups leave]
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Memory that the work may use beside its result, such as 512M or 2G [default: an eighth of
    /// the machine's, or of what control groups leave]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub mem: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Seeing the run")]
pub struct RecordArgs {
    /// Write a trace of all threads, for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Write a page about the run: threads, CPU, disk, memory, and the machine's limit
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// Say how much was moved, how fast, and how close that is to the machine's limit
    #[arg(long)]
    pub(crate) stats: bool,
    /// How progress is shown, on standard error
    #[arg(long, value_enum, default_value_t = ProgressChoice::Auto, value_name = "HOW")]
    pub(crate) progress: ProgressChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    /// A bar on a terminal, nothing in a pipe
    Auto,
    /// A bar
    Bar,
    /// One JSON object per step
    Json,
    /// Nothing
    None,
}

// What most commands have: how its results are printed, and how it runs.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Print JSON, one object per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// `-r` of commands that go into folders anyway: typed by habit, not a mistake.
pub(super) fn recursive() -> Arg {
    let arg = Arg::new("recursive").short('r').long("recursive").hide(true);
    arg.action(clap::ArgAction::SetTrue)
}

/// A name of a list that may have spaces behind its commas.
pub(super) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// One of `all`, by its name.
pub(super) fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name_of)).map(move |name| {
        all.into_iter().find(|&v| name_of(v) == name).expect("one of the possible values")
    })
}

impl ProgressChoice {
    /// Whether a bar is drawn: unasked only on a terminal.
    pub(crate) fn is_bar(self) -> bool {
        match self {
            ProgressChoice::Bar => true,
            ProgressChoice::Auto => crate::terminal::is_err(),
            ProgressChoice::Json | ProgressChoice::None => false,
        }
    }

    /// Whether progress is shown at all.
    pub(crate) fn is_shown(self) -> bool {
        self == ProgressChoice::Json || self.is_bar()
    }
}

/// `512M`, `2G`, `65536`, `1.5GiB`: powers of 1024.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    parse_amount(text, 1024.0)
}

/// `100M`, `1.6G`: powers of 1000, as rates of disks are given.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    parse_amount(text, 1000.0)
}

fn parse_amount(text: &str, kilo: f64) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let power = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(format!("unknown unit {unit}; use K, M, G or T")),
    };
    let value: f64 = number.trim().parse().map_err(|_| format!("{number} is not a number"))?;
    let bytes = value * kilo.powi(power);
    if bytes.is_finite() && (1.0..1e18).contains(&bytes) {
        return Ok(bytes as u64);
    }
    Err("must be at least 1 byte".into())
}

pub(super) fn parse_axis(text: &str) -> Result<Axis, String> {
    Axis::from_name(text).ok_or_else(|| "use X, Y, Z, -X, -Y or -Z".into())
}

/// `640x480`, or `640` for both.
pub(super) fn parse_size2(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once(['x', '×']).unwrap_or((text, text));
    let size = [width, height].map(|side| side.parse::<u32>().ok().filter(|n| *n > 0));
    match size {
        [Some(width), Some(height)] => Ok([width, height]),
        _ => Err("use 640 or 640x480".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_size("65536"), Ok(65536));
        assert_eq!(parse_size("2kB"), Ok(2048));
        assert_eq!(parse_rate("1.6G"), Ok(1_600_000_000));
        for bad in ["", "M", "1X", "-1", "1e99", "nan"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
