//! How far two images are from each other: channel by channel, and pixel by pixel.

mod flip;
mod heat;
mod line;
#[cfg(test)]
mod tests;

pub use flip::{FLIP_PIXELS_PER_DEGREE, Flip, flip};
pub use heat::heat_picture;

use crate::rows;
use line::{ComparedLine, FAIL, Multiples, RowSums, Side, WARN, compare_line};
use solio_base::{Error, Limits, Result, Work};
use solio_exr::header::Box2i;
use solio_exr::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane};

/// How far values may be apart. A limit that is passed by more than `percent` of the pixels, or a single
/// difference of more than `hard`, decides.
///
/// ```
/// let limit = solio_image::DifferenceLimit::default();
/// // The smallest difference that counts is that of idiff.
/// assert_eq!((limit.value, limit.percent), (1e-6, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceLimit {
    /// Differences up to this are none.
    pub value: f64,
    /// So many of a hundred pixels may pass it.
    pub percent: f64,
    /// No difference may be greater.
    pub hard: f64,
}

impl Default for DifferenceLimit {
    fn default() -> Self {
        DifferenceLimit { value: 1e-6, percent: 0.0, hard: f64::INFINITY }
    }
}

/// What is asked of a comparison.
///
/// ```
/// use solio_image::{CompareOptions, DifferenceLimit};
/// let loose = DifferenceLimit { value: 0.01, ..DifferenceLimit::default() };
/// let options = CompareOptions { fail: loose, ..CompareOptions::default() };
/// assert!(!options.heat && options.warn.value < options.fail.value);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CompareOptions {
    /// What makes images differ.
    pub fail: DifferenceLimit,
    /// What is worth a warning.
    pub warn: DifferenceLimit,
    /// Keep the largest difference of each pixel.
    pub heat: bool,
    /// Ask FLIP, too, with so many pixels on a degree ([`FLIP_PIXELS_PER_DEGREE`]).
    pub flip: Option<f64>,
}

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// All differences are within the limits.
    Same,
    /// Some are beyond those of a warning.
    Warning,
    /// Some are beyond those of a failure, or a part or channel is in one image alone.
    Different,
}

/// The differences of a channel that both images have.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelDifference {
    /// The number of the part in the first image.
    pub part: usize,
    /// How often width and height were halved.
    pub level: [u32; 2],
    /// The channel.
    pub name: String,
    /// Samples that were compared.
    pub samples: u64,
    /// Of these, other than those of the other image.
    pub differing: u64,
    /// Of these, beyond the limit of a failure.
    pub beyond: u64,
    /// The greatest difference; infinite where one image has a NaN or an infinity and the other has not.
    pub largest: f64,
    /// The pixel that has it, the first in the order of rows; `None` where there is no difference, and of
    /// deep images.
    pub at: Option<[i32; 2]>,
    /// The mean of all differences that are finite.
    pub mean: f64,
    /// The root of the mean of their squares.
    pub rms: f64,
    /// The ratio of the greatest finite value of both, at least 1, to `rms`, in decibels; `None` where
    /// `rms` is 0.
    pub psnr: Option<f64>,
}

/// The greatest difference of each pixel of a window, over the channels of the full size.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The pixels.
    pub window: Box2i,
    /// Row by row.
    pub values: Vec<f32>,
}

/// What two images differ in.
#[derive(Clone, Debug)]
pub struct ImageDifference {
    /// The channels of both, in the order of the first image.
    pub channels: Vec<ChannelDifference>,
    /// What cannot be compared: parts and channels that one of them lacks, other display windows, other
    /// numbers of samples in deep pixels. Any makes the images different.
    pub structure: Vec<String>,
    /// What is not the same and changes no pixel: types of samples, data windows, outside of which values
    /// are 0.
    pub notes: Vec<String>,
    /// Pixels of all parts and levels.
    pub pixels: u64,
    /// Pixels with a channel beyond the limit of a failure.
    pub beyond_fail: u64,
    /// Pixels with a channel beyond that of a warning.
    pub beyond_warn: u64,
    /// By part of the first image.
    pub heat: Vec<HeatMap>,
    /// What FLIP says, where it was asked. It decides nothing.
    pub flip: Option<Flip>,
    /// What the limits make of it.
    pub verdict: Verdict,
}

