//! Many numbers between blanks by AVX2, four at a time.
//!
//! - Where numbers begin, end and have their point is found for 64 bytes at once: no number waits
//!   for the length of the one before, and no branch hangs on lengths.
//! - Sign, length and place of the point make the number of an entry of a table, which says how the
//!   digits move to the end of 16 bytes without sign and point, and what they are divided by.
//! - Three multiplications make the digits of four numbers integers, and one division of exact
//!   doubles makes them floats; see `parse.rs` for why they are rounded correctly. What is not sure,
//!   and whatever has another shape, is left to `parse.rs`.

use super::run::{Number, ends_number, one};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Bytes looked at together, and what may be loaded behind them.
const BLOCK: usize = 64;
const BEHIND: usize = 16;
/// Room for numbers that are found before they are made: those of a block and three that were left
/// over.
const FOUND: usize = 64;
/// Sign, length and distance of the point from the end, four bits each for the latter two.
const SHAPES: usize = 512;
const NEGATIVE: u32 = 256;

/// How text of a shape becomes a number.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Shape {
    /// Which byte of the text comes where; 128 for none.
    places: [u8; 16],
    /// 10 to the power of the digits behind the point, with the number's sign.
    divisor: f64,
    /// 1 or -1 for integers.
    sign: f64,
}

/// As a divisor it makes a quotient that counts as not sure.
const NOT_SURE: f64 = f64::from_bits(0x7ff8_0000_1000_0000);

static ALL_SHAPES: [Shape; SHAPES] = {
    let none = Shape { places: [128; 16], divisor: NOT_SURE, sign: f64::NAN };
    let mut shapes = [none; SHAPES];
    let mut at = 0;
    while at < SHAPES {
        let (sign, length, point) = (at / 256, at / 16 % 16, at % 16);
        let has_point = (point > 0) as usize;
        if length > sign + has_point && point + sign <= length {
            let shape = &mut shapes[at];
            let mut place = 16;
            let mut byte = length;
            while byte > sign {
                byte -= 1;
                if has_point == 0 || byte != length - point {
                    place -= 1;
                    shape.places[place] = byte as u8;
                }
            }
            let mut power = 1.0;
            let mut after = 1;
            while after < point {
                power *= 10.0;
                after += 1;
            }
            let negative = sign == 1;
            shape.divisor = if negative { -power } else { power };
            if has_point == 0 {
                shape.sign = if negative { -1.0 } else { 1.0 };
            }
        }
        at += 1;
    }
    shapes
};

/// Reads a run.
struct Reader<'t, N> {
    text: &'t [u8],
    out: &'t mut Vec<N>,
    /// Numbers that are found and not yet made: where they start, and their shapes. The first `found`
    /// are written.
    starts: [MaybeUninit<u32>; FOUND],
    shapes: [MaybeUninit<u16>; FOUND],
    found: usize,
    /// Where the last one that was found ends.
    found_end: usize,
    /// Where the last number that was made ends, unless only its start is known.
    end: usize,
    last_start: Option<usize>,
}

/// Where the run of numbers ends, and whether the whole run does.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<N: Number>(text: &[u8], out: &mut Vec<N>) -> (usize, bool) {
    // Places are kept in 32 bits.
    let text = &text[..text.len().min(u32::MAX as usize)];
    let (starts, shapes) = ([MaybeUninit::uninit(); FOUND], [MaybeUninit::uninit(); FOUND]);
    let mut reader =
        Reader { text, out, starts, shapes, found: 0, found_end: 0, end: 0, last_start: None };
    let ended = reader.blocks();
    (reader.end, ended)
}

