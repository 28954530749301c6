//! Looking up the values of entities.

use super::{Entity, NONE, Scene};
use crate::pbrt::{Parameter, Statements, Values};
use std::collections::HashSet;

impl Scene {
    /// The class of an entity, such as `trianglemesh`.
    pub fn class(&self, entity: &Entity) -> &[u8] {
        self.kept[entity.kept as usize].text(entity.class)
    }

    /// The parameters of an entity with what their values lie in: its own, then those that
    /// `Attribute` added, the latest first; those of one statement from its last to its first. Of a
    /// name the first counts, as in pbrt.
    pub fn parameters(&self, entity: &Entity) -> impl Iterator<Item = (&Statements, &Parameter)> {
        self.placed(entity).map(|(_, kept, parameter)| (kept, parameter))
    }

    /// The parameters with the entities that they were given with.
    pub(super) fn placed(
        &self,
        entity: &Entity,
    ) -> impl Iterator<Item = (Entity, &Statements, &Parameter)> {
        let mut next = Some(*entity);
        let levels = std::iter::from_fn(move || {
            let level = next?;
            next = match level.inherited {
                NONE => None,
                i => Some(self.attributes[i as usize]),
            };
            Some(level)
        });
        levels.flat_map(move |level| {
            let kept = &self.kept[level.kept as usize];
            kept.parameters[level.parameters.range()].iter().rev().map(move |p| (level, kept, p))
        })
    }

    /// The parameter of this name.
    pub fn parameter(&self, entity: &Entity, name: &str) -> Option<(&Statements, &Parameter)> {
        self.parameters(entity).find(|(kept, p)| kept.text(p.name) == name.as_bytes())
    }

    /// Whether a material only bounds media, so that nothing of it is seen.
    pub(crate) fn is_unseen(&self, material: &Entity) -> bool {
        matches!(self.class(material), b"interface" | b"none" | b"")
    }

    /// The file of a `plymesh`, as the scene calls it.
    pub fn mesh_file(&self, entity: &Entity) -> Option<&[u8]> {
        (self.class(entity) == b"plymesh").then(|| self.string(entity, "filename")).flatten()
    }

    /// The files of all meshes, each once, in the order of the shapes.
    pub fn mesh_files(&self) -> Vec<&[u8]> {
        let mut known = HashSet::new();
        let files = self.shapes.iter().filter_map(|shape| self.mesh_file(&shape.entity));
        files.filter(|file| known.insert(*file)).collect()
    }

    /// Numbers of a parameter; `None` where it has others or is not there.
    pub fn floats(&self, entity: &Entity, name: &str) -> Option<&[f32]> {
        match self.parameter(entity, name)? {
            (kept, Parameter { values: Values::Floats(span), .. }) => {
                Some(&kept.floats[span.range()])
            }
            _ => None,
        }
    }

    /// The first number of a parameter.
    pub fn float(&self, entity: &Entity, name: &str) -> Option<f32> {
        self.floats(entity, name)?.first().copied()
    }

    /// Points or vectors of a parameter; numbers at the end that make none are left out.
    pub fn points(&self, entity: &Entity, name: &str) -> Option<&[[f32; 3]]> {
        Some(self.floats(entity, name)?.as_chunks().0)
    }

    /// Whole numbers of a parameter.
    pub fn integers(&self, entity: &Entity, name: &str) -> Option<&[i32]> {
        match self.parameter(entity, name)? {
            (kept, Parameter { values: Values::Integers(span), .. }) => {
                Some(&kept.integers[span.range()])
            }
            _ => None,
        }
    }

    /// The first whole number of a parameter.
    pub fn integer(&self, entity: &Entity, name: &str) -> Option<i32> {
        self.integers(entity, name)?.first().copied()
    }

    /// The truth value of a parameter.
    pub fn bool(&self, entity: &Entity, name: &str) -> Option<bool> {
        match self.parameter(entity, name)? {
            (kept, Parameter { values: Values::Bools(span), .. }) => {
                Some(*kept.integers[span.range()].first()? != 0)
            }
            _ => None,
        }
    }

    /// The first string of a parameter: text, the name of a texture, or of a spectrum.
    pub fn string(&self, entity: &Entity, name: &str) -> Option<&[u8]> {
        let (kept, parameter) = self.parameter(entity, name)?;
        kept.string(parameter.values, 0)
    }
}
