//! The arguments of `solio sheet`.

use super::filter::FilterArgs;
use super::image::SeenArgs;
use super::shared::{InputArgs, RunArgs, parse_axis, recursive};
use clap::Args;
use solio::mesh::axes::Axis;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio sheet shots/ -o shots.html         a page of its own, with a filter
  solio sheet *.exr -o sheet.png --size 160 --columns 8
  solio sheet renders/ -o z.html --channels Z --colormap turbo

Shown are images (light tone-mapped), the pictures within raw photos, meshes and \
point clouds (shaded), pbrt scenes (as their camera sees them); a sequence is one cell: its \
middle frame above its first and last. A file that cannot be shown has a cell that says why.
Exit code: 0 done, where files of other kinds in folders are only counted; 1 some could not be shown; 3 \
there is nothing to show.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg(recursive()))]
#[command(mut_arg("files", |files| files.help("Files and folders")))]
#[command(mut_arg("json", |json| json.help("Print JSON, one object")))]
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
    /// A cell for each layer of an OpenEXR file: colours, values one by one, Cryptomattes
    #[arg(long, conflicts_with_all = ["layer", "channels"])]
    pub(crate) layers: bool,
    /// The axis of meshes that is up [default: Y in OBJ, Z in the others]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) up_axis: Option<Axis>,
    /// The heading of a page
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) seen: SeenArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
