//! Images in linear light to the bytes of picture files.

use crate::choose::{Choice, chosen_part};
use crate::decode::{STRAIGHT, failed};
use crate::formats::FormatRow;
use crate::look::{Look, NotHeld, encode};
use crate::losses::of_part;
use crate::view::{Frame, View};
use image::codecs::hdr::HdrEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::error::EncodingError;
use image::{ExtendedColorType, ImageEncoder, ImageError, ImageResult, Rgb};
use solio_base::{Error, Limits, Loss, Losses, Result, Work};
use solio_color::ToneMap;
use solio_exr::Image;
use solio_exr::header::Value;
use solio_kinds::ImageFormat;
use std::borrow::Cow;
use std::io::{Cursor, Write};
use std::sync::atomic::Ordering::Relaxed;
use tiff::encoder::colortype::ColorType;
use tiff::encoder::{TiffEncoder, TiffValue};
use tiff::tags::{ExtraSamples, Tag, Type};
use tiff::{TiffError, TiffResult};

/// How an image becomes a picture of another format.
///
/// ```
/// use solio_base::{Limits, Work};
/// use solio_color::gradient::colormap;
/// use solio_image::{PictureOptions, encode_picture, gradient_image};
/// use solio_kinds::ImageFormat;
/// let image = gradient_image(&colormap("viridis").unwrap(), [16, 8])?;
/// // Twice as bright, and 16 bits a value.
/// let options = PictureOptions { exposure: 1.0, bits: Some(16), ..PictureOptions::default() };
/// let (limits, work) = (Limits::default(), Work::default());
/// let encoded = encode_picture(&image, ImageFormat::Png, &options, &limits, &work)?;
/// // Where a PNG file says how many bits it has.
/// assert_eq!((encoded.size, encoded.bytes[24]), ([16, 8], 16));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureOptions {
    /// Part, layer or channels.
    pub choice: Choice,
    /// Which pixels.
    pub frame: Frame,
    /// Bits a value: 8, 16, or 32 for floating point numbers, as the format has them; without a word
    /// the fewest.
    pub bits: Option<u8>,
    /// Exposure in stops: each doubles the light.
    pub exposure: f32,
    /// How bright light becomes white.
    pub tone_map: ToneMap,
    /// Values stay as they are: no curve of sRGB, no division by alpha, no other primaries.
    pub raw: bool,
    /// Of formats that pack with loss, 1 to 100; without a word 90.
    pub quality: Option<u8>,
}

impl PictureOptions {
    /// Bits a value of a file of `format`.
    ///
    /// ```
    /// use solio_image::PictureOptions;
    /// use solio_kinds::ImageFormat;
    /// let wide = PictureOptions { bits: Some(16), ..PictureOptions::default() };
    /// assert_eq!(wide.check(ImageFormat::Png)?, 16);
    /// let error = wide.check(ImageFormat::Jpeg).unwrap_err();
    /// assert_eq!(error.hint_text(), Some("it has 8 bits"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Argument`, where the format has no such values, or no quality to choose.
    pub fn check(&self, format: ImageFormat) -> Result<u8> {
        let row = FormatRow::of(format)?;
        let name = row.name();
        let bits = self.bits.unwrap_or(row.samples[0].0);
        if row.channels(bits).is_empty() {
            return Err(Error::argument(format!("{name} has no values of {bits} bits"))
                .hint(format!("it has {} bits", row.bits())));
        }
        if self.quality.is_some() && row.quality.is_none() {
            let message = format!("{name} has no quality to choose");
            let hint = format!("--quality is of {}", crate::picture_names(crate::has_quality));
            return Err(Error::argument(message).hint(hint));
        }
        Ok(bits)
    }
}

/// The bytes of a file.
#[derive(Debug)]
pub struct Encoded {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Columns and rows.
    pub size: [u64; 2],
    /// What the format cannot hold of the image.
    pub losses: Losses,
}

