//! What of a scene another format does not get.

use super::View;
use crate::scene::{NONE, Scene};
use std::collections::BTreeMap;

/// What is left out, in the singular and in the plural.
pub(crate) type What = [&'static str; 2];

/// Counts that become sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    counts: BTreeMap<What, u64>,
}

impl LeftOut {
    /// What no format of ours takes, told from the scene alone.
    pub(crate) fn of(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::default();
        left.add(["light without a shape", "lights without a shape"], scene.lights.len() as u64);
        left.add(["medium", "media"], scene.media.len() as u64);
        left.add(
            [
                "texture: its constant part alone counts",
                "textures: their constant parts alone count",
            ],
            scene.textures.len() as u64,
        );
        let moves = scene.shapes.iter().filter(|shape| shape.matrix != shape.matrix_end).count();
        left.add(
            [
                "motion of a shape: it stands where it begins",
                "motions of shapes: they stand where they begin",
            ],
            moves as u64,
        );
        let moves = scene.instances.moving.len() as u64;
        left.add(
            [
                "motion of an instance: it stands where it begins",
                "motions of instances: they stand where they begin",
            ],
            moves,
        );
        if let Some(camera) = &scene.camera {
            let moves = u64::from(camera.from_world.is_moving());
            left.add(["motion of the camera: it stands where it begins"; 2], moves);
            let lens = scene.float(&camera.entity, "lensradius").is_some_and(|r| r > 0.0);
            left.add(["lens of the camera: all is in focus"; 2], u64::from(lens));
        }
        let inner = &scene.shapes[scene.world_shapes as usize..];
        let shine = inner.iter().filter(|shape| shape.area_light != NONE).count();
        left.add(
            [
                "area light on a shape of an object, which pbrt does not know",
                "area lights on shapes of objects, which pbrt does not know",
            ],
            shine as u64,
        );
        left
    }

    pub(crate) fn add(&mut self, what: What, count: u64) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Where the lens of a view is not that of the scene.
    pub(crate) fn lens(&mut self, view: &View) {
        let near = u64::from(!view.is_exact);
        self.add(["camera of lenses: one of 40 degrees stands for it"; 2], near);
    }

    /// `3 lights without a shape`, …
    pub(crate) fn words(&self) -> Vec<String> {
        self.counts
            .iter()
            .map(|(what, count)| format!("{count} {}", what[usize::from(*count != 1)]))
            .collect()
    }
}
