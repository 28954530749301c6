//! Free-form curves and surfaces: kept as statements, their relative indices made absolute.

use super::chunk::ParseFault;
use super::token::{Token, Tokens, shown};
use solio_codec::number::parse;

/// What an argument of a free-form statement refers to.
#[derive(Clone, Copy)]
enum Refers {
    /// A number of its own, not an index.
    Nothing,
    /// `v/vt/vn`.
    Vertex,
    /// A `vp` statement.
    Parameter,
    /// A `curv2` statement.
    Curve,
    /// A `surf` statement.
    Surface,
}

/// The statements so far.
#[derive(Default)]
pub(super) struct Freeform {
    text: Vec<u8>,
    parameters: usize,
    curves: usize,
    surfaces: usize,
}

/// What argument number `i` of a statement refers to.
fn refers(key: &[u8], i: usize) -> Refers {
    match key {
        b"curv" if i >= 2 => Refers::Vertex,
        b"curv2" | b"sp" => Refers::Parameter,
        b"surf" if i >= 4 => Refers::Vertex,
        b"trim" | b"hole" | b"scrv" if i % 3 == 2 => Refers::Curve,
        b"con" if i.is_multiple_of(4) => Refers::Surface,
        b"con" if i % 4 == 3 => Refers::Curve,
        b"bsp" | b"bzp" | b"cdc" | b"cdp" => Refers::Vertex,
        _ => Refers::Nothing,
    }
}

impl Freeform {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// Adds one statement, given as its line, at `place`. `counts` are the vertices, texture
    /// coordinates and normals before it.
    pub(super) fn add(
        &mut self,
        line: &[u8],
        place: usize,
        index_base: u8,
        counts: [usize; 3],
    ) -> Result<(), ParseFault> {
        let mut words = Tokens::new(line);
        let Some(key) = words.next() else { return Ok(()) };
        self.text.extend_from_slice(key.text);
        for (i, word) in words.enumerate() {
            self.text.push(b' ');
            let counts = match refers(key.text, i) {
                Refers::Nothing => {
                    self.text.extend_from_slice(word.text);
                    continue;
                }
                Refers::Vertex => counts,
                Refers::Parameter => [self.parameters, 0, 0],
                Refers::Curve => [self.curves, 0, 0],
                Refers::Surface => [self.surfaces, 0, 0],
            };
            // The line starts before its first word, at which the place is.
            let place = place + (word.at - key.at);
            self.reference(word, place, index_base, counts)?;
        }
        if self.text.ends_with(b"\\") {
            self.text.push(b' '); // or it would join this statement with the next one
        }
        self.text.push(b'\n');
        match key.text {
            b"vp" => self.parameters += 1,
            b"curv2" => self.curves += 1,
            b"surf" => self.surfaces += 1,
            _ => {}
        }
        Ok(())
    }

    fn reference(
        &mut self,
        word: Token<'_>,
        place: usize,
        index_base: u8,
        counts: [usize; 3],
    ) -> Result<(), ParseFault> {
        for (part, index) in word.text.split(|&b| b == b'/').enumerate() {
            if part > 0 {
                self.text.push(b'/');
            }
            if index.is_empty() && part > 0 {
                continue;
            }
            let value = parse::i64_prefix(index)
                .filter(|&(_, used)| used == index.len() && part < 3)
                .map(|(value, _)| value)
                .ok_or_else(|| {
                    ParseFault::syntax(place, format!("`{}` is not an index", shown(word.text)))
                })?;
            let absolute = match value {
                0.. => value.saturating_add(1 - i64::from(index_base)),
                _ => counts[part] as i64 + value + 1,
            };
            if absolute < 1 {
                let message = format!("index {value} points before the first element");
                return Err(ParseFault::syntax(place, message));
            }
            self.text.extend_from_slice(absolute.to_string().as_bytes());
        }
        Ok(())
    }
}
