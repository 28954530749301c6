//! Names and texts of files on a terminal, which must not be driven by them: controls are written as
//! escapes, as `ls` does. Pipes, JSON and lists with zero bytes get everything as it is.

use crate::asked;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::LazyLock;

static OUT: LazyLock<bool> = LazyLock::new(|| std::io::stdout().is_terminal());
static ERR: LazyLock<bool> = LazyLock::new(|| std::io::stderr().is_terminal());

/// Whether standard output is a terminal.
pub(crate) fn is_out() -> bool {
    !asked::by_program() && *OUT
}

/// Whether standard error is a terminal.
pub(crate) fn is_err() -> bool {
    !asked::by_program() && *ERR
}

/// A path for standard output.
pub(crate) fn name(path: &Path) -> String {
    let text = path.to_string_lossy();
    if is_out() { escaped(&text).into_owned() } else { text.into_owned() }
}

/// A path for standard error.
pub(crate) fn told(path: &Path) -> String {
    let text = path.to_string_lossy();
    if is_err() { escaped(&text).into_owned() } else { text.into_owned() }
}

/// Whether a letter does something to a terminal, or turns the order of those behind it.
fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(letter: char, text: &mut String) {
    match letter {
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        '\r' => text.push_str("\\r"),
        '\0'..='\x7f' => text.push_str(&format!("\\x{:02x}", letter as u32)),
        _ => text.push_str(&format!("\\u{{{:x}}}", letter as u32)),
    }
}

/// `text` with all controls as escapes.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_control(letter) { escape(letter, &mut safe) } else { safe.push(letter) }
    }
    safe.into()
}

/// `text` of ours, which has lines and colours, with all other controls as escapes.
pub(crate) fn defused(text: &str) -> Cow<'_, str> {
    if !text.contains(|letter| is_control(letter) && letter != '\n') {
        return text.into();
    }
    let (mut safe, mut rest) = (String::with_capacity(text.len() + 16), text);
    while let Some(letter) = rest.chars().next() {
        let len = match letter {
            '\x1b' => colour(rest),
            _ => None,
        };
        let end = len.unwrap_or(letter.len_utf8());
        match letter {
            '\n' => safe.push('\n'),
            _ if len.is_some() || !is_control(letter) => safe.push_str(&rest[..end]),
            _ => escape(letter, &mut safe),
        }
        rest = &rest[end..];
    }
    safe.into()
}

/// `text` of ours without its colours; whatever else is in it stays.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return text.into();
    }
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\x1b') {
        plain.push_str(&rest[..at]);
        let end = colour(&rest[at..]);
        if end.is_none() {
            plain.push('\x1b');
        }
        rest = &rest[at + end.unwrap_or(1)..];
    }
    plain.push_str(rest);
    plain.into()
}

/// Bytes of the sequence for a colour that `text` begins with.
fn colour(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b[")?;
    let end = inside.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    inside[end..].starts_with('m').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_become_escapes_and_colours_of_ours_stay() {
        assert_eq!(
            escaped("a\x1b]0;x\x07\n\u{9b}é\u{202e}"),
            "a\\x1b]0;x\\x07\\n\\u{9b}é\\u{202e}"
        );
        assert_eq!(escaped("plain é"), "plain é");
        assert_eq!(
            defused("\x1b[1;31mbad\x1b[0m\nb\x1b[2Jc\r"),
            "\x1b[1;31mbad\x1b[0m\nb\\x1b[2Jc\\r"
        );
        assert_eq!(defused("\x1b["), "\\x1b[");
        assert_eq!(plain("\x1b[1;31mbad\x1b[0m\nb\x1b[2Jc\x1b"), "bad\nb\x1b[2Jc\x1b");
    }
}
