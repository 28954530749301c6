//! JSON as ExifTool writes it: numbers bare where their spelling is JSON's, all else quoted.

use crate::number::is_number;
use crate::{Tag, Value};
use std::fmt::Write;

/// How tags become JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonOptions {
    /// Values without words (`-n`).
    pub numbers: bool,
    /// Names without groups.
    pub bare_names: bool,
}

/// The members of an object, one a tag and each on a line of its own, without braces; of several
/// tags of one name in one group the last. `lead` is put before each line.
pub fn json<'t>(
    tags: impl IntoIterator<Item = &'t Tag>,
    options: JsonOptions,
    lead: &str,
    out: &mut String,
) {
    let mut places = std::collections::HashMap::<String, usize>::new();
    let mut chosen: Vec<(String, &Tag)> = Vec::new();
    for tag in tags {
        // Boxes within boxes say the same things of themselves; the outermost counts.
        let outermost = tag.group == "JUMBF";
        let key = if options.bare_names {
            tag.name.to_string()
        } else {
            format!("{}:{}", tag.group, tag.name)
        };
        match places.get(&key) {
            Some(_) if outermost => {}
            Some(place) => chosen[*place].1 = tag,
            None => {
                places.insert(key.clone(), chosen.len());
                chosen.push((key, tag));
            }
        }
    }
    for (n, (key, tag)) in chosen.into_iter().enumerate() {
        out.push_str(if n == 0 { "" } else { "," });
        out.push_str(lead);
        quoted(&key, out);
        out.push_str(": ");
        let value = if options.numbers { tag.number() } else { tag.text() };
        self::value(&value, out);
    }
}

fn value(value: &Value, out: &mut String) {
    match value {
        Value::List(list) => {
            out.push('[');
            for (n, one) in list.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                self::value(one, out);
            }
            out.push(']');
        }
        other => {
            let text = other.plain();
            if is_number(&text) {
                out.push_str(&text);
            } else if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
                out.push_str(&text.to_ascii_lowercase());
            } else {
                quoted(&text, out);
            }
        }
    }
}

/// `text` as a string of JSON.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Zeros are fillers, not content.
            '\0' => {}
            control if (control as u32) < 0x20 || control == '\x7f' => {
                let _ = write!(out, "\\u{:04X}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;

    #[test]
    fn numbers_are_bare_and_text_is_quoted() {
        let tag = |name: &'static str, value| Tag {
            group: "IFD0".into(),
            name: name.into(),
            value,
            rule: Rule::Plain,
        };
        let tags = [
            tag("A", Value::int(1)),
            tag("B", Value::text("x\"\n\u{1}")),
            tag("C", Value::List(vec![Value::text("True"), Value::text("01")])),
            tag("A", Value::int(2)),
        ];
        let mut out = String::new();
        json(&tags, JsonOptions::default(), "\n", &mut out);
        assert_eq!(
            out,
            "\n\"IFD0:A\": 2,\n\"IFD0:B\": \"x\\\"\\n\\u0001\",\n\"IFD0:C\": [true,\"01\"]"
        );
    }
}
