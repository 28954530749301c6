//! Reads into the caller's arrays.

use super::functions::{From, GivenImage, with_source};
use super::options::ImageReading;
use super::{give, values};
use crate::Any;
use crate::errors::argument;
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use solio::image::{IntoOptions, PixelType, RasterMut, SamplesMut, decode_exr_into};
use solio::{Error, Result, SingleFlat};
use std::ops::Range;

/// Names of channels, whether they were asked for, rows and columns.
type ArrayPlan = (Vec<String>, bool, u64, u64);

/// The channels that `options` want, whether they were asked for by name, and rows and columns;
/// `None` where they are not those of one flat part, no names for a picture that is not OpenEXR.
#[pyfunction]
pub(crate) fn image_plan(
    py: Python<'_>,
    source: &Any<'_>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Option<ArrayPlan>> {
    let reading = ImageReading::new(options)?;
    let plan =
        with_source(py, source, &reading.work.cancel, |from| match reading.is_picture(from)? {
            true => Ok(None),
            false => single(&reading, from).map(Some),
        })?;
    // A picture says what it has when it is read.
    let Some(single) = plan else { return Ok(Some((Vec::new(), false, 0, 0))) };
    Ok(single.map(|single| {
        let names = single.channels.into_iter().map(|channel| channel.name).collect();
        let window = single.window;
        (names, reading.choice.channels.is_some(), window.height(), window.width())
    }))
}

fn single(reading: &ImageReading, from: From<'_>) -> Result<Option<SingleFlat>> {
    let header = reading.header(from)?;
    Ok(SingleFlat::of(&header, &reading.chosen(from)?))
}

