//! Meshes of files that a scene names, kept in its packed form.

use std::borrow::Cow;

/// A mesh as arrays: borrowed by who packs, owned by who unpacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedMesh<'a> {
    /// Vertices, shape (V, 3).
    pub positions: Cow<'a, [[f32; 3]]>,
    /// Normals of the vertices: V, or none.
    pub normals: Cow<'a, [[f32; 3]]>,
    /// Texture coordinates of the vertices: V, or none.
    pub uvs: Cow<'a, [[f32; 2]]>,
    /// The vertices of the corners, face after face.
    pub corners: Cow<'a, [u32]>,
    /// Where the corners of each face begin: F + 1 rising numbers, the first 0, the last the number
    /// of corners. Empty where all faces are triangles.
    pub face_offsets: Cow<'a, [u32]>,
    /// A number of each face, for textures by face: F, or none.
    pub face_indices: Cow<'a, [i32]>,
}

/// What is known of a mesh before it is unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedMeshInfo {
    /// The name of its file, as the scene gives it.
    pub name: Vec<u8>,
    /// Vertices.
    pub vertices: u64,
    /// Faces.
    pub faces: u64,
    /// Corners of all faces.
    pub corners: u64,
    /// Bytes of its arrays in memory.
    pub memory_bytes: u64,
    /// Bytes of its sections in the file.
    pub file_bytes: u64,
}

impl PackedMesh<'_> {
    /// How many faces.
    pub fn faces(&self) -> usize {
        match self.face_offsets.len() {
            0 => self.corners.len() / 3,
            count => count - 1,
        }
    }

    /// Bytes of its arrays.
    pub fn memory_bytes(&self) -> usize {
        let words = 3 * (self.positions.len() + self.normals.len()) + 2 * self.uvs.len();
        let words = words + self.corners.len() + self.face_offsets.len() + self.face_indices.len();
        4 * words
    }

    /// Says what is wrong with its arrays: counts that do not fit, corners without a vertex.
    pub fn check(&self) -> Result<(), &'static str> {
        let vertices = self.positions.len();
        let none_or = |count: usize, all: usize| count == 0 || count == all;
        if !none_or(self.normals.len(), vertices) || !none_or(self.uvs.len(), vertices) {
            return Err("a mesh has as many normals and texture coordinates as vertices");
        }
        if self.corners.iter().any(|vertex| *vertex as usize >= vertices) {
            return Err("a corner of a mesh has a vertex that is not there");
        }
        if self.face_offsets.is_empty() {
            if !self.corners.len().is_multiple_of(3) {
                return Err("a mesh of triangles has three corners a face");
            }
        } else {
            let rises = self.face_offsets.windows(2).all(|pair| pair[0] <= pair[1]);
            let last = self.face_offsets.last().map(|end| *end as usize);
            if self.face_offsets[0] != 0 || last != Some(self.corners.len()) || !rises {
                return Err("the faces of a mesh do not follow one another");
            }
        }
        if !none_or(self.face_indices.len(), self.faces()) {
            return Err("a mesh has as many numbers of faces as faces");
        }
        Ok(())
    }
}
