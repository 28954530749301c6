//! The primitives of a mesh, to one mesh: their vertices one after another, their faces with the
//! materials.
//!
//! Primitives that name the same accessors share their vertices. What only some of them have becomes, of
//! texture coordinates and normals, an index with gaps; colours and further attributes get a value for
//! the others: white, and 0, which is told.

use super::accessor::Accessed;
use super::buffers::{Buffers, in_place};
use super::document::PrimitiveJson;
use super::extra::ExtraAttributes;
use super::notes::Notes;
use super::splats_read::read_splats;
use crate::instances::whole;
use crate::join::join_apart;
use crate::model::{ColorSpace, Colors, Domain, Mesh, NONE, Normals, Positions, Uvs};
use bytemuck::{Pod, Zeroable};
use solio_base::{Error, Result};
use std::collections::BTreeMap;

/// Vertices that some primitives share.
struct VertexPool<'d> {
    attributes: &'d BTreeMap<String, u32>,
    start: u32,
    count: u32,
    /// Where its own values start; `None` where it has none.
    uvs: Option<u32>,
    normals: Option<u32>,
}

/// A mesh in the making.
#[derive(Default)]
struct Joined<'d> {
    pools: Vec<VertexPool<'d>>,
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    colors: Option<Vec<[f32; 4]>>,
    extra: ExtraAttributes,
    triangles: Vec<u32>,
    /// For each run of triangles its end, its material and its pool.
    runs: Vec<(usize, u32, usize)>,
    line_offsets: Vec<u32>,
    line_vertices: Vec<u32>,
    points: Vec<u32>,
    /// Whether all primitives so far are points without an index.
    is_cloud: bool,
}

/// Reads the mesh of this number: one, and where it has splats these as one of their own.
pub(super) fn read_mesh(
    buffers: &Buffers<'_>,
    number: u32,
    notes: &mut Notes,
) -> Result<Vec<Mesh<'static>>> {
    let json = &buffers.document.meshes[number as usize];
    let mut joined = Joined { is_cloud: true, ..Joined::default() };
    let mut splats = Vec::new();
    for (i, primitive) in json.primitives.iter().enumerate() {
        buffers.work.cancel.check()?;
        let added = match &primitive.extensions.splatting {
            Some(splatting) => {
                read_splats(buffers, primitive, splatting, notes).map(|mesh| splats.extend(mesh))
            }
            None => joined.add(buffers, primitive, notes),
        };
        added.map_err(|e| in_place(e, &format!("meshes[{number}].primitives[{i}]")))?;
    }
    let mut meshes = Vec::new();
    if splats.is_empty() || !joined.pools.is_empty() {
        meshes.push(joined.finish(notes));
    }
    if !splats.is_empty() {
        meshes.extend(join_apart(splats, &mut notes.joined)?);
    }
    let name = json.name.clone().unwrap_or_default();
    for mesh in &mut meshes {
        mesh.objects = vec![whole(mesh, name.clone(), name.clone())];
    }
    Ok(meshes)
}

impl<'d> Joined<'d> {
    fn add(
        &mut self,
        buffers: &'d Buffers<'_>,
        json: &'d PrimitiveJson,
        notes: &mut Notes,
    ) -> Result<()> {
        let document = buffers.document;
        if json.extensions.draco.is_some() && !has_fallback(buffers, json) {
            return Err(Error::unsupported(
                "the geometry is compressed with Draco, which is not read",
            )
            .hint("decompress it first, as with: npx @gltf-transform/cli copy in.glb out.glb"));
        }
        notes.targets += json.targets.len();
        let material = match json.material {
            Some(material) if material as usize >= document.materials.len() => {
                let count = document.materials.len();
                return Err(Error::corrupt(format!("material {material} of {count}")));
            }
            Some(material) => material,
            None => NONE,
        };
        if !json.attributes.contains_key("POSITION") {
            notes.empty += 1;
            return Ok(());
        }
        let known = self.pools.iter().position(|pool| *pool.attributes == json.attributes);
        let pool = match known {
            Some(pool) => pool,
            None => self.add_pool(buffers, &json.attributes, notes)?,
        };
        let VertexPool { start, count, .. } = self.pools[pool];
        let indices = match json.indices {
            Some(number) => {
                let accessor = Accessed::open(buffers, number)?;
                Some(accessor.indices(buffers, count as usize)?)
            }
            None => None,
        };
        self.is_cloud &= json.mode == 0 && indices.is_none();
        let total = indices.as_ref().map_or(count as usize, Vec::len);
        let index = |i: usize| start + indices.as_ref().map_or(i as u32, |indices| indices[i]);
        match json.mode {
            0 => {
                buffers.spend(4 * total as u64)?;
                self.points.extend((0..total).map(index));
            }
            1 => {
                odd_rest(total, 2, "line", notes);
                for pair in 0..total / 2 {
                    self.line([index(2 * pair), index(2 * pair + 1)]);
                }
            }
            2 if total > 0 => self.line((0..total).chain([0]).map(index)),
            3 if total > 0 => self.line((0..total).map(index)),
            2 | 3 => {}
            4..=6 => {
                buffers.spend(12 * total as u64)?;
                match (json.mode, indices) {
                    (4, Some(indices)) if self.triangles.is_empty() && start == 0 => {
                        odd_rest(total, 3, "triangle", notes);
                        self.triangles = indices;
                        self.triangles.truncate(total / 3 * 3);
                    }
                    (mode, indices) => {
                        let index =
                            |i: usize| start + indices.as_ref().map_or(i as u32, |all| all[i]);
                        self.add_triangles(mode, total, &index, notes);
                    }
                }
                self.runs.push((self.triangles.len() / 3, material, pool));
            }
            mode => return Err(Error::corrupt(format!("the mode {mode}"))),
        }
        if !matches!(json.mode, 4..=6) && material != NONE {
            notes.leave("material of lines or points");
        }
        let most = self.triangles.len().max(self.line_vertices.len()).max(self.points.len());
        match u32::try_from(most) {
            Ok(most) if most < u32::MAX => Ok(()),
            _ => Err(Error::limit("more corners than can be numbered")),
        }
    }

