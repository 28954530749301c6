//! A tree over boxes: the upper level, over instances.

use super::build::{self, Below};
use super::group;
use super::node::{self, MOST_LEAVES, TreeCost, WideNode};
use super::order::{self, MortonCurve};
use super::ray::Ray;
use super::walk::walk;
use crate::bounds::Box3;
use solio_base::{Error, Result, memory};
use solio_codec::lanes::{self, LaneJob, Lanes};

/// A tree over boxes, which a ray is led through.
#[derive(Clone, Debug, Default)]
pub struct BoxBvh {
    nodes: Vec<WideNode>,
    root: u32,
    len: usize,
}

impl BoxBvh {
    /// Builds a tree over `boxes`. Those that are empty, or have a bound that is NaN, are left out:
    /// no ray meets them.
    ///
    /// # Errors
    /// With 2^31 boxes or more.
    pub fn build(boxes: &[Box3]) -> Result<BoxBvh> {
        if boxes.len() > MOST_LEAVES {
            return Err(Error::limit(format!("{} boxes are more than a tree takes", boxes.len())));
        }
        let keys = in_order(boxes);
        let (groups, mut items) = group::groups(boxes, &keys);
        let built = build::build(&mut items, Below::Nodes, groups);
        Ok(BoxBvh { nodes: built.nodes, root: built.root, len: keys.len() })
    }

    /// How many boxes are in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no box is in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The box around all.
    pub fn bounds(&self) -> Box3 {
        let root = self.nodes.get(self.root as usize).unwrap_or(&WideNode::EMPTY);
        (0..8).fold(Box3::EMPTY, |all, i| all.union(&root.child_box(i)))
    }

    /// Calls `meet(box, to)` for the boxes that `ray` touches before `to`, about in order of their
    /// distance. It gives a new `to`: the same where it found nothing, the distance of what it
    /// found, or a negative number to end. No box that the ray touches in exact arithmetic is
    /// passed over; a few that it only nearly touches may be visited.
    pub fn visit(&self, ray: &Ray, meet: impl FnMut(u32, f32) -> f32) {
        lanes::run(VisitBoxes { tree: self, ray, meet });
    }

    /// What it costs to trace.
    pub fn cost(&self) -> TreeCost {
        node::cost(&self.nodes, self.root, |_| 1)
    }
}

/// The numbers of all boxes that are not empty, in order along the curve, in the lower halves.
fn in_order(boxes: &[Box3]) -> Vec<u64> {
    let middle = |one: &Box3| [0, 1, 2].map(|i: usize| 0.5 * one.min[i] + 0.5 * one.max[i]);
    let mut all = Box3::EMPTY;
    for place in boxes.iter().filter(|one| !one.is_empty()).map(middle) {
        if place.iter().all(|x| x.is_finite()) {
            all.min = [0, 1, 2].map(|i: usize| all.min[i].min(place[i]));
            all.max = [0, 1, 2].map(|i: usize| all.max[i].max(place[i]));
        }
    }
    let curve = MortonCurve::within(&all);
    let mut keys: Vec<u64> = memory::with_capacity(boxes.len());
    for (number, one) in boxes.iter().enumerate().filter(|(_, one)| !one.is_empty()) {
        keys.push(u64::from(curve.code(middle(one))) << 32 | number as u64);
    }
    order::sort(&mut keys);
    keys
}

struct VisitBoxes<'a, F> {
    tree: &'a BoxBvh,
    ray: &'a Ray,
    meet: F,
}

impl<F: FnMut(u32, f32) -> f32> LaneJob for VisitBoxes<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        walk(lanes, &self.tree.nodes, self.tree.root, self.ray, &mut self.meet);
    }
}
