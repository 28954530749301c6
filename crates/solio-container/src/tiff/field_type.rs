//! Types of the values of TIFF entries (TIFF 6.0, section 2).

/// How values are stored; the numbers are TIFF's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say the sizes
pub enum FieldType {
    Int8u = 1,
    Text = 2,
    Int16u = 3,
    Int32u = 4,
    Rational64u = 5,
    Int8s = 6,
    Undef = 7,
    Int16s = 8,
    Int32s = 9,
    Rational64s = 10,
    Float = 11,
    Double = 12,
    Ifd = 13,
    Int64u = 16,
    Int64s = 17,
    Ifd64 = 18,
}

impl FieldType {
    /// Of a type's number in a file.
    pub fn of_number(number: u16) -> Option<Self> {
        use FieldType::*;
        const ALL: [FieldType; 13] = [
            Int8u,
            Text,
            Int16u,
            Int32u,
            Rational64u,
            Int8s,
            Undef,
            Int16s,
            Int32s,
            Rational64s,
            Float,
            Double,
            Ifd,
        ];
        match number {
            1..=13 => Some(ALL[usize::from(number) - 1]),
            16 => Some(Int64u),
            17 => Some(Int64s),
            18 => Some(Ifd64),
            // UTF-8 text of Exif 3.0.
            129 => Some(Text),
            _ => None,
        }
    }

    /// Of a name in a table.
    pub fn of_name(name: &str) -> Option<Self> {
        use FieldType::*;
        Some(match name {
            "int8u" => Int8u,
            "string" => Text,
            "int16u" => Int16u,
            "int32u" => Int32u,
            "rational64u" => Rational64u,
            "int8s" => Int8s,
            "undef" => Undef,
            "int16s" => Int16s,
            "int32s" => Int32s,
            "rational64s" => Rational64s,
            "float" => Float,
            "double" => Double,
            "int64u" => Int64u,
            _ => return None,
        })
    }

    /// As other programs name it.
    pub fn name(self) -> &'static str {
        use FieldType::*;
        match self {
            Int8u => "int8u",
            Text => "string",
            Int16u => "int16u",
            Int32u => "int32u",
            Rational64u => "rational64u",
            Int8s => "int8s",
            Undef => "undef",
            Int16s => "int16s",
            Int32s => "int32s",
            Rational64s => "rational64s",
            Float => "float",
            Double => "double",
            Ifd => "ifd",
            Int64u => "int64u",
            Int64s => "int64s",
            Ifd64 => "ifd64",
        }
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        use FieldType::*;
        match self {
            Int8u | Text | Int8s | Undef => 1,
            Int16u | Int16s => 2,
            Int32u | Int32s | Float | Ifd => 4,
            Rational64u | Rational64s | Double | Int64u | Int64s | Ifd64 => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_numbers() {
        for number in 1..=18 {
            if let Some(stored) = FieldType::of_number(number) {
                assert_eq!(stored as u16, number);
            }
        }
    }
}
