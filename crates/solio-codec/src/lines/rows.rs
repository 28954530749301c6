//! Lines of floats of any plain form, `v 0.439019 -12 .5`, where no wider kernel takes them.
//!
//! Why it is fast: what the 64 bytes of a line are is found as bits; where its numbers begin, end and
//! have their point follows from a few operations on all bits at once, and no branch hangs on their
//! lengths. The numbers of many lines are noted, then made four at a time (`number/shapes.rs`). Lines
//! do not wait for one another longer than until the line end of the one before is found.
//!
//! A number of another form, such as `1e-3`, is noted as one without shape: [`parse`] makes it.

#[cfg(target_arch = "x86_64")]
use super::known::{KnownLines, RowNumbers};
use super::{CellType, PAD};
use crate::number::parse::f32_prefix;
use crate::number::shapes::LENGTH;

/// Numbers that are found before they are made, at most.
pub(super) const ENOUGH: usize = 384;
/// Entries of the lists: some behind the numbers are written and not used.
const ROOM: usize = ENOUGH + 8;
/// Bits of 64 bytes of text.
pub(super) struct LineBits {
    pub(super) digits: u64,
    pub(super) points: u64,
    pub(super) minuses: u64,
    /// Spaces and tabs.
    pub(super) blanks: u64,
    pub(super) newlines: u64,
}

/// Numbers that were found.
pub(super) struct FoundNumbers {
    /// Where their digits begin in the text.
    pub(super) starts: [u32; ROOM],
    /// Length, and distance of the point from the end in the lower four bits; 0 for none.
    pub(super) shapes: [u32; ROOM],
    #[cfg(target_arch = "x86_64")]
    pub(super) known: KnownLines<RowNumbers, 1, 128>,
    /// Lines to be found before the next one is looked for among those that are known.
    #[cfg(target_arch = "x86_64")]
    pub(super) unknown: usize,
}

impl Default for FoundNumbers {
    fn default() -> Self {
        FoundNumbers {
            starts: [0; ROOM],
            shapes: [0; ROOM],
            #[cfg(target_arch = "x86_64")]
            known: KnownLines::default(),
            #[cfg(target_arch = "x86_64")]
            unknown: 1,
        }
    }
}

/// The form of lines: so many numbers behind a key.
#[derive(Clone, Copy)]
pub(super) struct RowForm<'k> {
    pub(super) key: &'k [u8],
    pub(super) numbers: usize,
}

impl RowForm<'_> {
    /// Whether lines of the form can be found.
    pub(super) fn fits(self) -> bool {
        self.key.len() <= 4 && (1..=ENOUGH).contains(&self.numbers)
    }

    /// The key as the first four bytes of a line, and which of their bits count.
    #[inline(always)]
    pub(super) fn head(self) -> (u32, u32) {
        let mut word = [0; 4];
        word[..self.key.len()].copy_from_slice(self.key);
        (u32::from_le_bytes(word), ((1u64 << (8 * self.key.len())) - 1) as u32)
    }
}

/// Shapes above are of numbers that are too long.
pub(super) const MOST_SHAPE: u32 = (LENGTH << 4 | 15) as u32;

