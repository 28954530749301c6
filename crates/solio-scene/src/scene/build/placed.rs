//! Instances in blocks of their own, the many lines of large scenes, without a state for each.

use super::{SceneBuilder, index};
use crate::pbrt::word::is_same;
use crate::pbrt::{Directive, Statement, Statements, Values};
use crate::scene::definitions::NameKind;
use crate::scene::lines::LineCounter;
use crate::scene::model::{NONE, Object};
use crate::scene::state::Ends;
use crate::scene::transform::{columns, upper_rows};
use glam::DMat4;
use solio_base::Result;

/// Statements of such a block.
pub(super) const BLOCK: usize = 4;

/// Objects of instances before: the next is often of one of them.
pub(super) struct RecentObjects([u32; 64]);

impl Default for RecentObjects {
    fn default() -> Self {
        RecentObjects([NONE; 64])
    }
}

impl RecentObjects {
    /// Where an object of this name is, if it is here.
    fn slot(&mut self, name: &[u8]) -> &mut u32 {
        let last = match (name.last_chunk::<8>(), name.last_chunk::<4>()) {
            (Some(last), _) => u64::from_le_bytes(*last),
            (None, Some(last)) => u32::from_le_bytes(*last).into(),
            _ => name.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
        };
        &mut self.0[(last.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize]
    }
}

impl SceneBuilder {
    /// Follows a block that places an object, and nothing else: `AttributeBegin`, a matrix,
    /// `ObjectInstance`, `AttributeEnd`. Says whether these statements are one, and nothing is to be
    /// said of them; otherwise nothing is done.
    #[inline]
    pub(super) fn placed(
        &mut self,
        piece: &Statements,
        block: &[Statement; BLOCK],
        lines: &mut LineCounter<'_>,
    ) -> Result<bool> {
        use Directive::{AttributeBegin, AttributeEnd, ConcatTransform, ObjectInstance, Transform};
        let directives = block.each_ref().map(|statement| statement.directive);
        let [AttributeBegin, Transform | ConcatTransform, ObjectInstance, AttributeEnd] =
            directives
        else {
            return Ok(false);
        };
        let [_, transform, instance, _] = block;
        let state = &self.state;
        if !self.in_world
            || self.object.is_some()
            || self.ended.is_some()
            || self.checks.checks()
            || self.blocks.len() >= super::MOST_BLOCKS
            || state.end.is_some()
            || state.ends != Ends::All
        {
            return Ok(false);
        }
        let Values::Floats(span) = transform.values else { return Ok(false) };
        let Ok(values) = <&[f32; 16]>::try_from(&piece.floats[span.range()]) else {
            return Ok(false);
        };
        let matrix = if transform.directive == Transform || state.start == DMat4::IDENTITY {
            // The same as over doubles, which hold every float.
            let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _] = *values;
            [a, d, g, x, b, e, h, y, c, f, i, z]
        } else {
            upper_rows(&(state.start * columns(values)))
        };
        let name = piece.string(instance.values, 0).unwrap_or_default();
        self.add_instance(name, matrix, instance.at, lines)?;
        Ok(true)
    }

    /// Places the object of this name; says as which instance.
    #[inline]
    pub(super) fn add_instance(
        &mut self,
        name: &[u8],
        matrix: [f32; 12],
        at: u64,
        lines: &mut LineCounter<'_>,
    ) -> Result<u32> {
        let recent = *self.recent_objects.slot(name);
        let object = match self.scene.objects.get(recent as usize) {
            Some(known) if is_same(&known.name, name) => recent,
            _ => self.object_of(name)?,
        };
        let known = &mut self.scene.objects[object as usize];
        if object != recent && known.name == name {
            // One that was defined again has another name, which may be meant for another.
            *self.recent_objects.slot(name) = object;
        }
        known.instances += 1;
        // Lines are counted where they are needed alone.
        if known.first_use.is_none() {
            known.first_use = Some(lines.place(at));
        }
        let to = &mut self.scene.instances;
        let number = index(to.objects.len())?;
        let file = lines.file();
        if to.files.last().is_none_or(|(_, last)| *last != file) {
            to.files.push((number, file));
        }
        to.objects.push(object);
        to.matrices.push(matrix);
        to.places.push(at);
        Ok(number)
    }

    /// The number of the object of this name.
    pub(super) fn object_of(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(known) = self.names.get(NameKind::Object, name) {
            return Ok(known.number);
        }
        let number = index(self.scene.objects.len())?;
        let name = self.names.add(NameKind::Object, name, number);
        let object = Object { name, defined: None, first_use: None, shapes: 0..0, instances: 0 };
        self.scene.objects.push(object);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{NoFiles, Scene, SceneOptions, read_scene};
    use proptest::prelude::*;
    use solio_base::Work;
    use std::path::Path;

    fn scene(text: &str, check: bool, version: Option<u32>) -> Scene {
        let options = SceneOptions { check, version, ..SceneOptions::default() };
        let source = &text.as_bytes();
        read_scene(source, Path::new("a.pbrt"), &NoFiles, &options, &Work::serial()).unwrap()
    }

    proptest! {
        /// A scene that is checked is followed statement by statement.
        #[test]
        fn blocks_do_what_their_statements_do(
            words in prop::collection::vec(prop_oneof![
                8 => Just("AttributeBegin Transform [-0 2 3 4 5 6 7 8 9 10 11 12 13 14 15 .1] ObjectInstance \"a\" AttributeEnd"),
                4 => Just("AttributeBegin ConcatTransform [2 0 0 0 0 .3 0 0 0 0 1 0 1 2 3 1] ObjectInstance \"b\" AttributeEnd"),
                4 => Just("AttributeBegin Transform [1e38 0 0 0 0 1e-45 0 0 0 0 1e99 0 0 0 0 1] ObjectInstance \"a-2\" AttributeEnd"),
                2 => Just("AttributeBegin"), 2 => Just("AttributeEnd"), 2 => Just("Rotate 30 1 2 3"),
                2 => Just("ObjectInstance \"tree of long name\""), 1 => Just("ObjectBegin \"a\""),
                1 => Just("ObjectBegin \"b\""), 2 => Just("ObjectEnd"), 1 => Just("Translate 1 2 3"),
                1 => Just("ActiveTransform StartTime"), 1 => Just("ActiveTransform All"),
                1 => Just("Shape \"sphere\""), 1 => Just("WorldBegin"), 1 => Just("WorldEnd"),
            ], 0..40),
            version in prop_oneof![Just(None), Just(Some(3)), Just(Some(4))],
        ) {
            let text = format!("WorldBegin\n{}", words.join("\n"));
            let (soon, plain) = (scene(&text, false, version), scene(&text, true, version));
            prop_assert_eq!(format!("{:?}", soon.instances), format!("{:?}", plain.instances));
            prop_assert_eq!(format!("{:?}", soon.objects), format!("{:?}", plain.objects));
            prop_assert_eq!(format!("{:?}", soon.shapes), format!("{:?}", plain.shapes));
            prop_assert_eq!(&soon.matrices, &plain.matrices);
            prop_assert_eq!(soon.directives, plain.directives);
            // The table alone tells of a word that version 4 does not have.
            let told = plain.problems.iter().filter(|error| !error.message().contains("no WorldEnd"));
            let (told, soon) = (format!("{:?}", told.collect::<Vec<_>>()), format!("{:?}", soon.problems));
            prop_assert_eq!(soon, told);
        }
    }
}
