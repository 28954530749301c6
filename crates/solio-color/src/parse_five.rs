//! What CSS Color 5 adds to colours: `color-mix()`, colours relative to others, `light-dark()`, `var()`
//! by its fallback, and numbers that are computed (CSS Values 4, `calc()`).

use crate::parse::{
    CssChannels, CssCursor, CssScale, CssValue, MOST_DEEP, number_length, space_of_color,
};
use crate::{Color, HueMethod, Interpolation, Missing, Space, color_mix};
use solio_base::Result;

/// A number with what it counts.
#[derive(Clone, Copy)]
struct CssTerm {
    value: f64,
    unit: CssUnit,
}

#[derive(Clone, Copy, PartialEq)]
enum CssUnit {
    Number,
    Percent,
    Degrees,
}

impl<'t> CssCursor<'t> {
    /// The rest of a function that is not of CSS Color 4 alone, or of one whose colour is relative.
    pub(crate) fn function_of_5(&mut self, name: &str) -> Result<Option<Color>> {
        match name {
            "color-mix" => return self.color_mix().map(Some),
            "light-dark" => return self.light_dark().map(Some),
            "var" => return self.fallback().map(Some),
            _ => {}
        }
        self.space();
        let before = self.at;
        if !self.word().eq_ignore_ascii_case("from") || self.rest().starts_with('(') {
            self.at = before;
            return Ok(None);
        }
        self.space();
        let origin = self.color()?;
        self.relative(name, &origin).map(Some)
    }

    fn closed(&mut self, color: Color) -> Result<Color> {
        match self.passes(b')') {
            true => Ok(color),
            false => Err(self.error("a closing parenthesis is expected")),
        }
    }

    /// `in oklab, red 30%, blue`: without a space it is Oklab.
    fn color_mix(&mut self) -> Result<Color> {
        self.space();
        let before = self.at;
        let mut way = Interpolation::default();
        if self.word().eq_ignore_ascii_case("in") {
            way = self.interpolation()?;
            if !self.passes(b',') {
                return Err(self.error("a comma is expected before the colours of color-mix()"));
            }
        } else {
            self.at = before;
        }
        let mut items = Vec::new();
        loop {
            let before = self.share()?;
            self.space();
            let color = self.color()?;
            let share = match before {
                Some(share) => Some(share),
                None => self.share()?,
            };
            items.push((color, share));
            if !self.passes(b',') {
                break;
            }
        }
        let mixed = color_mix(&items, way).map_err(|error| self.error(error.message()))?;
        self.closed(mixed)
    }

    /// `oklch longer hue`.
    fn interpolation(&mut self) -> Result<Interpolation> {
        self.space();
        let before = self.at;
        let name = self.word().to_ascii_lowercase();
        let known = Space::of_name(&name).filter(|s| !matches!(s, Space::Hsv | Space::AcesCg));
        let Some(space) = known else {
            self.at = before;
            return Err(self.error("a space of CSS to mix in is expected"));
        };
        self.space();
        let before = self.at;
        let word = self.word();
        let Some(hue) = HueMethod::of_name(word).filter(|_| space.is_polar()) else {
            self.at = before;
            return Ok(Interpolation::new(space));
        };
        self.space();
        match self.word().eq_ignore_ascii_case("hue") {
            true => Ok(Interpolation { space, hue }),
            false => Err(self.error("hue is expected")),
        }
    }

