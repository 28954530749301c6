//! What a document says and which bytes follow it, before any is written.

use super::material_write::MaterialDocument;
use super::splats_write::splats_of;
use super::split::{Splitter, VertexSet, Vertices};
use super::values::{self, AttributeColumn};
use super::write::{GltfInstances, GltfWriteOptions};
use crate::decompose::{TransformParts, decompose, nested};
use crate::instances::{IDENTITY, Matrix};
use crate::model::{Mesh, NONE, Object, Scene};
use crate::offsets::offsets_fit;
use crate::parallel;
use crate::splats::LINEAR;
use crate::splats::khr::half_turned;
use crate::triangulate;
use serde_json::{Map, Value, json};
use solio_base::{Error, Result, Work};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Rows, or faces, of a chunk.
pub(super) const CHUNK_ROWS: usize = 32 << 10;
/// Vertices that two bytes can name; the last number of two bytes is none.
const MOST_SHORT: usize = u16::MAX as usize;
pub(super) const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// What fills a chunk of a block.
pub(super) type FillBlock<'s> = dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Send + Sync + 's;

/// Bytes of the buffer.
pub(super) enum Block<'s> {
    Rows { bytes: u64, chunks: usize, fill: Box<FillBlock<'s>> },
    Bytes(Arc<Vec<u8>>),
}

impl Block<'_> {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Block::Rows { bytes, .. } => *bytes,
            Block::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

/// A document under way.
#[derive(Default)]
pub(super) struct Plan<'s> {
    pub(super) blocks: Vec<Block<'s>>,
    /// Bytes of the buffer.
    pub(super) bytes: u64,
    views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// Nodes of the scene.
    tops: Vec<usize>,
    materials: MaterialDocument,
    pub(super) extensions: Vec<&'static str>,
    required: Vec<&'static str>,
    comments: Vec<String>,
}

impl<'s> Plan<'s> {
    pub(super) fn scene(
        &mut self,
        scene: &'s Scene<'s>,
        options: &GltfWriteOptions,
        work: &Work,
    ) -> Result<()> {
        self.materials = MaterialDocument::of(scene, options);
        // What the extension says of the splats.
        let has_splats = scene.meshes.iter().any(|mesh| splats_of(mesh).is_some());
        let comments = scene.comments.iter().filter(|comment| !has_splats || *comment != LINEAR);
        self.comments = comments.cloned().collect();
        let pool = parallel::pool(work)?;
        if scene.instances.is_empty() {
            for mesh in &scene.meshes {
                check(mesh, scene)?;
                let mut splitter = Splitter::new(mesh);
                for part in parts(mesh) {
                    work.cancel.check()?;
                    let primitives =
                        pool.install(|| self.primitives(mesh, scene, &part, &mut splitter, work))?;
                    self.object(primitives, part.object, splats_of(mesh).is_some());
                }
            }
        } else {
            self.instances(scene, options, work, &pool)?;
        }
        for (image, bytes) in std::mem::take(&mut self.materials.bytes) {
            let view = self.block(Block::Bytes(bytes), None);
            self.materials.images[image]["bufferView"] = json!(view);
        }
        Ok(())
    }

    /// An object as a mesh and a node. Where splats are moved the axes are those of a PLY.
    fn object(&mut self, primitives: Vec<Value>, object: Option<&Object>, are_splats: bool) {
        let name = object.map_or("", |object| &object.name);
        let transform = object.and_then(|object| object.transform);
        let matrix = transform.map(|t| [0, 1, 2].map(|r| t[r].map(f64::from)));
        let matrix = if are_splats { matrix.as_ref().map(half_turned) } else { matrix };
        let mesh_name = object.map_or("", |object| &object.mesh_name);
        let mesh_name = if mesh_name.is_empty() { name } else { mesh_name };
        let mesh = self.mesh(primitives, mesh_name);
        self.place(mesh, name, &matrix.unwrap_or(IDENTITY));
    }

