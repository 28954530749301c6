//! Reading: the container, the document, then the meshes that are drawn, one after another.

use super::buffers::{Buffers, GltfFiles};
use super::container;
use super::document::Document;
use super::material_read::MaterialReader;
use super::nodes::{Placed, placed};
use super::notes::Notes;
use super::pictures::Pictures;
use super::primitives::read_mesh;
use crate::instances::{Matrix, MeshInstance, place, rename};
use crate::join::join_apart;
use crate::model::{Mesh, Scene};
use crate::spans::DECODE;
use crate::splats::khr::half_turned;
use crate::splats::{LINEAR, splat_count};
use solio_base::{Error, Limits, Result, Source, Work};
use std::ops::Range;

/// How a glTF file is read.
///
/// ```
/// use solio_mesh::gltf::GltfReadOptions;
/// let options = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
/// assert!(!options.outside_files && !options.skip_materials);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GltfReadOptions {
    /// Refuse what a lenient reader passes over with a warning: what the model has no place for, such
    /// as animations, and what is odd.
    pub strict: bool,
    /// Bounds.
    pub limits: Limits,
    /// Keep each mesh once, with the places where it is drawn in
    /// [`Scene::instances`](crate::Scene::instances). Otherwise all is one mesh in world space, with an
    /// object for each place.
    pub keep_instances: bool,
    /// Follow references that lead out of the folder of the document.
    pub outside_files: bool,
    /// Leave materials unread, and images with them; they have only their names.
    pub skip_materials: bool,
}

/// What documents may require of their readers, and this one gives, or tells that it left out.
const KNOWN: [&str; 37] = [
    "KHR_mesh_quantization",
    "KHR_gaussian_splatting",
    "KHR_gaussian_splatting_compression_spz",
    "KHR_gaussian_splatting_compression_spz_2",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_texture_transform",
    "EXT_mesh_gpu_instancing",
    "KHR_lights_punctual",
    "KHR_animation_pointer",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_subsurface",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_materials_volume_scatter",
    "KHR_node_visibility",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_texture_basisu",
    "KHR_xmp_json_ld",
    "EXT_lights_ies",
    "EXT_lights_image_based",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "MSFT_texture_dds",
];

/// Reads a `.glb` or `.gltf`; which one it is, its first bytes tell. All that the scene draws becomes one
/// mesh, with an object for each node. Coordinates stay as they are: y up, in metres.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::gltf::{GltfWriteOptions, NoGltfFiles, decode_gltf, encode_glb};
/// use solio_mesh::obj::decode_obj;
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let scene = decode_obj(&&text[..], &Default::default(), &Work::serial())?;
/// let mut glb = Vec::new();
/// encode_glb(&scene, &GltfWriteOptions::default(), &Work::serial(), &mut glb)?;
/// let read = decode_gltf(&&glb[..], &NoGltfFiles, &Default::default(), &Work::serial())?;
/// assert_eq!(read.meshes[0].corner_vertices, scene.meshes[0].corner_vertices);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Syntax` with its line where the document is not JSON, `Corrupt` where parts contradict each other,
/// `Unsupported` for Draco and for required extensions that are not known, `Limit`, and those of `source`
/// and `files`.
pub fn decode_gltf(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &GltfReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let _span = DECODE.begin();
    if source.is_sequential() || source.len_bytes().is_none() {
        let bytes = container::slurp(source, &options.limits)?;
        return decode(&bytes, files, options, work);
    }
    decode(source, files, options, work)
}

/// The same of a source that can be read at any offset.
fn decode(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &GltfReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let container = container::open(source, &options.limits)?;
    let start = container.json_at;
    // What is wrong with the document is wrong where it is.
    let placed = |error: Error| match (error.offset(), error.path()) {
        (None, None) => error.at_offset(start),
        _ => error,
    };
    let document = parse(&container.json, start)?;
    check_version(&document).map_err(placed)?;
    let buffers = Buffers::new(
        &document,
        source,
        container.binary,
        files,
        options.outside_files,
        &options.limits,
        work,
    );
    let notes = Notes { odd: container.odd, ..Notes::default() };
    read_scene(&buffers, notes, options).map_err(placed)
}

/// The document of a text that starts at `start` of its file.
pub(super) fn parse(json: &[u8], start: u64) -> Result<Document> {
    // A recursion of more than 128 levels is an error of this parser.
    serde_json::from_slice(json).map_err(|e| {
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let (line, column) = (e.line(), e.column());
        let lines = json.split_inclusive(|b| *b == b'\n').take(line.saturating_sub(1));
        let before: usize = lines.map(<[u8]>::len).sum();
        Error::syntax(format!("the document: {message}"))
            .at_line(line as u64, column as u64)
            .at_offset(start + (before + column.saturating_sub(1)) as u64)
    })
}

/// Refuses other versions, and what the document requires that is not known.
pub(super) fn check_version(document: &Document) -> Result<()> {
    let stated = document.asset.min_version.as_ref().unwrap_or(&document.asset.version);
    if !(stated == "2.0" || document.asset.min_version.is_none() && stated.starts_with("2.")) {
        let message = match stated.as_str() {
            "" => "the document does not say its version".to_owned(),
            version => format!("glTF {version}; only 2.0 is read"),
        };
        return Err(Error::unsupported(message));
    }
    match document.extensions_required.iter().find(|name| !KNOWN.contains(&&***name)) {
        Some(name) => {
            let message = format!("the document requires the extension {name}, which is not known");
            Err(Error::unsupported(message))
        }
        None => Ok(()),
    }
}

