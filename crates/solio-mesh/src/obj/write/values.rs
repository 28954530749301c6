//! UVs and normals on their way into the file: merged, or as they are.

use super::plan::{ObjPart, faces};
use crate::bits::RankedBits;
use crate::merge::{self, MergeValues, Merged};
use crate::model::{Domain, Mesh, NONE, Uvs};
use crate::obj::ObjWriteOptions;
use crate::rounds;
use crate::transform::{LANES, direction, in_lanes, unit};
use solio_base::{Error, Result};
use solio_codec::number::Digits;
use solio_codec::wide::{Wide, wide};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// How the corners of a mesh refer to the values that are written.
#[derive(Clone)]
pub(super) enum ValueIndex<'a> {
    /// Through the mesh's own index or domain; all values are written.
    Own(&'a Domain<'a>),
    /// Through the numbers of merged values, which the first part writes.
    Merged(&'a Domain<'a>, Arc<Merged>),
    /// The same where the memory does not suffice for all numbers: the elements that bring a new
    /// value. The numbers are made for some faces at a time ([`NumberWindow`]).
    InRounds(&'a Domain<'a>, Arc<RankedBits>),
}

impl ValueIndex<'_> {
    /// Appends the index of every corner in `corners`, those of the faces `faces`, whose offsets
    /// rise.
    pub(super) fn append(
        &self,
        mesh: &Mesh<'_>,
        (faces, corners): (Range<usize>, Range<usize>),
        out: &mut Vec<u32>,
        scratch: &mut Vec<u32>,
    ) {
        let vertices = &mesh.corner_vertices[corners.clone()];
        let offsets = &mesh.face_offsets[faces.start..=faces.end];
        scratch.clear();
        match self {
            ValueIndex::Own(Domain::Vertex) => out.extend_from_slice(vertices),
            ValueIndex::Own(Domain::Face) => {
                scratch.extend(faces.start as u32..faces.end as u32);
                per_face(offsets, scratch, out);
            }
            ValueIndex::Own(Domain::Corner) => out.extend(corners.start as u32..corners.end as u32),
            ValueIndex::Own(Domain::Indexed(index)) => out.extend_from_slice(&index[corners]),
            ValueIndex::Merged(Domain::Vertex, merged) => merged.numbers_of(vertices, out),
            ValueIndex::Merged(Domain::Face, merged) => {
                merged.numbers(faces, scratch);
                per_face(offsets, scratch, out);
            }
            ValueIndex::Merged(_, merged) => merged.numbers(corners, out),
            ValueIndex::InRounds(..) => {}
        }
    }

    /// Appends the elements whose numbers [`ValueIndex::append`] appends.
    pub(super) fn elements(&self, mesh: &Mesh<'_>, face: usize, out: &mut Vec<u32>) {
        let corners = mesh.face_offsets[face]..mesh.face_offsets[face + 1];
        match self {
            ValueIndex::InRounds(Domain::Vertex, _) => {
                let corners = corners.start as usize..corners.end as usize;
                out.extend_from_slice(&mesh.corner_vertices[corners]);
            }
            ValueIndex::InRounds(Domain::Face, _) => out.extend(corners.map(|_| face as u32)),
            ValueIndex::InRounds(..) => out.extend(corners),
            _ => {}
        }
    }

    /// Whether a corner's number is that of its vertex's value.
    pub(super) fn is_merged_by_vertex(&self) -> bool {
        matches!(
            self,
            ValueIndex::Merged(Domain::Vertex, _) | ValueIndex::InRounds(Domain::Vertex, _)
        )
    }

    /// How many values are written; `all` if they are not merged.
    pub(super) fn count(&self, all: usize) -> usize {
        match self {
            ValueIndex::Own(_) => all,
            ValueIndex::Merged(_, merged) => merged.count() as usize,
            ValueIndex::InRounds(_, firsts) => firsts.count() as usize,
        }
    }

    /// Number of groups for [`ValueIndex::firsts`]; `None` where the mesh's own values are written.
    pub(super) fn groups(&self) -> Option<usize> {
        match self {
            ValueIndex::Own(_) => None,
            ValueIndex::Merged(_, merged) => Some(merged.groups()),
            ValueIndex::InRounds(_, firsts) => Some(firsts.blocks()),
        }
    }

    /// The elements of one group that bring a new value: a start and offsets from it.
    pub(super) fn firsts(&self, group: usize) -> (usize, Cow<'_, [u16]>) {
        match self {
            ValueIndex::Own(_) => (0, Cow::Borrowed(&[])),
            ValueIndex::Merged(_, merged) => {
                let (start, firsts) = merged.firsts(group);
                (start, Cow::Borrowed(firsts))
            }
            ValueIndex::InRounds(_, firsts) => {
                let start = firsts.range(group).start;
                let offsets = firsts.members(group).map(|first| (first as usize - start) as u16);
                (start, offsets.collect())
            }
        }
    }
}

