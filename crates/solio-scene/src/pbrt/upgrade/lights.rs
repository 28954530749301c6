//! Lights.

use super::draft::Draft;
use super::unique_names::UpgradeNames;
use crate::pbrt::Directive;
use crate::pbrt::ParameterType::{Blackbody, Float, Rgb};

/// `LightSource` and `AreaLightSource`.
pub(super) fn light(draft: &mut Draft<'_>, directive: Directive) {
    let old = String::from_utf8_lossy(draft.argument(0)).into_owned();
    let new = match (directive, &old[..]) {
        (Directive::LightSource, "exinfinite") => "infinite",
        (Directive::AreaLightSource, "area") => "diffuse",
        _ => &old,
    };
    if new != old {
        draft.set_argument(0, new.as_bytes());
    }
    draft.remove("samples");
    draft.remove("nsamples");
    let mut scale = 1.0;
    colour_times_scale(draft);
    grey_to_scale(draft, "scale", &mut scale, "in version 4 \"scale\" is a number");
    if draft.has("mapname") {
        let colour = if new == "infinite" { "L" } else { "I" };
        if matches!(new, "infinite" | "projection") {
            let why = "version 4 takes a picture or a colour, not both";
            grey_to_scale(draft, colour, &mut scale, why);
        }
        if matches!(new, "infinite" | "goniometric") {
            let at = draft.find("mapname").map_or(draft.at, |name| name.at);
            let message = "the picture has to become one of equal areas";
            draft.warning(at, message, "imgtool makeequiarea of pbrt-v4 does it");
        }
    } else if new == "projection" && !draft.has("filename") {
        draft.error(draft.at, "a projection without a picture", "");
    }
    draft.rename("mapname", "filename");
    if new == "projection" && !draft.has("fov") {
        draft.push_floats(Float, "fov", &[45.0]);
    }
    black_body(draft, &mut scale);
    if scale != 1.0 {
        draft.push_floats(Float, "scale", &[scale]);
    }
    super::fit(draft, &UpgradeNames::default(), directive, new);
}

/// A factor for each component is multiplied into the colour of the light.
fn colour_times_scale(draft: &mut Draft<'_>) {
    let Some(factors) = draft.rgb("scale").filter(|_| draft.grey("scale").is_none()) else {
        return;
    };
    for name in ["I", "L"] {
        if let Some(rgb) = draft.rgb(name) {
            draft.remove(name);
            draft.remove("scale");
            let product = [rgb[0] * factors[0], rgb[1] * factors[1], rgb[2] * factors[2]];
            draft.push_floats(Rgb, name, &product);
            return;
        }
    }
}

/// A colour becomes a factor.
fn grey_to_scale(draft: &mut Draft<'_>, name: &str, scale: &mut f32, why: &str) {
    let Some(parameter) = draft.find(name).copied() else { return };
    match draft.float(name).or(draft.grey(name)) {
        Some(value) => *scale *= value,
        None => draft.error(parameter.at, format!("{name:?} is no grey colour"), why),
    }
    draft.remove(name);
}

/// Temperature and factor: the factor is one of the light.
fn black_body(draft: &mut Draft<'_>, scale: &mut f32) {
    for name in ["I", "L"] {
        let Some(parameter) = draft.find(name).copied() else { continue };
        if parameter.kind != Blackbody {
            continue;
        }
        let floats = draft.floats_of(&parameter).to_vec();
        match floats[..] {
            [temperature, factor] => {
                draft.remove(name);
                draft.push_floats(Blackbody, name, &[temperature]);
                *scale *= factor;
            }
            [_] => {}
            _ => draft.error(parameter.at, "several black bodies in one light", ""),
        }
    }
}
