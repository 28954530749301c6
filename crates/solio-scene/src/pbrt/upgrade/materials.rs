//! Materials.

use super::draft::Draft;
use super::unique_names::{NamedKind, UpgradeNames};
use crate::pbrt::ParameterType::{Float, Rgb, Spectrum, String};

/// `Material`, or `MakeNamedMaterial` with its type among the parameters.
pub(super) fn material(draft: &mut Draft<'_>, names: &mut UpgradeNames, named: bool) {
    let old =
        if named { draft.string("type").unwrap_or_default() } else { draft.argument(0).to_vec() };
    draft.rename("bumpmap", "displacement");
    let new = match &old[..] {
        b"matte" => matte(draft),
        b"plastic" => plastic(draft),
        b"substrate" => substrate(draft),
        b"uber" => uber(draft),
        b"glass" => glass(draft),
        b"metal" => metal(draft),
        b"mirror" => mirror(draft),
        b"translucent" => translucent(draft),
        b"mix" => mix(draft, names),
        b"hair" => hair(draft),
        b"disney" => disney(draft),
        b"subsurface" => subsurface(draft),
        b"kdsubsurface" => kd_subsurface(draft),
        b"" | b"none" => "interface",
        b"fourier" => {
            let hint = "version 4 has \"measured\", for another kind of file";
            return draft.error(draft.at, "the material \"fourier\" has no counterpart", hint);
        }
        _ => std::str::from_utf8(&old).unwrap_or(""),
    };
    if new.as_bytes() != old {
        if named {
            draft.remove("type");
            draft.push_strings(String, "type", &[new.as_bytes()]);
        } else {
            draft.set_argument(0, new.as_bytes());
        }
    }
    if new == "interface" {
        let keeps_type = draft.string("type").filter(|_| named);
        draft.parameters.clear();
        if keeps_type.is_some() {
            draft.push_strings(String, "type", &[b"interface"]);
        }
        return;
    }
    super::fit(draft, names, crate::pbrt::Directive::Material, new);
}

/// What version 3 takes where nothing is said, where version 4 takes something else.
fn default_float(draft: &mut Draft<'_>, name: &str, value: f32) {
    if !draft.has(name) {
        draft.push_floats(Float, name, &[value]);
    }
}

fn default_rgb(draft: &mut Draft<'_>, name: &str, value: f32) {
    if !draft.has(name) {
        draft.push_floats(Rgb, name, &[value; 3]);
    }
}

/// Roughness where none is given, neither along u nor along v.
fn default_roughness(draft: &mut Draft<'_>, value: f32) {
    if !(draft.has("uroughness") && draft.has("vroughness")) {
        default_float(draft, "roughness", value);
    }
}

/// Takes a colour away that does nothing if it is `neutral`; otherwise says so.
fn drop_colour(draft: &mut Draft<'_>, name: &str, neutral: f32) -> bool {
    let is_neutral = draft.grey(name) == Some(neutral);
    if is_neutral {
        draft.remove(name);
    } else {
        draft.remove_loudly(name, "");
    }
    is_neutral
}