/// Makes the bytes of a file that shows `image`, or as much of it as the format can hold.
///
/// # Errors
/// Those of [`PictureOptions::check`]; `Argument`, where the image has nothing of the choice; `Limit`.
pub fn encode_picture(
    image: &Image<'_>,
    format: ImageFormat,
    options: &PictureOptions,
    limits: &Limits,
    work: &Work,
) -> Result<Encoded> {
    let (row, bits) = (FormatRow::of(format)?, options.check(format)?);
    let (part, chosen) = chosen_part(image, &options.choice)?;
    let view = View::new(part, &chosen, options.frame, options.raw, 0.0, limits)?;
    let can_alpha = row.channels(bits).contains(&4);
    let alpha = view.has_alpha() && can_alpha;
    let wanted = if view.is_grey() { 1 } else { 3 } + usize::from(alpha);
    // Where there is no grey, colours have it.
    let same_alpha = |channels: &usize| channels % 2 == wanted % 2 && *channels >= wanted;
    let found = row.channels(bits).iter().copied().find(same_alpha);
    let channels = found.unwrap_or(wanted);
    let look = Look {
        gain: options.exposure.exp2(),
        tone_map: options.tone_map,
        raw: options.raw,
        straight: alpha,
        range: None,
    };
    let size = [view.width(), view.height()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    // Raw values are those of the image: multiplied by alpha, unless it says otherwise.
    let is_straight = !options.raw || part.header.get(STRAIGHT) == Some(&Value::Int(1));
    let not_held = NotHeld::default();
    let mut losses = Losses::default();
    fn pack<T: bytemuck::Pod>(
        values: &[T],
        file: (&FormatRow, Pixels, bool, Option<u8>),
    ) -> Result<Vec<u8>> {
        let (row, pixels, is_straight, quality) = file;
        encode_values(row, values, pixels, is_straight, (None, None), quality)
    }
    let file = (row, (size, channels), is_straight, options.quality);
    let bytes = match bits {
        8 => pack(&encode::<u8>(&view, &look, channels, &not_held, work)?, file),
        16 => pack(&encode::<u16>(&view, &look, channels, &not_held, work)?, file),
        _ => {
            let values = encode::<f32>(&view, &look, channels, &not_held, work)?;
            if format == ImageFormat::Hdr {
                of_hdr(&mut losses, &values);
            }
            pack(&values, file)
        }
    }?;
    of_part(&mut losses, part, format, &view.window);
    of_numbers(&mut losses, &not_held, row, bits);
    if view.changes_primaries() {
        let reason = "colours are brought to the primaries of sRGB";
        losses.add(Loss::new("color_space", reason).kept_by("raw"));
    }
    let name = row.name();
    if view.has_alpha() && !can_alpha {
        let loss = Loss::new("alpha", format!("{name} has no alpha: the picture lies on black"));
        losses.add(loss.count(1, "channel").example(chosen.alpha.unwrap_or_default()));
    }
    if row.quality.is_some() {
        losses.add(Loss::new("compression", format!("{name} packs pixels with loss")));
    }
    Ok(Encoded { bytes, size: size.map(u64::from), losses })
}

/// Columns, rows, and values a pixel.
type Pixels = ([u32; 2], usize);

/// The bytes of a file with these values, as they are; beside the profile stand the numbers of cICP.
pub(crate) fn encode_values<T: bytemuck::Pod>(
    row: &FormatRow,
    values: &[T],
    (size, channels): Pixels,
    is_straight: bool,
    (icc, cicp): (Option<&[u8]>, Option<[u8; 4]>),
    quality: Option<u8>,
) -> Result<Vec<u8>> {
    let bits = 8 * size_of::<T>() as u8;
    let icc = icc.filter(|_| row.has_profiles);
    let bytes = bytemuck::cast_slice(values);
    let values = Values { bytes, bits, size, channels, is_straight, icc, quality };
    let mut file = Packed::default();
    (row.encode)(&values, &mut file).map_err(|e| failed(row.format, e))?;
    let mut bytes = file.into_inner();
    if let Some(numbers) = cicp.filter(|_| row.format == ImageFormat::Png) {
        // Behind the header, which is always as long.
        let body = [&b"cICP"[..], &numbers].concat();
        let chunk = [&4_u32.to_be_bytes()[..], &body, &crc32fast::hash(&body).to_be_bytes()];
        bytes.splice(33..33, chunk.concat());
    }
    Ok(bytes)
}

/// Adds what integers cannot hold.
fn of_numbers(losses: &mut Losses, not_held: &NotHeld, row: &FormatRow, bits: u8) {
    let name = row.name();
    let keeps = |loss: Loss, least: u8| match row.has_more_bits(bits, least) {
        true => loss.kept_by("bits"),
        false => loss,
    };
    if not_held.is_rounded.load(Relaxed) {
        let reason = format!("{name} values are rounded to {bits} bits");
        losses.add(keeps(Loss::new("bit_depth", reason), 16));
    }
    let outside = not_held.outside.load(Relaxed);
    if outside > 0 {
        let reason = format!("{name} values of {bits} bits go from 0 to 1: others are cut");
        losses.add(keeps(Loss::new("range", reason).count(outside, "pixel"), 32));
    }
    let uncovered = not_held.uncovered.load(Relaxed);
    if uncovered > 0 {
        let reason = "light without alpha is black where alpha is straight";
        losses.add(Loss::new("uncovered_light", reason).count(uncovered, "pixel").kept_by("raw"));
    }
}

/// Adds what three mantissas of eight bits with one exponent cannot hold.
fn of_hdr(losses: &mut Losses, values: &[f32]) {
    let (mut outside, mut is_rounded) = (0, false);
    for pixel in values.as_chunks::<3>().0 {
        if !pixel.iter().all(|value| (0.0..=1e38).contains(value)) {
            outside += 1;
            continue;
        }
        let largest = pixel.iter().fold(0f32, |most, &value| most.max(value));
        if !is_rounded && largest > 0.0 {
            // The largest has the highest of eight bits set.
            let step = (largest.log2().floor() - 7.0).exp2();
            is_rounded = pixel.iter().any(|value| (value / step).fract() != 0.0);
        }
    }
    if is_rounded {
        let reason = "HDR values have eight bits, and one exponent for three";
        losses.add(Loss::new("bit_depth", reason));
    }
    losses.add_some("range", "HDR has no negative or infinite light", outside, "pixel");
}

/// The bytes of a file that is made.
pub(crate) type Packed = Cursor<Vec<u8>>;

/// Numbers that become a file.
pub(crate) struct Values<'a> {
    /// As memory has them, pixel by pixel.
    bytes: &'a [u8],
    bits: u8,
    /// Columns and rows.
    size: [u32; 2],
    channels: usize,
    /// Colours are not multiplied by alpha.
    is_straight: bool,
    /// An ICC profile that goes with them.
    icc: Option<&'a [u8]>,
    pub(crate) quality: Option<u8>,
}