impl FoundNumbers {
    /// Notes the numbers of lines from `at` on, behind those of `lines` lines, up to `most` lines and as
    /// many as there is room for. Returns the lines, and where the next one starts. `bits` is what the
    /// machine does best.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        form: RowForm<'_>,
        (mut lines, most): (usize, usize),
        bits: impl Fn(&[u8; 64]) -> LineBits,
    ) -> (usize, usize) {
        let RowForm { key, numbers } = form;
        let (word, mask) = form.head();
        let most = most.min(ENOUGH / numbers);
        assert!(end + PAD <= text.len(), "padding after the text");
        'lines: while lines < most && at < end {
            // SAFETY: `at < end`, behind which there are 64 bytes, as was checked.
            let head = unsafe { text.as_ptr().add(at).cast::<u32>().read_unaligned() };
            if u32::from_le(head) & mask != word {
                break;
            }
            let (mut from, mut count) = (at + key.len(), lines * numbers);
            let mut left = numbers;
            loop {
                if from > end {
                    break 'lines;
                }
                // SAFETY: 64 bytes follow `end`.
                let block: &[u8; 64] = unsafe { &*text.as_ptr().add(from).cast() };
                let LineBits { digits, points, minuses, blanks, newlines } = bits(block);
                let length = newlines.trailing_zeros() as usize;
                let mut line = newlines.wrapping_sub(1) & !newlines;
                if block[length.wrapping_sub(1) & 63] == b'\r' {
                    line >>= 1;
                }
                let words = line & !blanks;
                let begins = words & !(words << 1);
                let mut ends = words << 1 & !words;
                let signs = begins & minuses;
                let mut starts = begins.wrapping_add(signs);
                let digits = digits & line;
                // A bit added at the start of digits is carried to the first place that is none: the
                // point, or the end.
                let mut found = digits.wrapping_add(starts) & !digits;
                let mut odd = line & !(digits | points & found | signs | blanks);
                let here = ends.count_ones() as usize;
                let is_whole = newlines != 0;
                let mut step = 0;
                if !is_whole {
                    // The last word may go on: the next look starts behind the one before it.
                    if here == 0 || here > left {
                        break 'lines;
                    }
                    step = 63 - ends.leading_zeros() as usize;
                    odd &= (1 << step) - 1;
                } else if here != left {
                    break 'lines;
                }
                let mut note = |i: usize, odd: u64| {
                    let [start, point, end] = [starts, found, ends].map(u64::trailing_zeros);
                    let shape = end.wrapping_sub(start) << 4 | end.wrapping_sub(point);
                    // What is odd behind the end of this number is that of another.
                    let is_odd = odd & ((1 << end) - 1) != 0;
                    // SAFETY: as many numbers as are noted have room.
                    unsafe {
                        *self.starts.get_unchecked_mut(count + i) = from as u32 + start;
                        *self.shapes.get_unchecked_mut(count + i) = if is_odd { 0 } else { shape };
                    }
                    starts &= starts.wrapping_sub(1);
                    found &= found.wrapping_sub(1);
                    ends &= ends.wrapping_sub(1);
                    odd & !((1 << end) - 1)
                };
                if odd != 0 {
                    (0..here).fold(odd, |odd, i| note(i, odd));
                } else if here == numbers {
                    (0..numbers).fold(0, |odd, i| note(i, odd));
                } else {
                    (0..here).fold(0, |odd, i| note(i, odd));
                }
                if !is_whole {
                    (from, count, left) = (from + step, count + here, left - here);
                    continue;
                }
                let next = from + length + 1;
                if next > end {
                    break 'lines;
                }
                at = next;
                break;
            }
            lines += 1;
        }
        (lines, at)
    }

    /// Number `n`, which is not sure, from its text; `None` where that is more than a number, or none.
    #[cold]
    pub(super) fn odd_number(&self, text: &[u8], n: usize) -> Option<f32> {
        let start = self.starts[n] as usize;
        let start = start - usize::from(text[start - 1] == b'-');
        let (value, bytes) = f32_prefix(&text[start..])?;
        let rest = &text[start + bytes..];
        matches!(rest, [b' ' | b'\t' | b'\n', ..] | [b'\r', b'\n', ..]).then_some(value)
    }

    /// How many of the first `lines` lines have digits alone where a cell is a byte.
    pub(super) fn lines_with_bytes(&self, text: &[u8], cells: &[CellType], lines: usize) -> usize {
        let is_byte = |n: usize| {
            let (start, shape) = (self.starts[n] as usize, self.shapes[n]);
            (1 << 4..4 << 4).contains(&shape) && shape & 15 == 0 && text[start - 1] != b'-'
        };
        let bytes = |i: &usize| cells[*i] == CellType::Byte;
        let is_right =
            |line: &usize| (0..cells.len()).filter(bytes).all(|i| is_byte(line * cells.len() + i));
        (0..lines).take_while(is_right).count()
    }

    /// Where line `line` starts, the first one being at `first`.
    pub(super) fn line_start(
        &self,
        text: &[u8],
        first: usize,
        form: RowForm<'_>,
        line: usize,
    ) -> usize {
        let number = self.starts[line * form.numbers] as usize;
        memchr::memrchr(b'\n', &text[first..number]).map_or(first, |end| first + end + 1)
    }
}
