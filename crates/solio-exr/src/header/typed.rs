//! Values of attributes from what people type, and the types that standard attributes have.

use super::values::{Box2i, Chromaticities, TimeCode, Value};
use solio_base::{Error, Result};
use std::str::FromStr;

/// Reads a value of a type, named first, from its text.
type ReadValue = fn(&str, &str) -> Result<Value>;

/// The types that text can be read as.
const TYPES: [(&str, ReadValue); 23] = [
    ("box2f", |kind, text| {
        let [a, b, x, y] = numbers(kind, text)?;
        Ok(Value::Box2f([[a, b], [x, y]]))
    }),
    ("box2i", |kind, text| {
        let [a, b, x, y] = numbers(kind, text)?;
        Ok(Value::Box2i(Box2i { min: [a, b], max: [x, y] }))
    }),
    ("chromaticities", |kind, text| {
        let v: [f32; 8] = numbers(kind, text)?;
        let [red, green, blue, white] = [0, 2, 4, 6].map(|i| [v[i], v[i + 1]]);
        Ok(Value::Chromaticities(Chromaticities { red, green, blue, white }))
    }),
    ("deepImageState", |_, text| {
        one_of(text, &["messy", "sorted", "non-overlapping", "tidy"]).map(Value::DeepImageState)
    }),
    ("double", |kind, text| numbers(kind, text).map(|[value]| Value::Double(value))),
    ("envmap", |_, text| one_of(text, &["latlong", "cube"]).map(Value::Envmap)),
    ("float", |kind, text| numbers(kind, text).map(|[value]| Value::Float(value))),
    ("floatvector", |kind, text| list(kind, text).map(Value::FloatVector)),
    ("int", |kind, text| numbers(kind, text).map(|[value]| Value::Int(value))),
    ("keycode", |kind, text| numbers::<i32, 7>(kind, text).map(|n| Value::KeyCode(n.into()))),
    ("m33d", |kind, text| numbers(kind, text).map(Value::M33d)),
    ("m33f", |kind, text| numbers(kind, text).map(Value::M33f)),
    ("m44d", |kind, text| numbers(kind, text).map(Value::M44d)),
    ("m44f", |kind, text| numbers(kind, text).map(Value::M44f)),
    ("rational", |_, text| rational(text)),
    ("string", |_, text| Ok(Value::Text(text.into()))),
    ("stringvector", |_, text| {
        Ok(Value::TextVector(text.split(',').map(|text| text.trim().into()).collect()))
    }),
    ("timecode", |_, text| time_code(text)),
    ("v2d", |kind, text| numbers(kind, text).map(Value::V2d)),
    ("v2f", |kind, text| numbers(kind, text).map(Value::V2f)),
    ("v2i", |kind, text| numbers(kind, text).map(Value::V2i)),
    ("v3f", |kind, text| numbers(kind, text).map(Value::V3f)),
    ("v3i", |kind, text| numbers(kind, text).map(Value::V3i)),
];

/// Standard attributes by type ("Standard Attributes" of the reference's documents), without those
/// that are strings.
const STANDARD: [(&str, &[&str]); 14] = [
    ("box2i", &["displayWindow", "originalDataWindow", "sensorAcquisitionRectangle"]),
    ("chromaticities", &["chromaticities"]),
    ("deepImageState", &["deepImageState"]),
    ("envmap", &["envmap"]),
    (
        "float",
        &[
            "altitude",
            "aperture",
            "cameraCCTSetting",
            "cameraTintSetting",
            "dwaCompressionLevel",
            "effectiveFocalLength",
            "entrancePupilOffset",
            "expTime",
            "focus",
            "isoSpeed",
            "latitude",
            "longitude",
            "nominalFocalLength",
            "pinholeFocalLength",
            "pixelAspectRatio",
            "screenWindowWidth",
            "sensorPhotositePitch",
            "shutterAngle",
            "tStop",
            "utcOffset",
            "whiteLuminance",
            "xDensity",
        ],
    ),
    ("int", &["imageCounter"]),
    ("keycode", &["keyCode"]),
    ("m33f", &["cameraColorCorrectionMatrix"]),
    ("m44f", &["worldToCamera", "worldToNDC"]),
    ("rational", &["captureRate", "framesPerSecond"]),
    ("stringvector", &["multiView"]),
    ("timecode", &["timeCode"]),
    ("v2f", &["adoptedNeutral", "cameraColorBalance", "screenWindowCenter"]),
    ("v2f", &["sensorCenterOffset", "sensorOverallDimensions"]),
];

