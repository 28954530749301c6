//! Top down: items are split by the surface area heuristic until each node has eight children.
//!
//! After Wald, *On Fast Construction of SAH-based Bounding Volume Hierarchies*, RT 2007: centroids
//! fall into 16 bins on each axis, and the best of the planes between bins is taken. Nodes are wide
//! from the start: of the parts of a node the one with the largest surface is split next.
//!
//! Nothing here recurses. Every range becomes smaller with each split, and below
//! [`SPLIT_LEVELS`] ranges are only halved, so that the tree is never deeper than the stack of
//! [`walk`](super::walk::walk).

use super::node::{LEAF, NONE, Node};
use super::walk::SPLIT_LEVELS;
use solio_base::memory;
use solio_codec::lanes::{self, Eight, Job, Lanes};

const BINS: usize = 16;

/// An item of a tree: its box and number. The minima are negated, so that the union of boxes is
/// one maximum: −min x, y, z, the number's upper half, max x, y, z, its lower half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item(pub(super) Eight);

impl Item {
    /// Bounds of nothing.
    const NOTHING: Eight = Eight([f32::NEG_INFINITY; 8]);

    #[inline(always)]
    pub(super) fn new(min: [f32; 3], max: [f32; 3], number: u32) -> Item {
        // Halves are whole numbers as floats: no bit pattern that is slow or NaN.
        let (high, low) = ((number >> 16) as f32, (number & 0xffff) as f32);
        Item(Eight([-min[0], -min[1], -min[2], high, max[0], max[1], max[2], low]))
    }

    #[inline(always)]
    pub(super) fn number(&self) -> u32 {
        (self.0.0[3] as u32) << 16 | self.0.0[7] as u32
    }
}

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Items that one leaf holds at most. With one, leaves are called by the number of their item
    /// and hang in nodes of up to eight.
    pub(super) leaf_items: usize,
}

/// A tree over items.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) nodes: Vec<Node>,
    /// Where in the order of items each leaf starts, and how many it holds; empty when leaves hold
    /// one item.
    pub(super) leaves: Vec<(u32, u32)>,
}

/// Builds a tree; `items` are put in order of leaves.
pub(super) fn build(items: &mut [Item], shape: Shape) -> Built {
    lanes::run(Build { items, shape })
}

pub(super) struct Build<'a> {
    pub(super) items: &'a mut [Item],
    pub(super) shape: Shape,
}

/// A range of items that is to become a node.
#[derive(Clone, Copy)]
struct Task {
    begin: usize,
    end: usize,
    depth: u32,
    /// Where its number is to be written.
    parent: usize,
    child: usize,
}

/// A part of a node: a range of items with its bounds.
#[derive(Clone, Copy)]
struct Part {
    begin: usize,
    end: usize,
    bounds: Eight,
    /// Half the surface.
    area: f32,
}

impl Part {
    fn len(&self) -> usize {
        self.end - self.begin
    }
}

impl Job for Build<'_> {
    type Output = Built;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Built {
        let Build { items, shape } = self;
        if items.is_empty() {
            return Built::default();
        }
        let mut built = Built {
            nodes: memory::with_capacity(items.len() / (3 * shape.leaf_items.div_ceil(2)) + 1),
            leaves: match shape.leaf_items {
                1 => Vec::new(),
                most => memory::with_capacity(2 * items.len() / most + 1),
            },
        };
        let mut tasks = vec![Task { begin: 0, end: items.len(), depth: 1, parent: 0, child: 8 }];
        while let Some(task) = tasks.pop() {
            let number = built.nodes.len();
            if let Some(child) =
                built.nodes.get_mut(task.parent).and_then(|n| n.children.get_mut(task.child))
            {
                *child = number as u32;
            }
            let (parts, count) = parts(lanes, items, task, shape);
            let mut node = Node::EMPTY;
            for (i, part) in parts[..count].iter().enumerate() {
                let bounds = part.bounds.0;
                for side in 0..3 {
                    node.bounds[side].0[i] = -bounds[side];
                    node.bounds[side + 3].0[i] = bounds[side + 4];
                }
                if part.len() > shape.leaf_items {
                    tasks.push(Task {
                        begin: part.begin,
                        end: part.end,
                        depth: task.depth + 1,
                        parent: number,
                        child: i,
                    });
                    node.children[i] = NONE - 1;
                } else if shape.leaf_items == 1 {
                    node.children[i] = LEAF | items[part.begin].number();
                } else {
                    node.children[i] = LEAF | built.leaves.len() as u32;
                    built.leaves.push((part.begin as u32, part.len() as u32));
                }
            }
            built.nodes.push(node);
        }
        built
    }
}

