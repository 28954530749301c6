//! Names that are defined more than once: version 3 takes the definition that came last in the
//! same block or one around it, version 4 takes none twice.

use super::draft::Draft;
use std::collections::{HashMap, HashSet};

/// What has names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NamedKind {
    FloatTexture,
    SpectrumTexture,
    Material,
    Object,
}

type NameKey = (NamedKind, Vec<u8>);

/// Names that were defined, and what they are called now.
#[derive(Debug, Default)]
pub(super) struct UpgradeNames {
    /// The definition that counts now, under the name of version 3.
    current: HashMap<NameKey, Vec<u8>>,
    /// All names of version 4.
    taken: HashSet<NameKey>,
    /// How often a name was defined.
    counts: HashMap<NameKey, u64>,
    /// Blocks that are open.
    depth: u64,
    /// What definitions in open blocks have hidden, and where blocks begin.
    hidden: Vec<HiddenName>,
}

#[derive(Debug)]
enum HiddenName {
    Begin,
    Name(NameKey, Option<Vec<u8>>),
}

impl UpgradeNames {
    pub(super) fn begin(&mut self) {
        self.depth += 1;
        self.hidden.push(HiddenName::Begin);
    }

    /// What was defined in the block is forgotten.
    pub(super) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        while let Some(HiddenName::Name(key, before)) = self.hidden.pop() {
            match before {
                Some(name) => self.current.insert(key, name),
                None => self.current.remove(&key),
            };
        }
    }

    /// The name in version 4 of what is defined now.
    pub(super) fn define(&mut self, what: NamedKind, name: &[u8]) -> Vec<u8> {
        let key = (what, name.to_vec());
        let count = self.counts.entry(key.clone()).or_default();
        let mut own = name.to_vec();
        if *count > 0 {
            own = [name, format!("-{}", *count + 1).as_bytes()].concat();
        }
        *count += 1;
        while !self.taken.insert((what, own.clone())) {
            own.push(b'+');
        }
        let before = self.current.insert(key.clone(), own.clone());
        // Objects belong to no block.
        if what != NamedKind::Object && self.depth > 0 {
            self.hidden.push(HiddenName::Name(key, before));
        }
        own
    }

    /// The name in version 4 of what is used now: as it is, where nothing of that name is known.
    pub(super) fn used(&self, what: NamedKind, name: &[u8]) -> Vec<u8> {
        self.current.get(&(what, name.to_vec())).cloned().unwrap_or_else(|| name.to_vec())
    }

    pub(super) fn is_known(&self, what: NamedKind, name: &[u8]) -> bool {
        self.current.contains_key(&(what, name.to_vec()))
    }

    fn define_argument(&mut self, what: NamedKind, draft: &mut Draft<'_>) {
        let name = draft.argument(0).to_vec();
        let own = self.define(what, &name);
        if own != name {
            draft.set_argument(0, &own);
        }
    }

    fn use_argument(&self, what: NamedKind, draft: &mut Draft<'_>) {
        let name = draft.argument(0).to_vec();
        let own = self.used(what, &name);
        if own != name {
            draft.set_argument(0, &own);
        }
    }

    pub(super) fn define_texture(&mut self, what: NamedKind, draft: &mut Draft<'_>) {
        self.define_argument(what, draft);
    }

    pub(super) fn define_material(&mut self, draft: &mut Draft<'_>) {
        self.define_argument(NamedKind::Material, draft);
    }

    pub(super) fn use_material(&self, draft: &mut Draft<'_>) {
        self.use_argument(NamedKind::Material, draft);
    }

    pub(super) fn define_object(&mut self, draft: &mut Draft<'_>) {
        self.define_argument(NamedKind::Object, draft);
    }

    pub(super) fn use_object(&self, draft: &mut Draft<'_>) {
        self.use_argument(NamedKind::Object, draft);
    }
}
