//! Parameters that version 4 does not look at because of others: it stops at them.

use crate::pbrt::Directive;

/// What of the other parameters counts here.
pub(crate) trait Others {
    /// Whether there is a parameter of this name.
    fn has(&self, name: &str) -> bool;
    /// The string of this name.
    fn string(&self, name: &str) -> Option<&[u8]>;
    /// The whole number of this name.
    fn integer(&self, name: &str) -> Option<i32>;
}

/// The parameters that this class of version 4 does not look at, whether they are there or not.
/// Textures have their type in front of their class, as in `float.imagemap`.
pub(crate) fn idle(directive: Directive, class: &str, others: &dyn Others) -> Vec<&'static str> {
    let mut idle = Vec::new();
    match directive {
        Directive::Material => {
            for [both, u, v] in [
                ["roughness", "uroughness", "vroughness"],
                ["interface.roughness", "interface.uroughness", "interface.vroughness"],
                ["conductor.roughness", "conductor.uroughness", "conductor.vroughness"],
            ] {
                if others.has(u) && others.has(v) {
                    idle.push(both);
                }
            }
            if class == "hair" && others.has("reflectance") {
                idle.push("color");
            }
            if class == "subsurface" {
                if others.has("name") {
                    idle.extend(["sigma_a", "sigma_s", "reflectance", "mfp"]);
                } else if others.has("sigma_a") || others.has("sigma_s") {
                    idle.extend(["reflectance", "mfp"]);
                } else if !others.has("reflectance") {
                    idle.push("mfp");
                }
            }
        }
        Directive::MakeNamedMedium => {
            let preset = others.string("preset");
            if class == "homogeneous" && preset.is_some_and(super::known_names::is_medium) {
                idle.extend(["sigma_a", "sigma_s"]);
            }
        }
        Directive::Texture => {
            let is_solid =
                class.ends_with(".checkerboard") && others.integer("dimension") == Some(3);
            let mapping = others.string("mapping").unwrap_or(b"uv");
            if is_solid {
                idle.push("mapping");
            }
            match mapping {
                _ if is_solid => idle.extend(["uscale", "vscale", "udelta", "vdelta", "v1", "v2"]),
                b"uv" => idle.extend(["v1", "v2"]),
                b"planar" => idle.extend(["uscale", "vscale"]),
                _ => idle.extend(["uscale", "vscale", "udelta", "vdelta", "v1", "v2"]),
            }
        }
        _ => {}
    }
    idle
}
