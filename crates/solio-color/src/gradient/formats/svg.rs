//! The gradients of SVG (SVG 2, section 13.2): `linearGradient` and `radialGradient`, of which only
//! the stops matter here.

use super::straight::{self, BlendMethod};
use super::svg_styles::{StyleSheet, Styled};
use super::text::{error_at, number};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS, MaybeGradients, named_error};
use crate::gradient::{AlphaStop, ColorStop, Gradient, Mode, Ramp};
use crate::{Color, Interpolation, Space};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use solio_base::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How many gradients may refer to the next one.
const MOST_LINKS: usize = 32;
/// Elements within elements.
const MOST_DEEP: usize = 10_000;

/// An element as it is written.
#[derive(Default)]
struct SvgGradient {
    id: String,
    /// The id of the gradient whose stops it has, where it has none.
    link: Option<String>,
    space: Option<Space>,
    stops: Vec<(f64, Color)>,
    /// What is wrong with it or with a stop of it.
    wrong: Option<Error>,
}

/// What elements within this one take from it.
#[derive(Clone, Default)]
struct SvgInherited {
    /// The colour of text, which `currentColor` means.
    color: Option<String>,
    stop_color: Option<String>,
    stop_opacity: Option<String>,
}

/// All gradients of a text that have stops, by themselves or through `href`.
pub(super) fn read(all: &str) -> Result<MaybeGradients> {
    let sheet = style_sheet(all)?;
    let mut reader = Reader::from_str(all);
    reader.config_mut().expand_empty_elements = true;
    let mut found: Vec<SvgGradient> = Vec::new();
    let mut around = vec![SvgInherited::default()];
    let (mut open, mut count) = (false, 0);
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| not_xml(all, &reader, error))?;
        match event {
            Event::Start(start) => {
                if around.len() > MOST_DEEP {
                    return Err(Error::limit(format!("elements more than {MOST_DEEP} deep")));
                }
                let outer = around.last().cloned().unwrap_or_default();
                let styled = properties(&start, &sheet).map_err(|m| error_at(all, at, m))?;
                let own = |name: &str| styled.get(name).filter(|value| *value != "inherit");
                let color = own("color").filter(|value| !is_current(value));
                let inner = SvgInherited {
                    color: color.map(str::to_owned).or(outer.color.clone()),
                    stop_color: own("stop-color").map(str::to_owned),
                    stop_opacity: own("stop-opacity").map(str::to_owned),
                };
                match start.local_name().as_ref() {
                    b"linearGradient" | b"radialGradient" => {
                        found.push(element(&styled));
                        open = true;
                    }
                    b"stop" if open => {
                        count += 1;
                        if count > MAX_STOPS {
                            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
                        }
                        let color = inner.color.as_deref();
                        let stop = stop(&styled, &outer, color).map_err(|m| error_at(all, at, m));
                        match (found.last_mut(), stop) {
                            (Some(last), Ok((place, color))) => {
                                let before = last.stops.last().map_or(place, |stop| stop.0);
                                last.stops.push((place.max(before), color));
                            }
                            (Some(last), Err(error)) => {
                                last.wrong.get_or_insert(error);
                            }
                            (None, _) => {}
                        }
                    }
                    _ => {}
                }
                around.push(inner);
            }
            Event::End(end) => {
                around.pop();
                open &= !end.local_name().as_ref().ends_with(b"Gradient");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    resolved(found)
}

fn not_xml(all: &str, reader: &Reader<&[u8]>, error: quick_xml::Error) -> Error {
    error_at(all, reader.error_position() as usize, format!("not XML: {error}"))
}

fn is_current(value: &str) -> bool {
    value.eq_ignore_ascii_case("currentcolor")
}

/// What stands in `style` elements, wherever they are.
fn style_sheet(all: &str) -> Result<StyleSheet> {
    let mut sheet = StyleSheet::default();
    if !all.contains("style") {
        return Ok(sheet);
    }
    let mut reader = Reader::from_str(all);
    let mut inside = false;
    let mut text = String::new();
    loop {
        let event = reader.read_event().map_err(|error| not_xml(all, &reader, error))?;
        match event {
            Event::Start(start) => inside = start.local_name().as_ref() == b"style",
            Event::End(_) if inside => {
                sheet.add(&text);
                text.clear();
                inside = false;
            }
            Event::Text(part) if inside => {
                let part = String::from_utf8_lossy(&part);
                let part = quick_xml::escape::unescape(&part);
                text.push_str(part.as_deref().unwrap_or_default());
            }
            Event::CData(part) if inside => text.push_str(&String::from_utf8_lossy(&part)),
            Event::PI(part) if part.starts_with(b"xml-stylesheet") => sheet.has_others(),
            Event::Eof => return Ok(sheet),
            _ => {}
        }
    }
}

fn resolved(found: Vec<SvgGradient>) -> Result<MaybeGradients> {
    let mut by_id = BTreeMap::new();
    for (index, element) in found.iter().enumerate() {
        by_id.entry(element.id.as_str()).or_insert(index);
    }
    let (mut gradients, mut count) = (Vec::new(), 0);
    for element in &found {
        let (mut source, mut space) = (element, element.space);
        for _ in 0..MOST_LINKS {
            let is_empty = source.stops.is_empty() && source.wrong.is_none();
            let link = source.link.as_deref().filter(|_| is_empty);
            let Some(next) = link.and_then(|id| by_id.get(id)) else { break };
            source = &found[*next];
            space = space.or(source.space);
        }
        // Those that many refer to count each time.
        count += source.stops.len();
        if count > MAX_STOPS {
            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
        }
        if let Some(wrong) = &source.wrong {
            let place = (wrong.line().unwrap_or(1), wrong.column().unwrap_or(1));
            let again = Error::new(wrong.kind(), wrong.message()).at_line(place.0, place.1);
            gradients.push(Err(named_error(&element.id, again)));
        } else if !source.stops.is_empty() {
            let space = space.unwrap_or(Space::Srgb);
            gradients.push(Ok(gradient(&element.id, &source.stops, space)));
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

/// Attributes, over them what style sheets say, and over these what `style` says; names without their
/// prefix.
fn properties(start: &BytesStart<'_>, sheet: &StyleSheet) -> Result<Styled, String> {
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
    let element = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
    Ok(sheet.styled(&element, found, &style))
}

fn element(styled: &Styled) -> SvgGradient {
    let space = match styled.get("color-interpolation") {
        Some("linearRGB") => Some(Space::SrgbLinear),
        Some("sRGB" | "auto") => Some(Space::Srgb),
        _ => None,
    };
    let link = styled.get("href").and_then(|href| href.strip_prefix('#')).map(str::to_owned);
    let id = styled.get("id").unwrap_or_default().to_owned();
    SvgGradient { id, link, space, stops: Vec::new(), wrong: None }
}

fn stop(
    styled: &Styled,
    outer: &SvgInherited,
    current: Option<&str>,
) -> Result<(f64, Color), String> {
    styled.check(&["stop-color", "stop-opacity"])?;
    let inherited = |name: &str, outer: &Option<String>| match styled.get(name) {
        Some("inherit") => outer.clone(),
        own => own.map(str::to_owned),
    };
    let part = |name: &str, text: Option<String>, default: f64| {
        let Some(text) = text else { return Ok(default) };
        let (digits, whole) = text.strip_suffix('%').map_or((text.as_str(), 1.0), |d| (d, 100.0));
        let value = number(digits.trim()).map(|value| (value / whole).clamp(0.0, 1.0));
        value.ok_or_else(|| format!("{name} is a number or a percentage, not \"{text}\""))
    };
    let text = inherited("stop-color", &outer.stop_color);
    let text = match text.as_deref() {
        None => "black",
        // Black where nothing is said of text.
        Some(text) if is_current(text) => current.unwrap_or("black"),
        Some(text) => text,
    };
    let color = Color::parse(text).map_err(|error| format!("stop-color: {}", error.message()))?;
    let color = color.with_missing(color.missing).to(Space::Srgb);
    let color = Color { missing: crate::Missing::NONE, ..color };
    let opacity = inherited("stop-opacity", &outer.stop_opacity);
    let opacity = part("stop-opacity", opacity, 1.0)?;
    let place = part("offset", styled.get("offset").map(str::to_owned), 0.0)?;
    Ok((place, color.with_alpha(color.alpha * opacity)))
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
