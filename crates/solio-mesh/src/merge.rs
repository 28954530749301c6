//! Merging of equal values in the order in which they are first seen, in parallel.
//!
//! The result is that of one hash table filled from the first element to the last, on any number
//! of threads. Why this is fast:
//!
//! * Chunks of 32k elements are merged on their own first, in a table that stays in the
//!   second-level cache. Neighbours in a mesh share values, so this alone removes most.
//! * Along a row of faces an equal element lies as far back as it did for the last face: one
//!   comparison finds it, and most elements never see the table.
//! * What is left of all chunks is split by hash; each part fits a table in the same cache. Only
//!   values whose 32-bit hashes agree are compared.
//! * Nothing is stored twice: an element keeps 16 bits (its place in its chunk's list), a list
//!   entry 16 bits (the element that it came from) and its number in the result.
//!
//! Values compare as floats do: −0 equals 0 (the first one seen stays), NaN equals nothing.

use rayon::prelude::*;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Elements that are merged on their own first. Places in a chunk's list fit 16 bits.
pub(crate) const CHUNK: usize = 1 << 15;
const EMPTY: u16 = u16::MAX;

/// Bytes that merging takes at most for each element: its place, and, where all values of its
/// chunk differ, 14 of [`Chunk`] and 8 of [`number`].
pub(crate) const BYTES: u64 = 2 + 14 + 8;

/// The values to merge.
pub(crate) trait Values<const N: usize>: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// The values of `range`, made in `scratch` unless they lie somewhere already.
    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; N]];
    /// One value, the same as [`Values::slice`] gives.
    fn value(&self, element: usize) -> [f32; N];
    /// Flags of the elements that take part; `None` for all.
    fn used(&self) -> Option<&[bool]> {
        None
    }
}

/// Which values are equal: element → number of its value in first-seen order.
pub(crate) struct Merged {
    /// For each element its place in the list of its chunk, or `EMPTY` where it takes no part.
    places: Vec<u16>,
    chunks: Vec<Chunk>,
    count: u32,
}

/// The different values of one chunk.
struct Chunk {
    /// The elements, counted from the chunk's first one, that bring a value not seen in any
    /// earlier element (before [`number`]: not seen in this chunk).
    firsts: Vec<u16>,
    /// The number of each value.
    numbers: Vec<AtomicU32>,
    /// `hash << 32 | place << 16 | first`, by the part of their hash.
    sorted: Vec<u64>,
    /// Where the parts lie in `sorted`.
    parts: Vec<u16>,
}

impl Merged {
    /// How many different values there are.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The number of `element`'s value; only for elements that take part.
    pub(crate) fn number(&self, element: usize) -> u32 {
        self.chunks[element / CHUNK].numbers[self.places[element] as usize].load(Relaxed)
    }

    /// Appends the numbers of some elements.
    pub(crate) fn numbers_of(&self, elements: &[u32], out: &mut Vec<u32>) {
        if let [_] = &self.chunks[..] {
            // The places in the only list are the numbers.
            out.extend(elements.iter().map(|&e| u32::from(self.places[e as usize])));
        } else {
            out.extend(elements.iter().map(|&e| self.number(e as usize)));
        }
    }

    /// Appends the numbers of consecutive elements.
    pub(crate) fn numbers(&self, elements: Range<usize>, out: &mut Vec<u32>) {
        if let [_] = &self.chunks[..] {
            out.extend(self.places[elements].iter().map(|&p| u32::from(p)));
            return;
        }
        let mut start = elements.start;
        while start < elements.end {
            let chunk = start / CHUNK;
            let end = elements.end.min((chunk + 1) * CHUNK);
            let numbers = &self.chunks[chunk].numbers[..];
            out.extend(self.places[start..end].iter().map(|&p| numbers[p as usize].load(Relaxed)));
            start = end;
        }
    }

    /// Number of groups that [`Merged::firsts`] takes.
    pub(crate) fn groups(&self) -> usize {
        self.chunks.len()
    }

