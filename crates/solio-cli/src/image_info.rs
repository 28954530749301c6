//! `solio info` of images: their headers, as people know them from `exrheader`.

use crate::table::{BOLD, DIM, some};
use crate::{schema, screen, terminal};
use anstyle::Style;
use serde_json::{Map, Value as Json, json};
use solio::cryptomatte::Cryptomatte;
use solio::image::header::{Part, Value};
use solio::image::{Channel, Header};
use solio::{Input, Limits, Result, Work};
use std::fmt::Write;
use std::path::Path;

/// The header of an image, as text or as a line of JSON.
pub(crate) fn look(input: &Input, limits: &Limits, as_json: bool, work: &Work) -> Result<String> {
    let (path, header) = (input.path(), solio::image_header(input, limits, work)?);
    let mattes = solio::cryptomattes(input, limits, work)?;
    if as_json {
        return Ok(schema::line("info-image/1", &[("path", path)], to_json(&header, &mattes)));
    }
    Ok(words(path, &header, &mattes))
}

/// Most names of a Cryptomatte that are listed for people.
const LISTED: usize = 12;

fn words(path: &Path, header: &Header, mattes: &[Cryptomatte]) -> String {
    let coloured = screen::has_colours();
    let (bold, dim) = if coloured { (BOLD, DIM) } else { (Style::new(), Style::new()) };
    // Of many files this is most of the work: text alone is several times as fast as text with
    // places in it.
    let (open, close) = (format!(" {dim}("), format!("){dim:#}:"));
    let mut text = format!("{bold}{}{bold:#}\n", terminal::name(path));
    let mut value = String::with_capacity(1 << 10);
    for (i, part) in header.parts.iter().enumerate() {
        if header.parts.len() > 1 {
            let name = part.name().map_or(String::new(), |name| format!(" \"{name}\""));
            let _ = writeln!(text, "{bold}part {i}{name}{bold:#}");
        }
        for attribute in &part.attributes {
            value.clear();
            let _ = write!(value, "{}", attribute.value);
            let type_name = attribute.value.type_name();
            for words in ["  ", &attribute.name, &open, type_name, &close] {
                text += words;
            }
            if !value.starts_with('\n') {
                text += " ";
            }
            let mut lines = value.split('\n');
            text += lines.next().unwrap_or_default();
            lines.for_each(|line| {
                text += "\n  ";
                text += line;
            });
            text.push('\n');
        }
        for matte in mattes.iter().filter(|matte| matte.part == i) {
            words_of_matte(&mut text, matte, (dim, bold));
        }
    }
    text
}

fn words_of_matte(text: &mut String, matte: &Cryptomatte, (dim, bold): (Style, Style)) {
    let Cryptomatte { name, key, ranks, manifest, manifest_file, .. } = matte;
    let name = terminal::escaped(name);
    let _ = write!(text, "  Cryptomatte {bold}{name}{bold:#} {dim}({key}){dim:#}: ");
    text.push_str(&some(ranks.len() as u64, "rank"));
    for said in [&matte.hash, &matte.conversion].into_iter().flatten() {
        let _ = write!(text, ", {}", terminal::escaped(said));
    }
    match (manifest, manifest_file) {
        (Some(names), None) => text.push_str(&format!(", {}", some(names.len() as u64, "name"))),
        (Some(names), Some(file)) => {
            let count = some(names.len() as u64, "name");
            let _ = write!(text, ", {count} in {}", terminal::escaped(file));
        }
        (None, Some(file)) => {
            let _ = write!(text, ", names in {}, which is not there", terminal::escaped(file));
        }
        (None, None) => text.push_str(", without a manifest"),
    }
    text.push('\n');
    let names = manifest.iter().flatten();
    for (name, id) in names.take(LISTED) {
        let _ = writeln!(text, "    {dim}{id:08x}{dim:#} {}", terminal::escaped(name));
    }
    let more = manifest.as_ref().map_or(0, |names| names.len().saturating_sub(LISTED));
    if more > 0 {
        let _ = writeln!(text, "    … {more} more; --json has all");
    }
}

