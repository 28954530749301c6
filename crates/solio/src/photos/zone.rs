//! Zones: from universal time to the time on the clock of a place.

use chrono::{DateTime, FixedOffset, Local, NaiveDateTime, TimeDelta};

/// The zone in which photos were taken that tell universal time alone. The rules of named zones are part of the
/// program (the crate `tzdb_data`), so the same name gives the same times on every machine.
///
/// ```
/// use solio::PhotoZone;
/// assert!("Europe/Berlin".parse::<PhotoZone>().is_ok());
/// assert!("+05:30".parse::<PhotoZone>().is_ok());
/// let error = "Europe/Berln".parse::<PhotoZone>().unwrap_err();
/// assert!(error.contains("Europe/Berlin"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PhotoZone {
    name: String,
    rules: ZoneRules,
}

#[derive(Clone, Debug, PartialEq)]
enum ZoneRules {
    Named(&'static tz::TimeZoneRef<'static>),
    /// Seconds east of Greenwich.
    Fixed(i32),
    /// That of this machine.
    Local,
}

impl PhotoZone {
    /// As it was named.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The time on the clocks there, and how many seconds it is ahead of universal time.
    pub(crate) fn of_utc(&self, utc: NaiveDateTime) -> Option<(NaiveDateTime, i32)> {
        let offset_s = match &self.rules {
            ZoneRules::Fixed(seconds) => *seconds,
            ZoneRules::Named(zone) => {
                zone.find_local_time_type(utc.and_utc().timestamp()).ok()?.ut_offset()
            }
            ZoneRules::Local => {
                let here: DateTime<Local> = utc.and_utc().into();
                here.offset().local_minus_utc()
            }
        };
        let local = utc.checked_add_signed(TimeDelta::seconds(offset_s.into()))?;
        Some((local, offset_s))
    }
}

impl std::str::FromStr for PhotoZone {
    type Err = String;

    fn from_str(text: &str) -> Result<PhotoZone, String> {
        let name = text.trim().to_owned();
        let rules = match name.as_str() {
            "local" => ZoneRules::Local,
            "utc" | "UTC" | "Z" => ZoneRules::Fixed(0),
            _ => match (offset_of(&name), tzdb_data::find_tz(name.as_bytes())) {
                (Some(seconds), _) => ZoneRules::Fixed(seconds),
                (None, Some(zone)) => ZoneRules::Named(zone),
                (None, None) => return Err(unknown(&name)),
            },
        };
        Ok(PhotoZone { name, rules })
    }
}

/// Seconds of `+02:00`, `-0930`, `+2`.
pub(crate) fn offset_of(text: &str) -> Option<i32> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 => (rest.get(..2)?, rest.get(2..)?),
        None => (rest, "0"),
    };
    let number = |text: &str| -> Option<i32> {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| is_short)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let seconds = sign * (hours * 3600 + minutes * 60);
    // Zones lie between -12 and +14 hours.
    let is_zone = minutes < 60 && seconds.abs() <= 15 * 3600;
    FixedOffset::east_opt(seconds).filter(|_| is_zone).map(|_| seconds)
}

/// What is wrong with a name, and what may have been meant.
fn unknown(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let near = |zone: &&&str| {
        let own = zone.rsplit('/').next().unwrap_or_default().to_lowercase();
        distance(&own, &last) <= 1 + last.len() / 8
    };
    let near = tzdb_data::TZ_NAMES.iter().filter(near).take(3);
    let near: Vec<&str> = near.copied().collect();
    match near[..] {
        [] => {
            format!("{name} is not a zone; use a name such as Europe/Berlin, +02:00, UTC or local")
        }
        _ => format!("{name} is not a zone; did you mean {}?", near.join(" or ")),
    }
}

/// Letters that are to be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, own) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let kept = before + usize::from(own != *other);
            before = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    fn at(y: i32, mo: u32, d: u32, h: u32) -> NaiveDateTime {
        NaiveDate::from_ymd_opt(y, mo, d).unwrap().and_hms_opt(h, 30, 0).unwrap()
    }

    #[test]
    fn summer_and_winter_are_told_apart() {
        let zone = |name: &str| name.parse::<PhotoZone>().unwrap();
        let berlin = zone("Europe/Berlin");
        assert_eq!(berlin.of_utc(at(2023, 1, 1, 23)), Some((at(2023, 1, 2, 0), 3600)));
        assert_eq!(berlin.of_utc(at(2023, 7, 1, 12)), Some((at(2023, 7, 1, 14), 7200)));
        // The hour that there is twice, and years behind the table.
        assert_eq!(berlin.of_utc(at(2023, 10, 29, 0)).unwrap().1, 7200);
        assert_eq!(berlin.of_utc(at(2023, 10, 29, 1)).unwrap().1, 3600);
        assert_eq!(berlin.of_utc(at(2060, 7, 1, 12)).unwrap().1, 7200);
        assert_eq!(zone("-09:30").of_utc(at(2023, 1, 1, 9)).unwrap().1, -34_200);
        assert_eq!(zone("asia/kolkata").of_utc(at(2023, 1, 1, 9)).unwrap().1, 19_800);
        assert!(zone("local").of_utc(at(2023, 1, 1, 9)).is_some());
    }

    #[test]
    fn what_is_not_a_zone_is_refused() {
        for bad in ["", "+", "+25:00", "+1:99", "Berlin/Europe", "+00:0a", "2", "+1234567", "-é"] {
            assert!(bad.parse::<PhotoZone>().is_err(), "{bad}");
        }
        assert_eq!(offset_of("+0200"), Some(7200));
        assert_eq!(offset_of("+2"), Some(7200));
        assert_eq!(offset_of("z"), Some(0));
    }
}
