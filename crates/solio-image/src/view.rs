//! A part of an image as rows of red, green, blue and alpha: linear light, multiplied by alpha.

use crate::choose::{Choice, Chosen, Colors, channels, chosen_part, depth};
use crate::missing::mask;
use half::f16;
use half::slice::HalfFloatSliceExt;
use solio_base::{Error, Limits, Result};
use solio_color::Primaries;
use solio_exr::Image;
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{DeepLevel, FlatLevel, ImagePart, Pixels, Plane, Samples};
use std::borrow::Cow;

/// Pixels of a display window for each of the data window, beyond which it is taken for a mistake.
const MOST_EMPTY: u64 = 1 << 8;

/// What is to be seen of a part of an image: red, green, blue and alpha, row by row.
///
/// ```
/// use solio_image::{Buffers, View, gradient_image};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let image = gradient_image(&map, [8, 4])?;
/// let view = View::of(&image, &Default::default())?;
/// let mut row = vec![0.0; 4 * view.width()];
/// view.row(3, &mut row, &mut Buffers::default());
/// assert_eq!((view.height(), row[3]), (4, 1.0));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct View<'a> {
    /// The pixels of the picture; there may be samples for some of them only.
    pub(crate) window: Box2i,
    colors: Vec<Channel<'a>>,
    alpha: Option<Channel<'a>>,
    /// What turns three colours into those of sRGB.
    matrix: Option<[[f32; 3]; 3]>,
    /// The colours are Y, RY and BY: how much red, green and blue add to Y.
    luminance: Option<[f32; 3]>,
    /// What pixels without samples have in place of a colour.
    nothing: f32,
}

/// A channel whose samples can be had row by row.
struct Channel<'a> {
    samples: Held<'a>,
    window: Box2i,
    sampling: [i32; 2],
}

/// Samples of the image, or made for the view.
enum Held<'a> {
    Image(&'a Samples<'a>),
    Own(Samples<'static>),
}

impl Held<'_> {
    fn get(&self) -> &Samples<'_> {
        match self {
            Held::Image(samples) => samples,
            Held::Own(samples) => samples,
        }
    }
}

/// Which pixels a picture has.
///
/// ```
/// use solio_exr::header::{Box2i, Value};
/// use solio_image::{Frame, PreviewOptions};
/// # let gradient = solio_color::gradient::colormap("viridis").unwrap();
/// // A render of 4 × 2 pixels within a picture of 8 × 8.
/// let mut image = solio_image::gradient_image(&gradient, [4, 2])?;
/// image.parts[0].header.set("displayWindow", Value::Box2i(Box2i::of_size(8, 8)));
/// let size = |frame| {
///     let options = PreviewOptions { frame, ..PreviewOptions::default() };
///     solio_image::preview(&image, &options, &Default::default()).map(|p| (p.width, p.height))
/// };
/// assert_eq!(size(Frame::Display)?, (8, 8));
/// assert_eq!(size(Frame::Data)?, (4, 2));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// The display window: what is meant to be seen. Where it has no samples it is black and
    /// transparent.
    #[default]
    Display,
    /// All pixels that there are.
    Data,
}

/// What a thread keeps from row to row.
#[derive(Default)]
pub struct Buffers {
    plane: Vec<f32>,
    more: Vec<f32>,
}

