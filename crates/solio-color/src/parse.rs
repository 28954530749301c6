//! Colours from the text of CSS Color 4 and 5.
//!
//! The names come from the crate `color`. The functions are read here, because that crate keeps
//! `f32`, in which a text does not come back as it was, and because `color()` has spaces here that
//! CSS lacks.

use crate::{Color, Missing, Space};
use solio_base::{Error, Result};

impl Color {
    /// A colour as CSS Color 4 writes it: a name, `#` and hex digits, `rgb()`, `hsl()`, `hwb()`,
    /// `lab()`, `lch()`, `oklab()`, `oklch()`, `color()`, with `none`, percentages and angles.
    ///
    /// `color()` also takes `acescg` and, after two dashes, any other space of [`Space`], with
    /// numbers in its units: `color(--hsv 120 0.5 1)`. As in CSS, lightness, saturation, chroma
    /// and alpha are held within their ranges, and so are the components of `rgb()`; those of
    /// `color()` are not.
    ///
    /// Of CSS Color 5: `color-mix()`, colours relative to another (`oklch(from red calc(l / 2) c h)`),
    /// and `light-dark()`, of which the light one counts. `calc()`, `min()`, `max()` and `clamp()` stand
    /// for components. Of `var()` the fallback counts: there are no custom properties here.
    ///
    /// # Errors
    ///
    /// With the byte at which the text is no colour.
    pub fn parse(text: &str) -> Result<Color> {
        let mut cursor = CssCursor { text, at: 0, depth: 0, channels: None };
        cursor.space();
        let color = cursor.color()?;
        cursor.space();
        if cursor.at < text.len() {
            return Err(cursor.error("something stands after the colour"));
        }
        Ok(color)
    }
}

/// A component as it is written.
#[derive(Clone, Copy)]
pub(crate) enum CssValue<'t> {
    None,
    Number(&'t str),
    Percent(&'t str),
    /// In degrees.
    Angle(f64),
    /// A number that was computed.
    Computed(f64),
    /// A percentage that was computed.
    ComputedPercent(f64),
}

/// How a component is to be read.
#[derive(Clone, Copy)]
pub(crate) enum CssScale {
    /// Numbers as they are; 100 % is this much.
    Plain(f64),
    /// Codes of eight bits, 100 % is 1; held within 0 to 1.
    Code,
    /// Numbers are percentages too; 100 % is 1.
    Hundredths,
    /// Degrees, or an angle with its unit.
    Hue,
}

pub(crate) struct CssCursor<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    /// Functions within functions so far.
    pub(crate) depth: usize,
    /// What stands for components, where a colour is relative to another.
    pub(crate) channels: Option<CssChannels>,
}

/// The components of the colour that another one is relative to, by their names.
#[derive(Clone, Copy)]
pub(crate) struct CssChannels {
    pub(crate) names: [&'static str; 4],
    /// In the units in which numbers stand for them.
    pub(crate) values: [f64; 4],
    pub(crate) missing: Missing,
}

/// Functions within functions.
pub(crate) const MOST_DEEP: usize = 32;

impl<'t> CssCursor<'t> {
    pub(crate) fn error(&self, message: &str) -> Error {
        Error::syntax(format!("no colour: {message}")).at_offset(self.at as u64)
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes white space and comments.
    pub(crate) fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
            self.at += rest.len() - trimmed.len();
            match trimmed.strip_prefix("/*").and_then(|inner| inner.find("*/")) {
                Some(length) => self.at += length + 4,
                None => return,
            }
        }
    }

    /// Passes `byte`, which is ASCII, after white space.
    pub(crate) fn passes(&mut self, byte: u8) -> bool {
        self.space();
        let there = self.rest().as_bytes().first() == Some(&byte);
        self.at += usize::from(there);
        there
    }

