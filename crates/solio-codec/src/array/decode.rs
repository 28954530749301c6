//! Reads chunks.

use super::bytes::ByteUnpacker;
use super::context::{self, Expect};
use super::cursor::FieldCursor;
use super::encode::{check, room, row_numbers};
use super::predict::{Prediction, restore};
use super::ranks;
use super::{Element, HEAD, NO_BASE, RANKED, ResidualMethod, SamplePlane, class, low_bits};
use crate::wide::{Wide, wide};
use crate::word::Word;
use solio_base::{Error, Result};

/// What reads chunks; keep one per thread.
#[derive(Default)]
pub struct ArrayDecoder {
    unpacker: ByteUnpacker,
    words: Vec<u64>,
    base: Vec<u64>,
    bytes: Vec<u8>,
    contexts: context::ContextTables,
}

/// What the head of a plane says.
#[derive(Clone, Copy)]
struct PlaneHeader<'a> {
    prediction: Prediction,
    is_ranked: bool,
    method: u8,
    base: Option<usize>,
    packed: &'a [u8],
}

impl ArrayDecoder {
    /// Puts the samples of all `planes` to their places in `to`; other bytes are left alone.
    /// `packed` is a whole chunk, as [`super::Encoder::encode`] made it of such planes.
    ///
    /// # Errors
    /// `Corrupt`, with the offset in `packed`, for what is not such a chunk: then some of the
    /// samples may have been put down. `Argument` as for encoding; `Io` where zstd gets no memory.
    pub fn decode(&mut self, packed: &[u8], planes: &[SamplePlane], to: &mut [u8]) -> Result<()> {
        check(planes, to.len())?;
        let heads = heads(packed, planes)?;
        // What has no base comes first: it may be one.
        for has_base in [false, true] {
            for (i, (plane, head)) in planes.iter().zip(&heads).enumerate() {
                if head.base.is_some() != has_base {
                    continue;
                }
                let base = head.base.map(|base| &planes[base]);
                let done = match plane.element {
                    Element::U8 => self.plane::<u8>(head, plane, base, to),
                    Element::U16 | Element::Half => self.plane::<u16>(head, plane, base, to),
                    Element::U32 | Element::Float => self.plane::<u32>(head, plane, base, to),
                    Element::Double => self.plane::<u64>(head, plane, base, to),
                };
                done.ok_or_else(|| {
                    if let Some(error) = self.unpacker.failed.take() {
                        return Error::io("decompress with zstd", error);
                    }
                    let at = head.packed.as_ptr() as usize - packed.as_ptr() as usize;
                    let message = format!("plane {i} of a chunk does not hold its samples");
                    Error::corrupt(message).at_offset(at as u64)
                })?;
            }
        }
        Ok(())
    }

