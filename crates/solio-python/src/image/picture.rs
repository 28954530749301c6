//! Pictures of other formats than OpenEXR: their codes as arrays, and files of such arrays.

use super::functions::{GivenImage, ReadImage, give_read};
use super::hold::{GivenPart, HeldImage, as_channels};
use super::options::ImageReading;
use crate::Any;
use crate::errors::argument;
use crate::functions::{GivenLoss, by_name, given_losses};
use crate::hold::in_place;
use crate::options::{CallArguments, plain, work};
use crate::run::run;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use solio::image::header::{Box2i, Header, Part, Value};
use solio::image::model::{ImagePart, Pixels};
use solio::image::{Channel, Compression, Image, Levels, PixelType};
use solio::{
    CodeValues, Error, ImageFormat, Input, Limits, PictureCodes, PictureOptions, Result,
    StoredPicture, ToneMap, Work, Written,
};
use std::ffi::OsString;
use std::path::PathBuf;

/// What Python needs to know of codes beside the header: the array of shape (H, W, C), further planes
/// by name, the ICC profile, the numbers of cICP, and whether alpha is straight.
pub(super) type GivenCodes<'py> = (
    Any<'py>,
    Vec<(String, Any<'py>)>,
    Option<Bound<'py, PyBytes>>,
    Option<(u8, u8, u8, u8)>,
    bool,
);

/// A picture that was read, and the names of the channels that were chosen.
pub(crate) struct ReadCodes {
    pub(super) codes: PictureCodes,
    pub(super) names: Option<Vec<String>>,
}

impl ImageReading {
    /// Reads a picture that is not OpenEXR.
    pub(super) fn picture(&self, input: &Input, work: &Work) -> Result<ReadImage> {
        let is_whole =
            matches!(self.options.levels, Levels::Full | Levels::One(0, 0) | Levels::All);
        if !is_whole {
            return Err(Error::argument("a picture has one level").at_path(input.path()));
        }
        let limits = &self.options.limits;
        if !self.light
            && let StoredPicture::Codes(codes) = solio::read_stored_picture(input, limits, work)?
        {
            if self.pixel_type.is_some() {
                let error = Error::argument("codes keep their type").at_path(input.path());
                return Err(error.hint("light=True gives floats"));
            }
            let channels = names(codes.channels).iter().map(|name| (*name).to_owned());
            let extra = codes.extra.iter().map(|(name, _)| name.clone());
            let names = self.names(&channels.chain(extra).collect::<Vec<_>>(), input)?;
            return Ok(ReadImage::Codes(ReadCodes { codes, names }));
        }
        let mut decoded = solio::read_picture_light(input, limits, work)?;
        let part = &decoded.image.parts[0].header;
        let known: Vec<String> = part.channels().iter().map(|c| c.name.clone()).collect();
        let names = self.names(&known, input)?;
        if let Some(names) = &names {
            solio::edit::keep(&mut decoded.image, names)?;
        }
        if let Some(window) = &self.options.window {
            solio::edit::crop(&mut decoded.image, window).map_err(|e| e.at_path(input.path()))?;
        }
        if let Some(pixel_type) = self.pixel_type {
            decoded.image = in_type(decoded.image, pixel_type)?;
        }
        Ok(ReadImage::Light(decoded, names))
    }

    fn names(&self, known: &[String], input: &Input) -> Result<Option<Vec<String>>> {
        let channels = known.iter().map(|name| Channel::new(name, PixelType::Float)).collect();
        let part = Part::new(Box2i::of_size(1, 1), Compression::None, channels);
        let header = Header { parts: vec![part], ..Header::default() };
        let chosen = self.choice.of(&header, &self.options).map_err(|e| e.at_path(input.path()))?;
        let is_first =
            chosen.parts.as_ref().is_none_or(|parts| parts.iter().all(|part| *part == 0));
        if !is_first {
            return Err(Error::argument("a picture has one part").at_path(input.path()));
        }
        Ok(chosen.channels)
    }
}

