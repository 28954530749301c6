//! Tags made of others: a date with its fraction and zone, a position, a size, a lens' reach.

mod color;
mod lens;
mod maker;
mod optics;

use crate::gather::Gather;
use crate::metadata::Tag;
use crate::number::plain;
use crate::rule::{Named, Rule};
use crate::value::Value;

/// The group of composites.
pub(crate) const GROUP: &str = "Composite";
/// The composites and what each is made of; a field list needs the latter to give the former.
const INPUTS: &[(&str, &[&str])] = &[
    ("SubSecDateTimeOriginal", &["DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal"]),
    ("SubSecCreateDate", &["CreateDate", "SubSecTimeDigitized", "OffsetTimeDigitized"]),
    ("SubSecModifyDate", &["ModifyDate", "SubSecTime", "OffsetTime"]),
    ("DateTimeOriginal", &["DateTimeOriginal", "DateCreated", "TimeCreated"]),
    ("DateTimeCreated", &["DateCreated", "TimeCreated"]),
    ("DigitalCreationDateTime", &["DigitalCreationDate", "DigitalCreationTime"]),
    ("GPSLatitude", &["GPSLatitude", "GPSLatitudeRef"]),
    ("GPSLongitude", &["GPSLongitude", "GPSLongitudeRef"]),
    ("GPSLatitudeRef", &["GPSLatitude"]),
    ("GPSLongitudeRef", &["GPSLongitude"]),
    ("GPSDestLatitude", &["GPSDestLatitude", "GPSDestLatitudeRef"]),
    ("GPSDestLongitude", &["GPSDestLongitude", "GPSDestLongitudeRef"]),
    ("GPSPosition", &["GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef"]),
    ("GPSAltitude", &["GPSAltitude", "GPSAltitudeRef"]),
    ("GPSDateTime", &["GPSDateStamp", "GPSTimeStamp"]),
    ("ImageSize", SIZES),
    ("Megapixels", SIZES),
    // No composites, but made of tags just so.
    ("ThumbnailImage", &["ThumbnailOffset", "ThumbnailLength"]),
    ("PreviewImage", PICTURE),
    ("OtherImage", PICTURE),
    ("PreviewImageStart", PICTURE),
    ("PreviewImageLength", PICTURE),
    ("OtherImageStart", PICTURE),
    ("OtherImageLength", PICTURE),
    ("JpgFromRaw", PICTURE),
    ("JpgFromRawStart", PICTURE),
    ("JpgFromRawLength", PICTURE),
    ("CFAPattern", &["CFARepeatPatternDim", "CFAPattern2"]),
    ("ImageWidth", SIZES),
    ("ImageHeight", SIZES),
    ("FileType", &["DNGVersion"]),
    ("FileTypeExtension", &["DNGVersion"]),
    ("MIMEType", &["DNGVersion"]),
    ("ShutterSpeed", &["ExposureTime", "ShutterSpeedValue", "BulbDuration"]),
    ("Aperture", &["FNumber", "ApertureValue"]),
    ("LightValue", &["ShutterSpeed", "FNumber", "ApertureValue", "Aperture", "ISO"]),
    ("FocalLength35efl", optics::LENGTHS),
    ("ScaleFactor35efl", optics::LENGTHS),
    ("CircleOfConfusion", optics::LENGTHS),
    ("FOV", optics::LENGTHS),
    ("HyperfocalDistance", optics::LENGTHS),
    ("DOF", optics::LENGTHS),
    ("RedBalance", color::INPUTS),
    ("BlueBalance", color::INPUTS),
    ("Lens", lens::INPUTS),
    ("Lens35efl", &["Lens", "ScaleFactor35efl"]),
    ("LensID", lens::INPUTS),
    ("LensSpec", lens::INPUTS),
    ("Rotation", &["MatrixStructure", "HandlerType"]),
    ("AvgBitrate", &["MediaDataSize", "Duration"]),
    (
        "Flash",
        &["Flash", "FlashFired", "FlashReturn", "FlashMode", "FlashFunction", "FlashRedEyeMode"],
    ),
];

