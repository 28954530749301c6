//! Whole numbers of 8 to 64 bits, which the bits of samples are.

/// The bits of a sample.
pub(crate) trait Word:
    bytemuck::Pod + Ord + Default + std::fmt::Debug + Send + Sync
{
    /// Bytes of it.
    const BYTES: usize;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Small for differences near zero of either sign: 0, −1, 1, −2 … become 0, 1, 2, 3 …
    fn zigzag(self) -> Self;
    /// The inverse of [`Word::zigzag`].
    fn unzigzag(self) -> Self;
    /// The bits of floats in their order, as whole numbers with a sign; its own inverse.
    fn ordered(self) -> Self;
    /// The bits of floats in their order, as whole numbers without a sign.
    fn monotone(self) -> Self;
    /// The inverse of [`Word::monotone`].
    fn unmonotone(self) -> Self;
    /// Half the sum, rounded down, both taken with a sign.
    fn mean(self, other: Self) -> Self;
    /// Smaller than another, both taken with a sign.
    fn is_less(self, other: Self) -> bool;
    fn to_u64(self) -> u64;
    /// The lowest bits.
    fn of_u64(bits: u64) -> Self;
    /// The sample that `bytes` begins with, lowest byte first.
    fn of_bytes(bytes: &[u8]) -> Self;
    /// Puts the sample where `bytes` begins.
    fn put(self, bytes: &mut [u8]);
}

macro_rules! word {
    ($($word:ty, $signed:ty;)*) => {$(
        impl Word for $word {
            const BYTES: usize = size_of::<$word>();
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn zigzag(self) -> Self {
                self << 1 ^ (self as $signed >> (<$word>::BITS - 1)) as $word
            }
            #[inline(always)]
            fn unzigzag(self) -> Self {
                self >> 1 ^ (self & 1).wrapping_neg()
            }
            #[inline(always)]
            fn ordered(self) -> Self {
                self ^ (self as $signed >> (<$word>::BITS - 1)) as $word >> 1
            }
            #[inline(always)]
            fn monotone(self) -> Self {
                self.ordered() ^ 1 << (<$word>::BITS - 1)
            }
            #[inline(always)]
            fn unmonotone(self) -> Self {
                (self ^ 1 << (<$word>::BITS - 1)).ordered()
            }
            #[inline(always)]
            fn mean(self, other: Self) -> Self {
                // Bits that both have count whole, the others half (no overflow).
                let half = ((self ^ other) as $signed >> 1) as $word;
                (self & other).wrapping_add(half)
            }
            #[inline(always)]
            fn is_less(self, other: Self) -> bool {
                (self as $signed) < other as $signed
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn of_u64(bits: u64) -> Self {
                bits as $word
            }
            #[inline(always)]
            fn of_bytes(bytes: &[u8]) -> Self {
                <$word>::from_le_bytes(*bytes.first_chunk().expect("a whole sample"))
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8]) {
                *bytes.first_chunk_mut().expect("room for a sample") = self.to_le_bytes();
            }
        }
    )*};
}

word! {
    u8, i8;
    u16, i16;
    u32, i32;
    u64, i64;
}
