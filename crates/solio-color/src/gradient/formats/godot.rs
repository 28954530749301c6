//! Godot's gradients as its text resources and scenes have them (Godot 4, `scene/resources/gradient.h`):
//! `[gd_resource type="Gradient" …]` and `[sub_resource type="Gradient" …]`.

use super::straight::{self, BlendMethod, ColorPoint, clean};
use super::text::{error_at, number, place};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS, MaybeGradients, named_error};
use crate::gradient::{AlphaStop, ColorStop, Easing, Gradient, Mode, Ramp};
use crate::{Color, Interpolation, Space, convert};
use solio_base::{Error, Result};
use std::fmt::Write as _;

/// How near the stops that replace a cubic gradient come, in codes of eight bits.
const CUBIC_TOLERANCE: f64 = 0.05;
const SPACES: [Space; 3] = [Space::Srgb, Space::SrgbLinear, Space::Oklab];

/// The fields of one gradient, with Godot's defaults.
struct GodotFields {
    start: usize,
    name: String,
    mode: usize,
    space: usize,
    offsets: Vec<f64>,
    colors: Vec<[f64; 4]>,
    /// The first field that is not right.
    wrong: Option<Error>,
}

/// All gradients of a text, in their order.
pub(super) fn read(all: &str) -> Result<MaybeGradients> {
    let mut found: Vec<GodotFields> = Vec::new();
    let (mut inside, mut of_file) = (false, false);
    let mut at = 0;
    while at < all.len() {
        let line = all[at..].split('\n').next().unwrap_or_default();
        let entry = line.trim();
        let start = at;
        at += line.len() + 1;
        if let Some(header) = entry
            .strip_prefix('[')
            .filter(|_| !entry.contains('=') || entry.contains(' ') || entry == "[resource]")
        {
            let gradient = attribute(header, "type").is_some_and(|value| value == "Gradient");
            let file = header.starts_with("gd_resource");
            inside = gradient && header.starts_with("sub_resource")
                || header.starts_with("resource") && of_file;
            of_file |= gradient && file;
            if inside {
                let name = attribute(header, "id").unwrap_or_default();
                found.push(GodotFields::new(start, name));
            }
            if found.len() > MAX_STOPS / 16 {
                return Err(Error::limit("too many gradients in one file"));
            }
        } else if let (true, Some((key, value))) = (inside, line.split_once('=')) {
            let from = start + (line.len() - value.len());
            // An array may go on over several lines; in a name parentheses are text.
            let is_text = value.trim_start().starts_with('"');
            let value = match value.contains('(') && !is_text {
                true => {
                    let end = all[from..].find(')').ok_or_else(|| {
                        error_at(all, all.len(), "the parenthesis of an array is not closed")
                    })?;
                    at = at.max(from + end + 1);
                    &all[from..from + end + 1]
                }
                false => value,
            };
            if let Some(fields) = found.last_mut()
                && let Err(error) = fields.take(all, key.trim(), value)
            {
                fields.wrong.get_or_insert(error);
            }
        }
    }
    let one = |mut fields: GodotFields| {
        let name = fields.name.clone();
        let found = fields.wrong.take().map_or_else(|| fields.gradient(all), Err);
        found.map_err(|error| named_error(&name, error))
    };
    Ok(found.into_iter().map(one).collect())
}

/// The value of `name="…"` in a header.
fn attribute(header: &str, name: &str) -> Option<String> {
    let mut rest = header;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].ends_with([' ', '\t']);
        rest = &rest[at + name.len()..];
        if let Some(value) = rest.trim_start().strip_prefix('=').filter(|_| before) {
            let value = value.trim_start();
            return match value.strip_prefix('"') {
                Some(inside) => inside.split('"').next().map(str::to_owned),
                None => value.split([' ', ']']).next().map(str::to_owned),
            };
        }
    }
    None
}

impl GodotFields {
    fn new(start: usize, name: String) -> GodotFields {
        let colors = vec![[0.0, 0.0, 0.0, 1.0], [1.0; 4]];
        GodotFields { start, name, mode: 0, space: 0, offsets: vec![0.0, 1.0], colors, wrong: None }
    }

