//! Kinds whose head or tail says how far the file goes.

use super::Whole;
use super::cursor::{Cursor, be32, le32};
use solio_base::{Error, Result};

/// JPEG 2000 without boxes ends with a marker (ITU-T T.800, annex A).
pub(super) fn follow_codestream(file: &mut Cursor<'_>) -> Result<Whole> {
    if file.tail()? != [0xff, 0xd9] {
        let message = "the file ends inside the codestream: the marker of its end is missing";
        return Err(Error::corrupt(message).at_offset(file.len));
    }
    Ok(Whole { found: "a codestream".into(), ..Whole::default() })
}

/// Fuji's raw photos: the places of three parts.
pub(super) fn follow_raf(file: &mut Cursor<'_>) -> Result<Whole> {
    file.skip(84, "the head")?;
    for what in ["the JPEG picture", "the list of tags", "the raw pixels"] {
        let (at, bytes) = (be32(file.take("the head")?), be32(file.take("the head")?));
        file.reach(at + bytes, what)?;
    }
    Ok(Whole { found: "three parts".into(), ..Whole::default() })
}

/// Canon's old raw photos: a heap whose last bytes say where its directory starts (Canon CIFF).
pub(super) fn follow_crw(file: &mut Cursor<'_>) -> Result<Whole> {
    let cut = |file: &Cursor<'_>| {
        let message = "the last bytes do not lead to a directory: the file is cut off or damaged";
        Error::corrupt(message).at_offset(file.len)
    };
    file.skip(2, "the head")?;
    let heap = le32(file.take("the head")?);
    let directory = heap.saturating_add(le32(file.tail()?));
    if directory.saturating_add(6) > file.len {
        return Err(cut(file));
    }
    file.go(directory);
    let [low, high] = file.take("the directory")?;
    let entries = u64::from(u16::from_le_bytes([low, high]));
    if entries == 0 || file.at() + 10 * entries + 4 > file.len {
        return Err(cut(file));
    }
    for _ in 0..entries {
        let [t0, t1, s0, s1, s2, s3, o0, o1, o2, o3] = file.take("the directory")?;
        let in_directory = u16::from_le_bytes([t0, t1]) & 0x4000 != 0;
        let (size, offset) = (le32([s0, s1, s2, s3]), le32([o0, o1, o2, o3]));
        if !in_directory && heap.saturating_add(offset).saturating_add(size) > directory {
            return Err(cut(file));
        }
    }
    Ok(Whole { found: format!("{entries} records"), ..Whole::default() })
}
