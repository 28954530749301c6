//! Writing: all counts and places first, so that the document comes before the arrays; then these, a chunk
//! at a time, from the mesh as it is.

use super::container::{BINARY_CHUNK, CHUNK_HEAD, FILE_HEAD, JSON_CHUNK};
use super::plan::{Block, Plan};
use crate::material::Material;
use crate::model::Scene;
use crate::spans::PREPARE;
use base64::Engine as _;
use serde_json::json;
use solio_base::{Error, Result, Sink, Work, named_enum};
use solio_kinds::FileKind;
use std::collections::HashMap;
use std::sync::Arc;

named_enum! {
    /// How the instances of a scene are written.
    ///
    /// ```
    /// use solio_mesh::gltf::GltfInstances;
    /// assert_eq!(GltfInstances::of_name("gpu"), Some(GltfInstances::Gpu));
    /// ```
    #[derive(Default)]
    pub enum GltfInstances {
        /// A node for each.
        #[default]
        Nodes = "nodes",
        /// A node for each mesh, with arrays of transforms: `EXT_mesh_gpu_instancing`.
        Gpu = "gpu",
    }

    /// The name.
    ///
    /// ```
    /// assert_eq!(solio_mesh::gltf::GltfInstances::Nodes.name(), "nodes");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// assert_eq!(solio_mesh::gltf::GltfInstances::of_name("many"), None);
    /// ```
    pub fn of_name;
}

/// Where the picture of a texture is.
///
/// ```
/// use solio_mesh::gltf::GltfImage;
/// let png = GltfImage::of_bytes(b"\x89PNG\r\n\x1a\n".to_vec().into());
/// assert!(matches!(png, GltfImage::Bytes { mime: "image/png", .. }));
/// assert!(matches!(GltfImage::of_bytes(b"text".to_vec().into()), GltfImage::Left));
/// ```
#[derive(Clone, Debug)]
pub enum GltfImage {
    /// In a file, whose path is relative to the document.
    File {
        /// The path, with `/` between folders.
        path: String,
    },
    /// Within the buffer.
    Bytes {
        /// `image/png` or `image/jpeg`.
        mime: &'static str,
        /// The file.
        bytes: Arc<Vec<u8>>,
    },
    /// Left out.
    Left,
}

impl GltfImage {
    /// By its first bytes; what glTF does not take is left out.
    ///
    /// ```
    /// use solio_mesh::gltf::GltfImage;
    /// let jpeg = GltfImage::of_bytes(b"\xff\xd8\xff\xe0".to_vec().into());
    /// assert!(matches!(jpeg, GltfImage::Bytes { mime: "image/jpeg", .. }));
    /// ```
    pub fn of_bytes(bytes: Arc<Vec<u8>>) -> GltfImage {
        match [FileKind::Png, FileKind::Jpeg].into_iter().find(|kind| kind.is_at_start(&bytes)) {
            Some(kind) => GltfImage::Bytes { mime: kind.mime(), bytes },
            None => GltfImage::Left,
        }
    }
}

/// How a glTF file is written.
///
/// ```
/// use solio_mesh::gltf::{GltfInstances, GltfWriteOptions};
/// assert_eq!(GltfWriteOptions::default().instances, GltfInstances::Nodes);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GltfWriteOptions {
    /// How instances are written, if the scene has some.
    pub instances: GltfInstances,
    /// The materials as they are written, in place of the scene's: with the paths of textures as seen from
    /// the output.
    pub materials: Option<Vec<Material>>,
    /// Where pictures are, by the paths of textures. Others are those of [`Scene::pictures`], and files.
    pub images: HashMap<String, GltfImage>,
}

/// Writes a `.glb`: the document and all arrays in one file, of 4 GiB at most.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, Scene, gltf::encode_glb};
/// let mesh = Mesh {
///     positions: Positions::F32(vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]].into()),
///     face_offsets: vec![0, 3].into(),
///     corner_vertices: vec![0, 1, 2].into(),
///     ..Mesh::default()
/// };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let mut glb = Vec::new();
/// encode_glb(&scene, &Default::default(), &Work::serial(), &mut glb)?;
/// assert_eq!((&glb[..4], &glb[16..20]), (&b"glTF"[..], &b"JSON"[..]));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument` when arrays of a mesh contradict each other, `Unsupported` for positions that are not finite,
/// `Limit` above 4 GiB, and what `sink` fails with.
pub fn encode_glb(
    scene: &Scene<'_>,
    options: &GltfWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let plan = planned(scene, options, work)?;
    let bytes = plan.bytes;
    let has_buffer = bytes > 0;
    let text = plan.document(has_buffer.then(|| json!({ "byteLength": bytes })))?;
    let head = glb_head(&text, text.len().next_multiple_of(4), has_buffer.then_some(bytes))?;
    sink.write_bytes(work, &head)?;
    put(&plan.blocks, work, sink)
}