/// The numbers of the values of some faces' corners, in the order of writing, where
/// [`ValueIndex::InRounds`] has none.
#[derive(Default)]
pub(super) struct NumberWindow {
    pub(super) uvs: Vec<u32>,
    pub(super) normals: Vec<u32>,
}

/// Appends the number of each face once for each of its corners.
fn per_face(offsets: &[u32], numbers: &[u32], out: &mut Vec<u32>) {
    let (start, end) = (offsets[0], offsets[numbers.len()]);
    let at = out.len();
    out.resize(at + (end - start) as usize, 0);
    let mut rest = &mut out[at..];
    for (pair, &number) in offsets.windows(2).zip(numbers) {
        let (face, later) = rest.split_at_mut((pair[1] - pair[0]) as usize);
        match <&mut [u32; 4]>::try_from(&mut *face) {
            Ok(four) => *four = [number; 4], // most meshes: one store
            Err(_) => face.fill(number),
        }
        rest = later;
    }
}

/// The UVs of a mesh as a list to merge.
pub(super) struct UvValues<'a> {
    values: &'a [[f32; 2]],
    /// The vertices of corners, where UVs belong to corners.
    vertices: Option<&'a [u32]>,
}

impl<'a> UvValues<'a> {
    pub(super) fn new(mesh: &'a Mesh<'_>, uvs: &'a Uvs<'_>) -> Self {
        UvValues { values: &uvs.values, vertices: corner_vertices(mesh, &uvs.domain) }
    }
}

/// The vertices of corners, where values belong to corners: most corners of a vertex have the
/// same value.
fn corner_vertices<'a>(mesh: &'a Mesh<'_>, domain: &Domain<'_>) -> Option<&'a [u32]> {
    matches!(domain, Domain::Corner).then_some(&mesh.corner_vertices)
}

impl MergeValues<2> for UvValues<'_> {
    fn count(&self) -> usize {
        self.values.len()
    }
    fn slice<'s>(&'s self, range: Range<usize>, _: &'s mut Vec<f32>) -> &'s [[f32; 2]] {
        &self.values[range]
    }
    fn value(&self, element: usize) -> [f32; 2] {
        self.values[element]
    }
    fn keys(&self) -> Option<&[u32]> {
        self.vertices
    }
}

/// The normals of a mesh, transformed and rounded.
pub(super) struct NormalValues<'a> {
    values: &'a [[f32; 3]],
    /// The matrix for the elements up to an end.
    matrices: Vec<(usize, Option<[[f32; 3]; 3]>)>,
    /// Round to 4 digits.
    rounds: bool,
    /// The vertices that faces use, where the normals belong to vertices.
    used: Option<Vec<bool>>,
    /// The vertices of corners, where the normals belong to corners.
    vertices: Option<&'a [u32]>,
}

