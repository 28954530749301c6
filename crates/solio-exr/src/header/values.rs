//! The values that attributes have. ("The OpenEXR File Layout", section "Predefined Attribute
//! Types".)

use crate::{Channel, Compression};
use solio_base::named_enum;
use std::fmt;

/// Bytes that are meant to be read. The format names no encoding: old files have Latin-1.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(pub Vec<u8>);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.as_bytes().to_vec())
    }
}

impl fmt::Display for Text {
    /// UTF-8, or else Latin-1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) => f.pad(text),
            Err(_) => f.pad(&self.0.iter().map(|&b| char::from(b)).collect::<String>()),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// A rectangle of pixels; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Box2i {
    /// Lowest column and row.
    pub min: [i32; 2],
    /// Highest column and row.
    pub max: [i32; 2],
}

impl Box2i {
    /// From (0, 0), so many columns and rows.
    pub fn of_size(width: u32, height: u32) -> Box2i {
        let last = |size: u32| i32::try_from(i64::from(size) - 1).unwrap_or(i32::MAX);
        Box2i { min: [0, 0], max: [last(width), last(height)] }
    }

    /// Columns; 0 where the ends are the wrong way round.
    pub fn width(&self) -> u64 {
        u64::try_from(i64::from(self.max[0]) - i64::from(self.min[0]) + 1).unwrap_or(0)
    }

    /// Rows; 0 where the ends are the wrong way round.
    pub fn height(&self) -> u64 {
        u64::try_from(i64::from(self.max[1]) - i64::from(self.min[1]) + 1).unwrap_or(0)
    }

    /// What both have in common, if anything.
    pub fn intersection(&self, other: &Box2i) -> Option<Box2i> {
        let both = Box2i {
            min: [self.min[0].max(other.min[0]), self.min[1].max(other.min[1])],
            max: [self.max[0].min(other.max[0]), self.max[1].min(other.max[1])],
        };
        (both.min[0] <= both.max[0] && both.min[1] <= both.max[1]).then_some(both)
    }
}

named_enum! {
    /// In which order the chunks of a part follow each other, by their numbers in the file.
    #[derive(Default, Hash)]
    pub enum LineOrder {
        /// From the top down.
        #[default]
        Increasing = "increasing",
        /// From the bottom up.
        Decreasing = "decreasing",
        /// Tiles in any order.
        Random = "random",
    }

    /// The name that Python has for it.
    ///
    /// ```
    /// use solio_exr::header::LineOrder;
    /// assert_eq!(LineOrder::default().name(), "increasing");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_exr::header::LineOrder;
    /// assert_eq!(LineOrder::of_name("random"), Some(LineOrder::Random));
    /// assert_eq!(LineOrder::of_name("any"), None);
    /// ```
    pub fn of_name;
}

named_enum! {
    /// Which levels of detail a tiled part has, by their numbers in the file.
    #[derive(Default, Hash)]
    pub enum LevelMode {
        /// Full size only.
        #[default]
        One = "one",
        /// Each half as wide and high as the one before.
        Mipmap = "mipmap",
        /// All combinations of halved widths and halved heights.
        Ripmap = "ripmap",
    }

    /// The name that Python and `solio info --json` have for it.
    ///
    /// ```
    /// use solio_exr::header::LevelMode;
    /// assert_eq!(LevelMode::ALL.map(LevelMode::name).join(" "), "one mipmap ripmap");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_exr::header::LevelMode;
    /// assert_eq!(LevelMode::of_name("mipmap"), Some(LevelMode::Mipmap));
    /// assert_eq!(LevelMode::of_name("pyramid"), None);
    /// ```
    pub fn of_name;
}

named_enum! {
    /// How an odd size is halved.
    #[derive(Default, Hash)]
    pub enum Rounding {
        /// 5 becomes 2.
        #[default]
        Down = "down",
        /// 5 becomes 3.
        Up = "up",
    }

    /// The name that Python and `solio info --json` have for it.
    ///
    /// ```
    /// use solio_exr::header::Rounding;
    /// assert_eq!(Rounding::default().name(), "down");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_exr::header::Rounding;
    /// assert_eq!(Rounding::of_name("up"), Some(Rounding::Up));
    /// assert_eq!(Rounding::of_name("nearest"), None);
    /// ```
    pub fn of_name;
}

/// How a part is cut into tiles (`tiledesc`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// Columns of a tile.
    pub width: u32,
    /// Rows of a tile.
    pub height: u32,
    /// Which levels there are.
    pub levels: LevelMode,
    /// How their sizes are rounded.
    pub rounding: Rounding,
}

/// SMPTE time code (`timecode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeCode {
    /// Time and flags, packed as for television of 60 fields.
    pub time_and_flags: u32,
    /// Bits for the user.
    pub user_data: u32,
}

/// Where a frame lies on film (`keycode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyCode {
    /// Who made the film.
    pub film_manufacturer: i32,
    /// What film.
    pub film_type: i32,
    /// First part of the number at its edge.
    pub prefix: i32,
    /// Second part.
    pub count: i32,
    /// Perforations from there.
    pub perforation_offset: i32,
    /// Perforations of a frame.
    pub perforations_per_frame: i32,
    /// Perforations from number to number.
    pub perforations_per_count: i32,
}

