//! The statements that large scenes have by the million, by a short way: blocks that place objects.

use super::{StatementParser, ends_word, span};
use crate::pbrt::statements::{Statement, Values};
use crate::pbrt::word::plain_length;
use crate::pbrt::{Directive, Span};
use solio_codec::number;

/// The first bytes of a text as one number, and which of them are a word.
#[derive(Clone, Copy)]
struct StartWord {
    letters: u128,
    mask: u128,
    length: usize,
}

impl StartWord {
    const fn new(word: &[u8]) -> StartWord {
        let (mut letters, mut at) = (0, word.len());
        while at > 0 {
            at -= 1;
            letters = letters << 8 | word[at] as u128;
        }
        StartWord { letters, mask: (1 << (8 * word.len())) - 1, length: word.len() }
    }

    /// Whether the word begins `near`, and ends there.
    #[inline(always)]
    fn begins(self, near: &[u8; 16]) -> bool {
        u128::from_le_bytes(*near) & self.mask == self.letters && ends_word(near[self.length])
    }
}

const BEGIN: StartWord = StartWord::new(b"AttributeBegin");
const END: StartWord = StartWord::new(b"AttributeEnd");
const TRANSFORM: StartWord = StartWord::new(b"Transform");
const CONCAT: StartWord = StartWord::new(b"ConcatTransform");
const INSTANCE: StartWord = StartWord::new(b"ObjectInstance");

impl StatementParser<'_> {
    /// Reads such statements from here on, where a token begins, as long as they have their usual
    /// form; the first that has another is left to be read, with all that is wrong with it.
    #[inline(always)]
    pub(super) fn soon_blocks(&mut self) {
        while let Some(near) = self.text[self.at..].first_chunk::<16>() {
            let start = self.at;
            let none = Values::Floats(self.span_of(self.to.floats.len()));
            let (directive, values, end) = if BEGIN.begins(near) {
                (Directive::AttributeBegin, none, start + BEGIN.length)
            } else if END.begins(near) {
                (Directive::AttributeEnd, none, start + END.length)
            } else if INSTANCE.begins(near) {
                let Some((string, end)) = self.soon_string(start + INSTANCE.length) else { return };
                let at = self.to.strings.len();
                self.to.strings.push(string);
                (Directive::ObjectInstance, Values::Strings(span(at, at + 1)), end)
            } else {
                let (directive, length) = if TRANSFORM.begins(near) {
                    (Directive::Transform, TRANSFORM.length)
                } else if CONCAT.begins(near) {
                    (Directive::ConcatTransform, CONCAT.length)
                } else {
                    return;
                };
                let Some((values, end)) = self.soon_matrix(start + length) else { return };
                (directive, values, end)
            };
            let first = self.to.parameters.len();
            let at = self.offset + start as u64;
            self.to.statements.push(Statement {
                at,
                directive,
                values,
                parameters: span(first, first),
            });
            self.at = self.behind_blanks(end);
        }
    }

    /// The place behind the blanks at `at`.
    #[inline(always)]
    fn behind_blanks(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.text.get(at) {
            at += 1;
        }
        at
    }

    /// A string without escapes behind the blanks at `at`, kept, and where it ends.
    #[inline(always)]
    fn soon_string(&mut self, at: usize) -> Option<(Span, usize)> {
        let at = self.behind_blanks(at);
        let rest = self.text.get(at..)?.strip_prefix(b"\"")?;
        let length = plain_length(rest).filter(|length| rest[*length] == b'"')?;
        Some((self.keep_near(rest, length), at + length + 2))
    }

    /// 16 numbers in brackets behind the blanks at `at`, and where they end.
    #[inline(always)]
    fn soon_matrix(&mut self, at: usize) -> Option<(Values, usize)> {
        let at = self.behind_blanks(at);
        (self.text.get(at) == Some(&b'[')).then_some(())?;
        let start = self.to.floats.len();
        let end = number::run::run(self.text, at + 1, &mut self.to.floats);
        let (end, count) = (self.behind_blanks(end), self.to.floats.len() - start);
        if count != 16 || self.text.get(end) != Some(&b']') {
            self.to.floats.truncate(start);
            return None;
        }
        Some((Values::Floats(span(start, start + 16)), end + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_by;
    use crate::pbrt::Statements;
    use proptest::prelude::*;

    /// Both ways say the same, problems and their places with it.
    fn check(text: &str) {
        let shown = |statements: Statements| format!("{statements:?}");
        let soon = parse_by::<true>(text.as_bytes(), 7, Statements::default());
        let plain = parse_by::<false>(text.as_bytes(), 7, Statements::default());
        assert_eq!(shown(soon), shown(plain), "{text}");
    }

    const USUAL: &str = "AttributeBegin\n  Transform [ 1 0 0 0 0 1 0 0 0 0 1 0 4.5 -1e3 .25 1 ]\n\
        ObjectInstance \"a\"\nAttributeEnd\n";

    #[test]
    fn each_way_to_end_a_block_too_soon_is_told_alike() {
        check(USUAL);
        for length in 0..USUAL.len() {
            check(&USUAL[..length]);
            check(&format!("{}{USUAL}", &USUAL[..length]));
            for odd in
                ["#", "\"", "[", "]", "\\", "x", " ", "\n", "7 ", "\n# c\n", "\r\n\t", "\0", "e"]
            {
                check(&format!("{}{odd}{}", &USUAL[..length], &USUAL[length..]));
                check(&format!("{}{odd}{}", &USUAL[..length], &USUAL[(length + 1)..]));
            }
        }
    }

    proptest! {
        #[test]
        fn both_ways_say_the_same(
            words in prop::collection::vec(prop_oneof![
                4 => Just("AttributeBegin"), 4 => Just("AttributeEnd"), 4 => Just("ObjectInstance \"b c\""),
                4 => Just("Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]"),
                2 => Just("ConcatTransform [ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ]"),
                1 => Just("Transform [1 2 3]"), 1 => Just("ObjectInstance"), 1 => Just("# c"),
                1 => Just("Transform [0x10 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]"), 1 => Just("AttributeBegin["),
                1 => Just("ObjectInstance \"\\n\""), 1 => Just("Shape \"sphere\" \"float radius\" 2"),
                1 => Just("ObjectInstance \"a name that is longer than what is near\""),
            ], 0..20),
            blanks in prop::collection::vec("[ \n\t\r]{0,3}", 20),
        ) {
            let text: String = words.iter().zip(&blanks).map(|(word, blank)| format!("{word}{blank}")).collect();
            check(&text);
        }
    }
}
