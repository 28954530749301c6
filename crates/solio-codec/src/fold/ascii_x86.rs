//! ASCII to lower case by vectors, up to the first byte that is none.
//!
//! - One instruction collects the high bits of a whole vector: whether all of it is ASCII, and if
//!   not, where the first other byte is.
//! - The last vector overlaps the one before, so that a path has no bytes to do one by one; what is
//!   shorter than a vector goes through a padded copy.

use super::path::LowerBytes;
use solio_base::cpu::Tier;
use std::mem::MaybeUninit;

/// The kernel of a tier that this machine has.
pub(super) fn kernel(tier: Tier) -> Option<LowerBytes> {
    match tier {
        // SAFETY: the machine has the tier.
        Tier::Avx512 => Some(|text, to| unsafe { avx512::lower(text, to) }),
        // SAFETY: the machine has the tier.
        Tier::Avx2 => Some(|text, to| unsafe { avx2::lower(text, to) }),
        // SAFETY: the machine has the tier.
        Tier::Sse2 => Some(|text, to| unsafe { sse2::lower(text, to) }),
        _ => None,
    }
}

/// `lower` with the names that the module gives to its instructions.
macro_rules! lower {
    ($features:literal) => {
        const BLOCK: usize = size_of::<V>();

        /// Lowers a whole block; returns how many ASCII bytes come first.
        #[inline]
        #[target_feature(enable = $features)]
        fn block(text: &[u8; BLOCK], to: &mut [MaybeUninit<u8>; BLOCK]) -> usize {
            // SAFETY: a block has the size of a vector, on either side.
            unsafe {
                let bytes = load(text.as_ptr().cast());
                store(to.as_mut_ptr().cast(), or(bytes, case_bits(bytes)));
                (high_bits(bytes).trailing_zeros() as usize).min(BLOCK)
            }
        }

        /// As [`LowerBytes`](super::path::LowerBytes) says.
        #[target_feature(enable = $features)]
        pub(super) fn lower(text: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
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
    };
}

mod sse2 {
    use super::MaybeUninit;
    use std::arch::x86_64::{
        __m128i as V, _mm_add_epi8, _mm_and_si128, _mm_cmpgt_epi8, _mm_loadu_si128 as load,
        _mm_movemask_epi8, _mm_or_si128 as or, _mm_set1_epi8, _mm_storeu_si128 as store,
    };

    lower!("sse2");

    /// 32 where a byte is an upper-case letter. Compares are signed: the range starts at -128.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn case_bits(bytes: V) -> V {
        let from_a = _mm_add_epi8(bytes, _mm_set1_epi8((0x80 - b'A') as i8));
        let upper = _mm_cmpgt_epi8(_mm_set1_epi8((0x80u8 + 26) as i8), from_a);
        _mm_and_si128(upper, _mm_set1_epi8(32))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn high_bits(bytes: V) -> u32 {
        _mm_movemask_epi8(bytes) as u32
    }
}

mod avx2 {
    use super::MaybeUninit;
    use std::arch::x86_64::{
        __m256i as V, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpgt_epi8,
        _mm256_loadu_si256 as load, _mm256_movemask_epi8, _mm256_or_si256 as or, _mm256_set1_epi8,
        _mm256_storeu_si256 as store,
    };

    lower!("avx2");

    /// 32 where a byte is an upper-case letter. Compares are signed: the range starts at -128.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn case_bits(bytes: V) -> V {
        let from_a = _mm256_add_epi8(bytes, _mm256_set1_epi8((0x80 - b'A') as i8));
        let upper = _mm256_cmpgt_epi8(_mm256_set1_epi8((0x80u8 + 26) as i8), from_a);
        _mm256_and_si256(upper, _mm256_set1_epi8(32))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn high_bits(bytes: V) -> u32 {
        _mm256_movemask_epi8(bytes) as u32
    }
}

mod avx512 {
    use super::MaybeUninit;
    use std::arch::x86_64::{
        __m512i as V, _mm512_cmplt_epu8_mask, _mm512_loadu_si512 as load, _mm512_maskz_mov_epi8,
        _mm512_movepi8_mask, _mm512_or_si512 as or, _mm512_set1_epi8, _mm512_storeu_si512 as store,
        _mm512_sub_epi8,
    };

    lower!("avx512f,avx512bw,avx512vl");

    /// 32 where a byte is an upper-case letter.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn case_bits(bytes: V) -> V {
        let from_a = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'A' as i8));
        let upper = _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26));
        _mm512_maskz_mov_epi8(upper, _mm512_set1_epi8(32))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn high_bits(bytes: V) -> u64 {
        _mm512_movepi8_mask(bytes)
    }
}
