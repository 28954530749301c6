//! What a Cryptomatte says: its ranks, the names of its things, and how much of each pixel they cover.
//!
//! Ids are never mixed, resampled or taken for colours: pixels are looked up by the bits of their ids, and
//! what comes out is coverage, or a colour that stands for a name.

use super::{PREFIX, is_matte, murmur3};
use crate::edit::star;
use serde_json::Value as Json;
use solio_base::{Error, Limits, Result};
use solio_color::{Space, convert};
use solio_exr::header::{Box2i, Header, Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The channels of a rank, by the last part of their names: an id, its coverage, and both of the next.
const LETTERS: [[&str; 3]; 4] =
    [["R", "r", "red"], ["G", "g", "green"], ["B", "b", "blue"], ["A", "a", "alpha"]];
/// Most names that a hint lists.
const HINTED: usize = 20;

/// A Cryptomatte of a part.
///
/// ```
/// use solio_exr::header::{Box2i, Header, Part, Value};
/// use solio_exr::{Channel, Compression, PixelType};
/// let names = ["A", "B", "G", "R"].map(|letter| format!("crypto00.{letter}"));
/// let channels = names.map(|name| Channel::new(name, PixelType::Float));
/// let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, channels.into());
/// part.set("cryptomatte/bda530a/name", Value::Text("crypto".into()));
/// part.set("cryptomatte/bda530a/manifest", Value::Text(r#"{"Cube": "00b2d4f1"}"#.into()));
/// let header = Header { parts: vec![part], ..Header::default() };
/// let found = solio_image::cryptomatte::list(&header);
/// assert_eq!((&*found[0].name, found[0].ranks.len()), ("crypto", 2));
/// assert_eq!(found[0].manifest, Some(vec![("Cube".to_owned(), 0x00b2_d4f1)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cryptomatte {
    /// The number of its part.
    pub part: usize,
    /// The key of its attributes, the first seven digits of the hash of the name.
    pub key: String,
    /// What its channels begin with.
    pub name: String,
    /// How names become numbers: `MurmurHash3_32`.
    pub hash: Option<String>,
    /// How numbers become floats: `uint32_to_float32`.
    pub conversion: Option<String>,
    /// Names and ids, where the header has them.
    pub manifest: Option<Vec<(String, u32)>>,
    /// A file beside the image that has them.
    pub manifest_file: Option<String>,
    /// The channels of ids and of coverage, the largest coverage first.
    pub ranks: Vec<[String; 2]>,
}

/// All Cryptomattes of an image.
pub fn list(header: &Header) -> Vec<Cryptomatte> {
    header.parts.iter().enumerate().flat_map(|(number, part)| of_part(number, part)).collect()
}

fn of_part(number: usize, part: &Part) -> Vec<Cryptomatte> {
    let text = |key: &str, what: &str| match part.get(&format!("{PREFIX}{key}/{what}")) {
        Some(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    };
    let of = |matte: super::Matte| Cryptomatte {
        part: number,
        hash: text(&matte.key, "hash"),
        conversion: text(&matte.key, "conversion"),
        manifest: text(&matte.key, "manifest").and_then(|text| parse_manifest(&text)),
        manifest_file: text(&matte.key, "manif_file"),
        ranks: ranks(part, &matte.name),
        name: matte.name,
        key: matte.key,
    };
    super::mattes(part).into_iter().map(of).collect()
}

/// Pairs of channels of a matte; a rank without coverage ends them.
fn ranks(part: &Part, name: &str) -> Vec<[String; 2]> {
    // By number, then by the place of the letter.
    let mut found: BTreeMap<(u32, usize), &str> = BTreeMap::new();
    for Channel { name: channel, .. } in part.channels() {
        let Some(rest) = channel.strip_prefix(name) else { continue };
        let Some((digits, letter)) = rest.split_once('.') else { continue };
        let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let place = LETTERS.iter().position(|known| known.contains(&letter));
        if let (true, Ok(rank), Some(place)) = (is_number, digits.parse(), place) {
            found.insert((rank, place), channel);
        }
    }
    let pair = |(&(rank, place), id): (&(u32, usize), &&str)| {
        let coverage = found.get(&(rank, place + 1)).filter(|_| place.is_multiple_of(2))?;
        Some([(*id).to_owned(), (*coverage).to_owned()])
    };
    found.iter().filter(|((_, place), _)| place.is_multiple_of(2)).map_while(pair).collect()
}

/// Names and ids of a manifest, in its order; `None` where it is not one.
///
/// ```
/// use solio_image::cryptomatte::parse_manifest;
/// let names = parse_manifest(r#"{"Cube": "7f012345", "Plane": "12"}"#).unwrap();
/// assert_eq!(names[0], ("Cube".to_owned(), 0x7f01_2345));
/// assert_eq!(parse_manifest("[]"), None);
/// ```
pub fn parse_manifest(text: &str) -> Option<Vec<(String, u32)>> {
    let Json::Object(entries) = serde_json::from_str(text).ok()? else { return None };
    let entry = |(name, value): (String, Json)| {
        let digits = value.as_str()?;
        Some((name, u32::from_str_radix(digits.trim_start_matches("0x"), 16).ok()?))
    };
    Some(entries.into_iter().filter_map(entry).collect())
}

/// The id of a name, as the bits of a float that is a number and not too small.
///
/// ```
/// use solio_image::cryptomatte::id_of_name;
/// assert_eq!(id_of_name("hello"), 0x248b_fa47);
/// assert!(f32::from_bits(id_of_name("any name")).is_normal());
/// ```
pub fn id_of_name(name: &str) -> u32 {
    let hash = murmur3(name.as_bytes());
    // "Cryptomatte Specification" 1.2.0: an exponent of 0 or 255 loses its lowest bit.
    match hash >> 23 & 255 {
        0 | 255 => hash ^ 1 << 23,
        _ => hash,
    }
}

/// What is wanted of an image: a Cryptomatte, and of it the things with these ids; none: all in colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatteChoice {
    /// Whose ids they are.
    pub matte: Cryptomatte,
    /// Of what coverage is summed up, sorted.
    ids: Vec<u32>,
    names: Vec<String>,
}

