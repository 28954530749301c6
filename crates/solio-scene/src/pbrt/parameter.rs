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
    /// The type of this name, of version 4 or 3.
    pub fn of_word(word: &[u8]) -> Option<ParameterType> {
        use ParameterType::*;
        Some(match word {
            b"bool" => Bool,
            b"integer" => Integer,
            b"float" => Float,
            b"point2" => Point2,
            b"vector2" => Vector2,
            b"point3" | b"point" => Point3,
            b"vector3" | b"vector" => Vector3,
            b"normal" | b"normal3" => Normal,
            b"string" => String,
            b"spectrum" => Spectrum,
            b"rgb" | b"color" => Rgb,
            b"blackbody" => Blackbody,
            b"texture" => Texture,
            b"xyz" => Xyz,
            _ => return None,
        })
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
