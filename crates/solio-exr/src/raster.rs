//! Pixels in the caller's memory: rows of one type, with one channel or several side by side.

use crate::PixelType;
use half::f16;
use solio_base::{Error, Result};

/// Samples to be written to.
#[derive(Debug)]
pub enum SamplesMut<'a> {
    /// 32-bit integers.
    Uint(&'a mut [u32]),
    /// 16-bit floating point numbers.
    Half(&'a mut [f16]),
    /// 32-bit floating point numbers.
    Float(&'a mut [f32]),
}

impl<'a> SamplesMut<'a> {
    /// How they are stored.
    pub fn pixel_type(&self) -> PixelType {
        match self {
            SamplesMut::Uint(_) => PixelType::Uint,
            SamplesMut::Half(_) => PixelType::Half,
            SamplesMut::Float(_) => PixelType::Float,
        }
    }

    /// Their bytes, lent.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            SamplesMut::Uint(values) => bytemuck::cast_slice_mut(values),
            SamplesMut::Half(values) => bytemuck::cast_slice_mut(values),
            SamplesMut::Float(values) => bytemuck::cast_slice_mut(values),
        }
    }

    /// Their bytes, in the order of this machine.
    pub(crate) fn into_bytes(self) -> &'a mut [u8] {
        match self {
            SamplesMut::Uint(values) => bytemuck::cast_slice_mut(values),
            SamplesMut::Half(values) => bytemuck::cast_slice_mut(values),
            SamplesMut::Float(values) => bytemuck::cast_slice_mut(values),
        }
    }
}

/// Rows of pixels that are to be filled: a channel alone, or several side by side in each pixel.
#[derive(Debug)]
pub struct RasterMut<'a> {
    /// The full names of the channels, in the order in which a pixel has them. One may come in
    /// several places, of this raster or of others.
    pub channels: Vec<String>,
    /// From the first sample of the first row on. Channels of another type are converted: floating
    /// point numbers to the nearest, integers by cutting off fractions, what is too large to the
    /// largest there is.
    pub samples: SamplesMut<'a>,
    /// Samples from the start of a row to that of the next.
    pub row_stride: usize,
    /// Samples from a pixel to the next; 0 where nothing lies between them. What does is left alone.
    pub pixel_stride: usize,
}

/// Refuses rows of `row` samples that do not fit.
pub(crate) fn check_rows(rows: usize, row: usize, stride: usize, samples: usize) -> Result<()> {
    let needed = rows.saturating_sub(1).checked_mul(stride).and_then(|all| all.checked_add(row));
    if (rows > 1 && stride < row) || needed.is_none_or(|needed| needed > samples) {
        let message = format!(
            "{rows} rows of {row} samples, each {stride} after the one before, do not fit into {samples}"
        );
        return Err(Error::argument(message));
    }
    Ok(())
}
