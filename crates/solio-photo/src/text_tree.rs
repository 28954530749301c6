//! Trees of names and values (JSON, CBOR) as tags: names along a branch are joined, values of one
//! name become a list.

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::value::Value;

/// Deepest nesting that is followed.
pub(crate) const MOST_DEPTH: u8 = 32;

/// Reads JSON.
pub(crate) fn read(text: &[u8], gather: &mut Gather<'_>) {
    let text = text.trim_ascii_end();
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    if let Ok(tree) = serde_json::from_slice(&text[..end]) {
        let first = gather.tags.len();
        walk(&tree, "", first, gather);
    }
}

fn walk(tree: &serde_json::Value, path: &str, first: usize, gather: &mut Gather<'_>) {
    use serde_json::Value as Json;
    if gather.is_full() || path.len() > 1 << 10 {
        return;
    }
    let text = match tree {
        Json::Object(members) => {
            for (key, value) in members {
                walk(value, &name(path, key), first, gather);
            }
            return;
        }
        Json::Array(list) => return list.iter().for_each(|one| walk(one, path, first, gather)),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    put("JSON", &shown(path), Value::Text(text), TagRule::Plain, first, gather);
}

/// Adds `value` to what has this name since `first`.
pub(crate) fn put(
    group: &'static str,
    name: &str,
    value: Value,
    rule: TagRule,
    first: usize,
    gather: &mut Gather<'_>,
) {
    let tags = gather.tags.get_mut(first..).unwrap_or_default();
    if let Some(tag) = tags.iter_mut().find(|t| t.name == name && t.group == group) {
        match &mut tag.value {
            Value::List(list) if list.len() < 4096 => list.push(value),
            Value::List(_) => {}
            one => {
                let one = std::mem::replace(one, Value::int(0));
                tag.value = Value::List(vec![one, value]);
            }
        }
        return;
    }
    gather.put(group, name.to_owned(), value, rule);
}

/// A name below another: illegal letters go, the letter after one of them and after a digit
/// is capital.
pub(crate) fn name(outer: &str, inner: &str) -> String {
    let mut out = outer.to_owned();
    let mut capital = true;
    for letter in inner.chars() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') {
            out.push(if capital { letter.to_ascii_uppercase() } else { letter });
            capital = letter.is_ascii_digit();
        } else {
            capital = true;
        }
    }
    out
}

/// What a tag is called that has this name.
pub(crate) fn shown(name: &str) -> String {
    let short = name.len() < 2 || name.starts_with(|c: char| !c.is_ascii_alphabetic());
    if short { format!("Tag{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn branches_become_names() {
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        let text = r#" {"@context":"a","author":[{"@type":"P","name":"J\u00e9"},{"name":"B\n"}],
            "n":3,"t":true} "#;
        read(text.as_bytes(), &mut gather);
        let shown: Vec<String> =
            gather.tags.iter().map(|t| format!("{}={}", t.name, t.text().plain())).collect();
        assert_eq!(
            shown,
            ["Context=a", "AuthorType=P", "AuthorName=Jé, B\n", "TagN=3", "TagT=true"]
        );
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            read(&text.as_bytes()[..end], &mut Gather::new(&fields));
        }
        read(&b"[".repeat(100_000), &mut Gather::new(&fields));
    }
}
