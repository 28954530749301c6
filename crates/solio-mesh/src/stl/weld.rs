//! Vertex merging: one vertex for all corners at exactly the same place, numbered in the order in
//! which they first appear.
//!
//! * Each chunk of triangles is merged on its own, on any thread, in a table that fits the
//!   processor's own cache ([`LocalWeld`]). Neighbours in a mesh share corners: what is left is a
//!   fifth of them.
//! * The chunks' vertices are then merged in order ([`Welder`]), in batches, so that the cache
//!   misses of a batch overlap.
//!
//! Both orders are first-seen orders, so their composition is the first-seen order of the file,
//! whatever the number of threads. −0 equals 0; NaN equals nothing, and is never put into a
//! table, since equal hashes without equality would make a table slow.

use std::hash::BuildHasher;
use std::sync::LazyLock;

/// Another number in each process, so that no file can be made whose positions share a hash.
static SEED: LazyLock<u64> =
    LazyLock::new(|| std::collections::hash_map::RandomState::new().hash_one(0));

/// A position.
pub(crate) type StlPoint = [f32; 3];

/// The hash of a position: equal for equal positions, also for 0 and −0.
#[inline(always)]
fn hash(p: StlPoint, seed: u64) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let [x, y, z] = p.map(|v| (v + 0.0).to_bits() as u64); // −0 + 0 is 0
    let a = ((x | y << 32) ^ seed).wrapping_mul(K);
    let b = (z ^ a >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let h = a ^ b;
    (h ^ h >> 29).wrapping_mul(K)
}

#[inline(always)]
fn is_nan(p: StlPoint) -> bool {
    p.iter().any(|v| v.is_nan())
}

/// Merges the corners of one chunk.
#[derive(Default)]
pub(crate) struct LocalWeld {
    /// Number of a vertex of the chunk + 1; 0 is free.
    slots: Vec<u16>,
    /// The different positions, in first-seen order.
    pub(crate) points: Vec<StlPoint>,
    /// Their hashes.
    hashes: Vec<u64>,
    /// The chunk's vertex of each corner.
    pub(crate) corners: Vec<u16>,
}

/// Most corners that [`LocalWeld`] takes at once.
pub(crate) const LOCAL_CORNERS: usize = 3 << 13;

impl LocalWeld {
    /// Merges `corners`, of which there are at most [`LOCAL_CORNERS`].
    pub(crate) fn merge(&mut self, corners: &[StlPoint]) {
        // At most three quarters full; of a real mesh a fifth of that.
        let bits = (corners.len() * 4 / 3 + 1).next_power_of_two().trailing_zeros().max(4);
        self.slots.clear();
        self.slots.resize(1 << bits, 0);
        self.points.clear();
        self.hashes.clear();
        self.corners.clear();
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let seed = *SEED;
        for &p in corners {
            let h = hash(p, seed);
            let mut at = (h >> (64 - bits)) as usize;
            let number = loop {
                let slot = slots[at & mask];
                // NaN ends here too: it equals no point, and not all slots are taken.
                if slot == 0 {
                    self.points.push(p);
                    self.hashes.push(h);
                    let number = self.points.len() as u16;
                    if !is_nan(p) {
                        slots[at & mask] = number;
                    }
                    break number;
                }
                if self.points[slot as usize - 1] == p {
                    break slot;
                }
                at += 1;
            };
            self.corners.push(number - 1);
        }
    }
}

/// Merges the vertices of chunks.
pub(crate) struct Welder {
    /// `upper half of the hash << 32 | number of a vertex + 1`; 0 is free.
    slots: Vec<u64>,
    used: usize,
    /// The vertices of the whole file.
    pub(crate) points: Vec<StlPoint>,
    /// Vertices before this one belong to earlier solids, and are not merged with.
    first: usize,
    /// The file's vertex of each of the chunk's.
    numbers: Vec<u32>,
}

/// Look-ups whose cache misses overlap.
const BATCH: usize = 32;

impl Welder {
    /// A table for about `expected` vertices.
    pub(crate) fn new(expected: usize) -> Welder {
        Welder {
            slots: table(expected),
            used: 0,
            points: solio_base::memory::with_capacity(expected),
            first: 0,
            numbers: Vec::new(),
        }
    }

