//! Values of directory entries.

use crate::value::{Value, lossy};

/// How numbers are stored; the numbers are TIFF's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
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

impl Stored {
    /// Of a type's number in a file.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        use Stored::*;
        const ALL: [Stored; 13] = [
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
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        use Stored::*;
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
    pub(crate) fn name(self) -> &'static str {
        use Stored::*;
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
    pub(crate) fn size(self) -> usize {
        use Stored::*;
        match self {
            Int8u | Text | Int8s | Undef => 1,
            Int16u | Int16s => 2,
            Int32u | Int32s | Float | Ifd => 4,
            Rational64u | Rational64s | Double | Int64u | Int64s | Ifd64 => 8,
        }
    }
}

/// `bytes` as numbers or text.
pub(crate) fn decode(bytes: &[u8], stored: Stored, big: bool) -> Value {
    use Stored::*;
    match stored {
        Text => Value::Text(text(bytes)),
        Undef => Value::Bytes(bytes.to_vec()),
        Int8u => Value::Ints(bytes.iter().map(|b| i64::from(*b)).collect()),
        Int8s => Value::Ints(bytes.iter().map(|b| i64::from(*b as i8)).collect()),
        Int16u => ints::<2>(bytes, |b| i64::from(word(b, big) as u16)),
        Int16s => ints::<2>(bytes, |b| i64::from(word(b, big) as u16 as i16)),
        Int32u | Ifd => ints::<4>(bytes, |b| i64::from(word(b, big) as u32)),
        Int32s => ints::<4>(bytes, |b| i64::from(word(b, big) as u32 as i32)),
        Int64u | Int64s | Ifd64 => ints::<8>(bytes, |b| word(b, big) as i64),
        Rational64u => rationals(bytes, |b| i64::from(word(b, big) as u32)),
        Rational64s => rationals(bytes, |b| i64::from(word(b, big) as u32 as i32)),
        Float => Value::Floats(
            bytes.chunks_exact(4).map(|b| f64::from(f32::from_bits(word(b, big) as u32))).collect(),
        ),
        Double => {
            Value::Floats(bytes.chunks_exact(8).map(|b| f64::from_bits(word(b, big))).collect())
        }
    }
}

/// Text up to its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => text.to_owned(),
        Err(_) => lossy(&bytes[..end]),
    }
}

fn ints<const N: usize>(bytes: &[u8], one: impl Fn(&[u8]) -> i64) -> Value {
    Value::Ints(bytes.chunks_exact(N).map(one).collect())
}

fn rationals(bytes: &[u8], one: impl Fn(&[u8]) -> i64) -> Value {
    Value::Rationals(bytes.chunks_exact(8).map(|b| (one(&b[..4]), one(&b[4..]))).collect())
}

/// A number of up to eight bytes.
pub(crate) fn word(bytes: &[u8], big: bool) -> u64 {
    let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    if big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_byte_orders() {
        assert_eq!(decode(&[1, 0, 0xff, 0xff], Stored::Int16s, false), Value::Ints(vec![1, -1]));
        assert_eq!(decode(&[1, 0], Stored::Int16u, true), Value::Ints(vec![256]));
        let half = [0, 0, 0, 1, 0, 0, 0, 2];
        assert_eq!(decode(&half, Stored::Rational64u, true), Value::Rationals(vec![(1, 2)]));
        assert_eq!(decode(b"ab\0cd", Stored::Text, true), Value::text("ab"));
        assert_eq!(decode(&1.5f32.to_le_bytes(), Stored::Float, false), Value::Floats(vec![1.5]));
    }

    #[test]
    fn types_have_their_numbers() {
        for number in 1..=18 {
            if let Some(stored) = Stored::of_number(number) {
                assert_eq!(stored as u16, number);
            }
        }
    }
}
