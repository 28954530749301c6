//! Custom properties of a style sheet, and `var()` in its place (CSS Custom Properties 1).

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Replacements in one gradient.
const MOST_REPLACED: usize = 1000;
/// Bytes of a gradient after them.
const MOST_BYTES: usize = 1 << 20;

/// The custom properties of a text.
pub(super) struct CssProperties<'t>(BTreeMap<&'t str, &'t str>);

impl<'t> CssProperties<'t> {
    /// Those of a text without comments and strings; of several values of a name the first counts.
    pub(super) fn of(masked: &'t str) -> CssProperties<'t> {
        let mut found = BTreeMap::new();
        let mut rest = masked;
        while let Some(at) = rest.find("--") {
            // Where a declaration can begin.
            let begins = rest[..at].trim_end().ends_with(['{', '}', ';']);
            rest = &rest[at..];
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            rest = behind;
            let Some(value) = behind.trim_start().strip_prefix(':').filter(|_| begins) else {
                continue;
            };
            let end = value.find([';', '}']).unwrap_or(value.len());
            found.entry(name).or_insert(value[..end].trim());
            // The value may hold the end of the text before the next declaration.
            rest = &value[end..];
        }
        CssProperties(found)
    }

    /// A text with values in place of `var()`.
    pub(super) fn expanded<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, String> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..MOST_REPLACED {
            let Some((at, inside, end)) = call(&text) else { return Ok(text) };
            let (name, fallback) = match inside.split_once(',') {
                Some((name, fallback)) => (name.trim(), Some(fallback.trim())),
                None => (inside.trim(), None),
            };
            let value = self.0.get(name).copied().or(fallback);
            let value = value.ok_or_else(|| format!("var({name}) has no value here"))?;
            let replaced = format!("{}{value}{}", &text[..at], &text[end..]);
            if replaced.len() > MOST_BYTES {
                break;
            }
            text = Cow::Owned(replaced);
        }
        Err("custom properties that refer to each other without an end".to_owned())
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// The first `var()` of a text: where it begins, what is in it, and where it ends.
fn call(text: &str) -> Option<(usize, &str, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = from + lower[from..].find("var(")?;
        from = at + 4;
        if text[..at].ends_with(is_part) {
            continue;
        }
        let mut depth = 1_usize;
        let length = text[from..].bytes().position(|byte| {
            depth = match byte {
                b'(' => depth + 1,
                b')' => depth - 1,
                _ => depth,
            };
            depth == 0
        })?;
        return Some((at, &text[from..from + length], from + length + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_the_place_of_names() {
        let all = ":root { --a: red; --b : var(--a) 10% ;--loop: var(--loop)}\n.x { --a: blue }";
        let properties = CssProperties::of(all);
        let of = |text| properties.expanded(text).map(Cow::into_owned);
        assert_eq!(of("var(--a), lime"), Ok("red, lime".to_owned()));
        assert_eq!(of("var(--b), VAR( --a )"), Ok("red 10%, red".to_owned()));
        assert_eq!(of("var(--c, rgb(1, 2, 3)), x"), Ok("rgb(1, 2, 3), x".to_owned()));
        assert_eq!(of("var(--c, var(--a))"), Ok("red".to_owned()));
        assert_eq!(of("lvar(--c)"), Ok("lvar(--c)".to_owned()));
        assert!(of("var(--c)").unwrap_err().contains("var(--c)"));
        assert!(of("var(--loop)").is_err());
        assert_eq!(of("var(--a"), Ok("var(--a".to_owned()));
    }
}
