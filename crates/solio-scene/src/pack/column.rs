//! How the words of a column become whole numbers that are near what is expected, and back.
//!
//! First a word becomes a whole number: its bits; or, of floats, these in the order of the floats;
//! or, where a column has the numbers that people and programs write as text (12.25, −3.7), the
//! number times a power of ten. The latter is the idea of ALP (Afroozeh, Kuffó, Boncz: *ALP:
//! Adaptive Lossless floating-Point Compression*, 2023): the few numbers that do not come back so
//! are stored beside. Then stands the difference from what the columns before, or some numbers
//! above, let expect. What is above alone is left to the codec of arrays.

use solio_codec::wide::{Wide, wide};

/// How whole numbers are told from the ones before; all sums wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColumnPrediction {
    /// Not at all.
    #[default]
    None = 0,
    /// On a line with the two above it: twice the first less the second.
    Line = 1,
    /// The fourth corner of a parallelogram with the three above it: so strips of quads go on.
    Strip = 2,
    /// As the one three columns before: the point before it in the row.
    Left = 3,
    /// On a line with those three and six columns before.
    LeftLine = 4,
}

use ColumnPrediction::*;

const PREDICTIONS: [ColumnPrediction; 5] = [None, Line, Strip, Left, LeftLine];
/// Columns of a point.
const POINT: usize = 3;
/// 10 to the power of −d, each the double next to it.
const TENTHS: [f64; 9] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const TENS: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
/// Whole numbers of decimals are smaller, so that a difference of them does not wrap.
const MOST: f64 = (1u32 << 29) as f64;
/// Of so many numbers one may be another than a decimal.
const EXCEPTIONS: usize = 64;

/// What whole number a word is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WordForm {
    /// Its bits.
    #[default]
    Bits,
    /// The bits of a float; all but the sign of a negative one inverted.
    Floats,
    /// A float with so many digits behind the point: the number without the point.
    Decimals(u8),
}

/// What stands for floats in the place of digits.
const FLOATS: u32 = 255;

/// How a column is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnCoding {
    pub(super) numbers: WordForm,
    pub(super) prediction: ColumnPrediction,
}

impl ColumnCoding {
    /// As it stands in the file.
    pub(super) fn word(self) -> u32 {
        let numbers = match self.numbers {
            WordForm::Bits => 0,
            WordForm::Decimals(digits) => u32::from(digits) + 1,
            WordForm::Floats => FLOATS,
        };
        numbers | (self.prediction as u32) << 8
    }

    pub(super) fn of_word(word: u32, column: usize) -> Option<ColumnCoding> {
        let numbers = match word & 0xff {
            0 => WordForm::Bits,
            FLOATS => WordForm::Floats,
            digits if digits as usize <= TENTHS.len() => WordForm::Decimals(digits as u8 - 1),
            _ => return Option::None,
        };
        let prediction = *PREDICTIONS.get((word >> 8) as usize)?;
        (column >= first_column(prediction)).then_some(ColumnCoding { numbers, prediction })
    }
}

/// The first column that can be told so.
fn first_column(prediction: ColumnPrediction) -> usize {
    match prediction {
        Left => POINT,
        LeftLine => 2 * POINT,
        _ => 0,
    }
}

/// Those that a column can be told by.
pub(super) fn predictions(column: usize) -> impl Iterator<Item = ColumnPrediction> {
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
pub(super) fn to_whole(words: &mut [u32], numbers: WordForm, others: &mut Vec<Exception>) {
    match numbers {
        WordForm::Bits => {}
        WordForm::Floats => wide(OrderFloats(words)),
        WordForm::Decimals(digits) => {
            for (row, word) in (0u32..).zip(words) {
                let (whole, is_other) = whole(*word, digits);
                if is_other {
                    others.push((row, *word));
                }
                *word = whole;
            }
        }
    }
}

/// Puts words in the place of whole numbers.
pub(super) fn to_words(numbers: &mut [u32], are: WordForm) {
    match are {
        WordForm::Bits => {}
        WordForm::Floats => wide(OrderFloats(numbers)),
        WordForm::Decimals(digits) => wide(Decimals { numbers, unit: TENTHS[digits as usize] }),
    }
}

/// Bits of floats to numbers in their order, and back.
struct OrderFloats<'a>(&'a mut [u32]);

