//! How the words of a column become small numbers, and back.
//!
//! First a word becomes a whole number: its bits, or, where a column has the numbers that people
//! and programs write as text (12.25, −3.7), the number times a power of ten. The latter is the
//! idea of ALP (Afroozeh, Kuffó, Boncz: *ALP: Adaptive Lossless floating-Point Compression*, 2023):
//! the few numbers that do not come back so are stored beside. Then stands the difference from what
//! the column so far, or the columns before, let expect.

use solio_codec::wide::{Wide, wide};

/// How whole numbers are told from the ones before; all sums wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Prediction {
    /// Not at all.
    #[default]
    None = 0,
    /// As the one above it.
    Above = 1,
    /// On a line with the two above it: twice the first less the second.
    Line = 2,
    /// The fourth corner of a parallelogram with the three above it: so strips of quads go on.
    Strip = 3,
    /// As the one three columns before: the point before it in the row.
    Left = 4,
    /// On a line with those three and six columns before.
    LeftLine = 5,
}

use Prediction::*;

const PREDICTIONS: [Prediction; 6] = [None, Above, Line, Strip, Left, LeftLine];
/// Columns of a point.
const POINT: usize = 3;
/// 10 to the power of −d, each the double next to it.
const TENTHS: [f64; 9] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const TENS: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
/// Whole numbers of decimals are smaller, so that a difference of them does not wrap.
const MOST: f64 = (1u32 << 29) as f64;
/// Of so many numbers one may be another than a decimal.
const EXCEPTIONS: usize = 64;

/// How a column is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// Digits behind the point, of decimals.
    pub(super) digits: Option<u8>,
    pub(super) prediction: Prediction,
}

impl Way {
    /// As it stands in the file.
    pub(super) fn word(self) -> u32 {
        u32::from(self.digits.map_or(0, |digits| digits + 1)) | (self.prediction as u32) << 8
    }

    pub(super) fn of_word(word: u32, column: usize) -> Option<Way> {
        let digits = (word & 0xff).checked_sub(1);
        let prediction = *PREDICTIONS.get((word >> 8) as usize)?;
        if digits.is_some_and(|digits| digits as usize >= TENTHS.len())
            || column < first_column(prediction)
        {
            return Option::None;
        }
        Some(Way { digits: digits.map(|digits| digits as u8), prediction })
    }

    /// Whether numbers are stored with their sign in the lowest bit.
    fn is_signed(self) -> bool {
        self.digits.is_some() || self.prediction != None
    }
}

/// The first column that can be told so.
fn first_column(prediction: Prediction) -> usize {
    match prediction {
        Left => POINT,
        LeftLine => 2 * POINT,
        _ => 0,
    }
}

/// Those that a column can be told by.
pub(super) fn predictions(column: usize) -> impl Iterator<Item = Prediction> {
    PREDICTIONS.into_iter().filter(move |prediction| column >= first_column(*prediction))
}

/// A word that is no decimal, and its row.
pub(super) type Exception = (u32, u32);

/// The fewest digits behind the point with which almost all of these numbers are decimals.
pub(super) fn digits_of(words: &[u32]) -> Option<u8> {
    let most = words.len() / EXCEPTIONS;
    (0..TENTHS.len() as u8).find(|digits| {
        let mut others = 0;
        words.iter().all(|word| {
            others += usize::from(whole(*word, *digits).1);
            others <= most
        })
    })
}

/// A number as a whole number of the last digit, and whether it is not that.
#[inline(always)]
fn whole(word: u32, digits: u8) -> (u32, bool) {
    let value = f64::from(f32::from_bits(word)) * TENS[digits as usize];
    if value.abs() < MOST {
        let whole = value.round_ties_even() as i32 as u32;
        (whole, decimal(whole, TENTHS[digits as usize]) != word)
    } else {
        (0, true)
    }
}

/// The number of so many units.
#[inline(always)]
fn decimal(whole: u32, unit: f64) -> u32 {
    ((f64::from(whole as i32) * unit) as f32).to_bits()
}

/// Puts whole numbers in the place of words. Those that cannot be had back are added to `others`.
pub(super) fn to_whole(words: &mut [u32], digits: Option<u8>, others: &mut Vec<Exception>) {
    let Some(digits) = digits else { return };
    for (row, word) in (0u32..).zip(words) {
        let (whole, is_other) = whole(*word, digits);
        if is_other {
            others.push((row, *word));
        }
        *word = whole;
    }
}

/// Puts words in the place of whole numbers.
pub(super) fn to_words(numbers: &mut [u32], digits: Option<u8>) {
    if let Some(digits) = digits {
        wide(Decimals { numbers, unit: TENTHS[digits as usize] });
    }
}

