//! Triangles into leaves of up to eight, and these, or boxes, into nodes of up to eight, along the
//! curve.
//!
//! Where to cut the row is found out exactly: of all ways to cut it into runs of one to eight, the
//! one with the least sum of surfaces, each with a share for the node above it (dynamic
//! programming, as Karras and Aila do for the splits of treelets). Rows are cut in windows, so that all stays
//! in the caches.

use super::build::BoxItem;
use super::leaf::{Leaf, NO_TRIANGLES};
use super::mesh::{BvhMesh, NO_TRIANGLE};
use super::node::{LEAF, WideNode};
use crate::bounds::Box3;
use solio_base::memory;
use solio_codec::lanes::{self, Eight, LaneJob, Lanes};
use std::ops::Range;

/// Things looked at together: their bounds take 24 kB.
const WINDOW: usize = 1024;

/// What a group costs beside its own surface, in mean surfaces of eight neighbours.
const ABOVE: f32 = 0.3;

/// Boxes whose memory is asked for beforehand.
const AHEAD: usize = 64;

/// What is grouped.
pub(super) trait GroupSource: Copy {
    /// A group of up to eight.
    type Group;
    /// Fetches what the window's keys, the first of `keys`, name, and finds the bounds.
    fn gather<L: Lanes>(self, lanes: L, keys: &[u64], window: &mut GroupWindow);
    /// The group of a run within the window.
    fn group(keys: &[u64], window: &GroupWindow, run: Range<usize>) -> Self::Group;
}

/// Groups of the things whose numbers are the lower halves of `keys`, and an item for each.
pub(super) fn groups<S: GroupSource>(source: S, keys: &[u64]) -> (Vec<S::Group>, Vec<BoxItem>) {
    // Runs of eight would be an eighth; most are shorter, and nodes above them may follow.
    let count = keys.len() / 4 + 1;
    let mut grouped =
        Grouped { groups: memory::with_capacity(count), items: memory::with_capacity(count) };
    let mut window = Box::new(GroupWindow::default());
    for begin in (0..keys.len()).step_by(WINDOW) {
        let keys = &keys[begin..];
        lanes::run(OneWindow { source, keys, window: &mut window, grouped: &mut grouped });
    }
    (grouped.groups, grouped.items)
}

struct Grouped<G> {
    groups: Vec<G>,
    items: Vec<BoxItem>,
}

/// What is known of the things of a window.
pub(super) struct GroupWindow {
    /// −min x, y, z and max x, y, z of each.
    bounds: [[Eight; WINDOW / 8]; 6],
    /// The length of the last run of the best way to cut what ends here.
    length: [u8; WINDOW],
}

impl Default for GroupWindow {
    fn default() -> GroupWindow {
        GroupWindow { bounds: [[Eight([0.0; 8]); WINDOW / 8]; 6], length: [0; WINDOW] }
    }
}

struct OneWindow<'a, S: GroupSource> {
    source: S,
    /// Of this window and all after it.
    keys: &'a [u64],
    window: &'a mut GroupWindow,
    grouped: &'a mut Grouped<S::Group>,
}

impl<S: GroupSource> LaneJob for OneWindow<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let OneWindow { source, keys, window, grouped } = self;
        source.gather(lanes, keys, window);
        let keys = &keys[..keys.len().min(WINDOW)];
        cut(lanes, keys.len(), window);
        // Backwards, as the best way is found.
        let mut end = keys.len();
        while end > 0 {
            let begin = end - usize::from(window.length[end - 1]).clamp(1, end);
            let number = grouped.groups.len() as u32;
            grouped.groups.push(S::group(keys, window, begin..end));
            grouped.items.push(item(window, begin..end, number));
            end = begin;
        }
    }
}

