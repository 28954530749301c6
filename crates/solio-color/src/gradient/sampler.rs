//! The colour of a gradient at a place.

use super::{AlphaStop, ColorStop, Gradient, Mode, Ramp, spline};
use crate::{Color, Segment, Space, convert};

const CLEAR: Components = Components { space: Space::Srgb, components: [0.0; 3], alpha: 0.0 };

/// A gradient made ready to be asked for many places.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Positions of the stops, sorted.
    places: Vec<f64>,
    /// Before the first stop, between each and the next, after the last: one more than places.
    parts: Vec<SampledPart>,
    alphas: Vec<AlphaStop>,
    below: Option<Components>,
    above: Option<Components>,
    nan: Components,
}

#[derive(Clone, Copy, Debug)]
enum SampledPart {
    One(Components),
    Line(Ramp, Segment),
    /// The length; Oklab and alpha, multiplied by alpha, at both ends; their slopes.
    Cubic(Ramp, f64, [[f64; 4]; 2], [[f64; 4]; 2]),
}

/// A colour where it was blended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Components {
    pub(super) space: Space,
    pub(super) components: [f64; 3],
    pub(super) alpha: f64,
}

impl Components {
    /// What is missing counts as 0.
    fn of(color: &Color) -> Components {
        let Color { space, components, alpha, .. } = color.with_missing(color.missing);
        Components { space, components, alpha }
    }

    fn codes(&self) -> [f64; 4] {
        let [r, g, b] = convert(self.components, self.space, Space::Srgb);
        [r, g, b, self.alpha]
    }
}

impl Sampler {
    pub(super) fn new(gradient: &Gradient) -> Sampler {
        let apart = !gradient.alphas.is_empty();
        let mut stops: Vec<ColorStop> =
            gradient.colors.iter().copied().filter(|stop| stop.position.is_finite()).collect();
        stops.sort_by(|a, b| a.position.total_cmp(&b.position));
        for stop in &mut stops {
            stop.color = gradient.keys.read(&stop.color);
            if apart {
                stop.color = stop.color.with_alpha(1.0);
            }
        }
        let mut alphas: Vec<AlphaStop> =
            gradient.alphas.iter().copied().filter(|stop| stop.position.is_finite()).collect();
        alphas.sort_by(|a, b| a.position.total_cmp(&b.position));
        let outside = |color: Option<Color>| color.map(|c| Components::of(&gradient.keys.read(&c)));
        Sampler {
            parts: parts(&stops, gradient.mode),
            places: stops.iter().map(|stop| stop.position).collect(),
            alphas,
            below: outside(gradient.outside.below),
            above: outside(gradient.outside.above),
            nan: outside(gradient.outside.nan).unwrap_or(CLEAR),
        }
    }

    /// The colour at `at`: codes of sRGB, not bounded to 0 to 1, and alpha, not premultiplied.
    ///
    /// Below 0 and above 1 it is what the gradient says of outside, else that of the end; at a hard
    /// edge the later stop's. A gradient without stops is clear black.
    pub fn at(&self, at: f64) -> [f64; 4] {
        self.components(at).codes()
    }

    /// [`Sampler::at`] in eight bits, each component held within 0 to 1.
    pub fn codes_at(&self, at: f64) -> [u8; 4] {
        // From a float to an integer Rust cuts off, and takes what is not a number for 0.
        self.at(at).map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
    }

    pub(super) fn components(&self, at: f64) -> Components {
        if at.is_nan() {
            return self.nan;
        }
        match (self.below, self.above) {
            (Some(below), _) if at < 0.0 => return below,
            (_, Some(above)) if at > 1.0 => return above,
            _ => {}
        }
        let at = at.clamp(0.0, 1.0);
        let index = self.places.partition_point(|&place| place <= at);
        let mut color = match self.parts[index] {
            SampledPart::One(color) => color,
            SampledPart::Line(ramp, ref line) => {
                Components::of(&line.at(self.weight(ramp, index, at)))
            }
            SampledPart::Cubic(ramp, length, ref ends, ref slopes) => {
                cubic(ends, slopes, length, self.weight(ramp, index, at))
            }
        };
        if !self.alphas.is_empty() {
            color.alpha = alpha(&self.alphas, at);
        }
        color
    }

    /// The space of the first part that is blended.
    pub(super) fn main_space(&self) -> Space {
        let space = |part: &SampledPart| match part {
            SampledPart::One(_) => None,
            SampledPart::Line(_, line) => Some(line.at(0.5).space),
            SampledPart::Cubic(..) => Some(Space::Oklab),
        };
        self.parts.iter().find_map(space).unwrap_or(Space::Srgb)
    }

