//! The lines `f`, and the `s`, `g` and `usemtl` between them.

use super::plan::has_materials;
use super::values::{NumberWindow, ValueIndex, largest, missing_vertex};
use super::{PartText, Prepared};
use crate::model::{Domain, Mesh, NONE};
use solio_base::{Error, Result};
use solio_codec::number::format::{self, face_rows, push_i64, push_u32};
use std::ops::Range;

/// Faces that are made at a time; their corners stay in the cache.
const BLOCK: usize = 1024;

/// What a face is written under. A line is written where one of these changes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FaceState {
    smoothing: u32,
    /// Index of the heaviest vertex group, or [`NONE`].
    weights: u32,
    /// Index into the mesh's groups, or [`NONE`].
    group: u32,
    /// The material slot, or the material where the object has no slots.
    material: u32,
}

/// Corners of some faces, gathered in the order of writing.
#[derive(Default)]
struct Gathered {
    offsets: Vec<u32>,
    /// Empty where the corners of the mesh will do, see [`Gathered::own`].
    vertices: Vec<u32>,
    uvs: Vec<u32>,
    normals: Vec<u32>,
    /// The corners of the mesh, where all faces are neighbours in it: no need to copy these.
    own: Option<Range<usize>>,
    /// For [`ValueIndex::append`].
    scratch: Vec<u32>,
}

impl Gathered {
    fn vertices<'a>(&'a self, mesh: &'a Prepared<'_>) -> &'a [u32] {
        match &self.own {
            Some(corners) => &mesh.mesh.corner_vertices[corners.clone()],
            None => &self.vertices,
        }
    }
}

