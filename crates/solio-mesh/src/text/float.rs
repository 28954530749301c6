//! Floats as Blender's exporters of PLY and STL write them: the fewest digits that read back,
//! plain where the first digit stands for 10⁻⁴ to 10⁶ (f32) or 10¹⁵ (f64), otherwise with a
//! signed exponent of at least two digits: `0.25`, `-0`, `1e-05`, `1.2345679e+08`.

use solio_codec::number::{Digits, format};

/// Appends `value`.
#[inline]
pub(crate) fn push_f32(out: &mut Vec<u8>, digits: Digits, value: f32) {
    if digits != Digits::Shortest || !value.is_finite() {
        return format::push_f32(out, digits, value);
    }
    push(out, zmij::Buffer::new().format_finite(value).as_bytes(), 7);
}

/// Appends `value`.
#[inline]
pub(crate) fn push_f64(out: &mut Vec<u8>, digits: Digits, value: f64) {
    if digits != Digits::Shortest || !value.is_finite() {
        return format::push_f64(out, digits, value);
    }
    push(out, zmij::Buffer::new().format_finite(value).as_bytes(), 16);
}

/// Appends the number that `text` shows, with an exponent where that is not within -4..`most`.
fn push(out: &mut Vec<u8>, text: &[u8], most: i32) {
    let (sign, text) = match text {
        [b'-', rest @ ..] => (&b"-"[..], rest),
        _ => (&b""[..], text),
    };
    out.extend_from_slice(sign);
    let e = text.iter().position(|&b| b == b'e');
    let point = text.iter().position(|&b| b == b'.');
    let whole = point.or(e).unwrap_or(text.len());
    // Most numbers are plain in both notations.
    if e.is_none() && whole as i32 <= most && (text[0] != b'0' || text[..].len() < 3) {
        return out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text));
    }
    let (digits, exponent) = scientific(text, e, whole);
    let digits = &digits.0[..digits.1];
    if (-4..most).contains(&exponent) {
        plain(out, digits, exponent);
    } else {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        if exponent.abs() < 10 {
            out.push(b'0');
        }
        format::push_u32(out, exponent.unsigned_abs());
    }
}

/// The digits without leading and trailing zeros, and the power of ten of the first one.
fn scientific(text: &[u8], e: Option<usize>, whole: usize) -> (([u8; 32], usize), i32) {
    let mantissa = &text[..e.unwrap_or(text.len())];
    let mut exponent = e.map_or(0, |e| {
        std::str::from_utf8(&text[e + 1..]).ok().and_then(|t| t.parse().ok()).unwrap_or(0)
    });
    let mut digits = ([0; 32], 0);
    let mut leading = 0;
    for &b in mantissa.iter().filter(|b| **b != b'.') {
        if digits.1 == 0 && b == b'0' {
            leading += 1;
        } else {
            digits.0[digits.1] = b;
            digits.1 += 1;
        }
    }
    exponent += whole as i32 - 1 - leading;
    while digits.1 > 0 && digits.0[digits.1 - 1] == b'0' {
        digits.1 -= 1;
    }
    if digits.1 == 0 {
        return (([b'0'; 32], 1), 0);
    }
    (digits, exponent)
}

fn plain(out: &mut Vec<u8>, digits: &[u8], exponent: i32) {
    if exponent < 0 {
        out.extend_from_slice(&b"0.000"[..(1 - exponent) as usize]);
        out.extend_from_slice(digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() > whole {
        out.extend_from_slice(&digits[..whole]);
        out.push(b'.');
        out.extend_from_slice(&digits[whole..]);
    } else {
        out.extend_from_slice(digits);
        out.resize(out.len() + whole - digits.len(), b'0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(v: f32) -> String {
        let mut out = Vec::new();
        push_f32(&mut out, Digits::Shortest, v);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn as_blender_writes_them() {
        let cases: [(f32, &str); 22] = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.25, "0.25"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1.5e-4, "0.00015"),
            (1e-5, "1e-05"),
            (5e-6, "5e-06"),
            (-1.25e-7, "-1.25e-07"),
            (999999.0, "999999"),
            (1000000.0, "1000000"),
            (1234567.5, "1234567.5"),
            (9999999.0, "9999999"),
            (1e7, "1e+07"),
            (123456789.0, "1.2345679e+08"),
            (1e16, "1e+16"),
            (f32::MAX, "3.4028235e+38"),
            (f32::MIN_POSITIVE, "1.1754944e-38"),
            (1e-45, "1e-45"),
            (0.33333334, "0.33333334"),
        ];
        for (value, text) in cases {
            assert_eq!(shown(value), text);
        }
        let mut out = Vec::new();
        push_f64(&mut out, Digits::Shortest, 123456789012345.6);
        out.push(b' ');
        push_f64(&mut out, Digits::Shortest, 1e16);
        assert_eq!(out, b"123456789012345.6 1e+16");
    }
}
