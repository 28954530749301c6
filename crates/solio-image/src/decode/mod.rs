//! The bytes of picture files to images in linear light, as OpenEXR has them.

mod planes;
mod profile;
mod stated;
mod tiff;

use crate::formats::FormatRow;
use image::codecs::hdr::HdrDecoder;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageBuffer, ImageDecoder};
use planes::{Meaning, as_halves, hidden, is_light_multiplied, planes};
use profile::IccMeaning;
use solio_base::{Error, ErrorKind, Limits, Loss, Losses, Result, Source};
use solio_color::srgb;
use solio_container::hdr::HdrHeader;
use solio_container::{ByteView, container_header};
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use solio_kinds::{Ability, FileKind, ImageFormat};
pub(crate) use stated::{Curve, cicp_curve};
use std::io::Cursor;
pub(crate) use tiff::decode as tiff;

/// Most bytes of pixels for one of a file: what deflate can do, and then some.
const MOST_FROM_A_BYTE: u64 = 1 << 12;
/// What every file may need beside that.
const ROOM: u64 = 64 << 20;
/// The attribute that is 1 where colours are not multiplied by alpha, as OpenImageIO calls it.
pub(crate) const STRAIGHT: &str = "oiio:UnassociatedAlpha";

/// An image, and what there is to say about it.
#[derive(Debug)]
pub struct Decoded {
    /// A flat part in linear light, colours multiplied by alpha.
    pub image: Image<'static>,
    /// Its numbers are codes from black to white, and not light of any strength.
    pub is_finished: bool,
    /// How the file was understood, where that is not plain.
    pub notes: Vec<String>,
    /// What of the file the image does not have.
    pub losses: Losses,
    /// The file ends within the picture: pixels at its end are made up.
    pub is_cut: bool,
}

/// Reads the bytes of a picture file. With `raw` integers become values from 0 to 1 as they are, and
/// colours are not multiplied by alpha.
///
/// ```
/// use solio_base::Limits;
/// use solio_kinds::ImageFormat;
/// let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// let decoded = solio_image::decode(hdr, ImageFormat::Hdr, false, &Limits::default())?;
/// assert!(!decoded.is_finished && decoded.losses.is_empty());
/// let window = decoded.image.parts[0].header.display_window().unwrap();
/// assert_eq!((window.width(), window.height()), (2, 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt`, `Unsupported` or `Limit` of the decoder; `Argument` for OpenEXR.
pub fn decode(bytes: &[u8], format: ImageFormat, raw: bool, limits: &Limits) -> Result<Decoded> {
    light(decode_pixels(bytes, format, limits)?, raw)
}