    /// `None` for a mesh of nothing, which glTF does not have.
    fn mesh(&mut self, primitives: Vec<Value>, name: &str) -> Option<usize> {
        if primitives.is_empty() {
            return None;
        }
        let mut made = json!({ "primitives": primitives });
        if !name.is_empty() {
            made["name"] = json!(name);
        }
        self.meshes.push(made);
        Some(self.meshes.len() - 1)
    }

    /// A node under a matrix; two, one in the other, where it shears.
    fn place(&mut self, mesh: Option<usize>, name: &str, matrix: &Matrix) {
        let mut node = Map::new();
        if !name.is_empty() {
            node.insert("name".into(), json!(name));
        }
        let flat = flat(matrix);
        let inner = |node: &mut Map<String, Value>| {
            node.extend(mesh.map(|mesh| ("mesh".to_owned(), json!(mesh))));
        };
        if *matrix == IDENTITY {
            inner(&mut node);
        } else if let Some(parts) = decompose(&flat) {
            under(&mut node, &parts);
            inner(&mut node);
        } else if let Some([outer, own]) = nested(&flat) {
            under(&mut node, &outer);
            // The one that has the mesh is the object.
            let mut child = Map::new();
            child.extend(node.remove("name").map(|name| ("name".to_owned(), name)));
            under(&mut child, &own);
            inner(&mut child);
            self.nodes.push(child.into());
            node.insert("children".into(), json!([self.nodes.len() - 1]));
        } else {
            inner(&mut node);
        }
        self.nodes.push(node.into());
        self.tops.push(self.nodes.len() - 1);
    }

    fn instances(
        &mut self,
        scene: &'s Scene<'s>,
        options: &GltfWriteOptions,
        work: &Work,
        pool: &parallel::ArrayPool,
    ) -> Result<()> {
        let mut meshes = Vec::with_capacity(scene.meshes.len());
        for mesh in &scene.meshes {
            check(mesh, scene)?;
            let mut splitter = Splitter::new(mesh);
            let (mut primitives, parts) = (Vec::new(), parts(mesh));
            for part in &parts {
                work.cancel.check()?;
                let made = pool.install(|| self.primitives(mesh, scene, part, &mut splitter, work));
                primitives.extend(made?);
            }
            let object = parts.first().and_then(|part| part.object);
            let name = object.map_or("", |object| match &*object.mesh_name {
                "" => &object.name,
                name => name,
            });
            meshes.push(self.mesh(primitives, name));
        }
        let turned: Vec<bool> = scene.meshes.iter().map(|m| splats_of(m).is_some()).collect();
        let known = scene.instances.iter().filter_map(|instance| {
            let number = instance.mesh as usize;
            let matrix = match turned.get(number)? {
                true => half_turned(&instance.matrix),
                false => instance.matrix,
            };
            Some((number, &instance.name, matrix))
        });
        if options.instances == GltfInstances::Nodes {
            known.for_each(|(number, name, matrix)| self.place(meshes[number], name, &matrix));
            return Ok(());
        }
        let mut of_mesh: Vec<Vec<TransformParts>> = vec![Vec::new(); meshes.len()];
        for (number, name, matrix) in known {
            match decompose(&flat(&matrix)) {
                Some(parts) => of_mesh[number].push(parts),
                None => self.place(meshes[number], name, &matrix),
            }
        }
        for (mesh, parts) in meshes.into_iter().zip(of_mesh) {
            if let Some(mesh) = mesh.filter(|_| !parts.is_empty()) {
                self.array(mesh, parts);
            }
        }
        Ok(())
    }

    /// A node that repeats its mesh.
    fn array(&mut self, mesh: usize, parts: Vec<TransformParts>) {
        let parts = Arc::new(parts);
        let count = parts.len();
        let mut attributes = Map::new();
        let own = parts.clone();
        let at = self.rows(count, "VEC3", None, move |i| own[i].translation);
        attributes.insert("TRANSLATION".into(), json!(at));
        if parts.iter().any(|parts| parts.rotation != [0.0, 0.0, 0.0, 1.0]) {
            let own = parts.clone();
            let at = self.rows(count, "VEC4", None, move |i| own[i].rotation);
            attributes.insert("ROTATION".into(), json!(at));
        }
        if parts.iter().any(|parts| parts.scale != [1.0; 3]) {
            let own = parts.clone();
            let at = self.rows(count, "VEC3", None, move |i| own[i].scale);
            attributes.insert("SCALE".into(), json!(at));
        }
        let name = self.meshes[mesh].get("name").cloned();
        let mut node = json!({
            "mesh": mesh,
            "extensions": { INSTANCING: { "attributes": attributes } },
        });
        if let Some(name) = name {
            node["name"] = name;
        }
        self.nodes.push(node);
        self.tops.push(self.nodes.len() - 1);
        if !self.required.contains(&INSTANCING) {
            self.required.push(INSTANCING);
            self.extensions.push(INSTANCING);
        }
    }

