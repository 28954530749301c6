//! Values of attributes, from and to the bytes of the file.

use super::values::{
    Box2i, Chromaticities, KeyCode, LevelMode, LineOrder, Preview, Rounding, Text, Tiles, TimeCode,
    Value,
};
use crate::cursor::HeaderCursor;
use crate::{Channel, Compression, PixelType};
use solio_base::Result;

/// Longest name of a channel, an attribute or a type.
pub(super) const LONGEST_NAME: usize = 255;

/// The value of the type called `type_name` that `data` are; [`Value::Opaque`] where they are
/// none. Encoding the value gives `data` again.
pub(super) fn decode(type_name: &str, data: &[u8]) -> Value {
    let mut cursor = HeaderCursor::new(data, 0);
    match typed(type_name, &mut cursor) {
        Some(value) if cursor.rest().is_empty() => value,
        _ => Value::Opaque { type_name: type_name.to_owned(), data: data.to_vec() },
    }
}

fn typed(type_name: &str, c: &mut HeaderCursor<'_>) -> Option<Value> {
    Some(match type_name {
        "box2i" => {
            let [a, b, x, y] = ints(c)?;
            Value::Box2i(Box2i { min: [a, b], max: [x, y] })
        }
        "box2f" => {
            let [a, b, x, y] = floats(c)?;
            Value::Box2f([[a, b], [x, y]])
        }
        "bytes" => Value::Bytes { hint: text(c)?, data: rest(c) },
        "chlist" => Value::Channels(channels(c)?),
        "chromaticities" => {
            let v: [f32; 8] = floats(c)?;
            let [red, green, blue, white] = [0, 2, 4, 6].map(|i| [v[i], v[i + 1]]);
            Value::Chromaticities(Chromaticities { red, green, blue, white })
        }
        "compression" => Value::Compression(Compression::of_number(c.u8("").ok()?)?),
        "deepImageState" => Value::DeepImageState(c.u8("").ok()?),
        "double" => Value::Double(doubles::<1>(c)?[0]),
        "envmap" => Value::Envmap(c.u8("").ok()?),
        "float" => Value::Float(floats::<1>(c)?[0]),
        "floatvector" => Value::FloatVector(float_vector(c)?),
        "int" => Value::Int(ints::<1>(c)?[0]),
        "keycode" => Value::KeyCode(KeyCode::from(ints(c)?)),
        "lineOrder" => Value::LineOrder(*LineOrder::ALL.get(usize::from(c.u8("").ok()?))?),
        "m33f" => Value::M33f(floats(c)?),
        "m33d" => Value::M33d(doubles(c)?),
        "m44f" => Value::M44f(floats(c)?),
        "m44d" => Value::M44d(doubles(c)?),
        "preview" => preview(c)?,
        "rational" => Value::Rational(c.i32("").ok()?, c.u32("").ok()?),
        "string" => Value::Text(Text(rest(c))),
        "stringvector" => Value::TextVector(text_vector(c)?),
        "tiledesc" => tiles(c)?,
        "timecode" => {
            let time_and_flags = c.u32("").ok()?;
            Value::TimeCode(TimeCode { time_and_flags, user_data: c.u32("").ok()? })
        }
        "v2i" => Value::V2i(ints(c)?),
        "v2f" => Value::V2f(floats(c)?),
        "v2d" => Value::V2d(doubles(c)?),
        "v3i" => Value::V3i(ints(c)?),
        "v3f" => Value::V3f(floats(c)?),
        "v3d" => Value::V3d(doubles(c)?),
        _ => return None,
    })
}

fn ints<const N: usize>(c: &mut HeaderCursor<'_>) -> Option<[i32; N]> {
    let mut values = [0; N];
    for value in &mut values {
        *value = c.i32("").ok()?;
    }
    Some(values)
}

fn floats<const N: usize>(c: &mut HeaderCursor<'_>) -> Option<[f32; N]> {
    Some(ints::<N>(c)?.map(|bits| f32::from_bits(bits as u32)))
}

fn doubles<const N: usize>(c: &mut HeaderCursor<'_>) -> Option<[f64; N]> {
    let mut values = [0.0; N];
    for value in &mut values {
        *value = f64::from_bits(c.u64("").ok()?);
    }
    Some(values)
}

fn rest(c: &mut HeaderCursor<'_>) -> Vec<u8> {
    let left = c.rest().len();
    c.take(left, "").expect("what is left").to_vec()
}

/// A text after its length.
fn text(c: &mut HeaderCursor<'_>) -> Option<Text> {
    let length = usize::try_from(c.i32("").ok()?).ok()?;
    Some(Text(c.take(length, "").ok()?.to_vec()))
}

