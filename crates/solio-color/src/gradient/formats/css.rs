//! Gradients of CSS Images 4: `linear-gradient()`, `radial-gradient()`, `conic-gradient()` and
//! their repeating forms, or only their list of stops.

use super::css_vars::CssProperties;
use super::straight::{self, BlendMethod};
use super::text::{error_at, number, shortest};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS, MaybeGradients, named_error};
use crate::gradient::stop_list::items;
use crate::gradient::{ColorStop, Easing, Gradient, Mode, Ramp, parse_stops};
use crate::{Color, HueMethod, Interpolation, Segment, Space};
use solio_base::{Error, Result};

const FUNCTIONS: [(&str, CssShape); 3] = [
    ("linear-gradient(", CssShape::Linear),
    ("radial-gradient(", CssShape::Radial),
    ("conic-gradient(", CssShape::Conic),
];
const UNITS: [(&str, f64); 4] =
    [("grad", 400.0), ("deg", 360.0), ("turn", 1.0), ("rad", std::f64::consts::TAU)];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CssShape {
    Linear,
    Radial,
    Conic,
}

/// Farthest place of a stop that is written.
const MOST_PLACE: f64 = 1e6;

/// Whether a text is a list of at least two stops and nothing else.
pub(super) fn is_list(text: &str) -> bool {
    text.contains(',') && text.len() < 1 << 15 && parse_stops(text.trim()).is_ok()
}

/// All gradients of a text; one without functions is a list of stops.
pub(super) fn read(all: &str) -> Result<MaybeGradients> {
    let masked = mask(all);
    let lower = masked.to_ascii_lowercase();
    let properties = CssProperties::of(&masked);
    let mut found: MaybeGradients = Vec::new();
    let mut from = 0;
    let mut seen = 0;
    while let Some((start, kind)) = next_function(&lower, from) {
        let name = name_before(all, &masked, start);
        let Some(end) = closing(&lower, start) else {
            let error = error_at(all, lower.len(), "the parenthesis of a gradient is not closed");
            found.push(Err(named_error(&name, error)));
            break;
        };
        let inside = properties.expanded(&masked[start..end]);
        let one = inside.map_err(|message| error_at(all, start, message));
        let one = one.and_then(|inside| gradient(all, start, &inside, kind));
        match one {
            Ok(one) => {
                seen += one.colors.len();
                found.push(Ok(Gradient { name, ..one }));
            }
            Err(error) => found.push(Err(named_error(&name, error))),
        }
        if seen > MAX_STOPS {
            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
        }
        from = end;
    }
    if found.is_empty() {
        let list = masked.trim().trim_end_matches(';');
        let start = masked.len() - masked.trim_start().len();
        found.push(Ok(gradient(all, start, list, CssShape::Linear)?));
    }
    Ok(found)
}

/// The text with blanks in place of comments and strings, so that places stay what they are.
pub(super) fn mask(all: &str) -> String {
    let mut bytes = all.as_bytes().to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let rest = &all.as_bytes()[i..];
        let length = match rest {
            [b'/', b'*', inside @ ..] => {
                inside.windows(2).position(|pair| pair == b"*/").map(|n| n + 4)
            }
            [quote @ (b'"' | b'\''), inside @ ..] => {
                inside.iter().position(|byte| byte == quote || *byte == b'\n').map(|n| n + 2)
            }
            _ => {
                i += 1;
                continue;
            }
        };
        let end = length.map_or(bytes.len(), |length| i + length);
        bytes[i..end].fill(b' ');
        i = end;
    }
    // What is blanked begins and ends with ASCII, so all other characters are whole.
    String::from_utf8(bytes).unwrap_or_default()
}

/// The byte after the next function's parenthesis, and which one it is.
fn next_function(lower: &str, from: usize) -> Option<(usize, CssShape)> {
    let found = FUNCTIONS.iter().filter_map(|(name, kind)| {
        lower.get(from..)?.find(name).map(|at| (from + at + name.len(), *kind))
    });
    found.min()
}

