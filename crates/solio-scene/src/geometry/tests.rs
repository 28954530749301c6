use super::*;
use crate::scene::{NoFiles, SceneOptions, read_scene};
use solio_base::Work;
use std::path::Path;

fn scene(shape: &str) -> Scene {
    let text = format!("WorldBegin\nShape {shape}\n").into_bytes();
    read_scene(&text, Path::new("s"), &NoFiles, &SceneOptions::default(), &Work::serial()).unwrap()
}

fn of(shape: &str) -> Triangles<'static> {
    let scene = scene(shape);
    let found = triangles(&scene, &scene.shapes[0].entity).unwrap().unwrap();
    Triangles {
        positions: Cow::Owned(found.positions.into_owned()),
        indices: Cow::Owned(found.indices.into_owned()),
        normals: Cow::Owned(found.normals.into_owned()),
        uvs: Cow::Owned(found.uvs.into_owned()),
    }
}

fn area(mesh: &Triangles<'_>) -> f64 {
    let point = |i: u32| Vec3::from(mesh.positions[i as usize]).as_dvec3();
    let double = mesh
        .indices
        .iter()
        .map(|[a, b, c]| (point(*b) - point(*a)).cross(point(*c) - point(*a)).length());
    double.sum::<f64>() / 2.0
}

#[test]
fn quadrics_have_about_the_area_of_the_exact_ones() {
    use std::f64::consts::PI;
    for (shape, expected) in [
        ("\"sphere\" \"float radius\" 2", 16.0 * PI),
        ("\"sphere\" \"float zmin\" 0 \"float phimax\" 180", PI),
        ("\"cylinder\" \"float radius\" 2 \"float zmax\" 3", 16.0 * PI),
        ("\"disk\" \"float radius\" 2 \"float innerradius\" 1", 3.0 * PI),
        ("\"cone\" \"float height\" 2", PI * 5f64.sqrt()),
        ("\"paraboloid\"", PI / 6.0 * (5.0 * 5f64.sqrt() - 1.0)),
        ("\"hyperboloid\" \"point3 p1\" [1 0 0] \"point3 p2\" [1 0 2]", 4.0 * PI),
    ] {
        let found = area(&of(shape));
        assert!((found / expected - 1.0).abs() < 0.01, "{shape}: {found}, not {expected}");
    }
}

#[test]
fn the_ends_of_quadrics_may_change_places() {
    for (class, low, high) in
        [("sphere", -0.5, 0.25), ("cylinder", -1.0, 2.0), ("paraboloid", 0.0, 1.0)]
    {
        let [right, wrong] = [(low, high), (high, low)].map(|(zmin, zmax)| {
            of(&format!("\"{class}\" \"float zmin\" {zmin:?} \"float zmax\" {zmax:?}"))
        });
        assert_eq!(right, wrong, "{class}");
        let outward = right.indices.iter().map(|corners| {
            let [a, b, c] = corners.map(|i| Vec3::from(right.positions[i as usize]));
            (b - a).cross(c - a).dot(a.with_z(0.0))
        });
        assert!(outward.sum::<f32>() > 0.0, "{class}");
    }
}

