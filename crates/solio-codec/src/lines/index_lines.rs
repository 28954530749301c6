//! Lines of indices, and where their digits are: faces, `f 7/1 8/2 9/3`, and lists, `3 7 8 9`.

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
    /// Numbers that the text has at these places, from place `place` on; `None` where they do not fit.
    fn put<const N: usize>(&mut self, place: usize, numbers: [&Range<usize>; N]) -> Option<()> {
        for (i, number) in numbers.into_iter().enumerate() {
            let (pair, is_second) = ((place + i) / 2, (place + i) % 2 == 1);
            let start = self.starts.get_mut(pair)?;
            if !is_second {
                *start = number.start as u8;
            }
            let start = usize::from(*start);
            if number.is_empty() || number.len() > 8 || number.end > start + 16 {
                return None;
            }
            let end = if is_second { 16 } else { 8 };
            for (i, at) in number.clone().rev().enumerate() {
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
    pub(super) fn new(text: &[u8], is_list: bool) -> Option<IndexLine> {
        // Of each word its parts between slashes.
        let mut words: [[Range<usize>; 3]; 8] = Default::default();
        let (mut count, mut part, mut parts, mut start) = (0, 0, 1, 0);
        let mut is_whole = false;
        for (at, &byte) in text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_digit()) {
            *words.get_mut(count)?.get_mut(part)? = start..at;
            (start, part) = (at + 1, part + 1);
            if byte == b'/' {
                continue;
            }
            if count > 0 && part != parts {
                return None;
            }
            (parts, part, count) = (part, 0, count + 1);
            let is_blank = |byte: &u8| is_list && matches!(byte, b' ' | b'\t');
            let blanks = text[at..].iter().take_while(|byte| is_blank(byte)).count();
            is_whole = matches!(&text[at + blanks..], [b'\n', ..] | [b'\r', b'\n', ..]);
            if is_whole || byte != b' ' {
                break;
            }
        }
        let words = &words[..count];
        let corners = if is_list { count.checked_sub(1)? } else { count };
        let form = match (&words.first()?[..parts], is_list) {
            ([_], true) => IndexForm::List,
            (_, true) => return None,
            ([_], _) => IndexForm::Vertices,
            ([_, _], _) => IndexForm::VerticesUvs,
            ([_, uv, _], _) if uv.is_empty() => IndexForm::VerticesNormals,
            _ => IndexForm::All,
        };
        let is_right = match is_list {
            true => corners > 0 && words[0][0] == (0..1) && text[0] == b'0' + corners as u8,
            false => corners > 2,
        };
        let mut line = IndexLine { form, corners: corners as u8, ..IndexLine::default() };
        if !is_whole || !is_right {
            return None;
        }
        for (i, [first, second, third]) in words.iter().enumerate() {
            match form {
                IndexForm::VerticesUvs => line.first.put(2 * i, [first, second])?,
                IndexForm::VerticesNormals if second.is_empty() => {
                    line.first.put(2 * i, [first, third])?;
                }
                IndexForm::VerticesNormals => return None,
                IndexForm::All => {
                    line.first.put(2 * i, [first, second])?;
                    line.second.put(2 * i, [third])?;
                }
                _ => line.first.put(i, [first])?,
            }
        }
        Some(line)
    }
}
