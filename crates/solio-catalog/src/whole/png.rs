//! PNG: chunks with their sums, up to the last one (W3C PNG, third edition, 5).

use super::cursor::{Cursor, be32};
use super::{Whole, follows, pixels};
use solio_base::{Error, Result};

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    file.skip(8, "the signature")?;
    let mut whole = Whole::default();
    let mut has_pixels = false;
    loop {
        let at = file.at();
        let length = be32(file.take("the head of a chunk")?);
        let kind: [u8; 4] = file.take("the head of a chunk")?;
        let name = String::from_utf8_lossy(&kind).into_owned();
        let wrong = |message: String| Error::corrupt(message).at_offset(at);
        if length > i32::MAX as u64 || !kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(wrong("no chunk starts here".into()));
        }
        file.reach(file.at() + length + 4, &format!("the chunk {name}"))?;
        let is_first = at == 8;
        if is_first != (&kind == b"IHDR") {
            return Err(wrong(format!("IHDR has to be the first chunk; {name} stands here")));
        }
        if is_first && length == 13 {
            let data = file.at();
            let (width, height) = (be32(file.take("IHDR")?), be32(file.take("IHDR")?));
            file.go(data);
            whole.found = pixels(width, height);
        }
        let mut sum = crc32fast::Hasher::new();
        sum.update(&kind);
        let mut left = length;
        while left > 0 {
            let at = file.at();
            let part = file.next_part()?;
            let taken = left.min(part.len() as u64);
            if taken == 0 {
                return Err(file.cut(at + left + 4, &format!("the chunk {name}")));
            }
            sum.update(&part[..taken as usize]);
            file.go(at + taken);
            left -= taken;
        }
        if be32(file.take("the sum of a chunk")?) != u64::from(sum.finalize()) {
            return Err(wrong(format!("the chunk {name} is damaged: its sum is another")));
        }
        has_pixels |= &kind == b"IDAT";
        if &kind == b"IEND" {
            if !has_pixels {
                return Err(wrong("there are no pixels: IDAT is missing".into()));
            }
            if file.rest() > 0 {
                whole.notes.push(follows(file.rest()));
            }
            return Ok(whole);
        }
    }
}
