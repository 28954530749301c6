//! Rules that are functions: `number` undoes the coding, `text` adds words.

use super::{place, words};
use crate::number::plain;
use crate::text;
use crate::value::Value;

macro_rules! named {
    ($($variant:ident = $name:literal,)*) => {
        /// The rules that tables name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Named { $($variant),* }

        impl Named {
            /// The rule that tables call `name`.
            pub(crate) fn parse(name: &str) -> Option<Named> {
                Some(match name { $($name => Named::$variant,)* _ => return None })
            }
        }
    };
}

named! {
    Trim = "trim",
    UndefText = "undef_text",
    Copyright = "copyright",
    Date = "date",
    IsoDate = "date_iso",
    IsoDateZone = "date_iso_zone",
    SubSeconds = "sub_seconds",
    ExposureTime = "exposure_time",
    ExposureTimes = "exposure_times",
    ExposureTimesBig = "exposure_times_big",
    FNumber = "f_number",
    Fraction = "fraction",
    ApexTime = "apex_time",
    ApexAperture = "apex_aperture",
    Meters = "meters",
    FocalLength = "focal_length",
    WholeMm = "whole_mm",
    Iso = "iso",
    Offsets = "offsets",
    SubSampling = "sub_sampling",
    Components = "components",
    UserComment = "user_comment",
    UserCommentBig = "user_comment_big",
    Utf16Le = "utf16le",
    Celsius = "celsius",
    FileSource = "file_source",
    CfaPattern = "cfa_pattern",
    PlaneColor = "plane_color",
    LensInfo = "lens_info",
    Dotted = "dotted",
    HexUpper = "hex_upper",
    HexLower = "hex_lower",
    GpsAngle = "gps_angle",
    GpsTime = "gps_time",
    GpsDate = "gps_date",
    OneDecimal = "one_decimal",
    TwoByFour = "version_parts",
    Dimensions = "dimensions",
    Seconds = "seconds",
    Percent = "percent",
    Megapixels = "megapixels",
    Bytes = "bytes",
    Iso6709 = "iso_6709",
    XmpLatitude = "xmp_latitude",
    XmpLongitude = "xmp_longitude",
    PlusWords = "plus_words",
    IptcDate = "iptc_date",
    IptcTime = "iptc_time",
    IptcCharset = "iptc_charset",
    IptcPrefs = "iptc_prefs",
    IccVersion = "icc_version",
    IccFlags = "icc_flags",
    IccAttributes = "icc_attributes",
    IccId = "icc_id",
    IccPercent = "icc_percent",
    PhotoshopQuality = "photoshop_quality",
    Lower = "lower",
    JfifVersion = "jfif_version",
    PerHundred = "per_hundred",
    Jp2Bits = "jp2_bits",
    HevcLevel = "hevc_level",
    FrameRate = "frame_rate",
    Of = "of",
    Latitude = "latitude",
    Longitude = "longitude",
    Position = "position",
    Altitude = "altitude",
    Millimetres3 = "millimetres",
    Metres2 = "metres",
    FilmLength = "film_length",
    FieldOfView = "field_of_view",
    DepthOfField = "depth_of_field",
    FieldOrder = "field_order",
    Hex = "hex",
    SpacedOf = "spaced_of",
    Fahrenheit = "fahrenheit",
    Volts = "volts",
    DashedSize = "dashed_size",
    NearFar = "near_far",
    FujiFineTune = "fuji_fine_tune",
    WholePercent = "whole_percent",
    Thirds = "thirds",
    PanasonicSerial = "panasonic_serial",
    HundredthsClock = "hundredths_clock",
    Kilopascal = "kilopascal",
    Low15Bits = "low_15_bits",
    UnixDate = "unix_date",
    MacDate = "mac_date",
    MacDateUtc = "mac_date_utc",
    Cr2Pattern = "cr2_pattern",
    Bitrate = "bitrate",
    SixDecimals = "six_decimals",
    HexWords = "hex_words",
    ThousandthPercent = "thousandth_percent",
    CommentWords = "comment_words",
    CommentWordsBig = "comment_words_big",
    BoxType = "box_type",
    SwappedSize = "swapped_size",
    SwappedRatio = "swapped_ratio",
    SignedTenth = "signed_tenth",
    BinaryLog = "binary_log",
    ShareOf1024 = "share_of_1024",
    RootPower = "root_power",
    ShortHex = "short_hex",
    MailDate = "mail_date",
    PhotoMechanicPrefs = "photo_mechanic_prefs",
    Hundredths = "hundredths",
}

