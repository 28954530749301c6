//! Numbers whose length and point are known: which bytes of their text are which digits.
//!
//! - Length and place of the point are the number of an entry of a table, which says how the digits
//!   move to the end of 16 bytes without the point, and what they are multiplied by. The byte before
//!   the digits is loaded with them: it is the sign, or there is none.
//! - The digits are below 10^15, so exact in an `f64`; 10^-n is off by at most 2^-53 of itself, and so
//!   is the product. Both together are less than 3 of the last places of the product. Unless it lies
//!   so near to the middle between two `f32`s, it rounds to the same one as the number itself. Where it
//!   does, and where a number has another shape, it is *not sure*, and left to [`parse`](super::parse).
//!   (It is 0 or at least 10^-15, so no subnormal `f32`.)

/// The longest number with a shape.
pub(crate) const LENGTH: usize = 15;
/// Length and distance of the point from the end, four bits each.
pub(crate) const SHAPES: usize = 256;

/// How text of a shape becomes a number.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct NumberShape {
    /// Which byte of the text, the one before the digits with it, comes where; 128 for none.
    pub(crate) places: [u8; 16],
    /// 10 to the minus power of the digits behind the point.
    pub(crate) factor: f64,
    /// 1 for integers.
    pub(crate) whole: f64,
}

/// As a factor it makes a product that counts as not sure.
const NOT_SURE: f64 = f64::from_bits(0x7ff8_0000_1000_0000);

pub(crate) static ALL_SHAPES: [NumberShape; SHAPES] = {
    let none = NumberShape { places: [128; 16], factor: NOT_SURE, whole: f64::NAN };
    let mut shapes = [none; SHAPES];
    let mut at = 0;
    while at < SHAPES {
        let (length, point) = (at / 16, at % 16);
        let has_point = (point > 0) as usize;
        if length > has_point && point <= length {
            let shape = &mut shapes[at];
            let mut place = 16;
            let mut byte = length;
            while byte > 0 {
                byte -= 1;
                if has_point == 0 || byte != length - point {
                    place -= 1;
                    shape.places[place] = 1 + byte as u8;
                }
            }
            let (mut power, mut after) = (1.0, 1);
            while after < point {
                power *= 10.0;
                after += 1;
            }
            // The power is exact, so this is rounded once.
            shape.factor = 1.0 / power;
            if has_point == 0 {
                shape.whole = 1.0;
            }
        }
        at += 1;
    }
    shapes
};

/// The bits of an `f64` below those of an `f32`.
pub(crate) const BELOW: u64 = (1 << 29) - 1;
/// Added to the bits of an `f64` it makes those of [`BELOW`] less than [`NEAR`] where the number is not
/// sure.
pub(crate) const TO_MIDDLE: u64 = (1 << 28) + NEAR / 2;
/// A distance of at least 3 from the middle on either side.
pub(crate) const NEAR: u64 = 8;

/// The value of a number, and whether that is sure: `text` has its digits after the first byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub(crate) fn single(
    text: &[u8; 16],
    shape: &NumberShape,
    moved: impl FnOnce(&[u8; 16], &[u8; 16]) -> [u8; 16],
) -> (f32, bool) {
    let digits = u128::from_le_bytes(moved(text, &shape.places));
    let [upper, lower] = [digits as u64, (digits >> 64) as u64].map(super::parse::eight);
    let product = (upper * 100_000_000 + lower) as f64 * shape.factor;
    let sign = u32::from(text[0] == b'-') << 31;
    let far = product.to_bits().wrapping_add(TO_MIDDLE) & (BELOW ^ (NEAR - 1)) != 0;
    let is_sure = far && !shape.factor.is_nan();
    (f32::from_bits((product as f32).to_bits() | sign), is_sure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What is sure is what the language reads; plain numbers nearly always are.
        #[test]
        fn sure_numbers_are_right(word in "-?([0-9]{1,15}|[0-9]{0,13}\\.[0-9]|[0-9]\\.[0-9]{0,13}|[0-9]{3}\\.[0-9]{0,9})") {
            let digits = word.strip_prefix('-').unwrap_or(&word);
            let point = digits.find('.').map_or(0, |at| digits.len() - at);
            let mut text = [b' '; 16];
            text[0] = if word.starts_with('-') { b'-' } else { b'\n' };
            text[1..=digits.len()].copy_from_slice(digits.as_bytes());
            let (value, is_sure) = single(&text, &ALL_SHAPES[digits.len() << 4 | point], |text, places| {
                places.map(|place| text.get(usize::from(place)).copied().unwrap_or(0))
            });
            let expected: f32 = word.parse().unwrap();
            prop_assert!(!is_sure || value.to_bits() == expected.to_bits(), "{word}");
            // Neither digits nor a power may be so that every number is doubtful.
            let exact: f64 = word.parse().unwrap();
            let from_middle = (exact.to_bits() & BELOW).abs_diff(1 << 28);
            prop_assert!(is_sure || from_middle < 2 * NEAR, "{word}");
        }
    }

    #[test]
    fn what_has_no_digit_is_never_sure() {
        for (length, point) in [(0, 0), (1, 1), (0, 3), (3, 9)] {
            assert!(!single(b" .............. ", &ALL_SHAPES[length << 4 | point], |t, _| *t).1);
        }
    }
}
