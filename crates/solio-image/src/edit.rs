//! Changes to an image on its way from file to file: other names, other types, fewer pixels.

use crate::cryptomatte::{follow, is_id};
use half::f16;
use half::slice::HalfFloatSliceExt;
use solio_base::{Error, Limits, Losses, Result};
use solio_exr::header::{Box2i, LevelMode, Part, Tiles, Value};
use solio_exr::model::{Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::borrow::Cow;

/// The channels of `part` that a name, or a pattern with one `*`, means.
pub fn matching<'a>(part: &'a Part, pattern: &str) -> impl Iterator<Item = &'a Channel> {
    let pattern = pattern.to_owned();
    part.channels().iter().filter(move |channel| star(&pattern, &channel.name).is_some())
}

/// What the `*` of a pattern stands for in `name`; nothing where there is no `*`.
pub(crate) fn star<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        None => (pattern == name).then_some(""),
        Some((start, end)) => name.strip_prefix(start)?.strip_suffix(end),
    }
}

/// Keeps the channels that names, or patterns with one `*`, mean; a part without any is left out.
///
/// # Errors
/// `Argument`, where a pattern means no channel.
pub fn keep(image: &mut Image<'_>, patterns: &[String]) -> Result<()> {
    all_there(image, patterns)?;
    let wanted = |name: &str| patterns.iter().any(|pattern| star(pattern, name).is_some());
    image.parts.retain(|part| matching(&part.header, "*").any(|channel| wanted(&channel.name)));
    for part in &mut image.parts {
        each_level(part, |planes| planes.retain(|plane| wanted(&plane.channel.name)));
        refresh(part)?;
    }
    Ok(())
}

/// Gives channels other names: `old` and `new`, each with the same `*` or without one. Each channel
/// gets the name of the first pair that is about it.
///
/// ```
/// use solio_image::{edit, gradient_image};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let mut image = gradient_image(&map, [8, 4])?;
/// edit::rename(&mut image, &[("*".into(), "glow.*".into())])?;
/// assert_eq!(image.parts[0].header.channels()[0].name, "glow.A");
/// assert!(edit::rename(&mut image, &[("Z".into(), "depth".into())]).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// The names in Cryptomatte's attributes follow those of its channels: what is returned says so.
///
/// # Errors
/// `Argument`, where there is no channel to rename, or two would get the same name.
pub fn rename(image: &mut Image<'_>, names: &[(String, String)]) -> Result<Vec<String>> {
    let mut used = vec![false; names.len()];
    let mut notes = Vec::new();
    for part in &mut image.parts {
        let mut renamed = Vec::new();
        each_level(part, |planes| {
            renamed.clear();
            for plane in &mut *planes {
                let before = plane.channel.name.clone();
                rename_one(&mut plane.channel, names, &mut used);
                renamed.push((before, plane.channel.name.clone()));
            }
            planes.sort_by(|a, b| a.channel.by_name(&b.channel));
        });
        refresh(part)?;
        notes.extend(follow(&mut part.header, &renamed));
    }
    all_used(&used, names).map(|()| notes)
}

/// Gives a channel the name of the first pair that is about it, which is then used.
fn rename_one(channel: &mut Channel, names: &[(String, String)], used: &mut [bool]) {
    for ((old, new), used) in names.iter().zip(used) {
        if let Some(middle) = star(old, &channel.name) {
            channel.name = new.replacen('*', middle, 1);
            *used = true;
            return;
        }
    }
}

/// That [`rename`] could do what is asked, of an image whose names go nowhere.
///
/// # Errors
/// As [`rename`].
pub fn check_names(image: &Image<'_>, names: &[(String, String)]) -> Result<()> {
    let mut used = vec![false; names.len()];
    for part in &image.parts {
        let mut channels = part.header.channels().to_vec();
        channels.iter_mut().for_each(|channel| rename_one(channel, names, &mut used));
        channels.sort_by(Channel::by_name);
        check_channels(&channels)?;
    }
    all_used(&used, names)
}

