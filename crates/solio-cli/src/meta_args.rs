//! The arguments of `solio meta`.

use crate::args::{InputArgs, WorkArgs};
use clap::Args;

pub(crate) const EXAMPLES: &str = "\
Examples:
  solio meta photo.jpg
  solio meta -r photos -f DateTimeOriginal,CreateDate,Model --csv > dates.csv
  solio meta -n -f GPSPosition,ImageSize *.heic --jsonl
  find . -name '*.jpg' -print0 | solio meta -0 --files-from - --exiftool-json";

#[derive(Debug, Args)]
pub(crate) struct MetaArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Only these tags: names, with or without a group (CreateDate, ExifIFD:CreateDate, GPS:*)
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// Numbers instead of words
    #[arg(short, long)]
    pub(crate) numbers: bool,
    /// Folders with all that is below them; otherwise only the files right in them
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Print one JSON array
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// Print one JSON object a line, as soon as it is known
    #[arg(long, group = "form")]
    pub(crate) jsonl: bool,
    /// Print comma-separated values, a line a file
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
    /// Print a table, a line a file
    #[arg(long, group = "form")]
    pub(crate) table: bool,
    /// Print JSON as exiftool -j does (with --groups as exiftool -j -G1)
    #[arg(long, group = "form")]
    pub(crate) exiftool_json: bool,
    /// With --exiftool-json: names with their groups, and all tags of a name
    #[arg(short = 'G', long, requires = "exiftool_json")]
    pub(crate) groups: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
