//! Which channels of an image are its colours.
//!
//! Channels are told by the last part of their names, layers by what stands before: R, G, B and A;
//! Y with RY and BY; Y alone. The layer without a name comes first, then one that is called as the
//! finished picture usually is, then the first with colours. Where there are none, one channel is
//! shown in grey.

use crate::cryptomatte::is_channel;
use crate::edit::star;
use solio_base::{Error, Result};
use solio_exr::header::{Header, Part};
use solio_exr::model::{Image, ImagePart};
use std::collections::BTreeSet;

/// What a person asked for.
///
/// ```
/// use solio_image::{Choice, PreviewOptions};
/// # let gradient = solio_color::gradient::colormap("viridis").unwrap();
/// # let image = solio_image::gradient_image(&gradient, [2, 1])?;
/// // Of R, G, B and A, the red alone: a picture in grey.
/// let choice = Choice { channels: Some(vec!["R".into()]), ..Choice::default() };
/// let options = PreviewOptions { choice, ..PreviewOptions::default() };
/// let preview = solio_image::preview(&image, &options, &Default::default())?;
/// assert_eq!(preview.shown, "R");
/// assert!(preview.pixels[0] == preview.pixels[1] && preview.pixels[1] == preview.pixels[2]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The number of the part; without it the first with the best colours.
    pub part: Option<usize>,
    /// The layer, `diffuse` for `diffuse.R`; without it the best.
    pub layer: Option<String>,
    /// These channels by their full names: grey, grey and alpha, or red, green, blue (and alpha).
    /// Of patterns with one `*` among them, the best of all that they mean.
    pub channels: Option<Vec<String>>,
}

/// Which channels of which part are shown, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The number of the part.
    pub part: usize,
    /// Its colours.
    pub colors: Colors,
    /// The name of the channel that is alpha.
    pub alpha: Option<String>,
}

/// The channels that are colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Colors {
    /// Red, green and blue.
    Rgb([String; 3]),
    /// Luminance, and two differences of colour, at half the resolution for the most part.
    Luminance {
        /// Luminance.
        y: String,
        /// Red less luminance, in parts of it.
        ry: String,
        /// Blue less luminance, in parts of it.
        by: String,
    },
    /// Light without colour.
    Grey(String),
    /// A value that is no colour, such as a distance.
    Value(String),
}

impl Colors {
    /// The names of the channels.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Colors::Rgb(rgb) => rgb.iter().map(String::as_str).collect(),
            Colors::Luminance { y, ry, by } => vec![y, ry, by],
            Colors::Grey(name) | Colors::Value(name) => vec![name],
        }
    }
}

impl Chosen {
    /// The channels that are needed, of deep images also those by which samples lie over each other.
    pub fn names(&self, part: &Part) -> Vec<String> {
        let mut names: Vec<String> = self.colors.names().into_iter().map(str::to_owned).collect();
        names.extend(self.alpha.clone());
        if part.kind().is_deep() {
            names.extend(depth(&channels(part)).map(str::to_owned));
            names.extend(self.cover(part));
        }
        names.sort();
        names.dedup();
        names
    }

    /// The channel of a deep part that says how much of a pixel a sample of the colours covers: the
    /// alpha that was chosen, else that of the layer, else that of all layers. A value has none: it is
    /// that of the nearest sample.
    pub(crate) fn cover(&self, part: &Part) -> Option<String> {
        if matches!(self.colors, Colors::Value(_)) {
            return self.alpha.clone();
        }
        let names = channels(part);
        let of_layer = || {
            let first = *self.colors.names().first()?;
            alpha_of(&names, &first[..first.rfind('.')? + 1])
        };
        self.alpha.clone().or_else(of_layer).or_else(|| alpha_of(&names, ""))
    }

    /// `R, G, B, A`, for people.
    pub fn describe(&self) -> String {
        let mut names = self.colors.names();
        names.extend(self.alpha.as_deref());
        names.join(", ")
    }
}

/// The names of the channels of a part.
pub(crate) fn channels(part: &Part) -> BTreeSet<&str> {
    part.channels().iter().map(|channel| channel.name.as_str()).collect()
}

/// The channel of a deep image that says how far away a sample is.
pub(crate) fn depth<'a>(names: &BTreeSet<&'a str>) -> Option<&'a str> {
    names.get("Z").copied()
}

