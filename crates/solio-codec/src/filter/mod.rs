//! Filters: what makes arrays of numbers easier to pack, each with its inverse.
//!
//! A [`FilterStep`] is one filter, a [`FilterChain`] several in a row. Values are seen as unsigned integers by
//! their bits, and every step gives back exactly what it got, whatever the bits are. Which steps
//! there are and what each is good for is measured by `solio lab`.

mod map;
mod predict;
mod reorder;
#[cfg(test)]
mod tests;

use crate::halves;
use crate::word::Word;
use map::Map;
use predict::Guess;

/// How the values of a chunk lie: planes of rows of channels of values.
///
/// A chunk of an OpenEXR image is one plane: row by row, in each channel by channel, the values of
/// a channel side by side.
///
/// ```
/// use solio_codec::filter::FilterShape;
/// // A chunk of an OpenEXR image: 16 rows of A, B, G and R in halves.
/// let chunk = FilterShape { bytes: 2, planes: 1, rows: 16, channels: 4, width: 1920 };
/// assert_eq!(chunk.size_bytes(), 16 * 1920 * 4 * 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterShape {
    /// Bytes of a value: 1, 2, 4 or 8.
    pub bytes: usize,
    /// Planes, one after the other; more than one once bytes were split.
    pub planes: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Lines of a row, one a channel.
    pub channels: usize,
    /// Values of a line.
    pub width: usize,
}

impl FilterShape {
    /// Lines of values.
    ///
    /// ```
    /// use solio_codec::filter::{FilterShape, FilterStep};
    /// let chunk = FilterShape { bytes: 2, planes: 1, rows: 16, channels: 4, width: 1920 };
    /// assert_eq!(chunk.lines(), 64);
    /// // Low and high bytes get lines of their own.
    /// assert_eq!(FilterStep::Split.shape(chunk).lines(), 128);
    /// ```
    pub fn lines(&self) -> usize {
        self.planes * self.rows * self.channels
    }

    /// Values.
    ///
    /// ```
    /// use solio_codec::filter::{FilterShape, FilterStep};
    /// let floats = FilterShape { bytes: 4, planes: 1, rows: 2, channels: 3, width: 100 };
    /// assert_eq!(floats.values(), 600);
    /// // Filters that take values apart make more of them.
    /// assert_eq!(FilterStep::BitShuffle.shape(floats).values(), 2400);
    /// ```
    pub fn values(&self) -> usize {
        self.lines() * self.width
    }

    /// Bytes of all values.
    ///
    /// ```
    /// use solio_codec::filter::{FilterShape, FilterStep};
    /// let doubles = FilterShape { bytes: 8, planes: 1, rows: 4, channels: 1, width: 25 };
    /// assert_eq!(doubles.size_bytes(), 800);
    /// // No filter changes it.
    /// for step in [FilterStep::Exr, FilterStep::Split, FilterStep::SplitEvenOdd, FilterStep::BitShuffle, FilterStep::Up] {
    ///     assert_eq!(step.shape(doubles).size_bytes(), 800);
    /// }
    /// ```
    pub fn size_bytes(&self) -> usize {
        self.values() * self.bytes
    }
}

/// One filter.
///
/// ```
/// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
/// let row = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 4 };
/// let filtered = |steps: &[FilterStep]| {
///     let mut scratch = FilterScratch::default();
///     FilterChain(steps.to_vec()).apply(&row, &[10, 12, 11, 11], &mut scratch).to_vec()
/// };
/// assert_eq!(filtered(&[FilterStep::Delta]), [10, 2, 255, 0]);
/// assert_eq!(filtered(&[FilterStep::Delta, FilterStep::Zigzag]), [20, 4, 1, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterStep {
    /// The filter of OpenEXR's RLE and ZIP, exactly: even and odd bytes apart, then differences of
    /// bytes.
    Exr,
    /// The bytes of values apart: as many planes as a value has bytes.
    Split,
    /// Even and odd bytes apart, whatever the width of the values: wrong for 32 bits, and what the
    /// filter of OpenEXR does.
    SplitEvenOdd,
    /// The bits of values apart: as many planes as a value has bits.
    BitShuffle,
    /// Each value less the one to its left; of bytes, once they were split.
    Delta,
    /// Each value less the one above.
    Up,
    /// Each value less the clamped gradient (MED, LOCO-I).
    ClampedGradient,
    /// Each value less Paeth's guess.
    Paeth,
    /// Signed differences to unsigned numbers, small ones to small ones.
    Zigzag,
    /// Floating point numbers to integers that rise with them.
    Monotone,
    /// Red and blue less green; the places of red, green and blue among the channels.
    Decorrelate([usize; 3]),
}