/// The byte of the parenthesis that closes what is open at `start`.
fn closing(text: &str, start: usize) -> Option<usize> {
    let mut depth = 1_usize;
    for (i, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// The custom property that a gradient is the value of, else the comment before it.
fn name_before(all: &str, masked: &str, start: usize) -> String {
    let edge = masked[..start].rfind([';', '{', '}']).map_or(0, |i| i + 1);
    if let Some((name, _)) = masked[edge..start].split_once(':')
        && let Some(name) = name.trim().strip_prefix("--")
    {
        return name.to_owned();
    }
    let comment =
        all[edge..start].rsplit_once("*/").and_then(|(before, _)| before.rsplit_once("/*"));
    comment.map(|(_, inside)| inside.trim().to_owned()).unwrap_or_default()
}

/// From the arguments, which begin at byte `start` of the text.
fn gradient(all: &str, start: usize, inside: &str, kind: CssShape) -> Result<Gradient> {
    let conic = kind == CssShape::Conic;
    let items = items(inside);
    if items.len() > MAX_STOPS {
        return Err(Error::limit(format!("{} stops; the limit is {MAX_STOPS}", items.len())));
    }
    let mut mode = None;
    let mut first = 0;
    if let Some(words) = items.first().and_then(|(_, item)| prelude(item, kind)) {
        mode = space(&words).map_err(|message| error_at(all, start, message))?;
        first = items.get(1).map_or(inside.len(), |&(second, _)| second);
    }
    let list = &inside[first..];
    let rewritten = if conic { angles_as_parts(list) } else { list.to_owned() };
    let colors = parse_stops(&rewritten).map_err(|error| {
        // Lists are one line for their parser; its columns are bytes of the list.
        let column = error.column().map_or(0, |column| column as usize - 1);
        let column = if conic { 0 } else { column };
        let placed = error_at(all, start + first + column, error.message().to_owned());
        match error.hint_text() {
            Some(hint) => placed.hint(hint),
            None => placed,
        }
    })?;
    let legacy = !is_modern(&list.to_ascii_lowercase())
        && colors
            .iter()
            .all(|stop| [Space::Srgb, Space::Hsl, Space::Hwb].contains(&stop.color.space));
    let space = if legacy { Space::Srgb } else { Space::Oklab };
    let mode = mode.unwrap_or(Mode::in_space(space));
    Ok(Gradient { colors, mode, ..Gradient::default() })
}

/// Whether a list has colours that CSS Color 4 and 5 keep as `color()`, whatever their numbers.
fn is_modern(lower: &str) -> bool {
    let mut calls = lower.match_indices('(');
    let is_relative = calls.any(|(at, _)| {
        let inside = lower[at + 1..].trim_start();
        inside.strip_prefix("from").is_some_and(|rest| rest.starts_with(char::is_whitespace))
    });
    is_relative || lower.contains("color(") || lower.contains("color-mix(")
}

/// The words of the first argument, if it is no stop: direction, shape, place, space.
fn prelude(item: &str, kind: CssShape) -> Option<Vec<String>> {
    let words = words(item);
    let known = [
        "to",
        "in",
        "from",
        "at",
        "circle",
        "ellipse",
        "left",
        "right",
        "top",
        "bottom",
        "center",
        "closest-side",
        "closest-corner",
        "farthest-side",
        "farthest-corner",
    ];
    let begins = words.first().is_some_and(|word| known.contains(&word.as_str()));
    let sized = |word: &String| angle(word).is_some() || word == "0" || is_math(word);
    let angled = words.first().is_some_and(sized)
        && words.get(1).is_none_or(|word| known.contains(&word.as_str()));
    let placed = words.iter().any(|word| ["at", "in"].contains(&word.as_str()));
    (begins || angled || placed || (kind == CssShape::Radial && is_size(&words, &known)))
        .then_some(words)
}

/// The words of an argument, apart by blanks; none is needed behind a percentage and a parenthesis,
/// and what stands in parentheses stays whole.
fn words(item: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in item.chars() {
        let is_blank = depth == 0 && c.is_whitespace();
        if !is_blank {
            word.push(c.to_ascii_lowercase());
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = is_blank || (depth == 0 && matches!(c, '%' | ')'));
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// A length, a percentage or an angle that is computed.
fn is_math(word: &str) -> bool {
    let begins = ["calc(", "min(", "max(", "clamp("].iter().any(|name| word.starts_with(name));
    begins && word.ends_with(')')
}

/// Whether these are a length or two, or two percentages, and words for a shape.
fn is_size(words: &[String], known: &[&str]) -> bool {
    let is_part = |word: &String| word.strip_suffix('%').is_some_and(|n| number(n).is_some());
    let is_length = |word: &String| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (digits != word && number(digits).is_some()) || is_math(word)
    };
    match words {
        [] => false,
        // A percentage by itself would be a hint.
        [only] => is_length(only),
        words => words.iter().all(|word| {
            word == "0" || is_part(word) || is_length(word) || known.contains(&word.as_str())
        }),
    }
}

/// `in oklch longer hue`.
fn space(words: &[String]) -> Result<Option<Mode>, String> {
    let Some(at) = words.iter().position(|word| word == "in") else { return Ok(None) };
    let name = words.get(at + 1).map_or("", |name| name.as_str());
    let css = Space::of_name(name).filter(|space| *space != Space::Hsv && *space != Space::AcesCg);
    let space = css.ok_or_else(|| format!("\"{name}\" is no space of CSS to blend in"))?;
    let way = (words.get(at + 2), words.get(at + 3).map(String::as_str));
    let hue = match way {
        (Some(name), Some("hue")) => {
            let method = HueMethod::of_name(name).filter(|_| space.is_polar());
            method.ok_or_else(|| format!("\"{name} hue\" is no way round in {}", space.name()))?
        }
        _ => HueMethod::Shorter,
    };
    Ok(Some(Mode::Blend(Interpolation { space, hue })))
}

/// An angle in turns.
fn angle(word: &str) -> Option<f64> {
    let (digits, turn) =
        UNITS.iter().find_map(|(unit, turn)| Some((word.strip_suffix(unit)?, turn)))?;
    number(digits).map(|value| value / turn)
}

/// The places of a conic gradient, angles, as percentages.
fn angles_as_parts(list: &str) -> String {
    let item = |item: &str| {
        let item = apart(item);
        let (mut words, mut depth) = (Vec::new(), 0_usize);
        for word in item.split_whitespace() {
            let outside = depth == 0;
            depth = (depth + word.matches('(').count()).saturating_sub(word.matches(')').count());
            let turns = angle(&word.to_ascii_lowercase()).filter(|_| outside);
            words
                .push(turns.map_or_else(|| word.to_owned(), |turns| format!("{}%", turns * 100.0)));
        }
        words.join(" ")
    };
    items(list).into_iter().map(|(_, one)| item(one)).collect::<Vec<_>>().join(", ")
}

/// With a blank behind every parenthesis, where CSS needs none.
fn apart(item: &str) -> String {
    item.replace(')', ") ")
}

pub(super) fn write(
    gradients: &[Gradient],
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> String {
    let holds = Holds { name: true, ..Holds::default() };
    let texts: Vec<String> = gradients
        .iter()
        .map(|gradient| {
            notes.of_model(gradient, "CSS", holds);
            linear(gradient, options, notes)
        })
        .collect();
    if let ([text], [gradient]) = (&texts[..], gradients) {
        let name = gradient.name.replace("*/", "* /");
        return if name.is_empty() {
            format!("{text}\n")
        } else {
            format!("/* {name} */ {text}\n")
        };
    }
    let mut out = ":root {\n".to_owned();
    let mut used = Vec::new();
    for (text, gradient) in texts.iter().zip(gradients) {
        let name = identifier(&gradient.name, &used);
        if name != gradient.name {
            notes.add("CSS has no such names of custom properties: some are changed");
        }
        out.push_str(&format!("  --{name}: {text};\n"));
        used.push(name);
    }
    out.push_str("}\n");
    out
}

/// A name for a custom property that is not used yet.
fn identifier(name: &str, used: &[String]) -> String {
    let part = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let base: String =
        if name.is_empty() { "gradient".to_owned() } else { name.chars().map(part).collect() };
    let mut found = base.clone();
    let mut count = 2;
    while used.contains(&found) {
        found = format!("{base}-{count}");
        count += 1;
    }
    found
}

fn linear(gradient: &Gradient, options: GradientWriteOptions, notes: &mut LossNotes) -> String {
    let (way, stops) = exact(gradient).unwrap_or_else(|| {
        let way = BlendMethod { space: Space::Oklab, premultiplied: true, bounded: false };
        let points = straight::points_of(gradient, way, options.tolerance, "CSS", notes);
        (
            Interpolation::new(Space::Oklab),
            straight::stops(&points).into_iter().map(short).collect(),
        )
    });
    let hue = match way.hue {
        hue if way.space.is_polar() && hue != HueMethod::Shorter => format!(" {} hue", hue.name()),
        _ => String::new(),
    };
    let mut text = format!("linear-gradient(to right in {}{hue}", way.space.name());
    for (i, stop) in stops.iter().enumerate() {
        text.push_str(&format!(", {} {}%", stop.color.to_css(), percent(stop.position)));
        let ramp = stop.to_next;
        if ramp.easing == Easing::Power
            && ramp.midpoint != 0.5
            && let Some(next) = stops.get(i + 1)
        {
            let hint = stop.position + (next.position - stop.position) * ramp.midpoint;
            text.push_str(&format!(", {}%", percent(hint)));
        }
    }
    if let [only] = &stops[..] {
        // CSS wants two.
        text.push_str(&format!(", {} {}%", only.color.to_css(), percent(only.position)));
    }
    text.push(')');
    text
}

/// A stop of an approximation with no more digits than it has: codes of eight bits where it is near to
/// them, else millionths.
fn short(mut stop: ColorStop) -> ColorStop {
    let rounded = |value: f64| {
        let code = (value * 255.0).round() / 255.0;
        if (value - code).abs() < 2e-6 { code } else { (value * 1e6).round() / 1e6 }
    };
    stop.color.components = stop.color.components.map(|value| rounded(value) + 0.0);
    stop.color.alpha = (stop.color.alpha * 1e6).round() / 1e6;
    stop.position = (stop.position * 1e6).round() / 1e6;
    stop
}

/// A hundredfold, digit by digit: no digits come up that the place does not have, and it is read as the
/// very same number.
fn percent(position: f64) -> String {
    // Numbers that came from 32 bits have the digits that they had there.
    let single = position as f32;
    let text = shortest(position);
    let short = (single + 0.0).to_string();
    let is_single = f64::from(single) == position && short.len() < text.len();
    let text = if is_single { short } else { text };
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = format!("{part:0<2}");
    let whole = format!("{whole}{}", &part[..2]);
    let whole =
        whole[..whole.len() - 1].trim_start_matches('0').to_owned() + &whole[whole.len() - 1..];
    match &part[2..] {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

/// The stops that CSS blends as the gradient does, where there are such.
fn exact(gradient: &Gradient) -> Option<(Interpolation, Vec<ColorStop>)> {
    let alphas = match gradient.alphas.is_empty() {
        true => None,
        false => Some(alphas(gradient)?),
    };
    let color = |stop: &ColorStop, alpha: Option<f64>| {
        let color = gradient.keys.read(&stop.color);
        let color = alpha.map_or(color, |alpha| color.with_alpha(alpha));
        let ours = [Space::Hsv, Space::AcesCg].contains(&color.space);
        match (ours, color.missing.is_empty()) {
            (false, _) => Some(color),
            (true, true) => {
                let color = color.to(Space::Srgb);
                color.components.iter().all(|x| x.is_finite()).then_some(color)
            }
            (true, false) => None,
        }
    };
    let way = way(gradient)?;
    let mut stops: Vec<ColorStop> = Vec::new();
    for (i, stop) in gradient.colors.iter().enumerate() {
        let alpha = alphas.as_ref().map(|alphas| alphas[i]);
        let here = color(stop, alpha)?;
        let at =
            |position: f64, color: Color| ColorStop { position, color, to_next: Ramp::default() };
        let start = at(stop.position, here);
        if alphas.is_some() && stops.last() == Some(&start) {
            stops.pop();
        }
        stops.push(start);
        let Some(next) = gradient.colors.get(i + 1) else { break };
        let (there, ramp, length) =
            (color(next, alpha)?, stop.to_next, next.position - stop.position);
        let far = stop.position.abs().max(next.position.abs()) > MOST_PLACE;
        if length < 0.0 || far {
            return None;
        } else if length == 0.0 {
            continue;
        }
        let middle = stop.position + length * ramp.midpoint;
        let mode = ramp.mode.unwrap_or(gradient.mode);
        match (mode, ramp.easing) {
            (Mode::Hold, _) => stops.push(at(next.position, here)),
            (Mode::Fixed, _) => stops.push(at(stop.position, there)),
            (Mode::Smooth, _) => return None,
            (_, Easing::Step) => stops.extend([at(middle, here), at(middle, there)]),
            (_, Easing::Power) if ramp.midpoint > 0.0 && ramp.midpoint < 1.0 => {
                stops.last_mut()?.to_next = ramp;
            }
            (_, Easing::Linear) if ramp.midpoint == 0.5 => {}
            (_, Easing::Linear) if !way.space.is_polar() => {
                let half = Segment::new(&here, &there, way).at(0.5);
                let finite = half.components.iter().all(|x| x.is_finite());
                if !finite || !half.missing.is_empty() || !(0.0..=1.0).contains(&ramp.midpoint) {
                    return None;
                }
                stops.push(at(middle, half));
            }
            _ => return None,
        }
        if alphas.as_ref().is_some_and(|alphas| alphas[i] != alphas[i + 1]) && mode != Mode::Hold {
            stops.push(at(next.position, there));
        }
    }
    Some((way, stops))
}

/// Alpha from each stop to the next, and behind the last, where it is one all that way.
fn alphas(gradient: &Gradient) -> Option<Vec<f64>> {
    let (colors, stops) = (&gradient.colors, &gradient.alphas);
    let over = |from: f64, to: f64| {
        let first = stops.iter().rposition(|stop| stop.position <= from).unwrap_or(0);
        let last = stops.iter().position(|stop| stop.position >= to).unwrap_or(stops.len() - 1);
        let mut part = stops.get(first..=last)?.iter().map(|stop| stop.alpha);
        let alpha = part.next()?;
        part.all(|other| other == alpha).then_some(alpha)
    };
    let mut alpha = over(f64::NEG_INFINITY, colors.first()?.position)?;
    let before = alpha;
    let mut found = Vec::with_capacity(colors.len());
    for (i, stop) in colors.iter().enumerate() {
        let end = colors.get(i + 1).map_or(f64::INFINITY, |next| next.position);
        if end > stop.position {
            alpha = over(stop.position, end)?;
        }
        found.push(alpha);
    }
    (found[0] == before).then_some(found)
}

/// The one way in which all parts that are blended are.
fn way(gradient: &Gradient) -> Option<Interpolation> {
    let count = gradient.colors.len();
    let modes = gradient.colors[..count.saturating_sub(1)].iter();
    let mut found = None;
    let mut steps = false;
    for (ramp, mode) in modes.map(|stop| (stop.to_next, stop.to_next.mode.unwrap_or(gradient.mode)))
    {
        match mode {
            Mode::Hold | Mode::Fixed => steps = true,
            _ if ramp.easing == Easing::Step => steps = true,
            Mode::Blend(way) if found.is_none_or(|other| other == way) => found = Some(way),
            _ => return None,
        }
    }
    // Nothing but steps: sRGB leaves equal colours as they are.
    let way = found.unwrap_or(Interpolation::new(Space::Srgb));
    // The longer way between equal colours is the whole circle.
    let turns = steps && way.space.is_polar() && way.hue == HueMethod::Longer;
    (!turns && ![Space::Hsv, Space::AcesCg].contains(&way.space)).then_some(way)
}
