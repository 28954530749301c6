//! Memory of a mesh that is no longer needed, for the next one: pages that the system has given
//! once need not be cleared and given again, which costs as much as reading a file.

use super::columns::Data;
use crate::model::{Mesh, Positions, ScalarType, Scene, Values};
use std::borrow::Cow;
use std::cell::RefCell;

/// Smaller arrays are not worth keeping.
const LEAST_BYTES: usize = 64 << 10;

/// Arrays to be used again.
#[derive(Default)]
pub(crate) struct Memory(Vec<Data>);

impl Memory {
    /// That of the arrays which `scene` owns; the scene is empty then.
    pub(crate) fn of(scene: &mut Scene<'static>) -> Memory {
        let mut memory = Memory::default();
        std::mem::take(scene).meshes.into_iter().for_each(|mesh| memory.add_mesh(mesh));
        memory
    }

    fn add_mesh(&mut self, mesh: Mesh<'static>) {
        match mesh.positions {
            Positions::F32(Cow::Owned(rows)) => self.add(Data::F32(flat(rows))),
            Positions::F64(Cow::Owned(rows)) => self.add(Data::F64(flat(rows))),
            _ => {}
        }
        if let Some(Cow::Owned(rows)) = mesh.normals.map(|normals| normals.values) {
            self.add(Data::F32(flat(rows)));
        }
        if let Some(Cow::Owned(rows)) = mesh.uvs.map(|uvs| uvs.values) {
            self.add(Data::F32(flat(rows)));
        }
        if let Some(Cow::Owned(rows)) = mesh.colors.map(|colors| colors.values) {
            self.add(Data::F32(flat(rows)));
        }
        for array in [mesh.face_offsets, mesh.corner_vertices, mesh.line_vertices] {
            if let Cow::Owned(values) = array {
                self.add(Data::U32(values));
            }
        }
        for attribute in mesh.attributes {
            match attribute.values {
                Values::I32(Cow::Owned(values)) => self.add(Data::I32(values)),
                Values::U32(Cow::Owned(values)) => self.add(Data::U32(values)),
                Values::F32(Cow::Owned(values)) => self.add(Data::F32(values)),
                Values::F64(Cow::Owned(values)) => self.add(Data::F64(values)),
                Values::U8(Cow::Owned(values)) => self.add(Data::U8(values)),
                _ => {}
            }
        }
    }

    fn add(&mut self, data: Data) {
        if data.capacity() * data.scalar().size() >= LEAST_BYTES {
            self.0.push(data);
        }
    }

    /// The smallest array of this type with room for `n` values, and whatever values it held.
    pub(crate) fn take(&mut self, scalar: ScalarType, n: usize) -> Option<Data> {
        let fits = |data: &Data| data.scalar() == scalar && data.capacity() >= n;
        let places = (0..self.0.len()).filter(|&i| fits(&self.0[i]));
        let place = places.min_by_key(|&i| self.0[i].capacity())?;
        Some(self.0.swap_remove(place))
    }
}

thread_local! {
    /// Buffers that are not in use.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// More are not kept for the next element or file, and no larger ones.
const SPARE_BUFFERS: usize = 8;
const SPARE_BYTES: usize = 1 << 20;

/// A buffer that is used again: a new one costs 70 page faults, and a file has several elements.
pub(crate) struct Buffer(pub(crate) Vec<u8>);

impl Default for Buffer {
    fn default() -> Buffer {
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop());
        Buffer(spare.ok().flatten().unwrap_or_default())
    }
}

impl Drop for Buffer {
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