impl GroupSource for BvhMesh<'_> {
    type Group = Leaf;

    #[inline(always)]
    fn gather<L: Lanes>(self, lanes: L, keys: &[u64], window: &mut GroupWindow) {
        let zero = lanes.splat(0.0);
        for (group, begin) in (0..keys.len().min(WINDOW)).step_by(8).enumerate() {
            let mut numbers = [NO_TRIANGLE; 8];
            for (i, (number, key)) in numbers.iter_mut().zip(&keys[begin..]).enumerate() {
                // Also those of the next window are asked for.
                self.prefetch(&keys[begin + i..]);
                *number = *key as u32;
            }
            let [a, b, c] = self.eight(lanes, numbers);
            for axis in 0..3 {
                let min = lanes.min(lanes.min(a[axis], b[axis]), c[axis]);
                let max = lanes.max(lanes.max(a[axis], b[axis]), c[axis]);
                window.bounds[axis][group] = lanes.store(lanes.sub(zero, min));
                window.bounds[axis + 3][group] = lanes.store(max);
            }
        }
    }

    #[inline(always)]
    fn group(keys: &[u64], _: &GroupWindow, run: Range<usize>) -> Leaf {
        let mut leaf = NO_TRIANGLES;
        for (number, key) in leaf.iter_mut().zip(&keys[run]) {
            *number = *key as u32;
        }
        leaf
    }
}

/// Boxes are grouped into nodes, of which each is the parent of leaves.
impl GroupSource for &[Box3] {
    type Group = WideNode;

    #[inline(always)]
    fn gather<L: Lanes>(self, _: L, keys: &[u64], window: &mut GroupWindow) {
        for (i, key) in keys.iter().enumerate().take(WINDOW) {
            if let Some(key) = keys.get(i + AHEAD) {
                // A box may lie in two lines of the cache: its first, and the next box's.
                lanes::prefetch(self, *key as u32 as usize);
                lanes::prefetch(self, *key as u32 as usize + 1);
            }
            let Box3 { min, max } = self[*key as u32 as usize];
            for axis in 0..3 {
                window.bounds[axis][i / 8].0[i % 8] = -min[axis];
                window.bounds[axis + 3][i / 8].0[i % 8] = max[axis];
            }
        }
    }

    #[inline(always)]
    fn group(keys: &[u64], window: &GroupWindow, run: Range<usize>) -> WideNode {
        node(keys, window, run)
    }
}

/// Items are grouped into nodes likewise; they lie in the order of their keys.
impl GroupSource for &[BoxItem] {
    type Group = WideNode;

    #[inline(always)]
    fn gather<L: Lanes>(self, _: L, keys: &[u64], window: &mut GroupWindow) {
        for (i, key) in keys.iter().enumerate().take(WINDOW) {
            let Eight(bounds) = self[*key as u32 as usize].0;
            for axis in 0..3 {
                window.bounds[axis][i / 8].0[i % 8] = bounds[axis];
                window.bounds[axis + 3][i / 8].0[i % 8] = bounds[axis + 4];
            }
        }
    }

    #[inline(always)]
    fn group(keys: &[u64], window: &GroupWindow, run: Range<usize>) -> WideNode {
        node(keys, window, run)
    }
}

/// The node of a run.
#[inline(always)]
fn node(keys: &[u64], window: &GroupWindow, run: Range<usize>) -> WideNode {
    let mut node = WideNode::EMPTY;
    for (i, at) in run.enumerate() {
        node.children[i] = LEAF | keys[at] as u32;
        for axis in 0..3 {
            node.bounds[axis].0[i] = -window.bounds[axis][at / 8].0[at % 8];
            node.bounds[axis + 3].0[i] = window.bounds[axis + 3][at / 8].0[at % 8];
        }
    }
    node
}

/// The item of a run.
#[inline(always)]
fn item(window: &GroupWindow, run: Range<usize>, number: u32) -> BoxItem {
    let mut all = [f32::NEG_INFINITY; 6];
    for (all, bounds) in all.iter_mut().zip(&window.bounds) {
        for i in run.clone() {
            let x = bounds[i / 8].0[i % 8];
            *all = if x > *all { x } else { *all };
        }
    }
    let [a, b, c, d, e, f] = all;
    BoxItem::new([-a, -b, -c], [d, e, f], number)
}

/// Half the surface of eight boxes.
#[inline(always)]
fn areas<L: Lanes>(lanes: L, bounds: &[L::Floats; 6]) -> L::Floats {
    let x = lanes.add(bounds[0], bounds[3]);
    let y = lanes.add(bounds[1], bounds[4]);
    let z = lanes.add(bounds[2], bounds[5]);
    lanes.add(lanes.add(lanes.mul(x, y), lanes.mul(y, z)), lanes.mul(z, x))
}

/// How the row so far is cut best: lane k has the bounds of its last k + 1 things, and the least cost
/// of all before them.
#[derive(Clone, Copy)]
struct BestCuts<L: Lanes> {
    last: [L::Floats; 6],
    before: L::Floats,
    least: f32,
}

