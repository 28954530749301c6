//! The buffer: arrays one after another, each at a multiple of four bytes, with a view and an
//! accessor.

use crate::export::bounds;
use crate::pack::PackedMesh;
use gltf_json as json;
use json::accessor::{ComponentType, GenericComponentType, Type};
use json::buffer::Target;
use json::validation::{Checked, USize64};
use json::{Accessor, Index};
use solio_base::{Error, Result, Sink, Work};

/// Rows that are put down at once.
const CHUNK_ROWS: usize = 64 << 10;
/// Vertices that two bytes can name; the last number of two bytes is none.
const MOST_SHORT: usize = u16::MAX as usize;
/// How far the square of a normal's length may be from 1 to be left as it is.
const NORMAL_SLACK: f32 = 1e-4;

/// The arrays of a mesh, in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Geometry {
    pub(super) positions: u32,
    pub(super) normals: Option<u32>,
    pub(super) uvs: Option<u32>,
    pub(super) indices: u32,
}

/// What goes into the buffer, and where it went.
pub(super) struct GltfBuffer<'b> {
    sink: &'b mut dyn Sink,
    work: &'b Work,
    /// Bytes so far.
    pub(super) written: u64,
    pub(super) views: Vec<json::buffer::View>,
    pub(super) accessors: Vec<Accessor>,
}

impl<'b> GltfBuffer<'b> {
    pub(super) fn new(sink: &'b mut dyn Sink, work: &'b Work) -> GltfBuffer<'b> {
        GltfBuffer { sink, work, written: 0, views: Vec::new(), accessors: Vec::new() }
    }

    /// Puts a mesh of triangles down; `None` if it has none. Normals get the length 1, which glTF
    /// asks for; where one has no direction there are none. Texture coordinates count from the top.
    pub(super) fn mesh(&mut self, mesh: &PackedMesh<'_>) -> Result<Option<Geometry>> {
        if mesh.corners.is_empty() {
            return Ok(None);
        }
        let positions = &*mesh.positions;
        let Some([min, max]) = bounds(positions) else {
            return Err(Error::unsupported("a mesh with positions that are no numbers"));
        };
        if u32::try_from(positions.len()).is_err() {
            return Err(Error::limit("a mesh has 4 G vertices and more"));
        }
        let vertices = Some(Target::ArrayBuffer);
        let at = self.rows(positions.len(), Type::Vec3, vertices, &|i| positions[i])?;
        let accessor = &mut self.accessors[at as usize];
        (accessor.min, accessor.max) = (Some(min.to_vec().into()), Some(max.to_vec().into()));
        let normals = match usable(&mesh.normals) {
            true => {
                let row = |i: usize| unit(mesh.normals[i]);
                Some(self.rows(positions.len(), Type::Vec3, vertices, &row)?)
            }
            false => None,
        };
        let uvs =
            match !mesh.uvs.is_empty() && mesh.uvs.as_flattened().iter().all(|x| x.is_finite()) {
                true => {
                    let row = |i: usize| [mesh.uvs[i][0], 1.0 - mesh.uvs[i][1]];
                    Some(self.rows(positions.len(), Type::Vec2, vertices, &row)?)
                }
                false => None,
            };
        let indices = self.indices(&mesh.corners, positions.len())?;
        Ok(Some(Geometry { positions: at, normals, uvs, indices }))
    }

    /// Puts `count` rows of floats down; the number of their accessor.
    pub(super) fn rows<const N: usize>(
        &mut self,
        count: usize,
        kind: Type,
        target: Option<Target>,
        row: &(dyn Fn(usize) -> [f32; N] + Sync),
    ) -> Result<u32> {
        let fill = |chunk: usize, buffer: &mut Vec<u8>| {
            let start = chunk * CHUNK_ROWS;
            for i in start..count.min(start + CHUNK_ROWS) {
                row(i).iter().for_each(|x| buffer.extend_from_slice(&x.to_le_bytes()));
            }
            Ok(())
        };
        self.sink.write_chunks(self.work, count.div_ceil(CHUNK_ROWS), &fill)?;
        let bytes = (4 * N * count) as u64;
        Ok(self.accessor(count, kind, ComponentType::F32, bytes, target))
    }

    fn indices(&mut self, corners: &[u32], vertices: usize) -> Result<u32> {
        let is_short = vertices <= MOST_SHORT;
        let fill = |chunk: usize, buffer: &mut Vec<u8>| {
            let start = chunk * CHUNK_ROWS;
            let corners = &corners[start..corners.len().min(start + CHUNK_ROWS)];
            match is_short {
                true => corners.iter().for_each(|i| buffer.extend((*i as u16).to_le_bytes())),
                false => corners.iter().for_each(|i| buffer.extend(i.to_le_bytes())),
            }
            Ok(())
        };
        self.sink.write_chunks(self.work, corners.len().div_ceil(CHUNK_ROWS), &fill)?;
        let (kind, size) = if is_short { (ComponentType::U16, 2) } else { (ComponentType::U32, 4) };
        let bytes = (size * corners.len()) as u64;
        let target = Some(Target::ElementArrayBuffer);
        let at = self.accessor(corners.len(), Type::Scalar, kind, bytes, target);
        if !bytes.is_multiple_of(4) {
            self.sink.write_bytes(self.work, &[0; 2])?;
            self.written += 2;
        }
        Ok(at)
    }

    /// Puts bytes down that are no array; the number of their view.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<u32> {
        self.sink.write_bytes(self.work, bytes)?;
        let view = self.view(bytes.len() as u64, None);
        let fill = bytes.len().next_multiple_of(4) - bytes.len();
        self.sink.write_bytes(self.work, &[0; 3][..fill])?;
        self.written += fill as u64;
        Ok(view)
    }

    /// A view of the bytes that were put down last.
    fn view(&mut self, bytes: u64, target: Option<Target>) -> u32 {
        self.views.push(json::buffer::View {
            buffer: Index::new(0),
            byte_length: USize64(bytes),
            byte_offset: Some(USize64(self.written)),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: Default::default(),
        });
        self.written += bytes;
        self.views.len() as u32 - 1
    }

    /// A view of the bytes that were put down last, and an accessor of it.
    fn accessor(
        &mut self,
        count: usize,
        kind: Type,
        component: ComponentType,
        bytes: u64,
        target: Option<Target>,
    ) -> u32 {
        let view = self.view(bytes, target);
        self.accessors.push(Accessor {
            buffer_view: Some(Index::new(view)),
            byte_offset: None,
            count: count.into(),
            component_type: Checked::Valid(GenericComponentType(component)),
            extensions: None,
            extras: Default::default(),
            type_: Checked::Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        });
        self.accessors.len() as u32 - 1
    }

    /// What the work may use.
    pub(super) fn work(&self) -> &'b Work {
        self.work
    }

    /// Back to the sink.
    pub(super) fn into_sink(self) -> &'b mut dyn Sink {
        self.sink
    }
}

fn length_squared(n: [f32; 3]) -> f32 {
    n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
}

/// Whether there are normals, and all have a direction.
pub(super) fn usable(normals: &[[f32; 3]]) -> bool {
    let fine = |n: &[f32; 3]| {
        let square: f64 = n.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        square > 0.0 && square.is_finite()
    };
    !normals.is_empty() && normals.iter().all(fine)
}

fn unit(normal: [f32; 3]) -> [f32; 3] {
    if (length_squared(normal) - 1.0).abs() <= NORMAL_SLACK {
        return normal;
    }
    glam::DVec3::from_array(normal.map(f64::from)).normalize().as_vec3().to_array()
}
