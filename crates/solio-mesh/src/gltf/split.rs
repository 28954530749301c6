//! Corners to vertices: glTF has one index for all arrays, so a vertex whose corners differ in texture
//! coordinates or normal becomes several.
//!
//! The new vertices come in the order in which corners first need them. Those of one old vertex are a
//! list that is walked; where it gets long (a hub of a million triangles) a hash table goes on.

use crate::model::{Domain, Mesh, NONE};
use std::collections::HashMap;
use std::ops::Range;

/// Vertices of a list before the hash table takes over.
const LONGEST_LIST: u32 = 16;

/// The vertices of an object.
pub(super) enum VertexSet {
    /// Those of the mesh, as they are.
    All,
    Some(Vertices),
}

/// New vertices: where their values are.
#[derive(Default)]
pub(super) struct Vertices {
    pub(super) positions: Vec<u32>,
    /// Indices of values, or [`NONE`]; empty where no corner has any.
    pub(super) uvs: Vec<u32>,
    pub(super) normals: Vec<u32>,
}

/// What a corner needs: bits of its texture coordinates and normal.
type CornerBits = [u32; 5];

/// Cuts one mesh after another object.
pub(super) struct Splitter<'m> {
    mesh: &'m Mesh<'m>,
    /// The first new vertex of each old one, for the object under way.
    heads: Vec<u32>,
}

