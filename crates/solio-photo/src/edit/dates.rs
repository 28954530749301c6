//! Times on a clock, and what becomes of them.

/// Days before 1970 of the first of March of the year 0, from which days are counted here.
const EPOCH_DAYS: i64 = 719_468;

/// A change of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateEdit {
    /// All dates become this one.
    Set {
        /// On the clock of the place.
        wall: WallTime,
        /// Seconds that it is ahead of universal time; without it zones stay as they are, and films are refused.
        offset_s: Option<i32>,
    },
    /// All dates move by so many seconds.
    Shift {
        /// Ahead, or with a minus back.
        seconds: i64,
    },
}

/// A time on a clock, from year 1 to 9999: seconds since the beginning of 1970 on it.
///
/// ```
/// use solio_photo::WallTime;
/// let time = WallTime::new(2023, 1, 2, 3, 4, 5).unwrap();
/// assert_eq!(time.exif(), "2023:01:02 03:04:05");
/// assert_eq!(time.shifted(-86_400).unwrap().exif(), "2023:01:01 03:04:05");
/// assert_eq!(WallTime::new(2023, 2, 29, 0, 0, 0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WallTime(i64);

impl WallTime {
    /// `None` where there is no such day or time.
    pub fn new(
        year: i64,
        month: i64,
        day: i64,
        hour: i64,
        minute: i64,
        second: i64,
    ) -> Option<Self> {
        let is_time =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !is_time {
            return None;
        }
        // Years begin in March, so that leap days end them.
        let (y, m) = (year - i64::from(month <= 2), (month + 9) % 12);
        let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - EPOCH_DAYS;
        let time = WallTime(days * 86_400 + hour * 3600 + minute * 60 + second);
        // A day that the month does not have comes back as another one.
        let [y, mo, d, ..] = time.fields();
        ([y, mo, d] == [year, month, day]).then_some(time)
    }

    /// Of seconds since 1970.
    pub(crate) fn of_seconds(seconds: i64) -> Option<Self> {
        let most = 253_402_300_800;
        (-62_135_596_800..most).contains(&seconds).then_some(WallTime(seconds))
    }

    /// Seconds since 1970, if the clock shows universal time.
    pub fn seconds(self) -> i64 {
        self.0
    }

    /// Year, month, day, hour, minute, second.
    fn fields(self) -> [i64; 6] {
        let (days, rest) = (self.0.div_euclid(86_400) + EPOCH_DAYS, self.0.rem_euclid(86_400));
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        [year, month, day, rest / 3600, rest / 60 % 60, rest % 60]
    }

    /// `2023:01:02 03:04:05`.
    pub fn exif(self) -> String {
        let [y, mo, d, h, mi, s] = self.fields();
        format!("{y:04}:{mo:02}:{d:02} {h:02}:{mi:02}:{s:02}")
    }

    /// So many seconds later; `None` beyond the years that there are.
    pub fn shifted(self, seconds: i64) -> Option<Self> {
        WallTime::of_seconds(self.0.checked_add(seconds)?)
    }

    /// The time at the start of a text, whatever stands between its numbers; and how many bytes it has, to the
    /// day, the minute or the second.
    pub(crate) fn read(text: &[u8]) -> Option<(Self, usize)> {
        let number = |at: usize, len: usize| -> Option<i64> {
            let digits = text.get(at..at + len)?;
            let is_number = digits.iter().all(u8::is_ascii_digit);
            std::str::from_utf8(digits).ok()?.parse().ok().filter(|_| is_number)
        };
        let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
        let is_parted =
            |at: usize| text.get(at).is_some_and(|byte| matches!(byte, b':' | b'-' | b'/'));
        if !is_parted(4) || !is_parted(7) {
            return None;
        }
        let has_time = matches!(text.get(10), Some(b' ' | b'T')) && text.get(13) == Some(&b':');
        let minutes = number(11, 2).zip(number(14, 2)).filter(|_| has_time);
        let Some((hour, minute)) = minutes else {
            return Some((WallTime::new(year, month, day, 0, 0, 0)?, 10));
        };
        let second = number(17, 2).filter(|_| text.get(16) == Some(&b':'));
        let time = WallTime::new(year, month, day, hour, minute, second.unwrap_or(0))?;
        Some((time, if second.is_some() { 19 } else { 16 }))
    }

    /// Writes itself over a time of so many bytes; what stands between the numbers stays.
    pub(crate) fn write(self, text: &mut [u8]) {
        let own = self.exif();
        for (byte, new) in text.iter_mut().zip(own.bytes()).take(19) {
            if byte.is_ascii_digit() {
                *byte = new;
            }
        }
    }
}