fn all_used(used: &[bool], names: &[(String, String)]) -> Result<()> {
    match used.iter().position(|used| !used) {
        Some(i) => Err(Error::argument(format!("there is no channel {:?} to rename", names[i].0))),
        None => Ok(()),
    }
}

pub(crate) fn each_level<'a>(
    part: &mut ImagePart<'a>,
    mut change: impl FnMut(&mut Vec<Plane<'a>>),
) {
    match &mut part.pixels {
        Pixels::Flat(levels) => levels.iter_mut().for_each(|level| change(&mut level.planes)),
        Pixels::Deep(levels) => levels.iter_mut().for_each(|level| change(&mut level.planes)),
    }
}

/// Refuses what the limits, or the memory of the machine, do not hold: the system is asked for all of it at
/// once, as it would give each plane by itself until there is no more.
pub(crate) fn check_fits(what: &str, bytes: u64, limits: &Limits) -> Result<()> {
    limits.check_bytes(what, bytes)?;
    let mut all: Vec<u8> = Vec::new();
    let given = usize::try_from(bytes).is_ok_and(|bytes| all.try_reserve_exact(bytes).is_ok());
    match given {
        true => Ok(()),
        false => Err(Error::limit(format!("{what} needs {bytes} bytes: there is no such memory"))),
    }
}

/// The tiles of the header are those of one level.
pub(crate) fn one_level(part: &mut ImagePart<'_>) {
    if let Some(Value::Tiles(tiles)) = part.header.get("tiles") {
        let tiles = Tiles { levels: LevelMode::One, ..*tiles };
        part.header.set("tiles", Value::Tiles(tiles));
    }
}

/// The header has the channels of the planes.
pub(crate) fn refresh(part: &mut ImagePart<'_>) -> Result<()> {
    let mut channels: Vec<Channel> = Vec::new();
    each_level(part, |planes| {
        channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    });
    check_channels(&channels)?;
    part.header.set("channels", Value::Channels(channels));
    Ok(())
}

/// That sorted channels have names, and each its own.
fn check_channels(channels: &[Channel]) -> Result<()> {
    if let Some(twice) = channels.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let message = format!("two channels would be called {:?}", twice[0].name);
        return Err(Error::argument(message));
    }
    if let Some(empty) = channels.iter().find(|channel| channel.name.is_empty()) {
        return Err(Error::argument(format!("{:?} cannot name a channel", empty.name)));
    }
    Ok(())
}

/// Stores floating point samples of the channels that names, or patterns with one `*`, mean as
/// `wanted`; integers stay. Without patterns these are all channels, but to fewer bits go only those
/// that are not ids. Says what is lost, and which channels were left as they are.
///
/// # Errors
/// `Argument`, where a pattern means no channel.
pub fn convert(
    image: &mut Image<'_>,
    wanted: PixelType,
    patterns: &[String],
) -> Result<(Losses, Vec<String>)> {
    all_there(image, patterns)?;
    let mut lost = Rounded::default();
    let mut kept = Vec::new();
    for part in &mut image.parts {
        let header = part.header.clone();
        each_level(part, |planes| {
            for plane in planes {
                let name = &plane.channel.name;
                if !patterns.is_empty() && !patterns.iter().any(|p| star(p, name).is_some()) {
                    continue;
                }
                let samples = match (&plane.samples, wanted) {
                    (Samples::Half(values), PixelType::Float) => {
                        let mut wide = vec![0f32; values.len()];
                        values.convert_to_f32_slice(&mut wide);
                        Samples::Float(Cow::Owned(wide))
                    }
                    (Samples::Float(_), PixelType::Half)
                        if patterns.is_empty() && is_id(&header, name) =>
                    {
                        kept.push(name.clone());
                        continue;
                    }
                    (Samples::Float(values), PixelType::Half) => {
                        Samples::Half(Cow::Owned(lost.halves(values, is_id(&header, name))))
                    }
                    _ => continue,
                };
                plane.channel.pixel_type = samples.pixel_type();
                plane.samples = samples;
            }
        });
        refresh(part)?;
    }
    kept.dedup();
    Ok((lost.told(), kept))
}