impl<N: Number> Reader<'_, N> {
    /// Reads all that is far enough from the end of the text; says whether the run ends there.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn blocks(&mut self) -> bool {
        let mut block = 0;
        while block + BLOCK + BEHIND <= self.text.len() {
            let classes = classes(&self.text[block..]);
            let stop = !(classes.numbers | classes.blanks);
            // Up to the first byte that is neither.
            let numbers = classes.numbers & (stop.wrapping_sub(1) & !stop);
            let starts = numbers & !(numbers << 1);
            if classes.minuses & numbers & !starts != 0 {
                // A sign within a number.
                if !self.make_all() || !self.one_by_one(block, block + BLOCK - 1) {
                    return true;
                }
                block = self.end;
                continue;
            }
            let open = self.find(block, numbers, classes.points & numbers, classes.minuses);
            if stop == 0 && open > 0 {
                if !self.make() {
                    return true;
                }
                // A number that goes on begins the next block.
                block += open;
                continue;
            }
            let mut odd = block + (stop.trailing_zeros() as usize & 63);
            let ends_here = stop != 0 && ends_number(self.text[odd]);
            if !ends_here && self.found > 0 && self.found_end == odd {
                // What was found is only the beginning of the number.
                self.found -= 1;
                odd = self.start(self.found);
                self.found_end = self.end_before(self.found);
            }
            if !self.make_all() || ends_here || !self.one_by_one(odd, odd) {
                return true;
            }
            block = self.end;
        }
        !self.make_all()
    }

    /// Finds the numbers of a block that end in it. Gives the place in the block of one that does
    /// not, or the length of a block.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find(&mut self, block: usize, numbers: u64, mut points: u64, minuses: u64) -> usize {
        let after_number = numbers << 1;
        let mut starts = numbers & !after_number;
        let mut ends = after_number & !numbers;
        if ends != 0 {
            self.found_end = block + 63 - ends.leading_zeros() as usize;
        }
        let mut n = self.found;
        while ends != 0 {
            let (start, end) = (starts.trailing_zeros(), ends.trailing_zeros());
            // The points up to this end; those of numbers before are gone.
            let own = points & (ends ^ (ends - 1));
            points ^= own;
            let point = (own | 1 << end).trailing_zeros();
            let length = end - start;
            let negative = (minuses >> start) as u32 & 1;
            let shape = (negative * NEGATIVE) | (length << 4) | (end - point);
            let is_plain = length <= 15 && own & own.wrapping_sub(1) == 0;
            self.starts[n % FOUND].write(block as u32 + start);
            self.shapes[n % FOUND].write(if is_plain { shape as u16 } else { 0 });
            n += 1;
            starts &= starts - 1;
            ends &= ends - 1;
        }
        self.found = n;
        starts.trailing_zeros() as usize
    }

    /// Where a number starts that was found.
    #[inline(always)]
    fn start(&self, n: usize) -> usize {
        // SAFETY: those that were found are written.
        unsafe { self.starts[n % FOUND].assume_init() as usize }
    }

    /// Where the number before number `n` of those found ends.
    #[cold]
    fn end_before(&self, n: usize) -> usize {
        let before = n.checked_sub(1).map(|before| self.start(before));
        let Some(start) = before.or(self.last_start) else { return self.end };
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
        start + self.text[start..].iter().take_while(|byte| is_part(byte)).count()
    }

    /// Reads numbers in the plain way from `at` until one ends behind `last`; says whether the run
    /// goes on.
    #[cold]
    fn one_by_one(&mut self, mut at: usize, last: usize) -> bool {
        while at <= last {
            let Some((value, end)) = one(self.text, at) else { return false };
            self.out.push(value);
            (self.end, self.found_end, at) = (end, end, end);
        }
        true
    }

    /// Makes numbers of what is found, in fours; says whether the run goes on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make(&mut self) -> bool {
        let whole = self.found / 4 * 4;
        if !self.make_first(whole, whole) {
            return false;
        }
        let rest = self.found - whole;
        if whole > 0 {
            self.last_start = Some(self.start(whole - 1));
        }
        for n in 0..4 {
            let from = (whole + n) % FOUND;
            self.starts[n] = self.starts[from];
            self.shapes[n] = self.shapes[from];
        }
        self.found = rest;
        true
    }

    /// [`Self::make`] for all.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make_all(&mut self) -> bool {
        let count = self.found;
        if count == 0 {
            (self.end, self.last_start) = (self.found_end, None);
            return true;
        }
        // The last group is filled up with what is read and not kept.
        for n in count..count.next_multiple_of(4) {
            self.starts[n % FOUND] = self.starts[count - 1];
            self.shapes[n % FOUND] = self.shapes[count - 1];
        }
        self.found = 0;
        let goes_on = self.make_first(count.next_multiple_of(4), count);
        if goes_on {
            (self.end, self.last_start) = (self.found_end, None);
        }
        goes_on
    }

    /// Makes the first `whole` numbers, a multiple of four, and keeps `count` of them.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn make_first(&mut self, whole: usize, count: usize) -> bool {
        const { assert!(size_of::<N>() == 4) };
        self.out.reserve(FOUND);
        let kept = self.out.len();
        let mut next = 0;
        while next < whole {
            let at = next;
            next += 4;
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
                            self.end = self.end_before(n);
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
        true
    }

    /// The bits of four found numbers, and which of them are not sure.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn four(&self, at: usize) -> (__m128i, u32) {
        // SAFETY: whole fours are found, or filled up.
        let shape = |n: usize| unsafe { self.shapes[(at + n) % FOUND].assume_init() };
        let shape = |n: usize| &ALL_SHAPES[usize::from(shape(n)) % SHAPES];
        let shapes = [shape(0), shape(1), shape(2), shape(3)];
        let text = |n: usize| -> &[u8; 16] {
            let start = self.start(at + n);
            debug_assert!(start + 16 <= self.text.len());
            // SAFETY: numbers start within a block, and behind that there are 16 bytes of text.
            unsafe { &*self.text.as_ptr().add(start).cast() }
        };
        // The first and the third number, the second and the fourth.
        let ones = aligned(text(0), text(2), shapes[0], shapes[2]);
        let others = aligned(text(1), text(3), shapes[1], shapes[3]);
        // Pairs, fours, eights: of each number the upper and the lower eight digits.
        let twos = |digits| _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
        let fours = |twos| _mm256_madd_epi16(twos, _mm256_set1_epi32(100 | 1 << 16));
        let fours = _mm256_packus_epi32(fours(twos(ones)), fours(twos(others)));
        let eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(10_000 | 1 << 16));
        let upper = double(_mm256_and_si256(eights, _mm256_set1_epi64x(0xffff_ffff)));
        let lower = double(_mm256_srli_epi64::<32>(eights));
        // Below 10^15, so exact.
        let digits = _mm256_add_pd(_mm256_mul_pd(upper, _mm256_set1_pd(1e8)), lower);
        if N::IS_FLOAT {
            let [a, b, c, d] = shapes.map(|shape| shape.divisor);
            let quotient = _mm256_div_pd(digits, _mm256_setr_pd(a, b, c, d));
            let bits = _mm256_castpd_si256(quotient);
            let below = _mm256_and_si256(bits, _mm256_set1_epi64x((1 << 29) - 1));
            let halfway = _mm256_cmpeq_epi64(below, _mm256_set1_epi64x(1 << 28));
            let not_sure = _mm256_movemask_pd(_mm256_castsi256_pd(halfway)) as u32;
            (_mm_castps_si128(_mm256_cvtpd_ps(quotient)), not_sure)
        } else {
            let [a, b, c, d] = shapes.map(|shape| shape.sign);
            let values = _mm256_cvttpd_epi32(_mm256_mul_pd(digits, _mm256_setr_pd(a, b, c, d)));
            // What does not fit becomes this.
            let not_sure = _mm_cmpeq_epi32(values, _mm_set1_epi32(i32::MIN));
            (values, _mm_movemask_ps(_mm_castsi128_ps(not_sure)) as u32)
        }
    }
}

