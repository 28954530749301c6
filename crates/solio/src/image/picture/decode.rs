//! PNG, JPEG, TIFF and HDR to images in linear light, as OpenEXR has them.

use super::tiff;
use crate::ImageFormat;
use half::f16;
use image::codecs::hdr::HdrDecoder;
use image::{DynamicImage, ImageDecoder};
use solio_base::{Error, Limits, Loss, Losses, Result, Source};
use solio_color::srgb;
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use solio_photo::{Fields, ReadOptions, decode_metadata};
use std::borrow::Cow;
use std::io::Cursor;

/// Most bytes of pixels for one of a file: what deflate can do, and then some.
const MOST_FROM_A_BYTE: u64 = 1 << 12;
/// What every file may need beside that.
const ROOM: u64 = 64 << 20;
/// The attribute that is 1 where colours are not multiplied by alpha, as OpenImageIO calls it.
pub(super) const STRAIGHT: &str = "oiio:UnassociatedAlpha";

/// An image, and what there is to say about it.
pub(crate) struct Decoded {
    pub(crate) image: Image<'static>,
    /// Its numbers are codes from black to white, and not light of any strength.
    pub(crate) is_finished: bool,
    pub(crate) notes: Vec<String>,
    /// What of the file the image does not have.
    pub(crate) losses: Losses,
}

/// Reads the bytes of a file. With `raw` integers become values from 0 to 1 as they are, and colours
/// are not multiplied by alpha.
pub(crate) fn decode(
    bytes: &[u8],
    format: ImageFormat,
    raw: bool,
    limits: &Limits,
) -> Result<Decoded> {
    let stored = decode_pixels(bytes, format, limits)?;
    let (mut notes, mut losses) = (Vec::new(), Losses::default());
    if stored.other_profile && !raw {
        let reason = "its ICC profile is not applied: the values are taken for sRGB";
        losses.add(Loss::new("color_profile", reason));
    }
    let curve = if raw { None } else { png_curve(bytes) };
    match curve {
        Some(Curve::Light) => notes.push("its codes are taken for light, as it says".to_owned()),
        Some(curve) => losses.add(Loss::new("color_profile", curve.reason())),
        None => {}
    }
    if stored.has_pages {
        let reason = "its first page is taken, further ones are left out";
        losses.add(Loss::new("pages", reason));
    }
    if !raw && !stored.associated {
        let hidden = hidden(&stored.picture) as usize;
        let reason = "colours where alpha is 0 become black";
        losses.add_some("hidden_colors", reason, hidden, "pixel");
    }
    let meaning = match (raw, stored.associated) {
        (true, _) => Meaning::Raw,
        (false, true) if is_light_multiplied(&stored.picture) => {
            notes.push(
                "colours brighter than their alpha: they are taken for light that was multiplied by \
                 alpha before it became codes"
                    .to_owned(),
            );
            Meaning::Multiplied
        }
        (false, true) => Meaning::Associated,
        (false, false) if curve == Some(Curve::Light) => Meaning::Light,
        (false, false) => Meaning::Straight,
    };
    let mut planes = planes(&stored.picture, meaning)?;
    if stored.is_grey {
        planes.retain(|plane| plane.channel.name == "A" || plane.channel.name == "G");
        for plane in planes.iter_mut().filter(|plane| plane.channel.name == "G") {
            plane.channel.name = "Y".to_owned();
        }
    }
    if stored.is_half {
        as_halves(&mut planes);
    }
    let mut image = of_planes(&stored.picture, planes);
    if raw && stored.picture.color().has_alpha() && !stored.associated {
        image.parts[0].header.set(STRAIGHT, Value::Int(1));
    }
    let is_light =
        matches!(stored.picture, DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_));
    Ok(Decoded { image, is_finished: !is_light, notes, losses })
}

