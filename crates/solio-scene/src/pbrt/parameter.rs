//! Types of parameters.

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterType {
    /// `true` or `false`.
    Bool,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// Two numbers each.
    Point2,
    /// Two numbers each.
    Vector2,
    /// Three numbers each; `point` in version 3.
    Point3,
    /// Three numbers each; `vector` in version 3.
    Vector3,
    /// Three numbers each.
    Normal,
    /// Text.
    String,
    /// A name, a file, or pairs of wavelength (nm) and value.
    Spectrum,
    /// Three numbers; `color` in version 3.
    Rgb,
    /// Three numbers, of version 3.
    Xyz,
    /// Kelvin; in version 3 also a factor each.
    Blackbody,
    /// The name of a texture.
    Texture,
}

impl ParameterType {
    /// The type of this name, and whether the name is of version 3 alone.
    pub fn of_word(word: &[u8]) -> Option<(ParameterType, bool)> {
        use ParameterType::*;
        Some(match word {
            b"bool" => (Bool, false),
            b"integer" => (Integer, false),
            b"float" => (Float, false),
            b"point2" => (Point2, false),
            b"vector2" => (Vector2, false),
            b"point3" => (Point3, false),
            b"vector3" => (Vector3, false),
            b"normal" => (Normal, false),
            b"string" => (String, false),
            b"spectrum" => (Spectrum, false),
            b"rgb" => (Rgb, false),
            b"blackbody" => (Blackbody, false),
            b"texture" => (Texture, false),
            b"point" => (Point3, true),
            b"vector" => (Vector3, true),
            b"normal3" => (Normal, true),
            b"color" => (Rgb, true),
            b"xyz" => (Xyz, true),
            _ => return None,
        })
    }

    /// As version 4 calls it.
    pub fn name(self) -> &'static str {
        use ParameterType::*;
        match self {
            Bool => "bool",
            Integer => "integer",
            Float => "float",
            Point2 => "point2",
            Vector2 => "vector2",
            Point3 => "point3",
            Vector3 => "vector3",
            Normal => "normal",
            String => "string",
            Spectrum => "spectrum",
            Rgb => "rgb",
            Xyz => "xyz",
            Blackbody => "blackbody",
            Texture => "texture",
        }
    }
}
