//! Coordinates of text that `f32` cannot hold: those of georeferenced models, far from the origin.
//!
//! A file says nothing about the width of its numbers. Text that was made from an `f32` says no more than
//! one; text that says more is kept as `f64` where it matters: where the steps between two `f32` are
//! coarse ([`FAR`]), or coarse beside the model ([`is_offset`]).

use crate::model::Positions;
use solio_codec::number::format::ShortestDecimal;
use solio_codec::number::parse;

/// From here on the steps of `f32` are 1/128 and more, such as 8 mm in metres.
const FAR: f32 = 65_536.0;

/// How many times its own size a model may be away from the origin.
const OFFSET: f32 = 1024.0;

/// What is to be said of numbers of a stream, where another look at the text would tell.
pub(crate) const IN_A_STREAM: &str = "coordinates far from the origin may be rounded to 32 bits, as a \
     stream is read once: a file keeps what its text says, and so does reading doubles";

/// Powers of ten up to the most digits behind the point that a float's text may have.
const SCALES: [f64; 11] = [1e6, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e7, 1e8, 1e9, 1e10];

/// The same of zeros before it, as `%g` leaves them.
const UNITS: [f64; 22] = [
    1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Whether some of the coordinates are so far away that their text is worth a second look.
pub(crate) fn any_far(values: &[f32]) -> bool {
    // Without branches, so that it is a vector loop. What is no number is not greater.
    values.chunks(256).any(|c| c.iter().fold(false, |far, v| far | (v.abs() >= FAR)))
}

/// Whether a model is small beside its distance from the origin.
pub(crate) fn is_offset(positions: &[[f32; 3]]) -> bool {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for position in positions {
        for axis in 0..3 {
            low[axis] = low[axis].min(position[axis]);
            high[axis] = high[axis].max(position[axis]);
        }
    }
    let sizes = (0..3).map(|axis| high[axis] - low[axis]);
    let size = sizes.fold(0.0, f32::max);
    let far = low.iter().chain(&high).fold(0.0, |far: f32, v| far.max(v.abs()));
    size > 0.0 && far > OFFSET * size
}

/// Whether some of the numbers say more than an `f32` holds, of a model that [`is_offset`].
pub(crate) fn any_says_more(values: &[f64]) -> bool {
    values.iter().any(|&value| says_more(value))
}

/// Whether some of the numbers that are far away say more than an `f32` holds.
pub(crate) fn any_far_says_more(values: &[f64]) -> bool {
    values.iter().any(|&value| value.abs() >= f64::from(FAR) && says_more(value))
}

/// Positions in the width that they need; `wide` has the same in doubles.
pub(crate) fn positions(narrow: Vec<[f32; 3]>, wide: Vec<[f64; 3]>) -> Positions<'static> {
    let values = wide.as_flattened();
    let is_wide = any_far(narrow.as_flattened()) && any_far_says_more(values)
        || is_offset(&narrow) && any_says_more(values);
    match is_wide {
        true => Positions::F64(wide.into()),
        false => Positions::F32(narrow.into()),
    }
}

/// Whether the text that `value` was read from says more than the `f32` that is nearest.
fn says_more(value: f64) -> bool {
    let single = value as f32;
    let wide = f64::from(single);
    if wide == value || value.is_nan() {
        return false;
    }
    if single.is_infinite() {
        return true;
    }
    if wide.abs() > 1e22 {
        return false; // no place, and past what the steps below take exactly
    }
    // A program that writes an `f32` with some digits is off by half of the last one at most.
    let behind = |&scale: &f64| {
        let digits = (value * scale).round_ties_even();
        digits.abs() < 9e15 && digits / scale == value && (wide * scale - digits).abs() <= 0.5
    };
    let before = |&unit: &f64| {
        let digits = (value / unit).round_ties_even();
        digits * unit == value && (wide - value).abs() <= unit / 2.0
    };
    // Of what is smaller than any of these steps, the shortest text tells.
    !SCALES.iter().any(behind) && !UNITS.iter().any(before) && widened(single) != value
}

/// The number that the text of `value` most likely said: the shortest that reads as it.
pub(crate) fn widened(value: f32) -> f64 {
    if !value.is_finite() {
        return f64::from(value);
    }
    let ShortestDecimal { number, power } = ShortestDecimal::of_f32(value);
    // Of two numbers that are exact, the quotient or product is the nearest.
    let size = match UNITS.get((power.unsigned_abs() as usize).wrapping_sub(1)) {
        _ if power == 0 => number as f64,
        Some(unit) if power < 0 => number as f64 / unit,
        Some(unit) => number as f64 * unit,
        None => {
            let text = format!("{number}e{power}");
            parse::f64_prefix(text.as_bytes()).map_or(f64::from(value.abs()), |(wide, _)| wide)
        }
    };
    size.copysign(f64::from(value))
}

/// [`widened`], of positions.
pub(crate) fn widen(positions: &[[f32; 3]]) -> impl Iterator<Item = [f64; 3]> {
    positions.iter().map(|position| position.map(widened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_codec::number::Digits;
    use solio_codec::number::format::push_f32;

    #[test]
    fn text_of_an_f32_says_no_more_than_it() {
        let mut random = 1u32;
        for _ in 0..20_000 {
            random = random.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x5bd1;
            let value = f32::from_bits(random & 0x0bff_ffff | 0x4700_0000 | random & 0x8000_0000);
            let texts = [
                format!("{value}"),
                format!("{value:e}"),
                format!("{value:.6}"),
                format!("{value:.3}"),
                format!("{value:.9}"),
                format!("{value:.5e}"),
                format!("{value:.7e}"),
            ];
            for text in texts {
                assert!(!says_more(text.parse().unwrap()), "{text}");
            }
            assert_eq!(widened(value) as f32, value);
            // Of every size, also far below any digit behind the point.
            let any = f32::from_bits(random);
            if any.is_finite() {
                let mut text = Vec::new();
                push_f32(&mut text, Digits::Shortest, any);
                let text = String::from_utf8(text).unwrap();
                assert_eq!(widened(any), text.parse::<f64>().unwrap(), "{text}");
                assert!(!says_more(format!("{any:e}").parse().unwrap()), "{any:e}");
            }
        }
    }

    #[test]
    fn text_of_an_f64_says_more() {
        for value in [5_432_109.876_543, 456_789.123_456, -100_000.123, 1e39, 70_000.012_345] {
            assert!(says_more(value), "{value}");
        }
        for value in [0.0, 0.1, 5_432_110.0, 1e38, f64::INFINITY, f64::NAN, 65_536.5] {
            assert!(!says_more(value), "{value}");
        }
        assert!(any_far(&[0.0, 1.0, -65_536.0]) && !any_far(&[65_535.0, f32::NAN]));
        // Degrees of a town; a noisy plane is none.
        assert!(is_offset(&[[13.404_95, 52.520_01, 0.0], [13.405, 52.520_1, 0.0]]));
        assert!(!is_offset(&[[0.0, 52.520_01, 0.0], [1.0, 52.520_1, 0.0]]));
        assert!(!is_offset(&[[7.0; 3]; 2]) && !is_offset(&[]));
    }
}