/// The number of a part that is given by number or by name.
///
/// ```
/// use solio_exr::Compression;
/// use solio_exr::header::{Box2i, Header, Part, Value};
/// let part = |name: &str| {
///     let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, Vec::new());
///     part.set("name", Value::Text(name.into()));
///     part
/// };
/// let header = Header { parts: vec![part("beauty"), part("depth")], ..Header::default() };
/// assert_eq!(solio_image::part_number(&header, "depth")?, 1);
/// assert_eq!(solio_image::part_number(&header, "0")?, 0);
/// let error = solio_image::part_number(&header, "normals").unwrap_err();
/// assert_eq!(error.hint_text(), Some("the parts are 0 (beauty), 1 (depth)"));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn part_number(header: &Header, name: &str) -> Result<usize> {
    let named = |part: &Part| part.name().is_some_and(|text| text.to_string() == name);
    if let Some(part) = header.parts.iter().position(named) {
        return Ok(part);
    }
    let number = name.parse::<usize>().ok().filter(|number| *number < header.parts.len());
    number.ok_or_else(|| {
        let names = header.parts.iter().enumerate().map(|(i, part)| match part.name() {
            Some(name) => format!("{i} ({name})"),
            None => i.to_string(),
        });
        let names: Vec<String> = names.take(40).collect();
        let error = Error::argument(format!("there is no part {name:?}"));
        error.hint(format!("the parts are {}", names.join(", ")))
    })
}

/// The channels to show.
///
/// # Errors
/// `Argument`, where the image has none of the choice; the hint lists what it has.
pub fn choose(header: &Header, choice: &Choice) -> Result<Chosen> {
    let is_pattern = |name: &String| name.contains('*');
    if let Some(names) = choice.channels.as_ref().filter(|names| !names.iter().any(is_pattern))
        && !(1..=4).contains(&names.len())
    {
        let message = format!("a picture shows one to four channels, not {}", names.len());
        let hint = "grey, grey and alpha, or red, green, blue (and alpha)";
        return Err(Error::argument(message).hint(hint));
    }
    let parts = match choice.part {
        Some(part) if part < header.parts.len() => part..part + 1,
        Some(part) => {
            let there = header.parts.len();
            let message = format!("there is no part {part}; the file has {there}, from 0 on");
            return Err(Error::argument(message));
        }
        None => 0..header.parts.len(),
    };
    let found = parts.filter_map(|part| {
        let (rank, colors, alpha) = of_part(&header.parts[part], choice)?;
        Some((rank, Chosen { part, colors, alpha }))
    });
    let best = found.min_by_key(|(rank, _)| *rank);
    best.map(|(_, chosen)| chosen).ok_or_else(|| {
        let wanted = match (&choice.channels, &choice.layer) {
            (Some(names), _) => format!("channels {}", names.join(", ")),
            (None, Some(layer)) => format!("layer {layer:?} with colours"),
            (None, None) => "channels".into(),
        };
        let names: BTreeSet<&str> = header.parts.iter().flat_map(|part| channels(part)).collect();
        let names: Vec<&str> = names.into_iter().take(40).collect();
        Error::argument(format!("the image has no {wanted}"))
            .hint(format!("its channels are {}", names.join(", ")))
    })
}

/// The part of an image that is shown, and what of it.
pub(crate) fn chosen_part<'i, 'a>(
    image: &'i Image<'a>,
    choice: &Choice,
) -> Result<(&'i ImagePart<'a>, Chosen)> {
    let parts = image.parts.iter().map(|part| part.header.clone()).collect();
    let chosen = choose(&Header { parts, ..Header::default() }, choice)?;
    Ok((&image.parts[chosen.part], chosen))
}

type Found = (u32, Colors, Option<String>);

fn of_part(part: &Part, choice: &Choice) -> Option<Found> {
    let mut names = channels(part);
    match &choice.channels {
        Some(wanted) if wanted.iter().any(|name| name.contains('*')) => {
            names.retain(|name| wanted.iter().any(|pattern| star(pattern, name).is_some()));
        }
        Some(wanted) => return explicit(&names, wanted),
        None => {}
    }
    if let Some(layer) = &choice.layer {
        let layer = layer.trim_end_matches('.');
        let prefix = if layer.is_empty() { String::new() } else { format!("{layer}.") };
        let own = colors_of(&names, &prefix).or_else(|| three(&names, &prefix, ["X", "Y", "Z"]));
        let (colors, alpha) = own.or_else(|| {
            let within = names.range(prefix.as_str()..);
            let first = within.take_while(|name| name.starts_with(&prefix)).next();
            let single = names.get(layer).or(first).map(|name| (*name).to_owned());
            single.map(|name| (Colors::Value(name), None))
        })?;
        return Some((0, colors, alpha));
    }
    // Ids are no colours, unless somebody says so.
    let plain: BTreeSet<&str> =
        names.iter().copied().filter(|name| !is_channel(part, name)).collect();
    if choice.channels.is_none() && plain.len() < names.len() {
        return match plain.is_empty() {
            true => best_of(&names).map(|(rank, colors, alpha)| (rank + LAST, colors, alpha)),
            false => best_of(&plain),
        };
    }
    best_of(&names)
}

