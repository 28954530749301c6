//! Names, and what they stand for.
//!
//! Version 3 takes a name that is defined again anew: what follows means the last definition, of
//! textures and materials in the same block or one around it. In the scene later definitions have a
//! number behind their name, as after an upgrade, so that each name means one thing.

use super::Scene;
use crate::pbrt::schema::{Version, texture_of_floats};
use crate::pbrt::{ParameterType, Statement, Statements, Values};
use foldhash::fast::FixedState;
use std::collections::{HashMap, HashSet};

/// What has names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NameKind {
    FloatTexture,
    SpectrumTexture,
    Material,
    Medium,
    Object,
}

impl NameKind {
    pub(super) fn texture(is_spectrum: bool) -> NameKind {
        if is_spectrum { NameKind::SpectrumTexture } else { NameKind::FloatTexture }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            NameKind::FloatTexture | NameKind::SpectrumTexture => "texture",
            NameKind::Material => "material",
            NameKind::Medium => "medium",
            NameKind::Object => "object",
        }
    }

    /// Whether the end of a block gives the names back that held before it.
    fn is_of_blocks(self) -> bool {
        !matches!(self, NameKind::Medium | NameKind::Object)
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) struct NameMeaning {
    pub(super) number: u32,
    /// Whether the block of its definition goes on. Behind it the name is known still, where version 3
    /// says that it is none and takes what holds without it.
    pub(super) is_open: bool,
}

#[derive(Default)]
struct OfKind {
    known: HashMap<Box<[u8]>, NameMeaning, FixedState>,
    /// How often names were defined again.
    again: HashMap<Box<[u8]>, u64, FixedState>,
    /// Names that were made here.
    made: HashSet<Box<[u8]>, FixedState>,
}

#[derive(Default)]
pub(super) struct SceneNames {
    kinds: [OfKind; 5],
    /// What definitions in open blocks have hidden.
    hidden: Vec<(NameKind, Box<[u8]>, Option<NameMeaning>)>,
}

impl SceneNames {
    pub(super) fn get(&self, what: NameKind, name: &[u8]) -> Option<NameMeaning> {
        self.kinds[what as usize].known.get(name).copied()
    }

    /// Lets a name stand for `number` from now on. Returns the name that it has in the scene.
    pub(super) fn add(&mut self, what: NameKind, name: &[u8], number: u32) -> Vec<u8> {
        let OfKind { known, again, made } = &mut self.kinds[what as usize];
        let mut own = name.to_vec();
        if let Some(count) = again.get(name) {
            own.extend(format!("-{}", count + 1).bytes());
        }
        while made.contains(&own[..]) || (own != name && known.contains_key(&own[..])) {
            own.push(b'+');
        }
        if own != name {
            made.insert(own[..].into());
        }
        known.insert(name.into(), NameMeaning { number, is_open: true });
        own
    }

    /// Before a definition of version 3: what was defined under its name is hidden.
    pub(super) fn hide(
        &mut self,
        what: NameKind,
        name: &[u8],
        is_defined: bool,
        is_in_block: bool,
    ) {
        let OfKind { known, again, .. } = &mut self.kinds[what as usize];
        let mut before = None;
        if is_defined {
            *again.entry(name.into()).or_default() += 1;
            before = known.remove(name);
        }
        if is_in_block && what.is_of_blocks() {
            self.hidden.push((what, name.into(), before));
        }
    }

    /// How much is hidden.
    pub(super) fn hidden(&self) -> usize {
        self.hidden.len()
    }

    /// At the end of a block: what was hidden since there was so much comes back.
    pub(super) fn give_back(&mut self, hidden: usize) {
        for (what, name, before) in self.hidden.drain(hidden.min(self.hidden.len())..).rev() {
            let known = &mut self.kinds[what as usize].known;
            match before {
                Some(before) => drop(known.insert(name, before)),
                None => {
                    known.entry(name).and_modify(|known| known.is_open = false);
                }
            }
        }
    }

    /// Forgets all but media.
    pub(super) fn forget_early(&mut self) {
        let media = std::mem::take(&mut self.kinds[NameKind::Medium as usize]);
        *self = SceneNames::default();
        self.kinds[NameKind::Medium as usize] = media;
    }

    /// What parameters of a statement call otherwise than the scene does: the parameter, the string
    /// in it, and the name in the scene.
    pub(super) fn renamed<'s>(
        &self,
        scene: &'s Scene,
        piece: &Statements,
        statement: &Statement,
    ) -> Vec<(usize, usize, &'s [u8])> {
        let mut renamed = Vec::new();
        let usual = [NameKind::FloatTexture, NameKind::SpectrumTexture, NameKind::Material];
        if usual.iter().all(|what| self.kinds[*what as usize].made.is_empty()) {
            return renamed;
        }
        let parameters = &piece.parameters[statement.parameters.range()];
        for (i, parameter) in parameters.iter().enumerate() {
            let Values::Strings(span) = parameter.values else { continue };
            let name = piece.text(parameter.name);
            let kinds = match parameter.kind {
                ParameterType::Texture => {
                    let floats = texture_of_floats(piece, statement, parameter, Version::V3);
                    // Where the one type is not there, the other counts.
                    let is_spectrum = floats != Some(true);
                    [NameKind::texture(is_spectrum), NameKind::texture(!is_spectrum)]
                }
                _ if matches!(name, b"namedmaterial1" | b"namedmaterial2") => {
                    [NameKind::Material; 2]
                }
                _ => continue,
            };
            for (j, string) in piece.strings[span.range()].iter().enumerate() {
                let name = piece.text(*string);
                let found = kinds.iter().find_map(|what| Some((*what, self.get(*what, name)?)));
                let Some((what, NameMeaning { number, .. })) = found else { continue };
                let own = match what {
                    NameKind::Material => &scene.materials[number as usize].name[..],
                    _ => &scene.textures[number as usize].name[..],
                };
                if own != name {
                    renamed.push((i, j, own));
                }
            }
        }
        renamed
    }
}
