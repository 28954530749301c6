//! A ray's way through a tree, nearest child first.
//!
//! A box is met where the ray's stretches between the planes of each axis overlap. The far end is
//! lengthened by 1 + 2γ₃ (Ize, *Robust BVH Ray Traversal*, JCGT 2013), so that rounding loses no
//! box that the ray touches; where a plane's distance is NaN (0 · ∞, a ray within the plane) the
//! axis does not narrow the stretch.

use super::node::{LEAF, WideNode};
use super::ray::Ray;
use solio_codec::lanes::{Eight, Lanes};

/// Levels below which the builder only halves by count, so that 2^31 leaves end within 28;
/// the groups of boxes are one more.
pub(super) const SPLIT_LEVELS: u32 = 16;
/// Seven children wait on each level, and one more on the last.
const STACK: usize = 7 * 29 + 8;

/// In trees of so many nodes few wait, and room for these is made ready sooner.
const FEW_NODES: usize = 8;
const FEW_WAIT: usize = 7 * FEW_NODES + 8;

/// 1 + 2γ₃, rounded up.
const LENGTHEN: f32 = 1.0 + 4.0 * f32::EPSILON;

/// What is done with leaves. A closure that works with lanes would not do: where it is called twice it
/// becomes a function of its own, without the instructions of the tier, and each operation another.
pub(super) trait Leaves {
    /// Meets the leaf `number` before `to`, and gives the new `to`.
    fn meet(&mut self, number: u32, to: f32) -> f32;
}

impl<F: FnMut(u32, f32) -> f32> Leaves for F {
    #[inline(always)]
    fn meet(&mut self, number: u32, to: f32) -> f32 {
        self(number, to)
    }
}

/// Calls `leaves.meet(number, to)` for the leaves that `ray` meets before `to`, about in order of their
/// distance. It gives a new `to`: a smaller one where it found something, negative to end.
#[inline(always)]
pub(super) fn walk<L: Lanes>(
    lanes: L,
    nodes: &[WideNode],
    root: u32,
    ray: &Ray,
    leaves: &mut impl Leaves,
) {
    if nodes.is_empty() || !ray.is_sound() {
        return;
    }
    match nodes.len() <= FEW_NODES {
        true => walk_on(lanes, nodes, root, ray, leaves, &mut [(0, 0.0); FEW_WAIT]),
        false => walk_on(lanes, nodes, root, ray, leaves, &mut [(0, 0.0); STACK]),
    }
}

#[inline(always)]
fn walk_on<L: Lanes>(
    lanes: L,
    nodes: &[WideNode],
    root: u32,
    ray: &Ray,
    leaves: &mut impl Leaves,
    stack: &mut [(u32, f32)],
) {
    let mut to = ray.to;
    let inverse = ray.direction.map(|x| 1.0 / x);
    let sides = LaneRay {
        origin: [
            lanes.splat(ray.origin[0]),
            lanes.splat(ray.origin[1]),
            lanes.splat(ray.origin[2]),
        ],
        inverse: [lanes.splat(inverse[0]), lanes.splat(inverse[1]), lanes.splat(inverse[2])],
        near: [0, 1, 2].map(|i: usize| i + 3 * usize::from(inverse[i] < 0.0)),
        from: lanes.splat(ray.from),
        lengthen: lanes.splat(LENGTHEN),
    };
    stack[0].0 = root;
    let mut waiting = 1;
    while waiting > 0 {
        waiting -= 1;
        let (child, near) = stack[waiting];
        if near > to {
            continue;
        }
        if child & LEAF != 0 {
            to = leaves.meet(child & !LEAF, to);
            if to < ray.from {
                return;
            }
            continue;
        }
        let node = &nodes[child as usize];
        let (mut met, near) = sides.meet(lanes, node, to);
        let first = waiting;
        while met != 0 {
            let i = (met.trailing_zeros() & 7) as usize;
            met &= met - 1;
            // Farthest first, so that the nearest is taken next.
            let one = (node.children[i], near.0[i]);
            let mut at = waiting;
            while at > first && stack[at - 1].1 < one.1 {
                stack[at] = stack[at - 1];
                at -= 1;
            }
            stack[at] = one;
            waiting += 1;
        }
    }
}

/// A ray made ready for boxes.
struct LaneRay<L: Lanes> {
    origin: [L::Floats; 3],
    inverse: [L::Floats; 3],
    /// Which of a node's bounds the ray meets first on each axis.
    near: [usize; 3],
    from: L::Floats,
    lengthen: L::Floats,
}

impl<L: Lanes> LaneRay<L> {
    /// The children met before `to`, one bit each, and at what distances.
    #[inline(always)]
    fn meet(&self, lanes: L, node: &WideNode, to: f32) -> (u32, Eight) {
        let (mut near, mut far) = (self.from, lanes.splat(to));
        for axis in 0..3 {
            let (first, last) = (self.near[axis], (self.near[axis] + 3) % 6);
            let distance = |side: usize| {
                let plane = lanes.load(&node.bounds[side]);
                lanes.mul(lanes.sub(plane, self.origin[axis]), self.inverse[axis])
            };
            near = lanes.max(distance(first), near);
            far = lanes.min(distance(last), far);
        }
        (lanes.at_most(near, lanes.mul(far, self.lengthen)), lanes.store(near))
    }
}
