//! The arguments of `solio check`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RunArgs, named, recursive};
use clap::Args;
use solio::Rule;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio check /projects/shots              everything below: files, names, sequences
  solio check shots/*.exr                  header, chunk table, head of each chunk
  solio check --deep beauty.exr            unpack every chunk, too
  solio check --junit report.xml --ignore missing-frames,case delivery/
  find . -name '*.exr' -print0 |
    solio check -q --json -0 --files-from -
  solio check scene.pbrt                   missing files, wrong parameters

Of JPEG, PNG (with its checksums), TIFF and raw photos, GIF, WebP, HEIF, MP4, PSD the structure is followed \
to its end; of binary PLY and STL the counts are compared with the size; OBJ, HDR and meshes of text \
are read, and packed files unpacked. A file that is cut off anywhere before its end is found, but \
for text that is cut at the end of a line, or within its last number, and for what follows behind a \
picture. Of a scene (pbrt) every statement is held against what pbrt knows, and every file that it \
reads must be there.
In folders also names are looked at. Rules, which --ignore skips: empty (a file of a known \
kind is), zeros (nothing else is in it), end (a text's last line has none), extension (it is that of \
another content), name (not valid UTF-8, or with control characters), case (names differ in nothing else), \
missing-frames, doubles and padding (of sequences; versions, photos as cameras number them and texture \
tiles have no missing frames).
Exit code: 0 all are whole; 1 some are not; 3 there are no files.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Unpack the pixels, too; read meshes, also those of scenes
    #[arg(long)]
    pub(crate) deep: bool,
    /// Rules that may be broken
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = named(Rule::ALL, Rule::name))]
    pub(crate) ignore: Vec<Rule>,
    /// Only report failures
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Also tell of files in folders that they are well
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Write a report for JUnit's readers, such as Jenkins and GitLab
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
