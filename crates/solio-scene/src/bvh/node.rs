//! The nodes of a tree: eight children each, in one flat array.

use crate::bounds::Box3;
use solio_codec::lanes::Eight;

/// Marks a child that is a leaf; the other bits are its number.
pub(super) const LEAF: u32 = 1 << 31;
/// Marks a child that is not there.
pub(super) const NONE: u32 = u32::MAX;
/// Leaves that a tree can have.
pub(super) const MOST_LEAVES: usize = (LEAF - 1) as usize;

/// Up to eight children with their boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct WideNode {
    /// Minimum x, y, z, then maximum x, y, z of each child. A missing child's are the other way
    /// round, so that no ray meets it.
    pub(super) bounds: [Eight; 6],
    /// A node, or [`LEAF`] and a leaf's number, or [`NONE`]; the missing ones come last.
    pub(super) children: [u32; 8],
}

impl WideNode {
    /// Without children.
    pub(super) const EMPTY: WideNode = WideNode {
        bounds: [
            Eight([f32::INFINITY; 8]),
            Eight([f32::INFINITY; 8]),
            Eight([f32::INFINITY; 8]),
            Eight([f32::NEG_INFINITY; 8]),
            Eight([f32::NEG_INFINITY; 8]),
            Eight([f32::NEG_INFINITY; 8]),
        ],
        children: [NONE; 8],
    };

    /// The box of child `i`.
    pub(super) fn child_box(&self, i: usize) -> Box3 {
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|side: usize| self.bounds[side].0[i]);
        Box3 { min: [a, b, c], max: [d, e, f] }
    }
}

/// What a tree costs to trace, by the surface area heuristic: numbers that a random ray through
/// the whole box meets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeCost {
    /// Nodes, each testing its children's boxes at once.
    pub nodes: f64,
    /// Leaves.
    pub leaves: f64,
    /// Primitives in these leaves.
    pub primitives: f64,
    /// Nodes that the tree has.
    pub node_count: usize,
    /// Nodes on the longest way down.
    pub depth: usize,
}

/// Half the surface.
fn half_area(one: &Box3) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|i: usize| f64::from(one.max[i]) - f64::from(one.min[i]));
    x * y + y * z + z * x
}

/// The cost of the tree of `nodes`; `count` tells how many primitives a leaf has.
pub(super) fn cost(nodes: &[WideNode], root: u32, count: impl Fn(u32) -> usize) -> TreeCost {
    let mut cost = TreeCost { node_count: nodes.len(), ..TreeCost::default() };
    let Some(uppermost) = nodes.get(root as usize) else { return cost };
    let mut all = Box3::EMPTY;
    (0..8).for_each(|i| all = all.union(&uppermost.child_box(i)));
    let whole = half_area(&all).max(f64::MIN_POSITIVE);
    cost.nodes = 1.0;
    let mut open = vec![(root, 1)];
    while let Some((at, depth)) = open.pop() {
        cost.depth = cost.depth.max(depth);
        let node: &WideNode = &nodes[at as usize];
        for (i, child) in node.children.iter().enumerate().filter(|(_, child)| **child != NONE) {
            let share = half_area(&node.child_box(i)) / whole;
            if child & LEAF == 0 {
                cost.nodes += share;
                open.push((*child, depth + 1));
            } else {
                cost.leaves += share;
                cost.primitives += share * count(child & !LEAF) as f64;
            }
        }
    }
    cost
}
