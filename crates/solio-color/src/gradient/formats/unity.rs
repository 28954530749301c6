//! Unity's gradients as its scenes, prefabs and assets have them, in YAML: `key0` to `key7` with
//! red, green and blue of the colour keys and alpha of the alpha keys, `ctime0` to `ctime7` and
//! `atime0` to `atime7` from 0 to 65535.

use super::straight::{ColorPoint, clean};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS, MaybeGradients, named_error, text};
use crate::gradient::{AlphaStop, ColorStop, Easing, Gradient, Keys, Mode, Ramp};
use crate::{Color, Interpolation, Space};
use solio_base::{Error, Result};
use std::fmt::Write as _;

#[path = "unity_fit.rs"]
mod fit;

/// Most keys of either sort.
pub(super) const KEYS: usize = 8;
const STEPS: f64 = 65535.0;

/// The fields of one gradient, and where it begins.
#[derive(Default)]
struct UnityFields {
    start: usize,
    name: String,
    keys: [Option<[f64; 4]>; KEYS],
    color_times: [f64; KEYS],
    alpha_times: [f64; KEYS],
    mode: i64,
    color_space: i64,
    counts: [Option<i64>; 2],
    /// The first field that is not right.
    wrong: Option<Error>,
}

/// All gradients of a text, in their order.
pub(super) fn read(all: &str) -> Result<MaybeGradients> {
    let mut found: Vec<UnityFields> = Vec::new();
    let mut open: Option<usize> = None;
    let mut names = UnityNames::default();
    for line in all.lines() {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let entry = line.trim();
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let at = text::place(all, line) + depth;
        let (key, value) = match entry.split_once(':') {
            Some((key, value)) => (key.trim(), value.trim()),
            None => (entry, ""),
        };
        if key == "key0" {
            open = Some(depth);
            found.push(UnityFields {
                start: at,
                name: names.at(depth),
                color_space: -1,
                ..UnityFields::default()
            });
            if found.len() > MAX_STOPS / 16 {
                return Err(Error::limit("too many gradients in one file"));
            }
        } else if open.is_some_and(|open| open != depth) {
            open = None;
        }
        match (open, found.last_mut()) {
            (Some(_), Some(fields)) => {
                if let Err(message) = fields.take(key, value) {
                    let error = text::error_at(all, at, format!("{key}: {message}"));
                    fields.wrong.get_or_insert(error);
                }
            }
            _ => names.pass(depth, key, value),
        }
    }
    let one = |fields: UnityFields| {
        let name = fields.name.clone();
        fields.gradient(all).map_err(|error| named_error(&name, error))
    };
    Ok(found.into_iter().map(one).collect())
}

/// What gradients are called: `m_Name` of the entry they are in, else their field's name.
#[derive(Default)]
struct UnityNames(Vec<(usize, String)>);

impl UnityNames {
    fn pass(&mut self, depth: usize, key: &str, value: &str) {
        let item = key.strip_prefix("- ");
        let key = item.unwrap_or(key);
        if self.0.last().is_some_and(|(last, _)| *last > depth) || item.is_some() {
            self.0.retain(|(other, _)| *other < depth);
        }
        if key == "m_Name" || key == "name" {
            self.0.push((depth, unquoted(value)));
        } else if value.is_empty() && !["m_Gradient", "gradient"].contains(&key) {
            self.0.push((depth, key.to_owned()));
        }
        let extra = self.0.len().saturating_sub(64);
        self.0.drain(..extra);
    }

    fn at(&self, depth: usize) -> String {
        let inside = self.0.iter().rev().find(|(other, name)| *other < depth && !name.is_empty());
        inside.map(|(_, name)| name.clone()).unwrap_or_default()
    }
}

fn unquoted(value: &str) -> String {
    if value.starts_with('"') {
        // Names in double quotes are JSON strings where this writes them.
        return serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned());
    }
    match value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) => inside.replace("''", "'"),
        None => value.to_owned(),
    }
}