    /// The elements of one group that brought a new value, as a start and offsets from it; all
    /// groups together give the values in the order of their numbers.
    pub(crate) fn firsts(&self, group: usize) -> (usize, &[u16]) {
        (group * CHUNK, &self.chunks[group].firsts)
    }
}

/// Merges all values; call it inside the thread pool that shall do the work.
pub(crate) fn merge<const N: usize>(values: &impl Values<N>) -> Merged {
    let count = values.count();
    let mut places = solio_base::memory::with_capacity::<u16>(count);
    places.resize(count, EMPTY);
    if count <= CHUNK {
        let chunk = SCRATCH.with_borrow_mut(|s| list(values, 0, &mut places, None, s));
        let found = chunk.firsts.len() as u32;
        return Merged { places, chunks: vec![chunk], count: found };
    }
    let part_bits = (count / CHUNK / 4).next_power_of_two().clamp(2, 512).trailing_zeros();
    let mut chunks = places
        .par_chunks_mut(CHUNK)
        .enumerate()
        .map(|(i, places)| {
            SCRATCH.with_borrow_mut(|s| list(values, i * CHUNK, places, Some(part_bits), s))
        })
        .collect::<Vec<_>>();
    (0..1usize << part_bits).into_par_iter().for_each(|part| join(values, &chunks, part));
    let count = number(&mut chunks, &places);
    Merged { places, chunks, count }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Buffers that a thread keeps: fresh memory costs more than the work.
#[derive(Default)]
struct Scratch {
    /// Slots of a chunk's hash table: places in its list, below 16 bits of the hash.
    table: Vec<u32>,
    /// Values made by [`Values::slice`].
    values: Vec<f32>,
    /// The upper half of the hash of each entry of the list.
    hashes: Vec<u32>,
    /// The elements of the entries of the list.
    firsts: Vec<u16>,
    /// Which hashes of a part appear, and which appear more than once.
    bits: Vec<[u64; 2]>,
    /// Chunk and entry of what may be in two chunks.
    likely: Vec<(u32, u64)>,
    /// Slots of a part's hash table: `hash << 32 | element`.
    part: Vec<u64>,
}

/// Elements by whose place in a round the distance to an equal one is remembered: a multiple of
/// the corners of triangles and quads.
const PHASES: usize = 12;

/// A free slot of a chunk's table; no entry has this number.
const FREE: u32 = u32::MAX;

/// Merges the chunk that starts at element `start`, and sorts its values by part of their hash.
#[allow(clippy::eq_op)] // a value with a NaN is unlike itself
fn list<const N: usize>(
    values: &impl Values<N>,
    start: usize,
    places: &mut [u16],
    part_bits: Option<u32>,
    scratch: &mut Scratch,
) -> Chunk {
    let Scratch { table, values: made, hashes, firsts, .. } = scratch;
    let slice = values.slice(start..start + places.len(), made);
    let used = values.used().map(|used| &used[start..start + places.len()]);
    table.clear();
    table.resize((2 * slice.len()).next_power_of_two(), FREE);
    hashes.clear();
    firsts.clear();
    let (mask, seed) = (table.len() - 1, *SEED);
    let mut backs = [1; PHASES];
    for (i, value) in slice.iter().enumerate() {
        if used.is_some_and(|used| !used[i]) {
            continue;
        }
        let back = &mut backs[i % PHASES];
        if *back <= i && slice[i - *back] == *value && places[i - *back] != EMPTY {
            places[i] = places[i - *back];
            continue;
        }
        let hash = seeded(value, seed);
        let tag = (hash >> 32) as u32 & 0xffff_0000;
        let mut slot = hash as usize & mask;
        places[i] = loop {
            let found = table[slot];
            if found == FREE {
                let entry = firsts.len() as u16;
                firsts.push(i as u16);
                if value == value {
                    table[slot] = tag | u32::from(entry);
                    hashes.push((hash >> 32) as u32);
                } else {
                    // A value with a NaN is never found again; keep it out of everyone's way.
                    hashes.push((i as u32).wrapping_mul(0x9e37_79b9));
                }
                break entry;
            }
            if found & 0xffff_0000 == tag {
                let first = usize::from(firsts[usize::from(found as u16)]);
                if slice[first] == *value {
                    *back = i - first;
                    break found as u16;
                }
            }
            slot = (slot + 1) & mask;
        };
    }
    let Some(bits) = part_bits else {
        let numbers = (0..firsts.len() as u32).map(AtomicU32::new).collect();
        let firsts = firsts.clone();
        return Chunk { firsts, numbers, sorted: Vec::new(), parts: Vec::new() };
    };
    let (sorted, parts) = sort_by_part(hashes, firsts, bits);
    let numbers = std::iter::repeat_with(|| AtomicU32::new(UNKNOWN)).take(firsts.len()).collect();
    Chunk { firsts: firsts.clone(), numbers, sorted, parts }
}

/// What [`Chunk::numbers`] holds before [`number`]: no earlier chunk has this value.
const UNKNOWN: u32 = u32::MAX;

/// Another number in each process, so that no file can be made whose values share a hash.
static SEED: LazyLock<u64> =
    LazyLock::new(|| std::collections::hash_map::RandomState::new().hash_one(0));

/// Equal for equal values.
pub(crate) fn hash<const N: usize>(value: &[f32; N]) -> u64 {
    seeded(value, *SEED)
}

#[inline(always)]
fn seeded<const N: usize>(value: &[f32; N], seed: u64) -> u64 {
    // Adding 0 turns −0 into 0, so that both have the same hash.
    let bits = |i: usize| u64::from((value[i] + 0.0).to_bits());
    let mut word = seed;
    for i in (0..N).step_by(2) {
        let pair = if i + 1 < N { bits(i) | bits(i + 1) << 32 } else { bits(i) };
        let product = u128::from(word ^ pair) * 0xd6e8_feb8_6659_fd93;
        word = (product as u64) ^ (product >> 64) as u64;
    }
    word
}

/// The entries of a chunk's list in the order of the upper `bits` bits of their hashes, and where
/// each part starts and ends.
fn sort_by_part(hashes: &[u32], firsts: &[u16], bits: u32) -> (Vec<u64>, Vec<u16>) {
    let part = |hash: u32| (hash >> (32 - bits)) as usize;
    let mut parts = vec![0u16; (1 << bits) + 1];
    for &hash in hashes {
        parts[part(hash) + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut parts {
        sum += *end;
        *end = sum;
    }
    let mut next = parts.clone();
    let mut sorted = vec![0u64; hashes.len()];
    for (place, (&hash, &first)) in hashes.iter().zip(firsts).enumerate() {
        let at = &mut next[part(hash)];
        sorted[*at as usize] = u64::from(hash) << 32 | (place as u64) << 16 | u64::from(first);
        *at += 1;
    }
    (sorted, parts)
}

/// Finds the values of one part that an earlier chunk has too; their [`Chunk::numbers`] become
/// the element that was the first.
///
/// Few values are in two chunks. So a first pass only notes in two sets of bits which hashes
/// appear, and which appear twice; the rest never sees the hash table. A part has many values, so
/// that each chunk's share of it is a stretch worth fetching; its bits still fit the cache.
fn join<const N: usize>(values: &impl Values<N>, chunks: &[Chunk], part: usize) {
    const FREE: u64 = u64::MAX; // no element has this number
    let entries = |c: &'_ Chunk| c.parts[part] as usize..c.parts[part + 1] as usize;
    let total: usize = chunks.iter().map(|c| entries(c).len()).sum();
    SCRATCH.with_borrow_mut(|scratch| {
        let bits = &mut scratch.bits;
        bits.clear();
        bits.resize((16 * total).next_power_of_two().div_ceil(64), [0, 0]);
        let words = bits.len() - 1;
        let word = |entry: u64| ((entry >> 38) as usize & words, 1u64 << (entry >> 32 & 63));
        for chunk in chunks {
            for &entry in &chunk.sorted[entries(chunk)] {
                let (word, bit) = word(entry);
                let [once, twice] = bits[word];
                bits[word] = [once | bit, twice | once & bit];
            }
        }
        let twice: u32 = bits.iter().map(|[_, twice]| twice.count_ones()).sum();
        if twice == 0 {
            return;
        }
        let likely = &mut scratch.likely;
        likely.clear();
        for (i, chunk) in chunks.iter().enumerate() {
            for &entry in &chunk.sorted[entries(chunk)] {
                let (word, bit) = word(entry);
                if bits[word][1] & bit != 0 {
                    likely.push((i as u32, entry));
                }
            }
        }
        let table = &mut scratch.part;
        table.clear();
        table.resize((2 * likely.len()).next_power_of_two(), FREE);
        let mask = table.len() - 1;
        for &(i, entry) in &*likely {
            let element = i * CHUNK as u32 + (entry & 0xffff) as u32;
            let mut slot = (entry >> 32) as usize & mask;
            loop {
                let found = table[slot];
                if found == FREE {
                    table[slot] = entry >> 32 << 32 | u64::from(element);
                    break;
                }
                if found >> 32 == entry >> 32
                    && values.value(found as u32 as usize) == values.value(element as usize)
                {
                    let place = (entry >> 16) as u16;
                    chunks[i as usize].numbers[place as usize].store(found as u32, Relaxed);
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
    });
}

/// Turns what [`join`] found into the numbers of the values.
fn number(chunks: &mut [Chunk], places: &[u16]) -> u32 {
    // The places that [`join`] found in an earlier chunk, rising, and the element found there.
    let repeats: Vec<Vec<(u16, u32)>> = chunks.par_iter_mut().map(Chunk::repeats).collect();
    let mut count = 0;
    let bases: Vec<u32> = chunks
        .iter()
        .map(|chunk| {
            let base = count;
            count += chunk.firsts.len() as u32;
            base
        })
        .collect();
    chunks.par_iter_mut().zip(&repeats).zip(bases).for_each(|((chunk, repeats), base)| {
        let (mut start, mut next) = (0, base);
        let ends = repeats.iter().map(|&(place, _)| usize::from(place));
        for end in ends.chain([chunk.numbers.len()]) {
            let new = chunk.numbers[start..end].iter_mut().map(AtomicU32::get_mut);
            new.zip(next..).for_each(|(n, number)| *n = number);
            next += (end - start) as u32;
            start = end + 1;
        }
    });
    let chunks = &*chunks;
    chunks.par_iter().zip(repeats).for_each(|(chunk, repeats)| {
        for (place, element) in repeats {
            let first = &chunks[element as usize / CHUNK];
            let number = first.numbers[places[element as usize] as usize].load(Relaxed);
            chunk.numbers[place as usize].store(number, Relaxed);
        }
    });
    count
}

impl Chunk {
    /// Takes the values that an earlier chunk has out of [`Chunk::firsts`]: their places, rising,
    /// and the elements found there.
    fn repeats(&mut self) -> Vec<(u16, u32)> {
        /// Most blocks have no repeat.
        const BLOCK: usize = 64;
        let mut repeats = Vec::new();
        for (block, numbers) in self.numbers.chunks_mut(BLOCK).enumerate() {
            if numbers.iter_mut().fold(true, |all, n| all & (*n.get_mut() == UNKNOWN)) {
                continue;
            }
            for (n, place) in numbers.iter_mut().map(|n| *n.get_mut()).zip(block * BLOCK..) {
                if n != UNKNOWN {
                    repeats.push((place as u16, n));
                }
            }
        }
        let mut kept = repeats.first().map_or(self.firsts.len(), |&(place, _)| place.into());
        for (i, &(place, _)) in repeats.iter().enumerate() {
            let end = repeats.get(i + 1).map_or(self.firsts.len(), |&(next, _)| next.into());
            let stretch = usize::from(place) + 1..end;
            let count = stretch.len();
            self.firsts.copy_within(stretch, kept);
            kept += count;
        }
        self.firsts.truncate(kept);
        (self.sorted, self.parts) = (Vec::new(), Vec::new());
        repeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    struct Plain<'a, const N: usize>(&'a [[f32; N]], Option<&'a [bool]>);

    impl<const N: usize> Values<N> for Plain<'_, N> {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn slice<'s>(&'s self, range: Range<usize>, _: &'s mut Vec<f32>) -> &'s [[f32; N]] {
            &self.0[range]
        }
        fn value(&self, element: usize) -> [f32; N] {
            self.0[element]
        }
        fn used(&self) -> Option<&[bool]> {
            self.1
        }
    }

    /// One map, filled from front to back.
    fn check<const N: usize>(values: &[[f32; N]], used: Option<&[bool]>) {
        let mut map = HashMap::new();
        let mut firsts = Vec::new();
        let mut numbers = Vec::new();
        for (i, v) in values.iter().enumerate() {
            if used.is_some_and(|u| !u[i]) {
                numbers.push(None);
                continue;
            }
            let next = firsts.len() as u32;
            let number = if v.iter().any(|x| x.is_nan()) {
                next
            } else {
                *map.entry(v.map(|x| (x + 0.0).to_bits())).or_insert(next)
            };
            if number == next {
                firsts.push(i);
            }
            numbers.push(Some(number));
        }
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let merged = pool.install(|| merge(&Plain(values, used)));
            let of_group = |group| {
                let (start, firsts) = merged.firsts(group);
                firsts.iter().map(move |&f| start + f as usize)
            };
            let got: Vec<_> = (0..merged.groups()).flat_map(of_group).collect();
            assert!(got == firsts, "{threads} threads");
            assert_eq!(merged.count() as usize, firsts.len());
            let wanted = numbers.iter().enumerate().filter_map(|(i, n)| Some((i, (*n)?)));
            assert!(wanted.into_iter().all(|(i, n)| merged.number(i) == n), "{threads} threads");
            if used.is_none() {
                let mut all = Vec::new();
                merged.numbers(0..values.len(), &mut all);
                assert!(all.iter().copied().map(Some).eq(numbers.iter().copied()));
            }
        }
    }

    /// A few million different answers from one seed.
    fn noise(seed: usize) -> impl Fn(usize) -> u32 {
        move |i| ((i + seed) as u64).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(23) as u32
    }

    #[test]
    fn equals_one_map_filled_from_front_to_back() {
        let r = noise(7);
        for count in [0, 1, 2, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 17] {
            for range in [1, 3, 1000, 100_000, u32::MAX] {
                let uv: Vec<_> =
                    (0..count).map(|i| [(r(i) % range) as f32, (i % 2) as f32]).collect();
                check(&uv, None);
                let n: Vec<_> = (0..count).map(|i| [1.0, (r(i) % range) as f32, -0.5]).collect();
                let wide: Vec<_> = n.iter().map(|n| [n[0], 2.0, 3.0, n[2], 5.0, n[1]]).collect();
                check(&wide, None);
                let used: Vec<_> = (0..count).map(|i| !r(i + 1).is_multiple_of(3)).collect();
                check(&n, Some(&used));
            }
        }
    }

    #[test]
    fn zeros_are_equal_and_nan_is_not() {
        let r = noise(3);
        let odd = [0.0, -0.0, f32::NAN, f32::INFINITY, 1.0];
        let values: Vec<_> =
            (0..3 * CHUNK).map(|i| [odd[r(i) as usize % 5], odd[r(i + 9) as usize % 5]]).collect();
        check(&values, None);
        check(&vec![[f32::NAN; 3]; 4 * CHUNK], None);
    }
}
