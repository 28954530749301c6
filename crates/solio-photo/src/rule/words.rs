//! Words for quantities: exposure times, fractions, angles.

use crate::number::{leading, plain, significant};
use crate::stored::decode;
use crate::value::Value;
use solio_container::tiff::FieldType;

/// `1/60`, `0.5`, `2`.
pub(crate) fn exposure_time(seconds: f64) -> String {
    if !seconds.is_finite() {
        return plain(seconds);
    }
    if seconds > 0.0 && seconds < 0.25001 {
        let parts = (0.5 + 1.0 / seconds).trunc();
        // No camera is so quick; damaged numbers are.
        return if parts < 1e18 { format!("1/{parts}") } else { format!("1/{}", plain(parts)) };
    }
    without_zero(format!("{seconds:.1}"))
}

/// The places of the two counts among the times of a composite picture's exposures.
const COUNTS: std::ops::RangeInclusive<usize> = 7..=8;

/// The exposures that a composite picture is made of (Exif 2.32, tag 0xa462): rationals, after
/// seven of them two counts of 16 bits, and more rationals.
pub(super) fn exposure_times(value: &Value, big: bool) -> String {
    let Value::Bytes(bytes) = value else { return value.plain() };
    let (mut rest, mut times) = (&bytes[..], Vec::new());
    loop {
        let (size, stored) = match COUNTS.contains(&times.len()) {
            true => (2, FieldType::Int16u),
            false => (8, FieldType::Rational64u),
        };
        let Some((number, behind)) = rest.split_at_checked(size) else { break };
        times.push(decode(number, stored, big).plain());
        rest = behind;
    }
    times.join(" ")
}

