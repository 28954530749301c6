//! ASCII to lower case by NEON, up to the first byte that is none; as by the vectors of x86-64.

use super::path::LowerBytes;
use crate::neon::load_bytes;
use solio_base::cpu::Tier;
use std::arch::aarch64::*;
use std::mem::MaybeUninit;

const BLOCK: usize = 16;

/// The kernel of a tier.
pub(super) fn kernel(tier: Tier) -> Option<LowerBytes> {
    // SAFETY: every AArch64 processor has NEON.
    (tier == Tier::Neon).then_some(|text, to| unsafe { lower(text, to) })
}

/// Lowers a whole block; returns how many ASCII bytes come first.
#[inline]
#[target_feature(enable = "neon")]
fn block(text: &[u8; BLOCK], to: &mut [MaybeUninit<u8>; BLOCK]) -> usize {
    let bytes = load_bytes(text);
    let upper = vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(b'A')), vdupq_n_u8(26));
    let lowered = vorrq_u8(bytes, vandq_u8(upper, vdupq_n_u8(32)));
    // SAFETY: there is room for a block.
    unsafe { vst1q_u8(to.as_mut_ptr().cast(), lowered) };
    if vmaxvq_u8(bytes) < 0x80 {
        return BLOCK;
    }
    // Four bits of each byte, all set where it is not ASCII.
    let other = vreinterpretq_u16_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(bytes)));
    let bits = vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(other)));
    bits.trailing_zeros() as usize / 4
}

/// As [`LowerBytes`] says. The last block overlaps the one before; what is shorter than a block goes
/// through a padded copy.
#[target_feature(enable = "neon")]
fn lower(text: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    assert_eq!(text.len(), to.len());
    let (blocks, rest) = text.as_chunks();
    for (i, (text, to)) in blocks.iter().zip(to.as_chunks_mut().0).enumerate() {
        let ascii = block(text, to);
        if ascii < BLOCK {
            return i * BLOCK + ascii;
        }
    }
    if rest.is_empty() {
        return text.len();
    }
    if let (Some(last), Some(to)) = (text.last_chunk(), to.last_chunk_mut()) {
        return text.len() - BLOCK + block(last, to);
    }
    let (mut padded, mut lowered) = ([0; BLOCK], [MaybeUninit::uninit(); BLOCK]);
    padded[..rest.len()].copy_from_slice(rest);
    let ascii = block(&padded, &mut lowered);
    to.copy_from_slice(&lowered[..rest.len()]);
    ascii.min(rest.len())
}
