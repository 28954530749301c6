//! The statements of MTL that have numbers, in the order in which they are written.

use crate::material::Material;

/// Where the numbers of a statement go.
pub(super) enum MtlValue {
    Color(fn(&mut Material) -> &mut Option<[f32; 3]>),
    Number(fn(&mut Material) -> &mut Option<f32>),
    Illum,
    /// 1 − `d`; it is read only.
    Transparency,
}

pub(super) const KEYS: [(&str, MtlValue); 18] = [
    ("Ns", MtlValue::Number(|m| &mut m.shininess)),
    ("Ka", MtlValue::Color(|m| &mut m.ambient)),
    ("Kd", MtlValue::Color(|m| &mut m.diffuse)),
    ("Ks", MtlValue::Color(|m| &mut m.specular)),
    ("Ke", MtlValue::Color(|m| &mut m.emission)),
    ("Ni", MtlValue::Number(|m| &mut m.ior)),
    ("d", MtlValue::Number(|m| &mut m.opacity)),
    ("Tr", MtlValue::Transparency),
    ("illum", MtlValue::Illum),
    ("sharpness", MtlValue::Number(|m| &mut m.sharpness)),
    ("Pr", MtlValue::Number(|m| &mut m.roughness)),
    ("Pm", MtlValue::Number(|m| &mut m.metallic)),
    ("Ps", MtlValue::Number(|m| &mut m.sheen)),
    ("Pc", MtlValue::Number(|m| &mut m.clearcoat)),
    ("Pcr", MtlValue::Number(|m| &mut m.clearcoat_roughness)),
    ("aniso", MtlValue::Number(|m| &mut m.anisotropy)),
    ("anisor", MtlValue::Number(|m| &mut m.anisotropy_rotation)),
    ("Tf", MtlValue::Color(|m| &mut m.transmission_filter)),
];