/// Splits the items of a node into at most eight parts.
#[inline(always)]
fn parts<L: Lanes>(lanes: L, items: &mut [Item], task: Task, shape: Shape) -> ([Part; 8], usize) {
    let whole = Part { begin: task.begin, end: task.end, bounds: Item::NOTHING, area: 0.0 };
    let mut parts = [whole; 8];
    if whole.len() <= 8 && shape.leaf_items == 1 {
        for (part, begin) in parts.iter_mut().zip(task.begin..task.end) {
            *part = Part { begin, end: begin + 1, bounds: items[begin].0, area: 0.0 };
        }
        return (parts, whole.len());
    }
    let mut count = 1;
    if whole.len() <= shape.leaf_items {
        parts[0] = part(lanes, items, task.begin, task.end);
        return (parts, 1);
    }
    let least = shape.leaf_items.max(8);
    let halve = task.depth > SPLIT_LEVELS;
    while count < 8 {
        let mut next = None;
        let mut most = -1.0;
        for (i, part) in parts[..count].iter().enumerate() {
            let weight = if halve { part.len() as f32 } else { part.area };
            if part.len() > least && (weight > most || next.is_none()) {
                (next, most) = (Some(i), weight);
            }
        }
        let Some(i) = next else { break };
        let (begin, end) = (parts[i].begin, parts[i].end);
        let found = if halve { None } else { split(lanes, &mut items[begin..end]) };
        (parts[i], parts[count]) = match found {
            Some([(bounds, left), (other, _)]) => {
                let middle = begin + left;
                (
                    Part { begin, end: middle, bounds, area: area(lanes, lanes.load(&bounds)) },
                    Part {
                        begin: middle,
                        end,
                        bounds: other,
                        area: area(lanes, lanes.load(&other)),
                    },
                )
            }
            // No plane parts the centroids: by count, in the order as it is.
            None => {
                let middle = begin + (end - begin) / 2;
                (part(lanes, items, begin, middle), part(lanes, items, middle, end))
            }
        };
        count += 1;
    }
    (parts, count)
}

/// A part with its bounds.
#[inline(always)]
fn part<L: Lanes>(lanes: L, items: &[Item], begin: usize, end: usize) -> Part {
    let mut bounds = lanes.load(&Item::NOTHING);
    for item in &items[begin..end] {
        bounds = lanes.max(bounds, lanes.load(&item.0));
    }
    Part { begin, end, bounds: lanes.store(bounds), area: area(lanes, bounds) }
}

/// Half the surface of bounds.
#[inline(always)]
fn area<L: Lanes>(lanes: L, bounds: L::Floats) -> f32 {
    let size = lanes.add(bounds, lanes.swap_halves(bounds));
    let sides = lanes.store(lanes.mul(size, lanes.cycle(size))).0;
    sides[0] + sides[1] + sides[2]
}

/// Twice the centroid in lanes 0 to 2, and its negative in lanes 4 to 6.
#[inline(always)]
fn centroid<L: Lanes>(lanes: L, item: L::Floats) -> L::Floats {
    lanes.sub(lanes.swap_halves(item), item)
}

