//! Sizes as people say them.

use solio_base::{Error, Result};
use std::str::FromStr;

/// The most pixels of a side.
const MOST: u64 = (i32::MAX / 2) as u64;

/// The size that an image is to get, as `50%`, `50%x25%`, `1920x`, `x1080` or `1920x1080` say it.
///
/// ```
/// use solio_image::ResizeSize;
/// let half: ResizeSize = "50%".parse()?;
/// assert_eq!(half.of([1998, 1081])?, [999, 541]);
/// // A side that is left out, or 0, keeps the aspect.
/// assert_eq!("x540".parse::<ResizeSize>()?.of([1920, 1080])?, [960, 540]);
/// assert!("0x0".parse::<ResizeSize>().is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResizeSize {
    /// So much of the width and of the height, 1 being as much as there is.
    Factors([f64; 2]),
    /// So many pixels; a side that is `None` keeps the aspect.
    Pixels(Option<u32>, Option<u32>),
}

impl ResizeSize {
    /// The size that this makes of another one; each side at least a pixel.
    ///
    /// # Errors
    /// `Limit` for more pixels than an image can have, `Argument` for no size at all.
    pub fn of(self, [width, height]: [u64; 2]) -> Result<[u64; 2]> {
        let kept = |of: u64, wanted: u32, other: u64| {
            (of as f64 * f64::from(wanted) / other.max(1) as f64 + 0.5).floor() as u64
        };
        let sides = match self {
            ResizeSize::Factors(factors) => {
                let side = |of: u64, factor: f64| (of as f64 * factor + 0.5).floor() as u64;
                [side(width, factors[0]), side(height, factors[1])]
            }
            ResizeSize::Pixels(Some(x), Some(y)) => [u64::from(x), u64::from(y)],
            ResizeSize::Pixels(Some(x), None) => [u64::from(x), kept(height, x, width)],
            ResizeSize::Pixels(None, Some(y)) => [kept(width, y, height), u64::from(y)],
            ResizeSize::Pixels(None, None) => return Err(no_size()),
        };
        let sides = sides.map(|side| side.max(1));
        match sides.iter().all(|side| *side < MOST) {
            true => Ok(sides),
            false => Err(Error::limit(format!("{} × {} pixels are too many", sides[0], sides[1]))),
        }
    }
}

fn no_size() -> Error {
    Error::argument("not a size").hint("use 50%, 1920x, x1080 or 1920x1080")
}

impl FromStr for ResizeSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<ResizeSize> {
        let factor = |text: &str| {
            let number: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
            (number.is_finite() && number > 0.0).then_some(number / 100.0)
        };
        let text = text.trim();
        let found = match text.split_once(['x', '×']) {
            None => factor(text).map(|both| ResizeSize::Factors([both; 2])),
            Some((x, y)) if text.contains('%') => match (factor(x), factor(y)) {
                (Some(x), Some(y)) => Some(ResizeSize::Factors([x, y])),
                _ => None,
            },
            Some((x, y)) => {
                let side = |text: &str| match text {
                    "" => Some(0),
                    text if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
                    _ => None,
                };
                let given = |side: u32| (side > 0).then_some(side);
                let sides = side(x).zip(side(y)).map(|(x, y)| (given(x), given(y)));
                sides.filter(|sides| *sides != (None, None)).map(|(x, y)| ResizeSize::Pixels(x, y))
            }
        };
        found.ok_or_else(no_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_say_them() {
        let of = |text: &str, size| text.parse::<ResizeSize>().and_then(|wanted| wanted.of(size));
        assert_eq!(of("50%", [7, 5]).unwrap(), [4, 3]);
        assert_eq!(of("200%x50%", [10, 10]).unwrap(), [20, 5]);
        assert_eq!(of("1%", [7, 5]).unwrap(), [1, 1]);
        assert_eq!(of("12.5%", [80, 16]).unwrap(), [10, 2]);
        for text in ["1920x", "1920x0"] {
            assert_eq!(of(text, [3840, 1608]).unwrap(), [1920, 804], "{text}");
        }
        for text in ["x804", "0x804"] {
            assert_eq!(of(text, [3840, 1608]).unwrap(), [1920, 804], "{text}");
        }
        assert_eq!(of("1920x1080", [1, 1]).unwrap(), [1920, 1080]);
        for bad in [
            "", "x", "50", "0x0", "-5x5", "+5x5", "5 x5", "0%", "-1%", "nan%", "inf%", "50%x5",
            "1e9999%",
        ] {
            assert!(of(bad, [7, 5]).is_err(), "{bad:?}");
        }
        for far in ["4294967295x1", "1x2000000000", "1e300%"] {
            assert!(of(far, [7, 5]).is_err(), "{far:?}");
        }
    }
}
