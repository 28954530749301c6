//! The arguments of `solio study`.

use super::shared::{InputArgs, parse_rate, parse_size};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio study -o study.html -- solio info big.obj
  solio study --threads 1,2,8 -- solio check -j {threads} shots/
  solio study --variant \"gzip=zcat a.gz\" --variant \"zstd=zstdcat a.zst\"
  sudo solio study --how cgroup -o study.html -- pbrt scene.pbrt
  solio study numbers scan.obj -o numbers.html
  solio study order shots/";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) other: Option<OtherStudy>,
    /// Bytes a second, such as 50M,100M; there is always a run without a limit
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_rate,
        default_value = "25M,50M,100M,200M,400M,800M,1600M")]
    pub(crate) bandwidths: Vec<u64>,
    /// Turns: all points once, then again the other way round
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// A curve for each number of threads, which takes the place of {threads} in the command
    #[arg(long, value_name = "LIST", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Vec<u16>,
    /// A further curve: a name and a command, in quotes as a shell reads it
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) variant: Vec<String>,
    /// What holds the bandwidth down [default: what can hold these commands here]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) how: Option<SlowDownChoice>,
    /// What the page cache has when a run begins [default: warm; cold with --how cgroup]
    #[arg(long, value_enum, value_name = "CACHE")]
    pub(crate) cache: Option<StudyCacheChoice>,
    /// With --how cgroup: a path on the disk that is slowed down [default: where most is read]
    #[arg(long, value_name = "PATH")]
    pub(crate) medium: Option<PathBuf>,
    /// Write an HTML report (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after --
    #[arg(last = true, required_unless_present = "variant", value_name = "COMMAND",
        value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowDownChoice {
    /// The calls that read wait until their bytes are due: any command, on Linux, without rights
    Calls,
    /// Solio's own: commands of Solio, also started by others, anywhere
    Bucket,
    /// The system's throttle: any command, as root on Linux, for what is not in the page cache
    Cgroup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StudyCacheChoice {
    /// What the run before left there
    Warm,
    /// Nothing of the files that the command reads
    Cold,
}

/// Studies of something else than a command.
#[derive(Debug, Subcommand)]
pub(crate) enum OtherStudy {
    /// Compare ways to write numbers as text: printf, std, Ryu, Dragonbox, Zmij and Solio
    #[cfg(feature = "lab")]
    Numbers(NumbersArgs),
    /// Compare the orders in which the files of a folder can be read
    Order(OrderArgs),
    /// Measure how long small reads wait beside bulk reads, by priority
    Latency(LatencyArgs),
    /// Compare ways to transform boxes and to fold the case of names
    Boxes(StudyOutputArgs),
    /// Compare ways to run ExifTool over photos
    Modes(ModesArgs),
    /// Compare two results: studies, or the traces or reports of two runs
    Compare(CompareArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ModesArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// ExifTool [default: exiftool]
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub(crate) exiftool: Option<PathBuf>,
    /// Turns: all ways once, then again
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// Write an HTML report (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Write an HTML report (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// What solio study --json printed, a file of --trace, or a page of either
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub(crate) before: PathBuf,
    /// The same, later
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: PathBuf,
}

/// Turns, and where the result goes.
#[derive(Debug, Args)]
pub(crate) struct StudyOutputArgs {
    /// Turns: all ways once, then again the other way round
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// Write an HTML report (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NumbersArgs {
    #[command(flatten)]
    pub(crate) out: StudyOutputArgs,
    /// A mesh whose coordinates are written [default: that of solio demo]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) input: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("3")))]
pub(crate) struct OrderArgs {
    #[command(flatten)]
    pub(crate) out: StudyOutputArgs,
    /// The folder; subfolders are included
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LatencyArgs {
    /// Small reads of each way
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) samples: u16,
    /// Bytes of a small read, such as 64k
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64k")]
    pub(crate) size: u64,
    /// Microseconds from the end of a small read to the next one
    #[arg(long = "every", value_name = "MICROSECONDS", default_value_t = 2000)]
    pub(crate) every_us: u64,
    /// Hold all reads together to so many bytes a second, as a slower disk would
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub(crate) bwlimit: Option<u64>,
    /// Read from the page cache instead of the medium
    #[arg(long)]
    pub(crate) warm: bool,
    /// Write an HTML report (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// A large file, or a folder to make one in [default: .]
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) input: Option<PathBuf>,
}
