//! The arguments of `solio set`.

use super::shared::{InputArgs, RunArgs};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio set owner='Studio A' framesPerSecond=24000/1001 shots/*.exr
  solio set shotCount:int=3 comments= a.exr -o b.exr
  solio set --part left view=left stereo.exr

A value has the type that is named (name:type=value), else that of the attribute in the file, of the \
standard attribute of this name, or what it looks like: int, float, string. Without a value (name=) \
the attribute is removed. What says how the pixels lie cannot be set. A file whose name has an \
equals sign is written ./a=b.exr.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "solio set [OPTIONS] <NAME=VALUE>... <FILE>...")]
#[command(mut_arg("files", |files| files.help("Attributes, and the files that get them")))]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write here instead of into the same file: a file, or a folder
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Remove this attribute; may be given several times
    #[arg(short, long, value_name = "NAME")]
    pub(crate) delete: Vec<String>,
    /// Only in this part, by number or name [default: all parts]
    #[arg(long, value_name = "PART")]
    pub(crate) part: Option<String>,
    /// fsync outputs before returning
    #[arg(long)]
    pub(crate) durable: bool,
    /// Dry run: show what would be done
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
