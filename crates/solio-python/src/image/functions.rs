//! Reading and writing one image.

use super::give;
use super::hold::{GivenPart, HeldImage, as_channels};
use super::options::{self, ImageReading};
use super::picture::{self, GivenCodes, ReadCodes};
use crate::Any;
use crate::errors::{ArgumentOf, raise};
use crate::functions::{GivenLoss, by_name, given_losses};
use crate::run::run;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use solio::image::header::{Box2i, Header};
use solio::image::model::{FlatLevel, ImagePart, Pixels};
use solio::image::{Image, ReadOptions};
use solio::{
    Cancel, Decoded, FileKind, ImageFormat, Input, Limits, PreviewOptions, Progress, Result, Work,
    Written,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An image, and the names of the channels that were chosen.
pub(crate) enum ReadImage {
    /// Of OpenEXR.
    Exr(Image<'static>, Option<Vec<String>>),
    /// Of another picture, as light.
    Light(Decoded, Option<Vec<String>>),
    /// Of another picture, as it is stored.
    Codes(ReadCodes),
}

/// An image as Python gets it: parts, missing chunks, names, codes, notes and losses.
pub(crate) type GivenImage<'py> = (
    Any<'py>,
    Vec<(usize, u64, String)>,
    Option<Vec<String>>,
    Option<GivenCodes<'py>>,
    (Vec<String>, Vec<GivenLoss>),
);

/// Reads the file at `source` (a path), or the bytes that it is.
#[pyfunction]
pub(crate) fn image_read<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<GivenImage<'py>> {
    let reading = ImageReading::new(options)?;
    let read =
        with_source(py, source, &reading.work.cancel, |from| reading.read(from, &reading.work))?;
    give_read(py, read)
}

/// Reads what `options` want of the bytes of a file that `bytes` gives.
pub(crate) fn read_bytes(
    py: Python<'_>,
    options: &Bound<'_, PyDict>,
    path: &Path,
    bytes: impl FnOnce(&Work) -> Result<Vec<u8>> + Send,
) -> PyResult<ReadImage> {
    let reading = ImageReading::new(options)?;
    let work = &reading.work;
    let read = || reading.read(From::Bytes(&bytes(work)?), work);
    run(py, &work.cancel, || read().map_err(|e| e.at_path(path)))
}

/// What is read: a path, or the bytes of a file.
#[derive(Clone, Copy)]
pub(super) enum From<'a> {
    Path(&'a Path),
    Bytes(&'a [u8]),
}

/// Runs `job` on the file or on the bytes that `source` is.
pub(super) fn with_source<T: Send>(
    py: Python<'_>,
    source: &Any<'_>,
    cancel: &Cancel,
    job: impl FnOnce(From<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        run(py, cancel, || job(From::Bytes(bytes)))
    } else {
        let path: PathBuf = source.extract()?;
        run(py, cancel, || job(From::Path(&path)))
    }
}

pub(crate) fn give_read<'py>(py: Python<'py>, read: ReadImage) -> PyResult<GivenImage<'py>> {
    let (image, names, told) = match read {
        ReadImage::Exr(image, names) => (image, names, Default::default()),
        ReadImage::Light(decoded, names) => {
            (decoded.image, names, (decoded.notes, given_losses(decoded.losses)))
        }
        ReadImage::Codes(ReadCodes { mut codes, names }) => {
            let told = (Vec::new(), given_losses(std::mem::take(&mut codes.losses)));
            let header = picture::header(&codes);
            let window = Box2i::of_size(codes.size[0], codes.size[1]);
            let level = FlatLevel { x: 0, y: 0, window, planes: Vec::new() };
            let parts = vec![ImagePart { header, pixels: Pixels::Flat(vec![level]) }];
            let (parts, missing) = give::image(py, Image { parts, ..Image::default() })?;
            let codes = picture::give_codes(py, codes)?;
            return Ok((parts.into_any(), missing, names, Some(codes), told));
        }
    };
    let (parts, missing) = give::image(py, image)?;
    Ok((parts.into_any(), missing, names, None, told))
}

impl ImageReading {
    pub(super) fn read(&self, from: From<'_>, work: &Work) -> Result<ReadImage> {
        let input = self.opened(from, work)?;
        if let Some(input) = input.as_ref().filter(|input| is_picture(input)) {
            return self.picture(input, work);
        }
        let options = self.chosen(from)?;
        let image = match (from, &input, self.pixel_type) {
            (From::Bytes(bytes), _, None) => solio::image::decode_exr(&bytes, &options, work)?,
            (From::Bytes(bytes), _, Some(t)) => solio::decode_image_as(&bytes, &options, t, work)?,
            (_, Some(input), None) => solio::read_image(input, &options, work)?,
            (_, Some(input), Some(t)) => solio::read_image_as(input, &options, t, work)?,
            (From::Path(path), None, _) => solio::read_image(path, &options, work)?,
        };
        Ok(ReadImage::Exr(image, options.channels))
    }

