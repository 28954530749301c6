//! Codecs that see numbers, or elements of several numbers.

use super::native::{decode_vertices, encode_vertices, vertices_bound};
use super::{Codec, damaged};
use crate::array::ValueType;
use half::f16;
use pco::ChunkConfig;
use pco::data_types::Number;
use pco::standalone::{simple_compress_into, simple_decompress_into};
use solio_base::{Error, Result};
use solio_codec::array::{ArrayDecoder, ArrayEncoder, Effort, Element, SamplePlane};
use solio_codec::filter::FilterShape;

/// Pcodec. It sees each chunk as one row of numbers.
pub(super) struct Pco {
    value: ValueType,
    config: ChunkConfig,
}

impl Pco {
    pub(super) fn new(value: ValueType, level: i32) -> Pco {
        let level = usize::try_from(level).unwrap_or(0);
        let config = ChunkConfig::default().with_compression_level(level).with_enable_8_bit(true);
        Pco { value, config }
    }

    fn pack<T: Number + bytemuck::Pod>(&self, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let copy: Vec<T>;
        let values = match bytemuck::try_cast_slice(from) {
            Ok(values) => values,
            Err(_) => {
                copy = bytemuck::pod_collect_to_vec(from);
                &copy
            }
        };
        let room = to.len();
        let rest = simple_compress_into(values, &self.config, to).map_err(damaged)?;
        Ok(room - rest.len())
    }

    fn unpack<T: Number + bytemuck::Pod>(from: &[u8], to: &mut [u8]) -> Result<()> {
        let count = to.len() / size_of::<T>();
        let progress = match bytemuck::try_cast_slice_mut(to) {
            Ok(values) => simple_decompress_into::<T>(from, values),
            Err(_) => {
                let mut values: Vec<T> = vec![T::zeroed(); count];
                let progress = simple_decompress_into(from, &mut values);
                to.copy_from_slice(bytemuck::cast_slice(&values));
                progress
            }
        };
        let progress = progress.map_err(damaged)?;
        if progress.n_processed != count {
            return Err(damaged(format!("{} numbers, not {count}", progress.n_processed)));
        }
        Ok(())
    }
}

impl Codec for Pco {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        // What cannot be packed stays as wide as it is, with a head a page of 2^18 numbers.
        shape.size_bytes() + shape.size_bytes() / 8 + 4096
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        match self.value {
            ValueType::U8 => self.pack::<u8>(from, to),
            ValueType::U16 => self.pack::<u16>(from, to),
            ValueType::U32 => self.pack::<u32>(from, to),
            ValueType::U64 => self.pack::<u64>(from, to),
            ValueType::F16 => self.pack::<f16>(from, to),
            ValueType::F32 => self.pack::<f32>(from, to),
            ValueType::F64 => self.pack::<f64>(from, to),
        }
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        match self.value {
            ValueType::U8 => Pco::unpack::<u8>(from, to),
            ValueType::U16 => Pco::unpack::<u16>(from, to),
            ValueType::U32 => Pco::unpack::<u32>(from, to),
            ValueType::U64 => Pco::unpack::<u64>(from, to),
            ValueType::F16 => Pco::unpack::<f16>(from, to),
            ValueType::F32 => Pco::unpack::<f32>(from, to),
            ValueType::F64 => Pco::unpack::<f64>(from, to),
        }
    }
}

/// Solio's codec of arrays: it sees each channel as a plane.
pub(super) struct Solio {
    element: Element,
    encoder: ArrayEncoder,
    decoder: ArrayDecoder,
    planes: Vec<SamplePlane>,
    packed: Vec<u8>,
}

