//! Text to statements, in one pass.

mod blocks;

use super::statements::{Parameter, Span, Statement, Statements, Values};
use super::word::{NEAR, plain_length};
use super::{Arguments, Directive, ParameterType};
use memchr::{memchr, memchr2, memchr3};
use solio_base::{Error, Result};
use solio_codec::number;

/// Problems of a text that are told; the last one then says that the rest was not looked at.
const MOST_PROBLEMS: usize = 1000;

/// Parses `text`, which begins `offset` bytes after the start of its file, at the beginning of a
/// line. What is wrong is kept in [`Statements::problems`]; parsing goes on at the next line that
/// begins with a directive. Texts have less than 4 GiB.
pub fn parse(text: &[u8], offset: u64) -> Statements {
    parse_into(text, offset, Statements::default())
}

/// [`parse`] with the memory of statements that are no longer needed.
pub(super) fn parse_into(text: &[u8], offset: u64, memory: Statements) -> Statements {
    parse_by::<true>(text, offset, memory)
}

/// [`parse_into`], with the short way for usual statements or without.
fn parse_by<const SOON: bool>(text: &[u8], offset: u64, mut memory: Statements) -> Statements {
    memory.clear();
    reserve(&mut memory, text.len());
    let mut parser = StatementParser { text, at: 0, offset, to: memory };
    if u32::try_from(text.len()).is_err() {
        parser.to.problems.push(Error::limit("a piece of text has 4 GiB and more"));
        return parser.to;
    }
    while parser.skip_blanks() {
        if SOON {
            parser.soon_blocks();
            if !parser.skip_blanks() {
                break;
            }
        }
        let (start, kept) = (parser.at, parser.kept());
        if let Err(error) = parser.statement() {
            parser.take_back(kept);
            parser.to.problems.push(error);
            if !parser.next_directive(start) {
                break;
            }
            if parser.to.problems.len() >= MOST_PROBLEMS {
                let message = format!("{MOST_PROBLEMS} problems; what follows was not looked at");
                let place = offset + parser.at as u64;
                parser.to.problems.push(Error::limit(message).at_offset(place));
                break;
            }
        }
    }
    parser.to
}

/// Room for what that many bytes of text often have, where there is none: memory that is not
/// written costs little, memory that grows is copied.
fn reserve(to: &mut Statements, text_bytes: usize) {
    if to.statements.capacity() > 0 || text_bytes < 4096 {
        return;
    }
    to.floats.reserve(text_bytes / 8);
    to.integers.reserve(text_bytes / 8);
    to.statements.reserve(text_bytes / 64);
    to.parameters.reserve(text_bytes / 32);
    to.text.reserve(text_bytes / 4);
}

struct StatementParser<'t> {
    text: &'t [u8],
    at: usize,
    offset: u64,
    to: Statements,
}

/// Numbers of a kind in the arrays, to take back what a broken statement left.
struct ArrayLengths {
    parameters: usize,
    floats: usize,
    integers: usize,
    strings: usize,
    text: usize,
    older_values: usize,
}

impl<'t> StatementParser<'t> {
    fn kept(&self) -> ArrayLengths {
        let to = &self.to;
        ArrayLengths {
            parameters: to.parameters.len(),
            floats: to.floats.len(),
            integers: to.integers.len(),
            strings: to.strings.len(),
            text: to.text.len(),
            older_values: to.older_values.len(),
        }
    }

    fn take_back(&mut self, kept: ArrayLengths) {
        self.to.parameters.truncate(kept.parameters);
        self.to.floats.truncate(kept.floats);
        self.to.integers.truncate(kept.integers);
        self.to.strings.truncate(kept.strings);
        self.to.text.truncate(kept.text);
        self.to.older_values.truncate(kept.older_values);
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        Error::syntax(message).at_offset(self.offset + at as u64)
    }

    /// Something is missing here. Before a line that begins with a directive the place is the
    /// beginning of that line: a piece may end there.
    #[cold]
    fn missing(&self, message: impl Into<String>) -> Error {
        let before = &self.text[..self.at];
        let is_end = self.at == self.text.len() || self.byte().is_ascii_uppercase();
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line_start = self.at - blanks;
        let begins_line = line_start == 0 || before[line_start - 1] == b'\n';
        self.error(if is_end && begins_line { line_start } else { self.at }, message)
    }