/// The Cryptomatte and the ids that `names` mean: names of things, patterns of them with one `*`, or ids
/// as eight hexadecimal digits in angle brackets (`<248bfa47>`). `layer` is the name of the Cryptomatte,
/// where there are several, `part` the number of its part.
///
/// ```
/// # use solio_exr::header::{Box2i, Header, Part, Value};
/// # use solio_exr::{Channel, Compression, PixelType};
/// # let names = ["G", "R"].map(|letter| format!("crypto00.{letter}"));
/// # let channels = names.map(|name| Channel::new(name, PixelType::Float));
/// # let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, channels.into());
/// # part.set("cryptomatte/bda530a/name", Value::Text("crypto".into()));
/// # part.set("cryptomatte/bda530a/manifest", Value::Text(r#"{"hello": "248bfa47"}"#.into()));
/// # let header = Header { parts: vec![part], ..Header::default() };
/// let find = |name: &str| solio_image::cryptomatte::find(&header, None, None, &[name.to_owned()]);
/// assert_eq!(find("hello")?.ids(), [0x248b_fa47]);
/// assert_eq!(find("h*o")?.ids(), find("<248bfa47>")?.ids());
/// assert_eq!(find("nobody").unwrap_err().hint_text(), Some("its names are hello"));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument`, where the image has no such Cryptomatte, or its manifest no such name.
pub fn find(
    header: &Header,
    part: Option<usize>,
    layer: Option<&str>,
    names: &[String],
) -> Result<MatteChoice> {
    let mut all = list(header);
    all.retain(|matte| part.is_none_or(|part| part == matte.part));
    if all.is_empty() {
        let error = Error::argument("the image has no Cryptomatte");
        return Err(error.hint("its header names none: `solio info` lists them"));
    }
    if let Some(layer) = layer {
        let known = all.iter().map(|matte| matte.name.clone()).collect::<Vec<_>>().join(", ");
        all.retain(|matte| is_called(matte, layer));
        if all.is_empty() {
            let error = Error::argument(format!("the image has no Cryptomatte {layer:?}"));
            return Err(error.hint(format!("it has {known}")));
        }
    }
    let complete = |matte: &&Cryptomatte| names.iter().all(|name| !ids(matte, name).is_empty());
    let chosen = all.iter().find(complete);
    // Of a name that no manifest has, the hash is one all the same.
    let open = || all.iter().find(|matte| matte.manifest.is_none());
    let is_plain = names.iter().all(|name| !name.contains('*'));
    if let Some(matte) = chosen.or_else(|| open().filter(|_| is_plain)) {
        if matte.ranks.is_empty() {
            let message = format!("the Cryptomatte {:?} has no channels", matte.name);
            return Err(Error::corrupt(message).hint("its channels are called NAME00.R and so on"));
        }
        let id = |name: &String| match ids(matte, name) {
            found if found.is_empty() => vec![id_of_name(name)],
            found => found,
        };
        let mut ids: Vec<u32> = names.iter().flat_map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        return Ok(MatteChoice { matte: matte.clone(), ids, names: names.to_vec() });
    }
    let missing = |name: &&String| all.iter().all(|matte| ids(matte, name).is_empty());
    let wrong = names.iter().find(missing);
    let known: Vec<&str> = all.iter().flat_map(known_names).take(HINTED + 1).collect();
    let more = if known.len() > HINTED { ", …" } else { "" };
    let known = format!("{}{more}", known[..known.len().min(HINTED)].join(", "));
    Err(match wrong {
        Some(name) => {
            let error =
                Error::argument(format!("no Cryptomatte of the image has the name {name:?}"));
            error.hint(format!("its names are {known}"))
        }
        None => Error::argument("these names are of several Cryptomattes")
            .hint("ask for each, or name one with --layer"),
    })
}