impl Solio {
    pub(super) fn new(value: ValueType, effort: Effort) -> Result<Solio> {
        let element = match value {
            ValueType::U8 => Element::U8,
            ValueType::U16 => Element::U16,
            ValueType::U32 => Element::U32,
            ValueType::F16 => Element::Half,
            ValueType::F32 => Element::Float,
            ValueType::F64 => Element::Double,
            ValueType::U64 => return Err(Error::unsupported("integers of 64 bits")),
        };
        let (encoder, decoder) = (ArrayEncoder::new(effort)?, ArrayDecoder::default());
        Ok(Solio { element, encoder, decoder, planes: Vec::new(), packed: Vec::new() })
    }

    fn lay_out(&mut self, shape: &FilterShape) {
        let (step, line) = (shape.bytes, shape.width * shape.bytes);
        let element = self.element;
        self.planes.clear();
        self.planes.extend((0..shape.channels).map(|channel| SamplePlane {
            element,
            width: shape.width,
            rows: shape.rows,
            start: channel * line,
            step,
            row_step: shape.channels * line,
        }));
    }
}

impl Codec for Solio {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        shape.size_bytes() + shape.size_bytes() / 4 + 64 * shape.channels + 1024
    }

    fn encode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        self.lay_out(shape);
        self.packed.clear();
        self.encoder.encode(from, &self.planes, &mut self.packed)?;
        let place = to.get_mut(..self.packed.len());
        let place = place.ok_or_else(|| damaged("the codec of arrays needs more room"))?;
        place.copy_from_slice(&self.packed);
        Ok(self.packed.len())
    }

    fn decode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        self.lay_out(shape);
        self.decoder.decode(from, &self.planes, to)
    }
}

/// Bytes of an element as meshoptimizer wants them: a multiple of 4, at most 256.
pub(super) fn vertex_bytes(element: usize) -> Option<usize> {
    let bytes = element.next_multiple_of(4);
    (bytes <= 256 && element > 0).then_some(bytes)
}

/// meshoptimizer's vertex codec. Channels are put side by side first, with zeros up to a multiple
/// of 4 bytes.
pub(super) struct Meshopt {
    level: i32,
    elements: Vec<u8>,
}

impl Meshopt {
    pub(super) fn new(level: i32) -> Meshopt {
        Meshopt { level, elements: Vec::new() }
    }
}

impl Codec for Meshopt {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        element_size(shape).map_or(0, |size| vertices_bound(shape.rows * shape.width, size))
    }

    fn encode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let size = element_size(shape)?;
        self.elements.resize(shape.rows * shape.width * size, 0);
        weave(shape, size, from, &mut self.elements);
        encode_vertices(self.level, size, &self.elements, to)
    }

    fn decode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        let size = element_size(shape)?;
        self.elements.resize(shape.rows * shape.width * size, 0);
        decode_vertices(size, from, &mut self.elements)?;
        unweave(shape, size, &self.elements, to);
        Ok(())
    }
}

fn element_size(shape: &FilterShape) -> Result<usize> {
    vertex_bytes(shape.bytes * shape.channels)
        .filter(|_| shape.planes == 1)
        .ok_or_else(|| Error::unsupported("meshoptimizer takes elements of up to 256 bytes"))
}

/// Lines of channels to elements of `size` bytes.
fn weave(shape: &FilterShape, size: usize, from: &[u8], to: &mut [u8]) {
    match shape.bytes {
        1 => weave_of::<1>(shape, size, from, to),
        2 => weave_of::<2>(shape, size, from, to),
        4 => weave_of::<4>(shape, size, from, to),
        _ => weave_of::<8>(shape, size, from, to),
    }
}

fn weave_of<const N: usize>(shape: &FilterShape, size: usize, from: &[u8], to: &mut [u8]) {
    for_lines(shape, |line, row, channel| {
        let values = from[line * shape.width * N..][..shape.width * N].as_chunks::<N>().0;
        let elements = to[row * shape.width * size..][..shape.width * size].chunks_exact_mut(size);
        for (value, element) in values.iter().zip(elements) {
            element[channel * N..][..N].copy_from_slice(value);
        }
    });
}

