//! The arguments of `solio hash`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RunArgs, named, recursive};
use clap::Args;
use solio::digest::Algorithm;
use solio::io::order::Order;

const EXAMPLES: &str = "\
Examples:
  solio hash shots/ > shots.xxh128           all files below, as xxhsum writes them
  solio hash -a sha256 *.exr | sha256sum -c
  solio hash --verify shots.xxh128           or lists of sha256sum, md5sum, xxhsum
  solio hash --mhl A002R2EC/                 a new generation in A002R2EC/ascmhl
  solio hash --verify A002R2EC/              against that history

Files are read unchanged, without unpacking them, each once for all algorithms.
Exit code: 0 all is well; 1 something could not be read, has changed, is missing or new.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
pub(crate) struct HashArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Which hash; several at once give lines with tags. With --verify: how lists without tags
    /// were made [default: xxh128]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = named(Algorithm::ALL, Algorithm::name))]
    pub(crate) algorithm: Vec<Algorithm>,
    /// Name the algorithm on every line, as the BSDs do
    #[arg(long)]
    pub(crate) tag: bool,
    /// Each input is a folder: add a generation to its history (ASC MHL)
    #[arg(long, conflicts_with_all = ["verify", "tag"])]
    pub(crate) mhl: bool,
    /// Check files against lists, folders against their history (ASC MHL)
    #[arg(long, conflicts_with = "tag")]
    pub(crate) verify: bool,
    /// With --verify and --mhl: only report failures
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// With --mhl: author name
    #[arg(long, value_name = "NAME", requires = "mhl")]
    pub(crate) author: Option<String>,
    /// With --mhl: location
    #[arg(long, value_name = "PLACE", requires = "mhl")]
    pub(crate) location: Option<String>,
    /// With --mhl: comment
    #[arg(long, value_name = "TEXT", requires = "mhl")]
    pub(crate) comment: Option<String>,
    /// In which order files are read: auto is by position on a hard disk, else by inode where
    /// that is free
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = named(Order::ALL, Order::name))]
    pub(crate) order: Order,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