/// Multiplies the floating point channels of flat parts by the alpha of their layer, where there is one.
pub fn multiply_by_alpha(image: &mut Image<'_>) {
    by_alpha(image, |color, alpha| color * alpha);
}

/// Divides them by it; where it is 0 they are 0.
pub fn divide_by_alpha(image: &mut Image<'_>) {
    by_alpha(image, |color, alpha| if alpha == 0.0 { 0.0 } else { color / alpha });
}

fn by_alpha(image: &mut Image<'_>, of: impl Fn(f32, f32) -> f32) {
    for part in &mut image.parts {
        let Pixels::Flat(levels) = &mut part.pixels else { continue };
        for level in levels {
            let is_alpha = |plane: &Plane<'_>| alpha_of(&plane.channel.name) == plane.channel.name;
            let alphas: Vec<(String, Vec<f32>)> = level
                .planes
                .iter()
                .filter(|plane| is_alpha(plane))
                .map(|plane| (plane.channel.name.clone(), floats(&plane.samples)))
                .collect();
            for plane in level.planes.iter_mut().filter(|plane| !is_alpha(plane)) {
                let wanted = alpha_of(&plane.channel.name);
                let Some((_, alpha)) = alphas.iter().find(|(name, _)| *name == wanted) else {
                    continue;
                };
                let both = |values: &[f32]| -> Vec<f32> {
                    values.iter().zip(alpha).map(|(value, alpha)| of(*value, *alpha)).collect()
                };
                plane.samples = match &plane.samples {
                    Samples::Uint(_) => continue,
                    Samples::Float(values) => Samples::Float(Cow::Owned(both(values))),
                    Samples::Half(_) => {
                        let values = both(&floats(&plane.samples));
                        let mut narrow = vec![f16::ZERO; values.len()];
                        narrow.convert_from_f32_slice(&values);
                        Samples::Half(Cow::Owned(narrow))
                    }
                };
            }
        }
    }
}

/// The channel that would be the alpha of this one: `diffuse.A` of `diffuse.R`.
fn alpha_of(name: &str) -> String {
    name.rsplit_once('.').map_or_else(|| "A".to_owned(), |(layer, _)| format!("{layer}.A"))
}

pub(crate) fn floats(samples: &Samples<'_>) -> Vec<f32> {
    match samples {
        Samples::Float(values) => values.to_vec(),
        Samples::Uint(values) => values.iter().map(|value| *value as f32).collect(),
        Samples::Half(values) => {
            let mut wide = vec![0f32; values.len()];
            values.convert_to_f32_slice(&mut wide);
            wide
        }
    }
}

/// What is lost where samples become those of the types of their channels.
///
/// ```
/// # let map = solio_color::gradient::colormap("viridis").unwrap();
/// let image = solio_image::gradient_image(&map, [8, 4])?;
/// assert!(solio_image::channel_losses(&image).is_empty());
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn channel_losses(image: &Image<'_>) -> Losses {
    let mut lost = Rounded::default();
    for part in &image.parts {
        let mut look = |plane: &Plane<'_>| {
            if let (Samples::Float(values), PixelType::Half) =
                (&plane.samples, plane.channel.pixel_type)
            {
                lost.halves(values, is_id(&part.header, &plane.channel.name));
            }
        };
        match &part.pixels {
            Pixels::Flat(levels) => levels.iter().flat_map(|l| &l.planes).for_each(&mut look),
            Pixels::Deep(levels) => levels.iter().flat_map(|l| &l.planes).for_each(&mut look),
        }
    }
    lost.told()
}

