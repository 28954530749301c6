//! Dates: the clock on the wall, and `-d`.

use chrono::{Local, NaiveDate, TimeDelta, TimeZone};

/// `2020:02:03 04:05:06+00:00` as the clock on the wall shows it.
pub(super) fn local(text: &str) -> Option<String> {
    let plain = text.strip_suffix("+00:00").filter(|plain| plain.len() == 19)?;
    let number = |at: usize, n: usize| plain.get(at..at + n)?.parse::<u32>().ok();
    let day = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(5, 2)?, number(8, 2)?)?;
    let time = day.and_hms_opt(number(11, 2)?, number(14, 2)?, number(17, 2)?)?;
    let seconds = Local.offset_from_utc_datetime(&time).local_minus_utc();
    if seconds == 0 {
        return Some(text.to_owned());
    }
    let there = time.checked_add_signed(TimeDelta::seconds(seconds.into()))?;
    let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
    let date = there.format("%Y:%m:%d %H:%M:%S");
    Some(format!("{date}{sign}{:02}:{:02}", minutes / 60, minutes % 60))
}

/// Whether `-d` has only parts that Solio writes as the C library does.
pub(super) fn is_known(format: &str) -> bool {
    let mut parts = format.split('%');
    parts.next();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        match part.as_bytes().first() {
            Some(b) if b"YmdHMSyjpIbBaAFTDRe".contains(b) => {}
            // `%%`
            None if parts.next().is_some() => {}
            _ => return false,
        }
    }
    format.is_ascii()
}

/// A date and time as `-d` has it; `None` where the value is none that has a day and a time.
pub(super) fn formatted(value: &str, format: &str) -> Option<String> {
    let (date, behind) = value.split_at_checked(19)?;
    let shape = |(n, b): (usize, u8)| match n {
        4 | 7 | 13 | 16 => b == b':',
        10 => b == b' ',
        _ => b.is_ascii_digit(),
    };
    if !date.bytes().enumerate().all(shape) || !is_zone(behind) {
        return None;
    }
    let number = |at: usize, n: usize| date[at..at + n].parse::<u32>().ok();
    let day = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(5, 2)?, number(8, 2)?)?;
    let time = day.and_hms_opt(number(11, 2)?, number(14, 2)?, number(17, 2)?)?;
    (number(0, 4)? >= 1900).then(|| time.format(format).to_string())
}

/// Nothing, a fraction, a zone.
fn is_zone(text: &str) -> bool {
    let text = match text.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => text,
    };
    text.is_empty()
        || text == "Z"
        || text.len() == 6
            && text.starts_with(['+', '-'])
            && text[1..]
                .bytes()
                .enumerate()
                .all(|(n, b)| if n == 2 { b == b':' } else { b.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_a_format() {
        let date = "2020:02:03 04:05:06.78+02:00";
        assert_eq!(formatted(date, "%Y-%m-%d %H:%M:%S").as_deref(), Some("2020-02-03 04:05:06"));
        assert_eq!(formatted(date, "%a %e %b%%").as_deref(), Some("Mon  3 Feb%"));
        for no in ["2020:02:03", "0000:00:00 00:00:00", "2020:02:03 04:05:06 x", ""] {
            assert_eq!(formatted(no, "%Y"), None, "{no}");
        }
        assert!(is_known("%Y-%m %%") && !is_known("%z") && !is_known("%") && !is_known("%f"));
    }

    #[test]
    fn local_time_is_the_same_moment() {
        let local = local("2020:02:03 04:05:06+00:00").unwrap();
        let time = chrono::DateTime::parse_from_str(&local, "%Y:%m:%d %H:%M:%S%:z").unwrap();
        assert_eq!(time.timestamp(), 1_580_702_706);
    }
}