impl<L: Lanes> BestCuts<L> {
    #[inline(always)]
    fn new(lanes: L) -> BestCuts<L> {
        let last = [lanes.splat(f32::NEG_INFINITY); 6];
        BestCuts { last, before: lanes.splat(f32::INFINITY), least: 0.0 }
    }

    /// Goes on by the thing at `i`; `above` is what a run costs beside its surface.
    #[inline(always)]
    fn step(&mut self, lanes: L, i: usize, above: f32, window: &mut GroupWindow) {
        for (last, bounds) in self.last.iter_mut().zip(&window.bounds) {
            let x = bounds[i / 8].0[i % 8];
            *last = lanes.max(lanes.shift_in(*last, x), lanes.splat(x));
        }
        self.before = lanes.shift_in(self.before, self.least + above);
        let cost = lanes.add(areas(lanes, &self.last), self.before);
        let cost = lanes.min(cost, lanes.splat(f32::INFINITY));
        self.least = lanes.least(cost);
        let best = lanes.at_most(cost, lanes.splat(self.least)).trailing_zeros();
        window.length[i] = best as u8 + 1;
    }
}

/// Finds the best way to cut the first `count` things. Both halves are cut by themselves, side by
/// side: each step waits for the one before it, but not for the other half's.
#[inline(always)]
fn cut<L: Lanes>(lanes: L, count: usize, window: &mut GroupWindow) {
    let above = ABOVE * mean_area(count, window);
    let half = count / 2;
    let (mut first, mut second) = (BestCuts::new(lanes), BestCuts::new(lanes));
    for i in 0..half {
        first.step(lanes, i, above, window);
        second.step(lanes, half + i, above, window);
    }
    if half + half < count {
        second.step(lanes, half + half, above, window);
    }
}

/// The mean surface of eight neighbours: of every fourth such group.
#[inline(always)]
fn mean_area(count: usize, window: &GroupWindow) -> f32 {
    let (mut sum, mut looked_at) = (0.0, 0.0f32);
    for group in (0..count / 8).step_by(4) {
        let mut all = [f32::NEG_INFINITY; 6];
        for (side, all) in all.iter_mut().enumerate() {
            for x in window.bounds[side][group].0 {
                *all = if x > *all { x } else { *all };
            }
        }
        let [x, y, z] = [0, 1, 2].map(|i: usize| all[i] + all[i + 3]);
        sum += x * y + y * z + z * x;
        looked_at += 1.0;
    }
    if looked_at == 0.0 { 0.0 } else { sum / looked_at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use solio_codec::lanes::ScalarLanes;

    fn one_window(items: &[BoxItem], keys: &[u64], plain: bool) -> (Vec<WideNode>, Vec<BoxItem>) {
        let mut window = Box::new(GroupWindow::default());
        let mut grouped = Grouped { groups: Vec::new(), items: Vec::new() };
        let job = OneWindow { source: items, keys, window: &mut window, grouped: &mut grouped };
        if plain {
            job.run(ScalarLanes)
        } else {
            lanes::run(job)
        }
        (grouped.groups, grouped.items)
    }

    proptest! {
        /// Each thing is in one group, beside those next to it, on every tier the same.
        #[test]
        fn groups_are_runs_of_the_row(
            places in prop::collection::vec((-50f32..50.0, 0f32..9.0), 0..2200),
        ) {
            let items: Vec<BoxItem> = (0u32..)
                .zip(&places)
                .map(|(i, (x, size))| BoxItem::new([*x; 3], [x + size, x + 1.0, *x], i))
                .collect();
            let keys: Vec<u64> = (0..items.len() as u64).collect();
            prop_assert_eq!(one_window(&items, &keys, true), one_window(&items, &keys, false));
            let (nodes, upper) = groups(&items[..], &keys);
            prop_assert_eq!(nodes.len(), upper.len());
            let mut found: Vec<u32> = Vec::new();
            for node in &nodes {
                let children: Vec<u32> =
                    node.children.into_iter().filter(|child| *child != super::super::node::NONE).collect();
                prop_assert!(children.windows(2).all(|pair| pair[0] + 1 == pair[1]));
                found.extend(children.iter().map(|child| child & !LEAF));
            }
            found.sort_unstable();
            prop_assert!(found.into_iter().eq(0..items.len() as u32));
        }
    }
}
