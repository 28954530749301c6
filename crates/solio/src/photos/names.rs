//! Dates that names of files tell: cameras, phones, screenshots, messengers.

use crate::photos::times::NameDate;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use regex::Regex;
use std::sync::OnceLock;

/// The date in a name without its extension, if there is one that cannot be read otherwise.
///
/// Milliseconds since 1970, and the names of Google's camera (`PXL_`), are universal time.
pub(crate) fn date_of_name(stem: &str) -> Option<NameDate> {
    with_time(stem).or_else(|| unix_milliseconds(stem)).or_else(|| date_alone(stem))
}

/// `IMG_20230101_120000`, `PXL_20230101_120000123`, `2023-01-01 12.00.00`, `signal-2023-01-01-120000`,
/// `Screen Shot 2023-01-01 at 12.00.00 PM`.
fn with_time(stem: &str) -> Option<NameDate> {
    static FORM: OnceLock<Regex> = OnceLock::new();
    let form = FORM.get_or_init(|| {
        let form = r"(?i)(?:^|[^0-9])([0-9]{4})[-_. :]?([0-9]{2})[-_. :]?([0-9]{2})(?:[-_. T]|[-_ ]*(?:at|um|à)[-_ ]*)?([0-9]{1,2})[-_. :h]?([0-9]{2})[-_. :m]?([0-9]{2})(?:[-_.]?([0-9]{3})(?:[^0-9]|$))?([^0-9].*)?$";
        Regex::new(form).expect("a fixed pattern")
    });
    let found = form.captures(stem)?;
    let number = |n: usize| found.get(n).and_then(|part| part.as_str().parse::<u32>().ok());
    let date = date(number(1)?, number(2)?, number(3)?)?;
    let rest =
        found.get(8).map_or("", |rest| rest.as_str()).trim_start_matches([' ', '\u{202f}', '_']);
    let mut hour = number(4)?;
    // Twelve hours, as macOS and WhatsApp write them in some countries.
    let half = rest.get(..2).map(str::to_ascii_lowercase);
    match half.as_deref() {
        Some("am") if (1..=12).contains(&hour) => hour %= 12,
        Some("pm") if (1..=12).contains(&hour) => hour = hour % 12 + 12,
        _ => {}
    }
    let milliseconds = number(7).unwrap_or(0);
    let time = NaiveTime::from_hms_milli_opt(hour, number(5)?, number(6)?, milliseconds)?;
    let is_utc = stem.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("PXL_"));
    Some(NameDate { at: date.and_time(time), is_utc })
}

/// `1672574400123`, `FB_IMG_1672574400123`, `mmexport1672574400123`.
fn unix_milliseconds(stem: &str) -> Option<NameDate> {
    let digits = stem.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let number = digits.get(..13)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let goes_on = digits[13..].starts_with(|letter: char| letter.is_ascii_digit());
    // From 2001 on: before, these numbers had twelve digits.
    if !is_number || goes_on || !number.starts_with('1') {
        return None;
    }
    let at = DateTime::from_timestamp_millis(number.parse().ok()?)?.naive_utc();
    Some(NameDate { at, is_utc: true })
}

/// `IMG-20230101-WA0001`, `VID-20230101-WA0002`, `2023-01-01`: its time is midnight.
fn date_alone(stem: &str) -> Option<NameDate> {
    static FORM: OnceLock<Regex> = OnceLock::new();
    let form = FORM.get_or_init(|| {
        let form = r"(?:^|[^0-9])([0-9]{4})(?:-([0-9]{2})-([0-9]{2})|_([0-9]{2})_([0-9]{2})|([0-9]{2})([0-9]{2}))(?:[^0-9]|$)";
        Regex::new(form).expect("a fixed pattern")
    });
    let found = form.captures(stem)?;
    let parts: Vec<u32> = found
        .iter()
        .skip(1)
        .flatten()
        .map(|part| part.as_str().parse().ok())
        .collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else { return None };
    Some(NameDate { at: midnight(date(year, month, day)?), is_utc: false })
}

fn midnight(date: NaiveDate) -> NaiveDateTime {
    date.and_time(NaiveTime::MIN)
}

/// A day on which somebody may have taken a photo.
fn date(year: u32, month: u32, day: u32) -> Option<NaiveDate> {
    let year = i32::try_from(year).ok().filter(|year| (1900..2100).contains(year))?;
    NaiveDate::from_ymd_opt(year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stem: &str) -> String {
        match date_of_name(stem) {
            None => "-".into(),
            Some(found) => {
                let zone = if found.is_utc { "Z" } else { "" };
                found.at.format("%Y%m%d %H%M%S%.f").to_string() + zone
            }
        }
    }

    #[test]
    fn names_of_cameras_phones_and_messengers_tell_dates() {
        for (stem, wanted) in [
            ("IMG_20230101_120000", "20230101 120000"),
            ("IMG_20230101_120000_1", "20230101 120000"),
            ("IMG_20230101_120000123", "20230101 120000.123"),
            ("IMG20230101120000", "20230101 120000"),
            ("VID_20230101_120000", "20230101 120000"),
            ("MVIMG_20230101_120000", "20230101 120000"),
            ("20230101_120000", "20230101 120000"),
            ("20230101_120000(0)", "20230101 120000"),
            ("PXL_20230101_120000123", "20230101 120000.123Z"),
            ("PXL_20230101_120000123.MP", "20230101 120000.123Z"),
            ("Screenshot_20230101-120000", "20230101 120000"),
            ("Screenshot_20230101-120000_Chrome", "20230101 120000"),
            ("Screenshot_2023-01-01-12-00-00-123_com.app", "20230101 120000.123"),
            ("Screen Shot 2023-01-01 at 12.00.00", "20230101 120000"),
            ("Screen Shot 2023-01-01 at 1.02.03 PM", "20230101 130203"),
            ("Screenshot 2023-01-01 at 12.02.03\u{202f}AM", "20230101 000203"),
            ("WhatsApp Image 2023-01-01 at 12.00.00", "20230101 120000"),
            ("WhatsApp Video 2023-01-01 at 10.11.12 PM (1)", "20230101 221112"),
            ("IMG-20230101-WA0001", "20230101 000000"),
            ("VID-20230101-WA0123", "20230101 000000"),
            ("signal-2023-01-01-120000", "20230101 120000"),
            ("signal-2023-01-01-12-00-00-123", "20230101 120000.123"),
            ("photo_2023-01-01_12-00-00", "20230101 120000"),
            ("photo_5@01-01-2023", "-"),
            ("1672574400123", "20230101 120000.123Z"),
            ("FB_IMG_1672574400123", "20230101 120000.123Z"),
            ("mmexport1672574400123", "20230101 120000.123Z"),
            ("2023-01-01 12.00.00-2", "20230101 120000"),
            ("Foto 2023-01-01", "20230101 000000"),
        ] {
            assert_eq!(told(stem), wanted, "{stem}");
        }
    }

    #[test]
    fn numbers_that_are_no_dates_tell_none() {
        for stem in [
            "",
            "IMG_1234",
            "DSC00001",
            "20231301_120000",
            "20230230",
            "IMG_20230101_250000x",
            "12345678",
            "P1010001",
            "received_123456789012345",
            "99999999_999999",
            "é",
            "001672574400123",
            "2023",
            "IMG_E1234",
            "00000000000000",
        ] {
            let found = told(stem);
            let is_day_of_it = stem.starts_with("IMG_20230101_25") && found == "20230101 000000";
            assert!(found == "-" || is_day_of_it, "{stem}: {found}");
        }
    }
}
