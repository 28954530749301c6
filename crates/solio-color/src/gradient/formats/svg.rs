//! The gradients of SVG (SVG 2, section 13.2): `linearGradient` and `radialGradient`, of which only
//! the stops matter here.

use super::straight::{self, BlendMethod};
use super::text::{error_at, number};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS};
use crate::gradient::{AlphaStop, ColorStop, Gradient, Mode, Ramp};
use crate::{Color, Interpolation, Space};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use solio_base::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How many gradients may refer to the next one.
const MOST_LINKS: usize = 32;

/// An element as it is written.
#[derive(Default)]
struct SvgGradient {
    id: String,
    /// The id of the gradient whose stops it has, where it has none.
    link: Option<String>,
    space: Option<Space>,
    stops: Vec<(f64, Color)>,
}

/// All gradients of a text that have stops, by themselves or through `href`.
pub(super) fn read(all: &str) -> Result<Vec<Gradient>> {
    let mut reader = Reader::from_str(all);
    reader.config_mut().expand_empty_elements = true;
    let mut found: Vec<SvgGradient> = Vec::new();
    let (mut open, mut count) = (false, 0);
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            error_at(all, reader.error_position() as usize, format!("not XML: {error}"))
        })?;
        match event {
            Event::Start(start) => match start.local_name().as_ref() {
                b"linearGradient" | b"radialGradient" => {
                    found.push(element(&start).map_err(|message| error_at(all, at, message))?);
                    open = true;
                }
                b"stop" if open => {
                    count += 1;
                    if count > MAX_STOPS {
                        return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
                    }
                    let stop = stop(&start).map_err(|message| error_at(all, at, message))?;
                    if let Some(last) = found.last_mut() {
                        let place = last.stops.last().map_or(stop.0, |before| before.0.max(stop.0));
                        last.stops.push((place, stop.1));
                    }
                }
                _ => {}
            },
            Event::End(end) if end.local_name().as_ref().ends_with(b"Gradient") => open = false,
            Event::Eof => break,
            _ => {}
        }
    }
    resolved(&found)
}

fn resolved(found: &[SvgGradient]) -> Result<Vec<Gradient>> {
    let mut by_id = BTreeMap::new();
    for (index, element) in found.iter().enumerate() {
        by_id.entry(element.id.as_str()).or_insert(index);
    }
    let (mut gradients, mut count) = (Vec::new(), 0);
    for element in found {
        let (mut source, mut space) = (element, element.space);
        for _ in 0..MOST_LINKS {
            let link = source.link.as_deref().filter(|_| source.stops.is_empty());
            let Some(next) = link.and_then(|id| by_id.get(id)) else { break };
            source = &found[*next];
            space = space.or(source.space);
        }
        // Those that many refer to count each time.
        count += source.stops.len();
        if count > MAX_STOPS {
            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
        }
        if !source.stops.is_empty() {
            gradients.push(gradient(&element.id, &source.stops, space.unwrap_or(Space::Srgb)));
        }
    }
    Ok(gradients)
}

fn gradient(id: &str, stops: &[(f64, Color)], space: Space) -> Gradient {
    let same = stops.iter().all(|stop| stop.1.alpha == stops[0].1.alpha);
    let to_next = Ramp::default();
    let color = |&(position, color): &(f64, Color)| ColorStop {
        position,
        color: if same { color } else { color.with_alpha(1.0) },
        to_next,
    };
    let alpha =
        |&(position, color): &(f64, Color)| AlphaStop { position, alpha: color.alpha, to_next };
    Gradient {
        name: id.to_owned(),
        colors: stops.iter().map(color).collect(),
        alphas: if same { Vec::new() } else { stops.iter().map(alpha).collect() },
        mode: Mode::in_space(space),
        ..Gradient::default()
    }
}

/// Attributes and, over them, what `style` says; names without their prefix.
fn properties(start: &BytesStart<'_>) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    let mut style = String::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| format!("not XML: {error}"))?;
        let name = String::from_utf8_lossy(attribute.key.local_name().as_ref()).into_owned();
        let value = String::from_utf8_lossy(&attribute.value);
        let value =
            quick_xml::escape::unescape(&value).map_err(|error| format!("not XML: {error}"))?;
        if name == "style" {
            style = value.into_owned();
        } else {
            found.insert(name, value.trim().to_owned());
        }
    }
    for declaration in style.split(';') {
        if let Some((name, value)) = declaration.split_once(':') {
            let value = value.trim().trim_end_matches("!important").trim();
            found.insert(name.trim().to_owned(), value.to_owned());
        }
    }
    Ok(found)
}

fn element(start: &BytesStart<'_>) -> Result<SvgGradient, String> {
    let mut properties = properties(start)?;
    let space = match properties.get("color-interpolation").map(String::as_str) {
        Some("linearRGB") => Some(Space::SrgbLinear),
        Some("sRGB" | "auto") => Some(Space::Srgb),
        _ => None,
    };
    let link = properties.get("href").and_then(|href| href.strip_prefix('#')).map(str::to_owned);
    let id = properties.remove("id").unwrap_or_default();
    Ok(SvgGradient { id, link, space, stops: Vec::new() })
}

