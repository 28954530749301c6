//! Values of attributes as people read them, much as `exrheader` shows them.

use super::values::{Box2i, KeyCode, LevelMode, LineOrder, Rounding, Tiles, TimeCode, Value};
use crate::{Channel, PixelType};
use std::fmt::{self, Display, Formatter};

/// Most numbers of a long value that are shown.
const SHOWN: usize = 12;

impl Display for Box2i {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} - {}", PointText(&self.min), PointText(&self.max))
    }
}

impl Display for Value {
    /// On one line, or, after a line end, on several that are indented.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Box2i(v) => v.fmt(f),
            Value::Box2f(v) => write!(f, "{} - {}", PointText(&v[0]), PointText(&v[1])),
            Value::Bytes { hint, data } if hint.0.is_empty() => write!(f, "{} bytes", data.len()),
            Value::Bytes { hint, data } => write!(f, "{} bytes of {hint}", data.len()),
            Value::Channels(channels) => channels.iter().try_for_each(|one| channel(f, one)),
            Value::Chromaticities(v) => {
                let rows =
                    [("red", v.red), ("green", v.green), ("blue", v.blue), ("white", v.white)];
                rows.iter()
                    .try_for_each(|(name, at)| write!(f, "\n    {name:<5} {}", PointText(at)))
            }
            Value::Compression(v) => f.write_str(v.name()),
            Value::DeepImageState(v) => {
                let names = ["messy", "sorted", "non-overlapping", "tidy"];
                named(f, &names, *v)
            }
            Value::Double(v) => number(f, *v),
            Value::Envmap(v) => named(f, &["latitude-longitude map", "cube-face map"], *v),
            Value::Float(v) => number(f, *v),
            Value::FloatVector(v) => list(f, v),
            Value::Int(v) => write!(f, "{v}"),
            Value::KeyCode(v) => key_code(f, v),
            Value::LineOrder(v) => f.write_str(match v {
                LineOrder::Increasing => "increasing y",
                LineOrder::Decreasing => "decreasing y",
                LineOrder::Random => "random y",
            }),
            Value::M33f(v) => matrix::<_, 3>(f, v),
            Value::M33d(v) => matrix::<_, 3>(f, v),
            Value::M44f(v) => matrix::<_, 4>(f, v),
            Value::M44d(v) => matrix::<_, 4>(f, v),
            Value::Preview(v) => write!(f, "{} by {} pixels", v.width, v.height),
            Value::Rational(n, d) => {
                write!(f, "{n}/{d} ({})", f64::from(*n) / f64::from(*d))
            }
            Value::Text(v) => write!(f, "\"{v}\""),
            Value::TextVector(v) => v.iter().try_for_each(|text| write!(f, "\n    \"{text}\"")),
            Value::Tiles(v) => tiles(f, v),
            Value::TimeCode(v) => write!(f, "{v}"),
            Value::V2i(v) => PointText(v).fmt(f),
            Value::V2f(v) => PointText(v).fmt(f),
            Value::V2d(v) => PointText(v).fmt(f),
            Value::V3i(v) => PointText(v).fmt(f),
            Value::V3f(v) => PointText(v).fmt(f),
            Value::V3d(v) => PointText(v).fmt(f),
            Value::Opaque { data, .. } => write!(f, "{} bytes", data.len()),
        }
    }
}

fn channel(f: &mut Formatter<'_>, channel: &Channel) -> fmt::Result {
    let kind = match channel.pixel_type {
        PixelType::Uint => ", 32-bit unsigned integer, sampling ",
        PixelType::Half => ", 16-bit floating-point, sampling ",
        PixelType::Float => ", 32-bit floating-point, sampling ",
    };
    for words in ["\n    ", &channel.name, kind] {
        f.write_str(words)?;
    }
    channel.x_sampling.fmt(f)?;
    f.write_str(" ")?;
    channel.y_sampling.fmt(f)?;
    f.write_str(if channel.linear { ", plinear" } else { "" })
}

fn key_code(f: &mut Formatter<'_>, v: &KeyCode) -> fmt::Result {
    write!(f, "\n    film manufacturer code {}", v.film_manufacturer)?;
    write!(f, "\n    film type code {}", v.film_type)?;
    write!(f, "\n    prefix {}\n    count {}", v.prefix, v.count)?;
    write!(f, "\n    perf offset {}", v.perforation_offset)?;
    write!(f, "\n    perfs per frame {}", v.perforations_per_frame)?;
    write!(f, "\n    perfs per count {}", v.perforations_per_count)
}

