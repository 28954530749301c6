//! Whether a file is whole, by its structure alone: markers, chunks, boxes, directories and their
//! sums. Nothing is unpacked, so the cost is that of a few reads, but for what has to be read to be
//! followed (GIF, the sums of PNG).
//!
//! What is promised: a file that was cut off anywhere before the end of its picture is found out,
//! and so is damage to the structure; damage within packed pixels is not, except in PNG. A file that
//! was cut exactly behind its picture, where something else followed, looks whole, and so does one of
//! boxes (HEIF, MP4) that was cut exactly between two of them behind the one that is needed.

mod boxes;
mod cursor;
mod gif;
mod heads;
mod jpeg;
mod png;
mod psd;
mod riff;
mod tiff;

use cursor::Cursor;
use solio_base::{Result, Source};

/// What a whole file is.
///
/// ```
/// use solio_catalog::whole::{Whole, whole};
/// // A GIF of 5 × 4 pixels, and what a download left behind it.
/// let mut file = b"GIF89a\x05\0\x04\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
/// file.extend(b"\x2c\0\0\0\0\x05\0\x04\0\0\x02\x03abc\0\x3b");
/// file.extend(b"<html>");
/// let Whole { kind, found, notes } = whole(&file)?.unwrap();
/// assert_eq!((kind, &*found), ("gif", "5 × 4 pixels"));
/// assert_eq!(notes, ["6 bytes follow the end of the picture"]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// `jpeg`, `png`, `tiff`, …
    pub kind: &'static str,
    /// What it has: `640 × 480 pixels`.
    pub found: String,
    /// What is odd, but harms nobody.
    pub notes: Vec<String>,
}

/// What follows the structure of a kind of file.
type Follow = fn(&mut Cursor<'_>) -> Result<Whole>;

/// The kind of the file that starts with `head`, of those that [`whole`] follows.
///
/// ```
/// use solio_catalog::whole::kind;
/// assert_eq!(kind(b"RIFF\x24\x08\0\0WAVEfmt "), Some("wav"));
/// assert_eq!(kind(b"\xff\xd8\xff\xe1\x12\x34Exif"), Some("jpeg"));
/// // Meshes and OpenEXR have decoders of their own.
/// assert_eq!(kind(b"\x76\x2f\x31\x01"), None);
/// ```
pub fn kind(head: &[u8]) -> Option<&'static str> {
    of_head(head).map(|(kind, _)| kind)
}

/// Follows the structure of a file of any offset to its end. `None` for kinds that are not known
/// here.
///
/// ```
/// use solio_catalog::whole::whole;
/// // A WebP that says it has 26 bytes behind its head.
/// let file = b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0fourteen bytes";
/// assert_eq!(whole(&&file[..])?.unwrap().kind, "webp");
/// // The last three did not arrive.
/// let error = whole(&&file[..file.len() - 3]).unwrap_err();
/// assert_eq!(error.kind(), solio_base::ErrorKind::Corrupt);
/// // Kinds that are not known are no fault.
/// assert_eq!(whole(&&b"v 0 0 0\n"[..])?, None);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt`, with its place, for a file that is cut off or damaged; those of `source`.
pub fn whole(source: &dyn Source) -> Result<Option<Whole>> {
    let mut head = [0; 32];
    let got = source.read_at(0, &mut head)?;
    let Some((kind, follow)) = of_head(&head[..got]) else { return Ok(None) };
    let Some(bytes) = source.len_bytes() else { return Ok(None) };
    let whole = follow(&mut Cursor::new(source, bytes))?;
    Ok(Some(Whole { kind, ..whole }))
}

fn of_head(head: &[u8]) -> Option<(&'static str, Follow)> {
    Some(match head {
        [0xff, 0xd8, 0xff, ..] => ("jpeg", jpeg::follow),
        [0xff, 0x01, b'E', b'x', b'i', b'v', b'2', ..] => ("exv", jpeg::follow_exv),
        [0x89, b'P', b'N', b'G', 13, 10, 26, 10, ..] => ("png", png::follow),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("gif", gif::follow),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("webp", riff::follow),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => ("avi", riff::follow),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => ("wav", riff::follow),
        [b'I', b'I', 0x2a | 0x2b, 0, ..] | [b'M', b'M', 0, 0x2a | 0x2b, ..] => {
            ("tiff", tiff::follow)
        }
        // Raw photos that are TIFF but for their mark: Olympus, Panasonic.
        [b'I', b'I', b'R', b'O' | b'S', ..] | [b'I', b'I', 0x55, 0, ..] => ("tiff", tiff::follow),
        [b'8', b'B', b'P', b'S', 0, 1 | 2, ..] => ("psd", psd::follow),
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', 13, 10, 0x87, 10, ..] => ("jp2", boxes::follow_jp2),
        [0, 0, 0, 12, b'J', b'X', b'L', b' ', 13, 10, 0x87, 10, ..] => ("jxl", boxes::follow_jxl),
        [0xff, 0x4f, 0xff, 0x51, 0, ..] => ("j2c", heads::follow_codestream),
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => boxes::of_brand(brand),
        [_, _, _, _, b'm', b'o', b'o', b'v', ..]
        | [_, _, _, _, b'w', b'i', b'd', b'e', ..]
        | [_, _, _, _, b'm', b'd', b'a', b't', ..] => ("mp4", boxes::follow_movie),
        [b'F', b'U', b'J', b'I', b'F', b'I', b'L', b'M', b'C', b'C', b'D', b'-', ..] => {
            ("raf", heads::follow_raf)
        }
        [_, _, _, _, _, _, b'H', b'E', b'A', b'P', b'C', b'C', b'D', b'R', ..] => {
            ("crw", heads::follow_crw)
        }
        _ => return None,
    })
}

/// `640 × 480 pixels`.
fn pixels(width: impl Into<u64>, height: impl Into<u64>) -> String {
    format!("{} × {} pixels", width.into(), height.into())
}

/// A note about what stands behind the end.
fn follows(bytes: u64) -> String {
    format!("{bytes} bytes follow the end of the picture")
}

#[cfg(test)]
mod tests;