impl Named {
    /// The value without its coding.
    pub(crate) fn number(self, value: &Value) -> Value {
        let first = || value.number(0);
        Value::Text(match self {
            Named::Trim | Named::SubSeconds => value.plain().trim_end().to_owned(),
            Named::UndefText => value.plain().trim_end_matches('\0').to_owned(),
            Named::Copyright => copyright(value),
            Named::IsoDate => iso_date(&value.plain()),
            Named::IsoDateZone => with_colon(iso_date(&value.plain())),
            Named::MailDate => {
                let text = value.plain();
                text::mail_date(&text).unwrap_or(text)
            }
            Named::ApexTime => match first() {
                Some(apex) if apex.abs() < 100.0 => plain((-apex).exp2()),
                _ => "0".into(),
            },
            Named::ApexAperture => {
                let apex = first().map(|apex| if apex.is_nan() { 0.0 } else { apex });
                apex.map_or_else(|| value.plain(), |apex| plain((apex / 2.0).exp2()))
            }
            Named::RootPower => {
                first().map_or_else(|| value.plain(), |a| plain(2f64.sqrt().powf(a)))
            }
            Named::ExposureTimes => words::exposure_times(value, false),
            Named::ExposureTimesBig => words::exposure_times(value, true),
            Named::UserComment => text::comment(value, false),
            Named::UserCommentBig => text::comment(value, true),
            Named::Utf16Le => match value {
                Value::Ints(v) => {
                    text::utf16(&v.iter().map(|b| *b as u8).collect::<Vec<_>>(), false)
                }
                other => other.plain(),
            },
            Named::Components | Named::FileSource => match value {
                Value::Bytes(bytes) if bytes.len() != 1 && self == Named::FileSource => {
                    crate::value::lossy(bytes)
                }
                other => numbers(other),
            },
            Named::CfaPattern => cfa_numbers(value),
            Named::HexUpper => hex(value).to_uppercase(),
            Named::HexLower => hex(value),
            Named::GpsAngle => {
                let mut parts = value.numbers();
                if parts.is_empty() {
                    return value.clone();
                }
                // 0/0 stands for a place that is not known.
                parts.retain(|part| part.is_finite());
                if parts.is_empty() {
                    return Value::text("");
                }
                let part = |i: usize| parts.get(i).copied().unwrap_or(0.0);
                plain(part(0) + (part(1) + part(2) / 60.0) / 60.0)
            }
            Named::GpsTime => words::time_of_day(&value.numbers()),
            Named::GpsDate => gps_date(&value.plain()),
            Named::XmpLatitude | Named::XmpLongitude => place::xmp_angle(&value.plain()),
            Named::Iso6709 => place::iso_6709(&value.plain()),
            Named::PlusWords => {
                let text = value.plain();
                text.rsplit('/').next().unwrap_or(&text).to_owned()
            }
            Named::Thirds => first().map_or_else(|| value.plain(), |v| plain(v / 3.0)),
            Named::HundredthsClock => first().map_or_else(|| value.plain(), |v| plain(v / 100.0)),
            Named::Low15Bits => match value.integer(0) {
                Some(count) => (count & 0x7fff).to_string(),
                None => value.plain(),
            },
            Named::Kilopascal => first().map_or_else(|| value.plain(), |v| plain(v / 10.0)),
            Named::PanasonicSerial => value.plain().trim_end_matches('\0').to_owned(),
            Named::IptcDate => iptc_date(&value.plain()),
            Named::IptcTime => iptc_time(&value.plain()),
            Named::BoxType => hex(value),
            Named::SwappedSize | Named::SwappedRatio => {
                match (value.integer(0), value.integer(1)) {
                    (Some(height), Some(width)) => format!("{width} {height}"),
                    _ => value.plain(),
                }
            }
            Named::MacDateUtc => match value.integer(0) {
                Some(1..) if value.integer(0) != Some(MAC_EPOCH) => {
                    format!("{}+00:00", Named::MacDate.number(value).plain())
                }
                _ => return Named::MacDate.number(value),
            },
            Named::Cr2Pattern => cr2_pattern(value.integer(0).unwrap_or(0)),
            Named::BinaryLog => {
                first().filter(|v| *v > 0.0).map_or_else(|| "0".into(), |v| plain(v.log2()))
            }
            Named::UnixDate => value.integer(0).map_or_else(|| value.plain(), |s| date_of(s, 0)),
            Named::MacDate => match value.integer(0) {
                Some(0 | MAC_EPOCH) => "0000:00:00 00:00:00".into(),
                // No film is older than 1970: the program that wrote this counted from then.
                Some(seconds @ ..MAC_EPOCH) => date_of(seconds, 0),
                Some(seconds) => date_of(seconds, MAC_EPOCH),
                None => value.plain(),
            },
            Named::Offsets if value.count() > 1 && value.plain().len() > 32 => {
                return super::hidden(value);
            }
            Named::Of => match (value.integer(0), value.integer(1)) {
                (Some(one), Some(all)) if all > 0 => format!("{one} of {all}"),
                (Some(one), _) => one.to_string(),
                _ => value.plain(),
            },
            Named::FilmLength => value.number(0).map_or_else(|| value.plain(), plain),
            _ => return value.clone(),
        })
    }

