//! Colour palette tables of GMT, the Generic Mapping Tools (GMT 6, *Color palette tables*): slices
//! of values with a colour at each end, and colours for what is below, above and not a number.

use super::segments::{self, GradientSegment};
use super::straight::{self, BlendMethod, ColorPoint};
use super::text::{error_at, number, place, shortest};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS};
use crate::gradient::{Gradient, Mode, Outside, Ramp};
use crate::{Color, HueMethod, Interpolation, Space};
use solio_base::{Error, Result};
use std::fmt::Write as _;

/// Almost a whole turn, as hues of 0 and 360 are the same here.
const NEARLY: f64 = 1e-7;

/// What the numbers of a table are, and how they are blended.
#[derive(Clone, Copy, Default, PartialEq)]
enum Model {
    #[default]
    Rgb,
    Hsv,
    Cmyk,
}

#[derive(Default)]
struct ColorTable {
    model: Model,
    /// Whether colours are blended in HSV, which the plus before the model asks for.
    blends_hsv: bool,
    range: Option<[f64; 2]>,
    hinge: Option<f64>,
    /// Values at both ends; categories have the same twice.
    slices: Vec<([f64; 2], [Color; 2])>,
    keys: Vec<(f64, Color)>,
    outside: Outside,
}

/// Whether the first line that is no comment is a slice.
pub(super) fn is_table(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let words: Vec<&str> = first.unwrap_or_default().split_ascii_whitespace().collect();
    let value = |index: usize| words.get(index).is_some_and(|word| number(word).is_some());
    words.len() >= 4 && value(0) && (value(2) || value(4))
}

pub(super) fn read(all: &str) -> Result<Gradient> {
    let mut table = ColorTable::default();
    for line in all.lines() {
        let entry = line.trim();
        let done = match entry.strip_prefix('#') {
            Some(comment) => table.comment(comment),
            None => table.line(entry),
        };
        done.map_err(|message| error_at(all, place(all, entry), message))?;
        if table.slices.len() + table.keys.len() > MAX_STOPS / 2 {
            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
        }
    }
    table.gradient().map_err(|message| error_at(all, all.len(), message))
}

impl ColorTable {
    /// `COLOR_MODEL`, `RANGE` and `HINGE` stand in comments.
    fn comment(&mut self, comment: &str) -> Result<(), String> {
        let Some((key, value)) = comment.split_once('=') else {
            let zero = comment.trim();
            if ["HINGE", "SOFT_HINGE", "HARD_HINGE"].contains(&zero) {
                self.hinge = Some(0.0);
            }
            return Ok(());
        };
        let value = value.trim();
        match key.trim() {
            "COLOR_MODEL" => {
                let name = value.trim_start_matches('+').to_ascii_uppercase();
                self.model = match name.as_str() {
                    "RGB" | "GRAY" | "GREY" => Model::Rgb,
                    "HSV" => Model::Hsv,
                    "CMYK" => Model::Cmyk,
                    _ => return Err(format!("\"{value}\" is no COLOR_MODEL: RGB, HSV or CMYK")),
                };
                self.blends_hsv = self.model == Model::Hsv && value.starts_with('+');
            }
            "RANGE" => {
                let ends: Option<Vec<f64>> =
                    value.split('/').map(|end| number(end.trim())).collect();
                match ends.as_deref() {
                    Some(&[low, high]) if low < high => self.range = Some([low, high]),
                    _ => return Err(format!("RANGE is two values, low/high, not \"{value}\"")),
                }
            }
            "HINGE" | "SOFT_HINGE" | "HARD_HINGE" => {
                self.hinge = Some(number(value).ok_or_else(|| format!("\"{value}\" is no hinge"))?);
            }
            _ => {}
        }
        Ok(())
    }

    fn line(&mut self, entry: &str) -> Result<(), String> {
        let entry = entry.split(';').next().unwrap_or_default();
        let mut words: Vec<&str> = entry.split_ascii_whitespace().collect();
        // Which ends to annotate.
        if words.len() > 2 && words.last().is_some_and(|word| ["L", "U", "B"].contains(word)) {
            words.pop();
        }
        match words[..] {
            [] => Ok(()),
            ["B" | "F" | "N", ..] => {
                let color = Some(self.color(&words[1..])?);
                match words[0] {
                    "B" => self.outside.below = color,
                    "F" => self.outside.above = color,
                    _ => self.outside.nan = color,
                }
                Ok(())
            }
            [key, fill] => {
                let value = number(key).ok_or_else(|| {
                    format!("\"{key}\" is no number; tables of names are no gradient")
                })?;
                self.keys.push((value, self.color(&[fill])?));
                Ok(())
            }
            _ => self.slice(&words),
        }
    }

