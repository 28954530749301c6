//! Tags made of others: a date with its fraction and zone, a position, a size, a lens' reach.

use crate::gather::Gather;
use crate::metadata::{Tag, rank};
use crate::number::plain;
use crate::rule::{Named, Rule};
use crate::value::Value;

const GROUP: &str = "Composite";
/// The number that the programs to agree with use.
#[allow(clippy::approx_constant)]
const NEARLY_PI: f64 = 3.14159;
/// The diagonal of a frame of 35 mm film: √(36² + 24²).
const FILM_DIAGONAL: f64 = 43.266_615_305_567_87;

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
    ("GPSPosition", &["GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef"]),
    ("GPSAltitude", &["GPSAltitude", "GPSAltitudeRef"]),
    ("GPSDateTime", &["GPSDateStamp", "GPSTimeStamp"]),
    (
        "ImageSize",
        &["ImageWidth", "ImageHeight", "ExifImageWidth", "ExifImageHeight", "ImageSpatialExtent"],
    ),
    (
        "Megapixels",
        &["ImageWidth", "ImageHeight", "ExifImageWidth", "ExifImageHeight", "ImageSpatialExtent"],
    ),
    // Not a composite, but made of tags just so.
    ("ThumbnailImage", &["ThumbnailOffset", "ThumbnailLength"]),
    ("ShutterSpeed", &["ExposureTime", "ShutterSpeedValue"]),
    ("Aperture", &["FNumber", "ApertureValue"]),
    ("LightValue", &["ExposureTime", "ShutterSpeedValue", "FNumber", "ApertureValue", "ISO"]),
    ("FocalLength35efl", LENGTHS),
    ("ScaleFactor35efl", LENGTHS),
    ("CircleOfConfusion", LENGTHS),
    ("FOV", LENGTHS),
    ("HyperfocalDistance", LENGTHS),
    ("DOF", LENGTHS),
];

const LENGTHS: &[&str] = &[
    "FocalLength",
    "FocalLengthIn35mmFormat",
    "FocalPlaneXResolution",
    "FocalPlaneYResolution",
    "FocalPlaneResolutionUnit",
    "ExifImageWidth",
    "ExifImageHeight",
    "ImageWidth",
    "ImageHeight",
    "FNumber",
    "ApertureValue",
    "SubjectDistance",
];

/// What the composite `name` is made of; nothing for other tags.
pub(crate) fn inputs(name: &str) -> &'static [&'static str] {
    let found = INPUTS.iter().find(|(composite, _)| composite.eq_ignore_ascii_case(name));
    found.map_or(&[], |(_, inputs)| inputs)
}

/// Adds the composites that the tags found allow.
pub(crate) fn compute(gather: &mut Gather<'_>) {
    if !gather.fields.is_all() && !INPUTS.iter().any(|(name, _)| gather.fields.asks(GROUP, name)) {
        return;
    }
    sizes(gather);
    let exposure = exposure(gather);
    dates(gather);
    position(gather);
    lengths(gather, exposure);
}

/// The tag that counts for `name`, of the directories of a picture.
fn find<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    let mut best: Option<&Tag> = None;
    for tag in gather.tags.iter().filter(|tag| tag.name == name) {
        if best.is_none_or(|best| rank(&tag.group) > rank(&best.group)) {
            best = Some(tag);
        }
    }
    best
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
            let of = |name| gather.find(group, name)?.value.number(0);
            Some((of("ImageWidth")?, of("ImageHeight")?))
        })
    };
    let main = ["File", "PNG", "RIFF", "GIF", "Photoshop", "Jpeg2000", "IFD0"];
    let extent = || {
        let value = &find(gather, "ImageSpatialExtent")?.value;
        Some((value.number(0)?, value.number(1)?))
    };
    let raw = gather.find("File", "FileType").is_some_and(|kind| {
        let kind = kind.value.plain();
        matches!(kind.as_str(), "CR2" | "CR3" | "NEF" | "ARW" | "ORF" | "RW2" | "PEF" | "SRW")
    });
    let exif = || {
        Some((number(gather, "ExifImageWidth")?, number(gather, "ExifImageHeight")?))
            .filter(|_| raw)
    };
    let tracks = ["Track1", "Track2", "Track3"];
    let found = pair(&main).or_else(extent).or_else(|| pair(&tracks)).or_else(exif);
    let Some((width, height)) = found.filter(|(width, height)| *width > 0.0 && *height > 0.0)
    else {
        return;
    };
    let size = Value::Ints(vec![width as i64, height as i64]);
    gather.put(GROUP, "ImageSize", size, Rule::Named(Named::Dimensions));
    put(gather, "Megapixels", width * height / 1e6, Named::Megapixels);
}

