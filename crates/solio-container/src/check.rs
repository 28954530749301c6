//! Whether a file is whole, by its structure alone: markers, chunks, boxes, directories and their
//! sums.

use crate::view::{ReadSteps, SourceCache};
use crate::{ByteView, boxes, gif, jpeg, png, psd, raw, riff, tiff};
use solio_base::{Result, Source};
use solio_kinds::FileKind;

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

/// Whether [`check_container`] follows the structure of files of this kind.
pub fn checks(kind: FileKind) -> bool {
    use FileKind::{Avi, Cr3, Crw, Exv, Gif, Heif, J2c, Jp2, Jpeg, Jxl, Movie, Png, Psd, Raf, Raw};
    use FileKind::{Tiff, Wav, Webp};
    let all = [
        Jpeg, Exv, Png, Gif, Webp, Avi, Wav, Tiff, Raw, Psd, Heif, Movie, Cr3, Jp2, Jxl, J2c, Raf,
        Crw,
    ];
    all.contains(&kind)
}

/// Follows the structure of a file of any offset to its end. `None` for kinds that are not known
/// here.
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
/// use solio_kinds::FileKind;
/// // A GIF of 5 × 4 pixels, and what a download left behind it.
/// let mut file = b"GIF89a\x05\0\x04\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
/// file.extend(b"\x2c\0\0\0\0\x05\0\x04\0\0\x02\x03abc\0\x3b<html>");
/// let report = check_container(FileKind::Gif, &file)?.unwrap();
/// assert_eq!(report.found, "5 × 4 pixels");
/// assert_eq!(report.notes, ["6 bytes follow the end of the picture"]);
/// // The last bytes did not arrive.
/// let error = check_container(FileKind::Gif, &&file[..30]).unwrap_err();
/// assert_eq!(error.kind(), solio_base::ErrorKind::Corrupt);
/// // Kinds that are not known are no fault.
/// assert_eq!(check_container(FileKind::Obj, &&b"v 0 0 0\n"[..])?, None);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt`, with its place, for a file that is cut off or damaged; those of `source`.
pub fn check_container(kind: FileKind, source: &dyn Source) -> Result<Option<ContainerReport>> {
    with_view(source, |view| {
        Some(match kind {
            FileKind::Jpeg => jpeg::check(view),
            FileKind::Exv => jpeg::check_exv(view),
            FileKind::Png => png::check(view),
            FileKind::Gif => gif::check(view),
            FileKind::Webp | FileKind::Avi | FileKind::Wav => riff::check(view),
            FileKind::Tiff | FileKind::Raw => tiff::check(view),
            FileKind::Psd => psd::check(view),
            FileKind::Heif => boxes::check(view, &[b"meta"]),
            FileKind::Movie | FileKind::Cr3 => boxes::check(view, &[b"moov", b"moof", b"meta"]),
            FileKind::Jp2 => boxes::check(view, &[b"jp2c"]),
            // A bare codestream says nothing about its end.
            FileKind::Jxl if view.get(0, 2).as_deref() == Some(b"\xff\x0a") => return None,
            FileKind::Jxl => boxes::check(view, &[b"jxlc", b"jxlp"]),
            FileKind::J2c => boxes::check_codestream(view),
            FileKind::Raf => raw::check_raf(view),
            FileKind::Crw => raw::check_crw(view),
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