    fn add_triangles(
        &mut self,
        mode: u32,
        total: usize,
        index: &dyn Fn(usize) -> u32,
        notes: &mut Notes,
    ) {
        let triangles = &mut self.triangles;
        let mut add = |corners: [usize; 3]| {
            let corners = corners.map(index);
            let [a, b, c] = corners;
            // Strips are joined by triangles without an area.
            if mode == 4 || a != b && b != c && a != c {
                triangles.extend(corners);
            }
        };
        match mode {
            4 => {
                odd_rest(total, 3, "triangle", notes);
                (0..total / 3).for_each(|t| add([3 * t, 3 * t + 1, 3 * t + 2]));
            }
            5 => (0..total.saturating_sub(2)).for_each(|i| add([i, i + 1 + i % 2, i + 2 - i % 2])),
            _ => (1..total.saturating_sub(1)).for_each(|i| add([i, i + 1, 0])),
        }
    }

    fn line(&mut self, vertices: impl IntoIterator<Item = u32>) {
        if self.line_offsets.is_empty() {
            self.line_offsets.push(0);
        }
        self.line_vertices.extend(vertices);
        self.line_offsets.push(self.line_vertices.len() as u32);
    }

    fn add_pool(
        &mut self,
        buffers: &Buffers<'_>,
        attributes: &'d BTreeMap<String, u32>,
        notes: &mut Notes,
    ) -> Result<usize> {
        let start = self.positions.len();
        let mut pool =
            VertexPool { attributes, start: start as u32, count: 0, uvs: None, normals: None };
        let open = |name: &str, count: Option<usize>| {
            let Some(number) = attributes.get(name) else { return Ok(None) };
            let accessor = Accessed::open(buffers, *number).map_err(|e| in_place(e, name))?;
            match count {
                Some(count) if count != accessor.count => {
                    let message =
                        format!("{name} has {} values for {count} vertices", accessor.count);
                    Err(Error::corrupt(message))
                }
                _ => Ok(Some(accessor)),
            }
        };
        let Some(positions) = open("POSITION", None)? else { return Ok(self.pools.len()) };
        let count = positions.count;
        if start + count >= NONE as usize {
            return Err(Error::limit("more vertices than can be numbered"));
        }
        append(&mut self.positions, positions.rows(buffers, &|_| ())?);
        pool.count = count as u32;
        if let Some(normals) = open("NORMAL", Some(count))? {
            pool.normals = Some(self.normals.len() as u32);
            append(&mut self.normals, normals.rows(buffers, &|_| ())?);
        }
        if let Some(uvs) = open("TEXCOORD_0", Some(count))? {
            pool.uvs = Some(self.uvs.len() as u32);
            let up = |rows: &mut [[f32; 2]]| rows.iter_mut().for_each(|uv| uv[1] = 1.0 - uv[1]);
            append(&mut self.uvs, uvs.rows(buffers, &up)?);
        }
        if let Some(colors) = open("COLOR_0", Some(count))? {
            let rows = read_colors(&colors, buffers)?;
            match &mut self.colors {
                Some(all) => append(all, rows),
                None => {
                    fill_white(start, notes);
                    let mut all = white(buffers, start)?;
                    append(&mut all, rows);
                    self.colors = Some(all);
                }
            }
        } else if let Some(all) = &mut self.colors {
            fill_white(count, notes);
            append(all, white(buffers, count)?);
        }
        for (name, number) in attributes {
            let is_joint = name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
            if is_joint {
                notes.leave("weights of joints");
            } else if !["POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"].contains(&&**name) {
                let Some(accessor) = open(name, Some(count))? else { continue };
                self.extra
                    .add(name, &accessor, start, buffers, notes)
                    .map_err(|e| in_place(e, &format!("{name} ({number})")))?;
            }
        }
        self.extra.fill(start + count, &mut notes.joined);
        self.pools.push(pool);
        Ok(self.pools.len() - 1)
    }