impl Values<'_> {
    fn color(&self) -> ExtendedColorType {
        use ExtendedColorType as Color;
        match (self.channels, self.bits) {
            (1, 8) => Color::L8,
            (2, 8) => Color::La8,
            (3, 8) => Color::Rgb8,
            (4, 8) => Color::Rgba8,
            (1, 16) => Color::L16,
            (2, 16) => Color::La16,
            (3, 16) => Color::Rgb16,
            (4, 16) => Color::Rgba16,
            (4, _) => Color::Rgba32F,
            _ => Color::Rgb32F,
        }
    }

    /// By an encoder of the crate `image`.
    pub(crate) fn write(&self, mut encoder: impl ImageEncoder) -> ImageResult<()> {
        let [width, height] = self.size;
        if let Some(profile) = self.icc {
            encoder.set_icc_profile(profile.to_vec()).map_err(ImageError::Unsupported)?;
        }
        encoder.write_image(self.bytes, width, height, self.color())
    }
}

pub(crate) fn hdr(values: &Values<'_>, file: &mut Packed) -> ImageResult<()> {
    // The format has no negative light, and neither infinities nor what is no number.
    let light = |v: f32| if v > 0.0 { v.min(1e38) } else { 0.0 };
    let (pixels, _) = bytemuck::cast_slice(values.bytes).as_chunks::<3>();
    let pixels: Vec<Rgb<f32>> = pixels.iter().map(|rgb| Rgb(rgb.map(light))).collect();
    let [width, height] = values.size;
    HdrEncoder::new(file).encode(&pixels, width as usize, height as usize)
}