/// What tells the size of a picture.
const SIZES: &[&str] = &[
    "ImageWidth",
    "ImageHeight",
    "ExifImageWidth",
    "ExifImageHeight",
    "ImageSpatialExtent",
    "RawImageCroppedSize",
    "SubfileType",
    "FileType",
    "SensorLeftBorder",
    "SensorRightBorder",
    "SensorTopBorder",
    "SensorBottomBorder",
];

/// Where a picture within the file is, and what tells that it is one for viewing.
const PICTURE: &[&str] = &[
    "PreviewImageStart",
    "PreviewImageLength",
    "ThumbnailOffset",
    "ThumbnailLength",
    "StripOffsets",
    "StripByteCounts",
    "SubfileType",
    "Compression",
];

/// What the composite `name` is made of; nothing for other tags.
pub(crate) fn inputs(name: &str) -> &'static [&'static str] {
    let mut all = INPUTS.iter().chain(maker::INPUTS);
    let found = all.find(|(composite, _)| composite.eq_ignore_ascii_case(name));
    found.map_or(&[], |(_, inputs)| inputs)
}

/// Which composites are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Composites {
    None,
    /// The most common fields where few are read.
    Dates,
    Any,
}

/// Which composites are among the tags that are asked for.
pub(crate) fn of(asks: impl Fn(&str) -> bool) -> Composites {
    let dates = |name: &str| name.contains("Date");
    let mut others = INPUTS.iter().filter(|(name, _)| !dates(name)).chain(maker::INPUTS);
    if others.any(|(name, _)| asks(name)) {
        return Composites::Any;
    }
    let any = INPUTS.iter().any(|(name, _)| dates(name) && asks(name));
    if any { Composites::Dates } else { Composites::None }
}

/// Adds the composites that the tags found allow.
pub(crate) fn compute(gather: &mut Gather<'_>) {
    match gather.fields.composites() {
        _ if gather.tags.is_empty() => return,
        Composites::None => return,
        Composites::Dates => return dates(gather),
        Composites::Any => {}
    }
    sizes(gather);
    color::pattern(gather);
    maker::compute(gather);
    maker::flash_of_xmp(gather);
    let aperture = exposure(gather);
    dates(gather);
    position(gather);
    let scale = optics::compute(gather, aperture);
    lens::compute(gather, scale);
    color::compute(gather);
    movie(gather);
}

/// The tag that counts for `name`, of the directories of a picture.
fn find<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    let mut best: Option<&Tag> = None;
    for tag in gather.tags.iter().filter(|tag| tag.name == name) {
        if best.is_none_or(|best| tag.outdoes(best)) {
            best = Some(tag);
        }
    }
    best
}

/// The words of a tag.
fn words(tag: &Tag) -> String {
    tag.text().plain()
}

/// A value of which number and words are known already.
fn both(number: impl ToString, words: &str) -> Value {
    Value::List(vec![Value::Text(number.to_string()), Value::text(words)])
}

/// Its value without coding, as a number that is one.
fn number(gather: &Gather<'_>, name: &str) -> Option<f64> {
    find(gather, name)?.number().number(0).filter(|n| n.is_finite())
}

fn text(gather: &Gather<'_>, name: &str) -> Option<String> {
    Some(find(gather, name)?.number().plain())
}

fn put(gather: &mut Gather<'_>, name: &'static str, value: f64, rule: Named) {
    let value = as_printed(value);
    gather.put(GROUP, name, Value::Floats(vec![value]), Rule::Named(rule));
}

/// Some numbers go on as they are printed, with 15 digits: what is computed from them then agrees
/// to the last one.
fn as_printed(value: f64) -> f64 {
    plain(value).parse().unwrap_or(value)
}