impl<'a> View<'a> {
    /// The best colours of `image`, with the primaries of sRGB; all pixels that there are.
    ///
    /// # Errors
    /// `Argument` for an image without channels; `Limit`.
    pub fn of(image: &'a Image<'_>, limits: &Limits) -> Result<View<'a>> {
        let (part, chosen) = chosen_part(image, &Choice::default())?;
        View::new(part, &chosen, Frame::Data, false, 0.0, limits)
    }

    /// The chosen channels of `part`, which is the chosen one. With `raw` the primaries stay; pixels
    /// without samples have `nothing` in place of a colour.
    pub(crate) fn new(
        part: &'a ImagePart<'_>,
        chosen: &Chosen,
        frame: Frame,
        raw: bool,
        nothing: f32,
        limits: &Limits,
    ) -> Result<View<'a>> {
        let names = chosen.colors.names();
        let mut all = names.clone();
        all.extend(chosen.alpha.as_deref());
        let no_pixels = || Error::argument("the part has no pixels");
        let (level, window, mut found) = match &part.pixels {
            Pixels::Flat(levels) => {
                let level = levels.first().ok_or_else(no_pixels)?;
                ([level.x, level.y], level.window, of_flat(level, &all)?)
            }
            Pixels::Deep(levels) => {
                let level = levels.first().ok_or_else(no_pixels)?;
                let found = of_deep(level, &part.header, chosen, &all, nothing)?;
                ([level.x, level.y], level.window, found)
            }
        };
        let alpha = found.split_off(names.len()).pop();
        let primaries = primaries(&part.header);
        let color = names.len() == 3;
        let luminance = matches!(chosen.colors, Colors::Luminance { .. });
        Ok(View {
            window: framed(&part.header, level, window, frame, limits)?,
            colors: found,
            alpha,
            matrix: (color && !raw).then(|| primaries.to(&Primaries::SRGB)).flatten(),
            luminance: luminance.then(|| primaries.luminance().unwrap_or([0.2126, 0.7152, 0.0722])),
            nothing,
        })
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.window.width() as usize
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.window.height() as usize
    }

    /// Whether all colours are greys.
    pub(crate) fn is_grey(&self) -> bool {
        self.colors.len() == 1
    }

    /// Whether the primaries of the picture were others than those of sRGB.
    pub(crate) fn changes_primaries(&self) -> bool {
        self.matrix.is_some()
    }

    /// Whether some pixels are not opaque: by their alpha, or as they have no samples.
    pub(crate) fn has_alpha(&self) -> bool {
        self.alpha.is_some()
    }

    /// Row `y` from the top: red, green, blue and alpha for each pixel.
    pub fn row(&self, y: usize, out: &mut [f32], buffers: &mut Buffers) {
        let y = self.window.min[1] + y as i32;
        let pixels = out.len() / 4;
        buffers.plane.resize(pixels, 0.0);
        let (pixels_of, _) = out.as_chunks_mut::<4>();
        for (i, channel) in self.colors.iter().enumerate() {
            buffers.plane.fill(self.nothing);
            channel.row(y, &self.window, &mut buffers.plane, &mut buffers.more);
            for (pixel, value) in pixels_of.iter_mut().zip(&buffers.plane) {
                pixel[i] = *value;
            }
        }
        buffers.plane.fill(if self.alpha.is_some() { 0.0 } else { 1.0 });
        if let Some(alpha) = &self.alpha {
            alpha.row(y, &self.window, &mut buffers.plane, &mut buffers.more);
        }
        for (pixel, alpha) in pixels_of.iter_mut().zip(&buffers.plane) {
            pixel[3] = *alpha;
            if self.colors.len() == 1 {
                (pixel[1], pixel[2]) = (pixel[0], pixel[0]);
            }
        }
        if let Some([red, green, blue]) = self.luminance {
            for [r, g, b, _] in pixels_of.iter_mut() {
                let (y, ry, by) = (*r, *g, *b);
                (*r, *b) = ((ry + 1.0) * y, (by + 1.0) * y);
                *g = (y - *r * red - *b * blue) / green;
            }
        }
        if let Some(m) = &self.matrix {
            for [r, g, b, _] in pixels_of.iter_mut() {
                let [x, y, z] = m.map(|row| row[0] * *r + row[1] * *g + row[2] * *b);
                (*r, *g, *b) = (x, y, z);
            }
        }
    }

    /// The lowest and highest finite value of the first channel, without the zeros that stand in
    /// `gaps`.
    pub(crate) fn range(&self, gaps: &[Box2i]) -> Option<[f32; 2]> {
        let channel = self.colors.first()?;
        let fold = |range: [f32; 2], value: f32| match value.is_finite() {
            true => [range[0].min(value), range[1].max(value)],
            false => range,
        };
        let nothing = [f32::INFINITY, f32::NEG_INFINITY];
        let range = match channel.samples.get() {
            _ if !gaps.is_empty() && channel.sampling == [1, 1] => {
                let mask = mask(&channel.window, gaps);
                let mut values = vec![f32::NAN; mask.len()];
                copy(channel.samples.get(), 0, &mut values);
                let there = values.iter().zip(mask);
                there.filter(|(_, is_gap)| !is_gap).map(|(v, _)| *v).fold(nothing, fold)
            }
            Samples::Half(values) => values.iter().map(|v| v.to_f32()).fold(nothing, fold),
            Samples::Float(values) => values.iter().copied().fold(nothing, fold),
            Samples::Uint(values) => values.iter().map(|v| *v as f32).fold(nothing, fold),
        };
        (range[0] <= range[1]).then_some(range)
    }
}