    /// The primitives of an object.
    fn primitives(
        &mut self,
        mesh: &'s Mesh<'s>,
        scene: &Scene<'_>,
        part: &ObjectPart<'_>,
        splitter: &mut Splitter<'s>,
        work: &Work,
    ) -> Result<Vec<Value>> {
        let mut made = Vec::new();
        if let Some(rows) = splats_of(mesh) {
            let are_linear = scene.comments.iter().any(|comment| comment == LINEAR);
            if !part.vertices.is_empty() {
                made.push(self.splats(mesh, rows, part.vertices.clone(), are_linear));
            }
            return Ok(made);
        }
        let as_is = part.is_whole && values::are_of_vertices(mesh);
        let is_cloud = part.faces.is_empty() && part.lines.is_empty() && part.points.is_empty();
        if is_cloud {
            if !part.vertices.is_empty() {
                let set = match part.is_whole {
                    true => VertexSet::All,
                    false => {
                        let vertices = part.vertices.clone().map(|vertex| vertex as u32);
                        let set = splitter.named(vertices).0;
                        VertexSet::Some(values::with_values_of_vertices(mesh, set))
                    }
                };
                let normals = values::are_normals_of_vertices(mesh);
                let (attributes, _) = self.vertices(mesh, Arc::new(set), normals)?;
                made.push(json!({ "attributes": attributes, "mode": 0 }));
            }
            return Ok(made);
        }
        let mut shared = None;
        if !part.faces.is_empty() {
            let normals = values::usable_normals(mesh, part.faces.clone());
            let uvs = values::usable_uvs(mesh);
            let (set, index) = match as_is {
                true => (VertexSet::All, Cow::Borrowed(&*mesh.corner_vertices)),
                false => {
                    let (set, index) = splitter.corners(part.faces.clone(), uvs, normals);
                    (VertexSet::Some(set), Cow::Owned(index))
                }
            };
            let (attributes, count) = self.vertices(mesh, Arc::new(set), normals)?;
            let index = Arc::new(index);
            shared = as_is.then(|| (attributes.clone(), count));
            for (material, runs) in by_material(mesh, scene, part) {
                let indices = self.faces(mesh, runs, index.clone(), count, part, as_is, work)?;
                let Some(indices) = indices else { continue };
                let mut primitive = json!({ "attributes": attributes, "indices": indices });
                if material != NONE {
                    primitive["material"] = json!(material);
                }
                made.push(primitive);
            }
        }
        if !part.lines.is_empty() || !part.points.is_empty() {
            if as_is && shared.is_none() {
                let normals = values::are_normals_of_vertices(mesh);
                shared = Some(self.vertices(mesh, Arc::new(VertexSet::All), normals)?);
            }
            self.lines_and_points(mesh, part, splitter, shared, &mut made)?;
        }
        Ok(made)
    }

