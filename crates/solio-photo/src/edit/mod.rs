//! Changes of dates, places and orientation that leave every other byte where it is.
//!
//! ```text
//! source ─► blocks (EXIF, XMP, film headers) ─► patches, each as long as what it replaces ─► read back ─► proven
//! ```
//! [`plan_edit`] gives patches, and writes nothing. Before it does, it reads the file as it will be and compares
//! all tags with those of now: what was meant must read as it was meant, everything else as it was. What cannot
//! be changed so is refused with the reason.

mod blocks;
mod dates;
mod exif;
mod movie;
mod patches;
mod verify;
mod xmp;

pub use dates::{DateEdit, WallTime};
pub use patches::{Patch, patched};

use crate::{Metadata, ReadOptions, decode_metadata};
use blocks::Blocks;
use patches::{PatchedSource, Patches};
use solio_base::{Error, Result, Source};

/// What is to be changed.
///
/// ```
/// use solio_photo::{DateEdit, PhotoEdit};
/// // The camera's clock was an hour behind.
/// let edit = PhotoEdit { date: Some(DateEdit::Shift { seconds: 3600 }), ..PhotoEdit::default() };
/// assert!(!edit.remove_gps);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhotoEdit {
    /// The dates.
    pub date: Option<DateEdit>,
    /// Take out where it was taken.
    pub remove_gps: bool,
    /// How the picture is turned: 1 to 8, as EXIF counts.
    pub orientation: Option<u16>,
}

/// What changes in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedEdit {
    /// By place; each has as many new bytes as old ones, and none reaches into the next.
    pub patches: Vec<Patch>,
    /// Tags that change or go, as `ExifIFD:DateTimeOriginal`.
    pub changed: Vec<String>,
}

/// Finds out which bytes of a file change.
///
/// ```
/// use solio_photo::{PhotoEdit, ReadOptions, plan_edit};
/// let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// let edit = PhotoEdit { orientation: Some(1), ..PhotoEdit::default() };
/// let planned = plan_edit(&tiff[..], &edit, &ReadOptions::default())?;
/// assert_eq!(planned.changed, ["IFD0:Orientation"]);
/// assert_eq!((planned.patches[0].at, &planned.patches[0].new[..]), (18, &b"\x01\0"[..]));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` for what cannot be changed without moving other bytes, and for formats that are not written;
/// `Argument` for an orientation that is none; those of reading.
pub fn plan_edit<S: Source + ?Sized>(
    source: &S,
    edit: &PhotoEdit,
    options: &ReadOptions,
) -> Result<PlannedEdit> {
    if let Some(turn) = edit.orientation.filter(|turn| !(1..=8).contains(turn)) {
        return Err(Error::argument(format!("there is no orientation {turn}; EXIF has 1 to 8")));
    }
    let places = PhotoEdit { remove_gps: true, ..PhotoEdit::default() };
    let rest = PhotoEdit { remove_gps: false, ..edit.clone() };
    if !edit.remove_gps || rest == PhotoEdit::default() {
        return plan_one(source, edit, options);
    }
    // Directories move up where a position was: what stands in them is changed before.
    let first = plan_one(source, &rest, options)?;
    let between = PatchedSource { source, patches: &first.patches };
    let second = plan_one(&between, &places, options)?;
    let patches = patches::joined(source, &first.patches, &second.patches)?;
    Ok(PlannedEdit { patches, changed: [first.changed, second.changed].concat() })
}

fn plan_one<S: Source + ?Sized>(
    source: &S,
    edit: &PhotoEdit,
    options: &ReadOptions,
) -> Result<PlannedEdit> {
    let all = ReadOptions { fields: crate::Fields::all(), ..options.clone() };
    let before = decode_metadata(source, &all)?;
    check_seal(&before)?;
    let patches =
        blocks::with(source, &options.extension, |blocks| wanted(blocks, edit, &before))??;
    let patches = patches.finish()?;
    if patches.is_empty() {
        return verify::unchanged(&before, edit);
    }
    let after = PatchedSource { source, patches: &patches };
    let after = decode_metadata(&after, &all)?;
    let mut changed = verify::verify(&before, &after, edit)?;
    if changed.is_empty() {
        // A directory of positions that has none, or what nobody reads.
        changed.push("GPS".into());
    }
    Ok(PlannedEdit { patches, changed })
}

/// A signed file says by its seal that nobody has changed it.
fn check_seal(read: &Metadata) -> Result<()> {
    if read.tags.iter().any(|tag| tag.group == "JUMBF" || tag.group.starts_with("C2PA")) {
        let error =
            Error::unsupported("the file is signed (C2PA): any change would break its seal");
        return Err(error.hint("remove the seal first, with the program that wrote it"));
    }
    Ok(())
}

fn wanted(blocks: &Blocks<'_>, edit: &PhotoEdit, before: &Metadata) -> Result<Patches> {
    let mut patches = Patches::default();
    if edit.orientation.is_some() && blocks.is_heif {
        return Err(Error::unsupported(
            "HEIF turns pictures by a property of its own, which is not written",
        ));
    }
    for block in &blocks.exif {
        exif::patch(block, edit, &mut patches)?;
    }
    for packet in &blocks.xmp {
        xmp::patch(packet.0, &packet.1, edit, &mut patches)?;
    }
    if let Some(film) = &blocks.film {
        movie::patch(film, blocks.is_canon, edit, before, &mut patches)?;
    }
    if edit.remove_gps
        && let Some(what) = blocks.may_hide_places()
    {
        return Err(Error::unsupported(format!(
            "it has {what}, which may say where it was taken, too"
        )));
    }
    Ok(patches)
}
