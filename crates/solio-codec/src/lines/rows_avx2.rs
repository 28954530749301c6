//! What lines consist of and what their numbers are, by AVX2. See `rows.rs`.

use super::PAD;
use super::known::{BLOCK, MOST, RowNumbers};
use super::known_avx2::LineMarks;
use super::rows::{ENOUGH, FoundNumbers, LineBits, MOST_SHAPE, RowForm};
use crate::number::shapes::{ALL_SHAPES, NumberShape};
use crate::number::shapes_avx2::{four, opaque};
use std::arch::x86_64::*;

impl FoundNumbers {
    /// [`FoundNumbers::find`].
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find_avx2(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        form: RowForm<'_>,
        most: usize,
    ) -> (usize, usize) {
        let most = most.min(ENOUGH / form.numbers);
        let (mut lines, mut at) = (0, at);
        while lines < most && at < end {
            let before = lines;
            (lines, at) = self.find_known(text, at, end, form, (lines, most));
            // Where few lines are known, not each is looked for.
            let some = self.unknown;
            self.unknown = if lines == before { (2 * some).min(64) } else { (some / 2).max(1) };
            let (first, from) = (lines, at);
            (lines, at) = self.find_any(text, at, end, form, (lines, most.min(lines + some)));
            if lines == first {
                break;
            }
            self.learn(text, from + form.key.len(), form.numbers, first);
        }
        (lines, at)
    }

