//! Materials, as MTL files describe them (including the PBR keys).
//!
//! Source: the MTL part of the Wavefront Object Files specification 3.0 and the widely used PBR
//! extension (`Pr Pm Ps Pc Pcr aniso anisor norm map_P*`).

/// One `newmtl` block. A key that the file does not have is `None`, so that a round trip writes
/// what was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Name.
    pub name: String,
    /// `Ka`, ambient colour.
    pub ambient: Option<[f32; 3]>,
    /// `Kd`, diffuse colour.
    pub diffuse: Option<[f32; 3]>,
    /// `Ks`, specular colour.
    pub specular: Option<[f32; 3]>,
    /// `Ke`, emission.
    pub emission: Option<[f32; 3]>,
    /// `Tf`, transmission filter.
    pub transmission_filter: Option<[f32; 3]>,
    /// `Ns`, specular exponent, 0 to 1000.
    pub shininess: Option<f32>,
    /// `Ni`, index of refraction.
    pub ior: Option<f32>,
    /// `d`, opacity (also read from `Tr`, which is 1 − d).
    pub opacity: Option<f32>,
    /// `illum`, the illumination model, 0 to 10.
    pub illum: Option<i32>,
    /// `sharpness`.
    pub sharpness: Option<f32>,
    /// `Pr`.
    pub roughness: Option<f32>,
    /// `Pm`.
    pub metallic: Option<f32>,
    /// `Ps`.
    pub sheen: Option<f32>,
    /// `Pc`.
    pub clearcoat: Option<f32>,
    /// `Pcr`.
    pub clearcoat_roughness: Option<f32>,
    /// `aniso`.
    pub anisotropy: Option<f32>,
    /// `anisor`.
    pub anisotropy_rotation: Option<f32>,
    /// Texture maps, in the order of the file.
    pub maps: Vec<TextureMap>,
    /// Statements that are not understood, kept as they are, one a line.
    pub other: Vec<String>,
}

/// A texture statement such as `map_Kd -o 0 0.5 0 -s 2 2 1 wood.png`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureMap {
    /// The key as written: `map_Kd`, `map_Bump`, `norm`, `refl`…
    pub key: String,
    /// The options before the file name as written, each as `(name, arguments)`:
    /// `("-bm", "0.3")`.
    pub options: Vec<(String, String)>,
    /// The file name as written.
    pub path: String,
}
