//! Materials, as MTL files describe them (including the PBR keys).
//!
//! Source: the MTL part of the Wavefront Object Files specification 3.0 and the widely used PBR
//! extension (`Pr Pm Ps Pc Pcr aniso anisor norm map_P*`).

/// How a comment that names a texture begins, as MeshLab writes them.
pub(crate) const TEXTURE_COMMENT: &str = "TextureFile ";

/// One `newmtl` block. A key that the file does not have is `None`, so that a round trip writes
/// what was read.
///
/// ```
/// use solio_mesh::{Material, obj::{MtlWriteOptions, encode_mtl}};
/// let gold = Material {
///     name: "gold".into(),
///     diffuse: Some([1.0, 0.8, 0.3]),
///     metallic: Some(1.0),
///     ..Material::default()
/// };
/// let options = MtlWriteOptions { comments: Vec::new(), ..MtlWriteOptions::default() };
/// let file = encode_mtl(&[gold], &options)?;
/// assert_eq!(file, b"\nnewmtl gold\nKd 1.000000 0.800000 0.300000\nPm 1.000000\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
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
    /// Whether both sides of faces are seen; MTL does not tell.
    pub double_sided: Option<bool>,
    /// The opacity from which on a surface is seen at all; MTL does not tell.
    pub alpha_cutoff: Option<f32>,
    /// Texture maps, in the order of the file.
    pub maps: Vec<TextureMap>,
    /// Statements that are not understood, kept as they are, one a line.
    pub other: Vec<String>,
}

/// A texture statement such as `map_Kd -o 0 0.5 0 -s 2 2 1 wood.png`.
///
/// ```
/// use solio_mesh::obj::{ObjReadOptions, decode_mtl};
/// let text = b"newmtl wood\nmap_Bump -bm 0.3 grain 01.png\n";
/// let (materials, _) = decode_mtl(text, &ObjReadOptions::default())?;
/// let map = &materials[0].maps[0];
/// assert_eq!((map.key.as_str(), map.path.as_str()), ("map_Bump", "grain 01.png"));
/// assert_eq!(map.options, [("-bm".to_owned(), "0.3".to_owned())]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureMap {
    /// The key as written: `map_Kd`, `map_Bump`, `norm`, `refl`…
    pub key: String,
    /// The options before the file name as written, each as `(name, arguments)`:
    /// `("-bm", "0.3")`.
    pub options: Vec<(String, String)>,
    /// The file name as written; of an MTL in another folder than its OBJ, which was read along
    /// with that, as seen from the OBJ.
    pub path: String,
}
