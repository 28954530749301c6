//! Images in another size.

mod axis;
mod filter;
mod plane;
mod size;
mod stream;
#[cfg(test)]
mod tests;

pub use filter::ResizeFilter;
pub use size::ResizeSize;
pub use stream::resize_rows;

use crate::edit::{all_there, check_fits, one_level, refresh, star};
use crate::is_id;
use axis::Axis;
pub(crate) use axis::Taps;
pub(crate) use plane::{Filtered, filtered, nearest};
use solio_base::{Error, Limits, Result, Work};
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::borrow::Cow;

/// Coordinates of OpenEXR stay below this.
const FARTHEST: i64 = (i32::MAX / 2) as i64;

/// How an image gets another size.
///
/// ```
/// use solio_image::{ResizeFilter, ResizeOptions};
/// let mut options = ResizeOptions::new("50%".parse()?);
/// // Without a wish it is lanczos3, or blackman-harris where the image grows.
/// options.filter = Some(ResizeFilter::Mitchell);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResizeOptions {
    /// The display window that is wanted.
    pub size: ResizeSize,
    /// `None` is [`ResizeFilter::Lanczos3`], or [`ResizeFilter::BlackmanHarris`] where a side grows.
    pub filter: Option<ResizeFilter>,
    /// The channels, by their names or patterns with one `*`, that take the nearest pixel; integers always
    /// do. `None`: ids, Cryptomatte and depth.
    pub nearest: Option<Vec<String>>,
}

impl ResizeOptions {
    /// With the filter and the channels that are usual.
    pub fn new(size: ResizeSize) -> ResizeOptions {
        ResizeOptions { size, filter: None, nearest: None }
    }

    /// Whether a channel takes the nearest pixel.
    fn is_nearest(&self, part: &Part, channel: &Channel) -> bool {
        let name = &*channel.name;
        channel.pixel_type == PixelType::Uint
            || match &self.nearest {
                Some(patterns) => patterns.iter().any(|pattern| star(pattern, name).is_some()),
                None => is_id(part, name) || is_depth(part, name),
            }
    }
}

/// Whether a channel says how far away something is: `Z`, `ZBack` or `depth`, by the last word of its name,
/// and not a coordinate beside X and Y.
pub(crate) fn is_depth(part: &Part, name: &str) -> bool {
    let (layer, last) = name.rsplit_once('.').map_or(("", name), |(layer, last)| (layer, last));
    if !["z", "zback", "depth"].contains(&last.to_ascii_lowercase().as_str()) {
        return false;
    }
    let beside = |wanted: &str| {
        part.channels().iter().any(|channel| {
            let (other, last) = channel.name.rsplit_once('.').unwrap_or(("", &channel.name));
            other == layer && last.eq_ignore_ascii_case(wanted)
        })
    };
    !(beside("x") && beside("y"))
}

/// Bytes of the samples that flat parts will have, for whoever plans memory; deep parts count nothing.
///
/// # Errors
/// As [`resize`], for sizes that are none.
pub fn resized_bytes(parts: &[Part], size: ResizeSize) -> Result<u64> {
    let mut bytes = 0u64;
    for part in parts {
        let shape = part.shape()?;
        let plan = PartPlan::of(part, shape.data_window, &shape.channels, size)?;
        let samples = plan.to.width().saturating_mul(plan.to.height());
        let of_pixel: u64 = shape.channels.iter().map(|c| c.pixel_type.bytes() as u64).sum();
        bytes = bytes.saturating_add(samples.saturating_mul(of_pixel));
    }
    Ok(bytes)
}

/// What becomes of the windows of a part.
struct PartPlan {
    display: Box2i,
    sizes: [[u64; 2]; 2],
    from: Box2i,
    to: Box2i,
}

