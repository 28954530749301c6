//! Samples by their rank among the values that occur.
//!
//! Scanned film, numbers that were text, and all that was a whole number once take only some of
//! the values that floats have. Their ranks lie closer together than they do.
//!
//! ```text
//! u32        values that occur
//! bytes      classes of the differences of each from the one before, the first one's from the least
//! u32        bytes that follow
//! bytes      bits that follow the classes
//! ```

use super::bytes::{BytePacker, ByteUnpacker};
use super::class;
use super::cursor::FieldCursor;
use crate::wide::{Wide, wide};
use crate::word::Word;

/// Of this many samples, some hundredths have to occur again for the others to be looked at.
const LOOKED_AT: usize = 1024;

/// The values that occur, rising (taken with a sign), and the rank of each sample.
pub(super) struct RankedSamples<T> {
    pub(super) values: Vec<T>,
    pub(super) ranks: Vec<T>,
}

/// Whether some of the samples occur again; to rank 32-bit samples takes long.
pub(super) fn recur<T: Word>(words: &[T]) -> bool {
    let step = words.len().div_ceil(LOOKED_AT).max(1);
    let mut some: Vec<T> = words.iter().copied().step_by(step).collect();
    some.sort_unstable();
    let equal = some.windows(2).filter(|pair| pair[0] == pair[1]).count();
    equal * 100 > some.len()
}

/// Tables by all values of 16 bits; keep one per thread.
pub(super) struct RankTables {
    /// Whether a value occurs.
    seen: Vec<u8>,
    rank: Vec<u16>,
}

impl Default for RankTables {
    fn default() -> Self {
        RankTables { seen: vec![0; 1 << 16], rank: vec![0; 1 << 16] }
    }
}

/// Ranks the samples; `None` where that cannot be of use. Those of 16 or 32 bits alone.
pub(super) fn rank<T: Word>(words: &[T], tables: &mut RankTables) -> Option<RankedSamples<T>> {
    match T::BYTES {
        2 => rank_by_table(words, tables),
        4 => rank_by_sorting(words),
        _ => None,
    }
}

/// The number of a value in their order.
fn place<T: Word>(value: T) -> u64 {
    value.to_u64() ^ 1 << (8 * T::BYTES - 1)
}

fn of_place<T: Word>(place: u64) -> T {
    T::of_u64(place ^ 1 << (8 * T::BYTES - 1))
}

fn rank_by_table<T: Word>(words: &[T], tables: &mut RankTables) -> Option<RankedSamples<T>> {
    let RankTables { seen, rank } = tables;
    let seen = seen.first_chunk_mut::<{ 1 << 16 }>().expect("all values");
    let rank = rank.first_chunk_mut::<{ 1 << 16 }>().expect("all values");
    seen.fill(0);
    for word in words {
        seen[usize::from(word.to_u64() as u16)] = 1;
    }
    let (mut count, mut near) = (0, 0);
    for block in seen.as_chunks::<32>().0 {
        let some: u8 = block.iter().sum();
        count += usize::from(some);
        near += if some > 0 { 32 } else { 0 };
    }
    // Where most values beside those that occur do so too, ranks are as far apart as values.
    if 2 * count > words.len() || count * 5 > near * 3 {
        return None;
    }
    let mut values = Vec::with_capacity(count);
    // Negative ones come first.
    for eight in (0x1000..0x2000).chain(0..0x1000) {
        if seen[8 * eight..][..8] == [0; 8] {
            continue;
        }
        for value in 8 * eight..8 * eight + 8 {
            rank[value] = values.len() as u16;
            if seen[value] != 0 {
                values.push(T::of_u64(value as u64));
            }
        }
    }
    let of = |word: &T| T::of_u64(u64::from(rank[usize::from(word.to_u64() as u16)]));
    Some(RankedSamples { values, ranks: words.iter().map(of).collect() })
}

fn rank_by_sorting<T: Word>(words: &[T]) -> Option<RankedSamples<T>> {
    let mut sorted: Vec<u64> =
        words.iter().enumerate().map(|(i, word)| place(*word) << 32 | i as u64).collect();
    sorted.sort_unstable();
    let mut values: Vec<T> = Vec::new();
    let mut ranks = vec![T::default(); words.len()];
    for entry in sorted {
        let value = of_place(entry >> 32);
        if values.last() != Some(&value) {
            values.push(value);
            if values.len() > words.len() - words.len() / 8 {
                return None;
            }
        }
        ranks[entry as usize & u32::MAX as usize] = T::of_u64(values.len() as u64 - 1);
    }
    Some(RankedSamples { values, ranks })
}

