//! Keyword arguments of images become the engine's options.

use super::values;
use crate::Any;
use crate::errors::argument;
use crate::options::{CallArguments, plain, work};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use solio::image::{Compression, Layout, Levels, PixelType, ReadOptions};
use solio::{ImageChoice, ImageWriteOptions, PartChoice, Work};

/// What of a file is read, and how the reading may use the machine.
pub(super) struct ImageReading {
    pub(super) choice: ImageChoice,
    pub(super) options: ReadOptions,
    pub(super) work: Work,
    /// What all samples become.
    pub(super) pixel_type: Option<PixelType>,
    /// Codes of other pictures become light.
    pub(super) light: bool,
    /// How many images may be read before they are asked for.
    pub(super) ahead: Option<usize>,
}

impl ImageReading {
    pub(super) fn new(dict: &Bound<'_, PyDict>) -> PyResult<ImageReading> {
        let given = CallArguments::new(dict);
        let mut choice = ImageChoice::default();
        let mut options = ReadOptions::default();
        let (mut pixel_type, mut ahead, mut light) = (None, None, false);
        given.with("part", &mut choice.parts, |v| parts(v).map(Some))?;
        given.with("channels", &mut choice.channels, |v| plain(v).map(Some))?;
        given.with("level", &mut options.levels, levels)?;
        given.with("window", &mut options.window, |v| values::to_box(v).map(Some))?;
        given.with("partial", &mut options.partial, plain)?;
        given.with("light", &mut light, plain)?;
        given.with("max_bytes", &mut options.limits.bytes, plain)?;
        given.with("dtype", &mut pixel_type, |v| {
            values::pixel_type(&v.extract::<String>()?).map(Some)
        })?;
        given.with("ahead", &mut ahead, |v| plain(v).map(Some))?;
        let work = work(&given)?;
        given.finish()?;
        Ok(ImageReading { choice, options, work, pixel_type, light, ahead })
    }
}

fn parts(value: &Any<'_>) -> PyResult<Vec<PartChoice>> {
    let one = |value: &Any<'_>| match value.cast::<PyString>() {
        Ok(name) => name.extract().map(PartChoice::Name),
        Err(_) => value.extract().map(PartChoice::Number),
    };
    value.try_iter()?.map(|value| one(&value?)).collect()
}

/// A number, a pair of them, or `"all"`.
fn levels(value: &Any<'_>) -> PyResult<Levels> {
    if let Ok(level) = value.extract::<u32>() {
        return Ok(Levels::One(level, level));
    }
    if let Ok((x, y)) = value.extract::<(u32, u32)>() {
        return Ok(Levels::One(x, y));
    }
    match value.extract::<String>() {
        Ok(name) if name == "all" => Ok(Levels::All),
        _ => Err(argument("a number, two numbers, or \"all\"")),
    }
}

/// How a file is written.
pub(super) fn writing(dict: &Bound<'_, PyDict>) -> PyResult<(ImageWriteOptions, Work)> {
    let given = CallArguments::new(dict);
    let mut options = ImageWriteOptions::default();
    let mut packing = None;
    given.with("compression", &mut packing, |v| compression(v).map(Some))?;
    if let Some((compression, level)) = packing {
        options.exr.compression = Some(compression);
        options.exr.level = level;
    }
    given.with("line_order", &mut options.exr.line_order, |v| {
        values::line_order(&v.extract::<String>()?).map(Some)
    })?;
    given.with("tiles", &mut options.exr.layout, |v| match v.extract::<bool>() {
        Ok(false) => Ok(Layout::Scanlines),
        _ => values::to_tiles(v).map(Layout::Tiles),
    })?;
    given.with("durable", &mut options.durable, plain)?;
    let work = work(&given)?;
    given.finish()?;
    Ok((options, work))
}

/// A method, perhaps with its level: `zip`, `zip:4`, `dwaa:45`.
fn compression(value: &Any<'_>) -> PyResult<(Compression, Option<f32>)> {
    let text: String = value.extract()?;
    Compression::with_level(&text).map_err(|error| argument(error.message()))
}
