//! Top down: items are split by the surface area heuristic until each node has eight children.
//!
//! After Wald, *On Fast Construction of SAH-based Bounding Volume Hierarchies*, RT 2007: centroids
//! fall into 16 bins, and the best of the planes between bins is taken. While items go
//! to their sides they also fall into the bins of these, so that memory is passed once a level.
//! Nodes are wide from the start: of the parts of a node the one with the largest surface is split
//! next.
//!
//! Nothing here recurses. Every range becomes smaller with each split, and below
//! [`SPLIT_LEVELS`] ranges are only halved, so that the tree is never deeper than the stack of
//! [`walk`](super::walk::walk).

use super::node::{LEAF, NONE, WideNode};
use super::walk::SPLIT_LEVELS;
use solio_base::memory;
use solio_codec::lanes::{self, Eight, LaneJob, Lanes};

const BINS: usize = 16;

/// An item of a tree: its box and number. The minima are negated, so that the union of boxes is
/// one maximum: −min x, y, z, the number's upper half, max x, y, z, its lower half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoxItem(pub(super) Eight);

impl BoxItem {
    /// Bounds of nothing.
    const NOTHING: Eight = Eight([f32::NEG_INFINITY; 8]);

    #[inline(always)]
    pub(super) fn new(min: [f32; 3], max: [f32; 3], number: u32) -> BoxItem {
        // Halves are whole numbers as floats: no bit pattern that is slow or NaN.
        let (high, low) = ((number >> 16) as f32, (number & 0xffff) as f32);
        BoxItem(Eight([-min[0], -min[1], -min[2], high, max[0], max[1], max[2], low]))
    }

    #[inline(always)]
    pub(super) fn number(&self) -> u32 {
        (self.0.0[3] as u32) << 16 | self.0.0[7] as u32
    }
}

/// What hangs below the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Below {
    /// The node of an item's number for each.
    Nodes,
    /// Leaves of up to so many items, numbered as they come.
    Ranges(usize),
}

/// A tree over items.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) nodes: Vec<WideNode>,
    /// The uppermost node, where there is any.
    pub(super) root: u32,
    /// Where in the order of items each of [`Below::Ranges`] starts, and how many it holds.
    pub(super) leaves: Vec<(u32, u32)>,
}

/// Builds a tree behind `nodes`; `items` are put in the order of leaves.
pub(super) fn build(items: &mut [BoxItem], below: Below, nodes: Vec<WideNode>) -> Built {
    lanes::run(Build { items, below, nodes })
}

pub(super) struct Build<'a> {
    pub(super) items: &'a mut [BoxItem],
    pub(super) below: Below,
    pub(super) nodes: Vec<WideNode>,
}

/// A range of items that is to become a node.
#[derive(Clone, Copy)]
struct NodeTask {
    part: ItemRange,
    depth: u32,
    /// Where its number is to be written.
    parent: usize,
    child: usize,
}

/// A range of items with its bounds, and how it is to be split where that is known.
#[derive(Clone, Copy)]
struct ItemRange {
    begin: usize,
    end: usize,
    bounds: Eight,
    /// Half the surface.
    area: f32,
    plan: Option<SplitPlan>,
}

impl ItemRange {
    fn len(&self) -> usize {
        self.end - self.begin
    }
}

impl LaneJob for Build<'_> {
    type Output = Built;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Built {
        let Build { items, below, nodes } = self;
        let mut built = Built { root: nodes.len() as u32, nodes, leaves: Vec::new() };
        if items.is_empty() {
            return built;
        }
        let leaf_items = match below {
            Below::Ranges(most) => most,
            Below::Nodes => 1,
        };
        if leaf_items > 1 {
            built.leaves = memory::with_capacity(items.len() / 4 + 1);
        }
        let whole = part(lanes, items, 0, items.len());
        let mut tasks = vec![NodeTask { part: whole, depth: 1, parent: usize::MAX, child: 0 }];
        while let Some(task) = tasks.pop() {
            let number = built.nodes.len();
            if let Some(parent) = built.nodes.get_mut(task.parent) {
                parent.children[task.child] = number as u32;
            }
            let (parts, count) = parts(lanes, items, &task, leaf_items);
            let mut node = WideNode::EMPTY;
            for (i, part) in parts[..count].iter().enumerate() {
                let bounds = part.bounds.0;
                for side in 0..3 {
                    node.bounds[side].0[i] = -bounds[side];
                    node.bounds[side + 3].0[i] = bounds[side + 4];
                }
                node.children[i] = if part.len() > leaf_items {
                    let depth = task.depth + 1;
                    tasks.push(NodeTask { part: *part, depth, parent: number, child: i });
                    // Written when its turn comes.
                    NONE
                } else {
                    leaf(items, part, below, &mut built)
                };
            }
            built.nodes.push(node);
        }
        built
    }
}

