//! Moves images into plain Python objects; the arrays take over the memory of the planes.

use super::values;
use crate::Any;
use crate::errors::argument;
use crate::give::array;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use solio::image::header::{Box2i, Header};
use solio::image::model::{DeepLevel, FlatLevel, ImagePart, MissingChunk, Pixels, Plane, Samples};
use solio::image::{Block, Channel, Image};
use std::borrow::Cow;

/// An image as Python gets it: parts, and the chunks that were missing.
pub(super) type ImageTuple<'py> = (Bound<'py, PyList>, Vec<(usize, u64, String)>);

/// `kind` and attributes of each part.
pub(crate) fn header<'py>(py: Python<'py>, header: &Header) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for part in &header.parts {
        list.append((part.kind().name(), values::give(py, part)?))?;
    }
    Ok(list)
}

/// Kind, attributes and levels of each part.
pub(super) fn image<'py>(py: Python<'py>, image: Image<'static>) -> PyResult<ImageTuple<'py>> {
    let list = PyList::empty(py);
    for ImagePart { header, pixels } in image.parts {
        let levels = PyList::empty(py);
        match pixels {
            Pixels::Flat(all) => {
                for flat in all {
                    levels.append(flat_level(py, flat)?)?;
                }
            }
            Pixels::Deep(all) => {
                for deep in all {
                    levels.append(deep_level(py, deep)?)?;
                }
            }
        }
        list.append((header.kind().name(), values::give(py, &header)?, levels))?;
    }
    Ok((list, missing(image.missing)))
}

/// Part, number and message of chunks that could not be read.
pub(super) fn missing(chunks: Vec<MissingChunk>) -> Vec<(usize, u64, String)> {
    chunks.into_iter().map(|m| (m.part, m.chunk, m.message)).collect()
}

/// Number, window, counts and planes.
fn flat_level<'py>(py: Python<'py>, level: FlatLevel<'static>) -> PyResult<Any<'py>> {
    let planes = PyList::empty(py);
    for Plane { channel, samples } in level.planes {
        let (width, height) = size(&level.window, &channel);
        let array = match samples {
            Samples::Uint(values) => rows(py, values, height, width)?,
            Samples::Half(values) => rows(py, values, height, width)?,
            Samples::Float(values) => rows(py, values, height, width)?,
        };
        planes.append((channel.name, array))?;
    }
    let (x, y, window) = (level.x, level.y, corners(py, &level.window)?);
    Ok((x, y, window, py.None(), planes).into_pyobject(py)?.into_any())
}

/// The one plane of an image that has no other.
pub(super) fn only_plane<'py>(py: Python<'py>, image: Image<'static>) -> PyResult<Any<'py>> {
    let planes = image.parts.into_iter().flat_map(|part| match part.pixels {
        Pixels::Flat(levels) => levels,
        Pixels::Deep(_) => Vec::new(),
    });
    let mut planes = planes.flat_map(|level| {
        let window = level.window;
        level.planes.into_iter().map(move |plane| (window, plane))
    });
    let (window, Plane { channel, samples }) =
        planes.next().ok_or_else(|| argument("there is no plane"))?;
    let (width, height) = size(&window, &channel);
    match samples {
        Samples::Uint(values) => rows(py, values, height, width),
        Samples::Half(values) => rows(py, values, height, width),
        Samples::Float(values) => rows(py, values, height, width),
    }
}

fn deep_level<'py>(py: Python<'py>, level: DeepLevel<'static>) -> PyResult<Any<'py>> {
    let (width, height) = (level.window.width() as usize, level.window.height() as usize);
    let counts = rows(py, level.counts, height, width)?;
    let planes = PyList::empty(py);
    for Plane { channel, samples } in level.planes {
        let samples = match samples {
            Samples::Uint(values) => array(py, values),
            Samples::Half(values) => array(py, values),
            Samples::Float(values) => array(py, values),
        };
        planes.append((channel.name, samples))?;
    }
    let (x, y, window) = (level.x, level.y, corners(py, &level.window)?);
    Ok((x, y, window, counts, planes).into_pyobject(py)?.into_any())
}

/// Columns and rows that a channel has in `window`.
fn size(window: &Box2i, channel: &Channel) -> (usize, usize) {
    let (x, y) = (window.min[0]..window.max[0] + 1, window.min[1]..window.max[1] + 1);
    let block = Block { channels: &[], x, y };
    (block.row_samples(channel), block.rows(channel))
}

fn corners<'py>(py: Python<'py>, window: &Box2i) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, [window.min, window.max].concat())
}

/// A (`height`, `width`) array that takes over the memory of `values`.
fn rows<'py, T: Element + Clone>(
    py: Python<'py>,
    values: Cow<'static, [T]>,
    height: usize,
    width: usize,
) -> PyResult<Any<'py>> {
    let flat = PyArray1::from_vec(py, values.into_owned());
    Ok(flat.reshape([height, width])?.into_any())
}
