//! Mixing colours, against the figures of web-platform-tests (`wpt_color_mix.txt`).
//!
//! Where percentages add up to 0, CSS Color 5 asks for transparent black. The file has that in some
//! sections and the mixed colour, as transparent, in others; so of results without alpha only the
//! alpha is compared.

use solio_color::{Color, HueMethod, Interpolation, Missing, Space, color_mix};

const TABLE: &str = include_str!("wpt_color_mix.txt");

/// How many mixes the file has, loops unrolled.
const VECTORS: usize = 933;

struct WptSection<'t> {
    spaces: Vec<&'t str>,
    given: &'t str,
    expected: &'t str,
}

fn section(line: &str) -> Option<WptSection<'_>> {
    let (spaces, templates) = line.strip_prefix('[')?.split_once(']')?;
    let (given, expected) = templates.split_once("->")?;
    let spaces = spaces.split_whitespace().collect();
    Some(WptSection { spaces, given: given.trim(), expected: expected.trim() })
}

/// A colour of a row, written out and read.
fn color(text: &str, template: &str, space: &str) -> Color {
    let verbatim = text.starts_with(|c: char| c.is_alphabetic()) && !text.starts_with("none");
    let css =
        if verbatim { text.to_owned() } else { template.replace('$', space).replace('*', text) };
    Color::parse(&css).unwrap_or_else(|e| panic!("{css}: {e}"))
}

/// What differs between two colours of one space; hues may differ by whole turns.
fn difference(found: &Color, expected: &Color, tolerance: f64) -> Option<String> {
    let hue = expected.space.hue_index();
    let alpha = (found.alpha - expected.alpha).abs() <= tolerance;
    let transparent = expected.alpha == 0.0 && !expected.missing.contains(Missing::ALPHA);
    let same = |i: usize| {
        let apart = (found.components[i] - expected.components[i]).abs();
        let apart = if hue == Some(i) { apart.min(360.0 - apart) } else { apart };
        apart <= tolerance
    };
    let missing = found.missing == expected.missing;
    let good = alpha && (transparent || missing && (0..3).all(same));
    (!good).then(|| format!("{}, not {}", found.to_css(), expected.to_css()))
}

/// One row in one space with one hue method; what is wrong with it.
fn check(row: &str, section: &WptSection<'_>, space: &str, method: &str) -> Option<String> {
    let (given, expected) = row.split_once(" = ").expect("a row has a result");
    let (expected, tolerance) = match expected.split_once(" ~") {
        Some((expected, tolerance)) => (expected, tolerance.parse().expect("a tolerance")),
        None => (expected, 1e-5),
    };
    let interpolation = match space {
        "default" => Interpolation::default(),
        name => Interpolation {
            space: Space::of_name(name).expect("a space"),
            hue: match method {
                "plain" => HueMethod::default(),
                method => HueMethod::of_name(method).expect("a hue method"),
            },
        },
    };
    let items: Vec<(Color, Option<f64>)> = given
        .split(" | ")
        .map(|item| match item.split_once(" @") {
            Some((text, percent)) => {
                (color(text, section.given, space), Some(percent.parse().expect("a percentage")))
            }
            None => (color(item, section.given, space), None),
        })
        .collect();
    let expected = color(expected, section.expected, space);
    let found = color_mix(&items, interpolation).expect("a mix");
    let found = if expected.space == found.space { found } else { found.to(expected.space) };
    difference(&found, &expected, tolerance)
        .map(|text| format!("in {space} {method}: {row}: {text}"))
}

#[test]
fn colours_mix_as_in_web_platform_tests() {
    let mut current = None;
    let (mut vectors, mut wrong) = (0, Vec::new());
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(found) = section(line) {
            current = Some(found);
            continue;
        }
        let section = current.as_ref().expect("a row belongs to a section");
        let (methods, row) = line.split_once(": ").unwrap_or(("plain", line));
        for space in &section.spaces {
            for method in methods.split_whitespace() {
                vectors += 1;
                wrong.extend(check(row, section, space, method));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {vectors}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(vectors, VECTORS);
}