pub(crate) fn tiff(values: &Values<'_>, file: &mut Packed) -> ImageResult<()> {
    use tiff::encoder::colortype as of;
    let written = match (values.channels, values.bits) {
        (1, 8) => tiff_of::<of::Gray8>(file, values),
        (1, 16) => tiff_of::<of::Gray16>(file, values),
        (3, 8) => tiff_of::<of::RGB8>(file, values),
        (3, 16) => tiff_of::<of::RGB16>(file, values),
        (3, _) => tiff_of::<of::RGB32Float>(file, values),
        (_, 8) => tiff_of::<of::RGBA8>(file, values),
        (_, 16) => tiff_of::<of::RGBA16>(file, values),
        _ => tiff_of::<of::RGBA32Float>(file, values),
    };
    written.map_err(of_tiff)
}

/// Says what alpha is: without a word some programs take straight alpha for associated. `image` has
/// no way to say it, nor what the profile is.
fn tiff_of<C: ColorType>(file: &mut Packed, values: &Values<'_>) -> TiffResult<()>
where
    C::Inner: bytemuck::Pod,
    [C::Inner]: TiffValue,
{
    let [width, height] = values.size;
    let mut file = TiffEncoder::new(file)?;
    let mut image = file.new_image::<C>(width, height)?;
    if values.channels == 4 {
        let alpha = match values.is_straight {
            true => ExtraSamples::UnassociatedAlpha,
            false => ExtraSamples::AssociatedAlpha,
        };
        image.encoder().write_tag(Tag::ExtraSamples, &[alpha][..])?;
    }
    if let Some(profile) = values.icc {
        image.encoder().write_tag(Tag::IccProfile, Undefined(profile))?;
    }
    image.write_data(bytemuck::cast_slice(values.bytes))
}

/// Bytes of the type that a TIFF calls undefined.
struct Undefined<'a>(&'a [u8]);

impl TiffValue for Undefined<'_> {
    const BYTE_LEN: u8 = 1;
    const FIELD_TYPE: Type = Type::UNDEFINED;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.0)
    }
}

fn of_tiff(e: TiffError) -> ImageError {
    match e {
        TiffError::IoError(e) => ImageError::IoError(e),
        e => ImageError::Encoding(EncodingError::new(image::ImageFormat::Tiff.into(), e)),
    }
}

/// PNG that is written fast.
pub(crate) fn png_encoder<W: Write>(bytes: W) -> PngEncoder<W> {
    PngEncoder::new_with_quality(bytes, CompressionType::Fast, FilterType::Adaptive)
}

/// A PNG file with these pixels of 8 bits, row by row from the top: red, green, blue and, with
/// `has_alpha`, straight alpha.
///
/// # Errors
/// `Argument`, where there are no columns or rows.
pub fn png(pixels: &[u8], width: u32, height: u32, has_alpha: bool) -> Result<Vec<u8>> {
    let color = if has_alpha { ExtendedColorType::Rgba8 } else { ExtendedColorType::Rgb8 };
    let mut bytes = Vec::new();
    let written = png_encoder(&mut bytes).write_image(pixels, width, height, color);
    written.map_err(|e| Error::argument(format!("PNG: {e}")))?;
    Ok(bytes)
}
