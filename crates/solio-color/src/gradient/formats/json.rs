//! Solio's own JSON: everything that a gradient has, so that the very same comes back.
//!
//! serde_json finds where values are; numbers are read by `std`, because serde_json without its
//! slower feature may be an ulp off.

use super::{MAX_STOPS, MaybeGradients, named_error, text};
use crate::gradient::{AlphaStop, ColorStop, Easing, Gradient, Keys, Mode, Outside, Ramp};
use crate::{Color, Missing, Space};
use serde_json::Value;
use serde_json::value::RawValue;
use solio_base::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const VERSION: f64 = 1.0;

/// Gradients of `{"gradients": [...]}`, of an array, or the one of an object.
pub(super) fn read(all: &str) -> Result<MaybeGradients> {
    let raw: &RawValue = serde_json::from_str(all).map_err(|error| {
        Error::syntax(format!("not JSON: {error}"))
            .at_line(error.line() as u64, error.column() as u64)
    })?;
    let root = JsonNode { all, raw };
    if root.starts('[') {
        return Ok(root.array()?.into_iter().map(named).collect());
    }
    let fields = root.object()?;
    let Some(&list) = fields.get("gradients") else { return Ok(vec![named(root)]) };
    root.only(&fields, &["format", "version", "gradients"])?;
    if let Some(version) = fields.get("version")
        && version.number()? != VERSION
    {
        return Err(version.error("expected version 1").hint("a newer Solio may read it"));
    }
    Ok(list.array()?.into_iter().map(named).collect())
}

/// A value and where it is.
#[derive(Clone, Copy)]
struct JsonNode<'t> {
    all: &'t str,
    raw: &'t RawValue,
}

type JsonFields<'t> = BTreeMap<String, JsonNode<'t>>;

impl<'t> JsonNode<'t> {
    fn error(&self, message: impl Into<String>) -> Error {
        text::error_at(self.all, text::place(self.all, self.raw.get()), message)
    }

    fn starts(&self, with: char) -> bool {
        self.raw.get().starts_with(with)
    }

    fn object(&self) -> Result<JsonFields<'t>> {
        let fields: BTreeMap<String, &'t RawValue> = serde_json::from_str(self.raw.get())
            .map_err(|_| self.error("expected an object, { … }"))?;
        Ok(fields.into_iter().map(|(key, raw)| (key, JsonNode { raw, ..*self })).collect())
    }

    fn array(&self) -> Result<Vec<JsonNode<'t>>> {
        let items: Vec<&'t RawValue> = serde_json::from_str(self.raw.get())
            .map_err(|_| self.error("expected an array, [ … ]"))?;
        if items.len() > MAX_STOPS {
            return Err(Error::limit(format!("{} items; the limit is {MAX_STOPS}", items.len())));
        }
        Ok(items.into_iter().map(|raw| JsonNode { raw, ..*self }).collect())
    }

    fn string(&self) -> Result<String> {
        serde_json::from_str(self.raw.get()).map_err(|_| self.error("expected a string"))
    }

    fn number(&self) -> Result<f64> {
        text::number(self.raw.get()).ok_or_else(|| self.error("expected a finite number"))
    }

    fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let items: Result<Vec<f64>> = self.array()?.iter().map(JsonNode::number).collect();
        items?.try_into().map_err(|_| self.error(format!("expected {N} numbers")))
    }

    /// What `of` makes of a string.
    fn named<T>(&self, what: &str, of: impl Fn(&str) -> Option<T>) -> Result<T> {
        let name = self.string()?;
        of(&name).ok_or_else(|| self.error(format!("\"{name}\" is no {what}")))
    }

    fn only(&self, fields: &JsonFields<'_>, known: &[&str]) -> Result<()> {
        match fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, node)) => Err(node
                .error(format!("\"{key}\" is not known here"))
                .hint(format!("known: {}", known.join(", ")))),
        }
    }
}

