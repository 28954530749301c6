//! Spectra with names.

use super::Spectrum;
use std::borrow::Cow;

const TEXT: &str = include_str!("named.txt");

/// The spectrum of this name; it holds its ends.
pub(super) fn find(name: &str) -> Option<Spectrum> {
    let mut lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let words = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    let number = |word: &str| word.parse::<f32>().ok();
    let (wavelengths, values): (Vec<f32>, Vec<f32>) = match words.strip_prefix("from ") {
        Some(even) => {
            let mut numbers = even.split(' ').map_while(number);
            let (first, step) = (numbers.next()?, numbers.next()?);
            (0u16..).zip(numbers).map(|(i, value)| (first + step * f32::from(i), value)).unzip()
        }
        None => {
            let numbers: Vec<f32> = words.split(' ').map_while(number).collect();
            numbers.as_chunks::<2>().0.iter().map(|[at, value]| (*at, *value)).unzip()
        }
    };
    let (wavelengths, values) = (Cow::Owned(wavelengths), Cow::Owned(values));
    Some(Spectrum::Lines { wavelengths, values, holds_ends: true })
}

/// All names.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(' ').next())
}
