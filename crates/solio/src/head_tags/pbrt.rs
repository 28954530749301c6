//! pbrt: the directives before the world, which say how the scene is looked at.
//!
//! ```text
//! Film "rgb" "integer xresolution" [ 640 ] "string filename" "out.exr"
//! directive  "kind"  { "type name" value | [ values ] }
//! ```
//! ("pbrt-v4 Input File Format"; scenes of version 3 look alike.) Each directive becomes a tag of
//! its kind or numbers, each of its parameters one more: `Film`, `FilmXresolution`.

use super::names::tag_name;
use solio_photo::{Stated, Value};

const GROUP: &str = "PBRT";

pub(super) fn read(head: &[u8], stated: &mut Stated<'_>) {
    stated.kind("PBRT", "PBRT", "text/x-pbrt");
    let text = String::from_utf8_lossy(head);
    let mut tokens = Tokens { rest: text.trim_start_matches('\u{feff}'), comments: Vec::new() };
    let mut directive: Option<Directive<'_>> = None;
    for token in tokens.by_ref() {
        match token {
            Token::Word(word) if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                directive.take().into_iter().for_each(|directive| directive.put(stated));
                if matches!(word, "WorldBegin" | "AttributeBegin" | "Shape" | "ObjectBegin") {
                    break;
                }
                directive = Some(Directive { name: word, own: Vec::new(), parameters: Vec::new() });
            }
            token => directive.iter_mut().for_each(|directive| directive.take(token)),
        }
    }
    // What the end of the head cut off says nothing.
    if head.len() < super::HEAD_BYTES {
        directive.into_iter().for_each(|directive| directive.put(stated));
    }
    let comments: Vec<Value> =
        tokens.comments.into_iter().map(|comment| Value::Text(comment.to_owned())).collect();
    if !comments.is_empty() {
        stated.put(GROUP, "Comments", Value::List(comments));
    }
}

struct Directive<'t> {
    name: &'t str,
    /// Its kind, or its numbers.
    own: Vec<Token<'t>>,
    /// `integer xresolution`, and its values.
    parameters: Vec<(&'t str, Vec<Token<'t>>)>,
}

impl<'t> Directive<'t> {
    fn take(&mut self, token: Token<'t>) {
        match (token, self.parameters.last_mut()) {
            (Token::Text(text), _) if is_declaration(text) => {
                self.parameters.push((text, Vec::new()));
            }
            (token, Some((_, values))) => values.push(token),
            (token, None) => self.own.push(token),
        }
    }

    fn put(self, stated: &mut Stated<'_>) {
        let Directive { name, own, parameters } = self;
        stated.put(GROUP, name, value(&own));
        for (declaration, values) in parameters {
            let parameter = declaration.split_ascii_whitespace().next_back().unwrap_or_default();
            let size = match (name, parameter) {
                ("Film", "xresolution") => Some("ImageWidth"),
                ("Film", "yresolution") => Some("ImageHeight"),
                _ => None,
            };
            let value = value(&values);
            if let Some(size) = size {
                stated.put("File", size, value.clone());
            }
            stated.put(GROUP, format!("{name}{}", tag_name(parameter)), value);
        }
    }
}

/// Whether a text declares a parameter: one of pbrt's types, and a name.
fn is_declaration(text: &str) -> bool {
    const TYPES: &str = " integer float point2 vector2 point3 vector3 normal3 point vector normal \
        spectrum rgb bool string texture color blackbody xyz ";
    let mut words = text.split_ascii_whitespace();
    let typed = words.next().is_some_and(|word| TYPES.contains(&format!(" {word} ")));
    typed && words.next().is_some() && words.next().is_none()
}

/// Numbers as numbers, else text; several as a list.
fn value(tokens: &[Token<'_>]) -> Value {
    let texts: Vec<&str> = tokens.iter().map(|(Token::Word(t) | Token::Text(t))| *t).collect();
    let plain = tokens.iter().all(|token| matches!(token, Token::Word(_)));
    if plain && !texts.is_empty() {
        if let Ok(whole) = texts.iter().map(|t| t.parse()).collect() {
            return Value::Ints(whole);
        }
        if let Ok(all) = texts.iter().map(|t| t.parse()).collect() {
            return Value::Floats(all);
        }
    }
    match texts[..] {
        [] => Value::Text(String::new()),
        [one] => Value::Text(one.to_owned()),
        _ => Value::List(texts.into_iter().map(|t| Value::Text(t.to_owned())).collect()),
    }
}

#[derive(Clone, Copy)]
enum Token<'t> {
    Word(&'t str),
    /// What stood in quotes.
    Text(&'t str),
}

/// Words and texts; brackets only part them.
struct Tokens<'t> {
    rest: &'t str,
    comments: Vec<&'t str>,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let between = |c: char| c.is_whitespace() || matches!(c, '[' | ']');
            self.rest = self.rest.trim_start_matches(between);
            if let Some(comment) = self.rest.strip_prefix('#') {
                let (comment, rest) = comment.split_once('\n').unwrap_or((comment, ""));
                let comment = comment.trim_start_matches('#').trim();
                self.comments.extend(Some(comment).filter(|c| !c.is_empty()));
                self.rest = rest;
                continue;
            }
            if let Some(text) = self.rest.strip_prefix('"') {
                let (text, rest) = text.split_once('"')?;
                self.rest = rest;
                return Some(Token::Text(text));
            }
            let ends = |c: char| between(c) || matches!(c, '"' | '#');
            let end = self.rest.find(ends).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            return (!word.is_empty()).then_some(Token::Word(word));
        }
    }
}