/// [`decode`] of pixels that were read.
pub(crate) fn light(mut stored: Stored, raw: bool) -> Result<Decoded> {
    let (mut notes, mut losses) = (Vec::new(), Losses::default());
    let curve = match raw {
        true => None,
        false => stored.color_curve(),
    };
    let is_light = matches!(curve, Some(Curve::Light));
    let mut of_profile = None;
    match &curve {
        Some(Curve::Light) => notes.push("its codes are taken for light, as it says".to_owned()),
        Some(Curve::Unapplied(said)) => {
            let reason = format!("its {said} is not applied: the values are taken for sRGB");
            losses.add(Loss::new("color_profile", reason));
        }
        Some(Curve::Profile(profile)) => {
            let said = &profile.said;
            let how = (stored.associated, stored.is_code);
            of_profile = profile.planes(&stored.picture, how)?;
            if of_profile.is_some() {
                notes.push(format!(
                    "its {said} is applied: colours become light of sRGB's primaries"
                ));
            } else {
                let reason = format!("its {said} is not applied: floats are taken for light");
                losses.add(Loss::new("color_profile", reason));
            }
        }
        Some(Curve::Srgb) | None => {}
    }
    if stored.has_pages {
        let reason = "its first page is taken, further ones are left out";
        losses.add(Loss::new("pages", reason));
    }
    let rounded = usize::try_from(stored.rounded).unwrap_or(usize::MAX);
    losses.add_some("bit_depth", "samples are rounded to 32-bit floats", rounded, "sample");
    if !raw && !stored.associated {
        let hidden = hidden(&stored.picture) as usize;
        let reason = "colours where alpha is 0 become black";
        losses.add_some("hidden_colors", reason, hidden, "pixel");
    }
    let meaning = match (raw, stored.associated) {
        (true, _) => Meaning::Raw,
        (false, true) if of_profile.is_none() && is_light_multiplied(&stored.picture) => {
            notes.push(
                "colours brighter than their alpha: they are taken for light that was multiplied by \
                 alpha before it became codes"
                    .to_owned(),
            );
            Meaning::Multiplied
        }
        (false, true) => Meaning::Associated,
        (false, false) if is_light => Meaning::Light,
        (false, false) => Meaning::Straight,
    };
    let has_profile = of_profile.is_some();
    if stored.is_code && !raw && !has_profile {
        stored.enlighten();
    }
    let mut planes = match of_profile {
        Some(planes) => planes,
        None => planes(&stored.picture, meaning)?,
    };
    if stored.is_grey {
        planes.retain(|plane| plane.channel.name == "A" || plane.channel.name == "G");
        for plane in planes.iter_mut().filter(|plane| plane.channel.name == "G") {
            plane.channel.name = "Y".to_owned();
        }
    }
    for (name, values) in std::mem::take(&mut stored.extra) {
        let channel = Channel::new(name, PixelType::Float);
        planes.push(Plane { channel, samples: Samples::Float(values.into()) });
    }
    if stored.is_half && !has_profile {
        as_halves(&mut planes);
    }
    let mut image = of_planes(size(&stored.picture), planes);
    image.parts[0].header.set("pixelAspectRatio", Value::Float(stored.pixel_aspect));
    if raw && stored.picture.color().has_alpha() && !stored.associated {
        image.parts[0].header.set(STRAIGHT, Value::Int(1));
    }
    let is_float =
        matches!(stored.picture, DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_));
    let is_bright = matches!(&curve, Some(Curve::Profile(profile)) if profile.is_light);
    let is_finished = (!is_float || stored.is_code) && !is_bright;
    if stored.is_cut {
        losses.add(Loss::new("pixels", "the file ends early: what is missing is grey"));
    }
    Ok(Decoded { image, is_finished, notes, losses, is_cut: stored.is_cut })
}

/// The error of a file that ends early, for whoever wants all of it.
pub fn cut_error(bytes: u64) -> Error {
    let error = Error::corrupt("the file ends within the picture").at_offset(bytes);
    error.hint("`solio preview` shows what is there, `solio convert --partial` keeps it")
}

/// About how many bytes the pixels of a picture take while it is read: four values a pixel, as they
/// are stored and as samples. `None` where its header does not tell.
pub fn decoded_bytes(source: &dyn Source, format: ImageFormat) -> Option<u64> {
    let header = container_header(format.kind(), source).ok()??;
    let bits = if header.bits > 0 { header.bits } else { 16 };
    let value: u64 = match bits {
        0..=8 => 1 + 2,
        9..=16 => 2 + 4,
        _ => 4 + 4,
    };
    Some(u64::from(header.width).saturating_mul(header.height.into()).saturating_mul(4 * value))
}

/// Pixels as an image; where they have alpha, it is straight.
///
/// # Errors
/// `Unsupported` for kinds of pixels that no picture format has.
pub fn image_of(picture: &DynamicImage) -> Result<Image<'static>> {
    Ok(of_planes(size(picture), planes(picture, Meaning::Straight)?))
}

fn size(picture: &DynamicImage) -> [u32; 2] {
    [picture.width(), picture.height()]
}

