//! The end of a scene: what was only asked for is told, and shapes are put in order.

use super::{BlockOpener, SceneBuilder, in_order, quoted};
use crate::scene::definitions::NameKind;
use crate::scene::model::*;
use foldhash::fast::FixedState;
use solio_base::Error;
use std::collections::HashSet;

impl SceneBuilder {
    /// The scene, when all is read.
    pub(in crate::scene) fn finish(mut self) -> Scene {
        let open: Vec<(BlockOpener, Place)> =
            self.blocks.iter().map(|b| (b.0, b.2)).take(10).collect();
        for (block, place) in open {
            let what = match block {
                BlockOpener::Attributes => "AttributeBegin",
                BlockOpener::Transform => "TransformBegin",
                BlockOpener::Object => "ObjectBegin",
            };
            self.problem(Error::syntax(format!("{what} without an end")), place);
        }
        self.say_checked(true);
        self.say_too_early();
        self.say_undefined();
        self.say_textures();
        self.scene.kept = std::mem::take(&mut self.kept.all);
        self.put_out_unseen();
        self.scene.version = self.older.unwrap_or(self.scene.version);
        self.say_excess();
        self.sort_shapes();
        self.scene.named_files = self.checks.files.all;
        self.scene.problems = in_order(self.problems);
        self.scene.warnings = in_order(self.warnings);
        self.scene
    }

    /// What stands before the world, unless the text is a part of a scene, without one. pbrt-v4 stops
    /// there, pbrt-v3 goes on without it.
    fn say_too_early(&mut self) {
        if !self.in_world {
            return;
        }
        for (directive, place) in std::mem::take(&mut self.too_early) {
            let error = Error::syntax(format!("{} belongs behind WorldBegin", directive.name()));
            match self.scene.version {
                ..4 => self.warn(error, place),
                _ => self.problem(error, place),
            }
        }
    }

    fn say_undefined(&mut self) {
        let mut missing = Vec::new();
        for object in self.scene.objects.iter().filter(|object| object.defined.is_none()) {
            missing.push(("object", object.name.clone(), object.first_use));
        }
        let is_told = |kind, number: usize| self.undefined.contains(&(kind, number as u32));
        for (number, material) in self.scene.materials.iter().enumerate() {
            if material.entity.is_some() || is_told(NameKind::Material, number) {
                continue;
            }
            missing.push(("material", material.name.clone(), material.first_use));
        }
        for (number, medium) in self.scene.media.iter().enumerate() {
            if medium.entity.is_some() || is_told(NameKind::Medium, number) {
                continue;
            }
            missing.push(("medium", medium.name.clone(), medium.first_use));
        }
        let materials = self.checks.materials.all.iter();
        let unknown = |name: &[u8]| self.names.get(NameKind::Material, name).is_none();
        let materials = materials.filter(|(name, _)| unknown(name));
        missing.extend(materials.map(|(name, place)| ("material", name.clone(), Some(*place))));
        for (what, name, place) in missing {
            let message = format!("no {what} is called {}", quoted(&name));
            // Without a use there was a definition that has a problem of its own.
            if let Some(place) = place {
                self.problem(Error::syntax(message), place);
            }
        }
    }

    /// Textures that nobody defined, or of another type than is needed.
    fn say_textures(&mut self) {
        let used = self.checks.take_textures();
        let [of_floats, of_spectra] = used.typed;
        let mut told: HashSet<Vec<u8>, FixedState> = HashSet::default();
        for (wanted, names) in [(Some(0), of_floats), (Some(1), of_spectra), (None, used.others)] {
            for (name, place) in names.all {
                let defined = [false, true].map(|is_spectrum| {
                    self.names.get(NameKind::texture(is_spectrum), &name).is_some()
                });
                let shown = quoted(&name);
                if defined == [false; 2] {
                    if told.insert(name) {
                        let message = format!("no texture is called {shown}");
                        self.problem(Error::syntax(message), place);
                    }
                } else if let Some(wanted) = wanted.filter(|wanted| !defined[*wanted]) {
                    let types = ["float", "spectrum"];
                    let (is, needed) = (types[1 - wanted], types[wanted]);
                    let message = format!("texture {shown} is of type {is:?}, not {needed:?}");
                    self.problem(Error::syntax(message), place);
                }
            }
        }
    }

    /// What only bounds a medium does not shine, but for version 3.
    fn put_out_unseen(&mut self) {
        let scene = &mut self.scene;
        if scene.version < 4 {
            return;
        }
        let is_unseen = |material: &Material| material.entity.is_some_and(|e| scene.is_unseen(&e));
        let unseen: Vec<bool> = scene.materials.iter().map(is_unseen).collect();
        let mut places = Vec::new();
        for shape in &mut scene.shapes {
            if shape.area_light != NONE && unseen.get(shape.material as usize) == Some(&true) {
                shape.area_light = NONE;
                places.push(shape.entity.place);
            }
        }
        for place in places {
            let message = "area lights on borders of media do not shine: pbrt leaves them out";
            self.warn(Error::unsupported(message), place);
        }
    }

    /// Indices at the end that make no face are left out; the table tells of them, too.
    fn say_excess(&mut self) {
        if self.checks.checks() {
            return;
        }
        let scene = &self.scene;
        let mut excess = Vec::new();
        for shape in &scene.shapes {
            let corners = match scene.class(&shape.entity) {
                b"trianglemesh" | b"loopsubdiv" => 3,
                b"bilinearmesh" => 4,
                _ => continue,
            };
            let count = scene.integers(&shape.entity, "indices").map_or(0, <[i32]>::len);
            if !count.is_multiple_of(corners) {
                excess.push((shape.entity.place, count % corners, corners));
            }
        }
        for (place, excess, corners) in excess {
            let words = if excess == 1 { "index is" } else { "indices are" };
            let message =
                format!("{excess} {words} left out at the end: a face has {corners} corners");
            self.warn(Error::corrupt(message), place);
        }
    }

    /// Puts the shapes of the world first, then those of each object, else in the order of the text.
    fn sort_shapes(&mut self) {
        let scene = &mut self.scene;
        let mut counts = vec![0; scene.objects.len() + 1];
        let slot = |object: u32| object.wrapping_add(1) as usize;
        for object in &self.shape_objects {
            counts[slot(*object)] += 1u32;
        }
        let mut start = 0;
        for count in &mut counts {
            start += std::mem::replace(count, start);
        }
        scene.world_shapes = counts.get(1).copied().unwrap_or(start);
        for (object, start) in scene.objects.iter_mut().zip(&counts[1..]) {
            object.shapes = *start..*start;
        }
        let mut order: Vec<u32> = vec![0; scene.shapes.len()];
        for (shape, object) in self.shape_objects.iter().enumerate() {
            let to = &mut counts[slot(*object)];
            order[*to as usize] = shape as u32;
            *to += 1;
        }
        for (object, end) in scene.objects.iter_mut().zip(&counts[1..]) {
            object.shapes.end = *end;
        }
        if !order.is_sorted() {
            scene.shapes = order.iter().map(|i| scene.shapes[*i as usize]).collect();
        }
    }
}
