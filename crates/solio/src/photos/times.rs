//! When a photo was taken, and who says so.

use crate::photos::zone::{PhotoZone, offset_of};
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use solio_kinds::named_enum;
use solio_photo::{Metadata, Tag};

named_enum! {
    /// What tells when a photo was taken; the first that there is counts, in this order.
    pub enum DateSource {
        /// The moment of the exposure, on the clock of the camera.
        Exif = "EXIF DateTimeOriginal",
        /// The moment of digitising, which cameras set to the same.
        ExifDigitized = "EXIF CreateDate",
        /// The satellites' time, which is universal time.
        Gps = "GPS date and time",
        /// The time with its zone that phones write into films.
        MovieZoned = "QuickTime CreationDate",
        /// A film's header, which is universal time.
        Movie = "QuickTime CreateDate (UTC)",
        /// A date in the XMP of the file.
        Xmp = "XMP",
        /// A date in its IPTC.
        Iptc = "IPTC",
        /// A text of a PNG.
        Png = "PNG CreationTime",
        /// An `.xmp` beside the file.
        Sidecar = "XMP sidecar",
        /// The `.json` that Google Takeout puts beside the file; universal time.
        Takeout = "Takeout JSON (UTC)",
        /// The name of the file, where that was asked for.
        Name = "file name",
        /// The time of its last change, where that was asked for; universal time.
        Modified = "modification time (UTC)",
    }

    /// As it is called.
    pub fn name;
}

/// When a photo was taken.
///
/// ```
/// use solio::DateSource;
/// assert_eq!(DateSource::Exif.name(), "EXIF DateTimeOriginal");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhotoDate {
    /// On the clocks where it was taken.
    pub at: NaiveDateTime,
    /// Seconds that these are ahead of universal time, where anybody says so.
    pub offset_s: Option<i32>,
    /// Who says so.
    pub source: DateSource,
}

/// A date before its zone is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawDate {
    pub(crate) at: NaiveDateTime,
    pub(crate) offset_s: Option<i32>,
    /// It is universal time, and not that of the place.
    pub(crate) is_utc: bool,
    pub(crate) source: DateSource,
}

/// A date that a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameDate {
    pub(crate) at: NaiveDateTime,
    pub(crate) is_utc: bool,
}

impl RawDate {
    /// On the clocks of the place; `None` where it is universal time and nobody named a zone.
    pub(crate) fn in_zone(self, zone: Option<&PhotoZone>) -> Option<PhotoDate> {
        let (at, offset_s) = match self.is_utc {
            false => (self.at, self.offset_s),
            true => {
                let (at, offset_s) = zone?.of_utc(self.at)?;
                (at, Some(offset_s))
            }
        };
        Some(PhotoDate { at, offset_s, source: self.source })
    }

    /// Seconds since 1970, where the zone is known.
    pub(crate) fn instant(&self) -> Option<i64> {
        let offset_s = if self.is_utc { 0 } else { self.offset_s? };
        Some(self.at.and_utc().timestamp() - i64::from(offset_s))
    }
}

/// What a file says of itself that counts here.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhotoFacts {
    /// In the order in which they count.
    pub(crate) dates: Vec<RawDate>,
    pub(crate) make: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) lens: Option<String>,
    /// What the parts of a Live Photo have in common.
    pub(crate) content: Option<String>,
}

/// The tags that are read.
pub(crate) const FIELDS: [&str; 21] = [
    "DateTimeOriginal",
    "OffsetTimeOriginal",
    "SubSecTimeOriginal",
    "ExifIFD:CreateDate",
    "OffsetTimeDigitized",
    "SubSecTimeDigitized",
    "GPS:GPSDateStamp",
    "GPS:GPSTimeStamp",
    "QuickTime:CreateDate",
    "CreationDate",
    "XMP:CreateDate",
    "XMP:DateCreated",
    "IPTC:DateCreated",
    "IPTC:TimeCreated",
    "PNG:CreationTime",
    "PNG:CreateDate",
    "Make",
    "Model",
    "LensModel",
    "ContentIdentifier",
    "XMP:DateTimeDigitized",
];

