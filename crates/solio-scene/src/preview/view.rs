//! What a scene's camera sees, for who asks from outside.

use super::camera::nearest_axis;
use crate::look::{RayLens, lens, resolution};
use crate::scene::Scene;
use glam::DVec3;
use solio_base::named_enum;

named_enum! {
    /// How a camera looks.
    pub enum ViewKind {
        /// From one place.
        Perspective = "perspective",
        /// Along one direction.
        Orthographic = "orthographic",
        /// All around.
        Spherical = "spherical",
    }

    /// As pbrt calls it.
    pub fn name;
}

/// What a scene's camera sees.
///
/// ```
/// # use solio_base::Work;
/// # use solio_scene::scene::{NoFiles, read_scene};
/// # use std::path::Path;
/// use solio_scene::preview::{SceneView, ViewKind};
/// let text = br#"LookAt 0 0 5 0 0 0 0 1 0
///     Camera "perspective" "float fov" 60
///     Film "rgb" "integer xresolution" 300 "integer yresolution" 200
///     WorldBegin
/// "#;
/// let path = Path::new("a.pbrt");
/// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
/// let view = SceneView::of(&scene).expect("there is a camera");
/// assert_eq!((view.kind, view.fov_degrees.map(f64::round)), (ViewKind::Perspective, Some(60.0)));
/// // The shorter side reaches from -1 to 1.
/// assert_eq!(view.window, [-1.5, 1.5, -1.0, 1.0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneView {
    /// How it looks.
    pub kind: ViewKind,
    /// Columns and rows of the film.
    pub resolution: [u32; 2],
    /// The angle that the screen takes from -1 to 1, the shorter side of a usual film, in degrees; none
    /// where lines of sight are parallel, or go all around.
    pub fov_degrees: Option<f64>,
    /// Left, right, bottom and top of the picture on the screen.
    pub window: [f64; 4],
    /// Whether this is what the scene asks for; a camera of lenses is one of 40 degrees here.
    pub is_exact: bool,
}

impl SceneView {
    /// That of the scene's camera, if it has one.
    pub fn of(scene: &Scene) -> Option<SceneView> {
        let camera = scene.camera.as_ref()?;
        let resolution = resolution(scene);
        let [width, height] = resolution.map(f64::from);
        let (lens, window) = lens(scene, &camera.entity, width / height);
        let (kind, fov_degrees) = match lens {
            RayLens::Perspective(tangent) => {
                (ViewKind::Perspective, Some(2.0 * tangent.atan().to_degrees()))
            }
            RayLens::Orthographic => (ViewKind::Orthographic, None),
            RayLens::Spherical { .. } => (ViewKind::Spherical, None),
        };
        let is_exact = scene.class(&camera.entity) != b"realistic";
        Some(SceneView { kind, resolution, fov_degrees, window, is_exact })
    }
}

/// The axis of the world that is up: the one nearest to what the camera calls up; without a camera z.
pub fn up_axis(scene: &Scene) -> [f64; 3] {
    let up = scene.camera.as_ref().map_or(DVec3::Z, |camera| {
        let to_world = camera.from_world.start.inverse();
        nearest_axis(to_world.transform_vector3(DVec3::Y).normalize_or(DVec3::Z))
    });
    up.to_array()
}
