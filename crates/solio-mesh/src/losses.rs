//! What a format cannot hold of a scene: what all formats ask alike.
//!
//! Each format says in its own `losses` what it lacks. All is found out before anything is written,
//! so that a caller can refuse.

use crate::model::{Domain, Mesh, NONE, Positions, Scene};
use crate::parallel;
use solio_base::{Loss, Losses, Result, Work};
use solio_codec::number::Digits;
use solio_codec::wide::{Wide, wide};
use std::ops::Range;

/// Something that a mesh may have and a format may lack.
pub(crate) struct Feature {
    /// [`Loss::what`].
    what: &'static str,
    /// What the format does not have.
    words: &'static str,
    unit: &'static str,
    count: fn(&Mesh<'_>) -> usize,
    example: fn(&Mesh<'_>) -> Option<String>,
}

const fn feature(
    what: &'static str,
    words: &'static str,
    unit: &'static str,
    count: fn(&Mesh<'_>) -> usize,
) -> Feature {
    Feature { what, words, unit, count, example: |_| None }
}

pub(crate) const WEIGHTS: Feature = feature("weights", "fourth coordinate", "vertex", |m| {
    m.weights.as_ref().map_or(0, |w| w.len())
});
pub(crate) const VERTEX_COLORS: Feature =
    feature("vertex_colors", "vertex colours", "vertex", |m| {
        m.colors.as_ref().map_or(0, |c| c.values.len())
    });
pub(crate) const UVS: Feature = feature("uvs", "texture coordinates", "value", |m| {
    m.uvs.as_ref().map_or(0, |uvs| uvs.values.len())
});
pub(crate) const LINE_UVS: Feature =
    feature("line_uvs", "texture coordinates of lines", "value", |m| m.line_uvs.len());
pub(crate) const SMOOTHING: Feature =
    feature("smoothing_groups", "smoothing groups", "face", |m| m.face_smoothing.len());
pub(crate) const GROUPS: Feature = Feature {
    example: |m| m.groups.first().cloned(),
    ..feature("groups", "groups of faces", "group", |m| m.groups.len())
};
pub(crate) const LINES: Feature =
    feature("lines", "lines", "line", |m| m.line_offsets.len().saturating_sub(1));
pub(crate) const POINTS: Feature = feature("points", "point elements", "point", |m| m.points.len());
pub(crate) const VERTEX_GROUPS: Feature = Feature {
    example: |m| m.vertex_groups.first().map(|group| group.name.clone()),
    ..feature("vertex_groups", "vertex groups", "vertex group", |m| m.vertex_groups.len())
};
pub(crate) const ATTRIBUTES: Feature = Feature {
    example: |m| m.attributes.first().map(|a| format!("{}.{}", a.element, a.name)),
    ..feature("attributes", "attributes", "attribute", |m| m.attributes.len())
};
pub(crate) const SPLATS: Feature =
    feature("splats", "Gaussian splats: they become points", "splat", crate::splats::splat_count);
pub(crate) const FREEFORM: Feature =
    feature("freeform", "free-form curves and surfaces", "statement", |m| {
        m.freeform.split(|&b| b == b'\n').filter(|line| !line.is_empty()).count()
    });

/// What formats of faces alone lack.
const PLAIN_LACKS: [Feature; 10] =
    [SPLATS, WEIGHTS, UVS, LINE_UVS, SMOOTHING, GROUPS, LINES, POINTS, VERTEX_GROUPS, FREEFORM];

/// Adds what the format `name` lacks, which has faces alone.
pub(crate) fn plain(losses: &mut Losses, scene: &Scene<'_>, name: &str) {
    materials(losses, scene, name);
    if !scene.comments.is_empty() {
        let loss = Loss::new("comments", format!("{name} has no comments"));
        losses.add(loss.count(scene.comments.len() as u64, "comment"));
    }
    lacking(losses, scene, name, &PLAIN_LACKS);
}

/// Adds that the numbers of `array` are rounded, where one is.
pub(crate) fn digits(losses: &mut Losses, array: Option<&str>) {
    if let Some(array) = array {
        let reason = "numbers are rounded to the digits that are written";
        losses.add(Loss::new("digits", reason).example(array).kept_by("digits"));
    }
}

/// Adds what the meshes have of `features`, none of which the format `name` has.
pub(crate) fn lacking(losses: &mut Losses, scene: &Scene<'_>, name: &str, features: &[Feature]) {
    for feature in features {
        scene.meshes.iter().for_each(|mesh| lacking_of(losses, mesh, name, feature));
    }
}

/// The same of one mesh.
pub(crate) fn lacking_of(losses: &mut Losses, mesh: &Mesh<'_>, name: &str, feature: &Feature) {
    let count = (feature.count)(mesh);
    if count > 0 {
        let loss = Loss::new(feature.what, format!("{name} has no {}", feature.words));
        let example = (feature.example)(mesh).unwrap_or_default();
        losses.add(loss.count(count as u64, feature.unit).example(example));
    }
}

/// Adds what is made up where a file has an array of all or none, and only some of the scene have it:
/// `counts` are how many of a mesh have a value, and lack one.
pub(crate) fn gaps(
    losses: &mut Losses,
    scene: &Scene<'_>,
    what: &'static str,
    reason: &'static str,
    unit: &'static str,
    counts: impl Fn(&Mesh<'_>) -> [usize; 2],
) {
    let add = |[a, b]: [usize; 2], [c, d]: [usize; 2]| [a + c, b + d];
    let [have, lack] = scene.meshes.iter().map(counts).fold([0; 2], add);
    losses.add_some(what, reason, if have > 0 { lack } else { 0 }, unit);
}

/// How many corners of a mesh, or vertices where it has none, have a value of this domain, and lack one.
pub(crate) fn counts_of(mesh: &Mesh<'_>, domain: Option<&Domain<'_>>) -> [usize; 2] {
    let (vertices, corners) = (mesh.positions.len(), mesh.corner_vertices.len());
    let all = if corners == 0 { vertices } else { corners };
    let have = match domain {
        Some(Domain::Vertex) => all,
        Some(Domain::Indexed(index)) => index.iter().filter(|at| **at != NONE).count(),
        Some(Domain::Corner | Domain::Face) => corners,
        None => 0,
    };
    [have, all.saturating_sub(have)]
}

/// Adds the materials, which the format `name` does not have.
pub(crate) fn materials(losses: &mut Losses, scene: &Scene<'_>, name: &str) {
    if let Some(first) = scene.materials.first() {
        let loss = Loss::new("materials", format!("{name} has no materials"));
        losses.add(loss.count(scene.materials.len() as u64, "material").example(&*first.name));
    }
    libraries(losses, scene, name);
}

/// Adds the names of material libraries, which the format `name` does not have.
pub(crate) fn libraries(losses: &mut Losses, scene: &Scene<'_>, name: &str) {
    if let Some(first) = scene.material_libraries.first() {
        let loss = Loss::new("material_libraries", format!("{name} names no material libraries"));
        losses.add(loss.count(scene.material_libraries.len() as u64, "library").example(first));
    }
}

/// Adds the objects, where the format `name` has one mesh without a name.
pub(crate) fn objects(losses: &mut Losses, scene: &Scene<'_>, name: &str) {
    let count: usize = scene.meshes.iter().map(|mesh| mesh.objects.len().max(1)).sum();
    let names = || scene.meshes.iter().flat_map(|mesh| &mesh.objects).map(|o| &*o.name);
    let named = names().find(|name| !name.is_empty());
    if count > 1 || named.is_some() {
        let reason = format!("{name} has one mesh, and no objects");
        let loss = Loss::new("objects", reason).count(count as u64, "object");
        losses.add(loss.example(named.unwrap_or_default()));
    }
}

/// Adds the transforms of objects, which no format keeps: they are applied, or left out.
pub(crate) fn transforms(losses: &mut Losses, scene: &Scene<'_>, name: &str, are_applied: bool) {
    let objects = scene.meshes.iter().flat_map(|mesh| &mesh.objects);
    let reason = match are_applied {
        true => format!("{name} has no transforms: they are applied to the vertices"),
        false => format!("{name} has no transforms"),
    };
    let mut placed = objects.filter(|object| object.transform.is_some());
    if let Some(first) = placed.next() {
        let loss = Loss::new("transforms", reason).count(1 + placed.count() as u64, "object");
        losses.add(loss.example(&*first.name));
    }
}

/// Values that are looked through on one thread.
const FEW: usize = 1 << 16;

/// Runs `find` where [`any`] has all threads of `work`, if the scene is large.
pub(crate) fn look<R: Send>(
    scene: &Scene<'_>,
    work: &Work,
    find: impl FnOnce() -> R + Send,
) -> Result<R> {
    let is_large = |m: &Mesh<'_>| m.positions.len().max(m.corner_vertices.len()) > 4 * FEW;
    if work.threads > 1 && scene.meshes.iter().any(is_large) {
        return Ok(parallel::pool(work)?.install(find));
    }
    Ok(find())
}

/// Whether `is` holds for one of `0..count`.
pub(crate) fn any(count: usize, is: impl Fn(usize) -> bool + Sync) -> bool {
    any_range(count, |range| range.into_iter().any(&is))
}

/// [`any`], of a test of many at once.
pub(crate) fn any_range(count: usize, is: impl Fn(Range<usize>) -> bool + Sync) -> bool {
    let pieces = count.div_ceil(FEW);
    let piece = |i: usize| is(i * FEW..count.min((i + 1) * FEW));
    if pieces < 2 || rayon::current_thread_index().is_none() {
        return (0..pieces).any(piece);
    }
    // The first values mostly tell.
    piece(0) || parallel::any(pieces - 1, &|i| piece(i + 1))
}

/// Whether some of `values` do not read back as they were, where they are written with `digits`.
pub(crate) fn rounds(values: &[f32], digits: Digits) -> bool {
    let Digits::Fixed(digits) = digits else { return false };
    let scale = SCALES[usize::from(digits.min(Digits::MAX_FIXED))];
    // A product instead of the quotient is some 2^-52 of it off. With so few digits a decimal is never
    // as near to the middle between two floats as that: what one float less says, the other does too.
    let is_quick = digits <= 6;
    any_range(values.len(), |range| {
        values[range].chunks(1024).any(|values| {
            (!is_quick || wide(SomeRounded::<true>(values, scale)))
                && wide(SomeRounded::<false>(values, scale))
        })
    })
}

/// Whether a value, as a decimal of `1 / scale`, is another float; the decimal is found by a product
/// where `QUICK`.
struct SomeRounded<'a, const QUICK: bool>(&'a [f32], f64);

impl<const QUICK: bool> Wide for SomeRounded<'_, QUICK> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        /// Added and taken away again, it leaves no digits behind the point of what is below 2^51.
        const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;
        let SomeRounded(values, scale) = self;
        let inverse = 1.0 / scale;
        // Without branches, so that this is a vector loop.
        values.iter().fold(false, |some, &value| {
            let scaled = f64::from(value) * scale;
            let whole = (scaled + ROUNDER) - ROUNDER;
            let text = if QUICK { whole * inverse } else { whole / scale };
            // Larger floats have no more digits than are written. NaN compares as not less.
            some | ((scaled.abs() < 2e15) & (text as f32 != value))
        })
    }
}

/// The same of 64-bit values.
pub(crate) fn rounds_f64(values: &[f64], digits: Digits) -> bool {
    let Digits::Fixed(digits) = digits else { return false };
    let scale = SCALES[usize::from(digits.min(Digits::MAX_FIXED))];
    any(values.len(), |i| {
        let scaled = (values[i] * scale).round_ties_even();
        scaled.abs() < 9e15 && scaled / scale != values[i]
    })
}

/// Whether some positions do not read back as they were.
pub(crate) fn rounds_positions(mesh: &Mesh<'_>, digits: Digits) -> bool {
    match &mesh.positions {
        Positions::F32(p) => rounds(p.as_flattened(), digits),
        Positions::F64(p) => rounds_f64(p.as_flattened(), digits),
    }
}

/// Powers of ten.
const SCALES: [f64; Digits::MAX_FIXED as usize + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17,
];

/// Whether some vertex has several UVs or normals, which become several vertices; normals of faces count
/// where a format has none of these.
pub(crate) fn shares_vertices(mesh: &Mesh<'_>, uvs: bool, normals: bool, of_faces: bool) -> bool {
    let uvs = mesh.uvs.as_ref().filter(|u| uvs && u.domain != Domain::Vertex);
    let normals = mesh.normals.as_ref().filter(|n| match n.domain {
        Domain::Vertex => false,
        Domain::Face => normals && of_faces,
        _ => normals,
    });
    let corners = mesh.corner_vertices.len();
    if uvs.is_none() && normals.is_none() {
        return false;
    }
    let uv = |corner: usize| {
        let uvs = uvs?;
        Some(uvs.values.get(uvs.domain.index_of(mesh, corner)?)?.map(f32::to_bits))
    };
    let normal = |corner: usize| {
        let normals = normals?;
        let normal = normals.values.get(normals.domain.index_of(mesh, corner)?)?;
        // Where normals of faces count, zeros of both signs are equal.
        Some(normal.map(|x| if of_faces { x + 0.0 } else { x }.to_bits()))
    };
    let mut first = vec![NONE; mesh.positions.len()];
    (0..corners).any(|corner| {
        let Some(first) = first.get_mut(mesh.corner_vertices[corner] as usize) else {
            return false;
        };
        if *first == NONE {
            *first = corner as u32;
        }
        let other = *first as usize;
        other != corner && (uv(other) != uv(corner) || normal(other) != normal(corner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_what_the_text_reads_back_as() {
        use solio_codec::number::format::push_f32;
        let mut random = 1u32;
        for _ in 0..100_000 {
            random = random.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x5bd1;
            let value = f32::from_bits(random & 0x5fff_ffff | random & 0x8000_0000);
            for digits in [0, 4, 6, 9] {
                let mut text = Vec::new();
                push_f32(&mut text, Digits::Fixed(digits), value);
                let back: f32 = std::str::from_utf8(&text).unwrap().parse().unwrap();
                let is_rounded = rounds(&[value], Digits::Fixed(digits));
                assert_eq!(is_rounded, back != value, "{value:e} {digits}");
            }
            assert!(!rounds(&[value], Digits::Shortest));
            // Near a decimal, where the two ways are nearest to saying different things.
            for (digits, scale) in [(2, 1e2), (5, 1e5), (6, 1e6)] {
                let near = (f64::from(random % 40_000_000) / scale) as f32;
                for value in [near, near.next_up(), -near.next_down()] {
                    let exact = SomeRounded::<false>(&[value], scale).run();
                    assert_eq!(SomeRounded::<true>(&[value], scale).run(), exact, "{value:e}");
                    assert_eq!(rounds(&[value], Digits::Fixed(digits)), exact, "{value:e}");
                }
            }
        }
    }

    #[test]
    fn any_finds_the_last_of_many() {
        let work = Work { threads: 2, ..Work::default() };
        parallel::pool(&work).unwrap().install(|| {
            assert!(any(10 * FEW, |i| i + 1 == 10 * FEW));
            assert!(!any(10 * FEW, |i| i == 10 * FEW));
        });
    }
}
