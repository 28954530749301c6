//! Minolta's raw files: blocks of name, length and data, one of them a TIFF structure.
//!
//! ```text
//! "\0MRM" · length of all blocks (4) · blocks: "\0PRD", "\0TTW" (TIFF), "\0WBG", "\0RIF", "\0PAD"
//! ```

use crate::gather::Gather;
use crate::record::{Around, read_record};
use crate::{exif, table};
use solio_container::ByteView;
use std::borrow::Cow;

/// Most blocks of a file.
const MOST_BLOCKS: usize = 64;

/// Reads the blocks.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    let Some(length) = view.be32(4) else { return };
    let all = view.part(8, u64::from(length));
    let mut at = 0;
    for _ in 0..MOST_BLOCKS {
        let (Some(name), Some(len)) = (all.array::<4>(at), all.be32(at + 4)) else { return };
        let body = all.part(at + 8, u64::from(len));
        let table = match &name {
            b"\0TTW" => {
                exif::read_part(body, gather);
                None
            }
            b"\0PRD" => Some("mrw_prd"),
            b"\0WBG" => Some("mrw_wbg"),
            b"\0RIF" => Some("mrw_rif"),
            _ => None,
        };
        if let Some(table) = table.and_then(|name| table::RAW.table(name)) {
            let group = Cow::Borrowed("MinoltaRaw");
            let around = Around::container(&group);
            read_record(body, table, &around, gather);
        }
        if gather.is_full() {
            return;
        }
        at += 8 + u64::from(len);
    }
}