/// Standard attributes that are strings.
const STRINGS: [&str; 26] = [
    "ascFramingDecisionList",
    "cameraFirmwareVersion",
    "cameraIdentifier",
    "cameraLabel",
    "cameraMake",
    "cameraModel",
    "cameraSerialNumber",
    "cameraUuid",
    "capDate",
    "comments",
    "imageType",
    "lensFirmwareVersion",
    "lensMake",
    "lensModel",
    "lensSerialNumber",
    "lookModTransform",
    "name",
    "originalImageFlag",
    "owner",
    "reelName",
    "renderingTransform",
    "sensorName",
    "software",
    "view",
    "wrapmodes",
    "writer",
];

/// Whether values of the type `name` can be typed.
pub fn is_typed(name: &str) -> bool {
    TYPES.iter().any(|(known, _)| *known == name)
}

/// The type of the standard attribute `name`.
pub fn standard_type(name: &str) -> Option<&'static str> {
    if STRINGS.contains(&name) {
        return Some("string");
    }
    STANDARD.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

/// The type that `text` looks like: an integer, a number, or text.
pub fn likely_type(text: &str) -> &'static str {
    let text = text.trim();
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match (text.parse::<i32>().is_ok(), digits && text.parse::<f32>().is_ok()) {
        (true, _) => "int",
        (_, true) => "float",
        _ => "string",
    }
}

/// A value of the type `type_name` from text: numbers with commas or spaces between them,
/// `24000/1001`, `10:59:58:07`, strings of a vector with commas between them.
///
/// ```
/// use solio_exr::header::{Value, typed};
/// assert_eq!(typed("v2f", "0.5, 1").unwrap(), Value::V2f([0.5, 1.0]));
/// assert!(typed("int", "many").is_err());
/// ```
pub fn typed(type_name: &str, text: &str) -> Result<Value> {
    let Some((_, value)) = TYPES.iter().find(|(known, _)| *known == type_name) else {
        let message = format!("values of the type {type_name:?} cannot be typed");
        let names = TYPES.map(|(name, _)| name).join(", ");
        return Err(Error::argument(message).hint(format!("types are {names}")));
    };
    value(type_name, text)
}

fn list<T: FromStr + Copy + Into<f64>>(type_name: &str, text: &str) -> Result<Vec<T>> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty());
    let number = |word: &str| {
        let wrong = || Error::argument(format!("{word:?} is no number of the type {type_name}"));
        let number: T = word.parse().map_err(|_| wrong())?;
        // Infinity is a word; digits that come to it are too many.
        if number.into().is_infinite() && word.contains(|c: char| c.is_ascii_digit()) {
            let bits = 8 * size_of::<T>();
            let message = format!("{word} is more than a float of {bits} bits can be");
            return Err(Error::argument(message));
        }
        Ok(number)
    };
    words.map(number).collect()
}

fn numbers<T: FromStr + Copy + Into<f64>, const N: usize>(
    type_name: &str,
    text: &str,
) -> Result<[T; N]> {
    let values: Vec<T> = list(type_name, text)?;
    let count = values.len();
    values.try_into().map_err(|_| {
        Error::argument(format!("{text:?} has {count} numbers; the type {type_name} has {N}"))
    })
}

fn one_of(text: &str, names: &[&str]) -> Result<u8> {
    let found = names.iter().position(|name| name.eq_ignore_ascii_case(text.trim()));
    let wrong = || Error::argument(format!("{text:?} is none of {}", names.join(", ")));
    found.map(|index| index as u8).ok_or_else(wrong)
}

