//! A gradient as stops with straight ways between them, as close as asked.

use super::LossNotes;
#[cfg(test)]
use crate::gradient::Sampler;
use crate::gradient::{ColorStop, Gradient, Mode, Ramp};
use crate::{Color, Interpolation, Segment, Space};
use std::cell::Cell;

/// Most stops that an approximation makes.
const MOST: usize = 1 << 16;
/// How often the way between two edges is halved at most.
const DEPTH: u32 = 20;
/// Parts of each way at whose ends it is compared; even.
const PARTS: u32 = 16;
/// How often such a part is halved at most where something bends inside it.
const CLOSER: u32 = 12;

/// How a format blends.
#[derive(Clone, Copy)]
pub(super) struct BlendMethod {
    pub(super) space: Space,
    /// Whether colours are blended multiplied by alpha.
    pub(super) premultiplied: bool,
    /// Whether it has colours of sRGB only, to which others are held.
    pub(super) bounded: bool,
}

/// A place and what is there: codes of sRGB and alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColorPoint {
    pub(super) position: f64,
    pub(super) rgba: [f64; 4],
}

impl ColorPoint {
    pub(super) fn color(&self) -> Color {
        let [r, g, b, a] = self.rgba;
        Color::new(Space::Srgb, [r, g, b]).with_alpha(a)
    }
}

/// Points between which `way` gives the gradient; two at one place make a hard edge.
pub(super) struct Straight {
    pub(super) points: Vec<ColorPoint>,
    /// The most that was found between points, in codes of eight bits, colours multiplied by alpha.
    pub(super) error: f64,
    /// Whether there are points that are not edges of the gradient.
    pub(super) approximated: bool,
    /// Whether there were colours that the format has not.
    pub(super) beyond: bool,
}

/// The gradient from 0 to 1, no more than `tolerance` codes of eight bits off where
/// [`MOST`] stops are enough.
pub(super) fn straight(gradient: &Gradient, way: BlendMethod, tolerance: f64) -> Straight {
    let sampler = gradient.sampler();
    let mut edges = vec![0.0];
    edges.extend(
        sampler.edges().into_iter().filter(|edge| (0.0..1.0).contains(edge) && *edge > 0.0),
    );
    edges.push(1.0);
    let beyond = Cell::new(false);
    let at = |place: f64| {
        let mut rgba = clean(sampler.at(place));
        for value in rgba.iter_mut().filter(|_| way.bounded) {
            beyond.set(beyond.get() || !is_within(*value));
            *value = value.clamp(0.0, 1.0);
        }
        rgba
    };
    let found = of_function(&at, &edges, way, tolerance);
    Straight { beyond: beyond.get(), ..found }
}

/// The same for any function of the place; `edges` begin with 0 and end with 1.
pub(super) fn of_function(
    at: &dyn Fn(f64) -> [f64; 4],
    edges: &[f64],
    way: BlendMethod,
    tolerance: f64,
) -> Straight {
    let mut work = Straightener {
        at,
        way,
        tolerance,
        result: Straight { points: Vec::new(), error: 0.0, approximated: false, beyond: false },
    };
    for pair in edges.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let left = ColorPoint { position: a, rgba: at(a) };
        let (before, after) = (at(b.next_down()), at(b));
        let jumps = distance(before, after) > 1e-6;
        let right = ColorPoint { position: b, rgba: if jumps { before } else { after } };
        let points = &mut work.result.points;
        if points.last().is_none_or(|last| *last != left) {
            points.push(left);
        }
        work.fill(left, right, DEPTH);
        work.result.points.push(right);
    }
    let last = ColorPoint { position: 1.0, rgba: at(1.0) };
    if work.result.points.last() != Some(&last) {
        work.result.points.push(last);
    }
    work.result
}

struct Straightener<'a> {
    at: &'a dyn Fn(f64) -> [f64; 4],
    way: BlendMethod,
    tolerance: f64,
    result: Straight,
}