fn sizes(gather: &mut Gather<'_>) {
    let pair = |groups: &[&str]| {
        groups.iter().find_map(|group| {
            // Of several pictures in a file the last one counts.
            let is = |tag: &&Tag, name| tag.name == name && tag.group == *group;
            let of = |name| gather.tags.iter().rfind(|tag| is(tag, name))?.value.number(0);
            Some((of("ImageWidth")?, of("ImageHeight")?))
        })
    };
    let main = ["File", "PNG", "RIFF", "GIF", "Photoshop", "Jpeg2000", "CanonRaw"];
    let extent = || {
        let value = &find(gather, "ImageSpatialExtent")?.value;
        Some((value.number(0)?, value.number(1)?))
    };
    let directories = || {
        // The directory of the full picture, the main one, or else the first that has a size.
        let full = |tag: &&Tag| tag.name == "SubfileType" && tag.value.integer(0) == Some(0);
        let full = gather.tags.iter().find(full).map(|tag| &*tag.group);
        let others = gather.tags.iter().filter(|tag| tag.name == "ImageWidth");
        let others = others.map(|tag| &*tag.group).filter(|group| group.contains("IFD"));
        full.into_iter().chain(["IFD0"]).chain(others).find_map(|group| pair(&[group]))
    };
    let canon = || {
        // Of Canon's raw pictures the other sizes are those of smaller ones.
        let is_it = gather.find("File", "FileType").is_some_and(|kind| kind.value.plain() == "CR2");
        directories().filter(|_| is_it)?;
        Some((number(gather, "ExifImageWidth")?, number(gather, "ExifImageHeight")?))
    };
    let panasonic = panasonic_size(gather);
    let tracks = ["Track1", "Track2", "Track3"];
    let cropped = || {
        // FujiFilm's raw pictures are larger than what is meant to be seen.
        let size = gather.find("RAF", "RawImageCroppedSize")?.number();
        Some((size.number(0)?, size.number(1)?))
    };
    let packet = || pair(&["XMP-tiff"]);
    let found = cropped()
        .or(panasonic)
        .or_else(canon)
        .or_else(|| pair(&main))
        .or_else(directories)
        .or_else(extent)
        .or_else(|| pair(&tracks))
        .or_else(packet);
    if let Some((width, height)) = panasonic {
        gather.int(GROUP, "ImageWidth", width as i64);
        gather.int(GROUP, "ImageHeight", height as i64);
    }
    let Some((width, height)) = found.filter(|(width, height)| *width > 0.0 || *height > 0.0)
    else {
        return;
    };
    let size = Value::Ints(vec![width as i64, height as i64]);
    gather.put(GROUP, "ImageSize", size, Rule::Named(Named::Dimensions));
    put(gather, "Megapixels", width * height / 1e6, Named::Megapixels);
}

/// The part of Panasonic's sensors that makes the picture.
fn panasonic_size(gather: &Gather<'_>) -> Option<(f64, f64)> {
    let of = |name| gather.find("IFD0", name)?.value.number(0);
    let size = |first, last| Some(of(last)? - of(first)?);
    let width = size("SensorLeftBorder", "SensorRightBorder")?;
    Some((width, size("SensorTopBorder", "SensorBottomBorder")?))
}

/// What Kodak's notes say of the exposure is more exact than what EXIF says.
fn exact<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    gather.find("Kodak", name).or_else(|| find(gather, name))
}