impl PhotoFacts {
    /// Of what was read of a file.
    pub(crate) fn of(read: &Metadata) -> PhotoFacts {
        let groups =
            |group: &'static str| move |tag: &&Tag| tag.family() == group || tag.group == group;
        let text = |group: &'static str, name: &str| -> Option<String> {
            let mut found = read.tags.iter().filter(groups(group)).filter(|tag| tag.name == name);
            found.next().map(|tag| tag.number().plain().trim().to_owned())
        };
        let mut facts = PhotoFacts::default();
        let mut add = |source, found: Option<(NaiveDateTime, Option<i32>)>, is_utc| {
            if let Some((at, offset_s)) = found {
                // What nobody set: the first moment that a header can tell.
                let first = [-2_082_844_800, 0].contains(&at.and_utc().timestamp());
                if !(is_utc && first) {
                    facts.dates.push(RawDate { at, offset_s, is_utc, source });
                }
            }
        };
        let exif = |date: &str, subsec: &str, offset: &str| {
            let (at, own) = parse_date(&text("EXIF", date)?)?;
            let fraction = text("EXIF", subsec).and_then(|digits| nanoseconds(&digits));
            let at = fraction.and_then(|ns| with_nanoseconds(at, ns)).unwrap_or(at);
            let offset_s = text("EXIF", offset).and_then(|text| offset_of(&text));
            Some((at, offset_s.or(own)))
        };
        let names = ("DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal");
        add(DateSource::Exif, exif(names.0, names.1, names.2), false);
        let names = ("CreateDate", "SubSecTimeDigitized", "OffsetTimeDigitized");
        add(DateSource::ExifDigitized, exif(names.0, names.1, names.2), false);
        let joined = |group, date: &str, time: &str| {
            let time = text(group, time)?;
            parse_date(&format!("{} {time}", text(group, date)?))
        };
        add(DateSource::Gps, joined("GPS", "GPSDateStamp", "GPSTimeStamp"), true);
        let dated = |group, name: &str| parse_date(&text(group, name)?);
        let zoned = dated("Keys", "CreationDate").or_else(|| dated("UserData", "DateTimeOriginal"));
        add(DateSource::MovieZoned, zoned, false);
        add(DateSource::Movie, dated("QuickTime", "CreateDate"), true);
        let xmp = ["DateTimeOriginal", "DateCreated", "CreateDate", "DateTimeDigitized"];
        add(DateSource::Xmp, xmp.iter().find_map(|name| dated("XMP", name)), false);
        let iptc = joined("IPTC", "DateCreated", "TimeCreated");
        add(DateSource::Iptc, iptc.or_else(|| dated("IPTC", "DateCreated")), false);
        let png = dated("PNG", "CreationTime").or_else(|| dated("PNG", "CreateDate"));
        add(DateSource::Png, png, false);
        let any = |name: &str| {
            let found = read.get(name)?.text().plain();
            // Cameras fill the field with blanks and zero bytes.
            let found = found.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
            (!found.is_empty()).then(|| found.to_owned())
        };
        facts.make = any("Make");
        facts.model = any("Model");
        facts.lens = any("LensModel");
        facts.content = any("ContentIdentifier");
        facts
    }
}