impl UnityFields {
    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        let index = |prefix: &str| {
            let index = key.strip_prefix(prefix)?.parse::<usize>().ok()?;
            (index < KEYS).then_some(index)
        };
        let whole = || {
            value.parse::<i64>().map_err(|_| format!("expected a whole number, not \"{value}\""))
        };
        if let Some(i) = index("key") {
            // Unity 5 wrote the four codes as one number, on a line of its own.
            self.keys[i] = if value.is_empty() { None } else { Some(components(value)?) };
        } else if let Some(i) = index("ctime") {
            self.color_times[i] = time(whole()?)?;
        } else if let Some(i) = index("atime") {
            self.alpha_times[i] = time(whole()?)?;
        } else {
            match key {
                "m_Mode" => self.mode = whole()?,
                "m_ColorSpace" => self.color_space = whole()?,
                "m_NumColorKeys" => self.counts[0] = Some(whole()?),
                "m_NumAlphaKeys" => self.counts[1] = Some(whole()?),
                _ => {}
            }
        }
        Ok(())
    }

    fn gradient(mut self, all: &str) -> Result<Gradient> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let wrong = |message: String| Err(text::error_at(all, self.start, message));
        let mut counts = [0; 2];
        for (count, (given, name)) in
            counts.iter_mut().zip(self.counts.into_iter().zip(["m_NumColorKeys", "m_NumAlphaKeys"]))
        {
            match given {
                Some(given @ 1..=8) => *count = given as usize,
                Some(given) => return wrong(format!("{name} is {given}; expected 1 to 8")),
                None => return wrong(format!("this gradient lacks {name}")),
            }
        }
        let used =
            self.keys[..counts[0].max(counts[1])].iter().copied().collect::<Option<Vec<_>>>();
        let Some(keys) = used else {
            return wrong("this gradient lacks a key that it counts".to_owned());
        };
        let linear = match self.color_space {
            -1 | 0 => false,
            1 => true,
            other => return wrong(format!("m_ColorSpace is {other}; expected -1, 0 or 1")),
        };
        let mode = match (self.mode, linear) {
            (0, false) => Mode::in_space(Space::Srgb),
            (0, true) => Mode::in_space(Space::SrgbLinear),
            (1, _) => Mode::Fixed,
            (2, _) => Mode::in_space(Space::Oklab),
            (other, _) => return wrong(format!("m_Mode is {other}; expected 0, 1 or 2")),
        };
        let to_next = Ramp::default();
        let color = |i: usize| ColorStop {
            position: self.color_times[i],
            color: Color::new(Space::Srgb, [keys[i][0], keys[i][1], keys[i][2]]),
            to_next,
        };
        let fixed = (mode == Mode::Fixed).then_some(Mode::Fixed);
        let alpha = |i: usize| AlphaStop {
            position: self.alpha_times[i],
            alpha: keys[i][3],
            to_next: Ramp { mode: fixed, ..to_next },
        };
        Ok(Gradient {
            name: self.name.clone(),
            colors: (0..counts[0]).map(color).collect(),
            alphas: (0..counts[1]).map(alpha).collect(),
            mode,
            keys: if linear { Keys::Linear } else { Keys::Srgb },
            ..Gradient::default()
        })
    }
}

fn time(value: i64) -> Result<f64, String> {
    match value {
        0..=65535 => Ok(value as f64 / STEPS),
        _ => Err(format!("{value} is not within 0 to 65535")),
    }
}

/// `{r: 1, g: 0.5, b: 0, a: 1}`; Unity keeps `f32`.
fn components(value: &str) -> Result<[f64; 4], String> {
    let wrong = || format!("expected {{r: …, g: …, b: …, a: …}}, not \"{value}\"");
    let inside =
        value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(wrong)?;
    let mut found = [None; 4];
    for field in inside.split(',') {
        let (name, number) = field.split_once(':').ok_or_else(wrong)?;
        let index = ["r", "g", "b", "a"].iter().position(|known| *known == name.trim());
        let number = number.trim();
        let value = text::number(number).and_then(|_| number.parse::<f32>().ok());
        let value = value.filter(|value| value.is_finite()).ok_or_else(wrong)?;
        found[index.ok_or_else(wrong)?] = Some(f64::from(value));
    }
    match found {
        [Some(r), Some(g), Some(b), Some(a)] => Ok([r, g, b, a]),
        _ => Err(wrong()),
    }
}

/// What Unity holds of a gradient.
pub(super) struct UnityGradient {
    /// Place, numbers as Unity has them.
    pub(super) colors: Vec<(f64, [f64; 3])>,
    pub(super) alphas: Vec<(f64, f64)>,
    pub(super) mode: u8,
    pub(super) linear: bool,
}