/// The same with times as fractions.
pub(super) fn exposure_words(times: &str) -> String {
    let word = |(n, text): (usize, &str)| match text.parse() {
        Ok(seconds) if !COUNTS.contains(&n) => exposure_time(seconds),
        _ => text.to_owned(),
    };
    times.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// `2.0` becomes `2`.
pub(crate) fn without_zero(text: String) -> String {
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Steps of exposure: `+1/3`, `-0.7`, `0`.
pub(crate) fn fraction(value: f64) -> String {
    // A little more, so that 0.333 counts as a third.
    let value = value * 1.00001;
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    for parts in 1..=3 {
        let scaled = value * f64::from(parts);
        if scaled.trunc() / scaled > 0.999 {
            let sign = if scaled > 0.0 { "+" } else { "" };
            let whole = scaled.trunc() as i64;
            return if parts == 1 {
                format!("{sign}{whole}")
            } else {
                format!("{sign}{whole}/{parts}")
            };
        }
    }
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", significant(value, 3))
}

/// `40 deg 24' 0.25"`, with a letter behind it where one is given.
pub(crate) fn degrees(value: f64, letter: &str) -> String {
    if !value.is_finite() {
        return plain(value);
    }
    let value = value.abs();
    let mut degrees = value.trunc();
    let mut minutes = ((value - degrees) * 60.0).trunc();
    let mut seconds = (value - degrees - minutes / 60.0) * 3600.0;
    if format!("{seconds:.2}") == "60.00" {
        (seconds, minutes) = (0.0, minutes + 1.0);
    }
    if minutes >= 60.0 {
        (minutes, degrees) = (minutes - 60.0, degrees + 1.0);
    }
    let space = if letter.is_empty() { "" } else { " " };
    format!("{degrees} deg {minutes}' {:.2}\"{space}{letter}", seconds.abs())
}

/// Hours, minutes and seconds as `14:50:40.9`.
pub(crate) fn time_of_day(parts: &[f64]) -> String {
    let part = |i: usize| parts.get(i).copied().filter(|v| v.is_finite()).unwrap_or(0.0);
    let seconds = (part(0) * 60.0 + part(1)) * 60.0 + part(2);
    let hours = (seconds / 3600.0).floor();
    let minutes = ((seconds - hours * 3600.0) / 60.0).floor();
    let mut rest = format!("{:012.9}", seconds - hours * 3600.0 - minutes * 60.0);
    let (mut hours, mut minutes) = (hours as i64, minutes as i64);
    if leading(&rest) >= 60.0 {
        (rest, minutes) = ("00".into(), minutes + 1);
        if minutes >= 60 {
            (minutes, hours) = (minutes - 60, hours + 1);
        }
    }
    let rest = if rest.contains('.') {
        rest.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        rest
    };
    format!("{hours:02}:{minutes:02}:{rest}")
}

/// Hours, minutes and seconds with six decimals at most.
pub(crate) fn to_microseconds(time: &str) -> String {
    let Some((start, seconds)) = time.rsplit_once(':') else { return time.to_owned() };
    match seconds.split_once('.') {
        Some((_, decimals)) if decimals.len() > 6 => {
            let seconds = format!("{:09.6}", leading(seconds));
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            format!("{start}:{seconds}")
        }
        _ => time.to_owned(),
    }
}

/// `18-55mm f/3.5-5.6` from shortest and longest length, and the widest aperture at each.
pub(crate) fn lens(parts: &[String]) -> String {
    let known = |text: &String| match text.as_str() {
        "inf" | "undef" => "?".to_owned(),
        other => other.to_owned(),
    };
    let [short, long, wide, narrow] = parts else { return parts.join(" ") };
    let mut text = known(short);
    let (long, narrow) = (known(long), known(narrow));
    if long != text && long != "0" {
        text = format!("{text}-{long}");
    }
    let wide = known(wide);
    text = format!("{text}mm f/{wide}");
    if narrow != wide && narrow != "0" {
        text = format!("{text}-{narrow}");
    }
    text
}

/// The escapes of ISO 2022 that name the letters of a text: `ESC . A`.
pub(super) fn charset(escapes: &str) -> String {
    if escapes == "\u{1b}%G" {
        return "UTF8".to_owned();
    }
    let letter = |letter| match letter {
        '\u{1b}' => ", ESC".to_owned(),
        other => format!(" {other}"),
    };
    let text: String = escapes.chars().map(letter).collect();
    text.trim_start_matches(',').trim_start_matches(' ').to_owned()
}

/// What Photo Mechanic notes: `0:1:0:-00001`.
pub(super) fn prefs(text: &str) -> String {
    let parts: Vec<&str> = text.splitn(4, ':').map(str::trim).collect();
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match parts[..] {
        [tagged, class, rating, frame] if [tagged, class, rating].iter().all(is_number) => {
            format!("Tagged:{tagged}, ColorClass:{class}, Rating:{rating}, FrameNum:{frame}")
        }
        _ => text.to_owned(),
    }
}

/// Numbers in base 16 without the zeros in front of them.
pub(super) fn short_hex(value: &Value) -> String {
    let text = value.plain();
    let mut words = text.split(' ');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let short = word.trim_start_matches('0');
        let zeros = short.len() < word.len() && short.is_empty();
        out.push(' ');
        out.push_str(if zeros { "0" } else { short });
    }
    out.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        assert_eq!(exposure_time(1.0 / 60.0), "1/60");
        assert_eq!(to_microseconds("01:02:03.333333333"), "01:02:03.333333");
        assert_eq!(to_microseconds("01:02:03.5"), "01:02:03.5");
        assert_eq!(exposure_time(1e-20), "1/1e+20");
        assert_eq!(exposure_time(0.8), "0.8");
        assert_eq!(exposure_time(2.0), "2");
        assert_eq!(exposure_time(0.0), "0");
        assert_eq!(fraction(1.0 / 3.0), "+1/3");
        assert_eq!(fraction(-0.7), "-0.7");
        assert_eq!(fraction(0.0), "0");
        assert_eq!(fraction(-2.0), "-2");
        assert_eq!(degrees(40.4000694444444, "N"), "40 deg 24' 0.25\" N");
        assert_eq!(time_of_day(&[14.0, 50.0, 40.9]), "14:50:40.9");
        assert_eq!(time_of_day(&[1.0, 2.0, 3.05]), "01:02:03.05");
        let parts = ["18", "55", "3.5", "5.6"].map(String::from);
        assert_eq!(lens(&parts), "18-55mm f/3.5-5.6");
    }
}