    /// Letters, digits, dashes and underscores; empty where there are none.
    pub(crate) fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let word = &rest[..rest.find(|c| !inside(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    pub(crate) fn color(&mut self) -> Result<Color> {
        let start = self.at;
        if self.passes(b'#') {
            return self.hex();
        }
        let name = self.word().to_ascii_lowercase();
        if self.rest().starts_with('(') {
            self.at += 1;
            if self.depth >= MOST_DEEP {
                return Err(self.error("functions within functions, more than 32 deep"));
            }
            self.depth += 1;
            // What stands for components stays outside.
            let channels = self.channels.take();
            let color = self.function(&name, start);
            self.channels = channels;
            self.depth -= 1;
            return color;
        }
        // The crate writes each of them with an a only.
        let spelled = name.replace("grey", "gray");
        let found = ::color::parse_color(&spelled).ok().filter(|_| !name.is_empty());
        let Some(found) = found else {
            self.at = start;
            let message =
                if name.is_empty() { "a name or a function is expected" } else { "no such name" };
            return Err(self.error(message));
        };
        let rgba = found.to_alpha_color::<::color::Srgb>().to_rgba8();
        Ok(of_codes([rgba.r, rgba.g, rgba.b, rgba.a]))
    }

    fn hex(&mut self) -> Result<Color> {
        let word = self.word();
        let digits: Option<Vec<u8>> =
            word.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        let code = |pair: &[u8]| 16 * pair[0] + pair[pair.len() - 1];
        let size = if word.len() < 6 { 1 } else { 2 };
        match digits {
            Some(digits) if [3, 4, 6, 8].contains(&digits.len()) => {
                let mut codes = [255; 4];
                for (to, pair) in codes.iter_mut().zip(digits.chunks(size)) {
                    *to = code(pair);
                }
                Ok(of_codes(codes))
            }
            _ => {
                self.at -= word.len();
                Err(self.error("3, 4, 6 or 8 hex digits are expected"))
            }
        }
    }

    fn function(&mut self, name: &str, start: usize) -> Result<Color> {
        use CssScale::{Code, Hue, Hundredths, Plain};
        if let Some(color) = self.function_of_5(name)? {
            return Ok(color);
        }
        match name {
            "rgb" | "rgba" => self.components(Space::Srgb, [Code; 3], true),
            "hsl" | "hsla" => self.components(Space::Hsl, [Hue, Hundredths, Hundredths], true),
            "hwb" => self.components(Space::Hwb, [Hue, Hundredths, Hundredths], false),
            "lab" => self.components(Space::Lab, [Plain(100.0), Plain(125.0), Plain(125.0)], false),
            "lch" => self.components(Space::Lch, [Plain(100.0), Plain(150.0), Hue], false),
            "oklab" => self.components(Space::Oklab, [Plain(1.0), Plain(0.4), Plain(0.4)], false),
            "oklch" => self.components(Space::Oklch, [Plain(1.0), Plain(0.4), Hue], false),
            "color" => {
                self.space();
                let before = self.at;
                let name = self.word();
                let Some(space) = space_of_color(name) else {
                    self.at = before;
                    return Err(self.error("color() has no such space"));
                };
                let hue = space.hue_index();
                let ranges = space.ranges();
                let rules =
                    [0, 1, 2].map(|i| if hue == Some(i) { Hue } else { Plain(ranges[i][1]) });
                let color = self.arguments(space, rules, false)?;
                Ok(color)
            }
            _ => {
                self.at = start;
                Err(self.error("no such function"))
            }
        }
    }

    /// The rest of a function whose components are held within their ranges.
    fn components(&mut self, space: Space, rules: [CssScale; 3], legacy: bool) -> Result<Color> {
        let mut color = self.arguments(space, rules, legacy)?;
        let [a, b, _] = &mut color.components;
        match space {
            Space::Srgb => color.components = color.components.map(|c| c.clamp(0.0, 1.0)),
            Space::Hsl => *b = b.max(0.0),
            Space::Lab => *a = a.clamp(0.0, 100.0),
            Space::Oklab => *a = a.clamp(0.0, 1.0),
            Space::Lch => (*a, *b) = (a.clamp(0.0, 100.0), b.max(0.0)),
            Space::Oklch => (*a, *b) = (a.clamp(0.0, 1.0), b.max(0.0)),
            _ => {}
        }
        Ok(color)
    }

    /// Three components, perhaps alpha, and the parenthesis. With `legacy` there may be commas
    /// between them, and then neither `none` nor numbers and percentages together.
    pub(crate) fn arguments(
        &mut self,
        space: Space,
        rules: [CssScale; 3],
        legacy: bool,
    ) -> Result<Color> {
        let mut color = Color::new(space, [0.0; 3]);
        let mut missing = Missing::NONE;
        let mut commas = false;
        let mut percents = 0;
        for (i, rule) in rules.into_iter().enumerate() {
            if i > 0 {
                let comma = self.passes(b',');
                commas = if i == 1 { comma && legacy } else { commas };
                if comma != commas {
                    return Err(self.error("commas stand between all components or none"));
                }
            }
            let value = self.value()?;
            percents +=
                usize::from(matches!(value, CssValue::Percent(_) | CssValue::ComputedPercent(_)));
            match self.number(value, rule)? {
                Some(number) => color.components[i] = number,
                None => missing = missing.with(i),
            }
        }
        let mixed = match space {
            Space::Hsl => percents != 2,
            _ => percents != 0 && percents != 3,
        };
        let message = "with commas, no none, nor numbers beside percentages";
        if commas && (!missing.is_empty() || mixed) {
            return Err(self.error(message));
        }
        if self.passes(if commas { b',' } else { b'/' }) {
            let value = self.value()?;
            match self.number(value, CssScale::Plain(1.0))? {
                Some(alpha) => color.alpha = alpha.clamp(0.0, 1.0),
                None if commas => return Err(self.error(message)),
                None => missing = missing.with(Missing::ALPHA),
            }
        } else if let Some(origin) = &self.channels {
            // Without one of its own it has that of the colour that it is relative to.
            color.alpha = origin.values[3];
            if origin.missing.contains(Missing::ALPHA) {
                missing = missing.with(Missing::ALPHA);
            }
        }
        if !self.passes(b')') {
            return Err(self.error("a closing parenthesis is expected"));
        }
        Ok(color.with_missing(missing))
    }

    pub(crate) fn value(&mut self) -> Result<CssValue<'t>> {
        self.space();
        let number = &self.rest()[..number_length(self.rest().as_bytes())];
        if number.is_empty() {
            let before = self.at;
            if let Some(value) = self.computed()? {
                return Ok(value);
            }
            if self.word().eq_ignore_ascii_case("none") {
                return Ok(CssValue::None);
            }
            self.at = before;
            return Err(self.error("a number, a percentage or none is expected"));
        }
        self.at += number.len();
        if self.rest().starts_with('%') {
            self.at += 1;
            return Ok(CssValue::Percent(number));
        }
        let before = self.at;
        let degrees = match self.word().to_ascii_lowercase().as_str() {
            "" => return Ok(CssValue::Number(number)),
            "deg" => 1.0,
            "grad" => 0.9,
            "rad" => 1f64.to_degrees(),
            "turn" => 360.0,
            _ => {
                self.at = before;
                return Err(self.error("deg, grad, rad or turn is expected"));
            }
        };
        Ok(CssValue::Angle(self.bounded(self.finite(number)? * degrees)?))
    }

    pub(crate) fn finite(&self, number: &str) -> Result<f64> {
        self.bounded(number.parse::<f64>().unwrap_or(f64::INFINITY))
    }

    pub(crate) fn bounded(&self, value: f64) -> Result<f64> {
        let value = Some(value).filter(|value| value.is_finite());
        value.ok_or_else(|| self.error("the number is too large"))
    }

    /// The number that a value stands for; `None` where it is missing.
    pub(crate) fn number(&self, value: CssValue<'_>, rule: CssScale) -> Result<Option<f64>> {
        let number = match (rule, value) {
            (_, CssValue::None) => return Ok(None),
            (CssScale::Hue, CssValue::Angle(degrees) | CssValue::Computed(degrees)) => degrees,
            (_, CssValue::Angle(_)) => {
                return Err(self.error("an angle stands where none can"));
            }
            (CssScale::Hue, CssValue::Percent(_) | CssValue::ComputedPercent(_)) => {
                return Err(self.error("a hue is a number or an angle"));
            }
            (CssScale::Hue | CssScale::Plain(_), CssValue::Number(text)) => self.finite(text)?,
            (CssScale::Code, CssValue::Number(text)) => self.finite(text)? / 255.0,
            (CssScale::Hundredths, CssValue::Number(text) | CssValue::Percent(text))
            | (CssScale::Code, CssValue::Percent(text)) => self.finite(&hundredth(text))?,
            (CssScale::Plain(_), CssValue::Computed(value)) => self.bounded(value)?,
            (CssScale::Code, CssValue::Computed(value)) => self.bounded(value / 255.0)?,
            (
                CssScale::Hundredths,
                CssValue::Computed(value) | CssValue::ComputedPercent(value),
            )
            | (CssScale::Code, CssValue::ComputedPercent(value)) => self.bounded(value / 100.0)?,
            (CssScale::Plain(whole), CssValue::ComputedPercent(value)) => {
                self.bounded(value * (whole / 100.0))?
            }
            (CssScale::Plain(1.0), CssValue::Percent(text)) => self.finite(&hundredth(text))?,
            (CssScale::Plain(whole), CssValue::Percent(text)) => {
                self.bounded(self.finite(text)? * (whole / 100.0))?
            }
        };
        Ok(Some(number))
    }
}

/// A hundredth of a number, as text: the point moved, so that nothing is rounded twice.
fn hundredth(number: &str) -> String {
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let limit = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    format!("{digits}e{}", exponent.parse::<i64>().unwrap_or(limit).saturating_sub(2))
}

/// How many bytes at the beginning are a number (CSS Syntax 3, §4.3.12).
pub(crate) fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    if end == sign {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn of_codes([r, g, b, a]: [u8; 4]) -> Color {
    Color::from_rgb8([r, g, b]).with_alpha(f64::from(a) / 255.0)
}

/// The spaces of `color()`: those of CSS, `acescg`, and after two dashes all others.
pub(crate) fn space_of_color(name: &str) -> Option<Space> {
    let dashed = name.strip_prefix("--");
    let space = Space::of_name(dashed.unwrap_or(name))?;
    let functions = [Space::Hsl, Space::Hsv, Space::Hwb, Space::Lab, Space::Lch];
    let other = functions.contains(&space) || [Space::Oklab, Space::Oklch].contains(&space);
    (dashed.is_some() == other || space == Space::AcesCg).then_some(space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn names_and_hex() {
        assert_eq!(found("red"), Color::from_rgb8([255, 0, 0]));
        assert_eq!(found(" RebeccaPurple "), Color::from_rgb8([0x66, 0x33, 0x99]));
        assert_eq!(found("transparent"), Color::from_rgb8([0; 3]).with_alpha(0.0));
        for (name, other) in
            [("gray", "grey"), ("darkslategray", "darkslategrey"), ("aqua", "cyan")]
        {
            assert_eq!(found(name), found(other));
        }
        assert_eq!(found("#f80"), Color::from_rgb8([255, 136, 0]));
        assert_eq!(found("#F808"), Color::from_rgb8([255, 136, 0]).with_alpha(136.0 / 255.0));
        assert_eq!(found("#12aB00"), Color::from_rgb8([0x12, 0xab, 0]));
        assert_eq!(found("#12345600"), Color::from_rgb8([0x12, 0x34, 0x56]).with_alpha(0.0));
    }

    #[test]
    fn functions() {
        assert_eq!(found("rgb(255, 0, 51)"), Color::from_rgb8([255, 0, 51]));
        assert_eq!(found("rgba(100%,0%,20%,50%)"), Color::from_rgb8([255, 0, 51]).with_alpha(0.5));
        assert_eq!(found("RGB(300 -5 51 / 2)"), Color::from_rgb8([255, 0, 51]));
        let hsl = Color::new(Space::Hsl, [120.0, 0.1, 0.07]);
        for text in
            ["hsl(120deg 10% 7%)", "hsl(120 10 7)", "hsla(120, 10%, 7%)", "hsl(1.2e2,1e1%,.7e1%)"]
        {
            assert_eq!(found(text), hsl, "{text}");
        }
        assert_eq!(found("hwb(0.5turn 7% 20%)").components, [180.0, 0.07, 0.2]);
        assert_eq!(found("lab(50% 100% -50%)").components, [50.0, 125.0, -62.5]);
        assert_eq!(found("lch(120 50% 100grad)").components, [100.0, 75.0, 90.0]);
        assert_eq!(found("oklab(50% 50% .1)").components, [0.5, 0.2, 0.1]);
        assert_eq!(found("oklch(0.1 20 30)").components, [0.1, 20.0, 30.0]);
        assert_eq!(found("color(display-p3 150% -0.5 1e-2)").components, [1.5, -0.5, 0.01]);
        assert_eq!(found("color(xyz 1 2 3)").space, Space::XyzD65);
        assert_eq!(found("color(acescg 1 2 3)").space, Space::AcesCg);
        assert_eq!(found("color(--hsv 30deg 50% 0.2)"), Color::new(Space::Hsv, [30.0, 0.5, 0.2]));
        assert_eq!(found("color(--lab 120 0 0)").components[0], 120.0);
        let none = found("lch(none/**/20 none/none)");
        assert_eq!(none.missing, Missing::NONE.with(0).with(2).with(Missing::ALPHA));
        assert_eq!((none.components, none.alpha), ([0.0, 20.0, 0.0], 0.0));
    }

    #[test]
    fn what_is_no_colour_is_told_with_its_place() {
        for (text, place) in [
            ("", 0),
            ("  nosuch", 2),
            ("#12345", 1),
            ("#12g", 1),
            ("red blue", 4),
            ("rgb(1 2", 7),
            ("rgb(1, 2 3)", 9),
            ("rgb(1 2, 3)", 8),
            ("rgb(1, none, 3)", 14),
            ("rgb(1, 2, 3, none)", 17),
            ("hsla(1, 2%, 3%,none)", 19),
            ("rgb(1, 2%, 3)", 12),
            ("rgb(1 2 3, 4)", 9),
            ("hsl(10%, 1%, 2%)", 7),
            ("hsl(1, 2, 3)", 11),
            ("hsl(1 2px 3)", 7),
            ("lab(1, 2, 3)", 6),
            ("lab(1 2deg 3)", 10),
            ("lab(1e999 2 3)", 9),
            ("lch(1 2 1e308turn)", 17),
            ("lab(1 2e308% 3)", 12),
            ("lch(1 1.7e308% 3)", 14),
            ("foo(1 2 3)", 0),
            ("color(hsl 1 2 3)", 6),
            ("color(--srgb 1 2 3)", 6),
            ("rgb(calc(1px) 2 3)", 10),
            ("rgb(calc(1 +) 2 3)", 12),
            ("rgb(calc(1 / 0) 2 3)", 14),
            ("rgb(r 2 3)", 4),
            ("rgb(1 2 3 /* )", 11),
            ("é", 0),
            ("rgb(é 1 2)", 4),
        ] {
            let error = Color::parse(text).expect_err(text);
            assert_eq!(error.offset(), Some(place), "{text}: {error}");
        }
    }

    #[test]
    fn any_bytes_are_a_colour_or_an_error() {
        let pieces = [
            "rgb(", "color(", "--", "hsv", "1", ".", "e", "-", "%", ",", "/", "none", ")", "#",
            "é", "/*", " ", "turn",
        ];
        let mut state = 7u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
                let _ = Color::parse(&text);
            }
        }
    }
}
