//! Numbers of any size: a class by a prefix code, and the bits that tell apart the numbers of a
//! class as they are.
//!
//! Numbers below 8 are classes of their own; above, each power of two has four. So 32 bits need
//! 124 classes. Streams of bits begin with the lowest.
//!
//! Why it is fast: all classes are known before the bits are read, so that only the addition of
//! lengths leads from one number to the next.

use crate::wide::{Wide, wide};
use crate::word::Word;

/// Of a class: its smallest number, and how many bits follow.
pub(super) const CLASSES: [(u32, u8); 128] = {
    let mut classes = [(0, 0); 128];
    let mut class = 0;
    while class <= LAST as u32 {
        let (lead, bits) = if class < 8 { (class, 0) } else { (class % 4 + 4, class / 4 - 1) };
        classes[class as usize] = (lead << bits, bits as u8);
        class += 1;
    }
    classes
};
/// The class of the largest numbers of 32 bits.
pub(super) const LAST: u8 = 123;
/// Of those of 16 bits.
pub(super) const LAST_OF_HALVES: u8 = 59;

/// The class of a number, and how many bits follow.
#[inline(always)]
pub(super) fn of(value: u32) -> (u8, u32) {
    let bits = (32 - 3u32).saturating_sub((value | 1).leading_zeros());
    ((bits * 4 + (value >> bits)) as u8, bits)
}

/// The classes of numbers; of those of 64 bits the upper halves count.
pub(super) fn all_of<T: Word>(values: &[T], classes: &mut [u8]) {
    wide(AllOf { values, classes });
}

struct AllOf<'a, T> {
    values: &'a [T],
    classes: &'a mut [u8],
}

impl<T: Word> Wide for AllOf<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let lower = if T::BYTES == 8 { 32 } else { 0 };
        for (value, class) in self.values.iter().zip(self.classes) {
            let value = (value.to_u64() >> lower) as u32;
            // Of a float the exponent and the first two bits of the mantissa are the class. It has
            // 24 bits in all: more are cut off, so that none is rounded up.
            let exact = if value >> 24 == 0 { value } else { value & 0xffff_ff00 };
            let float = (exact as f32).to_bits() >> 21;
            *class = float.saturating_sub(512).max(value.min(3)) as u8;
        }
    }
}

/// How many bits follow a class.
#[inline(always)]
pub(super) fn bits(class: u8) -> u32 {
    u32::from(CLASSES[usize::from(class & 127)].1)
}

/// How many bits follow all classes that occur so often.
pub(super) fn following(counts: &[u32; 256]) -> u64 {
    let each = counts.iter().zip(CLASSES);
    each.map(|(count, (_, bits))| u64::from(*count) * u64::from(bits)).sum()
}

/// Makes of `classes` those of `values`, and appends the bits that follow to `out`.
pub(super) fn split<T: Word>(values: &[T], classes: &mut Vec<u8>, out: &mut Vec<u8>) {
    classes.resize(values.len(), 0);
    all_of(values, classes);
    wide(SplitClasses { values, out });
}

struct SplitClasses<'a, T> {
    values: &'a [T],
    out: &'a mut Vec<u8>,
}

impl<T: Word> Wide for SplitClasses<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let SplitClasses { values, out } = self;
        let start = out.len();
        out.resize(start + values.len() * T::BYTES + 16, 0);
        let room = &mut out[start..];
        let (mut word, mut held, mut at) = (0u64, 0, 0);
        // Four numbers of 16 bits have 52 bits at most, one of 32 bits has 29, and 7 may be held.
        let few = if T::BYTES <= 2 { 4 } else { 1 };
        for values in values.chunks(few) {
            let (mut some, mut length) = (0u64, 0);
            for value in values {
                let value = value.to_u64() as u32;
                let (_, bits) = of(value);
                some |= (u64::from(value) & ((1 << bits) - 1)) << length;
                length += bits;
            }
            word |= some << held;
            held += length;
            room[at..at + 8].copy_from_slice(&word.to_le_bytes());
            at += (held / 8) as usize;
            word >>= held & !7;
            held &= 7;
        }
        out.truncate(start + at + (held as usize).div_ceil(8));
    }
}

