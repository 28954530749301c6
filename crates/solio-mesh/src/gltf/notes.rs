//! What of a document is not read, gathered while it is.

use super::document::Document;
use crate::odd::tolerate;
use solio_base::{Error, Losses, Result};
use std::collections::BTreeMap;

/// What the model has no place for, with counts.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Sentences that are told as they are.
    pub(super) odd: Vec<String>,
    pub(super) skinned: usize,
    /// Nodes with meshes that the scene does not draw.
    pub(super) undrawn: usize,
    pub(super) other_scenes: usize,
    pub(super) targets: usize,
    /// Primitives that cannot be drawn, and why.
    pub(super) empty: usize,
    /// Primitives of splats whose colours are linear light, and others.
    pub(super) linear_splats: usize,
    pub(super) displayed_splats: usize,
    /// What one mesh says otherwise than the many that it was.
    pub(super) joined: Losses,
    /// Lines for the comments.
    pub(super) comments: Vec<String>,
    /// Things that are left out, by what they are called, with how many have them.
    pub(super) left: BTreeMap<String, usize>,
}

impl Notes {
    /// One more of what is left out.
    pub(super) fn leave(&mut self, what: impl Into<String>) {
        *self.left.entry(what.into()).or_default() += 1;
    }

    /// The warnings; a strict reader refuses the first.
    pub(super) fn into_warnings(self, document: &Document, strict: bool) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        let mut tell =
            |message: String| tolerate(Error::unsupported(message), strict, &mut warnings);
        for odd in self.odd {
            tell(odd)?;
        }
        let lights = document.extensions.lights.as_ref().map_or(0, |lights| lights.lights.len());
        let counts = [
            (document.animations.len(), "animation", "animations"),
            (document.skins.len(), "skin", "skins"),
            (self.targets, "morph target", "morph targets"),
            (document.cameras.len(), "camera", "cameras"),
            (lights, "light", "lights"),
            (
                self.other_scenes,
                "scene besides the one that is shown",
                "scenes besides the one that is shown",
            ),
            (
                self.undrawn,
                "node with a mesh that the scene does not draw",
                "nodes with meshes that the scene does not draw",
            ),
            (self.empty, "primitive without positions", "primitives without positions"),
            (
                usize::from(document.extensions.variants.is_some()),
                "set of material variants",
                "sets of material variants",
            ),
        ];
        for (count, one, many) in counts {
            if count > 0 {
                let what = if count == 1 { one } else { many };
                tell(format!("not read: {count} {what}"))?;
            }
        }
        if self.linear_splats > 0 && self.displayed_splats > 0 {
            tell(
                "splats of linear light are taken for such as are displayed, or the reverse: \
                  the file has both"
                    .into(),
            )?;
        }
        if self.skinned > 0 {
            tell(format!("meshes under skins are read in their rest pose: {}", self.skinned))?;
        }
        for (what, count) in self.left {
            tell(format!("not read: {what} ({count})"))?;
        }
        // Nothing of the file is passed over.
        warnings.extend(self.joined.iter().map(ToString::to_string));
        Ok(warnings)
    }
}
