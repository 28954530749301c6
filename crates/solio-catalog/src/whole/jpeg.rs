//! JPEG: segments up to the pixels, and the marker that ends them (ITU-T T.81, annex B).

use super::cursor::{Cursor, be16};
use super::{Whole, boxes, follows, pixels};
use solio_base::{Error, Result};

/// Pictures behind each other; cameras write three.
const MOST_PICTURES: usize = 64;

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    let mut whole = Whole::default();
    for picture in 0..MOST_PICTURES {
        file.skip(2, "the start of a picture")?;
        let size = segments(file)?;
        if picture == 0 {
            whole.found = size.map_or(String::new(), |(width, height)| pixels(width, height));
        }
        let rest = file.rest();
        if rest == 0 {
            break;
        }
        // What follows is mostly another picture (CIPA DC-007), or a film.
        let mut next = [0; 8];
        let known = (rest.min(8)) as usize;
        let at = file.at();
        file.fill(&mut next[..known], "what follows")?;
        file.go(at);
        match next {
            [0xff, START, 0xff, ..] => continue,
            [_, _, _, _, b'f', b't', b'y', b'p'] => {
                boxes::follow_rest(file)?;
                break;
            }
            _ => {
                whole.notes.push(follows(rest));
                break;
            }
        }
    }
    Ok(whole)
}

/// A file of metadata as Exiv2 keeps it: segments without a picture.
pub(super) fn follow_exv(file: &mut Cursor<'_>) -> Result<Whole> {
    file.skip(7, "the head")?;
    segments(file)?;
    let found = "segments without a picture".into();
    let notes = if file.rest() > 0 { vec![follows(file.rest())] } else { Vec::new() };
    Ok(Whole { found, notes, ..Whole::default() })
}

/// Passes over the segments of a picture and its end; what size it has.
fn segments(file: &mut Cursor<'_>) -> Result<Option<(u64, u64)>> {
    let mut size = None;
    loop {
        let at = file.at();
        let marker = marker(file)?;
        match marker {
            END => return Ok(size),
            0x01 | 0xd0..=0xd7 => continue,
            START => return Err(wrong("another picture starts inside this one", at)),
            _ => {}
        }
        let body = file.at();
        let length = be16(file.take("a segment")?);
        if length < 2 {
            return Err(wrong("a segment has less than its own length", at));
        }
        // The size stands in the frame headers, all of C0 to CF but three, and F7 of JPEG-LS.
        let is_frame =
            matches!(marker, 0xc0..=0xcf | 0xf7) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if is_frame && length >= 8 {
            let [_, h1, h0, w1, w0] = file.take("the frame header")?;
            size = Some((be16([w1, w0]), be16([h1, h0])));
        }
        file.go(body);
        file.skip(length, "a segment")?;
        if marker == SCAN {
            if size.is_none() {
                return Err(wrong("pixels come before the header that says their size", at));
            }
            // Within packed pixels the end has no meaning: a file that ends so is whole.
            if file.tail()? == [0xff, END] {
                file.go(file.len);
                return Ok(size);
            }
            scan(file)?;
        }
    }
}

fn wrong(message: &str, at: u64) -> Error {
    Error::corrupt(message).at_offset(at)
}

/// The next marker; bytes of 255 in front of it are filling.
fn marker(file: &mut Cursor<'_>) -> Result<u8> {
    let at = file.at();
    let [first] = file.take("the segments")?;
    if first != 0xff {
        return Err(wrong(&format!("a marker was expected, not the byte {first:#04x}"), at));
    }
    loop {
        match file.take("the segments")? {
            [0xff] => {}
            [marker] => return Ok(marker),
        }
    }
}

/// Passes over packed pixels, to the marker behind them.
fn scan(file: &mut Cursor<'_>) -> Result<()> {
    loop {
        let at = file.at();
        let part = file.next_part()?;
        if part.is_empty() {
            let message = "the file ends inside the pixels: the marker of their end is missing";
            return Err(wrong(message, file.len));
        }
        let stands = memchr::memchr_iter(0xff, part).find(|&at| {
            // Markers in the pixels are none but restarts; a 255 of theirs has a small byte behind.
            part.get(at + 1)
                .is_some_and(|&next| next >= 0xc0 && !matches!(next, 0xd0..=0xd7 | 0xff))
        });
        match stands {
            Some(found) => {
                file.go(at + found as u64);
                return Ok(());
            }
            // A marker may be cut by the end of the part.
            None => {
                let back = u64::from(part.len() > 1 && part.ends_with(&[0xff]));
                let passed = part.len() as u64 - back;
                file.go(at + passed);
            }
        }
    }
}