/// Seconds of `+02:00` or `Z` at the start of a text, and how many bytes that has.
pub(crate) fn offset_of(text: &[u8]) -> Option<(i32, usize)> {
    let sign = match text.first()? {
        b'Z' => return Some((0, 1)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let number = |at: usize| -> Option<i32> {
        let digits = text.get(at..at + 2).filter(|it| it.iter().all(u8::is_ascii_digit))?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let has_colon = text.get(3) == Some(&b':');
    let minutes = number(if has_colon { 4 } else { 3 })?;
    Some((sign * (number(1)? * 3600 + minutes * 60), if has_colon { 6 } else { 5 }))
}

/// `+02:00`.
pub(crate) fn offset_text(seconds: i32) -> String {
    let (sign, seconds) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
    format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)
}

/// A date in a text with its zone (`2023-01-02T03:04:05.67+01:00`), changed: as long as before. `None` where it is
/// no date, or cannot be that one with as many letters.
pub(crate) fn changed_text(text: &[u8], edit: DateEdit) -> Option<Vec<u8>> {
    let (old, len) = WallTime::read(text)?;
    let mut new = text.to_vec();
    let mut zone_at = len;
    if text.get(len) == Some(&b'.') {
        zone_at += 1;
        while text.get(zone_at).is_some_and(u8::is_ascii_digit) {
            zone_at += 1;
        }
    }
    let zone = text.get(zone_at..)?;
    let own = offset_of(zone).filter(|(_, bytes)| *bytes == zone.len());
    if !zone.is_empty() && own.is_none() {
        return None;
    }
    let wall = match edit {
        DateEdit::Shift { seconds } => {
            let is_fine = match len {
                10 => seconds % 86_400 == 0,
                16 => seconds % 60 == 0,
                _ => true,
            };
            old.shifted(seconds).filter(|_| is_fine)?
        }
        DateEdit::Set { wall, offset_s } => {
            new.get_mut(len..zone_at)?.iter_mut().skip(1).for_each(|digit| *digit = b'0');
            match (zone.len(), offset_s) {
                (0, _) | (_, None) if zone != b"Z" => wall,
                (1, Some(offset_s)) => wall.shifted(-i64::from(offset_s))?,
                (_, None) => return None,
                (_, Some(offset_s)) => {
                    let mut text = offset_text(offset_s);
                    if zone.len() == 5 {
                        text.remove(3);
                    }
                    new[zone_at..].copy_from_slice(text.as_bytes());
                    wall
                }
            }
        }
    };
    wall.write(&mut new[..len]);
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_as_the_calendar_does() {
        let at = |y, mo, d| WallTime::new(y, mo, d, 12, 30, 15);
        assert_eq!(at(1970, 1, 1).unwrap().seconds(), 45_015);
        assert_eq!(at(2000, 2, 29).unwrap().shifted(86_400).unwrap().exif(), "2000:03:01 12:30:15");
        assert_eq!(at(1, 1, 1).unwrap().shifted(-86_400), None);
        assert_eq!(at(9999, 12, 31).unwrap().shifted(86_400), None);
        for (y, mo, d) in
            [(1900, 2, 29), (2023, 4, 31), (2023, 13, 1), (2023, 0, 1), (0, 1, 1), (2023, 1, 0)]
        {
            assert_eq!(at(y, mo, d), None);
        }
        let mut time = WallTime::new(1895, 12, 28, 0, 0, 0).unwrap();
        for _ in 0..100_000 {
            let [y, mo, d, h, mi, s] = time.fields();
            assert_eq!(WallTime::new(y, mo, d, h, mi, s), Some(time));
            time = time.shifted(86_399).unwrap();
        }
    }

    #[test]
    fn texts_keep_their_form() {
        let set = |offset_s| DateEdit::Set {
            wall: WallTime::new(2001, 2, 3, 4, 5, 6).unwrap(),
            offset_s,
        };
        let told = |text: &str, edit| {
            changed_text(text.as_bytes(), edit).map(|new| String::from_utf8(new).unwrap())
        };
        let hour = DateEdit::Shift { seconds: 3600 };
        for (text, edit, wanted) in [
            ("2023-12-31T23:30:00.25+01:00", hour, Some("2024-01-01T00:30:00.25+01:00")),
            ("2023:12:31 23:30:00", hour, Some("2024:01:01 00:30:00")),
            ("2023-12-31T23:30Z", hour, Some("2024-01-01T00:30Z")),
            ("2023-12-31", hour, None),
            ("2023-12-31", DateEdit::Shift { seconds: -86_400 }, Some("2023-12-30")),
            ("2023-12-31T23:30:00.25+01:00", set(None), Some("2001-02-03T04:05:06.00+01:00")),
            ("2023-12-31T23:30:00+0100", set(Some(-19_800)), Some("2001-02-03T04:05:06-0530")),
            ("2023-12-31T23:30:00Z", set(Some(3600)), Some("2001-02-03T03:05:06Z")),
            ("2023-12-31T23:30:00Z", set(None), None),
            ("2023-12-31T23:30:00 nonsense", hour, None),
            ("2023", hour, None),
            ("0000:00:00 00:00:00", hour, None),
            ("", hour, None),
        ] {
            assert_eq!(told(text, edit).as_deref(), wanted, "{text}");
        }
    }
}
