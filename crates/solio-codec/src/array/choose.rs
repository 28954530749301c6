//! Which prediction, base and method suit a plane: told by some of its samples.

use super::bytes::Packer;
use super::encode::{byte_plane, row_numbers};
use super::predict::{Prediction, differences};
use super::ranks::{self, Ranks};
use super::{Element, Method, Plane, class, huffman, low_bits};
use crate::wide::{Wide, wide};
use crate::word::Word;

/// Parts of rows that are looked at, and samples of each.
const PIECES: usize = 8;
const PIECE: usize = 256;
/// Differences that say which method is best, standing together because repetitions count.
const DIFFERENCES: usize = 3072;
/// What bytes apart must save, which take longer than the other methods: one in so many.
const WORTH_BYTES: usize = 12;
/// What one more of the lowest bits apart may cost: one byte in so many.
const WORTH_A_BIT: usize = 64;
/// What a base must save: one bit in so many.
const WORTH_A_BASE: u64 = 64;

/// How a plane is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) prediction: Prediction,
    pub(super) base: Option<usize>,
    /// Whether samples are replaced by their ranks.
    pub(super) is_ranked: bool,
    /// About how many bits a sample needs, times 1,024.
    pub(super) bits: u64,
}

/// For each plane the best prediction, and the base that makes it smaller.
pub(super) fn choose(bytes: &[u8], planes: &[Plane]) -> Vec<Choice> {
    let mut choices = Vec::with_capacity(planes.len());
    let mut gains = Vec::new();
    for (i, plane) in planes.iter().enumerate() {
        let cost = |base: Option<usize>| {
            let base = base.map(|base| &planes[base]);
            match plane.element {
                Element::U8 => best::<u8>(bytes, plane, base),
                Element::U16 | Element::Half => best::<u16>(bytes, plane, base),
                Element::U32 | Element::Float => best::<u32>(bytes, plane, base),
                Element::Double => best::<u64>(bytes, plane, base),
            }
        };
        let (alone, prediction) = cost(None);
        choices.push(Choice { prediction, base: None, is_ranked: false, bits: alone });
        // Channels that belong together stand together: the base is the one before or behind.
        let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
        for base in beside.filter(|base| planes.get(*base).is_some_and(|base| base.is_like(plane)))
        {
            let (with, prediction) = cost(Some(base));
            if with + with / WORTH_A_BASE < alone {
                gains.push((alone - with, i, base, prediction, with));
            }
        }
    }
    // The largest gains first; a base has no base itself.
    gains.sort_by_key(|(gain, i, base, ..)| (std::cmp::Reverse(*gain), *i, *base));
    let mut is_base = vec![false; planes.len()];
    for (_, i, base, prediction, bits) in gains {
        if !is_base[i] && choices[i].base.is_none() && choices[base].base.is_none() {
            choices[i] = Choice { prediction, base: Some(base), is_ranked: false, bits };
            is_base[base] = true;
        }
    }
    choices
}

/// The cheapest prediction, and about how many bits a sample needs then, times 1,024.
fn best<T: Word>(bytes: &[u8], plane: &Plane, base: Option<&Plane>) -> (u64, Prediction) {
    let mut other = [T::default(); PIECE];
    best_of(plane.width, plane.rows, |x, y, to: &mut [T]| {
        row_numbers(bytes, plane, y, x, to);
        if let Some(base) = base {
            let other = &mut other[..to.len()];
            row_numbers(bytes, base, y, x, other);
            to.iter_mut().zip(other).for_each(|(to, other)| *to = to.minus(*other));
        }
    })
}

/// [`best`] of ranks, with the values that they stand for.
pub(super) fn best_of_ranks<T: Word>(ranks: &Ranks<T>, width: usize) -> (u64, Prediction) {
    let count = ranks.ranks.len();
    let (bits, prediction) = best_of(width, count / width.max(1), |x, y, to: &mut [T]| {
        to.copy_from_slice(&ranks.ranks[y * width + x..][..to.len()]);
    });
    let values = bits_of(&ranks::classes_of_gaps(&ranks.values));
    (bits + values / count.max(1) as u64, prediction)
}

/// [`best`] where `read` gives what begins at a column of a row.
fn best_of<T: Word>(
    width: usize,
    rows: usize,
    mut read: impl FnMut(usize, usize, &mut [T]),
) -> (u64, Prediction) {
    let all = [Prediction::Left, Prediction::Plane, Prediction::Up, Prediction::None];
    let length = PIECE.min(width);
    if width * rows == 0 {
        return (0, Prediction::None);
    }
    let pieces = PIECES.min((width * rows).div_ceil(length));
    let mut counts = [[0u32; 128]; 4];
    let mut memory = [[T::default(); PIECE]; 3];
    let [row, above, to] = memory.each_mut().map(|part| &mut part[..length]);
    for piece in 0..pieces {
        let (x, y) = place_of(piece, pieces, width, rows);
        read(x, y, row);
        let above: &[T] = match y {
            0 => &[],
            _ => {
                read(x, y - 1, above);
                above
            }
        };
        for (counts, prediction) in counts.iter_mut().zip(all) {
            differences(row, above, prediction, to);
            // The first one has no left neighbour in the piece.
            wide(Count(&to[1.min(length - 1)..], counts));
        }
    }
    let looked_at: u32 = counts[0].iter().sum();
    let costs = counts.iter().map(bits_of).zip(all);
    let best = costs.min_by_key(|(cost, _)| *cost);
    best.map_or((0, Prediction::None), |(cost, by)| (cost / u64::from(looked_at.max(1)), by))
}

