//! Frequencies to halves near them that have few bits set.
//!
//! Halves with few bits make short codes. Each frequency may be off by its tolerance; among a few
//! candidates at that distance, the one with the fewest bits wins, then the nearest.

use solio_codec::samples::{float_to_half, half_to_float};

use super::transform::{DctBlock, ZIGZAG};

/// The tables of JPEG's annex K for luminance and chroma, to be divided by their smallest entries.
const LUMINANCE: [u8; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
    92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMA: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// How far each frequency may be off, row by row.
pub(super) struct Tolerances([(f32, u16); 64]);

impl Tolerances {
    /// Those of luminance and of chroma.
    pub(super) fn of_level(level: f32) -> [Tolerances; 2] {
        let error = (level / 100_000.0).max(0.0);
        [(LUMINANCE, 10.0), (CHROMA, 17.0)].map(|(table, smallest)| {
            Tolerances(table.map(|entry| {
                let tolerance = error * f32::from(entry) / smallest;
                (tolerance, float_to_half(tolerance))
            }))
        })
    }
}

/// The block's frequencies in zig-zag order.
pub(super) fn quantize(block: &DctBlock, tolerances: &Tolerances) -> [u16; 64] {
    ZIGZAG.map(|place| {
        let (tolerance, in_half) = tolerances.0[usize::from(place)];
        nearby(float_to_half(block[usize::from(place)]), tolerance, in_half)
    })
}

/// The exponent's bits.
const EXPONENT: u32 = 0x7c00;
/// The significand's bits.
const SIGNIFICAND: u32 = 0x3ff;

/// What stands for every NaN.
pub(super) const NAN: u16 = 0x7e00;

/// A half with few bits, not further than `tolerance` from this one.
fn nearby(half: u16, tolerance: f32, in_half: u16) -> u16 {
    let (bits, limit) = (u32::from(half & 0x7fff), u32::from(in_half));
    if bits & EXPONENT == EXPONENT {
        // Some NaN would read as a run of zeros.
        return if bits > EXPONENT { NAN } else { half };
    }
    let mut search = Search {
        value: half_to_float(bits as u16),
        tolerance,
        best: bits,
        ones: bits.count_ones(),
        distance: tolerance,
    };
    if search.value < tolerance {
        return 0;
    }
    // How many binary orders the value lies above its tolerance.
    let orders = (bits & EXPONENT).wrapping_sub(limit & EXPONENT) >> 10;
    let found = if limit & EXPONENT == 0 {
        match (limit & SIGNIFICAND, orders) {
            (0, _) => bits,
            (step, 0 | 1) => search.beside_subnormal(step),
            (step, _) => search.above_subnormal(step.checked_shr(orders).unwrap_or(0).max(1)),
        }
    } else {
        let step = (limit & SIGNIFICAND | 1 << 10).checked_shr(orders).unwrap_or(0);
        match orders {
            _ if step == 0 => bits,
            _ if orders > 1 || bits & EXPONENT == 0 => search.far_above(step),
            0 => search.same_order(step),
            _ => search.next_order(step),
        }
    };
    half & 0x8000 | found as u16
}

/// The best candidate so far.
struct Search {
    value: f32,
    tolerance: f32,
    best: u32,
    ones: u32,
    /// What another candidate with as many bits must be nearer than.
    distance: f32,
}

impl Search {
    fn distance_of(&self, candidate: u32) -> f32 {
        (half_to_float(candidate as u16) - self.value).abs()
    }

    /// Whether a candidate is near enough.
    fn near(&self, candidate: u32) -> bool {
        self.distance_of(candidate) < self.tolerance
    }

    /// Takes the first of the best candidates; says which.
    fn among(&mut self, candidates: &[u32]) -> u32 {
        for candidate in candidates {
            let (ones, distance) = (candidate.count_ones(), self.distance_of(*candidate));
            let better = match ones.cmp(&self.ones) {
                std::cmp::Ordering::Less => distance < self.tolerance,
                std::cmp::Ordering::Equal => distance < self.distance,
                std::cmp::Ordering::Greater => false,
            };
            if better {
                (self.best, self.ones, self.distance) = (*candidate, ones, distance);
            }
        }
        self.best
    }

    /// A normal value whose tolerance is subnormal.
    fn above_subnormal(&mut self, step: u32) -> u32 {
        let unit = next_power(step);
        let bits = self.best;
        let whole = |bits: u32| bits & !(unit - 1);
        self.among(&[whole(bits) & !unit, whole(bits), whole(bits + unit), whole(bits + 2 * unit)])
    }

    /// A value of the lowest orders whose tolerance is subnormal.
    fn beside_subnormal(&mut self, step: u32) -> u32 {
        let unit = next_power(step);
        let cuts = Cuts::of(self.best, unit, step);
        let Cuts { whole, even, odd, up } = cuts;
        if cuts.coarse(self.best, unit, step) {
            self.among(&[odd, even, whole, up])
        } else if self.best & unit != 0 {
            self.among(&[even, odd, whole, up])
        } else {
            self.among(&[even, whole, odd, up])
        }
    }

    /// A value of the same order as its tolerance.
    fn same_order(&mut self, step: u32) -> u32 {
        let unit = 0x800;
        let Cuts { whole, even, odd, up } = Cuts::of(self.best, unit, step);
        if self.best < unit {
            self.among(&[odd, up])
        } else if even == whole {
            self.among(&[odd, whole, up])
        } else {
            self.among(&[even, whole, up])
        }
    }

    /// A value one order above its tolerance.
    fn next_order(&mut self, step: u32) -> u32 {
        let unit = 0x400;
        let cuts = Cuts::of(self.best, unit, step);
        let Cuts { whole, even, odd, up } = cuts;
        let near = if self.best & unit == 0 || !self.near(even) { whole } else { even };
        if cuts.coarse(self.best, unit, step) {
            self.among(&[odd, near, up])
        } else {
            self.among(&[near, odd, up])
        }
    }

    /// A value two orders above its tolerance or more.
    fn far_above(&mut self, step: u32) -> u32 {
        let unit = next_power(step);
        let bits = self.best;
        let whole = bits & !(unit - 1);
        let half_more = whole & !unit | bits & unit >> 1;
        let below = match (bits & (unit - 1)).cmp(&step) {
            std::cmp::Ordering::Less => whole,
            std::cmp::Ordering::Equal if self.near(whole) => whole,
            _ => half_more,
        };
        // Nothing is gained by another value of as many bits.
        self.distance = 0.0;
        self.among(&[below, (bits + unit) & !(unit - 1)])
    }
}

/// The power of two above.
fn next_power(step: u32) -> u32 {
    1 << (32 - step.leading_zeros())
}

/// Values around some bits.
struct Cuts {
    /// Without the bits below the unit.
    whole: u32,
    /// Without the unit too.
    even: u32,
    /// Without the unit, and either with half of it or without twice of it.
    odd: u32,
    /// The next whole number of units.
    up: u32,
}

impl Cuts {
    fn of(bits: u32, unit: u32, step: u32) -> Cuts {
        let whole = bits & !(unit - 1);
        let even = whole & !unit;
        let odd =
            if step > bits & (unit - 1) { even & !(unit << 1) } else { even | bits & unit >> 1 };
        Cuts { whole, even, odd, up: (bits + unit) & !(unit - 1) }
    }

    /// Whether `odd` has lost twice the unit.
    fn coarse(&self, bits: u32, unit: u32, step: u32) -> bool {
        step > bits & (unit - 1)
    }
}
