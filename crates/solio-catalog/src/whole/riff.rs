//! RIFF: WebP, AVI, WAV. Chunks that fill what the head says.

use super::cursor::{Cursor, le32};
use super::{Whole, follows};
use solio_base::{Error, Result};

pub(super) fn follow(file: &mut Cursor<'_>) -> Result<Whole> {
    let mut chunks = 0u64;
    let mut whole = Whole::default();
    // Large AVI files have several.
    while file.rest() > 0 {
        let at = file.at();
        let mut mark = [0; 4];
        if file.rest() >= 8 {
            mark = file.take("the head")?;
        }
        if &mark != b"RIFF" {
            whole.notes.push(follows(file.len - at));
            break;
        }
        let size = le32(file.take("the head")?);
        // What streams write whose length nobody knew.
        if size == u64::from(u32::MAX) || size == 0 {
            whole.notes.push("the head does not say how long it is: it was not finished".into());
            break;
        }
        // Chunks have even lengths; the last byte is sometimes left out.
        let end = file.at() + size;
        file.reach(end, "the RIFF chunk")?;
        file.skip(4, "the head")?;
        while file.at() + 8 <= end {
            let at = file.at();
            file.skip(4, "a chunk")?;
            let size = le32(file.take("a chunk")?);
            let next = file.at() + size;
            if next > end {
                let message = format!("a chunk ends {} bytes after what holds it", next - end);
                return Err(Error::corrupt(message).at_offset(at));
            }
            file.go((next + size % 2).min(end.max(next)));
            chunks += 1;
        }
        file.go((end + size % 2).min(file.len));
    }
    whole.found = format!("{chunks} chunks");
    Ok(whole)
}
