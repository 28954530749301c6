//! Merging of equal values in the order in which they are first seen, in parallel.
//!
//! The result is that of one hash table filled from the first element to the last, on any number
//! of threads. Why this is fast:
//!
//! * Within a chunk of 32k elements an equal one is looked up in a table of the elements last seen
//!   that is never cleared: what it names counts only where it is equal. Corners are looked up by
//!   their vertex, and only what is left of them gets a hash. Other elements, and corners where
//!   that finds less than half, are looked up by their hash; where hardly any is found that way,
//!   the rest of the chunk is not looked up at all.
//! * Hashes are sums of products, made for a chunk at once by [`wide`].
//! * What is left of the chunks, nearly all of it new, is split by hash. Of each part a set of
//!   bits, small enough for the first-level cache, tells what may appear twice; only that is
//!   sorted, and only where hashes agree are values compared.
//! * Nothing is stored twice: an element keeps 16 bits (its place in its chunk's list), a list
//!   entry 16 bits (the element that it came from) and its number in the result.
//!
//! On one thread of a Xeon the UVs of 8.1 M corners (2.0 M values) take 44 ms, 2.0 M normals
//! (nearly all different) 21 ms; with hashes for all of them and one table of two sets it was 76
//! and 43 ms.
//!
//! Values compare as floats do: −0 equals 0 (the first one seen stays), NaN equals nothing.

use crate::parallel;
use solio_codec::wide::{Wide, wide};
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Elements of a chunk. Places in a chunk's list fit 16 bits.
pub(crate) const CHUNK: usize = 1 << 15;

/// Bytes that merging takes at most for each element: its place, and, where all values of its
/// chunk differ, 6 of [`MergeChunk`] and 16 of [`number`], whose lists double as they grow.
pub(crate) const BYTES: u64 = 2 + 6 + 16;

/// The values to merge.
pub(crate) trait MergeValues<const N: usize>: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// The values of `range`, made in `scratch` unless they lie somewhere already.
    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; N]];
    /// One value, the same as [`MergeValues::slice`] gives.
    fn value(&self, element: usize) -> [f32; N];
    /// Flags of the elements that take part; `None` for all.
    fn used(&self) -> Option<&[bool]> {
        None
    }
    /// Where elements with the same key mostly have equal values, and most others different ones:
    /// the keys of all elements. They make it faster and change nothing else.
    fn keys(&self) -> Option<&[u32]> {
        None
    }
}

/// Which values are equal: element → number of its value in first-seen order.
pub(crate) struct Merged {
    chunks: Vec<MergeChunk>,
    count: u32,
}