fn stop(start: &BytesStart<'_>) -> Result<(f64, Color), String> {
    let properties = properties(start)?;
    let part = |name: &str, default: f64| {
        let Some(text) = properties.get(name) else { return Ok(default) };
        let (digits, whole) = text.strip_suffix('%').map_or((text.as_str(), 1.0), |d| (d, 100.0));
        let value = number(digits.trim()).map(|value| (value / whole).clamp(0.0, 1.0));
        value.ok_or_else(|| format!("{name} is a number or a percentage, not \"{text}\""))
    };
    let text = properties.get("stop-color").map_or("black", String::as_str);
    let color = match text {
        // Of the document's text, which is black where nothing is said.
        "currentColor" | "currentcolor" | "inherit" => Color::from_rgb8([0; 3]),
        _ => Color::parse(text).map_err(|error| format!("stop-color: {}", error.message()))?,
    };
    let color = color.with_missing(color.missing).to(Space::Srgb);
    let color = Color { missing: crate::Missing::NONE, ..color };
    Ok((part("offset", 0.0)?, color.with_alpha(color.alpha * part("stop-opacity", 1.0)?)))
}

pub(super) fn write(
    gradients: &[Gradient],
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> String {
    let mut out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 512 64\">\n  <defs>\n".to_owned();
    let ids = ids(gradients);
    for (id, gradient) in ids.iter().zip(gradients) {
        notes.of_model(gradient, "SVG", Holds { name: true, ..Holds::default() });
        write_one(&mut out, id, gradient, options, notes);
    }
    out.push_str("  </defs>\n");
    let height = 64.0 / gradients.len() as f64;
    for (index, id) in ids.iter().enumerate() {
        let y = index as f64 * height;
        let _ = writeln!(
            out,
            "  <rect y=\"{y}\" width=\"512\" height=\"{height}\" fill=\"url(#{id})\"/>"
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The names as ids, which have no white space; each is its own.
fn ids(gradients: &[Gradient]) -> Vec<String> {
    let part = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let mut used = BTreeSet::new();
    let id = |(index, gradient): (usize, &Gradient)| {
        let name: String = gradient.name.chars().map(part).collect();
        let is_id = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let stem = if is_id { name } else { "gradient".to_owned() };
        let numbers = (index + 1..).map(|number| format!("{stem}-{number}"));
        let own = (index == 0 && is_id).then(|| stem.clone());
        let mut free = own.into_iter().chain(numbers).filter(|id| used.insert(id.clone()));
        free.next().unwrap_or_default()
    };
    gradients.iter().enumerate().map(id).collect()
}

fn write_one(
    out: &mut String,
    id: &str,
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) {
    if id != gradient.name && !gradient.name.is_empty() {
        notes.add("SVG has ids for names: some are changed");
    }
    let linear =
        matches!(gradient.mode, Mode::Blend(Interpolation { space: Space::SrgbLinear, .. }));
    let (space, word) = match linear {
        true => (Space::SrgbLinear, " color-interpolation=\"linearRGB\""),
        false => (Space::Srgb, ""),
    };
    // A blend that leaves sRGB between colours within it is held within: nothing shows more of it.
    let way = BlendMethod { space, premultiplied: false, bounded: is_within_srgb(gradient) };
    let points = straight::points_of(gradient, way, options.tolerance, "SVG", notes);
    if linear {
        notes.add("browsers do not follow SVG's color-interpolation: they blend in sRGB");
    }
    let _ = writeln!(out, "    <linearGradient id=\"{id}\"{word}>");
    for point in points {
        let [_, _, _, alpha] = point.rgba;
        let opacity =
            if alpha == 1.0 { String::new() } else { format!(" stop-opacity=\"{alpha}\"") };
        let color = point.color().with_alpha(1.0);
        // Programs that do not know what `style` says take the attribute.
        let style = match color.components.iter().all(|code| (0.0..=1.0).contains(code)) {
            true => String::new(),
            false => {
                notes.add(
                    "SVG 1.1 has colours of sRGB only: those beyond are held within, and beside that \
                     written as color() for browsers",
                );
                format!(" style=\"stop-color: {}\"", color.to_css())
            }
        };
        let (offset, color) = (point.position, color.to_legacy_css());
        let _ = writeln!(
            out,
            "      <stop offset=\"{offset}\" stop-color=\"{color}\"{style}{opacity}/>"
        );
    }
    out.push_str("    </linearGradient>\n");
}

/// Whether the colours of all stops are those of sRGB.
fn is_within_srgb(gradient: &Gradient) -> bool {
    let codes = |stop: &ColorStop| gradient.keys.read(&stop.color).to(Space::Srgb).components;
    gradient.colors.iter().flat_map(codes).all(straight::is_within)
}
