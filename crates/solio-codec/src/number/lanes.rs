//! What the vector kernels for floats share: a lane of 16 bytes for each number of at most 8 digits
//! (32 bytes, 16 digits) with its sign, digits, point and the separator behind it.

use super::Digits;
use super::fixed::Fixed;
use super::format::FloatValue;
use super::tail::{ShortSeparator, TextTail};

/// Widest rows that the vector kernels take.
const MAX_COLUMNS: usize = 12;

/// Longest separator in a lane.
const MAX_SEPARATOR: usize = 6;

/// Longest separator of the vector kernels.
const LONGEST_SEPARATOR: usize = 16;

/// Entries of a table by column: a kernel reads up to 4 from any column on.
pub(super) const ENTRIES: usize = MAX_COLUMNS + 4;

/// One call's work, ready for a vector kernel.
pub(super) struct RowJob<'a, V, F = Fixed> {
    /// What is to be known of a fixed number of digits; nothing of the shortest.
    pub(super) fixed: F,
    /// All rows, one after the other.
    pub(super) values: &'a [V],
    pub(super) columns: usize,
    /// The line's end and the next row's prefix.
    pub(super) between: &'a [u8],
    /// That as a word, if it fits.
    pub(super) short: Option<ShortSeparator>,
    /// That does not fit into a lane.
    pub(super) long: bool,
}

impl<'a, V: FloatValue> RowJob<'a, V> {
    /// `None` for what only the plain twin does.
    pub(super) fn new<const N: usize>(
        digits: Digits,
        rows: &'a [[V; N]],
        between: &'a [u8],
    ) -> Option<Self> {
        let Digits::Fixed(n @ 1..) = digits else { return None };
        let fits = n <= V::VECTOR_DIGITS;
        fits.then(|| RowJob::with(Fixed::new(n)?, rows, between))?
    }
}

impl<'a, V, F> RowJob<'a, V, F> {
    /// `None` for rows that only the plain twin does.
    pub(super) fn with<const N: usize>(
        fixed: F,
        rows: &'a [[V; N]],
        between: &'a [u8],
    ) -> Option<Self> {
        let fits = (1..=MAX_COLUMNS).contains(&N)
            && rows.len() * N >= 8
            && between.len() <= LONGEST_SEPARATOR;
        fits.then(|| RowJob {
            fixed,
            values: rows.as_flattened(),
            columns: N,
            between,
            short: ShortSeparator::new(between),
            long: between.len() > MAX_SEPARATOR,
        })
    }

    /// Most bytes of a value with what follows it.
    pub(super) fn room(&self) -> usize {
        super::format::ROOM + self.between.len().max(1)
    }
}

/// Constants of the lanes by column, repeated so that several in a row can be loaded from any one.
/// A lane has `SIZE` bytes for `SIZE / 2` digits.
#[repr(C, align(64))]
pub(super) struct LaneConstants<const SIZE: usize> {
    /// `'0'` for each digit, the point, the separator, the sign; the rest zero.
    pub(super) text: [[u8; SIZE]; ENTRIES],
    /// The bytes in use from the first digit on, of all lanes in 64 bytes.
    pub(super) used: [u64; MAX_COLUMNS],
    /// Bytes from the first digit on.
    pub(super) lens: [usize; ENTRIES],
    /// Which of the digits each byte is; 0x80 for none.
    pub(super) digit: [u8; SIZE],
    /// The byte of the digit before the point.
    pub(super) unit: usize,
}

impl<const SIZE: usize> LaneConstants<SIZE> {
    /// Digits of a lane.
    pub(super) const DIGITS: usize = SIZE / 2;

    /// The digits begin at byte `first`, the sign stands in byte `sign`. Needs at least one digit
    /// before and after the point.
    pub(super) fn new<V>(job: &RowJob<'_, V>, first: usize, sign: usize) -> Self {
        let whole = Self::DIGITS - job.fixed.digits;
        let point = first + whole;
        let mut digit = [0x80; SIZE];
        for i in 0..Self::DIGITS {
            digit[first + i + usize::from(i >= whole)] = i as u8;
        }
        let mut lanes = LaneConstants {
            text: [[0; SIZE]; ENTRIES],
            used: [0; MAX_COLUMNS],
            lens: [0; ENTRIES],
            digit,
            unit: point - 1,
        };
        for k in 0..ENTRIES {
            let separator = match k % job.columns + 1 == job.columns {
                true if job.long => &[],
                true => job.between,
                false => b" ".as_slice(),
            };
            let behind = first + Self::DIGITS + 1;
            let end = behind + separator.len();
            lanes.text[k][first..behind].fill(b'0');
            lanes.text[k][point] = b'.';
            lanes.text[k][behind..end].copy_from_slice(separator);
            lanes.text[k][sign] = b'-';
            lanes.lens[k] = end - first;
        }
        for k in 0..MAX_COLUMNS {
            for lane in 0..64 / SIZE {
                let used = ((1 << lanes.lens[k + lane]) - 1) << first;
                lanes.used[k] |= used << (SIZE * lane);
            }
        }
        lanes
    }
}

/// What follows a value by column, repeated so that four in a row can be read from any one.
pub(super) struct Separators {
    texts: [u128; ENTRIES],
    lens: [usize; ENTRIES],
    /// Columns by which four values move on.
    pub(super) step: usize,
}

impl Separators {
    pub(super) fn new<V, F>(job: &RowJob<'_, V, F>) -> Self {
        let mut all = Separators { texts: [0; ENTRIES], lens: [0; ENTRIES], step: 4 % job.columns };
        for k in 0..ENTRIES {
            let text = match k % job.columns + 1 == job.columns {
                true => job.between,
                false => b" ".as_slice(),
            };
            let mut bytes = [0; LONGEST_SEPARATOR];
            bytes[..text.len()].copy_from_slice(text);
            all.texts[k] = u128::from_le_bytes(bytes);
            all.lens[k] = text.len();
        }
        all
    }

    /// The first byte of each, behind `len` bytes; fewer than eight.
    pub(super) fn behind(&self, len: usize) -> [u64; ENTRIES] {
        self.texts.map(|text| u64::from(text as u8) << (8 * len))
    }

    /// Writes all but the first byte of an entry's separator.
    ///
    /// # Safety
    /// There is such an entry, and room for the separator.
    #[inline(always)]
    pub(super) unsafe fn write_rest(&self, tail: &mut TextTail<'_>, entry: usize) {
        // SAFETY: the caller promises the entry and the room; no separator is empty.
        unsafe {
            let len = *self.lens.get_unchecked(entry);
            if len > 1 {
                tail.wide(*self.texts.get_unchecked(entry) >> 8, len - 1);
            }
        }
    }

    /// Writes the separator of an entry.
    ///
    /// # Safety
    /// There is such an entry, and room for the separator.
    #[inline(always)]
    pub(super) unsafe fn write(&self, tail: &mut TextTail<'_>, entry: usize) {
        // SAFETY: the caller promises the entry and the room.
        unsafe { tail.wide(*self.texts.get_unchecked(entry), *self.lens.get_unchecked(entry)) }
    }
}
