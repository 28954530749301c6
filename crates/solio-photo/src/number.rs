//! Numbers as the interchange prints them: shortest within a number of significant digits.

/// `value` with at most `digits` significant digits, as C's `%.{digits}g` writes it.
///
/// Powers of ten from -5 to `digits` are written out; others as `1.5e-07`.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if let Some(name) = without_digits(value) {
        return name.into();
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return (value as i64).to_string();
    }
    let (text, exponent) = match ten_digits(value).filter(|_| digits == 10) {
        Some((ten, exponent)) => (ten.to_string(), exponent),
        None => digits_of(value.abs(), digits),
    };
    let text = text.trim_end_matches('0');
    written(if value < 0.0 { "-" } else { "" }, text, exponent, digits)
}

/// What stands for numbers that no digits can; JSON has them as text. Fractions with nothing below
/// the line are written otherwise.
pub(crate) fn without_digits(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_finite() => None,
        f64::INFINITY => Some("Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => Some("NaN"),
    }
}

/// At most so many digits of a number, and the power of ten of the first.
fn digits_of(value: f64, digits: usize) -> (String, i32) {
    let parts = |text: &str| {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
    };
    // The shortest text is found much sooner; up to 15 digits it is the same.
    let shortest = parts(&format!("{value:e}"));
    if shortest.0.len() <= digits && value.is_normal() {
        return shortest;
    }
    parts(&format!("{:.*e}", digits - 1, value))
}

/// Digits without zeros at their end, the first at a power of ten, as C's `%.{most}g` writes them.
fn written(sign: &str, digits: &str, exponent: i32, most: usize) -> String {
    let (first, rest) = digits.split_at(1);
    if exponent < -4 || exponent >= most as i32 {
        let dot = if rest.is_empty() { "" } else { "." };
        let of_exponent = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{of_exponent}{:02}", exponent.abs());
    }
    if exponent < 0 {
        let zeros = &"0.000"[..(1 - exponent) as usize];
        return format!("{sign}{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    match digits.split_at_checked(whole) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, part)) => format!("{sign}{whole}.{part}"),
        None => format!("{sign}{digits:0<whole$}"),
    }
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The first ten digits of a number, rounded, and the power of ten of the first one: what most
/// fractions of cameras are shown with. Nothing where more digits are needed to tell.
fn ten_digits(value: f64) -> Option<(u64, i32)> {
    const LOW: f64 = 1e9;
    const HIGH: f64 = 1e10;
    let size = value.abs();
    if !(1e-10..1e15).contains(&size) {
        return None;
    }
    let scaled = |exponent: i32| match 9 - exponent {
        up @ 0.. => size * POWERS[up as usize],
        down => size / POWERS[-down as usize],
    };
    let mut exponent = size.log10().floor() as i32;
    if scaled(exponent) >= HIGH {
        exponent += 1;
    } else if scaled(exponent) < LOW {
        exponent -= 1;
    }
    let (ten, rest) = (scaled(exponent).trunc(), scaled(exponent).fract());
    // Powers of ten are exact, the sum is off by no more than some millionths.
    if (rest - 0.5).abs() < 1e-4 {
        return None;
    }
    let ten = ten as u64 + u64::from(rest > 0.5);
    Some(if ten >= HIGH as u64 { (LOW as u64, exponent + 1) } else { (ten, exponent) })
}

/// `value` rounded to ten significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    let Some((ten, exponent)) = ten_digits(value) else {
        return significant(value, 10).parse().unwrap_or(value);
    };
    // Both are exact, so that this is the number that the digits spell.
    let ten = ten as f64;
    let size = match 9 - exponent {
        down @ 0.. => ten / POWERS[down as usize],
        up => ten * POWERS[-up as usize],
    };
    size.copysign(value)
}

/// A computed number: 15 significant digits.
pub(crate) fn plain(value: f64) -> String {
    significant(value, 15)
}

