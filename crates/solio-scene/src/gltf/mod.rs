//! Scenes as glTF 2.0: an object once, its instances as arrays.
//!
//! ```text
//! shapes of the world ──► mesh, node                            arrays ──► buffer, one by one
//! objects ──► mesh of several primitives ──► node with          the rest ──► JSON, at the end
//!             EXT_mesh_gpu_instancing
//! ```
//!
//! A node scales, turns and moves; it cannot shear. Instances that shear get two nodes each, one in
//! the other, which together are their matrix (its singular values; [`nested`]). In a `.glb` the
//! document comes before the arrays but is known after them: room for it is kept, as much as it can
//! need at most, and the rest of the room is blank, which JSON allows.
//!
//! Source: Khronos, *glTF 2.0 Specification*; the extensions `EXT_mesh_gpu_instancing`,
//! `KHR_lights_punctual`, `KHR_texture_transform` and `KHR_materials_…` (`anisotropy`, `clearcoat`,
//! `diffuse_transmission`, `dispersion`, `emissive_strength`, `ior`, `sheen`, `specular`, `transmission`,
//! `volume`). The document is that of the crate `gltf-json`.

mod buffer;
mod document;
mod material;
#[cfg(test)]
mod tests;

use crate::export::{
    BORDERS, ExportMeshes, Faces, FileKey, IDENTITY, LeftOut, LossName, TransformParts, bounds,
    decompose, is_border, is_closed, light_area, mesh_of, name_of, nested, order_by_object, placed,
    runs, upper,
};
use crate::look::{LightLookKind, Looks, SurfaceKey, is_mirrored};
use crate::pack::PackedMesh;
use crate::preview::located;
use crate::scene::{NONE, Object, Scene, Shape};
use buffer::{Geometry, GltfBuffer};
use document::{INSTANCING, LIGHTS};
use gltf_json as json;
use json::accessor::Type;
use json::validation::USize64;
use json::{Index, Node};
use material::{GltfMaterials, GltfSurface, MaterialPlace};
use solio_base::{Error, ErrorKind, Losses, Result, Sink, Work, named_enum};
use solio_mesh::gltf::glb_head;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Bytes before the JSON of a `.glb`, and between it and the arrays.
const HEAD_BYTES: usize = 20;
const CHUNK_HEAD_BYTES: usize = 8;
/// The most that the JSON says of one thing, but for its name: see [`room`].
const PART_BYTES: usize = 3000;
const MATERIAL_BYTES: usize = 7000;
const NODES_BYTES: usize = 1000;

const PROJECTED: LossName =
    ["shape whose matrix is a projection", "shapes whose matrices are projections"];
const NEAREST: LossName = [
    "light that shines by a picture: one of its mean shape stands for it",
    "lights that shine by pictures: ones of their mean shape stand for them",
];
const NO_NUMBERS: LossName =
    ["place whose matrix holds no numbers", "places whose matrices are no numbers"];

named_enum! {
    /// How the instances of a scene are written.
    #[derive(Default)]
    pub enum SceneInstances {
        /// Arrays of transformations (`EXT_mesh_gpu_instancing`).
        #[default]
        Gpu = "gpu",
        /// A node for each, all with the same mesh.
        Nodes = "nodes",
        /// A mesh for each, where it is.
        Flat = "flat",
    }

    /// The name.
    ///
    /// ```
    /// assert_eq!(solio_scene::gltf::SceneInstances::Flat.name(), "flat");
    /// ```
    pub fn name;
}