/// About how many bytes the pixels of a picture take while it is read: four values a pixel, as they
/// are stored and as samples. `None` where its head does not tell.
pub(crate) fn decoded_bytes(
    source: &dyn Source,
    format: ImageFormat,
    limits: &Limits,
) -> Option<u64> {
    let (width, height, bits) = if format == ImageFormat::Hdr {
        let decoder = HdrDecoder::new_nonstrict(Cursor::new(source.head())).ok()?;
        let (width, height) = decoder.dimensions();
        (u64::from(width), u64::from(height), 32)
    } else if source.is_sequential() {
        // What is packed comes once.
        return None;
    } else {
        let fields = Fields::of(["ImageWidth", "ImageHeight", "BitDepth", "BitsPerSample"]);
        let extension = format.extension().to_owned();
        let options = ReadOptions { fields, extension, limits: *limits };
        let metadata = decode_metadata(source, &options).ok()?;
        let number = |name: &str| u64::try_from(metadata.get(name)?.number().integer(0)?).ok();
        let bits = number("BitDepth").or_else(|| number("BitsPerSample"));
        (number("ImageWidth")?, number("ImageHeight")?, bits.unwrap_or(16))
    };
    let value: u64 = match bits {
        0..=8 => 1 + 2,
        9..=16 => 2 + 4,
        _ => 4 + 4,
    };
    Some(width.saturating_mul(height).saturating_mul(4 * value))
}

/// Stores floats with 16 bits, if all values are such.
fn as_halves(planes: &mut [Plane<'static>]) {
    let half = |value: &f32| {
        let half = f16::from_f32(*value);
        (half.to_f32() == *value || value.is_nan()).then_some(half)
    };
    let halves = |plane: &Plane<'_>| match &plane.samples {
        Samples::Float(values) => values.iter().map(half).collect::<Option<Vec<f16>>>(),
        _ => None,
    };
    let Some(all) = planes.iter().map(halves).collect::<Option<Vec<_>>>() else { return };
    for (plane, halves) in planes.iter_mut().zip(all) {
        plane.samples = Samples::Half(Cow::Owned(halves));
        plane.channel.pixel_type = PixelType::Half;
    }
}

/// Pixels as an image; where they have alpha, it is straight.
pub(crate) fn image_of(picture: DynamicImage, raw: bool) -> Result<Image<'static>> {
    let meaning = if raw { Meaning::Raw } else { Meaning::Straight };
    Ok(of_planes(&picture, planes(&picture, meaning)?))
}

/// What the numbers of a file are.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    /// Values that stay as they are.
    Raw,
    /// Colours, not yet multiplied by alpha.
    Straight,
    /// The same, as light: integers have no curve.
    Light,
    /// Colours that were multiplied by alpha: integers as codes, not as light.
    Associated,
    /// Colours that were multiplied by alpha, as light.
    Multiplied,
}

/// Whether codes are those of light that was multiplied by alpha: then most where little is covered are
/// above it. Codes that were multiplied themselves are not, but for a few of what shines, and by a
/// little where a filter made them.
fn is_light_multiplied(picture: &DynamicImage) -> bool {
    fn above<T: Copy + Into<u32>>(values: &[T], channels: usize, room: u32) -> bool {
        let (mut partly, mut above) = (0_usize, 0_usize);
        for pixel in values.chunks_exact(channels) {
            let alpha: u32 = pixel[channels - 1].into();
            if alpha > 0 && alpha < 32 * room - 1 {
                partly += 1;
                let is_above = |&code: &T| code.into() > alpha + room;
                above += usize::from(pixel[..channels - 1].iter().any(is_above));
            }
        }
        above > partly / 16
    }
    match picture {
        DynamicImage::ImageLumaA8(p) => above(p, 2, 8),
        DynamicImage::ImageRgba8(p) => above(p, 4, 8),
        DynamicImage::ImageLumaA16(p) => above(p, 2, 2048),
        DynamicImage::ImageRgba16(p) => above(p, 4, 2048),
        _ => false,
    }
}

