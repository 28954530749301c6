//! Pictures for viewing within a TIFF structure: two tags frame each, and what they are called
//! depends on the directory and on what the structure is. Names are those that ExifTool gives.

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::value::data_at;
use solio_container::ByteView;

/// What a TIFF structure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TiffRole {
    /// A part of another file.
    Part,
    /// A file: TIFF or DNG.
    Tiff,
    /// Canon's raw format.
    Cr2,
    /// Sony's raw formats.
    Sony,
    /// Another raw format.
    Raw,
}

/// Where a picture is, how long it is, and itself.
type PictureNames = (&'static str, &'static str, &'static str);
const THUMBNAIL: PictureNames = ("ThumbnailOffset", "ThumbnailLength", "ThumbnailImage");
const PREVIEW: PictureNames = ("PreviewImageStart", "PreviewImageLength", "PreviewImage");
const OTHER: PictureNames = ("OtherImageStart", "OtherImageLength", "OtherImage");
const FROM_RAW: PictureNames = ("JpgFromRawStart", "JpgFromRawLength", "JpgFromRaw");
/// Where a picture in strips is, and how long these are.
const STRIPS: (&str, &str) = ("StripOffsets", "StripByteCounts");

/// Names the picture that the directory `group` frames, if there is one.
pub(super) fn name(view: ByteView<'_>, role: TiffRole, group: &str, gather: &mut Gather<'_>) {
    let pictures = [THUMBNAIL, PREVIEW, OTHER, FROM_RAW];
    let names = pictures.into_iter().flat_map(|(start, length, picture)| [start, length, picture]);
    let mut names = names.chain([STRIPS.0, STRIPS.1]);
    let fields = gather.fields;
    if !fields.asks_for_pictures(names.clone())
        || !fields.is_all() && !names.any(|name| fields.asks(group, name))
    {
        return;
    }
    if let Some(names) = of_strips(role, group, gather) {
        frame(view, group, STRIPS, names, gather);
    }
    let (start, length, _) = THUMBNAIL;
    frame(view, group, (start, length), of_jpeg(role, group), gather);
}

/// What JPEGInterchangeFormat and its length are called.
fn of_jpeg(role: TiffRole, group: &str) -> PictureNames {
    match group {
        "IFD0" if role == TiffRole::Sony => PREVIEW,
        "SubIFD" | "IFD2" => FROM_RAW,
        "IFD1" => THUMBNAIL,
        group if group.starts_with("IFD") || group.starts_with("SubIFD") => OTHER,
        _ => THUMBNAIL,
    }
}

/// What the only strip is called, where it is a picture of its own.
fn of_strips(role: TiffRole, group: &str, gather: &Gather<'_>) -> Option<PictureNames> {
    let number = |name| gather.find(group, name)?.value.integer(0);
    let sub = group.starts_with("SubIFD");
    match (role, group) {
        (TiffRole::Cr2, "IFD0") | (TiffRole::Part, "IFD2") => Some(PREVIEW),
        (TiffRole::Tiff, _) if sub || group.starts_with("IFD") => match number("Compression")? {
            7 if number("SubfileType") == Some(0) => None,
            7 if group == "SubIFD2" => Some(FROM_RAW),
            7 => Some(PREVIEW),
            // DNG's own kind of JPEG.
            34892 if sub => Some(OTHER),
            _ => None,
        },
        _ => None,
    }
}

/// Gives the two tags that frame a picture its names, and adds the picture.
fn frame(
    view: ByteView<'_>,
    group: &str,
    (at, bytes): (&str, &str),
    (start, length, picture): PictureNames,
    gather: &mut Gather<'_>,
) {
    let number = |name| gather.find(group, name)?.value.integer(0);
    let (Some(place), Some(count)) = (number(at), number(bytes)) else { return };
    for tag in gather.tags.iter_mut().filter(|tag| tag.group == group) {
        if tag.name == at {
            tag.name = start.into();
        } else if tag.name == bytes {
            tag.name = length.into();
        }
    }
    if place >= 0 && count > 0 {
        let end = view.place().unwrap_or(0).saturating_add(view.len());
        if (place as u64).saturating_add(count as u64) > end {
            gather.cut_off();
        }
        let value = data_at(view, place as u64, count as u64);
        gather.put(group.to_owned(), picture, value, TagRule::Binary);
    }
}