impl PartText<'_> {
    fn face_at(self, place: usize) -> usize {
        self.mesh.shared.order.as_ref().map_or(place, |order| order[place] as usize)
    }

    /// Appends the faces at `places` of the order of writing; `window` holds the numbers of their
    /// corners from `at` on, where they are not in memory for all faces.
    pub(super) fn faces(
        self,
        places: Range<usize>,
        (window, mut at): (&NumberWindow, usize),
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut sums = Vec::new();
        let mut before = (places.start > self.part.faces.start)
            .then(|| self.state(self.face_at(places.start - 1), &mut sums));
        let changes = self.varies();
        let mut gathered = Gathered::default();
        for start in places.clone().step_by(BLOCK) {
            let block = start..places.end.min(start + BLOCK);
            self.gather(block.clone(), &mut gathered)?;
            let corners = at..at + gathered.vertices(self.mesh).len();
            at = corners.end;
            if let Some(ValueIndex::InRounds(..)) = self.mesh.uvs {
                gathered.uvs.extend_from_slice(&window.uvs[corners.clone()]);
            }
            if let Some(ValueIndex::InRounds(..)) = self.mesh.normals {
                gathered.normals.extend_from_slice(&window.normals[corners]);
            }
            self.check(block.clone(), &gathered)?;
            let corners = format::CornerIndices {
                vertices: gathered.vertices(self.mesh),
                uvs: self.mesh.uvs.as_ref().map(|_| &gathered.uvs[..]),
                normals: self.mesh.normals.as_ref().map(|_| &gathered.normals[..]),
                vertex_base: self.mesh.vertex_base + 1,
                uv_base: self.mesh.uv_base + 1,
                normal_base: self.mesh.normal_base + 1,
            };
            let mut run = block.start;
            while run < block.end {
                let mut end = block.end;
                if changes || before.is_none() {
                    let now = self.state(self.face_at(run), &mut sums);
                    self.write_changes(before, now, out);
                    before = Some(now);
                    if changes && self.mesh.shared.order.is_none() && self.mesh.weights.is_none() {
                        end = self.alike(run..block.end);
                    } else if changes {
                        end = (run + 1..block.end)
                            .find(|&p| self.state(self.face_at(p), &mut sums) != now)
                            .unwrap_or(block.end);
                    }
                }
                let offsets = &gathered.offsets[run - block.start..=end - block.start];
                rows(self.mesh, offsets, &corners, self.part.transform.mirrors, out);
                run = end;
            }
        }
        Ok(())
    }

    /// The end of the run of faces with which the state surely stays that of the first one; the state
    /// of two runs may be the same.
    fn alike(self, faces: Range<usize>) -> usize {
        let mesh = self.mesh.mesh;
        let groups = if self.job.options.export_groups { &mesh.face_groups[..] } else { &[] };
        let mut end = faces.end;
        for values in [&mesh.face_smoothing[..], &mesh.face_materials, groups] {
            let Some(values) = values.get(faces.start..end) else { continue };
            let same = values.iter().position(|v| *v != values[0]);
            end = same.map_or(end, |count| faces.start + count);
        }
        end
    }

    /// Gathers the corners of the faces at `places`, a run of consecutive faces at a time.
    fn gather(self, places: Range<usize>, to: &mut Gathered) -> Result<()> {
        to.offsets.clear();
        to.vertices.clear();
        to.uvs.clear();
        to.normals.clear();
        to.offsets.push(0);
        to.own = None;
        let mut place = places.start;
        while place < places.end {
            let first = self.face_at(place);
            let mut count = 1;
            if self.mesh.shared.order.is_none() {
                count = places.len();
            } else {
                while place + count < places.end && self.face_at(place + count) == first + count {
                    count += 1;
                }
            }
            let faces = first..first + count;
            let offsets = &self.mesh.mesh.face_offsets[first..=first + count];
            let (start, end) = (offsets[0], offsets[count]);
            if !offsets.is_sorted() || end as usize > self.mesh.mesh.corner_vertices.len() {
                return Err(Error::argument(format!(
                    "mesh {}: the offsets of the faces {first} to {} do not rise",
                    self.mesh.number,
                    first + count - 1
                )));
            }
            let base = to.offsets.last().copied().unwrap_or(0);
            to.offsets.extend(offsets[1..].iter().map(|&o| base + (o - start)));
            let corners = start as usize..end as usize;
            if count == places.len() {
                to.own = Some(corners.clone());
            } else {
                to.vertices.extend_from_slice(&self.mesh.mesh.corner_vertices[corners.clone()]);
            }
            if let Some(index) = &self.mesh.uvs {
                let range = (faces.clone(), corners.clone());
                index.append(self.mesh.mesh, range, &mut to.uvs, &mut to.scratch);
            }
            if let Some(index) = &self.mesh.normals {
                index.append(self.mesh.mesh, (faces, corners), &mut to.normals, &mut to.scratch);
            }
            place += count;
        }
        Ok(())
    }

    /// `Err` when a corner refers to something that does not exist.
    fn check(self, places: Range<usize>, gathered: &Gathered) -> Result<()> {
        let vertices = self.mesh.mesh.positions.len();
        if gathered
            .vertices(self.mesh)
            .iter()
            .copied()
            .max()
            .is_some_and(|v| v as usize >= vertices)
        {
            let corners = places.map(|place| self.face_at(place)).flat_map(|f| {
                self.mesh.mesh.face_offsets[f] as usize..self.mesh.mesh.face_offsets[f + 1] as usize
            });
            let bad = corners
                .into_iter()
                .find(|&c| self.mesh.mesh.corner_vertices[c] as usize >= vertices);
            return Err(missing_vertex(self.mesh.mesh, bad.unwrap_or(0)));
        }
        let own = |index: &Option<ValueIndex<'_>>| {
            matches!(index, Some(ValueIndex::Own(Domain::Indexed(_))))
        };
        let uvs = self.mesh.mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
        let normals = self.mesh.mesh.normals.as_ref().map_or(0, |normals| normals.values.len());
        for (what, index, numbers, count) in [
            ("UV", &self.mesh.uvs, &gathered.uvs, uvs),
            ("normal", &self.mesh.normals, &gathered.normals, normals),
        ] {
            let most = if own(index) { largest(numbers) } else { None };
            if let Some(most) = most.filter(|&i| i as usize >= count) {
                let corner = numbers.iter().position(|&i| i == most).unwrap_or(0) as u32;
                let place = gathered.offsets.partition_point(|&o| o <= corner) - 1;
                let face = self.face_at(places.start + place);
                return Err(Error::argument(format!(
                    "{}: face {face} refers to {what} {most}; there are {count}",
                    self.part.describe()
                )));
            }
        }
        Ok(())
    }

    /// Whether the state may change within the mesh.
    fn varies(self) -> bool {
        !self.mesh.mesh.face_smoothing.is_empty()
            || !self.mesh.mesh.face_materials.is_empty()
            || (self.job.options.export_groups && !self.mesh.mesh.face_groups.is_empty())
            || self.mesh.weights.is_some()
    }

    fn state(self, face: usize, sums: &mut Vec<f32>) -> FaceState {
        let options = self.job.options;
        let of = |values: &[u32], none: u32| values.get(face).copied().unwrap_or(none);
        let smoothing = of(&self.mesh.mesh.face_smoothing, 0);
        let material = of(&self.mesh.mesh.face_materials, 0);
        let has_slots = self.part.object.is_some_and(|o| o.material_slots.is_some());
        FaceState {
            smoothing: if options.export_smooth_groups { smoothing } else { smoothing.min(1) },
            weights: self
                .mesh
                .weights
                .as_ref()
                .map_or(NONE, |w| w.heaviest(self.mesh.mesh, face, sums)),
            group: if options.export_groups { of(&self.mesh.mesh.face_groups, NONE) } else { NONE },
            material: if !(options.export_materials || options.export_material_groups)
                || !has_materials(self.mesh.mesh, self.part.object)
            {
                NONE
            } else if has_slots {
                // Blender counts a negative slot as the first.
                (material as i32).max(0) as u32
            } else {
                material
            },
        }
    }

    /// Appends the lines for what is different in `now`; all of it at the first face of an object.
    fn write_changes(self, before: Option<FaceState>, now: FaceState, out: &mut Vec<u8>) {
        let options = self.job.options;
        let line = |out: &mut Vec<u8>, parts: &[&str]| {
            parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
            end_line(out);
        };
        let has_smoothing =
            !self.mesh.mesh.face_smoothing.is_empty() || self.part.left_on.smoothing;
        if has_smoothing && before.is_none_or(|b| b.smoothing != now.smoothing) {
            out.extend_from_slice(b"s ");
            push_u32(out, now.smoothing);
            out.push(b'\n');
        }
        if options.export_groups && before.map_or(NONE, |b| b.group) != now.group
            || before.is_none() && self.part.left_on.group
        {
            match self.mesh.mesh.groups.get(now.group as usize) {
                Some(name) => line(out, &["g ", &line_text(name)]),
                None => line(out, &["g"]),
            }
        }
        if options.export_vertex_groups && before.is_none_or(|b| b.weights != now.weights) {
            let group = self.mesh.mesh.vertex_groups.get(now.weights as usize);
            line(out, &["g ", &group.map_or("off".into(), |g| line_text(&g.name))]);
        }
        let wants_materials = options.export_materials || options.export_material_groups;
        let has = has_materials(self.mesh.mesh, self.part.object);
        let has_slots = self.part.object.is_some_and(|o| o.material_slots.is_some());
        if !wants_materials || !(has || self.part.left_on.material && !has_slots) {
            return;
        }
        let (material, slots) = match self.part.object.and_then(|o| o.material_slots.as_ref()) {
            Some(slots) => (slots.get(now.material as usize).copied().unwrap_or(NONE), true),
            None => (now.material, false),
        };
        // Without slots, no material at the start of an object needs no line unless one is left on.
        let silent = !slots && material == NONE && before.is_none() && !self.part.left_on.material;
        if before.is_none_or(|b| b.material != now.material) && !silent {
            let name = self.job.material_names.get(material as usize).map_or("", |name| &name[..]);
            if options.export_material_groups && has {
                let object = self.part.object.map_or("", |o| &o.name);
                line(out, &["g ", &self.job.name(object), "_", name]);
            }
            if options.export_materials {
                line(out, &["usemtl ", name]);
            }
        }
    }
}