/// Exposure time and aperture; gives the latter.
fn exposure(gather: &mut Gather<'_>) -> Option<f64> {
    let bulb = gather.tags.iter().find(|t| t.name == "BulbDuration").map(Tag::number);
    let bulb = bulb.filter(|time| time.number(0).is_some_and(|t| t > 0.0));
    let time = ["ExposureTime", "ShutterSpeedValue"].into_iter().find_map(|n| exact(gather, n));
    let time = bulb.or_else(|| time.map(Tag::number));
    let number_of = |name| exact(gather, name)?.number().number(0).filter(|n| n.is_finite());
    let aperture = ["FNumber", "ApertureValue"].into_iter();
    let aperture = aperture.filter_map(number_of).find(|aperture| *aperture != 0.0);
    // Some write several numbers, of which one is shown.
    let iso = exact(gather, "ISO").and_then(|tag| crate::number::first(&words(tag)));
    let seconds = time.as_ref().and_then(|time| time.number(0)).filter(|t| t.is_finite());
    if let Some(time) = time {
        gather.put(GROUP, "ShutterSpeed", time, Rule::Named(Named::ExposureTime));
    }
    if let Some(aperture) = aperture {
        put(gather, "Aperture", aperture, Named::FNumber);
    }
    // OpenEXR says it by its own name.
    let light_aperture = aperture.or_else(|| gather.find("OpenEXR", "Aperture")?.value.number(0));
    if let (Some(seconds), Some(aperture), Some(iso)) = (seconds, light_aperture, iso)
        && seconds > 0.0
        && aperture > 0.0
        && iso > 0.0
    {
        let light = (aperture * aperture * 100.0 / (seconds * iso)).ln() / 2f64.ln();
        put(gather, "LightValue", light, Named::OneDecimal);
    }
    aperture
}

/// How a film is turned, and how many bits a second has.
fn movie(gather: &mut Gather<'_>) {
    let video = |tag: &&Tag| tag.name == "HandlerType" && tag.value.plain() == "vide";
    let track = gather.tags.iter().find(video).map(|tag| tag.group.clone());
    let matrix =
        track.and_then(|track| Some(gather.find(&track, "MatrixStructure")?.value.numbers()));
    if let Some([a, b, ..]) = matrix.as_deref().filter(|m| m.len() == 9) {
        let turned = (b.atan2(*a).to_degrees() * 1000.0).round() / 1000.0;
        let turned = if turned < 0.0 { turned + 360.0 } else { turned };
        put(gather, "Rotation", turned, Named::Dotted);
    }
    let sizes = gather.tags.iter().filter(|t| t.name == "MediaDataSize");
    let sizes: Vec<f64> = sizes.filter_map(|t| t.value.number(0)).collect();
    let duration = gather.find("QuickTime", "Duration").and_then(|t| t.value.number(0));
    if let Some(duration) = duration.filter(|d| *d > 0.0 && !sizes.is_empty()) {
        let size: f64 = sizes.iter().sum();
        put(gather, "AvgBitrate", (size * 8.0 / duration + 0.5).trunc(), Named::Bitrate);
    }
}

fn dates(gather: &mut Gather<'_>) {
    let with_fraction = |date: &str, fraction: &str, zone: &str| {
        // Only EXIF's own dates are cut into three.
        let exif = |name: &str| {
            let in_exif =
                |tag: &&Tag| tag.name == name && matches!(&*tag.group, "ExifIFD" | "IFD0");
            gather.tags.iter().find(in_exif).map(|tag| tag.number().plain())
        };
        let date = exif(date)?;
        let has_zone = date.get(19..).is_some_and(|zone| zone.contains(['+', '-', 'Z']));
        let fraction = exif(fraction).unwrap_or_default();
        let fraction: String = fraction.chars().take_while(char::is_ascii_digit).collect();
        let zone = exif(zone).filter(|zone| is_zone(zone) && !has_zone).unwrap_or_default();
        if fraction.is_empty() && zone.is_empty() || date.trim().is_empty() {
            return None;
        }
        let dot = if fraction.is_empty() { "" } else { "." };
        Some(format!("{date}{dot}{fraction}{}", zone.trim()))
    };
    let made = [
        ("SubSecDateTimeOriginal", "DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal"),
        ("SubSecCreateDate", "CreateDate", "SubSecTimeDigitized", "OffsetTimeDigitized"),
        ("SubSecModifyDate", "ModifyDate", "SubSecTime", "OffsetTime"),
    ]
    .map(|(name, date, fraction, zone)| {
        let wanted = gather.wants(GROUP, name);
        (name, if wanted { with_fraction(date, fraction, zone) } else { None })
    });
    let iptc = |date: &str, time: &str| {
        let of = |name| Some(gather.find("IPTC", name)?.number().plain());
        Some(format!("{} {}", of(date)?, of(time)?))
    };
    let joined = [
        ("DateTimeCreated", iptc("DateCreated", "TimeCreated")),
        ("DigitalCreationDateTime", iptc("DigitalCreationDate", "DigitalCreationTime")),
    ];
    let gps = text(gather, "GPSDateStamp").zip(text(gather, "GPSTimeStamp"));
    let gps = gps.map(|(date, time)| format!("{date} {time}Z"));
    if let (None, Some(text)) = (find(gather, "DateTimeOriginal"), &joined[0].1) {
        gather.text(GROUP, "DateTimeOriginal", text.clone());
    }
    for (name, text) in made.into_iter().chain(joined).chain([("GPSDateTime", gps)]) {
        if let Some(text) = text {
            gather.text(GROUP, name, text);
        }
    }
}

