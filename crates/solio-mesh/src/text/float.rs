//! Floats as Blender's exporters of PLY and STL write them: the fewest digits that read back,
//! plain where the first digit stands for 10⁻⁴ to 10⁶ (f32) or 10¹⁵ (f64), otherwise with a
//! signed exponent of at least two digits: `0.25`, `-0`, `1e-05`, `1.2345679e+08`.

use solio_codec::number::Digits;
use solio_codec::number::format::{self, ShortestDecimal};

/// Appends `value`.
#[inline]
pub(crate) fn push_f32(out: &mut Vec<u8>, digits: Digits, value: f32) {
    if digits != Digits::Shortest || !value.is_finite() {
        return format::push_f32(out, digits, value);
    }
    push(out, value.is_sign_negative(), ShortestDecimal::of_f32(value), 7);
}

/// Appends `value`.
#[inline]
pub(crate) fn push_f64(out: &mut Vec<u8>, digits: Digits, value: f64) {
    if digits != Digits::Shortest || !value.is_finite() {
        return format::push_f64(out, digits, value);
    }
    push(out, value.is_sign_negative(), ShortestDecimal::of_f64(value), 16);
}

/// Appends a number, with an exponent where that is not within -4..`most`.
fn push(out: &mut Vec<u8>, negative: bool, decimal: ShortestDecimal, most: i32) {
    if negative {
        out.push(b'-');
    }
    let start = out.len();
    format::push_u64(out, decimal.number);
    let mut digits = [0; 20];
    let count = out.len() - start;
    digits[..count].copy_from_slice(&out[start..]);
    out.truncate(start);
    let zeros = digits[1..count].iter().rev().take_while(|&&digit| digit == b'0').count();
    let digits = &digits[..count - zeros];
    // The power of ten of the first one.
    let exponent = if decimal.number == 0 { 0 } else { decimal.power + count as i32 - 1 };
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
