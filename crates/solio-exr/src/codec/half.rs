//! 16-bit floating point numbers: 1 sign, 5 exponent and 10 significand bits (IEEE 754 binary16).

/// The same number with 32 bits.
#[inline]
pub(super) fn to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let rest = u32::from(half & 0x7fff);
    let magnitude = match rest >> 10 {
        0 => (rest as f32 * (1.0 / 16_777_216.0)).to_bits(), // subnormal: units of 2^-24
        31 => 0x7f80_0000 | (rest & 0x3ff) << 13,
        _ => (rest << 13) + 0x3800_0000,
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest number with 16 bits, the even one of two; too large ones become infinite. A NaN
/// keeps the upper bits of its payload, at least one.
#[inline]
pub(super) fn from_f32(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let rest = bits & 0x7fff_ffff;
    let magnitude = if rest >= 0x7f80_0000 {
        let payload = (rest & 0x7f_ffff) >> 13;
        0x7c00 | payload | u32::from(rest > 0x7f80_0000 && payload == 0)
    } else if rest >= 0x477f_f000 {
        0x7c00
    } else if rest >= 0x3880_0000 {
        (rest - 0x3800_0000 + 0xfff + (rest >> 13 & 1)) >> 13
    } else {
        // Subnormal: adding 0.5 lines the units of 2^-24 up with the last bit, and rounds.
        (f32::from_bits(rest) + 0.5).to_bits() - 0.5f32.to_bits()
    };
    sign | magnitude as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            assert_eq!(from_f32(to_f32(half)), half, "{half:04x}");
        }
        assert_eq!(to_f32(0x3c00), 1.0);
        assert_eq!(to_f32(0xc000), -2.0);
        assert_eq!(to_f32(1), 2f32.powi(-24));
        assert_eq!(to_f32(0x7bff), 65504.0);
    }

    #[test]
    fn rounds_to_the_nearest_and_then_to_the_even() {
        for half in 0..0x7bffu16 {
            let (low, high) = (to_f32(half), to_f32(half + 1));
            let middle = low + (high - low) / 2.0;
            let even = half + (half & 1);
            assert_eq!(from_f32(middle), even, "{half:04x}");
            assert_eq!(from_f32(f32::from_bits(middle.to_bits() - 1)), half);
            assert_eq!(from_f32(f32::from_bits(middle.to_bits() + 1)), half + 1);
        }
        assert_eq!(from_f32(65519.996), 0x7bff);
        assert_eq!(from_f32(65520.0), 0x7c00);
        assert_eq!(from_f32(f32::from_bits(0x7f80_0001)), 0x7c01);
    }
}