/// The child that stands for a part which is not split.
#[inline(always)]
fn leaf(items: &[BoxItem], part: &ItemRange, below: Below, built: &mut Built) -> u32 {
    let number = items[part.begin].number();
    match below {
        // A node with one child is passed over.
        Below::Nodes => match built.nodes[number as usize].children {
            [only, NONE, ..] => only,
            _ => number,
        },
        Below::Ranges(_) => {
            built.leaves.push((part.begin as u32, part.len() as u32));
            LEAF | (built.leaves.len() - 1) as u32
        }
    }
}

/// Splits the items of a node into at most eight parts.
#[inline(always)]
fn parts<L: Lanes>(
    lanes: L,
    items: &mut [BoxItem],
    task: &NodeTask,
    leaf_items: usize,
) -> ([ItemRange; 8], usize) {
    let whole = task.part;
    let mut parts = [whole; 8];
    if whole.len() <= 8 && leaf_items == 1 {
        for (part, begin) in parts.iter_mut().zip(whole.begin..whole.end) {
            *part =
                ItemRange { begin, end: begin + 1, bounds: items[begin].0, area: 0.0, plan: None };
        }
        return (parts, whole.len());
    }
    let mut count = 1;
    let halve = task.depth > SPLIT_LEVELS;
    let planes = if leaf_items == 1 { SplitAxes::LongestAxis } else { SplitAxes::AllAxes };
    while count < 8 {
        let mut next = None;
        let mut most = -1.0;
        for (i, part) in parts[..count].iter().enumerate() {
            let weight = if halve { part.len() as f32 } else { part.area };
            if part.len() > leaf_items.max(8) && (weight > most || next.is_none()) {
                (next, most) = (Some(i), weight);
            }
        }
        let Some(i) = next else { break };
        let one = parts[i];
        let plan = match one.plan {
            _ if halve => None,
            Some(plan) => Some(plan),
            None => plan_of(lanes, &items[one.begin..one.end], planes),
        };
        (parts[i], parts[count]) = match plan {
            Some(plan) => divide(lanes, items, &one, &plan),
            // No plane parts the centroids: by count, in the order as it is.
            None => {
                let middle = one.begin + one.len() / 2;
                (part(lanes, items, one.begin, middle), part(lanes, items, middle, one.end))
            }
        };
        count += 1;
    }
    (parts, count)
}

