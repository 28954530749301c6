//! Trees against asking every primitive, and against adversaries.

use proptest::prelude::*;

use super::*;
use crate::bounds::{Box3, box_of_points};

/// A generator of noise.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// In 0 .. 1.
    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1u64 << 31) as f32
    }

    fn point(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| (self.unit() - 0.5) * size)
    }
}

type Owned = (Vec<[f32; 3]>, Vec<[u32; 3]>);

fn lent(mesh: &Owned) -> BvhMesh<'_> {
    BvhMesh { positions: &mesh.0, triangles: &mesh.1 }
}

fn soup(count: usize, size: f32, noise: &mut Noise) -> Owned {
    let mut positions = Vec::new();
    for _ in 0..count {
        let centre = noise.point(10.0);
        for _ in 0..3 {
            let offset = noise.point(size);
            positions.push(std::array::from_fn(|i| centre[i] + offset[i]));
        }
    }
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    (positions, triangles)
}

/// A closed surface: a sphere of squares, each cut in two, its poles single points.
fn sphere(steps: u32, centre: [f32; 3], radius: f32) -> Owned {
    let mut positions = vec![[centre[0], centre[1], centre[2] + radius]];
    for ring in 1..steps {
        let polar = ring as f32 / steps as f32 * std::f32::consts::PI;
        for step in 0..2 * steps {
            let turn = step as f32 / steps as f32 * std::f32::consts::PI;
            positions.push([
                centre[0] + radius * polar.sin() * turn.cos(),
                centre[1] + radius * polar.sin() * turn.sin(),
                centre[2] + radius * polar.cos(),
            ]);
        }
    }
    let south = positions.len() as u32;
    positions.push([centre[0], centre[1], centre[2] - radius]);
    let at = |ring: u32, step: u32| match ring {
        0 => 0,
        ring if ring == steps => south,
        ring => 1 + (ring - 1) * 2 * steps + step % (2 * steps),
    };
    let mut triangles = Vec::new();
    for ring in 0..steps {
        for step in 0..2 * steps {
            let corners =
                [at(ring, step), at(ring + 1, step), at(ring + 1, step + 1), at(ring, step + 1)];
            let [a, b, c, d] = corners;
            if ring + 1 < steps {
                triangles.push([a, b, c]);
            }
            if ring > 0 {
                triangles.push([a, c, d]);
            }
        }
    }
    (positions, triangles)
}

/// The nearest hit by asking every triangle, in `f64`, after Möller and Trumbore: another method
/// than the tree's. Says also whether the answer is near an edge or an end, where the two may differ.
fn brute(mesh: &Owned, ray: &Ray) -> (Option<(f64, u32)>, bool) {
    let wide = |x: [f32; 3]| x.map(f64::from);
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let (origin, direction) = (wide(ray.origin), wide(ray.direction));
    let (mut nearest, mut doubtful) = (None, false);
    for (i, corners) in mesh.1.iter().enumerate() {
        let [a, b, c] = corners.map(|v| wide(mesh.0[v as usize]));
        let (e, f) = (minus(b, a), minus(c, a));
        let p = cross(direction, f);
        let determinant = dot(e, p);
        let scale = (dot(e, e) * dot(f, f) * dot(direction, direction)).sqrt();
        if determinant.abs() <= 1e-5 * scale {
            // Seen from its edge, or without a surface: either answer is right.
            doubtful |= scale > 0.0;
            continue;
        }
        let s = minus(origin, a);
        let q = cross(s, e);
        let (u, v) = (dot(s, p) / determinant, dot(direction, q) / determinant);
        let distance = dot(f, q) / determinant;
        let inside = u.min(v).min(1.0 - u - v);
        let far = distance.abs().max(1.0) * 1e-4;
        let ends = [f64::from(ray.from), f64::from(ray.to)];
        let near_end = ends.iter().any(|end| (distance - end).abs() < far);
        if inside > -1e-3 && (inside.abs() < 1e-3 || near_end) {
            doubtful = true;
        }
        let within = distance > ends[0] && distance <= ends[1];
        if inside >= 0.0 && within && nearest.is_none_or(|(best, _)| distance < best) {
            nearest = Some((distance, i as u32));
        }
    }
    (nearest, doubtful)
}

