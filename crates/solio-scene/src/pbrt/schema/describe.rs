//! The table of classes as documents show it.

use super::check::own_name;
use super::table::{
    DirectiveClass, KnownValues, ParameterKind, ParameterRow, StringMeaning, ValueCount, Versions,
    table,
};
use crate::pbrt::Directive;
use std::fmt::Write;

/// The table of all classes and their parameters, in Markdown.
pub fn describe() -> String {
    let mut text = String::new();
    let mut directive = None;
    for class in &table().classes {
        if directive != Some(class.directive) {
            directive = Some(class.directive);
            let _ = write!(text, "\n### {}\n\n", class.directive.name());
            text.push_str("| class | parameter | values | default | |\n|---|---|---|---|---|\n");
        }
        let name = match class.directive {
            Directive::Texture => {
                format!("`{}` ({})", own_name(class), class.name.split('.').next().unwrap_or(""))
            }
            _ => format!("`{}`", class.name),
        };
        let mut about = vec![];
        mark(&mut about, class.versions);
        if !class.instead.is_empty() {
            about.push(format!("write {}", code(class.instead)));
        }
        if class.rows.is_empty() || !about.is_empty() {
            let _ = writeln!(text, "| {name} | | | | {} |", about.join("; "));
        }
        for (i, own) in class.rows.iter().enumerate() {
            let name = if i == 0 && about.is_empty() { name.as_str() } else { "" };
            let _ = writeln!(text, "| {name} {}", row(class, own));
        }
    }
    text
}

fn row(class: &DirectiveClass, row: &ParameterRow) -> String {
    let kinds: Vec<_> = row.kinds.iter().map(|kind| kind_said(*kind)).collect();
    let count = match row.count {
        ValueCount::Exactly(1) => String::new(),
        ValueCount::Exactly(count) => format!(", {count}"),
        ValueCount::MultipleOf(count) => format!(", {count} each"),
        ValueCount::Many => ", any number".to_string(),
    };
    let known = match &row.known {
        KnownValues::All => String::new(),
        KnownValues::Range(least, most) if *most == f64::INFINITY => format!(", from {least}"),
        KnownValues::Range(least, most) => format!(", {least} to {most}"),
        KnownValues::Strings { strings, others } => {
            let strings: Vec<_> = strings.iter().map(|known| format!("`{known}`")).collect();
            let others = if *others { " or another" } else { "" };
            format!(": {}{others}", strings.join(" "))
        }
    };
    let default = match row.default {
        "-" => String::new(),
        "needed" => "needed".to_string(),
        value => format!("`{value}`"),
    };
    let mut about = vec![];
    if row.versions != class.versions {
        mark(&mut about, row.versions);
    }
    match row.names {
        StringMeaning::Nothing => {}
        StringMeaning::File => about.push("a file".to_string()),
        StringMeaning::Output => about.push("a file, written".to_string()),
    }
    if !row.instead.is_empty() {
        about.push(match row.instead.strip_prefix("nothing, ") {
            Some(why) => why.to_string(),
            None => format!("write {}", code(row.instead)),
        });
    }
    let about = about.join("; ");
    format!("| `{}` | {}{count}{known} | {default} | {about} |", row.name, kinds.join(" or "))
}

fn mark(about: &mut Vec<String>, versions: Versions) {
    match (versions.v3, versions.v4) {
        (true, false) => about.push("version 3".to_string()),
        (false, true) => about.push("version 4".to_string()),
        _ => {}
    }
}

/// What stands in quotes, as code.
fn code(text: &str) -> String {
    if text.contains('"') { format!("`{text}`") } else { text.to_string() }
}

fn kind_said(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Of(kind) => kind.name(),
        ParameterKind::Albedo => "spectrum (0 to 1)",
        ParameterKind::Light => "spectrum (light)",
        ParameterKind::Any => "spectrum",
    }
}