pub(super) fn write(
    gradients: &[Gradient],
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> Result<String> {
    let mut out = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &1\nMonoBehaviour:\n  \
                   m_ObjectHideFlags: 52\n  m_Name: \n  m_EditorClassIdentifier: \n  m_Presets:\n"
        .to_owned();
    for gradient in gradients {
        notes.of_model(gradient, "Unity", Holds { name: true, ..Holds::default() });
        let held = match (held(gradient), options.fit) {
            (Ok(held), _) => held,
            (Err(_), true) => fit::fit(gradient, notes),
            (Err(why), false) => {
                let what = format!("Unity cannot hold the gradient \"{}\": {why}", gradient.name);
                return Err(Error::unsupported(what)
                    .hint("--fit (in Python fit=True) takes the nearest 8 keys and says how far off they are"));
            }
        };
        write_one(&mut out, &gradient.name, &held, notes);
    }
    Ok(out)
}

/// The gradient as it is, or why Unity cannot hold it.
fn held(gradient: &Gradient) -> Result<UnityGradient, String> {
    for (count, what) in [(gradient.colors.len(), "colours"), (gradient.alphas.len(), "alphas")] {
        if count > KEYS {
            return Err(format!("{count} {what}; it has {KEYS} keys"));
        }
    }
    let (mode, linear, space) = match gradient.mode {
        Mode::Blend(Interpolation { space: Space::Srgb, .. }) => (0, false, Space::Srgb),
        Mode::Blend(Interpolation { space: Space::SrgbLinear, .. }) => (0, true, Space::SrgbLinear),
        Mode::Fixed => (1, gradient.keys == Keys::Linear, Space::Srgb),
        Mode::Blend(Interpolation { space: Space::Oklab, .. }) => {
            (2, gradient.keys == Keys::Linear, Space::Srgb)
        }
        other => return Err(format!("it does not blend as {}", other.name())),
    };
    let space = if linear { Space::SrgbLinear } else { space };
    let fixed = mode == 1;
    let plain = |ramp: &Ramp, alpha: bool| {
        let right = match ramp.mode {
            None => !alpha || !fixed,
            Some(Mode::Fixed) => fixed,
            Some(_) => alpha && !fixed && ramp.mode != Some(Mode::Hold),
        };
        right && ramp.midpoint == 0.5 && ramp.easing == Easing::Linear
    };
    let inside = |position: f64| (0.0..=1.0).contains(&position);
    let (mut colors, mut own_alphas) = (Vec::new(), Vec::new());
    for (i, stop) in gradient.colors.iter().enumerate() {
        let last = i + 1 == gradient.colors.len();
        if !inside(stop.position)
            || !(last || plain(&stop.to_next, false))
            || !stop.color.missing.is_empty()
        {
            return Err("it has no easing, midpoints, missing components or places outside".into());
        }
        let color = gradient.keys.read(&stop.color);
        let color = color.to(space);
        colors.push((stop.position, color.components));
        own_alphas.push(stop.color.alpha);
    }
    let mut alphas = Vec::new();
    for (i, stop) in gradient.alphas.iter().enumerate() {
        let last = i + 1 == gradient.alphas.len();
        if !inside(stop.position) || !(last || plain(&stop.to_next, true)) {
            return Err("its alphas have no easing, midpoints or places outside".into());
        }
        alphas.push((stop.position, stop.alpha));
    }
    if alphas.is_empty() {
        let first = own_alphas[0];
        if own_alphas.iter().any(|alpha| *alpha != first) {
            return Err("it blends colours and alpha apart".into());
        }
        alphas = vec![(0.0, first), (1.0, first)];
    }
    Ok(UnityGradient { colors, alphas, mode, linear })
}

fn write_one(out: &mut String, name: &str, held: &UnityGradient, notes: &mut LossNotes) {
    let mut shift = 0.0_f64;
    let mut step = |place: f64| {
        let step = (place * STEPS).round();
        shift = shift.max((step / STEPS - place).abs());
        step as u16
    };
    let colors: Vec<u16> = held.colors.iter().map(|key| step(key.0)).collect();
    let alphas: Vec<u16> = held.alphas.iter().map(|key| step(key.0)).collect();
    if shift > 1e-12 {
        notes.add("Unity holds places in steps of 1/65535: some are moved by up to half a step");
    }
    let _ = writeln!(out, "  - m_Name: {}", serde_json::Value::String(name.to_owned()));
    out.push_str("    m_Gradient:\n      serializedVersion: 2\n");
    for i in 0..KEYS {
        let [r, g, b] = held.colors.get(i).map_or([0.0; 3], |key| key.1).map(single);
        let a = single(held.alphas.get(i).map_or(0.0, |key| key.1));
        let _ = writeln!(out, "      key{i}: {{r: {r}, g: {g}, b: {b}, a: {a}}}");
    }
    for (name, times) in [("ctime", colors), ("atime", alphas)] {
        for i in 0..KEYS {
            let time = times.get(i).copied().unwrap_or(0);
            let _ = writeln!(out, "      {name}{i}: {time}");
        }
    }
    let (mode, space) = (held.mode, u8::from(held.linear));
    let _ = writeln!(out, "      m_Mode: {mode}\n      m_ColorSpace: {space}");
    let _ = writeln!(out, "      m_NumColorKeys: {}", held.colors.len());
    let _ = writeln!(out, "      m_NumAlphaKeys: {}", held.alphas.len());
}

/// Unity keeps `f32`; the shortest digits of one.
fn single(value: f64) -> f32 {
    if value.is_nan() { 0.0 } else { (value as f32).clamp(f32::MIN, f32::MAX) + 0.0 }
}

/// The codes at a place without alpha's weight.
fn point(position: f64, rgba: [f64; 4]) -> ColorPoint {
    ColorPoint { position, rgba: clean(rgba) }
}