impl Wide for OrderFloats<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|word| *word ^= (*word as i32 >> 31) as u32 >> 1);
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
    prediction: ColumnPrediction,
    to: &mut [u32],
) {
    let at = |column: usize| &columns[column * rows..][..rows];
    let numbers = at(column);
    to.copy_from_slice(numbers);
    match prediction {
        None => {}
        Left => {
            let pairs = to.iter_mut().zip(at(column - POINT));
            pairs.for_each(|(to, left)| *to = to.wrapping_sub(*left));
        }
        LeftLine => {
            let before = at(column - POINT).iter().zip(at(column - 2 * POINT));
            for (to, (a, b)) in to.iter_mut().zip(before) {
                *to = to.wrapping_sub(a.wrapping_mul(2).wrapping_sub(*b));
            }
        }
        by_column => {
            let mut above = [0u32; 3];
            for to in to {
                let number = *to;
                *to = number.wrapping_sub(expected(by_column, above));
                above = [number, above[0], above[1]];
            }
        }
    }
}

/// What follows three numbers, the last one first.
#[inline(always)]
fn expected(prediction: ColumnPrediction, [a, b, c]: [u32; 3]) -> u32 {
    match prediction {
        Line => a.wrapping_mul(2).wrapping_sub(b),
        Strip => a.wrapping_add(b).wrapping_sub(c),
        _ => 0,
    }
}

/// Puts whole numbers in the place of what is stored for a column; in those before it they stand.
pub(super) fn restore(
    columns: &mut [u32],
    rows: usize,
    column: usize,
    prediction: ColumnPrediction,
) {
    let (before, to) = columns.split_at_mut(column * rows);
    let to = &mut to[..rows];
    let at = |column: usize| &before[column * rows..][..rows];
    match prediction {
        None => {}
        Left => wide(AddLeft { left: at(column - POINT), to }),
        LeftLine => {
            wide(AddLine { near: at(column - POINT), far: at(column - 2 * POINT), to });
        }
        Line => add_up(to, |above| expected(Line, above)),
        Strip => add_up(to, |above| expected(Strip, above)),
    }
}

#[inline(always)]
fn add_up(to: &mut [u32], expected: impl Fn([u32; 3]) -> u32) {
    let mut above = [0u32; 3];
    for number in to {
        *number = number.wrapping_add(expected(above));
        above = [*number, above[0], above[1]];
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
        to_whole(&mut words, WordForm::Decimals(2), &mut others);
        let rows: Vec<u32> = others.iter().map(|(row, _)| *row).collect();
        assert_eq!((rows, words[1], words[700]), (vec![3, 700], 7, 0));
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            words in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..200], 0..700),
        ) {
            let rows = words.len() / 7;
            let columns = &words[..7 * rows];
            for column in 0..7 {
                for prediction in predictions(column) {
                    let mut back = columns.to_vec();
                    let stored = &mut back[column * rows..][..rows];
                    differences(columns, rows, column, prediction, stored);
                    restore(&mut back, rows, column, prediction);
                    prop_assert_eq!(&back, columns);
                    for numbers in [WordForm::Bits, WordForm::Floats, WordForm::Decimals(8)] {
                        let way = ColumnCoding { numbers, prediction };
                        prop_assert_eq!(ColumnCoding::of_word(way.word(), column), Some(way));
                    }
                }
            }
        }

        #[test]
        fn floats_keep_their_order(words in prop::collection::vec(any::<u32>(), 2..99)) {
            let mut numbers = words.clone();
            to_whole(&mut numbers, WordForm::Floats, &mut Vec::new());
            for (words, numbers) in words.windows(2).zip(numbers.windows(2)) {
                let [a, b] = [words[0], words[1]].map(f32::from_bits);
                prop_assert_eq!(a.total_cmp(&b), (numbers[0] as i32).cmp(&(numbers[1] as i32)));
            }
            to_words(&mut numbers, WordForm::Floats);
            prop_assert_eq!(numbers, words);
        }

        #[test]
        fn any_words_are_decimals_or_exceptions(
            words in prop::collection::vec(
                prop_oneof![any::<u32>(), (-1e6f32..1e6).prop_map(f32::to_bits)], 0..99),
            digits in 0..TENS.len() as u8,
        ) {
            let (mut numbers, mut others) = (words.clone(), Vec::new());
            to_whole(&mut numbers, WordForm::Decimals(digits), &mut others);
            to_words(&mut numbers, WordForm::Decimals(digits));
            for (row, word) in others {
                numbers[row as usize] = word;
            }
            prop_assert_eq!(numbers, words);
        }
    }
}
