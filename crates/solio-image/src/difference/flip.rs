//! FLIP: how visible the differences of two pictures are to somebody who flips between them.
//!
//! After Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild, "FLIP: A Difference Evaluator
//! for Alternating Images", Proceedings of the ACM on Computer Graphics and Interactive Techniques 3 (2),
//! 2020: what it calls LDR-FLIP, with its constants. Section numbers are those of the paper.

use super::HeatMap;
use crate::choose::{Choice, chosen_part};
use crate::rows;
use crate::view::{Buffers, Frame, View};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::wide::{Wide, wide};
use solio_exr::header::Box2i;
use solio_exr::model::Image;
use std::f64::consts::PI;

/// Contrast sensitivity: height and width of up to two Gaussians, for what is light, red or green, and blue
/// or yellow (4.1.1, after Johnson and Fairchild).
const SENSITIVITY: [[[f64; 2]; 2]; 3] =
    [[[1.0, 0.0047], [0.0, 1e-5]], [[1.0, 0.0053], [0.0, 1e-5]], [[34.1, 0.04], [13.5, 0.025]]];
/// The exponent of differences of colour, and how they are spread (4.1.3).
const COLOR_EXPONENT: f32 = 0.7;
const COLOR_KNEE: f32 = 0.4;
const COLOR_SHARE: f32 = 0.95;
/// The width of what is seen as a feature, in degrees, and the exponent of their differences (4.2).
const FEATURE_WIDTH: f64 = 0.082;
const FEATURE_EXPONENT: f32 = 0.5;

/// Linear light with the primaries of sRGB to XYZ, after IEC 61966-2-1, exactly.
const TO_XYZ: [[f64; 3]; 3] = [
    [10_135_552.0 / 24_577_794.0, 8_788_810.0 / 24_577_794.0, 4_435_075.0 / 24_577_794.0],
    [2_613_072.0 / 12_288_897.0, 8_788_810.0 / 12_288_897.0, 887_015.0 / 12_288_897.0],
    [1_425_312.0 / 73_733_382.0, 8_788_810.0 / 73_733_382.0, 70_074_185.0 / 73_733_382.0],
];

/// What FLIP says of two pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The mean over all pixels, from 0, where nothing is to be seen, to 1.
    pub mean: f64,
    /// The greatest value.
    pub largest: f32,
    /// The pixels on a degree of the field of view that were taken.
    pub pixels_per_degree: f64,
    /// The value of each pixel.
    pub map: HeatMap,
}

/// Pixels on a degree: a screen of 3840 pixels and 0.7 m, seen from 0.7 m, as the paper has it.
pub const FLIP_PIXELS_PER_DEGREE: f64 = 0.7 * 3840.0 / 0.7 * PI / 180.0;

