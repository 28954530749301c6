//! What the entry of an array says: element, axes, and how it was cut into chunks.

use crate::array::cursor::FieldCursor;
use crate::array::{Element, SamplePlane};
use solio_base::{Error, Result};

/// Most axes.
const MOST_AXES: usize = 32;
/// Most numbers side by side that become planes of their own.
const MOST_COMPONENTS: u64 = 64;
/// So many bytes of samples go into a chunk, or those of one row.
const CHUNK_BYTES: u64 = 1 << 20;
/// The most bytes of samples that a chunk may have.
const MOST_CHUNK_BYTES: u64 = 1 << 30;

/// The shape of an array in a file.
///
/// The last axis, where it is short, tells the numbers of a sample apart (channels, coordinates);
/// the one before is a row; all others together count rows. Of arrays with one axis beside that,
/// each sample is a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// What its samples are.
    pub element: Element,
    /// Lengths of its axes, the slowest first, as in NumPy's C order.
    pub axes: Vec<u64>,
    /// Samples side by side in a row that are told apart; 1 where none are.
    pub components: u64,
    /// How many times that a row has.
    pub width: u64,
    /// Rows of a chunk; the last one may have fewer.
    pub chunk_rows: u64,
}

impl ArrayShape {
    /// Cut into chunks of about a mebibyte.
    ///
    /// # Errors
    /// `Argument` for more than 32 axes, more samples than 2⁶⁴, or a row that no chunk can hold.
    pub fn new(element: Element, axes: &[u64]) -> Result<ArrayShape> {
        let has_components =
            axes.len() > 1 && axes.last().is_some_and(|last| (1..=MOST_COMPONENTS).contains(last));
        let components = if has_components { axes[axes.len() - 1] } else { 1 };
        let rest = &axes[..axes.len() - usize::from(has_components)];
        let width = if rest.len() > 1 { rest[rest.len() - 1] } else { 1 };
        let row = components.saturating_mul(width).saturating_mul(element.bytes() as u64);
        let chunk_rows = (CHUNK_BYTES / row.max(1)).max(1);
        let shape = ArrayShape { element, axes: axes.to_vec(), components, width, chunk_rows };
        shape.check().map_err(Error::argument)?;
        Ok(shape)
    }

    fn check(&self) -> Result<(), &'static str> {
        if self.axes.len() > MOST_AXES {
            return Err("an array has at most 32 axes");
        }
        // Not a product of all: axes of length zero come in any place.
        let most = |all: u64, axis: &u64| all.checked_mul((*axis).max(1));
        let all = self.axes.iter().try_fold(self.element.bytes() as u64, most);
        let all = all.ok_or("an array has fewer than 2^64 bytes")?;
        let row = self.components.checked_mul(self.width).ok_or("a row is too long")?;
        if self.count() == 0 {
            return Ok(());
        }
        if row == 0 || !self.count().is_multiple_of(row) || self.chunk_rows == 0 {
            return Err("the rows of an array are not its samples");
        }
        let bytes = (row * self.element.bytes() as u64).saturating_mul(self.chunk_rows);
        if bytes.min(all) > MOST_CHUNK_BYTES {
            return Err("a chunk of an array has at most 2^30 bytes of samples");
        }
        Ok(())
    }

    /// Samples.
    pub fn count(&self) -> u64 {
        self.axes.iter().product()
    }

    /// Bytes of all samples.
    pub fn bytes(&self) -> u64 {
        self.count() * self.element.bytes() as u64
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        self.components * self.width * self.element.bytes() as u64
    }

    /// Rows.
    pub fn rows(&self) -> u64 {
        if self.count() == 0 { 0 } else { self.count() / (self.components * self.width) }
    }

    /// Rows of one step along the first axis.
    pub fn rows_of_item(&self) -> u64 {
        let items = self.axes.first().copied().unwrap_or(1);
        self.rows().checked_div(items).unwrap_or(0)
    }

    /// Chunks.
    pub fn chunks(&self) -> u64 {
        self.rows().div_ceil(self.chunk_rows.max(1))
    }

    /// The planes of a chunk of so many rows, which lie one after the other.
    pub(super) fn planes(&self, rows: u64) -> Vec<SamplePlane> {
        let bytes = self.element.bytes();
        let components = self.components as usize;
        // A column is coded as a row.
        let (width, rows) = if self.width == 1 { (rows, 1) } else { (self.width, rows) };
        let (width, rows) = (width as usize, rows as usize);
        let step = components * bytes;
        let plane = |component: usize| SamplePlane {
            element: self.element,
            width,
            rows,
            start: component * bytes,
            step,
            row_step: width * step,
        };
        (0..components).map(plane).collect()
    }

    /// The bytes for the table.
    pub(super) fn encode(&self) -> Vec<u8> {
        let element = Element::ALL.iter().position(|element| *element == self.element);
        let mut out = vec![element.expect("one of all") as u8, self.axes.len() as u8];
        let rest = [self.components, self.width, self.chunk_rows];
        for number in self.axes.iter().chain(&rest) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out
    }

    /// From the table.
    pub(super) fn decode(detail: &[u8]) -> Result<ArrayShape, &'static str> {
        let mut cursor = FieldCursor(detail);
        let mut fields = || {
            let element = *Element::ALL.get(usize::from(cursor.u8()?))?;
            let axes = usize::from(cursor.u8()?);
            let (numbers, rest) = cursor.0.as_chunks::<8>();
            let numbers: Vec<u64> =
                numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
            let (axes, of_chunks) = numbers.split_at_checked(axes)?;
            let &[components, width, chunk_rows] = of_chunks else { return None };
            let axes = axes.to_vec();
            rest.is_empty().then_some(ArrayShape { element, axes, components, width, chunk_rows })
        };
        let shape = fields().ok_or("the description of an array cannot be read")?;
        shape.check()?;
        Ok(shape)
    }
}