    /// The value in words.
    pub(crate) fn text(self, value: &Value) -> Value {
        self.worded(value, &self.number(value))
    }

    /// The words for a number whose coding is undone already.
    pub(crate) fn text_of_number(self, number: &Value) -> Value {
        self.worded(number, number)
    }

    fn worded(self, stored: &Value, value: &Value) -> Value {
        let raw = || value.plain();
        let first = || leading(value);
        let only = || first().filter(|_| !raw().contains(' '));
        let with = |unit: &str| with_unit(value, unit);
        Value::Text(match self {
            Named::ExposureTime | Named::ApexTime => only().map_or_else(raw, words::exposure_time),
            Named::ExposureTimes | Named::ExposureTimesBig => words::exposure_words(&raw()),
            Named::FNumber => match only() {
                Some(f) if f > 0.0 && f < 1.0 => format!("{f:.2}"),
                Some(f) if f > 0.0 => format!("{f:.1}"),
                _ => raw(),
            },
            Named::OneDecimal | Named::ApexAperture | Named::RootPower => {
                first().map_or_else(raw, |f| format!("{f:.1}"))
            }
            Named::Fraction => value.number(0).map_or_else(raw, words::fraction),
            Named::ShortHex => words::short_hex(value),
            Named::PhotoMechanicPrefs => match raw().split(':').collect::<Vec<_>>()[..] {
                [tagged, color, rating, frame] => format!(
                    "Tagged:{tagged}, ColorClass:{color}, Rating:{rating}, FrameNum:{frame}"
                ),
                _ => raw(),
            },
            Named::GpsTime => words::to_microseconds(&raw()),
            Named::Meters => with(" m"),
            Named::Celsius => with(" C"),
            Named::WholeMm => with(" mm"),
            Named::FocalLength => {
                // Text of XMP may have the unit already.
                let length = value.number(0).filter(|v| v.is_finite());
                format!("{:.1} mm", length.unwrap_or_default())
            }
            Named::Iso => raw().replace(' ', ", "),
            Named::SubSampling => sub_sampling(&raw()),
            Named::Components => each(&raw(), "-|Y|Cb|Cr|R|G|B", ", "),
            Named::FileSource => file_source(&raw()),
            Named::CfaPattern => cfa_words(&raw()),
            Named::Cr2Pattern => match raw() {
                unknown if unknown.starts_with('U') => unknown,
                colors => cfa_words(&format!("2 2 {colors}")),
            },
            Named::PlaneColor => each(&raw(), "Red|Green|Blue|Cyan|Magenta|Yellow|White", ","),
            Named::LensInfo => {
                words::lens(&raw().split(' ').map(str::to_owned).collect::<Vec<_>>())
            }
            Named::Dotted | Named::TwoByFour => raw().replace(' ', "."),
            Named::GpsAngle => first().map_or_else(raw, |v| words::degrees(v, "")),
            Named::Latitude => signed_angle(first(), "N", "S").unwrap_or_else(raw),
            Named::Longitude => signed_angle(first(), "E", "W").unwrap_or_else(raw),
            Named::Position => {
                let north = signed_angle(value.number(0), "N", "S").unwrap_or_default();
                let east = signed_angle(value.number(1), "E", "W").unwrap_or_default();
                format!("{north}, {east}")
            }
            Named::Altitude => {
                let metres = first().unwrap_or(0.0);
                let side = if metres < 0.0 { "Below" } else { "Above" };
                let tenths = (metres.abs() * 10.0).trunc() / 10.0;
                format!("{} m {side} Sea Level", plain(tenths))
            }
            Named::Millimetres3 => first().map_or_else(raw, |v| format!("{v:.3} mm")),
            Named::Metres2 => first().map_or_else(raw, |v| format!("{v:.2} m")),
            Named::FilmLength => match (stored.number(0), stored.number(1)) {
                (Some(film), Some(real)) => {
                    format!("{real:.1} mm (35 mm equivalent: {film:.1} mm)")
                }
                _ => first().map_or_else(raw, |v| format!("{v:.1} mm")),
            },
            Named::FieldOfView => match (first(), value.number(1)) {
                (Some(angle), Some(width)) => format!("{angle:.1} deg ({width:.2} m)"),
                (Some(angle), None) => format!("{angle:.1} deg"),
                _ => raw(),
            },
            Named::FieldOrder => field_order(value),
            Named::Hex => value.integer(0).map_or_else(raw, |v| format!("0x{v:x}")),
            Named::SpacedOf => raw().replace(' ', " of "),
            Named::Fahrenheit => with(" F"),
            Named::Volts => with(" V"),
            Named::DashedSize => raw().replace('-', "x"),
            Named::NearFar => match (value.number(0), value.number(1)) {
                (Some(a), Some(b)) => format!("{:.2} - {:.2} m", a.min(b), a.max(b)),
                _ => raw(),
            },
            Named::FujiFineTune => match (value.integer(0), value.integer(1)) {
                (Some(red), Some(blue)) => format!("Red {red:+}, Blue {blue:+}"),
                _ => raw(),
            },
            Named::WholePercent => with("%"),
            Named::Thirds => first().map_or_else(raw, words::fraction),
            Named::PanasonicSerial => panasonic_serial(&raw()),
            Named::HundredthsClock => first().map_or_else(raw, clock),
            Named::Kilopascal => first().map_or_else(raw, |v| format!("{v:.1} kPa")),
            Named::CommentWords => text::comment(stored, false),
            Named::CommentWordsBig => text::comment(stored, true),
            Named::Iso6709 => place::coordinate_words(&raw()),
            Named::DepthOfField => depth_of_field(value),
            Named::XmpLatitude => signed_angle(first(), "N", "S").unwrap_or_else(raw),
            Named::XmpLongitude => signed_angle(first(), "E", "W").unwrap_or_else(raw),
            _ => return self.text_of_formats(value),
        })
    }

