//! Unreal Engine 4's `ToLower` by vectors.
//!
//! - Two vectors of codes are packed into one of bytes with saturation. What is no byte becomes
//!   255, or 0 for codes from 32,768 on; neither changes, so no code above 255 does.
//! - Every rise only sets bits, so the bytes to set (0, 16, 32 or 96) are all that is computed, on
//!   half the vectors, then unpacked and joined to the codes.
//! - SSE2 and AVX2 find them with five compares. AVX-512 looks them up: the low six bits of a
//!   byte say in which quarters of 0–255 it rises, the high two which quarter it is in, and one
//!   matrix product over bits turns what both have in common into the bits to set.
//! - Names shorter than two vectors go to the next smaller ones, down to eight codes at once: a name of 8 codes
//!   takes 6.6 ns where a padded block took 18.9, one of 16 codes 7.4 for 17.6.
//! - Against a loop that the compiler vectorises for the same tier: SSE2 and AVX2 1.6 times as fast,
//!   AVX-512 1.9.
//!
//! Measured on 4096 codes in the first-level cache of an Intel Xeon, in GB/s: branches called for
//! each code 1.2, table 5.9, SSE2 15.6, AVX2 29, AVX-512 55, memcpy 131 (`solio-bench io`).

use super::ue4::{LowerCodes, lower_ue4, rise};
use solio_base::cpu::Tier;
use std::mem::MaybeUninit;

/// The kernel of a tier that this machine has.
pub(super) fn kernel(tier: Tier) -> Option<LowerCodes> {
    match tier {
        Tier::Avx512 if is_x86_feature_detected!("gfni") => {
            // SAFETY: the machine has the tier, and GFNI.
            Some(|codes, to| unsafe { avx512::fold(codes, to) })
        }
        // SAFETY: the machine has the tier.
        Tier::Avx512 | Tier::Avx2 => Some(|codes, to| unsafe { avx2::fold(codes, to) }),
        // SAFETY: the machine has the tier.
        Tier::Sse2 => Some(|codes, to| unsafe { sse2::fold(codes, to) }),
        _ => None,
    }
}

/// `fold` over all codes, and `block` for as many as two vectors hold, with the names that the
/// module gives to its instructions.
macro_rules! fold {
    ($features:literal, $short:path) => {
        /// Codes that are lowered at once.
        const BLOCK: usize = size_of::<V>();

        #[inline]
        #[target_feature(enable = $features)]
        fn block(codes: &[u16; BLOCK], to: &mut [MaybeUninit<u16>; BLOCK]) {
            let from = codes.as_ptr().cast::<V>();
            let to = to.as_mut_ptr().cast::<V>();
            // SAFETY: a block has the size of two vectors, on either side.
            unsafe {
                let (low, high) = (load(from), load(from.add(1)));
                let set = rises(pack(low, high));
                store(to, or(low, unpack_low(set, zero())));
                store(to.add(1), or(high, unpack_high(set, zero())));
            }
        }

        /// Writes all codes, lowered.
        #[target_feature(enable = $features)]
        pub(super) fn fold(codes: &[u16], to: &mut [MaybeUninit<u16>]) {
            assert_eq!(codes.len(), to.len());
            if codes.len() < BLOCK {
                $short(codes, to);
                return;
            }
            let (blocks, rest) = codes.as_chunks();
            for (codes, to) in blocks.iter().zip(to.as_chunks_mut().0) {
                block(codes, to);
            }
            if rest.is_empty() {
                return;
            }
            // The last block again overlaps the one before.
            if let (Some(codes), Some(to)) = (codes.last_chunk(), to.last_chunk_mut()) {
                block(codes, to);
            }
        }
    };
}

/// `rises` by compares.
macro_rules! rises_by_compares {
    ($features:literal) => {
        /// The bits to set in each byte. Compares are signed: a range that starts at -128 needs one.
        #[inline]
        #[target_feature(enable = $features)]
        fn rises(bytes: V) -> V {
            let all = |byte: u8| splat(byte as i8);
            let from = |first: u8| add(bytes, all(0x80u8.wrapping_sub(first)));
            let ascii = greater(all(0x80 + 26), from(65));
            let latin = greater(all(0x80 + 31), from(192));
            let latin = and_not(equal(bytes, all(208)), latin);
            let letters = and(or(ascii, latin), all(0x20));
            let ligature = and(equal(bytes, all(140)), all(0x10));
            or(or(letters, ligature), and(equal(bytes, all(159)), all(0x60)))
        }
    };
}

mod sse2 {
    use super::{MaybeUninit, rise};
    use std::arch::x86_64::{
        __m128i as V, _mm_add_epi8 as add, _mm_and_si128 as and, _mm_andnot_si128 as and_not,
        _mm_cmpeq_epi8 as equal, _mm_cmpgt_epi8 as greater, _mm_loadu_si128 as load,
        _mm_or_si128 as or, _mm_packus_epi16 as pack, _mm_set1_epi8 as splat,
        _mm_setzero_si128 as zero, _mm_storeu_si128 as store, _mm_unpackhi_epi8 as unpack_high,
        _mm_unpacklo_epi8 as unpack_low,
    };

