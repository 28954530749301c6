//! A tree over boxes: the upper level, over instances.

use super::build::{self, Item, Shape};
use super::node::{self, MOST_LEAVES, Node, TreeCost};
use super::ray::Ray;
use super::walk::walk;
use crate::bounds::Box3;
use solio_base::{Error, Result, memory};
use solio_codec::lanes::{self, Job, Lanes};

/// A tree over boxes, which a ray is led through.
#[derive(Clone, Debug, Default)]
pub struct BoxBvh {
    nodes: Vec<Node>,
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
        let mut items: Vec<Item> = memory::with_capacity(boxes.len());
        for (i, one) in boxes.iter().enumerate().filter(|(_, one)| !one.is_empty()) {
            items.push(Item::new(one.min, one.max, i as u32));
        }
        let built = build::build(&mut items, Shape { leaf_items: 1 });
        Ok(BoxBvh { nodes: built.nodes, len: items.len() })
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
        let root = self.nodes.first().unwrap_or(&Node::EMPTY);
        (0..8).fold(Box3::EMPTY, |all, i| all.union(&root.child_box(i)))
    }

    /// Calls `meet(box, to)` for the boxes that `ray` touches before `to`, about in order of their
    /// distance. It gives a new `to`: the same where it found nothing, the distance of what it
    /// found, or a negative number to end. No box that the ray touches in exact arithmetic is
    /// passed over; a few that it only nearly touches may be visited.
    pub fn visit(&self, ray: &Ray, meet: impl FnMut(u32, f32) -> f32) {
        lanes::run(Visit { nodes: &self.nodes, ray, meet });
    }

    /// What it costs to trace.
    pub fn cost(&self) -> TreeCost {
        node::cost(&self.nodes, |_| 1)
    }
}

struct Visit<'a, F> {
    nodes: &'a [Node],
    ray: &'a Ray,
    meet: F,
}

impl<F: FnMut(u32, f32) -> f32> Job for Visit<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        walk(lanes, self.nodes, self.ray, self.meet);
    }
}