#[test]
fn meshes_are_as_they_are() {
    let points = "\"point3 P\" [0 0 0  1 0 0  0 1 0  1 1 0]";
    let mesh = of(&format!("\"trianglemesh\" {points} \"integer indices\" [0 1 2  2 1 3]"));
    assert_eq!(mesh.indices[..], [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(of(&format!("\"trianglemesh\" {points}")).indices[..], [[0, 1, 2]]);
    let patch = of(&format!("\"bilinearmesh\" {points}"));
    assert!((area(&patch) - 1.0).abs() < 1e-9);
    // What is too little for a face is left out.
    for excess in ["[0 1 2  2 1 3  0]", "[0 1 2  2 1 3  0 4]"] {
        let found = of(&format!("\"trianglemesh\" {points} \"integer indices\" {excess}"));
        assert_eq!(found, mesh);
    }
    for wrong in ["[0 1 4]", "[0 1 -1]"] {
        let scene = scene(&format!("\"trianglemesh\" {points} \"integer indices\" {wrong}"));
        assert!(triangles(&scene, &scene.shapes[0].entity).is_err(), "{wrong}");
    }
    assert!(
        triangles(&scene("\"plymesh\""), &scene("\"plymesh\"").shapes[0].entity).unwrap().is_none()
    );
}

#[test]
fn curves_go_through_the_points_that_they_should() {
    let mesh = of("\"curve\" \"point3 P\" [0 0 0  1 0 0  2 0 0  3 0 0] \"float width\" 0.002");
    let ends = |i: usize| {
        mesh.positions.iter().map(|p| p[i]).fold([9f32, -9f32], |[a, b], x| [a.min(x), b.max(x)])
    };
    assert_eq!(ends(0), [0.0, 3.0]);
    assert!(ends(1)[1] <= 0.0011 && ends(2)[1] <= 0.0011);
    // Seen along y and along z it is as wide as it should be, but for its sides.
    assert!(ends(1)[1] - ends(1)[0] > 0.0019 && ends(2)[1] - ends(2)[0] > 0.0019);
    // A uniform B-spline over equal steps begins a step inside.
    let mesh = of(
        "\"curve\" \"string basis\" \"bspline\" \"point3 P\" [0 0 0  1 0 0  2 0 0  3 0 0  4 0 0]",
    );
    let x =
        mesh.positions.iter().map(|p| p[0]).fold([9f32, -9f32], |[a, b], x| [a.min(x), b.max(x)]);
    assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 3.0).abs() < 1e-5, "{x:?}");
}

#[test]
fn ribbons_lie_across_their_normals_and_turn_with_them() {
    let points = "\"point3 P\" [0 0 0  1 0 0  2 0 0  3 0 0] \"float width\" 2";
    let ribbon = format!("\"curve\" \"string type\" \"ribbon\" {points}");
    let flat = of(&format!("{ribbon} \"normal N\" [0 0 1  0 0 1]"));
    assert!((area(&flat) - 6.0).abs() < 1e-5);
    assert!(flat.positions.iter().all(|p| p[2].abs() < 1e-6 && (p[1].abs() - 1.0).abs() < 1e-6));
    let turned = of(&format!("{ribbon} \"normal N\" [0 0 1  0 1 0]"));
    let (first, last) = (turned.positions[0], turned.positions[turned.positions.len() - 1]);
    assert!((first[1].abs() - 1.0).abs() < 1e-5 && (last[2].abs() - 1.0).abs() < 1e-5);
    // Without normals of all segments it is a tube.
    assert!(area(&of(&ribbon)) > 15.0);
}

#[test]
fn chords_of_curves_keep_near_them() {
    // A quarter of a circle but for 0.03 %.
    let k = 0.552_284_8;
    let arc =
        format!("\"curve\" \"point3 P\" [1 0 0  1 {k} 0  {k} 1 0  0 1 0] \"float width\" 0.01");
    let mesh = of(&arc);
    for triangle in mesh.indices.iter() {
        let [a, b, c] = triangle.map(|i| Vec3::from(mesh.positions[i as usize]));
        let middle = ((a + b + c) / 3.0).length();
        assert!((middle - 1.0).abs() < 0.0065, "{middle}");
    }
    // One of many is drawn with fewer triangles.
    let many = format!("{arc}\nShape ").repeat(1001) + &arc;
    let coarse = of(&many);
    assert!(coarse.indices.len() * 4 < mesh.indices.len(), "{}", coarse.indices.len());
}

