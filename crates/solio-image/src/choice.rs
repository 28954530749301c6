//! Which parts and channels of an image, by the names that people use.

use solio_base::{Error, Result};
use solio_exr::header::{Box2i, Header, Part};
use solio_exr::{Channel, Levels, PixelType, ReadOptions, Shape};

/// A part, by its place in the file or by its name.
///
/// ```
/// use solio_exr::{Compression, Header, header::{Box2i, Part, Value}};
/// use solio_image::{ImageChoice, PartChoice};
/// # let part = |name: &str| {
/// #     let mut part = Part::new(Box2i::of_size(4, 4), Compression::Zip, Vec::new());
/// #     part.set("name", Value::Text(name.into()));
/// #     part
/// # };
/// let parts = vec![part("left"), part("right")];
/// let header = Header { multipart: true, parts, ..Header::default() };
/// // As people name them: by number, or by name.
/// let parts = ["right", "0"].map(|text| match text.parse() {
///     Ok(number) => PartChoice::Number(number),
///     Err(_) => PartChoice::Name(text.into()),
/// });
/// let choice = ImageChoice { parts: Some(parts.into()), ..ImageChoice::default() };
/// assert_eq!(choice.of(&header, &Default::default())?.parts, Some(vec![1, 0]));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartChoice {
    /// Counted from 0.
    Number(usize),
    /// What its attribute `name` says.
    Name(String),
}

/// Which parts and channels are wanted.
///
/// ```
/// use solio_exr::ReadOptions;
/// use solio_image::{ImageChoice, gradient_image};
/// # let map = solio_color::gradient::colormap("magma").unwrap();
/// # let image = gradient_image(&map, [8, 4])?;
/// # let parts = image.parts.into_iter().map(|part| part.header).collect();
/// # let header = solio_exr::Header { parts, ..Default::default() };
/// // Of an image with R, G, B and A: the colours without alpha.
/// let choice = ImageChoice { channels: Some(vec!["RGB".into()]), ..ImageChoice::default() };
/// let options = choice.of(&header, &ReadOptions::default())?;
/// assert_eq!(options.channels.unwrap(), ["R", "G", "B"]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageChoice {
    /// All without a word on it.
    pub parts: Option<Vec<PartChoice>>,
    /// All without a word on it. Each is a channel (`diffuse.R`), a layer (`diffuse`: all that
    /// starts with `diffuse.`), or channels of one letter in a row (`RGBA`, `diffuse.RGB`); it
    /// is the first of these that the file has.
    pub channels: Option<Vec<String>>,
}

impl ImageChoice {
    /// Whether a header says nothing new about it.
    ///
    /// ```
    /// use solio_image::ImageChoice;
    /// let all = ImageChoice::default();
    /// let depth = ImageChoice { channels: Some(vec!["Z".into()]), ..ImageChoice::default() };
    /// // The header need not be read before the image where all of it is wanted.
    /// assert!(all.is_all() && !depth.is_all());
    /// ```
    pub fn is_all(&self) -> bool {
        *self == ImageChoice::default()
    }

    /// `options` with the parts and channels that were chosen; channels in the order of the
    /// choice, those of a layer in the order of the file.
    ///
    /// ```
    /// # use solio_exr::{Channel, Compression, Header, PixelType, header::{Box2i, Part}};
    /// use solio_image::ImageChoice;
    /// # let channel = |name: &str| Channel::new(name, PixelType::Half);
    /// # let names = ["B", "G", "R", "Z", "diffuse.B", "diffuse.G", "diffuse.R"];
    /// # let channels = names.map(channel).into();
    /// # let parts = vec![Part::new(Box2i::of_size(4, 4), Compression::Zip, channels)];
    /// # let header = Header { parts, ..Header::default() };
    /// let of = |names: &[&str]| {
    ///     let channels = Some(names.iter().map(|name| name.to_string()).collect());
    ///     ImageChoice { channels, ..ImageChoice::default() }.of(&header, &Default::default())
    /// };
    /// // A layer, and a channel; letters in a row keep their order.
    /// let wanted = of(&["diffuse", "Z"])?.channels.unwrap();
    /// assert_eq!(wanted, ["diffuse.B", "diffuse.G", "diffuse.R", "Z"]);
    /// assert_eq!(of(&["diffuse.RG"])?.channels.unwrap(), ["diffuse.R", "diffuse.G"]);
    /// assert!(of(&["specular"]).unwrap_err().hint_text().unwrap().contains("diffuse.B"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn of(&self, header: &Header, options: &ReadOptions) -> Result<ReadOptions> {
        let mut options = options.clone();
        if let Some(parts) = &self.parts {
            let number = |part: &PartChoice| match part {
                PartChoice::Number(number) => Ok(*number),
                PartChoice::Name(name) => part_called(header, name),
            };
            options.parts = Some(parts.iter().map(number).collect::<Result<_>>()?);
        }
        if let Some(names) = &self.channels {
            let all: Vec<usize> = (0..header.parts.len()).collect();
            let parts = options.parts.as_ref().unwrap_or(&all).iter();
            let parts: Vec<&Part> = parts.filter_map(|i| header.parts.get(*i)).collect();
            let mut channels: Vec<String> = Vec::new();
            for name in names {
                for found in channels_called(&parts, name)? {
                    if !channels.contains(&found) {
                        channels.push(found);
                    }
                }
            }
            options.channels = Some(channels);
        }
        Ok(options)
    }
}