impl FilterStep {
    /// What `shape` becomes.
    ///
    /// ```
    /// use solio_codec::filter::{FilterShape, FilterStep};
    /// let halves = FilterShape { bytes: 2, planes: 1, rows: 16, channels: 3, width: 100 };
    /// assert_eq!(FilterStep::Split.shape(halves), FilterShape { bytes: 1, planes: 2, ..halves });
    /// assert_eq!(FilterStep::Delta.shape(halves), halves);
    /// ```
    pub fn shape(self, shape: FilterShape) -> FilterShape {
        match self {
            FilterStep::Exr | FilterStep::BitShuffle => {
                let width = shape.size_bytes();
                FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width }
            }
            FilterStep::Split => {
                FilterShape { bytes: 1, planes: shape.planes * shape.bytes, ..shape }
            }
            FilterStep::SplitEvenOdd if shape.bytes > 1 => {
                let width = shape.width * shape.bytes / 2;
                FilterShape { bytes: 1, planes: shape.planes * 2, width, ..shape }
            }
            _ => shape,
        }
    }

    /// Whether it does anything to values of this shape.
    ///
    /// ```
    /// use solio_codec::filter::{FilterShape, FilterStep};
    /// let row = FilterShape { bytes: 2, planes: 1, rows: 1, channels: 3, width: 100 };
    /// // No row lies above, and there is no fourth channel.
    /// assert!(FilterStep::Delta.suits(&row) && !FilterStep::Up.suits(&row));
    /// assert!(FilterStep::Decorrelate([2, 1, 0]).suits(&row));
    /// assert!(!FilterStep::Decorrelate([3, 2, 1]).suits(&row));
    /// ```
    pub fn suits(self, shape: &FilterShape) -> bool {
        match self {
            FilterStep::Decorrelate(rgb) => {
                let [r, g, b] = rgb;
                r != g && g != b && r != b && rgb.iter().all(|c| *c < shape.channels)
            }
            FilterStep::Split | FilterStep::SplitEvenOdd => shape.bytes > 1,
            FilterStep::Monotone => shape.bytes > 1,
            FilterStep::Up | FilterStep::Paeth | FilterStep::ClampedGradient => shape.rows > 1,
            _ => true,
        }
    }

    fn apply(self, shape: &FilterShape, from: &[u8], to: &mut [u8]) {
        match self {
            FilterStep::Exr => halves::split(from, to),
            FilterStep::Split => reorder::split(shape.bytes, from, to),
            FilterStep::SplitEvenOdd => reorder::split(shape.bytes.min(2), from, to),
            _ => match shape.bytes {
                1 => self.apply_to::<u8>(shape, from, to),
                2 => self.apply_to::<u16>(shape, from, to),
                4 => self.apply_to::<u32>(shape, from, to),
                _ => self.apply_to::<u64>(shape, from, to),
            },
        }
    }

    fn apply_to<T: Word>(self, shape: &FilterShape, from: &[u8], to: &mut [u8]) {
        let from: &[T] = bytemuck::cast_slice(from);
        if self == FilterStep::BitShuffle {
            return reorder::shuffle_bits(from, to);
        }
        let to: &mut [T] = bytemuck::cast_slice_mut(to);
        match self {
            FilterStep::Zigzag => map::map(Map::Zigzag, from, to),
            FilterStep::Monotone => map::map(Map::Monotone, from, to),
            FilterStep::Decorrelate(rgb) => map::decorrelate(rgb, shape, from, to),
            _ => predict::apply(self.guess(), shape, from, to),
        }
    }

    fn undo(self, shape: &FilterShape, from: &[u8], to: &mut [u8]) {
        match self {
            FilterStep::Exr => halves::merge(from, to),
            FilterStep::Split => reorder::join(shape.bytes, from, to),
            FilterStep::SplitEvenOdd => reorder::join(shape.bytes.min(2), from, to),
            _ => match shape.bytes {
                1 => self.undo_to::<u8>(shape, from, to),
                2 => self.undo_to::<u16>(shape, from, to),
                4 => self.undo_to::<u32>(shape, from, to),
                _ => self.undo_to::<u64>(shape, from, to),
            },
        }
    }

    fn undo_to<T: Word>(self, shape: &FilterShape, from: &[u8], to: &mut [u8]) {
        let to: &mut [T] = bytemuck::cast_slice_mut(to);
        if self == FilterStep::BitShuffle {
            return reorder::unshuffle_bits(from, to);
        }
        let from: &[T] = bytemuck::cast_slice(from);
        match self {
            FilterStep::Zigzag => map::map(Map::Unzigzag, from, to),
            FilterStep::Monotone => map::map(Map::Unmonotone, from, to),
            FilterStep::Decorrelate(rgb) => map::correlate(rgb, shape, from, to),
            _ => predict::undo(self.guess(), shape, from, to),
        }
    }

    fn guess(self) -> Guess {
        match self {
            FilterStep::Up => Guess::Up,
            FilterStep::ClampedGradient => Guess::ClampedGradient,
            FilterStep::Paeth => Guess::Paeth,
            _ => Guess::Left,
        }
    }

    /// `after_split`: it sees single bytes of values that had more.
    fn name(self, after_split: bool) -> String {
        let of = if after_split { "bytes" } else { "integers" };
        match self {
            FilterStep::Exr => "EXR".into(),
            FilterStep::Split => "split".into(),
            FilterStep::SplitEvenOdd => "16-bit split".into(),
            FilterStep::BitShuffle => "bit shuffle".into(),
            FilterStep::Delta => format!("delta {of}"),
            FilterStep::Up => format!("up {of}"),
            FilterStep::ClampedGradient => format!("MED {of}"),
            FilterStep::Paeth => format!("Paeth {of}"),
            FilterStep::Zigzag => "zigzag".into(),
            FilterStep::Monotone => "monotone".into(),
            FilterStep::Decorrelate(_) => "R−G B−G".into(),
        }
    }
}