impl Straightener<'_> {
    /// The points between two.
    fn fill(&mut self, a: ColorPoint, b: ColorPoint, depth: u32) {
        let line = BlendedLine::new(a, b, self.way);
        let both = |weight| {
            let place = a.position + (b.position - a.position) * weight;
            Both::new(weight, (self.at)(place), line.at(weight))
        };
        // At both ends the line is what it should be; a jump may lie there.
        let mut tests = vec![Both::new(0.0, a.rgba, a.rgba)];
        tests.extend((1..PARTS).map(|i| both(f64::from(i) / f64::from(PARTS))));
        tests.push(Both::new(1.0, b.rgba, b.rgba));
        let mut error = tests.iter().map(Both::apart).fold(0.0, f64::max);
        let middle = 0.5 * (a.position + b.position);
        let narrow = middle <= a.position || middle >= b.position;
        let last = depth == 0 || narrow || self.result.points.len() >= MOST;
        if error <= self.tolerance || last {
            for i in (2..tests.len()).step_by(2) {
                let three = [tests[i - 2], tests[i - 1], tests[i]];
                error = error.max(closer(&both, three, self.tolerance, CLOSER));
            }
        }
        if error <= self.tolerance || last {
            self.result.error = self.result.error.max(error);
            return;
        }
        self.result.approximated = true;
        let point = ColorPoint { position: middle, rgba: (self.at)(middle) };
        self.fill(a, point, depth - 1);
        self.result.points.push(point);
        self.fill(point, b, depth - 1);
    }
}

/// What should be at a place and what a line has there: codes of eight bits, multiplied by alpha.
#[derive(Clone, Copy)]
struct Both {
    weight: f64,
    wanted: [f64; 4],
    line: [f64; 4],
}

impl Both {
    fn new(weight: f64, wanted: [f64; 4], line: [f64; 4]) -> Both {
        let codes = |[r, g, b, a]: [f64; 4]| [r * a, g * a, b * a, a].map(|value| value * 255.0);
        Both { weight, wanted: codes(wanted), line: codes(line) }
    }

    fn difference(&self) -> [f64; 4] {
        std::array::from_fn(|i| self.wanted[i] - self.line[i])
    }

    fn apart(&self) -> f64 {
        self.difference().into_iter().map(f64::abs).fold(0.0, f64::max)
    }
}

/// The largest difference between three places, which lie evenly: where either side or the
/// difference bends, it is looked for on both halves. Codes turn so steeply where one passes 0 that
/// a difference can stand between two places at both of which there is none.
fn closer(both: &dyn Fn(f64) -> Both, three: [Both; 3], tolerance: f64, depth: u32) -> f64 {
    let [a, b, c] = three;
    let bend = |of: fn(&Both) -> [f64; 4]| {
        let [a, b, c] = [of(&a), of(&b), of(&c)];
        (0..4).map(|i| (b[i] - 0.5 * (a[i] + c[i])).abs()).fold(0.0, f64::max)
    };
    let bends = bend(|x| x.wanted).max(bend(|x| x.line)) > tolerance
        || bend(Both::difference) > 0.125 * tolerance;
    if depth == 0 || !bends {
        return 0.0;
    }
    let [left, right] = [[a, b], [b, c]].map(|[x, y]| both(0.5 * (x.weight + y.weight)));
    let found = left.apart().max(right.apart());
    let halves = [[a, left, b], [b, right, c]];
    halves.map(|half| closer(both, half, tolerance, depth - 1)).into_iter().fold(found, f64::max)
}

/// Between two points, as the format blends.
pub(super) struct BlendedLine {
    segment: Segment,
    alphas: Option<[f64; 2]>,
}

impl BlendedLine {
    pub(super) fn new(a: ColorPoint, b: ColorPoint, way: BlendMethod) -> BlendedLine {
        let mode = Interpolation::new(way.space);
        let color = |point: ColorPoint| match way.premultiplied {
            true => point.color(),
            false => point.color().with_alpha(1.0),
        };
        let alphas = (!way.premultiplied).then_some([a.rgba[3], b.rgba[3]]);
        BlendedLine { segment: Segment::new(&color(a), &color(b), mode), alphas }
    }