#[test]
fn subdivision_keeps_planes_and_rounds_bodies() {
    let flat = "\"loopsubdiv\" \"integer levels\" 2 \"point3 P\" [0 0 0  1 0 0  0 1 0  1 1 0] \
        \"integer indices\" [0 1 2  2 1 3]";
    let mesh = of(flat);
    assert_eq!(mesh.indices.len(), 32);
    assert!(mesh.positions.iter().all(|p| p[2] == 0.0));
    // A tetrahedron: on the limit surface a vertex lies at 2/5 of itself and 1/5 of each of the
    // others, after any number of levels.
    let body = |levels: u32| {
        of(&format!(
            "\"loopsubdiv\" \"integer levels\" {levels} \
             \"point3 P\" [1 1 1  1 -1 -1  -1 1 -1  -1 -1 1] \
             \"integer indices\" [0 1 2  0 3 1  0 2 3  1 3 2]"
        ))
    };
    for levels in 0..4 {
        let corner = Vec3::from(body(levels).positions[0]);
        assert!((corner - Vec3::splat(0.2)).length() < 1e-6, "{levels}: {corner}");
    }
    let mesh = body(1);
    assert_eq!((mesh.positions.len(), mesh.indices.len()), (10, 16));
    // A border moves along itself: a corner to 3/5 of itself and 1/5 of each of the next.
    let corner = of("\"loopsubdiv\" \"integer levels\" 0 \"point3 P\" [0 0 0  1 0 0  0 1 0] \
        \"integer indices\" [0 1 2]");
    assert_eq!(corner.positions[0], [0.2, 0.2, 0.0]);
}

#[test]
fn surfaces_that_are_smooth_have_normals_and_meshes_those_that_are_given() {
    let ball = of("\"sphere\" \"float radius\" 2");
    for (position, normal) in ball.positions.iter().zip(ball.normals.iter()) {
        let (position, normal) = (Vec3::from(*position), Vec3::from(*normal));
        let cosine = position.normalize().dot(normal.normalize()).abs();
        assert!(cosine > 0.999, "{position}: {normal}");
    }
    let points = "\"point3 P\" [0 0 0  1 0 0  0 1 0]";
    let mesh = of(&format!("\"trianglemesh\" {points} \"normal N\" [0 0 2  0 1 0  1 0 0]"));
    assert_eq!(*mesh.normals, [[0., 0., 2.], [0., 1., 0.], [1., 0., 0.]]);
    assert!(of(&format!("\"trianglemesh\" {points} \"normal N\" [0 0 2]")).normals.is_empty());
    assert!(of(&format!("\"trianglemesh\" {points}")).normals.is_empty());
    let rounded = of(&format!("\"loopsubdiv\" {points} \"integer indices\" [0 1 2]"));
    assert_eq!(rounded.normals.len(), rounded.positions.len());
    assert!(rounded.normals.iter().all(|n| n[..2] == [0.0; 2] && n[2] > 0.0));
}

#[test]
fn texture_coordinates_are_those_of_pbrt() {
    let sphere = of("\"sphere\" \"float phimax\" 180");
    let corner = |mesh: &Triangles<'_>, u: f32, v: f32| {
        let at = mesh.uvs.iter().position(|uv| *uv == [u, v]).unwrap();
        mesh.positions[at]
    };
    // u runs around from +x over +y, v from the lowest z to the highest.
    let half = corner(&sphere, 0.5, 0.5);
    assert!((Vec3::from(half) - Vec3::Y).length() < 1e-6, "{half:?}");
    assert_eq!(corner(&sphere, 0.0, 0.0)[2], -1.0);
    // Of a disk v is 0 at its rim.
    assert_eq!(corner(&of("\"disk\" \"float radius\" 3"), 0.0, 0.0), [3.0, 0.0, 0.0]);
    let points = "\"point3 P\" [0 0 0 1 0 0 0 1 0]";
    let given = of(&format!("\"trianglemesh\" {points} \"point2 uv\" [0 0 2 0 0 3]"));
    assert_eq!(*given.uvs, [[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]]);
    assert!(of(&format!("\"trianglemesh\" {points} \"point2 uv\" [0 0 2 0]")).uvs.is_empty());
}
