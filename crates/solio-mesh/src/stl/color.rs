//! Colours in the word behind a triangle: 15 bits, in one of two orders.

use super::collect::{WORDS, face_attribute};
use crate::model::{Attribute, Mesh, Values};
use std::borrow::Cow;

pub(crate) const CHANNELS: [&str; 3] = ["red", "green", "blue"];
/// What makes words of a header those of Magics.
const MAGICS: &[u8] = b"COLOR=";

/// The attributes that the words make: the words themselves, and their colours if they are any.
///
/// Magics says `COLOR=` in the header; red is lowest, and bit 15 means *the colour of the
/// header*. VisCAM has blue lowest, and bit 15 means *this is a colour*.
pub(crate) fn attributes(header: &[u8], words: Vec<u16>) -> Vec<Attribute<'static>> {
    if words.is_empty() {
        return Vec::new();
    }
    let magics = memchr::memmem::find(header, MAGICS).map(|i| &header[i + MAGICS.len()..]);
    let default = magics.and_then(|h| h.first_chunk::<4>()).copied().unwrap_or([255; 4]);
    let mut channels = [Vec::new(), Vec::new(), Vec::new()];
    if magics.is_some() || words.iter().any(|w| w >> 15 == 1) {
        for &word in &words {
            let color = match (magics.is_some(), word >> 15 == 1) {
                (true, false) => [0, 5, 10].map(|shift| five(word, shift)),
                (false, _) => viscam(word),
                (true, true) => [default[0], default[1], default[2]],
            };
            for (channel, value) in channels.iter_mut().zip(color) {
                channel.push(value);
            }
        }
    }
    let mut out = vec![face_attribute(WORDS, Values::U16(Cow::Owned(words)))];
    for (name, values) in CHANNELS.into_iter().zip(channels) {
        if !values.is_empty() {
            out.push(face_attribute(name, Values::U8(Cow::Owned(values))));
        }
    }
    out
}

/// The words to write, one a face, below a header that begins with `name`. Words of Magics mean
/// something else there: words that are not the faces' colours are made anew, as VisCAM has them.
pub(crate) fn words<'m>(mesh: &'m Mesh<'_>, name: &str) -> Option<Cow<'m, [u16]>> {
    let Some(Values::U16(words)) = of_faces(mesh, WORDS) else { return None };
    let words = Cow::Borrowed(&words[..]);
    let Some(color) = colors(mesh) else { return Some(words) };
    // Where no word is a colour, all faces are white.
    let are_colors = words.iter().any(|&word| word >> 15 == 1)
        && words.iter().enumerate().all(|(face, &word)| viscam(word) == color(face));
    if is_magics(name.as_bytes()) || are_colors {
        return Some(words);
    }
    let made = words.iter().enumerate().map(|(face, &word)| match color(face) {
        color if word >> 15 == 1 && viscam(word) == color => word,
        color => color.iter().fold(1, |word, &c| (word << 5) | ((u16::from(c) * 31 + 127) / 255)),
    });
    Some(made.collect())
}

/// The values of an attribute of the faces.
fn of_faces<'m>(mesh: &'m Mesh<'_>, name: &str) -> Option<&'m Values<'m>> {
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let is = |a: &&Attribute<'_>| a.element == "face" && a.name == name && a.list.is_none();
    mesh.attributes.iter().find(is).map(|a| &a.values).filter(|v| v.len() == faces)
}

/// The colour of each face, where the mesh has such colours.
pub(crate) fn colors(mesh: &Mesh<'_>) -> Option<impl Fn(usize) -> [u8; 3] + Sync> {
    match CHANNELS.map(|name| of_faces(mesh, name)) {
        [Some(Values::U8(red)), Some(Values::U8(green)), Some(Values::U8(blue))] => {
            Some(move |face: usize| [red[face], green[face], blue[face]])
        }
        _ => None,
    }
}

/// Whether all that a word says is the colour of its face, in either order, or that it has none.
pub(crate) fn is_said(word: u16, color: [u8; 3]) -> bool {
    match word >> 15 {
        1 => viscam(word) == color || word << 1 == 0,
        _ => word == 0 || [0, 5, 10].map(|shift| five(word, shift)) == color,
    }
}

/// Whether a header makes words those of Magics.
pub(crate) fn is_magics(header: &[u8]) -> bool {
    memchr::memmem::find(header, MAGICS).is_some()
}

/// The colour of a word of VisCAM; white where it is none.
pub(crate) fn viscam(word: u16) -> [u8; 3] {
    if word >> 15 == 1 { [10, 5, 0].map(|shift| five(word, shift)) } else { [255; 3] }
}

/// Five bits of a word as a byte.
fn five(word: u16, shift: u16) -> u8 {
    (u32::from(word >> shift & 31) * 255 / 31) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_five_bits_come_back() {
        for word in 0x8000..=0xffff {
            let color = viscam(word).map(|c| Values::U8(vec![c].into()));
            let mut attributes = vec![face_attribute(WORDS, Values::U16(vec![0].into()))];
            let channels = CHANNELS.into_iter().zip(color);
            attributes.extend(channels.map(|(name, values)| face_attribute(name, values)));
            let mesh = Mesh { face_offsets: vec![0, 3].into(), attributes, ..Mesh::default() };
            let made = words(&mesh, "").unwrap();
            assert_eq!(viscam(made[0]), viscam(word));
            assert_eq!(made[0], word);
        }
    }

    #[test]
    fn white_of_magics_is_white_of_viscam() {
        let header = [b"COLOR=".as_slice(), &[9, 9, 9, 255]].concat();
        let mesh = |words: &[u16]| Mesh {
            face_offsets: (0..=words.len() as u32).map(|i| 3 * i).collect(),
            attributes: attributes(&header, words.to_vec()),
            ..Mesh::default()
        };
        // Bit 15 says in VisCAM that there is a colour, and in Magics that there is none.
        for (magics, viscam) in [
            (vec![0x7fff, 0x7fff], vec![0xffff, 0xffff]),
            (vec![0x7fff, 0x001f], vec![0xffff, 0xfc00]),
        ] {
            assert_eq!(words(&mesh(&magics), "").unwrap()[..], viscam);
            assert_eq!(words(&mesh(&magics), "COLOR=").unwrap()[..], magics);
        }
    }
}
