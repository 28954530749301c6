//! Images changed, put together, taken apart and compared.

use super::functions::{GivenImage, ReadImage, give_read};
use super::hold::{GivenPart, HeldImage, as_channels};
use crate::Any;
use crate::errors::{ArgumentOf, argument};
use crate::functions::{GivenLoss, given_losses};
use crate::options::{CallArguments, plain, work};
use crate::run::run;
use numpy::PyArray1;
use numpy::PyArrayMethods;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use solio::image::model::{DeepLevel, FlatLevel, ImagePart, Pixels, Plane, Samples};
use solio::image::{self, Image};
use solio::{
    ChannelDifference, CompareOptions, DifferenceLimit, HeatMap, ImageDifference, ImageGroup,
    Limits, MergeInput, ResizeFilter, ResizeOptions, ResizeSize, Result, Verdict, Work,
};
use std::borrow::Cow;
use std::path::PathBuf;

/// What is done with an image, in this order.
struct Changes {
    view: Option<String>,
    flatten: bool,
    resize: Option<ResizeOptions>,
    mipmap: Option<[u32; 2]>,
    limits: Limits,
    work: Work,
}

impl Changes {
    fn new(dict: &Bound<'_, PyDict>) -> PyResult<Changes> {
        let given = CallArguments::new(dict);
        let (mut view, mut flatten, mut mipmap) = (None, false, None);
        let mut size: Option<ResizeSize> = None;
        let (mut filter, mut nearest) = (None, None);
        let mut limits = Limits::default();
        given.with("view", &mut view, |v| plain(v).map(Some))?;
        given.with("flatten", &mut flatten, plain)?;
        given.with("size", &mut size, |v| match v.extract::<(u32, u32)>() {
            Ok((0, 0)) => Err(argument("an image has at least a pixel")),
            Ok((x, y)) => {
                let side = |side: u32| (side > 0).then_some(side);
                Ok(Some(ResizeSize::Pixels(side(x), side(y))))
            }
            Err(_) => {
                let size: Result<ResizeSize> = v.extract::<String>()?.parse();
                size.map(Some).map_err(|e| argument(e.hint_text().unwrap_or("not a size")))
            }
        })?;
        given.with("filter", &mut filter, |v| {
            let name: String = v.extract()?;
            let names = || ResizeFilter::ALL.map(ResizeFilter::name).join(", ");
            let found = ResizeFilter::of_name(&name);
            found.map(Some).ok_or_else(|| argument(format!("it is one of {}", names())))
        })?;
        given.with("nearest", &mut nearest, |v| plain(v).map(Some))?;
        given.with("mipmap", &mut mipmap, |v| v.extract::<[u32; 2]>().map(Some))?;
        given.with("max_bytes", &mut limits.bytes, plain)?;
        let work = work(&given)?;
        given.finish()?;
        let resize = size.map(|size| ResizeOptions { size, filter, nearest });
        Ok(Changes { view, flatten, resize, mipmap, limits, work })
    }

    fn apply(&self, image: &mut Image<'_>) -> Result<()> {
        let (limits, work) = (&self.limits, &self.work);
        if let Some(view) = &self.view {
            image::select_view(image, view)?;
        }
        if self.flatten {
            image::flatten(image, limits, work)?;
        }
        if let Some(options) = &self.resize {
            image::resize(image, options, limits, work)?;
        }
        if let Some(tile) = self.mipmap {
            image::mipmap(image, tile, limits, work)?;
        }
        Ok(())
    }
}

/// Changes an image as `options` say.
#[pyfunction]
pub(crate) fn image_change<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<GivenImage<'py>> {
    let changes = Changes::new(options)?;
    let held = HeldImage::new(parts)?;
    let model = held.model();
    let image = run(py, &changes.work.cancel, || {
        let mut image = as_channels(model)?;
        changes.apply(&mut image)?;
        Ok(owned(image))
    })?;
    give_read(py, ReadImage::Exr(image, None))
}

