//! Writing: parts, header, then chunks of records in parallel.

use super::cells::{RecordCells, emit};
use super::color::ColorPath;
use super::data::{Scalar, with_values};
use super::layout::{AttributeItem, ElementOut, PropertyGroup, convert, elements, find, header};
use super::options::{PlyColorType, PlyWriteOptions};
use super::part::PlyPart;
use super::rows::{OutputRows, RowElements, RowSource, faces, sources};
use super::split::{VertexNumbers, VertexSplit};
use crate::model::{Attribute, ColorSpace, Domain, NONE, Positions, ScalarType, Scene, Values};
use crate::offsets::stretches;
use crate::parallel::{self, ArrayPool};
use crate::placement::Placement;
use crate::spans::PREPARE;
use crate::splats;
use solio_base::{Result, Sink, Work};
use std::borrow::Cow;
use std::ops::Range;

/// Writes all meshes of a scene into one PLY file.
///
/// # Errors
/// `Argument` when arrays of a mesh contradict each other, `Unsupported` when splats are to be packed and
/// there are none, `Limit` when the memory of `work` does
/// not suffice to merge corners, and what `sink` fails with.
pub fn encode_ply(
    scene: &Scene<'_>,
    options: &PlyWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    if options.pack_splats {
        return splats::encode_packed_splats(scene, options, work, sink);
    }
    let prepare = PREPARE.begin();
    let pool = parallel::pool(work)?;
    let (mut parts, memory) = pool.install(|| {
        let parts = scene.meshes.iter().map(|mesh| PlyPart::new(mesh, options, work));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let memory = memory(&parts, work)?;
        Ok((parts, memory))
    })?;
    let mut numbers = pool.install(|| split(&mut parts, memory, work))?;
    let mut base = 0;
    for part in &mut parts {
        part.vertex_base = base;
        base += part.vertices as u64;
    }
    let elements = elements(&parts, options)?;
    drop(prepare);
    sink.write_bytes(work, header(&elements, scene, options)?.as_bytes())?;
    for element in &elements {
        let mut out = PlyOutput { element, options, work, sink };
        match &element.name[..] {
            "face" => write_faces(&mut out, &parts, &pool, memory, std::mem::take(&mut numbers))?,
            "edge" => write_edges(&mut out, &parts, &pool, memory)?,
            _ => out.write_all(&parts, &[])?,
        }
    }
    Ok(())
}