    fn take(&mut self, all: &str, key: &str, value: &str) -> Result<()> {
        let whole = |what: &str| {
            let found = value.trim().parse::<usize>().ok().filter(|found| *found < 3);
            let wrong = || {
                error_at(
                    all,
                    place(all, value),
                    format!("{what} is 0, 1 or 2, not \"{}\"", value.trim()),
                )
            };
            found.ok_or_else(wrong)
        };
        match key {
            "resource_name" => self.name = value.trim().trim_matches('"').to_owned(),
            "interpolation_mode" => self.mode = whole("interpolation_mode")?,
            "interpolation_color_space" => self.space = whole("interpolation_color_space")?,
            "offsets" => {
                self.offsets = array(all, value, &["PackedFloat32Array", "PoolRealArray"])?
            }
            "colors" => {
                let numbers = array(all, value, &["PackedColorArray", "PoolColorArray"])?;
                let (colors, rest) = numbers.as_chunks::<4>();
                if !rest.is_empty() {
                    return Err(error_at(all, place(all, value), "expected four numbers a colour"));
                }
                self.colors = colors.to_vec();
            }
            _ => {}
        }
        Ok(())
    }

    fn gradient(self, all: &str) -> Result<Gradient> {
        let (places, colors) = (self.offsets.len(), self.colors.len());
        if places != colors || places == 0 {
            let message =
                format!("expected as many offsets as colours; there are {places} and {colors}");
            return Err(error_at(all, self.start, message));
        }
        let mut stops: Vec<ColorPoint> = self
            .offsets
            .iter()
            .zip(&self.colors)
            .map(|(&position, &rgba)| ColorPoint { position, rgba })
            .collect();
        stops.sort_by(|a, b| a.position.total_cmp(&b.position));
        let space = SPACES[self.space];
        if self.mode == 2 && stops.len() > 1 {
            stops = cubic(&stops, space);
        }
        let mode = if self.mode == 1 { Mode::Hold } else { Mode::in_space(space) };
        let alpha = stops[0].rgba[3];
        let alphas = if stops.iter().all(|stop| stop.rgba[3] == alpha) {
            Vec::new()
        } else {
            let to_next = Ramp { mode: (self.mode == 1).then_some(Mode::Hold), ..Ramp::default() };
            stops
                .iter()
                .map(|stop| AlphaStop { position: stop.position, alpha: stop.rgba[3], to_next })
                .collect()
        };
        let colors = stops.iter().map(|stop| ColorStop {
            position: stop.position,
            color: stop.color().with_alpha(if alphas.is_empty() { alpha } else { 1.0 }),
            to_next: Ramp::default(),
        });
        Ok(Gradient {
            name: self.name,
            colors: colors.collect(),
            alphas,
            mode,
            ..Gradient::default()
        })
    }
}

/// The numbers of `PackedFloat32Array(…)`; Godot keeps `f32`.
fn array(all: &str, value: &str, names: &[&str]) -> Result<Vec<f64>> {
    let trimmed = value.trim();
    let inside = names
        .iter()
        .find_map(|name| trimmed.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')'));
    let inside = inside
        .ok_or_else(|| error_at(all, place(all, trimmed), format!("expected {}(…)", names[0])))?;
    let mut numbers = Vec::new();
    for word in inside.split(',').filter(|word| !word.trim().is_empty() || inside.contains(',')) {
        let known = number(word.trim()).and_then(|_| word.trim().parse::<f32>().ok());
        let wrong = || error_at(all, place(all, word), format!("\"{}\" is no number", word.trim()));
        numbers.push(f64::from(known.filter(|value| value.is_finite()).ok_or_else(wrong)?));
    }
    if numbers.len() > 4 * MAX_STOPS {
        return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
    }
    Ok(numbers)
}

