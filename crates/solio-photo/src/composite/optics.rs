//! What lens, sensor and distance make together: equivalents of 35 mm film, field of view, depth
//! of field.

use super::{as_printed, find, number, put, text};
use crate::gather::Gather;
use crate::number::plain;
use crate::rule::{Named, TagRule};
use crate::value::Value;

const GROUP: &str = super::GROUP;
/// The number that the programs to agree with use.
#[allow(clippy::approx_constant)]
const NEARLY_PI: f64 = 3.14159;

/// The diagonal of a frame of 35 mm film.
fn film_diagonal() -> f64 {
    (36.0f64 * 36.0 + 24.0 * 24.0).sqrt()
}

/// How much smaller the sensor is than a frame of film.
pub(super) fn scale_factor(gather: &Gather<'_>) -> Option<f64> {
    let focal = number(gather, "FocalLength").filter(|f| *f > 0.0);
    let film = number(gather, "FocalLengthIn35mmFormat").filter(|f| *f > 0.0);
    if let (Some(focal), Some(film)) = (focal, film) {
        return Some(film / focal);
    }
    let diagonal = canon_diagonal(gather)
        .or_else(|| number(gather, "FocalPlaneDiagonal").filter(|d| *d > 0.0))
        .or_else(|| stated_size(gather))
        .or_else(|| from_resolution(gather))?;
    Some(film_diagonal() * digital_zoom(gather).unwrap_or(1.0) / diagonal)
}

/// Canon's cameras zoom digitally by showing fewer pixels.
fn digital_zoom(gather: &Gather<'_>) -> Option<f64> {
    let canon = |name| gather.counting("Canon", name)?.number().number(0).filter(|v| *v > 0.0);
    (canon("DigitalZoom")? == 3.0).then_some(())?;
    Some(canon("ZoomTargetWidth")? / canon("ZoomSourceWidth")?)
}

/// The sensor's size, where its shape shows that it is one.
fn stated_size(gather: &Gather<'_>) -> Option<f64> {
    let side = |name| number(gather, name).filter(|v| *v > 0.0);
    let (width, height) = (side("FocalPlaneXSize")?, side("FocalPlaneYSize")?);
    let shape = width / height;
    let usual = (shape - 4.0 / 3.0).abs() < 0.1 || (shape - 1.5).abs() < 0.1;
    usual.then(|| (width * width + height * height).sqrt())
}

fn from_resolution(gather: &Gather<'_>) -> Option<f64> {
    let unit = match number(gather, "FocalPlaneResolutionUnit").unwrap_or(2.0) as i64 {
        3 => 10.0,
        4 => 1.0,
        5 => 0.001,
        _ => 25.4,
    };
    let x = number(gather, "FocalPlaneXResolution").filter(|x| *x != 0.0)?;
    let y = number(gather, "FocalPlaneYResolution").filter(|y| *y != 0.0)?;
    let sizes = [
        ("ExifImageWidth", "ExifImageHeight"),
        ("CanonImageWidth", "CanonImageHeight"),
        ("ImageWidth", "ImageHeight"),
    ];
    let of_shape = |(width, height)| {
        let (width, height) = (number(gather, width)?, number(gather, height)?);
        let shape = width / height;
        (shape > 0.5 && shape < 2.0).then_some((width, height))
    };
    let (width, height) = sizes.into_iter().find_map(of_shape)?;
    let (width, height) = (width * unit / x, height * unit / y);
    let diagonal = (width * width + height * height).sqrt();
    // Sensors lie between a pinhead and a sheet of film; other numbers are faults.
    (diagonal > 1.0 && diagonal < 100.0).then_some(diagonal)
}

/// Canon writes pixels × 1000 over thousandths of an inch, whatever became of the picture since.
fn canon_diagonal(gather: &Gather<'_>) -> Option<f64> {
    if !find(gather, "Make")?.value.plain().starts_with("Canon") {
        return None;
    }
    let thousandths = |name| match &find(gather, name)?.value {
        Value::Rationals(parts) => match parts[..] {
            [(pixels, size)] if pixels > 0 && pixels % 1000 == 0 && (80..=2000).contains(&size) => {
                Some(size as f64)
            }
            _ => None,
        },
        _ => None,
    };
    let (width, height) =
        (thousandths("FocalPlaneXResolution")?, thousandths("FocalPlaneYResolution")?);
    Some((width * width + height * height).sqrt() * 0.0254)
}