/// The memory for numbers of corners: a quarter is for the chunks under way.
fn memory(parts: &[PlyPart<'_>], work: &Work) -> Result<u64> {
    let kept = kept(parts);
    let all = work.memory_bytes / 4 * 3;
    all.checked_sub(kept).ok_or_else(|| crate::rounds::too_little(kept))
}

/// Bytes that all parts keep while the file is written.
fn kept(parts: &[PlyPart<'_>]) -> u64 {
    parts.iter().filter_map(|part| part.keys.map(|keys| keys.bytes_kept())).sum()
}

/// Merges the corners of all parts. Returns the numbers of all corners if that is little enough.
fn split(parts: &mut [PlyPart<'_>], memory: u64, work: &Work) -> Result<Vec<Refs>> {
    let groups = groups(parts, memory);
    let always = kept(parts);
    let mut kept = Vec::new();
    for group in &groups {
        work.cancel.check()?;
        let bytes: u64 = parts[group.clone()].iter().map(bytes).sum();
        let some = &parts[group.clone()];
        let linked = parallel::collect(some.len(), &|i| {
            let keys = some[i].keys.filter(|_| bytes <= memory)?;
            VertexSplit::linked(keys)
        });
        for (part, linked) in parts[group.clone()].iter_mut().zip(linked) {
            let (split, numbers) = linked.map_or((None, None), |(s, n)| (Some(s), Some(n)));
            part.split = match (split, part.keys) {
                (None, Some(keys)) => {
                    let others = if group.len() > 1 { bytes } else { 0 };
                    Some(VertexSplit::in_rounds(keys, memory + always, others + always)?)
                }
                (split, _) => split,
            };
            part.vertices = part.split.as_ref().map_or(part.vertices, VertexSplit::vertices);
            if groups.len() == 1 {
                kept.push(Refs { numbers, last: Vec::new() });
            }
        }
    }
    Ok(kept)
}

/// Bytes of a part's numbers while they are made.
fn bytes(part: &PlyPart<'_>) -> u64 {
    part.keys.map_or(0, |keys| keys.bytes())
}

/// Parts whose numbers fit the memory together; one alone may pass it.
fn groups(parts: &[PlyPart<'_>], memory: u64) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (i, part) in parts.iter().enumerate() {
        sum += bytes(part);
        if sum > memory && i > start {
            groups.push(start..i);
            (start, sum) = (i, bytes(part));
        }
    }
    groups.push(start..parts.len());
    groups
}

/// Numbers that the faces and edges of a part refer to.
#[derive(Default)]
struct Refs {
    numbers: Option<VertexNumbers>,
    /// For each of the mesh's vertices the one of its last corner, where edges need that.
    last: Vec<u32>,
}

fn write_faces(
    out: &mut PlyOutput<'_>,
    parts: &[PlyPart<'_>],
    pool: &ArrayPool,
    memory: u64,
    kept: Vec<Refs>,
) -> Result<()> {
    let rounds = |part: &PlyPart<'_>| part.split.as_ref().and_then(|split| split.round);
    if !kept.is_empty() && parts.iter().all(|part| rounds(part).is_none()) {
        return out.write_all(parts, &kept);
    }
    drop(kept);
    for group in groups(parts, memory) {
        let mut start = group.start;
        // Parts whose numbers are made in rounds come alone.
        for run in parts[group].chunk_by(|a, b| rounds(a).is_none() && rounds(b).is_none()) {
            let range = start..start + run.len();
            start = range.end;
            let (Some(round), Some(split)) = (rounds(&run[0]), &run[0].split) else {
                let again = |i: usize| Refs {
                    numbers: run[i].split.as_ref().and_then(VertexSplit::again),
                    last: Vec::new(),
                };
                let refs = pool.install(|| parallel::collect(run.len(), &again));
                out.write_some(parts, range, &refs)?;
                continue;
            };
            let offsets = &run[0].mesh.face_offsets;
            for stretch in stretches(offsets, 0..offsets.len() - 1, round as u32) {
                let corners: Vec<u32> = (offsets[stretch.start]..offsets[stretch.end]).collect();
                let numbers = pool.install(|| split.numbers(&corners));
                let first = offsets[stretch.start] as usize;
                let refs =
                    Refs { numbers: Some(VertexNumbers::Some(first, numbers)), last: Vec::new() };
                out.write(run, &[refs], faces(&run[0], stretch).into_iter().map(|s| (0, s)))?;
            }
        }
    }
    Ok(())
}

/// One part after the other: edges beside faces with UVs are rare.
fn write_edges(
    out: &mut PlyOutput<'_>,
    parts: &[PlyPart<'_>],
    pool: &ArrayPool,
    memory: u64,
) -> Result<()> {
    if parts.iter().all(|part| part.split.is_none()) {
        return out.write_all(parts, &[]);
    }
    for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.edges > 0) {
        let split = part.split.as_ref();
        let last = split.map(|split| pool.install(|| split.last(memory))).transpose()?;
        let refs = Refs { numbers: None, last: last.unwrap_or_default() };
        out.write_some(parts, i..i + 1, &[refs])?;
    }
    Ok(())
}

/// One element on its way into the file.
struct PlyOutput<'a> {
    element: &'a ElementOut,
    options: &'a PlyWriteOptions,
    work: &'a Work,
    sink: &'a mut dyn Sink,
}

impl PlyOutput<'_> {
    fn write_all(&mut self, parts: &[PlyPart<'_>], refs: &[Refs]) -> Result<()> {
        self.write_some(parts, 0..parts.len(), refs)
    }

    /// Writes the element's records of some parts.
    fn write_some(
        &mut self,
        parts: &[PlyPart<'_>],
        some: Range<usize>,
        refs: &[Refs],
    ) -> Result<()> {
        let counts = &self.element.counts[some.clone()];
        let parts = &parts[some];
        let each = parts.iter().zip(counts).enumerate();
        let jobs = each.filter(|(_, (_, count))| **count > 0).flat_map(|(i, (part, &count))| {
            let sources = sources(part, &self.element.name, count);
            sources.into_iter().map(move |source| (i, source))
        });
        let jobs: Vec<(usize, RowSource)> = jobs.collect();
        self.write(parts, refs, jobs)
    }

    /// Writes stretches of `parts`, each with the part's place.
    fn write(
        &mut self,
        parts: &[PlyPart<'_>],
        refs: &[Refs],
        jobs: impl IntoIterator<Item = (usize, RowSource)>,
    ) -> Result<()> {
        let jobs: Vec<(usize, RowSource)> = jobs.into_iter().collect();
        let (element, options, none) = (self.element, self.options, Refs::default());
        self.sink.write_chunks(self.work, jobs.len(), &|i, out| {
            let (part, source) = &jobs[i];
            let refs = refs.get(*part).unwrap_or(&none);
            let part = &parts[*part];
            let rows = OutputRows::new(part, source)?;
            let context = PartContext { part, refs, options, element: &element.name, rows: &rows };
            let cells: Vec<RecordCells<'_>> =
                element.items.iter().map(|item| context.cells(item)).collect();
            emit(out, &cells, rows.count, options);
            Ok(())
        })
    }
}

/// What the values of a chunk are made of.
struct PartContext<'a> {
    part: &'a PlyPart<'a>,
    refs: &'a Refs,
    options: &'a PlyWriteOptions,
    element: &'a str,
    rows: &'a OutputRows,
}

impl<'a> PartContext<'a> {
    fn cells(&self, item: &PropertyGroup) -> RecordCells<'a> {
        let flat = |rows: Vec<[f32; 3]>| Values::F32(Cow::Owned(rows.into_flattened()));
        match item {
            PropertyGroup::Position(ScalarType::F64) => RecordCells::fixed(self.positions_f64(), 3),
            PropertyGroup::Position(_) => RecordCells::fixed(self.positions_f32(), 3),
            PropertyGroup::Normal => RecordCells::fixed(flat(self.normals()), 3),
            PropertyGroup::Color(kind) => RecordCells::fixed(self.colors(*kind), 4),
            PropertyGroup::Uv => RecordCells::fixed(self.uvs(), 2),
            PropertyGroup::Corners(count) => self.corners(*count),
            PropertyGroup::CornerUvs(count) => self.corner_uvs(*count),
            PropertyGroup::FaceNormal => RecordCells::fixed(flat(self.face_normals()), 3),
            PropertyGroup::EdgeEnds => RecordCells::fixed(self.edges(), 2),
            PropertyGroup::Attribute(a) => self.attribute(a),
        }
    }

    /// The transform of a vertex of the mesh.
    fn transform(&self, vertex: usize) -> &'a Placement {
        let all = &self.part.transforms;
        let i = all.partition_point(|t| t.0 as usize <= vertex).min(all.len() - 1);
        &all[i].1
    }

    fn positions_f32(&self) -> Values<'a> {
        let Positions::F32(positions) = &self.part.mesh.positions else {
            return Values::F32(Cow::Borrowed(&[])); // the element is f64 as soon as one part is
        };
        let positions: &'a [[f32; 3]] = positions;
        let vertices = self.rows.elements();
        let moved: Vec<[f32; 3]> = match (&self.part.transforms[..], &self.rows.of) {
            ([(_, only)], RowElements::Range(range)) if only.keeps_positions() => {
                return Values::F32(Cow::Borrowed(positions[range.clone()].as_flattened()));
            }
            ([(_, only)], RowElements::List(list)) if only.keeps_positions() => {
                list.iter().map(|&v| positions[v as usize]).collect()
            }
            ([(_, only)], _) => vertices.map(|v| only.point(positions[v])).collect(),
            _ => vertices.map(|v| self.transform(v).point(positions[v])).collect(),
        };
        Values::F32(Cow::Owned(moved.into_flattened()))
    }

    fn positions_f64(&self) -> Values<'a> {
        let positions = &self.part.mesh.positions;
        let moved = self.rows.elements().map(|v| self.transform(v).point_f64(positions.get(v)));
        Values::F64(Cow::Owned(moved.collect::<Vec<_>>().into_flattened()))
    }

    fn normals(&self) -> Vec<[f32; 3]> {
        let normals = self.part.mesh.normals.as_ref().filter(|_| self.part.has_normal);
        let Some(normals) = normals else { return vec![[0.0; 3]; self.rows.count] };
        let mut found = self.values(&normals.values, &normals.domain);
        for (normal, vertex) in found.iter_mut().zip(self.rows.elements()) {
            *normal = self.transform(vertex).direction(*normal);
        }
        found
    }

    fn uvs(&self) -> Values<'a> {
        let uvs = self.part.mesh.uvs.as_ref().filter(|_| self.part.has_uv);
        let found = match uvs {
            Some(uvs) => self.values(&uvs.values, &uvs.domain),
            None => vec![[0.0; 2]; self.rows.count],
        };
        Values::F32(Cow::Owned(found.into_flattened()))
    }

    /// The values of vertices; zeros where there is none.
    fn values<const N: usize>(&self, values: &[[f32; N]], domain: &Domain<'_>) -> Vec<[f32; N]> {
        if *domain == Domain::Vertex {
            return self.rows.elements().map(|vertex| values[vertex]).collect();
        }
        let corners = self.rows.corners.iter();
        let index = |corner: u32| match corner {
            NONE => None,
            _ => domain.index_of(self.part.mesh, corner as usize),
        };
        corners.map(|&corner| index(corner).map_or([0.0; N], |i| values[i])).collect()
    }

    fn colors(&self, kind: PlyColorType) -> Values<'a> {
        let colors = self.part.mesh.colors.as_ref();
        let space = colors.map_or(ColorSpace::Srgb, |c| c.space);
        let path = ColorPath::new(space, self.options);
        let of = |vertex: usize| colors.map_or([0.0; 4], |c| c.values[vertex]);
        let vertices = self.rows.elements();
        match kind {
            PlyColorType::U8 => {
                let bytes: Vec<[u8; 4]> = vertices.map(|v| path.bytes(of(v))).collect();
                Values::U8(Cow::Owned(bytes.into_flattened()))
            }
            PlyColorType::F32 => {
                let values: Vec<[f32; 4]> = vertices.map(|v| path.convert(of(v))).collect();
                Values::F32(Cow::Owned(values.into_flattened()))
            }
        }
    }

    fn corners(&self, count: ScalarType) -> RecordCells<'a> {
        let mesh = self.part.mesh;
        let base = self.part.vertex_base as u32;
        let (offsets, values): (Vec<u32>, Cow<'a, [u32]>) = match &self.rows.of {
            RowElements::Range(faces) => {
                let bounds = &mesh.face_offsets[faces.start..=faces.end];
                let corners = bounds[0] as usize..bounds[faces.len()] as usize;
                let offsets = bounds.iter().map(|o| o - bounds[0]).collect();
                let values = match &self.refs.numbers {
                    None if base == 0 => Cow::Borrowed(&mesh.corner_vertices[corners]),
                    None => mesh.corner_vertices[corners].iter().map(|v| v + base).collect(),
                    Some(numbers) => {
                        let mut values = Vec::with_capacity(corners.len());
                        numbers.extend(corners, base, &mut values);
                        Cow::Owned(values)
                    }
                };
                (offsets, values)
            }
            RowElements::List(_) => {
                let corners = self.rows.corners.iter().map(|&corner| corner as usize);
                let values = match &self.refs.numbers {
                    None => corners.map(|c| mesh.corner_vertices[c] + base).collect(),
                    Some(numbers) => corners.map(|c| numbers.of(c) + base).collect(),
                };
                ((0..=self.rows.count as u32).map(|i| 3 * i).collect(), values)
            }
        };
        let values = self.turned(&offsets, values);
        RecordCells { values: Values::U32(values), width: 1, list: Some((offsets, count)) }
    }

    /// The texture coordinates of each face's corners; none where none of them has some.
    fn corner_uvs(&self, count: ScalarType) -> RecordCells<'a> {
        let mesh = self.part.mesh;
        let uvs = mesh.uvs.as_ref().filter(|_| self.part.uv_lists);
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        for (row, face) in self.rows.elements().enumerate() {
            let mut corners: Vec<usize> = match &self.rows.of {
                RowElements::Range(_) => (mesh.face_offsets[face] as usize
                    ..mesh.face_offsets[face + 1] as usize)
                    .collect(),
                RowElements::List(_) => {
                    self.rows.corners[3 * row..3 * row + 3].iter().map(|&c| c as usize).collect()
                }
            };
            if !self.options.blender_quirks && self.transform_of_face(face).mirrors() {
                corners.get_mut(1..).into_iter().for_each(<[usize]>::reverse);
            }
            if let Some(uvs) = uvs {
                let of = |&corner: &usize| uvs.domain.index_of(mesh, corner).map(|i| uvs.values[i]);
                let found: Vec<Option<[f32; 2]>> = corners.iter().map(of).collect();
                if found.iter().any(Option::is_some) {
                    values.extend(found.into_iter().map(Option::unwrap_or_default));
                }
            }
            offsets.push(2 * values.len() as u32);
        }
        let values = Values::F32(Cow::Owned(values.into_flattened()));
        RecordCells { values, width: 1, list: Some((offsets, count)) }
    }

    /// The corners of faces, those of mirrored ones the other way round: the first stays the first.
    fn turned(&self, offsets: &[u32], mut values: Cow<'a, [u32]>) -> Cow<'a, [u32]> {
        // Blender turns them in OBJ and STL, but not in PLY.
        if self.options.blender_quirks || !self.part.transforms.iter().any(|t| t.1.mirrors()) {
            return values;
        }
        let corners = values.to_mut();
        for (face, ends) in self.rows.elements().zip(offsets.windows(2)) {
            if self.transform_of_face(face).mirrors()
                && let Some(rest) = corners.get_mut(ends[0] as usize + 1..ends[1] as usize)
            {
                rest.reverse();
            }
        }
        values
    }

    /// The transform of a face of the mesh: that of its first vertex.
    fn transform_of_face(&self, face: usize) -> &'a Placement {
        let mesh = self.part.mesh;
        let first = mesh.face_offsets[face] as usize;
        self.transform(mesh.corner_vertices.get(first).map_or(0, |&v| v as usize))
    }

    fn face_normals(&self) -> Vec<[f32; 3]> {
        let normals = self.part.mesh.normals.as_ref().filter(|n| n.domain == Domain::Face);
        let Some(normals) = normals else { return vec![[0.0; 3]; self.rows.count] };
        let faces = self.rows.elements();
        faces.map(|face| self.transform_of_face(face).direction(normals.values[face])).collect()
    }

    fn edges(&self) -> Values<'a> {
        let base = if self.options.blender_quirks { 0 } else { self.part.vertex_base as i32 };
        let own = |v: u32| self.refs.last.get(v as usize).copied().unwrap_or(v);
        let ends = self.rows.ends.as_flattened().iter();
        Values::I32(Cow::Owned(ends.map(|&v| own(v) as i32 + base).collect()))
    }

    fn attribute(&self, item: &AttributeItem) -> RecordCells<'a> {
        let rows = self.rows.count;
        let Some(attribute) = find(self.part, self.element, item) else {
            return match item.list {
                Some(count) => {
                    let none = zeros(item.scalar, 0);
                    RecordCells { values: none, width: 1, list: Some((vec![0; rows + 1], count)) }
                }
                None => RecordCells::fixed(zeros(item.scalar, rows), 1),
            };
        };
        let (values, list) = match &self.rows.of {
            RowElements::List(_) => gather(attribute, self.rows.elements()),
            RowElements::Range(range) => stretch(attribute, range.clone()),
        };
        let list = list.zip(item.list);
        RecordCells { values: convert(values, item.scalar), width: 1, list }
    }
}

