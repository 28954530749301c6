//! Memory of a mesh that is no longer needed, for the next one: pages that the system has given
//! once need not be cleared and given again, which costs as much as reading a file.

use super::data::{Scalar, ScalarArray, with_values};
use crate::model::{Mesh, Positions, ScalarType, Scene, Values};
use std::borrow::Cow;
use std::cell::RefCell;

/// Smaller arrays are not worth keeping.
const LEAST_BYTES: usize = 64 << 10;

/// Arrays to be used again.
#[derive(Default)]
pub(crate) struct SpareArrays {
    arrays: Vec<ScalarArray>,
    /// What is left goes to the next file that has memory to use again.
    keeps_rest: bool,
}

thread_local! {
    /// Arrays that the last file had no use for; the next one may have, where meshes take turns.
    static REST: RefCell<Vec<ScalarArray>> = const { RefCell::new(Vec::new()) };
}

/// More is not kept for the next file.
const REST_ARRAYS: usize = 32;
const REST_BYTES: usize = 16 << 20;

impl SpareArrays {
    /// That of the arrays which `scene` owns; the scene is empty then.
    pub(crate) fn of(scene: &mut Scene<'static>) -> SpareArrays {
        let rest = REST.try_with(RefCell::take).unwrap_or_default();
        let mut memory = SpareArrays { arrays: rest, keeps_rest: true };
        std::mem::take(scene).meshes.into_iter().for_each(|mesh| memory.add_mesh(mesh));
        memory
    }

    fn add_mesh(&mut self, mesh: Mesh<'static>) {
        match mesh.positions {
            Positions::F32(Cow::Owned(rows)) => self.add(ScalarArray::F32(flat(rows))),
            Positions::F64(Cow::Owned(rows)) => self.add(ScalarArray::F64(flat(rows))),
            _ => {}
        }
        if let Some(Cow::Owned(rows)) = mesh.normals.map(|normals| normals.values) {
            self.add(ScalarArray::F32(flat(rows)));
        }
        if let Some(Cow::Owned(rows)) = mesh.uvs.map(|uvs| uvs.values) {
            self.add(ScalarArray::F32(flat(rows)));
        }
        if let Some(Cow::Owned(rows)) = mesh.colors.map(|colors| colors.values) {
            self.add(ScalarArray::F32(flat(rows)));
        }
        for array in [mesh.face_offsets, mesh.corner_vertices, mesh.line_vertices] {
            if let Cow::Owned(values) = array {
                self.add(ScalarArray::U32(values));
            }
        }
        for attribute in mesh.attributes {
            with_values!(Values, attribute.values, v => if let Cow::Owned(values) = v {
                self.add(Scalar::data(values));
            });
        }
    }

    fn add(&mut self, data: ScalarArray) {
        if bytes(&data) >= LEAST_BYTES {
            self.arrays.push(data);
        }
    }

    /// `n` values to be written: what was there before, or zeros that take no memory until they are
    /// touched.
    pub(crate) fn for_writing(&mut self, scalar: ScalarType, n: usize) -> ScalarArray {
        let Some(mut data) = self.take(scalar, n) else { return ScalarArray::zeroed(scalar, n) };
        data.resize(n);
        data
    }

    /// The array of this type with room for `n` values that has the fewest to be cleared, and then
    /// the smallest; with whatever values it held. Few values get none: the next mesh may need it.
    fn take(&mut self, scalar: ScalarType, n: usize) -> Option<ScalarArray> {
        if n * scalar.size() < LEAST_BYTES {
            return None;
        }
        let fits = |data: &ScalarArray| data.scalar() == scalar && data.capacity() >= n;
        let places = (0..self.arrays.len()).filter(|&i| fits(&self.arrays[i]));
        let cost = |data: &ScalarArray| (n.saturating_sub(data.len()), data.capacity());
        let place = places.min_by_key(|&i| cost(&self.arrays[i]))?;
        Some(self.arrays.swap_remove(place))
    }
}

impl Drop for SpareArrays {
    fn drop(&mut self) {
        if !self.keeps_rest {
            return;
        }
        let mut left = REST_BYTES;
        // The last ones came from the last file.
        let arrays = std::mem::take(&mut self.arrays).into_iter().rev();
        let kept = arrays.take(REST_ARRAYS).filter(|data| {
            let fits = bytes(data) <= left;
            left -= if fits { bytes(data) } else { 0 };
            fits
        });
        let mut kept: Vec<ScalarArray> = kept.collect();
        kept.reverse();
        let _ = REST.try_with(|rest| rest.replace(kept));
    }
}

fn bytes(data: &ScalarArray) -> usize {
    data.capacity() * data.scalar().size()
}

thread_local! {
    /// Buffers that are not in use.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// More are not kept for the next element or file, and no larger ones.
const SPARE_BUFFERS: usize = 8;
const SPARE_BYTES: usize = 1 << 20;

/// A buffer that is used again: a new one costs 70 page faults, and a file has several elements.
pub(crate) struct SpareBuffer(pub(crate) Vec<u8>);

impl Default for SpareBuffer {
    fn default() -> SpareBuffer {
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop());
        SpareBuffer(spare.ok().flatten().unwrap_or_default())
    }
}

impl Drop for SpareBuffer {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < SPARE_BUFFERS && (1..=SPARE_BYTES).contains(&buffer.capacity()) {
                spare.push(buffer);
            }
        });
    }
}

fn flat<T: bytemuck::Pod, const N: usize>(rows: Vec<[T; N]>) -> Vec<T> {
    // Capacities are whole rows, so that nothing is copied.
    bytemuck::allocation::cast_vec(rows)
}
