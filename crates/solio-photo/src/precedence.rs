//! Which of several tags of one name counts: as ExifTool has it.

use crate::Tag;
use crate::groups::{family, is_main, is_size};

/// Whether `tag` counts and not `other` of the same name, which was found before it.
pub(crate) fn outdoes(tag: &Tag, other: &Tag) -> bool {
    if tag.group == other.group {
        return !first_counts(&tag.group, &tag.name);
    }
    if let Some(outdoes) = in_film(tag, other) {
        return outdoes;
    }
    if tag.group.starts_with("MPImage") && other.group.starts_with("MPImage") {
        return true;
    }
    rank(&tag.group, &tag.name) > rank(&other.group, &other.name)
}

/// In films, and in what is built like them, what comes later counts, except for what a track says of
/// itself: XMP is written there by who corrects the rest.
fn in_film(tag: &Tag, other: &Tag) -> Option<bool> {
    if !tag.of_film || !other.of_film {
        return None;
    }
    let xmp = |tag: &Tag| tag.group.starts_with("XMP");
    let film = |tag: &Tag| tag.group == "QuickTime" || tag.group.starts_with("Track");
    let of_picture = |tag: &Tag| xmp(tag) || film(tag) || is_main(&tag.group);
    let both = of_picture(tag) && of_picture(other);
    (both && (xmp(tag) || film(tag) || film(other))).then(|| !(film(tag) && is_of_track(&tag.name)))
}

/// Whether the head of a track says this; the first track is the main one.
fn is_of_track(name: &str) -> bool {
    matches!(
        name,
        "TrackHeaderVersion"
            | "TrackCreateDate"
            | "TrackModifyDate"
            | "TrackID"
            | "TrackDuration"
            | "TrackLayer"
            | "TrackVolume"
            | "ImageWidth"
            | "ImageHeight"
    )
}

/// Whether of several tags of this name in one group the first counts, and not the last: as
/// ExifTool has it.
fn first_counts(group: &str, name: &str) -> bool {
    match group {
        // Boxes within boxes say the same things of themselves, and the outermost counts.
        "JUMBF" => true,
        "XMP-exif" | "XMP-tiff" | "XMP-exifEX" => true,
        "XMP-dc" => name == "Source",
        "XMP-xmp" => matches!(
            name,
            "CreateDate"
                | "ModifyDate"
                | "Author"
                | "Description"
                | "Format"
                | "Identifier"
                | "Keywords"
                | "RatingPercent"
                | "Title"
        ),
        "XMP-aux" => {
            matches!(
                name,
                "LensID" | "LensInfo" | "LensSerialNumber" | "OwnerName" | "SerialNumber"
            )
        }
        // The first is the main one.
        "File" => name == "Comment",
        // Programs append what they add for themselves: a second description.
        _ => tells_look(name) && family(group) == "EXIF",
    }
}

/// Whether EXIF's tags called so tell what the picture shows and how it is laid out.
fn tells_look(name: &str) -> bool {
    matches!(
        name,
        "ImageDescription"
            | "Orientation"
            | "ImageWidth"
            | "ImageHeight"
            | "BitsPerSample"
            | "Compression"
            | "PhotometricInterpretation"
            | "SamplesPerPixel"
            | "RowsPerStrip"
            | "PlanarConfiguration"
            | "XResolution"
            | "YResolution"
            | "ResolutionUnit"
            | "PrimaryChromaticities"
            | "YCbCrCoefficients"
            | "YCbCrSubSampling"
            | "YCbCrPositioning"
            | "ReferenceBlackWhite"
            | "Rating"
            | "RatingPercent"
    )
}

/// Which of several tags of one name counts.
fn rank(group: &str, name: &str) -> u8 {
    match group {
        _ if maker_counts(group, name) => 6,
        "Composite" if !is_lesser(name) => 7,
        // What the file itself says of its picture; copies may tell of what it was made from.
        "File" | "RIFF" | "GIF" | "Photoshop" | "Jpeg2000" | "CanonRaw" if is_size(name) => 6,
        // A picture's own chunk is newer than what was copied into it.
        "PNG" => 6,
        group if is_main(group) => 5,
        "IFD1" | "PreviewIFD" => 1,
        "Composite" => 1,
        group if group.starts_with("XMP") => 2,
        // Further blocks, of which programs often know nothing.
        group if group.starts_with("IPTC") && group != "IPTC" => 3,
        // The preview of the list of pictures, not the one that a note frames.
        group if group.starts_with("MPImage") => 5,
        _ => 4,
    }
}

/// Whether a note's tag called so says more than EXIF's: EXIF has only two kinds of white balance.
fn maker_counts(group: &str, name: &str) -> bool {
    const MAKERS: [&str; 14] = [
        "Canon",
        "Casio",
        "FujiFilm",
        "JVC",
        "Kodak",
        "Nikon",
        "Olympus",
        "Panasonic",
        "Pentax",
        "Ricoh",
        "Samsung",
        "Sanyo",
        "Sigma",
        "Sony",
    ];
    match name {
        "WhiteBalance" | "MeteringMode" | "ExposureCompensation" if MAKERS.contains(&group) => true,
        "WhiteBalance" | "Sharpness" | "ExposureCompensation" => group == "GoPro",
        "ExposureProgram" => group == "Sony",
        "ExposureTime" | "FNumber" => group == "Kodak",
        "LightSource" => group == "Nikon",
        "DateTimeOriginal" => group == "FLIR",
        _ => false,
    }
}

/// Whether the composite called so is made of what counts less than EXIF's own tag.
fn is_lesser(name: &str) -> bool {
    matches!(
        name,
        "ISO"
            | "Flash"
            | "CFAPattern"
            | "GPSLatitudeRef"
            | "GPSLongitudeRef"
            | "GPSDestLatitudeRef"
            | "GPSDestLongitudeRef"
    )
}