/// Zeros of a type.
fn zeros(scalar: ScalarType, n: usize) -> Values<'static> {
    let mut data = super::data::ScalarArray::new(scalar);
    data.resize(n);
    data.into_values()
}

/// Consecutive records of an attribute: values, and the offsets of lists.
fn stretch<'m>(
    attribute: &'m Attribute<'m>,
    range: Range<usize>,
) -> (Values<'m>, Option<Vec<u32>>) {
    let (range, offsets) = match &attribute.list {
        None => (range, None),
        Some((offsets, _)) => {
            let bounds = &offsets[range.start..=range.end];
            let first = bounds[0];
            let own = bounds.iter().map(|o| o - first).collect();
            (first as usize..bounds[range.len()] as usize, Some(own))
        }
    };
    let values = with_values!(Values, &attribute.values,
        v => Scalar::values(Cow::Borrowed(&v[range])));
    (values, offsets)
}

/// Some records of an attribute: values, and the offsets of lists.
fn gather<'m>(
    attribute: &'m Attribute<'m>,
    records: impl Iterator<Item = usize> + Clone,
) -> (Values<'m>, Option<Vec<u32>>) {
    let span = |i: usize| match &attribute.list {
        None => i..i + 1,
        Some((offsets, _)) => offsets[i] as usize..offsets[i + 1] as usize,
    };
    let offsets = attribute.list.is_some().then(|| {
        let mut end = 0;
        let ends = records.clone().map(|i| {
            end += span(i).len() as u32;
            end
        });
        std::iter::once(0).chain(ends).collect()
    });
    let values = with_values!(Values, &attribute.values,
        v => Scalar::values(records.flat_map(|i| v[span(i)].iter().copied()).collect()));
    (values, offsets)
}