fn known_names(matte: &Cryptomatte) -> impl Iterator<Item = &str> {
    matte.manifest.iter().flatten().map(|(name, _)| name.as_str())
}

fn is_called(matte: &Cryptomatte, layer: &str) -> bool {
    let layer = layer.trim_end_matches('.');
    let digits = layer.trim_end_matches(|c: char| c.is_ascii_digit());
    matte.name == layer || matte.name == digits && layer.len() - digits.len() >= 2
}

/// The ids that a name means; none where the manifest does not have it.
fn ids(matte: &Cryptomatte, name: &str) -> Vec<u32> {
    let digits = name.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let manifest = || matte.manifest.iter().flatten();
    let exact = manifest().find(|(known, _)| known == name);
    match (exact, digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())) {
        (Some((_, id)), _) => vec![*id],
        (None, Some(id)) => vec![id],
        _ if name.contains('*') => {
            manifest().filter(|(known, _)| star(name, known).is_some()).map(|(_, id)| *id).collect()
        }
        _ => Vec::new(),
    }
}

/// The Cryptomatte that a layer of the image is, by its name or that of one of its ranks.
pub(crate) fn of_layer(header: &Header, part: Option<usize>, layer: &str) -> Option<MatteChoice> {
    let is_it = |matte: &Cryptomatte| {
        part.is_none_or(|part| part == matte.part)
            && is_called(matte, layer)
            && !matte.ranks.is_empty()
    };
    let matte = list(header).into_iter().find(is_it)?;
    Some(MatteChoice { matte, ids: Vec::new(), names: Vec::new() })
}

/// The first Cryptomatte of an image that has nothing else.
pub(crate) fn only(header: &Header, part: Option<usize>) -> Option<MatteChoice> {
    let wanted = |number: usize| part.is_none_or(|part| part == number);
    let mut parts = header.parts.iter().enumerate().filter(|(number, _)| wanted(*number));
    let is_only =
        parts.all(|(_, part)| part.channels().iter().all(|channel| is_matte(part, &channel.name)));
    let matte = || list(header).into_iter().find(|one| wanted(one.part) && !one.ranks.is_empty());
    let matte = is_only.then(matte).flatten()?;
    Some(MatteChoice { matte, ids: Vec::new(), names: Vec::new() })
}

impl MatteChoice {
    /// The ids of what coverage is summed up, sorted; none where all are shown in colours.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The channels that are needed.
    pub fn channels(&self) -> Vec<String> {
        self.matte.ranks.iter().flatten().cloned().collect()
    }

    /// What is shown, for people.
    pub fn describe(&self) -> String {
        match &self.names[..] {
            [] => format!("{}, a colour for each id", self.matte.name),
            names => format!("{} of {}", names.join(", "), self.matte.name),
        }
    }