/// Puts images together, each with its name and whether that was chosen.
#[pyfunction]
pub(crate) fn image_join<'py>(
    py: Python<'py>,
    images: Vec<(String, bool, Vec<GivenPart<'py>>)>,
    by: &str,
    max_bytes: Option<ArgumentOf<u64>>,
) -> PyResult<(GivenImage<'py>, Vec<GivenLoss>)> {
    let (by, work) = (group(by)?, Work::default());
    let usual = Limits::default();
    let limits = Limits { bytes: max_bytes.map_or(usual.bytes, |given| given.0), ..usual };
    let held = images
        .into_iter()
        .map(|(name, chosen, parts)| Ok((name, chosen, HeldImage::new(parts)?)))
        .collect::<PyResult<Vec<_>>>()?;
    let models: Vec<_> =
        held.iter().map(|(name, chosen, held)| (name.clone(), *chosen, held.model())).collect();
    let (image, losses) = run(py, &work.cancel, || {
        let input =
            |(name, chosen, model)| Ok(MergeInput { name, chosen, image: as_channels(model)? });
        let inputs = models.into_iter().map(input).collect::<Result<Vec<_>>>()?;
        let (image, losses) = image::merge_images(inputs, by, &limits)?;
        Ok((owned(image), losses))
    })?;
    Ok((give_read(py, ReadImage::Exr(image, None))?, given_losses(losses)))
}

/// Takes an image apart.
#[pyfunction]
pub(crate) fn image_split<'py>(
    py: Python<'py>,
    parts: Vec<GivenPart<'py>>,
    by: &str,
) -> PyResult<Vec<(String, GivenImage<'py>)>> {
    let (by, work) = (group(by)?, Work::default());
    let held = HeldImage::new(parts)?;
    let model = held.model();
    let pieces = run(py, &work.cancel, || {
        let pieces = image::split_image(as_channels(model)?, by)?;
        Ok(pieces.into_iter().map(|(name, piece)| (name, owned(piece))).collect::<Vec<_>>())
    })?;
    pieces
        .into_iter()
        .map(|(name, piece)| Ok((name, give_read(py, ReadImage::Exr(piece, None))?)))
        .collect()
}

fn group(name: &str) -> PyResult<ImageGroup> {
    let found = ImageGroup::ALL.into_iter().find(|group| group.name() == name);
    let names = || ImageGroup::ALL.map(ImageGroup::name).join(", ");
    found.ok_or_else(|| argument(format!("by: it is one of {}", names())))
}

/// The image with samples of its own.
fn owned(image: Image<'_>) -> Image<'static> {
    let planes = |planes: Vec<Plane<'_>>| -> Vec<Plane<'static>> {
        let plane = |Plane { channel, samples }: Plane<'_>| {
            let samples = match samples {
                Samples::Uint(values) => Samples::Uint(Cow::Owned(values.into_owned())),
                Samples::Half(values) => Samples::Half(Cow::Owned(values.into_owned())),
                Samples::Float(values) => Samples::Float(Cow::Owned(values.into_owned())),
            };
            Plane { channel, samples }
        };
        planes.into_iter().map(plane).collect()
    };
    let flat = |level: FlatLevel<'_>| FlatLevel {
        x: level.x,
        y: level.y,
        window: level.window,
        planes: planes(level.planes),
    };
    let deep = |level: DeepLevel<'_>| DeepLevel {
        x: level.x,
        y: level.y,
        window: level.window,
        counts: Cow::Owned(level.counts.into_owned()),
        planes: planes(level.planes),
    };
    let part = |ImagePart { header, pixels }: ImagePart<'_>| {
        let pixels = match pixels {
            Pixels::Flat(levels) => Pixels::Flat(levels.into_iter().map(flat).collect()),
            Pixels::Deep(levels) => Pixels::Deep(levels.into_iter().map(deep).collect()),
        };
        ImagePart { header, pixels }
    };
    Image { parts: image.parts.into_iter().map(part).collect(), missing: image.missing }
}

/// A channel as Python gets it: the fields of `ChannelDifference`.
type GivenChannel =
    (usize, (u32, u32), String, u64, u64, u64, f64, Option<(i32, i32)>, f64, f64, Option<f64>);

/// A comparison as Python gets it: the fields of `Difference`.
type GivenDifference<'py> = (
    &'static str,
    Vec<GivenChannel>,
    Vec<String>,
    Vec<String>,
    u64,
    u64,
    u64,
    Vec<Any<'py>>,
    Option<(f64, f32, Any<'py>)>,
);