impl From<[i32; 7]> for KeyCode {
    /// In the order of the file.
    fn from(numbers: [i32; 7]) -> Self {
        let [film_manufacturer, film_type, prefix, count, perforation_offset, per_frame, per_count] =
            numbers;
        KeyCode {
            film_manufacturer,
            film_type,
            prefix,
            count,
            perforation_offset,
            perforations_per_frame: per_frame,
            perforations_per_count: per_count,
        }
    }
}

impl From<KeyCode> for [i32; 7] {
    /// In the order of the file.
    fn from(code: KeyCode) -> Self {
        [
            code.film_manufacturer,
            code.film_type,
            code.prefix,
            code.count,
            code.perforation_offset,
            code.perforations_per_frame,
            code.perforations_per_count,
        ]
    }
}

/// A small picture of the picture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preview {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha, a byte each, gamma 2.2.
    pub rgba: Vec<u8>,
}

/// CIE x and y of the primaries and of white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chromaticities {
    /// Of red.
    pub red: [f32; 2],
    /// Of green.
    pub green: [f32; 2],
    /// Of blue.
    pub blue: [f32; 2],
    /// Of white.
    pub white: [f32; 2],
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names are those of the format
pub enum Value {
    Box2i(Box2i),
    /// Lowest, then highest point.
    Box2f([[f32; 2]; 2]),
    /// Bytes, and what they are.
    Bytes {
        hint: Text,
        data: Vec<u8>,
    },
    Channels(Vec<Channel>),
    Chromaticities(Chromaticities),
    Compression(Compression),
    /// 0 messy, 1 sorted, 2 not overlapping, 3 tidy.
    DeepImageState(u8),
    Double(f64),
    /// 0 latitude and longitude, 1 a cube.
    Envmap(u8),
    Float(f32),
    FloatVector(Vec<f32>),
    Int(i32),
    KeyCode(KeyCode),
    LineOrder(LineOrder),
    M33f([f32; 9]),
    M33d([f64; 9]),
    M44f([f32; 16]),
    M44d([f64; 16]),
    Preview(Preview),
    /// Numerator and denominator.
    Rational(i32, u32),
    Text(Text),
    TextVector(Vec<Text>),
    Tiles(Tiles),
    TimeCode(TimeCode),
    V2i([i32; 2]),
    V2f([f32; 2]),
    V2d([f64; 2]),
    V3i([i32; 3]),
    V3f([f32; 3]),
    V3d([f64; 3]),
    /// A type that we do not know, or bytes that are none of its values. Of the reference's types it
    /// is `idmanifest` alone: packed tables of names that only those need who look up object IDs;
    /// its bytes are kept as they are.
    Opaque {
        type_name: String,
        data: Vec<u8>,
    },
}

impl Value {
    /// The name of its type in the file.
    pub fn type_name(&self) -> &str {
        match self {
            Value::Box2i(_) => "box2i",
            Value::Box2f(_) => "box2f",
            Value::Bytes { .. } => "bytes",
            Value::Channels(_) => "chlist",
            Value::Chromaticities(_) => "chromaticities",
            Value::Compression(_) => "compression",
            Value::DeepImageState(_) => "deepImageState",
            Value::Double(_) => "double",
            Value::Envmap(_) => "envmap",
            Value::Float(_) => "float",
            Value::FloatVector(_) => "floatvector",
            Value::Int(_) => "int",
            Value::KeyCode(_) => "keycode",
            Value::LineOrder(_) => "lineOrder",
            Value::M33f(_) => "m33f",
            Value::M33d(_) => "m33d",
            Value::M44f(_) => "m44f",
            Value::M44d(_) => "m44d",
            Value::Preview(_) => "preview",
            Value::Rational(..) => "rational",
            Value::Text(_) => "string",
            Value::TextVector(_) => "stringvector",
            Value::Tiles(_) => "tiledesc",
            Value::TimeCode(_) => "timecode",
            Value::V2i(_) => "v2i",
            Value::V2f(_) => "v2f",
            Value::V2d(_) => "v2d",
            Value::V3i(_) => "v3i",
            Value::V3f(_) => "v3f",
            Value::V3d(_) => "v3d",
            Value::Opaque { type_name, .. } => type_name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_as_utf8_or_latin1() {
        assert_eq!(Text::from("Größe").to_string(), "Größe");
        assert_eq!(Text(b"\xa9 Me".to_vec()).to_string(), "© Me");
    }

    #[test]
    fn boxes_have_sizes() {
        let window = Box2i { min: [-3, i32::MIN], max: [4, i32::MAX] };
        assert_eq!((window.width(), window.height()), (8, 1 << 32));
        assert_eq!(Box2i::of_size(0, 7).width(), 0);
        let other = Box2i { min: [4, 5], max: [9, 6] };
        assert_eq!(window.intersection(&other), Some(Box2i { min: [4, 5], max: [4, 6] }));
        assert_eq!(Box2i::of_size(4, 9).intersection(&other), None);
    }
}
