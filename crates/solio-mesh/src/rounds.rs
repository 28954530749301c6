//! Merging where the tables of [`crate::merge`] would take more memory than there is.
//!
//! A bit for each element says whether it brings a new value; the number of such a value is how
//! many bits lie before it. Everything else is made again when it is needed, for one *round* of
//! elements at a time: the values of the round are merged on their own, then those first elements
//! that are known already are looked up among them. [`firsts`] does that for rounds from front to
//! back and finds the bits; [`numbers`] does it for the elements that are being written.
//!
//! Looking up costs (rounds) × (different values): nothing beside writing for tens of rounds, and
//! it needs neither a file nor a second copy of anything. The result is that of
//! [`crate::merge::merge`], in first-seen order.

use crate::bits::{BLOCK, RankedBits};
use crate::merge::{self, MergeValues, Merged};
use crate::parallel;
use solio_base::{Error, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes that a round takes for each of its elements: its list, what [`merge::merge`] takes when
/// all values differ, the table to look values up, and the numbers.
pub(crate) const BYTES: u64 = 4 + merge::BYTES + 32 + 4 + 4 + 4;

/// Least elements in a round: below that the rounds are too many.
const LEAST: u64 = BLOCK as u64;

/// How many of `count` elements a round takes within `memory` bytes, beside `others` and `each`
/// more for every element.
///
/// # Errors
/// `Limit` where the rounds would be too small.
pub(crate) fn size(memory: u64, count: u64, others: u64, each: u64) -> Result<usize> {
    let bytes = BYTES + each;
    let round = memory.saturating_sub(others) / bytes;
    let least = LEAST.min(count);
    if round < least {
        return Err(too_little(others));
    }
    Ok(round as usize)
}

/// The error where `others` bytes and the least round pass the memory; a quarter more is for the
/// chunks under way.
pub(crate) fn too_little(others: u64) -> Error {
    let mib = ((others + LEAST * (BYTES + 8)) / 3 * 4).div_ceil(1 << 20) + 1;
    Error::limit("merging UVs and normals takes more memory than there is for it")
        .hint(format!("give it {mib} MiB (--mem {mib}M)"))
}

/// The elements that bring a new value, of rounds of `round` elements.
pub(crate) fn firsts<const N: usize>(values: &impl MergeValues<N>, round: usize) -> RankedBits {
    let count = values.count();
    let mut bits = RankedBits::new(count);
    // A block is either known or not.
    let round = (round / BLOCK).max(1) * BLOCK;
    for start in (0..count).step_by(round) {
        let range = start..count.min(start + round);
        let part = RoundPart { values, elements: RoundElements::Range(range.clone()) };
        let merged = merge::merge(&part);
        let found = RoundTable::new(&part, &merged).look_up(values, &bits, start);
        for (element, found) in local_firsts(&merged).zip(found) {
            if found.into_inner() == UNKNOWN {
                bits.insert(start + element);
            }
        }
        bits.count_blocks(range.end);
    }
    bits
}

/// The numbers of some elements' values, from what [`firsts`] found.
pub(crate) fn numbers<const N: usize>(
    values: &impl MergeValues<N>,
    bits: &RankedBits,
    elements: &[u32],
) -> Vec<u32> {
    let part = RoundPart { values, elements: RoundElements::List(elements) };
    let merged = merge::merge(&part);
    let found = RoundTable::new(&part, &merged).look_up(values, bits, values.count());
    let mut numbers = Vec::with_capacity(elements.len());
    merged.numbers(0..elements.len(), &mut numbers);
    place(&mut numbers, elements, &found, bits);
    numbers
}

/// Makes the numbers that some elements have among each other their numbers among all.
fn place(numbers: &mut [u32], elements: &[u32], found: &[AtomicU32], bits: &RankedBits) {
    let mut blocks: Vec<_> = numbers.chunks_mut(BLOCK).zip(elements.chunks(BLOCK)).collect();
    parallel::each_of(&mut blocks, &|_, (numbers, elements)| {
        for (number, &element) in numbers.iter_mut().zip(*elements) {
            *number = match found[*number as usize].load(Relaxed) {
                // A value with a NaN is found nowhere: it is its own first.
                UNKNOWN => bits.before(element as usize),
                found => found,
            };
        }
    });
}

const UNKNOWN: u32 = u32::MAX;

/// Some of the values.
struct RoundPart<'a, V> {
    values: &'a V,
    elements: RoundElements<'a>,
}

enum RoundElements<'a> {
    Range(Range<usize>),
    List(&'a [u32]),
}

impl<const N: usize, V: MergeValues<N>> MergeValues<N> for RoundPart<'_, V> {
    fn count(&self) -> usize {
        match &self.elements {
            RoundElements::Range(range) => range.len(),
            RoundElements::List(list) => list.len(),
        }
    }

    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; N]] {
        match &self.elements {
            RoundElements::Range(all) => {
                self.values.slice(all.start + range.start..all.start + range.end, scratch)
            }
            RoundElements::List(list) => {
                scratch.clear();
                let mut made = Vec::new();
                // Neighbours are made at once.
                for run in list[range].chunk_by(|a, b| a + 1 == *b) {
                    let run = run[0] as usize..run[0] as usize + run.len();
                    let values = self.values.slice(run, &mut made);
                    scratch.extend_from_slice(values.as_flattened());
                }
                scratch.as_chunks().0
            }
        }
    }

    fn value(&self, element: usize) -> [f32; N] {
        self.values.value(match &self.elements {
            RoundElements::Range(range) => range.start + element,
            RoundElements::List(list) => list[element] as usize,
        })
    }

    fn used(&self) -> Option<&[bool]> {
        match &self.elements {
            RoundElements::Range(range) => self.values.used().map(|used| &used[range.clone()]),
            RoundElements::List(_) => None,
        }
    }

    fn keys(&self) -> Option<&[u32]> {
        match &self.elements {
            RoundElements::Range(range) => self.values.keys().map(|keys| &keys[range.clone()]),
            RoundElements::List(_) => None,
        }
    }
}