/// The values of one chunk; few of them are equal.
struct MergeChunk {
    /// For each element that takes part its place in the lists below.
    places: Vec<u16>,
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
        let chunk = &self.chunks[element / CHUNK];
        chunk.numbers[chunk.places[element % CHUNK] as usize].load(Relaxed)
    }

    /// Appends the numbers of some elements.
    pub(crate) fn numbers_of(&self, elements: &[u32], out: &mut Vec<u32>) {
        if let [chunk] = &self.chunks[..] {
            // The places in the only list are the numbers.
            out.extend(elements.iter().map(|&e| u32::from(chunk.places[e as usize])));
        } else {
            out.extend(elements.iter().map(|&e| self.number(e as usize)));
        }
    }

    /// Appends the numbers of consecutive elements.
    pub(crate) fn numbers(&self, elements: Range<usize>, out: &mut Vec<u32>) {
        if let [chunk] = &self.chunks[..] {
            out.extend(chunk.places[elements].iter().map(|&p| u32::from(p)));
            return;
        }
        let mut start = elements.start;
        while start < elements.end {
            let chunk = &self.chunks[start / CHUNK];
            let places = &chunk.places[start % CHUNK..];
            let places = &places[..places.len().min(elements.end - start)];
            let numbers = &chunk.numbers[..];
            out.extend(places.iter().map(|&p| numbers[p as usize].load(Relaxed)));
            start += places.len();
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
pub(crate) fn merge<const N: usize>(values: &impl MergeValues<N>) -> Merged {
    let count = values.count();
    // Of corners about a quarter brings a new value.
    let entries = if values.keys().is_some() { count / 4 } else { count };
    let bits = (entries / PART).next_power_of_two().min(4096).trailing_zeros();
    let chunks = count.div_ceil(CHUNK);
    let group = (chunks / (4 * rayon::current_num_threads())).clamp(1, GROUP) * CHUNK;
    let listed = parallel::collect(count.div_ceil(group), &|i| {
        let elements = i * group..count.min((i + 1) * group);
        SCRATCH.with_borrow_mut(|scratch| lists(values, elements, bits, scratch))
    });
    let (groups, chunks): (Vec<Sorted>, Vec<Vec<MergeChunk>>) = listed.into_iter().unzip();
    let mut chunks: Vec<MergeChunk> = chunks.into_iter().flatten().collect();
    parallel::each(1 << bits, &|part| {
        SCRATCH.with_borrow_mut(|scratch| join(values, &groups, &chunks, part, scratch));
    });
    drop(groups);
    let count = number(&mut chunks);
    if let [chunk] = &mut chunks[..]
        && chunk.numbers.len() > count as usize
    {
        // The numbers of a single chunk fit 16 bits: keep them as the places.
        for place in &mut chunk.places {
            *place = *chunk.numbers[*place as usize].get_mut() as u16;
        }
        chunk.numbers = (0..count).map(AtomicU32::new).collect();
    }
    Merged { chunks, count }
}

/// Entries of a part, about; each finds 32 to 64 of the [`FILTER`] bits.
const PART: usize = 4096;
/// Chunks that are sorted together at most: their stretches of a part are long enough to be read
/// ahead, and their hashes still lie in the second-level cache.
const GROUP: usize = 8;
/// Bits of the set that finds what may appear twice, at most.
const FILTER: usize = 1 << 17;
/// Bits of the set of what was there before.
const AGAIN: usize = 1 << 14;

thread_local! {
    static SCRATCH: RefCell<MergeScratch> = RefCell::default();
}

/// Buffers that a thread keeps: fresh memory costs more than the work.
#[derive(Default)]
struct MergeScratch {
    /// The element last seen for each of so many tags, below other bits of the tag and the chunk.
    seen: Vec<u32>,
    /// Values made by [`MergeValues::slice`].
    values: Vec<f32>,
    /// The hashes of a chunk's elements.
    tags: Vec<u32>,
    /// The lists of a chunk.
    places: Vec<u16>,
    firsts: Vec<u16>,
    /// The hashes of the entries of some lists.
    hashes: Vec<u32>,
    /// Which hashes of a part appear.
    bits: Vec<u64>,
    /// The entries of what may appear twice.
    likely: Vec<u64>,
    /// The elements of these.
    elements: Vec<u32>,
    /// The values of these.
    found: Vec<f32>,
}

/// Elements last seen that are remembered.
const SEEN: usize = 1 << 14;
/// So many elements of a chunk tell how the others are looked up.
const PROBE: usize = 2048;

/// Lists the chunks of `elements`, and sorts their entries by the upper `bits` bits of their
/// hashes.
fn lists<const N: usize>(
    values: &impl MergeValues<N>,
    elements: Range<usize>,
    bits: u32,
    scratch: &mut MergeScratch,
) -> (Sorted, Vec<MergeChunk>) {
    let first = elements.start / CHUNK;
    let mut chunks = Vec::with_capacity(elements.len().div_ceil(CHUNK));
    scratch.hashes.clear();
    for start in elements.clone().step_by(CHUNK) {
        let range = start..elements.end.min(start + CHUNK);
        let mut made = std::mem::take(&mut scratch.values);
        let slice = values.slice(range.clone(), &mut made);
        let keys = values.keys().map(|keys| &keys[range.clone()]);
        chunks.push(match values.used() {
            None => list::<N, false>(slice, keys, &[], start, scratch),
            Some(used) => list::<N, true>(slice, keys, &used[range], start, scratch),
        });
        scratch.values = made;
    }
    (sort(&chunks, first, &scratch.hashes, bits), chunks)
}

/// Lists the elements of the chunk that starts at element `start` and whose values it does not
/// find among the chunk's earlier ones; their hashes go behind [`MergeScratch::hashes`].
fn list<const N: usize, const USED: bool>(
    values: &[[f32; N]],
    keys: Option<&[u32]>,
    used: &[bool],
    start: usize,
    scratch: &mut MergeScratch,
) -> MergeChunk {
    let MergeScratch { seen, tags, places, firsts, hashes, .. } = scratch;
    seen.resize(SEEN, 0);
    tags.resize(CHUNK, 0);
    places.resize(CHUNK, 0);
    firsts.resize(CHUNK, 0);
    let mut lists = MergeLists {
        seen: seen.first_chunk_mut().expect("just made"),
        places: places.first_chunk_mut().expect("just made"),
        firsts: firsts.first_chunk_mut().expect("just made"),
        salt: ((start / CHUNK) as u32).wrapping_mul(0x9e37_79b9),
        count: 0,
    };
    let tags: &mut [u32; CHUNK] = tags.first_chunk_mut().expect("just made");
    let by_key = keys.is_some_and(|keys| {
        let plain = wide(PlainValues(values));
        lists.look_up_all::<N, USED>(values, keys, used, plain, 2)
    });
    if by_key {
        let firsts = lists.firsts[..lists.count].iter().map(|&f| usize::from(f));
        hashes.extend(firsts.map(|f| tag(&values[f], start + f, &SEEDS)));
    } else {
        let plain = wide(Hashes { values, start, seeds: &SEEDS, out: tags });
        if !lists.look_up_all::<N, USED>(values, tags, used, plain, 16) {
            lists.all_new::<USED>(used, PROBE..values.len());
        }
        let firsts = lists.firsts[..lists.count].iter();
        hashes.extend(firsts.map(|&f| tags[usize::from(f) % CHUNK]));
    }
    MergeChunk {
        firsts: lists.firsts[..lists.count].to_vec(),
        numbers: std::iter::repeat_with(|| AtomicU32::new(UNKNOWN)).take(lists.count).collect(),
        places: lists.places[..values.len()].to_vec(),
    }
}

/// The lists of a chunk while they are made.
struct MergeLists<'a> {
    /// See [`MergeScratch`].
    seen: &'a mut [u32; SEEN],
    places: &'a mut [u16; CHUNK],
    firsts: &'a mut [u16; CHUNK],
    /// Another number for each chunk, so that hardly anything of others is taken for this one's.
    salt: u32,
    /// How many entries there are.
    count: usize,
}

impl MergeLists<'_> {
    /// Lists all elements; those with the same tag may be equal, and if all values are `plain` (see
    /// [`PlainValues`]), equal ones have the same bits. Lists only the first [`PROBE`] and gives `false`
    /// where it finds less than one `part` of these.
    fn look_up_all<const N: usize, const USED: bool>(
        &mut self,
        values: &[[f32; N]],
        tags: &[u32],
        used: &[bool],
        plain: bool,
        part: usize,
    ) -> bool {
        let given = (values, tags, used);
        let look_up = |lists: &mut Self, elements| match plain {
            true => lists.look_up::<N, USED>(given, elements, same_bits),
            false => lists.look_up::<N, USED>(given, elements, equal),
        };
        self.count = 0;
        look_up(self, 0..PROBE);
        let probed = values.len().min(PROBE);
        let found = part * (probed - self.count) >= probed;
        if found {
            look_up(self, PROBE..CHUNK);
        }
        found
    }

    /// Lists some elements; those with the same tag may be the `same`.
    #[inline(always)]
    fn look_up<const N: usize, const USED: bool>(
        &mut self,
        (values, tags, used): (&[[f32; N]], &[u32], &[bool]),
        elements: Range<usize>,
        same: impl Fn(&[f32; N], &[f32; N]) -> bool,
    ) {
        let mut count = self.count;
        let end = elements.end.min(values.len()).min(tags.len()).min(CHUNK);
        for i in elements.start..end {
            if USED && !used[i] {
                continue;
            }
            let tag = (tags[i] / SEEN as u32) ^ self.salt;
            let now = (tag << CHUNK.trailing_zeros()) | i as u32;
            let found = std::mem::replace(&mut self.seen[tags[i] as usize % SEEN], now);
            let before = found as usize % CHUNK;
            if (found ^ now) < CHUNK as u32
                && before < i
                && (!USED || used[before])
                && same(&values[before], &values[i])
            {
                self.places[i] = self.places[before];
            } else {
                self.places[i] = count as u16;
                self.firsts[count % CHUNK] = i as u16;
                count += 1;
            }
        }
        self.count = count;
    }

    /// Lists some elements, each on its own.
    fn all_new<const USED: bool>(&mut self, used: &[bool], elements: Range<usize>) {
        for i in elements {
            if !USED || used[i] {
                self.places[i] = self.count as u16;
                self.firsts[self.count % CHUNK] = i as u16;
                self.count += 1;
            }
        }
    }
}