/// The digits of two numbers at the end of 16 bytes each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn aligned(first: &[u8; 16], second: &[u8; 16], one: &Shape, other: &Shape) -> __m256i {
    // SAFETY: 16 bytes are there, and the loads need no alignment.
    let load = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    let both = |a, b| _mm256_set_m128i(load(b), load(a));
    let digits = _mm256_sub_epi8(both(first, second), _mm256_set1_epi8(b'0' as i8));
    _mm256_shuffle_epi8(digits, both(&one.places, &other.places))
}

/// Integers below 2^52 as doubles.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn double(integers: __m256i) -> __m256d {
    let magic = _mm256_set1_pd((1u64 << 52) as f64);
    let placed = _mm256_or_si256(integers, _mm256_castpd_si256(magic));
    _mm256_sub_pd(_mm256_castsi256_pd(placed), magic)
}

/// Which of 64 bytes are what.
struct Classes {
    /// Digits, points and minuses.
    numbers: u64,
    points: u64,
    minuses: u64,
    blanks: u64,
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes(text: &[u8]) -> Classes {
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
    let (digits, points, minuses) = (opaque(digits), opaque(points), opaque(minuses));
    Classes { numbers: digits | points | minuses, points, minuses, blanks: opaque(blanks) }
}

/// The compiler knows that these are bits of vectors, and would take them apart one by one to
/// compute with vectors.
#[inline(always)]
fn opaque(mut bits: u64) -> u64 {
    // SAFETY: no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) bits, options(nomem, nostack, preserves_flags));
    }
    bits
}
