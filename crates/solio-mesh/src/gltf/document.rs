//! The JSON document, as far as meshes need it.
//!
//! Not that of the crate `gltf-json`, which the writer uses: it keeps neither the names of attributes
//! that it does not know nor the extensions of materials, and wants members that files leave out.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The top of the document. Members that meshes do not need are not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) scene: Option<u32>,
    pub(super) scenes: Vec<SceneRoots>,
    pub(super) nodes: Vec<GltfNode>,
    pub(super) meshes: Vec<GltfMesh>,
    pub(super) accessors: Vec<AccessorJson>,
    pub(super) buffer_views: Vec<ViewJson>,
    pub(super) buffers: Vec<BufferJson>,
    pub(super) materials: Vec<MaterialJson>,
    pub(super) textures: Vec<TextureJson>,
    pub(super) images: Vec<ImageJson>,
    pub(super) samplers: Vec<SamplerJson>,
    pub(super) animations: Vec<IgnoredAny>,
    pub(super) skins: Vec<IgnoredAny>,
    pub(super) cameras: Vec<IgnoredAny>,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) extensions: RootExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
    pub(super) generator: Option<String>,
    pub(super) copyright: Option<String>,
    /// Anything: what applications add. This one keeps comments there.
    pub(super) extras: Option<serde_json::Value>,
}

