//! Whether a file is whole, by its structure alone: markers, chunks, boxes, directories and their
//! sums.

use crate::view::{ReadSteps, SourceCache};
use crate::{ByteView, boxes, gif, jpeg, png, psd, raw, riff, tiff};
use solio_base::{Result, Source};

/// Bytes read at once; as many as are read when a file is opened.
const STEPS: ReadSteps = ReadSteps { head: 4096, next: 4096 };

/// What a whole file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerReport {
    /// What it has: `640 × 480 pixels`.
    pub found: String,
    /// What is odd, but harms nobody.
    pub notes: Vec<String>,
}

impl ContainerReport {
    /// Notes what stands behind the end, if anything does.
    pub(crate) fn note_rest(&mut self, rest: ByteView<'_>) {
        if !rest.is_empty() {
            self.notes.push(format!("{} bytes follow the end of the picture", rest.len()));
        }
    }
}

/// Follows the structure of a file of any offset to its end; `kind` is that of
/// [`kind_of_head`](crate::kind_of_head). `None` for kinds that are not known here.
///
/// Nothing is unpacked, so the cost is that of a few reads, except for what has to be read to be
/// followed (GIF, the sums of PNG).
///
/// What is promised: a file that was cut off anywhere before the end of its picture is found out,
/// and so is damage to the structure; damage within packed pixels is not, except in PNG. A file that
/// was cut exactly behind its picture, where something else followed, looks whole, and so does one of
/// boxes (HEIF, MP4) that was cut exactly between two of them behind the one that is needed.
///
/// ```
/// use solio_container::check_container;
/// // A GIF of 5 × 4 pixels, and what a download left behind it.
/// let mut file = b"GIF89a\x05\0\x04\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
/// file.extend(b"\x2c\0\0\0\0\x05\0\x04\0\0\x02\x03abc\0\x3b<html>");
/// let report = check_container("gif", &file)?.unwrap();
/// assert_eq!(report.found, "5 × 4 pixels");
/// assert_eq!(report.notes, ["6 bytes follow the end of the picture"]);
/// // The last bytes did not arrive.
/// let error = check_container("gif", &&file[..30]).unwrap_err();
/// assert_eq!(error.kind(), solio_base::ErrorKind::Corrupt);
/// // Kinds that are not known are no fault.
/// assert_eq!(check_container("obj", &&b"v 0 0 0\n"[..])?, None);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt`, with its place, for a file that is cut off or damaged; those of `source`.
pub fn check_container(kind: &str, source: &dyn Source) -> Result<Option<ContainerReport>> {
    with_view(source, |view| {
        Some(match kind {
            "jpeg" => jpeg::check(view),
            "exv" => jpeg::check_exv(view),
            "png" => png::check(view),
            "gif" => gif::check(view),
            "webp" | "avi" | "wav" => riff::check(view),
            "tiff" => tiff::check(view),
            "psd" => psd::check(view),
            "heif" | "avif" => boxes::check(view, &[b"meta"]),
            "mp4" | "cr3" => boxes::check(view, &[b"moov", b"moof", b"meta"]),
            "jp2" => boxes::check(view, &[b"jp2c"]),
            "jxl" => boxes::check(view, &[b"jxlc", b"jxlp"]),
            "j2c" => boxes::check_codestream(view),
            "raf" => raw::check_raf(view),
            "crw" => raw::check_crw(view),
            _ => return None,
        })
    })
}

/// Shows a source to `see`; its errors come before what `see` makes of the bytes that they hide.
pub(crate) fn with_view<R>(
    source: &dyn Source,
    see: impl FnOnce(ByteView<'_>) -> Option<Result<R>>,
) -> Result<Option<R>> {
    let Some(bytes) = source.len_bytes() else { return Ok(None) };
    let cache = SourceCache::new(source, bytes, STEPS, u64::MAX)?;
    let seen = see(ByteView::of(&cache));
    match cache.into_error() {
        Some(error) => Err(error),
        None => seen.transpose(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