/// Samples that 16 bits do not hold.
#[derive(Default)]
struct Rounded {
    rounded: usize,
    infinite: usize,
    zero: usize,
    ids: usize,
}

impl Rounded {
    fn halves(&mut self, values: &[f32], is_id: bool) -> Vec<f16> {
        let mut narrow = vec![f16::ZERO; values.len()];
        narrow.convert_from_f32_slice(values);
        for (half, value) in narrow.iter().zip(values) {
            let lost = half.to_f32() != *value && !value.is_nan();
            let [infinite, zero] = [half.is_infinite(), half.to_f32() == 0.0];
            self.ids += usize::from(lost && is_id);
            self.infinite += usize::from(lost && infinite && !is_id);
            self.zero += usize::from(lost && zero && !is_id);
            self.rounded += usize::from(lost && !infinite && !zero && !is_id);
        }
        narrow
    }

    fn told(&self) -> Losses {
        let mut losses = Losses::default();
        let Rounded { rounded, infinite, zero, ids } = *self;
        losses.add_some("bit_depth", "32-bit samples are rounded to 16 bits", rounded, "sample");
        losses.add_some("range", "samples beyond 65504 become infinite", infinite, "sample");
        losses.add_some("range", "samples too small for 16 bits become 0", zero, "sample");
        losses.add_some("ids", "ids are rounded: they name something else", ids, "sample");
        losses
    }
}

/// That each pattern means a channel.
pub(crate) fn all_there(image: &Image<'_>, patterns: &[String]) -> Result<()> {
    let there = |pattern: &str| {
        image.parts.iter().any(|part| matching(&part.header, pattern).next().is_some())
    };
    match patterns.iter().find(|pattern| !there(pattern)) {
        Some(missing) => Err(Error::argument(format!("there is no channel {missing:?}"))),
        None => Ok(()),
    }
}

/// The pixels of flat parts with one sample a pixel that lie in `window`.
///
/// # Errors
/// `Argument`, where there are none.
pub fn crop(image: &mut Image<'_>, window: &Box2i) -> Result<()> {
    for part in &mut image.parts {
        let Pixels::Flat(levels) = &mut part.pixels else { continue };
        for level in levels {
            let Some(common) = level.window.intersection(window) else {
                let message = format!("the crop lies outside of the image, {}", level.window);
                return Err(Error::argument(message));
            };
            let across = level.window.width() as usize;
            let left = (common.min[0] - level.window.min[0]) as usize;
            let top = (common.min[1] - level.window.min[1]) as usize;
            let (width, height) = (common.width() as usize, common.height() as usize);
            for plane in &mut level.planes {
                let starts = (top..top + height).map(|row| row * across + left);
                plane.samples = match &plane.samples {
                    Samples::Half(v) => Samples::Half(Cow::Owned(cut(v, starts, width))),
                    Samples::Float(v) => Samples::Float(Cow::Owned(cut(v, starts, width))),
                    Samples::Uint(v) => Samples::Uint(Cow::Owned(cut(v, starts, width))),
                };
            }
            level.window = common;
            part.header.set("dataWindow", Value::Box2i(common));
        }
    }
    Ok(())
}