/// A gradient; what is wrong is told with its name.
fn named(node: JsonNode<'_>) -> Result<Gradient> {
    gradient(node).map_err(|error| {
        let name = node.object().ok().and_then(|fields| fields.get("name")?.string().ok());
        named_error(&name.unwrap_or_default(), error)
    })
}

fn gradient(node: JsonNode<'_>) -> Result<Gradient> {
    let fields = node.object()?;
    node.only(&fields, &["name", "mode", "keys", "domain", "outside", "colors", "alphas"])?;
    let mut gradient = Gradient::default();
    if let Some(name) = fields.get("name") {
        gradient.name = name.string()?;
    }
    if let Some(mode) = fields.get("mode") {
        gradient.mode = mode.named("mode", Mode::of_name)?;
    }
    if let Some(keys) = fields.get("keys") {
        gradient.keys = keys.named("way to read keys (srgb, linear)", Keys::of_name)?;
    }
    if let Some(domain) = fields.get("domain") {
        gradient.domain = Some(domain.numbers()?);
    }
    if let Some(outside) = fields.get("outside") {
        let fields = outside.object()?;
        outside.only(&fields, &["below", "above", "nan"])?;
        let of = |key: &str| fields.get(key).map(color).transpose();
        gradient.outside = Outside { below: of("below")?, above: of("above")?, nan: of("nan")? };
    }
    let colors = fields.get("colors").ok_or_else(|| node.error("expected \"colors\""))?;
    gradient.colors = colors.array()?.into_iter().map(color_stop).collect::<Result<_>>()?;
    if gradient.colors.is_empty() {
        return Err(colors.error("expected at least one colour"));
    }
    if let Some(alphas) = fields.get("alphas") {
        gradient.alphas = alphas.array()?.into_iter().map(alpha_stop).collect::<Result<_>>()?;
    }
    Ok(gradient)
}

fn color_stop(node: JsonNode<'_>) -> Result<ColorStop> {
    let fields = node.object()?;
    node.only(&fields, &["position", "color", "midpoint", "easing", "mode"])?;
    let [position, found] = required(&node, &fields, ["position", "color"])?;
    Ok(ColorStop { position: position.number()?, color: color(found)?, to_next: ramp(&fields)? })
}

fn alpha_stop(node: JsonNode<'_>) -> Result<AlphaStop> {
    let fields = node.object()?;
    node.only(&fields, &["position", "alpha", "midpoint", "easing", "mode"])?;
    let [position, alpha] = required(&node, &fields, ["position", "alpha"])?;
    Ok(AlphaStop { position: position.number()?, alpha: alpha.number()?, to_next: ramp(&fields)? })
}

fn required<'f, 't>(
    node: &JsonNode<'t>,
    fields: &'f JsonFields<'t>,
    keys: [&str; 2],
) -> Result<[&'f JsonNode<'t>; 2]> {
    let of = |key: &str| fields.get(key).ok_or_else(|| node.error(format!("expected \"{key}\"")));
    Ok([of(keys[0])?, of(keys[1])?])
}

fn ramp(fields: &JsonFields<'_>) -> Result<Ramp> {
    let mut ramp = Ramp::default();
    if let Some(midpoint) = fields.get("midpoint") {
        ramp.midpoint = midpoint.number()?;
    }
    if let Some(easing) = fields.get("easing") {
        ramp.easing = easing.named("easing", Easing::of_name)?;
    }
    if let Some(mode) = fields.get("mode") {
        ramp.mode = Some(mode.named("mode", Mode::of_name)?);
    }
    Ok(ramp)
}

