//! Triangles in order along a curve that fills space, so that neighbours lie near each other.
//!
//! After Morton, with bits given to axes as they are long (Vinkler, Bittner and Havran, *Extended
//! Morton Codes for High Performance Bounding Volume Hierarchy Construction*, HPG 2017): each bit
//! halves the longest side of what is left, so flat things waste none.

use crate::bounds::Box3;
use solio_base::memory;
use std::cell::RefCell;

/// Bits of a code.
const BITS: u32 = 32;
/// Bits of one axis at most.
const AXIS_BITS: u32 = 16;

/// How places become codes.
pub(super) struct MortonCurve {
    low: [f32; 3],
    scale: [f32; 3],
    most: [f32; 3],
    /// By axis: what the low and the high byte of a place add to the code.
    spread: [[[u32; 256]; 2]; 3],
}

impl MortonCurve {
    /// For places within `bounds`, which are `grow` times as large as the box given.
    pub(super) fn within(bounds: &Box3) -> MortonCurve {
        let mut size: [f32; 3] = std::array::from_fn(|i| bounds.max[i] - bounds.min[i]);
        let width = size;
        let mut bits = [0; 3];
        let mut axes = [0; BITS as usize];
        for axis in &mut axes {
            let mut longest = None;
            for i in 0..3 {
                let longer = longest.is_none_or(|other: usize| size[i] > size[other]);
                if bits[i] < AXIS_BITS && longer {
                    longest = Some(i);
                }
            }
            *axis = longest.expect("three axes take 48 bits");
            size[*axis] *= 0.5;
            bits[*axis] += 1;
        }
        let mut curve = MortonCurve {
            low: bounds.min,
            scale: [0.0; 3],
            most: bits.map(|bits| ((1 << bits) - 1) as f32),
            spread: [[[0; 256]; 2]; 3],
        };
        for (i, width) in width.iter().enumerate() {
            let scale = (curve.most[i] + 1.0) / width;
            curve.scale[i] = if scale.is_finite() { scale } else { 0.0 };
        }
        // From the lowest bit of the code, each is the next bit of its axis.
        let mut used = [0; 3];
        for (bit, axis) in axes.iter().rev().enumerate() {
            let at = used[*axis];
            used[*axis] += 1;
            for byte in 0..256 {
                if byte >> (at % 8) & 1 == 1 {
                    curve.spread[*axis][at / 8][byte] |= 1 << bit;
                }
            }
        }
        curve
    }

    /// The code of a place; places outside count as on the border.
    #[inline(always)]
    pub(super) fn code(&self, place: [f32; 3]) -> u32 {
        let mut code = 0;
        for (i, x) in place.iter().enumerate() {
            let along = (x - self.low[i]) * self.scale[i];
            let along = if along > 0.0 { along } else { 0.0 };
            let along = if along < self.most[i] { along } else { self.most[i] } as u32;
            code |= self.spread[i][0][(along & 0xff) as usize];
            code |= self.spread[i][1][(along >> 8 & 0xff) as usize];
        }
        code
    }
}

thread_local! {
    /// Keys of an earlier tree: fresh memory for each would be made ready by the system, page by
    /// page, and many trees are built one after the other.
    static SPARE: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// More, and longer ones, are not kept.
const SPARE_ARRAYS: usize = 3;
const SPARE_KEYS: usize = 1 << 19;

/// An array with room for `count` keys, and whatever it held.
pub(super) fn keys(count: usize) -> Vec<u64> {
    let spare = SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten();
    match spare.filter(|keys| keys.capacity() >= count) {
        Some(keys) => keys,
        None => memory::with_capacity(count),
    }
}

/// Keeps an array for [`keys`].
pub(super) fn give_back(keys: Vec<u64>) {
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < SPARE_ARRAYS && (FEW..=SPARE_KEYS).contains(&keys.capacity()) {
            spare.push(keys);
            spare.sort_by_key(Vec::capacity);
        }
    });
}

/// Below this many, comparing is faster than counting.
const FEW: usize = 2048;
/// Bits by which one round sorts.
const DIGIT: u32 = 11;
const DIGITS: usize = 1 << DIGIT;

/// Sorts by the upper half of each key, in the order that they have where it is equal. Their lower
/// halves must rise.
pub(super) fn sort(keys: &mut Vec<u64>) {
    if keys.len() < FEW {
        keys.sort_unstable();
        return;
    }
    let digit = |key: u64, round: u32| (key >> (32 + DIGIT * round)) as usize & (DIGITS - 1);
    let mut counts = [[0u32; DIGITS]; 3];
    for key in keys.iter() {
        for round in 0..3 {
            counts[round as usize][digit(*key, round)] += 1;
        }
    }
    let mut other = self::keys(keys.len());
    other.resize(keys.len(), 0);
    for round in 0..3 {
        let counts = &mut counts[round as usize];
        if counts.iter().any(|count| *count as usize == keys.len()) {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        for key in keys.iter() {
            let place = &mut counts[digit(*key, round)];
            other[*place as usize] = *key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
    }
    give_back(other);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_axes_get_more_bits() {
        let flat = Box3 { min: [0.0; 3], max: [1.0, 1.0, 0.0] };
        let curve = MortonCurve::within(&flat);
        assert_eq!(curve.most, [65535.0, 65535.0, 0.0]);
        assert_eq!(curve.code([1.0, 1.0, 0.0]), u32::MAX);
        assert_eq!(curve.code([f32::NAN, -5.0, 7.0]), 0);
        assert!(curve.code([0.4, 0.4, 0.0]) < curve.code([0.6, 0.1, 0.0]));
        let cube = MortonCurve::within(&Box3 { min: [-1.0; 3], max: [1.0; 3] });
        assert_eq!(cube.most, [2047.0, 2047.0, 1023.0]);
        let halves = [[-0.1, 0.9, 0.9], [0.1, -0.9, -0.9]].map(|place| cube.code(place));
        assert_eq!(halves.map(|code| code >> 31), [0, 1]);
        for odd in [Box3::EMPTY, Box3::ALL, Box3 { min: [0.0; 3], max: [0.0; 3] }] {
            assert_eq!(MortonCurve::within(&odd).code([1.0; 3]), 0);
        }
    }

    proptest! {
        #[test]
        fn sorts_as_comparing_does(len in 0usize..6000, mask in any::<u32>(), seed in any::<u64>()) {
            let mut keys: Vec<u64> = (0..len as u64)
                .map(|i| {
                    let noise = (i ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                    (noise & u64::from(mask)) << 32 | i
                })
                .collect();
            let mut expected = keys.clone();
            expected.sort();
            sort(&mut keys);
            prop_assert_eq!(keys, expected);
        }
    }
}