/// Compares all parts, levels and channels of two images by their values. Parts that have names are
/// found by them, others by their place. Two NaNs are the same, as are 0 and −0.
///
/// ```
/// use solio_base::Work;
/// use solio_image::{CompareOptions, Verdict, compare_images, gradient_image};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let work = Work::serial();
/// let image = gradient_image(&map, [8, 2])?;
/// let same = compare_images(&image, &image, &CompareOptions::default(), &work)?;
/// assert_eq!((same.verdict, same.channels[0].differing), (Verdict::Same, 0));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit` for 2³¹ deep samples of a part and more, those of [`flip`], and `Cancelled`.
pub fn compare_images(
    a: &Image<'_>,
    b: &Image<'_>,
    options: &CompareOptions,
    work: &Work,
) -> Result<ImageDifference> {
    let mut found = ImageDifference {
        channels: Vec::new(),
        structure: Vec::new(),
        notes: Vec::new(),
        pixels: 0,
        beyond_fail: 0,
        beyond_warn: 0,
        heat: Vec::new(),
        flip: None,
        verdict: Verdict::Same,
    };
    let mut left: Vec<usize> = (0..b.parts.len()).collect();
    for (number, part) in a.parts.iter().enumerate() {
        let place = left.iter().position(|other| are_partners(a, number, b, *other));
        match place {
            Some(place) => {
                let other = left.remove(place);
                found.part(number, [part, &b.parts[other]], options, work)?;
            }
            None => {
                found.structure.push(format!("{} is in the first image only", told(number, part)))
            }
        }
    }
    for number in left {
        let part = &b.parts[number];
        found.structure.push(format!("{} is in the second image only", told(number, part)));
    }
    if let Some(pixels_per_degree) = options.flip {
        found.flip = Some(flip([a, b], pixels_per_degree, &Limits::default(), work)?);
    }
    found.judge(options);
    Ok(found)
}

/// By their names, where all parts have some; a single part is the other's whatever it is called.
fn are_partners(a: &Image<'_>, first: usize, b: &Image<'_>, second: usize) -> bool {
    let [name, other] = [&a.parts[first], &b.parts[second]].map(|part| part.header.name());
    match (name, other) {
        _ if a.parts.len() == 1 && b.parts.len() == 1 => true,
        (Some(name), Some(other)) => name == other,
        _ => first == second,
    }
}

fn told(number: usize, part: &ImagePart<'_>) -> String {
    match part.header.name() {
        Some(name) => format!("part \"{name}\""),
        None => format!("part {number}"),
    }
}

/// Pixels between data windows, beside those in them, that are compared as 0.
const FAR_PIXELS: u64 = 1 << 26;

/// Two levels of one size: their samples, for a channel at a time.
struct LevelPair<'i> {
    part: usize,
    level: [u32; 2],
    /// All pixels of both.
    window: Box2i,
    planes: [&'i [Plane<'i>]; 2],
    windows: [Box2i; 2],
}

