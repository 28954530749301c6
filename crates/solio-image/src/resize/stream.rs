//! Images that are larger than memory: the result is held, of the source the rows that a filter sees.

use super::axis::Taps;
use super::plane::{Filtered, added_row, padded};
use super::{PartPlan, ResizeOptions, finish, told};
use crate::edit::check_fits;
use half::f16;
use solio_base::{Error, Limits, Result, Work};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType, Scanlines};

/// [`resize`](super::resize()) of a part that is read row by row: the same bits, with as much memory as the
/// result and a few rows take. Every channel needs a sample in every pixel.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::{Scanlines, encode_exr};
/// use solio_image::{ResizeOptions, gradient_image, resize_rows};
/// # let map = solio_color::gradient::colormap("magma").unwrap();
/// # let (mut bytes, work) = (Vec::new(), Work::serial());
/// encode_exr(&gradient_image(&map, [64, 32])?, &Default::default(), &mut bytes, &work)?;
/// let mut rows = Scanlines::new(&bytes, &Default::default(), &work)?;
/// let options = ResizeOptions::new("25%".parse()?);
/// let (image, _) = resize_rows(&mut rows, &options, &Default::default(), &work)?;
/// assert_eq!(image.parts[0].header.shape()?.data_window.width(), 16);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Those of reading and of [`resize`](super::resize()), and `Unsupported` for channels with fewer samples.
pub fn resize_rows(
    rows: &mut Scanlines<'_>,
    options: &ResizeOptions,
    limits: &Limits,
    work: &Work,
) -> Result<(Image<'static>, Vec<String>)> {
    let header = rows.header().clone();
    let channels = rows.channels().to_vec();
    let subsampled = |channel: &&Channel| (channel.x_sampling, channel.y_sampling) != (1, 1);
    if let Some(channel) = channels.iter().find(subsampled) {
        let message = format!("channel {:?} has fewer samples than pixels", channel.name);
        return Err(Error::unsupported(message));
    }
    let plan = PartPlan::of(&header, rows.window(), &channels, options.size)?;
    let pixels = plan.to.width().saturating_mul(plan.to.height());
    let of_pixel: u64 = channels.iter().map(|c| c.pixel_type.bytes() as u64).sum();
    check_fits("the resized image", pixels.saturating_mul(of_pixel), limits)?;
    let count =
        usize::try_from(pixels).map_err(|_| Error::limit("the image does not fit into memory"))?;
    let [across, down] = [0, 1].map(|side| plan.axis(side, 1));
    let filter = plan.filter(options);
    let taps = [across.taps(filter)?, down.taps(filter)?];
    let near = [across.nearest(), down.nearest()];
    // A row is made when the last one that counts for it, or for one before, has come.
    let lasts = taps[1].lasts();
    let spans = taps[1].starts.iter().zip(&lasts);
    let held = spans.map(|(start, last)| last.map_or(1, |last| last + 1 - start.min(&last)));
    let held = held.max().unwrap_or(1);
    let seen = taps[1].seen();
    let mut kept = Vec::new();
    let mut made = Vec::with_capacity(channels.len());
    for channel in &channels {
        let is_near = options.is_nearest(&header, channel);
        if is_near && channel.pixel_type != PixelType::Uint && options.nearest.is_none() {
            kept.push(channel.name.to_string());
        }
        made.push(Made {
            samples: Samples::zeros(channel.pixel_type, count)?,
            ring: if is_near { Vec::new() } else { vec![Vec::new(); held] },
            is_near,
        });
    }
    no_other(&channels, options)?;
    let width = rows.window().width() as usize;
    let mut buffers = RowBuffers {
        sums: vec![0.0; padded(width) + taps[0].width],
        row: vec![0.0; taps[0].starts.len()],
    };
    let (mut next_near, mut next) = (0, 0);
    let top = rows.window().min[1];
    for line in 0..rows.window().height() as usize {
        work.cancel.check()?;
        // Rows of the result of which this is the nearest, and those of which it is the last that counts.
        let nearest = run_of(&near[1], &mut next_near, line);
        let last = run_of(&lasts, &mut next, line);
        if nearest.is_empty() && last.is_empty() && !seen.contains(&line) {
            continue;
        }
        let samples = rows.row(top + line as i32)?;
        for (made, samples) in made.iter_mut().zip(samples) {
            let Some(samples) = samples else { continue };
            match made.is_near {
                true => made.take_nearest(&samples, nearest.clone(), &near[0]),
                false => {
                    made.keep(&samples, line, width);
                    last.clone().for_each(|y| made.filter_row(y, &taps, &mut buffers));
                }
            }
        }
    }
    let planes = channels.into_iter().zip(made);
    let planes = planes.map(|(channel, made)| Plane { channel, samples: made.samples }).collect();
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window: plan.to, planes }]);
    let mut part = ImagePart { header, pixels };
    finish(&mut part, &plan)?;
    Ok((Image { parts: vec![part], missing: Vec::new() }, told(kept)))
}