    /// Lines as pairs, and points: of the shared vertices, or else of some without what belongs to faces.
    fn lines_and_points(
        &mut self,
        mesh: &'s Mesh<'s>,
        part: &ObjectPart<'_>,
        splitter: &mut Splitter<'s>,
        shared: Option<(Map<String, Value>, usize)>,
        made: &mut Vec<Value>,
    ) -> Result<()> {
        let lines = part.lines.clone().flat_map(|line| {
            let ends = mesh.line_offsets[line] as usize..mesh.line_offsets[line + 1] as usize;
            mesh.line_vertices[ends].windows(2)
        });
        let pairs: Vec<u32> = lines.flatten().copied().collect();
        let points = &mesh.points[part.points.clone()];
        let named = pairs.iter().chain(points).copied();
        let (index, (attributes, count)) = match shared {
            Some(shared) => (named.collect::<Vec<u32>>(), shared),
            None => {
                let (set, index) = splitter.named(named);
                let set = values::with_values_of_vertices(mesh, set);
                let normals = values::are_normals_of_vertices(mesh);
                (index, self.vertices(mesh, Arc::new(VertexSet::Some(set)), normals)?)
            }
        };
        let (lines, points) = index.split_at(pairs.len());
        for (mode, index) in [(1, lines), (0, points)] {
            if !index.is_empty() {
                let indices = self.indices(index.to_vec(), count);
                made.push(json!({ "attributes": attributes, "indices": indices, "mode": mode }));
            }
        }
        Ok(())
    }

    /// The arrays of vertices; their accessors, and how many vertices there are.
    fn vertices(
        &mut self,
        mesh: &'s Mesh<'s>,
        set: Arc<VertexSet>,
        with_normals: bool,
    ) -> Result<(Map<String, Value>, usize)> {
        let count = match &*set {
            VertexSet::All => mesh.positions.len(),
            VertexSet::Some(Vertices { positions, .. }) => positions.len(),
        };
        let mut attributes = Map::new();
        let [min, max] = values::bounds(mesh, &set)?;
        let own = set.clone();
        let at = self.rows(count, "VEC3", Some(VERTICES), move |i| {
            values::position(mesh, values::vertex(&own, i))
        });
        self.accessors[at]["min"] = json!(min);
        self.accessors[at]["max"] = json!(max);
        attributes.insert("POSITION".into(), json!(at));
        if let Some(normals) = mesh.normals.as_ref().filter(|_| with_normals) {
            let own = set.clone();
            let at = self.rows(count, "VEC3", Some(VERTICES), move |i| {
                let at = values::normal(&own, i);
                normals.values.get(at).map_or([0.0, 0.0, 1.0], |normal| values::unit(*normal))
            });
            attributes.insert("NORMAL".into(), json!(at));
        }
        if let Some(uvs) = mesh.uvs.as_ref().filter(|_| values::has_uvs(mesh, &set)) {
            let own = set.clone();
            let at = self.rows(count, "VEC2", Some(VERTICES), move |i| {
                let value = uvs.values.get(values::uv(&own, i));
                value.map_or([0.0; 2], |[u, v]| [*u, 1.0 - v])
            });
            attributes.insert("TEXCOORD_0".into(), json!(at));
        }
        if let Some(colors) = &mesh.colors {
            let own = set.clone();
            let is_opaque = colors.values.iter().all(|color| color[3] == 1.0);
            let linear = move |i| values::linear(colors, values::vertex(&own, i));
            let at = match is_opaque {
                true => self.rows(count, "VEC3", Some(VERTICES), move |i| {
                    let [r, g, b, _] = linear(i);
                    [r, g, b]
                }),
                false => self.rows(count, "VEC4", Some(VERTICES), linear),
            };
            attributes.insert("COLOR_0".into(), json!(at));
        }
        for AttributeColumn { name, column, first_part, parts } in values::columns(mesh) {
            let (at, own) = (first_part, set.clone());
            let place = move |i: usize| values::vertex(&own, i) * at;
            let accessor = self.column(column, parts, count, name.starts_with("TEXCOORD_"), place);
            attributes.insert(name, json!(accessor));
        }
        Ok((attributes, count))
    }

    /// Rows of floats; their accessor.
    pub(super) fn rows<const N: usize>(
        &mut self,
        count: usize,
        shape: &str,
        target: Option<u32>,
        row: impl Fn(usize) -> [f32; N] + Send + Sync + 's,
    ) -> usize {
        let fill = move |chunk: usize, buffer: &mut Vec<u8>| {
            let start = chunk * CHUNK_ROWS;
            let rows = start..count.min(start + CHUNK_ROWS);
            buffer.reserve(4 * N * rows.len());
            for i in rows {
                buffer.extend_from_slice(row(i).map(f32::to_le_bytes).as_flattened());
            }
            Ok(())
        };
        let (bytes, chunks) = ((4 * N * count) as u64, count.div_ceil(CHUNK_ROWS));
        let view = self.block(Block::Rows { bytes, chunks, fill: Box::new(fill) }, target);
        self.accessor(view, count, shape, 5126)
    }

