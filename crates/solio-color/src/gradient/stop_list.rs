//! The list of stops of CSS's gradients (CSS Images 4, section 3.4).

use super::{ColorStop, Easing, Ramp};
use crate::Color;
use solio_base::{Error, Result};

/// Stops as CSS writes them: `red, white 30%, 60%, blue`.
///
/// A colour ([`Color::parse`]) may be followed by one place or two, in per cent or as a number from
/// 0 to 1; a place by itself is a hint, where the blend of its neighbours is half way. Colours
/// without a place are spread evenly between those that have one; a place before an earlier one
/// counts as that.
///
/// # Errors
///
/// With the column at which something else was expected. There must be at least one colour.
pub fn parse_stops(text: &str) -> Result<Vec<ColorStop>> {
    let mut stops = Vec::new();
    let mut hint = None;
    for (first, item) in items(text) {
        let start = first + item.len() - item.trim_start().len();
        let item = item.trim();
        let wrong = |message: String| Error::syntax(message).at_line(1, start as u64 + 1);
        let (color, places) = split(item).map_err(wrong)?;
        let Some(color) = color else {
            let [place] = places[..] else {
                return Err(wrong("expected a colour, or one place for a hint".into()));
            };
            if stops.is_empty() || hint.is_some() {
                return Err(wrong("a hint must stand between two colours".into()));
            }
            hint = Some((place, start));
            continue;
        };
        let color = Color::parse(color).map_err(|e| {
            let column = start as u64 + e.offset().unwrap_or(0) + 1;
            let error = Error::syntax(e.message().to_owned()).at_line(1, column);
            if ends_in_a_length(item) { error.hint(PLACES) } else { error }
        })?;
        let hint = hint.take().map(|(place, _)| place);
        stops.push(WrittenStop { color, place: places.first().copied(), hint });
        if let Some(&second) = places.get(1) {
            stops.push(WrittenStop { color, place: Some(second), hint: None });
        }
    }
    if let Some((_, start)) = hint {
        let message = "a hint must stand between two colours";
        return Err(Error::syntax(message).at_line(1, start as u64 + 1));
    }
    Ok(placed(&stops))
}

const PLACES: &str =
    "places are percentages, or numbers from 0 to 1; lengths need a box, which a file has not";

/// Whether a stop ends in a number with a unit, such as `red 10px`.
fn ends_in_a_length(item: &str) -> bool {
    let word = last_word(item).filter(|(color, _)| !color.is_empty()).map(|(_, word)| word);
    let number = |word: &str| {
        word.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
    };
    word.is_some_and(|word| number(word) && !word.ends_with(')'))
}

struct WrittenStop {
    color: Color,
    place: Option<f64>,
    /// Between the stop before and this one.
    hint: Option<f64>,
}

/// Gives each stop its place: CSS Images 4, section 3.4.3.
fn placed(written: &[WrittenStop]) -> Vec<ColorStop> {
    let count = written.len();
    let mut places: Vec<Option<f64>> = written.iter().map(|stop| stop.place).collect();
    if let Some(first) = places.first_mut() {
        first.get_or_insert(0.0);
    }
    if count > 1 {
        places[count - 1].get_or_insert(1.0);
    }
    let mut most = f64::NEG_INFINITY;
    let mut hints: Vec<Option<f64>> = written.iter().map(|stop| stop.hint).collect();
    for (place, hint) in places.iter_mut().zip(&mut hints) {
        for value in [hint, place].into_iter().flatten() {
            most = most.max(*value);
            *value = most;
        }
    }
    // Those without a place, and hints do not count among them, are spread between neighbours.
    let mut known = 0;
    for i in 1..count {
        let Some(end) = places[i] else { continue };
        let start = places[known].expect("it has a place");
        let length = (i - known) as f64;
        for (step, place) in places[known + 1..i].iter_mut().enumerate() {
            *place = Some(start + (end - start) * (step + 1) as f64 / length);
        }
        known = i;
    }
    let places: Vec<f64> =
        places.into_iter().map(|place| place.expect("all have one now")).collect();
    let stop = |i: usize| {
        let hint = hints.get(i + 1).copied().flatten();
        let to_next = match hint {
            Some(hint) if places[i + 1] > places[i] => Ramp {
                midpoint: ((hint - places[i]) / (places[i + 1] - places[i])).clamp(0.0, 1.0),
                easing: Easing::Power,
                mode: None,
            },
            _ => Ramp::default(),
        };
        ColorStop { position: places[i], color: written[i].color, to_next }
    };
    (0..count).map(stop).collect()
}

