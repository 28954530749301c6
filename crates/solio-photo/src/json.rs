//! JSON as ExifTool writes it: numbers bare where their spelling is JSON's, all else quoted.

use crate::number::is_number;
use crate::{Tag, Value};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;
use std::fmt::Write;

/// Up to so many tags need no table of their names.
const FEW: usize = 12;

/// How tags become JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonOptions {
    /// Values without words (`-n`).
    pub numbers: bool,
    /// Names without groups.
    pub bare_names: bool,
}

/// The members of an object, one a tag and each on a line of its own, without braces; of several
/// tags of one name in one group the one that counts. `lead` is put before each line.
pub fn json<'t>(
    tags: impl IntoIterator<Item = &'t Tag>,
    options: JsonOptions,
    lead: &str,
    out: &mut String,
) {
    let tags = tags.into_iter();
    let most = tags.size_hint().0;
    let mut places = HashMap::<(&str, &str), usize>::new();
    let mut chosen: Vec<&Tag> = Vec::new();
    let key = |tag: &'t Tag| (if options.bare_names { "" } else { &*tag.group }, &*tag.name);
    for tag in tags {
        // A few are found sooner by looking at each.
        let place = match chosen.len() {
            0..FEW => chosen.iter().position(|other| key(other) == key(tag)),
            FEW => {
                places.reserve(most);
                places.extend(chosen.iter().enumerate().map(|(n, tag)| (key(tag), n)));
                places.get(&key(tag)).copied()
            }
            _ => places.get(&key(tag)).copied(),
        };
        match place {
            Some(place) if tag.outdoes(chosen[place]) => chosen[place] = tag,
            Some(_) => {}
            None => {
                if chosen.len() >= FEW {
                    places.insert(key(tag), chosen.len());
                }
                chosen.push(tag);
            }
        }
    }
    for (n, tag) in chosen.into_iter().enumerate() {
        out.push_str(if n == 0 { "" } else { "," });
        out.push_str(lead);
        out.push('"');
        if !options.bare_names {
            name(&tag.group, out);
            out.push(':');
        }
        name(&tag.name, out);
        out.push_str("\": ");
        let value = if options.numbers { tag.number() } else { tag.text() };
        self::value(&value, out);
    }
}

/// Names that tables and code give have no letter that needs care.
fn name(name: &Cow<'static, str>, out: &mut String) {
    match name {
        Cow::Borrowed(name) => out.push_str(name),
        Cow::Owned(name) => escaped(name, out),
    }
}

/// One value as JSON shows it: numbers and `true` or `false` bare, other text in quotes, lists in brackets.
pub fn json_value(value: &Value, out: &mut String) {
    self::value(value, out);
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
            let text = match other {
                Value::Text(text) => Cow::Borrowed(text.as_str()),
                other => Cow::Owned(other.plain()),
            };
            if is_number(&text) {
                out.push_str(&text);
            } else if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
                out.push_str(&text.to_ascii_lowercase());
            } else {
                json_string(&text, out);
            }
        }
    }
}

/// `text` as a string of JSON.
pub fn json_string(text: &str, out: &mut String) {
    out.push('"');
    escaped(text, out);
    out.push('"');
}

/// Whether a letter cannot stand in a string as it is.
fn is_special(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\' | 0x7f)
}

/// Most text goes over in one piece.
fn escaped(text: &str, out: &mut String) {
    // Without a way out of the loop many letters are looked at together.
    if !text.bytes().fold(false, |found, byte| found | is_special(byte)) {
        return out.push_str(text);
    }
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !is_special(byte) {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            // Zeros are fillers, not content.
            0 => {}
            control => {
                let _ = write!(out, "\\u{control:04X}");
            }
        }
    }
    out.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::TagRule;

    #[test]
    fn numbers_are_bare_and_text_is_quoted() {
        let tag = |name: &'static str, value| Tag {
            group: "IFD0".into(),
            name: name.into(),
            value,
            rule: TagRule::Plain,
            of_film: false,
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