/// All channels in one type.
fn in_type(mut image: Image<'static>, pixel_type: PixelType) -> Result<Image<'static>> {
    for ImagePart { header, pixels } in &mut image.parts {
        let channels = header.channels().iter().map(|c| Channel { pixel_type, ..c.clone() });
        let channels = channels.collect();
        header.set("channels", Value::Channels(channels));
        let Pixels::Flat(levels) = pixels else { continue };
        let planes = levels.iter_mut().flat_map(|level| &mut level.planes);
        planes.for_each(|plane| plane.channel.pixel_type = pixel_type);
    }
    as_channels(image)
}

/// The names of so many channels, as they lie.
fn names(channels: usize) -> &'static [&'static str] {
    match channels {
        1 => &["Y"],
        2 => &["Y", "A"],
        3 => &["R", "G", "B"],
        _ => &["R", "G", "B", "A"],
    }
}

/// A header for codes: what OpenEXR would say of them. Python has the true types.
pub(super) fn header(codes: &PictureCodes) -> Part {
    let [width, height] = codes.size;
    let channels = names(codes.channels).iter();
    let mut channels: Vec<Channel> =
        channels.map(|name| Channel::new(*name, PixelType::Float)).collect();
    let extra = codes.extra.iter().map(|(name, _)| Channel::new(name, PixelType::Float));
    channels.extend(extra);
    channels.sort_by(Channel::by_name);
    let mut part = Part::new(Box2i::of_size(width, height), Compression::Zip, channels);
    part.set("pixelAspectRatio", Value::Float(codes.pixel_aspect));
    part
}

pub(super) fn give_codes<'py>(py: Python<'py>, codes: PictureCodes) -> PyResult<GivenCodes<'py>> {
    let [width, height] = codes.size.map(|size| size as usize);
    let shape = [height, width, codes.channels];
    let array = match codes.values {
        CodeValues::U8(values) => PyArray1::from_vec(py, values).reshape(shape)?.into_any(),
        CodeValues::U16(values) => PyArray1::from_vec(py, values).reshape(shape)?.into_any(),
    };
    let mut extra = Vec::new();
    for (name, values) in codes.extra {
        extra.push((name, PyArray1::from_vec(py, values).reshape([height, width])?.into_any()));
    }
    let icc = codes.icc.map(|profile| PyBytes::new(py, &profile));
    let cicp = codes.cicp.map(|[a, b, c, d]| (a, b, c, d));
    Ok((array, extra, icc, cicp, codes.is_straight))
}

/// What an array of codes is.
struct CodesGiven {
    is_straight: bool,
    icc: Option<Vec<u8>>,
    cicp: Option<[u8; 4]>,
    pixel_aspect: f32,
    quality: Option<u8>,
    work: Work,
}

impl CodesGiven {
    fn new(options: &Bound<'_, PyDict>) -> PyResult<CodesGiven> {
        let given = CallArguments::new(options);
        let (mut is_straight, mut icc, mut cicp) = (true, None, None);
        let (mut pixel_aspect, mut quality) = (1.0, None);
        given.with("straight", &mut is_straight, plain)?;
        given.with("icc", &mut icc, |v| plain(v).map(Some))?;
        given.with("cicp", &mut cicp, |v| plain(v).map(Some))?;
        given.with("pixel_aspect", &mut pixel_aspect, plain)?;
        given.with("quality", &mut quality, |v| quality_of(v).map(Some))?;
        let work = work(&given)?;
        given.finish()?;
        Ok(CodesGiven { is_straight, icc, cicp, pixel_aspect, quality, work })
    }