fn cut<T: Copy>(values: &[T], starts: impl Iterator<Item = usize>, width: usize) -> Vec<T> {
    starts.flat_map(|start| &values[start..start + width]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;
    use solio_exr::model::FlatLevel;

    fn image(names: &[&str]) -> Image<'static> {
        let window = Box2i::of_size(3, 2);
        let plane = |name: &&str| Plane {
            channel: Channel::new(*name, PixelType::Float),
            samples: Samples::Float(vec![0.0, 0.5, 1e6, 0.1, f32::NAN, 6.0].into()),
        };
        let planes: Vec<Plane<'static>> = names.iter().map(plane).collect();
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        let header = Part::new(window, Compression::None, channels);
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    fn names(image: &Image<'_>) -> Vec<String> {
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
        let names: Vec<_> = levels[0].planes.iter().map(|p| p.channel.name.clone()).collect();
        let shape = image.parts[0].header.shape().unwrap();
        assert_eq!(names, shape.channels.iter().map(|c| c.name.clone()).collect::<Vec<_>>());
        names
    }

    fn renamed(pairs: &[(&str, &str)]) -> Result<Vec<String>> {
        let mut image = image(&["A.B", "A.R", "Z"]);
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        rename(&mut image, &pairs)?;
        Ok(names(&image))
    }

    #[test]
    fn names_are_changed_one_by_one_or_by_pattern() {
        assert_eq!(renamed(&[("A.R", "q"), ("Z", "0")]).unwrap(), ["0", "A.B", "q"]);
        assert_eq!(renamed(&[("A.*", "z.*")]).unwrap(), ["Z", "z.B", "z.R"]);
        assert_eq!(renamed(&[("*.R", "*.B"), ("A.B", "A.R")]).unwrap(), ["A.B", "A.R", "Z"]);
        // In the order of their bytes: one that is not UTF-8 comes before others.
        assert_eq!(renamed(&[("A.R", "é"), ("Z", "\u{ef80}")]).unwrap(), ["A.B", "\u{ef80}", "é"]);
        assert!(renamed(&[("A.R", "Z")]).is_err());
        assert!(renamed(&[("no", "Z2")]).is_err());
    }

    #[test]
    fn what_is_lost_is_said() {
        let mut image = image(&["Y"]);
        let mut convert = |pixel_type| convert(&mut image, pixel_type, &[]).unwrap().0;
        let lost = convert(PixelType::Half);
        // 0.1 and 1e6 of six.
        assert_eq!(
            lost.to_string(),
            "32-bit samples are rounded to 16 bits (1 sample); \
            samples beyond 65504 become infinite (1 sample)"
        );
        assert!(convert(PixelType::Float).is_empty() && convert(PixelType::Float).is_empty());
        assert!(convert(PixelType::Half).is_empty());
        names(&image);
    }

    #[test]
    fn ids_stay_as_they_are_unless_they_are_named() {
        let halves = |image: &Image<'_>| {
            let channels = image.parts[0].header.channels();
            let halves = channels.iter().filter(|c| c.pixel_type == PixelType::Half);
            halves.map(|c| c.name.clone()).collect::<Vec<_>>()
        };
        let made = |patterns: &[&str]| {
            let mut image = image(&["Z", "crypto00.r", "id"]);
            let patterns: Vec<String> = patterns.iter().map(|name| (*name).into()).collect();
            convert(&mut image, PixelType::Half, &patterns).map(|told| (halves(&image), told))
        };
        let (converted, (losses, kept)) = made(&[]).unwrap();
        assert_eq!((converted, kept), (vec!["Z".into()], vec!["crypto00.r".into(), "id".into()]));
        assert!(losses.iter().all(|loss| loss.what != "ids"));
        let (converted, (losses, kept)) = made(&["crypto*"]).unwrap();
        assert_eq!((converted, kept.len()), (vec!["crypto00.r".to_owned()], 0));
        assert_eq!(losses.to_string(), "ids are rounded: they name something else (2 samples)");
        assert!(made(&["no"]).is_err());
    }

    #[test]
    fn crops_keep_the_pixels() {
        let mut image = image(&["Y"]);
        crop(&mut image, &Box2i { min: [1, 1], max: [9, 9] }).unwrap();
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
        assert_eq!(levels[0].window, Box2i { min: [1, 1], max: [2, 1] });
        assert_eq!(levels[0].planes[0].samples.len(), 2);
        names(&image);
        assert!(crop(&mut image, &Box2i { min: [5, 5], max: [9, 9] }).is_err());
    }
}
