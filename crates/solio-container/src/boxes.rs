//! Files of boxes: HEIF, AVIF, MP4, QuickTime, CR3, JPEG 2000 and JPEG XL.

use crate::cursor::damaged;
use crate::{ByteView, ContainerChunk, ContainerReport, boxes};
use solio_base::Result;

/// Checks that boxes fill the file; one of `needed` has to be there.
pub(crate) fn check(view: ByteView<'_>, needed: &[&[u8; 4]]) -> Result<ContainerReport> {
    check_from(view, 0, needed)
}

/// Checks boxes from `at` to the end of the file.
pub(crate) fn check_rest(view: ByteView<'_>, at: u64) -> Result<()> {
    check_from(view, at, &[]).map(|_| ())
}

fn check_from(view: ByteView<'_>, at: u64, needed: &[&[u8; 4]]) -> Result<ContainerReport> {
    let (mut count, mut has_needed) = (0u64, needed.is_empty());
    let mut report = ContainerReport::default();
    let (mut boxes, mut at) = (boxes(view, at), at);
    loop {
        // Four zeros end QuickTime's lists; cameras fill up with zeros.
        if view.is_zero_from(at) {
            report.note_rest(view.from(at));
            break;
        }
        let is_letter = |byte: &u8| matches!(byte, 0x20..=0x7e | 0xa9);
        let found = match boxes.next() {
            None => break,
            Some(Ok(found)) if found.kind.iter().all(is_letter) => found,
            // A header that is cut off is told at the end of the file.
            Some(Err(error)) if error.offset() != Some(at) => return Err(error),
            _ if has_needed && count > 1 => {
                report.note_rest(view.from(at));
                break;
            }
            _ => return Err(damaged("no box starts here", at)),
        };
        let ContainerChunk { kind, end, .. } = found;
        view.reach(end, &format!("the box {:?}", String::from_utf8_lossy(&kind)))?;
        has_needed |= needed.contains(&&kind);
        count += 1;
        if &kind == b"jp2c" && end == view.len() {
            check_codestream(view)?;
        }
        at = end;
    }
    if !has_needed {
        let names: Vec<_> = needed.iter().map(|name| String::from_utf8_lossy(*name)).collect();
        let message =
            format!("there is no box {}: the file was not written completely", names.join(" or "));
        return Err(damaged(message, view.len()));
    }
    report.found = format!("{count} boxes");
    Ok(report)
}

/// Checks that JPEG 2000, with boxes or without, ends with its marker (ITU-T T.800, annex A).
pub(crate) fn check_codestream(view: ByteView<'_>) -> Result<ContainerReport> {
    if view.tail() != [0xff, 0xd9] {
        let message = "the file ends inside the codestream: the marker of its end is missing";
        return Err(damaged(message, view.len()));
    }
    Ok(ContainerReport { found: "a codestream".into(), ..ContainerReport::default() })
}
