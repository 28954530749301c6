//! The arguments about images: what becomes of them, and how they are seen.

use super::shared::{bounds, described, parse_size2};
use super::typed_options::IMAGES;
use clap::{Args, ValueEnum};
use solio::color::gradient::presets::Preset;
use solio::color::gradient::{COLORMAPS, Gradient, Mode, colormap};
use solio::image::Compression as Method;
use solio::image::header::{Box2i, LevelMode, Rounding, Tiles};
use solio::{Frame, FrameRange, ToneMap};

// What becomes of images; the table of options says what those of one format do.
#[derive(Debug, Args)]
#[command(next_help_heading = IMAGES, mut_args(described))]
pub(crate) struct ImageArgs {
    #[arg(short = 'z', long, value_name = "METHOD[:LEVEL]", value_parser = parse_compression)]
    pub(crate) compression: Option<(Method, Option<f32>)>,
    #[arg(long)]
    pub(crate) compat: bool,
    /// Only these channels: R,G,B or diffuse.* [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) channels: Vec<String>,
    /// Give channels other names: old=new, or beauty.*=*; may be given several times
    #[arg(long, value_name = "OLD=NEW", value_delimiter = ',', value_parser = parse_rename)]
    pub(crate) rename: Vec<(String, String)>,
    /// Only the channels of this layer, or the one channel that is called so
    #[arg(long, conflicts_with = "channels")]
    pub(crate) layer: Option<String>,
    /// The matte of a name of a Cryptomatte as one channel Y: hero, hero_* or <248bfa47>; of several names
    /// their sum. --layer names the Cryptomatte where there are several
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "channels")]
    pub(crate) matte: Vec<String>,
    /// Only this part, by number or name; may be given several times
    #[arg(long, value_name = "PART")]
    pub(crate) part: Vec<String>,
    /// Only these pixels of the data window: WxH+X+Y, or X0,Y0,X1,Y1 with both ends
    #[arg(long, value_name = "WINDOW", value_parser = parse_window, allow_hyphen_values = true)]
    pub(crate) crop: Option<Box2i>,
    /// Convert 32-bit floating point channels to 16 bits, or only those of the list (--half=R,G,B or
    /// beauty.*); integers stay, and ids (Cryptomatte, objectid) that are not named. Says how many
    /// values are rounded
    #[arg(long, value_name = "LIST", num_args = 0.., require_equals = true, value_delimiter = ',',
        conflicts_with = "float")]
    pub(crate) half: Option<Vec<String>>,
    /// Convert 16-bit floating point channels to 32 bits, or only those of the list; TIFF gets 32 bits
    #[arg(long, value_name = "LIST", num_args = 0.., require_equals = true, value_delimiter = ',')]
    pub(crate) float: Option<Vec<String>>,
    #[arg(long, value_name = "N|WxH", value_parser = parse_tiles, conflicts_with = "scanlines")]
    pub(crate) tiles: Option<Tiles>,
    #[arg(long)]
    pub(crate) scanlines: bool,
    /// Which frames of a.####.exr: 1-100, 1-100x2, 1-10y3, 1,5,9-12 [default: all that exist]
    #[arg(long, value_name = "RANGE", value_parser = parse_frames)]
    pub(crate) frames: Option<FrameRange>,
    /// Make zeros of chunks that are missing or damaged, and say so
    #[arg(long)]
    pub(crate) partial: bool,
    /// Pictures: exposure in stops; each doubles the light
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_hyphen_values = true,
        value_parser = parse_exposure)]
    pub(crate) exposure: f32,
    /// Pictures: how light of any strength becomes 0 to 1: none, reinhard, hable, aces or neutral,
    /// as `solio help preview` explains them [default: none, which cuts off at 1]
    #[arg(long, value_name = "OPERATOR", value_parser = parse_tonemap)]
    pub(crate) tonemap: Option<ToneMap>,
    /// Pictures: leave values as they are: no curve of sRGB, alpha not divided out or multiplied in
    #[arg(long)]
    pub(crate) raw: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(bounds("bits")))]
    pub(crate) bits: Option<u8>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(bounds("quality")))]
    pub(crate) quality: Option<u8>,
    /// Pictures: which pixels: the display window, or all that there are [default: display]
    #[arg(long, value_enum, value_name = "WINDOW")]
    pub(crate) frame: Option<FrameChoice>,
}

/// How light becomes colours, and which channels are seen.
#[derive(Debug, Args)]
pub(crate) struct SeenArgs {
    /// Exposure in stops; each doubles the light
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_hyphen_values = true,
        value_parser = parse_exposure)]
    pub(crate) exposure: f32,
    /// srgb shows light as it is: by the curve of sRGB, cut off at 1 (as --tonemap none); neutral brings
    /// bright light into the range (as --tonemap neutral)
    #[arg(long, value_enum, value_name = "VIEW", conflicts_with = "tonemap")]
    pub(crate) view: Option<ViewChoice>,
    /// How light of any strength becomes 0 to 1: none cuts off at 1; reinhard (2002); hable
    /// (Uncharted 2, 2010); aces (Narkowicz's fit, 2016); neutral (Khronos PBR Neutral, 2024), which
    /// keeps colours below 0.8 nearly as they are [default: neutral; none for finished pictures, PNG,
    /// JPEG, TIFF of integers and those within photos, unless they are made brighter]
    #[arg(long, value_name = "OPERATOR", value_parser = parse_tonemap)]
    pub(crate) tonemap: Option<ToneMap>,
    /// The layer: diffuse for diffuse.R, diffuse.G, diffuse.B; of a Cryptomatte a colour for each id
    /// [default: the finished picture]
    #[arg(long, conflicts_with = "channels")]
    pub(crate) layer: Option<String>,
    /// Channels by their full names: one (grey), two (grey, alpha), three or four (R,G,B,A)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) channels: Vec<String>,
    /// Of one channel (--channels Z): colours from its lowest to its highest value; viridis, magma,
    /// inferno, plasma, cividis, turbo or another name of `solio gradient --list`
    #[arg(long, value_name = "NAME", value_parser = parse_colormap)]
    pub(crate) colormap: Option<Gradient>,
}

