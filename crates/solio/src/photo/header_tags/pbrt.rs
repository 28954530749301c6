//! pbrt: the directives before the world, which say how the scene is looked at.
//!
//! Each directive becomes a tag of its kind or numbers, each of its parameters one more: `Film`,
//! `FilmXresolution`.

use super::names::tag_name;
use solio_photo::{Stated, Value};
use solio_scene::pbrt::{
    Directive, Parameter, ParameterType, Statement, Statements, Values, parse,
};

const GROUP: &str = "PBRT";

pub(super) fn read(head: &[u8], stated: &mut Stated<'_>) {
    stated.kind("PBRT", "PBRT", "text/x-pbrt");
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let all = parse(head, 0);
    let mut until = head.len() as u64;
    let mut statements = &all.statements[..];
    if head.len() + 3 >= super::HEAD_BYTES {
        // The last may go on behind what was read.
        statements = statements.split_last().map_or(statements, |(_, before)| before);
    }
    for statement in statements {
        use Directive::{AttributeBegin, ObjectBegin, Shape, WorldBegin};
        if matches!(statement.directive, WorldBegin | AttributeBegin | Shape | ObjectBegin) {
            until = statement.at;
            break;
        }
        put(statement, &all, stated);
    }
    let comments = all.comments.iter().filter(|comment| comment.end <= until);
    let comments = comments.filter_map(|comment| {
        let text = String::from_utf8_lossy(&head[comment.start as usize..comment.end as usize]);
        let text = text.trim_start_matches('#').trim();
        (!text.is_empty()).then(|| Value::Text(text.to_owned()))
    });
    let comments: Vec<Value> = comments.collect();
    if !comments.is_empty() {
        stated.put(GROUP, "Comments", Value::List(comments));
    }
}

fn put(statement: &Statement, all: &Statements, stated: &mut Stated<'_>) {
    let name = statement.directive.name();
    stated.put(GROUP, name, value(statement.values, all));
    for parameter in &all.parameters[statement.parameters.range()] {
        let Parameter { kind, name: span, values, .. } = *parameter;
        let parameter = String::from_utf8_lossy(all.text(span));
        let size = match (statement.directive, &*parameter, kind) {
            (Directive::Film, "xresolution", ParameterType::Integer) => Some("ImageWidth"),
            (Directive::Film, "yresolution", ParameterType::Integer) => Some("ImageHeight"),
            _ => None,
        };
        let value = value(values, all);
        if let Some(size) = size {
            stated.put("File", size, value.clone());
        }
        stated.put(GROUP, format!("{name}{}", tag_name(&parameter)), value);
    }
}

/// Numbers as numbers, else text; several as a list.
fn value(values: Values, all: &Statements) -> Value {
    let texts: Vec<String> = match values {
        Values::Floats(span) if span.count() > 0 => {
            // As doubles that look as the floats do.
            let floats = all.floats[span.range()].iter();
            let doubles =
                floats.map(|float| float.to_string().parse().unwrap_or(f64::from(*float)));
            return Value::Floats(doubles.collect());
        }
        Values::Integers(span) if span.count() > 0 => {
            return Value::Ints(all.integers[span.range()].iter().map(|v| (*v).into()).collect());
        }
        Values::Bools(span) => {
            all.integers[span.range()].iter().map(|v| (*v != 0).to_string()).collect()
        }
        Values::Strings(span) => {
            let strings = all.strings[span.range()].iter();
            strings.map(|s| String::from_utf8_lossy(all.text(*s)).into_owned()).collect()
        }
        Values::Floats(_) | Values::Integers(_) => Vec::new(),
    };
    match <[String; 1]>::try_from(texts) {
        Ok([one]) => Value::Text(one),
        Err(texts) if texts.is_empty() => Value::Text(String::new()),
        Err(texts) => Value::List(texts.into_iter().map(Value::Text).collect()),
    }
}
