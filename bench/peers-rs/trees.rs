//! Trees over triangles and boxes beside those of the crate `obvhs`: building, on one thread, and
//! tracing. Both start from positions and indices of vertices; each makes what it wants of them.

use crate::compared::{Case, compare};
use glam::Vec3A;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::{build_bvh2, build_bvh2_from_tris};
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::RayHit;
use obvhs::triangle::Triangle;
use obvhs::{BvhBuildParams, aabb::Aabb};
use solio_scene::bounds::Box3;
use solio_scene::bvh::{self, BoxBvh, Quality, Ray, TriangleBvh};
use std::time::Duration;

const VERSION: &str = "0.4.0";
/// Rays of a turn.
const RAYS: usize = 20_000;

/// Positions and triangles.
pub type Mesh = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// Prints a row for each mesh, job and setting; `files` are meshes to be read beside the made ones.
pub fn print(quick: bool, files: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let rounds = if quick { 3 } else { 9 };
    let mut meshes = vec![
        ("grid of 1.0 M triangles".to_owned(), grid(707)),
        ("500 spheres, 1.0 M triangles".to_owned(), spheres(500, 32)),
        ("soup of 1.0 M triangles".to_owned(), soup(1_000_000)),
    ];
    for file in files {
        let mesh = read(file)?;
        let name = std::path::Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        meshes.push((format!("{name}, {} triangles", mesh.1.len()), mesh));
    }
    for (name, mesh) in &meshes {
        for (quality, setting, params) in [
            (Quality::Fast, "fastest", BvhBuildParams::fastest_build()),
            (Quality::Good, "medium", BvhBuildParams::medium_build()),
        ] {
            triangles(name, mesh, quality, setting, params, rounds);
        }
    }
    boxes(350_000, rounds);
    Ok(())
}

fn triangles(
    name: &str,
    mesh: &Mesh,
    quality: Quality,
    setting: &str,
    params: BvhBuildParams,
    rounds: usize,
) {
    let lent = bvh::BvhMesh { positions: &mesh.0, triangles: &mesh.1 };
    let ours = TriangleBvh::build(lent, quality).expect("a sound mesh");
    let peer = format!("obvhs, {setting}, two children");
    let wide_peer = format!("obvhs, {setting}, eight children");
    let rounds_here = rounds.min(if mesh.1.len() > 500_000 { 5 } else { rounds });
    let case =
        |work: String, peer| Case { work, peer, version: VERSION, rounds: rounds_here, repeat: 1 };
    compare(
        &case(format!("build, {quality:?}: {name}"), &peer),
        &mut || {
            let tree = TriangleBvh::build(lent, quality).expect("a sound mesh");
            format!("{} triangles", tree.len())
        },
        &mut || {
            let tree = build_bvh2_from_tris(&owned(mesh), params, &mut Duration::default());
            format!("{} triangles", tree.primitive_indices.len())
        },
    );
    let list = owned(mesh);
    let two = build_bvh2_from_tris(&list, params, &mut Duration::default());
    let eight = build_cwbvh_from_tris(&list, params, &mut Duration::default());
    let cost = format!("{:?}; obvhs: {:?}", ours.cost(), cost_of_two(&two));
    println!("{name}, {quality:?}: {cost}");
    let (two, eight) = (Peer::new(&list, two), Peer::new(&list, eight));
    for (kind, rays) in [("from everywhere", scattered(mesh)), ("of a camera", camera(mesh))] {
        let work = format!("trace {RAYS} rays {kind}, {quality:?}: {name}");
        let own = &mut || {
            let hits = rays.iter().filter_map(|ray| ours.closest(lent, ray));
            let (count, sum) =
                hits.fold((0, 0.0), |(n, sum), hit| (n + 1, sum + f64::from(hit.distance)));
            answer(count, sum)
        };
        compare(&case(work.clone(), &peer), own, &mut || two.trace(&rays));
        compare(&case(work, &wide_peer), own, &mut || eight.trace(&rays));
    }
}

fn answer(count: usize, sum: f64) -> String {
    format!("{count} hits, mean distance {:.5}", sum / count as f64)
}