pub(crate) fn of_planes([width, height]: [u32; 2], planes: Vec<Plane<'static>>) -> Image<'static> {
    let window = Box2i::of_size(width, height);
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
}

/// The pixels of a file as they are stored, upright.
pub struct Stored {
    /// The pixels.
    pub picture: DynamicImage,
    /// The three colours are one: no picture of `image` has grey floats.
    pub is_grey: bool,
    /// An ICC profile, as it lies in the file.
    pub icc: Option<Vec<u8>>,
    /// The numbers of `cICP`.
    pub(crate) cicp: Option<[u8; 4]>,
    /// How codes become light, where something else than the profile says so.
    pub(crate) curve: Option<Curve>,
    /// Colours have been multiplied by alpha.
    pub(crate) associated: bool,
    /// Floats had 16 bits.
    pub(crate) is_half: bool,
    pub(crate) has_pages: bool,
    pub(crate) is_cut: bool,
    /// The width of a pixel in parts of its height.
    pub(crate) pixel_aspect: f32,
    /// Columns were rows before the picture was turned upright.
    pub(crate) is_sideways: bool,
    /// Floats are codes, of integers of more than 16 bits.
    pub(crate) is_code: bool,
    /// Samples that floats do not hold.
    pub(crate) rounded: u64,
    /// Further samples of the pixels, by name.
    pub(crate) extra: Vec<(String, Vec<f32>)>,
}

/// Reads what is stored.
///
/// # Errors
/// As [`decode`].
pub fn decode_pixels(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Stored> {
    let most = (bytes.len() as u64).saturating_mul(MOST_FROM_A_BYTE).saturating_add(ROOM);
    let most = most.min(limits.bytes);
    (FormatRow::of(format)?.decode)(bytes, most).map_err(|e| explained(e, bytes, format, most))
}

/// Says what to do about a file that is not as it should be.
fn explained(error: Error, bytes: &[u8], format: ImageFormat, most: u64) -> Error {
    if error.hint_text().is_some() {
        return error;
    }
    let header = || container_header(format.kind(), &bytes).ok()?;
    match error.kind() {
        ErrorKind::Limit => match header() {
            Some(header) => error.hint(format!(
                "it says {} × {} pixels; a file of {} bytes may ask for {most} bytes of memory",
                header.width,
                header.height,
                bytes.len()
            )),
            None => error,
        },
        ErrorKind::Corrupt if format.kind().can(Ability::Check) => {
            error.hint("`solio check` says where it is damaged")
        }
        _ => error,
    }
}

pub(crate) fn hdr(bytes: &[u8], most: u64) -> Result<Stored> {
    // Some begin with `#?RGBE`, or with the name of a program.
    let is_strict = bytes.starts_with(FileKind::Hdr.mark()) || !bytes.starts_with(b"#?");
    let open = |bytes| match is_strict {
        true => HdrDecoder::new(bytes),
        false => HdrDecoder::new_nonstrict(bytes),
    };
    let header = HdrHeader::of(ByteView::memory(bytes));
    let turned = header.as_ref().and_then(HdrHeader::orientation).filter(|turned| *turned != 1);
    let mut stored = match (&header, turned) {
        (Some(header), Some(turned)) => {
            // The decoder knows the usual order: it gets the rows as they lie.
            let sideways = turned > 4;
            let [rows, columns] = match sideways {
                true => [header.width, header.height],
                false => [header.height, header.width],
            };
            let (before, after) = (header.size_line.start, header.size_line.end);
            let head = format!("-Y {rows} +X {columns}");
            let usual = [&bytes[..before], head.as_bytes(), &bytes[after..]].concat();
            let mut stored = upright(ImageFormat::Hdr, open(Cursor::new(&usual[..])), most)?;
            let turned = Orientation::from_exif(turned).unwrap_or(Orientation::NoTransforms);
            stored.picture.apply_orientation(turned);
            stored
        }
        _ => upright(ImageFormat::Hdr, open(Cursor::new(bytes)), most)?,
    };
    stored.pixel_aspect = header.map_or(1.0, |header| header.pixel_aspect);
    Ok(stored)
}

pub(crate) fn jpeg(bytes: &[u8], most: u64) -> Result<Stored> {
    if let Some(kind) = stated::unread_jpeg(bytes) {
        return Err(Error::unsupported(format!("JPEG: {kind} is not read")));
    }
    let stored = upright(ImageFormat::Jpeg, JpegDecoder::new(Cursor::new(bytes)), most)?;
    let is_cut = stated::is_cut_jpeg(bytes);
    Ok(Stored { is_cut, ..stored.with_density(stated::jpeg_density(bytes)) })
}

pub(crate) fn png(bytes: &[u8], most: u64) -> Result<Stored> {
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), bounds(most));
    let stored = upright(ImageFormat::Png, decoder, most)?;
    let stored = stored.with_density(stated::png_density(bytes));
    Ok(Stored { curve: stated::png_curve(bytes), cicp: stated::png_cicp(bytes), ..stored })
}

