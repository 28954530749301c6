//! A tree over the triangles of a mesh.

use super::build::{self, Below, BoxItem};
use super::group;
use super::leaf::{Leaf, NO_TRIANGLES, Sheared};
use super::mesh::{BvhMesh, NO_TRIANGLE};
use super::node::{self, MOST_LEAVES, TreeCost, WideNode};
use super::order::{self, MortonCurve};
use super::ray::{Hit, Ray};
use super::walk::{Leaves, walk};
use crate::bounds::{Box3, box_of_points};
use solio_base::{Error, Result, memory};
use solio_codec::lanes::{self, LaneJob, Lanes};

/// How much time a tree is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Triangles are grouped along a curve that fills space, and the groups once more; what these
    /// make is split by cost. For pictures that are wanted at once.
    #[default]
    Fast,
    /// Triangles themselves are split by cost. For many rays.
    Good,
}

/// A tree over triangles. It does not keep the mesh: who sends a ray gives the one that it was built
/// of; with another, hits mean nothing.
#[derive(Clone, Debug, Default)]
pub struct TriangleBvh {
    nodes: Vec<WideNode>,
    root: u32,
    leaves: Vec<Leaf>,
    len: usize,
}

impl TriangleBvh {
    /// Builds a tree over the triangles of `mesh`. One with a coordinate that is not finite is left
    /// out: no ray meets it.
    ///
    /// The same arrays give the same tree, bit by bit, on every machine.
    ///
    /// # Errors
    /// When a triangle refers to a position that is not there; with 2^31 triangles or more.
    pub fn build(mesh: BvhMesh, quality: Quality) -> Result<TriangleBvh> {
        let count = mesh.triangles.len();
        if count > MOST_LEAVES {
            return Err(Error::limit(format!("{count} triangles are more than a tree takes")));
        }
        let keys = in_order(mesh)?;
        let (leaves, built) = match quality {
            Quality::Fast => {
                let (leaves, items) = group::groups(mesh, &keys);
                let along: Vec<u64> = (0..items.len() as u64).collect();
                let (nodes, mut items) = group::groups(&items[..], &along);
                (leaves, build::build(&mut items, Below::Nodes, nodes))
            }
            Quality::Good => {
                let mut items: Vec<BoxItem> = memory::with_capacity(keys.len());
                for (i, key) in keys.iter().enumerate() {
                    mesh.prefetch(&keys[i..]);
                    items.push(item(mesh, *key as u32));
                }
                let room = memory::with_capacity(keys.len() / 16 + 1);
                let built = build::build(&mut items, Below::Ranges(8), room);
                (built.leaves.iter().map(|range| leaf(&items, range)).collect(), built)
            }
        };
        let len = keys.len();
        order::give_back(keys);
        Ok(TriangleBvh { nodes: built.nodes, root: built.root, leaves, len })
    }

    /// How many triangles are in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no triangle is in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The box around all.
    pub fn bounds(&self) -> Box3 {
        let root = self.nodes.get(self.root as usize).unwrap_or(&WideNode::EMPTY);
        (0..8).fold(Box3::EMPTY, |all, i| all.union(&root.child_box(i)))
    }

    /// The nearest triangle that `ray` meets, from either side; of equally near ones that of the
    /// smallest number in its leaf. No ray passes between triangles that share an edge.
    pub fn closest(&self, mesh: BvhMesh, ray: &Ray) -> Option<Hit> {
        lanes::run(Closest { tree: self, mesh, ray, any: false })
    }

    /// Whether `ray` meets any triangle.
    pub fn any(&self, mesh: BvhMesh, ray: &Ray) -> bool {
        lanes::run(Closest { tree: self, mesh, ray, any: true }).is_some()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.leaves[..])
    }

    /// What it costs to trace.
    pub fn cost(&self) -> TreeCost {
        node::cost(&self.nodes, self.root, |leaf| {
            let leaf = self.leaves[leaf as usize];
            leaf.iter().filter(|number| **number != NO_TRIANGLE).count()
        })
    }
}

/// The numbers of all triangles that can be met, in order along the curve, in the lower halves.
fn in_order(mesh: BvhMesh) -> Result<Vec<u64>> {
    let bounds = box_of_points(mesh.positions);
    let curve = MortonCurve::within(&bounds);
    let mut keys = order::keys(mesh.triangles.len());
    keys.clear();
    for number in 0..mesh.triangles.len() as u32 {
        let [a, b, c] = mesh.corners(number)?;
        let sum: [f32; 3] = std::array::from_fn(|i| a[i] + b[i] + c[i]);
        let finite = sum[0] + sum[1] + sum[2];
        if !finite.is_finite() && ![a, b, c].as_flattened().iter().all(|x| x.is_finite()) {
            continue;
        }
        let code = curve.code(sum.map(|x| x * (1.0 / 3.0)));
        keys.push(u64::from(code) << 32 | u64::from(number));
    }
    order::sort(&mut keys);
    Ok(keys)
}

/// A triangle as an item of the tree.
#[inline(always)]
fn item(mesh: BvhMesh, number: u32) -> BoxItem {
    // Every triangle was fetched before, so none is missing.
    let [a, b, c] = mesh.corners(number).unwrap_or_default();
    let min = std::array::from_fn(|i| a[i].min(b[i]).min(c[i]));
    let max = std::array::from_fn(|i| a[i].max(b[i]).max(c[i]));
    BoxItem::new(min, max, number)
}

/// The leaf of a range of items.
fn leaf(items: &[BoxItem], &(begin, count): &(u32, u32)) -> Leaf {
    let mut leaf = NO_TRIANGLES;
    for (number, item) in leaf.iter_mut().zip(&items[begin as usize..][..count as usize]) {
        *number = item.number();
    }
    leaf
}

struct Closest<'a> {
    tree: &'a TriangleBvh,
    mesh: BvhMesh<'a>,
    ray: &'a Ray,
    any: bool,
}

impl LaneJob for Closest<'_> {
    type Output = Option<Hit>;
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<Hit> {
        let Closest { tree, mesh, ray, any } = self;
        let sheared = Sheared::of(lanes, ray);
        let mut leaves = Nearest { lanes, sheared, tree, mesh, from: ray.from, any, nearest: None };
        walk(lanes, &tree.nodes, tree.root, ray, &mut leaves);
        leaves.nearest
    }
}

/// The nearest triangle so far, or any.
struct Nearest<'a, L: Lanes> {
    lanes: L,
    sheared: Sheared<L>,
    tree: &'a TriangleBvh,
    mesh: BvhMesh<'a>,
    from: f32,
    any: bool,
    nearest: Option<Hit>,
}

impl<L: Lanes> Leaves for Nearest<'_, L> {
    #[inline(always)]
    fn meet(&mut self, number: u32, to: f32) -> f32 {
        let leaf = &self.tree.leaves[number as usize];
        match self.sheared.meet(self.lanes, self.mesh, leaf, self.from, to) {
            None => to,
            Some(hit) => {
                self.nearest = Some(hit);
                if self.any { -1.0 } else { hit.distance }
            }
        }
    }
}
