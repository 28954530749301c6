//! The bytes, or the bits, of values apart: those of one weight side by side.

use crate::planes::{BytePlanes, join_halves, join_words, split_halves, split_words};
use crate::wide::{Wide, wide};
use crate::word::Word;

/// All first bytes of `from`, all second ones, …; values have `bytes` bytes.
pub(super) fn split(bytes: usize, from: &[u8], to: &mut [u8]) {
    let count = from.len() / bytes;
    match bytes {
        1 => to.copy_from_slice(from),
        2 => {
            let (low, high) = to.split_at_mut(count);
            split_halves(from.as_chunks().0, false, [low, high]);
        }
        4 => {
            let (ab, cd) = to.split_at_mut(2 * count);
            let ((a, b), (c, d)) = (ab.split_at_mut(count), cd.split_at_mut(count));
            split_words(from.as_chunks().0, false, [a, b, c, d]);
        }
        _ => wide(SplitAny { bytes, from, to }),
    }
}

/// Undoes [`split`].
pub(super) fn join(bytes: usize, from: &[u8], to: &mut [u8]) {
    let count = from.len() / bytes;
    match bytes {
        1 => to.copy_from_slice(from),
        2 => {
            let planes: BytePlanes<2> = std::array::from_fn(|i| &from[i * count..][..count]);
            join_halves(planes, false, to.as_chunks_mut().0);
        }
        4 => {
            let planes: BytePlanes<4> = std::array::from_fn(|i| &from[i * count..][..count]);
            join_words(planes, false, to.as_chunks_mut().0);
        }
        _ => wide(JoinAny { bytes, from, to }),
    }
}

struct SplitAny<'a> {
    bytes: usize,
    from: &'a [u8],
    to: &'a mut [u8],
}

impl Wide for SplitAny<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let count = self.from.len() / self.bytes;
        for (plane, to) in self.to.chunks_exact_mut(count.max(1)).enumerate() {
            let bytes = self.from.iter().skip(plane).step_by(self.bytes);
            to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        }
    }
}

struct JoinAny<'a> {
    bytes: usize,
    from: &'a [u8],
    to: &'a mut [u8],
}

impl Wide for JoinAny<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let count = self.from.len() / self.bytes;
        for (plane, from) in self.from.chunks_exact(count.max(1)).enumerate() {
            let bytes = self.to.iter_mut().skip(plane).step_by(self.bytes);
            bytes.zip(from).for_each(|(to, byte)| *to = *byte);
        }
    }
}

/// All lowest bits of `from`, eight to a byte, all next ones, …. Up to seven values at the end that
/// fill no byte stay as they are.
pub(super) fn shuffle_bits<T: Word>(from: &[T], to: &mut [u8]) {
    wide(Shuffle { from, to });
}

/// Undoes [`shuffle_bits`].
pub(super) fn unshuffle_bits<T: Word>(from: &[u8], to: &mut [T]) {
    wide(Unshuffle { from, to });
}

struct Shuffle<'a, T> {
    from: &'a [T],
    to: &'a mut [u8],
}

impl<T: Word> Wide for Shuffle<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (groups, rest) = self.from.as_chunks::<8>();
        let (planes, end) = self.to.split_at_mut(size_of_val(groups));
        end.copy_from_slice(bytemuck::cast_slice(rest));
        for (at, group) in groups.iter().enumerate() {
            let bytes: &[u8] = bytemuck::cast_slice(group);
            for weight in 0..size_of::<T>() {
                let eight = std::array::from_fn(|i| bytes[i * size_of::<T>() + weight]);
                let turned = transposed(u64::from_le_bytes(eight)).to_le_bytes();
                for (bit, byte) in turned.into_iter().enumerate() {
                    planes[(weight * 8 + bit) * groups.len() + at] = byte;
                }
            }
        }
    }
}

struct Unshuffle<'a, T> {
    from: &'a [u8],
    to: &'a mut [T],
}

impl<T: Word> Wide for Unshuffle<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (groups, rest) = self.to.as_chunks_mut::<8>();
        let (planes, end) = self.from.split_at(size_of_val(groups));
        bytemuck::cast_slice_mut(rest).copy_from_slice(end);
        let count = groups.len();
        for (at, group) in groups.iter_mut().enumerate() {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(group);
            for weight in 0..size_of::<T>() {
                let eight = std::array::from_fn(|bit| planes[(weight * 8 + bit) * count + at]);
                let turned = transposed(u64::from_le_bytes(eight)).to_le_bytes();
                for (i, byte) in turned.into_iter().enumerate() {
                    bytes[i * size_of::<T>() + weight] = byte;
                }
            }
        }
    }
}

/// Eight by eight bits with rows and columns exchanged (Hacker's Delight, 7–3); its own inverse.
#[inline(always)]
fn transposed(bits: u64) -> u64 {
    let swap = |bits: u64, by: u32, mask: u64| {
        let differ = (bits ^ (bits >> by)) & mask;
        bits ^ differ ^ (differ << by)
    };
    let bits = swap(bits, 7, 0x00aa_00aa_00aa_00aa);
    let bits = swap(bits, 14, 0x0000_cccc_0000_cccc);
    swap(bits, 28, 0x0000_0000_f0f0_f0f0)
}