    /// Rows of an attribute, each in a multiple of four bytes.
    pub(super) fn column(
        &mut self,
        column: values::Column<'s>,
        parts: usize,
        count: usize,
        is_flipped: bool,
        place: impl Fn(usize) -> usize + Send + Sync + 's,
    ) -> usize {
        let stride = (column.size() * parts).next_multiple_of(4);
        let code = column.code();
        let fill = move |chunk: usize, buffer: &mut Vec<u8>| {
            let start = chunk * CHUNK_ROWS;
            for i in start..count.min(start + CHUNK_ROWS) {
                let (at, end) = (place(i), buffer.len() + stride);
                (at..at + parts).for_each(|at| column.put(at, is_flipped && at % 2 == 1, buffer));
                buffer.resize(end, 0);
            }
            Ok(())
        };
        let (bytes, chunks) = ((stride * count) as u64, count.div_ceil(CHUNK_ROWS));
        let tight = column.size() * parts == stride;
        let view = self.block(Block::Rows { bytes, chunks, fill: Box::new(fill) }, Some(VERTICES));
        if !tight {
            self.views[view]["byteStride"] = json!(stride);
        }
        let shape = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][parts];
        self.accessor(view, count, shape, code)
    }

    fn indices(&mut self, index: Vec<u32>, vertices: usize) -> usize {
        let count = index.len();
        let is_short = vertices <= MOST_SHORT;
        let fill = move |chunk: usize, buffer: &mut Vec<u8>| {
            let start = chunk * CHUNK_ROWS;
            push_indices(&index[start..count.min(start + CHUNK_ROWS)], is_short, buffer);
            Ok(())
        };
        self.index_block(count, is_short, count.div_ceil(CHUNK_ROWS), Box::new(fill))
    }

    fn index_block(
        &mut self,
        count: usize,
        is_short: bool,
        chunks: usize,
        fill: Box<FillBlock<'s>>,
    ) -> usize {
        let (size, code) = if is_short { (2, 5123) } else { (4, 5125) };
        let bytes = (size * count) as u64;
        let view = self.block(Block::Rows { bytes, chunks, fill }, Some(INDICES));
        self.accessor(view, count, "SCALAR", code)
    }

    /// The corners of faces, cut into triangles; `None` where they give none.
    #[allow(clippy::too_many_arguments)]
    fn faces(
        &mut self,
        mesh: &'s Mesh<'s>,
        runs: Vec<Range<u32>>,
        index: Arc<Cow<'s, [u32]>>,
        vertices: usize,
        part: &ObjectPart<'_>,
        as_is: bool,
        work: &Work,
    ) -> Result<Option<usize>> {
        let offsets = &*mesh.face_offsets;
        // Corners of the index are counted from the object's first.
        let first = if as_is { 0 } else { offsets[part.faces.start] };
        let mut triangles = 0;
        for run in &runs {
            let (start, end) = (run.start as usize, run.end as usize);
            let corners = (offsets[end] - offsets[start]) as usize;
            let is_plain = corners == 3 * run.len()
                && offsets[start..=end].windows(2).all(|face| face[1] - face[0] == 3);
            triangles += match is_plain {
                true => run.len() as u64,
                false => triangulate::count(mesh, start..end, work)?,
            };
        }
        let Ok(count) = usize::try_from(3 * triangles) else {
            return Err(Error::limit("more corners than memory has places"));
        };
        if count == 0 {
            return Ok(None);
        }
        if u32::try_from(count).is_err() {
            return Err(Error::limit(format!("{count} corners: an accessor holds 4 G at most")));
        }
        // Pieces of at most a chunk's faces, and where each chunk's pieces end.
        let mut pieces: Vec<Range<u32>> = Vec::with_capacity(runs.len());
        let mut ends = Vec::new();
        let mut faces = 0;
        for run in runs {
            let mut start = run.start;
            while start < run.end {
                let end = run.end.min(start + (CHUNK_ROWS - faces) as u32);
                pieces.push(start..end);
                faces += (end - start) as usize;
                start = end;
                if faces == CHUNK_ROWS {
                    ends.push(pieces.len());
                    faces = 0;
                }
            }
        }
        if faces > 0 {
            ends.push(pieces.len());
        }
        let is_short = vertices <= MOST_SHORT;
        let chunks = ends.len();
        let fill = move |chunk: usize, buffer: &mut Vec<u8>| {
            let start = if chunk == 0 { 0 } else { ends[chunk - 1] };
            let mut corners = Vec::new();
            for piece in &pieces[start..ends[chunk]] {
                let (start, end) = (piece.start as usize, piece.end as usize);
                let offsets = &mesh.face_offsets[start..=end];
                if offsets.windows(2).all(|face| face[1] - face[0] == 3) {
                    let at = (offsets[0] - first) as usize..(offsets[end - start] - first) as usize;
                    push_indices(&index[at], is_short, buffer);
                    continue;
                }
                let cut = triangulate::cut_some(mesh, start..end)?;
                corners.clear();
                corners.extend(cut.corners.iter().flatten().map(|c| index[(c - first) as usize]));
                push_indices(&corners, is_short, buffer);
            }
            Ok(())
        };
        Ok(Some(self.index_block(count, is_short, chunks, Box::new(fill))))
    }

    /// A view of more bytes.
    pub(super) fn block(&mut self, block: Block<'s>, target: Option<u32>) -> usize {
        let bytes = block.bytes();
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes += bytes.next_multiple_of(4);
        self.blocks.push(block);
        self.views.len() - 1
    }

    pub(super) fn accessor(
        &mut self,
        view: usize,
        count: usize,
        shape: &str,
        component: u32,
    ) -> usize {
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "count": count, "type": shape,
        }));
        self.accessors.len() - 1
    }

    /// The document as text.
    pub(super) fn document(&self, buffer: Option<Value>) -> Result<Vec<u8>> {
        let mut asset = json!({
            "version": "2.0",
            "generator": format!("Solio {}", env!("CARGO_PKG_VERSION")),
        });
        if !self.comments.is_empty() {
            asset["extras"] = json!({ "comments": self.comments });
        }
        let mut root = json!({ "asset": asset });
        if !self.tops.is_empty() {
            root["scene"] = json!(0);
            root["scenes"] = json!([{ "nodes": self.tops }]);
        }
        let mut used = self.extensions.clone();
        used.extend(&self.materials.extensions);
        let materials = &self.materials;
        for (name, list) in [
            ("nodes", &self.nodes),
            ("meshes", &self.meshes),
            ("materials", &materials.materials),
            ("textures", &materials.textures),
            ("images", &materials.images),
            ("samplers", &materials.samplers),
            ("accessors", &self.accessors),
            ("bufferViews", &self.views),
        ] {
            if !list.is_empty() {
                root[name] = json!(list);
            }
        }
        if let Some(buffer) = buffer {
            root["buffers"] = json!([buffer]);
        }
        if !used.is_empty() {
            root["extensionsUsed"] = json!(used);
        }
        if !self.required.is_empty() {
            root["extensionsRequired"] = json!(self.required);
        }
        serde_json::to_vec(&root).map_err(|e| Error::unsupported(format!("no JSON: {e}")))
    }
}

