//! GIMP's gradients: a text of segments, each with three places, two colours, how it is blended
//! and which colours it takes (GIMP, `app/core/gimpgradient-load.c` and `gimpgradient.c`).

use super::segments::{self, GradientSegment};
use super::straight::{self, BlendMethod, ColorPoint, clean};
use super::text::{error_at, number, place, shortest};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS};
use crate::gradient::{AlphaStop, ColorStop, Easing, Gradient, Mode, Ramp};
use crate::{Color, HueMethod, Interpolation, Space};
use solio_base::Result;
use solio_kinds::FileKind;
use std::fmt::Write as _;

const BLENDINGS: [Easing; 6] = [
    Easing::Linear,
    Easing::Power,
    Easing::Sine,
    Easing::SphereIncreasing,
    Easing::SphereDecreasing,
    Easing::Step,
];
/// A hue that is not quite the other, so that the way between them is a whole turn.
const NEARLY: f64 = 1e-7;

pub(super) fn read(all: &str) -> Result<Gradient> {
    let mut lines = all.lines();
    let first = lines.next().unwrap_or_default();
    if first.trim_end().as_bytes() != FileKind::Ggr.mark() {
        return Err(error_at(all, 0, "expected \"GIMP Gradient\""));
    }
    let mut line = lines.next().unwrap_or_default();
    let mut name = String::new();
    if let Some(rest) = line.strip_prefix("Name:") {
        name = rest.trim().to_owned();
        line = lines.next().unwrap_or_default();
    }
    let count = line.trim().parse::<usize>().ok().filter(|count| (1..=MAX_STOPS).contains(count));
    let count =
        count.ok_or_else(|| error_at(all, place(all, line), "expected the number of segments"))?;
    let mut parts = Vec::new();
    for index in 0..count {
        let line = lines.next().ok_or_else(|| {
            error_at(all, all.len(), format!("expected {count} segments; the text has {index}"))
        })?;
        parts.push(segment(line).map_err(|message| error_at(all, place(all, line), message))?);
    }
    let (colors, alphas) = segments::stops(&parts);
    let mode = Mode::in_space(Space::Srgb);
    Ok(Gradient { name, colors, alphas, mode, ..Gradient::default() })
}

fn segment(line: &str) -> Result<GradientSegment, String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    if words.len() < 13 {
        return Err(format!("expected 13 numbers in a segment, not {}", words.len()));
    }
    let mut values = [0.0; 11];
    for (value, word) in values.iter_mut().zip(&words) {
        *value = number(word).ok_or_else(|| format!("\"{word}\" is no number"))?;
    }
    let kind = |index: usize, most: usize, what: &str| {
        let found = words.get(index).map_or(Some(0), |word| word.parse::<usize>().ok());
        found
            .filter(|found| *found <= most)
            .ok_or_else(|| format!("{what} is 0 to {most}, not \"{}\"", words[index]))
    };
    let easing = BLENDINGS[kind(11, 5, "the blending function")?];
    let coloring = kind(12, 2, "the colouring")?;
    let [left, middle, right] = [values[0], values[1], values[2]];
    if !(left <= middle && middle <= right) {
        return Err("the left, middle and right places of a segment grow".to_owned());
    }
    let rgba = |from: usize, kind: usize| {
        let [r, g, b, a] = std::array::from_fn(|i| values[from + i]);
        // Foreground and background of the tool, here black and white, opaque and clear.
        match kind {
            0 => Color::new(Space::Srgb, [r, g, b]).with_alpha(a),
            _ => {
                let value = if kind < 3 { 0.0 } else { 1.0 };
                let alpha = if kind % 2 == 1 { 1.0 } else { 0.0 };
                Color::new(Space::Srgb, [value; 3]).with_alpha(alpha)
            }
        }
    };
    let mut colors = [
        rgba(3, kind(13, 4, "the sort of the left colour")?),
        rgba(7, kind(14, 4, "the sort of the right colour")?),
    ];
    let width = right - left;
    let midpoint = if width > 0.0 { (middle - left) / width } else { 0.5 };
    let mode = turn(coloring, &mut colors);
    Ok(GradientSegment { places: [left, right], colors, ramp: Ramp { midpoint, easing, mode } })
}

