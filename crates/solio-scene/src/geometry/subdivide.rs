//! Loop subdivision.
//!
//! Source: Charles Loop, *Smooth Subdivision Surfaces Based on Triangles* (1987), with the weights
//! that *Physically Based Rendering* gives for inner vertices (3/16 where three triangles meet, else
//! 3 / 8n) and borders (1/8); vertices are left where the last level puts them.

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
struct Sides {
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
    Ok(mesh)
}

fn edge(a: u32, b: u32) -> Edge {
    [a.min(b), a.max(b)]
}

fn level(mesh: &Triangles<'_>) -> Triangles<'static> {
    let position = |i: u32| Vec3::from(mesh.positions[i as usize]);
    let mut edges: BTreeMap<Edge, Sides> = BTreeMap::new();
    for [a, b, c] in mesh.indices.iter().copied() {
        for (edge, facing) in [(edge(a, b), c), (edge(b, c), a), (edge(c, a), b)] {
            let sides = edges.entry(edge).or_default();
            if sides.count < 2 {
                sides.facing[sides.count] = facing;
            }
            sides.count += 1;
        }
    }
    // An old vertex moves towards its neighbours; on a border towards those on it alone.
    let count = mesh.positions.len();
    let (mut sums, mut valences) = (vec![Vec3::ZERO; count], vec![0u32; count]);
    let (mut border_sums, mut border) = (vec![Vec3::ZERO; count], vec![0u32; count]);
    for ([a, b], sides) in &edges {
        for (from, to) in [(*a, *b), (*b, *a)] {
            sums[from as usize] += position(to);
            valences[from as usize] += 1;
            if sides.count == 1 {
                border_sums[from as usize] += position(to);
                border[from as usize] += 1;
            }
        }
    }
    let mut positions: Vec<[f32; 3]> = (0..count)
        .map(|i| {
            let old = position(i as u32);
            let new = match (border[i], valences[i]) {
                (_, 0) => old,
                (0, n) => {
                    let beta = if n == 3 { 3.0 / 16.0 } else { 3.0 / (8.0 * n as f32) };
                    old * (1.0 - n as f32 * beta) + sums[i] * beta
                }
                (n, _) => old * (1.0 - n as f32 / 8.0) + border_sums[i] / 8.0,
            };
            new.to_array()
        })
        .collect();
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
