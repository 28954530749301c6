//! Tags made of others: a date with its fraction and zone, a position, a size, a lens' reach.

mod color;
mod lens;
mod maker;
mod optics;
mod place;

use crate::fields::Composites;
use crate::fields::inputs::{GROUP, LOCATION};
use crate::gather::Gather;
use crate::metadata::{Tag, counting};
use crate::number::plain;
use crate::rule::{Named, TagRule};
use crate::value::Value;

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
    place::compute(gather);
    let scale = optics::compute(gather, aperture);
    lens::compute(gather, scale);
    color::compute(gather);
    movie(gather);
}

/// The tag that counts for `name`, of the directories of a picture.
fn find<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    counting(gather.tags.iter().filter(|tag| tag.name == name))
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
    gather.put(GROUP, name, Value::Floats(vec![value]), TagRule::Named(rule));
}

/// Some numbers go on as they are printed, with 15 digits: what is computed from them then agrees
/// to the last one.
fn as_printed(value: f64) -> f64 {
    plain(value).parse().unwrap_or(value)
}

fn sizes(gather: &mut Gather<'_>) {
    let pair = |groups: &[&str]| {
        groups.iter().find_map(|group| {
            let of = |name| gather.counting(group, name)?.value.number(0);
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
        let is_it =
            gather.counting("File", "FileType").is_some_and(|kind| kind.value.plain() == "CR2");
        directories().filter(|_| is_it)?;
        Some((number(gather, "ExifImageWidth")?, number(gather, "ExifImageHeight")?))
    };
    let panasonic = panasonic_size(gather);
    let tracks = ["Track1", "Track2", "Track3"];
    let cropped = || {
        // FujiFilm's raw pictures are larger than what is meant to be seen.
        let size = gather.counting("RAF", "RawImageCroppedSize")?.number();
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
    gather.put(GROUP, "ImageSize", size, TagRule::Named(Named::Dimensions));
    put(gather, "Megapixels", width * height / 1e6, Named::Megapixels);
}

/// The part of Panasonic's sensors that makes the picture.
fn panasonic_size(gather: &Gather<'_>) -> Option<(f64, f64)> {
    let of = |name| gather.counting("IFD0", name)?.value.number(0);
    let size = |first, last| Some(of(last)? - of(first)?);
    let width = size("SensorLeftBorder", "SensorRightBorder")?;
    Some((width, size("SensorTopBorder", "SensorBottomBorder")?))
}

/// What Kodak's notes say of the exposure is more exact than what EXIF says.
fn exact<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    gather.counting("Kodak", name).or_else(|| find(gather, name))
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
        gather.put(GROUP, "ShutterSpeed", time, TagRule::Named(Named::ExposureTime));
    }
    if let Some(aperture) = aperture {
        put(gather, "Aperture", aperture, Named::FNumber);
    }
    // OpenEXR says it by its own name.
    let light_aperture =
        aperture.or_else(|| gather.counting("OpenEXR", "Aperture")?.value.number(0));
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
        track.and_then(|track| Some(gather.counting(&track, "MatrixStructure")?.value.numbers()));
    if let Some([a, b, ..]) = matrix.as_deref().filter(|m| m.len() == 9) {
        let turned = (b.atan2(*a).to_degrees() * 1000.0).round() / 1000.0;
        let turned = if turned < 0.0 { turned + 360.0 } else { turned };
        put(gather, "Rotation", turned, Named::Dotted);
    }
    let sizes = gather.tags.iter().filter(|t| t.name == "MediaDataSize");
    let sizes: Vec<f64> = sizes.filter_map(|t| t.value.number(0)).collect();
    let duration = gather.counting("QuickTime", "Duration").and_then(|t| t.value.number(0));
    if let Some(duration) = duration.filter(|d| *d > 0.0 && !sizes.is_empty()) {
        let size: f64 = sizes.iter().sum();
        put(gather, "AvgBitrate", (size * 8.0 / duration + 0.5).trunc(), Named::Bitrate);
    }
}

fn dates(gather: &mut Gather<'_>) {
    let whole = |date: &str, fraction: &str, zone: &str| {
        // Only EXIF's own dates are cut into three.
        let exif = |name: &str| {
            let in_exif =
                |tag: &&Tag| tag.name == name && matches!(&*tag.group, "ExifIFD" | "IFD0");
            counting(gather.tags.iter().filter(in_exif)).map(|tag| tag.number().plain())
        };
        let date = exif(date)?;
        let whole = with_fraction(&date, &exif(fraction).unwrap_or_default());
        let zone =
            exif(zone).and_then(|zone| zone_of(&zone)).filter(|_| !date.contains(['+', '-']));
        match (whole, zone) {
            _ if !date.contains(|c: char| c.is_ascii_digit()) => None,
            (whole, Some(zone)) => Some(whole.unwrap_or(date) + &zone),
            (whole, None) => whole,
        }
    };
    let made = [
        ("SubSecDateTimeOriginal", "DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal"),
        ("SubSecCreateDate", "CreateDate", "SubSecTimeDigitized", "OffsetTimeDigitized"),
        ("SubSecModifyDate", "ModifyDate", "SubSecTime", "OffsetTime"),
    ]
    .map(|(name, date, fraction, zone)| {
        let wanted = gather.wants(GROUP, name);
        (name, if wanted { whole(date, fraction, zone) } else { None })
    });
    let iptc = |date: &str, time: &str| {
        let both = |group: &&str| {
            let of = |name| Some(gather.counting(group, name)?.number().plain());
            Some(format!("{} {}", of(date)?, of(time)?)).filter(|both| both != " ")
        };
        crate::iptc::GROUPS.iter().find_map(both)
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

/// The date with a fraction behind its seconds, where it has seconds without one and there is one.
fn with_fraction(date: &str, fraction: &str) -> Option<String> {
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let is_clock = |at: &usize| {
        let like = |(a, b): (&u8, &u8)| if *b == b'd' { a.is_ascii_digit() } else { a == b };
        date.as_bytes()[*at..].get(..9).is_some_and(|c| c.iter().zip(b" dd:dd:dd").all(like))
    };
    let at = (0..date.len()).find(is_clock).filter(|_| digits > 0)? + 9;
    let mut behind = date[at..].chars();
    if behind.next() == Some('.') && behind.next().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(format!("{}.{}{}", &date[..at], &fraction[..digits], &date[at..]))
}

/// `+1:00` as `+01:00`.
fn zone_of(text: &str) -> Option<String> {
    let (sign, rest) = (text.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?, text.get(1..)?);
    let (hours, minutes) = rest.split_once(':')?;
    let minutes = minutes.get(..2)?;
    let are_digits = hours.bytes().chain(minutes.bytes()).all(|b| b.is_ascii_digit());
    (are_digits && matches!(hours.len(), 1 | 2)).then(|| format!("{sign}{hours:0>2}:{minutes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_stand_behind_seconds() {
        let with = |date| with_fraction(date, "12 ");
        assert_eq!(with("2020:02:03 04:05:06").as_deref(), Some("2020:02:03 04:05:06.12"));
        assert_eq!(with("2020:02:03 04:05:06Z").as_deref(), Some("2020:02:03 04:05:06.12Z"));
        for no in ["2020:02:03 04:05:06.7", "2020:02:03", "2020-02-03T04:05:06", "", "é 1:2:3"] {
            assert_eq!(with(no), None, "{no}");
        }
        assert_eq!(with_fraction("2020:02:03 04:05:06", "x"), None);
        assert_eq!(zone_of("+2:00").as_deref(), Some("+02:00"));
        assert_eq!(zone_of("-03:30 ").as_deref(), Some("-03:30"));
        for no in ["Z", "02:00", "+0200", "   :  ", "", "+é:00", "+02:é"] {
            assert_eq!(zone_of(no), None, "{no}");
        }
    }
}
