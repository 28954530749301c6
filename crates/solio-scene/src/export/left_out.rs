//! What of a scene another format does not get.

use super::View;
use crate::scene::{NONE, Scene};
use std::collections::BTreeMap;

/// Counts that become sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    counts: BTreeMap<&'static str, u64>,
}

impl LeftOut {
    /// What no format of ours takes, told from the scene alone.
    pub(crate) fn of(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::default();
        left.add("lights without a shape", scene.lights.len() as u64);
        left.add("media", scene.media.len() as u64);
        left.add("textures: their constant parts alone count", scene.textures.len() as u64);
        let moves = scene.shapes.iter().filter(|shape| shape.matrix != shape.matrix_end).count();
        left.add("motions of shapes: they stand where they begin", moves as u64);
        let moves = scene.instances.moving.len() as u64;
        left.add("motions of instances: they stand where they begin", moves);
        if let Some(camera) = &scene.camera {
            let moves = u64::from(camera.from_world.is_moving());
            left.add("motion of the camera: it stands where it begins", moves);
            let lens = scene.float(&camera.entity, "lensradius").is_some_and(|r| r > 0.0);
            left.add("lens of the camera: all is in focus", u64::from(lens));
        }
        let inner = &scene.shapes[scene.world_shapes as usize..];
        let shine = inner.iter().filter(|shape| shape.area_light != NONE).count();
        left.add("area lights on shapes of objects, which pbrt does not know", shine as u64);
        left
    }

    pub(crate) fn add(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Where the lens of a view is not that of the scene.
    pub(crate) fn lens(&mut self, view: &View) {
        let near = u64::from(!view.is_exact);
        self.add("camera of lenses: one of 40 degrees stands for it", near);
    }

    /// `3 lights without a shape`, …
    pub(crate) fn words(&self) -> Vec<String> {
        self.counts.iter().map(|(what, count)| format!("{count} {what}")).collect()
    }
}