fn flat(m: &Matrix) -> [f32; 12] {
    let mut flat = [0.0; 12];
    for (to, from) in flat.iter_mut().zip(m.as_flattened()) {
        *to = *from as f32;
    }
    flat
}

fn under(node: &mut Map<String, Value>, parts: &TransformParts) {
    if parts.translation != [0.0; 3] {
        node.insert("translation".into(), json!(parts.translation));
    }
    if parts.rotation != [0.0, 0.0, 0.0, 1.0] {
        node.insert("rotation".into(), json!(parts.rotation));
    }
    if parts.scale != [1.0; 3] {
        node.insert("scale".into(), json!(parts.scale));
    }
}

fn push_indices(index: &[u32], is_short: bool, buffer: &mut Vec<u8>) {
    match is_short {
        true => {
            buffer.reserve(2 * index.len());
            index.iter().for_each(|i| buffer.extend_from_slice(&(*i as u16).to_le_bytes()));
        }
        false => {
            buffer.reserve(4 * index.len());
            index.iter().for_each(|i| buffer.extend_from_slice(&i.to_le_bytes()));
        }
    }
}

/// What an object has of a mesh.
struct ObjectPart<'m> {
    object: Option<&'m Object>,
    vertices: Range<usize>,
    faces: Range<usize>,
    lines: Range<usize>,
    points: Range<usize>,
    is_whole: bool,
}

