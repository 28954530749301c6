//! The transfer function of sRGB (IEC 61966-2-1): code values from 0 to 1, and linear light.
//!
//! Eight bits are exact by construction: the code of a light is the number of thresholds that it
//! reaches, and these are the lights halfway between codes. The first bits of a light say where to
//! count from.

use std::sync::LazyLock;

/// The light of each code of eight bits.
static LIGHTS: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|code| linear(code as f64 / 255.0) as f32));

/// The least light of the codes 1 to 255.
static THRESHOLDS: LazyLock<[f32; 255]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let exact = linear((code as f64 + 0.5) / 255.0);
        let near = exact as f32;
        if f64::from(near) < exact { near.next_up() } else { near }
    })
});

/// Less light has the code 0.
const LEAST: f32 = 1.0 / 8192.0;
/// Bits of a light that do not say where to count from: 7 of its fraction do, so that a threshold or
/// two are left.
const COUNTED: u32 = 16;
/// How many numbers the others make between the least light and 1.
const STARTS: usize = ((1f32.to_bits() - LEAST.to_bits()) >> COUNTED) as usize;

/// The code of the least light with these first bits.
static FIRST_CODES: LazyLock<[u8; STARTS]> = LazyLock::new(|| {
    std::array::from_fn(|start| {
        let least = f32::from_bits(LEAST.to_bits() + ((start as u32) << COUNTED));
        THRESHOLDS.partition_point(|threshold| *threshold <= least) as u8
    })
});

/// The light of a code value; beyond 0 to 1 the curve goes on, below 0 mirrored.
///
/// ```
/// use solio_color::srgb::to_linear;
/// assert!((to_linear(0.5) - 0.214_041).abs() < 1e-6);
/// assert_eq!(to_linear(-0.5), -to_linear(0.5));
/// ```
pub fn to_linear(value: f32) -> f32 {
    (linear(f64::from(value.abs())) as f32).copysign(value)
}

/// The code value of a light; beyond 0 to 1 the curve goes on, below 0 mirrored.
///
/// ```
/// use solio_color::srgb::from_linear;
/// assert!((from_linear(0.18) - 0.461_356).abs() < 1e-6); // middle grey
/// assert!(from_linear(2.0) > 1.0); // brighter than white stays so
/// ```
pub fn from_linear(light: f32) -> f32 {
    let c = f64::from(light.abs());
    let value = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (value as f32).copysign(light)
}

/// The light of each code of eight bits.
pub(crate) fn lights() -> &'static [f32; 256] {
    &LIGHTS
}

/// The light of a code of eight bits.
///
/// ```
/// use solio_color::srgb::light_of_u8;
/// // The middle of the codes is a fifth of the light.
/// assert_eq!((light_of_u8(255) / light_of_u8(128)).round(), 5.0);
/// ```
pub fn light_of_u8(code: u8) -> f32 {
    LIGHTS[usize::from(code)]
}

/// The light of a code of sixteen bits.
///
/// ```
/// use solio_color::srgb::{light_of_u8, light_of_u16};
/// // 257 codes of sixteen bits for one of eight.
/// assert_eq!(light_of_u16(0x80 * 257), light_of_u8(0x80));
/// ```
pub fn light_of_u16(code: u16) -> f32 {
    linear(f64::from(code) / 65535.0) as f32
}

/// The code of eight bits for a light: 0 to 255, not a number is 0.
///
/// ```
/// use solio_color::srgb::u8_of_light;
/// assert_eq!([0.0, 0.18, 1.0, 7.5, f32::NAN].map(u8_of_light), [0, 118, 255, 255, 0]);
/// ```
pub fn u8_of_light(light: f32) -> u8 {
    if light.is_nan() || light < LEAST {
        return 0;
    }
    let Some(first) = FIRST_CODES.get(((light.to_bits() - LEAST.to_bits()) >> COUNTED) as usize)
    else {
        return 255;
    };
    let mut code = *first;
    while THRESHOLDS.get(usize::from(code)).is_some_and(|threshold| *threshold <= light) {
        code += 1;
    }
    code
}

/// The code of sixteen bits for a light: 0 to 65535, not a number is 0.
///
/// ```
/// use solio_color::srgb::{light_of_u16, u8_of_light, u16_of_light};
/// let (a, b) = (light_of_u16(1000), light_of_u16(1001));
/// assert_eq!(u8_of_light(a), u8_of_light(b)); // eight bits do not tell them apart
/// assert_eq!(u16_of_light(b) - u16_of_light(a), 1);
/// ```
pub fn u16_of_light(light: f32) -> u16 {
    // From a float to an integer Rust saturates, and takes no number for 0.
    (from_linear(light) * 65535.0).round() as u16
}

fn linear(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_codes_come_back() {
        for code in 0..=255 {
            assert_eq!(u8_of_light(light_of_u8(code)), code);
            let value = f32::from(code) / 255.0;
            assert!((from_linear(to_linear(value)) - value).abs() < 1e-6);
        }
        for code in 0..=65535 {
            assert_eq!(u16_of_light(light_of_u16(code)), code);
        }
    }

    #[test]
    fn codes_are_the_thresholds_that_are_reached() {
        let reached =
            |light: f32| THRESHOLDS.partition_point(|threshold| *threshold <= light) as u8;
        let near = THRESHOLDS.iter().flat_map(|t| [t.next_down(), *t, t.next_up()]);
        let odd = [0.0, -0.0, -1.0, 1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let all = (0..=2 * 1f32.to_bits()).step_by(9973).map(f32::from_bits);
        for light in near.chain(odd).chain(all).chain([LEAST.next_down(), LEAST]) {
            assert_eq!(u8_of_light(light), reached(light), "{light}");
        }
    }

    #[test]
    fn codes_are_rounded_as_the_standard_has_them() {
        for i in 0..100_000 {
            let light = i as f32 / 99_999.0;
            let exact = f64::from(light);
            let exact = if exact <= 0.0031308 {
                12.92 * exact
            } else {
                1.055 * exact.powf(1.0 / 2.4) - 0.055
            };
            assert_eq!(f64::from(u8_of_light(light)), (exact * 255.0).round(), "{light}");
        }
        assert_eq!([-1.0, f32::NAN, 9.0, f32::INFINITY].map(u8_of_light), [0, 0, 255, 255]);
        assert_eq!([-1.0, f32::NAN, 9.0, f32::INFINITY].map(u16_of_light), [0, 0, 65535, 65535]);
        // The value that textbooks give for the middle grey of 18 %.
        assert_eq!(u8_of_light(0.18), 118);
    }
}
