//! When Solio's answer is sure to be ExifTool's.
//!
//! A file's own format, EXIF, XMP, IPTC and profiles are read whole. A maker's note is not: it is taken
//! for whole where the camera is one of those whose sample gave the same in all tags (`cameras.tsv`)
//! and no word in it was unknown. Otherwise only tags are answered for that no maker's note can change.

use super::listing::{Listing, is_in, origin};
use super::options::Options;
use super::request::{Request, RequestKind};
use super::show::NotSure;
use solio_photo::{Gap, Metadata, Value};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Names that no maker's note has, and no other segment of a picture.
const OWN: [&str; 34] = [
    "ExifToolVersion",
    "FileName",
    "Directory",
    "FileSize",
    "FileModifyDate",
    "FileAccessDate",
    "FileInodeChangeDate",
    "FilePermissions",
    "FileType",
    "FileTypeExtension",
    "MIMEType",
    "ExifByteOrder",
    "JFIFVersion",
    "EncodingProcess",
    "YCbCrSubSampling",
    "ColorComponents",
    "ExifVersion",
    "ImageDescription",
    "ExifImageWidth",
    "ExifImageHeight",
    "InteropIndex",
    "InteropVersion",
    "SubSecTime",
    "SubSecTimeOriginal",
    "SubSecTimeDigitized",
    "OffsetTime",
    "OffsetTimeOriginal",
    "OffsetTimeDigitized",
    "FlashpixVersion",
    "CompressedBitsPerPixel",
    "SceneCaptureType",
    "GainControl",
    "XPTitle",
    "XPComment",
];

/// Names that makers' notes have, too, but where EXIF's counts.
const STANDARD: [&str; 52] = [
    "Make",
    "Model",
    "Software",
    "Artist",
    "Copyright",
    "Orientation",
    "XResolution",
    "YResolution",
    "ResolutionUnit",
    "ModifyDate",
    "CreateDate",
    "DateTimeOriginal",
    "ISO",
    "ShutterSpeedValue",
    "ApertureValue",
    "BrightnessValue",
    "MaxApertureValue",
    "FocalLength",
    "Flash",
    "LensModel",
    "LensMake",
    "ColorSpace",
    "SensingMethod",
    "FileSource",
    "SceneType",
    "CustomRendered",
    "ExposureMode",
    "DigitalZoomRatio",
    "FocalLengthIn35mmFormat",
    "ComponentsConfiguration",
    "YCbCrPositioning",
    "GPSVersionID",
    "GPSDateStamp",
    "GPSTimeStamp",
    "GPSMapDatum",
    "GPSStatus",
    "GPSLatitude",
    "GPSLongitude",
    "GPSAltitude",
    "GPSPosition",
    "GPSDateTime",
    "GPSImgDirection",
    "GPSLatitudeRef",
    "GPSLongitudeRef",
    "ImageWidth",
    "ImageHeight",
    "ImageSize",
    "Megapixels",
    "SubSecDateTimeOriginal",
    "SubSecCreateDate",
    "SubSecModifyDate",
    "UserComment",
];

/// What is known of a file's maker's note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Absent,
    Whole,
    Unknown,
}

/// Whether what `options` ask of a file is sure; `listing` has all that was read of it.
pub(super) fn check(
    listing: &Listing,
    read: &Metadata,
    options: &Options,
    named: &[Request],
) -> Result<(), NotSure> {
    let kind = value_of(listing, "File", "FileType");
    if kind != "JPEG" {
        return Err(format!("a file of kind {kind}"));
    }
    if let Some(warning) = read.warnings.first() {
        return Err(format!("a damaged file: {warning}"));
    }
    if read.gaps.contains(&Gap::Format) {
        return Err("a segment that is not read".into());
    }
    let note = note(listing, read);
    let asks_all = options.requests.is_empty() && options.template.is_none()
        || options.requests.iter().any(|request| request.kind != RequestKind::One);
    if asks_all {
        if note == Note::Unknown {
            return Err("a maker's note that may have more".into());
        }
        if let Some(tag) = listing.tags.iter().find(|tag| origin(&tag.group).is_none()) {
            return Err(format!("the group {}", tag.group));
        }
        odd_values(listing)?;
    }
    for request in
        named.iter().chain(options.requests.iter().filter(|r| r.kind == RequestKind::One))
    {
        settled(request, listing, options, note)?;
    }
    if options.structures
        && listing.tags.iter().any(|tag| may_be_of_a_structure(&tag.group, &tag.name))
    {
        return Err("a structure of XMP".into());
    }
    Ok(())
}

