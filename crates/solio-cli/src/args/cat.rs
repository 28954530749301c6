//! The arguments of `solio cat`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RecordArgs, ShownArgs, WorkArgs, named, parse_rate, recursive};
use clap::Args;
use solio::io::order::Order;
use solio::io::{Backend, Direct, Priority};

const EXAMPLES: &str = "\
Examples:
  solio cat --null --stats shots/           how fast this disk gives files
  solio cat --null --direct never shots/    fill the page cache
  solio cat *.ply | sha256sum               as cat, with many reads under way
  find . -name '*.exr' -print0 |
    solio cat --null --stats -0 --files-from -";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
pub(crate) struct CatArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Discard the data (benchmark reads), in whatever order is fastest
    #[arg(long)]
    pub(crate) null: bool,
    /// What moves the bytes; the environment variable SOLIO_IO overrides it
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = named(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,
    /// In which order files are read: auto is by position on a hard disk, else by inode where
    /// that is free [default: auto with --null, else none]
    #[arg(long, value_name = "ORDER", value_parser = named(Order::ALL, Order::name))]
    pub(crate) order: Option<Order>,
    /// Go past the page cache: auto does for what is not in it
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = named(Direct::ALL, Direct::name))]
    pub(crate) direct: Direct,
    /// Who goes first, beside other reads of this process
    #[arg(long, value_name = "LEVEL", default_value = "normal", value_parser = named(Priority::ALL, Priority::name))]
    pub(crate) priority: Priority,
    /// Read at most so many bytes a second, such as 100M
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub(crate) bwlimit: Option<u64>,
    /// Read at most so many times a second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) iops: Option<u64>,
    /// With --null: print JSON, one object
    #[arg(long, requires = "null")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
