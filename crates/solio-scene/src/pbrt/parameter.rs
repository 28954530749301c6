//! Types of parameters.

use super::word::{is_same, key};
use solio_base::named_enum;

named_enum! {
    /// The type of a parameter. Packed scenes have the places in this list.
    #[derive(Hash)]
    pub enum ParameterType {
        /// `true` or `false`.
        Bool = "bool",
        /// Whole numbers.
        Integer = "integer",
        /// Numbers.
        Float = "float",
        /// Two numbers each.
        Point2 = "point2",
        /// Two numbers each.
        Vector2 = "vector2",
        /// Three numbers each; `point` in version 3.
        Point3 = "point3",
        /// Three numbers each; `vector` in version 3.
        Vector3 = "vector3",
        /// Three numbers each.
        Normal = "normal",
        /// Text.
        String = "string",
        /// A name, a file, or pairs of wavelength (nm) and value.
        Spectrum = "spectrum",
        /// Three numbers; `color` in version 3.
        Rgb = "rgb",
        /// Three numbers, of version 3.
        Xyz = "xyz",
        /// Kelvin; in version 3 also a factor each.
        Blackbody = "blackbody",
        /// The name of a texture.
        Texture = "texture",
    }

    /// As version 4 calls it.
    pub fn name;
}

impl ParameterType {
    /// The type of this name, of version 4 or 3.
    #[inline]
    pub fn of_word(word: &[u8]) -> Option<ParameterType> {
        use ParameterType::*;
        const BOOL: u64 = key(b"bool");
        const INTEGER: u64 = key(b"integer");
        const FLOAT: u64 = key(b"float");
        const POINT2: u64 = key(b"point2");
        const VECTOR2: u64 = key(b"vector2");
        const POINT3: u64 = key(b"point3");
        const POINT: u64 = key(b"point");
        const VECTOR3: u64 = key(b"vector3");
        const VECTOR: u64 = key(b"vector");
        const NORMAL: u64 = key(b"normal");
        const NORMAL3: u64 = key(b"normal3");
        const STRING: u64 = key(b"string");
        const SPECTRUM: u64 = key(b"spectrum");
        const RGB: u64 = key(b"rgb");
        const COLOR: u64 = key(b"color");
        const BLACKBODY: u64 = key(b"blackbody");
        const TEXTURE: u64 = key(b"texture");
        const XYZ: u64 = key(b"xyz");
        let found = match key(word) {
            BOOL => Bool,
            INTEGER => Integer,
            FLOAT => Float,
            POINT2 => Point2,
            VECTOR2 => Vector2,
            POINT3 | POINT => Point3,
            VECTOR3 | VECTOR => Vector3,
            NORMAL | NORMAL3 => Normal,
            STRING => String,
            SPECTRUM => Spectrum,
            RGB | COLOR => Rgb,
            BLACKBODY => Blackbody,
            TEXTURE => Texture,
            XYZ => Xyz,
            _ => return None,
        };
        let goes_by = |name: &str| is_same(word, name.as_bytes());
        (goes_by(found.name()) || goes_by(found.older_name())).then_some(found)
    }

    /// As version 3 calls it, where that is another name than version 4's.
    pub fn older_name(self) -> &'static str {
        match self {
            ParameterType::Point3 => "point",
            ParameterType::Vector3 => "vector",
            ParameterType::Normal => "normal3",
            ParameterType::Rgb => "color",
            other => other.name(),
        }
    }
}
