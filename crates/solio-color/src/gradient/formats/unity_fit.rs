//! The nearest 8 keys.

use super::{KEYS, UnityGradient, point};
use crate::gradient::Gradient;
use crate::gradient::formats::LossNotes;
use crate::gradient::formats::straight::{BlendMethod, BlendedLine, ColorPoint, distance};
use crate::{Color, Space};

/// Places at which the gradient is looked at; 1024 parts lie on steps of Unity's times nearly.
const PLACES: usize = 1025;

/// Keys that come near; a note says how near.
pub(super) fn fit(gradient: &Gradient, notes: &mut LossNotes) -> UnityGradient {
    let sampler = gradient.sampler();
    let at = |i: usize| i as f64 / (PLACES - 1) as f64;
    let points: Vec<ColorPoint> = (0..PLACES).map(|i| point(at(i), sampler.at(at(i)))).collect();
    let opaque: Vec<ColorPoint> = points
        .iter()
        .map(|p| ColorPoint { rgba: [p.rgba[0], p.rgba[1], p.rgba[2], 1.0], ..*p })
        .collect();
    let alpha: Vec<ColorPoint> = points
        .iter()
        .map(|p| ColorPoint { rgba: [p.rgba[3], p.rgba[3], p.rgba[3], 1.0], ..*p })
        .collect();
    let (srgb, colors_srgb) = chosen(&opaque, Space::Srgb);
    let (oklab, colors_oklab) = chosen(&opaque, Space::Oklab);
    let (mode, space, kept) =
        if oklab < srgb { (2, Space::Oklab, colors_oklab) } else { (0, Space::Srgb, colors_srgb) };
    let (_, kept_alphas) = chosen(&alpha, Space::Srgb);
    let largest = largest(&points, space, &kept, &kept_alphas);
    notes.add(format!(
        "Unity holds 8 keys: {} colour keys and {} alpha keys, {} at most {largest:.2} codes of 8 \
         bits off",
        kept.len(),
        kept_alphas.len(),
        if mode == 2 { "in perceptual mode," } else { "in blend mode," },
    ));
    UnityGradient {
        colors: kept.iter().map(|&i| (at(i), rgb(&opaque[i]))).collect(),
        alphas: kept_alphas.iter().map(|&i| (at(i), alpha[i].rgba[0])).collect(),
        mode,
        linear: false,
    }
}

fn rgb(point: &ColorPoint) -> [f64; 3] {
    let [r, g, b, _] = point.rgba;
    Color::new(Space::Srgb, [r, g, b]).components
}

/// The least error for which [`KEYS`] of the points are enough, and which.
fn chosen(points: &[ColorPoint], space: Space) -> (f64, Vec<usize>) {
    let way = BlendMethod { space, premultiplied: false, bounded: false };
    let (mut low, mut high) = (0.0, 1.0);
    while kept(points, way, high).is_none() && high < 1e6 {
        high *= 4.0;
    }
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if kept(points, way, middle).is_some() { high = middle } else { low = middle }
    }
    // Numbers past all bounds: ends only.
    let found = kept(points, way, high).unwrap_or_else(|| vec![0, points.len() - 1]);
    (high, found)
}

/// Points from each of which the next is as far as the error lets it be; `None` past [`KEYS`].
fn kept(points: &[ColorPoint], way: BlendMethod, error: f64) -> Option<Vec<usize>> {
    let mut kept = vec![0];
    let mut start = 0;
    while start + 1 < points.len() {
        if kept.len() == KEYS {
            return None;
        }
        // Twice as far until it fails, then halves.
        let reaches = |end: usize| within(points, start, end, way, error);
        let (mut good, mut step) = (start + 1, 1);
        while good + step < points.len() && reaches(good + step) {
            good += step;
            step *= 2;
        }
        while step > 0 {
            if good + step < points.len() && reaches(good + step) {
                good += step;
            }
            step /= 2;
        }
        kept.push(good);
        start = good;
    }
    Some(kept)
}

fn within(points: &[ColorPoint], start: usize, end: usize, way: BlendMethod, error: f64) -> bool {
    let line = BlendedLine::new(points[start], points[end], way);
    let length = (end - start) as f64;
    (start + 1..end)
        .all(|i| distance(points[i].rgba, line.at((i - start) as f64 / length)) <= error)
}

/// The largest difference of the kept keys and all points.
fn largest(points: &[ColorPoint], space: Space, colors: &[usize], alphas: &[usize]) -> f64 {
    let way = BlendMethod { space, premultiplied: false, bounded: false };
    let around = |kept: &[usize], i: usize| {
        let next = kept.partition_point(|&k| k <= i).clamp(1, kept.len() - 1);
        let (a, b) = (kept[next - 1], kept[next]);
        (a, b, (i as f64 - a as f64) / (b - a) as f64)
    };
    let at = |i: usize| {
        let (a, b, weight) = around(colors, i);
        let [red, green, blue, _] = BlendedLine::new(points[a], points[b], way).at(weight);
        let (a, b, weight) = around(alphas, i);
        let alpha = points[a].rgba[3] * (1.0 - weight) + points[b].rgba[3] * weight;
        distance(points[i].rgba, [red, green, blue, alpha])
    };
    (0..points.len()).map(at).fold(0.0, f64::max)
}