    /// A percentage, where one stands.
    fn share(&mut self) -> Result<Option<f64>> {
        self.space();
        let before = self.at;
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
        let is_math = ["calc(", "min(", "max(", "clamp("].iter().any(|name| {
            self.rest().get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name))
        });
        if !self.rest().starts_with(begins) && !is_math {
            return Ok(None);
        }
        match self.value()? {
            CssValue::Percent(text) => self.finite(text).map(Some),
            CssValue::ComputedPercent(value) => Ok(Some(value)),
            _ => {
                self.at = before;
                Err(self.error("a percentage is expected"))
            }
        }
    }

    /// Both must be colours; without a scheme the first counts.
    fn light_dark(&mut self) -> Result<Color> {
        self.space();
        let light = self.color()?;
        if !self.passes(b',') {
            return Err(self.error("light-dark() takes two colours"));
        }
        self.space();
        self.color()?;
        self.closed(light)
    }

    /// The fallback of `var(--name, fallback)`.
    fn fallback(&mut self) -> Result<Color> {
        self.space();
        let before = self.at;
        let name = self.word();
        if !name.starts_with("--") {
            self.at = before;
            return Err(self.error("a custom property, --name, is expected"));
        }
        if !self.passes(b',') {
            let message = format!("var({name}) has no value here, nor a fallback");
            self.at = before;
            return Err(self.error(&message));
        }
        self.space();
        let color = self.color()?;
        self.closed(color)
    }

    /// The rest of a function behind `from` and a colour.
    fn relative(&mut self, name: &str, origin: &Color) -> Result<Color> {
        use CssScale::{Code, Hue, Hundredths, Plain};
        let of_100 = [1.0, 100.0, 100.0];
        let (space, names, rules, units) = match name {
            "rgb" | "rgba" => (Space::Srgb, ["r", "g", "b"], [Code; 3], [255.0; 3]),
            "hsl" | "hsla" => (Space::Hsl, ["h", "s", "l"], [Hue, Hundredths, Hundredths], of_100),
            "hwb" => (Space::Hwb, ["h", "w", "b"], [Hue, Hundredths, Hundredths], of_100),
            "lab" => {
                let rules = [Plain(100.0), Plain(125.0), Plain(125.0)];
                (Space::Lab, ["l", "a", "b"], rules, [1.0; 3])
            }
            "lch" => (Space::Lch, ["l", "c", "h"], [Plain(100.0), Plain(150.0), Hue], [1.0; 3]),
            "oklab" => {
                (Space::Oklab, ["l", "a", "b"], [Plain(1.0), Plain(0.4), Plain(0.4)], [1.0; 3])
            }
            "oklch" => (Space::Oklch, ["l", "c", "h"], [Plain(1.0), Plain(0.4), Hue], [1.0; 3]),
            "color" => {
                self.space();
                let before = self.at;
                let Some(space) = space_of_color(self.word()) else {
                    self.at = before;
                    return Err(self.error("color() has no such space"));
                };
                let names = match space {
                    Space::XyzD50 | Space::XyzD65 => ["x", "y", "z"],
                    Space::Hsl
                    | Space::Hwb
                    | Space::Hsv
                    | Space::Lab
                    | Space::Lch
                    | Space::Oklab
                    | Space::Oklch => {
                        self.at = before;
                        return Err(self.error("color() has no components of this space"));
                    }
                    _ => ["r", "g", "b"],
                };
                (space, names, [Plain(1.0); 3], [1.0; 3])
            }
            _ => return Err(self.error("from stands in no such function")),
        };
        let found = origin.to(space);
        let [a, b, c] = [0, 1, 2].map(|i| found.components[i] * units[i]);
        let [first, second, third] = names;
        self.channels = Some(CssChannels {
            names: [first, second, third, "alpha"],
            values: [a, b, c, found.alpha],
            missing: found.missing,
        });
        let color = self.arguments(space, rules, false)?;
        self.channels = None;
        // These two come as colours of sRGB, whatever their numbers.
        Ok(match space {
            Space::Hsl | Space::Hwb => Color { missing: Missing::NONE, ..color.to(Space::Srgb) },
            _ => color,
        })
    }

    /// A component that is no number as it stands: a name of a relative colour, or one that is computed.
    pub(crate) fn computed(&mut self) -> Result<Option<CssValue<'t>>> {
        let before = self.at;
        let word = self.word().to_ascii_lowercase();
        if self.rest().starts_with('(') {
            self.at = before;
            if !matches!(&word[..], "calc" | "min" | "max" | "clamp") {
                return Ok(None);
            }
            let term = self.term()?;
            let value = self.bounded(term.value)?;
            return Ok(Some(match term.unit {
                CssUnit::Number => CssValue::Computed(value),
                CssUnit::Percent => CssValue::ComputedPercent(value),
                CssUnit::Degrees => CssValue::Angle(value),
            }));
        }
        let Some((index, value)) = self.channel(&word) else {
            self.at = before;
            return Ok(None);
        };
        let is_missing = self.channels.is_some_and(|all| all.missing.contains(index));
        Ok(Some(if is_missing { CssValue::None } else { CssValue::Computed(value) }))
    }

    fn channel(&self, word: &str) -> Option<(usize, f64)> {
        let channels = self.channels.as_ref()?;
        let index = channels.names.iter().position(|name| *name == word)?;
        // Missing ones count as 0 in what is computed.
        let value = if channels.missing.contains(index) { 0.0 } else { channels.values[index] };
        Some((index, value))
    }

    /// Terms with `+` and `-` between them.
    fn sum(&mut self) -> Result<CssTerm> {
        let mut sum = self.product()?;
        loop {
            self.space();
            let sign = match self.rest().as_bytes().first() {
                Some(b'+') => 1.0,
                Some(b'-') => -1.0,
                _ => return Ok(sum),
            };
            self.at += 1;
            let term = self.product()?;
            if term.unit != sum.unit {
                return Err(self.error("numbers, percentages and angles cannot be added"));
            }
            sum.value += sign * term.value;
        }
    }

    fn product(&mut self) -> Result<CssTerm> {
        let mut product = self.term()?;
        loop {
            self.space();
            match self.rest().as_bytes().first() {
                Some(b'*') => {
                    self.at += 1;
                    let term = self.term()?;
                    product = match (product.unit, term.unit) {
                        (unit, CssUnit::Number) | (CssUnit::Number, unit) => {
                            CssTerm { value: product.value * term.value, unit }
                        }
                        _ => return Err(self.error("one of two factors is a number")),
                    };
                }
                Some(b'/') => {
                    self.at += 1;
                    let term = self.term()?;
                    if term.unit != CssUnit::Number || term.value == 0.0 {
                        return Err(self.error("a number other than 0 is expected to divide by"));
                    }
                    product.value /= term.value;
                }
                _ => return Ok(product),
            }
        }
    }

    /// A number, a name, a function, or what stands in parentheses.
    fn term(&mut self) -> Result<CssTerm> {
        self.space();
        if self.depth >= MOST_DEEP {
            return Err(self.error("functions within functions, more than 32 deep"));
        }
        let number = |value| CssTerm { value, unit: CssUnit::Number };
        let before = self.at;
        let word = self.word().to_ascii_lowercase();
        if self.rest().starts_with('(') && (word.is_empty() || is_math(&word)) {
            self.at += 1;
            self.depth += 1;
            let mut terms = vec![self.sum()?];
            while self.passes(b',') {
                terms.push(self.sum()?);
            }
            self.depth -= 1;
            if !self.passes(b')') {
                return Err(self.error("a closing parenthesis is expected"));
            }
            if terms.iter().any(|term| term.unit != terms[0].unit) {
                return Err(self.error("numbers, percentages and angles cannot be compared"));
            }
            let values = || terms.iter().map(|term| term.value);
            let value = match (&word[..], &terms[..]) {
                ("" | "calc", [one]) => one.value,
                ("min", _) => values().fold(f64::INFINITY, f64::min),
                ("max", _) => values().fold(f64::NEG_INFINITY, f64::max),
                ("clamp", [least, value, most]) => value.value.min(most.value).max(least.value),
                _ => return Err(self.error("another number of values is expected")),
            };
            return Ok(CssTerm { value, unit: terms[0].unit });
        }
        if let Some((_, value)) = self.channel(&word) {
            return Ok(number(value));
        }
        match &word[..] {
            "pi" => return Ok(number(std::f64::consts::PI)),
            "e" => return Ok(number(std::f64::consts::E)),
            _ => self.at = before,
        }
        if number_length(self.rest().as_bytes()) == 0 {
            return Err(self.error("a number is expected"));
        }
        Ok(match self.value()? {
            CssValue::Number(text) => number(self.finite(text)?),
            CssValue::Percent(text) => {
                CssTerm { value: self.finite(text)?, unit: CssUnit::Percent }
            }
            CssValue::Angle(value) => CssTerm { value, unit: CssUnit::Degrees },
            _ => return Err(self.error("a number is expected")),
        })
    }
}