/// `24000/1001`, `24`, or a decimal number of at most six digits after the point.
fn rational(text: &str) -> Result<Value> {
    let wrong = || Error::argument(format!("{text:?} is no rational number such as 24000/1001"));
    if let Some((above, below)) = text.split_once('/') {
        let above = above.trim().parse::<i32>().map_err(|_| wrong())?;
        let below = below.trim().parse::<u32>().ok().filter(|below| *below > 0);
        return Ok(Value::Rational(above, below.ok_or_else(wrong)?));
    }
    let (whole, digits) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    if digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let above = format!("{whole}{digits}").parse::<i32>().map_err(|_| wrong())?;
    Ok(Value::Rational(above, 10u32.pow(digits.len() as u32)))
}

/// `hours:minutes:seconds:frame`; a semicolon before the frame marks dropped frames.
fn time_code(text: &str) -> Result<Value> {
    let wrong = || Error::argument(format!("{text:?} is no time code such as 10:59:58:07"));
    let fields: Vec<&str> = text.trim().split([':', ';']).collect();
    let fields: [&str; 4] = fields.try_into().map_err(|_| wrong())?;
    let mut packed = u32::from(text.contains(';')) << 6;
    for (field, (most, shift)) in fields.into_iter().zip([(23, 24), (59, 16), (59, 8), (39, 0)]) {
        let digits = field.len() <= 2 && field.bytes().all(|b| b.is_ascii_digit());
        let value = field.parse::<u32>().ok().filter(|value| digits && *value <= most);
        let value = value.ok_or_else(wrong)?;
        // Two decimal digits, four bits each.
        packed |= (((value / 10) << 4) | (value % 10)) << shift;
    }
    Ok(Value::TimeCode(TimeCode { time_and_flags: packed, user_data: 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_text() {
        let same = |kind: &str, text: &str, value: Value| {
            assert_eq!(typed(kind, text).unwrap(), value, "{kind} {text}");
            assert_eq!(value.type_name(), kind);
        };
        same("int", "-3", Value::Int(-3));
        same("float", " 1.5 ", Value::Float(1.5));
        same("string", " as typed ", Value::Text(" as typed ".into()));
        same("box2i", "0 0, 9 5", Value::Box2i(Box2i { min: [0, 0], max: [9, 5] }));
        same("rational", "24000/1001", Value::Rational(24000, 1001));
        same("rational", "23.976", Value::Rational(23976, 1000));
        same("rational", "25", Value::Rational(25, 1));
        same("stringvector", "left, right", Value::TextVector(vec!["left".into(), "right".into()]));
        same("envmap", "cube", Value::Envmap(1));
        let Value::TimeCode(code) = typed("timecode", "10:59:58:07").unwrap() else { panic!() };
        assert_eq!(code.to_string(), "10:59:58:07");
        for (kind, text) in [
            ("int", "1.5"),
            ("v2f", "1"),
            ("v3f", "1 2 x"),
            ("rational", "1/0"),
            ("timecode", "24:00:00:00"),
            ("timecode", "1:2:3"),
            ("envmap", "sphere"),
            ("chlist", "R"),
            ("float", ""),
            ("float", "1e40"),
            ("v2f", "1e300 1"),
            ("floatvector", "1,-1e99"),
            ("double", "1e400"),
        ] {
            assert!(typed(kind, text).is_err(), "{kind} {text}");
        }
        assert_eq!(typed("float", "-inf").unwrap(), Value::Float(f32::NEG_INFINITY));
        assert_eq!(typed("double", "1e40").unwrap(), Value::Double(1e40));
    }

    #[test]
    fn types_are_known_or_guessed() {
        assert_eq!(standard_type("owner"), Some("string"));
        assert_eq!(standard_type("framesPerSecond"), Some("rational"));
        assert_eq!(standard_type("mine"), None);
        assert_eq!(
            ["3", "3.5", "1e3", "nan", "3 m"].map(likely_type),
            ["int", "float", "float", "string", "string"]
        );
        let all = STANDARD.iter().all(|(kind, _)| is_typed(kind));
        assert!(all && TYPES.is_sorted());
    }
}
