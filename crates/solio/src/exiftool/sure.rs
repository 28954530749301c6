//! When Solio's answer is sure to be ExifTool's.
//!
//! A file's own format, EXIF, XMP, IPTC and profiles are read whole. A maker's note is not: it is taken
//! for whole where the camera is one of those whose sample gave the same in all tags (`cameras.tsv`)
//! and no word in it was unknown. Otherwise only tags are answered for that a maker note cannot change.

use super::listing::{Listing, is_in, origin};
use super::options::{Form, Options};
use super::request::{Request, RequestKind};
use super::select::{Shown, select};
use super::show::NotSure;
use solio_photo::{Gap, Metadata, Tag, Value};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Names that occur neither in maker notes nor in another segment of a picture.
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
    let twice = listing.tags.iter().zip(&listing.copies).any(|(tag, copy)| {
        *copy > 0
            && origin(&tag.group) == Some("EXIF")
            && listing.tags.iter().filter(|t| t.group == tag.group && t.name == tag.name).count()
                > 1
    });
    if twice {
        return Err("a tag that stands twice in a directory".into());
    }
    odd_text(listing)?;
    if read.gaps.contains(&Gap::Odd) {
        return Err("an odd structure".into());
    }
    let asks_all = options.requests.is_empty() && options.template.is_none()
        || options.requests.iter().any(|request| request.kind != RequestKind::One);
    // ExifTool warns of a note that it does not know, and of IPTC that changed behind Photoshop's back.
    let digest = value_of(listing, "Photoshop", "IPTCDigest");
    let is_changed = !digest.is_empty() && digest != value_of(listing, "File", "CurrentIPTCDigest");
    let several = |tag: &Tag| {
        origin(&tag.group) == Some("EXIF")
            && tag.value.count() != 1
            && NUMBERS.contains(&&*tag.name)
    };
    let may_warn = note == Note::Unknown || is_changed || listing.tags.iter().any(several);
    if may_warn && matches!(options.form, Form::Template | Form::Csv | Form::Xml) {
        return Err("a note or a digest of which ExifTool may warn".into());
    }
    if may_warn
        && options.template.is_none()
        && !select(listing, options).iter().any(|one| matches!(one, Shown::Tag(..)))
    {
        return Err("nothing to show, and ExifTool may warn".into());
    }
    let of_group = |r: &&Request| r.kind != RequestKind::One && !r.groups.is_empty();
    if options.requests.len() > 1
        && !options.duplicates
        && options.requests.iter().any(|r| of_group(&r))
    {
        let copies = listing.tags.iter().zip(&listing.copies).filter(|(_, copy)| **copy > 0);
        let meant = |tag: &Tag| {
            options.requests.iter().filter(of_group).any(|r| super::select::is_meant(tag, r))
        };
        if copies.into_iter().any(|(tag, _)| meant(tag)) {
            return Err("all of a group, with a tag that stands elsewhere, too".into());
        }
    }
    if !options.conditions.is_empty() {
        // ExifTool looks at all tags of a name for a condition, and then shows them, too.
        let copies = listing.tags.iter().zip(&listing.copies).filter(|(_, copy)| **copy > 0);
        let meant = |tag: &Tag| options.requests.iter().any(|r| r.is_name(&tag.name));
        if copies.into_iter().any(|(tag, _)| asks_all || meant(tag)) {
            return Err("-if with a tag that stands twice".into());
        }
    }
    if asks_all {
        if note == Note::Unknown {
            return Err("a maker's note that may have more".into());
        }
        if let Some(tag) = listing
            .tags
            .iter()
            .zip(&listing.origins)
            .find(|(_, known)| known.is_none())
            .map(|(tag, _)| tag)
        {
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
    if RESOLUTION.iter().any(|name| request.is_name(name)) && has_two_resolutions(listing) {
        return Err("a resolution that stands twice".into());
    }
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
    // A note that says the same otherwise may be what counts.
    let is_rival = |tag: &Tag| {
        let differs = |(one, _): (&Tag, &u32)| {
            one.number() != tag.number() || one.text().plain() != tag.text().plain()
        };
        request.is_name(&tag.name) && counts.is_some_and(differs)
    };
    let of_note = |(_, origin): &(&Tag, &Option<&str>)| **origin == Some("MakerNotes");
    let has_rival =
        listing.tags.iter().zip(&listing.origins).filter(of_note).any(|(tag, _)| is_rival(tag));
    if known(&STANDARD) && of_exif && !options.duplicates && !has_rival {
        return Ok(());
    }
    Err(format!("{}, which a maker's note may have", request.name))
}

/// What is known of the maker's note.
fn note(listing: &Listing, read: &Metadata) -> Note {
    let all = || listing.tags.iter().zip(&listing.origins);
    let tags = || all().filter(|(_, known)| **known == Some("MakerNotes")).map(|(tag, _)| tag);
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

/// Groups that are not read whole, or of which ExifTool shows other values.
const OTHER_GROUPS: [&str; 6] =
    ["PictureInfo", "FlashPix", "XMP-GCamera", "XMP-GContainer", "XMP-xmpNote", "FLIR"];

/// Tags of EXIF that are one number; what writers of several mean is unclear.
const NUMBERS: [&str; 18] = [
    "FNumber",
    "ExposureTime",
    "ApertureValue",
    "ShutterSpeedValue",
    "MaxApertureValue",
    "SceneType",
    "ExposureCompensation",
    "BrightnessValue",
    "FocalLength",
    "DigitalZoomRatio",
    "FileSource",
    "XResolution",
    "YResolution",
    "SubjectDistance",
    "MeteringMode",
    "Flash",
    "LightSource",
    "ExposureProgram",
];

const RESOLUTION: [&str; 3] = ["XResolution", "YResolution", "ResolutionUnit"];

/// Whether another resolution than that of JFIF may be the one that counts.
fn has_two_resolutions(listing: &Listing) -> bool {
    let place = |group: &str| listing.tags.iter().position(|tag| tag.group == group);
    let has = |group: &str, name: &str| {
        listing.tags.iter().any(|tag| tag.group == group && tag.name == name)
    };
    let alone = RESOLUTION.iter().any(|name| !has("IFD0", name) && has("IFD1", name));
    has("JFIF", "XResolution")
        && (alone || place("JFIF") > place("IFD0") || has("Photoshop", "XResolution"))
}

/// Values of which ExifTool warns, or that it takes another way.
fn odd_values(listing: &Listing) -> Result<(), NotSure> {
    let value = |group, name| value_of(listing, group, name);
    let has = |group: &str, name: &str| {
        listing.tags.iter().any(|tag| tag.group == group && tag.name == name)
    };
    if has_two_resolutions(listing) {
        return Err("a resolution that stands twice".into());
    }
    let has_iptc = listing.tags.iter().any(|tag| tag.group.starts_with("IPTC"));
    let digest = value("Photoshop", "IPTCDigest");
    if has_iptc && (digest.is_empty() || digest != value("File", "CurrentIPTCDigest")) {
        return Err("IPTC without its digest".into());
    }
    if has("IFD0", "BitsPerSample") {
        return Err("a picture that is not as its directory says".into());
    }
    let in_both = |name: &str| has("IFD0", name) && has("ExifIFD", name);
    if listing.tags.iter().any(|tag| tag.group == "IFD0" && in_both(&tag.name)) {
        return Err("a tag in two directories of EXIF".into());
    }
    let light = listing.tags.iter().find(|tag| tag.name == "LightValue");
    if let Some(light) = light.and_then(|tag| tag.number().number(0))
        && ((light * 10.0).fract().abs() - 0.5).abs() < 1e-6
    {
        return Err("a light value between two".into());
    }
    let has_packet = listing.tags.iter().any(|tag| tag.group.starts_with("XMP"));
    if has_packet && has("Composite", "LensID") {
        return Err("a lens that a packet may name".into());
    }
    let mut last = "";
    for (tag, origin) in listing.tags.iter().zip(&listing.origins) {
        if tag.group != last {
            last = &tag.group;
            if OTHER_GROUPS.contains(&last) || last.starts_with("IPTC2") {
                return Err(format!("the group {last}"));
            }
        }
        let is_exif = *origin == Some("EXIF");
        if is_exif && tag.value.count() != 1 && NUMBERS.contains(&&*tag.name) {
            return Err(format!("several numbers in {}", tag.name));
        }
        match &tag.value {
            Value::Rationals(all) if all.iter().any(|(_, below)| *below == 0) => {
                return Err(format!("a fraction of nothing in {}", tag.name));
            }
            Value::Text(text)
                if tag.group.starts_with("ICC") && (text.is_empty() || text == "Unknown") =>
            {
                return Err("an odd profile".into());
            }
            _ => {}
        }
        if tag.group.starts_with("ICC-")
            && matches!(tag.text(), Value::Text(text) if text == "Unknown" || text.trim().is_empty())
        {
            return Err("an odd profile".into());
        }
        if let Value::Rationals(_) | Value::Floats(_) = &tag.value
            && tag.text().number(0).is_some_and(|number| number.abs() >= 1e14)
        {
            return Err(format!("a number with many digits in {}", tag.name));
        }
    }
    Ok(())
}

/// Text in an encoding of no known name, of which ExifTool warns.
fn odd_text(listing: &Listing) -> Result<(), NotSure> {
    const ENCODINGS: [&[u8]; 4] = [b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", &[0; 8]];
    const NAMES: [&str; 3] = ["UserComment", "GPSProcessingMethod", "GPSAreaInformation"];
    for tag in listing.tags.iter().filter(|tag| NAMES.contains(&&*tag.name)) {
        if let Value::Bytes(bytes) = &tag.value
            && !bytes.is_empty()
            && !ENCODINGS.iter().any(|known| bytes.starts_with(known))
        {
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
