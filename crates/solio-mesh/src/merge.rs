//! Merging of equal values in the order in which they are first seen, in parallel.
//!
//! The result is that of one hash table filled from the first element to the last, on any number
//! of threads. Why this is fast:
//!
//! * Along a row of faces an equal element lies as far back as it did for the last face: one
//!   comparison finds it. Most of what this misses is found through a table of the elements last
//!   seen, by hash, that is never cleared: what it names counts only where it is equal.
//! * What is left of chunks of 32k elements, nearly all of it new, is split by hash. Of each part
//!   a set of bits, small enough for the first-level cache, tells what may appear twice; only
//!   that sees a hash table, and only where hashes agree are values compared.
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

/// Elements of a chunk. Places in a chunk's list fit 16 bits.
pub(crate) const CHUNK: usize = 1 << 15;
const EMPTY: u16 = u16::MAX;

/// Bytes that merging takes at most for each element: its place, and, where all values of its
/// chunk differ, 6 of [`Chunk`] and 16 of [`number`], whose lists double as they grow.
pub(crate) const BYTES: u64 = 2 + 6 + 16;

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

/// The values of one chunk; few of them are equal.
struct Chunk {
    /// The elements, counted from the chunk's first one, that bring a value not seen in any
    /// earlier element (before [`number`]: that [`list`] did not find).
    firsts: Vec<u16>,
    /// The number of each value.
    numbers: Vec<AtomicU32>,
}

/// The entries of some chunks' lists by the upper bits of their hashes.
struct Sorted {
    /// `hash << 32 | chunk << 15 | place`.
    entries: Vec<u64>,
    /// Where the parts lie in `entries`.
    parts: Vec<u32>,
}

impl Sorted {
    fn part(&self, part: usize) -> &[u64] {
        &self.entries[self.parts[part] as usize..self.parts[part + 1] as usize]
    }
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
    let bits = (count / PART).next_power_of_two().min(4096).trailing_zeros();
    let chunks = count.div_ceil(CHUNK);
    let group = (chunks / (4 * rayon::current_num_threads())).clamp(1, GROUP);
    let (groups, chunks): (Vec<Sorted>, Vec<Vec<Chunk>>) = places
        .par_chunks_mut(group * CHUNK)
        .enumerate()
        .map(|(i, places)| {
            SCRATCH.with_borrow_mut(|s| lists(values, i * group * CHUNK, places, bits, s))
        })
        .unzip();
    let mut chunks: Vec<Chunk> = chunks.into_iter().flatten().collect();
    (0..1usize << bits).into_par_iter().for_each(|part| join(values, &groups, &chunks, part));
    drop(groups);
    let count = number(&mut chunks, &places);
    if let [chunk] = &mut chunks[..]
        && chunk.numbers.len() > count as usize
    {
        // The numbers of a single chunk fit 16 bits: keep them as the places.
        let numbers = std::mem::take(&mut chunk.numbers);
        for place in places.iter_mut().filter(|p| **p != EMPTY) {
            *place = numbers[*place as usize].load(Relaxed) as u16;
        }
        chunk.numbers = (0..count).map(AtomicU32::new).collect();
    }
    Merged { places, chunks, count }
}

/// Elements for each part: of corners a quarter brings a new value, of faces nearly all do, so
/// that each entry finds 16 to 64 of the [`FILTER`] bits.
const PART: usize = 4096;
/// Chunks that are sorted together at most: their stretches of a part are long enough to be read
/// ahead, and their hashes still lie in the second-level cache.
const GROUP: usize = 8;
/// Bits of the set that finds what may appear twice, at most: 16 for each entry.
const FILTER: usize = 1 << 16;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Buffers that a thread keeps: fresh memory costs more than the work.
#[derive(Default)]
struct Scratch {
    /// The element last seen for each of so many hashes, below bits of the hash and the chunk.
    seen: Vec<u32>,
    /// Values made by [`Values::slice`].
    values: Vec<f32>,
    /// The elements of the entries of a list.
    firsts: Vec<u16>,
    /// The upper halves of their hashes.
    hashes: Vec<u32>,
    /// `hash << 32 | chunk << 15 | place` of the entries of some lists.
    entries: Vec<u64>,
    /// Which hashes of a part appear, and which appear more than once.
    bits: Vec<[u64; 2]>,
    /// The entries of what may appear twice.
    likely: Vec<u64>,
    /// Slots of a part's hash table: `hash << 32 | element`.
    table: Vec<u64>,
}