/// Compares as floats do, without a branch for each number: in a row of UVs one is often the same.
#[inline(always)]
fn equal<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
    a.iter().zip(b).fold(true, |equal, (a, b)| equal & (a == b))
}

/// Whether all bits are the same.
#[inline(always)]
fn same_bits<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}

/// Whether no value has a NaN.
struct PlainValues<'a, const N: usize>(&'a [[f32; N]]);

impl<const N: usize> Wide for PlainValues<'_, N> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.0.as_flattened().iter().fold(true, |plain, x| plain & !x.is_nan())
    }
}

/// What [`MergeChunk::numbers`] holds before [`number`]: no earlier element has this value.
const UNKNOWN: u32 = u32::MAX;

/// Numbers in a value, at most.
const WIDEST: usize = 6;

/// Other numbers in each process, so that no file can be made whose values share a hash.
static SEEDS: LazyLock<[u64; WIDEST]> = LazyLock::new(|| {
    let state = std::collections::hash_map::RandomState::new();
    std::array::from_fn(|i| state.hash_one(i))
});

/// Equal for equal values. Of two different ones it is equal with a probability of 2^-32: it is
/// the upper half of a sum of products with random numbers.
pub(crate) fn hash<const N: usize>(value: &[f32; N]) -> u32 {
    seeded(value, &SEEDS)
}

