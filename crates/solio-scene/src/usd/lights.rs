//! Lights without a shape, as *UsdLux* has them.

use super::shading::asset;
use super::text::{PrimNames, UsdText, matrix, single, tuple};
use super::transform;
use crate::export::{ExportMeshes, LeftOut, LossName};
use crate::look::{DOME_TO_SKY, LightLook, LightLookKind, Looks, illuminance_of_sky};
use glam::{DMat4, DQuat, DVec3, DVec4};
use solio_base::{ErrorKind, Result, Work};
use std::f64::consts::PI;

/// The radius of the sphere that stands for a point.
const RADIUS: f64 = 0.01;

const NEAREST: LossName = [
    "light that shines by a picture or through a portal: a plain one stands for it",
    "lights that shine by pictures or through portals: plain ones stand for them",
];

/// Writes the lights.
pub(super) fn write(
    text: &mut UsdText<'_>,
    looks: &Looks<'_>,
    files: &dyn ExportMeshes,
    names: &mut PrimNames,
    left: &mut LeftOut,
    work: &Work,
) -> Result<()> {
    for (number, light) in looks.lights.iter().enumerate() {
        match light {
            Some(light) => {
                left.add(NEAREST, u64::from(!light.is_exact));
                let name = names.take(&format!("light_{number}"));
                one(text, light, &name, files, left, work)?;
            }
            None => left.lights(1),
        }
    }
    Ok(())
}

fn one(
    text: &mut UsdText<'_>,
    light: &LightLook,
    name: &str,
    files: &dyn ExportMeshes,
    left: &mut LeftOut,
    work: &Work,
) -> Result<()> {
    let mut strength = f64::from(light.strength);
    let mut picture = None;
    if let (LightLookKind::Sky, Some(of)) = (light.kind, &light.picture) {
        let made = files.sky(&of.name, of.mapping).and_then(|sky| {
            if let Some(wanted) = light.illuminance {
                strength = strength * f64::from(wanted) / illuminance_of_sky(&sky);
            }
            let exr = files.exr(&sky)?;
            files.beside(&format!("{name}.exr"), &mut |sink| sink.write_bytes(work, &exr))
        });
        match made {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(_) => {
                left.lights(1);
                return Ok(());
            }
            Ok(file) => picture = Some(file.path),
        }
    }
    let (kind, cone) = match light.kind {
        LightLookKind::Distant => ("DistantLight", None),
        LightLookKind::Point => ("SphereLight", None),
        LightLookKind::Sky => ("DomeLight", None),
        LightLookKind::Spot { outer, inner } => ("SphereLight", Some([outer, inner])),
        LightLookKind::Projection { fov } => ("SphereLight", Some([fov / 2.0; 2])),
    };
    let notes: Vec<String> =
        cone.iter().map(|_| "prepend apiSchemas = [\"ShapingAPI\"]".to_owned()).collect();
    text.begin(&format!("def {kind} \"{name}\""), &notes)?;
    text.line(&format!("color3f inputs:color = {}", tuple(&light.color)))?;
    // A sphere of this radiance has the intensity of the point.
    let strength = match kind {
        "SphereLight" => strength / (PI * RADIUS * RADIUS),
        _ => strength,
    };
    let strength = if strength.is_finite() { strength } else { 0.0 };
    text.line(&format!("float inputs:intensity = {}", single(strength)))?;
    match kind {
        "DistantLight" => {
            text.line("float inputs:angle = 0")?;
            text.line("bool inputs:normalize = 1")?;
        }
        "SphereLight" => {
            text.line(&format!("float inputs:radius = {}", single(RADIUS)))?;
            text.line("bool treatAsPoint = 1")?;
        }
        _ => {}
    }
    if let Some(path) = &picture {
        text.line(&format!("asset inputs:texture:file = {}", asset(path)))?;
        text.line("token inputs:texture:format = \"latlong\"")?;
    }
    if let Some([outer, inner]) = cone {
        let softness = if outer > 0.0 { 1.0 - inner / outer } else { 0.0 };
        let degrees = f64::from(outer).to_degrees();
        text.line(&format!("float inputs:shaping:cone:angle = {}", single(degrees)))?;
        text.line(&format!("float inputs:shaping:cone:softness = {}", single(softness.into())))?;
    }
    let to_world = match picture {
        Some(_) => {
            // A sky is turned alone.
            let mut turned = light.matrix();
            turned.w_axis = DVec4::W;
            turned * DOME_TO_SKY
        }
        None => {
            let turn = DQuat::from_array(light.rotation());
            DMat4::from_rotation_translation(turn, DVec3::from_array(light.position))
        }
    };
    if to_world != DMat4::IDENTITY {
        transform(text, &matrix(&to_world.to_cols_array_2d()))?;
    }
    text.end()
}