/// Elements by whose place in a round the distance to an equal one is remembered: a multiple of
/// the corners of triangles and quads.
const PHASES: usize = 12;
/// Elements last seen that are remembered.
const SEEN: usize = 1 << 14;

/// Lists the chunks of the elements from `start` on, and sorts their entries by the upper `bits`
/// bits of their hashes.
fn lists<const N: usize>(
    values: &impl Values<N>,
    start: usize,
    places: &mut [u16],
    bits: u32,
    scratch: &mut Scratch,
) -> (Sorted, Vec<Chunk>) {
    scratch.entries.clear();
    let mut chunks = Vec::with_capacity(places.len().div_ceil(CHUNK));
    for (start, places) in (start..).step_by(CHUNK).zip(places.chunks_mut(CHUNK)) {
        let mut made = std::mem::take(&mut scratch.values);
        let slice = values.slice(start..start + places.len(), &mut made);
        let count = match values.used() {
            None => list::<N, false>(slice, &[], start, places, scratch),
            Some(used) => list::<N, true>(slice, &used[start..], start, places, scratch),
        };
        scratch.values = made;
        let Scratch { firsts, hashes, entries, .. } = &mut *scratch;
        let hashes = hashes[..count].iter().zip(start as u64..);
        entries.extend(hashes.map(|(&hash, entry)| u64::from(hash) << 32 | entry));
        let numbers = std::iter::repeat_with(|| AtomicU32::new(UNKNOWN)).take(count).collect();
        chunks.push(Chunk { firsts: firsts[..count].to_vec(), numbers });
    }
    (sort(&scratch.entries, bits), chunks)
}

/// Lists the elements of the chunk that starts at element `start` and whose values it does not
/// find among the chunk's earlier ones: [`Scratch::firsts`] and [`Scratch::hashes`], and how many.
fn list<const N: usize, const USED: bool>(
    values: &[[f32; N]],
    used: &[bool],
    start: usize,
    places: &mut [u16],
    scratch: &mut Scratch,
) -> usize {
    let Scratch { seen, firsts, hashes, .. } = scratch;
    firsts.resize(CHUNK, 0);
    hashes.resize(CHUNK, 0);
    seen.resize(SEEN, 0);
    let firsts = firsts.first_chunk_mut::<CHUNK>().expect("just made");
    let hashes = hashes.first_chunk_mut::<CHUNK>().expect("just made");
    let seen = seen.first_chunk_mut::<SEEN>().expect("just made");
    let (seed, chunk) = (*SEED, ((start / CHUNK) as u32).wrapping_mul(0x9e37_79b9));
    let mut backs = [1; PHASES];
    let mut count = 0;
    let mut phases = 0;
    for i in 0..values.len().min(places.len()) {
        let back = &mut backs[phases];
        phases = if phases + 1 < PHASES { phases + 1 } else { 0 };
        if USED && !used[i] {
            continue;
        }
        let value = &values[i];
        let before = i.wrapping_sub(*back);
        if before < i && equal(&values[before], value) && places[before] != EMPTY {
            places[i] = places[before];
            continue;
        }
        let hash = seeded(value, seed);
        let tag = (hash >> 32) as u32 ^ chunk;
        let seen = &mut seen[hash as usize % SEEN];
        let found = std::mem::replace(seen, tag & !(CHUNK as u32 - 1) | i as u32);
        let before = found as usize % CHUNK;
        if (found ^ tag) as usize / CHUNK == 0
            && before < i
            && equal(&values[before], value)
            && places[before] != EMPTY
        {
            *back = i - before;
            places[i] = places[before];
            continue;
        }
        places[i] = count as u16;
        firsts[count % CHUNK] = i as u16;
        // A value with a NaN is never found again; keep it out of everyone's way.
        let lone = (i as u32).wrapping_mul(0x9e37_79b9);
        hashes[count % CHUNK] = if equal(value, value) { (hash >> 32) as u32 } else { lone };
        count += 1;
    }
    count
}