/// A part with its bounds.
#[inline(always)]
fn part<L: Lanes>(lanes: L, items: &[BoxItem], begin: usize, end: usize) -> ItemRange {
    let mut bounds = lanes.load(&BoxItem::NOTHING);
    for item in &items[begin..end] {
        bounds = lanes.max(bounds, lanes.load(&item.0));
    }
    ItemRange { begin, end, bounds: lanes.store(bounds), area: area(lanes, bounds), plan: None }
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

/// On which axes planes are looked for.
#[derive(Clone, Copy, PartialEq)]
enum SplitAxes {
    /// On all three.
    AllAxes,
    /// On the one along which centroids lie farthest apart: rays meet two or three percent more
    /// nodes, and building takes a tenth less.
    LongestAxis,
}

/// Bins over a range of twice the centroids, in lanes 0 to 2.
#[derive(Clone, Copy)]
struct BinGrid {
    low: Eight,
    /// Bins in a unit.
    scale: Eight,
    planes: SplitAxes,
    /// The first and the last axis with bins.
    axes: [usize; 2],
}

impl BinGrid {
    #[inline(always)]
    fn new(low: [f32; 3], high: [f32; 3], planes: SplitAxes) -> BinGrid {
        let none = Eight([0.0; 8]);
        let mut grid = BinGrid { low: none, scale: none, planes, axes: [0, 2] };
        let mut longest = 0.0;
        for axis in 0..3 {
            let width = high[axis] - low[axis];
            grid.low.0[axis] = low[axis];
            grid.scale.0[axis] = if width > 0.0 { BINS as f32 / width } else { 0.0 };
            if planes == SplitAxes::LongestAxis && width > longest {
                (longest, grid.axes) = (width, [axis; 2]);
            }
        }
        grid
    }

    /// The grid of one half of what `plan` splits, whose bounds are known: it covers the half's
    /// centroids, if not closely.
    #[inline(always)]
    fn of_half(plan: &SplitPlan, side: usize) -> BinGrid {
        let bounds = plan.halves[side].0.0;
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (first, scale) = (plan.grid.low.0[axis], plan.grid.scale.0[axis]);
            let (from, to) = match side {
                _ if axis != plan.axis => (0, BINS),
                0 => (0, plan.bin),
                _ => (plan.bin, BINS),
            };
            let end = |bin: usize| if scale > 0.0 { first + bin as f32 / scale } else { first };
            (low[axis], high[axis]) = (end(from), end(to));
            let (least, most) = (-2.0 * bounds[axis], 2.0 * bounds[axis + 4]);
            low[axis] = if least > low[axis] { least } else { low[axis] };
            high[axis] = if most < high[axis] { most } else { high[axis] };
        }
        BinGrid::new(low, high, plan.grid.planes)
    }
}

/// How a range of items is to be split.
#[derive(Clone, Copy)]
struct SplitPlan {
    grid: BinGrid,
    axis: usize,
    /// The first bin of the right half.
    bin: usize,
    /// The bounds and the number of items of both halves.
    halves: [(Eight, usize); 2],
}