fn is_math(word: &str) -> bool {
    matches!(word, "calc" | "min" | "max" | "clamp")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, expected: &str) {
        let [found, wanted] = [text, expected]
            .map(|text| Color::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")));
        let same = found.to(wanted.space);
        let [a, b] = [same, wanted].map(|c| [c.components.to_vec(), vec![c.alpha]].concat());
        let near = a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 2e-2);
        assert!(near && found.missing == wanted.missing, "{text}: {}", found.to_css());
    }

    /// Examples of CSS Color 5, and what Chromium and coloraide compute.
    #[test]
    fn colours_are_mixed() {
        for (text, expected) in [
            ("color-mix(in srgb, red, blue)", "color(srgb 0.5 0 0.5)"),
            ("color-mix(in srgb, red 30%, blue)", "color(srgb 0.3 0 0.7)"),
            ("color-mix(in srgb, 30% red, blue)", "color(srgb 0.3 0 0.7)"),
            ("color-mix(in srgb, red, blue calc(35% * 2))", "color(srgb 0.3 0 0.7)"),
            ("color-mix(in srgb, red 20%, blue 20%)", "color(srgb 0.5 0 0.5 / 0.4)"),
            ("color-mix(in lch, peru 40%, palegoldenrod)", "lch(79.7256 40.448 84.771)"),
            ("color-mix(in oklab, white, black)", "oklab(0.5 0 0)"),
            ("color-mix(white, black)", "oklab(0.5 0 0)"),
            ("color-mix(in hsl longer hue, hsl(40 50% 50%), hsl(60 50% 50%))", "hsl(230 50% 50%)"),
            (
                "color-mix(in srgb, color-mix(in srgb, red, lime), blue)",
                "color(srgb 0.25 0.25 0.5)",
            ),
            ("color-mix(in srgb, red, lime, blue, white)", "color(srgb 0.5 0.5 0.5)"),
            ("light-dark(red, blue)", "red"),
            ("light-dark(light-dark(#123, red), var(--x, blue))", "#123"),
            ("var(--x, var(--y, lime))", "lime"),
        ] {
            near(text, expected);
        }
    }

    #[test]
    fn colours_are_relative_to_others() {
        for (text, expected) in [
            ("rgb(from red r g b)", "red"),
            ("rgb(from red b r g / 50%)", "rgb(0 255 0 / 0.5)"),
            ("rgb(from rgb(10 20 30 / 0.4) r g b)", "rgb(10 20 30 / 0.4)"),
            ("rgb(from rgb(10 20 30 / 0.4) r g b / calc(alpha * 2))", "rgb(10 20 30 / 0.8)"),
            ("rgb(from red calc(r / 2) 10% 0)", "color(srgb 0.5 0.1 0)"),
            ("hsl(from red calc(h + 120) s l)", "color(srgb 0 1 0)"),
            ("hsl(from red h s calc(l - 25))", "color(srgb 0.5 0 0)"),
            ("hwb(from red h 20 b)", "color(srgb 1 0.2 0.2)"),
            ("lab(from lab(50 20 10) calc(l * 1.2) a b)", "lab(60 20 10)"),
            ("lch(from lch(50 20 10) l calc(c + 5) calc(h + 90))", "lch(50 25 100)"),
            ("oklch(from oklch(0.6 0.1 200) calc(l + 0.1) c h)", "oklch(0.7 0.1 200)"),
            ("oklab(from oklab(0.6 0.1 0.1) l a clamp(0, b, 0.05))", "oklab(0.6 0.1 0.05)"),
            ("color(from red srgb b g r)", "color(srgb 0 0 1)"),
            ("color(from color(xyz 0.1 0.2 0.3) xyz z y x)", "color(xyz 0.3 0.2 0.1)"),
            ("rgb(from color-mix(in srgb, red, blue) r g b)", "color(srgb 0.5 0 0.5)"),
            ("oklch(from oklch(0.5 none 30) l c h)", "oklch(0.5 none 30)"),
        ] {
            near(text, expected);
        }
    }

    #[test]
    fn components_are_computed() {
        for (text, expected) in [
            ("rgb(calc(100 + 2 * 10) min(30, 20, 40) max(1, (2 + 3) * 2))", "rgb(120 20 10)"),
            ("hsl(calc(0.25turn + 30deg) calc(20% + 30%) 50%)", "hsl(120 50% 50%)"),
            ("lab(calc(100% / 2) 0 0 / calc(1 / 4))", "lab(50 0 0 / 0.25)"),
        ] {
            near(text, expected);
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, message) in [
            ("color-mix(in srgb red, blue)", "a comma is expected"),
            ("color-mix(in rgb, red, blue)", "a space of CSS"),
            ("color-mix(in srgb, red 120%, blue)", "0 to 100"),
            ("color-mix(in srgb, red 1, blue)", "a percentage"),
            ("light-dark(red)", "two colours"),
            ("var(--x)", "no value here"),
            ("rgb(from red q g b)", ""),
            ("rgb(from red r g)", ""),
            ("rgb(calc(1 + 10%) 0 0)", "cannot be added"),
            ("rgb(calc(2% * 10%) 0 0)", "factors"),
        ] {
            let error = Color::parse(text).expect_err(text);
            assert!(error.message().contains(message), "{text}: {error}");
        }
        let deep = "color-mix(".repeat(5000) + "red";
        assert!(Color::parse(&deep).is_err());
        let deep = format!("rgb({}1", "calc(".repeat(5000));
        assert!(Color::parse(&deep).is_err());
    }
}
