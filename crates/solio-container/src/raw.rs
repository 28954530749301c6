//! Raw photos whose header or last bytes say how far the file goes.

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ContainerReport};
use solio_base::Result;

/// Fuji's: the places of three parts.
pub(crate) fn check_raf(view: ByteView<'_>) -> Result<ContainerReport> {
    let mut file = ViewCursor::new(view, 84);
    for what in ["the JPEG picture", "the list of tags", "the raw pixels"] {
        let (at, bytes) = (file.be32("the head")?, file.be32("the head")?);
        view.reach(at + bytes, what)?;
    }
    Ok(ContainerReport { found: "three parts".into(), ..ContainerReport::default() })
}

/// Canon's old ones: a heap whose last bytes say where its directory starts (Canon CIFF).
pub(crate) fn check_crw(view: ByteView<'_>) -> Result<ContainerReport> {
    let entries = crw_entries(view).ok_or_else(|| {
        let message = "the last bytes do not lead to a directory: the file is cut off or damaged";
        damaged(message, view.len())
    })?;
    Ok(ContainerReport { found: format!("{entries} records"), ..ContainerReport::default() })
}

/// How many records the heap has, if all of them lie in it.
fn crw_entries(view: ByteView<'_>) -> Option<u64> {
    let word = |at| view.le32(at).map(u64::from);
    let heap = word(2)?;
    let directory = heap + word(view.len().checked_sub(4)?)?;
    let entries = u64::from(view.le16(directory)?);
    let start = directory + 2;
    if entries == 0 || start + 10 * entries + 4 > view.len() {
        return None;
    }
    for at in (0..entries).map(|n| start + 10 * n) {
        let is_in_directory = view.le16(at)? & 0x4000 != 0;
        if !is_in_directory && heap + word(at + 2)? + word(at + 6)? > directory {
            return None;
        }
    }
    Some(entries)
}
