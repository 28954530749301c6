//! The arguments of `solio gradient`.

use super::shared::{WorkArgs, parse_size2};
use clap::Args;
use solio::color::gradient::{Keys, Mode};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio gradient \"black, white\"                          in the terminal
  solio gradient \"red, yellow 30%, blue\" -o sky.png --size 1024x64
  solio gradient \"red, lime\" --in \"oklch longer\" -o hues.css
  solio gradient \"black, white\" --compare -o compare.png  sRGB, linear light, Oklab
  solio gradient study --compare -o study.html            eight to compare with
  solio gradient viridis turbo -o maps.png                colour maps for data
  solio gradient sunset.ggr -o sunset.gradients           from one program to another

Stops are written as in CSS: a colour, then where it stands (30% or 0.3); a place alone is where the \
blend of its neighbours is half way.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GradientArgs {
    /// Stops ("black, white"), a name (see --list), `study` for the eight it lists first, or a file
    #[arg(value_name = "SPEC", required_unless_present = "list")]
    pub(crate) specs: Vec<String>,
    /// Where to: .png, .exr, .html, or a gradient file (.css .ggr .grd .cpt .cube .gradients .tres
    /// .json .svg); without it the terminal shows the gradient, and a pipe gets CSS
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// How colours are blended: srgb, linear, oklab, oklch and any space of CSS Color 4, hues as in
    /// "oklch longer"; smooth (a spline in Oklab), fixed (each stop's colour up to it), hold (from it
    /// on) [default: oklab; of a file, as it says]
    #[arg(long = "in", value_name = "MODE", value_parser = parse_mode)]
    pub(crate) mode: Option<Mode>,
    /// What the numbers of key colours are: codes of sRGB, or linear light
    #[arg(long, value_name = "srgb|linear", value_parser = parse_keys)]
    pub(crate) keys: Option<Keys>,
    /// Four rows: blended in sRGB and Oklab with keys in sRGB, in linear light and Oklab with keys in
    /// linear light, and how uneven each looks
    #[arg(long)]
    pub(crate) compare: bool,
    /// Columns and rows of a strip in a picture; with --compare only columns count [default: 1024x64;
    /// with --compare 640 columns]
    #[arg(long, value_name = "N|WxH", value_parser = parse_size2)]
    pub(crate) size: Option<[u32; 2]>,
    /// For Unity: the nearest 8 keys where 8 do not hold the gradient; says how far off they are
    #[arg(long)]
    pub(crate) fit: bool,
    /// Print JSON, one object per gradient: stops, colours, and how uneven it looks
    #[arg(long)]
    pub(crate) json: bool,
    /// How many colours, from the start to the end [default: 17 for --json, 1024 for .cube, which has
    /// 65536 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub(crate) samples: Option<u32>,
    /// Print the names of gradients and colour maps
    #[arg(long, conflicts_with_all = ["specs", "output", "mode", "keys", "compare", "size", "fit", "json",
        "samples"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

fn parse_mode(text: &str) -> Result<Mode, String> {
    let names = "srgb, linear, oklab, oklch, \"oklch longer\", hsl, lab, …, smooth, fixed, hold";
    Mode::of_name(text).ok_or_else(|| format!("expected one of {names}"))
}

fn parse_keys(text: &str) -> Result<Keys, String> {
    Keys::of_name(text).ok_or_else(|| "expected srgb or linear".to_owned())
}