fn part_called(header: &Header, name: &str) -> Result<usize> {
    let called = |part: &Part| part.name().is_some_and(|known| known.0 == name.as_bytes());
    header.parts.iter().position(called).ok_or_else(|| {
        let names = header.parts.iter().filter_map(|part| part.name());
        let names: Vec<String> = names.map(|name| name.to_string()).collect();
        let error = Error::argument(format!("there is no part called {name:?}"));
        if names.is_empty() { error } else { error.hint(format!("there are {}", names.join(", "))) }
    })
}

/// The channels that `name` stands for; see [`ImageChoice::channels`].
fn channels_called(parts: &[&Part], name: &str) -> Result<Vec<String>> {
    let known: Vec<&str> = parts
        .iter()
        .flat_map(|part| part.channels())
        .map(|channel| channel.name.as_str())
        .collect();
    if known.contains(&name) {
        return Ok(vec![name.to_owned()]);
    }
    let in_layer = |known: &&str| known.strip_prefix(name).is_some_and(|end| end.starts_with('.'));
    let layer: Vec<String> = known.iter().copied().filter(in_layer).map(str::to_owned).collect();
    if !layer.is_empty() {
        return Ok(layer);
    }
    let (layer, letters) = name
        .rsplit_once('.')
        .map_or(("", name), |(layer, letters)| (&name[..layer.len() + 1], letters));
    let letters: Vec<String> = letters.chars().map(|letter| format!("{layer}{letter}")).collect();
    if !letters.is_empty() && letters.iter().all(|letter| known.contains(&letter.as_str())) {
        return Ok(letters);
    }
    let message = format!("there is neither a channel nor a layer {name:?}");
    let mut there = known;
    there.dedup();
    there.truncate(SHOWN);
    Err(Error::argument(message).hint(format!("there are {}", there.join(", "))))
}

/// Most names that a hint lists.
const SHOWN: usize = 40;

/// Bytes of the flat pixels that `options` want of a file with this header, of the types that they
/// have there or of `pixel_type`; not more than a rough figure where the reader would refuse
/// something.
///
/// ```
/// use solio_exr::{Channel, Compression, Header, PixelType, ReadOptions};
/// use solio_exr::header::{Box2i, Part};
/// # let channel = |name: &str| Channel::new(name, PixelType::Half);
/// let window = Box2i::of_size(4096, 2160);
/// let part = Part::new(window, Compression::Zip, ["B", "G", "R"].map(channel).into());
/// let header = Header { parts: vec![part], ..Header::default() };
/// // Three channels of half: 6 bytes a pixel.
/// assert_eq!(solio_image::image_bytes(&header, &ReadOptions::default(), None), 4096 * 2160 * 6);
/// let green = ReadOptions { channels: Some(vec!["G".into()]), ..ReadOptions::default() };
/// assert_eq!(solio_image::image_bytes(&header, &green, None), 4096 * 2160 * 2);
/// // Converted to floats of 32 bits.
/// assert_eq!(solio_image::image_bytes(&header, &green, Some(PixelType::Float)), 4096 * 2160 * 4);
/// ```
pub fn image_bytes(header: &Header, options: &ReadOptions, pixel_type: Option<PixelType>) -> u64 {
    let chosen = |i: &usize| options.parts.as_ref().is_none_or(|parts| parts.contains(i));
    let wanted = |c: &Channel| options.channels.as_ref().is_none_or(|n| n.contains(&c.name));
    let parts = header.parts.iter().enumerate().filter(|(i, _)| chosen(i));
    let bytes = parts.map(|(_, part)| {
        let Ok(shape) = part.shape() else { return 0 };
        let sample = |c: &Channel| {
            let samples = c.x_sampling as u64 * c.y_sampling as u64;
            pixel_type.unwrap_or(c.pixel_type).bytes() as f64 / samples.max(1) as f64
        };
        let pixel: f64 = shape.channels.iter().filter(|c| wanted(c)).map(sample).sum();
        (pixels(&shape, options) as f64 * pixel) as u64
    });
    bytes.fold(0, u64::saturating_add)
}