    /// The codes of an array of shape (H, W, C).
    fn codes(&self, array: &Bound<'_, PyUntypedArray>) -> PyResult<PictureCodes> {
        let &[height, width, channels] = array.shape() else {
            return Err(argument("codes are an array of shape (H, W, C)"));
        };
        let size = [width, height].map(u32::try_from);
        let [Ok(width), Ok(height)] = size else {
            return Err(argument("a picture of so many columns and rows is none"));
        };
        let values = if let Some(held) = in_place::<u8>(array) {
            CodeValues::U8(held.slice().to_vec())
        } else if let Some(held) = in_place::<u16>(array) {
            CodeValues::U16(held.slice().to_vec())
        } else {
            return Err(argument("codes are a contiguous array of uint8 or uint16"));
        };
        Ok(PictureCodes {
            size: [width, height],
            channels,
            values,
            extra: Vec::new(),
            is_straight: self.is_straight,
            icc: self.icc.clone(),
            cicp: self.cicp,
            pixel_aspect: self.pixel_aspect,
            losses: Default::default(),
        })
    }
}

fn quality_of(value: &Any<'_>) -> PyResult<u8> {
    let quality: u8 = plain(value)?;
    match quality {
        1..=100 => Ok(quality),
        _ => Err(argument("a number from 1 to 100")),
    }
}

fn format_of(name: &str) -> PyResult<ImageFormat> {
    name.parse().map_err(|e: solio::UnknownFormat| argument(e.to_string()))
}

/// The image format of a name; `None` where its extension is of none.
#[pyfunction]
pub(crate) fn image_format(path: PathBuf) -> Option<&'static str> {
    ImageFormat::of_name(&path).map(ImageFormat::as_str)
}

/// The bytes of a file of codes.
#[pyfunction]
pub(crate) fn codes_encode<'py>(
    py: Python<'py>,
    array: Bound<'py, PyUntypedArray>,
    format: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<GivenLoss>)> {
    let (format, given) = (format_of(format)?, CodesGiven::new(options)?);
    let codes = given.codes(&array)?;
    let made = run(py, &given.work.cancel, || codes.encode(format, given.quality))?;
    Ok((PyBytes::new(py, &made.bytes), given_losses(made.losses)))
}

/// Codes as light: an image as `image_read` gives it.
#[pyfunction]
pub(crate) fn codes_light<'py>(
    py: Python<'py>,
    array: Bound<'py, PyUntypedArray>,
    options: &Bound<'py, PyDict>,
) -> PyResult<GivenImage<'py>> {
    let given = CodesGiven::new(options)?;
    let codes = given.codes(&array)?;
    let light = run(py, &given.work.cancel, || codes.into_light())?;
    give_read(py, ReadImage::Light(light, None))
}

/// The bytes of a picture file that shows an image of light.
#[pyfunction]
pub(crate) fn picture_encode<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    format: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<GivenLoss>)> {
    let format = format_of(format)?;
    let given = CallArguments::new(options);
    let mut wanted = PictureOptions::default();
    given.with("bits", &mut wanted.bits, |v| plain(v).map(Some))?;
    given.with("quality", &mut wanted.quality, |v| quality_of(v).map(Some))?;
    given.with("exposure", &mut wanted.exposure, plain)?;
    given.with("tonemap", &mut wanted.tone_map, |v| {
        let name: String = plain(v)?;
        let known = || ToneMap::ALL.map(ToneMap::name).join(", ");
        ToneMap::of_name(&name).ok_or_else(|| argument(format!("{name:?}; known: {}", known())))
    })?;
    let work = work(&given)?;
    given.finish()?;
    let held = HeldImage::new(parts)?;
    let image = held.model();
    let limits = Limits::default();
    let made = run(py, &work.cancel, || {
        solio::encode_picture(&as_channels(image)?, format, &wanted, &limits, &work)
    })?;
    Ok((PyBytes::new(py, &made.bytes), given_losses(made.losses)))
}

/// Writes the bytes of a picture file, whole or not at all.
#[pyfunction]
pub(crate) fn picture_write(
    py: Python<'_>,
    bytes: Bound<'_, PyBytes>,
    path: PathBuf,
    durable: bool,
) -> PyResult<(Vec<(OsString, u64)>, u64)> {
    let (bytes, work) = (bytes.as_bytes(), Work::default());
    let written = run(py, &work.cancel, || solio::write_picture(bytes, &path, durable, &work))?;
    let Written { files, file_bytes, .. } = written;
    Ok((by_name(files), file_bytes))
}
