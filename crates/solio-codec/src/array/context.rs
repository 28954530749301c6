//! Samples by codes that depend on what is around them: the smallest form, and the slowest.
//!
//! Each sample is predicted by its neighbours (median or mean), and how far these were from their
//! own predictions, and from each other, says which of sixteen prefix codes its class is in
//! ([`class`](super::class)). The idea is that of LOCO-I (Weinberger, Seroussi, Sapiro 2000) and
//! CALIC (Wu, Memon 1997); the codes are counted before, not learned on the way.
//!
//! ```text
//! u8         the class of errors where the second context begins
//! 16 times   a prefix code: smallest byte, largest (below the smallest where none occurs), nibbles
//! stream     code of a class, bits that follow it, sample after sample; lowest bit first
//! ```

use super::class;
use super::cursor::FieldCursor;
use crate::deflate::huffman::{LENGTH_AT, codes, lengths};
use crate::wide::{Wide, wide};
use crate::word::Word;

const CONTEXTS: usize = 16;
/// Classes of errors that share a context: three quarters of a power of two.
const CLASSES_EACH: u8 = 3;
/// No code is longer: a table of each context then has 1,024 places.
const LONGEST: u32 = 10;

/// How samples are predicted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    Median,
    Mean,
}

/// A row and what is kept of it: the samples, and how far each was from what was expected, with
/// one more before and behind.
#[derive(Default)]
pub(super) struct RowErrors<T> {
    above: Vec<T>,
    above_errors: Vec<u32>,
    errors: Vec<u32>,
}

impl<T: Word> RowErrors<T> {
    fn start(&mut self, width: usize) {
        self.above.clear();
        self.above.resize(width + 2, T::default());
        self.above_errors.clear();
        self.above_errors.resize(width + 2, 0);
        self.errors.clear();
        self.errors.resize(width, 0);
    }

    /// After a row was done.
    fn next(&mut self, row: &[T]) {
        let width = row.len();
        self.above[1..=width].copy_from_slice(row);
        self.above_errors[1..=width].copy_from_slice(&self.errors);
        // Beyond the ends stands what stands at the ends.
        (self.above[0], self.above[width + 1]) = (row[0], row[width - 1]);
        self.above_errors[0] = self.errors[0];
        self.above_errors[width + 1] = self.errors[width - 1];
    }
}

/// What is expected of a sample, and the class of the errors around it.
#[inline(always)]
fn around<T: Word>(
    expect: Expect,
    left: T,
    [corner, up, beyond]: [T; 3],
    left_error: u32,
    errors: [u32; 3],
) -> (T, u8) {
    let expected = match expect {
        Expect::Median => median(left, up, corner),
        Expect::Mean => left.mean(up),
    };
    let far = |a: T, b: T| a.minus(b).zigzag().to_u64();
    let activity = far(left, corner) + far(up, corner) + far(up, beyond);
    let [corner, up, beyond] = errors.map(u64::from);
    let sum = 2 * (u64::from(left_error) + up) + corner + beyond + activity;
    (expected, class::of(sum.min(u64::from(u32::MAX)) as u32).0)
}

/// The plane through the three, but no value beyond those of left and above: the "median edge
/// detector" of LOCO-I.
#[inline(always)]
pub(super) fn median<T: Word>(left: T, up: T, corner: T) -> T {
    let (low, high) = if left.is_less(up) { (left, up) } else { (up, left) };
    let plane = left.plus(up.minus(corner));
    let below = if low.is_less(corner) { plane } else { high };
    if corner.is_less(high) { below } else { low }
}

#[inline(always)]
fn context_of(class: u8, start: u8) -> usize {
    usize::from((class + CLASSES_EACH).saturating_sub(start) / CLASSES_EACH).min(CONTEXTS - 1)
}

/// What samples are to be coded as.
#[derive(Default)]
pub(super) struct Coded {
    /// The class of the errors around each.
    around: Vec<u8>,
    /// Its own class, and the bits that follow.
    classes: Vec<u8>,
    values: Vec<u32>,
}

/// Appends the samples of a plane.
pub(super) fn encode<T: Word>(
    words: &[T],
    width: usize,
    expect: Expect,
    coded: &mut Coded,
    out: &mut Vec<u8>,
) {
    let count = words.len();
    coded.around.resize(count, 0);
    coded.classes.resize(count, 0);
    coded.values.resize(count, 0);
    wide(ClassifyErrors { words, width, expect, coded });
    // All but a few of the smallest and of the largest errors have contexts of their own.
    let mut of_class = [0u32; 256];
    coded.around.iter().for_each(|class| of_class[usize::from(*class)] += 1);
    let mut below = 0;
    let first = of_class.iter().position(|count| {
        below += *count as usize;
        below > words.len() / 64
    });
    let start = first.unwrap_or(0) as u8 + 1;
    let mut counts = [[0u32; 256]; CONTEXTS];
    for (around, class) in coded.around.iter().zip(&coded.classes) {
        counts[context_of(*around, start)][usize::from(*class)] += 1;
    }
    out.push(start);
    let mut of_context = [[0u32; 256]; CONTEXTS];
    for (counts, codes_of) in counts.iter().zip(&mut of_context) {
        let mut of_byte = [0; 256];
        let first = counts.iter().position(|count| *count > 0);
        if first.is_none() {
            out.extend([1, 0]);
            continue;
        }
        lengths(counts, LONGEST, &mut of_byte);
        let first = of_byte.iter().position(|length| *length > 0).unwrap_or(0);
        let last = of_byte.iter().rposition(|length| *length > 0).unwrap_or(0);
        out.extend([first as u8, last as u8]);
        for pair in of_byte[first..=last].chunks(2) {
            out.push(pair[0] | pair.get(1).unwrap_or(&0) << 4);
        }
        codes(&of_byte, codes_of);
    }
    wide(WriteContextCodes { coded, start, codes: &of_context, out });
}

