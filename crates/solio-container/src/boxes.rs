//! Boxes (atoms) of HEIF, AVIF, MP4, QuickTime, CR3, JPEG 2000 and JPEG XL (ISO/IEC 14496-12, 4.2).
//!
//! ```text
//! length (4; 1: eight more bytes hold it; 0: to the end) · type (4) · content
//! ```

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ContainerReport};
use solio_base::Result;

/// A box.
#[derive(Clone, Copy)]
pub struct BmffBox<'a> {
    /// Its type: `ftyp`, `meta`, …
    pub kind: [u8; 4],
    /// Where its content starts in the view that was walked.
    pub start: u64,
    /// How many bytes of content its header promises.
    pub len: u64,
    /// Its content, as far as it is there.
    pub body: ByteView<'a>,
}

/// Boxes behind each other. After an error nothing follows.
///
/// ```
/// use solio_container::{ByteView, boxes::Boxes};
/// let view = ByteView::memory(b"\0\0\0\x0cftypheic\0\0\0\x08free");
/// let kinds = Boxes::new(view, 0).map(|found| found.unwrap().kind);
/// assert_eq!(kinds.collect::<Vec<_>>(), [*b"ftyp", *b"free"]);
/// ```
pub struct Boxes<'a> {
    file: ViewCursor<'a>,
}

impl<'a> Boxes<'a> {
    /// Those of `view` from `at` on.
    pub fn new(view: ByteView<'a>, at: u64) -> Self {
        Boxes { file: ViewCursor::new(view, at) }
    }

    fn read(&mut self) -> Result<BmffBox<'a>> {
        let ViewCursor { view, at } = self.file;
        // After an error the cursor stays at the end.
        let mut header = std::mem::replace(&mut self.file, ViewCursor::new(view, view.len()));
        let size = header.be32("the head of a box")?;
        let kind = header.take("the head of a box")?;
        let size = match size {
            0 => view.len() - at,
            1 => u64::from_be_bytes(header.take("the head of a box")?),
            size => size,
        };
        let start = header.at;
        let len = size.checked_sub(start - at);
        let len = len.ok_or_else(|| damaged("no box starts here", at))?;
        self.file.at = start.saturating_add(len);
        Ok(BmffBox { kind, start, len, body: view.part(start, len) })
    }
}

impl<'a> Iterator for Boxes<'a> {
    type Item = Result<BmffBox<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.file.rest() > 0).then(|| self.read())
    }
}

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
    let mut boxes = Boxes::new(view, at);
    loop {
        let at = boxes.file.at;
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
        let BmffBox { kind, start, len, .. } = found;
        let end = start.saturating_add(len);
        view.reach(end, &format!("the box {:?}", String::from_utf8_lossy(&kind)))?;
        has_needed |= needed.contains(&&kind);
        count += 1;
        if &kind == b"jp2c" && end == view.len() {
            check_codestream(view)?;
        }
    }
    if !has_needed {
        let names: Vec<_> = needed.iter().map(|name| String::from_utf8_lossy(*name)).collect();
        let message =
            format!("there is no box {}: it was not written to its end", names.join(" or "));
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