    /// The input; bytes of OpenEXR need none.
    fn opened(&self, from: From<'_>, work: &Work) -> Result<Option<Input>> {
        let limits = &self.options.limits;
        match from {
            From::Path(path) => Input::open(path, limits, work).map(Some),
            From::Bytes(bytes) if FileKind::Exr.is_at_start(bytes) => Ok(None),
            From::Bytes(bytes) => Input::of_bytes(Path::new(""), bytes.to_vec(), limits).map(Some),
        }
    }

    /// Whether it is a picture of another format than OpenEXR.
    pub(super) fn is_picture(&self, from: From<'_>) -> Result<bool> {
        Ok(self.opened(from, &self.work)?.is_some_and(|input| is_picture(&input)))
    }

    /// The options, with the parts and channels that were chosen.
    pub(super) fn chosen(&self, from: From<'_>) -> Result<ReadOptions> {
        if self.choice.is_all() {
            return Ok(self.options.clone());
        }
        let header = self.header(from)?;
        let chosen = self.choice.of(&header, &self.options);
        chosen.map_err(|e| match from {
            From::Path(path) => e.at_path(path),
            From::Bytes(_) => e,
        })
    }

    pub(super) fn header(&self, from: From<'_>) -> Result<Header> {
        let limits = &self.options.limits;
        match from {
            From::Path(path) => solio::image_header(path, limits, &self.work),
            From::Bytes(bytes) => solio::image::decode_header(&bytes, limits),
        }
    }
}

fn is_picture(input: &Input) -> bool {
    let format = ImageFormat::of_kind(input.kind_or_named());
    format.is_some_and(|format| format != ImageFormat::Exr)
}

/// Kind and attributes of each part of the file at `source` (a path), or of the bytes that it is.
#[pyfunction]
pub(crate) fn image_header<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    max_bytes: Option<ArgumentOf<u64>>,
) -> PyResult<Bound<'py, PyList>> {
    let usual = Limits::default();
    let limits = Limits { bytes: max_bytes.map_or(usual.bytes, |given| given.0), ..usual };
    // Asking the system for its cores would take as long as the header.
    let (cancel, progress) = (Cancel::default(), Progress::default());
    let work = Work { threads: 1, memory_bytes: 0, cancel, progress };
    let header: Result<Header> = if let Ok(bytes) = source.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        py.detach(|| solio::image::decode_header(&bytes, &limits))
    } else {
        let path: PathBuf = source.extract()?;
        py.detach(|| solio::image_header(&path, &limits, &work))
    };
    give::header(py, &header.map_err(|e| raise(py, &e))?)
}

/// Writes an image to `path`.
#[pyfunction]
#[allow(clippy::type_complexity)] // Python unpacks the tuple into a named one
pub(crate) fn image_write<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    path: PathBuf,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Vec<(OsString, u64)>, u64, u64, Vec<String>, Vec<GivenLoss>)> {
    let (options, work) = options::writing(options)?;
    let held = HeldImage::new(parts)?;
    let image = held.model();
    run(py, &work.cancel, || solio::check_exr_name(&path))?;
    let narrowed = py.detach(|| solio::channel_losses(&image));
    let Written { files, file_bytes, raw_bytes, warnings, losses } =
        run(py, &work.cancel, || solio::write_image(&as_channels(image)?, &path, &options, &work))?;
    let mut all = given_losses(narrowed);
    all.extend(given_losses(losses));
    Ok((by_name(files), file_bytes, raw_bytes, warnings, all))
}

/// The bytes of the file that [`image_write`] would write.
#[pyfunction]
pub(crate) fn image_encode<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (options, work) = options::writing(options)?;
    let held = HeldImage::new(parts)?;
    let image = held.model();
    let bytes = run(py, &work.cancel, || {
        let mut bytes: Vec<u8> = Vec::new();
        solio::image::encode_exr(&as_channels(image)?, &options.exr, &mut bytes, &work)?;
        Ok(bytes)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// A small picture of an image, as a PNG file; `most` columns and rows.
#[pyfunction]
pub(crate) fn image_preview<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    most: ArgumentOf<u32>,
    exposure: f32,
) -> PyResult<Bound<'py, PyBytes>> {
    let held = HeldImage::new(parts)?;
    let image = held.model();
    let options = PreviewOptions { most: Some([most.0; 2]), exposure, ..PreviewOptions::default() };
    let work = Work::default();
    let png =
        run(py, &work.cancel, || solio::preview(&as_channels(image)?, &options, &work)?.to_png())?;
    Ok(PyBytes::new(py, &png))
}

/// The coverage by things of a Cryptomatte: an array of shape (H, W).
#[pyfunction]
pub(crate) fn image_matte<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    names: Vec<String>,
    layer: Option<String>,
) -> PyResult<Any<'py>> {
    let held = HeldImage::new(parts)?;
    let image = held.model();
    let work = Work::default();
    let made = run(py, &work.cancel, || {
        let parts = image.parts.iter().map(|part| part.header.clone()).collect();
        let header = Header { parts, ..Header::default() };
        let matte = solio::cryptomatte::find(&header, None, layer.as_deref(), &names)?;
        matte.coverage(&image, &Limits::default())
    })?;
    give::only_plane(py, made)
}
