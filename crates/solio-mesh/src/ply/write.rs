//! Writing: parts, header, then chunks of records in parallel.

use super::cells::{Cells, emit};
use super::color::ColorPath;
use super::layout::{AttributeItem, ElementOut, Item, convert, elements, find, header};
use super::options::{PlyColorType, PlyColors, PlyWriteOptions};
use super::part::{Part, index_of};
use super::place::Placement;
use crate::model::{Attribute, ColorSpace, Domain, NONE, Positions, ScalarType, Scene, Values};
use crate::spans::PREPARE;
use solio_base::{Result, Sink, Work};
use std::borrow::Cow;
use std::ops::Range;

/// Records in a chunk.
const CHUNK: usize = 16 << 10;

/// Writes all meshes of a scene into one PLY file.
///
/// # Errors
/// `Argument` when arrays of a mesh contradict each other, and what `sink` fails with.
pub fn encode_ply(
    scene: &Scene<'_>,
    options: &PlyWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let prepare = PREPARE.begin();
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut base = 0;
    for mesh in &scene.meshes {
        let part = Part::new(mesh, options, base, work)?;
        base += part.vertices as u64;
        parts.push(part);
    }
    let elements = elements(&parts, options)?;
    drop(prepare);
    sink.write_bytes(work, header(&elements, options)?.as_bytes())?;
    let mut jobs: Vec<(&ElementOut, usize, Range<usize>)> = Vec::new();
    for element in &elements {
        for (part, &count) in element.counts.iter().enumerate() {
            for start in (0..count).step_by(CHUNK) {
                jobs.push((element, part, start..count.min(start + CHUNK)));
            }
        }
    }
    sink.write_chunks(work, jobs.len(), &|i, out| {
        let (element, part, range) = &jobs[i];
        let context = Context { part: &parts[*part], options, element: &element.name };
        let cells: Vec<Cells<'_>> =
            element.items.iter().map(|item| context.cells(item, range.clone())).collect();
        emit(out, &cells, range.len(), options);
        Ok(())
    })
}

/// What the values of a chunk are made of.
struct Context<'a> {
    part: &'a Part<'a>,
    options: &'a PlyWriteOptions,
    element: &'a str,
}