    /// The byte here; 0 at the end.
    #[inline(always)]
    fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Goes to the next token; says whether there is one.
    #[inline(always)]
    fn skip_blanks(&mut self) -> bool {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                Some(_) => return true,
                None => return false,
            }
        }
    }

    /// Goes to the next token of the statement; says whether there is one. A line that begins with a
    /// directive ends the statement as the end of a piece does, whatever is missing.
    #[inline(always)]
    fn goes_on(&mut self) -> bool {
        self.skip_blanks() && !(self.byte().is_ascii_uppercase() && self.begins_line())
    }

    /// Whether only blanks stand before this place on its line; not on the first line.
    #[cold]
    fn begins_line(&self) -> bool {
        let before = self.text[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        before == Some(&b'\n')
    }

    #[cold]
    fn skip_comment(&mut self) {
        let (start, rest) = (self.offset + self.at as u64, &self.text[self.at..]);
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.to.comments.push(start..start + length as u64);
        self.at += length;
    }

    /// Goes to the next line after `start` that begins with a directive.
    fn next_directive(&mut self, start: usize) -> bool {
        if self.at > start && begins_directive(&self.text[self.at..]) && self.begins_line() {
            return true;
        }
        while let Some(end) = memchr(b'\n', &self.text[self.at..]) {
            self.at += end + 1;
            if begins_directive(&self.text[self.at..]) {
                return true;
            }
        }
        false
    }

    /// A word: up to a blank, a quote or a bracket.
    #[inline(always)]
    fn word(&mut self) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The directive that is found sooner than word by word.
    #[inline(always)]
    fn soon_directive(&mut self) -> Option<Directive> {
        let rest = &self.text[self.at..];
        let length = plain_length(rest)?;
        let directive = Directive::of_word(&rest[..length])?;
        ends_word(rest[length]).then(|| self.at += length)?;
        Some(directive)
    }

    fn statement(&mut self) -> Result<()> {
        let at = self.at;
        let directive = match self.soon_directive() {
            Some(directive) => directive,
            None => {
                let word = self.word();
                match Directive::of_word(word) {
                    Some(directive) => directive,
                    None => return self.older_directive(at, word),
                }
            }
        };
        let first = self.to.parameters.len();
        let values = match directive.arguments() {
            Arguments::None => Values::Floats(self.span_of(self.to.floats.len())),
            Arguments::Numbers(count) => self.numbers(directive, count)?,
            Arguments::Matrix => {
                self.expect(b'[', directive)?;
                let values = self.values(ParameterType::Float, usize::MAX, true)?;
                self.expect(b']', directive)?;
                if values.count() != 16 {
                    return Err(self.error(at, "a matrix has 16 numbers"));
                }
                values
            }
            Arguments::Strings(count) => self.strings(directive, count)?,
            Arguments::Parameters(count) => {
                let values = self.strings(directive, count)?;
                while self.skip_blanks() && self.byte() == b'"' {
                    self.parameter()?;
                }
                values
            }
            Arguments::Media => {
                let start = self.to.strings.len();
                self.strings(directive, 1)?;
                if self.skip_blanks() && self.byte() == b'"' {
                    self.string_value()?;
                }
                Values::Strings(span(start, self.to.strings.len()))
            }
            Arguments::Time => self.time()?,
            Arguments::Option => {
                if !(self.skip_blanks() && self.byte() == b'"') {
                    return Err(self.missing("Option takes a parameter"));
                }
                self.option()?;
                Values::Floats(self.span_of(self.to.floats.len()))
            }
        };
        let parameters = span(first, self.to.parameters.len());
        let at = self.offset + at as u64;
        self.to.statements.push(Statement { at, directive, values, parameters });
        Ok(())
    }

    /// What only versions 1 and 2 had is passed over, with its strings and parameters.
    #[cold]
    fn older_directive(&mut self, at: usize, word: &[u8]) -> Result<()> {
        let Some(name) = OLDER.iter().find(|name| name.as_bytes() == word) else {
            return Err(self.no_directive(at, word));
        };
        let kept = self.kept();
        if !(self.skip_blanks() && self.byte() == b'"') {
            return Err(self.missing(format!("{name} takes a string")));
        }
        self.string()?;
        while self.skip_blanks() && self.byte() == b'"' {
            self.parameter()?;
        }
        self.take_back(kept);
        self.to.older_directives.push((self.offset + at as u64, name));
        Ok(())
    }

    #[cold]
    fn no_directive(&self, at: usize, word: &[u8]) -> Error {
        match self.text[at] {
            b'"' => self.error(at, "a string where a directive is expected"),
            b'[' | b']' => self.error(at, "a bracket where a directive is expected"),
            _ => {
                let shown = String::from_utf8_lossy(&word[..word.len().min(40)]);
                self.error(at, format!("{shown:?} is no directive of pbrt"))
            }
        }
    }

    fn span_of(&self, start: usize) -> Span {
        span(start, start)
    }

    fn expect(&mut self, byte: u8, directive: Directive) -> Result<()> {
        if self.skip_blanks() && self.byte() == byte {
            self.at += 1;
            return Ok(());
        }
        let message = format!("{} takes 16 numbers in brackets", directive.name());
        Err(self.missing(message))
    }

    fn numbers(&mut self, directive: Directive, count: usize) -> Result<Values> {
        let start = self.to.floats.len();
        for _ in 0..count {
            self.skip_blanks();
            let Some(value) = self.float()? else {
                let message = format!("{} takes {count} numbers", directive.name());
                return Err(self.missing(message));
            };
            self.to.floats.push(value);
        }
        Ok(Values::Floats(span(start, self.to.floats.len())))
    }

    fn strings(&mut self, directive: Directive, count: usize) -> Result<Values> {
        let start = self.to.strings.len();
        for _ in 0..count {
            if !(self.skip_blanks() && self.byte() == b'"') {
                let many = if count == 1 { "a string" } else { "three strings" };
                let message = format!("{} takes {many}", directive.name());
                return Err(self.missing(message));
            }
            self.string_value()?;
        }
        Ok(Values::Strings(span(start, self.to.strings.len())))
    }

    fn string_value(&mut self) -> Result<()> {
        let string = self.string()?;
        self.to.strings.push(string);
        Ok(())
    }

    fn time(&mut self) -> Result<Values> {
        let goes_on = self.goes_on() || may_be_time(&self.text[self.at..]);
        let at = self.at;
        let word = if goes_on { self.word() } else { b"" };
        if !TIMES.contains(&word) {
            let message = "ActiveTransform takes All, StartTime or EndTime";
            return Err(if goes_on { self.error(at, message) } else { self.missing(message) });
        }
        let text = self.keep(word);
        self.to.strings.push(text);
        let end = self.to.strings.len();
        Ok(Values::Strings(span(end - 1, end)))
    }

    fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.to.text.len();
        self.to.text.extend_from_slice(bytes);
        span(start, self.to.text.len())
    }

    /// Keeps the first `length` bytes of `rest`, which are fewer than [`NEAR`].
    #[inline(always)]
    fn keep_near(&mut self, rest: &[u8], length: usize) -> Span {
        let Some(near) = rest.first_chunk::<NEAR>() else { return self.keep(&rest[..length]) };
        // To copy more than that takes no call.
        let start = self.to.text.len();
        self.to.text.extend_from_slice(near);
        self.to.text.truncate(start + length);
        span(start, start + length)
    }

    /// The string that begins here.
    #[inline]
    fn string(&mut self) -> Result<Span> {
        let (start, rest) = (self.at, &self.text[self.at + 1..]);
        if let Some(length) = plain_length(rest).filter(|length| rest[*length] == b'"') {
            self.at += length + 2;
            return Ok(self.keep_near(rest, length));
        }
        let length = memchr3(b'"', b'\\', b'\n', rest);
        match length.map(|length| (length, rest[length])) {
            Some((length, b'"')) => {
                self.at += length + 2;
                Ok(self.keep(&rest[..length]))
            }
            Some((_, b'\\')) => self.escaped(start),
            _ => Err(self.error(start, "the string does not end on its line")),
        }
    }

    #[cold]
    fn escaped(&mut self, start: usize) -> Result<Span> {
        let first = self.to.text.len();
        let mut at = start + 1;
        loop {
            let byte = match self.text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    at += 1;
                    match self.text.get(at) {
                        Some(b'b') => 8,
                        Some(b'f') => 12,
                        Some(b'n') => b'\n',
                        Some(b'r') => b'\r',
                        Some(b't') => b'\t',
                        Some(byte @ (b'\\' | b'\'' | b'"')) => *byte,
                        _ => return Err(self.error(at - 1, "an escape that pbrt does not know")),
                    }
                }
                Some(b'\n') | None => {
                    return Err(self.error(start, "the string does not end on its line"));
                }
                Some(byte) => *byte,
            };
            self.to.text.push(byte);
            at += 1;
        }
        self.at = at + 1;
        Ok(span(first, self.to.text.len()))
    }

    /// pbrt-v4 takes the name of an option alone; its type is that of the value.
    #[cold]
    fn option(&mut self) -> Result<()> {
        let at = self.at;
        let name = self.string()?;
        if self.to.text[name.range()].iter().any(|byte| matches!(byte, b' ' | b'\t')) {
            self.to.text.truncate(name.start as usize);
            self.at = at;
            self.parameter()?;
            if let Some(parameter) = self.to.parameters.last_mut() {
                parameter.older_form = true;
            }
            return Ok(());
        }
        if !self.goes_on() {
            return Err(self.error(at, "the option has no value"));
        }
        let rest = &self.text[self.at..];
        let word = &rest[..rest.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len())];
        let kind = match self.byte() {
            b'"' => ParameterType::String,
            b't' | b'f' => ParameterType::Bool,
            _ if word.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => ParameterType::Float,
            _ => ParameterType::Integer,
        };
        let values = self.values(kind, 1, false)?;
        if values.count() == 0 {
            return Err(self.error(self.at, "a value of the option is expected"));
        }
        let at = self.offset + at as u64;
        self.to.parameters.push(Parameter { at, kind, name, values, older_form: false });
        Ok(())
    }

    fn parameter(&mut self) -> Result<()> {
        let at = self.at;
        let (kind, name, older_form) = match self.soon_declared() {
            Some(declared) => declared,
            None => {
                let declaration = self.string()?;
                self.declared(at, declaration)?
            }
        };
        if !self.goes_on() {
            return Err(self.error(at, "the parameter has no value"));
        }
        let values = if self.byte() == b'[' {
            self.at += 1;
            let values = self.values(kind, usize::MAX, !self.ends_soon())?;
            if !self.goes_on() {
                return Err(self.error(at, "the values of the parameter do not end"));
            }
            if self.byte() != b']' {
                let message = format!("this is no value of type {}", kind.name());
                return Err(self.error(self.at, message));
            }
            self.at += 1;
            values
        } else {
            let values = self.values(kind, 1, false)?;
            if values.count() == 0 {
                let message = format!("a value of type {} is expected", kind.name());
                return Err(self.error(self.at, message));
            }
            if self.goes_on() && begins_number(&self.text[self.at..]) {
                let message = "several values of a parameter stand in brackets";
                return Err(self.error(self.at, message));
            }
            values
        };
        let at = self.offset + at as u64;
        self.to.parameters.push(Parameter { at, kind, name, values, older_form });
        Ok(())
    }

    /// [`Self::declared`] of the string here, where it has one blank and is found soon.
    #[inline(always)]
    fn soon_declared(&mut self) -> Option<(ParameterType, Span, bool)> {
        let rest = &self.text[self.at + 1..];
        let type_length = plain_length(rest)?;
        let kind = ParameterType::of_word(&rest[..type_length])?;
        let name = &rest[type_length + 1..];
        let name_length = plain_length(name)?;
        if rest[type_length] != b' ' || name_length == 0 || name[name_length] != b'"' {
            return None;
        }
        let length = type_length + 1 + name_length;
        let all =
            if length < NEAR { self.keep_near(rest, length) } else { self.keep(&rest[..length]) };
        self.at += length + 2;
        let older_form = type_length != kind.name().len();
        Some((kind, Span { start: all.end - name_length as u32, end: all.end }, older_form))
    }

    /// Type and name of a declaration such as `point3 P`, and whether the type goes by an older
    /// name.
    fn declared(&mut self, at: usize, declaration: Span) -> Result<(ParameterType, Span, bool)> {
        let text = &self.to.text[declaration.range()];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = declaration.start as usize;
        let type_start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
        let length =
            |from: usize| text[from..].iter().position(is_blank).unwrap_or(text.len() - from);
        let type_end = type_start + length(type_start);
        let blanks = text[type_end..].iter().position(|byte| !is_blank(byte));
        let Some(name_start) = blanks.map(|blanks| type_end + blanks) else {
            return Err(self.error(at, "a parameter is declared by its type and its name"));
        };
        let name_end = name_start + length(name_start);
        let Some(kind) = ParameterType::of_word(&text[type_start..type_end]) else {
            let word = String::from_utf8_lossy(&text[type_start..type_end.min(type_start + 40)]);
            let message = format!("{word:?} is no type of parameters");
            return Err(self.error(at, message));
        };
        let older_form = text[type_start..type_end] != *kind.name().as_bytes();
        Ok((kind, span(start + name_start, start + name_end), older_form))
    }

    /// Whether an array is likely to have a value or two.
    #[inline(always)]
    fn ends_soon(&self) -> bool {
        let near = self.text[self.at..].first_chunk::<16>();
        near.is_none_or(|near| near.iter().fold(false, |found, byte| found | (*byte == b']')))
    }

    /// Up to `most` values of a type; whether there are likely to be `many`.
    fn values(&mut self, kind: ParameterType, most: usize, many: bool) -> Result<Values> {
        use ParameterType::*;
        self.skip_blanks();
        match kind {
            Bool => {
                let start = self.to.integers.len();
                while self.to.integers.len() - start < most && self.goes_on() {
                    let Some(value) = self.bool()? else { break };
                    self.to.integers.push(value.into());
                }
                Ok(Values::Bools(span(start, self.to.integers.len())))
            }
            Integer => {
                let start = self.to.integers.len();
                if many {
                    self.at = number::run::run(self.text, self.at, &mut self.to.integers);
                }
                while self.to.integers.len() - start < most && self.skip_blanks() {
                    let Some(value) = self.integer()? else { break };
                    self.to.integers.push(value);
                }
                Ok(Values::Integers(span(start, self.to.integers.len())))
            }
            String | Texture => self.string_values(most),
            Spectrum if self.byte() == b'"' => self.string_values(most),
            _ => {
                let start = self.to.floats.len();
                if many {
                    self.at = number::run::run(self.text, self.at, &mut self.to.floats);
                }
                while self.to.floats.len() - start < most && self.skip_blanks() {
                    let Some(value) = self.float()? else { break };
                    self.to.floats.push(value);
                }
                Ok(Values::Floats(span(start, self.to.floats.len())))
            }
        }
    }

    fn string_values(&mut self, most: usize) -> Result<Values> {
        let start = self.to.strings.len();
        while self.to.strings.len() - start < most && self.skip_blanks() && self.byte() == b'"' {
            self.string_value()?;
        }
        Ok(Values::Strings(span(start, self.to.strings.len())))
    }

    /// A truth value, bare or, as in version 3, as a string.
    fn bool(&mut self) -> Result<Option<bool>> {
        let at = self.at;
        let word = if self.byte() == b'"' {
            let string = self.string()?;
            let kept = self.to.text[string.range()].to_vec();
            self.to.text.truncate(string.start as usize);
            self.to.older_values.push(self.offset + at as u64);
            kept
        } else if self.byte() == b']' {
            return Ok(None);
        } else {
            self.word().to_vec()
        };
        match &word[..] {
            b"true" => Ok(Some(true)),
            b"false" => Ok(Some(false)),
            _ => Err(self.error(at, "a value of type bool is true or false")),
        }
    }

    /// The number that begins here; none where something else does.
    #[inline(always)]
    fn float(&mut self) -> Result<Option<f32>> {
        let rest = &self.text[self.at.min(self.text.len())..];
        if !begins_number(rest) {
            return Ok(None);
        }
        match number::parse::f32_prefix(rest) {
            Some((value, length)) if rest.get(length).is_none_or(|byte| ends_word(*byte)) => {
                self.at += length;
                Ok(Some(value))
            }
            _ => self.hexadecimal(),
        }
    }

    /// Version 4 takes whole numbers of hexadecimal digits, such as `0x1F`, where it takes others.
    #[cold]
    fn hexadecimal(&mut self) -> Result<Option<f32>> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len());
        match hexadecimal(&rest[..length]) {
            Some(value) => {
                self.at += length;
                Ok(Some(value))
            }
            None => Err(self.no_number()),
        }
    }

    /// The whole number that begins here.
    #[inline(always)]
    fn integer(&mut self) -> Result<Option<i32>> {
        let rest = &self.text[self.at.min(self.text.len())..];
        if !begins_number(rest) {
            return Ok(None);
        }
        match number::parse::i64_prefix(rest) {
            Some((value, length)) if rest.get(length).is_none_or(|byte| ends_word(*byte)) => {
                let Ok(value) = i32::try_from(value) else {
                    return Err(self.error(self.at, "an integer has 32 bits"));
                };
                self.at += length;
                Ok(Some(value))
            }
            _ => self.whole_float(),
        }
    }

    /// Version 3 took `2.0` for an integer.
    #[cold]
    fn whole_float(&mut self) -> Result<Option<i32>> {
        let at = self.at;
        if matches!(self.text[at..], [b'0', b'x' | b'X', ..] | [_, b'0', b'x' | b'X', ..]) {
            return Err(self.error(at, "this is no integer"));
        }
        match self.float()? {
            Some(value) if value as i32 as f32 == value => {
                self.to.older_values.push(self.offset + at as u64);
                Ok(Some(value as i32))
            }
            _ => Err(self.error(at, "this is no integer")),
        }
    }

    #[cold]
    fn no_number(&self) -> Error {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len());
        let word = String::from_utf8_lossy(&rest[..length.min(40)]);
        self.error(self.at, format!("{word:?} is no number"))
    }
}