/// Where a glTF goes.
///
/// ```
/// # use solio_base::{Error, Result, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{ExportMeshes, Faces};
/// # use solio_scene::pack::PackedMesh;
/// # struct NoMeshes;
/// # impl ExportMeshes for NoMeshes {
/// #     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
/// #         Err(Error::argument("no such file"))
/// #     }
/// # }
/// use solio_scene::gltf::{GltfOutput, encode_gltf};
/// let text = b"WorldBegin\nShape \"sphere\" \"float radius\" 1\n";
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let mut glb = Vec::new();
/// encode_gltf(&scene, &NoMeshes, Default::default(), GltfOutput::Binary(&mut glb), &work)?;
/// assert_eq!((&glb[..4], &glb[16..20]), (&b"glTF"[..], &b"JSON"[..]));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub enum GltfOutput<'o> {
    /// The document, and the buffer, which it calls `uri` (percent-encoded).
    Separate {
        /// The `.gltf`.
        document: &'o mut dyn Sink,
        /// The `.bin`.
        buffer: &'o mut dyn Sink,
        /// What the document calls the buffer.
        uri: &'o str,
    },
    /// All in one `.glb`, of at most 4 GiB; into a sink that can be rewritten.
    Binary(&'o mut dyn Sink),
}

/// What was written.
///
/// ```
/// # use solio_base::{Error, Result, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{ExportMeshes, Faces};
/// # use solio_scene::pack::PackedMesh;
/// # struct NoMeshes;
/// # impl ExportMeshes for NoMeshes {
/// #     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
/// #         Err(Error::argument("no such file"))
/// #     }
/// # }
/// use solio_scene::gltf::{GltfOutput, encode_gltf};
/// let text = br#"WorldBegin
///     Shape "sphere" "float radius" 1
///     Shape "plymesh" "string filename" "gone.ply"
/// "#;
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// // What cannot be written is told, and the rest is there.
/// let output = GltfOutput::Binary(&mut Vec::new());
/// let summary = encode_gltf(&scene, &NoMeshes, Default::default(), output, &work)?;
/// assert_eq!((summary.meshes, summary.problems.len()), (1, 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct GltfSummary {
    /// Meshes.
    pub meshes: u64,
    /// Nodes.
    pub nodes: u64,
    /// Instances in arrays; others have nodes.
    pub instances: u64,
    /// Instances that shear, and so have two nodes.
    pub sheared: u64,
    /// Bytes of the buffer.
    pub buffer_bytes: u64,
    /// Shapes that are not written, and why.
    pub problems: Vec<Error>,
    /// What glTF, or this writer, has no words for, with counts.
    pub losses: Losses,
}

/// Writes a scene. Meshes are asked for one after another, and none is kept.
///
/// # Errors
/// Those of the sinks; `Limit` for a `.glb` of over 4 GiB.
///
/// ```
/// # use solio_base::{Error, Result, Work};
/// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// # use std::path::Path;
/// # use solio_scene::export::{ExportMeshes, Faces};
/// # use solio_scene::pack::PackedMesh;
/// # struct NoMeshes;
/// # impl ExportMeshes for NoMeshes {
/// #     fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
/// #         Err(Error::argument("no such file"))
/// #     }
/// # }
/// use solio_scene::gltf::{GltfOutput, encode_gltf};
/// let text = br#"WorldBegin
///     ObjectBegin "leaf"
///         Shape "trianglemesh" "point3 P" [ 0 0 0  1 0 0  0 1 0 ]
///     ObjectEnd
///     ObjectInstance "leaf"
///     Translate 2 0 0
///     ObjectInstance "leaf"
/// "#;
/// # let options = SceneOptions::default();
/// # let work = Work::serial();
/// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
/// let (mut gltf, mut bin) = (Vec::new(), Vec::new());
/// let output = GltfOutput::Separate { document: &mut gltf, buffer: &mut bin, uri: "leaves.bin" };
/// let summary = encode_gltf(&scene, &NoMeshes, Default::default(), output, &work)?;
/// assert_eq!((summary.meshes, summary.instances), (1, 2)); // the leaf once, two places
/// assert!(String::from_utf8_lossy(&gltf).contains("EXT_mesh_gpu_instancing"));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn encode_gltf(
    scene: &Scene,
    meshes: &dyn ExportMeshes,
    instances: SceneInstances,
    output: GltfOutput<'_>,
    work: &Work,
) -> Result<GltfSummary> {
    let looks = Looks::new(scene);
    check_size(scene, instances, work)?;
    match output {
        GltfOutput::Separate { document, buffer, uri } => {
            let mut writer = GltfWriter::new(&looks, meshes, GltfBuffer::new(buffer, work), false);
            writer.write(instances, work)?;
            let (text, summary, _) = writer.finish(Some(uri.to_owned()))?;
            document.write_bytes(work, &text)?;
            Ok(summary)
        }
        GltfOutput::Binary(sink) => {
            if !sink.can_rewrite() {
                return Err(Error::argument("a .glb is written to a plain file only")
                    .hint("write a .gltf, or to a file on a disk"));
            }
            let room = room(scene, &looks, instances);
            let blank = vec![b' '; 64 << 10];
            let mut rest = HEAD_BYTES + room + CHUNK_HEAD_BYTES;
            while rest > 0 {
                let step = rest.min(blank.len());
                sink.write_bytes(work, &blank[..step])?;
                rest -= step;
            }
            let mut writer = GltfWriter::new(&looks, meshes, GltfBuffer::new(sink, work), true);
            writer.write(instances, work)?;
            let (text, summary, sink) = writer.finish(None)?;
            let head = glb_head(&text, room, Some(summary.buffer_bytes))?;
            sink.rewrite(head.len() as u64 + summary.buffer_bytes, &head)?;
            Ok(summary)
        }
    }
}