    fn plane<T: Word>(
        &mut self,
        head: &PlaneHeader,
        plane: &SamplePlane,
        base: Option<&SamplePlane>,
        to: &mut [u8],
    ) -> Option<()> {
        let words = room::<T>(&mut self.words, plane.count());
        let width = plane.width;
        let is_context =
            [ResidualMethod::Median as u8, ResidualMethod::Mean as u8].contains(&head.method);
        let mut cursor = FieldCursor(head.packed);
        let count = words.len();
        let values = match head.is_ranked {
            true => Some(ranks::decode::<T>(&mut cursor, count, &mut self.unpacker)?),
            false => None,
        };
        // Numbers are either ranks or what a base lacks.
        (values.is_none() || base.is_none() && [2, 4].contains(&T::BYTES)).then_some(())?;
        if head.method == ResidualMethod::Zeros as u8 {
            words.fill(T::default());
            if let Some(first) = words.first_mut() {
                *first = T::of_bytes(cursor.bytes(T::BYTES)?).unzigzag();
            }
        } else if head.method == ResidualMethod::LowBits as u8 && T::BYTES == 2 {
            let bits = u32::from(cursor.u8()?);
            let escaped = cursor.u32()? as usize;
            (bits <= low_bits::MOST && escaped <= count).then_some(())?;
            let uppers = of_count(&mut self.bytes, count);
            self.unpacker.unpack(&mut cursor, uppers)?;
            let rest = cursor.bytes(low_bits::packed_bytes(count, bits))?;
            let escaped = cursor.bytes(2 * escaped)?.as_chunks::<2>().0;
            let escaped = escaped.iter().map(|bytes| u16::from_le_bytes(*bytes));
            low_bits::join(uppers, rest, bits, escaped, bytemuck::cast_slice_mut(words))?;
        } else if head.method == ResidualMethod::Classes as u8 && T::BYTES < 8 {
            let classes = of_count(&mut self.bytes, count);
            self.unpacker.unpack(&mut cursor, classes)?;
            let rest = cursor.bytes(cursor.0.len())?;
            class::join(classes, rest, words)?;
        } else if head.method == ResidualMethod::Bytes as u8 {
            let bytes = of_count(&mut self.bytes, count * T::BYTES);
            for plane in bytes.chunks_exact_mut(count.max(1)) {
                self.unpacker.unpack(&mut cursor, plane)?;
            }
            wide(JoinBytes { bytes, to: words });
        } else if T::BYTES < 8 && width > 0 && is_context {
            let expect = match head.method == ResidualMethod::Mean as u8 {
                true => Expect::Mean,
                false => Expect::Median,
            };
            let words = &mut words[..];
            context::decode(&mut cursor, width, expect, &mut self.contexts, words)?;
        } else {
            return None;
        }
        cursor.0.is_empty().then_some(())?;
        let width = width.max(1);
        let prediction = if is_context { Prediction::None } else { head.prediction };
        let has_other = base.is_some() || values.is_some();
        let other = room::<T>(&mut self.base, if has_other { width } else { 0 });
        for y in 0..plane.rows.min(count / width) {
            let (above, row) = words.split_at_mut(y * width);
            let row = &mut row[..width];
            restore(row, &above[y.saturating_sub(1) * width..], prediction);
            if let Some(base) = base {
                row_numbers(to, base, y, 0, other);
            }
            let to = &mut to[plane.start + y * plane.row_step..];
            let (is_float, step) = (plane.element.is_float(), plane.step);
            if let Some(values) = &values {
                ranks::look_up(values, row, other)?;
                wide(StoreSamples { from: other, other: &[], step, is_float, to });
            } else {
                wide(StoreSamples { from: row, other, step, is_float, to });
            }
        }
        Some(())
    }
}

fn of_count(memory: &mut Vec<u8>, count: usize) -> &mut [u8] {
    if memory.len() < count {
        memory.resize(count, 0);
    }
    &mut memory[..count]
}

fn heads<'a>(packed: &'a [u8], planes: &[SamplePlane]) -> Result<Vec<PlaneHeader<'a>>> {
    let mut found: Vec<PlaneHeader> = Vec::with_capacity(planes.len());
    let bad = |i: usize, what: &str| {
        Error::corrupt(format!("{what} of plane {i} of a chunk")).at_offset((HEAD * i) as u64)
    };
    let mut rest = packed.get(HEAD * planes.len()..).ok_or_else(|| {
        let message = format!("a chunk of {} planes ends in their heads", planes.len());
        Error::corrupt(message).at_offset(packed.len() as u64)
    })?;
    for (i, (head, plane)) in packed.as_chunks::<HEAD>().0.iter().zip(planes).enumerate() {
        let &[prediction, method, b0, b1, s0, s1, s2, s3] = head;
        let is_ranked = prediction & RANKED != 0;
        let prediction = Prediction::of_code(prediction & !RANKED)
            .ok_or_else(|| bad(i, "unknown prediction"))?;
        let base = u16::from_le_bytes([b0, b1]);
        let base = (base != NO_BASE).then_some(usize::from(base));
        if base.is_some_and(|base| planes.get(base).is_none_or(|base| !base.is_like(plane))) {
            return Err(bad(i, "impossible base"));
        }
        let size = u32::from_le_bytes([s0, s1, s2, s3]) as usize;
        let (of_plane, others) =
            rest.split_at_checked(size).ok_or_else(|| bad(i, "too large a size"))?;
        rest = others;
        found.push(PlaneHeader { prediction, is_ranked, method, base, packed: of_plane });
    }
    for (i, head) in found.iter().enumerate() {
        if head.base.is_some_and(|base| found[base].base.is_some()) {
            return Err(bad(i, "base with a base"));
        }
    }
    if !rest.is_empty() {
        let at = packed.len() - rest.len();
        let message = format!("{} bytes too many behind a chunk", rest.len());
        return Err(Error::corrupt(message).at_offset(at as u64));
    }
    Ok(found)
}

