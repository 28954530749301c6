//! The arguments of `solio light`.

use super::shared::{WorkArgs, parse_size};
use clap::{Args, ValueHint};
use std::path::PathBuf;

const NOTE: &str = "\
The peaks are kept for each file system, in ~/.cache/solio/light.json: --stats and --report of other \
commands judge a run by them.";

#[derive(Debug, Args)]
#[command(after_help = NOTE)]
pub(crate) struct LightArgs {
    /// Folder on the file system to measure
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// Size of the scratch file; it leaves nothing behind
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub(crate) size: u64,
    /// Times that each peak is measured; the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// Measure nothing: print what was measured last on this file system
    #[arg(long, conflicts_with_all = ["size", "rounds"])]
    pub(crate) last: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
