//! Photoshop: four sections with their lengths, then the pixels (Adobe Photoshop File Formats).

use super::cursor::{Cursor, be16, be32};
use super::{Whole, follows, pixels};
use solio_base::{Error, Result};

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    file.skip(5, "the head")?;
    let [version] = file.take("the head")?;
    let large = version == 2;
    file.skip(6, "the head")?;
    let channels = be16(file.take("the head")?);
    let (height, width) = (be32(file.take("the head")?), be32(file.take("the head")?));
    let bits = be16(file.take("the head")?);
    file.skip(2, "the head")?;
    for what in ["the colours", "the image resources"] {
        let bytes = be32(file.take(what)?);
        file.skip(bytes, what)?;
    }
    let bytes = match large {
        true => u64::from_be_bytes(file.take("the layers")?),
        false => be32(file.take("the layers")?),
    };
    file.skip(bytes, "the layers")?;
    let rows = channels.saturating_mul(height);
    match be16(file.take("the pixels")?) {
        0 => {
            let row = width.saturating_mul(bits).div_ceil(8);
            file.skip(rows.saturating_mul(row), "the pixels")?;
        }
        1 => packed_rows(file, rows, large)?,
        2 | 3 => {
            let notes = vec!["the pixels are zipped, and were not looked at".into()];
            return Ok(Whole { found: pixels(width, height), notes, ..Whole::default() });
        }
        other => {
            let message = format!("pixels are packed by no method that is known ({other})");
            return Err(Error::corrupt(message).at_offset(file.at() - 2));
        }
    }
    let mut whole = Whole { found: pixels(width, height), ..Whole::default() };
    if file.rest() > 0 {
        whole.notes.push(follows(file.rest()));
    }
    Ok(whole)
}

/// The lengths of all rows, then the rows.
fn packed_rows(file: &mut Cursor<'_>, rows: u64, large: bool) -> Result<()> {
    let table = rows.saturating_mul(if large { 4 } else { 2 });
    file.reach(file.at().saturating_add(table), "the lengths of rows")?;
    let mut bytes = 0u64;
    for _ in 0..rows {
        bytes += match large {
            true => be32(file.take("the lengths of rows")?),
            false => be16(file.take("the lengths of rows")?),
        };
    }
    file.skip(bytes, "the pixels")
}