impl<'a> NormalValues<'a> {
    /// The normals of `mesh` for its `parts`.
    pub(super) fn new(
        mesh: &'a Mesh<'_>,
        parts: &[ObjPart<'_>],
        options: &ObjWriteOptions,
    ) -> Result<Self> {
        let normals = mesh.normals.as_ref().expect("the mesh has normals");
        let matrices = parts.iter().map(|part| {
            let end = match normals.domain {
                Domain::Vertex => part.vertices.end,
                Domain::Face => part.faces.end,
                Domain::Corner => mesh.face_offsets.get(part.faces.end).map_or(0, |&c| c as usize),
                Domain::Indexed(_) => part.normals.end,
            };
            (end, part.transform.normal)
        });
        let merges = merges(options, &normals.domain);
        let on_vertices = merges && matches!(normals.domain, Domain::Vertex);
        Ok(NormalValues {
            values: &normals.values,
            matrices: matrices.collect(),
            // Blender rounds before it merges; with other digits we must not.
            rounds: merges && options.normal_digits == Digits::Fixed(4),
            used: if on_vertices { used_vertices(mesh)? } else { None },
            vertices: corner_vertices(mesh, &normals.domain),
        })
    }

    /// The normals of some elements as they are written: of `start + f` for each f in `firsts`.
    pub(super) fn written(&self, start: usize, mut firsts: &[u16], mut out: &mut [[f32; 3]]) {
        let mut gathered = [[0.0; 3]; LANES];
        for (end, matrix) in &self.matrices {
            // Gather what has the same matrix.
            let here = firsts.partition_point(|&f| start + (f as usize) < *end);
            let (now, later) = firsts.split_at(here);
            let (out_now, out_later) = std::mem::take(&mut out).split_at_mut(here);
            for (firsts, out) in now.chunks(LANES).zip(out_now.chunks_mut(LANES)) {
                let gathered = &mut gathered[..firsts.len()];
                gathered
                    .iter_mut()
                    .zip(firsts)
                    .for_each(|(to, &f)| *to = self.values[start + f as usize]);
                self.make_all(gathered, matrix.as_ref(), out);
                if self.rounds {
                    out.as_flattened_mut().iter_mut().for_each(|k| *k /= SCALE);
                }
            }
            (firsts, out) = (later, out_later);
        }
    }

    fn make_all(&self, values: &[[f32; 3]], m: Option<&[[f32; 3]; 3]>, out: &mut [[f32; 3]]) {
        if m.is_none() && !self.rounds {
            out.copy_from_slice(values);
        } else {
            wide(MakeValues { values, matrix: m, rounds: self.rounds, out });
        }
    }
}

/// Makes normals.
struct MakeValues<'a> {
    values: &'a [[f32; 3]],
    matrix: Option<&'a [[f32; 3]; 3]>,
    rounds: bool,
    out: &'a mut [[f32; 3]],
}

impl Wide for MakeValues<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match (self.matrix, self.rounds) {
            (Some(m), true) => in_lanes(self.values, self.out, |v| round(direction(v, m))),
            (Some(m), false) => in_lanes(self.values, self.out, |v| direction(v, m)),
            (None, _) => in_lanes(self.values, self.out, |v| round(unit(v))),
        }
    }
}

impl MergeValues<3> for NormalValues<'_> {
    fn count(&self) -> usize {
        self.values.len()
    }
    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; 3]] {
        scratch.clear();
        scratch.reserve(3 * range.len());
        let mut start = range.start;
        for (end, matrix) in &self.matrices {
            let end = (*end).min(range.end);
            if start < end {
                let at = scratch.len();
                scratch.resize(at + 3 * (end - start), 0.0);
                let made = scratch[at..].as_chunks_mut().0;
                self.make_all(&self.values[start..end], matrix.as_ref(), made);
                start = end;
            }
        }
        scratch.as_chunks().0
    }
    fn value(&self, element: usize) -> [f32; 3] {
        let matrix = self.matrices.iter().find(|(end, _)| element < *end);
        let matrix = matrix.and_then(|(_, m)| m.as_ref());
        let value = self.values[element];
        match (matrix, self.rounds) {
            (Some(m), true) => round(direction(value, m)),
            (Some(m), false) => direction(value, m),
            (None, true) => round(unit(value)),
            (None, false) => value,
        }
    }
    fn used(&self) -> Option<&[bool]> {
        self.used.as_deref()
    }
    fn keys(&self) -> Option<&[u32]> {
        self.vertices
    }
}

const SCALE: f32 = 10_000.0;

/// Blender's rounding to 4 digits, left multiplied by 10000: equal before the division means
/// equal after it.
#[inline(always)]
fn round(v: [f32; 3]) -> [f32; 3] {
    v.map(|c| ceil(SCALE * c - 0.5))
}

/// `f32::ceil` for values below 2^22, from operations that every processor has as vectors.
#[inline(always)]
fn ceil(x: f32) -> f32 {
    const ROUNDER: f32 = 12_582_912.0; // 1.5 * 2^23: the sum has no fraction
    let nearest = (x + ROUNDER) - ROUNDER;
    let up = if nearest < x { nearest + 1.0 } else { nearest };
    up.copysign(x)
}

