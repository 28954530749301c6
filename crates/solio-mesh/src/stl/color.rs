//! Colours in the word behind a triangle: 15 bits, in one of two orders.

use super::collect::{WORDS, face_attribute};
use crate::model::{Attribute, Values};
use std::borrow::Cow;

/// The attributes that the words make: the words themselves, and their colours if they are any.
///
/// Magics says `COLOR=` in the header; red is lowest, and bit 15 means *the colour of the
/// header*. VisCAM has blue lowest, and bit 15 means *this is a colour*.
pub(crate) fn attributes(header: &[u8], words: Vec<u16>) -> Vec<Attribute<'static>> {
    if words.is_empty() {
        return Vec::new();
    }
    let magics = memchr::memmem::find(header, b"COLOR=").map(|i| &header[i + 6..]);
    let default = magics.and_then(|h| h.first_chunk::<4>()).copied().unwrap_or([255; 4]);
    let mut channels = [Vec::new(), Vec::new(), Vec::new()];
    if magics.is_some() || words.iter().any(|w| w >> 15 == 1) {
        for &word in &words {
            let five = |shift: u16| ((word >> shift & 31) as u32 * 255 / 31) as u8;
            let color = match (magics.is_some(), word >> 15 == 1) {
                (true, false) => [five(0), five(5), five(10)],
                (false, true) => [five(10), five(5), five(0)],
                (true, true) => [default[0], default[1], default[2]],
                (false, false) => [255; 3],
            };
            for (channel, value) in channels.iter_mut().zip(color) {
                channel.push(value);
            }
        }
    }
    let mut out = vec![face_attribute(WORDS, Values::U16(Cow::Owned(words)))];
    for (name, values) in ["red", "green", "blue"].into_iter().zip(channels) {
        if !values.is_empty() {
            out.push(face_attribute(name, Values::U8(Cow::Owned(values))));
        }
    }
    out
}