/// Pixels with a colour where alpha is 0.
fn hidden(picture: &DynamicImage) -> u64 {
    fn of<T: Copy + Default + PartialEq>(values: &[T], channels: usize) -> u64 {
        let none = T::default();
        let is_hidden = |pixel: &&[T]| {
            pixel[channels - 1] == none && pixel[..channels - 1].iter().any(|value| *value != none)
        };
        values.chunks_exact(channels).filter(is_hidden).count() as u64
    }
    match picture {
        DynamicImage::ImageLumaA8(p) => of(p, 2),
        DynamicImage::ImageRgba8(p) => of(p, 4),
        DynamicImage::ImageLumaA16(p) => of(p, 2),
        DynamicImage::ImageRgba16(p) => of(p, 4),
        DynamicImage::ImageRgba32F(p) => of(p, 4),
        _ => 0,
    }
}

fn of_planes(picture: &DynamicImage, planes: Vec<Plane<'static>>) -> Image<'static> {
    let window = Box2i::of_size(picture.width(), picture.height());
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
}

/// The pixels of a file as they are stored, upright.
pub(crate) struct Stored {
    pub(crate) picture: DynamicImage,
    /// An ICC profile says that they are something else than sRGB.
    other_profile: bool,
    /// Colours have been multiplied by alpha.
    associated: bool,
    /// The three colours are one.
    pub(crate) is_grey: bool,
    /// Floats had 16 bits.
    is_half: bool,
    has_pages: bool,
}

/// Reads what is stored.
pub(crate) fn decode_pixels(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Stored> {
    let failed_here = |e| failed(format, e);
    let format_of_crate = match format {
        ImageFormat::Hdr => image::ImageFormat::Hdr,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Tiff => image::ImageFormat::Tiff,
        ImageFormat::Exr => return Err(Error::argument("OpenEXR has a reader of its own")),
    };
    let most = (bytes.len() as u64).saturating_mul(MOST_FROM_A_BYTE).saturating_add(ROOM);
    let most = most.min(limits.bytes);
    let (head, own) = match format {
        ImageFormat::Tiff => tiff::read(bytes, most)?,
        _ => (tiff::Head::default(), None),
    };
    if let Some(kind) = unread_jpeg(bytes) {
        return Err(Error::unsupported(format!("JPEG: {kind} is not read")));
    }
    let (mut picture, profile, orientation, is_grey, is_half) = if let Some(own) = own {
        (own.picture, own.profile, own.orientation, own.is_grey, own.is_half)
    } else {
        let mut reader = image::ImageReader::with_format(Cursor::new(bytes), format_of_crate);
        let mut bounds = image::Limits::no_limits();
        bounds.max_alloc = Some(most);
        reader.limits(bounds.clone());
        // Some begin with `#?RGBE`, or with the name of a program.
        let is_other_hdr = format == ImageFormat::Hdr
            && bytes.starts_with(b"#?")
            && !bytes.starts_with(b"#?RADIANCE");
        let mut decoder: Box<dyn ImageDecoder + '_> = if is_other_hdr {
            let decoder = HdrDecoder::new_nonstrict(Cursor::new(bytes));
            let mut decoder = decoder.map_err(failed_here)?;
            decoder.set_limits(bounds).map_err(failed_here)?;
            Box::new(decoder)
        } else {
            Box::new(reader.into_decoder().map_err(failed_here)?)
        };
        let profile = decoder.icc_profile().ok().flatten();
        let orientation = decoder.orientation().map_err(failed_here)?;
        let picture = DynamicImage::from_decoder(decoder).map_err(failed_here)?;
        (picture, profile, orientation, false, false)
    };
    picture.apply_orientation(orientation);
    Ok(Stored {
        picture,
        other_profile: profile.is_some_and(|profile| !names_srgb(&profile)),
        associated: head.is_associated,
        is_grey,
        is_half,
        has_pages: head.has_pages,
    })
}

/// What keeps a JPEG from being unpacked here, as its frame header tells it (ITU T.81, table B.1).
fn unread_jpeg(bytes: &[u8]) -> Option<&'static str> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let (&[mark, marker], behind) = rest.split_first_chunk()?;
        if mark != 0xff {
            return None;
        }
        if marker == 0xff {
            rest = &rest[1..];
            continue;
        }
        if matches!(marker, 0x01 | 0xd0..=0xd7) {
            rest = behind;
            continue;
        }
        let (length, body) = behind.split_first_chunk()?;
        match (marker, body.first()?) {
            (0xc0..=0xc2, 8) | (0xd9 | 0xda, _) => return None,
            (0xc0..=0xc2, _) => return Some("a picture of more than 8 bits"),
            (0xc3 | 0xc7 | 0xcb | 0xcf, _) => return Some("a lossless picture"),
            (0xc5 | 0xc6, _) => return Some("a hierarchical picture"),
            (0xc9 | 0xca | 0xcd | 0xce, _) => return Some("arithmetic coding"),
            (0xf7, _) => return Some("JPEG-LS"),
            _ => rest = behind.get(u16::from_be_bytes(*length).into()..)?,
        }
    }
}