/// Added to the rank of parts that have nothing but ids.
const LAST: u32 = 20;

/// The layer that is most likely the finished picture.
fn best_of(names: &BTreeSet<&str>) -> Option<Found> {
    let prefixes: BTreeSet<&str> =
        names.iter().map(|name| name.rfind('.').map_or("", |dot| &name[..=dot])).collect();
    let ranked = prefixes.iter().filter_map(|prefix| {
        let (colors, alpha) = colors_of(names, prefix)?;
        let grey = u32::from(matches!(colors, Colors::Grey(_)));
        let lower = prefix.to_lowercase();
        let usual = ["combined.", "composite.", "beauty.", "rgba.", "rgb.", "main."];
        let rank = match prefix.is_empty() {
            true => 0,
            false if usual.iter().any(|name| lower.ends_with(name)) => 2,
            false => 4,
        };
        Some((rank + grey, colors, alpha))
    });
    ranked.min_by_key(|(rank, ..)| *rank).or_else(|| {
        let single = names.get("Z").or_else(|| names.iter().find(|name| **name != "A"));
        let single = single.or_else(|| names.first());
        single.map(|name| (9, Colors::Value((*name).to_owned()), None))
    })
}

fn explicit(names: &BTreeSet<&str>, wanted: &[String]) -> Option<Found> {
    let all = wanted.iter().all(|name| names.contains(name.as_str()));
    let owned = |i: usize| wanted[i].clone();
    let found = match wanted.len() {
        1 | 2 if is_color(&wanted[0]) => Colors::Grey(owned(0)),
        1 | 2 => Colors::Value(owned(0)),
        3 | 4 => Colors::Rgb([owned(0), owned(1), owned(2)]),
        _ => return None,
    };
    let alpha = wanted.len().is_multiple_of(2).then(|| owned(wanted.len() - 1));
    all.then_some((0, found, alpha))
}

/// Whether values of a channel of this name are meant to be seen.
fn is_color(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    ["r", "g", "b", "a", "y", "red", "green", "blue", "alpha"]
        .contains(&last.to_lowercase().as_str())
}

fn colors_of(names: &BTreeSet<&str>, prefix: &str) -> Option<(Colors, Option<String>)> {
    let sets =
        [["R", "G", "B"], ["r", "g", "b"], ["red", "green", "blue"], ["Red", "Green", "Blue"]];
    if let Some(found) = sets.into_iter().find_map(|set| three(names, prefix, set)) {
        return Some(found);
    }
    let full = |name: &str| {
        let full = format!("{prefix}{name}");
        names.contains(full.as_str()).then_some(full)
    };
    let y = full("Y")?;
    let colors = match (full("RY"), full("BY")) {
        (Some(ry), Some(by)) => Colors::Luminance { y, ry, by },
        // X, Y and Z of a layer are a place or a direction.
        _ if full("X").is_some() => return None,
        _ => Colors::Grey(y),
    };
    Some((colors, alpha_of(names, prefix)))
}

/// Whether there are colours, or a direction, among the channels that begin so.
pub(crate) fn colors_in(names: &BTreeSet<&str>, prefix: &str) -> bool {
    colors_of(names, prefix).is_some() || three(names, prefix, ["X", "Y", "Z"]).is_some()
}

fn three(names: &BTreeSet<&str>, prefix: &str, set: [&str; 3]) -> Option<(Colors, Option<String>)> {
    let rgb = set.map(|name| format!("{prefix}{name}"));
    let all = rgb.iter().all(|name| names.contains(name.as_str()));
    all.then(|| (Colors::Rgb(rgb), alpha_of(names, prefix)))
}

