//! The arguments about what is done with the pixels of images.

use super::shared::named;
use super::typed_options::IMAGES;
use clap::Args;
use solio::{ImageGroup, ResizeFilter, ResizeSize};

// What is done with pixels, in this order.
#[derive(Debug, Args)]
#[command(next_help_heading = IMAGES)]
pub(crate) struct ChangeArgs {
    /// Of a file with several views (stereo) only this one: left; its channels lose the name of the view
    #[arg(long, value_name = "NAME")]
    pub(crate) view: Option<String>,
    /// Make deep images flat: samples are laid over each other by their depths; Z and ids are those of the
    /// nearest
    #[arg(long)]
    pub(crate) flatten: bool,
    /// Another size of the display window: 50%, 1920x, x1080 (the aspect stays) or 1920x1080. Light is
    /// filtered, colours multiplied by alpha
    #[arg(long, value_name = "SIZE", value_parser = parse_resize)]
    pub(crate) resize: Option<ResizeSize>,
    /// With --resize: box, triangle, gaussian, sharp-gaussian, catmull-rom, blackman-harris, sinc, lanczos3,
    /// mitchell, bspline, cubic, keys, simon or rifman [default: lanczos3; blackman-harris where a side grows]
    #[arg(long, value_name = "NAME", requires = "resize", value_parser = parse_filter)]
    pub(crate) filter: Option<ResizeFilter>,
    /// With --resize: the channels that take the nearest pixel, as integers always do; none but those with
    /// --nearest= [default: ids, Cryptomatte, depth]
    #[arg(long, value_name = "LIST", num_args = 0.., require_equals = true, value_delimiter = ',',
        requires = "resize")]
    pub(crate) nearest: Option<Vec<String>>,
    /// OpenEXR: levels of detail down to one pixel, each half of the one before, in tiles (--tiles, else 64),
    /// as maketx makes them
    #[arg(long)]
    pub(crate) mipmap: bool,
    /// Put all inputs together into one OpenEXR file, of sequences frame by frame: as layers, parts or views
    #[arg(long, value_name = "HOW", value_parser = named(ImageGroup::ALL, ImageGroup::name))]
    pub(crate) join: Option<ImageGroup>,
    /// With --join: what the inputs are called, in order; an empty name makes no layer [default: their file
    /// names, where channels or parts would be called the same]
    #[arg(long = "as", value_name = "LIST", value_delimiter = ',', requires = "join")]
    pub(crate) names: Option<Vec<String>>,
    /// Take each input apart into files for its layers, parts or views: -o out/, or a name with * for theirs,
    /// -o 'out/*.####.exr'
    #[arg(long, value_name = "HOW", conflicts_with = "join",
        value_parser = named(ImageGroup::ALL, ImageGroup::name))]
    pub(crate) split: Option<ImageGroup>,
}

fn parse_resize(text: &str) -> Result<ResizeSize, String> {
    text.parse().map_err(|error: solio::Error| match error.hint_text() {
        Some(hint) => hint.to_owned(),
        None => error.message().to_owned(),
    })
}

fn parse_filter(name: &str) -> Result<ResizeFilter, String> {
    let names = || ResizeFilter::ALL.map(ResizeFilter::name).join(", ");
    ResizeFilter::of_name(name).ok_or_else(|| format!("use {}", names()))
}
