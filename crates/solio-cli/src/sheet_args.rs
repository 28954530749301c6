//! The options of `solio sheet`.

use crate::args::{InputArgs, ShownArgs, WorkArgs};
use crate::image_args::{parse_colormap, parse_exposure, parse_tonemap};
use clap::Args;
use solio::ToneMap;
use solio::color::gradient::Gradient;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "\
Examples:
  solio sheet shots/ -o shots.html         a page of its own, with a filter
  solio sheet *.exr -o sheet.png --size 160 --columns 8
  solio sheet renders/ -o z.html --channels Z --colormap turbo

Shown are OpenEXR (tone-mapped), PNG, JPEG, TIFF, HDR, the pictures within raw photos, meshes and \
point clouds (shaded), scenes of pbrt (as their camera sees them); a sequence is one cell: its \
middle frame above its first and last. A file that cannot be shown has a cell that says why.
Exit code: 0 done, where files of other kinds in folders are only counted; 1 some could not be shown; 3 \
there is nothing to show.";

#[derive(Debug, Args)]
#[command(mut_arg("files", |files| files.help("Files and folders")))]
pub(crate) struct SheetArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The sheet: .html or .png
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Most columns and rows of a small picture
    #[arg(long, value_name = "PIXELS", default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..=2048))]
    pub(crate) size: u32,
    /// Cells side by side [default: as many as fit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) columns: Option<u32>,
    /// The heading of a page
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Exposure in stops; each doubles the light
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_hyphen_values = true,
        value_parser = parse_exposure)]
    pub(crate) exposure: f32,
    /// How light of any strength becomes 0 to 1: none, reinhard, hable, aces or neutral, as
    /// `solio help preview` explains them [default: neutral; none for finished pictures]
    #[arg(long, value_name = "OPERATOR", value_parser = parse_tonemap)]
    pub(crate) tonemap: Option<ToneMap>,
    /// The layer: diffuse for diffuse.R, diffuse.G, diffuse.B [default: the finished picture]
    #[arg(long, conflicts_with = "channels")]
    pub(crate) layer: Option<String>,
    /// Channels by their full names: one (grey), two (grey, alpha), three or four (R,G,B,A)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) channels: Vec<String>,
    /// Of one channel (--channels Z): colours from its lowest to its highest value
    #[arg(long, value_name = "NAME", value_parser = parse_colormap)]
    pub(crate) colormap: Option<Gradient>,
    /// Print JSON, one object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