    fn finish(mut self, notes: &mut Notes) -> Mesh<'static> {
        let vertices = self.positions.len();
        let faces = self.triangles.len() / 3;
        let uvs = self.domain(vertices, self.uvs.len(), |pool| pool.uvs);
        let normals = self.domain(vertices, self.normals.len(), |pool| pool.normals);
        let of_corners = [&uvs, &normals].map(|domain| matches!(domain, Some(Domain::Indexed(_))));
        for (number, pool) in self.pools.iter().enumerate() {
            let is_bare = self.runs.iter().all(|(_, _, own)| *own != number);
            for (has, words) in [
                (of_corners[0] && pool.uvs.is_some(), "texture coordinates"),
                (of_corners[1] && pool.normals.is_some(), "normals"),
            ] {
                if has && is_bare {
                    notes.leave(format!("{words} of points or lines beside faces"));
                }
            }
        }
        let mut materials = Vec::new();
        if self.runs.iter().any(|(_, material, _)| *material != NONE) {
            materials.reserve_exact(faces);
            for (end, material, _) in &self.runs {
                materials.resize(*end, *material);
            }
        }
        let face_offsets: Vec<u32> = match faces {
            0 => Vec::new(),
            _ => (0..=faces as u32).map(|face| 3 * face).collect(),
        };
        // Vertices alone are a cloud of points.
        if self.is_cloud {
            self.points = Vec::new();
        }
        Mesh {
            positions: Positions::F32(self.positions.into()),
            uvs: uvs.map(|domain| Uvs { values: self.uvs.into(), domain }),
            normals: normals.map(|domain| Normals { values: self.normals.into(), domain }),
            colors: self
                .colors
                .map(|values| Colors { values: values.into(), space: ColorSpace::Linear }),
            attributes: self.extra.finish(),
            face_offsets: face_offsets.into(),
            corner_vertices: self.triangles.into(),
            face_materials: materials.into(),
            line_offsets: self.line_offsets.into(),
            line_vertices: self.line_vertices.into(),
            points: self.points.into(),
            ..Mesh::default()
        }
    }

    /// Which element the values belong to: vertices, or, where some pools have none, corners.
    fn domain(
        &self,
        vertices: usize,
        values: usize,
        start: impl Fn(&VertexPool<'_>) -> Option<u32>,
    ) -> Option<Domain<'static>> {
        match values {
            0 => None,
            _ if values == vertices => Some(Domain::Vertex),
            _ => {
                let mut index = Vec::with_capacity(self.triangles.len());
                for (end, _, pool) in &self.runs {
                    let pool = &self.pools[*pool];
                    let corners = &self.triangles[index.len()..3 * end];
                    match start(pool) {
                        Some(start) => index.extend(corners.iter().map(|v| v - pool.start + start)),
                        None => index.resize(3 * end, NONE),
                    }
                }
                Some(Domain::Indexed(index.into()))
            }
        }
    }
}

/// Whether a primitive in Draco's code has its arrays without it, too.
fn has_fallback(buffers: &Buffers<'_>, json: &PrimitiveJson) -> bool {
    let accessors = &buffers.document.accessors;
    let mut all = json.attributes.values().chain(&json.indices);
    all.all(|number| {
        let accessor = accessors.get(*number as usize);
        accessor.is_some_and(|accessor| accessor.buffer_view.is_some())
    })
}

fn odd_rest(total: usize, corners: usize, what: &str, notes: &mut Notes) {
    let rest = total % corners;
    if rest > 0 {
        notes.odd.push(format!("{rest} indices behind the last whole {what} are passed over"));
    }
}

/// The first array becomes the whole one, without a copy.
fn append<T: Pod>(all: &mut Vec<T>, more: Vec<T>) {
    match all.is_empty() {
        true => *all = more,
        false => all.extend_from_slice(&more),
    }
}

/// That vertices without a colour are white: as a factor it changes nothing.
fn fill_white(vertices: usize, notes: &mut Notes) {
    let reason = "vertices without a colour become white, where others have one";
    notes.joined.add_some("vertex_colors", reason, vertices, "vertex");
}

fn white(buffers: &Buffers<'_>, count: usize) -> Result<Vec<[f32; 4]>> {
    buffers.spend(16 * count as u64)?;
    Ok(vec![[1.0; 4]; count])
}

fn read_colors(accessor: &Accessed<'_>, buffers: &Buffers<'_>) -> Result<Vec<[f32; 4]>>
where
    [f32; 4]: Pod + Zeroable,
{
    if accessor.parts == 3 {
        let rows = accessor.rows::<3>(buffers, &|_| ())?;
        buffers.spend(16 * rows.len() as u64)?;
        return Ok(rows.iter().map(|[r, g, b]| [*r, *g, *b, 1.0]).collect());
    }
    accessor.rows::<4>(buffers, &|_| ())
}