/// Fills `to` with the differences that [`split`] was given zigzagged; `classes` are as many.
/// `None` where there is no such class, or where `stream` is not as long as the classes say.
pub(super) fn join<T: Word>(classes: &[u8], stream: &[u8], to: &mut [T]) -> Option<()> {
    let last = if T::BYTES == 2 { LAST_OF_HALVES } else { LAST };
    let largest = classes.iter().fold(0, |largest, class| largest.max(*class));
    if largest > last {
        return None;
    }
    // What follows the classes of a few numbers is read at once: of 64 bits from a byte on, 57 are
    // there for sure.
    let end = match bits(largest) {
        ..=14 => wide(Join::<T, 4> { classes, stream, to }),
        15..=28 => wide(Join::<T, 2> { classes, stream, to }),
        _ => wide(Join::<T, 1> { classes, stream, to }),
    };
    (end.div_ceil(8) == stream.len()).then_some(())
}

/// `FEW` numbers are read at once: what follows their classes has 57 bits at most.
struct Join<'a, T, const FEW: usize> {
    classes: &'a [u8],
    stream: &'a [u8],
    to: &'a mut [T],
}

impl<T: Word, const FEW: usize> Wide for Join<'_, T, FEW> {
    type Output = usize;
    #[inline(always)]
    fn run(self) -> usize {
        let Join { classes, stream, to } = self;
        let mut bit = 0;
        let mut done = 0;
        let groups = classes.as_chunks::<FEW>().0.iter().zip(to.as_chunks_mut::<FEW>().0);
        for (classes, to) in groups {
            // As long as it lies in the stream.
            if bit / 8 + 8 > stream.len() {
                break;
            }
            // SAFETY: eight bytes from there on lie in the stream, as was just seen.
            let word = unsafe { stream.as_ptr().add(bit / 8).cast::<[u8; 8]>().read() };
            let mut word = u64::from_le_bytes(word) >> (bit % 8);
            for (class, to) in classes.iter().zip(to) {
                let (base, bits) = CLASSES[usize::from(class & 127)];
                let low = word & ((1 << bits) - 1);
                *to = T::of_u64(u64::from(base) + low).unzigzag();
                word >>= bits;
                bit += usize::from(bits);
            }
            done += FEW;
        }
        for (class, to) in classes[done..].iter().zip(&mut to[done..]) {
            let (base, bits) = CLASSES[usize::from(class & 127)];
            let rest = stream.get(bit / 8..).unwrap_or_default();
            let mut word = [0; 8];
            let some = rest.len().min(8);
            word[..some].copy_from_slice(&rest[..some]);
            let low = u64::from_le_bytes(word) >> (bit % 8) & ((1 << bits) - 1);
            *to = T::of_u64(u64::from(base) + low).unzigzag();
            bit += usize::from(bits);
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_follow_each_other() {
        for class in 0..LAST {
            let (base, bits) = CLASSES[usize::from(class)];
            let last = base + ((1u64 << bits) - 1) as u32;
            assert_eq!((of(base), of(last)), ((class, bits.into()), (class, bits.into())));
            assert_eq!(CLASSES[usize::from(class) + 1].0, last + 1);
        }
        assert_eq!(of(u32::MAX), (LAST, 29));
    }

    #[test]
    fn classes_by_floats_are_the_same() {
        let mut values: Vec<u32> = (0..1 << 17).collect();
        values.extend((0..32).flat_map(|bit| [u32::MAX >> bit, 5 << bit, !(3 << bit)]));
        let mut found = vec![0; values.len()];
        all_of(&values, &mut found);
        for (value, found) in values.into_iter().zip(found) {
            assert_eq!(found, of(value).0, "{value}");
        }
    }

    fn there_and_back<T: Word>(values: &[T]) {
        let (mut classes, mut stream) = (Vec::new(), Vec::new());
        split(values, &mut classes, &mut stream);
        let mut back = vec![T::default(); values.len()];
        join(&classes, &stream, &mut back).expect("just made");
        let differences: Vec<T> = values.iter().map(|v| v.unzigzag()).collect();
        assert_eq!(back, differences);
        stream.push(0);
        assert!(join(&classes, &stream, &mut back).is_none());
    }

    proptest! {
        #[test]
        fn comes_back(noise in prop::collection::vec((any::<u32>(), 0..32u32), 0..400)) {
            there_and_back::<u32>(&noise.iter().map(|(n, s)| n >> s).collect::<Vec<_>>());
            there_and_back::<u16>(&noise.iter().map(|(n, s)| (n >> s) as u16).collect::<Vec<_>>());
        }

        #[test]
        fn anything_is_joined_or_refused(
            classes in prop::collection::vec(any::<u8>(), 0..100),
            stream in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut to = vec![0u32; classes.len()];
            let _ = join(&classes, &stream, &mut to);
        }
    }
}
