//! Textures.

use super::draft::Draft;
use super::unique_names::{NamedKind, UpgradeNames};
use crate::pbrt::Directive;
use crate::pbrt::ParameterType::{Float, Rgb, String, Texture};

pub(super) fn texture(draft: &mut Draft<'_>, names: &mut UpgradeNames) {
    if draft.argument(1) == b"color" {
        draft.set_argument(1, b"spectrum");
    }
    let (what, prefix) = match draft.argument(1) {
        b"float" => (NamedKind::FloatTexture, "float"),
        _ => (NamedKind::SpectrumTexture, "spectrum"),
    };
    let class = std::string::String::from_utf8_lossy(draft.argument(2)).into_owned();
    match &class[..] {
        "imagemap" | "ptex" => image(draft),
        "scale" => scale(draft, names, what),
        "checkerboard" => {
            draft.remove("aamode");
        }
        "uv" | "fbm" | "wrinkled" | "windy" if what == NamedKind::SpectrumTexture => {
            let message = format!("a spectrum texture of class {class:?} has no counterpart");
            draft.error(draft.at, message, "");
        }
        _ => {}
    }
    super::fit(draft, names, Directive::Texture, &format!("{prefix}.{class}"));
    names.define_texture(what, draft);
}

fn image(draft: &mut Draft<'_>) {
    if let Some(trilinear) = draft.bool("trilinear") {
        draft.remove("trilinear");
        let filter: &[u8] = if trilinear { b"trilinear" } else { b"bilinear" };
        draft.push_strings(String, "filter", &[filter]);
    }
    if let Some(gamma) = draft.float("gamma").filter(|gamma| *gamma > 0.0) {
        draft.remove("gamma");
        draft.push_strings(String, "encoding", &[format!("gamma {gamma}").as_bytes()]);
    } else if let Some(gamma) = draft.bool("gamma") {
        draft.remove("gamma");
        draft.push_strings(String, "encoding", &[if gamma { b"sRGB" } else { b"linear" }]);
    }
}

/// A product: in version 4 one side of it is a number.
fn scale(draft: &mut Draft<'_>, names: &UpgradeNames, what: NamedKind) {
    if what == NamedKind::FloatTexture {
        draft.rename("tex1", "tex");
        draft.rename("tex2", "scale");
        return;
    }
    if let (Some(one), Some(two)) = (draft.rgb("tex1"), draft.rgb("tex2")) {
        draft.remove("tex1");
        draft.remove("tex2");
        draft.push_floats(Rgb, "tex", &[one[0] * two[0], one[1] * two[1], one[2] * two[2]]);
        return;
    }
    for (number, other) in [("tex2", "tex1"), ("tex1", "tex2")] {
        let grey = if draft.has(number) { draft.grey(number) } else { Some(1.0) };
        if let Some(grey) = grey {
            draft.remove(number);
            draft.rename(other, "tex");
            if grey != 1.0 {
                draft.push_floats(Float, "scale", &[grey]);
            }
            return;
        }
        let texture = draft.texture(number).filter(|t| names.is_known(NamedKind::FloatTexture, t));
        if let Some(texture) = texture.filter(|t| !names.is_known(NamedKind::SpectrumTexture, t)) {
            draft.remove(number);
            draft.rename(other, "tex");
            draft.push_strings(Texture, "scale", &[&texture]);
            return;
        }
    }
    let message = "both factors of the texture are colours: in version 4 one is a number";
    draft.error(draft.at, message, "");
}
