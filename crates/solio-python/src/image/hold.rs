//! Borrows the arrays of images that are to be written.

use super::values;
use crate::Any;
use crate::hold::{HeldArray, in_place, unfit};
use pyo3::prelude::*;
use solio::Result;
use solio::image::header::{Box2i, Part};
use solio::image::model::{DeepLevel, FlatLevel, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Image};
use std::borrow::Cow;
use std::collections::HashMap;

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
    counts: Option<HeldArray<'py, u32>>,
    /// Sorted by name.
    planes: Vec<(Channel, HeldPlane<'py>)>,
}

enum HeldPlane<'py> {
    Uint(HeldArray<'py, u32>),
    Half(HeldArray<'py, half::f16>),
    Float(HeldArray<'py, f32>),
}

impl<'py> HeldImage<'py> {
    pub(super) fn new(parts: Vec<GivenPart<'py>>) -> PyResult<Self> {
        let parts = parts.into_iter().map(|(attributes, levels)| {
            let header = values::take(attributes)?;
            let mut channels = header.channels().to_vec();
            channels.sort_by(Channel::by_name);
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
        let counts = self.counts.as_ref().map(|counts| Cow::Borrowed(counts.slice()));
        let counts = counts.unwrap_or_default();
        DeepLevel { x: self.x, y: self.y, window: self.window, counts, planes: self.planes() }
    }

    fn planes(&self) -> Vec<Plane<'_>> {
        let planes = self.planes.iter().map(|(channel, held)| {
            let samples = match held {
                HeldPlane::Uint(values) => Samples::Uint(Cow::Borrowed(values.slice())),
                HeldPlane::Half(values) => Samples::Half(Cow::Borrowed(values.slice())),
                HeldPlane::Float(values) => Samples::Float(Cow::Borrowed(values.slice())),
            };
            Plane { channel: channel.clone(), samples }
        });
        planes.collect()
    }
}

/// Converts samples that are not of the type of their channel.
pub(super) fn as_channels(mut image: Image<'_>) -> Result<Image<'_>> {
    for part in &mut image.parts {
        let planes: Vec<&mut Plane<'_>> = match &mut part.pixels {
            Pixels::Flat(levels) => levels.iter_mut().flat_map(|l| &mut l.planes).collect(),
            Pixels::Deep(levels) => levels.iter_mut().flat_map(|l| &mut l.planes).collect(),
        };
        for plane in planes {
            let wanted = plane.channel.pixel_type;
            if plane.samples.pixel_type() != wanted {
                plane.samples = plane.samples.converted(wanted)?;
            }
        }
    }
    Ok(image)
}

fn hold_level<'py>(channels: &[Channel], level: GivenLevel<'py>) -> PyResult<HeldLevel<'py>> {
    let (x, y, window, counts, arrays) = level;
    let planes = channels.iter().map(|channel| {
        let array = arrays.get(&channel.name);
        let array = array.ok_or_else(|| unfit(&channel.name))?;
        // `solio._image` has made it an array that can be borrowed.
        let held = in_place(array)
            .map(HeldPlane::Half)
            .or_else(|| in_place(array).map(HeldPlane::Float))
            .or_else(|| in_place(array).map(HeldPlane::Uint))
            .ok_or_else(|| unfit(&channel.name))?;
        Ok((channel.clone(), held))
    });
    let planes = planes.collect::<PyResult<_>>()?;
    let hold_counts = |counts: Any<'py>| in_place(&counts).ok_or_else(|| unfit("the counts"));
    let counts = counts.map(hold_counts).transpose()?;
    Ok(HeldLevel { x, y, window: values::to_box(&window)?, counts, planes })
}
