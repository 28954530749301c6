//! Text to numbers.

/// Reads the float at the start of `text`: its value and how many bytes it took; `None` when
/// there is none. Accepts what C's `strtod` accepts in decimal: sign, `1.`, `.5`, `1e-3`, `nan`,
/// `inf`. Correctly rounded.
pub fn f32_prefix(text: &[u8]) -> Option<(f32, usize)> {
    fast_float2::parse_partial(text).ok()
}

/// [`f32_prefix`] for doubles.
pub fn f64_prefix(text: &[u8]) -> Option<(f64, usize)> {
    fast_float2::parse_partial(text).ok()
}

/// Reads the decimal integer at the start of `text`, with an optional sign; `None` when there is
/// none or it does not fit.
pub fn i64_prefix(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let mut value = 0i64;
    let mut at = sign;
    while let Some(d) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.checked_mul(10)?.checked_add(d as i64)?;
        at += 1;
    }
    (at > sign).then_some((if negative { -value } else { value }, at))
}

/// Reads the decimal integer without a sign at the start of `text`; `None` when there is none or
/// it does not fit.
pub fn u32_prefix(text: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0u32;
    let mut at = 0;
    while let Some(d) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.checked_mul(10)?.checked_add(d as u32)?;
        at += 1;
    }
    (at > 0).then_some((value, at))
}
