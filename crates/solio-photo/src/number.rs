//! Numbers as the interchange prints them: shortest within a number of significant digits.

/// `value` with at most `digits` significant digits, as C's `%.{digits}g` writes it.
///
/// Powers of ten from -5 to `digits` are written out; others as `1.5e-07`.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        let name = if value.is_nan() { "nan" } else { "inf" };
        return if value.is_sign_negative() && !value.is_nan() {
            format!("-{name}")
        } else {
            name.into()
        };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return (value as i64).to_string();
    }
    let text = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let mantissa = trim_zeros(mantissa);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// A computed number: 15 significant digits.
pub(crate) fn plain(value: f64) -> String {
    significant(value, 15)
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
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
        assert_eq!(significant(f64::INFINITY, 10), "inf");
        assert_eq!(significant(9999999999.9, 10), "1e+10");
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
