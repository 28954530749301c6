//! Text in the encodings that metadata uses.

use crate::value::{Value, lossy};
use std::cmp::Ordering;

/// UTF-16 up to its end or a zero; `big`: the byte order.
pub(crate) fn utf16(bytes: &[u8], big: bool) -> String {
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    });
    let units = units.take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// ISO 8859-1.
pub(crate) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// Windows' Latin alphabet.
pub(crate) fn cp1252(bytes: &[u8]) -> String {
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// A comment with the name of its encoding in the first eight bytes; `big`: the byte order of the
/// file, which not all programs keep to here.
pub(crate) fn comment(value: &Value, big: bool) -> String {
    let Value::Bytes(bytes) = value else { return value.plain() };
    let Some((code, text)) = bytes.split_at_checked(8) else {
        return before_zero(&lossy(bytes)).trim_end().to_owned();
    };
    let name: Vec<u8> = code.iter().copied().take_while(|b| *b != 0 && *b != b' ').collect();
    match name.to_ascii_uppercase().as_slice() {
        b"ASCII" => {
            // Some programs put UTF-16 here all the same; a zero ends the rest.
            before_zero(&lossy(text)).trim_end_matches(' ').to_owned()
        }
        b"UNICODE" => {
            let big = match text {
                [0xfe, 0xff, ..] => true,
                [0xff, 0xfe, ..] => false,
                _ => guess_big(text, big),
            };
            let skip = if matches!(text, [0xfe, 0xff, ..] | [0xff, 0xfe, ..]) { 2 } else { 0 };
            utf16(&text[skip..], big).trim_end_matches(' ').to_owned()
        }
        b"JIS" => {
            // Two bytes of JIS X 0208 for each letter.
            let letters: Vec<u8> = text.iter().map(|byte| byte | 0x80).collect();
            let whole = &letters[..letters.len() & !1];
            before_zero(&encoding_rs::EUC_JP.decode(whole).0).to_owned()
        }
        b"" => before_zero(&lossy(text)).trim_end_matches(' ').to_owned(),
        _ => before_zero(&lossy(bytes)).trim_end_matches(' ').to_owned(),
    }
}

/// Which byte of each pair varies more, or is zero less often: the low one. `big` where both are
/// alike.
fn guess_big(bytes: &[u8], big: bool) -> bool {
    let whole = bytes.chunks_exact(2);
    let (mut distinct, mut zeros) = ([[false; 256]; 2], [0u32; 2]);
    for pair in whole {
        for (n, byte) in pair.iter().enumerate() {
            distinct[n][usize::from(*byte)] = true;
            zeros[n] += u32::from(*byte == 0);
        }
    }
    let distinct = distinct.map(|seen| seen.iter().filter(|seen| **seen).count());
    match (distinct[1].cmp(&distinct[0]), zeros[0].cmp(&zeros[1])) {
        (Ordering::Equal, Ordering::Equal) => big,
        (Ordering::Equal, by_zeros) => by_zeros.is_gt(),
        (by_variety, _) => by_variety.is_gt(),
    }
}

/// What stands before the first zero.
pub(crate) fn before_zero(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

/// A date as in mail, `Sat, 01 Feb 2020 12:00:00 GMT`, as `2020:02:01 12:00:00+00:00` (RFC 1123).
pub(crate) fn mail_date(text: &str) -> Option<String> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const ZONES: [(&str, &str); 11] = [
        ("UT", "+00:00"),
        ("UTC", "+00:00"),
        ("GMT", "+00:00"),
        ("EST", "-05:00"),
        ("EDT", "-04:00"),
        ("CST", "-06:00"),
        ("CDT", "-05:00"),
        ("MST", "-07:00"),
        ("MDT", "-06:00"),
        ("PST", "-08:00"),
        ("PDT", "-07:00"),
    ];
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_whitespace();
    let day: u8 = words.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = words.next().filter(|month| month.len() == 3)?;
    let month = MONTHS.find(month).filter(|at| at % 3 == 0)? / 3 + 1;
    let year: u32 = words.next()?.parse().ok()?;
    let year = match year {
        0..50 => 2000 + year,
        50..100 => 1900 + year,
        _ => year,
    };
    let time = words.next()?;
    let mut parts = time.split(':');
    let mut part = |most: u8| parts.next()?.parse().ok().filter(|part: &u8| *part <= most);
    let (hours, minutes, seconds) = (part(23)?, part(59)?, part(60).unwrap_or(0));
    let zone = words.next()?;
    let zone = match zone.as_bytes() {
        [b'+' | b'-', a, b, c, d] if [a, b, c, d].iter().all(|d| d.is_ascii_digit()) => {
            format!("{}:{}", &zone[..3], &zone[3..])
        }
        _ => ZONES.iter().find(|(name, _)| *name == zone)?.1.to_owned(),
    };
    Some(format!("{year:04}:{month:02}:{day:02} {hours:02}:{minutes:02}:{seconds:02}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_their_encoding() {
        let show = |bytes: &[u8]| comment(&Value::Bytes(bytes.to_vec()), false);
        assert_eq!(show(b"ASCII\0\0\0hello  "), "hello");
        assert_eq!(show(b"UNICODE\0a\0b\0"), "ab");
        assert_eq!(show(b"UNICODE\0\0a\0b"), "ab");
        assert_eq!(show(b"\0\0\0\0\0\0\0\0x"), "x");
        assert_eq!(show(b"abc"), "abc");
        assert_eq!(show(b"JIS\0\0\0\0\0\x24\x22\x24\x24"), "あい");
        for big in [false, true] {
            let letters = "日本語のコメント".encode_utf16();
            let both = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let mut stored = b"UNICODE\0".to_vec();
            stored.extend(letters.flat_map(both));
            assert_eq!(comment(&Value::Bytes(stored), big), "日本語のコメント");
            // One letter tells nothing of its order.
            let mut stored = b"UNICODE\0".to_vec();
            stored.extend(both(0x416));
            assert_eq!(comment(&Value::Bytes(stored), big), "Ж");
            // Text of the other order shows itself.
            let stored = if big { b"UNICODE\0a\0b\0c\0" } else { b"UNICODE\0\0a\0b\0c" };
            assert_eq!(comment(&Value::Bytes(stored.to_vec()), big), "abc");
        }
        assert_eq!(utf16(&[0x3d, 0xd8, 0x00, 0xde], false), "😀");
        assert_eq!(latin1(b"\xe9"), "é");
    }

    #[test]
    fn dates_of_mail() {
        let date = |text| mail_date(text).unwrap_or_default();
        assert_eq!(date("Sat, 01 Feb 2020 12:00:00 GMT"), "2020:02:01 12:00:00+00:00");
        assert_eq!(date("1 Feb 98 12:00 +0130"), "1998:02:01 12:00:00+01:30");
        for no in ["", "1 Feb 2020", "2020-02-01", "1 anF 2020 12:00 GMT", "32 Feb 2020 1:1 UT"] {
            assert_eq!(mail_date(no), None, "{no}");
        }
    }
}