impl ImageDifference {
    fn part(
        &mut self,
        number: usize,
        parts: [&ImagePart<'_>; 2],
        options: &CompareOptions,
        work: &Work,
    ) -> Result<()> {
        let what = told(number, parts[0]);
        let displays = parts.map(|part| part.header.display_window());
        if displays[0] != displays[1] {
            self.structure.push(format!("{what}: other display windows"));
        }
        match [&parts[0].pixels, &parts[1].pixels] {
            [Pixels::Flat(a), Pixels::Flat(b)] => {
                for level in a {
                    let Some(other) = b.iter().find(|it| (it.x, it.y) == (level.x, level.y)) else {
                        self.lacks_level(&what, level.x, level.y);
                        continue;
                    };
                    self.flat(number, &what, [level, other], options, work)?;
                }
                let missing =
                    |level: &&FlatLevel<'_>| !a.iter().any(|it| (it.x, it.y) == (level.x, level.y));
                b.iter()
                    .filter(missing)
                    .for_each(|level| self.lacks_level(&what, level.x, level.y));
            }
            [Pixels::Deep(a), Pixels::Deep(b)] => {
                for level in a {
                    match b.iter().find(|it| (it.x, it.y) == (level.x, level.y)) {
                        Some(other) => self.deep(number, &what, [level, other], options, work)?,
                        None => self.lacks_level(&what, level.x, level.y),
                    }
                }
            }
            _ => self.structure.push(format!("{what}: one is deep, the other is not")),
        }
        Ok(())
    }

    fn lacks_level(&mut self, what: &str, x: u32, y: u32) {
        self.structure.push(format!("{what}: one has no level {x}, {y}"));
    }

    fn flat(
        &mut self,
        part: usize,
        what: &str,
        levels: [&FlatLevel<'_>; 2],
        options: &CompareOptions,
        work: &Work,
    ) -> Result<()> {
        let windows = levels.map(|level| level.window);
        if windows[0] != windows[1] {
            self.notes.push(format!("{what}: other data windows; outside of them values are 0"));
        }
        let window = union(windows);
        let pixels = |window: &Box2i| window.width().saturating_mul(window.height());
        let own = windows.iter().map(pixels).fold(FAR_PIXELS, u64::saturating_add);
        if pixels(&window) > own {
            self.structure.push(format!("{what}: data windows too far from each other"));
            return Ok(());
        }
        let pair = LevelPair {
            part,
            level: [levels[0].x, levels[0].y],
            window,
            planes: [&levels[0].planes, &levels[1].planes],
            windows,
        };
        let (width, height) = (window.width() as usize, window.height() as usize);
        self.pixels += (width * height) as u64;
        let full = levels[0].x == 0 && levels[0].y == 0;
        let mut marks = vec![0u8; width * height];
        let mut heat = vec![0f32; if options.heat && full { width * height } else { 0 }];
        for [plane, other] in self.common(what, pair.planes) {
            let found = pair.channel([plane, other], options, work, &mut marks, &mut heat)?;
            self.channels.push(found);
        }
        self.beyond_warn += marks.iter().filter(|mark| **mark & WARN > 0).count() as u64;
        self.beyond_fail += marks.iter().filter(|mark| **mark & FAIL > 0).count() as u64;
        if options.heat && full {
            self.heat.push(HeatMap { window, values: heat });
        }
        Ok(())
    }

    /// The channels of both; tells of the others, and of those of other types.
    fn common<'p>(&mut self, what: &str, planes: [&'p [Plane<'p>]; 2]) -> Vec<[&'p Plane<'p>; 2]> {
        let mut common = Vec::new();
        for plane in planes[0] {
            let name = &*plane.channel.name;
            let Some(other) = planes[1].iter().find(|it| *it.channel.name == *name) else {
                self.structure.push(format!("{what}: channel {name} is in the first image only"));
                continue;
            };
            let sampling = |plane: &Plane<'_>| (plane.channel.x_sampling, plane.channel.y_sampling);
            if sampling(plane) != sampling(other) {
                self.structure.push(format!("{what}: channel {name} is sampled in another way"));
                continue;
            }
            let types = [plane, other].map(|plane| plane.samples.pixel_type());
            if types[0] != types[1] {
                let [a, b] = types.map(|it| it.name());
                self.notes.push(format!("{what}: channel {name} is {a} in one, {b} in the other"));
            }
            common.push([plane, other]);
        }
        for plane in planes[1] {
            let name = &*plane.channel.name;
            if !planes[0].iter().any(|it| *it.channel.name == *name) {
                self.structure.push(format!("{what}: channel {name} is in the second image only"));
            }
        }
        common
    }

    /// Samples are compared where all pixels have as many in both.
    fn deep(
        &mut self,
        part: usize,
        what: &str,
        levels: [&DeepLevel<'_>; 2],
        options: &CompareOptions,
        work: &Work,
    ) -> Result<()> {
        let [a, b] = levels;
        self.pixels += a.counts.len() as u64;
        if a.window != b.window {
            self.structure.push(format!("{what}: other data windows"));
            return Ok(());
        }
        let others = a.counts.iter().zip(&*b.counts).filter(|(a, b)| a != b).count();
        if others > 0 {
            let pixels =
                if others == 1 { "1 pixel has".into() } else { format!("{others} pixels have") };
            self.structure.push(format!("{what}: {pixels} another number of samples"));
            return Ok(());
        }
        let total = a.planes.first().map_or(0, |plane| plane.samples.len());
        let total = i32::try_from(total)
            .map_err(|_| Error::limit(format!("{total} deep samples are too many to compare")))?
            as u32;
        // As one row of samples.
        let window = Box2i::of_size(total.max(1), 1);
        let pair = LevelPair {
            part,
            level: [a.x, a.y],
            window,
            planes: [&a.planes, &b.planes],
            windows: [window; 2],
        };
        let mut marks = vec![0u8; total.max(1) as usize];
        for planes in self.common(what, pair.planes) {
            if total > 0 {
                let mut found = pair.channel(planes, options, work, &mut marks, &mut [])?;
                found.at = None;
                self.channels.push(found);
            }
        }
        let mut samples = &marks[..];
        for count in &*a.counts {
            let (own, rest) = samples.split_at((*count as usize).min(samples.len()));
            let mark = own.iter().fold(0, |all, mark| all | mark);
            self.beyond_warn += u64::from(mark & WARN > 0);
            self.beyond_fail += u64::from(mark & FAIL > 0);
            samples = rest;
        }
        Ok(())
    }

    fn judge(&mut self, options: &CompareOptions) {
        let largest =
            self.channels.iter().fold(0.0, |most: f64, channel| most.max(channel.largest));
        let pixels = self.pixels.max(1) as f64;
        let passes = |limit: &DifferenceLimit, beyond: u64| {
            beyond as f64 * 100.0 / pixels > limit.percent || largest > limit.hard
        };
        self.verdict = match () {
            () if !self.structure.is_empty() => Verdict::Different,
            () if passes(&options.fail, self.beyond_fail) => Verdict::Different,
            () if passes(&options.warn, self.beyond_warn) => Verdict::Warning,
            () => Verdict::Same,
        };
    }
}

impl LevelPair<'_> {
    /// Compares a channel; each pixel's bits of `marks`, and its greatest difference, are kept.
    fn channel(
        &self,
        planes: [&Plane<'_>; 2],
        options: &CompareOptions,
        work: &Work,
        marks: &mut [u8],
        heat: &mut [f32],
    ) -> Result<ChannelDifference> {
        let channel = &planes[0].channel;
        let [x_step, y_step] =
            [channel.x_sampling, channel.y_sampling].map(|step| i64::from(step.max(1)));
        let (columns, lines) = (
            Multiples::of(self.window.min[0], self.window.max[0], x_step),
            Multiples::of(self.window.min[1], self.window.max[1], y_step),
        );
        let sides = [0, 1].map(|side| Side {
            samples: &planes[side].samples,
            columns: Multiples::of(self.windows[side].min[0], self.windows[side].max[0], x_step),
            lines: Multiples::of(self.windows[side].min[1], self.windows[side].max[1], y_step),
        });
        let mut made = vec![ComparedLine::default(); lines.count];
        rows::each(
            work,
            &mut made,
            columns.count,
            || [Vec::new(), Vec::new()],
            |line, made, buffers: &mut [Vec<f64>; 2]| {
                *made = compare_line(&sides, &columns, lines.first + line as i64, buffers, options);
            },
        )?;
        let width = self.window.width() as usize;
        for (line, made) in made.iter().enumerate() {
            let y = ((lines.first + line as i64) * y_step - i64::from(self.window.min[1])) as usize;
            for (column, (mark, difference)) in made.pixels.iter().enumerate() {
                let x = (columns.first + column as i64) * x_step - i64::from(self.window.min[0]);
                let at = y * width + x as usize;
                marks[at] |= mark;
                if let Some(value) = heat.get_mut(at) {
                    *value = value.max(*difference);
                }
            }
        }
        let mut total = RowSums::default();
        let mut at = None;
        for (line, ComparedLine { sums: row, .. }) in made.iter().enumerate() {
            total.differing += row.differing;
            total.beyond += row.beyond;
            total.finite += row.finite;
            total.sum += row.sum;
            total.squares += row.squares;
            total.peak = total.peak.max(row.peak);
            if row.largest > total.largest {
                total.largest = row.largest;
                let [x, y] = [
                    (columns.first + row.column as i64) * x_step,
                    (lines.first + line as i64) * y_step,
                ];
                at = Some([x as i32, y as i32]);
            }
        }
        let finite = total.finite.max(1) as f64;
        let rms = (total.squares / finite).sqrt();
        Ok(ChannelDifference {
            part: self.part,
            level: self.level,
            name: channel.name.to_string(),
            samples: (columns.count * lines.count) as u64,
            differing: total.differing,
            beyond: total.beyond,
            largest: total.largest,
            at,
            mean: total.sum / finite,
            rms,
            psnr: (rms > 0.0).then(|| 20.0 * (total.peak.max(1.0) / rms).log10()),
        })
    }
}

/// The least window that holds both.
fn union([a, b]: [Box2i; 2]) -> Box2i {
    Box2i {
        min: [0, 1].map(|i| a.min[i].min(b.min[i])),
        max: [0, 1].map(|i| a.max[i].max(b.max[i])),
    }
}
