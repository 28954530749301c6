//! Many numbers between blanks by AVX2, four at a time.
//!
//! - Where numbers begin, end and have their point is found for 64 bytes at once and noted for many
//!   blocks: no number waits for the length of the one before, and no branch hangs on lengths.
//! - Length and place of the point are the shape of a number, from which `shapes.rs` makes it. What is
//!   not sure, and whatever has another shape, is left to `parse.rs`.

use super::run::{RunNumber, ends_number, one};
use super::shapes::{ALL_SHAPES, LENGTH, NumberShape, SHAPES};
use super::shapes_avx2::{four, opaque};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Bytes looked at together, and what may be loaded behind them.
const BLOCK: usize = 64;
const BEHIND: usize = 16;
/// Numbers that are found before they are made, at least, if there are so many.
const ENOUGH: usize = 256;
/// Room for them: a block has up to 33 more, and some places are written and not used.
const FOUND: usize = ENOUGH + 64;
/// Numbers that were found only now, when they are made.
const FEW: usize = 32;
/// Memory for something of each number. It stands for itself: as part of what is initialized it
/// would be filled with zeros.
type PlaceMemory = [MaybeUninit<u32>; FOUND];

/// Places of numbers in the text; the first ones are written.
struct TextPlaces<'m> {
    all: &'m mut PlaceMemory,
    count: usize,
}

impl TextPlaces<'_> {
    /// Place `n`, which is written.
    #[inline(always)]
    fn get(&self, n: usize) -> usize {
        // SAFETY: all below `count` are, and up to it when they are made; callers keep to that.
        unsafe { self.all[n].assume_init() as usize }
    }

    /// Writes the place of the lowest of `bits`, `n` places behind the last one, and takes the bit
    /// away.
    #[inline(always)]
    fn note(&mut self, n: usize, block: usize, bits: &mut u64) {
        // SAFETY: up to ENOUGH are found before, a block has up to 33 places of a kind (one is of a
        // number that began before), and FOUND is more than both together.
        unsafe { self.all.get_unchecked_mut(self.count + n) }
            .write((block as u32).wrapping_add(bits.trailing_zeros()));
        *bits &= bits.wrapping_sub(1);
    }

    /// Forgets all but what stands behind the first `made`.
    fn forget(&mut self, made: usize) {
        // Up to seven that are found, and one that goes on.
        self.all.copy_within(made..made + 8, 0);
        self.count -= made;
    }
}

/// Reads a run.
struct RunReader<'r, N> {
    text: &'r [u8],
    out: &'r mut Vec<N>,
    /// Numbers that are found and not yet made: where their digits begin, where they have their
    /// point, or end, and where they end. One more may have begun.
    starts: TextPlaces<'r>,
    points: TextPlaces<'r>,
    ends: TextPlaces<'r>,
    /// The shapes of those that are being made: where they are in the table, in bytes.
    shapes: &'r mut PlaceMemory,
    /// Where the last number that was made ends.
    end: usize,
}

/// Where the run of numbers at `at` ends, and whether the whole run does.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<N: RunNumber>(text: &[u8], at: usize, out: &mut Vec<N>) -> (usize, bool) {
    // Places are kept in 32 bits.
    let text = &text[..text.len().min(u32::MAX as usize)];
    let mut memory = [[MaybeUninit::uninit(); FOUND]; 4];
    let [starts, points, ends, shapes] = &mut memory;
    let [starts, points, ends] = [starts, points, ends].map(|all| TextPlaces { all, count: 0 });
    let mut reader = RunReader { text, out, starts, points, ends, shapes, end: at };
    let ended = reader.blocks(at);
    (reader.end, ended)
}