/// The text of CSS, or an object.
fn color(node: &JsonNode<'_>) -> Result<Color> {
    if node.starts('"') {
        let text = node.string()?;
        return Color::parse(&text).map_err(|error| node.error(error.message()));
    }
    let fields = node.object()?;
    node.only(&fields, &["space", "components", "alpha"])?;
    let [space, components] = required(node, &fields, ["space", "components"])?;
    let space = space.named("colour space", Space::of_name)?;
    let components = components.array()?;
    let [a, b, c] = components[..] else { return Err(node.error("expected 3 components")) };
    let mut missing = Missing::NONE;
    let mut of = |index: usize, node: &JsonNode<'_>| {
        if node.raw.get() == "null" {
            missing = missing.with(index);
            return Ok(0.0);
        }
        node.number()
    };
    let components = [of(0, &a)?, of(1, &b)?, of(2, &c)?];
    let alpha = fields.get("alpha").map_or(Ok(1.0), |alpha| of(Missing::ALPHA, alpha))?;
    Ok(Color { space, components, alpha, missing }.with_missing(missing))
}

pub(super) fn write(gradients: &[Gradient]) -> String {
    let mut out =
        "{\n  \"format\": \"solio gradients\",\n  \"version\": 1,\n  \"gradients\": [".to_owned();
    for (i, gradient) in gradients.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        write_gradient(&mut out, gradient);
    }
    out.push_str("\n  ]\n}\n");
    out
}

fn write_gradient(out: &mut String, gradient: &Gradient) {
    let mut fields = Vec::new();
    if !gradient.name.is_empty() {
        fields.push(format!("\"name\": {}", quoted(&gradient.name)));
    }
    fields.push(format!("\"mode\": {}", quoted(&gradient.mode.name())));
    fields.push(format!("\"keys\": {}", quoted(gradient.keys.name())));
    if let Some([low, high]) = gradient.domain {
        fields.push(format!("\"domain\": [{low:?}, {high:?}]"));
    }
    let outside = gradient.outside;
    let others = [("below", outside.below), ("above", outside.above), ("nan", outside.nan)];
    let others: Vec<String> = others
        .into_iter()
        .filter_map(|(key, color)| color.map(|color| format!("\"{key}\": {}", color_text(&color))))
        .collect();
    if !others.is_empty() {
        fields.push(format!("\"outside\": {{{}}}", others.join(", ")));
    }
    let colors = gradient.colors.iter().map(|stop| {
        let value = format!("\"color\": {}", color_text(&stop.color));
        stop_text(stop.position, &value, &stop.to_next)
    });
    fields.push(list("colors", colors));
    if !gradient.alphas.is_empty() {
        let alphas = gradient.alphas.iter().map(|stop| {
            stop_text(stop.position, &format!("\"alpha\": {:?}", stop.alpha), &stop.to_next)
        });
        fields.push(list("alphas", alphas));
    }
    let _ = write!(out, "    {{\n      {}\n    }}", fields.join(",\n      "));
}

fn list(name: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("\"{name}\": [\n        {}\n      ]", items.join(",\n        "))
}

fn stop_text(position: f64, value: &str, ramp: &Ramp) -> String {
    let mut text = format!("{{\"position\": {position:?}, {value}");
    if ramp.midpoint != 0.5 {
        let _ = write!(text, ", \"midpoint\": {:?}", ramp.midpoint);
    }
    if ramp.easing != Easing::Linear {
        let _ = write!(text, ", \"easing\": {}", quoted(&ramp.easing.name()));
    }
    if let Some(mode) = ramp.mode {
        let _ = write!(text, ", \"mode\": {}", quoted(&mode.name()));
    }
    text.push('}');
    text
}

/// The text of CSS where it gives the very same colour, else an object.
fn color_text(color: &Color) -> String {
    let color = color.with_missing(color.missing);
    let css = color.to_css();
    if Color::parse(&css).is_ok_and(|back| back == color) {
        return quoted(&css);
    }
    let part = |index: usize, value: f64| match color.missing.contains(index) {
        true => "null".to_owned(),
        false => format!("{value:?}"),
    };
    let [a, b, c] = [0, 1, 2].map(|i| part(i, color.components[i]));
    let alpha = part(Missing::ALPHA, color.alpha);
    let space = color.space.name();
    format!("{{\"space\": \"{space}\", \"components\": [{a}, {b}, {c}], \"alpha\": {alpha}}}")
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
