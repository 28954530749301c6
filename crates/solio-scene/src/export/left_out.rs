//! What of a scene another format does not get.

use super::is_border;
use crate::look::CameraLook;
use crate::scene::{NONE, Scene, Shape};
use solio_base::{Loss, Losses};
use std::collections::BTreeMap;

/// What is left out, in the singular and in the plural.
pub(crate) type LossName = [&'static str; 2];

pub(crate) const BORDERS: LossName =
    ["shape that only bounds media", "shapes that only bound media"];

/// Counts that become sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    counts: BTreeMap<LossName, u64>,
}

/// What of a scene is left out where its shapes become bare meshes.
///
/// ```
/// # use solio_base::Work;
/// # use std::path::Path;
/// use solio_scene::{export::left_out_of_meshes, scene::{NoFiles, read_scene}};
/// let text = b"Camera \"perspective\"\nWorldBegin\nLightSource \"infinite\"\nShape \"sphere\"\n";
/// let path = Path::new("ball.pbrt");
/// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
/// let losses = left_out_of_meshes(&scene);
/// assert_eq!(losses.to_string(), "left out: 1 camera; left out: 1 light without a shape");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn left_out_of_meshes(scene: &Scene) -> Losses {
    let mut left = LeftOut::of_world(scene);
    left.lights(scene.lights.len() as u64);
    let words =
        ["texture: its constant part alone counts", "textures: their constant parts alone count"];
    left.add(words, scene.textures.len() as u64);
    left.add(["camera"; 2], u64::from(scene.camera.is_some()));
    let count = |of: &dyn Fn(&Shape) -> bool| scene.shapes.iter().filter(|s| of(s)).count() as u64;
    left.add(["light of a shape", "lights of shapes"], count(&|shape| shape.area_light != NONE));
    left.add(BORDERS, count(&|shape| is_border(scene, shape)));
    left.losses()
}

impl LeftOut {
    /// What no format of ours takes, told from the scene alone.
    pub(crate) fn of(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::of_world(scene);
        if let Some(camera) = &scene.camera {
            let moves = u64::from(camera.from_world.is_moving());
            left.add(["motion of the camera: it stands where it begins"; 2], moves);
            let lens = scene.float(&camera.entity, "lensradius").is_some_and(|r| r > 0.0);
            left.add(["lens of the camera: all is in focus"; 2], u64::from(lens));
        }
        left
    }

    /// The same for a format that has media and lenses.
    pub(crate) fn of_shown_media(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::motion(scene);
        let moves = scene.camera.as_ref().is_some_and(|camera| camera.from_world.is_moving());
        left.add(["motion of the camera: it stands where it begins"; 2], u64::from(moves));
        left
    }

    fn of_world(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::motion(scene);
        left.add(["medium", "media"], scene.media.len() as u64);
        left
    }

    fn motion(scene: &Scene) -> LeftOut {
        let mut left = LeftOut::default();
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

    pub(crate) fn add(&mut self, what: LossName, count: u64) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Lights that are not there.
    pub(crate) fn lights(&mut self, count: u64) {
        self.add(["light without a shape", "lights without a shape"], count);
    }

    /// Whether a picture lies on a mesh that has no coordinates.
    pub(crate) fn bare(&mut self, is_bare: bool) {
        let words = [
            "picture on a mesh without texture coordinates",
            "pictures on meshes without texture coordinates",
        ];
        self.add(words, u64::from(is_bare));
    }

    /// Where the lens of a view is not that of the scene.
    pub(crate) fn lens(&mut self, view: &CameraLook) {
        let near = u64::from(!view.is_exact);
        self.add(["camera of lenses: one of 40 degrees stands for it"; 2], near);
    }

    /// All of another one, too.
    pub(crate) fn extend(&mut self, other: &LeftOut) {
        other.counts.iter().for_each(|(what, count)| self.add(*what, *count));
    }

    /// `3 lights without a shape`, …
    pub(crate) fn losses(&self) -> Losses {
        let loss = |(what, count): (&LossName, &u64)| {
            let words = what[usize::from(*count != 1)];
            Loss::new("scene", format!("left out: {count} {words}"))
        };
        self.counts.iter().map(loss).collect()
    }
}
