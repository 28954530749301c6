//! A tag's value as the file holds it.

use crate::number;
use solio_container::ByteView;

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

/// The place of data that are nowhere in the file in one piece.
const NOWHERE: u64 = u64::MAX;

/// All bytes as data: their place in the file, or themselves where they were put together in memory.
impl From<ByteView<'_>> for Value {
    fn from(view: ByteView<'_>) -> Self {
        data_at(
            view,
            view.place().unwrap_or(if view.is_memory() { 0 } else { NOWHERE }),
            view.len(),
        )
    }
}

/// `bytes` bytes of data that start at `at` in the file; in bytes put together in memory, which have no
/// place there, `at` counts from the start of `view`.
pub(crate) fn data_at(view: ByteView<'_>, at: u64, bytes: u64) -> Value {
    if !view.is_memory() {
        return Value::Binary { at, bytes };
    }
    let found = usize::try_from(bytes).ok().and_then(|bytes| view.get(at, bytes));
    found.map_or(Value::Binary { at: NOWHERE, bytes }, |found| Value::Bytes(found.into_owned()))
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
    use solio_container::{ReadSteps, SourceCache};

    #[test]
    fn data_stay_in_the_file_where_they_have_a_place_there() {
        let part = ByteView::memory(b"abcd").part(1, 2);
        assert_eq!(Value::from(part), Value::Bytes(b"bc".to_vec()));
        assert_eq!(data_at(part, 1, 1), Value::Bytes(b"c".to_vec()));
        assert_eq!(data_at(part, 1, 2), Value::Binary { at: NOWHERE, bytes: 2 });
        let source: &[u8] = &[0; 256];
        let cache = SourceCache::new(&source, 256, ReadSteps { head: 16, next: 8 }, 4096).unwrap();
        let part = ByteView::of(&cache).part(7, 2);
        assert_eq!(Value::from(part), Value::Binary { at: 7, bytes: 2 });
        assert_eq!(data_at(part, 3, 4), Value::Binary { at: 3, bytes: 4 });
    }

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
