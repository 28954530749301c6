//! What several parameters of a statement must have in common.

use super::check::{StatementCheck, nearest, shown, width};
use super::table::DirectiveClass;
use super::{Others, Version, idle, known_names};
use crate::pbrt::{Directive, Parameter, ParameterType, Values};

impl Others for StatementCheck<'_> {
    fn has(&self, name: &str) -> bool {
        StatementCheck::has(self, name)
    }

    fn string(&self, name: &str) -> Option<&[u8]> {
        string(self, name)
    }

    fn integer(&self, name: &str) -> Option<i32> {
        integer(self, name)
    }
}

/// Looks at the parameters of a class together.
pub(super) fn look(look: &mut StatementCheck<'_>, class: &DirectiveClass) {
    if look.version == Version::V4 {
        for name in idle(class.directive, class.name, look) {
            if let Some(at) = look.at(name) {
                let message = format!("{name:?} is not used beside the other parameters");
                look.error(at, message, "leave it out");
            }
        }
    }
    match (class.directive, class.name) {
        (Directive::Shape, "trianglemesh") => mesh(look, 3, true),
        (Directive::Shape, "bilinearmesh") => mesh(look, 4, true),
        (Directive::Shape, "loopsubdiv") => mesh(look, 3, false),
        (Directive::Shape, "curve") => curve(look),
        (Directive::Shape, "heightfield") => grid(look, "Pz", &["nu", "nv"]),
        (Directive::Material, "conductor") => either(look, "reflectance", &["eta", "k"]),
        (Directive::Material, "coatedconductor") => {
            either(look, "reflectance", &["conductor.eta", "conductor.k"]);
        }
        (Directive::Material, "subsurface") => subsurface(look),
        (Directive::AreaLightSource, "diffuse") => either(look, "filename", &["L"]),
        (Directive::LightSource, "infinite") if !look.has("portal") => {
            either(look, "filename", &["L"]);
        }
        (Directive::MakeNamedMedium, "uniformgrid" | "heterogeneous") => {
            for name in ["density", "temperature", "Lescale"] {
                grid(look, name, &["nx", "ny", "nz"]);
            }
            either(look, "temperature", &["Le"]);
        }
        (Directive::MakeNamedMedium, "homogeneous") => known_medium(look, "preset", false),
        (Directive::MakeNamedMedium, "rgbgrid") => rgb_grid(look),
        (Directive::Film, "gbuffer" | "spectral") => only_exr(look),
        (Directive::Camera, _) => shutter(look),
        _ => {}
    }
}

/// In version 4 `one` and any of `others` are not given together.
fn either(look: &mut StatementCheck<'_>, one: &str, others: &[&str]) {
    if look.version != Version::V4 || !look.has(one) {
        return;
    }
    if let Some((other, at)) = others.iter().find_map(|other| Some((other, look.at(other)?))) {
        look.error(at, format!("{one:?} and {other:?} are given both"), "leave one out");
    }
}

/// A medium that pbrt should know by name.
fn known_medium(look: &mut StatementCheck<'_>, name: &str, stops: bool) {
    let Some(medium) = string(look, name).filter(|medium| !medium.is_empty()) else { return };
    if known_names::is_medium(medium) {
        return;
    }
    let at = look.at(name).unwrap_or(look.statement.at);
    let message = format!("nothing is known of a medium {}", shown(medium));
    let near = nearest(medium, known_names::media()).map(|near| format!("did you mean {near:?}?"));
    if stops && look.version == Version::V4 {
        look.error(at, message, &near.unwrap_or_default());
    } else {
        look.warning(at, message, &near.unwrap_or_default());
    }
}

fn subsurface(look: &mut StatementCheck<'_>) {
    known_medium(look, "name", true);
    if look.version != Version::V4 || look.has("name") {
        return;
    }
    for (one, other) in [("sigma_a", "sigma_s"), ("sigma_s", "sigma_a")] {
        if let (Some(at), false) = (look.at(one), look.has(other)) {
            look.error(at, format!("{one:?} is given without {other:?}"), "");
        }
    }
}

/// How many values a parameter has, of its type.
fn count(parameter: Option<&Parameter>) -> usize {
    parameter.map_or(0, |parameter| parameter.values.count() / width(parameter.kind))
}

fn integers<'s>(look: &StatementCheck<'s>, name: &str) -> Option<(&'s Parameter, &'s [i32])> {
    let parameter = look.parameter(name, &[ParameterType::Integer])?;
    match parameter.values {
        Values::Integers(span) => Some((parameter, &look.statements.integers[span.range()])),
        _ => None,
    }
}

fn integer(look: &StatementCheck<'_>, name: &str) -> Option<i32> {
    integers(look, name)?.1.first().copied()
}

fn string<'s>(look: &StatementCheck<'s>, name: &str) -> Option<&'s [u8]> {
    let parameter = look.parameter(name, &[ParameterType::String])?;
    look.statements.string(parameter.values, 0)
}