/// The elements that brought the values of `merged`, in the order of their numbers.
fn local_firsts(merged: &Merged) -> impl Iterator<Item = usize> {
    (0..merged.groups()).flat_map(|group| {
        let (start, firsts) = merged.firsts(group);
        firsts.iter().map(move |&first| start + first as usize)
    })
}

/// A hash table of the values of a round.
struct RoundTable<'a, const N: usize, V> {
    part: &'a RoundPart<'a, V>,
    /// `hash << 32 | number`, or [`FREE`].
    slots: Vec<u64>,
    /// The element of the round that brought each value.
    firsts: Vec<u32>,
}

const FREE: u64 = u64::MAX;

impl<'a, const N: usize, V: MergeValues<N>> RoundTable<'a, N, V> {
    fn new(part: &'a RoundPart<'a, V>, merged: &Merged) -> Self {
        let count = merged.count() as usize;
        let mut slots = vec![FREE; (2 * count).next_power_of_two()];
        let mask = slots.len() - 1;
        let firsts: Vec<u32> = local_firsts(merged).map(|element| element as u32).collect();
        for (number, &element) in firsts.iter().enumerate() {
            let value = part.value(element as usize);
            #[allow(clippy::eq_op)] // a value with a NaN is found nowhere
            if value != value {
                continue;
            }
            let hash = merge::hash(&value);
            let mut slot = hash as usize & mask;
            while slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            slots[slot] = u64::from(hash) << 32 | number as u64;
        }
        RoundTable { part, slots, firsts }
    }

    /// The numbers that the values of the round have among the members of `bits` below `end`.
    fn look_up(&self, values: &V, bits: &RankedBits, end: usize) -> Vec<AtomicU32> {
        let found: Vec<AtomicU32> = self.firsts.iter().map(|_| AtomicU32::new(UNKNOWN)).collect();
        let mask = self.slots.len() - 1;
        let blocks = end.div_ceil(BLOCK);
        parallel::each(blocks, &|block| {
            let range = bits.range(block);
            let range = range.start..range.end.min(values.count());
            let mut scratch = Vec::new();
            let made = values.slice(range.clone(), &mut scratch);
            for (number, element) in (bits.before_block(block)..).zip(bits.members(block)) {
                let value = &made[element as usize - range.start];
                let hash = merge::hash(value);
                let mut slot = hash as usize & mask;
                while self.slots[slot] != FREE {
                    let entry = self.slots[slot];
                    let local = entry as u32 as usize;
                    if entry >> 32 == u64::from(hash)
                        && self.part.value(self.firsts[local] as usize) == *value
                    {
                        found[local].store(number, Relaxed);
                        break;
                    }
                    slot = (slot + 1) & mask;
                }
            }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain(Vec<[f32; 2]>);

    impl MergeValues<2> for Plain {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn slice<'s>(&'s self, range: Range<usize>, _: &'s mut Vec<f32>) -> &'s [[f32; 2]] {
            &self.0[range]
        }
        fn value(&self, element: usize) -> [f32; 2] {
            self.0[element]
        }
    }

    #[test]
    fn rounds_find_what_merging_all_at_once_finds() {
        let noise =
            |i: usize| (i as u64).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(23) as u32;
        let odd = [0.0, -0.0, f32::NAN, 7.0];
        for range in [3, 1000, 100_000, u32::MAX] {
            let value = |i: usize| match noise(i + 5) % 50 {
                0 => [odd[noise(i) as usize % 4], 0.0],
                _ => [(noise(i) % range) as f32, 1.0],
            };
            let values = Plain((0..5 * BLOCK + 99).map(value).collect());
            let merged = merge::merge(&values);
            for round in [0, BLOCK, 3 * BLOCK, usize::MAX / 2] {
                let bits = firsts(&values, round);
                assert_eq!(bits.count(), merged.count());
                let found = (0..bits.blocks()).flat_map(|b| bits.members(b));
                assert!(found.map(|i| i as usize).eq(local_firsts(&merged)));
                // Any elements, more than once, in any order.
                let some: Vec<u32> =
                    (0..70_000).map(|i| noise(i) % values.0.len() as u32).chain(5..900).collect();
                let numbers = numbers(&values, &bits, &some);
                let wanted = some.iter().map(|&element| merged.number(element as usize));
                assert!(numbers.iter().copied().eq(wanted), "{range} {round}");
            }
        }
    }

    #[test]
    fn too_little_memory_is_refused_with_what_would_do() {
        assert_eq!(size(64 << 20, 1 << 30, 0, 0).unwrap(), (64 << 20) / BYTES as usize);
        let error = size(1 << 20, 1 << 30, 5 << 20, 0).unwrap_err();
        assert_eq!(error.kind(), solio_base::ErrorKind::Limit);
        let hint = error.hint_text().unwrap();
        let mib: u64 =
            hint.trim_start_matches("give it ").split(' ').next().unwrap().parse().unwrap();
        assert!(size((mib << 20) / 4 * 3, 1 << 30, 5 << 20, 0).is_ok(), "{hint}");
        assert!(size(((mib - 4) << 20) / 4 * 3, 1 << 30, 5 << 20, 0).is_err(), "{hint}");
    }
}