/// Whether one tag is.
fn settled(
    request: &Request,
    listing: &Listing,
    options: &Options,
    note: Note,
) -> Result<(), NotSure> {
    if matches!(request.lower(), "warning" | "error" | "validate") {
        return Err(format!("{} is ExifTool's own", request.name));
    }
    let known =
        |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(request.lower()));
    let of_file = |group: &String| {
        matches!(group.as_str(), "exif" | "ifd0" | "exififd" | "gps" | "ifd1" | "system" | "file")
    };
    if note != Note::Unknown || known(&OWN) || request.groups.iter().any(of_file) {
        return Ok(());
    }
    let counts = listing.tags.iter().zip(&listing.copies).find(|(tag, copy)| {
        **copy == 0 && request.is_name(&tag.name) && request.groups.iter().all(|g| is_in(tag, g))
    });
    let of_exif = counts
        .is_some_and(|(tag, _)| matches!(origin(&tag.group), Some("EXIF" | "File" | "Composite")));
    if known(&STANDARD) && of_exif && !options.duplicates {
        return Ok(());
    }
    Err(format!("{}, which a maker's note may have", request.name))
}

/// What is known of the maker's note.
fn note(listing: &Listing, read: &Metadata) -> Note {
    let tags = || listing.tags.iter().filter(|tag| origin(&tag.group) == Some("MakerNotes"));
    if !read.gaps.contains(&Gap::MakerNotes) && tags().next().is_none() {
        return Note::Absent;
    }
    let make = value_of(listing, "IFD0", "Make");
    let model = value_of(listing, "IFD0", "Model");
    let is_unknown = |value: &Value| matches!(value, Value::Text(t) if t.starts_with("Unknown ("));
    if !cameras().contains(&(&*make, &*model)) || tags().any(|tag| is_unknown(&tag.text())) {
        return Note::Unknown;
    }
    Note::Whole
}

/// Cameras whose notes were found to be read whole: maker and model.
fn cameras() -> &'static HashSet<(&'static str, &'static str)> {
    static CAMERAS: OnceLock<HashSet<(&str, &str)>> = OnceLock::new();
    CAMERAS.get_or_init(|| {
        let lines = include_str!("cameras.tsv").lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once('\t')).collect()
    })
}

fn value_of(listing: &Listing, group: &str, name: &str) -> String {
    let tag = listing.tags.iter().find(|tag| tag.group == group && tag.name == name);
    tag.map(|tag| tag.text().plain().trim_end().to_owned()).unwrap_or_default()
}

/// Values of which ExifTool warns.
fn odd_values(listing: &Listing) -> Result<(), NotSure> {
    for tag in &listing.tags {
        let Value::Bytes(bytes) = &tag.value else { continue };
        let encodings: [&[u8]; 4] = [b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", &[0; 8]];
        let is_text = tag.name == "UserComment"
            || tag.name.starts_with("GPSProcessing")
            || tag.name.starts_with("GPSArea");
        if is_text && !encodings.iter().any(|known| bytes.starts_with(known)) && !bytes.is_empty() {
            return Err(format!("the encoding of {}", tag.name));
        }
    }
    Ok(())
}

/// Whether a tag of XMP is, or may be, one part of a structure.
fn may_be_of_a_structure(group: &str, name: &str) -> bool {
    const STARTS: [&str; 9] = [
        "Flash",
        "Thumbnail",
        "CFAPattern",
        "OECF",
        "DeviceSettings",
        "JobRef",
        "DocumentAncestors",
        "TextLayer",
        "SpatialFrequencyResponse",
    ];
    let Some(namespace) = group.strip_prefix("XMP-") else { return group == "XMP" };
    let flat = ["x", "rdf", "dc", "xmp", "tiff", "exif", "photoshop", "aux", "xmpRights", "exifEX"];
    !flat.contains(&namespace) || STARTS.iter().any(|start| name.starts_with(start))
}