/// Exposure time and aperture.
fn exposure(gather: &mut Gather<'_>) -> (Option<f64>, Option<f64>) {
    let time = ["ExposureTime", "ShutterSpeedValue"].into_iter().find_map(|n| find(gather, n));
    let time = time.map(Tag::number);
    let aperture = ["FNumber", "ApertureValue"].into_iter();
    let aperture = aperture.filter_map(|n| number(gather, n)).find(|aperture| *aperture != 0.0);
    let seconds = time.as_ref().and_then(|time| time.number(0)).filter(|t| t.is_finite());
    if let Some(time) = time {
        gather.put(GROUP, "ShutterSpeed", time, Rule::Named(Named::ExposureTime));
    }
    if let Some(aperture) = aperture {
        put(gather, "Aperture", aperture, Named::FNumber);
    }
    let iso = number(gather, "ISO");
    if let (Some(seconds), Some(aperture), Some(iso)) = (seconds, aperture, iso)
        && seconds > 0.0
        && aperture > 0.0
        && iso > 0.0
    {
        let light = (aperture * aperture * 100.0 / (seconds * iso)).ln() / 2f64.ln();
        put(gather, "LightValue", light, Named::OneDecimal);
    }
    (seconds, aperture)
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
        let has_zone = date.len() > 19 && date[19..].contains(['+', '-', 'Z']);
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
    .map(|(name, date, fraction, zone)| (name, with_fraction(date, fraction, zone)));
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
    let altitude = || {
        let value =
            gather.find("GPS", "GPSAltitude")?.number().number(0).filter(|v| v.is_finite())?;
        let below = gather.find("GPS", "GPSAltitudeRef")?.number().integer(0)? == 1;
        Some(if below { -value } else { value })
    };
    let altitude = altitude();
    if let Some(latitude) = latitude {
        put(gather, "GPSLatitude", latitude, Named::Latitude);
    }
    if let Some(longitude) = longitude {
        put(gather, "GPSLongitude", longitude, Named::Longitude);
    }
    if let (Some(latitude), Some(longitude)) = (latitude, longitude) {
        let both = Value::Floats(vec![latitude, longitude]);
        gather.put(GROUP, "GPSPosition", both, Rule::Named(Named::Position));
    }
    if let Some(altitude) = altitude {
        put(gather, "GPSAltitude", altitude, Named::Altitude);
    }
}

/// How much smaller the sensor is than a frame of film.
fn scale_factor(gather: &Gather<'_>) -> Option<f64> {
    let focal = number(gather, "FocalLength").filter(|f| *f > 0.0);
    let film = number(gather, "FocalLengthIn35mmFormat").filter(|f| *f > 0.0);
    if let (Some(focal), Some(film)) = (focal, film) {
        return Some(film / focal);
    }
    if let Some(diagonal) = canon_diagonal(gather) {
        return Some(FILM_DIAGONAL / diagonal);
    }
    let unit = match number(gather, "FocalPlaneResolutionUnit")? as i64 {
        3 => 10.0,
        4 => 1.0,
        5 => 0.001,
        2 => 25.4,
        _ => return None,
    };
    let x = number(gather, "FocalPlaneXResolution").filter(|x| *x > 0.0)?;
    let y = number(gather, "FocalPlaneYResolution").filter(|y| *y > 0.0)?;
    let width = number(gather, "ExifImageWidth").or_else(|| number(gather, "ImageWidth"))?;
    let height = number(gather, "ExifImageHeight").or_else(|| number(gather, "ImageHeight"))?;
    let (width, height) = (width * unit / x, height * unit / y);
    let diagonal = (width * width + height * height).sqrt();
    // Sensors lie between a pinhead and a sheet of film; other numbers are faults.
    let ratio = width.max(height) / width.min(height);
    (diagonal > 1.0 && diagonal < 100.0 && ratio < 3.0).then(|| FILM_DIAGONAL / diagonal)
}

/// Canon writes pixels × 1000 over thousandths of an inch, whatever became of the picture since.
fn canon_diagonal(gather: &Gather<'_>) -> Option<f64> {
    if !find(gather, "Make")?.value.plain().starts_with("Canon") {
        return None;
    }
    let thousandths = |name| match &find(gather, name)?.value {
        Value::Rationals(parts) => match parts[..] {
            [(pixels, size)] if pixels > 0 && pixels % 1000 == 0 && (80..=2000).contains(&size) => {
                Some(size as f64)
            }
            _ => None,
        },
        _ => None,
    };
    let (width, height) =
        (thousandths("FocalPlaneXResolution")?, thousandths("FocalPlaneYResolution")?);
    Some((width * width + height * height).sqrt() * 0.0254)
}

fn lengths(gather: &mut Gather<'_>, (_, aperture): (Option<f64>, Option<f64>)) {
    let focal = number(gather, "FocalLength");
    let scale = scale_factor(gather);
    if let Some(scale) = scale {
        put(gather, "ScaleFactor35efl", scale, Named::OneDecimal);
        put(gather, "CircleOfConfusion", FILM_DIAGONAL / (scale * 1440.0), Named::Millimetres3);
    }
    let Some(focal) = focal else { return };
    let printed = scale.map_or(1.0, as_printed);
    let mut both = vec![focal * printed];
    if scale.is_some() {
        both.push(focal);
    }
    gather.put(GROUP, "FocalLength35efl", Value::Floats(both), Rule::Named(Named::FilmLength));
    let Some(scale) = scale.filter(|_| focal > 0.0) else { return };
    let angle = 2.0 * (36.0f64).atan2(2.0 * focal * printed) * 180.0 / NEARLY_PI;
    put(gather, "FOV", angle, Named::FieldOfView);
    let Some(aperture) = aperture.filter(|a| *a > 0.0) else { return };
    let blur = as_printed(FILM_DIAGONAL / (scale * 1440.0));
    put(gather, "HyperfocalDistance", focal * focal / (aperture * blur * 1000.0), Named::Metres2);
    let distance = number(gather, "SubjectDistance").filter(|d| *d > 0.0);
    if let Some(distance) = distance {
        let (far, focal) = (distance * 1000.0, focal);
        let step = aperture * blur * (far - focal) / (focal * focal);
        let near = far / (1.0 + step) / 1000.0;
        let farthest = far / (1.0 - step) / 1000.0;
        let farthest = if farthest < 0.0 { 0.0 } else { farthest };
        let field = Value::Text(format!("{} {}", plain(near), plain(farthest)));
        gather.put(GROUP, "DOF", field, Rule::Named(Named::DepthOfField));
    }
}