/// Filters one after the other.
///
/// ```
/// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
/// let shape = FilterShape { bytes: 2, planes: 1, rows: 2, channels: 1, width: 3 };
/// let raw: Vec<u8> = [10u16, 11, 12, 20, 22, 23].iter().flat_map(|v| v.to_le_bytes()).collect();
/// let chain = FilterChain(vec![FilterStep::ClampedGradient, FilterStep::Zigzag, FilterStep::Split]);
/// let mut scratch = FilterScratch::default();
/// let filtered = chain.apply(&shape, &raw, &mut scratch).to_vec();
/// assert_eq!(filtered, [20, 2, 2, 20, 4, 2, 0, 0, 0, 0, 0, 0]);
/// let mut again = vec![0; raw.len()];
/// chain.undo(&shape, &filtered, &mut scratch, &mut again);
/// assert_eq!(again, raw);
/// assert_eq!(chain.name(), "MED integers + zigzag + split");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FilterChain(pub Vec<FilterStep>);

impl FilterChain {
    /// What it is called: its steps, with `+` between them; `none` of none.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterStep};
    /// // The same step before and after bytes were taken apart.
    /// let chain = FilterChain(vec![FilterStep::Delta, FilterStep::Split, FilterStep::Delta]);
    /// assert_eq!(chain.name(), "delta integers + split + delta bytes");
    /// assert_eq!(FilterChain::default().name(), "none");
    /// ```
    pub fn name(&self) -> String {
        let mut split = false;
        let steps = self.0.iter().map(|step| {
            let name = step.name(split);
            split |= matches!(step, FilterStep::Split | FilterStep::SplitEvenOdd);
            name
        });
        let name = steps.collect::<Vec<_>>().join(" + ");
        if name.is_empty() { "none".into() } else { name }
    }