/// How the codes of a PNG become light, where the file says that it is not by the curve of sRGB.
#[derive(Clone, Copy, PartialEq)]
enum Curve {
    /// They are light.
    Light,
    /// By a power of which this is the inverse, times 100,000.
    Power(u32),
    /// As video has it: the numbers of primaries and curve in ITU-T H.273.
    Video(u8, u8),
}

impl Curve {
    /// Why values are not as the file means them.
    fn reason(self) -> String {
        let said = match self {
            Curve::Light => "linear gAMA".to_owned(),
            Curve::Power(gamma) => format!("gAMA of {}", f64::from(gamma) / 1e5),
            Curve::Video(primaries, curve) => {
                format!("cICP (primaries {primaries}, transfer function {curve})")
            }
        };
        format!("its {said} is not applied: the values are taken for sRGB")
    }
}

/// What a PNG says of its codes, by the chunk that counts: cICP, iCCP, sRGB, then gAMA (PNG, third
/// edition, 4.3). What an ICC profile says is told elsewhere.
fn png_curve(bytes: &[u8]) -> Option<Curve> {
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let (mut video, mut is_known, mut gamma) = (None, false, None);
    while let Some((length, behind)) = rest.split_first_chunk::<4>()
        && let Some((kind, behind)) = behind.split_first_chunk::<4>()
        && let Some((data, behind)) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)
        && kind != b"IDAT"
    {
        match kind {
            b"cICP" => video = <[u8; 4]>::try_from(data).ok(),
            b"iCCP" | b"sRGB" => is_known = true,
            b"gAMA" => gamma = <[u8; 4]>::try_from(data).ok().map(u32::from_be_bytes),
            _ => {}
        }
        // Its sum.
        rest = behind.get(4..).unwrap_or_default();
    }
    // A twentieth more or less is not seen.
    let near = |gamma: u32, value: u32| gamma.abs_diff(value) <= value / 20;
    match (video, gamma) {
        (Some([1, 13, _, 1]), _) => None,
        (Some([1, 8, _, 1]), _) => Some(Curve::Light),
        (Some([primaries, curve, ..]), _) => Some(Curve::Video(primaries, curve)),
        (None, Some(gamma)) if !is_known && near(gamma, 100_000) => Some(Curve::Light),
        (None, Some(gamma)) if !is_known && !near(gamma, 45_455) => Some(Curve::Power(gamma)),
        _ => None,
    }
}

pub(crate) fn failed(format: ImageFormat, e: image::ImageError) -> Error {
    let message = format!("{}: {e}", format.as_str().to_uppercase());
    match e {
        image::ImageError::Unsupported(_) => Error::unsupported(message),
        image::ImageError::Limits(_) => Error::limit(message),
        image::ImageError::IoError(e) if e.raw_os_error().is_some() => Error::io("read", e),
        _ => Error::corrupt(message),
    }
}