struct ClassifyErrors<'a, T> {
    words: &'a [T],
    width: usize,
    expect: Expect,
    coded: &'a mut Coded,
}

impl<T: Word> Wide for ClassifyErrors<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let ClassifyErrors { words, width, expect, coded } = self;
        let mut rows = RowErrors::<T>::default();
        rows.start(width);
        let Coded { around: arounds, classes, values } = coded;
        let rows_of = arounds.chunks_exact_mut(width).zip(classes.chunks_exact_mut(width));
        for ((row, (arounds, classes)), values) in
            words.chunks_exact(width).zip(rows_of).zip(values.chunks_exact_mut(width))
        {
            let mut left = rows.above[1];
            let mut left_error = rows.above_errors[1];
            let above = rows.above.windows(3).zip(rows.above_errors.windows(3));
            let to = arounds.iter_mut().zip(classes).zip(values).zip(&mut rows.errors);
            for ((sample, (above, errors)), (((around_class, class), value), error)) in
                row.iter().zip(above).zip(to)
            {
                let above = [above[0], above[1], above[2]];
                let errors = [errors[0], errors[1], errors[2]];
                let expected;
                (expected, *around_class) = around(expect, left, above, left_error, errors);
                let difference = sample.minus(expected).zigzag().to_u64() as u32;
                *class = class::of(difference).0;
                *value = difference;
                (*error, left_error, left) = (difference, difference, *sample);
            }
            rows.next(row);
        }
    }
}

struct WriteContextCodes<'a> {
    coded: &'a Coded,
    start: u8,
    codes: &'a [[u32; 256]; CONTEXTS],
    out: &'a mut Vec<u8>,
}

impl Wide for WriteContextCodes<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let WriteContextCodes { coded, start, codes, out } = self;
        let begin = out.len();
        out.resize(begin + coded.values.len() * 5 + 16, 0);
        let room = &mut out[begin..];
        let (mut word, mut held, mut at) = (0u64, 0, 0);
        let classes = coded.around.iter().zip(&coded.classes);
        for ((around, class), value) in classes.zip(&coded.values) {
            let code = codes[context_of(*around, start)][usize::from(*class)];
            word |= u64::from(code & 0xffff) << held;
            held += code >> LENGTH_AT;
            let bits = class::bits(*class);
            word |= (u64::from(*value) & ((1 << bits) - 1)) << held;
            held += bits;
            // At most 7 bits stay, and 39 are added.
            room[at..at + 8].copy_from_slice(&word.to_le_bytes());
            at += (held / 8) as usize;
            word >>= held & !7;
            held &= 7;
        }
        out.truncate(begin + at + (held as usize).div_ceil(8));
    }
}

/// Tables for [`decode`]; keep one per thread.
pub(super) struct ContextTables {
    /// A class and the length of its code, by context and the next bits.
    places: Vec<[u8; 2]>,
}

impl Default for ContextTables {
    fn default() -> Self {
        ContextTables { places: vec![[0; 2]; CONTEXTS << LONGEST] }
    }
}

/// Fills `to` with the samples of a plane; `None` where that cannot be.
pub(super) fn decode<T: Word>(
    from: &mut FieldCursor,
    width: usize,
    expect: Expect,
    tables: &mut ContextTables,
    to: &mut [T],
) -> Option<()> {
    let start = from.u8()?;
    let last_class = if T::BYTES == 4 { class::LAST } else { class::LAST_OF_HALVES };
    for places in tables.places.chunks_exact_mut(1 << LONGEST) {
        let (first, last) = (usize::from(from.u8()?), usize::from(from.u8()?));
        if first > last {
            // Where such a context comes nevertheless, class 0 without a bit is harmless.
            places.fill([0; 2]);
            continue;
        }
        let nibbles = from.bytes((last - first + 2) / 2)?;
        let mut of_byte = [0; 256];
        for (i, length) in of_byte[first..=last].iter_mut().enumerate() {
            *length = nibbles[i / 2] >> (4 * (i % 2)) & 15;
        }
        let whole: u32 = of_byte.iter().filter(|l| **l > 0).map(|l| 1 << (15 - l)).sum();
        let is_long = of_byte.iter().any(|length| u32::from(*length) > LONGEST);
        if whole != 1 << 15 || is_long || last > usize::from(last_class) {
            return None;
        }
        let mut of_bits = [0; 256];
        codes(&of_byte, &mut of_bits);
        for (class, code) in of_bits.iter().enumerate().filter(|(_, code)| **code != 0) {
            let length = code >> LENGTH_AT;
            for place in places[(code & 0xffff) as usize..].iter_mut().step_by(1 << length) {
                *place = [class as u8, length as u8];
            }
        }
    }
    let stream = from.bytes(from.0.len())?;
    let end = wide(ReadContextCodes { stream, start, width, expect, places: &tables.places, to });
    (end.div_ceil(8) == stream.len()).then_some(())
}