/// What is stored of the values: how far each is from the one before.
fn gaps<T: Word>(values: &[T]) -> impl Iterator<Item = T> {
    let before = std::iter::once(of_place(0)).chain(values.iter().copied());
    values.iter().zip(before).map(|(value, before)| value.minus(before))
}

/// The classes of the gaps, counted.
pub(super) fn classes_of_gaps<T: Word>(values: &[T]) -> [u32; 128] {
    let mut counts = [0; 128];
    for gap in gaps(values) {
        counts[usize::from(class::of(gap.zigzag().to_u64() as u32).0)] += 1;
    }
    counts
}

/// Appends the values.
pub(super) fn encode<T: Word>(values: &[T], packer: &mut BytePacker, out: &mut Vec<u8>) {
    let zigzagged: Vec<T> = gaps(values).map(T::zigzag).collect();
    let (mut classes, mut stream) = (Vec::new(), Vec::new());
    class::split(&zigzagged, &mut classes, &mut stream);
    out.extend((values.len() as u32).to_le_bytes());
    packer.pack(&classes, false, out);
    out.extend((stream.len() as u32).to_le_bytes());
    out.extend_from_slice(&stream);
}

/// The values for at most `most` samples; `None` where that cannot be.
pub(super) fn decode<T: Word>(
    from: &mut FieldCursor,
    most: usize,
    unpacker: &mut ByteUnpacker,
) -> Option<Vec<T>> {
    let count = from.u32()? as usize;
    (0 < count && count <= most).then_some(())?;
    let mut classes = vec![0; count];
    unpacker.unpack(from, &mut classes)?;
    let size = from.u32()? as usize;
    let mut values = vec![T::default(); count];
    class::join(&classes, from.bytes(size)?, &mut values)?;
    let mut sum = of_place::<T>(0);
    for value in &mut values {
        sum = sum.plus(*value);
        *value = sum;
    }
    Some(values)
}

/// Puts the values in the places of their ranks; `None` where there is no such rank.
pub(super) fn look_up<T: Word>(values: &[T], ranks: &[T], to: &mut [T]) -> Option<()> {
    let largest = wide(LargestSample(ranks)).to_u64();
    (largest < values.len() as u64).then_some(())?;
    for (to, rank) in to.iter_mut().zip(ranks) {
        // SAFETY: no rank is above the largest, which was just seen to have a value.
        *to = unsafe { *values.get_unchecked(rank.to_u64() as usize) };
    }
    Some(())
}

struct LargestSample<'a, T>(&'a [T]);

impl<T: Word> Wide for LargestSample<'_, T> {
    type Output = T;
    #[inline(always)]
    fn run(self) -> T {
        self.0.iter().fold(T::default(), |largest, rank| largest.max(*rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back<T: Word>(words: &[T]) {
        let Some(RankedSamples { values, ranks }) = rank(words, &mut RankTables::default()) else {
            return;
        };
        assert!(values.windows(2).all(|pair| pair[0].is_less(pair[1])));
        let mut packed = Vec::new();
        encode(&values, &mut BytePacker::new(1).unwrap(), &mut packed);
        let mut unpacker = ByteUnpacker::default();
        let cursor = &mut FieldCursor(&packed);
        let values: Vec<T> = decode(cursor, words.len(), &mut unpacker).expect("just made");
        assert!(cursor.0.is_empty());
        let mut back = vec![T::default(); words.len()];
        look_up(&values, &ranks, &mut back).expect("all ranks");
        assert_eq!(back, words);
        assert!(look_up(&values[1..], &ranks, &mut back).is_none());
    }

    proptest! {
        #[test]
        fn comes_back(noise in prop::collection::vec(any::<u32>(), 1..600), mask: u32) {
            let words: Vec<u32> = noise.iter().map(|n| n & mask & mask >> 3 & mask >> 7).collect();
            there_and_back(&words);
            there_and_back(&words.iter().map(|n| (n >> 16) as u16).collect::<Vec<_>>());
        }
    }
}