/// `+01:00`, `Z`.
fn is_zone(text: &str) -> bool {
    let text = text.trim();
    text == "Z" || text.len() == 6 && text.starts_with(['+', '-']) && text.as_bytes()[3] == b':'
}

fn position(gather: &mut Gather<'_>) {
    let coordinate = |name: &str, reference: &str, negative: char| {
        let value = gather.find("GPS", name)?.number().number(0)?;
        let reference = gather.find("GPS", reference)?.number().plain();
        let sign = if reference.to_ascii_uppercase().starts_with(negative) { -1.0 } else { 1.0 };
        (!reference.is_empty()).then_some(value * sign)
    };
    let latitude = coordinate("GPSLatitude", "GPSLatitudeRef", 'S');
    let longitude = coordinate("GPSLongitude", "GPSLongitudeRef", 'W');
    let target = [
        ("GPSDestLatitude", coordinate("GPSDestLatitude", "GPSDestLatitudeRef", 'S')),
        ("GPSDestLongitude", coordinate("GPSDestLongitude", "GPSDestLongitudeRef", 'W')),
    ];
    let side = |name, negative, positive| {
        let value = gather.find("XMP-exif", name)?.number().number(0)?;
        Some(if value < 0.0 { negative } else { positive })
    };
    let sides = [
        ("GPSLatitudeRef", side("GPSLatitude", "S", "N"), "S:South|N:North"),
        ("GPSLongitudeRef", side("GPSLongitude", "W", "E"), "W:West|E:East"),
    ];
    let altitude = || {
        let value =
            gather.find("GPS", "GPSAltitude")?.number().number(0).filter(|v| v.is_finite())?;
        let below = gather.find("GPS", "GPSAltitudeRef")?.number().integer(0)? == 1;
        Some(if below { -value } else { value })
    };
    let altitude = altitude();
    for (name, value, words) in sides {
        if let Some(value) = value {
            gather.put(GROUP, name, Value::text(value), Rule::Words { words, hex: false });
        }
    }
    for (name, value) in target {
        if let Some(value) = value {
            let latitude = name.ends_with("Latitude");
            put(gather, name, value, if latitude { Named::Latitude } else { Named::Longitude });
        }
    }
    if let Some(latitude) = latitude {
        put(gather, "GPSLatitude", latitude, Named::Latitude);
    }
    if let Some(longitude) = longitude {
        put(gather, "GPSLongitude", longitude, Named::Longitude);
    }
    // OpenEXR's angles have a sign.
    let signed = |name| gather.find("OpenEXR", name)?.value.number(0);
    let latitude = latitude.or_else(|| signed("GPSLatitude"));
    let longitude = longitude.or_else(|| signed("GPSLongitude"));
    if let (Some(latitude), Some(longitude)) = (latitude, longitude) {
        let both = Value::Floats(vec![latitude, longitude]);
        gather.put(GROUP, "GPSPosition", both, Rule::Named(Named::Position));
    }
    if let Some(altitude) = altitude {
        put(gather, "GPSAltitude", altitude, Named::Altitude);
    }
}
