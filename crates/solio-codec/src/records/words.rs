//! Two, three or four words of each record, put together with whole registers (AVX2, NEON).
//!
//! AVX2: eight words that lie together in the result come from two to four records. Each record is loaded
//! at such an address that its words are in their lanes already, and the loads are blended: no
//! lane moves, no byte is stored twice, and of triangles (13 bytes, 12 of them wanted) ten loads
//! and three stores serve eight.

#[cfg(target_arch = "aarch64")]
mod neon;

use super::RecordField;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// What the lists of records are like, see [`super::pick_lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSummary {
    /// The largest value; 0 of none.
    pub largest: u32,
    /// Whether every count is the one that was asked for.
    pub all_alike: bool,
}

impl ListSummary {
    pub(super) const NONE: ListSummary = ListSummary { largest: 0, all_alike: true };

    pub(super) fn and(self, other: ListSummary) -> ListSummary {
        ListSummary {
            largest: self.largest.max(other.largest),
            all_alike: self.all_alike && other.all_alike,
        }
    }
}

/// A count of one byte that each record should have, and where.
#[derive(Clone, Copy, Debug)]
pub struct CountByte {
    /// Where in the record.
    pub offset: usize,
    /// Its value.
    pub value: u8,
}

/// Does as many records from the first on as it can: returns how many, and, where a `count` is
/// given, what they are like. None on machines without AVX2 or NEON, and for other widths.
pub(super) fn pick(
    records: &[u8],
    part: RecordField,
    count: Option<CountByte>,
    to: &mut [u8],
) -> (usize, ListSummary) {
    #[cfg(target_arch = "x86_64")]
    if matches!(
        solio_base::cpu::tier(),
        solio_base::cpu::Tier::Avx2 | solio_base::cpu::Tier::Avx512
    ) {
        // SAFETY: a tier is never one that the machine lacks, and both of these have AVX2.
        return unsafe { pick_avx2(records, part, count, to) };
    }
    #[cfg(target_arch = "aarch64")]
    return neon::pick(records, part, count, to);
    #[cfg(not(target_arch = "aarch64"))]
    {
        let _ = (records, part, count, to);
        (0, ListSummary::NONE)
    }
}

/// Picks the kernel of `$w` words for the strides that are known, and that for any other.
#[cfg(target_arch = "x86_64")]
macro_rules! run {
    ($w:literal, $lists:literal, ($records:expr, $part:expr, $count:expr, $to:expr), $($stride:literal)*) => {
        match $part.stride {
            $($stride => run::<$w, $lists, $stride>($records, $part, $count, $to),)*
            _ => run::<$w, $lists, 0>($records, $part, $count, $to),
        }
    };
}

/// [`pick`], whatever the tier.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn pick_avx2(
    records: &[u8],
    part: RecordField,
    count: Option<CountByte>,
    to: &mut [u8],
) -> (usize, ListSummary) {
    // Triangles and quads, alone or with one more value; points with normals, UVs or both.
    match (part.width, count) {
        (8, Some(count)) => run::<2, true, 0>(records, part, count, to),
        (12, Some(count)) => run!(3, true, (records, part, count, to), 13 17),
        (16, Some(count)) => run!(4, true, (records, part, count, to), 17 21),
        (8, None) => run!(2, false, (records, part, NO_COUNT, to), 20 32),
        (12, None) => run!(3, false, (records, part, NO_COUNT, to), 20 24 32),
        (16, None) => run::<4, false, 0>(records, part, NO_COUNT, to),
        _ => (0, ListSummary::NONE),
    }
}

#[cfg(target_arch = "x86_64")]
const NO_COUNT: CountByte = CountByte { offset: 0, value: 0 };

/// Groups of so many records of `W` words that their words fill whole registers. Where `STRIDE` is
/// not 0 it is that of the records: then addresses are known, which is half of the work.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run<const W: usize, const LISTS: bool, const STRIDE: usize>(
    records: &[u8],
    RecordField { stride, offset, width }: RecordField,
    count: CountByte,
    to: &mut [u8],
) -> (usize, ListSummary) {
    assert!(width == 4 * W && offset + width <= stride && count.offset < stride);
    assert!(STRIDE == 0 || STRIDE == stride);
    let (stride, width) = (if STRIDE == 0 { stride } else { STRIDE }, 4 * W);
    let group = if W == 4 { 4 } else { 8 };
    let groups = (records.len() / (group * stride)).min(to.len() / (group * width));
    let (mut largest, mut any, mut all) = (_mm256_setzero_si256(), 0, u8::MAX);
    let (mut first, mut out) = (records.as_ptr(), to.as_mut_ptr());
    for _ in 0..groups {
        // The words from word `k` of the group on, with those of record `r` in their lanes.
        let load = |r: usize, k: usize| {
            // A record starts at word `W * r`, and `stride` is at least `4 * W`: not before the group.
            let at = r * stride + 4 * k - 4 * W * r + offset;
            // SAFETY: `records` has `groups` groups. What is loaded starts in this one; `W * r` is
            // below `k + 8`, and with at least one word of a record that is not before the last in
            // these lanes, it ends at most with the last one's part (every record between adds at
            // least its own words).
            unsafe { _mm256_loadu_si256(first.add(at).cast()) }
        };
        let mut store = |k: usize, words: __m256i| {
            // SAFETY: `to` has room for `groups` groups of `group * W` words each, of which these are
            // eight from `k` on.
            unsafe { _mm256_storeu_si256(out.add(4 * k).cast(), words) };
            if LISTS {
                largest = _mm256_max_epu32(largest, words);
            }
        };
        match W {
            2 => {
                for r in [0, 4] {
                    let low = _mm256_blend_epi32::<0b0000_1100>(load(r, 2 * r), load(r + 1, 2 * r));
                    let high =
                        _mm256_blend_epi32::<0b1100_0000>(load(r + 2, 2 * r), load(r + 3, 2 * r));
                    store(2 * r, _mm256_blend_epi32::<0b1111_0000>(low, high));
                }
            }
            3 => {
                let words = _mm256_blend_epi32::<0b0011_1000>(load(0, 0), load(1, 0));
                store(0, _mm256_blend_epi32::<0b1100_0000>(words, load(2, 0)));
                let words = _mm256_blend_epi32::<0b0000_1110>(load(2, 8), load(3, 8));
                let more = _mm256_blend_epi32::<0b1000_0000>(load(4, 8), load(5, 8));
                store(8, _mm256_blend_epi32::<0b1111_0000>(words, more));
                let words = _mm256_blend_epi32::<0b0001_1100>(load(5, 16), load(6, 16));
                store(16, _mm256_blend_epi32::<0b1110_0000>(words, load(7, 16)));
            }
            _ => {
                store(0, _mm256_blend_epi32::<0b1111_0000>(load(0, 0), load(1, 0)));
                store(8, _mm256_blend_epi32::<0b1111_0000>(load(2, 8), load(3, 8)));
            }
        }
        if LISTS {
            for r in 0..group {
                // SAFETY: `count.offset` is below `stride`, and the group has `group` records.
                let value = unsafe { *first.add(r * stride + count.offset) };
                (any, all) = (any | value, all & value);
            }
        }
        // SAFETY: behind this group, which is there, or at most at the end.
        (first, out) = unsafe { (first.add(group * stride), out.add(group * width)) };
    }
    let none = !LISTS || groups == 0;
    let all_alike = none || (any == count.value && all == count.value);
    let mut words = [0u32; 8];
    // SAFETY: the array has the size of the register.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), largest) };
    let largest = words.into_iter().max().unwrap_or(0);
    (groups * group, ListSummary { largest, all_alike })
}
