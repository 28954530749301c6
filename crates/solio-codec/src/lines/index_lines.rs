//! Lines of indices, and where their digits are: faces, `f 7/1 8/2 9/3`, and lists, `3 7 8 9`.

use super::known::LONGEST;
use std::ops::Range;

/// What the numbers of a line are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum IndexForm {
    #[default]
    None,
    /// A count and so many numbers.
    List,
    Vertices,
    VerticesUvs,
    VerticesNormals,
    All,
}

/// Up to eight numbers: four times 16 bytes of text, and how the digits of two numbers in each are moved
/// to the end of eight bytes; 128 for none.
#[derive(Clone, Copy)]
pub(super) struct EightNumbers {
    pub(super) starts: [u8; 4],
    pub(super) places: [[u8; 16]; 4],
}

impl Default for EightNumbers {
    fn default() -> Self {
        EightNumbers { starts: [0; 4], places: [[128; 16]; 4] }
    }
}

impl EightNumbers {
    /// Two numbers, which the text has at these places, as pair `pair`; `None` where they do not fit.
    fn put(&mut self, pair: usize, numbers: [Range<usize>; 2]) -> Option<()> {
        let start = numbers[0].start;
        *self.starts.get_mut(pair)? = start as u8;
        for (number, end) in numbers.into_iter().zip([8, 16]) {
            if number.len() > 8 || number.end > start + 16 {
                return None;
            }
            for (i, at) in number.rev().enumerate() {
                self.places[pair][end - 1 - i] = (at - start) as u8;
            }
        }
        Some(())
    }
}

/// Where the numbers of a line are.
#[derive(Clone, Copy, Default)]
pub(super) struct IndexLine {
    pub(super) form: IndexForm,
    /// Corners of the face, or length of the list.
    pub(super) corners: u8,
    /// The numbers in their order; or a vertex and what else a corner has.
    pub(super) first: EightNumbers,
    /// With vertices, UVs and normals: the normals, in every second place.
    pub(super) second: EightNumbers,
}

impl IndexLine {
    /// The line that `text` starts with, behind its key; `None` for those left to others.
    pub(super) fn new(text: &[u8; LONGEST], is_list: bool) -> Option<IndexLine> {
        let body = &text[..text.iter().position(|&byte| byte == b'\n')?];
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let body = if is_list { body.trim_ascii_end() } else { body };
        let mut at = 0;
        let mut words = Vec::new();
        for word in body.split(|&byte| byte == b' ') {
            let mut numbers = Vec::new();
            for number in word.split(|&byte| byte == b'/') {
                if !number.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                numbers.push(at..at + number.len());
                at += number.len() + 1;
            }
            words.push(numbers);
        }
        let mut line = IndexLine::default();
        if is_list {
            let count = words.len() - 1;
            line.form = IndexForm::List;
            line.corners = count as u8;
            if !(1..8).contains(&count) || words[0] != [0..1] || text[0] != b'0' + line.corners {
                return None;
            }
        } else {
            line.form = match &words[0][..] {
                [_] => IndexForm::Vertices,
                [_, _] => IndexForm::VerticesUvs,
                [_, uv, _] if uv.is_empty() => IndexForm::VerticesNormals,
                [_, _, _] => IndexForm::All,
                _ => return None,
            };
            line.corners = words.len() as u8;
        }
        let parts = words[0].len();
        if words.iter().any(|word| word.len() != parts) || !is_list && words.len() < 3 {
            return None;
        }
        let is_number =
            |number: &Range<usize>| (1..=8).contains(&number.len()).then(|| number.clone());
        if parts == 1 {
            for (pair, words) in words.chunks(2).enumerate() {
                let number = is_number(&words[0][0])?;
                let other = match words.get(1) {
                    Some(word) => is_number(&word[0])?,
                    None => number.end..number.end,
                };
                line.first.put(pair, [number, other])?;
            }
            return Some(line);
        }
        for (pair, word) in words.iter().enumerate() {
            let numbers = match line.form {
                IndexForm::VerticesNormals if word[1].is_empty() => [&word[0], &word[2]],
                IndexForm::VerticesNormals => return None,
                _ => [&word[0], &word[1]],
            };
            let [vertex, other] = numbers.map(is_number);
            line.first.put(pair, [vertex?, other?])?;
            if line.form == IndexForm::All {
                let normal = is_number(&word[2])?;
                let none = normal.end..normal.end;
                line.second.put(pair, [normal, none])?;
            }
        }
        Some(line)
    }
}
