//! Values that no reader takes, and what all parts of a file have alike.

use super::part::Part;
use super::values::{Box2i, Value};
use solio_base::{Error, Result};
use std::ops::RangeInclusive;

/// Corners of windows stay within half of what fits, as in the reference.
const FARTHEST: i32 = i32::MAX / 2 - 1;

/// What the numbers of a key code can be, in the order of the file (SMPTE 254).
const KEY_CODE: [RangeInclusive<i32>; 7] =
    [0..=99, 0..=99, 0..=999_999, 0..=9999, 0..=119, 1..=15, 20..=120];

/// Attributes that all parts of a file have alike; the reference refuses other files. Of the last
/// two it only asks that no part has another than the first one.
const SHARED: [(&str, bool); 4] = [
    ("displayWindow", true),
    ("pixelAspectRatio", true),
    ("timecode", false),
    ("chromaticities", false),
];

/// Whether all parts of a file have the attribute `name` alike.
///
/// ```
/// use solio_exr::header::is_shared;
/// assert!(is_shared("displayWindow") && !is_shared("dataWindow"));
/// ```
pub fn is_shared(name: &str) -> bool {
    SHARED.iter().any(|(shared, _)| *shared == name)
}

/// In which attributes a part differs from the first one of its file, though all have them alike:
/// the reference, and so most programs, would not open the file.
///
/// ```
/// use solio_exr::header::{Part, Value, differing};
/// let (first, mut part) = (Part::default(), Part::default());
/// part.set("pixelAspectRatio", Value::Float(2.0));
/// part.set("owner", Value::Text("me".into()));
/// assert_eq!(differing(&first, &part).collect::<Vec<_>>(), ["pixelAspectRatio"]);
/// ```
pub fn differing(first: &Part, part: &Part) -> impl Iterator<Item = &'static str> {
    let differs = SHARED.into_iter().filter(move |(name, needed)| {
        let own = part.get(name);
        first.get(name) != own && (own.is_some() || *needed)
    });
    differs.map(|(name, _)| name)
}

/// Refuses an attribute for which the reference, and so most programs, would not open the file.
///
/// ```
/// use solio_exr::header::{Value, check_attribute};
/// assert!(check_attribute("pixelAspectRatio", &Value::Float(2.0)).is_ok());
/// let error = check_attribute("pixelAspectRatio", &Value::Float(0.0)).unwrap_err();
/// assert_eq!(error.message(), "pixelAspectRatio cannot be 0: it is 0.000001 to 1000000");
/// ```
pub fn check_attribute(name: &str, value: &Value) -> Result<()> {
    let far = |at: &i32| (-FARTHEST..=FARTHEST).contains(at);
    let (fine, possible) = match (name, value) {
        ("displayWindow", Value::Box2i(Box2i { min, max })) => (
            min[0] <= max[0] && min[1] <= max[1] && min.iter().chain(max).all(far),
            "its corners are in order and no farther out than 1073741822",
        ),
        ("displayWindow", _) => (false, "it is a box2i"),
        ("pixelAspectRatio", Value::Float(ratio)) => {
            ((1e-6..=1e6).contains(ratio), "it is 0.000001 to 1000000")
        }
        // What is no number is odd, but every reader takes it.
        ("screenWindowWidth", Value::Float(width)) => {
            (width.is_nan() || *width >= 0.0, "it is 0 or more")
        }
        ("pixelAspectRatio" | "screenWindowWidth", _) => (false, "it is a float"),
        (_, Value::KeyCode(code)) => {
            let numbers = <[i32; 7]>::from(*code);
            let within =
                KEY_CODE.iter().zip(&numbers).all(|(range, number)| range.contains(number));
            (
                within,
                "its numbers are 0 to 99, 0 to 99, 0 to 999999, 0 to 9999, 0 to 119, 1 to 15, 20 to 120",
            )
        }
        _ => (true, ""),
    };
    if fine {
        return Ok(());
    }
    let shown = match value {
        Value::KeyCode(code) => <[i32; 7]>::from(*code).map(|number| number.to_string()).join(" "),
        other => other.to_string(),
    };
    Err(Error::argument(format!("{name} cannot be {shown}: {possible}")))
}