/// A tree of the peer.
trait Traced {
    fn order(&self) -> &[u32];
    fn nearest(&self, ray: obvhs::ray::Ray, triangles: &[Triangle]) -> Option<f32>;
}

macro_rules! traced {
    ($tree:ty) => {
        impl Traced for $tree {
            fn order(&self) -> &[u32] {
                &self.primitive_indices
            }
            fn nearest(&self, ray: obvhs::ray::Ray, triangles: &[Triangle]) -> Option<f32> {
                let mut hit = RayHit::none();
                self.ray_traverse(ray, &mut hit, |ray, i| triangles[i].intersect(ray))
                    .then_some(hit.t)
            }
        }
    };
}

traced!(Bvh2);
traced!(CwBvh);

/// A peer's tree with its triangles in the order of its leaves, which is faster for it.
struct Peer<T> {
    tree: T,
    triangles: Vec<Triangle>,
}

impl<T: Traced> Peer<T> {
    fn new(list: &[Triangle], tree: T) -> Peer<T> {
        Peer { triangles: tree.order().iter().map(|i| list[*i as usize]).collect(), tree }
    }

    fn trace(&self, rays: &[Ray]) -> String {
        let hits = rays.iter().filter_map(|ray| {
            let ray = obvhs::ray::Ray::new_inf(ray.origin.into(), ray.direction.into());
            self.tree.nearest(ray, &self.triangles)
        });
        let (count, sum) = hits.fold((0, 0.0), |(n, sum), t| (n + 1, sum + f64::from(t)));
        answer(count, sum)
    }
}

/// The mesh as the peer wants it.
fn owned(mesh: &Mesh) -> Vec<Triangle> {
    let at = |i: u32| Vec3A::from(mesh.0[i as usize]);
    mesh.1.iter().map(|t| Triangle { v0: at(t[0]), v1: at(t[1]), v2: at(t[2]) }).collect()
}

/// Nodes, leaves and triangles that a random ray meets in a tree of two children.
fn cost_of_two(tree: &Bvh2) -> [f64; 3] {
    let whole = f64::from(tree.nodes[0].aabb().half_area());
    let mut cost = [0.0; 3];
    for node in &tree.nodes {
        let share = f64::from(node.aabb().half_area()) / whole;
        if node.is_leaf() {
            cost[1] += share;
            cost[2] += share * f64::from(node.prim_count);
        } else {
            cost[0] += share;
        }
    }
    cost
}

/// The upper level: boxes of about the size of their distance.
fn boxes(count: usize, rounds: usize) {
    let mut noise = noise(3);
    let boxes: Vec<Box3> = (0..count)
        .map(|_| {
            let min = [0; 3].map(|_| noise() * 70.0);
            let size = [0; 3].map(|_| 0.2 + 1.6 * noise());
            Box3 { min, max: [min[0] + size[0], min[1] + size[1], min[2] + size[2]] }
        })
        .collect();
    for (setting, params) in
        [("fastest", BvhBuildParams::fastest_build()), ("medium", BvhBuildParams::medium_build())]
    {
        let case = Case {
            work: format!("build over {count} boxes"),
            peer: &format!("obvhs, {setting}, two children"),
            version: VERSION,
            rounds,
            repeat: 1,
        };
        compare(
            &case,
            &mut || format!("{} boxes", BoxBvh::build(&boxes).expect("few boxes").len()),
            &mut || {
                let list: Vec<Aabb> =
                    boxes.iter().map(|b| Aabb::new(b.min.into(), b.max.into())).collect();
                let tree = build_bvh2(&list, params, &mut Duration::default());
                format!("{} boxes", tree.primitive_indices.len())
            },
        );
    }
}

/// Numbers in 0 .. 1.
pub fn noise(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 24) as f32
    }
}

/// Rays from around the mesh to places within its box.
fn scattered(mesh: &Mesh) -> Vec<Ray> {
    let (mut noise, [low, size]) = (noise(99), extent(mesh));
    let mut one = || {
        let mut place = |grown: f32| -> [f32; 3] {
            let at = [0; 3].map(|_| 0.5 + (noise() - 0.5) * grown);
            [0, 1, 2].map(|i: usize| low[i] + size[i] * at[i])
        };
        let (origin, to) = (place(3.0), place(1.0));
        Ray::new(origin, [0, 1, 2].map(|i: usize| to[i] - origin[i]))
    };
    (0..RAYS).map(|_| one()).collect()
}

