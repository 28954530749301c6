//! The arguments of `solio diff`.

use super::shared::RunArgs;
use clap::{Args, ValueHint};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio diff old.exr new.exr
  solio diff a.####.exr b.####.exr --fail 0.001    frame by frame; missing ones are told
  solio diff renders/v1 renders/v2                 the images of two folders, by their names
  solio diff a.png b.png --heat where.png          a picture of the differences
  solio diff monday.sqlite today.sqlite            which files two catalogues have apart
  solio diff a.exr b.exr --fail 1e-4 --fail-percent 0.1 && echo close enough

Compared are the values of all parts, levels and channels, of NaN and infinities too; 0 is -0, \
NaN is NaN. Outside of its data window an image is 0. PSNR is by the greatest value, at least 1. Pixels of \
PNG and the like are from 0 to 1 as they are in the file; beside an OpenEXR image both are linear light.
Of catalogues (SQLite or Parquet) each file that is different is a line: + added, - removed, M changed, R moved \
(the same inode or content); the exit code is 1 where there is any.
Exit code, as idiff has them: 0 the same; 1 some differences are beyond the limit of a warning; 2 beyond \
that of a failure, or a part or a channel is in one image only; 4 an image could not be read.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("json", |json| json.help("Print JSON, one object per pair")))]
pub(crate) struct DiffArgs {
    /// An image, frames as a.####.exr, a folder, or a catalogue
    #[arg(value_name = "FIRST", value_hint = ValueHint::AnyPath)]
    pub(crate) first: PathBuf,
    /// What it is compared with: of the same kind, or the folder that has a file of this name
    #[arg(value_name = "SECOND", value_hint = ValueHint::AnyPath)]
    pub(crate) second: PathBuf,
    /// Differences up to this are none
    #[arg(long, value_name = "VALUE", default_value_t = 1e-6, value_parser = limit)]
    pub(crate) fail: f64,
    /// So many of a hundred pixels may differ by more
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = limit)]
    pub(crate) fail_percent: f64,
    /// A single difference of more than this is a failure
    #[arg(long, value_name = "VALUE", value_parser = limit)]
    pub(crate) hard_fail: Option<f64>,
    /// Differences up to this are not worth a warning
    #[arg(long, value_name = "VALUE", default_value_t = 1e-6, value_parser = limit)]
    pub(crate) warn: f64,
    /// So many of a hundred pixels may differ by more without a warning
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = limit)]
    pub(crate) warn_percent: f64,
    /// A single difference of more than this is worth a warning
    #[arg(long, value_name = "VALUE", value_parser = limit)]
    pub(crate) hard_warn: Option<f64>,
    /// Draw where the first part differs: black within the limit of a failure, then from dark to bright by
    /// the logarithm; of frames a pattern such as heat.####.png
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) heat: Option<PathBuf>,
    /// Also say how visible the differences are: the mean of LDR-FLIP (2020), from 0 to 1, with so many pixels
    /// on a degree of the field of view [default: 67, a 4K screen of 0.7 m from 0.7 m]
    #[arg(long, value_name = "PPD", num_args = 0..=1, require_equals = true, value_parser = degree,
        default_missing_value = "67.02064327658226")]
    pub(crate) flip: Option<f64>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

fn degree(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.1..=1000.0).contains(&value) => Ok(value),
        _ => Err("must be 0.1 to 1000".to_owned()),
    }
}

/// A number from 0 on.
fn limit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("must be a number that is not negative".to_owned()),
    }
}
