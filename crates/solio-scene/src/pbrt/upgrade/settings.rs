//! Cameras, films, samplers, filters, integrators, accelerators; media.

use super::draft::Draft;
use super::unique_names::UpgradeNames;
use crate::pbrt::Directive;
use crate::pbrt::ParameterType::{Float, Rgb, String};

/// What stands before `WorldBegin`.
pub(super) fn setting(draft: &mut Draft<'_>, directive: Directive) {
    let old = std::string::String::from_utf8_lossy(draft.argument(0)).into_owned();
    let new = match directive {
        Directive::Camera => camera(draft, &old),
        Directive::Film => film(draft, &old),
        Directive::Sampler => sampler(draft, &old),
        Directive::PixelFilter => filter(draft, &old),
        Directive::Integrator => integrator(draft, &old),
        _ => &old,
    };
    if new != old {
        draft.set_argument(0, new.as_bytes());
    }
    super::fit(draft, &UpgradeNames::default(), directive, new);
}

fn camera<'n>(draft: &mut Draft<'_>, name: &'n str) -> &'n str {
    if let Some(half) = draft.float("halffov").filter(|half| *half > 0.0) {
        draft.remove("fov");
        draft.push_floats(Float, "fov", &[2.0 * half]);
    }
    draft.remove("halffov");
    draft.remove("simpleweighting");
    if name == "environment" {
        draft.push_strings(String, "mapping", &[b"equirectangular"]);
        return "spherical";
    }
    name
}

fn film<'n>(draft: &mut Draft<'_>, name: &'n str) -> &'n str {
    draft.rename("maxsampleluminance", "maxcomponentvalue");
    if let Some(scale) = draft.float("scale") {
        draft.remove("scale");
        draft.push_floats(Float, "iso", &[100.0 * scale]);
    }
    if name == "image" { "rgb" } else { name }
}

fn sampler<'n>(draft: &mut Draft<'_>, name: &'n str) -> &'n str {
    draft.remove("dimensions");
    match draft.bool("samplepixelcenter") {
        Some(true) => {
            let hint = "write Option \"disablepixeljitter\" true";
            draft.remove_loudly("samplepixelcenter", hint);
        }
        _ => {
            draft.remove("samplepixelcenter");
        }
    }
    match name {
        "lowdiscrepancy" | "02sequence" => "paddedsobol",
        "maxmindist" => "pmj02bn",
        "random" => "independent",
        other => other,
    }
}

fn filter<'n>(draft: &mut Draft<'_>, name: &'n str) -> &'n str {
    let is_old = !draft.has("xradius") && !draft.has("yradius") && !draft.has("sigma");
    if name == "gaussian" && is_old {
        for width in ["xwidth", "ywidth"] {
            if !draft.has(width) {
                draft.push_floats(Float, width, &[2.0]);
            }
        }
        gaussian(draft);
    }
    draft.rename("xwidth", "xradius");
    draft.rename("ywidth", "yradius");
    name
}

/// The width of a Gaussian by its deviation instead of by its exponent.
fn gaussian(draft: &mut Draft<'_>) {
    let at = draft.find("alpha").map(|parameter| parameter.at);
    let (Some(alpha), Some(at)) = (draft.float("alpha"), at) else { return };
    draft.remove("alpha");
    if alpha > 0.0 {
        draft.push_floats(Float, "sigma", &[(1.0 / (2.0 * alpha)).sqrt()]);
    } else {
        let message = "in version 3 a filter of this \"alpha\" lets nothing through";
        draft.warning(at, message, "version 4 takes its usual \"sigma\" instead");
    }
}

fn integrator<'n>(draft: &mut Draft<'_>, name: &'n str) -> &'n str {
    draft.remove("rrthreshold");
    draft.remove("imagewritefrequency");
    for name in ["numiterations", "iterations", "nsamples"] {
        draft.remove_loudly(name, "write \"integer pixelsamples\" of the Sampler");
    }
    draft.remove_loudly("pixelbounds", "write it to the Film");
    if let Some(strategy) = draft.string("lightsamplestrategy") {
        draft.remove("lightsamplestrategy");
        if matches!(name, "path" | "volpath") {
            let sampler = if strategy == b"spatial" { b"bvh" } else { &strategy[..] };
            draft.push_strings(String, "lightsampler", &[sampler]);
        }
    }
    match name {
        "directlighting" => {
            draft.remove("strategy");
            draft.remove("maxdepth");
            draft.push_integer("maxdepth", 1);
            "path"
        }
        "whitted" => {
            let message = "the integrator \"whitted\" becomes \"path\"";
            draft.warning(draft.at, message, "");
            "path"
        }
        other => other,
    }
}

/// `MakeNamedMedium`.
pub(super) fn medium(draft: &mut Draft<'_>) {
    let old = draft.string("type").unwrap_or_default();
    let is_grid = old == b"heterogeneous";
    if is_grid {
        draft.remove("type");
        draft.push_strings(String, "type", &[b"uniformgrid"]);
    }
    if is_grid || old == b"homogeneous" {
        if is_grid {
            draft.remove_loudly("preset", "write \"sigma_a\" and \"sigma_s\"");
        }
        if draft.has("preset") {
            super::materials::name_or_coefficients(draft, "preset");
        }
        if !draft.has("preset") {
            for (name, value) in
                [("sigma_s", [2.55, 3.21, 3.77]), ("sigma_a", [0.0011, 0.0024, 0.014])]
            {
                if !draft.has(name) {
                    draft.push_floats(Rgb, name, &value);
                }
            }
        }
    }
    let new =
        if is_grid { "uniformgrid".into() } else { std::string::String::from_utf8_lossy(&old) };
    super::fit(draft, &UpgradeNames::default(), Directive::MakeNamedMedium, &new);
}