    /// [`FoundNumbers::find`] as far as lines are known.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_known(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        form: RowForm<'_>,
        (mut lines, most): (usize, usize),
    ) -> (usize, usize) {
        let (word, mask) = form.head();
        assert!(end + PAD <= text.len() && most * form.numbers <= ENOUGH, "padding, and room");
        let mut count = lines * form.numbers;
        while lines < most && at < end {
            // SAFETY: `at < end`, behind which there are 64 bytes, as was checked.
            let head = unsafe { text.as_ptr().add(at).cast::<u32>().read_unaligned() };
            let from = at + form.key.len();
            if head & mask != word || from > end {
                break;
            }
            // SAFETY: 64 bytes follow `end`.
            let block = unsafe { &*text.as_ptr().add(from).cast::<[[u8; BLOCK]; 1]>() };
            let line = LineMarks::new(block);
            let known = self.known.entry(&line.places);
            let next = from + line.length;
            if !line.is(known) || known.numbers.count as usize != form.numbers || next > end {
                break;
            }
            // SAFETY: eight bytes are eight; up to `most` lines have room, and eight numbers more.
            unsafe {
                let eight = |bytes: &[u8; MOST]| {
                    _mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes.as_ptr().cast()))
                };
                let starts =
                    _mm256_add_epi32(eight(&known.numbers.starts), _mm256_set1_epi32(from as i32));
                _mm256_storeu_si256(self.starts.as_mut_ptr().add(count).cast(), starts);
                let shapes = eight(&known.numbers.shapes);
                _mm256_storeu_si256(self.shapes.as_mut_ptr().add(count).cast(), shapes);
            }
            count += form.numbers;
            lines += 1;
            at = next;
        }
        (lines, at)
    }

    /// [`FoundNumbers::find`] for any lines.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_any(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        RowForm { key, numbers }: RowForm<'_>,
        lines: (usize, usize),
    ) -> (usize, usize) {
        // Loops of a known length need no branch, so each has its own copy.
        match numbers {
            2 => self.find(text, at, end, RowForm { key, numbers: 2 }, lines, |b| line_bits(b)),
            3 => self.find(text, at, end, RowForm { key, numbers: 3 }, lines, |b| line_bits(b)),
            _ => self.find(text, at, end, RowForm { key, numbers }, lines, |b| line_bits(b)),
        }
    }

    /// Makes line `line` known, if it can be, whose numbers were found from `from` on.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn learn(&mut self, text: &[u8], from: usize, count: usize, line: usize) {
        let mut numbers = RowNumbers { count: count as u32, ..RowNumbers::default() };
        if count > MOST {
            return;
        }
        for i in 0..count {
            let (start, shape) = (self.starts[line * count + i], self.shapes[line * count + i]);
            let start = start - from as u32;
            if !(1..=MOST_SHAPE).contains(&shape) || start as usize >= BLOCK {
                return;
            }
            (numbers.starts[i], numbers.shapes[i]) = (start as u8, shape as u8);
        }
        let Some(block) = text[from..].first_chunk() else { return };
        let line = LineMarks::new(&[*block]);
        if line.is_whole() {
            self.known.learn(line.known(numbers));
        }
    }

    /// Makes the first `count` numbers; returns how many are right.
    ///
    /// # Safety
    /// They were found in `text`, not at its start; `out` has room for four more.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn make_avx2(&mut self, text: &[u8], count: usize, out: *mut f32) -> usize {
        const { assert!(size_of::<NumberShape>() == 32) };
        let Some(last) = count.checked_sub(1) else { return 0 };
        // The last group is filled up with what is read and not kept.
        let (start, shape) = (self.starts[last], self.shapes[last]);
        self.starts[count..count + 4].fill(start);
        self.shapes[count..count + 4].fill(shape);
        for eight in self.shapes[..count.next_multiple_of(8)].as_chunks_mut::<8>().0 {
            // SAFETY: eight are eight, and need no alignment.
            unsafe {
                let shapes = _mm256_loadu_si256(eight.as_ptr().cast());
                let most = _mm256_min_epu32(shapes, _mm256_set1_epi32(MOST_SHAPE as i32));
                let kept = _mm256_and_si256(shapes, _mm256_cmpeq_epi32(most, shapes));
                _mm256_storeu_si256(eight.as_mut_ptr().cast(), _mm256_slli_epi32::<5>(kept));
            }
        }
        for at in (0..count).step_by(4) {
            let text_of = |n: usize| -> &[u8; 16] {
                // SAFETY: as promised; where the text ends, more than 16 bytes follow.
                unsafe {
                    let start = *self.starts.get_unchecked(at + n) as usize;
                    debug_assert!(start > 0 && start + 15 <= text.len());
                    &*text.as_ptr().add(start - 1).cast()
                }
            };
            let shape = |n: usize| -> &NumberShape {
                // SAFETY: shapes up to the largest are entries of the table, of 32 bytes each.
                unsafe {
                    let bytes = *self.shapes.get_unchecked(at + n) as usize;
                    debug_assert!(bytes < size_of_val(&ALL_SHAPES));
                    &*ALL_SHAPES.as_ptr().byte_add(bytes)
                }
            };
            let (bits, not_sure) =
                four::<f32>(std::array::from_fn(text_of), std::array::from_fn(shape));
            // SAFETY: `at < count`, and there is room for four more.
            unsafe { _mm_storeu_si128(out.add(at).cast(), bits) };
            if not_sure != 0 {
                for n in (at..count.min(at + 4)).filter(|n| not_sure >> (n - at) & 1 != 0) {
                    let Some(value) = self.odd_number(text, n) else { return n };
                    // SAFETY: `n < count`.
                    unsafe { *out.add(n) = value };
                }
            }
        }
        count
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn line_bits(block: &[u8; 64]) -> LineBits {
    // SAFETY: 32 bytes are there, and the loads need no alignment.
    let halves = unsafe {
        let from = block.as_ptr().cast::<__m256i>();
        [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))]
    };
    let mask = |is: [__m256i; 2]| {
        let [low, high] = is.map(|half| u64::from(_mm256_movemask_epi8(half) as u32));
        opaque(low | high << 32)
    };
    let is =
        |byte: u8| mask(halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8))));
    let is_digit = |half: __m256i| {
        let values = _mm256_sub_epi8(half, _mm256_set1_epi8(b'0' as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values)
    };
    // A blank stands at the place of its lower four bits; nothing else there is equal to itself.
    let table = _mm256_setr_epi8(
        32, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,
        0, 0,
    );
    let is_blank = |half: __m256i| _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
    LineBits {
        digits: mask(halves.map(is_digit)),
        points: is(b'.'),
        minuses: is(b'-'),
        blanks: mask(halves.map(is_blank)),
        newlines: is(b'\n'),
    }
}