/// Whether a line that begins here begins with a directive.
pub(super) fn begins_directive(line: &[u8]) -> bool {
    let first = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    let word = first.map_or(&[][..], |first| &line[first..]);
    word.first().is_some_and(u8::is_ascii_uppercase) && !may_be_time(word)
}

/// Directives of versions 1 and 2 that version 3 does not have.
const OLDER: [&str; 5] =
    ["Renderer", "SearchPath", "SurfaceIntegrator", "Volume", "VolumeIntegrator"];

/// What `ActiveTransform` takes: the only other words with capital letters.
const TIMES: [&[u8]; 3] = [b"All", b"StartTime", b"EndTime"];

/// Whether one of these begins here, as far as the text is there.
fn may_be_time(text: &[u8]) -> bool {
    match text.iter().position(|byte| ends_word(*byte)) {
        Some(length) => TIMES.contains(&&text[..length]),
        None => !text.is_empty() && TIMES.iter().any(|time| time.starts_with(text)),
    }
}

/// Texts have less than 4 GiB, and a value takes a byte of text at least.
#[inline(always)]
fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

#[inline(always)]
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'"' | b'[' | b']')
}

/// A whole number of hexadecimal digits, rounded once.
#[cold]
fn hexadecimal(word: &[u8]) -> Option<f32> {
    let (is_negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let [b'0', b'x' | b'X', digits @ ..] = digits else { return None };
    if digits.is_empty() {
        return None;
    }
    // The upper 60 bits, the last of which says whether there is something below them.
    let (mut top, mut below) = (0u64, 0i32);
    for digit in digits {
        let digit = u64::from(char::from(*digit).to_digit(16)?);
        match top >> 60 {
            0 => top = top << 4 | digit,
            _ => {
                top |= u64::from(digit != 0);
                below = below.saturating_add(4);
            }
        }
    }
    let value = top as f32 * 2f32.powi(below.min(127));
    Some(if is_negative { -value } else { value })
}

/// Whether a number begins here: a digit, perhaps after a sign and a point.
#[inline(always)]
fn begins_number(text: &[u8]) -> bool {
    let signed = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    matches!(text.get(signed), Some(b'0'..=b'9' | b'.'))
}