    /// What `text` does for what ICC, IPTC, Photoshop, films and files say.
    fn text_of_formats(self, value: &Value) -> Value {
        let raw = || value.plain();
        let first = || leading(value);
        Value::Text(match self {
            Named::IptcCharset => words::charset(&raw()),
            Named::IptcPrefs => words::prefs(&raw()),
            Named::IccVersion => {
                let version = value.integer(0).unwrap_or(0);
                format!("{}.{}.{}", version >> 8, version >> 4 & 15, version & 15)
            }
            Named::IccFlags => {
                let flags = value.integer(0).unwrap_or(0);
                let word = |bit: i64, yes, no| if flags & bit == 0 { no } else { yes };
                let (embedded, tied) = (
                    word(1, "Embedded", "Not Embedded"),
                    word(2, "Not Independent", "Independent"),
                );
                format!("{embedded}, {tied}")
            }
            Named::IccAttributes => {
                let low = value.integer(1).unwrap_or(0);
                let word = |bit: i64, yes, no| if low & bit == 0 { no } else { yes };
                [
                    word(1, "Transparency", "Reflective"),
                    word(2, "Matte", "Glossy"),
                    word(4, "Negative", "Positive"),
                    word(8, "B&W", "Color"),
                ]
                .join(", ")
            }
            Named::IccId => {
                let id = hex(value);
                if id.bytes().all(|b| b == b'0') { "0".into() } else { id }
            }
            Named::IccPercent => format!("{}%", plain(first().unwrap_or(0.0) * 100.0)),
            Named::PhotoshopQuality => {
                value.integer(0).map_or_else(raw, |quality| (quality + 4).to_string())
            }
            Named::Lower => raw().to_lowercase(),
            Named::JfifVersion => {
                format!("{}.{:02}", value.integer(0).unwrap_or(0), value.integer(1).unwrap_or(0))
            }
            Named::PerHundred => with_unit(value, "%"),
            Named::Jp2Bits => {
                let bits = value.integer(0).unwrap_or(0);
                let sign = if bits & 0x80 == 0 { "Unsigned" } else { "Signed" };
                if bits == 255 {
                    "Variable".into()
                } else {
                    format!("{} Bits, {sign}", (bits & 0x7f) + 1)
                }
            }
            Named::HevcLevel => {
                let level = first().unwrap_or(0.0);
                format!("{} (level {:.1})", raw(), level / 30.0)
            }
            Named::Hundredths => {
                first().map_or_else(raw, |v| plain((v * 100.0 + 0.5).floor() / 100.0))
            }
            Named::FrameRate => {
                first().map_or_else(raw, |v| plain((v * 1000.0 + 0.5).floor() / 1000.0))
            }
            Named::HexWords => {
                let words = (0..value.count()).filter_map(|i| value.integer(i));
                words.map(|word| format!("{word:08x}")).collect()
            }
            Named::ThousandthPercent => first().map_or_else(raw, |v| format!("{v:.3}%")),
            Named::Bitrate => first().map_or_else(raw, bitrate),
            Named::SixDecimals => {
                first().map_or_else(raw, |v| plain((v * 1e6 + 0.5).trunc() * 1e-6))
            }
            Named::BoxType => box_type(&raw()),
            Named::SwappedRatio => raw().replace(' ', ":"),
            Named::SwappedSize => raw().replace(' ', "x"),
            Named::SignedTenth | Named::BinaryLog => match first() {
                Some(v) if v != 0.0 => format!("{v:+.1}"),
                _ => "0".into(),
            },
            Named::PlusWords => plus_words(&raw()),
            Named::Dimensions => raw().replace(' ', "x"),
            Named::Seconds => first().map_or_else(raw, seconds),
            Named::Percent => first().map_or_else(raw, |v| format!("{:.2}%", v * 100.0)),
            Named::Megapixels => first().map_or_else(raw, megapixels),
            Named::Bytes => format!("{} bytes", raw()),
            Named::ShareOf1024 => first().map_or_else(raw, |v| format!("{:.0}%", v / 10.24)),
            _ => return value.clone(),
        })
    }
}

