//! One-dimensional look-up tables as `.cube` files (Adobe, *Cube LUT Specification 1.0*, 2013;
//! IRIDAS): as many colours at even distances as the file says.

use super::straight::clean;
use super::text::{error_at, number, place, shortest};
use super::{GradientWriteOptions, Holds, LossNotes};
use crate::gradient::{ColorStop, Gradient, Mode, Ramp};
use crate::{Color, Space};
use solio_base::{Error, Result};
use std::fmt::Write as _;

/// Most and fewest samples of the specification.
pub(super) const SIZES: std::ops::RangeInclusive<usize> = 2..=65536;

pub(super) fn read(all: &str) -> Result<Gradient> {
    let mut size = None;
    let mut name = String::new();
    let (mut low, mut high) = ([0.0; 3], [1.0; 3]);
    let mut colors: Vec<[f64; 3]> = Vec::new();
    for line in all.lines() {
        let entry = line.trim();
        let wrong = |message: String| error_at(all, place(all, entry), message);
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let (key, rest) = entry.split_once([' ', '\t']).unwrap_or((entry, ""));
        match key {
            "TITLE" => name = rest.trim().trim_matches('"').to_owned(),
            "LUT_1D_SIZE" => {
                let found = rest.trim().parse::<usize>().ok().filter(|found| SIZES.contains(found));
                size = Some(found.ok_or_else(|| wrong("LUT_1D_SIZE is 2 to 65536".into()))?);
            }
            "LUT_3D_SIZE" => {
                let error = wrong("a three-dimensional table (LUT_3D_SIZE) is no gradient".into());
                return Err(Error::unsupported(error.message().to_owned())
                    .at_line(error.line().unwrap_or(1), error.column().unwrap_or(1))
                    .hint("only tables with LUT_1D_SIZE are along a line"));
            }
            "DOMAIN_MIN" => low = numbers(rest).map_err(wrong)?,
            "DOMAIN_MAX" => high = numbers(rest).map_err(wrong)?,
            "LUT_1D_INPUT_RANGE" => {
                let [a, b] = numbers(rest).map_err(wrong)?;
                (low, high) = ([a; 3], [b; 3]);
            }
            _ if key.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                return Err(wrong(format!("\"{key}\" is no keyword of .cube files")));
            }
            _ => {
                let Some(size) = size else {
                    return Err(wrong("expected LUT_1D_SIZE before the table".into()));
                };
                if colors.len() == size {
                    return Err(wrong(format!("more than the {size} colours of LUT_1D_SIZE")));
                }
                colors.push(numbers(entry).map_err(wrong)?);
            }
        }
    }
    let end = |message: String| error_at(all, all.len(), message);
    let size = size.ok_or_else(|| end("expected LUT_1D_SIZE".into()))?;
    if colors.len() < size {
        return Err(end(format!("expected {size} colours; the text has {}", colors.len())));
    }
    let same = |values: [f64; 3]| values.iter().all(|value| *value == values[0]);
    if !same(low) || !same(high) || low[0] >= high[0] {
        return Err(Error::unsupported(
            "the domain of a gradient is one for all channels, and grows",
        ));
    }
    let domain = (low[0] != 0.0 || high[0] != 1.0).then_some([low[0], high[0]]);
    let stop = |(i, rgb): (usize, [f64; 3])| ColorStop {
        position: i as f64 / (size - 1) as f64,
        color: Color::new(Space::Srgb, rgb),
        to_next: Ramp::default(),
    };
    let colors = colors.into_iter().enumerate().map(stop).collect();
    let mode = Mode::in_space(Space::Srgb);
    Ok(Gradient { name, colors, mode, domain, ..Gradient::default() })
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let found: Option<Vec<f64>> = text.split_ascii_whitespace().map(number).collect();
    found
        .and_then(|found| found.try_into().ok())
        .ok_or_else(|| format!("expected {N} numbers, not \"{text}\""))
}

pub(super) fn write(
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> Result<String> {
    let size = options.samples;
    if !SIZES.contains(&size) {
        let (least, most) = (SIZES.start(), SIZES.end());
        let message = format!("a .cube file holds {least} to {most} samples, not {size}");
        return Err(Error::argument(message));
    }
    notes.of_model(gradient, "A .cube file", Holds { name: true, domain: true, outside: false });
    let sampler = gradient.sampler();
    let at = |place: f64| clean(sampler.at(place));
    let samples: Vec<[f64; 4]> = (0..size).map(|i| at(i as f64 / (size - 1) as f64)).collect();
    if samples.iter().any(|sample| sample[3] != 1.0) {
        notes.add("A .cube file has no alpha: it is left out");
    }
    let mut off = 0.0_f64;
    for (i, pair) in samples.windows(2).enumerate() {
        for weight in [0.25, 0.5, 0.75] {
            let found = at((i as f64 + weight) / (size - 1) as f64);
            for channel in 0..3 {
                let line = pair[0][channel] * (1.0 - weight) + pair[1][channel] * weight;
                off = off.max((found[channel] - line).abs() * 255.0);
            }
        }
    }
    if off > 0.01 {
        notes.add(format!(
            "A .cube file holds samples: between {size} of them it is up to {off:.2} codes of 8 bits off"
        ));
    }
    let name: String =
        gradient.name.chars().map(|c| if c.is_control() || c == '"' { ' ' } else { c }).collect();
    let mut out = String::new();
    if !name.is_empty() {
        let _ = writeln!(out, "TITLE \"{name}\"");
    }
    let _ = writeln!(out, "LUT_1D_SIZE {size}");
    match gradient.domain {
        Some([low, high]) if low < high => {
            let [low, high] = [low, high].map(shortest);
            let _ = writeln!(out, "DOMAIN_MIN {low} {low} {low}\nDOMAIN_MAX {high} {high} {high}");
        }
        Some(_) => notes.add("The domain of a .cube file grows: this one is left out"),
        None => {}
    }
    for [r, g, b, _] in samples {
        let [r, g, b] = [r, g, b].map(|value| shortest(f64::from(value as f32)));
        let _ = writeln!(out, "{r} {g} {b}");
    }
    Ok(out)
}
