//! OpenEXR: each attribute of the header is a tag. Names and words are those that ExifTool prints
//! for such files; the meaning of attributes is that of "The OpenEXR File Layout" and of
//! `ImfStandardAttributes.h` of the reference, whose names they are.

use super::names::tag_name;
use solio_base::{Limits, Result, Source};
use solio_exr::header::{Header, LevelMode, Rounding, Text, Tiles, Value as Attribute};
use solio_exr::{Channel, PixelType, decode_header};
use solio_photo::{Stated, Value};

/// Attributes with names or words of their own: attribute, tag, rule.
const KNOWN: [(&str, &str, &str); 12] = [
    ("altitude", "GPSAltitude", "altitude"),
    ("aperture", "Aperture", "f_number"),
    ("capDate", "DateTimeOriginal", "-"),
    ("compression", "Compression", COMPRESSIONS),
    ("envmap", "EnvironmentMap", "={0:Latitude/Longitude|1:Cube}"),
    ("expTime", "ExposureTime", "exposure_time"),
    ("focus", "FocusDistance", "meters"),
    ("isoSpeed", "ISO", "-"),
    ("latitude", "GPSLatitude", "latitude"),
    ("lineOrder", "LineOrder", "={0:Increasing Y|1:Decreasing Y|2:Random Y}"),
    ("longitude", "GPSLongitude", "longitude"),
    ("xDensity", "XResolution", "-"),
];
const COMPRESSIONS: &str = "={0:None|1:RLE|2:ZIPS|3:ZIP|4:PIZ|5:PXR24|6:B44|7:B44A|8:DWAA|9:DWAB\
    |10:HTJ2K256|11:HTJ2K32|12:LJ2K|13:ZSTD}";
const FLAGS: &str = "&{9:Tiled|10:Long names|11:Deep data|12:Multipart}";
/// A value as long as this is a table, and no text for people.
const MOST_NUMBERS: usize = 1 << 12;

pub(super) fn read(source: &dyn Source, limits: &Limits, stated: &mut Stated<'_>) -> Result<()> {
    stated.kind("EXR", "EXR", "image/x-exr");
    let header = decode_header(source, limits)?;
    let mut start = [0; 8];
    source.read_exact_at(0, &mut start, "the version")?;
    let flags = u32::from_le_bytes([start[4], start[5], start[6], start[7]]);
    let window = header.parts.first().and_then(|part| match part.get("dataWindow") {
        Some(Attribute::Box2i(window)) => Some(*window),
        _ => None,
    });
    if let Some(window) = window {
        stated.put("File", "ImageWidth", Value::Ints(vec![window.width() as i64]));
        stated.put("File", "ImageHeight", Value::Ints(vec![window.height() as i64]));
    }
    stated.put("OpenEXR", "EXRVersion", Value::Ints(vec![i64::from(flags & 0xff)]));
    let flags = Value::Ints(vec![i64::from(flags & !0xff)]);
    stated.put_as("OpenEXR", "Flags", flags, FLAGS);
    parts(&header, stated);
    Ok(())
}

fn parts(header: &Header, stated: &mut Stated<'_>) {
    for (n, part) in header.parts.iter().enumerate() {
        // As with other blocks that come more than once: IPTC, IPTC2…
        let group = if n == 0 { "OpenEXR".to_owned() } else { format!("OpenEXR{}", n + 1) };
        for attribute in &part.attributes {
            put(&group, &attribute.name, &attribute.value, stated);
        }
    }
}

fn put(group: &str, name: &str, attribute: &Attribute, stated: &mut Stated<'_>) {
    if let ("utcOffset", Attribute::Float(seconds)) = (name, attribute) {
        return stated.put_both(group, "TimeZone", float(*seconds), zone(*seconds));
    }
    let known = KNOWN.iter().find(|(attribute, _, _)| *attribute == name);
    let (name, rule) = match (known, name) {
        (Some((_, name, rule)), _) => ((*name).to_owned(), *rule),
        (None, "wrapmodes") => ("WrapModes".to_owned(), "-"),
        (None, other) => (tag_name(other), "-"),
    };
    if !stated.wants(group, &name) {
        return;
    }
    match value(attribute) {
        bytes @ Value::Bytes(_) => stated.put_as(group, name, bytes, "binary"),
        value => stated.put_as(group, name, value, rule),
    }
}