    /// An image of the coverage by the things that were chosen, 0 to 1, in the channel `Y`; its header has
    /// the windows of the part that it comes from. `image` is the file's, or has that part alone.
    ///
    /// # Errors
    /// `Unsupported` for deep parts; `Argument`, where channels were not read; `Limit`.
    pub fn coverage(&self, image: &Image<'_>, limits: &Limits) -> Result<Image<'static>> {
        let part = self.part(image)?;
        let (level, ranks) = self.ranks(part)?;
        let count = count(&level.window);
        limits.check_bytes("the matte", 4 * count as u64)?;
        let mut sum = vec![0_f32; count];
        for (ids, coverage) in ranks {
            let pairs = sum.iter_mut().zip(ids.iter().zip(coverage.iter()));
            for (sum, (id, coverage)) in pairs {
                if self.ids.binary_search(&id.to_bits()).is_ok() && coverage.is_finite() {
                    *sum += coverage;
                }
            }
        }
        Ok(with_planes(image, &part.header, level, vec![("Y", sum)]))
    }

    /// Ids in colours, each as strong as it covers its pixel; light.
    ///
    /// # Errors
    /// As [`coverage`](MatteChoice::coverage).
    pub fn colors(&self, image: &Image<'_>, limits: &Limits) -> Result<Image<'static>> {
        let part = self.part(image)?;
        let (level, ranks) = self.ranks(part)?;
        let count = count(&level.window);
        limits.check_bytes("the picture", 12 * count as u64)?;
        let mut planes = [0; 3].map(|_| vec![0_f32; count]);
        let mut known: BTreeMap<u32, [f32; 3]> = BTreeMap::new();
        for (ids, coverage) in ranks {
            for (pixel, (id, coverage)) in ids.iter().zip(coverage.iter()).enumerate() {
                // No id, or one that says nothing.
                if id.to_bits() == 0 || !coverage.is_finite() || *coverage <= 0.0 {
                    continue;
                }
                let color = *known.entry(id.to_bits()).or_insert_with(|| color_of(id.to_bits()));
                for (plane, light) in planes.iter_mut().zip(color) {
                    if let Some(value) = plane.get_mut(pixel) {
                        *value += light * coverage;
                    }
                }
            }
        }
        let [r, g, b] = planes;
        Ok(with_planes(image, &part.header, level, vec![("B", b), ("G", g), ("R", r)]))
    }

    fn part<'i, 'p>(&self, image: &'i Image<'p>) -> Result<&'i ImagePart<'p>> {
        // Of one part that was read alone the number is another.
        let number = if image.parts.len() == 1 { 0 } else { self.matte.part };
        image.parts.get(number).ok_or_else(|| Error::argument("the part was not read"))
    }

    /// The first level, and the ids and coverage of each rank.
    #[allow(clippy::type_complexity)] // two slices a rank
    fn ranks<'i>(
        &self,
        part: &'i ImagePart<'_>,
    ) -> Result<(&'i FlatLevel<'i>, Vec<(Cow<'i, [f32]>, Cow<'i, [f32]>)>)> {
        let Pixels::Flat(levels) = &part.pixels else {
            return Err(Error::unsupported("Cryptomattes of deep images are not read"));
        };
        let level = levels.first().ok_or_else(|| Error::argument("the part has no pixels"))?;
        let plane = |name: &str| {
            let found = level.planes.iter().find(|plane| plane.channel.name == name);
            let missing = || Error::argument(format!("the image has no channel {name:?}"));
            floats(found.ok_or_else(missing)?)
        };
        let pair = |[id, coverage]: &[String; 2]| Ok((plane(id)?, plane(coverage)?));
        let ranks = self.matte.ranks.iter().map(pair).collect::<Result<_>>()?;
        Ok((level, ranks))
    }
}

/// Samples as floats; ids are stored as such, and coverage may be stored as half.
fn floats<'i>(plane: &'i Plane<'_>) -> Result<Cow<'i, [f32]>> {
    if (plane.channel.x_sampling, plane.channel.y_sampling) != (1, 1) {
        let message = format!("channel {:?} is subsampled", plane.channel.name);
        return Err(Error::unsupported(message));
    }
    Ok(match &plane.samples {
        Samples::Float(values) => Cow::Borrowed(&values[..]),
        Samples::Half(values) => Cow::Owned(values.iter().map(|value| value.to_f32()).collect()),
        // The bits are the id.
        Samples::Uint(values) => Cow::Owned(values.iter().map(|v| f32::from_bits(*v)).collect()),
    })
}

fn count(window: &Box2i) -> usize {
    usize::try_from(window.width().saturating_mul(window.height())).unwrap_or(usize::MAX)
}

/// An image of one part with these planes, sorted by name, and the windows of another.
fn with_planes(
    image: &Image<'_>,
    header: &Part,
    level: &FlatLevel<'_>,
    planes: Vec<(&str, Vec<f32>)>,
) -> Image<'static> {
    let plane = |(name, values): (&str, Vec<f32>)| Plane {
        channel: Channel::new(name, PixelType::Float),
        samples: Samples::Float(values.into()),
    };
    let planes: Vec<Plane<'static>> = planes.into_iter().map(plane).collect();
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut made = Part::new(level.window, Compression::Zip, channels);
    let kept = ["displayWindow", "pixelAspectRatio", "screenWindowCenter", "screenWindowWidth"];
    for name in kept {
        if let Some(value) = header.get(name) {
            made.set(name, value.clone());
        }
    }
    let FlatLevel { x, y, window, .. } = *level;
    let pixels = Pixels::Flat(vec![FlatLevel { x, y, window, planes }]);
    Image { parts: vec![ImagePart { header: made, pixels }], missing: image.missing.clone() }
}