    pub(super) fn at(&self, weight: f64) -> [f64; 4] {
        let color = self.segment.at(weight).to(Space::Srgb);
        let [r, g, b] = color.components;
        let alpha = self.alphas.map_or(color.alpha, |[a, b]| a * (1.0 - weight) + b * weight);
        [r, g, b, alpha]
    }
}

/// How far two colours are apart, in codes of eight bits, multiplied by alpha.
pub(super) fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
    let rgb = (0..3).map(|i| (a[i] * a[3] - b[i] * b[3]).abs());
    rgb.fold((a[3] - b[3]).abs(), f64::max) * 255.0
}

/// Whether a code is one of sRGB, but for rounding.
pub(super) fn is_within(code: f64) -> bool {
    (-1e-3..=1.0 + 1e-3).contains(&code)
}

/// Largest code that is written, in units of white: conversions of absurd colours have no end.
const MOST_CODE: f64 = 1e6;

/// Codes of eight bits as they were, where rounding took them a little off; alpha within 0 to 1,
/// past which curves can go but no format; what is not a number is 0.
pub(super) fn clean(mut rgba: [f64; 4]) -> [f64; 4] {
    for value in &mut rgba {
        *value = if value.is_nan() { 0.0 } else { value.clamp(-MOST_CODE, MOST_CODE) };
    }
    rgba[3] = rgba[3].clamp(0.0, 1.0);
    rgba.map(|value| {
        let code = (value * 255.0).round();
        if (value * 255.0 - code).abs() < 1e-9 { code / 255.0 + 0.0 } else { value }
    })
}

/// The points of a gradient for a format, with a note where they are an approximation.
pub(super) fn points_of(
    gradient: &Gradient,
    way: BlendMethod,
    tolerance: f64,
    format: &str,
    notes: &mut LossNotes,
) -> Vec<ColorPoint> {
    let found = straight(gradient, way, tolerance);
    if found.approximated || found.error > 0.01 {
        notes.add(format!(
            "{format} cannot hold how this gradient is blended ({}): {} stops come within {:.3} of \
             a code of 8 bits of it",
            describe(gradient),
            found.points.len(),
            (found.error * 1000.0).ceil() / 1000.0,
        ));
    }
    if found.beyond {
        notes.add(format!("{format} has colours of sRGB only: those beyond are held within"));
    }
    found.points
}

/// What about a gradient is more than straight.
fn describe(gradient: &Gradient) -> String {
    let mut parts = vec![gradient.mode.name()];
    for ramp in gradient.colors.iter().map(|stop| stop.to_next) {
        let mut part = Vec::new();
        part.extend(ramp.mode.map(Mode::name));
        if ramp.easing.name() != "linear" {
            part.push(ramp.easing.name());
        }
        for name in part {
            if !parts.contains(&name) && parts.len() < 4 {
                parts.push(name);
            }
        }
    }
    if !gradient.alphas.is_empty() {
        parts.push("alpha apart".to_owned());
    }
    parts.join(", ")
}

/// Stops of the model at these points; alpha with the colours.
pub(super) fn stops(points: &[ColorPoint]) -> Vec<ColorStop> {
    let stop = |point: &ColorPoint| ColorStop {
        position: point.position,
        color: point.color(),
        to_next: Ramp::default(),
    };
    points.iter().map(stop).collect()
}

/// The largest difference of two gradients at `count` places and the edges of both.
#[cfg(test)]
pub(super) fn largest_difference(a: &Sampler, b: &Sampler, count: u32, bounded: bool) -> f64 {
    let held = |rgba| {
        let rgba = clean(rgba);
        if bounded { rgba.map(|x| x.clamp(0.0, 1.0)) } else { rgba }
    };
    let mut places: Vec<f64> = (0..=count).map(|i| f64::from(i) / f64::from(count)).collect();
    let edges = [a.edges(), b.edges()].concat();
    // Beside the edges, as a jump may lie an ulp away from where it was.
    places.retain(|place| edges.iter().all(|edge| (edge - place).abs() > 1e-9));
    places.iter().map(|&place| distance(held(a.at(place)), held(b.at(place)))).fold(0.0, f64::max)
}