/// Undoes [`weave`].
fn unweave(shape: &FilterShape, size: usize, from: &[u8], to: &mut [u8]) {
    match shape.bytes {
        1 => unweave_of::<1>(shape, size, from, to),
        2 => unweave_of::<2>(shape, size, from, to),
        4 => unweave_of::<4>(shape, size, from, to),
        _ => unweave_of::<8>(shape, size, from, to),
    }
}

fn unweave_of<const N: usize>(shape: &FilterShape, size: usize, from: &[u8], to: &mut [u8]) {
    for_lines(shape, |line, row, channel| {
        let values = to[line * shape.width * N..][..shape.width * N].as_chunks_mut::<N>().0;
        let elements = from[row * shape.width * size..][..shape.width * size].chunks_exact(size);
        for (value, element) in values.iter_mut().zip(elements) {
            value.copy_from_slice(&element[channel * N..][..N]);
        }
    });
}

fn for_lines(shape: &FilterShape, mut job: impl FnMut(usize, usize, usize)) {
    if shape.width == 0 {
        return;
    }
    for row in 0..shape.rows {
        for channel in 0..shape.channels {
            job(row * shape.channels + channel, row, channel);
        }
    }
}

#[cfg(feature = "zfp")]
pub(super) use of_zfp::Zfp;

#[cfg(feature = "zfp")]
mod of_zfp {
    use super::super::native::{ZfpType, decode_zfp, encode_zfp, zfp_bound};
    use super::{Codec, Error, FilterShape, Result, ValueType, damaged, f16, for_lines};

    /// ZFP without loss: each channel is an image of its own.
    pub(in crate::codec) struct Zfp {
        value: ValueType,
        kind: ZfpType,
        /// A channel, as ZFP wants it, in words that floats and doubles may lie in.
        plane: Vec<u64>,
        /// What a channel was packed to, where whole words can be read.
        packed: Vec<u64>,
    }

    impl Zfp {
        /// Of floats; 16-bit ones become 32-bit ones.
        pub(in crate::codec) fn floats(value: ValueType) -> Result<Zfp> {
            match value {
                ValueType::F16 | ValueType::F32 => Ok(Zfp::new(value, ZfpType::Float)),
                ValueType::F64 => Ok(Zfp::new(value, ZfpType::Double)),
                _ => Err(Error::unsupported("ZFP: the numbers are no floats")),
            }
        }

        /// Of integers that rise with the numbers. ZFP has room for 30 bits: what is larger does
        /// not come back.
        pub(in crate::codec) fn integers(value: ValueType) -> Result<Zfp> {
            match value {
                ValueType::F16 | ValueType::U16 | ValueType::U32 => {
                    Ok(Zfp::new(value, ZfpType::Int32))
                }
                _ => Err(Error::unsupported("ZFP: the numbers do not fit into its integers")),
            }
        }

        fn new(value: ValueType, kind: ZfpType) -> Zfp {
            Zfp { value, kind, plane: Vec::new(), packed: Vec::new() }
        }

        fn size_bytes(&self) -> usize {
            if self.kind == ZfpType::Double { 8 } else { 4 }
        }

