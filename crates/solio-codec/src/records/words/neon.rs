//! Four records at a time by NEON: each is loaded at such an address that its words are in their
//! lanes already, or nearly.

use super::{CountByte, ListSummary, RecordField};
use solio_base::cpu::{Tier, tier};
use std::arch::aarch64::*;

const NO_COUNT: CountByte = CountByte { offset: 0, value: 0 };

/// As [`super::pick`].
pub(super) fn pick(
    records: &[u8],
    part: RecordField,
    count: Option<CountByte>,
    to: &mut [u8],
) -> (usize, ListSummary) {
    if tier() < Tier::Neon {
        return (0, ListSummary::NONE);
    }
    // SAFETY: every AArch64 processor has NEON.
    unsafe { pick_neon(records, part, count, to) }
}

#[target_feature(enable = "neon")]
fn pick_neon(
    records: &[u8],
    part: RecordField,
    count: Option<CountByte>,
    to: &mut [u8],
) -> (usize, ListSummary) {
    match (part.width, count) {
        (8, Some(count)) => run::<2, true>(records, part, count, to),
        (12, Some(count)) => run::<3, true>(records, part, count, to),
        (16, Some(count)) => run::<4, true>(records, part, count, to),
        (8, None) => run::<2, false>(records, part, NO_COUNT, to),
        (12, None) => run::<3, false>(records, part, NO_COUNT, to),
        (16, None) => run::<4, false>(records, part, NO_COUNT, to),
        _ => (0, ListSummary::NONE),
    }
}

/// Groups of four records of `W` words, which fill `W` registers.
#[target_feature(enable = "neon")]
fn run<const W: usize, const LISTS: bool>(
    records: &[u8],
    RecordField { stride, offset, width }: RecordField,
    count: CountByte,
    to: &mut [u8],
) -> (usize, ListSummary) {
    assert!(width == 4 * W && offset + width <= stride && count.offset < stride);
    let (groups, room) = (records.len() / (4 * stride), to.len() / (16 * W));
    let (mut largest, mut any, mut all) = (vdupq_n_u32(0), 0, u8::MAX);
    for (group, out) in records.chunks_exact(4 * stride).zip(to.chunks_exact_mut(16 * W)) {
        let first = group[offset..].as_ptr();
        // The words of record `r` from the one with number `k` on, and their neighbours.
        let four = |r: usize, k: isize| {
            // SAFETY: what is loaded are words of the record's part and the four or eight bytes
            // before or behind them: behind those of the first three records there is one more
            // record, and before those of the last another one.
            let bytes = unsafe { vld1q_u8(first.add(r * stride).offset(4 * k)) };
            vreinterpretq_u32_u8(bytes)
        };
        // SAFETY: the part of the record has eight bytes.
        let two = |r: usize| unsafe { vld1_u8(first.add(r * stride)) };
        let twos = |a, b| vreinterpretq_u32_u8(vcombine_u8(two(a), two(b)));
        let words: [uint32x4_t; W] = match W {
            2 => {
                let pairs = [twos(0, 1), twos(2, 3)];
                std::array::from_fn(|i| pairs[i])
            }
            3 => {
                let (b, c, d) = (four(1, 0), four(2, 0), four(3, -1));
                let three = [
                    vcopyq_laneq_u32::<3, 0>(four(0, 0), b),
                    vextq_u32::<2>(vextq_u32::<3>(b, b), c),
                    vcopyq_laneq_u32::<0, 2>(d, c),
                ];
                std::array::from_fn(|i| three[i])
            }
            _ => std::array::from_fn(|r| four(r, 0)),
        };
        for (words, to) in words.into_iter().zip(out.as_chunks_mut::<16>().0) {
            // SAFETY: there is room for four words; bytes need no alignment.
            unsafe { vst1q_u8(to.as_mut_ptr(), vreinterpretq_u8_u32(words)) };
            if LISTS {
                largest = vmaxq_u32(largest, words);
            }
        }
        if LISTS {
            for r in 0..4 {
                let value = group[r * stride + count.offset];
                (any, all) = (any | value, all & value);
            }
        }
    }
    let groups = groups.min(room);
    let none = !LISTS || groups == 0;
    let all_alike = none || (any == count.value && all == count.value);
    (4 * groups, ListSummary { largest: vmaxvq_u32(largest), all_alike })
}