/// Whether an ICC profile says of itself that it is one of sRGB.
fn names_srgb(profile: &[u8]) -> bool {
    let has = |name: &[u8]| profile.windows(name.len()).any(|window| window == name);
    // As ASCII, or as UTF-16.
    has(b"sRGB") || has(b"s\0R\0G\0B") || has(b"\0s\0R\0G\0B")
}

fn planes(picture: &DynamicImage, meaning: Meaning) -> Result<Vec<Plane<'static>>> {
    Ok(match picture {
        DynamicImage::ImageLuma8(p) => of_bytes(p, 1, meaning),
        DynamicImage::ImageLumaA8(p) => of_bytes(p, 2, meaning),
        DynamicImage::ImageRgb8(p) => of_bytes(p, 3, meaning),
        DynamicImage::ImageRgba8(p) => of_bytes(p, 4, meaning),
        DynamicImage::ImageLuma16(p) => of_words(p, 1, meaning),
        DynamicImage::ImageLumaA16(p) => of_words(p, 2, meaning),
        DynamicImage::ImageRgb16(p) => of_words(p, 3, meaning),
        DynamicImage::ImageRgba16(p) => of_words(p, 4, meaning),
        DynamicImage::ImageRgb32F(p) => of_floats(p, 3, meaning),
        DynamicImage::ImageRgba32F(p) => of_floats(p, 4, meaning),
        other => {
            let message = format!("pixels of the kind {:?} are unknown", other.color());
            return Err(Error::unsupported(message));
        }
    })
}

/// Eight bits are exact in 16-bit floating point numbers: back in eight bits they are the same.
fn of_bytes(values: &[u8], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let codes = Codes {
        direct: (0..=u8::MAX).map(|code| f32::from(code) / 255.0).collect(),
        light: (0..=u8::MAX).map(srgb::light_of_u8).collect(),
        channels,
        meaning,
    };
    split(channels, PixelType::Half, |i| {
        let of = |pixel| f16::from_f32(codes.value(pixel, i));
        Samples::Half(Cow::Owned(values.chunks_exact(channels).map(of).collect()))
    })
}

fn of_words(values: &[u16], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let codes = Codes {
        direct: (0..=u16::MAX).map(|code| f32::from(code) / 65535.0).collect(),
        light: (0..=u16::MAX).map(srgb::light_of_u16).collect(),
        channels,
        meaning,
    };
    let of = |i| values.chunks_exact(channels).map(|pixel| codes.value(pixel, i)).collect();
    floats(channels, of)
}

/// What integers are worth.
struct Codes {
    /// From 0 to 1, a value a code.
    direct: Vec<f32>,
    light: Vec<f32>,
    channels: usize,
    meaning: Meaning,
}

impl Codes {
    /// The value of channel `i` of a pixel.
    fn value<T: Copy + Into<usize>>(&self, pixel: &[T], i: usize) -> f32 {
        let code: usize = pixel[i].into();
        let last = self.channels - 1;
        let has_alpha = self.channels.is_multiple_of(2);
        if self.meaning == Meaning::Raw || (has_alpha && i == last) {
            return self.direct[code];
        }
        let alpha = if has_alpha { self.direct[pixel[last].into()] } else { 1.0 };
        match self.meaning {
            Meaning::Multiplied => self.light[code],
            Meaning::Light => self.direct[code] * alpha,
            // Light without alpha, such as that of a flame, is divided by nothing.
            Meaning::Associated if alpha == 0.0 => self.light[code],
            Meaning::Associated if alpha < 1.0 => {
                srgb::to_linear(self.direct[code] / alpha) * alpha
            }
            _ => self.light[code] * alpha,
        }
    }
}

fn of_floats(values: &[f32], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let of = |pixel: &[f32], i: usize| match channels {
        4 if i < 3 && meaning == Meaning::Straight => pixel[i] * pixel[3],
        _ => pixel[i],
    };
    floats(channels, |i| values.chunks_exact(channels).map(|pixel| of(pixel, i)).collect())
}