#[inline(always)]
fn seeded<const N: usize>(value: &[f32; N], seeds: &[u64; WIDEST]) -> u32 {
    const { assert!(N <= WIDEST) };
    let sum = value.iter().zip(seeds).fold(0u64, |sum, (x, seed)| {
        // Adding 0 turns −0 into 0, so that both have the same hash.
        sum.wrapping_add(u64::from((x + 0.0).to_bits()).wrapping_mul(*seed))
    });
    (sum >> 32) as u32
}

/// The hash of an element. A value with a NaN is never found again: it gets another one, to keep
/// it out of everyone's way.
#[inline(always)]
fn tag<const N: usize>(value: &[f32; N], element: usize, seeds: &[u64; WIDEST]) -> u32 {
    let lone = (element as u32).wrapping_mul(0x9e37_79b9);
    if equal(value, value) { seeded(value, seeds) } else { lone }
}

/// Makes the [`tag`]s of a chunk; gives what [`PlainValues`] gives.
struct Hashes<'a, const N: usize> {
    values: &'a [[f32; N]],
    start: usize,
    seeds: &'a [u64; WIDEST],
    out: &'a mut [u32],
}

impl<const N: usize> Wide for Hashes<'_, N> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut plain = true;
        for ((value, out), element) in self.values.iter().zip(self.out).zip(self.start..) {
            plain &= equal(value, value);
            *out = tag(value, element, self.seeds);
        }
        plain
    }
}