/// Where a piece begins: they are spread over the rows, and over the columns.
fn place_of(piece: usize, pieces: usize, width: usize, rows: usize) -> (usize, usize) {
    let y = (2 * piece + 1) * rows / (2 * pieces);
    let free = width - PIECE.min(width);
    // Steps of five eighths come to all of the eighths.
    let x = if rows == 1 { free * piece / pieces } else { free * (piece * 5 % 8) / 7 };
    (x, y)
}

/// Counts the classes of numbers; of those of 64 bits the upper halves count.
struct Count<'a, T>(&'a [T], &'a mut [u32; 128]);

impl<T: Word> Wide for Count<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let lower = if T::BYTES == 8 { 32 } else { 0 };
        for value in self.0 {
            let (class, _) = class::of((value.to_u64() >> lower) as u32);
            self.1[usize::from(class & 127)] += 1;
        }
    }
}

/// About how many bits numbers of these classes need, times 1,024.
fn bits_of(counts: &[u32; 128]) -> u64 {
    let each = counts.iter().enumerate();
    let following: u64 = each.map(|(c, n)| u64::from(class::bits(c as u8)) * u64::from(*n)).sum();
    entropy(counts) + 1024 * following
}

/// About how many bits symbols that occur so often need, times 1,024.
fn entropy(counts: &[u32]) -> u64 {
    // The mantissa of a float stands for the fraction of its logarithm: the same on all machines.
    let logarithm = |count: u32| u64::from(((count as f32).to_bits() - 1f32.to_bits()) >> 13);
    let all = logarithm(counts.iter().sum::<u32>().max(1));
    let each = counts.iter().filter(|count| **count > 0);
    each.map(|&count| u64::from(count) * (all - logarithm(count))).sum()
}

/// About how many bytes a prefix code makes of bytes that occur so often.
fn coded_bytes(counts: &[u32; 256]) -> usize {
    let used = counts.iter().filter(|count| **count > 0).count();
    let least = u64::from(counts.iter().sum::<u32>());
    14 + used / 2 + (entropy(counts) / 1024).max(least) as usize / 8
}

/// What the methods need for some differences, in bytes.
pub(super) struct Costs {
    low_bits_cost: usize,
    classes: usize,
    bytes: usize,
    /// How many of the lowest bits are best stored apart.
    pub(super) low_bits: u32,
    /// Whether zstd finds something.
    pub(super) repeats: bool,
}

impl Costs {
    pub(super) fn of<T: Word>(stored: &[T], packer: &mut Packer) -> Costs {
        let start = (stored.len().saturating_sub(DIFFERENCES)) / 2;
        let piece = &stored[start..stored.len().min(start + DIFFERENCES)];
        let mut costs = Costs {
            low_bits_cost: usize::MAX,
            classes: usize::MAX,
            bytes: 0,
            low_bits: 0,
            repeats: false,
        };
        if T::BYTES < 8 {
            let mut counts = [0; 256];
            for value in piece {
                counts[usize::from(class::of(value.to_u64() as u32).0)] += 1;
            }
            let bytes = coded_bytes(&counts);
            costs.classes = bytes + (class::following(&counts) / 8) as usize;
            if T::BYTES == 2 {
                costs.low_bits(piece, &counts);
            }
        }
        let mut plane = Vec::new();
        for byte in 0..T::BYTES {
            byte_plane(piece, byte, &mut plane);
            let counted = coded_bytes(&huffman::count(&plane)).min(plane.len());
            let found = packer.zstd_size(&plane);
            costs.repeats |= found < counted - counted / 8;
            costs.bytes += found.min(counted);
        }
        costs
    }

    /// Tries the numbers of bits that are about right.
    fn low_bits<T: Word>(&mut self, piece: &[T], classes: &[u32; 256]) {
        // One number in 64 may be as large as the byte above the bits goes, an eighth of it.
        let mut above = 0;
        let large = classes.iter().enumerate().rev().find(|(_, count)| {
            above += **count as usize;
            above > piece.len() / 64
        });
        let about = (large.map_or(0, |(class, _)| class as u32) / 4).saturating_sub(4);
        for bits in about.saturating_sub(2)..=(about + 2).min(low_bits::MOST) {
            let mut counts = [0; 256];
            for value in piece {
                let upper = (value.to_u64() >> bits).min(u64::from(low_bits::ESCAPE));
                counts[upper as usize] += 1;
            }
            let escaped = counts[usize::from(low_bits::ESCAPE)] as usize;
            let cost = coded_bytes(&counts) + piece.len() * bits as usize / 8 + 2 * escaped;
            // The more bits stand apart, the shorter are the codes, and the faster they are read.
            let cost = cost.max(1);
            if cost <= self.low_bits_cost.saturating_add(self.low_bits_cost / WORTH_A_BIT) {
                self.low_bits = bits;
                self.low_bits_cost = cost.min(self.low_bits_cost);
            }
        }
    }

    /// The method that needs least; faster ones are given a little.
    pub(super) fn best(&self) -> Method {
        let fast = self.low_bits_cost.min(self.classes.saturating_add(self.classes / 50));
        if self.bytes < fast - fast / WORTH_BYTES {
            Method::Bytes
        } else if self.low_bits_cost == fast {
            Method::LowBits
        } else {
            Method::Classes
        }
    }
}