impl<'a> Context<'a> {
    fn cells(&self, item: &Item, range: Range<usize>) -> Cells<'a> {
        let flat = |rows: Vec<[f32; 3]>| Values::F32(Cow::Owned(rows.into_flattened()));
        match item {
            Item::Position(ScalarType::F64) => Cells::fixed(self.positions_f64(range), 3),
            Item::Position(_) => Cells::fixed(self.positions_f32(range), 3),
            Item::Normal => Cells::fixed(flat(self.normals(range)), 3),
            Item::Color(kind) => Cells::fixed(self.colors(*kind, range), 4),
            Item::Uv => Cells::fixed(self.uvs(range), 2),
            Item::Corners(count) => self.corners(*count, range),
            Item::FaceNormal => Cells::fixed(flat(self.face_normals(range)), 3),
            Item::EdgeEnds => Cells::fixed(self.edges(range), 2),
            Item::Attribute(a) => self.attribute(a, range),
        }
    }

    /// The transform of a vertex of the mesh.
    fn transform(&self, vertex: usize) -> &'a Placement {
        let all = &self.part.transforms;
        let i = all.partition_point(|t| t.0 as usize <= vertex).min(all.len() - 1);
        &all[i].1
    }

    fn positions_f32(&self, range: Range<usize>) -> Values<'a> {
        let Positions::F32(positions) = &self.part.mesh.positions else {
            return Values::F32(Cow::Borrowed(&[])); // the element is f64 as soon as one part is
        };
        let positions: &'a [[f32; 3]] = positions;
        let [(_, only)] = &self.part.transforms[..] else {
            let moved = range.map(|i| {
                let vertex = self.part.vertex(i);
                self.transform(vertex).point(positions[vertex])
            });
            return Values::F32(Cow::Owned(moved.collect::<Vec<_>>().into_flattened()));
        };
        if self.part.split.is_none() && only.keeps_positions() {
            return Values::F32(Cow::Borrowed(positions[range].as_flattened()));
        }
        let points = range.map(|i| positions[self.part.vertex(i)]);
        let values: Vec<[f32; 3]> = points.map(|p| only.point(p)).collect();
        Values::F32(Cow::Owned(values.into_flattened()))
    }

    fn positions_f64(&self, range: Range<usize>) -> Values<'a> {
        let moved = range.map(|i| {
            let vertex = self.part.vertex(i);
            self.transform(vertex).point_f64(self.part.mesh.positions.get(vertex))
        });
        Values::F64(Cow::Owned(moved.collect::<Vec<_>>().into_flattened()))
    }

    fn normals(&self, range: Range<usize>) -> Vec<[f32; 3]> {
        let normals = self.part.mesh.normals.as_ref().filter(|_| self.part.has_normal);
        let Some(normals) = normals else { return vec![[0.0; 3]; range.len()] };
        range
            .map(|i| {
                let vertex = self.part.vertex(i);
                let at = self.value_index(&normals.domain, i, vertex);
                let n = at.map_or([0.0; 3], |at| normals.values[at]);
                self.transform(vertex).direction(n)
            })
            .collect()
    }

    /// Which value a vertex of the file has.
    fn value_index(&self, domain: &Domain<'_>, i: usize, vertex: usize) -> Option<usize> {
        match (domain, &self.part.split) {
            (Domain::Vertex, _) => Some(vertex),
            (_, Some(split)) if split.corner[i] != NONE => {
                let corner = split.corner[i] as usize;
                let face = match domain {
                    Domain::Face => self.face_of(corner),
                    _ => 0,
                };
                index_of(domain, vertex, corner, face)
            }
            _ => None,
        }
    }

    fn face_of(&self, corner: usize) -> usize {
        self.part.mesh.face_offsets.partition_point(|&o| o as usize <= corner) - 1
    }

    fn uvs(&self, range: Range<usize>) -> Values<'a> {
        let uvs = self.part.mesh.uvs.as_ref().filter(|_| self.part.has_uv);
        let Some(uvs) = uvs else { return Values::F32(Cow::Owned(vec![0.0; 2 * range.len()])) };
        let values = range.map(|i| {
            let at = self.value_index(&uvs.domain, i, self.part.vertex(i));
            at.map_or([0.0; 2], |at| uvs.values[at])
        });
        Values::F32(Cow::Owned(values.collect::<Vec<_>>().into_flattened()))
    }

    fn colors(&self, kind: PlyColorType, range: Range<usize>) -> Values<'a> {
        let colors = self.part.mesh.colors.as_ref();
        let to = match self.options.export_colors {
            PlyColors::Linear => ColorSpace::Linear,
            _ => ColorSpace::Srgb,
        };
        let from = colors.map_or(to, |c| c.space);
        let path = ColorPath { from, to, cut: self.options.blender_quirks };
        let of = |i| colors.map_or([0.0; 4], |c| c.values[self.part.vertex(i)]);
        match kind {
            PlyColorType::U8 => {
                let bytes: Vec<[u8; 4]> = range.map(|i| path.bytes(of(i))).collect();
                Values::U8(Cow::Owned(bytes.into_flattened()))
            }
            PlyColorType::F32 => {
                let values: Vec<[f32; 4]> = range.map(|i| path.convert(of(i))).collect();
                Values::F32(Cow::Owned(values.into_flattened()))
            }
        }
    }

    fn corners(&self, count: ScalarType, range: Range<usize>) -> Cells<'a> {
        let bounds = &self.part.face_offsets[range.start..=range.end];
        let first = bounds[0];
        let offsets: Vec<u32> = bounds.iter().map(|o| o - first).collect();
        let corners = &self.part.corners[first as usize..bounds[range.len()] as usize];
        let base = self.part.vertex_base as u32;
        let values = if base == 0 {
            Cow::Borrowed(corners)
        } else {
            Cow::Owned(corners.iter().map(|c| c + base).collect())
        };
        Cells { values: Values::U32(values), width: 1, list: Some((offsets, count)) }
    }

    fn face_normals(&self, range: Range<usize>) -> Vec<[f32; 3]> {
        let normals = self.part.mesh.normals.as_ref().filter(|n| n.domain == Domain::Face);
        let Some(normals) = normals else { return vec![[0.0; 3]; range.len()] };
        range
            .map(|f| {
                let face = self.part.face_of.as_ref().map_or(f, |of| of[f] as usize);
                let first = self.part.mesh.face_offsets[face] as usize;
                let vertex = self.part.mesh.corner_vertices.get(first).map_or(0, |&v| v as usize);
                let n = normals.values[face];
                self.transform(vertex).direction(n)
            })
            .collect()
    }

    fn edges(&self, range: Range<usize>) -> Values<'a> {
        let base = if self.options.blender_quirks { 0 } else { self.part.vertex_base as i32 };
        let ends = self.part.edges[range].as_flattened();
        Values::I32(Cow::Owned(ends.iter().map(|&v| v as i32 + base).collect()))
    }

    fn attribute(&self, item: &AttributeItem, range: Range<usize>) -> Cells<'a> {
        let rows = range.len();
        let Some(attribute) = find(self.part, self.element, item) else {
            return match item.list {
                Some(count) => {
                    let none = zeros(item.scalar, 0);
                    Cells { values: none, width: 1, list: Some((vec![0; rows + 1], count)) }
                }
                None => Cells::fixed(zeros(item.scalar, rows), 1),
            };
        };
        let records: Option<Vec<usize>> = match self.element {
            "vertex" => self
                .part
                .split
                .as_ref()
                .map(|_| range.clone().map(|i| self.part.vertex(i)).collect()),
            "face" => {
                let of = self.part.face_of.as_ref();
                of.map(|of| range.clone().map(|f| of[f] as usize).collect())
            }
            _ => None,
        };
        let (values, list) = match records {
            Some(records) => gather(attribute, records.into_iter()),
            None => stretch(attribute, range),
        };
        let list = list.zip(item.list);
        Cells { values: convert(values, item.scalar), width: 1, list }
    }
}

/// Zeros of a type.
fn zeros(scalar: ScalarType, n: usize) -> Values<'static> {
    let mut data = super::columns::Data::new(scalar);
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
    macro_rules! slice {
        ($($variant:ident),*) => {
            match &attribute.values {
                $(Values::$variant(v) => Values::$variant(Cow::Borrowed(&v[range])),)*
            }
        };
    }
    (slice!(I8, U8, I16, U16, I32, U32, F32, F64), offsets)
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
    macro_rules! pick {
        ($($variant:ident),*) => {
            match &attribute.values {
                $(Values::$variant(v) => Values::$variant(
                    records.flat_map(|i| v[span(i)].iter().copied()).collect(),
                ),)*
            }
        };
    }
    (pick!(I8, U8, I16, U16, I32, U32, F32, F64), offsets)
}
