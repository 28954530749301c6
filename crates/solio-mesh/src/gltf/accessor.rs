//! Accessors: numbers in views, to arrays.
//!
//! What lies in the file as it is wanted (floats one after another) is read straight into the array; the
//! rest a block at a time, through a scratch buffer.

use super::buffers::{Buffers, Slab, in_place, missing};
use super::document::{AccessorJson, Sparse};
use crate::model::Values;
use crate::parallel;
use bytemuck::{Pod, Zeroable};
use solio_base::{Error, Result, Work, lock, memory};
use std::sync::Mutex;

/// Bytes of a read: they and what is made of them stay in a core's cache.
const BLOCK_BYTES: usize = 256 << 10;
/// So many bytes are worth more than one thread.
const PARALLEL_BYTES: usize = 8 << 20;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(super) fn of(code: u32) -> Result<Component> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(Error::corrupt(format!("the component type {code}"))),
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number at the start of `bytes`.
    #[inline]
    fn value(self, bytes: &[u8], normalized: bool) -> f32 {
        let two = || [bytes[0], bytes[1]];
        let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
        match (self, normalized) {
            (Component::F32, _) => f32::from_le_bytes(four()),
            (Component::I8, false) => f32::from(bytes[0] as i8),
            (Component::U8, false) => f32::from(bytes[0]),
            (Component::I16, false) => f32::from(i16::from_le_bytes(two())),
            (Component::U16, false) => f32::from(u16::from_le_bytes(two())),
            (Component::U32, false) => u32::from_le_bytes(four()) as f32,
            (Component::I8, true) => (f32::from(bytes[0] as i8) / 127.0).max(-1.0),
            (Component::U8, true) => f32::from(bytes[0]) / 255.0,
            (Component::I16, true) => (f32::from(i16::from_le_bytes(two())) / 32767.0).max(-1.0),
            (Component::U16, true) => f32::from(u16::from_le_bytes(two())) / 65535.0,
            (Component::U32, true) => (f64::from(u32::from_le_bytes(four())) / 4294967295.0) as f32,
        }
    }
}

/// Columns and rows of a type.
pub(super) fn shape(name: &str) -> Result<(usize, usize)> {
    Ok(match name {
        "SCALAR" => (1, 1),
        "VEC2" => (1, 2),
        "VEC3" => (1, 3),
        "VEC4" => (1, 4),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return Err(Error::corrupt(format!("the type \"{name}\""))),
    })
}

/// An accessor whose view is known to hold it.
pub(super) struct Accessed<'a> {
    json: &'a AccessorJson,
    slab: Option<Slab<'a>>,
    pub(super) component: Component,
    pub(super) count: usize,
    /// Numbers of an element.
    pub(super) parts: usize,
    /// Where the numbers of an element are.
    places: Vec<usize>,
    element_bytes: usize,
    stride: usize,
    what: String,
}