    fn weight(&self, ramp: Ramp, index: usize, at: f64) -> f64 {
        let (start, end) = (self.places[index - 1], self.places[index]);
        ramp.easing.weight((at - start) / (end - start), ramp.midpoint)
    }

    /// The places where the gradient can turn sharply or jump: those of all stops and midpoints.
    pub fn edges(&self) -> Vec<f64> {
        let mut edges = self.places.clone();
        for (i, part) in self.parts.iter().enumerate() {
            if let SampledPart::Line(ramp, _) | SampledPart::Cubic(ramp, ..) = part {
                let [a, b] = [self.places[i - 1], self.places[i]];
                edges.push(a + (b - a) * ramp.midpoint);
            }
        }
        for pair in self.alphas.windows(2) {
            let [a, b] = [pair[0].position, pair[1].position];
            edges.push(a + (b - a) * pair[0].to_next.midpoint);
        }
        edges.extend(self.alphas.iter().map(|stop| stop.position));
        edges.retain(|edge| (0.0..=1.0).contains(edge));
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        edges
    }
}

fn parts(stops: &[ColorStop], mode: Mode) -> Vec<SampledPart> {
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else {
        return vec![SampledPart::One(CLEAR)];
    };
    let smooth = Smooth::new(stops);
    let mut parts = vec![SampledPart::One(Components::of(&first.color))];
    for (i, pair) in stops.windows(2).enumerate() {
        let [a, b] = [&pair[0], &pair[1]];
        let ramp = a.to_next;
        parts.push(match ramp.mode.unwrap_or(mode) {
            _ if a.position == b.position => SampledPart::One(Components::of(&b.color)),
            Mode::Hold => SampledPart::One(Components::of(&a.color)),
            Mode::Fixed => SampledPart::One(Components::of(&b.color)),
            Mode::Blend(way) => SampledPart::Line(ramp, Segment::new(&a.color, &b.color, way)),
            Mode::Smooth => {
                let (values, slopes) = (&smooth.values[i..], &smooth.slopes[i]);
                SampledPart::Cubic(ramp, b.position - a.position, [values[0], values[1]], *slopes)
            }
        });
    }
    parts.push(SampledPart::One(Components::of(&last.color)));
    parts
}

/// The spline through all stops; hard edges part it.
struct Smooth {
    values: Vec<[f64; 4]>,
    /// At both ends of the way from each stop to the next.
    slopes: Vec<[[f64; 4]; 2]>,
}

impl Smooth {
    fn new(stops: &[ColorStop]) -> Smooth {
        let values: Vec<[f64; 4]> = stops.iter().map(|stop| premultiplied(&stop.color)).collect();
        let places: Vec<f64> = stops.iter().map(|stop| stop.position).collect();
        let mut slopes = vec![[[0.0; 4]; 2]; stops.len()];
        let mut start = 0;
        while start < stops.len() {
            let rest = &places[start..];
            let end = start + rest.windows(2).take_while(|pair| pair[0] < pair[1]).count() + 1;
            let run = spline::slopes(&places[start..end], &values[start..end]);
            for (i, pair) in run.windows(2).enumerate() {
                slopes[start + i] = [pair[0], pair[1]];
            }
            start = end;
        }
        Smooth { values, slopes }
    }
}

fn premultiplied(color: &Color) -> [f64; 4] {
    let [l, a, b] = color.to(Space::Oklab).components;
    let alpha = color.alpha;
    [l * alpha, a * alpha, b * alpha, alpha]
}

fn cubic(ends: &[[f64; 4]; 2], slopes: &[[f64; 4]; 2], length: f64, weight: f64) -> Components {
    let value = |i: usize| {
        spline::hermite(ends[0][i], ends[1][i], slopes[0][i], slopes[1][i], length, weight)
    };
    let alpha = value(3);
    let divisor = if alpha > 0.0 { alpha } else { 1.0 };
    Components { space: Space::Oklab, components: [0, 1, 2].map(|i| value(i) / divisor), alpha }
}