fn alpha_of(names: &BTreeSet<&str>, prefix: &str) -> Option<String> {
    let full = ["A", "a", "alpha", "Alpha"].map(|name| format!("{prefix}{name}"));
    full.into_iter().find(|name| names.contains(name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::header::Box2i;
    use solio_exr::{Channel, Compression, PixelType};

    fn header(parts: &[&[&str]]) -> Header {
        let channel = |name: &&str| Channel::new(*name, PixelType::Half);
        let part = |names: &&[&str]| {
            let names = names.iter().map(channel).collect();
            Part::new(Box2i::of_size(1, 1), Compression::None, names)
        };
        Header { parts: parts.iter().map(part).collect(), ..Header::default() }
    }

    fn chosen(parts: &[&[&str]], choice: Choice) -> (usize, String) {
        let chosen = choose(&header(parts), &choice).unwrap();
        (chosen.part, chosen.describe())
    }

    #[test]
    fn the_finished_picture_comes_first() {
        let of = |parts: &[&[&str]]| chosen(parts, Choice::default());
        assert_eq!(of(&[&["A", "B", "G", "R", "Z", "n.X"]]), (0, "R, G, B, A".into()));
        let blender = [
            "View.AO.B",
            "View.AO.G",
            "View.AO.R",
            "View.Combined.A",
            "View.Combined.B",
            "View.Combined.G",
            "View.Combined.R",
        ];
        let combined = "View.Combined.R, View.Combined.G, View.Combined.B, View.Combined.A";
        assert_eq!(of(&[&blender]), (0, combined.into()));
        assert_eq!(of(&[&["Z"], &["R", "G", "B"]]), (1, "R, G, B".into()));
        assert_eq!(of(&[&["BY", "RY", "Y"]]), (0, "Y, RY, BY".into()));
        assert_eq!(of(&[&["A", "Y"]]), (0, "Y, A".into()));
        assert_eq!(of(&[&["A", "Z", "id"]]), (0, "Z".into()));
        assert_eq!(of(&[&["n.X", "n.Y", "n.Z"]]), (0, "n.X".into()));
    }

    #[test]
    fn layers_channels_and_parts_are_found_by_name() {
        let all: &[&[&str]] = &[
            &["A", "B", "G", "R", "d.r.B", "d.r.G", "d.r.R", "n.X", "n.Y", "n.Z", "depth.V"],
            &["Z"],
        ];
        let layer =
            |layer: &str| chosen(all, Choice { layer: Some(layer.into()), ..Choice::default() }).1;
        assert_eq!(layer("d.r"), "d.r.R, d.r.G, d.r.B");
        assert_eq!(layer("n"), "n.X, n.Y, n.Z");
        assert_eq!(layer("depth"), "depth.V");
        let names = |names: &[&str]| {
            let channels = Some(names.iter().map(|name| (*name).to_owned()).collect());
            choose(&header(all), &Choice { channels, ..Choice::default() })
        };
        assert_eq!(names(&["R", "A"]).unwrap().alpha.as_deref(), Some("A"));
        assert_eq!(names(&["Z"]).unwrap().part, 1);
        assert_eq!(names(&["d.r.*"]).unwrap().describe(), "d.r.R, d.r.G, d.r.B");
        assert_eq!(names(&["Z*", "depth.V"]).unwrap().describe(), "depth.V");
        assert!(names(&["q*"]).is_err());
        assert!(names(&["q"]).unwrap_err().hint_text().unwrap().contains("depth.V"));
        let many = names(&["A", "B", "G", "R", "depth.V"]).unwrap_err();
        assert_eq!(many.message(), "a picture shows one to four channels, not 5");
        let part = Choice { part: Some(2), ..Choice::default() };
        assert!(choose(&header(all), &part).is_err());
    }

    #[test]
    fn what_covers_is_the_alpha_of_the_layer_or_of_all() {
        let header = header(&[&["A", "B", "G", "R", "Z", "d.A", "d.R", "n.X", "n.Y", "n.Z"]]);
        let cover = |names: &[&str]| {
            let channels = Some(names.iter().map(|name| (*name).to_owned()).collect());
            let chosen = choose(&header, &Choice { channels, ..Choice::default() }).unwrap();
            chosen.cover(&header.parts[0])
        };
        assert_eq!(cover(&["R", "G", "B"]).as_deref(), Some("A"));
        assert_eq!(cover(&["d.R"]).as_deref(), Some("d.A"));
        assert_eq!(cover(&["d.R", "A"]).as_deref(), Some("A"));
        assert_eq!(cover(&["n.X", "n.Y", "n.Z"]).as_deref(), Some("A"));
        assert_eq!((cover(&["Z"]), cover(&["Z", "A"]).as_deref()), (None, Some("A")));
    }
}
