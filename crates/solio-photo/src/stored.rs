//! Values as they are stored in directories, records and chunks.

use crate::value::{Value, lossy};
use solio_container::tiff::{FieldType, word};

/// `bytes` as numbers or text.
pub(crate) fn decode(bytes: &[u8], stored: FieldType, big: bool) -> Value {
    use FieldType::*;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_byte_orders() {
        assert_eq!(decode(&[1, 0, 0xff, 0xff], FieldType::Int16s, false), Value::Ints(vec![1, -1]));
        assert_eq!(decode(&[1, 0], FieldType::Int16u, true), Value::Ints(vec![256]));
        let half = [0, 0, 0, 1, 0, 0, 0, 2];
        assert_eq!(decode(&half, FieldType::Rational64u, true), Value::Rationals(vec![(1, 2)]));
        assert_eq!(decode(b"ab\0cd", FieldType::Text, true), Value::text("ab"));
        assert_eq!(
            decode(&1.5f32.to_le_bytes(), FieldType::Float, false),
            Value::Floats(vec![1.5])
        );
    }
}
