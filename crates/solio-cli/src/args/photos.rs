//! The arguments of `solio photos`.

use super::filter::FilterArgs;
use super::shared::{InputArgs, RunArgs, no_stream, recursive};
use clap::{Args, ValueHint};
use solio::{PhotoHow, PhotoTemplate, PhotoZone};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio photos DCIM/ --to Photos/                    show what would go where; nothing is changed
  solio photos DCIM/ --to Photos/ --apply            do it
  solio photos --undo Photos/solio-photos-1.jsonl    and take it back
  solio photos takeout/ --to Photos/ --copy --zone Europe/Berlin --from-name --apply
  solio photos --rename='{date:%Y-%m-%d %H.%M.%S}{-n}{ext:lower}' holiday/

A template has {date:FORM} (FORM as of strftime), {-n} (nothing, -1, -2 where photos have one name), {name}, \
{folder}, {make}, {model}, {lens}, {counter:4} and {ext}. RAW and JPEG, Live Photos, sidecars (.xmp, .aae, \
Takeout's .json and others) stay together and get one name. Dates come from EXIF, else GPS, QuickTime, XMP, \
IPTC, Takeout; files without one stay where they are and are listed. Nothing is ever replaced: equal files are \
told as duplicates, others are numbered.
Without --apply nothing is changed, on a terminal and in a pipe alike.
Exit code: 0 all done; 1 some files have no date, or something failed; 3 there are no photos.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
#[command(override_usage = "solio photos [OPTIONS] <FILE>... --to <FOLDER>")]
#[command(mut_arg("files", no_stream))]
#[command(mut_arg("json", |json| json.help("Print JSON, one object per file, and one for what was done")))]
pub(crate) struct PhotosArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The folder that the photos go to
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) to: Option<PathBuf>,
    /// How new paths are made [default: {date:%Y/%m}/{date:%Y%m%d_%H%M%S}{-n}{ext}]
    #[arg(long, value_name = "TEMPLATE", value_parser = |text: &str| text.parse::<PhotoTemplate>())]
    pub(crate) template: Option<PhotoTemplate>,
    /// Move the files (the default)
    #[arg(long = "move", conflicts_with_all = ["copy", "rename"])]
    pub(crate) moves: bool,
    /// Copy the files
    #[arg(long, conflicts_with = "rename")]
    pub(crate) copy: bool,
    /// Rename the files in their folders, by TEMPLATE if it is given
    /// [default: {date:%Y%m%d_%H%M%S}{-n}{ext}]
    #[arg(long, value_name = "TEMPLATE", num_args = 0..=1, require_equals = true, conflicts_with_all = ["to", "template"], value_parser = |text: &str| text.parse::<PhotoTemplate>())]
    pub(crate) rename: Option<Option<PhotoTemplate>>,
    /// Do it; without this option nothing is changed
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) apply: bool,
    /// Dry run: show what would be done, which is also the default
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// The zone where photos were taken that tell UTC alone (films, GPS, Takeout): Europe/Berlin, +02:00, UTC, or
    /// local for the zone of this machine
    #[arg(long, value_name = "ZONE", value_parser = |text: &str| text.parse::<PhotoZone>())]
    pub(crate) zone: Option<PhotoZone>,
    /// Take the date from the name where nothing else tells one: IMG_20230101_120000, PXL_…, VID-20230101-WA0001,
    /// Screenshot…, 1672574400123
    #[arg(long)]
    pub(crate) from_name: bool,
    /// Take the time of the last change where nothing else tells a date; needs --zone
    #[arg(long, requires = "zone")]
    pub(crate) from_mtime: bool,
    /// A new file that has what --undo and --resume need
    /// [default: solio-photos-1.jsonl, or the next number, in the folder that the photos go to]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) journal: Option<PathBuf>,
    /// Take back what this journal tells of
    #[arg(long, value_name = "JOURNAL", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "to", "apply", "journal", "resume", "rename"])]
    pub(crate) undo: Option<PathBuf>,
    /// Do what is left of what this journal tells of, after a kill or a full disk
    #[arg(long, value_name = "JOURNAL", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "to", "apply", "journal", "rename"])]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl PhotosArgs {
    /// Move, copy or rename.
    pub(crate) fn how(&self) -> PhotoHow {
        match (&self.rename, self.copy) {
            (Some(_), _) => PhotoHow::Rename,
            (None, true) => PhotoHow::Copy,
            (None, false) => PhotoHow::Move,
        }
    }
}