impl Channel<'_> {
    /// Samples of a row of the window; where there are none `out` stays.
    fn row(&self, y: i32, window: &Box2i, out: &mut [f32], more: &mut Vec<f32>) {
        let row = Box2i { min: [window.min[0], y], max: [window.max[0], y] };
        let Some(common) = row.intersection(&self.window) else { return };
        let start = (i64::from(common.min[0]) - i64::from(window.min[0])) as usize;
        let pixels = common.width() as usize;
        let out = &mut out[start..start + pixels];
        if self.sampling == [1, 1] {
            let across = self.window.width() as usize;
            let first = (i64::from(y) - i64::from(self.window.min[1])) as usize * across
                + (i64::from(common.min[0]) - i64::from(self.window.min[0])) as usize;
            copy(self.samples.get(), first, out);
            return;
        }
        // Between samples the values go over into each other; past the last ones they stay.
        let [across, down] = [0, 1].map(|axis| {
            let step = i64::from(self.sampling[axis]);
            let floor = |at: i32| i64::from(at).div_euclid(step);
            (floor(self.window.min[axis]), floor(self.window.max[axis]))
        });
        let count = (across.1 - across.0 + 1) as usize;
        let split = |at: i32, axis: usize, (first, last): (i64, i64)| {
            let step = i64::from(self.sampling[axis]);
            let cell = i64::from(at).div_euclid(step);
            let part = i64::from(at).rem_euclid(step) as f32 / step as f32;
            ((cell - first) as usize, ((cell + 1).min(last) - first) as usize, part)
        };
        let (above, below, part) = split(y, 1, down);
        more.resize(2 * count, 0.0);
        let (top, bottom) = more.split_at_mut(count);
        copy(self.samples.get(), above * count, top);
        copy(self.samples.get(), below * count, bottom);
        top.iter_mut().zip(bottom).for_each(|(top, bottom)| *top += (*bottom - *top) * part);
        for (value, x) in out.iter_mut().zip(common.min[0]..) {
            let (left, right, part) = split(x, 0, across);
            *value = top[left] + (top[right] - top[left]) * part;
        }
    }
}

/// As many samples as `out` has, from number `first` on; those that there are not stay.
fn copy(samples: &Samples<'_>, first: usize, out: &mut [f32]) {
    let end = first + out.len();
    match samples {
        Samples::Half(values) => {
            if let Some(values) = values.get(first..end) {
                values.convert_to_f32_slice(out);
            }
        }
        Samples::Float(values) => {
            if let Some(values) = values.get(first..end) {
                out.copy_from_slice(values);
            }
        }
        Samples::Uint(values) => {
            let values = values.get(first..end).unwrap_or_default();
            out.iter_mut().zip(values).for_each(|(out, value)| *out = *value as f32);
        }
    }
}