/// `2023:01:02 03:04:05.67+01:00`, also with `-` and `T`, without seconds, or the day alone.
pub(crate) fn parse_date(text: &str) -> Option<(NaiveDateTime, Option<i32>)> {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
    let day = NaiveDate::from_ymd_opt(
        text.get(..4).filter(|year| year.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()?,
        two(text.get(5..7)?)?,
        two(text.get(8..10)?)?,
    )?;
    let is_parted = |at: usize| text.as_bytes().get(at).is_some_and(|byte| !byte.is_ascii_digit());
    if !is_parted(4) || !is_parted(7) || day.format("%Y").to_string() == "0000" {
        return None;
    }
    let Some(time) = text.get(11..).filter(|rest| !rest.is_empty()) else {
        return (text.len() == 10).then(|| (day.and_hms_opt(0, 0, 0).unwrap_or_default(), None));
    };
    if !matches!(text.as_bytes()[10], b' ' | b'T') {
        return None;
    }
    let (hour, minute) = (two(time.get(..2)?)?, two(time.get(3..5)?)?);
    let mut rest = time.get(5..)?;
    let mut second = 0;
    let mut ns = 0;
    if let Some(more) = rest.strip_prefix(':') {
        second = two(more.get(..2)?)?;
        rest = more.get(2..)?;
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            ns = nanoseconds(&fraction[..end]).unwrap_or(0);
            rest = &fraction[end..];
        }
    }
    let offset_s = match rest.trim() {
        "" => None,
        zone => Some(offset_of(zone)?),
    };
    // A leap second is the one before it, twice.
    let at = day.and_hms_nano_opt(hour, minute, second.min(59), ns)?;
    Some((at, offset_s))
}

fn two(text: &str) -> Option<u32> {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Of the digits behind a point.
fn nanoseconds(digits: &str) -> Option<u32> {
    let digits = digits.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

fn with_nanoseconds(at: NaiveDateTime, ns: u32) -> Option<NaiveDateTime> {
    use chrono::Timelike;
    at.with_nanosecond(ns)
}

/// A moment of so many seconds since 1970, in universal time.
pub(crate) fn of_unix(seconds: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp(seconds, 0).map(|at| at.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_that_there_are() {
        let told = |text: &str| {
            parse_date(text).map_or("-".into(), |(at, offset)| {
                at.format("%F %T%.f").to_string()
                    + &offset.map_or(String::new(), |s| format!(" {s}"))
            })
        };
        for (text, wanted) in [
            ("2023:01:02 03:04:05", "2023-01-02 03:04:05"),
            ("2023:01:02 03:04:05\0", "2023-01-02 03:04:05"),
            ("2023-01-02T03:04:05.67+01:00", "2023-01-02 03:04:05.670 3600"),
            ("2023:01:02 03:04:05Z", "2023-01-02 03:04:05 0"),
            ("2023:01:02 03:04", "2023-01-02 03:04:00"),
            ("2023:01:02", "2023-01-02 00:00:00"),
            ("2016:12:31 23:59:60", "2016-12-31 23:59:59"),
            ("0000:00:00 00:00:00", "-"),
            ("    :  :     :  :  ", "-"),
            ("2023:13:02 03:04:05", "-"),
            ("2023:01:02 25:04:05", "-"),
            ("2023:01:02 03:04:05 nonsense", "-"),
            ("2023", "-"),
            ("20230102030405", "-"),
            ("é023:01:02 03:04:05", "-"),
            ("2023:01:02éé03:04:05", "-"),
            ("", "-"),
        ] {
            assert_eq!(told(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn universal_time_wants_a_zone() {
        let at = of_unix(1_672_574_400).unwrap();
        let utc = RawDate { at, offset_s: None, is_utc: true, source: DateSource::Gps };
        assert_eq!(utc.in_zone(None), None);
        let zone = "Europe/Berlin".parse().unwrap();
        let there = utc.in_zone(Some(&zone)).unwrap();
        assert_eq!(there.at.to_string(), "2023-01-01 13:00:00");
        assert_eq!((there.offset_s, utc.instant()), (Some(3600), Some(1_672_574_400)));
        // What is the time of the place stays it.
        let here = RawDate { is_utc: false, ..utc };
        assert_eq!(here.in_zone(Some(&zone)).unwrap().at, at);
        assert_eq!(here.instant(), None);
    }
}