    /// `z0 color z1 [color]`, colours in one word or in three or four.
    fn slice(&mut self, words: &[&str]) -> Result<(), String> {
        let width = match words.len() {
            3 | 4 => 1,
            8 => 3,
            10 => 4,
            count => return Err(format!("expected a slice, z0 color z1 color, not {count} words")),
        };
        let value = |index: usize| {
            number(words[index]).ok_or_else(|| format!("\"{}\" is no number", words[index]))
        };
        let (low, high) = (value(0)?, value(1 + width)?);
        let first = self.color(&words[1..=width])?;
        let second = match &words[2 + width..] {
            [] | ["-"] => first,
            color => self.color(color)?,
        };
        if low >= high {
            return Err(format!("a slice grows; this one is from {low} to {high}"));
        }
        if self.slices.last().is_some_and(|last| low < last.0[1]) {
            return Err(format!("slices follow each other; {low} lies in the one before"));
        }
        self.slices.push(([low, high], [first, second]));
        Ok(())
    }

    fn color(&self, words: &[&str]) -> Result<Color, String> {
        if let ["-"] = words {
            // Not painted.
            return Ok(Color::from_rgb8([0; 3]).with_alpha(0.0));
        }
        let [word] = words else {
            let numbers: Option<Vec<f64>> = words.iter().map(|word| number(word)).collect();
            let numbers = numbers.ok_or_else(|| format!("\"{}\" is no colour", words.join(" ")))?;
            return self.of_numbers(&numbers, self.model);
        };
        // @ and a transparency in per cent.
        let (word, clear) =
            word.split_once('@').map_or((*word, Some(0.0)), |(w, p)| (w, number(p)));
        let clear = clear.filter(|percent| (0.0..=100.0).contains(percent));
        let wrong = || format!("\"{word}\" is no colour");
        let alpha = 1.0 - clear.ok_or_else(wrong)? / 100.0;
        let split = |by: char| word.split(by).map(number).collect::<Option<Vec<f64>>>();
        let color = if word.contains('/') {
            let numbers = split('/').ok_or_else(wrong)?;
            let model = if numbers.len() == 4 { Model::Cmyk } else { Model::Rgb };
            self.of_numbers(&numbers, model)?
        } else if let Some(value) = number(word) {
            self.of_numbers(&[value; 3], Model::Rgb)?
        } else if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('-') {
            self.of_numbers(&split('-').ok_or_else(wrong)?, Model::Hsv)?
        } else {
            named(word).ok_or_else(wrong)?
        };
        Ok(color.with_alpha(alpha))
    }

    fn of_numbers(&self, numbers: &[f64], model: Model) -> Result<Color, String> {
        let within = |most: f64, of: &[f64]| of.iter().all(|value| (0.0..=most).contains(value));
        match (model, numbers) {
            (Model::Rgb, &[r, g, b]) if within(255.0, numbers) => {
                Ok(Color::new(Space::Srgb, [r, g, b].map(|code| code / 255.0)))
            }
            (Model::Hsv, &[h, s, v]) if within(360.0, numbers) && within(1.0, &[s, v]) => {
                Ok(Color::new(Space::Hsv, [h, s, v]))
            }
            (Model::Cmyk, &[c, m, y, k]) if within(100.0, numbers) => {
                let of = |ink: f64| (1.0 - ink / 100.0) * (1.0 - k / 100.0);
                Ok(Color::new(Space::Srgb, [c, m, y].map(of)))
            }
            _ => {
                let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
                let ranges = "r/g/b are 0 to 255, h-s-v 360, 1, 1, c/m/y/k 100";
                Err(format!("{} is no colour: {ranges}", words.join(" ")))
            }
        }
    }

    /// The value in the units of `RANGE`, where the table is written from −1 or 0 to 1.
    fn value(&self, z: f64, ends: [f64; 2]) -> f64 {
        let Some([low, high]) = self.range else { return z };
        let [from, to] = ends;
        match self.hinge.filter(|hinge| low < *hinge && *hinge < high && from < 0.0 && to > 0.0) {
            Some(hinge) if z < 0.0 => hinge - (hinge - low) * z / from,
            Some(hinge) => hinge + (high - hinge) * z / to,
            None => low + (high - low) * ((z - from) / (to - from)),
        }
    }

    fn gradient(mut self) -> Result<Gradient, String> {
        if self.slices.is_empty() {
            // Categories: each up to the next, the last as wide as the one before.
            let keys = std::mem::take(&mut self.keys);
            for (i, &(key, color)) in keys.iter().enumerate() {
                let before = i.checked_sub(1).map_or(1.0, |before| key - keys[before].0);
                let next = keys.get(i + 1).map_or(key + before, |next| next.0);
                if next.partial_cmp(&key) != Some(std::cmp::Ordering::Greater) {
                    return Err("expected categories whose values grow".to_owned());
                }
                self.slices.push(([key, next], [color; 2]));
            }
        }
        let (Some(first), Some(last)) = (self.slices.first(), self.slices.last()) else {
            return Err("expected slices, z0 color z1 color".to_owned());
        };
        let ends = [first.0[0], last.0[1]];
        let [low, high] = ends.map(|z| self.value(z, ends));
        let finite = (high - low).is_finite() && high > low;
        if !finite {
            return Err("expected values whose difference is finite".to_owned());
        }
        let mut parts = Vec::new();
        for &(places, mut colors) in &self.slices {
            let places =
                places.map(|z| ((self.value(z, ends) - low) / (high - low)).clamp(0.0, 1.0));
            let mode = self.mode(&mut colors);
            parts.push(GradientSegment { places, colors, ramp: Ramp { mode, ..Ramp::default() } });
        }
        let (colors, alphas) = segments::stops(&parts);
        let mode = Mode::in_space(Space::Srgb);
        let (outside, domain) = (self.outside, Some([low, high]));
        Ok(Gradient { colors, alphas, mode, outside, domain, ..Gradient::default() })
    }