/// How visible the differences of two pictures are: FLIP for pictures of low dynamic range. What is seen are
/// the finished colours in the display window, light from 0 to 1 as sRGB shows it, over black.
///
/// ```
/// use solio_base::Work;
/// use solio_image::{FLIP_PIXELS_PER_DEGREE, flip, gradient_image};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let image = gradient_image(&map, [32, 16])?;
/// let found = flip([&image, &image], FLIP_PIXELS_PER_DEGREE, &Default::default(), &Work::serial())?;
/// assert_eq!(found.mean, 0.0);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument` for pictures of different sizes, images without colours, and no pixels on a degree; `Limit`,
/// and `Cancelled`.
pub fn flip(
    images: [&Image<'_>; 2],
    pixels_per_degree: f64,
    limits: &Limits,
    work: &Work,
) -> Result<Flip> {
    // More on a degree than any screen has makes filters beyond measure.
    if !(0.1..=1000.0).contains(&pixels_per_degree) {
        let message = format!("{pixels_per_degree} pixels on a degree; there are 0.1 to 1000");
        return Err(Error::argument(message));
    }
    let views = [view(images[0], limits)?, view(images[1], limits)?];
    let sizes = [0, 1].map(|i| [views[i].width(), views[i].height()]);
    if sizes[0] != sizes[1] {
        let [[a, b], [c, d]] = sizes;
        return Err(Error::argument(format!(
            "FLIP is of pictures of one size, not {a} × {b} and {c} × {d}"
        )));
    }
    let [width, height] = sizes[0];
    let pixels = width * height;
    // Three planes of both, as many filtered, and some on the way.
    limits.check_bytes("FLIP", (pixels as u64).saturating_mul(4 * 20))?;
    let planes = [opponent(&views[0], work)?, opponent(&views[1], work)?];
    let filters = Filters::new(pixels_per_degree);
    let colors = [filters.seen(&planes[0], width, work)?, filters.seen(&planes[1], width, work)?];
    let features = [
        filters.features(&planes[0][0], width, work)?,
        filters.features(&planes[1][0], width, work)?,
    ];
    let constants = Spread::new();
    let mut values = vec![0f32; pixels];
    let fill = |y: usize, row: &mut [f32], (): &mut ()| {
        for (x, value) in row.iter_mut().enumerate() {
            let at = y * width + x;
            let [a, b] = [0, 1].map(|i| [0, 1, 2].map(|c| colors[i][c][at]));
            let color = constants.of(hyab(a, b));
            let feature = (0..2)
                .map(|kind| (features[0][kind][at] - features[1][kind][at]).abs())
                .fold(0f32, f32::max);
            let feature = (std::f32::consts::FRAC_1_SQRT_2 * feature).powf(FEATURE_EXPONENT);
            *value = color.powf(1.0 - feature.clamp(0.0, 1.0));
        }
    };
    rows::fill(work, &mut values, width, || (), fill)?;
    let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
    let largest = values.iter().copied().fold(0f32, f32::max);
    let window = Box2i::of_size(width as u32, height as u32);
    let mean = sum / pixels.max(1) as f64;
    Ok(Flip { mean, largest, pixels_per_degree, map: HeatMap { window, values } })
}

fn view<'a>(image: &'a Image<'_>, limits: &Limits) -> Result<View<'a>> {
    let (part, chosen) = chosen_part(image, &Choice::default())?;
    View::new(part, &chosen, Frame::Display, false, 0.0, limits)
}

/// Lightness, red to green, and blue to yellow of each pixel: YCxCz.
fn opponent(view: &View<'_>, work: &Work) -> Result<[Vec<f32>; 3]> {
    let (width, height) = (view.width(), view.height());
    let mut all = vec![0f32; 3 * width * height];
    let scratch = || (vec![0f32; 4 * width], Buffers::default());
    let fill = |y: usize, out: &mut [f32], scratch: &mut (Vec<f32>, Buffers)| {
        let (row, buffers) = scratch;
        view.row(y, row, buffers);
        for (x, pixel) in row.as_chunks::<4>().0.iter().enumerate() {
            // What is no number is black.
            let light =
                [pixel[0], pixel[1], pixel[2]].map(|c| if c > 0.0 { c.min(1.0) } else { 0.0 });
            let found = opponent_of(light);
            (0..3).for_each(|c| out[c * width + x] = found[c]);
        }
    };
    rows::fill(work, &mut all, 3 * width, scratch, fill)?;
    let plane = |c: usize| {
        let rows = all.chunks_exact((3 * width).max(1));
        rows.flat_map(|row| &row[c * width..][..width]).copied().collect()
    };
    Ok([plane(0), plane(1), plane(2)])
}

/// X, Y and Z, each a share of that of white.
fn xyz([r, g, b]: [f32; 3]) -> [f32; 3] {
    TO_XYZ.map(|row| {
        let white: f64 = row.iter().sum();
        let sum = row[0] * f64::from(r) + row[1] * f64::from(g) + row[2] * f64::from(b);
        (sum / white) as f32
    })
}

fn opponent_of(light: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = xyz(light);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The colours that are seen, from YCxCz: CIELAB, in which pale colours differ less (Hunt).
fn hunt_lab(opponent: [f32; 3], back: &[[f32; 3]; 3]) -> [f32; 3] {
    let y = (opponent[0] + 16.0) / 116.0;
    let shares = [opponent[1] / 500.0 + y, y, y - opponent[2] / 200.0];
    let light = back.map(|row| row[0] * shares[0] + row[1] * shares[1] + row[2] * shares[2]);
    lab(light.map(|c| c.clamp(0.0, 1.0)))
}

fn lab(light: [f32; 3]) -> [f32; 3] {
    const EDGE: f32 = 6.0 / 29.0;
    let bent = |t: f32| {
        if t > EDGE * EDGE * EDGE { t.cbrt() } else { t / (3.0 * EDGE * EDGE) + 4.0 / 29.0 }
    };
    let [x, y, z] = xyz(light).map(bent);
    let lightness = 116.0 * y - 16.0;
    [lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z)]
}

/// The distance that is right for large differences, too (Abasi, Tehran and Fairchild).
fn hyab(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).hypot(a[2] - b[2])
}