/// Whether values of this domain are merged.
pub(super) fn merges(options: &ObjWriteOptions, domain: &Domain<'_>) -> bool {
    options.merge && !matches!(domain, Domain::Indexed(_))
}

/// Flags of the vertices that faces use; `None` when all do.
fn used_vertices(mesh: &Mesh<'_>) -> Result<Option<Vec<bool>>> {
    let mut used = vec![false; mesh.positions.len()];
    for (corner, &vertex) in mesh.corner_vertices.iter().enumerate() {
        match used.get_mut(vertex as usize) {
            Some(flag) => *flag = true,
            None => return Err(missing_vertex(mesh, corner)),
        }
    }
    Ok(used.contains(&false).then_some(used))
}

/// `Err` where faces have no corners to lie on; `number` is the mesh's.
pub(super) fn check_offsets(mesh: &Mesh<'_>, number: usize) -> Result<()> {
    let corners = mesh.corner_vertices.len();
    let is_bad = |pair: &[u32]| pair[0] > pair[1] || pair[1] as usize > corners;
    match mesh.face_offsets.windows(2).position(is_bad) {
        None => Ok(()),
        Some(face) => Err(Error::argument(format!(
            "mesh {number}: the offsets of the faces {face} to {} do not rise",
            face + 1
        ))),
    }
}

/// `Err` where a corner refers to a vertex that does not exist.
pub(super) fn check_vertices(mesh: &Mesh<'_>) -> Result<()> {
    let vertices = mesh.positions.len();
    match mesh.corner_vertices.iter().max() {
        Some(&most) if most as usize >= vertices => {
            let bad = mesh.corner_vertices.iter().position(|&v| v as usize >= vertices);
            Err(missing_vertex(mesh, bad.unwrap_or(0)))
        }
        _ => Ok(()),
    }
}

/// The error of a corner whose vertex does not exist.
#[cold]
pub(super) fn missing_vertex(mesh: &Mesh<'_>, corner: usize) -> Error {
    let face = mesh.face_offsets.partition_point(|&start| start as usize <= corner) - 1;
    Error::argument(format!(
        "face {face} refers to vertex {}; the mesh has {} vertices",
        mesh.corner_vertices[corner],
        mesh.positions.len()
    ))
}

/// The UVs of `mesh`, merged if the options say so.
pub(super) fn uv_index<'a>(
    mesh: &'a Mesh<'_>,
    options: &ObjWriteOptions,
    round: Option<usize>,
) -> Option<ValueIndex<'a>> {
    let uvs = mesh.uvs.as_ref().filter(|_| has_uvs(mesh, options))?;
    Some(index(&uvs.domain, &UvValues::new(mesh, uvs), merges(options, &uvs.domain), round))
}

/// How corners refer to `values`, merged in rounds of so many elements or all at once.
pub(super) fn index<'a, const N: usize>(
    domain: &'a Domain<'a>,
    values: &impl MergeValues<N>,
    merges: bool,
    round: Option<usize>,
) -> ValueIndex<'a> {
    match round {
        _ if !merges => ValueIndex::Own(domain),
        None => ValueIndex::Merged(domain, Arc::new(merge::merge(values))),
        Some(round) => ValueIndex::InRounds(domain, Arc::new(rounds::firsts(values, round))),
    }
}

/// Whether the mesh's UVs are written.
pub(super) fn has_uvs(mesh: &Mesh<'_>, options: &ObjWriteOptions) -> bool {
    options.export_uv && mesh.uvs.as_ref().is_some_and(|uvs| !uvs.values.is_empty())
}

/// Whether the mesh's normals are written.
pub(super) fn has_normals(mesh: &Mesh<'_>, options: &ObjWriteOptions) -> bool {
    let some = mesh.normals.as_ref().is_some_and(|n| !n.values.is_empty());
    some && options.export_normals && faces(mesh) > 0
}

/// The largest index in `index`, leaving out [`NONE`].
pub(super) fn largest(index: &[u32]) -> Option<u32> {
    // NONE wraps to 0 and every index i to i + 1.
    index.iter().map(|i| i.wrapping_add(1)).max().unwrap_or(0).checked_sub(1).filter(|&i| i != NONE)
}
