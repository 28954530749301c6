//! The arguments of `solio ls`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RunArgs, no_stream};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  solio ls shots/                    beauty.1001-1100#.exr  98/100  missing …
  solio ls -r --json /projects       one JSON object a line
  solio ls 'beauty.1001-1200#.exr'   how many of these frames are there?
  solio ls -r '*_left.#.exr' 'tex.<UDIM>.tif'
  solio ls -r --print0 . |
    solio convert -0 --files-from - -o out/ --format png

A number right before the extension is that of a frame. Patterns are those of fileseq: # is four \
digits, @ one, or %04d, $F4, <UDIM>; several # are one digit each. Before them a range may stand: \
1-100, 1-100x2 (every other), 1-100y2 (the others), 1-100:2 (coarse first), 1,5,9-12. In the name \
*, ?, [..] and {..,..} match, with -r in all folders below. Where numbers have several widths, the \
fewer are told as odd padding, and frames that are there twice as doubles.
Exit code: 0 listed; 1 something could not be looked at; 3 nothing matched.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("files", no_stream))]
#[command(mut_arg("all", |all| all.short('a').help("Also names that start with a dot, and what is left out unasked")))]
#[command(mut_arg("json", |json| json.help("Print JSON, one object per file, folder or sequence")))]
pub(crate) struct LsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Recurse into subfolders
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Sizes, of sequences those of all frames together
    #[arg(short, long)]
    pub(crate) long: bool,
    /// Print names alone, NUL-separated; of sequences with exactly the frames that
    /// are there, or each file's where that would be read otherwise
    #[arg(long, conflicts_with = "json")]
    pub(crate) print0: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