/// Adds everything that follows from the focal length and the sensor; gives the factor.
pub(super) fn compute(gather: &mut Gather<'_>, aperture: Option<f64>) -> Option<f64> {
    let scale = scale_factor(gather);
    if let Some(scale) = scale {
        put(gather, "ScaleFactor35efl", scale, Named::OneDecimal);
        let circle = film_diagonal() / (scale * 1440.0);
        put(gather, "CircleOfConfusion", circle, Named::Millimetres3);
    }
    let focal = match find(gather, "FocalLength") {
        Some(_) => number(gather, "FocalLength").unwrap_or(0.0),
        None => return scale,
    };
    let mut both = vec![focal * scale.map_or(1.0, as_printed)];
    if scale.is_some() {
        both.push(focal);
    }
    gather.put(GROUP, "FocalLength35efl", Value::Floats(both), TagRule::Named(Named::FilmLength));
    let known = scale?;
    if focal <= 0.0 {
        return scale;
    }
    field_of_view(gather, focal, as_printed(known));
    let Some(aperture) = aperture.filter(|a| *a > 0.0) else { return scale };
    let blur = as_printed(film_diagonal() / (known * 1440.0));
    put(gather, "HyperfocalDistance", focal * focal / (aperture * blur * 1000.0), Named::Metres2);
    if let Some(distance) = distance(gather) {
        let step = aperture * blur * (distance * 1000.0 - focal) / (focal * focal);
        // Nothing nearer than the focal length is sharp: such a distance is none.
        if step <= 0.0 {
            return scale;
        }
        let (near, far) = (distance / (1.0 + step), distance / (1.0 - step));
        let far = if far < 0.0 { 0.0 } else { far };
        let field = Value::Text(format!("{} {}", plain(near), plain(far)));
        gather.put(GROUP, "DOF", field, TagRule::Named(Named::DepthOfField));
    }
    scale
}

/// In degrees and, where the distance is known, in metres there.
fn field_of_view(gather: &mut Gather<'_>, focal: f64, scale: f64) {
    let distance = measured(gather, "FocusDistance").filter(|d| *d > 0.0);
    let beyond = distance.map(|d| 1000.0 * d - focal).filter(|beyond| *beyond > 0.0);
    let correction = 1.0 + beyond.map_or(0.0, |beyond| focal / beyond);
    let half = 36f64.atan2(2.0 * focal * scale * correction);
    let mut angles = vec![half * 360.0 / NEARLY_PI];
    if let Some(distance) = distance.filter(|d| *d < 10_000.0) {
        angles.push(2.0 * distance * half.tan());
    }
    let rule = TagRule::Named(Named::FieldOfView);
    gather.put(GROUP, "FOV", Value::Floats(angles), rule);
}

/// The same of several records: the last one is the most exact.
fn last_measured(gather: &Gather<'_>, name: &str) -> Option<f64> {
    let tag = gather.tags.iter().rev().find(|tag| tag.name == name)?;
    crate::number::first(&tag.number().plain())
}

/// A distance that may be spelt with its unit; infinity is no number of metres.
fn measured(gather: &Gather<'_>, name: &str) -> Option<f64> {
    crate::number::first(&text(gather, name)?)
}

/// How far away the subject is, in metres.
fn distance(gather: &Gather<'_>) -> Option<f64> {
    if let Some(focus) = measured(gather, "FocusDistance") {
        // Zero stands for infinity.
        return Some(if focus == 0.0 { 1e10 } else { focus });
    }
    let others = ["SubjectDistance", "ObjectDistance", "ApproximateFocusDistance"];
    let known = others.into_iter().filter_map(|name| measured(gather, name)).find(|d| *d > 0.0);
    known.or_else(|| {
        let lower = last_measured(gather, "FocusDistanceLower")?;
        let upper = last_measured(gather, "FocusDistanceUpper")?;
        Some((lower + upper) / 2.0)
    })
}
