//! The arguments of `solio lab`.

use super::shared::{InputArgs, RunArgs, parse_size};
use clap::Args;
use solio::laboratory::RawShape;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio lab beauty.exr scan.ply -o lab.html          a page, in about a minute
  solio lab *.exr --full -o lab.html                 all levels and sizes of chunks
  solio lab depth.npy --csv > lab.csv                arrays of NumPy
  solio lab frame.bin --raw f16,4,1920x1080 --json   numbers without a head
  solio lab a.exr --python env/bin/python -o lab.html   with Blosc2, OpenZL …

Everything is packed and unpacked on one thread, into memory that is there, and counts only if every \
bit comes back.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("json", |json| json.help("Print JSON, one object")))]
pub(crate) struct LabArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write a page here (.html)
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Every filter with every codec, all levels and sizes of chunks, of whole files; takes long
    #[arg(long)]
    pub(crate) full: bool,
    /// Bytes that are measured, the middle of each array; all takes everything [default: 12M; with
    /// --full all]
    #[arg(long, value_name = "SIZE|all", value_parser = parse_sample)]
    pub(crate) sample: Option<LabSample>,
    /// About how long all rounds may take [default: 50; with --full as long as three rounds take]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) seconds: Option<f64>,
    /// What files without a head are: type, channels, size
    #[arg(long, value_name = "TYPE,N,WxH")]
    pub(crate) raw: Option<RawShape>,
    /// A Python, whose packages blosc2, openzl, fpzip and imagecodecs (JPEG XL) are measured, too
    #[arg(long, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandName)]
    pub(crate) python: Option<PathBuf>,
    /// Print comma-separated values, a line a measurement
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabSample {
    All,
    Bytes(u64),
}

fn parse_sample(text: &str) -> Result<LabSample, String> {
    match text {
        "all" => Ok(LabSample::All),
        size => parse_size(size).map(LabSample::Bytes),
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|s| s.is_finite() && *s >= 0.0).ok_or_else(|| "expected seconds".to_owned())
}