    /// What `shape` becomes.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterShape, FilterStep};
    /// let floats = FilterShape { bytes: 4, planes: 1, rows: 16, channels: 1, width: 64 };
    /// let chain = FilterChain(vec![FilterStep::Monotone, FilterStep::ClampedGradient, FilterStep::Split]);
    /// assert_eq!(chain.shape(floats), FilterShape { bytes: 1, planes: 4, ..floats });
    /// ```
    pub fn shape(&self, shape: FilterShape) -> FilterShape {
        self.0.iter().fold(shape, |shape, step| step.shape(shape))
    }

    /// Whether each step does something to values of this shape.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterShape, FilterStep};
    /// let floats = FilterShape { bytes: 4, planes: 1, rows: 16, channels: 1, width: 64 };
    /// assert!(FilterChain(vec![FilterStep::Monotone, FilterStep::Split]).suits(floats));
    /// // Once they are single bytes, floats have no order.
    /// assert!(!FilterChain(vec![FilterStep::Split, FilterStep::Monotone]).suits(floats));
    /// ```
    pub fn suits(&self, mut shape: FilterShape) -> bool {
        self.0.iter().all(|step| {
            let suits = step.suits(&shape);
            shape = step.shape(shape);
            suits
        })
    }

    /// Filters `raw`, values of `shape` in the byte order of this machine. Without a step that is
    /// `raw` itself.
    ///
    /// # Panics
    /// When `raw` has not the bytes of `shape`.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
    /// let image = FilterShape { bytes: 1, planes: 1, rows: 2, channels: 1, width: 3 };
    /// let (raw, mut scratch) = ([10, 20, 30, 11, 21, 31], FilterScratch::default());
    /// // In the first row, where nothing lies above, values are less those to their left.
    /// assert_eq!(FilterChain(vec![FilterStep::Up]).apply(&image, &raw, &mut scratch), [10, 10, 10, 1, 1, 1]);
    /// assert_eq!(FilterChain::default().apply(&image, &raw, &mut scratch).as_ptr(), raw.as_ptr());
    /// ```
    pub fn apply<'a>(
        &self,
        shape: &FilterShape,
        raw: &'a [u8],
        scratch: &'a mut FilterScratch,
    ) -> &'a [u8] {
        assert_eq!(raw.len(), shape.size_bytes(), "bytes of values");
        let Some((first, others)) = self.0.split_first() else { return raw };
        let [mut from, mut to] = scratch.room(raw.len());
        if is_aligned(raw, shape) {
            first.apply(shape, raw, from);
        } else {
            to.copy_from_slice(raw);
            first.apply(shape, to, from);
        }
        let mut shape = first.shape(*shape);
        for step in others {
            step.apply(&shape, from, to);
            (from, to) = (to, from);
            shape = step.shape(shape);
        }
        from
    }

    /// Undoes [`FilterChain::apply`]: `filtered` becomes `out`, values of `shape`.
    ///
    /// # Panics
    /// When `filtered` or `out` has not the bytes of `shape`.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
    /// let shape = FilterShape { bytes: 2, planes: 1, rows: 2, channels: 1, width: 4 };
    /// let (chain, mut scratch) = (FilterChain(vec![FilterStep::BitShuffle, FilterStep::Exr]), FilterScratch::default());
    /// let filtered = chain.apply(&shape, b"any bytes at all", &mut scratch).to_vec();
    /// let mut again = [0; 16];
    /// chain.undo(&shape, &filtered, &mut scratch, &mut again);
    /// assert_eq!(&again, b"any bytes at all");
    /// ```
    pub fn undo(
        &self,
        shape: &FilterShape,
        filtered: &[u8],
        scratch: &mut FilterScratch,
        out: &mut [u8],
    ) {
        scratch.filtered(filtered.len()).copy_from_slice(filtered);
        self.undo_filtered(shape, scratch, out);
    }

    /// [`FilterChain::undo`] of what was put into [`FilterScratch::filtered`].
    ///
    /// # Panics
    /// When `out` has not the bytes of `shape`.
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
    /// use solio_codec::{deflate::ZlibEncoder, inflate::Inflater};
    /// let (mut packed, mut scratch) = (Vec::new(), FilterScratch::default());
    /// ZlibEncoder::default().zlib(&[10, 1, 1, 1, 1], 5, &mut packed);
    /// // Unpacked to where the chain begins: nothing is copied between.
    /// assert_eq!(Inflater::default().one(&packed, scratch.filtered(5)), Ok(5));
    /// let row = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 5 };
    /// let mut values = [0; 5];
    /// FilterChain(vec![FilterStep::Delta]).undo_filtered(&row, &mut scratch, &mut values);
    /// assert_eq!(values, [10, 11, 12, 13, 14]);
    /// ```
    pub fn undo_filtered(&self, shape: &FilterShape, scratch: &mut FilterScratch, out: &mut [u8]) {
        assert_eq!(out.len(), shape.size_bytes(), "bytes of values");
        let mut shapes = vec![*shape];
        for step in &self.0 {
            shapes.push(step.shape(shapes[shapes.len() - 1]));
        }
        let [mut from, mut to] = scratch.room(out.len());
        let mut steps = self.0.iter().zip(&shapes).rev().peekable();
        while let Some((step, before)) = steps.next() {
            if steps.peek().is_none() && is_aligned(out, shape) {
                return step.undo(before, from, out);
            }
            step.undo(before, from, to);
            (from, to) = (to, from);
        }
        out.copy_from_slice(from);
    }
}