/// The value as ExifTool has it: numbers in a row, text, or bytes.
fn value(attribute: &Attribute) -> Value {
    let ints = |all: &[i32]| Value::Ints(all.iter().map(|v| i64::from(*v)).collect());
    let floats = |all: &[f32]| Value::Floats(all.iter().map(|v| f64::from(*v)).collect());
    match attribute {
        Attribute::Box2i(v) => ints(&[v.min[0], v.min[1], v.max[0], v.max[1]]),
        Attribute::Box2f(v) => floats(v.as_flattened()),
        Attribute::Bytes { data, .. } | Attribute::Opaque { data, .. } => {
            Value::Bytes(data.clone())
        }
        Attribute::Channels(v) => Value::List(v.iter().map(channel).collect()),
        Attribute::Chromaticities(v) => floats([v.red, v.green, v.blue, v.white].as_flattened()),
        Attribute::Compression(v) => Value::Ints(vec![i64::from(v.number())]),
        Attribute::DeepImageState(v) | Attribute::Envmap(v) => Value::Ints(vec![i64::from(*v)]),
        Attribute::Double(v) => Value::Floats(vec![*v]),
        Attribute::Float(v) => float(*v),
        Attribute::FloatVector(v) => floats(&v[..v.len().min(MOST_NUMBERS)]),
        Attribute::Int(v) => Value::Ints(vec![i64::from(*v)]),
        Attribute::KeyCode(v) => ints(&<[i32; 7]>::from(*v)),
        Attribute::LineOrder(v) => Value::Ints(vec![*v as i64]),
        Attribute::M33f(v) => floats(v),
        Attribute::M33d(v) => Value::Floats(v.to_vec()),
        Attribute::M44f(v) => floats(v),
        Attribute::M44d(v) => Value::Floats(v.to_vec()),
        Attribute::Preview(v) => {
            let mut bytes = [v.width.to_le_bytes(), v.height.to_le_bytes()].concat();
            bytes.extend_from_slice(&v.rgba);
            Value::Bytes(bytes)
        }
        Attribute::Rational(n, d) => Value::Rationals(vec![(i64::from(*n), i64::from(*d))]),
        Attribute::Text(v) => text(v),
        Attribute::TextVector(v) => Value::List(v.iter().map(text).collect()),
        Attribute::Tiles(v) => Value::Text(tiles(v)),
        Attribute::TimeCode(v) => {
            Value::Ints(vec![i64::from(v.time_and_flags), i64::from(v.user_data)])
        }
        Attribute::V2i(v) => ints(v),
        Attribute::V2f(v) => floats(v),
        Attribute::V2d(v) => Value::Floats(v.to_vec()),
        Attribute::V3i(v) => ints(v),
        Attribute::V3f(v) => floats(v),
        Attribute::V3d(v) => Value::Floats(v.to_vec()),
    }
}

fn float(value: f32) -> Value {
    Value::Floats(vec![f64::from(value)])
}

/// Text ends at its first zero.
fn text(text: &Text) -> Value {
    let shown = text.to_string();
    Value::Text(shown.split('\0').next().unwrap_or_default().to_owned())
}

/// `-02:00` of -7200 seconds.
fn zone(seconds: f32) -> Value {
    let minutes = (seconds / 60.0) as i64;
    let sign = if minutes < 0 { '-' } else { '+' };
    Value::Text(format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
}

/// `R half linear 2 2`: its type, whether it is linear, how it is sampled.
fn channel(channel: &Channel) -> Value {
    // What the programs to agree with call 32 bits without a sign.
    let kind = match channel.pixel_type {
        PixelType::Uint => "int8u",
        PixelType::Half => "half",
        PixelType::Float => "float",
    };
    let linear = if channel.linear { " linear" } else { "" };
    let Channel { name, x_sampling, y_sampling, .. } = channel;
    Value::Text(format!("{name} {kind}{linear} {x_sampling} {y_sampling}"))
}

/// Spelt as ExifTool does.
fn tiles(tiles: &Tiles) -> String {
    let levels = match tiles.levels {
        LevelMode::One => "One Level",
        LevelMode::Mipmap => "MIMAP Levels",
        LevelMode::Ripmap => "RIPMAP Levels",
    };
    let rounding = match tiles.rounding {
        Rounding::Down => "Round Down",
        Rounding::Up => "Round Up",
    };
    format!("{}x{}; {levels}; {rounding}", tiles.width, tiles.height)
}
