//! The arguments of `solio study`.

use super::shared::parse_rate;
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio study -o study.html -- solio info big.obj
  sudo solio study --how cgroup -o study.html -- pbrt scene.pbrt";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StudyArgs {
    /// Bytes a second, such as 50M,100M; there is always a run without a limit
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_rate,
        default_value = "25M,50M,100M,200M,400M,800M,1600M")]
    pub(crate) bandwidths: Vec<u64>,
    /// Runs at each bandwidth; the median counts, of an even number the lower one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// What holds the bandwidth down [default: bucket for commands of Solio; others need a choice]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) how: Option<SlowDownChoice>,
    /// With --how cgroup: a path on the disk that is slowed down [default: .]
    #[arg(long, value_name = "PATH")]
    pub(crate) medium: Option<PathBuf>,
    /// Write a page here (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowDownChoice {
    /// Solio's own: for commands of Solio, also started by others, anywhere
    Bucket,
    /// The system's throttle: for any command, as root on Linux; empties the page cache
    Cgroup,
}