/// Writes a `.gltf`, whose arrays go into a file of their own, which the document calls `uri`
/// (percent-encoded).
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, Scene, gltf::encode_gltf};
/// let positions = Positions::F32(vec![[0., 0., 0.], [1., 0., 0.]].into());
/// let scene = Scene { meshes: vec![Mesh { positions, ..Mesh::default() }], ..Scene::default() };
/// let (mut document, mut buffer) = (Vec::new(), Vec::new());
/// encode_gltf(&scene, &Default::default(), &Work::serial(), "a.bin", &mut document, &mut buffer)?;
/// assert_eq!(buffer.len(), 24);
/// assert!(String::from_utf8_lossy(&document).contains("\"uri\":\"a.bin\""));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// As [`encode_glb`], without its limit.
pub fn encode_gltf(
    scene: &Scene<'_>,
    options: &GltfWriteOptions,
    work: &Work,
    uri: &str,
    document: &mut dyn Sink,
    buffer: &mut dyn Sink,
) -> Result<()> {
    let plan = planned(scene, options, work)?;
    let bytes = plan.bytes;
    let text = plan.document((bytes > 0).then(|| json!({ "byteLength": bytes, "uri": uri })))?;
    put(&plan.blocks, work, buffer)?;
    document.write_bytes(work, &text)
}

/// Writes a `.gltf` that has its arrays within, as text: for small meshes, and where there is no folder.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, Scene, gltf::encode_gltf_whole};
/// let positions = Positions::F32(vec![[0., 0., 0.], [1., 0., 0.]].into());
/// let scene = Scene { meshes: vec![Mesh { positions, ..Mesh::default() }], ..Scene::default() };
/// let mut document = Vec::new();
/// encode_gltf_whole(&scene, &Default::default(), &Work::serial(), &mut document)?;
/// assert!(String::from_utf8_lossy(&document).contains("data:application/octet-stream;base64,"));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// As [`encode_glb`], without its limit.
pub fn encode_gltf_whole(
    scene: &Scene<'_>,
    options: &GltfWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let plan = planned(scene, options, work)?;
    let mut buffer = Vec::new();
    put(&plan.blocks, work, &mut buffer)?;
    let bytes = plan.bytes;
    let data = (bytes > 0).then(|| {
        let mut uri = "data:application/octet-stream;base64,".to_owned();
        base64::engine::general_purpose::STANDARD.encode_string(&buffer, &mut uri);
        json!({ "byteLength": bytes, "uri": uri })
    });
    drop(buffer);
    let text = plan.document(data)?;
    sink.write_bytes(work, &text)
}

fn planned<'s>(scene: &'s Scene<'s>, options: &GltfWriteOptions, work: &Work) -> Result<Plan<'s>> {
    let _span = PREPARE.begin();
    let mut plan = Plan::default();
    plan.scene(scene, options, work)?;
    Ok(plan)
}

/// Puts the blocks down one after another, each up to a multiple of four bytes.
fn put(blocks: &[Block<'_>], work: &Work, sink: &mut dyn Sink) -> Result<()> {
    for block in blocks {
        match block {
            Block::Rows { chunks, fill, .. } => sink.write_chunks(work, *chunks, &**fill)?,
            Block::Bytes(bytes) => sink.write_bytes(work, bytes)?,
        }
        let fill = block.bytes().next_multiple_of(4) - block.bytes();
        if fill > 0 {
            sink.write_bytes(work, &[0; 3][..fill as usize])?;
        }
    }
    Ok(())
}

/// All of a `.glb` that comes before its arrays; the document has `room`, a multiple of four, which blanks
/// fill up. Without a buffer there is no binary chunk.
///
/// ```
/// let head = solio_mesh::gltf::glb_head(b"{}", 4, None)?;
/// assert_eq!(head, b"glTF\x02\0\0\0\x18\0\0\0\x04\0\0\0JSON{}  ");
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit` for a file of over 4 GiB, and for a document that needs more room.
pub fn glb_head(text: &[u8], room: usize, buffer_bytes: Option<u64>) -> Result<Vec<u8>> {
    let chunk = buffer_bytes.map_or(0, |bytes| CHUNK_HEAD as u64 + bytes.next_multiple_of(4));
    let before = FILE_HEAD + CHUNK_HEAD + room;
    let whole = before as u64 + chunk;
    let Ok(whole) = u32::try_from(whole) else {
        return Err(Error::limit(format!("a .glb of {whole} bytes: 4 GiB are the most"))
            .hint("write a .gltf: its arrays go into a file of their own"));
    };
    if text.len() > room {
        let message = format!("a document of {} bytes, with room for {room}", text.len());
        return Err(Error::limit(message).hint("write a .gltf"));
    }
    let mut head = Vec::with_capacity(before + CHUNK_HEAD);
    head.extend_from_slice(FileKind::Glb.mark());
    for word in [2, whole, room as u32] {
        head.extend_from_slice(&word.to_le_bytes());
    }
    head.extend_from_slice(JSON_CHUNK);
    head.extend_from_slice(text);
    head.resize(before, b' ');
    if let Some(bytes) = buffer_bytes {
        head.extend_from_slice(&(bytes.next_multiple_of(4) as u32).to_le_bytes());
        head.extend_from_slice(BINARY_CHUNK);
    }
    Ok(head)
}
