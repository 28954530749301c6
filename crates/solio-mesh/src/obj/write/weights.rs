//! The vertex group that a face belongs to most.

use crate::model::{Mesh, NONE};
use solio_base::{Error, Result};

/// The groups of each vertex.
pub(super) struct Weights {
    /// Where each vertex's entries start.
    starts: Vec<u32>,
    /// Group and weight.
    entries: Vec<(u32, f32)>,
    groups: usize,
}

impl Weights {
    /// Sorts the entries of all groups by vertex.
    pub(super) fn new(mesh: &Mesh<'_>) -> Result<Self> {
        let vertices = mesh.positions.len();
        let mut starts = vec![0u32; vertices + 1];
        for group in &mesh.vertex_groups {
            for &vertex in group.vertices.iter() {
                let Some(count) = starts.get_mut(vertex as usize + 1) else {
                    return Err(Error::argument(format!(
                        "the vertex group \"{}\" has vertex {vertex}; the mesh has {vertices} vertices",
                        group.name
                    )));
                };
                *count += 1;
            }
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[vertices] as usize];
        for (number, group) in mesh.vertex_groups.iter().enumerate() {
            for (&vertex, &weight) in group.vertices.iter().zip(group.weights.iter()) {
                let at = &mut next[vertex as usize];
                entries[*at as usize] = (number as u32, weight);
                *at += 1;
            }
        }
        Ok(Weights { starts, entries, groups: mesh.vertex_groups.len() })
    }

    /// The group with the greatest sum of weights over the face's vertices, the first of equals;
    /// [`NONE`] when its vertices are in no group. `sums` is scratch.
    pub(super) fn heaviest(&self, mesh: &Mesh<'_>, face: usize, sums: &mut Vec<f32>) -> u32 {
        sums.clear();
        sums.resize(self.groups, 0.0);
        let corners = mesh.face_offsets[face] as usize..mesh.face_offsets[face + 1] as usize;
        let mut any = false;
        for &vertex in mesh.corner_vertices.get(corners).unwrap_or_default() {
            let Some(&end) = self.starts.get(vertex as usize + 1) else { continue };
            let start = self.starts[vertex as usize];
            for &(group, weight) in &self.entries[start as usize..end as usize] {
                sums[group as usize] += weight;
                any = true;
            }
        }
        let mut best = 0;
        for (group, sum) in sums.iter().enumerate() {
            if *sum > sums[best] {
                best = group;
            }
        }
        if any { best as u32 } else { NONE }
    }
}