impl PartPlan {
    fn of(part: &Part, from: Box2i, channels: &[Channel], size: ResizeSize) -> Result<PartPlan> {
        let before = part.display_window().unwrap_or(from);
        let sizes = [before.width(), before.height()];
        if before.min[0] > before.max[0] || before.min[1] > before.max[1] {
            return Err(Error::corrupt(format!("the display window, {before}, is empty")));
        }
        let wanted = size.of(sizes)?;
        let sizes = [[sizes[0], wanted[0]], [sizes[1], wanted[1]]];
        let (mut display, mut to) = (before, from);
        for side in [0, 1] {
            let start = i64::from(before.min[side]);
            let axis = Axis { start, sizes: sizes[side], step: 1, from: 0..0, to: 0..0 };
            let data = i64::from(from.min[side])..i64::from(from.max[side]) + 1;
            let scaled = axis.scaled(data);
            // Channels with fewer samples need whole ones.
            let steps = channels.iter().map(|channel| match side {
                0 => i64::from(channel.x_sampling.max(1)),
                _ => i64::from(channel.y_sampling.max(1)),
            });
            let step = steps.fold(1, least_common_multiple);
            let first = scaled.start.div_euclid(step) * step;
            let end = -(-scaled.end).div_euclid(step) * step;
            let far = start + sizes[side][1] as i64;
            if first <= -FARTHEST || end.max(far) >= FARTHEST {
                let message = format!("{} × {} pixels are too many", wanted[0], wanted[1]);
                return Err(Error::limit(message));
            }
            (to.min[side], to.max[side]) = (first as i32, (end - 1) as i32);
            display.max[side] = (far - 1) as i32;
        }
        Ok(PartPlan { display, sizes, from, to })
    }

    /// The filter that is wanted, or usual.
    fn filter(&self, options: &ResizeOptions) -> ResizeFilter {
        let grows = self.sizes.iter().any(|[before, after]| after > before);
        options.filter.unwrap_or(match grows {
            true => ResizeFilter::BlackmanHarris,
            false => ResizeFilter::Lanczos3,
        })
    }

    /// An axis of a channel.
    fn axis(&self, side: usize, step: i32) -> Axis {
        let step = i64::from(step.max(1));
        let samples = |window: &Box2i| {
            let first = -(-i64::from(window.min[side])).div_euclid(step);
            first..(i64::from(window.max[side]).div_euclid(step) + 1).max(first)
        };
        let start = i64::from(self.display.min[side]);
        let (from, to) = (samples(&self.from), samples(&self.to));
        Axis { start, sizes: self.sizes[side], step, from, to }
    }
}