/// Whether these bytes may be seen as values of `shape`; no step makes wider ones.
fn is_aligned(bytes: &[u8], shape: &FilterShape) -> bool {
    bytes.as_ptr().addr().is_multiple_of(shape.bytes)
}

/// Memory between steps, kept from chunk to chunk.
///
/// ```
/// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
/// let (chain, mut scratch) = (FilterChain(vec![FilterStep::Delta]), FilterScratch::default());
/// // The last chunk of an image is a smaller one.
/// for width in [4, 4, 1] {
///     let shape = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width };
///     assert_eq!(chain.apply(&shape, &vec![7; width], &mut scratch), &[7, 0, 0, 0][..width]);
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct FilterScratch([Vec<u64>; 2]);

impl FilterScratch {
    /// Two times so many bytes.
    fn room(&mut self, bytes: usize) -> [&mut [u8]; 2] {
        self.0.each_mut().map(|words| {
            if words.len() < bytes.div_ceil(size_of::<u64>()) {
                words.resize(bytes.div_ceil(size_of::<u64>()), 0);
            }
            &mut bytemuck::cast_slice_mut(words)[..bytes]
        })
    }

    /// Room for so many filtered bytes, for [`FilterChain::undo_filtered`].
    ///
    /// ```
    /// use solio_codec::filter::{FilterChain, FilterScratch, FilterShape, FilterStep};
    /// let mut scratch = FilterScratch::default();
    /// scratch.filtered(3).copy_from_slice(&[20, 2, 1]);
    /// let row = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 3 };
    /// let mut values = [0; 3];
    /// FilterChain(vec![FilterStep::Delta, FilterStep::Zigzag]).undo_filtered(&row, &mut scratch, &mut values);
    /// assert_eq!(values, [10, 11, 10]);
    /// ```
    pub fn filtered(&mut self, bytes: usize) -> &mut [u8] {
        let [filtered, _] = self.room(bytes);
        filtered
    }
}
