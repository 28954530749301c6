//! How far splats that were written and read again are off: what the writers of splats lose.

use super::HARMONIC_0;
use super::columns::{SplatColumns, alpha_of};
use crate::losses::{
    self, FREEFORM, Feature, GROUPS, LINE_UVS, LINES, POINTS, SMOOTHING, UVS, VERTEX_COLORS,
    VERTEX_GROUPS, WEIGHTS,
};
use crate::model::{Mesh, Positions, Scene};
use solio_base::{Loss, Losses};

/// What no format of splats has.
const LACKS: [Feature; 10] = [
    WEIGHTS,
    VERTEX_COLORS,
    UVS,
    LINE_UVS,
    SMOOTHING,
    GROUPS,
    LINES,
    POINTS,
    VERTEX_GROUPS,
    FREEFORM,
];

/// Adds what the format `name` lacks of a scene, which has splats alone.
pub(super) fn lacks(losses: &mut Losses, scene: &Scene<'_>, name: &str) {
    losses::objects(losses, scene, name);
    losses::transforms(losses, scene, name, false);
    losses::materials(losses, scene, name);
    losses::lacking(losses, scene, name, &LACKS);
    for mesh in &scene.meshes {
        let mut add = |what, words: &str, count: usize, unit, example: String| {
            if count > 0 {
                let loss = Loss::new(what, format!("{name} has {words}"));
                losses.add(loss.count(count as u64, unit).example(example));
            }
        };
        let others = match super::splat_count(mesh) {
            0 => mesh.positions.len(),
            _ => 0,
        };
        add("points", "splats only: other vertices are left out", others, "vertex", String::new());
        let faces = mesh.face_offsets.len().saturating_sub(1);
        add("faces", "no faces", faces, "face", String::new());
        // Those of 3DGS are all zero.
        let is_some = |normal: &&[f32; 3]| **normal != [0.0; 3];
        let normals = mesh.normals.iter().flat_map(|n| n.values.iter().filter(is_some)).count();
        add("normals", "no normals", normals, "value", String::new());
        let mut more = more_attributes(mesh).peekable();
        let first = more.peek().cloned().unwrap_or_default();
        add("attributes", "no further attributes", more.count(), "attribute", first);
        if let Positions::F64(wide) = &mesh.positions {
            let rounded = |p: &&[f64; 3]| p.iter().any(|v| f64::from(*v as f32) != *v);
            let count = wide.iter().filter(rounded).count();
            add(
                "digits",
                "positions of 32 bits: these are rounded",
                count,
                "vertex",
                String::new(),
            );
        }
    }
}

/// The attributes of a mesh that are none of splats.
fn more_attributes<'m>(mesh: &'m Mesh<'_>) -> impl Iterator<Item = String> + 'm {
    let columns = SplatColumns::of_mesh(mesh).unwrap_or_default();
    let more =
        mesh.attributes.iter().filter(move |a| a.element != "vertex" || !columns.is_own(&a.name));
    more.map(|a| format!("{}.{}", a.element, a.name))
}

/// The largest of some errors; NaN counts as infinite.
fn largest(errors: impl Iterator<Item = f32>) -> f32 {
    errors.fold(0.0, |most, error| if error.is_nan() { f32::INFINITY } else { most.max(error) })
}

/// The error of a number that becomes `after`. Those that were not finite are counted elsewhere.
fn error(before: f32, after: f32) -> f32 {
    if before.is_finite() { (before - after).abs() } else { 0.0 }
}

/// Adds how far `after`, which the format `name` has, is from `before`.
pub(super) fn measure(
    losses: &mut Losses,
    name: &str,
    before: &SplatColumns<'_>,
    after: &SplatColumns<'_>,
    harmonics_option: Option<&'static str>,
) {
    let pairs = |a: &[f32], b: &[f32]| largest(a.iter().zip(b).map(|(a, b)| error(*a, *b)));
    let mut add = |what, words: &str, off: f32, least: f32, said: &dyn Fn(f32) -> String| {
        if off > least {
            losses.add(Loss::new(what, format!("{name} rounds {words}, by {} at most", said(off))));
        }
    };
    let number = |off: f32| format!("{off:.2e}");
    let positions = [before, after].map(|c| c.positions.as_flattened());
    add("positions", "positions", pairs(positions[0], positions[1]), 0.0, &number);
    // A logarithm's error is that of the size, in parts of it. As a float each has some.
    let scales = largest((0..3).map(|k| pairs(&before.scales[k], &after.scales[k])));
    add("scales", "sizes", scales, 1e-5, &|off| format!("{:.2} %", 100.0 * off.exp_m1()));
    let turns = (0..before.count()).map(|i| {
        let (a, b) = (before.turn(i), after.turn(i));
        // From the difference: near a cosine of 1 the angle is lost.
        let half = |sign: f32| a.iter().zip(b).map(|(a, b)| (a - sign * b).powi(2)).sum::<f32>();
        4.0 * (half(1.0).min(half(-1.0)).sqrt() / 2.0).min(1.0).asin()
    });
    let degrees = |off: f32| format!("{:.2}°", off.to_degrees());
    add("rotations", "rotations", largest(turns), 1e-4, &degrees);
    let alphas =
        |columns: &SplatColumns<'_>| columns.opacity.iter().map(|o| alpha_of(*o)).collect();
    let [a, b]: [Vec<f32>; 2] = [before, after].map(alphas);
    add("opacity", "opacities of 0 to 1", pairs(&a, &b), 2e-6, &|off| format!("{off:.4}"));
    let colors = largest((0..3).map(|k| pairs(&before.colors[k], &after.colors[k]))) * HARMONIC_0;
    add("colors", "colours of 0 to 1", colors, 2e-6, &|off| format!("{off:.4}"));
    let degrees = [before, after].map(SplatColumns::degree);
    let kept = before.rest.len().min(after.rest.len());
    if degrees[1] < degrees[0] {
        let what = match degrees[1] {
            0 => "no colours that change with the view".to_owned(),
            degree => format!("no harmonics above degree {degree}"),
        };
        let loss = Loss::new("harmonics", format!("{name} has {what}"));
        losses.add(loss.count(before.count() as u64, "splat"));
    } else {
        let off = largest((0..kept).map(|k| pairs(&before.rest[k], &after.rest[k])));
        if off > 1e-6 {
            let words = format!("{name} rounds the harmonics of colours, by {off:.4} at most");
            let loss = Loss::new("harmonics", words);
            losses.add(harmonics_option.map_or(loss.clone(), |option| loss.kept_by(option)));
        }
    }
    let count = not_finite(before);
    losses.add_some("non_finite", "NaN and infinity are replaced by numbers", count, "splat");
}

/// Splats with a number that is none.
pub(crate) fn not_finite(columns: &SplatColumns<'_>) -> usize {
    let singles = columns.colors.iter().chain(&columns.scales).chain(&columns.turns);
    let all: Vec<&[f32]> = singles.chain(&columns.rest).map(|c| &**c).collect();
    let is_some = |i: &usize| {
        columns.positions[*i].iter().any(|v| !v.is_finite())
            || columns.opacity[*i].is_nan()
            || all.iter().any(|column| !column[*i].is_finite())
    };
    (0..columns.count()).filter(is_some).count()
}
