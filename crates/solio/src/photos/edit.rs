//! Photos, changed in their place: dates, positions, orientation.

use crate::Input;
use solio_base::{Error, Limits, Result, Sink, Work};
use solio_io::walk::status_of;
use solio_io::{FileSink, SinkOptions};
use solio_photo::{Patch, PhotoEdit, ReadOptions, patched, plan_edit};
use std::path::Path;

/// Bytes that one write may change in the file itself.
const BLOCK_BYTES: u64 = 4096;

/// What became of a photo.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhotoEdited {
    /// Tags that changed or went, as `ExifIFD:DateTimeOriginal`; none where all was so already.
    pub changed: Vec<String>,
    /// Whether the file itself was written to, and not a new one put in its place.
    pub in_place: bool,
}

/// How it is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhotoEditOptions {
    /// Say what would change, and write nothing.
    pub dry_run: bool,
    /// Return when the disk has it.
    pub durable: bool,
}

/// Changes dates, place or orientation of the photo or film at `input` and writes it to `output`, which may be the
/// same path. Every other byte stays as it is: before anything is written the file is read as it will be, and all
/// other tags must read as before.
///
/// What lies within one block of 4096 bytes is written to the file itself by one call; else a whole new file takes
/// its place. Either way there is the old file or the new one.
///
/// ```
/// use solio::photo::PhotoEdit;
/// use solio::{PhotoEditOptions, Work, edit_photo};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// let edit = PhotoEdit { orientation: Some(1), ..PhotoEdit::default() };
/// let options = PhotoEditOptions::default();
/// let done = edit_photo(&path, &path, &edit, &options, &Work::default())?;
/// assert_eq!(done.changed, ["IFD0:Orientation"]);
/// assert!(done.in_place);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` for what cannot be changed without moving other bytes, signed files, and formats that are not
/// written; `Io`. Then the file is as it was.
pub fn edit_photo(
    input: &Path,
    output: &Path,
    edit: &PhotoEdit,
    options: &PhotoEditOptions,
    work: &Work,
) -> Result<PhotoEdited> {
    let before = status_of(input)?;
    let planned = planned(input, edit, work).map_err(|e: Error| e.at_path(input))?;
    let (is_same, changed) = (input == output, planned.changed);
    if options.dry_run || is_same && planned.patches.is_empty() {
        return Ok(PhotoEdited { changed, in_place: false });
    }
    if is_same && in_place(input, &planned.patches, options.durable)? {
        return Ok(PhotoEdited { changed, in_place: true });
    }
    let sink_options = SinkOptions { durable: options.durable, ..SinkOptions::default() };
    let mut sink = FileSink::create(output, &sink_options, work)?;
    let (mut at, mut copy) = (0, Vec::new());
    solio_io::read_raw(input, work, |part| {
        copy.clear();
        copy.extend_from_slice(part);
        patched(&mut copy, at, &planned.patches);
        at += part.len() as u64;
        sink.write_bytes(work, &copy)
    })?;
    solio_io::check_unchanged(input, &before)?;
    sink.commit()?;
    Ok(PhotoEdited { changed, in_place: false })
}

fn planned(input: &Path, edit: &PhotoEdit, work: &Work) -> Result<solio_photo::PlannedEdit> {
    let limits = Limits::default();
    let opened = Input::open(input, &limits, work)?;
    let stream = opened.stream(&Work { memory_bytes: 0, ..work.clone() })?;
    let is_packed = stream.source.len_bytes() != std::fs::metadata(input).ok().map(|it| it.len());
    if is_packed {
        return Err(Error::unsupported("a compressed file is not written in its place"));
    }
    let extension = input.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let options = ReadOptions { extension, limits, ..ReadOptions::default() };
    plan_edit(&*stream.source, edit, &options)
}

/// Writes to the file itself, where one call is enough; whether it did.
fn in_place(path: &Path, patches: &[Patch], durable: bool) -> Result<bool> {
    let (Some(first), Some(last)) = (patches.first(), patches.last()) else { return Ok(false) };
    let (start, end) = (first.at, last.at + last.new.len() as u64);
    if start / BLOCK_BYTES != (end - 1) / BLOCK_BYTES {
        return Ok(false);
    }
    // What lies between stays, and must still be what it was.
    let mut old = vec![0; (end - start) as usize];
    let mut at = 0;
    let read = |part: &[u8]| {
        let stop = at + part.len() as u64;
        let (from, to) = (start.max(at), end.min(stop));
        if from < to {
            old[(from - start) as usize..(to - start) as usize]
                .copy_from_slice(&part[(from - at) as usize..(to - at) as usize]);
        }
        at = stop;
        if at >= end { Err(Error::cancelled()) } else { Ok(()) }
    };
    // Far into a film a new file costs no more than reading up to there.
    if end > 64 << 20 {
        return Ok(false);
    }
    if let Err(error) = solio_io::read_raw(path, &Work::default(), read)
        && error.kind() != solio_base::ErrorKind::Cancelled
    {
        return Err(error);
    }
    let mut new = old.clone();
    patched(&mut new, start, patches);
    let is_as_read = patches.iter().all(|patch| {
        let from = (patch.at - start) as usize;
        old[from..from + patch.old.len()] == patch.old
    });
    Ok(is_as_read && solio_io::patch_at(path, start, &old, &new, durable)?)
}
