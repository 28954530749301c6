//! Whether two scenes say the same, whatever the numbers of their materials and groups.

use solio_mesh::model::{Attribute, Values};
use solio_mesh::{Colors, Domain, Mesh, Normals, Positions, Scene, Uvs};

/// Bits that are equal for equal values, and for all NaN.
fn bits32(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

fn bits64(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn assert_floats<const N: usize>(what: &str, a: &[[f32; N]], b: &[[f32; N]]) {
    assert_eq!(a.len(), b.len(), "number of {what}");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.map(bits32), b.map(bits32), "{what} {i}: {a:?} and {b:?}");
    }
}

fn assert_positions(a: &Positions<'_>, b: &Positions<'_>) {
    match (a, b) {
        (Positions::F32(a), Positions::F32(b)) => assert_floats("positions", a, b),
        (Positions::F64(a), Positions::F64(b)) => {
            assert_eq!(a.len(), b.len(), "number of positions");
            for (a, b) in a.iter().zip(b.iter()) {
                assert_eq!(a.map(bits64), b.map(bits64), "{a:?} and {b:?}");
            }
        }
        // An empty element has no type that shows.
        _ => assert!(a.is_empty() && b.is_empty(), "single and double positions"),
    }
}

fn assert_domain(what: &str, a: &Domain<'_>, b: &Domain<'_>) {
    assert!(a == b, "{what}: {a:?} and {b:?}");
}

/// The name of each face's material or group; empty where no face has one.
fn names<'n>(of: &[u32], name: impl Fn(usize) -> &'n str) -> Vec<String> {
    let names: Vec<String> = of.iter().map(|&i| name(i as usize).to_owned()).collect();
    if names.iter().all(String::is_empty) { Vec::new() } else { names }
}

/// [`assert_same`], where `b` is of a stream: that is read once, so wide text may be rounded.
pub(crate) fn assert_streamed(a: &Scene<'_>, b: &Scene<'_>) {
    let is_rounded = b.warnings.iter().any(|warning| warning.contains("stream is read once"));
    match a.meshes[0].positions {
        // Rounded, other vertices may lie at one place.
        Positions::F64(_) if is_rounded => assert_same_triangles(a, b),
        _ => assert_same(a, b),
    }
}

/// Panics where two scenes of one mesh differ.
pub(crate) fn assert_same(a: &Scene<'_>, b: &Scene<'_>) {
    assert_eq!((a.meshes.len(), b.meshes.len()), (1, 1));
    let (m, n) = (&a.meshes[0], &b.meshes[0]);
    assert_positions(&m.positions, &n.positions);
    assert_eq!(m.face_offsets, n.face_offsets, "face offsets");
    assert_eq!(m.corner_vertices, n.corner_vertices, "corners");
    assert_eq!(m.line_offsets, n.line_offsets, "line offsets");
    assert_eq!(m.line_vertices, n.line_vertices, "line vertices");
    assert_eq!(m.line_uvs, n.line_uvs, "UVs of lines");
    assert_eq!(m.points, n.points, "points");
    assert_eq!(m.face_smoothing, n.face_smoothing, "smoothing groups");
    assert_values(m, n);
    let groups = |mesh: &Mesh<'_>| {
        names(&mesh.face_groups, |i| mesh.groups.get(i).map(String::as_str).unwrap_or_default())
    };
    assert_eq!(groups(m), groups(n), "groups of faces");
    let materials = |scene: &Scene<'_>| {
        let name = |i: usize| scene.materials.get(i).map(|m| m.name.as_str()).unwrap_or_default();
        names(&scene.meshes[0].face_materials, name)
    };
    assert_eq!(materials(a), materials(b), "materials of faces");
    assert_objects(m, n);
    assert_attributes(m, n);
    let text = |mesh: &Mesh<'_>| String::from_utf8_lossy(&mesh.freeform).into_owned();
    assert_eq!(text(m), text(n), "free-form statements");
}

fn uvs<'a>(mesh: &'a Mesh<'_>) -> Option<&'a Uvs<'a>> {
    mesh.uvs.as_ref().filter(|uvs| !uvs.values.is_empty())
}