    fold!("sse2", halves);

    /// Fewer codes than a block: eight at a time, and again those at the end.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn halves(codes: &[u16], to: &mut [MaybeUninit<u16>]) {
        if let (Some(first), Some(to)) = (codes.first_chunk(), to.first_chunk_mut()) {
            half(first, to);
        }
        if let (Some(last), Some(to)) = (codes.last_chunk(), to.last_chunk_mut()) {
            half(last, to);
            return;
        }
        for (code, to) in codes.iter().zip(to) {
            to.write(code | rise(*code));
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn half(codes: &[u16; BLOCK / 2], to: &mut [MaybeUninit<u16>; BLOCK / 2]) {
        // SAFETY: half a block has the size of a vector, on either side.
        unsafe {
            let low = load(codes.as_ptr().cast());
            let set = rises(pack(low, zero()));
            store(to.as_mut_ptr().cast(), or(low, unpack_low(set, zero())));
        }
    }

    rises_by_compares!("sse2");
}

mod avx2 {
    use super::{MaybeUninit, sse2};
    use std::arch::x86_64::{
        __m256i as V, _mm256_add_epi8 as add, _mm256_and_si256 as and,
        _mm256_andnot_si256 as and_not, _mm256_cmpeq_epi8 as equal, _mm256_cmpgt_epi8 as greater,
        _mm256_loadu_si256 as load, _mm256_or_si256 as or, _mm256_packus_epi16 as pack,
        _mm256_set1_epi8 as splat, _mm256_setzero_si256 as zero, _mm256_storeu_si256 as store,
        _mm256_unpackhi_epi8 as unpack_high, _mm256_unpacklo_epi8 as unpack_low,
    };

    fold!("avx2", sse2::fold);
    rises_by_compares!("avx2");
}

mod avx512 {
    use super::{MaybeUninit, avx2, lower_ue4};
    use std::arch::x86_64::{
        __m512i as V, _mm512_and_si512 as and, _mm512_gf2p8affine_epi64_epi8,
        _mm512_loadu_si512 as load, _mm512_or_si512 as or, _mm512_packus_epi16 as pack,
        _mm512_permutexvar_epi8, _mm512_set1_epi64, _mm512_setzero_si512 as zero,
        _mm512_srli_epi16, _mm512_storeu_si512 as store, _mm512_unpackhi_epi8 as unpack_high,
        _mm512_unpacklo_epi8 as unpack_low,
    };

    fold!("avx512f,avx512bw,avx512vl,avx512vbmi,gfni", avx2::fold);

    // A bit for each way to rise in each quarter.
    const ASCII_BY_32: u8 = 1;
    const C1_BY_16: u8 = 2;
    const C1_BY_96: u8 = 4;
    const LATIN_BY_32: u8 = 8;

    /// The ways of a byte with these low six bits, whatever its quarter.
    static WAYS_OF_LOW_BITS: [u8; 64] = {
        let mut ways = [0; 64];
        let mut low = 0;
        while low < 64 {
            let mut quarter = 0;
            while quarter < 4 {
                let code = (quarter * 64 + low) as u16;
                ways[low] |= match (quarter, lower_ue4(code) ^ code) {
                    (_, 0) => 0,
                    (1, 32) => ASCII_BY_32,
                    (2, 16) => C1_BY_16,
                    (2, 96) => C1_BY_96,
                    (3, 32) => LATIN_BY_32,
                    _ => panic!("a way that has no bit"),
                };
                quarter += 1;
            }
            low += 1;
        }
        ways
    };

    /// The ways that a quarter has, by the high bits of the byte; four more bits follow below.
    static WAYS_OF_QUARTER: [u8; 64] = {
        let mut ways = [0; 64];
        let mut at = 0;
        while at < 64 {
            ways[at] = [0, ASCII_BY_32, C1_BY_16 | C1_BY_96, LATIN_BY_32][at >> 4];
            at += 1;
        }
        ways
    };

    /// Row `i`, which makes bit `i`, is byte `7 - i`.
    const WAYS_TO_BITS: u64 = ((C1_BY_96 as u64) << 8) // 64
        | (((ASCII_BY_32 | LATIN_BY_32 | C1_BY_96) as u64) << 16) // 32
        | ((C1_BY_16 as u64) << 24); // 16

    /// The bits to set in each byte.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
    fn rises(bytes: V) -> V {
        // SAFETY: the tables are as long as a vector.
        let (low, quarter) = unsafe {
            (load(WAYS_OF_LOW_BITS.as_ptr().cast()), load(WAYS_OF_QUARTER.as_ptr().cast()))
        };
        // The permutation reads six bits of each index; the two from the neighbour are above them.
        let quarter = _mm512_permutexvar_epi8(_mm512_srli_epi16::<2>(bytes), quarter);
        let ways = and(_mm512_permutexvar_epi8(bytes, low), quarter);
        _mm512_gf2p8affine_epi64_epi8::<0>(ways, _mm512_set1_epi64(WAYS_TO_BITS as i64))
    }
}