impl Asset {
    /// The lines that the document says of itself.
    pub(super) fn comments(&self) -> Vec<String> {
        let own = self.extras.as_ref().and_then(|extras| extras.get("comments")?.as_array());
        let own = own.into_iter().flatten().filter_map(|line| line.as_str().map(str::to_owned));
        self.copyright.iter().cloned().chain(own).collect()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RootExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    pub(super) lights: Option<Lights>,
    #[serde(rename = "KHR_materials_variants")]
    pub(super) variants: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lights {
    pub(super) lights: Vec<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SceneRoots {
    pub(super) nodes: Vec<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfNode {
    pub(super) name: Option<String>,
    pub(super) children: Vec<u32>,
    pub(super) mesh: Option<u32>,
    pub(super) skin: Option<u32>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<Instancing>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Instancing {
    pub(super) attributes: BTreeMap<String, u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfMesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<PrimitiveJson>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PrimitiveJson {
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, u32>,
    pub(super) indices: Option<u32>,
    pub(super) material: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
    #[serde(default)]
    pub(super) targets: Vec<IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

fn triangles() -> u32 {
    4
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
    #[serde(rename = "KHR_gaussian_splatting")]
    pub(super) splatting: Option<SplattingJson>,
}

/// A primitive whose points are Gaussian splats.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SplattingJson {
    pub(super) kernel: Option<String>,
    pub(super) color_space: Option<String>,
    pub(super) projection: Option<String>,
    pub(super) sorting_method: Option<String>,
    pub(super) extensions: SplattingExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SplattingExtensions {
    #[serde(
        rename = "KHR_gaussian_splatting_compression_spz_2",
        alias = "KHR_gaussian_splatting_compression_spz"
    )]
    pub(super) spz: Option<InnerSpz>,
    /// By name, what else compresses or changes them.
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, IgnoredAny>,
}

/// Splats as an SPZ in a view.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InnerSpz {
    pub(super) buffer_view: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessorJson {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) min: Option<Vec<f64>>,
    pub(super) max: Option<Vec<f64>>,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ViewJson {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    ext_meshopt: Option<Packed>,
    #[serde(rename = "KHR_meshopt_compression")]
    khr_meshopt: Option<Packed>,
}

impl ViewExtensions {
    pub(super) fn meshopt(&self) -> Option<&Packed> {
        self.khr_meshopt.as_ref().or(self.ext_meshopt.as_ref())
    }
}

/// A view in the code of meshoptimizer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Packed {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: u64,
    pub(super) count: u64,
    pub(super) mode: String,
    pub(super) filter: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferJson {
    pub(super) byte_length: u64,
    pub(super) uri: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureJson {
    pub(super) source: Option<u32>,
    pub(super) sampler: Option<u32>,
    pub(super) extensions: TextureExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureExtensions {
    #[serde(rename = "KHR_texture_basisu")]
    basisu: Option<OtherSource>,
    #[serde(rename = "EXT_texture_webp")]
    webp: Option<OtherSource>,
    #[serde(rename = "EXT_texture_avif")]
    avif: Option<OtherSource>,
    #[serde(rename = "MSFT_texture_dds")]
    dds: Option<OtherSource>,
}

#[derive(Debug, Deserialize)]
struct OtherSource {
    source: u32,
}

impl TextureJson {
    /// The image: that of the plain kind where there is one.
    pub(super) fn image(&self) -> Option<u32> {
        let TextureExtensions { basisu, webp, avif, dds } = &self.extensions;
        let others = [webp, avif, basisu, dds].into_iter().flatten();
        self.source.or_else(|| others.map(|other| other.source).next())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ImageJson {
    pub(super) name: Option<String>,
    pub(super) uri: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) buffer_view: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SamplerJson {
    pub(super) wrap_s: Option<u32>,
    pub(super) wrap_t: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct MaterialJson {
    pub(super) name: Option<String>,
    pub(super) pbr_metallic_roughness: Metallic,
    pub(super) normal_texture: Option<TextureRef>,
    pub(super) occlusion_texture: Option<TextureRef>,
    pub(super) emissive_texture: Option<TextureRef>,
    pub(super) emissive_factor: [f32; 3],
    pub(super) alpha_mode: Option<String>,
    pub(super) alpha_cutoff: Option<f32>,
    pub(super) double_sided: bool,
    pub(super) extensions: MaterialExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metallic {
    pub(super) base_color_factor: Option<[f32; 4]>,
    pub(super) base_color_texture: Option<TextureRef>,
    pub(super) metallic_factor: Option<f32>,
    pub(super) roughness_factor: Option<f32>,
    pub(super) metallic_roughness_texture: Option<TextureRef>,
}

/// A texture where it is used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureRef {
    pub(super) index: u32,
    #[serde(default)]
    pub(super) tex_coord: u32,
    /// Of normal textures.
    pub(super) scale: Option<f32>,
    /// Of occlusion textures.
    pub(super) strength: Option<f32>,
    #[serde(default)]
    pub(super) extensions: RefExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RefExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TextureTransform {
    pub(super) offset: Option<[f32; 2]>,
    pub(super) rotation: f32,
    pub(super) scale: Option<[f32; 2]>,
    pub(super) tex_coord: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_unlit")]
    pub(super) unlit: Option<IgnoredAny>,
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub(super) emissive: Option<EmissiveJson>,
    #[serde(rename = "KHR_materials_ior")]
    pub(super) ior: Option<IorJson>,
    #[serde(rename = "KHR_materials_transmission")]
    pub(super) transmission: Option<TransmissionJson>,
    #[serde(rename = "KHR_materials_clearcoat")]
    pub(super) clearcoat: Option<ClearcoatJson>,
    #[serde(rename = "KHR_materials_sheen")]
    pub(super) sheen: Option<SheenJson>,
    #[serde(rename = "KHR_materials_specular")]
    pub(super) specular: Option<SpecularJson>,
    #[serde(rename = "KHR_materials_anisotropy")]
    pub(super) anisotropy: Option<AnisotropyJson>,
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(super) glossiness: Option<GlossinessJson>,
    /// By name, what no member of a material holds.
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct EmissiveJson {
    pub(super) emissive_strength: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IorJson {
    pub(super) ior: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TransmissionJson {
    pub(super) transmission_factor: f32,
    pub(super) transmission_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ClearcoatJson {
    pub(super) clearcoat_factor: f32,
    pub(super) clearcoat_roughness_factor: f32,
    pub(super) clearcoat_texture: Option<TextureRef>,
    pub(super) clearcoat_roughness_texture: Option<TextureRef>,
    pub(super) clearcoat_normal_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SheenJson {
    pub(super) sheen_color_factor: [f32; 3],
    pub(super) sheen_color_texture: Option<TextureRef>,
    pub(super) sheen_roughness_factor: f32,
    pub(super) sheen_roughness_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SpecularJson {
    pub(super) specular_factor: Option<f32>,
    pub(super) specular_color_factor: Option<[f32; 3]>,
    pub(super) specular_texture: Option<TextureRef>,
    pub(super) specular_color_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AnisotropyJson {
    pub(super) anisotropy_strength: f32,
    pub(super) anisotropy_rotation: f32,
    pub(super) anisotropy_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GlossinessJson {
    pub(super) diffuse_factor: Option<[f32; 4]>,
    pub(super) specular_factor: Option<[f32; 3]>,
    pub(super) glossiness_factor: Option<f32>,
    pub(super) diffuse_texture: Option<TextureRef>,
    pub(super) specular_glossiness_texture: Option<TextureRef>,
}
