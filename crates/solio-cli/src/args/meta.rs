//! The arguments of `solio meta`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, ShownArgs, WorkArgs, named, trimmed};
use clap::{Args, ValueEnum};
use solio::io::order::Order;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio meta photo.jpg
  solio meta -r photos -f DateTimeOriginal,CreateDate,Model --csv > dates.csv
  solio meta -n -f GPSPosition,ImageSize *.heic --jsonl
  find . -name '*.jpg' -print0 |
    solio meta -0 --files-from - --exiftool-json
  solio meta -b -f ThumbnailImage photo.nef > thumbnail.jpg
  solio meta --engine both -r photos --jsonl   with what only ExifTool knows";

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// Solio
    Native,
    /// ExifTool alone, in a pool of processes
    Exiftool,
    /// Solio; ExifTool for unknown formats and what is missing in maker notes
    Both,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MetaArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Only these tags: names, with or without a group (CreateDate, ExifIFD:CreateDate, GPS:*)
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed)]
    pub(crate) fields: Vec<String>,
    /// Numbers instead of words; short as ExifTool's -n (meta writes nothing that could be tried dry)
    #[arg(short, long)]
    pub(crate) numbers: bool,
    /// Recurse into subfolders; otherwise only the files right in a folder
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Print the bytes of the one field of the one file, and nothing else
    #[arg(short, long, group = "form", requires = "fields", conflicts_with = "numbers")]
    pub(crate) binary: bool,
    /// Print JSON, one array
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// Print JSON, one object per file and line, as soon as it is known
    #[arg(long, group = "form")]
    pub(crate) jsonl: bool,
    /// Print comma-separated values, a line a file
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
    /// As --csv, for spreadsheets: texts that begin with =, +, -, @, a tab or a carriage return, which they
    /// would take for formulas, get an apostrophe before them
    #[arg(long, group = "form")]
    pub(crate) csv_safe: bool,
    /// Print a table, a line a file
    #[arg(long, group = "form")]
    pub(crate) table: bool,
    /// Print JSON as exiftool -j does (with --groups as exiftool -j -G1); of a name in several groups
    /// EXIF's counts here, and --groups shows all
    #[arg(long, group = "form")]
    pub(crate) exiftool_json: bool,
    /// With --exiftool-json: names with their groups, and all tags of a name
    #[arg(
        short = 'G',
        long,
        requires = "exiftool_json",
        conflicts_with_all = ["binary", "json", "jsonl", "csv", "csv_safe", "table"]
    )]
    pub(crate) groups: bool,
    /// Who reads; with both, JSON says of each tag who read it
    #[arg(long, value_enum, value_name = "WHO", default_value_t = EngineChoice::Native)]
    pub(crate) engine: EngineChoice,
    /// The program of ExifTool [default: $SOLIO_EXIFTOOL, or exiftool]
    #[arg(long, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandName)]
    pub(crate) exiftool: Option<PathBuf>,
    /// How long ExifTool may take for a file; then it is started anew
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) exiftool_timeout: f64,
    /// In which order files are read: auto is by position on a hard disk, else as named;
    /// results come in the order of the names
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = named(Order::ALL, Order::name))]
    pub(crate) order: Order,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// A time that is not nothing.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is wanted".to_owned())?;
    if seconds > 0.0 && seconds.is_finite() {
        Ok(seconds)
    } else {
        Err("more than 0 is wanted".into())
    }
}