/// How a segment is coloured. With hues the colours get one even where they are grey, red as in
/// GIMP; where both have the same, GIMP goes round the whole circle.
fn turn(coloring: usize, colors: &mut [Color; 2]) -> Option<Mode> {
    let (hue, sign) = match coloring {
        0 => return None,
        1 => (HueMethod::Increasing, -1.0),
        _ => (HueMethod::Decreasing, 1.0),
    };
    for color in colors.iter_mut() {
        let hsv = color.to(Space::Hsv).components;
        *color = Color::new(Space::Hsv, hsv).with_alpha(color.alpha);
    }
    if colors[0].components[0] == colors[1].components[0] {
        colors[1].components[0] += sign * NEARLY;
    }
    Some(Mode::Blend(Interpolation { space: Space::Hsv, hue }))
}

pub(super) fn write(
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> String {
    notes.of_model(gradient, "GIMP", Holds { name: true, ..Holds::default() });
    let parts = match exact(gradient) {
        Some(parts) => parts,
        None => approximated(gradient, options, notes),
    };
    if let Some(last) = parts.last() {
        let [r, g, b] = last.colors[1].to(Space::Srgb).components;
        let rgba = clean([r, g, b, last.colors[1].alpha]);
        notes.of_end("GIMP", rgba, gradient.sample(1.0));
    }
    let name: String =
        gradient.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mark = String::from_utf8_lossy(FileKind::Ggr.mark());
    let mut out = format!("{mark}\nName: {}\n{}\n", name.trim(), parts.len());
    for part in parts {
        let [left, right] = part.places;
        let middle = (left + (right - left) * part.ramp.midpoint).clamp(left, right);
        let mut numbers = vec![left, middle, right];
        for color in part.colors {
            let [r, g, b] = color.to(Space::Srgb).components;
            numbers.extend(clean([r, g, b, color.alpha]));
        }
        let words: Vec<String> = numbers.into_iter().map(shortest).collect();
        let blending = BLENDINGS.iter().position(|e| *e == part.ramp.easing).unwrap_or(0);
        let coloring = match part.ramp.mode {
            Some(Mode::Blend(Interpolation { hue: HueMethod::Increasing, .. })) => 1,
            Some(Mode::Blend(Interpolation { hue: HueMethod::Decreasing, .. })) => 2,
            _ => 0,
        };
        let _ = writeln!(out, "{} {blending} {coloring} 0 0", words.join(" "));
    }
    out
}

/// The segments that are this gradient, where GIMP has such.
fn exact(gradient: &Gradient) -> Option<Vec<GradientSegment>> {
    let first = gradient.colors.first()?;
    let sorted = gradient.colors.is_sorted_by(|a, b| a.position <= b.position);
    if !sorted || first.position != 0.0 || gradient.colors.last()?.position != 1.0 {
        return None;
    }
    let alphas = alphas(gradient)?;
    let mut parts = Vec::new();
    for (i, pair) in gradient.colors.windows(2).enumerate() {
        let [a, b] = [&pair[0], &pair[1]];
        if a.position == b.position {
            continue;
        }
        let (mode, ramp) = (a.to_next.mode.unwrap_or(gradient.mode), a.to_next);
        let mut colors = [color(gradient, a, alphas[i].0), color(gradient, b, alphas[i].1)];
        let ramp = match mode {
            // One colour from end to end.
            Mode::Hold => {
                colors[1] = colors[0];
                Ramp::default()
            }
            Mode::Fixed => {
                colors[0] = colors[1];
                Ramp::default()
            }
            Mode::Blend(way) => {
                let coloring = match (way.space, way.hue) {
                    (Space::Srgb, _) => None,
                    (Space::Hsv, HueMethod::Increasing | HueMethod::Decreasing) => Some(mode),
                    _ => return None,
                };
                if coloring.is_some() && !turns_so(colors) {
                    return None;
                }
                Ramp { mode: coloring, ..ramp }
            }
            Mode::Smooth => return None,
        };
        let known = BLENDINGS.contains(&ramp.easing) && (0.0..=1.0).contains(&ramp.midpoint);
        if !known || colors.iter().any(|color| !color.missing.is_empty()) {
            return None;
        }
        parts.push(GradientSegment { places: [a.position, b.position], colors, ramp });
    }
    Some(parts)
}

/// The colour of a stop, in HSV where it is that already.
fn color(gradient: &Gradient, stop: &ColorStop, alpha: f64) -> Color {
    let color = gradient.keys.read(&stop.color);
    let color = if color.space == Space::Hsv { color } else { color.to(Space::Srgb) };
    color.with_alpha(alpha)
}

/// Whether GIMP, which has no missing hues and goes round the circle between equal ones, takes the
/// same way. What is grey comes back from the file as red.
fn turns_so(colors: [Color; 2]) -> bool {
    let [a, b] = colors.map(|color| color.to(Space::Hsv));
    let kept = |color: &Color| {
        let [hue, saturation, value] = color.components;
        color.missing.is_empty() && (hue == 0.0 || (saturation != 0.0 && value != 0.0))
    };
    kept(&a) && kept(&b) && a.components[0] != b.components[0]
}

/// Alphas at both ends of each part, where they are blended as the colours are.
fn alphas(gradient: &Gradient) -> Option<Vec<(f64, f64)>> {
    let colors = &gradient.colors;
    if gradient.alphas.is_empty() {
        let alpha = colors.first()?.color.alpha;
        let same = colors.iter().all(|stop| stop.color.alpha == alpha);
        return same.then(|| vec![(alpha, alpha); colors.len()]);
    }
    let first = gradient.alphas.first()?.alpha;
    if gradient.alphas.iter().all(|stop| stop.alpha == first) {
        return Some(vec![(first, first); colors.len()]);
    }
    let parts = |places: Vec<f64>| -> Vec<usize> {
        (0..places.len().saturating_sub(1)).filter(|&i| places[i] < places[i + 1]).collect()
    };
    let own = parts(colors.iter().map(|stop| stop.position).collect());
    let theirs = parts(gradient.alphas.iter().map(|stop| stop.position).collect());
    if own.len() != theirs.len() {
        return None;
    }
    let mut found = vec![(1.0, 1.0); colors.len()];
    for (i, j) in own.into_iter().zip(theirs) {
        let [a, b] = [gradient.alphas[j], gradient.alphas[j + 1]];
        if a.position != colors[i].position || b.position != colors[i + 1].position {
            return None;
        }
        found[i] = ends(gradient, &colors[i], a, b)?;
    }
    Some(found)
}

/// The alphas of a part, if they go as its colours do.
fn ends(gradient: &Gradient, stop: &ColorStop, a: AlphaStop, b: AlphaStop) -> Option<(f64, f64)> {
    match (stop.to_next.mode.unwrap_or(gradient.mode), a.to_next.mode) {
        (Mode::Hold, Some(Mode::Hold)) => Some((a.alpha, a.alpha)),
        (Mode::Fixed, Some(Mode::Fixed)) => Some((b.alpha, b.alpha)),
        (_, Some(Mode::Hold | Mode::Fixed)) | (Mode::Hold | Mode::Fixed, _) => {
            (a.alpha == b.alpha).then_some((a.alpha, b.alpha))
        }
        _ => {
            let same = a.to_next.easing == stop.to_next.easing
                && a.to_next.midpoint == stop.to_next.midpoint;
            (same || a.alpha == b.alpha).then_some((a.alpha, b.alpha))
        }
    }
}

fn approximated(
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> Vec<GradientSegment> {
    let way = BlendMethod { space: Space::Srgb, premultiplied: false, bounded: false };
    let points = straight::points_of(gradient, way, options.tolerance, "GIMP", notes);
    let part = |pair: &[ColorPoint]| GradientSegment {
        places: [pair[0].position, pair[1].position],
        colors: [pair[0].color(), pair[1].color()],
        ramp: Ramp::default(),
    };
    points.windows(2).filter(|pair| pair[0].position < pair[1].position).map(part).collect()
}