/// From shares of white in XYZ back to linear light.
fn back_to_light() -> [[f32; 3]; 3] {
    let m = TO_XYZ.map(|row| {
        let white: f64 = row.iter().sum();
        row.map(|value| value / white)
    });
    let minor = |i: usize, j: usize| {
        let [a, b] = [(i + 1) % 3, (i + 2) % 3];
        let [c, d] = [(j + 1) % 3, (j + 2) % 3];
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * minor(0, j)).sum();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (minor(j, i) / determinant) as f32))
}

/// How differences of colour become numbers from 0 to 1 (4.1.3).
struct Spread {
    most: f32,
}

impl Spread {
    fn new() -> Spread {
        let [green, blue] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(lab);
        Spread { most: hyab(green, blue).powf(COLOR_EXPONENT) }
    }

    fn of(&self, distance: f32) -> f32 {
        let found = distance.powf(COLOR_EXPONENT);
        let knee = COLOR_KNEE * self.most;
        if found < knee {
            COLOR_SHARE / knee * found
        } else {
            COLOR_SHARE + (found - knee) / (self.most - knee) * (1.0 - COLOR_SHARE)
        }
    }
}

/// Filters that are made of rows and columns.
struct Filters {
    /// Sums of up to two Gaussians for each plane: a share, and the weights.
    sensitivity: [Vec<(f32, Vec<f32>)>; 3],
    gauss: Vec<f32>,
    /// First and second derivative.
    edge: Vec<f32>,
    point: Vec<f32>,
    back: [[f32; 3]; 3],
}

impl Filters {
    fn new(pixels_per_degree: f64) -> Filters {
        let widest =
            SENSITIVITY.as_flattened().iter().fold(0f64, |most, [_, width]| most.max(*width));
        let radius = (3.0 * (widest / (2.0 * PI * PI)).sqrt() * pixels_per_degree).ceil() as i32;
        let sensitivity = SENSITIVITY.map(|gaussians| {
            let made =
                gaussians.into_iter().filter(|[height, _]| *height > 0.0).map(|[height, b]| {
                    let weight = |x: i32| {
                        let x = f64::from(x) / pixels_per_degree;
                        (-PI * PI * x * x / b).exp()
                    };
                    let weights: Vec<f64> = (-radius..=radius).map(weight).collect();
                    let sum: f64 = weights.iter().sum();
                    let weights = weights.iter().map(|weight| (weight / sum) as f32).collect();
                    // What it adds to the whole filter, over both axes.
                    (height * (PI / b).sqrt() * sum * sum, weights)
                });
            let made: Vec<(f64, Vec<f32>)> = made.collect();
            let total: f64 = made.iter().map(|(share, _)| share).sum();
            made.into_iter().map(|(share, weights)| ((share / total) as f32, weights)).collect()
        });
        let deviation = 0.5 * FEATURE_WIDTH * pixels_per_degree;
        let radius = (3.0 * deviation).ceil() as i32;
        let places = || (-radius..=radius).map(f64::from);
        let bell = |x: f64| (-x * x / (2.0 * deviation * deviation)).exp();
        let gauss: Vec<f64> = places().map(bell).collect();
        let sum: f64 = gauss.iter().sum();
        // What is above 0 comes to 1, what is below to -1.
        let balanced = |weights: Vec<f64>| -> Vec<f32> {
            let above: f64 = weights.iter().filter(|weight| **weight > 0.0).sum();
            let below: f64 = -weights.iter().filter(|weight| **weight < 0.0).sum::<f64>();
            let one = |weight: &f64| *weight / if *weight < 0.0 { below } else { above };
            weights
                .iter()
                .map(|weight| if *weight == 0.0 { 0.0 } else { one(weight) as f32 })
                .collect()
        };
        let edge = balanced(places().map(|x| -x * bell(x)).collect());
        let second = |x: f64| (x * x / (deviation * deviation) - 1.0) * bell(x);
        let point = balanced(places().map(second).collect());
        let gauss = gauss.iter().map(|weight| (weight / sum) as f32).collect();
        Filters { sensitivity, gauss, edge, point, back: back_to_light() }
    }

