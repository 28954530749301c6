//! Borrows the arrays of images that are to be written.

use super::values;
use bytemuck::Pod;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use solio::image::header::{Box2i, Part, Value};
use solio::image::model::{DeepLevel, FlatLevel, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Image, PixelType};
use std::borrow::Cow;
use std::collections::HashMap;

type Any<'py> = Bound<'py, PyAny>;

/// A part as Python gives it: attributes, levels.
pub(super) type GivenPart<'py> = (Vec<(String, String, Any<'py>)>, Vec<GivenLevel<'py>>);

/// A level as Python gives it: numbers, window, counts of deep pixels, arrays by channel.
type GivenLevel<'py> = (u32, u32, Any<'py>, Option<Any<'py>>, HashMap<String, Any<'py>>);

/// The parts of an image; their arrays are borrowed.
pub(super) struct HeldImage<'py> {
    parts: Vec<HeldPart<'py>>,
}

struct HeldPart<'py> {
    header: Part,
    levels: Vec<HeldLevel<'py>>,
}

struct HeldLevel<'py> {
    x: u32,
    y: u32,
    window: Box2i,
    counts: Option<PyReadonlyArrayDyn<'py, u32>>,
    /// Sorted by name.
    planes: Vec<(Channel, HeldPlane<'py>)>,
}

enum HeldPlane<'py> {
    Uint(PyReadonlyArrayDyn<'py, u32>),
    Half(PyReadonlyArrayDyn<'py, half::f16>),
    Float(PyReadonlyArrayDyn<'py, f32>),
}

impl<'py> HeldImage<'py> {
    pub(super) fn new(parts: Vec<GivenPart<'py>>) -> PyResult<Self> {
        let parts = parts.into_iter().map(|(attributes, levels)| {
            let header = values::take(attributes)?;
            let mut channels = match header.get("channels") {
                Some(Value::Channels(channels)) => channels.clone(),
                _ => Vec::new(),
            };
            channels.sort_by(|a, b| a.name.cmp(&b.name));
            let levels = levels.into_iter().map(|level| hold_level(&channels, level));
            Ok(HeldPart { header, levels: levels.collect::<PyResult<_>>()? })
        });
        Ok(HeldImage { parts: parts.collect::<PyResult<_>>()? })
    }

    /// The engine's view of the arrays.
    pub(super) fn model(&self) -> Image<'_> {
        let parts = self.parts.iter().map(|part| ImagePart {
            header: part.header.clone(),
            pixels: if part.header.kind().is_deep() {
                Pixels::Deep(part.levels.iter().map(HeldLevel::deep).collect())
            } else {
                Pixels::Flat(part.levels.iter().map(HeldLevel::flat).collect())
            },
        });
        Image { parts: parts.collect(), ..Image::default() }
    }
}

impl HeldLevel<'_> {
    fn flat(&self) -> FlatLevel<'_> {
        FlatLevel { x: self.x, y: self.y, window: self.window, planes: self.planes() }
    }

    fn deep(&self) -> DeepLevel<'_> {
        let counts = self.counts.as_ref().map(borrowed).unwrap_or_default();
        DeepLevel { x: self.x, y: self.y, window: self.window, counts, planes: self.planes() }
    }

    fn planes(&self) -> Vec<Plane<'_>> {
        let planes = self.planes.iter().map(|(channel, held)| {
            let samples = match held {
                HeldPlane::Uint(values) => Samples::Uint(borrowed(values)),
                HeldPlane::Half(values) => Samples::Half(borrowed(values)),
                HeldPlane::Float(values) => Samples::Float(borrowed(values)),
            };
            Plane { channel: channel.clone(), samples }
        });
        planes.collect()
    }
}

fn borrowed<'a, T: Element + Pod>(array: &'a PyReadonlyArrayDyn<'_, T>) -> Cow<'a, [T]> {
    Cow::Borrowed(array.as_slice().expect("contiguity was checked when the array was taken"))
}

fn hold_level<'py>(channels: &[Channel], level: GivenLevel<'py>) -> PyResult<HeldLevel<'py>> {
    let (x, y, window, counts, arrays) = level;
    let planes = channels.iter().map(|channel| {
        let array = arrays.get(&channel.name);
        let array = array.ok_or_else(|| unfit(&channel.name))?;
        let held = match channel.pixel_type {
            PixelType::Uint => HeldPlane::Uint(hold(array, &channel.name)?),
            PixelType::Half => HeldPlane::Half(hold(array, &channel.name)?),
            PixelType::Float => HeldPlane::Float(hold(array, &channel.name)?),
        };
        Ok((channel.clone(), held))
    });
    let planes = planes.collect::<PyResult<_>>()?;
    let counts = counts.map(|counts| hold(&counts, "the counts")).transpose()?;
    Ok(HeldLevel { x, y, window: values::to_box(&window)?, counts, planes })
}

/// `solio._image_io` has made it an array that can be borrowed.
fn hold<'py, T: Element>(array: &Any<'py>, what: &str) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let array = array.cast::<PyArrayDyn<T>>().map_err(|_| unfit(what))?;
    let aligned = (array.data() as usize).is_multiple_of(align_of::<T>());
    if !aligned || !array.is_c_contiguous() {
        return Err(unfit(what));
    }
    array.try_readonly().map_err(|_| unfit(what))
}

fn unfit(what: &str) -> PyErr {
    PyValueError::new_err(format!("{what}: no such array can be used"))
}