fn read_scene(
    buffers: &Buffers<'_>,
    mut notes: Notes,
    options: &GltfReadOptions,
) -> Result<Scene<'static>> {
    let document = buffers.document;
    let drawn = placed(buffers, &mut notes)?;
    let (meshes, instances) = match options.keep_instances {
        true => kept(buffers, drawn, &mut notes)?,
        false => {
            let meshes = written_out(buffers, drawn, &mut notes)?;
            (join_apart(meshes, &mut notes.joined)?, Vec::new())
        }
    };
    let is_splats = |mesh: &Mesh<'_>| splat_count(mesh) > 0;
    if meshes.iter().any(is_splats) && !meshes.iter().all(is_splats) {
        notes.odd.push("splats have y down, as in a PLY, and what is beside them has y up".into());
    }
    let outside = options.outside_files;
    let mut reader = MaterialReader { buffers, pictures: Pictures::default(), outside };
    let mut materials = Vec::with_capacity(document.materials.len());
    for (number, json) in document.materials.iter().enumerate() {
        let mut made = match options.skip_materials {
            true => crate::Material {
                name: json.name.clone().unwrap_or_default(),
                ..crate::Material::default()
            },
            false => reader
                .read(json, &mut notes)
                .map_err(|e| super::buffers::in_place(e, &format!("materials[{number}]")))?,
        };
        if made.name.is_empty() {
            made.name = format!("material.{number}");
        }
        materials.push(made);
    }
    let pictures = reader.pictures.embedded;
    if notes.linear_splats > 0 {
        notes.comments.push(LINEAR.to_owned());
    }
    let more = std::mem::take(&mut notes.comments);
    let warnings = notes.into_warnings(document, options.strict)?;
    let mut comments = document.asset.comments();
    for comment in more {
        if !comments.contains(&comment) {
            comments.push(comment);
        }
    }
    Ok(Scene { meshes, instances, materials, pictures, warnings, comments, ..Scene::default() })
}

/// Each mesh once, and where it is drawn. One of splats and others becomes two.
fn kept(
    buffers: &Buffers<'_>,
    drawn: Vec<Placed>,
    notes: &mut Notes,
) -> Result<(Vec<Mesh<'static>>, Vec<MeshInstance>)> {
    let mut numbers = vec![None; buffers.document.meshes.len()];
    let (mut meshes, mut instances) = (Vec::<Mesh<'_>>::new(), Vec::with_capacity(drawn.len()));
    for Placed { mesh, name, matrix } in drawn {
        let known = &mut numbers[mesh as usize];
        let own = match known {
            Some(own) => Range::clone(own),
            None => {
                let start = meshes.len();
                meshes.extend(read_mesh(buffers, mesh, notes)?);
                known.insert(start..meshes.len()).clone()
            }
        };
        for number in own {
            let matrix = placed_matrix(&meshes[number], matrix);
            instances.push(MeshInstance { mesh: number as u32, name: name.clone(), matrix });
        }
    }
    Ok((meshes, instances))
}

/// The matrix of a node for a mesh that was read: splats have the axes of a PLY.
fn placed_matrix(mesh: &Mesh<'_>, matrix: Matrix) -> Matrix {
    if splat_count(mesh) > 0 { half_turned(&matrix) } else { matrix }
}

/// A mesh for each place, in world space; they are joined. What is drawn once is not copied.
fn written_out(
    buffers: &Buffers<'_>,
    drawn: Vec<Placed>,
    notes: &mut Notes,
) -> Result<Vec<Mesh<'static>>> {
    let mut uses = vec![0usize; buffers.document.meshes.len()];
    drawn.iter().for_each(|one| uses[one.mesh as usize] += 1);
    let mut originals: Vec<Option<Vec<Mesh<'static>>>> = uses.iter().map(|_| None).collect();
    let mut meshes = Vec::with_capacity(drawn.len());
    for Placed { mesh: number, name, matrix } in drawn {
        buffers.work.cancel.check()?;
        let number = number as usize;
        let original = match originals[number].take() {
            Some(mesh) => mesh,
            None => read_mesh(buffers, number as u32, notes)?,
        };
        uses[number] -= 1;
        let own = match uses[number] {
            0 => original,
            _ => {
                buffers.spend(original.iter().map(bytes_of).sum())?;
                originals[number].insert(original).clone()
            }
        };
        for mut mesh in own {
            let matrix = placed_matrix(&mesh, matrix);
            place(&mut mesh, &matrix);
            rename(&mut mesh, name.clone());
            meshes.push(mesh);
        }
    }
    Ok(meshes)
}

/// About the bytes that a copy of a mesh takes.
fn bytes_of(mesh: &Mesh<'_>) -> u64 {
    let vertices = mesh.positions.len() as u64;
    let of = |has: bool, bytes: u64| if has { bytes } else { 0 };
    let per_vertex = 12
        + of(mesh.normals.is_some(), 12)
        + of(mesh.uvs.is_some(), 8)
        + of(mesh.colors.is_some(), 16)
        + 16 * mesh.attributes.len() as u64;
    let rest = mesh.corner_vertices.len() + mesh.face_offsets.len() + mesh.face_materials.len();
    size_of::<Mesh<'_>>() as u64 + 100 + vertices * per_vertex + 4 * rest as u64
}