/// One of two images: its parts, or or a path.
#[derive(FromPyObject)]
pub(crate) enum Compared<'py> {
    #[pyo3(transparent, annotation = "parts")]
    Parts(Vec<GivenPart<'py>>),
    #[pyo3(transparent, annotation = "path")]
    Path(PathBuf),
}

/// Compares two images; of paths any format that Solio reads.
#[pyfunction]
pub(crate) fn image_compare<'py>(
    py: Python<'py>,
    first: Compared<'py>,
    second: Compared<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<GivenDifference<'py>> {
    let given = CallArguments::new(options);
    let mut asked = CompareOptions::default();
    let mut limits = Limits::default();
    let limit = |v: &Any<'py>| -> PyResult<DifferenceLimit> {
        let (value, percent, hard): (f64, f64, f64) = v.extract()?;
        match [value, percent, hard].iter().all(|number| *number >= 0.0) {
            true => Ok(DifferenceLimit { value, percent, hard }),
            false => Err(argument("limits are not negative")),
        }
    };
    given.with("fail", &mut asked.fail, limit)?;
    given.with("warn", &mut asked.warn, limit)?;
    given.with("heat", &mut asked.heat, plain)?;
    given.with("flip", &mut asked.flip, |v| plain(v).map(Some))?;
    given.with("max_bytes", &mut limits.bytes, plain)?;
    let work = work(&given)?;
    given.finish()?;
    let found = match (first, second) {
        (Compared::Path(a), Compared::Path(b)) => {
            run(py, &work.cancel, || solio::compare_image_files(&*a, &*b, &asked, &limits, &work))?
        }
        (a, b) => {
            let sides = [held(a)?, held(b)?];
            let models = sides.each_ref().map(|side| match side {
                Side::Held(held) => Ok(held.model()),
                Side::Path(path) => Err(path),
            });
            run(py, &work.cancel, || {
                let [a, b] = models.map(|model| image_of(model, &limits, &work));
                solio::compare_images(&a?, &b?, &asked, &work)
            })?
        }
    };
    give(py, found)
}

enum Side<'py> {
    Held(HeldImage<'py>),
    Path(PathBuf),
}

fn held(side: Compared<'_>) -> PyResult<Side<'_>> {
    Ok(match side {
        Compared::Parts(parts) => Side::Held(HeldImage::new(parts)?),
        Compared::Path(path) => Side::Path(path),
    })
}

fn image_of<'i>(
    side: std::result::Result<Image<'i>, &PathBuf>,
    limits: &Limits,
    work: &Work,
) -> Result<Image<'i>> {
    let path = match side {
        Ok(model) => return as_channels(model),
        Err(path) => path,
    };
    let levels = image::Levels::All;
    let options = image::ReadOptions { limits: *limits, levels, ..Default::default() };
    solio::read_image(&**path, &options, work)
}

fn give<'py>(py: Python<'py>, found: ImageDifference) -> PyResult<GivenDifference<'py>> {
    let verdict = match found.verdict {
        Verdict::Same => "same",
        Verdict::Warning => "warning",
        Verdict::Different => "different",
    };
    let channel = |it: ChannelDifference| {
        let [x, y] = it.level;
        let at = it.at.map(|[x, y]| (x, y));
        let (all, differing, beyond) = (it.samples, it.differing, it.beyond);
        (it.part, (x, y), it.name, all, differing, beyond, it.largest, at, it.mean, it.rms, it.psnr)
    };
    let map = |HeatMap { window, values }: HeatMap| {
        let shape = [window.height() as usize, window.width() as usize];
        PyResult::Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
    };
    let heat = found.heat.into_iter().map(map).collect::<PyResult<_>>()?;
    let flip = found.flip.map(|flip| PyResult::Ok((flip.mean, flip.largest, map(flip.map)?)));
    Ok((
        verdict,
        found.channels.into_iter().map(channel).collect(),
        found.structure,
        found.notes,
        found.pixels,
        found.beyond_fail,
        found.beyond_warn,
        heat,
        flip.transpose()?,
    ))
}