fn parse_colormap(name: &str) -> Result<Gradient, String> {
    let preset = || Preset::of_name(name).map(|preset| preset.gradient(Mode::default()));
    let unknown =
        || format!("expected one of {} or of solio gradient --list", COLORMAPS.join(", "));
    colormap(name).or_else(preset).ok_or_else(unknown)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewChoice {
    Srgb,
    Neutral,
}

impl SeenArgs {
    /// What was asked for by either name.
    pub(crate) fn tone_map(&self) -> Option<ToneMap> {
        self.tonemap.or(self.view.map(|view| match view {
            ViewChoice::Srgb => ToneMap::None,
            ViewChoice::Neutral => ToneMap::Neutral,
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FrameChoice {
    Display,
    Data,
}

impl From<FrameChoice> for Frame {
    fn from(choice: FrameChoice) -> Frame {
        match choice {
            FrameChoice::Display => Frame::Display,
            FrameChoice::Data => Frame::Data,
        }
    }
}

/// `zip`, `zip:4`.
fn parse_compression(text: &str) -> Result<(Method, Option<f32>), String> {
    Method::with_level(text).map_err(|error| error.message().to_owned())
}

fn parse_rename(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("use old=new")?;
    let stars = |text: &str| text.matches('*').count();
    if old.is_empty() || new.is_empty() || stars(old) > 1 || stars(new) > stars(old) {
        return Err("use old=new, or old.*=new.* with one * on both sides".into());
    }
    Ok((old.to_owned(), new.to_owned()))
}

/// `640x480+10+20`, or `10,20,649,499`.
fn parse_window(text: &str) -> Result<Box2i, String> {
    let wrong = || "use WxH+X+Y, such as 640x480+10+20, or X0,Y0,X1,Y1".to_owned();
    let corners: Vec<&str> = text.split(',').collect();
    if let [a, b, c, d] = corners[..] {
        let numbers = [a, b, c, d].map(|number| number.trim().parse::<i32>().ok());
        let [Some(left), Some(top), Some(right), Some(bottom)] = numbers else {
            return Err(wrong());
        };
        if left > right || top > bottom {
            return Err("the window is empty".into());
        }
        return Ok(Box2i { min: [left, top], max: [right, bottom] });
    }
    let at = text.find(['+', '-']).unwrap_or(text.len());
    let (size, place) = text.split_at(at);
    let [width, height] = parse_size2(size).map_err(|_| wrong())?;
    let min = if place.is_empty() {
        [0, 0]
    } else {
        let second = place[1..].find(['+', '-']).map(|at| at + 1).ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<i32>().map_err(|_| wrong());
        [number(&place[..second])?, number(&place[second..])?]
    };
    let last = |min: i32, size: u32| i32::try_from(i64::from(min) + i64::from(size) - 1);
    match (last(min[0], width), last(min[1], height)) {
        (Ok(right), Ok(bottom)) => Ok(Box2i { min, max: [right, bottom] }),
        _ => Err(wrong()),
    }
}

fn parse_tiles(text: &str) -> Result<Tiles, String> {
    let [width, height] = parse_size2(text)?;
    Ok(Tiles { width, height, levels: LevelMode::One, rounding: Rounding::Down })
}

fn parse_frames(text: &str) -> Result<FrameRange, String> {
    text.parse::<FrameRange>().map_err(|e| e.to_string())
}

fn parse_exposure(text: &str) -> Result<f32, String> {
    let steps = text.parse().map_err(|_| "expected a number of stops".to_owned())?;
    f32::is_finite(steps).then_some(steps).ok_or_else(|| "expected a finite number".to_owned())
}

fn parse_tonemap(text: &str) -> Result<ToneMap, String> {
    let names = || ToneMap::ALL.map(ToneMap::name).join(", ");
    ToneMap::of_name(text).ok_or_else(|| format!("use {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_images_are_understood() {
        assert_eq!(parse_compression("ZIP:4"), Ok((Method::Zip, Some(4.0))));
        assert_eq!(parse_compression("dwaa:45.5"), Ok((Method::Dwaa, Some(45.5))));
        assert_eq!(parse_compression("none"), Ok((Method::None, None)));
        assert_eq!(parse_compression("zstd:-7"), Ok((Method::Zstd, Some(-7.0))));
        for bad in ["zap", "zip:13", "zip:-1", "zip:1.5", "zstd:0", "zstd:-8", "piz:1", "zip:"] {
            assert!(parse_compression(bad).is_err(), "{bad}");
        }
        let window = Box2i { min: [10, -20], max: [649, 459] };
        assert_eq!(parse_window("640x480+10-20"), Ok(window));
        assert_eq!(parse_window("10,-20,649,459"), Ok(window));
        assert_eq!(parse_window("2x3"), Ok(Box2i::of_size(2, 3)));
        for bad in ["", "1", "2x3+1", "0x3", "5,5,4,4", "2x2+2147483647+0", "ü+1+2"] {
            assert!(parse_window(bad).is_err() || bad == "1", "{bad}");
        }
        assert!(parse_rename("a.*=b.*").is_ok() && parse_rename("a.*=b").is_ok());
        assert!(parse_rename("a=b.*").is_err() && parse_rename("a").is_err());
    }
}