/// The bounds and the number of items of both halves, which lie left and right afterwards; `None`
/// where all centroids fall into the same bins.
#[inline(always)]
fn split<L: Lanes>(lanes: L, items: &mut [Item]) -> Option<[(Eight, usize); 2]> {
    let mut centroids = lanes.load(&Item::NOTHING);
    for item in items.iter() {
        centroids = lanes.max(centroid(lanes, lanes.load(&item.0)), centroids);
    }
    let centroids = lanes.store(centroids).0;
    let (mut low, mut scale) = ([0.0; 8], [0.0; 8]);
    for axis in 0..3 {
        low[axis] = -centroids[axis + 4];
        let width = centroids[axis] - low[axis];
        scale[axis] = if width > 0.0 { BINS as f32 / width } else { 0.0 };
    }
    let mut bins = [[Item::NOTHING; BINS]; 3];
    let mut counts = [[0u32; BINS]; 3];
    let (low_lanes, scale_lanes) = (lanes.load(&Eight(low)), lanes.load(&Eight(scale)));
    let (zero, last) = (lanes.splat(0.0), lanes.splat((BINS - 1) as f32));
    for item in items.iter() {
        let item = lanes.load(&item.0);
        let place = lanes.mul(lanes.sub(centroid(lanes, item), low_lanes), scale_lanes);
        let place = lanes.whole(lanes.min(lanes.max(place, zero), last));
        for axis in 0..3 {
            let bin = place[axis] as usize & (BINS - 1);
            let all = lanes.max(lanes.load(&bins[axis][bin]), item);
            bins[axis][bin] = lanes.store(all);
            counts[axis][bin] += 1;
        }
    }
    let (axis, bin) = best(lanes, &bins, &counts)?;
    let mut halves = [(lanes.load(&Item::NOTHING), 0); 2];
    for i in 0..BINS {
        let half = &mut halves[usize::from(i >= bin)];
        half.0 = lanes.max(half.0, lanes.load(&bins[axis][i]));
        half.1 += counts[axis][i] as usize;
    }
    let left = partition(items, axis, low[axis], scale[axis], bin as f32);
    debug_assert_eq!(left, halves[0].1);
    Some(halves.map(|(bounds, count)| (lanes.store(bounds), count)))
}

/// The axis and the first bin of the right half that cost least.
#[inline(always)]
fn best<L: Lanes>(
    lanes: L,
    bins: &[[Eight; BINS]; 3],
    counts: &[[u32; BINS]; 3],
) -> Option<(usize, usize)> {
    let mut right = [[0.0f32; BINS]; 3];
    for axis in 0..3 {
        let (mut bounds, mut count) = (lanes.load(&Item::NOTHING), 0);
        for bin in (1..BINS).rev() {
            bounds = lanes.max(bounds, lanes.load(&bins[axis][bin]));
            count += counts[axis][bin];
            right[axis][bin] = match count {
                0 => f32::NAN,
                _ => area(lanes, bounds) * count as f32,
            };
        }
    }
    let (mut found, mut least) = (None, f32::INFINITY);
    for axis in 0..3 {
        let (mut bounds, mut count) = (lanes.load(&Item::NOTHING), 0);
        for bin in 1..BINS {
            bounds = lanes.max(bounds, lanes.load(&bins[axis][bin - 1]));
            count += counts[axis][bin - 1];
            // NaN, of an empty half on the right, is not less.
            let cost = area(lanes, bounds) * count as f32 + right[axis][bin];
            if count > 0 && cost < least {
                (found, least) = (Some((axis, bin)), cost);
            }
        }
    }
    found
}

/// Puts the items whose bin on `axis` is below `bin` first, in the order that they had; says how
/// many there are. Without a branch: which side an item goes to cannot be foretold.
#[inline(always)]
fn partition(items: &mut [Item], axis: usize, low: f32, scale: f32, bin: f32) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        let item = items[i];
        let twice = item.0.0[axis + 4] - item.0.0[axis];
        items[i] = items[left];
        items[left] = item;
        // As the bins were found: a whole number is at least `bin` where the product is, and NaN
        // is in the first.
        left += 1 - usize::from((twice - low) * scale >= bin);
    }
    left
}