/// Reads into arrays, each of shape (H, W) with the name of its channel, or of shape (H, W, C) with
/// C names; the image that comes back has no planes.
#[pyfunction]
pub(crate) fn image_into<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &Bound<'py, PyDict>,
    arrays: Vec<(Vec<String>, Bound<'py, PyUntypedArray>)>,
) -> PyResult<GivenImage<'py>> {
    let reading = ImageReading::new(options)?;
    let mut targets = Vec::new();
    for (names, array) in arrays {
        targets.push(ArrayTarget::new(names, &array)?);
    }
    apart(&targets)?;
    let rasters: Vec<RasterMut<'_>> = targets.iter_mut().map(ArrayTarget::raster).collect();
    let (read, level) = with_source(py, source, &reading.work.cancel, |from| {
        let single = single(&reading, from)?;
        let single = single.ok_or_else(|| Error::argument("it changed while it was read"))?;
        let options = IntoOptions {
            part: single.part,
            level: single.level,
            window: reading.options.window,
            partial: reading.options.partial,
            limits: reading.options.limits,
            ..IntoOptions::default()
        };
        let read = match from {
            From::Path(path) => solio::read_image_into(path, &options, rasters, &reading.work)?,
            From::Bytes(bytes) => decode_exr_into(&bytes, &options, rasters, &reading.work)?,
        };
        Ok((read, single.level))
    })?;
    let window = PyTuple::new(py, [read.window.min, read.window.max].concat())?;
    let levels = vec![(level.0, level.1, window, py.None(), Vec::<Any<'py>>::new())];
    let part = (read.header.kind().name(), values::give(py, &read.header)?, levels);
    let told = Default::default();
    Ok((vec![part].into_pyobject(py)?, give::missing(read.missing), None, None, told))
}

/// Refuses arrays that lie within each other: only one may be written to at a place.
fn apart(targets: &[ArrayTarget<'_>]) -> PyResult<()> {
    let mut ranges: Vec<Range<usize>> = targets.iter().map(ArrayTarget::range).collect();
    ranges.sort_by_key(|range| range.start);
    if ranges.windows(2).any(|pair| pair[0].end > pair[1].start) {
        return Err(argument("out: the memory of one array lies within another's"));
    }
    Ok(())
}

/// An array that is to be filled.
struct ArrayTarget<'py> {
    names: Vec<String>,
    array: WritableArray<'py>,
    /// Samples from the first one to the last.
    length: usize,
    row_stride: usize,
}

enum WritableArray<'py> {
    Uint(PyReadwriteArrayDyn<'py, u32>),
    Half(PyReadwriteArrayDyn<'py, half::f16>),
    Float(PyReadwriteArrayDyn<'py, f32>),
}

impl<'py> ArrayTarget<'py> {
    fn new(names: Vec<String>, array: &Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        let (length, row_stride) = layout(array, names.len())?;
        let name = array.dtype().getattr("name")?.extract::<String>()?;
        if array.dtype().byteorder() == b'>' {
            return Err(unfit("its bytes are in the wrong order"));
        }
        let of_name = values::pixel_type(&name);
        let array = match of_name.map_err(|e| unfit(&e.value(array.py()).to_string()))? {
            PixelType::Uint => WritableArray::Uint(borrow(array)?),
            PixelType::Half => WritableArray::Half(borrow(array)?),
            PixelType::Float => WritableArray::Float(borrow(array)?),
        };
        Ok(ArrayTarget { names, array, length, row_stride })
    }

    /// The addresses between its first and its last sample.
    fn range(&self) -> Range<usize> {
        let (start, bytes) = match &self.array {
            WritableArray::Uint(array) => (array.data() as usize, 4),
            WritableArray::Half(array) => (array.data() as usize, 2),
            WritableArray::Float(array) => (array.data() as usize, 4),
        };
        start..start + self.length * bytes
    }

    fn raster(&mut self) -> RasterMut<'_> {
        let length = self.length;
        let samples = match &mut self.array {
            WritableArray::Uint(array) => SamplesMut::Uint(samples(array, length)),
            WritableArray::Half(array) => SamplesMut::Half(samples(array, length)),
            WritableArray::Float(array) => SamplesMut::Float(samples(array, length)),
        };
        RasterMut {
            channels: self.names.clone(),
            samples,
            row_stride: self.row_stride,
            pixel_stride: 0,
        }
    }
}

fn unfit(why: &str) -> PyErr {
    argument(format!("out: an array cannot be read into: {why}"))
}

fn borrow<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = array.cast::<PyArrayDyn<T>>()?;
    if !(array.data() as usize).is_multiple_of(align_of::<T>()) {
        return Err(unfit("its samples are not aligned"));
    }
    array.try_readwrite().map_err(|e| unfit(&e.to_string()))
}

/// All samples of `array` from its first to its last, and those of others between its rows, which
/// nobody touches.
fn samples<'a, T: Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
    length: usize,
) -> &'a mut [T] {
    if length == 0 {
        return &mut [];
    }
    // SAFETY: `layout` has counted `length` samples from the first of the array to its last, all
    // within the allocation that it lies in. `borrow` has checked alignment, and that nobody else
    // who keeps to NumPy's rules for extensions has borrowed the array; `apart`, that no other
    // slice of ours reaches into these addresses.
    unsafe { std::slice::from_raw_parts_mut(array.data(), length) }
}

/// How many samples there are from the first to the last of rows of pixels with `channels`
/// samples, and from a row to the next.
fn layout(array: &Bound<'_, PyUntypedArray>, channels: usize) -> PyResult<(usize, usize)> {
    let size = array.dtype().itemsize() as isize;
    let (height, width, pixel_strides) = match (array.shape(), array.strides()) {
        (&[height, width], &[_, across]) => (height, width, [across, size]),
        (&[height, width, deep], &[_, across, within]) if deep == channels => {
            (height, width, [across, within])
        }
        _ => return Err(unfit("it has the wrong shape")),
    };
    if height == 0 || width == 0 || channels == 0 {
        return Ok((0, 0));
    }
    let row = width * channels;
    let down = array.strides()[0];
    let [across, within] = pixel_strides;
    let dense =
        (channels == 1 || within == size) && (width == 1 || across == channels as isize * size);
    let rising = height == 1 || (down % size == 0 && down >= row as isize * size);
    if !dense || !rising {
        return Err(unfit(
            "the samples of a row have to lie side by side, the rows below each other",
        ));
    }
    let stride = if height == 1 { row } else { (down / size) as usize };
    Ok(((height - 1) * stride + row, stride))
}
