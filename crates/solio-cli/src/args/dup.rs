//! The arguments of `solio dup`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RunArgs, named, no_stream, recursive};
use clap::{Args, ValueHint};
use solio::KeepRule;
use solio::io::order::Order;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio dup shots/ textures/               groups, the largest waste first
  solio dup --min-size 1M --json shots/
  solio dup --keep path:masters --keep oldest --script remove.sh masters/ copies/
  solio dup --link --journal links.jsonl textures/    and back: solio dup --undo links.jsonl
  solio dup show.sqlite                    by the hashes of a catalogue; nothing is read
  solio dup --print0 textures/ | xargs -0 ls -l    all but the first of each group
  solio dup --print0 originals/ incoming/          copies, those in originals/ last

Files are compared by size, by both ends, then by XXH128 of all bytes; with --paranoid byte by byte. \
Hard links to one file are no waste: its names stand on one line. Of a group comes first what lies \
below the path that was named first, then by name. Links are not followed.
Exit code: 0 also where there are duplicates; 1 something could not be read.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
#[command(mut_arg("files", no_stream))]
#[command(mut_arg("json", |json| json.help("Print JSON, one object per group")))]
pub(crate) struct DupArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Which file of a group comes first, and is kept: newest, oldest, shortest or longest (path), path:FOLDER;
    /// where one rule does not tell, the next one given does
    #[arg(long, value_name = "RULE", value_parser = |text: &str| text.parse::<KeepRule>())]
    pub(crate) keep: Vec<KeepRule>,
    /// Write a shell script to look at first: it removes all but the first file of each group
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) script: Option<PathBuf>,
    /// Make all but the first file of each group further names of it (hard links), after comparing every byte
    #[arg(long, requires = "journal")]
    pub(crate) link: bool,
    /// With --link: a new file that has what --undo needs
    #[arg(long, value_name = "FILE", requires = "link", value_hint = ValueHint::FilePath)]
    pub(crate) journal: Option<PathBuf>,
    /// Make the names in this journal files of their own again
    #[arg(long, value_name = "JOURNAL", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "link", "script"])]
    pub(crate) undo: Option<PathBuf>,
    /// Empty files are equal, too
    #[arg(long)]
    pub(crate) empty: bool,
    /// Compare every byte, not only digests
    #[arg(long)]
    pub(crate) paranoid: bool,
    /// Print names alone, NUL-separated: all but the first of each group
    #[arg(long, alias = "print-null", short_alias = 'z', conflicts_with = "json")]
    pub(crate) print0: bool,
    /// In which order files are read: auto is by position on a hard disk, else by inode where
    /// that is free
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = named(Order::ALL, Order::name))]
    pub(crate) order: Order,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