/// Rays of a picture, from a corner to the middle.
fn camera(mesh: &Mesh) -> Vec<Ray> {
    let [low, size] = extent(mesh);
    let at =
        |x: f32, y: f32, z: f32| [low[0] + x * size[0], low[1] + y * size[1], low[2] + z * size[2]];
    let origin = at(0.4, -0.9, 1.8);
    let side = RAYS.isqrt();
    let one = |i: usize| {
        let to = at((i % side) as f32 / side as f32, (i / side) as f32 / side as f32, 0.5);
        Ray::new(origin, [0, 1, 2].map(|i: usize| to[i] - origin[i]))
    };
    (0..side * side).map(one).collect()
}

fn extent(mesh: &Mesh) -> [[f32; 3]; 2] {
    let all = solio_scene::bounds::box_of_points(&mesh.0);
    [all.min, [0, 1, 2].map(|i: usize| all.max[i] - all.min[i])]
}

/// A hilly square with noise.
fn grid(side: usize) -> Mesh {
    let mut noise = noise(1);
    let step = 1.0 / side as f32;
    let mut positions = Vec::new();
    for i in 0..(side + 1) * (side + 1) {
        let (x, y) = ((i % (side + 1)) as f32 * step, (i / (side + 1)) as f32 * step);
        positions.push([x, y, 0.1 * (20.0 * x).sin() * (17.0 * y).cos() + 0.5 * step * noise()]);
    }
    (positions, squares(side as u32, 0))
}

/// Two triangles for each square of a grid whose first vertex is `base`.
fn squares(side: u32, base: u32) -> Vec<[u32; 3]> {
    let row = side + 1;
    let corner = |i: u32| base + i / side * row + i % side;
    let two = |a: u32| [[a, a + 1, a + row], [a + 1, a + row + 1, a + row]];
    (0..side * side).flat_map(|i| two(corner(i))).collect()
}

/// Spheres of several sizes that overlap a little.
fn spheres(count: usize, side: usize) -> Mesh {
    let mut noise = noise(5);
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let centre = [0; 3].map(|_| noise());
        let radius = 0.3 / (count as f32).cbrt() * (0.5 + noise());
        triangles.extend(squares(side as u32, positions.len() as u32));
        for i in 0..(side + 1) * (side + 1) {
            let angle = |i: usize| i as f32 / side as f32 * std::f32::consts::PI;
            let (turn, polar) = (2.0 * angle(i / (side + 1)), angle(i % (side + 1)));
            let out = [turn.cos() * polar.sin(), turn.sin() * polar.sin(), polar.cos()];
            positions.push([0, 1, 2].map(|i: usize| centre[i] + radius * out[i]));
        }
    }
    (positions, triangles)
}

/// Triangles anywhere, each about as large as they are apart.
fn soup(count: usize) -> Mesh {
    let mut noise = noise(7);
    let size = 2.0 / (count as f32).cbrt();
    let mut positions = Vec::new();
    for _ in 0..count {
        let at = [0; 3].map(|_| noise());
        positions.extend([0; 3].map(|_| at.map(|x| x + size * noise())));
    }
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    (positions, triangles)
}

/// The meshes of a file, in one; polygons as fans.
fn read(file: &str) -> Result<Mesh, Box<dyn std::error::Error>> {
    let scene = solio::read_mesh(file.as_ref(), &Default::default(), &solio::Work::default())?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for mesh in &scene.meshes {
        let base = positions.len() as u32;
        let points = (0..mesh.positions.len()).map(|i| mesh.positions.get(i).map(|x| x as f32));
        positions.extend(points);
        for ends in mesh.face_offsets.windows(2) {
            let corners = &mesh.corner_vertices[ends[0] as usize..ends[1] as usize];
            let fan = corners.windows(2).skip(1);
            triangles.extend(fan.map(|ab| [base + corners[0], base + ab[0], base + ab[1]]));
        }
    }
    Ok((positions, triangles))
}
