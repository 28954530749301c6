//! `solio info` of images other than OpenEXR, photos, gradients and catalogues: a few facts.

use crate::table::{BOLD, DIM, bytes};
use crate::{schema, screen, terminal};
use anstyle::Style;
use serde_json::{Map, Value as Json, json};
use solio::{FactValue, FileSummary, Input, Limits, Result, Work, summarize};
use std::fmt::Write;

/// Values that are shown of a list.
const SHOWN: usize = 12;

/// What `input` holds, as text or as a line of JSON.
pub(crate) fn look(input: &Input, limits: &Limits, as_json: bool, work: &Work) -> Result<String> {
    let summary = summarize(input, limits, work)?;
    if as_json {
        return Ok(schema::line("info-file/1", &[("path", input.path())], to_json(&summary)));
    }
    let coloured = screen::has_colours();
    let (bold, dim) = if coloured { (BOLD, DIM) } else { (Style::new(), Style::new()) };
    let mut text = format!("{bold}{}{bold:#}\n", terminal::name(input.path()));
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {dim}{name:<11}{dim:#} {value}");
    };
    let size = summary.file_bytes.map_or(String::new(), |size| format!(", {}", bytes(size)));
    line(
        "kind",
        &format!("{} ({}){size}", summary.file_type.name(), summary.file_type.kind.title()),
    );
    let number = |name| match summary.get(name) {
        Some(FactValue::Integer(value)) => Some(*value),
        _ => None,
    };
    if let (Some(width), Some(height)) = (number("width"), number("height")) {
        line("size", &format!("{width} × {height}"));
    }
    for (name, value) in &summary.facts {
        match value {
            _ if matches!(*name, "width" | "height") => {}
            FactValue::Integer(value) => line(name, &value.to_string()),
            FactValue::Text(value) => line(name, &crate::table::visible(value)),
            FactValue::List(values) => {
                values.iter().take(SHOWN).for_each(|value| line("", &crate::table::visible(value)));
                if values.len() > SHOWN {
                    line("", &format!("and {} more", values.len() - SHOWN));
                }
            }
        }
    }
    Ok(text)
}

fn to_json(summary: &FileSummary) -> Json {
    let facts = summary.facts.iter().map(|(name, value)| {
        let value = match value {
            FactValue::Integer(value) => json!(value),
            FactValue::Text(value) => json!(value),
            FactValue::List(values) => json!(values),
        };
        ((*name).to_owned(), value)
    });
    json!({
        "kind": summary.file_type.name(),
        "family": summary.file_type.family().as_str(),
        "mime": summary.file_type.mime(),
        "file_bytes": summary.file_bytes,
        "facts": facts.collect::<Map<_, _>>(),
    })
}
