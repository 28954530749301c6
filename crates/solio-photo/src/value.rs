//! A tag's value as the file holds it.

use crate::number;

/// What a file says, typed; printing comes later and only for what is asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Text, already decoded.
    Text(String),
    /// Whole numbers of any width.
    Ints(Vec<i64>),
    /// Fractions, each a numerator and a denominator.
    Rationals(Vec<(i64, i64)>),
    /// Floating-point numbers.
    Floats(Vec<f64>),
    /// Bytes whose meaning the tag tells.
    Bytes(Vec<u8>),
    /// Bytes that stay in the file: a thumbnail, a table. `at` counts from the file's start where
    /// the bytes lie there in one piece.
    Binary {
        /// Where they are.
        at: u64,
        /// How many.
        bytes: u64,
    },
    /// Several values that belong together without being numbers: XMP bags, IPTC repeats.
    List(Vec<Value>),
}

impl Value {
    /// One whole number.
    pub(crate) fn int(value: impl Into<i64>) -> Self {
        Value::Ints(vec![value.into()])
    }

    /// Text.
    pub(crate) fn text(value: impl Into<String>) -> Self {
        Value::Text(value.into())
    }

    /// How many numbers there are; 1 for text.
    pub fn count(&self) -> usize {
        match self {
            Value::Text(_) | Value::Binary { .. } => 1,
            Value::Ints(v) => v.len(),
            Value::Rationals(v) => v.len(),
            Value::Floats(v) => v.len(),
            Value::Bytes(v) => v.len(),
            Value::List(v) => v.len(),
        }
    }

    /// The number at `index`; text is read as a number where it starts like one.
    pub fn number(&self, index: usize) -> Option<f64> {
        match self {
            Value::Ints(v) => v.get(index).map(|v| *v as f64),
            Value::Rationals(v) => v.get(index).map(|(n, d)| ratio(*n, *d)),
            Value::Floats(v) => v.get(index).copied(),
            Value::Bytes(v) => v.get(index).map(|v| f64::from(*v)),
            Value::Text(text) => text.split_whitespace().nth(index).and_then(number::first),
            Value::List(list) => list.get(index).and_then(|v| v.number(0)),
            Value::Binary { .. } => None,
        }
    }

    /// The whole number at `index`.
    pub fn integer(&self, index: usize) -> Option<i64> {
        match self {
            Value::Ints(v) => v.get(index).copied(),
            other => other.number(index).filter(|v| v.is_finite()).map(|v| v as i64),
        }
    }

    /// All numbers.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Text(text) => text.split_whitespace().map(number::leading).collect(),
            other => (0..other.count()).filter_map(|i| other.number(i)).collect(),
        }
    }

    /// The value as text, without a rule: numbers parted by spaces.
    pub fn plain(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Ints(v) => join(v.iter().map(i64::to_string)),
            Value::Rationals(v) => join(v.iter().map(|(n, d)| ratio_text(*n, *d))),
            Value::Floats(v) => join(v.iter().map(|v| number::plain(*v))),
            Value::Bytes(v) => lossy(v),
            Value::Binary { bytes, .. } => binary_text(*bytes),
            Value::List(v) => v.iter().map(Value::plain).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Numbers after one another; one alone is the common case.
fn join(mut parts: impl Iterator<Item = String>) -> String {
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        all.push(' ');
        all.push_str(&part);
    }
    all
}

/// What stands for data that nobody wants to see.
pub(crate) fn binary_text(bytes: u64) -> String {
    format!("(Binary data {bytes} bytes, use -b option to extract)")
}

/// Text of unknown encoding: UTF-8 with a question mark for each byte that is none.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

fn ratio(numerator: i64, denominator: i64) -> f64 {
    match (numerator, denominator) {
        (0, 0) => f64::NAN,
        (_, 0) => f64::INFINITY,
        // Later sums work on the number as it is printed.
        (n, d) => rounded(n as f64 / d as f64),
    }
}

/// To ten significant digits; most ratios of cameras are short already.
fn rounded(value: f64) -> f64 {
    let short = value * 1e4;
    if short.fract() == 0.0 && short.abs() < 1e9 {
        return value;
    }
    number::rounded(value)
}

fn ratio_text(numerator: i64, denominator: i64) -> String {
    match (numerator, denominator) {
        (0, 0) => "undef".into(),
        (_, 0) => "inf".into(),
        (n, d) => number::significant(n as f64 / d as f64, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values() {
        assert_eq!(
            Value::Rationals(vec![(1, 60), (0, 0), (1, 0)]).plain(),
            "0.01666666667 undef inf"
        );
        assert_eq!(Value::Ints(vec![8, 8, -8]).plain(), "8 8 -8");
        assert_eq!(Value::Bytes(b"a\xffb".to_vec()).plain(), "a?b");
        assert_eq!(Value::Rationals(vec![(1, 3)]).number(0), Some(0.3333333333));
        assert_eq!(Value::Floats(vec![0.5]).plain(), "0.5");
    }
}