fn alpha(stops: &[AlphaStop], at: f64) -> f64 {
    let index = stops.partition_point(|stop| stop.position <= at);
    let Some(b) = stops.get(index) else { return stops[index - 1].alpha };
    let Some(a) = index.checked_sub(1).map(|i| &stops[i]) else { return b.alpha };
    let weight = match a.to_next.mode {
        Some(Mode::Hold) => 0.0,
        Some(Mode::Fixed) => 1.0,
        _ => {
            let way = (at - a.position) / (b.position - a.position);
            a.to_next.easing.weight(way, a.to_next.midpoint)
        }
    };
    a.alpha * (1.0 - weight) + b.alpha * weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::{Keys, Outside, parse_stops};

    fn gradient(stops: &str, mode: &str) -> Gradient {
        let colors = parse_stops(stops).unwrap();
        Gradient { colors, mode: Mode::of_name(mode).unwrap(), ..Gradient::default() }
    }

    fn near(found: [f64; 4], wanted: [f64; 4]) {
        let all = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 5e-4);
        assert!(all, "{found:?}, not {wanted:?}");
    }

    /// What coloraide 8 gives for the middle of red and lime.
    #[test]
    fn the_half_of_each_space() {
        for (mode, half) in [
            ("srgb", [0.5, 0.5, 0.0, 1.0]),
            ("linear", [0.735_357, 0.735_357, 0.0, 1.0]),
            ("oklab", [0.816_296, 0.660_364, 0.001_771, 1.0]),
            ("hsl", [1.0, 1.0, 0.0, 1.0]),
            ("hsl longer", [0.0, 0.0, 1.0, 1.0]),
        ] {
            let found = gradient("red, lime", mode).sample(0.5);
            near(found.map(|x| x.max(0.0)), half);
        }
    }

    #[test]
    fn fixed_takes_the_stop_that_follows_and_hold_the_one_before() {
        let (fixed, hold) =
            (gradient("red, lime 40%, blue", "fixed"), gradient("red, lime 40%, blue", "hold"));
        near(fixed.sample(0.2), [0.0, 1.0, 0.0, 1.0]);
        near(hold.sample(0.2), [1.0, 0.0, 0.0, 1.0]);
        // At a stop: Unity takes the first key after it, Godot the stop itself.
        near(fixed.sample(0.4), [0.0, 0.0, 1.0, 1.0]);
        near(hold.sample(0.4), [0.0, 1.0, 0.0, 1.0]);
        for g in [fixed, hold] {
            near(g.sample(1.0), [0.0, 0.0, 1.0, 1.0]);
            near(g.sample(7.0), [0.0, 0.0, 1.0, 1.0]);
        }
    }

    #[test]
    fn linear_keys_are_light() {
        let mut g = gradient("color(srgb 0.5 0.25 1), white", "srgb");
        g.keys = Keys::Linear;
        near(g.sample(0.0), [0.735_357, 0.537_099, 1.0, 1.0]);
        g.colors[0].color = Color::parse("oklab(0.5 0 0)").unwrap();
        let same = Gradient { keys: Keys::Srgb, ..g.clone() };
        assert_eq!(g.sample(0.0), same.sample(0.0), "only numbers of sRGB are read in two ways");
    }

    #[test]
    fn colours_with_alpha_are_blended_premultiplied_and_alpha_stops_are_not() {
        let mut g = gradient("red, rgb(0 0 255 / 0)", "srgb");
        near(g.sample(0.5), [1.0, 0.0, 0.0, 0.5]);
        let stop = |position, alpha| AlphaStop { position, alpha, to_next: Ramp::default() };
        g.alphas = vec![stop(0.0, 1.0), stop(1.0, 0.0)];
        near(g.sample(0.5), [0.5, 0.0, 0.5, 0.5]);
    }

    #[test]
    fn hard_edges_and_what_lies_outside() {
        let mut g = gradient("red 20%, lime 50%, blue 50%, white 80%", "srgb");
        near(g.sample(0.0), [1.0, 0.0, 0.0, 1.0]);
        near(g.sample(0.499_999), [0.0, 1.0, 0.0, 1.0]);
        near(g.sample(0.5), [0.0, 0.0, 1.0, 1.0]);
        near(g.sample(f64::INFINITY), [1.0; 4]);
        near(g.sample(f64::NAN), [0.0; 4]);
        let color = |text| Some(Color::parse(text).unwrap());
        g.outside = Outside { below: color("black"), above: color("yellow"), nan: color("gray") };
        near(g.sample(-1e-9), [0.0, 0.0, 0.0, 1.0]);
        near(g.sample(1.1), [1.0, 1.0, 0.0, 1.0]);
        near(g.sample(f64::NAN), [0.502, 0.502, 0.502, 1.0]);
        near(Gradient::default().sample(0.3), [0.0; 4]);
    }

    #[test]
    fn smooth_goes_through_all_stops_without_going_beyond() {
        let g = gradient("black, white 30%, black 60%, black 60%, white", "smooth");
        for (at, want) in [(0.0, 0.0), (0.3, 1.0), (0.599_999, 0.0), (0.6, 0.0), (1.0, 1.0)] {
            near(g.sample(at), [want, want, want, 1.0]);
        }
        let sampler = g.sampler();
        let samples: Vec<f64> = (0..=1000).map(|i| sampler.at(f64::from(i) / 1000.0)[0]).collect();
        assert!(samples.iter().all(|x| (-1e-6..=1.0 + 1e-6).contains(x)));
        // Up to the white it only gets lighter.
        assert!(samples[..301].windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
    }
}