/// What fell into each bin.
struct Bins {
    bounds: [[Eight; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

impl Bins {
    const EMPTY: Bins = Bins { bounds: [[BoxItem::NOTHING; BINS]; 3], counts: [[0; BINS]; 3] };

    #[inline(always)]
    fn add<L: Lanes>(&mut self, lanes: L, grid: &BinGrid, item: L::Floats) {
        let (low, scale) = (lanes.load(&grid.low), lanes.load(&grid.scale));
        let place = lanes.mul(lanes.sub(centroid(lanes, item), low), scale);
        // NaN is in the first.
        let place = lanes.max(place, lanes.splat(0.0));
        let place = lanes.whole(lanes.min(place, lanes.splat((BINS - 1) as f32)));
        let [first, last] = grid.axes;
        for (axis, place) in place[..3].iter().enumerate().take(last + 1).skip(first) {
            let bin = *place as usize & (BINS - 1);
            let bounds = &mut self.bounds[axis][bin];
            *bounds = lanes.store(lanes.max(lanes.load(bounds), item));
            self.counts[axis][bin] += 1;
        }
    }

    /// The best plane, where there is one.
    #[inline(always)]
    fn plan<L: Lanes>(&self, lanes: L, grid: BinGrid) -> Option<SplitPlan> {
        let (axis, bin) = best(lanes, self, grid.axes)?;
        let (mut left, mut right) = (lanes.load(&BoxItem::NOTHING), lanes.load(&BoxItem::NOTHING));
        let mut counts = [0; 2];
        for i in 0..BINS {
            let bounds = lanes.load(&self.bounds[axis][i]);
            if i < bin {
                left = lanes.max(left, bounds);
            } else {
                right = lanes.max(right, bounds);
            }
            counts[usize::from(i >= bin)] += self.counts[axis][i] as usize;
        }
        let halves = [(lanes.store(left), counts[0]), (lanes.store(right), counts[1])];
        Some(SplitPlan { grid, axis, bin, halves })
    }
}

/// How to split items of which nothing is known; `None` where all centroids fall into the same
/// bins.
#[inline(always)]
fn plan_of<L: Lanes>(lanes: L, items: &[BoxItem], planes: SplitAxes) -> Option<SplitPlan> {
    let mut range = lanes.load(&BoxItem::NOTHING);
    for item in items {
        range = lanes.max(centroid(lanes, lanes.load(&item.0)), range);
    }
    let range = lanes.store(range).0;
    let low = [-range[4], -range[5], -range[6]];
    let grid = BinGrid::new(low, [range[0], range[1], range[2]], planes);
    let mut bins = Bins::EMPTY;
    for item in items {
        bins.add(lanes, &grid, lanes.load(&item.0));
    }
    bins.plan(lanes, grid)
}

/// From so many items on, the halves' plans are made while items go to their sides.
const MANY: usize = 64;

/// Splits a part as planned: items of the left half first, in the order that they had. Without a
/// branch, as nobody can foretell which side an item goes to.
#[inline(always)]
fn divide<L: Lanes>(
    lanes: L,
    items: &mut [BoxItem],
    part: &ItemRange,
    plan: &SplitPlan,
) -> (ItemRange, ItemRange) {
    let items = &mut items[part.begin..part.end];
    let (axis, bin) = (plan.axis, plan.bin as f32);
    let (low, scale) = (plan.grid.low.0[axis], plan.grid.scale.0[axis]);
    let mut plans = [None; 2];
    let mut left = 0;
    // As the bins were found: a whole number is at least `bin` where the product is.
    let side = |item: &BoxItem| {
        let twice = item.0.0[axis + 4] - item.0.0[axis];
        usize::from((twice - low) * scale >= bin)
    };
    if items.len() < MANY {
        for i in 0..items.len() {
            let item = items[i];
            items.swap(i, left);
            left += 1 - side(&item);
        }
    } else {
        let grids = [BinGrid::of_half(plan, 0), BinGrid::of_half(plan, 1)];
        let mut bins = [Bins::EMPTY, Bins::EMPTY];
        for i in 0..items.len() {
            let item = items[i];
            items.swap(i, left);
            let side = side(&item);
            left += 1 - side;
            bins[side].add(lanes, &grids[side], lanes.load(&item.0));
        }
        plans = [bins[0].plan(lanes, grids[0]), bins[1].plan(lanes, grids[1])];
    }
    debug_assert_eq!(left, plan.halves[0].1);
    let half = |side: usize, begin: usize, end: usize| {
        let bounds = plan.halves[side].0;
        let area = area(lanes, lanes.load(&bounds));
        ItemRange { begin, end, bounds, area, plan: plans[side] }
    };
    let middle = part.begin + left;
    (half(0, part.begin, middle), half(1, middle, part.end))
}

/// The axis and the first bin of the right half that cost least.
#[inline(always)]
fn best<L: Lanes>(lanes: L, bins: &Bins, [first, last]: [usize; 2]) -> Option<(usize, usize)> {
    let (mut found, mut least) = (None, f32::INFINITY);
    for axis in first..=last {
        let (all, counts) = (&bins.bounds[axis], &bins.counts[axis]);
        // What the right half costs that starts with each bin; NaN where it is empty.
        let mut right = [f32::NAN; BINS];
        let (mut bounds, mut count) = (lanes.load(&BoxItem::NOTHING), 0);
        for (bin, cost) in right.iter_mut().enumerate().skip(1).rev() {
            bounds = lanes.max(bounds, lanes.load(&all[bin]));
            count += counts[bin];
            if count > 0 {
                *cost = area(lanes, bounds) * count as f32;
            }
        }
        let (mut bounds, mut count) = (lanes.load(&BoxItem::NOTHING), 0);
        for (bin, right) in right.iter().enumerate().skip(1) {
            bounds = lanes.max(bounds, lanes.load(&all[bin - 1]));
            count += counts[bin - 1];
            // NaN is not less.
            let cost = area(lanes, bounds) * count as f32 + right;
            if count > 0 && cost < least {
                (found, least) = (Some((axis, bin)), cost);
            }
        }
    }
    found
}