/// The first number of a value, where it has a finite one.
fn leading(value: &Value) -> Option<f64> {
    // Text counts as a number only as a whole.
    let partly = matches!(value, Value::Text(text) if text.trim().parse::<f64>().is_err());
    value.number(0).filter(|v| v.is_finite() && !partly)
}

/// The value with its unit, where it is a number.
fn with_unit(value: &Value, unit: &str) -> String {
    match value.plain().as_str() {
        plain @ ("inf" | "undef") => plain.to_owned(),
        plain => format!("{plain}{unit}"),
    }
}

/// All numbers of a value, bytes too, parted by spaces.
fn numbers(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
        other => other.plain(),
    }
}

/// The colours of two rows of two, of a number that CR2 has for them.
fn cr2_pattern(number: i64) -> String {
    match number {
        1 => "0 1 1 2".into(),
        2 => "2 1 1 0".into(),
        3 => "1 2 0 1".into(),
        4 => "1 0 2 1".into(),
        other => format!("Unknown ({other})"),
    }
}

fn field_order(value: &Value) -> String {
    let order = match value.integer(0) {
        Some(1) => "Progressive",
        Some(2) => "2:1 Interlaced",
        _ => "Unknown",
    };
    format!("{order}; {}", value.integer(1).unwrap_or(0))
}

fn copyright(value: &Value) -> String {
    let all = match value {
        Value::Bytes(bytes) => crate::value::lossy(bytes),
        other => other.plain(),
    };
    let mut parts = all.split('\0');
    let photographer = parts.next().unwrap_or_default().trim_end();
    let editor = parts.next().unwrap_or_default().trim_end();
    if editor.is_empty() { photographer.to_owned() } else { format!("{photographer}\n{editor}") }
}

/// `2020-10-27T18:21:44Z` as `2020:10:27 18:21:44Z`.
pub(crate) fn iso_date(text: &str) -> String {
    let bytes = text.as_bytes();
    let date = bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-';
    if !date || !bytes[..4].iter().all(u8::is_ascii_digit) || !text.is_ascii() {
        return text.to_owned();
    }
    let rest = text[10..].strip_prefix('T').map(|time| format!(" {time}"));
    format!("{}{}", text[..10].replace('-', ":"), rest.unwrap_or_else(|| text[10..].to_owned()))
}

/// Eight digits with whatever between them; other text stays.
fn gps_date(text: &str) -> String {
    let text = text.replace('\0', "");
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let runs: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    let parts = match runs[..] {
        [_] => text.len() == 8,
        [year, rest] => (year.len(), rest.len()) == (4, 4) || (year.len(), rest.len()) == (6, 2),
        [year, month, day] => (year.len(), month.len(), day.len()) == (4, 2, 2),
        _ => false,
    };
    let ends = |end: Option<char>| end.is_some_and(|c| c.is_ascii_digit());
    if parts && digits.len() == 8 && ends(text.chars().next()) && ends(text.chars().next_back()) {
        format!("{}:{}:{}", &digits[..4], &digits[4..6], &digits[6..])
    } else {
        text
    }
}

