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

/// All types in the order of their numbers, and as other programs name them.
const NAMES: [(FieldType, &str); 16] = [
    (FieldType::Int8u, "int8u"),
    (FieldType::Text, "string"),
    (FieldType::Int16u, "int16u"),
    (FieldType::Int32u, "int32u"),
    (FieldType::Rational64u, "rational64u"),
    (FieldType::Int8s, "int8s"),
    (FieldType::Undef, "undef"),
    (FieldType::Int16s, "int16s"),
    (FieldType::Int32s, "int32s"),
    (FieldType::Rational64s, "rational64s"),
    (FieldType::Float, "float"),
    (FieldType::Double, "double"),
    (FieldType::Ifd, "ifd"),
    (FieldType::Int64u, "int64u"),
    (FieldType::Int64s, "int64s"),
    (FieldType::Ifd64, "ifd64"),
];

impl FieldType {
    /// Of a type's number in a file.
    pub fn of_number(number: u16) -> Option<Self> {
        match number {
            1..=13 => Some(NAMES[usize::from(number) - 1].0),
            16..=18 => Some(NAMES[usize::from(number) - 3].0),
            // UTF-8 text of Exif 3.0.
            129 => Some(FieldType::Text),
            _ => None,
        }
    }

    /// Of a name in a table.
    pub fn of_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(found, _)| *found)
    }

    /// As other programs name it.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
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