/// Whether JSON may show `text` as a number without losing its spelling.
pub(crate) fn is_number(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let digits = |b: &[u8]| b.iter().take_while(|c| c.is_ascii_digit()).count();
    let whole = digits(rest);
    if whole == 0 || whole > 15 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 || n > 16 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+"));
        let exponent = exponent.unwrap_or(&rest[1..]);
        let n = digits(exponent);
        if n == 0 || n > 3 {
            return false;
        }
        rest = &exponent[n..];
    }
    rest.is_empty()
}

/// The number that `text` starts with, after white space; 0 where there is none.
pub(crate) fn leading(text: &str) -> f64 {
    first(text).unwrap_or(0.0)
}

/// The number that `text` starts with, after white space.
pub(crate) fn first(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let mut end = 0;
    let mut seen_digit = false;
    while let Some(&byte) = bytes.get(end) {
        let sign_here = end == 0 || matches!(bytes[end - 1], b'e' | b'E');
        match byte {
            b'0'..=b'9' => seen_digit = true,
            b'+' | b'-' if sign_here => {}
            b'.' if !bytes[..end].contains(&b'.') => {}
            b'e' | b'E' if seen_digit && !bytes[..end].iter().any(|b| matches!(b, b'e' | b'E')) => {
            }
            _ => break,
        }
        end += 1;
    }
    while end > 0 && seen_digit {
        if let Ok(number) = text[..end].parse() {
            return Some(number);
        }
        end -= 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_is_what_c_prints() {
        assert_eq!(significant(1.0 / 60.0, 10), "0.01666666667");
        assert_eq!(significant(3.0, 10), "3");
        assert_eq!(significant(3.614421976e-10, 10), "3.614421976e-10");
        assert_eq!(plain(0.1 + 0.2), "0.3");
        assert_eq!(plain(6.4e-5), "6.4e-05");
        assert_eq!(plain(1e15), "1e+15");
        assert_eq!(plain(123456789012345.0), "123456789012345");
        assert_eq!(plain(-2.5), "-2.5");
        assert_eq!(significant(f64::INFINITY, 10), "Inf");
        assert_eq!(significant(-f64::INFINITY, 10), "-Inf");
        assert_eq!(significant(-f64::NAN, 10), "NaN");
        assert_eq!(significant(9999999999.9, 10), "1e+10");
    }

    /// What C's library prints, found out digit by digit.
    fn slowly(value: f64, digits: usize) -> String {
        let text = format!("{:.*e}", digits - 1, value);
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        let trimmed = |text: &str| match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text.to_owned(),
        };
        if exponent < -4 || exponent >= digits as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
        }
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{value:.decimals$}"))
    }

    #[test]
    fn quick_digits_are_the_same() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 33
        };
        let mut values = vec![0.99999999995, 9.9999999995, 1e-10, 1e15, 99999.999995, 0.5, 5e-324];
        for n in 0..50_000 {
            let (a, b) = (random() as f64, (random() >> (random() % 31)) as f64);
            values.extend([a / b, -a / 1e9, a / 1000.0, a * 1e-14, a * b * 1e-3, n as f64 + 0.5]);
            values.push(f64::from_bits(random() << 33 | random() << 2));
        }
        for value in values.into_iter().filter(|v| v.is_finite() && *v != 0.0) {
            for digits in [10, 15] {
                assert_eq!(significant(value, digits), slowly(value, digits), "{value:e}");
            }
            let slow: f64 = slowly(value, 10).parse().unwrap();
            assert_eq!(rounded(value).to_bits(), slow.to_bits(), "{value:e}");
        }
    }

    #[test]
    fn numbers_of_json() {
        for yes in ["0", "-1", "12", "1.5", "1e+15", "3.6e-10", "0.5"] {
            assert!(is_number(yes), "{yes}");
        }
        for no in ["", "-", "01", "1.", ".5", "1e", "0x1", "1 2", "inf", "1234567890123456"] {
            assert!(!is_number(no), "{no}");
        }
    }

    #[test]
    fn the_number_at_the_start() {
        assert_eq!(first("12 mm"), Some(12.0));
        assert_eq!(first(" -1.5e3x"), Some(-1500.0));
        assert_eq!(first("4-"), Some(4.0));
        assert_eq!(first("e5"), None);
        assert_eq!(first(""), None);
    }
}