fn bounds(most: u64) -> image::Limits {
    let mut bounds = image::Limits::no_limits();
    bounds.max_alloc = Some(most);
    bounds
}

/// What a decoder of the crate `image` gives, turned as its metadata say.
pub(crate) fn upright(
    format: ImageFormat,
    decoder: image::ImageResult<impl ImageDecoder>,
    most: u64,
) -> Result<Stored> {
    let read = || {
        let mut decoder = decoder?;
        decoder.set_limits(bounds(most))?;
        // Not every decoder looks at its size before it asks for memory.
        if decoder.total_bytes() > most {
            let kind = image::error::LimitErrorKind::InsufficientMemory;
            return Err(image::ImageError::Limits(image::error::LimitError::from_kind(kind)));
        }
        let profile = decoder.icc_profile().ok().flatten();
        let orientation = decoder.orientation()?;
        let mut picture = DynamicImage::from_decoder(decoder)?;
        picture.apply_orientation(orientation);
        Ok((picture, profile, is_sideways(orientation)))
    };
    let (picture, profile, is_sideways) = read().map_err(|e| failed(format, e))?;
    Ok(Stored { is_sideways, ..Stored::new(picture, profile) })
}

impl Stored {
    pub(crate) fn new(picture: DynamicImage, profile: Option<Vec<u8>>) -> Stored {
        Stored {
            picture,
            is_grey: false,
            curve: None,
            icc: profile,
            cicp: None,
            associated: false,
            is_half: false,
            has_pages: false,
            is_cut: false,
            pixel_aspect: 1.0,
            is_sideways: false,
            is_code: false,
            rounded: 0,
            extra: Vec::new(),
        }
    }
}

/// Whether columns become rows.
pub(crate) fn is_sideways(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH)
}

impl Stored {
    /// With pixels of the shape that so many of them across and down, in the same length, have.
    pub(crate) fn with_density(mut self, density: Option<[f64; 2]>) -> Stored {
        /// Less is what rounding to whole dots makes.
        const SEEN: f64 = 0.002;
        let Some([across, down]) = density else { return self };
        let aspect = if self.is_sideways { across / down } else { down / across };
        if (0.01..=100.0).contains(&aspect) && (aspect - 1.0).abs() > SEEN {
            self.pixel_aspect = aspect as f32;
        }
        self
    }

    /// Turns the picture, and takes further planes of `size` (columns, rows) along.
    pub(crate) fn turn(
        &mut self,
        orientation: Orientation,
        extra: Vec<(String, Vec<f32>)>,
        [width, height]: [u32; 2],
    ) -> Result<()> {
        self.picture.apply_orientation(orientation);
        for (name, plane) in extra {
            let pixels = plane.into_iter().flat_map(|value| [value; 3]).collect();
            let buffer = ImageBuffer::from_raw(width, height, pixels);
            let missing = || Error::corrupt(format!("pixels of {name:?} are missing"));
            let mut turned = DynamicImage::ImageRgb32F(buffer.ok_or_else(missing)?);
            turned.apply_orientation(orientation);
            let turned = turned.into_rgb32f().into_raw();
            self.extra.push((name, turned.into_iter().step_by(3).collect()));
        }
        Ok(())
    }