/// Compares as floats do, without a branch for each number: in a row of UVs one is often the same.
#[inline(always)]
fn equal<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
    a.iter().zip(b).fold(true, |equal, (a, b)| equal & (a == b))
}

/// What [`Chunk::numbers`] holds before [`number`]: no earlier element has this value.
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

/// Sorts entries by the upper `bits` bits of their hashes.
fn sort(unsorted: &[u64], bits: u32) -> Sorted {
    if bits == 0 {
        return Sorted { entries: unsorted.to_vec(), parts: vec![0, unsorted.len() as u32] };
    }
    let part = |entry: u64| (entry >> 32 >> (32 - bits)) as usize;
    let mut parts = vec![0u32; (1 << bits) + 1];
    for &entry in unsorted {
        parts[part(entry) + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut parts {
        sum += *end;
        *end = sum;
    }
    let mut next = parts.clone();
    let mut entries = vec![0u64; unsorted.len()];
    for &entry in unsorted {
        let at = &mut next[part(entry)];
        entries[*at as usize] = entry;
        *at += 1;
    }
    Sorted { entries, parts }
}

/// Finds the values of one part that an earlier element has too; their [`Chunk::numbers`] become
/// the element that was the first.
///
/// Few values are there twice. So a first pass only notes in two sets of bits which hashes
/// appear, and which appear twice; the rest never sees the hash table.
fn join<const N: usize>(values: &impl Values<N>, groups: &[Sorted], chunks: &[Chunk], part: usize) {
    const FREE: u64 = u64::MAX; // no element has this number
    SCRATCH.with_borrow_mut(|scratch| {
        let Scratch { bits, likely, table, .. } = scratch;
        let total: usize = groups.iter().map(|group| group.part(part).len()).sum();
        bits.clear();
        bits.resize((total / 4).next_power_of_two().min(FILTER / 64), [0, 0]);
        let last = bits.len() - 1;
        let word = |entry: u64| ((entry >> 38) as usize & last, 1u64 << (entry >> 32 & 63));
        for group in groups {
            for &entry in group.part(part) {
                let (word, bit) = word(entry);
                let [once, twice] = bits[word];
                bits[word] = [once | bit, twice | once & bit];
            }
        }
        likely.clear();
        for group in groups {
            for &entry in group.part(part) {
                let (word, bit) = word(entry);
                if bits[word][1] & bit != 0 {
                    likely.push(entry);
                }
            }
        }
        if likely.is_empty() {
            return;
        }
        table.clear();
        table.resize((2 * likely.len()).next_power_of_two(), FREE);
        let mask = table.len() - 1;
        for &entry in &*likely {
            let (hash, entry) = (entry >> 32, entry as u32 as usize);
            let chunk = &chunks[entry / CHUNK];
            let place = entry % CHUNK;
            let element = entry - place + usize::from(chunk.firsts[place]);
            let mut slot = hash as usize & mask;
            loop {
                let found = table[slot];
                if found == FREE {
                    table[slot] = hash << 32 | element as u64;
                    break;
                }
                let first = found as u32;
                if found >> 32 == hash
                    && equal(&values.value(first as usize), &values.value(element))
                {
                    chunk.numbers[place].store(first, Relaxed);
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