/// Nodes are in memory until the end: refuses more of them than it holds.
fn check_size(scene: &Scene, instances: SceneInstances, work: &Work) -> Result<()> {
    let count = scene.instances.objects.len() as u64;
    if instances == SceneInstances::Gpu || count * NODES_BYTES as u64 / 2 <= work.memory_bytes {
        return Ok(());
    }
    let message = format!("there is no memory for a node of each of {count} instances");
    Err(Error::limit(message).hint("write them as arrays: --instances gpu"))
}

/// Bytes that the document has at most, a multiple of four.
fn room(scene: &Scene, looks: &Looks<'_>, instances: SceneInstances) -> usize {
    // Six bytes for one that needs an escape.
    let name = |length: usize| 6 * length;
    let mut bytes = PART_BYTES;
    let mut keys: HashSet<SurfaceKey> = HashSet::new();
    let objects = scene.objects.iter();
    let objects =
        objects.map(|object| (object.shapes.clone(), object.name.len(), object.instances, false));
    for (range, length, count, is_world) in objects.chain([(0..scene.world_shapes, 0, 1, true)]) {
        let mut part = PART_BYTES + 2 * name(length);
        for run in runs(scene, range) {
            let shape = &scene.shapes[run.start as usize];
            let file = scene.mesh_file(&shape.entity).map_or(64, <[u8]>::len);
            part += PART_BYTES + 2 * name(file);
            let key = looks.key(run.start, is_world);
            if keys.insert(key) {
                // One for closed meshes, one for open ones.
                bytes += 2 * (MATERIAL_BYTES + name(looks.material(key.material).name.len()));
            }
        }
        let times = if instances == SceneInstances::Flat { count.max(1) as usize } else { 1 };
        bytes += part * times;
    }
    let counts = scene.objects.iter().map(|object| object.instances).filter(|count| *count == 1);
    let sheared = scene.instances.matrices.iter().filter(|m| decompose(m).is_none()).count();
    let nodes = match instances {
        SceneInstances::Gpu => counts.count() + sheared,
        _ => scene.instances.matrices.len(),
    };
    let name = scene.objects.iter().map(|object| name(object.name.len())).max().unwrap_or(0);
    bytes += PART_BYTES * scene.lights.len();
    bytes += nodes * (NODES_BYTES + name);
    bytes.next_multiple_of(4)
}