/// Asserts that both qualities, and both ways to ask, agree with asking everybody. Gives the number of rays
/// whose answer was beyond doubt.
fn agree(mesh: &Owned, rays: &[Ray]) -> usize {
    let mut sure = 0;
    let trees = [Quality::Fast, Quality::Good].map(|q| TriangleBvh::build(lent(mesh), q).unwrap());
    for ray in rays {
        let (expected, doubtful) = brute(mesh, ray);
        let found = trees.each_ref().map(|tree| tree.closest(lent(mesh), ray));
        let distances = found.map(|hit| hit.map(|hit| hit.distance));
        assert_eq!(distances[0], distances[1], "{ray:?}");
        for (tree, hit) in trees.iter().zip(found) {
            assert_eq!(tree.any(lent(mesh), ray), hit.is_some(), "{ray:?}");
            if doubtful {
                continue;
            }
            sure += 1;
            match (hit, expected) {
                (None, None) => {}
                (Some(hit), Some((distance, triangle))) => {
                    let error = (f64::from(hit.distance) - distance).abs();
                    assert!(
                        error <= 1e-3 * distance.max(1.0),
                        "{ray:?}: {hit:?}, not {expected:?}"
                    );
                    assert!(hit.triangle == triangle || error < 1e-4 * distance.max(1.0));
                    assert!(hit_point_error(mesh, ray, &hit) < 1e-2, "{ray:?}: {hit:?}");
                }
                _ => panic!("{ray:?}: {hit:?}, not {expected:?}"),
            }
        }
    }
    sure
}

/// How far the point by distance lies from the point by shares of vertices.
fn hit_point_error(mesh: &Owned, ray: &Ray, hit: &Hit) -> f32 {
    let [a, b, c] = mesh.1[hit.triangle as usize].map(|v| mesh.0[v as usize]);
    (0..3)
        .map(|i| {
            let along = ray.origin[i] + hit.distance * ray.direction[i];
            let shared = (1.0 - hit.u - hit.v) * a[i] + hit.u * b[i] + hit.v * c[i];
            (along - shared).abs() / (1.0 + shared.abs())
        })
        .fold(0.0, f32::max)
}