    /// What the file says of its colours.
    fn color_curve(&mut self) -> Option<Curve> {
        if let Some(curve) = self.curve.take() {
            return Some(curve);
        }
        let profile = self.icc.as_ref()?;
        let color = self.picture.color();
        let is_grey = self.is_grey || !color.has_color();
        Some(match profile::of_icc(profile, is_grey) {
            IccMeaning::Srgb => Curve::Srgb,
            IccMeaning::Profile(profile) => Curve::Profile(Box::new(profile)),
            IccMeaning::Unknown(_) if names_srgb(profile) => Curve::Srgb,
            IccMeaning::Unknown(said) => Curve::Unapplied(said),
        })
    }

    /// Makes light of floats that are codes.
    fn enlighten(&mut self) {
        let light = |pixel: &mut [f32]| {
            pixel[..3].iter_mut().for_each(|value| *value = srgb::to_linear(*value));
        };
        match &mut self.picture {
            DynamicImage::ImageRgb32F(picture) => picture.chunks_exact_mut(3).for_each(light),
            DynamicImage::ImageRgba32F(picture) => picture.chunks_exact_mut(4).for_each(light),
            _ => {}
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_no_such_file_has_is_refused_before_memory_is_taken() {
        for size in ["-Y 801347103 -X 64", "-Y 801347103 +X 64"] {
            let bytes = format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n{size}\n\u{1}\u{1}");
            let error = decode_pixels(bytes.as_bytes(), ImageFormat::Hdr, &Limits::default());
            assert!(error.is_err(), "{size}");
        }
    }

    /// A file of these scanlines, whose pixels are greys of light without run lengths.
    fn file(size: &str, lines: &[&[u8]]) -> Vec<u8> {
        let mut bytes = format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n{size}\n").into_bytes();
        for value in lines.concat() {
            bytes.extend([value, value, value, 128]);
        }
        bytes
    }

    #[test]
    fn hdr_is_turned_as_its_size_says() {
        // Three columns, two rows, numbered from the top left.
        let upright: [&[u8]; 2] = [&[10, 20, 30], &[40, 50, 60]];
        let cases: [(&str, &[&[u8]]); 8] = [
            ("-Y 2 +X 3", &upright),
            ("-Y 2 -X 3", &[&[30, 20, 10], &[60, 50, 40]]),
            ("+Y 2 -X 3", &[&[60, 50, 40], &[30, 20, 10]]),
            ("+Y 2 +X 3", &[&[40, 50, 60], &[10, 20, 30]]),
            ("+X 3 -Y 2", &[&[10, 40], &[20, 50], &[30, 60]]),
            ("-X 3 -Y 2", &[&[30, 60], &[20, 50], &[10, 40]]),
            ("-X 3 +Y 2", &[&[60, 30], &[50, 20], &[40, 10]]),
            ("+X 3 +Y 2", &[&[40, 10], &[50, 20], &[60, 30]]),
        ];
        let pixels = |bytes: &[u8]| {
            let stored = decode_pixels(bytes, ImageFormat::Hdr, &Limits::default()).unwrap();
            (size(&stored.picture), stored.picture.into_rgb32f().into_raw(), stored.pixel_aspect)
        };
        let expected = pixels(&file(cases[0].0, cases[0].1));
        assert_eq!(expected.0, [3, 2]);
        for (said, lines) in cases {
            assert_eq!(pixels(&file(said, lines)), expected, "{said}");
        }
        let usual = file(cases[0].0, cases[0].1);
        let wide = [b"#?RADIANCE\nPIXASPECT=0.5\n", &usual[11..]].concat();
        assert_eq!(pixels(&wide).2, 2.0);
    }
}
