//! GIF: blocks up to the trailer (GIF89a, appendix A).

use super::cursor::Cursor;
use super::{Whole, follows, pixels};
use solio_base::{Error, Result};

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    file.skip(6, "the signature")?;
    let [w0, w1, h0, h1, flags, _, _] = file.take("the screen descriptor")?;
    let (width, height) = (u16::from_le_bytes([w0, w1]), u16::from_le_bytes([h0, h1]));
    let mut whole = Whole { found: pixels(width, height), ..Whole::default() };
    colors(file, flags)?;
    loop {
        let at = file.at();
        match file.take("the blocks")? {
            [0x21] => {
                file.skip(1, "an extension")?;
                blocks(file, "an extension")?;
            }
            [0x2c] => {
                let [_, _, _, _, _, _, _, _, flags] = file.take("an image descriptor")?;
                colors(file, flags)?;
                file.skip(1, "the pixels")?;
                blocks(file, "the pixels")?;
            }
            [0x3b] => break,
            [other] => {
                let message = format!("no block starts with the byte {other:#04x}");
                return Err(Error::corrupt(message).at_offset(at));
            }
        }
    }
    if file.rest() > 0 {
        whole.notes.push(follows(file.rest()));
    }
    Ok(whole)
}

/// A table of colours, where the flags say that there is one.
fn colors(file: &mut Cursor<'_>, flags: u8) -> Result<()> {
    let colors = if flags & 0x80 != 0 { 2u64 << (flags & 7) } else { 0 };
    file.skip(3 * colors, "a table of colours")
}

fn blocks(file: &mut Cursor<'_>, what: &str) -> Result<()> {
    loop {
        match file.take(what)? {
            [0] => return Ok(()),
            [length] => file.skip(length.into(), what)?,
        }
    }
}
