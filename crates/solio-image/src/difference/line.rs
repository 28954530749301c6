//! A row of samples, compared with that of another image.

use super::CompareOptions;
use half::slice::HalfFloatSliceExt;
use solio_exr::model::Samples;

pub(super) const WARN: u8 = 1;
pub(super) const FAIL: u8 = 2;

/// What a row of samples comes to.
#[derive(Clone, Copy, Default)]
pub(super) struct RowSums {
    pub(super) differing: u64,
    pub(super) beyond: u64,
    /// The greatest difference, and the column of the first that is so great.
    pub(super) largest: f64,
    pub(super) column: usize,
    /// Of the differences that are finite.
    pub(super) finite: u64,
    pub(super) sum: f64,
    pub(super) squares: f64,
    pub(super) peak: f64,
}

/// A row, and of its pixels the marks and differences; none where all are the same.
#[derive(Clone, Default)]
pub(super) struct ComparedLine {
    pub(super) sums: RowSums,
    pub(super) pixels: Vec<(u8, f32)>,
}

/// The multiples of a step between two numbers: first and count, as the channel numbers its samples.
pub(super) struct Multiples {
    pub(super) first: i64,
    pub(super) count: usize,
}

impl Multiples {
    pub(super) fn of(min: i32, max: i32, step: i64) -> Multiples {
        let first = (i64::from(min) + step - 1).div_euclid(step);
        let last = i64::from(max).div_euclid(step);
        Multiples { first, count: usize::try_from(last - first + 1).unwrap_or(0) }
    }

    /// Its place among these.
    fn place(&self, number: i64) -> Option<usize> {
        usize::try_from(number - self.first).ok().filter(|place| *place < self.count)
    }
}

/// The samples of one image, and which they are.
pub(super) struct Side<'i> {
    pub(super) samples: &'i Samples<'i>,
    pub(super) columns: Multiples,
    pub(super) lines: Multiples,
}

impl Side<'_> {
    /// Where row `line` starts among the samples; `None` outside of the window.
    fn start(&self, line: i64) -> Option<usize> {
        self.lines.place(line).map(|row| row * self.columns.count)
    }

    fn bytes(&self, start: usize) -> Option<&[u8]> {
        let size = self.samples.pixel_type().bytes();
        self.samples.as_bytes().get(start * size..(start + self.columns.count) * size)
    }

    /// The values of a row in all columns of both images, 0 where it has none.
    fn values(&self, line: i64, columns: &Multiples, into: &mut Vec<f64>) {
        into.clear();
        into.resize(columns.count, 0.0);
        let Some(start) = self.start(line) else { return };
        let before = (self.columns.first - columns.first) as usize;
        let Some(into) = into.get_mut(before..before + self.columns.count) else { return };
        let end = start + self.columns.count;
        match self.samples {
            Samples::Uint(values) => {
                if let Some(values) = values.get(start..end) {
                    into.iter_mut().zip(values).for_each(|(to, from)| *to = f64::from(*from));
                }
            }
            Samples::Float(values) => {
                if let Some(values) = values.get(start..end) {
                    into.iter_mut().zip(values).for_each(|(to, from)| *to = f64::from(*from));
                }
            }
            Samples::Half(values) => {
                if let Some(values) = values.get(start..end) {
                    values.convert_to_f64_slice(into);
                }
            }
        }
    }
}

/// Compares a row of a channel.
pub(super) fn compare_line(
    sides: &[Side<'_>; 2],
    columns: &Multiples,
    line: i64,
    buffers: &mut [Vec<f64>; 2],
    options: &CompareOptions,
) -> ComparedLine {
    let [a, b] = sides;
    let mut sums = RowSums::default();
    let same_place = (a.columns.first, a.columns.count) == (b.columns.first, b.columns.count);
    let is_same = same_place
        && a.samples.pixel_type() == b.samples.pixel_type()
        && match (a.start(line), b.start(line)) {
            (Some(a_start), Some(b_start)) => a.bytes(a_start) == b.bytes(b_start),
            (None, None) => true,
            _ => false,
        };
    let [first, second] = buffers;
    a.values(line, columns, first);
    let finite = |value: f64| if value.is_finite() { value.abs() } else { 0.0 };
    if is_same {
        sums.peak = first.iter().fold(0.0, |peak, value| peak.max(finite(*value)));
        sums.finite = columns.count as u64;
        return ComparedLine { sums, pixels: Vec::new() };
    }
    b.values(line, columns, second);
    let mut pixels = Vec::with_capacity(columns.count);
    for (column, (a, b)) in first.iter().zip(&*second).enumerate() {
        sums.peak = sums.peak.max(finite(*a)).max(finite(*b));
        let difference = match () {
            () if a == b || a.is_nan() && b.is_nan() => 0.0,
            () if a.is_finite() && b.is_finite() => (a - b).abs(),
            () => f64::INFINITY,
        };
        if difference.is_finite() {
            sums.finite += 1;
            sums.sum += difference;
            sums.squares += difference * difference;
        }
        sums.differing += u64::from(difference > 0.0);
        if difference > sums.largest {
            (sums.largest, sums.column) = (difference, column);
        }
        let fails = difference > options.fail.value;
        sums.beyond += u64::from(fails);
        let warns = difference > options.warn.value;
        let mark = if warns { WARN } else { 0 } | if fails { FAIL } else { 0 };
        pixels.push((mark, difference as f32));
    }
    ComparedLine { sums, pixels }
}