    /// The colours that an eye makes out: CIELAB after Hunt of what the filters leave.
    fn seen(&self, planes: &[Vec<f32>; 3], width: usize, work: &Work) -> Result<[Vec<f32>; 3]> {
        let filtered = |plane: usize| -> Result<Vec<f32>> {
            let mut sum = vec![0f32; planes[plane].len()];
            for (share, weights) in &self.sensitivity[plane] {
                let part = convolved(&planes[plane], width, weights, weights, work)?;
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += share * part);
            }
            Ok(sum)
        };
        let [mut first, mut second, mut third] = [filtered(0)?, filtered(1)?, filtered(2)?];
        for ((a, b), c) in first.iter_mut().zip(&mut second).zip(&mut third) {
            [*a, *b, *c] = hunt_lab([*a, *b, *c], &self.back);
        }
        Ok([first, second, third])
    }

    /// How strong edges and points are in each pixel.
    fn features(&self, lightness: &[f32], width: usize, work: &Work) -> Result<[Vec<f32>; 2]> {
        let plane: Vec<f32> = lightness.iter().map(|value| (value + 16.0) / 116.0).collect();
        let strength = |weights: &[f32]| -> Result<Vec<f32>> {
            let across = convolved(&plane, width, weights, &self.gauss, work)?;
            let down = convolved(&plane, width, &self.gauss, weights, work)?;
            Ok(across.iter().zip(down).map(|(x, y)| x.hypot(y)).collect())
        };
        Ok([strength(&self.edge)?, strength(&self.point)?])
    }
}

/// A plane filtered by rows and by columns; beyond its edges the outermost pixels go on. The weights are
/// those of a correlation, whose middle is the pixel itself.
fn convolved(
    plane: &[f32],
    width: usize,
    across: &[f32],
    down: &[f32],
    work: &Work,
) -> Result<Vec<f32>> {
    let height = plane.len() / width.max(1);
    let mut half = vec![0f32; plane.len()];
    let radius = across.len() / 2;
    let fill = |y: usize, to: &mut [f32], padded: &mut Vec<f32>| {
        let row = &plane[y * width..][..width];
        padded.clear();
        padded.extend(std::iter::repeat_n(row[0], radius));
        padded.extend_from_slice(row);
        padded.extend(std::iter::repeat_n(row[width - 1], radius));
        let rows: Vec<&[f32]> = (0..across.len()).map(|i| &padded[i..][..width]).collect();
        wide(Weighted { rows: &rows, weights: across, to });
    };
    rows::fill(work, &mut half, width, Vec::new, fill)?;
    let mut whole = vec![0f32; plane.len()];
    let radius = down.len() / 2;
    let fill = |y: usize, to: &mut [f32], (): &mut ()| {
        let line = |i: usize| (y + i).saturating_sub(radius).min(height - 1);
        let rows: Vec<&[f32]> =
            (0..down.len()).map(|i| &half[line(i) * width..][..width]).collect();
        wide(Weighted { rows: &rows, weights: down, to });
    };
    rows::fill(work, &mut whole, width, || (), fill)?;
    Ok(whole)
}