fn tiles(f: &mut Formatter<'_>, v: &Tiles) -> fmt::Result {
    f.write_str(match v.levels {
        LevelMode::One => "\n    single level",
        LevelMode::Mipmap => "\n    mip-map",
        LevelMode::Ripmap => "\n    rip-map",
    })?;
    write!(f, "\n    tile size {} by {} pixels", v.width, v.height)?;
    match (v.levels, v.rounding) {
        (LevelMode::One, _) => Ok(()),
        (_, Rounding::Down) => f.write_str("\n    level sizes rounded down"),
        (_, Rounding::Up) => f.write_str("\n    level sizes rounded up"),
    }
}

impl Display for TimeCode {
    /// Hours, minutes, seconds and frame.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Two decimal digits each: units in the low four bits, tens above them.
        let digits = |shift: u32, tens: u32| {
            let bits = self.time_and_flags >> shift;
            (bits >> 4 & tens) * 10 + (bits & 15)
        };
        let (hours, minutes, seconds) = (digits(24, 3), digits(16, 7), digits(8, 7));
        write!(f, "{hours:02}:{minutes:02}:{seconds:02}:{:02}", digits(0, 3))
    }
}

/// Coordinates as `(1 2 3)`.
struct PointText<'a, T>(&'a [T]);

impl<T: Display + Copy + Into<f64>> Display for PointText<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, value) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "(" } else { " " })?;
            number(f, *value)?;
        }
        f.write_str(")")
    }
}

/// As `Display` shows it; whole numbers, which most are, take a fraction of the time.
fn number(f: &mut Formatter<'_>, value: impl Display + Copy + Into<f64>) -> fmt::Result {
    let exact: f64 = value.into();
    let whole = exact as i32;
    match f64::from(whole) == exact && (whole != 0 || exact.is_sign_positive()) {
        true => whole.fmt(f),
        false => value.fmt(f),
    }
}

fn named(f: &mut Formatter<'_>, names: &[&str], number: u8) -> fmt::Result {
    match names.get(usize::from(number)) {
        Some(name) => f.write_str(name),
        None => write!(f, "{number}"),
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, values: &[T]) -> fmt::Result {
    let shown: Vec<String> = values.iter().take(SHOWN).map(T::to_string).collect();
    let more = if values.len() > SHOWN { " …" } else { "" };
    write!(f, "{} values: {}{more}", values.len(), shown.join(" "))
}

fn matrix<T: Display + Copy + Into<f64>, const N: usize>(
    f: &mut Formatter<'_>,
    values: &[T],
) -> fmt::Result {
    values.chunks(N).try_for_each(|row| {
        f.write_str("\n    ")?;
        PointText(row).fmt(f)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Box2i, Text};

    #[test]
    fn values_show_as_people_know_them() {
        let shown = |value: Value| value.to_string();
        assert_eq!(shown(Value::Box2i(Box2i::of_size(7, 5))), "(0 0) - (6 4)");
        for value in [0.5, 45.0, -7.0, 0.0, -0.0, 1e-9, 3e9, f32::MAX, f32::NAN, f32::INFINITY] {
            assert_eq!(shown(Value::Float(value)), value.to_string());
            assert_eq!(shown(Value::Double(value.into())), f64::from(value).to_string());
        }
        assert_eq!(shown(Value::Text(Text(b"\xa9".to_vec()))), "\"©\"");
        assert_eq!(shown(Value::Rational(24, 1)), "24/1 (24)");
        assert_eq!(shown(Value::Envmap(9)), "9");
        assert_eq!(
            shown(Value::M33f([1., 0., 0., 0., 1., 0., 0., 0., 1.])),
            "\n    (1 0 0)\n    (0 1 0)\n    (0 0 1)"
        );
        // 01:02:03:04 as two decimal digits each.
        let time = TimeCode { time_and_flags: 0x0102_0304, user_data: 0 };
        assert_eq!(shown(Value::TimeCode(time)), "01:02:03:04");
    }
}