        /// From a line of the chunk to one of ZFP's.
        fn widen(&self, from: &[u8], to: &mut [u8]) {
            match (self.kind, self.value) {
                (ZfpType::Float, ValueType::F16) => {
                    for (from, to) in from.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
                        *to = f16::from_le_bytes(*from).to_f32().to_le_bytes();
                    }
                }
                (ZfpType::Int32, value) if value.bytes() == 2 => {
                    for (from, to) in from.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
                        let bits = i16::from_le_bytes(*from);
                        *to = i32::from(if value.is_float() { rising(bits) } else { bits })
                            .to_le_bytes();
                    }
                }
                _ => to.copy_from_slice(from),
            }
        }

        /// Undoes [`Zfp::widen`].
        fn narrow(&self, from: &[u8], to: &mut [u8]) {
            match (self.kind, self.value) {
                (ZfpType::Float, ValueType::F16) => {
                    for (from, to) in from.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
                        *to = f16::from_f32(f32::from_le_bytes(*from)).to_le_bytes();
                    }
                }
                (ZfpType::Int32, value) if value.bytes() == 2 => {
                    for (from, to) in from.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
                        let bits = i32::from_le_bytes(*from) as i16;
                        *to = (if value.is_float() { rising(bits) } else { bits }).to_le_bytes();
                    }
                }
                _ => to.copy_from_slice(from),
            }
        }
    }

    /// The bits of a float to an integer that rises with it; its own inverse.
    fn rising(bits: i16) -> i16 {
        bits ^ ((bits >> 15) & 0x7fff)
    }

    impl Codec for Zfp {
        fn bound(&mut self, shape: &FilterShape) -> usize {
            match shape.width {
                0 => 0,
                width => shape.channels * (4 + zfp_bound(self.kind, width, shape.rows)),
            }
        }

        fn encode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
            let (line_bytes, line) = (shape.width * shape.bytes, shape.width * self.size_bytes());
            let mut plane = std::mem::take(&mut self.plane);
            plane.resize((shape.rows * line).div_ceil(8), 0);
            let mut done = 0;
            for wanted in 0..if shape.width == 0 { 0 } else { shape.channels } {
                let bytes = &mut bytemuck::cast_slice_mut(&mut plane)[..shape.rows * line];
                for_lines(shape, |number, row, channel| {
                    if channel == wanted {
                        let from = &from[number * line_bytes..][..line_bytes];
                        self.widen(from, &mut bytes[row * line..][..line]);
                    }
                });
                let bound = zfp_bound(self.kind, shape.width, shape.rows).div_ceil(8);
                if self.packed.len() < bound {
                    self.packed.resize(bound, 0);
                }
                let length =
                    encode_zfp(self.kind, shape.width, shape.rows, bytes, &mut self.packed)?;
                let packed: &[u8] = bytemuck::cast_slice(&self.packed);
                to[done..][..4].copy_from_slice(&(length as u32).to_le_bytes());
                to[done + 4..][..length].copy_from_slice(&packed[..length]);
                done += 4 + length;
            }
            self.plane = plane;
            Ok(done)
        }

        fn decode(&mut self, shape: &FilterShape, mut from: &[u8], to: &mut [u8]) -> Result<()> {
            let (line_bytes, line) = (shape.width * shape.bytes, shape.width * self.size_bytes());
            let mut plane = std::mem::take(&mut self.plane);
            plane.resize((shape.rows * line).div_ceil(8), 0);
            for wanted in 0..if shape.width == 0 { 0 } else { shape.channels } {
                let short = || damaged("ZFP: a channel is missing");
                let (length, rest) = from.split_first_chunk::<4>().ok_or_else(short)?;
                let length = u32::from_le_bytes(*length) as usize;
                let (packed, rest) = rest.split_at_checked(length).ok_or_else(short)?;
                from = rest;
                // Whole words, and some to spare, which ZFP may look at.
                let words = length.div_ceil(8) + 2;
                if self.packed.len() < words {
                    self.packed.resize(words, 0);
                }
                let place: &mut [u8] = bytemuck::cast_slice_mut(&mut self.packed);
                place[..length].copy_from_slice(packed);
                let bytes = &mut bytemuck::cast_slice_mut(&mut plane)[..shape.rows * line];
                decode_zfp(self.kind, shape.width, shape.rows, &self.packed, bytes)?;
                for_lines(shape, |number, row, channel| {
                    if channel == wanted {
                        let to = &mut to[number * line_bytes..][..line_bytes];
                        self.narrow(&bytes[row * line..][..line], to);
                    }
                });
            }
            self.plane = plane;
            Ok(())
        }
    }
}
