//! Images in linear light to the bytes of PNG, JPEG, TIFF and HDR files.

use super::decode::{STRAIGHT, failed};
use super::look::{Code, Look, NotHeld, encode};
use super::losses::of_part;
use super::{Choice, Frame, View, choose};
use crate::ImageFormat;
use image::codecs::hdr::HdrEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::codecs::tiff::TiffEncoder;
use image::error::EncodingError;
use image::{ExtendedColorType, ImageEncoder, ImageError, Rgb};
use solio_base::{Error, Limits, Loss, Losses, Result, Work};
use solio_color::ToneMap;
use solio_exr::Image;
use solio_exr::header::{Header, Value};
use std::io::Cursor;
use std::sync::atomic::Ordering::Relaxed;
use tiff::encoder::colortype::{ColorType, RGBA8, RGBA16, RGBA32Float};
use tiff::encoder::{TiffEncoder as RgbaEncoder, TiffValue};
use tiff::tags::{ExtraSamples, Tag};
use tiff::{TiffError, TiffResult};

/// Quality of JPEG without a wish.
const QUALITY: u8 = 90;

/// How an image becomes a picture of another format.
///
/// ```
/// use solio::{ImageConvertOptions, PictureOptions, ToneMap, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [exr, png] = ["a.exr", "a.png"].map(|name| folder.path().join(name));
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [16, 8])?;
/// # solio::write_image(&image, &exr, &Default::default(), &Work::default())?;
/// // Twice as bright, and 16 bits a value.
/// let picture = PictureOptions {
///     exposure: 1.0,
///     bits: Some(16),
///     tone_map: ToneMap::None,
///     ..PictureOptions::default()
/// };
/// let options = ImageConvertOptions { picture, ..ImageConvertOptions::default() };
/// solio::convert_image(&exr, &png, &options, &Work::default())?;
/// // Where a PNG file says how many bits it has.
/// assert_eq!(std::fs::read(&png).unwrap()[24], 16);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureOptions {
    /// Part, layer or channels.
    pub choice: Choice,
    /// Which pixels.
    pub frame: Frame,
    /// 8, 16 or 32 bits a value: PNG 8 or 16, TIFF all, JPEG 8, HDR its own. Without a word 8, for
    /// HDR 32.
    pub bits: Option<u8>,
    /// Exposure in stops: each doubles the light.
    pub exposure: f32,
    /// How bright light becomes white.
    pub tone_map: ToneMap,
    /// Values stay as they are: no curve of sRGB, no division by alpha, no other primaries.
    pub raw: bool,
    /// Of JPEG, 1 to 100; without a word 90.
    pub quality: Option<u8>,
}

impl PictureOptions {
    /// Whether the format has such values; says which, if any.
    pub(crate) fn bits(&self, format: ImageFormat) -> Result<u8> {
        let possible: &[u8] = match format {
            ImageFormat::Png => &[8, 16],
            ImageFormat::Tiff => &[8, 16, 32],
            ImageFormat::Jpeg => &[8],
            ImageFormat::Hdr | ImageFormat::Exr => &[32],
        };
        let bits = self.bits.unwrap_or(possible[0]);
        if possible.contains(&bits) {
            return Ok(bits);
        }
        let known: Vec<String> = possible.iter().map(u8::to_string).collect();
        let name = format.as_str().to_uppercase();
        Err(Error::argument(format!("{name} has no values of {bits} bits"))
            .hint(format!("it has {} bits", known.join(", "))))
    }
}

/// The bytes of a file.
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    /// Columns and rows.
    pub(crate) size: [u64; 2],
    /// What the format cannot hold.
    pub(crate) losses: Losses,
}

/// Makes the bytes of a file that shows `image`, or as much of it as the format can hold.
pub(crate) fn encode_picture(
    image: &Image<'_>,
    format: ImageFormat,
    options: &PictureOptions,
    limits: &Limits,
    work: &Work,
) -> Result<Encoded> {
    let bits = options.bits(format)?;
    let parts = image.parts.iter().map(|part| part.header.clone()).collect();
    let chosen = choose(&Header { parts, ..Header::default() }, &options.choice)?;
    let part = &image.parts[chosen.part];
    let view = View::new(part, &chosen, options.frame, options.raw, 0.0, limits)?;
    let can_alpha = !matches!(format, ImageFormat::Jpeg | ImageFormat::Hdr);
    let alpha = view.has_alpha() && can_alpha;
    let grey = view.is_grey() && format != ImageFormat::Hdr;
    let mut channels = if grey { 1 } else { 3 };
    if alpha {
        // What `image` writes as TIFF has no grey with alpha.
        channels = if grey && format == ImageFormat::Png { 2 } else { 4 };
    } else if grey && format == ImageFormat::Tiff && bits == 32 {
        channels = 3;
    }
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
    let pack = Pack { format, size, channels, is_straight, quality: options.quality };
    let not_held = NotHeld::default();
    let mut losses = Losses::default();
    let bytes = match bits {
        8 => pack.bytes(&encode::<u8>(&view, &look, channels, &not_held, work)?),
        16 => pack.bytes(&encode::<u16>(&view, &look, channels, &not_held, work)?),
        _ => {
            let values = encode::<f32>(&view, &look, channels, &not_held, work)?;
            if format == ImageFormat::Hdr {
                of_hdr(&mut losses, &values);
            }
            pack.bytes(&values)
        }
    };
    let bytes = bytes.map_err(|e| failed(format, e))?;
    of_part(&mut losses, part, format, &view.window);
    of_numbers(&mut losses, &not_held, format, bits);
    if view.changes_primaries() {
        let reason = "colours are brought to the primaries of sRGB";
        losses.add(Loss::new("color_space", reason).kept_by("raw"));
    }
    if view.has_alpha() && !can_alpha {
        let name = format.as_str().to_uppercase();
        let loss = Loss::new("alpha", format!("{name} has no alpha: the picture lies on black"));
        losses.add(loss.count(1, "channel").example(chosen.alpha.unwrap_or_default()));
    }
    if format == ImageFormat::Jpeg {
        losses.add(Loss::new("compression", "JPEG packs pixels with loss"));
    }
    Ok(Encoded { bytes, size: size.map(u64::from), losses })
}