struct ReadContextCodes<'a, T> {
    stream: &'a [u8],
    start: u8,
    width: usize,
    expect: Expect,
    places: &'a [[u8; 2]],
    to: &'a mut [T],
}

impl<T: Word> Wide for ReadContextCodes<'_, T> {
    /// The bit where it ends.
    type Output = usize;
    #[inline(always)]
    fn run(self) -> usize {
        match self.expect {
            Expect::Median => samples(self, Expect::Median),
            Expect::Mean => samples(self, Expect::Mean),
        }
    }
}

#[inline(always)]
fn samples<T: Word>(decode: ReadContextCodes<'_, T>, expect: Expect) -> usize {
    let ReadContextCodes { stream, start, width, places, to, .. } = decode;
    // A table by class of errors spares the division.
    let contexts: [u16; 128] =
        std::array::from_fn(|class| (context_of(class as u8, start) << LONGEST) as u16);
    let places: &[[u8; 2]; CONTEXTS << LONGEST] = places.try_into().expect("all contexts");
    let mut rows = RowErrors::<T>::default();
    rows.start(width);
    let mut bit = 0;
    for row in to.chunks_exact_mut(width) {
        let mut left = rows.above[1];
        let mut left_error = rows.above_errors[1];
        let above = rows.above.windows(3).zip(rows.above_errors.windows(3));
        for ((sample, error), (above, errors)) in row.iter_mut().zip(&mut rows.errors).zip(above) {
            let word = match stream.get(bit / 8..bit / 8 + 8) {
                Some(bytes) => u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes")),
                None => last_word(stream, bit / 8),
            } >> (bit % 8);
            let above = [above[0], above[1], above[2]];
            let errors = [errors[0], errors[1], errors[2]];
            let (expected, class) = around(expect, left, above, left_error, errors);
            let context = usize::from(contexts[usize::from(class & 127)]);
            let look = context | (word & ((1 << LONGEST) - 1)) as usize;
            let [class, length] = places[look & ((CONTEXTS << LONGEST) - 1)];
            let (base, bits) = class::CLASSES[usize::from(class & 127)];
            let low = word >> length & ((1 << bits) - 1);
            let difference = base + low as u32;
            left = expected.plus(T::of_u64(u64::from(difference)).unzigzag());
            (*sample, *error, left_error) = (left, difference, difference);
            bit += usize::from(length) + usize::from(bits);
        }
        rows.next(row);
    }
    bit
}

/// The bytes from there on, with zeros behind the last one.
#[cold]
fn last_word(stream: &[u8], at: usize) -> u64 {
    let rest = stream.get(at..).unwrap_or_default();
    let mut word = [0; 8];
    let some = rest.len().min(8);
    word[..some].copy_from_slice(&rest[..some]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back<T: Word>(words: &[T], width: usize) {
        for expect in [Expect::Median, Expect::Mean] {
            let mut packed = Vec::new();
            encode(words, width, expect, &mut Coded::default(), &mut packed);
            let mut back = vec![T::default(); words.len()];
            let mut tables = ContextTables::default();
            decode(&mut FieldCursor(&packed), width, expect, &mut tables, &mut back)
                .expect("just made");
            assert_eq!(back, words);
            packed.push(0);
            let longer = &mut FieldCursor(&packed);
            assert!(decode(longer, width, expect, &mut tables, &mut back).is_none());
        }
    }

    proptest! {
        #[test]
        fn comes_back(
            noise in prop::collection::vec((any::<u32>(), 0..32u32), 1..900), width in 1..40usize,
        ) {
            let count = noise.len() / width * width;
            let noise = &noise[..count];
            there_and_back::<u32>(&noise.iter().map(|(n, s)| n >> s).collect::<Vec<_>>(), width);
            there_and_back::<u16>(&noise.iter().map(|(n, s)| (n >> s) as u16).collect::<Vec<_>>(), width);
            there_and_back::<u8>(&noise.iter().map(|(n, s)| (n >> s) as u8).collect::<Vec<_>>(), width);
        }

        #[test]
        fn anything_is_decoded_or_refused(noise in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut to = vec![0u16; 300];
            let _ = decode(&mut FieldCursor(&noise), 30, Expect::Mean, &mut ContextTables::default(), &mut to);
        }
    }
}