fn text_vector(c: &mut HeaderCursor<'_>) -> Option<Vec<Text>> {
    let mut texts = Vec::new();
    while !c.rest().is_empty() {
        texts.push(text(c)?);
    }
    Some(texts)
}

fn float_vector(c: &mut HeaderCursor<'_>) -> Option<Vec<f32>> {
    let bytes = rest(c);
    let (values, odd) = bytes.as_chunks::<4>();
    odd.is_empty().then(|| values.iter().map(|v| f32::from_le_bytes(*v)).collect())
}

fn preview(c: &mut HeaderCursor<'_>) -> Option<Value> {
    let (width, height) = (c.u32("").ok()?, c.u32("").ok()?);
    let rgba = rest(c);
    let bytes = u64::from(width).checked_mul(u64::from(height))?.checked_mul(4)?;
    (rgba.len() as u64 == bytes).then_some(Value::Preview(Preview { width, height, rgba }))
}

fn tiles(c: &mut HeaderCursor<'_>) -> Option<Value> {
    let (width, height) = (c.u32("").ok()?, c.u32("").ok()?);
    let mode = c.u8("").ok()?;
    let levels = *LevelMode::ALL.get(usize::from(mode & 15))?;
    let rounding = match mode >> 4 {
        0 => Rounding::Down,
        1 => Rounding::Up,
        _ => return None,
    };
    Some(Value::Tiles(Tiles { width, height, levels, rounding }))
}

fn channels(c: &mut HeaderCursor<'_>) -> Option<Vec<Channel>> {
    let mut channels = Vec::new();
    loop {
        let name = c.name(LONGEST_NAME, "").ok()?;
        if name.is_empty() {
            return Some(channels);
        }
        let pixel_type = PixelType::of_number(c.i32("").ok()?)?;
        let linear = match c.array("").ok()? {
            [0, 0, 0, 0] => false,
            [1, 0, 0, 0] => true,
            _ => return None,
        };
        let [x_sampling, y_sampling] = ints(c)?;
        let name = name.into_owned();
        channels.push(Channel { name, pixel_type, linear, x_sampling, y_sampling });
    }
}

/// Appends the bytes of `value`.
pub(super) fn encode(value: &Value, out: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Box2i(v) => put(out, &[v.min, v.max].concat(), i32::to_le_bytes),
        Value::Box2f(v) => put(out, &v.concat(), f32::to_le_bytes),
        Value::Bytes { hint, data } => {
            put_text(out, hint)?;
            out.extend_from_slice(data);
        }
        Value::Channels(channels) => {
            for channel in channels {
                put_channel(out, channel)?;
            }
            out.push(0);
        }
        Value::Chromaticities(v) => {
            put(out, &[v.red, v.green, v.blue, v.white].concat(), f32::to_le_bytes);
        }
        Value::Compression(v) => out.push(v.number()),
        Value::DeepImageState(v) | Value::Envmap(v) => out.push(*v),
        Value::Double(v) => put(out, &[*v], f64::to_le_bytes),
        Value::Float(v) => put(out, &[*v], f32::to_le_bytes),
        Value::FloatVector(v) => put(out, v, f32::to_le_bytes),
        Value::Int(v) => put(out, &[*v], i32::to_le_bytes),
        Value::KeyCode(v) => put(out, &<[i32; 7]>::from(*v), i32::to_le_bytes),
        Value::LineOrder(v) => out.push(*v as u8),
        Value::M33f(v) => put(out, v, f32::to_le_bytes),
        Value::M33d(v) => put(out, v, f64::to_le_bytes),
        Value::M44f(v) => put(out, v, f32::to_le_bytes),
        Value::M44d(v) => put(out, v, f64::to_le_bytes),
        Value::Preview(v) => {
            put(out, &[v.width, v.height], u32::to_le_bytes);
            out.extend_from_slice(&v.rgba);
        }
        Value::Rational(n, d) => {
            put(out, &[*n], i32::to_le_bytes);
            put(out, &[*d], u32::to_le_bytes);
        }
        Value::Text(v) => out.extend_from_slice(&v.0),
        Value::TextVector(v) => v.iter().try_for_each(|text| put_text(out, text))?,
        Value::Tiles(v) => {
            put(out, &[v.width, v.height], u32::to_le_bytes);
            out.push(v.levels as u8 | (v.rounding as u8) << 4);
        }
        Value::TimeCode(v) => put(out, &[v.time_and_flags, v.user_data], u32::to_le_bytes),
        Value::V2i(v) => put(out, v, i32::to_le_bytes),
        Value::V2f(v) => put(out, v, f32::to_le_bytes),
        Value::V2d(v) => put(out, v, f64::to_le_bytes),
        Value::V3i(v) => put(out, v, i32::to_le_bytes),
        Value::V3f(v) => put(out, v, f32::to_le_bytes),
        Value::V3d(v) => put(out, v, f64::to_le_bytes),
        Value::Opaque { data, .. } => out.extend_from_slice(data),
    }
    Ok(())
}