fn matte(draft: &mut Draft<'_>) -> &'static str {
    draft.rename("Kd", "reflectance");
    match draft.float("sigma") {
        Some(0.0) => {
            draft.remove("sigma");
        }
        _ => draft.remove_loudly("sigma", "version 4 has no rough diffuse material"),
    }
    "diffuse"
}

/// The coat of plastic is always white in version 4.
fn coat(draft: &mut Draft<'_>) -> &'static str {
    if drop_colour(draft, "Ks", 0.0) {
        for name in ["roughness", "uroughness", "vroughness", "remaproughness", "eta"] {
            draft.remove(name);
        }
        return "diffuse";
    }
    default_roughness(draft, 0.1);
    "coateddiffuse"
}

fn plastic(draft: &mut Draft<'_>) -> &'static str {
    draft.rename("Kd", "reflectance");
    default_rgb(draft, "reflectance", 0.25);
    // Version 3 looks at that of both alone.
    draft.remove("uroughness");
    draft.remove("vroughness");
    coat(draft)
}

fn substrate(draft: &mut Draft<'_>) -> &'static str {
    draft.rename("Kd", "reflectance");
    // Version 3 looks at that along u and v alone.
    draft.remove("roughness");
    drop_colour(draft, "Ks", 1.0);
    default_roughness(draft, 0.1);
    "coateddiffuse"
}

fn index_to_eta(draft: &mut Draft<'_>) {
    if draft.has("eta") {
        // Version 3 looks at "eta" first.
        draft.remove("index");
    }
    draft.rename("index", "eta");
}

fn uber(draft: &mut Draft<'_>) -> &'static str {
    index_to_eta(draft);
    draft.rename("Kd", "reflectance");
    default_rgb(draft, "reflectance", 0.25);
    drop_colour(draft, "Kr", 0.0);
    drop_colour(draft, "Kt", 0.0);
    if draft.grey("opacity") == Some(1.0) {
        draft.remove("opacity");
    } else if let Some(at) = draft.find("opacity").map(|opacity| opacity.at) {
        draft.remove("opacity");
        let hint = "give \"alpha\" to the shapes of this material";
        draft.error(at, "\"opacity\" of a material has no counterpart", hint);
    }
    coat(draft)
}

fn glass(draft: &mut Draft<'_>) -> &'static str {
    index_to_eta(draft);
    // Version 3 looks at that along u and v alone.
    draft.remove("roughness");
    drop_colour(draft, "Kr", 1.0);
    drop_colour(draft, "Kt", 1.0);
    "dielectric"
}

fn metal(draft: &mut Draft<'_>) -> &'static str {
    default_roughness(draft, 0.01);
    "conductor"
}

/// Silver, where no colour is given.
fn mirror(draft: &mut Draft<'_>) -> &'static str {
    if !draft.has("Kr") {
        draft.push_strings(Spectrum, "k", &[b"metal-Ag-k"]);
        draft.push_strings(Spectrum, "eta", &[b"metal-Ag-eta"]);
    }
    draft.rename("Kr", "reflectance");
    for name in ["roughness", "uroughness", "vroughness"] {
        draft.remove(name);
    }
    draft.push_floats(Float, "roughness", &[0.0]);
    "conductor"
}

/// Light that is thrown back and let through, each a share of the colour.
fn translucent(draft: &mut Draft<'_>) -> &'static str {
    drop_colour(draft, "Ks", 0.0);
    draft.remove("roughness");
    draft.remove("remaproughness");
    default_rgb(draft, "Kd", 0.25);
    default_rgb(draft, "reflect", 0.5);
    default_rgb(draft, "transmit", 0.5);
    let colours = (draft.rgb("Kd"), draft.rgb("reflect"), draft.rgb("transmit"));
    let shares = (draft.grey("reflect"), draft.grey("transmit"));
    match (colours, shares, draft.texture("Kd")) {
        ((Some(kd), Some(reflect), Some(transmit)), ..) => {
            let product = |share: [f32; 3]| [kd[0] * share[0], kd[1] * share[1], kd[2] * share[2]];
            draft.push_floats(Rgb, "transmittance", &product(transmit));
            draft.push_floats(Rgb, "reflectance", &product(reflect));
            draft.remove("Kd");
        }
        (_, (Some(reflect), Some(transmit)), Some(texture)) => {
            draft.remove("Kd");
            let kind = crate::pbrt::ParameterType::Texture;
            for (name, share) in [("transmittance", transmit), ("reflectance", reflect)] {
                if share > 0.0 {
                    draft.push_strings(kind, name, &[&texture]);
                } else {
                    draft.push_floats(Rgb, name, &[0.0; 3]);
                }
            }
            if reflect > 0.0 && transmit > 0.0 && reflect != transmit {
                let message =
                    "\"reflect\" and \"transmit\" differ: the larger one is taken for both";
                draft.warning(draft.at, message, "");
            }
            draft.push_floats(Float, "scale", &[reflect.max(transmit)]);
        }
        _ => {
            draft.rename("Kd", "transmittance");
            let message = "\"reflect\" and \"transmit\" are left out: they are no plain colours";
            draft.warning(draft.at, message, "");
        }
    }
    draft.remove("reflect");
    draft.remove("transmit");
    "diffusetransmission"
}

fn mix(draft: &mut Draft<'_>, names: &UpgradeNames) -> &'static str {
    if let Some(rgb) = draft.rgb("amount") {
        let at = draft.find("amount").map_or(draft.at, |amount| amount.at);
        let mean = (rgb[0] + rgb[1] + rgb[2]) / 3.0;
        let value = draft.grey("amount").unwrap_or(mean);
        if draft.grey("amount").is_none() {
            draft.warning(at, format!("the colour \"amount\" becomes its mean, {mean}"), "");
        }
        draft.remove("amount");
        draft.push_floats(Float, "amount", &[value]);
    } else if let Some(texture) = draft.texture("amount") {
        let is_float = names.is_known(NamedKind::FloatTexture, &texture);
        if !is_float && names.is_known(NamedKind::SpectrumTexture, &texture) {
            let hint = "make a texture of type \"float\"";
            draft.error(draft.at, "\"amount\" is a texture of colours, not numbers", hint);
        }
    } else {
        draft.remove_loudly("amount", "write \"float amount\"");
    }
    let (one, other) = (draft.string("namedmaterial1"), draft.string("namedmaterial2"));
    match (one, other) {
        (Some(one), Some(other)) => {
            let (one, other) =
                (names.used(NamedKind::Material, &one), names.used(NamedKind::Material, &other));
            draft.remove("namedmaterial1");
            draft.remove("namedmaterial2");
            // The amount is that of the first in version 3, of the second in version 4.
            draft.push_strings(String, "materials", &[&other, &one]);
        }
        _ if !draft.has("materials") => {
            let message = "the mix has no \"namedmaterial1\" or \"namedmaterial2\"";
            draft.error(draft.at, message, "");
        }
        _ => {}
    }
    "mix"
}

fn hair(draft: &mut Draft<'_>) -> &'static str {
    draft.remove("displacement");
    draft.rename("color", "reflectance");
    "hair"
}

fn disney(draft: &mut Draft<'_>) -> &'static str {
    draft.rename("color", "reflectance");
    "diffuse"
}

fn subsurface(draft: &mut Draft<'_>) -> &'static str {
    draft.remove("roughness");
    drop_colour(draft, "Kr", 1.0);
    drop_colour(draft, "Kt", 1.0);
    let (absorbs, scatters) = (draft.has("sigma_a"), draft.has("sigma_s"));
    if draft.has("name") {
        // In version 3 coefficients go before a name, in version 4 the name before them.
        name_or_coefficients(draft, "name");
        return "subsurface";
    }
    if absorbs && !scatters {
        draft.push_floats(Rgb, "sigma_s", &[2.55, 3.21, 3.77]);
    }
    if scatters && !absorbs {
        draft.push_floats(Rgb, "sigma_a", &[0.0011, 0.0024, 0.014]);
    }
    "subsurface"
}

/// Of a known medium and coefficients one can stay.
pub(super) fn name_or_coefficients(draft: &mut Draft<'_>, name: &str) {
    if draft.has("sigma_a") && draft.has("sigma_s") {
        draft.remove(name);
    } else {
        let hint = "give both \"sigma_a\" and \"sigma_s\"";
        draft.remove_loudly("sigma_a", hint);
        draft.remove_loudly("sigma_s", hint);
    }
}

fn kd_subsurface(draft: &mut Draft<'_>) -> &'static str {
    draft.remove("roughness");
    drop_colour(draft, "Kr", 1.0);
    drop_colour(draft, "Kt", 1.0);
    draft.rename("Kd", "reflectance");
    default_rgb(draft, "reflectance", 0.5);
    "subsurface"
}