/// A mesh of faces with so many corners.
fn mesh(look: &mut StatementCheck<'_>, corners: usize, one_needs_none: bool) {
    let Some(points) = look.parameter("P", &[ParameterType::Point3]) else { return };
    let points = count(Some(points));
    let at = look.statement.at;
    let indices = integers(look, "indices");
    let Some((parameter, indices)) = indices else {
        if one_needs_none && (points != corners || look.version == Version::V3) {
            look.error(at, "the mesh needs a parameter \"integer indices\"", "");
        }
        return per_vertex(look, points);
    };
    let outside = |index: &&i32| usize::try_from(**index).map_or(true, |index| index >= points);
    // Version 4 does not look at those that make no face.
    let whole = match look.version {
        Version::V3 => indices.len(),
        _ => indices.len() / corners * corners,
    };
    if let Some(outside) = indices[..whole].iter().find(outside) {
        let message = format!("the index {outside} is not that of one of {points} points");
        look.error(parameter.at, message, "");
    }
    if let Some((parameter, of_faces)) = integers(look, "faceIndices") {
        let faces = indices.len() / corners;
        if of_faces.len() != faces {
            let message = format!("{} faceIndices for {faces} faces", of_faces.len());
            look.warning(parameter.at, message, "pbrt leaves them out");
        }
    }
    per_vertex(look, points);
}

/// Normals, tangents and coordinates: one for each point.
fn per_vertex(look: &mut StatementCheck<'_>, points: usize) {
    use ParameterType::{Float, Normal, Point2, Vector3};
    for (name, kinds) in [
        ("N", &[Normal][..]),
        ("S", &[Vector3]),
        ("uv", &[Point2, Float]),
        ("st", &[Point2, Float]),
    ] {
        let Some(parameter) = look.parameter(name, kinds) else { continue };
        let mut values = count(Some(parameter));
        if parameter.kind == Float {
            values /= 2;
        }
        if values != points {
            let message = format!("{values} values of {name:?} for {points} points");
            look.warning(parameter.at, message, "pbrt leaves them out");
        }
    }
}

/// Points and normals of a curve, by its degree and basis.
fn curve(look: &mut StatementCheck<'_>) {
    let Some(parameter) = look.parameter("P", &[ParameterType::Point3]) else { return };
    let points = count(Some(parameter));
    let degree = match integer(look, "degree") {
        Some(2) => 2,
        Some(3) | None => 3,
        Some(_) => return,
    };
    let is_spline = string(look, "basis") == Some(b"bspline");
    let is_fit = points > degree && (is_spline || (points - 1).is_multiple_of(degree));
    if !is_fit {
        let wanted = match is_spline {
            true => format!("{} and more", degree + 1),
            false => format!("{} and {degree} for each further segment", degree + 1),
        };
        let message = format!("the curve has {points} points, not {wanted}");
        return look.error(parameter.at, message, "");
    }
    let segments = if is_spline { points - degree } else { (points - 1) / degree };
    let is_ribbon = string(look, "type") == Some(b"ribbon");
    let normals = look.parameter("N", &[ParameterType::Normal]);
    match (is_ribbon, normals) {
        (true, None) => {
            look.error(look.statement.at, "a ribbon needs a parameter \"normal N\"", "");
        }
        (true, Some(normals)) if count(Some(normals)) != segments + 1 => {
            let count = count(Some(normals));
            let message = format!("{count} normals for {} ends of segments", segments + 1);
            look.error(normals.at, message, "");
        }
        (false, Some(normals)) => {
            look.warning(normals.at, "normals of a curve that is no ribbon", "leave them out");
        }
        _ => {}
    }
}

/// As many values as the sides of the grid multiplied.
fn grid(look: &mut StatementCheck<'_>, name: &str, sides: &[&str]) {
    let kinds = &[ParameterType::Float, ParameterType::Rgb];
    let Some(parameter) = look.parameter(name, kinds) else { return };
    // No product of 32-bit integers is past the range of i128.
    let wanted: i128 =
        sides.iter().map(|side| i128::from(integer(look, side).unwrap_or(1))).product();
    let values = count(Some(parameter));
    if values as i128 != wanted {
        let sides = sides.join(" × ");
        let message = format!("{values} values of {name:?}, but {sides} is {wanted}");
        look.error(parameter.at, message, "");
    }
}

fn rgb_grid(look: &mut StatementCheck<'_>) {
    let at = look.statement.at;
    if !look.has("sigma_a") && !look.has("sigma_s") {
        look.error(at, "the medium needs \"rgb sigma_a\" or \"rgb sigma_s\"", "");
    }
    if let (Some(at), false) = (look.at("Le"), look.has("sigma_a")) {
        look.error(at, "\"Le\" is given without \"sigma_a\"", "");
    }
    for name in ["sigma_a", "sigma_s", "Le"] {
        grid(look, name, &["nx", "ny", "nz"]);
    }
}

fn only_exr(look: &mut StatementCheck<'_>) {
    let Some(name) = string(look, "filename") else { return };
    let end = name.len().saturating_sub(4);
    if !name[end..].eq_ignore_ascii_case(b".exr") {
        let at = look.at("filename").unwrap_or(look.statement.at);
        look.error(at, "such a film writes OpenEXR alone", "let the name end in .exr");
    }
}

fn shutter(look: &mut StatementCheck<'_>) {
    let float = |name: &str, default| {
        let values = look.parameter(name, &[ParameterType::Float]).map(|p| p.values);
        match values {
            Some(Values::Floats(span)) => look.statements.floats[span.range()].first().copied(),
            _ => Some(default),
        }
    };
    let (open, close) = (float("shutteropen", 0.0), float("shutterclose", 1.0));
    if let (Some(open), Some(close)) = (open, close)
        && look.version == Version::V4
        && close <= open
    {
        let at = look.at("shutterclose").unwrap_or(look.statement.at);
        look.error(at, format!("the shutter opens at {open} and closes at {close}"), "");
    }
}