/// Sorts the entries of the lists from chunk `first` on by the upper `bits` bits of their hashes.
fn sort(chunks: &[MergeChunk], first: usize, hashes: &[u32], bits: u32) -> Sorted {
    if let ([_], 0) = (chunks, bits) {
        let entries = hashes.iter().zip((first * CHUNK) as u64..);
        let entries = entries.map(|(&hash, entry)| (u64::from(hash) << 32) | entry).collect();
        return Sorted { entries, parts: vec![0, hashes.len() as u32] };
    }
    let part = |hash: u32| (u64::from(hash) << bits >> 32) as usize;
    let mut parts = vec![0u32; (1 << bits) + 1];
    for &hash in hashes {
        parts[part(hash) + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut parts {
        sum += *end;
        *end = sum;
    }
    let mut next = parts.clone();
    let mut entries = vec![0u64; hashes.len()];
    let mut rest = hashes;
    for (chunk, number) in chunks.iter().zip(first..) {
        let (hashes, later) = rest.split_at(chunk.firsts.len());
        for (&hash, entry) in hashes.iter().zip((number * CHUNK) as u64..) {
            let at = &mut next[part(hash)];
            entries[*at as usize] = u64::from(hash) << 32 | entry;
            *at += 1;
        }
        rest = later;
    }
    Sorted { entries, parts }
}

/// Finds the values of one part that an earlier element has too; their [`MergeChunk::numbers`] become
/// the element that was the first.
///
/// Few values are there twice. So a first pass only notes in sets of bits which hashes appear, and
/// which of these had appeared before; a second pass takes what may be one of the latter. The rest
/// is not looked at again.
fn join<const N: usize>(
    values: &impl MergeValues<N>,
    groups: &[Sorted],
    chunks: &[MergeChunk],
    part: usize,
    scratch: &mut MergeScratch,
) {
    let MergeScratch { bits, likely, elements, found, .. } = scratch;
    let total: usize = groups.iter().map(|group| group.part(part).len()).sum();
    bits.clear();
    bits.resize((total / 2).next_power_of_two().min(FILTER / 64), 0);
    let last = bits.len() - 1;
    let mut again = [0u64; AGAIN / 64];
    let place = |entry: u64| ((entry >> 46) as usize % (AGAIN / 64), 1u64 << (entry >> 40 & 63));
    for group in groups {
        for &entry in group.part(part) {
            let (word, bit) = ((entry >> 38) as usize & last, 1u64 << (entry >> 32 & 63));
            let before = bits[word];
            bits[word] = before | bit;
            if before & bit != 0 {
                let (word, bit) = place(entry);
                again[word] |= bit;
            }
        }
    }
    likely.clear();
    for group in groups {
        for &entry in group.part(part) {
            let (word, bit) = place(entry);
            if again[word] & bit != 0 {
                likely.push(entry);
            }
        }
    }
    // Equal values come together, in the order of the elements.
    likely.sort_unstable();
    let same = |a: &u64, b: &u64| a >> 32 == b >> 32;
    let runs = || likely.chunk_by(same).filter(|run| run.len() > 1);
    // Gather first, then compare: the processor then waits for many values at once.
    elements.clear();
    elements.extend(runs().flatten().map(|&entry| {
        let (chunk, place) = (entry as u32 as usize / CHUNK, entry as usize % CHUNK);
        (chunk * CHUNK) as u32 + u32::from(chunks[chunk].firsts[place])
    }));
    found.clear();
    found.extend(elements.iter().flat_map(|&e| values.value(e as usize)));
    let (mut elements, mut found) = (&elements[..], found.as_chunks::<N>().0);
    for run in runs() {
        for (i, &entry) in run.iter().enumerate().skip(1) {
            if let Some(first) = found[..i].iter().position(|value| equal(value, &found[i])) {
                let chunk = &chunks[entry as u32 as usize / CHUNK];
                chunk.numbers[entry as usize % CHUNK].store(elements[first], Relaxed);
            }
        }
        (elements, found) = (&elements[run.len()..], &found[run.len()..]);
    }
}

/// Turns what [`join`] found into the numbers of the values.
fn number(chunks: &mut [MergeChunk]) -> u32 {
    // The places that [`join`] found in an earlier chunk, rising, and the element found there.
    let mut repeats: Vec<Vec<(u16, u32)>> = vec![Vec::new(); chunks.len()];
    let mut both: Vec<_> = chunks.iter_mut().zip(&mut repeats).collect();
    parallel::each_of(&mut both, &|_, (chunk, repeats)| **repeats = chunk.repeats());
    let mut count = 0;
    let bases: Vec<u32> = chunks
        .iter()
        .map(|chunk| {
            let base = count;
            count += chunk.firsts.len() as u32;
            base
        })
        .collect();
    parallel::each_of(chunks, &|i, chunk| {
        let (mut start, mut next) = (0, bases[i]);
        let ends = repeats[i].iter().map(|&(place, _)| usize::from(place));
        for end in ends.chain([chunk.numbers.len()]) {
            let new = chunk.numbers[start..end].iter_mut().map(AtomicU32::get_mut);
            new.zip(next..).for_each(|(n, number)| *n = number);
            next += (end - start) as u32;
            start = end + 1;
        }
    });
    let chunks = &*chunks;
    parallel::each(chunks.len(), &|i| {
        let chunk = &chunks[i];
        for &(place, element) in &repeats[i] {
            let first = &chunks[element as usize / CHUNK];
            let number = &first.numbers[first.places[element as usize % CHUNK] as usize];
            let number = number.load(Relaxed);
            chunk.numbers[place as usize].store(number, Relaxed);
        }
    });
    count
}

impl MergeChunk {
    /// Takes the values that an earlier chunk has out of [`MergeChunk::firsts`]: their places, rising,
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

    /// Values, flags of those that take part, and keys.
    struct Given<'a, const N: usize>(&'a [[f32; N]], Option<&'a [bool]>, Option<&'a [u32]>);

    impl<const N: usize> MergeValues<N> for Given<'_, N> {
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
        fn keys(&self) -> Option<&[u32]> {
            self.2
        }
    }

    /// One map, filled from front to back.
    fn check<const N: usize>(values: &[[f32; N]], used: Option<&[bool]>, keys: Option<&[u32]>) {
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
            let merged = pool.install(|| merge(&Given(values, used, keys)));
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
                check(&uv, None, None);
                let n: Vec<_> = (0..count).map(|i| [1.0, (r(i) % range) as f32, -0.5]).collect();
                let wide: Vec<_> = n.iter().map(|n| [n[0], 2.0, 3.0, n[2], 5.0, n[1]]).collect();
                check(&wide, None, None);
                let used: Vec<_> = (0..count).map(|i| !r(i + 1).is_multiple_of(3)).collect();
                check(&n, Some(&used), None);
            }
        }
    }

    /// Keys that say everything, something, and nothing true.
    #[test]
    fn keys_change_nothing() {
        let r = noise(5);
        let count = 9 * CHUNK + 99;
        for vertices in [7, 3000, 100_000] {
            let keys: Vec<_> = (0..count).map(|i| (r(i / 4) ^ (i as u32 % 4)) % vertices).collect();
            // Vertices with the same value, seams, NaN, and both zeros.
            let value = |i: usize| match r(i + 3) % 40 {
                0 => [r(i) as f32, 0.0],
                1 => [f32::NAN, 0.0],
                2 => [1.0, -0.0],
                _ => [(keys[i] / 3) as f32, 0.0],
            };
            let values: Vec<_> = (0..count).map(value).collect();
            let finite: Vec<_> = values.iter().map(|v| v.map(|x| x.max(0.0))).collect();
            let used: Vec<_> = (0..count).map(|i| !r(i + 1).is_multiple_of(5)).collect();
            for values in [&values, &finite] {
                check(values, None, Some(&keys));
                check(values, Some(&used), Some(&keys));
            }
            let others: Vec<_> = (0..count).map(|i| [(i % 4) as f32, 1.0]).collect();
            check(&others, None, Some(&keys));
        }
    }

    #[test]
    fn zeros_are_equal_and_nan_is_not() {
        let r = noise(3);
        let odd = [0.0, -0.0, f32::NAN, f32::INFINITY, 1.0];
        let values: Vec<_> =
            (0..3 * CHUNK).map(|i| [odd[r(i) as usize % 5], odd[r(i + 9) as usize % 5]]).collect();
        check(&values, None, None);
        check(&vec![[f32::NAN; 3]; 4 * CHUNK], None, None);
    }
}