    /// How a slice is blended: not at all, in RGB, or from hue to hue as the numbers say.
    fn mode(&self, colors: &mut [Color; 2]) -> Option<Mode> {
        let [a, b] = *colors;
        if a == b {
            return Some(Mode::Hold);
        }
        if !self.blends_hsv {
            *colors = colors
                .map(|color| Color { missing: crate::Missing::NONE, ..color.to(Space::Srgb) });
            return None;
        }
        for color in colors.iter_mut() {
            *color = Color { missing: crate::Missing::NONE, ..color.to(Space::Hsv) };
        }
        let [from, to] = colors.map(|color| color.components[0]);
        let hue = if to >= from { HueMethod::Increasing } else { HueMethod::Decreasing };
        if (to - from).abs() >= 360.0 {
            colors[1].components[0] -= (to - from).signum() * NEARLY;
        }
        Some(Mode::Blend(Interpolation { space: Space::Hsv, hue }))
    }
}

/// Names of X11 that CSS has too, with GMT's values where the two differ; `#rrggbb`; and greys with a
/// number.
fn named(word: &str) -> Option<Color> {
    let lower = word.to_ascii_lowercase();
    let other = match &*lower {
        "green" => Some([0, 255, 0]),
        "gray" | "grey" => Some([190; 3]),
        "maroon" => Some([176, 48, 96]),
        "purple" => Some([160, 32, 240]),
        _ => None,
    };
    if let Some(rgb) = other {
        return Some(Color::new(Space::Srgb, rgb.map(|code: u8| f64::from(code) / 255.0)));
    }
    let level = lower.strip_prefix("gray").or_else(|| lower.strip_prefix("grey"));
    if let Some(percent) = level.and_then(|digits| digits.parse::<u8>().ok()) {
        return (percent <= 100).then(|| {
            Color::new(Space::Srgb, [f64::from((f64::from(percent) * 2.55 + 0.5) as u8) / 255.0; 3])
        });
    }
    let plain = lower.chars().all(|c| c.is_ascii_alphanumeric() || c == '#');
    Color::parse(&lower).ok().filter(|_| plain)
}

pub(super) fn write(
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> String {
    notes.of_model(gradient, "GMT", Holds { name: false, outside: true, domain: true });
    let way = BlendMethod { space: Space::Srgb, premultiplied: false, bounded: true };
    let points = straight::points_of(gradient, way, options.tolerance, "GMT", notes);
    let right = |[low, high]: &[f64; 2]| low < high && (high - low).is_finite();
    let [low, high] = gradient.domain.filter(right).unwrap_or([0.0, 1.0]);
    if gradient.domain.is_some_and(|domain| !right(&domain)) {
        notes.add("values of GMT grow: the domain is left out");
    }
    let is_part = |pair: &&[ColorPoint]| pair[0].position < pair[1].position;
    if let (Some(last), Some(end)) = (points.windows(2).rfind(is_part), points.last()) {
        notes.of_end("GMT", last[1].rgba, end.rgba);
    }
    let mut out = "# COLOR_MODEL = RGB\n".to_owned();
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let [from, to] = [a.position, b.position].map(|place| match place {
            1.0 => high,
            _ => low + (high - low) * place,
        });
        if from < to {
            let (a, b) = (color_text(&a, notes), color_text(&b, notes));
            let _ = writeln!(out, "{} {a} {} {b}", shortest(from), shortest(to));
        }
    }
    let outside = gradient.outside;
    for (letter, color) in [("B", outside.below), ("F", outside.above), ("N", outside.nan)] {
        if let Some(color) = color {
            let color = gradient.keys.read(&color).to(Space::Srgb);
            let [r, g, b] = color.components;
            let point = ColorPoint { position: 0.0, rgba: straight::clean([r, g, b, color.alpha]) };
            let _ = writeln!(out, "{letter} {}", color_text(&point, notes));
        }
    }
    out
}

/// `r/g/b`, with `@` and a transparency where there is some.
fn color_text(point: &ColorPoint, notes: &mut LossNotes) -> String {
    let [r, g, b, alpha] = point.rgba;
    let mut text = [r, g, b]
        .map(|value| {
            if !(-1e-3..=1.0 + 1e-3).contains(&value) {
                notes.add("GMT has colours of sRGB only: those beyond are held within");
            }
            shortest(((value.clamp(0.0, 1.0) * 255.0) * 1e6).round() / 1e6)
        })
        .join("/");
    if alpha < 1.0 {
        notes.add("GMT has one transparency for a slice: alpha is written for each colour");
        let _ = write!(text, "@{}", shortest(((1.0 - alpha) * 1e8).round() / 1e6));
    }
    text
}
