//! Loop subdivision.
//!
//! Source: Charles Loop, *Smooth Subdivision Surfaces Based on Triangles* (1987), with the weights
//! that *Physically Based Rendering* gives for inner vertices (3/16 where three triangles meet, else
//! 3 / 8n) and borders (1/8). At the end vertices move to where they would come to lie after all
//! further levels, on the limit surface (third edition, section 3.8).

use super::Triangles;
use crate::scene::{Entity, Scene};
use glam::Vec3;
use solio_base::Result;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Levels end before there are more triangles.
const MOST_TRIANGLES: usize = 4 << 20;

/// An edge: its vertices, rising.
type Edge = [u32; 2];

/// The triangles around an edge, by the vertex that faces it.
#[derive(Default)]
struct EdgeTriangles {
    facing: [u32; 2],
    count: usize,
}

pub(super) fn loop_subdivided<'s>(
    scene: &Scene,
    entity: &Entity,
    control: Triangles<'s>,
) -> Result<Triangles<'s>> {
    let levels = scene.integer(entity, "levels").or_else(|| scene.integer(entity, "nlevels"));
    let mut mesh = control.checked()?;
    for _ in 0..levels.unwrap_or(3).max(0) {
        if 4 * mesh.indices.len() > MOST_TRIANGLES {
            break;
        }
        mesh = level(&mesh);
    }
    let edges = edges(&mesh.indices);
    let limit = Neighbours::of(&mesh.positions, &edges).moved(
        &mesh.positions,
        |n| {
            // 1 / (n + 3 / 8β)
            1.0 / (n as f32 + 3.0 / (8.0 * inner_weight(n)))
        },
        0.2,
    );
    Ok(Triangles { positions: Cow::Owned(limit), ..mesh })
}

fn edge(a: u32, b: u32) -> Edge {
    [a.min(b), a.max(b)]
}

fn edges(triangles: &[[u32; 3]]) -> BTreeMap<Edge, EdgeTriangles> {
    let mut edges: BTreeMap<Edge, EdgeTriangles> = BTreeMap::new();
    for [a, b, c] in triangles.iter().copied() {
        for (edge, facing) in [(edge(a, b), c), (edge(b, c), a), (edge(c, a), b)] {
            let sides = edges.entry(edge).or_default();
            if sides.count < 2 {
                sides.facing[sides.count] = facing;
            }
            sides.count += 1;
        }
    }
    edges
}

/// What each of `n` neighbours counts for an inner vertex in a level.
fn inner_weight(n: u32) -> f32 {
    if n == 3 { 3.0 / 16.0 } else { 3.0 / (8.0 * n as f32) }
}

/// Of each vertex the sum of its neighbours and their number: of all, and along a border.
struct Neighbours {
    all: Vec<(Vec3, u32)>,
    border: Vec<(Vec3, u32)>,
}

impl Neighbours {
    fn of(positions: &[[f32; 3]], edges: &BTreeMap<Edge, EdgeTriangles>) -> Neighbours {
        let none = vec![(Vec3::ZERO, 0); positions.len()];
        let mut neighbours = Neighbours { all: none.clone(), border: none };
        let add = |to: &mut (Vec3, u32), i: u32| {
            to.0 += Vec3::from(positions[i as usize]);
            to.1 += 1;
        };
        for ([a, b], sides) in edges {
            for (from, to) in [(*a, *b), (*b, *a)] {
                add(&mut neighbours.all[from as usize], to);
                if sides.count == 1 {
                    add(&mut neighbours.border[from as usize], to);
                }
            }
        }
        neighbours
    }

    /// The vertices moved towards their neighbours, each of which counts `inner` of their number;
    /// on a border towards those on it alone, each of which counts `border`.
    fn moved(
        &self,
        positions: &[[f32; 3]],
        inner: impl Fn(u32) -> f32,
        border: f32,
    ) -> Vec<[f32; 3]> {
        let towards = |old: Vec3, (sum, n): (Vec3, u32), weight: f32| {
            (old * (1.0 - n as f32 * weight) + sum * weight).to_array()
        };
        positions
            .iter()
            .zip(self.all.iter().zip(&self.border))
            .map(|(old, (all, on_border))| match (on_border.1, all.1) {
                (_, 0) => *old,
                (0, n) => towards((*old).into(), *all, inner(n)),
                _ => towards((*old).into(), *on_border, border),
            })
            .collect()
    }
}

fn level(mesh: &Triangles<'_>) -> Triangles<'static> {
    let position = |i: u32| Vec3::from(mesh.positions[i as usize]);
    let edges = edges(&mesh.indices);
    let neighbours = Neighbours::of(&mesh.positions, &edges);
    let mut positions = neighbours.moved(&mesh.positions, inner_weight, 0.125);
    let mut middles = BTreeMap::new();
    for (edge @ [a, b], sides) in &edges {
        let ends = position(*a) + position(*b);
        let point = match sides.count {
            2 => ends * 0.375 + (position(sides.facing[0]) + position(sides.facing[1])) * 0.125,
            _ => ends * 0.5,
        };
        middles.insert(*edge, positions.len() as u32);
        positions.push(point.to_array());
    }
    let indices = mesh.indices.iter().flat_map(|[a, b, c]| {
        let [ab, bc, ca] = [edge(*a, *b), edge(*b, *c), edge(*c, *a)].map(|edge| middles[&edge]);
        [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
    });
    let indices = indices.collect();
    Triangles { positions: Cow::Owned(positions), indices, ..Triangles::default() }
}