impl<N: RunNumber> RunReader<'_, N> {
    /// Reads all that is far enough from the end of the text; says whether the run ends there.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn blocks(&mut self, mut block: usize) -> bool {
        // Before a number there is a byte.
        if block == 0 {
            if !self.one_by_one(0, 0) {
                return true;
            }
            block = self.end;
        }
        let mut open = OpenNumber::default();
        while block + BLOCK + BEHIND <= self.text.len() {
            let before = open;
            let BlockMarks { stop, starts, points, ends, is_odd } =
                marks(&self.text[block..], &mut open);
            if is_odd {
                // A sign or a second point within a number.
                let from = match before {
                    OpenNumber { number: 1, .. } => self.start(self.ends.count),
                    OpenNumber { minus, .. } => block - minus as usize,
                };
                if !self.make_all() || !self.one_by_one(from, block + BLOCK - 1) {
                    return true;
                }
                (block, open) = (self.end, OpenNumber::default());
                continue;
            }
            self.note(block, starts, points, ends);
            if stop == 0 {
                if self.ends.count >= ENOUGH && !self.make() {
                    return true;
                }
                block += BLOCK;
                continue;
            }
            let mut odd = block + stop.trailing_zeros() as usize;
            let ends_here = ends_number(self.text[odd]);
            let last = self.ends.count.wrapping_sub(1);
            if !ends_here && self.ends.count > 0 && self.ends.get(last) == odd {
                // What was found is only the beginning of the number.
                odd = self.start(last);
                self.ends.count = last;
            }
            if !self.make_all() || ends_here || !self.one_by_one(odd, odd) {
                return true;
            }
            (block, open) = (self.end, OpenNumber::default());
        }
        !self.make_all()
    }

    /// Notes the numbers of a block.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn note(&mut self, block: usize, mut starts: u64, mut points: u64, mut ends: u64) {
        let counts = [starts, points, ends].map(|bits| bits.count_ones() as usize);
        let mut note = |n: usize| {
            self.starts.note(n, block, &mut starts);
            self.points.note(n, block, &mut points);
            self.ends.note(n, block, &mut ends);
        };
        // More than there are cost less than a branch that hangs on their number.
        (0..8).for_each(&mut note);
        let most = counts[0].max(counts[1]).max(counts[2]);
        if most > 8 {
            (8..16).for_each(&mut note);
            if most > 16 {
                (16..33).for_each(&mut note);
            }
        }
        self.starts.count += counts[0];
        self.points.count += counts[1];
        self.ends.count += counts[2];
    }

    /// Where a number begins that was found, with its sign.
    #[cold]
    fn start(&self, n: usize) -> usize {
        let start = self.starts.get(n);
        start - usize::from(self.text[start - 1] == b'-')
    }

    /// Reads numbers in the plain way from `at` until one ends behind `last`; says whether the run
    /// goes on.
    #[cold]
    fn one_by_one(&mut self, mut at: usize, last: usize) -> bool {
        while at <= last {
            let Some((value, end)) = one(self.text, at) else { return false };
            self.out.push(value);
            (self.end, at) = (end, end);
        }
        true
    }

    /// Makes numbers of those that are found, in eights; says whether the run goes on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make(&mut self) -> bool {
        let whole = self.ends.count / 8 * 8;
        let goes_on = self.make_first(whole);
        self.starts.forget(whole);
        self.points.forget(whole);
        self.ends.forget(whole);
        goes_on
    }

    /// [`Self::make`] for all; one that goes on is forgotten.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make_all(&mut self) -> bool {
        let count = self.ends.count;
        let Some(last) = count.checked_sub(1) else {
            (self.starts.count, self.points.count) = (0, 0);
            return true;
        };
        for places in [&mut self.starts, &mut self.points, &mut self.ends] {
            // The last group is filled up with what is read and not kept.
            let filling = places.all[last];
            places.all[count..count + 8].copy_from_slice(&[filling; 8]);
            places.count = 0;
        }
        self.make_first(count)
    }

    /// Makes the first `count` numbers.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make_first(&mut self, count: usize) -> bool {
        const { assert!(size_of::<N>() == 4) };
        self.out.reserve(FOUND);
        let kept = self.out.len();
        self.find_shapes(count);
        for at in (0..count).step_by(4) {
            let (bits, not_sure) = self.four(at);
            // SAFETY: room for all that may be found is reserved; both types have four bytes.
            unsafe {
                let to = self.out.as_mut_ptr().add(kept + at);
                _mm_storeu_si128(to.cast(), bits);
            }
            if not_sure != 0 {
                for n in (at..count.min(at + 4)).filter(|n| not_sure >> (n - at) & 1 != 0) {
                    let value = match one(self.text, self.start(n)) {
                        Some((value, _)) => value,
                        None => {
                            // SAFETY: those before it are written.
                            unsafe { self.out.set_len(kept + n) };
                            self.end = n.checked_sub(1).map_or(self.end, |n| self.ends.get(n));
                            return false;
                        }
                    };
                    // SAFETY: as above.
                    unsafe { self.out.as_mut_ptr().add(kept + n).write(value) };
                }
            }
        }
        // SAFETY: so many are written.
        unsafe { self.out.set_len(kept + count) };
        self.end = count.checked_sub(1).map_or(self.end, |n| self.ends.get(n));
        true
    }

    /// Finds the shapes of the first `count` numbers.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_shapes(&mut self, count: usize) {
        // A load of several places waits until they are in the cache; one does not.
        if count <= FEW {
            for n in 0..count.next_multiple_of(4) {
                let end = self.ends.get(n);
                let (length, point) = (end - self.starts.get(n), end - self.points.get(n));
                let shape = if length <= LENGTH { length << 4 | point } else { 0 };
                self.shapes[n].write((shape << 5) as u32);
            }
            return;
        }
        for at in (0..count).step_by(8) {
            let load = |places: &TextPlaces| {
                let eight = &places.all[at..at + 8];
                // SAFETY: whole eights are found, or filled up; the load needs no alignment.
                unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) }
            };
            let (starts, ends) = (load(&self.starts), load(&self.ends));
            let length = _mm256_sub_epi32(ends, starts);
            let point = _mm256_sub_epi32(ends, load(&self.points));
            let most = _mm256_min_epu32(length, _mm256_set1_epi32(LENGTH as i32));
            let is_short = _mm256_cmpeq_epi32(most, length);
            let shape = _mm256_or_si256(_mm256_slli_epi32::<4>(length), point);
            let shape = _mm256_slli_epi32::<5>(_mm256_and_si256(shape, is_short));
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(self.shapes[at..at + 8].as_mut_ptr().cast(), shape) };
        }
    }

    /// The bits of four found numbers, and which of them are not sure.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn four(&self, at: usize) -> (__m128i, u32) {
        const { assert!(size_of::<NumberShape>() == 32) };
        let shape = |n: usize| -> &NumberShape {
            // SAFETY: it is written, and whole: lengths up to 15, and points within them, make
            // entries of the table.
            unsafe {
                let bytes = self.shapes[at + n].assume_init() as usize;
                debug_assert!(bytes < SHAPES * 32 && bytes.is_multiple_of(32));
                &*ALL_SHAPES.as_ptr().byte_add(bytes)
            }
        };
        let text = |n: usize| -> &[u8; 16] {
            let start = self.starts.get(at + n);
            debug_assert!(start > 0 && start + 15 <= self.text.len());
            // SAFETY: numbers begin within a block, behind which there are 16 bytes of text, and not
            // at the beginning of the text.
            unsafe { &*self.text.as_ptr().add(start - 1).cast() }
        };
        four::<N>(std::array::from_fn(text), std::array::from_fn(shape))
    }
}

