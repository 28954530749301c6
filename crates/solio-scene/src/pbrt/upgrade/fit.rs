//! What is left after an upgrade that version 4 would not take.

use super::draft::Draft;
use super::unique_names::{NamedKind, UpgradeNames};
use crate::pbrt::schema::{Fit, fit_of, idle};
use crate::pbrt::{Directive, ParameterType};

/// Makes parameters fit a class of version 4: takes away what it does not know or would not look at,
/// brings values into their range, and calls textures by their new names.
pub(super) fn fit(draft: &mut Draft<'_>, names: &UpgradeNames, directive: Directive, class: &str) {
    draft.drop_hidden();
    for name in idle(directive, class, draft) {
        draft.remove(name);
    }
    let mut i = 0;
    while i < draft.parameters.len() {
        let parameter = draft.parameters[i];
        let name = String::from_utf8_lossy(draft.name(&parameter)).into_owned();
        match fit_of(directive, class, draft.name(&parameter), parameter.kind) {
            Fit::NoClass => return,
            Fit::Type(..) if name == "type" => {}
            Fit::Unknown(silent) => {
                if name != "type" || directive == Directive::Texture {
                    draft.parameters.remove(i);
                    if !silent {
                        let message = format!("{name:?} has no counterpart and is left out");
                        draft.warning(parameter.at, message, "");
                    }
                    continue;
                }
            }
            Fit::Type(wanted) => {
                draft.parameters.remove(i);
                let is_texture = parameter.kind == ParameterType::Texture;
                let kind = parameter.kind.name();
                let message = format!("{name:?} is a {kind}, version 4 takes {wanted}; left out");
                if is_texture {
                    draft.error(parameter.at, message, "");
                } else {
                    draft.warning(parameter.at, message, "");
                }
                continue;
            }
            Fit::Colour { most } => colour(draft, i, &name, most),
            Fit::Texture { of_floats } => texture(draft, names, i, of_floats),
            Fit::Good => {}
        }
        i += 1;
    }
}

/// Version 4 stops at colours below 0, and at reflections above 1.
fn colour(draft: &mut Draft<'_>, i: usize, name: &str, most: f32) {
    let parameter = draft.parameters[i];
    match parameter.kind {
        ParameterType::Rgb => {
            let floats = draft.floats_mut(&parameter);
            let is_outside = floats.iter().any(|value| !(0.0..=most).contains(value));
            if is_outside {
                floats.iter_mut().for_each(|value| *value = value.clamp(0.0, most));
                let message = format!("the colour {name:?} is brought between 0 and {most}");
                draft.warning(parameter.at, message, "");
            }
        }
        ParameterType::Spectrum => {
            let (pairs, _) = draft.floats_mut(&parameter).as_chunks_mut::<2>();
            // Version 3 sorts them itself.
            pairs.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        _ => {}
    }
}

fn texture(draft: &mut Draft<'_>, names: &UpgradeNames, i: usize, of_floats: bool) {
    let Some(texture) = draft.texture_of(&draft.parameters[i]).map(<[u8]>::to_vec) else { return };
    let what = if of_floats { NamedKind::FloatTexture } else { NamedKind::SpectrumTexture };
    let own = names.used(what, &texture);
    if own != texture {
        draft.set_texture(i, &own);
    }
}
