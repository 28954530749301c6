//! What the vector kernels for floats share: a lane of 16 bytes for each number of at most 8 digits,
//! with its sign, digits, point and the separator behind it.

use super::Digits;
use super::fixed::Fixed;
use super::format::Value;
use super::tail::Short;

/// Widest rows that the vector kernels take.
const MAX_COLUMNS: usize = 12;

/// Longest separator in a lane; a longer one is written on its own.
const MAX_SEPARATOR: usize = 6;

/// Entries of a table by column: a kernel reads up to 4 from any column on.
const ENTRIES: usize = MAX_COLUMNS + 4;

/// One call's work, ready for a vector kernel.
pub(super) struct Job<'a, V> {
    pub(super) fixed: Fixed,
    /// All rows, one after the other.
    pub(super) values: &'a [V],
    pub(super) columns: usize,
    /// The line's end and the next row's prefix.
    pub(super) between: &'a [u8],
    /// That as a word, if it fits.
    pub(super) short: Option<Short>,
    /// That does not fit into a lane.
    pub(super) long: bool,
}

impl<'a, V: Value> Job<'a, V> {
    /// `None` for what only the plain twin does.
    pub(super) fn new<const N: usize>(
        digits: Digits,
        rows: &'a [[V; N]],
        between: &'a [u8],
    ) -> Option<Self> {
        let Digits::Fixed(n @ 1..) = digits else { return None };
        let fits = n <= V::VECTOR_DIGITS && (1..=MAX_COLUMNS).contains(&N) && rows.len() * N >= 8;
        fits.then(|| {
            Some(Job {
                fixed: Fixed::new(n)?,
                values: rows.as_flattened(),
                columns: N,
                between,
                short: Short::new(between),
                long: between.len() > MAX_SEPARATOR,
            })
        })?
    }

    /// Most bytes of a value with what follows it.
    pub(super) fn room(&self) -> usize {
        super::format::ROOM + self.between.len().max(1)
    }
}

/// Constants of the lanes by column, repeated so that several in a row can be loaded from any one.
#[repr(C, align(64))]
pub(super) struct Lanes {
    /// `'0'` for each digit, the point, the separator; the rest zero.
    pub(super) text: [[u8; 16]; ENTRIES],
    /// The bytes in use from the first digit on.
    pub(super) used: [u16; ENTRIES],
    /// Bytes from the first digit on.
    pub(super) lens: [usize; ENTRIES],
    /// Which of the 8 digits each byte is; 0x80 for none.
    pub(super) digit: [u8; 16],
    /// The byte of the digit before the point.
    pub(super) unit: usize,
}

impl Lanes {
    /// The digits begin at byte `first`, the sign stands in byte `sign`. Needs 1 to 7 digits.
    pub(super) fn new<V>(job: &Job<'_, V>, first: usize, sign: usize) -> Lanes {
        let whole = 8 - job.fixed.digits;
        let point = first + whole;
        let mut digit = [0x80; 16];
        for i in 0..8 {
            digit[first + i + usize::from(i >= whole)] = i as u8;
        }
        let mut lanes = Lanes {
            text: [[0; 16]; ENTRIES],
            used: [0; ENTRIES],
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
            let len = 9 + separator.len();
            lanes.text[k][first..first + 9].fill(b'0');
            lanes.text[k][point] = b'.';
            lanes.text[k][first + 9..first + len].copy_from_slice(separator);
            lanes.text[k][sign] = b'-';
            lanes.used[k] = ((1 << len) - 1) << first;
            lanes.lens[k] = len;
        }
        lanes
    }
}