/// Differences of their bytes.
struct JoinBytes<'a, T> {
    bytes: &'a [u8],
    to: &'a mut [T],
}

impl<T: Word> Wide for JoinBytes<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let JoinBytes { bytes, to } = self;
        let count = to.len();
        match T::BYTES {
            1 => {
                let values = to.iter_mut().zip(bytes);
                values.for_each(|(to, a)| *to = T::of_u64(u64::from(*a)).unzigzag());
            }
            2 => {
                let (a, b) = bytes.split_at(count);
                for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
                    *to = T::of_u64(u64::from(u16::from_le_bytes([*a, *b]))).unzigzag();
                }
            }
            4 => {
                let (low, high) = bytes.split_at(2 * count);
                let ((a, b), (c, d)) = (low.split_at(count), high.split_at(count));
                for ((((to, a), b), c), d) in to.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    let word = u32::from_le_bytes([*a, *b, *c, *d]);
                    *to = T::of_u64(u64::from(word)).unzigzag();
                }
            }
            _ => {
                for (i, to) in to.iter_mut().enumerate() {
                    let word = std::array::from_fn(|byte| bytes[byte * count + i]);
                    *to = T::of_u64(u64::from_le_bytes(word)).unzigzag();
                }
            }
        }
    }
}

/// Puts samples to their places, with those of the base added where there is one.
struct StoreSamples<'a, T> {
    from: &'a [T],
    other: &'a [T],
    step: usize,
    is_float: bool,
    to: &'a mut [u8],
}

impl<T: Word> Wide for StoreSamples<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let StoreSamples { from, other, step, is_float, to } = self;
        let ordered = |sample: T| if is_float { sample.ordered() } else { sample };
        match (step == T::BYTES, other.is_empty()) {
            (true, true) => {
                let to = to.chunks_exact_mut(T::BYTES).zip(from);
                to.for_each(|(to, from)| ordered(*from).put(to));
            }
            (true, false) => {
                let to = to.chunks_exact_mut(T::BYTES).zip(from).zip(other);
                to.for_each(|((to, from), other)| ordered(from.plus(*other)).put(to));
            }
            (false, has_none) => {
                let sample =
                    |i: usize| ordered(if has_none { from[i] } else { from[i].plus(other[i]) });
                // Of steps that are known nothing is to be checked at each sample.
                let count = if has_none { from.len() } else { from.len().min(other.len()) };
                let done = match step {
                    4 => strided::<T, 4>(to, count, sample),
                    6 => strided::<T, 6>(to, count, sample),
                    8 => strided::<T, 8>(to, count, sample),
                    12 => strided::<T, 12>(to, count, sample),
                    16 => strided::<T, 16>(to, count, sample),
                    _ => 0,
                };
                let rest = to.chunks_mut(step).enumerate().take(count).skip(done);
                rest.for_each(|(i, to)| sample(i).put(to));
            }
        }
    }
}

/// Puts samples so many bytes apart, as long as there is room for all of these: how many.
#[inline(always)]
fn strided<T: Word, const STEP: usize>(
    to: &mut [u8],
    count: usize,
    sample: impl Fn(usize) -> T,
) -> usize {
    let (pixels, _) = to.as_chunks_mut::<STEP>();
    let done = pixels.len().min(count);
    for (i, pixel) in pixels[..done].iter_mut().enumerate() {
        sample(i).put(pixel);
    }
    done
}