fn hex(value: &Value) -> String {
    let bytes: Vec<u8> = match value {
        Value::Bytes(bytes) => bytes.clone(),
        Value::Ints(v) => v.iter().map(|b| *b as u8).collect(),
        other => return other.plain(),
    };
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Each number as the word at that place of `words`.
fn each(numbers: &str, words: &str, between: &str) -> String {
    let word = |n: &str| {
        let found = n.parse().ok().and_then(|i| words.split('|').nth(i));
        found.map_or_else(|| format!("Err ({n})"), str::to_owned)
    };
    numbers.split(' ').map(word).collect::<Vec<_>>().join(between)
}

fn sub_sampling(pair: &str) -> String {
    let name = match pair {
        "1 1" => "YCbCr4:4:4",
        "2 1" => "YCbCr4:2:2",
        "2 2" => "YCbCr4:2:0",
        "4 1" => "YCbCr4:1:1",
        "4 2" => "YCbCr4:1:0",
        "1 2" | "1 4" | "2 4" => "YCbCr4:4:0",
        _ => return format!("Unknown ({pair})"),
    };
    format!("{name} ({pair})")
}

fn file_source(value: &str) -> String {
    match value {
        "1" => "Film Scanner".into(),
        "2" => "Reflection Print Scanner".into(),
        "3" => "Digital Camera".into(),
        "\u{3}\0\0\0" => "Sigma Digital Camera".into(),
        other => format!("Unknown ({other})"),
    }
}

/// Two sizes and a colour for each place; the sizes come in either byte order.
fn cfa_numbers(value: &Value) -> String {
    let Value::Bytes(bytes) = value else { return value.plain() };
    let [a, b, c, d, colors @ ..] = &bytes[..] else { return numbers(value) };
    let big = (u32::from(*a) << 8 | u32::from(*b), u32::from(*c) << 8 | u32::from(*d));
    let little = (u32::from(*b) << 8 | u32::from(*a), u32::from(*d) << 8 | u32::from(*c));
    let fits = |(w, h): (u32, u32)| w * h > 0 && (w * h) as usize <= colors.len();
    let (width, height) = if fits(big) { big } else { little };
    let all = (width.saturating_mul(height) as usize).min(colors.len());
    let all = if fits((width, height)) { all } else { colors.len() };
    let mut text = format!("{width} {height}");
    for color in &colors[..all] {
        text.push_str(&format!(" {color}"));
    }
    text
}

fn cfa_words(numbers: &str) -> String {
    let numbers: Vec<usize> = numbers.split(' ').filter_map(|n| n.parse().ok()).collect();
    let [rows, columns, colors @ ..] = &numbers[..] else { return "<truncated data>".into() };
    if *columns == 0 || *rows == 0 {
        return "<zero pattern size>".into();
    }
    if rows.checked_mul(*columns) != Some(colors.len()) || colors.is_empty() {
        return "<invalid pattern size>".into();
    }
    let names = ["Red", "Green", "Blue", "Cyan", "Magenta", "Yellow", "White"];
    let name = |c: &usize| names.get(*c).copied().unwrap_or("Unknown");
    let row = |row: &[usize]| row.iter().map(name).collect::<Vec<_>>().join(",");
    colors.chunks(*columns).map(|r| format!("[{}]", row(r))).collect()
}

/// Four letters of a type in words, the rest in base 16: `(c2pa)-0011-0010-800000aa00389b71`.
fn box_type(hex: &str) -> String {
    let parts = hex.split_at_checked(8).filter(|(_, rest)| rest.len() == 24 && rest.is_ascii());
    let Some((first, rest)) = parts else {
        return hex.to_owned();
    };
    let code = u32::from_str_radix(first, 16).unwrap_or(0).to_be_bytes();
    let letters = code.iter().all(u8::is_ascii_alphanumeric);
    let first =
        if letters { format!("({})", crate::value::lossy(&code)) } else { first.to_owned() };
    format!("{first}-{}-{}-{}", &rest[..4], &rest[4..8], &rest[8..])
}

/// Bits a second: `1.23 Mbps`.
fn bitrate(bits: f64) -> String {
    let (mut value, mut unit) = (bits, "bps");
    for larger in ["kbps", "Mbps", "Gbps"] {
        if value < 1000.0 {
            break;
        }
        (value, unit) = (value / 1000.0, larger);
    }
    if value < 100.0 {
        format!("{} {unit}", crate::number::significant(value, 3))
    } else {
        format!("{value:.0} {unit}")
    }
}

/// A length of time: `4.97 s`, `0:01:05`.
pub(crate) fn seconds(value: f64) -> String {
    if value == 0.0 {
        return "0 s".into();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let value = value.abs();
    if value < 30.0 {
        return format!("{sign}{value:.2} s");
    }
    let whole = (value + 0.5) as u64;
    let (days, hours) = (whole / 86400, whole / 3600);
    let clock = format!(
        "{}:{:02}:{:02}",
        if hours > 24 { hours % 24 } else { hours },
        whole / 60 % 60,
        whole % 60
    );
    if hours > 24 { format!("{sign}{days} days {clock}") } else { format!("{sign}{clock}") }
}

fn megapixels(value: f64) -> String {
    if value >= 1.0 {
        format!("{value:.1}")
    } else if value >= 0.001 {
        format!("{value:.3}")
    } else {
        format!("{value:.6}")
    }
}

/// The range in focus: `1.38 m (0.42 - 1.79 m)`.
fn depth_of_field(value: &Value) -> String {
    let (near, far) = (value.number(0).unwrap_or(0.0), value.number(1).unwrap_or(0.0));
    if far == 0.0 {
        return format!("inf ({near:.2} m - inf)");
    }
    let decimals = if far - near > 0.02 || far - near <= 0.0 { 2 } else { 3 };
    format!("{:.decimals$} m ({near:.decimals$} - {far:.decimals$} m)", far - near)
}

/// `F651203260376` as `(F65) 2012:03:26 no. 0376`: factory, date, number of the day.
fn panasonic_serial(text: &str) -> String {
    // Numbers behind zeros have another form.
    let text = if text.starts_with('\0') { text } else { text::before_zero(text).trim_end() };
    let digits = text.get(3..).filter(|t| t.len() == 10 && t.bytes().all(|b| b.is_ascii_digit()));
    match (text.get(..3), digits) {
        (Some(factory), Some(d)) if factory.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            let (year, month, day, number) = (&d[..2], &d[2..4], &d[4..6], &d[6..]);
            format!("({factory}) 20{year}:{month}:{day} no. {number}")
        }
        _ => text.to_owned(),
    }
}

/// Seconds as `00:00:33.03`, with days where there are any.
fn clock(seconds: f64) -> String {
    let whole = seconds.trunc() as u64;
    let (days, hours, minutes) = (whole / 86400, whole / 3600 % 24, whole / 60 % 60);
    let rest = seconds - (whole / 60 * 60) as f64;
    let days = if days > 0 { format!("{days} days ") } else { String::new() };
    format!("{days}{hours:02}:{minutes:02}:{rest:05.2}")
}

/// Seconds from 1904 to 1970.
const MAC_EPOCH: i64 = 2_082_844_800;

/// `2020:01:02 03:04:05` of seconds since 1970, `before` of them earlier.
fn date_of(seconds: i64, before: i64) -> String {
    let seconds = seconds.saturating_sub(before);
    let (days, clock) = (seconds.div_euclid(86400), seconds.rem_euclid(86400));
    // The civil calendar, counted from March of the year 0 in eras of 400 years.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}")
}

fn signed_angle(angle: Option<f64>, positive: &str, negative: &str) -> Option<String> {
    angle.map(|angle| words::degrees(angle, if angle < 0.0 { negative } else { positive }))
}

/// `20040621` at the end as `2004:06:21`, whatever stands between the parts.
fn iptc_date(text: &str) -> String {
    let text = text.strip_suffix('\0').unwrap_or(text);
    let ends = |text: &str, count: usize| {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        (digits >= count).then(|| text.len() - count)
    };
    let before = |at: usize| text[..at].trim_end_matches(|c: char| !c.is_ascii_digit());
    let split = || {
        let day = ends(text, 2)?;
        let month = ends(before(day), 2)?;
        let year = ends(before(month), 4)?;
        let (head, year) = (&text[..year], &text[year..year + 4]);
        Some(format!("{head}{year}:{}:{}", &text[month..month + 2], &text[day..]))
    };
    split().unwrap_or_else(|| text.to_owned())
}

/// `233753-0400` as `23:37:53-04:00`; what follows the seconds stays.
fn iptc_time(text: &str) -> String {
    let text = text.strip_suffix('\0').unwrap_or(text).replace(' ', ":");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    with_colon(match digits {
        6.. => format!("{}:{}:{}", &text[..2], &text[2..4], &text[4..]),
        _ => text,
    })
}

/// `+0530` at the end as `+05:30`.
fn with_colon(text: String) -> String {
    let start = text.len().checked_sub(5).filter(|start| text.is_char_boundary(*start));
    let zone = start.and_then(|start| text[start..].strip_prefix(['+', '-']));
    match zone.filter(|zone| zone.bytes().all(|b| b.is_ascii_digit())) {
        Some(zone) => format!("{}:{}", &text[..text.len() - 2], &zone[2..]),
        None => text,
    }
}

/// Words of the PLUS vocabulary, which are written as addresses or as codes.
fn plus_words(text: &str) -> String {
    let code = text.rsplit('/').next().unwrap_or(text);
    super::look_up(PLUS, code).unwrap_or(code).to_owned()
}

const PLUS: &str = "CS-PRO:Protected|CS-PUB:Public Domain|CS-UNK:Unknown|\
    CR-NRQ:Not Required|CR-CAI:Credit Adjacent To Image|CR-CCA:Credit in Credits Area|\
    CR-COI:Credit on Image|AL-CRP:No Cropping|AL-FLP:No Flipping|AL-RET:No Retouching|\
    AL-CLR:No Colorization|AL-DCL:No De-Colorization|AL-MRG:No Merging|\
    DP-NDC:No Duplication Constraints|DP-LIC:Duplication Only as Necessary Under License|\
    DP-NOD:No Duplication|IF-MFN:Maintain File Name|IF-MID:Maintain ID in File Name|\
    IF-MMD:Maintain Metadata|IF-MFT:Maintain File Type|\
    FF-JPG:JPEG Interchange Formats (JPG, JIF, JFIF)|FF-TIF:Tagged Image File Format (TIFF)|\
    FF-GIF:Graphics Interchange Format (GIF)|FF-RAW:Proprietary RAW Image Format|\
    FF-DNG:Digital Negative (DNG)|FF-EPS:Encapsulated PostScript (EPS)|FF-BMP:Windows Bitmap (BMP)|\
    FF-PCT:Macintosh Picture (PICT)|FF-PIC:Photoshop Document (PSD)|FF-OTR:Other|\
    SZ-U01:Up to 1 MB|SZ-U10:Up to 10 MB|SZ-U30:Up to 30 MB|SZ-U50:Up to 50 MB|\
    SZ-G50:Greater than 50 MB|AG-UNK:Age Unknown|AG-A25:Age 25 or Over|AG-U14:Age 14 or Under|\
    AG-A15:Age 15|AG-A16:Age 16|AG-A17:Age 17|AG-A18:Age 18|AG-A19:Age 19|AG-A20:Age 20|\
    AG-A21:Age 21|AG-A22:Age 22|AG-A23:Age 23|AG-A24:Age 24|MR-NON:None|MR-NAP:Not Applicable|\
    MR-UMR:Unlimited Model Releases|MR-LMR:Limited or Incomplete Model Releases|PR-NON:None|\
    PR-NAP:Not Applicable|PR-UPR:Unlimited Property Releases|\
    PR-LPR:Limited or Incomplete Property Releases|RE-RPT:Repeat Use|RE-NAP:Not Applicable|\
    work:Work|cell:Cell|fax:FAX|home:Home|pager:Pager";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_cameras() {
        let text = |rule: &str, value: Value| match Named::parse(rule).unwrap().text(&value) {
            Value::Text(text) => text,
            other => other.plain(),
        };
        assert_eq!(text("f_number", Value::Rationals(vec![(5, 10)])), "0.50");
        assert_eq!(text("f_number", Value::Rationals(vec![(28, 10), (0, 0)])), "2.8 undef");
        assert_eq!(text("exposure_time", Value::Rationals(vec![(0, 0)])), "undef");
        assert_eq!(text("apex_time", Value::Rationals(vec![(6, 1)])), "1/64");
        assert_eq!(text("apex_aperture", Value::Rationals(vec![(3, 1)])), "2.8");
        assert_eq!(text("apex_aperture", Value::Rationals(vec![(0, 0)])), "1.0");
        assert_eq!(text("gps_angle", Value::Rationals(vec![(0, 0); 3])), "");
        assert_eq!(text("meters", Value::Rationals(vec![(1, 0)])), "inf");
        assert_eq!(text("iso", Value::Ints(vec![100, 200])), "100, 200");
        let pattern = Value::Bytes(vec![2, 0, 2, 0, 0, 1, 1, 2]);
        assert_eq!(text("cfa_pattern", pattern), "[Red,Green][Green,Blue]");
        assert_eq!(text("copyright", Value::Bytes(b"A\0B\0".to_vec())), "A\nB");
        assert_eq!(text("date_iso", Value::text("2020-10-27T18:21:44Z")), "2020:10:27 18:21:44Z");
        assert_eq!(text("components", Value::Ints(vec![1, 2, 3, 7])), "Y, Cb, Cr, Err (7)");
        assert_eq!(text("mac_date", Value::int(3_206_700_000_i64)), "2005:08:12 14:00:00");
        // Counted from 1970.
        assert_eq!(text("mac_date", Value::int(1_700_000_000)), "2023:11:14 22:13:20");
        assert_eq!(text("mac_date_utc", Value::int(MAC_EPOCH)), "0000:00:00 00:00:00");
        let zoned = Value::text("2020-01-02T03:04:05+0200");
        assert_eq!(text("date_iso_zone", zoned), "2020:01:02 03:04:05+02:00");
        assert_eq!(text("unix_date", Value::int(951_782_400_i64)), "2000:02:29 00:00:00");
        assert_eq!(text("xmp_latitude", Value::text("40,26.767N")), "40 deg 26' 46.02\" N");
        for (stored, shown) in [
            ("233753-0400", "23:37:53-04:00"),
            ("233753", "23:37:53"),
            ("030405Z", "03:04:05Z"),
            ("030405.5+0100", "03:04:05.5+01:00"),
            ("03:04:05", "03:04:05"),
            ("", ""),
        ] {
            assert_eq!(text("iptc_time", Value::text(stored)), shown);
        }
        for (stored, shown) in [
            ("20200102", "2020:01:02"),
            ("2020-01-02", "2020:01:02"),
            ("20200102 ", "20200102 "),
            ("2020", "2020"),
        ] {
            assert_eq!(text("iptc_date", Value::text(stored)), shown);
        }
        assert_eq!(text("seconds", Value::Floats(vec![29.055])), "29.05 s");
    }
}