/// Appends some faces, those of two corners as lines, those of one as points.
fn rows(
    mesh: &Prepared<'_>,
    offsets: &[u32],
    corners: &format::CornerIndices<'_>,
    mirrors: bool,
    out: &mut Vec<u8>,
) {
    let mut rest = offsets;
    while mesh.has_small_faces && rest.len() > 1 {
        let small = rest.windows(2).position(is_small).unwrap_or(rest.len() - 1);
        if small > 0 {
            face_rows(out, &rest[..=small], corners, mirrors);
        }
        let Some(&[start, end]) = rest.get(small..small + 2) else { return };
        let vertices = &corners.vertices[start as usize..end as usize];
        if let Some(statement) = [None, Some(b'p'), Some(b'l')][vertices.len()] {
            out.push(statement);
            for &vertex in vertices {
                out.push(b' ');
                push_i64(out, (u64::from(vertex) + corners.vertex_base) as i64);
            }
            out.push(b'\n');
        }
        rest = &rest[small + 1..];
    }
    if !mesh.has_small_faces {
        face_rows(out, offsets, corners, mirrors);
    }
}

/// How many faces have less than three corners, as in PLY they may: OBJ gets lines of those of
/// two, points of those of one, and nothing of the others.
///
/// ```
/// use solio_mesh::{Mesh, obj::small_faces};
/// let mesh = Mesh { face_offsets: vec![0, 3, 5].into(), ..Mesh::default() };
/// assert_eq!(small_faces(&mesh), 1);
/// ```
pub fn small_faces(mesh: &Mesh<'_>) -> usize {
    mesh.face_offsets.windows(2).filter(|pair| is_small(pair)).count()
}

fn is_small(pair: &[u32]) -> bool {
    pair[1].wrapping_sub(pair[0]) < 3 // offsets that do not rise are refused elsewhere
}

/// Ends a line of text: a backslash at its end would join it with the next one.
pub(super) fn end_line(out: &mut Vec<u8>) {
    if out.ends_with(b"\\") {
        out.push(b' ');
    }
    out.push(b'\n');
}

/// Text that stays on one line, likewise.
pub(super) fn line_text(text: &str) -> String {
    let mut line = text.replace(['\n', '\r'], "_");
    if line.ends_with('\\') {
        line.push(' ');
    }
    line
}