fn least_common_multiple(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Gives all parts another size: their display windows become what [`ResizeOptions::size`] says, their data
/// windows are where their pixels fall on. Channels keep their types and names; colours are taken as they
/// are in OpenEXR, linear light multiplied by alpha, and nothing is cut off: filters with negative weights
/// make values below 0 and above 1. What is no number stays where a filter sees it. Of several levels the
/// full size is left. Says which channels took the nearest pixel though they are floating point numbers.
///
/// The numbers are those of `oiiotool --resize`, rounding aside, but at the edge of a data window that is
/// larger than the display window: there its last pixels go on, not those of the display window.
///
/// ```
/// use solio_base::Work;
/// use solio_image::{ResizeOptions, gradient_image, resize};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let mut image = gradient_image(&map, [64, 32])?;
/// let options = ResizeOptions::new("16x".parse()?);
/// resize(&mut image, &options, &Default::default(), &Work::serial())?;
/// let window = image.parts[0].header.shape()?.data_window;
/// assert_eq!([window.width(), window.height()], [16, 8]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` for deep parts, `Argument` for patterns without a channel, `Limit` for too many pixels,
/// and `Cancelled`.
pub fn resize(
    image: &mut Image<'_>,
    options: &ResizeOptions,
    limits: &Limits,
    work: &Work,
) -> Result<Vec<String>> {
    all_there(image, options.nearest.as_deref().unwrap_or_default())?;
    if image.parts.iter().any(|part| matches!(part.pixels, Pixels::Deep(_))) {
        let error = Error::unsupported("a deep image has no single sample to be filtered");
        return Err(error.hint("make it flat before: --flatten"));
    }
    let headers: Vec<Part> = image.parts.iter().map(|part| part.header.clone()).collect();
    check_fits("the resized image", resized_bytes(&headers, options.size)?, limits)?;
    let mut kept: Vec<String> = Vec::new();
    for part in &mut image.parts {
        part_resized(part, options, &mut kept, work)?;
    }
    Ok(told(kept))
}

/// Says which channels took the nearest pixel.
fn told(mut kept: Vec<String>) -> Vec<String> {
    kept.sort();
    kept.dedup();
    let notes = kept.first().map(|first| {
        let count = kept.len();
        let channels = if count == 1 { "channel takes" } else { "channels take" };
        format!("{count} {channels} the nearest pixel, such as {first:?}: ids and depth")
    });
    notes.into_iter().collect()
}

fn part_resized(
    part: &mut ImagePart<'_>,
    options: &ResizeOptions,
    kept: &mut Vec<String>,
    work: &Work,
) -> Result<()> {
    let Pixels::Flat(levels) = &mut part.pixels else { return Ok(()) };
    levels.truncate(1);
    let Some(level) = levels.first_mut() else { return Ok(()) };
    let channels: Vec<Channel> = level.planes.iter().map(|plane| plane.channel.clone()).collect();
    let plan = PartPlan::of(&part.header, level.window, &channels, options.size)?;
    let filter = plan.filter(options);
    let mut weights: Vec<([i32; 2], [Taps; 2])> = Vec::new();
    for plane in &mut level.planes {
        let channel = &plane.channel;
        let steps = [channel.x_sampling, channel.y_sampling];
        let axes = [0, 1].map(|side| plan.axis(side, steps[side]));
        let near = options.is_nearest(&part.header, channel);
        if near && channel.pixel_type != PixelType::Uint && options.nearest.is_none() {
            kept.push(channel.name.to_string());
        }
        if near {
            near_plane(plane, &axes, work)?;
            continue;
        }
        if !weights.iter().any(|(other, _)| *other == steps) {
            let [across, down] = &axes;
            weights.push((steps, [across.taps(filter)?, down.taps(filter)?]));
        }
        let taps = weights.iter().find(|(other, _)| *other == steps);
        let [across, down] = &taps.expect("they were just made").1;
        filter_plane(plane, &axes, [across, down], work)?;
    }
    finish(part, &plan)
}

fn near_plane(plane: &mut Plane<'_>, axes: &[Axis; 2], work: &Work) -> Result<()> {
    let width = (axes[0].from.end - axes[0].from.start) as usize;
    let [across, down] = [0, 1].map(|side| axes[side].nearest());
    plane.samples = match &plane.samples {
        Samples::Uint(from) => {
            Samples::Uint(Cow::Owned(nearest(from, width, &across, &down, work)?))
        }
        Samples::Half(from) => {
            Samples::Half(Cow::Owned(nearest(from, width, &across, &down, work)?))
        }
        Samples::Float(from) => {
            Samples::Float(Cow::Owned(nearest(from, width, &across, &down, work)?))
        }
    };
    Ok(())
}

fn filter_plane(
    plane: &mut Plane<'_>,
    axes: &[Axis; 2],
    [across, down]: [&Taps; 2],
    work: &Work,
) -> Result<()> {
    let width = (axes[0].from.end - axes[0].from.start) as usize;
    plane.samples = match &plane.samples {
        Samples::Half(from) => {
            Samples::Half(Cow::Owned(filtered(from, width, across, down, work)?))
        }
        Samples::Float(from) => {
            Samples::Float(Cow::Owned(filtered(from, width, across, down, work)?))
        }
        Samples::Uint(_) => return near_plane(plane, axes, work),
    };
    Ok(())
}

/// The header says what the pixels now are.
fn finish(part: &mut ImagePart<'_>, plan: &PartPlan) -> Result<()> {
    if let Pixels::Flat(levels) = &mut part.pixels
        && let Some(FlatLevel { window, .. }) = levels.first_mut()
    {
        *window = plan.to;
    }
    part.header.set("dataWindow", Value::Box2i(plan.to));
    part.header.set("displayWindow", Value::Box2i(plan.display));
    one_level(part);
    refresh(part)
}
