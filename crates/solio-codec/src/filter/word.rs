//! Unsigned integers of one to eight bytes, as filters see values: by their bits.

use bytemuck::Pod;

/// An unsigned integer that wraps around.
pub(super) trait Word: Pod + Ord {
    const ZERO: Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// 0, −1, 1, −2, … become 0, 1, 2, 3, …
    fn zigzag(self) -> Self;
    fn unzigzag(self) -> Self;
    /// Bits of a floating point number to an integer that rises with it.
    fn monotone(self) -> Self;
    fn unmonotone(self) -> Self;
}

macro_rules! word {
    ($($unsigned:ty, $signed:ty;)*) => { $(
        impl Word for $unsigned {
            const ZERO: $unsigned = 0;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn zigzag(self) -> Self {
                (self << 1) ^ ((self as $signed >> (<$unsigned>::BITS - 1)) as $unsigned)
            }
            #[inline(always)]
            fn unzigzag(self) -> Self {
                (self >> 1) ^ (self & 1).wrapping_neg()
            }
            #[inline(always)]
            fn monotone(self) -> Self {
                let negative = (self as $signed >> (<$unsigned>::BITS - 1)) as $unsigned;
                self ^ (negative | 1 << (<$unsigned>::BITS - 1))
            }
            #[inline(always)]
            fn unmonotone(self) -> Self {
                let positive = (self as $signed >> (<$unsigned>::BITS - 1)) as $unsigned;
                self ^ (!positive | 1 << (<$unsigned>::BITS - 1))
            }
        }
    )* };
}

word! { u8, i8; u16, i16; u32, i32; u64, i64; }
