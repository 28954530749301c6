//! The arguments of `solio preview`.

use super::image::{FrameChoice, SeenArgs};
use super::shared::{InputArgs, ShownArgs, WorkArgs, parse_axis, parse_size2};
use super::typed_options::{DRAWING, SEEING, TypedOptions};
use clap::Args;
use solio::mesh::axes::Axis;
use solio::{Choice, PreviewOptions};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio preview beauty.exr                         in a terminal
  solio preview beauty.exr -o beauty.png --exposure 1.5
  solio preview beauty.exr -o z.png --channels Z   from lowest to highest
  solio preview beauty.exr -o z.png --channels Z --colormap turbo
  solio preview shots/*.exr -o thumbs/ --size 320
  solio preview scene.pbrt -o first.png --occlusion 16  as its camera sees it
  solio preview model.obj -o model.png --up-axis Z      a mesh, grey

Colours are brought to the primaries of sRGB, tone-mapped, and stored with the curve of sRGB.
Exit code: 0 done; 1 some could not be shown, or not all of them is there (without --partial).";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("files", |files| files.help("Files; - is an image on standard input")))]
pub(crate) struct PreviewArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// PNG file (of scenes and meshes also .exr), folder, or frames such as b.####.png; without it the
    /// terminal shows the picture
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Most columns and rows; larger images are made smaller, each pixel the mean of those under it
    #[arg(long, value_name = "N|WxH", value_parser = parse_size2)]
    pub(crate) size: Option<[u32; 2]>,
    /// Print JSON, one object per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// Of a scene or a mesh: samples per pixel (N × N)
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16), help_heading = DRAWING)]
    pub(crate) samples: u8,
    /// Of a scene or a mesh: rays a sample that look how much of the sky a place sees
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024), help_heading = DRAWING)]
    pub(crate) occlusion: u16,
    /// Of a scene or a mesh: write the output early, coarse, and again as the picture gets better
    #[arg(long, requires = "output", help_heading = DRAWING)]
    pub(crate) progressive: bool,
    /// Of a mesh: the axis that is up [default: Y in OBJ, Z in the others]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true, help_heading = DRAWING)]
    pub(crate) up_axis: Option<Axis>,
    /// What of all this was typed.
    #[arg(skip)]
    pub(crate) given: TypedOptions,
}

// What of an image is seen.
#[derive(Debug, Args)]
#[command(next_help_heading = SEEING)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) seen: SeenArgs,
    /// The part, by number or name
    #[arg(long, value_name = "PART")]
    pub(crate) part: Option<String>,
    /// The matte of a name of a Cryptomatte: hero, hero_* or <248bfa47>; of several names their sum. --layer
    /// names the Cryptomatte where there are several
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["channels", "colormap"])]
    pub(crate) matte: Vec<String>,
    /// Which pixels: the display window, or all that there are [default: display]
    #[arg(long, value_enum, value_name = "WINDOW")]
    pub(crate) frame: Option<FrameChoice>,
    /// Leave chunks that are missing or damaged black, as `solio convert --partial` does, and not hatched
    #[arg(long)]
    pub(crate) partial: bool,
}

impl ShowArgs {
    /// What of an image is to be seen, and how; `part` is the number of [`ShowArgs::part`].
    pub(crate) fn preview_options(&self, part: Option<usize>) -> PreviewOptions {
        let seen = &self.seen;
        let channels = (!seen.channels.is_empty()).then(|| seen.channels.clone());
        let default = PreviewOptions::default();
        PreviewOptions {
            exposure: seen.exposure,
            tone_map: seen.tone_map(),
            mattes: self.matte.clone(),
            colormap: seen.colormap.clone(),
            frame: self.frame.map_or(default.frame, Into::into),
            choice: Choice { part, layer: seen.layer.clone(), channels },
            ..default
        }
    }
}