fn to_json(header: &Header, mattes: &[Cryptomatte]) -> Json {
    let part = |(number, part): (usize, &Part)| {
        let mut line = part_json(part);
        let own: Vec<Json> =
            mattes.iter().filter(|matte| matte.part == number).map(matte_json).collect();
        if !own.is_empty() {
            line["cryptomattes"] = own.into();
        }
        line
    };
    json!({
        "format": "exr",
        "multipart": header.is_multipart(),
        "parts": header.parts.iter().enumerate().map(part).collect::<Vec<_>>(),
    })
}

fn matte_json(matte: &Cryptomatte) -> Json {
    let names = matte.manifest.as_ref().map(|names| {
        let pair = |(name, id): &(String, u32)| (name.clone(), json!(format!("{id:08x}")));
        Json::from(names.iter().map(pair).collect::<Map<String, Json>>())
    });
    json!({
        "name": matte.name,
        "key": matte.key,
        "hash": matte.hash,
        "conversion": matte.conversion,
        "ranks": matte.ranks,
        "manifest_file": matte.manifest_file,
        "manifest": names,
    })
}

fn part_json(part: &Part) -> Json {
    let attributes: Map<String, Json> =
        part.attributes.iter().map(|a| (a.name.clone(), value_json(&a.value))).collect();
    let shape = part.shape().ok();
    json!({
        "name": part.name().map(|name| name.to_string()),
        "kind": part.kind().name(),
        "width": shape.as_ref().map(|shape| shape.data_window.width()),
        "height": shape.as_ref().map(|shape| shape.data_window.height()),
        "channels": shape.as_ref().map(|shape| {
            shape.channels.iter().map(channel_json).collect::<Vec<_>>()
        }),
        "compression": shape.as_ref().map(|shape| shape.compression.name()),
        "levels": shape.as_ref().map(|shape| shape.levels.len()),
        "chunks": shape.as_ref().map(|shape| shape.chunks),
        "attributes": attributes,
    })
}

fn channel_json(channel: &Channel) -> Json {
    json!({
        "name": channel.name,
        "type": channel.pixel_type.name(),
        "sampling": [channel.x_sampling, channel.y_sampling],
        "linear": channel.linear,
    })
}

/// Numbers as numbers, the rest as text.
fn value_json(value: &Value) -> Json {
    match value {
        Value::Box2i(v) => json!([v.min, v.max]),
        Value::Box2f(v) => json!(v),
        Value::Channels(v) => v.iter().map(channel_json).collect(),
        Value::Chromaticities(v) => {
            json!({ "red": v.red, "green": v.green, "blue": v.blue, "white": v.white })
        }
        Value::Double(v) => json!(v),
        Value::Float(v) => json!(v),
        Value::FloatVector(v) => json!(v),
        Value::Int(v) => json!(v),
        Value::M33f(v) => json!(v),
        Value::M33d(v) => json!(v),
        Value::M44f(v) => json!(v.to_vec()),
        Value::M44d(v) => json!(v.to_vec()),
        Value::Rational(n, d) => json!([n, d]),
        Value::Text(v) => json!(v.to_string()),
        Value::TextVector(v) => v.iter().map(|text| Json::from(text.to_string())).collect(),
        Value::Tiles(v) => {
            json!({
                "width": v.width,
                "height": v.height,
                "levels": v.levels.name(),
                "rounding": v.rounding.name(),
            })
        }
        Value::V2i(v) => json!(v),
        Value::V2f(v) => json!(v),
        Value::V2d(v) => json!(v),
        Value::V3i(v) => json!(v),
        Value::V3f(v) => json!(v),
        Value::V3d(v) => json!(v),
        other => Json::from(other.to_string().trim_start()),
    }
}