fn put<T: Copy, const N: usize>(out: &mut Vec<u8>, values: &[T], bytes: fn(T) -> [u8; N]) {
    values.iter().for_each(|value| out.extend_from_slice(&bytes(*value)));
}

fn put_text(out: &mut Vec<u8>, text: &Text) -> Result<()> {
    put(out, &[super::size(text.0.len(), "a text")?], i32::to_le_bytes);
    out.extend_from_slice(&text.0);
    Ok(())
}

fn put_channel(out: &mut Vec<u8>, channel: &Channel) -> Result<()> {
    super::put_name(out, &channel.name, "a channel")?;
    put(out, &[channel.pixel_type as i32], i32::to_le_bytes);
    out.extend_from_slice(&[u8::from(channel.linear), 0, 0, 0]);
    put(out, &[channel.x_sampling, channel.y_sampling], i32::to_le_bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(type_name: &str, data: &[u8]) -> Value {
        let value = decode(type_name, data);
        let mut again = Vec::new();
        encode(&value, &mut again).unwrap();
        assert_eq!(again, data, "{type_name}");
        assert_eq!(value.type_name(), type_name);
        value
    }

    /// Every type, the bytes that a value of it has at least, and whether it may have more.
    const TYPES: [(&str, usize, bool); 30] = [
        ("box2i", 16, false),
        ("box2f", 16, false),
        ("bytes", 4, true),
        ("chlist", 1, false),
        ("chromaticities", 32, false),
        ("compression", 1, false),
        ("deepImageState", 1, false),
        ("double", 8, false),
        ("envmap", 1, false),
        ("float", 4, false),
        ("floatvector", 0, false),
        ("int", 4, false),
        ("keycode", 28, false),
        ("lineOrder", 1, false),
        ("m33f", 36, false),
        ("m33d", 72, false),
        ("m44f", 64, false),
        ("m44d", 128, false),
        ("preview", 8, false),
        ("rational", 8, false),
        ("string", 0, true),
        ("stringvector", 0, false),
        ("tiledesc", 9, false),
        ("timecode", 8, false),
        ("v2i", 8, false),
        ("v2f", 8, false),
        ("v2d", 16, false),
        ("v3i", 12, false),
        ("v3f", 12, false),
        ("v3d", 24, false),
    ];

    #[test]
    fn every_type_keeps_its_bytes() {
        for (type_name, size, more) in TYPES {
            let zeros = vec![0; size];
            let opaque = |v: Value| matches!(v, Value::Opaque { .. });
            assert!(!opaque(there_and_back(type_name, &zeros)), "{type_name}");
            assert_eq!(opaque(there_and_back(type_name, &[&zeros[..], &[1]].concat())), !more);
            if size > 0 {
                assert!(opaque(there_and_back(type_name, &zeros[1..])), "{type_name}");
            }
            for byte in 0..size {
                for bit in 0..8 {
                    let mut other = zeros.clone();
                    other[byte] ^= 1 << bit;
                    there_and_back(type_name, &other);
                }
            }
        }
        assert!(matches!(there_and_back("mystery", b"\x01\x02"), Value::Opaque { .. }));
    }

    #[test]
    fn channels_and_vectors() {
        let channel = |name: &str| Channel {
            linear: true,
            x_sampling: 2,
            ..Channel::new(name, PixelType::Half)
        };
        for value in [
            Value::Channels(vec![channel("R"), channel("diffuse.A")]),
            Value::TextVector(vec!["left".into(), Text::default(), "right".into()]),
            Value::FloatVector(vec![1.0, f32::INFINITY]),
            Value::Preview(Preview { width: 1, height: 2, rgba: vec![1, 2, 3, 4, 5, 6, 7, 8] }),
            Value::Bytes { hint: "zip".into(), data: vec![9, 8] },
        ] {
            let mut bytes = Vec::new();
            encode(&value, &mut bytes).unwrap();
            assert_eq!(there_and_back(value.type_name(), &bytes), value);
        }
    }
}
