//! Rules for angles and places that are written as text.

use super::words::degrees;
use crate::number::plain;

/// `40,26.767N` or `40 deg 26' 46" N` as degrees; south and west are negative. Empty where there
/// is no number.
pub(super) fn xmp_angle(text: &str) -> String {
    let parts = unsigned_numbers(text);
    let Some(whole) = parts.first() else { return String::new() };
    let part = |i: usize| parts.get(i).copied().unwrap_or(0.0);
    let angle = whole + (part(1) + part(2) / 60.0) / 60.0;
    plain(if is_negative(text) { -angle } else { angle })
}

/// The numbers in `text`, whatever stands between them.
fn unsigned_numbers(text: &str) -> Vec<f64> {
    let bytes = text.as_bytes();
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < bytes.len() && numbers.len() < 3 {
        let digits = at + usize::from(matches!(bytes[at], b'+' | b'-'));
        let digits = digits + usize::from(bytes.get(digits) == Some(&b'.'));
        let number = bytes.get(digits).filter(|byte| byte.is_ascii_digit());
        match number.and_then(|_| crate::number::first(&text[at..])) {
            Some(number) => {
                numbers.push(number);
                at = digits;
                while bytes.get(at).is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
                    at += 1;
                }
            }
            // Only the first byte of a letter of several starts one.
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    numbers
}

/// Whether the side that `text` ends with is south or west.
fn is_negative(text: &str) -> bool {
    let text = text.trim_end();
    let word = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let side = text[word.len()..].to_ascii_uppercase();
    !word.is_empty() && matches!(side.as_str(), "S" | "SOUTH" | "W" | "WEST")
}

/// ISO 6709, annex H: `+27.5916-082.4560+010.000/` as latitude, longitude and, where it is there,
/// altitude; degrees may have minutes and seconds behind them. Other text stays.
pub(super) fn iso_6709(text: &str) -> String {
    coordinates(text).unwrap_or_else(|| text.to_owned())
}

fn coordinates(text: &str) -> Option<String> {
    let (north, rest) = signed(text)?;
    let (east, rest) = signed(rest)?;
    // A degree of longitude has one digit more; of degrees alone some may be missing.
    let parts = match (whole_digits(north), whole_digits(east)) {
        (1 | 2, 1..=3) => 1,
        (4, 5) => 2,
        (6, 7) => 3,
        _ => return None,
    };
    let mut text = format!("{} {}", angle(north, parts)?, angle(east, parts)?);
    if let Some((metres, _)) = signed(rest) {
        text += &format!(" {}", plain(metres.parse().ok()?));
    }
    Some(text)
}

/// The number with a sign that `text` starts with, and what follows it.
fn signed(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(['+', '-'])?;
    let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = count(&text[1..]);
    let behind = text[1 + whole..].strip_prefix('.').map_or(0, |behind| 1 + count(behind));
    (whole > 0).then(|| text.split_at(1 + whole + behind))
}

/// How many digits a number with a sign has before its point.
fn whole_digits(number: &str) -> usize {
    number[1..].bytes().take_while(u8::is_ascii_digit).count()
}

/// `-DDMMSS.S`, of which there are so many parts, as degrees.
fn angle(number: &str, parts: usize) -> Option<String> {
    // All parts but the first have two digits before the point.
    let first = 1 + whole_digits(number) - 2 * (parts - 1);
    let part = |n: usize| -> Option<f64> {
        let start = if n == 0 { 1 } else { first + 2 * (n - 1) };
        let end = if n + 1 == parts { number.len() } else { first + 2 * n };
        if n < parts { number[start..end].parse().ok() } else { Some(0.0) }
    };
    let size = part(0)? + part(1)? / 60.0 + part(2)? / 3600.0;
    Some(plain(if number.starts_with('-') { -size } else { size }))
}

/// `27.5916 -82.456 10` in words.
pub(super) fn coordinate_words(text: &str) -> String {
    let numbers: Option<Vec<f64>> = text.split(' ').map(|part| part.parse().ok()).collect();
    let Some([north, east, rest @ ..]) = numbers.as_deref() else { return text.to_owned() };
    let side = |angle: f64, positive, negative| {
        degrees(angle, if angle < 0.0 { negative } else { positive })
    };
    let mut words = format!("{}, {}", side(*north, "N", "S"), side(*east, "E", "W"));
    if let [metres] = rest {
        let side = if *metres < 0.0 { "Below" } else { "Above" };
        words += &format!(", {} m {side} Sea Level", plain(metres.abs()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_packets() {
        for (text, angle) in [
            ("33,30.5S", "-33.5083333333333"),
            ("33,30,36S", "-33.51"),
            ("33, 30.6 s", "-33.51"),
            ("33 deg 30' 36\" S", "-33.51"),
            ("33.5", "33.5"),
            ("-33.5", "-33.5"),
            ("0,0.0N", "0"),
            ("S", ""),
            ("", ""),
            ("abc", ""),
        ] {
            assert_eq!(xmp_angle(text), angle, "{text}");
        }
    }

    #[test]
    fn coordinates_of_films() {
        for (text, numbers, words) in [
            (
                "+27.5916-082.4560+010.000/",
                "27.5916 -82.456 10",
                "27 deg 35' 29.76\" N, 82 deg 27' 21.60\" W, 10 m Above Sea Level",
            ),
            ("-33.5-070.25/", "-33.5 -70.25", "33 deg 30' 0.00\" S, 70 deg 15' 0.00\" W"),
            (
                "+0030.00+00015.00-5/",
                "0.5 0.25 -5",
                "0 deg 30' 0.00\" N, 0 deg 15' 0.00\" E, 5 m Below Sea Level",
            ),
            ("-003000+0001500/", "-0.5 0.25", "0 deg 30' 0.00\" S, 0 deg 15' 0.00\" E"),
            ("+27.5-082.4CRSWGS_84/", "27.5 -82.4", "27 deg 30' 0.00\" N, 82 deg 24' 0.00\" W"),
            ("+12", "+12", "+12"),
            ("+123+045/", "+123+045/", "+123+045/"),
            ("nowhere", "nowhere", "nowhere"),
        ] {
            assert_eq!(iso_6709(text), numbers, "{text}");
            assert_eq!(coordinate_words(numbers), words, "{text}");
        }
    }
}