struct GltfWriter<'w> {
    scene: &'w Scene,
    looks: &'w Looks<'w>,
    meshes: &'w dyn ExportMeshes,
    buffer: GltfBuffer<'w>,
    /// Whether some material lets light through, so that it counts which meshes have an inside.
    has_glass: bool,
    /// Files that are in the buffer; `None` where one has nothing that could be.
    files: HashMap<FileKey, Option<(Geometry, Option<f32>)>>,
    materials: GltfMaterials,
    /// Meshes of one primitive that are there already.
    known: HashMap<(Geometry, u32), u32>,
    root: json::Root,
    /// Nodes of the world.
    children: Vec<u32>,
    summary: GltfSummary,
    left: LeftOut,
}

impl<'w> GltfWriter<'w> {
    fn new(
        looks: &'w Looks<'w>,
        meshes: &'w dyn ExportMeshes,
        buffer: GltfBuffer<'w>,
        takes_pictures: bool,
    ) -> GltfWriter<'w> {
        let mut left = LeftOut::of(looks.scene);
        left.extend(&looks.left);
        GltfWriter {
            scene: looks.scene,
            looks,
            meshes,
            buffer,
            has_glass: looks.materials.iter().any(|look| look.transmission.mean() > 0.0),
            files: HashMap::new(),
            materials: GltfMaterials::new(takes_pictures),
            known: HashMap::new(),
            root: json::Root::default(),
            children: Vec::new(),
            summary: GltfSummary::default(),
            left,
        }
    }

    fn write(&mut self, how: SceneInstances, work: &Work) -> Result<()> {
        let scene = self.scene;
        for run in runs(scene, 0..scene.world_shapes) {
            work.cancel.check()?;
            self.world_shape(run)?;
        }
        let (order, starts) = order_by_object(scene);
        for (number, object) in scene.objects.iter().enumerate() {
            work.cancel.check()?;
            let instances = &order[starts[number]..starts[number + 1]];
            match how {
                _ if instances.is_empty() => {}
                SceneInstances::Flat => self.flat_object(object, instances, work)?,
                _ => self.object(object, instances, how == SceneInstances::Gpu)?,
            }
        }
        self.lights();
        Ok(())
    }

    /// Lights of a point, a cone and a direction; glTF has no others.
    fn lights(&mut self) {
        let mut lights = Vec::new();
        let mut left = 0;
        let looks = self.looks;
        for (number, made) in looks.lights.iter().enumerate() {
            match made.as_ref().filter(|light| light.kind != LightLookKind::Sky) {
                Some(light) => {
                    self.left.add(NEAREST, u64::from(!light.is_exact));
                    let name = format!("light.{number}");
                    let node = document::light_node(light, &name, lights.len());
                    lights.push(document::light(light, &name));
                    self.add_node(node, true);
                }
                None => left += 1,
            }
        }
        self.left.lights(left);
        if !lights.is_empty() {
            let lights = serde_json::json!({ "lights": lights });
            let mut root = json::extensions::root::Root::default();
            root.others.insert(LIGHTS.to_owned(), lights);
            self.root.extensions = Some(root);
            self.root.extensions_used.push(LIGHTS.to_owned());
        }
    }

    fn world_shape(&mut self, run: Range<u32>) -> Result<()> {
        let scene = self.scene;
        let shape = &scene.shapes[run.start as usize];
        let Some(matrix) = upper(&scene.matrices[shape.matrix as usize]) else {
            self.left.add(PROJECTED, u64::from(run.end - run.start));
            return Ok(());
        };
        let number = run.start;
        let Some((geometry, inside)) = self.geometry(run, &IDENTITY)? else { return Ok(()) };
        let material = self.material(number, true, inside)?;
        let name = name_of(scene, shape);
        let mesh = match self.known.get(&(geometry, material)) {
            Some(mesh) => *mesh,
            None => {
                let mesh = self.add_mesh(name.clone(), vec![(geometry, material)]);
                self.known.insert((geometry, material), mesh);
                mesh
            }
        };
        self.place(&matrix, mesh, &name);
        Ok(())
    }

    /// An object as a mesh, and nodes for its instances.
    fn object(&mut self, object: &Object, instances: &[u32], as_arrays: bool) -> Result<()> {
        let scene = self.scene;
        let mut primitives = Vec::new();
        for run in runs(scene, object.shapes.clone()) {
            let shape = &scene.shapes[run.start as usize];
            let Some(matrix) = upper(&scene.matrices[shape.matrix as usize]) else {
                self.left.add(PROJECTED, u64::from(run.end - run.start));
                continue;
            };
            let number = run.start;
            if let Some((geometry, inside)) = self.geometry(run, &matrix)? {
                primitives.push((geometry, self.material(number, false, inside)?));
            }
        }
        if primitives.is_empty() {
            return Ok(());
        }
        let name = String::from_utf8_lossy(&object.name).into_owned();
        let mesh = self.add_mesh(name.clone(), primitives);
        let matrices = &scene.instances.matrices;
        if instances.len() == 1 || !as_arrays {
            instances.iter().for_each(|i| self.place(&matrices[*i as usize], mesh, &name));
            return Ok(());
        }
        let (mut regular, mut turned, mut scaled) = (Vec::new(), false, false);
        for instance in instances {
            match decompose(&matrices[*instance as usize]) {
                Some(parts) => {
                    regular.push(*instance);
                    turned |= parts.rotation != [0.0, 0.0, 0.0, 1.0];
                    scaled |= parts.scale != [1.0; 3];
                }
                None => self.place(&matrices[*instance as usize], mesh, &name),
            }
        }
        if regular.is_empty() {
            return Ok(());
        }
        let count = regular.len();
        let parts = |i: usize| -> TransformParts {
            decompose(&matrices[regular[i] as usize]).expect("one that does not shear")
        };
        let buffer = &mut self.buffer;
        let translations = buffer.rows(count, Type::Vec3, None, &|i| parts(i).translation)?;
        let rotations = match turned {
            true => Some(buffer.rows(count, Type::Vec4, None, &|i| parts(i).rotation)?),
            false => None,
        };
        let scales = match scaled {
            true => Some(buffer.rows(count, Type::Vec3, None, &|i| parts(i).scale)?),
            false => None,
        };
        let extensions = Some(document::instancing(translations, rotations, scales));
        let mesh = Some(Index::new(mesh));
        self.add_node(Node { mesh, name: Some(name), extensions, ..Node::default() }, true);
        self.summary.instances += count as u64;
        Ok(())
    }

    /// An object as meshes of their own, one for each instance; its meshes are asked for once.
    fn flat_object(&mut self, object: &Object, instances: &[u32], work: &Work) -> Result<()> {
        let scene = self.scene;
        let name = String::from_utf8_lossy(&object.name).into_owned();
        let mut parts = Vec::new();
        for run in runs(scene, object.shapes.clone()) {
            let shape = &scene.shapes[run.start as usize];
            let Some(matrix) = upper(&scene.matrices[shape.matrix as usize]) else {
                self.left.add(PROJECTED, u64::from(run.end - run.start));
                continue;
            };
            let number = run.start;
            if let Some(mesh) = self.mesh(run, &matrix)? {
                let inside = self.inside(&mesh);
                parts.push((number, self.material(number, false, inside)?, mesh));
            }
        }
        for instance in instances {
            work.cancel.check()?;
            let matrix = &scene.instances.matrices[*instance as usize];
            if !matrix.iter().all(|x| x.is_finite()) {
                self.left.add(NO_NUMBERS, 1);
                continue;
            }
            let mut primitives = Vec::new();
            for (number, material, mesh) in &parts {
                let mesh = placed(mesh.clone(), matrix);
                let shape = &scene.shapes[*number as usize];
                if let Some(geometry) = self.put(shape, &mesh)? {
                    primitives.push((geometry, *material));
                }
            }
            if !primitives.is_empty() {
                let mesh = self.add_mesh(name.clone(), primitives);
                self.place(&IDENTITY, mesh, &name);
            }
        }
        Ok(())
    }

    /// The arrays of shapes, under a matrix, and how thick the mesh is if it has an inside; `None` where
    /// nothing of them is to be seen.
    fn geometry(
        &mut self,
        run: Range<u32>,
        matrix: &[f32; 12],
    ) -> Result<Option<(Geometry, Option<f32>)>> {
        let scene = self.scene;
        let shape = &scene.shapes[run.start as usize];
        let file = scene.mesh_file(&shape.entity).filter(|_| *matrix == IDENTITY);
        let file = file.filter(|_| !is_border(scene, shape));
        let key = file.map(|file| (file.to_vec(), shape.reverse_orientation));
        if let Some(known) = key.as_ref().and_then(|key| self.files.get(key)) {
            return Ok(*known);
        }
        let geometry = match self.mesh(run, matrix)? {
            Some(mesh) => {
                let inside = self.inside(&mesh);
                self.put(shape, &mesh)?.map(|geometry| (geometry, inside))
            }
            None => None,
        };
        if let Some(key) = key {
            self.files.insert(key, geometry);
        }
        Ok(geometry)
    }

    /// About how thick a mesh is, if it has an inside and that counts.
    fn inside(&self, mesh: &PackedMesh<'_>) -> Option<f32> {
        let [low, high] = bounds(&mesh.positions).filter(|_| self.has_glass && is_closed(mesh))?;
        let sides = [0, 1, 2].map(|i| high[i] - low[i]);
        Some(sides.into_iter().fold(f32::INFINITY, f32::min))
    }

    /// The mesh of shapes, under a matrix; `None` where nothing of them is to be seen, or something is
    /// wrong, which is told.
    fn mesh(&mut self, run: Range<u32>, matrix: &[f32; 12]) -> Result<Option<PackedMesh<'w>>> {
        let scene = self.scene;
        let shape = &scene.shapes[run.start as usize];
        if is_border(scene, shape) {
            self.left.add(BORDERS, u64::from(run.end - run.start));
            return Ok(None);
        }
        let textured = self.looks.is_textured(run.start);
        let made = mesh_of(scene, run, self.meshes, Faces::Triangles, textured);
        match made.map(|mesh| placed(mesh, matrix)) {
            Ok(mesh) => {
                self.left.bare(textured && mesh.uvs.is_empty());
                Ok(Some(mesh))
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                self.summary.problems.push(located(scene, shape, error));
                Ok(None)
            }
        }
    }

    /// A mesh into the buffer; one that glTF does not take is a problem of its shape.
    fn put(&mut self, shape: &Shape, mesh: &PackedMesh<'_>) -> Result<Option<Geometry>> {
        if !mesh.normals.is_empty() && !buffer::usable(&mesh.normals) {
            self.left.add(
                [
                    "mesh whose normals have no direction: it is written without",
                    "meshes whose normals have no direction: they are written without",
                ],
                1,
            );
        }
        match self.buffer.mesh(mesh) {
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Limit) => {
                self.summary.problems.push(located(self.scene, shape, error));
                Ok(None)
            }
            other => other,
        }
    }

    fn material(&mut self, number: u32, is_world: bool, inside: Option<f32>) -> Result<u32> {
        let key = self.looks.key(number, is_world);
        let is_glass = self.looks.material(key.material).transmission.mean() > 0.0;
        let surface = GltfSurface { key, has_inside: is_glass && inside.is_some() };
        if let Some(known) = self.materials.known(&surface) {
            return Ok(known);
        }
        let area = match key.shape {
            NONE => None,
            _ => light_area(self.scene, number, self.meshes).ok(),
        };
        let GltfWriter { root, buffer, left, .. } = self;
        let (looks, files) = (self.looks, self.meshes);
        let mut place = MaterialPlace { looks, files, root, buffer, left };
        self.materials.make(surface, area, inside.unwrap_or(0.0), &mut place)
    }

    fn add_mesh(&mut self, name: String, primitives: Vec<(Geometry, u32)>) -> u32 {
        let primitives =
            primitives.iter().map(|(geometry, m)| document::primitive(geometry, *m)).collect();
        self.root.meshes.push(document::mesh(name, primitives));
        self.root.meshes.len() as u32 - 1
    }

    /// A node with a mesh under a matrix: as it is where it does not shear, else two nodes.
    fn place(&mut self, matrix: &[f32; 12], mesh: u32, name: &str) {
        let (mesh, name) = (Some(Index::new(mesh)), Some(name.to_owned()));
        if *matrix == IDENTITY {
            self.add_node(Node { mesh, name, ..Node::default() }, true);
        } else if decompose(matrix).is_some() {
            self.add_node(Node { mesh, name, ..document::under_matrix(matrix) }, true);
        } else if let Some([outer, inner]) = nested(matrix) {
            let child = Node { mesh, ..document::under_parts(&inner) };
            let child = self.add_node(child, false);
            let children = Some(vec![Index::new(child)]);
            self.add_node(Node { children, name, ..document::under_parts(&outer) }, true);
            self.summary.sheared += 1;
        } else {
            self.left.add(NO_NUMBERS, 1);
        }
    }

    fn add_node(&mut self, node: Node, is_world: bool) -> u32 {
        let number = self.root.nodes.len() as u32;
        self.root.nodes.push(node);
        if is_world {
            self.children.push(number);
        }
        number
    }

    /// The document as text.
    fn finish(mut self, uri: Option<String>) -> Result<(Vec<u8>, GltfSummary, &'w mut dyn Sink)> {
        let scene = self.scene;
        let children: Vec<_> = self.children.iter().map(|node| Index::new(*node)).collect();
        let world = Node {
            children: (!children.is_empty()).then_some(children),
            name: Some("world".to_owned()),
            scale: is_mirrored(scene).then_some([1.0, 1.0, -1.0]),
            ..Node::default()
        };
        let mut tops = vec![Index::new(self.add_node(world, false))];
        if let Some(camera) = &self.looks.camera {
            let made = document::camera(&camera.projection).zip(camera.right_handed());
            match made {
                Some((lens, to_world)) => {
                    self.root.cameras.push(lens);
                    let node = document::camera_node(&to_world);
                    tops.push(Index::new(self.add_node(node, false)));
                    self.left.lens(camera);
                    let aside = u64::from(camera.shift.iter().any(|x| x.abs() > 1e-6));
                    let words = ["camera that looks aside (screenwindow): its middle counts"; 2];
                    self.left.add(words, aside);
                }
                None => self.left.add(["camera that sees all around"; 2], 1),
            }
        } else {
            let other = u64::from(scene.camera.is_some());
            self.left.add(["camera that sees nothing"; 2], other);
        }
        let root = &mut self.root;
        root.asset.generator = Some(format!("Solio {}", env!("CARGO_PKG_VERSION")));
        let extras = json::Extras::default();
        root.scenes = vec![json::Scene { extensions: None, extras, name: None, nodes: tops }];
        root.scene = Some(Index::new(0));
        if self.summary.instances > 0 {
            root.extensions_used.push(INSTANCING.to_owned());
            root.extensions_required.push(INSTANCING.to_owned());
        }
        let used = self.materials.extensions().map(str::to_owned);
        root.extensions_used.extend(used);
        let GltfBuffer { written: bytes, views, accessors, .. } = &mut self.buffer;
        (root.buffer_views, root.accessors) = (std::mem::take(views), std::mem::take(accessors));
        let bytes = *bytes;
        if bytes > 0 {
            let byte_length = USize64(bytes);
            let extras = json::Extras::default();
            root.buffers =
                vec![json::Buffer { byte_length, name: None, uri, extensions: None, extras }];
        }
        let text = serde_json::to_vec(&*root);
        let text = text.map_err(|e| Error::unsupported(format!("no JSON: {e}")))?;
        let summary = GltfSummary {
            meshes: root.meshes.len() as u64,
            nodes: root.nodes.len() as u64,
            buffer_bytes: bytes,
            losses: self.left.losses(),
            ..self.summary
        };
        Ok((text, summary, self.buffer.into_sink()))
    }
}