/// A colour for an id, always the same: light.
fn color_of(id: u32) -> [f32; 3] {
    // Ids are hashes: their bits are as good as random, but manifests of other makers may count.
    let mixed = murmur3(&id.to_le_bytes());
    let hue = f64::from(mixed & 0xffff) / 65536.0 * 360.0;
    let lightness = 0.45 + 0.45 * f64::from(mixed >> 16 & 0xff) / 255.0;
    let chroma = 0.06 + 0.14 * f64::from(mixed >> 24) / 255.0;
    let light = convert([lightness, chroma, hue], Space::Oklch, Space::SrgbLinear);
    light.map(|value| value.clamp(0.0, 1.0) as f32)
}

/// Whether a channel belongs to a Cryptomatte: ids and coverage, which stay as they are.
pub fn is_channel(part: &Part, channel: &str) -> bool {
    is_matte(part, channel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PreviewOptions, preview, preview_reads};
    use half::f16;
    use solio_base::Work;

    fn id(name: &str) -> f32 {
        f32::from_bits(id_of_name(name))
    }

    /// Two pixels: hero over half of the first and a third of the second, prop over the rest of the first.
    fn image(letters: [&str; 4]) -> Image<'static> {
        let (hero, prop) = (id("hero"), id("prop"));
        let planes = [
            ("plain", vec![0.5, 0.5], true),
            (letters[0], vec![hero, 0.0], false),
            (letters[1], vec![0.5, 0.0], true),
            (letters[2], vec![prop, hero], false),
            (letters[3], vec![0.5, 1.0 / 3.0], true),
        ];
        let mut planes: Vec<Plane<'static>> = planes
            .into_iter()
            .map(|(name, values, is_half)| {
                let name = match name {
                    "plain" => "R".to_owned(),
                    name => format!("View.Crypto00.{name}"),
                };
                let samples = match is_half {
                    true => Samples::Half(values.iter().map(|v| f16::from_f32(*v)).collect()),
                    false => Samples::Float(values.into()),
                };
                Plane { channel: Channel::new(name, samples.pixel_type()), samples }
            })
            .collect();
        planes.sort_by(|a, b| a.channel.by_name(&b.channel));
        let window = Box2i::of_size(2, 1);
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        let mut header = Part::new(window, Compression::Zip, channels);
        let manifest = format!(
            r#"{{"hero": "{:08x}", "prop": "{:08x}"}}"#,
            id_of_name("hero"),
            id_of_name("prop")
        );
        header.set("cryptomatte/0123456/name", Value::Text("View.Crypto".into()));
        header.set("cryptomatte/0123456/manifest", Value::Text(manifest.as_str().into()));
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    fn header(image: &Image<'_>) -> Header {
        let parts = image.parts.iter().map(|part| part.header.clone()).collect();
        Header { parts, ..Header::default() }
    }

    fn coverage(image: &Image<'_>, names: &[&str]) -> Vec<f32> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let choice = find(&header(image), None, None, &names).unwrap();
        let made = choice.coverage(image, &Limits::default()).unwrap();
        let Pixels::Flat(levels) = &made.parts[0].pixels else { panic!() };
        let Samples::Float(values) = &levels[0].planes[0].samples else { panic!() };
        values.to_vec()
    }

    #[test]
    fn coverage_is_summed_over_all_ranks() {
        for letters in
            [["R", "G", "B", "A"], ["r", "g", "b", "a"], ["red", "green", "blue", "alpha"]]
        {
            let image = image(letters);
            let third = f16::from_f32(1.0 / 3.0).to_f32();
            assert_eq!(coverage(&image, &["hero"]), [0.5, third], "{letters:?}");
            assert_eq!(coverage(&image, &["prop"]), [0.5, 0.0]);
            assert_eq!(coverage(&image, &["hero", "prop"]), [1.0, third]);
            assert_eq!(coverage(&image, &["*"]), [1.0, third]);
            let digits = format!("<{:08x}>", id_of_name("hero"));
            assert_eq!(coverage(&image, &[&digits]), [0.5, third]);
        }
    }

    #[test]
    fn ids_are_floats_that_are_numbers() {
        let names = (0..20_000).map(|n| format!("object_{n}"));
        let turned = names.filter(|name| id_of_name(name) != murmur3(name.as_bytes())).count();
        // Two of 256 exponents.
        assert!((100..220).contains(&turned), "{turned}");
    }

    #[test]
    fn previews_look_ids_up_and_do_not_mix_them() {
        let image = image(["R", "G", "B", "A"]);
        let shown = |options: &PreviewOptions| {
            let wanted = preview_reads(&header(&image), options).unwrap();
            assert_eq!(wanted.channels.unwrap().len(), 4);
            preview(&image, options, &Work::serial()).unwrap()
        };
        let matte = PreviewOptions { mattes: vec!["hero".into()], ..Default::default() };
        let made = shown(&matte);
        assert_eq!(
            (made.pixels, &*made.shown),
            (vec![128, 128, 128, 85, 85, 85], "hero of View.Crypto")
        );
        // Half as large: the mean of coverage, where the mean of ids would be nobody.
        let made = shown(&PreviewOptions { most: Some([1, 1]), ..matte });
        assert_eq!(made.pixels, [106; 3]);
        for layer in ["View.Crypto", "View.Crypto00", "View.Crypto."] {
            let choice = crate::Choice { layer: Some(layer.into()), ..Default::default() };
            let made = shown(&PreviewOptions { choice, ..Default::default() });
            assert_eq!(made.shown, "View.Crypto, a colour for each id");
            assert_ne!(made.pixels[..3], [0; 3]);
            assert_ne!(made.pixels[..3], made.pixels[3..]);
        }
        // Colours that were asked for stay colours.
        let plain = preview(&image, &PreviewOptions::default(), &Work::serial()).unwrap();
        assert_eq!(plain.shown, "R from 0.5 (black) to 0.5 (white)");
        // Of an image that has nothing else ids have colours.
        let mut only = image.clone();
        crate::edit::keep(&mut only, &["View.Crypto*".to_owned()]).unwrap();
        let shown = preview(&only, &PreviewOptions::default(), &Work::serial()).unwrap();
        assert_eq!(shown.shown, "View.Crypto, a colour for each id");
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_there_is() {
        let image = image(["R", "G", "B", "A"]);
        let header = header(&image);
        let wrong = |layer: Option<&str>, name: &str| {
            let error = find(&header, None, layer, &[name.to_owned()]).unwrap_err();
            (error.message().to_owned(), error.hint_text().unwrap_or_default().to_owned())
        };
        assert_eq!(wrong(None, "villain").1, "its names are hero, prop");
        assert_eq!(wrong(None, "villain*").1, "its names are hero, prop");
        assert_eq!(wrong(Some("Crypto"), "hero").1, "it has View.Crypto");
        let plain = Header { parts: vec![Part::default()], ..Header::default() };
        let error = find(&plain, None, None, &["hero".into()]).unwrap_err();
        assert_eq!(error.message(), "the image has no Cryptomatte");
        // Without a manifest a name is still its hash.
        let mut open = header.clone();
        open.parts[0].remove("cryptomatte/0123456/manifest");
        let found = find(&open, None, None, &["hero".into()]).unwrap();
        assert_eq!(found.ids(), [id_of_name("hero")]);
        assert!(find(&open, None, None, &["h*".into()]).is_err());
        // Channels that are cut off end the ranks; none is an error.
        let mut less = header.clone();
        let channels = less.parts[0].channels().iter().filter(|c| !c.name.ends_with('A')).cloned();
        let channels = channels.collect();
        less.parts[0].set("channels", Value::Channels(channels));
        assert_eq!(list(&less)[0].ranks.len(), 1);
        less.parts[0].set("channels", Value::Channels(Vec::new()));
        assert!(find(&less, None, None, &["hero".into()]).is_err());
    }

    #[test]
    fn manifests_that_are_none_do_no_harm() {
        for text in ["", "{", "[]", "{\"a\": 1}", "{\"a\": \"xyz\"}", "{\"a\": \"123456789\"}"] {
            assert!(parse_manifest(text).unwrap_or_default().is_empty(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse_manifest(&deep), None);
    }
}