fn rays(count: usize, noise: &mut Noise) -> Vec<Ray> {
    let one = |noise: &mut Noise| {
        let (origin, to) = (noise.point(30.0), noise.point(8.0));
        let mut ray = Ray::new(origin, std::array::from_fn(|i| to[i] - origin[i]));
        match noise.next() % 8 {
            0 => ray.to = noise.unit() * 2.0,
            1 => ray.from = noise.unit(),
            // Along an axis: division by zero.
            2 => {
                ray.direction =
                    [[0.0, 0.0, -1.0], [1.0, -0.0, 0.0], [0.0, 2.0, 0.0]][noise.next() as usize % 3]
            }
            _ => {}
        }
        ray
    };
    (0..count).map(|_| one(noise)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn soups_are_hit_as_by_asking_everybody(
        count in prop_oneof![0usize..40, 40usize..1500],
        size in prop::sample::select(vec![0.01f32, 0.5, 8.0]),
        seed in any::<u64>(),
    ) {
        let mut noise = Noise(seed);
        let mesh = soup(count, size, &mut noise);
        let rays = rays(40, &mut noise);
        let sure = agree(&mesh, &rays);
        prop_assert!(size > 1.0 || sure > 40);
    }

    #[test]
    fn boxes_are_visited_as_by_asking_everybody(
        count in 0usize..600,
        size in prop::sample::select(vec![0.0f32, 0.1, 8.0]),
        odd in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut noise = Noise(seed);
        let boxes: Vec<Box3> = (0..count)
            .map(|i| match (i % 37, odd) {
                (3, true) => Box3 { min: [f32::NAN, 0.0, 0.0], max: [1.0; 3] },
                (4, true) => Box3::EMPTY,
                (5, true) => Box3::ALL,
                (6, true) => Box3 { min: [-3e38; 3], max: [3e38; 3] },
                (7, true) => Box3 { min: [f32::NEG_INFINITY, 0.0, 0.0], max: [0.0, 1.0, 1.0] },
                _ => {
                    let (min, more) = (noise.point(10.0), noise.point(size));
                    Box3 { min, max: std::array::from_fn(|i| min[i] + more[i].abs()) }
                }
            })
            .collect();
        let tree = BoxBvh::build(&boxes).unwrap();
        prop_assert_eq!(tree.len(), boxes.iter().filter(|b| !b.is_empty()).count());
        for ray in rays(30, &mut noise) {
            let mut visited = vec![0; boxes.len()];
            tree.visit(&ray, |i, to| { visited[i as usize] += 1; to });
            for (one, times) in boxes.iter().zip(&visited) {
                prop_assert!(*times <= u32::from(!one.is_empty()));
                prop_assert!(*times == 1 || !surely_met(one, &ray), "{:?} by {:?}", one, ray);
                prop_assert!(*times == 0 || perhaps_met(one, &ray), "{:?} by {:?}", one, ray);
            }
        }
    }
}

/// Whether the ray passes through the box, in `f64`, which is almost exact here.
fn stretch(one: &Box3, ray: &Ray, grown: f64) -> bool {
    let (mut near, mut far) = (f64::from(ray.from), f64::from(ray.to));
    for i in 0..3 {
        let (origin, direction) = (f64::from(ray.origin[i]), f64::from(ray.direction[i]));
        let size =
            grown * (origin.abs() + f64::from(one.max[i]).abs().max(f64::from(one.min[i]).abs()));
        let size = if size.is_finite() { size } else { 0.0 };
        let (min, max) = (f64::from(one.min[i]) - size, f64::from(one.max[i]) + size);
        if direction == 0.0 {
            if origin < min || origin > max {
                return false;
            }
            continue;
        }
        let (a, b) = ((min - origin) / direction, (max - origin) / direction);
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    near <= far * (1.0 + grown)
}

fn surely_met(one: &Box3, ray: &Ray) -> bool {
    !one.is_empty() && stretch(one, ray, 0.0)
}

fn perhaps_met(one: &Box3, ray: &Ray) -> bool {
    !one.is_empty() && stretch(one, ray, 1e-5)
}

#[test]
fn visits_end_and_shorten() {
    let boxes: Vec<Box3> = (0..1000)
        .map(|i| Box3 { min: [i as f32, 0.0, 0.0], max: [i as f32 + 0.5, 1.0, 1.0] })
        .collect();
    let tree = BoxBvh::build(&boxes).unwrap();
    assert_eq!(tree.bounds(), Box3 { min: [0.0; 3], max: [999.5, 1.0, 1.0] });
    let ray = Ray::new([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]);
    let mut visited = Vec::new();
    tree.visit(&ray, |i, _| {
        visited.push(i);
        -1.0
    });
    assert_eq!(visited, [0]);
    visited.clear();
    tree.visit(&ray, |i, to| {
        visited.push(i);
        to.min(boxes[i as usize].min[0] + 1.0 + 100.0)
    });
    assert!(visited.len() < 120, "{visited:?}");
}

#[test]
fn no_ray_slips_through_a_closed_surface() {
    let mut noise = Noise(3);
    let mesh = sphere(60, [0.3, -0.7, 0.1], 1.7);
    for quality in [Quality::Fast, Quality::Good] {
        let tree = TriangleBvh::build(lent(&mesh), quality).unwrap();
        for round in 0..200_000 {
            // From within, at vertices, at the middles of edges, and anywhere.
            let from = noise.point(1.0);
            let from: [f32; 3] = std::array::from_fn(|i| [0.3, -0.7, 0.1][i] + from[i]);
            let corners = mesh.1[noise.next() as usize % mesh.1.len()].map(|v| mesh.0[v as usize]);
            let to: [f32; 3] = match round % 3 {
                0 => corners[0],
                1 => std::array::from_fn(|i| 0.5 * corners[1][i] + 0.5 * corners[2][i]),
                _ => std::array::from_fn(|i| from[i] + noise.unit() - 0.5),
            };
            let ray = Ray::new(from, std::array::from_fn(|i| to[i] - from[i]));
            assert!(tree.closest(lent(&mesh), &ray).is_some(), "{ray:?}");
        }
    }
}

/// A plane of whole numbers seen straight on: rays meet edges and vertices exactly.
#[test]
fn rays_through_edges_meet_a_triangle() {
    let side = 40u32;
    let positions: Vec<[f32; 3]> =
        (0..=side).flat_map(|y| (0..=side).map(move |x| [x as f32, y as f32, 0.0])).collect();
    let mut triangles = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let a = y * (side + 1) + x;
            triangles.extend([[a, a + 1, a + side + 1], [a + 1, a + side + 2, a + side + 1]]);
        }
    }
    for quality in [Quality::Fast, Quality::Good] {
        let mesh = BvhMesh { positions: &positions, triangles: &triangles };
        let tree = TriangleBvh::build(mesh, quality).unwrap();
        for y in 0..=2 * side {
            for x in 0..=2 * side {
                let ray = Ray::new([x as f32 / 2.0, y as f32 / 2.0, 3.0], [0.0, 0.0, -1.0]);
                assert_eq!(tree.closest(mesh, &ray).unwrap().distance, 3.0, "{ray:?}");
            }
        }
        assert!(!tree.any(mesh, &Ray::new([-0.001, 5.0, 3.0], [0.0, 0.0, -1.0])));
    }
}