/// That each pattern of the wish means a channel.
fn no_other(channels: &[Channel], options: &ResizeOptions) -> Result<()> {
    let means = |pattern: &&String| {
        channels.iter().any(|channel| crate::edit::star(pattern, &channel.name).is_some())
    };
    match options.nearest.iter().flatten().find(|pattern| !means(pattern)) {
        Some(missing) => Err(Error::argument(format!("there is no channel {missing:?}"))),
        None => Ok(()),
    }
}

/// The values from number `at` on that are `line`, after those that are less or none.
fn run_of(values: &[Option<usize>], at: &mut usize, line: usize) -> std::ops::Range<usize> {
    while values.get(*at).is_some_and(|value| value.is_none_or(|value| value < line)) {
        *at += 1;
    }
    let start = *at;
    while values.get(*at) == Some(&Some(line)) {
        *at += 1;
    }
    start..*at
}

impl Taps {
    /// The last sample of the source that counts for a sample.
    fn last(&self, sample: usize) -> Option<usize> {
        let used = self.of(sample).iter().rposition(|weight| *weight != 0.0);
        used.map(|used| self.starts[sample] + used)
    }

    /// Of each sample the last one of the source that counts for it, or for one before.
    fn lasts(&self) -> Vec<Option<usize>> {
        let mut most = None;
        let all = 0..self.starts.len();
        all.map(|sample| {
            most = most.max(self.last(sample));
            most
        })
        .collect()
    }

    /// From the first sample of the source that counts to the last one.
    fn seen(&self) -> std::ops::Range<usize> {
        let used = (0..self.starts.len()).filter_map(|i| Some((self.starts[i], self.last(i)?)));
        let nothing = (usize::MAX, 0);
        let (first, end) =
            used.fold(nothing, |(a, b), (start, last)| (a.min(start), b.max(last + 1)));
        first..end
    }
}

struct RowBuffers {
    sums: Vec<f32>,
    row: Vec<f32>,
}

/// A channel of the result, and rows of the source.
struct Made {
    samples: Samples<'static>,
    ring: Vec<Vec<f32>>,
    is_near: bool,
}

impl Made {
    fn take_nearest(
        &mut self,
        from: &Samples<'_>,
        lines: std::ops::Range<usize>,
        across: &[Option<usize>],
    ) {
        fn copy<T: Copy + Default>(
            from: &[T],
            to: &mut [T],
            lines: std::ops::Range<usize>,
            across: &[Option<usize>],
        ) {
            for line in lines {
                let to = &mut to[line * across.len()..][..across.len()];
                for (to, x) in to.iter_mut().zip(across) {
                    *to = x.map_or_else(T::default, |x| from[x]);
                }
            }
        }
        match (from, &mut self.samples) {
            (Samples::Uint(from), Samples::Uint(to)) => copy(from, to.to_mut(), lines, across),
            (Samples::Half(from), Samples::Half(to)) => copy(from, to.to_mut(), lines, across),
            (Samples::Float(from), Samples::Float(to)) => copy(from, to.to_mut(), lines, across),
            _ => {}
        }
    }

    fn keep(&mut self, from: &Samples<'_>, line: usize, width: usize) {
        let place = line % self.ring.len();
        let row = &mut self.ring[place];
        row.resize(padded(width), 0.0);
        match from {
            Samples::Half(from) => f16::widen(from, &mut row[..width]),
            Samples::Float(from) => f32::widen(from, &mut row[..width]),
            Samples::Uint(_) => {}
        }
    }

    fn filter_row(&mut self, y: usize, [across, down]: &[Taps; 2], buffers: &mut RowBuffers) {
        let (start, ring) = (down.starts[y], &self.ring);
        let used = down.of(y).iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        let rows: Vec<(f32, &[f32])> =
            used.map(|(i, weight)| (*weight, &*ring[(start + i) % ring.len()])).collect();
        added_row(&rows, across, &mut buffers.sums, &mut buffers.row);
        let columns = across.starts.len();
        let to = y * columns..(y + 1) * columns;
        match &mut self.samples {
            Samples::Half(samples) => f16::narrow(&buffers.row, &mut samples.to_mut()[to]),
            Samples::Float(samples) => f32::narrow(&buffers.row, &mut samples.to_mut()[to]),
            Samples::Uint(_) => {}
        }
    }
}