fn pixels(shape: &Shape, options: &ReadOptions) -> u64 {
    let wanted = shape.levels.iter().filter(|level| match options.levels {
        Levels::Full => level.x == 0 && level.y == 0,
        Levels::One(x, y) => (level.x, level.y) == (x, y),
        Levels::All => true,
    });
    let size = wanted.map(|level| {
        let window = options.window.map_or(Some(level.window), |w| w.intersection(&level.window));
        window.map_or(0, |window| window.width().saturating_mul(window.height()))
    });
    size.fold(0, u64::saturating_add)
}

/// The pixels that `options` want, where they are those of one flat part in one size, and no channel
/// is subsampled: what can be read into arrays of that size.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::{IntoOptions, RasterMut, ReadOptions, SamplesMut, WriteOptions};
/// use solio_image::{SingleFlat, gradient_image};
/// # let work = Work::default();
/// # let map = solio_color::gradient::colormap("magma").unwrap();
/// # let (image, mut bytes) = (gradient_image(&map, [8, 4])?, Vec::new());
/// # solio_exr::encode_exr(&image, &WriteOptions::default(), &mut bytes, &work)?;
/// // One array of all channels, pixel by pixel.
/// let header = solio_exr::decode_header(&bytes, &Default::default())?;
/// let single = SingleFlat::of(&header, &ReadOptions::default()).expect("one flat part");
/// let row_stride = single.window.width() as usize * single.channels.len();
/// let mut pixels = vec![0_f32; row_stride * single.window.height() as usize];
/// let channels = single.channels.iter().map(|channel| channel.name.clone()).collect();
/// let raster = RasterMut { channels, samples: SamplesMut::Float(&mut pixels), row_stride, pixel_stride: 0 };
/// let options = IntoOptions { part: single.part, level: single.level, ..IntoOptions::default() };
/// solio_exr::decode_exr_into(&bytes, &options, vec![raster], &work)?;
/// // Alpha comes first in the file.
/// assert_eq!((pixels.len(), pixels[0]), (8 * 4 * 4, 1.0));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleFlat {
    /// The number of the part.
    pub part: usize,
    /// The level.
    pub level: (u32, u32),
    /// The pixels, all of them wanted ones that there are.
    pub window: Box2i,
    /// The channels, in the order of the choice, or else of the file.
    pub channels: Vec<Channel>,
}

