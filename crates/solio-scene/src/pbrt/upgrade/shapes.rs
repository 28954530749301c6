//! Shapes.

use super::draft::Draft;
use super::unique_names::UpgradeNames;
use crate::pbrt::Directive;
use crate::pbrt::ParameterType::{Float, Point2};

pub(super) fn shape(draft: &mut Draft<'_>, names: &UpgradeNames) {
    let class = String::from_utf8_lossy(draft.argument(0)).into_owned();
    match &class[..] {
        "cone" | "heightfield" | "hyperboloid" | "nurbs" | "paraboloid" => {
            let message = format!("the shape {class:?} has no counterpart");
            return draft.error(draft.at, message, "make a mesh of it");
        }
        "trianglemesh" => {
            // Version 3 takes the first of these that is there.
            let choices = [("uv", Point2), ("st", Point2), ("uv", Float), ("st", Float)];
            let chosen = choices.iter().find_map(|(name, kind)| {
                let found = draft.find(name).filter(|p| p.kind == *kind);
                found.copied()
            });
            draft.remove("st");
            draft.remove("uv");
            if let Some(mut chosen) = chosen {
                chosen.kind = Point2;
                let is_st = draft.name(&chosen) == b"st";
                draft.parameters.push(chosen);
                if is_st {
                    draft.rename("st", "uv");
                }
                draft.parameters.sort_by_key(|parameter| parameter.at);
            }
            draft.remove("discarddegenerateUVs");
        }
        "loopsubdiv" => draft.rename("nlevels", "levels"),
        "curve" => {
            if let Some(depth) = draft.float("splitdepth") {
                draft.remove("splitdepth");
                draft.push_integer("splitdepth", depth as i32);
            }
        }
        _ => {}
    }
    if matches!(&class[..], "trianglemesh" | "plymesh") {
        let alpha = (draft.texture("alpha"), draft.texture("shadowalpha"));
        if alpha.0 == alpha.1 {
            draft.remove("shadowalpha");
        } else {
            draft.remove_loudly("shadowalpha", "version 4 has \"alpha\" alone");
        }
    }
    super::fit(draft, names, Directive::Shape, &class);
}
