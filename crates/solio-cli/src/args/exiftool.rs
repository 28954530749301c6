//! The arguments of `solio exiftool`: ExifTool's own.

use clap::Args;
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  solio exiftool -j -G1 -DateTimeOriginal -Model photos
  solio exiftool -stay_open True -@ -          commands by lines, as programs send them
  ln -s \"$(command -v solio)\" ~/bin/exiftool   a program of that name is the drop-in
  SOLIO_EXIFTOOL=/usr/bin/exiftool solio exiftool -Artist=me a.jpg
Environment: SOLIO_EXIFTOOL names the real ExifTool (empty: none); SOLIO_EXIFTOOL_STATS names a file that gets
counts of who answered, as JSON.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct ExiftoolArgs {
    /// Tell at the end, on standard error, how much Solio answered itself, and why not the rest (first argument only)
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print help (first argument only)
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
    /// Options, names of tags and files, as ExifTool 13.58 takes them
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}