/// What goes on from the block before: 1 or 0 each.
#[derive(Clone, Copy, Default)]
struct OpenNumber {
    /// A number.
    number: u64,
    /// Without a point so far.
    no_point: u64,
    /// The minus of a number.
    minus: u64,
}

/// What 64 bytes say of numbers, a bit for each byte up to the first stop.
struct BlockMarks {
    /// What is no part of a run.
    stop: u64,
    /// Where the digits of numbers begin.
    starts: u64,
    /// Where numbers have their point, or end without.
    points: u64,
    /// Where they end.
    ends: u64,
    /// Whether there is a sign or a point where no number has one.
    is_odd: bool,
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn marks(text: &[u8], open: &mut OpenNumber) -> BlockMarks {
    let (mut digits, mut points, mut minuses, mut blanks) = (0, 0, 0, 0);
    // A blank stands at the place of its lower four bits; nothing else there is equal to itself.
    let table = _mm256_setr_epi8(
        32, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 0, 0, 13, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 0, 0,
        13, 0, 0,
    );
    for (i, half) in text[..BLOCK].as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: 32 bytes are there, and the load needs no alignment.
        let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
        let mask = |is| u64::from(_mm256_movemask_epi8(is) as u32) << (32 * i);
        let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
        let values = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
        let is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values);
        digits |= mask(is_digit);
        points |= mask(is(b'.'));
        minuses |= mask(is(b'-'));
        blanks |= mask(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes), bytes));
    }
    let (digits, points) = (opaque(digits), opaque(points));
    let (minuses, blanks) = (opaque(minuses), opaque(blanks));
    let stop = !(digits | points | minuses | blanks);
    let before_stop = stop.wrapping_sub(1) & !stop;
    let (numbers, points) = ((digits | points) & before_stop, points & before_stop);
    let minuses = minuses & before_stop;
    let after = numbers << 1 | open.number;
    let starts = numbers & !after;
    // A bit added at the start of digits is carried to the first place that is none: the point, or
    // the end.
    let digits = numbers & !points;
    let (sum, no_point) = digits.overflowing_add(starts | open.no_point);
    let found = sum & !digits;
    let after_minus = minuses << 1 | open.minus;
    let odd = (after_minus & !starts) | (minuses & after) | (points & !found);
    *open = OpenNumber { number: numbers >> 63, no_point: no_point.into(), minus: minuses >> 63 };
    BlockMarks { stop, starts, points: found, ends: after & !numbers, is_odd: odd != 0 }
}