fn parts<'m>(mesh: &'m Mesh<'_>) -> Vec<ObjectPart<'m>> {
    let all = [
        mesh.positions.len(),
        mesh.face_offsets.len().saturating_sub(1),
        mesh.line_offsets.len().saturating_sub(1),
        mesh.points.len(),
    ];
    if mesh.objects.len() < 2 {
        let [vertices, faces, lines, points] = all.map(|end| 0..end);
        let object = mesh.objects.first();
        return vec![ObjectPart { object, vertices, faces, lines, points, is_whole: true }];
    }
    let mut before = [0; 4];
    let last = mesh.objects.len() - 1;
    let part = |(number, object): (usize, &'m Object)| {
        let ends = [object.vertices_end, object.faces_end, object.lines_end, object.points_end];
        let [vertices, faces, lines, points] = [0, 1, 2, 3].map(|i| {
            let end = if number == last { all[i] } else { all[i].min(ends[i] as usize) };
            let range = before[i]..end.max(before[i]);
            before[i] = range.end;
            range
        });
        ObjectPart { object: Some(object), vertices, faces, lines, points, is_whole: false }
    };
    mesh.objects.iter().enumerate().map(part).collect()
}

/// The faces of an object by their material, in the order in which the materials first appear.
fn by_material(
    mesh: &Mesh<'_>,
    scene: &Scene<'_>,
    part: &ObjectPart<'_>,
) -> Vec<(u32, Vec<Range<u32>>)> {
    let slots = part.object.and_then(|object| object.material_slots.as_ref());
    let material = |face: usize| {
        let own = mesh.face_materials.get(face).copied().unwrap_or(NONE);
        let named = match slots {
            Some(slots) => slots.get(own as usize).copied().unwrap_or(NONE),
            None => own,
        };
        if (named as usize) < scene.materials.len() { named } else { NONE }
    };
    let mut all: Vec<(u32, Vec<Range<u32>>)> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut start = part.faces.start;
    while start < part.faces.end {
        let own = material(start);
        let mut end = match mesh.face_materials.is_empty() {
            true => part.faces.end,
            false => start + 1,
        };
        while end < part.faces.end && material(end) == own {
            end += 1;
        }
        let place = *places.entry(own).or_insert_with(|| {
            all.push((own, Vec::new()));
            all.len() - 1
        });
        all[place].1.push(start as u32..end as u32);
        start = end;
    }
    all
}

/// That the arrays of a mesh fit each other.
fn check(mesh: &Mesh<'_>, scene: &Scene<'_>) -> Result<()> {
    let vertices = mesh.positions.len();
    let fits = |index: &[u32]| index.iter().all(|vertex| (*vertex as usize) < vertices);
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let has_all = |count: Option<usize>| count.is_none_or(|count| count >= vertices);
    let is_fine = offsets_fit(&mesh.face_offsets, mesh.corner_vertices.len())
        && offsets_fit(&mesh.line_offsets, mesh.line_vertices.len())
        && fits(&mesh.corner_vertices)
        && fits(&mesh.line_vertices)
        && fits(&mesh.points)
        && (mesh.face_materials.is_empty() || mesh.face_materials.len() == faces)
        && has_all(mesh.colors.as_ref().map(|colors| colors.values.len()))
        && values::domains_fit(mesh);
    match is_fine && u32::try_from(scene.materials.len()).is_ok() {
        true => Ok(()),
        false => Err(Error::argument("the arrays of a mesh contradict each other")),
    }
}
