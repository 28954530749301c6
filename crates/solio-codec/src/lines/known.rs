//! Lines that look like lines before: where their numbers are is known.
//!
//! The bytes of a line that are not digits say nearly all of it. Their positions select an entry of a small
//! table, which holds these bytes, to compare them, and what was found of the numbers.

/// Bytes of a line that are looked at together.
pub(super) const BLOCK: usize = 64;
/// Numbers of a line, at most.
pub(super) const MOST: usize = 8;
/// A line that was seen, of at most `BLOCKS` times [`BLOCK`] bytes with its end.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct KnownLine<N, const BLOCKS: usize> {
    /// The bytes that are not digits, at their positions; 255 for digits.
    pub(super) marks: [[u8; BLOCK]; BLOCKS],
    /// A bit for each of those.
    pub(super) places: [u64; BLOCKS],
    /// What its numbers are.
    pub(super) numbers: N,
}

/// Lines that were seen. With what else is used a table should fit the first-level cache.
pub(super) struct KnownLines<N, const BLOCKS: usize, const ENTRIES: usize>(
    [KnownLine<N, BLOCKS>; ENTRIES],
);

impl<N: Copy + Default, const BLOCKS: usize, const ENTRIES: usize> Default
    for KnownLines<N, BLOCKS, ENTRIES>
{
    fn default() -> Self {
        // Matches no line: a digit is never a mark.
        let (marks, places) = ([[b'0'; BLOCK]; BLOCKS], [1; BLOCKS]);
        KnownLines([KnownLine { marks, places, numbers: N::default() }; ENTRIES])
    }
}

impl<N, const BLOCKS: usize, const ENTRIES: usize> KnownLines<N, BLOCKS, ENTRIES> {
    /// The entry for a line whose non-digits have these positions; the caller compares the bytes.
    #[inline(always)]
    pub(super) fn entry(&self, places: &[u64; BLOCKS]) -> &KnownLine<N, BLOCKS> {
        &self.0[Self::place(places)]
    }

    #[inline(always)]
    fn place(places: &[u64; BLOCKS]) -> usize {
        let mixed = |all: u64, &places: &u64| (all ^ places).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (places.iter().fold(0, mixed) >> (64 - ENTRIES.ilog2())) as usize
    }

    /// Makes a line known.
    #[inline(always)]
    pub(super) fn learn(&mut self, line: KnownLine<N, BLOCKS>) {
        let place = Self::place(&line.places);
        self.0[place] = line;
    }
}

/// The numbers of a row, as those of [`FoundNumbers`](super::rows::FoundNumbers).
#[derive(Clone, Copy, Default)]
pub(super) struct RowNumbers {
    pub(super) starts: [u8; MOST],
    pub(super) shapes: [u8; MOST],
    pub(super) count: u32,
}
