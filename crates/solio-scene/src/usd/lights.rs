//! Lights without a shape, as *UsdLux* has them.

use super::text::{PrimNames, UsdText, matrix, single, tuple};
use super::transform;
use crate::export::{LightKind, light_of};
use crate::scene::Scene;
use glam::{DMat4, DQuat, DVec3};
use solio_base::Result;
use std::f64::consts::PI;

/// The radius of the sphere that stands for a point.
const RADIUS: f64 = 0.01;

/// Writes the lights; how many there are no words for.
pub(super) fn write(text: &mut UsdText<'_>, scene: &Scene, names: &mut PrimNames) -> Result<u64> {
    let mut left = 0;
    for (number, light) in scene.lights.iter().enumerate() {
        let Some(light) = light_of(scene, light) else {
            left += 1;
            continue;
        };
        let (kind, notes) = match light.kind {
            LightKind::Distant => ("DistantLight", vec![]),
            LightKind::Point => ("SphereLight", vec![]),
            LightKind::Sky => ("DomeLight", vec![]),
            LightKind::Spot { .. } => {
                ("SphereLight", vec!["prepend apiSchemas = [\"ShapingAPI\"]".to_owned()])
            }
        };
        let name = names.take(&format!("light_{number}"));
        text.begin(&format!("def {kind} \"{name}\""), &notes)?;
        text.line(&format!("color3f inputs:color = {}", tuple(&light.color)))?;
        let strength = f64::from(light.strength);
        // A sphere of this radiance has the intensity of the point.
        let strength = match light.kind {
            LightKind::Point | LightKind::Spot { .. } => strength / (PI * RADIUS * RADIUS),
            _ => strength,
        };
        text.line(&format!("float inputs:intensity = {}", single(strength)))?;
        match light.kind {
            LightKind::Distant => {
                text.line("float inputs:angle = 0")?;
                text.line("bool inputs:normalize = 1")?;
            }
            LightKind::Sky => {}
            LightKind::Point | LightKind::Spot { .. } => {
                text.line(&format!("float inputs:radius = {}", single(RADIUS)))?;
                text.line("bool treatAsPoint = 1")?;
            }
        }
        if let LightKind::Spot { outer, inner } = light.kind {
            let softness = if outer > 0.0 { 1.0 - inner / outer } else { 0.0 };
            let degrees = f64::from(outer).to_degrees();
            text.line(&format!("float inputs:shaping:cone:angle = {}", single(degrees)))?;
            text.line(&format!(
                "float inputs:shaping:cone:softness = {}",
                single(softness.into())
            ))?;
        }
        let turn = DQuat::from_array(light.rotation);
        let place = DVec3::from_array(light.position.map(f64::from));
        let to_world = DMat4::from_rotation_translation(turn, place);
        if to_world != DMat4::IDENTITY {
            transform(text, &matrix(&to_world.to_cols_array_2d()))?;
        }
        text.end()?;
    }
    Ok(left)
}