impl<'m> Splitter<'m> {
    pub(super) fn new(mesh: &'m Mesh<'m>) -> Splitter<'m> {
        Splitter { mesh, heads: vec![NONE; mesh.positions.len()] }
    }

    /// The vertices of some faces, and for each of their corners its vertex.
    pub(super) fn corners(
        &mut self,
        faces: Range<usize>,
        with_uvs: bool,
        with_normals: bool,
    ) -> (Vertices, Vec<u32>) {
        let mesh = self.mesh;
        let uvs = mesh.uvs.as_ref().filter(|_| with_uvs);
        let normals = mesh.normals.as_ref().filter(|_| with_normals);
        let offsets = &mesh.face_offsets;
        let first = offsets.get(faces.start).map_or(0, |at| *at as usize);
        let end = offsets.get(faces.end).map_or(first, |at| *at as usize);
        let mut index = Vec::with_capacity(end - first);
        let mut made = Vertices::default();
        let mut next: Vec<u32> = Vec::new();
        let mut far: HashMap<(u32, CornerBits), u32> = HashMap::new();
        let uv_bits = |at: u32| {
            let value = uvs.and_then(|uvs| uvs.values.get(at as usize));
            value.map_or([NONE; 2], |uv| uv.map(|x| (x + 0.0).to_bits()))
        };
        let normal_bits = |at: u32| {
            let value = normals.and_then(|normals| normals.values.get(at as usize));
            value.map_or([NONE; 3], |n| n.map(|x| (x + 0.0).to_bits()))
        };
        for face in faces {
            for corner in offsets[face] as usize..offsets[face + 1] as usize {
                let vertex = mesh.corner_vertices[corner];
                let value = |domain: &Domain<'_>| match domain {
                    Domain::Face => face as u32,
                    domain => domain.index_of(mesh, corner).map_or(NONE, |at| at as u32),
                };
                let uv = uvs.map_or(NONE, |uvs| value(&uvs.domain));
                let normal = normals.map_or(NONE, |normals| value(&normals.domain));
                let same = |at: u32| {
                    let at = at as usize;
                    let (u, n) = (made.uvs[at], made.normals[at]);
                    (u == uv || uv_bits(u) == uv_bits(uv))
                        && (n == normal || normal_bits(n) == normal_bits(normal))
                };
                let mut at = self.heads[vertex as usize];
                let mut steps = 0;
                while at != NONE && !same(at) {
                    at = next[at as usize];
                    steps += 1;
                }
                if at == NONE {
                    let new = made.positions.len() as u32;
                    let mut add = || {
                        made.positions.push(vertex);
                        made.uvs.push(uv);
                        made.normals.push(normal);
                        next.push(NONE);
                        new
                    };
                    at = if steps < LONGEST_LIST {
                        add();
                        next[new as usize] = self.heads[vertex as usize];
                        self.heads[vertex as usize] = new;
                        new
                    } else {
                        let [u, v] = uv_bits(uv);
                        let [x, y, z] = normal_bits(normal);
                        *far.entry((vertex, [u, v, x, y, z])).or_insert_with(add)
                    };
                }
                index.push(at);
            }
        }
        self.forget(&made);
        if uvs.is_none() {
            made.uvs = Vec::new();
        }
        if normals.is_none() {
            made.normals = Vec::new();
        }
        (made, index)
    }

    /// The vertices that are named, and for each name its vertex; without what corners have.
    pub(super) fn named(&mut self, vertices: impl Iterator<Item = u32>) -> (Vertices, Vec<u32>) {
        let mut made = Vertices::default();
        let mut index = Vec::new();
        for vertex in vertices {
            let head = &mut self.heads[vertex as usize];
            if *head == NONE {
                *head = made.positions.len() as u32;
                made.positions.push(vertex);
            }
            index.push(*head);
        }
        self.forget(&made);
        (made, index)
    }

    fn forget(&mut self, made: &Vertices) {
        made.positions.iter().for_each(|vertex| self.heads[*vertex as usize] = NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Normals, Positions, Uvs};

    #[test]
    fn a_hub_of_many_corners_is_split_by_the_hash_table() {
        // A fan: every corner of the hub has a normal of its own, twice each.
        let fan = 200u32;
        let corners: Vec<u32> = (0..fan).flat_map(|i| [0, 1 + i, 2 + i]).collect();
        let normals: Vec<[f32; 3]> =
            (0..3 * fan).map(|c| [(c / 6) as f32, (c % 3) as f32, 0.0]).collect();
        let mesh = Mesh {
            positions: Positions::F32(vec![[0.0; 3]; fan as usize + 2].into()),
            face_offsets: (0..=fan).map(|f| 3 * f).collect::<Vec<_>>().into(),
            corner_vertices: corners.into(),
            normals: Some(Normals { values: normals.into(), domain: Domain::Corner }),
            ..Mesh::default()
        };
        let mut splitter = Splitter::new(&mesh);
        let (vertices, index) = splitter.corners(0..fan as usize, true, true);
        assert_eq!(vertices.positions.iter().filter(|v| **v == 0).count(), fan as usize / 2);
        let values = &mesh.normals.as_ref().unwrap().values;
        for (corner, at) in index.iter().enumerate() {
            assert_eq!(vertices.positions[*at as usize], mesh.corner_vertices[corner]);
            assert_eq!(values[vertices.normals[*at as usize] as usize], values[corner]);
        }
        assert!(vertices.uvs.is_empty());
        // The next object starts anew.
        assert_eq!(splitter.corners(0..1, true, true).0.positions, [0, 1, 2]);
    }

    #[test]
    fn equal_values_of_other_numbers_are_one() {
        let uvs = vec![[0.5, 0.0], [0.5, -0.0], [0.25, 0.0]];
        let mesh = Mesh {
            positions: Positions::F32(vec![[0.0; 3]; 3].into()),
            face_offsets: vec![0, 3, 6].into(),
            corner_vertices: vec![0, 1, 2, 2, 1, 0].into(),
            uvs: Some(Uvs {
                values: uvs.into(),
                domain: Domain::Indexed(vec![0, 0, 0, 1, 2, NONE].into()),
            }),
            ..Mesh::default()
        };
        let (vertices, index) = Splitter::new(&mesh).corners(0..2, true, true);
        assert_eq!(vertices.positions, [0, 1, 2, 1, 0]);
        assert_eq!(index, [0, 1, 2, 2, 3, 4]);
    }
}