    /// Starts a new solid.
    pub(crate) fn next_solid(&mut self) {
        self.first = self.points.len();
    }

    /// Adds a chunk; appends the vertices of its corners to `corners`.
    pub(crate) fn add(&mut self, local: &LocalWeld, corners: &mut Vec<u32>) {
        if (self.used + local.points.len()) * 2 > self.slots.len() {
            self.grow(local.points.len());
        }
        self.numbers.clear();
        let bits = self.slots.len().trailing_zeros();
        for (points, hashes) in local.points.chunks(BATCH).zip(local.hashes.chunks(BATCH)) {
            let mut touched = 0;
            for h in hashes {
                touched ^= self.slots[(h >> (64 - bits)) as usize];
            }
            std::hint::black_box(touched);
            for (&p, &h) in points.iter().zip(hashes) {
                let number = self.number(p, h, bits);
                self.numbers.push(number);
            }
        }
        let numbers = &self.numbers[..];
        corners.extend(local.corners.iter().map(|&c| numbers[c as usize]));
    }

    #[inline(always)]
    fn number(&mut self, p: StlPoint, h: u64, bits: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let tag = h << 32;
        let mut at = (h >> (64 - bits)) as usize;
        loop {
            let slot = self.slots[at & mask];
            let number = slot as u32;
            // What an earlier solid left is free: nothing of this solid lies behind it.
            if (number as usize) <= self.first {
                break;
            }
            if slot & !0xffff_ffff == tag && self.points[number as usize - 1] == p {
                return number - 1;
            }
            at += 1;
        }
        self.points.push(p);
        let number = self.points.len() as u32;
        if !is_nan(p) {
            self.used += usize::from(self.slots[at & mask] == 0);
            self.slots[at & mask] = tag | number as u64;
        }
        number - 1
    }

    /// Makes room for `more` vertices.
    fn grow(&mut self, more: usize) {
        let mut slots = table((self.used + more) * 2);
        let bits = slots.len().trailing_zeros();
        let mask = slots.len() - 1;
        self.used = 0;
        for i in self.first..self.points.len() {
            let p = self.points[i];
            if is_nan(p) {
                continue;
            }
            let h = hash(p, *SEED);
            let mut at = (h >> (64 - bits)) as usize;
            while slots[at & mask] != 0 {
                at += 1;
            }
            slots[at & mask] = h << 32 | (i as u64 + 1);
            self.used += 1;
        }
        self.slots = slots;
    }
}

/// Free slots, at most half of which `expected` vertices fill.
fn table(expected: usize) -> Vec<u64> {
    let mut slots = vec![0; (expected * 2).next_power_of_two().max(64)];
    solio_base::memory::advise_huge(&mut slots);
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_one_place_and_nan_is_none() {
        let mut local = LocalWeld::default();
        let nan = [f32::NAN, 0.0, 0.0];
        local.merge(&[[0.0, 0.0, 1.0], [-0.0, 0.0, 1.0], nan, nan, [0.0, -0.0, 1.0]]);
        assert_eq!(local.corners, [0, 0, 1, 2, 0]);
        let mut welder = Welder::new(0);
        let mut corners = Vec::new();
        welder.add(&local, &mut corners);
        welder.add(&local, &mut corners);
        assert_eq!(corners, [0, 0, 1, 2, 0, 0, 0, 3, 4, 0]);
        welder.next_solid();
        welder.add(&local, &mut corners);
        assert_eq!(corners[10..], [5, 5, 6, 7, 5]);
    }

    #[test]
    fn growing_keeps_what_was_seen() {
        let points: Vec<StlPoint> = (0..9000).map(|i| [i as f32, 0.5, -(i as f32)]).collect();
        let mut local = LocalWeld::default();
        let mut welder = Welder::new(0);
        let mut corners = Vec::new();
        for chunk in points.chunks(1000).chain(points.chunks(700)) {
            local.merge(chunk);
            welder.add(&local, &mut corners);
        }
        let expected: Vec<u32> = (0..9000).chain(0..9000).collect();
        assert_eq!(corners, expected);
    }
}