/// The pixels of the picture of a part with samples for `data`, of this level.
fn framed(
    header: &Part,
    level: [u32; 2],
    data: Box2i,
    frame: Frame,
    limits: &Limits,
) -> Result<Box2i> {
    let whole = level == [0, 0] && header.get("dataWindow") == Some(&Value::Box2i(data));
    let window = match header.display_window() {
        // A level, or pixels that were cut out, have no display window of their own.
        Some(display) if frame == Frame::Display && whole => display,
        _ => data,
    };
    let pixels = |window: &Box2i| window.width().saturating_mul(window.height());
    if pixels(&window) == 0 {
        return Err(Error::corrupt("the display window is empty").hint("use the data window"));
    }
    if pixels(&window) > pixels(&data).saturating_mul(MOST_EMPTY).max(1 << 22) {
        let message = format!(
            "the display window has {} × {} pixels, the data window {} × {}",
            window.width(),
            window.height(),
            data.width(),
            data.height()
        );
        return Err(Error::limit(message).hint("use the data window"));
    }
    limits.check_bytes("the picture", pixels(&window).saturating_mul(16))?;
    Ok(window)
}

fn primaries(header: &Part) -> Primaries {
    match header.get("chromaticities") {
        Some(Value::Chromaticities(c)) => {
            Primaries { rgb: [c.red, c.green, c.blue], white: c.white }
        }
        _ => Primaries::SRGB,
    }
}

fn plane<'p, 'a>(planes: &'p [Plane<'a>], name: &str) -> Result<&'p Plane<'a>> {
    let found = planes.iter().find(|plane| plane.channel.name == name);
    found.ok_or_else(|| Error::argument(format!("the image has no channel {name:?}")))
}

fn of_flat<'a>(level: &'a FlatLevel<'_>, names: &[&str]) -> Result<Vec<Channel<'a>>> {
    let channel = |name: &&str| {
        let Plane { channel, samples } = plane(&level.planes, name)?;
        let sampling = [channel.x_sampling.max(1), channel.y_sampling.max(1)];
        Ok(Channel { samples: Held::Image(samples), window: level.window, sampling })
    };
    names.iter().map(channel).collect()
}

/// Deep samples laid over each other, the nearest on top; those of a value are not mixed. A sample
/// that reaches through a range of distances counts where the range starts.
fn of_deep(
    level: &DeepLevel<'_>,
    header: &Part,
    chosen: &Chosen,
    names: &[&str],
    nothing: f32,
) -> Result<Vec<Channel<'static>>> {
    let values = |name: &str| Ok(floats(&plane(&level.planes, name)?.samples));
    let planes: Vec<Vec<f32>> = names.iter().map(|name| values(name)).collect::<Result<_>>()?;
    let depths = depth(&channels(header)).and_then(|name| values(name).ok());
    let cover = chosen.cover(header).and_then(|name| values(&name).ok());
    let is_value = matches!(chosen.colors, Colors::Value(_));
    let colors = chosen.colors.names().len();
    let mut flat = vec![vec![0f32; level.counts.len()]; names.len()];
    let mut start = 0;
    let mut order: Vec<usize> = Vec::new();
    for (pixel, count) in level.counts.iter().enumerate() {
        order.clear();
        order.extend(start..start + *count as usize);
        start += *count as usize;
        if let Some(depths) = &depths {
            order.sort_by(|a, b| depths[*a].total_cmp(&depths[*b]));
        }
        let Some(nearest) = order.first() else {
            flat[..colors].iter_mut().for_each(|flat| flat[pixel] = nothing);
            continue;
        };
        let mut seen_through = 1.0;
        for sample in &order {
            for (plane, flat) in planes.iter().zip(&mut flat) {
                flat[pixel] += seen_through * plane[*sample];
            }
            let alpha = cover.as_ref().map_or(1.0, |alpha| alpha[*sample]);
            seen_through *= 1.0 - alpha.clamp(0.0, 1.0);
            if seen_through == 0.0 {
                break;
            }
        }
        if is_value {
            flat[0][pixel] = planes[0][*nearest];
        }
    }
    let channel = |values: Vec<f32>| Channel {
        samples: Held::Own(Samples::Float(Cow::Owned(values))),
        window: level.window,
        sampling: [1, 1],
    };
    Ok(flat.into_iter().map(channel).collect())
}

fn floats(samples: &Samples<'_>) -> Vec<f32> {
    match samples {
        Samples::Half(values) => values.iter().map(|value: &f16| value.to_f32()).collect(),
        Samples::Float(values) => values.to_vec(),
        Samples::Uint(values) => values.iter().map(|value| *value as f32).collect(),
    }
}
