//! Images in memory: a plane of samples a channel.

use crate::header::{self, Box2i};
use crate::read::conversion;
use crate::{Channel, PixelType};
use half::f16;
use solio_base::{Error, Result};
use std::borrow::Cow;

/// The parts of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image<'a> {
    /// At least one.
    pub parts: Vec<ImagePart<'a>>,
    /// Chunks that were missing or damaged, and whose samples are zero; see
    /// [`ReadOptions::partial`](crate::ReadOptions::partial).
    pub missing: Vec<MissingChunk>,
}

/// A chunk that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingChunk {
    /// The part in the file.
    pub part: usize,
    /// The number of the chunk in its part.
    pub chunk: u64,
    /// Why, with its place in the file.
    pub message: String,
}

/// A part: attributes and pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct ImagePart<'a> {
    /// The attributes. Channels, data window and tiles are those of the pixels that are here.
    pub header: header::Part,
    /// The pixels.
    pub pixels: Pixels<'a>,
}

/// The pixels of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels<'a> {
    /// One sample a pixel and channel; a level each, the full size first.
    Flat(Vec<FlatLevel<'a>>),
    /// Any number of samples a pixel.
    Deep(Vec<DeepLevel<'a>>),
}

/// A level of a flat part.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatLevel<'a> {
    /// How often the width was halved.
    pub x: u32,
    /// How often the height was halved.
    pub y: u32,
    /// Which pixels these are.
    pub window: Box2i,
    /// A plane a channel, sorted by name.
    pub planes: Vec<Plane<'a>>,
}

/// A level of a deep part.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepLevel<'a> {
    /// How often the width was halved.
    pub x: u32,
    /// How often the height was halved.
    pub y: u32,
    /// Which pixels these are.
    pub window: Box2i,
    /// How many samples each pixel has, row by row.
    pub counts: Cow<'a, [u32]>,
    /// The samples a channel, sorted by name: all of the first pixel, all of the second, …
    pub planes: Vec<Plane<'a>>,
}

/// The samples of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane<'a> {
    /// The channel.
    pub channel: Channel,
    /// Its samples, row by row; fewer than pixels where the channel is subsampled.
    pub samples: Samples<'a>,
}

/// Samples in the type of their channel.
#[derive(Clone, Debug)]
pub enum Samples<'a> {
    /// 32-bit integers.
    Uint(Cow<'a, [u32]>),
    /// 16-bit floating point numbers.
    Half(Cow<'a, [f16]>),
    /// 32-bit floating point numbers.
    Float(Cow<'a, [f32]>),
}

impl PartialEq for Samples<'_> {
    /// By their bits: a NaN equals itself, and 0 is not −0.
    fn eq(&self, other: &Self) -> bool {
        self.pixel_type() == other.pixel_type() && self.as_bytes() == other.as_bytes()
    }
}

impl Samples<'static> {
    /// So many zeros. Memory is taken as it is written to.
    pub fn zeros(pixel_type: PixelType, count: usize) -> Result<Samples<'static>> {
        Ok(match pixel_type {
            PixelType::Uint => Samples::Uint(Cow::Owned(zeros(count)?)),
            PixelType::Half => Samples::Half(Cow::Owned(zeros(count)?)),
            PixelType::Float => Samples::Float(Cow::Owned(zeros(count)?)),
        })
    }

    /// The bytes, to be written to.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Samples::Uint(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
            Samples::Half(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
            Samples::Float(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
        }
    }
}

/// So many zeros. Memory is taken as it is written to.
pub(crate) fn zeros<T: bytemuck::Zeroable>(count: usize) -> Result<Vec<T>> {
    let mut values = bytemuck::allocation::try_zeroed_vec(count)
        .map_err(|()| Error::limit(format!("{count} samples do not fit into memory")))?;
    solio_base::memory::advise_huge(&mut values);
    Ok(values)
}

impl Samples<'_> {
    /// As samples of another type, converted as [`RasterMut`](crate::RasterMut) says.
    pub fn converted(&self, pixel_type: PixelType) -> Result<Samples<'static>> {
        let mut samples = Samples::zeros(pixel_type, self.len())?;
        match conversion(self.pixel_type(), pixel_type) {
            Some(conversion) => conversion.apply(self.as_bytes(), samples.bytes_mut()),
            None => samples.bytes_mut().copy_from_slice(self.as_bytes()),
        }
        Ok(samples)
    }

    /// How they are stored.
    pub fn pixel_type(&self) -> PixelType {
        match self {
            Samples::Uint(_) => PixelType::Uint,
            Samples::Half(_) => PixelType::Half,
            Samples::Float(_) => PixelType::Float,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.as_bytes().len() / self.pixel_type().bytes()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// Their bytes, in the order of this machine.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Samples::Uint(values) => bytemuck::cast_slice(values),
            Samples::Half(values) => bytemuck::cast_slice(values),
            Samples::Float(values) => bytemuck::cast_slice(values),
        }
    }
}