/// Meshes that have led builders into endless loops, deep trees and divisions by zero.
fn adversaries() -> Vec<(&'static str, Owned)> {
    let mut noise = Noise(9);
    let same = vec![[0u32, 1, 2]; 5000];
    let unit = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut towers = (Vec::new(), Vec::new());
    for i in 0..250u32 {
        // Each a quarter closer to the origin: planes part one from all others.
        let x = 2f32.powi(120 - i as i32);
        towers.0.extend([[x, 0.0, 0.0], [x, x, 0.0], [x * 1.5, 0.0, x]]);
        towers.1.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    let (mut odd, triangles) = soup(3000, 0.5, &mut noise);
    for i in (0..odd.len()).step_by(17) {
        odd[i][i % 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN][i % 5];
    }
    let line: Vec<[f32; 3]> = (0..9000).map(|i| [i as f32 * 0.1, 0.0, 0.0]).collect();
    let far: Vec<[f32; 3]> = line.iter().map(|p| [1e7 + p[0], 1e7, p[0] * 1e-12]).collect();
    let thirds = |count: u32| (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>();
    let subnormal: Vec<[f32; 3]> =
        (0..3000).map(|i| [f32::from_bits(i), f32::from_bits(i * 7 % 100), 0.0]).collect();
    vec![
        ("nothing", (Vec::new(), Vec::new())),
        ("one", (unit.clone(), vec![[0, 1, 2]])),
        ("the same often", (unit.clone(), same)),
        ("points", (unit, vec![[1, 1, 1]; 300])),
        ("towers", towers),
        ("not finite", (odd, triangles)),
        ("a line", (line, thirds(3000))),
        ("far away", (far, thirds(3000))),
        ("subnormal", (subnormal, thirds(1000))),
    ]
}

#[test]
fn adversaries_build_and_end() {
    for (name, mesh) in adversaries() {
        for quality in [Quality::Fast, Quality::Good] {
            let tree = TriangleBvh::build(lent(&mesh), quality).unwrap();
            let finite =
                |t: &&[u32; 3]| t.iter().all(|v| mesh.0[*v as usize].iter().all(|x| x.is_finite()));
            let kept: Vec<[u32; 3]> = mesh.1.iter().filter(finite).copied().collect();
            assert_eq!(tree.len(), kept.len(), "{name}");
            assert_eq!(tree.is_empty(), kept.is_empty(), "{name}");
            let corners: Vec<[f32; 3]> =
                kept.iter().flatten().map(|v| mesh.0[*v as usize]).collect();
            assert_eq!(tree.bounds(), box_of_points(&corners), "{name}");
            assert!(tree.cost().depth < 30, "{name}: {:?}", tree.cost());
            let mut noise = Noise(4);
            for ray in rays(300, &mut noise) {
                let hit = tree.closest(lent(&mesh), &ray);
                assert_eq!(hit.is_some(), tree.any(lent(&mesh), &ray), "{name}: {ray:?}");
            }
        }
    }
    let (_, one) = &adversaries()[1];
    assert!(agree(one, &rays(500, &mut Noise(1))) > 900);
    let (_, towers) = &adversaries()[4];
    let tree = TriangleBvh::build(lent(towers), Quality::Fast).unwrap();
    let hit = tree
        .closest(lent(towers), &Ray::new([7.0 / 6.0, 1.0 / 3.0, -2.0], [0.0, 0.0, 1.0]))
        .unwrap();
    assert!((hit.distance - 7.0 / 3.0).abs() < 1e-6 && hit.triangle == 120, "{hit:?}");
}

#[test]
fn rays_that_are_none_meet_nothing() {
    let mesh = sphere(8, [0.0; 3], 1.0);
    let tree = TriangleBvh::build(lent(&mesh), Quality::Fast).unwrap();
    let sound = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    assert!(tree.any(lent(&mesh), &sound));
    for ray in [
        Ray { direction: [0.0; 3], ..sound },
        Ray { direction: [f32::NAN, 1.0, 0.0], ..sound },
        Ray { direction: [f32::INFINITY, 1.0, 0.0], ..sound },
        Ray { origin: [f32::NAN; 3], ..sound },
        Ray { origin: [0.0, f32::INFINITY, 0.0], ..sound },
        Ray { to: f32::NAN, ..sound },
        Ray { from: f32::NAN, ..sound },
        Ray { from: 2.0, to: 1.0, ..sound },
        Ray { to: 0.5, ..sound },
        Ray { from: 1.5, ..sound },
    ] {
        assert_eq!(
            (tree.closest(lent(&mesh), &ray), tree.any(lent(&mesh), &ray)),
            (None, false),
            "{ray:?}"
        );
    }
}

#[test]
fn a_missing_vertex_is_named() {
    for quality in [Quality::Fast, Quality::Good] {
        let mesh = BvhMesh { positions: &[[0.0; 3]; 3], triangles: &[[0, 1, 2], [0, 3, 1]] };
        let error = TriangleBvh::build(mesh, quality).unwrap_err();
        assert_eq!(error.message(), "triangle 1 refers to vertex 3, but there are 3 vertices");
    }
}

#[test]
fn the_tree_is_the_same_on_every_tier_and_thread() {
    use solio_codec::lanes::{LaneJob, ScalarLanes};
    let mesh = soup(20_000, 0.3, &mut Noise(8));
    let keys: Vec<u64> = (0..mesh.1.len() as u64).collect();
    let (_, items) = group::groups(lent(&mesh), &keys);
    let along: Vec<u64> = (0..items.len() as u64).collect();
    let (nodes, upper) = group::groups(&items[..], &along);
    for (items, below, nodes) in
        [(upper, build::Below::Nodes, nodes), (items, build::Below::Ranges(8), Vec::new())]
    {
        let (mut a, mut b) = (items.clone(), items);
        let fast = build::build(&mut a, below, nodes.clone());
        let plain = build::Build { items: &mut b, below, nodes }.run(ScalarLanes);
        assert_eq!((a, fast.nodes, fast.leaves), (b, plain.nodes, plain.leaves));
    }
    let build = || TriangleBvh::build(lent(&mesh), Quality::Fast).unwrap();
    let here = build();
    let other = std::thread::scope(|scope| scope.spawn(build).join().unwrap());
    assert_eq!(
        (here.cost(), here.bounds(), here.len()),
        (other.cost(), other.bounds(), other.len())
    );
}