/// Normals, but not those of a file that no face could have: they are not written.
fn normals<'a>(mesh: &'a Mesh<'_>) -> Option<&'a Normals<'a>> {
    let some = mesh.normals.as_ref().filter(|normals| !normals.values.is_empty());
    some.filter(|n| !mesh.face_offsets.is_empty() || n.domain == Domain::Vertex)
}

fn colors<'a>(mesh: &'a Mesh<'_>) -> Option<&'a Colors<'a>> {
    mesh.colors.as_ref().filter(|colors| !colors.values.is_empty())
}

/// UVs, normals, colours and the fourth coordinates.
fn assert_values(m: &Mesh<'_>, n: &Mesh<'_>) {
    match (uvs(m), uvs(n)) {
        (Some(u), Some(v)) => {
            assert_floats("UVs", &u.values, &v.values);
            assert_domain("UVs", &u.domain, &v.domain);
        }
        (u, v) => assert_eq!(u.is_some(), v.is_some(), "UVs"),
    }
    match (normals(m), normals(n)) {
        (Some(u), Some(v)) => {
            assert_floats("normals", &u.values, &v.values);
            assert_domain("normals", &u.domain, &v.domain);
        }
        (u, v) => assert_eq!(u.is_some(), v.is_some(), "normals"),
    }
    if m.weights.is_some() && m.colors.is_some() {
        return; // a line of text holds one or the other
    }
    match (colors(m), colors(n)) {
        (Some(u), Some(v)) => {
            assert_floats("colours", &u.values, &v.values);
            assert_eq!(u.space, v.space);
        }
        (u, v) => assert_eq!(u.is_some(), v.is_some(), "colours"),
    }
    let weights = |mesh: &Mesh<'_>| {
        mesh.weights.as_ref().map(|w| w.iter().map(|&w| bits32(w)).collect::<Vec<_>>())
    };
    assert_eq!(weights(m), weights(n), "fourth coordinates");
}

/// Objects, where all of them have names: others are not written apart.
fn assert_objects(m: &Mesh<'_>, n: &Mesh<'_>) {
    if m.objects.iter().any(|o| o.name.is_empty()) {
        return;
    }
    let objects = |mesh: &Mesh<'_>| {
        let mut objects = mesh.objects.clone();
        if normals(mesh).is_none() {
            objects.iter_mut().for_each(|object| object.normals_end = 0);
        }
        objects
    };
    assert_eq!(objects(m), objects(n));
}

/// Attributes in any order, but not those of elements without records, which are not written.
fn assert_attributes(m: &Mesh<'_>, n: &Mesh<'_>) {
    let sorted = |mesh: &Mesh<'_>| {
        let some = |a: &&Attribute<'_>| match &a.list {
            Some((offsets, _)) => offsets.len() > 1,
            None => !a.values.is_empty(),
        };
        let mut all: Vec<String> = mesh.attributes.iter().filter(some).map(attribute).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(m), sorted(n), "attributes");
}

fn attribute(a: &Attribute<'_>) -> String {
    let values = match &a.values {
        Values::F32(v) => format!("{:?}", v.iter().map(|&v| bits32(v)).collect::<Vec<_>>()),
        Values::F64(v) => format!("{:?}", v.iter().map(|&v| bits64(v)).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    };
    format!("{} {} {:?} {values}", a.element, without_number(&a.name), a.list)
}

/// A name without the `.001` that it is given where a property of the file has it already.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((start, n)) if n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()) => start,
        _ => name,
    }
}

/// Panics where the triangles of two meshes lie at different places.
pub(crate) fn assert_same_triangles(a: &Scene<'_>, b: &Scene<'_>) {
    // Text may have more than the 32 bits of what is written.
    let corners = |scene: &Scene<'_>| -> Vec<[u32; 3]> {
        let mesh = &scene.meshes[0];
        // Solids do not share vertices, but what is written is one solid, where 0 and -0 are one.
        let place = |&v: &u32| mesh.positions.get(v as usize).map(|x| bits32(x as f32 + 0.0));
        mesh.corner_vertices.iter().map(place).collect()
    };
    assert_eq!(corners(a), corners(b), "triangles");
}