/// A sum of rows.
struct Weighted<'a> {
    rows: &'a [&'a [f32]],
    weights: &'a [f32],
    to: &'a mut [f32],
}

impl Wide for Weighted<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.to.fill(0.0);
        for (row, weight) in self.rows.iter().zip(self.weights) {
            for (to, value) in self.to.iter_mut().zip(*row) {
                *to += weight * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::header::Part;
    use solio_exr::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
    use solio_exr::{Channel, Compression, PixelType};

    fn picture(size: [u32; 2], color: impl Fn(u32, u32) -> [f32; 3]) -> Image<'static> {
        let window = Box2i::of_size(size[0], size[1]);
        let places = || (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        let planes = [("B", 2), ("G", 1), ("R", 0)].map(|(name, c)| {
            let values: Vec<f32> = places().map(|(x, y)| color(x, y)[c]).collect();
            let channel = Channel::new(name, PixelType::Float);
            Plane { channel, samples: Samples::Float(values.into()) }
        });
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        let header = Part::new(window, Compression::Zip, channels);
        let level = FlatLevel { x: 0, y: 0, window, planes: planes.into() };
        let parts = vec![ImagePart { header, pixels: Pixels::Flat(vec![level]) }];
        Image { parts, missing: Vec::new() }
    }

    fn of(a: &Image<'_>, b: &Image<'_>) -> Flip {
        flip([a, b], FLIP_PIXELS_PER_DEGREE, &Limits::default(), &Work::serial()).unwrap()
    }

    #[test]
    fn plain_colours_are_as_far_as_the_paper_says() {
        let plain = |color: [f32; 3]| picture([20, 10], move |_, _| color);
        let [black, white] = [plain([0.0; 3]), plain([1.0; 3])];
        let [green, blue] = [plain([0.0, 1.0, 0.0]), plain([0.0, 0.0, 1.0])];
        assert_eq!(of(&white, &white).mean, 0.0);
        // Green and blue are farthest from each other.
        assert!((of(&green, &blue).mean - 1.0).abs() < 1e-4);
        let far = of(&black, &white);
        assert!(far.mean > 0.9 && far.mean < 1.0 && far.largest - (far.mean as f32) < 1e-5);
        assert!((of(&white, &black).mean - far.mean).abs() < 1e-6);
    }

    #[test]
    fn odd_pictures_are_compared_or_refused() {
        let odd = picture([1, 1], |_, _| [f32::NAN, f32::INFINITY, -1.0]);
        let plain = picture([1, 1], |_, _| [0.0, 1.0, 0.0]);
        assert_eq!(of(&odd, &plain).mean, 0.0);
        let wide = picture([2, 1], |_, _| [0.0; 3]);
        let limits = Limits::default();
        assert!(flip([&odd, &wide], 67.0, &limits, &Work::serial()).is_err());
        assert!(flip([&odd, &odd], 0.0, &limits, &Work::serial()).is_err());
        assert!(flip([&odd, &odd], f64::NAN, &limits, &Work::serial()).is_err());
        let threads = Work { threads: 3, ..Work::serial() };
        let one = picture([40, 30], |x, y| [x as f32 / 40.0, y as f32 / 30.0, 0.5]);
        let other = picture([40, 30], |x, y| [x as f32 / 41.0, y as f32 / 30.0, 0.4]);
        let found = flip([&one, &other], 67.0, &limits, &threads).unwrap();
        assert_eq!(found, flip([&one, &other], 67.0, &limits, &Work::serial()).unwrap());
    }

    #[test]
    fn a_line_is_seen_where_it_is() {
        let grey = picture([41, 41], |_, _| [0.5; 3]);
        let line = picture([41, 41], |x, _| if x == 20 { [0.6; 3] } else { [0.5; 3] });
        let found = of(&grey, &line).map.values;
        assert!(found[20 * 41 + 20] > found[20 * 41 + 16] && found[20 * 41 + 1] < 1e-3);
    }
}