fn floats(channels: usize, plane: impl Fn(usize) -> Vec<f32>) -> Vec<Plane<'static>> {
    split(channels, PixelType::Float, |i| Samples::Float(Cow::Owned(plane(i))))
}

/// A plane a channel, sorted by name; `samples` gives those of the channel with that number.
fn split(
    channels: usize,
    pixel_type: PixelType,
    samples: impl Fn(usize) -> Samples<'static>,
) -> Vec<Plane<'static>> {
    let sorted: &[(&str, usize)] = match channels {
        1 => &[("Y", 0)],
        2 => &[("A", 1), ("Y", 0)],
        3 => &[("B", 2), ("G", 1), ("R", 0)],
        _ => &[("A", 3), ("B", 2), ("G", 1), ("R", 0)],
    };
    let plane = |(name, i): &(&str, usize)| {
        let name = (*name).to_owned();
        let channel = Channel::new(name, pixel_type);
        Plane { channel, samples: samples(*i) }
    };
    sorted.iter().map(plane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG of one grey pixel with the code 118, and these chunks behind its head.
    fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = crate::image::picture::png(&[118; 3], 1, 1, false).unwrap();
        let mut at = 33;
        for (kind, data) in chunks {
            let body = [kind.as_slice(), *data].concat();
            let length = (data.len() as u32).to_be_bytes();
            let chunk = [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat();
            let end = at + chunk.len();
            bytes.splice(at..at, chunk);
            at = end;
        }
        bytes
    }

    /// The light of that pixel, and what is said of it.
    fn read(chunks: &[(&[u8; 4], &[u8])], raw: bool) -> (f32, Vec<String>) {
        let decoded = decode(&png(chunks), ImageFormat::Png, raw, &Limits::default()).unwrap();
        let Pixels::Flat(levels) = &decoded.image.parts[0].pixels else { panic!() };
        let Samples::Half(values) = &levels[0].planes[0].samples else { panic!() };
        let losses = decoded.losses.iter().map(|loss| loss.reason.to_string());
        (values[0].to_f32(), decoded.notes.into_iter().chain(losses).collect())
    }

    #[test]
    fn what_a_png_says_of_its_codes_is_heeded_or_told() {
        let [by_srgb, light] = [srgb::light_of_u8(118), 118.0 / 255.0];
        let power = |gamma: u32| gamma.to_be_bytes();
        let (usual, linear, other) = (power(45_455), power(100_000), power(55_556));
        type Chunks<'c> = &'c [(&'c [u8; 4], &'c [u8])];
        let cases: [(Chunks<'_>, f32, &str); 9] = [
            (&[], by_srgb, ""),
            (&[(b"gAMA", &usual)], by_srgb, ""),
            (&[(b"gAMA", &linear)], light, "its codes are taken for light"),
            (&[(b"gAMA", &other)], by_srgb, "its gAMA of 0.55556 is not applied"),
            (&[(b"sRGB", &[0]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 13, 0, 1]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 8, 0, 1])], light, "its codes are taken for light"),
            (&[(b"cICP", &[9, 16, 0, 1])], by_srgb, "its cICP (primaries 9, transfer function 16)"),
            (&[(b"cICP", &[1, 13, 0, 0])], by_srgb, "its cICP (primaries 1, transfer function 13)"),
        ];
        for (chunks, expected, note) in cases {
            let (value, notes) = read(chunks, false);
            assert!((value - expected).abs() < 1e-3, "{chunks:?}: {value} {expected}");
            assert_eq!(notes.len(), usize::from(!note.is_empty()), "{chunks:?}: {notes:?}");
            assert!(notes.iter().all(|said| said.starts_with(note)), "{chunks:?}: {notes:?}");
            let (value, notes) = read(chunks, true);
            assert!((value - light).abs() < 1e-3 && notes.is_empty(), "{chunks:?}: {notes:?}");
        }
    }
}