/// Stops that come near to Godot's cubic mode, a Catmull-Rom spline in the numbers of the space,
/// even in the index of the stops.
fn cubic(stops: &[ColorPoint], space: Space) -> Vec<ColorPoint> {
    let values: Vec<[f64; 4]> = stops
        .iter()
        .map(|stop| {
            let [r, g, b, a] = stop.rgba;
            let [x, y, z] = convert([r, g, b], Space::Srgb, space);
            [x, y, z, a]
        })
        .collect();
    let last = stops.len() - 1;
    let at = |place: f64| {
        let next = stops.partition_point(|stop| stop.position <= place);
        let Some(first) = next.checked_sub(1).filter(|_| next <= last) else {
            return clean(stops[next.min(last)].rgba);
        };
        let [a, b] = [stops[first].position, stops[next].position];
        let weight = (place - a) / (b - a);
        let around =
            [first.saturating_sub(1), first, next, (next + 1).min(last)].map(|i| values[i]);
        let [x, y, z, alpha] = std::array::from_fn(|i| catmull_rom(around.map(|v| v[i]), weight));
        let [r, g, b] = convert([x, y, z], space, Space::Srgb);
        clean([r, g, b, alpha])
    };
    let mut edges = vec![0.0];
    edges.extend(stops.iter().map(|stop| stop.position).filter(|edge| *edge > 0.0 && *edge < 1.0));
    edges.push(1.0);
    edges.dedup();
    let way = BlendMethod { space, premultiplied: false, bounded: false };
    straight::of_function(&at, &edges, way, CUBIC_TOLERANCE).points
}

fn catmull_rom([before, from, to, after]: [f64; 4], t: f64) -> f64 {
    0.5 * (2.0 * from
        + (to - before) * t
        + (2.0 * before - 5.0 * from + 4.0 * to - after) * t * t
        + (3.0 * from - before - 3.0 * to + after) * t * t * t)
}

pub(super) fn write(
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> String {
    notes.of_model(gradient, "Godot", Holds { name: true, ..Holds::default() });
    let (mode, space, points) = match held(gradient) {
        Some(points) => (1, 0, points),
        None => {
            let space = match gradient.mode {
                Mode::Blend(Interpolation { space, .. }) => {
                    SPACES.iter().position(|known| *known == space)
                }
                _ => None,
            };
            let space = space.unwrap_or(2);
            let way = BlendMethod { space: SPACES[space], premultiplied: false, bounded: false };
            (0, space, straight::points_of(gradient, way, options.tolerance, "Godot", notes))
        }
    };
    let single = |value: f64| format!("{}", (value as f32).clamp(f32::MIN, f32::MAX) + 0.0);
    let list = |values: Vec<f64>| values.into_iter().map(single).collect::<Vec<_>>().join(", ");
    let mut out = "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\n".to_owned();
    if !gradient.name.is_empty() {
        let name: String = gradient
            .name
            .chars()
            .map(|c| if c.is_control() || c == '"' { ' ' } else { c })
            .collect();
        let _ = writeln!(out, "resource_name = \"{name}\"");
    }
    let _ = writeln!(out, "interpolation_mode = {mode}\ninterpolation_color_space = {space}");
    let _ = writeln!(
        out,
        "offsets = PackedFloat32Array({})",
        list(points.iter().map(|p| p.position).collect())
    );
    let _ = writeln!(
        out,
        "colors = PackedColorArray({})",
        list(points.iter().flat_map(|p| p.rgba).collect())
    );
    out
}

/// The stops of a gradient that is constant from each to the next.
fn held(gradient: &Gradient) -> Option<Vec<ColorPoint>> {
    let count = gradient.colors.len();
    let hold = |stop: &ColorStop| stop.to_next.mode.unwrap_or(gradient.mode) == Mode::Hold;
    let all = gradient.colors[..count - 1].iter().all(hold);
    let plain = gradient.colors.iter().all(|stop| stop.to_next.easing == Easing::Linear);
    let apart = gradient.alphas.iter().any(|stop| stop.alpha != gradient.alphas[0].alpha);
    if !all || !plain || apart || count < 2 {
        return None;
    }
    let alpha = gradient.alphas.first().map(|stop| stop.alpha);
    let point = |stop: &ColorStop| {
        let color: Color = gradient.keys.read(&stop.color).to(Space::Srgb);
        let [r, g, b] = color.components;
        ColorPoint { position: stop.position, rgba: clean([r, g, b, alpha.unwrap_or(color.alpha)]) }
    };
    Some(gradient.colors.iter().map(point).collect())
}
