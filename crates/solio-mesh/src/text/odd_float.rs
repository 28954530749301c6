//! Words for NaN and infinity that are none of the usual ones.

/// What Microsoft's C library wrote for NaN and infinity: `-1.#IND`, `1.#QNAN`, `1.#INF`,
/// `-nan(ind)`.
#[cold]
pub(crate) fn odd_float(word: &[u8]) -> Option<f32> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let lower = digits.to_ascii_lowercase();
    let value = if lower.starts_with(b"1.#inf") {
        f32::INFINITY
    } else if lower.starts_with(b"1.#") || (lower.starts_with(b"nan(") && lower.ends_with(b")")) {
        f32::NAN
    } else {
        return None;
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_windows() {
        let bits = |word: &str| odd_float(word.as_bytes()).map(f32::to_bits);
        for nan in ["1.#QNAN", "1.#IND00", "+1.#SNAN", "nan(ind)", "NAN(SNAN)"] {
            assert_eq!(bits(nan), Some(f32::NAN.to_bits()), "{nan}");
            assert_eq!(
                bits(&format!("-{}", nan.trim_start_matches('+'))),
                Some((-f32::NAN).to_bits())
            );
        }
        assert_eq!(odd_float(b"-1.#INF"), Some(f32::NEG_INFINITY));
        for none in ["", "-", "1.5", "2.#INF", "nan(", "nanx", "x"] {
            assert_eq!(bits(none), None, "{none}");
        }
    }
}