impl<'a> Accessed<'a> {
    pub(super) fn open(buffers: &'a Buffers<'_>, number: u32) -> Result<Accessed<'a>> {
        let all = &buffers.document.accessors;
        let json =
            all.get(number as usize).ok_or_else(|| missing("accessor", number, all.len()))?;
        let what = format!("accessors[{number}]");
        Accessed::of(buffers, json, &what).map_err(|e| in_place(e, &what))
    }

    fn of(buffers: &'a Buffers<'_>, json: &'a AccessorJson, what: &str) -> Result<Accessed<'a>> {
        let component = Component::of(json.component_type)?;
        let (columns, rows) = shape(&json.shape)?;
        // Columns of matrices start at multiples of four bytes.
        let column = match columns {
            1 => rows * component.size(),
            _ => (rows * component.size()).next_multiple_of(4),
        };
        let place = |i: usize| i / rows * column + i % rows * component.size();
        let places: Vec<usize> = (0..columns * rows).map(place).collect();
        let element_bytes = column * (columns - 1) + rows * component.size();
        let count = u32::try_from(json.count).ok().filter(|count| *count < u32::MAX);
        let Some(count) = count else {
            return Err(Error::limit(format!(
                "{} elements: more than can be numbered",
                json.count
            )));
        };
        let slab = json.buffer_view.map(|view| buffers.view(view)).transpose()?;
        let tight = column * columns;
        if slab.is_none() {
            buffers.check_zeros(u64::from(count) * tight as u64)?;
        }
        let stride = slab.as_ref().and_then(|slab| slab.stride).unwrap_or(tight as u64);
        if let Some(slab) = &slab {
            if stride < element_bytes as u64 {
                let message = format!("elements of {element_bytes} bytes every {stride} bytes");
                return Err(Error::corrupt(message));
            }
            let rows = u64::from(count).saturating_sub(1).checked_mul(stride);
            let end = rows.and_then(|rows| rows.checked_add(json.byte_offset));
            let end = end.and_then(|end| end.checked_add(element_bytes as u64));
            if count > 0 && end.is_none_or(|end| end > slab.length) {
                return Err(Error::corrupt(format!(
                    "{count} elements every {stride} bytes from {} on, in a view of {} bytes",
                    json.byte_offset, slab.length
                )));
            }
        }
        Ok(Accessed {
            json,
            slab,
            component,
            count: count as usize,
            parts: columns * rows,
            places,
            element_bytes,
            // It is less than the view's length, which memory or a file holds.
            stride: usize::try_from(stride).unwrap_or(usize::MAX),
            what: what.to_owned(),
        })
    }

    /// Where the elements start in their source, if they lie there one after another and nothing
    /// replaces some.
    fn plain(&self, component: Component, parts: usize) -> Option<&Slab<'a>> {
        let is_tight = self.stride == self.element_bytes && self.component == component;
        let is_whole = is_tight && self.parts == parts && self.json.sparse.is_none();
        self.slab.as_ref().filter(|_| is_whole && cfg!(target_endian = "little"))
    }

    /// Rows of floats. `then` is called with each part of them, once it is in memory.
    pub(super) fn rows<const N: usize>(
        &self,
        buffers: &Buffers<'_>,
        then: &(dyn Fn(&mut [[f32; N]]) + Sync),
    ) -> Result<Vec<[f32; N]>>
    where
        [f32; N]: Pod + Zeroable,
    {
        let read = || {
            if self.parts != N {
                let message = format!("{} is not the type that is wanted here", self.json.shape);
                return Err(Error::corrupt(message));
            }
            buffers.spend((self.count as u64).saturating_mul(4 * N as u64))?;
            if let Some(slab) = self.plain(Component::F32, N) {
                let start = slab.place(self.json.byte_offset);
                return filled(slab, start, self.count, buffers.work, &|rows| {
                    then(rows);
                    Ok(())
                });
            }
            let mut rows = vec![[0.0; N]; self.count];
            memory::advise_huge(&mut rows);
            self.each(&mut |at, bytes| {
                for (part, place) in self.places.iter().enumerate() {
                    rows[at][part] = self.component.value(&bytes[*place..], self.json.normalized);
                }
            })?;
            self.each_sparse(buffers, &mut |at, bytes| {
                for (part, place) in self.places.iter().enumerate() {
                    rows[at][part] = self.component.value(&bytes[*place..], self.json.normalized);
                }
            })?;
            then(&mut rows);
            Ok(rows)
        };
        read().map_err(|e| in_place(e, &self.what))
    }

    /// Indices, all below `vertices`.
    pub(super) fn indices(&self, buffers: &Buffers<'_>, vertices: usize) -> Result<Vec<u32>> {
        let read = || {
            if self.parts != 1 {
                return Err(Error::corrupt("indices are scalars"));
            }
            buffers.spend(self.count as u64 * 4)?;
            let end = u32::try_from(vertices).unwrap_or(u32::MAX);
            let check = |indices: &mut [u32]| {
                // No search for the greatest: a comparison is what every CPU has for vectors.
                if !indices.iter().fold(false, |beyond, index| beyond | (*index >= end)) {
                    return Ok(());
                }
                let most = indices.iter().max().copied().unwrap_or_default();
                Err(Error::corrupt(format!("vertex {most} of {vertices}")))
            };
            match (self.plain(Component::U32, 1), self.component) {
                (Some(slab), _) => {
                    let start = slab.place(self.json.byte_offset);
                    return filled(slab, start, self.count, buffers.work, &check);
                }
                (_, Component::U8 | Component::U16 | Component::U32) => {}
                _ => return Err(Error::corrupt("indices are unsigned integers")),
            }
            let mut out = vec![0u32; self.count];
            memory::advise_huge(&mut out);
            let component = self.component;
            self.each(&mut |at, bytes| out[at] = index_of(component, bytes))?;
            self.each_sparse(buffers, &mut |at, bytes| out[at] = index_of(component, bytes))?;
            check(&mut out)?;
            Ok(out)
        };
        read().map_err(|e| in_place(e, &self.what))
    }

    /// The numbers as they are, but for normalised ones: these become floats.
    pub(super) fn values(&self, buffers: &Buffers<'_>) -> Result<Values<'static>> {
        let total = self.count.saturating_mul(self.parts);
        let component = if self.json.normalized { Component::F32 } else { self.component };
        let read = || {
            buffers.spend((total as u64).saturating_mul(component.size() as u64))?;
            macro_rules! values {
                ($kind:ident, $value:expr) => {{
                    let value = $value;
                    let mut out = vec![Default::default(); total];
                    let mut put = |at: usize, bytes: &[u8]| {
                        for (part, place) in self.places.iter().enumerate() {
                            out[at * self.parts + part] = value(&bytes[*place..]);
                        }
                    };
                    self.each(&mut put)?;
                    self.each_sparse(buffers, &mut put)?;
                    Ok(Values::$kind(out.into()))
                }};
            }
            match component {
                Component::I8 => values!(I8, |b: &[u8]| b[0] as i8),
                Component::U8 => values!(U8, |b: &[u8]| b[0]),
                Component::I16 => values!(I16, |b: &[u8]| i16::from_le_bytes([b[0], b[1]])),
                Component::U16 => values!(U16, |b: &[u8]| u16::from_le_bytes([b[0], b[1]])),
                Component::U32 => {
                    values!(U32, |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                }
                Component::F32 => {
                    values!(F32, |b: &[u8]| self.component.value(b, self.json.normalized))
                }
            }
        };
        read().map_err(|e| in_place(e, &self.what))
    }

    /// Calls `put` with the number and the bytes of each element of the view.
    fn each(&self, put: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        let Some(slab) = &self.slab else { return Ok(()) };
        let per_block = (BLOCK_BYTES / self.stride.max(1)).max(1);
        let mut scratch = Vec::new();
        let mut at = 0;
        while at < self.count {
            let rows = per_block.min(self.count - at);
            let bytes = self.stride * (rows - 1) + self.element_bytes;
            scratch.resize(bytes, 0);
            slab.read(self.json.byte_offset + (at * self.stride) as u64, &mut scratch)?;
            for row in 0..rows {
                put(at + row, &scratch[row * self.stride..][..self.element_bytes]);
            }
            at += rows;
        }
        Ok(())
    }

    /// The same for the elements that the accessor replaces.
    fn each_sparse(&self, buffers: &Buffers<'_>, put: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        let Some(Sparse { count, indices, values }) = &self.json.sparse else { return Ok(()) };
        let kind = Component::of(indices.component_type)?;
        if !matches!(kind, Component::U8 | Component::U16 | Component::U32) {
            return Err(Error::corrupt("sparse indices are unsigned integers"));
        }
        let [index_bytes, value_bytes] = [
            (indices.buffer_view, indices.byte_offset, kind.size()),
            (values.buffer_view, values.byte_offset, self.element_bytes),
        ]
        .map(|(view, offset, size)| {
            let slab = buffers.view(view)?;
            let bytes = count.checked_mul(size as u64);
            let bytes = bytes
                .filter(|bytes| offset.checked_add(*bytes).is_some_and(|end| end <= slab.length));
            let Some(bytes) = bytes else {
                return Err(Error::corrupt(format!("{count} sparse values go past their view")));
            };
            buffers.spend(bytes)?;
            let mut read = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
            slab.read(offset, &mut read)?;
            Ok(read)
        });
        let (index_bytes, value_bytes) = (index_bytes?, value_bytes?);
        let rows =
            index_bytes.chunks_exact(kind.size()).zip(value_bytes.chunks_exact(self.element_bytes));
        for (index, value) in rows {
            let at = index_of(kind, index) as usize;
            if at >= self.count {
                return Err(Error::corrupt(format!("sparse index {at} of {}", self.count)));
            }
            put(at, value);
        }
        Ok(())
    }
}

fn index_of(component: Component, bytes: &[u8]) -> u32 {
    match component {
        Component::U8 => bytes[0].into(),
        Component::U16 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

/// An array as it lies in a source, read on all threads where it is large.
fn filled<T: Pod + Send>(
    slab: &Slab<'_>,
    start: u64,
    count: usize,
    work: &Work,
    then: &(dyn Fn(&mut [T]) -> Result<()> + Sync),
) -> Result<Vec<T>> {
    let rows = (BLOCK_BYTES / size_of::<T>()).max(1);
    let source = slab.source();
    let read = |number: usize, part: &mut [T]| {
        work.cancel.check()?;
        let at = start + (number * rows * size_of::<T>()) as u64;
        source.read_exact_at(at, bytemuck::cast_slice_mut(part), "a buffer")?;
        then(part)
    };
    if work.threads < 2 || count * size_of::<T>() < PARALLEL_BYTES {
        let mut values = memory::with_capacity(count);
        for (number, at) in (0..count).step_by(rows).enumerate() {
            // A block at a time, as the zeros are still in the cache when they are read over.
            values.resize(count.min(at + rows), T::zeroed());
            read(number, &mut values[at..])?;
        }
        return Ok(values);
    }
    let mut values = vec![T::zeroed(); count];
    memory::advise_huge(&mut values);
    let mut parts: Vec<&mut [T]> = values.chunks_mut(rows).collect();
    let failed = Mutex::new(None::<(usize, Error)>);
    parallel::pool(work)?.install(|| {
        parallel::each_of(&mut parts, &|number, part| {
            if let Err(error) = read(number, part) {
                let mut failed = lock(&failed);
                // The first one in the file, whichever thread was first.
                if failed.as_ref().is_none_or(|(before, _)| number < *before) {
                    *failed = Some((number, error));
                }
            }
        });
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(values),
    }
}