struct Decimals<'a> {
    numbers: &'a mut [u32],
    unit: f64,
}

impl Wide for Decimals<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for number in self.numbers {
            *number = decimal(*number, self.unit);
        }
    }
}

/// What is stored for the numbers of a column; `columns` has all, `rows` each, as whole numbers.
pub(super) fn differences(
    columns: &[u32],
    rows: usize,
    column: usize,
    way: Way,
    to: &mut Vec<u32>,
) {
    let at = |column: usize| &columns[column * rows..][..rows];
    let numbers = at(column);
    to.clear();
    match way.prediction {
        None => to.extend_from_slice(numbers),
        Left => {
            let pairs = numbers.iter().zip(at(column - POINT));
            to.extend(pairs.map(|(number, left)| number.wrapping_sub(*left)));
        }
        LeftLine => {
            let before = at(column - POINT).iter().zip(at(column - 2 * POINT));
            to.extend(
                numbers.iter().zip(before).map(|(number, (a, b))| {
                    number.wrapping_sub(a.wrapping_mul(2).wrapping_sub(*b))
                }),
            );
        }
        by_column => {
            let mut above = [0u32; 3];
            to.extend(numbers.iter().map(|number| {
                let difference = number.wrapping_sub(expected(by_column, above));
                above = [*number, above[0], above[1]];
                difference
            }));
        }
    }
    if way.is_signed() {
        to.iter_mut().for_each(|word| *word = (*word << 1) ^ (*word as i32 >> 31) as u32);
    }
}

/// What follows three numbers, the last one first.
#[inline(always)]
fn expected(prediction: Prediction, [a, b, c]: [u32; 3]) -> u32 {
    match prediction {
        Above => a,
        Line => a.wrapping_mul(2).wrapping_sub(b),
        Strip => a.wrapping_add(b).wrapping_sub(c),
        _ => 0,
    }
}

/// A plane of bytes: one each, or the same everywhere.
#[derive(Clone, Copy)]
pub(super) enum Plane<'a> {
    Same(u8),
    Each(&'a [u8]),
}

/// Fills a column with whole numbers. `columns` has those before it, and room for it; planes have
/// `rows` bytes.
pub(super) fn restore(
    planes: [Plane<'_>; 4],
    columns: &mut [u32],
    rows: usize,
    column: usize,
    way: Way,
) {
    let (before, to) = columns.split_at_mut(column * rows);
    let to = &mut to[..rows];
    let is_signed = way.is_signed();
    let empty: &[u8] = &[];
    let (mut base, mut each, mut bits, mut count) = (0, [empty; 4], [0u32; 4], 0);
    for (i, plane) in (0u32..).zip(planes) {
        match plane {
            Plane::Same(byte) => base |= u32::from(byte) << (8 * i),
            Plane::Each(bytes) => {
                (each[count], bits[count]) = (bytes, 8 * i);
                count += 1;
            }
        }
    }
    let [a, b, c, d] = each;
    match count {
        0 => to.fill(if is_signed { unsigned(base) } else { base }),
        1 => wide(Join { planes: [a], bits: [bits[0]], base, is_signed, to }),
        2 => wide(Join { planes: [a, b], bits: [bits[0], bits[1]], base, is_signed, to }),
        3 => {
            wide(Join { planes: [a, b, c], bits: [bits[0], bits[1], bits[2]], base, is_signed, to })
        }
        _ => wide(Join { planes: [a, b, c, d], bits, base, is_signed, to }),
    }
    let at = |column: usize| &before[column * rows..][..rows];
    match way.prediction {
        None => {}
        Left => wide(AddLeft { left: at(column - POINT), to }),
        LeftLine => {
            wide(AddLine { near: at(column - POINT), far: at(column - 2 * POINT), to });
        }
        Above => add_up(to, |above| expected(Above, above)),
        Line => add_up(to, |above| expected(Line, above)),
        Strip => add_up(to, |above| expected(Strip, above)),
    }
}

/// The number with its sign in the lowest bit, as it is.
#[inline(always)]
fn unsigned(word: u32) -> u32 {
    (word >> 1) ^ (word & 1).wrapping_neg()
}

#[inline(always)]
fn add_up(to: &mut [u32], expected: impl Fn([u32; 3]) -> u32) {
    let mut above = [0u32; 3];
    for number in to {
        *number = number.wrapping_add(expected(above));
        above = [*number, above[0], above[1]];
    }
}

struct Join<'a, const N: usize> {
    planes: [&'a [u8]; N],
    bits: [u32; N],
    base: u32,
    is_signed: bool,
    to: &'a mut [u32],
}

impl<const N: usize> Wide for Join<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Join { mut planes, bits, base, is_signed, to } = self;
        for plane in &mut planes {
            *plane = &plane[..to.len()];
        }
        // The sign is taken out where there is one: −1 keeps the shifted word, 0 the word.
        let (shift, mask) = if is_signed { (1, 1) } else { (0, 0) };
        for (i, to) in to.iter_mut().enumerate() {
            let mut word = base;
            for k in 0..N {
                word |= u32::from(planes[k][i]) << bits[k];
            }
            *to = (word >> shift) ^ (word & mask).wrapping_neg();
        }
    }
}