/// Adds what integers cannot hold.
fn of_numbers(losses: &mut Losses, not_held: &NotHeld, format: ImageFormat, bits: u8) {
    let name = format.as_str().to_uppercase();
    let keeps = |loss: Loss, most: u8| match format {
        ImageFormat::Png if most == 16 && bits == 8 => loss.kept_by("bits"),
        ImageFormat::Tiff => loss.kept_by("bits"),
        _ => loss,
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

/// How numbers become a file.
struct Pack {
    format: ImageFormat,
    /// Columns and rows.
    size: [u32; 2],
    channels: usize,
    /// Colours are not multiplied by alpha.
    is_straight: bool,
    /// Of JPEG.
    quality: Option<u8>,
}

impl Pack {
    fn bytes<T: Code + bytemuck::Pod>(&self, values: &[T]) -> image::ImageResult<Vec<u8>> {
        use ExtendedColorType as Color;
        let [width, height] = self.size;
        let color = match (self.channels, size_of::<T>()) {
            (1, 1) => Color::L8,
            (2, 1) => Color::La8,
            (3, 1) => Color::Rgb8,
            (4, 1) => Color::Rgba8,
            (1, 2) => Color::L16,
            (2, 2) => Color::La16,
            (3, 2) => Color::Rgb16,
            (4, 2) => Color::Rgba16,
            (4, _) => Color::Rgba32F,
            _ => Color::Rgb32F,
        };
        let plain: &[u8] = bytemuck::cast_slice(values);
        let mut bytes = Cursor::new(Vec::new());
        match self.format {
            ImageFormat::Png => {
                let (level, filter) = (CompressionType::Fast, FilterType::Adaptive);
                PngEncoder::new_with_quality(&mut bytes, level, filter)
                    .write_image(plain, width, height, color)?;
            }
            ImageFormat::Jpeg => {
                let quality = self.quality.unwrap_or(QUALITY);
                JpegEncoder::new_with_quality(&mut bytes, quality)
                    .write_image(plain, width, height, color)?;
            }
            ImageFormat::Tiff if self.channels == 4 => {
                let alpha = match self.is_straight {
                    true => ExtraSamples::UnassociatedAlpha,
                    false => ExtraSamples::AssociatedAlpha,
                };
                let (size, out) = (self.size, &mut bytes);
                let written = match size_of::<T>() {
                    1 => rgba_tiff::<RGBA8>(out, size, alpha, plain),
                    2 => rgba_tiff::<RGBA16>(out, size, alpha, bytemuck::cast_slice(values)),
                    _ => rgba_tiff::<RGBA32Float>(out, size, alpha, bytemuck::cast_slice(values)),
                };
                written.map_err(of_tiff)?;
            }
            ImageFormat::Tiff => {
                TiffEncoder::new(&mut bytes).write_image(plain, width, height, color)?;
            }
            ImageFormat::Hdr | ImageFormat::Exr => {
                let floats: &[f32] = bytemuck::cast_slice(values);
                // The format has no negative light, and neither infinities nor what is no number.
                let light = |v: f32| if v > 0.0 { v.min(1e38) } else { 0.0 };
                let (pixels, _) = floats.as_chunks::<3>();
                let pixels: Vec<Rgb<f32>> = pixels.iter().map(|rgb| Rgb(rgb.map(light))).collect();
                HdrEncoder::new(&mut bytes).encode(&pixels, width as usize, height as usize)?;
            }
        }
        Ok(bytes.into_inner())
    }
}

/// Says what alpha is: without a word some programs take straight alpha for associated. `image` has
/// no way to say it.
fn rgba_tiff<C: ColorType>(
    bytes: &mut Cursor<Vec<u8>>,
    [width, height]: [u32; 2],
    alpha: ExtraSamples,
    values: &[C::Inner],
) -> TiffResult<()>
where
    [C::Inner]: TiffValue,
{
    let mut file = RgbaEncoder::new(bytes)?;
    let mut image = file.new_image::<C>(width, height)?;
    image.encoder().write_tag(Tag::ExtraSamples, &[alpha][..])?;
    image.write_data(values)
}

fn of_tiff(e: TiffError) -> ImageError {
    match e {
        TiffError::IoError(e) => ImageError::IoError(e),
        e => ImageError::Encoding(EncodingError::new(image::ImageFormat::Tiff.into(), e)),
    }
}