impl SingleFlat {
    /// `None` where `options` want something else, or something that is not there.
    ///
    /// ```
    /// # use solio_exr::{Channel, Compression, Header, PixelType, header::Part};
    /// use solio_image::SingleFlat;
    /// use solio_exr::{ReadOptions, header::Box2i};
    /// # let channel = |name: &str, x_sampling| {
    /// #     Channel { x_sampling, ..Channel::new(name, PixelType::Half) }
    /// # };
    /// # let channels = vec![channel("RY", 2), channel("Y", 1)];
    /// # let parts = vec![Part::new(Box2i::of_size(10, 4), Compression::Zip, channels)];
    /// # let header = Header { parts, ..Header::default() };
    /// // An image of luminance, with differences of colour at half the width: no single array.
    /// assert_eq!(SingleFlat::of(&header, &ReadOptions::default()), None);
    /// let window = Some(Box2i { min: [8, 0], max: [99, 0] });
    /// let channels = Some(vec!["Y".into()]);
    /// let some = ReadOptions { channels, window, ..ReadOptions::default() };
    /// // Its luminance is one; of the window there are two pixels.
    /// assert_eq!(SingleFlat::of(&header, &some).unwrap().window.width(), 2);
    /// ```
    pub fn of(header: &Header, options: &ReadOptions) -> Option<SingleFlat> {
        let wanted = |c: &Channel| options.channels.as_ref().is_none_or(|n| n.contains(&c.name));
        let all: Vec<usize> = (0..header.parts.len()).collect();
        let parts = options.parts.as_ref().unwrap_or(&all).iter();
        let mut found = parts.filter_map(|part| {
            let shape = header.parts.get(*part)?.shape().ok()?;
            shape.channels.iter().any(wanted).then_some((*part, shape))
        });
        let (part, shape) = found.next()?;
        let level = match options.levels {
            Levels::Full => (0, 0),
            Levels::One(x, y) => (x, y),
            Levels::All if shape.levels.len() == 1 => (0, 0),
            Levels::All => return None,
        };
        let whole = shape.levels.iter().find(|one| (one.x, one.y) == level)?.window;
        let window = options.window.map_or(Some(whole), |window| window.intersection(&whole))?;
        let mut channels: Vec<Channel> =
            shape.channels.iter().filter(|c| wanted(c)).cloned().collect();
        if let Some(names) = &options.channels {
            channels.sort_by_key(|channel| names.iter().position(|name| *name == channel.name));
        }
        let subsampled = |c: &Channel| (c.x_sampling, c.y_sampling) != (1, 1);
        let other = shape.kind.is_deep() || channels.iter().any(subsampled);
        (!other && found.next().is_none()).then_some(SingleFlat { part, level, window, channels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;
    use solio_exr::header::Value;

    fn part(name: &str, channels: &[&str]) -> Part {
        let channel = |name: &&str| Channel::new(*name, PixelType::Half);
        let channels = channels.iter().map(channel).collect();
        let mut part = Part::new(Box2i::of_size(10, 4), Compression::Zip, channels);
        part.set("name", Value::Text(name.into()));
        part
    }

    fn header() -> Header {
        let parts = vec![
            part("left", &["A", "B", "G", "R", "diffuse.B", "diffuse.G", "diffuse.R"]),
            part("right", &["RGBA", "Z", "diffuse.left.X"]),
        ];
        Header { multipart: true, parts, ..Header::default() }
    }

    fn chosen(parts: Option<Vec<PartChoice>>, channels: &[&str]) -> Result<Vec<String>> {
        let channels = Some(channels.iter().map(|name| (*name).to_owned()).collect());
        let choice = ImageChoice { parts, channels };
        Ok(choice.of(&header(), &ReadOptions::default())?.channels.unwrap())
    }

    #[test]
    fn channels_layers_and_letters() {
        let left = || Some(vec![PartChoice::Name("left".into())]);
        assert_eq!(chosen(left(), &["RGBA"]).unwrap(), ["R", "G", "B", "A"]);
        assert_eq!(chosen(None, &["RGBA"]).unwrap(), ["RGBA"]);
        assert_eq!(chosen(None, &["diffuse.RG"]).unwrap(), ["diffuse.R", "diffuse.G"]);
        assert_eq!(chosen(None, &["diffuse.left", "Z"]).unwrap(), ["diffuse.left.X", "Z"]);
        let layer = ["B", "G", "R", "left.X"].map(|name| format!("diffuse.{name}"));
        assert_eq!(chosen(None, &["diffuse", "diffuse.G"]).unwrap(), layer);
        let error = chosen(left(), &["Z"]).unwrap_err();
        assert!(error.hint_text().unwrap().contains("diffuse.R"));
        assert!(chosen(None, &[""]).is_err());
    }

    #[test]
    fn parts_by_name_and_number() {
        let parts = vec![PartChoice::Name("right".into()), PartChoice::Number(0)];
        let choice = ImageChoice { parts: Some(parts), channels: None };
        let options = choice.of(&header(), &ReadOptions::default()).unwrap();
        assert_eq!(options.parts, Some(vec![1, 0]));
        let parts = Some(vec![PartChoice::Name("middle".into())]);
        let error = ImageChoice { parts, channels: None }.of(&header(), &ReadOptions::default());
        assert_eq!(error.unwrap_err().hint_text(), Some("there are left, right"));
    }

    #[test]
    fn one_flat_part_or_none() {
        let of = |options: &ReadOptions| SingleFlat::of(&header(), options);
        let all = ReadOptions::default();
        assert_eq!(of(&all), None);
        let names = |names: &[&str]| Some(names.iter().map(|n| (*n).to_owned()).collect());
        let some = of(&ReadOptions { channels: names(&["R", "A"]), ..all.clone() }).unwrap();
        let found: Vec<&str> = some.channels.iter().map(|c| c.name.as_str()).collect();
        assert_eq!((some.part, found), (0, vec!["R", "A"]));
        let window = Some(Box2i { min: [8, 1], max: [20, 1] });
        let right = ReadOptions { parts: Some(vec![1]), window, ..all };
        assert_eq!(of(&right).unwrap().window, Box2i { min: [8, 1], max: [9, 1] });
        assert_eq!(of(&ReadOptions { levels: Levels::One(1, 1), ..right }), None);
    }

    #[test]
    fn bytes_of_what_is_wanted() {
        let all = ReadOptions::default();
        assert_eq!(image_bytes(&header(), &all, None), 10 * 4 * 2 * 10);
        assert_eq!(image_bytes(&header(), &all, Some(PixelType::Float)), 10 * 4 * 4 * 10);
        let window = Some(Box2i { min: [8, 1], max: [20, 1] });
        let some = ReadOptions { parts: Some(vec![1]), window, ..all };
        assert_eq!(image_bytes(&header(), &some, None), 2 * 2 * 3);
    }
}