struct AddLeft<'a> {
    left: &'a [u32],
    to: &'a mut [u32],
}

impl Wide for AddLeft<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (to, left) in self.to.iter_mut().zip(self.left) {
            *to = to.wrapping_add(*left);
        }
    }
}

struct AddLine<'a> {
    near: &'a [u32],
    far: &'a [u32],
    to: &'a mut [u32],
}

impl Wide for AddLine<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for ((to, near), far) in self.to.iter_mut().zip(self.near).zip(self.far) {
            *to = to.wrapping_add(near.wrapping_mul(2).wrapping_sub(*far));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_text_are_decimals() {
        let bits = |numbers: &[f32]| numbers.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        for (numbers, digits) in [
            (&[1., -3., 16_777_216., 0.][..], Some(0)),
            (&[0.1, -2.5, 1190.1, 0.7], Some(1)),
            (&[0.001, 99_999.99, 3.125], Some(3)),
            (&[0.333_333_34, 2.], Some(8)),
            (&[0.1, f32::NAN], Option::None),
            (&[0.1, -0.0], Option::None),
            (&[1e9, 0.5], Option::None),
            (&[], Some(0)),
        ] {
            assert_eq!(digits_of(&bits(numbers)), digits, "{numbers:?}");
        }
        // Every number that text has with few digits, not only some.
        for units in -20_000..20_000 {
            for digits in 0..TENS.len() {
                let text = format!("{units}e-{digits}");
                let value: f32 = text.parse().unwrap();
                let (_, is_other) = whole(value.to_bits(), digits as u8);
                assert!(!is_other || value.to_bits() == 1 << 31, "{text}");
            }
        }
    }

    #[test]
    fn few_other_numbers_are_kept_beside() {
        let mut numbers: Vec<f32> = (0..1000).map(|i| (i * 7 % 300) as f32 / 100.).collect();
        (numbers[3], numbers[700]) = (f32::NAN, -0.0);
        let mut words: Vec<u32> = numbers.iter().map(|v| v.to_bits()).collect();
        assert_eq!(digits_of(&words), Some(2));
        let mut others = Vec::new();
        to_whole(&mut words, Some(2), &mut others);
        let rows: Vec<u32> = others.iter().map(|(row, _)| *row).collect();
        assert_eq!((rows, words[1], words[700]), (vec![3, 700], 7, 0));
    }

    fn split(words: &[u32]) -> [Vec<u8>; 4] {
        std::array::from_fn(|i| words.iter().map(|word| word.to_le_bytes()[i]).collect())
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            words in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..200], 0..700),
            few in any::<bool>(),
        ) {
            let rows = words.len() / 7;
            let mask = if few { 0xff } else { u32::MAX };
            let columns: Vec<u32> = words[..7 * rows].iter().map(|word| word & mask).collect();
            for column in 0..7 {
                for prediction in predictions(column) {
                    for digits in [Option::None, Some(2)] {
                        let way = Way { digits, prediction };
                        prop_assert_eq!(Way::of_word(way.word(), column), Some(way));
                        let mut stored = Vec::new();
                        differences(&columns, rows, column, way, &mut stored);
                        let planes = split(&stored);
                        let planes = planes.each_ref().map(|plane| match plane.first() {
                            Some(first) if plane.iter().all(|byte| byte == first) => {
                                Plane::Same(*first)
                            }
                            _ => Plane::Each(plane),
                        });
                        let mut back = columns.clone();
                        back[column * rows..].fill(77);
                        restore(planes, &mut back, rows, column, way);
                        prop_assert_eq!(
                            &back[..(column + 1) * rows], &columns[..(column + 1) * rows]
                        );
                    }
                }
            }
        }

        #[test]
        fn any_words_are_decimals_or_exceptions(
            words in prop::collection::vec(
                prop_oneof![any::<u32>(), (-1e6f32..1e6).prop_map(f32::to_bits)], 0..99),
            digits in 0..TENS.len() as u8,
        ) {
            let (mut numbers, mut others) = (words.clone(), Vec::new());
            to_whole(&mut numbers, Some(digits), &mut others);
            to_words(&mut numbers, Some(digits));
            for (row, word) in others {
                numbers[row as usize] = word;
            }
            prop_assert_eq!(numbers, words);
        }
    }
}
