//! Rules: from a value as stored to the number and the words that people read.

mod lists;
pub(crate) mod makers;
mod named;
mod own;
mod place;
mod steps;
pub(crate) mod words;

pub(crate) use named::Named;
pub(crate) use own::MakerRule;
pub(crate) use steps::RuleSteps;

use crate::value::{Value, binary_text};
use memchr::memchr;

/// How a tag is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagRule {
    /// As it is.
    Plain,
    /// As another program worded it.
    Foreign,
    /// One of some words; `hex`: an unknown number is shown in base 16.
    Words { words: &'static str, hex: bool },
    /// Each number one of some words.
    Each(&'static str),
    /// Numbers that each have words of their own.
    Lists(&'static str),
    /// Some bits, each with a word.
    Bits(&'static str),
    /// Data that is not shown.
    Binary,
    /// A table of numbers at fixed places.
    Record(&'static str),
    /// A directory with a table of its own.
    Directory(&'static str),
    /// A block that its maker's module reads.
    Hook(&'static str),
    /// A sum, then another rule.
    Steps(RuleSteps),
    /// A template with the number in it.
    Template(&'static str),
    /// A list of two: the number and the words.
    Both,
    /// A function of this crate.
    Named(Named),
    /// A function of a maker's module.
    Own(&'static MakerRule),
}

impl TagRule {
    /// `-`, `={1:one|2:two|*:others %d}`, `#{…}` (hexadecimal), `*{…}` (each), `;{…}{…}` (each by
    /// its own), `&{0:first bit}`, `~/10 : %.1f mm` (a sum and the rule for what it gives), a
    /// template with `%` or `{}`, `record:table`, `directory:table`, `hook:name`,
    /// `maker.function`, or a name.
    pub(crate) fn parse(text: &'static str) -> Option<TagRule> {
        let braces = || text.get(1..)?.strip_prefix('{')?.strip_suffix('}');
        Some(match text.as_bytes().first()? {
            b'-' => TagRule::Plain,
            b'=' => TagRule::Words { words: braces()?, hex: false },
            b'#' => TagRule::Words { words: braces()?, hex: true },
            b'*' => TagRule::Each(braces()?),
            b';' => TagRule::Lists(braces()?),
            b'&' => TagRule::Bits(braces()?),
            _ if text == "binary" => TagRule::Binary,
            _ if text.starts_with("record:") => TagRule::Record(&text[7..]),
            _ if text.starts_with("directory:") => TagRule::Directory(&text[10..]),
            b'~' => TagRule::Steps(RuleSteps::parse(&text[1..])?),
            _ if text.starts_with("hook:") => TagRule::Hook(&text[5..]),
            _ if text.contains(['%', '{']) => TagRule::Template(text),
            _ if text.contains('.') => TagRule::Own(makers::own(text)?),
            _ => TagRule::Named(Named::parse(text)?),
        })
    }

    /// Whether what the rule computes from a value is a number that something can have: of records
    /// that are not what their table is for come others.
    pub(crate) fn is_sound(self, value: &Value) -> bool {
        match self {
            TagRule::Steps(steps) => steps.computed(value).all(|number| {
                number == 0.0 || number.is_finite() && (1e-9..1e12).contains(&number.abs())
            }),
            _ => true,
        }
    }

    /// The same rule for a value of a file of this byte order: text of two bytes a letter depends
    /// on it.
    pub(crate) fn in_order(self, big: bool) -> TagRule {
        match self {
            TagRule::Named(Named::UserComment) if big => TagRule::Named(Named::UserCommentBig),
            TagRule::Named(Named::CommentWords) if big => TagRule::Named(Named::CommentWordsBig),
            TagRule::Named(Named::ExposureTimes) if big => TagRule::Named(Named::ExposureTimesBig),
            other => other,
        }
    }

    /// The value as computers want it.
    pub(crate) fn number(self, value: &Value) -> Value {
        if let (TagRule::Both, Value::List(list)) = (self, value) {
            return list.first().cloned().unwrap_or_else(|| Value::text(""));
        }
        if let (Value::List(list), TagRule::Named(_) | TagRule::Binary) = (value, self) {
            return Value::List(list.iter().map(|v| self.number(v)).collect());
        }
        match self {
            TagRule::Named(named) => named.number(value),
            TagRule::Own(own) => (own.number)(value),
            TagRule::Steps(steps) => steps.number(value),
            TagRule::Binary => hidden(value),
            _ => value.clone(),
        }
    }

    /// The value as people want it.
    pub(crate) fn text(self, value: &Value) -> Value {
        if let (TagRule::Both, Value::List(list)) = (self, value) {
            return list.last().cloned().unwrap_or_else(|| Value::text(""));
        }
        if let (Value::List(list), false) =
            (value, matches!(self, TagRule::Plain | TagRule::Foreign))
        {
            return Value::List(list.iter().map(|v| self.text(v)).collect());
        }
        Value::Text(match self {
            TagRule::Plain
            | TagRule::Foreign
            | TagRule::Both
            | TagRule::Record(_)
            | TagRule::Directory(_)
            | TagRule::Hook(_) => {
                return value.clone();
            }
            TagRule::Own(own) => return (own.text)(&(own.number)(value)),
            TagRule::Steps(steps) => return steps.text(value),
            TagRule::Template(template) => steps::filled(template, value),
            TagRule::Binary => return hidden(value),
            TagRule::Words { words, hex } => worded(words, hex, value),
            TagRule::Each(words) => {
                let each = value.numbers().into_iter().map(|n| Value::int(n as i64));
                each.map(|one| worded(words, false, &one)).collect::<Vec<_>>().join("; ")
            }
            TagRule::Lists(sets) => lists::listed(sets, value),
            TagRule::Bits(words) => bits(words, value),
            TagRule::Named(named) => return named.text(value),
        })
    }
}

/// What stands for `value` without showing it.
fn hidden(value: &Value) -> Value {
    Value::Text(match value {
        Value::Binary { .. } => value.plain(),
        Value::Bytes(bytes) => binary_text(bytes.len() as u64),
        other => binary_text(other.plain().len() as u64),
    })
}

/// The word for `key` in `1:one|2:two`.
pub(crate) fn look_up(words: &'static str, key: &str) -> Option<&'static str> {
    let mut rest = words;
    loop {
        let end = memchr(b'|', rest.as_bytes());
        let pair = end.map_or(rest, |end| &rest[..end]);
        if let Some(word) = pair.strip_prefix(key).and_then(|behind| behind.strip_prefix(':')) {
            return Some(word);
        }
        rest = &rest[end? + 1..];
    }
}

fn worded(words: &'static str, hex: bool, value: &Value) -> String {
    let key = value.plain();
    if let Some(word) = look_up(words, &key) {
        return word.to_owned();
    }
    if let Some(template) = look_up(words, "*") {
        return steps::filled(template, value);
    }
    match value.integer(0).filter(|_| hex && value.count() == 1) {
        Some(number) => format!("Unknown (0x{number:x})"),
        None => format!("Unknown ({key})"),
    }
}

/// The words of the bits that are set, in order; `[5]` for one without.
pub(crate) fn bits(words: &'static str, value: &Value) -> String {
    let set = value.integer(0).unwrap_or(0);
    if set == 0 {
        return look_up(words, "none").unwrap_or("(none)").to_owned();
    }
    let bits = (0..64).filter(|bit| set >> bit & 1 == 1);
    let word = |bit: u32| {
        look_up(words, &bit.to_string()).map_or_else(|| format!("[{bit}]"), str::to_owned)
    };
    bits.map(word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bits() {
        let rule = TagRule::parse("={0:No|1:Yes|10:Ten}").unwrap();
        assert_eq!(rule.text(&Value::int(1)), Value::text("Yes"));
        assert_eq!(rule.text(&Value::int(10)), Value::text("Ten"));
        assert_eq!(rule.text(&Value::int(7)), Value::text("Unknown (7)"));
        assert_eq!(rule.number(&Value::int(1)), Value::int(1));
        let rule = TagRule::parse("#{0:No}").unwrap();
        assert_eq!(rule.text(&Value::int(30)), Value::text("Unknown (0x1e)"));
        let rule = TagRule::parse("&{0:A|2:C}").unwrap();
        assert_eq!(rule.text(&Value::int(13)), Value::text("A, C, [3]"));
        let rule = TagRule::parse("#{1:Yes}").unwrap();
        assert_eq!(rule.text(&Value::int(0)), Value::text("Unknown (0x0)"));
        assert_eq!(TagRule::parse("no such rule"), None);
        assert_eq!(look_up("a:b|c:d", "a:b|c"), None);
        assert_eq!((look_up("a:b|c:d", "c"), look_up("a:b|", "")), (Some("d"), None));
    }
}