/// What stands between commas that are in no brackets, with its first byte.
pub(super) fn items(text: &str) -> Vec<(usize, &str)> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push((start, &text[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
    items.push((start, &text[start..]));
    items
}

type ColorAndPlaces<'t> = (Option<&'t str>, Vec<f64>);

/// The colour of an item and up to two places, which may stand before or after it. CSS needs no blank
/// behind a parenthesis or a percentage.
fn split(item: &str) -> std::result::Result<ColorAndPlaces<'_>, String> {
    let (mut color, mut places) = (item, Vec::new());
    while let Some((rest, word)) = last_word(color) {
        let Some(place) = place(word) else { break };
        places.insert(0, place);
        color = rest;
    }
    while places.is_empty() || !color.is_empty() {
        let end = color.find(|c: char| c.is_whitespace() || c == '%');
        let Some(end) = end.map(|end| end + usize::from(color[end..].starts_with('%'))) else {
            break;
        };
        let Some(place) = place(&color[..end]) else { break };
        places.push(place);
        color = color[end..].trim_start();
    }
    if places.len() > 2 {
        return Err("a colour has two places at most".into());
    }
    if color.is_empty() && places.is_empty() {
        return Err("expected a colour".into());
    }
    Ok(((!color.is_empty()).then_some(color), places))
}

fn last_word(text: &str) -> Option<(&str, &str)> {
    let (last, _) = text.char_indices().next_back()?;
    let mut before = text[..last].char_indices().rev();
    let edge = before.find(|(_, c)| c.is_whitespace() || matches!(c, ')' | '%'));
    let at = edge.map_or(0, |(i, c)| i + c.len_utf8());
    Some((text[..at].trim_end(), &text[at..]))
}

/// `40%` or `0.4`.
fn place(word: &str) -> Option<f64> {
    let (digits, is_percent) =
        word.strip_suffix('%').map_or((word, false), |digits| (digits, true));
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let value = digits.parse::<f64>().ok().filter(|x| plain && x.is_finite())?;
    if !is_percent {
        return Some(value);
    }
    // A hundredth by its digits is rounded once.
    format!("{digits}e-2").parse().ok().or(Some(value / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<f64> {
        parse_stops(text).unwrap().iter().map(|stop| (stop.position * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn a_hint_about_places_stands_where_places_are_wrong() {
        let hint = |text| parse_stops(text).unwrap_err().hint_text().map(str::to_owned);
        assert_eq!(hint("red 10px, blue").as_deref(), Some(PLACES));
        assert_eq!(hint("red, blue -2.5em").as_deref(), Some(PLACES));
        for text in ["rde, blue", "red, rgb(1 2 x)", "red, rgb(1 2 3px)", "red, dark blue"] {
            assert_eq!(hint(text), None, "{text}");
        }
    }

    /// The examples of CSS Images, section "Color Stop Fixup".
    #[test]
    fn places_are_given_as_in_css() {
        assert_eq!(places("red, white, blue"), [0.0, 0.5, 1.0]);
        assert_eq!(places("red 40%, white, black, blue"), [0.4, 0.6, 0.8, 1.0]);
        assert_eq!(places("red -50%, white, blue"), [-0.5, 0.25, 1.0]);
        assert_eq!(places("red -0.5, white 5%, blue"), [-0.5, 0.05, 1.0]);
        assert_eq!(places("red 80%, white 0%, black, blue 100%"), [0.8, 0.8, 0.9, 1.0]);
        assert_eq!(places("red 10% 20%, blue"), [0.1, 0.2, 1.0]);
        assert_eq!(places("40% red"), [0.4]);
        assert_eq!(
            places("rgb(0 0 0)10%20%, rgb(1% 2% 3%)50%, 60%hsl(0 0% 50%)"),
            [0.1, 0.2, 0.5, 0.6]
        );
        assert_eq!(places("red\u{85}40%\u{2003}60%"), [0.4, 0.6]);
        assert_eq!(
            places("rgb(1, 2, 3) 30%, color(srgb 0 .5 1), hsl(120deg 50% 20%) 0.9"),
            [0.3, 0.6, 0.9]
        );
    }

    #[test]
    fn hints_become_midpoints() {
        let stops = parse_stops("red 20%, 30%, blue 60%").unwrap();
        assert!((stops[0].to_next.midpoint - 0.25).abs() < 1e-12);
        assert_eq!(stops[0].to_next.easing, Easing::Power);
        assert_eq!(stops[1].to_next, Ramp::default());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_column() {
        for (text, column, message) in [
            ("", 1, "expected a colour"),
            ("red,,blue", 5, "expected a colour"),
            ("30%, red", 1, "a hint must stand between"),
            ("red, 30%", 6, "a hint must stand between"),
            ("red, 30%, 40%, blue", 11, "a hint must stand between"),
            ("red 1% 2% 3%", 1, "two places at most"),
            ("red, rgb(1 2", 6, ""),
            ("red, bleu", 6, ""),
            ("red nan%", 1, ""),
            ("rgb(0 0 0)1%2%3%", 1, "two places at most"),
            ("red50%", 1, ""),
            ("rgb(0 0 0)1x%", 1, ""),
        ] {
            let error = parse_stops(text).unwrap_err();
            assert!(error.column() >= Some(column), "{text}: {error}");
            assert!(error.to_string().contains(message), "{text}: {error}");
        }
    }
}
